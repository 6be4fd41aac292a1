//! A relay that gets the packets which endpoints send does with them what the simulator does.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use ackclock_net::link::Offered;
use ackclock_net::plan::testing::dumbbell_of_reno;
use ackclock_net::plan::{SourceSpec, Topology, TransportSpec};
use ackclock_net::queue::{AckFilter, QueueSpec};
use ackclock_net::relay::{Fate, Relay};
use ackclock_net::{Packet, Payload, Plan};
use ackclock_units::Time;
use proptest::prelude::*;

use crate::graphs::plans;
use crate::kinds::cases;
use crate::ledger::Ledger;

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
