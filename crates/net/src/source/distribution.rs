//! What sources draw: periods in seconds, sizes in packets.

use ackclock_units::Stream;
use serde::{Deserialize, Serialize};

/// A distribution of positive numbers, by its mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Distribution {
    /// Always the same.
    Fixed {
        /// The number.
        mean: f64,
    },
    /// Exponential.
    Exponential {
        /// The mean.
        mean: f64,
    },
    /// Pareto (of the first kind): above `least`, the chance to exceed x is `(least / x)^shape`, and the mean is
    /// `least * shape / (shape - 1)`. The variance is infinite for a shape of 2 or less.
    Pareto {
        /// The mean.
        mean: f64,
        /// The shape, above 1: the smaller, the heavier the tail.
        shape: f64,
    },
}

impl Distribution {
    /// Checks what types cannot tell.
    ///
    /// # Errors
    /// What is wrong.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let is_positive = |mean: f64| mean > 0.0 && mean.is_finite();
        match *self {
            Self::Fixed { mean } | Self::Exponential { mean } | Self::Pareto { mean, .. } if !is_positive(mean) => {
                Err("its mean must be above 0")
            }
            Self::Pareto { shape, .. } if !(shape > 1.0 && shape.is_finite()) => {
                Err("its shape must be above 1: up to there the mean is infinite")
            }
            _ => Ok(()),
        }
    }

    /// The next draw.
    pub(crate) fn draw(&self, stream: &mut Stream) -> f64 {
        match *self {
            Self::Fixed { mean } => mean,
            Self::Exponential { mean } => mean * stream.exponential(),
            // by inversion: minus the logarithm of a uniform number is exponential
            Self::Pareto { mean, shape } => mean * (shape - 1.0) / shape * (stream.exponential() / shape).exp(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use ackclock_units::Role;
    use proptest::prelude::*;

    use super::*;

    /// Kolmogorov's distance between a sample and a distribution function, times the root of the sample's size. At random it
    /// exceeds 1.95 once in a thousand times (Kolmogorov 1933).
    pub(in crate::source) fn kolmogorov(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
        sample.sort_by(f64::total_cmp);
        let n = sample.len() as f64;
        let apart = |(place, value): (usize, &f64)| {
            let expected = cdf(*value);
            (expected - place as f64 / n).max((place + 1) as f64 / n - expected)
        };
        sample.iter().enumerate().map(apart).fold(0.0, f64::max) * n.sqrt()
    }

    /// The distribution function of a Pareto distribution.
    pub(in crate::source) fn pareto_cdf(mean: f64, shape: f64) -> impl Fn(f64) -> f64 {
        let least = mean * (shape - 1.0) / shape;
        move |x| if x < least { 0.0 } else { 1.0 - (least / x).powf(shape) }
    }

    /// Distributions of every kind.
    pub(in crate::source) fn distributions() -> impl Strategy<Value = Distribution> {
        let means = || (-6.0_f64..6.0).prop_map(|exponent| 10_f64.powf(exponent));
        prop_oneof![
            means().prop_map(|mean| Distribution::Fixed { mean }),
            means().prop_map(|mean| Distribution::Exponential { mean }),
            (means(), 1.01_f64..100.0).prop_map(|(mean, shape)| Distribution::Pareto { mean, shape }),
        ]
    }

    const DRAWS: usize = 100_000;

    fn drawn(distribution: Distribution) -> Vec<f64> {
        let mut stream = Stream::new(1, Role::Source, 0);
        (0..DRAWS).map(|_| distribution.draw(&mut stream)).collect()
    }

    /// Validates: Pareto draws have their distribution, for shapes with and without a variance.
    /// Source: the distribution function `1 - (least / x)^shape` (Arnold, Pareto Distributions, 1983).
    /// Tolerance: the 99.9 % level of the Kolmogorov-Smirnov test, 100,000 draws of each shape at a fixed seed.
    #[test]
    fn pareto_draws_have_their_distribution() {
        for shape in [1.05, 1.2, 1.5, 2.0, 4.0] {
            let distance = kolmogorov(drawn(Distribution::Pareto { mean: 0.5, shape }), pareto_cdf(0.5, shape));
            println!("measured: shape {shape}: {distance:.2}");
            assert!(distance < 1.95, "shape {shape}: {distance}");
        }
    }

    /// Validates: Pareto draws are as heavy in the tail as their shape says.
    /// Source: Hill (1975): over a threshold the logarithm of a Pareto number is exponential with mean 1 / shape.
    /// Tolerance: four standard errors of Hill's estimate from the largest 2,000 of 100,000 draws: 9 % of 1 / shape.
    #[test]
    fn pareto_tails_have_their_shape() {
        for shape in [1.2, 1.5, 2.0] {
            let mut sample = drawn(Distribution::Pareto { mean: 0.5, shape });
            sample.sort_by(|a, b| b.total_cmp(a));
            let hill = sample[..2_000].iter().map(|x| (x / sample[2_000]).ln()).sum::<f64>() / 2_000.0;
            println!("measured: {hill:.3} for {:.3}", 1.0 / shape);
            assert!((hill * shape - 1.0).abs() < 4.0 / 2_000_f64.sqrt(), "shape {shape}: {hill}");
        }
    }

    /// Validates: Pareto draws with a variance, and exponential ones, have the mean that is asked for; exponential draws have
    ///     their distribution.
    /// Source: the distributions.
    /// Tolerance: four standard errors of 100,000 draws at a fixed seed, and the 99.9 % level of Kolmogorov-Smirnov.
    #[test]
    fn draws_have_the_mean_that_is_asked_for() {
        let n = DRAWS as f64;
        let mean = |sample: &[f64]| sample.iter().sum::<f64>() / n;
        // of shape 4: a variance of 1 / 8 of the square of the mean
        let pareto = mean(&drawn(Distribution::Pareto { mean: 7.0, shape: 4.0 }));
        assert!((pareto / 7.0 - 1.0).abs() < 4.0 * (0.125 / n).sqrt(), "{pareto}");
        let exponential = drawn(Distribution::Exponential { mean: 7.0 });
        assert!((mean(&exponential) / 7.0 - 1.0).abs() < 4.0 / n.sqrt());
        assert!(kolmogorov(exponential, |x| 1.0 - (-x / 7.0).exp()) < 1.95);
        assert!(drawn(Distribution::Fixed { mean: 7.0 }).iter().all(|x| *x == 7.0));
    }

    #[test]
    fn what_has_no_mean_is_told() {
        let pareto = |mean, shape| Distribution::Pareto { mean, shape }.check();
        assert_eq!(pareto(1.0, 1.2), Ok(()));
        assert!(pareto(1.0, 1.0).is_err_and(|problem| problem.contains("shape")));
        for mean in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(pareto(mean, 1.2).is_err_and(|problem| problem.contains("mean")));
        }
    }
}
