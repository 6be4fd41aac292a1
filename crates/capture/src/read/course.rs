//! The course of a transfer: what one direction sent, how its segments were repeated, and what limited it.
//!
//! Limits are given as the chronographs of Linux's `tcp_info` do, from what the capture shows of them, and with the first two
//! tests of T-RAT (Zhang, Breslau, Paxson and Shenker, SIGCOMM 2002, section 4). Time counts for the *application* while
//! nothing is outstanding; for the *receiver* while its window has no room for a whole segment; for the *application* also
//! after a segment that is not whole, or while less than half of the largest flight since the last loss or mark is
//! outstanding, which the window allowed before, and packets do not wait; else for the *network*, with congestion control.
//! It differs from T-RAT: there are no flights of packets, congestion window and bandwidth are not separated, and a queue
//! shows that the application is not the limit, as with BBR, whose start has more in flight than it needs.

use super::network::{ECE, Tcp};
use super::stream::before;

/// A repeated segment after this time without packets was sent by a timeout: the smallest one of Linux.
const TIMEOUT: i64 = 200_000_000;

/// Duplicate ACKs that cause a fast retransmission (RFC 5681, section 3.2).
const DUPLICATES: u32 = 3;

/// Why a segment was sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Three duplicate ACKs, or data above it that SACK reports; also later ones up to what was sent by then.
    Fast,
    /// Nothing heard: the first segment that is not acknowledged, and those after it up to what was sent by then.
    Timeout,
    /// The last segment while others are outstanding (RFC 8985, section 7).
    Probe,
    Unknown,
}

/// What a sender waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Limit {
    /// New data: nothing is outstanding.
    Idle,
    #[default]
    Application,
    Receiver,
    Network,
}

/// The transfer of one direction, from its first data.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Bytes of data, each counted once.
    pub payload: u64,
    /// Time of the first segment with data.
    pub first: Option<i64>,
    /// Time of the last segment with new data, or of the last acknowledgment of data.
    pub last: Option<i64>,
    /// Bytes sent before the first acknowledgment of data.
    pub initial: u64,
    /// Largest number of bytes that were sent and not acknowledged.
    pub flight: u32,
    /// Nanoseconds in which the application, the receiver and the network limited the transfer.
    pub limits: [u64; 3],
    /// Largest number of outstanding bytes since the last loss or mark.
    allowed: u32,
    is_acknowledged: bool,
    duplicates: u32,
    /// Highest right edge of SACK blocks.
    sacked: Option<u32>,
    /// End of the data that was sent when the recovery began, and why it began.
    recovery: Option<(u32, Cause)>,
    /// End of the receiver's window, if its scale is known.
    edge: Option<u32>,
    limit: Limit,
    /// Whether the last data shows that the application has no more.
    is_small: bool,
    since: Option<i64>,
}

/// What an acknowledgment says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    /// Whether it acknowledges data for the first time.
    pub(super) is_new: bool,
    /// Whether it repeats the last one.
    pub(super) is_repeated: bool,
    /// Its window in bytes, if the scale is known.
    pub(super) window: Option<u32>,
}

/// What a stream knows when its transfer goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// Next sequence number that is new.
    pub(super) next: u32,
    /// Highest acknowledgment number.
    pub(super) answered: Option<u32>,
    /// Payload of a whole segment.
    pub(super) whole: u32,
    /// Whether the last round-trip time shows a queue.
    pub(super) waits: bool,
}

impl State {
    pub(super) fn outstanding(self) -> u32 {
        self.answered
            .filter(|answered| before(*answered, self.next))
            .map_or(0, |answered| self.next.wrapping_sub(answered))
    }
}

impl Course {
    pub(super) fn new(time: Option<i64>) -> Self {
        Self {
            payload: 0,
            first: time,
            last: time,
            initial: 0,
            flight: 0,
            limits: [0; 3],
            allowed: 0,
            is_acknowledged: false,
            duplicates: 0,
            sacked: None,
            recovery: None,
            edge: None,
            limit: Limit::default(),
            is_small: true,
            since: time,
        }
    }

    /// Notes new data; `state` is that after it.
    #[inline]
    pub(super) fn send(&mut self, payload: u32, state: State, time: Option<i64>) {
        self.pass(time, true);
        self.payload += u64::from(payload);
        self.initial += if self.is_acknowledged { 0 } else { u64::from(payload) };
        let outstanding = state.outstanding();
        self.flight = self.flight.max(outstanding);
        self.last = time.or(self.last);
        // a window that is reduced may be smaller than the flight before
        self.allowed = if self.recovery.is_some() { 0 } else { self.allowed.max(outstanding) };
        self.is_small = payload < state.whole || !state.waits && outstanding < self.allowed / 2;
        self.judge(state);
    }

    /// Notes an acknowledgment, which may be new or repeat the last one.
    #[inline]
    pub(super) fn hear(&mut self, tcp: &Tcp, heard: Heard, state: State, time: Option<i64>) {
        self.pass(time, false);
        if tcp.flags & ECE != 0 {
            self.allowed = 0;
        }
        if heard.is_repeated {
            self.duplicates = self.duplicates.saturating_add(1);
        } else if heard.is_new {
            self.duplicates = 0;
            self.is_acknowledged = true;
            if self.limit != Limit::Idle {
                self.last = time.or(self.last);
            }
            if self.recovery.is_some_and(|(end, _)| !before(tcp.acknowledgment, end)) {
                self.recovery = None;
            }
        }
        for (_, right) in tcp.options.blocks() {
            if before(tcp.acknowledgment, *right) && self.sacked.is_none_or(|sacked| before(sacked, *right)) {
                self.sacked = Some(*right);
            }
        }
        if state.answered == Some(tcp.acknowledgment) {
            self.edge = heard.window.map(|window| tcp.acknowledgment.wrapping_add(window));
        }
        self.judge(state);
    }

    /// Tells why a segment was sent again. `idle` is the time since the last packet of the connection, and `trip` the minimum
    /// round-trip time of the path.
    pub(super) fn again(&mut self, at: (u32, u32), state: State, idle: Option<i64>, trip: Option<i64>) -> Cause {
        let (sequence, end) = at;
        if let Some((_, cause)) =
            self.recovery.filter(|(until, cause)| *cause == Cause::Timeout && before(sequence, *until))
        {
            return cause;
        }
        let is_first = state.answered == Some(sequence);
        let limit = trip.map_or(TIMEOUT, |trip| TIMEOUT.min(trip.saturating_mul(2)));
        let cause = if is_first && idle.is_some_and(|idle| idle >= limit) {
            Cause::Timeout
        } else if self.duplicates >= DUPLICATES
            || self.sacked.is_some_and(|sacked| before(end, sacked))
            || self.recovery.is_some_and(|(until, _)| before(sequence, until))
        {
            Cause::Fast
        } else if end == state.next && !is_first {
            return Cause::Probe;
        } else {
            return Cause::Unknown;
        };
        if self.recovery.is_none() || cause == Cause::Timeout {
            self.recovery = Some((state.next, cause));
        }
        cause
    }

    /// Counts the time since the last event. While nothing is outstanding, only new data ends the wait.
    #[inline]
    fn pass(&mut self, time: Option<i64>, is_data: bool) {
        let Some(time) = time else { return };
        if self.limit == Limit::Idle && !is_data {
            return;
        }
        let passed = self.since.map_or(0, |since| u64::try_from(time.saturating_sub(since)).unwrap_or(0));
        let place = match self.limit {
            Limit::Idle | Limit::Application => 0,
            Limit::Receiver => 1,
            Limit::Network => 2,
        };
        self.limits[place] = self.limits[place].saturating_add(passed);
        self.since = Some(time);
    }

    /// Tells what the sender waits for from now on.
    #[inline]
    fn judge(&mut self, state: State) {
        let outstanding = state.outstanding();
        let has_room = |edge: u32| !before(edge, state.next.wrapping_add(state.whole));
        self.limit = if outstanding == 0 && state.answered.is_some() {
            Limit::Idle
        } else if self.edge.is_some_and(|edge| !has_room(edge)) {
            Limit::Receiver
        } else if self.is_small {
            Limit::Application
        } else {
            Limit::Network
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::ACK;
    use super::super::options::Options;
    use super::*;

    const MS: i64 = 1_000_000;

    fn ack(acknowledgment: u32, blocks: &[u8]) -> Tcp {
        Tcp { acknowledgment, flags: ACK, options: Options::parse(blocks), ..Tcp::default() }
    }

    const REPEATED: Heard = Heard { is_new: false, is_repeated: true, window: Some(1000) };

    const fn new(window: u32) -> Heard {
        Heard { is_new: true, is_repeated: false, window: Some(window) }
    }

    fn state(answered: u32, next: u32) -> State {
        State { next, answered: Some(answered), whole: 100, waits: false }
    }

    #[test]
    fn time_is_counted_for_what_limits() {
        let mut course = Course::new(Some(0));
        course.send(100, state(0, 100), Some(0));
        // 10 ms for the network; the window has room for two segments from then on
        course.hear(&ack(100, &[]), new(200), state(100, 100), Some(10 * MS));
        // 5 ms without data, then the window is full for 20 ms
        course.send(100, state(100, 200), Some(15 * MS));
        course.send(100, state(100, 300), Some(15 * MS));
        course.hear(&ack(300, &[]), new(1000), state(300, 300), Some(35 * MS));
        // a small segment: its 30 ms are the application's
        course.send(10, state(300, 310), Some(35 * MS));
        course.hear(&ack(310, &[]), new(1000), state(310, 310), Some(65 * MS));
        // an idle end does not count
        course.hear(&ack(310, &[]), REPEATED, state(310, 310), Some(999 * MS));
        assert_eq!(course.limits.map(|each| each as i64 / MS), [35, 20, 10]);
        assert_eq!((course.payload, course.initial, course.flight), (310, 100, 200));
        assert_eq!((course.first, course.last), (Some(0), Some(65 * MS)));
    }

    #[test]
    fn less_than_half_of_the_largest_flight_is_the_applications() {
        let mut course = Course::new(Some(0));
        course.send(100, state(0, 1000), Some(0));
        course.hear(&ack(900, &[]), new(9000), state(900, 1000), Some(10 * MS));
        course.send(100, state(900, 1100), Some(12 * MS));
        course.hear(&ack(1100, &[]), new(9000), state(1000, 1100), Some(20 * MS));
        assert_eq!(course.limits.map(|each| each as i64 / MS), [8, 0, 12]);
        // the same after a loss: the window is smaller now
        let mut course = Course::new(Some(0));
        course.send(100, state(0, 1000), Some(0));
        course.again((0, 100), state(0, 1000), Some(300 * MS), None);
        course.send(100, state(900, 1100), Some(12 * MS));
        course.hear(&ack(1100, &[]), new(9000), state(1000, 1100), Some(20 * MS));
        assert_eq!(course.limits.map(|each| each as i64 / MS), [0, 0, 20]);
    }

    #[test]
    fn a_queue_shows_that_the_application_is_not_the_limit() {
        let mut course = Course::new(Some(0));
        course.send(100, state(0, 1000), Some(0));
        course.hear(&ack(900, &[]), new(9000), state(900, 1000), Some(10 * MS));
        course.send(100, State { waits: true, ..state(900, 1100) }, Some(12 * MS));
        course.hear(&ack(1100, &[]), new(9000), state(1000, 1100), Some(20 * MS));
        assert_eq!(course.limits.map(|each| each as i64 / MS), [0, 0, 20]);
    }

    /// The window has room for 90 bytes more after a small segment: 100 do not fit.
    #[test]
    fn a_window_without_room_is_the_receivers() {
        let mut course = Course::new(Some(0));
        course.send(100, state(0, 100), Some(0));
        course.hear(&ack(100, &[]), new(100), state(100, 100), Some(10 * MS));
        course.send(10, state(100, 110), Some(10 * MS));
        course.hear(&ack(110, &[]), new(1000), state(110, 110), Some(30 * MS));
        assert_eq!(course.limits.map(|each| each as i64 / MS), [0, 20, 10]);
    }

    #[test]
    fn causes_of_repetition() {
        let begin = || {
            let mut course = Course::new(Some(0));
            course.send(500, state(0, 500), Some(0));
            course
        };
        let sent = state(0, 500);
        let mut course = begin();
        for _ in 0..3 {
            course.hear(&ack(0, &[]), REPEATED, sent, Some(MS));
        }
        assert_eq!(course.again((0, 100), sent, Some(1), Some(20 * MS)), Cause::Fast);
        course.hear(&ack(100, &[]), new(1000), state(100, 500), Some(2 * MS));
        assert_eq!(course.again((100, 200), state(100, 500), Some(1), Some(20 * MS)), Cause::Fast, "a partial ACK");
        // SACK of 300 to 400
        let mut course = begin();
        course.hear(&ack(0, &[5, 10, 0, 0, 1, 44, 0, 0, 1, 144]), REPEATED, sent, Some(MS));
        assert_eq!(course.again((0, 100), sent, Some(1), None), Cause::Fast);
        assert_eq!(
            course.again((0, 100), sent, Some(300 * MS), None),
            Cause::Timeout,
            "the repetition was lost as well"
        );
        assert_eq!(course.again((100, 200), sent, Some(1), None), Cause::Timeout, "and the next ones follow it");
        let mut course = begin();
        assert_eq!(course.again((400, 500), sent, Some(50 * MS), Some(20 * MS)), Cause::Probe);
        assert_eq!(course.again((0, 100), sent, Some(50 * MS), Some(20 * MS)), Cause::Timeout);
        assert_eq!(begin().again((0, 100), sent, Some(1), Some(20 * MS)), Cause::Unknown);
    }
}
