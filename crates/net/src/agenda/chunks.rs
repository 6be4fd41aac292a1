//! Where events to come are kept: many lists, of any length, in one memory.
//!
//! A list is a chain of chunks. What one lets go of is what the next one gets, so that nothing is allocated for an event, and
//! what is under way, and little more, takes up memory.

use ackclock_units::Time;

use crate::event::Event;

/// Events in a chunk, a power of two: few enough that short lists waste little, enough that long ones have few chunks.
const CHUNK: usize = 32;

/// The memory of many lists.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    /// All chunks, one after the other.
    events: Vec<Event>,
    /// The chunk that follows on each in its list.
    following: Vec<u32>,
    /// The chunks that no list has.
    free: Vec<u32>,
}

impl Chunks {
    /// Bytes of memory beyond its own size.
    pub(super) const fn held(&self) -> usize {
        let numbers = self.following.capacity() + self.free.capacity();
        self.events.capacity() * size_of::<Event>() + numbers * size_of::<u32>()
    }

    /// A chunk that nobody has, to follow on the one that ends at a place. Returns where it begins.
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

    /// The chunk that ends at a place is free. Returns where the one that followed it begins.
    #[inline(never)]
    fn leave_chunk(&mut self, end: usize) -> usize {
        let id = end / CHUNK - 1;
        self.free.push(id as u32);
        self.following[id] as usize * CHUNK
    }
}

/// Events in strict order of time, added at one end and taken at the other.
#[derive(Debug)]
pub(super) struct Lane {
    /// The place of the first, and of the one to be added next; where a chunk ends, that is in another one.
    head: usize,
    tail: usize,
    /// Time of the first; after all times if there is none.
    first_at: Time,
    /// Time of the last; before all times if there is none.
    last_at: Time,
}

impl Lane {
    pub(super) const EMPTY: Self = Self { head: 0, tail: 0, first_at: Time::MAX, last_at: Time::ZERO };

    /// Time of the first event; [`Time::MAX`] if there is none.
    #[inline(always)]
    pub(super) const fn first_at(&self) -> Time {
        self.first_at
    }

    /// Whether an event would be the last.
    #[inline(always)]
    pub(super) fn ends_before(&self, at: Time) -> bool {
        self.last_at < at
    }

    /// Adds the last event.
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

    /// The events that are known to be next, as far as they lie together: at least the first, if there is one.
    #[inline(always)]
    pub(super) fn ahead<'a>(&self, chunks: &'a Chunks) -> &'a [Event] {
        if self.first_at == Time::MAX {
            return &[];
        }
        let chunk_end = (self.head / CHUNK + 1) * CHUNK;
        let ends_here = self.head < self.tail && self.tail <= chunk_end;
        &chunks.events[self.head..if ends_here { self.tail } else { chunk_end }]
    }

    /// Takes the first event; there is one.
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

/// Events of a round to come, in the order in which they came up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    /// Its first chunk, and how many events there are.
    first: u32,
    pub(super) count: u32,
    /// The place of the next; where a chunk ends, that is in another one.
    tail: u32,
    /// They are not in order of time.
    pub(super) out_of_order: bool,
    /// Time of the last.
    last_at: Time,
}

impl Bucket {
    pub(super) const EMPTY: Self = Self { first: 0, count: 0, tail: 0, out_of_order: false, last_at: Time::ZERO };

    /// Adds an event, in its place as long as that is little work.
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

    /// The last event, which came late, goes to where it belongs, if that is in the last chunk.
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

    /// Moves its events to a list, in order.
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
