//! BBR, version 1: Cardwell, Cheng, Gunn, Yeganeh and Jacobson, "BBR: Congestion-Based Congestion Control" (ACM Queue
//! 14(5), 2016), as in Linux 4.9 to 6 (`net/ipv4/tcp_bbr.c`).
//!
//! The sender keeps a model of its path: the bandwidth, which is the maximum delivery rate of the last 10 round trips, and
//! the minimum round-trip time of the last 10 s. It sends at about the bandwidth, with at most about two bandwidth-delay
//! products (BDP) in flight. A loss says nothing about the path.
//!
//! - *Startup*: rate and window grow by `2/ln 2` per round trip until the bandwidth has grown by less than a quarter in
//!   three round trips; *drain* then empties the queue, until at most a BDP is in flight.
//! - *ProbeBW*: cycles of eight phases, each about a minimum round-trip time long, at 1.25, 0.75 and six times 1 of the
//!   bandwidth. The first phase also lasts until the flight has grown or a segment is lost, and the second one ends early
//!   when the queue is gone.
//! - *ProbeRTT*: if the minimum round-trip time was not seen for 10 s, at most four segments are in flight for 200 ms and a
//!   round trip.
//! - In the first round trip of a recovery, each delivery releases as much as it delivers. The recovery ends with the
//!   window that it began with.
//! - If losses show that a policer limits the path, the sender keeps to its rate (`bbr/policer.rs`).
//! - ACKs that arrive in bursts (*aggregation*) enlarge the window by the largest excess over the bandwidth in the last 5
//!   to 10 round trips (`bbr/aggregation.rs`).
//!
//! Differences from Linux: real numbers in place of fixed point, except for the gains; the bandwidth is the exact maximum
//! of its window; times are exact instead of jiffies. Without `gso`, a burst has `pacing_burst` segments, but the window
//! has room for Linux's bursts of 1 ms.

pub(super) mod aggregation;
pub(super) mod bandwidth;
pub(super) mod plateau;
mod policer;
#[cfg(test)]
mod tests;

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::signals::{whole, whole_above};
use super::state::{DELIVERED, INFLIGHT, MIN_RTT, PACING_RATE, RTT, if_set, variable};
use super::{AckSample, CongestionControl, CongestionEvent, Parameter, Signal, Spec, Variable, Window};
use crate::delivery_rate::{Phase, RateSample};
use crate::limits::Limit;
use crate::variants::{Listing, TODAY};
use aggregation::Aggregation;
use bandwidth::Bandwidth;
use plateau::Plateau;
use policer::{Change, Policer};

pub(super) const DOC: &str = "Sends at the bandwidth that it measures, whatever is lost (Cardwell et al. 2016)";
pub(super) const LISTING: Option<Listing> = Some(Listing {
    era: TODAY,
    doc: "Sends at the bandwidth that it measures, and does not react to losses (Cardwell et al. 2016)",
});
pub(super) const PARAMETERS: &[Parameter] = &[];

/// The variables of both versions.
pub(super) const BW: Variable =
    variable("bw", "segments/s", "Bandwidth of the model: the maximum delivery rate, within its bound");
pub(super) const PACING_GAIN: Variable = variable("pacing_gain", "", "Gain of the pacing rate");
pub(super) const CWND_GAIN: Variable = variable("cwnd_gain", "", "Gain of the window");
pub(super) const EXTRA_ACKED: Variable =
    variable("extra_acked", "segments", "Room in the window for ACKs that arrive in bursts");

/// The gains of startup and drain, in the kernel's units: `2/ln 2` and its inverse.
const HIGH_GAIN: f64 = 739.0 / 256.0;
const DRAIN_GAIN: f64 = 88.0 / 256.0;
/// The gains of a cycle, and the gain of the window in it.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const WINDOW_GAIN: f64 = 2.0;
/// The first phase without a gain.
const CRUISE: usize = 2;
/// Number of round trips that a delivery rate counts for, including the present one.
const BANDWIDTH_ROUNDS: usize = 11;
/// The smallest window, in segments.
const MIN_CWND: f64 = 4.0;
/// For how long the minimum round-trip time is believed, and how long the path is probed for it.
const MIN_RTT_SPAN: Time = Time::from_millis(10_000);
const PROBE_RTT_TIME: Time = Time::from_millis(200);
/// The rate is this much lower than the bandwidth, so that queues drain.
const MARGIN: f64 = 0.99;
/// The window has room for three bursts, each of the data of this time (in seconds), but of one segment at rates below
/// `SLOW` bytes per second, and otherwise of two segments or more, up to the bytes of the largest burst and 127 segments.
const BURST_TIME: f64 = 1.0 / 1024.0;
const SLOW: f64 = 1.2e6 / 8.0;
const LARGEST_BURST: f64 = 65_215.0;
const MOST_AT_ONCE: f64 = 127.0;
/// The round-trip time that is assumed before the first sample, in seconds.
const FIRST_RTT: f64 = 1e-3;

/// The parameters of BBR, which has none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BbrSpec {}

/// What the sender is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRtt,
}

#[derive(Debug)]
pub(crate) struct Bbr {
    mode: Mode,
    bandwidth: Bandwidth<BANDWIDTH_ROUNDS>,
    /// Round trips since its last sample: without one, an old bandwidth remains.
    rounds: usize,
    /// Minimum round-trip time in seconds, and when it was last seen.
    min_rtt: f64,
    min_rtt_at: Time,
    /// A round trip ends with the first delivery of a segment that was sent after so many were delivered.
    round_end: u64,
    round_starts: bool,
    plateau: Plateau,
    /// Whether the pipe was ever full.
    is_full: bool,
    /// Phase of the cycle, and its beginning.
    phase: usize,
    phase_at: Time,
    /// When the probe for the minimum round-trip time may end, if it has begun, and whether a round trip has passed.
    probe_ends: Option<Time>,
    probe_has_round: bool,
    /// Whether this sample was taken during a probe.
    probes: bool,
    /// Whether data is sent again after an idle period.
    restarts: bool,
    /// Whether the idle period has ended a probe, so that the next sample draws a phase.
    draws_phase: bool,
    aggregation: Aggregation,
    policer: Policer,
    /// The window before a recovery or a probe.
    prior_cwnd: f64,
    recovery: Phase,
    /// Whether each delivery releases as much as it delivers.
    conserves: bool,
    /// Pacing rate in segments per second; 0 before the first sample.
    rate: f64,
    /// The initial window.
    initial: f64,
    burst: f64,
    /// Bytes of data in a segment.
    payload: f64,
}

impl Spec for BbrSpec {
    type State = Bbr;

    fn build(&self) -> Bbr {
        Bbr {
            mode: Mode::Startup,
            bandwidth: Bandwidth::default(),
            rounds: 0,
            min_rtt: f64::INFINITY,
            min_rtt_at: Time::ZERO,
            round_end: 0,
            round_starts: false,
            plateau: Plateau::default(),
            is_full: false,
            phase: 0,
            phase_at: Time::ZERO,
            probe_ends: None,
            probe_has_round: false,
            probes: false,
            restarts: false,
            draws_phase: false,
            aggregation: Aggregation::in_whole_segments(),
            policer: Policer::default(),
            prior_cwnd: 0.0,
            recovery: Phase::Open,
            conserves: false,
            rate: 0.0,
            initial: 0.0,
            burst: 1.0,
            payload: 1.0,
        }
    }
}

impl CongestionControl for Bbr {
    const OWN_SLOW_START: bool = true;
    const LIMITS_QUEUE: bool = true;
    const PHASES: &'static [&'static str] =
        &["startup", "drain", "probe_bw:up", "probe_bw:down", "probe_bw:cruise", "probe_rtt"];
    const VARIABLES: &'static [Variable] = &[
        DELIVERED,
        RTT,
        INFLIGHT,
        PACING_RATE,
        BW,
        MIN_RTT,
        PACING_GAIN,
        CWND_GAIN,
        EXTRA_ACKED,
        variable("cycle_idx", "", "Phase of the cycle of eight gains, from 0 to 7; null outside of ProbeBW"),
    ];

    fn samples_rate(&self) -> bool {
        true
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &AckSample) {}

    fn on_rate(&mut self, window: &mut Window, sample: &RateSample, stream: &mut Stream) {
        self.begin(window, sample);
        if self.draws_phase {
            self.begin_cycles(self.phase_at, stream);
        }
        self.follow_bandwidth(sample, stream);
        let round = self.round_starts.then_some(aggregation::ROUNDS);
        self.aggregation.on_ack(sample, self.rate_of_path(), window.cwnd, round);
        self.follow_cycle(sample);
        self.look_whether_full(sample);
        self.follow_drain(window, sample, stream);
        self.follow_min_rtt(window, sample, stream);
        self.set_rate(self.rate_gain());
        self.set_window(window, sample);
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        self.save(window);
        if event.signal == Signal::Timeout {
            self.recovery = Phase::Loss;
            self.plateau.restart(0.0);
        }
    }

    fn on_timeout(&mut self, sample: &RateSample, stream: &mut Stream) {
        self.look_for_policer(&RateSample { newly_lost: 1, ..*sample }, true, stream);
    }

    fn on_undo(&mut self, _window: &mut Window) {
        self.plateau.restart(0.0);
        self.policer.restart();
    }

    fn on_idle(&mut self, window: &mut Window, now: Time, _idle: Time) {
        self.restarts = true;
        self.aggregation.restart(now);
        match self.mode {
            Mode::ProbeBandwidth => self.set_rate(1.0),
            Mode::ProbeRtt => self.draws_phase = self.end_probe(window, now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn limits_itself(&self) -> bool {
        self.probes
    }

    fn pacing_rate(&self, window: &Window, srtt: Option<f64>) -> Option<f64> {
        Some(if self.rate > 0.0 { self.rate } else { MARGIN * HIGH_GAIN * window.cwnd / srtt.unwrap_or(FIRST_RTT) })
    }

    fn holds(&self, _: &Window, _reduced_by: Limit) -> Limit {
        Limit::of_model(self.mode == Mode::Startup)
    }

    fn phase(&self, _now: Time) -> Option<&'static str> {
        Some(match (self.mode, self.phase) {
            (Mode::Startup, _) => "startup",
            (Mode::Drain, _) => "drain",
            (Mode::ProbeBandwidth, 0) => "probe_bw:up",
            (Mode::ProbeBandwidth, 1) => "probe_bw:down",
            (Mode::ProbeBandwidth, _) => "probe_bw:cruise",
            (Mode::ProbeRtt, _) => "probe_rtt",
        })
    }

    fn visit_state(&self, _now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        let bandwidth = self.rate_of_path();
        let cycles = self.mode == Mode::ProbeBandwidth;
        visit("bw", bandwidth);
        visit("min_rtt", if_set(self.min_rtt));
        visit("pacing_gain", self.rate_gain());
        visit("cwnd_gain", self.window_gain());
        visit("extra_acked", self.aggregation.excess(bandwidth));
        visit("cycle_idx", if cycles { self.phase as f64 } else { f64::NAN });
    }
}

impl Bbr {
    /// Prepares for the first sample. The model begins with the round-trip time of the handshake.
    fn begin(&mut self, window: &Window, sample: &RateSample) {
        (self.burst, self.payload) = (f64::from(sample.burst), f64::from(sample.payload));
        if self.initial == 0.0 {
            self.initial = window.cwnd;
            (self.min_rtt_at, self.phase_at) = (sample.now, sample.now);
            self.aggregation.restart(sample.now);
        }
        if self.rate == 0.0 && sample.min_rtt < Time::MAX {
            self.min_rtt = sample.min_rtt.as_secs_f64();
            self.rate = MARGIN * HIGH_GAIN * self.initial / self.min_rtt.max(FIRST_RTT / 1e3);
        }
    }

    /// The rate that the model is built on: the bandwidth, or the rate of a policer.
    fn rate_of_path(&self) -> f64 {
        self.policer.rate().unwrap_or_else(|| self.bandwidth.get())
    }

    /// Counts round trips, and takes the sample into the bandwidth.
    fn follow_bandwidth(&mut self, sample: &RateSample, stream: &mut Stream) {
        self.round_starts = false;
        let Some(rate) = sample.rate else { return };
        if sample.prior_delivered >= self.round_end {
            self.round_end = sample.delivered;
            self.rounds += 1;
            self.round_starts = true;
            self.conserves = false;
        }
        self.look_for_policer(sample, self.round_starts, stream);
        if !sample.app_limited || rate >= self.bandwidth.get() {
            for _ in 0..self.rounds.min(BANDWIDTH_ROUNDS) {
                self.bandwidth.advance();
            }
            self.rounds = 0;
            self.bandwidth.update(rate);
        }
    }

    fn look_for_policer(&mut self, sample: &RateSample, round_starts: bool, stream: &mut Stream) {
        let cycles = self.mode == Mode::ProbeBandwidth;
        if self.policer.on_sample(sample, round_starts, cycles) == Change::Ends {
            self.begin_cycles(sample.now, stream);
        }
    }

    /// Begins the next phase of the cycle if the present one is over.
    fn follow_cycle(&mut self, sample: &RateSample) {
        if self.mode != Mode::ProbeBandwidth {
            return;
        }
        let is_long = (sample.now - self.phase_at).as_secs_f64() > self.min_rtt;
        let gain = self.rate_gain();
        let flight = || self.at_departure(sample.prior_in_flight, sample);
        let is_over = if gain > 1.0 {
            is_long && (sample.newly_lost > 0 || flight() + self.at_once() >= self.inflight(gain))
        } else if gain < 1.0 {
            is_long || flight() <= self.inflight(1.0)
        } else {
            is_long
        };
        if is_over {
            self.begin_phase((self.phase + 1) % CYCLE.len(), sample.now);
        }
    }

    const fn begin_phase(&mut self, phase: usize, now: Time) {
        (self.phase, self.phase_at) = (phase, now);
    }

    /// Looks whether the bandwidth has stopped growing.
    fn look_whether_full(&mut self, sample: &RateSample) {
        if !self.is_full && self.round_starts && !sample.app_limited {
            self.is_full = self.plateau.is_full(self.bandwidth.get());
        }
    }

    /// Begins and ends to drain the queue of startup.
    fn follow_drain(&mut self, window: &mut Window, sample: &RateSample, stream: &mut Stream) {
        if self.mode == Mode::Startup && self.is_full {
            self.mode = Mode::Drain;
            window.ssthresh = self.inflight(1.0);
        }
        if self.mode == Mode::Drain && self.at_departure(sample.in_flight, sample) <= self.inflight(1.0) {
            self.begin_cycles(sample.now, stream);
        }
    }

    /// Begins to probe for bandwidth, in any phase but the second one.
    fn begin_cycles(&mut self, now: Time, stream: &mut Stream) {
        self.mode = Mode::ProbeBandwidth;
        let phase = (stream.uniform() * 7.0) as usize;
        self.begin_phase(if phase == 0 { 0 } else { phase + 1 }, now);
        self.draws_phase = false;
    }

    /// Follows the minimum round-trip time, and probes for it when it is old.
    fn follow_min_rtt(&mut self, window: &mut Window, sample: &RateSample, stream: &mut Stream) {
        let now = sample.now;
        let is_old = now > self.min_rtt_at.saturating_add(MIN_RTT_SPAN);
        if let Some(rtt) = sample.rtt.map(Time::as_secs_f64)
            && (rtt < self.min_rtt || is_old)
        {
            (self.min_rtt, self.min_rtt_at) = (rtt, now);
        }
        if is_old && !self.restarts && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save(window);
            self.probe_ends = None;
        }
        self.probes = self.mode == Mode::ProbeRtt;
        if self.probes {
            self.follow_probe(window, sample, stream);
        }
        self.restarts = false;
    }

    fn follow_probe(&mut self, window: &mut Window, sample: &RateSample, stream: &mut Stream) {
        if self.probe_ends.is_none() {
            if sample.in_flight as f64 <= MIN_CWND {
                self.probe_ends = Some(sample.now.saturating_add(PROBE_RTT_TIME));
                self.probe_has_round = false;
                self.round_end = sample.delivered;
            }
            return;
        }
        self.probe_has_round |= self.round_starts;
        if self.probe_has_round && self.end_probe(window, sample.now) {
            self.begin_cycles(sample.now, stream);
        }
    }

    /// Ends the probe if its time has passed. Returns whether a phase of the cycle must then be drawn.
    fn end_probe(&mut self, window: &mut Window, now: Time) -> bool {
        if self.probe_ends.is_none_or(|ends| now <= ends) {
            return false;
        }
        self.min_rtt_at = now;
        window.cwnd = window.cwnd.max(self.prior_cwnd);
        self.mode = if self.is_full { Mode::ProbeBandwidth } else { Mode::Startup };
        self.begin_phase(CRUISE, now);
        self.is_full
    }

    /// The gains of the rate and of the window.
    fn rate_gain(&self) -> f64 {
        match self.mode {
            Mode::ProbeBandwidth if self.policer.rate().is_some() => 1.0,
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBandwidth => CYCLE[self.phase],
            Mode::ProbeRtt => 1.0,
        }
    }

    const fn window_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBandwidth => WINDOW_GAIN,
            Mode::ProbeRtt => 1.0,
        }
    }

    /// Sets the pacing rate; before the pipe is full it only rises.
    fn set_rate(&mut self, gain: f64) {
        let rate = gain * self.rate_of_path() * MARGIN;
        if rate > 0.0 && (self.is_full || rate > self.rate) {
            self.rate = rate;
        }
    }

    /// The bandwidth-delay product at a rate times `gain`, or the initial window before the first samples.
    fn product(&self, rate: f64, gain: f64) -> f64 {
        let product = gain * rate * self.min_rtt;
        if product.is_finite() { whole_above(product) } else { self.initial }
    }

    /// Number of segments that Linux sends at once at the present rate.
    fn at_once(&self) -> f64 {
        let bytes = self.rate * self.payload;
        let least: f64 = if bytes < SLOW { 1.0 } else { 2.0 };
        let segments = whole((bytes * BURST_TIME).min(LARGEST_BURST) / self.payload);
        segments.max(least).min(MOST_AT_ONCE).max(self.burst)
    }

    /// The part of a flight that is still in the network when pacing lets the next segment leave.
    fn at_departure(&self, flight: u64, sample: &RateSample) -> f64 {
        let wait = (sample.departure - sample.now).as_secs_f64();
        (flight as f64 - whole(self.rate_of_path() * wait)).max(0.0)
    }

    /// `product` with what the last bursts of a paced sender need.
    fn with_bursts(&self, product: f64) -> f64 {
        let most = product + 3.0 * self.at_once();
        let even = whole_above(0.5 * most) * 2.0;
        let probes = self.mode == Mode::ProbeBandwidth && self.phase == 0;
        if probes { even + 2.0 } else { even }
    }

    /// Segments in flight at `gain` times the bandwidth-delay product.
    fn inflight(&self, gain: f64) -> f64 {
        self.with_bursts(self.product(self.bandwidth.get(), gain))
    }

    fn set_window(&mut self, window: &mut Window, sample: &RateSample) {
        let delivered = sample.newly_delivered as f64;
        let conserving = sample.in_flight as f64 + delivered;
        let mut cwnd = (window.cwnd - sample.newly_lost as f64).max(1.0);
        if sample.phase == Phase::Recovery && self.recovery != Phase::Recovery {
            self.conserves = true;
            self.round_end = sample.delivered;
            cwnd = conserving;
        } else if is_repair(self.recovery) && !is_repair(sample.phase) {
            self.conserves = false;
            cwnd = cwnd.max(self.prior_cwnd);
        }
        self.recovery = sample.phase;
        if self.conserves {
            cwnd = cwnd.max(conserving);
        } else {
            let excess = if self.is_full { self.aggregation.excess(self.rate_of_path()) } else { 0.0 };
            let target = self.with_bursts(self.product(self.rate_of_path(), self.window_gain()) + excess);
            if self.is_full {
                cwnd = (cwnd + delivered).min(target);
            } else if cwnd < target || (sample.delivered as f64) < self.initial {
                cwnd += delivered;
            }
            cwnd = cwnd.max(MIN_CWND);
        }
        window.cwnd = if self.mode == Mode::ProbeRtt { cwnd.min(MIN_CWND) } else { cwnd };
    }

    /// Saves the window before a recovery or a probe reduces it.
    const fn save(&mut self, window: &Window) {
        let is_reduced = is_repair(self.recovery) || matches!(self.mode, Mode::ProbeRtt);
        self.prior_cwnd = if is_reduced { self.prior_cwnd.max(window.cwnd) } else { window.cwnd };
    }
}

const fn is_repair(phase: Phase) -> bool {
    matches!(phase, Phase::Recovery | Phase::Loss)
}
