//! RED compared with cases computed by hand, the paper's distribution of gaps, and ns-2's average.

use ackclock_tcp::{Ecn, Segment};
use ackclock_units::{Rate, Role};

use super::*;
use crate::link::backlog::Backlog;
use crate::link::rate::LinkRate;
use crate::link::{Link, Offered};
use crate::packet::{FlowId, Packet, Payload};
use crate::plan::LinkSpec;
use crate::queue::{DropFrom, DropTailSpec, QueueSpec, Ties};

const SPEC: RedSpec = RedSpec {
    limit: Limit::Packets(25),
    count_in_service: false,
    min_th: 5.0,
    max_th: 15.0,
    max_p: 0.1,
    w_q: 0.002,
    wait: false,
    gentle: false,
    unit: Unit::Packets,
    mean_packet_size: 500.0,
    above_max: AboveMax::Drop,
    spare_last: false,
    count_below: CountBelow::Reset,
    ecn: false,
    mark_below: 1.0,
    adaptive: false,
    target_delay: None,
};
const PACKET: Packet =
    Packet::new(FlowId(0), 1000, Payload::Data { number: 0, retransmission: false, connection: 0 }, Time::ZERO);
/// The same packet with the codepoint ECT(0).
const CAPABLE: Packet =
    Packet::data(FlowId(0), 0, Segment { ecn: Ecn::Ect0, ..Segment::new(0, PACKET.size()) }, Time::ZERO);

/// The backlog of a link that sends `packets` packets back to back from `start`.
fn backlog(packets: u64, start: Time) -> Backlog {
    let mut backlog = Backlog::new(LinkRate::new(&Rate::from_mbps(1).into()));
    for _ in 0..packets {
        backlog.take(PACKET.size(), start);
    }
    backlog
}

/// A packet that arrives at `now`.
const fn arrival(backlog: &Backlog, now: Time) -> Arrival<'_> {
    Arrival { packet: &PACKET, now, backlog }
}

/// Arrival of a packet at time 0.
const fn of<'a>(packet: &'a Packet, backlog: &'a Backlog) -> Arrival<'a> {
    Arrival { packet, now: Time::ZERO, backlog }
}

fn red(spec: RedSpec) -> Red {
    let rate = Rate::from_mbps(1);
    build(&spec, &Context::testing(rate))
}

fn link_with(queue: QueueSpec) -> Link {
    let rate = Rate::from_mbps(1);
    let spec = LinkSpec::plain(rate.into(), Time::from_millis(10), queue);
    let context = Context::testing(rate);
    Link::new(&spec, LinkRate::new(&spec.rate), spec.queue.build(&context).at_arrival(), Stream::new(1, Role::Loss, 0))
}

/// Compares RED with a trace of ns-2.
///
/// Validates: RED's average equals the average of ns-2 at every arrival, over idle and busy times.
/// Source: ns-2.35, Queue/RED with the constants of ns-2 in 2000.
/// Tolerance: 10^-5 of the average, the precision of the trace; exact for drops.
#[test]
fn the_average_is_ns2s_at_every_arrival() {
    // the trace is from Queue/RED of ns-2.35 with the constants of 2000, on a 1 Mb/s link under Poisson arrivals; it
    // contains the average before each arrival, over idle and busy times, and the drops of the full queue
    let queue = QueueSpec::Red(RedSpec { wait: true, spare_last: true, count_below: CountBelow::Run, ..SPEC });
    let mut link = link_with(queue);
    for line in include_str!("../../../tests/ns2/red_2000.csv").lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let [time, avg, dropped] = row[..] else { panic!("three fields a row") };
        assert!((link.average() - avg).abs() <= 1e-5 * avg, "at {time}: {} and {avg}", link.average());
        let offered = link.offer(&PACKET, Time::from_secs_f64(time));
        assert_eq!(matches!(offered, Offered::Dropped(_)), dropped > 0.0, "at {time}");
    }
}

/// Four packets arrive at once; the expected averages are computed by hand.
///
/// Validates: RED's average changes only at arrivals: `avg = (1 - w_q) avg + w_q q`.
/// Source: Floyd and Jacobson 1993, figure 2.
/// Tolerance: exact.
#[test]
fn the_average_is_that_of_the_last_arrival() {
    // of four packets arriving at once the first is transmitted, so they find 0, 0, 1 and 2 waiting
    let mut link = link_with(QueueSpec::Red(RedSpec { w_q: 0.5, ..SPEC }));
    let averages = [0.0, 0.0, 0.5, 1.25].map(|average| {
        link.offer(&PACKET, Time::ZERO);
        (link.average(), average)
    });
    assert!(averages.iter().all(|(found, by_hand)| found == by_hand), "{averages:?}");
    // a second later nothing waits, but the discipline has seen no arrival since
    assert_eq!(link.backlog(Time::SECOND), (0, 0));
    assert_eq!(link.average(), 1.25);
}

/// The average after `packets` arrivals, which find 1, 2 and so on up to `packets` waiting packets.
fn average_of_a_burst(w_q: f64, packets: u64) -> f64 {
    let mut red = red(RedSpec { w_q, ..SPEC });
    let busy = backlog(1, Time::ZERO);
    for waiting in 1..=packets {
        red.update_average(waiting as f64, &arrival(&busy, Time::ZERO));
    }
    red.avg
}

/// A burst that fills an empty queue.
///
/// Validates: after arrivals that find 1 to L waiting the average is `L + 1 + ((1 - w_q)^(L + 1) - 1) / w_q`; with
///   `w_q` = 0.0042 a burst of 50 packets gives an average of 5.
/// Source: Floyd and Jacobson 1993, section 6.1 (an upper bound for `w_q`), including its example.
/// Tolerance: 10^-12 of `L^2`, for rounding; for the example, the two digits that the paper gives.
#[test]
fn a_burst_moves_the_average_as_the_papers_sum_says() {
    for (w_q, packets) in [(0.002_f64, 10_u64), (0.002, 100), (0.0042, 50), (0.1, 1_000), (1.0, 7)] {
        let length = packets as f64;
        let by_sum = length + 1.0 + ((1.0 - w_q).powf(length + 1.0) - 1.0) / w_q;
        let found = average_of_a_burst(w_q, packets);
        assert!((found - by_sum).abs() <= 1e-12 * length.powi(2), "w_q {w_q}, {packets} packets: {found} and {by_sum}");
    }
    let (below, above) = (average_of_a_burst(0.004_15, 50), average_of_a_burst(0.004_25, 50));
    assert!(below < 5.0 && 5.0 < above, "{below} and {above}");
    println!("measured: {below:.4} below 5 for w_q = 0.00415, {above:.4} above for 0.00425");
}

/// Idle times, with expected averages computed by hand: a typical packet of 500 bytes takes 4 ms at 1 Mb/s.
///
/// Validates: an idle time in which the link could send m typical packets (m whole) multiplies the average by the
///   factor `(1 - w_q)^m`.
/// Source: Floyd and Jacobson 1993, figure 2 and section 11.
/// Tolerance: exact, since all factors are powers of one half.
#[test]
fn idle_time_lowers_the_average_as_small_packets_would() {
    for (idle_millis, small_packets) in [(0, 0), (3, 0), (4, 1), (11, 2), (40, 10)] {
        let mut red = Red { avg: 1_024.0, ..red(RedSpec { w_q: 0.5, ..SPEC }) };
        let sent = backlog(1, Time::SECOND);
        red.update_average(0.0, &arrival(&sent, sent.busy_until() + Time::from_millis(idle_millis)));
        // one more factor for the arrival itself, which finds an empty queue
        assert_eq!(red.avg, 1_024.0 * 0.5_f64.powi(small_packets + 1), "after {idle_millis} ms");
    }
}

#[test]
fn drop_tail_keeps_no_average() {
    let spec = DropTailSpec {
        limit: Limit::Packets(25),
        count_in_service: false,
        ties: Ties::Departure,
        mark_above: 0,
        drop: DropFrom::Tail,
    };
    assert!(link_with(QueueSpec::DropTail(spec)).average().is_nan());
}

/// Numbers of packets from one drop or mark to the next, with a constant average of `avg`.
fn gaps(spec: RedSpec, avg: f64, drops: usize) -> Vec<u64> {
    let mut red = Red { avg, above: true, ..red(RedSpec { w_q: 0.0, ..spec }) };
    let busy = backlog(11, Time::ZERO);
    let mut gaps = Vec::new();
    let mut gap = 0;
    while gaps.len() < drops {
        gap += 1;
        if red.on_arrival(&of(&CAPABLE, &busy)) != Verdict::Accept {
            gaps.push(gap);
            gap = 0;
        }
    }
    gaps
}

/// Distance of 20,000 gaps from a uniform distribution: chi-square divided by its degrees of freedom.
fn from_uniform(spec: RedSpec, avg: f64, (least, greatest): (u64, u64)) -> f64 {
    let gaps = gaps(spec, avg, 20_000);
    let expected = gaps.len() as f64 / (greatest - least + 1) as f64;
    let count = |gap| gaps.iter().filter(|seen| **seen == gap).count() as f64;
    assert!(gaps.iter().all(|gap| (least..=greatest).contains(gap)), "from {least} to {greatest}: {gaps:?}");
    (least..=greatest).map(|gap| (count(gap) - expected).powi(2) / expected).sum::<f64>() / (greatest - least) as f64
}

/// Gaps between drops with a constant average: p_b = 0.02, 0.05 and 1/16.
///
/// Validates: the number of packets from drop to drop is uniform from 1 to 1/p_b - 1; with `wait`, it is uniform from
///   1/p_b to 2/p_b - 1. With `ecn`, the same packets are marked.
/// Source: Floyd and Jacobson 1993, section 7, method 2 (uniform random variables), and figure 2, which counts the
///     arrival itself; ns-2's `wait_`.
/// Tolerance: chi-square of 20,000 gaps below 3 per degree of freedom, which one seed in 8,000 exceeds in the case with
///   the fewest degrees of freedom, 14; exact for the bounds.
#[test]
fn gaps_between_drops_are_uniform() {
    let wait = RedSpec { wait: true, ..SPEC };
    let cases = [(7.0, (1, 49), (50, 99)), (10.0, (1, 19), (20, 39)), (11.25, (1, 15), (16, 31))];
    let mut worst = 0.0_f64;
    for (avg, without, with) in cases {
        for (spec, bounds) in [(SPEC, without), (wait, with)] {
            assert_eq!(gaps(spec, avg, 1_000), gaps(RedSpec { ecn: true, ..spec }, avg, 1_000));
            let distance = from_uniform(spec, avg, bounds);
            assert!(distance < 3.0, "average {avg}, {bounds:?}: {distance}");
            worst = worst.max(distance);
        }
    }
    println!("measured: chi-square up to {worst:.2} a degree of freedom, for 1");
}

/// Drop probabilities, compared with values computed by hand.
///
/// Validates: `p_b` rises from 0 at `min_th` to `max_p` at `max_th`, and with `gentle` to 1 at `2 max_th`.
/// Source: Floyd and Jacobson 1993, section 4; Floyd 2000, "Recommendation on using the gentle_ variant of RED".
/// Tolerance: exact, except for rounding at 22.5.
#[test]
fn gentle_goes_on_to_twice_max_th() {
    let probability = |gentle, avg| Red { avg, ..red(RedSpec { gentle, ..SPEC }) }.drop_probability();
    assert_eq!(probability(false, 10.0), 0.05);
    assert_eq!(probability(false, 15.0), 1.0);
    assert_eq!(probability(true, 15.0), 0.1);
    assert!((probability(true, 22.5) - 0.55).abs() < 1e-12);
    assert_eq!(probability(true, 30.0), 1.0);
}

#[test]
fn below_min_th_nothing_is_dropped_and_above_max_th_everything() {
    let verdict = |avg| Red { avg, ..red(SPEC) }.on_arrival(&arrival(&backlog(5, Time::ZERO), Time::ZERO));
    assert_eq!(verdict(4.9), Verdict::Accept);
    assert_eq!(verdict(16.0), Verdict::Drop(DropReason::Early));
}

/// The average is above `max_th`, with more and more packets waiting.
///
/// Validates: with `spare_last` nothing is dropped while at most one unit waits: a packet, or a byte.
/// Source: ns-2.35, `queue/red.cc`: `if (qavg >= edp_.th_min && qlen > 1)`, with `qlen` in bytes if the queue is
///   measured in bytes.
/// Tolerance: exact.
#[test]
fn spare_last_keeps_what_finds_at_most_one_waiting() {
    let verdict = |spare_last, unit, waiting: u64| {
        // one more packet is being transmitted; the average does not change
        let spec = RedSpec { spare_last, unit, w_q: 0.0, mean_packet_size: 1.0, ..SPEC };
        Red { avg: 16.0, ..red(spec) }.on_arrival(&arrival(&backlog(waiting + 1, Time::ZERO), Time::ZERO))
    };
    let early = Verdict::Drop(DropReason::Early);
    let packets = [0, 1, 2].map(|waiting| verdict(true, Unit::Packets, waiting));
    assert_eq!(packets, [Verdict::Accept, Verdict::Accept, early]);
    assert_eq!([0, 1].map(|waiting| verdict(true, Unit::Bytes, waiting)), [Verdict::Accept, early]);
    assert_eq!(verdict(false, Unit::Packets, 1), early);
}

/// The verdicts about an ECN-capable packet and another one with a constant average and the count of a certain drop.
fn verdicts(spec: RedSpec, avg: f64, waiting: u64) -> [Verdict; 2] {
    [CAPABLE, PACKET].map(|packet| {
        let mut red = Red { avg, above: true, count: 1_000, ..red(RedSpec { w_q: 0.0, ..spec }) };
        let verdict = red.on_arrival(&of(&packet, &backlog(waiting + 1, Time::ZERO)));
        let keeps_counting = verdict == Verdict::Accept;
        assert_eq!(red.count, if keeps_counting { 1_001 } else { 0 }, "the count restarts at a mark as at a drop");
        verdict
    })
}

/// Verdicts below `min_th`, between the thresholds, above them and at a full queue.
///
/// Validates: the gauge `p_b` for averages from below `min_th` to `2 max_th`, with `gentle`.
/// Source: Floyd and Jacobson 1993, and Floyd's note on gentle RED (2000), computed apart.
/// Tolerance: 1e-12.
#[test]
fn gauges_show_the_average_and_its_probability() {
    for (avg, p_b) in [(4.0, 0.0), (5.0, 0.0), (10.0, 0.05), (15.0, 0.1), (20.0, 0.4), (25.0, 0.7), (30.0, 1.0)] {
        let red = Red { avg, max_avg: 31.0, ..red(RedSpec { gentle: true, ..SPEC }) };
        let mut seen = Vec::new();
        red.gauges(&mut |name, value| seen.push((name, value)));
        assert_eq!(seen[..3], [("avg", avg), ("avg_max", 31.0), ("max_p", 0.1)]);
        assert!(seen[3].0 == "p_b" && (seen[3].1 - p_b).abs() < 1e-12, "{seen:?}");
    }
}

/// Validates: with `ecn`, early drops of ECN-capable packets become marks while `p_b` is below `mark_below`; other packets,
///   arrivals at `p_b = 1` and arrivals at a full queue are dropped. With `above_max = mark`, those at `p_b = 1` are marked.
/// Source: RFC 3168, section 7; Linux, `red_enqueue` (`RED_HARD_MARK`); ns-2.35, `queue/red.cc`: `setbit_` marks only early drops, with `use_mark_p_` only below
///   `mark_p_`, which is 0.1.
/// Tolerance: exact.
#[test]
fn early_drops_of_capable_packets_are_marks() {
    let [early, full] = [DropReason::Early, DropReason::Full].map(Verdict::Drop);
    let ecn = RedSpec { ecn: true, ..SPEC };
    let gentle = RedSpec { gentle: true, ..ecn };
    assert_eq!(verdicts(SPEC, 10.0, 11), [early; 2]);
    assert_eq!(verdicts(ecn, 4.9, 11), [Verdict::Accept; 2]);
    assert_eq!(verdicts(ecn, 10.0, 11), [Verdict::Mark, early]);
    assert_eq!(verdicts(gentle, 16.0, 11), [Verdict::Mark, early]);
    for above_max in [AboveMax::Drop, AboveMax::Early] {
        assert_eq!(verdicts(RedSpec { above_max, ..ecn }, 15.0, 11), [early; 2]);
        assert_eq!(verdicts(RedSpec { above_max, ..gentle }, 30.0, 11), [early; 2]);
    }
    assert_eq!(verdicts(ecn, 10.0, 25), [full; 2]);
    for (spec, avg) in [(ecn, 15.0), (gentle, 30.0)] {
        let marks = RedSpec { above_max: AboveMax::Mark, ..spec };
        assert_eq!(verdicts(marks, avg, 11), [Verdict::Mark, early]);
        assert_eq!(verdicts(RedSpec { ecn: false, ..marks }, avg, 11), [early; 2]);
        assert_eq!(verdicts(marks, avg, 25), [full; 2]);
    }
    // p_b is 0.05 at 10, and 0.1 at 15
    let ns2 = RedSpec { mark_below: 0.1, ..gentle };
    assert_eq!(verdicts(ns2, 14.9, 11), [Verdict::Mark, early]);
    assert_eq!(verdicts(ns2, 15.0, 11), [early; 2]);
    assert_eq!(verdicts(RedSpec { mark_below: 0.05, ..ecn }, 10.0, 11), [early; 2]);
}

#[test]
fn thresholds_must_be_in_order() {
    let invalid = RedSpec { max_th: 5.0, ..SPEC }.check().unwrap_err();
    assert_eq!((invalid.field, invalid.problem.as_str()), ("max_th", "5 is not allowed; must be above min_th (5)"));
}

/// Averages above, within and below the target, with the values of `max_p` computed by hand.
///
/// Validates: an update adds `min(0.01, max_p/4)` above `min_th + 0.6 (max_th - min_th)` as long as `max_p` is at most 0.5,
///   and multiplies by 0.9 below `min_th + 0.4 (max_th - min_th)` as long as it is at least 0.01.
/// Source: Floyd, Gummadi and Shenker 2001, figure 1.
/// Tolerance: 10^-12, for rounding.
#[test]
fn an_update_moves_max_p_towards_its_target() {
    let adapted = |avg, max_p| Red { avg, ..red(RedSpec { max_p, adaptive: true, ..SPEC }) }.adapted(avg);
    let cases = [
        (11.1, 0.1, 0.11),
        (11.1, 0.11, 0.12),
        (30.0, 0.02, 0.025),
        (11.1, 0.5, 0.51),
        (11.1, 0.51, 0.51),
        (11.0, 0.1, 0.1),
        (9.0, 0.1, 0.1),
        (8.9, 0.1, 0.09),
        (8.9, 0.09, 0.081),
        (0.0, 0.01, 0.009),
        (0.0, 0.009, 0.009),
    ];
    for (avg, max_p, by_hand) in cases {
        assert!((adapted(avg, max_p) - by_hand).abs() < 1e-12, "{max_p} with an average of {avg}");
    }
}

/// Weights and thresholds that follow from the rate.
///
/// Validates: `w_q = 1 - exp(-1/C)`, `min_th = max(5, C target_delay / 2)` and `max_th = 3 min_th`.
/// Source: Floyd, Gummadi and Shenker 2001, sections 5.2 and 5.3; the numbers are computed by hand.
/// Tolerance: the digits given.
#[test]
fn a_target_delay_gives_weight_and_thresholds() {
    let settled = |mean_packet_size: f64, mbps: f64| {
        let spec = RedSpec { mean_packet_size, target_delay: Some(Time::from_millis(5)), ..SPEC };
        spec.settled(mean_packet_size * 8.0 / (mbps * 1e6))
    };
    let [slow, middle, fast] = [settled(1500.0, 10.0), settled(1000.0, 15.0), settled(1500.0, 100.0)];
    assert!((slow.w_q - 0.001_199_28).abs() < 5e-9 && (middle.w_q - 0.000_533_19).abs() < 5e-9);
    assert_eq!((slow.min_th, slow.max_th), (5.0, 15.0));
    assert!((fast.min_th - 20.833).abs() < 1e-3 && (fast.max_th - 62.5).abs() < 1e-9);
    assert_eq!(SPEC.settled(1.0), SPEC);
}

/// The same packets with and without arrivals in between, and a link that stays idle for years.
///
/// Validates: updates are made up for with the average at their time; times without any change cost nothing.
/// Source: the definition: an update every 0.5 s.
/// Tolerance: exact.
#[test]
fn updates_of_max_p_are_made_up_for() {
    let spec = RedSpec { adaptive: true, w_q: 0.001, ..SPEC };
    for (avg, busy) in [(13.0, 0), (13.0, 10), (10.0, 0), (2.0, 3), (14.0, 10_000)] {
        let start = || Red { avg, ..red(spec) };
        let (mut at_once, mut in_steps) = (start(), start());
        let busy_until = Time::SECOND.saturating_mul(busy);
        let end = Time::SECOND.saturating_mul(100);
        at_once.adapt(end, busy_until);
        for update in 1..=1_000 {
            in_steps.adapt(Time::from_millis(100 * update), busy_until);
        }
        assert_eq!((at_once.spec.max_p, at_once.next), (in_steps.spec.max_p, in_steps.next), "{avg} {busy}");
    }
    let mut red = Red { avg: 14.0, ..red(spec) };
    red.adapt(Time::MAX, Time::ZERO);
    assert!(red.spec.max_p < 0.01, "{}", red.spec.max_p);
}

/// Poisson packets at 1.05, 1.1 and 1.3 times the rate of the link, sampled for 5,000 s.
///
/// Validates: the average queue stays near its target, and the mean of `max_p` is ns-2's.
/// Source: ns-2.35, Queue/RED with `adaptive_ 1`, mean of three seeds or more (`validation/ns2/adaptive_red.tcl`).
/// Tolerance: 2 % of the average and 5 % of `max_p`. With ns-2's two rules that differ (see the head of `red.rs`), our means
///   are within 0.1 % and 1.1 % of ns-2's.
#[test]
fn adaptive_red_settles_where_ns2_does() {
    let spec = RedSpec {
        limit: Limit::Packets(100),
        gentle: true,
        mean_packet_size: 1000.0,
        spare_last: true,
        count_below: CountBelow::Run,
        adaptive: true,
        ..SPEC
    };
    for (load, avg, max_p) in [(1.05, 10.015, 0.078_72), (1.1, 10.439, 0.112_34), (1.3, 10.827, 0.230_28)] {
        let (mut sums, mut count) = ([0.0; 2], 0.0);
        for seed in 1..=3 {
            let mut link = link_with(QueueSpec::Red(spec));
            let mut stream = Stream::new(seed, Role::Source, 0);
            let (mut now, mut sample) = (0.0, 50.0);
            while sample < 5_050.0 {
                now -= (1.0 - stream.uniform()).ln() * 0.008 / load;
                while sample < now {
                    link.gauges(Time::from_secs_f64(sample), &mut |name, value| {
                        sums[1] += if name == "max_p" { value } else { 0.0 }
                    });
                    sums[0] += link.average();
                    (sample, count) = (sample + 0.1, count + 1.0);
                }
                link.offer(&PACKET, Time::from_secs_f64(now));
            }
        }
        let [ours, our_max_p] = sums.map(|sum| sum / count);
        println!("measured: average {ours:.3} and max_p {our_max_p:.5} at a load of {load}, ns-2: {avg} and {max_p}");
        assert!((ours / avg - 1.0).abs() < 0.02, "average {ours} at {load}");
        assert!((our_max_p / max_p - 1.0).abs() < 0.05, "max_p {our_max_p} at {load}");
    }
}
