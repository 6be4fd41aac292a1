//! Counts in consecutive bins, of packets or bytes at links or of flows.

use ackclock_units::Time;

use crate::plan::records::Asked;

/// Memory of a row in bytes: its time, the numbers of its flow and group, and its count.
pub(super) const BYTES_OF_BIN: usize = 24;

/// Counts of several links or flows in bins.
#[derive(Clone, Debug)]
pub(super) struct Binned {
    bin: Time,
    ids: Vec<u32>,
    /// Counters of all ids up to the last recorded one. The bin of an id that is not recorded never ends.
    counters: Vec<Counter>,
    end: Time,
}

/// Counts of one link or flow in consecutive bins.
#[derive(Clone, Debug, Default)]
struct Counter {
    /// End of the last bin, or of the run if that is earlier.
    edge: Time,
    bins: Vec<u64>,
    count: u64,
}

impl Binned {
    /// Counts of the requested links or flows, until `end`.
    pub(super) fn of(asked: &Asked<'_>, end: Time) -> Self {
        let (ids, bin) = (asked.ids.to_vec(), asked.bin.unwrap_or_default());
        let watched = super::membership(&ids).into_iter();
        let edge = |is_watched| if is_watched { Time::ZERO } else { Time::MAX };
        let counters = watched.map(|is_watched| Counter { edge: edge(is_watched), ..Counter::default() });
        Self { bin, counters: counters.collect(), ids, end }
    }

    /// Adds to the count of a link or flow before the end. Of each link or flow, times must not decrease.
    pub(super) fn add(&mut self, now: Time, id: u32, more: u64) {
        if !self.add_within_bin(now, id, more) {
            let counter = &mut self.counters[id as usize];
            counter.turn_to(now, self.bin, self.end);
            counter.count += more;
        }
    }

    /// Adds to the count of the current bin. Returns false if `now` lies beyond the bin.
    #[inline(always)]
    pub(super) fn add_within_bin(&mut self, now: Time, id: u32, more: u64) -> bool {
        let Some(counter) = self.counters.get_mut(id as usize) else { return true };
        if now >= counter.edge {
            return false;
        }
        counter.count += more;
        true
    }

    /// Number of rows.
    pub(super) fn count(&self) -> usize {
        let bins = self.end.as_picos().div_ceil(self.bin.as_picos());
        bins as usize * self.ids.len()
    }

    /// Memory of all rows in bytes, in the form of a table.
    pub(super) fn memory(&self) -> usize {
        self.count() * BYTES_OF_BIN
    }

    /// The start of each bin in seconds, and for each link or flow its count: the rows of a table.
    pub(super) fn rows(mut self) -> impl ExactSizeIterator<Item = (f64, u32, u64)> {
        let bins = self.end.as_picos().div_ceil(self.bin.as_picos());
        self.ids.iter().for_each(|id| self.counters[*id as usize].close(bins));
        let each = self.ids.len();
        (0..bins as usize * each).map(move |row| {
            let (index, id) = (row / each, self.ids[row % each]);
            (self.bin.saturating_mul(index as u64).as_secs_f64(), id, self.counters[id as usize].bins[index])
        })
    }
}

impl Counter {
    /// Closes the current bin and begins the one that contains `now`.
    #[inline(never)]
    fn turn_to(&mut self, now: Time, width: Time, end: Time) {
        let bin = now.as_picos() / width.as_picos();
        self.close(bin);
        self.edge = width.saturating_mul(bin + 1).min(end);
    }

    /// Closes the last bin and all empty ones up to `bins`.
    fn close(&mut self, bins: u64) {
        // initially there is no last bin
        if self.edge > Time::ZERO {
            self.bins.push(std::mem::take(&mut self.count));
        }
        self.bins.resize(bins as usize, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::RecordSpec;

    /// Two of three ids are recorded, with expected values computed by hand. What happens at an edge belongs to the bin
    /// that begins there, empty bins are rows, the last bin may be short, and an id that is not requested is not
    /// counted.
    #[test]
    fn counts_are_of_bins_that_begin_at_their_edge() {
        let spec = RecordSpec::Throughput { flows: vec![2, 0], bin: Time::from_millis(10) };
        let mut counts = Binned::of(&spec.asked(), Time::from_millis(35));
        for (millis, id, more) in
            [(0, 0, 1), (3, 2, 1), (9, 0, 1), (10, 0, 5), (11, 1, 1), (30, 0, 1), (31, 2, 1), (32, 2, 1)]
        {
            counts.add(Time::from_millis(millis), id, more);
        }
        let count = counts.count();
        let rows: Vec<_> = counts.rows().collect();
        assert_eq!(rows.len(), count);
        let bins = [(0.0, 1, 2), (0.01, 0, 5), (0.02, 0, 0), (0.03, 2, 1)];
        let expected: Vec<_> =
            bins.iter().flat_map(|(time, two, none)| [(*time, 2, *two), (*time, 0, *none)]).collect();
        assert_eq!(rows, expected);
    }
}
