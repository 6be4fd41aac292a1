//! The short path of a steady sender: no loss, no recovery and no handshake, as for nearly all ACKs and segments. It does
//! exactly what the general path would do, and serves every congestion-control law that does not time each segment.

use std::ops::Range;

use ackclock_units::Time;

use super::{Connection, Sender};
use crate::config::IdleRestart;
use crate::congestion::AckSample;
use crate::packed_option::PackedOption;
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
    /// [`start_turn`](Self::start_turn) and [`burst`](Self::burst) may replace
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
        if overhead == Time::ZERO {
            return Turn::Sending;
        }
        if let Some(end) = self.release_at.get() {
            return if end <= now { Turn::Sending } else { Turn::Processing(end) };
        }
        if !connection.may_send() {
            connection.end_steady_turn();
            return Turn::Over;
        }
        let end = now + self.stream.time_below(overhead);
        self.release_at = PackedOption::some(end);
        Turn::Processing(end)
    }

    /// The numbers of the segments that a steady sender may send now. Either all of them are
    /// [transmitted](Self::transmit) and the turn [ends](Self::end_turn), or
    /// [`poll_transmit`](Self::poll_transmit) takes over.
    #[inline(always)]
    pub fn burst(&mut self, now: Time) -> Range<u64> {
        let connection = &mut self.connection;
        if connection.snd_una == connection.snd_max && connection.may_send() {
            connection.leave_idle(now);
        }
        connection.snd_nxt..connection.supplied.min(connection.snd_limit)
    }

    /// Sends the next segment of a [burst](Self::burst).
    #[inline(always)]
    pub fn transmit(&mut self, number: u64, now: Time) -> Segment {
        let connection = &mut self.connection;
        let retransmission = connection.note_sent(number, now);
        connection.snd_nxt = number + 1;
        Segment { number, size: connection.config.packet_size, syn: false, retransmission }
    }

    /// Ends the turn of a steady sender that has sent its burst.
    #[inline(always)]
    pub fn end_turn(&mut self) {
        self.release_at = PackedOption::NONE;
        self.connection.end_steady_turn();
    }

    /// Whether the retransmission timer, if it runs, fires after `at`.
    #[inline(always)]
    pub fn times_out_after(&self, at: Time) -> bool {
        !self.connection.timer.is_at_most(at)
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
        self.set_snd_limit();
    }

    /// The same as [`end_turn`](Self::end_turn). Without inflation, the window is as large as the advertised window if
    /// and only if `cwnd` is.
    #[inline(always)]
    fn end_steady_turn(&mut self) {
        self.turns += 1;
        if self.snd_nxt < self.supplied && self.snd_limit - self.snd_una == u64::from(self.config.max_window) {
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
