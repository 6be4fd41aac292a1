//! Which hops are in step: entered only by what comes off one link, in the order in which it comes.
//!
//! A FIFO link passes packets on in the order in which it accepted them. So whatever enters a link, or a receiver that answers
//! at once, from a single such link can be handled when that link accepts it, with the later time; only where paths merge,
//! and where an endpoint has timers of its own, does the order of events have to be found out.

use super::{Hop, Network};
use crate::flow::{Flow, Transport};
use crate::packet::LinkId;
use crate::plan::{Plan, RecordSpec, TransportSpec};

/// Marks the hops after which no event is needed.
pub(super) fn find(network: &mut Network, plan: &Plan) {
    let feeders = Feeders::of(network, plan);
    for flow in &network.flows {
        let answers_in_step = match flow.transport {
            Transport::Udp { .. } => true,
            Transport::Tcp { .. } => match network.hops[flow.ack_hop as usize] {
                Hop::Link { link, .. } => feeders.single(link),
                Hop::End => false,
            },
        };
        mark(&mut network.hops[flow.data_hop as usize..], &feeders, answers_in_step);
        if flow.sender().is_some() {
            mark(&mut network.hops[flow.ack_hop as usize..], &feeders, false);
        }
    }
}

/// Marks the hops of the first route in `hops`.
fn mark(hops: &mut [Hop], feeders: &Feeders, end_in_step: bool) {
    for at in 0.. {
        let next = match hops.get(at + 1) {
            Some(Hop::Link { link, .. }) => feeders.single(*link),
            _ => end_in_step,
        };
        let Hop::Link { next_in_step, .. } = &mut hops[at] else { return };
        *next_in_step = next;
    }
}

/// Who puts packets onto each link.
#[derive(Debug)]
struct Feeders(Vec<Feeder>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feeder {
    Nobody,
    /// All that enters comes off this link, in order.
    Link(LinkId),
    /// Several links, or endpoints with timers of their own.
    Many,
}

impl Feeders {
    fn of(network: &Network, plan: &Plan) -> Self {
        let mut feeders = Self(vec![Feeder::Nobody; network.links.len()]);
        for (flow, group) in network.flows.iter().zip(&network.groups) {
            feeders.add_flow(network, flow, &plan.groups[*group as usize].transport);
        }
        // a link that is looked at must not run ahead of the clock
        let sampled = plan.records.iter().filter_map(|record| match record {
            RecordSpec::Queue { links, .. } => Some(links),
            _ => None,
        });
        for link in sampled.flatten().chain([&plan.measure.link]) {
            feeders.0[*link as usize] = Feeder::Many;
        }
        feeders
    }

    fn add_flow(&mut self, network: &Network, flow: &Flow, transport: &TransportSpec) {
        self.add_route(network.links_from(flow.data_hop), None);
        if let TransportSpec::Tcp { receiver, .. } = transport {
            // ACKs that wait for nothing leave in the order in which data arrives
            let answers_at_once = receiver.delayed_ack.is_none();
            let last = network.links_from(flow.data_hop).last().filter(|_| answers_at_once);
            self.add_route(network.links_from(flow.ack_hop), last);
        }
    }

    fn add_route(&mut self, links: impl Iterator<Item = LinkId>, mut before: Option<LinkId>) {
        for link in links {
            let feeder = &mut self.0[link.0 as usize];
            *feeder = match (*feeder, before) {
                (Feeder::Nobody, Some(before)) => Feeder::Link(before),
                (Feeder::Link(known), Some(before)) if known == before => Feeder::Link(known),
                _ => Feeder::Many,
            };
            before = Some(link);
        }
    }

    /// Whether all that enters the link comes off one other link.
    fn single(&self, link: LinkId) -> bool {
        matches!(self.0[link.0 as usize], Feeder::Link(_))
    }
}
