//! Vegas' recovery: Brakmo and Peterson (1995), section 3.1, in addition to Reno's coarse timer.
//!
//! Every segment is timed. Each duplicate ACK, including the first, retransmits the first unacknowledged segment if a
//! fine-grained timeout has passed since it was sent. The first two new ACKs after a retransmission trigger the same
//! check. The window is reduced only if it has not been reduced since the lost segment was last sent.
//!
//! Differences from the paper (as in the authors' code included in ns-2):
//! - the fine-grained timeout is `(srtt + 2 rttvar) * 17/16`; it grows by an eighth after each retransmission and
//!   doubles after the retransmission of a segment sent more than once;
//! - a fast retransmission also doubles the back-off of the coarse timer;
//! - duplicate ACKs inflate `cwnd` itself, which is deflated only if more than three of them arrived;
//! - `stale_records` reproduces five defects of that code, described in
//!   [`SenderConfig`](crate::SenderConfig::stale_records);
//! - after a timeout, a fast retransmission is possible only once all data sent before the timeout is acknowledged.

use ackclock_units::Time;

use super::DUP_THRESH;
use crate::config::IdleRestart;
use crate::congestion::Signal;
use crate::send_log::Sent;
use crate::sender::connection::Connection;

/// All times are in seconds.
#[derive(Clone, Debug)]
pub struct Vegas {
    /// Eight times the smoothed round-trip time; `None` before the first ACK.
    srtt8: Option<f64>,
    /// Four times the mean deviation of the round-trip time.
    rttvar4: f64,
    /// The fine-grained timeout; infinite before the first sample.
    timeout: f64,
    /// The window to restore when the inflation ends.
    exit_cwnd: f64,
    last_reduction: Option<Time>,
    timed_out: bool,
    /// Number of new ACKs that will still check whether the first unacknowledged segment has timed out.
    watchful: u64,
}

impl Default for Vegas {
    fn default() -> Self {
        Self {
            srtt8: None,
            rttvar4: 0.0,
            timeout: f64::INFINITY,
            exit_cwnd: 0.0,
            last_reduction: None,
            timed_out: false,
            watchful: 0,
        }
    }
}

impl Vegas {
    pub(super) fn before_new_ack(&mut self, connection: &mut Connection) {
        if connection.dup_acks > DUP_THRESH && connection.window.cwnd > self.exit_cwnd {
            connection.window.cwnd = self.exit_cwnd;
            connection.window.ssthresh = 2.0;
        }
    }

    #[inline(never)]
    pub(super) fn after_new_ack(&mut self, connection: &mut Connection, now: Time, last: Option<Sent>) {
        let stale = connection.config.stale_records;
        let rtt = last.and_then(|sent| sent.rtt(now));
        let elapsed = last.map(|sent| sent.elapsed(now));
        let first = if stale { elapsed } else { rtt }.filter(|_| self.srtt8.is_none());
        if let Some(elapsed) = first {
            let first = elapsed.as_secs_f64();
            (self.srtt8, self.rttvar4, self.timeout) = (Some(8.0 * first), first, 1.5 * first);
        }
        let rtt = rtt.filter(|_| first.is_none() || !stale);
        if let (Some(srtt8), Some(rtt)) = (&mut self.srtt8, rtt) {
            let error = rtt.as_secs_f64() - *srtt8 / 8.0;
            *srtt8 += error;
            self.rttvar4 += error.abs() - self.rttvar4 / 4.0;
            self.timeout = (*srtt8 / 8.0 + self.rttvar4 / 2.0) * (17.0 / 16.0);
        }
        if self.watchful > 0 {
            self.watchful -= 1;
            if self.first_expired(connection, now) {
                if !stale {
                    connection.stop_timing(connection.snd_una);
                }
                connection.retransmit_first();
                connection.dup_acks = DUP_THRESH;
            } else {
                self.watchful = 0;
            }
        }
    }

    pub(super) fn on_duplicate_ack(&mut self, connection: &mut Connection, now: Time) {
        connection.dup_acks += 1;
        let lost = connection.dup_acks == DUP_THRESH || self.first_expired(connection, now);
        if !lost {
            if connection.dup_acks > DUP_THRESH {
                connection.window.cwnd += 1.0;
            }
        } else if connection.is_past_recover() || !self.timed_out {
            self.fast_retransmit(connection, now);
        }
    }

    pub(super) fn after_timeout(&mut self, connection: &Connection, now: Time) {
        self.timed_out = true;
        // a sender with a window of zero sends again only if its timer never stops
        let stale = connection.config.stale_records && connection.config.idle_restart == IdleRestart::Timeout;
        self.exit_cwnd = if stale { 0.0 } else { connection.window.cwnd };
        self.last_reduction = Some(now);
    }

    fn fast_retransmit(&mut self, connection: &mut Connection, now: Time) {
        let Some(first) = connection.first_sent() else { return };
        self.timed_out = false;
        self.watchful = (connection.snd_nxt - connection.snd_una + 1).min(2);
        let lost_again = first.transmits > 1;
        self.timeout *= if lost_again { 2.0 } else { 1.125 };
        if self.last_reduction.is_none_or(|reduction| reduction < first.at) {
            connection.reduce(Signal::Loss, lost_again, 0);
            self.exit_cwnd = connection.window.cwnd;
            connection.window.cwnd += f64::from(connection.dup_acks);
            self.last_reduction = Some(now);
        }
        connection.fast_retransmit();
        connection.rtt.back_off(&connection.config.rtt);
        connection.restart_timer(now);
        if !lost_again {
            connection.dup_acks = DUP_THRESH;
        }
    }

    /// Whether the first unacknowledged segment was last sent longer ago than the fine-grained timeout.
    fn first_expired(&self, connection: &Connection, now: Time) -> bool {
        connection.snd_una < connection.supplied
            && !connection.has_closed_window()
            && match connection.first_sent() {
                Some(sent) => (now - sent.at).as_secs_f64() >= self.timeout,
                None => connection.config.stale_records,
            }
    }
}
