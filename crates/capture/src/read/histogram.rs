//! Quantiles of round-trip times in bounded memory.
//!
//! Each octave of nanoseconds has 32 equal buckets, as in HdrHistogram. A quantile is the middle of its bucket, at most 1.6 %
//! from the sample. Only buckets with samples are stored: at most 1,344 for times up to an hour.

use ackclock_units::log_linear::{bucket, lower_bound};

/// Buckets per octave, as a power of two.
const BITS: u32 = 5;

/// Numbers of samples by bucket, in the order of buckets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    buckets: Vec<(u16, u32)>,
    count: u64,
}

impl Histogram {
    /// Adds a sample.
    #[inline]
    pub(super) fn add(&mut self, value: u64) {
        let bucket = bucket::<BITS>(value) as u16;
        self.count += 1;
        match self.buckets.binary_search_by_key(&bucket, |(bucket, _)| *bucket) {
            Ok(place) => self.buckets[place].1 = self.buckets[place].1.saturating_add(1),
            Err(place) => self.buckets.insert(place, (bucket, 1)),
        }
    }

    /// The smallest value with at least `share` (0 to 1) of the samples up to it; `None` without samples.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let mut left = (share * self.count as f64).ceil().max(1.0) as u64;
        for (bucket, count) in &self.buckets {
            left = left.saturating_sub(u64::from(*count));
            if left == 0 {
                return Some(middle(*bucket));
            }
        }
        self.buckets.last().map(|(bucket, _)| middle(*bucket))
    }
}

/// The middle of a bucket.
const fn middle(bucket: u16) -> u64 {
    let bucket = bucket as usize;
    let (low, high) = (lower_bound::<BITS>(bucket), lower_bound::<BITS>(bucket + 1));
    low + (high - low - 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_bucket_is_near_its_values() {
        for value in (0..10_000).chain((13..42).map(|log| 1 << log)).chain([3_599_999_999_999]) {
            let found = middle(bucket::<BITS>(value) as u16);
            assert!(found.abs_diff(value) as f64 <= 0.016 * value as f64, "{value}: {found}");
        }
    }

    #[test]
    fn quantiles_are_samples() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(0.5), None);
        (1..=20).for_each(|value| histogram.add(value));
        assert_eq!(
            [0.0, 0.5, 0.95, 1.0].map(|share| histogram.quantile(share)),
            [Some(1), Some(10), Some(19), Some(20)]
        );
        for value in 0..1_000_000 {
            histogram.add(value << 12);
        }
        assert!(histogram.buckets.len() < 1_344);
    }
}
