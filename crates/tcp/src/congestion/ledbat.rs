//! LEDBAT: Low Extra Delay Background Transport (RFC 6817), for transfers that give way to all others.
//!
//! A flow aims at a queueing delay of `target`, its own and that of all others: any flow that fills the queue beyond it makes
//! LEDBAT reduce its window.
//!
//! - the queueing delay is the current delay less the base delay (section 2.4.2; `ledbat/delays.rs`);
//! - each ACK of `n` segments adds `gain * off_target * n / cwnd`, where `off_target = (target - queueing delay) / target` is at
//!   most 1 and may be below 0 (section 2.4.2);
//! - the window is at most one segment more than what was in flight before the ACK (`ALLOWED_INCREASE`), and at least two
//!   segments (`MIN_CWND`; section 2.5);
//! - a loss halves the window, to at least two segments; a timeout resets it to one (section 2.4.2).
//!
//! Differences from RFC 6817: the delay is the round-trip time. The unit is the segment. A mark reduces the window as a
//! loss does (the RFC has no ECN). The pseudocode of section 2.4.2 has no slow start, and needs a round trip for each
//! segment of the window; `ramp_up = false` follows it. By default the window doubles per round trip, until the
//! queueing delay exceeds 0.9 of the target, as in the first user of LEDBAT, libutp (`apply_ccontrol`), or until
//! `ssthresh`, which a loss sets as in RFC 5681. `CTO`, the timeout of section 2.4.2, is TCP's.
//!
//! A flow that starts while another one keeps the queue at its target measures a base delay that includes this queue, and
//! takes the link from it: the *latecomer's advantage* (Carofiglio et al., "The Quest for LEDBAT Fairness", GLOBECOM 2010).
//! LEDBAT++ removes it.

pub(super) mod delays;

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::state::{if_set, variable};
use super::{AckSample, CongestionControl, CongestionEvent, Parameter, ParameterKind, Spec, Variable, Window};
use crate::limits::Limit;
use crate::options::LONGEST;
use crate::variants::{Listing, TODAY};
use delays::{Delays, MOST_MINUTES, MOST_SAMPLES};

pub(super) const DOC: &str =
    "Background transfers that keep a fixed delay in the queue and give way to others (RFC 6817)";
pub(super) const LISTING: Option<Listing> = Some(Listing { era: TODAY, doc: DOC });

/// The target, which LEDBAT and LEDBAT++ have with different defaults.
pub(super) const fn target(default: Time) -> Parameter {
    Parameter {
        name: "target",
        doc: "Queueing delay at which the window stays",
        kind: ParameterKind::Time {
            min: Time::from_micros(1).as_picos(),
            max: LONGEST.as_picos(),
            default: Some(default.as_picos()),
            or: None,
        },
    }
}

pub(super) const BASE_HISTORY: Parameter = Parameter {
    name: "base_history",
    doc: "Minutes whose minimum is the base delay",
    kind: ParameterKind::Whole { min: 1, max: MOST_MINUTES, default: 10 },
};
pub(super) const CURRENT_FILTER: Parameter = Parameter {
    name: "current_filter",
    doc: "Samples whose minimum is the current delay",
    kind: ParameterKind::Whole { min: 1, max: MOST_SAMPLES, default: 4 },
};

pub(super) const PARAMETERS: &[Parameter] = &[
    target(Time::from_millis(100)),
    Parameter {
        name: "gain",
        doc: "Growth of the window on an empty path, in packets per round trip",
        kind: ParameterKind::Number { min: None, max: Some(1.0), above: Some(0.0), default: 1.0 },
    },
    BASE_HISTORY,
    CURRENT_FILTER,
    Parameter {
        name: "ramp_up",
        doc: "Double the window per round trip until the delay nears the target",
        kind: ParameterKind::Flag { default: true },
    },
];

/// The smallest window, and by how much it may exceed the flight, in segments (RFC 6817, section 2.5).
pub(super) const MIN_CWND: f64 = 2.0;
const ALLOWED_INCREASE: f64 = 1.0;
/// The window doubles up to this share of the target (libutp).
const RAMP_END: f64 = 0.9;

/// The threshold of a window in congestion avoidance, which it returns to by slow start after an idle time. It is a whole
/// number, so that the rounding of whole growth does not take the window below it. Vegas' recovery can leave a window of 0.
pub(super) fn threshold(window: &Window) -> f64 {
    (window.segments() as f64).max(1.0)
}

pub(super) const BASE_DELAY: Variable = variable("base_delay", "s", "Minimum round-trip time of the last minutes");
pub(super) const QUEUEING_DELAY: Variable =
    variable("queueing_delay", "s", "Minimum of the last round-trip times, less base_delay");

/// The parameters of LEDBAT.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedbatSpec {
    /// Queueing delay at which the window stays.
    pub target: Time,
    /// Growth of the window on an empty path, in segments per round trip.
    pub gain: f64,
    /// Minutes whose minimum is the base delay.
    pub base_history: u64,
    /// Samples whose minimum is the current delay.
    pub current_filter: u64,
    /// Whether the window doubles per round trip until the delay nears the target.
    pub ramp_up: bool,
}

#[derive(Debug)]
pub(crate) struct Ledbat {
    spec: LedbatSpec,
    delays: Delays,
}

impl Spec for LedbatSpec {
    type State = Ledbat;

    const FIXED: Option<&'static [&'static str]> = Some(&["base_history", "current_filter"]);

    fn build(&self) -> Ledbat {
        Ledbat { spec: *self, delays: Delays::new(self.base_history, self.current_filter) }
    }

    fn retune(&self, law: &mut Ledbat) {
        law.spec = *self;
    }
}

impl Ledbat {
    fn target(&self) -> f64 {
        self.spec.target.as_secs_f64()
    }

    /// Whether the window doubles per round trip.
    fn ramps_up(&self, window: &Window) -> bool {
        self.spec.ramp_up && window.cwnd < window.ssthresh && self.delays.queueing() <= RAMP_END * self.target()
    }
}

impl CongestionControl for Ledbat {
    const KEPT: f64 = 0.5;
    const OWN_SLOW_START: bool = true;
    const COUNTS_SEGMENTS: bool = true;
    const SHRINKS: bool = true;
    const LIMITS_QUEUE: bool = true;
    const VARIABLES: &'static [Variable] = &[
        BASE_DELAY,
        QUEUEING_DELAY,
        variable("off_target", "", "Distance of queueing_delay from the target, as a share of the target"),
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
        if self.ramps_up(window) {
            if !ack.app_limited {
                window.cwnd += n.min(window.ssthresh - window.cwnd);
            }
            return;
        }
        let off_target = 1.0 - self.delays.queueing() / self.target();
        let flight = (ack.snd_nxt - ack.snd_una + ack.advance) as f64;
        let cwnd = window.cwnd + self.spec.gain * off_target * n / window.cwnd;
        window.cwnd = cwnd.min(flight + ALLOWED_INCREASE).max(MIN_CWND);
        window.ssthresh = threshold(window);
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        window.reduce_to((event.window / 2.0).max(MIN_CWND).min(window.cwnd), event);
    }

    fn holds(&self, window: &Window, _reduced_by: Limit) -> Limit {
        Limit::of_model(self.ramps_up(window))
    }

    fn visit_state(&self, _now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        let queueing = self.delays.queueing();
        visit("base_delay", if_set(self.delays.base()));
        visit("queueing_delay", queueing);
        visit("off_target", 1.0 - queueing / self.target());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::Signal;

    const SPEC: LedbatSpec =
        LedbatSpec { target: Time::from_millis(100), gain: 1.0, base_history: 10, current_filter: 1, ramp_up: false };

    /// A law whose base delay is 50 ms, and an ACK for one of 10 segments in flight that measures a delay.
    fn at_delay(spec: LedbatSpec, millis: u64) -> (Ledbat, AckSample) {
        let mut law = spec.build();
        law.delays.update(Time::ZERO, Time::from_millis(50));
        let ack = AckSample {
            snd_una: 1,
            snd_nxt: 10,
            rtt: Some(Time::from_millis(millis)),
            app_limited: false,
            ..AckSample::ONE
        };
        law.observe(&ack);
        (law, ack)
    }

    /// The window of 10 segments after one ACK with this delay.
    fn after(spec: LedbatSpec, millis: u64) -> f64 {
        let (mut law, ack) = at_delay(spec, millis);
        let mut window = Window { cwnd: 10.0, ssthresh: 2.0 };
        law.on_ack(&mut window, &ack);
        window.cwnd
    }

    fn near(value: f64, wanted: f64) {
        assert!((value - wanted).abs() < 1e-12, "{value} is not {wanted}");
    }

    /// Validates: on an empty path an ACK adds `gain / cwnd`, at half the target half of it, at the target nothing; at
    ///     three times the target it takes `2 gain / cwnd`.
    /// Source: RFC 6817, section 2.4.2, by hand: a base delay of 50 ms, a target of 100 ms, a window of 10 segments.
    /// Tolerance: 1e-12, rounding.
    #[test]
    fn the_window_follows_the_distance_from_the_target() {
        near(after(SPEC, 50), 10.1);
        near(after(SPEC, 100), 10.05);
        near(after(SPEC, 150), 10.0);
        near(after(SPEC, 350), 9.8);
        near(after(LedbatSpec { gain: 0.5, ..SPEC }, 50), 10.05);
    }

    /// Validates: the window is at most one segment more than the flight before the ACK, and at least two segments.
    /// Source: RFC 6817, sections 2.4.2 and 2.5: `ALLOWED_INCREASE` 1, `MIN_CWND` 2.
    /// Tolerance: exact.
    #[test]
    fn the_flight_and_two_segments_limit_the_window() {
        let (mut law, ack) = at_delay(SPEC, 50);
        let mut window = Window { cwnd: 30.0, ssthresh: 2.0 };
        // nine segments in flight after the ACK, ten before it
        law.on_ack(&mut window, &ack);
        assert_eq!(window.cwnd, 11.0);
        let (mut law, ack) = at_delay(SPEC, 1_000);
        let mut window = Window { cwnd: 2.5, ssthresh: 2.0 };
        law.on_ack(&mut window, &ack);
        assert_eq!(window.cwnd, 2.0);
    }

    /// Validates: a loss halves the window, to at least two segments, and never raises it; a timeout leaves one segment.
    /// Source: RFC 6817, section 2.4.2.
    /// Tolerance: exact.
    #[test]
    fn a_loss_halves_the_window() {
        let after = |signal, cwnd| {
            let mut window = Window { cwnd, ssthresh: 100.0 };
            let event = CongestionEvent { signal, window: cwnd, least: 2.0, lost_again: false, abe: false };
            SPEC.build().on_congestion(&mut window, &event);
            (window.cwnd, window.ssthresh)
        };
        assert_eq!(after(Signal::Loss, 12.0), (6.0, 6.0));
        assert_eq!(after(Signal::Loss, 3.0), (2.0, 2.0));
        assert_eq!(after(Signal::Timeout, 12.0), (1.0, 6.0));
    }

    /// Validates: the window doubles per round trip while the queueing delay is at most 0.9 of the target, and up to
    ///     `ssthresh`; beyond, it follows the target, and slow start has ended for good.
    /// Source: libutp, `apply_ccontrol`.
    /// Tolerance: exact.
    #[test]
    fn the_window_doubles_until_the_delay_nears_the_target() {
        let spec = LedbatSpec { ramp_up: true, ..SPEC };
        let start = Window { cwnd: 10.0, ssthresh: f64::INFINITY };
        let grown = |millis, mut window: Window| {
            let (mut law, ack) = at_delay(spec, millis);
            law.on_ack(&mut window, &ack);
            window
        };
        assert_eq!(grown(140, start), Window { cwnd: 11.0, ..start });
        let ended = grown(141, start);
        near(ended.cwnd, 10.0 + 0.09 / 10.0);
        assert_eq!(ended.ssthresh, 10.0);
        assert_eq!(grown(50, Window { cwnd: 10.0, ssthresh: 10.5 }).cwnd, 10.5);
    }
}
