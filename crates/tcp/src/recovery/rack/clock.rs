//! RACK's clock: the transmission that was delivered most recently, in order of sending, and how much later than its
//! successors a segment may arrive (RFC 8985, sections 6.2.1 to 6.2.4).

use ackclock_units::Time;

use crate::send_log::Sent;

/// Number of recoveries for which a widened reordering window is kept (`RACK.reo_wnd_persist`).
const PERSIST: u32 = 16;

/// Largest degree of reordering, in segments (Linux, `tcp_max_reordering`).
const MOST_REORDERING: u64 = 300;

/// A transmission; transmissions are ordered by time, and by number if they are simultaneous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Transmission {
    pub(super) at: Time,
    pub(super) number: u64,
}

/// The clock.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// The transmission that was sent last of all that were delivered, and its round-trip time.
    pub(super) latest: Option<Transmission>,
    rtt: Time,
    min_rtt: Time,
    /// First segment above all that were delivered (`RACK.fack`).
    fack: u64,
    /// By how many segments originals have arrived late, at most; 0: never.
    reordering: u64,
    /// Size of the reordering window in quarters of `min_rtt` (`RACK.reo_wnd_mult`), and the number of recoveries until
    /// it is reset.
    steps: u32,
    persist: u32,
    /// Duplicates reported before this segment is acknowledged belong to one round trip.
    dsack_round: u64,
    /// Whether a delivery has given a round-trip time since the last search for losses.
    advanced: bool,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            latest: None,
            rtt: Time::ZERO,
            min_rtt: Time::MAX,
            fack: 0,
            reordering: 0,
            steps: 1,
            persist: PERSIST,
            dsack_round: 0,
            advanced: false,
        }
    }
}

impl Clock {
    /// Records the delivery of segment `number`. A retransmission after `echoed` is not answered. `fack` is the first
    /// segment above all that were delivered before this ACK. Returns the round-trip time, unless the ACK answers an
    /// earlier transmission.
    pub(super) fn delivered(&mut self, number: u64, sent: Sent, echoed: Time, fack: u64, now: Time) -> Option<Time> {
        let rtt = sent.elapsed(now);
        let original = sent.transmits == 1;
        if original {
            self.min_rtt = self.min_rtt.min(rtt);
            if number + 1 < fack {
                self.note_reordering(fack - number);
            }
        } else if echoed < sent.at || rtt < self.min_rtt {
            return None;
        }
        self.advanced = true;
        self.fack = self.fack.max(number + 1);
        let sent = Transmission { at: sent.at, number };
        // an answer without delay says nothing about segments that were sent at the same time
        if rtt > Time::ZERO && self.latest.is_none_or(|latest| latest < sent) {
            (self.latest, self.rtt) = (Some(sent), rtt);
        }
        Some(rtt)
    }

    /// Whether a delivery has given a round-trip time since the last call (Linux, `rack.advanced`).
    pub(super) const fn take_advanced(&mut self) -> bool {
        std::mem::replace(&mut self.advanced, false)
    }

    /// Replaces the round-trip time of the latest delivery.
    pub(super) const fn measure(&mut self, rtt: Time) {
        self.rtt = rtt;
    }

    /// By how many segments originals have arrived late, at most; 0: never.
    pub(super) const fn reordering(&self) -> u64 {
        self.reordering
    }

    /// Records that a segment has arrived late by so many segments.
    pub(super) fn note_reordering(&mut self, by: u64) {
        self.reordering = self.reordering.max(by.min(MOST_REORDERING));
    }

    /// Limits the degree of reordering, which was too high if a timeout was necessary although segments were reported
    /// (Linux, `tcp_enter_loss`).
    pub(super) fn doubt_reordering(&mut self, most: u64) {
        self.reordering = self.reordering.min(most);
    }

    /// The minimum round-trip time.
    pub(super) const fn min_rtt(&self) -> Time {
        self.min_rtt
    }

    /// First segment above all that were delivered.
    pub(super) const fn fack(&self) -> u64 {
        self.fack
    }

    /// Widens the reordering window, once per round trip, when a duplicate is reported.
    pub(super) fn duplicate_reported(&mut self, snd_una: u64, snd_max: u64) {
        if snd_una >= self.dsack_round {
            self.dsack_round = snd_max;
            self.steps += 1;
            self.persist = PERSIST;
        }
    }

    /// Called when a recovery ends.
    pub(super) const fn recovery_ended(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.steps = 1;
        }
    }

    /// Whether the [reordering window](Self::reordering_window) is zero, whatever the smoothed round-trip time.
    pub(super) fn expects_order(&self, is_certain: bool) -> bool {
        self.min_rtt == Time::MAX || is_certain && self.reordering == 0
    }

    /// How much later than its successors a segment may arrive. `is_certain` states whether enough has been delivered
    /// above a hole that reordering is not a plausible reason if it has never been seen.
    pub(super) fn reordering_window(&self, is_certain: bool, srtt: Time) -> Time {
        if self.expects_order(is_certain) {
            return Time::ZERO;
        }
        Time::from_picos(self.min_rtt.as_picos() / 4).saturating_mul(self.steps.into()).min(srtt)
    }

    /// When a segment that was sent at `sent` is lost, given the reordering window. There must be a delivery.
    pub(super) const fn deadline(&self, sent: Time, window: Time) -> Time {
        sent.saturating_add(self.rtt).saturating_add(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::send_log::Fate;

    fn sent(at: u64, transmits: u16) -> Sent {
        Sent { at: Time::from_millis(at), first_at: 0, transmits, fate: Fate::InNetwork, was_lost: false }
    }

    /// Validates: the reordering window at a minimum round-trip time of 40 ms: 10 ms, 20 and 30 ms after duplicates in
    ///     two round trips, never above the smoothed round-trip time, 10 ms again after 16 recoveries; zero while no
    ///     reordering was seen and a loss is certain.
    /// Source: RFC 8985, section 6.2, step 4.
    /// Tolerance: exact.
    #[test]
    fn duplicates_widen_the_reordering_window() {
        let mut clock = Clock::default();
        clock.delivered(0, sent(0, 1), Time::MAX, 0, Time::from_millis(40));
        let window = |clock: &Clock| clock.reordering_window(false, Time::from_millis(45));
        assert_eq!(window(&clock), Time::from_millis(10));
        assert_eq!(clock.reordering_window(true, Time::from_millis(45)), Time::ZERO);
        clock.duplicate_reported(10, 20);
        assert_eq!(window(&clock), Time::from_millis(20));
        clock.duplicate_reported(19, 30);
        assert_eq!(window(&clock), Time::from_millis(20), "the same round trip");
        clock.duplicate_reported(20, 30);
        assert_eq!(window(&clock), Time::from_millis(30));
        clock.duplicate_reported(30, 40);
        clock.duplicate_reported(40, 50);
        assert_eq!(window(&clock), Time::from_millis(45));
        for recovery in 1..=16 {
            assert!(window(&clock) > Time::from_millis(10), "before recovery {recovery} has ended");
            clock.recovery_ended();
        }
        assert_eq!(window(&clock), Time::from_millis(10));
    }

    /// Validates: an original that arrives below a delivered segment is reordering, a retransmission is not; a
    ///     retransmission answered within the minimum round-trip time, or sent after the transmission that the ACK answers,
    ///     does not move the clock.
    /// Source: RFC 8985, section 6.2, steps 2 and 3.
    /// Tolerance: exact.
    #[test]
    fn the_clock_follows_what_was_sent_last() {
        let mut clock = Clock::default();
        let echoed = Time::from_millis(29);
        clock.delivered(5, sent(3, 1), echoed, 0, Time::from_millis(43));
        assert_eq!(clock.latest, Some(Transmission { at: Time::from_millis(3), number: 5 }));
        clock.delivered(2, sent(15, 2), echoed, 6, Time::from_millis(50));
        assert_eq!(clock.latest.map(|latest| latest.number), Some(5), "too early for an answer");
        clock.delivered(2, sent(30, 2), echoed, 6, Time::from_millis(80));
        assert_eq!(clock.latest.map(|latest| latest.number), Some(5), "sent after what is answered");
        clock.delivered(2, sent(10, 2), echoed, 6, Time::from_millis(51));
        assert_eq!(clock.latest.map(|latest| latest.number), Some(2));
        assert_eq!(clock.reordering(), 0);
        clock.delivered(3, sent(2, 1), echoed, 6, Time::from_millis(52));
        assert_eq!((clock.reordering(), clock.fack()), (3, 6));
        assert_eq!(clock.latest.map(|latest| latest.number), Some(2), "segment 3 was sent before");
    }
}
