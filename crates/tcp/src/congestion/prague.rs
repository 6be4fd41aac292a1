//! Prague: DCTCP for the Internet, behind a queue with low latency (De Schepper, Tilmans, Briscoe and Goel, "Prague
//! Congestion Control", draft-briscoe-iccrg-prague-congestion-control-04; Linux, `tcp_prague.c`, versions 0.6 and 0.7).
//!
//! Segments carry ECT(1), and the receiver counts marks exactly. As in DCTCP, `alpha` estimates the share of marked
//! segments, and a mark reduces the window to `1 - alpha / 2` of it. What is added:
//!
//! - each unmarked segment grows the window by `a / cwnd`, also while it is being reduced, so that with a share `p` of
//!   marked segments the window settles at `2 a (1 - p) / p`;
//! - *independence of the round-trip time*: some round trips after slow start, flows below 25 ms behave as if they had
//!   25 ms: `a = (srtt / 25 ms)^2` for equal growth of the rate, and at most one reduction and one estimate per 25 ms;
//! - the first mark ends slow start and halves the window, and the estimate begins at 0;
//! - a loss halves the window, once per episode, and nothing grows until it is repaired;
//! - the sender is paced at `cwnd / srtt`, twice that in slow start, and the window falls by one segment per ACK.
//!
//! Differences from Linux: real numbers; a mark reduces the window as soon as a round trip and 25 ms have passed since the
//! last reduction, as in the authors' `udp_prague`, while the kernel waits for the end of the round trip in which the 25 ms
//! end; the window is at least two segments, while version 0.7 also sends at less than two per round trip; the rate is that
//! of the window's data, while the kernel's is that of whole packets, 1500 bytes for 1448 of data, and of what is in flight if
//! that is more; it does not alternate by 3 %; a sender that only its pacing limits grows; the queue is not tested for being
//! a classic one, which is also the kernel's default.

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::state::{ALPHA, DELIVERED, INFLIGHT, PACING_RATE, RTT, variable};
use super::{AckSample, CongestionControl, CongestionEvent, Parameter, ParameterKind, Signal, Spec, Variable, Window};
use crate::delivery_rate::{Phase, RateSample};
use crate::options::LONGEST;
use crate::variants::{Listing, TODAY};

pub(super) const DOC: &str =
    "DCTCP for the Internet: counts marks exactly, paced, rates independent of the round-trip time (Prague)";
pub(super) const LISTING: Option<Listing> = Some(Listing {
    era: TODAY,
    doc: "DCTCP for the Internet, with ECT(1), pacing and exact counts of marks (TCP Prague)",
});
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "g",
        doc: "Weight of the last round trip in the estimated share of marked packets",
        kind: ParameterKind::Number { min: None, max: Some(1.0), above: Some(0.0), default: 1.0 / 16.0 },
    },
    Parameter {
        name: "rtt_target",
        doc: "Round-trip time that flows with a shorter one behave as if they had; 0 s: their own",
        kind: ParameterKind::Time {
            min: 0,
            max: LONGEST.as_picos(),
            default: Some(Time::from_millis(25).as_picos()),
            or: None,
        },
    },
    Parameter {
        name: "transition",
        doc: "Round trips after slow start until the rate is independent of the round-trip time",
        kind: ParameterKind::Whole { min: 0, max: 1_000_000, default: 4 },
    },
];

/// The smallest window, in segments.
const MIN_CWND: f64 = 2.0;

/// The parameters of Prague.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PragueSpec {
    /// Weight of the last round trip in the estimate.
    pub g: f64,
    /// Round-trip time that flows with a shorter one behave as if they had.
    pub rtt_target: Time,
    /// Round trips after slow start until then.
    pub transition: u64,
}

#[derive(Debug)]
pub(crate) struct Prague {
    spec: PragueSpec,
    /// The window with its fraction, and the sender's window, which follows it.
    cwnd: f64,
    shown: f64,
    alpha: f64,
    has_seen_marks: bool,
    /// Segments delivered and marked since the last estimate.
    delivered: u64,
    marked: u64,
    /// Marks that the last ACK reports, whether the application limited the sender, and the sender's state after it.
    newly_marked: u64,
    app_limited: bool,
    now: Time,
    srtt: f64,
    snd_una: u64,
    snd_nxt: u64,
    /// The round trip ends when this segment is acknowledged.
    end: u64,
    /// Number of estimates since slow start, the time of the last one, and of the last reduction for a mark.
    rounds: u64,
    estimated_at: Option<Time>,
    reduced_at: Option<Time>,
    /// No mark reduces the window until this segment is acknowledged.
    reduced_end: u64,
}

impl Spec for PragueSpec {
    type State = Prague;

    const FIXED: Option<&'static [&'static str]> = Some(&[]);

    fn build(&self) -> Prague {
        Prague {
            spec: *self,
            cwnd: 0.0,
            shown: 0.0,
            alpha: 0.0,
            has_seen_marks: false,
            delivered: 0,
            marked: 0,
            newly_marked: 0,
            app_limited: false,
            now: Time::ZERO,
            srtt: f64::NAN,
            snd_una: 0,
            snd_nxt: 0,
            end: 0,
            rounds: 0,
            estimated_at: None,
            reduced_at: None,
            reduced_end: 0,
        }
    }

    fn retune(&self, law: &mut Prague) {
        law.spec = *self;
    }
}

impl CongestionControl for Prague {
    const KEPT: f64 = 0.5;
    const OWN_SLOW_START: bool = true;
    const VARIABLES: &'static [Variable] = &[
        DELIVERED,
        RTT,
        INFLIGHT,
        PACING_RATE,
        ALPHA,
        variable("fractional_cwnd", "segments", "The window with its fraction, which the sender's window follows"),
        variable("increase", "segments", "Growth of the window per round trip without marks, after slow start"),
    ];

    fn samples_rate(&self) -> bool {
        true
    }

    fn is_scalable(&self) -> bool {
        true
    }

    fn observe(&mut self, ack: &AckSample) {
        self.newly_marked += ack.marked;
        (self.app_limited, self.now, self.srtt) = (ack.app_limited, ack.now, ack.srtt);
        (self.snd_una, self.snd_nxt) = (ack.snd_una, ack.snd_nxt);
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &AckSample) {}

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        // a mark has its answer with the sample of its ACK
        if event.signal != Signal::Mark {
            self.follow(window);
            self.reduce(window, 0.5);
        }
    }

    fn on_rate(&mut self, window: &mut Window, sample: &RateSample, _stream: &mut Stream) {
        self.follow(window);
        let marked = std::mem::take(&mut self.newly_marked).min(sample.newly_delivered);
        self.delivered += sample.newly_delivered;
        self.marked += marked;
        if self.snd_una >= self.end && self.is_due(window, self.estimated_at) {
            self.end_round(window);
        }
        if !self.app_limited && matches!(sample.phase, Phase::Open | Phase::Reducing) {
            self.grow(window, (sample.newly_delivered - marked) as f64);
        }
        if marked > 0 && self.snd_una > self.reduced_end && self.is_due(window, self.reduced_at) {
            let kept = if self.has_seen_marks { 1.0 - self.alpha / 2.0 } else { 0.5 };
            (self.has_seen_marks, self.reduced_at) = (true, Some(self.now));
            self.reduce(window, kept);
        }
        let goal = self.cwnd.ceil();
        window.cwnd = if goal < window.cwnd {
            goal.max(window.cwnd - 1.0)
        } else {
            goal.min(window.cwnd + sample.newly_delivered as f64)
        };
        self.shown = window.cwnd;
    }

    fn pacing_rate(&self, window: &Window, srtt: Option<f64>) -> Option<f64> {
        let cwnd = if self.cwnd > 0.0 { self.cwnd } else { window.cwnd };
        let gain = if cwnd < window.ssthresh / 2.0 { 2.0 } else { 1.0 };
        srtt.map(|srtt| gain * cwnd / srtt)
    }

    fn visit_state(&self, _now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("alpha", self.alpha);
        visit("fractional_cwnd", self.cwnd);
        visit("increase", self.growth());
    }
}

impl Prague {
    /// Follows a window that the sender has raised, at the end of the handshake or because a reduction was unnecessary.
    const fn follow(&mut self, window: &Window) {
        if window.cwnd > self.shown {
            self.cwnd = self.cwnd.max(window.cwnd);
            self.shown = window.cwnd;
        }
    }

    /// Reduces the window, which no mark does again in this round trip.
    fn reduce(&mut self, window: &mut Window, kept: f64) {
        self.cwnd = (kept * self.cwnd).max(MIN_CWND);
        window.ssthresh = self.cwnd;
        self.reduced_end = self.snd_nxt;
    }

    /// Whether the rate is independent of the round-trip time.
    fn is_independent(&self, window: &Window) -> bool {
        self.cwnd >= window.ssthresh && self.rounds >= self.spec.transition
    }

    /// Whether the last estimate or reduction is long enough ago, apart from the round trip.
    fn is_due(&self, window: &Window, last: Option<Time>) -> bool {
        let due = last.map_or(Time::ZERO, |last| last.saturating_add(self.spec.rtt_target));
        !self.is_independent(window) || self.now >= due
    }

    /// The growth of the window per round trip.
    fn growth(&self) -> f64 {
        let share = self.srtt / self.spec.rtt_target.as_secs_f64();
        if self.rounds >= self.spec.transition && share < 1.0 { share * share } else { 1.0 }
    }

    /// Grows the window for unmarked segments, in slow start up to `ssthresh`.
    fn grow(&mut self, window: &Window, unmarked: f64) {
        let doubling = unmarked.min((window.ssthresh - self.cwnd).max(0.0));
        self.cwnd += doubling;
        self.cwnd += (unmarked - doubling) * self.growth() / self.cwnd;
    }

    /// Estimates the share of marked segments.
    fn end_round(&mut self, window: &Window) {
        if self.has_seen_marks && self.delivered > 0 {
            self.alpha += self.spec.g * (self.marked as f64 / self.delivered as f64 - self.alpha);
            self.estimated_at = Some(self.now);
        }
        (self.delivered, self.marked, self.end) = (0, 0, self.snd_nxt);
        self.rounds += u64::from(self.cwnd >= window.ssthresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: PragueSpec = PragueSpec { g: 1.0 / 16.0, rtt_target: Time::from_millis(25), transition: 4 };
    const MARK: CongestionEvent =
        CongestionEvent { signal: Signal::Mark, window: 100.0, least: 2.0, lost_again: false, abe: false };

    type Bench = super::super::bench::Bench<Prague>;

    impl Bench {
        /// A sender in congestion avoidance, with a window.
        fn at(cwnd: f64, rtt_ms: u64) -> Self {
            let mut bench = Self::with(SPEC.build(), Time::from_millis(rtt_ms));
            bench.window = Window { cwnd, ssthresh: 2.0 };
            bench.law.rounds = 4;
            bench
        }

        /// An ACK for one segment, `marked` or not.
        fn hear(&mut self, marked: bool) {
            let srtt = self.rtt.as_secs_f64();
            self.now += Time::from_secs_f64(srtt / self.window.cwnd);
            let (snd_una, snd_nxt) = (self.delivered + 1, self.delivered + self.window.cwnd as u64);
            let ack = AckSample { now: self.now, srtt, marked: marked.into(), snd_una, snd_nxt, ..AckSample::ONE };
            self.law.observe(&ack);
            self.give(self.sample(0.0, 1, 10));
        }
    }

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-6
    }

    /// Validates: the growth per round trip at 5, 10, 20, 25 and 50 ms, and during the transition.
    /// Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.4; Linux, `prague_rate_scaled_ai_ack_increase`:
    ///     (RTT / 25 ms)^2.
    /// Tolerance: 1e-6.
    #[test]
    fn the_growth_below_25_ms_is_the_square_of_the_ratio() {
        for (rtt, expected) in [(5, 0.04), (10, 0.16), (20, 0.64), (25, 1.0), (50, 1.0)] {
            let mut bench = Bench::at(10.0, rtt);
            bench.hear(false);
            assert!(near(bench.law.cwnd, 10.0 + expected / 10.0), "{rtt} ms: {}", bench.law.cwnd);
            bench.law.rounds = 3;
            let before = bench.law.cwnd;
            bench.hear(false);
            assert!(near(bench.law.cwnd, before + 1.0 / before));
        }
    }

    /// Validates: slow start doubles the window per round trip, except for marked segments; the first mark ever halves it,
    ///     later ones reduce it in proportion to the estimate, which begins at 0.
    /// Source: Linux, `tcp_prague.c`, version 0.7; draft-briscoe-iccrg-prague-congestion-control, sections 2.4.2 and 2.4.3.
    /// Tolerance: exact.
    #[test]
    fn the_first_mark_halves_the_window() {
        let mut bench = Bench::with(SPEC.build(), Time::from_millis(50));
        (0..10).for_each(|_| bench.hear(false));
        assert_eq!((bench.law.cwnd, bench.window.cwnd), (20.0, 20.0));
        bench.hear(true);
        assert_eq!((bench.law.cwnd, bench.window.ssthresh, bench.law.alpha), (10.0, 10.0, 0.0));
        assert_eq!(bench.window.cwnd, 19.0, "the window falls by one per ACK");
        (0..9).for_each(|_| bench.hear(true));
        assert_eq!((bench.law.cwnd, bench.window.cwnd), (10.0, 10.0), "one reduction per round trip");
        (0..10).for_each(|_| bench.hear(true));
        let before = bench.law.cwnd;
        bench.law.alpha = 0.5;
        bench.hear(true);
        assert_eq!(bench.law.cwnd, 0.75 * before);
    }

    /// Validates: below 25 ms, marks reduce the window and the estimate changes at most once in 25 ms.
    /// Source: Linux, `prague_enter_cwr` and `prague_target_rtt_elapsed`.
    /// Tolerance: exact.
    #[test]
    fn a_short_path_is_reduced_once_in_25_ms() {
        let mut bench = Bench::at(10.0, 5);
        (bench.law.has_seen_marks, bench.law.alpha, bench.law.spec.g) = (true, 0.5, 1e-9);
        let mut reductions = Vec::new();
        for _ in 0..1_000 {
            let before = bench.law.cwnd;
            bench.hear(true);
            if bench.law.cwnd < before {
                reductions.push(bench.now);
            }
            bench.law.cwnd = 10.0;
        }
        assert!(reductions.len() >= 15 && reductions.windows(2).all(|pair| pair[1] - pair[0] >= SPEC.rtt_target));
    }

    /// Validates: with a share `p` of marked segments the rate settles at `2 (1 - p) / p` segments per round trip of at least
    ///     25 ms, and the same per 25 ms below: 0.96, 8.64 and 95.04 Mb/s at 0.5, 0.1 and 0.01 with 1,500 bytes.
    /// Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.4; the fluid model of the rules above.
    /// Tolerance: 15 %, as a reduction waits for the next mark.
    #[test]
    fn the_window_settles_at_two_unmarked_per_marked() {
        for (each, rtt) in [(10_u32, 50_u64), (10, 25), (10, 10), (100, 50), (100, 10)] {
            let p = 1.0 / f64::from(each);
            let expected = 2.0 * (1.0 - p) / p * (rtt as f64 / 25.0).min(1.0);
            let mut bench = Bench::at(expected, rtt);
            (bench.law.has_seen_marks, bench.law.alpha) = (true, p);
            let (mut count, mut round_trips) = (0, 0.0);
            for number in 1..=200_000 {
                bench.hear(number % each == 0);
                if number > 50_000 {
                    count += 1;
                    round_trips += 1.0 / bench.law.cwnd;
                }
            }
            let mean = f64::from(count) / round_trips;
            assert!((mean / expected - 1.0).abs() < 0.15, "1/{each} at {rtt} ms: {mean} {expected}");
        }
        let rate = |p: f64| 2.0 * (1.0 - p) / p * 12_000.0 / 0.025 / 1e6;
        assert!(near(rate(0.5), 0.96) && near(rate(0.1), 8.64) && near(rate(0.01), 95.04));
    }

    /// Validates: a loss halves the window, nothing grows until it is repaired, and an unnecessary reduction is undone with
    ///     the sender's window.
    /// Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.3; Linux, `prague_enter_loss`.
    /// Tolerance: exact.
    #[test]
    fn a_loss_halves_the_window() {
        let mut bench = Bench::at(40.0, 50);
        bench.hear(false);
        let loss = CongestionEvent { signal: Signal::Loss, ..MARK };
        bench.law.on_congestion(&mut bench.window, &loss);
        assert!(near(bench.law.cwnd, 20.0125) && bench.window.ssthresh == bench.law.cwnd);
        let repair = RateSample { phase: Phase::Recovery, ..bench.sample(0.0, 1, 10) };
        bench.give(repair);
        assert!(near(bench.law.cwnd, 20.0125) && near(bench.window.cwnd, 40.0));
        bench.window.cwnd = 41.0;
        bench.give(RateSample { newly_delivered: 0, ..repair });
        assert_eq!(bench.law.cwnd, 41.0);
    }

    /// Validates: the pacing rate is the window per round trip, and twice that while the window is below half of `ssthresh`.
    /// Source: Linux, `prague_update_pacing_rate`.
    /// Tolerance: exact.
    #[test]
    fn the_rate_is_a_window_per_round_trip() {
        let bench = Bench::at(40.0, 50);
        let rate = |ssthresh| bench.law.pacing_rate(&Window { cwnd: 40.0, ssthresh }, Some(0.05));
        assert_eq!([rate(2.0), rate(81.0)], [Some(800.0), Some(1_600.0)]);
        assert_eq!(bench.law.pacing_rate(&bench.window, None), None);
    }
}
