//! Links whose discipline stores the packets.

use std::collections::BTreeSet;

use ackclock_net::link::Offered;
use ackclock_net::link::loss::LossPlace;
use ackclock_net::plan::LinkSpec;
use ackclock_net::queue::{AckFilter, DropFrom, DropReason, Limit, QueueSpec};
use ackclock_net::{Packet, Payload};
use ackclock_tcp::Ecn;
use ackclock_units::Time;
use proptest::prelude::*;

use crate::graphs::{check_transmission, conforming, edges, is_down, plans, reaches_queue};
use crate::kinds::cases;
use crate::ledger::{Leave, Ledger, Offer, name, segment};

/// The rules of a discipline.
struct Rules {
    limit: Limit,
    count_in_service: bool,
    /// Whether ECN-capable packets may be marked.
    marks: bool,
    /// Whether packets leave in the order of arrival, regardless of their flow.
    is_fifo: bool,
    /// Whether an arrival that exceeds the limit removes stored packets.
    steals: bool,
    /// Whether an arrival that exceeds the limit may be dropped.
    refuses: bool,
}

/// The rules of a discipline of the engine that stores the packets.
fn rules(queue: &QueueSpec) -> Option<Rules> {
    match queue {
        QueueSpec::DropTail(spec) if spec.drop == DropFrom::Head => Some(Rules {
            limit: spec.limit,
            count_in_service: spec.count_in_service,
            marks: spec.mark_above > 0,
            is_fifo: true,
            steals: true,
            refuses: true,
        }),
        QueueSpec::Codel(spec) => Some(Rules {
            limit: spec.limit,
            count_in_service: spec.count_in_service,
            marks: spec.ecn || spec.ce_threshold.is_some(),
            is_fifo: true,
            steals: false,
            refuses: true,
        }),
        QueueSpec::Cobalt(spec) => Some(Rules {
            limit: spec.limit,
            count_in_service: spec.count_in_service,
            marks: spec.ecn,
            is_fifo: true,
            steals: false,
            refuses: true,
        }),
        QueueSpec::Cake(spec) => Some(Rules {
            limit: spec.limit,
            count_in_service: spec.count_in_service,
            marks: spec.ecn,
            is_fifo: false,
            steals: true,
            refuses: false,
        }),
        QueueSpec::FqCodel(spec) => Some(Rules {
            limit: spec.limit,
            count_in_service: spec.count_in_service,
            marks: spec.ecn || spec.ce_threshold.is_some(),
            is_fifo: false,
            steals: true,
            refuses: false,
        }),
        QueueSpec::Fq(spec) => Some(Rules {
            limit: spec.limit,
            count_in_service: spec.count_in_service,
            marks: false,
            is_fifo: false,
            steals: true,
            refuses: false,
        }),
        QueueSpec::Priority(spec) => Some(Rules {
            limit: spec.limit,
            count_in_service: spec.count_in_service,
            marks: false,
            is_fifo: false,
            steals: true,
            refuses: true,
        }),
        QueueSpec::DualPi2(spec) => Some(Rules {
            limit: spec.limit,
            count_in_service: spec.count_in_service,
            marks: true,
            is_fifo: false,
            steals: false,
            refuses: true,
        }),
        QueueSpec::Foreign(_) => None,
        other => {
            assert!(!other.is_stored(), "the rules of this discipline are missing here: {other:?}");
            None
        }
    }
}

/// A stored packet: arrival, name, bytes, and queue.
type Stored = (Time, (u32, bool, u64), u32, bool);

/// An event at a link.
#[derive(Clone, Copy, Debug)]
enum Event<'a> {
    Offer(&'a Offer),
    Leave(&'a Leave),
}

/// The events of a link. Arrivals come before departures at the same time.
fn events(ledger: &Ledger, link: u32) -> Vec<(Time, Event<'_>)> {
    let offers = ledger.offers.iter().filter(|offer| offer.link == link).map(|offer| (offer.at, Event::Offer(offer)));
    let left = ledger.left.iter().filter(|leave| leave.link == link).map(|leave| (leave.at, Event::Leave(leave)));
    let mut events: Vec<_> = offers.chain(left).collect();
    events.sort_by_key(|(at, _)| *at);
    events
}

proptest! {
    #![proptest_config(cases(200))]

    /// Compares the events of each link with the packets that it stores.
    ///
    /// Validates: a link sends one stored packet at a time, at its (varying) rate, and never rests while a packet waits,
    ///   except with ceilings;
    ///   each stored packet leaves once, in the order of its connection, and with FIFO disciplines in the order of all
    ///   packets; the stored packets never exceed the limit, and a full queue drops; only ECN-capable packets are marked,
    ///   and only if ECN is on; packets arrive after the delay of the link and at most its extra delays.
    /// Source: conservation of packets; work conservation.
    /// Tolerance: exact.
    #[test]
    fn a_link_serves_the_packets_that_it_stores(plan in plans(false), seed in any::<u64>()) {
        let (ledger, _) = Ledger::of(&plan, seed, &[]);
        for (id, edge) in (0_u32..).zip(edges(&plan)).filter(|(_, edge)| edge.link.medium.is_none()) {
            let Some(Rules { limit, count_in_service, marks, is_fifo, steals, refuses }) = rules(&edge.link.queue) else { continue };
            let (mut free, mut size, mut stored_since) = (Time::ZERO, 0, Time::ZERO);
            let mut arrivals = BTreeSet::new();
            let has_ceilings = plan.groups.iter().any(|group| group.ceiling.is_some());
            let may_rest = has_ceilings && matches!(edge.link.queue, QueueSpec::Fq(_));
            let (mut policed, mut shaped) = (Vec::new(), Vec::new());
            // DualPI2 keeps the order of the packets of a flow that have the same queue
            let lane = |packet: &Packet| {
                matches!(&edge.link.queue, QueueSpec::DualPi2(spec) if spec.low.includes(packet.ecn()))
            };
            // in order of arrival
            let mut stored: Vec<Stored> = Vec::new();
            for (at, event) in events(&ledger, id) {
                match event {
                    Event::Offer(Offer { packet, offered, .. }) => {
                        if !reaches_queue(&edge.link, &mut policed, (packet.size(), at, *offered))? {
                            continue;
                        }
                        let in_service = if count_in_service && at < free { size } else { 0 };
                        let room = match limit {
                            Limit::Packets(limit) => (stored.len() as u64 + u64::from(in_service > 0)) < limit,
                            Limit::Bytes(limit) => {
                                let bytes: u64 = stored.iter().map(|(_, _, size, _)| u64::from(*size)).sum();
                                bytes + u64::from(in_service) + u64::from(packet.size()) <= limit
                            }
                        };
                        match offered {
                            Offered::Queued => {
                                // a packet may have left before this one came at the same time
                                prop_assert!(room || steals || at == free || stored_since == at, "stored although it was full");
                                if stored.is_empty() {
                                    stored_since = at;
                                }
                                stored.push((at, name(packet), packet.size(), lane(packet)));
                            }
                            Offered::Dropped(DropReason::Full) => prop_assert!(!room && refuses, "dropped with space"),
                            offered => prop_assert!(false, "{:?} at arrival", offered),
                        }
                    }
                    Event::Leave(Leave { packet, since, fate, .. }) => {
                        let known = |(when, known, ..): &Stored| when == since && *known == name(packet);
                        let place = stored.iter().position(known);
                        prop_assert!(place.is_some(), "it was not stored");
                        let place = place.expect("as asserted");
                        prop_assert!(!is_fifo || place == 0 || stored[0].0 == *since, "not in order");
                        // queues are chosen by flow, connection and direction
                        let flow = |name: (u32, bool, u64)| (name.0, name.1, segment(name.2).0);
                        let is_before = |(when, other, _, queue): &Stored| {
                            when < since && flow(*other) == flow(name(packet)) && *queue == lane(packet)
                        };
                        // strict priority pushes out the latest packets
                        let is_pushed_out =
                            matches!(&edge.link.queue, QueueSpec::Priority(_)) && *fate == Offered::Dropped(DropReason::Full);
                        // CAKE with few queues may move a flow that shares its queue to another one
                        let moves = matches!(&edge.link.queue, QueueSpec::Cake(spec) if spec.queues < 1024);
                        prop_assert!(is_fifo || is_pushed_out || moves || !stored.iter().any(is_before), "not in the order of the connection");
                        stored.remove(place);
                        let Offered::Accepted { start, end, arrival, marked, lost } = *fate else {
                            let is_filtered = matches!(&edge.link.queue, QueueSpec::Cake(spec) if spec.ack_filter != AckFilter::Off)
                                && matches!(packet.payload(), Payload::Ack { .. });
                            let is_full = *fate == Offered::Dropped(DropReason::Full);
                            let reason = if is_full { steals } else { is_filtered || free <= at };
                            prop_assert!(reason, "{:?}", fate);
                            continue;
                        };
                        prop_assert!(!marked || marks && packet.ecn() != Ecn::NotEct);
                        prop_assert!(at == free.max(stored_since) || may_rest, "rests although a packet waits");
                        prop_assert!(at >= free.max(stored_since), "sends two packets at once");
                        let bytes = edge.link.framing.bytes(packet.size());
                        let begins = edge.link.shaper.map(|bucket| conforming(bucket, &shaped, bytes, at));
                        prop_assert_eq!(start, begins.unwrap_or(at));
                        shaped.push((start, bytes));
                        check_transmission(&edge.link.rate, bytes, (start, end, lost))?;
                        (free, size) = (end, packet.size());
                        let LinkSpec { delay, delay_trace, jitter, reorder, .. } = &edge.link;
                        if lost {
                            let has_losses = edge.link.loss.is_some() || !edge.link.loss_changes.is_empty();
                            let may_lose = has_losses && edge.link.loss_place == LossPlace::After;
                            prop_assert!(may_lose || is_down(&edge.link.rate, end));
                            continue;
                        }
                        prop_assert!(arrival >= end + *delay);
                        let is_constant = delay_trace.is_none() && jitter.is_none() && reorder.is_none();
                        prop_assert!(!is_constant || arrival == end + *delay);
                        prop_assert!(arrivals.insert(arrival), "two packets arrive at once");
                    }
                }
            }
            if let Some((waits, ..)) = stored.first() {
                prop_assert!(free >= plan.duration || *waits >= plan.duration || may_rest, "rests although a packet waits");
            }
        }
    }
}
