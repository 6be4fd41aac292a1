//! NewReno's recovery: RFC 6582, section 3.2.
//!
//! Fast recovery lasts until all is acknowledged that was outstanding when it began. An ACK for part of it, a *partial ACK*,
//! says that the next segment was lost too: that is sent again at once, and the window deflates by what was acknowledged.
//!
//! How this differs from RFC 6582:
//! - the inflation by duplicate ACKs is kept apart from `cwnd`, and the window never deflates below one segment;
//! - `partial_ack_timer = each` restarts the timer on each partial ACK (section 4's *slow but steady* variant), and
//!   `partial_ack_deflation = false` takes the whole inflation away (both ns-2 before May 2003);
//! - `deflate_on_exit = false` leaves at the end what deflation left, and `recovery_burst` bounds what one ACK lets go (ns-2).

use ackclock_units::Time;

use super::{DUP_THRESH, Progress};
use crate::config::PartialAckTimer;
use crate::congestion::Signal;
use crate::sender::Connection;

#[derive(Clone, Debug, Default)]
pub struct NewReno {
    in_recovery: bool,
    /// The timer was restarted by a partial ACK of this recovery.
    timer_restarted: bool,
    /// Segments that left within the window since the last ACK.
    burst: u32,
}

impl NewReno {
    pub(super) fn before_new_ack(&mut self, connection: &mut Connection, next: u64) -> Progress {
        self.burst = 0;
        if !self.in_recovery {
            connection.inflation = 0;
            return Progress::Open;
        }
        if !connection.recover.is_some_and(|recover| next < recover) {
            self.in_recovery = false;
            connection.inflation = 0;
            if connection.config.deflate_on_exit {
                let flight = (connection.snd_max - next).max(1) + 1;
                connection.window.cwnd = connection.window.ssthresh.min(flight as f64);
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
        self.burst = 0;
        connection.dup_acks += 1;
        let inflates = self.in_recovery || !connection.config.exit_recovery;
        if self.in_recovery || connection.dup_acks > DUP_THRESH {
            connection.inflation += u32::from(inflates);
        } else if connection.dup_acks < DUP_THRESH {
            connection.limited_transmit();
        } else if connection.is_past_recover() {
            (self.in_recovery, self.timer_restarted) = (true, false);
            connection.reduce(Signal::FastRetransmit, false);
            connection.fast_retransmit();
            connection.restart_timer(now);
            connection.inflation = DUP_THRESH;
        } else if inflates {
            connection.inflation = DUP_THRESH;
        }
    }

    pub(super) fn before_timeout(&mut self) {
        self.in_recovery = false;
        self.burst = 0;
    }

    /// The segment that the window lets go next.
    pub(super) fn next_segment(&self, connection: &Connection) -> Option<u64> {
        let limit = connection.config.recovery_burst;
        let held = limit > 0 && self.burst >= limit && connection.dup_acks >= DUP_THRESH;
        (!held && connection.may_send()).then_some(connection.snd_nxt)
    }

    pub(super) fn on_sent(&mut self, connection: &mut Connection) {
        self.burst += 1;
        connection.snd_nxt += 1;
    }
}

/// Step 3 of section 3.2: take off what a partial ACK acknowledges, and add one segment back.
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
