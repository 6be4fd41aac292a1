//! The receiver of a connection after the handshake, and the ACKs that it sends.

use ackclock_tcp::{Ack, Mark, Receiver, ReceiverConfig, ReceiverPool, Sack};
use ackclock_units::Time;

/// An ACK that a receiver sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnAck {
    pub(crate) next: u64,
    pub(crate) sack: Sack,
    pub(crate) echo: u8,
    original: bool,
}

impl OwnAck {
    pub(crate) fn of(ack: Ack<'_>) -> Self {
        Self { next: ack.next, sack: *ack.sack, echo: ack.echo, original: ack.original }
    }

    pub(crate) const fn ack(&self) -> Ack<'_> {
        Ack { next: self.next, sack: &self.sack, echo: self.echo, original: self.original }
    }
}

/// A receiver.
#[derive(Debug)]
pub(crate) struct Host {
    receiver: Receiver,
    pool: ReceiverPool,
}

impl Host {
    /// A receiver that has received the SYN.
    pub(crate) fn new(config: ReceiverConfig) -> Self {
        let mut pool = ReceiverPool::default();
        let receiver = pool.add(ReceiverConfig { handshake: true, ..config });
        let mut host = Self { receiver, pool };
        let syn = Mark { ce: false, cwr: false, again: false, sent: Time::ZERO, pushed: false, probe: false };
        let _ = host.receive(0, syn, Time::ZERO);
        host
    }

    /// When an ACK that waits is due.
    pub(crate) fn due(&self) -> Option<Time> {
        self.receiver.poll_timeout(&self.pool)
    }

    /// The ACK that is due, if the timer sends one.
    pub(crate) fn act(&mut self) -> Option<OwnAck> {
        self.receiver.handle_timeout(&mut self.pool).map(OwnAck::of)
    }

    /// A segment arrives. Returns the ACKs that it causes, in order.
    pub(crate) fn receive(&mut self, number: u64, mark: Mark, now: Time) -> impl Iterator<Item = OwnAck> + use<> {
        let arrival = self.receiver.handle_segment(number, mark, now, &mut self.pool);
        [arrival.early().map(OwnAck::of), arrival.ack.map(OwnAck::of)].into_iter().flatten()
    }
}
