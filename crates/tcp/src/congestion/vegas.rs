//! Vegas' congestion control: Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet"
//! (IEEE JSAC 13(8), 1995), sections 3.2 and 3.3.
//!
//! Vegas evaluates each round trip. `base_rtt` is the minimum round-trip time, and `rtt` is the mean of the last round:
//!
//! - `expected = flight / base_rtt` and `actual = sent / rtt` are rates. `diff = (expected - actual) * base_rtt`, in
//!   segments, estimates how many segments the flow keeps in queues;
//! - slow start: double the window every other round; exit when `diff > gamma`, reducing the window by an eighth;
//! - after slow start: if `diff < alpha`, the window grows by one segment over the next round; if `diff > beta`, it
//!   shrinks by one.
//!
//! A loss found by a duplicate ACK reduces the window by a quarter, or by half if the segment had already been lost
//! once; a timeout sets it to two segments.
//!
//! Differences from the paper (all as in the authors' code included in ns-2, unless stated otherwise):
//! - `diff` is rounded to whole segments and computed from the flight size plus one, not from the window;
//! - the window grows only while it exceeds the flight by at most two segments;
//! - `base_rtt = minimum` uses only samples of segments sent once. `base_rtt = ns2` follows ns-2: if no segment of a
//!   round gave a sample, the time since the round began replaces the mean; after a timeout, this time can be the gap
//!   between two ACKs and far below the propagation delay. A round of one segment replaces `base_rtt` even by a larger
//!   value. The first sample sets `base_rtt`, even if its segment was sent more than once, but is not included in the
//!   mean of any round.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::state::{if_set, variable};
use super::{
    AckSample, CongestionControl, CongestionEvent, Invalid, Parameter, ParameterKind, Signal, Spec, Variable, Window,
};
use crate::limits::Limit;
use crate::variants::{EARLY, Listing};

pub(super) const DOC: &str =
    "Keeps between alpha and beta packets in queues, estimated once per round trip (Brakmo and Peterson 1995)";
pub(super) const LISTING: Option<Listing> =
    Some(Listing { era: EARLY, doc: "Keeps a few packets in queues, by round-trip times (Brakmo and Peterson 1995)" });

const fn segments(name: &'static str, doc: &'static str, default: f64) -> Parameter {
    Parameter { name, doc, kind: ParameterKind::Number { min: Some(0.0), max: None, above: None, default } }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    segments("alpha", "Number of queued segments below which the window grows", 1.0),
    segments("beta", "Number of queued segments above which the window shrinks", 3.0),
    segments("gamma", "Number of queued segments above which slow start ends", 1.0),
    Parameter {
        name: "base_rtt",
        doc: "RTT of the empty path: the smallest valid sample, or ns-2's rule, which can use the gap between two ACKs",
        kind: ParameterKind::Choice { choices: &["minimum", "ns2"], default: "minimum" },
    },
];

/// The parameters of Vegas, in segments.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VegasSpec {
    /// The window grows if `diff` is below this value.
    pub alpha: f64,
    /// The window shrinks if `diff` is above this value.
    pub beta: f64,
    /// Slow start ends if `diff` is above this value.
    pub gamma: f64,
    /// How the round-trip time of an empty path is estimated.
    pub base_rtt: BaseRtt,
}

/// How the round-trip time of an empty path is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BaseRtt {
    /// The smallest valid sample.
    Minimum,
    /// ns-2's rule, described at the head of this file.
    Ns2,
}

#[derive(Debug)]
pub(crate) struct Vegas {
    spec: VegasSpec,
    /// The minimum round-trip time in seconds; infinite before the first ACK.
    base_rtt: f64,
    /// The round ends when this segment is acknowledged.
    round_end: u64,
    round_start: Time,
    rtt_sum: f64,
    rtt_count: u32,
    /// Segments in queues, as of the last evaluation.
    diff: f64,
    /// Amount that each ACK adds to the window in this round.
    increment: f64,
    /// Whether slow start grows the window in this round, as it does in every other round.
    growing: bool,
}

impl Spec for VegasSpec {
    type State = Vegas;

    const FIXED: Option<&'static [&'static str]> = Some(&["base_rtt"]);

    fn check(&self) -> Result<(), Invalid> {
        let VegasSpec { alpha, beta, .. } = *self;
        if beta >= alpha {
            return Ok(());
        }
        Err(Invalid { field: "beta", problem: format!("{beta} is not allowed; must be at least alpha ({alpha})") })
    }

    fn build(&self) -> Vegas {
        Vegas {
            spec: *self,
            base_rtt: f64::INFINITY,
            round_end: 0,
            round_start: Time::ZERO,
            rtt_sum: 0.0,
            rtt_count: 0,
            diff: f64::NAN,
            increment: 0.0,
            growing: true,
        }
    }

    fn retune(&self, law: &mut Vegas) {
        law.spec = *self;
    }
}

impl Vegas {
    /// Mean round-trip time of the round, if it can be determined.
    fn round_rtt(&self, now: Time) -> Option<f64> {
        match (self.rtt_count, self.spec.base_rtt) {
            (0, BaseRtt::Minimum) => None,
            (0, BaseRtt::Ns2) => Some((now - self.round_start).as_secs_f64()).filter(|rtt| *rtt > 0.0),
            (count, _) => Some(self.rtt_sum / f64::from(count)),
        }
    }

    /// Ends a round: evaluates it and sets the increment for the next.
    fn end_round(&mut self, window: &mut Window, ack: &AckSample) {
        let sent = ack.snd_nxt.saturating_sub(self.round_end) as f64;
        if let Some(rtt) = self.round_rtt(ack.now) {
            if self.spec.base_rtt == BaseRtt::Ns2 && (rtt < self.base_rtt || sent <= 1.0) {
                self.base_rtt = rtt;
            }
            let expected = flight(ack) / self.base_rtt;
            let actual = sent / rtt;
            self.diff = ((expected - actual) * self.base_rtt + 0.5).trunc();
            self.adjust(window, self.diff);
        }
        (self.rtt_sum, self.rtt_count) = (0.0, 0);
        self.round_end = ack.snd_nxt;
        self.round_start = ack.now;
    }

    fn adjust(&mut self, window: &mut Window, diff: f64) {
        let VegasSpec { alpha, beta, gamma, .. } = self.spec;
        if window.cwnd < window.ssthresh {
            self.growing = !self.growing;
            self.increment = if self.growing { 1.0 } else { 0.0 };
            if self.growing && diff > gamma {
                window.ssthresh = 2.0;
                window.cwnd = (window.cwnd - window.cwnd / 8.0).max(2.0);
                self.increment = 0.0;
            }
        } else if diff > beta {
            window.cwnd = (window.cwnd - 1.0).max(2.0);
            self.increment = 0.0;
        } else {
            self.increment = if diff < alpha { 1.0 / window.cwnd } else { 0.0 };
        }
    }
}

/// Number of segments in flight, plus the one that this ACK releases.
fn flight(ack: &AckSample) -> f64 {
    (ack.snd_nxt - ack.snd_una + 1) as f64
}

impl CongestionControl for Vegas {
    const SHRINKS: bool = true;
    const OWN_SLOW_START: bool = true;
    const LIMITS_QUEUE: bool = true;
    const VARIABLES: &'static [Variable] = &[
        variable("base_rtt", "s", "Round-trip time of the empty path"),
        variable("diff", "segments", "Segments in queues, as of the last round trip; null before it"),
    ];

    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        let first = self.base_rtt.is_infinite() && self.spec.base_rtt == BaseRtt::Ns2;
        if let (true, Some(elapsed)) = (first, ack.elapsed) {
            self.base_rtt = elapsed.as_secs_f64();
        }
        if ack.snd_una > self.round_end {
            self.end_round(window, ack);
        }
        if self.increment == 1.0 && window.cwnd >= window.ssthresh {
            self.increment = 0.0;
        }
        if self.increment > 0.0 && window.cwnd - flight(ack) <= 2.0 {
            window.cwnd += self.increment;
        }
        if let Some(rtt) = ack.rtt.filter(|_| !first) {
            let rtt = rtt.as_secs_f64();
            self.rtt_sum += rtt;
            self.rtt_count += 1;
            self.base_rtt = self.base_rtt.min(rtt);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        match event.signal {
            Signal::Loss | Signal::Mark => {
                let whole = event.window.floor();
                window.cwnd = if whole <= 3.0 {
                    2.0
                } else if event.lost_again {
                    (whole / 2.0).floor()
                } else {
                    whole - (whole / 4.0).floor()
                };
            }
            Signal::Timeout => {
                window.ssthresh = (event.window / 2.0).floor().max(2.0);
                window.cwnd = 2.0;
            }
        }
    }

    /// The threshold only tells slow start from congestion avoidance: at the end of slow start it is set to two segments.
    fn reduces_to_ssthresh(&self) -> bool {
        false
    }

    fn times_segments(&self) -> bool {
        true
    }

    fn holds(&self, window: &Window, _reduced_by: Limit) -> Limit {
        Limit::of_model(window.cwnd < window.ssthresh)
    }

    fn visit_state(&self, _now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("base_rtt", if_set(self.base_rtt));
        visit("diff", self.diff);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: VegasSpec = VegasSpec { alpha: 1.0, beta: 3.0, gamma: 1.0, base_rtt: BaseRtt::Minimum };

    /// Simulates one round of `window` segments with a round-trip time of `millis`, in which each segment is
    /// acknowledged and the flight stays full. Returns the first segment of the next round.
    fn round(vegas: &mut Vegas, window: &mut Window, first: u64, now: u64, millis: u64) -> u64 {
        let flight = window.segments();
        for number in first..first + flight {
            let rtt = Some(Time::from_millis(millis));
            let ack = AckSample {
                now: Time::from_millis(now),
                snd_una: number + 1,
                snd_nxt: number + flight,
                elapsed: rtt,
                rtt,
                ..AckSample::ONE
            };
            vegas.on_ack(window, &ack);
        }
        first + flight
    }

    /// The window after rounds with the given round-trip times on a path of 100 ms.
    fn after(spec: VegasSpec, start: Window, rounds: &[u64]) -> Window {
        let (mut vegas, mut window) = (spec.build(), start);
        let (mut next, mut now) = (0, 0);
        for millis in rounds {
            now += millis;
            next = round(&mut vegas, &mut window, next, now, *millis);
        }
        window
    }

    /// Validates: between alpha and beta queued segments Vegas keeps its window.
    /// Source: Brakmo and Peterson 1995, section III.B.
    /// Tolerance: exact.
    #[test]
    fn between_alpha_and_beta_the_window_stays() {
        let avoidance = Window { cwnd: 10.0, ssthresh: 2.0 };
        // the empty path carries 10 segments per 100 ms; in a round of 125 ms, 2 of them are queued
        assert_eq!(after(SPEC, avoidance, &[100, 125, 125, 125]).cwnd.floor(), 10.0);
    }

    /// Validates: below alpha Vegas adds one segment per round, above beta it removes one.
    /// Source: Brakmo and Peterson 1995, section III.B.
    /// Tolerance: 0.15 segments, because the window moves within a round.
    #[test]
    fn below_alpha_the_window_grows_by_one_a_round_and_above_beta_it_shrinks_by_one() {
        let avoidance = Window { cwnd: 10.0, ssthresh: 2.0 };
        let grown = after(SPEC, avoidance, &[100, 100, 100]).cwnd;
        assert!((grown - 12.0).abs() < 0.15, "one segment for each of two rounds: {grown}");
        let shrunk = after(SPEC, avoidance, &[100, 200, 200, 200]).cwnd;
        assert!(shrunk <= 9.0, "5 of 10 segments queued: {shrunk}");
    }

    /// Validates: Vegas' slow start doubles every other round and ends above gamma.
    /// Source: Brakmo and Peterson 1995, section III.C.
    /// Tolerance: exact.
    #[test]
    fn slow_start_grows_every_other_round_and_ends_when_segments_queue() {
        let start = Window { cwnd: 4.0, ssthresh: 20.0 };
        assert_eq!(after(SPEC, start, &[100, 100]).cwnd, 4.0);
        assert_eq!(after(SPEC, start, &[100, 100, 100]).cwnd, 7.0, "two above the flight of four, then once more");
        let queued = after(SPEC, Window { cwnd: 8.0, ssthresh: 20.0 }, &[100, 200, 200]);
        assert_eq!(queued, Window { cwnd: 7.0, ssthresh: 2.0 }, "an eighth less");
    }

    /// Validates: Vegas reduces its window by a quarter at a first loss, by half at a second, and to two segments at a
    ///   timeout.
    /// Source: ns-2.35, Agent/TCP/Vegas.
    /// Tolerance: exact.
    #[test]
    fn a_loss_takes_a_quarter_and_a_second_one_half() {
        let mut window = Window { cwnd: 17.0, ssthresh: 2.0 };
        let event = CongestionEvent { signal: Signal::Loss, window: 17.5, least: 2.0, lost_again: false, abe: false };
        SPEC.build().on_congestion(&mut window, &event);
        assert_eq!(window.cwnd, 13.0);
        SPEC.build().on_congestion(&mut window, &CongestionEvent { lost_again: true, ..event });
        assert_eq!(window.cwnd, 8.0);
        SPEC.build().on_congestion(&mut window, &CongestionEvent { signal: Signal::Timeout, ..event });
        assert_eq!(window, Window { cwnd: 2.0, ssthresh: 8.0 });
    }

    #[test]
    fn base_rtt_is_the_smallest_sample_but_for_ns2() {
        // a round without a valid sample, as after a timeout: ns-2 uses the 10 ms since the previous ACK as a
        // round-trip time
        let base_rtt = |base_rtt| {
            let mut vegas = VegasSpec { base_rtt, ..SPEC }.build();
            let mut window = Window { cwnd: 4.0, ssthresh: 2.0 };
            let next = round(&mut vegas, &mut window, 0, 100, 100);
            for now in [200, 210] {
                let ack = AckSample {
                    now: Time::from_millis(now),
                    snd_una: next + now,
                    snd_nxt: next + now,
                    elapsed: Some(Time::from_millis(300)),
                    ..AckSample::ONE
                };
                vegas.on_ack(&mut window, &ack);
            }
            vegas.base_rtt
        };
        assert_eq!(base_rtt(BaseRtt::Minimum), 0.1);
        assert_eq!(base_rtt(BaseRtt::Ns2), 0.01);
    }
}
