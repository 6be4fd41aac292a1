//! Conversations: who talks to whom, and for TCP what was sent again and how long answers took.
//!
//! A conversation is a protocol, two addresses and two ports, in either direction. Tables hold a bounded number of them, in
//! two generations: what a whole generation long sent nothing is given out and forgotten, the busy stay.

use std::hash::RandomState;
use std::net::IpAddr;

use indexmap::IndexMap;

use super::network::{ACK, FIN, Ip, SYN, Tcp};

/// Conversations in one generation.
const GENERATION: usize = 1 << 15;

/// Both ends in the order of their numbers, so that both directions have one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    ends: [(IpAddr, u16); 2],
    protocol: u8,
}

/// What went from one end to the other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Way {
    /// Packets.
    pub packets: u64,
    /// Bytes as sent.
    pub bytes: u64,
    /// Segments of data, SYNs and FINs that begin below what had been sent before.
    pub retransmissions: u64,
    /// How often a segment's acknowledgment was timed, as seen where the capture was made.
    pub round_trips: u64,
    /// Nanoseconds, all together and the least; 0 where there are none.
    pub round_trip_sum: u64,
    /// The least of them.
    pub round_trip_least: u64,
    initial: Option<u32>,
    next: Option<u32>,
    /// Up to where the other end has acknowledged, as it said last.
    answered: Option<u32>,
    window: u16,
    timed: Option<(u32, i64)>,
}

/// A conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// What it runs over (IANA's protocol number).
    pub protocol: u8,
    /// Address and port of both ends, the one that was first to send first; ports are 0 where there are none.
    pub ends: [(IpAddr, u16); 2],
    /// Whether the protocol has ports.
    pub ported: bool,
    /// Nanoseconds since 1970: of the first packet and of the last one.
    pub first: i64,
    /// The last one.
    pub last: i64,
    /// From the first end to the second, and back.
    pub ways: [Way; 2],
    /// In which batch of rows its addresses were last numbered, and how.
    pub(super) numbered: (u64, [u32; 2]),
}

/// Whom a packet belongs to.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) flow: &'a mut Flow,
    /// Which of its ways the packet took.
    pub(super) way: usize,
    pub(super) retransmission: bool,
}

/// Conversations under way, and those given out.
#[derive(Debug, Default)]
pub(super) struct Flows {
    young: IndexMap<Key, Flow, RandomState>,
    old: IndexMap<Key, Flow, RandomState>,
    ended: Vec<Flow>,
    /// How many were forgotten while the capture went on.
    pub(super) forgotten: u64,
}

impl Flows {
    /// Takes a packet of IP in.
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

    /// Brings a conversation into the young generation, new or from the old one.
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

    /// Takes those that were given out.
    pub(super) fn take(&mut self) -> Vec<Flow> {
        std::mem::take(&mut self.ended)
    }

    /// Gives all out.
    pub(super) fn end(&mut self) {
        let (old, young) = (std::mem::take(&mut self.old), std::mem::take(&mut self.young));
        self.ended.extend(old.into_values().chain(young.into_values()));
    }
}

impl Flow {
    /// Follows a segment; tells whether it was sent before.
    ///
    /// The rule is the one by which `tshark` tells that a segment is a retransmission of any kind or out of order: it has
    /// data, SYN or FIN, and does not begin at or above what had been sent, or all of its data is acknowledged already; a
    /// keep-alive, the last byte again or nothing at all just before the next one, is none, nor is the last byte with new
    /// ones behind it, as after a probe that was not taken. A probe of a closed window does not count as having been sent.
    fn segment(&mut self, way: usize, tcp: &Tcp, time: i64) -> bool {
        let flagged = tcp.flags & (SYN | FIN) != 0;
        if tcp.flags & (SYN | ACK) == SYN && self.ways[way].initial.is_some_and(|initial| initial != tcp.sequence) {
            // The ports are used again: what was sent before says nothing about this connection.
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
                // The capture missed what was sent up to there.
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
            // Karn's rule: an answer now could be to either (RFC 6298, section 3).
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
    /// Takes an acknowledgment, and times the segment that waits for it: one at a time, as TCP's own timer does.
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

/// Whether one sequence number comes before another (RFC 9293, section 3.4).
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
        Ip { source, destination, protocol: 6, fragment: false, ports, tcp: Some(tcp) }
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
        // The capture missed what was acknowledged: its end is seen again, then new data.
        let again: Vec<bool> =
            [data(200, 100), data(99, 301)].map(|tcp| flows.add(&packet(true, tcp), 2, 140).retransmission).to_vec();
        assert_eq!(again, [true, true]);
        assert!(!flows.add(&packet(true, data(400, 100)), 3, 140).retransmission);
        // It missed what came before this as well: an empty segment tells where its sender is.
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
