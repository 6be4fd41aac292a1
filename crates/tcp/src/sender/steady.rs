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
    /// [`start_turn`](Self::start_turn) and [`transmit_all`](Self::transmit_all) may replace
    /// [`poll_transmit`](Self::poll_transmit). Only ACKs and timeouts change this.
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
            connection.end_steady_turn();
            return Turn::Over;
        }
        let end = now + self.stream.time_below(overhead);
        self.hold = Maybe::some(end);
        Turn::Processing(end)
    }

    /// Sends the segments that a steady sender may send now. Ends the turn and returns true, or returns false if it has
    /// sent `most` segments.
    #[inline(always)]
    pub fn transmit_all(&mut self, now: Time, most: u32, mut send: impl FnMut(Segment)) -> bool {
        let connection = &mut self.connection;
        if connection.may_send() {
            if connection.snd_una == connection.snd_max {
                connection.leave_idle(now);
            }
            connection.last_sent = now;
            let size = connection.config.packet_size;
            let (first, most) = (connection.snd_nxt, u64::from(most));
            let end = connection.supplied.min(connection.reach).min(first + most);
            for number in first..end {
                let retransmission = connection.record(number, now);
                send(Segment { number, size, syn: false, retransmission });
            }
            connection.snd_nxt = end;
            if end - first == most {
                return false;
            }
        }
        self.hold = Maybe::NONE;
        connection.end_steady_turn();
        true
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
        self.reach = next + u64::from(self.window.cwnd as u32).min(u64::from(self.config.max_window));
    }

    /// Records that segment `number` is sent. Returns whether it was sent before.
    #[inline(always)]
    fn record(&mut self, number: u64, now: Time) -> bool {
        let retransmission = number < self.snd_max;
        if retransmission {
            self.counters.retransmissions += 1;
        } else {
            self.snd_max = number + 1;
            if self.timed.is_none() {
                (self.timed, self.timed_at) = (Maybe::some(number), now);
            }
        }
        retransmission
    }

    /// The same as [`end_turn`](Self::end_turn). Without inflation, the window is as large as the advertised window if
    /// and only if `cwnd` is.
    #[inline(always)]
    fn end_steady_turn(&mut self) {
        self.counters.turns += 1;
        if self.snd_nxt < self.supplied && self.reach - self.snd_una == u64::from(self.config.max_window) {
            self.counters.window_limited += 1;
        }
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
