//! Event counts in five bytes instead of eight, since there may be a million flows.

/// A count below 2^40. Counting further would take more than a day.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, packed)]
pub(crate) struct Tally {
    low: u32,
    high: u8,
}

impl Tally {
    /// Counts an event.
    #[inline(always)]
    pub(crate) const fn count(&mut self) {
        let (low, carries) = self.low.overflowing_add(1);
        self.low = low;
        self.high += carries as u8;
    }

    /// The number of events.
    pub(crate) const fn get(self) -> u64 {
        (self.high as u64) << u32::BITS | self.low as u64
    }
}

const _: () = assert!(size_of::<Tally>() == 5, "five bytes");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_counts_beyond_32_bits() {
        let mut tally = Tally::default();
        assert_eq!(tally.get(), 0);
        for (low, high) in [(0, 0), (u32::MAX, 0), (u32::MAX, 0xfe)] {
            tally = Tally { low, high };
            let before = tally.get();
            tally.count();
            assert_eq!(tally.get(), before + 1);
        }
        assert_eq!(tally.get(), 0xff << 32);
    }
}
