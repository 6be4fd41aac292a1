//! Senders that act ahead of the clock.
//!
//! Nothing but its own events changes a flow, and what its sender sends reaches other flows only by an event. If the next
//! event of a flow is the arrival of an ACK, it is therefore handled when the last link accepts the ACK, with its later time:
//! then it needs no event. Only *local* flows do this, whose first link carries nothing else (`network/local.rs`), and only if
//! the observer does not need the events of all endpoints in order. The senders do not pass the next stop of the run.

use ackclock_units::Time;

use super::{ENDPOINTS, Transit};
use crate::engine::event::Event;
use crate::engine::hop::Stop;
use crate::observe::Observer;
use crate::packet::Packet;

/// The local flows.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    /// By flow; empty if no flow is local.
    locals: Vec<Option<Local>>,
    /// No sender acts at or after this time.
    pub(crate) stop: Time,
    /// The endpoints have no event left before this time.
    pub(crate) done: Time,
    /// No event of the sender that acts ahead is before this time; [`Time::ZERO`] if none acts ahead.
    bound: Time,
    /// An ACK that has reached its sender before any ACK of its flow with an event, and the time; and the time of the next
    /// ACK or stop, at the earliest.
    reached: Option<(Packet, Time, Time)>,
}

/// A local flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    /// The end of the path of its ACKs.
    pub(crate) stop: Stop,
    /// Minimum time between two ACKs.
    pub(crate) gap: Time,
    /// Latest arrival of an ACK that needed an event. The frames of an aggregate arrive in one event, and the first ACK of
    /// them may get its event after the others.
    pub(crate) last: Time,
}

impl Ahead {
    /// The local flows of a network, by flow.
    pub(crate) fn of(locals: Vec<Option<Local>>) -> Self {
        let is_empty = locals.iter().all(Option::is_none);
        Self { locals: if is_empty { Vec::new() } else { locals }, ..Self::default() }
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.locals.capacity() * size_of::<Option<Local>>()
    }

    /// Whether an ACK has reached its sender.
    #[inline(always)]
    pub(crate) const fn has_reached(&self) -> bool {
        self.reached.is_some()
    }

    /// Takes the ACK that has reached its sender, with its time and that of the next ACK or stop.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<(Packet, Time, Time)> {
        self.reached.take()
    }

    /// Lets a sender act that has no other event before `next`.
    #[inline(always)]
    pub(crate) const fn begin(&mut self, next: Time) {
        self.bound = next;
    }

    /// Ends that.
    #[inline(always)]
    pub(crate) const fn end(&mut self) {
        self.bound = Time::ZERO;
    }

    /// Until when nothing happens at the sender that acts ahead, if one does.
    #[inline(always)]
    pub(super) fn bound(&self) -> Option<Time> {
        (self.bound > Time::ZERO).then_some(self.bound)
    }

    #[inline(always)]
    fn local(&mut self, ack: &Packet) -> Option<&mut Local> {
        self.locals.get_mut(ack.flow().0 as usize)?.as_mut()
    }
}

impl Transit {
    /// Sends an ACK. An ACK of a local flow reaches its sender.
    #[inline(always)]
    pub(super) fn send_ack(&mut self, ack: &Packet, hop: u32, now: Time, observer: &mut impl Observer) {
        if let Some(at) = self.cross(ack, hop, now, observer) {
            self.reach_sender(ack, at);
        }
    }

    #[inline(always)]
    fn reach_sender(&mut self, ack: &Packet, at: Time) {
        let ahead = &mut self.ahead;
        let (done, stop, is_free) = (ahead.done, ahead.stop, ahead.reached.is_none());
        match ahead.local(ack).filter(|local| local.last < done && at < stop && is_free) {
            Some(local) => {
                let next = (at + local.gap).min(stop);
                ahead.reached = Some((*ack, at, next));
            }
            None => self.add_ack(ack, at),
        }
    }

    /// Schedules the arrival of an ACK of a local flow.
    #[inline(never)]
    pub(crate) fn add_ack(&mut self, ack: &Packet, at: Time) {
        let Some(local) = self.ahead.local(ack) else { return };
        local.last = local.last.max(at);
        let event = Event::arrival(at, local.stop, ack);
        self.add_event(ENDPOINTS, event);
    }
}
