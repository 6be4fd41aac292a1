//! DualPI2, packet by packet and update by update.

use ackclock_tcp::Segment;
use ackclock_units::Rate;
use proptest::prelude::*;

use super::*;
use crate::packet::{FlowId, Packet};

fn spec() -> DualPi2Spec {
    DualPi2Spec {
        limit: Limit::Packets(10_000),
        count_in_service: false,
        target: Time::from_millis(15),
        update: Time::from_millis(16),
        alpha: 0.16,
        beta: 3.2,
        coupling: 2.0,
        ramp_from: Time::from_millis(1),
        ramp_to: Time::from_millis(1),
        low: Low::Ect1,
        classic_share: 0.1,
        mtu: 1500,
        min_qlen_step: 0,
    }
}

fn queue(spec: &DualPi2Spec) -> DualPi2 {
    build(spec, &Context::testing(Rate::from_mbps(10)))
}

fn packet(ecn: Ecn, since: Time) -> Queued {
    let segment = Segment { ecn, ..Segment::new(1, 1500) };
    Queued { packet: Packet::data(FlowId(0), 0, segment, since), since, hop: 0, marked: false }
}

/// Validates: the base probability after each update for given delays, and the probabilities of both queues.
/// Source: RFC 9332, appendix A.1, computed apart with the same constants.
/// Tolerance: 1e-12.
#[test]
fn the_base_controller_follows_the_delay_of_its_queue() {
    let mut queue = queue(&spec());
    let expected = [0.0, 0.0144, 0.0296, 0.0624, 0.0968, 0.0992, 0.0848, 0.0696, 0.0536, 0.0368];
    for (delay, expected) in [0_u32, 5, 10, 20, 30, 30, 25, 20, 15, 10].into_iter().zip(expected) {
        queue.update(Time::from_millis(delay.into()));
        let mut reported = Vec::new();
        queue.gauges(&mut |name, value| reported.push((name, value)));
        let gauges = [("p_base", expected), ("p_C", expected * expected), ("p_CL", 2.0 * expected)];
        for ((name, value), (gauge, expected)) in reported.iter().zip(gauges) {
            assert_eq!(*name, gauge);
            assert!((value - expected).abs() < 1e-12, "{name}: {value} for {expected}");
        }
        assert_eq!(reported[3], ("prevq", f64::from(delay) / 1e3));
    }
}

/// Validates: the share of marked packets in queue L and of dropped or marked packets in queue C.
/// Source: RFC 9332, section 2.5: `p_C = (p_CL / k)^2`.
/// Tolerance: one packet of 10,000.
#[test]
fn the_queues_are_coupled() {
    for (low, classic) in [(0.1, 0.0025), (0.2, 0.01), (0.5, 0.0625)] {
        for (ecn, expected, drops) in
            [(Ecn::Ect1, low, false), (Ecn::Ect0, classic, false), (Ecn::NotEct, classic, true)]
        {
            let mut queue = queue(&spec());
            queue.base = low / 2.0;
            let (mut marked, mut dropped) = (0, 0);
            for _ in 0..10_000 {
                let mut queued = packet(ecn, Time::ZERO);
                dropped += u32::from(!queue.passes(&mut queued, ecn == Ecn::Ect1, Time::ZERO, false));
                marked += u32::from(queued.marked);
            }
            let (found, none) = if drops { (dropped, marked) } else { (marked, dropped) };
            assert_eq!(none, 0);
            assert!((f64::from(found) - 1e4 * expected).abs() <= 1.0, "{found} for {expected}");
        }
    }
}

/// Validates: at overload, packets of queue C are dropped although they are ECN-capable, and packets of queue L are
///   dropped with the probability of C and marked otherwise.
/// Source: RFC 9332, appendix A.2.
/// Tolerance: one packet of 10,000.
#[test]
fn at_overload_ecn_does_not_help() {
    for ecn in [Ecn::Ect1, Ecn::Ect0] {
        let mut queue = queue(&spec());
        queue.base = 0.6;
        let (mut marked, mut dropped) = (0, 0);
        for _ in 0..10_000 {
            let mut queued = packet(ecn, Time::ZERO);
            let passes = queue.passes(&mut queued, ecn == Ecn::Ect1, Time::ZERO, false);
            dropped += i32::from(!passes);
            marked += i32::from(passes && queued.marked);
        }
        assert!((dropped - 3_600).abs() <= 1, "{dropped}");
        assert_eq!(marked, if ecn == Ecn::Ect1 { 10_000 - dropped } else { 0 });
    }
}

#[test]
fn packets_are_classified_by_their_codepoint() {
    for (low, expected) in [(Low::Ect1, [false, false, true, true]), (Low::Ect, [false, true, true, true])] {
        let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce];
        for (ecn, expected) in ecn.into_iter().zip(expected) {
            let mut queue = queue(&DualPi2Spec { low, ..spec() });
            queue.enqueue(packet(ecn, Time::ZERO), 0, &mut Vec::new()).expect("there is space");
            assert_eq!(queue.low.is_empty(), !expected, "{low:?} {ecn:?}");
        }
    }
}

/// Validates: with `min_qlen_step` of two, the step marks the packets that found two or more in queue L, at whatever length it
///     has when they leave: of four, and then of two and one more, only the third and the fourth.
/// Source: Linux, sch_dualpi2.c, `skb_apply_step`.
/// Tolerance: exact.
#[test]
fn packets_that_found_a_short_queue_pass_the_step() {
    let mut queue = queue(&DualPi2Spec { min_qlen_step: 2, mtu: 0, ..spec() });
    queue.sums = [0.5; 2];
    let mut send = |arrivals: u32, departures: usize| {
        for _ in 0..arrivals {
            queue.enqueue(packet(Ecn::Ect1, Time::ZERO), 0, &mut Vec::new()).expect("there is space");
        }
        let sent = || queue.dequeue(Time::from_millis(5), &mut Vec::new());
        std::iter::repeat_with(sent).take(departures).map_while(|queued| Some(queued?.marked)).collect::<Vec<_>>()
    };
    assert_eq!(send(4, 4), [false, false, true, true]);
    assert_eq!(send(2, 1), [false]);
    assert_eq!(send(1, 9), [false, false]);
}

/// Validates: the ramp of queue L, which does not apply to the last packet.
/// Source: RFC 9332, appendix A.1: from 800 us to 1200 us, 0.5 at 1 ms.
/// Tolerance: 1e-12.
#[test]
fn the_ramp_marks_by_delay() {
    let mut queue =
        queue(&DualPi2Spec { ramp_from: Time::from_micros(800), ramp_to: Time::from_micros(1200), ..spec() });
    for (micros, expected) in [(0, 0.0), (800, 0.0), (1_000, 0.5), (1_200, 1.0), (9_000, 1.0)] {
        assert!((queue.ramp(Time::from_micros(micros)) - expected).abs() < 1e-12);
    }
    for (waits, expected) in [(1, 0), (3, 2)] {
        for _ in 0..waits {
            queue.enqueue(packet(Ecn::Ect1, Time::ZERO), 0, &mut Vec::new()).expect("there is space");
        }
        queue.sums = [0.5; 2];
        let sent = || queue.dequeue(Time::from_millis(5), &mut Vec::new());
        let marks = std::iter::repeat_with(sent).map_while(|queued| queued).filter(|queued| queued.marked).count();
        assert_eq!(marks, expected, "{waits} packets");
    }
}

/// Validates: while both queues wait, queue C gets its share of the bytes, and queue L the rest; a queue alone gets
///   everything.
/// Source: weighted round robin.
/// Tolerance: one packet of 100.
#[test]
fn the_classic_queue_gets_its_share() {
    for share in [0.1, 0.5] {
        let mut queue = queue(&DualPi2Spec { classic_share: share, ..spec() });
        for _ in 0..100 {
            queue.enqueue(packet(Ecn::Ect1, Time::ZERO), 0, &mut Vec::new()).expect("there is space");
            queue.enqueue(packet(Ecn::Ect0, Time::ZERO), 0, &mut Vec::new()).expect("there is space");
        }
        let mut sent = || queue.dequeue(Time::ZERO, &mut Vec::new()).map(|queued| queued.packet.ecn());
        let classic = (0..100).filter(|_| sent() == Some(Ecn::Ect0)).count();
        assert!((classic as f64 - 100.0 * share).abs() <= 1.0, "{classic}");
        assert_eq!(std::iter::repeat_with(sent).map_while(|ecn| ecn).count(), 100);
    }
}

proptest! {
    /// Packets of both kinds arrive and leave at random.
    ///
    /// Validates: each packet is sent, dropped or waiting; the limit holds; updates are made at their times, whenever
    ///   packets come.
    /// Source: RFC 9332, section 2; the definition of the updates.
    /// Tolerance: exact.
    #[test]
    fn packets_leave_or_are_dropped(
        steps in prop::collection::vec((0_u32..5, 0_u64..30), 1..300),
        limit in 1_u64..60,
    ) {
        let mut queue = queue(&DualPi2Spec { limit: Limit::Packets(limit), ..spec() });
        let (mut now, mut dropped, mut waits) = (Time::ZERO, Vec::new(), 0);
        for (kind, millis) in steps {
            now += Time::from_millis(millis);
            let ecn = [Ecn::Ect1, Ecn::Ect0, Ecn::NotEct, Ecn::Ce];
            if let Some(ecn) = ecn.get(kind as usize) {
                let stored = queue.enqueue(packet(*ecn, now), 0, &mut dropped);
                prop_assert_eq!(stored.is_err(), waits == limit);
                waits += u64::from(stored.is_ok());
            } else {
                let sent = queue.dequeue(now, &mut dropped);
                prop_assert!(sent.is_some() || waits == 0);
                waits -= u64::from(sent.is_some()) + dropped.len() as u64;
                dropped.clear();
            }
            prop_assert_eq!(queue.waiting(), (waits, 1500 * waits));
            prop_assert!(queue.next > now && queue.next <= now + queue.spec.update);
        }
    }
}

/// Validates: the updates up to the end of time end.
/// Source: none; `Time::MAX` is the last instant, after which no update is due.
/// Tolerance: exact.
#[test]
fn updates_end_at_the_end_of_time() {
    let mut queue = queue(&spec());
    queue.catch_up(Time::MAX);
    assert_eq!((queue.next, queue.base), (Time::MAX, 0.0));
}
