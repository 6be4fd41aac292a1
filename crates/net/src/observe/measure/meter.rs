//! Counts deliveries to each receiver.

use std::mem::replace;
use std::num::NonZeroU64;

use ackclock_tcp::Counters;
use ackclock_units::Time;

use super::ratio;
use crate::packet::Packet;

/// Deliveries to one flow's receiver, and the flow's group. The fields fill one cache line.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(super) struct Deliveries {
    in_order: u64,
    in_order_bytes: u64,
    delivered: u64,
    /// Sum of one-way delays in picoseconds: its lower 64 bits, and the higher ones.
    delay: u64,
    delay_high: u32,
    pub(super) group: u32,
    last_transit: Option<NonZeroU64>,
    /// RFC 3550's running jitter and its sum over packets, in picoseconds.
    jitter: f64,
    jitter_sum: f64,
}

impl Deliveries {
    /// No deliveries yet to a flow of the given group.
    pub(super) fn of(group: u32) -> Self {
        Self { group, ..Self::default() }
    }

    /// Sum of one-way delays, in picoseconds.
    fn delay(&self) -> u128 {
        u128::from(self.delay_high) << u64::BITS | u128::from(self.delay)
    }

    #[inline(always)]
    pub(super) fn add(&mut self, now: Time, packet: &Packet, in_order: u64, measured: bool) {
        // never zero, since a link takes at least one picosecond
        let transit = (now - packet.sent).as_picos();
        if let Some(last) = replace(&mut self.last_transit, NonZeroU64::new(transit)) {
            // converting an i64 to a float takes one instruction, a u64 about a dozen; the value fits, because no
            // packet is in flight for 106 days
            let change = transit.wrapping_sub(last.get()).cast_signed() as f64;
            self.jitter += (change.abs() - self.jitter) / 16.0;
        }
        if measured {
            self.in_order += in_order;
            // buffered packets have the size of this one: only UDP's sizes differ, and UDP buffers nothing
            self.in_order_bytes += in_order * u64::from(packet.size());
            self.delivered += 1;
            let (delay, carry) = self.delay.overflowing_add(transit);
            (self.delay, self.delay_high) = (delay, self.delay_high + u32::from(carry));
            self.jitter_sum += self.jitter;
        }
    }
}

/// The finite transfers of a flow, in sequence.
#[derive(Clone, Debug, Default)]
pub(super) struct Transfers {
    /// Start time of the current transfer.
    start: Time,
    /// Packets not yet received.
    missing: u64,
    /// Minimum time in which the path could carry the current transfer.
    least: Time,
    /// Transfers completed in the measured time, the sum of their completion times in seconds, and the sum of their
    /// slowdowns.
    completed: u64,
    seconds: f64,
    slowdowns: f64,
}

impl Transfers {
    pub(super) const fn begin(&mut self, now: Time, packets: u64, least: Time) {
        (self.start, self.missing, self.least) = (now, packets, least);
    }

    /// Counts an arrival. Returns the completion time of the transfer if this was its last packet.
    pub(super) fn add(&mut self, now: Time, in_order: u64, measured: bool) -> Option<Time> {
        if self.missing == 0 {
            return None;
        }
        self.missing = self.missing.saturating_sub(in_order);
        let took = Some(now - self.start).filter(|_| self.missing == 0 && measured)?;
        self.completed += 1;
        self.seconds += took.as_secs_f64();
        self.slowdowns += took.as_secs_f64() / self.least.as_secs_f64();
        Some(took)
    }

    /// Whether a transfer that began before `end` is incomplete.
    pub(super) fn is_open(&self, end: Time) -> bool {
        self.missing > 0 && self.start < end
    }
}

/// Measurements of one flow at the end of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowMeter<'a> {
    pub(super) id: u32,
    pub(crate) group: u32,
    /// First flow of the client that the flow belongs to; a client may have several flows.
    pub(super) client: u32,
    pub(super) opens: bool,
    pub(super) deliveries: &'a Deliveries,
    pub(super) duplicates: u64,
    pub(super) transfers: Option<&'a Transfers>,
    /// Counters of the flow's sender in the measured time.
    pub(crate) counters: Counters,
}

impl FlowMeter<'_> {
    /// Whether the flow is the first one of its client; true for flows without a shared client.
    pub(super) const fn is_first(&self) -> bool {
        self.client == self.id
    }

    /// Whether the flow is reserved for connections and never had one.
    pub(crate) fn is_spare(&self) -> bool {
        self.opens && self.counters.sent == 0 && self.deliveries.delivered == 0
    }

    /// Number of segments delivered in order for the first time.
    pub(crate) const fn in_order(&self) -> u64 {
        self.deliveries.in_order
    }

    /// Size of the segments delivered in order for the first time, in bits, including headers.
    pub(crate) fn goodput_bits(&self) -> f64 {
        self.deliveries.in_order_bytes as f64 * 8.0
    }

    /// Number of transfers completed in the measured time.
    pub(crate) fn completed(&self) -> u64 {
        self.transfers.map_or(0, |transfers| transfers.completed)
    }

    /// Sum of the completion times of the transfers completed in the measured time, in seconds.
    fn completing(&self) -> f64 {
        self.transfers.map_or(0.0, |transfers| transfers.seconds)
    }

    /// Sum of the slowdowns of the transfers completed in the measured time.
    fn slowdowns(&self) -> f64 {
        self.transfers.map_or(0.0, |transfers| transfers.slowdowns)
    }

    /// Mean completion time in seconds.
    pub(crate) fn completion_mean(&self) -> Option<f64> {
        ratio(self.completing(), self.completed() as f64)
    }
}

/// The goodput of each client in bits, from the meters of flows in order.
pub(super) fn of_clients<'a>(meters: impl Iterator<Item = FlowMeter<'a>>) -> impl Iterator<Item = f64> {
    let mut meters = meters.peekable();
    std::iter::from_fn(move || {
        let first = meters.next()?;
        let mut bits = first.goodput_bits();
        while let Some(next) = meters.next_if(|next| next.client == first.client) {
            bits += next.goodput_bits();
        }
        Some(bits)
    })
}

/// Sums over several flows.
#[derive(Clone, Debug)]
pub(super) struct Over {
    /// Number of clients.
    pub(super) clients: u32,
    pub(super) goodput_bps: f64,
    pub(super) delay_mean: Option<f64>,
    pub(super) jitter: Option<f64>,
    pub(super) counters: Counters,
    pub(super) duplicates: u64,
    pub(super) jain_index: Option<f64>,
    pub(super) completed: u64,
    pub(super) completion_mean: Option<f64>,
    pub(super) slowdown_mean: Option<f64>,
}

impl Over {
    pub(super) fn new<'a>(meters: impl Iterator<Item = FlowMeter<'a>> + Clone, seconds: f64) -> Self {
        let (mut delivered, mut duplicates, mut delay, mut completed) = (0, 0, 0, 0);
        let (mut jitter, mut goodput, mut completion, mut slowdowns) = (0.0, 0.0, 0.0, 0.0);
        let mut counters = Counters::default();
        for meter in meters.clone() {
            delivered += meter.deliveries.delivered;
            duplicates += meter.duplicates;
            delay += meter.deliveries.delay();
            jitter += meter.deliveries.jitter_sum;
            goodput += meter.goodput_bits();
            counters = counters.plus(meter.counters);
            completed += meter.completed();
            completion += meter.completing();
            slowdowns += meter.slowdowns();
        }
        Self {
            clients: of_clients(meters.clone()).count() as u32,
            goodput_bps: goodput / seconds,
            delay_mean: ratio(delay as f64 / 1e12, delivered as f64),
            jitter: ratio(jitter / 1e12, delivered as f64),
            counters,
            duplicates,
            jain_index: jain_index(of_clients(meters)),
            completed,
            completion_mean: ratio(completion, completed as f64),
            slowdown_mean: ratio(slowdowns, completed as f64),
        }
    }

    pub(super) fn timeouts_per_dup_ack(&self) -> Option<f64> {
        ratio(self.counters.timeouts as f64, self.counters.dup_acks as f64)
    }
}

/// Jain's fairness index of shares: 1 if all are equal, 1 / n if one of n has everything.
pub(super) fn jain_index(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum, squares) = shares
        .fold((0.0, 0.0, 0.0), |(count, sum, squares), share| (count + 1.0, sum + share, squares + share * share));
    ratio(sum * sum, count * squares)
}

/// Counters of events between `base` and `now`.
pub(super) const fn since(base: &Counters, now: &Counters) -> Counters {
    Counters {
        sent: now.sent - base.sent,
        retransmissions: now.retransmissions - base.retransmissions,
        timeouts: now.timeouts - base.timeouts,
        fast_retransmits: now.fast_retransmits - base.fast_retransmits,
        dup_acks: now.dup_acks - base.dup_acks,
        turns: now.turns - base.turns,
        window_limited: now.window_limited - base.window_limited,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const _: () = assert!(size_of::<Deliveries>() == 64, "one cache line");

    proptest! {
        #[test]
        fn sums_of_delays_exceed_64_bits(transits in prop::collection::vec(1_u64..u64::MAX, 1..50)) {
            let mut deliveries = Deliveries::of(3);
            for transit in &transits {
                deliveries.add(Time::from_picos(*transit), &Packet::NONE, 1, true);
            }
            prop_assert_eq!(deliveries.delay(), transits.iter().map(|transit| u128::from(*transit)).sum::<u128>());
            prop_assert_eq!((deliveries.delivered, deliveries.group), (transits.len() as u64, 3));
        }
    }
}
