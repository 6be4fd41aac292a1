//! The phase and the state variables of a sender's law, for the record `states`. Senders that nobody inspects pay nothing.

use ackclock_units::Time;

use super::{Connection, Sender};
use crate::congestion::state::{CLASSIC, if_set};
use crate::recovery::Recovery;
use crate::send_log::Fate;

/// Outstanding segments, as Linux counts them (`tcp_info`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outstanding {
    /// Sent and not acknowledged.
    pub unacked: u64,
    /// Of these, reported by SACK blocks.
    pub sacked: u64,
    /// Of these, ever found lost and not reported since. Only RACK knows.
    pub lost: Option<u64>,
    /// Of these, sent more than once and in the network. Only RACK knows.
    pub retransmitted: Option<u64>,
}

/// Whether a sender reduces its window, and why, as Linux names it (`tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Episode {
    /// No sign of congestion.
    Open = 0,
    /// Duplicate or selective ACKs.
    Disorder = 1,
    /// Answers a mark.
    Cwr = 2,
    /// Repairs losses that it has found.
    Recovery = 3,
    /// Sends again after a timeout.
    Loss = 4,
}

impl Sender {
    /// Name of the phase at `now`, one of [`phases`](crate::congestion::phases): the law's own, or `slow_start`,
    /// `congestion_avoidance`, and `recovery` while losses are repaired.
    pub fn phase(&self, now: Time) -> &'static str {
        let Connection { law, window, .. } = &self.connection;
        let classic = || {
            let [slow_start, avoidance, recovery] = *CLASSIC else { return CLASSIC[0] };
            if self.recovery.is_repairing(&self.connection) {
                recovery
            } else if window.cwnd < window.ssthresh {
                slow_start
            } else {
                avoidance
            }
        };
        law.phase(now).unwrap_or_else(classic)
    }

    /// Whether data sent before the last loss, mark or timeout is not yet acknowledged.
    pub fn repairs(&self) -> bool {
        let connection = &self.connection;
        connection.recover.is_some_and(|recover| recover > 0 && connection.snd_una < recover)
    }

    /// Calls `visit` with the name and the value at `now` of each of the law's [state
    /// variables](crate::congestion::STATES), in the order of their declaration; a value that is not set is NaN.
    pub fn visit_state(&self, now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        let Connection { law, window, extra, rtt, config, .. } = &self.connection;
        if let Some(rate) = extra.as_ref().and_then(|extra| extra.rate.as_ref()) {
            let pacing_rate = law.pacing_rate(window, rtt.srtt(&config.rtt));
            visit("delivered", rate.delivered() as f64);
            visit("rtt", rate.rtt().map_or(f64::NAN, Time::as_secs_f64));
            visit("inflight", self.recovery.in_flight(&self.connection) as f64);
            visit("pacing_rate", if_set(pacing_rate.unwrap_or(f64::NAN)));
        }
        law.visit_state(now, visit);
    }

    /// Counts the outstanding segments; looks at each of them.
    pub fn outstanding(&self) -> Outstanding {
        let Self { connection, recovery, .. } = self;
        let unacked = connection.flight();
        let (sacked, lost, retransmitted) = match recovery {
            Recovery::Rack(rack) => (rack.sacked(), Some(rack.ever_lost()), Some(resent_in_network(connection))),
            Recovery::Sack(sack) => (sack.sacked(), None, None),
            _ => (0, None, None),
        };
        Outstanding { unacked, sacked, lost, retransmitted }
    }

    /// The current episode.
    pub fn episode(&self) -> Episode {
        let Self { connection, recovery, .. } = self;
        if let Recovery::Rack(rack) = recovery {
            return rack.episode();
        }
        if recovery.recovers() {
            Episode::Recovery
        } else if connection.has_timed_out() && recovery.is_repairing(connection) {
            Episode::Loss
        } else if connection.dup_acks > 0 {
            Episode::Disorder
        } else {
            Episode::Open
        }
    }
}

/// Number of outstanding segments that were sent more than once and are not known to have left the network.
fn resent_in_network(connection: &Connection) -> u64 {
    let Some(log) = connection.records() else { return 0 };
    let is_out = |number| log.get(number).is_some_and(|sent| sent.transmits > 1 && sent.fate == Fate::InNetwork);
    (connection.snd_una..connection.snd_max).filter(|number| is_out(*number)).count() as u64
}
