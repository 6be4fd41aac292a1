//! The summary of a run at one link, over the *measured time* [`from`, `duration`).

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
use crate::packet::{FlowId, LinkId, Packet};
use crate::plan::{GroupSpec, Plan, SourceSpec};
use crate::prefetch::prefetch;
use crate::simulator::Simulator;
pub(super) use at_link::AtLink;
use at_link::LinkMeter;
pub use at_link::LinkSummary;
use meter::{Deliveries, FlowMeter, Over, Transfers};
use plight::Plight;

/// Memory per flow in bytes, including its row in the table of flows: each column takes eight bytes.
pub(crate) const ROWS_OF_FLOW: usize =
    size_of::<Deliveries>() + size_of::<Option<Transfers>>() + size_of::<Counters>() + 2 * 12 * size_of::<u64>();

/// Summary of a run. Rates are per second, times in seconds; undefined ratios are `None`.
///
/// Only flows whose data crosses the measured link are included.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Packets offered to the queue, including dropped ones.
    pub arrivals: u64,
    /// Packets whose transmission began.
    pub departures: u64,
    /// Packets dropped.
    pub drops: u64,
    /// Drops divided by arrivals.
    pub loss: Option<f64>,
    /// Bits transmitted per second, including headers.
    pub throughput_bps: f64,
    /// Bits of segments delivered in order for the first time, per second, including headers.
    pub goodput_bps: f64,
    /// Throughput divided by the link's rate: the fraction of time in which the link transmits.
    pub utilization: f64,
    /// Goodput divided by the link's rate.
    pub goodput_share: f64,
    /// Coefficient of variation of the arrivals per whole bin: population standard deviation divided by mean.
    pub cov: Option<f64>,
    /// Coefficient of variation of the offered Poisson load, `1 / sqrt(rate * bin)`, if all sources are Poisson.
    pub cov_poisson: Option<f64>,
    /// Time average of the number of waiting packets, excluding the packet in transmission.
    pub queue_mean: f64,
    /// Median time of departing packets from arrival at the queue to the start of transmission.
    pub sojourn_p50: Option<f64>,
    /// 95th percentile of the time from arrival at the queue to the start of transmission.
    pub sojourn_p95: Option<f64>,
    /// 99th percentile of the time from arrival at the queue to the start of transmission.
    pub sojourn_p99: Option<f64>,
    /// Mean one-way delay of data packets from sender to receiver.
    pub delay_mean: Option<f64>,
    /// Interarrival jitter of RFC 3550, section 6.4.1, averaged over packets.
    pub jitter: Option<f64>,
    /// Retransmission timeouts with data outstanding.
    pub timeouts: u64,
    /// Fast retransmissions.
    pub fast_retransmits: u64,
    /// Duplicate ACKs received by senders.
    pub dup_acks: u64,
    /// Segments retransmitted.
    pub retransmissions: u64,
    /// Data packets that reached a receiver that already had them.
    pub duplicates: u64,
    /// Timeouts divided by duplicate ACKs.
    pub timeouts_per_dup_ack: Option<f64>,
    /// Jain's fairness index over the flows' goodput.
    pub jain_index: Option<f64>,
    /// Jain's fairness index over the groups' goodput per flow.
    pub jain_between: Option<f64>,
    /// Flows whose goodput is below 2 % of both their offered load and their fair share, which is the link's rate
    /// divided by the number of flows.
    pub shut_off: u64,
    /// Flows whose goodput is below 10 % of both their offered load and their fair share.
    pub starved: u64,
}

/// The summary of one group; undefined ratios are `None`. Packets are counted if the group's senders send them across
/// the measured link.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "same fields as Summary, plus fields about finite transfers")]
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
    /// Number of completed transfers.
    pub completed: u64,
    /// Mean completion time: from the supply of the transfer until the receiver has all of it.
    pub completion_mean: Option<f64>,
    /// Median completion time.
    pub completion_p50: Option<f64>,
    /// 95th percentile of completion times.
    pub completion_p95: Option<f64>,
    /// 99th percentile of completion times.
    pub completion_p99: Option<f64>,
    /// Mean slowdown: completion time divided by the minimum time in which the path could carry the transfer.
    pub slowdown_mean: Option<f64>,
}

/// Facts about a run from which notices to the user are derived.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Facts {
    /// Highest average queue that RED computed at the measured link.
    pub red_avg_max: Option<f64>,
    /// For each group, the fraction of turns limited only by the advertised window.
    pub window_limited: Vec<Option<f64>>,
    /// For each group, the number of transfers that began but were not completed.
    pub unfinished: Vec<u64>,
    /// For each group, the number of requests that waited for a connection.
    pub waited: Vec<u64>,
    /// Arrivals in each whole bin at the measured link.
    pub bins: Vec<u32>,
}

/// Computes a [`Summary`] during the run.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Measurements at the link, with one kind of packet for the data of each group, and a last kind for ACKs.
    at: AtLink,
    /// Per flow: whether its data crosses the link, its group and deliveries to its receiver, its finite transfers if it
    /// has any, and its sender's counters. During the run, the counters hold the values at the start of the measured
    /// time; after the run, the counts within the measured time.
    crosses: Vec<bool>,
    deliveries: Vec<Deliveries>,
    /// Per flow: duplicate data at its receiver. Separate from the deliveries, which fill a cache line.
    duplicates: Vec<u64>,
    transfers: Vec<Option<Transfers>>,
    /// Minimum transfer times per flow and completion times per group, if there are any transfers.
    ideals: Vec<Ideal>,
    completions: Vec<Histogram>,
    counters: Vec<Counters>,
    /// Per flow: packets received in order, or sent by UDP, before the measured time (`settled`), and, after the run,
    /// the rating of the flow's goodput (`plights`).
    settled: Vec<u64>,
    plights: Vec<Plight>,
    /// Per flow: the first flow of its client, if some clients have several flows.
    clients: Vec<u32>,
    /// Per group: whether its clients open connections, and so have several flows each.
    opens: Vec<bool>,
    /// Per group: requests that waited for a connection, and requests still waiting.
    waited: Vec<u64>,
    waiting: Vec<u64>,
    poisson_rates: Vec<Option<f64>>,
}

impl Measure {
    /// Creates the measurement of a plan, for a simulator built from the plan.
    pub fn new(plan: &Plan, simulator: &Simulator) -> Self {
        let link = LinkId(plan.measure.link);
        let flows = plan.flows().count();
        let any = plan.groups.iter().any(GroupSpec::has_transfers);
        let of_flow = |(_, group): (u32, &GroupSpec)| group.has_transfers().then(Transfers::default);
        let ideal = |(id, (_, group)): (usize, (u32, &GroupSpec))| simulator.ideal(id, group, plan.duration);
        let crosses = |id| simulator.data_links(id).any(|crossed| crossed == link);
        let mut measure = Self {
            at: AtLink::new(plan, simulator, link, plan.groups.len() + 1),
            crosses: (0..flows).map(crosses).collect(),
            deliveries: plan.flows().map(|(group, _)| Deliveries::of(group)).collect(),
            duplicates: vec![0; flows],
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
            poisson_rates: plan.groups.iter().map(poisson_rate).collect(),
        };
        for (flow, packets) in plan.single_transfers() {
            measure.on_transfer(simulator.start(flow as usize), FlowId(flow), packets, true);
        }
        measure
    }

    /// Starts the measured time: counting begins here.
    pub fn begin(&mut self, simulator: &Simulator) {
        if self.at.from > Time::ZERO {
            self.counters.extend((0..self.deliveries.len()).map(|id| counters(simulator, id)));
            self.settled.extend((0..self.deliveries.len()).map(|id| simulator.settled(id)));
        }
    }

    /// Ends the measurement at the end of the run.
    pub fn finish(&mut self, simulator: &Simulator) {
        self.counters.resize(self.deliveries.len(), Counters::default());
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
        self.settled.resize(self.deliveries.len(), 0);
        let crossing = (0..self.deliveries.len()).filter(|id| self.crosses[*id] && self.flow(*id).is_first()).count();
        let fair = self.at.mean_rate.as_bps() as f64 * self.seconds() / crossing as f64;
        self.plights = (0..self.deliveries.len()).map(|id| self.plight(simulator, id, fair)).collect();
    }

    /// Rates a flow's goodput relative to a fair share of `fair` bits. Flows that do not cross the link, or that wait
    /// for requests, count as served.
    fn plight(&self, simulator: &Simulator, id: usize, fair: f64) -> Plight {
        if !self.crosses[id] || self.opens[self.group(id)] {
            return Plight::Served;
        }
        let (flow, settled) = (self.flow(id), self.settled[id]);
        Plight::of(flow.goodput_bits(), flow.in_order(), fair, |enough| {
            simulator.offered(id, self.at.end, settled.saturating_add(enough)).saturating_sub(settled)
        })
    }

    /// Memory in bytes, including the table of flows.
    pub(crate) fn held(&self) -> usize {
        self.deliveries.len() * ROWS_OF_FLOW + self.at.bins.held()
    }

    fn seconds(&self) -> f64 {
        self.at.seconds()
    }

    /// Jain's fairness index of the groups' goodput per flow. Only flows that cross the link count.
    fn jain_between(&self) -> Option<f64> {
        let per_flow = (0..self.groups().len() as u32).filter_map(|group| {
            let crossing = self.flows_of(group).filter(|flow| self.crosses[*flow]);
            let over = Over::new(crossing.map(|flow| self.flow(flow)), self.seconds());
            ratio(over.goodput_bps, f64::from(over.clients))
        });
        meter::jain_index(per_flow)
    }

    /// Number of the given flows whose rating is `plight` or worse.
    fn in_plight(&self, plight: Plight, flows: impl Iterator<Item = usize>) -> u64 {
        flows.filter(|flow| self.plights[*flow] >= plight).count() as u64
    }

    /// The kind of a packet: its group for data, the last kind for ACKs.
    #[inline(always)]
    fn kind(&self, packet: &Packet) -> usize {
        if packet.is_ack() { self.at.meters.len() - 1 } else { self.group(packet.flow().0 as usize) }
    }

    #[inline(always)]
    fn on_delivered(&mut self, now: Time, packet: &Packet, in_order: u64, duplicate: bool) {
        if now >= self.at.end || packet.is_syn() {
            return;
        }
        let (flow, measured) = (packet.flow().0 as usize, now >= self.at.from);
        self.deliveries[flow].add(now, packet, in_order, measured);
        if duplicate && measured {
            self.duplicates[flow] += 1;
        }
        if let Some(Some(transfers)) = self.transfers.get_mut(flow)
            && let Some(took) = transfers.add(now, in_order, measured)
        {
            self.completions[self.deliveries[flow].group as usize].record(took);
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
        let crossing = || (0..self.deliveries.len()).filter(|flow| self.crosses[*flow]);
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

    /// The summaries of the groups, in the plan's order.
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

    /// Facts for notices to the user.
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

    /// The flows of a group; flows are numbered through the groups in order.
    fn flows_of(&self, group: u32) -> Range<usize> {
        let start = self.deliveries.partition_point(|flow| flow.group < group);
        start..start + self.deliveries[start..].partition_point(|flow| flow.group == group)
    }

    /// Measurements of a flow, after [`finish`](Self::finish).
    fn flow(&self, id: usize) -> FlowMeter<'_> {
        FlowMeter {
            id: id as u32,
            group: self.deliveries[id].group,
            client: self.clients.get(id).map_or(id as u32, |first| *first),
            opens: self.opens[self.group(id)],
            deliveries: &self.deliveries[id],
            duplicates: self.duplicates[id],
            transfers: self.transfers.get(id).and_then(Option::as_ref),
            counters: self.counters[id],
        }
    }

    /// The index of a flow's group.
    #[inline(always)]
    fn group(&self, flow: usize) -> usize {
        self.deliveries[flow].group as usize
    }

    /// The meters of the groups, without the one for ACKs.
    fn groups(&self) -> &[LinkMeter] {
        &self.at.meters[..self.at.meters.len() - 1]
    }

    /// The meters of all flows, after [`finish`](Self::finish).
    pub(super) fn flow_meters(&self) -> impl Iterator<Item = FlowMeter<'_>> {
        (0..self.deliveries.len()).map(|id| self.flow(id))
    }

    /// The minimum transfer times of a flow; the default if the flow has no transfers.
    pub(super) fn ideal(&self, flow: u32) -> Ideal {
        self.ideals.get(flow as usize).copied().unwrap_or_default()
    }

    /// The group of a flow.
    pub(super) fn group_of(&self, flow: u32) -> u32 {
        self.deliveries[flow as usize].group
    }

    /// Measured time in seconds.
    pub(super) fn measured_seconds(&self) -> f64 {
        self.seconds()
    }

    fn cov_poisson(&self, mut flows: impl Iterator<Item = usize>) -> Option<f64> {
        let rate = flows.try_fold(0.0, |sum, flow| Some(sum + self.poisson_rates[self.group(flow)]?))?;
        ratio(1.0, (rate * self.at.bins.width().as_secs_f64()).sqrt())
    }
}

impl Observer for Measure {
    // inlined, so that events at other links cost only a comparison
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
    fn expects(&self, FlowId(flow): FlowId) {
        prefetch(&self.deliveries[flow as usize]);
    }

    #[inline(always)]
    fn watches(&self, link: LinkId) -> bool {
        link == self.at.link
    }
}

/// `a / b`; `None` if `b` is zero.
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
