//! Loss recovery: when a segment counts as lost, and what is sent again.
//!
//! The set is closed and historical, so it is an enum: each method is a match that shows the variants side by side, and each
//! variant lives in a file of its own.

mod reno;
mod vegas;

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use crate::sender::Connection;

/// The name of a loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecoverySpec {
    /// Fast retransmit and fast recovery (RFC 5681, section 3.2).
    Reno,
    /// Reno's, with Vegas' fine-grained early check.
    Vegas,
}

/// The state of a sender's loss recovery.
#[derive(Clone, Debug)]
pub enum Recovery {
    /// See [`RecoverySpec::Reno`].
    Reno(reno::Reno),
    /// See [`RecoverySpec::Vegas`].
    Vegas(vegas::Vegas),
}

impl RecoverySpec {
    pub(crate) fn build(self) -> Recovery {
        match self {
            Self::Reno => Recovery::Reno(reno::Reno::default()),
            Self::Vegas => Recovery::Vegas(vegas::Vegas::default()),
        }
    }
}

impl Recovery {
    /// Whether it needs to know when each segment was sent.
    pub(crate) const fn times_segments(&self) -> bool {
        match self {
            Self::Reno(_) => false,
            Self::Vegas(_) => true,
        }
    }

    /// A new ACK is about to be taken in. Returns whether it ends a fast recovery.
    pub(crate) fn before_new_ack(&mut self, connection: &mut Connection) -> bool {
        match self {
            Self::Reno(reno) => reno.before_new_ack(connection),
            Self::Vegas(vegas) => {
                vegas.before_new_ack(connection);
                false
            }
        }
    }

    /// A new ACK was taken in: `elapsed` since its last segment was sent, and `rtt` if that is a valid sample.
    pub(crate) fn after_new_ack(
        &mut self,
        connection: &mut Connection,
        now: Time,
        elapsed: Option<Time>,
        rtt: Option<Time>,
    ) {
        match self {
            Self::Reno(_) => {}
            Self::Vegas(vegas) => vegas.after_new_ack(connection, now, elapsed, rtt),
        }
    }

    /// A duplicate ACK arrived and was counted.
    pub(crate) fn on_duplicate_ack(&mut self, connection: &mut Connection, now: Time) {
        match self {
            Self::Reno(reno) => reno.on_duplicate_ack(connection, now),
            Self::Vegas(vegas) => vegas.on_duplicate_ack(connection, now),
        }
    }

    /// The retransmission timer fired, with data outstanding or not. Returns whether the law is to reduce the window; ns-2's
    /// Vegas does so also when nothing was outstanding.
    pub(crate) fn before_timeout(&mut self, outstanding: bool) -> bool {
        match self {
            Self::Reno(reno) => {
                reno.before_timeout();
                outstanding
            }
            Self::Vegas(_) => true,
        }
    }

    /// The retransmission timer fired and the window was reduced.
    pub(crate) fn after_timeout(&mut self, connection: &Connection, now: Time) {
        match self {
            Self::Reno(_) => {}
            Self::Vegas(vegas) => vegas.after_timeout(connection, now),
        }
    }
}
