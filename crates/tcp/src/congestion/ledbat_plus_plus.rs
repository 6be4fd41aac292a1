//! LEDBAT++: draft-irtf-iccrg-ledbat-plus-plus-01 (Balasubramanian, Ertugay and Havey), which repairs what LEDBAT (RFC 6817)
//! lacks: flows that start late take no more than their share, and a queue that its own flows fill is measured.
//!
//! - *target and delay* (section 4.5): a queueing delay of 60 ms, from round-trip times, with LEDBAT's base and current
//!   delay (`ledbat/delays.rs`);
//! - *gain* (section 4.2): `gain = 1 / min(16, ceil(2 target / base))`, so that a flow grows more slowly than Reno on a
//!   short path. Up to the target, the window grows by `gain` per round trip;
//! - *multiplicative decrease* (section 4.3): beyond it, `max(gain - decrease * cwnd * (delay / target - 1), -cwnd / 2)` per
//!   round trip, and never below two segments;
//! - *modified slow start* (section 4.1): each ACK of `n` segments adds `n gain`. The first slow start begins with two
//!   segments and ends when the queueing delay exceeds three quarters of the target;
//! - *slowdowns* (section 4.4): two round trips after the first slow start, and then again and again, the window is two
//!   segments for two round trips, so that the queue drains and all flows measure the base delay. It then grows by slow
//!   start to its size before. The time until the next slowdown is nine times what a slowdown took, so that
//!   slowdowns cost at most a tenth of the rate.
//!
//! Readings of the draft: the formula of section 4.3 holds beyond the target only, as below it would grow the window by
//! more than slow start does. Both cases give `gain` at the target. The slow start after a slowdown has the gain of section
//! 4.1, and only the first one ends by the delay, both as in Apple's `tcp_ledbat.c`; unlike there, a reduction does not put off
//! the next slowdown. A loss that finds the window frozen halves the window that it returns to. A timeout ends a slowdown.
//!
//! Differences from the draft: the unit is the segment, and the window a real number. A mark is answered as a loss is. A
//! window that the application does not use does not grow.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::ledbat::delays::Delays;
use super::ledbat::{BASE_DELAY, BASE_HISTORY, CURRENT_FILTER, MIN_CWND, QUEUEING_DELAY, target, threshold};
use super::state::{if_set, variable};
use super::{AckSample, CongestionControl, CongestionEvent, Parameter, ParameterKind, Signal, Spec, Variable, Window};
use crate::limits::Limit;
use crate::variants::{Listing, TODAY};

pub(super) const DOC: &str = "LEDBAT with equal shares: drains the queue at times to measure it (LEDBAT++, \
                              draft-irtf-iccrg-ledbat-plus-plus)";
pub(super) const LISTING: Option<Listing> = Some(Listing { era: TODAY, doc: DOC });
pub(super) const PARAMETERS: &[Parameter] = &[
    target(Time::from_millis(60)),
    Parameter {
        name: "decrease",
        doc: "Weight of the decrease beyond the target, the draft's Constant",
        kind: ParameterKind::Number { min: None, max: Some(10.0), above: Some(0.0), default: 1.0 },
    },
    BASE_HISTORY,
    CURRENT_FILTER,
    Parameter {
        name: "slowdowns",
        doc: "Drain the queue at times, to measure the base delay",
        kind: ParameterKind::Flag { default: true },
    },
];

/// The gain is at least the inverse of this number (section 4.2).
const MOST_DIVISOR: f64 = 16.0;
/// The share of the target that ends the first slow start (section 4.1).
const START_END: f64 = 0.75;
/// Round trips before the first slowdown, and of a frozen window; slowdowns until the next one (section 4.4).
const ROUNDS_BEFORE: f64 = 2.0;
const ROUNDS_FROZEN: f64 = 2.0;
const PERIOD: u64 = 9;

/// The parameters of LEDBAT++.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedbatPlusPlusSpec {
    /// Queueing delay at which the window stays.
    pub target: Time,
    /// Weight of the decrease beyond the target.
    pub decrease: f64,
    /// Minutes whose minimum is the base delay.
    pub base_history: u64,
    /// Samples whose minimum is the current delay.
    pub current_filter: u64,
    /// Whether the window falls to two segments at times.
    pub slowdowns: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The first slow start.
    Start,
    /// The next slowdown begins at this time.
    Steady { slowdown: Time },
    /// A slowdown that began at a time and keeps two segments until another.
    Frozen { since: Time, until: Time },
    /// The growth after a slowdown that began at this time.
    Return { since: Time },
}

#[derive(Debug)]
pub(crate) struct LedbatPlusPlus {
    spec: LedbatPlusPlusSpec,
    delays: Delays,
    phase: Phase,
}

impl Spec for LedbatPlusPlusSpec {
    type State = LedbatPlusPlus;

    const FIXED: Option<&'static [&'static str]> = Some(&["base_history", "current_filter"]);

    fn build(&self) -> LedbatPlusPlus {
        let delays = Delays::new(self.base_history, self.current_filter);
        LedbatPlusPlus { spec: *self, delays, phase: Phase::Start }
    }

    fn retune(&self, law: &mut LedbatPlusPlus) {
        law.spec = *self;
    }
}

/// This number of smoothed round-trip times after `now`.
fn rounds_after(ack: &AckSample, rounds: f64) -> Time {
    ack.now.saturating_add(Time::from_secs_f64(rounds * ack.srtt.max(0.0)))
}

impl LedbatPlusPlus {
    /// The queueing delay in units of the target.
    fn delay(&self) -> f64 {
        self.delays.queueing() / self.spec.target.as_secs_f64()
    }

    /// The gain; 1 before the first sample.
    fn gain(&self) -> f64 {
        let divisor = (2.0 * self.spec.target.as_secs_f64() / self.delays.base()).ceil();
        1.0 / divisor.clamp(1.0, MOST_DIVISOR)
    }

    /// Grows the window in slow start, to at most `ssthresh`.
    fn ramp_up(&self, window: &mut Window, n: f64, ack: &AckSample) {
        if !ack.app_limited {
            window.cwnd += (n * self.gain()).min(window.ssthresh - window.cwnd);
        }
    }

    /// Moves the window towards the target.
    fn adjust(&self, window: &mut Window, n: f64, ack: &AckSample) {
        let (cwnd, beyond) = (window.cwnd, (self.delay() - 1.0).max(0.0));
        let change = (self.gain() - self.spec.decrease * cwnd * beyond).max(-cwnd / 2.0);
        if change < 0.0 || !ack.app_limited {
            window.cwnd = (cwnd + change * n / cwnd).max(MIN_CWND);
        }
        window.ssthresh = threshold(window);
    }
}

impl CongestionControl for LedbatPlusPlus {
    const KEPT: f64 = 0.5;
    const OWN_SLOW_START: bool = true;
    const COUNTS_SEGMENTS: bool = true;
    const SHRINKS: bool = true;
    const LIMITS_QUEUE: bool = true;
    const PHASES: &'static [&'static str] = &["slow_start", "congestion_avoidance", "slowdown", "return"];
    const VARIABLES: &'static [Variable] = &[
        BASE_DELAY,
        QUEUEING_DELAY,
        variable("gain", "segments", "Growth of the window per round trip below the target"),
        variable("next_slowdown", "s", "Time until the next slowdown; null before the first one is due and during one"),
    ];

    fn times_segments(&self) -> bool {
        true
    }

    fn observe(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt {
            self.delays.update(ack.now, rtt);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        window.cwnd = window.cwnd.max(1.0);
        let n = (ack.newly_acked as f64).min(window.cwnd);
        match self.phase {
            Phase::Start if window.cwnd < window.ssthresh && self.delay() <= START_END => self.ramp_up(window, n, ack),
            Phase::Start => {
                window.ssthresh = threshold(window);
                self.phase = Phase::Steady { slowdown: rounds_after(ack, ROUNDS_BEFORE) };
            }
            Phase::Steady { slowdown } if self.spec.slowdowns && ack.now >= slowdown => {
                window.ssthresh = window.cwnd.max(window.ssthresh);
                window.cwnd = MIN_CWND.min(window.cwnd);
                self.phase = Phase::Frozen { since: ack.now, until: rounds_after(ack, ROUNDS_FROZEN) };
            }
            Phase::Steady { .. } if window.cwnd < window.ssthresh => self.ramp_up(window, n, ack),
            Phase::Steady { .. } => self.adjust(window, n, ack),
            Phase::Frozen { until, .. } if ack.now < until => {}
            Phase::Frozen { since, .. } => self.phase = Phase::Return { since },
            Phase::Return { since } => {
                self.ramp_up(window, n, ack);
                if window.cwnd >= window.ssthresh {
                    let pause = (ack.now - since).saturating_mul(PERIOD);
                    self.phase = Phase::Steady { slowdown: ack.now.saturating_add(pause) };
                }
            }
        }
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        match self.phase {
            Phase::Frozen { since, .. } => {
                window.ssthresh = (window.ssthresh / 2.0).max(MIN_CWND);
                window.cwnd = window.cwnd.min(MIN_CWND); // Vegas' recovery has inflated it
                if event.signal == Signal::Timeout {
                    (window.cwnd, self.phase) = (1.0, Phase::Return { since });
                }
            }
            _ => window.reduce_to((event.window / 2.0).max(MIN_CWND).min(window.cwnd), event),
        }
    }

    /// During a slowdown, the threshold is the window to return to.
    fn reduces_to_ssthresh(&self) -> bool {
        false
    }

    fn holds(&self, window: &Window, _reduced_by: Limit) -> Limit {
        Limit::of_model(window.cwnd < window.ssthresh && !matches!(self.phase, Phase::Frozen { .. }))
    }

    fn phase(&self, _now: Time) -> Option<&'static str> {
        Some(match self.phase {
            Phase::Start => "slow_start",
            Phase::Steady { .. } => "congestion_avoidance",
            Phase::Frozen { .. } => "slowdown",
            Phase::Return { .. } => "return",
        })
    }

    fn visit_state(&self, now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("base_delay", if_set(self.delays.base()));
        visit("queueing_delay", self.delays.queueing());
        visit("gain", self.gain());
        let next = match self.phase {
            Phase::Steady { slowdown } if self.spec.slowdowns => slowdown.saturating_sub(now).as_secs_f64(),
            _ => f64::NAN,
        };
        visit("next_slowdown", next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: LedbatPlusPlusSpec = LedbatPlusPlusSpec {
        target: Time::from_millis(60),
        decrease: 1.0,
        base_history: 10,
        current_filter: 1,
        slowdowns: true,
    };
    const START: Window = Window { cwnd: 2.0, ssthresh: f64::INFINITY };
    const MS: fn(u64) -> Time = Time::from_millis;

    fn ack(at: u64, rtt: u64) -> AckSample {
        AckSample { now: MS(at), rtt: Some(MS(rtt)), srtt: rtt as f64 / 1_000.0, ..AckSample::ONE }
    }

    /// A law with this base delay in milliseconds.
    fn law(base: u64, phase: Phase) -> LedbatPlusPlus {
        let mut law = SPEC.build();
        law.delays.update(Time::ZERO, MS(base));
        law.phase = phase;
        law
    }

    /// Gives an ACK to the law.
    fn give(law: &mut LedbatPlusPlus, window: &mut Window, ack: &AckSample) {
        law.observe(ack);
        law.on_ack(window, ack);
    }

    /// The window after one ACK, with a base delay of 120 ms and this round-trip time, in congestion avoidance.
    fn after(rtt: u64, cwnd: f64, n: u64) -> f64 {
        let (mut law, mut window) = (law(120, Phase::Steady { slowdown: Time::MAX }), Window { cwnd, ssthresh: 2.0 });
        give(&mut law, &mut window, &AckSample { newly_acked: n, ..ack(1, rtt) });
        window.cwnd
    }

    fn near(value: f64, wanted: f64) {
        assert!((value - wanted).abs() < 1e-12, "{value} is not {wanted}");
    }

    /// Validates: the gain of base delays of 1, 7.5, 8, 20, 50, 120 and 500 ms is 1/16, 1/16, 1/15, 1/6, 1/3, 1 and 1.
    /// Source: draft-irtf-iccrg-ledbat-plus-plus-01, section 4.2, by hand: `1 / min(16, ceil(120 ms / base))`.
    /// Tolerance: exact.
    #[test]
    fn the_gain_is_that_of_the_base_delay() {
        let of_base = |micros| {
            let mut law = SPEC.build();
            law.delays.update(Time::ZERO, Time::from_micros(micros));
            1.0 / law.gain()
        };
        assert_eq!(
            [1_000, 7_500, 8_000, 20_000, 50_000, 120_000, 500_000].map(of_base),
            [16.0, 16.0, 15.0, 6.0, 3.0, 1.0, 1.0]
        );
        assert_eq!(SPEC.build().gain(), 1.0, "before the first sample");
    }

    /// Validates: up to the target an ACK adds `gain / cwnd`; 6 ms beyond it, it takes a tenth of the window per round
    ///     trip less the gain; and never more than half of the window per round trip, nor a window below two.
    /// Source: draft-irtf-iccrg-ledbat-plus-plus-01, section 4.3, by hand: with a base delay of 120 ms the gain is 1; a
    ///     window of 20 segments changes by `max(1 - 20 * 0.1, -10) = -1` per 20 segments at 66 ms, and by -10 at 120 ms.
    /// Tolerance: 1e-12, rounding.
    #[test]
    fn the_decrease_is_multiplicative_and_limited() {
        near(after(120, 20.0, 1), 20.05);
        near(after(180, 20.0, 1), 20.05);
        near(after(186, 20.0, 1), 19.95);
        near(after(186, 20.0, 20), 19.0);
        near(after(240, 20.0, 20), 10.0);
        near(after(2_000, 20.0, 20), 10.0);
        near(after(2_000, 2.5, 2), 2.0);
    }

    /// Validates: the first slow start adds `gain` per segment, ends when the queueing delay exceeds 45 ms, and the first
    ///     slowdown begins two round trips later.
    /// Source: draft-irtf-iccrg-ledbat-plus-plus-01, sections 4.1 and 4.4, by hand: with a base delay of 40 ms the gain is a
    ///     third.
    /// Tolerance: 1e-12, rounding.
    #[test]
    fn the_first_slow_start_ends_at_three_quarters_of_the_target() {
        let (mut law, mut window) = (law(40, Phase::Start), START);
        give(&mut law, &mut window, &AckSample { newly_acked: 2, ..ack(40, 80) });
        near(window.cwnd, 2.0 + 2.0 / 3.0);
        give(&mut law, &mut window, &ack(200, 86));
        assert_eq!(law.phase, Phase::Steady { slowdown: MS(200 + 2 * 86) });
        assert_eq!(window.ssthresh, 2.0);
    }

    /// Validates: a slowdown keeps two segments for two round trips of 100 ms and returns to the window before; the next
    ///     one follows after nine times what it took, from 1000 ms to 1240 ms.
    /// Source: draft-irtf-iccrg-ledbat-plus-plus-01, section 4.4, by hand: with a base delay of 100 ms the gain is a half, so
    ///     that eight segments need an acknowledgment of twelve from two on.
    /// Tolerance: exact.
    #[test]
    fn a_slowdown_keeps_two_segments_for_two_round_trips() {
        let mut law = law(100, Phase::Steady { slowdown: MS(1_000) });
        let mut window = Window { cwnd: 8.0, ssthresh: 8.0 };
        give(&mut law, &mut window, &ack(1_000, 100));
        assert_eq!(window, Window { cwnd: 2.0, ssthresh: 8.0 });
        assert_eq!(law.phase(MS(1_000)), Some("slowdown"));
        give(&mut law, &mut window, &ack(1_199, 100));
        assert_eq!(window.cwnd, 2.0);
        give(&mut law, &mut window, &ack(1_200, 100));
        assert_eq!((window.cwnd, law.phase(MS(1_200))), (2.0, Some("return")));
        for (at, n, grown) in [(1_210, 2, 3.0), (1_220, 3, 4.5), (1_230, 4, 6.5), (1_240, 6, 8.0)] {
            give(&mut law, &mut window, &AckSample { newly_acked: n, ..ack(at, 100) });
            assert_eq!(window.cwnd, grown);
        }
        assert_eq!(law.phase, Phase::Steady { slowdown: MS(1_240 + 9 * 240) });
    }

    /// Validates: a loss halves the window; one during the two frozen round trips halves the window to return to, and a
    ///     timeout then begins slow start from one segment.
    /// Source: draft-irtf-iccrg-ledbat-plus-plus-01, section 4 (a loss as in LEDBAT); RFC 6817, section 2.4.2.
    /// Tolerance: exact.
    #[test]
    fn a_loss_halves_the_window_to_return_to() {
        let lose = |phase, cwnd, ssthresh, signal| {
            let (mut law, mut window) = (law(100, phase), Window { cwnd, ssthresh });
            let event = CongestionEvent { signal, window: cwnd, least: 1.0, lost_again: false, abe: false };
            law.on_congestion(&mut window, &event);
            (window.cwnd, window.ssthresh, law.phase(Time::ZERO).expect("it has phases of its own"))
        };
        let steady = Phase::Steady { slowdown: Time::MAX };
        let frozen = Phase::Frozen { since: Time::ZERO, until: Time::MAX };
        assert_eq!(lose(steady, 12.0, 12.0, Signal::Loss), (6.0, 6.0, "congestion_avoidance"));
        assert_eq!(lose(steady, 12.0, 12.0, Signal::Timeout), (1.0, 6.0, "congestion_avoidance"));
        assert_eq!(lose(frozen, 2.0, 12.0, Signal::Loss), (2.0, 6.0, "slowdown"));
        assert_eq!(lose(frozen, 2.0, 12.0, Signal::Timeout), (1.0, 6.0, "return"));
    }
}
