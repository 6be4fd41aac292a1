//! The bytes of a capture, plain or decompressed, through a sliding window that never grows beyond the requested size.

use std::io::{self, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::live::Live;
use super::unpack::{Packing, unpack};

/// Read size unless more is requested.
const USUAL: usize = 1 << 18;

/// Counts the bytes read from a file, before decompression.
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

/// A sliding window over the bytes.
pub(super) struct Source {
    input: Box<dyn Read + Send>,
    taken: Arc<AtomicU64>,
    packing: Arc<OnceLock<Packing>>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
    /// Whether the input has nothing yet, and whether it has ended.
    waiting: bool,
    ended: bool,
}

impl Source {
    /// Starts reading, and recognises a compressed file.
    pub(super) fn new(input: impl Read + Send + 'static) -> io::Result<Self> {
        let taken = Arc::default();
        let (input, packing) = unpack(counted(input, &taken))?;
        Ok(Self::over(input, taken, Arc::new(packing.into())))
    }

    /// Starts reading an input that may pause, such as a pipe.
    pub(super) fn live(input: impl Read + Send + 'static) -> Self {
        let (taken, packing) = (Arc::default(), Arc::default());
        let input = Live::new(counted(input, &taken), Arc::clone(&packing));
        Self::over(Box::new(input), taken, packing)
    }

    fn over(input: Box<dyn Read + Send>, taken: Arc<AtomicU64>, packing: Arc<OnceLock<Packing>>) -> Self {
        let buffer = vec![0; USUAL];
        Self { input, taken, packing, buffer, start: 0, end: 0, offset: 0, waiting: false, ended: false }
    }

    /// Bytes read from the file so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// How the file is compressed.
    pub(super) fn packing(&self) -> Packing {
        self.packing.get().copied().unwrap_or(Packing::Plain)
    }

    /// Whether reading failed only because the input has nothing yet.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// Whether the input has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Offset of the window in bytes from the start of the (decompressed) data.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Fills the window with `count` bytes if the file has them. Returns the number of bytes available, at most
    /// `count`.
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
        self.waiting = false;
        while self.end < count {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.waiting = error.kind() == io::ErrorKind::WouldBlock;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The content of the window.
    #[inline]
    pub(super) fn window(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Advances the window over bytes that are in it.
    #[inline]
    pub(super) fn advance(&mut self, count: usize) {
        self.start += count;
        self.offset += count as u64;
    }

    /// Skips `count` bytes, and counts down those that were skipped. Returns whether the file had them all.
    pub(super) fn skip(&mut self, count: &mut u64) -> io::Result<bool> {
        while *count > 0 {
            let there = self.fill((*count).min(USUAL as u64) as usize)?;
            if there == 0 {
                return Ok(false);
            }
            self.advance(there);
            *count -= there as u64;
        }
        Ok(true)
    }
}

fn counted<R: Read>(inner: R, taken: &Arc<AtomicU64>) -> BufReader<Counted<R>> {
    BufReader::with_capacity(USUAL, Counted { inner, count: Arc::clone(taken) })
}
