//! DCTCP: the window is reduced in proportion to the share of marked segments (RFC 8257; Alizadeh et al., "Data Center TCP
//! (DCTCP)", SIGCOMM 2010).
//!
//! - `alpha`, the estimated share of marked segments, is averaged once per window: `alpha <- (1 - g) alpha + g M`, where
//!   `M` is the share in the last window (section 3.3);
//! - a mark reduces the window to `(1 - alpha / 2) cwnd`, at most once per window;
//! - a loss halves it (section 3.5); growth is Reno's.
//!
//! `rules = linux` selects Linux 6 (`tcp_dctcp.c`), in whole numbers:
//!
//! - `alpha` has units of 1/1024; both terms of the average are rounded down, and an `alpha` that is too small to decay by a
//!   unit becomes 0 (`dctcp_update_alpha`);
//! - the reduction of the window is rounded down, so that the rest of the window is rounded up (`dctcp_ssthresh`);
//! - a window ends when all data sent before its beginning is acknowledged, one segment earlier than in the RFC.
//!
//! Differences from RFC 8257: shares are of segments, not of bytes. Windows go on during a recovery, as in the RFC.
//! Difference from Linux: segments count when they are acknowledged cumulatively, not when they are delivered.

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
    Parameter {
        name: "rules",
        doc: "Arithmetic of the estimate and of reductions: RFC 8257, or the Linux kernel's whole numbers",
        kind: ParameterKind::Choice { choices: &["rfc8257", "linux"], default: "rfc8257" },
    },
];

/// Units of `alpha` in Linux (`DCTCP_MAX_ALPHA`).
const UNITS: f64 = 1024.0;

/// The parameters of DCTCP.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DctcpSpec {
    /// Weight of the last window in the estimate.
    pub g: f64,
    /// The estimate before the first window.
    pub initial_alpha: f64,
    /// Arithmetic of the estimate and of reductions.
    pub rules: DctcpRules,
}

/// Arithmetic of DCTCP's estimate and reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DctcpRules {
    /// RFC 8257, in real numbers.
    Rfc8257,
    /// Linux 6, in whole numbers.
    Linux,
}

#[derive(Debug)]
pub(crate) struct Dctcp {
    g: f64,
    is_linux: bool,
    alpha: f64,
    /// Segments acknowledged in the present window, and those of them that were marked.
    acked: u64,
    marked: u64,
    /// The present window ends when this segment is acknowledged.
    end: u64,
}

impl Spec for DctcpSpec {
    type State = Dctcp;

    const FIXED: Option<&'static [&'static str]> = Some(&["initial_alpha", "rules"]);

    fn build(&self) -> Dctcp {
        let is_linux = self.rules == DctcpRules::Linux;
        let alpha = if is_linux { (self.initial_alpha * UNITS).floor() / UNITS } else { self.initial_alpha };
        Dctcp { g: self.g, is_linux, alpha, acked: 0, marked: 0, end: 0 }
    }

    fn retune(&self, law: &mut Dctcp) {
        law.g = self.g;
    }
}

impl Dctcp {
    /// The estimate after the present window.
    fn next_alpha(&self) -> f64 {
        let (marked, acked) = (self.marked as f64, self.acked as f64);
        if !self.is_linux {
            return self.alpha + self.g * (marked / acked - self.alpha);
        }
        let units = self.alpha * UNITS;
        let decay = (units * self.g).floor();
        let rest = if decay > 0.0 { units - decay } else { 0.0 };
        (rest + (marked * UNITS * self.g / acked).floor()).min(UNITS) / UNITS
    }
}

impl CongestionControl for Dctcp {
    const KEPT: f64 = 0.5;
    const GRADES_MARKS: bool = true;
    const VARIABLES: &'static [Variable] = &[ALPHA];

    fn observe(&mut self, ack: &AckSample) {
        self.acked += ack.advance;
        self.marked += ack.marked.min(ack.advance);
        let is_over = ack.snd_una > self.end || (self.is_linux && ack.snd_una == self.end);
        if is_over && self.acked > 0 {
            self.alpha = self.next_alpha();
            (self.acked, self.marked, self.end) = (0, 0, ack.snd_nxt);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        window.cwnd += ack.counted(window) / window.cwnd;
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        let kept = match event.signal {
            Signal::Mark if self.is_linux => {
                let whole = window.cwnd.floor();
                whole - (whole * self.alpha / 2.0).floor()
            }
            Signal::Mark => window.cwnd * (1.0 - self.alpha / 2.0),
            Signal::Loss | Signal::Timeout if self.is_linux => (event.window / 2.0).floor(),
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
    use super::DctcpRules::{Linux, Rfc8257};
    use super::*;

    /// `alpha` after the given numbers of windows of ten segments, of which `marked` are marked.
    fn after<const N: usize>(rules: DctcpRules, initial_alpha: f64, marked: u64, windows: [u64; N]) -> [f64; N] {
        windows.map(|windows| {
            let mut law = DctcpSpec { g: 1.0 / 16.0, initial_alpha, rules }.build();
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
        near(
            &after(Rfc8257, 1.0, 0, [1, 5, 10, 16, 20, 30]),
            &[0.9375, 0.724_196, 0.524_460, 0.356_074, 0.275_059, 0.144_257],
        );
        near(&after(Rfc8257, 0.0, 10, [1, 5, 10, 16, 30]), &[0.0625, 0.275_804, 0.475_540, 0.643_926, 0.855_743]);
    }

    /// Validates: a mark keeps `1 - alpha / 2` of the window, a loss half of it.
    /// Source: RFC 8257, sections 3.3 and 3.5.
    /// Tolerance: six decimals.
    #[test]
    fn a_mark_reduces_in_proportion() {
        let mut law =
            DctcpSpec { g: 1.0 / 16.0, initial_alpha: after(Rfc8257, 0.0, 10, [10])[0], rules: Rfc8257 }.build();
        let mut window = Window { cwnd: 100.0, ssthresh: 100.0 };
        let event = CongestionEvent { signal: Signal::Mark, window: 100.0, least: 2.0, lost_again: false, abe: false };
        law.on_congestion(&mut window, &event);
        assert!((window.cwnd - 76.2230).abs() < 5e-5 && window.ssthresh == window.cwnd);
        law.on_congestion(&mut window, &CongestionEvent { signal: Signal::Loss, ..event });
        assert_eq!(window.cwnd, 50.0);
    }
    /// Validates: without marks, `alpha` in units of 1/1024 is 960, 900, 844, 792 and 743 after 1 to 5 windows, and 0 after
    ///     76, as 15 units do not decay by a unit. With all of ten segments marked it grows by 64 units, and then by
    ///     64 less a 16th of it, rounded down. One mark of ten segments adds 6 units of 6.4.
    /// Source: Linux, `dctcp_update_alpha`, by hand.
    /// Tolerance: exact.
    #[test]
    fn linux_rounds_the_estimate_down() {
        let units = |alpha: &[f64]| alpha.iter().map(|alpha| alpha * UNITS).collect::<Vec<_>>();
        assert_eq!(units(&after(Linux, 1.0, 0, [1, 2, 3, 4, 5])), [960.0, 900.0, 844.0, 792.0, 743.0]);
        assert_eq!(units(&after(Linux, 16.0 / UNITS, 0, [1, 2])), [15.0, 0.0]);
        assert_eq!(units(&after(Linux, 0.0, 10, [1, 2, 3, 4])), [64.0, 124.0, 181.0, 234.0]);
        assert_eq!(units(&after(Linux, 0.0, 1, [1, 2])), [6.0, 6.0]);
    }

    /// Validates: with `alpha` at 123/1024, a mark takes 2 of 48 segments (2.88 rounded down), none of 16 (0.96), and with
    ///     `alpha` at 1 half of 5 (2.5).
    /// Source: Linux, `dctcp_ssthresh`, by hand.
    /// Tolerance: exact.
    #[test]
    fn linux_rounds_a_reduction_down() {
        let reduced = |initial_alpha, cwnd| {
            let mut law = DctcpSpec { g: 1.0 / 16.0, initial_alpha, rules: Linux }.build();
            let mut window = Window { cwnd, ssthresh: cwnd };
            let event =
                CongestionEvent { signal: Signal::Mark, window: cwnd, least: 2.0, lost_again: false, abe: false };
            law.on_congestion(&mut window, &event);
            window.cwnd
        };
        assert_eq!([reduced(123.0 / UNITS, 48.5), reduced(123.0 / UNITS, 16.0), reduced(1.0, 5.0)], [46.0, 16.0, 3.0]);
    }

    /// Validates: a window that began with 20 segments sent ends when the 20th is acknowledged, in the RFC with the 21st.
    /// Source: Linux, `dctcp_update_alpha` (`!before(snd_una, next_seq)`); RFC 8257, section 3.3.
    /// Tolerance: exact.
    #[test]
    fn a_window_of_linux_ends_a_segment_earlier() {
        let ends = [Rfc8257, Linux].map(|rules| {
            let mut law = DctcpSpec { g: 1.0 / 16.0, initial_alpha: 1.0, rules }.build();
            law.observe(&AckSample { advance: 1, snd_una: 1, snd_nxt: 20, ..AckSample::ONE });
            let alpha = law.alpha;
            let mut acks = 2..;
            acks.find(|&snd_una| {
                law.observe(&AckSample { advance: 1, snd_una, snd_nxt: 40, ..AckSample::ONE });
                law.alpha < alpha
            })
        });
        assert_eq!(ends, [Some(21), Some(20)]);
    }
}
