//! CUBIC's growth by RFC 9438, in real numbers.

use ackclock_units::Time;

use super::BETA;
use crate::congestion::{AckSample, Signal};

/// The constant `C` in segments/s^3, and the additive increase of a Reno flow with the factor of CUBIC's reduction (section
/// 4.3).
const C: f64 = 0.4;
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// The state of the window's growth.
#[derive(Debug, Default)]
pub(super) struct Rfc9438 {
    /// Window before the last reduction, perhaps lowered by fast convergence; 0 before the first loss.
    w_max: f64,
    /// Window before the last reduction.
    cwnd_prior: f64,
    epoch: Option<Epoch>,
    last_ack: Time,
}

/// Congestion avoidance since the last reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Epoch {
    start: Time,
    /// Maximum of the concave part of the curve, and the time until it is reached, in seconds.
    origin: f64,
    k: f64,
    /// The window of a Reno flow with the same average.
    w_est: f64,
}

impl Epoch {
    fn begin(now: Time, cwnd: f64, w_max: f64) -> Self {
        let (origin, k) = if w_max > cwnd { (w_max, libm::cbrt((w_max - cwnd) / C)) } else { (cwnd, 0.0) };
        Self { start: now, origin, k, w_est: cwnd }
    }

    /// The cubic function, at `t` seconds after the beginning of the epoch.
    fn curve(&self, t: f64) -> f64 {
        C * (t - self.k).powi(3) + self.origin
    }
}

impl Rfc9438 {
    /// Sees each new ACK. The clock of the epoch stops while the application limits the sender.
    pub(super) fn observe(&mut self, ack: &AckSample) {
        let since = ack.now - self.last_ack;
        self.last_ack = ack.now;
        if ack.app_limited {
            self.stop_clock(ack.now, since);
        }
    }

    /// The growth of the window for an ACK.
    pub(super) fn growth(&mut self, cwnd: f64, ack: &AckSample) -> f64 {
        let mut epoch = self.epoch.unwrap_or_else(|| Epoch::begin(ack.now, cwnd, self.w_max));
        let t = (ack.now - epoch.start).as_secs_f64();
        let growth = self.growth_at(t, cwnd, ack.newly_acked as f64, ack.srtt, &mut epoch);
        self.epoch = Some(epoch);
        growth
    }

    /// The same for `n` segments, `t` seconds after the beginning of the epoch.
    fn growth_at(&self, t: f64, cwnd: f64, n: f64, srtt: f64, epoch: &mut Epoch) -> f64 {
        let alpha = if epoch.w_est < self.cwnd_prior { ALPHA } else { 1.0 };
        epoch.w_est += alpha * n / cwnd;
        if epoch.curve(t) < epoch.w_est {
            return (epoch.w_est - cwnd).clamp(0.0, 0.5 * n);
        }
        // before the first sample of the round-trip time, the target is the curve now
        let target = epoch.curve(t + srtt.max(0.0)).clamp(cwnd, 1.5 * cwnd);
        n * (target - cwnd) / cwnd
    }

    /// Ends the epoch because of a signal at the window `cwnd`.
    pub(super) fn reduce(&mut self, cwnd: f64, signal: Signal, fast_convergence: bool) {
        let lowers = fast_convergence && cwnd < self.w_max;
        self.w_max = if lowers { cwnd * (1.0 + BETA) / 2.0 } else { cwnd };
        // the timeouts of one episode find a window that is already reduced
        self.cwnd_prior = if signal == Signal::Timeout { cwnd.max(self.cwnd_prior) } else { cwnd };
        self.epoch = None;
        if signal == Signal::Timeout {
            // section 4.8: the next epoch begins at its maximum
            self.w_max = 0.0;
        }
    }

    /// Takes an idle time that has just ended out of the epoch.
    pub(super) fn end_idle(&mut self, now: Time, idle: Time) {
        self.stop_clock(now, idle);
        self.last_ack = now; // the next ACK must not take this time out again
    }

    /// Takes a time that has just ended out of the epoch. The epoch may have begun within that time.
    fn stop_clock(&mut self, now: Time, span: Time) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = epoch.start.saturating_add(span).min(now);
        }
    }

    /// Window before the last reduction; 0 if there was none.
    pub(super) const fn w_max(&self) -> f64 {
        self.w_max
    }

    /// The time in seconds from the beginning of the epoch until the curve reaches its maximum, and the Reno flow's window.
    pub(super) fn curve(&self) -> Option<(f64, f64)> {
        self.epoch.map(|epoch| (epoch.k, epoch.w_est))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, digits: i32) -> bool {
        (value - expected).abs() <= 0.5 * 10.0_f64.powi(-digits)
    }

    fn at(seconds: f64, srtt: f64) -> AckSample {
        AckSample { now: Time::from_secs_f64(seconds), srtt, ..AckSample::ONE }
    }

    /// Validates: the curve after losses at 10 to 1,000 segments.
    /// Source: RFC 9438, equations 1 and 2.
    /// Tolerance: four decimals.
    #[test]
    fn the_curve_returns_to_the_maximum_after_k_seconds() {
        type Points = &'static [(f64, f64)];
        let cases: [(f64, f64, Points); 3] = [
            (10.0, 1.957_434, &[(0.0, 7.0), (1.0, 9.6489), (3.0, 10.4533), (5.0, 21.2663), (10.0, 218.0865)]),
            (100.0, 4.217_163, &[(1.0, 86.6808), (2.0, 95.6403), (4.0, 99.9959), (6.0, 102.2667), (10.0, 177.3540)]),
            (1000.0, 9.085_603, &[(0.0, 700.0), (5.0, 972.7210), (8.0, 999.4882), (10.0, 1000.3058)]),
        ];
        for (w_max, k, points) in cases {
            let epoch = Epoch::begin(Time::ZERO, BETA * w_max, w_max);
            assert!(near(epoch.k, k, 6), "{epoch:?}");
            for (t, expected) in points {
                assert!(near(epoch.curve(*t), *expected, 4), "W({t}) = {} instead of {expected}", epoch.curve(*t));
            }
        }
    }

    /// Validates: one ACK at 80 segments, one second after a loss at 100, adds 0.098_557_18 segments.
    /// Source: RFC 9438, section 4.4.
    /// Tolerance: eight decimals.
    #[test]
    fn an_ack_moves_the_window_towards_the_curve_a_round_trip_ahead() {
        let cubic = Rfc9438 { w_max: 100.0, cwnd_prior: 100.0, ..Rfc9438::default() };
        let mut epoch = Epoch { w_est: 70.0, ..Epoch::begin(Time::ZERO, 70.0, 100.0) };
        assert!(near(cubic.growth_at(1.0, 80.0, 1.0, 0.1, &mut epoch), 0.098_557_18, 8));
        // far below the curve, one ACK adds half of what it acknowledges
        assert_eq!(cubic.growth_at(4.0, 50.0, 1.0, 0.1, &mut epoch), 0.5);
    }

    /// Validates: fast convergence lowers the maximum after a loss below the last one, and not after one above it.
    /// Source: RFC 9438, section 4.7.
    /// Tolerance: six decimals.
    #[test]
    fn a_loss_below_the_last_maximum_lowers_it() {
        for (cwnd, w_max, k) in [(90.0, 76.5, 3.231_652), (110.0, 110.0, 4.353_294)] {
            let mut cubic = Rfc9438 { w_max: 100.0, ..Rfc9438::default() };
            cubic.reduce(cwnd, Signal::Loss, true);
            assert!(near(cubic.w_max, w_max, 9));
            cubic.growth(BETA * cwnd, &at(7.0, 0.1));
            assert!(near(cubic.epoch.expect("an epoch").k, k, 6));
        }
    }

    /// Validates: in the Reno-friendly region, windows after 1, 5 and 10 round trips from 7 segments.
    /// Source: RFC 9438, section 4.3.
    /// Tolerance: six decimals.
    #[test]
    fn a_short_path_has_renos_growth() {
        // `cwnd_prior` keeps `alpha`; at time 0 the curve stays at 7 segments, below `W_est`
        let mut cubic = Rfc9438 { cwnd_prior: 100.0, ..Rfc9438::default() };
        let mut cwnd = 7.0;
        let mut after = Vec::new();
        for _ in 0..10 {
            for _ in 0..cwnd as u64 {
                cwnd += cubic.growth(cwnd, &at(0.0, 0.0));
            }
            after.push(cwnd);
        }
        for (rounds, expected) in [(1, 7.513_283), (5, 9.398_569), (10, 11.846_446)] {
            assert!(near(after[rounds - 1], expected, 6), "{after:?}");
        }
    }

    /// Validates: after a timeout, the next epoch begins flat, at its maximum.
    /// Source: RFC 9438, section 4.8.
    /// Tolerance: exact.
    #[test]
    fn after_a_timeout_the_curve_begins_at_its_maximum() {
        let mut cubic = Rfc9438::default();
        cubic.reduce(100.0, Signal::Timeout, true);
        cubic.growth(70.0, &at(1.0, 0.1));
        assert_eq!(cubic.epoch.map(|epoch| (epoch.origin, epoch.k)), Some((70.0, 0.0)));
    }

    #[test]
    fn the_clock_stands_still_while_the_sender_is_idle() {
        let mut cubic = Rfc9438::default();
        cubic.reduce(100.0, Signal::Loss, true);
        let cwnd = 70.0 + cubic.growth(70.0, &at(0.0, 0.1));
        let expected = cubic.epoch.expect("an epoch").curve(1.1);
        cubic.end_idle(Time::SECOND.saturating_mul(21), Time::SECOND.saturating_mul(20));
        assert!(near(cubic.growth(cwnd, &at(21.0, 0.1)), (expected - cwnd) / cwnd, 9));
    }
}
