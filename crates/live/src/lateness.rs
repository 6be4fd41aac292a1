//! How late packets left: the actual time of each departure compared with the time that the links computed.

use ackclock_units::Time;

/// Buckets per doubling of the lateness, so that a percentile is exact to 1/32 of its value.
const STEPS: u64 = 32;
const DOUBLINGS: usize = 40;

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
        Self { counts: vec![0; STEPS as usize * DOUBLINGS], total: 0, late: 0, longest: 0 }
    }
}

/// The bucket of a value: below `STEPS` its own, and then `STEPS` for each doubling.
const fn bucket(nanos: u64) -> usize {
    if nanos < STEPS {
        return nanos as usize;
    }
    let doublings = nanos.ilog2() - STEPS.ilog2();
    ((doublings as u64 + 1) * STEPS + (nanos >> doublings) - STEPS) as usize
}

/// The smallest value of a bucket.
const fn least(bucket: usize) -> u64 {
    let (doublings, step) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    if doublings == 0 { step } else { (STEPS + step) << (doublings - 1) }
}

impl Lateness {
    /// Adds a packet that left at `actual` instead of `intended`.
    pub fn add(&mut self, intended: Time, actual: Time) {
        let nanos = actual.as_picos().saturating_sub(intended.as_picos()) / 1_000;
        let last = self.counts.len() - 1;
        self.counts[bucket(nanos).min(last)] += 1;
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
                return least(place) as f64 * 1e-9;
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_and_exact_to_a_32nd() {
        let mut before = 0;
        for nanos in (0..100_000).chain((17..39).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 12_345])) {
            let place = bucket(nanos);
            assert!(least(place) <= nanos && nanos - least(place) <= nanos / STEPS, "{nanos} is in bucket {place}");
            assert!(nanos > 100_000 || place >= before);
            before = place;
        }
    }

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
