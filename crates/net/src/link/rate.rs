//! The rate of a link: constant, or changing in steps given by a trace.
//!
//! Let `W(t)` be the integral of the rate from 0 to `t`: the bits sent by a link that is never idle. A packet of `n`
//! bits whose transmission starts at `s` ends at the first picosecond `t` with `W(t) - W(s) >= n`: a rate change takes
//! effect immediately, even during a transmission, and at a rate of 0 the transmission waits. For a constant rate this
//! is [`Rate::transmission_time`]. All arithmetic uses integers, with `W` in units of 10^-12 bit.
//!
//! In an *outage* the link is down and loses the packets that wait (`outages.rs`). A rate of 0 keeps them.
//!
//! ns-2 differs: its `bandwidth_` can be set at any time, and a transmission keeps the rate it began with.

use std::sync::Arc;

use ackclock_units::{Rate, Time};
use serde::{Deserialize, Serialize};

use super::framing::Framing;
use super::steps;
use outages::Outages;

/// Size of a byte in units of 10^-12 bit.
pub(crate) const BYTE: u128 = 8_000_000_000_000;

/// Specification of a link's rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RateSpec {
    /// A constant rate.
    Constant(Rate),
    /// A rate that follows a trace.
    Trace(Arc<RateTraceSpec>),
}

/// A rate that changes in steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateTraceSpec {
    /// Times of rate changes: the first is 0, each later than the one before.
    pub times: Vec<Time>,
    /// The rates from these times, in bit/s; 0 is an outage.
    pub rates: Vec<u64>,
    /// Period after which the trace repeats; `None` keeps the last rate.
    pub period: Option<Time>,
    /// Beginning and end of each time in which the link is down and loses all packets, in order.
    #[serde(default)]
    pub outages: Vec<[Time; 2]>,
}

impl RateTraceSpec {
    /// A trace without outages.
    pub const fn new(times: Vec<Time>, rates: Vec<u64>, period: Option<Time>) -> Self {
        Self { times, rates, period, outages: Vec::new() }
    }
}

impl From<Rate> for RateSpec {
    fn from(rate: Rate) -> Self {
        Self::Constant(rate)
    }
}

impl RateSpec {
    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let Self::Trace(trace) = self else { return Ok(()) };
        let RateTraceSpec { times, rates, period, outages } = &**trace;
        steps::check(times, ("rates", rates.len()), *period)?;
        let lasting = if period.is_some() { &rates[..] } else { &rates[rates.len() - 1..] };
        if lasting.iter().all(|rate| *rate == 0) {
            return Err(("rates", "must not be 0 forever"));
        }
        let is_sound = outages.iter().flatten().is_sorted() && outages.iter().all(|[begin, end]| begin < end);
        if is_sound { Ok(()) } else { Err(("outages", "must be in order and not overlap")) }
    }

    /// Whether the link loses packets in outages.
    pub(crate) fn has_outages(&self) -> bool {
        matches!(self, Self::Trace(trace) if !trace.outages.is_empty())
    }
}

/// The rate of a link, prepared for simulation, and how it frames packets.
#[derive(Clone, Debug)]
pub(crate) struct LinkRate {
    steps: Steps,
    framing: Framing,
}

#[derive(Clone, Debug)]
enum Steps {
    Constant(Rate),
    Varying(Arc<Course>),
}

/// A trace with cumulative sums.
#[derive(Debug)]
pub(crate) struct Course {
    trace: Arc<RateTraceSpec>,
    /// `W` at each time of the trace.
    sums: Vec<u128>,
    /// Increase of `W` per period.
    sum_of_period: u128,
    outages: Outages,
}

impl LinkRate {
    /// Prepares a validated specification.
    pub(crate) fn new(spec: &RateSpec) -> Self {
        let steps = match spec {
            RateSpec::Constant(rate) => Steps::Constant(*rate),
            RateSpec::Trace(trace) => Steps::Varying(Arc::new(Course::new(trace))),
        };
        Self { steps, framing: Framing::default() }
    }

    /// The same rate of a link that frames packets.
    pub(crate) fn framed(self, framing: Framing) -> Self {
        Self { framing, ..self }
    }

    /// The rate, if it never changes, and the framing.
    pub(crate) const fn constant(&self) -> Option<(Rate, Framing)> {
        if let Steps::Constant(rate) = self.steps { Some((rate, self.framing)) } else { None }
    }

    pub(crate) const fn varies(&self) -> bool {
        matches!(self.steps, Steps::Varying(_))
    }

    /// Bytes that the link sends for a packet of `size` bytes.
    pub(crate) fn bytes(&self, size: u32) -> u32 {
        self.framing.bytes(size)
    }

    /// Duration of the transmission of a packet that starts at `start`.
    pub(crate) fn transmission_time(&self, size: u32, start: Time) -> Time {
        match &self.steps {
            Steps::Constant(rate) => rate.transmission_time(self.bytes(size)),
            Steps::Varying(course) => course.end(self.bytes(size), start).saturating_sub(start),
        }
    }

    /// The mean rate over an interval, rounded up to the bit/s and never 0.
    pub(crate) fn mean(&self, from: Time, until: Time) -> Rate {
        match &self.steps {
            Steps::Constant(rate) => *rate,
            Steps::Varying(course) => course.mean(from, until),
        }
    }

    /// The times before `end` at which the rate changes or an outage begins or ends, in order; none if a trace repeats.
    pub(crate) fn changes(&self, end: Time) -> Vec<Time> {
        let Steps::Varying(course) = &self.steps else { return Vec::new() };
        let RateTraceSpec { times, rates, period, outages } = &*course.trace;
        if period.is_some() {
            return Vec::new();
        }
        let steps = times.windows(2).zip(rates.windows(2)).filter(|(_, rates)| rates[0] != rates[1]);
        let mut changes: Vec<Time> =
            steps.map(|(times, _)| times[1]).chain(outages.iter().copied().flatten()).collect();
        changes.retain(|at| *at < end);
        changes.sort_unstable();
        changes.dedup();
        changes
    }

    /// Whether the link is down and loses packets.
    pub(crate) fn is_down(&self, now: Time) -> bool {
        matches!(&self.steps, Steps::Varying(course) if course.outages.is_down(now))
    }

    /// Bits that a busy link sends in an interval, expressed as the time that they take at the rate `mean`.
    pub(crate) fn busy(&self, start: Time, end: Time, mean: Rate) -> Time {
        match &self.steps {
            Steps::Constant(_) => end.saturating_sub(start),
            Steps::Varying(course) => {
                let sent = course.carried(end).saturating_sub(course.carried(start));
                time(sent / u128::from(mean.as_bps()))
            }
        }
    }
}

impl Course {
    fn new(trace: &Arc<RateTraceSpec>) -> Self {
        let RateTraceSpec { times, rates, period, outages } = &**trace;
        let ends = times.iter().skip(1).chain(period);
        let mut sum = 0;
        let mut sums = vec![0];
        for ((start, end), rate) in times.iter().zip(ends).zip(rates) {
            sum += work(*rate, *end - *start);
            sums.push(sum);
        }
        sums.truncate(times.len());
        let trace = Arc::clone(trace);
        let mut course = Self { trace, sums, sum_of_period: sum, outages: Outages::default() };
        course.outages = Outages::new(outages, |at| course.sum(at));
        course
    }

    /// What the link has carried by a time if it is never idle: `W` without the outages.
    fn carried(&self, at: Time) -> u128 {
        self.outages.carried(at, |at| self.sum(at))
    }

    /// `W` at a time.
    fn sum(&self, at: Time) -> u128 {
        let RateTraceSpec { times, rates, period, .. } = &*self.trace;
        let (periods, within, step) = steps::at(times, *period, at);
        u128::from(periods) * self.sum_of_period + self.sums[step] + work(rates[step], within - times[step])
    }

    /// The first time at which `W` reaches `sum`, which is above 0.
    fn reached(&self, sum: u128) -> Time {
        let RateTraceSpec { times, rates, period, .. } = &*self.trace;
        let periods = if period.is_some() { (sum - 1) / self.sum_of_period } else { 0 };
        let rest = sum - periods * self.sum_of_period;
        // `W` reaches `rest` in this step, because it is at least `rest` when the next step begins
        let step = self.sums.partition_point(|before| *before < rest) - 1;
        let within = (rest - self.sums[step]).div_ceil(u128::from(rates[step]));
        let begun = u128::from(period.unwrap_or_default().as_picos()).saturating_mul(periods);
        time(begun.saturating_add(within).saturating_add(u128::from(times[step].as_picos())))
    }

    /// End of a transmission.
    fn end(&self, size: u32, start: Time) -> Time {
        if self.outages.is_down(start) {
            return start.saturating_add(Time::from_picos(1)); // a queue may have held the packet back until now
        }
        let before = self.outages.progress(start, |at| self.sum(at));
        self.outages.reached(before.saturating_add(u128::from(size) * BYTE), |sum| self.reached(sum))
    }

    fn mean(&self, from: Time, until: Time) -> Rate {
        let span = u128::from((until - from).as_picos()).max(1);
        let mean = (self.carried(until) - self.carried(from)).div_ceil(span);
        Rate::from_bps(u64::try_from(mean).unwrap_or(u64::MAX)).unwrap_or(Rate::SLOWEST)
    }
}

/// Bits sent at `rate` during `span`, in units of 10^-12 bit.
fn work(rate: u64, span: Time) -> u128 {
    u128::from(rate) * u128::from(span.as_picos())
}

/// A time of `picos` picoseconds, or [`Time::MAX`] if that is too large.
fn time(picos: u128) -> Time {
    Time::from_picos(u64::try_from(picos).unwrap_or(u64::MAX))
}

mod outages;
#[cfg(test)]
mod tests;
