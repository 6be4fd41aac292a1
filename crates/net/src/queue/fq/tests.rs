//! Deficit round robin, packet by packet.

use ackclock_tcp::Segment;
use ackclock_units::Rate;
use proptest::prelude::*;

use super::*;
use crate::packet::{FlowId, Packet};

fn queue(packets: u64, quantum: u32) -> Fq {
    weighted(packets, quantum, &[])
}

fn weighted(packets: u64, quantum: u32, weights: &[u16]) -> Fq {
    let spec = FqSpec { limit: Limit::Packets(packets), count_in_service: false, queues: 1024, quantum };
    build(&spec, &Context { weights: weights.into(), ..Context::testing(Rate::from_mbps(10)) })
}

fn add(queue: &mut Fq, flow: u32, size: u32) -> Dropped {
    let packet = Packet::data(FlowId(flow), 0, Segment::new(1, size), Time::ZERO);
    let mut dropped = Vec::new();
    let queued = Queued { packet, since: Time::ZERO, hop: 0, marked: false };
    queue.enqueue(queued, 0, &mut dropped).expect("it is stored");
    dropped
}

fn next(queue: &mut Fq) -> (u32, u32) {
    let queued = queue.dequeue(Time::ZERO, &mut Vec::new()).expect("a packet waits");
    (queued.packet.flow().0, queued.packet.size())
}

/// Validates: with a quantum of 1500, each round serves one packet of 1500 bytes and three of 500 bytes; with 300, a
///   packet of 1500 bytes needs five turns.
/// Source: Shreedhar and Varghese 1996, figure 2.
/// Tolerance: exact.
#[test]
fn rounds_serve_a_quantum_of_each_queue() {
    for (quantum, expected) in [(1500, [0, 1, 1, 1, 0, 1, 1, 1]), (300, [1, 1, 0, 1, 1, 1, 0, 1])] {
        let mut queue = queue(1_000, quantum);
        for _ in 0..20 {
            add(&mut queue, 0, 1500);
            add(&mut queue, 1, 500);
        }
        let flows: Vec<u32> = (0..8).map(|_| next(&mut queue).0).collect();
        assert_eq!(flows, expected, "quantum {quantum}");
    }
}

/// Validates: with weights of 1, 3 and 2 and packets of a quantum, each round serves one, three and two packets; a queue
///   that was empty has the weight of the flow that sends next.
/// Source: Shreedhar and Varghese 1996, section III: quanta in proportion to the shares.
/// Tolerance: exact.
#[test]
fn rounds_serve_quanta_in_proportion_to_weights() {
    let mut queue = weighted(1_000, 1000, &[1, 3, 2]);
    for _ in 0..2 {
        for flow in [0, 1, 2].repeat(12) {
            add(&mut queue, flow, 1000);
        }
        let flows: Vec<u32> = (0..12).map(|_| next(&mut queue).0).collect();
        assert_eq!(flows, [0, 1, 1, 1, 2, 2].repeat(2));
        assert_eq!((0..24).map(|_| next(&mut queue).1).sum::<u32>(), 24_000);
    }
    // one queue for all flows
    let spec = FqSpec { limit: Limit::Packets(9), count_in_service: false, queues: 1, quantum: 300 };
    let context = Context { weights: [1, 3].into(), ..Context::testing(Rate::from_mbps(10)) };
    let mut queue = build(&spec, &context);
    for flow in [1, 0] {
        add(&mut queue, flow, 100);
        add(&mut queue, 1 - flow, 100);
        assert_eq!(queue.flows[0].quantum, if flow == 1 { 900 } else { 300 });
        assert_eq!([next(&mut queue).0, next(&mut queue).0], [flow, 1 - flow]);
    }
}

/// Validates: an arrival above the limit removes the packet at the head of the longest queue.
/// Source: McKenney 1990.
/// Tolerance: exact.
#[test]
fn the_longest_queue_loses_packets() {
    let mut queue = queue(10, 1500);
    for _ in 0..10 {
        assert_eq!(add(&mut queue, 0, 1000), []);
    }
    for _ in 0..5 {
        let dropped = add(&mut queue, 1, 1000);
        assert_eq!(dropped.iter().map(|(queued, _)| queued.packet.flow().0).collect::<Vec<_>>(), [0]);
    }
    // both have five packets: the arriving one is in the longest queue
    assert_eq!(add(&mut queue, 1, 1000)[0].0.packet.flow().0, 1);
    assert_eq!(queue.waiting(), (10, 10_000));
}

proptest! {
    /// Flows that are always backlogged, with packets of random sizes.
    ///
    /// Validates: in any interval, the bytes that two flows send, divided by their weights, differ by at most the quantum
    ///   and two packets of the maximum size.
    /// Source: Shreedhar and Varghese 1996, theorem 2 (for a quantum of at least the maximum size).
    /// Tolerance: exact.
    #[test]
    fn backlogged_flows_get_the_same_service(
        sizes in prop::collection::vec((0_u32..4, 1_u32..1501), 200..600),
        quantum in 1500_u32..5_000,
        count in 2_u32..5,
        weights in prop::sample::select(vec![[1_u16; 4], [1, 2, 3, 7], [100, 1, 1, 100]]),
    ) {
        let mut queue = weighted(10_000, quantum, &weights);
        for flow in 0..count {
            add(&mut queue, flow, 1500);
        }
        let mut waiting = vec![1_u32; count as usize];
        let mut sent = vec![vec![0_i64]; count as usize];
        for (flow, size) in sizes {
            add(&mut queue, flow % count, size);
            waiting[(flow % count) as usize] += 1;
            let (flow, size) = next(&mut queue);
            waiting[flow as usize] -= 1;
            if waiting[flow as usize] == 0 {
                add(&mut queue, flow, size);
                waiting[flow as usize] += 1;
                // its queue was empty for an instant: the interval ends
                for sent in &mut sent {
                    *sent = vec![0];
                }
                continue;
            }
            for (other, sent) in (0..).zip(&mut sent) {
                let last = *sent.last().expect("it begins with 0");
                sent.push(last + if other == flow { i64::from(size) } else { 0 });
            }
        }
        for (a, b) in (0..count as usize).flat_map(|a| (0..a).map(move |b| (a, b))) {
            // multiplied by both weights
            let [of_a, of_b] = [weights[a], weights[b]].map(i64::from);
            let apart = || sent[a].iter().zip(&sent[b]).map(|(a, b)| of_b * a - of_a * b);
            let spread = apart().max().unwrap_or_default() - apart().min().unwrap_or_default();
            prop_assert!(spread <= of_a * of_b * i64::from(quantum) + (of_a + of_b) * 1500, "{spread}");
        }
    }

    /// Validates: all packets leave, in the order of their flow, and the limit holds.
    /// Source: conservation of packets.
    /// Tolerance: exact.
    #[test]
    fn every_packet_leaves_once(
        packets in prop::collection::vec((0_u32..6, 1_u32..1501), 1..200),
        limit in 1_u64..300,
        quantum in 256_u32..2_000,
    ) {
        let mut queue = queue(limit, quantum);
        let mut lost = 0;
        for (flow, size) in &packets {
            lost += add(&mut queue, *flow, *size).len();
            prop_assert!(queue.waiting().0 <= limit);
        }
        let mut left = 0;
        while queue.dequeue(Time::ZERO, &mut Vec::new()).is_some() {
            left += 1;
        }
        prop_assert_eq!((left + lost, queue.waiting()), (packets.len(), (0, 0)));
        prop_assert!(queue.ring.is_empty() && queue.active == 0);
    }

    /// Arrivals above the limit, departures in between.
    ///
    /// Validates: each lost packet was at the head of the longest queue, of several of the one whose turn came first; few
    ///   entries are kept of queues that have left.
    /// Source: the rules at the head of the file, looked up in all queues.
    /// Tolerance: exact.
    #[test]
    fn the_longest_queue_is_found_among_all(
        packets in prop::collection::vec((0_u32..40, prop::sample::select(vec![500_u32, 1000, 1500]), 0_u8..4), 1..600),
        limit in 1_u64..60,
    ) {
        let mut queue = queue(limit, 1500);
        for (flow, size, departures) in packets {
            let in_ring = |queue: &Fq| -> Vec<(u32, u64)> {
                let active = queue.ring.iter().filter(|(place, turn)| is_active(&queue.flows[*place as usize], *turn));
                active.map(|(place, _)| (*place, queue.flows[*place as usize].store.bytes())).collect()
            };
            let before = in_ring(&queue);
            let was_full = queue.waiting().0 == limit;
            let dropped = add(&mut queue, flow, size);
            prop_assert_eq!(dropped.len(), usize::from(was_full));
            if let Some((queued, _)) = dropped.first() {
                let place = |flow: u32| {
                    let packet = Packet::data(FlowId(flow), 0, Segment::new(1, 1), Time::ZERO);
                    queue.hash.of(&packet)
                };
                let arrived = place(flow);
                let mut ring = before;
                match ring.iter_mut().find(|(place, _)| *place == arrived) {
                    Some((_, bytes)) => *bytes += u64::from(size),
                    None => ring.push((arrived, size.into())),
                }
                let longest = ring.iter().rev().max_by_key(|(_, bytes)| *bytes).map(|(place, _)| *place);
                prop_assert_eq!(Some(place(queued.packet.flow().0)), longest);
            }
            for _ in 0..departures.saturating_sub(2) {
                queue.dequeue(Time::ZERO, &mut Vec::new());
            }
            prop_assert_eq!(queue.active, in_ring(&queue).len());
            let most = KEPT.0 * queue.active.max(40) + KEPT.1 + 1;
            prop_assert!(queue.ring.len() <= most);
        }
    }
}
