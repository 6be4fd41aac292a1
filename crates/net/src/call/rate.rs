//! How the sender of a call sets its bitrate: from the signal of the detector, and from losses.
//!
//! draft-ietf-rmcat-gcc-02, sections 5.5 (delay-based) and 6 (loss-based); the bitrate is the smaller of both estimates.
//!
//! - The draft gives no initial variance of the bitrate at which the path was over-used. As in WebRTC (`AimdRateControl`), it is
//!   relative to the mean, between 0.4 and 2.5 kbit/s.
//! - The bound of 1.5 times the received bitrate stops increases but reduces nothing, so that a pause of the sender costs nothing;
//!   also as in WebRTC.
//! - The loss-based estimate changes once a second, as often as receiver reports came when these factors were chosen, and not
//!   with each report, as the draft now says: with ten reports per second it would grow by 63 % in a second. It begins with the
//!   initial bitrate.

use ackclock_units::Time;

use super::CallSpec;
use super::detector::Signal;
use super::receiver::Report;

/// Factor of a multiplicative increase in a second.
const INCREASE: f64 = 1.08;
/// `beta`: share of the received bitrate after an over-use.
const DECREASE: f64 = 0.85;
/// Limit of the estimate, relative to the received bitrate.
const MOST_OF_RECEIVED: f64 = 1.5;
/// Smoothing of the bitrate of the path at over-uses.
const SMOOTHING: f64 = 0.95;
/// Bounds of the variance of this bitrate, relative to its mean, in bit/s.
const VARIANCES: (f64, f64) = (400.0, 2_500.0);
/// Time between changes of the loss-based estimate.
const LOSS_INTERVAL: Time = Time::SECOND;
/// Shares of lost packets below which the estimate grows, and above which it falls.
const LOSSES: (f64, f64) = (0.02, 0.1);
/// Factor of the growth.
const LOSS_INCREASE: f64 = 1.05;

/// States of the delay-based control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The bitrate grows.
    #[default]
    Increase,
    /// The path is over-used.
    Decrease,
    /// Queues empty.
    Hold,
}

impl State {
    /// The names of all states.
    pub(crate) const NAMES: &'static [&'static str] = &["increase", "decrease", "hold"];

    /// The state after a signal: the table of section 5.5.
    const fn after(self, signal: Signal) -> Self {
        match (signal, self) {
            (Signal::Overuse, _) => Self::Decrease,
            (Signal::Underuse, _) | (Signal::Normal, Self::Decrease) => Self::Hold,
            (Signal::Normal, Self::Hold | Self::Increase) => Self::Increase,
        }
    }
}

/// The control of a call after a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// Bitrate of the sender in bit/s.
    pub target: f64,
    /// The delay-based and the loss-based estimate in bit/s.
    pub by_delay: f64,
    /// The loss-based estimate in bit/s.
    pub by_loss: f64,
    /// State of the delay-based control.
    pub state: State,
    /// Signal of the receiver's detector.
    pub signal: Signal,
    /// The receiver's estimate of the growth of the delay, and its threshold, in ms.
    pub estimate: f64,
    /// The threshold in ms.
    pub threshold: f64,
    /// Bitrate that the receiver has received, in bit/s.
    pub received: f64,
}

#[derive(Clone, Debug)]
pub(super) struct RateControl {
    bounds: (f64, f64),
    state: State,
    by_delay: f64,
    by_loss: f64,
    /// Time of the last report.
    last: Option<Time>,
    /// Mean bitrate of the path at over-uses in bit/s, if it is known, and its variance divided by the mean.
    mean: Option<f64>,
    variance: f64,
    /// Time of the last change of the loss-based estimate, and the counts of packets then.
    changed: Option<Time>,
    expected: u64,
    arrived: u64,
}

impl RateControl {
    pub(super) fn new(spec: &CallSpec) -> Self {
        let [least, start, most] = [spec.least, spec.start, spec.most].map(|bitrate| bitrate as f64);
        Self {
            bounds: (least, most),
            state: State::Increase,
            by_delay: start,
            by_loss: start,
            last: None,
            mean: None,
            variance: VARIANCES.0,
            changed: None,
            expected: 0,
            arrived: 0,
        }
    }

    /// The bitrate in bit/s.
    pub(super) fn target(&self) -> f64 {
        self.by_delay.min(self.by_loss)
    }

    /// Changes the bitrate after a report that reaches the sender at `now`.
    pub(super) fn update(&mut self, report: &Report, now: Time) -> Control {
        let (least, most) = self.bounds;
        self.state = self.state.after(report.signal);
        let since = now - self.last.unwrap_or(now);
        self.last = Some(now);
        self.by_delay = match self.state {
            State::Hold => self.by_delay,
            State::Increase => self.increased(report.received, since, now - report.sent),
            State::Decrease => self.decreased(report.received),
        };
        self.by_delay = self.by_delay.clamp(least, most);
        if now - *self.changed.get_or_insert(now) >= LOSS_INTERVAL {
            self.by_loss = self.after_losses(report).clamp(least, most);
            (self.changed, self.expected, self.arrived) = (Some(now), report.expected, report.arrived);
        }
        Control {
            target: self.target(),
            by_delay: self.by_delay,
            by_loss: self.by_loss,
            state: self.state,
            signal: report.signal,
            estimate: report.estimate,
            threshold: report.threshold,
            received: report.received,
        }
    }

    /// Three standard deviations of the bitrate of the path.
    fn spread(&self, mean: f64) -> f64 {
        3.0 * (self.variance * mean).sqrt()
    }

    /// The larger delay-based estimate after `since`: slow near the bitrate of the path, fast otherwise.
    fn increased(&mut self, received: f64, since: Time, round_trip: Time) -> f64 {
        self.mean = self.mean.filter(|mean| received <= mean + self.spread(*mean));
        let is_near = self.mean.is_some_and(|mean| received >= mean - self.spread(mean));
        let larger = if is_near {
            let response = 0.1 + round_trip.as_secs_f64();
            let share = 0.5 * (since.as_secs_f64() / response).min(1.0);
            self.by_delay + f64::max(1_000.0, share * packet_bits(self.by_delay))
        } else {
            self.by_delay * libm::pow(INCREASE, since.as_secs_f64().min(1.0))
        };
        larger.min(self.by_delay.max(MOST_OF_RECEIVED * received))
    }

    /// The smaller estimate after an over-use.
    fn decreased(&mut self, received: f64) -> f64 {
        self.mean = self.mean.filter(|mean| received >= mean - self.spread(*mean));
        let before = self.mean.unwrap_or(received);
        let mean = SMOOTHING * before + (1.0 - SMOOTHING) * received;
        let variance = SMOOTHING * self.variance + (1.0 - SMOOTHING) * (mean - received).powi(2) / mean.max(1.0);
        (self.mean, self.variance) = (Some(mean), variance.clamp(VARIANCES.0, VARIANCES.1));
        self.by_delay.min(DECREASE * received)
    }

    /// The loss-based estimate after the packets since its last change.
    fn after_losses(&self, report: &Report) -> f64 {
        let (expected, arrived) = (report.expected - self.expected, report.arrived - self.arrived);
        if expected == 0 {
            return self.by_loss;
        }
        let lost = (1.0 - arrived as f64 / expected as f64).max(0.0);
        match lost {
            _ if lost > LOSSES.1 => self.by_loss * (1.0 - 0.5 * lost),
            _ if lost < LOSSES.0 => self.by_loss * LOSS_INCREASE,
            _ => self.by_loss,
        }
    }
}

/// Bits of a packet of the size that section 5.5 expects: of 30 frames per second in packets of up to 1200 bytes.
fn packet_bits(bitrate: f64) -> f64 {
    let frame = bitrate / 30.0;
    frame / (frame / 9_600.0).ceil()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: CallSpec =
        CallSpec { rate: 30.0, least: 100_000, start: 1_000_000, most: 5_000_000, feedback: Time::SECOND };

    fn report(signal: Signal, received: f64) -> Report {
        Report { signal, received, ..Report::default() }
    }

    fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} is not {expected}");
    }

    /// Validates: the nine entries of the table.
    /// Source: draft-ietf-rmcat-gcc-02, section 5.5.
    /// Tolerance: exact.
    #[test]
    fn the_state_machine_is_that_of_the_draft() {
        use Signal::{Normal, Overuse, Underuse};
        use State::{Decrease, Hold, Increase};
        for (signal, after) in [
            (Overuse, [Decrease, Decrease, Decrease]),
            (Normal, [Increase, Increase, Hold]),
            (Underuse, [Hold, Hold, Hold]),
        ] {
            assert_eq!([Hold, Increase, Decrease].map(|state| state.after(signal)), after, "{signal:?}");
        }
    }

    /// Validates: without an over-use so far the estimate grows by 8 % in a second, by 1.08^0.1 in 100 ms, by no more than in a
    ///     second after a longer time, and not above 1.5 times what is received.
    /// Source: draft-ietf-rmcat-gcc-02, section 5.5, by hand.
    /// Tolerance: rounding.
    #[test]
    fn the_estimate_grows_by_eight_percent_in_a_second() {
        let mut control = RateControl::new(&SPEC);
        near(control.update(&report(Signal::Normal, 1e6), at(0)).by_delay, 1e6);
        near(control.update(&report(Signal::Normal, 1e6), at(100)).by_delay, 1e6 * 1.08_f64.powf(0.1));
        near(control.update(&report(Signal::Normal, 1e6), at(10_100)).by_delay, 1e6 * 1.08_f64.powf(1.1));
        near(control.update(&report(Signal::Normal, 0.75e6), at(11_100)).by_delay, 1.125e6);
        near(control.update(&report(Signal::Normal, 0.1e6), at(12_100)).by_delay, 1.125e6);
    }

    /// Validates: an over-use at 1 Mb/s leaves 0.85 Mb/s. The estimate is then held, and grows by half a packet in a response
    ///     time while about 1 Mb/s is received; far above, it grows fast again.
    /// Source: draft-ietf-rmcat-gcc-02, section 5.5, by hand: a frame of 850 / 30 kbit is three packets of 9,444 bits; the
    ///     response time is 100 ms and the round trip of 100 ms; 3 standard deviations are 3 sqrt(0.4 * 1000) = 60 kbit/s.
    /// Tolerance: rounding.
    #[test]
    fn the_estimate_grows_slowly_near_the_rate_of_the_path() {
        let mut control = RateControl::new(&SPEC);
        control.update(&report(Signal::Normal, 1e6), at(1_000));
        near(control.update(&report(Signal::Overuse, 1e6), at(1_100)).by_delay, 0.85e6);
        assert_eq!(control.update(&report(Signal::Normal, 0.95e6), at(1_200)).state, State::Hold);
        let of = |received, now: u64| Report { sent: at(now - 100), ..report(Signal::Normal, received) };
        let slow = 0.85e6 + 0.25 * 850_000.0 / 30.0 / 3.0;
        near(control.update(&of(0.95e6, 1_300), at(1_300)).by_delay, slow);
        near(control.update(&of(1.1e6, 1_400), at(1_400)).by_delay, slow * 1.08_f64.powf(0.1));
    }

    /// Validates: a second with 20 % lost packets takes half of that from the estimate, with 5 % nothing, and with 1 % it grows by
    ///     5 %; the bitrate is the smaller estimate.
    /// Source: draft-ietf-rmcat-gcc-02, section 6, by hand.
    /// Tolerance: rounding.
    #[test]
    fn losses_change_the_estimate_once_a_second() {
        let mut control = RateControl::new(&SPEC);
        let mut of = |expected, arrived, now| {
            let report = Report { expected, arrived, ..report(Signal::Normal, 1e6) };
            control.update(&report, at(now))
        };
        near(of(0, 0, 0).by_loss, 1e6);
        near(of(50, 40, 500).by_loss, 1e6);
        let after = of(100, 80, 1_000);
        near(after.by_loss, 0.9e6);
        near(after.target, 0.9e6);
        near(of(200, 175, 2_000).by_loss, 0.9e6);
        near(of(300, 274, 3_000).by_loss, 0.945e6);
    }
}
