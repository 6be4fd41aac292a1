//! Computes the results of a measurement.

use ackclock_units::Time;

use super::at_link::LinkMeter;
use super::meter::{Fairness, FlowMeter, Goodput, Over};
use super::service::Service;
use super::{Facts, GroupSummary, Measure, Summary, ratio};
use crate::engine::simulator::Simulator;

/// A measurement and the simulator whose flows it measured, after [`finish`](Measure::finish).
#[derive(Clone, Copy, Debug)]
pub struct Results<'a> {
    pub(super) measure: &'a Measure,
    pub(super) simulator: &'a Simulator,
}

impl<'a> Results<'a> {
    /// The summary of all flows that cross the measured link.
    pub fn summary(self) -> Summary {
        let Measure { at, groups, .. } = self.measure;
        let link = at.summary();
        let over = Over::new(groups.crossing().map(|flow| self.flow(flow)), at.seconds());
        Summary {
            arrivals: link.arrivals,
            departures: link.departures,
            drops: link.drops,
            dropped: link.dropped,
            loss: link.loss,
            marks: link.marks,
            corrupted: link.corrupted,
            throughput_bps: link.throughput_bps,
            goodput_bps: over.goodput_bps,
            payload_bps: over.payload_bps,
            utilization: link.utilization,
            goodput_share: over.goodput_bps / at.mean_rate.as_bps() as f64,
            cov: link.cov,
            cov_poisson: self.cov_poisson(groups.crossing()),
            queue_mean: link.queue_mean,
            sojourn: link.sojourn,
            delay_mean: over.delay_mean,
            jitter: over.jitter,
            rtt_mean: over.counters.round_trips.mean(),
            rtt_min: over.counters.round_trips.min(),
            timeouts: over.counters.timeouts,
            fast_retransmits: over.counters.fast_retransmits,
            dup_acks: over.counters.dup_acks,
            retransmissions: over.counters.retransmissions,
            duplicates: over.duplicates,
            timeouts_per_dup_ack: over.timeouts_per_dup_ack(),
            jain_index: over.jain_index,
            jain_between: self.jain_between(),
            shut_off: self.rated_or_worse(Service::ShutOff, groups.crossing()),
            starved: self.rated_or_worse(Service::Starved, groups.crossing()),
        }
    }

    /// The summaries of the groups, in the plan's order.
    pub fn group_summaries(self) -> Vec<GroupSummary> {
        // the last meter is for ACKs
        let groups = 0..self.measure.groups.len();
        groups.zip(&self.measure.at.meters).map(|(group, meter)| self.group_summary(group, meter)).collect()
    }

    fn group_summary(self, group: usize, meter: &LinkMeter) -> GroupSummary {
        let Measure { at, groups, completions, .. } = self.measure;
        let flows = groups.flows_of(group);
        let over = Over::new(flows.clone().map(|flow| self.flow(flow)), at.seconds());
        let took = |q| completions.get(group)?.quantile(q).map(Time::as_secs_f64);
        GroupSummary {
            clients: over.clients,
            arrivals: meter.arrivals.all(),
            departures: meter.departures(),
            drops: meter.drops.all(),
            dropped: meter.drops,
            loss: ratio(meter.drops.all() as f64, meter.arrivals.all() as f64),
            marks: meter.marks,
            corrupted: meter.corrupted,
            throughput_bps: at.throughput_bps(meter),
            goodput_bps: over.goodput_bps,
            payload_bps: over.payload_bps,
            cov: at.bins.cov_of(&meter.arrivals),
            cov_poisson: self.cov_poisson(flows.clone()),
            queue_mean: at.queue_mean(meter),
            sojourn: meter.sojourn(),
            delay_mean: over.delay_mean,
            jitter: over.jitter,
            rtt_mean: over.counters.round_trips.mean(),
            rtt_min: over.counters.round_trips.min(),
            timeouts: over.counters.timeouts,
            fast_retransmits: over.counters.fast_retransmits,
            dup_acks: over.counters.dup_acks,
            retransmissions: over.counters.retransmissions,
            duplicates: over.duplicates,
            timeouts_per_dup_ack: over.timeouts_per_dup_ack(),
            jain_index: over.jain_index,
            shut_off: self.rated_or_worse(Service::ShutOff, flows.clone()),
            starved: self.rated_or_worse(Service::Starved, flows),
            completed: over.completed,
            completion_mean: over.completion_mean,
            completion_p50: took(0.5),
            completion_p95: took(0.95),
            completion_p99: took(0.99),
            slowdown_mean: over.slowdown_mean,
            limited: over.limited.shares(),
        }
    }

    /// Facts for notices to the user.
    pub fn facts(self) -> Facts {
        let Measure { at, groups, transfers, traits, .. } = self.measure;
        let is_open = |flow: &usize| {
            transfers.get(*flow).is_some_and(|transfers| transfers.as_ref().is_some_and(|of| of.is_open(at.end)))
        };
        let unfinished = |group: usize| groups.flows_of(group).filter(is_open).count() as u64 + traits[group].waiting;
        Facts {
            red_avg_max: self.measure.red_avg_max,
            unfinished: (0..groups.len()).map(unfinished).collect(),
            waited: traits.iter().map(|group| group.waited).collect(),
            // the last meter is for ACKs
            thirds: at.meters[..groups.len()].iter().map(|meter| meter.arrivals.thirds()).collect(),
            crossed_before: (0..groups.len()).map(|group| self.crossed_before(group)).sum(),
            bins: at.bins.counts().to_vec(),
        }
    }

    /// Bytes of a group's data that had begun to cross the measured link before the measured time, and were not yet
    /// delivered: they were on the way behind it, waited at receivers for missing data, or were lost on another link.
    fn crossed_before(self, group: usize) -> u64 {
        let Measure { groups, crossings, .. } = self.measure;
        let delivered: u64 = groups.crossing_of(group).map(|flow| self.flow(flow).delivered_before()).sum();
        crossings.before(group).saturating_sub(delivered)
    }

    /// Measured time in seconds.
    pub(in crate::observe) fn seconds(self) -> f64 {
        self.measure.at.seconds()
    }

    /// The meters of all flows.
    pub(in crate::observe) fn flow_meters(self) -> impl Iterator<Item = FlowMeter<'a>> {
        (0..self.measure.groups.flows()).map(move |id| self.flow(id))
    }

    const fn flow(self, id: usize) -> FlowMeter<'a> {
        FlowMeter { of: self, id }
    }

    /// Rates the goodput of all flows.
    pub(super) fn services(self) -> Vec<Service> {
        let Measure { at, groups, .. } = self.measure;
        let crossing = groups.crossing().filter(|id| self.flow(*id).is_first()).count();
        let fair = at.mean_rate.as_bps() as f64 * at.seconds() / crossing as f64;
        let mut services = vec![Service::Served; groups.flows()];
        groups.crossing().for_each(|id| services[id] = self.service(id, fair));
        services
    }

    /// Rates a flow's goodput relative to a fair share of `fair` bits. Flows that wait for requests count as served.
    fn service(self, id: usize, fair: f64) -> Service {
        let Self { measure: Measure { at, groups, traits, settled, .. }, simulator } = self;
        let flow = self.flow(id);
        if traits[groups.of(id) as usize].opens {
            return Service::Served;
        }
        let settled = settled.get(id).copied().unwrap_or_default();
        Service::of(flow.goodput_bits(), flow.in_order(), fair, |enough| {
            simulator.offered(id, at.end, settled.saturating_add(enough)).saturating_sub(settled)
        })
    }

    /// Number of the given flows whose rating is `service` or worse.
    fn rated_or_worse(self, service: Service, flows: impl Iterator<Item = usize>) -> u64 {
        flows.filter(|flow| self.measure.services[*flow] >= service).count() as u64
    }

    /// Jain's fairness index of the groups' goodput per client. Only flows that cross the link count.
    fn jain_between(self) -> Option<f64> {
        let Measure { at, groups, .. } = self.measure;
        let per_client = (0..groups.len()).filter_map(|group| {
            let goodput = Goodput::of(groups.crossing_of(group).map(|flow| self.flow(flow)));
            ratio(goodput.bps(at.seconds()), f64::from(goodput.clients))
        });
        let mut shares = Fairness::default();
        shares.extend(per_client);
        shares.jain_index()
    }

    fn cov_poisson(self, mut flows: impl Iterator<Item = usize>) -> Option<f64> {
        let Measure { at, groups, traits, .. } = self.measure;
        let rate = flows.try_fold(0.0, |sum, flow| Some(sum + traits[groups.of(flow) as usize].poisson_rate?))?;
        ratio(1.0, (rate * at.bins.width().as_secs_f64()).sqrt())
    }
}
