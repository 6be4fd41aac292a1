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

/// The shares of flows by weight, none of which exceeds its ceiling: the excess of those at their ceiling is divided again.
fn max_min(link: f64, flows: &[(u16, Option<f64>)]) -> Vec<f64> {
    let mut shares = vec![0.0; flows.len()];
    let mut open: Vec<usize> = (0..flows.len()).collect();
    let mut left = link;
    while !open.is_empty() {
        let weights: f64 = open.iter().map(|flow| f64::from(flows[*flow].0)).sum();
        let fair = |flow: usize| left * f64::from(flows[flow].0) / weights;
        let (full, rest): (Vec<usize>, Vec<usize>) =
            open.iter().partition(|flow| flows[**flow].1.is_some_and(|ceiling| ceiling <= fair(**flow)));
        if full.is_empty() {
            for flow in open {
                shares[flow] = fair(flow);
            }
            break;
        }
        for flow in full {
            shares[flow] = flows[flow].1.expect("it is full");
            left -= shares[flow];
        }
        open = rest;
    }
    shares
}

/// A queue of flows with these weights, and ceilings in kb/s.
fn with_ceilings(quantum: u32, flows: &[(u16, Option<u64>)]) -> Fq {
    let spec = FqSpec { limit: Limit::Packets(10_000), count_in_service: false, queues: 1024, quantum };
    let context = Context {
        weights: flows.iter().map(|(weight, _)| *weight).collect(),
        ceilings: flows.iter().map(|(_, kbps)| Rate::from_bps(1_000 * kbps.unwrap_or_default())).collect(),
        ..Context::testing(Rate::from_mbps(10))
    };
    build(&spec, &context)
}

/// When packets of flows that always have some are sent on a link of 10 Mb/s: time, flow and size. `size` is the size of the
/// next packet of a flow.
fn course(queue: &mut Fq, flows: u32, until: Time, mut size: impl FnMut(u32) -> u32) -> Vec<(Time, u32, u32)> {
    let (mut now, mut sent) = (Time::ZERO, Vec::new());
    for flow in 0..flows {
        (0..4).for_each(|_| drop(add(queue, flow, size(flow))));
    }
    while now < until {
        let Some(queued) = queue.dequeue(now, &mut Vec::new()) else {
            assert!(queue.ready_at() > now, "a packet may be sent");
            now = queue.ready_at();
            continue;
        };
        let (FlowId(flow), bytes) = (queued.packet.flow(), queued.packet.size());
        sent.push((now, flow, bytes));
        now += Rate::from_mbps(10).transmission_time(bytes);
        add(queue, flow, size(flow));
    }
    sent
}

/// Four flows with packets of 1250 bytes, 1 ms each, on a link of 10 Mb/s.
///
/// Validates: the rates with the weights 5, 3, 1 and 1, and one flow after the other with a ceiling.
/// Source: by hand. HTB's manual has the same rule: classes borrow in proportion to their rates, up to their ceilings.
/// Tolerance: a quantum and two packets of each flow in 20 s.
#[test]
fn what_flows_leave_at_their_ceilings_is_shared_by_weight() {
    let cases: [([Option<u64>; 4], [f64; 4]); 5] = [
        ([None, None, None, None], [5.0, 3.0, 1.0, 1.0]),
        ([Some(2_000), None, None, None], [2.0, 4.8, 1.6, 1.6]),
        ([Some(2_000), Some(4_000), None, None], [2.0, 4.0, 2.0, 2.0]),
        ([Some(2_000), Some(4_000), Some(1_000), None], [2.0, 4.0, 1.0, 3.0]),
        ([Some(2_000), Some(4_000), Some(1_000), Some(500)], [2.0, 4.0, 1.0, 0.5]),
    ];
    let weights = [5, 3, 1, 1];
    for (ceilings, expected) in cases {
        let flows: Vec<(u16, Option<u64>)> = weights.into_iter().zip(ceilings).collect();
        let sent = course(&mut with_ceilings(1514, &flows), 4, Time::from_millis(20_000), |_| 1250);
        for (flow, (mbps, weight)) in expected.into_iter().zip(weights).enumerate() {
            let bytes: u32 = sent.iter().filter(|(_, other, _)| *other == flow as u32).map(|(.., bytes)| bytes).sum();
            let apart = (f64::from(bytes) - mbps * 2.5e6).abs();
            println!("measured: {ceilings:?}, flow {flow}: {:.4} for {mbps} Mb/s", f64::from(bytes) / 2.5e6);
            assert!(
                apart <= f64::from(weight) * 1514.0 + 2.0 * 1250.0,
                "{ceilings:?}, flow {flow}: {apart} bytes apart"
            );
        }
    }
}

/// A flow with a ceiling of 1 Mb/s alone on a link of 10 Mb/s, and packets of 1250 bytes, which take 10 ms at the ceiling.
///
/// Validates: a packet every 10 ms; after a pause, a quantum and two packets at once; a packet that arrives meanwhile from
///   a flow without a ceiling is sent at once.
/// Source: ITU-T I.371, Annex A, virtual scheduling, by hand: 1250 bytes of quantum and a packet may be late.
/// Tolerance: exact.
#[test]
fn an_idle_link_waits_for_a_flow_at_its_ceiling() {
    let flows = [(1, Some(1_000)), (1, None)];
    let mut queue = with_ceilings(1250, &flows);
    let ms = Time::from_millis;
    let sent: Vec<Time> = course(&mut queue, 1, ms(100), |_| 1250).into_iter().map(|(at, ..)| at).collect();
    assert_eq!(sent, (0..10).map(|place| ms(10 * place)).collect::<Vec<_>>());
    assert_eq!(queue.dequeue(ms(99), &mut Vec::new()), None);
    assert_eq!(queue.ready_at(), ms(100));
    add(&mut queue, 1, 1250);
    assert_eq!(queue.dequeue(ms(99), &mut Vec::new()).map(|queued| queued.packet.flow()), Some(FlowId(1)));
    let mut burst = 0;
    while queue.dequeue(ms(500), &mut Vec::new()).is_some() {
        burst += 1;
    }
    assert_eq!((burst, queue.ready_at()), (3, ms(510)));
}

/// Validates: queues that wait for their ceilings lose packets at an overflow, and one that has lost all its packets waits
///   again when it gets the next one.
/// Source: McKenney 1990; the definition of the ceiling.
/// Tolerance: exact.
#[test]
fn a_queue_that_waits_for_its_ceiling_can_overflow() {
    let mut queue = with_ceilings(1514, &[(1, Some(100)), (1, None)]);
    queue.room.limit = Limit::Packets(3);
    for _ in 0..3 {
        add(&mut queue, 0, 1250);
    }
    assert_eq!(next(&mut queue), (0, 1250));
    assert_eq!(queue.dequeue(Time::ZERO, &mut Vec::new()), None);
    for flows in [[0, 1], [0, 1], [1, 0]] {
        let lost = flows.map(|flow| add(&mut queue, flow, 1250 + flow).len());
        assert!(lost.iter().sum::<usize>() <= 2);
    }
    while queue.dequeue(Time::ZERO, &mut Vec::new()).is_some() {}
    queue.pop(0);
    let kept = queue.waiting().0;
    while let Some(place) = queue.longest() {
        queue.pop(place);
    }
    assert_eq!((kept > 0, queue.waiting(), queue.active), (true, (0, 0), 0));
    add(&mut queue, 0, 1250);
    assert_eq!(queue.dequeue(Time::from_millis(99), &mut Vec::new()), None);
    assert_eq!(queue.held.len(), 1);
    assert!(queue.dequeue(Time::from_millis(100), &mut Vec::new()).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Flows that always have packets of random sizes, with random weights and ceilings.
    ///
    /// Validates: each flow has the rate of weighted max-min fairness with its ceiling, and in no interval more than its
    ///   ceiling allows, a quantum and two packets apart; the link rests only if all flows are at their ceilings.
    /// Source: water filling, an independent computation; ITU-T I.371.
    /// Tolerance: in 20 s (25 MB), per flow two of its quanta and four packets, and as much of the other flows by its
    ///   weight: a turn may be late or early by a round.
    #[test]
    fn rates_are_max_min_fair_with_ceilings(
        flows in prop::collection::vec((1_u16..8, prop::option::of(100_u64..8_000)), 1..7),
        quantum in 300_u32..4_000,
        sizes in prop::collection::vec(40_u32..1_501, 50..100),
    ) {
        let mut queue = with_ceilings(quantum, &flows);
        let mut number = 0;
        let size = |_| {
            number += 1;
            sizes[number % sizes.len()]
        };
        let sent = course(&mut queue, flows.len() as u32, Time::from_millis(20_000), size);
        let in_bits: Vec<(u16, Option<f64>)> =
            flows.iter().map(|(weight, kbps)| (*weight, kbps.map(|kbps| 1e3 * kbps as f64))).collect();
        let shares = max_min(1e7, &in_bits);
        let round: f64 = flows.iter().map(|(weight, _)| f64::from(*weight) * f64::from(quantum) + 1500.0).sum();
        for (flow, share) in shares.iter().enumerate() {
            let own: Vec<(Time, u32)> =
                sent.iter().filter(|(_, other, _)| *other == flow as u32).map(|(at, _, bytes)| (*at, *bytes)).collect();
            let bytes: f64 = own.iter().map(|(_, bytes)| f64::from(*bytes)).sum();
            let apart = (bytes - share * 20.0 / 8.0).abs();
            let tolerance = 2.0 * f64::from(flows[flow].0) * f64::from(quantum) + 6_000.0 + 2.0 * round;
            prop_assert!(apart <= tolerance, "flow {} of {:?}: {} of {} bytes", flow, flows, bytes, share * 2.5);
            if let Some(ceiling) = in_bits[flow].1 {
                let mut excess = 0.0_f64;
                let mut before = Time::ZERO;
                for (at, bytes) in own {
                    excess = (excess - ceiling / 8.0 * (at - before).as_secs_f64()).max(0.0) + f64::from(bytes);
                    before = at;
                    let allowed = f64::from(flows[flow].0) * f64::from(quantum) + 2.0 * 1500.0;
                    prop_assert!(excess <= allowed + 1.0, "{} bytes above {}", excess, allowed);
                }
            }
        }
    }
}
