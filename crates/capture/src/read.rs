//! Reading a capture in one pass.
//!
//! ```
//! use ackclock_capture::read::Capture;
//!
//! let head = [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0];
//! let record = [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 40, 0, 0, 0, 0x45];
//! let mut capture = Capture::new(std::io::Cursor::new([&head[..], &record].concat()), 10_000_000)?;
//! while capture.read(1000).is_some() {}
//! assert_eq!((capture.packets(), capture.bytes()), (1, 40));
//! # Ok::<(), ackclock_capture::read::Stop>(())
//! ```

mod arrivals;
mod container;
mod flows;
mod interfaces;
mod link;
mod mix;
mod network;
mod rows;
mod source;

use std::fmt;
use std::io::Read;

use thiserror::Error;

use arrivals::Arrivals;
use container::{Container, Record};
use flows::Flows;
use link::Carried;
use mix::Mix;
use network::Ip;
use rows::Protocol;

pub use flows::{Flow, Way};
pub use mix::{Count, Layer};
pub use rows::{NONE, Rows};

/// Where and why a file cannot be read on.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("at byte {offset}: {problem}")]
pub struct Stop {
    /// Bytes from the start; of what gzip holds, where the file is that.
    pub offset: u64,
    /// What is wrong there.
    pub problem: String,
}

/// What cannot be seen from counts, but has to be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Packets earlier than the one before.
    pub backwards: u64,
    /// Packets whose container keeps no time: they have that of the one before.
    pub timeless: u64,
    /// Packets captured in part.
    pub cut: u64,
    /// Packets of IP whose header is damaged or not in the capture.
    pub headless: u64,
    /// Parts of packets.
    pub fragments: u64,
    /// Conversations that were forgotten while the capture went on, and are told as two if they went on as well.
    pub forgotten: u64,
    /// Packets earlier than the first: in no bin.
    pub before: u64,
}

/// A capture: what was read of it so far.
pub struct Capture {
    container: Container,
    mix: Mix,
    flows: Flows,
    arrivals: Arrivals,
    all: Count,
    captured: u64,
    span: Option<(i64, i64)>,
    last: i64,
    odd: Oddities,
    keeping: bool,
    batches: u64,
    stopped: Option<Stop>,
    ended: bool,
}

impl fmt::Debug for Capture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Capture")
            .field("all", &self.all)
            .field("stopped", &self.stopped)
            .finish_non_exhaustive()
    }
}

impl Capture {
    /// Opens a file that holds pcap or pcapng, as it is or in gzip; arrivals are counted in bins of so many nanoseconds.
    ///
    /// # Errors
    ///
    /// It is no capture.
    pub fn new(input: impl Read + Send + 'static, bin: u64) -> Result<Self, Stop> {
        Ok(Self {
            container: Container::new(input)?,
            mix: Mix::new(),
            flows: Flows::default(),
            arrivals: Arrivals::new(bin),
            all: Count::default(),
            captured: 0,
            span: None,
            last: 0,
            odd: Oddities::default(),
            keeping: false,
            batches: 0,
            stopped: None,
            ended: false,
        })
    }

    /// Keeps each packet as a row from now on; else rows stay empty.
    #[must_use]
    pub fn keeping_rows(mut self) -> Self {
        self.keeping = true;
        self
    }

    /// Reads on for up to so many packets: their rows, or `None` at the end, wherever that is.
    pub fn read(&mut self, most: usize) -> Option<Rows> {
        if self.ended {
            return None;
        }
        self.batches += 1;
        let mut rows = Rows { number: self.batches, ..Rows::default() };
        for _ in 0..most {
            match self.container.next() {
                Ok(Some(record)) => self.take(&record, &mut rows),
                Ok(None) => self.ended = true,
                Err(stop) => (self.stopped, self.ended) = (Some(stop), true),
            }
            if self.ended {
                self.flows.end();
                break;
            }
        }
        Some(rows)
    }

    #[inline]
    fn take(&mut self, record: &Record, rows: &mut Rows) {
        let time = record.time.unwrap_or(self.last);
        self.odd.timeless += u64::from(record.time.is_none());
        self.odd.backwards += u64::from(self.all.packets > 0 && time < self.last);
        self.odd.cut += u64::from(record.captured < record.wire);
        self.last = time;
        let (first, last) = self.span.unwrap_or((time, time));
        self.span = Some((first.min(time), last.max(time)));
        self.all.packets += 1;
        self.all.bytes += u64::from(record.wire);
        self.captured += u64::from(record.captured);
        self.arrivals.add(time, record.wire);

        let frame = link::open(record.link, self.container.bytes(record));
        let beyond = record.wire.saturating_sub(frame.before as u32);
        let ip = match frame.carried {
            Carried::Type(0x0800) => Some(network::version4(frame.payload, beyond)),
            Carried::Type(0x86dd) => Some(network::version6(frame.payload, beyond)),
            _ => None,
        };
        self.odd.headless += u64::from(ip == Some(None));
        let ip = ip.flatten();
        self.mix.add(record.link, &frame, ip.map(|ip| ip.protocol), record.wire);
        let network = match frame.carried {
            Carried::Type(kind) => Protocol::Type(kind),
            Carried::Llc => Protocol::Llc,
            Carried::Unknown => Protocol::Unknown,
        };
        let seen = ip.map(|ip| {
            self.odd.fragments += u64::from(ip.fragment);
            (ip, self.flows.add(&ip, time, record.wire))
        });
        if self.keeping {
            push(rows, record, time, network, seen);
        }
    }

    /// Packets so far.
    pub fn packets(&self) -> u64 {
        self.all.packets
    }

    /// Their bytes as sent.
    pub fn bytes(&self) -> u64 {
        self.all.bytes
    }

    /// Those of them that were captured.
    pub fn captured(&self) -> u64 {
        self.captured
    }

    /// When the first packet passed, in nanoseconds since 1970.
    pub fn start(&self) -> Option<i64> {
        self.arrivals.start()
    }

    /// The earliest and the latest time, in nanoseconds since 1970.
    pub fn span(&self) -> Option<(i64, i64)> {
        self.span
    }

    /// Where the reading had to end before the file does.
    pub fn stopped(&self) -> Option<&Stop> {
        self.stopped.as_ref()
    }

    /// What else has to be told.
    pub fn oddities(&self) -> Oddities {
        Oddities { forgotten: self.flows.forgotten, before: self.arrivals.before, ..self.odd }
    }

    /// Protocols by layer and name.
    pub fn protocols(&self) -> Vec<(Layer, String, Count)> {
        self.mix.rows()
    }

    /// Packets of IP, of either version.
    pub fn ip(&self) -> Count {
        self.mix.ip()
    }

    /// Conversations that can be told: those forgotten, and at the end all.
    pub fn flows(&mut self) -> Vec<Flow> {
        self.flows.take()
    }

    /// Nanoseconds in a bin; more than asked for, by a power of two, where there would be too many.
    pub fn bin(&self) -> u64 {
        self.arrivals.width()
    }

    /// Packets in each bin from the first packet on, and bytes.
    pub fn arrivals(&self) -> (&[u32], &[u64]) {
        (self.arrivals.packets(), self.arrivals.bytes())
    }

    /// `pcap` or `pcapng`, and whether it is in gzip.
    pub fn format(&self) -> (&'static str, bool) {
        (self.container.format(), self.container.zipped())
    }

    /// Name and link type of each interface, and how the latter is called if it is looked into.
    pub fn interfaces(&self) -> Vec<(String, u16, Option<&'static str>)> {
        self.container.interfaces().iter().map(|each| (each.name.clone(), each.link, link::name(each.link))).collect()
    }

    /// Bytes taken from the file: how far the reading is.
    pub fn taken(&self) -> u64 {
        self.container.taken()
    }
}

/// Adds a packet's row.
#[inline]
fn push(rows: &mut Rows, record: &Record, time: i64, network: Protocol, seen: Option<(Ip, flows::Seen<'_>)>) {
    rows.time.push(time);
    rows.interface.push(record.interface);
    rows.bytes.push(record.wire);
    rows.captured.push(record.captured);
    let network = rows.protocol(network);
    rows.network.push(network);
    let (mut transport, mut ends, mut ports, mut marks) = (NONE, [NONE; 2], None, (false, false));
    if let Some((ip, seen)) = seen {
        let [first, second] = rows.number(seen.flow).map(|number| number as i32);
        ends = if seen.way == 0 { [first, second] } else { [second, first] };
        transport = rows.protocol(Protocol::Transport(ip.protocol)) as i32;
        (ports, marks) = (ip.ports, (ip.fragment, seen.retransmission));
    }
    rows.transport.push(transport);
    rows.source.push(ends[0]);
    rows.destination.push(ends[1]);
    rows.source_port.push(ports.map_or(NONE, |(source, _)| i32::from(source)));
    rows.destination_port.push(ports.map_or(NONE, |(_, destination)| i32::from(destination)));
    rows.fragment.push(marks.0);
    rows.retransmission.push(marks.1);
}

/// The name of what IP carries, as rows and counts have it.
pub fn transport_name(number: u8) -> String {
    mix::protocol_name(number).map_or_else(|| format!("proto-{number}"), str::to_owned)
}
