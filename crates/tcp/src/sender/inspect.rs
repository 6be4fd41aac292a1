//! The phase and the state variables of a sender's law, for the record `states`. Senders that nobody inspects pay nothing.

use ackclock_units::Time;

use super::{Connection, Sender};
use crate::congestion::state::{CLASSIC, if_set};

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
}
