//! PIE, update by update.

use ackclock_units::Rate;
use proptest::prelude::*;

use super::*;

fn spec() -> PieSpec {
    PieSpec {
        limit: Limit::Packets(1_000),
        count_in_service: false,
        target: Time::from_millis(15),
        update: Time::from_millis(15),
        alpha: 0.125,
        beta: 1.25,
        max_burst: Time::from_millis(150),
        mtu: 1500,
        ecn: false,
        mark_below: 0.1,
        derandomize: false,
        byte_mode: false,
        delay_from: DelayFrom::Arrival,
    }
}

fn pie(spec: &PieSpec) -> Pie {
    build(spec, &Context::testing(Rate::from_mbps(10)))
}

/// Validates: the probability after each update for given delays.
/// Source: RFC 8033, section 4.2, computed apart with the same constants.
/// Tolerance: 1e-9, relative.
#[test]
fn the_controller_follows_the_delay() {
    let mut pie = pie(&spec());
    let expected = [
        (0_u32, 0.0),
        (30, 1.922_607_422e-5),
        (40, 1.412_963_867e-4),
        (50, 6.686_401_367e-4),
        (50, 8.053_588_867e-4),
        (50, 9.420_776_367e-4),
        (40, 6.491_088_867e-4),
        (30, 3.170_776_367e-4),
        (20, 0.0),
    ];
    for (delay, expected) in expected {
        pie.update(Time::from_millis(delay.into()));
        let mut seen = Vec::new();
        pie.gauges(&mut |name, value| seen.push((name, value)));
        assert!((seen[0].1 - expected).abs() <= 1e-9 * expected, "{seen:?} for {expected}");
        assert_eq!((seen[0].0, seen[1]), ("drop_prob", ("qdelay_old", f64::from(delay) / 1e3)));
    }
    (pie.probability, pie.last_delay) = (0.2, Time::from_millis(20));
    for (delay, expected) in [(50, 0.22), (100, 0.24), (150, 0.26), (200, 0.28), (300, 0.30), (251, 0.32)] {
        pie.update(Time::from_millis(delay));
        assert!((pie.probability - expected).abs() < 1e-12, "{} for {expected}", pie.probability);
    }
}

/// Updates that are made because a gauge is read, on a link that is busy until a given time.
///
/// Validates: a gauge has the value after all updates due by its time, and an arrival finds the same state whether the
///   gauges were read before it or not.
/// Source: RFC 8033, section 4.2: updates have fixed times, and the delay falls while nothing arrives.
/// Tolerance: 1e-9, relative; the state is exact.
#[test]
fn reading_the_gauges_makes_the_updates_that_are_due() {
    let busy_until = Time::from_millis(60);
    let gauges = |pie: &Pie| {
        let mut seen = Vec::new();
        pie.gauges(&mut |name, value| seen.push((name, value)));
        seen
    };
    let (mut read, mut unread) = (pie(&spec()), pie(&spec()));
    // the delay is 60 ms at the first update, 45 ms at the second, 30 ms at the third
    let first = (0.125 * 0.045 + 1.25 * 0.06) / 2048.0;
    for (now, expected, delay) in [(0, first, 0.06), (14, first, 0.06), (15, 0.0, 0.045), (44, 0.0, 0.03)] {
        read.advance(Time::from_millis(now), busy_until);
        let seen = gauges(&read);
        assert_eq!((seen[0].0, seen[1]), ("drop_prob", ("qdelay_old", delay)));
        assert!((seen[0].1 - expected).abs() <= 1e-9 * expected, "{seen:?} at {now} ms");
    }
    unread.advance(Time::from_millis(44), busy_until);
    assert_eq!(format!("{:?}", gauges(&read)), format!("{:?}", gauges(&unread)));
}

/// Validates: nothing is dropped in the burst allowance, which is used up by updates and renewed without congestion.
/// Source: RFC 8033, section 4.3.
/// Tolerance: exact.
#[test]
fn the_burst_allowance_runs_out() {
    let mut pie = pie(&spec());
    pie.burst_allowance = Time::from_millis(150);
    for _ in 0..9 {
        pie.update(Time::from_millis(100));
        assert!(pie.burst_allowance > Time::ZERO);
    }
    pie.update(Time::from_millis(100));
    assert_eq!(pie.burst_allowance, Time::ZERO);
}

/// Forty packets of 1,000 bytes arrive at once, and leave every 4 ms.
///
/// Validates: the delay is the wait of the last departed packet, and zero once no packet waits.
/// Source: RFC 8033, section 5.2 (timestamps); Linux for the empty queue. Worked by hand.
/// Tolerance: exact.
#[test]
fn timestamps_give_the_wait_of_the_last_departed_packet() {
    let mut departures = Departures::default();
    for packet in 0..40 {
        departures.push(Time::ZERO, Time::from_millis(4 * packet), 1000);
    }
    for (now, delay) in [(0, 0), (3, 0), (4, 4), (7, 4), (8, 8), (155, 152), (156, 0), (1_000, 0)] {
        let found = departures.delay(Time::from_millis(now), DelayFrom::Timestamps);
        assert_eq!(found, Time::from_millis(delay), "at {now} ms");
    }
    assert!(departures.is_empty());
}

/// The same packets, but from the 27th on they leave every 6 ms. The first packet leaves before others wait. The first
/// measurement begins with the second packet, at 4 ms, and ends with the 18th, at 68 ms: 22,000 bytes wait then. The
/// second begins with the 19th packet, at 72 ms, and ends with the 35th, at 154 ms.
///
/// Validates: the delay is the number of waiting bytes times the average time for 16,384 bytes, over 16,384; zero before
///   the first measurement; a later measurement has a weight of 1/4.
/// Source: RFC 8033, sections 4.2 and 5.2. Worked by hand.
/// Tolerance: a nanosecond.
#[test]
fn the_departure_rate_is_measured_over_16_kilobytes() {
    let mut departures = Departures::default();
    for packet in 0..40_u64 {
        departures.push(Time::ZERO, Time::from_millis(4 * packet + 2 * packet.saturating_sub(25)), 1000);
    }
    let both = 0.75 * 0.064 + 0.25 * 0.082;
    let expected =
        [(67, 0, 0.064), (68, 22, 0.064), (71, 22, 0.064), (100, 14, 0.064), (153, 6, 0.064), (154, 5, both)];
    for (now, waiting, average) in expected {
        let delay = departures.delay(Time::from_millis(now), DelayFrom::DepartureRate).as_secs_f64();
        assert!((delay - f64::from(waiting) * 1e3 * average / 16_384.0).abs() < 1e-9, "{delay} at {now} ms");
    }
    assert_eq!(departures.delay(Time::SECOND, DelayFrom::DepartureRate), Time::ZERO);
}

proptest! {
    /// Updates at the next arrival, after a busy period and an idle time.
    ///
    /// Validates: the updates that are made up for at an arrival equal updates at their times.
    /// Source: the definition, without the short cut for long idle times.
    /// Tolerance: exact.
    #[test]
    fn late_updates_are_the_same(
        gaps in prop::collection::vec((0_u64..5_000, 0_u64..100), 1..20),
        probability in 0.0..1.0_f64,
    ) {
        let (mut late, mut prompt) = (pie(&spec()), pie(&spec()));
        (late.probability, prompt.probability) = (probability, probability);
        let (mut now, mut busy_until) = (Time::ZERO, Time::ZERO);
        for (gap, work) in gaps {
            now += Time::from_millis(gap);
            late.catch_up(now, busy_until);
            while prompt.next <= now {
                prompt.update(busy_until.saturating_sub(prompt.next));
                prompt.next += prompt.spec.update;
            }
            prop_assert_eq!((late.next, late.probability), (prompt.next, prompt.probability));
            prop_assert_eq!((late.last_delay, late.burst_allowance), (prompt.last_delay, prompt.burst_allowance));
            busy_until = busy_until.max(now) + Time::from_millis(work);
        }
        // a long time without arrivals takes no time
        late.catch_up(Time::from_picos(1 << 63), busy_until);
        prop_assert_eq!(late.probability, 0.0);
    }
}

/// Validates: the updates up to the end of time end.
/// Source: none; `Time::MAX` is the last instant, after which no update is due.
/// Tolerance: exact.
#[test]
fn updates_end_at_the_end_of_time() {
    let mut pie = pie(&spec());
    pie.catch_up(Time::MAX, Time::ZERO);
    assert_eq!((pie.next, pie.probability), (Time::MAX, 0.0));
}
