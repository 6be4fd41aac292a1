//! The memory of a running simulation, and its limit.
//!
//! A failed allocation would end the process. A run therefore adds up its memory after every few thousand events, and
//! ends with an error if the memory exceeds its limit. The sum contains everything that flows, links, packets in flight,
//! measurements and records use. Instead of all but the records, it contains the memory for reading the longest table
//! if that is more, since tables are read when the rest is freed. Visiting every flow takes time, so a run
//! with more flows does it less often. Between two checks the memory grows by a few megabytes at most, since one event
//! sends few packets.

use std::mem::replace;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::engine::simulator::Simulator;
use crate::guard::{MOST_ROWS, shown, too_many_rows};
use crate::observe::Watchers;
use crate::packet::MAX_SEGMENTS;
use crate::plan::PlanError;

/// Minimum number of events between two checks; the engine processes them in some milliseconds.
pub(crate) const EVENTS: u64 = 1 << 14;
/// Cost of a simulation step, expressed in events. A step ends whenever samples are taken.
const EVENTS_OF_STEP: u64 = 16;
/// Events per component between two visits to all components, so that visits cost almost nothing.
const EVENTS_OF_VISIT: u64 = 64;
/// The memory that the independent parts of a run use together.
pub(crate) struct Memory {
    bound: u64,
    used: AtomicU64,
}

impl Memory {
    pub(crate) const fn of(bound: u64) -> Self {
        Self { bound, used: AtomicU64::new(0) }
    }

    /// Updates the memory that one part of the run uses from `before`, the value reported last, to `now`. Returns the
    /// memory of all parts if it exceeds the limit.
    fn update(&self, before: u64, now: u64) -> Result<(), u64> {
        let used = self.used.fetch_add(now.wrapping_sub(before), Relaxed).wrapping_add(now).wrapping_sub(before);
        if used <= self.bound { Ok(()) } else { Err(used) }
    }
}

/// The memory that a part of a run uses, in bytes, by purpose.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    /// Flows with their windows, links with the packets that they store, and measurements.
    components: usize,
    in_flight: usize,
    records: usize,
    /// Reading the longest table, after the run.
    reading: usize,
}

impl Usage {
    fn total(self) -> u64 {
        (self.records + self.reading.max(self.components + self.in_flight)) as u64
    }

    /// The error for a run that exceeds its limit: what has grown most, and what to do.
    fn too_much(self, used: u64, bound: u64, simulator: &Simulator, rows: usize) -> PlanError {
        let Self { components, in_flight, records, reading } = self;
        let parts = [
            (components, "flows, links and windows".to_owned(), "lower count, max_window or the queue limits"),
            (in_flight, "packets in flight".to_owned(), "lower max_window, the queue limits, or the sources' rates"),
            (
                records + reading,
                format!("records with {rows} rows"),
                "record fewer links or flows, or use longer intervals",
            ),
        ];
        let (most, what, remedy) = parts.into_iter().max_by_key(|(bytes, ..)| *bytes).unwrap_or_default();
        let [most, used, bound] = [most as u64, used, bound].map(|bytes| shown(bytes as f64));
        let now = simulator.now().as_secs_f64();
        let problem = format!("at {now:.3} s the run takes {used} ({most} of it for {what}), but the limit is {bound}");
        PlanError::new("memory", format!("{problem}; {remedy}, shorten the run, or allow more memory"))
    }
}

/// Periodic check of the memory that a part of a run uses.
pub(crate) struct MemoryCheck<'a> {
    memory: &'a Memory,
    /// Steps so far, and the numbers of events at which the next check and the next visit to all components are due.
    steps: u64,
    next: u64,
    next_visit: u64,
    /// Bytes of the components at the last visit, and of everything at the last check.
    components: usize,
    used: u64,
}

impl<'a> MemoryCheck<'a> {
    pub(crate) const fn new(memory: &'a Memory) -> Self {
        Self { memory, steps: 0, next: EVENTS, next_visit: 0, components: 0, used: 0 }
    }

    /// Whether a check is due.
    pub(crate) const fn is_due(&mut self, simulator: &Simulator) -> bool {
        self.steps += 1;
        simulator.events() + EVENTS_OF_STEP * self.steps > self.next
    }

    /// Adds up the memory, and compares it with the limit.
    pub(crate) fn update(&mut self, simulator: &Simulator, watchers: &Watchers) -> Result<(), PlanError> {
        let (components, agendas) = simulator.components();
        let events = simulator.events() + EVENTS_OF_STEP * self.steps;
        self.next = events + EVENTS.max(agendas as u64);
        if events >= self.next_visit {
            self.next_visit = events + EVENTS_OF_VISIT * components as u64;
            self.components = simulator.memory_of_components() + watchers.memory();
            check_segments(simulator.most_settled())?;
        }
        if watchers.recorder.rows() > MOST_ROWS {
            return Err(too_many_rows());
        }
        let used = Usage {
            components: self.components,
            in_flight: simulator.memory_in_flight(),
            records: watchers.recorder.memory(),
            reading: watchers.recorder.reading(),
        };
        let total = used.total();
        self.memory
            .update(replace(&mut self.used, total), total)
            .map_err(|all| used.too_much(all, self.memory.bound, simulator, watchers.recorder.rows()))
    }

    /// Called when a part of the run ends and keeps only `kept` bytes, fewer than before.
    pub(crate) fn end(&mut self, kept: u64) {
        let kept = kept.min(self.used);
        // other parts report an excess at their next check
        let _ = self.memory.update(replace(&mut self.used, kept), kept);
    }
}

/// Checks that the segment numbers of a flow still fit into packets. The other half of the numbers is more than a flow
/// sends until the next check.
pub(crate) fn check_segments(most: u64) -> Result<(), PlanError> {
    let limit = MAX_SEGMENTS / 2;
    if most <= limit {
        return Ok(());
    }
    Err(PlanError::new(
        "duration",
        format!("a flow sends more than {limit} packets, which is the maximum; shorten the run"),
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ackclock_tcp::SenderConfig;
    use ackclock_units::{Rate, Time};

    use super::*;
    use crate::engine::run::{Means, run, run_with_progress};
    use crate::observe::{Observation, Observer};
    use crate::plan::testing::dumbbell_of_reno;
    use crate::plan::{LinkSpec, Plan, RecordSpec, SourceSpec, Topology, TransportSpec};
    use crate::queue::{DropFrom, DropTailSpec, Limit, QueueSpec, Ties};
    use crate::sizes::SizeSpec;
    use crate::source::TraceSpec;

    /// Links with a large buffer, a high rate and a long delay.
    fn wide() -> LinkSpec {
        let limit = Limit::Packets(1_000_000_000_000);
        LinkSpec::plain(
            Rate::from_mbps(100_000).into(),
            Time::from_millis(50),
            QueueSpec::DropTail(DropTailSpec {
                limit,
                count_in_service: true,
                ties: Ties::Departure,
                mark_above: 0,
                drop: DropFrom::Tail,
            }),
        )
    }

    /// A plan of flows over [`wide`] links with an initial window of `window`.
    fn flooding(window: u32) -> Plan {
        let mut plan = dumbbell_of_reno(2);
        plan.topology = Topology::Dumbbell { bottleneck: wide(), reverse: wide(), access: vec![(wide(), wide())] };
        let sender = SenderConfig { max_window: window, initial_window: window, ..SenderConfig::default() };
        plan.groups[0].source = SourceSpec::Greedy { packets: None };
        let TransportSpec::Tcp { receiver, .. } = plan.groups[0].transport else { unreachable!("Reno is TCP") };
        plan.groups[0].transport = TransportSpec::Tcp { sender: Arc::new(sender), receiver };
        plan
    }

    fn within(plan: &Plan, memory: u64) -> Result<f64, PlanError> {
        let mut done = 0.0;
        let report = |fraction| {
            done = fraction;
            Ok::<(), PlanError>(())
        };
        run_with_progress(plan, 1, Means { threads: 1, memory }, report).map(|_| done)
    }

    #[test]
    fn a_run_that_cannot_fit_is_refused_before_it_begins() {
        let error = within(&dumbbell_of_reno(1_000_000), 100_000_000).expect_err("a million flows");
        assert_eq!(error.field, "memory");
        assert!(error.problem.starts_with("the run needs at least "), "{error}");
        assert!(
            error.problem.contains("for flows and links), but the limit is 100 MB; simulate fewer flows"),
            "{error}"
        );
    }

    /// Windows, queues and rates allow 10^9 packets in flight, but the source has few.
    #[test]
    fn a_run_that_could_grow_is_not_refused() {
        let mut plan = flooding(1_000_000_000);
        plan.groups[0].source = SourceSpec::Greedy { packets: Some(1_000) };
        within(&plan, 10_000_000).expect("2,000 packets fit");
    }

    #[test]
    fn records_count_with_the_memory_for_reading_them() {
        let mut plan = Plan { duration: Time::SECOND.saturating_mul(200), ..dumbbell_of_reno(2) };
        plan.groups[0].source = SourceSpec::Greedy { packets: None };
        plan.records = vec![RecordSpec::Packets { links: vec![0, 1, 2, 3] }];
        let error = within(&plan, 5_000_000).expect_err("some 80,000 packets at four links");
        assert_eq!(error.field, "memory");
        assert!(error.problem.contains(" of it for records with ") && error.problem.contains(" rows)"), "{error}");
        assert!(
            error.problem.ends_with(
                "but the limit is 5 MB; record fewer links or flows, or use longer intervals, \
             shorten the run, or allow more memory"
            ),
            "{error}"
        );
        let outcome = run(&plan, 1).expect("unlimited");
        let bytes = outcome.rows * plan.records[0].bytes_to_read();
        assert!(bytes > 5_000_000, "{bytes}");
        within(&plan, 3 * bytes as u64).expect("three times as much as reading the rows takes");
    }

    #[test]
    fn a_run_that_outgrows_its_bound_ends_with_an_error() {
        // the estimate passes, but the actual run exceeds this limit
        let plan = Plan { duration: Time::SECOND.saturating_mul(3), ..flooding(200_000) };
        let mut simulator = Simulator::new(&plan, 1).expect("sound");
        let watchers = Watchers::new(&plan, &simulator).expect("sound");
        let memory = Memory::of(2_000_000);
        let mut check = MemoryCheck::new(&memory);
        let ended = loop {
            let is_there = simulator.run_some(plan.duration, EVENTS, &mut ());
            if let Err(error) = check.update(&simulator, &watchers) {
                break error;
            }
            assert!(!is_there, "200,000 packets take 9.6 MB");
        };
        assert_eq!(ended.field, "memory");
        assert!(ended.problem.contains("of it for packets in flight), but the limit is 2 MB; "), "{ended}");
        assert!(simulator.memory_in_flight() < 60_000_000, "the run ended soon after it exceeded the limit");
    }

    #[test]
    fn a_run_ends_before_segment_numbers_wrap_around() {
        check_segments(MAX_SEGMENTS / 2).expect("still allowed");
        let error = check_segments(MAX_SEGMENTS / 2 + 1).expect_err("too many");
        assert_eq!(error.field, "duration");
        assert!(error.problem.contains("more than 549755813888 packets"), "{error}");
    }

    #[test]
    fn parts_share_the_bound_and_return_what_they_no_longer_use() {
        let memory = Memory::of(100);
        memory.update(0, 60).expect("within the limit");
        memory.update(0, 60).expect_err("above the limit");
        memory.update(60, 10).expect("less than before");
        memory.update(60, 80).expect("10 and 80");
        assert_eq!(memory.used.into_inner(), 90);
    }

    /// Counts packets that are offered to links.
    struct Offers(u64);

    impl Observer for Offers {
        fn observe(&mut self, _: Time, seen: &Observation<'_>) {
            self.0 += u64::from(matches!(seen, Observation::Offered { .. }));
        }
    }

    /// Maximum number of packets offered to links in one event, and the total.
    fn offered(plan: &Plan) -> (u64, u64) {
        let mut simulator = Simulator::new(plan, 1).expect("sound");
        let (mut offers, mut most) = (Offers(0), 0);
        loop {
            let before = offers.0;
            let is_there = simulator.run_some(plan.duration, 1, &mut offers);
            most = most.max(offers.0 - before);
            if is_there {
                return (most, offers.0);
            }
        }
    }

    #[test]
    fn an_event_sends_few_packets_whatever_the_window_and_the_source_allow() {
        let tcp = Plan { duration: Time::SECOND.saturating_mul(3), ..flooding(10_000) };
        let mut udp = tcp.clone();
        udp.groups[0].transport = TransportSpec::Udp { sizes: SizeSpec::Fixed };
        let burst =
            TraceSpec { times: vec![Time::ZERO], packets: Some(vec![10_000]), period: None, offset: Some(Time::ZERO) };
        udp.groups[0].source = SourceSpec::Trace(Arc::new(burst));
        for plan in [tcp, udp] {
            let (most, all) = offered(&plan);
            assert!(all >= 20_000, "{all}");
            assert!(most <= 2 * 64, "at the client's link and at the next one: {most}");
        }
    }

    #[test]
    fn a_flow_that_was_interrupted_wakes_again_in_the_same_round() {
        let mut plan = flooding(1);
        plan.groups[0].transport = TransportSpec::Udp { sizes: SizeSpec::Fixed };
        let times = [0, 1, 2].map(Time::from_micros).to_vec();
        let bursts = TraceSpec { times, packets: Some(vec![100, 100, 7]), period: None, offset: Some(Time::ZERO) };
        plan.groups[0].source = SourceSpec::Trace(Arc::new(bursts));
        // two flows, each of which crosses two links
        assert_eq!(offered(&plan).1, 2 * 2 * 207);
    }

    #[test]
    fn progress_is_reported_by_events_and_at_the_end() {
        let mut reported = Vec::new();
        let plan = Plan { duration: Time::SECOND.saturating_mul(1_000), ..dumbbell_of_reno(1) };
        let report = |fraction| {
            reported.push(fraction);
            Ok::<(), PlanError>(())
        };
        let events = run_with_progress(&plan, 1, Means::UNBOUNDED, report).expect("sound").events;
        assert_eq!(reported.len() as u64, events / (EVENTS + 1) + 1, "{events} events");
        assert!(reported.is_sorted() && reported.last() == Some(&1.0));
    }
}
