//! Merges the packets of several files in order of time.
//!
//! A file is opened again when the time of its first packet is reached, so that of a rotated set only the files that
//! overlap are open. Each file is read in its own order: a packet follows the packets before it in its file, whatever its
//! time. At equal times, the file that was named first comes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read};

use super::Stop;
use super::container::{Container, Record};
use super::interfaces::{Interface, Interfaces};
use super::unpack::Packing;

/// Opens a file, possibly for a second time.
pub type Opener = Box<dyn FnMut() -> io::Result<Box<dyn Read + Send>> + Send>;

/// When a file continues: the time of its next packet, and its place.
type Turn = (i64, usize);

/// After all packets.
const NEVER: Turn = (i64::MAX, usize::MAX);

/// Why there is no packet.
#[derive(Debug)]
pub(super) enum Pause {
    /// The input has none yet.
    Waiting,
    /// Reading of a file failed; the other files remain.
    Stopped(Stop),
}

/// One file.
struct File {
    open: Option<Opener>,
    container: Option<Container>,
    /// The packet that comes next, if another file was read since.
    next: Option<Record>,
    /// Numbers of its interfaces among those of all files.
    numbers: Vec<u32>,
    /// What remains of a file that was read: its interfaces, bytes and format.
    interfaces: Interfaces,
    taken: u64,
    format: (&'static str, Packing),
}

impl File {
    fn new(open: Option<Opener>, container: Option<Container>) -> Self {
        let format = container.as_ref().map_or(("", Packing::Plain), Container::format);
        Self { open, container, next: None, numbers: Vec::new(), interfaces: Interfaces::default(), taken: 0, format }
    }

    fn interfaces(&self) -> &Interfaces {
        self.container.as_ref().map_or(&self.interfaces, Container::interfaces)
    }

    fn close(&mut self) {
        if let Some(mut container) = self.container.take() {
            (self.taken, self.format) = (container.taken(), container.format());
            self.interfaces = container.take_interfaces();
        }
    }
}

/// The files of a capture.
pub(super) struct Inputs {
    files: Vec<File>,
    /// Files that are not open, the earliest one last.
    later: Vec<Turn>,
    /// Open files, except the one that is being read.
    open: BinaryHeap<Reverse<Turn>>,
    /// The file that is being read.
    current: Option<usize>,
    /// When another file comes first.
    limit: Turn,
    /// The file and the number in it of each interface.
    interfaces: Vec<(usize, u32)>,
}

impl Inputs {
    /// Reads one input.
    pub(super) fn one(container: Container) -> Self {
        Self {
            files: vec![File::new(None, Some(container))],
            later: Vec::new(),
            open: BinaryHeap::new(),
            current: Some(0),
            limit: NEVER,
            interfaces: Vec::new(),
        }
    }

    /// Reads several files. The beginning of each is read to learn its format and the time of its first packet.
    pub(super) fn several(openers: Vec<Opener>) -> Result<Self, Stop> {
        let mut inputs = Self {
            files: Vec::new(),
            later: Vec::new(),
            open: BinaryHeap::new(),
            current: None,
            limit: NEVER,
            interfaces: Vec::new(),
        };
        for (file, mut opener) in openers.into_iter().enumerate() {
            let of_file = |stop: Stop| Stop { file, ..stop };
            let mut container = begin(&mut opener).map_err(of_file)?;
            let mut start = i64::MIN;
            // What is damaged is reported when the file is read.
            while let Ok(Some(record)) = container.next() {
                if let Some(time) = record.time {
                    start = time;
                    break;
                }
            }
            inputs.later.push((start, file));
            inputs.files.push(File { format: container.format(), ..File::new(Some(opener), None) });
        }
        inputs.later.sort_unstable_by_key(|&turn| Reverse(turn));
        Ok(inputs)
    }

    /// Advances to the next packet; `None` at the end of all files.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Record>, Pause> {
        loop {
            let (file, found) = match self.current {
                Some(file) => (file, self.container(file).next()),
                None => match self.choose()? {
                    Some(file) => (file, Ok(self.files[file].next.take())),
                    None => return Ok(None),
                },
            };
            match found {
                Ok(Some(mut record)) => {
                    let turn = (record.time.unwrap_or(i64::MIN), file);
                    if turn <= self.limit {
                        record.interface = self.number(file, record.interface);
                        return Ok(Some(record));
                    }
                    self.put_back(record, turn);
                }
                Ok(None) => self.end(file),
                Err(_) if self.container(file).is_waiting() => return Err(Pause::Waiting),
                Err(stop) => {
                    self.end(file);
                    return Err(Pause::Stopped(Stop { file, ..stop }));
                }
            }
        }
    }

    /// The captured bytes of the last packet returned.
    #[inline]
    pub(super) fn bytes(&self, record: &Record) -> &[u8] {
        let container = self.current.and_then(|file| self.files[file].container.as_ref());
        container.expect("a packet was returned").bytes(record)
    }

    /// Makes the file whose packet is the earliest one the current file; `None` if there is none.
    #[cold]
    fn choose(&mut self) -> Result<Option<usize>, Pause> {
        while let Some(&(start, file)) = self.later.last() {
            if self.open.peek().is_some_and(|&Reverse(turn)| turn < (start, file)) {
                break;
            }
            self.later.pop();
            let opener = self.files[file].open.as_mut().expect("files that are not open have an opener");
            let stopped = |stop: Stop| Pause::Stopped(Stop { file, ..stop });
            let mut container = begin(opener).map_err(stopped)?;
            let first = container.next();
            self.files[file].container = Some(container);
            match first {
                Ok(Some(record)) => {
                    self.files[file].next = Some(record);
                    self.open.push(Reverse((record.time.unwrap_or(i64::MIN), file)));
                }
                Ok(None) => self.end(file),
                Err(stop) => {
                    self.end(file);
                    return Err(stopped(stop));
                }
            }
        }
        self.current = self.open.pop().map(|Reverse((_, file))| file);
        let open = self.open.peek().map_or(NEVER, |&Reverse(turn)| turn);
        self.limit = open.min(self.later.last().copied().unwrap_or(NEVER));
        Ok(self.current)
    }

    /// Another file comes first.
    #[cold]
    fn put_back(&mut self, record: Record, turn: Turn) {
        self.files[turn.1].next = Some(record);
        self.open.push(Reverse(turn));
        self.current = None;
    }

    #[cold]
    fn end(&mut self, file: usize) {
        let there = self.files[file].interfaces().iter().count();
        if there > 0 {
            self.number(file, there as u32 - 1);
        }
        self.files[file].close();
        self.current = None;
    }

    /// The number of an interface among those of all files.
    #[inline]
    fn number(&mut self, file: usize, interface: u32) -> u32 {
        let Self { files, interfaces, .. } = self;
        let numbers = &mut files[file].numbers;
        while numbers.len() <= interface as usize {
            interfaces.push((file, numbers.len() as u32));
            numbers.push(interfaces.len() as u32 - 1);
        }
        numbers[interface as usize]
    }

    #[inline]
    fn container(&mut self, file: usize) -> &mut Container {
        self.files[file].container.as_mut().expect("the current file is open")
    }

    /// The input will not continue: what it has begun is not damage.
    pub(super) fn finish(&mut self) {
        self.files.iter_mut().filter_map(|file| file.container.as_mut()).for_each(Container::finish);
    }

    /// The interfaces of all files that had packets or are read to their end, and the file of each.
    pub(super) fn interfaces(&self) -> impl Iterator<Item = (usize, &Interface)> {
        self.interfaces.iter().filter_map(|&(file, number)| Some((file, self.files[file].interfaces().at(number)?)))
    }

    /// Bytes read from the files, before decompression.
    pub(super) fn taken(&self) -> u64 {
        self.files.iter().map(|file| file.container.as_ref().map_or(file.taken, Container::taken)).sum()
    }

    /// Format of each file, and how it is compressed.
    pub(super) fn formats(&self) -> Vec<(&'static str, Packing)> {
        self.files.iter().map(|file| file.container.as_ref().map_or(file.format, Container::format)).collect()
    }
}

fn begin(open: &mut Opener) -> Result<Container, Stop> {
    let input = open().map_err(|error| Stop { problem: error.to_string(), ..Stop::default() })?;
    Container::new(input)
}
