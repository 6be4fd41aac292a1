//! Distributions for sources: durations in seconds, sizes in packets.

use std::sync::Arc;

use ackclock_units::Stream;
use serde::{Deserialize, Serialize};

/// A distribution of positive numbers, parametrized by its mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Distribution {
    /// A constant.
    Fixed {
        /// The value.
        mean: f64,
    },
    /// Exponential.
    Exponential {
        /// The mean.
        mean: f64,
    },
    /// Pareto (of the first kind): above `least`, the probability of exceeding x is `(least / x)^shape`, and the mean
    /// is `least * shape / (shape - 1)`. The variance is infinite for a shape of 2 or less.
    Pareto {
        /// The mean.
        mean: f64,
        /// The shape, above 1; a smaller shape gives a heavier tail.
        shape: f64,
    },
    /// Lognormal: the logarithm is normal with standard deviation `sigma` and mean `ln(mean) - sigma^2 / 2`.
    Lognormal {
        /// The mean.
        mean: f64,
        /// The standard deviation of the logarithm.
        sigma: f64,
    },
    /// A distribution given by points of its cumulative distribution function, with linear interpolation.
    Table(Arc<Table>),
}

/// Points of a cumulative distribution function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Values, non-decreasing; the smallest and the largest are the ends of the range.
    pub values: Vec<f64>,
    /// Cumulative fraction up to each value: increasing, and 1 at the last value. If the first is above 0, it is the
    /// probability of the first value.
    pub shares: Vec<f64>,
}

impl Distribution {
    /// Validates the values.
    ///
    /// # Errors
    /// The problem.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let is_positive = |mean: f64| mean > 0.0 && mean.is_finite();
        match self {
            Self::Fixed { mean }
            | Self::Exponential { mean }
            | Self::Pareto { mean, .. }
            | Self::Lognormal { mean, .. }
                if !is_positive(*mean) =>
            {
                Err("its mean must be above 0")
            }
            Self::Pareto { shape, .. } if !(*shape > 1.0 && shape.is_finite()) => {
                Err("its shape must be above 1; otherwise the mean is infinite")
            }
            Self::Lognormal { sigma, .. } if !is_positive(*sigma) => Err("its sigma must be above 0"),
            Self::Table(table) => table.check(),
            _ => Ok(()),
        }
    }

    /// The mean.
    pub(crate) fn mean(&self) -> f64 {
        match self {
            Self::Fixed { mean }
            | Self::Exponential { mean }
            | Self::Pareto { mean, .. }
            | Self::Lognormal { mean, .. } => *mean,
            Self::Table(table) => table.mean(),
        }
    }

    /// Draws a value.
    pub(crate) fn draw(&self, stream: &mut Stream) -> f64 {
        match self {
            Self::Fixed { mean } => *mean,
            Self::Exponential { mean } => mean * stream.exponential(),
            // by inversion: the negative logarithm of a uniform number is exponential
            Self::Pareto { mean, shape } => mean * (shape - 1.0) / shape * libm::exp(stream.exponential() / shape),
            Self::Lognormal { mean, sigma } => mean * libm::exp(sigma * (stream.normal() - sigma / 2.0)),
            Self::Table(table) => table.at(stream.uniform()),
        }
    }
}

impl Table {
    fn check(&self) -> Result<(), &'static str> {
        let Self { values, shares } = self;
        let is_number = |value: &f64| *value >= 0.0 && value.is_finite();
        if values.len() != shares.len() || values.is_empty() || !values.iter().chain(shares).all(is_number) {
            return Err("it must have as many shares as values, all 0 or more");
        }
        if !values.is_sorted() || !shares.is_sorted_by(|a, b| a < b) || shares.last() != Some(&1.0) {
            return Err("its values must not decrease, and its shares must increase to 1");
        }
        if values.last() == Some(&0.0) { Err("its largest value must be above 0") } else { Ok(()) }
    }

    fn mean(&self) -> f64 {
        let Self { values, shares } = self;
        let lines = values.windows(2).zip(shares.windows(2));
        let rest = lines.map(|(ends, parts)| f64::midpoint(ends[0], ends[1]) * (parts[1] - parts[0])).sum::<f64>();
        values[0] * shares[0] + rest
    }

    /// The `u` quantile; `u` is below 1.
    fn at(&self, u: f64) -> f64 {
        let Self { values, shares } = self;
        let above = shares.partition_point(|share| *share <= u);
        let Some(below) = above.checked_sub(1) else { return values[0] };
        let part = (u - shares[below]) / (shares[above] - shares[below]);
        values[below] + part * (values[above] - values[below])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use ackclock_units::Role;
    use proptest::prelude::*;

    use super::*;

    /// Kolmogorov's distance between a sample and a distribution function, times the square root of the sample size. If
    /// the sample is from that distribution, this statistic exceeds 1.95 with probability 0.001 (Kolmogorov 1933).
    pub(crate) fn kolmogorov(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
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

    /// Random distributions of every kind.
    pub(in crate::source) fn distributions() -> impl Strategy<Value = Distribution> {
        let means = || (-6.0_f64..6.0).prop_map(|exponent| 10_f64.powf(exponent));
        prop_oneof![
            means().prop_map(|mean| Distribution::Fixed { mean }),
            means().prop_map(|mean| Distribution::Exponential { mean }),
            (means(), 1.01_f64..100.0).prop_map(|(mean, shape)| Distribution::Pareto { mean, shape }),
            (means(), 0.01_f64..5.0).prop_map(|(mean, sigma)| Distribution::Lognormal { mean, sigma }),
            (means(), 0.0_f64..0.99).prop_map(|(most, share)| {
                let table = Table { values: vec![most / 9.0, most / 3.0, most], shares: vec![share, 0.99, 1.0] };
                Distribution::Table(Arc::new(table))
            }),
        ]
    }

    /// The normal distribution function, with an error below 1e-7 (Abramowitz and Stegun, 26.2.17).
    fn normal_cdf(x: f64) -> f64 {
        let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
        let powers = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
        let sum = powers.iter().rev().fold(0.0, |sum, factor| t * (factor + sum));
        let above = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum;
        if x > 0.0 { 1.0 - above } else { above }
    }

    /// Validates: lognormal draws have the given distribution and mean.
    /// Source: the logarithm is normally distributed; the mean is `exp(mu + sigma^2 / 2)`, and the variance
    ///   `mean^2 (exp(sigma^2) - 1)`.
    /// Tolerance: the 99.9 % level of the Kolmogorov-Smirnov test, and four standard errors of the mean; 100,000 draws
    ///   at a fixed seed.
    #[test]
    fn lognormal_draws_have_their_distribution() {
        for sigma in [0.5_f64, 1.5] {
            let sample = drawn(&Distribution::Lognormal { mean: 7.0, sigma });
            let n = DRAWS as f64;
            let apart = (sample.iter().sum::<f64>() / n / 7.0 - 1.0).abs() / ((sigma * sigma).exp_m1() / n).sqrt();
            let mu = 7.0_f64.ln() - sigma * sigma / 2.0;
            let distance = kolmogorov(sample, |x| normal_cdf((x.ln() - mu) / sigma));
            println!("measured: sigma {sigma}: {distance:.2}, {apart:.1} standard errors");
            assert!(distance < 1.95 && apart < 4.0);
        }
    }

    /// Validates: draws from a table are linearly interpolated between its points, and its first value has the given
    /// probability.
    /// Source: the points of the table.
    /// Tolerance: the 99.9 % level of the Kolmogorov-Smirnov test, 100,000 draws at a fixed seed; four standard errors
    ///   for the fraction at the first point.
    #[test]
    fn draws_of_a_table_have_its_distribution() {
        let (values, shares) = (vec![1.0, 2.0, 2.0, 10.0, 100.0], vec![0.0, 0.3, 0.5, 0.9, 1.0]);
        let table = Distribution::Table(Arc::new(Table { values, shares }));
        let sample = drawn(&table);
        // means of the pieces 1 to 2, exactly 2, 2 to 10, and 10 to 100
        assert!((table.mean() - (0.3 * 1.5 + 0.2 * 2.0 + 0.4 * 6.0 + 0.1 * 55.0)).abs() < 1e-9);
        // the distribution function jumps at 2: the test covers the draws above 2 and the number of draws at 2
        let (above, at): (Vec<f64>, Vec<f64>) = sample.iter().filter(|x| **x >= 2.0).partition(|x| **x > 2.0);
        let n = DRAWS as f64;
        assert!((at.len() as f64 / n - 0.2).abs() < 4.0 * (0.2_f64 * 0.8 / n).sqrt(), "{}", at.len());
        assert!((above.len() as f64 / n - 0.5).abs() < 4.0 * 0.5 / n.sqrt(), "{}", above.len());
        let cdf = |x: f64| if x < 10.0 { (x - 2.0) / 10.0 } else { 0.8 + 0.2 * (x - 10.0) / 90.0 };
        assert!(kolmogorov(above, cdf) < 1.95);
        let mass = drawn(&Distribution::Table(Arc::new(Table { values: vec![3.0, 4.0], shares: vec![0.25, 1.0] })));
        let first = mass.iter().filter(|x| **x == 3.0).count() as f64 / n;
        assert!((first - 0.25).abs() < 4.0 * (0.25_f64 * 0.75 / n).sqrt(), "{first}");
        assert!(mass.iter().all(|x| (3.0..=4.0).contains(x)));
    }

    #[test]
    fn a_table_that_is_no_distribution_is_refused() {
        let table = |values: &[f64], shares: &[f64]| {
            Distribution::Table(Arc::new(Table { values: values.to_vec(), shares: shares.to_vec() })).check()
        };
        assert_eq!(table(&[5.0], &[1.0]), Ok(()));
        assert_eq!(table(&[0.0, 5.0, 5.0], &[0.0, 0.5, 1.0]), Ok(()));
        for (values, shares) in [
            (&[][..], &[][..]),
            (&[5.0], &[0.5]),
            (&[5.0, 4.0], &[0.5, 1.0]),
            (&[4.0, 5.0], &[1.0, 1.0]),
            (&[4.0, 5.0], &[0.5, 0.5, 1.0]),
            (&[0.0], &[1.0]),
            (&[4.0, f64::NAN], &[0.5, 1.0]),
        ] {
            assert!(table(values, shares).is_err(), "{values:?} {shares:?}");
        }
    }

    const DRAWS: usize = 100_000;

    fn drawn(distribution: &Distribution) -> Vec<f64> {
        let mut stream = Stream::new(1, Role::Source, 0);
        (0..DRAWS).map(|_| distribution.draw(&mut stream)).collect()
    }

    /// Validates: Pareto draws have the given distribution, for shapes with and without a variance.
    /// Source: the distribution function `1 - (least / x)^shape` (Arnold, Pareto Distributions, 1983).
    /// Tolerance: the 99.9 % level of the Kolmogorov-Smirnov test, 100,000 draws of each shape at a fixed seed.
    #[test]
    fn pareto_draws_have_their_distribution() {
        for shape in [1.05, 1.2, 1.5, 2.0, 4.0] {
            let distance = kolmogorov(drawn(&Distribution::Pareto { mean: 0.5, shape }), pareto_cdf(0.5, shape));
            println!("measured: shape {shape}: {distance:.2}");
            assert!(distance < 1.95, "shape {shape}: {distance}");
        }
    }

    /// Validates: the tails of Pareto draws are as heavy as the shape implies.
    /// Source: Hill (1975): above a threshold, the logarithm of a Pareto number relative to the threshold is
    ///   exponential with mean 1 / shape.
    /// Tolerance: four standard errors of Hill's estimate from the largest 2,000 of 100,000 draws: 9 % of 1 / shape.
    #[test]
    fn pareto_tails_have_their_shape() {
        for shape in [1.2, 1.5, 2.0] {
            let mut sample = drawn(&Distribution::Pareto { mean: 0.5, shape });
            sample.sort_by(|a, b| b.total_cmp(a));
            let hill = sample[..2_000].iter().map(|x| (x / sample[2_000]).ln()).sum::<f64>() / 2_000.0;
            println!("measured: {hill:.3} for {:.3}", 1.0 / shape);
            assert!((hill * shape - 1.0).abs() < 4.0 / 2_000_f64.sqrt(), "shape {shape}: {hill}");
        }
    }

    /// Validates: Pareto draws with a variance, and exponential draws, have the requested mean; exponential draws have
    ///   their distribution.
    /// Source: the definitions of the distributions.
    /// Tolerance: four standard errors of the mean, and the 99.9 % level of the Kolmogorov-Smirnov test; 100,000 draws
    ///   at a fixed seed.
    #[test]
    fn draws_have_the_mean_that_is_asked_for() {
        let n = DRAWS as f64;
        let mean = |sample: &[f64]| sample.iter().sum::<f64>() / n;
        // with shape 4 the variance is 1 / 8 of the squared mean
        let pareto = mean(&drawn(&Distribution::Pareto { mean: 7.0, shape: 4.0 }));
        assert!((pareto / 7.0 - 1.0).abs() < 4.0 * (0.125 / n).sqrt(), "{pareto}");
        let exponential = drawn(&Distribution::Exponential { mean: 7.0 });
        assert!((mean(&exponential) / 7.0 - 1.0).abs() < 4.0 / n.sqrt());
        assert!(kolmogorov(exponential, |x| 1.0 - (-x / 7.0).exp()) < 1.95);
        assert!(drawn(&Distribution::Fixed { mean: 7.0 }).iter().all(|x| *x == 7.0));
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
