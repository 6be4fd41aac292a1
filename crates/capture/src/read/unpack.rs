//! Decompresses a capture while it is read: gzip (RFC 1952), Zstandard (RFC 8878) and LZ4 frames.
//!
//! All three formats may consist of several parts, one after the other, and Zstandard and LZ4 of parts to skip. Memory is
//! bounded by the window of the format: 128 MB for Zstandard, as in its own tool, and 8 MB for LZ4.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;
use lz4_flex::frame;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
    /// LZ4 frames, also those of its first format.
    Lz4,
}

impl Packing {
    /// The format that the first bytes of a file are of. A part to skip comes first where `pzstd` wrote the file.
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] | [0x02, 0x21, 0x4c, 0x18, ..] => Self::Lz4,
            _ => Self::Plain,
        }
    }

    /// Name of the format; `None` if the file is not compressed.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
            Self::Lz4 => Some("lz4"),
        }
    }
}

/// Recognises the format of compression by the first bytes, and returns a reader of the decompressed bytes.
pub(super) fn unpack(mut input: impl BufRead + Send + 'static) -> io::Result<(Box<dyn Read + Send>, Packing)> {
    let packing = Packing::of(input.fill_buf()?);
    let unpacked: Box<dyn Read + Send> = match packing {
        Packing::Plain => Box::new(input),
        Packing::Gzip => Box::new(MultiGzDecoder::new(input)),
        Packing::Zstd => Box::new(Zstd { input, frame: FrameDecoder::new(), is_open: false }),
        Packing::Lz4 => Box::new(Lz4(frame::FrameDecoder::new(input))),
    };
    Ok((unpacked, packing))
}

/// Decompresses Zstandard frames, one after the other.
struct Zstd<R> {
    input: R,
    frame: FrameDecoder,
    is_open: bool,
}

impl<R: BufRead> Zstd<R> {
    /// Begins the next frame, or skips it. Returns whether there is one.
    fn begin(&mut self) -> io::Result<bool> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(false);
        }
        match self.frame.reset(&mut self.input) {
            Ok(()) => self.is_open = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                skip(&mut self.input, length)?;
            }
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(true)
    }

    fn end(&mut self) -> io::Result<()> {
        self.is_open = false;
        match (self.frame.get_checksum_from_data(), self.frame.get_calculated_checksum()) {
            (Some(stated), Some(found)) if stated != found => Err(io::Error::other("the checksum is wrong")),
            _ => Ok(()),
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_open {
                if !self.begin()? {
                    return Ok(0);
                }
            } else if self.frame.can_collect() > 0 {
                return self.frame.read(bytes);
            } else if self.frame.is_finished() {
                self.end()?;
            } else {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.frame.decode_blocks(&mut self.input, one).map_err(io::Error::other)?;
            }
        }
    }
}

/// Decompresses LZ4 frames, one after the other: the crate's decoder returns 0 at the end of each.
struct Lz4<R: Read>(frame::FrameDecoder<R>);

impl<R: BufRead> Read for Lz4<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(bytes) {
                Ok(0) if !self.0.get_mut().fill_buf()?.is_empty() => {}
                Err(error) => match error.get_ref().and_then(|cause| cause.downcast_ref()) {
                    Some(&frame::Error::SkippableFrame(length)) => skip(self.0.get_mut(), length)?,
                    _ => return Err(error),
                },
                read => return read,
            }
        }
    }
}

fn skip(input: &mut impl Read, length: u32) -> io::Result<()> {
    let skipped = io::copy(&mut input.take(length.into()), &mut io::sink())?;
    if skipped < length.into() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}
