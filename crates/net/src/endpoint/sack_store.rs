//! SACK blocks and advertised windows of the ACKs in flight.

use ackclock_tcp::{Ack, HEADER, PackedSack, Sack};
use ackclock_units::Time;

use crate::observe::{Observation, Observer};
use crate::packet::{FlowId, Packet, Payload, SackId};
use crate::storage::pool::Pool;

/// An ACK with SACK blocks or an advertised window.
#[derive(Clone, Copy, Debug)]
struct Selective {
    next: u64,
    sack: PackedSack,
}

/// Stores blocks from an ACK's departure until it arrives or is lost.
#[derive(Debug, Default)]
pub(crate) struct SackStore(Pool<Selective>);

impl SackStore {
    /// Memory of an ACK's blocks, in bytes.
    pub(crate) const BYTES_OF_ACK: usize = size_of::<Selective>();

    /// Memory in bytes.
    pub(crate) const fn memory(&self) -> usize {
        self.0.memory()
    }

    /// Creates the packet that carries an ACK.
    #[inline(always)]
    pub(crate) fn packet(
        &mut self,
        flow: FlowId,
        connection: u16,
        ack: Ack<'_>,
        sent: Time,
        observer: &mut impl Observer,
    ) -> Packet {
        let (size, sack) =
            if ack.is_plain() { (HEADER, SackId::NONE) } else { (ack.size(), self.keep(ack, sent, observer)) };
        Packet::new(flow, size, Payload::Ack { next: ack.next, sack, connection }, sent)
            .with_echo(ack.echo)
            .for_original(ack.original)
    }

    #[inline(never)]
    fn keep(&mut self, ack: Ack<'_>, now: Time, observer: &mut impl Observer) -> SackId {
        let Ack { next, sack, .. } = ack;
        let id = SackId(self.0.add(Selective { next, sack: PackedSack::new(sack) }));
        observer.observe(now, &Observation::Selective { id, sack });
        id
    }

    /// The next segment that the ACK expects.
    #[inline(never)]
    pub(crate) fn next(&self, id: SackId) -> u64 {
        self.0.get(id.0).next
    }

    /// The blocks of an ACK.
    pub(crate) fn blocks(&self, id: SackId) -> Sack {
        if id == SackId::NONE { Sack::NONE } else { self.unpack(id) }
    }

    fn unpack(&self, SackId(id): SackId) -> Sack {
        let Selective { next, sack } = self.0.get(id);
        sack.unpack(*next)
    }

    /// Removes the blocks of an ACK that has arrived or is lost; they must not be requested again.
    #[inline(never)]
    pub(crate) fn take(&mut self, id: SackId) -> Sack {
        self.0.free(id.0);
        self.unpack(id)
    }
}
