//! Reads a capture in one pass.
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
mod copies;
mod course;
mod filter;
mod flows;
mod foreign;
mod histogram;
mod inputs;
mod interfaces;
mod link;
mod live;
mod mix;
mod network;
mod numbering;
mod options;
mod rows;
mod source;
mod stream;
mod tunnel;
mod unpack;

use std::fmt;
use std::io::Read;

use thiserror::Error;

use arrivals::Arrivals;
use container::{Container, Record};
use copies::Copies;
use flows::{Flows, Seen};
use inputs::{Inputs, Pause};
use link::Carried;
use mix::Mix;
use network::Ip;
use rows::Protocol;
use stream::Fate;

pub use course::Course;
pub use filter::{Filter, Refused};
pub use flows::{Flow, UNTIMED, Way};
pub use histogram::Histogram;
pub use inputs::Opener;
pub use mix::{Count, Layer};
pub use rows::{ABSENT, NONE, Rows, Segments};
pub use stream::Counts;
pub use unpack::Packing;

/// Where and why reading a file failed.
#[derive(Clone, Debug, Default, Error, PartialEq, Eq)]
#[error("at byte {offset}: {problem}")]
pub struct Stop {
    /// Place of the file among those read, from 0.
    pub file: usize,
    /// Offset in bytes from the start; for a compressed file, in the decompressed data.
    pub offset: u64,
    /// Description of the problem.
    pub problem: String,
}

/// Irregularities that must be reported because counts do not show them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Packets with an earlier time than the previous packet.
    pub backwards: u64,
    /// Packets whose container stores no time; they are in no bin, and give no round-trip times.
    pub timeless: u64,
    /// Truncated packets.
    pub cut: u64,
    /// Packets that the file states to be shorter than what it has of them; they count with the bytes captured.
    pub short: u64,
    /// IP packets whose header is damaged or not captured.
    pub headless: u64,
    /// TCP segments whose header is not captured.
    pub unread: u64,
    /// IP fragments.
    pub fragments: u64,
    /// Conversations dropped during reading to bound memory. A conversation that continues after it was dropped appears
    /// twice.
    pub forgotten: u64,
    /// Packets with a slightly earlier time than the first packet; they are in no bin.
    pub before: u64,
    /// Jumps of time by a second back, or by an hour or more.
    pub jumps: u64,
    /// Packets before or after such a jump; they are in no bin, and outside of the span.
    pub apart: u64,
    /// Packets captured twice.
    pub copies: u64,
    /// Those of them that were captured on two sides of a router.
    pub routed: u64,
    /// Packets that the interfaces dropped, as the file states.
    pub dropped: u64,
    /// Packets that the filter did not select; they count nowhere else.
    pub filtered: u64,
}

/// A capture and the results read from it so far.
pub struct Capture {
    inputs: Inputs,
    mix: Mix,
    flows: Flows,
    arrivals: Arrivals,
    all: Count,
    captured: u64,
    last: i64,
    odd: Oddities,
    copies: Copies,
    keeping: bool,
    opening: bool,
    filter: Option<Filter>,
    batches: u64,
    /// The batch that is being read, and its number of packets.
    rows: Rows,
    read: usize,
    stops: Vec<Stop>,
    finished: bool,
    /// Whether reading ends at the next pause.
    is_last: bool,
    ended: bool,
}

impl fmt::Debug for Capture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Capture").field("all", &self.all).field("stops", &self.stops).finish_non_exhaustive()
    }
}

impl Capture {
    /// Opens a pcap, pcapng or snoop file, which may be compressed with gzip, Zstandard or LZ4. Arrivals are counted in
    /// bins of `bin` nanoseconds.
    ///
    /// # Errors
    ///
    /// If the input is not a capture.
    pub fn new(input: impl Read + Send + 'static, bin: u64) -> Result<Self, Stop> {
        Ok(Self::over(Inputs::one(Container::new(input)?), bin))
    }

    /// Reads an input that may pause, such as a pipe. [`read`](Self::read) then returns an empty batch from time to time.
    pub fn live(input: impl Read + Send + 'static, bin: u64) -> Self {
        Self::over(Inputs::one(Container::live(input)), bin)
    }

    /// Reads several files, merged in order of time.
    ///
    /// # Errors
    ///
    /// If one of them is not a capture.
    pub fn of_files(files: Vec<Opener>, bin: u64) -> Result<Self, Stop> {
        Ok(Self::over(Inputs::several(files)?, bin))
    }

    fn over(inputs: Inputs, bin: u64) -> Self {
        Self {
            inputs,
            mix: Mix::new(),
            flows: Flows::default(),
            arrivals: Arrivals::new(bin),
            all: Count::default(),
            captured: 0,
            last: i64::MIN,
            odd: Oddities::default(),
            copies: Copies::new(),
            keeping: false,
            opening: false,
            filter: None,
            batches: 0,
            rows: Rows::default(),
            read: 0,
            stops: Vec::new(),
            finished: false,
            is_last: false,
            ended: false,
        }
    }

    /// Reads only the packets that an expression selects. The others are only counted ([`Oddities::filtered`]).
    #[must_use]
    pub fn selecting(mut self, filter: Filter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Makes [`read`](Self::read) return packets as rows; by default, its rows are empty.
    #[must_use]
    pub fn keeping_rows(mut self) -> Self {
        self.keeping = true;
        self
    }

    /// Opens tunnels: a tunnelled packet belongs to the conversation of the innermost packet, not to that of the tunnel.
    #[must_use]
    pub fn opening_tunnels(mut self) -> Self {
        self.opening = true;
        self
    }

    /// Reads up to `most` further packets. Returns their rows, or `None` at the end of all files. If an input that may
    /// pause has not ended, the batch may be empty, and its packets come with a later one.
    pub fn read(&mut self, most: usize) -> Option<Rows> {
        if self.ended {
            return None;
        }
        if self.read == 0 {
            self.batches += 1;
            self.rows.number = self.batches;
        }
        let mut rows = std::mem::take(&mut self.rows);
        while self.read < most && !self.ended {
            match self.inputs.next() {
                Ok(Some(record)) => {
                    self.read += 1;
                    self.take(&record, &mut rows);
                }
                Err(Pause::Stopped(stop)) => self.stops.push(stop),
                Err(Pause::Waiting) if !self.finished => {
                    self.rows = rows;
                    return Some(Rows::default());
                }
                Err(Pause::Waiting) if !self.is_last => self.is_last = true,
                Ok(None) | Err(Pause::Waiting) => self.end(),
            }
        }
        self.read = 0;
        Some(rows)
    }

    /// Reads no further than what an input that may pause has now: to the second pause, since the first one may be one in
    /// an input that never waits.
    pub fn finish(&mut self) {
        self.finished = true;
        self.inputs.finish();
    }

    /// Ends reading here.
    pub fn end(&mut self) {
        if !self.ended {
            self.ended = true;
            self.flows.end();
        }
    }

    #[inline]
    fn take(&mut self, record: &Record, rows: &mut Rows) {
        let Record { time, captured, link, .. } = *record;
        let wire = record.wire.max(captured);
        let frame = link::open(link, self.inputs.bytes(record));
        let beyond = wire.saturating_sub(frame.before as u32);
        let ip = match frame.carried {
            Carried::Type(0x0800) => Some(network::version4(frame.payload, beyond)),
            Carried::Type(0x86dd) => Some(network::version6(frame.payload, beyond)),
            _ => None,
        };
        if let Some(filter) = &self.filter {
            let is_arp = matches!(frame.carried, Carried::Type(0x0806));
            if !filter.selects(ip.as_ref().and_then(Option::as_ref), is_arp) {
                self.odd.filtered += 1;
                return;
            }
        }
        self.odd.cut += u64::from(captured < wire);
        self.odd.short += u64::from(record.wire < captured);
        self.all.packets += 1;
        self.all.bytes += u64::from(wire);
        self.captured += u64::from(captured);
        match time {
            Some(time) => {
                self.odd.backwards += u64::from(time < self.last);
                self.last = time;
                self.arrivals.add(time, wire);
            }
            None => self.odd.timeless += 1,
        }
        self.odd.headless += u64::from(ip == Some(None));
        let ip = ip.flatten();
        self.mix.add(link, &frame, ip.map(|ip| ip.protocol), wire);
        let network = match frame.carried {
            Carried::Type(kind) => Protocol::Type(kind),
            Carried::Llc => Protocol::Llc,
            Carried::Unknown => Protocol::Unknown,
        };
        let ip = if self.opening { ip.map(tunnel::innermost) } else { ip };
        let seen = ip.map(|ip| {
            self.odd.fragments += u64::from(ip.fragment);
            self.odd.unread += u64::from(ip.is_unread());
            let is_copy = time.is_some_and(|time| self.copies.has(&ip, time));
            (ip, self.flows.add(&ip, time, wire, is_copy), is_copy)
        });
        if self.keeping {
            push(rows, record, wire, network, seen);
        }
    }

    /// Packets read so far.
    pub fn packets(&self) -> u64 {
        self.all.packets
    }

    /// Total size of the packets read so far, as sent, in bytes.
    pub fn bytes(&self) -> u64 {
        self.all.bytes
    }

    /// Total number of captured bytes of the packets read so far.
    pub fn captured(&self) -> u64 {
        self.captured
    }

    /// Time of the first packet in nanoseconds since 1970. Where time jumps, this and the span are those of the longest
    /// series.
    pub fn start(&self) -> Option<i64> {
        self.arrivals.start()
    }

    /// The earliest and the latest time in nanoseconds since 1970.
    pub fn span(&self) -> Option<(i64, i64)> {
        self.arrivals.span()
    }

    /// The errors that ended reading before the end of a file, at most one for each file.
    pub fn stops(&self) -> &[Stop] {
        &self.stops
    }

    /// Irregularities found so far.
    pub fn oddities(&self) -> Oddities {
        Oddities {
            forgotten: self.flows.forgotten,
            before: self.arrivals.before(),
            jumps: self.arrivals.jumps,
            apart: self.arrivals.apart(),
            copies: self.copies.packets,
            routed: self.copies.routed,
            dropped: self.inputs.interfaces().map(|(_, each)| each.dropped).fold(0, u64::saturating_add),
            ..self.odd
        }
    }

    /// Numbers of packets and bytes per protocol, by layer and name.
    pub fn protocols(&self) -> Vec<(Layer, String, Count)> {
        self.mix.rows()
    }

    /// Number of IP packets of both versions, and their bytes.
    pub fn ip(&self) -> Count {
        self.mix.ip()
    }

    /// Number of conversations so far.
    pub fn conversations(&self) -> u64 {
        self.flows.conversations
    }

    /// Number of TCP connections so far: more than conversations of TCP if ports were used again.
    pub fn connections(&self) -> u32 {
        self.flows.connections
    }

    /// Takes the completed conversations, and connections of TCP: the ones dropped so far, and at the end of the file all others.
    pub fn flows(&mut self) -> Vec<Flow> {
        self.flows.take()
    }

    /// Bin width in nanoseconds: the requested width, doubled as often as needed to limit the number of bins.
    pub fn bin(&self) -> u64 {
        self.arrivals.width()
    }

    /// Packets and bytes in each bin, starting at the first packet.
    pub fn arrivals(&self) -> (&[u32], &[u64]) {
        (self.arrivals.packets(), self.arrivals.bytes())
    }

    /// Format of each file (`pcap`, `pcapng` or `snoop`), and how it is compressed.
    pub fn formats(&self) -> Vec<(&'static str, Packing)> {
        self.inputs.formats()
    }

    /// For each interface, the place of its file, its name and link type, and the name of the link type if it can be
    /// decoded.
    pub fn interfaces(&self) -> Vec<(usize, String, u16, Option<&'static str>)> {
        let row =
            |(file, each): (usize, &interfaces::Interface)| (file, each.name.clone(), each.link, link::name(each.link));
        self.inputs.interfaces().map(row).collect()
    }

    /// Bytes of the files read so far, for progress.
    pub fn taken(&self) -> u64 {
        self.inputs.taken()
    }
}

/// Adds a packet's row.
#[inline]
fn push(rows: &mut Rows, record: &Record, wire: u32, network: Protocol, seen: Option<(Ip<'_>, Seen<'_>, bool)>) {
    rows.time.push(record.time.unwrap_or(UNTIMED));
    rows.interface.push(record.interface);
    rows.bytes.push(wire);
    rows.captured.push(record.captured);
    let network = rows.protocol(network);
    rows.network.push(network);
    let (mut transport, mut ends, mut ports, mut is_fragment) = (NONE, [NONE; 2], None, false);
    let (mut service, mut fate, mut is_copy) = ([NONE; 2], [0; 2], false);
    let (mut id, mut hops, mut connection, mut back) = (NONE, NONE, NONE, NONE);
    rows.tcp.push(seen.as_ref().and_then(|(ip, seen, _)| ip.tcp.as_ref().zip(seen.placed)));
    if let Some((ip, seen, copy)) = seen {
        let [first, second] = rows.number(seen.flow).map(|number| number as i32);
        ends = if seen.way == 0 { [first, second] } else { [second, first] };
        transport = rows.protocol(Protocol::Transport(ip.protocol)) as i32;
        (ports, is_fragment, is_copy) = (ip.ports, ip.fragment, copy);
        service = [ip.service >> 2, ip.service & 0b11].map(i32::from);
        (id, hops, back) = (if ip.source.is_ipv4() { ip.id.into() } else { NONE }, ip.hops.into(), seen.way as i32);
        connection = seen.flow.connection.map_or(NONE, |number| i32::try_from(number).unwrap_or(i32::MAX));
        fate = match seen.fate {
            Some(fate) => [Fate::Again, Fate::Overtaken].map(|each| i32::from(fate == each)),
            None => [if ip.is_unread() { NONE } else { 0 }; 2],
        };
    }
    rows.transport.push(transport);
    rows.source.push(ends[0]);
    rows.destination.push(ends[1]);
    rows.source_port.push(ports.map_or(NONE, |(source, _)| i32::from(source)));
    rows.destination_port.push(ports.map_or(NONE, |(_, destination)| i32::from(destination)));
    rows.dscp.push(service[0]);
    rows.ecn.push(service[1]);
    rows.fragment.push(is_fragment);
    rows.retransmission.push(fate[0]);
    rows.overtaken.push(fate[1]);
    rows.copy.push(is_copy);
    rows.id.push(id);
    rows.ttl.push(hops);
    rows.connection.push(connection);
    rows.back.push(back);
}

/// The name of an IP protocol in rows and counts.
pub fn transport_name(number: u8) -> String {
    mix::protocol_name(number).map_or_else(|| format!("proto-{number}"), str::to_owned)
}
