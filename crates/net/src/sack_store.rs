//! The blocks of the selective acknowledgments under way.

use ackclock_tcp::{Ack, HEADER, Sack};
use ackclock_units::Time;

use crate::observe::{Observation, Observer};
use crate::packet::{FlowId, Packet, Payload, SackId};
use crate::pool::Pool;

/// Keeps blocks from an ACK's departure to its end, whatever that is.
#[derive(Debug, Default)]
pub(crate) struct SackStore(Pool<Sack>);

impl SackStore {
    /// Bytes of memory that it takes.
    pub(crate) fn held(&self) -> usize {
        self.0.held()
    }

    /// The packet that carries an ACK.
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

    /// The blocks of an ACK that has arrived, or is lost; nobody may ask for them again.
    #[inline(never)]
    pub(crate) fn take(&mut self, id: SackId) -> Sack {
        self.0.remove(id.0)
    }
}
