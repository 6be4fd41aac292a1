//! Senders that act ahead of the clock.

use std::sync::Arc;

use ackclock_net::link::loss::LossSpec;
use ackclock_net::plan::testing::dumbbell_of_reno;
use ackclock_net::plan::{GroupSpec, LinkSpec, SourceSpec, Topology, TransportSpec};
use ackclock_net::queue::{Limit, QueueSpec};
use ackclock_net::{FlowId, Observation, Observer, Plan, Simulator};
use ackclock_tcp::{EcnMode, ReceiverConfig, Sender, SenderConfig};
use ackclock_units::{Rate, Time};
use proptest::prelude::*;
use proptest::sample::select;

use super::graphs::queues;
use super::kinds::{cases, senders};
use super::ledger::Ledger;
use super::media::{can_share, medium};

/// A ledger that takes the events of different endpoints in any order.
struct Unordered(Ledger);

impl Observer for Unordered {
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        self.0.observe(now, seen);
    }

    fn orders_endpoints(&self) -> bool {
        false
    }
}

/// The events of a run, the states of its senders at each stop, and the number of events.
fn seen(plan: &Plan, seed: u64, stops: &[Time], ahead: bool) -> (Ledger, Vec<String>, u64) {
    let mut simulator = Simulator::new(plan, seed).expect("the plan is sound");
    let mut ledger = Unordered(Ledger::until(plan.duration));
    let mut states = Vec::new();
    for stop in stops.iter().chain([&plan.duration]) {
        if ahead {
            simulator.run_until(*stop, &mut ledger);
        } else {
            simulator.run_until(*stop, &mut ledger.0);
        }
        for flow in 0..plan.groups.iter().map(|group| group.count).sum() {
            let (windows, counters) =
                (simulator.sender(FlowId(flow)).map(Sender::windows), simulator.counters(FlowId(flow)));
            states.push(format!("{windows:?} {counters:?} {:?}", simulator.limits(flow as usize, *stop)));
        }
    }
    (ledger.0.by_place(), states, simulator.events())
}

fn sources() -> impl Strategy<Value = SourceSpec> {
    let greedy = Just(SourceSpec::Greedy { packets: None });
    prop_oneof![2 => greedy, 1 => (20.0..400.0).prop_map(|rate| SourceSpec::Poisson { rate })]
}

fn groups() -> impl Strategy<Value = (GroupSpec, (LinkSpec, LinkSpec))> {
    // on the slowest links, ACKs follow each other closely
    let rates = (select(vec![1_000_u64, 10_000, 100_000]), select(vec![100_u64, 1_000, 100_000]));
    let access = (rates, 0_u64..30_000, select(vec![3_u64, 100_000]));
    (1_u32..6, senders(), sources(), access, 0_u64..2_000, prop::bool::weighted(0.1)).prop_map(
        |(count, sender, source, (rates, micros, room), spread, reverse)| {
            let ecn =
                if sender.congestion.check_feedback(EcnMode::Off).is_ok() { EcnMode::Off } else { EcnMode::Accurate };
            let is_quick = sender.congestion.check_tick(sender.timer_tick).is_ok();
            let timer_tick = if is_quick { sender.timer_tick } else { Time::from_millis(4) };
            let sender = SenderConfig { ecn, timer_tick, ..sender };
            let SenderConfig { handshake, max_window, packet_size, .. } = sender;
            let usual = ReceiverConfig::default();
            let receiver = ReceiverConfig { ecn, handshake, max_window, delayed_ack: false, ..usual };
            let plan = dumbbell_of_reno(count);
            let Topology::Dumbbell { access, .. } = &plan.topology else { unreachable!("a dumbbell") };
            let link = |kbps: u64| {
                let mut link = access[0].0.clone();
                link.rate = Rate::from_bps(1_000 * kbps).expect("a rate").into();
                link.delay = Time::from_micros(micros);
                if let QueueSpec::DropTail(queue) = &mut link.queue {
                    queue.limit = Limit::Packets(room);
                }
                link
            };
            let transport = TransportSpec::Tcp { sender: Arc::new(sender), receiver };
            let spread = Time::from_millis(spread);
            let group = GroupSpec { transport, source, spread, reverse, packet_size, ..plan.groups[0].clone() };
            (group, (link(rates.0), link(rates.1)))
        },
    )
}

fn dumbbells() -> impl Strategy<Value = Plan> {
    let bottleneck = (1_u64..30, 0_u64..20_000, queues(), select(vec![0.0, 0.0, 0.01, 0.1]));
    let media = prop::option::weighted(0.4, medium());
    (prop::collection::vec(groups(), 1..4), bottleneck, media).prop_map(
        |(groups, (mbps, micros, queue, loss), medium)| {
            let mut plan = dumbbell_of_reno(1);
            let Topology::Dumbbell { bottleneck, reverse, access } = &mut plan.topology else {
                unreachable!("a dumbbell")
            };
            for link in [&mut *bottleneck, reverse] {
                (link.rate, link.delay) = (Rate::from_mbps(mbps).into(), Time::from_micros(micros));
            }
            bottleneck.queue = queue;
            // the frames of an aggregate arrive together, and their ACKs within one event
            if can_share(bottleneck) && medium.is_some() {
                bottleneck.medium = Some(0);
                plan.media = medium.into_iter().collect();
            }
            bottleneck.loss = (loss > 0.0).then_some(LossSpec::Random { probability: loss, idle: None });
            (plan.groups, *access) = groups.into_iter().unzip();
            Plan { duration: Time::from_millis(4_000), ..plan }
        },
    )
}

proptest! {
    #![proptest_config(cases(300))]

    /// Runs a dumbbell with senders in step and with senders that act ahead.
    ///
    /// Validates: what happens at each link and endpoint, and the states of senders at each stop, do not depend on whether
    ///   ACKs reach their senders ahead of the clock.
    /// Source: the general path of the engine.
    /// Tolerance: exact.
    #[test]
    fn senders_do_the_same_ahead_of_the_clock(
        plan in dumbbells(),
        seed in any::<u64>(),
        mut stops in prop::collection::vec(0_u64..4_000, 0..5),
    ) {
        stops.sort_unstable();
        let stops: Vec<_> = stops.into_iter().map(Time::from_millis).collect();
        let (in_step, states, events) = seen(&plan, seed, &stops, false);
        let (ahead, same, fewer) = seen(&plan, seed, &stops, true);
        prop_assert_eq!(in_step, ahead);
        prop_assert_eq!(states, same);
        prop_assert!(fewer <= events, "{} events, {} in step", fewer, events);
    }
}

/// Most ACKs of the burstiness paper's clients need no event.
#[test]
fn most_acks_reach_their_senders_ahead_of_the_clock() {
    let plan = dumbbell_of_reno(60);
    let (in_step, ahead) = (seen(&plan, 1, &[], false), seen(&plan, 1, &[], true));
    assert!(ahead.2 * 10 < in_step.2 * 6, "{} events, {} in step", ahead.2, in_step.2);
    assert_eq!((in_step.0, in_step.1), (ahead.0, ahead.1));
}
