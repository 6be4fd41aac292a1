//! Computes the results of a measurement.

use serde::{Deserialize, Serialize};

use super::convergence::Found;
use super::meter::{Fairness, FlowMeter, Goodput};
use super::service::Service;
use super::views::{Flows, OfGroup, OfRun};
use super::{GroupSummary, Measure, Summary, ratio};
use crate::engine::simulator::Simulator;
use crate::plan::Unused;

/// Facts about a run from which notices to the user are derived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Highest average queue that RED computed at the measured link.
    pub red_avg_max: Option<f64>,
    /// For each group, the number of transfers that began but were not completed.
    pub unfinished: Vec<u64>,
    /// For each group, the number of requests that waited for a connection.
    pub waited: Vec<u64>,
    /// For each group, its arrivals at the measured link in the first, second and last third of the whole bins.
    pub thirds: Vec<[u64; 3]>,
    /// Bytes with headers of data whose transmission at the measured link began before the measured time, but which was
    /// not yet delivered when that time began.
    pub crossed_before: u64,
    /// Arrivals in each whole bin at the measured link.
    pub bins: Vec<u32>,
    /// Links on shortest paths that carry nothing.
    pub unused: Unused,
}

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
        let flows = Flows::new(self, groups.crossing());
        Summary::new(&OfRun { at, packets: &at.total(), flows, results: self })
    }

    /// The summaries of the groups, in the plan's order.
    pub fn group_summaries(self) -> Vec<GroupSummary> {
        let Measure { at, groups, completions, calls, pages, videos, settled, traits, .. } = self.measure;
        // the last meter is for ACKs
        let meters = at.meters[..groups.len()].iter().enumerate();
        let summary = |(group, packets)| {
            let flows = Flows::new(self, vec![groups.flows_of(group)]);
            let sent = |id| self.simulator.settled(id) - settled.get(id).copied().unwrap_or_default();
            let sent = || groups.flows_of(group).map(sent).sum::<u64>() as f64;
            let bits = || 8.0 * f64::from(traits[group].packet_size) * sent();
            let calls = calls.of(group, groups.flows_of(group), || bits() / at.seconds());
            let (completions, pages, videos) = (completions.get(group), pages.of(group), videos.of(group));
            GroupSummary::new(&OfGroup { at, packets, flows, completions, calls, pages, videos })
        };
        meters.map(summary).collect()
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
            unused: Unused::default(),
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
        let crossing = groups.crossing().into_iter().flatten().filter(|id| self.flow(*id).is_first()).count();
        let fair = at.mean_rate.as_bps() as f64 * at.seconds() / crossing as f64;
        let mut services = vec![Service::Served; groups.flows()];
        groups.crossing().into_iter().flatten().for_each(|id| services[id] = self.service(id, fair));
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
    pub(super) fn rated_or_worse(self, service: Service, flows: impl Iterator<Item = usize>) -> u64 {
        flows.filter(|flow| self.measure.services[*flow] >= service).count() as u64
    }

    /// Jain's fairness index of the groups' goodput per client. Only flows that cross the link count.
    pub(super) fn jain_between(self) -> Option<f64> {
        let Measure { at, groups, .. } = self.measure;
        let per_client = (0..groups.len()).filter_map(|group| {
            let goodput = Goodput::of(groups.crossing_of(group).map(|flow| self.flow(flow)));
            ratio(goodput.bps(at.seconds()), f64::from(goodput.clients))
        });
        let mut shares = Fairness::default();
        shares.extend(per_client);
        shares.jain_index()
    }

    /// The convergence of the flows; without values if the plan does not ask for it.
    pub(super) fn convergence(self) -> Found {
        self.measure.convergence.as_ref().map_or_else(Found::default, |convergence| convergence.found())
    }

    pub(super) fn cov_poisson(self, mut flows: impl Iterator<Item = usize>) -> Option<f64> {
        let Measure { at, groups, traits, .. } = self.measure;
        let rate = flows.try_fold(0.0, |sum, flow| Some(sum + traits[groups.of(flow) as usize].poisson_rate?))?;
        ratio(1.0, (rate * at.bins.width().as_secs_f64()).sqrt())
    }
}
