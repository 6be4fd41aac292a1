//! Episodes of RACK, in which losses are repaired or the window is reduced: their beginning, their end, and the proof that
//! one was unnecessary.

use super::super::prr::{Prr, Start};
use super::undo::{Undo, Undone};
use super::{Delivery, Phase, Rack, has_new, outstanding, undo};
use crate::config::{DecreaseFrom, PrrRule, RackRule, UndoRule};
use crate::congestion::Signal;
use crate::packed_option::PackedOption;
use crate::sender::connection::Connection;

impl Rack {
    /// Begins to reduce the window because of a mark. `is_handled` states whether the rest of its ACK has been handled. Linux
    /// makes that ACK part of the reduction (`tcp_try_to_open`).
    #[inline(never)]
    pub(in crate::recovery) fn on_mark(&mut self, connection: &mut Connection, is_handled: bool) {
        if self.phase != Phase::Open {
            return;
        }
        let includes = is_handled && connection.config.prr == PrrRule::Linux;
        let start = self.start(connection);
        connection.reduce(Signal::Mark, false, start.known);
        self.undo = Undo::default();
        self.begin_prr(connection, start);
        if self.prr.is_some() {
            self.phase = Phase::Reducing;
            connection.recover = PackedOption::some(connection.snd_max);
            if includes {
                self.reduce_in_proportion(connection, connection.snd_una, true);
            }
        }
    }

    /// Begins to reduce the window because the host has refused a packet. The next ACK is the first one of the reduction.
    pub(in crate::recovery) fn on_refused(&mut self, connection: &mut Connection) {
        let (phase, cwnd) = (self.phase, connection.window.cwnd);
        self.on_mark(connection, false);
        if self.phase != phase {
            connection.window.cwnd = cwnd;
        }
    }

    /// Begins to repair losses. The window is reduced unless it is being reduced, or was reduced for a loss among the
    /// same data, which a probe repaired.
    pub(super) fn begin_recovery(&mut self, connection: &mut Connection, snd_una: u64, start: Start) {
        let is_new = !connection.recover.is_some_and(|recover| snd_una < recover);
        if self.phase == Phase::Open {
            if is_new {
                self.undo.begin(connection.window, connection.reduced_by);
                connection.reduce(Signal::Loss, false, start.known);
            }
            self.begin_prr(connection, start);
            if self.prr.is_none() && !connection.samples_rate() {
                // RFC 6675, section 5, (4.3): the first retransmission does not wait
                let lost = connection.records().and_then(|log| self.losses.next(log, snd_una, connection.snd_max));
                connection.urgent = lost.map_or(PackedOption::NONE, PackedOption::some);
            }
        }
        if self.phase == Phase::Reducing && connection.config.congestion.grades_marks() {
            connection.reduce(Signal::Loss, false, start.known);
            self.begin_prr(connection, start);
        }
        if is_new || self.phase == Phase::Reducing {
            connection.note_loss();
        }
        (self.phase, self.probe) = (Phase::Recovery, None); // RFC 8985, section 7.1
    }

    /// Begins to reduce the window in proportion, unless it is the law's alone.
    pub(super) fn begin_prr(&mut self, connection: &Connection, start: Start) {
        let rule = if connection.samples_rate() { PrrRule::Off } else { connection.config.prr };
        self.prr = Prr::begin(rule, connection, start);
    }

    /// Ends the episode.
    pub(super) fn end(&mut self, connection: &mut Connection) {
        if let Some(prr) = self.prr.filter(|_| self.is_reducing()) {
            connection.window.cwnd = prr.target();
            if connection.config.decrease_from == DecreaseFrom::WholeWindow {
                connection.window.cwnd = connection.window.cwnd.floor();
            }
        }
        if self.phase != Phase::Reducing {
            self.clock.recovery_ended();
        }
        (self.phase, self.prr) = (Phase::Open, None);
        self.undo.end_frto();
    }

    /// Sets the window in an episode.
    pub(super) fn reduce_in_proportion(&mut self, connection: &mut Connection, snd_una: u64, safe: bool) {
        let pipe = self.pipe(connection, snd_una);
        if let Some(prr) = &mut self.prr {
            prr.reduce(&mut connection.window, self.delivered, pipe, safe);
        }
    }

    /// Undoes the last reduction if this ACK shows that it was unnecessary. In a recovery, Linux waits with the undo until no
    /// retransmission is in the network (`tcp_try_undo_partial`). Other segments that were found lost are then no longer
    /// taken to be lost; in Linux, only after a timeout or if an original arrives within a recovery
    /// (`tcp_undo_cwnd_reduction`).
    ///
    /// Without a duplicate or an answer to an original, only an ACK after a timeout can show this.
    #[inline(never)]
    pub(super) fn look_for_undo(
        &mut self,
        connection: &mut Connection,
        snd_una: u64,
        duplicate: bool,
        original: bool,
        delivery: Delivery,
    ) -> Undone {
        let (rule, is_linux) = (connection.config.undo, connection.config.rack == RackRule::Linux);
        let complete = !connection.recover.is_some_and(|recover| snd_una < recover);
        let all_duplicates = duplicate && self.undo.duplicate_reported();
        let mut spurious = all_duplicates && matches!(rule, UndoRule::Dsack | UndoRule::Both);
        let mut forgives = !is_linux || self.phase == Phase::Loss;
        if self.is_repairing() {
            // the first segment was sent again, but its original arrives
            let delayed = original && matches!(rule, UndoRule::Eifel | UndoRule::Both);
            if delayed && is_linux && !complete && self.waits_with_undo(connection, snd_una) {
                return Undone::Waits;
            }
            spurious |= delayed;
            forgives |= delayed && !complete;
        }
        if self.phase == Phase::Loss {
            let partial = snd_una > connection.snd_una && !complete;
            let has_new = has_new(connection);
            spurious |= self.undo.answer(undo::Answer { original: delivery.original, complete, partial, has_new });
        }
        let Some((before, reduced_by)) = self.undo.take_if(spurious) else { return Undone::No };
        connection.reduced_by = reduced_by;
        let window = &mut connection.window;
        window.cwnd = window.cwnd.max(before.cwnd);
        window.ssthresh = window.ssthresh.max(before.ssthresh);
        connection.law.on_undo(window);
        (self.phase, self.prr) = (Phase::Open, None);
        connection.recover = PackedOption::NONE;
        if forgives && let Some(mut outstanding) = outstanding(connection, snd_una) {
            self.losses.forgive(&mut outstanding);
        }
        Undone::Yes
    }

    /// Whether a retransmission of a recovery is in the network, given the first unacknowledged segment.
    fn waits_with_undo(&self, connection: &mut Connection, snd_una: u64) -> bool {
        self.phase == Phase::Recovery
            && outstanding(connection, snd_una).is_some_and(|mut outstanding| self.losses.is_any_out(&mut outstanding))
    }
}
