//! The data receiver: immediate or delayed cumulative ACKs (RFC 5681, section 4.2; RFC 1122, section 4.2.3.2).
//!
//! A delayed ACK waits for a second segment or for the timer. The receiver immediately acknowledges out-of-order
//! segments, segments that fill a gap, duplicates (RFC 9293, section 3.10.7.4) and the SYN.
//!
//! With `sack_blocks` above 0, an ACK sent while segments are missing reports the data received beyond the gap: first the run
//! around the segment just received, then the runs reported in the previous ACK, most recent first (RFC 2018, section
//! 4).
//!
//! Differences from the RFCs:
//! - with `ack_gap_fill = false` the ACK of a segment that fills part of a gap may be delayed, as in ns-2 before April
//!   2000;
//! - with `delay_duplicates` the ACK of a duplicate of the last in-order segment may also be delayed: ns-2 only checks
//!   whether the segment is now the last in order, not whether it is new;
//! - the delay timer starts with the first segment that waits; there is no heartbeat;
//! - a run that did not fit into an ACK is not reported again until one of its segments arrives, even if later ACKs
//!   have space for it (RFC 2018, section 4, recommends reporting as many runs as fit; ns-2 behaves as this
//!   implementation does).

use ackclock_units::Time;

use crate::options::options;
use crate::packed_option::PackedOption;
use crate::segment::{Ack, Block, Sack};

options! {
    /// The parameters of a [`Receiver`].
    #[derive(Copy, Eq)]
    pub struct ReceiverConfig declared as RECEIVER {
        fields {
            /// Whether segment 0 is a SYN, which is acknowledged immediately.
            handshake: bool = true;
        }
        options {
            /// The receiver acknowledges every second packet (RFC 5681, section 4.2).
            delayed_ack: bool = true;
            /// Longest time that a delayed ACK waits for a second packet.
            delayed_ack_timeout: Time [from Time::ZERO] = Time::from_millis(200);
            /// A packet that fills a gap is acknowledged at once, even with delayed ACKs.
            ack_gap_fill: bool = true;
            /// The receiver also delays the ACK of a duplicate of the last packet in order.
            delay_duplicates: bool = false;
            /// The first packet is acknowledged at once, even with delayed ACKs. A SYN is always acknowledged at once.
            ack_first: bool = false;
            /// Maximum number of SACK blocks in an ACK, if the sender uses them (RFC 2018).
            sack_blocks: u32 [1 to 4] = 4;
        }
    }
}

/// A TCP receiver.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    rcv_nxt: u64,
    /// Disjoint runs received beyond a gap, in ascending order.
    beyond: Vec<Block>,
    /// Whether the last segment received was a duplicate.
    had_it: bool,
    /// The SACK blocks of the last ACK that had any.
    told: Option<Box<Sack>>,
    /// When the delayed ACK must be sent.
    deadline: PackedOption<Time>,
}

impl Receiver {
    /// Memory used by one run beyond a gap, in bytes.
    pub const BYTES_OF_GAP: usize = size_of::<Block>();

    /// A receiver that waits for segment 0.
    pub const fn new(config: ReceiverConfig) -> Self {
        Self { config, rcv_nxt: 0, beyond: Vec::new(), had_it: false, told: None, deadline: PackedOption::NONE }
    }

    /// Heap memory in bytes.
    pub fn held(&self) -> usize {
        self.beyond.capacity() * size_of::<Block>() + self.told.as_ref().map_or(0, |_| size_of::<Sack>())
    }

    /// Resets the receiver for a new connection.
    #[cold]
    pub fn renew(&mut self) {
        *self = Self::new(self.config);
    }

    /// The next expected segment.
    pub const fn rcv_nxt(&self) -> u64 {
        self.rcv_nxt
    }

    /// Number of data segments received in order.
    pub fn received(&self) -> u64 {
        self.rcv_nxt.saturating_sub(u64::from(self.config.handshake))
    }

    /// Whether the last segment received was a duplicate.
    pub const fn had_it(&self) -> bool {
        self.had_it
    }

    /// Handles segment `number` if it is the next one in order, nothing is missing before or after it, and ACKs are never
    /// delayed: the most frequent case. Returns the number to acknowledge; otherwise the receiver is unchanged.
    #[inline(always)]
    pub fn take_in_order(&mut self, number: u64) -> Option<u64> {
        if number != self.rcv_nxt || !self.beyond.is_empty() || self.config.delayed_ack {
            return None;
        }
        self.rcv_nxt += 1;
        self.had_it = false;
        Some(self.rcv_nxt)
    }

    /// Handles the arrival of segment `number`. Returns the ACK, or `None` if it is delayed.
    #[inline(always)]
    pub fn handle_segment(&mut self, number: u64, now: Time) -> Option<Ack<'_>> {
        let may_wait = if number == self.rcv_nxt && self.beyond.is_empty() {
            self.rcv_nxt += 1;
            self.had_it = false;
            true
        } else {
            self.place(number)
        };
        if self.config.delayed_ack
            && may_wait
            && !(number == 0 && (self.config.handshake || self.config.ack_first))
            && self.deadline.is_none()
        {
            self.deadline = PackedOption::some(now + self.config.delayed_ack_timeout);
            return None;
        }
        Some(self.acknowledge(Some(number)))
    }

    /// Handles the timer; call it at the time given by [`poll_timeout`](Self::poll_timeout).
    pub fn handle_timeout(&mut self) -> Ack<'_> {
        self.acknowledge(None)
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.deadline.get()
    }

    #[inline(always)]
    fn acknowledge(&mut self, latest: Option<u64>) -> Ack<'_> {
        self.deadline = PackedOption::NONE;
        if self.config.sack_blocks == 0 || self.beyond.is_empty() {
            return Ack::cumulative(self.rcv_nxt);
        }
        Ack { next: self.rcv_nxt, sack: self.choose_blocks(latest) }
    }

    /// Chooses the SACK blocks: the run of the latest segment, then the runs reported before, in their current extent.
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

    /// The run beyond a gap that contains segment `number`.
    fn run_of(&self, number: u64) -> Option<Block> {
        let at = self.beyond.partition_point(|run| run.end <= number);
        self.beyond.get(at).copied().filter(|run| run.contains(number))
    }

    /// Records a segment that is out of order, a duplicate, or fills a gap below other runs. Returns whether its ACK
    /// may be delayed.
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

    const AT_ONCE: ReceiverConfig = ReceiverConfig { delayed_ack: false, sack_blocks: 0, ..ReceiverConfig::DEFAULT };
    const DELAYED: ReceiverConfig =
        ReceiverConfig { delayed_ack: true, delayed_ack_timeout: Time::from_millis(100), ..AT_ONCE };

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
        // while segments are missing, a duplicate's ACK may wait only if a gap-filling segment's ACK may
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
        // RFC 2018, section 4; at most three blocks
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
        assert_eq!(
            hear(9),
            (1, vec![(8, 11), (4, 6)]),
            "two runs became one; a run missing from the last ACK is not repeated"
        );
        assert_eq!(hear(4), (1, vec![(4, 6), (8, 11)]), "a duplicate counts as the latest");
        assert_eq!(hear(1), (3, vec![(4, 6), (8, 11)]), "only runs beyond the gap");
        assert_eq!(hear(3), (6, vec![(8, 11)]));
        assert_eq!(hear(7), (6, vec![(7, 11)]));
        assert_eq!(hear(6), (11, vec![]));
    }

    proptest! {
        /// Handling a segment by `take_in_order` where it applies leaves the receiver in the same state.
        #[test]
        fn the_short_path_makes_no_difference(
            segments in prop::collection::vec(0_u64..12, 0..60),
            delayed_ack in any::<bool>(),
            ack_gap_fill in any::<bool>(),
        ) {
            let config = ReceiverConfig { delayed_ack, ack_gap_fill, sack_blocks: 3, ..ReceiverConfig::DEFAULT };
            let (mut short, mut long) = (Receiver::new(config), Receiver::new(config));
            for number in segments {
                let expected = long.handle_segment(number, Time::ZERO);
                if let Some(next) = short.take_in_order(number) {
                    prop_assert_eq!(Some(Ack::cumulative(next)), expected);
                } else {
                    prop_assert_eq!(short.handle_segment(number, Time::ZERO), expected);
                }
                prop_assert_eq!(format!("{short:?}"), format!("{long:?}"));
            }
        }

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
