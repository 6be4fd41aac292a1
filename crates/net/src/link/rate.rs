//! The rate of a link: constant, or changing in steps given by a trace.
//!
//! Let `W(t)` be the integral of the rate from 0 to `t`: the bits sent by a link that is never idle. A packet of `n`
//! bits whose transmission starts at `s` ends at the first picosecond `t` with `W(t) - W(s) >= n`: a rate change takes
//! effect immediately, even during a transmission, and at a rate of 0 the transmission waits. For a constant rate this
//! is [`Rate::transmission_time`]. All arithmetic uses integers, with `W` in units of 10^-12 bit.
//!
//! ns-2 differs: its `bandwidth_` can be set at any time, and a transmission keeps the rate it began with.

use std::sync::Arc;

use ackclock_units::{Rate, Time};
use serde::{Deserialize, Serialize};

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
        let RateTraceSpec { times, rates, period } = &**trace;
        if times.first() != Some(&Time::ZERO) || !times.is_sorted_by(|a, b| a < b) {
            return Err(("times", "must begin at 0 s and increase"));
        }
        if rates.len() != times.len() {
            return Err(("rates", "must have as many values as times"));
        }
        if period.is_some_and(|period| times.last() >= Some(&period)) {
            return Err(("period", "must be after the last time"));
        }
        let lasting = if period.is_some() { &rates[..] } else { &rates[rates.len() - 1..] };
        if lasting.iter().all(|rate| *rate == 0) {
            return Err(("rates", "must not be 0 forever"));
        }
        Ok(())
    }
}

/// The rate of a link, prepared for simulation.
#[derive(Clone, Debug)]
pub(crate) enum LinkRate {
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
}

impl LinkRate {
    /// Prepares a validated specification.
    pub(crate) fn new(spec: &RateSpec) -> Self {
        match spec {
            RateSpec::Constant(rate) => Self::Constant(*rate),
            RateSpec::Trace(trace) => Self::Varying(Arc::new(Course::new(trace))),
        }
    }

    pub(crate) const fn varies(&self) -> bool {
        matches!(self, Self::Varying(_))
    }

    /// Duration of a transmission that starts at `start`.
    pub(crate) fn transmission_time(&self, size: u32, start: Time) -> Time {
        match self {
            Self::Constant(rate) => rate.transmission_time(size),
            Self::Varying(course) => course.end(size, start).saturating_sub(start),
        }
    }

    /// The mean rate over an interval, rounded up to the bit/s and never 0.
    pub(crate) fn mean(&self, from: Time, until: Time) -> Rate {
        match self {
            Self::Constant(rate) => *rate,
            Self::Varying(course) => course.mean(from, until),
        }
    }

    /// Bits that a busy link sends in an interval, expressed as the time that they take at the rate `mean`.
    pub(crate) fn busy(&self, start: Time, end: Time, mean: Rate) -> Time {
        match self {
            Self::Constant(_) => end.saturating_sub(start),
            Self::Varying(course) => {
                let sent = course.sum(end).saturating_sub(course.sum(start));
                time(sent / u128::from(mean.as_bps()))
            }
        }
    }
}

impl Course {
    fn new(trace: &Arc<RateTraceSpec>) -> Self {
        let RateTraceSpec { times, rates, period } = &**trace;
        let ends = times.iter().skip(1).chain(period);
        let mut sum = 0;
        let mut sums = vec![0];
        for ((start, end), rate) in times.iter().zip(ends).zip(rates) {
            sum += work(*rate, *end - *start);
            sums.push(sum);
        }
        sums.truncate(times.len());
        Self { trace: Arc::clone(trace), sums, sum_of_period: sum }
    }

    /// `W` at a time.
    fn sum(&self, at: Time) -> u128 {
        let RateTraceSpec { times, rates, period } = &*self.trace;
        let (periods, within) = match period {
            Some(period) => (at.as_picos() / period.as_picos(), Time::from_picos(at.as_picos() % period.as_picos())),
            None => (0, at),
        };
        let step = times.partition_point(|time| *time <= within) - 1;
        u128::from(periods) * self.sum_of_period + self.sums[step] + work(rates[step], within - times[step])
    }

    /// The first time at which `W` reaches `sum`, which is above 0.
    fn reached(&self, sum: u128) -> Time {
        let RateTraceSpec { times, rates, period } = &*self.trace;
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
        self.reached(self.sum(start).saturating_add(u128::from(size) * BYTE))
    }

    fn mean(&self, from: Time, until: Time) -> Rate {
        let span = u128::from((until - from).as_picos()).max(1);
        let mean = (self.sum(until) - self.sum(from)).div_ceil(span);
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

#[cfg(test)]
mod tests;
