//! A link: one direction of a wire, with a rate, a delay and a queue in front of it.
//!
//! The queue is first in, first out and its discipline judges arrivals, so the moment a packet is accepted, the start and the
//! end of its transmission and its arrival at the far end are known. Nothing has to happen when a transmission ends; a link
//! remembers transmissions yet to start, and no packets: those are events under way.

use std::collections::VecDeque;

use ackclock_units::{Rate, Time};

use crate::loss::Loss;
use crate::packet::Packet;
use crate::plan::LinkSpec;
use crate::queue::{Arrival, DropReason, Queue, QueueDiscipline, Verdict};

/// What became of an offered packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// It will be transmitted.
    Accepted {
        /// Start of its transmission.
        start: Time,
        /// End of its transmission.
        end: Time,
        /// Arrival at the far end.
        arrival: Time,
    },
    /// It was dropped.
    Dropped(DropReason),
}

/// One direction of a wire.
#[derive(Debug)]
pub struct Link {
    rate: Rate,
    delay: Time,
    loss: Option<Box<Loss>>,
    queue: Queue,
    /// Start and size of each transmission yet to start.
    waiting: VecDeque<(Time, u32)>,
    waiting_bytes: u64,
    /// Size of the last packet that started, and the end of the last transmission known.
    last_size: u32,
    busy_until: Time,
    /// The last transmission time computed: links mostly carry one size.
    known: (u32, Time),
}

impl Link {
    /// An idle link.
    pub(crate) fn new(spec: &LinkSpec, queue: Queue) -> Self {
        Self {
            rate: spec.rate,
            delay: spec.delay,
            loss: spec.loss.as_ref().map(|loss| Box::new(Loss::new(loss))),
            queue,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            last_size: 0,
            busy_until: Time::ZERO,
            known: (0, Time::ZERO),
        }
    }

    /// Its rate.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// Packets and bytes waiting at `now`, without the one in transmission; `now` is not before the last offer.
    pub fn backlog(&mut self, now: Time) -> (u64, u64) {
        while let Some((start, size)) = self.waiting.front().copied()
            && start <= now
        {
            self.waiting.pop_front();
            self.waiting_bytes -= u64::from(size);
            self.last_size = size;
        }
        (self.waiting.len() as u64, self.waiting_bytes)
    }

    /// Offers a packet to the queue.
    #[inline(always)]
    pub fn offer(&mut self, packet: &Packet, now: Time) -> Offered {
        if self.loss.as_mut().is_some_and(|loss| loss.loses(packet)) {
            return Offered::Dropped(DropReason::Lost);
        }
        let (waiting_packets, waiting_bytes) = self.backlog(now);
        let arrival = Arrival {
            packet,
            now,
            waiting_packets,
            waiting_bytes,
            last_size: self.last_size,
            busy_until: self.busy_until,
        };
        if let Verdict::Drop(reason) = self.queue.on_arrival(&arrival) {
            return Offered::Dropped(reason);
        }
        let start = self.busy_until.max(now);
        if start > now {
            self.waiting.push_back((start, packet.size));
            self.waiting_bytes += u64::from(packet.size);
        } else {
            self.last_size = packet.size;
        }
        self.busy_until = start.saturating_add(self.transmission_time(packet.size));
        Offered::Accepted { start, end: self.busy_until, arrival: self.busy_until.saturating_add(self.delay) }
    }

    /// The discipline's average queue, as of the last arrival and in its own unit; not a number if it keeps none.
    pub fn average(&self) -> f64 {
        self.queue.average()
    }

    /// The discipline's values to watch.
    pub fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.queue.gauges(visit);
    }

    fn transmission_time(&mut self, bytes: u32) -> Time {
        if self.known.0 != bytes {
            self.known = (bytes, self.rate.transmission_time(bytes));
        }
        self.known.1
    }
}
