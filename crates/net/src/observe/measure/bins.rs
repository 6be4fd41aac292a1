//! Arrivals per bin, and their coefficient of variation.

use ackclock_units::Time;

/// Consecutive bins of arrivals. Each arrival is counted in one of several tallies, one per kind of packet.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    from: Time,
    end: Time,
    width: Time,
    /// Number of whole bins in the measured time.
    whole: u64,
    /// The current bin (`current`) and its end (`edge`); before the first bin, time 0.
    current: u64,
    edge: Time,
    counts: Vec<u32>,
}

/// Arrivals of one kind, with the sums for their c.o.v.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    in_bin: u64,
    before: u64,
    /// Sums over whole bins: of the counts, and of their squares.
    sum: u64,
    squares: u128,
    /// Arrivals in the first, second and last third of the whole bins.
    thirds: [u64; 3],
}

impl Tally {
    /// Counts an arrival in the current bin.
    #[inline(always)]
    pub(super) const fn count(&mut self) {
        self.in_bin += 1;
    }

    /// Total number of arrivals counted.
    pub(super) const fn all(&self) -> u64 {
        self.before + self.in_bin
    }

    /// Arrivals in the first, second and last third of the whole bins.
    pub(super) const fn thirds(&self) -> [u64; 3] {
        self.thirds
    }
}

impl Bins {
    pub(super) fn new(from: Time, end: Time, width: Time) -> Self {
        let whole = (end - from).as_picos() / width.as_picos();
        Self { from, end, width, whole, current: 0, edge: Time::ZERO, counts: Vec::new() }
    }

    /// Memory of all bins in bytes, if each takes `each` bytes.
    pub(super) const fn memory(&self, each: usize) -> usize {
        self.whole as usize * each
    }

    /// End of the current bin or of the measured time, whichever is earlier; 0 before the first bin begins.
    #[inline(always)]
    pub(super) const fn edge(&self) -> Time {
        self.edge
    }

    /// Begins the bin that contains `now`, which lies in the measured time and not before the edge.
    pub(super) fn turn_to<'a>(&mut self, now: Time, tallies: impl Iterator<Item = &'a mut Tally>) {
        self.close(tallies);
        self.current = (now - self.from).as_picos() / self.width.as_picos();
        let edge = self.from.saturating_add(self.width.saturating_mul(self.current + 1));
        self.edge = edge.min(self.end);
    }

    /// Ends counting.
    pub(super) fn finish<'a>(&mut self, tallies: impl Iterator<Item = &'a mut Tally>) {
        self.close(tallies);
        self.counts.resize(self.whole as usize, 0);
    }

    fn close<'a>(&mut self, tallies: impl Iterator<Item = &'a mut Tally>) {
        let is_whole = self.current < self.whole;
        let third = if is_whole { (3 * self.current / self.whole) as usize } else { 0 };
        let mut together = 0;
        for tally in tallies {
            let count = std::mem::take(&mut tally.in_bin);
            together += count;
            tally.before += count;
            if is_whole {
                tally.sum += count;
                tally.squares += u128::from(count).pow(2);
                tally.thirds[third] += count;
            }
        }
        if is_whole {
            self.counts.resize(self.current as usize, 0);
            self.counts.push(together as u32);
        }
    }

    /// The tally of all arrivals, from the tallies of each kind, after [`finish`](Self::finish).
    pub(super) fn total<'a>(&self, tallies: impl Iterator<Item = &'a Tally>) -> Tally {
        let mut total = Tally::default();
        for tally in tallies {
            total.before += tally.all();
            total.sum += tally.sum;
            total.thirds.iter_mut().zip(tally.thirds).for_each(|(sum, count)| *sum += count);
        }
        total.squares = self.counts.iter().map(|count| u128::from(*count).pow(2)).sum();
        total
    }

    /// Population standard deviation divided by mean of the arrivals per bin in a tally, from exact sums.
    pub(super) fn cov(&self, tally: &Tally) -> Option<f64> {
        let sum = u128::from(tally.sum);
        let spread = u128::from(self.whole) * tally.squares - sum * sum;
        (sum > 0).then(|| (spread as f64).sqrt() / sum as f64)
    }

    pub(super) const fn width(&self) -> Time {
        self.width
    }

    /// Number of arrivals in each whole bin.
    pub(super) fn counts(&self) -> &[u32] {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_bins_count_and_a_part_of_a_bin_does_not() {
        let at = |millis| Time::from_millis(millis);
        let mut bins = Bins::new(at(1_000), at(1_450), at(100));
        let mut tallies = [Tally::default(), Tally::default()];
        for (millis, kind) in [(1_000, 0), (1_050, 1), (1_099, 0), (1_300, 0), (1_420, 0)] {
            if at(millis) >= bins.edge() {
                bins.turn_to(at(millis), tallies.iter_mut());
            }
            tallies[kind].count();
        }
        bins.finish(tallies.iter_mut());
        assert_eq!(bins.counts(), [3, 0, 0, 1]);
        assert_eq!(bins.memory(4), size_of_val(bins.counts()));
        // mean 1, mean square 2.5
        let total = bins.total(tallies.iter());
        assert_eq!(bins.cov(&total), Some(1.5_f64.sqrt()));
        // [2, 0, 0, 1]: mean 3 / 4, mean square 5 / 4
        assert_eq!(bins.cov(&tallies[0]), Some(11_f64.sqrt() / 3.0));
        assert_eq!(tallies.each_ref().map(Tally::all), [4, 1]);
        // of four whole bins, the first two begin in the first third
        assert_eq!(tallies.each_ref().map(Tally::thirds), [[2, 0, 1], [1, 0, 0]]);
        assert_eq!((total.all(), total.thirds()), (5, [3, 0, 1]));
    }
}
