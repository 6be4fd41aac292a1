//! Packets and bytes in time bins, in memory bounded by a million bins.
//!
//! A clock that was set, or files that were merged, would leave most packets in a few bins of a long time. Where the time
//! jumps, a new series of bins therefore begins, and the series with the most packets is the result.

/// Maximum number of bins: three hours at 10 ms each. With more bins, pairs of bins are merged. Analysing the bins
/// takes a hundred times their memory.
const MOST: usize = 1 << 20;

/// Times of one clock go back by less than this in nanoseconds, such as those of several interfaces.
const BACK: i64 = 1_000_000_000;
/// A pause of an hour is a jump if it is ten times as long as the series before it.
const PAUSE: i64 = 3_600_000_000_000;
const PAUSE_FACTOR: i64 = 10;

/// Counts per bin, starting at the first packet.
#[derive(Debug)]
struct Series {
    start: i64,
    /// The earliest and the latest time.
    span: (i64, i64),
    width: u64,
    packets: Vec<u32>,
    bytes: Vec<u64>,
    count: u64,
    /// Packets with an earlier time than the first packet; they are in no bin.
    before: u64,
}

impl Series {
    fn new(start: i64, width: u64) -> Self {
        Self { start, span: (start, start), width, packets: Vec::new(), bytes: Vec::new(), count: 0, before: 0 }
    }

    /// Whether a packet with this time belongs to the series.
    fn follows(&self, time: i64) -> bool {
        let (first, last) = self.span;
        let since = time.saturating_sub(last);
        let is_pause = since > PAUSE && since / PAUSE_FACTOR > last.saturating_sub(first);
        since > -BACK && !is_pause
    }

    fn add(&mut self, time: i64, bytes: u32) {
        self.count += 1;
        self.span = (self.span.0.min(time), self.span.1.max(time));
        if time < self.start {
            self.before += 1;
            return;
        }
        let since = time.abs_diff(self.start);
        let mut place = since / self.width;
        if place >= self.packets.len() as u64 {
            while place >= MOST as u64 {
                self.coarsen();
                place = since / self.width;
            }
            self.packets.resize(place as usize + 1, 0);
            self.bytes.resize(place as usize + 1, 0);
        }
        self.packets[place as usize] = self.packets[place as usize].saturating_add(1);
        self.bytes[place as usize] += u64::from(bytes);
    }

    /// Merges pairs of bins.
    fn coarsen(&mut self) {
        let half = self.packets.len().div_ceil(2);
        for place in 0..half {
            let second = 2 * place + 1;
            let (packets, bytes) =
                self.packets.get(second).zip(self.bytes.get(second)).map_or((0, 0), |(p, b)| (*p, *b));
            self.packets[place] = self.packets[2 * place].saturating_add(packets);
            self.bytes[place] = self.bytes[2 * place] + bytes;
        }
        self.packets.truncate(half);
        self.bytes.truncate(half);
        self.width *= 2;
    }
}

/// The bins of a capture.
#[derive(Debug)]
pub(super) struct Arrivals {
    width: u64,
    current: Option<Series>,
    /// The series before the last jump, or the longest of several.
    other: Option<Series>,
    last: i64,
    /// Jumps of time.
    pub(super) jumps: u64,
    /// Packets of series that are neither the current nor the other one.
    lost: u64,
}

impl Arrivals {
    /// Bins of `width` nanoseconds, at least one.
    pub(super) fn new(width: u64) -> Self {
        Self { width: width.max(1), current: None, other: None, last: 0, jumps: 0, lost: 0 }
    }

    #[inline]
    pub(super) fn add(&mut self, time: i64, bytes: u32) {
        match &mut self.current {
            Some(series) if time >= self.last && time.saturating_sub(self.last) < PAUSE => series.add(time, bytes),
            _ => self.add_apart(time, bytes),
        }
        self.last = time;
    }

    /// Adds a packet after a jump, or perhaps after one.
    #[cold]
    fn add_apart(&mut self, time: i64, bytes: u32) {
        let Self { current, other, .. } = self;
        if let Some(series) = current.as_mut().filter(|series| series.follows(time)) {
            return series.add(time, bytes);
        }
        self.jumps += u64::from(current.is_some());
        if other.as_ref().is_some_and(|series| series.follows(time)) {
            std::mem::swap(current, other);
        } else {
            // the smaller of two series gives way
            if other.as_ref().map_or(0, |series| series.count) < current.as_ref().map_or(0, |series| series.count) {
                std::mem::swap(current, other);
            }
            self.lost += current.as_ref().map_or(0, |series| series.count);
            *current = Some(Series::new(time, self.width));
        }
        if let Some(series) = current {
            series.add(time, bytes);
        }
    }

    /// The series with the most packets.
    fn main(&self) -> Option<&Series> {
        let (current, other) = (self.current.as_ref(), self.other.as_ref());
        if other.map_or(0, |series| series.count) > current.map_or(0, |series| series.count) { other } else { current }
    }

    /// Time of the first packet.
    pub(super) fn start(&self) -> Option<i64> {
        self.main().map(|series| series.start)
    }

    /// The earliest and the latest time.
    pub(super) fn span(&self) -> Option<(i64, i64)> {
        self.main().map(|series| series.span)
    }

    /// Bin width in nanoseconds after merging.
    pub(super) fn width(&self) -> u64 {
        self.main().map_or(self.width, |series| series.width)
    }

    pub(super) fn packets(&self) -> &[u32] {
        self.main().map_or(&[], |series| &series.packets)
    }

    pub(super) fn bytes(&self) -> &[u64] {
        self.main().map_or(&[], |series| &series.bytes)
    }

    /// Packets with an earlier time than the first packet; they are in no bin.
    pub(super) fn before(&self) -> u64 {
        self.main().map_or(0, |series| series.before)
    }

    /// Packets before or after a jump, which are in no bin.
    pub(super) fn apart(&self) -> u64 {
        let all = [&self.current, &self.other].into_iter().flatten().map(|series| series.count).sum::<u64>();
        self.lost + all - self.main().map_or(0, |series| series.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(width: u64, times: impl IntoIterator<Item = i64>) -> Arrivals {
        let mut arrivals = Arrivals::new(width);
        times.into_iter().for_each(|time| arrivals.add(time, 7));
        arrivals
    }

    #[test]
    fn a_long_gap_makes_bins_wider_and_loses_nothing() {
        let mut arrivals = filled(10, [100, 109, 110, 129, 100 + 10 * MOST as i64]);
        assert_eq!(arrivals.width(), 20);
        assert_eq!(arrivals.packets()[..2], [3, 1]);
        assert_eq!(arrivals.packets().iter().sum::<u32>(), 5);
        assert_eq!(arrivals.bytes().iter().sum::<u64>(), 35);
        arrivals.add(99, 1);
        assert_eq!((arrivals.before(), arrivals.apart(), arrivals.jumps), (1, 0, 0));
    }

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn a_clock_that_was_set_leaves_the_longer_series() {
        let hour = 3600 * SECOND;
        let arrivals = filled(SECOND as u64, [hour, 0, SECOND, 2 * SECOND]);
        assert_eq!((arrivals.packets(), arrivals.span()), (&[1, 1, 1][..], Some((0, 2 * SECOND))));
        assert_eq!((arrivals.apart(), arrivals.jumps), (1, 1));
        let arrivals = filled(SECOND as u64, [0, SECOND, 20 * hour, 2 * SECOND, 3 * SECOND, 9]);
        assert_eq!(arrivals.packets(), [1, 1, 1, 1], "one wrong time is a series of its own");
        assert_eq!((arrivals.apart(), arrivals.jumps), (2, 3));
        let arrivals = filled(SECOND as u64, [0, i64::MAX, i64::MIN, 5]);
        assert_eq!(u64::from(arrivals.packets().iter().sum::<u32>()) + arrivals.apart() + arrivals.before(), 4);
    }

    #[test]
    fn a_pause_is_no_jump_if_the_series_before_it_is_long() {
        let hour = 3600 * SECOND;
        let arrivals = filled(SECOND as u64, (0..100).map(|minute| 60 * SECOND * minute).chain([3 * hour]));
        assert_eq!((arrivals.jumps, arrivals.span()), (0, Some((0, 3 * hour))));
    }
}
