//! Rows of what happens to flows, most of them in one word: a record with a row for each thing that happens costs above all
//! the memory that it touches for the first time.

use ackclock_units::Time;

/// Bits of a word that the flow and the rest take; the time since the last wide row has those above.
const FLOW: u32 = 10;
const REST: u32 = 18;
/// What no time in one word comes to: time, flow and rest follow in words of their own.
const WIDE: u64 = u64::MAX >> (FLOW + REST);

/// Rows, one after the other: each has its time, its flow, a number that is small as a rule, and any further words.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    words: Vec<u64>,
    /// What times in one word count from.
    base: u64,
}

impl Packed {
    /// Appends a row.
    #[inline(always)]
    pub(super) fn push(&mut self, now: Time, flow: u32, rest: u64) {
        let since = now.as_picos().wrapping_sub(self.base);
        let fits = since < WIDE && flow >> FLOW == 0 && rest >> REST == 0;
        // a vector that grows would do so in the middle of what is inlined here
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

    /// Bytes of memory beyond its own size.
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

/// What times count from after a wide row: times may step back.
const fn base(now: Time) -> u64 {
    now.as_picos().wrapping_sub(WIDE / 2)
}

/// Reads rows in the order in which they were appended.
pub(super) struct Reader<'a> {
    words: std::slice::Iter<'a, u64>,
    base: u64,
}

impl Reader<'_> {
    /// A word that was added to the row.
    pub(super) fn word(&mut self) -> u64 {
        self.words.next().copied().unwrap_or_default()
    }

    /// Passes over words that were added to the row.
    pub(super) fn skip_words(&mut self, words: usize) {
        self.words = self.words.as_slice().get(words..).unwrap_or_default().iter();
    }
}

/// The next row; what was added to the one before must have been read.
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
                    // forward and back
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
