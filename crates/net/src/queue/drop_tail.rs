//! Drop-tail: an arrival is dropped when there is no room.
//!
//! ns-2's limit counts the packet in transmission (`count_in_service = true`): a limit of 50 lets 49 wait.
//!
//! A packet may arrive at the very instant in which a transmission ends, and a full queue then depends on who goes first. That
//! is no rare thing: in a busy period that a flow begins, packets that its own ACKs let go come at multiples of a transmission.
//! ns-2 takes the event that was scheduled first, and what arrives was on its way before the transmission began
//! (`ties = arrival`), as far as the rounding of its times lets two events meet at all.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use crate::backlog::INSTANT;

use super::{Arrival, Context, DropReason, Invalid, Limit, Parameter, ParameterKind, QueueDiscipline, Verdict};

pub(super) const DOC: &str = "First in, first out; an arrival that finds no room is dropped";
pub(super) const PARAMETERS: &[Parameter] = &[Parameter {
    name: "ties",
    doc: "Who goes first when a packet arrives as a transmission ends: the departure frees its place, or comes too late",
    kind: ParameterKind::Choice { choices: &["departure", "arrival"], default: "departure" },
}];

/// The parameters of drop-tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DropTailSpec {
    /// Capacity.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Who goes first when a packet arrives as a transmission ends.
    pub ties: Ties,
}

/// Who goes first when a packet arrives as a transmission ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// The departure: its place is free.
    Departure,
    /// The arrival: it finds the queue as it was an instant before.
    Arrival,
}

#[derive(Debug)]
pub(crate) struct DropTail {
    spec: DropTailSpec,
    /// Since when the link has not been idle.
    busy_since: Time,
}

#[expect(clippy::unnecessary_wraps, reason = "every discipline is checked the same way")]
pub(super) const fn check(_: &DropTailSpec) -> Result<(), Invalid> {
    Ok(())
}

pub(super) const fn build(spec: &DropTailSpec, _: &Context) -> DropTail {
    DropTail { spec: *spec, busy_since: Time::ZERO }
}

impl DropTail {
    /// When an arrival sees the queue: an instant earlier, where it goes first and the link was busy then.
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
        if self.spec.limit.has_room(&seen, self.spec.count_in_service) {
            Verdict::Accept
        } else {
            Verdict::Drop(DropReason::Full)
        }
    }

    fn room(&self, size: u32, each: Time) -> Option<Time> {
        match self.spec.ties {
            Ties::Departure => self.spec.limit.room(size, each, self.spec.count_in_service),
            Ties::Arrival => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::{Rate, Role, Stream};

    use super::*;
    use crate::link::{Link, Offered};
    use crate::packet::{FlowId, Packet, Payload};
    use crate::plan::LinkSpec;
    use crate::queue::QueueSpec;
    use crate::rate::LinkRate;

    /// Two packets fill a link that takes 8 ms for the first; a third comes when that has just gone, and an instant later.
    ///
    /// Validates: who goes first when a packet arrives as a transmission ends, whether packets are alike or not, and whether
    ///     the limit counts packets or bytes.
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
                let queue = QueueSpec::DropTail(DropTailSpec { limit, count_in_service: true, ties });
                let rate = Rate::from_mbps(1);
                let spec = LinkSpec { rate: rate.into(), delay: Time::ZERO, queue, loss: None };
                let context = Context { rate, stream: Stream::new(1, Role::Queue, 0) };
                let losses = Stream::new(1, Role::Loss, 0);
                let mut link = Link::new(&spec, LinkRate::new(&spec.rate), spec.queue.build(&context), losses);
                let payload = Payload::Data { number: 0, retransmission: false, connection: 0 };
                let [first, second, third] =
                    sizes.map(|size| Packet { flow: FlowId(0), size, payload, sent: Time::ZERO });
                assert!(matches!(link.offer(&first, Time::ZERO), Offered::Accepted { .. }));
                assert!(matches!(link.offer(&second, Time::ZERO), Offered::Accepted { .. }));
                let offered = matches!(link.offer(&third, now), Offered::Accepted { .. });
                assert_eq!(offered, is_accepted, "{ties:?} at {now:?}, {limit:?}");
            }
        }
    }
}
