//! FQ-CoDel, packet by packet.

use std::collections::BTreeMap;

use ackclock_tcp::Segment;
use ackclock_units::Rate;
use proptest::prelude::*;

use super::*;
use crate::packet::{FlowId, Packet};

fn spec() -> FqCodelSpec {
    FqCodelSpec {
        limit: Limit::Packets(10_240),
        count_in_service: false,
        target: Time::from_millis(5),
        interval: Time::from_millis(100),
        mtu: 1500,
        ecn: true,
        ce_threshold: None,
        queues: 1024,
        quantum: 1514,
        memory: 32 << 20,
    }
}

fn queue(spec: &FqCodelSpec) -> FqCodel {
    build(spec, &Context::testing(Rate::from_mbps(10)))
}

/// Adds a packet; its number is its place in the order of all packets. Returns the packets that are dropped.
fn add(queue: &mut FqCodel, flow: u32, size: u32, number: u32, now: Time) -> Dropped {
    let packet = Packet::data(FlowId(flow), 0, Segment::new(1, size), now);
    let mut dropped = Vec::new();
    let queued = Queued { packet, since: now, hop: number, marked: false };
    queue.enqueue(queued, 0, &mut dropped).expect("it is stored");
    dropped
}

/// Flow and number of the next packets.
fn next(queue: &mut FqCodel, now: Time, count: usize) -> Vec<(u32, u32)> {
    let mut dropped = Vec::new();
    let sent = (0..count).map_while(|_| queue.dequeue(now, &mut dropped));
    let sent = sent.map(|queued| (queued.packet.flow().0, queued.hop)).collect();
    assert_eq!(dropped, []);
    sent
}

/// Validates: two backlogged flows with packets of 1500 and 500 bytes send equal numbers of bytes, three packets for one.
/// Source: RFC 8290, section 4.2; deficit round robin (Shreedhar and Varghese 1996).
/// Tolerance: one packet of 100.
#[test]
fn flows_share_by_bytes() {
    let mut queue = queue(&spec());
    for number in 0..400 {
        add(&mut queue, number % 2, if number % 2 == 0 { 1500 } else { 500 }, number, Time::ZERO);
    }
    let sent = next(&mut queue, Time::ZERO, 200);
    let small = sent.iter().filter(|(flow, _)| *flow == 1).count();
    assert!((149..=151).contains(&small), "{small}");
}

/// Validates: the gauges count the queues in each list, those with packets, and those in CoDel's dropping state.
/// Source: by hand, from RFC 8290, section 4.2.
/// Tolerance: exact.
#[test]
fn gauges_count_the_queues_in_each_list() {
    let mut queue = queue(&spec());
    let gauges = |queue: &FqCodel| {
        let mut seen = [0.0; 4];
        queue.gauges(&mut |name, value| {
            let place =
                ["new_queues", "old_queues", "active_queues", "dropping"].iter().position(|known| *known == name);
            seen[place.expect("a known gauge")] = value;
        });
        seen
    };
    for (flow, packets) in [(0, 1), (1, 3), (2, 40)] {
        for number in 0..packets {
            add(&mut queue, flow, 1500, number, Time::ZERO);
        }
    }
    assert_eq!(gauges(&queue), [3.0, 0.0, 3.0, 0.0]);
    // flow 0 is empty and leaves: the list of old queues is empty too
    assert_eq!(next(&mut queue, Time::ZERO, 2), [(0, 0), (1, 0)]);
    assert_eq!(gauges(&queue), [2.0, 0.0, 2.0, 0.0]);
    // a quantum is 14 bytes more than a packet, so each queue sends two packets in its first turn
    assert_eq!(next(&mut queue, Time::ZERO, 3), [(1, 1), (2, 0), (2, 1)]);
    assert_eq!(gauges(&queue), [1.0, 1.0, 2.0, 0.0]);
    assert_eq!(next(&mut queue, Time::ZERO, 1), [(1, 2)]);
    assert_eq!(gauges(&queue), [0.0, 2.0, 1.0, 0.0], "flow 1 is empty, and still listed");
    let mut dropped = Vec::new();
    for millis in [10, 120] {
        queue.dequeue(Time::from_millis(millis), &mut dropped);
    }
    assert_eq!((gauges(&queue), dropped.len()), ([0.0, 1.0, 1.0, 1.0], 1));
}

/// Validates: a packet of a flow that had none is sent before all packets of a flow with a backlog; a flow that sends
///   again at once after its queue was empty waits for its turn.
/// Source: RFC 8290, section 4.2: an empty queue of the new list moves to the old list first.
/// Tolerance: exact.
#[test]
fn new_flows_come_first_but_only_once() {
    let mut queue = queue(&spec());
    for number in 0..10 {
        add(&mut queue, 0, 1500, number, Time::ZERO);
    }
    // a quantum of 1514 bytes and a packet that begins within it
    assert_eq!(next(&mut queue, Time::ZERO, 2), [(0, 0), (0, 1)]);
    add(&mut queue, 1, 100, 10, Time::ZERO);
    assert_eq!(next(&mut queue, Time::ZERO, 2), [(1, 10), (0, 2)]);
    // the queue of flow 1 is in the old list, behind flow 0
    add(&mut queue, 1, 100, 11, Time::ZERO);
    assert_eq!(next(&mut queue, Time::ZERO, 2), [(1, 11), (0, 3)]);
    assert_eq!(next(&mut queue, Time::ZERO, 6).len(), 6);
    assert_eq!(queue.waiting(), (0, 0));
    // an idle link forgets its queues: both are new
    add(&mut queue, 1, 1500, 12, Time::SECOND);
    add(&mut queue, 0, 1500, 13, Time::SECOND);
    assert_eq!(queue.lists.counts(), (2, 0));
}

/// Two queues with 60 and 40 packets fill a queue with a limit of 100; one more packet comes.
///
/// Validates: the queue with the most bytes loses half of its bytes at its head, at most 64 packets; the arriving packet
///   is stored.
/// Source: RFC 8290, section 4.1.
/// Tolerance: exact.
#[test]
fn the_fattest_queue_loses_half_of_its_bytes() {
    for (limit, first, expected) in [(100, 60, 0..30), (300, 260, 0..64)] {
        let mut queue = queue(&FqCodelSpec { limit: Limit::Packets(limit), ..spec() });
        for number in 0..limit as u32 {
            assert_eq!(add(&mut queue, u32::from(number >= first), 1000, number, Time::ZERO), []);
        }
        let dropped = add(&mut queue, 1, 1000, 1_000, Time::ZERO);
        assert!(
            dropped.iter().all(|(queued, reason)| queued.packet.flow() == FlowId(0) && *reason == DropReason::Full)
        );
        assert!(dropped.iter().map(|(queued, _)| queued.hop).eq(expected.clone()), "{}", dropped.len());
        assert_eq!(queue.waiting().0, limit + 1 - expected.len() as u64);
    }
    // packets of 100 bytes fill the memory later than the limit, of 1500 bytes earlier
    for (size, most) in [(100, 50), (1500, 20)] {
        let mut queue = queue(&FqCodelSpec { limit: Limit::Packets(50), memory: 30_000, ..spec() });
        let lost = (0..60).find(|number| !add(&mut queue, 0, size, *number, Time::ZERO).is_empty());
        assert_eq!(lost, Some(most));
    }
}

/// Validates: with one queue and no target, packets of all flows leave in the order of arrival.
/// Source: the definition.
/// Tolerance: exact.
#[test]
fn flows_with_the_same_hash_share_a_queue() {
    let mut queue = queue(&FqCodelSpec { queues: 1, ..spec() });
    for number in 0..20 {
        add(&mut queue, number % 3, 200 + 100 * (number % 5), number, Time::ZERO);
    }
    assert!(next(&mut queue, Time::ZERO, 30).iter().map(|(_, number)| *number).eq(0..20));
}

/// A million flows send a packet each.
///
/// Validates: the number of flows does not change the memory above the limit.
/// Source: the definition of the limit.
/// Tolerance: exact for packets; 40 packets per queue in bytes.
#[test]
fn a_million_flows_take_little_memory() {
    let mut queue = queue(&spec());
    for number in 0..1_000_000 {
        add(&mut queue, number, 1500, number, Time::ZERO);
        assert!(queue.waiting().0 <= 10_240);
    }
    assert!(queue.memory() < 1024 * (size_of::<Flow>() + 40 * size_of::<Queued>()), "{}", queue.memory());
}

/// The longest queue, looked up in both lists; of several, the one that is served first.
fn search(queue: &FqCodel) -> Option<u32> {
    let bytes = |place: &u32| queue.flows[*place as usize].store.bytes();
    let listed: Vec<u32> = queue.lists.iter().filter(|place| bytes(place) > 0).collect();
    listed.into_iter().rev().max_by_key(bytes)
}

proptest! {
    /// Packets of several flows arrive and leave at random.
    ///
    /// Validates: the packets of a flow leave in order; each packet is sent, dropped or waiting; the limits hold; the longest
    ///   queue is found.
    /// Source: RFC 8290, section 4.
    /// Tolerance: exact.
    #[test]
    fn packets_of_a_flow_leave_in_order(
        steps in prop::collection::vec((prop::option::of(0_u32..5), 1_u32..1501, 0_u64..2_000), 1..400),
        limit in 1_u64..40,
        queues in 1_u32..8,
        memory in 10_000_u64..60_000,
    ) {
        let spec = FqCodelSpec { limit: Limit::Packets(limit), queues, memory, quantum: 300, interval: Time::from_millis(9), ..spec() };
        let (mut queue, mut now, mut dropped) = (queue(&spec), Time::ZERO, Vec::new());
        let mut waits = BTreeMap::<u32, Vec<u32>>::new();
        let remove = |waits: &mut BTreeMap<u32, Vec<u32>>, queued: &Queued| {
            let flow = waits.entry(queued.packet.flow().0).or_default();
            !flow.is_empty() && flow.remove(0) == queued.hop
        };
        for (number, (flow, size, micros)) in (0..).zip(steps) {
            now += Time::from_micros(micros);
            if let Some(flow) = flow {
                waits.entry(flow).or_default().push(number);
                dropped = add(&mut queue, flow, size, number, now);
                prop_assert!(queue.waiting().0 <= limit && queue.waiting().1 <= memory);
            } else {
                let before = queue.waiting().0;
                let sent = queue.dequeue(now, &mut dropped);
                // CoDel drops first
                for (queued, _) in dropped.drain(..) {
                    prop_assert!(remove(&mut waits, &queued));
                }
                prop_assert!(sent.is_some() || before == 0, "the last packet of a queue is never dropped");
                prop_assert!(sent.is_none_or(|sent| remove(&mut waits, &sent)));
            }
            for (queued, _) in dropped.drain(..) {
                prop_assert!(remove(&mut waits, &queued));
            }
            prop_assert_eq!(queue.waiting().0, waits.values().map(Vec::len).sum::<usize>() as u64);
            if micros % 2 == 0 {
                let expected = search(&queue);
                prop_assert_eq!(queue.longest(), expected);
            }
        }
    }
}
