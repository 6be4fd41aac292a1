//! CoDel, packet by packet.

use ackclock_tcp::{Ecn, Segment};
use ackclock_units::Rate;
use proptest::prelude::*;

use super::*;
use crate::packet::{FlowId, Packet};

const MILLI: Time = Time::from_millis(1);

fn spec() -> CodelSpec {
    CodelSpec {
        limit: Limit::Packets(100_000),
        count_in_service: false,
        target: Time::from_millis(5),
        interval: Time::from_millis(100),
        mtu: 1500,
        ecn: false,
        ce_threshold: None,
    }
}

fn codel(spec: &CodelSpec) -> Codel {
    build(spec, &Context::testing(Rate::from_mbps(10)))
}

fn packet(ecn: Ecn, since: Time) -> Queued {
    let segment = Segment { ecn, ..Segment::new(1, 1500) };
    Queued { packet: Packet::data(FlowId(0), 0, segment, since), since, hop: 0, marked: false }
}

/// A queue with a packet that leaves every 10 us. Its sojourn time is given by the time of departure.
struct Dense {
    codel: Codel,
    now: Time,
    /// Times of drops and marks in seconds.
    drops: Vec<f64>,
    marks: Vec<f64>,
}

impl Dense {
    const STEP: Time = Time::from_micros(10);

    fn new(spec: &CodelSpec) -> Self {
        Self { codel: codel(spec), now: Time::SECOND, drops: Vec::new(), marks: Vec::new() }
    }

    /// Lets packets leave for `span` after waiting for `sojourn` each.
    fn run(&mut self, ecn: Ecn, sojourn: Time, span: Time) {
        let end = self.now + span;
        while self.now < end {
            self.codel.store = Store::default();
            for _ in 0..4 {
                let since = self.now.saturating_sub(sojourn);
                self.codel.enqueue(packet(ecn, since), 0, &mut Vec::new()).expect("there is space");
            }
            let (mut dropped, at) = (Vec::new(), (self.now - Time::SECOND).as_secs_f64());
            let left = self.codel.dequeue(self.now, &mut dropped).expect("four packets");
            assert!(dropped.iter().all(|(_, reason)| *reason == DropReason::Early));
            self.drops.extend(dropped.iter().map(|_| at));
            self.marks.extend(left.marked.then_some(at));
            self.now += Self::STEP;
        }
    }
}

/// The times of the first drops if packets wait longer than the target from time 0 on.
const VECTOR: [f64; 12] = [
    0.1, 0.2, 0.270_711, 0.328_446, 0.378_446, 0.423_167, 0.463_992, 0.501_788, 0.537_144, 0.570_477, 0.602_100,
    0.632_251,
];

fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        // the first departure after the time
        assert!((-1e-6..=1.1e-5).contains(&(found - expected)), "{found} for {expected}");
    }
}

/// Validates: the times of drops under a queue that stays above the target, and of marks with ECN; both are the same.
/// Source: RFC 8289, section 5.3: the first drop after an interval, then `interval / sqrt(count)` apart.
/// Tolerance: one departure, 10 us.
#[test]
fn drops_follow_the_square_root_law() {
    let span = Time::from_millis(640);
    let mut plain = Dense::new(&spec());
    plain.run(Ecn::NotEct, Time::from_millis(20), span);
    assert_near(&plain.drops, &VECTOR);
    assert_eq!(plain.marks, [0.0; 0]);
    let with_ecn = CodelSpec { ecn: true, ..spec() };
    let mut marking = Dense::new(&with_ecn);
    marking.run(Ecn::Ect0, Time::from_millis(20), span);
    assert_near(&marking.marks, &VECTOR);
    assert_eq!(marking.drops, [0.0; 0]);
    let mut not_capable = Dense::new(&with_ecn);
    not_capable.run(Ecn::NotEct, Time::from_millis(20), span);
    assert_eq!(not_capable.drops, plain.drops);
}

/// Validates: the gauges after each drop: the number of drops, and the time to the next one.
/// Source: RFC 8289, section 5.3; the times of `VECTOR` were computed apart.
/// Tolerance: 1 us, the digits of the times.
#[test]
fn gauges_show_the_count_and_the_time_between_drops() {
    let mut queue = Dense::new(&spec());
    let gauges = |queue: &Dense| {
        let mut seen = Vec::new();
        queue.codel.gauges(&mut |name, value| seen.push((name, value)));
        seen
    };
    queue.run(Ecn::NotEct, Time::from_millis(20), Time::from_millis(99));
    assert_eq!(gauges(&queue)[..3], [("count", 0.0), ("lastcount", 0.0), ("dropping", 0.0)]);
    assert!(gauges(&queue)[3].1.is_nan());
    for (place, times) in VECTOR.windows(2).enumerate() {
        while queue.drops.len() <= place {
            queue.run(Ecn::NotEct, Time::from_millis(20), Dense::STEP);
        }
        let seen = gauges(&queue);
        assert_eq!(seen[..3], [("count", place as f64 + 1.0), ("lastcount", 1.0), ("dropping", 1.0)]);
        assert!((seen[3].1 - (times[1] - times[0])).abs() <= 1e-6, "{seen:?}");
    }
}

/// Validates: one packet below the target ends the dropping state, and the time above the target starts again.
/// Source: RFC 8289, section 5.5 (`dodequeue`).
/// Tolerance: one departure.
#[test]
fn a_packet_below_the_target_ends_the_state() {
    let mut queue = Dense::new(&spec());
    queue.run(Ecn::NotEct, Time::from_millis(6), Time::from_millis(99));
    queue.run(Ecn::NotEct, Time::from_millis(4), Dense::STEP);
    queue.run(Ecn::NotEct, Time::from_millis(5), Time::from_millis(99));
    assert_eq!(queue.drops, [0.0; 0], "never above the target for an interval");
    queue.run(Ecn::NotEct, Time::from_millis(5), Time::from_millis(10));
    assert_near(&queue.drops, &[0.19901]);
}

/// A dropping state with five drops, a pause below the target, and a second state.
///
/// Validates: within 16 intervals of the last state, `count` starts with the number of drops since `lastcount`; later,
///   or after a single drop, with 1.
/// Source: RFC 8289, section 5.5: here `count = 5 - 1`, so that the next drop follows 50 ms later.
/// Tolerance: one departure.
#[test]
fn a_state_entered_again_soon_continues() {
    for (pause, expected) in [(Time::from_millis(500), 0.05), (Time::SECOND.saturating_mul(3), 0.1)] {
        let mut queue = Dense::new(&spec());
        queue.run(Ecn::NotEct, Time::from_millis(9), Time::from_millis(400));
        assert_eq!((queue.drops.len(), queue.codel.state.count), (5, 5));
        queue.run(Ecn::NotEct, MILLI, pause);
        queue.run(Ecn::NotEct, Time::from_millis(9), Time::from_millis(220));
        let after = &queue.drops[5..];
        assert!((after[1] - after[0] - expected).abs() < 2e-5, "{after:?}");
    }
}

/// Validates: nothing is dropped while at most `mtu` bytes are left in the queue.
/// Source: RFC 8289, section 5.5.
/// Tolerance: exact.
#[test]
fn the_last_packets_are_never_dropped() {
    for (left, expected) in [(0, 0), (1, 0), (2, 1)] {
        let mut queue = codel(&spec());
        let mut dropped = Vec::new();
        for tenth in 0..3_000 {
            queue.store = Store::default();
            for _ in 0..=left {
                queue.enqueue(packet(Ecn::NotEct, Time::ZERO), 0, &mut dropped).expect("there is space");
            }
            queue.dequeue(Time::SECOND + Time::from_micros(100 * tenth), &mut dropped);
        }
        assert_eq!(usize::from(!dropped.is_empty()), expected, "{left} packets left");
    }
}

/// Validates: with `ce_threshold`, each ECN-capable packet that waited longer is marked, and no other.
/// Source: Linux, `codel_dequeue`.
/// Tolerance: exact.
#[test]
fn packets_above_the_threshold_are_marked() {
    let mut queue = Dense::new(&CodelSpec { ce_threshold: Some(MILLI), ..spec() });
    queue.run(Ecn::Ect1, MILLI, MILLI);
    assert_eq!(queue.marks.len(), 0);
    queue.run(Ecn::Ect1, MILLI + Time::from_picos(1), MILLI);
    assert_eq!(queue.marks.len(), 100);
    queue.run(Ecn::NotEct, Time::from_millis(2), MILLI);
    assert_eq!(queue.marks.len(), 100);
}

proptest! {
    /// Packets arrive at and leave a queue at random times.
    ///
    /// Validates: packets leave in the order of arrival; each one is sent, dropped or waiting; a queue within its target
    ///   drops nothing unless it is full.
    /// Source: RFC 8289, section 4.
    /// Tolerance: exact.
    #[test]
    fn packets_leave_in_order_and_none_is_lost(
        steps in prop::collection::vec((any::<bool>(), 0_u64..3_000), 1..400),
        limit in 0_u64..40,
        ecn in any::<bool>(),
    ) {
        let mut queue = codel(&CodelSpec { limit: Limit::Packets(limit), ecn, interval: Time::from_millis(10), ..spec() });
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
                let left = queue.dequeue(now, &mut dropped);
                prop_assert!(left.is_none_or(|left| !left.marked || ecn));
                prop_assert!(!ecn || dropped.is_empty());
                for (queued, _) in dropped.drain(..) {
                    prop_assert!(now - queued.since >= Time::from_millis(5));
                    prop_assert_eq!(waits.pop_front(), Some(queued.hop));
                }
                prop_assert_eq!(waits.pop_front(), left.map(|left| left.hop));
            }
            prop_assert_eq!(queue.waiting(), (waits.len() as u64, 1500 * waits.len() as u64));
        }
        prop_assert!(full == 0 || limit < 40);
    }
}
