//! COBALT, packet by packet.

use ackclock_tcp::{Ecn, Segment};
use ackclock_units::Rate;
use proptest::prelude::*;

use super::*;
use crate::packet::{FlowId, Packet};

const MILLI: Time = Time::from_millis(1);
const TARGET: Time = Time::from_millis(5);
const CONTROL: Control = Control { late: TARGET, period: TARGET, interval: Time::from_millis(100), ecn: true };

fn cobalt(limit: u64, ecn: bool) -> Cobalt {
    let spec = CobaltSpec {
        limit: Limit::Packets(limit),
        count_in_service: false,
        target: TARGET,
        interval: CONTROL.interval,
        ecn,
    };
    build(&spec, &Context::testing(Rate::from_mbps(10)))
}

fn packet(ecn: Ecn, since: Time) -> Queued {
    let segment = Segment { ecn, ..Segment::new(1, 1500) };
    Queued { packet: Packet::data(FlowId(0), 0, segment, since), since, hop: 0, marked: false }
}

/// A queue with a packet that leaves every 10 us. Its waiting time is given by the time of departure.
struct Dense {
    cobalt: Cobalt,
    now: Time,
    /// Times of drops and marks in seconds.
    drops: Vec<f64>,
    marks: Vec<f64>,
}

impl Dense {
    const STEP: Time = Time::from_micros(10);

    /// A queue from which packets have left without waiting for 10 ms, up to time 0.
    fn new(ecn: Ecn) -> Self {
        let mut dense = Self {
            cobalt: cobalt(1_000, true),
            now: Time::SECOND - Time::from_millis(10),
            drops: Vec::new(),
            marks: Vec::new(),
        };
        dense.run(ecn, MILLI, Time::from_millis(10));
        dense
    }

    /// Lets packets leave for `span` after waiting for `sojourn` each.
    fn run(&mut self, ecn: Ecn, sojourn: Time, span: Time) {
        let end = self.now + span;
        while self.now < end {
            self.cobalt.store = Store::default();
            (0..4).for_each(|_| self.cobalt.store.push(packet(ecn, self.now.saturating_sub(sojourn))));
            let mut dropped = Vec::new();
            let left = self.cobalt.dequeue(self.now, &mut dropped).expect("four packets");
            assert!(dropped.iter().all(|(_, reason)| *reason == DropReason::Early));
            let at = self.now.as_secs_f64() - 1.0;
            self.drops.extend(dropped.iter().map(|_| at));
            self.marks.extend(left.marked.then_some(at));
            self.now += Self::STEP;
        }
    }
}

/// The times of the first drops if packets wait longer than the target from time 0 on: the sums of `0.1 / sqrt(count)`.
const VECTOR: [f64; 11] =
    [0.1, 0.170_711, 0.228_446, 0.278_446, 0.323_167, 0.363_992, 0.401_788, 0.437_144, 0.470_477, 0.502_100, 0.532_251];

fn assert_near(found: &[f64], expected: &[f64], before: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        // the first departure after the time
        assert!((-before..=1.1e-5).contains(&(found - expected)), "{found} for {expected}");
    }
}

/// Validates: the times of drops under a queue that stays above the target, and of marks with ECN; both are the same.
/// Source: Linux, `cobalt_should_drop`, by hand: CoDel's times without the interval after the first drop.
/// Tolerance: one departure, 10 us.
#[test]
fn drops_follow_the_square_root_law() {
    let span = Time::from_millis(560);
    let mut plain = Dense::new(Ecn::NotEct);
    plain.run(Ecn::NotEct, Time::from_millis(20), span);
    assert_near(&plain.drops, &VECTOR, 1e-6);
    assert_eq!(plain.marks, [0.0; 0]);
    let mut marking = Dense::new(Ecn::Ect0);
    marking.run(Ecn::Ect0, Time::from_millis(20), span);
    assert_near(&marking.marks, &VECTOR, 1e-6);
    assert_eq!(marking.drops, [0.0; 0]);
}

/// The same departures as in a run of ns-3, which times them in the same way.
///
/// Validates: the times of drops in a first and, 0.2 s and 0.6 s later, in a second time above the target. `count` was 7
///   and has decayed to 2 and to 0.
/// Source: ns-3.44, `CobaltQueueDisc` with its defaults.
/// Tolerance: ns-3's square roots: 40 us at each drop and decay so far, at most fourteen.
#[test]
fn drops_are_those_of_ns3() {
    let first = [0.1, 0.17068, 0.22841, 0.27841, 0.32313, 0.36396];
    for (pause, second) in [(200, &[0.67068, 0.72841, 0.77841, 0.82313][..]), (600, &[1.1, 1.17068, 1.22841])] {
        let mut queue = Dense::new(Ecn::NotEct);
        queue.run(Ecn::NotEct, Time::from_millis(20), Time::from_millis(400));
        assert_eq!(queue.cobalt.state.count, 7);
        queue.run(Ecn::NotEct, MILLI, Time::from_millis(pause));
        queue.run(Ecn::NotEct, Time::from_millis(20), Time::from_millis(250));
        let expected: Vec<f64> = first.iter().chain(second).map(|time| time + 14.0 * 4e-5).collect();
        assert_near(&queue.drops, &expected, 14.0 * 4e-5 + 1e-5);
    }
}

/// Validates: outside the dropping state `count` decreases by one after `0.1 s / sqrt(count)`: from 9 to 1 in 0.3705 s
///   after the last drop, and to 0 in 0.4705 s, whether the queue is empty or packets leave in time.
/// Source: Linux, `cobalt_should_drop` and `cobalt_queue_empty`; the sum by hand.
/// Tolerance: one departure, 10 us.
#[test]
fn the_count_decays() {
    let last = Time::SECOND;
    let state = State { count: 9, drop_next: CONTROL.next(last, 9), ..State::default() };
    let mut empty = state;
    let mut dense = Dense::new(Ecn::NotEct);
    dense.cobalt.state = state;
    let mut due = 0.0;
    for count in (1_u32..=9).rev() {
        due += 0.1 / f64::from(count).sqrt();
        let due = Time::from_secs_f64(1.0 + due);
        empty.rest(&CONTROL, due.saturating_sub(Time::from_micros(1)));
        assert_eq!(empty.count, u64::from(count));
        empty.rest(&CONTROL, due + Time::from_micros(1));
        assert_eq!(empty.count, u64::from(count) - 1);
        dense.run(Ecn::NotEct, MILLI, due.saturating_sub(dense.now));
        assert_eq!(dense.cobalt.state.count, u64::from(count));
        dense.run(Ecn::NotEct, MILLI, Dense::STEP);
        assert_eq!(dense.cobalt.state.count, u64::from(count) - 1);
        if count == 2 {
            assert!((due.as_secs_f64() - 1.3705).abs() < 5e-5, "{due}");
        }
    }
    assert!((due - 0.4705).abs() < 5e-5, "{due}");
    assert!(empty.is_at_rest(&CONTROL, Time::from_secs_f64(1.5)));
}

/// Validates: overflows raise the probability by 1/256 at most once per target, up to 1.
/// Source: Linux, `cobalt_queue_full`.
/// Tolerance: exact.
#[test]
fn overflows_raise_the_probability() {
    let mut queue = cobalt(1, false);
    let overflow = |queue: &mut Cobalt, now| {
        queue.enqueue(packet(Ecn::NotEct, now), 0, &mut Vec::new()).expect_err("it is full");
        queue.state.p_drop()
    };
    queue.enqueue(packet(Ecn::NotEct, Time::ZERO), 0, &mut Vec::new()).expect("there is space");
    for millis in 0_u32..1_300 {
        let expected = f64::min(f64::from(millis / 5 + 1) / 256.0, 1.0);
        assert_eq!(overflow(&mut queue, MILLI.saturating_mul(millis.into())).to_bits(), expected.to_bits());
    }
}

/// Validates: while the queue is empty, the probability falls by 1/4096 at once and then once per target: from 1/256 to 0
///   in fifteen targets, from 1 in 20.475 s. A packet that waits ends this.
/// Source: Linux, `cobalt_queue_empty`; Morton 2016: BLUE backs off as long as the queue remains empty.
/// Tolerance: exact.
#[test]
fn empty_queues_lower_the_probability() {
    let full = State { p_drop: INCREMENT, ..State::default() };
    let after = |millis| {
        let mut queue = Cobalt { state: full, ..cobalt(10, false) };
        queue.store.push(packet(Ecn::NotEct, Time::SECOND));
        queue.dequeue(Time::SECOND, &mut Vec::new()).expect("the last packet");
        queue.advance(Time::SECOND + MILLI.saturating_mul(millis));
        queue
    };
    for (millis, left) in [(0, 15), (4, 15), (5, 14), (9, 14), (74, 1), (75, 0), (500, 0)] {
        assert_eq!(after(millis).state.p_drop, left, "{millis} ms");
    }
    let mut queue = after(5);
    queue.enqueue(packet(Ecn::NotEct, Time::SECOND + MILLI.saturating_mul(9)), 0, &mut Vec::new()).expect("space");
    queue.advance(Time::SECOND + MILLI.saturating_mul(90));
    assert_eq!(queue.state.p_drop, 14, "a packet waits");
    let mut certain = State { p_drop: CERTAIN, p_next: Time::SECOND, ..State::default() };
    certain.rest(&CONTROL, Time::from_millis(21_474));
    assert_eq!(certain.p_drop, 1);
    certain.rest(&CONTROL, Time::from_millis(21_475));
    assert_eq!(certain.p_drop, 0);
}

/// Validates: BLUE drops ECN-capable packets, with its probability; it never drops the last packet.
/// Source: Linux, `cobalt_should_drop` and `cake_dequeue`.
/// Tolerance: four standard deviations of 1,000 decisions.
#[test]
fn blue_ignores_ecn_and_spares_the_last_packet() {
    let mut queue = cobalt(10_000, true);
    for (p_drop, expected) in [(0, 0.0), (CERTAIN / 4, 250.0), (CERTAIN, 1_000.0)] {
        queue.state.p_drop = p_drop;
        let mut dropped = Vec::new();
        let decisions = 1_000 + u64::from(p_drop == CERTAIN);
        (0..decisions).for_each(|_| queue.store.push(packet(Ecn::Ect0, Time::SECOND)));
        let mut left = 0;
        while queue.dequeue(Time::SECOND, &mut dropped).is_some() {
            left += 1;
        }
        assert_eq!(left + dropped.len() as u64, decisions);
        assert!(left >= 1);
        assert!((dropped.len() as f64 - expected).abs() <= 4.0 * 13.7, "{}", dropped.len());
        assert!(p_drop != CERTAIN || left == 1);
    }
}

/// Validates: the gauges after drops, and after overflows.
/// Source: by hand.
/// Tolerance: 1 us for the time between drops.
#[test]
fn gauges_show_the_count_and_the_probability() {
    let mut queue = Dense::new(Ecn::NotEct);
    let gauges = |queue: &Dense| {
        let mut seen = Vec::new();
        queue.cobalt.gauges(&mut |name, value| seen.push((name, value)));
        seen
    };
    assert_eq!(gauges(&queue)[..2], [("count", 0.0), ("dropping", 0.0)]);
    assert!(gauges(&queue)[2].1.is_nan());
    queue.run(Ecn::NotEct, Time::from_millis(20), Time::from_millis(230));
    let seen = gauges(&queue);
    assert_eq!(seen[..2], [("count", 4.0), ("dropping", 1.0)], "three drops");
    assert!(seen[2].0 == "drop_interval" && (seen[2].1 - 0.05).abs() < 1e-6, "{seen:?}");
    queue.cobalt.state.overflow(&CONTROL, queue.now);
    assert_eq!(gauges(&queue)[3], ("p_drop", 1.0 / 256.0));
}

proptest! {
    /// Validates: an empty queue may be looked at at any times.
    /// Source: the definition of `PacketQueue::advance`.
    /// Tolerance: exact.
    #[test]
    fn updates_of_an_empty_queue_can_be_divided(
        count in 0_u64..50,
        p_drop in 0..=CERTAIN,
        next in (0_u64..50, 0_u64..50),
        period in 0_u64..10_000,
        steps in prop::collection::vec(0_u64..300_000, 1..20),
    ) {
        let control = Control { period: Time::from_micros(period), ..CONTROL };
        let next = (Time::from_millis(next.0), Time::from_millis(next.1));
        let start = State { count, drop_next: next.0, dropping: false, p_drop, p_next: next.1 };
        let (mut divided, mut whole, mut now) = (start, start, Time::ZERO);
        for step in steps {
            now += Time::from_micros(step);
            divided.rest(&control, now);
        }
        whole.rest(&control, now);
        prop_assert_eq!(format!("{divided:?}"), format!("{whole:?}"));
    }

    /// Packets arrive at and leave a queue at random times.
    ///
    /// Validates: packets leave in the order of arrival; each one is sent, dropped or waiting; the last one is never
    ///   dropped; a packet in time is dropped only by BLUE.
    /// Source: Linux, `cobalt_should_drop`.
    /// Tolerance: exact.
    #[test]
    fn packets_leave_in_order_and_none_is_lost(
        steps in prop::collection::vec((any::<bool>(), 0_u64..3_000), 1..400),
        limit in 0_u64..40,
        ecn in any::<bool>(),
    ) {
        let mut queue = cobalt(limit, ecn);
        queue.control.interval = Time::from_millis(10);
        let (mut now, mut dropped, mut full, mut waits) = (Time::ZERO, Vec::new(), 0, std::collections::VecDeque::new());
        for (number, (arrives, micros)) in (0..).zip(steps) {
            now += Time::from_micros(micros);
            if arrives {
                let queued = Queued { hop: number, ..packet(if ecn { Ecn::Ect0 } else { Ecn::NotEct }, now) };
                match queue.enqueue(queued, 0, &mut dropped) {
                    Ok(()) => waits.push_back(number),
                    Err(reason) => {
                        prop_assert_eq!(reason, DropReason::Full);
                        prop_assert_eq!(waits.len() as u64, limit);
                        full += 1;
                    }
                }
            } else {
                let had = waits.len();
                let left = queue.dequeue(now, &mut dropped);
                prop_assert!(left.is_some() || had == 0);
                prop_assert!(left.is_none_or(|left| !left.marked || ecn));
                for (queued, _) in dropped.drain(..) {
                    prop_assert!(full > 0 || !ecn && now - queued.since > TARGET);
                    prop_assert_eq!(waits.pop_front(), Some(queued.hop));
                }
                prop_assert_eq!(waits.pop_front(), left.map(|left| left.hop));
            }
            prop_assert_eq!(queue.waiting(), (waits.len() as u64, 1500 * waits.len() as u64));
        }
    }
}
