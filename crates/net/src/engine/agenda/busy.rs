//! The rounds that have events, as a ring of bits: the next one is found without a look at every bucket.

/// One bit for each round that has buckets, set if one of them has events. The number of words is a power of two.
#[derive(Debug)]
pub(super) struct Busy(Vec<u64>);

impl Busy {
    pub(super) fn new(rounds: usize) -> Self {
        Self(vec![0; rounds.div_ceil(64).next_power_of_two()])
    }

    /// Heap memory in bytes.
    pub(super) const fn memory(&self) -> usize {
        self.0.capacity() * size_of::<u64>()
    }

    /// Index of a round's word.
    const fn word(&self, round: u64) -> usize {
        (round as usize / 64) & (self.0.len() - 1)
    }

    pub(super) fn set(&mut self, round: u64) {
        let word = self.word(round);
        self.0[word] |= 1 << (round % 64);
    }

    pub(super) fn clear(&mut self, round: u64) {
        let word = self.word(round);
        self.0[word] &= !(1 << (round % 64));
    }

    /// The first round with events from `from` on, before `end`. The ring must have room for all these rounds.
    pub(super) fn first(&self, from: u64, end: u64) -> Option<u64> {
        let mut round = from;
        while round < end {
            let rest = self.0[self.word(round)] >> (round % 64);
            if rest != 0 {
                return Some(round + u64::from(rest.trailing_zeros())).filter(|found| *found < end);
            }
            round += 64 - round % 64;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Rings of 4 to 512 rounds, each searched from any round on.
        #[test]
        fn the_first_busy_round_is_found(
            bits in 2_u32..10,
            from in 0_u64..5_000,
            length in 0.0..=1.0_f64,
            set in prop::collection::btree_set(0_u64..512, 0..6),
            cleared in 0_u64..512,
        ) {
            let rounds = 1_u64 << bits;
            let end = from + (length * rounds as f64) as u64;
            let mut busy = Busy::new(rounds as usize);
            let set = set.into_iter().filter(|round| *round < rounds).map(|round| from + round);
            let mut busy_rounds = set.collect::<std::collections::BTreeSet<_>>();
            for round in &busy_rounds {
                busy.set(*round);
            }
            busy.clear(from + cleared % rounds);
            busy_rounds.remove(&(from + cleared % rounds));
            prop_assert_eq!(busy.first(from, end), busy_rounds.iter().copied().find(|round| *round < end));
        }
    }
}
