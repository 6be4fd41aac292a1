//! HyStart++: RFC 9406, section 4.
//!
//! Slow start ends when the minimum round-trip time of a round exceeds the minimum of the round before by an eighth.
//! The window then grows at a quarter of the speed for five rounds, *conservative slow start* (CSS). If the round-trip
//! time falls below its value at the beginning of CSS, the increase was a false alarm, and slow start continues.
//!
//! The RFC's limit of eight segments per ACK applies ([`MOST`]), whether the sender is paced or not.

use ackclock_units::Time;

use super::{SAMPLES, allowed_increase};
use crate::congestion::{AckSample, Window};

/// `CSS_GROWTH_DIVISOR` and `CSS_ROUNDS`.
const CSS_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// Maximum growth per ACK in segments, `L`.
const MOST: f64 = 8.0;

/// Variables of RFC 9406, section 4.2. A minimum of [`Time::MAX`] is unknown.
#[derive(Debug)]
pub(crate) struct HystartPlusPlus {
    /// The round ends when all segments before this one are acknowledged: `windowEnd`. Unknown before the first ACK.
    round_end: Option<u64>,
    last_min: Time,
    current_min: Time,
    samples: u32,
    css: Option<Css>,
}

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Css {
    baseline: Time,
    rounds: u32,
}

impl Default for HystartPlusPlus {
    fn default() -> Self {
        Self { round_end: None, last_min: Time::MAX, current_min: Time::MAX, samples: 0, css: None }
    }
}

impl HystartPlusPlus {
    /// Handles a new ACK. Returns whether slow start, and with it the use of these rules, has ended.
    pub(super) fn on_ack(&mut self, window: &mut Window, ack: &AckSample) -> bool {
        let growth = (ack.newly_acked as f64).min(MOST);
        window.cwnd += if self.css.is_some() { growth / CSS_DIVISOR } else { growth };
        if let Some(rtt) = ack.rtt {
            self.current_min = self.current_min.min(rtt);
            self.samples += 1;
        }
        if self.samples >= SAMPLES {
            self.compare();
        }
        if ack.snd_una >= *self.round_end.get_or_insert(ack.snd_nxt) {
            self.end_round(ack.snd_nxt);
        }
        let is_over = self.css.is_some_and(|css| css.rounds == CSS_ROUNDS);
        if is_over {
            window.ssthresh = window.cwnd;
        }
        is_over
    }

    /// Compares the minimum of this round with the baseline, or with the minimum of the last round.
    fn compare(&mut self) {
        let limit = self.last_min.saturating_add(allowed_increase(self.last_min));
        match self.css {
            Some(Css { baseline, .. }) if self.current_min < baseline => self.css = None,
            None if self.last_min < Time::MAX && self.current_min >= limit => {
                self.css = Some(Css { baseline: self.current_min, rounds: 0 });
            }
            _ => {}
        }
    }

    fn end_round(&mut self, snd_nxt: u64) {
        if let Some(css) = &mut self.css {
            css.rounds += 1;
        }
        (self.last_min, self.current_min, self.samples) = (self.current_min, Time::MAX, 0);
        self.round_end = Some(snd_nxt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds with these round-trip times in milliseconds. Each round acknowledges as many segments, one by one, as the
    /// window had at the end of the round before. `next` is the first segment; returns the next one.
    fn rounds(state: &mut HystartPlusPlus, window: &mut Window, mut next: u64, millis: &[u64]) -> u64 {
        for millis in millis {
            let end = state.round_end.unwrap_or(next + window.segments());
            while next < end && window.cwnd < window.ssthresh {
                next += 1;
                // the window after this ACK, which in slow start acknowledges one segment and adds one
                let snd_nxt = if next == 1 { end } else { next + (window.cwnd + 1.0) as u64 };
                let rtt = Some(Time::from_millis(*millis));
                state.on_ack(window, &AckSample { snd_una: next, snd_nxt, rtt, ..AckSample::ONE });
            }
        }
        next
    }

    const START: Window = Window { cwnd: 16.0, ssthresh: f64::INFINITY };

    /// Validates: with a constant round-trip time the window doubles; from the ninth sample of a round on whose minimum is
    ///   higher by the threshold, it grows by a quarter of that.
    /// Source: RFC 9406, section 4.2.
    /// Tolerance: exact.
    #[test]
    fn an_increase_begins_conservative_slow_start() {
        let (mut state, mut window) = (HystartPlusPlus::default(), START);
        let next = rounds(&mut state, &mut window, 0, &[40, 40, 40]);
        assert_eq!(window.cwnd, 128.0);
        assert!(state.css.is_none());
        // 5 ms is an eighth of 40 ms; the first eight samples of the round still grow the window as slow start does
        rounds(&mut state, &mut window, next, &[45]);
        let begun = 128.0 + 8.0 + 120.0 / 4.0;
        assert_eq!((window.cwnd, state.css.is_some()), (begun, true));
    }

    #[test]
    fn slow_start_ends_after_five_rounds_of_which_the_first_is_partial() {
        let (mut state, mut window) = (HystartPlusPlus::default(), START);
        let next = rounds(&mut state, &mut window, 0, &[40, 40, 40, 45]);
        let begun = window.cwnd;
        rounds(&mut state, &mut window, next, &[45; 10]);
        assert_eq!(window.ssthresh, window.cwnd);
        let growth = window.cwnd / begun;
        assert!((growth / 1.25_f64.powi(4) - 1.0).abs() < 0.05, "four rounds after the partial one: {growth}");
    }

    #[test]
    fn a_false_alarm_resumes_slow_start() {
        let (mut state, mut window) = (HystartPlusPlus::default(), START);
        let next = rounds(&mut state, &mut window, 0, &[40, 40, 50]);
        assert!(state.css.is_some());
        let before = window.cwnd.floor();
        rounds(&mut state, &mut window, next, &[44]);
        assert!(state.css.is_none());
        assert!(window.cwnd > 1.9 * before, "only the first eight samples count as conservative: {window:?}");
    }

    #[test]
    fn rounds_of_fewer_than_eight_samples_decide_nothing() {
        let (mut state, mut window) = (HystartPlusPlus::default(), Window { cwnd: 3.0, ..START });
        rounds(&mut state, &mut window, 0, &[40, 80]);
        assert!(state.css.is_none());
    }
}
