//! Buckets of log-linear histograms, as in HdrHistogram: each octave of values has `2^BITS` buckets of equal width.
//!
//! Below `2^BITS`, each value has a bucket of its own. Above, a bucket is at most `2^-BITS` of its values wide.

/// The bucket of a value: the bits after its leading one, and the position of the leading one.
#[inline(always)]
pub const fn bucket<const BITS: u32>(value: u64) -> usize {
    let octave = (value | 1 << BITS).ilog2() - BITS;
    (((octave as u64) << BITS) + (value >> octave)) as usize
}

/// The smallest value of a bucket.
#[inline(always)]
pub const fn lower_bound<const BITS: u32>(bucket: usize) -> u64 {
    let octave = (bucket >> BITS).saturating_sub(1);
    ((bucket - (octave << BITS)) as u64) << octave
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lies_in_its_bucket<const BITS: u32>(value: u64) -> bool {
        let at = bucket::<BITS>(value);
        lower_bound::<BITS>(at) <= value && value < lower_bound::<BITS>(at + 1)
    }

    proptest! {
        #[test]
        fn each_value_lies_in_its_bucket(value in 0_u64..1 << 62) {
            prop_assert!(lies_in_its_bucket::<5>(value) && lies_in_its_bucket::<9>(value));
        }
    }

    #[test]
    fn buckets_are_in_order_and_exact_to_a_32nd() {
        let mut before = 0;
        for value in (0..100_000).chain((17..39).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 12_345])) {
            let place = bucket::<5>(value);
            let least = lower_bound::<5>(place);
            assert!(least <= value && value - least <= value / 32, "{value} is in bucket {place}");
            assert!(value > 100_000 || place >= before);
            before = place;
        }
    }

    #[test]
    fn small_values_have_their_own_buckets() {
        for value in 0..64 {
            assert_eq!((bucket::<5>(value), lower_bound::<5>(value as usize)), (value as usize, value));
        }
        assert_eq!((bucket::<5>(64), bucket::<5>(65), bucket::<5>(66)), (64, 64, 65));
    }
}
