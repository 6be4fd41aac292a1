//! Rows of what happens to flows, most of them in one word: a record with a row for each thing that happens costs above all
//! the memory that it touches for the first time.

use ackclock_units::Time;

/// Bits of a word that the flow and the rest take; the step of time has those above.
const FLOW: u32 = 10;
const REST: u32 = 14;
/// What no step in one word comes to: step, flow and rest follow in words of their own.
const WIDE: u64 = u64::MAX >> (FLOW + REST);

/// Rows, one after the other: each has its time, its flow, a small number, and any further words.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    words: Vec<u64>,
    rows: usize,
    last: Time,
}

impl Packed {
    /// Appends a row.
    #[inline(always)]
    pub(super) fn push(&mut self, now: Time, flow: u32, rest: u64) {
        let step = now.as_picos().wrapping_sub(self.last.as_picos()) as i64;
        // small steps as small numbers, be they forward or back
        let step = ((step << 1) ^ (step >> 63)) as u64;
        let flow = u64::from(flow);
        if step < WIDE && flow >> FLOW == 0 && rest >> REST == 0 {
            self.words.push(step << (FLOW + REST) | flow << REST | rest);
        } else {
            self.push_wide(step, flow, rest);
        }
        self.last = now;
        self.rows += 1;
    }

    #[cold]
    #[inline(never)]
    fn push_wide(&mut self, step: u64, flow: u64, rest: u64) {
        self.words.extend([u64::MAX, step, flow, rest]);
    }

    /// Appends a word to the last row.
    #[inline(always)]
    pub(super) fn add(&mut self, word: u64) {
        self.words.push(word);
    }

    /// How many there are.
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn read(&self) -> Reader<'_> {
        Reader { words: self.words.iter(), last: 0 }
    }
}

/// Reads rows in the order in which they were appended.
pub(super) struct Reader<'a> {
    words: std::slice::Iter<'a, u64>,
    last: u64,
}

impl Reader<'_> {
    /// A word that was added to the row.
    pub(super) fn word(&mut self) -> u64 {
        self.words.next().copied().unwrap_or_default()
    }
}

/// The next row; what was added to the one before must have been read.
impl Iterator for Reader<'_> {
    type Item = (Time, u32, u64);

    fn next(&mut self) -> Option<Self::Item> {
        let word = *self.words.next()?;
        let (step, flow, rest) = match word >> (FLOW + REST) {
            WIDE => (self.word(), self.word(), self.word()),
            step => (step, word >> REST & ((1 << FLOW) - 1), word & ((1 << REST) - 1)),
        };
        self.last = self.last.wrapping_add((step >> 1) ^ (step & 1).wrapping_neg());
        Some((Time::from_picos(self.last), flow as u32, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_however_large_their_numbers_are() {
        let edges = |bits: u32| [0, 1, (1 << bits) - 1, 1 << bits, (1 << bits) + 1];
        let mut rows = Vec::new();
        for step in edges(39).into_iter().chain([WIDE >> 1, u64::MAX, u64::MAX / 2, 1 << 63]) {
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
        assert_eq!(packed.rows(), rows.len());
        let mut read = packed.read();
        for (index, row) in (0..).zip(&rows) {
            assert_eq!((read.next(), read.word()), (Some(*row), index));
        }
        assert_eq!(read.next(), None);
    }
}
