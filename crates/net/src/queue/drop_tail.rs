//! Drop-tail: an arrival is dropped when the queue is full.
//!
//! ns-2's limit counts the packet in transmission (`count_in_service = true`): with a limit of 50, 49 packets can wait.
//!
//! A packet may arrive at exactly the time at which a transmission ends; whether it finds a full queue then depends on
//! the order of the two events. This is common: in a busy period that a flow begins, packets released by its own ACKs
//! arrive at multiples of a transmission time. ns-2 runs the event that was scheduled first. This is the arrival
//! (option `ties = arrival`), because the packet was sent before the transmission began. In ns-2, rounding of times may
//! also separate the two events.
//!
//! `mark_above` makes the queue mark ECN-capable packets, as DCTCP needs (RFC 8257, section 3.1): an accepted arrival is
//! marked if the waiting packets, including it, are more than this number. The packet in transmission does not count,
//! and packets that are not ECN-capable are accepted unmarked.
//!
//! With `drop = head`, an arrival at a full queue is accepted, and the oldest packets are dropped in its place: Yin and
//! Hluchyj, "Implication of dropping packets from the front of a queue" (IEEE Transactions on Communications 41(6), 1993);
//! Lakshman, Neidhardt and Ott, "The drop from front strategy in TCP and in TCP over ATM" (INFOCOM 1996). As many packets
//! are lost, but a TCP sender learns of a loss earlier by the time that a packet waits. Such a queue stores its packets,
//! and arrivals always come first (`ties` has no effect). An arrival that does not fit into the empty queue is dropped.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use crate::link::backlog::INSTANT;

use super::stored::{Dropped, PacketQueue, Queued, Room, Store};
use super::{Arrival, Context, DropReason, Limit, Parameter, ParameterKind, QueueDiscipline, QueueSpec, Spec, Verdict};

pub(super) const DOC: &str = "First in, first out; an arrival at a full queue is dropped";
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "ties",
        doc: "Order when a packet arrives exactly as a transmission ends: departure first (its slot is free) or arrival first",
        kind: ParameterKind::Choice { choices: &["departure", "arrival"], default: "departure" },
    },
    Parameter {
        name: "drop",
        doc: "What a full queue drops: the arrival (tail) or the oldest packets (head)",
        kind: ParameterKind::Choice { choices: &["tail", "head"], default: "tail" },
    },
    Parameter {
        name: "mark_above",
        doc: "Mark an ECN-capable arrival if more than this number of packets then wait; 0: never",
        kind: ParameterKind::Whole { min: 0, max: 1_000_000_000_000, default: 0 },
    },
];

/// The parameters of drop-tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DropTailSpec {
    /// Capacity of the queue.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Order of the two events when a packet arrives exactly as a transmission ends.
    pub ties: Ties,
    /// An accepted ECN-capable packet is marked if more than this number of packets wait, including it; 0: none is.
    pub mark_above: u64,
    /// What a full queue drops.
    #[serde(default)]
    pub drop: DropFrom,
}

impl DropTailSpec {
    /// Whether decisions depend only on the packets that are pending.
    pub(super) fn is_memoryless(&self) -> bool {
        self.ties == Ties::Departure && self.drop == DropFrom::Tail
    }

    /// Whether the queue stores its packets.
    pub(super) const fn is_stored(&self) -> bool {
        matches!(self.drop, DropFrom::Head)
    }

    /// Whether an accepted packet is marked.
    fn marks(&self, arrival: &Arrival<'_>) -> bool {
        self.mark_above > 0 && arrival.packet.ecn().is_capable() && arrival.waiting_packets() >= self.mark_above
    }
}

/// Order of the two events when a packet arrives exactly as a transmission ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// The departure comes first, so that its slot is free.
    Departure,
    /// The arrival comes first, and finds the queue as it was one instant earlier.
    Arrival,
}

/// The end of a full queue from which packets are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DropFrom {
    /// The arriving packet is dropped.
    #[default]
    Tail,
    /// The packets that have waited longest are dropped.
    Head,
}

#[derive(Debug)]
pub(crate) struct DropTail {
    spec: DropTailSpec,
    /// Start of the current busy period.
    busy_since: Time,
}

impl Spec for DropTailSpec {
    fn marks(&self) -> bool {
        self.mark_above > 0
    }

    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&["ties", "drop"])
    }
}

pub(super) const fn build(spec: &DropTailSpec, _: &Context) -> DropTail {
    DropTail::new(spec)
}

impl DropTail {
    pub(super) const fn new(spec: &DropTailSpec) -> Self {
        Self { spec: *spec, busy_since: Time::ZERO }
    }

    /// The parameters, if they are [memoryless](DropTailSpec::is_memoryless).
    pub(super) fn as_memoryless(&self) -> Option<DropTailSpec> {
        Some(self.spec).filter(DropTailSpec::is_memoryless)
    }

    /// Time at which an arrival sees the queue: one picosecond before the arrival if arrivals come first and the link
    /// was busy then, otherwise the time of the arrival.
    fn sees(&mut self, arrival: &Arrival<'_>) -> Time {
        let now = arrival.now;
        if arrival.backlog.busy_until() < now {
            self.busy_since = now;
        }
        match self.spec.ties {
            Ties::Arrival if self.busy_since < now => now.saturating_sub(INSTANT),
            Ties::Arrival | Ties::Departure => now,
        }
    }
}

impl QueueDiscipline for DropTail {
    fn on_arrival(&mut self, arrival: &Arrival<'_>) -> Verdict {
        let seen = Arrival { now: self.sees(arrival), ..*arrival };
        if !self.spec.limit.has_room(&seen, self.spec.count_in_service) {
            Verdict::Drop(DropReason::Full)
        } else if self.spec.marks(&seen) {
            Verdict::Mark
        } else {
            Verdict::Accept
        }
    }

    fn room(&self, size: u32, each: Time) -> Option<Time> {
        let DropTailSpec { limit, count_in_service, mark_above, .. } = self.spec;
        let room = limit.room(size, each, count_in_service).filter(|_| self.spec.is_memoryless())?;
        Some(if mark_above > 0 { room.min(each.saturating_mul(mark_above)) } else { room })
    }

    fn retune(&mut self, spec: &QueueSpec, _: &Context) {
        if let QueueSpec::DropTail(spec) = spec {
            self.spec = *spec;
        }
    }
}

/// A queue that stores its packets: one that drops the oldest of them, or whose link shares a medium.
#[derive(Debug)]
pub(super) struct StoredFifo {
    room: Room,
    mark_above: u64,
    drop: DropFrom,
    store: Store,
}

pub(super) fn stored(spec: &DropTailSpec) -> StoredFifo {
    let DropTailSpec { limit, count_in_service, mark_above, drop, .. } = *spec;
    StoredFifo { room: Room { limit, count_in_service }, mark_above, drop, store: Store::default() }
}

impl PacketQueue for StoredFifo {
    fn enqueue(&mut self, mut queued: Queued, in_service: u32, dropped: &mut Dropped) -> Result<(), DropReason> {
        let size = queued.packet.size();
        let least = if self.drop == DropFrom::Head { (0, 0) } else { self.store.waiting() };
        if !self.room.admits(least, in_service, size) {
            return Err(DropReason::Full);
        }
        while !self.room.admits(self.store.waiting(), in_service, size) {
            dropped.extend(self.store.pop().map(|oldest| (oldest, DropReason::Full)));
        }
        if self.mark_above > 0 && self.store.waiting().0 >= self.mark_above {
            queued.mark();
        }
        self.store.push(queued);
        Ok(())
    }

    fn dequeue(&mut self, _: Time, _: &mut Dropped) -> Option<Queued> {
        self.store.pop()
    }

    fn waiting(&self) -> (u64, u64) {
        self.store.waiting()
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.store.memory()
    }

    fn retune(&mut self, spec: &QueueSpec, _: &Context) {
        if let QueueSpec::DropTail(spec) = spec {
            (self.room, self.mark_above) = (stored(spec).room, spec.mark_above);
        }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::{Rate, Role, Stream};

    use ackclock_tcp::{Ecn, Segment};

    use super::*;
    use crate::link::rate::LinkRate;
    use crate::link::{Link, Offered};
    use crate::packet::{FlowId, Packet, Payload};
    use crate::plan::LinkSpec;
    use crate::queue::QueueSpec;

    /// Two packets fill a link that takes 8 ms for the first packet. A third packet arrives exactly when the first has
    /// been sent, or one instant later.
    ///
    /// Validates: the order of an arrival and a departure at the same time, for packets of equal and different sizes,
    ///   and for limits in packets and bytes.
    /// Source: the definition; ns-2 runs the event that was scheduled first, which is the arrival.
    /// Tolerance: exact.
    #[test]
    fn ties_go_to_whom_they_are_given() {
        let end = Time::from_millis(8);
        for (limit, sizes) in [
            (Limit::Packets(2), [1000, 1000, 1000]),
            (Limit::Packets(2), [1000, 500, 1000]),
            (Limit::Bytes(2000), [1000, 500, 1000]),
        ] {
            for (ties, now, is_accepted) in [
                (Ties::Departure, end, true),
                (Ties::Arrival, end, false),
                (Ties::Arrival, end + INSTANT, true),
                (Ties::Departure, end.saturating_sub(INSTANT), false),
            ] {
                let queue = QueueSpec::DropTail(DropTailSpec {
                    limit,
                    count_in_service: true,
                    ties,
                    mark_above: 0,
                    drop: DropFrom::Tail,
                });
                let rate = Rate::from_mbps(1);
                let spec = LinkSpec::plain(rate.into(), Time::ZERO, queue);
                let context = Context::testing(rate);
                let losses = Stream::new(1, Role::Loss, 0);
                let mut link =
                    Link::new(&spec, LinkRate::new(&spec.rate), spec.queue.build(&context).at_arrival(), losses);
                let payload = Payload::Data { number: 0, retransmission: false, connection: 0 };
                let [first, second, third] = sizes.map(|size| Packet::new(FlowId(0), size, payload, Time::ZERO));
                assert!(matches!(link.offer(&first, Time::ZERO), Offered::Accepted { .. }));
                assert!(matches!(link.offer(&second, Time::ZERO), Offered::Accepted { .. }));
                let offered = matches!(link.offer(&third, now), Offered::Accepted { .. });
                assert_eq!(offered, is_accepted, "{ties:?} at {now:?}, {limit:?}");
            }
        }
    }

    /// The verdicts about packets with the codepoint `ecn` that arrive at once at a link with space for five, the first of
    /// which is transmitted.
    fn verdicts(mark_above: u64, ecn: Ecn) -> Vec<Option<bool>> {
        let limit = Limit::Packets(5);
        let queue = QueueSpec::DropTail(DropTailSpec {
            limit,
            count_in_service: true,
            ties: Ties::Departure,
            mark_above,
            drop: DropFrom::Tail,
        });
        let rate = Rate::from_mbps(1);
        let spec = LinkSpec::plain(rate.into(), Time::ZERO, queue);
        let context = Context::testing(rate);
        let losses = Stream::new(1, Role::Loss, 0);
        let mut link = Link::new(&spec, LinkRate::new(&spec.rate), spec.queue.build(&context).at_arrival(), losses);
        let offer = |number| {
            let segment = Segment { ecn, ..Segment::new(number, 1000) };
            match link.offer(&Packet::data(FlowId(0), 0, segment, Time::ZERO), Time::ZERO) {
                Offered::Accepted { marked, .. } => Some(marked),
                Offered::Dropped(_) | Offered::Queued => None,
            }
        };
        (0..6).map(offer).collect()
    }

    /// Arrivals find 0, 0, 1, 2 and 3 packets waiting.
    ///
    /// Validates: an ECN-capable packet is marked if more than `mark_above` packets wait, including it; other packets
    ///   are never marked, and the limit does not change.
    /// Source: RFC 8257, section 3.1; Alizadeh et al. 2010, section 3.1.
    /// Tolerance: exact.
    #[test]
    fn arrivals_above_the_threshold_are_marked() {
        let [no, yes, dropped] = [Some(false), Some(true), None];
        for (mark_above, expected) in [
            (0, [no, no, no, no, no, dropped]),
            (1, [no, no, yes, yes, yes, dropped]),
            (3, [no, no, no, no, yes, dropped]),
            (4, [no, no, no, no, no, dropped]),
        ] {
            for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
                assert_eq!(verdicts(mark_above, ecn), expected, "above {mark_above}");
            }
            assert_eq!(verdicts(mark_above, Ecn::NotEct), [no, no, no, no, no, dropped]);
        }
    }

    /// Six packets of 1000 bytes, and one of 2500, arrive at a queue for three packets or 3000 bytes.
    ///
    /// Validates: an arrival at a full queue removes the oldest packets, as many as necessary, and as many packets are lost
    ///   as with `tail`; an arrival that does not fit into the empty queue is dropped and removes none.
    /// Source: Yin and Hluchyj 1993; Lakshman, Neidhardt and Ott 1996.
    /// Tolerance: exact.
    #[test]
    fn a_full_queue_drops_its_oldest_packets() {
        let queued = |number: u64, size| Queued {
            packet: Packet::data(FlowId(0), 0, Segment::new(number, size), Time::ZERO),
            since: Time::from_millis(number),
            hop: 0,
            marked: false,
        };
        for (limit, fits) in [(Limit::Packets(3), true), (Limit::Bytes(3_000), true), (Limit::Bytes(2_000), false)] {
            let ties = Ties::Departure;
            let mut queue =
                stored(&DropTailSpec { limit, count_in_service: false, ties, mark_above: 0, drop: DropFrom::Head });
            let mut dropped = Dropped::new();
            for number in 0..6 {
                assert_eq!(queue.enqueue(queued(number, 1_000), 0, &mut dropped), Ok(()));
            }
            let lost = if fits { 3 } else { 4 };
            assert_eq!(
                dropped.iter().map(|(oldest, _)| oldest.since).collect::<Vec<_>>(),
                (0..lost).map(Time::from_millis).collect::<Vec<_>>()
            );
            assert_eq!(queue.enqueue(queued(6, 2_500), 0, &mut dropped).is_ok(), fits);
            let left: Vec<_> =
                std::iter::from_fn(|| queue.dequeue(Time::SECOND, &mut dropped)).map(|left| left.since).collect();
            let expected = match limit {
                Limit::Packets(_) => vec![4, 5, 6],
                Limit::Bytes(_) if fits => vec![6],
                Limit::Bytes(_) => vec![4, 5],
            };
            assert_eq!(left, expected.into_iter().map(Time::from_millis).collect::<Vec<_>>());
        }
    }
}
