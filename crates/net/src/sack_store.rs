//! SACK blocks of the ACKs in flight.

use ackclock_tcp::{Ack, HEADER, Sack};
use ackclock_units::Time;

use crate::observe::{Observation, Observer};
use crate::packet::{FlowId, Packet, Payload, SackId};
use crate::pool::Pool;

/// Stores blocks from an ACK's departure until it arrives or is lost.
#[derive(Debug, Default)]
pub(crate) struct SackStore(Pool<Sack>);

impl SackStore {
    /// Memory in bytes.
    pub(crate) fn held(&self) -> usize {
        self.0.held()
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
        let (size, sack) = if ack.sack.is_empty() {
            (HEADER, SackId::NONE)
        } else {
            (ack.size(), self.keep(ack.sack, sent, observer))
        };
        Packet { flow, size, payload: Payload::Ack { next: ack.next, sack, connection }, sent }
    }

    #[inline(never)]
    fn keep(&mut self, sack: &Sack, now: Time, observer: &mut impl Observer) -> SackId {
        let id = SackId(self.0.add(*sack));
        observer.observe(now, &Observation::Selective { id, sack });
        id
    }

    /// Removes the blocks of an ACK that has arrived or is lost; they must not be requested again.
    #[inline(never)]
    pub(crate) fn take(&mut self, id: SackId) -> Sack {
        self.0.remove(id.0)
    }
}
