//! One direction of a TCP conversation, as it is seen at the point of capture.
//!
//! A segment that begins below the highest sequence number sent was either *sent again*, or *overtaken* by those that were
//! sent after it. If its data was seen before, it was sent again. If it fills a hole, its timestamp or its IPv4 identification
//! shows whether it was sent before the segment that left the hole; otherwise the time since then decides, and the answer is
//! *uncertain*: a segment cannot be sent again before a round trip has passed.

use std::collections::VecDeque;

use super::course::{Cause, Course, Heard, State};
use super::histogram::Histogram;
use super::network::{ACK, CWR, ECE, FIN, Ip, SYN, Tcp};

/// Maximum number of holes that are remembered.
const MOST_HOLES: usize = 32;

/// Maximum number of segments that are timed at once: before any acknowledgment was captured, and from then on.
const MOST_UNANSWERED: usize = 32;
const MOST_TIMED: usize = 512;

/// Without a known round-trip time, a segment that fills a hole later than this was sent again; `tshark` has the same limit.
const LATE: i64 = 3_000_000;

/// Longest round-trip time that counts: a clock was set if more time has passed.
const LONGEST_TRIP: i64 = 3_600_000_000_000;

/// Largest payload of an Ethernet frame.
const FRAME: u32 = 1460;

/// A round-trip time shows a queue if it exceeds the minimum by a quarter, or by this time in nanoseconds.
const WAIT: u64 = 5_000_000;

/// Largest step of a counter of IPv4 identifications.
const MOST_STEP: u16 = 1 << 10;

/// What a segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Sent for the first time, or without data.
    New,
    /// Sent again.
    Again,
    /// Sent for the first time, and overtaken by others.
    Overtaken,
}

/// Counts of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Segments with data, SYN or FIN that were sent again.
    pub retransmissions: u64,
    /// Those that duplicate ACKs or SACK caused, timeouts, and probes of the tail; the cause of the others is unknown.
    pub fast: u64,
    /// Sent again after a timeout.
    pub timeouts: u64,
    /// Sent again as the probe of a tail.
    pub probes: u64,
    /// Segments that arrived twice, as the receiver reports (RFC 2883).
    pub spurious: u64,
    /// ACKs with SACK blocks.
    pub sacks: u64,
    /// Segments that were overtaken by others.
    pub overtaken: u64,
    /// Those of both that the time alone decides.
    pub uncertain: u64,
    /// ACKs that repeat the last one while data is outstanding (RFC 5681, section 2).
    pub duplicate_acks: u64,
    /// Segments that advertise a window of zero.
    pub zero_windows: u64,
    /// Segments with RST.
    pub resets: u64,
    /// Segments with FIN.
    pub fins: u64,
    /// Packets marked CE (RFC 3168).
    pub marks: u64,
    /// Segments with ECE and with CWR, but without SYN.
    pub echoes: u64,
    /// Segments with CWR, but without SYN.
    pub reductions: u64,
    /// Segments that were acknowledged but not captured, as many as their bytes need in segments of the largest size.
    pub missed: u64,
    /// Their bytes.
    pub missed_bytes: u64,
    /// Segments whose TCP header was not captured; they count nowhere else.
    pub unread: u64,
    /// Packets captured before, at this or another point; they count nowhere else.
    pub copies: u64,
    /// Number of round-trip samples, as seen at the point of capture.
    pub round_trips: u64,
    /// Sum of round-trip times in nanoseconds; 0 without samples.
    pub round_trip_sum: u64,
    /// Minimum round-trip time in nanoseconds; 0 without samples.
    pub round_trip_least: u64,
}

/// Sequence numbers that were not seen, and the segment that showed it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hole {
    from: u32,
    to: u32,
    id: u16,
    stamp: Option<u32>,
    time: Option<i64>,
}

/// A segment that waits for its acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Timed {
    end: u32,
    time: i64,
    /// `TSval` if the segment was sent again: only its echo shows that it was acknowledged (RFC 7323, section 4).
    stamp: Option<u32>,
}

/// One direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Stream {
    pub(super) counts: Counts,
    /// Sequence number of the SYN.
    pub(super) initial: Option<u32>,
    /// Next sequence number that is new.
    pub(super) next: Option<u32>,
    /// Highest acknowledgment number from the other end.
    answered: Option<u32>,
    window: u16,
    /// End of the last probe of a closed window, which may be accepted.
    probed: Option<u32>,
    /// Largest payload, and the largest one that an Ethernet frame carries: larger ones are several segments (offload).
    largest: u32,
    framed: u32,
    /// The last round-trip time in nanoseconds.
    last_trip: u64,
    holes: Vec<Hole>,
    /// Whether holes were forgotten.
    forgot: bool,
    /// The last identification of new data, and how many of the last ones were small steps up, or not.
    id: u16,
    steps: [u16; 2],
    /// Ends of segments in flight and the times when they were seen, one of `stride` segments.
    timed: VecDeque<Timed>,
    stride: u32,
    skipped: u32,
    /// Round-trip times in nanoseconds.
    pub(super) trips: Histogram,
    /// Round-trip time of the SYN.
    pub(super) handshake: Option<i64>,
    /// The transfer, from the first data on.
    pub(super) course: Option<Box<Course>>,
}

impl Stream {
    /// Forgets the sequence numbers of an earlier connection.
    pub(super) fn restart(&mut self) {
        *self = Self { counts: self.counts, ..Self::default() };
    }

    /// Whether an ACK repeats the last one while data is outstanding. `own` is the stream of its sender.
    pub(super) fn is_repeated(&self, tcp: &Tcp, own: &Self) -> bool {
        tcp.payload == 0
            && tcp.flags & (SYN | FIN | ACK) == ACK
            && self.answered == Some(tcp.acknowledgment)
            && own.window == tcp.window
            && self.next.is_some_and(|next| before(tcp.acknowledgment, next))
    }

    /// Whether its sender's window is closed.
    pub(super) const fn is_closed(&self) -> bool {
        self.window == 0
    }

    /// Minimum round-trip time in nanoseconds, from the point of capture to the receiver and back.
    pub(super) fn trip(&self) -> Option<i64> {
        let Counts { round_trips, round_trip_least, .. } = self.counts;
        (round_trips > 0).then_some(round_trip_least as i64)
    }

    /// Processes an acknowledgment from the other end: completes round-trip samples, and counts what was acknowledged but not
    /// seen. Returns whether it is new.
    #[inline]
    pub(super) fn acknowledge(&mut self, tcp: &Tcp, time: Option<i64>) -> bool {
        let acknowledgment = tcp.acknowledgment;
        let is_first = self.answered.is_none();
        if self.answered.is_some_and(|answered| before(acknowledgment, answered)) {
            return false;
        }
        let is_new = self.answered != Some(acknowledgment);
        self.answered = Some(acknowledgment);
        let mut sent = None;
        while let Some(timed) = self.timed.front().filter(|timed| !before(acknowledgment, timed.end)) {
            sent = Some(*timed);
            self.timed.pop_front();
        }
        if self.timed.len() < MOST_TIMED / 8 {
            self.stride = (self.stride / 2).max(1);
        }
        let echo = tcp.options.stamps.map(|(_, echo)| echo);
        if let Some((sent, time)) = sent.filter(|sent| sent.stamp.is_none() || sent.stamp == echo).zip(time) {
            self.sample(time.saturating_sub(sent.time));
            if self.initial.is_some_and(|initial| initial.wrapping_add(1) == acknowledgment) {
                self.handshake.get_or_insert(time.saturating_sub(sent.time));
            }
        }
        let Some(next) = self.next else { return is_new };
        while let Some(hole) = self.holes.first_mut().filter(|hole| before(hole.from, acknowledgment)) {
            let to = if before(acknowledgment, hole.to) { acknowledgment } else { hole.to };
            let bytes = to.wrapping_sub(hole.from);
            hole.from = to;
            if hole.from == hole.to {
                self.holes.remove(0);
            }
            self.miss(bytes);
        }
        if before(next, acknowledgment) {
            self.next = Some(acknowledgment);
            // data that was acknowledged first was perhaps sent before the capture began
            if !is_first && self.probed != Some(acknowledgment) {
                self.miss(acknowledgment.wrapping_sub(next));
            }
        }
        is_new
    }

    /// Processes an acknowledgment for the transfer: after [`acknowledge`](Self::acknowledge).
    #[inline]
    pub(super) fn hear(&mut self, tcp: &Tcp, heard: Heard, time: Option<i64>) {
        if let [(left, right), others @ ..] = tcp.options.blocks() {
            let is_inside = |&(from, to): &(u32, u32)| !before(*left, from) && !before(to, *right);
            // RFC 2883, section 4: the first block is below the acknowledgment, or part of the second one
            let is_twice = !before(tcp.acknowledgment, *right) || others.first().is_some_and(is_inside);
            self.counts.spurious += u64::from(is_twice);
        }
        let Some(state) = self.state() else { return };
        if let Some(course) = &mut self.course {
            course.hear(tcp, heard, state, time);
        }
    }

    fn state(&self) -> Option<State> {
        self.next.map(|next| State { next, answered: self.answered, whole: self.whole(), waits: self.waits() })
    }

    /// Payload of a whole segment.
    const fn whole(&self) -> u32 {
        if self.framed >= FRAME / 2 || self.largest <= FRAME { self.framed } else { FRAME }
    }

    /// Whether the last round-trip time shows a queue.
    fn waits(&self) -> bool {
        let Counts { round_trips, round_trip_least: least, .. } = self.counts;
        round_trips > 0 && self.last_trip > least + (least / 4).min(WAIT)
    }

    /// Bytes that were sent and not acknowledged; `None` without an acknowledgment.
    pub(super) fn outstanding(&self) -> Option<u32> {
        self.answered.and(self.state()).map(State::outstanding)
    }

    /// Notes new data in the transfer.
    #[inline]
    fn send(&mut self, payload: u32, time: Option<i64>) {
        if payload > 0
            && let Some(state) = self.state()
        {
            self.course.get_or_insert_with(|| Box::new(Course::new(time))).send(payload, state, time);
        }
    }

    fn miss(&mut self, bytes: u32) {
        self.counts.missed_bytes += u64::from(bytes);
        self.counts.missed += u64::from(bytes.div_ceil(self.whole().max(1)));
    }

    fn sample(&mut self, trip: i64) {
        let Counts { round_trips, round_trip_sum, round_trip_least, .. } = &mut self.counts;
        if let Ok(trip) = u64::try_from(trip)
            && trip <= LONGEST_TRIP as u64
        {
            *round_trip_least = if *round_trips == 0 { trip } else { trip.min(*round_trip_least) };
            *round_trips += 1;
            *round_trip_sum = round_trip_sum.saturating_add(trip);
            self.last_trip = trip;
            self.trips.add(trip);
        }
    }

    /// Counts the flags and codepoints of a segment.
    pub(super) fn count(&mut self, ip: &Ip<'_>, tcp: &Tcp) {
        let is = |flag: u8| u64::from(tcp.flags & (SYN | flag) == flag);
        self.counts.zero_windows += u64::from(tcp.window == 0 && tcp.flags & (SYN | FIN) == 0);
        self.counts.sacks += u64::from(!tcp.options.blocks().is_empty());
        self.counts.fins += u64::from(tcp.flags & FIN != 0);
        self.counts.marks += u64::from(ip.service & 3 == 3);
        self.counts.echoes += is(ECE);
        self.counts.reductions += is(CWR);
        self.window = tcp.window;
    }

    /// Tracks a segment; returns what it is. `probes` tells whether the receiver's window was closed, `idle` is the time since
    /// the connection's last packet in nanoseconds, and `trip` the minimum round-trip time of the whole path, if it is known.
    ///
    /// A keep-alive (the last byte again, or an empty segment just before the next byte) is not sent again, nor is a segment
    /// with the last byte again and new data, as sent after a rejected window probe. A zero-window probe does not count as
    /// sent data.
    pub(super) fn segment(
        &mut self,
        ip: &Ip<'_>,
        tcp: &Tcp,
        time: Option<i64>,
        probes: bool,
        idle: Option<i64>,
        trip: Option<i64>,
    ) -> Fate {
        let is_flagged = tcp.flags & (SYN | FIN) != 0;
        if tcp.flags & SYN != 0 {
            self.initial.get_or_insert(tcp.sequence);
        }
        self.largest = self.largest.max(tcp.payload);
        if tcp.payload <= FRAME {
            self.framed = self.framed.max(tcp.payload);
        }
        let end = tcp.sequence.wrapping_add(tcp.payload).wrapping_add(u32::from(is_flagged));
        let is_empty = tcp.payload == 0 && !is_flagged;
        let Some(next) = self.next else {
            (self.next, self.id) = (Some(end), ip.id);
            if !is_empty {
                self.time(end, time, None);
                self.send(tcp.payload, time);
            }
            return Fate::New;
        };
        if before(next, tcp.sequence) {
            self.leave(next, tcp.sequence, ip, time);
            self.next = Some(tcp.sequence);
        }
        if is_empty {
            return Fate::New;
        }
        let is_last = !is_flagged && tcp.sequence == next.wrapping_sub(1);
        if is_last && tcp.payload <= 1 {
            return Fate::New;
        }
        let is_acknowledged = self.answered.is_some_and(|answered| !before(answered, end));
        if is_acknowledged || before(tcp.sequence, next) && !is_last {
            let (fate, is_sure) = self.late(tcp.sequence, end, ip, time, trip);
            match fate {
                Fate::Overtaken => {
                    self.counts.overtaken += 1;
                    self.send(tcp.payload, time);
                }
                _ => self.repeat(tcp, end, idle, trip),
            }
            self.counts.uncertain += u64::from(!is_sure);
            // Karn's rule: an acknowledgment could now refer to either transmission (RFC 6298, section 3). Those of later
            // segments wait for this one.
            self.timed.retain(|timed| !before(tcp.sequence, timed.end));
            if let Some(stamp) = tcp.options.stamp() {
                self.time(end, time, Some(stamp));
            }
            if before(next, end) {
                self.next = Some(end);
            }
            return fate;
        }
        let is_probe = tcp.payload == 1 && tcp.sequence == next && probes;
        if is_probe {
            self.probed = Some(end);
        } else {
            self.next = Some(end);
            self.step(ip.id);
            self.time(end, time, None);
            self.send(tcp.payload, time);
        }
        Fate::New
    }

    /// Counts a segment that was sent again, by its cause.
    fn repeat(&mut self, tcp: &Tcp, end: u32, idle: Option<i64>, trip: Option<i64>) {
        self.counts.retransmissions += 1;
        let cause = match (self.state(), &mut self.course) {
            _ if tcp.flags & SYN != 0 => Cause::Timeout,
            (Some(state), Some(course)) => course.again((tcp.sequence, end), state, idle, trip),
            _ => Cause::Unknown,
        };
        match cause {
            Cause::Fast => self.counts.fast += 1,
            Cause::Timeout => self.counts.timeouts += 1,
            Cause::Probe => self.counts.probes += 1,
            Cause::Unknown => {}
        }
    }

    /// Notes that data from `from` to `to` was not seen.
    fn leave(&mut self, from: u32, to: u32, ip: &Ip<'_>, time: Option<i64>) {
        if self.holes.len() == MOST_HOLES {
            self.holes.remove(0);
            self.forgot = true;
        }
        self.holes.push(Hole { from, to, id: ip.id, stamp: stamp(ip), time });
    }

    /// What a segment below the next sequence number is, and whether that is sure. Fills the holes that it covers.
    fn late(&mut self, sequence: u32, end: u32, ip: &Ip<'_>, time: Option<i64>, trip: Option<i64>) -> (Fate, bool) {
        let Some(hole) = self.holes.iter().find(|hole| before(hole.from, end) && before(sequence, hole.to)).copied()
        else {
            return (Fate::Again, !self.forgot);
        };
        self.fill(sequence, end);
        if let Some((own, other)) = stamp(ip).zip(hole.stamp).filter(|(own, other)| own != other) {
            return (if before(own, other) { Fate::Overtaken } else { Fate::Again }, true);
        }
        let behind = hole.id.wrapping_sub(ip.id);
        if self.counts_ids() && behind != 0 && behind.min(behind.wrapping_neg()) <= MOST_STEP {
            return (if behind <= MOST_STEP { Fate::Overtaken } else { Fate::Again }, true);
        }
        let since = time.zip(hole.time).map(|(now, then)| now.saturating_sub(then));
        let is_early = since.is_some_and(|since| since < trip.unwrap_or(LATE));
        (if is_early { Fate::Overtaken } else { Fate::Again }, false)
    }

    fn fill(&mut self, sequence: u32, end: u32) {
        let mut left = Vec::with_capacity(self.holes.len() + 1);
        for hole in self.holes.drain(..) {
            if !(before(hole.from, end) && before(sequence, hole.to)) {
                left.push(hole);
                continue;
            }
            if before(hole.from, sequence) {
                left.push(Hole { to: sequence, ..hole });
            }
            if before(end, hole.to) {
                left.push(Hole { from: end, ..hole });
            }
        }
        self.forgot |= left.len() > MOST_HOLES;
        left.truncate(MOST_HOLES);
        self.holes = left;
    }

    /// Notes the identification of new data.
    #[inline]
    fn step(&mut self, id: u16) {
        let step = id.wrapping_sub(self.id);
        let is_up = (1..=MOST_STEP).contains(&step);
        // the past counts less and less
        self.steps = self.steps.map(|count| count - count / 8);
        self.steps[usize::from(!is_up)] += 8;
        self.id = id;
    }

    /// Whether the sender counts identifications up, as most of its last ones show.
    const fn counts_ids(&self) -> bool {
        let [up, other] = self.steps;
        up > other
    }

    /// Times a segment, or one of several if many are in flight.
    #[inline]
    fn time(&mut self, end: u32, time: Option<i64>, stamp: Option<u32>) {
        let Some(time) = time else { return };
        self.skipped += 1;
        if self.skipped < self.stride {
            return;
        }
        self.skipped = 0;
        let most = if self.answered.is_none() { MOST_UNANSWERED } else { MOST_TIMED };
        if self.timed.len() >= most {
            let mut is_kept = false;
            self.timed.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.stride = self.stride.max(1).saturating_mul(2);
        }
        self.timed.push_back(Timed { end, time, stamp });
    }
}

/// TSval of a segment.
fn stamp(ip: &Ip<'_>) -> Option<u32> {
    ip.tcp.as_ref().and_then(|tcp| tcp.options.stamp())
}

/// Whether sequence number `a` precedes `b` (RFC 9293, section 3.4).
pub(super) const fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A capture beside a sender with offload has packets of several segments.
    #[test]
    fn a_whole_segment_fits_into_a_frame() {
        let whole = |largest, framed| Stream { largest, framed, ..Stream::default() }.whole();
        assert_eq!(whole(11_584, 1448), 1448);
        assert_eq!(whole(8948, 0), FRAME, "only packets of several segments");
        assert_eq!(whole(8948, 100), FRAME, "one small message");
        assert_eq!(whole(500, 500), 500);
    }

    #[test]
    fn a_round_trip_above_the_minimum_shows_a_queue() {
        let waits = |least: u64, last_trip| {
            let counts = Counts { round_trips: 2, round_trip_least: least, ..Counts::default() };
            Stream { counts, last_trip, ..Stream::default() }.waits()
        };
        let ms = 1_000_000;
        assert!(!waits(100 * ms, 105 * ms));
        assert!(waits(100 * ms, 105 * ms + 1), "5 ms");
        assert!(!waits(8 * ms, 10 * ms));
        assert!(waits(8 * ms, 10 * ms + 1), "a quarter");
    }
}
