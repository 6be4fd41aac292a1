//! Properties of the whole network, over random graphs, queues, losses, transports and sources: conservation of
//! packets, determinism, and the capacity of links.

mod ahead;
mod graphs;
#[path = "../../../tcp/tests/contract/kinds.rs"]
mod kinds;
mod ledger;
mod media;
mod relaying;
mod schedules;
mod stored;
mod summaries;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ackclock_net::link::Offered;
use ackclock_net::link::extra_delay::{DelayTraceSpec, JitterSpec, ReorderSpec};
use ackclock_net::link::loss::{LossPlace, LossSpec};
use ackclock_net::plan::testing::dumbbell_of_reno;
use ackclock_net::plan::{GroupSpec, LinkSpec, MeasureSpec, RecordSpec, SourceSpec, Topology, TransportSpec};
use ackclock_net::queue::{DropFrom, DropReason, DropTailSpec, Limit, QueueSpec, Ties};
use ackclock_net::source::Distribution;
use ackclock_net::{FlowId, LinkId, Observation, Observer, Outcome, Payload, Plan, Simulator, run};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Ecn, HEADER};
use ackclock_units::Time;
use proptest::prelude::*;

use graphs::{check_transmission, conforming, distances, edges, flows, is_down, legs, plans, reaches_queue};
use kinds::cases;
use ledger::{Leave, Ledger, Offer, name, segment};

/// Size of each flow's transfer in packets.
fn targets(plan: &Plan) -> Vec<u64> {
    let packets = |group: &&GroupSpec| match group.source {
        SourceSpec::Greedy { packets: Some(packets) } => packets,
        _ => unreachable!("transfers only"),
    };
    flows(plan).iter().map(packets).collect()
}

/// Number of packets of each flow delivered in order.
struct InOrder(Vec<u64>);

impl Observer for InOrder {
    fn observe(&mut self, _: Time, seen: &Observation<'_>) {
        if let Observation::Delivered { packet, in_order, .. } = seen {
            self.0[packet.flow().0 as usize] += in_order;
        }
    }
}

/// Number of packets of each flow delivered in order by the end, or by the time `enough` returns true.
fn delivered(plan: &Plan, seed: u64, enough: impl Fn(&[u64]) -> bool) -> Vec<u64> {
    let mut simulator = Simulator::new(plan, seed).expect("the plan is sound");
    let mut in_order = InOrder(vec![0; flows(plan).len()]);
    // run in steps, because a sender whose timer never stops, as in ns-2, has events forever
    let mut end = Time::SECOND;
    while end < plan.duration && !enough(&in_order.0) {
        simulator.run_until(end, &mut in_order);
        end = end.saturating_mul(2);
    }
    in_order.0
}

/// The extra delay at a time, found by walking through the steps. (The engine searches.)
fn extra(trace: &DelayTraceSpec, at: Time) -> Time {
    let mut within = at;
    while let Some(period) = trace.period.filter(|period| within >= *period) {
        within = within - period;
    }
    let steps = trace.times.iter().zip(&trace.extra).take_while(|(time, _)| **time <= within);
    steps.last().map(|(_, extra)| *extra).expect("steps begin at 0")
}

proptest! {
    #![proptest_config(cases(200))]

    /// Packets that arrive at a node leave it immediately, on a link of a shortest path of a leg, or reach their endpoint; every
    /// packet sent was delivered, dropped, or is in flight; a packet changes only by a mark; the summary counts the same
    /// packets.
    ///
    /// Validates: conservation of packets at every node and link, and end to end.
    /// Source: conservation of packets (Jacobson 1988); RFC 9293, section 3.4 (each segment is delivered once, in
    ///   order).
    /// Tolerance: exact.
    #[test]
    fn packets_are_conserved(plan in plans(false), seed in any::<u64>()) {
        let (ledger, mut simulator) = Ledger::of(&plan, seed, &[]);
        let (edges, flows, hops) = (edges(&plan), flows(&plan), distances(&plan));
        // arrivals at nodes and departures from nodes: time, node, name of the packet and ECN field
        let (mut came, mut left) = (Vec::new(), Vec::new());
        // packets sent, dropped, in flight, delivered; data and ACKs separately
        let mut counts = BTreeMap::<(u32, bool), [u64; 4]>::new();
        // probes of closed windows, by flow
        let mut probes = BTreeMap::<u32, u64>::new();
        for Offer { link, at, packet, offered } in &ledger.offers {
            let edge = &edges[*link as usize];
            let name = name(packet);
            let (a, b) = flows[name.0 as usize].path.expect("a graph's groups have paths");
            let from = if name.1 { b } else { a };
            let apart = |from: u32, to: u32| hops[from as usize][to as usize];
            let is_on_leg = |(a, b): (u32, u32)| {
                let (from, to) = if name.1 { (b, a) } else { (a, b) };
                apart(from, edge.from) + 1 + apart(edge.to, to) == apart(from, to)
            };
            let legs = legs(flows[name.0 as usize]);
            prop_assert!(legs.into_iter().any(is_on_leg), "not on a shortest path");
            let counts = counts.entry((name.0, name.1)).or_default();
            if packet.sent == *at {
                prop_assert_eq!(edge.from, from, "sent from a node other than its endpoint's");
                counts[0] += 1;
                let is_data = matches!(packet.payload(), Payload::Data { .. });
                *probes.entry(name.0).or_default() += u64::from(is_data && packet.size() == HEADER);
            } else {
                left.push((*at, edge.from, name, packet.ecn() as u8));
            }
            match offered {
                Offered::Accepted { lost: true, .. } | Offered::Dropped(_) => counts[1] += 1,
                Offered::Accepted { arrival, .. } if *arrival >= plan.duration => counts[2] += 1,
                Offered::Accepted { arrival, marked, .. } => {
                    let ecn = if *marked { Ecn::Ce } else { packet.ecn() };
                    came.push((*arrival, edge.to, name, ecn as u8));
                }
                Offered::Queued => counts[2] += 1,
            }
        }
        for Leave { link, packet, fate, .. } in &ledger.left {
            let name = name(packet);
            let counts = counts.entry((name.0, name.1)).or_default();
            match fate {
                Offered::Accepted { lost: true, .. } | Offered::Dropped(_) => counts[1] += 1,
                Offered::Accepted { arrival, .. } if *arrival >= plan.duration => continue,
                Offered::Accepted { arrival, marked, .. } => {
                    let ecn = if *marked { Ecn::Ce } else { packet.ecn() };
                    came.push((*arrival, edges[*link as usize].to, name, ecn as u8));
                }
                Offered::Queued => unreachable!("it has left"),
            }
            counts[2] -= 1;
        }
        let mut received = BTreeMap::<(u32, u64), BTreeSet<u64>>::new();
        for (at, packet, in_order) in &ledger.delivered {
            let (flow, _, number) = name(packet);
            let group = flows[flow as usize];
            left.push((*at, group.path.expect("as above").1, (flow, false, number), packet.ecn() as u8));
            counts.entry((flow, false)).or_default()[3] += 1;
            // the expected `in_order`, computed from the set of received segments
            let TransportSpec::Tcp { sender, .. } = &group.transport else {
                prop_assert_eq!(*in_order, 1);
                continue;
            };
            let (connection, number) = segment(number);
            let received = received.entry((flow, connection)).or_default();
            let first_missing = |received: &BTreeSet<u64>| (0..=received.len() as u64).find(|n| !received.contains(n));
            let before = first_missing(received);
            received.insert(number);
            let syn = u64::from(sender.handshake && before == Some(0) && number == 0);
            prop_assert_eq!(first_missing(received).zip(before).map(|(now, before)| now - before - syn), Some(*in_order));
        }
        for (at, flow, next) in &ledger.acked {
            left.push((*at, flows[*flow as usize].path.expect("as above").0, (*flow, true, *next), 0));
            counts.entry((*flow, true)).or_default()[3] += 1;
        }
        came.sort_unstable();
        left.sort_unstable();
        prop_assert_eq!(came, left);
        for ((flow, is_ack), [sent, dropped, under_way, delivered]) in &counts {
            prop_assert_eq!(*sent, dropped + under_way + delivered);
            let data = counts[&(*flow, false)];
            let transport = &flows[*flow as usize].transport;
            // a read may send an ACK too
            let reads = matches!(transport, TransportSpec::Tcp { receiver, .. } if receiver.read_rate.is_some());
            let most = data[3] * if reads { 2 } else { 1 };
            prop_assert!(!is_ack || *sent <= most, "at most one ACK for each packet delivered and each read");
            if simulator.sender(FlowId(*flow)).is_some() {
                let probes = probes.get(flow).copied().unwrap_or_default();
                prop_assert_eq!(data[0] - probes, simulator.counters(FlowId(*flow)).sent);
            }
        }
        let summary = run(&plan, seed).expect("it ran before").summary;
        let waiting = simulator.link(LinkId(plan.measure.link)).backlog(plan.duration).0;
        let measured = ledger.offers.iter().filter(|offer| offer.link == plan.measure.link);
        prop_assert_eq!(summary.arrivals, measured.count() as u64);
        // a transmission that begins exactly at the end is not counted as a departure, and its packet does not wait
        let at_end = |offer: &&Offer| {
            offer.link == plan.measure.link
                && matches!(offer.offered, Offered::Accepted { start, .. } if start == plan.duration)
        };
        let begins = ledger.offers.iter().filter(at_end).count() as u64;
        let others = summary.arrivals - (summary.departures + summary.drops + waiting + begins);
        let link = &edges[plan.measure.link as usize].link;
        let later = |leave: &&Leave| {
            leave.link == plan.measure.link
                && matches!(leave.fate, Offered::Accepted { start, .. } if start >= plan.duration)
        };
        let in_transmission = if link.medium.is_some() { ledger.left.iter().filter(later).count() as u64 } else { 0 };
        let is_nowhere = others - in_transmission;
        let waits_for_tokens = link.shaper.is_some() && is_nowhere == 1;
        prop_assert!(is_nowhere == 0 || waits_for_tokens, "only a packet that waits for tokens is nowhere");
    }

    /// Compares the events of each link with a FIFO queue computed from the packets that the link accepted.
    ///
    /// Validates: clocks do not go back; a link sends one packet at a time, in order, at its (varying) rate; a queue
    ///   drops every packet that does not fit, and a drop-tail queue drops no other; a link with a list of losses loses
    ///   exactly the listed packets, and a link without losses loses none; a drop-tail queue with a mark threshold
    ///   marks exactly the ECN-capable packets that it accepts above the threshold, and other queues mark only if ECN is
    ///   on; a link delivers packets after its delay and at most its jitter and the time for which it holds packets
    ///   back, each at a time of its own, and in order unless it may reorder them.
    /// Source: FIFO service; Floyd and Jacobson 1993 for drops before the queue is full (RED); RFC 8257, section 3.1.
    /// Tolerance: exact.
    #[test]
    fn a_link_is_a_queue_with_a_rate(plan in plans(false), seed in any::<u64>()) {
        let (ledger, _) = Ledger::of(&plan, seed, &[]);
        // for links that share a medium, see `media.rs`
        for (id, edge) in (0_u32..).zip(edges(&plan)).filter(|(_, edge)| edge.link.medium.is_none()) {
            let (mut free, mut last, mut accepted) = (Time::ZERO, Time::ZERO, Vec::new());
            // the latest arrival so far, and all arrivals
            let (mut before, mut arrivals) = (Time::ZERO, BTreeSet::new());
            let mut seen = BTreeMap::<u32, (u64, u64)>::new();
            let (mut policed, mut shaped) = (Vec::new(), Vec::new());
            for Offer { at, packet, offered, .. } in ledger.offers.iter().filter(|offer| offer.link == id) {
                prop_assert!(last <= *at && packet.sent <= *at, "time goes back");
                last = *at;
                let place = edge.link.loss_place;
                let is_lost = match offered {
                    Offered::Dropped(DropReason::Lost) => true,
                    Offered::Accepted { lost, .. } => *lost,
                    Offered::Dropped(_) | Offered::Queued if place == LossPlace::After => {
                        reaches_queue(&edge.link, &mut policed, (packet.size(), *at, *offered))?;
                        continue; // it does not reach the place of the losses, or is checked in `stored.rs`
                    }
                    Offered::Dropped(_) | Offered::Queued => false,
                };
                let is_in_outage = is_down(&edge.link.rate, *at)
                    || matches!(offered, Offered::Accepted { end, .. } if is_down(&edge.link.rate, *end));
                if is_in_outage {
                    prop_assert!(is_lost || !matches!(offered, Offered::Accepted { .. }), "arrives from an outage");
                }
                // a list counts what no outage loses before it
                let is_lost_before =
                    if place == LossPlace::Before { is_down(&edge.link.rate, *at) } else { is_in_outage };
                let is_listed = !is_lost_before && edge.link.loss.as_ref().is_some_and(|loss| {
                    let LossSpec::List { packets, syns } = loss else { return is_lost };
                    let (syn, data) = seen.entry(packet.flow().0).or_default();
                    match packet.payload() {
                        Payload::Syn { .. } => { *syn += 1; *syn <= *syns }
                        Payload::Data { .. } => { *data += 1; packets.contains(data) }
                        Payload::Ack { .. } => false,
                    }
                });
                let is_at_random = is_in_outage || !edge.link.loss_changes.is_empty();
                prop_assert!(is_lost == is_listed || is_at_random);
                if !reaches_queue(&edge.link, &mut policed, (packet.size(), *at, *offered))? {
                    continue;
                }
                let (limit, in_service_counts, ties, is_early) = match &edge.link.queue {
                    QueueSpec::DropTail(spec) if spec.drop == DropFrom::Tail => {
                        (spec.limit, spec.count_in_service, spec.ties, false)
                    }
                    QueueSpec::Red(spec) => (spec.limit, spec.count_in_service, Ties::Departure, true),
                    QueueSpec::Pie(spec) => (spec.limit, spec.count_in_service, Ties::Departure, true),
                    _ => continue, // see `stored.rs`
                };
                // with `Ties::Arrival`, a transmission that starts or ends at exactly this time has not done so yet
                let after = |time: &Time| time > at || ties == Ties::Arrival && time == at;
                let held = accepted.iter().filter(|(start, end, _)| after(start) || in_service_counts && after(end));
                let room = match limit {
                    Limit::Packets(limit) => (held.count() as u64) < limit,
                    Limit::Bytes(limit) => held.map(|(_, _, size)| u64::from(*size)).sum::<u64>() + u64::from(packet.size()) <= limit,
                };
                let waiting = accepted.iter().filter(|(start, ..)| after(start)).count() as u64;
                let is_above = |spec: &DropTailSpec| spec.mark_above > 0 && waiting >= spec.mark_above;
                match *offered {
                    Offered::Accepted { start, end, arrival, marked, lost } => {
                        prop_assert!(room, "accepted although the queue was full");
                        let is_capable = packet.ecn() != Ecn::NotEct;
                        match &edge.link.queue {
                            QueueSpec::DropTail(spec) => prop_assert_eq!(marked, is_capable && is_above(spec)),
                            QueueSpec::Red(spec) => prop_assert!(!marked || is_capable && spec.ecn),
                            QueueSpec::Pie(spec) => prop_assert!(!marked || is_capable && spec.ecn),
                            _ => unreachable!("it stores packets"),
                        }
                        let first = free.max(*at);
                        let bytes = edge.link.framing.bytes(packet.size());
                        let begins = edge.link.shaper.map(|bucket| conforming(bucket, &shaped, bytes, first));
                        prop_assert_eq!(start, begins.unwrap_or(first));
                        shaped.push((start, bytes));
                        check_transmission(&edge.link.rate, bytes, (start, end, lost))?;
                        // on an idle link packets do not wait
                        let waited_until = if free < *at || free == Time::ZERO { Time::ZERO } else { first };
                        free = end;
                        accepted.push((waited_until, end, packet.size()));
                        if lost {
                            continue;
                        }
                        let LinkSpec { delay_trace, jitter, reorder, .. } = &edge.link;
                        let stays_in_order = jitter.is_none_or(|jitter| !jitter.reorders)
                            && delay_trace.as_ref().is_none_or(|trace| !trace.reorders);
                        let longer = delay_trace.as_ref().map_or(Time::ZERO, |trace| extra(trace, end));
                        let least = end + edge.link.delay + longer;
                        let held = reorder.map_or(Time::ZERO, |spec| spec.delay);
                        let mut most = least + jitter.map_or(Time::ZERO, |jitter| jitter.max);
                        let has_changes = jitter.is_some() || delay_trace.is_some();
                        if has_changes && stays_in_order {
                            most = most.max(before);
                        }
                        // packets that would arrive at the same time arrive some picoseconds apart
                        let apart = Time::from_picos(if has_changes || reorder.is_some() { 1_000 } else { 0 });
                        prop_assert!((least..=most + held + apart).contains(&arrival));
                        prop_assert!(reorder.is_some() || !stays_in_order || arrival > before, "not in order");
                        prop_assert!(arrivals.insert(arrival), "two packets arrive at once");
                        before = before.max(arrival);
                    }
                    Offered::Queued => unreachable!("it stores no packets"),
                    Offered::Dropped(DropReason::Early) => prop_assert!(is_early),
                    Offered::Dropped(_) => prop_assert!(!room, "dropped although the queue had space"),
                }
            }
        }
        let mut clocks = BTreeMap::new();
        for (at, flow) in ledger.turns.iter().copied().chain(ledger.acked.iter().map(|(at, flow, _)| (*at, 1_000 + flow))) {
            prop_assert!(clocks.insert(flow, at).is_none_or(|last| last <= at), "time goes back");
        }
    }

    /// Greedy transfers through any network with limited losses.
    ///
    /// Validates: every transfer ends, and the application gets each of its packets once.
    /// Source: RFC 9293, section 3.4 (reliable, ordered delivery).
    /// Tolerance: exact.
    #[test]
    fn every_transfer_ends(plan in plans(true), seed in any::<u64>()) {
        let targets = targets(&plan);
        let in_order = delivered(&plan, seed, |in_order| in_order == targets);
        prop_assert_eq!(in_order, targets);
    }

    /// Sequences of transfers with think times through any network with limited losses.
    ///
    /// Validates: each transfer is followed by the next.
    /// Source: RFC 9293, section 3.4 (reliable, ordered delivery).
    /// Tolerance: exact, for the packets of two transfers.
    #[test]
    fn transfers_follow_each_other(mut plan in plans(true), seed in any::<u64>()) {
        let targets: Vec<_> = targets(&plan).iter().map(|packets| 2 * packets).collect();
        for group in &mut plan.groups {
            let SourceSpec::Greedy { packets: Some(packets) } = group.source else { unreachable!("transfers only") };
            let size = Distribution::Fixed { mean: packets as f64 };
            // half of the pauses are shorter than 0.11 s; their mean of 10 s limits what the other flows send meanwhile if
            // one needs hours
            let think = Distribution::Lognormal { mean: 10.0, sigma: 3.0 };
            group.source = SourceSpec::Transfers { size, think };
        }
        let there = |in_order: &[u64]| in_order.iter().zip(&targets).all(|(there, wanted)| there >= wanted);
        prop_assert!(there(&delivered(&plan, seed, there)));
    }

    /// Repeats a run unchanged, with interruptions, with another measured link, and with everything recorded.
    ///
    /// Validates: the same plan and seed give the same bytes, wherever the run is interrupted and whatever is recorded.
    /// Source: the project's rule on results (CONTRIBUTING.md, Rules).
    /// Tolerance: exact.
    #[test]
    fn a_run_is_determined_by_plan_and_seed(
        plan in plans(false),
        seed in any::<u64>(),
        mut stops in prop::collection::vec(0.0..1.0_f64, 0..6),
        most in 1_u64..100,
        elsewhere in any::<prop::sample::Index>(),
    ) {
        let links = edges(&plan).len();
        let (ledger, _) = Ledger::of(&plan, seed, &[]);
        stops.sort_by(f64::total_cmp);
        let stops: Vec<_> = stops.iter().map(|part| Time::from_secs_f64(part * plan.duration.as_secs_f64())).collect();
        let ledger = ledger.by_place();
        prop_assert_eq!(&ledger, &Ledger::of(&plan, seed, &stops).0.by_place(), "in slices");
        prop_assert_eq!(&ledger, &Ledger::cut(&plan, seed, most).by_place(), "cut by events");

        let flows = (0..flows(&plan).len() as u32).collect::<Vec<_>>();
        let all = (0..links as u32).collect::<Vec<_>>();
        let every = Time::from_millis(10);
        let records = RecordSpec::of_each(&all, &flows, every);
        let others = all.clone();
        let watched = Plan { records, measure: MeasureSpec { others, ..plan.measure.clone() }, ..plan.clone() };
        let other_link = MeasureSpec { link: elsewhere.index(links) as u32, ..plan.measure.clone() };
        let moved = Plan { measure: other_link, ..plan.clone() };
        prop_assert_eq!(&ledger, &Ledger::of(&watched, seed, &[]).0.by_place(), "watched");
        prop_assert_eq!(&ledger, &Ledger::of(&moved, seed, &[]).0.by_place(), "measured elsewhere");

        let (plain, again) = (run(&plan, seed).expect("sound"), run(&plan, seed).expect("sound"));
        // compared as text, because NaN does not equal itself
        prop_assert_eq!(format!("{plain:?}"), format!("{again:?}"));
        let watched_by_run = run(&watched, seed).expect("sound");
        prop_assert_eq!(&plain.summary, &watched_by_run.summary);
        prop_assert_eq!(&plain.groups, &watched_by_run.groups);
        let summary = serde_json::to_value(&plain.summary).expect("a summary is data");
        let again = serde_json::to_value(&watched_by_run.elsewhere[plan.measure.link as usize]).expect("a summary is data");
        for (measure, value) in again.as_object().expect("each measure has a name") {
            prop_assert_eq!(Some(value), summary.get(measure), "{}", measure);
        }
        let flows = |outcome: &Outcome| format!("{:?}", outcome.tables[0].columns());
        prop_assert_eq!(flows(&plain), flows(&watched_by_run));
        prop_assert_eq!(watched_by_run.tables.len(), 1 + watched.records.len());
        for (record, table) in watched.records.iter().zip(&watched_by_run.tables[1..]) {
            let alone = run(&Plan { records: vec![record.clone()], ..plan.clone() }, seed).expect("sound");
            prop_assert_eq!(alone.tables[1].name, table.name);
            prop_assert_eq!(format!("{:?}", alone.tables[1].columns()), format!("{:?}", table.columns()));
        }
    }
}

/// The timer of a sender expires during its processing time.
///
/// Validates: a sender that continues after its processing time does not skip its timer, which was set when its turn
///   began.
/// Source: RFC 6298, section 5 (the timer runs from each transmission and each new ACK); the same run in slices.
/// Tolerance: exact.
#[test]
fn a_timer_may_be_shorter_than_processing() {
    let mut plan = dumbbell_of_reno(1);
    let group = &mut plan.groups[0];
    let TransportSpec::Tcp { sender, .. } = &mut group.transport else { unreachable!("Reno is TCP") };
    let sender = Arc::make_mut(sender);
    sender.overhead = Time::from_millis(1);
    sender.rtt.clock = Time::from_micros(1);
    sender.rtt.min_rto = Time::from_micros(1);
    sender.rtt.initial_rto = Time::from_micros(100);
    group.source = SourceSpec::Greedy { packets: None };
    let slices: Vec<_> = (1..100_000).map(|slice| Time::from_micros(10 * slice)).collect();
    plan.duration = Time::SECOND;
    let (whole, simulator) = Ledger::of(&plan, 1, &[]);
    assert!(simulator.sender(FlowId(0)).is_some_and(|sender| sender.counters().timeouts > 0));
    assert_eq!(whole.by_place(), Ledger::of(&plan, 1, &slices).0.by_place());
}

/// Connections in sequence over a link that delays packets for up to 0.42 s more than others, with timeouts of 0.2 s:
/// retransmissions complete a connection, and the packets that they replace arrive during a later one.
///
/// Validates: each connection ends, and the application gets each of its packets once; late packets of earlier
///   connections count as duplicates and are not acknowledged.
/// Source: RFC 9293, section 3.4 (reliable, ordered delivery).
/// Tolerance: exact, for two recoveries and 3 clients.
#[test]
fn connections_end_although_packets_arrive_late() {
    for recovery in [RecoverySpec::NewReno, RecoverySpec::Sack] {
        let mut plan = dumbbell_of_reno(3);
        let Topology::Dumbbell { bottleneck, .. } = &mut plan.topology else { unreachable!("it is a dumbbell") };
        bottleneck.jitter = Some(JitterSpec { max: Time::from_millis(20), reorders: true });
        bottleneck.reorder = Some(ReorderSpec { probability: 0.05, delay: Time::from_millis(400) });
        let group = &mut plan.groups[0];
        group.source = SourceSpec::Connections { rate: 15.0, size: Distribution::Exponential { mean: 8.0 }, most: 2 };
        let TransportSpec::Tcp { sender, receiver } = &mut group.transport else { unreachable!("Reno is TCP") };
        let sender = Arc::make_mut(sender);
        sender.recovery = recovery;
        sender.rtt.min_rto = Time::from_millis(200);
        receiver.handshake = sender.handshake;
        receiver.sack_blocks = 3;
        let syns = u64::from(receiver.handshake);
        plan.duration = Time::SECOND.saturating_mul(100);
        let (ledger, _) = Ledger::of(&plan, 1, &[]);
        let mut latest = BTreeMap::<u32, u64>::new();
        let mut received = BTreeMap::<(u32, u64), (BTreeSet<u64>, u64)>::new();
        let mut late = 0;
        for (_, packet, in_order) in &ledger.delivered {
            let (flow, _, number) = name(packet);
            let (connection, number) = segment(number);
            let current = latest.entry(flow).or_insert(connection);
            *current = connection.max(*current);
            if connection < *current {
                late += 1;
                assert_eq!(*in_order, 0);
            }
            let (numbers, count) = received.entry((flow, connection)).or_default();
            numbers.insert(number);
            *count += in_order;
        }
        for ((flow, connection), (numbers, count)) in received {
            if connection < latest[&flow] {
                assert_eq!(numbers.last(), Some(&(numbers.len() as u64 - 1)), "all have arrived");
                assert_eq!(count + syns, numbers.len() as u64, "each once");
            }
        }
        let connections: u64 = latest.values().sum();
        assert!(late > 20 && connections > 800, "{late} late packets, {connections} connections");
    }
}

/// Runs and bins of the maximum duration, [`Time::MAX`].
///
/// Validates: sums of times saturate at the maximum time.
/// Source: the range of [`Time`].
/// Tolerance: exact.
#[test]
fn time_may_run_out() {
    let mut plan = dumbbell_of_reno(1);
    plan.groups[0].source = SourceSpec::Greedy { packets: Some(3) };
    plan.duration = Time::MAX;
    plan.measure.bin = Time::SECOND.saturating_mul(1_000_000);
    // a SYN and the transfer
    assert_eq!(run(&plan, 1).expect("sound").summary.departures, 4);
    plan.measure = MeasureSpec { from: Time::SECOND.saturating_mul(10_000_000), bin: Time::MAX, ..plan.measure };
    plan.groups[0].start = plan.measure.from;
    assert_eq!(run(&plan, 1).expect("sound").summary.departures, 4);
}
