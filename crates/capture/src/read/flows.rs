//! Tracks conversations: their endpoints and traffic and, for TCP, retransmissions and round-trip times.
//!
//! A conversation is identified by a protocol, two addresses and two ports, in either direction. Memory is bounded:
//! only two generations of conversations are stored, a young and an old one. A packet moves its conversation into the
//! young generation. When the young generation is full, it becomes the old one, and the conversations left in the
//! previous old generation are completed and dropped.

use std::hash::RandomState;
use std::net::IpAddr;

use indexmap::IndexMap;

use super::network::{ACK, FIN, Ip, SYN, Tcp};

/// Maximum number of conversations in one generation.
const GENERATION: usize = 1 << 15;

/// Both endpoints in sorted order, so that both directions have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    ends: [(IpAddr, u16); 2],
    protocol: u8,
}

/// Traffic in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Way {
    /// Packets.
    pub packets: u64,
    /// Size as sent, in bytes.
    pub bytes: u64,
    /// Segments with data, SYN or FIN that begin below the highest sequence number sent.
    pub retransmissions: u64,
    /// Number of round-trip samples, as seen at the point of capture.
    pub round_trips: u64,
    /// Sum of round-trip times in nanoseconds; 0 without samples.
    pub round_trip_sum: u64,
    /// Minimum round-trip time in nanoseconds; 0 without samples.
    pub round_trip_least: u64,
    initial: Option<u32>,
    next: Option<u32>,
    /// Highest acknowledgment number from the other end.
    answered: Option<u32>,
    window: u16,
    timed: Option<(u32, i64)>,
}

/// A conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// IANA protocol number.
    pub protocol: u8,
    /// Address and port of both endpoints, starting with the one that sent first; ports are 0 if the protocol has none.
    pub ends: [(IpAddr, u16); 2],
    /// Whether the protocol has ports.
    pub ported: bool,
    /// Time of the first packet in nanoseconds since 1970.
    pub first: i64,
    /// Time of the last packet.
    pub last: i64,
    /// Traffic from the first endpoint to the second, and back.
    pub ways: [Way; 2],
    /// The last batch of rows in which the conversation's addresses were numbered, and their numbers in that batch.
    pub(super) numbered: (u64, [u32; 2]),
}

/// The conversation of a packet.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) flow: &'a mut Flow,
    /// The direction of the packet.
    pub(super) way: usize,
    pub(super) retransmission: bool,
}

/// Active conversations, and completed ones not yet returned.
#[derive(Debug, Default)]
pub(super) struct Flows {
    young: IndexMap<Key, Flow, RandomState>,
    old: IndexMap<Key, Flow, RandomState>,
    ended: Vec<Flow>,
    /// Number of conversations dropped during reading.
    pub(super) forgotten: u64,
}

impl Flows {
    /// Adds an IP packet.
    #[inline]
    pub(super) fn add(&mut self, ip: &Ip, time: i64, bytes: u32) -> Seen<'_> {
        let (source_port, destination_port) = ip.ports.unwrap_or((0, 0));
        let mut ends = [(ip.source, source_port), (ip.destination, destination_port)];
        let from = ends[0];
        if ends[1] < ends[0] {
            ends.swap(0, 1);
        }
        let key = Key { ends, protocol: ip.protocol };
        let place = match self.young.get_index_of(&key) {
            Some(place) => place,
            None => self.begin(key, ip, time),
        };
        let flow = &mut self.young[place];
        let way = usize::from(flow.ends[0] != from);
        (flow.first, flow.last) = (flow.first.min(time), flow.last.max(time));
        flow.ways[way].packets += 1;
        flow.ways[way].bytes += u64::from(bytes);
        let retransmission = ip.tcp.is_some_and(|tcp| flow.segment(way, &tcp, time));
        Seen { flow, way, retransmission }
    }

    /// Puts a conversation into the young generation: a new conversation, or one from the old generation.
    #[cold]
    fn begin(&mut self, key: Key, ip: &Ip, time: i64) -> usize {
        if self.young.len() >= GENERATION {
            let young = IndexMap::with_capacity_and_hasher(GENERATION, RandomState::new());
            let old = std::mem::replace(&mut self.old, std::mem::replace(&mut self.young, young));
            self.forgotten += old.len() as u64;
            self.ended.extend(old.into_values());
        }
        let flow = self.old.swap_remove(&key).unwrap_or_else(|| {
            let (source_port, destination_port) = ip.ports.unwrap_or((0, 0));
            Flow {
                protocol: ip.protocol,
                ends: [(ip.source, source_port), (ip.destination, destination_port)],
                ported: ip.ports.is_some(),
                first: time,
                last: time,
                ways: [Way::default(); 2],
                numbered: (0, [0; 2]),
            }
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
    /// Tracks a segment; returns whether it is a retransmission.
    ///
    /// A segment is a retransmission if `tshark` marks it as any kind of retransmission or as out of order: it has
    /// data, SYN or FIN, and either it begins below the highest sequence number sent or all of its data is already
    /// acknowledged. A keep-alive (the last byte again, or an empty segment just before the next byte) is not a
    /// retransmission. A segment with the last byte again and new data, as sent after a rejected window probe, is not
    /// one either. A zero-window probe does not count as sent data.
    fn segment(&mut self, way: usize, tcp: &Tcp, time: i64) -> bool {
        let flagged = tcp.flags & (SYN | FIN) != 0;
        if tcp.flags & (SYN | ACK) == SYN && self.ways[way].initial.is_some_and(|initial| initial != tcp.sequence) {
            // The ports are reused: earlier sequence numbers do not apply to this connection.
            for each in &mut self.ways {
                (each.initial, each.next, each.answered, each.timed) = (None, None, None, None);
            }
        }
        let closed = self.ways[1 - way].window == 0;
        if tcp.flags & ACK != 0 {
            self.ways[1 - way].acknowledged(tcp.acknowledgment, time);
        }
        let own = &mut self.ways[way];
        own.window = tcp.window;
        if tcp.flags & SYN != 0 {
            own.initial.get_or_insert(tcp.sequence);
        }
        let end = tcp.sequence.wrapping_add(tcp.payload).wrapping_add(u32::from(flagged));
        let Some(next) = own.next else {
            own.next = Some(end);
            if tcp.payload > 0 || flagged {
                own.timed = Some((end, time));
            }
            return false;
        };
        if tcp.payload == 0 && !flagged {
            if before(next, tcp.sequence) {
                // The capture missed the data sent up to this point.
                own.next = Some(tcp.sequence);
            }
            return false;
        }
        let last = !flagged && tcp.sequence == next.wrapping_sub(1);
        if last && tcp.payload <= 1 {
            return false;
        }
        let had = tcp.payload > 0 && own.answered.is_some_and(|answered| !before(answered, end));
        if had || before(tcp.sequence, next) && !last {
            own.retransmissions += 1;
            // Karn's rule: an acknowledgment could now refer to either transmission (RFC 6298, section 3).
            own.timed = None;
            if before(next, end) {
                own.next = Some(end);
            }
            return true;
        }
        let probe = tcp.payload == 1 && tcp.sequence == next && closed;
        if !probe {
            own.next = Some(end);
            own.timed.get_or_insert((end, time));
        }
        false
    }
}

impl Way {
    /// Processes an acknowledgment and completes the current round-trip sample; one segment is timed at a time, like
    /// TCP's own timer.
    fn acknowledged(&mut self, acknowledgment: u32, time: i64) {
        self.answered = Some(acknowledgment);
        let Some((end, sent)) = self.timed else { return };
        if before(acknowledgment, end) {
            return;
        }
        self.timed = None;
        if let Ok(trip) = u64::try_from(time.saturating_sub(sent)) {
            self.round_trip_least = if self.round_trips == 0 { trip } else { self.round_trip_least.min(trip) };
            self.round_trips += 1;
            self.round_trip_sum = self.round_trip_sum.saturating_add(trip);
        }
    }
}

/// Whether sequence number `a` precedes `b` (RFC 9293, section 3.4).
fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(forth: bool, tcp: Tcp) -> Ip {
        let (a, b) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let (source, destination) = if forth { (a, b) } else { (b, a) };
        let ports = Some(if forth { (1000, 80) } else { (80, 1000) });
        Ip { source, destination, protocol: 6, service: 0, fragment: false, ports, tcp: Some(tcp) }
    }

    fn data(sequence: u32, payload: u32) -> Tcp {
        Tcp { sequence, acknowledgment: 1, flags: ACK, window: 1000, payload }
    }

    fn ack(acknowledgment: u32) -> Tcp {
        Tcp { sequence: 1, acknowledgment, flags: ACK, window: 1000, payload: 0 }
    }

    #[test]
    fn what_is_sent_again_is_counted_once_each_time() {
        let mut flows = Flows::default();
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
        let again: Vec<bool> = sent
            .iter()
            .map(|&(at, length)| flows.add(&packet(true, data(at, length)), 0, 140).retransmission)
            .collect();
        assert_eq!(again, [false, false, false, true, false, false, false, false, true, true]);
    }

    #[test]
    fn what_is_acknowledged_already_was_sent_before() {
        let mut flows = Flows::default();
        flows.add(&packet(true, data(0, 100)), 0, 140);
        flows.add(&packet(false, ack(300)), 1, 40);
        // The capture missed acknowledged data. Later it shows the end of that data again, followed by new data.
        let again: Vec<bool> =
            [data(200, 100), data(99, 301)].map(|tcp| flows.add(&packet(true, tcp), 2, 140).retransmission).to_vec();
        assert_eq!(again, [true, true]);
        assert!(!flows.add(&packet(true, data(400, 100)), 3, 140).retransmission);
        // The capture also missed earlier data: an empty segment shows the sender's sequence number.
        assert!(!flows.add(&packet(true, data(900, 0)), 4, 40).retransmission);
        assert!(flows.add(&packet(true, data(500, 100)), 5, 140).retransmission);
    }

    #[test]
    fn round_trips_by_karns_rule() {
        let mut flows = Flows::default();
        flows.add(&packet(true, data(0, 100)), 10, 140);
        flows.add(&packet(true, data(100, 100)), 15, 140);
        flows.add(&packet(false, ack(200)), 40, 40);
        flows.add(&packet(true, data(200, 100)), 50, 140);
        flows.add(&packet(true, data(200, 100)), 90, 140);
        flows.add(&packet(false, ack(300)), 95, 40);
        flows.end();
        let flow = &flows.take()[0];
        let forth = flow.ways[0];
        assert_eq!((forth.packets, forth.bytes, forth.retransmissions), (4, 560, 1));
        assert_eq!((forth.round_trips, forth.round_trip_sum, forth.round_trip_least), (1, 30, 30));
        assert_eq!((flow.first, flow.last, flow.ways[1].packets), (10, 95, 2));
    }

    #[test]
    fn a_new_connection_on_the_same_ports_repeats_nothing() {
        let mut flows = Flows::default();
        let syn = |sequence| Tcp { sequence, acknowledgment: 0, flags: SYN, window: 1000, payload: 0 };
        let again: Vec<bool> = [syn(5000), syn(5000), data(5001, 100), syn(70), data(71, 10)]
            .into_iter()
            .map(|tcp| flows.add(&packet(true, tcp), 0, 40).retransmission)
            .collect();
        assert_eq!(again, [false, true, false, false, false]);
    }

    #[test]
    fn memory_is_bounded_and_the_busy_stay() {
        let mut flows = Flows::default();
        let busy = packet(true, data(0, 1));
        for number in 0..3 * GENERATION as u32 {
            let other = Ip { source: IpAddr::V4(number.into()), ..busy };
            flows.add(&other, 0, 40);
            if number % 500 == 0 {
                flows.add(&busy, 0, 40);
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
