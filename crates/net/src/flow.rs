//! A flow at work: its source, its endpoints, and the wake-ups that they wait for.

use ackclock_tcp::{Receiver, Segment, Sender};
use ackclock_units::{Stream, Time};

use crate::packet::{Packet, Payload};
use crate::sack_store::SackStore;
use crate::sizes::Sizes;
use crate::source::Source;

/// A pending wake-up. Deadlines move; the event in the queue does not: it is ignored or armed again when it fires early.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm {
    pending: Time,
}

impl Alarm {
    pub(crate) const IDLE: Self = Self { pending: Time::MAX };

    /// The time to schedule a wake-up for, if `deadline` comes before the one pending.
    pub(crate) fn arm(&mut self, deadline: Option<Time>) -> Option<Time> {
        let deadline = deadline.filter(|deadline| *deadline < self.pending)?;
        self.pending = deadline;
        Some(deadline)
    }

    /// A wake-up fires at `now`: whether `deadline` has come.
    pub(crate) fn fires(&mut self, now: Time, deadline: Option<Time>) -> bool {
        if now == self.pending {
            self.pending = Time::MAX;
        }
        deadline.is_some_and(|deadline| deadline <= now)
    }
}

/// How data crosses the network.
#[derive(Debug)]
pub(crate) enum Transport {
    Udp {
        /// Packets sent so far.
        sent: u64,
        sizes: Sizes,
    },
    Tcp {
        sender: Box<Sender>,
        receiver: Receiver,
        handshake: bool,
    },
}

/// A source that is asked only for what the sender has use for.
#[derive(Debug)]
pub(crate) struct Feed {
    pub(crate) source: Box<dyn Source>,
    pub(crate) stream: Stream,
    /// When the source is to be asked next; `None` once it has ended.
    pub(crate) next: Option<Time>,
}

impl Feed {
    /// What the source hands over at its next instant, if that has come.
    pub(crate) fn take(&mut self, now: Time) -> Option<u64> {
        let at = self.next.filter(|at| *at <= now)?;
        let emission = self.source.emit(at, &mut self.stream);
        self.next = emission.next;
        Some(emission.packets)
    }
}

/// A source, its endpoints and their alarms.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) transport: Transport,
    pub(crate) feed: Feed,
    /// Where in the table of hops its data and its ACKs start.
    pub(crate) data_hop: u32,
    pub(crate) ack_hop: u32,
    pub(crate) source_alarm: Alarm,
    pub(crate) release_alarm: Alarm,
    pub(crate) timeout_alarm: Alarm,
    pub(crate) ack_alarm: Alarm,
}

impl Flow {
    /// Hands the sender what the source has by now, as far as the sender could use it.
    pub(crate) fn refill(&mut self, now: Time) {
        let Transport::Tcp { sender, .. } = &mut self.transport else { return };
        while sender.appetite() > 0
            && let Some(packets) = self.feed.take(now)
        {
            sender.supply(packets);
        }
    }

    /// The next segment that may leave now.
    #[inline(always)]
    pub(crate) fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        match &mut self.transport {
            Transport::Tcp { sender, .. } => sender.poll_transmit(now),
            Transport::Udp { .. } => None,
        }
    }

    /// Data arrived at the receiver: the ACK that leaves now, and how many segments of data are newly in order.
    #[inline(always)]
    pub(crate) fn receive(&mut self, packet: &Packet, now: Time, sacks: &mut SackStore) -> (Option<Packet>, u64) {
        let Transport::Tcp { receiver, handshake, .. } = &mut self.transport else { return (None, 1) };
        let before = receiver.rcv_nxt();
        let number = if let Payload::Data { number, .. } = packet.payload { number } else { 0 };
        let ack = receiver.handle_segment(number, now).map(|ack| sacks.packet(packet.flow, ack, now));
        let syn = u64::from(*handshake && before == 0 && receiver.rcv_nxt() > 0);
        (ack, receiver.rcv_nxt() - before - syn)
    }

    /// The sender, if the flow has one.
    pub(crate) const fn sender(&self) -> Option<&Sender> {
        match &self.transport {
            Transport::Tcp { sender, .. } => Some(sender),
            Transport::Udp { .. } => None,
        }
    }
}
