//! HyStart as in Linux 6 (`net/ipv4/tcp_cubic.c`), after Ha and Rhee, "Taming the Elephants: New TCP Slow Start"
//! (2011).
//!
//! From a window of 16 segments on, slow start ends at once when one of two signs appears:
//!
//! - *delay*: after eight samples, the minimum round-trip time of a round exceeds the minimum of the connection by an
//!   eighth (from 4 to 16 ms);
//! - *ACK train*: ACKs that follow each other within 2 ms go on for longer than the minimum round-trip time plus
//!   [`ACK_DELAY`], counted from the beginning of the round. Without pacing, half of that suffices.
//!
//! Differences from Linux: the minimum round-trip time also contains the samples of the first second after a recovery;
//! `hystart_ack_delay` is its upper limit of 1 ms, which it has at pacing rates below 2 Gb/s.

use ackclock_units::Time;

use super::{SAMPLES, allowed_increase};
use crate::congestion::{AckSample, Window};

/// Window from which on slow start may end, in segments: `hystart_low_window`.
const LOW_WINDOW: f64 = 16.0;
/// Longest time between two ACKs of a train: `hystart_ack_delta_us`.
const ACK_DELTA: Time = Time::from_millis(2);
/// Allowance for aggregated ACKs: `hystart_ack_delay`.
const ACK_DELAY: Time = Time::from_millis(1);

#[derive(Debug)]
pub(crate) struct Hystart {
    /// Whether slow start has ended by one of the signs. Later slow starts are standard, until a timeout.
    found: bool,
    is_paced: bool,
    min_rtt: Time,
    /// The round ends when a segment after this one is acknowledged.
    round_end: u64,
    round_start: Time,
    last_ack: Time,
    /// Minimum round-trip time of the round, and its number of samples.
    current_min: Time,
    samples: u32,
}

impl Hystart {
    pub(super) const fn new(is_paced: bool) -> Self {
        Self {
            found: false,
            is_paced,
            min_rtt: Time::MAX,
            round_end: 0,
            round_start: Time::ZERO,
            last_ack: Time::ZERO,
            current_min: Time::MAX,
            samples: 0,
        }
    }

    /// Begins again, after a timeout.
    pub(super) const fn reset(&mut self) {
        *self = Self::new(self.is_paced);
    }

    pub(super) fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        if let Some(rtt) = ack.rtt.filter(|_| !self.found) {
            self.min_rtt = self.min_rtt.min(rtt);
            if ack.snd_una > self.round_end {
                (self.round_end, self.round_start, self.last_ack) = (ack.snd_nxt, ack.now, ack.now);
                (self.current_min, self.samples) = (Time::MAX, 0);
            }
            if window.cwnd >= LOW_WINDOW && self.is_over(ack.now, rtt) {
                self.found = true;
                window.ssthresh = window.cwnd;
                return;
            }
        }
        window.cwnd += ack.slow_start_growth(window);
    }

    /// Whether an ACK is one of the signs.
    fn is_over(&mut self, now: Time, rtt: Time) -> bool {
        let is_train = now - self.last_ack <= ACK_DELTA;
        if is_train {
            self.last_ack = now;
        }
        let whole = self.min_rtt.saturating_add(ACK_DELAY);
        // pacing alone may spread the ACKs of a round over half a round-trip time
        let longest = if self.is_paced { whole } else { Time::from_picos(whole.as_picos() / 2) };
        self.current_min = self.current_min.min(rtt);
        let is_late =
            self.samples >= SAMPLES && self.current_min > self.min_rtt.saturating_add(allowed_increase(self.min_rtt));
        self.samples += 1;
        is_train && now - self.round_start > longest || is_late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends ACKs of one segment each, `gap` apart, with the given round-trip time, until slow start ends or `most`
    /// ACKs were sent. Each round has as many ACKs as the window had segments at its beginning. Returns the window.
    fn window_after(gap: Time, rtt: impl Fn(u64) -> Time, most: u64) -> Window {
        let mut state = Hystart::new(false);
        let mut window = Window { cwnd: 16.0, ssthresh: f64::INFINITY };
        let mut now = Time::SECOND;
        for number in 1..=most {
            if window.cwnd >= window.ssthresh {
                break;
            }
            now += gap;
            let snd_nxt = number - 1 + window.cwnd as u64;
            let ack = AckSample { now, snd_una: number, snd_nxt, rtt: Some(rtt(number)), ..AckSample::ONE };
            state.on_ack(&mut window, &ack);
        }
        window
    }

    /// Validates: a train of ACKs every 1.2 ms ends slow start after half of a round-trip time of 80 ms, that is, with
    ///   34 ACKs in one round.
    /// Source: Linux, `hystart_update`; (80 ms + 1 ms) / 2 / 1.2 ms = 33.75.
    /// Tolerance: exact.
    #[test]
    fn a_train_of_acks_ends_slow_start() {
        let window = window_after(Time::from_micros(1_200), |_| Time::from_millis(80), 1_000);
        // the rounds before have 16 and 32 ACKs; the 49th begins the third round, and 34 follow
        assert_eq!(window, Window { cwnd: 16.0 + 82.0, ssthresh: 98.0 });
    }

    #[test]
    fn a_longer_round_trip_time_ends_slow_start_after_eight_samples() {
        let rtt = |number| Time::from_millis(if number > 16 { 51 } else { 40 });
        let window = window_after(Time::from_millis(3), rtt, 1_000);
        // the second round begins with ACK 17, whose sample and eight more are needed; the threshold is 45 ms
        assert_eq!(window, Window { cwnd: 16.0 + 24.0, ssthresh: 40.0 });
        let within =
            window_after(Time::from_millis(3), |number| Time::from_millis(if number > 16 { 45 } else { 40 }), 100);
        assert_eq!(within, Window { cwnd: 116.0, ssthresh: f64::INFINITY });
    }

    /// Later slow starts, after an idle period, end at the threshold.
    #[test]
    fn slow_start_ends_early_once() {
        let mut state = Hystart { found: true, ..Hystart::new(false) };
        let mut window = Window { cwnd: 10.0, ssthresh: 100.0 };
        state.on_ack(&mut window, &AckSample { rtt: Some(Time::SECOND), ..AckSample::ONE });
        assert_eq!(window, Window { cwnd: 11.0, ssthresh: 100.0 });
    }

    /// Rounds are aligned with flights, although they are examined only from a window of 16 segments on.
    #[test]
    fn rounds_begin_with_flights() {
        let mut state = Hystart::new(false);
        let mut window = Window { cwnd: 10.0, ssthresh: f64::INFINITY };
        for number in 1..=31 {
            let snd_nxt = number - 1 + window.cwnd as u64;
            let rtt = Some(Time::from_millis(40));
            let now = Time::from_millis(40 * (1 + (number - 1) / 10));
            state.on_ack(&mut window, &AckSample { now, snd_una: number, snd_nxt, rtt, ..AckSample::ONE });
        }
        // flights of 10, 20 and 40 segments; the third begins with ACK 31
        assert_eq!((state.round_end, state.round_start), (70, Time::from_millis(160)));
    }

    #[test]
    fn small_windows_are_left_alone() {
        let mut state = Hystart::new(false);
        let mut window = Window { cwnd: 4.0, ssthresh: f64::INFINITY };
        for number in 1..12 {
            let rtt = Some(Time::from_millis(10 * number));
            state.on_ack(&mut window, &AckSample { snd_una: number, snd_nxt: number + 4, rtt, ..AckSample::ONE });
        }
        assert_eq!(window, Window { cwnd: 15.0, ssthresh: f64::INFINITY });
    }
}
