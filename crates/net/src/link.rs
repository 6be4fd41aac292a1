//! A link: one direction of a wire, with a rate, a delay and a queue in front of it.
//!
//! The queue is first in, first out and its discipline judges arrivals, so the moment a packet is accepted, the start and the
//! end of its transmission and its arrival at the far end are known. A link is therefore a delay line: one ring of packets,
//! of which the first part is under way and the rest waits, and a single pending event for the first arrival.

use std::collections::VecDeque;

use ackclock_units::{Rate, Time};

use crate::packet::Packet;
use crate::queue::{Arrival, DropReason, QueueDiscipline, Verdict};

/// A packet on the link, waiting or under way.
#[derive(Clone, Copy, Debug)]
struct Transit {
    packet: Packet,
    start: Time,
    arrival: Time,
}

/// What became of an offered packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Its transmission starts and ends at these times.
    Accepted {
        /// Start of its transmission.
        start: Time,
        /// Arrival at the far end, if no arrival is pending yet.
        wake: Option<Time>,
    },
    /// It was dropped.
    Dropped(DropReason),
}

/// One direction of a wire.
#[derive(Debug)]
pub struct Link {
    rate: Rate,
    delay: Time,
    queue: Box<dyn QueueDiscipline>,
    line: VecDeque<Transit>,
    /// How many packets of the line have started.
    started: usize,
    waiting_bytes: u64,
    /// End of the last accepted packet's transmission.
    busy_until: Time,
    /// The last transmission time computed: links mostly carry one size.
    known: (u32, Time),
}

impl Link {
    /// An idle link.
    pub fn new(rate: Rate, delay: Time, queue: Box<dyn QueueDiscipline>) -> Self {
        Self {
            rate,
            delay,
            queue,
            line: VecDeque::new(),
            started: 0,
            waiting_bytes: 0,
            busy_until: Time::ZERO,
            known: (0, Time::ZERO),
        }
    }

    /// Packets and bytes waiting at `now`, without the one in transmission.
    pub fn backlog(&mut self, now: Time) -> (u64, u64) {
        while let Some(next) = self.line.get(self.started)
            && next.start <= now
        {
            self.started += 1;
            self.waiting_bytes -= u64::from(next.packet.size);
        }
        ((self.line.len() - self.started) as u64, self.waiting_bytes)
    }

    /// Packets under way at `now`: in transmission or in propagation.
    pub fn in_flight(&mut self, now: Time) -> u64 {
        self.backlog(now);
        self.started as u64
    }

    /// Offers a packet to the queue.
    pub fn offer(&mut self, packet: Packet, now: Time) -> Offered {
        let (waiting_packets, waiting_bytes) = self.backlog(now);
        let busy = self.busy_until > now;
        let arrival = Arrival {
            packet: &packet,
            now,
            waiting_packets,
            waiting_bytes,
            in_service: if busy { self.line[self.started - 1].packet.size } else { 0 },
            idle_for: if busy { None } else { Some(now - self.busy_until) },
        };
        match self.queue.on_arrival(&arrival) {
            Verdict::Accept => self.accept(packet, now),
            Verdict::Drop(reason) => Offered::Dropped(reason),
        }
    }

    fn accept(&mut self, packet: Packet, now: Time) -> Offered {
        let start = self.busy_until.max(now);
        self.busy_until = start + self.transmission_time(packet.size);
        let arrival = self.busy_until + self.delay;
        let wake = self.line.is_empty().then_some(arrival);
        self.waiting_bytes += u64::from(packet.size);
        self.line.push_back(Transit { packet, start, arrival });
        Offered::Accepted { start, wake }
    }

    /// The first packet reaches the far end; also when the next one will.
    ///
    /// # Panics
    /// If nothing is under way.
    pub fn arrive(&mut self) -> (Packet, Option<Time>) {
        let first = self.line.pop_front().expect("an arrival is pending only while something is under way");
        match self.started.checked_sub(1) {
            Some(started) => self.started = started,
            None => self.waiting_bytes -= u64::from(first.packet.size),
        }
        (first.packet, self.line.front().map(|next| next.arrival))
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
