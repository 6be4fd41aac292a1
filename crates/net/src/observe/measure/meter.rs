//! What reached each receiver.

use ackclock_tcp::Counters;
use ackclock_units::Time;

use super::ratio;
use crate::packet::{Packet, Payload};

/// One flow's deliveries and counters.
#[derive(Clone, Debug)]
pub(crate) struct FlowMeter {
    pub(crate) group: u32,
    pub(super) crosses: bool,
    start: Time,
    /// Packets of a finite transfer still to come.
    missing: Option<u64>,
    pub(crate) completion: Option<f64>,
    pub(crate) in_order: u64,
    in_order_bytes: u64,
    delivered: u64,
    /// Sum of one-way delays, in picoseconds.
    delay: u128,
    last_transit: Option<u64>,
    /// RFC 3550's running jitter and its sum over packets, in picoseconds.
    jitter: f64,
    jitter_sum: f64,
    pub(super) base: Counters,
    pub(super) counters: Counters,
}

impl FlowMeter {
    pub(super) fn new(group: u32, start: Time, missing: Option<u64>, crosses: bool) -> Self {
        Self {
            group,
            crosses,
            start,
            missing,
            completion: None,
            in_order: 0,
            in_order_bytes: 0,
            delivered: 0,
            delay: 0,
            last_transit: None,
            jitter: 0.0,
            jitter_sum: 0.0,
            base: Counters::default(),
            counters: Counters::default(),
        }
    }

    pub(super) fn deliver(&mut self, now: Time, packet: &Packet, in_order: u64, measured: bool) {
        if matches!(packet.payload, Payload::Syn { .. }) {
            return;
        }
        if let Some(missing) = self.missing.as_mut().filter(|missing| **missing > 0) {
            *missing = missing.saturating_sub(in_order);
            if *missing == 0 && measured {
                self.completion = Some((now - self.start).as_secs_f64());
            }
        }
        let transit = (now - packet.sent).as_picos();
        if let Some(last) = self.last_transit.replace(transit) {
            self.jitter += (transit.abs_diff(last) as f64 - self.jitter) / 16.0;
        }
        if measured {
            self.in_order += in_order;
            // what waited for this packet is of its size: only UDP's sizes differ, and there nothing waits
            self.in_order_bytes += in_order * u64::from(packet.size);
            self.delivered += 1;
            self.delay += u128::from(transit);
            self.jitter_sum += self.jitter;
        }
    }

    /// What happened in the measured time.
    pub(crate) const fn since_begin(&self) -> Counters {
        let (now, base) = (&self.counters, &self.base);
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

    /// Wire bits of first in-order deliveries.
    pub(crate) fn goodput_bits(&self) -> f64 {
        self.in_order_bytes as f64 * 8.0
    }
}

/// Several flows taken together.
#[derive(Clone, Debug)]
pub(super) struct Over {
    pub(super) goodput_bps: f64,
    pub(super) delay_mean: Option<f64>,
    pub(super) jitter: Option<f64>,
    pub(super) counters: Counters,
    pub(super) jain_index: Option<f64>,
    pub(super) completed: u64,
    pub(super) completion_mean: Option<f64>,
}

impl Over {
    pub(super) fn new(flows: &[&FlowMeter], seconds: f64) -> Self {
        let delivered = flows.iter().map(|flow| flow.delivered).sum::<u64>() as f64;
        let delay: u128 = flows.iter().map(|flow| flow.delay).sum();
        let jitter = total(flows.iter().map(|flow| flow.jitter_sum));
        let goodputs = || flows.iter().map(|flow| flow.goodput_bits());
        let (goodput, squares) = (total(goodputs()), total(goodputs().map(|bits| bits * bits)));
        let completions: Vec<f64> = flows.iter().filter_map(|flow| flow.completion).collect();
        Self {
            goodput_bps: goodput / seconds,
            delay_mean: ratio(delay as f64 / 1e12, delivered),
            jitter: ratio(jitter / 1e12, delivered),
            counters: flows.iter().map(|flow| flow.since_begin()).fold(Counters::default(), add),
            jain_index: ratio(goodput * goodput, flows.len() as f64 * squares),
            completed: completions.len() as u64,
            completion_mean: ratio(total(completions.iter().copied()), completions.len() as f64),
        }
    }
}

/// The sum; of nothing it is 0, not -0 as of an empty iterator.
fn total(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, value| sum + value)
}

const fn add(a: Counters, b: Counters) -> Counters {
    Counters {
        sent: a.sent + b.sent,
        retransmissions: a.retransmissions + b.retransmissions,
        timeouts: a.timeouts + b.timeouts,
        fast_retransmits: a.fast_retransmits + b.fast_retransmits,
        dup_acks: a.dup_acks + b.dup_acks,
        turns: a.turns + b.turns,
        window_limited: a.window_limited + b.window_limited,
    }
}
