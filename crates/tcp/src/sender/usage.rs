//! Whether the congestion window limits a sender, as Linux remembers it (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`).
//!
//! A window that was full counts as the limit until all that was outstanding then is acknowledged, although the sender
//! may have less to send since. In slow start, a window also grows while it is below twice the largest flight.

use crate::congestion::Window;

/// How the last window was used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// Whether the window was full.
    is_full: bool,
    /// The largest flight, if it was not.
    flight: u64,
    /// The next window begins when all segments before this one are acknowledged.
    end: u64,
    /// First segment that had not been sent when a turn last ended.
    sent: u64,
}

/// A sender at the end of a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnEnd {
    pub(super) snd_una: u64,
    pub(super) snd_max: u64,
    /// Segments in the network.
    pub(super) in_flight: u64,
    pub(super) cwnd: u64,
    /// Whether new data waits.
    pub(super) has_data: bool,
}

impl Usage {
    /// Records a turn.
    pub(super) fn on_turn(&mut self, turn: TurnEnd) {
        let is_full = turn.in_flight >= turn.cwnd;
        if turn.snd_max == self.sent && !(is_full && turn.has_data) {
            return;
        }
        self.sent = turn.snd_max;
        let flight = turn.snd_max - turn.snd_una;
        if turn.snd_una >= self.end || is_full || !self.is_full && flight > self.flight {
            (self.is_full, self.flight, self.end) = (is_full, flight, turn.snd_max);
        }
    }

    /// Whether the window limits the sender.
    pub(super) fn is_limit(&self, window: &Window) -> bool {
        self.is_full || window.cwnd < window.ssthresh && window.cwnd < 2.0 * self.flight as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(snd_una: u64, snd_max: u64, cwnd: u64) -> TurnEnd {
        TurnEnd { snd_una, snd_max, in_flight: snd_max - snd_una, cwnd, has_data: false }
    }

    const SLOW_START: Window = Window { cwnd: 15.0, ssthresh: 100.0 };
    const AVOIDANCE: Window = Window { cwnd: 15.0, ssthresh: 15.0 };

    /// Validates: a full window limits until it is acknowledged, and then the next one decides.
    /// Source: Linux, `tcp_cwnd_validate`.
    /// Tolerance: exact.
    #[test]
    fn a_full_window_is_remembered() {
        let mut usage = Usage::default();
        usage.on_turn(turn(0, 15, 15));
        usage.on_turn(turn(10, 16, 15));
        assert!(usage.is_limit(&AVOIDANCE), "the window of 15 is not acknowledged yet");
        usage.on_turn(turn(15, 17, 15));
        assert!(!usage.is_limit(&AVOIDANCE) && !usage.is_limit(&SLOW_START));
    }

    /// Validates: slow start goes on to twice the largest flight; congestion avoidance does not.
    /// Source: Linux, `tcp_is_cwnd_limited`.
    /// Tolerance: exact.
    #[test]
    fn slow_start_looks_at_the_largest_flight() {
        let mut usage = Usage::default();
        for flight in [5, 8, 6] {
            usage.on_turn(turn(0, flight, 15));
        }
        assert!(usage.is_limit(&SLOW_START) && !usage.is_limit(&AVOIDANCE));
        assert!(!usage.is_limit(&Window { cwnd: 16.0, ..SLOW_START }));
    }

    /// A turn that sends nothing changes nothing, unless the window holds back data.
    #[test]
    fn only_turns_that_could_send_count() {
        let mut usage = Usage::default();
        usage.on_turn(turn(0, 8, 15));
        usage.on_turn(turn(0, 8, 8));
        assert!(!usage.is_limit(&AVOIDANCE));
        usage.on_turn(TurnEnd { has_data: true, ..turn(0, 8, 8) });
        assert!(usage.is_limit(&AVOIDANCE));
    }
}
