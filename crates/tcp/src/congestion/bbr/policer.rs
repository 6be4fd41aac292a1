//! The long-term bandwidth of Linux (`bbr_lt_bw_sampling`): a path that drops a fifth of the packets or more, and delivers
//! the rest at a steady rate, is taken for one with a policer. The sender then keeps to that rate.
//!
//! - An interval begins with a loss, lasts 4 to 16 round trips, and ends with a loss once `lost >= 50/256 delivered`. If the
//!   application limits the sender, the search begins again.
//! - If two intervals in a row have rates that differ by at most an eighth, or by 4,000 bit/s, their mean is used for 48
//!   round trips of ProbeBW.
//!
//! Differences from Linux: times are exact instead of milliseconds; 4,000 bit/s are those of segments of 1,448 bytes.

use ackclock_units::Time;

use crate::delivery_rate::RateSample;

/// Round trips of the shortest and the longest interval, and for which the rate is used.
const SHORTEST: u32 = 4;
const LONGEST: u32 = 4 * SHORTEST;
const USED: u32 = 48;
/// Share of losses that shows a policer.
const LOSS: f64 = 50.0 / 256.0;
/// Differences of rates that are none, as a share and in segments per second.
const SHARE: f64 = 1.0 / 8.0;
const DIFFERENCE: f64 = 4_000.0 / (8.0 * 1_448.0);

/// What was delivered and lost, and when the last delivery was.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    delivered: u64,
    lost: u64,
    at: Time,
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
    /// The last sample, and whether a timeout has followed it.
    last: Count,
    has_timed_out: bool,
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

    /// Begins the search again.
    pub(super) fn restart(&mut self) {
        *self = Self { last: self.last, ..Self::default() };
    }

    /// Records a timeout, which counts as a loss and the end of a round trip.
    pub(super) const fn on_timeout(&mut self) {
        self.has_timed_out = true;
    }

    /// Takes a sample; `round_starts` states whether it begins a round trip, and `cycles` whether the sender is in ProbeBW.
    pub(super) fn on_sample(&mut self, sample: &RateSample, round_starts: bool, cycles: bool) -> Change {
        let mut change = Change::None;
        if self.has_timed_out {
            let before = Count { lost: sample.total_lost - sample.newly_lost, ..self.last };
            change = self.advance(before, true, false, true, cycles);
            self.has_timed_out = false;
        }
        self.last = Count { delivered: sample.delivered, lost: sample.total_lost, at: sample.now };
        match self.advance(self.last, sample.newly_lost > 0, sample.app_limited, round_starts, cycles) {
            Change::None => change,
            now => now,
        }
    }

    fn advance(&mut self, now: Count, loses: bool, app_limited: bool, round_starts: bool, cycles: bool) -> Change {
        if self.is_used {
            self.rounds += u32::from(cycles && round_starts);
            if self.rounds < USED {
                return Change::None;
            }
            self.restart();
            return Change::Ends;
        }
        if self.start.is_none() {
            if !loses {
                return Change::None;
            }
            (self.start, self.rounds) = (Some(now), 0);
        }
        self.rounds += u32::from(round_starts);
        if app_limited || self.rounds > LONGEST {
            self.restart();
        } else if loses && self.rounds >= SHORTEST {
            return self.end(now);
        }
        Change::None
    }

    /// Ends the interval if its losses show a policer.
    fn end(&mut self, now: Count) -> Change {
        let Some(start) = self.start else { return Change::None };
        let (delivered, lost) = ((now.delivered - start.delivered) as f64, (now.lost - start.lost) as f64);
        let time = (now.at - start.at).as_secs_f64();
        if delivered == 0.0 || lost < LOSS * delivered || time < 1e-3 {
            return Change::None;
        }
        let rate = delivered / time;
        let difference = (rate - self.rate).abs();
        let is_steady = self.rate > 0.0 && (difference <= SHARE * self.rate || difference <= DIFFERENCE);
        self.rounds = 0;
        if is_steady {
            (self.rate, self.is_used) = ((rate + self.rate) / 2.0, true);
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
                lost: 0,
                tx_in_flight: 100,
                newly_delivered: 100,
                newly_lost: 0,
                total_lost: 0,
                prior_in_flight: 100,
                in_flight: 100,
                phase: Phase::Open,
                burst: 1,
                departure: Time::ZERO,
            };
            Self { policer: Policer::default(), sample }
        }

        fn round(&mut self, lost: u64) -> Change {
            self.sample.now += RTT;
            self.sample.delivered += 100;
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
        let used = (1..).find(|_| path.round(0) == Change::Ends);
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

    /// Validates: a timeout counts as a loss, with what was delivered before it.
    /// Source: Linux, `bbr_set_state`.
    /// Tolerance: exact.
    #[test]
    fn a_timeout_begins_an_interval() {
        let mut path = Path::new();
        path.round(0);
        path.policer.on_timeout();
        path.round(0);
        assert_eq!(path.policer.start.map(|start| start.delivered), Some(100));
    }
}
