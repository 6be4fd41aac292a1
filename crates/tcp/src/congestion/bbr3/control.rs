//! The minimum round-trip time and the probe for it, the rate and the window (draft-ietf-ccwg-bbr, sections 5.3.4 and 5.6).

use ackclock_units::{Stream, Time};

use super::super::Window;
use super::{Answers, Bbr3, MIN_CWND, State};
use crate::delivery_rate::{Phase, RateSample};

/// For how long the minimum round-trip time is believed, after what time the path is probed for it, and for how long.
const MIN_RTT_SPAN: Time = Time::from_millis(10_000);
const PROBE_RTT_INTERVAL: Time = Time::from_millis(5_000);
const PROBE_RTT_TIME: Time = Time::from_millis(200);
/// The rate is this much lower than the bandwidth, so that queues drain.
pub(super) const MARGIN: f64 = 0.99;

impl Bbr3 {
    /// Follows the minimum round-trip time. Returns whether it is time to probe for it.
    pub(super) fn follow_min_rtt(&mut self, sample: &RateSample) -> bool {
        let now = sample.now;
        let is_probe_due = now > self.probe_rtt_at.saturating_add(PROBE_RTT_INTERVAL);
        if let Some(rtt) = sample.rtt.map(Time::as_secs_f64)
            && (rtt < self.probe_rtt || is_probe_due)
        {
            (self.probe_rtt, self.probe_rtt_at) = (rtt, now);
        }
        if self.probe_rtt < self.min_rtt || now > self.min_rtt_at.saturating_add(MIN_RTT_SPAN) {
            (self.min_rtt, self.min_rtt_at) = (self.probe_rtt, self.probe_rtt_at);
        }
        is_probe_due
    }

    pub(super) fn follow_probe_rtt(
        &mut self,
        is_due: bool,
        window: &mut Window,
        sample: &RateSample,
        stream: &mut Stream,
    ) {
        if is_due && !self.restarts && self.state != State::ProbeRtt {
            self.state = State::ProbeRtt;
            self.save(window);
            (self.probe_ends, self.answers) = (None, Answers::ProbeStopping);
            self.begin_round();
        }
        self.restarts = false;
        if self.state != State::ProbeRtt {
            return;
        }
        let Some(ends) = self.probe_ends else {
            if sample.in_flight as f64 <= self.probe_rtt_cwnd() {
                self.probe_ends = Some(sample.now.saturating_add(PROBE_RTT_TIME));
                self.probe_has_round = false;
                self.begin_round();
            }
            return;
        };
        self.probe_has_round |= self.round_starts;
        if self.probe_has_round && sample.now > ends {
            self.probe_rtt_at = sample.now;
            window.cwnd = window.cwnd.max(self.prior_cwnd);
            self.short.unset();
            if self.is_full {
                self.begin_down(sample.now, stream);
                self.state = State::Cruise;
            } else {
                self.state = State::Startup;
            }
        }
    }

    /// Sets the pacing rate; before the pipe is full it only rises.
    pub(super) fn set_rate(&mut self, gain: f64) {
        let rate = gain * self.bandwidth * MARGIN;
        if rate > 0.0 && (self.is_full || rate > self.rate) {
            self.rate = rate;
        }
    }

    /// The BDP of a bandwidth times `gain`, or the initial window before the first sample of the round-trip time.
    pub(super) fn product(&self, bandwidth: f64, gain: f64) -> f64 {
        if self.min_rtt.is_finite() { gain * bandwidth * self.min_rtt } else { self.initial }
    }

    /// `flight` with what the last bursts of a paced sender and a short path need.
    fn with_bursts(&self, flight: f64) -> f64 {
        let most = flight.max(3.0 * self.burst).max(MIN_CWND);
        if self.state == State::Up { most + 2.0 } else { most }
    }

    /// Segments in flight at a bandwidth.
    pub(super) fn inflight(&self, bandwidth: f64) -> f64 {
        self.with_bursts(self.product(bandwidth, 1.0))
    }

    pub(super) fn with_headroom(&self) -> f64 {
        self.long.with_headroom(self.spec.headroom, MIN_CWND)
    }

    fn probe_rtt_cwnd(&self) -> f64 {
        self.product(self.bandwidth, State::ProbeRtt.gains().1).max(MIN_CWND)
    }

    pub(super) fn set_window(&mut self, window: &mut Window, sample: &RateSample) {
        let delivered = sample.newly_delivered as f64;
        if is_repair(self.recovery) && !is_repair(sample.phase) {
            window.cwnd = window.cwnd.max(self.prior_cwnd);
        }
        self.recovery = sample.phase;
        let excess = self.aggregation.excess(self.bandwidth);
        let most = self.with_bursts(self.product(self.bandwidth, self.state.gains().1) + excess);
        if self.is_full {
            window.cwnd = (window.cwnd + delivered).min(most);
        } else if window.cwnd < most || (sample.delivered as f64) < self.initial {
            window.cwnd += delivered;
        }
        let bound = match self.state {
            State::Startup | State::Drain => f64::INFINITY,
            State::Down | State::Refill | State::Up => self.long.inflight,
            State::Cruise => self.with_headroom(),
            State::ProbeRtt => self.with_headroom().min(self.probe_rtt_cwnd()),
        };
        window.cwnd = window.cwnd.min(bound.min(self.short.inflight)).max(MIN_CWND);
    }

    /// Saves the window before a recovery or a probe reduces it.
    pub(super) const fn save(&mut self, window: &Window) {
        let is_reduced = is_repair(self.recovery) || matches!(self.state, State::ProbeRtt);
        self.prior_cwnd = if is_reduced { self.prior_cwnd.max(window.cwnd) } else { window.cwnd };
    }
}

const fn is_repair(phase: Phase) -> bool {
    matches!(phase, Phase::Recovery | Phase::Loss)
}
