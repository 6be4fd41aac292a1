//! Builds the components of a plan: numbers nodes and links, computes routes, creates flows.

mod choice;
mod components;
mod crossed;
mod decomposition;
mod graph;
pub(crate) mod ideal;
mod layout;
mod local;
mod media;
mod routes;
mod steps;
mod unqueued;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use ackclock_tcp::Sender;
use ackclock_tcp::congestion::foreign::Place;
use ackclock_units::catalogue::Invalid;
use ackclock_units::failure::Failures;
use ackclock_units::{Role, Stream, Time};

use crate::endpoint::application::Application;
use crate::endpoint::clients::Clients;
use crate::endpoint::sack_store::SackStore;
use crate::endpoint::sink::Sinks;
use crate::engine::agenda::{Agenda, Rounds};
use crate::engine::flow::{Flow, Transport};
use crate::engine::flow_changes::FlowChanges;
use crate::engine::simulator::FLOWS_IN_CACHE;
use crate::engine::transit::{Ahead, BlockDelays, Delays, Transit};
use crate::link::Link;
use crate::link::extra_delay::ExtraDelay;
use crate::link::links::Links;
use crate::link::rate::{LinkRate, RateSpec};
use crate::link::served::ServedLink;
use crate::packet::{FlowId, LinkId, MAX_FLOWS, Name, Names};
use crate::plan::{EQUAL_WEIGHT, EdgeSpec, GroupSpec, LinkSpec, Plan, PlanError, Topology, TransportSpec};
use crate::queue::changing::Changing;
use crate::queue::{Changes, Context, Discipline, Hosts, QueueSpec};
use crate::sizes::Sizes;
use crate::source::AnySource;
use crate::source::schedule::Scheduled;
pub(crate) use choice::Choice;
pub use choice::Paths;
use components::Transitions;
pub use crossed::{Crossed, Unused};
pub(crate) use decomposition::{Part, decompose};
use layout::{Layout, place_of};
use media::Media;
use routes::Routes;
pub(crate) use routes::{Router, Way};
use steps::Feeders;
pub(crate) use unqueued::Observed;
use unqueued::Unqueued;

/// Events per packet in a dumbbell.
const EVENTS_PER_PACKET: f64 = 2.0;

/// The components of a run.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) flows: Vec<Flow>,
    pub(crate) clients: Clients,
    pub(crate) changes: FlowChanges,
    pub(crate) transit: Transit,
    /// Division of time into rounds, in which components run independently.
    pub(crate) rounds: Rounds,
    /// The first failure of an algorithm from outside the engine.
    pub(crate) failures: Arc<Failures>,
}

impl Network {
    pub(crate) fn new(plan: &Plan, names: Names, seed: u64, observed: Observed) -> Result<Self, PlanError> {
        let (nodes, edges) = checked_edges(plan)?;
        let total: usize = plan.groups.iter().map(|group| group.flows() as usize).sum();
        let (path, routed) = routes(plan, (nodes, &edges), &names, seed)?;
        let most_crossed = routed.iter().map(|Routed { data, acks, .. }| data.range().len() + acks.range().len()).max();
        let mut links = Links::new(edges.len(), most_crossed.unwrap_or_default(), plan.duration);
        let failures = Arc::default();
        add_links(&mut links, &edges, plan, &names, seed, &failures);
        let feeders = Feeders::of(&path, &routed, &edges, plan);
        let unqueued = Unqueued::of(plan, &path, &routed, &edges, &feeders, observed, links.far());
        let mut transitions = Transitions::new(links.len());
        let places = |(first, other)| (place_of(LinkId(first)), place_of(LinkId(other)));
        transitions.joined = sharing(&edges).map(places).collect();
        let mut layout = Layout {
            path: &path,
            links: &links,
            feeders: &feeders,
            unqueued: &unqueued,
            hops: Vec::new(),
            transitions,
            delays: Delays::new(links.len()),
        };
        let mut flows = Vec::with_capacity(total);
        let mut limited = Vec::new();
        let mut sinks = Sinks::new(total, plan.measure.from, plan.duration);
        drop(edges);
        let users = local::users(&path, &routed, links.len());
        let may_be_local = total <= FLOWS_IN_CACHE;
        let mut locals = Vec::new();
        let (mut ways_of_flows, mut later) = (routed.iter(), Vec::new());
        for (_, group) in plan.flows() {
            let mut ways =
                ways_of_flows.by_ref().take(group.vias().count()).map(|routed| layout.add(routed)).inspect(|route| {
                    if let TransportSpec::Tcp { sender, .. } = &group.transport
                        && sender.limit_output_bytes > 0
                    {
                        limited.push(route.0);
                    }
                });
            let (data_hop, ack_hop) = ways.next().unwrap_or_default();
            later.extend(ways);
            if may_be_local {
                locals.push(local::localize(group, (data_hop, ack_hop), &mut layout.hops, &links, &users));
            }
            let id = FlowId(flows.len() as u32);
            let name = names.flow(id);
            flows.push(flow(group, id, name, seed, data_hop, &failures));
            sinks.add(&group.transport, ack_hop, || Stream::new(seed, Role::Receiver, name.0));
            if let Some(interval) = group.feedback() {
                sinks.add_reports(id, ack_hop, interval);
            }
        }
        let clients = Clients::of(plan, &names, seed);
        let changes = FlowChanges::of(plan, later);
        let Layout { mut hops, transitions, delays, .. } = layout;
        for hop in limited {
            if let Some(link) = links.served(hops[hop as usize].link) {
                link.limit(hop);
            }
        }
        let pace = components::Pace {
            flows: flows.len(),
            events: events_per_second(plan, (&path, &routed), &feeders, &links),
            farthest: path.iter().map(|link| links.line(*link).delay).max().unwrap_or_default(),
        };
        let (skews, rounds) = components::find(&mut hops, &transitions, pace);
        let agenda = Agenda::new(&skews, rounds);
        let sacks = SackStore::default();
        let (until, last, cut) = (Time::ZERO, 0, None);
        let block_delays = BlockDelays::new();
        let ahead = Ahead::of(locals);
        let transit =
            Transit { links, hops, sinks, sacks, delays, block_delays, ahead, agenda, names, until, last, cut };
        Ok(Self { flows, clients, changes, transit, rounds, failures })
    }
}

/// About as many events per second as the network has. In a dumbbell, the measured link determines them. In a graph, each
/// flow has its equal share of the links that its data crosses, and an event where packets cannot arrive in step.
fn events_per_second(plan: &Plan, (path, routed): (&[LinkId], &[Routed]), feeders: &Feeders, links: &Links) -> f64 {
    let size = plan.groups.iter().map(|group| group.packet_size).max().unwrap_or(1);
    let packets = |link| {
        let rate = links.line(link).rate.mean(Time::ZERO, plan.duration);
        rate.as_bps() as f64 / (8.0 * f64::from(size))
    };
    if let Topology::Dumbbell { .. } = plan.topology {
        return EVENTS_PER_PACKET * packets(LinkId(plan.measure.link));
    }
    let mut crossing = vec![0_u32; links.len()];
    for LinkId(link) in routed.iter().flat_map(|routed| &path[routed.data.range()]) {
        crossing[*link as usize] += 1;
    }
    let share = |link: &LinkId| packets(*link) / f64::from(crossing[link.0 as usize]);
    let of_flow = |Routed { data, acks, .. }: &Routed| {
        let (data, acks) = (&path[data.range()], &path[acks.range()]);
        let events = 1 + data.iter().chain(acks).filter(|link| feeders.only(**link).is_none()).count();
        data.iter().map(share).reduce(f64::min).map_or(0.0, |share| share * events as f64)
    };
    routed.iter().map(of_flow).sum()
}

/// Consecutive links of a path, as a range in the table of paths.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: u32,
    end: u32,
}

impl Span {
    const fn range(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The links that a flow's data and its ACKs cross.
#[derive(Debug)]
struct Routed {
    /// The flow's group, by its place in the plan.
    group: u32,
    data: Span,
    acks: Span,
    /// Whether the flow's receiver gets data in the order in which the last link accepts it, and the link that its ACKs enter
    /// first gets all ACKs in the order in which data arrives: from receivers that acknowledge it immediately, or from
    /// receivers whose [timers](Delays) are put into that order.
    answers_in_order: bool,
    /// Whether the receiver has a timer.
    has_timer: bool,
}

/// The paths of all flows, concatenated.
fn routes(
    plan: &Plan,
    (nodes, edges): (u32, &[Edge<'_>]),
    names: &Names,
    seed: u64,
) -> Result<(Vec<LinkId>, Vec<Routed>), PlanError> {
    let mut paths = match plan.topology {
        Topology::Dumbbell { .. } => Routes::Dumbbell,
        Topology::Graph { .. } => {
            Routes::Graph(Router::new(nodes, edges, Choice { paths: plan.paths, seed, nodes: &names.nodes })?)
        }
    };
    let mut path = Vec::new();
    let mut add = |links: Vec<LinkId>| -> Span {
        let first = path.len() as u32;
        path.extend(links);
        Span { first, end: path.len() as u32 }
    };
    let mut routed = Vec::new();
    for (flow, ((place, group), ends)) in (0..).zip(plan.flows().zip(ends(plan))) {
        let has_timer = match &group.transport {
            TransportSpec::Tcp { receiver, .. } => receiver.has_timer(),
            TransportSpec::Udp { .. } => false,
        };
        for Way { data, acks } in paths.ways(place, group, ends, names.flow(FlowId(flow)))? {
            let (data, acks) = (add(data), add(acks));
            // packets of two paths overtake each other
            routed.push(Routed { group: place, data, acks, answers_in_order: !group.moves(), has_timer });
        }
    }
    // which links are entered by ACKs of receivers without timers, and by packets that come from other links
    let mut is_prompt = vec![false; edges.len()];
    let first_of = |acks: Span| path[acks.range()].first().map(|LinkId(first)| *first as usize);
    for Routed { data, acks, has_timer, .. } in &routed {
        let after_timers = &path[acks.range()][usize::from(*has_timer && acks.first < acks.end)..];
        for LinkId(link) in path[data.range()].iter().chain(after_timers) {
            is_prompt[*link as usize] = true;
        }
    }
    for Routed { data, acks, answers_in_order, has_timer, .. } in &mut routed {
        let last = path[data.range()].last();
        let keeps_order = last.is_none_or(|LinkId(last)| edges[*last as usize].link.keeps_order());
        let is_of_one_kind = !*has_timer || last.is_some() && first_of(*acks).is_some_and(|first| !is_prompt[first]);
        *answers_in_order &= keeps_order && is_of_one_kind;
    }
    Ok((path, routed))
}

/// A directed link: source node, target node and parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge<'a> {
    from: u32,
    to: u32,
    link: &'a LinkSpec,
}

impl Edge<'_> {
    /// Queue discipline of the link.
    pub(crate) const fn queue(&self) -> &QueueSpec {
        &self.link.queue
    }
}

/// Validates a plan and returns its nodes and directed links.
pub(crate) fn checked_edges(plan: &Plan) -> Result<(u32, Vec<Edge<'_>>), PlanError> {
    let total: u64 = plan.groups.iter().map(|group| u64::from(group.flows())).sum();
    if total == 0 || total > MAX_FLOWS {
        return Err(PlanError::new("groups", format!("{total} flows are not allowed; must be from 1 to {MAX_FLOWS}")));
    }
    let (nodes, edges) = edges(plan)?;
    plan.check(edges.len(), total as usize)?;
    for (id, Edge { link, .. }) in edges.iter().enumerate() {
        let invalid = |error: Invalid| PlanError::new(format!("links.{id}.queue.{}", error.field), error.problem);
        link.queue.check().map_err(invalid)?;
        for change in &link.queue_changes {
            link.queue.check_change(&change.queue).map_err(invalid)?;
        }
        if let Err((field, problem)) = link.check() {
            return Err(PlanError::new(format!("links.{id}.{field}"), problem));
        }
    }
    media::check(plan, &edges)?;
    Ok((nodes, edges))
}

/// Returns the nodes and the directed links of a plan. A dumbbell is expanded into its links.
fn edges(plan: &Plan) -> Result<(u32, Vec<Edge<'_>>), PlanError> {
    match &plan.topology {
        Topology::Graph { nodes, links } => {
            Ok((*nodes, links.iter().map(|EdgeSpec { from, to, link }| Edge { from: *from, to: *to, link }).collect()))
        }
        Topology::Dumbbell { bottleneck, reverse, access } => {
            if access.len() != plan.groups.len() {
                return Err(PlanError::new("topology.access", "must have one pair of links per group"));
            }
            let mut edges = vec![Edge { from: 0, to: 1, link: bottleneck }, Edge { from: 1, to: 0, link: reverse }];
            let mut client = 2;
            for ((up, down), group) in access.iter().zip(&plan.groups) {
                edges.reserve(2 * group.count as usize);
                for node in client..client + group.count {
                    edges.push(Edge { from: node, to: 0, link: up });
                    edges.push(Edge { from: 0, to: node, link: down });
                }
                client += group.count;
            }
            Ok((client, edges))
        }
    }
}

/// Pairs of links that share a medium, which join all links of each medium.
fn sharing(edges: &[Edge<'_>]) -> impl Iterator<Item = (u32, u32)> {
    let mut first = BTreeMap::new();
    let members = (0..).zip(edges).filter_map(|(id, edge)| Some((id, edge.link.medium?)));
    members.map(move |(id, medium)| (*first.entry(medium).or_insert(id), id))
}

/// Sending and receiving node of every flow.
fn ends(plan: &Plan) -> impl Iterator<Item = (u32, u32)> {
    let mut first = 2;
    plan.groups.iter().flat_map(move |group| {
        let (start, each) = (first, group.flows_of_client());
        first += group.count;
        (0..group.flows()).map(move |flow| {
            let client = start + flow / each;
            group.path.unwrap_or(if group.reverse { (1, client) } else { (client, 1) })
        })
    })
}

fn add_links(links: &mut Links, edges: &[Edge<'_>], plan: &Plan, names: &Names, seed: u64, failures: &Arc<Failures>) {
    // links that follow the same trace, such as the client links of a group, share its preprocessed form
    let mut shared = BTreeMap::new();
    let flows: Arc<[u32]> = names.flows.as_slice().into();
    let bands = plan.of_flows(|group| group.priority, 0);
    let weights = plan.of_flows(|group| group.weight, EQUAL_WEIGHT);
    let ceilings = plan.of_flows(|group| group.ceiling, None);
    let codepoints = plan.of_flows(|group| group.dscp, 0);
    let hosts: Arc<[Hosts]> = hosts(edges, plan, names).into();
    let mut media = Media::add(links, plan, names, seed);
    for (id, edge @ Edge { link, .. }) in edges.iter().enumerate() {
        let Name(name) = names.link(LinkId(id as u32));
        let rate = match &link.rate {
            RateSpec::Constant(_) => LinkRate::new(&link.rate),
            RateSpec::Trace(trace) => {
                shared.entry(Arc::as_ptr(trace)).or_insert_with(|| LinkRate::new(&link.rate)).clone()
            }
        }
        .framed(link.framing);
        let context = Context {
            rate: rate.mean(Time::ZERO, plan.duration),
            framing: link.framing,
            stream: Stream::new(seed, Role::Queue, name),
            flows: Arc::clone(&flows),
            bands: Arc::clone(&bands),
            weights: Arc::clone(&weights),
            ceilings: Arc::clone(&ceilings),
            codepoints: Arc::clone(&codepoints),
            hosts: Arc::clone(&hosts),
        };
        let extra_delay = ExtraDelay::new(link, seed, name);
        let losses = Stream::new(seed, Role::Loss, name);
        let changes = Changes::of(&link.queue_changes, &context);
        let discipline =
            if link.medium.is_some() { link.queue.build_stored(&context) } else { link.queue.build(&context) };
        match discipline {
            Discipline::AtArrival(queue) => {
                links.add(Link::new(link, rate, queue, losses).delayed_by(extra_delay).changed_by(changes));
            }
            Discipline::Stored(mut queue) => {
                queue.place(name, failures);
                let queue = Changing::of(queue, changes);
                let shared = media.place(links, LinkId(id as u32), edge);
                links.add_served(ServedLink::new(link, rate, queue, losses).delayed_by(extra_delay).shared_by(shared));
            }
        }
    }
}

/// The hosts of each flow, by the global ids of their nodes; empty if no queue asks for them.
fn hosts(edges: &[Edge<'_>], plan: &Plan, names: &Names) -> Vec<Hosts> {
    if !edges.iter().any(|edge| edge.queue().spec().knows_hosts()) {
        return Vec::new();
    }
    let name = |node: u32| names.nodes.get(node as usize).copied().unwrap_or(node);
    ends(plan).map(|(from, to)| [name(from), name(to)]).collect()
}

fn flow(group: &GroupSpec, id: FlowId, Name(name): Name, seed: u64, data_hop: u32, failures: &Arc<Failures>) -> Flow {
    let transport = match &group.transport {
        TransportSpec::Udp { sizes } => {
            Transport::Udp { sent: 0, owed: 0, sizes: Sizes::new(*sizes, group.packet_size, seed, name) }
        }
        TransportSpec::Tcp { sender, .. } => {
            let mut sender = Sender::new(Arc::clone(sender), Stream::new(seed, Role::Sender, name));
            sender.place_law(|| Place::new(seed, name, Arc::clone(failures)));
            Transport::Tcp(sender)
        }
    };
    let start = (!group.opens_connections()).then(|| group.start_of(name, seed));
    let source = match group.schedule_of(name, seed).filter(|_| start.is_some()) {
        Some(schedule) => {
            AnySource::Scheduled(Box::new(Scheduled::new(group.source.build(group.packet_size), schedule)))
        }
        None => group.source.build(group.packet_size),
    };
    let application = Application::new(source, Stream::new(seed, Role::Source, name), start);
    Flow::new(id, data_hop, transport, application)
}
