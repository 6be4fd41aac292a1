//! The blocks of pcapng (IETF draft-ietf-opsawg-pcapng, sections 4.1 to 4.3), little-endian.

use std::io::{self, Write};

use super::Setup;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Marks an unspecified section length.
const UNKNOWN_LENGTH: u64 = u64::MAX;
/// Link type of packets that begin with an IP header.
const LINKTYPE_RAW: u16 = 101;

const OPT_END: u16 = 0;
const OPT_COMMENT: u16 = 1;
const SHB_USER_APPLICATION: u16 = 4;
const IF_NAME: u16 = 2;
const IF_DESCRIPTION: u16 = 3;
const IF_TIME_RESOLUTION: u16 = 9;
const EPB_FLAGS: u16 = 2;

/// Timestamps are in units of 10^-9 s.
const NANOSECONDS: u8 = 9;

/// Maximum length of an option value.
const LONGEST_OPTION: usize = u16::MAX as usize;

/// Whether a packet was received or sent by the interface.
#[derive(Clone, Copy, Debug)]
pub enum Direction {
    /// Received.
    Inbound = 1,
    /// Sent.
    Outbound = 2,
}

/// A file being written.
#[derive(Debug)]
pub struct Pcapng<W> {
    out: W,
    /// Maximum stored bytes per packet.
    snap_length: u32,
    /// The block being built.
    block: Vec<u8>,
}

impl<W: Write> Pcapng<W> {
    /// Begins a file with one interface.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn begin(out: W, setup: &Setup) -> io::Result<Self> {
        let mut file = Self { out, snap_length: setup.snap_length, block: Vec::new() };
        file.start(SECTION_HEADER);
        file.put(&BYTE_ORDER.to_le_bytes());
        file.put(&1_u16.to_le_bytes());
        file.put(&0_u16.to_le_bytes());
        file.put(&UNKNOWN_LENGTH.to_le_bytes());
        file.text(OPT_COMMENT, &setup.comment);
        file.text(SHB_USER_APPLICATION, &setup.application);
        file.option(OPT_END, &[]);
        file.finish()?;
        file.start(INTERFACE);
        file.put(&LINKTYPE_RAW.to_le_bytes());
        file.put(&[0, 0]);
        file.put(&setup.snap_length.to_le_bytes());
        file.text(IF_NAME, &setup.interface);
        file.text(IF_DESCRIPTION, &setup.description);
        file.option(IF_TIME_RESOLUTION, &[NANOSECONDS]);
        file.option(OPT_END, &[]);
        file.finish()?;
        Ok(file)
    }

    /// Adds a packet of `total` bytes that begins with `front`, as with its headers; the rest is zero. The time is in
    /// nanoseconds.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn packet(
        &mut self,
        nanos: u64,
        front: &[u8],
        total: u32,
        direction: Direction,
        comment: Option<&str>,
    ) -> io::Result<()> {
        let kept = total.min(self.snap_length);
        self.start(ENHANCED_PACKET);
        self.put(&0_u32.to_le_bytes());
        self.put(&((nanos >> 32) as u32).to_le_bytes());
        self.put(&(nanos as u32).to_le_bytes());
        self.put(&kept.to_le_bytes());
        self.put(&total.to_le_bytes());
        let end = self.block.len() + kept as usize;
        self.put(front);
        self.block.resize(end, 0);
        self.pad();
        if let Some(comment) = comment {
            self.text(OPT_COMMENT, comment);
        }
        self.option(EPB_FLAGS, &(direction as u32).to_le_bytes());
        self.option(OPT_END, &[]);
        self.finish()
    }

    /// Ends the file, and returns what it was written to.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn end(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// Begins a block; its length is filled in later.
    fn start(&mut self, kind: u32) {
        self.block.clear();
        self.put(&kind.to_le_bytes());
        self.put(&[0; 4]);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    /// A text option; text that is too long is truncated at a character boundary.
    fn text(&mut self, code: u16, text: &str) {
        let fits = (0..=text.len().min(LONGEST_OPTION)).rfind(|end| text.is_char_boundary(*end));
        self.option(code, &text.as_bytes()[..fits.unwrap_or(0)]);
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.put(&code.to_le_bytes());
        self.put(&(value.len() as u16).to_le_bytes());
        self.put(value);
        self.pad();
    }

    fn finish(&mut self) -> io::Result<()> {
        let length = (self.block.len() as u32 + 4).to_le_bytes();
        self.block[4..8].copy_from_slice(&length);
        self.put(&length);
        self.out.write_all(&self.block)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::write::headers::{Ends, Headers};

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
    }

    #[test]
    fn blocks_are_framed_by_their_lengths_and_packets_are_cut() {
        let mut out = Vec::new();
        let setup = Setup {
            snap_length: 81,
            application: "a program".into(),
            comment: "a comment".into(),
            interface: "bottleneck".into(),
            description: "é".repeat(LONGEST_OPTION),
        };
        let mut file = Pcapng::begin(&mut out, &setup).expect("memory");
        let ends = Ends { from: (Ipv4Addr::LOCALHOST, 1), to: (Ipv4Addr::LOCALHOST, 2) };
        let (long, short) = (Headers::udp(ends, 0, 82), Headers::udp(ends, 0, 29));
        file.packet(0x1_0000_0002, long.bytes(), long.total(), Direction::Inbound, Some("gone")).expect("memory");
        file.packet(7, short.bytes(), short.total(), Direction::Outbound, None).expect("memory");
        file.end().expect("memory");
        let (mut at, mut kinds) = (0, Vec::new());
        while at < out.len() {
            let length = word(&out, at + 4) as usize;
            assert_eq!(word(&out, at + length - 4) as usize, length);
            kinds.push((word(&out, at), at));
            at += length;
        }
        assert_eq!(at, out.len());
        let [(SECTION_HEADER, _), (INTERFACE, _), (ENHANCED_PACKET, long), (ENHANCED_PACKET, short)] = kinds[..] else {
            panic!("{kinds:?}");
        };
        let fields = |at| -> Vec<u32> { (0..5).map(|place| word(&out, at + 8 + 4 * place)).collect() };
        assert_eq!(fields(long), [0, 1, 2, 81, 82]);
        assert_eq!(fields(short), [0, 0, 7, 29, 29]);
        let behind = long + 28 + 84;
        assert_eq!(out[behind..behind + 8], [1, 0, 4, 0, b'g', b'o', b'n', b'e']);
        assert_eq!(out[behind + 8..behind + 20], [2, 0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(out[short + 28 + 32..short + 28 + 40], [2, 0, 4, 0, 2, 0, 0, 0]);
    }
}
