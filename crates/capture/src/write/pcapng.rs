//! The blocks of pcapng (IETF draft-ietf-opsawg-pcapng, sections 4.1 to 4.3), little-endian.

use std::io::{self, Write};

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// The section's length, where it is not told.
const UNKNOWN_LENGTH: u64 = u64::MAX;
/// Packets begin with an IP header.
const LINKTYPE_RAW: u16 = 101;

const OPT_END: u16 = 0;
const OPT_COMMENT: u16 = 1;
const SHB_USER_APPLICATION: u16 = 4;
const IF_NAME: u16 = 2;
const IF_DESCRIPTION: u16 = 3;
const IF_TIME_RESOLUTION: u16 = 9;

/// Times are in units of 10 to the minus 9 s.
const NANOSECONDS: u8 = 9;

/// The longest value that an option can have, in whole words.
const LONGEST_OPTION: usize = 65_532;

/// A file under way.
#[derive(Debug)]
pub(super) struct Pcapng<W> {
    out: W,
    /// Most bytes of a packet that each interface keeps.
    snap_lengths: Vec<u32>,
    /// The block that is being made.
    block: Vec<u8>,
}

impl<W: Write> Pcapng<W> {
    pub(super) fn begin(out: W, application: &str, comment: &str) -> io::Result<Self> {
        let mut file = Self { out, snap_lengths: Vec::new(), block: Vec::new() };
        file.start(SECTION_HEADER);
        file.put(&BYTE_ORDER.to_le_bytes());
        file.put(&1_u16.to_le_bytes());
        file.put(&0_u16.to_le_bytes());
        file.put(&UNKNOWN_LENGTH.to_le_bytes());
        file.option(OPT_COMMENT, comment.as_bytes());
        file.option(SHB_USER_APPLICATION, application.as_bytes());
        file.option(OPT_END, &[]);
        file.finish()?;
        Ok(file)
    }

    /// Tells of an interface; they are numbered in this order.
    pub(super) fn interface(&mut self, name: &str, description: &str, snap_length: u32) -> io::Result<()> {
        self.snap_lengths.push(snap_length);
        self.start(INTERFACE);
        self.put(&LINKTYPE_RAW.to_le_bytes());
        self.put(&[0, 0]);
        self.put(&snap_length.to_le_bytes());
        self.option(IF_NAME, name.as_bytes());
        self.option(IF_DESCRIPTION, description.as_bytes());
        self.option(IF_TIME_RESOLUTION, &[NANOSECONDS]);
        self.option(OPT_END, &[]);
        self.finish()
    }

    /// Adds a packet: its headers, behind which there are zeros up to `total` bytes.
    pub(super) fn packet(
        &mut self,
        interface: u32,
        nanos: u64,
        headers: &[u8],
        total: u32,
        comment: Option<&str>,
    ) -> io::Result<()> {
        let kept = total.min(self.snap_lengths[interface as usize]);
        self.start(ENHANCED_PACKET);
        self.put(&interface.to_le_bytes());
        self.put(&((nanos >> 32) as u32).to_le_bytes());
        self.put(&(nanos as u32).to_le_bytes());
        self.put(&kept.to_le_bytes());
        self.put(&total.to_le_bytes());
        let end = self.block.len() + kept as usize;
        self.put(&headers[..headers.len().min(kept as usize)]);
        self.block.resize(end, 0);
        self.pad();
        if let Some(comment) = comment {
            self.option(OPT_COMMENT, comment.as_bytes());
            self.option(OPT_END, &[]);
        }
        self.finish()
    }

    pub(super) fn end(mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Begins a block, whose length is not known yet.
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

    fn option(&mut self, code: u16, value: &[u8]) {
        let value = &value[..value.len().min(LONGEST_OPTION)];
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
    use super::*;

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
    }

    #[test]
    fn blocks_are_framed_by_their_lengths_and_packets_are_cut() {
        let mut out = Vec::new();
        let mut file = Pcapng::begin(&mut out, "a program", "what it is").expect("memory");
        file.interface("bottleneck", "in words", 3).expect("memory");
        file.packet(0, 0x1_0000_0002, &[1, 2], 5, Some("gone")).expect("memory");
        file.packet(0, 7, &[1, 2, 3, 4], 4, None).expect("memory");
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
        let fields: Vec<u32> = (0..5).map(|place| word(&out, long + 8 + 4 * place)).collect();
        assert_eq!(fields, [0, 1, 2, 3, 5]);
        assert_eq!(out[long + 28..long + 32], [1, 2, 0, 0]);
        assert_eq!(out[long + 32..long + 40], [1, 0, 4, 0, b'g', b'o', b'n', b'e']);
        assert_eq!(out[short + 28..short + 32], [1, 2, 3, 0]);
    }
}
