//! Finds links that need no event of their own: all packets that enter them come from one other link, in order.
//!
//! A link that keeps the order forwards packets in the order in which it accepted them. Packets that enter a link or a
//! receiver from a single such link can therefore be handled as soon as that link accepts them, with their later arrival
//! time. The order of events must be determined only where paths merge and where a sender has its own timers; the timers of
//! receivers are put in order where data arrives (`engine/transit/delays.rs`).

use super::{Edge, Routed};
use crate::packet::LinkId;
use crate::plan::{Plan, RecordSpec};

/// The origin of the packets of each link.
#[derive(Debug)]
pub(super) struct Feeders(Vec<Feeder>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feeder {
    Nobody,
    /// All packets come from this link, in order.
    Link(LinkId),
    /// Several links, a link that reorders packets, or senders; or the packets must arrive by events for another reason.
    Many,
}

impl Feeders {
    pub(super) fn of(path: &[LinkId], routed: &[Routed], edges: &[Edge<'_>], plan: &Plan) -> Self {
        let mut feeders = Self(vec![Feeder::Nobody; edges.len()]);
        for Routed { data, acks, answers_in_order, .. } in routed {
            feeders.add_route(&path[data.range()], None, edges);
            // ACKs are sent in the order in which data arrives
            let last = path[data.range()].last().copied().filter(|_| *answers_in_order);
            feeders.add_route(&path[acks.range()], last, edges);
        }
        // a sampled link, and a link that stores packets, need events: they must not run ahead of the clock
        let sampled = plan.records.iter().filter(|record| record.asked().every.is_some()).flat_map(RecordSpec::links);
        for link in sampled.chain([&plan.measure.link]) {
            feeders.0[*link as usize] = Feeder::Many;
        }
        for (feeder, edge) in feeders.0.iter_mut().zip(edges) {
            if edge.link.stores_packets() {
                *feeder = Feeder::Many;
            }
        }
        feeders
    }

    fn add_route(&mut self, links: &[LinkId], mut before: Option<LinkId>, edges: &[Edge<'_>]) {
        for link in links {
            let feeder = &mut self.0[link.0 as usize];
            *feeder = match (*feeder, before) {
                (Feeder::Nobody, Some(before)) => Feeder::Link(before),
                (Feeder::Link(known), Some(before)) if known == before => Feeder::Link(known),
                _ => Feeder::Many,
            };
            before = Some(*link).filter(|link| edges[link.0 as usize].link.keeps_order());
        }
    }

    /// The link that all packets come from that enter the given link, if there is only one.
    pub(super) fn only(&self, link: LinkId) -> Option<LinkId> {
        match self.0[link.0 as usize] {
            Feeder::Link(before) => Some(before),
            Feeder::Nobody | Feeder::Many => None,
        }
    }
}
