//! Measurements of flows at the end of a run, and sums over them.

use ackclock_tcp::{Counters, Limit};
use ackclock_units::Time;

use super::limits::{Limited, Sums};
use super::results::Results;
use super::transfers::Transfers;
use super::{Measure, Traits, ratio};
use crate::endpoint::sink::Deliveries;

/// Measurements of one flow. They are computed when they are read, since there may be a million flows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowMeter<'a> {
    pub(super) of: Results<'a>,
    pub(super) id: usize,
}

impl<'a> FlowMeter<'a> {
    /// Group of the flow.
    pub(crate) fn group(&self) -> u32 {
        self.of.measure.groups.of(self.id)
    }

    /// First flow of the client that the flow belongs to; a client may have several flows.
    pub(super) fn client(&self) -> u32 {
        self.of.measure.clients.get(self.id).map_or(self.id as u32, |first| *first)
    }

    /// Whether the flow is the first one of its client; true for flows without a shared client.
    pub(super) fn is_first(&self) -> bool {
        self.client() == self.id as u32
    }

    /// Whether the flow is reserved for connections and never had one.
    pub(crate) fn is_spare(&self) -> bool {
        let opens = self.of.measure.traits[self.group() as usize].opens;
        opens && self.counters().sent == 0 && self.deliveries().delivered == 0
    }

    /// Counters of the flow's sender in the measured time.
    pub(crate) fn counters(&self) -> Counters {
        let now = super::counters(self.of.simulator, self.id);
        self.of.measure.counters.get(self.id).map_or(now, |base| since(base, &now))
    }

    /// What limited the flow's sender in the measured time.
    pub(crate) fn limited(&self) -> Limited {
        let mut sums = Sums::default();
        sums.add(self);
        sums.shares()
    }

    /// The time for which each reason limited the sender; `None` for UDP.
    pub(super) fn limits(&self) -> Option<[Time; Limit::ALL.len()]> {
        self.of.simulator.limits(self.id, self.of.measure.at.end)
    }

    pub(super) fn deliveries(&self) -> Deliveries {
        self.of.simulator.deliveries(self.id)
    }

    pub(super) fn transfers(&self) -> Option<&'a Transfers> {
        self.of.measure.transfers.get(self.id)?.as_ref()
    }

    /// Number of segments delivered in order for the first time.
    pub(crate) fn in_order(&self) -> u64 {
        self.deliveries().in_order
    }

    /// Size of the segments delivered in order for the first time, in bits, including headers.
    pub(crate) fn goodput_bits(&self) -> f64 {
        self.bits_of(&self.deliveries()).wire
    }

    /// The same without headers.
    pub(crate) fn payload_bits(&self) -> f64 {
        self.bits_of(&self.deliveries()).data
    }

    pub(super) fn bits_of(&self, deliveries: &Deliveries) -> Bits {
        let measure = self.of.measure;
        let Traits { packet_size, data_bytes, .. } = measure.traits[self.group() as usize];
        let (wire, data) = match measure.bytes.get(self.id) {
            Some(Some(bytes)) => (bytes.wire, bytes.data),
            _ => (deliveries.in_order * u64::from(packet_size), deliveries.in_order * u64::from(data_bytes)),
        };
        Bits { wire: wire as f64 * 8.0, data: data as f64 * 8.0 }
    }

    /// Bytes with headers that were delivered before the measured time, in order or as duplicates.
    pub(super) fn delivered_before(&self) -> u64 {
        let measure = self.of.measure;
        let size = measure.traits[self.group() as usize].packet_size;
        match measure.bytes.get(self.id) {
            Some(Some(bytes)) => bytes.before,
            _ => self.of.simulator.delivered_before(self.id) * u64::from(size),
        }
    }

    /// Share of the flow's data packets that the measured link dropped.
    pub(crate) fn loss(&self) -> Option<f64> {
        let Measure { groups, crossings, .. } = self.of.measure;
        groups.crosses(self.id).then(|| crossings.loss(self.id))?
    }

    /// Number of transfers completed in the measured time.
    pub(crate) fn completed(&self) -> u64 {
        self.transfers().map_or(0, |transfers| transfers.completed)
    }

    /// Mean completion time in seconds.
    pub(crate) fn completion_mean(&self) -> Option<f64> {
        let transfers = self.transfers()?;
        ratio(transfers.seconds, transfers.completed as f64)
    }
}

/// Bits of segments delivered in order for the first time, with headers and without.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits {
    pub(super) wire: f64,
    pub(super) data: f64,
}

/// Goodput of clients, from the meters of their flows in order.
#[derive(Debug, Default)]
pub(super) struct Goodput {
    /// Number of clients.
    pub(super) clients: u32,
    /// Sum in bits.
    bits: f64,
    /// Goodput of the clients before the last one.
    shares: Fairness,
    /// The last client, and its bits so far.
    last: Option<(u32, f64)>,
}

impl Goodput {
    pub(super) fn of<'a>(meters: impl Iterator<Item = FlowMeter<'a>>) -> Self {
        let mut goodput = Self::default();
        for meter in meters {
            goodput.add(meter.client(), meter.goodput_bits());
        }
        goodput
    }

    /// Adds a flow of the last client or of another one.
    pub(super) fn add(&mut self, client: u32, more: f64) {
        self.bits += more;
        match &mut self.last {
            Some((last, bits)) if *last == client => *bits += more,
            last => {
                self.clients += 1;
                let before = last.replace((client, more));
                self.shares.extend(before.map(|(_, bits)| bits));
            }
        }
    }

    /// Bits per second.
    pub(super) fn bps(&self, seconds: f64) -> f64 {
        self.bits / seconds
    }

    /// Jain's fairness index of the clients.
    pub(super) fn jain_index(mut self) -> Option<f64> {
        self.shares.extend(self.last.map(|(_, bits)| bits));
        self.shares.jain_index()
    }
}

/// Sums for Jain's fairness index of shares.
#[derive(Debug, Default)]
pub(super) struct Fairness {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Fairness {
    /// The index: 1 if all shares are equal, 1 / n if one of n has everything.
    pub(super) fn jain_index(&self) -> Option<f64> {
        ratio(self.sum * self.sum, self.count * self.squares)
    }
}

impl Extend<f64> for Fairness {
    fn extend<T: IntoIterator<Item = f64>>(&mut self, shares: T) {
        for share in shares {
            self.count += 1.0;
            self.sum += share;
            self.squares += share * share;
        }
    }
}

/// Counters of events between `base` and `now`; round trips are counted from `base` on.
const fn since(base: &Counters, now: &Counters) -> Counters {
    Counters {
        sent: now.sent - base.sent,
        retransmissions: now.retransmissions - base.retransmissions,
        timeouts: now.timeouts - base.timeouts,
        fast_retransmits: now.fast_retransmits - base.fast_retransmits,
        dup_acks: now.dup_acks - base.dup_acks,
        round_trips: now.round_trips,
    }
}
