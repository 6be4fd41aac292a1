//! What the measures of each level are computed from.

use std::ops::Range;

use ackclock_tcp::Counters;
use ackclock_units::Time;

use super::at_link::AtLink;
use super::calls::OfCalls;
use super::limits::Sums;
use super::link_meter::LinkMeter;
use super::meter::{FlowMeter, Goodput};
use super::ratio;
use super::results::Results;
use super::service::Service;
use super::videos::OfVideos;
use crate::observe::Histogram;

/// A measured link and all packets there.
#[derive(Debug)]
pub(super) struct OfLink<'a> {
    pub(super) at: &'a AtLink,
    pub(super) packets: &'a LinkMeter,
}

/// A run: the measured link, all packets there, and the flows whose data crosses the link.
#[derive(Debug)]
pub(super) struct OfRun<'a> {
    pub(super) at: &'a AtLink,
    pub(super) packets: &'a LinkMeter,
    pub(super) flows: Flows<'a>,
    pub(super) results: Results<'a>,
}

/// A group: the measured link, the group's packets there, and its flows.
#[derive(Debug)]
pub(super) struct OfGroup<'a> {
    pub(super) at: &'a AtLink,
    pub(super) packets: &'a LinkMeter,
    pub(super) flows: Flows<'a>,
    /// Completion times of transfers, if the run has transfers.
    pub(super) completions: Option<&'a Histogram>,
    /// Its calls, if its source sends frames.
    pub(super) calls: Option<OfCalls<'a>>,
    /// Load times of web pages, if the run has pages.
    pub(super) pages: Option<&'a Histogram>,
    /// Its videos, if its source is a video.
    pub(super) videos: Option<&'a OfVideos>,
}

impl OfGroup<'_> {
    /// The `q` quantile of the completion times in seconds.
    pub(super) fn completion(&self, q: f64) -> Option<f64> {
        seconds(self.completions?, q)
    }

    /// The `q` quantile of the load times of pages in seconds.
    pub(super) fn page(&self, q: f64) -> Option<f64> {
        seconds(self.pages?, q)
    }

    /// The `q` quantile of the one-way delays of calls in seconds.
    pub(super) fn delay(&self, q: f64) -> Option<f64> {
        seconds(self.calls?.delays, q)
    }
}

/// The `q` quantile of times in seconds.
pub(super) fn seconds(times: &Histogram, q: f64) -> Option<f64> {
    times.quantile(q).map(Time::as_secs_f64)
}

/// Several flows, and sums over them.
#[derive(Debug)]
pub(super) struct Flows<'a> {
    of: Results<'a>,
    ids: Vec<Range<usize>>,
    /// Number of clients.
    pub(super) clients: u32,
    pub(super) goodput_bps: f64,
    pub(super) payload_bps: f64,
    pub(super) delay_mean: Option<f64>,
    pub(super) jitter: Option<f64>,
    pub(super) counters: Counters,
    pub(super) duplicates: u64,
    pub(super) jain_index: Option<f64>,
    pub(super) completed: u64,
    pub(super) completion_mean: Option<f64>,
    pub(super) slowdown_mean: Option<f64>,
    pub(super) limited: Sums,
}

impl<'a> Flows<'a> {
    pub(super) fn new(of: Results<'a>, ids: Vec<Range<usize>>) -> Self {
        let seconds = of.seconds();
        let (mut delivered, mut duplicates, mut delay, mut completed) = (0, 0, 0, 0);
        let (mut jitter, mut completion, mut slowdowns, mut payload) = (0.0, 0.0, 0.0, 0.0);
        let (mut counters, mut goodput, mut limited) = (Counters::default(), Goodput::default(), Sums::default());
        for meter in ids.iter().cloned().flatten().map(|id| FlowMeter { of, id }) {
            let deliveries = meter.deliveries();
            delivered += deliveries.delivered;
            duplicates += deliveries.duplicates;
            delay += deliveries.delay;
            jitter += deliveries.jitter_sum;
            let bits = meter.bits_of(&deliveries);
            goodput.add(meter.client(), bits.wire);
            payload += bits.data;
            counters = counters.plus(meter.counters());
            limited.add(&meter);
            if let Some(transfers) = meter.transfers() {
                completed += transfers.completed;
                completion += transfers.seconds;
                slowdowns += transfers.slowdowns;
            }
        }
        Self {
            of,
            ids,
            clients: goodput.clients,
            goodput_bps: goodput.bps(seconds),
            payload_bps: payload / seconds,
            delay_mean: ratio(delay as f64 / 1e12, delivered as f64),
            jitter: ratio(jitter / 1e12, delivered as f64),
            counters,
            duplicates,
            jain_index: goodput.jain_index(),
            completed,
            completion_mean: ratio(completion, completed as f64),
            slowdown_mean: ratio(slowdowns, completed as f64),
            limited,
        }
    }

    fn ids(&self) -> impl Iterator<Item = usize> {
        self.ids.iter().cloned().flatten()
    }

    pub(super) fn timeouts_per_dup_ack(&self) -> Option<f64> {
        ratio(self.counters.timeouts as f64, self.counters.dup_acks as f64)
    }

    /// Coefficient of variation of the load that the sources offer, if all are Poisson.
    pub(super) fn cov_poisson(&self) -> Option<f64> {
        self.of.cov_poisson(self.ids())
    }

    /// Number of flows whose rating is `service` or worse.
    pub(super) fn rated_or_worse(&self, service: Service) -> u64 {
        self.of.rated_or_worse(service, self.ids())
    }
}
