//! Startup, drain, and the cycle of ProbeBW: down, cruise, refill, up (draft-ietf-ccwg-bbr, sections 5.3.1 to 5.3.3).

use ackclock_units::{Stream, Time};

use super::super::Window;
use super::{Answers, Bbr3, State};
use crate::delivery_rate::{Phase, RateSample};

/// Startup ends if at least this number of ranges of segments are lost in a round trip.
const FULL_LOSS_RANGES: u32 = 6;
/// The largest number of round trips of drain.
const DRAIN_ROUNDS: u64 = 3;
/// The largest number of round trips between probes for bandwidth.
const RENO_ROUNDS: f64 = 63.0;

impl Bbr3 {
    /// Ends startup when the pipe is full or loses too much.
    pub(super) fn follow_startup(&mut self, sample: &RateSample) {
        if self.state != State::Startup {
            return;
        }
        let loses = self.short.round_starts
            && sample.phase == Phase::Recovery
            && self.short.ranges >= FULL_LOSS_RANGES
            && self.loses_too_much(sample);
        if !self.is_full && (loses || self.marks.end_startup()) {
            self.before.left = Some(State::Startup);
            self.is_full = true;
            self.long.inflight = self.product(self.bandwidth, 1.0).max(self.short.latest_inflight);
        }
        if self.is_full {
            self.state = State::Drain;
            self.drain_from = self.rounds;
        }
    }

    pub(super) fn follow_drain(&mut self, sample: &RateSample, stream: &mut Stream) {
        let is_over =
            || sample.in_flight as f64 <= self.inflight(self.bandwidth) || self.rounds > self.drain_from + DRAIN_ROUNDS;
        if self.state == State::Drain && is_over() {
            self.begin_down(sample.now, stream);
        }
    }

    pub(super) fn begin_down(&mut self, now: Time, stream: &mut Stream) {
        self.short.forget();
        self.long.stop();
        self.rounds_since_probe = u64::from(stream.uniform() >= 0.5);
        self.wait = Time::from_secs_f64(2.0 + stream.uniform());
        (self.cycle_at, self.answers) = (now, Answers::ProbeStopping);
        self.begin_round();
        self.state = State::Down;
    }

    pub(super) const fn begin_refill(&mut self) {
        self.short.unset();
        self.long.prepare();
        (self.was_precautionary, self.answers) = (false, Answers::Refilling);
        self.begin_round();
        self.state = State::Refill;
    }

    fn begin_up(&mut self, window: &Window, sample: &RateSample) {
        (self.may_be_too_high, self.answers) = (true, Answers::ProbeStarting);
        self.begin_round();
        self.restart_plateau(sample.rate.unwrap_or(0.0));
        self.state = State::Up;
        self.long.steepen(window.cwnd);
    }

    /// Begins the next phase of the cycle if the present one is over.
    pub(super) fn follow_cycle(&mut self, window: &Window, sample: &RateSample, stream: &mut Stream) {
        if !self.is_full || self.adapts_long_term(window, sample) {
            return;
        }
        let flight = sample.in_flight as f64;
        let is_time_to_probe = || {
            let reno = self.product(self.bandwidth, 1.0).min(window.cwnd).min(RENO_ROUNDS);
            sample.now > self.cycle_at.saturating_add(self.wait) || self.rounds_since_probe as f64 >= reno
        };
        match self.state {
            State::Down | State::Cruise if is_time_to_probe() => self.begin_refill(),
            State::Down => {
                if flight <= self.with_headroom() && flight <= self.inflight(self.max_bandwidth.get()) {
                    self.state = State::Cruise;
                }
            }
            State::Refill if self.round_starts => self.begin_up(window, sample),
            State::Up => {
                if self.is_time_to_go_down(window, sample) {
                    self.was_too_high = false;
                    self.begin_down(sample.now, stream);
                }
            }
            State::Startup | State::Drain | State::Cruise | State::Refill | State::ProbeRtt => {}
        }
    }

    fn is_time_to_go_down(&mut self, window: &Window, sample: &RateSample) -> bool {
        if self.was_too_high && sample.in_flight as f64 >= self.long.inflight {
            self.was_precautionary = true;
            return true;
        }
        if self.is_window_limited && window.cwnd >= self.long.inflight {
            self.restart_plateau(sample.rate.unwrap_or(0.0)); // the bound, not the path, limits the bandwidth
            return false;
        }
        self.is_full_now
    }

    /// Follows which segments the ACKs answer, and raises the long-term bound. Returns whether a phase began.
    fn adapts_long_term(&mut self, window: &Window, sample: &RateSample) -> bool {
        if self.round_starts && self.answers == Answers::ProbeStarting {
            self.answers = Answers::Probe;
        } else if self.round_starts && self.answers == Answers::ProbeStopping {
            (self.may_be_too_high, self.answers) = (false, Answers::Other);
            if self.state.is_probe_bandwidth() {
                if !sample.app_limited {
                    self.max_bandwidth.advance();
                }
                if self.was_precautionary && !self.was_too_high {
                    self.begin_refill();
                    return true;
                }
            }
        }
        if !self.loses_too_much(sample) && self.long.inflight.is_finite() {
            self.long.inflight = self.long.inflight.max(sample.tx_in_flight as f64);
            if self.state == State::Up && self.is_window_limited && window.cwnd >= self.long.inflight {
                self.long.raise(sample.newly_delivered);
                if self.round_starts {
                    self.long.steepen(window.cwnd);
                }
            }
        }
        false
    }

    pub(super) fn loses_too_much(&self, sample: &RateSample) -> bool {
        sample.lost as f64 > self.spec.loss_threshold * sample.tx_in_flight as f64
    }

    /// Ends a probe that was too high, once. `inflight` is its flight unless the application limited it.
    pub(super) fn on_too_high(&mut self, inflight: Option<f64>, window: &Window, now: Time, stream: &mut Stream) {
        (self.was_too_high, self.may_be_too_high) = (true, false);
        if let Some(inflight) = inflight {
            let target = self.product(self.bandwidth, 1.0).min(window.cwnd);
            self.long.inflight = inflight.max(self.spec.beta * target);
        }
        if self.state == State::Up {
            self.before.left = Some(State::Up);
            self.begin_down(now, stream);
        }
    }
}
