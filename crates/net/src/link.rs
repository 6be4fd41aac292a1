//! A link: one direction of a connection between two nodes, with a rate, a delay and a queue in front of it.
//!
//! The queue is first in, first out, and its discipline accepts or drops a packet on arrival. When a packet is
//! accepted, the start and the end of its transmission and its arrival at the far end are therefore known. The end of a
//! transmission needs no event. A link stores how long it is busy (`backlog.rs`), but no packets: packets in flight are
//! pending events.

use ackclock_units::{Stream, Time};

use crate::backlog::Backlog;
use crate::loss::Loss;
use crate::packet::Packet;
use crate::plan::LinkSpec;
use crate::queue::{Arrival, DropReason, Queue, QueueDiscipline, Verdict};
use crate::rate::LinkRate;

/// The result of offering a packet to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// The packet will be transmitted.
    Accepted {
        /// Start of its transmission.
        start: Time,
        /// End of its transmission.
        end: Time,
        /// Arrival at the far end.
        arrival: Time,
    },
    /// The packet was dropped.
    Dropped(DropReason),
}

/// Fast path of a link: handles a packet of the same size as its predecessors when the queue has space. All other
/// packets go through [`Link::offer`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wire {
    /// Packet size of the fast path, and the transmission time of such a packet. A size of 0 disables the fast path.
    size: u32,
    each: Time,
    /// A packet is accepted if the remaining transmission time of the backlog is at most this time.
    room: Time,
    delay: Time,
    /// End of the last transmission.
    busy_until: Time,
}

impl Wire {
    /// End of the last transmission.
    pub(crate) const fn busy_until(&self) -> Time {
        self.busy_until
    }

    /// Sends a packet if the fast path applies to it. Returns its arrival time.
    #[inline(always)]
    pub(crate) fn take(&mut self, size: u32, now: Time) -> Option<Time> {
        let start = self.busy_until.max(now);
        if size != self.size || start - now > self.room {
            return None;
        }
        self.busy_until = start.saturating_add(self.each);
        Some(self.busy_until.saturating_add(self.delay))
    }

    /// Start and end of the last transmission, if its packet took the fast path.
    pub(crate) const fn last(&self) -> (Time, Time) {
        (self.busy_until.saturating_sub(self.each), self.busy_until)
    }
}

/// One direction of a connection between two nodes.
#[derive(Debug)]
pub struct Link {
    delay: Time,
    backlog: Backlog,
    queue: Queue,
    loss: Option<Box<Loss>>,
}

impl Link {
    /// An idle link.
    pub(crate) fn new(spec: &LinkSpec, rate: LinkRate, queue: Queue, losses: Stream) -> Self {
        Self {
            delay: spec.delay,
            backlog: Backlog::new(rate),
            queue,
            loss: spec.loss.as_ref().map(|loss| Box::new(Loss::new(loss, losses))),
        }
    }

    /// Transmission rate of the link.
    pub(crate) const fn rate(&self) -> &LinkRate {
        self.backlog.rate()
    }

    /// Propagation delay of the link.
    pub(crate) const fn delay(&self) -> Time {
        self.delay
    }

    /// Number of packets and bytes waiting at `now`, excluding the packet in transmission. `now` must not be before the
    /// last offer.
    pub fn backlog(&mut self, now: Time) -> (u64, u64) {
        self.backlog.forget(now);
        self.backlog.waiting(now)
    }

    /// Heap memory in bytes, excluding data that links share.
    pub(crate) fn held(&self) -> usize {
        self.backlog.held() + self.loss.as_ref().map_or(0, |loss| loss.held())
    }

    /// Offers a packet to the queue.
    pub fn offer(&mut self, packet: &Packet, now: Time) -> Offered {
        if self.loss.as_mut().is_some_and(|loss| loss.loses(packet)) {
            return Offered::Dropped(DropReason::Lost);
        }
        self.backlog.forget(now);
        if let Verdict::Drop(reason) = self.queue.on_arrival(&Arrival { packet, now, backlog: &self.backlog }) {
            return Offered::Dropped(reason);
        }
        let (start, end) = self.backlog.take(packet.size, now);
        Offered::Accepted { start, end, arrival: end.saturating_add(self.delay) }
    }

    /// The fast path of the link in its present state.
    pub(crate) fn wire(&self) -> Wire {
        let (size, each) = self.backlog.usual();
        let room = if size > 0 && self.loss.is_none() { self.queue.room(size, each) } else { None };
        Wire {
            size: if room.is_some() { size } else { 0 },
            each,
            room: room.unwrap_or(Time::ZERO),
            delay: self.delay,
            busy_until: self.backlog.busy_until(),
        }
    }

    /// Updates the backlog after packets have used the fast path.
    pub(crate) const fn catch_up(&mut self, wire: &Wire) {
        self.backlog.catch_up(wire.busy_until);
    }

    /// Average queue length that the discipline computed at the last arrival, in the discipline's unit; NaN if it
    /// computes no average.
    pub fn average(&self) -> f64 {
        self.queue.average()
    }

    /// Calls `visit` with the name and value of each observable quantity of the discipline.
    pub fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.queue.gauges(visit);
    }
}
