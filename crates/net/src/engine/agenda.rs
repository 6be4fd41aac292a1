//! The pending events of all components, in time order, round by round.
//!
//! Time is divided into *rounds* of equal length. Each component has a *bucket* for each of the next rounds, and a new
//! event is appended to the bucket of its round. When a round begins, the events in its buckets are put in order
//! (`order.rs`): one word per event is sorted, and the events stay in memory where they are (`chunks.rs`). The order
//! states early which events come next, so that their data can be prefetched.
//!
//! The rounds of a component may begin earlier than those of others by a constant *skew* (`network/components.rs`). Where a
//! run stops for a look at its state, components are in different rounds; their rest returns to the buckets, and the
//! first of these rounds begins again.
//!
//! Events that a component schedules for itself within the current round are put in order one by one. Most components
//! have at most one of them at a time, such as the end of a transmission, and its place in memory is fixed. Further
//! ones, and events too far in the future to have a bucket, are rare and wait in heaps.

mod busy;
mod chunks;
mod order;
#[cfg(test)]
mod tests;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use ackclock_units::Time;

use crate::engine::event::{Event, Key, Targets};
use busy::Busy;
use chunks::{Chunks, Cursor};
use order::{List, Scratch};

/// Number of components up to which rounds may be skewed; a power of two, so that the skew is found without a check.
pub(crate) const MOST_SKEWED: usize = 1 << 6;

/// Division of time into rounds of `2^bits` ps. `ahead`, a power of two, is the number of rounds with their own bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounds {
    pub(crate) bits: u32,
    pub(crate) ahead: usize,
}

impl Rounds {
    /// The round that contains a time.
    #[inline(always)]
    pub(crate) const fn of(self, at: Time) -> u64 {
        at.as_picos() >> self.bits
    }

    /// Number of rounds by which components with these skews may be in different rounds, and to which a stop may return.
    pub(crate) fn skewed_by(self, skews: &[Time]) -> u64 {
        match skews.iter().max() {
            Some(most) if *most > Time::ZERO => self.of(*most) + 2,
            _ => 0,
        }
    }

    /// End of a round.
    pub(crate) const fn end(self, round: u64) -> Time {
        Time::from_picos(1 << self.bits).saturating_mul(round + 1)
    }
}

/// The pending events. All methods that do not name a component concern the [running](Self::switch) one.
#[derive(Debug)]
pub(crate) struct Agenda {
    rounds: Rounds,
    /// By how much earlier the rounds of each component begin, in picoseconds. With more than [`MOST_SKEWED`] components, no
    /// component has a skew.
    skews: [u64; MOST_SKEWED],
    /// Number of rounds from `next` on to which events may be added: without those to which a run may
    /// [return](Self::rewind).
    room: u64,
    /// Number of the round after the current one.
    next: u64,
    /// The buckets of each component, in a ring: one for each of the rounds from `next` on.
    buckets: Vec<Cursor>,
    busy: Busy,
    chunks: Chunks,
    /// Events of rounds that have no bucket yet.
    far: BinaryHeap<Reverse<Far>>,
    /// The running component, its current round, and the current rounds of all others.
    component: Option<usize>,
    running: Box<Current>,
    /// The events of rounds that have ended for other components only, because the run stops before them.
    left: Vec<(usize, Event)>,
    #[expect(clippy::vec_box, reason = "components are switched by swapping boxes")]
    others: Vec<Box<Current>>,
    scratch: Scratch,
}

/// The events of a component in the current round.
#[derive(Debug)]
struct Current {
    /// The events known when the round began, in order, of which the first `taken` are taken; and the time of the next
    /// one, [`Time::MAX`] if there is none.
    words: Vec<u64>,
    taken: usize,
    next_known: Time,
    /// Number of rounds for which many events are probably not added in order.
    dealt: u8,
    /// The events added since: the time of one of them, usually the earliest one, and [`Time::MAX`] if there is none; and
    /// the rest. The one stays at [`home`](Self::home), and its key is computed only where times are equal.
    single: Time,
    new: BinaryHeap<Reverse<New>>,
    /// Time of the next event added since, [`Time::MAX`] if there is none.
    next_new: Time,
    /// Place of the single event.
    home: u32,
    /// The memory of the others: chunks, and the list of the added ones.
    chunks: Vec<u32>,
    added: Cursor,
}

/// The place of an event added in its own round. The heap is ordered by keys.
#[derive(Debug)]
struct New {
    key: Key,
    place: u32,
}

/// An event of a distant round. The heap is ordered by rounds.
#[derive(Debug)]
struct Far {
    round: u64,
    component: usize,
    event: Event,
}

impl Agenda {
    /// An agenda whose first round has yet to [begin](Self::begin), with a skew for each component.
    pub(crate) fn new(skews: &[Time], rounds: Rounds) -> Self {
        let (components, returns) = (skews.len(), rounds.skewed_by(skews));
        assert!(returns == 0 || components <= MOST_SKEWED, "only few components have skews");
        Self {
            rounds,
            skews: std::array::from_fn(|component| skews.get(component).map_or(0, |skew| skew.as_picos())),
            room: rounds.ahead as u64 - returns,
            next: 0,
            buckets: vec![Cursor::default(); components * rounds.ahead],
            busy: Busy::new(rounds.ahead),
            chunks: Chunks::reserving(components),
            far: BinaryHeap::new(),
            component: None,
            running: Box::new(Current::empty(0)),
            left: Vec::new(),
            others: (0..components as u32).map(|home| Box::new(Current::empty(home))).collect(),
            scratch: Scratch::new(),
        }
    }

    /// Number of components.
    pub(crate) const fn components(&self) -> usize {
        self.others.len()
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.buckets.capacity() * size_of::<Cursor>()
            + self.busy.memory()
            + self.chunks.memory()
            + self.far.capacity() * size_of::<Far>()
            + self.left.capacity() * size_of::<(usize, Event)>()
            + self.others.iter().map(|current| current.memory()).sum::<usize>()
    }

    /// By how much earlier the rounds of a component begin.
    pub(crate) fn skew(&self, component: usize) -> Time {
        Time::from_picos(self.skews[component % MOST_SKEWED])
    }

    /// The largest skew.
    pub(crate) fn most_skew(&self) -> Time {
        self.skews.iter().max().map_or(Time::ZERO, |most| Time::from_picos(*most))
    }

    /// The round of a component that contains a time.
    #[inline(always)]
    fn round_of(&self, component: usize, at: Time) -> u64 {
        at.as_picos().saturating_add(self.skews[component % MOST_SKEWED]) >> self.rounds.bits
    }

    /// Index of a component's bucket for a round.
    #[inline(always)]
    const fn bucket(&self, component: usize, round: u64) -> usize {
        component * self.rounds.ahead + (round as usize & (self.rounds.ahead - 1))
    }

    /// Adds an event at `at` to its bucket. Returns the memory to which the event must be written, or `None` if its
    /// round has no bucket: then the event must be [added to a heap](Self::add_to_heap).
    #[inline(always)]
    pub(crate) fn add(&mut self, component: usize, at: Time) -> Option<&mut Event> {
        let round = self.round_of(component, at);
        // for the current round, the difference wraps around to the maximum
        if round.wrapping_sub(self.next) >= self.room {
            return None;
        }
        Some(self.push(component, round))
    }

    /// Appends an event to a bucket. Returns its memory.
    #[inline(always)]
    fn push(&mut self, component: usize, round: u64) -> &mut Event {
        let bucket = self.bucket(component, round);
        let place = self.buckets[bucket].advance().unwrap_or_else(|| self.open(bucket, round));
        self.chunks.at_mut(place)
    }

    /// Appends an event to a bucket whose last chunk has no room. Returns its place.
    #[inline(never)]
    fn open(&mut self, bucket: usize, round: u64) -> u32 {
        self.busy.set(round);
        self.buckets[bucket].open(&mut self.chunks)
    }

    /// The same, also for a running component's event of the current round, if the place of the earliest event is free.
    #[inline(always)]
    pub(crate) fn add_own(&mut self, component: usize, at: Time) -> Option<&mut Event> {
        if self.round_of(component, at) >= self.next || self.running.single != Time::MAX {
            return self.add(component, at);
        }
        let Current { single, next_new, home, .. } = &mut *self.running;
        debug_assert_eq!(self.component, Some(component), "only the running component adds to the current round");
        *single = at;
        *next_new = at.min(*next_new);
        Some(self.chunks.at_mut(*home))
    }

    /// Adds an event whose round has no bucket: because the round is the current one, in which components have no
    /// events for others, or because it is too far in the future.
    pub(crate) fn add_to_heap(&mut self, component: usize, event: Event, targets: Targets<'_>) {
        let round = self.round_of(component, event.at);
        if round < self.next {
            debug_assert_eq!(self.component, Some(component), "only the running component adds to the current round");
            let Current { new, next_new, single, home, added, .. } = &mut *self.running;
            *next_new = event.at.min(*next_new);
            // the earliest one is the single event: usually, another one follows it in this round
            let mut later = event;
            if event.at < *single {
                later = std::mem::replace(self.chunks.at_mut(*home), event);
                if std::mem::replace(single, event.at) == Time::MAX {
                    return;
                }
            }
            let place = added.push(&mut self.chunks);
            *self.chunks.at_mut(place) = later;
            new.push(Reverse(New { key: later.key(targets), place }));
        } else {
            self.far.push(Reverse(Far { round, component, event }));
        }
    }

    /// Makes a component the running one, or ends that.
    pub(crate) fn switch(&mut self, component: usize) {
        debug_assert!(self.component.is_none_or(|running| running == component), "one component runs at a time");
        self.component = if self.component.is_none() { Some(component) } else { None };
        std::mem::swap(&mut self.running, &mut self.others[component]);
    }

    /// The running component; a component must be running.
    pub(crate) fn running(&self) -> usize {
        debug_assert!(self.component.is_some(), "a component is running");
        self.component.unwrap_or_default()
    }

    /// Whether all events of the current round are after `at`.
    #[inline(always)]
    pub(crate) fn is_quiet_until(&self, at: Time) -> bool {
        at < self.running.next_known && at < self.running.next_new
    }

    /// Whether the next event, if there is one, was known when the round began.
    #[inline(always)]
    pub(crate) fn is_next_known(&self) -> bool {
        self.running.next_known < self.running.next_new
    }

    /// Whether an event added in the current round is at or before `at`.
    #[inline(always)]
    pub(crate) fn has_new(&self, at: Time) -> bool {
        self.running.next_new <= at
    }

    /// Whether an event added in the current round is before `at`.
    #[inline(always)]
    pub(crate) fn has_new_before(&self, at: Time) -> bool {
        self.running.next_new < at
    }

    /// Takes the next event, which was known when the round began, if it is before `end`. Returns its place.
    #[inline(always)]
    pub(crate) fn take_known(&mut self, end: Time) -> Option<u32> {
        if self.running.next_known < end { self.running.take_known(&self.chunks) } else { None }
    }

    /// Takes the single event added in the current round, if it comes before all others. Returns its place.
    #[inline(always)]
    pub(crate) fn take_single(&mut self) -> Option<u32> {
        self.running.take_single()
    }

    /// Takes the next event when it may be one added in the current round.
    pub(crate) fn take_any(&mut self, end: Time, targets: Targets<'_>) -> Option<u32> {
        let Self { running, chunks, .. } = self;
        if running.next_new >= end {
            return None;
        }
        // keys are computed only where times are equal: a key is a hash
        if running.next_new == running.next_known {
            let new = running.next_new(chunks, targets)?;
            if running.words.get(running.taken).is_some_and(|word| chunks.at(*word as u32).key(targets) < new) {
                return running.take_known(chunks);
            }
        }
        running.take_single().or_else(|| running.take_new(chunks, targets))
    }

    /// The event at a place.
    #[inline(always)]
    pub(crate) fn event(&self, place: u32) -> &Event {
        self.chunks.at(place)
    }

    /// Lends the words of the events known when the round began, in order, and the number of events taken. The lower
    /// half of a word is the place of an event. The caller changes the agenda while it goes through them.
    pub(crate) fn lend(&mut self) -> (Vec<u64>, usize) {
        (std::mem::take(&mut self.running.words), self.running.taken)
    }

    /// Takes the words back after `taken` events have been taken.
    pub(crate) fn take_back(&mut self, words: Vec<u64>, taken: usize) {
        (self.running.words, self.running.taken) = (words, taken);
        self.running.find_next(&self.chunks);
    }

    /// Words of the next events known when the round began.
    pub(crate) fn ahead(&self) -> &[u64] {
        &self.running.words[self.running.taken..]
    }

    /// Ends the current round and begins the next one that has events, but none after round `last`. Returns its number.
    pub(crate) fn begin_next(&mut self, last: u64, targets: Targets<'_>) -> u64 {
        let far = self.far.peek().map_or(last, |Reverse(far)| far.round.min(last));
        let round = self.busy.first(self.next, far.min(self.next + self.rounds.ahead as u64)).unwrap_or(far);
        self.begin(round, targets);
        round
    }

    /// Ends the current round and begins `round`. There must be no events of rounds in between.
    pub(crate) fn begin(&mut self, round: u64, targets: Targets<'_>) {
        while self.far.peek().is_some_and(|Reverse(far)| far.round == round)
            && let Some(Reverse(Far { component, event, .. })) = self.far.pop()
        {
            *self.push(component, round) = event;
        }
        self.busy.clear(round);
        for component in 0..self.components() {
            let bucket = self.bucket(component, round);
            let cursor = std::mem::take(&mut self.buckets[bucket]);
            let Self { chunks, scratch, skews, left, .. } = self;
            self.others[component].leave(|place| left.push((component, *chunks.at(place))));
            let Current { words, taken, dealt, chunks: ids, added, .. } = &mut *self.others[component];
            // the events of the round that ends have stayed in place until now
            chunks.append_ids(std::mem::take(added), ids);
            chunks.free(ids);
            *taken = 0;
            words.clear();
            if !cursor.is_empty() {
                chunks.append_ids(cursor, ids);
                List { chunks, ids, cursor, bits: self.rounds.bits, skew: skews[component % MOST_SKEWED] }
                    .sort(words, dealt, scratch, targets);
            }
            self.others[component].find_next(&self.chunks);
        }
        self.next = round + 1;
    }

    /// Begins `round` again, before which no events are left. Those that are left return to their buckets.
    pub(crate) fn rewind(&mut self, round: u64, targets: Targets<'_>) {
        let Self { chunks, others, .. } = self;
        let mut left = std::mem::take(&mut self.left);
        for (component, current) in others.iter_mut().enumerate() {
            current.leave(|place| left.push((component, *chunks.at(place))));
        }
        for (component, event) in left.drain(..) {
            *self.push(component, self.round_of(component, event.at)) = event;
        }
        self.left = left;
        self.begin(round, targets);
    }
}

impl Current {
    /// The events of a component whose single event stays at `home`.
    const fn empty(home: u32) -> Self {
        Self {
            words: Vec::new(),
            taken: 0,
            next_known: Time::MAX,
            dealt: 0,
            single: Time::MAX,
            new: BinaryHeap::new(),
            next_new: Time::MAX,
            home,
            chunks: Vec::new(),
            added: Cursor::EMPTY,
        }
    }

    /// Memory in bytes.
    fn memory(&self) -> usize {
        size_of::<Self>()
            + self.words.capacity() * size_of::<u64>()
            + self.new.capacity() * size_of::<New>()
            + self.chunks.capacity() * size_of::<u32>()
    }

    /// Gives the places of all events that are left, and forgets them.
    fn leave(&mut self, mut give: impl FnMut(u32)) {
        if self.taken < self.words.len() {
            self.words.drain(self.taken..).for_each(|word| give(word as u32));
        }
        if self.next_new < Time::MAX {
            if self.single < Time::MAX {
                give(self.home);
            }
            self.new.drain().for_each(|Reverse(new)| give(new.place));
            (self.single, self.next_new) = (Time::MAX, Time::MAX);
        }
    }

    /// Takes the next event known when the round began. Returns its place.
    #[inline(always)]
    fn take_known(&mut self, chunks: &Chunks) -> Option<u32> {
        let word = *self.words.get(self.taken)?;
        self.taken += 1;
        self.find_next(chunks);
        Some(word as u32)
    }

    /// The key of the next event added in the round.
    fn next_new(&self, chunks: &Chunks, targets: Targets<'_>) -> Option<Key> {
        let single = (self.single != Time::MAX).then(|| chunks.at(self.home).key(targets));
        let new = self.new.peek().map(|Reverse(new)| new.key);
        single.into_iter().chain(new).min()
    }

    /// Takes the single event added in the round, if it comes before all others. Returns its place.
    #[inline(always)]
    fn take_single(&mut self) -> Option<u32> {
        let next = self.next_in_heap();
        if self.single >= next {
            return None;
        }
        (self.single, self.next_new) = (Time::MAX, next);
        Some(self.home)
    }

    /// Time of the first of the events in the heap; [`Time::MAX`] if there is none.
    #[inline(always)]
    fn next_in_heap(&self) -> Time {
        self.new.peek().map_or(Time::MAX, |Reverse(new)| new.key.at)
    }

    /// Takes the next of the events added in the round, of which the single one is not before all others. Returns its place.
    #[inline(never)]
    fn take_new(&mut self, chunks: &Chunks, targets: Targets<'_>) -> Option<u32> {
        let first = self.new.peek().map(|Reverse(new)| new.key)?;
        let taken = if self.single == first.at && chunks.at(self.home).key(targets) < first {
            self.single = Time::MAX;
            Some(self.home)
        } else {
            self.new.pop().map(|Reverse(new)| new.place)
        };
        self.next_new = self.next_in_heap().min(self.single);
        taken
    }

    /// Sets the time of the next event known when the round began.
    #[inline(always)]
    fn find_next(&mut self, chunks: &Chunks) {
        self.next_known = self.words.get(self.taken).map_or(Time::MAX, |word| chunks.at(*word as u32).at);
    }
}

/// Implements the order of heap entries.
macro_rules! order_by {
    ($entry:ty, $($key:ident).+) => {
        impl Ord for $entry {
            fn cmp(&self, other: &Self) -> Ordering {
                self.$($key).+.cmp(&other.$($key).+)
            }
        }

        impl PartialOrd for $entry {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl PartialEq for $entry {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $entry {}
    };
}

order_by!(New, key);
order_by!(Far, round);
