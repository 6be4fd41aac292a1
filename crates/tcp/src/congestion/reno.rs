//! Reno's congestion control: congestion avoidance (RFC 5681, section 3.1), halving on loss (section 3.2).
//!
//! - at or above `ssthresh`: `cwnd += 1 / cwnd` for each new ACK (equation 3), or for each segment that it acknowledges
//!   with `byte_counting`;
//! - on a loss: `ssthresh = max(W / 2, 2)` (equation 4), `cwnd = W / 2`, or 1 after a timeout, where `W` is the window
//!   that the sender computes reductions from; with `abe`, a mark keeps 80 % (RFC 8511).
//!
//! Differences from RFC 5681: the unit is the segment. As in ns-2, `ssthresh` is truncated to whole segments, while
//! `cwnd` keeps its fraction; `cwnd` never falls below one segment (in ns-2 it can fall to one half).

use serde::{Deserialize, Serialize};

use super::{AckSample, CongestionControl, CongestionEvent, Parameter, Signal, Spec, Window};
use crate::variants::{EARLY, Listing};

pub(super) const DOC: &str = "Additive increase, multiplicative decrease (RFC 5681)";
pub(super) const LISTING: Option<Listing> =
    Some(Listing { era: EARLY, doc: "Adds a packet per round trip, and halves the window on a loss (RFC 5681)" });
pub(super) const PARAMETERS: &[Parameter] = &[];

/// Part of the window that is kept after a mark with `abe` (RFC 8511, section 3.1).
const ABE: f64 = 0.8;

/// Reno has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenoSpec {}

#[derive(Debug)]
pub(crate) struct Reno;

impl Spec for RenoSpec {
    type State = Reno;

    fn build(&self) -> Reno {
        Reno
    }
}

impl CongestionControl for Reno {
    const KEPT: f64 = 0.5;

    #[inline(always)]
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        window.cwnd += ack.counted(window) / window.cwnd;
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        let kept = event.window * event.factor(0.5, ABE);
        window.ssthresh = kept.floor().max(2.0);
        window.cwnd = match event.signal {
            Signal::Loss | Signal::Mark => kept.max(event.least),
            Signal::Timeout => 1.0,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: congestion avoidance adds one segment per window, whether ACKs or segments are counted.
    /// Source: RFC 5681, section 3.1; RFC 3465, section 2.1.
    /// Tolerance: exact.
    #[test]
    fn one_segment_per_window() {
        let mut window = Window { cwnd: 4.0, ssthresh: 4.0 };
        Reno.on_ack(&mut window, &AckSample::ONE);
        assert_eq!(window.cwnd, 4.25);
        Reno.on_ack(&mut window, &AckSample { newly_acked: 2, byte_counting: 2, ..AckSample::ONE });
        assert_eq!(window.cwnd, 4.25 + 2.0 / 4.25);
    }

    /// Validates: an ACK for many windows, such as the one that fills a gap after a timeout, adds one segment.
    /// Source: RFC 5681, section 3.1: at most one segment per round trip.
    /// Tolerance: exact.
    #[test]
    fn an_ack_for_many_windows_adds_one_segment() {
        let mut window = Window { cwnd: 2.0, ssthresh: 2.0 };
        Reno.on_ack(&mut window, &AckSample { newly_acked: 134, byte_counting: 2, ..AckSample::ONE });
        assert_eq!(window.cwnd, 3.0);
    }

    /// Validates: a loss halves the window, a timeout resets it to one segment.
    /// Source: RFC 5681, sections 3.1 and 3.2.
    /// Tolerance: exact.
    #[test]
    fn a_loss_halves_and_a_timeout_restarts() {
        let mut window = Window { cwnd: 30.0, ssthresh: 20.0 };
        let event = CongestionEvent { signal: Signal::Loss, window: 11.0, least: 2.0, lost_again: false, abe: false };
        Reno.on_congestion(&mut window, &event);
        assert_eq!(window, Window { cwnd: 5.5, ssthresh: 5.0 });
        Reno.on_congestion(&mut window, &CongestionEvent { signal: Signal::Timeout, window: 1.0, ..event });
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: 2.0 });
        Reno.on_congestion(&mut window, &CongestionEvent { window: 3.0, ..event });
        assert_eq!(window, Window { cwnd: 2.0, ssthresh: 2.0 }, "never below two segments");
    }
}
