//! The short path of a steady sender: no loss, no recovery and no handshake, as for nearly all ACKs and segments. It does
//! exactly what the general path would do, and serves every congestion-control law that does not time each segment.

use ackclock_units::Time;

use super::{Connection, Sender};
use crate::config::IdleRestart;
use crate::congestion::AckSample;
use crate::maybe::Maybe;
use crate::recovery::Recovery;
use crate::segment::Segment;

/// What the turn of a [steady](Sender::is_steady) sender begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing: the turn is over.
    Over,
    /// A processing time that ends at the given time. Until then nothing is sent.
    Processing(Time),
    /// Segments.
    Sending,
}

impl Sender {
    /// Whether the sender is outside of loss recovery and has nothing to send regardless of the window, so that
    /// [`start_turn`](Self::start_turn), [`transmit_next`](Self::transmit_next) and [`end_turn`](Self::end_turn) may
    /// replace [`poll_transmit`](Self::poll_transmit). Only ACKs and timeouts change this.
    #[inline(always)]
    pub const fn is_steady(&self) -> bool {
        self.connection.steady
    }

    /// Starts the turn of a steady sender at `now`.
    #[inline(always)]
    pub fn start_turn(&mut self, now: Time) -> Turn {
        let connection = &mut self.connection;
        let overhead = connection.config.overhead;
        if overhead == Time::ZERO || self.hold.is_at_most(now) {
            return Turn::Sending;
        }
        if let Some(end) = self.hold.get() {
            return Turn::Processing(end);
        }
        if !connection.may_send() {
            connection.end_turn();
            return Turn::Over;
        }
        let end = now + self.stream.time_below(overhead);
        self.hold = Maybe::some(end);
        Turn::Processing(end)
    }

    /// The next segment of a steady sender that has finished processing.
    #[inline(always)]
    pub fn transmit_next(&mut self, now: Time) -> Option<Segment> {
        let connection = &mut self.connection;
        connection.may_send().then(|| connection.transmit_next(now))
    }

    /// Ends the turn of a steady sender that has sent all that it may.
    #[inline(always)]
    pub fn end_turn(&mut self) {
        self.hold = Maybe::NONE;
        self.connection.end_turn();
    }
}

impl Connection {
    /// Whether a sender with this recovery is [steady](Sender::is_steady).
    pub(super) fn is_steady(&self, recovery: &Recovery) -> bool {
        let is_quiet = self.dup_acks == 0 && self.limited == 0 && self.inflation == 0 && self.urgent.is_none();
        is_quiet && recovery.is_at_rest() && self.log.is_none() && self.snd_una >= self.alone()
    }

    /// Handles an ACK for all segments before `next`, some of them new, at a steady sender.
    #[inline(always)]
    pub(super) fn take_ack(&mut self, next: u64, now: Time) {
        let app_limited = !self.config.grow_when_limited && self.is_app_limited();
        let newly_acked = next - self.snd_una;
        self.snd_una = next;
        self.snd_nxt = self.snd_nxt.max(next);
        self.time(next, now);
        let Self { law, window, snd_nxt, .. } = self;
        law.on_ack(window, || AckSample {
            now,
            snd_una: next,
            snd_nxt: *snd_nxt,
            newly_acked,
            delivered: next,
            elapsed: None,
            rtt: None,
            app_limited,
        });
        self.set_reach();
    }

    /// Sends segment `snd_nxt` of a steady sender.
    #[inline(always)]
    fn transmit_next(&mut self, now: Time) -> Segment {
        if self.snd_una == self.snd_max {
            self.leave_idle(now);
        }
        let number = self.snd_nxt;
        let retransmission = number < self.snd_max;
        if retransmission {
            self.counters.retransmissions += 1;
        } else {
            self.snd_max = number + 1;
            if self.timed.is_none() {
                (self.timed, self.timed_at) = (Maybe::some(number), now);
            }
        }
        self.snd_nxt = number + 1;
        self.last_sent = now;
        Segment { number, size: self.config.packet_size, syn: false, retransmission }
    }

    /// Called before a steady sender sends while nothing is outstanding.
    #[inline(never)]
    fn leave_idle(&mut self, now: Time) {
        if self.config.idle_restart == IdleRestart::Rfc5681 {
            self.restart_after_idle(now);
        }
        self.restart_timer(now);
    }
}
