//! Copa: Arun and Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet" (NSDI 2018).
//!
//! A flow aims at the rate `1 / (delta d_q)`, where `d_q` is the delay in queues: at `1 / delta` segments of its own in the
//! queue. It oscillates around that, so that the queue is empty once in about five round trips.
//!
//! - `d_q` is the *standing* round-trip time, the minimum of the last half of a smoothed one, less the minimum of the last
//!   10 s (section 2.1);
//! - each ACK of `n` segments grows the window by `v n / (delta cwnd)` if the rate is at most the target, and reduces it by
//!   as much otherwise. The *velocity* `v` doubles each round trip from the third one on in which the window moves in the
//!   same direction, and is 1 after a change of direction (section 2.1);
//! - in slow start the window doubles per round trip until the rate reaches the target;
//! - the sender is paced at `2 cwnd` per standing round-trip time;
//! - *competitive mode* (section 2.2): if the queue was not nearly empty for five round trips, another flow fills it. The
//!   queue is nearly empty if `d_q` is at most a tenth of its largest value in the last four round trips. In competitive
//!   mode `1 / delta` grows by one per round trip and is halved on a loss; it returns to its default once the queue is
//!   nearly empty;
//! - in default mode, a loss does not change the window;
//! - if more than 30 % of two round trips are lost, the window is reduced to 0.7 of it (not in the paper; the authors'
//!   `genericCC`, `ReduceOnLoss`, added in April 2018: "If loss in 2 RTTs > 30%, reduce window to 0.7 of original value").
//!   Here this also ends slow start, and counts as a step against the present direction.
//!
//! The last rule is for queues that never empty. Many flows, which together aim at more packets than the buffer or a
//! bandwidth-delay product (BDP) has, keep the buffer full. After 10 s their minimum round-trip time is that of a full
//! buffer, `d_q` is 0, the target is infinite, and the queue counts as nearly empty: by the paper's rules, nothing then
//! reduces the window. 100 flows on a link of 1.6 Mb/s lost 96 % of their packets; with `genericCC`'s rule alone 75 %, as
//! slow start or the velocity takes the window back within two round trips, and with the rule here 44 %.
//!
//! Differences from the paper: minima and maxima are Nichols' estimates (`copa/window.rs`), as in Facebook's `mvfst`; a step
//! against the present direction resets the velocity at once, also as there, and not only at the end of the round trip;
//! `v` is limited so that the window at most doubles per round trip, as in the authors' `genericCC`. A timeout begins slow
//! start again. A window that the application does not use does not grow. The queue is also nearly empty if `d_q` is at
//! most the time between two segments of the flow: a tenth of the swing of a few flows is less than one segment, so that
//! by the paper's rule alone they would sometimes take each other for flows that fill the queue. If an ACK releases several
//! segments, the sampled one, which is the last, also waits behind the others: at twice the flow's rate, half of that time
//! for each. The authors' receivers acknowledge every packet.
//!
//! The queue empties as the paper says only if all flows together aim at much less than a BDP. With more than about a quarter of it, the swing is damped, as the window changes the rate `cwnd / RTT` a round trip
//! before the delay shows it. Flows that then take each other for flows that fill the queue stay in competitive mode, in
//! which they aim at even more. `competitive = false` prevents that, as in `mvfst`, which has the default mode only.

mod window;

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::state::{DELIVERED, INFLIGHT, MIN_RTT, PACING_RATE, RTT, if_set, variable};
use super::{AckSample, CongestionControl, CongestionEvent, Parameter, ParameterKind, Signal, Spec, Variable, Window};
use crate::delivery_rate::RateSample;
use crate::limits::Limit;
use crate::variants::{Listing, TODAY};
use window::Minimum;

pub(super) const DOC: &str = "Keeps a few packets in queues, by round-trip times, and competes where others fill them \
                              (Arun and Balakrishnan 2018)";
pub(super) const LISTING: Option<Listing> = Some(Listing {
    era: TODAY,
    doc: "Keeps a few packets in queues, by round-trip times, paced (Arun and Balakrishnan 2018)",
});
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "delta",
        doc: "Weight of delay against rate: a flow keeps 1/delta packets in the queue",
        kind: ParameterKind::Number { min: Some(0.001), max: Some(10.0), above: None, default: 0.5 },
    },
    Parameter {
        name: "competitive",
        doc: "Lower delta while other flows fill the queue",
        kind: ParameterKind::Flag { default: true },
    },
];

/// The smallest window, in segments.
const MIN_CWND: f64 = 2.0;
/// For how long the minimum round-trip time is believed.
const MINIMUM_SPAN: Time = Time::from_millis(10_000);
/// The smoothed round-trip times of the standing one, of the largest one, and until a queue is taken to be filled.
const STANDING_ROUNDS: f64 = 0.5;
const LARGEST_ROUNDS: f64 = 4.0;
const PATIENCE_ROUNDS: f64 = 5.0;
/// The queue is nearly empty below this share of the largest delay.
const NEARLY_EMPTY: f64 = 0.1;
/// A loss of more than this share of the segments of so many round trips is heavy, and keeps this share of the window;
/// so few segments do not show it.
const HEAVY_LOSS: f64 = 0.3;
const LOSS_ROUNDS: f64 = 2.0;
const KEPT: f64 = 0.7;
const FEW: u64 = 20;
/// The velocity doubles from this number of round trips in one direction on.
const STEADY_ROUNDS: u32 = 3;

/// The parameters of Copa.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopaSpec {
    /// Weight of delay against rate.
    pub delta: f64,
    /// Whether `delta` falls while other flows fill the queue.
    pub competitive: bool,
}

/// The fate of the segments of two round trips.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    since: Time,
    delivered: u64,
    lost: u64,
}

#[derive(Debug)]
pub(crate) struct Copa {
    spec: CopaSpec,
    /// `1 / delta`, the number of segments that the flow aims to keep in the queue.
    segments: f64,
    is_starting: bool,
    velocity: f64,
    /// Whether the window grew in the last round trip, and how many round trips in a row it went that way.
    grows: bool,
    steady: u32,
    /// The round trip ends with the first delivery of a segment sent after so many were delivered; the window at its begin.
    round_end: u64,
    round_cwnd: f64,
    minimum: Minimum,
    standing: Minimum,
    /// The maximum of the negative round-trip times.
    largest: Minimum,
    /// When the queue was last nearly empty.
    emptied_at: Option<Time>,
    has_loss: bool,
    /// Segments delivered and lost since a time, until two round trips have passed.
    outcome: Outcome,
    /// Of the last new ACK: the smoothed round-trip time, and whether the application limited the sender.
    srtt: f64,
    app_limited: bool,
}

impl Spec for CopaSpec {
    type State = Copa;

    const FIXED: Option<&'static [&'static str]> = Some(&[]);

    fn build(&self) -> Copa {
        Copa {
            spec: *self,
            segments: 1.0 / self.delta,
            is_starting: true,
            velocity: 1.0,
            grows: true,
            steady: 0,
            round_end: 0,
            round_cwnd: 0.0,
            minimum: Minimum::default(),
            standing: Minimum::default(),
            largest: Minimum::default(),
            emptied_at: None,
            has_loss: false,
            outcome: Outcome::default(),
            srtt: f64::NAN,
            app_limited: false,
        }
    }

    fn retune(&self, law: &mut Copa) {
        law.spec = *self;
    }
}

impl CongestionControl for Copa {
    const OWN_SLOW_START: bool = true;
    const LIMITS_QUEUE: bool = true;
    const PHASES: &'static [&'static str] = &["slow_start", "default", "competitive"];
    const VARIABLES: &'static [Variable] = &[
        DELIVERED,
        RTT,
        INFLIGHT,
        PACING_RATE,
        MIN_RTT,
        variable("standing_rtt", "s", "Minimum round-trip time of the last half of a smoothed one"),
        variable("d_q", "s", "Queueing delay: standing_rtt less min_rtt"),
        variable("target_rate", "segments/s", "Rate that the flow aims at, 1 / (delta d_q); null while d_q is 0"),
        variable("delta", "", "Weight of delay against rate; lower in competitive mode"),
        variable("velocity", "", "Factor of the steps of the window"),
        variable("direction", "", "Whether the window grew in the last round trip, 1, or fell, -1"),
    ];

    fn samples_rate(&self) -> bool {
        true
    }

    fn observe(&mut self, ack: &AckSample) {
        (self.srtt, self.app_limited) = (ack.srtt, ack.app_limited);
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &AckSample) {}

    fn on_congestion(&mut self, _window: &mut Window, event: &CongestionEvent) {
        self.has_loss = true;
        if event.signal == Signal::Timeout {
            (self.is_starting, self.velocity, self.steady) = (true, 1.0, 0);
        }
    }

    fn on_rate(&mut self, window: &mut Window, sample: &RateSample, _stream: &mut Stream) {
        if let Some(rtt) = sample.rtt {
            self.measure(rtt.as_secs_f64(), sample.newly_delivered, window.cwnd, sample.now);
        }
        if !self.standing.get().is_finite() {
            return;
        }
        if sample.prior_delivered >= self.round_end {
            self.round_end = sample.delivered;
            self.end_round(window.cwnd, sample.now);
        }
        self.adjust(window, sample.newly_delivered as f64);
        self.give_way(window, sample);
    }

    fn pacing_rate(&self, window: &Window, _srtt: Option<f64>) -> Option<f64> {
        let standing = self.standing.get();
        standing.is_finite().then(|| 2.0 * window.cwnd / standing)
    }

    fn holds(&self, _: &Window, _reduced_by: Limit) -> Limit {
        Limit::of_model(self.is_starting)
    }

    fn phase(&self, now: Time) -> Option<&'static str> {
        Some(match (self.is_starting, self.is_competing(now)) {
            (true, _) => "slow_start",
            (false, false) => "default",
            (false, true) => "competitive",
        })
    }

    fn visit_state(&self, _now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        let (minimum, standing) = (self.minimum.get(), self.standing.get());
        let delay = if standing.is_finite() { self.queueing_delay() } else { f64::NAN };
        visit("min_rtt", if_set(minimum));
        visit("standing_rtt", if_set(standing));
        visit("d_q", delay);
        visit("target_rate", if_set(self.segments / delay));
        visit("delta", 1.0 / self.segments);
        visit("velocity", self.velocity);
        visit("direction", if self.grows { 1.0 } else { -1.0 });
    }
}

impl Copa {
    /// Takes a sample of the round-trip time, with an ACK that delivers `n` segments.
    fn measure(&mut self, rtt: f64, n: u64, cwnd: f64, now: Time) {
        let srtt = if self.srtt.is_nan() { rtt } else { self.srtt };
        let span = |rounds: f64| Time::from_secs_f64(rounds * srtt);
        self.minimum.update(now, rtt, MINIMUM_SPAN);
        self.standing.update(now, rtt, span(STANDING_ROUNDS));
        self.largest.update(now, -rtt, span(LARGEST_ROUNDS));
        let most = -self.largest.get() - self.minimum.get();
        let own = 0.5 * (n + 1) as f64 * rtt / cwnd;
        if self.emptied_at.is_none() || self.queueing_delay() <= (NEARLY_EMPTY * most).max(own) {
            self.emptied_at = Some(now);
        }
    }

    /// The time that segments wait in queues, in seconds.
    fn queueing_delay(&self) -> f64 {
        (self.standing.get() - self.minimum.get()).max(0.0)
    }

    /// Whether another flow seems to fill the queue.
    fn is_competing(&self, now: Time) -> bool {
        let patience = Time::from_secs_f64(PATIENCE_ROUNDS * self.srtt.max(0.0));
        self.spec.competitive && self.emptied_at.is_some_and(|at| now > at.saturating_add(patience))
    }

    /// Sets the velocity and `delta`.
    fn end_round(&mut self, cwnd: f64, now: Time) {
        let grows = cwnd > self.round_cwnd;
        if grows == self.grows {
            self.steady += 1;
        } else {
            (self.grows, self.steady, self.velocity) = (grows, 1, 1.0);
        }
        if self.steady >= STEADY_ROUNDS && !self.is_starting {
            self.velocity = (2.0 * self.velocity).min(self.fastest(cwnd));
        }
        self.round_cwnd = cwnd;
        let default = 1.0 / self.spec.delta;
        self.segments = match (self.is_competing(now), std::mem::take(&mut self.has_loss)) {
            (false, _) => default,
            (true, false) => self.segments + 1.0,
            (true, true) => (self.segments / 2.0).max(default),
        };
    }

    /// Reduces the window if a large share of two round trips is lost.
    fn give_way(&mut self, window: &mut Window, sample: &RateSample) {
        let Outcome { since, mut delivered, mut lost } = self.outcome;
        (delivered, lost) = (delivered + sample.newly_delivered, lost + sample.newly_lost);
        self.outcome = Outcome { since, delivered, lost };
        let rtt = sample.rtt.map_or(self.srtt, Time::as_secs_f64);
        if delivered + lost > FEW && sample.now > since.saturating_add(Time::from_secs_f64(LOSS_ROUNDS * rtt.max(0.0)))
        {
            self.outcome = Outcome { since: sample.now, ..Outcome::default() };
            if lost as f64 > HEAVY_LOSS * (delivered + lost) as f64 {
                window.cwnd = (KEPT * window.cwnd).max(MIN_CWND);
                (self.is_starting, self.grows, self.velocity, self.steady) = (false, false, 1.0, 0);
            }
        }
    }

    /// The velocity with which the window doubles per round trip.
    fn fastest(&self, cwnd: f64) -> f64 {
        (cwnd / self.segments).max(1.0)
    }

    /// Moves the window towards the target after `n` segments were delivered.
    fn adjust(&mut self, window: &mut Window, n: f64) {
        // the rate, cwnd / standing, against the target, segments / delay
        let grows = window.cwnd * self.queueing_delay() <= self.segments * self.standing.get();
        self.is_starting &= grows;
        if grows && self.app_limited {
            return;
        }
        if self.is_starting {
            window.cwnd += n;
            return;
        }
        if grows != self.grows && self.velocity > 1.0 {
            (self.grows, self.steady, self.velocity) = (grows, 0, 1.0);
        }
        self.velocity = self.velocity.min(self.fastest(window.cwnd));
        let step = (self.velocity * n * self.segments / window.cwnd).min(n);
        window.cwnd = if grows { window.cwnd + step } else { (window.cwnd - step).max(MIN_CWND) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: CopaSpec = CopaSpec { delta: 0.5, competitive: true };
    const LOSS: CongestionEvent =
        CongestionEvent { signal: Signal::Loss, window: 20.0, least: 2.0, lost_again: false, abe: false };

    type Bench = super::super::bench::Bench<Copa>;

    impl Bench {
        /// A sender after slow start on a path of 100 ms, whose queue adds a delay.
        fn after_start(cwnd: f64, delay_ms: u64) -> Self {
            let mut bench = Self::with(SPEC.build(), Time::from_millis(100));
            (bench.window.cwnd, bench.law.is_starting) = (cwnd, false);
            bench.law.srtt = 0.1;
            bench.law.measure(0.1, 1, cwnd, Time::ZERO);
            bench.now = Time::from_millis(100);
            bench.rtt += Time::from_millis(delay_ms);
            bench.law.measure(bench.rtt.as_secs_f64(), 1, cwnd, bench.now);
            bench.law.round_end = u64::MAX;
            bench
        }

        fn hear(&mut self, n: u64) {
            self.give(self.sample(0.0, n, 10));
        }
    }

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-6
    }

    /// Validates: the target at delays of 1, 2, 5 and 10 ms: 2,000, 1,000, 400 and 200 segments/s, which are 24, 12, 4.8 and
    ///     2.4 Mb/s. A window just below it grows and one just above it falls, by 1 / (delta cwnd) per segment.
    /// Source: Arun and Balakrishnan 2018, section 2.1: 1 / (delta d_q) with delta = 0.5.
    /// Tolerance: 1e-6 of the window.
    #[test]
    fn the_window_moves_towards_the_target() {
        for (delay, target) in [(1, 2_000.0), (2, 1_000.0), (5, 400.0), (10, 200.0)] {
            let standing = 0.1 + delay as f64 / 1e3;
            for (factor, sign) in [(0.999, 1.0), (1.001, -1.0)] {
                let cwnd = factor * target * standing;
                let mut bench = Bench::after_start(cwnd, delay);
                bench.hear(1);
                assert!(near(bench.window.cwnd, cwnd + sign * 2.0 / cwnd), "{delay} ms: {:?}", bench.window);
            }
        }
    }

    /// Validates: slow start doubles the window per round trip, and ends for good when the rate reaches the target; a
    ///     timeout begins it again.
    /// Source: Arun and Balakrishnan 2018, section 2.1.
    /// Tolerance: exact.
    #[test]
    fn slow_start_ends_at_the_target() {
        let mut bench = Bench::with(SPEC.build(), Time::from_millis(100));
        for expected in [20.0, 40.0, 80.0] {
            let n = bench.window.cwnd as u64;
            bench.round(0.0, n, 10);
            assert_eq!(bench.window.cwnd, expected);
        }
        bench.rtt = Time::from_millis(104); // the target is 500 segments/s
        bench.round(0.0, 80, 10);
        assert!(!bench.law.is_starting && bench.window.cwnd < 80.0);
        bench.rtt = Time::from_millis(100);
        bench.round(0.0, 1, 10);
        assert!(!bench.law.is_starting);
        bench.law.on_congestion(&mut bench.window, &CongestionEvent { signal: Signal::Timeout, ..LOSS });
        bench.window.cwnd = 2.0;
        bench.round(0.0, 2, 10);
        assert_eq!(bench.window.cwnd, 4.0);
    }

    /// Validates: the velocity after one to five round trips in one direction is 1, 1, 2, 4 and 8, at most what doubles the
    ///     window, and 1 after a change.
    /// Source: Arun and Balakrishnan 2018, section 2.1: doubling begins after three round trips.
    /// Tolerance: exact.
    #[test]
    fn the_velocity_doubles_from_the_third_round_trip_on() {
        let mut bench = Bench::after_start(1_000.0, 0);
        let mut cwnd = 1_000.0;
        (bench.law.grows, bench.law.round_cwnd) = (false, cwnd);
        let found = [1, 2, 3, 4, 5].map(|_| {
            cwnd += 1.0;
            bench.law.end_round(cwnd, bench.now);
            bench.law.velocity
        });
        assert_eq!(found, [1.0, 1.0, 2.0, 4.0, 8.0]);
        bench.law.end_round(cwnd - 1.0, bench.now);
        assert_eq!(bench.law.velocity, 1.0);
        (bench.law.velocity, bench.law.grows) = (64.0, true);
        bench.window.cwnd = 20.0;
        bench.hear(1);
        assert_eq!((bench.law.velocity, bench.window.cwnd), (10.0, 21.0), "the window at most doubles");
        (bench.law.velocity, bench.law.grows) = (64.0, false);
        bench.hear(1);
        assert_eq!(bench.law.velocity, 1.0, "a step against the direction");
    }

    /// Validates: if the queue was not nearly empty for five round trips, `1 / delta` grows by one per round trip, and a loss
    ///     halves it to at least its default; a nearly empty queue restores the default at once.
    /// Source: Arun and Balakrishnan 2018, section 2.2.
    /// Tolerance: exact.
    #[test]
    fn a_filled_queue_lowers_delta() {
        let mut bench = Bench::after_start(20.0, 0);
        bench.law.round_end = 0;
        bench.rtt = Time::from_millis(150);
        let mut segments = Vec::new();
        for _ in 0..8 {
            (bench.law.srtt, bench.window.cwnd) = (0.15, 20.0);
            bench.round(0.0, 1, 10);
            segments.push(bench.law.segments);
        }
        // the queue was empty at 0.1 s; five round trips of 150 ms end at 0.85 s
        assert_eq!(segments, [2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0]);
        bench.law.on_congestion(&mut bench.window, &LOSS);
        let before = bench.window.cwnd;
        bench.round(0.0, 1, 10);
        assert_eq!(bench.law.segments, 2.5);
        assert!((bench.window.cwnd - before).abs() <= 1.0, "a loss does not change the window");
        bench.law.on_congestion(&mut bench.window, &LOSS);
        bench.round(0.0, 1, 10);
        assert_eq!(bench.law.segments, 2.0);
        bench.round(0.0, 1, 10);
        bench.rtt = Time::from_millis(101);
        bench.round(0.0, 1, 10);
        assert_eq!(bench.law.segments, 2.0);
        let mut calm = Bench::after_start(20.0, 0);
        (calm.law.spec.competitive, calm.law.round_end, calm.law.srtt) = (false, 0, 0.15);
        calm.rtt = Time::from_millis(150);
        (0..20).for_each(|_| calm.round(0.0, 20, 10));
        assert_eq!(calm.law.segments, 2.0);
    }

    /// Validates: a loss of more than 30 % of at least 21 segments in more than two round trips keeps 0.7 of the window, at
    ///     least two segments, sets the velocity to 1 and ends slow start; a smaller share, fewer segments or a shorter time
    ///     change nothing.
    /// Source: `genericCC`, `ReduceOnLoss::update`; the head of this file.
    /// Tolerance: exact.
    #[test]
    fn a_heavy_loss_reduces_the_window() {
        for (delivered, lost, rounds, cwnd, after) in [
            (20, 10, 3, 100.0, 70.0),
            (21, 9, 3, 100.0, 100.0),
            (14, 6, 3, 100.0, 100.0),
            (20, 10, 2, 100.0, 100.0),
            (20, 10, 3, 2.5, 2.0),
        ] {
            let mut law = SPEC.build();
            (law.velocity, law.steady) = (8.0, 4);
            let mut window = Window { cwnd, ssthresh: 1e6 };
            let bench = Bench::with(SPEC.build(), Time::from_millis(100));
            let now = Time::from_millis(100 * rounds);
            law.give_way(&mut window, &RateSample { now, newly_lost: lost, ..bench.sample(0.0, delivered, 10) });
            assert_eq!(window.cwnd, after);
            let state = (law.is_starting, law.grows, law.velocity, law.steady);
            assert_eq!(state, if after < cwnd { (false, false, 1.0, 0) } else { (true, true, 8.0, 4) });
        }
    }

    /// Validates: the velocity is 1 in slow start, and never above the one with which the window doubles.
    /// Source: `genericCC`, `update_intersend_time`.
    /// Tolerance: exact.
    #[test]
    fn the_velocity_has_a_limit_while_the_window_stands() {
        let mut bench = Bench::after_start(20.0, 0);
        for starting in [true, false] {
            bench.law.is_starting = starting;
            (0..50).for_each(|round| bench.law.end_round(20.0 + f64::from(round) / 100.0, bench.now));
            assert_eq!(bench.law.velocity, if starting { 1.0 } else { 20.49 / 2.0 });
        }
    }

    /// Validates: on a path of 100 ms with a window of 20 segments, 5 ms apart, a delay of 7 ms is not nearly empty with
    ///     an ACK of each segment, but with ACKs of two, the second of which waits for 2.5 ms behind the first.
    /// Source: the rule at the head of this file.
    /// Tolerance: exact.
    #[test]
    fn segments_of_one_ack_wait_for_each_other() {
        for (n, delay, is_empty) in [(1, 5, true), (1, 7, false), (2, 7, true), (2, 9, false)] {
            let mut bench = Bench::after_start(20.0, 0);
            bench.now += Time::from_millis(100);
            bench.rtt += Time::from_millis(delay);
            bench.hear(n);
            assert_eq!(bench.law.emptied_at == Some(bench.now), is_empty, "{n} segments, {delay} ms");
        }
    }

    /// Validates: the pacing rate is two windows per standing round-trip time; an unused window does not grow; the window
    ///     is at least two segments.
    /// Source: Arun and Balakrishnan 2018, section 2.1; RFC 7661, section 1.
    /// Tolerance: exact.
    #[test]
    fn the_rate_is_two_windows_per_standing_round_trip() {
        let mut bench = Bench::after_start(20.0, 0);
        assert_eq!(bench.law.pacing_rate(&bench.window, None), Some(400.0));
        assert_eq!(SPEC.build().pacing_rate(&bench.window, Some(0.1)), None);
        bench.law.app_limited = true;
        bench.hear(1);
        assert_eq!(bench.window.cwnd, 20.0);
        let mut full = Bench::after_start(2.3, 900);
        full.hear(1);
        assert_eq!(full.window.cwnd, 2.0);
    }
}
