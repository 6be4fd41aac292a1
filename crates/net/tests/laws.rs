//! Laws of the whole network, over random networks: conservation, determinism, and what a link may carry.

use std::sync::Arc;

use ackclock_net::link::Offered;
use ackclock_net::loss::LossSpec;
use ackclock_net::observe::Values;
use ackclock_net::plan::{
    EdgeSpec, GroupSpec, LinkSpec, MeasureSpec, Plan, RecordSpec, SourceSpec, Topology, TransportSpec,
};
use ackclock_net::queue::{DropTailSpec, Limit, QueueSpec};
use ackclock_net::{Observation, Observer, Packet, Payload, Simulator, run};
use ackclock_tcp::congestion::{BaseRtt, LawSpec, RenoSpec, VegasSpec};
use ackclock_tcp::recovery::RecoverySpec::{self, NewReno, Reno, Sack, Tahoe, Vegas};
use ackclock_tcp::{ReceiverConfig, SackRule, SenderConfig};
use ackclock_units::{Rate, Time};
use proptest::prelude::*;

/// Everything offered to each link and delivered to each flow.
#[derive(Default)]
struct Ledger {
    offered: Vec<(u32, Time, Packet, Offered)>,
    delivered: Vec<(Time, Packet, u64)>,
}

impl Observer for Ledger {
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        match seen {
            Observation::Offered { link, packet, offered } => self.offered.push((link.0, now, **packet, *offered)),
            Observation::Delivered { packet, in_order } => self.delivered.push((now, **packet, *in_order)),
            _ => {}
        }
    }
}

#[derive(Clone, Debug)]
struct Hop {
    mbps: u64,
    millis: u64,
    packets: u64,
}

#[derive(Clone, Debug)]
struct Member {
    /// From and to, as places along the chain.
    path: (u32, u32),
    recovery: RecoverySpec,
    fall_floyd: bool,
    delayed_ack: bool,
    packets: u64,
    start_millis: u64,
}

/// A chain of up to five nodes, links both ways, with transfers that start anywhere, end anywhere, and end.
fn plans() -> impl Strategy<Value = Plan> {
    let hop = (1_u64..20, 0_u64..40, 2_u64..30).prop_map(|(mbps, millis, packets)| Hop { mbps, millis, packets });
    let lost = prop::collection::vec(1_u64..60, 0..4);
    (prop::collection::vec(hop, 1..5), lost).prop_flat_map(|(hops, lost)| {
        let nodes = hops.len() as u32 + 1;
        let path = (0..nodes, 1..nodes).prop_map(move |(from, step)| (from, (from + step) % nodes));
        let recoveries = [Tahoe, Reno, NewReno, Sack, Vegas].as_slice();
        let recovery = prop::sample::select(recoveries);
        let member = (path, recovery, any::<bool>(), any::<bool>(), 1_u64..120, 0_u64..500).prop_map(
            |(path, recovery, fall_floyd, delayed_ack, packets, start_millis)| Member {
                path,
                recovery,
                fall_floyd,
                delayed_ack,
                packets,
                start_millis,
            },
        );
        prop::collection::vec(member, 1..6).prop_map(move |members| chain(&hops, &lost, &members))
    })
}

fn chain(hops: &[Hop], lost: &[u64], members: &[Member]) -> Plan {
    let links = hops.iter().zip(0_u32..).flat_map(|(hop, at)| {
        let link = LinkSpec {
            rate: Rate::from_mbps(hop.mbps),
            delay: Time::from_millis(hop.millis),
            queue: QueueSpec::DropTail(DropTailSpec { limit: Limit::Packets(hop.packets), count_in_service: true }),
            loss: Some(LossSpec::List { packets: lost.to_vec(), syns: 0 }),
        };
        [(at, at + 1), (at + 1, at)].map(|(from, to)| EdgeSpec { from, to, link: link.clone() })
    });
    let group = |member: &Member| {
        let vegas = VegasSpec { alpha: 1.0, beta: 3.0, gamma: 1.0, base_rtt: BaseRtt::Minimum };
        let congestion = if member.recovery == Vegas { LawSpec::Vegas(vegas) } else { LawSpec::Reno(RenoSpec {}) };
        let sack = if member.fall_floyd { SackRule::FallFloyd } else { SackRule::Rfc6675 };
        let overhead = Time::from_micros(12);
        GroupSpec {
            count: 1,
            path: Some(member.path),
            reverse: false,
            packet_size: 1500,
            start: Time::from_millis(member.start_millis),
            transport: TransportSpec::Tcp {
                sender: Arc::new(SenderConfig {
                    recovery: member.recovery,
                    sack,
                    congestion,
                    overhead,
                    ..SenderConfig::default()
                }),
                receiver: ReceiverConfig {
                    delayed_ack: member.delayed_ack.then_some(Time::from_millis(200)),
                    sack_blocks: if member.recovery == Sack { 4 } else { 0 },
                    ..ReceiverConfig::default()
                },
            },
            source: SourceSpec::Greedy { packets: Some(member.packets) },
        }
    };
    Plan {
        duration: Time::SECOND.saturating_mul(4_000),
        measure: MeasureSpec { from: Time::ZERO, bin: Time::SECOND, link: 0 },
        topology: Topology::Graph { nodes: hops.len() as u32 + 1, links: links.collect() },
        groups: members.iter().map(group).collect(),
        records: Vec::new(),
    }
}

fn ledger(plan: &Plan) -> Ledger {
    let mut ledger = Ledger::default();
    Simulator::new(plan, 1).unwrap().run_until(plan.duration, &mut ledger);
    ledger
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn nothing_is_lost_that_was_not_dropped_and_every_transfer_ends(plan in plans()) {
        let ledger = ledger(&plan);
        for (flow, group) in (0_u32..).zip(&plan.groups) {
            let SourceSpec::Greedy { packets: Some(packets) } = group.source else { unreachable!() };
            let in_order: u64 = ledger.delivered.iter().filter(|(_, packet, _)| packet.flow.0 == flow).map(|seen| seen.2).sum();
            prop_assert_eq!(in_order, packets, "each packet reaches the application once");
        }
        // what a link accepts reaches the next link or its endpoint at the moment told; senders see the ACKs, which end here
        for (link, now, packet, offered) in &ledger.offered {
            if let Offered::Accepted { start, arrival, .. } = offered {
                prop_assert!(now <= start && start < arrival);
                let went_on = ledger.offered.iter().any(|seen| seen.1 == *arrival && same(&seen.2, packet) && seen.0 != *link);
                let arrived = ledger.delivered.iter().any(|seen| seen.0 == *arrival && same(&seen.1, packet));
                let is_ack = matches!(packet.payload, Payload::Ack { .. });
                prop_assert!(went_on || arrived || is_ack, "{packet:?} vanished after link {link}");
            }
        }
    }

    #[test]
    fn a_link_sends_one_packet_at_a_time_in_order_at_its_rate(plan in plans()) {
        let ledger = ledger(&plan);
        let Topology::Graph { links, .. } = &plan.topology else { unreachable!() };
        for (id, edge) in (0_u32..).zip(links) {
            let mut free = Time::ZERO;
            let mut last_offer = Time::ZERO;
            for (_, now, packet, offered) in ledger.offered.iter().filter(|seen| seen.0 == id) {
                prop_assert!(*now >= last_offer, "offers to one link come in the order of time");
                last_offer = *now;
                if let Offered::Accepted { start, arrival, .. } = *offered {
                    prop_assert_eq!(start, free.max(*now));
                    free = start + edge.link.rate.transmission_time(packet.size);
                    prop_assert_eq!(arrival, free + edge.link.delay);
                }
            }
        }
    }

    #[test]
    fn the_same_plan_and_seed_give_the_same_run_whatever_is_recorded(plan in plans()) {
        let plan = Plan { duration: Time::SECOND.saturating_mul(20), ..plan };
        let plain = run(&plan, 7).unwrap();
        let flows = (0..plan.groups.len() as u32).collect::<Vec<_>>();
        let Topology::Graph { links, .. } = &plan.topology else { unreachable!() };
        let links = (0..links.len() as u32).collect::<Vec<_>>();
        let every = Time::from_millis(10);
        let records = vec![
            RecordSpec::Arrivals { links: links.clone(), bin: every },
            RecordSpec::Queue { links: links.clone(), every },
            RecordSpec::Drops { links },
            RecordSpec::Windows { flows: flows.clone(), every: None },
            RecordSpec::Windows { flows: flows.clone(), every: Some(every) },
            RecordSpec::Acks { flows },
        ];
        let watched = run(&Plan { records: records.clone(), ..plan.clone() }, 7).unwrap();
        for (record, table) in records.into_iter().zip(&watched.tables[1..]) {
            let alone = run(&Plan { records: vec![record], ..plan.clone() }, 7).unwrap();
            prop_assert_eq!(format!("{:?}", alone.tables[1]), format!("{:?}", table));
        }
        prop_assert_eq!(&plain.summary, &watched.summary);
        prop_assert_eq!(&plain.groups, &watched.groups);
        // the completion of an unfinished transfer is not a number, which equals nothing: compare as text
        prop_assert_eq!(format!("{:?}", plain.tables[0]), format!("{:?}", watched.tables[0]));
        prop_assert_eq!(watched.tables.len(), 7);
        for table in &watched.tables {
            let lengths = table.columns.iter().map(|column| match &column.values {
                Values::U32(values) => values.len(),
                Values::U64(values) => values.len(),
                Values::F64(values) => values.len(),
                Values::Bool(values) => values.len(),
                Values::Words { codes, .. } => codes.len(),
            });
            prop_assert!(lengths.collect::<std::collections::BTreeSet<_>>().len() == 1);
        }
    }
}

/// The same packet, one hop further perhaps.
fn same(a: &Packet, b: &Packet) -> bool {
    (a.flow, a.payload, a.sent) == (b.flow, b.payload, b.sent)
}
