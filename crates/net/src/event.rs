//! Events and their order.
//!
//! Events are sorted by time, and then by kind and target. Events are never cancelled: a component stores its deadlines
//! in fields and has at most one relevant wake-up of each kind; a wake-up that comes too early is ignored or
//! rescheduled.
//!
//! **Ties.** Events with equal times run by kind, in the order of [`Wakeup`]'s variants, and within a kind by a hash of
//! time and id. The order is thus a property of the model, not of the queue: it does not depend on the order of
//! scheduling, and no component wins every tie, as the component with the lowest id would if ids broke ties.

use std::cmp::Ordering;

use ackclock_units::Time;

use crate::packet::{FlowId, Name, Packet};

/// The kind of a wake-up. The order of the variants breaks ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wakeup {
    /// A packet reaches the end of a link.
    Arrival,
    /// A flow's receiver must send its delayed ACK.
    DelayedAck,
    /// A flow's source has data for which the sender waits.
    Source,
    /// A flow's sender has finished processing.
    Release,
    /// A flow's retransmission timer may have expired.
    Timeout,
    /// A client, identified by its first flow, has a request.
    Request,
    /// A flow's connection is complete.
    Close,
}

/// An event at a point in time: 48 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// Time of the event.
    pub(crate) at: Time,
    /// Target of the event: the global id of a flow, or of the link at whose end a packet arrives. Used only to break
    /// ties.
    id: u32,
    /// Kind of the event: the hop of an arriving packet, or a value above [`ARRIVAL`] for each other kind of wake-up.
    why: u32,
    /// The arriving packet, or an empty packet. In both cases, its flow is the flow that the event concerns.
    pub(crate) packet: Packet,
}

/// Upper limit of hops. Larger values of `why` are wake-ups other than an arrival.
const ARRIVAL: u32 = u32::MAX - 6;

impl Event {
    /// A placeholder where there is no event.
    pub(crate) const NONE: Self = Self { at: Time::ZERO, id: 0, why: 0, packet: Packet::NONE };

    /// Arrival of a packet at the end of a link at `at`.
    #[inline(always)]
    pub(crate) const fn arrival(at: Time, Name(link): Name, hop: u32, packet: &Packet) -> Self {
        Self { at, id: link, why: hop, packet: *packet }
    }

    /// Wake-up of a flow at `at`, of a kind other than an arrival.
    pub(crate) const fn wakeup_of(flow: FlowId, Name(name): Name, at: Time, wakeup: Wakeup) -> Self {
        let why = match wakeup {
            Wakeup::Arrival => ARRIVAL,
            Wakeup::DelayedAck => ARRIVAL + 1,
            Wakeup::Source => ARRIVAL + 2,
            Wakeup::Release => ARRIVAL + 3,
            Wakeup::Timeout => ARRIVAL + 4,
            Wakeup::Request => ARRIVAL + 5,
            Wakeup::Close => ARRIVAL + 6,
        };
        Self { at, id: name, why, packet: Packet { flow, ..Packet::NONE } }
    }

    /// The hop of an arrival.
    #[inline(always)]
    pub(crate) const fn hop(&self) -> u32 {
        debug_assert!(self.why < ARRIVAL, "only an arrival has a hop");
        self.why
    }

    /// The kind of wake-up.
    pub(crate) const fn wakeup(&self) -> Wakeup {
        match self.why.saturating_sub(ARRIVAL) {
            0 => Wakeup::Arrival,
            1 => Wakeup::DelayedAck,
            2 => Wakeup::Source,
            3 => Wakeup::Release,
            4 => Wakeup::Timeout,
            5 => Wakeup::Request,
            _ => Wakeup::Close,
        }
    }

    /// A pseudo-random number for each pair (time, id), which breaks ties fairly.
    const fn coin(&self) -> u64 {
        let id = (self.id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let key = (self.at.as_picos() ^ id).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (key ^ (key >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb)
    }

    #[cold]
    #[inline(never)]
    fn break_tie(&self, other: &Self) -> Ordering {
        let key = |event: &Self| (event.why.max(ARRIVAL), event.coin(), event.id);
        key(self).cmp(&key(other))
    }
}

impl Ord for Event {
    #[inline(always)]
    fn cmp(&self, other: &Self) -> Ordering {
        if self.at == other.at { self.break_tie(other) } else { self.at.cmp(&other.at) }
    }
}

impl PartialOrd for Event {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Event {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_fall_by_kind_and_then_fairly() {
        use Wakeup::{Close, DelayedAck, Release, Request, Source, Timeout};
        let event = |at, id, wakeup| Event::wakeup_of(FlowId(id), Name(id), at, wakeup);
        let order = [DelayedAck, Source, Release, Timeout, Request, Close];
        for (first, second) in order.iter().zip(&order[1..]) {
            assert!(event(Time::SECOND, 9, *first) < event(Time::SECOND, 0, *second));
            assert_eq!(event(Time::SECOND, 9, *first).wakeup(), *first);
        }
        let arrival = Event::arrival(Time::SECOND, Name(9), 7, &Packet::NONE);
        assert!(arrival < event(Time::SECOND, 0, Wakeup::DelayedAck));
        assert_eq!((arrival.wakeup(), arrival.hop()), (Wakeup::Arrival, 7));
        let wins = (0..10_000_u64)
            .filter(|slot| {
                let event = |id| event(Time::from_picos(slot * 240_000_000), id, Wakeup::Release);
                event(0) < event(1)
            })
            .count();
        assert!((4_800..5_200).contains(&wins), "four standard deviations of a fair coin are 200: {wins}");
    }
}
