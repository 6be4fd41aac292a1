//! Deadlines of the endpoints.

use ackclock_units::Time;

/// A pending wake-up. If the deadline moves, the event stays in the agenda; an event that fires too early is ignored or
/// rescheduled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm {
    pub(crate) pending: Time,
}

impl Alarm {
    pub(crate) const IDLE: Self = Self { pending: Time::MAX };

    /// Returns the time of a wake-up to schedule, if `deadline` is earlier than the pending wake-up.
    #[inline(always)]
    pub(crate) fn arm(&mut self, deadline: Option<Time>) -> Option<Time> {
        // `Time::MAX` is never earlier, so that no deadline needs no test of its own
        let deadline = deadline.unwrap_or(Time::MAX);
        if deadline >= self.pending {
            return None;
        }
        self.pending = deadline;
        Some(deadline)
    }

    /// Called when a wake-up fires at `now`; returns whether `deadline` has been reached.
    pub(crate) fn fires(&mut self, now: Time, deadline: Option<Time>) -> bool {
        if now == self.pending {
            self.pending = Time::MAX;
        }
        deadline.is_some_and(|deadline| deadline <= now)
    }
}
