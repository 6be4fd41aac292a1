//! Slow start: how the window grows below `ssthresh`, and whether it leaves slow start before a loss.
//!
//! Slow start is independent of the window law, which acts in congestion avoidance. A law with its own slow start, such
//! as Vegas, does not use it.
//!
//! - `standard`: `cwnd += 1` per ACK, or per acknowledged segment with `byte_counting` (RFC 5681, section 3.1; RFC 3465).
//! - `limited`: above [`MAX_SSTHRESH`], at most [`MAX_SSTHRESH`]` / 2` segments per round trip (RFC 3742).
//! - `hystart++`: leaves slow start when the round-trip time rises (RFC 9406).
//! - `hystart`: the rules of Linux, which also watch the duration of a train of ACKs (Ha and Rhee 2011).
//!
//! Difference from RFC 9406 and Linux: ACKs that arrive while the window does not limit the sender are not examined.

mod hystart;
mod hystart_plus_plus;

use ackclock_units::Time;

use crate::config::SlowStartRule;
use crate::congestion::{AckSample, Signal, Window};
use hystart::Hystart;
use hystart_plus_plus::HystartPlusPlus;

/// RFC 3742, section 2: the window above which `limited` slow start grows more slowly, in segments.
const MAX_SSTHRESH: f64 = 100.0;

/// The state of a sender's slow start.
#[derive(Debug)]
pub(crate) enum SlowStart {
    Standard,
    Limited,
    HystartPlusPlus(HystartPlusPlus),
    Hystart(Hystart),
}

impl SlowStart {
    /// The state of a sender with this rule. `is_paced` states whether the sender is paced.
    pub(crate) fn new(rule: SlowStartRule, is_paced: bool) -> Self {
        match rule {
            SlowStartRule::Standard => Self::Standard,
            SlowStartRule::Limited => Self::Limited,
            SlowStartRule::HystartPlusPlus => Self::HystartPlusPlus(HystartPlusPlus::default()),
            SlowStartRule::Hystart => Self::Hystart(Hystart::new(is_paced)),
        }
    }

    pub(crate) const fn is_standard(&self) -> bool {
        matches!(self, Self::Standard)
    }

    /// Whether the rule needs [`AckSample::rtt`] for each ACK.
    pub(crate) const fn times_segments(&self) -> bool {
        matches!(self, Self::HystartPlusPlus(_) | Self::Hystart(_))
    }

    /// Handles a new ACK while the window is below `ssthresh`. Returns the number of segments that are left for congestion
    /// avoidance, if the sender counts segments and slow start ends with this ACK (Linux, `tcp_slow_start`).
    #[inline(never)]
    pub(crate) fn on_ack(&mut self, window: &mut Window, ack: &AckSample) -> u64 {
        let before = window.cwnd;
        self.grow(window, ack);
        if ack.byte_counting == 0 || window.cwnd < window.ssthresh {
            return 0;
        }
        ack.newly_acked.min(ack.byte_counting.into()).saturating_sub((window.cwnd - before).ceil() as u64)
    }

    fn grow(&mut self, window: &mut Window, ack: &AckSample) {
        match self {
            Self::Standard => window.cwnd += ack.slow_start_growth(window),
            Self::Limited => window.cwnd += limited(window.cwnd, ack.slow_start_growth(window)),
            Self::HystartPlusPlus(state) => {
                if state.on_ack(window, ack) {
                    *self = Self::Standard;
                }
            }
            Self::Hystart(state) => state.on_ack(window, ack),
        }
    }

    /// Called when the window is reduced.
    pub(crate) fn on_congestion(&mut self, signal: Signal) {
        match self {
            // RFC 9406, section 4.3: only in the initial slow start
            Self::HystartPlusPlus(_) => *self = Self::Standard,
            Self::Hystart(state) if signal == Signal::Timeout => state.reset(),
            Self::Hystart(_) | Self::Limited | Self::Standard => {}
        }
    }
}

/// Growth of limited slow start: RFC 3742, section 2.
fn limited(cwnd: f64, growth: f64) -> f64 {
    if cwnd <= MAX_SSTHRESH { growth } else { growth / (cwnd / (0.5 * MAX_SSTHRESH)).floor() }
}

/// The allowed increase of a round-trip time of `base` before slow start ends: an eighth, but from 4 to 16 ms (RFC
/// 9406, section 4.2; Linux, `HYSTART_DELAY_THRESH`).
fn allowed_increase(base: Time) -> Time {
    Time::from_picos(base.as_picos() / 8).clamp(Time::from_millis(4), Time::from_millis(16))
}

/// Number of samples in a round after which its minimum is used.
const SAMPLES: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: the delay threshold of HyStart++ for base round-trip times from 2 to 200 ms.
    /// Source: RFC 9406, section 4.2.
    /// Tolerance: exact.
    #[test]
    fn the_allowed_increase_is_an_eighth_within_limits() {
        let micros = |millis| allowed_increase(Time::from_millis(millis)).as_picos() / 1_000_000;
        let found: Vec<u64> = [2, 16, 20, 32, 40, 80, 100, 128, 200].map(micros).to_vec();
        assert_eq!(found, [4_000, 4_000, 4_000, 4_000, 5_000, 10_000, 12_500, 16_000, 16_000]);
    }

    /// Validates: an ACK for several segments grows the window by at most `L` of them, and not beyond `ssthresh`.
    /// Source: RFC 3465, section 2.2; Linux, `tcp_slow_start`.
    /// Tolerance: exact.
    #[test]
    fn byte_counting_has_a_limit() {
        let growth = |newly_acked, byte_counting, cwnd| {
            let ack = AckSample { newly_acked, byte_counting, ..AckSample::ONE };
            ack.slow_start_growth(&Window { cwnd, ssthresh: 8.0 })
        };
        assert_eq!([growth(3, 0, 2.0), growth(1, 2, 2.0), growth(3, 2, 2.0)], [1.0, 1.0, 2.0]);
        assert_eq!([growth(10, 100, 2.0), growth(10, 100, 7.5)], [6.0, 0.5]);
    }

    /// Validates: limited slow start adds one segment per ACK up to 100 segments, then half a segment, a third, ...
    /// Source: RFC 3742, section 2.
    /// Tolerance: exact.
    #[test]
    fn limited_slow_start_grows_by_50_segments_per_round_trip() {
        let growth: Vec<f64> = [10.0, 100.0, 100.5, 149.0, 150.0, 1_000.0].map(|cwnd| limited(cwnd, 1.0)).to_vec();
        assert_eq!(growth, [1.0, 1.0, 0.5, 0.5, 1.0 / 3.0, 0.05]);
    }
}
