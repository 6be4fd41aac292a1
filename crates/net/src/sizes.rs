//! Sizes of datagrams: constant, or drawn from a distribution with one stream per flow.
//!
//! Exponential sizes are rounded to whole bytes, at least 1 and at most [`LONGEST`]. The lower limit raises the mean by
//! `0.5 / mean` bytes; the upper limit lowers it by the fraction `exp(-LONGEST / mean)`.

use ackclock_units::{Role, Stream};
use serde::{Deserialize, Serialize};

/// The longest IP packet (RFC 791, section 3.1: a total length of 16 bits).
pub const LONGEST: u32 = 65_535;

/// Bytes of IPv4 and UDP headers (RFC 791, RFC 768).
const UDP_HEADER: u32 = 28;

/// Data in a datagram of `size` bytes on the wire.
pub(crate) const fn udp_data_bytes(size: u32) -> u32 {
    size.saturating_sub(UDP_HEADER)
}

/// Distribution of the packet sizes of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SizeSpec {
    /// Constant: the group's `packet_size`.
    #[default]
    Fixed,
    /// Exponential with mean `packet_size`.
    Exponential,
}

/// The sizes of one flow's packets.
#[derive(Debug)]
pub(crate) enum Sizes {
    Fixed(u32),
    Exponential { mean: u32, stream: Stream },
}

impl Sizes {
    pub(crate) fn new(spec: SizeSpec, packet_size: u32, seed: u64, flow: u32) -> Self {
        match spec {
            SizeSpec::Fixed => Self::Fixed(packet_size),
            SizeSpec::Exponential => {
                Self::Exponential { mean: packet_size, stream: Stream::new(seed, Role::Size, flow) }
            }
        }
    }

    /// The size of the next packet.
    pub(crate) fn draw(&mut self) -> u32 {
        match self {
            Self::Fixed(size) => *size,
            // casting a float saturates values that are too large
            Self::Exponential { mean, stream } => {
                ((f64::from(*mean) * stream.exponential()).round() as u32).clamp(1, LONGEST)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u32 = 200_000;

    fn drawn(mean: u32) -> Vec<f64> {
        let mut sizes = Sizes::new(SizeSpec::Exponential, mean, 1, 0);
        (0..DRAWS).map(|_| f64::from(sizes.draw())).collect()
    }

    /// Mean and variance of exponential sizes of 1000 bytes.
    ///
    /// Validates: exponential packet sizes have the mean `packet_size` and its square as variance.
    /// Source: the exponential distribution.
    /// Tolerance: four standard errors of 200,000 draws: 0.9 % of the mean; 2.6 % of the variance, whose standard error
    ///   is `sqrt(8 / n)` of it.
    #[test]
    fn exponential_sizes_have_their_mean_and_variance() {
        let n = f64::from(DRAWS);
        let sizes = drawn(1_000);
        let mean = sizes.iter().sum::<f64>() / n;
        let variance = sizes.iter().map(|size| (size - mean).powi(2)).sum::<f64>() / n;
        assert!((mean / 1e3 - 1.0).abs() < 4.0 / n.sqrt(), "{mean}");
        assert!((variance / 1e6 - 1.0).abs() < 4.0 * (8.0 / n).sqrt(), "{variance}");
        println!("measured: mean {mean:.1} for 1000, variance {variance:.0} for 1000000");
    }

    #[test]
    fn sizes_are_whole_and_from_1_byte_to_what_ip_carries() {
        let ends =
            |sizes: &[f64]| (sizes.iter().copied().fold(f64::MAX, f64::min), sizes.iter().copied().fold(0.0, f64::max));
        assert_eq!(ends(&drawn(LONGEST)), (1.0, f64::from(LONGEST)));
        assert_eq!(ends(&drawn(1)).0, 1.0);
    }

    #[test]
    fn fixed_sizes_draw_nothing() {
        let mut sizes = Sizes::new(SizeSpec::Fixed, 1_500, 1, 0);
        assert!((0..10).all(|_| sizes.draw() == 1_500));
    }
}
