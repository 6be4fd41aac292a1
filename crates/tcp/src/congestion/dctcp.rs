//! DCTCP: the window is reduced in proportion to the share of marked segments (RFC 8257; Alizadeh et al., "Data Center TCP
//! (DCTCP)", SIGCOMM 2010).
//!
//! - `alpha`, the estimated share of marked segments, is averaged once per window: `alpha <- (1 - g) alpha + g M`, where
//!   `M` is the share in the last window (section 3.3);
//! - a mark reduces the window to `(1 - alpha / 2) cwnd`, at most once per window;
//! - a loss halves it (section 3.5); growth is Reno's.
//!
//! Differences from RFC 8257: shares are of segments, not of bytes. A window ends when data sent at its beginning is
//! acknowledged, as in the RFC, also during a recovery.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::state::ALPHA;
use super::{AckSample, CongestionControl, CongestionEvent, Parameter, ParameterKind, Signal, Spec, Variable, Window};
use crate::variants::{Listing, TODAY};

pub(super) const DOC: &str = "Reduces the window in proportion to the share of marked packets (RFC 8257)";
pub(super) const LISTING: Option<Listing> = Some(Listing { era: TODAY, doc: DOC });
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "g",
        doc: "Weight of the last window in the estimated share of marked packets",
        kind: ParameterKind::Number { min: None, max: Some(1.0), above: Some(0.0), default: 1.0 / 16.0 },
    },
    Parameter {
        name: "initial_alpha",
        doc: "Estimated share of marked packets before the first window",
        kind: ParameterKind::Number { min: Some(0.0), max: Some(1.0), above: None, default: 1.0 },
    },
];

/// The parameters of DCTCP.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DctcpSpec {
    /// Weight of the last window in the estimate.
    pub g: f64,
    /// The estimate before the first window.
    pub initial_alpha: f64,
}

#[derive(Debug)]
pub(crate) struct Dctcp {
    g: f64,
    alpha: f64,
    /// Segments acknowledged in the present window, and those of them that were marked.
    acked: u64,
    marked: u64,
    /// The present window ends when this segment is acknowledged.
    end: u64,
}

impl Spec for DctcpSpec {
    type State = Dctcp;

    fn build(&self) -> Dctcp {
        Dctcp { g: self.g, alpha: self.initial_alpha, acked: 0, marked: 0, end: 0 }
    }
}

impl CongestionControl for Dctcp {
    const KEPT: f64 = 0.5;
    const GRADES_MARKS: bool = true;
    const VARIABLES: &'static [Variable] = &[ALPHA];

    fn observe(&mut self, ack: &AckSample) {
        self.acked += ack.advance;
        self.marked += ack.marked.min(ack.advance);
        if ack.snd_una > self.end && self.acked > 0 {
            let share = self.marked as f64 / self.acked as f64;
            self.alpha += self.g * (share - self.alpha);
            (self.acked, self.marked, self.end) = (0, 0, ack.snd_nxt);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        window.cwnd += ack.counted(window) / window.cwnd;
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        let kept = match event.signal {
            Signal::Mark => window.cwnd * (1.0 - self.alpha / 2.0),
            Signal::Loss | Signal::Timeout => event.window / 2.0,
        };
        window.reduce_to(kept, event);
    }

    fn visit_state(&self, _now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("alpha", self.alpha);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `alpha` after the given numbers of windows of ten segments, of which `marked` are marked.
    fn after<const N: usize>(initial_alpha: f64, marked: u64, windows: [u64; N]) -> [f64; N] {
        windows.map(|windows| {
            let mut law = DctcpSpec { g: 1.0 / 16.0, initial_alpha }.build();
            for window in 1..=windows {
                let ack = AckSample { advance: 10, snd_una: 10 * window, snd_nxt: 10 * window, ..AckSample::ONE };
                law.observe(&AckSample { marked, snd_una: ack.snd_una + 1, ..ack });
            }
            law.alpha
        })
    }

    /// Validates: the estimate after 1 to 30 windows without marks, and with every segment marked.
    /// Source: RFC 8257, section 3.3.
    /// Tolerance: six decimals.
    #[test]
    fn the_estimate_is_an_average_over_windows() {
        let near = |found: &[f64], expected: &[f64]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 5e-7), "{found:?}");
        };
        near(&after(1.0, 0, [1, 5, 10, 16, 20, 30]), &[0.9375, 0.724_196, 0.524_460, 0.356_074, 0.275_059, 0.144_257]);
        near(&after(0.0, 10, [1, 5, 10, 16, 30]), &[0.0625, 0.275_804, 0.475_540, 0.643_926, 0.855_743]);
    }

    /// Validates: a mark keeps `1 - alpha / 2` of the window, a loss half of it.
    /// Source: RFC 8257, sections 3.3 and 3.5.
    /// Tolerance: six decimals.
    #[test]
    fn a_mark_reduces_in_proportion() {
        let mut law = DctcpSpec { g: 1.0 / 16.0, initial_alpha: after(0.0, 10, [10])[0] }.build();
        let mut window = Window { cwnd: 100.0, ssthresh: 100.0 };
        let event = CongestionEvent { signal: Signal::Mark, window: 100.0, least: 2.0, lost_again: false, abe: false };
        law.on_congestion(&mut window, &event);
        assert!((window.cwnd - 76.2230).abs() < 5e-5 && window.ssthresh == window.cwnd);
        law.on_congestion(&mut window, &CongestionEvent { signal: Signal::Loss, ..event });
        assert_eq!(window.cwnd, 50.0);
    }
}
