//! CUBIC: RFC 9438; Ha, Rhee and Xu, "CUBIC: A New TCP-Friendly High-Speed TCP Variant" (ACM SIGOPS 42(5), 2008).
//!
//! After a loss at the window `W_max`, the window is a cubic function of the time since then: it rises quickly, stays
//! near `W_max`, and then rises faster and faster to probe for more.
//!
//! - `W(t) = C (t - K)^3 + W_max` with `K = cbrt((W_max - cwnd_epoch) / C)` (equations 1 and 2), where `cwnd_epoch` is the
//!   window at the beginning of congestion avoidance, the *epoch*;
//! - each ACK of `n` segments moves the window towards `W(t + RTT)`: `cwnd += n (target - cwnd) / cwnd`, where the target
//!   is at most `1.5 cwnd` (sections 4.4 and 4.5);
//! - where Reno would have a larger window, `W_est`, the window follows it (section 4.3);
//! - a loss reduces the window to `beta cwnd`, with `beta = 0.7`. A window below the last `W_max` lowers `W_max`, so that a
//!   new flow finds bandwidth sooner (*fast convergence*, section 4.7).
//!
//! Differences from RFC 9438: the window also approaches `W_est` by at most half of the segments acknowledged, which
//! matters only after an idle period has reset the window. The clock of an epoch stops while the application limits the
//! sender (section 5.8) and, unless `idle_restart = timeout`, from the last transmission before an idle period to the
//! first one after it.
//!
//! `rules = linux` selects the rules of Linux 6 (`cubic/linux.rs`), in whole numbers:
//!
//! | | `rfc9438` | `linux` |
//! | --- | --- | --- |
//! | target | `W(t + srtt)`, at most `1.5 cwnd` | `W(t + min_rtt)`; an ACK adds at most half of the segments acknowledged |
//! | at the target | no growth | 1 segment per 100 windows |
//! | before the first loss and after a timeout | the cubic function from `K = 0` | in addition at least 5 % per round trip |
//! | growth of `W_est` | `alpha n / cwnd`, `n / cwnd` above `cwnd_prior` | `8/15 n / cwnd` |
//! | where `W_est` is larger | `cwnd = W_est` | the window reaches `W_est` within a round trip |
//! | `min_rtt` | not used | all samples but those of the first second of an epoch |
//! | clock while the application limits the sender | stops | runs |
//! | unit of time | exact | ticks of the sender's clock (`timer_tick`), or of 4 ms |
//!
//! Linux computes a reduction from `cwnd`; here that is the sender's option `decrease_from = whole_window`.

mod linux;
mod rfc9438;

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::state::variable;
use super::{AckSample, CongestionControl, CongestionEvent, Parameter, ParameterKind, Signal, Spec, Variable, Window};
use crate::variants::{Listing, TODAY};
use linux::Linux;
use rfc9438::Rfc9438;

pub(super) const DOC: &str = "Grows as a cubic function of the time since the last loss (RFC 9438)";
pub(super) const LISTING: Option<Listing> =
    Some(Listing { era: TODAY, doc: "CUBIC's window, a function of the time since the last loss (RFC 9438)" });
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "fast_convergence",
        doc: "A loss below the last maximum window lowers that maximum, so that new flows find bandwidth sooner",
        kind: ParameterKind::Flag { default: true },
    },
    Parameter {
        name: "rules",
        doc: "Rules of growth: RFC 9438, or the Linux kernel's",
        kind: ParameterKind::Choice { choices: &["rfc9438", "linux"], default: "rfc9438" },
    },
];

/// The factor of a reduction.
const BETA: f64 = 0.7;
/// The factor after a mark with `abe` (RFC 8511, section 3.1).
const ABE: f64 = 0.85;
/// The parameters of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CubicSpec {
    /// Whether a loss below the last maximum window lowers that maximum.
    pub fast_convergence: bool,
    /// Rules of growth.
    pub rules: CubicRules,
}

/// Rules by which the window of CUBIC grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CubicRules {
    /// RFC 9438.
    Rfc9438,
    /// Linux 6.
    Linux,
}

#[derive(Debug)]
pub(crate) struct Cubic {
    fast_convergence: bool,
    rules: Rules,
}

/// The state by the rules of growth.
#[derive(Debug)]
enum Rules {
    Rfc9438(Rfc9438),
    Linux(Linux),
}

impl Spec for CubicSpec {
    type State = Cubic;

    const FIXED: Option<&'static [&'static str]> = Some(&["rules"]);

    fn build(&self) -> Cubic {
        let rules = match self.rules {
            CubicRules::Rfc9438 => Rules::Rfc9438(Rfc9438::default()),
            CubicRules::Linux => Rules::Linux(Linux::default()),
        };
        Cubic { fast_convergence: self.fast_convergence, rules }
    }

    fn retune(&self, law: &mut Cubic) {
        law.fast_convergence = self.fast_convergence;
    }
}

impl CongestionControl for Cubic {
    const KEPT: f64 = BETA;
    const COUNTS_SEGMENTS: bool = true;
    const VARIABLES: &'static [Variable] = &[
        variable(
            "w_max",
            "segments",
            "Window before the last reduction, perhaps lowered by fast convergence; null if none",
        ),
        variable("k", "s", "Time from the beginning of the epoch until the curve reaches its maximum; null before it"),
        variable("w_est", "segments", "Window of a Reno flow in this epoch; null before it"),
    ];

    fn set_tick(&mut self, tick: Time) {
        if let Rules::Linux(state) = &mut self.rules {
            state.set_tick(tick);
        }
    }

    fn observe(&mut self, ack: &AckSample) {
        match &mut self.rules {
            Rules::Rfc9438(state) => state.observe(ack),
            Rules::Linux(state) => {
                if let Some(rtt) = ack.rtt {
                    state.sample(rtt, ack.now);
                }
            }
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        window.cwnd += match &mut self.rules {
            Rules::Rfc9438(state) => state.growth(window.cwnd, ack),
            Rules::Linux(state) => state.growth(window.segments(), ack.newly_acked, ack.now).cast_signed() as f64,
        };
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        let cwnd = window.cwnd;
        match &mut self.rules {
            Rules::Rfc9438(state) => {
                state.reduce(cwnd, event.signal, self.fast_convergence);
                window.ssthresh = (event.factor(BETA, ABE) * event.window).max(2.0);
            }
            Rules::Linux(state) => {
                state.reduce(cwnd as u64, self.fast_convergence);
                window.ssthresh = (event.factor(linux::BETA, ABE) * event.window).floor().max(2.0);
                if event.signal == Signal::Timeout {
                    state.reset();
                }
            }
        }
        window.cwnd = if event.signal == Signal::Timeout { 1.0 } else { window.ssthresh };
    }

    fn on_idle(&mut self, _window: &mut Window, now: Time, idle: Time) {
        match &mut self.rules {
            Rules::Rfc9438(state) => state.end_idle(now, idle),
            Rules::Linux(state) => state.stop_clock(now, idle),
        }
    }

    fn times_segments(&self) -> bool {
        matches!(self.rules, Rules::Linux(_))
    }

    fn visit_state(&self, _now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        let (w_max, curve) = match &self.rules {
            Rules::Rfc9438(state) => (state.w_max(), state.curve()),
            Rules::Linux(state) => (state.w_max(), state.curve()),
        };
        let (k, w_est) = curve.unwrap_or((f64::NAN, f64::NAN));
        visit("w_max", if w_max > 0.0 { w_max } else { f64::NAN });
        visit("k", k);
        visit("w_est", w_est);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: a loss reduces the window to 0.7 of it, a timeout to one segment and the threshold to 0.7 of the window.
    /// Source: RFC 9438, sections 4.6 and 4.8.
    /// Tolerance: nine decimals.
    #[test]
    fn a_signal_reduces_the_window() {
        let mut cubic = CubicSpec { fast_convergence: true, rules: CubicRules::Rfc9438 }.build();
        for (signal, cwnd, after) in [(Signal::Loss, 90.0, 63.0), (Signal::Timeout, 100.0, 1.0)] {
            let mut window = Window { cwnd, ssthresh: 1.0 };
            let event = CongestionEvent { signal, window: cwnd, least: 2.0, lost_again: false, abe: false };
            cubic.on_congestion(&mut window, &event);
            assert!((window.cwnd - after).abs() < 5e-10 && (window.ssthresh - BETA * cwnd).abs() < 5e-10, "{window:?}");
        }
    }
}
