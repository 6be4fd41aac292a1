//! Tests of the model and the states of BBR version 3, sample by sample.

use super::*;

/// A path of 1,000 segments/s and 100 ms, so that the bandwidth-delay product is 100 segments.
const BANDWIDTH: f64 = 1_000.0;
const RTT: Time = Time::from_millis(100);
const SPEC: Bbr3Spec = Bbr3Spec { loss_threshold: 0.02, beta: 0.7, headroom: 0.15, ecn_max_rtt: Time::from_millis(5) };
const LOSS: CongestionEvent =
    CongestionEvent { signal: Signal::Loss, window: 100.0, least: 1.0, lost_again: false, abe: false };

type Bench = super::super::bench::Bench<Bbr3>;

impl Bench {
    fn new() -> Self {
        Self::with(SPEC.build(), RTT)
    }

    /// A sender that has just ended drain.
    fn cycling() -> Self {
        let mut bench = Self::new();
        for _ in 0..4 {
            bench.round(BANDWIDTH, 100, 200);
        }
        assert_eq!(bench.law.state, State::Drain);
        bench.round(BANDWIDTH, 100, 90);
        assert_eq!(bench.law.state, State::Cruise, "down ends at once, as the queue is empty");
        bench
    }

    /// A sender in a state, whose probe is due in 3 s.
    fn in_state(state: State) -> Self {
        let mut bench = Self::cycling();
        bench.law.state = state;
        (bench.law.answers, bench.law.cycle_at) = (Answers::Other, bench.now);
        (bench.law.rounds_since_probe, bench.law.wait) = (0, Time::from_millis(3_000));
        bench.window.cwnd = 200.0;
        bench
    }

    /// A segment of a flight of 100 segments, the `lost`th of them to be lost.
    fn lose_one(&mut self, number: u64, lost: u64) {
        let sample = self.sample(BANDWIDTH, 0, 90);
        self.lose(LostSegment { number, tx_in_flight: 100, lost, app_limited: false }, &sample);
    }

    /// A round trip of a recovery, in which segments were lost.
    fn lossy_round(&mut self, rate: f64, delivered: u64, lost: u64) {
        self.now += RTT;
        let sample = RateSample { lost, phase: Phase::Recovery, ..self.sample(rate, delivered, 90) };
        self.give(sample);
    }
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-6
}

/// Validates: the rates at a bandwidth of 10 Mb/s: 27.449 Mb/s in startup, 4.95 in drain, 8.91 in down, 9.9 in cruise and
///     refill, 12.375 in up.
/// Source: draft-ietf-ccwg-bbr, sections 2.8 and 5.6.1: gains of 4 ln 2, 0.5, 0.9, 1, 1 and 1.25, and a margin of 1 %.
/// Tolerance: 1e-6 Mb/s.
#[test]
fn each_state_has_its_gain() {
    let rate = |state: State| state.gains().0 * 10.0 * control::MARGIN;
    assert!(near(rate(State::Startup), 27.448_628) && near(rate(State::Drain), 4.95));
    assert!(near(rate(State::Down), 8.91) && near(rate(State::Cruise), 9.9) && near(rate(State::Refill), 9.9));
    assert!(near(rate(State::Up), 12.375) && near(rate(State::ProbeRtt), 9.9));
    assert_eq!([State::Startup, State::Cruise, State::Up, State::ProbeRtt].map(|s| s.gains().1), [2.0, 2.0, 2.25, 0.5]);
}

/// Validates: the model begins with the round-trip time of the handshake, 98 ms, though data takes 100 ms.
/// Source: draft-ietf-ccwg-bbr, `BBROnInit` and `BBRInitPacingRate`.
/// Tolerance: exact.
#[test]
fn the_handshake_gives_the_first_round_trip_time() {
    let mut bench = Bench::new();
    bench.now += RTT;
    bench.give(RateSample { min_rtt: Time::from_millis(98), rate: None, ..bench.sample(0.0, 1, 9) });
    assert_eq!(bench.law.min_rtt, 0.098);
    assert_eq!(bench.law.rate, STARTUP_GAIN * 10.0 / 0.098);
}

/// Validates: startup ends after three round trips in which the rate grew by less than a quarter, not while the
///     application limits the sender, and drain when a bandwidth-delay product is in flight or after three round trips.
/// Source: draft-ietf-ccwg-bbr, sections 5.3.1.2 and 5.3.2.
/// Tolerance: exact.
#[test]
fn startup_ends_on_a_plateau_and_drain_on_the_flight_or_the_time() {
    let mut bench = Bench::new();
    for rate in [100.0, 200.0, 400.0, 800.0, 1_000.0, 1_000.0, 1_249.0] {
        bench.round(rate, 20, 50);
        assert_eq!(bench.law.state, State::Startup, "{rate}");
        bench.now += RTT;
        let limited = RateSample { app_limited: true, ..bench.sample(rate, 20, 50) };
        bench.give(limited);
    }
    bench.round(1_249.0, 20, 200);
    assert_eq!(bench.law.state, State::Drain);
    assert!(near(bench.law.rate, 0.5 * 0.99 * 1_249.0));
    for _ in 0..3 {
        bench.round(1_249.0, 20, 200);
        assert_eq!(bench.law.state, State::Drain, "the queue is not empty");
    }
    bench.round(1_249.0, 20, 200);
    assert_eq!(bench.law.state, State::Down, "it takes too long");
    Bench::cycling();
}

/// Validates: a round trip of a recovery that loses more than 2 % in six ranges ends startup, and the long-term bound is
///     the larger one of the bandwidth-delay product and what was delivered; five ranges, or 2 %, do not.
/// Source: draft-ietf-ccwg-bbr, section 5.3.1.3.
/// Tolerance: exact.
#[test]
fn high_loss_ends_startup() {
    for (ranges, lost, ends) in [(6, 3, true), (5, 3, false), (6, 2, false)] {
        let mut bench = Bench::new();
        bench.round(BANDWIDTH, 100, 100);
        bench.law.on_congestion(&mut bench.window, &LOSS);
        (0..ranges).for_each(|range| bench.lose_one(10 * range, range + 1));
        bench.now += RTT;
        let sample = RateSample {
            app_limited: true,
            lost,
            tx_in_flight: 100,
            phase: Phase::Recovery,
            ..bench.sample(BANDWIDTH, 120, 200)
        };
        bench.give(sample);
        assert_eq!(bench.law.state == State::Drain, ends, "{ranges} {lost}");
        assert_eq!(bench.law.long.inflight, if ends { 120.0 } else { f64::INFINITY });
    }
}

/// Validates: samples that the application limits never lower the bandwidth, and raise it only if they are higher.
/// Source: draft-ietf-ccwg-bbr, section 5.5.4.
/// Tolerance: exact.
#[test]
fn an_application_limit_never_lowers_the_bandwidth() {
    let mut bench = Bench::new();
    bench.round(500.0, 20, 50);
    for (rate, expected) in [(50.0, 500.0), (499.0, 500.0), (700.0, 700.0)] {
        bench.now += RTT;
        let limited = RateSample { app_limited: true, ..bench.sample(rate, 1, 1) };
        bench.give(limited);
        assert_eq!((bench.law.state, bench.law.bandwidth), (State::Startup, expected));
    }
    let unknown = RateSample { rate: None, ..bench.sample(0.0, 1, 1) };
    bench.give(unknown);
    assert_eq!(bench.law.bandwidth, 700.0);
}

/// Validates: the phases of a cycle, and the bandwidth as the maximum of the present and the last cycle.
/// Source: draft-ietf-ccwg-bbr, sections 5.3.3.6 and 5.5.6.
/// Tolerance: exact.
#[test]
fn a_cycle_goes_down_cruises_refills_and_goes_up() {
    let mut bench = Bench::in_state(State::Down);
    bench.round(BANDWIDTH, 10, 101);
    assert_eq!(bench.law.state, State::Down, "more than a product is in flight");
    bench.round(BANDWIDTH, 10, 100);
    assert_eq!(bench.law.state, State::Cruise);
    bench.now = bench.law.cycle_at + Time::from_millis(3_000);
    bench.give(bench.sample(BANDWIDTH, 10, 100));
    assert_eq!(bench.law.state, State::Cruise);
    bench.now += Time::from_millis(1);
    bench.give(bench.sample(BANDWIDTH, 10, 100));
    assert_eq!(bench.law.state, State::Refill);
    bench.round(BANDWIDTH, 10, 100);
    assert_eq!((bench.law.state, bench.law.may_be_too_high), (State::Up, true));
    for rate in [1_100.0, 1_249.0] {
        bench.round(rate, 10, 100);
        assert_eq!(bench.law.state, State::Up);
    }
    bench.round(1_200.0, 10, 100);
    assert_eq!((bench.law.state, bench.law.bandwidth), (State::Down, 1_249.0));
    assert!((Time::from_millis(2_000)..Time::from_millis(3_000)).contains(&bench.law.wait));
    // the second cycle without a sample as high forgets it
    bench.round(BANDWIDTH, 10, 100);
    assert_eq!(bench.law.bandwidth, 1_249.0);
    (bench.law.state, bench.law.answers) = (State::Down, Answers::ProbeStopping);
    bench.round(BANDWIDTH, 10, 200);
    assert_eq!(bench.law.bandwidth, BANDWIDTH);
}

/// Validates: the round trips until a probe: 16 at a bandwidth-delay product of 16.67 segments, and 63 at 66.67.
/// Source: draft-ietf-ccwg-bbr, section 5.3.3.5.3 (`IsRenoCoexistenceProbeTime`); 10 Mb/s at 20 and 80 ms.
/// Tolerance: exact.
#[test]
fn a_probe_comes_as_often_as_renos() {
    for (bandwidth, expected) in [(166.7, 17), (666.7, 63)] {
        let mut bench = Bench::in_state(State::Cruise);
        bench.law.wait = Time::MAX;
        bench.law.min_rtt = 0.1;
        bench.law.max_bandwidth = Bandwidth::default();
        bench.law.bandwidth = bandwidth;
        bench.law.short.bandwidth = bandwidth;
        let mut rounds = 0;
        while bench.law.state == State::Cruise {
            bench.now += Time::from_millis(1);
            let sample = RateSample { rtt: None, ..bench.sample(bandwidth, 1, 1) };
            bench.give(sample);
            rounds += 1;
        }
        assert_eq!((bench.law.state, rounds), (State::Refill, expected));
    }
}

/// Validates: the long-term bound grows by 1, 3, 7, 15, 31, 63 and 127 segments in all in the first seven round trips.
/// Source: draft-ietf-ccwg-bbr, section 5.3.3.6 (`RaiseInflightLongtermSlope`).
/// Tolerance: exact.
#[test]
fn the_long_term_bound_grows_faster_and_faster() {
    let mut long = LongTerm::default();
    long.inflight = 128.0;
    long.raise(1_000_000);
    assert_eq!(long.inflight, 128.0, "it grows only in a probe");
    long.prepare();
    for grown in [1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 127.0] {
        long.steepen(128.0);
        (0..128).for_each(|_| long.raise(1));
        assert_eq!(long.inflight, 128.0 + grown);
    }
}

/// Validates: with 3 of 100 segments lost, losses crossed 2 % at a flight of 98.9796 segments.
/// Source: draft-ietf-ccwg-bbr, section 5.5.10.2 (`InflightAtLoss`): 99 + (0.02 99 - 2) / 0.98.
/// Tolerance: 1e-6.
#[test]
fn the_flight_at_which_losses_crossed_the_threshold() {
    let lost = LostSegment { number: 7, tx_in_flight: 100, lost: 3, app_limited: false };
    assert!(near(inflight_at_loss(&lost, 0.02), 98.979_592));
}

/// Validates: more than 2 % lost in up sets the long-term bound, once per probe, and ends up; not if the application limited
///     the sender, whose probe ends without a bound; losses of cruise do not.
/// Source: draft-ietf-ccwg-bbr, section 5.5.10.2 (`HandleInflightTooHigh`).
/// Tolerance: exact.
#[test]
fn a_lossy_probe_sets_the_long_term_bound() {
    let mut bench = Bench::in_state(State::Up);
    bench.law.may_be_too_high = true;
    bench.lose_one(5, 2);
    assert_eq!(bench.law.state, State::Up, "2 % is allowed");
    bench.lose_one(6, 3);
    assert_eq!((bench.law.state, bench.law.was_too_high), (State::Down, true));
    assert!(near(bench.law.long.inflight, 98.979_592));
    bench.lose_one(7, 40);
    assert!(near(bench.law.long.inflight, 98.979_592), "once per probe");
    let mut limited = Bench::in_state(State::Up);
    limited.law.may_be_too_high = true;
    let lost = LostSegment { number: 5, tx_in_flight: 10, lost: 3, app_limited: true };
    limited.lose(lost, &limited.sample(BANDWIDTH, 1, 9));
    assert_eq!((limited.law.state, limited.law.long.inflight), (State::Down, f64::INFINITY));
    let mut cruising = Bench::in_state(State::Cruise);
    cruising.lose_one(5, 50);
    assert_eq!((cruising.law.state, cruising.law.long.inflight), (State::Cruise, f64::INFINITY));
    // a shallow estimate is limited to beta times the bandwidth-delay product
    let mut shallow = Bench::in_state(State::Up);
    shallow.law.may_be_too_high = true;
    let lost = LostSegment { number: 5, tx_in_flight: 10, lost: 3, app_limited: false };
    shallow.lose(lost, &shallow.sample(BANDWIDTH, 1, 9));
    assert!(near(shallow.law.long.inflight, 70.0));
}

/// Validates: cruise keeps 15 % below the long-term bound, down and up keep the bound.
/// Source: draft-ietf-ccwg-bbr, sections 5.6.1 (volume cap) and 5.3.3.6 (`InflightWithHeadroom`).
/// Tolerance: exact.
#[test]
fn cruise_leaves_headroom() {
    for (state, flight, expected) in [(State::Cruise, 99, 85.0), (State::Down, 99, 100.0), (State::Down, 80, 85.0)] {
        let mut bench = Bench::in_state(state);
        bench.law.long.inflight = 100.0;
        bench.round(BANDWIDTH, 10, flight);
        assert!(near(bench.window.cwnd, expected), "{state:?} {:?}", bench.window);
    }
    let mut long = LongTerm::default();
    assert_eq!(long.with_headroom(0.15, 4.0), f64::INFINITY);
    long.inflight = 5.0;
    assert_eq!(long.with_headroom(0.15, 4.0), 4.0);
}

/// Validates: after a probe that lost too much, the next one ends when its flight reaches the bound, and if it loses little,
///     refill follows at once.
/// Source: draft-ietf-ccwg-bbr, section 5.3.3.4.2 (precautionary probing).
/// Tolerance: exact.
#[test]
fn the_probe_after_a_lossy_one_is_cautious() {
    let mut bench = Bench::in_state(State::Refill);
    (bench.law.was_too_high, bench.law.long.inflight) = (true, 110.0);
    bench.round(BANDWIDTH, 10, 100);
    assert_eq!(bench.law.state, State::Up);
    bench.now += Time::from_millis(1);
    bench.give(RateSample { tx_in_flight: 100, ..bench.sample(BANDWIDTH, 1, 109) });
    assert_eq!(bench.law.state, State::Up);
    bench.give(RateSample { tx_in_flight: 100, ..bench.sample(BANDWIDTH, 1, 110) });
    assert_eq!((bench.law.state, bench.law.was_precautionary), (State::Down, true));
    bench.round(BANDWIDTH, 10, 120);
    assert_eq!(bench.law.state, State::Refill, "it lost little");
    bench.round(BANDWIDTH, 10, 100);
    bench.round(BANDWIDTH, 10, 120);
    assert_eq!(bench.law.state, State::Up, "this one may stay above the bound");
}

/// Validates: two lossy round trips that deliver 6 lower a bandwidth of 10 to 7 and then to 6; the flight likewise; refill
///     removes the bounds; losses of up leave them unset.
/// Source: draft-ietf-ccwg-bbr, section 5.5.10.3: max(6, 0.7 10) = 7, max(6, 0.7 7) = 6.
/// Tolerance: 1e-6.
#[test]
fn losses_outside_of_a_probe_set_short_term_bounds() {
    let mut bench = Bench::in_state(State::Cruise);
    bench.law.short.forget();
    for (bandwidth, flight) in [(700.0, 140.0), (600.0, 98.0)] {
        bench.lose_one(5, 1);
        bench.lossy_round(600.0, 60, 1);
        assert!(near(bench.law.short.bandwidth, bandwidth), "{:?}", bench.law.short);
        assert!(bench.law.short.inflight <= flight + 1e-6 && bench.law.bandwidth == bench.law.short.bandwidth);
        assert!(bench.window.cwnd <= bench.law.short.inflight);
    }
    bench.law.begin_refill();
    assert_eq!((bench.law.short.bandwidth, bench.law.short.inflight), (f64::INFINITY, f64::INFINITY));
    let mut probing = Bench::in_state(State::Up);
    probing.lose_one(5, 1);
    probing.lossy_round(600.0, 60, 1);
    assert_eq!(probing.law.short.bandwidth, f64::INFINITY);
}

/// Validates: after 5 s without a new minimum round-trip time, half of a bandwidth-delay product is in flight for 200 ms and
///     a round trip; then cruise follows, and short-term bounds are gone. In startup, startup goes on.
/// Source: draft-ietf-ccwg-bbr, section 5.3.4.
/// Tolerance: exact.
#[test]
fn the_round_trip_time_is_probed_every_five_seconds() {
    let mut bench = Bench::in_state(State::Cruise);
    bench.law.wait = Time::MAX;
    let slow = |bench: &Bench, in_flight| RateSample {
        rtt: Some(Time::from_millis(101)),
        ..bench.sample(BANDWIDTH, 10, in_flight)
    };
    let due = bench.law.probe_rtt_at + Time::from_millis(5_000);
    bench.now = due;
    bench.give(slow(&bench, 100));
    assert_eq!(bench.law.state, State::Cruise);
    bench.now += Time::from_millis(1);
    bench.give(slow(&bench, 100));
    assert!(bench.law.state == State::ProbeRtt && bench.law.limits_itself() && near(bench.window.cwnd, 50.0));
    assert!(near(bench.law.min_rtt, 0.1), "the minimum is believed for 10 s");
    bench.give(slow(&bench, 51));
    assert_eq!(bench.law.probe_ends, None, "too much is in flight");
    bench.give(slow(&bench, 50));
    assert_eq!(bench.law.probe_ends, Some(bench.now + Time::from_millis(200)));
    bench.law.short.bandwidth = 500.0;
    bench.now += Time::from_millis(200);
    bench.give(slow(&bench, 50));
    assert_eq!(bench.law.state, State::ProbeRtt);
    bench.now += Time::from_millis(1);
    bench.give(slow(&bench, 50));
    assert_eq!((bench.law.state, bench.law.short.bandwidth), (State::Cruise, f64::INFINITY));
    assert!(bench.window.cwnd >= 200.0);
    let mut starting = Bench::new();
    starting.round(100.0, 20, 20);
    for (millis, rtt, expected) in
        [(5_001, 101, State::ProbeRtt), (1, 100, State::ProbeRtt), (201, 100, State::Startup)]
    {
        starting.now += Time::from_millis(millis);
        let rtt = Some(Time::from_millis(rtt));
        starting.give(RateSample { rtt, app_limited: true, ..starting.sample(100.0, 1, 1) });
        assert_eq!(starting.law.state, expected);
    }
}

/// Validates: after an idle period the rate is the bandwidth with its margin, the window stays, and the round-trip time is
///     not probed, as idleness has measured it.
/// Source: draft-ietf-ccwg-bbr, sections 5.4.1 and 5.3.4.3.
/// Tolerance: exact.
#[test]
fn an_idle_period_replaces_a_probe_of_the_round_trip_time() {
    let mut bench = Bench::in_state(State::Down);
    bench.round(BANDWIDTH, 10, 150);
    assert!(near(bench.law.rate, 891.0));
    let cwnd = bench.window.cwnd;
    bench.now += Time::from_millis(6_000);
    bench.law.on_idle(&mut bench.window, bench.now, Time::from_millis(6_000));
    assert!(near(bench.law.rate, 990.0) && bench.window.cwnd == cwnd);
    bench.round(BANDWIDTH, 1, 9);
    assert!(bench.law.state != State::ProbeRtt && !bench.law.restarts);
}

/// Validates: a recovery that proves unnecessary restores the bounds and the phase; a timeout's likewise.
/// Source: draft-ietf-ccwg-bbr, section 5.5.11.2 (`HandleSpuriousLossDetection`).
/// Tolerance: exact.
#[test]
fn an_unnecessary_recovery_restores_bounds_and_phase() {
    let mut bench = Bench::in_state(State::Up);
    (bench.law.may_be_too_high, bench.law.long.inflight) = (true, 150.0);
    bench.law.on_congestion(&mut bench.window, &LOSS);
    bench.lose_one(6, 3);
    assert!(bench.law.state == State::Down && bench.law.long.inflight < 100.0);
    bench.lossy_round(BANDWIDTH, 10, 3);
    bench.law.on_undo(&mut bench.window);
    assert_eq!((bench.law.state, bench.law.long.inflight), (State::Refill, 150.0));
    let mut starting = Bench::new();
    starting.round(BANDWIDTH, 100, 100);
    starting.law.on_congestion(&mut starting.window, &CongestionEvent { signal: Signal::Timeout, ..LOSS });
    (0..6).for_each(|range| starting.lose_one(10 * range, range + 1));
    starting.now += RTT;
    starting.give(RateSample { lost: 6, phase: Phase::Recovery, ..starting.sample(BANDWIDTH, 120, 200) });
    assert_eq!((starting.law.state, starting.law.is_full), (State::Drain, true));
    starting.law.on_undo(&mut starting.window);
    assert_eq!((starting.law.state, starting.law.is_full), (State::Startup, false));
    assert_eq!(starting.law.long.inflight, f64::INFINITY);
}

/// Validates: a recovery ends with the window before it, within the bounds.
/// Source: draft-ietf-ccwg-bbr, section 5.6.4.4 (`RestoreCwnd`).
/// Tolerance: exact.
#[test]
fn a_recovery_ends_with_the_window_before_it() {
    let mut bench = Bench::in_state(State::Up);
    bench.round(BANDWIDTH, 10, 190);
    let before = bench.window.cwnd;
    bench.law.on_congestion(&mut bench.window, &CongestionEvent { signal: Signal::Timeout, ..LOSS });
    bench.window.cwnd = 1.0;
    bench.give(RateSample { phase: Phase::Loss, ..bench.sample(BANDWIDTH, 1, 0) });
    assert_eq!(bench.window.cwnd, MIN_CWND);
    bench.give(bench.sample(BANDWIDTH, 1, 10));
    assert!(bench.window.cwnd >= before, "{before} {:?}", bench.window);
}

/// Validates: on a path of 5 ms, marks lower the flight of cruise by a third of the estimated share, which begins at 1, and
///     more than half of the segments marked end a probe; on a path of 100 ms they change nothing.
/// Source: google/bbr, branch v3: `bbr_ecn_lower_bounds`, `bbr_is_inflight_too_high`, `bbr_update_ecn_alpha`, with the gain
///     1/16, the factor 1/3 and the threshold 1/2.
/// Tolerance: 1e-6.
#[test]
fn marks_count_on_short_paths() {
    let mark = |bench: &mut Bench, marked| {
        let ack = AckSample { newly_acked: 10, marked, ..AckSample::ONE };
        bench.law.observe(&ack);
        bench.round(BANDWIDTH, 10, 90);
    };
    let bench = |state, min_rtt| {
        let mut bench = Bench::in_state(state);
        bench.round(BANDWIDTH, 10, 90);
        (bench.law.state, bench.law.min_rtt, bench.window.cwnd) = (state, min_rtt, 90.0);
        bench.law.short.unset();
        bench
    };
    let mut short = bench(State::Cruise, 0.005);
    mark(&mut short, 5);
    let alpha = 1.0 - (1.0 - 0.5) / 16.0;
    assert!(near(short.law.short.inflight, 90.0 * (1.0 - alpha / 3.0)), "{:?}", short.law.short);
    assert_eq!(short.law.short.bandwidth, f64::INFINITY);
    let mut long = bench(State::Cruise, 0.1);
    mark(&mut long, 10);
    assert_eq!(long.law.short.inflight, f64::INFINITY);
    for (marked, ends) in [(5, false), (6, true)] {
        let mut probe = bench(State::Up, 0.005);
        probe.law.may_be_too_high = true;
        probe.law.restart_plateau(0.0);
        mark(&mut probe, marked);
        assert_eq!((probe.law.state == State::Down, probe.law.was_too_high), (ends, ends), "{marked}");
    }
}
