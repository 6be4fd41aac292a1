//! HighSpeed TCP: RFC 3649, section 5.
//!
//! Above a window of 38 segments, the increase `a(w)` and the decrease `b(w)` depend on the window `w`, so that the
//! average window at a loss rate `p` is `0.12 / p^0.835` instead of Reno's `1.2 / sqrt(p)`:
//!
//! - each ACK: `cwnd += a(w) / cwnd`; a loss: `cwnd = (1 - b(w)) cwnd`;
//! - `b(w)` falls from 0.5 at 38 segments to 0.1 at 83,000, linearly in `log w`;
//! - `a(w) = w^2 p(w) 2 b(w) / (2 - b(w))` with `p(w) = 0.078 / w^1.2`.
//!
//! Differences from RFC 3649: `a(w)` is computed from the equations and is not rounded (appendix B lists whole
//! numbers); it is at least 1.

use serde::{Deserialize, Serialize};

use super::{AckSample, CongestionControl, CongestionEvent, Parameter, Spec, Window};
use crate::variants::{FAST, Listing};

pub(super) const DOC: &str = "Grows faster and reduces less the larger the window is (RFC 3649)";
pub(super) const LISTING: Option<Listing> = Some(Listing { era: FAST, doc: DOC });
pub(super) const PARAMETERS: &[Parameter] = &[];

/// `Low_Window`, `High_Window` and `High_Decrease`.
const LOW_WINDOW: f64 = 38.0;
const HIGH_WINDOW: f64 = 83_000.0;
const HIGH_DECREASE: f64 = 0.1;

/// HighSpeed TCP has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HighSpeedSpec {}

#[derive(Debug)]
pub(crate) struct HighSpeed;

impl Spec for HighSpeedSpec {
    type State = HighSpeed;

    fn build(&self) -> HighSpeed {
        HighSpeed
    }
}

/// The factor `b(w)` of a reduction.
fn decrease(window: f64) -> f64 {
    if window <= LOW_WINDOW {
        return 0.5;
    }
    let share = (libm::log(window) - libm::log(LOW_WINDOW)) / (libm::log(HIGH_WINDOW) - libm::log(LOW_WINDOW));
    (0.5 - (0.5 - HIGH_DECREASE) * share).max(HIGH_DECREASE)
}

/// The increase `a(w)` per round trip.
fn increase(window: f64) -> f64 {
    if window <= LOW_WINDOW {
        return 1.0;
    }
    let (loss, factor) = (0.078 / libm::pow(window, 1.2), decrease(window));
    (window * window * loss * 2.0 * factor / (2.0 - factor)).max(1.0)
}

impl CongestionControl for HighSpeed {
    const KEPT: f64 = 0.9;

    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        window.cwnd += ack.counted(window) * increase(window.cwnd) / window.cwnd;
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        window.reduce_to(event.window * (1.0 - decrease(event.window)), event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::Signal;

    /// Validates: increase and decrease at windows of 118 to 83,000 segments.
    /// Source: RFC 3649, equations of section 5; appendix B has 2, 3, 8, ... for the increase.
    /// Tolerance: the printed digits.
    #[test]
    fn increase_and_decrease_follow_the_window() {
        let cases = [
            (118.0, 2.006, 0.4411),
            (221.0, 3.005, 0.4084),
            (1_058.0, 8.011, 0.3269),
            (5_000.0, 19.93, 0.2462),
            (10_000.0, 29.02, 0.2101),
            (83_000.0, 70.7, 0.1),
        ];
        for (window, a, b) in cases {
            assert!((increase(window) / a - 1.0).abs() < 1e-3, "{window}: {}", increase(window));
            assert!((decrease(window) - b).abs() < 1e-4, "{window}: {}", decrease(window));
        }
        assert_eq!((increase(38.0), decrease(38.0)), (1.0, 0.5), "as Reno");
    }

    #[test]
    fn a_loss_leaves_at_least_the_minimum() {
        let mut window = Window { cwnd: 3.0, ssthresh: 3.0 };
        let event = CongestionEvent { signal: Signal::Loss, window: 3.0, least: 2.0, lost_again: false, abe: false };
        HighSpeed.on_congestion(&mut window, &event);
        assert_eq!(window, Window { cwnd: 2.0, ssthresh: 2.0 });
        HighSpeed.on_congestion(&mut window, &CongestionEvent { signal: Signal::Timeout, window: 1_058.0, ..event });
        assert!(window.cwnd == 1.0 && (window.ssthresh - 712.1).abs() < 0.1);
    }
}
