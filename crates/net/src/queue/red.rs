//! Random early detection: Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance" (IEEE/ACM
//! Transactions on Networking 1(4), 1993), section 4 and figure 2.
//!
//! At each arrival, with `q` the number of waiting packets and `m` the number of small packets that the link could have
//! sent while idle:
//!
//! - `avg = (1 - w_q)^m avg`, then `avg = (1 - w_q) avg + w_q q`;
//! - below `min_th` no packet is dropped, at or above `max_th` every packet is;
//! - in between, `p_b = max_p (avg - min_th) / (max_th - min_th)` and the arrival is dropped with the probability
//!   `p_a = p_b / (1 - count p_b)`, where `count` is the number of packets since the last drop including this one
//!   (figure 2): gaps between drops are uniform on 1 .. 1/p_b - 1.
//!
//! Differences from the paper:
//! - `gentle` raises `p_b` from `max_p` at `max_th` to 1 at `2 max_th` (Floyd 2000);
//! - `wait` uses `p_a = p_b / (2 - count p_b)` and no drop before `count p_b >= 1`, so that drops are at least `1/p_b`
//!   packets apart;
//! - thresholds are given in packets of `mean_packet_size` even if the queue is counted in bytes; `p_b` is then scaled
//!   by the packet's size over `mean_packet_size`, as in the paper; idle time is always counted in such packets;
//! - three rules of ns-2 are options: `spare_last` never drops early when at most one unit waits; `count_below = run`
//!   continues counting below `min_th` and accepts the first packet above it; `above_max = early` applies the early
//!   test, with `p_b = 1`, above `max_th` as well.
//!
//! With `ecn`, an ECN-capable packet that the early test would drop is marked instead, and the count of packets restarts
//! as at a drop. From `p_b = mark_below` on, and where the queue is full, packets are dropped (RFC 3168, section 7; ns-2's
//! `setbit_` with `mark_p_`). With `above_max = mark`, those above `max_th` are marked too, as in Linux (`sch_red.c`,
//! `RED_HARD_MARK` without `harddrop`).
//!
//! With `adaptive`, `max_p` follows the load: Floyd, Gummadi and Shenker, "Adaptive RED: An Algorithm for Increasing the
//! Robustness of RED's Active Queue Management" (2001), figure 1. Every 0.5 s, `max_p` increases by `min(0.01, max_p/4)`
//! if the average is above `min_th + 0.6 (max_th - min_th)` and `max_p` at most 0.5, and is multiplied by 0.9 if the
//! average is below `min_th + 0.4 (max_th - min_th)` and `max_p` at least 0.01. With `target_delay`, the other
//! parameters follow from the rate of the link (sections 5.2 and 5.3): with `C` typical packets per second,
//! `w_q = 1 - exp(-1/C)`, `min_th = max(5, C target_delay / 2)` and `max_th = 3 min_th`.
//!
//! Differences from that paper:
//! - the updates since the last arrival are made up for at the next one, each with the average at its time: while the link
//!   is idle, the average falls as above (Linux's rule; the paper computes the average at arrivals only). ns-2 makes an
//!   update at the first arrival that finds the average off target, at least 0.5 s after the last change;
//! - with `gentle`, the probability above `max_th` begins at the current `max_p`; in ns-2 it begins at the initial one;
//! - the paper always uses `gentle`.

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::{
    Arrival, Context, DropReason, Invalid, Limit, Parameter, ParameterKind, QueueDiscipline, QueueSpec, Spec, Verdict,
};

pub(super) const DOC: &str = "Random early detection (Floyd and Jacobson 1993)";

const fn above_zero(name: &'static str, doc: &'static str, max: Option<f64>, default: f64) -> Parameter {
    Parameter { name, doc, kind: ParameterKind::Number { min: None, max, above: Some(0.0), default } }
}

const fn flag(name: &'static str, doc: &'static str) -> Parameter {
    Parameter { name, doc, kind: ParameterKind::Flag { default: false } }
}

const fn choice(name: &'static str, doc: &'static str, choices: &'static [&'static str]) -> Parameter {
    Parameter { name, doc, kind: ParameterKind::Choice { choices, default: choices[0] } }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    above_zero("min_th", "Average queue below which nothing is dropped, in packets of mean_packet_size", None, 5.0),
    above_zero(
        "max_th",
        "Average queue from which on everything is dropped (with gentle, twice this value)",
        None,
        15.0,
    ),
    above_zero("max_p", "Drop probability at max_th", Some(1.0), 0.1),
    above_zero("w_q", "Weight of the current queue in its average", Some(1.0), 0.002),
    flag("wait", "Keep drops at least 1/p_b packets apart, where p_b is the drop probability at the average queue"),
    flag("gentle", "Raise the drop probability from max_p at max_th to 1 at 2 max_th"),
    choice("unit", "Unit of the queue and its average", &["packets", "bytes"]),
    above_zero(
        "mean_packet_size",
        "Size of a typical packet in bytes, for idle times and when the unit is bytes",
        Some(65535.0),
        500.0,
    ),
    choice(
        "above_max",
        "Above max_th, drop every arrival, apply the random test with p_b = 1, or mark every ECN-capable arrival (with ecn)",
        &["drop", "early", "mark"],
    ),
    flag("spare_last", "Never drop early when at most one unit (packet or byte) waits"),
    choice(
        "count_below",
        "Below min_th, reset the count of packets since the last drop or keep counting",
        &["reset", "run"],
    ),
    flag("ecn", "Mark ECN-capable packets instead of dropping them early, while p_b is below mark_below"),
    above_zero("mark_below", "Probability p_b from which on ECN-capable packets are dropped too", Some(1.0), 1.0),
    flag("adaptive", "Change max_p every 0.5 s so that the average stays midway between min_th and max_th"),
    Parameter {
        name: "target_delay",
        doc: "Choose w_q, min_th and max_th for this mean waiting time; off: use the given values",
        kind: ParameterKind::Time { min: 1_000_000, max: LONGEST.as_picos(), default: None, or: Some("off") },
    },
];

/// Interval between updates of `max_p`.
const INTERVAL: Time = Time::from_millis(500);
/// The largest `target_delay`.
const LONGEST: Time = Time::from_millis(1_000_000);

/// The parameters of RED.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedSpec {
    /// Capacity of the queue.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Average queue below which nothing is dropped, in packets of `mean_packet_size`.
    pub min_th: f64,
    /// Average queue at or above which everything is dropped (with `gentle`, twice this value), in the unit of
    /// `min_th`.
    pub max_th: f64,
    /// Drop probability at `max_th`.
    pub max_p: f64,
    /// Weight of the current queue in the average.
    pub w_q: f64,
    /// Keep drops at least `1/p_b` packets apart.
    pub wait: bool,
    /// Raise the drop probability to 1 at `2 max_th`.
    pub gentle: bool,
    /// Unit of the queue.
    pub unit: Unit,
    /// Size of a typical packet in bytes.
    pub mean_packet_size: f64,
    /// Action above `max_th`.
    pub above_max: AboveMax,
    /// Never drop early when at most one unit (packet or byte) waits.
    pub spare_last: bool,
    /// Handling of the count below `min_th`.
    pub count_below: CountBelow,
    /// Mark ECN-capable packets instead of dropping them early.
    pub ecn: bool,
    /// Value of `p_b` from which on they are dropped too.
    pub mark_below: f64,
    /// Adapt `max_p` to the load.
    pub adaptive: bool,
    /// Choose `w_q`, `min_th` and `max_th` for this mean waiting time.
    pub target_delay: Option<Time>,
}

impl RedSpec {
    /// The parameters with the values that `target_delay` gives at a link with this rate. `typical` is the time to send a
    /// typical packet, in seconds.
    fn settled(self, typical: f64) -> Self {
        let Some(delay) = self.target_delay else { return self };
        let min_th = (delay.as_secs_f64() / typical / 2.0).max(5.0);
        Self { w_q: -libm::expm1(-typical), min_th, max_th: 3.0 * min_th, ..self }
    }
}

/// Unit of a queue and its thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
}

/// Action above `max_th` (with `gentle`, above `2 max_th`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AboveMax {
    /// Every arrival is dropped.
    Drop,
    /// The early test decides, with `p_b = 1`.
    Early,
    /// With `ecn`, every ECN-capable arrival is marked; the others are dropped.
    Mark,
}

/// Handling of the count of packets since the last drop while the average is below `min_th`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CountBelow {
    /// The count restarts at the first packet above `min_th`.
    Reset,
    /// The count continues, but the first packet above `min_th` is accepted and counts as the first.
    Run,
}

#[derive(Debug)]
pub(crate) struct Red {
    /// The parameters, with the present `max_p` where it adapts.
    spec: RedSpec,
    given_max_p: f64,
    /// Time to send a typical packet, in seconds.
    typical: f64,
    stream: Stream,
    avg: f64,
    max_avg: f64,
    /// Packets and bytes since the last drop or mark.
    count: u64,
    count_bytes: u64,
    /// Whether the average was at or above `min_th` at the last arrival.
    above: bool,
    last_arrival: Time,
    /// Time of the next update of `max_p`.
    next: Time,
}

impl Spec for RedSpec {
    fn marks(&self) -> bool {
        self.ecn
    }

    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&["unit"])
    }

    fn check(&self) -> Result<(), Invalid> {
        let RedSpec { min_th, max_th, .. } = *self;
        if max_th > min_th {
            return Ok(());
        }
        Err(Invalid { field: "max_th", problem: format!("{max_th} is not allowed; must be above min_th ({min_th})") })
    }
}

pub(super) fn build(spec: &RedSpec, context: &Context) -> Red {
    let scale = match spec.unit {
        Unit::Packets => 1.0,
        Unit::Bytes => spec.mean_packet_size,
    };
    let typical = spec.mean_packet_size * 8.0 / context.rate.as_bps() as f64;
    let spec = spec.settled(typical);
    Red {
        spec: RedSpec { min_th: spec.min_th * scale, max_th: spec.max_th * scale, ..spec },
        given_max_p: spec.max_p,
        typical,
        stream: context.stream.clone(),
        avg: 0.0,
        max_avg: 0.0,
        count: 0,
        count_bytes: 0,
        above: false,
        last_arrival: Time::ZERO,
        next: INTERVAL,
    }
}

impl Red {
    fn update_average(&mut self, queue: f64, arrival: &Arrival<'_>) {
        let avg = self.average_at(arrival.now, arrival.backlog.busy_until());
        self.last_arrival = arrival.now;
        self.avg = (1.0 - self.spec.w_q) * avg + self.spec.w_q * queue;
        self.max_avg = self.max_avg.max(self.avg);
    }

    /// The average at a time after the last arrival, on a link that is busy until `busy_until`.
    fn average_at(&self, now: Time, busy_until: Time) -> f64 {
        // if an arrival at an idle link is dropped, the link stays idle; the average already includes the idle time
        // before it
        let idle = now.saturating_sub(busy_until.max(self.last_arrival));
        self.avg * power(1.0 - self.spec.w_q, (idle.as_secs_f64() / self.typical) as u64)
    }

    /// Makes the updates of `max_p` that are due before `now`.
    fn adapt(&mut self, now: Time, busy_until: Time) {
        while self.next < now {
            let max_p = self.adapted(self.average_at(self.next, busy_until));
            // the average does not rise before `now`: if the first and the last update change nothing, none does
            let is_settled = [max_p, self.adapted(self.average_at(now, busy_until))] == [self.spec.max_p; 2];
            let updates = if is_settled { (now - self.next).as_picos().div_ceil(INTERVAL.as_picos()) } else { 1 };
            self.spec.max_p = max_p;
            self.next = self.next.saturating_add(INTERVAL.saturating_mul(updates));
        }
    }

    /// The value of `max_p` after an update with this average.
    fn adapted(&self, avg: f64) -> f64 {
        let RedSpec { min_th, max_th, max_p, .. } = self.spec;
        let from_target = |share: f64| avg - (min_th + share * (max_th - min_th));
        if from_target(0.6) > 0.0 && max_p <= 0.5 {
            max_p + (max_p / 4.0).min(0.01)
        } else if from_target(0.4) < 0.0 && max_p >= 0.01 {
            max_p * 0.9
        } else {
            max_p
        }
    }

    /// Whether the early test drops or marks this packet.
    fn early_test(&mut self, size: u32) -> bool {
        let RedSpec { unit, mean_packet_size, wait, .. } = self.spec;
        let p_b = self.drop_probability();
        let count = match unit {
            Unit::Packets => self.count as f64,
            Unit::Bytes => (self.count_bytes as f64 / mean_packet_size).floor(),
        };
        let spread = count * p_b;
        let p_a = match (wait, spread) {
            (false, s) if s < 1.0 => p_b / (1.0 - s),
            (true, s) if s < 1.0 => 0.0,
            (true, s) if s < 2.0 => p_b / (2.0 - s),
            _ => 1.0,
        };
        let p_a = match unit {
            Unit::Bytes if p_a < 1.0 => p_a * f64::from(size) / mean_packet_size,
            _ => p_a,
        };
        self.stream.uniform() < p_a
    }

    fn drop_probability(&self) -> f64 {
        let RedSpec { min_th, max_th, max_p, gentle, .. } = self.spec;
        let p_b = if self.avg < max_th {
            max_p * (self.avg - min_th) / (max_th - min_th)
        } else if gentle {
            max_p + (1.0 - max_p) * (self.avg - max_th) / max_th
        } else {
            1.0
        };
        p_b.min(1.0)
    }

    /// Whether an ECN-capable packet is marked instead of dropped.
    fn may_mark(&self) -> bool {
        let p_b = self.drop_probability();
        p_b < self.spec.mark_below || self.spec.above_max == AboveMax::Mark && p_b >= 1.0
    }

    /// Whether RED drops or marks this packet, without considering the queue's capacity.
    fn drops(&mut self, queue: f64, size: u32) -> bool {
        let RedSpec { min_th, max_th, gentle, spare_last, above_max, count_below, .. } = self.spec;
        let ceiling = if gentle { 2.0 * max_th } else { max_th };
        if self.avg < min_th || spare_last && queue <= 1.0 {
            self.above = false;
            return false;
        }
        if above_max != AboveMax::Early && self.avg >= ceiling {
            return true;
        }
        if !self.above {
            self.above = true;
            let first = count_below == CountBelow::Run;
            self.count = u64::from(first);
            self.count_bytes = if first { u64::from(size) } else { 0 };
            if first {
                return false;
            }
        }
        self.early_test(size)
    }
}

/// `base^exponent` by squaring: bit-identical on every machine, unlike `powf`.
fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut result = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    result
}

impl QueueDiscipline for Red {
    fn on_arrival(&mut self, arrival: &Arrival<'_>) -> Verdict {
        let queue = match self.spec.unit {
            Unit::Packets => arrival.waiting_packets() as f64,
            Unit::Bytes => arrival.waiting_bytes() as f64,
        };
        self.advance(arrival.now, arrival.backlog.busy_until());
        self.update_average(queue, arrival);
        self.count += 1;
        self.count_bytes += u64::from(arrival.packet.size());
        let early = self.drops(queue, arrival.packet.size());
        let verdict = if !self.spec.limit.has_room(arrival, self.spec.count_in_service) {
            Verdict::Drop(DropReason::Full)
        } else if early && self.spec.ecn && self.may_mark() {
            arrival.mark_or_drop(DropReason::Early)
        } else if early {
            Verdict::Drop(DropReason::Early)
        } else {
            return Verdict::Accept;
        };
        (self.count, self.count_bytes) = (0, 0);
        verdict
    }

    fn average(&self) -> f64 {
        self.avg
    }

    fn advance(&mut self, now: Time, busy_until: Time) {
        if self.spec.adaptive {
            self.adapt(now, busy_until);
        }
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("avg", self.avg);
        visit("avg_max", self.max_avg);
        visit("max_p", self.spec.max_p);
        visit("p_b", self.drop_probability().max(0.0));
    }

    fn retune(&mut self, spec: &QueueSpec, context: &Context) {
        if let QueueSpec::Red(spec) = spec {
            let fresh = build(spec, context);
            // an adapted probability goes on unless another one is given
            let goes_on = spec.adaptive && spec.max_p == self.given_max_p;
            let max_p = if goes_on { self.spec.max_p } else { fresh.spec.max_p };
            (self.spec, self.typical) = (RedSpec { max_p, ..fresh.spec }, fresh.typical);
            self.given_max_p = spec.max_p;
        }
    }
}

#[cfg(test)]
mod tests;
