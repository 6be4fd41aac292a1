//! Records out of their container: pcap and pcapng.
//!
//! pcap: draft-ietf-opsawg-pcap, sections 4 and 5, and what libpcap takes beside it (Kuznetzov's longer records). pcapng:
//! draft-ietf-opsawg-pcapng, section 4. Damage ends the reading where it is found: lengths cannot be trusted after it.
//!
//! The framing is our own. The crate `pcap-parser` takes no clock of a power of two (its `build_ts_resolution` refuses each of
//! them), and a length that lies looks to it like a file that is cut off, so that the offset of the damage is lost.

use std::io::Read;

use super::Stop;
use super::interfaces::{Interface, Interfaces};
use super::source::Source;

/// Captured bytes of one packet, at most: libpcap's own `MAXIMUM_SNAPLEN`.
const MOST_CAPTURED: u32 = 262_144;
/// Bytes of a pcapng block that has to be held, at most: as Wireshark has it (`MAX_BLOCK_SIZE`).
const MOST_BLOCK: u32 = 16 << 20;

/// What is known of a packet before its bytes are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Nanoseconds since 1970; `None` where the container keeps none.
    pub(super) time: Option<i64>,
    /// Bytes as sent.
    pub(super) wire: u32,
    /// Where its captured bytes are in the window, and how many they are.
    at: usize,
    pub(super) captured: u32,
    /// Number among the file's interfaces.
    pub(super) interface: u32,
    /// Its link type (`LINKTYPE_`, tcpdump.org).
    pub(super) link: u16,
    /// Bytes to move on by.
    length: usize,
}

/// How the file is laid out.
#[derive(Clone, Copy, Debug)]
enum Layout {
    Pcap { header: usize, nanoseconds: i64 },
    Pcapng,
}

/// A file of records.
pub(super) struct Container {
    source: Source,
    layout: Layout,
    big: bool,
    interfaces: Interfaces,
    /// Bytes of the record given last.
    last: usize,
}

const SECTION: u32 = 0x0a0d_0d0a;

impl Container {
    /// Reads the head of a file.
    pub(super) fn new(input: impl Read + Send + 'static) -> Result<Self, Stop> {
        let at = |problem: &str| Stop { offset: 0, problem: problem.to_owned() };
        let source = Source::new(input).map_err(|error| at(&error.to_string()))?;
        let mut container =
            Self { source, layout: Layout::Pcapng, big: false, interfaces: Interfaces::default(), last: 0 };
        let there = container.fill(4)?;
        if there == 0 {
            return Err(at("it is empty"));
        }
        if there < 4 {
            return Err(at(&format!("it ends after {there} bytes")));
        }
        let magic = container.u32(0);
        (container.layout, container.big) = match magic {
            SECTION => return Ok(container),
            0xa1b2_c3d4 => (Layout::Pcap { header: 16, nanoseconds: 1_000 }, false),
            0xd4c3_b2a1 => (Layout::Pcap { header: 16, nanoseconds: 1_000 }, true),
            0xa1b2_3c4d => (Layout::Pcap { header: 16, nanoseconds: 1 }, false),
            0x4d3c_b2a1 => (Layout::Pcap { header: 16, nanoseconds: 1 }, true),
            0xa1b2_cd34 => (Layout::Pcap { header: 24, nanoseconds: 1_000 }, false),
            0x34cd_b2a1 => (Layout::Pcap { header: 24, nanoseconds: 1_000 }, true),
            _ => {
                let bytes = magic.to_le_bytes();
                return Err(at(&format!(
                    "its first bytes, {:02x} {:02x} {:02x} {:02x}, are those of no capture",
                    bytes[0], bytes[1], bytes[2], bytes[3]
                )));
            }
        };
        container.need(24, "the head of the file")?;
        // The upper bits tell of frame check sequences.
        let link = container.u32(20) as u16;
        container.interfaces.add(Interface::plain(link));
        container.source.advance(24);
        Ok(container)
    }

    /// Bytes taken from the file, before gzip is undone.
    pub(super) fn taken(&self) -> u64 {
        self.source.taken()
    }

    /// Whether the file is gzip's.
    pub(super) fn zipped(&self) -> bool {
        self.source.zipped()
    }

    /// What the file calls itself.
    pub(super) fn format(&self) -> &'static str {
        match self.layout {
            Layout::Pcap { .. } => "pcap",
            Layout::Pcapng => "pcapng",
        }
    }

    /// What was captured at.
    pub(super) fn interfaces(&self) -> &Interfaces {
        &self.interfaces
    }

    /// Goes on to the next packet; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Record>, Stop> {
        self.source.advance(std::mem::take(&mut self.last));
        let record = match self.layout {
            Layout::Pcap { header, nanoseconds } => self.next_record(header, nanoseconds),
            Layout::Pcapng => self.next_block(),
        }?;
        self.last = record.map_or(0, |record| record.length);
        Ok(record)
    }

    /// The captured bytes of the record given last.
    #[inline]
    pub(super) fn bytes(&self, record: &Record) -> &[u8] {
        &self.source.window()[record.at..record.at + record.captured as usize]
    }

    #[inline]
    fn next_record(&mut self, header: usize, nanoseconds: i64) -> Result<Option<Record>, Stop> {
        if self.fill(1)? == 0 {
            return Ok(None);
        }
        self.need(header, "the head of a record")?;
        let (seconds, fraction) = (self.u32(0), self.u32(4));
        let (captured, wire) = (self.u32(8), self.u32(12));
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
            self.need(12, "the head of a block")?;
            // The section's first word reads the same in both orders of bytes; its third tells which one it is.
            if self.u32(0) == SECTION {
                self.begin_section()?;
            }
            let (kind, length) = (self.u32(0), self.u32(4));
            if length < 12 || !length.is_multiple_of(4) {
                return Err(self.stop(format!("a block says that it has {length} bytes")));
            }
            let held = matches!(kind, SECTION | 1 | 2 | 3 | 6);
            if !held {
                self.pass_over(length)?;
                continue;
            }
            if length > MOST_BLOCK {
                return Err(self.stop(format!(
                    "a block says that it has {length} bytes; the most that makes sense is {MOST_BLOCK}"
                )));
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
                _ => None,
            };
            if record.is_some() {
                return Ok(record);
            }
            self.source.advance(length);
        }
    }

    /// Moves on over a block that nobody looks at, which may be longer than what is ever held.
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

    /// A section header block (4.1): order of bytes, and interfaces counted anew.
    fn begin_section(&mut self) -> Result<(), Stop> {
        self.big = false;
        self.big = match self.u32(8) {
            0x1a2b_3c4d => false,
            0x4d3c_2b1a => true,
            other => return Err(self.stop(format!("a section's byte-order magic is 0x{other:08x}"))),
        };
        if self.u32(4) < 28 {
            return Err(self.stop(format!("a section header says that it has {} bytes", self.u32(4))));
        }
        self.interfaces.begin_section();
        Ok(())
    }

    /// An interface description block (4.2).
    fn interface(&mut self, length: usize) -> Result<(), Stop> {
        if length < 20 {
            return Err(self.stop(format!("an interface description says that it has {length} bytes")));
        }
        let block = &self.source.window()[..length];
        let interface = Interface::described(block, self.big);
        if !self.interfaces.add(interface) {
            return Err(self.stop("there are more than 65536 interfaces".to_owned()));
        }
        Ok(())
    }

    /// An enhanced packet block (4.3), or the packet block that it replaced (appendix A).
    fn packet(&self, kind: u32, length: usize) -> Result<Record, Stop> {
        if length < 32 {
            return Err(self.stop(format!("a packet block says that it has {length} bytes")));
        }
        let id = if kind == 6 { self.u32(8) } else { u32::from(self.u16(8)) };
        let (captured, wire) = (self.u32(20), self.u32(24));
        self.check_captured(captured)?;
        if captured as usize > length - 32 {
            return Err(self.stop(format!("a block of {length} bytes says that {captured} were captured")));
        }
        let Some((interface, described)) = self.interfaces.get(id) else {
            return Err(self.stop(format!("a packet came in by interface {id}, which is not described")));
        };
        let ticks = u64::from(self.u32(12)) << 32 | u64::from(self.u32(16));
        let time = Some(described.time(ticks));
        Ok(Record { time, wire, at: 28, captured, interface, link: described.link, length })
    }

    /// A simple packet block (4.4): of the first interface, without a time.
    fn simple_packet(&self, length: usize) -> Result<Record, Stop> {
        if length < 16 {
            return Err(self.stop(format!("a packet block says that it has {length} bytes")));
        }
        let Some((interface, described)) = self.interfaces.get(0) else {
            return Err(self.stop("a packet came in by interface 0, which is not described".to_owned()));
        };
        let wire = self.u32(8);
        let limit = if described.snap == 0 { u32::MAX } else { described.snap };
        let captured = wire.min(limit).min(length as u32 - 16);
        self.check_captured(captured)?;
        Ok(Record { time: None, wire, at: 12, captured, interface, link: described.link, length })
    }

    fn check_captured(&self, captured: u32) -> Result<(), Stop> {
        if captured > MOST_CAPTURED {
            return Err(self.stop(format!(
                "a packet says that {captured} of its bytes were captured; the most that makes sense is {MOST_CAPTURED}"
            )));
        }
        Ok(())
    }

    fn fill(&mut self, count: usize) -> Result<usize, Stop> {
        self.source.fill(count).map_err(|error| self.failed(&error))
    }

    /// Fills the window with so many bytes, or says that the file ends before.
    #[inline]
    fn need(&mut self, count: usize, what: &str) -> Result<(), Stop> {
        let there = self.fill(count)?;
        if there < count {
            return Err(self.stop(format!("the file ends {there} bytes into {what} of {count}")));
        }
        Ok(())
    }

    fn failed(&self, error: &std::io::Error) -> Stop {
        let what = if self.source.zipped() { "gzip's data cannot be read on" } else { "it cannot be read on" };
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
    format!("a block says that it has {length} bytes at its start, not at its end")
}
