//! Captured packets: all header fields of the packets that a tap on a link sees.

use std::collections::BTreeSet;

use ackclock_tcp::{Ecn, Sack};
use ackclock_units::Time;

use crate::link::Offered;
use crate::packet::{FlowId, Packet, Payload, SackId};
use crate::plan::{CaptureSpec, TapPoint};
use crate::queue::DropReason;
use crate::storage::grow;

/// A captured packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Time at which the tap saw the packet.
    pub time: Time,
    /// Segment number; for an ACK, the next expected segment; for a datagram, its number.
    pub number: u64,
    /// The link.
    pub link: u32,
    /// The flow.
    pub flow: u32,
    /// Bytes on the wire.
    pub size: u32,
    /// Index of the packet's SACK blocks.
    blocks: u32,
    /// Position of the tap on the link.
    pub at: TapPoint,
    /// Content of the packet.
    pub kind: CapturedKind,
    /// What happens to the packet at this link.
    pub fate: Fate,
    /// The ECN field of the IP header.
    pub ecn: Ecn,
    /// The flags AE, CWR and ECE of the TCP header, in this order.
    pub ecn_flags: u8,
}

/// The content of a captured packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturedKind {
    /// A SYN, which is segment 0.
    Syn,
    /// Data.
    Data,
    /// An ACK sent before any data arrived: with a handshake, the answer to the SYN.
    FirstAck,
    /// Any other ACK.
    Ack,
}

/// What happens to a packet at the link where it is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The packet crosses the link.
    Crosses,
    /// The queue drops the packet, because it is full or by early detection.
    Dropped,
    /// The packet is lost on the link.
    Lost,
}

/// Marks a captured packet without blocks.
const NO_BLOCKS: u32 = u32::MAX;

/// All packets that the taps of one capture saw.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    packets: Vec<Captured>,
    blocks: Vec<Sack>,
}

impl Capture {
    /// The packets in time order; for equal times, arrivals at the end of a link come first, and then packets are
    /// ordered by link.
    pub fn packets(&self) -> &[Captured] {
        &self.packets
    }

    /// The SACK blocks of a packet of this capture.
    pub fn sack(&self, packet: &Captured) -> &Sack {
        self.blocks.get(packet.blocks as usize).unwrap_or(&Sack::NONE)
    }

    /// Merges the captures of the parts of a plan, and replaces local ids of links and flows by the global ones.
    pub(crate) fn join<'a>(parts: impl Iterator<Item = (Self, &'a [u32], &'a [u32])>) -> Self {
        let mut all = Self::default();
        for (part, links, flows) in parts {
            let before = all.blocks.len() as u32;
            all.blocks.extend(part.blocks);
            all.packets.extend(part.packets.into_iter().map(|packet| Captured {
                link: links[packet.link as usize],
                flow: flows[packet.flow as usize],
                blocks: if packet.blocks == NO_BLOCKS { NO_BLOCKS } else { before + packet.blocks },
                ..packet
            }));
        }
        all.sorted()
    }

    fn sorted(mut self) -> Self {
        self.packets.sort_by_key(|packet| (packet.time, packet.at != TapPoint::Receive, packet.link));
        self
    }
}

/// Collects the packets of one capture.
#[derive(Clone, Debug)]
struct Taps {
    /// The tap positions on each link.
    points: Vec<Vec<TapPoint>>,
    seen: Capture,
}

impl Taps {
    fn of(spec: &CaptureSpec) -> Self {
        let mut points = Vec::new();
        for tap in &spec.taps {
            let link = tap.link as usize;
            points.resize(points.len().max(link + 1), Vec::new());
            points[link].push(tap.at);
        }
        Self { points, seen: Capture::default() }
    }
}

/// The captures of a plan, and the state needed to decode ACKs.
#[derive(Clone, Debug, Default)]
pub(super) struct Captures {
    taps: Vec<Taps>,
    /// SACK blocks of ACKs in flight.
    under_way: Vec<Sack>,
    /// When the first data of each flow reached its receiver.
    first_data: Vec<Time>,
    /// Packets captured when they were offered that a link still stores: capture, packet, and index in the capture. Equal
    /// ACKs that are stored at one instant leave in their order.
    stored: BTreeSet<(usize, Stored, usize)>,
}

/// Identifies a packet that a link stores: arrival, link, flow, number, and whether it is an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stored(Time, u32, u32, u64, bool);

impl Stored {
    fn of(since: Time, link: u32, packet: &Packet) -> Self {
        Self(since, link, packet.flow().0, packet.number(), packet.is_ack())
    }
}

impl Captures {
    pub(super) fn of(specs: &[CaptureSpec]) -> Self {
        Self { taps: specs.iter().map(Taps::of).collect(), ..Self::default() }
    }

    /// Whether there are any captures.
    #[inline(always)]
    pub(super) const fn any(&self) -> bool {
        !self.taps.is_empty()
    }

    /// Handles data that reached its receiver.
    pub(super) fn delivered(&mut self, now: Time, packet: &Packet) {
        if !matches!(packet.payload(), Payload::Data { .. }) {
            return;
        }
        let flow = packet.flow().0 as usize;
        if self.first_data.len() <= flow {
            self.first_data.resize(flow + 1, Time::MAX);
        }
        self.first_data[flow] = self.first_data[flow].min(now);
    }

    /// Handles an ACK with SACK blocks that leaves its receiver.
    pub(super) fn selective(&mut self, id: SackId, sack: &Sack) {
        let place = id.0 as usize;
        if self.under_way.len() <= place {
            self.under_way.resize(place + 1, Sack::NONE);
        }
        self.under_way[place] = *sack;
    }

    /// Handles a packet offered to a link. Everything that is known to happen to the packet at this link is captured
    /// immediately; anything after the end of the run is omitted.
    #[inline(never)]
    pub(super) fn offered(&mut self, now: Time, link: u32, packet: &Packet, offered: Offered, end: Time) {
        let fate = match offered {
            Offered::Accepted { lost: false, .. } | Offered::Queued => Fate::Crosses,
            Offered::Accepted { lost: true, .. } | Offered::Dropped(DropReason::Lost) => Fate::Lost,
            Offered::Dropped(_) => Fate::Dropped,
        };
        self.handle(link, packet, end, |at| match (at, offered) {
            (TapPoint::Offer, _) => Some((now, fate, false)),
            (TapPoint::Dequeue, Offered::Accepted { start, marked, .. }) => Some((start, fate, marked)),
            (TapPoint::Receive, Offered::Accepted { arrival, marked, lost: false, .. }) => {
                Some((arrival, fate, marked))
            }
            (TapPoint::Dequeue | TapPoint::Receive, _) => None,
        });
        if offered == Offered::Queued {
            for (place, taps) in self.taps.iter().enumerate() {
                let last = taps
                    .seen
                    .packets
                    .last()
                    .filter(|last| (last.time, last.link, last.at) == (now, link, TapPoint::Offer));
                if last.is_some() {
                    self.stored.insert((place, Stored::of(now, link, packet), taps.seen.packets.len() - 1));
                }
            }
        }
    }

    /// Handles a packet that leaves the queue of a link that stored it at `since`.
    #[inline(never)]
    pub(super) fn left(&mut self, since: Time, link: u32, packet: &Packet, fate: Offered, end: Time) {
        let outcome = match fate {
            Offered::Accepted { lost: false, .. } | Offered::Queued => Fate::Crosses,
            Offered::Accepted { lost: true, .. } => Fate::Lost,
            Offered::Dropped(_) => Fate::Dropped,
        };
        for place in 0..self.taps.len() {
            let packet = Stored::of(since, link, packet);
            let first = self.stored.range((place, packet, 0)..=(place, packet, usize::MAX)).next().copied();
            if let Some(entry) = first {
                self.stored.remove(&entry);
                self.taps[place].seen.packets[entry.2].fate = outcome;
            }
        }
        let Offered::Accepted { start, arrival, marked, lost, .. } = fate else { return };
        self.handle(link, packet, end, |at| match at {
            TapPoint::Dequeue => Some((start, outcome, marked)),
            TapPoint::Receive if !lost => Some((arrival, outcome, marked)),
            TapPoint::Offer | TapPoint::Receive => None,
        });
    }

    /// Captures a packet at each tap of a link. `seen` returns the time at which a tap sees it, its fate, and whether it
    /// has a mark of this link there.
    fn handle(&mut self, link: u32, packet: &Packet, end: Time, seen: impl Fn(TapPoint) -> Option<(Time, Fate, bool)>) {
        for place in 0..self.taps.len() {
            let count = self.taps[place].points.get(link as usize).map_or(0, Vec::len);
            for point in 0..count {
                let at = self.taps[place].points[link as usize][point];
                let Some((time, fate, marked)) = seen(at).filter(|(time, ..)| *time < end) else { continue };
                let ecn = if marked { Ecn::Ce } else { packet.ecn() };
                self.keep(place, time, link, packet, at, (fate, ecn));
            }
        }
    }

    fn keep(&mut self, place: usize, time: Time, link: u32, packet: &Packet, at: TapPoint, (fate, ecn): (Fate, Ecn)) {
        let seen = &mut self.taps[place].seen;
        let mut blocks = NO_BLOCKS;
        let (kind, number) = match packet.payload() {
            Payload::Syn { .. } => (CapturedKind::Syn, 0),
            Payload::Data { number, .. } => (CapturedKind::Data, number),
            Payload::Ack { next, sack, .. } => {
                if sack != SackId::NONE {
                    blocks = seen.blocks.len() as u32;
                    seen.blocks.push(self.under_way[sack.0 as usize]);
                }
                let FlowId(flow) = packet.flow();
                let data_came = self.first_data.get(flow as usize).is_some_and(|first| *first <= packet.sent);
                (if data_came { CapturedKind::Ack } else { CapturedKind::FirstAck }, next)
            }
        };
        let (flow, size, ecn_flags) = (packet.flow().0, packet.size(), packet.ecn_flags());
        grow(&mut seen.packets, 1);
        seen.packets.push(Captured { time, number, link, flow, size, blocks, at, kind, fate, ecn, ecn_flags });
    }

    pub(super) fn rows(&self) -> usize {
        self.taps.iter().map(|taps| taps.seen.packets.len()).sum()
    }

    /// Memory of the packets and their blocks in bytes.
    pub(super) fn memory(&self) -> usize {
        let of_blocks = |blocks: &Vec<Sack>| blocks.capacity() * size_of::<Sack>();
        let of = |taps: &Taps| taps.seen.packets.capacity() * size_of::<Captured>() + of_blocks(&taps.seen.blocks);
        let stored = self.stored.len() * 2 * size_of::<(usize, Stored, usize)>();
        self.taps.iter().map(of).sum::<usize>() + of_blocks(&self.under_way) + stored
    }

    pub(super) fn into_captures(self) -> Vec<Capture> {
        self.taps.into_iter().map(|taps| taps.seen.sorted()).collect()
    }
}

#[cfg(test)]
mod tests {
    use ackclock_tcp::Segment;

    use super::*;
    use crate::plan::Tap;

    /// A tap sees the ECN field that the packet has there, and the flags of the TCP header.
    #[test]
    fn a_mark_is_seen_after_the_queue() {
        let points = [TapPoint::Offer, TapPoint::Dequeue, TapPoint::Receive];
        let taps = points.map(|at| Tap { link: 0, at }).into();
        let mut captures = Captures::of(&[CaptureSpec { taps }]);
        let segment = Segment { ecn: Ecn::Ect0, cwr: true, ..Segment::new(7, 1500) };
        let data = Packet::data(FlowId(0), 0, segment, Time::ZERO);
        let [start, arrival] = [1, 2].map(Time::from_millis);
        for (marked, packet) in [(true, data), (false, data), (false, data.answer(8, Time::ZERO).with_echo(0b101))] {
            let offered = Offered::Accepted { start, end: start, arrival, marked, lost: false };
            captures.offered(Time::ZERO, 0, &packet, offered, Time::SECOND);
        }
        let capture = captures.into_captures().remove(0);
        let seen: Vec<_> = capture.packets().iter().map(|seen| (seen.ecn, seen.ecn_flags)).collect();
        let (plain, ce, ack) = ((Ecn::Ect0, 0b010), (Ecn::Ce, 0b010), (Ecn::NotEct, 0b101));
        assert_eq!(seen, [plain, plain, ack, ce, plain, ack, ce, plain, ack]);
    }

    /// Two ACKs with one number that a link stores at one instant have fates of their own: the first one leaves first.
    #[test]
    fn equal_acks_stored_at_one_instant_are_two() {
        let mut captures = Captures::of(&[CaptureSpec { taps: vec![Tap { link: 0, at: TapPoint::Offer }] }]);
        let ack = Packet::new(FlowId(0), 40, Payload::Ack { next: 7, connection: 0, sack: SackId::NONE }, Time::ZERO);
        for _ in 0..2 {
            captures.offered(Time::ZERO, 0, &ack, Offered::Queued, Time::SECOND);
        }
        let crosses =
            Offered::Accepted { start: Time::ZERO, end: Time::ZERO, arrival: Time::ZERO, marked: false, lost: false };
        for fate in [Offered::Dropped(DropReason::Full), crosses] {
            captures.left(Time::ZERO, 0, &ack, fate, Time::SECOND);
        }
        let fates: Vec<_> = captures.into_captures()[0].packets().iter().map(|seen| seen.fate).collect();
        assert_eq!(fates, [Fate::Dropped, Fate::Crosses]);
    }

    #[test]
    fn packets_and_blocks_take_memory() {
        let mut captures = Captures::of(&[CaptureSpec { taps: vec![Tap { link: 0, at: TapPoint::Offer }] }]);
        for id in (0..1_000).map(SackId) {
            captures.selective(id, &Sack::NONE);
            let packet = Packet::new(FlowId(0), 40, Payload::Ack { next: 1, connection: 0, sack: id }, Time::ZERO);
            captures.offered(Time::ZERO, 0, &packet, Offered::Dropped(DropReason::Full), Time::SECOND);
        }
        assert_eq!(captures.rows(), 1_000);
        let least = 1_000 * (size_of::<Captured>() + 2 * size_of::<Sack>());
        assert!((least..=2 * least + 1_000).contains(&captures.memory()), "{} and {least}", captures.memory());
    }
}
