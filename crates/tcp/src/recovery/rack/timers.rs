//! RACK's timers: the retransmission timer, the wait for segments that may arrive out of order, and the probe. The sender
//! has one timer, which is set to the earliest of them, or with `rack = "linux"` to the pending one (`pending.rs`).

use ackclock_units::Time;

use super::probe::Probe;
use super::{DUP_THRESH, Due, Phase, Rack, has_new, outstanding};
use crate::config::{IdleRestart, RackRule, SenderConfig};
use crate::packed_option::PackedOption;
use crate::sender::connection::Connection;

/// By how much Linux extends the reordering timer and the time until a probe.
const EXTENSION: Time = Time::from_millis(2);

impl Rack {
    /// Handles the timer. Returns whether it was not the retransmission timer.
    #[inline(never)]
    pub(in crate::recovery) fn on_timer(&mut self, connection: &mut Connection, now: Time) -> bool {
        match self.due {
            Due::Retransmission => return false,
            Due::Reordering => {
                let start = self.start(connection);
                self.detect(connection, connection.snd_una, now);
                if self.must_repair() {
                    self.begin_recovery(connection, connection.snd_una, start);
                    // nothing was delivered, but the first retransmission leaves at once
                    self.delivered = 1;
                    self.reduce_in_proportion(connection, connection.snd_una, false);
                }
            }
            Due::Probe if self.probe.is_none() => self.send_probe(connection, now),
            Due::Probe => {}
        }
        if connection.config.rack == RackRule::Linux {
            self.recheck = None;
            self.pend_retransmission(connection, self.pacing_delay(connection, now), now);
        } else if self.due == Due::Probe {
            self.pend(connection, Due::Retransmission, self.rto_at.max(now));
        } else {
            self.arm(connection, now);
        }
        true
    }

    /// Called before a timeout reduces the window.
    #[inline(never)]
    pub(in crate::recovery) fn before_timeout(&mut self, connection: &Connection) {
        let is_linux = connection.config.rack == RackRule::Linux;
        let is_reduced = if is_linux { self.is_reduced(connection) } else { self.is_repairing() };
        if !is_reduced {
            self.undo.begin(connection.window, connection.reduced_by);
        }
        // Linux also asks after a second timeout in a row; RFC 5682, section 3.1, does not
        let is_repeated = is_linux && self.phase == Phase::Loss && !self.has_progressed;
        if connection.config.frto && (!self.is_repairing() || is_repeated) {
            self.undo.begin_frto();
        } else {
            self.undo.end_frto();
        }
        if self.phase == Phase::Open && self.board.sacked() >= DUP_THRESH.into() {
            self.clock.doubt_reordering(DUP_THRESH.into());
        }
        (self.cwnd, self.duplicates) = (connection.window.cwnd, 0);
        (self.phase, self.prr, self.probe) = (Phase::Loss, None, None);
    }

    /// Called after a timeout has reduced the window.
    #[inline(never)]
    pub(in crate::recovery) fn after_timeout(&mut self, connection: &mut Connection, now: Time) {
        connection.snd_nxt = connection.snd_max;
        let is_linux = connection.config.rack == RackRule::Linux; // tcp_timeout_mark_lost
        let window = if is_linux { Time::ZERO } else { self.reordering_window(connection) };
        let (clock, snd_una) = (&self.clock, connection.snd_una);
        // lost if sent so long ago that a segment sent at the same time would have arrived
        let before = match clock.latest {
            Some(_) if connection.config.has_sack => {
                now.saturating_sub(clock.deadline(Time::ZERO, window)).saturating_add(Time::from_picos(1))
            }
            _ => Time::MAX,
        };
        if let Some(mut outstanding) = outstanding(connection, snd_una) {
            self.losses.mark_before(&mut outstanding, before);
        }
        if snd_una < connection.snd_max {
            connection.urgent = PackedOption::some(snd_una);
            connection.window.cwnd = (self.pipe(connection, snd_una) as f64 + 1.0).min(self.cwnd).max(1.0);
        }
        (self.due, self.recheck) = (Due::Retransmission, None);
        self.has_progressed = false;
    }

    /// Called after the retransmission timer was restarted.
    #[inline(never)]
    pub(in crate::recovery) fn on_timer_restarted(&mut self, connection: &mut Connection, now: Time) {
        if connection.config.rack == RackRule::Linux && connection.flight() > 0 {
            self.pend_retransmission(connection, Time::ZERO, now);
        } else {
            self.restart_rto(connection, now);
            self.arm(connection, now);
        }
    }

    /// Sets the sender's timer after an ACK.
    #[inline(never)]
    pub(in crate::recovery) fn set_timer(&mut self, connection: &mut Connection, now: Time) {
        if connection.config.rack == RackRule::Linux {
            self.pend_after_ack(connection, now);
        } else {
            self.arm(connection, now);
        }
    }

    /// Sets the sender's timer to the next deadline.
    #[inline(never)]
    pub(super) fn arm(&mut self, connection: &mut Connection, now: Time) {
        let flight = connection.flight();
        if flight == 0 {
            self.rounds_from = PackedOption::NONE;
            if connection.probes_window() {
                return;
            }
            // the persist timer may have taken its place since
            let stops = connection.config.idle_restart != IdleRestart::Timeout || self.rto_at < now;
            connection.timer = if stops { PackedOption::NONE } else { PackedOption::some(self.rto_at) };
            self.due = Due::Retransmission;
            return;
        }
        let probes = self.probe.is_none() && self.may_probe(connection);
        let (due, at) = if let Some(recheck) = self.recheck.filter(|recheck| *recheck < self.rto_at) {
            (Due::Reordering, recheck)
        } else if probes {
            return self.arm_probe(connection, now);
        } else {
            (Due::Retransmission, self.rto_at)
        };
        self.pend(connection, due, at.max(now));
    }

    /// Sets the sender's timer to the time of a probe.
    #[inline(always)]
    pub(super) fn arm_probe(&mut self, connection: &mut Connection, now: Time) {
        let delay = self.pacing_delay(connection, now);
        let wait = self.probe_wait(connection).saturating_add(delay);
        let at = self.ticks.fires_at(now, wait).min(self.rto_at);
        self.pend(connection, Due::Probe, at.max(now));
    }

    /// Time from now until a probe, if the retransmission timer is not due before.
    #[inline(always)]
    pub(super) fn probe_wait(&mut self, connection: &Connection) -> Time {
        Probe::timeout(self.srtt(connection), connection.flight(), extension(&connection.config))
    }

    /// Whether a probe may be scheduled: no loss is repaired and nothing is reported above a gap. In Linux, the answer to a
    /// mark allows reports, and after an undo no retransmission may be outstanding (`tcp_schedule_loss_probe`).
    pub(super) fn may_probe(&self, connection: &Connection) -> bool {
        let is_linux = connection.config.rack == RackRule::Linux;
        let is_calm = match self.phase {
            Phase::Open => self.board.sacked() == 0 && (!is_linux || self.losses.is_quiet() || self.probe.is_some()),
            Phase::Reducing => self.board.sacked() == 0 || is_linux,
            Phase::Recovery | Phase::Loss => false,
        };
        probes(&connection.config) && is_calm && connection.snd_una >= connection.alone()
    }

    pub(super) fn restart_rto(&mut self, connection: &Connection, now: Time) {
        let wait = connection.rtt.rto().saturating_add(self.pacing_delay(connection, now));
        let wait = wait.min(connection.config.rtt.max_rto);
        self.rto_at = self.ticks.fires_at(now, wait);
    }

    /// Sends new data regardless of the congestion window, or the last segment again. Sends nothing if that lies beyond an
    /// advertised window that has shrunk (Linux, `tcp_send_loss_probe` and `__tcp_retransmit_skb`).
    pub(super) fn send_probe(&mut self, connection: &mut Connection, now: Time) {
        let new = has_new(connection);
        let number = if new { connection.snd_nxt } else { connection.snd_max - 1 };
        if number >= connection.snd_una + connection.rwnd() {
            return;
        }
        connection.snd_nxt += u64::from(new);
        connection.urgent = PackedOption::some(number);
        self.probe = Some(Probe { end: number + 1, retransmission: !new });
        self.restart_rto(connection, now);
        self.due = Due::Retransmission;
    }
}

/// Whether the end of a flight is probed; without SACK, the answer to a probe would say nothing.
pub(super) const fn probes(config: &SenderConfig) -> bool {
    config.tail_loss_probe && config.has_sack
}

/// By how much timers other than the retransmission timer are extended.
pub(super) fn extension(config: &SenderConfig) -> Time {
    if config.rack == RackRule::Linux { EXTENSION } else { Time::ZERO }
}
