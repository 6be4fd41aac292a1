//! Quantiles of times in bounded memory: a histogram whose bucket widths grow with the values.

use ackclock_units::Time;

/// Base-2 logarithm of the number of buckets per octave. `2^9` buckets give quantiles to within 0.2 %.
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
        let bucket = bucket(time.as_picos());
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
        let (low, high) = (lower_bound(at), lower_bound(at + 1));
        Some(Time::from_picos(low + (high - low) / 2))
    }
}

/// The bucket of a value: the bits after its leading one, and the position of the leading one.
const fn bucket(value: u64) -> usize {
    let octave = (value | 1 << BITS).ilog2() - BITS;
    (((octave as u64) << BITS) + (value >> octave)) as usize
}

/// The smallest value of a bucket.
const fn lower_bound(bucket: usize) -> u64 {
    let octave = (bucket >> BITS).saturating_sub(1);
    ((bucket - (octave << BITS)) as u64) << octave
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_value_lies_in_its_bucket(value in 0_u64..1 << 62) {
            let at = bucket(value);
            prop_assert!(lower_bound(at) <= value && value < lower_bound(at + 1));
        }

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
    }

    #[test]
    fn nothing_has_no_quantile() {
        assert_eq!(Histogram::default().quantile(0.5), None);
    }
}
