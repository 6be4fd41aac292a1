//! CAKE's ACK filter: an ACK that arrives may remove an earlier one of its connection that still waits and that it makes
//! redundant. Hoeiland-Joergensen, Taht and Morton, "Piece of CAKE" (2018), section III-D; Linux, `cake_ack_filter` and
//! `cake_tcph_sack_compare`.
//!
//! An ACK is redundant if the new one acknowledges at least as much: it must have a higher acknowledgment number, or the
//! same one and more SACK blocks. Its own SACK blocks must lie within those of the new one, and none may be a D-SACK (RFC
//! 2883). Duplicate ACKs are therefore kept. Of the redundant ACKs the one nearest to the head of the queue is removed, if
//! another redundant one follows it; a connection thus keeps at least two ACKs, the new one included. The aggressive filter
//! also removes a single redundant ACK, if it is the last packet before the new one.
//!
//! No information of ECN is lost: a change of the flags ECE and CWR between two ACKs protects the ACKs before it, and an ACK
//! with the flag AE, which only accurate ECN feedback sets (RFC 9768), is never removed.
//!
//! Differences from Linux:
//! - Packets have no timestamps. Linux keeps an ACK with a later timestamp than the new one, which has been overtaken.
//! - Data travels in one direction. In Linux a data packet, which has an acknowledgment number too, can also make an ACK
//!   redundant.

use ackclock_tcp::{Block, Sack};
use serde::{Deserialize, Serialize};

use crate::endpoint::sack_store::SackStore;
use crate::packet::Packet;

/// Redundant ACKs that are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AckFilter {
    /// None.
    Off,
    /// Those before two others.
    Conservative,
    /// Those before another one.
    Aggressive,
}

/// The flags CWR and ECE, and AE, in an [echo](Packet::echo).
const CWR_ECE: u8 = 0b011;
const AE: u8 = 0b100;

/// The place of the ACK that the last of the waiting packets makes redundant and that the filter removes.
pub(super) fn redundant<'a>(
    filter: AckFilter,
    mut waiting: impl DoubleEndedIterator<Item = &'a Packet> + ExactSizeIterator,
    sacks: &SackStore,
) -> Option<usize> {
    let new = waiting.next_back()?;
    let (last, flags_of) = (waiting.len(), |ack: &Packet| ack.echo() & CWR_ECE);
    let mut first: Option<(usize, u8)> = None;
    for (place, old) in waiting.enumerate() {
        if !old.is_ack() || old.address() != new.address() {
            continue;
        }
        first = first.filter(|(_, flags)| *flags == flags_of(old));
        if covers(new, old, sacks) {
            if let Some((place, _)) = first {
                return Some(place);
            }
            first = Some((place, flags_of(old)));
        }
    }
    let (place, flags) = first?;
    (filter == AckFilter::Aggressive && place + 1 == last && flags == flags_of(new)).then_some(place)
}

/// Whether an ACK makes an earlier one redundant.
fn covers(new: &Packet, old: &Packet, sacks: &SackStore) -> bool {
    let [more, less] = [new, old].map(|ack| sacks.blocks(ack.sack()));
    let [more, less] = [&more, &less].map(Sack::blocks);
    let count = |blocks: &[Block]| blocks.iter().map(|block| block.end - block.start).sum::<u64>();
    let lies_within = |block: &Block| more.iter().any(|other| other.start <= block.start && block.end <= other.end);
    let is_covered = less.iter().all(|block| block.start >= old.number() && lies_within(block));
    let is_more = (old.number(), count(less)) < (new.number(), count(more));
    old.echo() & AE == 0 && old.number() <= new.number() && is_covered && is_more
}

#[cfg(test)]
mod tests;
