//! Memory estimates, computed by hand.

use std::sync::Arc;

use ackclock_tcp::congestion::{CubicRules, CubicSpec, LawSpec};
use ackclock_tcp::{Arithmetic, Pacing, SenderConfig};
use ackclock_units::{Rate, Time};

use super::*;
use crate::engine::simulator::Simulator;
use crate::link::backlog::Backlog;
use crate::link::extra_delay::{ExtraDelay, JitterSpec};
use crate::observe::ROW;
use crate::plan::testing::dumbbell_of_reno;
use crate::plan::{LinkSpec, RecordSpec, TransportSpec};
use crate::queue::{DropFrom, DropTailSpec, FqSpec, Limit, QueueSpec, Ties};
use crate::sizes::SizeSpec;
use crate::source::TraceSpec;

fn link(mbps: u64, millis: u64, packets: u64) -> LinkSpec {
    LinkSpec::plain(
        Rate::from_mbps(mbps).into(),
        Time::from_millis(millis),
        QueueSpec::DropTail(DropTailSpec {
            limit: Limit::Packets(packets),
            count_in_service: true,
            ties: Ties::Departure,
            mark_above: 0,
            drop: DropFrom::Tail,
        }),
    )
}

/// A plan of greedy flows with the given window, which share a bottleneck.
fn greedy(count: u32, window: u32, bottleneck: LinkSpec) -> Plan {
    let mut plan = dumbbell_of_reno(count);
    let group = &mut plan.groups[0];
    group.source = SourceSpec::Greedy { packets: None };
    if let TransportSpec::Tcp { sender, .. } = &mut group.transport {
        Arc::make_mut(sender).max_window = window;
    }
    let access = vec![(link(1_000, 1, 100_000), link(1_000, 1, 100_000))];
    plan.topology = Topology::Dumbbell { reverse: link(1_000, 1, 100_000), bottleneck, access };
    plan
}

fn of(plan: &Plan) -> Footprint {
    Footprint::of(plan).expect("the plan is sound")
}

#[test]
fn windows_that_the_path_cannot_fill_cost_nothing() {
    // 10 s at 50 Mbps are 41,667 packets, regardless of the windows and of the queues before the bottleneck
    let found = of(&greedy(100, 1_000_000_000, link(50, 25, 50))).likely;
    assert!(found.packets + found.windows < 1e6, "{found:?}");
}

#[test]
fn windows_that_the_path_can_fill_count_but_are_not_certain() {
    // 8.3e8 packets are sent in 10 s at 1 Tb/s
    let mut plan = greedy(1, 1_000_000_000, link(1_000_000, 100, 1_000_000_000_000));
    plan.groups[0].packet_size = 1_500;
    let Topology::Dumbbell { access, .. } = &mut plan.topology else { unreachable!("it is a dumbbell") };
    access[0].0 = link(1_000_000, 1, 1_000_000_000_000);
    let found = of(&plan);
    assert!(found.likely.packets > 8e8 * 64.0, "{found:?}");
    found.check(8_000_000_000).expect("the run is counted, since the windows may stay small");
}

/// An access link of 1 or of 100 Gb/s in front of the same bottleneck, with records of every packet.
#[test]
fn what_passes_the_slowest_link_counts_and_not_what_the_first_one_could_carry() {
    let flows: Vec<u32> = (0..10).collect();
    let records = |mbps| {
        let mut plan = greedy(10, 1_000_000_000, link(50, 25, 50));
        let Topology::Dumbbell { access, .. } = &mut plan.topology else { unreachable!("it is a dumbbell") };
        access[0].0 = link(mbps, 1, 100_000);
        plan.records = vec![
            RecordSpec::Packets { links: (0..22).collect() },
            RecordSpec::Acks { flows: flows.clone() },
            RecordSpec::Windows { flows: flows.clone(), every: None },
        ];
        of(&plan).likely.total()
    };
    let (slow, fast) = (records(1_000), records(100_000));
    assert!((slow / fast - 1.0).abs() < 1e-6, "{slow} and {fast}");
    assert!(slow < 60e6, "52,083 packets cross four links in 10 s: {slow}");
}

#[test]
fn links_are_shared_fairly_and_the_rest_goes_to_those_that_want_more() {
    let plain = link(10, 1, 50);
    let mut load = Load::of(&plain, 1.0);
    load.want(2.0, 1e6);
    load.want(1.0, 20e6);
    load.want(1.0, f64::INFINITY);
    load.share();
    assert_eq!(load.share, 4e6, "of 10 Mb/s, two flows take 1 each, and two share the other 8");
    let mut load = Load::of(&plain, 1.0);
    load.want(2.0, 1e6);
    load.share();
    assert_eq!(load.share, f64::INFINITY);
}

#[test]
fn the_largest_part_is_named_with_what_makes_it_smaller() {
    let problem = |certain: Parts| {
        let found = Footprint { certain, ..Footprint::default() };
        found.check(1_000_000).expect_err("too much").problem
    };
    let records = problem(Parts { records: 2.5e9, flows: 1e6, ..Parts::default() });
    let expected = "the run needs at least 2.5 GB (2.5 GB of it for records and bins), but the limit is 1 MB; \
                    record fewer links or flows, or use longer intervals, or allow more memory";
    assert_eq!(records, expected);
    assert!(
        problem(Parts { flows: 2e6, ..Parts::default() })
            .contains("2 MB of it for flows and links), but the limit is 1 MB; simulate fewer")
    );
}

#[test]
fn flows_take_at_least_the_certain_and_about_the_likely_memory() {
    for (delayed_ack, warm_up, packets) in [(false, 0, None), (true, 0, None), (true, 1, Some(50))] {
        let mut plan = greedy(500, 20, link(50, 25, 50));
        plan.measure.from = Time::from_millis(warm_up);
        plan.duration = Time::SECOND;
        plan.groups[0].source = SourceSpec::Greedy { packets };
        if let TransportSpec::Tcp { receiver, .. } = &mut plan.groups[0].transport {
            (receiver.delayed_ack, receiver.sack_blocks) = (delayed_ack, 4);
        }
        let mut simulator = Simulator::new(&plan, 1).expect("the plan is sound");
        let mut measure = Measure::new(&plan, &simulator);
        simulator.run_until(plan.measure.from, &mut measure);
        measure.begin(&mut simulator);
        simulator.run_until(plan.duration, &mut measure);
        let Footprint { certain, likely } = of(&plan);
        let used = (simulator.memory_of_components() + measure.memory()) as f64;
        assert!(used >= certain.flows, "{used} and {certain:?}");
        assert!(used / 2.0 < likely.flows && likely.flows < 2.0 * used, "{used} and {likely:?}");
    }
}

/// A plan like [`greedy`]'s, with datagrams from a trace of the given number of packets.
fn traced(packets: u64, sizes: SizeSpec) -> Plan {
    let mut plan = greedy(1, 20, link(50, 25, 1_000_000));
    let times = (0..packets).map(Time::from_micros).collect();
    let trace = TraceSpec { times, packets: None, period: None, offset: Some(Time::ZERO) };
    plan.groups[0].source = SourceSpec::Trace(Arc::new(trace));
    plan.groups[0].transport = TransportSpec::Udp { sizes };
    plan
}

#[test]
fn a_trace_takes_its_times() {
    let used = |packets| of(&traced(packets, SizeSpec::Fixed)).certain.sources;
    assert_eq!(used(1_000), 8_000.0);
    assert_eq!(used(3_000), 3.0 * used(1_000));
}

#[test]
fn waiting_packets_of_random_sizes_take_memory_each() {
    let [fixed, random] =
        [SizeSpec::Fixed, SizeSpec::Exponential].map(|sizes| of(&traced(100_000, sizes)).likely.packets);
    assert!(random - fixed > 50_000.0 * Backlog::BYTES_OF_RUN as f64, "{fixed} and {random}");
}

/// 40,000 datagrams in 40 ms cross a link of 10 Gb/s with a jitter of up to a second.
#[test]
fn packets_with_an_extra_delay_take_memory_and_more_if_they_overtake_each_other() {
    let packets = |jitter| {
        let mut plan = traced(40_000, SizeSpec::Fixed);
        let bottleneck = LinkSpec { jitter, ..link(10_000, 1, 1_000_000) };
        let access = vec![(link(10_000, 1, 1_000_000), link(1_000, 1, 100_000))];
        plan.topology = Topology::Dumbbell { reverse: link(1_000, 1, 100_000), bottleneck, access };
        plan.duration = Time::SECOND;
        of(&plan).likely.packets
    };
    let [plain, kept, free] = [None, Some(false), Some(true)].map(|reorders| {
        let jitter = |reorders| JitterSpec { max: Time::SECOND, reorders };
        packets(reorders.map(jitter))
    });
    // datagrams on their last link are delivered when it accepts them, unless it reorders them
    assert_eq!(plain, kept);
    let each = (ExtraDelay::BYTES_OF_PACKET + size_of::<crate::engine::event::Event>()) as f64;
    assert!(free - kept > 40_000.0 * each, "{kept} and {free}");
}

#[test]
fn records_take_rows_by_time_or_by_packet() {
    let plan =
        |record: Option<RecordSpec>| Plan { records: record.into_iter().collect(), ..greedy(2, 20, link(50, 25, 50)) };
    let sum = |parts: Parts| parts.records + parts.reading;
    let bins = sum(of(&plan(None)).likely);
    let read = |record: &RecordSpec| record.bytes_to_read() as f64;
    let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-6, "{found}, not {expected}");
    let (both, every) = (vec![0, 1], Time::from_millis(100));
    // 10 s contain 100 samples of each link or flow, which are certain for links
    let in_bins = |record: &RecordSpec, bytes: f64| {
        let Footprint { likely, certain } = of(&plan(Some(record.clone())));
        near(sum(likely) - bins, 200.0 * (bytes + read(record)));
        near(sum(certain) - bins, 200.0 * (bytes + read(record)));
    };
    in_bins(&RecordSpec::Arrivals { links: both.clone(), bin: every }, 24.0);
    in_bins(&RecordSpec::LinkThroughput { links: both.clone(), bin: every }, 24.0);
    in_bins(&RecordSpec::Throughput { flows: both.clone(), bin: every }, 24.0);
    in_bins(&RecordSpec::Queue { links: both.clone(), every }, ROW as f64);
    // the number of likely rows of a record, if each takes some bytes; none is certain
    let rows = |record: RecordSpec, bytes: f64| {
        let Footprint { likely, certain } = of(&plan(Some(record.clone())));
        assert_eq!(sum(certain), bins);
        (sum(likely) - bins) / (bytes + read(&record))
    };
    near(rows(RecordSpec::Windows { flows: both.clone(), every: Some(every) }, 8.0), 200.0);
    // Reno has no state, and drop-tail no gauge
    assert_eq!(rows(RecordSpec::States { flows: both.clone(), every: Some(every) }, 24.0), 0.0);
    assert_eq!(rows(RecordSpec::Gauges { links: both.clone(), every }, 24.0), 0.0);
    // two windows of 20 packets in each round trip of 28.2 ms: 14,158 packets in 10 s
    let acks = rows(RecordSpec::Acks { flows: both.clone() }, 8.0);
    assert!((14_100.0..14_200.0).contains(&acks), "{acks}");
    near(rows(RecordSpec::Acks { flows: vec![1] }, 8.0), acks / 2.0);
    near(rows(RecordSpec::Windows { flows: both.clone(), every: None }, 20.0), acks);
    // the first two links carry all packets, and a client's own link a half
    near(rows(RecordSpec::Packets { links: both.clone() }, 56.0 / 3.0), 3.0 * 2.0 * acks);
    near(rows(RecordSpec::Packets { links: vec![2, 3] }, 56.0 / 3.0), 3.0 * acks);
    // the windows never fill the link
    assert_eq!(rows(RecordSpec::Drops { links: both.clone() }, ROW as f64), 0.0);
    near(rows(RecordSpec::Transfers { flows: both }, ROW as f64), 2.0);
}

/// Rows of the record `windows` per ACK.
///
/// Validates: a row for each ACK; with a pacer or a source of single packets, one more for each segment, which leaves on
///   its own; three in ten of a flow that is alone at its bottleneck and computes in whole numbers, and all if there are
///   two.
/// Source: measured with the engine (`bench/estimates.py` compares runs).
/// Tolerance: exact.
#[test]
fn rows_of_windows_depend_on_what_changes() {
    let per_ack = |count: u32, change: fn(&mut SenderConfig), source: SourceSpec| {
        let mut plan = greedy(count, 1_000, link(50, 25, 50));
        plan.groups[0].source = source;
        let TransportSpec::Tcp { sender, .. } = &mut plan.groups[0].transport else { unreachable!("Reno is TCP") };
        change(Arc::make_mut(sender));
        let bytes = |record: RecordSpec| of(&Plan { records: vec![record], ..plan.clone() }).likely.records;
        let flows: Vec<u32> = (0..count).collect();
        let none = of(&plan).likely.records;
        let windows = (bytes(RecordSpec::Windows { flows: flows.clone(), every: None }) - none) / 20.0;
        windows / ((bytes(RecordSpec::Acks { flows }) - none) / 8.0)
    };
    let linux = |sender: &mut SenderConfig| {
        sender.rtt.arithmetic = Arithmetic::Linux;
        sender.congestion = LawSpec::Cubic(CubicSpec { fast_convergence: true, rules: CubicRules::Linux });
    };
    let all = || SourceSpec::Greedy { packets: None };
    let found = [
        per_ack(1, |_| (), all()),
        per_ack(1, |sender| sender.pacing = Pacing::Window, all()),
        per_ack(1, |_| (), SourceSpec::Constant { rate: 100.0 }),
        per_ack(1, linux, all()),
        per_ack(2, linux, all()),
    ];
    for (found, expected) in found.into_iter().zip([1.0, 2.0, 2.0, 0.3, 1.0]) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found}, not {expected}");
    }
}

#[test]
fn sums_are_numbers_whatever_starts_late_or_never_ends() {
    let mut plan = greedy(3, 1_000_000_000, link(1, 1, 10));
    plan.groups[0].start = plan.duration;
    assert!(of(&plan).likely.total().is_finite());
    plan.duration = Time::MAX;
    plan.records = vec![RecordSpec::Packets { links: (0..8).collect() }];
    assert!(of(&plan).likely.total().is_finite());
}

/// Links with many queues, used or not.
#[test]
fn queues_take_memory() {
    let fair = |queues| FqSpec { limit: Limit::Packets(100), count_in_service: false, queues, quantum: 1514 };
    let estimated = |queues| {
        let mut plan = greedy(50, 10, link(10, 25, 50));
        let Topology::Dumbbell { access, .. } = &mut plan.topology else { unreachable!("it is a dumbbell") };
        access[0].1.queue = QueueSpec::Fq(fair(queues));
        let simulator = Simulator::new(&plan, 1).expect("the plan is sound");
        (of(&plan).certain.total(), simulator.memory_of_components() as f64)
    };
    let (few, many) = (estimated(1), estimated(10_000));
    assert!(many.1 - few.1 > 50.0 * 9_999.0 * 40.0, "{many:?}");
    assert!((many.0 - few.0) >= (many.1 - few.1), "{many:?} and {few:?}");
    assert!((many.0 - few.0) < 1.1 * (many.1 - few.1), "{many:?} and {few:?}");
}

/// Packets that a discipline stores, with the actual memory of the link.
#[test]
fn stored_packets_take_memory() {
    let plain = greedy(20, 1_000, link(10, 25, 10_000));
    let mut bottleneck = link(10, 25, 10_000);
    let QueueSpec::DropTail(queue) = &mut bottleneck.queue else { unreachable!("it is drop-tail") };
    queue.drop = DropFrom::Head;
    let stored = greedy(20, 1_000, bottleneck);
    let more = of(&stored).likely.packets - of(&plain).likely.packets;
    let used = |plan: &Plan| {
        let mut simulator = Simulator::new(plan, 1).expect("the plan is sound");
        simulator.run_until(plan.duration, &mut ());
        simulator.memory_of_components() as f64
    };
    let actual = used(&stored) - used(&plain);
    println!("estimated: {more} bytes more, actual: {actual}");
    assert!(actual > 100_000.0 && actual <= more && more < 10.0 * actual, "{actual} and {more}");
}
