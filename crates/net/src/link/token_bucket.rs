//! Token buckets: a policer drops the packets that do not conform, and a shaper delays them.
//!
//! A bucket holds at most `burst` bytes of tokens, is full at first, and gains tokens at `rate`. A packet conforms if the
//! bucket has as many tokens as the packet has bytes; it then takes them (RFC 2697, section 3, with one bucket: the
//! committed information rate and the committed burst size). Any interval of length `t` therefore contains at most
//! `burst + rate t` bytes of conforming packets. A packet larger than `burst` never conforms.
//!
//! All arithmetic uses integers, in units of 10^-12 bit.

use ackclock_units::{Rate, Time};
use serde::{Deserialize, Serialize};

use crate::link::rate::BYTE;

/// The parameters of a token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketSpec {
    /// Rate at which tokens are added.
    pub rate: Rate,
    /// Capacity in bytes.
    pub burst: u64,
}

impl BucketSpec {
    /// Whether a packet of `size` bytes conforms to a full bucket.
    pub(crate) const fn admits(&self, size: u32) -> bool {
        size as u64 <= self.burst
    }
}

/// The tokens of a policer or a shaper. Times never decrease from call to call.
#[derive(Clone, Debug)]
pub(crate) struct TokenBucket {
    spec: BucketSpec,
    /// Tokens that are missing from a full bucket at the time of the last call.
    missing: u128,
    at: Time,
}

impl TokenBucket {
    /// A full bucket.
    pub(crate) const fn new(spec: BucketSpec) -> Self {
        Self { spec, missing: 0, at: Time::ZERO }
    }

    /// Takes the tokens of a packet of `size` bytes. Returns whether the packet conforms.
    pub(crate) fn take(&mut self, size: u32, now: Time) -> bool {
        self.fill(now);
        let conforms = self.lacks(size) == 0;
        if conforms {
            self.missing += tokens(size);
        }
        conforms
    }

    /// Takes the tokens of a packet of `size` bytes, which a full bucket [admits](BucketSpec::admits), as soon as the
    /// packet conforms. Returns this time.
    pub(crate) fn take_later(&mut self, size: u32, now: Time) -> Time {
        self.fill(now);
        let wait = self.lacks(size).div_ceil(self.rate());
        let conforming = now.saturating_add(Time::from_picos(u64::try_from(wait).unwrap_or(u64::MAX)));
        self.fill(conforming);
        self.missing += tokens(size);
        conforming
    }

    /// Adds the tokens of the time since the last call.
    fn fill(&mut self, now: Time) {
        let gained = self.rate() * u128::from(now.saturating_sub(self.at).as_picos());
        self.missing = self.missing.saturating_sub(gained);
        self.at = now;
    }

    /// Tokens that the bucket lacks for a packet of `size` bytes.
    fn lacks(&self, size: u32) -> u128 {
        (self.missing + tokens(size)).saturating_sub(u128::from(self.spec.burst) * BYTE)
    }

    fn rate(&self) -> u128 {
        u128::from(self.spec.rate.as_bps())
    }
}

/// Tokens of a packet.
fn tokens(size: u32) -> u128 {
    u128::from(size) * BYTE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SPEC: BucketSpec = BucketSpec { rate: Rate::from_mbps(8), burst: 15_000 };

    /// Packets of 1500 bytes every millisecond, 12 Mb/s, at a policer and a shaper of 8 Mb/s with a burst of ten packets.
    ///
    /// Validates: the policer passes 28 packets and then two of three; the shaper passes 28 packets without a wait, and
    ///   then one every 1.5 ms.
    /// Source: RFC 2697, section 3; computed by hand: packet n finds `15000 - 500 n` bytes.
    /// Tolerance: exact.
    #[test]
    fn a_bucket_of_ten_packets_passes_28_packets_at_one_and_a_half_times_its_rate() {
        let (mut policer, mut shaper) = (TokenBucket::new(SPEC), TokenBucket::new(SPEC));
        let dropped: Vec<u64> = (0..60).filter(|packet| !policer.take(1_500, Time::from_millis(*packet))).collect();
        assert_eq!(dropped, [28, 31, 34, 37, 40, 43, 46, 49, 52, 55, 58]);
        let sent = |packet| {
            let micros = if packet < 28 { 1_000 * packet } else { 27_000 + 1_500 * (packet - 27) };
            Time::from_micros(micros)
        };
        let mut last = Time::ZERO;
        for packet in 0..60 {
            last = shaper.take_later(1_500, Time::from_millis(packet).max(last));
            assert_eq!(last, sent(packet), "packet {packet}");
        }
    }

    #[test]
    fn extreme_rates_and_bursts_neither_overflow_nor_wait_in_vain() {
        let rates = [Rate::SLOWEST, Rate::from_bps(u64::MAX).expect("above 0")];
        for (rate, burst) in rates.into_iter().flat_map(|rate| [65_535, u64::MAX].map(|burst| (rate, burst))) {
            let mut bucket = TokenBucket::new(BucketSpec { rate, burst });
            for now in [Time::ZERO, Time::SECOND, Time::MAX, Time::MAX] {
                assert!(bucket.take_later(65_535, now) >= now);
                bucket.take(65_535, now);
            }
        }
    }

    proptest! {
        /// Compares both with a list of the packets that conform.
        ///
        /// Validates: every interval `t` has at most `burst + rate t` bytes of conforming packets; the policer drops a
        ///   packet, and the shaper delays it, only if it would exceed this limit in some interval; the shaper keeps the
        ///   order and sends at the first possible picosecond.
        /// Source: RFC 2697, section 3; Cruz, "A calculus for network delay, part I", 1991, section II.A.
        /// Tolerance: exact.
        #[test]
        fn conforming_packets_never_exceed_burst_and_rate(
            packets in prop::collection::vec((0_u64..3_000, 1_u32..1_500), 1..80),
            bps in 1_000_000_u64..20_000_000,
            burst in 1_500_u64..6_000,
        ) {
            let spec = BucketSpec { rate: Rate::from_bps(bps).expect("above 0"), burst };
            let (mut policer, mut shaper) = (TokenBucket::new(spec), TokenBucket::new(spec));
            let (mut passed, mut shaped) = (Vec::new(), Vec::new());
            // whether a packet at `at` exceeds the limit in an interval that begins with an earlier packet
            let exceeds = |list: &[(Time, u32)], at: Time, size: u32| {
                let mut bytes = u128::from(size);
                list.iter().rev().any(|(since, size)| {
                    bytes += u128::from(*size);
                    bytes * BYTE > u128::from(burst) * BYTE + u128::from(bps) * u128::from((at - *since).as_picos())
                })
            };
            let mut now = Time::ZERO;
            for (gap, size) in packets {
                now += Time::from_micros(gap);
                let conforms = policer.take(size, now);
                prop_assert_eq!(conforms, !exceeds(&passed, now, size));
                if conforms {
                    passed.push((now, size));
                }
                let first = shaped.last().map_or(now, |(last, _)| now.max(*last));
                let sent = shaper.take_later(size, first);
                prop_assert!(sent >= first && !exceeds(&shaped, sent, size));
                prop_assert!(sent == first || exceeds(&shaped, sent - Time::from_picos(1), size), "too late");
                shaped.push((sent, size));
            }
        }
    }
}
