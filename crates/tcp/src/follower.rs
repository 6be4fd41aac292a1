//! Follows the trace of another sender: what would a law have allowed, had it seen the same ACKs?
//!
//! A [`Follower`] has a sender whose transmissions are [dictated](Sender::send_dictated): it sends what the trace shows, when
//! the trace shows it, and receives the trace's ACKs. Its law therefore has the history of the sender in the trace, and each
//! of its windows can be compared with what that sender had in flight. A law that is not the trace's allows more or less.
//!
//! Losses are found by the follower's own recovery, and timers are its own.

use ackclock_units::{Role, Stream, Time};

use crate::{Ack, Sender, SenderConfig};

/// Number of segments that a trace may leave out, because the capture missed them.
const MOST_MISSED: u64 = 100_000;
/// Largest number of times that timers fire between two events of a trace.
const MOST_TIMERS: u32 = 64;

/// What a law allowed between two ACKs of a trace, and what the trace's sender had in flight at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowed {
    /// When the turn ended: the next ACK arrived.
    pub at: Time,
    /// Congestion window in segments.
    pub cwnd: f64,
    /// Segments that the pacing rate has allowed since the trace began; infinite if the sender is not paced.
    pub paced: f64,
    /// Segments that the trace's sender had outstanding.
    pub flight: u64,
    /// Whether none of these is known to be lost or to have arrived.
    pub is_clean: bool,
}

/// A sender that follows a trace.
#[derive(Debug)]
pub struct Follower {
    sender: Sender,
    now: Time,
    /// Whether something was sent since the last ACK.
    has_sent: bool,
    /// The pacing rate, and what it has allowed so far.
    rate: Option<f64>,
    paced: f64,
    is_paced: bool,
    /// Number of segments that the trace may still leave out.
    missed: u64,
}

impl Follower {
    /// A follower at time 0, before the first event of a trace. With a handshake, segment 0 is the SYN, and the trace begins
    /// with it. Random numbers of the law follow from the seed.
    pub fn new(config: SenderConfig, seed: u64) -> Self {
        let config = SenderConfig { lone_segments: 0, ..config };
        let mut sender = Sender::new(config, Stream::new(seed, Role::Sender, 0));
        sender.supply_without_end();
        Self { sender, now: Time::ZERO, has_sent: false, rate: None, paced: 0.0, is_paced: false, missed: MOST_MISSED }
    }

    /// The trace shows that a segment is sent. A segment that is acknowledged already is ignored.
    pub fn sent(&mut self, number: u64, at: Time) {
        self.pass(at);
        let (snd_una, snd_max) = self.sender.outstanding_range();
        if number < snd_una || !self.may_miss(snd_max, number) {
            return;
        }
        if number < snd_max {
            self.sender.send_dictated(number, self.now);
        } else {
            self.send_until(number + 1);
        }
        self.has_sent = true;
    }

    /// The trace shows that an ACK arrives. Returns what the law allowed until now. An ACK for data far beyond all that was
    /// sent is ignored.
    pub fn acknowledged(&mut self, ack: Ack<'_>, at: Time) -> Allowed {
        self.pass(at);
        let (snd_una, snd_max) = self.sender.outstanding_range();
        let is_possible = self.may_miss(snd_max, ack.next);
        if is_possible {
            self.send_until(ack.next);
        }
        self.end_turn();
        let flight = snd_max.max(if is_possible { ack.next } else { 0 }) - snd_una;
        let allowed = Allowed {
            at: self.now,
            cwnd: self.sender.state().cwnd,
            paced: if self.is_paced { self.paced } else { f64::INFINITY },
            flight,
            is_clean: is_possible && self.sender.in_network() == flight,
        };
        if is_possible {
            self.sender.handle_ack(ack, self.now);
            self.note_rate();
        }
        allowed
    }

    /// Whether the capture may have missed the segments before `number` that were never sent.
    const fn may_miss(&mut self, snd_max: u64, number: u64) -> bool {
        let gap = number.saturating_sub(snd_max);
        let is_possible = gap <= self.missed;
        if is_possible {
            self.missed -= gap;
        }
        is_possible
    }

    /// Sends all segments before `end` that were never sent.
    fn send_until(&mut self, end: u64) {
        let (_, snd_max) = self.sender.outstanding_range();
        for number in snd_max..end {
            self.sender.send_dictated(number, self.now);
        }
    }

    fn end_turn(&mut self) {
        if std::mem::take(&mut self.has_sent) {
            self.sender.end_dictated_turn(self.now);
        }
    }

    /// Lets time pass, in which timers fire.
    fn pass(&mut self, until: Time) {
        let until = until.max(self.now);
        for _ in 0..MOST_TIMERS {
            let Some(due) = self.sender.poll_timeout().filter(|due| *due < until) else { break };
            self.wait(due.max(self.now));
            self.end_turn();
            self.sender.handle_timeout(self.now);
            self.note_rate();
        }
        self.wait(until);
    }

    fn wait(&mut self, until: Time) {
        let span = until.saturating_sub(self.now).as_secs_f64();
        self.paced += self.rate.map_or(0.0, |rate| rate * span);
        self.now = until;
    }

    fn note_rate(&mut self) {
        self.rate = self.sender.rate_of_pacing();
        self.is_paced |= self.rate.is_some();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::congestion::{BbrSpec, CubicRules, CubicSpec, LawSpec, RenoSpec};
    use crate::{Block, Sack};

    fn follower(congestion: LawSpec, initial_window: u32) -> Follower {
        Follower::new(SenderConfig { congestion, initial_window, handshake: false, ..SenderConfig::default() }, 1)
    }

    const RENO: LawSpec = LawSpec::Reno(RenoSpec {});

    /// Validates: four segments sent and acknowledged one by one in slow start allow 5, 6, 7, 8 segments.
    /// Source: RFC 5681, section 3.1: a segment more for each ACK.
    /// Tolerance: exact.
    #[test]
    fn slow_start_allows_a_segment_more_for_each_ack() {
        let mut follower = follower(RENO, 4);
        (0..4).for_each(|number| follower.sent(number, Time::from_millis(1)));
        let windows = (1..=4).map(|next| {
            let at = Time::from_millis(100 + next);
            follower.acknowledged(Ack::cumulative(next), at).cwnd
        });
        assert_eq!(windows.collect::<Vec<_>>(), [4.0, 5.0, 6.0, 7.0]);
    }

    /// Validates: a trace is followed through a recovery, and a loss in a flight of 20 segments allows 10 afterwards.
    /// Source: RFC 5681, equation 4.
    /// Tolerance: exact.
    #[test]
    fn a_loss_halves_the_flight_that_the_trace_shows() {
        let mut follower = follower(RENO, 20);
        (0..20).for_each(|number| follower.sent(number, Time::from_millis(1)));
        for (place, end) in (2..=20).enumerate() {
            let sack = Sack::of(&[Block { start: 1, end: end + 1 }]);
            let ack = Ack { sack: &sack, ..Ack::cumulative(0) };
            let at = Time::from_millis(100 + place as u64);
            let allowed = follower.acknowledged(ack, at);
            assert_eq!(allowed.flight, 20);
        }
        follower.sent(0, Time::from_millis(130));
        follower.acknowledged(Ack::cumulative(20), Time::from_millis(200));
        let allowed = follower.acknowledged(Ack::cumulative(20), Time::from_millis(201));
        assert_eq!((allowed.cwnd, allowed.flight), (10.0, 0));
    }

    /// A paced law has allowed about as many segments as a trace at a constant rate shows.
    #[test]
    fn a_paced_law_counts_what_its_rate_allows() {
        let config = SenderConfig {
            congestion: LawSpec::Bbr(BbrSpec {}),
            pacing: crate::Pacing::Law,
            handshake: false,
            ..SenderConfig::default()
        };
        let mut follower = Follower::new(config, 1);
        let mut allowed = 0.0;
        for number in 0..3000_u64 {
            follower.sent(number, Time::from_millis(number));
            if number >= 20 {
                allowed = follower.acknowledged(Ack::cumulative(number - 19), Time::from_millis(number)).paced;
            }
        }
        assert!((2500.0..9000.0).contains(&allowed), "1000 segments a second for 3 s, more in startup: {allowed}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// No trace makes the follower panic, lose its place or run away.
        #[test]
        fn any_trace_can_be_followed(
            is_cubic in any::<bool>(),
            events in prop::collection::vec((any::<bool>(), 0_u64..300, 0_u64..40, 0_u64..60, 0_u64..20), 1..300),
        ) {
            let law = if is_cubic { LawSpec::Cubic(CubicSpec { fast_convergence: true, rules: CubicRules::Rfc9438 }) } else { RENO };
            let mut follower = follower(law, 4);
            let mut at = 0;
            for (is_sent, number, wait, start, length) in events {
                at += wait;
                if is_sent {
                    follower.sent(number, Time::from_millis(at));
                    continue;
                }
                let first = number + start + 1;
                let sack = Sack::of(&[Block { start: first, end: first + length }]);
                let ack = Ack { sack: &sack, ..Ack::cumulative(number) };
                let allowed = follower.acknowledged(ack, Time::from_millis(at));
                prop_assert!(allowed.cwnd >= 1.0 && allowed.cwnd.is_finite());
            }
        }
    }
}
