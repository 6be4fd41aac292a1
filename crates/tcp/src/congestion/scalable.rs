//! Scalable TCP: Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks" (ACM CCR 33(2), 2003),
//! section 3.
//!
//! - each ACK: `cwnd += 0.01`; a loss: `cwnd = 0.875 cwnd`. The time to recover from a loss, 13.4 round trips, does not
//!   depend on the window;
//! - below 16 segments, as Reno.

use serde::{Deserialize, Serialize};

use super::{AckSample, CongestionControl, CongestionEvent, Parameter, Spec, Window};
use crate::variants::{FAST, Listing};

pub(super) const DOC: &str = "Adds a constant per ACK, removes an eighth on a loss (Kelly 2003)";
pub(super) const LISTING: Option<Listing> = Some(Listing { era: FAST, doc: DOC });
pub(super) const PARAMETERS: &[Parameter] = &[];

/// Segments added per ACK, fraction removed on a loss, and the window below which the law is Reno's (section 3).
const INCREASE: f64 = 0.01;
const DECREASE: f64 = 0.125;
const LEGACY_WINDOW: f64 = 16.0;

/// Scalable TCP has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScalableSpec {}

#[derive(Debug)]
pub(crate) struct Scalable;

impl Spec for ScalableSpec {
    type State = Scalable;

    fn build(&self) -> Scalable {
        Scalable
    }
}

impl CongestionControl for Scalable {
    const KEPT: f64 = 1.0 - DECREASE;

    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        let increase = if window.cwnd <= LEGACY_WINDOW { 1.0 / window.cwnd } else { INCREASE };
        window.cwnd += ack.counted(window) * increase;
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        let decrease = if event.window <= LEGACY_WINDOW { 0.5 } else { DECREASE };
        window.reduce_to(event.window * (1.0 - decrease), event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::Signal;

    /// Validates: a loss costs the same number of round trips at any window.
    /// Source: Kelly 2003, section 3: ln(1 / 0.875) / ln 1.01 = 13.4.
    /// Tolerance: whole round trips, and growth within a round trip: 13 or 14.
    #[test]
    fn recovery_takes_13_round_trips_at_any_window() {
        for before in [100.0, 10_000.0] {
            let mut window = Window { cwnd: before, ssthresh: before };
            let event =
                CongestionEvent { signal: Signal::Loss, window: before, least: 2.0, lost_again: false, abe: false };
            Scalable.on_congestion(&mut window, &event);
            assert_eq!(window.cwnd, 0.875 * before);
            let mut rounds = 0;
            while window.cwnd < before {
                for _ in 0..window.cwnd as u64 {
                    Scalable.on_ack(&mut window, &AckSample::ONE);
                }
                rounds += 1;
            }
            assert!((13..=14).contains(&rounds), "{rounds}");
        }
    }

    #[test]
    fn a_small_window_is_renos() {
        let mut window = Window { cwnd: 10.0, ssthresh: 10.0 };
        Scalable.on_ack(&mut window, &AckSample::ONE);
        assert_eq!(window.cwnd, 10.1);
        let event =
            CongestionEvent { signal: Signal::Timeout, window: 10.0, least: 2.0, lost_again: false, abe: false };
        Scalable.on_congestion(&mut window, &event);
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: 5.0 });
    }
}
