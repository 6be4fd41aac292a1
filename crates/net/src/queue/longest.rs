//! Finds the longest of many queues, which loses packets when the limit of all queues together is exceeded.
//!
//! The length of a queue is its number of bytes. Of several longest queues, the one that is served first loses packets. The
//! publications leave ties open (McKenney 1990; RFC 8290, section 4.1). In Linux they depend on the implementation:
//! `fq_codel_drop` takes the first queue of its table, `cake_drop` the one that its heap happens to have at the top.
//!
//! A heap contains an upper bound for each queue with packets. Only a queue that grows changes its bound at once; the bound
//! of any other queue is corrected when it reaches the top, so sending a packet costs nothing here. The heap is empty as
//! long as the limit is not exceeded, and again some time afterwards.

use std::cmp::Reverse;

/// The length of a queue: its bytes and its turn. The greatest is the longest queue.
type Length = (u64, Reverse<u64>);

/// Queues that grow without an overflow before the heap is emptied, per entry and in any case.
const PATIENCE: (usize, usize) = (4, 64);

/// Turns of queues in the list *old* have this bit.
const OLD: u64 = 1 << 63;

/// A binary heap of the lengths of queues, which are in two lists: *new* is served before *old*. The heap is either empty
/// or has an entry for each queue with packets.
#[derive(Debug, Default)]
pub(super) struct Longest {
    /// At least the length of each queue, and its number.
    heap: Vec<(Length, u32)>,
    /// Position in the heap of each queue that has an entry, and the turn of each queue in a list: the order of their
    /// service. Outdated while the heap is empty.
    places: Vec<(u32, u64)>,
    /// Number of turns given so far.
    turns: u64,
    /// Number of queues that have grown since the last overflow.
    grown: usize,
}

impl Longest {
    /// Whether lengths are compared. Otherwise, the other methods except [`find`](Self::find) have no effect.
    #[inline(always)]
    pub(super) const fn is_active(&self) -> bool {
        !self.heap.is_empty()
    }

    /// Notes that a queue without packets has joined the end of the list *new*.
    #[inline(always)]
    pub(super) fn join_new(&mut self, queue: u32) {
        if self.is_active() {
            self.take_turn(queue, 0);
        }
    }

    /// Notes that a queue has joined the end of the list *old*.
    #[inline(always)]
    pub(super) fn join_old(&mut self, queue: u32) {
        if self.is_active() {
            self.take_turn(queue, OLD);
        }
    }

    /// Notes that a queue has grown to this number of bytes.
    #[inline(always)]
    pub(super) fn grow(&mut self, queue: u32, bytes: u64) {
        if self.is_active() {
            self.raise(queue, bytes);
        }
    }

    fn take_turn(&mut self, queue: u32, list: u64) {
        self.turns += 1;
        self.places[queue as usize].1 = self.turns | list;
    }

    #[inline(never)]
    fn raise(&mut self, queue: u32, bytes: u64) {
        self.grown += 1;
        if self.grown > PATIENCE.0 * self.heap.len() + PATIENCE.1 {
            self.heap.clear();
            return;
        }
        let (position, turn) = self.places[queue as usize];
        let length = (bytes, Reverse(turn));
        match self.heap.get_mut(position as usize) {
            Some((bound, known)) if *known == queue => {
                if length > *bound {
                    *bound = length;
                    self.move_up(position as usize);
                }
            }
            _ => self.add(queue, length),
        }
    }

    /// The longest of `count` queues; `None` if all are empty. `bytes` is the size of a queue, `new` and `old` are the
    /// lists.
    pub(super) fn find(
        &mut self,
        count: usize,
        bytes: impl Fn(u32) -> u64,
        new: impl Iterator<Item = u32>,
        old: impl Iterator<Item = u32>,
    ) -> Option<u32> {
        self.grown = 0;
        if self.heap.is_empty() {
            self.places.resize(count, (0, 0));
            for (queue, list) in new.map(|queue| (queue, 0)).chain(old.map(|queue| (queue, OLD))) {
                self.take_turn(queue, list);
                self.add(queue, self.length(queue, &bytes));
            }
        }
        loop {
            let (bound, queue) = *self.heap.first()?;
            let length = self.length(queue, &bytes);
            if length.0 == 0 {
                self.heap.swap_remove(0);
            } else if length == bound {
                return Some(queue);
            } else {
                self.heap[0].0 = length;
            }
            self.move_down();
        }
    }

    fn length(&self, queue: u32, bytes: impl Fn(u32) -> u64) -> Length {
        (bytes(queue), Reverse(self.places[queue as usize].1))
    }

    fn add(&mut self, queue: u32, length: Length) {
        self.heap.push((length, queue));
        self.move_up(self.heap.len() - 1);
    }

    /// Moves the entry at a position towards the top, to its place.
    fn move_up(&mut self, mut position: usize) {
        let entry = self.heap[position];
        while position > 0 && self.heap[(position - 1) / 2] < entry {
            let parent = (position - 1) / 2;
            self.put(position, self.heap[parent]);
            position = parent;
        }
        self.put(position, entry);
    }

    /// Moves the entry at the top away from it, to its place.
    fn move_down(&mut self) {
        let Some(&entry) = self.heap.first() else { return };
        let mut position = 0;
        loop {
            let children = 2 * position + 1..self.heap.len().min(2 * position + 3);
            let Some(child) = children.max_by_key(|child| self.heap[*child]) else { break };
            if self.heap[child] <= entry {
                break;
            }
            self.put(position, self.heap[child]);
            position = child;
        }
        self.put(position, entry);
    }

    fn put(&mut self, position: usize, entry: (Length, u32)) {
        self.heap[position] = entry;
        self.places[entry.1 as usize].0 = position as u32;
    }

    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.heap.capacity() * size_of::<(Length, u32)>() + self.places.capacity() * size_of::<(u32, u64)>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    const COUNT: u32 = 12;

    /// Queues in two lists.
    #[derive(Debug, Default)]
    struct Queues {
        bytes: [u64; COUNT as usize],
        new: VecDeque<u32>,
        old: VecDeque<u32>,
        longest: Longest,
    }

    impl Queues {
        fn grow(&mut self, queue: u32, bytes: u64) {
            if !self.new.contains(&queue) && !self.old.contains(&queue) {
                self.new.push_back(queue);
                self.longest.join_new(queue);
            }
            self.bytes[queue as usize] += bytes;
            self.longest.grow(queue, self.bytes[queue as usize]);
        }

        /// The first queue of a list goes to the end of *old*, or leaves if it is empty.
        fn serve(&mut self) {
            let Some(queue) = self.new.pop_front().or_else(|| self.old.pop_front()) else { return };
            if self.bytes[queue as usize] > 0 {
                self.old.push_back(queue);
                self.longest.join_old(queue);
            }
        }

        fn find(&mut self) -> Option<u32> {
            let Self { bytes, new, old, longest } = self;
            longest.find(COUNT as usize, |queue| bytes[queue as usize], new.iter().copied(), old.iter().copied())
        }

        /// The same, looked up in all queues.
        fn search(&self) -> Option<u32> {
            let bytes = |queue: &u32| self.bytes[*queue as usize];
            let listed = self.new.iter().chain(&self.old).copied().filter(|queue| bytes(queue) > 0);
            listed.rev().max_by_key(bytes)
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Grow(u32, u64),
        Shrink(u32, u64),
        Serve,
        Find,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            6 => (0..COUNT, 1_u64..4).prop_map(|(queue, bytes)| Step::Grow(queue, bytes)),
            4 => (0..COUNT, 1_u64..9).prop_map(|(queue, bytes)| Step::Shrink(queue, bytes)),
            3 => Just(Step::Serve),
            1 => Just(Step::Find),
        ];
        prop::collection::vec(step, 1..1_000)
    }

    proptest! {
        /// Queues grow, shrink, and move from list to list.
        ///
        /// Validates: the longest queue is found, of several the one that is served first; a queue has one entry in the heap
        ///   at most.
        /// Source: a search of all queues.
        /// Tolerance: exact.
        #[test]
        fn the_longest_queue_is_found_as_by_a_search(steps in steps()) {
            let mut queues = Queues::default();
            for step in steps.into_iter().chain([Step::Find]) {
                match step {
                    Step::Grow(queue, bytes) => queues.grow(queue, bytes),
                    Step::Shrink(queue, bytes) => {
                        let left = &mut queues.bytes[queue as usize];
                        *left = left.saturating_sub(bytes);
                    }
                    Step::Serve => queues.serve(),
                    Step::Find => prop_assert_eq!(queues.find(), queues.search()),
                }
                prop_assert!(queues.longest.heap.len() <= COUNT as usize);
            }
        }
    }

    #[test]
    fn lengths_are_compared_only_for_a_while_after_an_overflow() {
        let mut queues = Queues::default();
        queues.grow(1, 1);
        assert!(!queues.longest.is_active());
        assert_eq!(queues.find(), Some(1));
        for grown in 0..PATIENCE.0 + PATIENCE.1 {
            assert!(queues.longest.is_active(), "{grown}");
            queues.grow(1, 1);
        }
        queues.grow(1, 1);
        assert!(!queues.longest.is_active());
        assert_eq!(queues.find(), Some(1));
    }
}
