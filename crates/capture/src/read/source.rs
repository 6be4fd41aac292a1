//! The bytes of a capture, plain or out of gzip, through a window that moves on and never grows beyond what is asked for.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

/// What is read at once, as long as less is asked for.
const USUAL: usize = 1 << 18;

/// Counts what was taken from a file: with gzip less than what comes out of it.
struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A window onto the bytes.
pub(super) struct Source {
    input: Box<dyn Read + Send>,
    taken: Arc<AtomicU64>,
    zipped: bool,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
}

impl Source {
    /// Begins to read; gzip is known by its first two bytes (RFC 1952, section 2.3.1).
    pub(super) fn new(input: impl Read + Send + 'static) -> io::Result<Self> {
        let taken = Arc::new(AtomicU64::new(0));
        let mut input = BufReader::with_capacity(USUAL, Counted { inner: input, count: Arc::clone(&taken) });
        let zipped = input.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let input: Box<dyn Read + Send> = if zipped { Box::new(MultiGzDecoder::new(input)) } else { Box::new(input) };
        Ok(Self { input, taken, zipped, buffer: vec![0; USUAL], start: 0, end: 0, offset: 0 })
    }

    /// Bytes taken from the file so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether the file is gzip's.
    pub(super) fn zipped(&self) -> bool {
        self.zipped
    }

    /// Where the window begins, in bytes from the start; of what gzip holds, where it is that.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Sees to it that so many bytes are in the window, if the file has them: tells how many there are, up to that.
    #[inline]
    pub(super) fn fill(&mut self, count: usize) -> io::Result<usize> {
        if self.end - self.start < count {
            self.refill(count)?;
        }
        Ok(count.min(self.end - self.start))
    }

    #[cold]
    fn refill(&mut self, count: usize) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.buffer.len() < count {
            self.buffer.resize(count.next_power_of_two(), 0);
        }
        while self.end < count {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What is in the window.
    #[inline]
    pub(super) fn window(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Moves the window on, over bytes that are in it.
    #[inline]
    pub(super) fn advance(&mut self, count: usize) {
        self.start += count;
        self.offset += count as u64;
    }

    /// Moves the window on over bytes that nobody looks at; tells whether they were all there.
    pub(super) fn skip(&mut self, mut count: u64) -> io::Result<bool> {
        while count > 0 {
            let there = self.fill(count.min(USUAL as u64) as usize)?;
            if there == 0 {
                return Ok(false);
            }
            self.advance(there);
            count -= there as u64;
        }
        Ok(true)
    }
}
