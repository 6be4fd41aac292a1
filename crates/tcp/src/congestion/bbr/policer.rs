//! The long-term bandwidth of Linux (`bbr_lt_bw_sampling`): a path that drops a fifth of the packets or more, and delivers
//! the rest at a steady rate, is taken for one with a policer. The sender then keeps to that rate.
//!
//! - An interval begins with a loss, lasts 4 to 16 round trips, and ends with a loss once `lost >= 50/256 delivered`. If the
//!   application limits the sender, the search restarts.
//! - If two intervals in a row have rates that differ by at most an eighth, or by 4,000 bit/s, their mean is used for 48
//!   round trips of ProbeBW.
//!
//! A timeout counts as a loss at the end of a round trip (`bbr_set_state`).
//!
//! Difference from Linux: times are exact instead of milliseconds.

use ackclock_units::Time;

use super::MARGIN;
use crate::delivery_rate::RateSample;

/// Round trips of the shortest and the longest interval, and for which the rate is used.
const SHORTEST: u32 = 4;
const LONGEST: u32 = 4 * SHORTEST;
const USED: u32 = 48;
/// Share of losses that shows a policer.
const LOSS: f64 = 50.0 / 256.0;
/// Differences of rates that are none, as a share and in bytes of data per second, of the rate with its margin.
const SHARE: f64 = 1.0 / 8.0;
const DIFFERENCE: f64 = 4_000.0 / 8.0 / MARGIN;

/// What was delivered and lost, and when the last delivery was.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    delivered: u64,
    lost: u64,
    at: Time,
}

impl Count {
    const fn of(sample: &RateSample) -> Self {
        Self { delivered: sample.delivered, lost: sample.total_lost, at: sample.delivered_at }
    }
}

/// The search for a policer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    /// Rate of the last interval, or the rate that is used, in segments per second; 0 if there is none.
    rate: f64,
    is_used: bool,
    /// The beginning of the interval, if one has begun.
    start: Option<Count>,
    rounds: u32,
}

/// What a sample changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    /// A policer is found.
    Begins,
    /// The rate has been used long enough.
    Ends,
}

impl Policer {
    /// The rate to keep to, in segments per second.
    pub(super) fn rate(&self) -> Option<f64> {
        self.is_used.then_some(self.rate)
    }

    /// Restarts the search.
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }

    /// Takes a sample; `round_starts` states whether it begins a round trip, and `cycles` whether the sender is in ProbeBW.
    pub(super) fn on_sample(&mut self, sample: &RateSample, round_starts: bool, cycles: bool) -> Change {
        if self.is_used {
            self.rounds += u32::from(cycles && round_starts);
            if self.rounds < USED {
                return Change::None;
            }
            self.restart();
            return Change::Ends;
        }
        let loses = sample.newly_lost > 0;
        if self.start.is_none() {
            if !loses {
                return Change::None;
            }
            (self.start, self.rounds) = (Some(Count::of(sample)), 0);
        }
        if sample.app_limited {
            self.restart();
            return Change::None;
        }
        self.rounds += u32::from(round_starts);
        if self.rounds > LONGEST {
            self.restart();
        } else if loses && self.rounds >= SHORTEST {
            return self.end(Count::of(sample), sample.payload);
        }
        Change::None
    }

    /// Ends the interval if its losses show a policer.
    fn end(&mut self, now: Count, payload: u32) -> Change {
        let Some(start) = self.start else { return Change::None };
        let (delivered, lost) = ((now.delivered - start.delivered) as f64, (now.lost - start.lost) as f64);
        let time = now.at.saturating_sub(start.at).as_secs_f64();
        if delivered == 0.0 || lost < LOSS * delivered || time < 1e-3 {
            return Change::None;
        }
        let rate = delivered / time;
        let difference = (rate - self.rate).abs();
        let is_near = difference <= SHARE * self.rate || difference * f64::from(payload) <= DIFFERENCE;
        self.rounds = 0;
        if self.rate > 0.0 && is_near {
            (self.rate, self.is_used) = (rate.midpoint(self.rate), true);
            return Change::Begins;
        }
        (self.rate, self.start) = (rate, Some(now));
        Change::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery_rate::Phase;

    const RTT: Time = Time::from_millis(100);

    /// A path that delivers 100 segments in each round trip and loses some.
    struct Path {
        policer: Policer,
        sample: RateSample,
    }

    impl Path {
        fn new() -> Self {
            let sample = RateSample {
                now: Time::ZERO,
                rate: Some(1_000.0),
                app_limited: false,
                rtt: Some(RTT),
                min_rtt: RTT,
                delivered: 0,
                prior_delivered: 0,
                delivered_at: Time::ZERO,
                lost: 0,
                tx_in_flight: 100,
                newly_delivered: 100,
                newly_lost: 0,
                total_lost: 0,
                prior_in_flight: 100,
                in_flight: 100,
                phase: Phase::Open,
                burst: 1,
                payload: 1448,
                departure: Time::ZERO,
            };
            Self { policer: Policer::default(), sample }
        }

        fn round(&mut self, lost: u64) -> Change {
            self.sample.now += RTT;
            self.sample.delivered += 100;
            self.sample.delivered_at = self.sample.now;
            self.sample.newly_lost = lost;
            self.sample.total_lost += lost;
            self.policer.on_sample(&self.sample, true, true)
        }
    }

    /// Validates: a loss of 25 for 100 delivered shows a policer at 1,000 segments/s after two intervals of four round
    ///     trips; the rate is used for 48 round trips.
    /// Source: Linux, `bbr_lt_bw_sampling`; worked by hand.
    /// Tolerance: 1e-9.
    #[test]
    fn two_intervals_of_the_same_rate_show_a_policer() {
        let mut path = Path::new();
        let changes: Vec<Change> = (0..8).map(|_| path.round(25)).collect();
        assert_eq!(changes[7], Change::Begins);
        assert!(changes[..7].iter().all(|change| *change == Change::None));
        assert!(path.policer.rate().is_some_and(|rate| (rate - 1_000.0).abs() < 1e-9));
        let used = (1..=60).find(|_| path.round(0) == Change::Ends);
        assert_eq!((used, path.policer.rate()), (Some(48), None));
    }

    /// Validates: a loss of 19 for 100 delivered shows no policer, nor one of 25 that the application limits; an interval
    ///     without enough losses ends after 16 round trips.
    /// Source: Linux, `bbr_lt_bw_sampling`: `lost / delivered < 50 / 256`.
    /// Tolerance: exact.
    #[test]
    fn few_losses_and_a_limit_of_the_application_show_none() {
        for (lost, app_limited) in [(19, false), (25, true)] {
            let mut path = Path::new();
            path.sample.app_limited = app_limited;
            assert!((0..40).all(|_| path.round(lost) == Change::None), "{lost}");
        }
        let mut path = Path::new();
        path.round(25);
        for _ in 0..LONGEST {
            path.round(0);
        }
        assert!(path.policer.start.is_none());
    }

    /// Validates: each timeout counts as a loss at the end of a round trip: four of them end the interval that the first one
    ///     begins, and what was delivered before them counts.
    /// Source: Linux, `bbr_set_state` and `bbr_lt_bw_sampling`.
    /// Tolerance: exact.
    #[test]
    fn each_timeout_is_a_lost_round_trip() {
        let mut path = Path::new();
        path.round(0);
        let timeout = RateSample { newly_lost: 1, ..path.sample };
        for rounds in 1..=2 {
            path.policer.on_sample(&timeout, true, false);
            assert_eq!(path.policer.start.map(|start| start.delivered), Some(100));
            assert_eq!(path.policer.rounds, rounds);
        }
        path.sample.total_lost += 25;
        path.round(0);
        assert_eq!((path.policer.rate, path.policer.rounds), (0.0, 3), "an interval has four round trips");
        let timeout = RateSample { newly_lost: 1, ..path.sample };
        path.policer.on_sample(&timeout, true, false);
        assert!((path.policer.rate - 1_000.0).abs() < 1e-9, "100 segments in 100 ms");
    }

    /// Validates: rates that differ by 4,000 bit/s of data are equal: with segments of 500 bytes by 1.01 segments/s, with
    ///     segments of 1,448 bytes by 0.35.
    /// Source: Linux, `bbr_lt_bw_interval_done`; worked by hand.
    /// Tolerance: exact.
    #[test]
    fn a_small_difference_depends_on_the_size_of_segments() {
        let is_near = |payload: u32, difference: f64| {
            let now = Count { delivered: 40, lost: 40, at: Time::from_millis(40_000) };
            let mut policer = Policer { rate: 1.0 + difference, start: Some(Count::default()), ..Policer::default() };
            policer.end(now, payload) == Change::Begins
        };
        assert!(is_near(500, 1.0) && !is_near(500, 1.02));
        assert!(is_near(1_448, 0.34) && !is_near(1_448, 0.36));
    }
}
