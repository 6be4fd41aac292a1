//! Quantiles and means of times in bounded memory: a histogram whose bucket widths grow with the values.

use ackclock_units::Time;
use ackclock_units::log_linear::{bucket, lower_bound};

/// Base-2 logarithm of the number of buckets per octave. `2^9` buckets give quantiles and means to within 0.1 %.
const BITS: u32 = 9;

/// A log-linear histogram of times.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u64>,
}

impl Histogram {
    /// Adds a time.
    #[inline(always)]
    pub fn record(&mut self, time: Time) {
        let bucket = bucket::<BITS>(time.as_picos());
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
        } else {
            self.grow_to(bucket);
        }
    }

    /// Adds buckets up to and including `bucket`.
    #[inline(never)]
    fn grow_to(&mut self, bucket: usize) {
        self.counts.resize(bucket + 1, 0);
        self.counts[bucket] = 1;
    }

    /// Adds the times of another histogram.
    pub fn add(&mut self, more: &Self) {
        self.counts.resize(self.counts.len().max(more.counts.len()), 0);
        self.counts.iter_mut().zip(&more.counts).for_each(|(count, more)| *count += more);
    }

    /// The mean in seconds, each time rounded to the middle of its bucket. `None` if there are no times.
    pub fn mean(&self) -> Option<f64> {
        let (mut total, mut sum) = (0, 0);
        for (at, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            total += count;
            sum += u128::from(*count) * u128::from(middle(at));
        }
        (total > 0).then(|| sum as f64 / total as f64 / 1e12)
    }

    /// Memory of a histogram whose longest time is `longest`, in bytes.
    pub(crate) const fn bytes_up_to(longest: Time) -> usize {
        (bucket::<BITS>(longest.as_picos()) + 1) * size_of::<u64>()
    }

    /// Memory in bytes.
    pub const fn memory(&self) -> usize {
        self.counts.capacity() * size_of::<u64>()
    }

    /// Number of times.
    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The times of all buckets in use, in order, each with the share of times at or below it.
    pub(crate) fn cumulative(&self) -> impl Iterator<Item = (Time, f64)> {
        let total = self.count();
        let mut below = 0;
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(move |(at, count)| {
            below += count;
            (Time::from_picos(middle(at)), below as f64 / total as f64)
        })
    }

    /// The `q` quantile: the smallest time such that at least a fraction `q` of all times are at or below it, rounded
    /// to the middle of its bucket. `None` if there are no times.
    pub fn quantile(&self, q: f64) -> Option<Time> {
        let total: u64 = self.counts.iter().sum();
        let rank = ((q * total as f64).ceil() as u64).max(1);
        let mut below = 0;
        let at = self.counts.iter().position(|count| {
            below += count;
            below >= rank
        })?;
        Some(Time::from_picos(middle(at)))
    }
}

/// The middle of a bucket.
const fn middle(bucket: usize) -> u64 {
    let (low, high) = (lower_bound::<BITS>(bucket), lower_bound::<BITS>(bucket + 1));
    low + (high - low) / 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn quantiles_are_within_a_bucket_of_the_exact_ones(
            mut values in prop::collection::vec(0_u64..1 << 50, 1..200),
            q in 0.0..1.0_f64,
        ) {
            let mut histogram = Histogram::default();
            for value in &values {
                histogram.record(Time::from_picos(*value));
            }
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil() as usize).max(1);
            let exact = values[rank - 1] as f64;
            let found = histogram.quantile(q).unwrap().as_picos() as f64;
            prop_assert!((found - exact).abs() <= exact / 512.0 + 1.0);
        }

        /// A middle is at most half a bucket from each value of the bucket, 1/1024 of the value.
        #[test]
        fn means_are_within_a_thousandth_of_the_exact_ones(
            parts in prop::collection::vec(prop::collection::vec(0_u64..1 << 50, 1..100), 1..4),
        ) {
            let mut histogram = Histogram::default();
            for values in &parts {
                let mut part = Histogram::default();
                for value in values {
                    part.record(Time::from_picos(*value));
                }
                histogram.add(&part);
            }
            let values: Vec<u64> = parts.concat();
            let exact = values.iter().sum::<u64>() as f64 / values.len() as f64;
            prop_assert!((histogram.mean().unwrap() * 1e12 - exact).abs() <= exact / 1024.0 + 1.0);
            let most = *values.iter().max().unwrap() as f64;
            let found = histogram.quantile(1.0).unwrap().as_picos() as f64;
            prop_assert!((found - most).abs() <= most / 1024.0 + 1.0);
        }
    }

    #[test]
    fn nothing_has_no_quantile_and_no_mean() {
        assert_eq!((Histogram::default().quantile(0.5), Histogram::default().mean()), (None, None));
    }
}
