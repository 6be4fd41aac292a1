//! Packets whose rate follows fractional Gaussian noise: exactly self-similar traffic of any Hurst parameter.
//!
//! In each bin packets arrive as a Poisson process with rate `rate * max(0, 1 + cov * g)`, where `g` is the bin's value
//! of fractional Gaussian noise with mean 0, variance 1 and autocovariance `(|k + 1|^2H - 2 |k|^2H + |k - 1|^2H) / 2`.
//! The noise is exact: it is drawn for the whole run at once by circulant embedding (Davies and Harte, "Tests for Hurst
//! effect", Biometrika 1987; Dietrich and Newsam 1997). Negative rates are clipped to 0. With `cov` = 0.5 this raises
//! the mean by 0.4 % and reduces the variation of the rate by 0.8 %; with `cov` = 1, by 8 % and 17 %.
//!
//! Counts per bin have the variance `rate * bin + (rate * bin * cov)^2`. The first term, from the Poisson process, is
//! independent from bin to bin.

use std::sync::Arc;

use ackclock_units::{Stream, Time};
use rustfft::algorithm::Radix4;
use rustfft::algorithm::butterflies::Butterfly8;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection};
use serde::{Deserialize, Serialize};

use super::{Emission, MAX_RATE, Source};

/// The noise, and the mean rate that it modulates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FractionalSpec {
    /// Mean packets per second.
    pub rate: f64,
    /// The Hurst parameter, above 0 and below 1: independent bins at 0.5, long-range dependence above.
    pub hurst: f64,
    /// Standard deviation of the rate divided by its mean.
    pub cov: f64,
    /// Duration of a bin, in which the rate is constant.
    pub bin: Time,
    /// Number of bins; the source ends after the last bin.
    pub bins: u32,
}

/// Maximum number of bins per source: drawing them takes a few hundred megabytes temporarily.
const MAX_BINS: u32 = 1 << 22;

/// Coefficient of variation below which the mean rate ignores clipping: at 0.1, the rate is below 0 once in 1e23 bins.
const NEVER_BELOW_ZERO: f64 = 0.1;

impl FractionalSpec {
    /// Mean packets per second: slightly above `rate`, because negative rates are clipped to 0.
    pub(super) fn mean_rate(&self) -> f64 {
        let Self { rate, cov, .. } = *self;
        if cov < NEVER_BELOW_ZERO {
            return rate;
        }
        let zero = 1.0 / cov;
        let density = libm::exp(-zero * zero / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        rate * (f64::midpoint(1.0, libm::erf(zero / std::f64::consts::SQRT_2)) + cov * density)
    }

    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        if !(self.rate > 0.0 && self.rate <= MAX_RATE) {
            Err(("rate", "must be above 0 and at most 1e12 (one packet per picosecond)"))
        } else if !(self.hurst > 0.0 && self.hurst < 1.0) {
            Err(("hurst", "must be above 0 and below 1"))
        } else if !(self.cov >= 0.0 && self.cov <= 1.0) {
            Err(("cov", "must be from 0 to 1"))
        } else if self.bin == Time::ZERO {
            Err(("bin", "must be above 0 s"))
        } else if !(1..=MAX_BINS).contains(&self.bins) {
            Err(("bins", "must be from 1 to 4194304"))
        } else {
            Ok(())
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Fractional {
    spec: FractionalSpec,
    /// The noise, drawn when the source is first polled.
    noise: Vec<f32>,
    /// Time of the first poll.
    start: Time,
    /// The current bin.
    bin: usize,
}

impl Fractional {
    pub(super) const fn new(spec: FractionalSpec) -> Self {
        Self { spec, noise: Vec::new(), start: Time::ZERO, bin: 0 }
    }

    /// Heap memory in bytes.
    pub(super) const fn memory(&self) -> usize {
        self.noise.capacity() * size_of::<f32>()
    }

    /// Mean packets per second in a bin; `None` after the last bin.
    fn rate(&self, bin: usize) -> Option<f64> {
        let noise = f64::from(*self.noise.get(bin)?);
        Some(self.spec.rate * (1.0 + self.spec.cov * noise).max(0.0))
    }

    fn end(&self, bin: usize) -> Time {
        self.start.saturating_add(self.spec.bin.saturating_mul(bin as u64 + 1))
    }

    /// Time of the next packet: when the integral of the rate has grown by an exponential draw.
    fn next(&mut self, mut now: Time, stream: &mut Stream) -> Option<Time> {
        let mut left = stream.exponential();
        loop {
            let (rate, end) = (self.rate(self.bin)?, self.end(self.bin));
            let until = end.saturating_sub(now).as_secs_f64() * rate;
            if left < until {
                return Some(now.saturating_add(Time::from_secs_f64(left / rate)).min(end));
            }
            left -= until;
            now = end;
            self.bin += 1;
        }
    }
}

impl Source for Fractional {
    fn emit(&mut self, now: Time, stream: &mut Stream) -> Emission {
        let is_first = self.noise.is_empty();
        if is_first {
            self.noise = fractional_gaussian_noise(self.spec.hurst, self.spec.bins as usize, stream);
            self.start = now;
        }
        Emission { packets: u64::from(!is_first), next: self.next(now, stream) }
    }
}

/// Draws `count` values of fractional Gaussian noise. The rounding error of an `f32` is far below the sampling error of
/// a path.
fn fractional_gaussian_noise(hurst: f64, count: usize, stream: &mut Stream) -> Vec<f32> {
    // the circle is large enough that no two values are closer in the other direction around it
    let half = count.next_power_of_two();
    let mut circle: Vec<Complex<f64>> =
        (0..2 * half).map(|place| autocovariance(hurst, place.min(2 * half - place)).into()).collect();
    let fft = fourier_transform(circle.len());
    fft.process(&mut circle);
    for value in &mut circle {
        // the eigenvalues of the circulant matrix are real and, except for rounding, non-negative
        let scale = (value.re.max(0.0) / (2 * half) as f64).sqrt();
        *value = Complex::new(scale * stream.normal(), scale * stream.normal());
    }
    fft.process(&mut circle);
    circle.truncate(count);
    circle.into_iter().map(|value| value.re as f32).collect()
}

/// The transform that rustfft's planner selects for a power of two. Without the planner, algorithms for other lengths are
/// not linked, which keeps the engine of a web page small.
fn fourier_transform(len: usize) -> Radix4<f64> {
    match len.trailing_zeros() {
        exponent @ 7.. if exponent % 2 == 1 => {
            Radix4::new_with_base((exponent - 3) / 2, Arc::new(Butterfly8::new(FftDirection::Forward)))
        }
        _ => Radix4::new(len, FftDirection::Forward),
    }
}

/// The autocovariance of fractional Gaussian noise at a lag.
fn autocovariance(hurst: f64, lag: usize) -> f64 {
    if lag == 0 {
        return 1.0;
    }
    // to avoid cancellation between nearly equal powers, all are computed relative to the middle one
    let (lag, exponent) = (lag as f64, 2.0 * hurst);
    let apart = |step: f64| libm::expm1(exponent * libm::log1p(step / lag));
    libm::pow(lag, exponent) * (apart(1.0) + apart(-1.0)) / 2.0
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_transform_is_the_planner_s() {
        let mut stream = Stream::new(1, Role::Source, 0);
        for exponent in 1..=13 {
            let mut values: Vec<_> =
                (0..1 << exponent).map(|_| Complex::new(stream.normal(), stream.normal())).collect();
            let mut expected = values.clone();
            fourier_transform(values.len()).process(&mut values);
            rustfft::FftPlanner::new().plan_fft_forward(expected.len()).process(&mut expected);
            assert_eq!(values, expected, "of 2^{exponent} values");
        }
    }

    /// As the scenario's `FractionalNoise` documents: at a c.o.v. of 1, clipping increases the mean rate by 8 %.
    #[test]
    fn clipping_increases_the_mean_rate() {
        let mean = |cov| FractionalSpec { rate: 100.0, hurst: 0.8, cov, bin: Time::SECOND, bins: 1 }.mean_rate();
        assert_eq!(mean(0.09), 100.0);
        assert!((mean(0.5) - 100.4).abs() < 0.05 && (mean(1.0) - 108.3).abs() < 0.05);
    }

    fn spec(hurst: f64, cov: f64, bins: u32) -> FractionalSpec {
        FractionalSpec { rate: 100.0, hurst, cov, bin: Time::from_millis(100), bins }
    }

    /// Number of packets in each bin.
    fn counts(spec: FractionalSpec, seed: u64) -> Vec<f64> {
        let (mut source, mut stream) = (Fractional::new(spec), Stream::new(seed, Role::Source, 0));
        let mut counts = vec![0.0; spec.bins as usize];
        let mut next = Some(Time::ZERO);
        while let Some(now) = next {
            let emission = source.emit(now, &mut stream);
            if emission.packets > 0 {
                let bin = now.as_picos() / spec.bin.as_picos();
                counts[(bin as usize).min(spec.bins as usize - 1)] += 1.0;
            }
            next = emission.next;
        }
        counts
    }

    #[test]
    fn the_autocovariance_is_that_of_the_definition() {
        for hurst in [0.3, 0.5, 0.7, 0.9, 0.99] {
            for lag in [1, 2, 3, 10, 1000] {
                let (k, exponent) = (lag as f64, 2.0 * hurst);
                let expected = 0.5 * ((k + 1.0).powf(exponent) - 2.0 * k.powf(exponent) + (k - 1.0).powf(exponent));
                let found = autocovariance(hurst, lag);
                assert!((found - expected).abs() < 1e-9, "{hurst} {lag}: {found} {expected}");
            }
            // asymptotically H (2H - 1) k^(2H - 2)
            let far = hurst * (2.0 * hurst - 1.0) * 1e6_f64.powf(2.0 * hurst - 2.0);
            assert!((autocovariance(hurst, 1_000_000) - far).abs() <= 1e-4 * far.abs() + 1e-12, "{hurst}");
        }
    }

    /// Validates: fractional Gaussian noise has the correct variance and autocovariance, and the standard deviation of
    ///   its sums grows with their length to the power H.
    /// Source: the definition; Davies and Harte 1987.
    /// Tolerance: four standard errors over 4,000 paths at a fixed seed; products of two normal draws have a standard
    ///   deviation of at most the root of 2.
    #[test]
    fn noise_has_its_covariance() {
        let (paths, length) = (4_000, 48);
        for hurst in [0.5, 0.7, 0.9] {
            let mut stream = Stream::new(5, Role::Source, 0);
            let drawn: Vec<Vec<f32>> =
                (0..paths).map(|_| fractional_gaussian_noise(hurst, length, &mut stream)).collect();
            let mean_of =
                |value: &dyn Fn(&[f32]) -> f64| drawn.iter().map(|path| value(path)).sum::<f64>() / f64::from(paths);
            let error = 4.0 * (2.0 / f64::from(paths)).sqrt();
            for lag in [0, 1, 7, 47] {
                let found = mean_of(&|path| f64::from(path[0]) * f64::from(path[lag]));
                assert!((found - autocovariance(hurst, lag)).abs() < error, "{hurst} {lag}: {found}");
            }
            let sums = mean_of(&|path| path.iter().map(|value| f64::from(*value)).sum::<f64>().powi(2));
            let expected = (length as f64).powf(2.0 * hurst);
            assert!((sums / expected - 1.0).abs() < error, "{hurst}: {sums} for {expected}");
        }
    }

    /// Validates: packets modulated by fractional Gaussian noise have the mean and the variance per bin that theory
    ///   predicts.
    /// Source: a Poisson process with a random rate: the variance of a count is its mean plus the variance of the
    ///   expected count.
    /// Tolerance: 2 % of the mean, whose standard error is 0.4 % with H = 0.6 and 65,536 bins; 10 % of the variance.
    #[test]
    fn counts_have_their_mean_and_variance() {
        let found = counts(spec(0.6, 0.3, 1 << 16), 9);
        let n = found.len() as f64;
        let mean = found.iter().sum::<f64>() / n;
        let variance = found.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / n;
        println!("measured: mean {mean:.3}, variance {variance:.2}");
        assert!((mean / 10.0 - 1.0).abs() < 0.02, "{mean}");
        assert!((variance / (10.0 + 9.0) - 1.0).abs() < 0.1, "{variance}");
    }

    #[test]
    fn without_variation_it_is_a_poisson_process() {
        let found = counts(spec(0.9, 0.0, 1 << 14), 2);
        let n = found.len() as f64;
        let mean = found.iter().sum::<f64>() / n;
        let variance = found.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / n;
        // four standard errors: 4 * sqrt(10 / 16384), and about 4 * 10 * sqrt(2 / 16384)
        assert!((mean - 10.0).abs() < 0.1, "{mean}");
        assert!((variance - 10.0).abs() < 0.45, "{variance}");
    }

    proptest! {
        #[test]
        fn time_never_runs_back_and_the_source_ends(
            rate in (-6.0_f64..6.0).prop_map(|exponent| 10_f64.powf(exponent)),
            hurst in 0.01_f64..0.99,
            cov in 0.0_f64..1.0,
            bins in 1_u32..200,
            bin in 1_u64..100_000_000,
            seed in any::<u64>(),
        ) {
            let spec = FractionalSpec { rate, hurst, cov, bin: Time::from_picos(bin), bins };
            prop_assert_eq!(spec.check(), Ok(()));
            let (mut source, mut stream) = (Fractional::new(spec), Stream::new(seed, Role::Source, 0));
            let (mut now, end) = (Time::SECOND, Time::SECOND.saturating_add(spec.bin.saturating_mul(u64::from(bins))));
            for _ in 0..100_000 {
                let emission = source.emit(now, &mut stream);
                let Some(next) = emission.next else { return Ok(()) };
                prop_assert!(next >= now && next <= end);
                now = next;
            }
        }
    }
}
