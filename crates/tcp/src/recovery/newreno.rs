//! NewReno's recovery: RFC 6582, section 3.2.
//!
//! Fast recovery lasts until all data outstanding at its start is acknowledged. An ACK for some of that data, a
//! *partial ACK*, indicates that the next segment was lost too: the sender retransmits it immediately and deflates the
//! window by the amount acknowledged.
//!
//! Differences from RFC 6582:
//! - the inflation by duplicate ACKs is stored separately from `cwnd`, and the window never deflates below one segment;
//! - `partial_ack_timer = each` restarts the timer on each partial ACK (section 4's *slow but steady* variant), and
//!   `partial_ack_deflation = false` removes the whole inflation (both ns-2 before May 2003);
//! - `deflate_on_exit = false` keeps the window as it is when recovery ends (ns-2);
//! - `recovery_burst` limits the segments that one ACK releases (ns-2); the limit does not apply to segments released
//!   by new data from the application, nor if `overhead` is above 0.

use ackclock_units::Time;

use super::{DUP_THRESH, Progress};
use crate::config::{PartialAckTimer, SenderConfig};
use crate::congestion::Signal;
use crate::sender::connection::Connection;

#[derive(Clone, Debug)]
pub struct NewReno {
    in_recovery: bool,
    /// Whether a partial ACK of this recovery has restarted the timer.
    timer_restarted: bool,
    /// Number of segments that may still be sent before the next ACK.
    quota: u32,
}

impl Default for NewReno {
    fn default() -> Self {
        Self { in_recovery: false, timer_restarted: false, quota: u32::MAX }
    }
}

impl NewReno {
    /// The quota is irrelevant outside of recovery: each duplicate ACK renews it, and it limits nothing before the
    /// third.
    pub(super) const fn is_at_rest(&self) -> bool {
        !self.in_recovery
    }

    /// Called when the application supplies data.
    pub(super) const fn on_supply(&mut self) {
        self.quota = u32::MAX;
    }

    pub(super) fn before_new_ack(&mut self, connection: &mut Connection, next: u64) -> Progress {
        self.quota = quota(connection);
        if !self.in_recovery {
            connection.inflation = 0;
            return Progress::Open;
        }
        if !connection.recover.is_some_and(|recover| next < recover) {
            self.in_recovery = false;
            connection.inflation = 0;
            if connection.config.deflate_on_exit {
                let flight = (connection.snd_max - next).max(1) + 1;
                connection.window.cwnd = connection.reduced_window().min(flight as f64);
            }
            return Progress::Ends;
        }
        deflate(connection, next - connection.snd_una);
        Progress::Partial
    }

    pub(super) fn after_partial_ack(&mut self, connection: &mut Connection, now: Time) {
        if !self.timer_restarted || connection.config.partial_ack_timer == PartialAckTimer::Each {
            connection.restart_timer(now);
        }
        self.timer_restarted = true;
        connection.retransmit_first();
    }

    pub(super) fn on_duplicate_ack(&mut self, connection: &mut Connection, now: Time) {
        self.quota = quota(connection);
        connection.dup_acks += 1;
        let inflates = self.in_recovery || !connection.config.exit_recovery;
        if self.in_recovery || connection.dup_acks > DUP_THRESH {
            connection.inflation += u32::from(inflates);
        } else if connection.dup_acks < DUP_THRESH {
            connection.limited_transmit();
        } else if connection.is_past_recover() {
            (self.in_recovery, self.timer_restarted) = (true, false);
            connection.reduce(Signal::Loss, false, 0);
            connection.fast_retransmit();
            connection.restart_timer(now);
            connection.inflation = DUP_THRESH;
        } else if inflates {
            connection.inflation = DUP_THRESH;
        }
    }

    pub(super) fn before_timeout(&mut self) {
        self.in_recovery = false;
    }

    /// The next segment that the window allows.
    #[inline(never)]
    pub(super) fn next_segment(&self, connection: &Connection) -> Option<u64> {
        (connection.may_send() && !self.is_paused(connection)).then_some(connection.snd_nxt)
    }

    /// Whether the last ACK has already released its maximum number of segments.
    pub(super) const fn is_paused(&self, connection: &Connection) -> bool {
        self.quota == 0 && connection.dup_acks >= DUP_THRESH
    }

    pub(super) fn on_sent(&mut self, connection: &mut Connection) {
        self.quota = self.quota.saturating_sub(1);
        connection.snd_nxt += 1;
    }
}

/// Number of segments that one ACK may release.
fn quota(connection: &Connection) -> u32 {
    let SenderConfig { recovery_burst, overhead, .. } = *connection.config;
    if recovery_burst == 0 || overhead > Time::ZERO { u32::MAX } else { recovery_burst }
}

/// Step 3 of section 3.2: subtracts the segments acknowledged by a partial ACK and adds one segment back.
fn deflate(connection: &mut Connection, acked: u64) {
    let inflation = u64::from(connection.inflation);
    if !connection.config.partial_ack_deflation {
        connection.inflation = 0;
    } else if inflation > acked {
        connection.inflation -= acked as u32 - 1;
    } else {
        connection.window.cwnd = (connection.window.cwnd - (acked - inflation) as f64).max(1.0);
        connection.inflation = 1;
    }
}
