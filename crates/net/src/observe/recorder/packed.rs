//! Compact rows about flows, most of them in one word. Most of the cost of an event-driven record is the first access
//! to new memory.

use ackclock_units::Time;

/// Bits of a word for the flow and for the remaining value; the higher bits hold the time since the last wide row.
const FLOW: u32 = 10;
const REST: u32 = 18;
/// Larger than any time that fits into one word; marks a row whose time, flow and remaining value follow in separate
/// words.
const WIDE: u64 = u64::MAX >> (FLOW + REST);

/// Consecutive rows, each with its time, its flow, a number that is usually small, and further words.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    words: Vec<u64>,
    /// Reference time of one-word rows.
    base: u64,
}

impl Packed {
    /// Appends a row.
    #[inline(always)]
    pub(super) fn push(&mut self, now: Time, flow: u32, rest: u64) {
        let since = now.as_picos().wrapping_sub(self.base);
        let fits = since < WIDE && flow >> FLOW == 0 && rest >> REST == 0;
        // growing the vector here would put that code into the inlined fast path
        if fits && self.words.len() < self.words.capacity() {
            self.words.push(since << (FLOW + REST) | rest << FLOW | u64::from(flow));
        } else {
            self.push_wide(now, flow, rest);
        }
    }

    #[cold]
    #[inline(never)]
    fn push_wide(&mut self, now: Time, flow: u32, rest: u64) {
        self.words.extend([u64::MAX, now.as_picos(), u64::from(flow), rest]);
        self.base = base(now);
    }

    /// Heap memory in bytes.
    pub(super) const fn held(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    /// Appends a word to the last row.
    #[inline(always)]
    pub(super) fn add(&mut self, word: u64) {
        self.words.push(word);
    }

    pub(super) fn read(&self) -> Reader<'_> {
        Reader { words: self.words.iter(), base: 0 }
    }
}

/// Reference time after a wide row. The reference is earlier than the row, because times may go backwards.
const fn base(now: Time) -> u64 {
    now.as_picos().wrapping_sub(WIDE / 2)
}

/// Reads rows in the order in which they were appended.
pub(super) struct Reader<'a> {
    words: std::slice::Iter<'a, u64>,
    base: u64,
}

impl Reader<'_> {
    /// Reads the next word that was added to the row.
    pub(super) fn word(&mut self) -> u64 {
        self.words.next().copied().unwrap_or_default()
    }

    /// Skips words that were added to the row.
    pub(super) fn skip_words(&mut self, words: usize) {
        self.words = self.words.as_slice().get(words..).unwrap_or_default().iter();
    }
}

/// Returns the next row; the words added to the previous one must have been read.
impl Iterator for Reader<'_> {
    type Item = (Time, u32, u64);

    fn next(&mut self) -> Option<Self::Item> {
        let word = *self.words.next()?;
        let since = word >> (FLOW + REST);
        if since == WIDE {
            let (now, flow, rest) = (Time::from_picos(self.word()), self.word(), self.word());
            self.base = base(now);
            return Some((now, flow as u32, rest));
        }
        let now = Time::from_picos(self.base.wrapping_add(since));
        Some((now, (word & ((1 << FLOW) - 1)) as u32, word >> FLOW & ((1 << REST) - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_however_large_their_numbers_are() {
        let edges = |bits: u32| [0, 1, (1 << bits) - 1, 1 << bits, (1 << bits) + 1];
        let mut rows = Vec::new();
        for step in edges(35).into_iter().chain([WIDE, WIDE / 2, WIDE / 2 + 1, u64::MAX, u64::MAX / 2, 1 << 63]) {
            for flow in edges(FLOW).into_iter().chain([u64::from(u32::MAX)]) {
                for rest in edges(REST).into_iter().chain([u64::MAX]) {
                    // times go forwards and backwards
                    rows.push((Time::from_picos(step), flow as u32, rest));
                    rows.push((Time::ZERO, flow as u32, rest));
                }
            }
        }
        let mut packed = Packed::default();
        for (index, (now, flow, rest)) in (0_u64..).zip(&rows) {
            packed.push(*now, *flow, *rest);
            packed.add(index);
        }
        let mut read = packed.read();
        for (index, row) in (0..).zip(&rows) {
            assert_eq!((read.next(), read.word()), (Some(*row), index));
        }
        assert_eq!(read.next(), None);
    }
}
