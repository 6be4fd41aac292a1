//! Tests of BBR's model and states, sample by sample.

use super::*;

/// A path of 1,000 segments/s and 100 ms, so that the bandwidth-delay product is 100 segments.
const BANDWIDTH: f64 = 1_000.0;
const RTT: Time = Time::from_millis(100);

type Bench = super::super::bench::Bench<Bbr>;

impl Bench {
    fn new() -> Self {
        Self::with(BbrSpec {}.build(), RTT)
    }

    /// A sender that has just begun its cycles, in phase 2.
    fn cycling() -> Self {
        let mut bench = Self::new();
        for _ in 0..4 {
            bench.round(BANDWIDTH, 100, 280);
        }
        bench.round(BANDWIDTH, 100, 90);
        assert_eq!(bench.law.mode, Mode::ProbeBandwidth);
        bench.law.begin_phase(2, bench.now);
        bench
    }
}

/// Validates: the gains of startup and drain.
/// Source: Linux, `bbr_high_gain` and `bbr_drain_gain`, `2885 / 1000 + 1/256` and its inverse in units of 1/256; Cardwell
///     et al. 2016: `2/ln 2`.
/// Tolerance: one unit of the kernel's fixed point.
#[test]
fn startup_doubles_the_rate_each_round_trip() {
    assert_eq!((HIGH_GAIN * 256.0, DRAIN_GAIN * 256.0), (739.0, 88.0));
    assert!((HIGH_GAIN - 2.0 / std::f64::consts::LN_2).abs() < 1.0 / 256.0);
    assert!((DRAIN_GAIN - std::f64::consts::LN_2 / 2.0).abs() < 1.0 / 256.0);
    assert_eq!(CYCLE.iter().sum::<f64>(), 8.0, "a cycle sends at the bandwidth on average");
}

/// Validates: the initial rate with a round-trip time of 80 ms, and without one: 357.2 and 28,579 segments/s, which are
///     4.2868 and 342.94 Mb/s.
/// Source: Linux, `bbr_init_pacing_rate_from_rtt`: 99 % of `739 / 256` times the window per round trip.
/// Tolerance: four digits.
#[test]
fn the_first_rate_is_that_of_the_initial_window() {
    let law = BbrSpec {}.build();
    let window = Window { cwnd: 10.0, ssthresh: 1e6 };
    let rate = |srtt| law.pacing_rate(&window, srtt).expect("BBR has a rate") * 12_000.0;
    assert!((rate(Some(0.08)) / 4.2868e6 - 1.0).abs() < 1e-4 && (rate(None) / 342.94e6 - 1.0).abs() < 1e-4);
}

/// Validates: startup ends after three round trips in which the bandwidth grew by less than a quarter, drain when a
///     bandwidth-delay product is in flight.
/// Source: Cardwell et al. 2016; Linux, `bbr_check_full_bw_reached` and `bbr_check_drain`.
/// Tolerance: exact.
#[test]
fn startup_ends_when_the_bandwidth_stops_growing() {
    let mut bench = Bench::new();
    for rate in [100.0, 200.0, 400.0, 800.0, 1_000.0, 1_000.0, 1_249.0] {
        bench.round(rate, 20, 50);
        assert_eq!(bench.law.mode, Mode::Startup, "{rate}");
    }
    bench.round(1_249.0, 20, 200);
    assert_eq!(bench.law.mode, Mode::Drain);
    assert!(bench.law.rate < 1_249.0 * 0.35);
    bench.round(1_249.0, 20, 200);
    assert_eq!(bench.law.mode, Mode::Drain, "the queue is not empty");
    bench.round(1_249.0, 20, 120);
    assert_eq!(bench.law.mode, Mode::ProbeBandwidth);
    assert_ne!(bench.law.phase, 1, "the cycle does not begin by draining");
}

/// Validates: samples limited by the application neither end startup nor lower the bandwidth, but may raise it.
/// Source: Linux, `bbr_update_bw`; draft-ietf-ccwg-bbr, section 5.5.
/// Tolerance: exact.
#[test]
fn an_application_limit_never_lowers_the_model() {
    let mut bench = Bench::new();
    bench.round(500.0, 20, 50);
    for _ in 0..30 {
        bench.now += RTT;
        bench.give(RateSample { app_limited: true, ..bench.sample(50.0, 1, 1) });
    }
    assert_eq!((bench.law.mode, bench.law.bandwidth.get()), (Mode::Startup, 500.0));
    bench.give(RateSample { app_limited: true, ..bench.sample(700.0, 1, 1) });
    assert_eq!(bench.law.bandwidth.get(), 700.0);
    bench.give(RateSample { rate: None, ..bench.sample(0.0, 1, 1) });
    assert_eq!(bench.law.bandwidth.get(), 700.0, "no rate");
}

/// Validates: an old bandwidth remains while the application limits the sender, though a lower one is known that is not
///     old: it goes with the next sample.
/// Source: Linux, `bbr_update_bw`: only `minmax_running_max` removes what is older than ten round trips.
/// Tolerance: exact.
#[test]
fn without_samples_no_bandwidth_is_too_old() {
    let mut bench = Bench::new();
    bench.round(500.0, 20, 50);
    for _ in 0..5 {
        bench.round(300.0, 20, 50);
    }
    for _ in 0..7 {
        bench.now += RTT;
        bench.give(RateSample { app_limited: true, ..bench.sample(50.0, 1, 1) });
    }
    assert_eq!(bench.law.bandwidth.get(), 500.0);
    bench.round(200.0, 20, 50);
    assert_eq!(bench.law.bandwidth.get(), 300.0);
}

/// Validates: the phases of a cycle. Each lasts longer than a minimum round-trip time; the first one also until 1.25
///     bandwidth-delay products are in flight or a segment is lost, and the second one ends early once one is.
/// Source: Linux, `bbr_is_next_cycle_phase`.
/// Tolerance: exact.
#[test]
fn a_cycle_probes_drains_and_cruises() {
    let mut bench = Bench::cycling();
    let mut seen = Vec::new();
    let mut in_flight = 100;
    for _ in 0..60 {
        bench.now += Time::from_millis(51);
        bench.give(bench.sample(BANDWIDTH, 10, in_flight));
        seen.push(bench.law.phase);
        // the flight follows the gain
        in_flight = match bench.law.phase {
            0 => in_flight + 10,
            1 => in_flight - 10,
            _ => 100,
        };
    }
    seen.dedup();
    assert_eq!(seen[..9], [2, 3, 4, 5, 6, 7, 0, 1, 2]);
    let mut bench = Bench::cycling();
    bench.law.begin_phase(0, bench.now);
    bench.round(BANDWIDTH, 10, 100);
    bench.round(BANDWIDTH, 10, 100);
    assert_eq!(bench.law.phase, 0, "the flight has not grown");
    bench.now += RTT;
    bench.give(RateSample { newly_lost: 1, ..bench.sample(BANDWIDTH, 10, 100) });
    assert_eq!(bench.law.phase, 1);
    bench.now += Time::from_millis(1);
    bench.give(bench.sample(BANDWIDTH, 10, 80));
    assert_eq!(bench.law.phase, 2, "the queue is gone");
}

/// Validates: the window in cruise: twice the bandwidth-delay product of 100 segments, and three bursts of two segments,
///     rounded up to an even number; two more in the first phase.
/// Source: Linux, `bbr_bdp` and `bbr_quantization_budget`.
/// Tolerance: exact.
#[test]
fn the_window_is_two_products_and_three_bursts() {
    let mut bench = Bench::cycling();
    bench.law.aggregation = Aggregation::default();
    bench.window.cwnd = 1_000.0;
    bench.give(RateSample { rate: None, newly_delivered: 1, ..bench.sample(BANDWIDTH, 1, 100) });
    assert_eq!(bench.window.cwnd, 206.0);
    bench.law.begin_phase(0, bench.now);
    bench.give(RateSample { rate: None, burst: 4, ..bench.sample(BANDWIDTH, 10, 100) });
    assert_eq!(bench.window.cwnd, 214.0);
}

/// Validates: the room for bursts: one segment below 1.2 Mb/s of data (103.6 segments/s), two up to 3,071 segments/s, and
///     four at 50 Mb/s (4,125 segments/s), though one segment is sent at a time; at most 45. Segments of 500 bytes: one
///     below 300 segments/s, at most 127.
/// Source: Linux, `bbr_tso_segs_goal`: `sk_pacing_rate >> 10` bytes, 65,215 bytes at most, 127 segments at most.
/// Tolerance: exact.
#[test]
fn the_room_for_bursts_follows_the_rate() {
    let at_once = |rate, payload| Bbr { rate, payload, ..BbrSpec {}.build() }.at_once();
    assert_eq!([299.0, 301.0, 1e6].map(|rate| at_once(rate, 500.0)), [1.0, 2.0, 127.0]);
    let bursts = |rate| at_once(rate, 1_448.0);
    assert_eq!([103.0, 104.0, 3_071.0, 4_125.0, 1e6].map(bursts), [1.0, 2.0, 2.0, 4.0, 45.0]);
    assert_eq!(Bbr { rate: 104.0, burst: 3.0, payload: 1_448.0, ..BbrSpec {}.build() }.at_once(), 3.0);
}

/// Validates: the probing phase ends when 1.25 bandwidth-delay products and three bursts are in flight, with the burst
///     that is sent next: at 100 segments, 134 segments and two.
/// Source: Linux, `bbr_packets_in_net_at_edt` and `bbr_inflight`.
/// Tolerance: exact.
#[test]
fn the_next_burst_counts_in_a_probe() {
    let mut bench = Bench::cycling();
    bench.law.begin_phase(0, bench.now);
    bench.now += Time::from_millis(101);
    let probe = |bench: &Bench, prior_in_flight| RateSample { prior_in_flight, ..bench.sample(BANDWIDTH, 1, 100) };
    assert_eq!(bench.law.inflight(1.25), 134.0);
    bench.give(probe(&bench, 131));
    assert_eq!(bench.law.phase, 0);
    bench.give(probe(&bench, 132));
    assert_eq!(bench.law.phase, 1);
}

/// Validates: what is delivered until the next segment leaves no longer counts: if it leaves after 2.5 ms, two segments
///     are delivered at 1,000 segments/s. The phase that drains the queue ends two segments earlier, at 108 in flight.
/// Source: Linux, `bbr_packets_in_net_at_edt`.
/// Tolerance: exact.
#[test]
fn the_flight_is_that_at_the_next_departure() {
    let mut bench = Bench::cycling();
    assert_eq!(bench.law.inflight(1.0), 106.0);
    for (wait, prior_in_flight, phase) in [(0, 107, 1), (1_999, 108, 1), (2_500, 109, 1), (2_500, 108, 2), (0, 106, 2)]
    {
        bench.law.begin_phase(1, bench.now);
        let departure = bench.now + Time::from_micros(wait);
        bench.give(RateSample { prior_in_flight, departure, ..bench.sample(BANDWIDTH, 1, 100) });
        assert_eq!(bench.law.phase, phase, "{wait} us, {prior_in_flight} segments");
    }
}

/// Validates: the model begins with the round-trip time of the handshake, 98 ms, though data takes 100 ms.
/// Source: Linux, `bbr_init`: `tcp_min_rtt`, and `bbr_init_pacing_rate_from_rtt`.
/// Tolerance: exact.
#[test]
fn the_handshake_gives_the_first_round_trip_time() {
    let mut bench = Bench::new();
    bench.now += RTT;
    bench.give(RateSample { min_rtt: Time::from_millis(98), rate: None, ..bench.sample(0.0, 1, 9) });
    assert_eq!(bench.law.min_rtt, 0.098);
    assert_eq!(bench.law.rate, MARGIN * HIGH_GAIN * 10.0 / 0.098);
}

/// Validates: after 10 s without a new minimum round-trip time, at most four segments are in flight for 200 ms and a round
///     trip; then the window is restored.
/// Source: Cardwell et al. 2016; Linux, `bbr_update_min_rtt`.
/// Tolerance: exact.
#[test]
fn an_old_round_trip_time_is_measured_again() {
    let mut bench = Bench::cycling();
    let slow = |bench: &Bench, in_flight| RateSample {
        rtt: Some(Time::from_millis(101)),
        ..bench.sample(BANDWIDTH, 10, in_flight)
    };
    bench.give(slow(&bench, 100));
    let seen = bench.law.min_rtt_at;
    bench.now = seen + Time::from_millis(10_000);
    bench.give(slow(&bench, 100));
    assert!(bench.law.mode == Mode::ProbeBandwidth && bench.law.min_rtt == 0.1);
    bench.now += Time::from_millis(1);
    bench.give(slow(&bench, 100));
    assert!(bench.law.mode == Mode::ProbeRtt && bench.law.limits_itself() && bench.window.cwnd == MIN_CWND);
    assert_eq!(bench.law.min_rtt, 0.101, "the old minimum is forgotten");
    for _ in 0..5 {
        bench.now += RTT;
        bench.give(slow(&bench, 50));
    }
    assert_eq!(bench.law.probe_ends, None, "too much is in flight");
    bench.give(slow(&bench, 4));
    let ends = bench.now + PROBE_RTT_TIME;
    assert_eq!(bench.law.probe_ends, Some(ends));
    bench.now = ends;
    bench.give(slow(&bench, 4));
    assert_eq!(bench.law.mode, Mode::ProbeRtt);
    bench.now += Time::from_millis(1);
    bench.give(slow(&bench, 4));
    assert!(bench.law.mode == Mode::ProbeBandwidth && bench.window.cwnd > 200.0);
    assert_eq!(bench.law.min_rtt_at, bench.now);
}

/// Validates: an application that sends again after an idle period ends a probe whose time has passed, and restores the
///     window; the next sample draws a phase. Before, the probe goes on.
/// Source: Linux, `bbr_cwnd_event` (`CA_EVENT_TX_START`) and `bbr_check_probe_rtt_done`.
/// Tolerance: exact.
#[test]
fn an_idle_period_ends_a_probe_of_the_round_trip_time() {
    let mut bench = Bench::cycling();
    let cwnd = bench.window.cwnd;
    bench.now = bench.law.min_rtt_at + Time::from_millis(10_001);
    bench.rtt = Time::from_millis(101);
    bench.give(bench.sample(BANDWIDTH, 10, 4));
    let ends = bench.now + PROBE_RTT_TIME;
    assert_eq!((bench.law.mode, bench.law.probe_ends, bench.window.cwnd), (Mode::ProbeRtt, Some(ends), MIN_CWND));
    bench.law.on_idle(&mut bench.window, ends, PROBE_RTT_TIME);
    assert_eq!((bench.law.mode, bench.window.cwnd), (Mode::ProbeRtt, MIN_CWND));
    bench.now = ends + Time::from_millis(1);
    bench.law.on_idle(&mut bench.window, bench.now, PROBE_RTT_TIME);
    assert_eq!((bench.law.mode, bench.window.cwnd), (Mode::ProbeBandwidth, cwnd));
    assert!(bench.law.draws_phase && bench.law.min_rtt_at == bench.now);
    bench.give(RateSample { prior_delivered: 0, ..bench.sample(BANDWIDTH, 1, 4) });
    assert!(!bench.law.draws_phase && bench.law.mode == Mode::ProbeBandwidth);
}

/// A round trip in which 25 segments are lost and 100 are delivered, at the rate of the path.
fn police(bench: &mut Bench) {
    bench.now += RTT;
    bench.give(RateSample { newly_lost: 25, total_lost: bench.delivered / 4, ..bench.sample(BANDWIDTH, 100, 100) });
}

/// Validates: a policer that two intervals of four round trips show limits rate and window to what it delivers, 1,000
///     segments/s, though the bandwidth was measured higher; no phase then changes the rate. The search begins again after
///     48 round trips, and after an undo.
/// Source: Linux, `bbr_bw`, `bbr_update_gains`, `bbr_lt_bw_sampling` and `bbr_undo_cwnd`.
/// Tolerance: 1e-9.
#[test]
fn a_policer_limits_the_rate() {
    let mut bench = Bench::cycling();
    bench.round(2.0 * BANDWIDTH, 100, 100);
    for _ in 0..8 {
        assert_eq!(bench.law.policer.rate(), None);
        police(&mut bench);
    }
    assert_eq!(bench.law.bandwidth.get(), 2.0 * BANDWIDTH);
    assert!((bench.law.rate_of_path() - BANDWIDTH).abs() < 1e-9, "{}", bench.law.rate_of_path());
    bench.law.begin_phase(0, bench.now);
    assert_eq!(bench.law.rate_gain(), 1.0);
    bench.law.aggregation = Aggregation::default();
    bench.round(BANDWIDTH, 10, 100);
    assert!((bench.law.rate - MARGIN * BANDWIDTH).abs() < 1e-9);
    assert_eq!(
        bench.window.cwnd, 218.0,
        "two products, ten for this ACK, three bursts of two, and two for the first phase"
    );
    let rounds = (2..=60).find(|_| {
        bench.round(BANDWIDTH, 10, 100);
        bench.law.policer.rate().is_none()
    });
    assert_eq!(rounds, Some(48));
    for _ in 0..9 {
        police(&mut bench);
    }
    assert!(bench.law.policer.rate().is_some());
    bench.law.on_undo(&mut bench.window);
    assert_eq!(bench.law.policer.rate(), None);
}

/// Validates: timeouts in a row count as round trips with a loss: four of them, with what was delivered and lost before, end
///     an interval of the search for a policer, and the same rate a second time finds it.
/// Source: Linux, `bbr_set_state`.
/// Tolerance: exact.
#[test]
fn timeouts_show_a_policer() {
    let mut bench = Bench::cycling();
    let mut lost = 0;
    for interval in 1..=2 {
        for _ in 0..4 {
            bench.now += RTT;
            bench.delivered += 10;
            lost += 10;
            let sample = RateSample { total_lost: lost, delivered: bench.delivered, ..bench.sample(0.0, 0, 0) };
            bench.law.on_timeout(&sample, &mut bench.stream);
        }
        assert_eq!(bench.law.policer.rate().is_some(), interval == 2);
    }
}

/// Validates: a recovery first conserves the number of segments in the network, grows after a round trip, and ends with
///     the window before it; a loss changes neither bandwidth nor threshold.
/// Source: Linux, `bbr_set_cwnd_to_recover_or_restore`.
/// Tolerance: exact.
#[test]
fn a_recovery_conserves_and_restores_the_window() {
    let mut bench = Bench::cycling();
    bench.round(BANDWIDTH, 100, 100);
    let (cwnd, ssthresh) = (bench.window.cwnd, bench.window.ssthresh);
    let event = CongestionEvent { signal: Signal::Loss, window: cwnd, least: 1.0, lost_again: false, abe: false };
    bench.law.on_congestion(&mut bench.window, &event);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (cwnd, ssthresh));
    let repair = |bench: &Bench, prior_delivered, in_flight| RateSample {
        phase: Phase::Recovery,
        prior_delivered,
        ..bench.sample(BANDWIDTH, 2, in_flight)
    };
    bench.give(RateSample { newly_lost: 3, ..repair(&bench, 0, 95) });
    assert_eq!(bench.window.cwnd, 97.0, "as much as before the ACK, without the losses");
    bench.give(repair(&bench, 0, 95));
    assert_eq!(bench.window.cwnd, 97.0);
    bench.give(repair(&bench, bench.delivered, 95));
    assert_eq!(bench.window.cwnd, 99.0, "a round trip later it grows by what is delivered");
    bench.give(RateSample { prior_delivered: 0, ..bench.sample(BANDWIDTH, 0, 97) });
    assert_eq!(bench.window.cwnd, cwnd);
}

/// Validates: after a timeout the search for a full pipe begins again, and the end of the repair restores the window.
/// Source: Linux, `bbr_set_state`.
/// Tolerance: exact.
#[test]
fn a_timeout_keeps_the_model() {
    let mut bench = Bench::cycling();
    bench.round(BANDWIDTH, 100, 100);
    let cwnd = bench.window.cwnd;
    let event = CongestionEvent { signal: Signal::Timeout, window: cwnd, least: 1.0, lost_again: false, abe: false };
    bench.law.on_congestion(&mut bench.window, &event);
    bench.window.cwnd = 1.0;
    bench.give(RateSample { phase: Phase::Loss, ..bench.sample(BANDWIDTH, 1, 0) });
    assert!(bench.window.cwnd >= MIN_CWND && bench.law.bandwidth.get() == BANDWIDTH);
    bench.give(RateSample { prior_delivered: 0, ..bench.sample(BANDWIDTH, 1, 4) });
    assert_eq!(bench.window.cwnd, cwnd);
}

/// Validates: 30 segments delivered at once on a path of 1,000 segments/s enlarge the window by the excess, for 5 to 10
///     round trips.
/// Source: Linux, `bbr_update_ack_aggregation`.
/// Tolerance: exact.
#[test]
fn bursts_of_acks_enlarge_the_window_for_a_while() {
    let mut bench = Bench::cycling();
    bench.law.aggregation = Aggregation::default();
    bench.law.aggregation.restart(bench.now);
    bench.now += Time::from_millis(10);
    bench.give(RateSample { prior_delivered: 0, ..bench.sample(BANDWIDTH, 40, 100) });
    assert_eq!(bench.law.aggregation.excess(BANDWIDTH), 40.0, "an epoch begins with this ACK");
    assert_eq!(bench.law.aggregation.excess(300.0), 30.0, "at most the data of 100 ms");
    for _ in 0..4 {
        bench.round(BANDWIDTH, 1, 100);
        assert_eq!(bench.law.aggregation.excess(BANDWIDTH), 40.0);
    }
    for _ in 0..6 {
        bench.round(BANDWIDTH, 1, 100);
    }
    assert!(bench.law.aggregation.excess(BANDWIDTH) < 40.0);
}
