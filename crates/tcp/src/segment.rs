//! What endpoints exchange.

/// Bytes of an IPv4 and a TCP header without options: the size of a SYN and of a pure ACK.
pub const HEADER: u32 = 40;

/// A segment on its way to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its place in sequence space, counted in segments.
    pub number: u64,
    /// Bytes on the wire.
    pub size: u32,
    /// It opens the connection and carries no data.
    pub syn: bool,
    /// It was sent before.
    pub retransmission: bool,
}

/// A cumulative acknowledgment on its way to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack<'a> {
    /// The next segment that the receiver expects: all before it have arrived.
    pub next: u64,
    /// What arrived beyond that.
    pub sack: &'a Sack,
}

impl Ack<'_> {
    /// An ACK for all before `next`, and nothing beyond.
    pub const fn cumulative(next: u64) -> Self {
        Self { next, sack: &Sack::NONE }
    }

    /// Bytes on the wire: eight for each block. The option's own two bytes and its padding are left out, as in ns-2.
    pub const fn size(&self) -> u32 {
        HEADER + 8 * self.sack.count as u32
    }
}

/// Most blocks that fit into an ACK without other options (RFC 2018, section 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// A selective acknowledgment: blocks, the most recent first (RFC 2018).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sack {
    blocks: [Block; MAX_SACK_BLOCKS],
    count: usize,
}

impl Sack {
    /// Without a block.
    pub const NONE: Self = Self { blocks: [Block { start: 0, end: 0 }; MAX_SACK_BLOCKS], count: 0 };

    /// With these blocks; what is beyond [`MAX_SACK_BLOCKS`] does not fit.
    pub fn of(blocks: &[Block]) -> Self {
        let mut sack = Self::NONE;
        for block in blocks {
            sack.push(*block);
        }
        sack
    }

    /// Its blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks[..self.count]
    }

    /// Whether there is no block.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a block, if there is room.
    pub(crate) fn push(&mut self, block: Block) {
        if let Some(place) = self.blocks.get_mut(self.count) {
            *place = block;
            self.count += 1;
        }
    }
}

/// Segments that arrived one next to the other, with gaps before and behind: [`start`, `end`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The first of them.
    pub start: u64,
    /// The first behind them that is missing.
    pub end: u64,
}

impl Block {
    /// How many segments there are; none in a block whose ends are the wrong way round.
    pub(crate) const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// What it shares with the segments below `end`.
    pub(crate) fn below(self, end: u64) -> Self {
        Self { end: self.end.min(end), ..self }
    }

    /// What both have.
    pub(crate) fn overlap(self, other: Self) -> Self {
        Self { start: self.start.max(other.start), end: self.end.min(other.end) }
    }

    pub(crate) const fn contains(self, number: u64) -> bool {
        self.start <= number && number < self.end
    }
}
