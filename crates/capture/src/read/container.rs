//! Extracts records from their container: pcap and pcapng.
//!
//! pcap: draft-ietf-opsawg-pcap, sections 4 and 5, the variant with longer records that libpcap also reads (Kuznetzov), and
//! the files of versions before 2.4, whose records have the two lengths in the other order. pcapng: draft-ietf-opsawg-pcapng, section 4. Reading ends at the first damaged record or block, because
//! lengths cannot be trusted after it.
//!
//! This file parses the framing itself. The crate `pcap-parser` does not support clocks with a power-of-two resolution
//! (its `build_ts_resolution` rejects them), and it treats an invalid length as a truncated file, so that the offset of
//! the damage is lost.

use std::io::Read;

use super::Stop;
use super::interfaces::{Interface, Interfaces};
use super::source::Source;

/// Maximum captured bytes per packet: libpcap's own `MAXIMUM_SNAPLEN`.
const MOST_CAPTURED: u32 = 262_144;
/// Maximum size of a pcapng block that must be buffered: the same as Wireshark's (`MAX_BLOCK_SIZE`).
const MOST_BLOCK: u32 = 16 << 20;

/// Properties of a packet known from its container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Nanoseconds since 1970; `None` if the container stores no time.
    pub(super) time: Option<i64>,
    /// Size as sent, in bytes.
    pub(super) wire: u32,
    /// Offset of the captured bytes in the window (`at`), and their number (`captured`).
    at: usize,
    pub(super) captured: u32,
    /// Index of the interface in the file.
    pub(super) interface: u32,
    /// Link type of the interface (`LINKTYPE_`, tcpdump.org).
    pub(super) link: u16,
    /// Size of the record in the file, in bytes.
    length: usize,
}

/// File format.
#[derive(Clone, Copy, Debug)]
enum Layout {
    Pcap { header: usize, nanoseconds: i64, order: Order },
    Pcapng,
}

/// Which length of a record comes first.
#[derive(Clone, Copy, Debug)]
enum Order {
    CapturedFirst,
    WireFirst,
    /// Programs disagreed: the captured length is the smaller one.
    Either,
}

/// A file of records.
pub(super) struct Container {
    source: Source,
    layout: Layout,
    big: bool,
    interfaces: Interfaces,
    /// Size of the last record returned, in bytes.
    last: usize,
}

const SECTION: u32 = 0x0a0d_0d0a;

impl Container {
    /// Reads the file header.
    pub(super) fn new(input: impl Read + Send + 'static) -> Result<Self, Stop> {
        let at = |problem: &str| Stop { offset: 0, problem: problem.to_owned() };
        let source = Source::new(input).map_err(|error| at(&error.to_string()))?;
        let mut container =
            Self { source, layout: Layout::Pcapng, big: false, interfaces: Interfaces::default(), last: 0 };
        let there = container.fill(4)?;
        if there == 0 {
            return Err(at("the file is empty"));
        }
        if there < 4 {
            return Err(at(&format!("the file ends after {there} bytes")));
        }
        let magic = container.u32(0);
        let (header, nanoseconds, big) = match magic {
            SECTION => return Ok(container),
            0xa1b2_c3d4 => (16, 1_000, false),
            0xd4c3_b2a1 => (16, 1_000, true),
            0xa1b2_3c4d => (16, 1, false),
            0x4d3c_b2a1 => (16, 1, true),
            0xa1b2_cd34 => (24, 1_000, false),
            0x34cd_b2a1 => (24, 1_000, true),
            _ => {
                let bytes = magic.to_le_bytes();
                return Err(at(&format!(
                    "not a capture (pcap or pcapng): its first bytes are {:02x} {:02x} {:02x} {:02x}",
                    bytes[0], bytes[1], bytes[2], bytes[3]
                )));
            }
        };
        container.big = big;
        container.need(24, "the file header")?;
        // The order changed with version 2.3, but not in all programs (libpcap, `sf-pcap.c`).
        let order = match (container.u16(4), container.u16(6)) {
            (..=1, _) | (2, ..=2) => Order::WireFirst,
            (2, 3) => Order::Either,
            _ => Order::CapturedFirst,
        };
        container.layout = Layout::Pcap { header, nanoseconds, order };
        // The upper bits of the link type describe frame check sequences.
        let link = container.u32(20) as u16;
        container.interfaces.add(Interface::plain(link));
        container.source.advance(24);
        Ok(container)
    }

    /// Bytes read from the file, before decompression.
    pub(super) fn taken(&self) -> u64 {
        self.source.taken()
    }

    /// Whether the file is compressed with gzip.
    pub(super) fn zipped(&self) -> bool {
        self.source.zipped()
    }

    /// Name of the file format.
    pub(super) fn format(&self) -> &'static str {
        match self.layout {
            Layout::Pcap { .. } => "pcap",
            Layout::Pcapng => "pcapng",
        }
    }

    /// The capture interfaces.
    pub(super) fn interfaces(&self) -> &Interfaces {
        &self.interfaces
    }

    /// Advances to the next packet; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Record>, Stop> {
        self.source.advance(std::mem::take(&mut self.last));
        let record = match self.layout {
            Layout::Pcap { header, nanoseconds, order } => self.next_record(header, nanoseconds, order),
            Layout::Pcapng => self.next_block(),
        }?;
        self.last = record.map_or(0, |record| record.length);
        Ok(record)
    }

    /// The captured bytes of the last record returned.
    #[inline]
    pub(super) fn bytes(&self, record: &Record) -> &[u8] {
        &self.source.window()[record.at..record.at + record.captured as usize]
    }

    #[inline]
    fn next_record(&mut self, header: usize, nanoseconds: i64, order: Order) -> Result<Option<Record>, Stop> {
        if self.fill(1)? == 0 {
            return Ok(None);
        }
        self.need(header, "a record header")?;
        let (seconds, fraction) = (self.u32(0), self.u32(4));
        let (first, second) = (self.u32(8), self.u32(12));
        let is_swapped = match order {
            Order::CapturedFirst => false,
            Order::WireFirst => true,
            Order::Either => first > second,
        };
        let (captured, wire) = if is_swapped { (second, first) } else { (first, second) };
        self.check_captured(captured)?;
        let length = header + captured as usize;
        self.need(length, "a packet")?;
        let time = Some(i64::from(seconds) * 1_000_000_000 + i64::from(fraction) * nanoseconds);
        let link = self.interfaces.first_link();
        Ok(Some(Record { time, wire, at: header, captured, interface: 0, link, length }))
    }

    fn next_block(&mut self) -> Result<Option<Record>, Stop> {
        loop {
            if self.fill(1)? == 0 {
                return Ok(None);
            }
            self.need(12, "a block header")?;
            // The section's first word is the same in both byte orders; its third word identifies the byte order.
            if self.u32(0) == SECTION {
                self.begin_section()?;
            }
            let (kind, length) = (self.u32(0), self.u32(4));
            if length < 12 || !length.is_multiple_of(4) {
                return Err(self.stop(format!("invalid block length {length}")));
            }
            let held = matches!(kind, SECTION | 1 | 2 | 3 | 5 | 6);
            if !held {
                self.pass_over(length)?;
                continue;
            }
            if length > MOST_BLOCK {
                return Err(self.stop(format!("invalid block length {length}: the maximum is {MOST_BLOCK}")));
            }
            let length = length as usize;
            self.need(length, "a block")?;
            if self.u32(length - 4) as usize != length {
                return Err(self.stop(mismatch(length)));
            }
            let record = match kind {
                1 => {
                    self.interface(length)?;
                    None
                }
                2 | 6 => Some(self.packet(kind, length)?),
                3 => Some(self.simple_packet(length)?),
                5 => {
                    self.interfaces.count(&self.source.window()[..length], self.big);
                    None
                }
                _ => None,
            };
            if record.is_some() {
                return Ok(record);
            }
            self.source.advance(length);
        }
    }

    /// Skips a block that is not needed; it may be larger than the maximum buffer.
    fn pass_over(&mut self, length: u32) -> Result<(), Stop> {
        let offset = self.source.offset();
        let skipped = self.source.skip(u64::from(length) - 4).map_err(|error| self.failed(&error))?;
        if !skipped || self.fill(4)? < 4 {
            return Err(Stop { offset, problem: format!("the file ends within a block of {length} bytes") });
        }
        if self.u32(0) != length {
            return Err(Stop { offset, problem: mismatch(length as usize) });
        }
        self.source.advance(4);
        Ok(())
    }

    /// A section header block (4.1): sets the byte order and restarts interface numbering.
    fn begin_section(&mut self) -> Result<(), Stop> {
        self.big = false;
        self.big = match self.u32(8) {
            0x1a2b_3c4d => false,
            0x4d3c_2b1a => true,
            other => return Err(self.stop(format!("invalid byte-order magic 0x{other:08x} in a section header"))),
        };
        if self.u32(4) < 28 {
            return Err(self.stop(format!("invalid section header length {}", self.u32(4))));
        }
        self.interfaces.begin_section();
        Ok(())
    }

    /// An interface description block (4.2).
    fn interface(&mut self, length: usize) -> Result<(), Stop> {
        if length < 20 {
            return Err(self.stop(format!("invalid interface description length {length}")));
        }
        let block = &self.source.window()[..length];
        let interface = Interface::described(block, self.big);
        if !self.interfaces.add(interface) {
            return Err(self.stop("there are more than 65536 interfaces".to_owned()));
        }
        Ok(())
    }

    /// An enhanced packet block (4.3), or its predecessor, the packet block (appendix A).
    fn packet(&self, kind: u32, length: usize) -> Result<Record, Stop> {
        if length < 32 {
            return Err(self.stop(format!("invalid packet block length {length}")));
        }
        let id = if kind == 6 { self.u32(8) } else { u32::from(self.u16(8)) };
        let (captured, wire) = (self.u32(20), self.u32(24));
        self.check_captured(captured)?;
        if captured as usize > length - 32 {
            return Err(self.stop(format!("invalid number of captured bytes {captured} in a block of {length} bytes")));
        }
        let Some((interface, described)) = self.interfaces.get(id) else {
            return Err(self.stop(format!("a packet refers to interface {id}, which is not described")));
        };
        let ticks = u64::from(self.u32(12)) << 32 | u64::from(self.u32(16));
        let time = Some(described.time(ticks));
        Ok(Record { time, wire, at: 28, captured, interface, link: described.link, length })
    }

    /// A simple packet block (4.4): from the first interface, without a time.
    fn simple_packet(&self, length: usize) -> Result<Record, Stop> {
        if length < 16 {
            return Err(self.stop(format!("invalid packet block length {length}")));
        }
        let Some((interface, described)) = self.interfaces.get(0) else {
            return Err(self.stop("a packet refers to interface 0, which is not described".to_owned()));
        };
        let wire = self.u32(8);
        let limit = if described.snap == 0 { u32::MAX } else { described.snap };
        let captured = wire.min(limit).min(length as u32 - 16);
        self.check_captured(captured)?;
        Ok(Record { time: None, wire, at: 12, captured, interface, link: described.link, length })
    }

    fn check_captured(&self, captured: u32) -> Result<(), Stop> {
        if captured > MOST_CAPTURED {
            return Err(
                self.stop(format!("invalid number of captured bytes {captured}: the maximum is {MOST_CAPTURED}"))
            );
        }
        Ok(())
    }

    fn fill(&mut self, count: usize) -> Result<usize, Stop> {
        self.source.fill(count).map_err(|error| self.failed(&error))
    }

    /// Fills the window with `count` bytes; fails if the file ends before that.
    #[inline]
    fn need(&mut self, count: usize, what: &str) -> Result<(), Stop> {
        let there = self.fill(count)?;
        if there < count {
            return Err(self.stop(format!("the file ends within {what}: {there} of {count} bytes")));
        }
        Ok(())
    }

    fn failed(&self, error: &std::io::Error) -> Stop {
        let what =
            if self.source.zipped() { "the gzip data cannot be decompressed" } else { "the file cannot be read" };
        self.stop(format!("{what}: {error}"))
    }

    fn stop(&self, problem: String) -> Stop {
        Stop { offset: self.source.offset(), problem }
    }

    #[inline]
    fn u16(&self, at: usize) -> u16 {
        let bytes = self.source.window();
        let bytes = [bytes[at], bytes[at + 1]];
        if self.big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }

    #[inline]
    fn u32(&self, at: usize) -> u32 {
        let bytes: [u8; 4] = self.source.window()[at..at + 4].try_into().expect("four bytes");
        if self.big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }
}

fn mismatch(length: usize) -> String {
    format!("the block lengths differ: {length} at the start, another at the end")
}
