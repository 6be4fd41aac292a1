//! Connections without SACK, as in Linux 6 (`tcp_input.c`): a duplicate ACK stands for a segment that has arrived above a
//! gap, and reduces the number of segments in the network as a SACK block would.
//!
//! - A duplicate ACK counts as one segment; at least the lost segments, or one, are not counted (`tcp_add_reno_sack`,
//!   `tcp_limit_reno_sacked`). If duplicates exceed that, segments have arrived late, by as many as are outstanding.
//! - The first segment that an ACK acknowledges fills the gap, and the others were counted before (`tcp_remove_reno_sacks`).
//!   Outside of a recovery, nothing is counted after an ACK that advances `snd_una` (`tcp_reset_reno_sack`).
//! - The first segment is lost after three duplicate ACKs, or more after segments have arrived late, and in a recovery after
//!   each partial ACK (`tcp_newreno_mark_lost`; RFC 6582).
//! - A recovery, also from a timeout, lasts until data beyond `recover` is acknowledged, and until then duplicate ACKs of
//!   all data before it count as nothing (`tcp_is_non_sack_preventing_reopen`; RFC 6582, section 4.1).
//! - There are no probes (`tcp_schedule_loss_probe`), no times of reordering, and no reported duplicates. The proof that a
//!   timeout or a recovery was unnecessary needs timestamps, or an ACK of a segment that was sent once.
//!
//! The rest is that of connections with SACK.

use ackclock_units::Time;

use super::delivery::Delivery;
use super::undo::Undone;
use super::{DUP_THRESH, Phase, Rack, outstanding};
use crate::segment::{Ack, Sack};
use crate::sender::connection::Connection;

impl Rack {
    /// Number of outstanding segments that have arrived above a gap.
    pub(crate) const fn sacked(&self) -> u64 {
        self.board.sacked() + self.duplicates
    }

    /// Counts the segments that an ACK before `snd_una` delivers, of `acked` segments that it acknowledges.
    #[inline(never)]
    pub(super) fn remove_duplicates(&mut self, connection: &mut Connection, delivery: &mut Delivery, snd_una: u64) {
        let acked = snd_una - connection.snd_una;
        if acked > 0 {
            delivery.count = acked.saturating_sub(self.duplicates).max(1);
            self.duplicates = self.duplicates.saturating_sub(acked - 1);
            if let Some(rate) = connection.rate_mut() {
                rate.remove_duplicates(acked - delivery.count);
            }
            self.limit_duplicates(connection.snd_max - snd_una, acked);
        }
        // the ACK may be due to a retransmission alone
        delivery.original &= !delivery.resent;
    }

    /// Looks for a loss once the end of an episode and an undo were decided. Returns the number of segments found.
    #[inline(never)]
    pub(super) fn detect_by_duplicates(
        &mut self,
        connection: &mut Connection,
        ack: Ack<'_>,
        undone: Undone,
        now: Time,
    ) -> u64 {
        if ack.next < connection.snd_una || undone == Undone::Waits {
            return 0;
        }
        self.count_duplicate(connection, ack.next, now);
        self.mark_first(connection, ack.next)
    }

    /// Counts an ACK for all segments before `snd_una`, unless it is old.
    fn count_duplicate(&mut self, connection: &mut Connection, snd_una: u64, now: Time) {
        let advances = snd_una > connection.snd_una;
        let is_past = self.is_repairing() && !connection.recover.is_some_and(|recover| snd_una < recover);
        if is_past || advances && self.phase != Phase::Recovery {
            self.duplicates = 0;
        }
        // after a timeout, only new data leaves a gap below it
        let leaves_gap =
            self.phase != Phase::Loss || connection.recover.is_some_and(|recover| recover < connection.snd_max);
        let counts = !advances && !is_past && leaves_gap;
        let flight = connection.snd_max - snd_una;
        if counts && flight > 0 {
            let before = self.duplicates;
            self.duplicates += 1;
            self.limit_duplicates(flight, 0);
            self.delivered = self.duplicates.saturating_sub(before);
            if let Some(rate) = connection.rate_mut() {
                rate.count_duplicate(self.delivered, now);
            }
        }
    }

    /// Marks the first segment as lost if this ACK shows that it is. Returns the number of segments marked.
    fn mark_first(&mut self, connection: &mut Connection, snd_una: u64) -> u64 {
        let advances = snd_una > connection.snd_una;
        let is_due = match self.phase {
            Phase::Open | Phase::Reducing => self.duplicates >= self.clock.reordering().max(DUP_THRESH.into()),
            Phase::Recovery => advances && connection.recover.is_some_and(|recover| snd_una < recover),
            Phase::Loss => false,
        };
        let Some(mut outstanding) = outstanding(connection, snd_una).filter(|_| is_due) else { return 0 };
        if outstanding.log.get_mut(snd_una).is_none_or(|first| first.was_lost) {
            return 0;
        }
        self.losses.mark(&mut outstanding, snd_una);
        1
    }

    /// Limits the count to what can have arrived of `flight` segments. More shows reordering by `flight + acked` segments.
    fn limit_duplicates(&mut self, flight: u64, acked: u64) {
        let holes = self.losses.unrepaired().max(1).min(flight);
        if self.duplicates + holes > flight {
            self.duplicates = flight - holes;
            self.clock.note_reordering(flight + acked);
        }
    }
}

/// The ACK as a sender without SACK reads it.
pub(super) fn without_blocks(ack: Ack<'_>) -> Ack<'_> {
    Ack { sack: &Sack::NONE, ..ack }
}
