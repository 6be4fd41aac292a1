//! BBR, version 3: Cardwell, Swett and Beshay, "BBR Congestion Control" (draft-ietf-ccwg-bbr, the editors' copy of 3 August
//! 2026).
//!
//! Like version 1 (`bbr.rs`), the sender keeps a model of its path and sends at about the bandwidth, which is the maximum
//! delivery rate of the last two cycles. It also bounds its flight by losses.
//!
//! - *Startup* and *drain*: rate and window grow until the rate has grown by less than a quarter in three round trips, or
//!   until a round trip of a recovery loses more than 2 % in at least six ranges. Then the queue is emptied, for at most
//!   three round trips.
//! - *ProbeBW* has four phases: *down* at 0.9 of the bandwidth until the queue is empty and there is headroom; *cruise* at
//!   1 for 2 to 3 s, or for as many round trips as Reno would need, at most 63; *refill* at 1 for a round trip; *up* at 1.25
//!   until the rate stops growing or more than 2 % is lost.
//! - A probe that loses too much sets the *long-term bound* of the flight to where it lost. Cruise leaves 15 % of it free.
//!   The next probe ends at the bound; if it loses little, one that raises the bound follows at once, by 1, 2, 4 and so on
//!   segments per round trip.
//! - A loss in another phase sets the *short-term bounds* of bandwidth and flight to what the last round trip delivered, but
//!   to at least 0.7 of the last bounds, until the next probe (`bbr3/bounds.rs`).
//! - *ProbeRTT*: if the minimum round-trip time was not seen for 5 s, at most half of a bandwidth-delay product (BDP) is in
//!   flight for 200 ms and a round trip.
//! - A reduction that proves unnecessary restores the bounds, and the phase that a loss ended.
//!
//! Differences from the draft:
//! - marks have the response of the authors' kernel (`bbr3/ecn.rs`); the draft has none;
//! - the excess of aggregation is the maximum of two periods of five round trips, limited to the data of 100 ms, as in
//!   version 1 and in that kernel; the draft has one window of ten round trips;
//! - without `gso`, the send quantum is `pacing_burst` segments;
//! - the state for an undo is saved at the beginning of a recovery, not in each of its round trips;
//! - the sender is limited by its window if it was at any time since the last round trip began;
//! - losses that a timer finds reach the model with the next ACK, and ProbeRTT ends with an ACK also after an idle period.

mod bounds;
mod control;
mod ecn;
mod states;
#[cfg(test)]
mod tests;

use std::f64::consts::LN_2;

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::bbr::aggregation::{Aggregation, ROUNDS};
use super::bbr::bandwidth::Bandwidth;
use super::bbr::plateau::Plateau;
use super::bbr::{BW, CWND_GAIN, EXTRA_ACKED, PACING_GAIN};
use super::state::{ALPHA, DELIVERED, INFLIGHT, MIN_RTT, PACING_RATE, RTT, if_set, variable};
use super::{AckSample, CongestionControl, CongestionEvent, Parameter, ParameterKind, Signal, Spec, Variable, Window};
use crate::delivery_rate::{LostSegment, Phase, RateSample};
use crate::limits::Limit;
use crate::options::LONGEST;
use crate::variants::{Listing, TODAY};
use bounds::{LongTerm, ShortTerm, inflight_at_loss};
use ecn::Marks;

pub(super) const DOC: &str = "Sends at the bandwidth that it measures, bounded by losses (draft-ietf-ccwg-bbr, BBRv3)";
pub(super) const LISTING: Option<Listing> =
    Some(Listing { era: TODAY, doc: "BBR that also bounds its flight by losses, version 3 (draft-ietf-ccwg-bbr)" });
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "loss_threshold",
        doc: "Share of lost packets in a round trip above which a probe for bandwidth was too high",
        kind: ParameterKind::Number { min: Some(0.0), max: Some(0.5), above: None, default: 0.02 },
    },
    Parameter {
        name: "beta",
        doc: "Factor that limits how far a round trip with losses lowers a bound",
        kind: ParameterKind::Number { min: None, max: Some(1.0), above: Some(0.0), default: 0.7 },
    },
    Parameter {
        name: "headroom",
        doc: "Share of the long-term bound that is left to other flows between probes",
        kind: ParameterKind::Number { min: Some(0.0), max: Some(0.9), above: None, default: 0.15 },
    },
    Parameter {
        name: "ecn_max_rtt",
        doc: "Longest minimum round-trip time of a path on which marks reduce the flight",
        kind: ParameterKind::Time {
            min: 0,
            max: LONGEST.as_picos(),
            default: Some(Time::from_millis(5).as_picos()),
            or: None,
        },
    },
];

/// The gain of the rate in startup, `4 ln 2`.
const STARTUP_GAIN: f64 = 4.0 * LN_2;
/// The smallest window, in segments.
const MIN_CWND: f64 = 4.0;
/// The round-trip time that is assumed before the first sample, in seconds.
const FIRST_RTT: f64 = 1e-3;

/// The parameters of BBR, version 3.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bbr3Spec {
    /// Share of lost segments above which a probe was too high.
    pub loss_threshold: f64,
    /// Factor that limits how far a round trip lowers a bound.
    pub beta: f64,
    /// Share of the long-term bound that is left free.
    pub headroom: f64,
    /// Longest minimum round-trip time with which marks count.
    pub ecn_max_rtt: Time,
}

/// What the sender is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    const fn is_probe_bandwidth(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// Whether losses in this state are expected.
    const fn accelerates(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }

    /// The gains of the rate and of the window.
    const fn gains(self) -> (f64, f64) {
        match self {
            Self::Startup => (STARTUP_GAIN, 2.0),
            Self::Drain => (0.5, 2.0),
            Self::Down => (0.9, 2.0),
            Self::Cruise | Self::Refill => (1.0, 2.0),
            Self::Up => (1.25, 2.25),
            Self::ProbeRtt => (1.0, 0.5),
        }
    }
}

/// Which segments the present ACKs answer (`ack_phase`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answers {
    /// Segments outside of a probe.
    Other,
    /// Segments of refill.
    Refilling,
    /// The last segments before a probe.
    ProbeStarting,
    /// Segments of a probe.
    Probe,
    /// The last segments of a probe.
    ProbeStopping,
}

/// What a recovery that proves unnecessary restores.
#[derive(Clone, Debug)]
struct Before {
    /// The state that a loss ended.
    left: Option<State>,
    bandwidth: f64,
    inflight: f64,
    long: f64,
}

#[derive(Debug)]
pub(crate) struct Bbr3 {
    spec: Bbr3Spec,
    state: State,
    max_bandwidth: Bandwidth<2>,
    /// The bandwidth within its bound.
    bandwidth: f64,
    /// Minimum round-trip time in seconds and its time, and the same since the last probe for it.
    min_rtt: f64,
    min_rtt_at: Time,
    probe_rtt: f64,
    probe_rtt_at: Time,
    /// Segments delivered so far.
    delivered: u64,
    /// A round trip ends with the first delivery of a segment that was sent after so many were delivered.
    round_end: u64,
    round_starts: bool,
    rounds: u64,
    plateau: Plateau,
    /// Whether the pipe is full in this test, and whether it ever was.
    is_full_now: bool,
    is_full: bool,
    short: ShortTerm,
    long: LongTerm,
    marks: Marks,
    answers: Answers,
    /// Whether losses may concern segments of a probe that has not been found too high.
    may_be_too_high: bool,
    was_too_high: bool,
    was_precautionary: bool,
    /// The beginning of the cycle, its longest time until a probe, and the round trips since the last one.
    cycle_at: Time,
    wait: Time,
    rounds_since_probe: u64,
    drain_from: u64,
    /// When the probe for the minimum round-trip time may end, if it has begun, and whether a round trip has passed.
    probe_ends: Option<Time>,
    probe_has_round: bool,
    /// Whether data is sent again after an idle period.
    restarts: bool,
    /// Whether the window has limited the sender since the last round trip began.
    is_window_limited: bool,
    aggregation: Aggregation,
    /// The window before a recovery or a probe.
    prior_cwnd: f64,
    recovery: Phase,
    before: Before,
    /// Pacing rate in segments per second; 0 before the first sample.
    rate: f64,
    /// The initial window.
    initial: f64,
    burst: f64,
}

impl Spec for Bbr3Spec {
    type State = Bbr3;

    const FIXED: Option<&'static [&'static str]> = Some(&[]);

    fn build(&self) -> Bbr3 {
        let unset = f64::INFINITY;
        Bbr3 {
            spec: *self,
            state: State::Startup,
            max_bandwidth: Bandwidth::default(),
            bandwidth: 0.0,
            min_rtt: unset,
            min_rtt_at: Time::ZERO,
            probe_rtt: unset,
            probe_rtt_at: Time::ZERO,
            delivered: 0,
            round_end: 0,
            round_starts: false,
            rounds: 0,
            plateau: Plateau::default(),
            is_full_now: false,
            is_full: false,
            short: ShortTerm::default(),
            long: LongTerm::default(),
            marks: Marks::default(),
            answers: Answers::Other,
            may_be_too_high: false,
            was_too_high: false,
            was_precautionary: false,
            cycle_at: Time::ZERO,
            wait: Time::ZERO,
            rounds_since_probe: 0,
            drain_from: 0,
            probe_ends: None,
            probe_has_round: false,
            restarts: false,
            is_window_limited: false,
            aggregation: Aggregation::default(),
            prior_cwnd: 0.0,
            recovery: Phase::Open,
            before: Before { left: None, bandwidth: unset, inflight: unset, long: unset },
            rate: 0.0,
            initial: 0.0,
            burst: 1.0,
        }
    }

    fn retune(&self, law: &mut Bbr3) {
        law.spec = *self;
    }
}

impl CongestionControl for Bbr3 {
    const OWN_SLOW_START: bool = true;
    const LIMITS_QUEUE: bool = true;
    const PHASES: &'static [&'static str] =
        &["startup", "drain", "probe_bw:down", "probe_bw:cruise", "probe_bw:refill", "probe_bw:up", "probe_rtt"];
    const VARIABLES: &'static [Variable] = &[
        DELIVERED,
        RTT,
        INFLIGHT,
        PACING_RATE,
        variable("max_bw", "segments/s", "Maximum delivery rate of the present and the last cycle of ProbeBW"),
        variable("bw_shortterm", "segments/s", "Short-term bound of the bandwidth; null if unset"),
        BW,
        MIN_RTT,
        variable("inflight_longterm", "segments", "Long-term bound of the flight (inflight_hi); null if unset"),
        variable("inflight_shortterm", "segments", "Short-term bound of the flight (inflight_lo); null if unset"),
        PACING_GAIN,
        CWND_GAIN,
        EXTRA_ACKED,
        ALPHA,
    ];

    fn samples_rate(&self) -> bool {
        true
    }

    fn observe(&mut self, ack: &AckSample) {
        self.marks.observe(ack);
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &AckSample) {}

    fn on_lost(&mut self, window: &mut Window, lost: &LostSegment, sample: &RateSample, stream: &mut Stream) {
        self.delivered = sample.delivered;
        self.short.on_lost(lost, sample.delivered);
        if self.may_be_too_high && lost.lost as f64 > self.spec.loss_threshold * lost.tx_in_flight as f64 {
            let inflight = inflight_at_loss(lost, self.spec.loss_threshold);
            self.on_too_high((!lost.app_limited).then_some(inflight), window, sample.now, stream);
        }
    }

    fn on_rate(&mut self, window: &mut Window, sample: &RateSample, stream: &mut Stream) {
        self.begin(window, sample);
        self.short.take(sample);
        self.follow_round(window, sample, stream);
        self.follow_congestion(window);
        let period = if self.is_full { ROUNDS } else { 1 };
        self.aggregation.on_ack(sample, self.bandwidth, window.cwnd, self.round_starts.then_some(period));
        self.look_whether_full(sample);
        self.follow_startup(sample);
        self.follow_drain(sample, stream);
        self.follow_cycle(window, sample, stream);
        let is_probe_due = self.follow_min_rtt(sample);
        self.follow_probe_rtt(is_probe_due, window, sample, stream);
        self.short.advance(sample);
        self.bandwidth = self.max_bandwidth.get().min(self.short.bandwidth);
        self.set_rate(self.state.gains().0);
        self.set_window(window, sample);
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        if event.signal != Signal::Mark {
            self.save(window);
            let ShortTerm { bandwidth, inflight, .. } = self.short;
            self.before = Before { left: None, bandwidth, inflight, long: self.long.inflight };
        }
    }

    fn on_undo(&mut self, _window: &mut Window) {
        self.short.has_loss = false;
        self.restart_plateau(0.0);
        self.short.bandwidth = self.short.bandwidth.max(self.before.bandwidth);
        self.short.inflight = self.short.inflight.max(self.before.inflight);
        self.long.inflight = self.long.inflight.max(self.before.long);
        let left = self.before.left.take().filter(|left| *left != self.state);
        self.is_full &= left != Some(State::Startup);
        match left {
            Some(State::Startup) if self.state != State::ProbeRtt => self.state = State::Startup,
            Some(State::Up) if self.state != State::ProbeRtt => self.begin_refill(),
            _ => {}
        }
    }

    fn on_idle(&mut self, _window: &mut Window, now: Time, _idle: Time) {
        self.restarts = true;
        self.aggregation.restart(now);
        if self.state.is_probe_bandwidth() {
            self.set_rate(1.0);
        }
    }

    fn limits_itself(&self) -> bool {
        self.state == State::ProbeRtt
    }

    fn pacing_rate(&self, window: &Window, srtt: Option<f64>) -> Option<f64> {
        Some(if self.rate > 0.0 { self.rate } else { STARTUP_GAIN * window.cwnd / srtt.unwrap_or(FIRST_RTT) })
    }

    fn holds(&self, _: &Window, _reduced_by: Limit) -> Limit {
        Limit::of_model(self.state == State::Startup)
    }

    fn phase(&self, _now: Time) -> Option<&'static str> {
        Some(match self.state {
            State::Startup => "startup",
            State::Drain => "drain",
            State::Down => "probe_bw:down",
            State::Cruise => "probe_bw:cruise",
            State::Refill => "probe_bw:refill",
            State::Up => "probe_bw:up",
            State::ProbeRtt => "probe_rtt",
        })
    }

    fn visit_state(&self, _now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        let (pacing_gain, cwnd_gain) = self.state.gains();
        visit("max_bw", self.max_bandwidth.get());
        visit("bw_shortterm", if_set(self.short.bandwidth));
        visit("bw", self.bandwidth);
        visit("min_rtt", if_set(self.min_rtt));
        visit("inflight_longterm", if_set(self.long.inflight));
        visit("inflight_shortterm", if_set(self.short.inflight));
        visit("pacing_gain", pacing_gain);
        visit("cwnd_gain", cwnd_gain);
        visit("extra_acked", self.aggregation.excess(self.bandwidth));
        visit("alpha", self.marks.alpha());
    }
}

impl Bbr3 {
    /// Prepares for the first sample. The model begins with the round-trip time of the handshake.
    fn begin(&mut self, window: &Window, sample: &RateSample) {
        (self.burst, self.delivered) = (f64::from(sample.burst), sample.delivered);
        if self.initial == 0.0 {
            self.initial = window.cwnd;
            (self.min_rtt_at, self.probe_rtt_at, self.cycle_at) = (sample.now, sample.now, sample.now);
            self.aggregation.restart(sample.now);
        }
        if self.rate == 0.0 && sample.min_rtt < Time::MAX {
            self.min_rtt = sample.min_rtt.as_secs_f64();
            self.rate = STARTUP_GAIN * self.initial / self.min_rtt.max(FIRST_RTT / 1e3);
        }
    }

    const fn begin_round(&mut self) {
        self.round_end = self.delivered;
    }

    fn restart_plateau(&mut self, baseline: f64) {
        self.plateau.restart(baseline);
        self.is_full_now = false;
    }

    /// Counts round trips, and takes the sample into the bandwidth.
    fn follow_round(&mut self, window: &mut Window, sample: &RateSample, stream: &mut Stream) {
        self.round_starts = sample.prior_delivered >= self.round_end;
        let is_limited = sample.prior_in_flight as f64 + 1.0 > window.cwnd;
        self.is_window_limited = is_limited || self.is_window_limited && !self.round_starts;
        if self.round_starts {
            self.begin_round();
            self.rounds += 1;
            self.rounds_since_probe += 1;
            self.marks.end_round(self.min_rtt, self.spec.ecn_max_rtt.as_secs_f64());
            if self.may_be_too_high && self.marks.is_high {
                self.on_too_high(
                    (!sample.app_limited).then_some(sample.tx_in_flight as f64),
                    window,
                    sample.now,
                    stream,
                );
            }
        }
        if let Some(rate) = sample.rate
            && (!sample.app_limited || rate >= self.max_bandwidth.get())
        {
            self.max_bandwidth.update(rate);
        }
    }

    /// Lowers the short-term bounds after a round trip with losses or marks.
    fn follow_congestion(&mut self, window: &Window) {
        if self.short.round_starts {
            let kept = self.marks.take();
            if !self.state.accelerates() {
                self.short.adapt(self.max_bandwidth.get(), window.cwnd, self.spec.beta, kept);
            }
            self.short.has_loss = false;
        }
    }

    /// Looks whether the bandwidth has stopped growing.
    fn look_whether_full(&mut self, sample: &RateSample) {
        if !self.is_full_now
            && self.round_starts
            && !sample.app_limited
            && let Some(rate) = sample.rate
        {
            self.is_full_now = self.plateau.is_full(rate);
            self.is_full |= self.is_full_now;
        }
    }
}
