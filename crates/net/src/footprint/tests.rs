use std::sync::Arc;

use ackclock_units::{Rate, Time};

use super::records::COPIES;
use super::*;
use crate::backlog::Backlog;
use crate::extra_delay::{ExtraDelay, JitterSpec};
use crate::observe::ROW;
use crate::plan::testing::dumbbell_of_reno;
use crate::plan::{LinkSpec, RecordSpec, TransportSpec};
use crate::queue::{CodelSpec, DropFrom, DropTailSpec, FqSpec, Limit, QueueSpec, Ties};
use crate::simulator::Simulator;
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
    let plan = greedy(100, 1_000_000_000, link(50, 25, 50));
    let found = of(&plan);
    assert!(found.packets + found.windows < 41_667.0 * (3.0 * 48.0 + 16.0) + 1e6, "{found:?}");
    found.check(50_000_000).expect("some megabytes are enough");
}

#[test]
fn windows_that_the_path_can_fill_count() {
    // 1.6e9 packets are sent in 10 s, at most 1e9 are in flight
    let mut plan = greedy(1, 1_000_000_000, link(1_000_000, 3_600_000, 1_000_000_000_000));
    let Topology::Dumbbell { access, .. } = &mut plan.topology else { unreachable!("it is a dumbbell") };
    access[0].0 = link(1_000_000, 1, 1_000_000_000_000);
    let found = of(&plan);
    assert!(found.packets > 8e8 * 48.0, "{found:?}");
    let error = found.check(8_000_000_000).expect_err("it does not fit");
    assert!(error.problem.contains("for packets in flight), but the limit is 8 GB; lower max_window"), "{error}");
}

#[test]
fn the_largest_part_is_named_with_what_makes_it_smaller() {
    let problem = |found: Footprint| found.check(1_000_000).expect_err("too much").problem;
    let records = problem(Footprint { records: 2.5e9, flows: 1e6, ..Footprint::default() });
    let expected = "the run needs about 2.5 GB (2.5 GB of it for records and bins), but the limit is 1 MB; \
                    record fewer links or flows, or use longer intervals, or allow more memory";
    assert_eq!(records, expected);
    assert!(
        problem(Footprint { flows: 2e6, ..Footprint::default() })
            .contains("2 MB of it for flows), but the limit is 1 MB; simulate fewer")
    );
}

#[test]
fn flows_take_at_most_the_estimated_memory() {
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
        let Footprint { flows, windows, .. } = of(&plan);
        let held = (simulator.held_by_components() + measure.held()) as f64;
        assert!((flows / 2.0..flows + windows).contains(&held), "{held} of {flows} and {windows}");
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
fn a_trace_takes_its_times_in_the_plan_and_in_the_source() {
    let held = |packets| of(&traced(packets, SizeSpec::Fixed)).sources;
    assert!(held(1_000) > 1_000.0 * BIN, "{}", held(1_000));
    assert_eq!(held(3_000), 3.0 * held(1_000));
}

#[test]
fn waiting_packets_of_random_sizes_take_memory_each() {
    let [fixed, random] = [SizeSpec::Fixed, SizeSpec::Exponential].map(|sizes| of(&traced(100_000, sizes)).packets);
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
        of(&plan).packets
    };
    let [plain, kept, free] = [None, Some(false), Some(true)].map(|reorders| {
        let jitter = |reorders| JitterSpec { max: Time::SECOND, reorders };
        packets(reorders.map(jitter))
    });
    // datagrams on their last link are delivered when it accepts them, unless it reorders them
    assert_eq!(plain, kept);
    let each = (ExtraDelay::BYTES_OF_PACKET + size_of::<crate::event::Event>()) as f64;
    assert!(free - kept > 40_000.0 * each, "{kept} and {free}");
}

#[test]
fn records_take_rows_by_time_or_by_packet() {
    let rows = |record: Option<RecordSpec>| {
        let plan = Plan { records: record.into_iter().collect(), ..greedy(2, 20, link(50, 25, 50)) };
        of(&plan).records / (COPIES * ROW as f64)
    };
    let bins = rows(None);
    let rows = |record| rows(Some(record)) - bins;
    let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
    let (both, every) = (vec![0, 1], Time::from_millis(100));
    // 10 s contain 100 samples of each link or flow
    near(rows(RecordSpec::Arrivals { links: both.clone(), bin: every }), 200.0);
    near(rows(RecordSpec::Queue { links: both.clone(), every }), 200.0);
    near(rows(RecordSpec::Throughput { flows: both.clone(), bin: every }), 200.0);
    near(rows(RecordSpec::LinkThroughput { links: both.clone(), bin: every }), 200.0);
    near(rows(RecordSpec::Gauges { links: both.clone(), every }), 1_600.0);
    near(rows(RecordSpec::Windows { flows: both.clone(), every: Some(every) }), 200.0);
    near(rows(RecordSpec::States { flows: both.clone(), every: Some(every) }), 14.0 * 200.0);
    let sent = rows(RecordSpec::Packets { links: both.clone() }) / 3.0;
    near(rows(RecordSpec::Drops { links: both.clone() }), sent / 10.0);
    near(rows(RecordSpec::Marks { links: both.clone() }), sent);
    // for the link of a client, the traffic of all links is the upper limit
    let all = rows(RecordSpec::Packets { links: vec![2] }) / 3.0;
    assert!(all > sent, "{all} and {sent}");
    near(rows(RecordSpec::Acks { flows: both.clone() }), all / 3.0);
    near(rows(RecordSpec::Acks { flows: vec![1] }), all / 6.0);
    near(rows(RecordSpec::Windows { flows: both.clone(), every: None }), all / 3.0);
    near(rows(RecordSpec::States { flows: both.clone(), every: None }), 5.0 * all);
    near(rows(RecordSpec::Transfers { flows: both }), 2.0 + all / 10.0);
}

#[test]
fn sums_are_numbers_whatever_starts_late_or_never_ends() {
    let mut plan = greedy(3, 1_000_000_000, link(1, 1, 10));
    plan.groups[0].start = plan.duration;
    assert!(of(&plan).total().is_finite());
    plan.duration = Time::MAX;
    plan.records = vec![RecordSpec::Packets { links: (0..8).collect() }];
    assert!(of(&plan).total().is_finite());
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
        (of(&plan).total(), simulator.held_by_components() as f64)
    };
    let (few, many) = (estimated(1), estimated(10_000));
    assert!(many.1 - few.1 > 50.0 * 9_999.0 * 40.0, "{many:?}");
    assert!((many.0 - few.0) >= (many.1 - few.1), "{many:?} and {few:?}");
    assert!((many.0 - few.0) < 1.1 * (many.1 - few.1), "{many:?} and {few:?}");
}

/// Packets that a discipline stores, with the actual memory of the link.
#[test]
fn stored_packets_take_memory() {
    let codel = CodelSpec {
        limit: Limit::Packets(10_000),
        count_in_service: false,
        target: Time::SECOND.saturating_mul(100),
        interval: Time::SECOND,
        mtu: 1500,
        ecn: false,
        ce_threshold: None,
    };
    let plain = greedy(20, 1_000, link(10, 25, 10_000));
    let bottleneck = LinkSpec { queue: QueueSpec::Codel(codel), ..link(10, 25, 10_000) };
    let stored = greedy(20, 1_000, bottleneck);
    let more = of(&stored).packets - of(&plain).packets;
    let held = |plan: &Plan| {
        let mut simulator = Simulator::new(plan, 1).expect("the plan is sound");
        simulator.run_until(plan.duration, &mut ());
        simulator.held_by_components() as f64
    };
    let actual = held(&stored) - held(&plain);
    println!("estimated: {more} bytes more, actual: {actual}");
    assert!(actual > 100_000.0 && actual <= more && more < 10.0 * actual, "{actual} and {more}");
}
