//! Tracks conversations: their endpoints and traffic and, for TCP, what `stream.rs` sees of each direction.
//!
//! A conversation is identified by a protocol, two addresses and two ports, in either direction. The ports of a conversation
//! may serve several connections, one after the other. Memory is bounded: only two generations of conversations are stored,
//! a young and an old one. A packet moves its conversation into the young generation. When the young generation is full, it
//! becomes the old one, and the conversations left in the previous old generation are completed and dropped.

use std::hash::RandomState;
use std::net::IpAddr;

use indexmap::IndexMap;

use super::course::{Course, Heard};
use super::histogram::Histogram;
use super::network::{ACK, FIN, Ip, RST, SYN, TCP, Tcp};
use super::numbering::Numbering;
use super::options::MOST_BLOCKS;
use super::stream::{Counts, Fate, Stream};

/// Maximum number of conversations in one generation.
const GENERATION: usize = 1 << 15;

/// A sequence number this far from the last one, after a connection was closed, belongs to another connection.
const FAR: u32 = 1 << 20;

/// Flags of the answer to a SYN.
const SYN_ACK: u8 = SYN | ACK;

/// Marks a time that the file does not have.
pub const UNTIMED: i64 = i64::MIN;

/// Both endpoints in sorted order, so that both directions have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    ends: [(IpAddr, u16); 2],
    protocol: u8,
}

/// Traffic in one direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// Packets.
    pub packets: u64,
    /// Size as sent, in bytes.
    pub bytes: u64,
    /// Maximum segment size in the SYN.
    pub mss: Option<u16>,
    /// Window scale in the SYN; windows are scaled only if both SYNs have one.
    pub scale: Option<u8>,
    /// Whether the SYN and all of its options were captured.
    pub has_options: bool,
    /// Whether the SYN permits SACK.
    pub is_sack_permitted: bool,
    /// Whether the SYN has timestamps.
    pub has_stamps: bool,
    stream: Stream,
}

impl Way {
    /// What TCP did.
    pub const fn counts(&self) -> &Counts {
        &self.stream.counts
    }

    /// Round-trip times in nanoseconds.
    pub const fn trips(&self) -> &Histogram {
        &self.stream.trips
    }

    /// Round-trip time of the SYN in nanoseconds, at the point of capture.
    pub const fn handshake(&self) -> Option<i64> {
        self.stream.handshake
    }

    /// The transfer of data; `None` without data.
    pub fn course(&self) -> Option<&Course> {
        self.stream.course.as_deref()
    }

    /// Bytes of data that were sent and not acknowledged at the end; 0 if no acknowledgment was captured.
    pub fn outstanding(&self) -> u32 {
        self.stream.outstanding().unwrap_or(0)
    }

    /// Whether the SYN was captured.
    pub const fn is_begun(&self) -> bool {
        self.stream.initial.is_some()
    }
}

/// A conversation, or for TCP one of its connections.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// IANA protocol number.
    pub protocol: u8,
    /// Address and port of both endpoints, starting with the one that sent first; ports are 0 if the protocol has none.
    pub ends: [(IpAddr, u16); 2],
    /// Whether the protocol has ports.
    pub ported: bool,
    /// Earliest time of a packet in nanoseconds since 1970, or [`UNTIMED`].
    pub first: i64,
    /// Latest time of a packet, or [`UNTIMED`].
    pub last: i64,
    /// Number of the TCP connection, from 0 in the order of their first packets; `None` for other protocols.
    pub connection: Option<u32>,
    /// Traffic from the first endpoint to the second, and back.
    pub ways: [Way; 2],
    /// The last batch of rows in which the conversation's addresses were numbered, and their numbers in that batch.
    pub(super) numbered: (u64, [u32; 2]),
    /// FIN seen in each direction.
    finished: [bool; 2],
    /// Whether the connection has ended.
    closed: bool,
    numbering: [Numbering; 2],
}

/// A TCP segment in its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// Relative sequence number.
    pub(super) sequence: i64,
    /// Relative acknowledgment number, if the segment has one.
    pub(super) acknowledgment: Option<i64>,
    /// Window in bytes; as in the header if its scale is unknown.
    pub(super) window: u32,
    /// Edges of the SACK blocks as relative numbers.
    pub(super) blocks: [(i64, i64); MOST_BLOCKS],
}

/// When a segment was captured, how long after the connection's last packet, and its window if the scale is known.
#[derive(Clone, Copy, Debug)]
struct Moment {
    time: Option<i64>,
    idle: Option<i64>,
    window: Option<u32>,
}

/// The conversation of a packet.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) flow: &'a mut Flow,
    /// The direction of the packet.
    pub(super) way: usize,
    /// What TCP's segment is; `None` if its header was not captured, or the packet is a copy or not TCP.
    pub(super) fate: Option<Fate>,
    /// Where TCP's segment is in its connection.
    pub(super) placed: Option<Placed>,
}

/// Active conversations, and completed ones not yet returned.
#[derive(Debug, Default)]
pub(super) struct Flows {
    young: IndexMap<Key, Flow, RandomState>,
    old: IndexMap<Key, Flow, RandomState>,
    ended: Vec<Flow>,
    /// Number of conversations dropped during reading.
    pub(super) forgotten: u64,
    /// Number of conversations.
    pub(super) conversations: u64,
    /// Number of TCP connections.
    pub(super) connections: u32,
}

impl Flows {
    /// Adds an IP packet, which may be the copy of an earlier one.
    #[inline]
    pub(super) fn add(&mut self, ip: &Ip<'_>, time: Option<i64>, bytes: u32, is_copy: bool) -> Seen<'_> {
        let (source_port, destination_port) = ip.ports.unwrap_or((0, 0));
        let mut ends = [(ip.source, source_port), (ip.destination, destination_port)];
        let from = ends[0];
        if ends[1] < ends[0] {
            ends.swap(0, 1);
        }
        let key = Key { ends, protocol: ip.protocol };
        let place = match self.young.get_index_of(&key) {
            Some(place) => place,
            None => self.begin(key, ip),
        };
        let flow = &mut self.young[place];
        let mut way = usize::from(flow.ends[0] != from);
        if let Some(tcp) = ip.tcp.as_ref().filter(|_| !is_copy)
            && flow.ends_before(way, tcp)
        {
            self.ended.push(std::mem::replace(flow, Flow::new(ip, Some(self.connections))));
            self.connections = self.connections.saturating_add(1);
            way = 0;
        }
        let idle = time.filter(|_| flow.last != UNTIMED).map(|time| time.saturating_sub(flow.last));
        if let Some(time) = time {
            flow.first = if flow.first == UNTIMED { time } else { flow.first.min(time) };
            flow.last = flow.last.max(time);
        }
        let Way { packets, bytes: sum, stream, .. } = &mut flow.ways[way];
        *packets += 1;
        *sum += u64::from(bytes);
        stream.counts.copies += u64::from(is_copy);
        stream.counts.unread += u64::from(ip.is_unread());
        let placed = ip.tcp.as_ref().map(|tcp| flow.place(way, tcp, is_copy));
        let fate = ip.tcp.as_ref().filter(|_| !is_copy).map(|tcp| {
            let window = placed.filter(|_| flow.has_scale()).map(|placed| placed.window);
            flow.segment(way, ip, tcp, Moment { time, idle, window })
        });
        Seen { flow, way, fate, placed }
    }

    /// Puts a conversation into the young generation: a new conversation, or one from the old generation.
    #[cold]
    fn begin(&mut self, key: Key, ip: &Ip<'_>) -> usize {
        if self.young.len() >= GENERATION {
            let young = IndexMap::with_capacity_and_hasher(GENERATION, RandomState::new());
            let old = std::mem::replace(&mut self.old, std::mem::replace(&mut self.young, young));
            self.forgotten += old.len() as u64;
            self.ended.extend(old.into_values());
        }
        let flow = self.old.swap_remove(&key).unwrap_or_else(|| {
            self.conversations += 1;
            let connection = (ip.protocol == TCP).then_some(self.connections);
            self.connections = self.connections.saturating_add(u32::from(ip.protocol == TCP));
            Flow::new(ip, connection)
        });
        self.young.insert_full(key, flow).0
    }

    /// Takes the completed conversations.
    pub(super) fn take(&mut self) -> Vec<Flow> {
        std::mem::take(&mut self.ended)
    }

    /// Completes all conversations.
    pub(super) fn end(&mut self) {
        let (old, young) = (std::mem::take(&mut self.old), std::mem::take(&mut self.young));
        self.ended.extend(old.into_values().chain(young.into_values()));
    }
}

impl Flow {
    /// A conversation or connection that begins with a packet.
    fn new(ip: &Ip<'_>, connection: Option<u32>) -> Self {
        let (source_port, destination_port) = ip.ports.unwrap_or((0, 0));
        Self {
            protocol: ip.protocol,
            ends: [(ip.source, source_port), (ip.destination, destination_port)],
            ported: ip.ports.is_some(),
            first: UNTIMED,
            last: UNTIMED,
            connection,
            ways: [Way::default(), Way::default()],
            numbered: (0, [0; 2]),
            finished: [false; 2],
            closed: false,
            numbering: [Numbering::default(); 2],
        }
    }

    /// Numbers a segment. A reset changes nothing, since its numbers may be any, and neither does a copy.
    #[inline]
    fn place(&mut self, way: usize, tcp: &Tcp, is_copy: bool) -> Placed {
        let [first, second] = &mut self.numbering;
        let (own, other) = if way == 0 { (first, second) } else { (second, first) };
        let is_syn = tcp.flags & SYN != 0;
        let is_noted = !is_copy && tcp.flags & RST == 0;
        if is_noted {
            if is_syn {
                own.start(tcp.sequence);
                let way = &mut self.ways[way];
                (way.mss, way.scale) = (tcp.options.mss, tcp.options.scale);
                way.has_options = !tcp.is_cut;
                way.is_sack_permitted = tcp.options.is_sack_permitted;
                way.has_stamps = tcp.options.stamps.is_some();
            }
            own.note(tcp.sequence);
        }
        let has_ack = tcp.flags & ACK != 0;
        let acknowledgment =
            has_ack.then(|| if is_noted { other.note(tcp.acknowledgment) } else { other.of(tcp.acknowledgment) });
        let shift = match [self.ways[0].scale, self.ways[1].scale] {
            [Some(first), Some(second)] if !is_syn => [first, second][way],
            _ => 0,
        };
        let mut blocks = [(0, 0); MOST_BLOCKS];
        for (block, &(left, right)) in blocks.iter_mut().zip(tcp.options.blocks()) {
            *block = (other.of(left), other.of(right));
        }
        Placed { sequence: own.of(tcp.sequence), acknowledgment, window: u32::from(tcp.window) << shift, blocks }
    }

    /// Whether the scale of windows is known.
    const fn has_scale(&self) -> bool {
        self.ways[0].has_options && self.ways[1].has_options
    }

    /// Tracks a segment; returns what it is.
    #[inline]
    fn segment(&mut self, way: usize, ip: &Ip<'_>, tcp: &Tcp, moment: Moment) -> Fate {
        let Moment { time, idle, window } = moment;
        let [first, second] = &mut self.ways;
        let (own, other) =
            if way == 0 { (&mut first.stream, &mut second.stream) } else { (&mut second.stream, &mut first.stream) };
        let probes = other.is_closed();
        // The sequence numbers of a RST may be any: of the SYN that it answers, or of another stream than the sender's.
        if tcp.flags & RST != 0 {
            own.counts.resets += 1;
            self.closed = true;
            return Fate::New;
        }
        if tcp.flags & ACK != 0 {
            let is_repeated = other.is_repeated(tcp, own);
            own.counts.duplicate_acks += u64::from(is_repeated);
            let is_new = other.acknowledge(tcp, time);
            other.hear(tcp, Heard { is_new, is_repeated, window }, time);
        }
        own.count(ip, tcp);
        let trip = own.trip().into_iter().chain(other.trip()).reduce(i64::saturating_add);
        own.segment(ip, tcp, time, probes, idle, trip)
    }

    /// Notices that a connection ends. Returns whether a segment belongs to another one that uses its ports.
    #[inline]
    fn ends_before(&mut self, way: usize, tcp: &Tcp) -> bool {
        if tcp.flags & FIN != 0 {
            self.finished[way] = true;
            self.closed |= self.finished == [true; 2];
        }
        let own = &self.ways[way].stream;
        let is_far = |next: u32| FAR < tcp.sequence.wrapping_sub(next).min(next.wrapping_sub(tcp.sequence));
        match tcp.flags & (SYN | ACK | RST) {
            SYN => own.initial.map_or(own.next.is_some_and(|next| next != tcp.sequence.wrapping_add(1)), |initial| {
                initial != tcp.sequence
            }),
            // another answer to the same SYN
            SYN_ACK => {
                if own.initial.is_some_and(|initial| initial != tcp.sequence) {
                    self.ways[way].stream.restart();
                    self.numbering[way] = Numbering::default();
                }
                false
            }
            ACK => self.closed && tcp.payload > 0 && own.next.is_some_and(is_far),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::{CWR, ECE};
    use super::super::options::Options;
    use super::*;

    fn packet(forth: bool, tcp: Tcp) -> Ip<'static> {
        let (a, b) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let (source, destination) = if forth { (a, b) } else { (b, a) };
        let ports = Some(if forth { (1000, 80) } else { (80, 1000) });
        let (tcp, inside) = (Some(tcp), &[][..]);
        Ip {
            source,
            destination,
            protocol: 6,
            service: 0,
            fragment: false,
            id: 0,
            hops: 64,
            ports,
            tcp,
            inside,
            beyond: 0,
        }
    }

    fn data(sequence: u32, payload: u32) -> Tcp {
        Tcp {
            sequence,
            acknowledgment: 1,
            flags: ACK,
            window: 1000,
            payload,
            options: Options::default(),
            is_cut: false,
        }
    }

    fn ack(acknowledgment: u32) -> Tcp {
        Tcp { acknowledgment, ..data(1, 0) }
    }

    /// What each of some segments is: one in each direction, with a time in milliseconds and an identification.
    fn fates(segments: &[(bool, Tcp, i64, u16)]) -> (Vec<Fate>, Flow) {
        let mut flows = Flows::default();
        let found = segments
            .iter()
            .map(|&(forth, tcp, millis, id)| {
                let ip = Ip { id, ..packet(forth, tcp) };
                flows.add(&ip, Some(1_000_000 * millis), 140, false).fate.unwrap()
            })
            .collect();
        flows.end();
        (found, flows.take().remove(0))
    }

    /// Whether each segment in one direction was sent again, without times and identifications.
    fn again(segments: impl IntoIterator<Item = Tcp>) -> Vec<bool> {
        let all: Vec<_> = segments.into_iter().map(|tcp| (true, tcp, 0, 0)).collect();
        fates(&all).0.into_iter().map(|fate| fate == Fate::Again).collect()
    }

    fn flagged(flags: u8, sequence: u32, acknowledgment: u32) -> Tcp {
        Tcp { acknowledgment, flags, ..data(sequence, 0) }
    }

    #[test]
    fn what_is_sent_again_is_counted_once_each_time() {
        let sent = [
            (0_u32.wrapping_sub(100), 100),
            (0, 100),
            (100, 100),
            (0, 100),
            (200, 100),
            (299, 1),
            (300, 100),
            (399, 51),
            (440, 20),
            (450, 10),
        ];
        let found = again(sent.map(|(at, length)| data(at, length)));
        assert_eq!(found, [false, false, false, true, false, false, false, false, true, true]);
    }

    #[test]
    fn what_is_acknowledged_already_was_sent_before() {
        let (found, flow) = fates(&[
            (true, data(0, 100), 0, 0),
            (false, ack(100), 1, 0),
            (false, ack(300), 1, 0),
            // The capture missed acknowledged data. Later it shows the end of that data again, followed by new data.
            (true, data(200, 100), 2, 0),
            (true, data(99, 301), 2, 0),
            (true, data(400, 100), 3, 0),
        ]);
        assert_eq!(found[3..], [Fate::Again, Fate::Again, Fate::New]);
        assert_eq!((flow.ways[0].counts().missed, flow.ways[0].counts().missed_bytes), (2, 200));
    }

    #[test]
    fn what_fills_a_hole_was_overtaken_or_sent_again() {
        let hole = [(true, data(0, 100), 0, 10), (true, data(100, 100), 0, 11), (true, data(300, 100), 1, 13)];
        let with = |fill: (i64, u16)| {
            let (found, flow) = fates(&[&hole[..], &[(true, data(200, 100), fill.0, fill.1)]].concat());
            (found[3], flow.ways[0].counts().uncertain)
        };
        assert_eq!(with((500, 12)), (Fate::Overtaken, 0), "its identification is the one before");
        assert_eq!(with((2, 14)), (Fate::Again, 0));
        assert_eq!(with((2, 40_000)), (Fate::Overtaken, 1), "after 1 ms, with an identification that says nothing");
        assert_eq!(with((500, 40_000)), (Fate::Again, 1));
        // A round trip of 20 ms is known.
        let known = [&hole[..2], &[(false, ack(200), 20, 0)], &[(true, data(300, 100), 21, 0)]].concat();
        let fill = |at: i64| fates(&[&known[..], &[(true, data(200, 100), at, 0)]].concat()).0[4];
        assert_eq!((fill(30), fill(60)), (Fate::Overtaken, Fate::Again));
    }

    #[test]
    fn holes_that_are_acknowledged_were_missed() {
        let (_, flow) = fates(&[
            (true, data(0, 100), 0, 1),
            (false, ack(100), 1, 1),
            (true, data(400, 100), 2, 2),
            (false, ack(350), 3, 2),
            (false, ack(500), 4, 3),
        ]);
        assert_eq!((flow.ways[0].counts().missed, flow.ways[0].counts().missed_bytes), (4, 300));
        assert_eq!(flow.ways[0].counts().retransmissions, 0);
    }

    #[test]
    fn round_trips_by_karns_rule() {
        let (_, flow) = fates(&[
            (true, data(0, 100), 10, 1),
            (true, data(100, 100), 15, 2),
            (false, ack(200), 40, 0),
            (true, data(200, 100), 50, 3),
            (true, data(200, 100), 90, 4),
            (false, ack(300), 95, 0),
        ]);
        let forth = &flow.ways[0];
        let Counts { retransmissions, round_trips, round_trip_sum, round_trip_least, .. } = *forth.counts();
        assert_eq!((forth.packets, forth.bytes, retransmissions), (4, 840 - 280, 1));
        assert_eq!((round_trips, round_trip_sum, round_trip_least), (1, 25_000_000, 25_000_000));
        assert_eq!((flow.first, flow.last, flow.ways[1].packets), (10_000_000, 95_000_000, 2));
    }

    #[test]
    fn a_new_connection_on_the_same_ports_repeats_nothing() {
        let syn = |sequence| flagged(SYN, sequence, 0);
        let segments = [syn(5000), syn(5000), data(5001, 100), syn(70), data(71, 10)].map(|tcp| (true, tcp, 0, 0));
        let (found, flow) = fates(&segments);
        assert_eq!(found, [Fate::New, Fate::Again, Fate::New, Fate::New, Fate::New]);
        assert_eq!((flow.connection, flow.ways[0].packets), (Some(0), 3), "the first of two connections");
        // A connection that was reset, and the next one without its SYN.
        let reset = [data(5001, 100), flagged(RST, 5101, 0), data(900_000_000, 10), data(900_000_010, 10)];
        assert_eq!(again(reset), [false; 4]);
    }

    #[test]
    fn a_reset_tells_nothing_of_the_stream() {
        // A refused SYN, and the same SYN accepted. The refusal has the sequence number 0.
        let (found, flow) = fates(&[
            (true, flagged(SYN, 5000, 0), 0, 1),
            (false, flagged(RST | ACK, 0, 5001), 1, 0),
            (true, flagged(SYN, 5000, 0), 2, 2),
            (false, flagged(SYN | ACK, 3_000_000_000, 5001), 3, 1),
            (true, flagged(ACK, 5001, 3_000_000_001), 4, 3),
            (false, data(3_000_000_001, 100), 5, 2),
            (false, data(3_000_000_101, 100), 6, 3),
        ]);
        assert_eq!(found.iter().filter(|fate| **fate == Fate::Again).count(), 1);
        assert_eq!((flow.ways[0].counts().retransmissions, flow.ways[1].counts().resets), (1, 1));
        assert_eq!((flow.connection, flow.ways[0].packets, flow.ways[1].packets), (Some(0), 3, 4));
        // A reset ahead of the stream, as middleboxes inject them.
        assert_eq!(again([data(0, 100), flagged(RST, 9_000, 0), data(100, 100), data(200, 100)]), [false; 4]);
    }

    #[test]
    fn signals_are_counted() {
        let other = |flags: u8, window: u16| Tcp { window, ..flagged(ACK | flags, 1, 100) };
        let (_, flow) = fates(&[
            (true, data(0, 100), 0, 1),
            (true, data(100, 100), 0, 2),
            (false, other(0, 1000), 1, 1),
            (false, other(0, 1000), 1, 2),
            (false, other(ECE, 1000), 1, 3),
            (false, other(0, 0), 1, 4),
            (true, Tcp { flags: ACK | CWR, ..data(200, 100) }, 2, 3),
        ]);
        let back = *flow.ways[1].counts();
        assert_eq!((back.duplicate_acks, back.zero_windows, back.echoes), (2, 1, 1), "the last one updates the window");
        assert_eq!(flow.ways[0].counts().reductions, 1);
    }

    #[test]
    fn segments_are_placed_in_their_connection() {
        let mut flows = Flows::default();
        let mut place = |forth, tcp| {
            let placed = flows.add(&packet(forth, tcp), Some(0), 40, false).placed.unwrap();
            (placed.sequence, placed.acknowledgment, placed.window)
        };
        let with = |flags, sequence, acknowledgment, scale: Option<u8>| Tcp {
            options: scale.map_or_else(Options::default, |shift| Options::parse(&[3, 3, shift])),
            ..flagged(flags, sequence, acknowledgment)
        };
        assert_eq!(place(true, with(SYN, u32::MAX, 0, Some(7))), (0, None, 1000));
        assert_eq!(place(false, with(SYN | ACK, 500, 0, Some(2))), (0, Some(1), 1000));
        assert_eq!(place(true, with(ACK, 0, 501, None)), (1, Some(1), 128_000));
        assert_eq!(place(true, Tcp { payload: 100, ..with(ACK, 0, 501, None) }), (1, Some(1), 128_000));
        assert_eq!(place(false, with(ACK, 501, 100, None)), (1, Some(101), 4000));
        // A reset far from the stream changes nothing.
        assert_eq!(place(false, with(RST, 1501, 0, None)), (1001, None, 4000));
        assert_eq!(place(true, with(ACK, 100, 501, None)), (101, Some(1), 128_000));
        // Without both SYNs the scale is unknown, or there is none.
        assert_eq!(place(true, with(SYN, 70, 0, None)), (0, None, 1000));
        assert_eq!(place(false, with(SYN | ACK, 500, 71, Some(2))), (0, Some(1), 1000));
        assert_eq!(place(true, with(ACK, 71, 501, None)), (1, Some(1), 1000));
        assert_eq!((flows.conversations, flows.connections), (1, 2));
    }

    /// With a short snap length, the capture has SYNs without the end of their options.
    #[test]
    fn a_cut_syn_leaves_the_scale_unknown() {
        for is_cut in [false, true] {
            let mut flows = Flows::default();
            flows.add(&packet(true, flagged(SYN, 1, 0)), Some(0), 40, false);
            flows.add(&packet(false, Tcp { is_cut, ..flagged(SYN | ACK, 7, 2) }), Some(0), 40, false);
            flows.end();
            assert_eq!(flows.take()[0].has_scale(), !is_cut);
        }
    }

    #[test]
    fn memory_is_bounded_and_the_busy_stay() {
        let mut flows = Flows::default();
        let busy = packet(true, data(0, 1));
        for number in 0..3 * GENERATION as u32 {
            let other = Ip { source: IpAddr::V4(number.into()), ..busy };
            flows.add(&other, Some(0), 40, false);
            if number % 500 == 0 {
                flows.add(&busy, Some(0), 40, false);
            }
        }
        assert!(flows.young.len() <= GENERATION && flows.old.len() <= GENERATION);
        assert!(flows.forgotten > 0);
        flows.end();
        let all = flows.take();
        let busiest: Vec<u64> =
            all.iter().filter(|flow| flow.ends[0] == (busy.source, 1000)).map(|flow| flow.ways[0].packets).collect();
        assert_eq!(busiest.len(), 1);
        assert!(busiest[0] >= 190);
    }
}
