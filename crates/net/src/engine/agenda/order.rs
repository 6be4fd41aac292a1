//! The order of the events of one component in one round.
//!
//! Events are not moved. One word per event is sorted: the event's time in the upper half, its place in memory in the
//! lower half. The words are dealt into slots of equal duration, about as many as there are events; an insertion sort
//! does the rest. Where the times in two words are equal, the events themselves are compared.

use super::chunks::{Chunks, Cursor};
use crate::engine::event::{Event, Targets};

/// Bits of a word that contain the place of an event.
const PLACE_BITS: u32 = 32;
/// Maximum number of slots, and the number of events that need no slots.
const SLOTS: usize = 1 << 12;
const FEW: usize = 24;
/// Number of positions by which insertion moves a word at most before another sort takes over.
const FAR: usize = 32;

/// For each slot, the position of its next word. Scratch memory.
#[derive(Debug)]
pub(super) struct Slots(Box<[u32; SLOTS]>);

impl Slots {
    pub(super) fn new() -> Self {
        Self(Box::new([0; SLOTS]))
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
    /// Calls `visit` with each event and its place.
    #[inline(always)]
    fn for_each(self, mut visit: impl FnMut(u32, &Event)) {
        for id in self.ids {
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

    /// Adds the words of all events to `words`, which is empty, in order.
    pub(super) fn sort(self, words: &mut Vec<u64>, slots: &mut Slots, targets: Targets<'_>) {
        let count: usize = self.ids.iter().map(|id| self.chunks.events(*id, self.cursor).1.len()).sum();
        // in rounds of more than 2^32 ps, words do not contain the last bits of a time
        let missing = self.bits.saturating_sub(u64::BITS - PLACE_BITS);
        let word_of = |place, event: &Event| self.time_of(event) >> missing << PLACE_BITS | u64::from(place);
        if count <= FEW {
            for id in self.ids {
                let (first, events) = self.chunks.events(*id, self.cursor);
                words.extend((first..).zip(events).map(|(place, event)| word_of(place, event)));
            }
        } else {
            self.deal(count, words, slots, word_of);
        }
        let has_ties = insert(words).unwrap_or_else(|| {
            words.sort_unstable();
            true
        });
        if has_ties {
            self.break_ties(words, targets);
        }
    }

    /// Adds the words of all events to `words`, which is empty, in the order of their slots.
    fn deal(self, count: usize, words: &mut Vec<u64>, Slots(slots): &mut Slots, word_of: impl Fn(u32, &Event) -> u64) {
        // the last bits of a time are the time within the round
        let slot_bits = count.ilog2().min(SLOTS.ilog2()).min(self.bits);
        let (shift, mask) = (self.bits - slot_bits, (1 << slot_bits) - 1);
        let slot_of = |event: &Event| (self.time_of(event) >> shift) as usize & mask & (SLOTS - 1);
        slots[..=mask].fill(0);
        self.for_each(|_, event| slots[slot_of(event)] += 1);
        let mut sum = 0;
        for slot in &mut slots[..=mask] {
            sum += std::mem::replace(slot, sum);
        }
        words.resize(count, 0);
        self.for_each(|place, event| {
            let slot = &mut slots[slot_of(event)];
            words[*slot as usize] = word_of(place, event);
            *slot += 1;
        });
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
fn insert(words: &mut [u64]) -> Option<bool> {
    let mut has_ties = false;
    let mut last = *words.first()?;
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
