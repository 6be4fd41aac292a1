//! Packets and bytes in time bins, in memory bounded by a million bins.

/// Maximum number of bins: three hours at 10 ms each. With more bins, pairs of bins are merged. Analysing the bins
/// takes a hundred times their memory.
const MOST: usize = 1 << 20;

/// Counts per bin, starting at the first packet.
#[derive(Debug)]
pub(super) struct Arrivals {
    start: Option<i64>,
    width: u64,
    packets: Vec<u32>,
    bytes: Vec<u64>,
    /// Packets with an earlier time than the first packet; they are in no bin.
    pub(super) before: u64,
}

impl Arrivals {
    /// Bins of `width` nanoseconds, at least one.
    pub(super) fn new(width: u64) -> Self {
        Self { start: None, width: width.max(1), packets: Vec::new(), bytes: Vec::new(), before: 0 }
    }

    #[inline]
    pub(super) fn add(&mut self, time: i64, bytes: u32) {
        let start = *self.start.get_or_insert(time);
        if time < start {
            self.before += 1;
            return;
        }
        let since = time.abs_diff(start);
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

    /// Time of the first packet.
    pub(super) fn start(&self) -> Option<i64> {
        self.start
    }

    /// Bin width in nanoseconds after merging.
    pub(super) fn width(&self) -> u64 {
        self.width
    }

    pub(super) fn packets(&self) -> &[u32] {
        &self.packets
    }

    pub(super) fn bytes(&self) -> &[u64] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_gap_makes_bins_wider_and_loses_nothing() {
        let mut arrivals = Arrivals::new(10);
        for time in [100, 109, 110, 129, 100 + 10 * MOST as i64] {
            arrivals.add(time, 7);
        }
        assert_eq!(arrivals.width(), 20);
        assert_eq!(arrivals.packets()[..2], [3, 1]);
        assert_eq!(arrivals.packets().iter().sum::<u32>(), 5);
        assert_eq!(arrivals.bytes().iter().sum::<u64>(), 35);
        arrivals.add(i64::MAX, 1);
        assert!(arrivals.packets().len() <= MOST);
        arrivals.add(99, 1);
        assert_eq!(arrivals.before, 1);
    }
}
