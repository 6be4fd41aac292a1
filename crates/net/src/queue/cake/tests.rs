//! CAKE, packet by packet.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_tcp::{Ecn, Segment};
use ackclock_units::Rate;
use proptest::prelude::*;

use super::tin::{Flow, Host, Set};
use super::*;
use crate::packet::{FlowId, Packet};
use crate::queue::Hosts;

fn spec(isolation: Isolation) -> CakeSpec {
    CakeSpec { isolation, ..CakeSpec::USUAL }
}

/// A queue for flows with the given sources and destinations; by default a flow has its own hosts.
fn queue(spec: &CakeSpec, hosts: &[Hosts]) -> Cake {
    at(Rate::from_mbps(10), spec, hosts)
}

fn at(rate: Rate, spec: &CakeSpec, hosts: &[Hosts]) -> Cake {
    build(spec, &Context { hosts: hosts.into(), ..Context::testing(rate) })
}

/// Adds a packet; its number is its place in the order of all packets. Returns the packets that are dropped.
fn add(queue: &mut Cake, flow: u32, size: u32, number: u32, now: Time) -> Dropped {
    let segment = Segment { ecn: Ecn::NotEct, ..Segment::new(1, size) };
    let mut dropped = Vec::new();
    let queued = Queued { packet: Packet::data(FlowId(flow), 0, segment, now), since: now, hop: number, marked: false };
    queue.enqueue(queued, 0, &mut dropped).expect("it is stored");
    dropped
}

/// Flow and size of the next packet.
fn next(queue: &mut Cake, now: Time) -> (u32, u32) {
    let mut dropped = Vec::new();
    let queued = queue.dequeue(now, &mut dropped).expect("a packet waits");
    assert_eq!(dropped, []);
    (queued.packet.flow().0, queued.packet.size())
}

/// The flows of the next packets.
fn order(queue: &mut Cake, count: usize) -> Vec<u32> {
    (0..count).map(|_| next(queue, Time::ZERO).0).collect()
}

/// Flow 0 has packets of 1000 bytes, flow 1 of 500; the quantum is 1500. A turn ends when the deficit is at most 0.
///
/// Validates: flow 0 sends two packets and then owes 500 bytes; flow 1 sends three packets in each turn.
/// Source: Linux, `cake_dequeue`, by hand.
/// Tolerance: exact.
#[test]
fn a_queue_may_owe_a_part_of_a_packet() {
    let mut queue = queue(&CakeSpec { quantum: 1500, ..spec(Isolation::Flows) }, &[]);
    for number in 0..20 {
        add(&mut queue, number % 2, if number % 2 == 0 { 1000 } else { 500 }, number, Time::ZERO);
    }
    assert_eq!(order(&mut queue, 14), [0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1]);
}

/// Flows 0 and 1 have one source, flow 2 another one; packets and quantum have 1000 bytes.
///
/// Validates: in the first round each flow is sparse and has a quantum. Flow 0 is then the first bulk flow of its host and
///   gets a quantum, flow 1 the second one and gets half a quantum. From then on each has half a quantum.
/// Source: Linux, `cake_dequeue` and `cake_get_flow_quantum`, by hand.
/// Tolerance: exact.
#[test]
fn the_flows_of_a_host_share_its_quantum() {
    let spec = CakeSpec { quantum: 1000, ..spec(Isolation::DualSrchost) };
    let mut queue = queue(&spec, &[[7, 9], [7, 9], [8, 9]]);
    for number in 0..90 {
        add(&mut queue, number % 3, 1000, number, Time::ZERO);
    }
    assert_eq!(order(&mut queue, 14), [0, 1, 2, 0, 1, 2, 0, 2, 1, 2, 0, 2, 1, 2]);
    // flow 1 has no more packets: flow 0 has its host's share
    let mut queue = self::queue(&spec, &[[7, 9], [7, 9], [8, 9]]);
    for number in 0..90 {
        add(&mut queue, if number == 4 { 1 } else { 2 * (number % 2) }, 1000, number, Time::ZERO);
    }
    assert_eq!(order(&mut queue, 9), [0, 2, 1, 0, 2, 0, 2, 0, 2]);
}

/// The bytes that each flow has sent after a number of packets; the backlog of each flow is constant.
fn sent(queue: &mut Cake, flows: u32, packets: u32) -> Vec<i64> {
    for flow in 0..flows {
        (0..4).for_each(|_| drop(add(queue, flow, 1500, flow, Time::ZERO)));
    }
    let mut bytes = vec![0; flows as usize];
    for number in 0..packets {
        let (flow, size) = next(queue, Time::ZERO);
        bytes[flow as usize] += i64::from(size);
        add(queue, flow, 1500, number, Time::ZERO);
    }
    bytes
}

/// Eight flows of one host beside one flow of another one, always backlogged.
///
/// Validates: with `dual-srchost` hosts that send, with `dual-dsthost` hosts that receive, and with `triple-isolate` both
///   kinds have equal shares; otherwise, and with `flows`, flows have equal shares.
/// Source: Hoeiland-Joergensen et al. 2018: host isolation.
/// Tolerance: in each round of 1514 bytes per host, each flow may be ahead by a packet, plus the first round, in which
///   each flow is sparse: (9 flows) x (1514 + 1500) bytes, of 13.5 MB.
#[test]
fn a_host_with_eight_flows_has_the_share_of_a_host_with_one() {
    let sources: Vec<Hosts> = (0..9).map(|flow| [u32::from(flow == 8), 9]).collect();
    let destinations: Vec<Hosts> = (0..9).map(|flow| [9, u32::from(flow == 8)]).collect();
    let apart: Vec<Hosts> = (0..9).map(|flow| [u32::from(flow == 8), u32::from(flow == 8) + 2]).collect();
    for (isolation, hosts, is_fair) in [
        (Isolation::DualSrchost, &sources, true),
        (Isolation::DualDsthost, &sources, false),
        (Isolation::DualDsthost, &destinations, true),
        (Isolation::DualSrchost, &destinations, false),
        (Isolation::TripleIsolate, &apart, true),
        (Isolation::Flows, &apart, false),
    ] {
        let bytes = sent(&mut queue(&spec(isolation), hosts), 9, 9_000);
        let (eight, one) = (bytes[..8].iter().sum::<i64>(), bytes[8]);
        let owed = if is_fair { one - eight } else { 8 * one - eight };
        assert!(owed.abs() <= 9 * 3014 * if is_fair { 1 } else { 8 }, "{isolation:?}: {bytes:?}");
        let of_host = bytes[..8].iter().max().expect("eight") - bytes[..8].iter().min().expect("eight");
        assert!(of_host <= 3014 + 1500, "{isolation:?}: {bytes:?}");
    }
}

/// Source 0 sends to destinations 1, 2 and 3; source 4 sends to 3.
///
/// Validates: `triple-isolate` divides the quantum by the higher one of both loads: by 3 for source 0, and by 2 for the
///   flow of source 4, because destination 3 has two flows.
/// Source: Linux, `cake_get_flow_quantum`.
/// Tolerance: 4 x (1514 + 1500) bytes of 9 MB, as above.
#[test]
fn triple_isolation_counts_the_host_with_the_higher_load() {
    let hosts = [[0, 1], [0, 2], [0, 3], [4, 3]];
    let bytes = sent(&mut queue(&spec(Isolation::TripleIsolate), &hosts), 4, 6_000);
    for flow in 0..3 {
        assert!((2 * bytes[3] - 3 * bytes[flow]).abs() <= 3 * 4 * 3014, "{bytes:?}");
    }
}

/// Validates: ACKs have the receiver as their source.
/// Source: the definition.
/// Tolerance: exact.
#[test]
fn acks_come_from_the_receiver() {
    let mut queue = queue(&spec(Isolation::TripleIsolate), &[[3, 4]]);
    let data = Packet::data(FlowId(0), 0, Segment::new(1, 1500), Time::ZERO);
    let [data, acks] =
        [data, data.answer(1, Time::ZERO)].map(|packet| queue.tins[0].places_of_hosts(&queue.common, &packet));
    let tags = |places: [u32; 2]| [0, 1].map(|side| queue.tins[0].hosts[side][places[side] as usize].tag);
    assert_eq!((tags(data), tags(acks)), ([Some(3), Some(4)], [Some(4), Some(3)]));
}

/// Validates: a packet of a flow that had none is sent before all packets of a flow with a backlog; a flow that sends
///   again at once after its queue was empty waits for its turn.
/// Source: RFC 8290, section 4.2: an empty queue of the new list moves to the old list first.
/// Tolerance: exact.
#[test]
fn new_flows_come_first_but_only_once() {
    let mut queue = queue(&spec(Isolation::TripleIsolate), &[]);
    for number in 0..10 {
        add(&mut queue, 0, 1500, number, Time::ZERO);
    }
    assert_eq!(order(&mut queue, 2), [0, 0]);
    add(&mut queue, 1, 100, 10, Time::ZERO);
    assert_eq!(order(&mut queue, 2), [1, 0]);
    add(&mut queue, 1, 100, 11, Time::ZERO);
    assert_eq!(order(&mut queue, 3), [1, 0, 0]);
}

/// Validates: eight flows of a set have a queue each, the ninth shares one; an empty queue is free again when its COBALT
///   is at rest.
/// Source: Hoeiland-Joergensen et al. 2018: 8-way set-associative hashing; Linux, `cake_hash`.
/// Tolerance: exact.
#[test]
fn flows_share_a_queue_only_if_eight_are_in_use() {
    let mut queue = queue(&CakeSpec { queues: 8, ..spec(Isolation::TripleIsolate) }, &[]);
    let packet = |flow| Packet::data(FlowId(flow), 0, Segment::new(1, 1500), Time::ZERO);
    for flow in 0..8 {
        add(&mut queue, flow, 1500, flow, Time::ZERO);
    }
    let places =
        (0..8).map(|flow| queue.tins[0].assign(&queue.common, &packet(flow), Time::ZERO)).collect::<BTreeSet<_>>();
    assert_eq!(places.len(), 8);
    add(&mut queue, 8, 1500, 8, Time::ZERO);
    assert_eq!(queue.tins[0].flows.iter().map(|flow| flow.store.waiting().0).max(), Some(2));
    while queue.dequeue(Time::ZERO, &mut Vec::new()).is_some() {}
    assert_eq!(queue.tins[0].lists.counts(), (0, 0));
    assert!(queue.tins[0].hosts.iter().flatten().all(|host| host.load == 0));
    // BLUE remembers an overflow for sixteen targets after its last change, and CoDel's count one for an interval
    let first = queue.common.hash.place(queue.common.hash.flow(&packet(20)));
    let overflow = Time::SECOND;
    queue.tins[0].flows[first as usize].cobalt.overflow(&queue.tins[0].control, overflow);
    assert_ne!(queue.tins[0].assign(&queue.common, &packet(20), overflow + Time::from_millis(79)), first);
    let first = queue.common.hash.place(queue.common.hash.flow(&packet(21)));
    queue.tins[0].flows[first as usize].cobalt.overflow(&queue.tins[0].control, overflow);
    assert_eq!(queue.tins[0].assign(&queue.common, &packet(21), overflow + Time::from_millis(80)), first);
}

/// 512 flows in 1024 queues.
///
/// Validates: the number of flows with their own queue.
/// Source: a set of eight queues has `k` flows with the binomial probability of 512 and 1/128; those above eight share:
///   4.2 of 512 on average, with a standard deviation of 2.9. (Without sets only 403 queues would be in use.)
/// Tolerance: four standard deviations.
#[test]
fn few_of_many_flows_share_a_queue() {
    let mut queue = queue(&spec(Isolation::Flows), &[]);
    for flow in 0..512 {
        add(&mut queue, flow, 1500, flow, Time::ZERO);
    }
    let busy = queue.tins[0].flows.iter().filter(|flow| !flow.store.is_empty()).count();
    assert!((busy as f64 - 507.8).abs() <= 4.0 * 2.9, "{busy}");
}

/// Validates: an arrival above the limit removes the packet at the head of the longest queue, and raises its probability
///   by 1/256 once per target.
/// Source: Linux, `cake_drop`.
/// Tolerance: exact.
#[test]
fn the_longest_queue_loses_packets() {
    let mut queue = queue(&CakeSpec { limit: Limit::Packets(100), ..spec(Isolation::Flows) }, &[]);
    for number in 0..100 {
        assert_eq!(add(&mut queue, u32::from(number >= 60), 1000, number, Time::ZERO), []);
    }
    let p_drop = |queue: &Cake| {
        let mut seen = 0.0;
        queue.gauges(&mut |name, value| seen = if name == "p_drop" { value } else { seen });
        seen
    };
    for number in 0..20 {
        let dropped = add(&mut queue, 1, 1000, 100 + number, Time::from_millis(number.into()));
        let dropped: Vec<_> = dropped.iter().map(|(queued, reason)| (queued.hop, *reason)).collect();
        // both have fifty packets after the tenth
        let head = if number < 10 { number } else { 60 + number - 10 };
        assert_eq!(dropped, [(head, DropReason::Full)]);
        let changes = if number < 10 { number / 5 + 1 } else { 2 };
        assert_eq!(p_drop(&queue).to_bits(), (f64::from(changes) / 256.0).to_bits(), "{number}");
    }
    let mut bytes = self::queue(&CakeSpec { limit: Limit::Bytes(30_000), ..spec(Isolation::Flows) }, &[]);
    let lost = (0..60).find(|number| !add(&mut bytes, 0, 1500, *number, Time::ZERO).is_empty());
    assert_eq!(lost, Some(20));
}

/// Validates: at 1 Mb/s, where 1514 bytes take 12.112 ms, the target is 18.168 ms, packets may wait for 48.448 ms, and the
///   interval is 113.168 ms; at 10 Mb/s, and without an MTU, they are those of the parameters.
/// Source: Linux, `cake_set_rate` and `cobalt_should_drop`, by hand.
/// Tolerance: exact.
#[test]
fn targets_are_longer_on_slow_links() {
    let control = |mbps, mtu| {
        let control = at(Rate::from_mbps(mbps), &CakeSpec { mtu, ..spec(Isolation::Flows) }, &[]).tins[0].control;
        [control.period, control.late, control.interval].map(|time| time.as_picos() / 1_000_000)
    };
    assert_eq!(control(1, 1514), [18_168, 48_448, 113_168]);
    assert_eq!(control(10, 1514), [5_000, 5_000, 100_000]);
    assert_eq!(control(1, 0), [5_000, 5_000, 100_000]);
}

/// Validates: the gauges count the queues in each list, those with packets, and those in the dropping state.
/// Source: by hand, from `cake_dequeue`.
/// Tolerance: exact.
#[test]
fn gauges_count_the_queues_in_each_list() {
    let mut queue = queue(&spec(Isolation::TripleIsolate), &[]);
    let gauges = |queue: &Cake| {
        let mut seen = Vec::new();
        queue.gauges(&mut |name, value| seen.push((name, value)));
        assert_eq!(seen.last(), Some(&("p_drop", 0.0)));
        [0, 1, 2, 3].map(|place| seen[place].1)
    };
    for (flow, packets) in [(0, 1), (1, 3), (2, 40)] {
        (0..packets).for_each(|number| drop(add(&mut queue, flow, 1500, number, Time::ZERO)));
    }
    assert_eq!(gauges(&queue), [3.0, 0.0, 3.0, 0.0]);
    assert_eq!(order(&mut queue, 2), [0, 1]);
    assert_eq!(gauges(&queue), [2.0, 0.0, 2.0, 0.0], "flow 0 left, because no queue is old");
    assert_eq!(order(&mut queue, 3), [1, 2, 2]);
    assert_eq!(gauges(&queue), [1.0, 1.0, 2.0, 0.0]);
    let mut dropped = Vec::new();
    for millis in [10, 20, 130] {
        queue.dequeue(Time::from_millis(millis), &mut dropped);
    }
    assert_eq!((gauges(&queue)[3], dropped.len()), (1.0, 1));
}

/// Twenty thousand flows send a packet each.
///
/// Validates: the number of flows does not change the memory above the limit.
/// Source: the definition of the limit.
/// Tolerance: exact for packets; 8 packets per queue in bytes.
#[test]
fn many_flows_take_little_memory() {
    let mut queue = queue(&CakeSpec { limit: Limit::Packets(2_000), ..spec(Isolation::TripleIsolate) }, &[]);
    for number in 0..20_000 {
        add(&mut queue, number, 1500, number, Time::ZERO);
        assert!(queue.waiting().0 <= 2_000);
    }
    let most = 1024 * (size_of::<Flow>() + 2 * size_of::<Host>() + 8 * size_of::<Queued>());
    assert!(queue.memory() < most, "{}", queue.memory());
}

/// The longest queue, looked up in both lists; of several, the one that is served first.
fn search(queue: &Cake) -> Option<u32> {
    let bytes = |place: &u32| queue.tins[0].flows[*place as usize].store.bytes();
    let listed: Vec<u32> = queue.tins[0].lists.iter().filter(|place| bytes(place) > 0).collect();
    listed.into_iter().rev().max_by_key(bytes)
}

proptest! {
    /// Flows that are always backlogged, with packets of random sizes, of one or of several hosts.
    ///
    /// Validates: in any interval, the bytes that two flows of a host, or two flows that are alone, send differ by at most
    ///   the quantum and two packets of the maximum size; the bytes of two hosts by a quantum and two packets per flow.
    /// Source: a turn ends with a deficit between minus a packet and 0, so after k turns a flow has sent k shares and at
    ///   most a packet more or less (Shreedhar and Varghese 1996, lemma 2, with debts).
    /// Tolerance: exact.
    #[test]
    fn backlogged_flows_and_hosts_get_the_same_service(
        sizes in prop::collection::vec(1_u32..1501, 200..600),
        quantum in 256_u32..5_000,
        of_first in 1_u32..5,
        of_second in 0_u32..5,
    ) {
        let count = of_first + of_second;
        let hosts: Vec<Hosts> = (0..count).map(|flow| [u32::from(flow >= of_first), 9]).collect();
        let mut queue = queue(&CakeSpec { quantum, ..spec(Isolation::DualSrchost) }, &hosts);
        for flow in 0..count {
            (0..4).for_each(|_| drop(add(&mut queue, flow, 1500, 0, Time::ZERO)));
        }
        let mut sent = vec![vec![0_i64]; count as usize];
        for size in sizes {
            let (flow, left) = next(&mut queue, Time::ZERO);
            // the flow's queue always has four packets
            add(&mut queue, flow, size, 0, Time::ZERO);
            if queue.tins[0].lists.counts().0 > 0 {
                continue;
            }
            for (other, sent) in (0..).zip(&mut sent) {
                let last = *sent.last().expect("it begins with 0");
                sent.push(last + if other == flow { i64::from(left) } else { 0 });
            }
        }
        let spread = |a: &[i64], b: &[i64]| {
            let apart = || a.iter().zip(b).map(|(a, b)| a - b);
            apart().max().unwrap_or_default() - apart().min().unwrap_or_default()
        };
        let (first, second) = sent.split_at(of_first as usize);
        for flows in [first, second] {
            for (a, b) in (0..flows.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                prop_assert!(spread(&flows[a], &flows[b]) <= i64::from(quantum) + 2 * 1500);
            }
        }
        let sum = |flows: &[Vec<i64>]| -> Vec<i64> {
            (0..sent[0].len()).map(|step| flows.iter().map(|sent| sent[step]).sum()).collect()
        };
        if of_second > 0 {
            let spread = spread(&sum(first), &sum(second));
            prop_assert!(spread <= i64::from(quantum) + 2 * 1500 * i64::from(count), "{}", spread);
        }
    }

    /// Packets of several flows arrive and leave at random.
    ///
    /// Validates: the packets of a flow that has its own queue leave in order; each packet is sent, dropped or waiting; the
    ///   limits hold; the loads of hosts are the numbers of their bulk flows; the longest queue is found.
    /// Source: Linux, `cake_enqueue` and `cake_dequeue`.
    /// Tolerance: exact.
    #[test]
    fn packets_of_a_flow_leave_in_order(
        steps in prop::collection::vec((prop::option::of(0_u32..20), 1_u32..1501, 0_u64..2_000), 1..400),
        limit in 1_u64..40,
        few in any::<bool>(),
    ) {
        let limit = Limit::Packets(limit);
        let spec = CakeSpec { limit, queues: if few { 8 } else { 1024 }, quantum: 300, ..spec(Isolation::TripleIsolate) };
        let hosts: Vec<Hosts> = (0..20).map(|flow| [flow / 7, 9 + flow % 7]).collect();
        let (mut queue, mut now, mut dropped) = (queue(&spec, &hosts), Time::ZERO, Vec::new());
        queue.tins[0].control.interval = Time::from_millis(9);
        let mut waits = BTreeMap::<u32, Vec<u32>>::new();
        let remove = |waits: &mut BTreeMap<u32, Vec<u32>>, queued: &Queued| {
            let flow = waits.entry(queued.packet.flow().0).or_default();
            let place = flow.iter().position(|number| *number == queued.hop);
            place.is_some_and(|place| { flow.remove(place); place == 0 || few })
        };
        for (number, (flow, size, micros)) in (0..).zip(steps) {
            now += Time::from_micros(micros);
            if let Some(flow) = flow {
                waits.entry(flow).or_default().push(number);
                dropped = add(&mut queue, flow, size, number, now);
                prop_assert!(limit.admits(queue.waiting().0 - 1, 0, 0));
            } else {
                let before = queue.waiting().0;
                let sent = queue.dequeue(now, &mut dropped);
                // COBALT drops first
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
                prop_assert_eq!(queue.tins[0].longest(), expected);
            }
            for side in 0..2 {
                let mut loads = vec![0; queue.tins[0].hosts[side].len()];
                let bulk = queue.tins[0].flows.iter().filter(|flow| flow.set == Set::Bulk);
                bulk.for_each(|flow| loads[flow.hosts[side] as usize] += 1);
                prop_assert!(queue.tins[0].hosts[side].iter().map(|host| host.load).eq(loads));
            }
        }
    }
}
