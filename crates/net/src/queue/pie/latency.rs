//! How PIE learns the delay: exactly, or as the RFC's two methods measure it (RFC 8033, sections 4.2, 5.2 and appendix B).
//!
//! The link knows in advance when each packet that it accepts will leave. The two methods replay these departures up to
//! the time of an update. At a link with a shaper, the time for which a packet waits for tokens is not part of its wait.

use std::collections::VecDeque;

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

/// Source of the delay that PIE controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DelayFrom {
    /// The time that a packet would wait that arrives now.
    Arrival,
    /// The time that the last departed packet waited; zero once the queue is empty, as in Linux.
    Timestamps,
    /// The waiting bytes over the measured rate of departures.
    DepartureRate,
}

/// Waiting bytes with which a measurement of the rate begins, and bytes that it covers (`DQ_THRESHOLD` in the RFC).
const THRESHOLD: u64 = 1 << 14;
/// Weight of a measurement in the average: `DQ_THRESHOLD` over 2^16.
const WEIGHT: f64 = 0.25;

/// An accepted packet whose transmission has not started.
#[derive(Clone, Copy, Debug)]
struct Departure {
    start: Time,
    wait: Time,
    size: u32,
}

/// The departures of a link, and what PIE has measured of them.
#[derive(Debug, Default)]
pub(super) struct Departures {
    pending: VecDeque<Departure>,
    bytes: u64,
    /// Wait of the last departed packet.
    last_wait: Time,
    /// Begin and bytes of the current measurement.
    measuring: Option<(Time, u64)>,
    /// Average time in seconds in which [`THRESHOLD`] bytes leave (`avg_dq_time_`); 0 before the first measurement.
    average: f64,
}

impl Departures {
    /// Memory of a waiting packet in bytes.
    pub(super) const BYTES_OF_PACKET: usize = size_of::<Departure>();

    /// Adds a packet that arrives at `now` and leaves at `start`.
    pub(super) fn push(&mut self, now: Time, start: Time, size: u32) {
        self.advance(now);
        self.pending.push_back(Departure { start, wait: start - now, size });
        self.bytes += u64::from(size);
    }

    /// Delay at `now`. Calls must be made in non-decreasing time order.
    pub(super) fn delay(&mut self, now: Time, from: DelayFrom) -> Time {
        self.advance(now);
        if self.pending.is_empty() {
            Time::ZERO
        } else if from == DelayFrom::DepartureRate {
            Time::from_secs_f64(self.bytes as f64 * self.average / THRESHOLD as f64)
        } else {
            self.last_wait
        }
    }

    /// Whether no packet waits at the time of the last call.
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.pending.capacity() * size_of::<Departure>()
    }

    /// Makes the departures due by `now`.
    fn advance(&mut self, now: Time) {
        while let Some(departure) = self.pending.front().copied().filter(|departure| departure.start <= now) {
            self.measure(departure);
            self.pending.pop_front();
            self.bytes -= u64::from(departure.size);
            self.last_wait = departure.wait;
        }
    }

    /// Counts a departure (section 5.2). A measurement begins while at least [`THRESHOLD`] bytes wait.
    fn measure(&mut self, departure: Departure) {
        if self.measuring.is_none() && self.bytes >= THRESHOLD {
            self.measuring = Some((departure.start, 0));
        }
        let Some((since, bytes)) = &mut self.measuring else { return };
        *bytes += u64::from(departure.size);
        if *bytes >= THRESHOLD {
            let taken = (departure.start - *since).as_secs_f64();
            self.average = if self.average > 0.0 { self.average + WEIGHT * (taken - self.average) } else { taken };
            self.measuring = None;
        }
    }
}
