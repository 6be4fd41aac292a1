//! Reno's congestion control: slow start and congestion avoidance (RFC 5681, section 3.1), halving on loss (section
//! 3.2).
//!
//! - below `ssthresh`: `cwnd += 1` for each new ACK;
//! - at or above `ssthresh`: `cwnd += 1 / cwnd` for each new ACK (equation 3);
//! - on a loss: `ssthresh = max(W / 2, 2)` (equation 4), `cwnd = W / 2`, or 1 after a timeout, where `W` is the window
//!   that the sender computes reductions from.
//!
//! Differences from RFC 5681: the unit is the segment, so a delayed ACK for two segments grows the window by one in
//! slow start (consistent with the RFC's SMSS limit). As in ns-2, `ssthresh` is truncated to whole segments, while
//! `cwnd` keeps its fraction; `cwnd` never falls below one segment (in ns-2 it can fall to one half).

use serde::{Deserialize, Serialize};

use super::{AckSample, CongestionControl, CongestionEvent, Invalid, Parameter, Signal, Window};

pub(super) const DOC: &str = "Additive increase, multiplicative decrease (RFC 5681)";
pub(super) const PARAMETERS: &[Parameter] = &[];

/// Reno has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenoSpec {}

#[derive(Debug)]
pub(crate) struct Reno;

#[expect(clippy::trivially_copy_pass_by_ref, clippy::unnecessary_wraps, reason = "every law is checked the same way")]
pub(super) const fn check(_: &RenoSpec) -> Result<(), Invalid> {
    Ok(())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "every law is built the same way")]
pub(super) const fn build(_: &RenoSpec) -> Reno {
    Reno
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        if ack.app_limited {
            return;
        }
        window.cwnd += if window.cwnd < window.ssthresh { 1.0 } else { 1.0 / window.cwnd };
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        let half = event.window / 2.0;
        window.ssthresh = half.floor().max(2.0);
        window.cwnd = match event.signal {
            Signal::FastRetransmit => half.max(event.least),
            Signal::Timeout => 1.0,
        };
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Time;

    use super::*;

    const ACK: AckSample = AckSample {
        now: Time::ZERO,
        snd_una: 1,
        snd_nxt: 3,
        newly_acked: 1,
        delivered: 1,
        elapsed: None,
        rtt: None,
        app_limited: false,
    };

    /// Validates: slow start adds one segment per ACK, congestion avoidance one per window.
    /// Source: RFC 5681, section 3.1.
    /// Tolerance: exact.
    #[test]
    fn one_segment_per_ack_below_ssthresh_and_one_per_window_above() {
        let mut window = Window { cwnd: 2.0, ssthresh: 4.0 };
        for expected in [3.0, 4.0, 4.25, 4.25 + 1.0 / 4.25] {
            Reno.on_ack(&mut window, &ACK);
            assert_eq!(window.cwnd, expected);
        }
        Reno.on_ack(&mut window, &AckSample { app_limited: true, ..ACK });
        assert_eq!(window.cwnd, 4.25 + 1.0 / 4.25);
    }

    /// Validates: a loss halves the window, a timeout resets it to one segment.
    /// Source: RFC 5681, sections 3.1 and 3.2.
    /// Tolerance: exact.
    #[test]
    fn a_loss_halves_and_a_timeout_restarts() {
        let mut window = Window { cwnd: 30.0, ssthresh: 20.0 };
        let event = CongestionEvent { signal: Signal::FastRetransmit, window: 11.0, least: 2.0, lost_again: false };
        Reno.on_congestion(&mut window, &event);
        assert_eq!(window, Window { cwnd: 5.5, ssthresh: 5.0 });
        Reno.on_congestion(&mut window, &CongestionEvent { signal: Signal::Timeout, window: 1.0, ..event });
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: 2.0 });
        Reno.on_congestion(&mut window, &CongestionEvent { window: 3.0, ..event });
        assert_eq!(window, Window { cwnd: 2.0, ssthresh: 2.0 }, "never below two segments");
    }
}
