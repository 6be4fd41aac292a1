//! Arrivals per bin, and their coefficient of variation.

use ackclock_units::Time;

/// Counts arrivals in consecutive bins; keeps the two sums that the c.o.v. needs and, on request, every count.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    width: Time,
    from: Time,
    /// Whole bins in the measured time.
    total: u64,
    /// The bin being filled, and when it ends.
    current: u64,
    edge: Time,
    count: u32,
    sum: u64,
    squares: u128,
    kept: Option<Vec<u32>>,
}

impl Bins {
    pub(super) fn new(from: Time, end: Time, width: Time, keep: bool) -> Self {
        let total = (end - from).as_picos() / width.as_picos();
        Self {
            width,
            from,
            total,
            current: 0,
            edge: from.saturating_add(width),
            count: 0,
            sum: 0,
            squares: 0,
            kept: keep.then(Vec::new),
        }
    }

    /// Counts one arrival at `now`, not before the last one.
    #[inline(always)]
    pub(super) fn count(&mut self, now: Time) {
        if now >= self.edge {
            self.go_on(now);
        }
        self.count += 1;
    }

    /// Begins the bin of `now`.
    #[inline(never)]
    fn go_on(&mut self, now: Time) {
        self.close();
        self.current = (now - self.from).as_picos() / self.width.as_picos();
        self.edge = self.from.saturating_add(self.width.saturating_mul(self.current + 1));
    }

    /// No more arrivals.
    pub(super) fn finish(&mut self) {
        self.close();
        if let Some(kept) = &mut self.kept {
            kept.resize(self.total as usize, 0);
        }
    }

    fn close(&mut self) {
        if self.current < self.total {
            self.sum += u64::from(self.count);
            self.squares += u128::from(self.count).pow(2);
            if let Some(kept) = &mut self.kept {
                kept.resize(self.current as usize, 0);
                kept.push(self.count);
            }
        }
        self.count = 0;
    }

    /// Population standard deviation over mean, from exact sums.
    pub(super) fn cov(&self) -> Option<f64> {
        let sum = u128::from(self.sum);
        let spread = u128::from(self.total) * self.squares - sum * sum;
        (sum > 0).then(|| (spread as f64).sqrt() / sum as f64)
    }

    pub(super) const fn width(&self) -> Time {
        self.width
    }

    pub(super) fn kept(&self) -> Vec<u32> {
        self.kept.clone().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_bins_count_and_a_part_of_a_bin_does_not() {
        let at = |millis| Time::from_millis(millis);
        let mut bins = Bins::new(at(1_000), at(1_450), at(100), true);
        for millis in [1_000, 1_050, 1_099, 1_300, 1_420] {
            bins.count(at(millis));
        }
        bins.finish();
        assert_eq!(bins.kept(), [3, 0, 0, 1]);
        // mean 1, mean square 2.5
        assert_eq!(bins.cov(), Some(1.5_f64.sqrt()));
    }
}
