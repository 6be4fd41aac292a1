//! The sender's record of data received beyond the cumulative ACK: RFC 6675, section 4.

use std::collections::VecDeque;

use crate::segment::{Block, MAX_SACK_BLOCKS};

/// Selectively acknowledged segments, stored as runs: memory grows with the number of gaps, not with the window.
///
/// Also stores `high_rxt`, the end of the retransmitted range, because `pipe` depends on the number of received
/// segments below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    /// Received runs: disjoint, in ascending order, all above `snd_una`.
    runs: VecDeque<Block>,
    /// Number of segments in `runs`.
    sacked: u64,
    /// Every hole below this segment was retransmitted in this recovery or needs no retransmission.
    high_rxt: u64,
    /// Number of segments in `runs` below `high_rxt`.
    sacked_below: u64,
    /// Blocks of the last ACK, all of them known, by the last 32 bits of their segments, which differ within a window. Most
    /// ACKs repeat all but the first one.
    last: [[u32; 2]; MAX_SACK_BLOCKS],
}

impl Scoreboard {
    /// Heap memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.runs.capacity() * size_of::<Block>()
    }

    /// Number of segments received beyond the cumulative ACK.
    pub(crate) const fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Whether a block can come from a correct receiver: it lies entirely above `snd_una` and within the data sent.
    pub(crate) const fn is_valid(block: Block, snd_una: u64, snd_max: u64) -> bool {
        snd_una < block.start && block.start < block.end && block.end <= snd_max
    }

    /// Number of segments of a range that have not arrived.
    pub(crate) fn missing(&self, range: Block) -> u64 {
        let arrived = |run: &Block| Block { start: run.start.max(range.start), end: run.end }.below(range.end).len();
        range.len() - self.runs.iter().map(arrived).sum::<u64>()
    }

    /// Clears the scoreboard.
    pub(crate) fn clear(&mut self) {
        self.runs.clear();
        self.last = Default::default();
        (self.sacked, self.high_rxt, self.sacked_below) = (0, 0, 0);
    }

    /// Removes all segments before `snd_una`, which are acknowledged.
    pub(crate) fn acknowledge(&mut self, snd_una: u64) {
        while let Some(run) = self.runs.front_mut()
            && run.start < snd_una
        {
            let gone = run.below(snd_una);
            self.sacked -= gone.len();
            self.sacked_below -= gone.below(self.high_rxt).len();
            run.start = gone.end;
            if run.len() == 0 {
                self.runs.pop_front();
            }
        }
        if self.high_rxt < snd_una {
            self.high_rxt = snd_una;
            self.sacked_below = 0;
        }
    }

    /// Adds the blocks of an ACK, at most [`MAX_SACK_BLOCKS`], and returns whether they contain anything new. A block not entirely above `snd_una`
    /// and below `snd_max` cannot come from a correct receiver and is ignored.
    pub(crate) fn update(&mut self, blocks: &[Block], snd_una: u64, snd_max: u64) -> bool {
        let before = self.sacked;
        self.take_new(blocks, snd_una, snd_max, |_| ());
        self.sacked > before
    }

    /// The same. Calls `visit` with each range of new segments, in ascending order.
    #[inline(always)]
    pub(crate) fn take_new(&mut self, blocks: &[Block], snd_una: u64, snd_max: u64, mut visit: impl FnMut(Block)) {
        let known = self.last;
        let (mut unknown, mut count) = ([Block::default(); MAX_SACK_BLOCKS], 0);
        for (place, (block, last)) in blocks.iter().zip(&mut self.last).enumerate() {
            *last = [block.start as u32, block.end as u32];
            if known[place] != *last && !known.contains(last) {
                if Self::is_valid(*block, snd_una, snd_max) {
                    unknown[count] = *block;
                    count += 1;
                } else {
                    *last = [0; 2];
                }
            }
        }
        let unknown = &mut unknown[..count];
        unknown.sort_unstable_by_key(|block| block.start);
        for block in unknown {
            self.add(*block, &mut visit);
        }
    }

    #[inline(always)]
    fn add(&mut self, block: Block, visit: &mut impl FnMut(Block)) {
        // merge all runs that touch the block; usually it is above all of them, or extends the last one
        let first = match self.runs.back() {
            Some(run) if run.start <= block.start => self.runs.len() - usize::from(run.end >= block.start),
            _ => self.runs.partition_point(|run| run.end < block.start),
        };
        let Block { mut start, mut end } = block;
        let mut next = start;
        let mut last = first;
        while let Some(run) = self.runs.get(last).copied()
            && run.start <= block.end
        {
            self.count_new(Block { start: next, end: run.start }, visit);
            (start, end) = (start.min(run.start), end.max(run.end));
            next = run.end;
            last += 1;
        }
        self.count_new(Block { start: next, end: block.end }, visit);
        if first == last {
            self.runs.insert(first, block);
        } else {
            self.runs[first] = Block { start, end };
            if first + 1 < last {
                self.runs.drain(first + 1..last);
            }
        }
    }

    /// Counts a range of new segments, unless it is empty.
    #[inline(always)]
    fn count_new(&mut self, range: Block, visit: &mut impl FnMut(Block)) {
        if range.start < range.end {
            self.sacked += range.len();
            self.sacked_below += range.below(self.high_rxt).len();
            visit(range);
        }
    }

    /// The highest segment such that it and at least `count - 1` segments above it have arrived. Every hole below that
    /// segment is lost according to RFC 6675's `IsLost` with a threshold of `count`.
    pub(crate) fn lost_below(&self, count: u64) -> Option<u64> {
        let mut left = count;
        for run in self.runs.iter().rev() {
            if run.len() >= left {
                return Some(run.end - left);
            }
            left -= run.len();
        }
        None
    }

    /// Starts a recovery or RFC 6675's limited transmit: no segment at or above `number` counts as retransmitted any
    /// more.
    pub(crate) fn restart_at(&mut self, number: u64) {
        self.high_rxt = number;
        self.sacked_below =
            self.runs.iter().take_while(|run| run.start < number).map(|run| run.below(number).len()).sum();
    }

    /// The first hole not yet retransmitted that lies below an arrived segment.
    pub(crate) fn next_hole(&self) -> Option<u64> {
        let at = self.runs.partition_point(|run| run.end <= self.high_rxt);
        let run = self.runs.get(at)?;
        if !run.contains(self.high_rxt) {
            return Some(self.high_rxt);
        }
        self.runs.get(at + 1).map(|_| run.end)
    }

    /// Marks the [next hole](Self::next_hole), `number`, as retransmitted.
    pub(crate) fn retransmitted(&mut self, number: u64) {
        self.sacked_below += number - self.high_rxt;
        self.high_rxt = number + 1;
    }

    /// The first segment at or after `number` that is not known to have arrived.
    pub(crate) fn skip(&self, number: u64) -> u64 {
        let at = self.runs.partition_point(|run| run.end <= number);
        self.runs.get(at).filter(|run| run.contains(number)).map_or(number, |run| run.end)
    }

    /// The last segment before `snd_max` that is not known to have arrived.
    pub(crate) fn highest_hole(&self, snd_max: u64) -> u64 {
        let last = self.runs.back().filter(|run| run.end == snd_max);
        last.map_or(snd_max, |run| run.start) - 1
    }

    /// RFC 6675's `SetPipe`: outstanding segments that are neither lost nor received, plus retransmitted holes.
    pub(crate) fn pipe(&self, snd_una: u64, snd_max: u64, lost_after: u64) -> u64 {
        let unknown = match self.lost_below(lost_after) {
            Some(lost) => snd_max - lost - lost_after,
            None => snd_max - snd_una - self.sacked,
        };
        unknown + self.high_rxt.saturating_sub(snd_una) - self.sacked_below
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const fn block(start: u64, end: u64) -> Block {
        Block { start, end }
    }

    fn board(blocks: &[Block]) -> Scoreboard {
        let mut board = Scoreboard::default();
        board.update(blocks, 0, 1_000);
        board.restart_at(1);
        board
    }

    #[test]
    fn blocks_merge_where_they_touch() {
        let board = board(&[block(5, 7), block(9, 10), block(7, 8), block(2, 3)]);
        assert_eq!(board.runs, [block(2, 3), block(5, 8), block(9, 10)]);
        assert_eq!(board.sacked, 5);
    }

    #[test]
    fn only_what_a_receiver_can_know_counts() {
        let mut board = Scoreboard::default();
        let nonsense =
            [block(3, 6), block(4, 5), block(8, 7), block(7, 7), block(9, 11), block(20, 30), block(0, u64::MAX)];
        assert!(!board.update(&nonsense, 4, 10));
        assert!(board.runs.is_empty());
        assert!(board.update(&[block(5, 10)], 4, 10));
        assert!(!board.update(&[block(5, 10), block(6, 7)], 4, 10), "no news");
        // a block that was ignored counts once it is possible
        assert!(!board.update(&[block(9, 11)], 4, 10));
        assert!(board.update(&[block(9, 11)], 4, 11));
    }

    #[test]
    fn a_hole_is_lost_when_three_arrived_above_it() {
        // RFC 6675, section 4, IsLost
        let board = board(&[block(2, 3), block(5, 6), block(8, 9)]);
        assert_eq!(board.lost_below(3), Some(2));
        assert_eq!(board.lost_below(1), Some(8));
        assert_eq!(board.lost_below(4), None);
    }

    #[test]
    fn holes_are_sent_again_once_in_order() {
        let mut board = board(&[block(2, 4), block(6, 7)]);
        let mut sent = Vec::new();
        while let Some(hole) = board.next_hole() {
            board.retransmitted(hole);
            sent.push(hole);
        }
        assert_eq!(sent, [1, 4, 5]);
        assert_eq!(board.sacked_below, 2);
        assert_eq!((board.highest_hole(7), board.highest_hole(9)), (5, 8));
        assert_eq!((board.skip(2), board.skip(4), board.skip(100)), (4, 4, 100));
    }

    proptest! {
        #[test]
        fn counts_agree_with_a_set(
            blocks in prop::collection::vec((1_u64..60, 1_u64..8), 0..30),
            acked in 0_u64..40,
            high_rxt in 0_u64..60,
        ) {
            // reference: the same counts, computed segment by segment
            const SND_MAX: u64 = 60;
            let (mut board, mut set) = (Scoreboard::default(), BTreeSet::new());
            let half = blocks.len() / 2;
            for (at, (start, length)) in blocks.iter().enumerate() {
                if at == half {
                    board.restart_at(high_rxt);
                }
                let una = if at > half { acked } else { 0 };
                board.acknowledge(una);
                set.retain(|number| *number >= una);
                let new = block(*start, start + length);
                let before = set.len();
                if new.start > una && new.end <= SND_MAX {
                    set.extend(new.start..new.end);
                }
                prop_assert_eq!(board.update(&[new], una, SND_MAX), set.len() > before);
                prop_assert!(!board.update(&[new], una, SND_MAX), "a repeated block is no news");
                prop_assert_eq!(board.sacked, set.len() as u64);
                prop_assert_eq!(board.sacked_below, set.range(..board.high_rxt).count() as u64);
                prop_assert!(board.runs.iter().zip(board.runs.iter().skip(1)).all(|(a, b)| a.end < b.start));
                let lost = set.iter().rev().nth(2).copied();
                prop_assert_eq!(board.lost_below(3), lost);
                let pipe = (una..SND_MAX).filter(|number| !set.contains(number)).map(|number| {
                    u64::from(lost.is_none_or(|lost| number > lost)) + u64::from(number < board.high_rxt)
                });
                prop_assert_eq!(board.pipe(una, SND_MAX, 3), pipe.sum::<u64>());
                let from = board.high_rxt;
                let hole = (from..SND_MAX).find(|number| !set.contains(number));
                prop_assert_eq!(board.next_hole(), hole.filter(|hole| set.range(hole..).next().is_some()));
            }
        }
    }
}
