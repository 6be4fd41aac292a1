//! The blocks of the selective acknowledgments under way.

use ackclock_tcp::{Ack, Block, MAX_SACK_BLOCKS};
use ackclock_units::Time;

use crate::packet::{FlowId, Packet, Payload, SackId};
use crate::pool::{NONE, Pool};

/// The blocks of one ACK, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sack {
    blocks: [Block; MAX_SACK_BLOCKS],
    count: usize,
}

impl Sack {
    /// An ACK with these blocks.
    pub(crate) fn ack(&self, next: u64) -> Ack<'_> {
        Ack { next, sack: &self.blocks[..self.count] }
    }
}

/// Keeps blocks from an ACK's departure to its end, whatever that is.
#[derive(Debug, Default)]
pub(crate) struct SackStore(Pool<Sack>);

impl SackStore {
    /// The packet that carries an ACK.
    #[inline(always)]
    pub(crate) fn packet(&mut self, flow: FlowId, ack: Ack<'_>, sent: Time) -> Packet {
        let sack = SackId(if ack.sack.is_empty() { NONE } else { self.keep(ack.sack) });
        Packet { flow, size: ack.size(), payload: Payload::Ack { next: ack.next, sack }, sent }
    }

    #[inline(never)]
    fn keep(&mut self, given: &[Block]) -> u32 {
        let mut blocks = [Block::default(); MAX_SACK_BLOCKS];
        blocks[..given.len()].copy_from_slice(given);
        self.0.add(Sack { blocks, count: given.len() }, NONE)
    }

    /// The blocks of an ACK that has arrived, or is lost; nobody may ask for them again.
    #[inline(always)]
    pub(crate) fn take(&mut self, id: SackId) -> Option<Sack> {
        (id.0 != NONE).then(|| self.0.remove(id.0).value)
    }
}
