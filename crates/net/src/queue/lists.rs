//! The lists *new* and *old* of FQ-CoDel and CAKE (RFC 8290, section 4.2): the order in which a deficit round robin serves
//! their queues.
//!
//! Queues of *new* are served before those of *old*. A list is a circle of links from queue to queue, so the first queue of
//! *old* becomes its last one when the circle turns.

use super::longest::Longest;

/// Both lists. A queue is in one of them or in none.
#[derive(Debug)]
pub(super) struct Lists {
    /// The queue after each queue of a list; after the last one comes the first one.
    next: Box<[u32]>,
    new: List,
    old: List,
    longest: Longest,
}

#[derive(Clone, Copy, Debug, Default)]
struct List {
    /// Number of queues.
    len: u32,
    /// The last queue, if there are any.
    last: u32,
}

impl List {
    fn push(&mut self, next: &mut [u32], queue: u32) {
        if self.len == 0 {
            next[queue as usize] = queue;
        } else {
            next[queue as usize] = std::mem::replace(&mut next[self.last as usize], queue);
        }
        (self.len, self.last) = (self.len + 1, queue);
    }

    /// Removes the first queue; the list must have one.
    fn pop(&mut self, next: &mut [u32]) -> u32 {
        let first = next[self.last as usize];
        next[self.last as usize] = next[first as usize];
        self.len -= 1;
        first
    }

    fn iter(self, next: &[u32]) -> impl Iterator<Item = u32> {
        let mut at = self.last;
        (0..self.len).map(move |_| {
            at = next[at as usize];
            at
        })
    }
}

impl Lists {
    /// Empty lists of queues with numbers below `count`.
    pub(super) fn new(count: usize) -> Self {
        Self { next: vec![0; count].into(), new: List::default(), old: List::default(), longest: Longest::default() }
    }

    /// The queue that is served first, and whether it is in the list *new*.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<(u32, bool)> {
        let is_new = self.new.len > 0;
        let list = if is_new { self.new } else { self.old };
        (list.len > 0).then(|| (self.next[list.last as usize], is_new))
    }

    /// Puts a queue, which is in no list, at the end of the list *new*.
    #[inline(always)]
    pub(super) fn join_new(&mut self, queue: u32) {
        self.new.push(&mut self.next, queue);
        self.longest.join_new(queue);
    }

    /// Puts the first queue at the end of the list *old*.
    #[inline(always)]
    pub(super) fn defer_first(&mut self) {
        let queue = if self.new.len > 0 { self.age_first() } else { self.next[self.old.last as usize] };
        self.old.last = queue;
        self.longest.join_old(queue);
    }

    /// Puts the first queue of the list *new* at the end of the list *old*.
    #[inline(never)]
    fn age_first(&mut self) -> u32 {
        let queue = self.new.pop(&mut self.next);
        self.old.push(&mut self.next, queue);
        queue
    }

    /// Puts the first queue of the list *old* at its end, as long as `ends` says so.
    #[inline(always)]
    pub(super) fn turn_old(&mut self, mut ends: impl FnMut(u32) -> bool) {
        let Self { next, old, longest, .. } = self;
        if old.len == 0 {
            return;
        }
        let mut last = old.last;
        loop {
            let first = next[last as usize];
            if !ends(first) {
                break;
            }
            longest.join_old(first);
            last = first;
        }
        old.last = last;
    }

    /// Removes the first queue, which has no packets; but one of the list *new* goes to the list *old* if others are
    /// there. Returns whether the queue is in no list.
    #[inline(always)]
    pub(super) fn retire_first(&mut self) -> bool {
        let is_new = self.new.len > 0;
        if is_new && self.old.len > 0 {
            self.defer_first();
            return false;
        }
        if is_new { &mut self.new } else { &mut self.old }.pop(&mut self.next);
        true
    }

    /// Notes that a queue has grown to this number of bytes.
    #[inline(always)]
    pub(super) fn grow(&mut self, queue: u32, bytes: u64) {
        self.longest.grow(queue, bytes);
    }

    /// The queue with the most bytes; of several, the one that is served first. `None` if all are empty.
    pub(super) fn longest(&mut self, bytes: impl Fn(u32) -> u64) -> Option<u32> {
        let Self { next, new, old, longest } = self;
        longest.find(next.len(), bytes, new.iter(next), old.iter(next))
    }

    /// Removes all queues from the lists.
    pub(super) fn clear(&mut self) {
        (self.new.len, self.old.len) = (0, 0);
    }

    /// All queues in the order of their service.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.new.iter(&self.next).chain(self.old.iter(&self.next))
    }

    /// Number of queues in the lists *new* and *old*.
    pub(super) const fn counts(&self) -> (u32, u32) {
        (self.new.len, self.old.len)
    }

    /// Memory of an empty list per queue, in bytes.
    pub(super) const BYTES_OF_QUEUE: usize = size_of::<u32>();

    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&self.next[..]) + self.longest.memory()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Queues join, move and leave at random.
        ///
        /// Validates: the order of service is that of two plain lists.
        /// Source: RFC 8290, section 4.2.
        /// Tolerance: exact.
        #[test]
        fn queues_are_served_in_the_order_of_two_lists(steps in prop::collection::vec(0_u32..16, 1..300)) {
            let (mut lists, mut new, mut old) = (Lists::new(8), VecDeque::new(), VecDeque::new());
            for step in steps {
                let is_new = !new.is_empty();
                match step {
                    0..8 if !new.contains(&step) && !old.contains(&step) => {
                        lists.join_new(step);
                        new.push_back(step);
                    }
                    8..12 if lists.first().is_some() => {
                        lists.defer_first();
                        let first = if is_new { new.pop_front() } else { old.pop_front() };
                        old.extend(first);
                    }
                    12 => {
                        let mut left = old.len() / 2;
                        lists.turn_old(|queue| {
                            let turns = left > 0 && old.front() == Some(&queue);
                            if turns {
                                old.rotate_left(1);
                                left -= 1;
                            }
                            turns
                        });
                    }
                    13..15 if lists.first().is_some() => {
                        let stays = is_new && !old.is_empty();
                        prop_assert_eq!(lists.retire_first(), !stays);
                        let first = if is_new { new.pop_front() } else { old.pop_front() };
                        old.extend(first.filter(|_| stays));
                    }
                    15 => {
                        lists.clear();
                        new.clear();
                        old.clear();
                    }
                    _ => {}
                }
                prop_assert!(lists.iter().eq(new.iter().chain(&old).copied()));
                prop_assert_eq!(lists.counts(), (new.len() as u32, old.len() as u32));
                let first = new.front().or(old.front());
                prop_assert_eq!(lists.first(), first.map(|queue| (*queue, !new.is_empty())));
            }
        }
    }
}
