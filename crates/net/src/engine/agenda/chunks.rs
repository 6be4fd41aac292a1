//! Memory of the pending events: lists of any length in one vector.
//!
//! A list is a chain of chunks. A freed chunk is the next one to be used, by any list, so that no event needs an
//! allocation, the chunks in use stay in the cache, and memory use stays close to the number of pending events.

use crate::engine::event::Event;
use crate::storage::grow;

/// Events per chunk, a power of two: small enough that short lists waste little, large enough that long lists need few
/// chunks.
const CHUNK: usize = 32;
/// In place of a chunk's id: there is no chunk.
const NONE: u32 = u32::MAX;

/// The end of a list, where the next event is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    /// Place of the next event, and the end of its chunk. If they are equal, the chunk is full; 0 if there is none.
    next: u32,
    end: u32,
}

impl Cursor {
    pub(super) const EMPTY: Self = Self { next: 0, end: 0 };

    /// Whether the list has no events.
    pub(super) const fn is_empty(self) -> bool {
        self.end == 0
    }

    /// Id of the last chunk.
    const fn last(self) -> Option<u32> {
        if self.is_empty() { None } else { Some(self.end / CHUNK as u32 - 1) }
    }

    /// Uses the next slot of the last chunk. Returns its place; `None` if the chunk has no room.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> Option<u32> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }

    /// Appends a slot for an event. Returns its place.
    #[inline(always)]
    pub(super) fn push(&mut self, chunks: &mut Chunks) -> u32 {
        self.advance().unwrap_or_else(|| self.open(chunks))
    }

    /// The same in a further chunk.
    #[inline(always)]
    pub(super) fn open(&mut self, chunks: &mut Chunks) -> u32 {
        *self = chunks.open(*self);
        self.next += 1;
        self.next - 1
    }
}

/// The memory of all lists.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    /// All chunks, contiguous. The index of an event is its *place*.
    events: Vec<Event>,
    /// For each chunk, the chunk before it in its list.
    before: Vec<u32>,
    /// Free chunks.
    free: Vec<u32>,
}

impl Chunks {
    /// No lists. The first `count` places belong to none.
    pub(super) fn reserving(count: usize) -> Self {
        let chunks = count.div_ceil(CHUNK);
        Self { events: vec![Event::NONE; chunks * CHUNK], before: vec![NONE; chunks], free: Vec::new() }
    }

    /// Heap memory in bytes.
    pub(super) const fn memory(&self) -> usize {
        let ids = self.before.capacity() + self.free.capacity();
        self.events.capacity() * size_of::<Event>() + ids * size_of::<u32>()
    }

    /// The event at a place.
    #[inline(always)]
    pub(super) fn at(&self, place: u32) -> &Event {
        &self.events[place as usize]
    }

    /// The event at a place.
    #[inline(always)]
    pub(super) fn at_mut(&mut self, place: u32) -> &mut Event {
        &mut self.events[place as usize]
    }

    /// Appends a chunk to a list whose last chunk is full. Returns the list's new end.
    #[inline(always)]
    fn open(&mut self, cursor: Cursor) -> Cursor {
        let id = self.free.pop().unwrap_or(self.before.len() as u32);
        if id as usize == self.before.len() {
            self.extend();
        }
        self.before[id as usize] = cursor.last().unwrap_or(NONE);
        let next = id * CHUNK as u32;
        Cursor { next, end: next + CHUNK as u32 }
    }

    /// Adds a chunk.
    #[cold]
    #[inline(never)]
    fn extend(&mut self) {
        assert!(self.before.len() < (NONE / CHUNK as u32) as usize, "fewer than 2^32 events are pending");
        self.before.push(NONE);
        grow(&mut self.events, CHUNK);
        self.events.resize(self.events.len() + CHUNK, Event::NONE);
    }

    /// Appends the ids of a list's chunks to `ids`, the last chunk first.
    pub(super) fn append_ids(&self, cursor: Cursor, ids: &mut Vec<u32>) {
        let mut id = cursor.last().unwrap_or(NONE);
        while id != NONE {
            ids.push(id);
            id = self.before[id as usize];
        }
    }

    /// The events in the chunk `id` of a list, and the place of the first one.
    #[inline(always)]
    pub(super) fn events(&self, id: u32, cursor: Cursor) -> (u32, &[Event]) {
        let first = id * CHUNK as u32;
        let end = if cursor.last() == Some(id) { cursor.next } else { first + CHUNK as u32 };
        (first, &self.events[first as usize..end as usize])
    }

    /// Frees chunks, and leaves `ids` empty.
    pub(super) fn free(&mut self, ids: &mut Vec<u32>) {
        self.free.append(ids);
    }
}
