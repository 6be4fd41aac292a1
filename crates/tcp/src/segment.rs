//! Segments and ACKs exchanged between the endpoints.

/// Size of an IPv4 and a TCP header without options, in bytes: also the size of a SYN and of a pure ACK.
pub const HEADER: u32 = 40;
/// Size of a SACK block in bytes.
pub const SACK_BLOCK: u32 = 8;

/// A segment on its way to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Position in sequence space, in segments.
    pub number: u64,
    /// Size on the wire in bytes.
    pub size: u32,
    /// Whether the segment is a SYN, which opens the connection and carries no data.
    pub syn: bool,
    /// Whether the segment was sent before.
    pub retransmission: bool,
    /// The ECN field.
    pub ecn: Ecn,
    /// Whether the sender has reduced its window (RFC 3168's CWR), which ends the receiver's echo.
    pub cwr: bool,
    /// Whether the receiver must not wait for more data before it acts (PSH; RFC 9293, section 3.9.1.2).
    pub pushed: bool,
}

impl Segment {
    /// Data that is sent for the first time, without ECN and PSH.
    #[inline(always)]
    pub const fn new(number: u64, size: u32) -> Self {
        Self { number, size, syn: false, retransmission: false, ecn: Ecn::NotEct, cwr: false, pushed: false }
    }

    /// Whether the segment is empty: it probes a closed window.
    pub const fn is_probe(&self) -> bool {
        !self.syn && self.size == HEADER
    }
}

/// The ECN field of the IP header (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable: a queue can only drop the packet.
    #[default]
    NotEct = 0b00,
    /// ECN-capable; asks for the treatment of low latency (RFC 9331).
    Ect1 = 0b01,
    /// ECN-capable.
    Ect0 = 0b10,
    /// Congestion experienced.
    Ce = 0b11,
}

impl Ecn {
    /// The codepoint of two bits.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotEct,
            0b01 => Self::Ect1,
            0b10 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// Whether a queue may mark the packet instead of dropping it.
    #[inline(always)]
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }
}

/// A cumulative acknowledgment on its way to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack<'a> {
    /// The next segment the receiver expects; all earlier ones have arrived.
    pub next: u64,
    /// Segments received beyond `next`. If the first block lies below `next` or within the second block, it reports a
    /// duplicate (RFC 2883).
    pub sack: &'a Sack,
    /// ECN feedback in three bits: with classic feedback 1 if ECE is set and else 0; with accurate feedback the number
    /// of CE-marked packets received so far, modulo 8 (RFC 9768's ACE).
    pub echo: u8,
    /// Whether the segment that last advanced `next` is known to have been sent for the first time. RFC 3522 learns this
    /// from timestamps.
    pub original: bool,
}

impl Ack<'_> {
    /// A cumulative ACK for all segments before `next`, without SACK blocks.
    pub const fn cumulative(next: u64) -> Self {
        Self { next, sack: &Sack::NONE, echo: 0, original: false }
    }

    /// Whether the ACK carries neither blocks nor a window.
    pub const fn is_plain(&self) -> bool {
        self.sack.count | self.sack.window == 0
    }

    /// Size on the wire in bytes: the header and the blocks. The two bytes of the option header and its
    /// padding are omitted, as in ns-2.
    pub const fn size(&self) -> u32 {
        HEADER + SACK_BLOCK * self.sack.count
    }
}

/// Maximum number of blocks in an ACK without other options (RFC 2018, section 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// What few ACKs carry: blocks of a selective acknowledgment, most recent first (RFC 2018), and an advertised window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sack {
    blocks: [Block; MAX_SACK_BLOCKS],
    count: u32,
    /// The advertised window in segments plus one, if ACKs carry it; otherwise 0. It lies here because most ACKs have neither
    /// blocks nor a window.
    window: u32,
}

impl Sack {
    /// No blocks.
    pub const NONE: Self = Self { blocks: [Block { start: 0, end: 0 }; MAX_SACK_BLOCKS], count: 0, window: 0 };

    /// SACK of the given blocks; blocks beyond [`MAX_SACK_BLOCKS`] are dropped.
    pub fn of(blocks: &[Block]) -> Self {
        let mut sack = Self::NONE;
        for block in blocks {
            sack.push(*block);
        }
        sack
    }

    /// The blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks[..self.count as usize]
    }

    /// The advertised window in segments; `None` if the ACK carries none, because the window is fixed.
    pub const fn window(&self) -> Option<u32> {
        self.window.checked_sub(1)
    }

    /// The same blocks with an advertised window.
    #[must_use]
    pub const fn with_window(mut self, window: u32) -> Self {
        self.set_window(Some(window));
        self
    }

    /// Sets the advertised window, if there is one.
    pub(crate) const fn set_window(&mut self, window: Option<u32>) {
        self.window = match window {
            Some(window) => window.saturating_add(1),
            None => 0,
        };
    }

    /// Whether there are no blocks.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a block if there is space.
    pub(crate) fn push(&mut self, block: Block) {
        if let Some(place) = self.blocks.get_mut(self.count as usize) {
            *place = block;
            self.count += 1;
        }
    }

    /// Adds a block before all others, of which those beyond `most` blocks are dropped.
    pub(crate) fn push_front(&mut self, block: Block, most: usize) {
        let count = (self.count as usize + 1).min(most).min(MAX_SACK_BLOCKS);
        self.put_first(block, count);
        self.count = count as u32;
    }

    /// Puts a block before the others, in place of the last of the first `count` ones.
    #[inline(always)]
    fn put_first(&mut self, mut block: Block, count: usize) {
        for place in self.blocks.iter_mut().take(count) {
            std::mem::swap(place, &mut block);
        }
    }

    /// Removes the first block.
    pub(crate) fn remove_first(&mut self) -> Option<Block> {
        let first = self.blocks().first().copied()?;
        self.blocks.rotate_left(1);
        self.count -= 1;
        self.blocks[self.count as usize] = Block::default();
        Some(first)
    }

    /// Moves the first block that contains segment `number` before all others. Returns whether there is one.
    pub(crate) fn move_to_front(&mut self, number: u64) -> bool {
        let Some(at) = self.blocks().iter().position(|block| block.contains(number)) else { return false };
        if at > 0 {
            self.put_first(self.blocks[at], at + 1);
        }
        true
    }

    /// Whether the first block contains segment `number`.
    #[inline(always)]
    pub(crate) fn begins_with(&self, number: u64) -> bool {
        self.blocks().first().is_some_and(|block| block.contains(number))
    }

    /// Extends the first block to the end of `run`, if it begins where `run` begins. Returns whether it does.
    #[inline(always)]
    pub(crate) fn grow_first(&mut self, run: Block) -> bool {
        let is_first = self.count > 0 && self.blocks[0].start == run.start;
        if is_first {
            self.blocks[0].end = run.end;
        }
        is_first
    }

    /// Replaces the blocks that begin within `range` by `run`, at the place of the first of them, or removes them.
    #[inline(always)]
    pub(crate) fn replace_within(&mut self, range: Block, mut run: Option<Block>) {
        let before = self.count as usize;
        let mut count = 0;
        for at in 0..before {
            let block = self.blocks[at];
            if let Some(block) = if range.contains(block.start) { run.take() } else { Some(block) } {
                self.blocks[count] = block;
                count += 1;
            }
        }
        self.blocks[count..before].fill(Block::default());
        self.count = count as u32;
    }
}

/// A [`Sack`] of an ACK in flight, in 40 instead of 72 bytes: of segment numbers, only their last 32 bits.
#[derive(Clone, Copy, Debug)]
pub struct PackedSack {
    blocks: [[u32; 2]; MAX_SACK_BLOCKS],
    count: u32,
    window: u32,
}

impl PackedSack {
    /// The blocks and the window of an ACK.
    #[inline(always)]
    pub fn new(Sack { blocks, count, window }: &Sack) -> Self {
        let blocks = blocks.map(|Block { start, end }| [start as u32, end as u32]);
        Self { blocks, count: *count, window: *window }
    }

    /// The blocks of an ACK for all segments before `next`. They are less than `2^31` segments away from it, since a window
    /// has at most a billion segments.
    #[inline(always)]
    pub fn unpack(&self, next: u64) -> Sack {
        let near = |number: u32| next.wrapping_add_signed(number.wrapping_sub(next as u32).cast_signed().into());
        let mut sack = Sack { count: self.count, window: self.window, ..Sack::NONE };
        for (block, [start, end]) in sack.blocks.iter_mut().zip(self.blocks).take(self.count as usize) {
            *block = Block { start: near(start), end: near(end) };
        }
        sack
    }
}

/// A contiguous run of received segments with gaps before and after it: [`start`, `end`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// First segment of the run.
    pub start: u64,
    /// First missing segment after the run.
    pub end: u64,
}

impl Block {
    /// Number of segments; 0 if `end` precedes `start`.
    pub(crate) const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Intersection with the segments below `end`.
    pub(crate) fn below(self, end: u64) -> Self {
        Self { end: self.end.min(end), ..self }
    }

    pub(crate) const fn contains(self, number: u64) -> bool {
        self.start <= number && number < self.end
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// An ACK in flight carries the blocks and the window that its receiver has chosen, also near the end of 32 bits.
        #[test]
        fn a_packed_sack_is_the_same_sack(
            next in prop_oneof![0_u64..1 << 40, (1_u64 << 32) - 50..(1 << 32) + 50],
            blocks in prop::collection::vec((-1_000_000_000_i64..1_000_000_000, 0_u64..1_000_000_000), 0..=MAX_SACK_BLOCKS),
            window in prop::option::of(any::<u32>()),
        ) {
            let mut sack = Sack::NONE;
            for (distance, length) in blocks {
                let start = next.saturating_add_signed(distance);
                sack.push(Block { start, end: start + length });
            }
            sack.set_window(window);
            prop_assert_eq!(PackedSack::new(&sack).unpack(next), sack);
        }
    }
}
