//! Loss recovery: when a segment counts as lost, and what is sent again.
//!
//! The set is closed and historical, so it is an enum: each method is a match that shows the variants side by side, and each
//! variant lives in a file of its own.
//!
//! A fast retransmission restarts the retransmission timer, as in ns-2 and in BSD, so that it has a whole timeout to be
//! acknowledged in; RFC 6298 restarts it with new ACKs only.

mod newreno;
mod reno;
mod sack;
mod tahoe;
mod vegas;

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use crate::config::SenderConfig;
use crate::segment::Ack;
use crate::send_log::Sent;
use crate::sender::Connection;

/// So many duplicate ACKs say that a segment was lost (RFC 5681, section 3.2).
const DUP_THRESH: u32 = 3;

/// The name of a loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecoverySpec {
    /// Fast retransmit, then slow start (Jacobson 1988).
    Tahoe,
    /// Fast retransmit and fast recovery (RFC 5681, section 3.2).
    Reno,
    /// Reno's, with Vegas' fine-grained early check.
    Vegas,
    /// Fast recovery that repairs all losses of a window, one in a round trip (RFC 6582).
    NewReno,
    /// Recovery by selective acknowledgments (RFC 6675).
    Sack,
}

/// What a new ACK does to fast recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There is none.
    Open,
    /// It ends.
    Ends,
    /// It goes on: the ACK is a partial one (RFC 6582).
    Partial,
}

/// The state of a sender's loss recovery.
#[derive(Clone, Debug)]
pub enum Recovery {
    /// See [`RecoverySpec::Tahoe`].
    Tahoe,
    /// See [`RecoverySpec::Reno`].
    Reno(reno::Reno),
    /// See [`RecoverySpec::Vegas`].
    Vegas(Box<vegas::Vegas>),
    /// See [`RecoverySpec::NewReno`].
    NewReno(newreno::NewReno),
    /// See [`RecoverySpec::Sack`].
    Sack(Box<sack::Sack>),
}

impl Recovery {
    pub(crate) fn new(config: &SenderConfig) -> Self {
        match config.recovery {
            RecoverySpec::Tahoe => Self::Tahoe,
            RecoverySpec::Reno => Self::Reno(reno::Reno::default()),
            RecoverySpec::NewReno => Self::NewReno(newreno::NewReno::default()),
            RecoverySpec::Sack => Self::Sack(Box::new(sack::Sack::new(config.sack))),
            RecoverySpec::Vegas => Self::Vegas(Box::default()),
        }
    }

    /// Bytes of memory beyond its own size.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Sack(sack) => size_of_val(&**sack) + sack.held(),
            Self::Vegas(vegas) => size_of_val(&**vegas),
            Self::Tahoe | Self::Reno(_) | Self::NewReno(_) => 0,
        }
    }

    /// Whether it needs to know when each segment was sent.
    pub(crate) const fn times_segments(&self) -> bool {
        matches!(self, Self::Vegas(_))
    }

    /// A new ACK is about to be taken in.
    #[inline(always)]
    pub(crate) fn before_new_ack(&mut self, connection: &mut Connection, ack: Ack<'_>) -> Progress {
        // the shortest first: a jump by table would cost it more than it does
        if let Self::Reno(reno) = self { reno.before_new_ack(connection) } else { self.others(connection, ack) }
    }

    #[inline(never)]
    fn others(&mut self, connection: &mut Connection, ack: Ack<'_>) -> Progress {
        match self {
            Self::Tahoe => Progress::Open,
            Self::Reno(reno) => reno.before_new_ack(connection),
            Self::NewReno(newreno) => newreno.before_new_ack(connection, ack.next),
            Self::Sack(sack) => sack.before_new_ack(connection, ack),
            Self::Vegas(vegas) => {
                vegas.before_new_ack(connection);
                Progress::Open
            }
        }
    }

    /// A partial ACK was taken in.
    pub(crate) fn after_partial_ack(&mut self, connection: &mut Connection, now: Time) {
        match self {
            Self::NewReno(newreno) => newreno.after_partial_ack(connection, now),
            Self::Sack(sack) => sack.after_partial_ack(connection, now),
            Self::Tahoe | Self::Reno(_) | Self::Vegas(_) => {}
        }
    }

    /// A new ACK was taken in, with the record of the `last` segment that it acknowledged, where segments are timed.
    #[inline(always)]
    pub(crate) fn after_new_ack(&mut self, connection: &mut Connection, now: Time, last: Option<Sent>) {
        if let Self::Vegas(vegas) = self {
            vegas.after_new_ack(connection, now, last);
        }
    }

    /// A duplicate ACK arrived; whether it counts as one is for recovery to say.
    #[inline(never)]
    pub(crate) fn on_duplicate_ack(&mut self, connection: &mut Connection, ack: Ack<'_>, now: Time) {
        match self {
            Self::Tahoe => tahoe::on_duplicate_ack(connection, now),
            Self::Reno(reno) => reno.on_duplicate_ack(connection, now),
            Self::NewReno(newreno) => newreno.on_duplicate_ack(connection, now),
            Self::Sack(sack) => sack.on_duplicate_ack(connection, ack, now),
            Self::Vegas(vegas) => vegas.on_duplicate_ack(connection, now),
        }
    }

    /// The retransmission timer fired, with data outstanding or not. Returns whether the law is to reduce the window; ns-2's
    /// Vegas does so also when nothing was outstanding.
    pub(crate) fn before_timeout(&mut self, outstanding: bool) -> bool {
        match self {
            Self::Tahoe => {}
            Self::Reno(reno) => reno.before_timeout(),
            Self::NewReno(newreno) => newreno.before_timeout(),
            Self::Sack(sack) => sack.before_timeout(),
            Self::Vegas(_) => return true,
        }
        outstanding
    }

    /// The retransmission timer fired and the window was reduced.
    pub(crate) fn after_timeout(&mut self, connection: &Connection, now: Time) {
        if let Self::Vegas(vegas) = self {
            vegas.after_timeout(connection, now);
        }
    }

    /// Whether it has a say in what leaves next; if not, that is `snd_nxt`, when the window allows it.
    pub(crate) const fn chooses(&self) -> bool {
        matches!(self, Self::NewReno(_) | Self::Sack(_))
    }

    /// The segment that may leave next, whatever leaves at once besides.
    #[inline(never)]
    pub(crate) fn next_segment(&self, connection: &Connection) -> Option<u64> {
        match self {
            Self::Tahoe | Self::Reno(_) | Self::Vegas(_) => connection.may_send().then_some(connection.snd_nxt),
            Self::NewReno(newreno) => newreno.next_segment(connection),
            Self::Sack(sack) => sack.next_segment(connection),
        }
    }

    /// The [next segment](Self::next_segment), `number`, leaves.
    #[inline(never)]
    pub(crate) fn on_sent(&mut self, connection: &mut Connection, number: u64) {
        match self {
            Self::Tahoe | Self::Reno(_) | Self::Vegas(_) => connection.snd_nxt += 1,
            Self::NewReno(newreno) => newreno.on_sent(connection),
            Self::Sack(sack) => sack.on_sent(connection, number),
        }
    }

    /// The application handed over data.
    pub(crate) const fn on_supply(&mut self) {
        match self {
            Self::Tahoe | Self::Reno(_) | Self::Vegas(_) => {}
            Self::NewReno(newreno) => newreno.on_supply(),
            Self::Sack(sack) => sack.on_supply(),
        }
    }

    /// Whether segments that the window allows wait for the next ACK or the next supply.
    #[inline(never)]
    pub(crate) fn is_paused(&self, connection: &Connection) -> bool {
        match self {
            Self::Tahoe | Self::Reno(_) | Self::Vegas(_) => false,
            Self::NewReno(newreno) => connection.may_send() && newreno.is_paused(connection),
            Self::Sack(sack) => sack.is_paused(connection),
        }
    }

    /// Whether new data could leave, if there were any.
    #[inline(never)]
    pub(crate) fn is_open(&self, connection: &Connection) -> bool {
        if let Self::Sack(sack) = self { sack.is_open(connection) } else { connection.is_window_open() }
    }
}
