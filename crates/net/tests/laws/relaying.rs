//! A relay that gets the packets which endpoints send does with them what the simulator does.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use ackclock_net::link::Offered;
use ackclock_net::plan::testing::dumbbell_of_reno;
use ackclock_net::plan::{RecordSpec, SourceSpec, Topology, TransportSpec};
use ackclock_net::queue::{AckFilter, QueueSpec};
use ackclock_net::relay::{Fate, MeasuredRelay, Real, Relay};
use ackclock_net::source::Distribution;
use ackclock_net::{Packet, Payload, Plan, run};
use ackclock_units::{Rate, Time};
use proptest::prelude::*;

use crate::graphs::plans;
use crate::kinds::cases;
use crate::ledger::{Ledger, Offer};

/// A packet without the ids of SACK blocks, which only the simulator has.
type Named = (u32, u32, Time, u8, bool, u64);

fn named(packet: &Packet) -> Named {
    let (is_ack, number) = match packet.payload() {
        Payload::Syn { .. } => (false, u64::MAX),
        Payload::Data { number, .. } => (false, number),
        Payload::Ack { next, .. } => (true, next),
    };
    (packet.flow().0, packet.size(), packet.sent, packet.ecn() as u8, is_ack, number)
}

/// What happens at each link, in order: arrivals, and packets that leave.
type AtLinks = BTreeMap<(u32, bool), Vec<(Time, Named, Option<Time>, Offered)>>;

fn at_links(ledger: &Ledger) -> AtLinks {
    let mut links = AtLinks::new();
    for offer in &ledger.offers {
        links.entry((offer.link, false)).or_default().push((offer.at, named(&offer.packet), None, offer.offered));
    }
    for left in &ledger.left {
        let event = (left.at, named(&left.packet), Some(left.since), left.fate);
        links.entry((left.link, true)).or_default().push(event);
    }
    links
}

/// A plan whose packets a relay can carry.
fn carried(mut plan: Plan) -> Plan {
    let Topology::Graph { links, .. } = &mut plan.topology else { unreachable!("it is a graph") };
    plan.media.clear();
    for edge in links {
        edge.link.medium = None;
        if let QueueSpec::Cake(cake) = &mut edge.link.queue {
            cake.ack_filter = AckFilter::Off;
        }
    }
    for group in &mut plan.groups {
        group.changes.clear();
        // reports of calls come from endpoints that a relay does not have
        if let SourceSpec::Call(call) = group.source {
            group.source = SourceSpec::Constant { rate: call.rate };
        }
        // a sender that limits its packets in the queue sends when one has left: after the departures of that time
        if let TransportSpec::Tcp { sender, .. } = &mut group.transport {
            Arc::make_mut(sender).limit_output_bytes = 0;
        }
    }
    plan
}

/// Runs a plan, gives the packets that entered its network to a relay, and returns what both did at the links.
fn both(plan: &Plan, seed: u64) -> (Ledger, Ledger) {
    let (simulated, _) = Ledger::of(plan, seed, &[]);
    let mut relay = Relay::new(plan, seed).expect("a relay carries it");
    // a packet enters when it is sent
    let entered = simulated.offers.iter().filter(|offer| offer.at == offer.packet.sent);
    let mut entered: Vec<_> = entered.map(|offer| (offer.at, offer.packet)).collect();
    entered.sort_by_key(|(at, _)| *at);
    let mut relayed = Ledger::until(plan.duration);
    let mut waiting: VecDeque<_> = (0_u32..).zip(entered).collect();
    let count = waiting.len();
    let (mut last, mut ended) = (Time::ZERO, 0);
    while let Some((serial, (at, packet))) = waiting.pop_front() {
        let back = matches!(packet.payload(), Payload::Ack { .. });
        relay.offer(packet, serial, back, at, &mut relayed);
        // the calls of a caller who looks at the clock in between change nothing
        if serial % 3 == 0 {
            relay.advance(at, &mut relayed);
        }
        for fate in relay.take_fates() {
            ended += 1;
            if let Fate::Delivered { at, .. } = fate {
                assert!(at >= last, "fates are in the order of time");
                last = at;
            }
        }
    }
    relay.advance(Time::MAX, &mut relayed);
    assert_eq!(ended + relay.take_fates().len(), count, "each packet has one fate");
    assert_eq!((relay.next(), relay.moving()), (None, 0));
    (simulated, relayed)
}

proptest! {
    #![proptest_config(cases(150))]

    /// Validates: packets of a run that enter a relay depart, are dropped and are marked as in the run, at the same times, for
    ///     every queue, loss, rate and delay.
    /// Source: the head of `relay.rs`.
    /// Tolerance: exact.
    #[test]
    fn a_relay_does_what_the_simulator_does(plan in plans(false), seed in any::<u64>()) {
        let plan = carried(plan);
        let (simulated, relayed) = both(&plan, seed);
        let (simulated, relayed) = (at_links(&simulated), at_links(&relayed));
        for (link, events) in &simulated {
            let own = relayed.get(link).map(Vec::as_slice).unwrap_or_default();
            let place = events.iter().zip(own).position(|(one, other)| one != other);
            prop_assert!(
                place.is_none() && own.len() == events.len(),
                "link {link:?}: {} and {} events; {:?} and {:?}",
                events.len(), own.len(),
                place.map(|place| events[place]), place.map(|place| own[place]),
            );
        }
        prop_assert_eq!(simulated.len(), relayed.len());
    }
}

#[test]
fn what_needs_endpoints_is_refused() {
    let mut plan = dumbbell_of_reno(1);
    let Topology::Dumbbell { reverse, .. } = &mut plan.topology else { unreachable!() };
    reverse.medium = Some(0);
    assert_eq!(Relay::new(&plan, 1).expect_err("a medium").field, "topology.reverse.medium");
}

/// The packets that entered the network of a run, as a caller of a [`MeasuredRelay`] sees them.
fn entered(simulated: &Ledger, counts_syn: bool) -> Vec<(Time, Real)> {
    let entering = simulated.offers.iter().filter(|offer| offer.at == offer.packet.sent);
    let mut entering: Vec<_> = entering
        .map(|Offer { at, packet, .. }| {
            let (ack, syn, number) = match packet.payload() {
                Payload::Syn { .. } => (false, true, 0),
                Payload::Data { number, .. } => (false, false, number - u64::from(counts_syn)),
                Payload::Ack { next, .. } => (true, false, next.saturating_sub(u64::from(counts_syn))),
            };
            let (flow, size, ecn) = (packet.flow().0, packet.size(), packet.ecn());
            (*at, Real { flow, ack, data: !ack, syn, size, number, sack: None, ecn })
        })
        .collect();
    entering.sort_by_key(|(at, _)| *at);
    entering
}

/// Validates: a relay that gets the packets of a run asks the sources at the times of the run, and records the same transfers
///     and retransmissions: sources with think times, requests, and finite transfers.
/// Source: the head of `relay/measured.rs`. A small queue makes losses; the first segment of a flow is a SYN, or data.
/// Tolerance: exact.
#[test]
fn a_relay_has_the_transfers_of_the_run() {
    let fixed = |mean| Distribution::Fixed { mean };
    for (counts_syn, source) in [
        (true, SourceSpec::Transfers { size: fixed(60.0), think: Distribution::Exponential { mean: 0.2 } }),
        (false, SourceSpec::Transfers { size: Distribution::Exponential { mean: 30.0 }, think: fixed(0.1) }),
        (true, SourceSpec::Requests { size: fixed(90.0), every: fixed(0.4) }),
        (true, SourceSpec::Greedy { packets: Some(700) }),
    ] {
        let mut plan = dumbbell_of_reno(3);
        let TransportSpec::Tcp { sender, .. } = &mut plan.groups[0].transport else { unreachable!("it is TCP") };
        let config = Arc::make_mut(sender);
        (config.handshake, config.max_window) = (counts_syn, 100);
        plan.groups[0].source = source;
        let Topology::Dumbbell { bottleneck, .. } = &mut plan.topology else { unreachable!("it is a dumbbell") };
        bottleneck.rate = Rate::from_mbps(8).into();
        plan.records = vec![RecordSpec::Transfers { flows: vec![0, 1, 2] }];
        let outcome = run(&plan, 5).expect("sound");
        let (ledger, _) = Ledger::of(&plan, 5, &[]);
        let mut relay = MeasuredRelay::new(Arc::new(plan.clone()), 5).expect("sound").with_sources();
        let (mut supplied, mut sent) = ([0_u64; 3], [0_u64; 3]);
        for (serial, (at, real)) in (0..).zip(entered(&ledger, counts_syn)) {
            relay.advance(at, |_| ());
            for supply in relay.take_supplies() {
                supplied[supply.flow as usize] += supply.packets;
            }
            if real.data {
                sent[real.flow as usize] = sent[real.flow as usize].max(real.number);
            }
            assert!(relay.offer(real, serial, at));
        }
        assert!(supplied.iter().zip(sent).all(|(supplied, sent)| *supplied > sent), "no data came from nowhere");
        let relayed = relay.finish();
        assert!(outcome.summary.retransmissions > 0 && outcome.groups[0].completed > 2, "losses and transfers");
        assert_eq!(relayed.summary.retransmissions, outcome.summary.retransmissions);
        assert_eq!(relayed.groups[0].completed, outcome.groups[0].completed);
        assert_eq!(relayed.groups[0].completion_mean, outcome.groups[0].completion_mean);
        let tables = [&relayed, &outcome].map(|outcome| {
            let transfers = outcome.tables.iter().filter(|table| table.name == "transfers");
            transfers.map(|table| format!("{table:?}")).collect::<Vec<_>>()
        });
        assert!(tables[0].len() == 1 && tables[0] == tables[1], "the same rows");
    }
}
