//! Prague: draft-briscoe-iccrg-prague-congestion-control. The unit tests in `congestion/prague.rs` cover single samples.

use ackclock_tcp::congestion::{LawSpec, PragueSpec};
use ackclock_tcp::{Ecn, EcnMode, Sender};
use ackclock_units::{Role, Stream, Time};

use crate::path::{MS, Moment, Path, near, paced};

const PRAGUE: LawSpec = LawSpec::Prague(PragueSpec { g: 1.0 / 16.0, rtt_target: Time::from_millis(25), transition: 4 });

/// A path that marks segments that find more than `above` waiting.
fn marking(above: u64) -> Path {
    let mut path = Path::new(paced(PRAGUE, EcnMode::Accurate), 1);
    path.mark_above = above;
    path.sender.supply(10_000_000);
    path
}

fn window(moment: &Moment) -> f64 {
    moment.get("fractional_cwnd")
}

/// Validates: all data carries ECT(1), also when it is retransmitted.
/// Source: RFC 9331, section 4.1.
/// Tolerance: exact.
#[test]
fn segments_say_that_they_are_scalable() {
    let mut sender = Sender::new(paced(PRAGUE, EcnMode::Accurate), Stream::new(1, Role::Sender, 0));
    sender.supply(3);
    let first: Vec<Ecn> = std::iter::from_fn(|| sender.poll_transmit(Time::ZERO)).map(|segment| segment.ecn).collect();
    assert_eq!(first, [Ecn::Ect1; 3]);
    let at = sender.poll_timeout().expect("data is outstanding");
    sender.handle_timeout(at);
    let again = sender.poll_transmit(at).expect("a probe or a retransmission");
    assert_eq!((again.retransmission, again.ecn), (true, Ecn::Ect1));
}

/// Validates: with every segment marked from some time on, the estimate after n round trips is `1 - (15/16)^n`: 0.0625,
///     0.1211, 0.1760 and so on, from 0 at the first mark, which halves the window. Each later round trip has one reduction,
///     to `1 - alpha / 2`.
/// Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.2: `alpha += g (F - alpha)`, with g = 1/16, and 2.4.3.
/// Tolerance: 1e-9 for the estimate from the second full round trip on: the round trip of the first mark has unmarked
///     segments too. Exact for the number of reductions.
#[test]
fn the_estimate_is_an_average_over_round_trips() {
    let mut path = marking(u64::MAX);
    path.buffer = 100;
    path.run_until(MS(450));
    path.mark_above = 0;
    (path.each, path.buffer) = (MS(1), 1_000_000);
    path.run_until(MS(12_000));
    let mut changes: Vec<(Time, f64)> = Vec::new();
    let mut cuts: Vec<(Time, f64)> = Vec::new();
    for pair in path.log.windows(2) {
        if pair[1].get("alpha") != pair[0].get("alpha") {
            changes.push((pair[1].at, pair[1].get("alpha")));
        }
        if window(&pair[1]) < window(&pair[0]) - 1e-9 {
            cuts.push((pair[1].at, window(&pair[1]) / window(&pair[0])));
        }
    }
    assert!(near(cuts[0].1, 0.5, 1e-9), "the first mark halves the window: {cuts:?}");
    for pair in changes.windows(2) {
        let (before, after) = (pair[0].1, pair[1].1);
        // the share of marked segments that the step implies
        let share = before + 16.0 * (after - before);
        assert!((-1e-9..=1.0 + 1e-9).contains(&share), "{share}");
    }
    for pair in cuts.windows(2) {
        assert!(pair[1].0 - pair[0].0 >= MS(95), "once in a round trip: {cuts:?}");
    }
    for (at, factor) in &cuts[1..] {
        let moment = path.log.iter().find(|moment| moment.at == *at).expect("it was seen there");
        // unmarked segments of the same ACK may have grown the window
        assert!(near(*factor, 1.0 - moment.get("alpha") / 2.0, 1e-3), "{factor} {moment:?}");
    }
    assert!(cuts.len() > 5, "{cuts:?}");
}

/// Validates: the window grows by one segment per round trip of 100 ms, and by 0.16 of 10 ms, `(10 ms / 25 ms)^2`, from the
///     fourth round trip after slow start on.
/// Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.4.
/// Tolerance: 5 % of the growth in 20 round trips, as round trips end with whole segments.
#[test]
fn growth_depends_on_the_round_trip_time_below_25_ms() {
    for (rtt, expected) in [(100, 1.0), (10, 0.16)] {
        let mut path = marking(2);
        // a bandwidth-delay product of 100 segments
        (path.delay, path.each) = (MS(rtt), Time::from_micros(10 * rtt));
        path.run_to(MS(20_000), |moment| moment.phase == "congestion_avoidance");
        path.run_until(path.now + MS(10 * rtt));
        // no more marks: the path becomes a thousand times faster, so that there is no queue
        (path.mark_above, path.each) = (u64::MAX, Time::from_picos(10_000 * rtt));
        path.run_until(path.now + MS(20 * rtt));
        assert!(near(path.last().get("increase"), expected, 0.02 * expected), "{}", path.last().get("increase"));
        let (before, start) = (window(path.last()), path.last().get("delivered"));
        let mut rounds = 0.0;
        path.run_until(path.now + MS(20 * rtt));
        let mut last = start;
        for moment in path.log.iter().filter(|moment| !moment.sends && moment.get("delivered") > start) {
            rounds += (moment.get("delivered") - last) / window(moment);
            last = moment.get("delivered");
        }
        let growth = (window(path.last()) - before) / rounds;
        assert!(near(growth, expected, 0.05 * expected), "{growth} per round trip");
    }
}

/// Validates: a loss halves the window, once for the losses of a round trip, and nothing grows until they are repaired.
/// Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.3 (losses: as Reno).
/// Tolerance: exact.
#[test]
fn losses_of_a_round_trip_halve_the_window_once() {
    let mut path = marking(5);
    path.run_until(MS(8_000));
    path.mark_above = u64::MAX;
    path.run_until(MS(8_400));
    let sent = path.sender.counters().sent;
    path.loses.extend([sent + 2, sent + 5, sent + 9]);
    let begin = path.now;
    path.run_until(MS(9_500));
    let mut cuts = Vec::new();
    for pair in path.log.windows(2).filter(|pair| pair[1].at > begin) {
        let (before, after) = (window(&pair[0]), window(&pair[1]));
        if after < before {
            cuts.push(after / before);
        } else if pair[1].phase == "recovery" {
            assert_eq!(after, before, "nothing grows in a recovery");
        }
    }
    assert_eq!(cuts, [0.5]);
    assert_eq!((path.sender.counters().retransmissions, path.sender.counters().timeouts), (3, 0));
}

/// Validates: flows of 5 and 20 ms, each on a path that marks every tenth segment, have equal rates. In the fluid model
///     these are 2 (1 - p) / p = 18 segments per 25 ms, 720 segments/s. A reduction also waits for the next mark after 25 ms,
///     which raises the rate r to at most 720 (1 + 10 / (0.025 r)): 1,006 segments/s, if marks come at random.
/// Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.4.
/// Tolerance: 15 % between both flows. (At first 720 segments/s within 15 % was expected; with 918 at 5 ms, the wait for the
///     mark was found missing in that calculation.)
#[test]
fn rates_are_equal_below_25_ms() {
    let rates = [5, 20].map(|rtt| {
        let mut path = Path::new(paced(PRAGUE, EcnMode::Accurate), 1);
        (path.delay, path.each, path.mark_each) = (MS(rtt), Time::from_micros(1), 10);
        path.sender.supply(10_000_000);
        path.run_until(MS(30_000));
        let before = path.log.iter().find(|moment| moment.at >= MS(10_000)).expect("it goes on").get("delivered");
        (path.last().get("delivered") - before) / 20.0
    });
    assert!(rates.iter().all(|rate| (720.0..=1_006.0).contains(rate)), "{rates:?}");
    assert!(near(rates[0] / rates[1], 1.0, 0.15), "{rates:?}");
}
