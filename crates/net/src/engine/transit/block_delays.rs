//! Times in which ACKs with SACK blocks cross the unqueued links of a hop.
//!
//! A hop knows this time for packets without blocks. For other sizes it is a sum over links, and each of its terms a
//! division. The sums computed last are kept, since an ACK usually has as many blocks as one before it.

use ackclock_tcp::SACK_BLOCK;
use ackclock_units::Time;

use super::Transit;
use crate::engine::hop::Hop;

/// Number of sums that are kept, a power of two.
const KEPT: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 7;

/// The sums computed last.
#[derive(Debug)]
pub(crate) struct BlockDelays([Sum; KEPT]);

#[derive(Clone, Copy, Debug)]
struct Sum {
    hop: u32,
    /// Size of the packet; 0 if there is no sum.
    size: u32,
    time: Time,
}

impl BlockDelays {
    /// No sums.
    pub(crate) const fn new() -> Self {
        Self([Sum { hop: 0, size: 0, time: Time::ZERO }; KEPT])
    }
}

impl Transit {
    /// Time in which an ACK of `size` bytes with SACK blocks crosses the unqueued links of a hop.
    #[inline(never)]
    pub(super) fn delay_of_blocks(&mut self, hop: u32, size: u32) -> Time {
        let place = (hop.wrapping_mul(0x9e37_79b9) >> (u32::BITS - PLACE_BITS)) ^ (size / SACK_BLOCK);
        let sum = &mut self.block_delays.0[place as usize % KEPT];
        if sum.hop != hop || sum.size != size {
            let unqueued = Hop::links_of(&self.hops, hop).iter().filter(|hop| hop.is_unqueued());
            let time = unqueued.fold(Time::ZERO, |sum, hop| sum + self.links.line(hop.link).time_of(size));
            *sum = Sum { hop, size, time };
        }
        sum.time
    }
}
