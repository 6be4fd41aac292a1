//! DualPI2: De Schepper, Briscoe and White, "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low Loss,
//! and Scalable Throughput (L4S)" (RFC 9332, 2023), section 2 and appendix A.
//!
//! Packets of scalable senders, with the codepoint ECT(1) or CE, have a queue of their own, L, with a short delay; all
//! others are in queue C. Every `update`, a PI controller changes the base probability `p'` by
//! `alpha (delay - target) + beta (delay - last delay)`. Packets of C are dropped or marked with the probability `p'^2`,
//! packets of L are marked with the greater one of `coupling p'` and a ramp from `ramp_from` to `ramp_to` of their own
//! delay. The square makes a classic and a scalable sender take about equal shares. L is served first, except that C gets
//! at least `classic_share` of the bytes.
//!
//! Differences from the RFC's appendix A:
//! - The default parameters are those of Linux, and `delay` is the longer one of the times that the heads of the two
//!   queues have waited; the RFC uses queue C only.
//! - The scheduler is a weighted round robin with credits, as in Linux; the RFC also describes a time-shifted FIFO.
//! - Nothing is dropped or marked because of `p'` while at most two packets of `mtu` bytes wait, as in Linux. The ramp
//!   does not apply to the last `mtu` bytes in L, as in the RFC. With `min_qlen_step`, it does not apply either to packets
//!   that find fewer packets in L when they arrive, as in Linux, where that is the only such rule (`skb_apply_step`).
//! - With `low = ect`, packets with ECT(0) also go to queue L, as with Linux's option `any_ect`: DCTCP sends them.
//! - Updates begin at time 0. The updates since the last arrival or departure are made up for at the next one.
//!
//! As in the RFC, probabilities select packets by a sum, not at random (`recur`), and at overload (`p'^2` at least
//! `1 / coupling^2`, at most 1) ECN no longer helps: packets of C are dropped, and packets of L are dropped with the
//! probability of C.

use std::collections::VecDeque;

use ackclock_tcp::Ecn;
use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::codel::MTU;
use super::pie::{number, time};
use super::stored::{Dropped, PacketQueue, Queued, Room, Store};
use super::{Context, DropReason, Invalid, Limit, Parameter, ParameterKind, QueueSpec, Spec};

pub(super) const DOC: &str = "Two coupled queues, for classic and for scalable (L4S) senders (RFC 9332)";

pub(super) const PARAMETERS: &[Parameter] = &[
    time("target", "Waiting time to which the controller steers", Time::from_micros(1), Time::from_millis(15)),
    time("update", "Interval between updates of the probability", Time::from_millis(1), Time::from_millis(16)),
    number("alpha", "Change of the probability per second of delay above target", 1_000.0, 0.16),
    number("beta", "Change of the probability per second of change of the delay", 1_000.0, 3.2),
    number("coupling", "Probability of queue L relative to the base probability", 100.0, 2.0),
    time("ramp_from", "Waiting time in queue L above which packets may be marked", Time::ZERO, Time::from_millis(1)),
    time("ramp_to", "Waiting time in queue L from which on every packet is marked", Time::ZERO, Time::from_millis(1)),
    Parameter {
        name: "low",
        doc: "Packets for queue L: those with ECT(1) or CE, or all that are ECN-capable",
        kind: ParameterKind::Choice { choices: &["ect1", "ect"], default: "ect1" },
    },
    number("classic_share", "Least share of queue C while both queues wait", 1.0, 0.1),
    MTU,
    Parameter {
        name: "min_qlen_step",
        doc: "Number of packets that must wait in queue L when a packet arrives for the ramp to apply to it",
        kind: ParameterKind::Whole { min: 0, max: 1_000_000, default: 0 },
    },
];

/// The parameters of DualPI2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DualPi2Spec {
    /// Capacity of both queues together.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Waiting time to which the controller steers.
    pub target: Time,
    /// Interval between updates.
    pub update: Time,
    /// Change of the probability per second of delay above `target`.
    pub alpha: f64,
    /// Change of the probability per second of change of the delay.
    pub beta: f64,
    /// Probability of queue L relative to the base probability.
    pub coupling: f64,
    /// Waiting time in queue L above which packets may be marked.
    pub ramp_from: Time,
    /// Waiting time in queue L from which on every packet is marked.
    pub ramp_to: Time,
    /// Packets for queue L.
    pub low: Low,
    /// Least share of queue C.
    pub classic_share: f64,
    /// Size of a packet in bytes, for the rules about short queues.
    pub mtu: u64,
    /// Number of packets that an arrival must find in queue L for the ramp to apply to it.
    pub min_qlen_step: u64,
}

/// The packets for queue L.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Low {
    /// Packets with ECT(1) or CE.
    Ect1,
    /// All ECN-capable packets.
    Ect,
}

impl Low {
    /// Whether packets with this codepoint go to queue L.
    pub const fn includes(self, ecn: Ecn) -> bool {
        matches!(ecn, Ecn::Ect1 | Ecn::Ce) || matches!((self, ecn), (Self::Ect, Ecn::Ect0))
    }
}

impl Spec for DualPi2Spec {
    fn marks(&self) -> bool {
        true
    }

    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&[])
    }

    fn check(&self) -> Result<(), Invalid> {
        let DualPi2Spec { ramp_from, ramp_to, .. } = *self;
        if ramp_from <= ramp_to {
            return Ok(());
        }
        let problem = format!("{ramp_to} is not allowed; must be at least ramp_from ({ramp_from})");
        Err(Invalid { field: "ramp_to", problem })
    }
}

pub(super) fn build(spec: &DualPi2Spec, _: &Context) -> DualPi2 {
    let DualPi2Spec { limit, count_in_service, .. } = *spec;
    DualPi2 {
        spec: *spec,
        room: Room { limit, count_in_service },
        low: Store::default(),
        classic: Store::default(),
        short: Short::default(),
        next: Time::ZERO,
        base: 0.0,
        last_delay: Time::ZERO,
        sums: [0.0; 2],
        credit: 0.0,
    }
}

#[derive(Debug)]
pub(super) struct DualPi2 {
    spec: DualPi2Spec,
    room: Room,
    /// Queues L and C.
    low: Store,
    classic: Store,
    short: Short,
    /// Time of the next update.
    next: Time,
    /// The base probability `p'`.
    base: f64,
    last_delay: Time,
    /// Sums of the probabilities of queues L and C (`count` in the RFC).
    sums: [f64; 2],
    /// Bytes, weighted, by which queue L is ahead of its share. Queue L is served while it is not above 0.
    credit: f64,
}

/// The packets of queue L that found fewer than `min_qlen_step` packets there.
#[derive(Debug, Default)]
struct Short {
    /// Numbers of these packets, counted in the order of arrival at queue L.
    arrivals: VecDeque<u64>,
    /// Number of the packet that leaves next.
    next: u64,
}

impl Short {
    /// Records a packet that arrives while `waiting` others wait.
    fn arrive(&mut self, waiting: u64, min_qlen_step: u64) {
        if waiting < min_qlen_step {
            self.arrivals.push_back(self.next + waiting);
        }
    }

    /// Whether the packet that leaves is one of them.
    fn leave(&mut self) -> bool {
        let found_few = self.arrivals.front() == Some(&self.next);
        if found_few {
            self.arrivals.pop_front();
        }
        self.next += 1;
        found_few
    }
}

/// Places of the queues in the sums.
const L: usize = 0;
const C: usize = 1;

impl DualPi2 {
    /// Makes the updates due by `now`. The packets at the heads have been there since the last update.
    fn catch_up(&mut self, now: Time) {
        let heads = [self.low.front(), self.classic.front()].map(|head| head.map(|queued| queued.since));
        while self.next <= now && self.next < Time::MAX {
            let waits = |since: Option<Time>| since.map_or(Time::ZERO, |since| self.next.saturating_sub(since));
            let delay = waits(heads[L]).max(waits(heads[C]));
            let was_at_rest = self.base <= 0.0 && self.last_delay == Time::ZERO;
            self.update(delay);
            self.next = self.next.saturating_add(self.spec.update);
            if was_at_rest && self.low.is_empty() && self.classic.is_empty() && self.next <= now {
                // no update changes anything before the next arrival
                let step = self.spec.update.as_picos();
                let missed = (now - self.next).as_picos() / step + 1;
                self.next = self.next.saturating_add(self.spec.update.saturating_mul(missed));
            }
        }
    }

    /// Updates the base probability (`dualpi2_update` in the RFC).
    fn update(&mut self, delay: Time) {
        let DualPi2Spec { target, alpha, beta, .. } = self.spec;
        let (now, last) = (delay.as_secs_f64(), self.last_delay.as_secs_f64());
        let change = alpha * (now - target.as_secs_f64()) + beta * (now - last);
        self.base = (self.base + change).clamp(0.0, 1.0);
        self.last_delay = delay;
    }

    /// The probability that queue L marks a packet because of its own delay (`laqm`).
    fn ramp(&self, waited: Time) -> f64 {
        let DualPi2Spec { ramp_from, ramp_to, .. } = self.spec;
        if waited <= ramp_from {
            0.0
        } else if waited >= ramp_to {
            1.0
        } else {
            (waited - ramp_from).as_secs_f64() / (ramp_to - ramp_from).as_secs_f64()
        }
    }

    /// Selects a share of `probability` of the packets of a queue (`recur`).
    fn selects(&mut self, queue: usize, probability: f64) -> bool {
        self.sums[queue] += probability;
        let is_selected = self.sums[queue] > 1.0;
        self.sums[queue] -= f64::from(u8::from(is_selected));
        is_selected
    }

    /// Takes the next packet, and whether it is from queue L.
    fn take(&mut self) -> Option<(Queued, bool)> {
        let share = self.spec.classic_share;
        if self.low.is_empty() && self.classic.is_empty() {
            self.credit = 0.0;
        }
        let is_low = !self.low.is_empty() && (self.classic.is_empty() || self.credit <= 0.0);
        let queued = if is_low { self.low.pop()? } else { self.classic.pop()? };
        let size = f64::from(queued.packet.size());
        if is_low && !self.classic.is_empty() {
            self.credit += share * size;
        } else if !is_low && !self.low.is_empty() {
            self.credit -= (1.0 - share) * size;
        }
        Some((queued, is_low))
    }

    /// Whether a packet leaves, possibly marked. `is_short` states that few packets wait.
    fn passes(&mut self, queued: &mut Queued, is_low: bool, now: Time, is_short: bool) -> bool {
        let (square, coupled) = (self.base * self.base, self.spec.coupling * self.base);
        let is_overload = coupled >= 1.0 || square >= 1.0;
        if is_low {
            let found_few = self.short.leave();
            if is_overload && !is_short {
                if self.selects(L, square) {
                    return false;
                }
                queued.mark();
                return true;
            }
            let waits = u64::from(queued.packet.size()) + self.low.bytes();
            let applies = waits > self.spec.mtu && !found_few;
            let own = if applies { self.ramp(now - queued.since) } else { 0.0 };
            let coupled = if is_short { 0.0 } else { coupled };
            if self.selects(L, own.max(coupled)) {
                queued.mark();
            }
            return true;
        }
        is_short || !self.selects(C, square) || !is_overload && queued.mark()
    }
}

impl PacketQueue for DualPi2 {
    fn enqueue(&mut self, queued: Queued, in_service: u32, _: &mut Dropped) -> Result<(), DropReason> {
        self.catch_up(queued.since);
        if !self.room.admits(self.waiting(), in_service, queued.packet.size()) {
            return Err(DropReason::Full);
        }
        if self.spec.low.includes(queued.packet.ecn()) {
            self.short.arrive(self.low.waiting().0, self.spec.min_qlen_step);
            self.low.push(queued);
        } else {
            self.classic.push(queued);
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        self.catch_up(now);
        loop {
            let is_short = self.waiting().1 <= 2 * self.spec.mtu;
            let (mut queued, is_low) = self.take()?;
            if self.passes(&mut queued, is_low, now, is_short) {
                return Some(queued);
            }
            dropped.push((queued, DropReason::Early));
        }
    }

    fn waiting(&self) -> (u64, u64) {
        let (low, classic) = (self.low.waiting(), self.classic.waiting());
        (low.0 + classic.0, low.1 + classic.1)
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
            + self.low.memory()
            + self.classic.memory()
            + self.short.arrivals.capacity() * size_of::<u64>()
    }

    fn advance(&mut self, now: Time) {
        self.catch_up(now);
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("p_base", self.base);
        visit("p_C", self.base * self.base);
        visit("p_CL", (self.spec.coupling * self.base).min(1.0));
        visit("prevq", self.last_delay.as_secs_f64());
    }

    fn retune(&mut self, spec: &QueueSpec, context: &Context) {
        if let QueueSpec::DualPi2(spec) = spec {
            let fresh = build(spec, context);
            (self.spec, self.room) = (fresh.spec, fresh.room);
        }
    }
}

#[cfg(test)]
mod tests;
