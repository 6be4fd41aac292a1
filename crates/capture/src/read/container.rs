//! Extracts records from their container: pcap, pcapng and snoop.
//!
//! pcap: draft-ietf-opsawg-pcap, sections 4 and 5, the variant with longer records that libpcap also reads (Kuznetzov), and
//! the files of versions before 2.4, whose records have the two lengths in the other order. pcapng:
//! draft-ietf-opsawg-pcapng, section 4. snoop: RFC 1761. Reading ends at the first damaged record or block, because lengths
//! cannot be trusted after it.
//!
//! This file parses the framing itself. The crate `pcap-parser` does not support clocks with a power-of-two resolution
//! (its `build_ts_resolution` rejects them), and it treats an invalid length as a truncated file, so that the offset of
//! the damage is lost.

use std::io::{self, Read};

use super::interfaces::{Interface, Interfaces};
use super::source::Source;
use super::unpack::Packing;
use super::{Stop, foreign};

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
    Snoop,
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
    /// Whether the header has been read.
    is_open: bool,
    /// Whether nobody waits for more: a packet that the input has only begun is not damage.
    is_finished: bool,
    /// The block that is being skipped.
    passing: Option<Passing>,
}

/// A block that is not needed.
struct Passing {
    offset: u64,
    length: u32,
    /// Bytes until its last four.
    left: u64,
}

const SECTION: u32 = 0x0a0d_0d0a;
/// The first four bytes of a snoop file, which is big-endian.
const SNOOP: u32 = u32::from_le_bytes(*b"snoo");
const SNOOP_HEADER: usize = 24;

impl Container {
    /// Reads the file header.
    pub(super) fn new(input: impl Read + Send + 'static) -> Result<Self, Stop> {
        let problem = |error: io::Error| Stop { problem: error.to_string(), ..Stop::default() };
        let mut container = Self::over(Source::new(input).map_err(problem)?);
        container.open()?;
        Ok(container)
    }

    /// Waits with the file header until it has come.
    pub(super) fn live(input: impl Read + Send + 'static) -> Self {
        Self::over(Source::live(input))
    }

    fn over(source: Source) -> Self {
        Self {
            source,
            layout: Layout::Pcapng,
            big: false,
            interfaces: Interfaces::default(),
            last: 0,
            is_open: false,
            is_finished: false,
            passing: None,
        }
    }

    /// Reads the file header.
    fn open(&mut self) -> Result<(), Stop> {
        self.big = false;
        let there = self.fill(4)?;
        if there == 0 {
            return Err(self.stop("the file is empty".to_owned()));
        }
        if there < 4 {
            return Err(self.stop(format!("the file ends after {there} bytes")));
        }
        let magic = self.u32(0);
        let (header, nanoseconds, big) = match magic {
            SECTION => {
                self.is_open = true;
                return Ok(());
            }
            0xa1b2_c3d4 => (16, 1_000, false),
            0xd4c3_b2a1 => (16, 1_000, true),
            0xa1b2_3c4d => (16, 1, false),
            0x4d3c_b2a1 => (16, 1, true),
            0xa1b2_cd34 => (24, 1_000, false),
            0x34cd_b2a1 => (24, 1_000, true),
            SNOOP => return self.begin_snoop(),
            _ => {
                self.fill(64)?;
                return Err(self.stop(foreign::problem(self.source.window())));
            }
        };
        self.big = big;
        self.need(24, "the file header")?;
        // The order changed with version 2.3, but not in all programs (libpcap, `sf-pcap.c`).
        let order = match (self.u16(4), self.u16(6)) {
            (..=1, _) | (2, ..=2) => Order::WireFirst,
            (2, 3) => Order::Either,
            _ => Order::CapturedFirst,
        };
        self.layout = Layout::Pcap { header, nanoseconds, order };
        // The upper bits of the link type describe frame check sequences.
        let link = self.u32(20) as u16;
        self.interfaces.add(Interface::plain(link));
        self.source.advance(24);
        self.is_open = true;
        Ok(())
    }

    /// Bytes read from the file, before decompression.
    pub(super) fn taken(&self) -> u64 {
        self.source.taken()
    }

    /// Name of the file format, and how the file is compressed.
    pub(super) fn format(&self) -> (&'static str, Packing) {
        let name = match self.layout {
            Layout::Pcap { .. } => "pcap",
            Layout::Pcapng => "pcapng",
            Layout::Snoop => "snoop",
        };
        (name, self.source.packing())
    }

    /// Whether reading failed only because the input has nothing yet.
    pub(super) fn is_waiting(&self) -> bool {
        self.source.is_waiting()
    }

    /// The input will not continue.
    pub(super) fn finish(&mut self) {
        self.is_finished = true;
    }

    /// The capture interfaces.
    pub(super) fn interfaces(&self) -> &Interfaces {
        &self.interfaces
    }

    /// Takes the capture interfaces, at the end of the file.
    pub(super) fn take_interfaces(&mut self) -> Interfaces {
        std::mem::take(&mut self.interfaces)
    }

    /// Advances to the next packet; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Record>, Stop> {
        self.source.advance(std::mem::take(&mut self.last));
        if !self.is_open {
            self.open()?;
        }
        let record = match self.layout {
            Layout::Pcap { header, nanoseconds, order } => self.next_record(header, nanoseconds, order),
            Layout::Pcapng => self.next_block(),
            Layout::Snoop => self.next_snoop(),
        };
        match record {
            Err(_) if self.is_finished && self.source.has_ended() => Ok(None),
            Ok(record) => {
                self.last = record.map_or(0, |record| record.length);
                Ok(record)
            }
            stopped => stopped,
        }
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

    /// Reads the header of a snoop file (RFC 1761, section 3).
    fn begin_snoop(&mut self) -> Result<(), Stop> {
        (self.layout, self.big) = (Layout::Snoop, true);
        self.need(16, "the file header")?;
        let (name, version, datalink) = (self.u32(4), self.u32(8), self.u32(12));
        if name != u32::from_be_bytes(*b"p\0\0\0") || version != 2 {
            return Err(self.stop(format!("a snoop file of version {version}: only version 2 is read")));
        }
        let link = match datalink {
            0 | 4 => 1,
            8 => 10,
            _ => return Err(self.stop(format!("snoop's datalink type {datalink} is not read: only 0, 4 and 8 are"))),
        };
        self.interfaces.add(Interface::plain(link));
        self.source.advance(16);
        self.is_open = true;
        Ok(())
    }

    /// A record of a snoop file (RFC 1761, section 4), which states the packets dropped before it.
    fn next_snoop(&mut self) -> Result<Option<Record>, Stop> {
        if self.fill(1)? == 0 {
            return Ok(None);
        }
        self.need(SNOOP_HEADER, "a record header")?;
        let (wire, captured, length) = (self.u32(0), self.u32(4), self.u32(8) as usize);
        self.check_captured(captured)?;
        if length < SNOOP_HEADER + captured as usize || length > MOST_BLOCK as usize {
            return Err(self.stop(format!("invalid record length {length} of {captured} captured bytes")));
        }
        self.need(length, "a packet")?;
        self.interfaces.drops(self.u32(12));
        let time = Some(i64::from(self.u32(16)) * 1_000_000_000 + i64::from(self.u32(20)) * 1_000);
        let link = self.interfaces.first_link();
        Ok(Some(Record { time, wire, at: SNOOP_HEADER, captured, interface: 0, link, length }))
    }

    fn next_block(&mut self) -> Result<Option<Record>, Stop> {
        loop {
            self.pass_over()?;
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
                self.passing = Some(Passing { offset: self.source.offset(), length, left: u64::from(length) - 4 });
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

    /// Skips the block that is not needed, if there is one; it may be larger than the maximum buffer.
    fn pass_over(&mut self) -> Result<(), Stop> {
        let Some(Passing { offset, length, left }) = &mut self.passing else { return Ok(()) };
        let (offset, length) = (*offset, *length);
        let skipped = self.source.skip(left);
        let skipped = skipped.map_err(|error| self.failed(&error))?;
        if !skipped || self.fill(4)? < 4 {
            return Err(Stop { offset, problem: format!("the file ends within a block of {length} bytes"), file: 0 });
        }
        if self.u32(0) != length {
            return Err(Stop { offset, problem: mismatch(length as usize), file: 0 });
        }
        self.source.advance(4);
        self.passing = None;
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

    fn failed(&self, error: &io::Error) -> Stop {
        self.stop(match self.source.packing().name() {
            Some(name) => format!("the {name} data cannot be decompressed: {error}"),
            None => format!("the file cannot be read: {error}"),
        })
    }

    fn stop(&self, problem: String) -> Stop {
        Stop { file: 0, offset: self.source.offset(), problem }
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
