//! The load of links: the shares of the flows, and how many packets wait.

use crate::link::backlog::Backlog;
use crate::link::extra_delay::ExtraDelay;
use crate::link::rate::RateSpec;
use crate::link::served::ServedLink;
use crate::plan::LinkSpec;
use crate::queue::{Limit, QueueSpec};

/// Packets that wait at times at any link that limits flows.
const FEW: f64 = 100.0;

/// The load of a link, or of the equal links of several clients (`copies`).
pub(super) struct Load<'a> {
    pub(super) link: &'a LinkSpec,
    pub(super) copies: f64,
    /// Smallest packet size in bytes, and whether all sizes are equal.
    size: f64,
    is_alike: bool,
    /// Flows, and the bit/s that each of them would send.
    wants: Vec<(f64, f64)>,
    /// Bit/s that a flow may send; infinite if the link limits no flow.
    pub(super) share: f64,
    /// Traffic that the link limits: packets in the pipes of the flows without any that wait, the most packets that the
    /// flows may have in flight, and datagrams beyond the rate.
    pub(super) pipe: f64,
    pub(super) most: f64,
    pub(super) excess: f64,
    /// Whether some of these flows slow down only after a loss, and so fill a queue that drops only when it is full.
    pub(super) fills: bool,
    /// Packets that wait when most do.
    pub(super) waits: f64,
    /// Packets in the whole run: offered to the link, dropped, and marked.
    pub(super) offered: f64,
    pub(super) dropped: f64,
    pub(super) marked: f64,
    /// Packets between the end of their transmission and their arrival.
    pub(super) crossing: f64,
}

impl<'a> Load<'a> {
    pub(super) const fn of(link: &'a LinkSpec, copies: f64) -> Self {
        Self {
            link,
            copies,
            size: f64::INFINITY,
            is_alike: true,
            wants: Vec::new(),
            share: f64::INFINITY,
            pipe: 0.0,
            most: 0.0,
            excess: 0.0,
            fills: false,
            waits: 0.0,
            offered: 0.0,
            dropped: 0.0,
            marked: 0.0,
            crossing: 0.0,
        }
    }

    /// Adds packets of a size to those that cross the link.
    pub(super) fn carry(&mut self, size: f64, is_alike: bool) {
        self.is_alike &= is_alike && (self.size.is_infinite() || self.size == size);
        self.size = self.size.min(size);
    }

    /// Adds flows that would send `rate` bit/s each.
    pub(super) fn want(&mut self, flows: f64, rate: f64) {
        self.wants.push((flows, rate));
    }

    /// Divides the rate equally among the flows; flows that want less than their share leave the rest to the others.
    pub(super) fn share(&mut self) {
        self.wants.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut rate = self.copies * rate(self.link);
        let mut flows: f64 = self.wants.iter().map(|(flows, _)| flows).sum();
        for (count, wanted) in &self.wants {
            if wanted * flows > rate {
                self.share = rate / flows;
                return;
            }
            rate -= wanted * count;
            flows -= count;
        }
    }

    /// Sets the number of packets that wait when most do.
    pub(super) fn fill(&mut self) {
        let limits = self.link.queue_changes.iter().map(|change| &change.queue).chain([&self.link.queue]);
        let packets = limits.map(|queue| match queue.limit() {
            Limit::Packets(packets) => packets as f64,
            Limit::Bytes(bytes) => bytes as f64 / self.size,
        });
        let limit = self.copies * packets.fold(0.0, f64::max);
        // a discipline that drops early, or a sender that sees the delay, lets at most one more window wait
        let drops_late = matches!(self.link.queue, QueueSpec::DropTail(_));
        let usual = if self.fills && drops_late { limit } else { limit.min(self.pipe + FEW * self.copies) };
        self.waits = (usual.min((self.most - self.pipe).max(0.0)) + self.excess).min(limit);
    }

    /// Bytes that the link and its discipline store for waiting packets (none if all have one size and the discipline
    /// stores and measures none), and for packets that may overtake each other.
    pub(super) fn runs(&self) -> f64 {
        let waiting = match () {
            () if self.link.stores_packets() => ServedLink::BYTES_OF_PACKET,
            () if self.is_alike && self.link.has_constant_rate() => 0,
            () => Backlog::BYTES_OF_RUN,
        };
        let pending = if self.link.keeps_order() { 0.0 } else { self.crossing * ExtraDelay::BYTES_OF_PACKET as f64 };
        self.waits * (waiting + self.link.queue.spec().bytes_of_packet()) as f64 + pending
    }

    /// Number of links that have the long form: always, or while packets of several sizes wait. A client's own link
    /// has packets of several sizes only while a connection opens.
    pub(super) fn long_links(&self) -> f64 {
        let is_constant = self.link.has_constant_rate() && self.link.has_constant_delay();
        let is_plain =
            is_constant && self.link.queue.is_memoryless() && self.link.loses_none() && self.link.medium.is_none();
        if is_plain && (self.is_alike || self.copies > 1.0) { 0.0 } else { self.copies }
    }
}

/// Longest propagation delay of a link, in seconds.
pub(super) fn delay(link: &LinkSpec) -> f64 {
    link.longest_delay().as_secs_f64()
}

/// Mean rate of a link in bit/s.
pub(super) fn rate(link: &LinkSpec) -> f64 {
    let rate = match &link.rate {
        RateSpec::Constant(rate) => rate.as_bps() as f64,
        RateSpec::Trace(trace) => {
            let sum: f64 = trace.rates.iter().map(|rate| *rate as f64).sum();
            sum / trace.rates.len().max(1) as f64
        }
    };
    link.shaper.map_or(rate, |shaper| rate.min(shaper.rate.as_bps() as f64))
}
