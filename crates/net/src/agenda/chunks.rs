//! Where the events of rounds to come are kept: many lists, of any length, in one memory.
//!
//! A list is a chain of chunks. What one lets go of is what the next one gets, so that nothing is allocated for an event, and
//! what is under way, and little more, takes up memory.

use ackclock_units::Time;

use crate::event::Event;

/// Events in a chunk, a power of two: few enough that short lists waste little, enough that long ones have few chunks.
const CHUNK: usize = 32;

/// Events of a round to come, in the order in which they came up: a chain of chunks in the agenda's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    first: u32,
    last: u32,
    pub(super) count: u32,
    /// They are not in order of time.
    pub(super) out_of_order: bool,
    /// Time of the last.
    last_at: Time,
}

impl Chain {
    pub(super) const EMPTY: Self = Self { first: 0, last: 0, count: 0, out_of_order: false, last_at: Time::ZERO };
}

/// Events next to each other, and the chunk that follows in their chain.
#[derive(Clone, Debug)]
struct Chunk {
    events: [Event; CHUNK],
    next: u32,
}

/// The memory of many chains, and the chunks that none of them has.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    chunks: Vec<Chunk>,
    free: Vec<u32>,
}

impl Chunks {
    /// Adds an event at the end of a chain. Returns its place in the last chunk.
    #[inline(always)]
    pub(super) fn add_unordered(&mut self, chain: &mut Chain, event: Event) -> usize {
        let place = chain.count as usize % CHUNK;
        if place == 0 {
            self.extend(chain);
        }
        chain.count += 1;
        self.chunks[chain.last as usize].events[place] = event;
        place
    }

    /// Adds an event to a chain that is in order as long as that is little work.
    #[inline(always)]
    pub(super) fn add(&mut self, chain: &mut Chain, event: Event) {
        let at = event.at;
        let place = self.add_unordered(chain, event);
        if chain.last_at < at {
            chain.last_at = at;
        } else {
            self.put_in_place(chain, place);
        }
    }

    #[inline(never)]
    fn extend(&mut self, chain: &mut Chain) {
        let id = self.free.pop().unwrap_or(self.chunks.len() as u32);
        if id as usize == self.chunks.len() {
            self.chunks.push(Chunk { events: [Event::NONE; CHUNK], next: 0 });
        }
        if chain.count == 0 {
            chain.first = id;
        } else {
            self.chunks[chain.last as usize].next = id;
        }
        chain.last = id;
    }

    /// The last event of a chain, which came late, goes to where it belongs, if that is in this chunk.
    #[inline(never)]
    fn put_in_place(&mut self, chain: &mut Chain, mut place: usize) {
        let events = &mut self.chunks[chain.last as usize].events;
        let event = events[place];
        while place > 0 && event < events[place - 1] {
            events[place] = events[place - 1];
            place -= 1;
        }
        events[place] = event;
        chain.out_of_order |= place == 0;
    }

    /// Moves the events of a chain to the end of a list.
    pub(super) fn take(&mut self, chain: Chain, list: &mut Vec<Event>) {
        let (mut id, mut left) = (chain.first, chain.count as usize);
        while left > 0 {
            let chunk = &self.chunks[id as usize];
            list.extend_from_slice(&chunk.events[..left.min(CHUNK)]);
            self.free.push(id);
            (id, left) = (chunk.next, left.saturating_sub(CHUNK));
        }
    }
}
