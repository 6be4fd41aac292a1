//! Reno's recovery: fast retransmit and fast recovery (RFC 5681, section 3.2).
//!
//! Three duplicate ACKs retransmit the first unacknowledged segment and reduce the window once. Each further duplicate
//! ACK releases one more segment. The next new ACK ends recovery.
//!
//! Differences from RFC 5681: a second fast retransmit for losses of the same window is suppressed by RFC 6582's test
//! on `recover`, which ns-2's Reno shares (`bugFix_`), so several losses in a window usually lead to a timeout. The
//! inflation by duplicate ACKs is stored separately from `cwnd`.

use ackclock_units::Time;

use super::{DUP_THRESH, Progress};
use crate::congestion::Signal;
use crate::sender::connection::Connection;

#[derive(Clone, Debug, Default)]
pub struct Reno {
    in_recovery: bool,
}

impl Reno {
    pub(super) const fn is_at_rest(&self) -> bool {
        !self.in_recovery
    }

    pub(super) fn before_new_ack(&mut self, connection: &mut Connection) -> Progress {
        connection.inflation = 0;
        if std::mem::take(&mut self.in_recovery) { Progress::Ends } else { Progress::Open }
    }

    pub(super) fn on_duplicate_ack(&mut self, connection: &mut Connection, now: Time) {
        connection.dup_acks += 1;
        let inflates = self.in_recovery || !connection.config.exit_recovery;
        if connection.dup_acks < DUP_THRESH {
            connection.limited_transmit();
        } else if connection.dup_acks > DUP_THRESH {
            connection.inflation += u32::from(inflates);
        } else if connection.is_past_recover() {
            self.in_recovery = true;
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
}
