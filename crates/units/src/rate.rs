//! Transmission rates.

use serde::{Deserialize, Serialize};

use crate::Time;

const BIT_PICOS: u64 = 8_000_000_000_000;

/// A transmission rate in bits per second; never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Rate(u64);

impl Rate {
    /// The lowest rate: 1 bit/s.
    pub const SLOWEST: Self = Self(1);

    /// Rate of `bps` bits per second; `None` for zero.
    pub const fn from_bps(bps: u64) -> Option<Self> {
        if bps == 0 { None } else { Some(Self(bps)) }
    }

    /// Rate of `mbps` megabits per second.
    ///
    /// # Panics
    /// If `mbps` is zero.
    pub const fn from_mbps(mbps: u64) -> Self {
        assert!(mbps > 0, "a rate must be above zero");
        Self(mbps * 1_000_000)
    }

    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Time to transmit `bytes`, rounded up to the picosecond so that a link never exceeds its rate.
    pub fn transmission_time(self, bytes: u32) -> Time {
        let picos = if let Some(work) = u64::from(bytes).checked_mul(BIT_PICOS) {
            work.div_ceil(self.0)
        } else {
            let picos = (u128::from(bytes) * u128::from(BIT_PICOS)).div_ceil(u128::from(self.0));
            u64::try_from(picos).unwrap_or(u64::MAX)
        };
        Time::from_picos(picos)
    }
}

impl TryFrom<u64> for Rate {
    type Error = &'static str;

    fn try_from(bps: u64) -> Result<Self, Self::Error> {
        Self::from_bps(bps).ok_or("a rate must be above 0 bit/s")
    }
}

impl From<Rate> for u64 {
    fn from(rate: Rate) -> Self {
        rate.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_papers_links_are_exact() {
        assert_eq!(Rate::from_mbps(10).transmission_time(1500), Time::from_micros(1200));
        assert_eq!(Rate::from_mbps(50).transmission_time(40), Time::from_picos(6_400_000));
    }

    proptest! {
        #[test]
        fn rounding_costs_less_than_a_picosecond(bps in 1_000_u64..1_000_000_000_000, bytes in 1_u32..65_536) {
            let exact = f64::from(bytes) * 8e12 / bps as f64;
            let rounded = Rate::from_bps(bps).unwrap().transmission_time(bytes).as_picos() as f64;
            prop_assert!(rounded >= exact * (1.0 - 1e-15) && rounded < (exact + 1.0) * (1.0 + 1e-15));
        }
    }
}
