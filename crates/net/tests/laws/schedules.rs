//! Sources that pause: when data is sent, and how flows share a link that others join and leave.

use std::collections::BTreeSet;
use std::sync::Arc;

use ackclock_net::plan::testing::dumbbell_of_reno;
use ackclock_net::plan::{GroupSpec, SourceSpec, Topology, TransportSpec};
use ackclock_net::source::{ScheduleSpec, Stop, Unfinished};
use ackclock_net::{Payload, Plan};
use ackclock_tcp::SenderConfig;
use ackclock_units::Time;
use proptest::prelude::*;

use crate::graphs::{flows, plans};
use crate::kinds::cases;
use crate::ledger::{Ledger, Offer, name};

/// Groups of one flow each over a bottleneck of 50 Mb/s and 100 ms, whose window is as large as the path.
fn plan(schedules: &[(u64, ScheduleSpec)], packets: Option<u64>) -> Plan {
    let mut plan = dumbbell_of_reno(1);
    let sender = SenderConfig { max_window: 10, initial_window: 10, ..SenderConfig::default() };
    plan.groups = schedules
        .iter()
        .map(|(start, schedule)| {
            let mut group = GroupSpec {
                start: Time::from_millis(*start),
                source: SourceSpec::Greedy { packets },
                schedule: Some(Arc::new(schedule.clone())),
                ..plan.groups[0].clone()
            };
            if let TransportSpec::Tcp { sender: config, .. } = &mut group.transport {
                *config = Arc::new(sender.clone());
            }
            group
        })
        .collect();
    if let Topology::Dumbbell { access, .. } = &mut plan.topology {
        *access = vec![access[0].clone(); schedules.len()];
    }
    plan
}

/// Data packets that a flow sent for the first time.
fn sent(plan: &Plan, flow: u32) -> Vec<Time> {
    let (ledger, _) = Ledger::of(plan, 1, &[]);
    let mut numbers = BTreeSet::new();
    let mut times = Vec::new();
    for Offer { link, packet, .. } in &ledger.offers {
        let is_data = matches!(packet.payload(), Payload::Data { .. });
        let is_first = is_data && *link == 2 + 2 * flow && packet.flow().0 == flow;
        if is_first && numbers.insert(name(packet)) {
            times.push(packet.sent);
        }
    }
    times
}

/// A window of ten packets and a round trip of 102.88 ms: 10 Mb/s at the access link, 50 Mb/s and 40 bytes back.
///
/// Validates: a flow with a window of 10 packets, active from 1 s to 3 s and from 5 s to 6 s, sends 10 packets a round
///   trip then and nothing else; the rest of its transfer is sent in the second period.
/// Source: arithmetic.
/// Tolerance: exact, except for the part of a round trip at the end of a period.
#[test]
fn a_flow_sends_in_its_periods_only() {
    let seconds = |seconds| Time::SECOND.saturating_mul(seconds);
    let periods =
        |unfinished| ScheduleSpec { stop: Stop::At(seconds(3)), again: vec![[seconds(5), seconds(6)]], unfinished };
    let in_period =
        |times: &[Time], from, until| times.iter().filter(|at| (seconds(from)..seconds(until)).contains(at)).count();
    let times = sent(&plan(&[(1_000, periods(Unfinished::Dropped))], None), 0);
    let round = 0.1 + (1500.0 / 10e6 + 1500.0 / 50e6 + 40.0 / 50e6 + 40.0 / 10e6) * 8.0;
    for (from, until) in [(1, 3), (5, 6)] {
        let windows = ((until - from) as f64 / round).floor() as usize;
        let found = in_period(&times, from, until);
        println!("measured: {found} packets of {windows} whole windows of 10");
        assert!((10 * windows..=10 * windows + 10).contains(&found), "{found}");
    }
    assert_eq!(in_period(&times, 0, 10), in_period(&times, 1, 3) + in_period(&times, 5, 6));
    // 250 packets do not fit into the first period
    let finite = sent(&plan(&[(1_000, periods(Unfinished::Dropped))], Some(250)), 0);
    assert_eq!((finite.len(), in_period(&finite, 1, 3) + in_period(&finite, 5, 6)), (250, 250));
    let drained = sent(&plan(&[(1_000, periods(Unfinished::Drained))], Some(250)), 0);
    assert_eq!((drained.len(), in_period(&drained, 1, 4)), (250, 250));
}

/// Validates: a flow with `duration` stops that long after its own random start.
/// Source: the definition.
/// Tolerance: exact.
#[test]
fn a_duration_begins_with_the_start_of_each_flow() {
    let lasts = ScheduleSpec { stop: Stop::After(Time::SECOND), again: Vec::new(), unfinished: Unfinished::Dropped };
    let mut plan = plan(&[(500, lasts)], None);
    (plan.groups[0].count, plan.groups[0].spread) = (5, Time::SECOND.saturating_mul(4));
    let mut starts = Vec::new();
    for flow in 0..5 {
        let times = sent(&plan, flow);
        let (first, last) = (times[0], times[times.len() - 1]);
        assert!(last < first + Time::SECOND && last + Time::from_millis(220) > first + Time::SECOND);
        starts.push(first);
    }
    starts.sort();
    assert!(starts.windows(2).all(|pair| pair[0] < pair[1]));
}

proptest! {
    #![proptest_config(cases(100))]

    /// Validates: where the rest is dropped, no data is sent for the first time outside of the periods of its source.
    /// Source: the definition.
    /// Tolerance: exact.
    #[test]
    fn nothing_new_is_sent_in_a_pause(plan in plans(false), seed in any::<u64>()) {
        let (ledger, _) = Ledger::of(&plan, seed, &[]);
        let flows = flows(&plan);
        for Offer { packet, .. } in &ledger.offers {
            let group = flows[packet.flow().0 as usize];
            let Some(schedule) = &group.schedule else { continue };
            let Payload::Data { retransmission: false, .. } = packet.payload() else { continue };
            let Stop::At(end) = schedule.stop else { unreachable!("plans here stop at a time") };
            let again = schedule.again[0];
            let at = packet.sent;
            let is_active = (group.start..end).contains(&at) || (again[0]..again[1]).contains(&at);
            prop_assert!(is_active || schedule.unfinished == Unfinished::Drained, "{at}");
        }
    }
}
