//! The bytes of a capture, plain or decompressed, through a sliding window that never grows beyond the requested size.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

/// Read size unless more is requested.
const USUAL: usize = 1 << 18;

/// Counts the bytes read from a file; for gzip this is less than the decompressed size.
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
    zipped: bool,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
}

impl Source {
    /// Starts reading; gzip is recognised by its first two bytes (RFC 1952, section 2.3.1).
    pub(super) fn new(input: impl Read + Send + 'static) -> io::Result<Self> {
        let taken = Arc::new(AtomicU64::new(0));
        let mut input = BufReader::with_capacity(USUAL, Counted { inner: input, count: Arc::clone(&taken) });
        let zipped = input.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let input: Box<dyn Read + Send> = if zipped { Box::new(MultiGzDecoder::new(input)) } else { Box::new(input) };
        Ok(Self { input, taken, zipped, buffer: vec![0; USUAL], start: 0, end: 0, offset: 0 })
    }

    /// Bytes read from the file so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether the file is compressed with gzip.
    pub(super) fn zipped(&self) -> bool {
        self.zipped
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

    /// Skips `count` bytes. Returns whether the file had them all.
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
