//! The summary of a run: what every run is measured by, over [`from`, `duration`) at one link.

mod at_link;
mod bins;
mod meter;
mod plight;

use std::ops::Range;

use ackclock_tcp::Counters;
use ackclock_units::Time;
use serde::Serialize;

use super::{Histogram, Observation, Observer};
use crate::ideal::Ideal;
use crate::packet::{FlowId, LinkId, Packet, Payload};
use crate::plan::{GroupSpec, Plan, SourceSpec};
use crate::simulator::Simulator;
pub(super) use at_link::AtLink;
use at_link::LinkMeter;
pub use at_link::LinkSummary;
use meter::{Deliveries, FlowMeter, Over, Transfers};
use plight::Plight;

/// Bytes that are kept of each flow, its row in the table of flows included: a column has eight.
pub(crate) const ROWS_OF_FLOW: usize =
    size_of::<Deliveries>() + size_of::<Option<Transfers>>() + size_of::<Counters>() + 2 * 12 * size_of::<u64>();

/// What a run comes to. Rates are per second, times in seconds; undefined ratios are `None`.
///
/// Of flows, those count whose data crosses the measured link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Packets offered to the queue, dropped ones included.
    pub arrivals: u64,
    /// Packets whose transmission began.
    pub departures: u64,
    /// Packets dropped.
    pub drops: u64,
    /// Drops over arrivals.
    pub loss: Option<f64>,
    /// Wire bits transmitted.
    pub throughput_bps: f64,
    /// Wire bits of first in-order deliveries.
    pub goodput_bps: f64,
    /// Throughput over the link's rate: the share of the time in which it transmits.
    pub utilization: f64,
    /// Goodput over the link's rate.
    pub goodput_share: f64,
    /// Population standard deviation over mean of the arrivals in each whole bin.
    pub cov: Option<f64>,
    /// Its value for the offered Poisson load, if all sources are Poisson: `1 / sqrt(rate * bin)`.
    pub cov_poisson: Option<f64>,
    /// Mean over time of the packets waiting, without the one in transmission.
    pub queue_mean: f64,
    /// Median time from arrival at the queue to the start of transmission, of departures.
    pub sojourn_p50: Option<f64>,
    /// Its 95th percentile.
    pub sojourn_p95: Option<f64>,
    /// Its 99th percentile.
    pub sojourn_p99: Option<f64>,
    /// Mean time of data packets from sender to receiver.
    pub delay_mean: Option<f64>,
    /// Interarrival jitter of RFC 3550, section 6.4.1, averaged over packets.
    pub jitter: Option<f64>,
    /// Retransmission timeouts with data outstanding.
    pub timeouts: u64,
    /// Fast retransmissions.
    pub fast_retransmits: u64,
    /// Duplicate ACKs that senders received.
    pub dup_acks: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Data packets that reached a receiver which had them already.
    pub duplicates: u64,
    /// Timeouts over duplicate ACKs.
    pub timeouts_per_dup_ack: Option<f64>,
    /// Jain's fairness index over the flows' goodput.
    pub jain_index: Option<f64>,
    /// The same over the groups: of their goodput for each flow.
    pub jain_between: Option<f64>,
    /// Flows with less than 2 % of what they offered and of their fair share, the link's rate over the flows.
    pub shut_off: u64,
    /// Flows with less than 10 % of both.
    pub starved: u64,
}

/// The same for one group, where it has a meaning; packets are those of senders at the measured link.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of Summary; the last ones tell of finite transfers")]
pub struct GroupSummary {
    pub clients: u32,
    pub arrivals: u64,
    pub departures: u64,
    pub drops: u64,
    pub loss: Option<f64>,
    pub throughput_bps: f64,
    pub goodput_bps: f64,
    pub cov: Option<f64>,
    pub cov_poisson: Option<f64>,
    pub queue_mean: f64,
    pub delay_mean: Option<f64>,
    pub jitter: Option<f64>,
    pub timeouts: u64,
    pub fast_retransmits: u64,
    pub dup_acks: u64,
    pub retransmissions: u64,
    pub duplicates: u64,
    pub timeouts_per_dup_ack: Option<f64>,
    pub jain_index: Option<f64>,
    pub shut_off: u64,
    pub starved: u64,
    /// Transfers that ended.
    pub completed: u64,
    /// Their mean time from being handed over to the receiver having everything.
    pub completion_mean: Option<f64>,
    /// Its median.
    pub completion_p50: Option<f64>,
    /// Its 95th percentile.
    pub completion_p95: Option<f64>,
    /// Its 99th percentile.
    pub completion_p99: Option<f64>,
    /// Their mean slowdown: that time over the shortest in which the path could carry the transfer.
    pub slowdown_mean: Option<f64>,
}

/// What a user might have to be told about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Facts {
    /// Highest average queue that RED computed at the measured link.
    pub red_avg_max: Option<f64>,
    /// For each group, the share of turns that only the advertised window ended.
    pub window_limited: Vec<Option<f64>>,
    /// For each group, the transfers that began and did not end.
    pub unfinished: Vec<u64>,
    /// For each group, the requests that waited for a connection.
    pub waited: Vec<u64>,
    /// Arrivals in each whole bin at the measured link.
    pub bins: Vec<u32>,
}

/// Computes a [`Summary`] while the run goes on.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Kinds of packets are each group's data, and at last ACKs.
    at: AtLink,
    /// Of each flow: its group, whether its data cross the link, what reached its receiver, its transfers if there are any finite
    /// ones, and what its sender did before the measured time, after the run: in it.
    groups: Vec<u32>,
    crosses: Vec<bool>,
    deliveries: Vec<Deliveries>,
    /// Of each flow, data that its receiver had already: apart from the deliveries, which fill a line of the cache.
    duplicates: Vec<u64>,
    transfers: Vec<Option<Transfers>>,
    /// Of each flow the shortest time of a transfer, and of each group the times that its transfers took, if there are any.
    ideals: Vec<Ideal>,
    completions: Vec<Histogram>,
    counters: Vec<Counters>,
    /// Of each flow, packets that were settled before the measured time, and, after the run, how little it got in it.
    settled: Vec<u64>,
    plights: Vec<Plight>,
    /// Of each flow the first one of its client, if some have several.
    clients: Vec<u32>,
    /// Of each group, whether its clients open connections, each with several flows for that.
    opens: Vec<bool>,
    /// Of each group, requests that waited for a connection, and those that still do.
    waited: Vec<u64>,
    waiting: Vec<u64>,
    poisson_rates: Vec<Option<f64>>,
}

impl Measure {
    /// The measure of a plan, for a simulator built from it.
    pub fn new(plan: &Plan, simulator: &Simulator) -> Self {
        let link = LinkId(plan.measure.link);
        let groups = simulator.groups().to_vec();
        let any = plan.groups.iter().any(GroupSpec::has_transfers);
        let of_flow = |(_, group): (u32, &GroupSpec)| group.has_transfers().then(Transfers::default);
        let ideal = |(id, (_, group)): (usize, (u32, &GroupSpec))| simulator.ideal(id, group, plan.duration);
        let crosses = |id| simulator.data_links(id).any(|crossed| crossed == link);
        let mut measure = Self {
            at: AtLink::new(plan, simulator, link, plan.groups.len() + 1),
            crosses: (0..groups.len()).map(crosses).collect(),
            deliveries: vec![Deliveries::default(); groups.len()],
            duplicates: vec![0; groups.len()],
            transfers: if any { plan.flows().map(of_flow).collect() } else { Vec::new() },
            ideals: if any { plan.flows().enumerate().map(ideal).collect() } else { Vec::new() },
            completions: if any { vec![Histogram::default(); plan.groups.len()] } else { Vec::new() },
            counters: Vec::new(),
            settled: Vec::new(),
            plights: Vec::new(),
            clients: plan.clients(),
            opens: plan.groups.iter().map(GroupSpec::opens_connections).collect(),
            waited: vec![0; plan.groups.len()],
            waiting: vec![0; plan.groups.len()],
            groups,
            poisson_rates: plan.groups.iter().map(poisson_rate).collect(),
        };
        for (flow, packets) in plan.single_transfers() {
            measure.on_transfer(simulator.start(flow as usize), FlowId(flow), packets, true);
        }
        measure
    }

    /// The measured time begins: counters from here on.
    pub fn begin(&mut self, simulator: &Simulator) {
        if self.at.from > Time::ZERO {
            self.counters.extend((0..self.groups.len()).map(|id| counters(simulator, id)));
            self.settled.extend((0..self.groups.len()).map(|id| simulator.settled(id)));
        }
    }

    /// The run is over.
    pub fn finish(&mut self, simulator: &Simulator) {
        self.counters.resize(self.groups.len(), Counters::default());
        for (id, base) in self.counters.iter_mut().enumerate() {
            *base = meter::since(base, &counters(simulator, id));
        }
        for (group, ..) in simulator.clients().waiting() {
            self.waiting[group as usize] += 1;
        }
        for (group, count) in simulator.clients().waited() {
            self.waited[group as usize] += count;
        }
        self.at.finish();
        self.settled.resize(self.groups.len(), 0);
        let crossing = (0..self.groups.len()).filter(|id| self.crosses[*id] && self.flow(*id).is_first()).count();
        let fair = self.at.mean_rate.as_bps() as f64 * self.seconds() / crossing as f64;
        self.plights = (0..self.groups.len()).map(|id| self.plight(simulator, id, fair)).collect();
    }

    /// How little a flow got, beside a fair share of so many bits; a flow that does not cross the link has none there, nor has one
    /// that waits for requests.
    fn plight(&self, simulator: &Simulator, id: usize, fair: f64) -> Plight {
        if !self.crosses[id] || self.opens[self.groups[id] as usize] {
            return Plight::Served;
        }
        let (flow, settled) = (self.flow(id), self.settled[id]);
        Plight::of(flow.goodput_bits(), flow.in_order(), fair, |enough| {
            simulator.offered(id, self.at.end, settled.saturating_add(enough)).saturating_sub(settled)
        })
    }

    /// Bytes of memory that it takes, the table of flows included.
    pub(crate) fn held(&self) -> usize {
        self.groups.len() * ROWS_OF_FLOW + self.at.bins.held()
    }

    fn seconds(&self) -> f64 {
        self.at.seconds()
    }

    /// Jain's index between the groups whose flows cross the link, of the goodput for each flow that does.
    fn jain_between(&self) -> Option<f64> {
        let per_flow = (0..self.groups().len() as u32).filter_map(|group| {
            let crossing = self.flows_of(group).filter(|flow| self.crosses[*flow]);
            let over = Over::new(crossing.map(|flow| self.flow(flow)), self.seconds());
            ratio(over.goodput_bps, f64::from(over.clients))
        });
        meter::jain_index(per_flow)
    }

    /// How many of some flows got as little as that, or less.
    fn in_plight(&self, plight: Plight, flows: impl Iterator<Item = usize>) -> u64 {
        flows.filter(|flow| self.plights[*flow] >= plight).count() as u64
    }

    /// The kind that it counts as.
    #[inline(always)]
    fn kind(&self, packet: &Packet) -> usize {
        match packet.payload {
            Payload::Ack { .. } => self.at.meters.len() - 1,
            Payload::Syn { .. } | Payload::Data { .. } => self.groups[packet.flow.0 as usize] as usize,
        }
    }

    #[inline(always)]
    fn on_delivered(&mut self, now: Time, packet: &Packet, in_order: u64, duplicate: bool) {
        if now >= self.at.end || matches!(packet.payload, Payload::Syn { .. }) {
            return;
        }
        let (flow, measured) = (packet.flow.0 as usize, now >= self.at.from);
        self.deliveries[flow].add(now, packet, in_order, measured);
        if duplicate && measured {
            self.duplicates[flow] += 1;
        }
        if let Some(Some(transfers)) = self.transfers.get_mut(flow)
            && let Some(took) = transfers.add(now, in_order, measured)
        {
            self.completions[self.groups[flow] as usize].record(took);
        }
    }

    #[inline(never)]
    fn on_transfer(&mut self, now: Time, FlowId(flow): FlowId, packets: u64, opens: bool) {
        if let Some(Some(transfers)) = self.transfers.get_mut(flow as usize) {
            transfers.begin(now, packets, self.ideals[flow as usize].time(packets, opens));
        }
    }

    /// The summary, after [`finish`](Self::finish).
    pub fn summary(&self) -> Summary {
        let link = self.at.summary();
        let crossing = || (0..self.groups.len()).filter(|flow| self.crosses[*flow]);
        let over = Over::new(crossing().map(|flow| self.flow(flow)), self.seconds());
        Summary {
            arrivals: link.arrivals,
            departures: link.departures,
            drops: link.drops,
            loss: link.loss,
            throughput_bps: link.throughput_bps,
            goodput_bps: over.goodput_bps,
            utilization: link.utilization,
            goodput_share: over.goodput_bps / self.at.mean_rate.as_bps() as f64,
            cov: link.cov,
            cov_poisson: self.cov_poisson(crossing()),
            queue_mean: link.queue_mean,
            sojourn_p50: link.sojourn_p50,
            sojourn_p95: link.sojourn_p95,
            sojourn_p99: link.sojourn_p99,
            delay_mean: over.delay_mean,
            jitter: over.jitter,
            timeouts: over.counters.timeouts,
            fast_retransmits: over.counters.fast_retransmits,
            dup_acks: over.counters.dup_acks,
            retransmissions: over.counters.retransmissions,
            duplicates: over.duplicates,
            timeouts_per_dup_ack: over.timeouts_per_dup_ack(),
            jain_index: over.jain_index,
            jain_between: self.jain_between(),
            shut_off: self.in_plight(Plight::ShutOff, crossing()),
            starved: self.in_plight(Plight::Starved, crossing()),
        }
    }

    /// The summary of each group, in the plan's order.
    pub fn group_summaries(&self) -> Vec<GroupSummary> {
        (0_u32..).zip(self.groups()).map(|(group, meter)| self.group_summary(group, meter)).collect()
    }

    fn group_summary(&self, group: u32, meter: &LinkMeter) -> GroupSummary {
        let over = Over::new(self.flows_of(group).map(|flow| self.flow(flow)), self.seconds());
        let took = |q| self.completions.get(group as usize)?.quantile(q).map(Time::as_secs_f64);
        GroupSummary {
            clients: over.clients,
            arrivals: meter.arrivals.all(),
            departures: meter.departures(),
            drops: meter.drops,
            loss: ratio(meter.drops as f64, meter.arrivals.all() as f64),
            throughput_bps: self.at.throughput_bps(meter),
            goodput_bps: over.goodput_bps,
            cov: self.at.bins.cov_of(&meter.arrivals),
            cov_poisson: self.cov_poisson(self.flows_of(group)),
            queue_mean: self.at.queue_mean(meter),
            delay_mean: over.delay_mean,
            jitter: over.jitter,
            timeouts: over.counters.timeouts,
            fast_retransmits: over.counters.fast_retransmits,
            dup_acks: over.counters.dup_acks,
            retransmissions: over.counters.retransmissions,
            duplicates: over.duplicates,
            timeouts_per_dup_ack: over.timeouts_per_dup_ack(),
            jain_index: over.jain_index,
            shut_off: self.in_plight(Plight::ShutOff, self.flows_of(group)),
            starved: self.in_plight(Plight::Starved, self.flows_of(group)),
            completed: over.completed,
            completion_mean: over.completion_mean,
            completion_p50: took(0.5),
            completion_p95: took(0.95),
            completion_p99: took(0.99),
            slowdown_mean: over.slowdown_mean,
        }
    }

    /// What a user might have to be told about.
    pub fn facts(&self, simulator: &mut Simulator) -> Facts {
        let mut red_avg_max = None;
        simulator.link(self.at.link).gauges(&mut |name, value| {
            if name == "avg_max" {
                red_avg_max = Some(value);
            }
        });
        let window_limited = (0_u32..self.groups().len() as u32).map(|group| {
            let of_group = || self.flows_of(group).map(|flow| self.counters[flow]);
            let turns: u64 = of_group().map(|counters| counters.turns).sum();
            let limited: u64 = of_group().map(|counters| counters.window_limited).sum();
            ratio(limited as f64, turns as f64)
        });
        let open = |flow: &usize| {
            self.transfers.get(*flow).is_some_and(|of| of.as_ref().is_some_and(|of| of.is_open(self.at.end)))
        };
        let unfinished = (0..self.groups().len() as u32)
            .map(|group| self.flows_of(group).filter(open).count() as u64 + self.waiting[group as usize]);
        Facts {
            red_avg_max,
            window_limited: window_limited.collect(),
            unfinished: unfinished.collect(),
            waited: self.waited.clone(),
            bins: self.at.bins.counts().to_vec(),
        }
    }

    /// The flows of a group: they are numbered through the groups in order.
    fn flows_of(&self, group: u32) -> Range<usize> {
        let start = self.groups.partition_point(|other| *other < group);
        start..start + self.groups[start..].partition_point(|other| *other == group)
    }

    /// What is known of a flow, after [`finish`](Self::finish).
    fn flow(&self, id: usize) -> FlowMeter<'_> {
        FlowMeter {
            id: id as u32,
            group: self.groups[id],
            client: self.clients.get(id).map_or(id as u32, |first| *first),
            opens: self.opens[self.groups[id] as usize],
            deliveries: &self.deliveries[id],
            duplicates: self.duplicates[id],
            transfers: self.transfers.get(id).and_then(Option::as_ref),
            counters: self.counters[id],
        }
    }

    /// The groups' meters, without that of ACKs.
    fn groups(&self) -> &[LinkMeter] {
        &self.at.meters[..self.at.meters.len() - 1]
    }

    /// The meters of all flows, after [`finish`](Self::finish).
    pub(super) fn flow_meters(&self) -> impl Iterator<Item = FlowMeter<'_>> {
        (0..self.groups.len()).map(|id| self.flow(id))
    }

    /// The shortest time of a flow's transfers; of one without any, nothing.
    pub(super) fn ideal(&self, flow: u32) -> Ideal {
        self.ideals.get(flow as usize).copied().unwrap_or_default()
    }

    /// The group of a flow.
    pub(super) fn group_of(&self, flow: u32) -> u32 {
        self.groups[flow as usize]
    }

    /// Seconds measured.
    pub(super) fn measured_seconds(&self) -> f64 {
        self.seconds()
    }

    fn cov_poisson(&self, mut flows: impl Iterator<Item = usize>) -> Option<f64> {
        let rate = flows.try_fold(0.0, |sum, flow| Some(sum + self.poisson_rates[self.groups[flow] as usize]?))?;
        ratio(1.0, (rate * self.at.bins.width().as_secs_f64()).sqrt())
    }
}

impl Observer for Measure {
    // inlined, so that what concerns other links costs a comparison
    #[inline(always)]
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        match seen {
            Observation::Offered { link, packet, offered } if *link == self.at.link => {
                self.at.offered(now, self.kind(packet), *offered);
            }
            Observation::Delivered { packet, in_order, duplicate } => {
                self.on_delivered(now, packet, *in_order, *duplicate);
            }
            Observation::TransferBegins { flow, packets, sender } => {
                self.on_transfer(now, *flow, *packets, sender.counters().sent == 0);
            }
            _ => {}
        }
    }

    #[inline(always)]
    fn watches(&self, link: LinkId) -> bool {
        link == self.at.link
    }
}

/// `a / b`, undefined where `b` is zero.
fn ratio(a: f64, b: f64) -> Option<f64> {
    (b > 0.0).then(|| a / b)
}

fn counters(simulator: &Simulator, flow: usize) -> Counters {
    simulator.counters(FlowId(flow as u32))
}

fn poisson_rate(group: &GroupSpec) -> Option<f64> {
    match group.source {
        SourceSpec::Poisson { rate } => Some(rate),
        _ => None,
    }
}
