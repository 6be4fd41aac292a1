//! The data sender: RFC 9293's variables, RFC 5681's window, RFC 6298's timer, with recovery and law plugged in.

mod connection;

use std::sync::Arc;

use ackclock_units::{Stream, Time};

pub(crate) use connection::Connection;

use crate::config::{DecreaseFrom, IdleRestart, SenderConfig};
use crate::congestion::{AckSample, Signal};
use crate::maybe::Maybe;
use crate::recovery::{Progress, Recovery, RecoverySpec};
use crate::segment::{Ack, Segment};
use crate::send_log::Sent;

/// What happened to a sender so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments sent, the SYN and retransmissions included.
    pub sent: u64,
    /// Turns: each time the sender had sent all that it might.
    pub turns: u64,
    /// Turns that only the advertised window ended.
    pub window_limited: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Retransmission timeouts with data outstanding.
    pub timeouts: u64,
    /// Fast retransmissions.
    pub fast_retransmits: u64,
    /// Duplicate ACKs received.
    pub dup_acks: u64,
}

impl Counters {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            sent: self.sent + other.sent,
            turns: self.turns + other.turns,
            window_limited: self.window_limited + other.window_limited,
            retransmissions: self.retransmissions + other.retransmissions,
            timeouts: self.timeouts + other.timeouts,
            fast_retransmits: self.fast_retransmits + other.fast_retransmits,
            dup_acks: self.dup_acks + other.dup_acks,
        }
    }
}

/// What can be watched of a sender. Windows are in segments, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderState {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
    /// Segments sent and not yet acknowledged.
    pub flight_size: u64,
    /// Smoothed round-trip time; not a number before the first sample.
    pub srtt: f64,
    /// Retransmission timeout in force.
    pub rto: f64,
}

/// A TCP sender.
///
/// Feed it with [`supply`](Self::supply), [`handle_ack`](Self::handle_ack) and [`handle_timeout`](Self::handle_timeout); after
/// each, take what it has to say with [`poll_transmit`](Self::poll_transmit) until that gives nothing, and wake it at
/// [`poll_timeout`](Self::poll_timeout) and [`poll_release`](Self::poll_release).
#[derive(Debug)]
#[repr(C)] // as the connection, whose first fields these adjoin
pub struct Sender {
    stream: Stream,
    /// Processing goes on until then; nothing leaves before.
    hold: Maybe<Time>,
    recovery: Recovery,
    connection: Connection,
}

impl Sender {
    /// Bytes that the record of a segment in flight takes, where segments are timed, and of one that ns-2 forgets to reset.
    pub const BYTES_OF_SEGMENT: usize = size_of::<Sent>();
    /// See [`BYTES_OF_SEGMENT`](Self::BYTES_OF_SEGMENT).
    pub const BYTES_OF_STALE_RECORD: usize = size_of::<Option<Sent>>();

    /// Whether such senders keep when each segment was sent.
    pub fn times_segments(config: &SenderConfig) -> bool {
        Recovery::new(config).times_segments() || config.congestion.build().times_segments()
    }

    /// A sender with nothing to send yet. Senders of one kind share their configuration.
    pub fn new(config: impl Into<Arc<SenderConfig>>, mut stream: Stream) -> Self {
        let config = config.into();
        let recovery = Recovery::new(&config);
        let connection = Connection::new(config, recovery.times_segments(), &mut stream);
        Self { connection, recovery, stream, hold: Maybe::NONE }
    }

    /// Another connection: everything as at first, only that its random numbers go on.
    pub fn renew(&mut self) {
        let config = Arc::clone(&self.connection.config);
        self.recovery = Recovery::new(&config);
        self.connection = Connection::new(config, self.recovery.times_segments(), &mut self.stream);
        self.hold = Maybe::NONE;
    }

    /// The application hands over that many segments of data. The first of them opens the connection.
    pub fn supply(&mut self, segments: u64) {
        let Connection { supplied, config, .. } = &mut self.connection;
        if *supplied == 0 && segments > 0 && config.handshake {
            *supplied = 1; // the SYN
        }
        *supplied = supplied.saturating_add(segments);
    }

    /// Segments of data that the application has handed over.
    pub fn supplied(&self) -> u64 {
        self.connection.supplied.saturating_sub(u64::from(self.connection.config.handshake))
    }

    /// Data was supplied at this moment: releases a sender that [is paused](Self::is_paused). Optional for others.
    pub const fn handle_supply(&mut self) {
        self.recovery.on_supply();
    }

    /// How many more segments could possibly leave in this turn or after the next ACK, if the application had them: what it
    /// is worth asking for. It also tells whether the application or the receiver sets the limit.
    pub fn appetite(&self) -> u64 {
        let reach = self.connection.snd_max + u64::from(self.connection.config.max_window);
        reach.saturating_sub(self.connection.supplied)
    }

    /// Whether it waits for nothing but data.
    pub fn is_data_limited(&self) -> bool {
        let Self { connection, recovery, .. } = self;
        let is_open = || if recovery.chooses() { recovery.is_open(connection) } else { connection.is_window_open() };
        connection.snd_nxt == connection.supplied && is_open()
    }

    /// Whether segments that the window allows wait for the next ACK or the [next supply](Self::handle_supply), as in ns-2.
    #[inline(always)]
    pub fn is_paused(&self) -> bool {
        self.recovery.chooses() && self.recovery.is_paused(&self.connection)
    }

    /// Whether all that the application handed over is acknowledged.
    pub const fn is_idle(&self) -> bool {
        self.connection.snd_una == self.connection.supplied
    }

    /// Whether an ACK that arrives now would count as a duplicate: nothing new, with data outstanding (RFC 5681, section 2).
    /// Before the SYN is acknowledged there is none (RFC 9293, section 3.10.7.3).
    pub fn is_duplicate(&self, ack: Ack<'_>) -> bool {
        let Connection { snd_una, snd_max, .. } = self.connection;
        ack.next == snd_una && snd_una < snd_max && (snd_una > 0 || !self.connection.config.handshake)
    }

    /// An ACK arrived.
    #[inline(always)]
    pub fn handle_ack(&mut self, ack: Ack<'_>, now: Time) {
        let Connection { snd_una, snd_max, .. } = self.connection;
        if ack.next > snd_una && ack.next <= snd_max {
            self.handle_new_ack(ack, now);
        } else if self.is_duplicate(ack) {
            self.connection.counters.dup_acks += 1;
            self.recovery.on_duplicate_ack(&mut self.connection, ack, now);
        }
        // what is left is older than what is known, or for data never sent (RFC 9293, section 3.10.7.4)
        self.connection.set_reach();
    }

    #[inline(always)]
    fn handle_new_ack(&mut self, ack: Ack<'_>, now: Time) {
        let connection = &mut self.connection;
        let app_limited = !connection.config.grow_when_limited && connection.is_app_limited();
        let progress = self.recovery.before_new_ack(connection, ack);
        if progress == Progress::Partial {
            connection.advance(ack.next);
            return self.recovery.after_partial_ack(connection, now);
        }
        let before = connection.snd_una;
        let last = connection.acknowledge(ack.next, now);
        let alone = before < connection.alone();
        let handshake_ends = alone && connection.open(before);
        if !handshake_ends && (progress == Progress::Open || connection.config.grow_on_exit) {
            let Connection { law, window, snd_una, snd_nxt, .. } = connection;
            law.on_ack(window, || AckSample {
                now,
                snd_una: *snd_una,
                snd_nxt: *snd_nxt,
                newly_acked: ack.next - before,
                delivered: ack.next,
                elapsed: last.map(|sent| sent.elapsed(now)),
                rtt: last.and_then(|sent| sent.rtt(now)),
                app_limited,
            });
        }
        if alone && connection.snd_una < connection.alone() {
            connection.window.cwnd = 1.0; // whatever the law says: the next one goes alone too
        }
        self.recovery.after_new_ack(connection, now, last);
    }

    /// The time of [`poll_timeout`](Self::poll_timeout) has come.
    pub fn handle_timeout(&mut self, now: Time) {
        let connection = &mut self.connection;
        let outstanding = connection.snd_una < connection.snd_max;
        let reduces = self.recovery.before_timeout(outstanding);
        connection.time_out(outstanding, reduces);
        self.recovery.after_timeout(connection, now);
        if reduces {
            connection.rtt.back_off(&connection.config.rtt);
        }
        connection.restart_timer(now);
        connection.set_reach();
    }

    /// The next segment that may leave now: retransmissions and limited transmit at once, the rest as the window allows and
    /// after the processing time, if there is one.
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        let number = match self.connection.urgent.take() {
            Some(number) => number,
            None if self.recovery.chooses() => self.choose(now)?,
            None => self.release::<false>(now)?,
        };
        Some(self.connection.transmit(number, now))
    }

    #[inline(never)]
    fn choose(&mut self, now: Time) -> Option<u64> {
        self.release::<true>(now)
    }

    /// What may leave after processing. With `CHOOSES` recovery has a say: a parameter, so that a sender whose recovery has none
    /// need not ask at every step.
    #[inline(always)]
    fn release<const CHOOSES: bool>(&mut self, now: Time) -> Option<u64> {
        let connection = &mut self.connection;
        let next = if CHOOSES {
            self.recovery.next_segment(connection)
        } else {
            connection.may_send().then_some(connection.snd_nxt)
        };
        if !self.hold.is_at_most(now) && connection.config.overhead > Time::ZERO {
            self.process(next.is_some(), now);
            return None;
        }
        let Some(number) = next else {
            self.hold = Maybe::NONE;
            connection.end_turn();
            return None;
        };
        if connection.config.idle_restart == IdleRestart::Rfc5681 {
            connection.restart_after_idle(now);
        }
        if CHOOSES {
            self.recovery.on_sent(connection, number);
        } else {
            connection.snd_nxt += 1;
        }
        Some(number)
    }

    /// Processing goes on, or begins if something `may_leave` after it; if not, the turn is over.
    #[inline(always)]
    fn process(&mut self, may_leave: bool, now: Time) {
        if !self.hold.is_none() {
            return;
        }
        if may_leave {
            self.hold = Maybe::some(now + self.stream.time_below(self.connection.config.overhead));
        } else {
            self.connection.end_turn();
        }
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.connection.timer.get()
    }

    /// When a processing time ends and [`poll_transmit`](Self::poll_transmit) is worth asking again.
    pub fn poll_release(&self) -> Option<Time> {
        self.hold.get()
    }

    /// Looks at what an ACK will touch, so that it is in the cache when one comes.
    pub fn look(&self) -> u64 {
        let Connection { snd_una, window, rtt, counters, .. } = &self.connection;
        snd_una ^ window.cwnd.to_bits() ^ rtt.rto().as_picos() ^ counters.turns
    }

    /// Bytes of memory beyond its own size, without the configuration that senders share.
    pub fn held(&self) -> usize {
        self.connection.held() + self.recovery.held()
    }

    /// What happened so far.
    pub const fn counters(&self) -> Counters {
        self.connection.counters
    }

    /// What can be watched.
    pub fn state(&self) -> SenderState {
        let Connection { config, window, rtt, .. } = &self.connection;
        SenderState {
            cwnd: window.cwnd,
            ssthresh: window.ssthresh,
            flight_size: self.connection.flight(),
            srtt: rtt.srtt(&config.rtt).unwrap_or(f64::NAN),
            rto: rtt.rto().as_secs_f64(),
        }
    }

    /// Of [`state`](Self::state), the window, the threshold and the flight size, which take no arithmetic.
    #[inline(always)]
    pub const fn windows(&self) -> (f64, f64, u64) {
        let Connection { window, .. } = &self.connection;
        (window.cwnd, window.ssthresh, self.connection.flight())
    }

    /// What the times of [`state`](Self::state) are made of: while it stays the same, so do they. The first number is 0 before
    /// the first sample.
    #[inline(always)]
    pub fn timing(&self) -> (u64, Time) {
        let rtt = &self.connection.rtt;
        (rtt.raw_srtt(), rtt.rto())
    }
}

impl Connection {
    /// The segments that go one at a time at first are being acknowledged, those before `before` already. Returns whether the
    /// handshake ends.
    #[inline(never)]
    fn open(&mut self, before: u64) -> bool {
        if self.snd_una >= self.alone() {
            self.window.cwnd = f64::from(self.initial_window);
        }
        let handshake_ends = before == 0 && self.config.handshake;
        if handshake_ends && self.counters.timeouts > 0 {
            self.rtt.after_lost_syn(&self.config.rtt);
        }
        handshake_ends
    }

    /// The timer fired: reduce the window and start again from the first unacknowledged segment.
    fn time_out(&mut self, outstanding: bool, reduces: bool) {
        if outstanding {
            self.counters.timeouts += 1;
        }
        if self.config.recovery != RecoverySpec::Tahoe {
            self.dup_acks = 0;
        }
        self.limited = 0;
        self.inflation = 0;
        let (repaired, ssthresh) = (self.is_past_recover(), self.window.ssthresh);
        self.recover = Maybe::some(self.snd_max);
        if reduces {
            self.reduce(Signal::Timeout, false);
            if !repaired && self.config.decrease_from == DecreaseFrom::FlightSize {
                // RFC 5681, equation 4, asks for no more than half of FlightSize; in a long recovery that counts segments which
                // arrived many round trips ago, and half of it can exceed the window that the loss was found in
                self.window.ssthresh = self.window.ssthresh.min(ssthresh);
            }
        } else {
            self.window.cwnd = 1.0;
        }
        if self.config.handshake && self.snd_una == 0 {
            self.initial_window = 1; // RFC 5681, section 3.1: after a lost SYN
            self.window.cwnd = 1.0; // whatever the law says: the SYN goes alone
        }
        self.snd_nxt = self.snd_una;
        self.timed = Maybe::NONE;
        self.urgent = Maybe::NONE;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use ackclock_units::Role;

    use super::*;
    use crate::config::SackRule;
    use crate::receiver::{Receiver, ReceiverConfig};

    /// A transfer over a link of 1,000 segments/s with room for 50, 20 ms away, under a law that ignores losses: the window is
    /// `cwnd` whatever happens. Returns when all was acknowledged.
    fn transfer_with_a_window_that_never_shrinks(config: SenderConfig, cwnd: f64) -> Time {
        const SEGMENTS: u64 = 1_000;
        let (service, delay) = (Time::from_millis(1), Time::from_millis(20));
        let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
        let mut receiver = Receiver::new(ReceiverConfig { sack_blocks: 3, ..ReceiverConfig::default() });
        let (mut now, mut free, mut acks) = (Time::ZERO, Time::ZERO, VecDeque::new());
        sender.supply(SEGMENTS);
        for _ in 0..100_000 {
            sender.connection.window.cwnd = cwnd;
            sender.connection.set_reach();
            while let Some(segment) = sender.poll_transmit(now) {
                if free.saturating_sub(now) < Time::from_millis(50) {
                    free = free.max(now) + service;
                    let ack = receiver.handle_segment(segment.number, free + delay).expect("no ACK is delayed");
                    acks.push_back((free + delay + delay, ack.next, *ack.sack));
                }
            }
            if sender.is_idle() {
                return now;
            }
            let timeout = sender.poll_timeout().expect("a timer runs");
            if let Some((at, next, sack)) = acks.pop_front_if(|(at, ..)| *at <= timeout) {
                now = at;
                sender.handle_ack(Ack { next, sack: &sack }, now);
            } else {
                now = timeout;
                sender.handle_timeout(now);
            }
        }
        panic!("{:?} after {now}", sender.state());
    }

    /// Validates: every transfer ends, also under a law that ignores losses: the link takes in at least the 50 segments that it
    ///   has room for after each timeout, so that 1,000 take at most 20 timeouts of at most 60 s.
    /// Source: RFC 9293, section 3.4 (reliable, ordered delivery); RFC 6298, section 5 (back-off).
    /// Tolerance: exact.
    #[test]
    fn every_transfer_ends_though_the_window_never_shrinks() {
        use RecoverySpec::{NewReno, Reno, Sack, Tahoe};
        let mut ends = Vec::new();
        for recovery in [Tahoe, Reno, NewReno, Sack] {
            for sack in [SackRule::Rfc6675, SackRule::FallFloyd] {
                for cwnd in [40.0, 100.0, 1_000.0] {
                    let config = SenderConfig { recovery, sack, ..SenderConfig::default() };
                    ends.push(transfer_with_a_window_that_never_shrinks(config, cwnd));
                }
            }
        }
        let slowest = ends.into_iter().max().unwrap();
        println!("measured: the slowest of 24 transfers ended after {slowest}");
        assert!(slowest <= Time::from_millis(20 * 60_000));
    }

    #[test]
    fn a_million_flows_have_endpoints_of_less_than_400_mb() {
        assert!(size_of::<Sender>() + size_of::<Receiver>() < 400);
    }
}
