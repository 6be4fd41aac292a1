//! Tahoe's recovery: fast retransmit without fast recovery (Jacobson, "Congestion Avoidance and Control", 1988; Fall
//! and Floyd, "Simulation-based Comparisons of Tahoe, Reno and SACK TCP", 1996, section 2).
//!
//! Three duplicate ACKs reduce the threshold like any loss, and slow start restarts from the first unacknowledged
//! segment with a window of one.
//!
//! A timeout does not reset the count of duplicate ACKs: duplicate ACKs that arrive after the timeout refer to segments
//! sent before the timeout, and limited transmit must not react to them.
//!
//! Differences from the paper: limited transmit (RFC 3042), if enabled, sends on the first two duplicate ACKs; losses
//! of one window cause only one reduction, by RFC 6582's test on `recover`, which ns-2 shares (`bugFix_`).

use ackclock_units::Time;

use super::DUP_THRESH;
use crate::congestion::Signal;
use crate::sender::connection::Connection;

pub(super) fn on_duplicate_ack(connection: &mut Connection, now: Time) {
    connection.dup_acks += 1;
    if connection.dup_acks < DUP_THRESH {
        connection.limited_transmit();
    } else if connection.dup_acks == DUP_THRESH && connection.is_past_recover() {
        connection.reduce(Signal::Loss, false, 0);
        connection.window.cwnd = 1.0; // under any law, slow start begins with one segment
        connection.note_loss();
        connection.snd_nxt = connection.snd_una;
        connection.restart_timer(now);
    }
}
