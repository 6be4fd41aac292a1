//! PIE: Pan, Natarajan, Baker and White, "Proportional Integral Controller Enhanced (PIE)" (RFC 8033, 2017), section 4
//! and appendices A and B.
//!
//! An arriving packet is dropped with a probability `p`. Every `update`, the controller adds
//! `alpha (delay - target) + beta (delay - last delay)` to `p`, divided by a factor that depends on `p`, so that small
//! probabilities change slowly. Nothing is dropped during the first `max_burst` after a time without congestion, while
//! the delay is short and `p` below 20 %, and while at most two packets wait.
//!
//! Differences from the RFC:
//! - The RFC measures the rate at which packets leave, or the time that they waited. `delay_from` selects one of these
//!   measurements, or the time that a packet would wait that arrives now, which the link knows exactly.
//! - `update` begins at time 0. The updates since the last arrival are made up for at the next one: in between, nothing
//!   depends on them.
//! - An increase of `p` is at most 2 % from 10 % on, and 2 % at a delay above 250 ms (section 5.5). `derandomize` spreads
//!   drops (section 5.4), `byte_mode` scales `p` by the packet size, and `ecn` marks ECN-capable packets up to a
//!   probability of `mark_below` (section 5.1).
//! - PIE is always active; section 5.3 lets it start only at a third of the limit.

mod latency;

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::codel::{MTU, ecn};
use super::{
    Arrival, Context, DropReason, Invalid, Limit, Parameter, ParameterKind, QueueDiscipline, QueueSpec, Spec, Verdict,
};
use latency::Departures;

pub use latency::DelayFrom;

pub(super) const DOC: &str = "Proportional integral controller of the delay: drops at random on arrival (RFC 8033)";

/// The longest time that a parameter may be.
const LONGEST: Time = Time::from_millis(1_000_000);

pub(super) const fn time(name: &'static str, doc: &'static str, min: Time, default: Time) -> Parameter {
    let kind = ParameterKind::Time {
        min: min.as_picos(),
        max: LONGEST.as_picos(),
        default: Some(default.as_picos()),
        or: None,
    };
    Parameter { name, doc, kind }
}

pub(super) const fn number(name: &'static str, doc: &'static str, max: f64, default: f64) -> Parameter {
    Parameter { name, doc, kind: ParameterKind::Number { min: Some(0.0), max: Some(max), above: None, default } }
}

const fn flag(name: &'static str, doc: &'static str, default: bool) -> Parameter {
    Parameter { name, doc, kind: ParameterKind::Flag { default } }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    time("target", "Waiting time to which the controller steers", Time::from_micros(1), Time::from_millis(15)),
    time("update", "Interval between updates of the probability", Time::from_millis(1), Time::from_millis(15)),
    number("alpha", "Change of the probability per second of delay above target", 1_000.0, 0.125),
    number("beta", "Change of the probability per second of change of the delay", 1_000.0, 1.25),
    time("max_burst", "Time after idle periods in which nothing is dropped", Time::ZERO, Time::from_millis(150)),
    MTU,
    ecn(false),
    number("mark_below", "Above this probability, ECN-capable packets are dropped too", 1.0, 0.1),
    flag("derandomize", "Avoid drops in quick succession and long times without any", false),
    flag("byte_mode", "Multiply the probability by the packet size over mtu", false),
    Parameter {
        name: "delay_from",
        doc: "Source of the delay: an arrival's wait (exact), the last departed packet's wait, or bytes over rate",
        kind: ParameterKind::Choice { choices: &["arrival", "timestamps", "departure_rate"], default: "arrival" },
    },
];

/// The parameters of PIE.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PieSpec {
    /// Capacity.
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
    /// Time after idle periods in which nothing is dropped.
    pub max_burst: Time,
    /// Nothing is dropped if at most two packets of this size wait.
    pub mtu: u64,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Above this probability, ECN-capable packets are dropped too.
    pub mark_below: f64,
    /// Avoid drops in quick succession and long times without any.
    pub derandomize: bool,
    /// Multiply the probability by the packet size over `mtu`.
    pub byte_mode: bool,
    /// Source of the delay.
    pub delay_from: DelayFrom,
}

impl Spec for PieSpec {
    fn marks(&self) -> bool {
        self.ecn
    }

    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&["delay_from"])
    }

    fn check(&self) -> Result<(), Invalid> {
        if self.byte_mode && self.mtu == 0 {
            let problem = "0 is not allowed with byte_mode; must be above 0".to_owned();
            return Err(Invalid { field: "mtu", problem });
        }
        Ok(())
    }

    /// Memory of a waiting packet in bytes. The storage may have twice the capacity that is needed.
    fn bytes_of_packet(&self) -> usize {
        if matches!(self.delay_from, DelayFrom::Arrival) { 0 } else { 2 * Departures::BYTES_OF_PACKET }
    }
}

pub(super) fn build(spec: &PieSpec, context: &Context) -> Pie {
    Pie {
        spec: *spec,
        stream: context.stream.clone(),
        next: Time::ZERO,
        probability: 0.0,
        last_delay: Time::ZERO,
        burst_allowance: Time::ZERO,
        accumulated: 0.0,
        departures: (spec.delay_from != DelayFrom::Arrival).then(Departures::default),
    }
}

#[derive(Debug)]
pub(crate) struct Pie {
    spec: PieSpec,
    stream: Stream,
    /// Time of the next update.
    next: Time,
    probability: f64,
    /// Delay at the last update (`qdelay_old_` in the RFC).
    last_delay: Time,
    burst_allowance: Time,
    /// Sum of the probabilities since the last drop or mark (`accu_prob_`).
    accumulated: f64,
    /// What is measured, if the delay is.
    departures: Option<Departures>,
}

impl Pie {
    /// Delay at `now` of a link that is busy until `busy_until`.
    fn delay(&mut self, now: Time, busy_until: Time) -> Time {
        match &mut self.departures {
            Some(departures) => departures.delay(now, self.spec.delay_from),
            None => busy_until.saturating_sub(now),
        }
    }

    /// Makes the updates due by `now` on a link that is busy until `busy_until`.
    fn catch_up(&mut self, now: Time, busy_until: Time) {
        while self.next <= now && self.next < Time::MAX {
            let delay = self.delay(self.next, busy_until);
            let was_at_rest = self.last_delay == Time::ZERO && self.probability <= 0.0;
            self.update(delay);
            self.next = self.next.saturating_add(self.spec.update);
            let is_empty = self.departures.as_ref().is_none_or(Departures::is_empty);
            if was_at_rest && is_empty && delay == Time::ZERO && self.burst_allowance == Time::ZERO && self.next <= now
            {
                // no update changes anything before the next arrival
                let step = self.spec.update.as_picos();
                let missed = (now - self.next).as_picos() / step + 1;
                self.next = self.next.saturating_add(self.spec.update.saturating_mul(missed));
            }
        }
    }

    /// Updates the probability (`calculate_drop_prob` in the RFC).
    fn update(&mut self, delay: Time) {
        let PieSpec { alpha, beta, target, update, .. } = self.spec;
        let (delay_s, last, p) = (delay.as_secs_f64(), self.last_delay.as_secs_f64(), self.probability);
        let mut change = alpha * (delay_s - target.as_secs_f64()) + beta * (delay_s - last);
        change /= match p {
            p if p < 1e-6 => 2048.0,
            p if p < 1e-5 => 512.0,
            p if p < 1e-4 => 128.0,
            p if p < 1e-3 => 32.0,
            p if p < 1e-2 => 8.0,
            p if p < 0.1 => 2.0,
            _ => 1.0,
        };
        if delay > Time::from_millis(250) {
            change = 0.02;
        } else if p >= 0.1 {
            change = change.min(0.02);
        }
        let mut p = p + change;
        if delay == Time::ZERO && self.last_delay == Time::ZERO {
            p *= 0.98;
        }
        self.probability = p.clamp(0.0, 1.0);
        self.last_delay = delay;
        self.burst_allowance = self.burst_allowance.saturating_sub(update);
    }

    /// Whether the delay is less than half of the target.
    fn is_short(&self, delay: Time) -> bool {
        delay.saturating_mul(2) < self.spec.target
    }

    /// Whether the packet is dropped or marked early (`drop_early` in the RFC).
    fn drops(&mut self, arrival: &Arrival<'_>) -> bool {
        let PieSpec { mtu, byte_mode, derandomize, .. } = self.spec;
        if self.is_short(self.last_delay) && self.probability < 0.2 || arrival.waiting_bytes() <= 2 * mtu {
            return false;
        }
        let mut p = self.probability;
        if byte_mode {
            p *= f64::from(arrival.packet.size()) / mtu as f64;
        }
        if derandomize {
            self.accumulated = if p > 0.0 { self.accumulated + p } else { 0.0 };
            if self.accumulated < 0.85 || self.accumulated >= 8.5 {
                return self.accumulated >= 8.5;
            }
        }
        self.stream.uniform() < p
    }

    fn judge(&mut self, arrival: &Arrival<'_>, busy_until: Time) -> Verdict {
        let delay = self.delay(arrival.now, busy_until);
        if self.probability <= 0.0 && self.is_short(delay) && self.is_short(self.last_delay) {
            self.burst_allowance = self.spec.max_burst;
        }
        if !self.spec.limit.has_room(arrival, self.spec.count_in_service) {
            return Verdict::Drop(DropReason::Full);
        }
        if self.burst_allowance > Time::ZERO || !self.drops(arrival) {
            return Verdict::Accept;
        }
        self.accumulated = 0.0;
        if self.spec.ecn && self.probability <= self.spec.mark_below {
            return arrival.mark_or_drop(DropReason::Early);
        }
        Verdict::Drop(DropReason::Early)
    }
}

impl QueueDiscipline for Pie {
    fn on_arrival(&mut self, arrival: &Arrival<'_>) -> Verdict {
        let busy_until = arrival.backlog.busy_until();
        self.catch_up(arrival.now, busy_until);
        let verdict = self.judge(arrival, busy_until);
        if let Some(departures) = self.departures.as_mut().filter(|_| !matches!(verdict, Verdict::Drop(_))) {
            departures.push(arrival.now, busy_until.max(arrival.now), arrival.packet.size());
        }
        verdict
    }

    fn advance(&mut self, now: Time, busy_until: Time) {
        self.catch_up(now, busy_until);
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("drop_prob", self.probability);
        visit("qdelay_old", self.last_delay.as_secs_f64());
        visit("burst_allowance", self.burst_allowance.as_secs_f64());
        visit("accu_prob", self.accumulated);
    }

    fn memory(&self) -> usize {
        self.departures.as_ref().map_or(0, Departures::memory)
    }

    fn retune(&mut self, spec: &QueueSpec, _: &Context) {
        if let QueueSpec::Pie(spec) = spec {
            self.spec = *spec;
        }
    }
}

#[cfg(test)]
mod tests;
