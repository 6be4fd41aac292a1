//! What a component has to do, in order of time, one round after the other.
//!
//! Time is cut into *rounds*, all of one length. Most of what a component has to do in a round is known before the round begins,
//! since it comes from others, a delay ahead; it is kept in order as it comes, or put in order as the round begins. What the
//! component finds to do for itself in the round under way is kept apart, and that is little.

mod chunks;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ackclock_units::Time;

use crate::event::Event;
use crate::packet::{LinkId, Packet};
use chunks::{Chain, Chunks};

/// How time is cut: into rounds of `2^bits` ps, of which so many, a power of two, are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounds {
    pub(crate) bits: u32,
    pub(crate) ahead: usize,
}

impl Rounds {
    /// The round of an instant.
    #[inline(always)]
    pub(crate) const fn of(self, at: Time) -> u64 {
        at.as_picos() >> self.bits
    }

    /// When a round ends.
    pub(crate) const fn end(self, round: u64) -> Time {
        Time::from_picos(1 << self.bits).saturating_mul(round + 1)
    }
}

/// What is known of a round as it begins: the arrivals of packets, in order.
#[derive(Debug, Default)]
pub(crate) struct Round {
    events: Vec<Event>,
    /// How many of them are done.
    done: usize,
}

impl Round {
    /// The events before `end` that are yet to be handled.
    pub(crate) fn before(&self, end: Time) -> &[Event] {
        let left = &self.events[self.done..];
        // nearly always all of them: `end` is the end of the round
        if left.last().is_none_or(|last| last.at < end) {
            left
        } else {
            &left[..left.partition_point(|event| event.at < end)]
        }
    }

    /// They are done. Returns how many there were.
    pub(crate) fn are_done_before(&mut self, end: Time) -> u64 {
        let count = self.before(end).len();
        self.done += count;
        count as u64
    }
}

/// The events to come of one component.
#[derive(Debug)]
pub(crate) struct Agenda {
    rounds: Rounds,
    /// The number of the round under way, and what was known of it as it began.
    number: u64,
    round: Round,
    /// Its wake-ups that were known as well, the last one first, and the events that came up since.
    wakeups: Vec<Event>,
    new: BinaryHeap<Reverse<Event>>,
    /// When the first of those is due.
    next_other: Time,
    /// The rounds that follow, in a ring: arrivals and other wake-ups; and how many events they have.
    ring: Vec<(Chain, Chain)>,
    chunks: Chunks,
    near: usize,
    /// What lies beyond the ring.
    far: BinaryHeap<Reverse<Event>>,
}

impl Agenda {
    /// An agenda before its first round, which is to [begin](Self::begin).
    pub(crate) fn new(rounds: Rounds) -> Self {
        Self {
            rounds,
            number: u64::MAX,
            round: Round::default(),
            wakeups: Vec::new(),
            new: BinaryHeap::new(),
            next_other: Time::MAX,
            ring: vec![(Chain::EMPTY, Chain::EMPTY); rounds.ahead],
            chunks: Chunks::default(),
            near: 0,
            far: BinaryHeap::new(),
        }
    }

    /// Adds the arrival of a packet at the end of a link, not before the event last taken.
    #[inline(always)]
    pub(crate) fn add_arrival(&mut self, at: Time, link: LinkId, hop: u32, packet: &Packet) {
        // made where it is kept, since it is large
        match self.index(at) {
            Some(index) => self.chunks.add(&mut self.ring[index].0, Event::arrival(at, link, hop, packet)),
            None => self.add_apart(Event::arrival(at, link, hop, packet)),
        }
    }

    /// Adds another wake-up, not before the event last taken.
    pub(crate) fn add_wakeup(&mut self, event: Event) {
        if let Some(index) = self.index(event.at) {
            self.chunks.add_unordered(&mut self.ring[index].1, event);
        } else {
            self.add_apart(event);
        }
    }

    /// The place in the ring for an event to be added.
    #[inline(always)]
    fn index(&mut self, at: Time) -> Option<usize> {
        let number = self.rounds.of(at);
        // the round under way is, wrapped, the last of all numbers
        if number.wrapping_sub(self.number).wrapping_sub(1) >= self.ring.len() as u64 - 1 {
            return None;
        }
        self.near += 1;
        Some(number as usize & (self.ring.len() - 1))
    }

    /// Adds an event of the round under way, or a far one.
    #[inline(never)]
    fn add_apart(&mut self, event: Event) {
        if self.rounds.of(event.at) == self.number {
            self.next_other = self.next_other.min(event.at);
            self.new.push(Reverse(event));
        } else {
            self.far.push(Reverse(event));
        }
    }

    /// What was known of the round under way as it began; it is to be [put back](Self::put_back).
    pub(crate) fn take_round(&mut self) -> Round {
        std::mem::take(&mut self.round)
    }

    /// Puts back what is left of the round under way.
    pub(crate) fn put_back(&mut self, round: Round) {
        self.round = round;
    }

    /// When the next event of the round under way is due that is not among those.
    #[inline(always)]
    pub(crate) const fn next_other(&self) -> Time {
        self.next_other
    }

    fn find_next_other(&mut self) {
        let wakeup = self.wakeups.last().map_or(Time::MAX, |event| event.at);
        self.next_other = self.new.peek().map_or(wakeup, |Reverse(new)| new.at.min(wakeup));
    }

    /// Takes that event, if it comes before `known` and before `end`.
    #[inline(never)]
    pub(crate) fn take_other_before(&mut self, known: Option<&Event>, end: Time) -> Option<Event> {
        let (wakeup, new) = (self.wakeups.last(), self.new.peek().map(|Reverse(event)| event));
        let is_new = new.is_some_and(|new| wakeup.is_none_or(|wakeup| new < wakeup));
        let next = if is_new { new } else { wakeup }?;
        if next.at >= end || known.is_some_and(|known| known < next) {
            return None;
        }
        let next = if is_new { self.new.pop().map(|Reverse(event)| event) } else { self.wakeups.pop() };
        self.find_next_other();
        next
    }

    /// The next round that may have something to do.
    pub(crate) fn next_round(&self) -> Option<u64> {
        if self.near > 0 {
            return Some(self.number.wrapping_add(1));
        }
        self.far.peek().map(|Reverse(event)| self.rounds.of(event.at))
    }

    /// Whether there is nothing to do in a round to come, as early as [`next_round`](Self::next_round) or later by less than the
    /// ring is long.
    pub(crate) fn is_idle_in(&self, number: u64) -> bool {
        let (arrivals, wakeups) = &self.ring[number as usize & (self.ring.len() - 1)];
        let is_far = || self.far.peek().is_some_and(|Reverse(event)| self.rounds.of(event.at) == number);
        arrivals.count == 0 && wakeups.count == 0 && !is_far()
    }

    /// The last round is done, and the next one with something to do, or one before it, begins.
    pub(crate) fn begin(&mut self, number: u64) {
        self.number = number;
        let index = number as usize & (self.ring.len() - 1);
        let (arrivals, wakeups) = std::mem::replace(&mut self.ring[index], (Chain::EMPTY, Chain::EMPTY));
        self.near -= (arrivals.count + wakeups.count) as usize;
        let Round { events, done } = &mut self.round;
        *done = 0;
        events.clear();
        self.chunks.take(wakeups, &mut self.wakeups);
        self.wakeups.sort_unstable_by(|a, b| b.cmp(a));
        self.chunks.take(arrivals, events);
        if arrivals.out_of_order {
            events.sort_unstable();
        }
        while self.far.peek().is_some_and(|Reverse(event)| self.rounds.of(event.at) == number)
            && let Some(far) = self.far.pop()
        {
            self.new.push(far);
        }
        self.find_next_other();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::event::Wakeup;
    use crate::packet::FlowId;

    const ROUNDS: Rounds = Rounds { bits: 20, ahead: 16 };

    fn event(at: u64, id: u32) -> Event {
        Event::wakeup_of(FlowId(id), Time::from_picos(at), Wakeup::Release)
    }

    /// Takes the next event of the round under way before `end`.
    fn take_before(agenda: &mut Agenda, end: Time) -> Option<Event> {
        let next = agenda.round.before(Time::MAX).first().copied();
        if let Some(new) = agenda.take_other_before(next.as_ref(), end) {
            return Some(new);
        }
        let event = next.filter(|event| event.at < end)?;
        agenda.round.done += 1;
        Some(event)
    }

    /// All events until `end`, as they are taken in steps; for each the times at which further ones are added.
    fn take_all(agenda: &mut Agenda, end: u64, step: u64, mut more: impl FnMut(u64) -> Vec<Event>) -> Vec<Event> {
        let mut taken = Vec::new();
        let (mut now, mut number) = (0, 0);
        agenda.begin(0);
        while now < end {
            let round_end = ROUNDS.end(number).as_picos();
            now = (now + step).min(round_end);
            while let Some(event) = take_before(agenda, Time::from_picos(now)) {
                assert!(event.at.as_picos() < now);
                taken.push(event);
                for event in more(event.at.as_picos()) {
                    agenda.add_wakeup(event);
                }
            }
            if now == round_end {
                number = agenda.next_round().unwrap_or(number + 1);
                agenda.begin(number);
            }
        }
        taken
    }

    proptest! {
        #[test]
        fn events_are_taken_in_order_whatever_the_order_they_were_added_in(
            times in prop::collection::vec((0_u64..1 << 26, 0_u32..5), 1..300),
            step in 1_u64 << 14..1 << 24,
        ) {
            // many fall on one instant
            let mut expected: Vec<Event> = times.iter().map(|(at, id)| event(at >> 12 << 12, *id)).collect();
            let mut agenda = Agenda::new(ROUNDS);
            for event in &expected {
                agenda.add_wakeup(*event);
            }
            expected.sort_unstable();
            prop_assert_eq!(take_all(&mut agenda, 1 << 26, step, |_| Vec::new()), expected);
        }

        #[test]
        fn packets_arrive_in_order_and_between_wakeups(
            times in prop::collection::vec((0_u64..1 << 26, any::<bool>()), 1..300),
            step in 1_u64 << 14..1 << 24,
        ) {
            let mut agenda = Agenda::new(ROUNDS);
            let mut expected = Vec::new();
            for (id, (at, is_arrival)) in (0_u32..).zip(times) {
                let at = Time::from_picos(at >> 12 << 12);
                if is_arrival {
                    let packet = Packet { flow: FlowId(id), sent: at, ..Packet::NONE };
                    agenda.add_arrival(at, LinkId(id), id, &packet);
                    expected.push(Event::arrival(at, LinkId(id), id, &packet));
                } else {
                    agenda.add_wakeup(event(at.as_picos(), id));
                    expected.push(event(at.as_picos(), id));
                }
            }
            expected.sort_unstable();
            let taken = take_all(&mut agenda, 1 << 26, step, |_| Vec::new());
            prop_assert_eq!(&taken, &expected);
            prop_assert!(taken.iter().zip(&expected).all(|(taken, expected)| taken.packet == expected.packet));
        }

        #[test]
        fn events_added_meanwhile_are_taken_in_order(
            gaps in prop::collection::vec(0_u64..1 << 25, 1..400),
            step in 1_u64 << 14..1 << 24,
        ) {
            let mut agenda = Agenda::new(ROUNDS);
            agenda.add_wakeup(event(0, 0));
            let mut to_come = (1..).zip(&gaps);
            let more = |now| to_come.by_ref().take(2).map(|(id, gap)| event(now + gap, id)).collect();
            let taken = take_all(&mut agenda, 1 << 34, step.max(1 << 20), more);
            prop_assert_eq!(taken.len(), 1 + gaps.len());
            prop_assert!(taken.windows(2).all(|pair| pair[0].at <= pair[1].at));
        }
    }
}
