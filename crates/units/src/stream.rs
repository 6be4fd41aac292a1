//! Random streams: one per component, so that adding a flow or a probe does not change the draws of any other
//! component.

use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1, StandardNormal};
use rand_xoshiro::SplitMix64;

use crate::Time;
use crate::ziggurat::EXPONENTIAL;

/// Purpose of a random stream; part of the stream's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A traffic source.
    Source = 1,
    /// A sender's processing times and clock phase.
    Sender = 2,
    /// A queue discipline.
    Queue = 3,
    /// Sizes of packets.
    Size = 4,
    /// Start times of flows.
    Start = 5,
    /// Losses of a link.
    Loss = 6,
    /// Jitter of a link.
    Jitter = 7,
    /// Packets that a link holds back.
    Reorder = 8,
    /// A congestion-control law from outside the engine.
    Law = 9,
    /// The clock of a receiver.
    Receiver = 10,
    /// The backoff of a station on a shared medium.
    Station = 11,
    /// The seed of a switch's hash.
    Switch = 12,
    /// The hash of a flow at a switch.
    Path = 13,
}

/// A random stream keyed by (seed, role, id): SplitMix64 (Steele, Lea and Flood 2014), eight bytes of state.
///
/// ```
/// use ackclock_units::{Role, Stream};
///
/// let mut a = Stream::new(1, Role::Source, 7);
/// let mut b = Stream::new(1, Role::Source, 7);
/// assert_eq!(a.uniform(), b.uniform());
/// ```
#[derive(Clone, Debug)]
pub struct Stream(SplitMix64);

impl Stream {
    /// Creates the stream of component `id` in this role, under `seed`.
    pub fn new(seed: u64, role: Role, id: u32) -> Self {
        let key = mix(mix(seed) ^ ((role as u64) << 32 | u64::from(id)));
        Self(SplitMix64::seed_from_u64(key))
    }

    /// The state of the generator, from which it can be continued elsewhere.
    pub fn state(&self) -> u64 {
        u64::from_le_bytes(self.0.state())
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1).
    #[inline(always)]
    pub fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// Exponential with mean 1.
    ///
    /// The draws are those of `rand_distr`'s [`Exp1`]. Its first step, which settles 98.9 % of the draws, is inlined
    /// here.
    #[inline(always)]
    pub fn exponential(&mut self) -> f64 {
        let mut next = self.0.clone();
        let bits = next.next_u64();
        let layer = usize::from(bits as u8);
        // the upper 52 bits as a fraction, without 0 and 1
        let fraction = f64::from_bits(bits >> 12 | 1.0_f64.to_bits()) - (1.0 - f64::EPSILON / 2.0);
        let draw = fraction * EXPONENTIAL[layer];
        if draw < EXPONENTIAL[layer + 1] {
            self.0 = next;
            return draw;
        }
        self.rare_exponential()
    }

    #[cold]
    #[inline(never)]
    fn rare_exponential(&mut self) -> f64 {
        Exp1.sample(&mut self.0)
    }

    /// Normal with mean 0 and variance 1.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Uniform in [0, `below`); zero if `below` is zero. Spans above 106 days are clamped to 106 days.
    #[inline(always)]
    pub fn time_below(&mut self, below: Time) -> Time {
        // converting between a float and an i64 takes few instructions; with a u64 it takes about a dozen
        let picos = below.as_picos().min(i64::MAX as u64) as i64;
        Time::from_picos((self.uniform() * picos as f64) as i64 as u64)
    }
}

/// A 64-bit bijection that maps nearby keys to distant values (the finalizer of MurmurHash3).
const fn mix(mut key: u64) -> u64 {
    key = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    key = (key ^ (key >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    key = (key ^ (key >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    key ^ (key >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u32 = 200_000;

    /// Four standard errors of the mean of `DRAWS` draws with standard deviation `sd`. The error of the mean exceeds
    /// this value for one seed in 15,000.
    fn tolerance(sd: f64) -> f64 {
        4.0 * sd / f64::from(DRAWS).sqrt()
    }

    /// Validates: uniform, exponential and normal draws have the expected means.
    /// Source: the definitions of the distributions.
    /// Tolerance: four standard errors at a fixed seed.
    #[test]
    fn draws_have_their_means() {
        let mut stream = Stream::new(1, Role::Source, 0);
        let n = f64::from(DRAWS);
        let uniform = (0..DRAWS).map(|_| stream.uniform()).sum::<f64>() / n;
        assert!((uniform - 0.5).abs() < tolerance((1.0_f64 / 12.0).sqrt()), "{uniform}");
        let gaps: Vec<f64> = (0..DRAWS).map(|_| stream.exponential()).collect();
        let mean = gaps.iter().sum::<f64>() / n;
        assert!((mean - 1.0).abs() < tolerance(1.0), "{mean}");
        let square = gaps.iter().map(|gap| gap * gap).sum::<f64>() / n;
        assert!((square - 2.0).abs() < tolerance(20.0_f64.sqrt()), "{square}");
        let normal: Vec<f64> = (0..DRAWS).map(|_| stream.normal()).collect();
        let mean = normal.iter().sum::<f64>() / n;
        assert!(mean.abs() < tolerance(1.0), "{mean}");
        let square = normal.iter().map(|draw| draw * draw).sum::<f64>() / n;
        assert!((square - 1.0).abs() < tolerance(2.0_f64.sqrt()), "{square}");
    }

    /// Validates: every draw, and the state of the stream after it, equals that of `rand_distr`.
    /// Source: `rand_distr::Exp1`.
    /// Tolerance: exact, over 3 million draws, of which about 33,000 need more than one step.
    #[test]
    fn exponential_draws_equal_those_of_rand_distr() {
        for seed in 0..30 {
            let mut stream = Stream::new(seed, Role::Source, 0);
            let mut reference = stream.0.clone();
            for _ in 0..100_000 {
                let expected: f64 = Exp1.sample(&mut reference);
                assert_eq!(stream.exponential().to_bits(), expected.to_bits());
                assert_eq!(stream.0, reference);
            }
        }
    }

    #[test]
    fn times_are_below_their_bound() {
        let mut stream = Stream::new(1, Role::Sender, 0);
        assert_eq!(stream.time_below(Time::ZERO), Time::ZERO);
        for _ in 0..1_000 {
            assert!(stream.time_below(Time::from_picos(3)) < Time::from_picos(3));
            assert!(stream.time_below(Time::MAX) < Time::from_picos(1 << 63));
        }
    }

    #[test]
    fn neighbouring_streams_are_unlike() {
        let n = f64::from(DRAWS);
        let (mut a, mut b) = (Stream::new(1, Role::Source, 0), Stream::new(1, Role::Source, 1));
        let product = (0..DRAWS).map(|_| (a.uniform() - 0.5) * (b.uniform() - 0.5)).sum::<f64>() / n;
        assert!(product.abs() < tolerance(1.0 / 12.0), "{product}");
    }
}
