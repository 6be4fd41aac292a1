//! The timers of receivers whose data needs no event of its own.
//!
//! Data that reaches its receiver in step with a link is handled when the link accepts it, with its later arrival time. The
//! ACKs that the timers of such receivers send must enter their first link in order with all others. The timers of all
//! receivers whose ACKs enter the same link therefore wait in one heap, in the order of events, and those before an arrival
//! are handled with it. If nothing arrives, an event handles them, early by the propagation delay of the data's last link:
//! what that link accepts later arrives later.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ackclock_units::Time;

use super::Transit;
use crate::engine::event::{Event, Key, Targets, Wakeup};
use crate::observe::Observer;
use crate::packet::{FlowId, LinkId};

/// The timers, by the first link of the ACKs.
#[derive(Debug)]
pub(crate) struct Delays {
    /// One more than the place in `timers`, by link; 0 if a link has none.
    places: Vec<u32>,
    timers: Vec<Timers>,
    /// No timer is before this time. It is 0 if several links have timers, so that each of them is asked.
    next: Time,
}

/// The timers of the receivers whose ACKs enter a link.
#[derive(Debug)]
struct Timers {
    /// The next one; [`Time::MAX`] if there is none.
    next: Time,
    /// The one for which an event is pending; [`Time::MAX`] if there is none.
    pending: Time,
    /// How much earlier than a timer its event is.
    lead: Time,
    heap: BinaryHeap<Reverse<(Key, FlowId)>>,
}

impl Delays {
    /// No timers yet, for `links` links.
    pub(crate) fn new(links: usize) -> Self {
        Self { places: vec![0; links], timers: Vec::new(), next: Time::MAX }
    }

    /// Lets the receivers whose ACKs enter a link have timers, whose events come earlier by `lead`.
    pub(crate) fn add(&mut self, LinkId(link): LinkId, lead: Time) {
        let place = &mut self.places[link as usize];
        if *place == 0 {
            self.timers.push(Timers { next: Time::MAX, pending: Time::MAX, lead, heap: BinaryHeap::new() });
            *place = self.timers.len() as u32;
        }
        self.follow();
    }

    /// Updates [`next`](Self::next).
    #[inline(always)]
    fn follow(&mut self) {
        self.next = match &self.timers[..] {
            [] => Time::MAX,
            [only] => only.next,
            _ => Time::ZERO,
        };
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        let heaps: usize = self.timers.iter().map(|timers| timers.heap.capacity()).sum();
        self.places.capacity() * size_of::<u32>()
            + self.timers.capacity() * size_of::<Timers>()
            + heaps * size_of::<Reverse<(Key, FlowId)>>()
    }

    #[inline(always)]
    fn get(&mut self, LinkId(link): LinkId) -> Option<&mut Timers> {
        let place = self.places.get(link as usize).copied().unwrap_or_default();
        self.timers.get_mut((place as usize).wrapping_sub(1))
    }
}

impl Timers {
    /// When the pending event comes, if there is one.
    fn event(&self) -> Option<Time> {
        (self.pending < Time::MAX).then(|| self.pending.saturating_sub(self.lead))
    }

    /// Takes the next timer if it is before `end`.
    fn take_before(&mut self, end: Time) -> Option<(Time, FlowId)> {
        if self.next >= end {
            return None;
        }
        let Reverse((key, flow)) = self.heap.pop()?;
        self.next = self.heap.peek().map_or(Time::MAX, |Reverse((key, _))| key.at);
        Some((key.at, flow))
    }
}

impl Transit {
    /// The first link of the ACKs of a flow.
    #[inline(always)]
    fn first_of_acks(&self, FlowId(flow): FlowId) -> Option<LinkId> {
        Some(self.hops[self.sinks.ack_hop(flow as usize)? as usize].link)
    }

    /// Handles the timers that are due before the data of `flow` arrives at `now`.
    #[inline(always)]
    pub(super) fn send_due(&mut self, flow: FlowId, now: Time, observer: &mut impl Observer) {
        if self.delays.next < now {
            self.send_due_of(flow, now, observer);
        }
    }

    #[inline(never)]
    fn send_due_of(&mut self, flow: FlowId, now: Time, observer: &mut impl Observer) {
        if let Some(link) = self.first_of_acks(flow)
            && self.delays.get(link).is_some_and(|timers| timers.next < now)
        {
            self.send_before(link, now, observer);
        }
    }

    #[inline(never)]
    fn send_before(&mut self, link: LinkId, end: Time, observer: &mut impl Observer) {
        while let Some((at, flow)) = self.delays.get(link).and_then(|timers| timers.take_before(end)) {
            self.delays.follow();
            self.delayed_ack(flow, at, observer);
        }
    }

    /// Handles the event of the timers of a link at `now`.
    #[inline(never)]
    pub(super) fn send_delayed(&mut self, link: LinkId, now: Time, observer: &mut impl Observer) {
        let Some(timers) = self.delays.get(link).filter(|timers| timers.event() == Some(now)) else {
            return; // an earlier event has taken its place
        };
        timers.pending = Time::MAX;
        let end = now.saturating_add(timers.lead).saturating_add(Time::from_picos(1));
        self.send_before(link, end, observer);
        self.schedule_next(link);
    }

    /// Schedules the event of the next timer of a link, if none that comes earlier is pending.
    fn schedule_next(&mut self, link: LinkId) {
        let Some(timers) = self.delays.get(link).filter(|timers| timers.next < timers.pending) else { return };
        timers.pending = timers.next;
        if let Some(at) = timers.event() {
            self.add_event(self.agenda.running(), Event::departure(link, at));
        }
    }

    /// Schedules the timer of a flow's receiver.
    #[inline(never)]
    pub(super) fn wake_receiver(&mut self, at: Time, flow: FlowId) {
        let Some(link) = self.first_of_acks(flow) else { return };
        let Self { delays, hops, names, .. } = self;
        let Some(timers) = delays.get(link) else { return self.wake(at, flow, Wakeup::DelayedAck) };
        let key = Event::wakeup_of(flow, at, Wakeup::DelayedAck).key(Targets { hops, names });
        timers.heap.push(Reverse((key, flow)));
        timers.next = timers.next.min(at);
        delays.follow();
        self.schedule_next(link);
    }
}
