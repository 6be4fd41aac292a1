//! Simulated time.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A point in simulated time, or a duration, in whole picoseconds.
///
/// One byte at 800 Gb/s takes 10 ps, and `u64` holds 213 days, so no realistic rate rounds to zero and no realistic run
/// overflows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(u64);

impl Time {
    /// The start of every run.
    pub const ZERO: Self = Self(0);
    /// Later than every event.
    pub const MAX: Self = Self(u64::MAX);
    /// One second.
    pub const SECOND: Self = Self(1_000_000_000_000);

    /// Time of `picos` picoseconds.
    pub const fn from_picos(picos: u64) -> Self {
        Self(picos)
    }

    /// Time of `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000_000)
    }

    /// Time of `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000_000)
    }

    /// Time of `seconds` seconds, rounded to the nearest picosecond. Negative values and NaN become zero; values too
    /// large become [`Time::MAX`].
    #[inline(always)]
    pub fn from_secs_f64(seconds: f64) -> Self {
        let picos = seconds * 1e12 + 0.5;
        // converting a float to an i64 takes half a dozen instructions; to a u64 it takes about twice as many
        let converted = picos as i64;
        // neither negative nor saturated
        if converted.wrapping_add(1) > 0 { Self(converted.cast_unsigned()) } else { Self::of_unusual(picos) }
    }

    /// Time of a number of picoseconds that is negative or above `i64::MAX`.
    #[cold]
    #[inline(never)]
    const fn of_unusual(picos: f64) -> Self {
        Self(picos as u64)
    }

    /// Value in picoseconds.
    pub const fn as_picos(self) -> u64 {
        self.0
    }

    /// Value in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// `self - earlier`, or zero if `earlier` is later than `self`.
    #[must_use]
    pub const fn saturating_sub(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// `self + span`, or [`Time::MAX`] on overflow.
    #[must_use]
    pub const fn saturating_add(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// `self * factor`, or [`Time::MAX`] on overflow.
    #[must_use]
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Add for Time {
    type Output = Self;

    fn add(self, span: Self) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, span: Self) {
        self.0 += span.0;
    }
}

impl Sub for Time {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self(self.0 - earlier.0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_picosecond_and_never_wrap() {
        assert_eq!(Time::from_secs_f64(0.025), Time::from_millis(25));
        assert_eq!(Time::from_secs_f64(-1.0), Time::ZERO);
        assert_eq!(Time::from_secs_f64(f64::NAN), Time::ZERO);
        assert_eq!(Time::from_secs_f64(-f64::NAN), Time::ZERO);
        assert_eq!(Time::from_secs_f64(1e30), Time::MAX);
    }

    proptest! {
        #[test]
        fn seconds_convert_as_by_casts(bits in any::<u64>(), seconds in 0.0..2e7) {
            for seconds in [f64::from_bits(bits), seconds, seconds / 1e12] {
                let picos = seconds * 1e12 + 0.5;
                let expected = if picos < i64::MAX as f64 { (picos as i64).max(0) as u64 } else { picos as u64 };
                prop_assert_eq!(Time::from_secs_f64(seconds).as_picos(), expected);
            }
        }
    }
}
