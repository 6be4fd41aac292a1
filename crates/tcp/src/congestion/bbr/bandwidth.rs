//! The bandwidth of BBR's model: the maximum delivery rate of some periods, which are round trips in version 1 and cycles of
//! ProbeBW in version 3.

/// A maximum over the present period and the `N - 1` periods before it, in segments per second.
#[derive(Clone, Debug)]
pub(in crate::congestion) struct Bandwidth<const N: usize> {
    /// The maximum of each period, the present one at `present`.
    periods: [f64; N],
    present: usize,
    maximum: f64,
    /// Whether all samples are old: the maximum remains until the next one.
    is_old: bool,
}

impl<const N: usize> Default for Bandwidth<N> {
    fn default() -> Self {
        Self { periods: [0.0; N], present: 0, maximum: 0.0, is_old: false }
    }
}

impl<const N: usize> Bandwidth<N> {
    /// The maximum; 0 before the first sample.
    pub(in crate::congestion) const fn get(&self) -> f64 {
        self.maximum
    }

    /// Takes a sample.
    pub(in crate::congestion) fn update(&mut self, rate: f64) {
        let present = &mut self.periods[self.present];
        *present = present.max(rate);
        self.maximum = if self.is_old { rate } else { self.maximum.max(rate) };
        self.is_old = false;
    }

    /// Begins a period.
    pub(in crate::congestion) fn advance(&mut self) {
        self.present = (self.present + 1) % N;
        self.periods[self.present] = 0.0;
        let maximum = self.periods.iter().copied().fold(0.0, f64::max);
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

    const N: usize = 11;

    proptest! {
        /// The maximum is that of the last samples, computed from all of them.
        #[test]
        fn it_is_the_maximum_of_the_last_periods(
            periods in prop::collection::vec(prop::collection::vec(1.0_f64..100.0, 1..4), 1..40),
        ) {
            let mut bandwidth = Bandwidth::<N>::default();
            for (index, samples) in periods.iter().enumerate() {
                bandwidth.advance();
                for rate in samples {
                    bandwidth.update(*rate);
                }
                let last = &periods[(index + 1).saturating_sub(N)..=index];
                prop_assert_eq!(bandwidth.get(), last.iter().flatten().copied().fold(0.0, f64::max));
            }
        }
    }

    #[test]
    fn without_samples_the_last_maximum_remains() {
        let mut bandwidth = Bandwidth::<N>::default();
        bandwidth.update(7.0);
        for _ in 0..30 {
            bandwidth.advance();
        }
        assert_eq!(bandwidth.get(), 7.0);
        bandwidth.update(3.0);
        assert_eq!(bandwidth.get(), 3.0);
    }
}
