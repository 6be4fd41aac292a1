//! Links that share a medium.

use std::collections::BTreeSet;

use ackclock_net::link::Offered;
use ackclock_net::link::framing::Framing;
use ackclock_net::link::medium::{MediumSpec, Schedule};
use ackclock_net::link::rate::RateSpec;
use ackclock_net::plan::{EdgeSpec, LinkSpec, Plan, Topology};
use ackclock_net::queue::{DropFrom, QueueSpec};
use ackclock_units::Time;
use proptest::prelude::*;

use crate::graphs::{edges, plans};
use crate::kinds::cases;
use crate::ledger::{Ledger, name};

/// Two media, and a bit for each link that decides whether it may share one.
pub(crate) fn media() -> impl Strategy<Value = ([MediumSpec; 2], u32)> {
    ([medium(), medium()], any::<u32>())
}

/// A medium.
pub(crate) fn medium() -> impl Strategy<Value = MediumSpec> {
    let times = (1_u64..50, 0_u64..50, 0_u64..100, (0_u64..200, prop::sample::select(vec![0_u64, 4])), 0_u64..300);
    let numbers = (0_u32..32, 0_u32..200, 0_u32..60, 1_u32..20, 0_u32..9);
    let limits = (0_u32..30_000, 0_u64..50_000, any::<bool>());
    (times, numbers, limits).prop_map(|(times, numbers, (aggregate_bytes, longest, airtime))| {
        let (slot, sifs, aifs, (preamble, symbol), ack) = times;
        let (cw_min, more, overhead, aggregate_packets, retries) = numbers;
        MediumSpec {
            slot: Time::from_micros(slot),
            sifs: Time::from_micros(sifs),
            aifs: Time::from_micros(aifs),
            cw_min,
            cw_max: cw_min + more,
            preamble: Time::from_micros(preamble),
            symbol: Time::from_micros(symbol),
            ack: Time::from_micros(ack),
            block_ack: Time::from_micros(ack + 4),
            overhead,
            aggregate_packets,
            aggregate_bytes,
            aggregate_time: Time::from_micros(longest),
            retries,
            schedule: if airtime { Schedule::Airtime } else { Schedule::Turns },
        }
    })
}

/// The same plan, whose links share media where they can.
pub(crate) fn share(mut plan: Plan, (media, chosen): ([MediumSpec; 2], u32)) -> Plan {
    let Topology::Graph { links, .. } = &mut plan.topology else { unreachable!("plans here are graphs") };
    let has_ceilings = plan.groups.iter().any(|group| group.ceiling.is_some());
    for (number, edge) in links.iter_mut().enumerate() {
        let is_held = has_ceilings && matches!(edge.link.queue, QueueSpec::Fq(_));
        if chosen >> number & 1 == 1 && can_share(&edge.link) && !is_held {
            edge.link.framing = Framing::default();
            edge.link.medium = Some(chosen >> (number / 4 + 20) & 1);
        }
    }
    plan.media = media.into();
    plan
}

/// Whether a link can share a medium.
pub(crate) fn can_share(link: &LinkSpec) -> bool {
    matches!(link.rate, RateSpec::Constant(_))
        && link.shaper.is_none()
        && !matches!(link.queue, QueueSpec::Red(_) | QueueSpec::Pie(_))
}

/// Whether packets leave in the order of arrival, and none is dropped after it was stored.
fn is_fifo(queue: &QueueSpec) -> bool {
    matches!(queue, QueueSpec::DropTail(spec) if spec.drop == DropFrom::Tail)
}

proptest! {
    #![proptest_config(cases(200))]

    /// Validates: the packets that cross a medium do not overlap in time, on whatever links; a packet begins after it was
    ///   stored, takes its bits at the rate of its link, and leaves once, in the order of its link if that is first in,
    ///   first out; it arrives after its transmission and the delay, each at a time of its own, and in order unless the
    ///   link may reorder; nothing is lost without losses or another station. Packets that wait for a missing one overlap with
    ///   it, so that the first holds on media without losses.
    /// Source: conservation of packets; the medium is half-duplex.
    /// Tolerance: exact.
    #[test]
    fn one_packet_at_a_time_crosses_a_medium(plan in plans(false), seed in any::<u64>()) {
        let (ledger, _) = Ledger::of(&plan, seed, &[]);
        let edges = edges(&plan);
        for medium in 0..plan.media.len() as u32 {
            let is_here = |link: u32| edges[link as usize].link.medium == Some(medium);
            let stations: BTreeSet<u32> =
                edges.iter().filter(|edge| edge.link.medium == Some(medium)).map(|edge| edge.from).collect();
            let mut crossings = Vec::new();
            for leave in ledger.left.iter().filter(|leave| is_here(leave.link)) {
                let Offered::Accepted { start, end, arrival, lost, .. } = leave.fate else { continue };
                let link = &edges[leave.link as usize].link;
                prop_assert!(leave.since <= start && start < end);
                let RateSpec::Constant(rate) = link.rate else { unreachable!("as chosen") };
                prop_assert_eq!(end - start, rate.transmission_time(leave.packet.size()));
                if lost {
                    let may_lose = link.loss.is_some() || !link.loss_changes.is_empty();
                    prop_assert!(may_lose || stations.len() > 1);
                } else {
                    prop_assert!(arrival >= end + link.delay);
                    crossings.push((start, end));
                }
            }
            crossings.sort_unstable();
            let loses = |edge: &EdgeSpec| {
                edge.link.medium == Some(medium) && (edge.link.loss.is_some() || !edge.link.loss_changes.is_empty())
            };
            prop_assert!(edges.iter().any(loses) || crossings.windows(2).all(|pair| pair[0].1 <= pair[1].0), "two packets at once");
        }
        for (id, edge) in (0_u32..).zip(edges).filter(|(_, edge)| edge.link.medium.is_some()) {
            let mut stored: Vec<_> =
                ledger.offers.iter().filter(|offer| offer.link == id && offer.offered == Offered::Queued).collect();
            stored.sort_by_key(|offer| offer.at);
            let mut stored = stored.into_iter();
            let (mut last, mut arrivals) = (Time::ZERO, BTreeSet::new());
            for leave in ledger.left.iter().filter(|leave| leave.link == id) {
                if is_fifo(&edge.link.queue) {
                    let first = stored.next().expect("it was stored");
                    prop_assert_eq!((first.at, name(&first.packet)), (leave.since, name(&leave.packet)));
                }
                if let Offered::Accepted { arrival, lost: false, .. } = leave.fate {
                    let keeps_order = edge.link.reorder.is_none()
                        && edge.link.jitter.is_none_or(|jitter| !jitter.reorders)
                        && edge.link.delay_trace.as_ref().is_none_or(|trace| !trace.reorders);
                    prop_assert!(!keeps_order || arrival > last, "not in order");
                    prop_assert!(arrivals.insert(arrival), "two packets arrive at once");
                    last = last.max(arrival);
                }
            }
        }
    }
}
