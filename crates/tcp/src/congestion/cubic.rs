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

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::state::variable;
use super::{AckSample, CongestionControl, CongestionEvent, Parameter, ParameterKind, Signal, Spec, Variable, Window};
use crate::variants::{Listing, TODAY};
use linux::Linux;

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

/// The constant `C` in segments/s^3, the factor of a reduction, and the additive increase of a Reno flow with that
/// factor (section 4.3).
const C: f64 = 0.4;
const BETA: f64 = 0.7;
/// The factor after a mark with `abe` (RFC 8511, section 3.1).
const ABE: f64 = 0.85;
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
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
    spec: CubicSpec,
    /// Window before the last reduction, perhaps lowered by fast convergence; 0 before the first loss.
    w_max: f64,
    /// Window before the last reduction.
    cwnd_prior: f64,
    epoch: Option<Epoch>,
    last_ack: Time,
    /// The state by the rules of Linux.
    linux: Linux,
}

/// Congestion avoidance since the last reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Epoch {
    start: Time,
    /// Maximum of the concave part of the curve, and the time until it is reached, in seconds.
    origin: f64,
    k: f64,
    /// The window of a Reno flow with the same average.
    w_est: f64,
}

impl Epoch {
    fn begin(now: Time, cwnd: f64, w_max: f64) -> Self {
        let (origin, k) = if w_max > cwnd { (w_max, libm::cbrt((w_max - cwnd) / C)) } else { (cwnd, 0.0) };
        Self { start: now, origin, k, w_est: cwnd }
    }

    /// The cubic function, at `t` seconds after the beginning of the epoch.
    fn curve(&self, t: f64) -> f64 {
        C * (t - self.k).powi(3) + self.origin
    }
}

impl Spec for CubicSpec {
    type State = Cubic;

    const FIXED: Option<&'static [&'static str]> = Some(&["rules"]);

    fn build(&self) -> Cubic {
        Cubic { spec: *self, w_max: 0.0, cwnd_prior: 0.0, epoch: None, last_ack: Time::ZERO, linux: Linux::default() }
    }

    fn retune(&self, law: &mut Cubic) {
        law.spec = *self;
    }
}

impl Cubic {
    fn is_linux(&self) -> bool {
        self.spec.rules == CubicRules::Linux
    }

    /// The growth of the window for `n` segments by RFC 9438.
    fn growth(&self, cwnd: f64, n: f64, t: f64, srtt: f64, epoch: &mut Epoch) -> f64 {
        let alpha = if epoch.w_est < self.cwnd_prior { ALPHA } else { 1.0 };
        epoch.w_est += alpha * n / cwnd;
        if epoch.curve(t) < epoch.w_est {
            return (epoch.w_est - cwnd).clamp(0.0, 0.5 * n);
        }
        // before the first sample of the round-trip time, the target is the curve now
        let target = epoch.curve(t + srtt.max(0.0)).clamp(cwnd, 1.5 * cwnd);
        n * (target - cwnd) / cwnd
    }

    /// Takes a time that has just ended out of the epoch. The epoch may have begun within that time.
    fn stop_clock(&mut self, now: Time, span: Time) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = epoch.start.saturating_add(span).min(now);
        }
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
        self.linux.set_tick(tick);
    }

    fn observe(&mut self, ack: &AckSample) {
        let since = ack.now - self.last_ack;
        self.last_ack = ack.now;
        if self.is_linux() {
            if let Some(rtt) = ack.rtt {
                self.linux.sample(rtt, ack.now);
            }
        } else if ack.app_limited {
            self.stop_clock(ack.now, since);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        if self.is_linux() {
            window.cwnd += self.linux.growth(window.segments(), ack.newly_acked, ack.now).cast_signed() as f64;
            return;
        }
        let (cwnd, n) = (window.cwnd, ack.newly_acked as f64);
        let mut epoch = self.epoch.unwrap_or_else(|| Epoch::begin(ack.now, cwnd, self.w_max));
        let t = (ack.now - epoch.start).as_secs_f64();
        window.cwnd += self.growth(cwnd, n, t, ack.srtt, &mut epoch);
        self.epoch = Some(epoch);
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        let cwnd = window.cwnd;
        if self.is_linux() {
            self.linux.reduce(cwnd as u64, self.spec.fast_convergence);
            let kept = (event.factor(linux::BETA, ABE) * event.window).floor().max(2.0);
            *window = Window { cwnd: kept, ssthresh: kept };
            if event.signal == Signal::Timeout {
                self.linux.reset();
                window.cwnd = 1.0;
            }
            return;
        }
        let lowers = self.spec.fast_convergence && cwnd < self.w_max;
        self.w_max = if lowers { cwnd * (1.0 + BETA) / 2.0 } else { cwnd };
        // the timeouts of one episode find a window that is already reduced
        self.cwnd_prior = if event.signal == Signal::Timeout { cwnd.max(self.cwnd_prior) } else { cwnd };
        self.epoch = None;
        window.ssthresh = (event.factor(BETA, ABE) * event.window).max(2.0);
        window.cwnd = window.ssthresh;
        if event.signal == Signal::Timeout {
            window.cwnd = 1.0;
            // section 4.8: the next epoch begins at its maximum
            self.w_max = 0.0;
        }
    }

    fn on_idle(&mut self, _window: &mut Window, now: Time, idle: Time) {
        if self.is_linux() {
            self.linux.stop_clock(now, idle);
        } else {
            self.stop_clock(now, idle);
        }
        self.last_ack = now; // the next ACK must not take this time out again
    }

    fn times_segments(&self) -> bool {
        self.is_linux()
    }

    fn visit_state(&self, _now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        let curve = self.epoch.map(|epoch| (epoch.k, epoch.w_est));
        let (w_max, curve) =
            if self.is_linux() { (self.linux.w_max(), self.linux.curve()) } else { (self.w_max, curve) };
        let (k, w_est) = curve.unwrap_or((f64::NAN, f64::NAN));
        visit("w_max", if w_max > 0.0 { w_max } else { f64::NAN });
        visit("k", k);
        visit("w_est", w_est);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RFC: CubicSpec = CubicSpec { fast_convergence: true, rules: CubicRules::Rfc9438 };
    const LOSS: CongestionEvent =
        CongestionEvent { signal: Signal::Loss, window: 0.0, least: 2.0, lost_again: false, abe: false };

    fn near(value: f64, expected: f64, digits: i32) -> bool {
        (value - expected).abs() <= 0.5 * 10.0_f64.powi(-digits)
    }

    /// Reduces the window from `cwnd`.
    fn lose(cubic: &mut Cubic, cwnd: f64) -> Window {
        let mut window = Window { cwnd, ssthresh: 1.0 };
        cubic.on_congestion(&mut window, &CongestionEvent { window: cwnd, ..LOSS });
        window
    }

    fn at(seconds: f64, srtt: f64) -> AckSample {
        AckSample { now: Time::from_secs_f64(seconds), srtt, ..AckSample::ONE }
    }

    /// Validates: the curve after losses at 10 to 1,000 segments.
    /// Source: RFC 9438, equations 1 and 2.
    /// Tolerance: four decimals.
    #[test]
    fn the_curve_returns_to_the_maximum_after_k_seconds() {
        type Points = &'static [(f64, f64)];
        let cases: [(f64, f64, Points); 3] = [
            (10.0, 1.957_434, &[(0.0, 7.0), (1.0, 9.6489), (3.0, 10.4533), (5.0, 21.2663), (10.0, 218.0865)]),
            (100.0, 4.217_163, &[(1.0, 86.6808), (2.0, 95.6403), (4.0, 99.9959), (6.0, 102.2667), (10.0, 177.3540)]),
            (1000.0, 9.085_603, &[(0.0, 700.0), (5.0, 972.7210), (8.0, 999.4882), (10.0, 1000.3058)]),
        ];
        for (w_max, k, points) in cases {
            let epoch = Epoch::begin(Time::ZERO, BETA * w_max, w_max);
            assert!(near(epoch.k, k, 6), "{epoch:?}");
            for (t, expected) in points {
                assert!(near(epoch.curve(*t), *expected, 4), "W({t}) = {} instead of {expected}", epoch.curve(*t));
            }
        }
    }

    /// Validates: one ACK at 80 segments, one second after a loss at 100, adds 0.098_557_18 segments.
    /// Source: RFC 9438, section 4.4.
    /// Tolerance: eight decimals.
    #[test]
    fn an_ack_moves_the_window_towards_the_curve_a_round_trip_ahead() {
        let cubic = Cubic { w_max: 100.0, cwnd_prior: 100.0, ..RFC.build() };
        let mut epoch = Epoch { w_est: 70.0, ..Epoch::begin(Time::ZERO, 70.0, 100.0) };
        assert!(near(cubic.growth(80.0, 1.0, 1.0, 0.1, &mut epoch), 0.098_557_18, 8));
        // far below the curve, one ACK adds half of what it acknowledges
        assert_eq!(cubic.growth(50.0, 1.0, 4.0, 0.1, &mut epoch), 0.5);
    }

    /// Validates: fast convergence lowers the maximum after a loss below the last one, and not after one above it.
    /// Source: RFC 9438, sections 4.6 and 4.7.
    /// Tolerance: six decimals.
    #[test]
    fn a_loss_below_the_last_maximum_lowers_it() {
        for (cwnd, w_max, after, k) in [(90.0, 76.5, 63.0, 3.231_652), (110.0, 110.0, 77.0, 4.353_294)] {
            let mut cubic = Cubic { w_max: 100.0, ..RFC.build() };
            let mut window = lose(&mut cubic, cwnd);
            assert!(near(cubic.w_max, w_max, 9) && near(window.cwnd, after, 9) && window.ssthresh == window.cwnd);
            cubic.on_ack(&mut window, &at(7.0, 0.1));
            assert!(near(cubic.epoch.expect("an epoch").k, k, 6));
        }
    }

    /// Validates: in the Reno-friendly region, windows after 1, 5 and 10 round trips from 7 segments.
    /// Source: RFC 9438, section 4.3.
    /// Tolerance: six decimals.
    #[test]
    fn a_short_path_has_renos_growth() {
        let mut cubic = RFC.build();
        // `cwnd_prior` keeps `alpha`; at time 0 the curve stays at 7 segments, below `W_est`
        let mut window = Window { cwnd: 7.0, ssthresh: 7.0 };
        cubic.cwnd_prior = 100.0;
        let mut after = Vec::new();
        for _ in 0..10 {
            for _ in 0..window.cwnd as u64 {
                cubic.on_ack(&mut window, &at(0.0, 0.0));
            }
            after.push(window.cwnd);
        }
        for (rounds, expected) in [(1, 7.513_283), (5, 9.398_569), (10, 11.846_446)] {
            assert!(near(after[rounds - 1], expected, 6), "{after:?}");
        }
    }

    /// Validates: after a timeout, the next epoch begins flat, at its maximum.
    /// Source: RFC 9438, section 4.8.
    /// Tolerance: exact.
    #[test]
    fn after_a_timeout_the_curve_begins_at_its_maximum() {
        let mut cubic = RFC.build();
        let mut window = Window { cwnd: 100.0, ssthresh: 1.0 };
        let event = CongestionEvent { signal: Signal::Timeout, window: 100.0, ..LOSS };
        cubic.on_congestion(&mut window, &event);
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: 70.0 });
        window.cwnd = 70.0;
        cubic.on_ack(&mut window, &at(1.0, 0.1));
        assert_eq!(cubic.epoch.map(|epoch| (epoch.origin, epoch.k)), Some((70.0, 0.0)));
    }

    #[test]
    fn the_clock_stands_still_while_the_sender_is_idle() {
        let mut cubic = RFC.build();
        let mut window = lose(&mut cubic, 100.0);
        cubic.on_ack(&mut window, &at(0.0, 0.1));
        let expected = cubic.epoch.expect("an epoch").curve(1.1);
        cubic.on_idle(&mut window, Time::SECOND.saturating_mul(21), Time::SECOND.saturating_mul(20));
        let growth = (expected - window.cwnd) / window.cwnd;
        let before = window.cwnd;
        cubic.on_ack(&mut window, &at(21.0, 0.1));
        assert!(near(window.cwnd - before, growth, 9), "{window:?}");
    }
}
