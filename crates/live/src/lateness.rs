//! How late packets left: the actual time of each departure compared with the time that the links computed.

use ackclock_units::Time;
use ackclock_units::log_linear::{bucket, lower_bound};

/// Base-2 logarithm of the number of buckets per octave, so that a percentile is exact to 1/32 of its value.
const BITS: u32 = 5;
const OCTAVES: usize = 40;

/// A histogram of latenesses in nanoseconds.
#[derive(Clone, Debug)]
pub struct Lateness {
    counts: Vec<u64>,
    total: u64,
    late: u64,
    longest: u64,
}

/// Later than this is counted apart.
const LATE: u64 = 1_000_000;

impl Default for Lateness {
    fn default() -> Self {
        Self { counts: vec![0; OCTAVES << BITS], total: 0, late: 0, longest: 0 }
    }
}

impl Lateness {
    /// Adds a packet that left at `actual` instead of `intended`.
    pub fn add(&mut self, intended: Time, actual: Time) {
        let nanos = actual.as_picos().saturating_sub(intended.as_picos()) / 1_000;
        let last = self.counts.len() - 1;
        self.counts[bucket::<BITS>(nanos).min(last)] += 1;
        self.total += 1;
        self.late += u64::from(nanos > LATE);
        self.longest = self.longest.max(nanos);
    }

    /// Number of packets.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Number of packets that were more than 1 ms late.
    pub const fn late(&self) -> u64 {
        self.late
    }

    /// The longest lateness in seconds.
    pub fn longest(&self) -> f64 {
        self.longest as f64 * 1e-9
    }

    /// The lateness in seconds that a share of the packets does not exceed, rounded down to its bucket; 0 without packets.
    pub fn percentile(&self, share: f64) -> f64 {
        let wanted = (share * self.total as f64).ceil() as u64;
        let mut so_far = 0;
        for (place, count) in self.counts.iter().enumerate() {
            so_far += count;
            if so_far >= wanted.max(1) {
                return lower_bound::<BITS>(place) as f64 * 1e-9;
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_count_packets() {
        let mut lateness = Lateness::default();
        assert_eq!((lateness.percentile(0.5), lateness.longest()), (0.0, 0.0));
        for micros in [10_u64, 20, 30, 2_000] {
            lateness.add(Time::SECOND, Time::SECOND + Time::from_micros(micros));
        }
        lateness.add(Time::SECOND, Time::ZERO);
        assert_eq!((lateness.total(), lateness.late()), (5, 1));
        assert_eq!(lateness.percentile(0.2), 0.0);
        assert!((lateness.percentile(0.6) - 20e-6).abs() < 1e-6);
        assert!((lateness.percentile(1.0) - 2e-3).abs() < 1e-4 && (lateness.longest() - 2e-3).abs() < 1e-12);
    }
}
