//! Storage for pending events: many lists of any length in shared memory.
//!
//! A list is a chain of chunks. Freed chunks are reused by other lists, so that no event needs an allocation and memory
//! use stays close to the number of pending events.

use ackclock_units::Time;

use crate::event::Event;

/// Events per chunk, a power of two: small enough that short lists waste little, large enough that long lists need few
/// chunks.
const CHUNK: usize = 32;

/// The shared memory of many lists.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    /// All chunks, contiguous.
    events: Vec<Event>,
    /// For each chunk, the next chunk in its list.
    following: Vec<u32>,
    /// Free chunks.
    free: Vec<u32>,
}

impl Chunks {
    /// Heap memory in bytes.
    pub(super) const fn held(&self) -> usize {
        let numbers = self.following.capacity() + self.free.capacity();
        self.events.capacity() * size_of::<Event>() + numbers * size_of::<u32>()
    }

    /// Allocates a chunk and links it after the one that ends at `end`. Returns its start index.
    #[inline(never)]
    fn next_chunk(&mut self, end: Option<usize>) -> usize {
        let id = self.free.pop().unwrap_or(self.following.len() as u32);
        if id as usize == self.following.len() {
            self.following.push(0);
            self.events.resize(self.events.len() + CHUNK, Event::NONE);
        }
        if let Some(end) = end {
            self.following[end / CHUNK - 1] = id;
        }
        id as usize * CHUNK
    }

    /// Frees the chunk that ends at `end`. Returns the start index of the chunk that followed it.
    #[inline(never)]
    fn leave_chunk(&mut self, end: usize) -> usize {
        let id = end / CHUNK - 1;
        self.free.push(id as u32);
        self.following[id] as usize * CHUNK
    }
}

/// A queue of events in strict time order.
#[derive(Debug)]
pub(super) struct Lane {
    /// Index of the first event (`head`) and of the next event to add (`tail`). An index at the end of a chunk means
    /// that the position is in another chunk.
    head: usize,
    tail: usize,
    /// Time of the first event; later than all times if empty.
    first_at: Time,
    /// Time of the last event; earlier than all times if empty.
    last_at: Time,
}

impl Lane {
    pub(super) const EMPTY: Self = Self { head: 0, tail: 0, first_at: Time::MAX, last_at: Time::ZERO };

    /// Time of the first event; [`Time::MAX`] if empty.
    #[inline(always)]
    pub(super) const fn first_at(&self) -> Time {
        self.first_at
    }

    /// Whether an event at `at` would be later than all events in the lane.
    #[inline(always)]
    pub(super) fn ends_before(&self, at: Time) -> bool {
        self.last_at < at
    }

    /// Appends an event.
    #[inline(always)]
    pub(super) fn push(&mut self, chunks: &mut Chunks, event: Event) {
        self.last_at = event.at;
        let mut place = self.tail;
        if place.is_multiple_of(CHUNK) {
            place = chunks.next_chunk((self.first_at < Time::MAX).then_some(place));
        }
        if self.first_at == Time::MAX {
            (self.first_at, self.head) = (event.at, place);
        }
        chunks.events[place] = event;
        self.tail = place + 1;
    }

    /// The next events that are contiguous in memory: at least the first, if there is one.
    #[inline(always)]
    pub(super) fn ahead<'a>(&self, chunks: &'a Chunks) -> &'a [Event] {
        if self.first_at == Time::MAX {
            return &[];
        }
        let chunk_end = (self.head / CHUNK + 1) * CHUNK;
        let ends_here = self.head < self.tail && self.tail <= chunk_end;
        &chunks.events[self.head..if ends_here { self.tail } else { chunk_end }]
    }

    /// Takes the first event; the lane must not be empty.
    #[inline(always)]
    pub(super) fn pop(&mut self, chunks: &mut Chunks, first: &mut Event) {
        *first = chunks.events[self.head];
        self.head += 1;
        let is_last = self.head == self.tail;
        if self.head.is_multiple_of(CHUNK) {
            self.head = chunks.leave_chunk(self.head);
        }
        if is_last {
            (self.first_at, self.last_at) = (Time::MAX, Time::ZERO);
        } else {
            self.first_at = chunks.events[self.head].at;
        }
    }
}

/// Events of a future round, in order of insertion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    /// First chunk (`first`) and number of events (`count`).
    first: u32,
    pub(super) count: u32,
    /// Index of the next event to add. An index at the end of a chunk means that the position is in another chunk.
    tail: u32,
    /// Whether the events are out of time order.
    pub(super) out_of_order: bool,
    /// Time of the last event.
    last_at: Time,
}

impl Bucket {
    pub(super) const EMPTY: Self = Self { first: 0, count: 0, tail: 0, out_of_order: false, last_at: Time::ZERO };

    /// Adds an event, and keeps the time order if that takes little work.
    #[inline(always)]
    pub(super) fn push(&mut self, chunks: &mut Chunks, event: Event) {
        let mut place = self.tail as usize;
        if place.is_multiple_of(CHUNK) {
            place = chunks.next_chunk((self.count > 0).then_some(place));
        }
        if self.count == 0 {
            self.first = (place / CHUNK) as u32;
        }
        self.count += 1;
        self.tail = place as u32 + 1;
        chunks.events[place] = event;
        if self.last_at < event.at {
            self.last_at = event.at;
        } else {
            self.put_in_place(&mut chunks.events[place / CHUNK * CHUNK..=place]);
        }
    }

    /// Moves the last event, which is out of order, to its position, if that position is in the last chunk.
    fn put_in_place(&mut self, chunk: &mut [Event]) {
        let mut place = chunk.len() - 1;
        let event = chunk[place];
        while place > 0 && event < chunk[place - 1] {
            chunk[place] = chunk[place - 1];
            place -= 1;
        }
        chunk[place] = event;
        self.out_of_order |= place == 0;
    }

    /// Moves all events to a list in time order.
    pub(super) fn empty_into(&self, chunks: &mut Chunks, list: &mut Vec<Event>) {
        let (mut start, mut left) = (self.first as usize * CHUNK, self.count as usize);
        while left > 0 {
            list.extend_from_slice(&chunks.events[start..start + left.min(CHUNK)]);
            start = chunks.leave_chunk(start + CHUNK);
            left = left.saturating_sub(CHUNK);
        }
        if self.out_of_order {
            list.sort_unstable();
        }
    }
}
