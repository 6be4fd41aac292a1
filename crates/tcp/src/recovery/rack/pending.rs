//! The one pending timer of Linux (`icsk_pending`). The retransmission timer, the wait for segments that may arrive out of
//! order and the probe replace each other:
//!
//! - an ACK sets a timer if it advances `snd_una`, or reports a segment that was sent before the last transmission of the
//!   first unacknowledged one (`tcp_clean_rtx_queue`); the ACKs of a recovery therefore do not put off the timeout of a
//!   lost retransmission;
//! - when the timer of a probe or of reordering gives way to the retransmission timer, this counts from the transmission of
//!   the first unacknowledged segment (`tcp_rto_delta_us`), and otherwise from now;
//! - when new data is sent, the probe waits no longer than the retransmission timer would (`tcp_schedule_loss_probe`).
//!   If the round trip is longer than the rest of the timeout, the probe takes its place;
//! - at most one probe is outstanding; when another one is due, the retransmission timer takes its place;
//! - a paced sender's probe and retransmission timer wait in addition until the next segment may leave, in whole ticks
//!   (`tcp_pacing_delay`). The timer that a timeout starts does not.

use ackclock_units::Time;

use super::{Due, Phase, Rack};
use crate::config::RackRule;
use crate::packed_option::PackedOption;
use crate::segment::Segment;
use crate::sender::connection::Connection;

impl Rack {
    /// Sets the timer after an ACK.
    pub(super) fn pend_after_ack(&mut self, connection: &mut Connection, now: Time) {
        if connection.flight() == 0 {
            self.arm(connection, now);
        } else if let Some(recheck) = self.recheck {
            self.pend(connection, Due::Reordering, recheck.max(now));
        } else if self.moves_timer {
            if self.may_probe(connection) {
                self.pend_probe(connection, connection.rtt.rto(), now);
            } else {
                self.pend_retransmission(connection, self.pacing_delay(connection, now), now);
            }
        }
    }

    /// Sets the timer after `segment` was sent; `was_idle` states whether nothing was outstanding.
    pub(super) fn pend_after_sending(
        &mut self,
        connection: &mut Connection,
        segment: &Segment,
        was_idle: bool,
        now: Time,
    ) {
        if segment.retransmission {
            if segment.number == connection.snd_una && self.due != Due::Reordering {
                self.due = Due::Retransmission;
                let is_of_timeout = self.phase == Phase::Loss && !self.has_progressed;
                let delay = if is_of_timeout { Time::ZERO } else { self.pacing_delay(connection, now) };
                self.pend_retransmission(connection, delay, now);
            }
            return;
        }
        if self.probe.is_some_and(|probe| probe.end == segment.number + 1) {
            return; // the retransmission timer was set with the probe
        }
        if was_idle {
            self.due = Due::Retransmission;
        }
        if was_idle || self.due == Due::Probe {
            self.pend_retransmission(connection, self.pacing_delay(connection, now), now);
        }
        if self.may_probe(connection) {
            let rest = rest_of_timeout(connection, now);
            self.pend_probe(connection, rest, now);
        }
    }

    /// Lets the retransmission timer take the place of the pending one (`tcp_rearm_rto`), `delay` later.
    pub(super) fn pend_retransmission(&mut self, connection: &mut Connection, delay: Time, now: Time) {
        let rto = connection.rtt.rto();
        let wait = if self.due == Due::Retransmission { rto } else { rest_of_timeout(connection, now) };
        let wait = wait.max(Time::from_picos(1)).saturating_add(delay).min(connection.config.rtt.max_rto);
        self.rto_at = self.ticks.fires_at(now, wait);
        self.pend(connection, Due::Retransmission, self.rto_at);
    }

    /// Sets the timer to a probe, `timeout` from now at the latest, if that is above zero.
    #[inline(always)]
    pub(super) fn pend_probe(&mut self, connection: &mut Connection, timeout: Time, now: Time) {
        let longest = if timeout > Time::ZERO { timeout } else { connection.config.rtt.max_rto };
        let wait = self.probe_wait(connection).min(longest);
        let delay = self.pacing_delay(connection, now);
        let wait = wait.saturating_add(delay).min(connection.config.rtt.max_rto);
        self.pend(connection, Due::Probe, self.ticks.fires_at(now, wait));
    }

    /// Time until the next segment of a paced sender may leave, in whole ticks.
    #[inline(always)]
    pub(super) fn pacing_delay(&self, connection: &Connection, now: Time) -> Time {
        let waits = connection.config.rack == RackRule::Linux;
        connection.pacer().filter(|_| waits).map_or(Time::ZERO, |pacer| self.ticks.whole(pacer.delay(now)))
    }

    #[inline(always)]
    pub(super) const fn pend(&mut self, connection: &mut Connection, due: Due, at: Time) {
        self.due = due;
        connection.timer = PackedOption::some(at);
    }
}

/// Time until the retransmission timer of the first unacknowledged segment; zero if it is over.
#[inline(always)]
pub(super) fn rest_of_timeout(connection: &Connection, now: Time) -> Time {
    let rto = connection.rtt.rto();
    connection.first_sent().map_or(rto, |first| first.at.saturating_add(rto).saturating_sub(now))
}
