//! The summary of a run at one link, over the *measured time* [`from`, `duration`).

mod at_link;
mod bins;
mod calls;
mod convergence;
mod crossings;
mod declaring;
mod groups;
mod limits;
mod link_meter;
mod meter;
mod pages;
mod results;
mod service;
mod summary;
#[cfg(test)]
mod tests;
mod transfers;
mod videos;
mod views;

use ackclock_tcp::{Counters, HEADER, Limit};
use ackclock_units::Time;

use super::{Histogram, Observation, Observer};
use crate::engine::simulator::Simulator;
use crate::link::Offered;
use crate::network::ideal::Ideal;
use crate::packet::{FlowId, LinkId, Packet};
use crate::plan::{GroupSpec, Plan, SourceSpec, TransportSpec};
use crate::sizes::{SizeSpec, udp_data_bytes};
use crate::source::Playback;
pub(super) use at_link::AtLink;
use calls::Calls;
use convergence::Convergence;
use crossings::{Crossing, Crossings};
pub use declaring::MeasureEntry;
use groups::Groups;
pub use limits::Limited;
use pages::Pages;
pub use results::{Facts, Results};
use service::Service;
pub use summary::{GroupSummary, LinkSummary, Summary, measures};
use transfers::Transfers;
use videos::Videos;

/// Computes a [`Summary`] during the run.
///
/// The receivers count their deliveries themselves, and the senders their events: see [`Results`].
#[derive(Clone, Debug)]
pub struct Measure {
    /// Measurements at the link, with one kind of packet for the data of each group, and a last kind for ACKs.
    at: AtLink,
    groups: Groups,
    crossings: Crossings,
    /// Of each group.
    traits: Vec<Traits>,
    /// Per flow: its finite transfers, if it has any; empty if no flow has.
    transfers: Vec<Option<Transfers>>,
    /// Minimum transfer times per flow and completion times per group, if there are any transfers.
    ideals: Vec<Ideal>,
    completions: Vec<Histogram>,
    calls: Calls,
    pages: Pages,
    videos: Videos,
    /// If the plan asks for it.
    convergence: Option<Box<Convergence>>,
    /// Per flow: delivered bytes, if its packets have different sizes; empty if no flow's have.
    bytes: Vec<Option<Bytes>>,
    /// Per flow, at the start of the measured time: counters of its sender (`counters`), and packets received in order,
    /// or sent by UDP (`settled`). Empty if the measured time starts at 0.
    counters: Vec<Counters>,
    settled: Vec<u64>,
    /// Per flow, after the run: the rating of its goodput.
    services: Vec<Service>,
    /// Per flow: the first flow of its client, if some clients have several flows.
    clients: Vec<u32>,
    /// Whether `transfers`, `calls`, `convergence` or `bytes` need the packets that are delivered.
    follows: bool,
    /// Highest average queue that RED computed at the link, after the run.
    red_avg_max: Option<f64>,
    /// Upper limit of the memory of everything per flow, in bytes.
    memory_of_flows: usize,
}

/// Bytes of a flow that are delivered in order for the first time.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes {
    /// In the measured time: with headers, and without.
    wire: u64,
    data: u64,
    /// Before it, with headers.
    before: u64,
}

/// Properties and counts of a group.
#[derive(Clone, Debug)]
struct Traits {
    is_tcp: bool,
    packet_size: u32,
    /// Data in a full packet, in bytes.
    data_bytes: u32,
    /// Rate of each flow's source, if it is Poisson.
    poisson_rate: Option<f64>,
    /// Whether its clients open connections, and so have several flows each.
    opens: bool,
    /// Requests that waited for a connection (`waited`), and requests that still wait (`waiting`), after the run.
    waited: u64,
    waiting: u64,
}

impl Traits {
    fn of(group: &GroupSpec) -> Self {
        let poisson_rate = match group.source {
            SourceSpec::Poisson { rate } => Some(rate),
            _ => None,
        };
        let is_tcp = matches!(group.transport, TransportSpec::Tcp { .. });
        let (packet_size, opens) = (group.packet_size, group.opens_connections());
        Self { is_tcp, packet_size, data_bytes: group.data_bytes(), poisson_rate, opens, waited: 0, waiting: 0 }
    }
}

impl Measure {
    /// Memory of a bin of arrivals at the measured link: its counter, and its number in the result, in the text of the
    /// result, and in the caller's copy.
    pub(crate) const BYTES_OF_BIN: usize = 20;

    /// Creates the measurement of a plan, for a simulator built from the plan.
    pub fn new(plan: &Plan, simulator: &Simulator) -> Self {
        let link = LinkId(plan.measure.link);
        let flows = plan.flows().count();
        let any = plan.groups.iter().any(GroupSpec::has_transfers);
        let of_flow = |(_, group): (u32, &GroupSpec)| group.has_transfers().then(Transfers::default);
        let sized = |(_, group): (u32, &GroupSpec)| sizes_vary(group).then(Bytes::default);
        let ideal = |(id, (_, group)): (usize, (u32, &GroupSpec))| simulator.ideal(id, group, plan.duration);
        let calls = Calls::new(plan);
        let convergence = Convergence::new(plan, simulator);
        let follows = any || has_sizes(plan) || !calls.is_empty() || convergence.is_some();
        let crosses = |id: u32| simulator.data_links(id as usize).any(|crossed| crossed == link);
        let mut measure = Self {
            at: AtLink::new(plan, simulator, link, plan.groups.len() + 1),
            groups: Groups::new(plan.groups.iter().map(GroupSpec::flows), crosses),
            crossings: Crossings::new(flows, plan.groups.len() + 1, plan.measure.from, plan.duration),
            traits: plan.groups.iter().map(Traits::of).collect(),
            transfers: if any { plan.flows().map(of_flow).collect() } else { Vec::new() },
            ideals: if any { plan.flows().enumerate().map(ideal).collect() } else { Vec::new() },
            completions: if any { vec![Histogram::default(); plan.groups.len()] } else { Vec::new() },
            calls,
            pages: Pages::new(plan),
            videos: Videos::new(plan),
            convergence,
            bytes: if has_sizes(plan) { plan.flows().map(sized).collect() } else { Vec::new() },
            counters: Vec::new(),
            settled: Vec::new(),
            services: Vec::new(),
            clients: plan.clients(),
            follows,
            red_avg_max: None,
            memory_of_flows: flows * Self::bytes_of_flow(plan),
        };
        if measure.convergence.is_some() {
            measure.at.look_at_each();
        }
        for (flow, packets) in plan.single_transfers() {
            measure.on_transfer(simulator.start(flow as usize), FlowId(flow), packets, true);
        }
        measure
    }

    /// Starts the measured time: counting begins here.
    pub fn begin(&mut self, simulator: &mut Simulator) {
        if self.at.from > Time::ZERO {
            simulator.restart_limits(self.at.from);
            simulator.restart_round_trips();
            self.counters.extend((0..self.groups.flows()).map(|id| counters(simulator, id)));
            self.settled.extend((0..self.groups.flows()).map(|id| simulator.settled(id)));
        }
    }

    /// Ends the measurement at the end of the run.
    pub fn finish(&mut self, simulator: &mut Simulator) {
        for (group, ..) in simulator.clients().waiting() {
            self.traits[group as usize].waiting += 1;
        }
        for (FlowId(flow), _) in simulator.waiting_requests(self.at.end) {
            self.traits[self.groups.of(flow as usize) as usize].waiting += 1;
        }
        for (flow, playback) in simulator.playbacks(self.at.end) {
            self.on_playback(flow, &playback);
        }
        for (group, count) in simulator.clients().waited() {
            self.traits[group as usize].waited += count;
        }
        simulator.link(self.at.link).gauges(self.at.end, &mut |name, value| {
            if name == "avg_max" {
                self.red_avg_max = Some(value);
            }
        });
        self.at.finish(simulator);
        if let Some(convergence) = &mut self.convergence {
            convergence.finish();
        }
        self.services = self.results(simulator).services();
    }

    /// The results, after [`finish`](Self::finish), from the same simulator.
    pub const fn results<'a>(&'a self, simulator: &'a Simulator) -> Results<'a> {
        Results { measure: self, simulator }
    }

    /// Upper limit of the memory per flow in bytes, including the flow's row in the table of flows.
    pub(crate) fn bytes_of_flow(plan: &Plan) -> usize {
        // two copies of a row, with eight bytes in each column
        let row = 2 * (15 + Limit::ALL.len()) * size_of::<u64>();
        let given = |is_there: bool, bytes: usize| if is_there { bytes } else { 0 };
        let warm_up = plan.measure.from > Time::ZERO;
        let transfers = plan.groups.iter().any(GroupSpec::has_transfers);
        row + size_of::<Service>()
            + Groups::bytes_of_flow(plan.groups.len())
            + Crossings::BYTES_OF_FLOW
            + given(transfers, size_of::<Option<Transfers>>() + size_of::<Ideal>())
            + given(has_sizes(plan), size_of::<Option<Bytes>>())
            + Calls::bytes_of_flow(plan)
            + Pages::bytes_of_flow(plan)
            + given(warm_up, size_of::<Counters>() + size_of::<u64>())
            + given(plan.groups.iter().any(GroupSpec::opens_connections), size_of::<u32>())
    }

    /// Memory in bytes, including the table of flows.
    pub(crate) fn memory(&self) -> usize {
        self.memory_of_flows
            + self.at.memory(Self::BYTES_OF_BIN)
            + self.completions.iter().map(Histogram::memory).sum::<usize>()
            + self.calls.memory()
            + self.pages.memory()
            + self.convergence.as_ref().map_or(0, |convergence| convergence.memory())
    }

    /// The kind of a packet: its group for data, the last kind for ACKs.
    #[inline(always)]
    fn kind(&self, packet: &Packet) -> usize {
        if packet.is_ack() { self.groups.len() } else { self.groups.of(packet.flow().0 as usize) as usize }
    }

    /// A packet at the measured link. SYNs and TCP's probes of a closed window have no data.
    #[inline(always)]
    fn crossing(&self, now: Time, packet: &Packet, kind: usize, offered: Offered) -> Crossing {
        let is_probe = packet.size() == HEADER && self.traits.get(kind).is_some_and(|group| group.is_tcp);
        Crossing::of(now, packet, kind, !packet.is_syn() && !is_probe, offered)
    }

    /// Counts a packet that the measured link accepts without marking it, if it is not plain.
    #[cold]
    #[inline(never)]
    fn count_accepted(&mut self, now: Time, packet: &Packet, start: Time, end: Time) {
        let offered = Offered::Accepted { start, end, arrival: end, marked: false, lost: false };
        self.count_any(self.crossing(now, packet, self.kind(packet), offered), offered);
    }

    /// Counts a packet that the measured link accepts, drops or stores, if it is not plain.
    #[cold]
    #[inline(never)]
    fn count_any(&mut self, packet: Crossing, offered: Offered) {
        self.at.count_any(packet.now, packet.kind, offered);
        self.crossings.offered(packet);
        self.converge(packet, offered);
    }

    /// Counts a packet that leaves the queue of the measured link or is dropped there, if it is not plain.
    #[cold]
    #[inline(never)]
    fn count_any_left(&mut self, packet: Crossing, since: Time, fate: Offered) {
        self.at.count_any_left(packet.now, packet.kind, since, fate);
        self.crossings.left(packet);
        self.converge(packet, fate);
    }

    /// Counts an ACK that the measured link transmits for the convergence of flows.
    fn converge(&mut self, packet: Crossing, fate: Offered) {
        if let (Some(convergence), Offered::Accepted { start, .. }) = (&mut self.convergence, fate)
            && packet.kind == self.groups.len()
        {
            convergence.add_ack(start, packet.size);
        }
    }

    /// Counts the bytes of a delivery, and follows the flow's transfers.
    #[inline(never)]
    fn on_delivered(&mut self, now: Time, packet: &Packet, in_order: u64) {
        if now >= self.at.end || packet.is_syn() {
            return;
        }
        let (FlowId(flow), is_measured) = (packet.flow(), now >= self.at.from);
        if let Some(Some(bytes)) = self.bytes.get_mut(flow as usize) {
            // only UDP's sizes vary, and UDP buffers nothing
            let wire = in_order * u64::from(packet.size());
            if is_measured {
                bytes.wire += wire;
                bytes.data += in_order * u64::from(udp_data_bytes(packet.size()));
            } else {
                bytes.before += wire;
            }
        }
        if let Some(convergence) = &mut self.convergence
            && in_order > 0
        {
            // buffered packets have the size of this one: only UDP's sizes differ, and UDP buffers nothing
            convergence.add(now, flow, in_order * u64::from(packet.size()));
        }
        if in_order > 0 && !self.pages.is_empty() {
            self.pages.arrived(self.client(flow), now);
        }
        if is_measured && !self.calls.is_empty() {
            let group = self.groups.of(flow as usize) as usize;
            self.calls.arrived(flow as usize, group, packet.number(), now - packet.sent);
        }
        if let Some(Some(transfers)) = self.transfers.get_mut(flow as usize)
            && let Some(took) = transfers.add(now, in_order, is_measured)
        {
            self.completions[self.groups.of(flow as usize) as usize].record(took);
        }
    }

    /// The first flow of a flow's client.
    fn client(&self, flow: u32) -> u32 {
        self.clients.get(flow as usize).copied().unwrap_or(flow)
    }

    #[inline(never)]
    fn on_playback(&mut self, FlowId(flow): FlowId, playback: &Playback) {
        self.videos.add(self.groups.of(flow as usize) as usize, playback);
    }

    #[inline(never)]
    fn on_page(&mut self, client: u32, since: Time) {
        self.pages.ended(client, self.groups.of(client as usize) as usize, since, self.at.from);
    }

    #[inline(never)]
    fn on_transfer(&mut self, now: Time, FlowId(flow): FlowId, packets: u64, opens: bool) {
        if let Some(Some(transfers)) = self.transfers.get_mut(flow as usize) {
            transfers.begin(now, packets, self.ideals[flow as usize].time(packets, opens));
        }
    }

    /// The minimum transfer times of a flow; the default if the flow has no transfers.
    pub(super) fn ideal(&self, flow: u32) -> Ideal {
        self.ideals.get(flow as usize).copied().unwrap_or_default()
    }

    /// The group of a flow.
    pub(super) fn group_of(&self, flow: u32) -> u32 {
        self.groups.of(flow as usize)
    }
}

impl Observer for Measure {
    // inlined, so that events at other links cost only a comparison
    #[inline(always)]
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        match seen {
            Observation::Offered { link, packet, offered } if *link == self.at.link => {
                let kind = self.kind(packet);
                if self.at.count_if_plain(now, kind, *offered) {
                    self.crossings.accepted(packet.flow(), kind);
                } else {
                    self.count_any(self.crossing(now, packet, kind, *offered), *offered);
                }
            }
            Observation::Left { link, packet, since, fate } if *link == self.at.link => {
                let kind = self.kind(packet);
                if !self.at.count_left_if_plain(kind, *since, *fate) {
                    self.count_any_left(self.crossing(now, packet, kind, *fate), *since, *fate);
                }
            }
            Observation::Delivered { packet, in_order, .. } if self.follows => {
                self.on_delivered(now, packet, *in_order);
            }
            Observation::PageEnds { client, since } => self.on_page(client.0, *since),
            Observation::Playback { flow, playback } => self.on_playback(*flow, playback),
            Observation::TransferBegins { flow, packets, before } => {
                self.on_transfer(now, *flow, *packets, before.sent == 0);
            }
            _ => {}
        }
    }

    // its calls end it, so that the common case stores no registers
    #[inline(never)]
    fn accepted(&mut self, now: Time, link: LinkId, packet: &Packet, start: Time, end: Time, _arrival: Time) {
        if link != self.at.link {
            return;
        }
        let kind = self.kind(packet);
        if self.at.is_plain(now, end) {
            self.crossings.accepted(packet.flow(), kind);
            self.at.count_plain(now, kind, start, end);
        } else {
            self.count_accepted(now, packet, start, end);
        }
    }

    #[inline(always)]
    fn watches(&self, link: LinkId) -> bool {
        link == self.at.link
    }

    #[inline(always)]
    fn follows(&self) -> bool {
        self.follows
    }

    fn orders_endpoints(&self) -> bool {
        false
    }
}

/// `a / b`; `None` if `b` is zero.
fn ratio(a: f64, b: f64) -> Option<f64> {
    (b > 0.0).then(|| a / b)
}

fn counters(simulator: &Simulator, flow: usize) -> Counters {
    simulator.counters(FlowId(flow as u32))
}

/// Whether packets of a flow may have different sizes.
fn has_sizes(plan: &Plan) -> bool {
    plan.groups.iter().any(sizes_vary)
}

const fn sizes_vary(group: &GroupSpec) -> bool {
    matches!(group.transport, TransportSpec::Udp { sizes: SizeSpec::Exponential })
}
