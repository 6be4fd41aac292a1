//! Strict priority, packet by packet, and with the laws of single-server queues.

use ackclock_tcp::Segment;
use ackclock_units::{Rate, Role, Stream};

use super::*;
use crate::packet::Packet;

/// A queue whose flow n has priority n.
fn queue(limit: Limit) -> Priority {
    let context = Context { bands: (0..BANDS as u8).collect(), ..Context::testing(Rate::from_mbps(10)) };
    build(&PrioritySpec { limit, count_in_service: false }, &context)
}

fn packet(flow: u32, size: u32, since: Time) -> Queued {
    let packet = Packet::data(FlowId(flow), 0, Segment::new(1, size), since);
    Queued { packet, since, hop: 0, marked: false }
}

/// Packets of flows 2, 0, 7, 2, 0 arrive in this order.
///
/// Validates: packets leave in the order of their bands, and of their arrival within a band.
/// Source: Cobham 1954, section 1.
/// Tolerance: exact.
#[test]
fn the_first_band_is_served_first() {
    let (mut queue, mut dropped) = (queue(Limit::Packets(10)), Dropped::new());
    for (number, flow) in (0..).zip([2, 0, 7, 2, 0]) {
        assert_eq!(queue.enqueue(packet(flow, 1_000, Time::from_millis(number)), 0, &mut dropped), Ok(()));
    }
    let left = std::iter::from_fn(|| queue.dequeue(Time::SECOND, &mut dropped));
    let left: Vec<_> = left.map(|queued| queued.since.as_picos() / 1_000_000_000).collect();
    assert_eq!((left, queue.waiting(), dropped.len()), (vec![1, 4, 0, 3, 2], (0, 0), 0));
}

/// A full queue of three packets or bytes, with packets of bands 3, 5 and 5.
///
/// Validates: an arrival takes the place of the latest packets of the last band after its own; if there are none, or if
///   they do not give way to it, it is dropped and removes none.
/// Source: Kröner 1990 (push-out).
/// Tolerance: exact.
#[test]
fn arrivals_push_out_packets_of_later_bands() {
    for limit in [Limit::Packets(3), Limit::Bytes(3_000)] {
        let full = || {
            let (mut queue, mut dropped) = (queue(limit), Dropped::new());
            for (number, flow) in (0..).zip([3, 5, 5]) {
                assert_eq!(queue.enqueue(packet(flow, 1_000, Time::from_millis(number)), 0, &mut dropped), Ok(()));
            }
            (queue, dropped)
        };
        let arrive = |flow, size| {
            let (mut queue, mut dropped) = full();
            let result = queue.enqueue(packet(flow, size, Time::SECOND), 0, &mut dropped);
            let dropped: Vec<_> = dropped.iter().map(|(lost, _)| lost.since.as_picos() / 1_000_000_000).collect();
            (result.is_ok(), dropped, queue.waiting().0)
        };
        let refused = (false, Vec::new(), 3);
        assert_eq!(arrive(5, 1_000), refused);
        assert_eq!(arrive(7, 1_000), refused);
        assert_eq!(arrive(4, 1_000), (true, vec![2], 3));
        assert_eq!(arrive(0, 1_000), (true, vec![2], 3));
        let is_in_bytes = limit == Limit::Bytes(3_000);
        assert_eq!(arrive(4, 2_500), if is_in_bytes { refused.clone() } else { (true, vec![2], 3) });
        assert_eq!(arrive(0, 2_500), if is_in_bytes { (true, vec![2, 1, 0], 1) } else { (true, vec![2], 3) });
    }
    let (mut queue, mut dropped) = (queue(Limit::Packets(0)), Dropped::new());
    assert_eq!(queue.enqueue(packet(0, 40, Time::ZERO), 0, &mut dropped), Err(DropReason::Full));
}

/// Mean waits in seconds of the packets of three classes at a link of 10 Mb/s, without preemption. Class n is flow
/// `flows[n]`. Packets of 500, 1000 and 1500 bytes arrive at random, 300, 200 and 400 per second.
fn waits(flows: [u32; 3]) -> [f64; 3] {
    let mut queue = queue(Limit::Packets(1_000_000));
    let mut streams = [0, 1, 2].map(|id| Stream::new(3, Role::Source, id));
    let mut next = [0.0_f64; 3];
    let (mut free, mut sums, mut counts) = (0.0, [0.0; 3], [0.0; 3]);
    let mut dropped = Dropped::new();
    for class in 0..3 {
        next[class] = streams[class].exponential() / RATES[class];
    }
    while counts.iter().sum::<f64>() < 1_000_000.0 {
        let class = (0..3).min_by(|a, b| next[*a].total_cmp(&next[*b])).expect("three classes");
        let now = next[class];
        // the transmissions that begin before this arrival
        while free <= now
            && let Some(left) = queue.dequeue(Time::from_secs_f64(free), &mut dropped)
        {
            let of = flows.iter().position(|flow| FlowId(*flow) == left.packet.flow()).expect("one of the flows");
            sums[of] += free - left.since.as_secs_f64();
            counts[of] += 1.0;
            free += TIMES[of];
        }
        free = free.max(now);
        queue.enqueue(packet(flows[class], SIZES[class], Time::from_secs_f64(now)), 0, &mut dropped).expect("room");
        next[class] += streams[class].exponential() / RATES[class];
    }
    [0, 1, 2].map(|class| sums[class] / counts[class])
}

const SIZES: [u32; 3] = [500, 1_000, 1_500];
const TIMES: [f64; 3] = [0.0004, 0.0008, 0.0012];
const RATES: [f64; 3] = [300.0, 200.0, 400.0];

/// A million Poisson packets of three classes, load 0.76, with every assignment of priorities.
///
/// Validates: the mean wait of class p is `W0 / ((1 - s) (1 - s - rho_p))`, where `s` is the load of the classes before it
///   and `W0 = sum of lambda E[S^2] / 2`; and `sum of rho W` has the value of first in, first out for every assignment.
/// Source: Cobham 1954, equation (3); Kleinrock, "A conservation law for a wide class of queueing disciplines" (Naval
///   Research Logistics Quarterly 12, 1965).
/// Tolerance: 3 % of each mean wait; 2 % of the sum: about four standard errors at a fixed seed.
#[test]
fn waits_obey_cobhams_formula_and_kleinrocks_law() {
    let load = |class: usize| RATES[class] * TIMES[class];
    let residual: f64 = (0..3).map(|class| RATES[class] * TIMES[class].powi(2) / 2.0).sum();
    let total: f64 = (0..3).map(load).sum();
    let invariant = residual * total / (1.0 - total);
    for flows in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let found = waits(flows);
        for class in 0..3 {
            let before: f64 = (0..3).filter(|other| flows[*other] < flows[class]).map(load).sum();
            let expected = residual / ((1.0 - before) * (1.0 - before - load(class)));
            println!("measured: {:.6} s in band {}, by Cobham's formula {expected:.6} s", found[class], flows[class]);
            assert!((found[class] / expected - 1.0).abs() < 0.03, "{flows:?}: {found:?}, class {class}: {expected}");
        }
        let sum: f64 = (0..3).map(|class| load(class) * found[class]).sum();
        assert!((sum / invariant - 1.0).abs() < 0.02, "{flows:?}: {sum} instead of {invariant}");
    }
}
