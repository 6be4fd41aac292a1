//! The short form of a link: the state that the next packet of the usual size needs, in 32 bytes. See [`super::links`].

use ackclock_units::Time;

use crate::link::backlog::INSTANT;
use crate::link::rate::LinkRate;
use crate::queue::DropTailSpec;

/// The short form of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastPath {
    /// End of the last transmission.
    pub(crate) busy_until: Time,
    /// Transmission time of a packet.
    pub(crate) each: Time,
    /// Propagation delay of the link.
    pub(crate) delay: Time,
    /// A packet is accepted if the remaining transmission time of the backlog is at most this many times `each`.
    pub(crate) room: u32,
    /// Size of the packets that take the fast path; 0 if none does.
    pub(crate) size: u32,
}

/// A transmission, and the arrival at the far end of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) start: Time,
    pub(crate) end: Time,
    pub(crate) arrival: Time,
}

impl FastPath {
    /// The short form of an idle link that has had no packet.
    pub(super) const UNUSED: Self =
        Self { busy_until: Time::ZERO, each: Time::ZERO, delay: Time::ZERO, room: 0, size: 0 };

    /// Sends a packet if the fast path applies to it.
    #[inline(always)]
    pub(super) fn take(&mut self, size: u32, now: Time) -> Option<Sent> {
        let start = self.busy_until.max(now);
        if size != self.size || (start - now).as_picos() > self.each.as_picos() * u64::from(self.room) {
            return None;
        }
        // no sum overflows: see `Links::far`
        let end = start + self.each;
        self.busy_until = end;
        Some(Sent { start, end, arrival: end + self.delay })
    }
}

/// Rate and propagation delay of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) rate: &'a LinkRate,
    pub(crate) delay: Time,
}

impl Line<'_> {
    /// Time in which a packet of `size` bytes crosses the link if it does not wait, on a link with a constant rate.
    pub(crate) fn time_of(&self, size: u32) -> Time {
        self.rate.transmission_time(size, Time::ZERO).max(INSTANT).saturating_add(self.delay)
    }
}

/// Properties of links that can have the short form, shared by links that are alike.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) rate: LinkRate,
    pub(crate) delay: Time,
    pub(crate) queue: DropTailSpec,
}

impl Kind {
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let (Some(rate), Some(others)) = (self.rate.constant(), other.rate.constant()) else { return false };
        (rate, self.delay, self.queue) == (others, other.delay, other.queue)
    }
}
