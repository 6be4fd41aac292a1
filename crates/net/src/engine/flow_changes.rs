//! The changes of flows that are still to come: other parameters of a law, other paths.

use std::ops::Range;
use std::sync::Arc;

use ackclock_tcp::SenderConfig;
use ackclock_units::Time;

use crate::packet::FlowId;
use crate::plan::{FlowChange, GroupSpec, Plan, TransportSpec};

/// The first hops of a flow's data and of its ACKs in the table of hops.
pub(crate) type Route = (u32, u32);

/// The changes of all flows that have some. Each flow waits for its next change by a wake-up.
#[derive(Debug)]
pub(crate) struct FlowChanges {
    /// In the order of their flows.
    groups: Vec<Changing>,
}

/// The changes of a group.
#[derive(Debug)]
struct Changing {
    flows: Range<u32>,
    changes: Vec<Change>,
    /// For each flow, the routes of the changes that give it another one.
    routes: Vec<Route>,
}

/// A change.
#[derive(Debug)]
struct Change {
    at: Time,
    /// The configuration of senders with the new parameters of their law.
    sender: Option<Arc<SenderConfig>>,
    moves: bool,
}

/// What changes for a flow at a time.
#[derive(Debug)]
pub(crate) struct Due<'a> {
    pub(crate) sender: Option<&'a Arc<SenderConfig>>,
    pub(crate) route: Option<Route>,
    /// Time of the flow's next changes.
    pub(crate) next: Option<Time>,
}

fn changes_of(group: &GroupSpec) -> Vec<Change> {
    let configured = |law| match &group.transport {
        TransportSpec::Tcp { sender, .. } => Some(Arc::new(SenderConfig { congestion: law, ..(**sender).clone() })),
        TransportSpec::Udp { .. } => None,
    };
    let change = |change: &FlowChange| Change {
        at: change.at,
        sender: change.congestion.clone().and_then(configured),
        moves: change.via.is_some(),
    };
    group.changes.iter().map(change).collect()
}

impl FlowChanges {
    /// The changes of a plan. `routes` are the later routes of its flows, one flow after the other.
    pub(crate) fn of(plan: &Plan, mut routes: Vec<Route>) -> Self {
        let (mut groups, mut first) = (Vec::new(), 0);
        for group in &plan.groups {
            let flows = first..first + group.flows();
            first = flows.end;
            if !group.changes.is_empty() {
                let moves = group.vias().skip(1).count() * flows.len();
                let own = routes.drain(..moves).collect();
                groups.push(Changing { flows, changes: changes_of(group), routes: own });
            }
        }
        Self { groups }
    }

    /// The flows that change, each with the time of its first changes.
    pub(crate) fn first(&self) -> impl Iterator<Item = (Time, FlowId)> {
        let of_group = |group: &Changing| {
            let at = group.changes[0].at;
            group.flows.clone().map(move |flow| (at, FlowId(flow)))
        };
        self.groups.iter().flat_map(of_group)
    }

    /// What changes for a flow at `now`, the time of its next changes. Of several changes of one thing, the last one counts.
    pub(crate) fn due(&self, FlowId(flow): FlowId, now: Time) -> Due<'_> {
        let changes = self.of_flow(flow).map_or(&[][..], |group| &group.changes);
        let begin = changes.partition_point(|change| change.at < now);
        let end = changes.partition_point(|change| change.at <= now);
        let moved = changes[..end].iter().filter(|change| change.moves).count();
        Due {
            sender: changes[begin..end].iter().rev().find_map(|change| change.sender.as_ref()),
            route: changes[begin..end].iter().any(|change| change.moves).then(|| self.routes(FlowId(flow))[moved - 1]),
            next: changes.get(end).map(|change| change.at),
        }
    }

    /// The later routes of a flow, in order.
    pub(crate) fn routes(&self, FlowId(flow): FlowId) -> &[Route] {
        let Some(Changing { flows, routes, .. }) = self.of_flow(flow) else { return &[] };
        let each = routes.len() / flows.len();
        let first = (flow - flows.start) as usize * each;
        &routes[first..first + each]
    }

    /// The changes of a flow, if it has any.
    fn of_flow(&self, flow: u32) -> Option<&Changing> {
        let place = self.groups.partition_point(|group| group.flows.end <= flow);
        self.groups.get(place).filter(|group| group.flows.contains(&flow))
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        let of_group = |group: &Changing| {
            let configs = group.changes.iter().filter(|change| change.sender.is_some()).count();
            size_of_val(&group.changes[..]) + size_of_val(&group.routes[..]) + configs * size_of::<SenderConfig>()
        };
        size_of_val(&self.groups[..]) + self.groups.iter().map(of_group).sum::<usize>()
    }
}
