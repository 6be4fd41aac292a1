//! The order of the events of one component in one round.
//!
//! Events are not moved. One word per event is sorted: the event's time in the upper half, its place in memory in the
//! lower half. Links deliver packets in order, so most events were added in order. The others, such as timers and the
//! last packets of bursts, are taken out, sorted, and merged with the rest. If they are many, all words of this and the next
//! rounds are instead dealt into slots of equal duration, about as many as there are events; an insertion sort does the
//! rest. Where the times in two words are equal, the events themselves are compared.

use super::chunks::{Chunks, Cursor};
use crate::engine::event::{Event, Targets};

/// Bits of a word that contain the place of an event.
const PLACE_BITS: u32 = 32;
/// Maximum number of slots, and the number of events that need none.
const SLOTS: usize = 1 << 12;
const FEW: usize = 24;
/// Number of positions by which insertion moves a word at most before another sort takes over.
const FAR: usize = 32;
/// Number of rounds in which words are dealt at once after many events of a round were not in order.
const DEALT: u8 = 63;

/// Scratch memory.
#[derive(Debug)]
pub(super) struct Scratch {
    /// For each slot, the position of its next word.
    slots: Box<[u32; SLOTS]>,
    /// The words that are taken out.
    late: Vec<u64>,
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self { slots: Box::new([0; SLOTS]), late: Vec::new() }
    }
}

/// A list of events of one round, which is `2^bits` ps long.
#[derive(Clone, Copy, Debug)]
pub(super) struct List<'a> {
    pub(super) chunks: &'a Chunks,
    /// Ids of the chunks that contain the events, and the end of the list.
    pub(super) ids: &'a [u32],
    pub(super) cursor: Cursor,
    pub(super) bits: u32,
    /// Added to all times, so that a round begins at a multiple of its length.
    pub(super) skew: u64,
}

impl List<'_> {
    /// Calls `visit` with each event and its place, in the order in which they were added.
    #[inline(always)]
    fn for_each(self, mut visit: impl FnMut(u32, &Event)) {
        for id in self.ids.iter().rev() {
            let (first, events) = self.chunks.events(*id, self.cursor);
            for (place, event) in (first..).zip(events) {
                visit(place, event);
            }
        }
    }

    #[inline(always)]
    const fn time_of(self, event: &Event) -> u64 {
        event.at.as_picos().wrapping_add(self.skew)
    }

    /// Adds the words of all events to `words`, which is empty, in order. For this number of `rounds`, many events are
    /// probably not in order.
    pub(super) fn sort(self, words: &mut Vec<u64>, rounds: &mut u8, scratch: &mut Scratch, targets: Targets<'_>) {
        let Scratch { slots, late } = scratch;
        // in rounds of more than 2^32 ps, words do not contain the last bits of a time
        let missing = self.bits.saturating_sub(u64::BITS - PLACE_BITS);
        let word_of = |place, event: &Event| self.time_of(event) >> missing << PLACE_BITS | u64::from(place);
        words.resize(self.len(), 0);
        let has_ties = if words.len() <= FEW {
            self.copy(words, word_of);
            insert(words)
        } else if *rounds > 0 {
            *rounds -= 1;
            self.deal(words, slots, word_of)
        } else {
            let nearest = self.split(words, late, word_of);
            if late.len() <= words.len() / 8 && insert(late).is_some() {
                Some(merge(words, late, nearest))
            } else {
                *rounds = DEALT;
                words.resize(self.len(), 0);
                self.deal(words, slots, word_of)
            }
        };
        let has_ties = has_ties.unwrap_or_else(|| {
            words.sort_unstable();
            true
        });
        if has_ties {
            self.break_ties(words, targets);
        }
    }

    /// Number of events.
    fn len(self) -> usize {
        self.ids.iter().map(|id| self.chunks.events(*id, self.cursor).1.len()).sum()
    }

    /// Sets `words` to the words of the events in the order in which they were added.
    #[inline(always)]
    fn copy(self, words: &mut [u64], word_of: impl Fn(u32, &Event) -> u64) {
        let mut end = 0;
        self.for_each(|place, event| {
            words[end] = word_of(place, event);
            end += 1;
        });
    }

    /// The same, but moves each word to `late` that comes before a smaller one. Returns the smallest difference of
    /// neighbours that stay.
    #[inline(always)]
    fn split(self, words: &mut Vec<u64>, late: &mut Vec<u64>, word_of: impl Fn(u32, &Event) -> u64) -> u64 {
        late.clear();
        let (mut end, mut last, mut nearest) = (0, 0, u64::MAX);
        self.for_each(|place, event| {
            let word = word_of(place, event);
            if word < last {
                end = take_out(&words[..end], word, late);
                last = end.checked_sub(1).map_or(0, |last| words[last]);
            }
            nearest = nearest.min(word - last);
            words[end] = word;
            (end, last) = (end + 1, word);
        });
        words.truncate(end);
        nearest
    }

    /// Sets `words` to the words of all events, of which many were not added in order. Returns whether some may contain the
    /// same time, or `None` if they are not in order.
    #[inline(never)]
    fn deal(self, words: &mut [u64], slots: &mut [u32; SLOTS], word_of: impl Fn(u32, &Event) -> u64) -> Option<bool> {
        // the last bits of a time are the time within the round
        let slot_bits = words.len().ilog2().min(SLOTS.ilog2()).min(self.bits);
        let (shift, mask) = (self.bits - slot_bits, (1 << slot_bits) - 1);
        let slot_of = |event: &Event| (self.time_of(event) >> shift) as usize & mask & (SLOTS - 1);
        slots[..=mask].fill(0);
        self.for_each(|_, event| slots[slot_of(event)] += 1);
        let mut sum = 0;
        for slot in &mut slots[..=mask] {
            sum += std::mem::replace(slot, sum);
        }
        self.for_each(|place, event| {
            let slot = &mut slots[slot_of(event)];
            words[*slot as usize] = word_of(place, event);
            *slot += 1;
        });
        insert(words)
    }

    /// Sorts the events whose words contain equal times.
    #[inline(never)]
    fn break_ties(self, words: &mut [u64], targets: Targets<'_>) {
        for tied in words.chunk_by_mut(|a, b| is_tie(*a, *b)) {
            if tied.len() > 1 {
                tied.sort_by_key(|word| self.chunks.at(*word as u32).key(targets));
            }
        }
    }
}

/// Whether two words contain the same time.
#[inline(always)]
const fn is_tie(a: u64, b: u64) -> bool {
    a ^ b < 1 << PLACE_BITS
}

/// Sorts words that are near their final positions. Returns whether some contain the same time, or `None` if a word is
/// more than [`FAR`] positions from its final one.
#[inline(always)]
fn insert(words: &mut [u64]) -> Option<bool> {
    let mut has_ties = false;
    let mut last = words.first().copied().unwrap_or_default();
    for end in 1..words.len() {
        let word = words[end];
        if last <= word {
            has_ties |= is_tie(last, word);
            last = word;
            continue;
        }
        let (mut position, mut above) = (end, last);
        loop {
            words[position] = above;
            position -= 1;
            let Some(below) = position.checked_sub(1).map(|below| words[below]) else { break };
            if below <= word {
                has_ties |= is_tie(below, word);
                break;
            }
            above = below;
        }
        words[position] = word;
        // words with the same time are neighbours
        has_ties |= is_tie(word, above);
        if end - position > FAR {
            return None;
        }
    }
    Some(has_ties)
}

/// Copies the words above `word` at the end of `words`, which are in order, to `late`. Returns the number of the others.
#[inline(never)]
fn take_out(words: &[u64], word: u64, late: &mut Vec<u64>) -> usize {
    let before = late.len();
    late.extend(words.iter().rev().take_while(|above| **above > word));
    words.len() - (late.len() - before)
}

/// Merges words in order, whose neighbours differ by `nearest` at least, with others in order, which are taken out of `late`.
/// Returns whether some may contain the same time.
#[inline(always)]
fn merge(words: &mut Vec<u64>, late: &mut Vec<u64>, mut nearest: u64) -> bool {
    let mut left = words.len();
    words.extend_from_slice(late);
    let mut above = u64::MAX;
    while let Some(word) = late.pop() {
        while left > 0 && words[left - 1] > word {
            above = words[left - 1];
            words[left + late.len()] = above;
            left -= 1;
        }
        words[left + late.len()] = word;
        let below = left.checked_sub(1).map_or(0, |below| words[below]);
        nearest = nearest.min(above - word).min(word - below);
        above = word;
    }
    nearest < 1 << PLACE_BITS
}
