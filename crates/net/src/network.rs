//! From a plan to components: nodes and links numbered, routes computed once, flows built.

mod routes;
mod steps;

use std::sync::Arc;

use ackclock_tcp::{HEADER, MAX_SACK_BLOCKS, Receiver, Sender};
use ackclock_units::{Role, Stream, Time};

use crate::flow::{Alarm, Feed, Flow, Transport};
use crate::link::Link;
use crate::packet::{LinkId, Packet};
use crate::plan::{EdgeSpec, GroupSpec, LinkSpec, Plan, PlanError, RecordSpec, Topology, TransportSpec};
use crate::pool::Pool;
use crate::queue::Context;
use crate::sack_store::SackStore;
use crate::sizes::Sizes;
use routes::{Graph, Routes};

/// Where a packet goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Onto a link. The hop after it is *in step* if all that reaches that comes off this link, in order: then it needs no
    /// event.
    Link { link: LinkId, next_in_step: bool },
    /// To the endpoint that it was sent to.
    End,
}

/// The components of a run.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) links: Vec<Link>,
    pub(crate) flows: Vec<Flow>,
    /// The packets that arrive by an event of their own, and the hops that they go to.
    pub(crate) under_way: Pool<(Packet, u32)>,
    /// What the ACKs under way tell besides their number.
    pub(crate) sacks: SackStore,
    /// All routes, one after the other, each closed by [`Hop::End`].
    pub(crate) hops: Vec<Hop>,
    /// The group of each flow.
    pub(crate) groups: Vec<u32>,
}

/// Most flows in a run.
const MAX_FLOWS: u64 = 4_000_000;

impl Network {
    pub(crate) fn new(plan: &Plan, seed: u64) -> Result<Self, PlanError> {
        let total: u64 = plan.groups.iter().map(|group| u64::from(group.count)).sum();
        if total == 0 || total > MAX_FLOWS {
            return Err(PlanError::new("groups", format!("{total} flows are not allowed; 1 to {MAX_FLOWS} are")));
        }
        let (nodes, edges) = edges(plan)?;
        plan.check(edges.len(), total as usize)?;
        let mut network = Self {
            links: links(&edges, seed)?,
            flows: Vec::new(),
            under_way: Pool::default(),
            sacks: SackStore::default(),
            hops: Vec::new(),
            groups: Vec::new(),
        };
        let ends = ends(plan)?;
        let mut routes = match plan.topology {
            Topology::Dumbbell { .. } => Routes::Dumbbell,
            Topology::Graph { .. } => Routes::Graph(Graph::new(nodes, &edges)?),
        };
        for ((index, group), (from, to)) in flows_of(plan).zip(&ends) {
            let data_hop = network.route(&mut routes, *from, *to)?;
            let ack_hop = match group.transport {
                TransportSpec::Tcp { .. } => network.route(&mut routes, *to, *from)?,
                TransportSpec::Udp { .. } => data_hop,
            };
            let id = network.flows.len() as u32;
            network.flows.push(flow(group, seed, id, data_hop, ack_hop));
            network.groups.push(index);
        }
        steps::find(&mut network, plan);
        Ok(network)
    }

    /// Adds the route to the table of hops.
    fn route(&mut self, routes: &mut Routes<'_>, from: u32, to: u32) -> Result<u32, PlanError> {
        let start = self.hops.len() as u32;
        let path =
            routes.path(from, to).ok_or_else(|| PlanError::new("links", format!("no route from {from} to {to}")))?;
        self.hops.extend(path.into_iter().map(|link| Hop::Link { link, next_in_step: false }));
        self.hops.push(Hop::End);
        Ok(start)
    }

    /// The links that a flow's data crosses.
    pub(crate) fn data_links(&self, flow: usize) -> impl Iterator<Item = LinkId> {
        self.links_from(self.flows[flow].data_hop)
    }

    /// The links from one place in the table of hops to the end of that route.
    fn links_from(&self, hop: u32) -> impl Iterator<Item = LinkId> {
        self.hops[hop as usize..].iter().map_while(|hop| match hop {
            Hop::Link { link, .. } => Some(*link),
            Hop::End => None,
        })
    }
}

/// Every flow's group, in the order of flows.
fn flows_of(plan: &Plan) -> impl Iterator<Item = (u32, &GroupSpec)> {
    let groups = plan.groups.iter().enumerate();
    groups.flat_map(|(index, group)| (0..group.count).map(move |_| (index as u32, group)))
}

/// Nodes and directed links; the dumbbell is laid out here.
fn edges(plan: &Plan) -> Result<(u32, Vec<EdgeSpec>), PlanError> {
    match &plan.topology {
        Topology::Graph { nodes, links } => Ok((*nodes, links.clone())),
        Topology::Dumbbell { bottleneck, reverse, access } => {
            if access.len() != plan.groups.len() {
                return Err(PlanError::new("topology.access", "one pair of links for each group is needed"));
            }
            let edge = |from, to, link: &LinkSpec| EdgeSpec { from, to, link: link.clone() };
            let mut edges = vec![edge(0, 1, bottleneck), edge(1, 0, reverse)];
            let mut client = 2;
            for ((up, down), group) in access.iter().zip(&plan.groups) {
                for node in client..client + group.count {
                    edges.push(edge(node, 0, up));
                    edges.push(edge(0, node, down));
                }
                client += group.count;
            }
            Ok((client, edges))
        }
    }
}

/// Sending and receiving node of every flow.
fn ends(plan: &Plan) -> Result<Vec<(u32, u32)>, PlanError> {
    let dumbbell = matches!(plan.topology, Topology::Dumbbell { .. });
    let mut client = 1;
    flows_of(plan)
        .map(|(index, group)| {
            client += 1;
            match (dumbbell, group.path) {
                (true, None) if group.reverse => Ok((1, client)),
                (true, None) => Ok((client, 1)),
                (false, Some((from, to))) if from != to => Ok((from, to)),
                _ => Err(PlanError::new(
                    format!("groups.{index}.path"),
                    "two different nodes are needed, in a graph only",
                )),
            }
        })
        .collect()
}

fn links(edges: &[EdgeSpec], seed: u64) -> Result<Vec<Link>, PlanError> {
    let build = |(id, EdgeSpec { link, .. }): (usize, &EdgeSpec)| {
        link.queue
            .check()
            .map_err(|invalid| PlanError::new(format!("links.{id}.queue.{}", invalid.field), invalid.problem))?;
        let context = Context { rate: link.rate, stream: Stream::new(seed, Role::Queue, id as u32) };
        Ok(Link::new(link, link.queue.build(&context)))
    };
    edges.iter().enumerate().map(build).collect()
}

fn flow(group: &GroupSpec, seed: u64, id: u32, data_hop: u32, ack_hop: u32) -> Flow {
    let transport = match &group.transport {
        TransportSpec::Udp { sizes } => {
            Transport::Udp { sent: 0, sizes: Sizes::new(*sizes, group.packet_size, seed, id) }
        }
        TransportSpec::Tcp { sender, receiver } => Transport::Tcp {
            sender: Box::new(Sender::new(Arc::clone(sender), Stream::new(seed, Role::Sender, id))),
            receiver: Receiver::new(*receiver),
            handshake: sender.handshake,
        },
    };
    Flow {
        transport,
        feed: Feed {
            source: group.source.build(),
            stream: Stream::new(seed, Role::Source, id),
            next: Some(group.start),
        },
        data_hop,
        ack_hop,
        source_alarm: Alarm::IDLE,
        release_alarm: Alarm::IDLE,
        timeout_alarm: Alarm::IDLE,
        ack_alarm: Alarm::IDLE,
    }
}

impl Plan {
    /// Checks what types cannot tell.
    fn check(&self, links: usize, flows: usize) -> Result<(), PlanError> {
        let measure = &self.measure;
        if self.duration == Time::ZERO || measure.from >= self.duration {
            return Err(PlanError::new("measure.from", "must lie before the end of a run of more than 0 s"));
        }
        if measure.bin == Time::ZERO {
            return Err(PlanError::new("measure.bin", "must be above 0 s"));
        }
        if measure.link as usize >= links {
            return Err(PlanError::new("measure.link", format!("{} is not one of the {links} links", measure.link)));
        }
        for (index, record) in self.records.iter().enumerate() {
            record.check(links, flows).map_err(|problem| PlanError::new(format!("records.{index}"), problem))?;
        }
        for (index, group) in self.groups.iter().enumerate() {
            let invalid = |field: &str, problem: &str| Err(PlanError::new(format!("groups.{index}.{field}"), problem));
            if let Some(rate) = group.source.rate()
                && !(rate.is_finite() && rate > 0.0)
            {
                return invalid("source.rate", "must be a finite number above 0");
            }
            if let TransportSpec::Tcp { sender, receiver } = &group.transport {
                if receiver.sack_blocks as usize > MAX_SACK_BLOCKS {
                    return invalid("transport.receiver.sack_blocks", "must be at most 4 (RFC 2018, section 3)");
                }
                if sender.packet_size != group.packet_size || group.packet_size <= HEADER {
                    return invalid("packet_size", "must be above 40 bytes, the same for the sender");
                }
                if sender.max_window == 0 || sender.initial_window == 0 || sender.rtt.clock == Time::ZERO {
                    return invalid("transport", "max_window, initial_window and clock must be above 0");
                }
            } else if group.packet_size == 0 {
                return invalid("packet_size", "must be above 0 bytes");
            } else if group.source.rate().is_none() {
                return invalid("source", "a greedy source needs a transport that paces it");
            }
        }
        Ok(())
    }
}

impl RecordSpec {
    fn check(&self, links: usize, flows: usize) -> Result<(), &'static str> {
        let (ids, count, interval) = match self {
            Self::Arrivals { links: ids, bin } => (ids, links, Some(*bin)),
            Self::Queue { links: ids, every } => (ids, links, Some(*every)),
            Self::Drops { links: ids } | Self::Packets { links: ids } => (ids, links, None),
            Self::Windows { flows: ids, every } => (ids, flows, *every),
            Self::Acks { flows: ids } => (ids, flows, None),
        };
        if interval == Some(Time::ZERO) {
            return Err("an interval must be above 0 s");
        }
        if ids.iter().all(|id| (*id as usize) < count) { Ok(()) } else { Err("names a link or flow that is not there") }
    }
}
