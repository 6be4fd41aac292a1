//! The summary, the records and the captures of a run, compared with its events.

use std::array::from_fn;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ackclock_net::link::Offered;
use ackclock_net::link::rate::RateSpec;
use ackclock_net::observe::{CapturedKind, Fate};
use ackclock_net::plan::{CaptureSpec, GroupSpec, Paths, RecordSpec, SourceSpec, Tap, TapPoint, TransportSpec};
use ackclock_net::queue::DropReason;
use ackclock_net::{Column, FlowId, Packet, Payload, Plan, Simulator, Values, run};
use ackclock_tcp::{Ecn, EcnMode, HEADER, Limit, Pacing};
use ackclock_units::Time;
use proptest::prelude::*;

use crate::graphs::{edges, flows, plans};
use crate::kinds::cases;
use crate::ledger::{Leave, Ledger, Offer, name};

/// Length of the overlap of two time ranges, in picoseconds.
fn overlap(from: Time, until: Time, of: (Time, Time)) -> u64 {
    until.min(of.1).as_picos().saturating_sub(from.max(of.0).as_picos())
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// Jain's fairness index; `None` if all shares are zero.
fn fairness(shares: &[f64]) -> Option<f64> {
    let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|share| share * share).sum::<f64>());
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

/// Counters of the senders of each group: retransmissions, timeouts, fast retransmissions, duplicate ACKs.
fn counted(plan: &Plan, simulator: &Simulator) -> Vec<[u64; 4]> {
    let mut first = 0;
    let group = |group: &GroupSpec| {
        let flows = first..first + group.flows();
        first = flows.end;
        let counters = flows.map(|flow| simulator.counters(FlowId(flow)));
        counters.fold([0; 4], |sums, one| {
            let each = [one.retransmissions, one.timeouts, one.fast_retransmits, one.dup_acks];
            from_fn(|place| sums[place] + each[place])
        })
    };
    plan.groups.iter().map(group).collect()
}

/// The rows of a table as text.
fn rows(columns: &[Column]) -> Vec<Vec<String>> {
    let cells = |column: &Column| -> Vec<String> {
        match &column.values {
            Values::U32(values) => values.iter().map(ToString::to_string).collect(),
            Values::U64(values) => values.iter().map(ToString::to_string).collect(),
            Values::F64(values) => values.iter().map(ToString::to_string).collect(),
            Values::Bool(values) => values.iter().map(ToString::to_string).collect(),
            Values::Words { codes, words } => codes.iter().map(|code| words[usize::from(*code)].to_owned()).collect(),
        }
    };
    let columns: Vec<Vec<String>> = columns.iter().map(cells).collect();
    (0..columns[0].len()).map(|row| columns.iter().map(|cells| cells[row].clone()).collect()).collect()
}

/// Time at which a packet leaves the queue of a link that stored it. A packet that waits for the tokens of a shaper has left
/// the discipline at `at`, but waits until its transmission.
const fn departure(at: Time, fate: Offered) -> Time {
    if let Offered::Accepted { start, .. } = fate { start } else { at }
}

/// Drops by place, percentiles of the time in the queue, and its mean, of a run or a group.
macro_rules! drops_and_waits {
    ($of:expr) => {
        (
            [$of.drops_arrival, $of.drops_stored, $of.drops_lost, $of.drops_policed],
            [$of.sojourn_p50, $of.sojourn_p95, $of.sojourn_p99, $of.sojourn_max],
            $of.sojourn_mean,
        )
    };
}

proptest! {
    #![proptest_config(cases(200))]

    /// Checks the summary of a measurement that begins at a random time of the run.
    ///
    /// Validates: packets, drops by place, c.o.v., load and mean queue of the measured link, drops, waits, goodput with
    ///   and without headers, fairness, mean delay and senders' counters of each group, and the loss of each flow, equal
    ///   the values computed from the events in the measured time; goodput exceeds what the link carries by no more than
    ///   what crossed it before.
    /// Source: their definitions (docs/measures.md).
    /// Tolerance: exact counts; quotients to 1e-12; waits to 0.1 %, half the width of a bucket.
    #[test]
    fn a_summary_counts_the_measured_time(mut plan in plans(false), seed in any::<u64>(), begin in 0.0..1.0_f64) {
        // whether a group crosses the measured link is known here only if all of its flows take one path
        plan.paths = Paths::First;
        plan.measure.from = Time::from_secs_f64(begin * plan.duration.as_secs_f64());
        let (from, end, bin) = (plan.measure.from, plan.duration, plan.measure.bin);
        let (span, seconds) = ((end - from).as_picos(), (end - from).as_secs_f64());
        let (mut ledger, mut simulator) = (Ledger::until(end), Simulator::new(&plan, seed).expect("the plan is sound"));
        simulator.run_until(from, &mut ledger);
        let before = counted(&plan, &simulator);
        simulator.run_until(end, &mut ledger);
        let after = counted(&plan, &simulator);
        let outcome = run(&plan, seed).expect("the plan is sound");

        let here = || ledger.offers.iter().filter(|offer| offer.link == plan.measure.link);
        let is_measured = |at: Time| from <= at && at < end;
        let (mut departures, mut busy, mut waiting) = (0, 0, 0);
        for Offer { at, offered, .. } in here() {
            if let Offered::Accepted { start, end: sent, .. } = *offered {
                departures += u64::from(is_measured(start));
                busy += overlap(start, sent, (from, end));
                waiting += overlap(*at, start, (from, end));
            }
        }
        let left = || ledger.left.iter().filter(|leave| leave.link == plan.measure.link);
        for Leave { at, since, fate, .. } in left() {
            if let Offered::Accepted { start, end: sent, .. } = *fate {
                departures += u64::from(is_measured(start));
                busy += overlap(start, sent, (from, end));
            }
            waiting += overlap(*since, departure(*at, *fate), (from, end));
        }
        // packets that still wait at the end
        let stored = here().filter(|offer| offer.offered == Offered::Queued);
        waiting += stored.map(|offer| overlap(offer.at, end, (from, end))).sum::<u64>();
        waiting -= left().map(|leave| overlap(leave.since, end, (from, end))).sum::<u64>();
        let arrived: Vec<&Offer> = here().filter(|offer| is_measured(offer.at)).collect();
        let fates = arrived.iter().map(|offer| offer.offered);
        let fates: Vec<Offered> =
            fates.chain(left().filter(|leave| is_measured(departure(leave.at, leave.fate))).map(|leave| leave.fate)).collect();
        let drops = fates.iter().filter(|fate| matches!(fate, Offered::Dropped(_))).count() as u64;
        let marks = fates.iter().filter(|fate| matches!(fate, Offered::Accepted { marked: true, .. })).count() as u64;
        let summary = &outcome.summary;
        prop_assert_eq!(
            (summary.arrivals, summary.departures, summary.drops, summary.marks),
            (arrived.len() as u64, departures, drops, marks)
        );
        prop_assert_eq!(outcome.groups.iter().map(|group| group.marks).sum::<u64>(), marks, "ACKs are never marked");

        // per group, and last for ACKs: drops at arrival, of stored packets, and by the loss model; waits in picoseconds
        let of_group = |(group, spec): (usize, &GroupSpec)| vec![group; spec.flows() as usize];
        let groups: Vec<usize> = plan.groups.iter().enumerate().flat_map(of_group).collect();
        let mut by_kind = vec![([0; 4], Vec::new()); plan.groups.len() + 1];
        let offers = here().map(|offer| (offer.at, &offer.packet, offer.at, offer.offered, false));
        let leaves = left().map(|leave| (leave.at, &leave.packet, leave.since, leave.fate, true));
        for (at, packet, since, fate, was_stored) in offers.chain(leaves) {
            let is_ack = matches!(packet.payload(), Payload::Ack { .. });
            let (drops, waits) =
                &mut by_kind[if is_ack { plan.groups.len() } else { groups[packet.flow().0 as usize] }];
            match fate {
                Offered::Accepted { start, .. } if is_measured(start) => waits.push((start - since).as_picos()),
                Offered::Dropped(reason) if is_measured(at) => {
                    let place = match reason {
                        _ if was_stored => 1,
                        DropReason::Full | DropReason::Early => 0,
                        DropReason::Lost => 2,
                        DropReason::Policed => 3,
                    };
                    drops[place] += 1;
                }
                _ => {}
            }
        }
        let everything = by_kind.iter().fold(([0; 4], Vec::new()), |(sums, all), (drops, waits)| {
            (from_fn(|place| sums[place] + drops[place]), [all, waits.clone()].concat())
        });
        let found = outcome.groups.iter().map(|group| drops_and_waits!(group)).chain([drops_and_waits!(summary)]);
        for ((drops, mut waits), found) in by_kind[..plan.groups.len()].iter().cloned().chain([everything]).zip(found) {
            let (found_drops, percentiles, found_mean) = found;
            prop_assert_eq!(drops, found_drops);
            waits.sort_unstable();
            let rank = |q: f64| waits.get(((q * waits.len() as f64).ceil() as usize).max(1) - 1);
            for (found, share) in percentiles.into_iter().zip([0.5, 0.95, 0.99, 1.0]) {
                let exact = rank(share).map(|picos| *picos as f64 / 1e12);
                prop_assert_eq!(found.is_some(), exact.is_some());
                prop_assert!((found.unwrap_or(0.0) - exact.unwrap_or(0.0)).abs() <= 0.001 * exact.unwrap_or(0.0) + 1e-12);
            }
            let mean = waits.iter().sum::<u64>() as f64 / waits.len() as f64 / 1e12;
            prop_assert!(found_mean.is_none_or(|found| (found - mean).abs() <= 0.001 * mean + 1e-12));
        }
        prop_assert!(near(summary.queue_mean, waiting as f64 / span as f64));
        if let RateSpec::Constant(_) = edges(&plan)[plan.measure.link as usize].link.rate {
            prop_assert!(near(summary.utilization, busy as f64 / span as f64));
        }
        let mut bins = vec![0.0; (span / bin.as_picos()) as usize];
        for offer in &arrived {
            if let Some(count) = bins.get_mut(((offer.at - from).as_picos() / bin.as_picos()) as usize) {
                *count += 1.0;
            }
        }
        let mean = bins.iter().sum::<f64>() / bins.len() as f64;
        let variance = bins.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / bins.len() as f64;
        match summary.cov {
            Some(cov) => prop_assert!((cov - variance.sqrt() / mean).abs() < 1e-9),
            None => prop_assert!(bins.iter().all(|count| *count == 0.0)),
        }

        // packets of data per flow that the link was offered and dropped, and bytes that crossed it before
        let mut offered_and_dropped = vec![[0.0; 2]; groups.len()];
        let mut crossed_before = 0;
        let is_data = |packet: &Packet| matches!(packet.payload(), Payload::Data { .. });
        let is_of_tcp = |flow: FlowId| matches!(plan.groups[groups[flow.0 as usize]].transport, TransportSpec::Tcp { .. });
        // probes of a closed window carry no data
        let is_probe = |packet: &Packet| packet.size() == HEADER && is_of_tcp(packet.flow());
        let offers = here().map(|offer| (offer.at, &offer.packet, offer.offered, true));
        let leaves = left().map(|leave| (leave.at, &leave.packet, leave.fate, false));
        for (at, packet, fate, arrives) in offers.chain(leaves) {
            if matches!(packet.payload(), Payload::Ack { .. }) {
                continue;
            }
            let [offers, drops] = &mut offered_and_dropped[packet.flow().0 as usize];
            *offers += f64::from(u8::from(arrives && is_measured(at)));
            match fate {
                Offered::Dropped(_) if is_measured(at) => *drops += 1.0,
                Offered::Accepted { start, lost: false, .. } if start < from && is_data(packet) && !is_probe(packet) => {
                    crossed_before += u64::from(packet.size());
                }
                _ => {}
            }
        }
        let losses = outcome.tables[0].columns();
        let column = |name| losses.iter().find(|column| column.name == name).map(|column| &column.values);
        let (Some(Values::U32(numbers)), Some(Values::F64(losses))) = (column("flow"), column("loss")) else {
            panic!("the table of flows has losses")
        };
        for (flow, loss) in numbers.iter().zip(losses) {
            let [offers, drops] = offered_and_dropped[*flow as usize];
            let is_right = if offers > 0.0 { near(*loss, drops / offers) } else { loss.is_nan() };
            prop_assert!(is_right, "{loss}, not {drops} of {offers}");
        }
        let mut seen = BTreeSet::new();
        let crossing: BTreeSet<FlowId> =
            here().filter(|offer| is_data(&offer.packet)).map(|offer| offer.packet.flow()).collect();
        for (_, packet, in_order) in ledger.delivered.iter().filter(|(at, packet, _)| *at < from && !is_probe(packet)) {
            let Payload::Data { number, connection, .. } = packet.payload() else { continue };
            let again = *in_order == 0 && seen.contains(&(packet.flow(), connection, number));
            seen.insert((packet.flow(), connection, number));
            if crossing.contains(&packet.flow()) {
                crossed_before = crossed_before.wrapping_sub((*in_order + u64::from(again)) * u64::from(packet.size()));
            }
        }
        // flows that change their path count with all of their data, also with that of other ways
        let moves = plan.groups.iter().any(|group| group.changes.iter().any(|change| change.via.is_some()));
        prop_assert!(moves || outcome.facts.crossed_before == crossed_before);
        let carried: f64 = outcome.groups.iter().map(|group| group.throughput_bps).sum();
        let bound = carried + 8.0 * crossed_before as f64 / seconds;
        prop_assert!(moves || summary.goodput_bps <= bound * (1.0 + 1e-9), "{} above {bound}", summary.goodput_bps);

        // sums per flow: packets, bits delivered in order, delay in seconds, and the bits without headers
        let mut got = vec![[0.0; 4]; flows(&plan).len()];
        for (at, packet, in_order) in &ledger.delivered {
            if is_measured(*at) && !matches!(packet.payload(), Payload::Syn { .. }) && !is_probe(packet) {
                let sums = &mut got[packet.flow().0 as usize];
                let data = match &plan.groups[groups[packet.flow().0 as usize]].transport {
                    TransportSpec::Tcp { sender, .. } => sender.payload.min(sender.packet_size - 40),
                    TransportSpec::Udp { .. } => packet.size().saturating_sub(28),
                };
                let bits = |bytes: u32| 8.0 * *in_order as f64 * f64::from(bytes);
                let more = [1.0, bits(packet.size()), (*at - packet.sent).as_secs_f64(), bits(data)];
                *sums = from_fn(|place| sums[place] + more[place]);
            }
        }
        // per group of calls: delays in picoseconds, and the numbers of the packets that arrived, by flow
        let mut calls = vec![(Vec::new(), BTreeMap::<FlowId, Vec<u64>>::new()); plan.groups.len()];
        for (at, packet, _) in ledger.delivered.iter().filter(|(at, ..)| is_measured(*at)) {
            if let Payload::Data { number, .. } = packet.payload() {
                let (delays, numbers) = &mut calls[groups[packet.flow().0 as usize]];
                delays.push((*at - packet.sent).as_picos());
                numbers.entry(packet.flow()).or_default().push(number);
            }
        }
        // per group: bits of data sent
        let mut sent = vec![0_u64; plan.groups.len()];
        let begins = |offer: &&Offer| offer.packet.sent == offer.at && is_measured(offer.at) && is_data(&offer.packet);
        for offer in ledger.offers.iter().filter(begins) {
            sent[groups[offer.packet.flow().0 as usize]] += 8 * u64::from(offer.packet.size());
        }
        for (group, ((spec, found), (mut delays, numbers))) in
            plan.groups.iter().zip(&outcome.groups).zip(calls).enumerate()
        {
            let is_call = matches!(
                (&spec.source, &spec.transport),
                (SourceSpec::Frames(_) | SourceSpec::Call(_), TransportSpec::Udp { .. })
            );
            prop_assert_eq!(found.sent_bps.is_some(), is_call);
            prop_assert!(found.sent_bps.is_none_or(|found| near(found, sent[group] as f64 / seconds)));
            let has_packets = is_call && !delays.is_empty();
            delays.sort_unstable();
            for (found, q) in [(found.delay_p50, 0.5), (found.delay_p95, 0.95), (found.delay_p99, 0.99)] {
                prop_assert_eq!(found.is_some(), has_packets);
                let exact = delays.get(((q * delays.len() as f64).ceil() as usize).max(1) - 1).copied().unwrap_or(0);
                prop_assert!(found.is_none_or(|found| (found * 1e12 - exact as f64).abs() <= 0.001 * exact as f64 + 1.0));
            }
            let (mut expected, mut arrived) = (0, 0);
            for of_flow in numbers.values() {
                let (first, last) = (of_flow[0], of_flow.iter().max().expect("a packet arrived"));
                expected += (last + 1 - first).max(of_flow.len() as u64);
                arrived += of_flow.len() as u64;
            }
            let lost = has_packets.then(|| (expected - arrived) as f64 / expected as f64);
            prop_assert_eq!(found.lost, lost);
            prop_assert!(found.mos.is_none(), "frames of three packets are not speech");
        }
        // per group: mean bits of each client, and whether the group's data crosses the measured link, if that is known
        let (mut first, mut means, mut crossing) = (0, Vec::new(), Vec::new());
        let is_forward = |offer: &&Offer| !matches!(offer.packet.payload(), Payload::Ack { .. });
        let crossed: BTreeSet<u32> = here().filter(is_forward).map(|offer| offer.packet.flow().0).collect();
        let reached: BTreeSet<u32> = ledger.delivered.iter().map(|(_, packet, _)| packet.flow().0).collect();
        for (group, found) in outcome.groups.iter().enumerate() {
            let (spec, flows) = (&plan.groups[group], first..first + plan.groups[group].flows());
            first = flows.end;
            let of_flows = &got[flows.start as usize..flows.end as usize];
            let each = spec.flows() / spec.count;
            let clients: Vec<f64> =
                of_flows.chunks(each as usize).map(|flows| flows.iter().map(|sums| sums[1]).sum()).collect();
            let [packets, bits, delay, data] = from_fn(|place| of_flows.iter().map(|sums| sums[place]).sum::<f64>());
            match (found.jain_index, fairness(&clients)) {
                (Some(found), Some(expected)) => prop_assert!(near(found, expected)),
                (found, expected) => prop_assert_eq!(found, expected),
            }
            means.push(bits / clients.len() as f64);
            // flows that change their path belong to the links of all their ways, also of those that they did not take
            let moves = spec.changes.iter().any(|change| change.via.is_some());
            crossing.push(if moves {
                None
            } else if flows.clone().any(|flow| crossed.contains(&flow)) {
                Some(true)
            } else {
                flows.clone().any(|flow| reached.contains(&flow)).then_some(false)
            });
            prop_assert!(near(found.goodput_bps, bits / seconds));
            prop_assert!(near(found.payload_bps, data / seconds));
            prop_assert!(found.rtt_min.unwrap_or(0.0) <= found.rtt_mean.unwrap_or(0.0) + 1e-12);
            prop_assert_eq!(found.delay_mean.is_some(), packets > 0.0);
            prop_assert!(found.delay_mean.is_none_or(|mean| (mean - delay / packets).abs() < 1e-9));
            let counted = [found.retransmissions, found.timeouts, found.fast_retransmits, found.dup_acks];
            prop_assert_eq!(counted, from_fn(|place| after[group][place] - before[group][place]));
        }
        if let Some(crossing) = crossing.into_iter().collect::<Option<Vec<bool>>>() {
            let shares: Vec<f64> = means.iter().zip(crossing).filter(|(_, is)| *is).map(|(mean, _)| *mean).collect();
            match (summary.jain_between, fairness(&shares)) {
                (Some(found), Some(expected)) => prop_assert!(near(found, expected)),
                (found, expected) => prop_assert_eq!(found, expected),
            }
        }
    }

    /// Checks the record `throughput`, of flows and of links.
    ///
    /// Validates: each bin has the bytes of the packets that are in order for the first time, or whose transmission
    ///   begins, in that bin; the bins of the measured time add up to the goodput of each flow.
    /// Source: their definitions (docs/measures.md).
    /// Tolerance: exact.
    #[test]
    fn throughput_has_every_byte_in_its_bin(
        mut plan in plans(false), seed in any::<u64>(), bins in 1_u64..40, begin in 0.0..1.0_f64,
    ) {
        let bin = Time::from_picos(plan.duration.as_picos().div_ceil(bins));
        plan.measure.from = bin.saturating_mul((begin * bins as f64) as u64);
        let links: Vec<u32> = (0..edges(&plan).len() as u32).collect();
        let ids: Vec<u32> = (0..flows(&plan).len() as u32).collect();
        plan.records = vec![RecordSpec::Throughput { flows: ids, bin }, RecordSpec::LinkThroughput { links, bin }];
        let (ledger, _) = Ledger::of(&plan, seed, &[]);
        let place = |at: Time| at.as_picos() / bin.as_picos();
        let mut expected: [BTreeMap<(u64, u32), u64>; 2] = [BTreeMap::new(), BTreeMap::new()];
        for (at, packet, in_order) in &ledger.delivered {
            *expected[0].entry((place(*at), packet.flow().0)).or_default() += in_order * u64::from(packet.size());
        }
        let offers = ledger.offers.iter().map(|offer| (offer.link, offer.packet, offer.offered));
        let left = ledger.left.iter().map(|leave| (leave.link, leave.packet, leave.fate));
        for (link, packet, fate) in offers.chain(left) {
            if let Offered::Accepted { start, .. } = fate
                && start < plan.duration
            {
                *expected[1].entry((place(start), link)).or_default() += u64::from(packet.size());
            }
        }
        let outcome = run(&plan, seed).expect("the plan is sound");
        for (place, record) in plan.records.iter().enumerate() {
            let alone = run(&Plan { records: vec![record.clone()], ..plan.clone() }, seed).expect("the plan is sound");
            prop_assert_eq!(alone.tables[1].columns(), outcome.tables[1 + place].columns(), "alone");
        }
        let mut settled: BTreeMap<u32, u64> = BTreeMap::new();
        for (table, mut expected) in outcome.tables[1..].iter().zip(expected) {
            let columns = table.columns();
            let (Values::F64(times), Values::U32(ids)) = (&columns[0].values, &columns[1].values) else {
                panic!("time and id")
            };
            let Values::U64(bytes) = &columns[columns.len() - 1].values else { panic!("bytes") };
            for ((time, id), bytes) in times.iter().zip(ids).zip(bytes) {
                let index = place(Time::from_secs_f64(*time).saturating_add(Time::from_picos(bin.as_picos() / 2)));
                prop_assert_eq!(expected.remove(&(index, *id)).unwrap_or_default(), *bytes, "{} {}", index, id);
                if columns.len() == 4 && index >= place(plan.measure.from) {
                    *settled.entry(*id).or_default() += bytes;
                }
            }
            prop_assert!(expected.is_empty(), "no rows: {:?}", expected);
        }
        let columns = outcome.tables[0].columns();
        let column = |name| columns.iter().find(|column| column.name == name).map(|column| &column.values);
        let (Some(Values::U32(ids)), Some(Values::F64(rates))) = (column("flow"), column("goodput_bps")) else {
            panic!("flow and goodput")
        };
        let seconds = plan.duration.saturating_sub(plan.measure.from).as_secs_f64();
        for (id, rate) in ids.iter().zip(rates) {
            prop_assert_eq!(settled.get(id).copied().unwrap_or_default() as f64 * 8.0 / seconds, *rate);
        }
    }

    /// Checks the records `packets`, `drops` and `marks`, and the captures at every point of every link.
    ///
    /// Validates: each event of a packet at a link before the end of the run gives exactly one row and one captured
    ///   packet, and there are no others; both are in order of time. Each drop and each mark gives one row of its record.
    /// Source: their definitions (docs/measures.md).
    /// Tolerance: exact.
    #[test]
    fn records_and_captures_have_every_event(mut plan in plans(false), seed in any::<u64>()) {
        let links: Vec<u32> = (0..edges(&plan).len() as u32).collect();
        let points = [TapPoint::Offer, TapPoint::Dequeue, TapPoint::Receive];
        let taps = links.iter().flat_map(|link| points.map(|at| Tap { link: *link, at })).collect();
        plan.captures = vec![CaptureSpec { taps }];
        let (drops, marks) = (RecordSpec::Drops { links: links.clone() }, RecordSpec::Marks { links: links.clone() });
        plan.records = vec![RecordSpec::Packets { links }, drops, marks];
        let (ledger, _) = Ledger::of(&plan, seed, &[]);
        let mut first_data = BTreeMap::new();
        for (at, packet, _) in &ledger.delivered {
            if let Payload::Data { .. } = packet.payload() {
                first_data.entry(packet.flow()).or_insert(*at);
            }
        }
        let (mut expected, mut expected_captured) = (Vec::new(), Vec::new());
        let (mut dropped_rows, mut marked_rows) = (Vec::new(), Vec::new());
        let offers = ledger.offers.iter().map(|offer| (offer.link, offer.at, offer.packet, offer.offered, false));
        let left = ledger.left.iter().map(|leave| (leave.link, leave.at, leave.packet, leave.fate, true));
        let fates = ledger.left.iter().map(|leave| ((leave.link, leave.since, name(&leave.packet)), leave.fate));
        // a segment may be sent twice at one time
        let mut fates = fates.fold(BTreeMap::<_, VecDeque<_>>::new(), |mut fates, (key, fate)| {
            fates.entry(key).or_default().push_back(fate);
            fates
        });
        for (link, at, packet, offered, was_stored) in &offers.chain(left).collect::<Vec<_>>() {
            let (kind, captured_as, number, is_again) = match packet.payload() {
                Payload::Syn { retransmission, .. } => ("syn", CapturedKind::Syn, 0, retransmission),
                Payload::Data { number, retransmission, .. } => ("data", CapturedKind::Data, number, retransmission),
                Payload::Ack { next, .. } => {
                    let is_first = first_data.get(&packet.flow()).is_none_or(|first| packet.sent < *first);
                    ("ack", if is_first { CapturedKind::FirstAck } else { CapturedKind::Ack }, next, false)
                }
            };
            let events = match *offered {
                Offered::Queued => {
                    let fate = match fates.get_mut(&(*link, *at, name(packet))).and_then(VecDeque::pop_front) {
                        Some(Offered::Dropped(_)) => Fate::Dropped,
                        Some(Offered::Accepted { lost: true, .. }) => Fate::Lost,
                        _ => Fate::Crosses,
                    };
                    vec![(*at, "enqueue", Some(TapPoint::Offer), fate)]
                }
                Offered::Dropped(_) if *was_stored => vec![(*at, "drop", None, Fate::Dropped)],
                Offered::Accepted { start, end, lost: true, .. } => {
                    let arrival = (*at, "enqueue", Some(TapPoint::Offer), Fate::Lost);
                    let rest = [(start, "dequeue", Some(TapPoint::Dequeue), Fate::Lost), (end, "lost", None, Fate::Lost)];
                    [arrival].into_iter().filter(|_| !was_stored).chain(rest).collect()
                }
                Offered::Accepted { start, arrival, .. } if *was_stored => vec![
                    (start, "dequeue", Some(TapPoint::Dequeue), Fate::Crosses),
                    (arrival, "receive", Some(TapPoint::Receive), Fate::Crosses),
                ],
                Offered::Accepted { start, arrival, .. } => vec![
                    (*at, "enqueue", Some(TapPoint::Offer), Fate::Crosses),
                    (start, "dequeue", Some(TapPoint::Dequeue), Fate::Crosses),
                    (arrival, "receive", Some(TapPoint::Receive), Fate::Crosses),
                ],
                Offered::Dropped(DropReason::Lost) => vec![(*at, "lost", Some(TapPoint::Offer), Fate::Lost)],
                Offered::Dropped(_) => vec![(*at, "drop", Some(TapPoint::Offer), Fate::Dropped)],
            };
            let marked = matches!(offered, Offered::Accepted { marked: true, .. });
            let (flow, size) = (packet.flow().0, packet.size());
            let row = [at.as_secs_f64().to_string(), link.to_string(), flow.to_string()];
            let row = row.into_iter().chain([number.to_string(), size.to_string()]);
            match *offered {
                Offered::Dropped(reason) => {
                    let place = match reason {
                        _ if *was_stored => "stored",
                        DropReason::Lost => "lost",
                        DropReason::Policed => "policed",
                        DropReason::Full | DropReason::Early => "arrival",
                    };
                    dropped_rows.push(row.chain([place.to_owned()]).collect::<Vec<_>>());
                }
                Offered::Accepted { marked: true, .. } => marked_rows.push(row.collect::<Vec<_>>()),
                _ => {}
            }
            for (time, event, point, fate) in events.into_iter().filter(|(time, ..)| *time < plan.duration) {
                let numbers = [time.as_secs_f64().to_string(), link.to_string(), flow.to_string()];
                let rest = [event, kind].map(str::to_owned).into_iter().chain([number.to_string(), size.to_string()]);
                let flags = [is_again, marked].map(|flag| flag.to_string());
                expected.push(numbers.into_iter().chain(rest).chain(flags).collect::<Vec<_>>());
                let Some(point) = point else { continue };
                let ecn = if marked && point != TapPoint::Offer { Ecn::Ce } else { packet.ecn() };
                let flags = match packet.payload() {
                    Payload::Ack { .. } => packet.echo(),
                    _ if packet.cwr() => 0b010,
                    _ => 0,
                };
                let entry = (time, link, flow, point, fate, captured_as, number, size);
                expected_captured.push(format!("{entry:?} {ecn:?} {flags}"));
            }
        }
        let outcome = run(&plan, seed).expect("the plan is sound");
        let columns = outcome.tables[1].columns();
        let Values::F64(times) = &columns[0].values else { panic!("times are numbers") };
        prop_assert!(times.is_sorted());
        let mut found = rows(&columns);
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
        for (table, mut expected) in outcome.tables[2..].iter().zip([dropped_rows, marked_rows]) {
            let mut found = rows(&table.columns());
            found.sort();
            expected.sort();
            prop_assert_eq!(found, expected);
        }
        let captured = outcome.captures[0].packets();
        prop_assert!(captured.is_sorted_by_key(|packet| packet.time));
        let found_captured = captured.iter().map(|seen| {
            let entry = (seen.time, seen.link, seen.flow, seen.at, seen.fate, seen.kind, seen.number, seen.size);
            format!("{entry:?} {:?} {}", seen.ecn, seen.ecn_flags)
        });
        let mut found_captured: Vec<String> = found_captured.collect();
        found_captured.sort();
        expected_captured.sort();
        prop_assert_eq!(found_captured, expected_captured);
    }
}

proptest! {
    #![proptest_config(cases(200))]

    /// Measures what limited each flow, from a random time of the run on.
    ///
    /// Validates: each instant of the measured time belongs to one reason, for each flow with a sender; shares are times
    ///   divided by the measured time and add up to 1, also in the mean of a group; UDP has none; a sender has no time for
    ///   reasons that do not exist for it, and waits for a timeout only if there was one.
    /// Source: definitions (`Limit`).
    /// Tolerance: exact times; sums of shares to 1e-12.
    #[test]
    fn each_instant_has_one_limit(mut plan in plans(false), seed in any::<u64>(), begin in 0.0..1.0_f64) {
        plan.measure.from = Time::from_secs_f64(begin * plan.duration.as_secs_f64());
        let (from, end) = (plan.measure.from, plan.duration);
        let mut simulator = Simulator::new(&plan, seed).expect("the plan is sound");
        simulator.run_until(from, &mut ());
        simulator.restart_limits(from);
        simulator.run_until(end, &mut ());
        let outcome = run(&plan, seed).expect("the plan is sound");
        let columns = outcome.tables[0].columns();
        let named = |name: &str| columns.iter().find(|column| column.name == name).map(|column| &column.values);
        let Some(Values::U32(rows)) = named("flow") else { unreachable!("a column of numbers") };
        let shares = Limit::ALL.map(|limit| named(limit.field()));
        for (place, flow) in rows.iter().enumerate() {
            let spent = simulator.limits(*flow as usize, end);
            let shares = shares.map(|values| {
                let Some(Values::F64(values)) = values else { unreachable!("a column of shares") };
                values[place]
            });
            let Some(spent) = spent else {
                prop_assert!(shares.iter().all(|share| share.is_nan()), "UDP");
                continue;
            };
            let sum = spent.iter().fold(Time::ZERO, |sum, time| sum + *time);
            prop_assert_eq!(sum, end - from);
            prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for (share, time) in shares.iter().zip(spent) {
                prop_assert!(near(*share, time.as_picos() as f64 / (end - from).as_picos() as f64));
            }
            let TransportSpec::Tcp { sender, .. } = &flows(&plan)[*flow as usize].transport else {
                unreachable!("it has a sender")
            };
            let none = |limit: Limit| spent[limit as usize] == Time::ZERO;
            prop_assert!(none(Limit::Processing) || sender.overhead > Time::ZERO);
            prop_assert!(none(Limit::Pacing) || sender.pacing != Pacing::Off || sender.limit_output_bytes > 0);
            prop_assert!(none(Limit::Marks) || sender.ecn != EcnMode::Off);
            prop_assert!(none(Limit::Timeout) || simulator.counters(FlowId(*flow)).timeouts > 0);
        }
        for (group, spec) in outcome.groups.iter().zip(&plan.groups) {
            let sum = group.limited.0.map(|shares| shares.iter().sum::<f64>());
            prop_assert!(sum.is_none_or(|sum| (sum - 1.0).abs() < 1e-12));
            prop_assert!(matches!(spec.transport, TransportSpec::Tcp { .. }) || sum.is_none(), "UDP");
        }
    }
}
