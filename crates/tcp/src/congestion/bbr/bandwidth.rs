//! The bandwidth of BBR's model: the maximum delivery rate of the last 10 round trips and the present one.

/// Number of round trips that a sample counts for, including the present one.
const ROUNDS: usize = 11;

/// A maximum over round trips, in segments per second.
#[derive(Clone, Debug, Default)]
pub(super) struct Bandwidth {
    /// The maximum of each round trip, the present one at `present`.
    rounds: [f64; ROUNDS],
    present: usize,
    maximum: f64,
    /// Whether all samples are old: the maximum remains until the next one.
    is_old: bool,
}

impl Bandwidth {
    /// The maximum; 0 before the first sample.
    pub(super) const fn get(&self) -> f64 {
        self.maximum
    }

    /// Takes a sample.
    pub(super) fn update(&mut self, rate: f64) {
        let present = &mut self.rounds[self.present];
        *present = present.max(rate);
        self.maximum = if self.is_old { rate } else { self.maximum.max(rate) };
        self.is_old = false;
    }

    /// Begins a round trip.
    pub(super) fn next_round(&mut self) {
        self.present = (self.present + 1) % ROUNDS;
        self.rounds[self.present] = 0.0;
        let maximum = self.rounds.iter().copied().fold(0.0, f64::max);
        self.is_old = maximum == 0.0;
        if !self.is_old {
            self.maximum = maximum;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The maximum is that of the last samples, computed from all of them.
        #[test]
        fn it_is_the_maximum_of_the_last_round_trips(
            rounds in prop::collection::vec(prop::collection::vec(1.0_f64..100.0, 1..4), 1..40),
        ) {
            let mut bandwidth = Bandwidth::default();
            for (index, samples) in rounds.iter().enumerate() {
                bandwidth.next_round();
                for rate in samples {
                    bandwidth.update(*rate);
                }
                let last = &rounds[(index + 1).saturating_sub(ROUNDS)..=index];
                prop_assert_eq!(bandwidth.get(), last.iter().flatten().copied().fold(0.0, f64::max));
            }
        }
    }

    #[test]
    fn without_samples_the_last_maximum_remains() {
        let mut bandwidth = Bandwidth::default();
        bandwidth.update(7.0);
        for _ in 0..30 {
            bandwidth.next_round();
        }
        assert_eq!(bandwidth.get(), 7.0);
        bandwidth.update(3.0);
        assert_eq!(bandwidth.get(), 3.0);
    }
}
