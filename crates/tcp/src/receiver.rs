//! The data receiver: cumulative ACKs, at once or delayed (RFC 5681, section 4.2; RFC 1122, section 4.2.3.2).
//!
//! A delayed ACK waits for a second segment or for the timer. Out-of-order segments and those that fill a gap are
//! acknowledged at once; so are duplicates (RFC 9293, section 3.10.7.4) and the SYN.
//!
//! With `sack_blocks` an ACK that leaves while something is missing tells what arrived beyond: the run around the segment just
//! received first, then the runs told of in the last ACK, most recent first (RFC 2018, section 4).
//!
//! How this differs from the RFCs:
//! - with `ack_gap_fill = false` a segment that fills part of a gap may wait, as in ns-2 before April 2000;
//! - with `delay_duplicates` so may a duplicate of the last segment in order: ns-2 asks only whether the segment is now the
//!   last in order, not whether it is new;
//! - the timer starts with the first segment that waits; there is no heartbeat;
//! - a run that no longer fitted into an ACK is not told again until a segment of it arrives, even if later ACKs have room
//!   (RFC 2018, section 4, says they should tell as much as they can; ns-2 does as here).

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use crate::maybe::Maybe;
use crate::segment::{Ack, Block, Sack};

/// The parameters of a [`Receiver`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiverConfig {
    /// How long an ACK may wait for a second segment; `None` acknowledges each segment at once.
    pub delayed_ack: Option<Time>,
    /// A segment that fills part of a gap is acknowledged at once.
    pub ack_gap_fill: bool,
    /// The ACK of a duplicate of the last segment in order may wait, as that of the segment itself.
    pub delay_duplicates: bool,
    /// Segment 0 is a SYN, acknowledged at once.
    pub handshake: bool,
    /// Segment 0 is acknowledged at once, also where it is data: ns-2's receiver takes it for a SYN.
    pub ack_first: bool,
    /// Most blocks of selective acknowledgment in an ACK; 0 gives none.
    pub sack_blocks: u32,
}

impl Default for ReceiverConfig {
    fn default() -> Self {
        Self {
            delayed_ack: None,
            ack_gap_fill: true,
            delay_duplicates: false,
            handshake: true,
            ack_first: false,
            sack_blocks: 0,
        }
    }
}

/// A TCP receiver.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    rcv_nxt: u64,
    /// What arrived beyond a gap, in order, apart from each other.
    beyond: Vec<Block>,
    /// The segment that came last had come before.
    had_it: bool,
    /// The blocks of the last ACK that had any.
    told: Option<Box<Sack>>,
    /// When the ACK that waits must leave.
    deadline: Maybe<Time>,
}

impl Receiver {
    /// Bytes that a run beyond a gap takes.
    pub const BYTES_OF_GAP: usize = size_of::<Block>();

    /// A receiver that waits for segment 0.
    pub const fn new(config: ReceiverConfig) -> Self {
        Self { config, rcv_nxt: 0, beyond: Vec::new(), had_it: false, told: None, deadline: Maybe::NONE }
    }

    /// Bytes of memory beyond its own size.
    pub fn held(&self) -> usize {
        self.beyond.capacity() * size_of::<Block>() + self.told.as_ref().map_or(0, |_| size_of::<Sack>())
    }

    /// Another connection: it waits for segment 0 again.
    #[cold]
    pub fn renew(&mut self) {
        *self = Self::new(self.config);
    }

    /// The next segment that it expects: what came in order so far.
    pub const fn rcv_nxt(&self) -> u64 {
        self.rcv_nxt
    }

    /// Segments of data that came in order so far.
    pub fn received(&self) -> u64 {
        self.rcv_nxt.saturating_sub(u64::from(self.config.handshake))
    }

    /// Whether the segment that came last had come before.
    pub const fn had_it(&self) -> bool {
        self.had_it
    }

    /// Segment `number` arrived; the answer, unless it waits.
    #[inline(always)]
    pub fn handle_segment(&mut self, number: u64, now: Time) -> Option<Ack<'_>> {
        let may_wait = if number == self.rcv_nxt && self.beyond.is_empty() {
            self.rcv_nxt += 1;
            self.had_it = false;
            true
        } else {
            self.place(number)
        };
        if let Some(delay) = self.config.delayed_ack
            && may_wait
            && !(number == 0 && (self.config.handshake || self.config.ack_first))
            && self.deadline.is_none()
        {
            self.deadline = Maybe::some(now + delay);
            return None;
        }
        Some(self.acknowledge(Some(number)))
    }

    /// The time of [`poll_timeout`](Self::poll_timeout) has come.
    pub fn handle_timeout(&mut self) -> Ack<'_> {
        self.acknowledge(None)
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.deadline.get()
    }

    #[inline(always)]
    fn acknowledge(&mut self, latest: Option<u64>) -> Ack<'_> {
        self.deadline = Maybe::NONE;
        if self.config.sack_blocks == 0 || self.beyond.is_empty() {
            return Ack::cumulative(self.rcv_nxt);
        }
        Ack { next: self.rcv_nxt, sack: self.choose_blocks(latest) }
    }

    /// Chooses what to tell: the run of the latest segment, then those told of last, as they are now.
    #[inline(never)]
    fn choose_blocks(&mut self, latest: Option<u64>) -> &Sack {
        let before = self.told.as_deref().copied().unwrap_or_default();
        let mut told = Sack::NONE;
        let most = self.config.sack_blocks as usize;
        for number in latest.into_iter().chain(before.blocks().iter().map(|block| block.start)) {
            if let Some(run) = self.run_of(number)
                && told.blocks().len() < most
                && !told.blocks().contains(&run)
            {
                told.push(run);
            }
        }
        let place = self.told.get_or_insert_default();
        **place = told;
        place
    }

    /// The run beyond a gap that a segment is part of.
    fn run_of(&self, number: u64) -> Option<Block> {
        let at = self.beyond.partition_point(|run| run.end <= number);
        self.beyond.get(at).copied().filter(|run| run.contains(number))
    }

    /// Takes in a segment that came before its turn, or again, or ahead of what lies beyond the gap that it fills. Returns
    /// whether its ACK may wait.
    #[inline(never)]
    fn place(&mut self, number: u64) -> bool {
        self.had_it = number < self.rcv_nxt || self.run_of(number).is_some();
        let may_wait = self.beyond.is_empty() || !self.config.ack_gap_fill;
        if number != self.rcv_nxt {
            if number > self.rcv_nxt {
                self.keep(number);
            }
            return self.config.delay_duplicates && number + 1 == self.rcv_nxt && may_wait;
        }
        self.rcv_nxt += 1;
        let fills = self.beyond[0].start == self.rcv_nxt;
        if fills {
            self.rcv_nxt = self.beyond.remove(0).end;
        }
        !fills && may_wait
    }

    fn keep(&mut self, number: u64) {
        let at = self.beyond.partition_point(|run| run.end < number);
        match self.beyond.get_mut(at) {
            Some(run) if run.contains(number) => {}
            Some(run) if run.end == number => {
                run.end += 1;
                if self.beyond.get(at + 1).is_some_and(|next| next.start == number + 1) {
                    let next = self.beyond.remove(at + 1);
                    self.beyond[at].end = next.end;
                }
            }
            Some(run) if run.start == number + 1 => run.start = number,
            _ => self.beyond.insert(at, Block { start: number, end: number + 1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AT_ONCE: ReceiverConfig = ReceiverConfig {
        delayed_ack: None,
        ack_gap_fill: true,
        delay_duplicates: false,
        handshake: true,
        ack_first: false,
        sack_blocks: 0,
    };
    const DELAYED: ReceiverConfig = ReceiverConfig { delayed_ack: Some(Time::from_millis(100)), ..AT_ONCE };

    fn answers(config: ReceiverConfig, segments: &[u64]) -> Vec<Option<u64>> {
        let mut receiver = Receiver::new(config);
        segments.iter().map(|number| receiver.handle_segment(*number, Time::ZERO).map(|ack| ack.next)).collect()
    }

    #[test]
    fn every_segment_is_acknowledged_cumulatively() {
        let expected = [Some(1), Some(1), Some(1), Some(4), Some(4)];
        assert_eq!(answers(AT_ONCE, &[0, 2, 3, 1, 1]), expected);
    }

    #[test]
    fn delayed_acks_cover_two_segments_and_never_a_gap() {
        assert_eq!(answers(DELAYED, &[0, 1, 2, 3]), [Some(1), None, Some(3), None]);
        assert_eq!(answers(DELAYED, &[0, 2, 4, 1, 3]), [Some(1), Some(1), Some(1), Some(3), Some(5)]);
    }

    #[test]
    fn a_partly_filled_gap_may_wait_where_it_is_told_so() {
        let old = ReceiverConfig { ack_gap_fill: false, ..DELAYED };
        assert_eq!(answers(old, &[0, 3, 1, 2]), [Some(1), Some(1), None, Some(4)]);
    }

    #[test]
    fn a_duplicate_of_the_last_segment_in_order_may_wait_where_it_is_told_so() {
        let told = ReceiverConfig { delay_duplicates: true, ..DELAYED };
        assert_eq!(answers(DELAYED, &[0, 1, 1, 1]), [Some(1), None, Some(2), Some(2)]);
        assert_eq!(answers(told, &[0, 1, 2, 2, 2, 2, 3]), [Some(1), None, Some(3), None, Some(3), None, Some(4)]);
        assert_eq!(answers(told, &[0, 1, 2, 1, 2, 4]), [Some(1), None, Some(3), Some(3), None, Some(3)]);
        assert_eq!(answers(told, &[0, 0]), [Some(1), Some(1)], "a SYN never waits");
        // while something is missing it waits as a part of a gap does
        assert_eq!(answers(told, &[0, 1, 3, 1, 1]), [Some(1), None, Some(2), Some(2), Some(2)]);
        let old = ReceiverConfig { ack_gap_fill: false, ..told };
        assert_eq!(answers(old, &[0, 1, 3, 1, 1]), [Some(1), None, Some(2), None, Some(2)]);
        assert_eq!(answers(old, &[0, 3, 1, 1, 2]), [Some(1), Some(1), None, Some(2), Some(4)]);
    }

    #[test]
    fn the_first_segment_may_wait_where_it_is_no_syn() {
        let told = ReceiverConfig { handshake: false, ..DELAYED };
        assert_eq!(answers(told, &[0, 1, 2]), [None, Some(2), None]);
        assert_eq!(answers(ReceiverConfig { ack_first: true, ..told }, &[0, 1, 2]), [Some(1), None, Some(3)]);
    }

    #[test]
    fn the_timer_sends_the_ack_that_waits() {
        let mut receiver = Receiver::new(DELAYED);
        receiver.handle_segment(0, Time::ZERO);
        assert_eq!(receiver.poll_timeout(), None);
        assert_eq!(receiver.handle_segment(1, Time::from_millis(5)), None);
        assert_eq!(receiver.poll_timeout(), Some(Time::from_millis(105)));
        assert_eq!(receiver.handle_timeout(), Ack::cumulative(2));
        assert_eq!(receiver.poll_timeout(), None);
    }

    #[test]
    fn blocks_tell_the_latest_run_first_and_repeat_those_told_last() {
        // RFC 2018, section 4; at most three, as here
        let mut receiver = Receiver::new(ReceiverConfig { sack_blocks: 3, ..AT_ONCE });
        let mut hear = |number| {
            let ack = receiver.handle_segment(number, Time::ZERO).unwrap();
            (ack.next, ack.sack.blocks().iter().map(|block| (block.start, block.end)).collect::<Vec<_>>())
        };
        assert_eq!(hear(0), (1, vec![]));
        assert_eq!(hear(2), (1, vec![(2, 3)]));
        assert_eq!(hear(4), (1, vec![(4, 5), (2, 3)]));
        assert_eq!(hear(5), (1, vec![(4, 6), (2, 3)]));
        assert_eq!(hear(8), (1, vec![(8, 9), (4, 6), (2, 3)]));
        assert_eq!(hear(10), (1, vec![(10, 11), (8, 9), (4, 6)]), "the oldest no longer fits");
        assert_eq!(hear(9), (1, vec![(8, 11), (4, 6)]), "two runs became one; what was not told last is not repeated");
        assert_eq!(hear(4), (1, vec![(4, 6), (8, 11)]), "a duplicate counts as the latest");
        assert_eq!(hear(1), (3, vec![(4, 6), (8, 11)]), "only what lies beyond the gap");
        assert_eq!(hear(3), (6, vec![(8, 11)]));
        assert_eq!(hear(7), (6, vec![(7, 11)]));
        assert_eq!(hear(6), (11, vec![]));
    }

    proptest! {
        #[test]
        fn any_order_with_duplicates_ends_at_the_first_segment_missing(mut segments in prop::collection::vec(0_u64..40, 0..120)) {
            let mut receiver = Receiver::new(AT_ONCE);
            for number in &segments {
                receiver.handle_segment(*number, Time::ZERO);
                let runs = &receiver.beyond;
                prop_assert!(runs.iter().all(|run| run.start < run.end && run.start > receiver.rcv_nxt));
                prop_assert!(runs.windows(2).all(|pair| pair[0].end < pair[1].start));
            }
            segments.sort_unstable();
            segments.dedup();
            let first_missing = (0..=40).find(|number| segments.binary_search(number).is_err()).unwrap();
            prop_assert_eq!(receiver.rcv_nxt(), first_missing);
        }
    }
}
