//! On and off periods: packets at equal intervals while on, none while off.
//!
//! The aggregate of many such sources with Pareto periods of shape a < 2 is self-similar with H = (3 - a) / 2 (Taqqu,
//! Willinger and Sherman, "Proof of a Fundamental Result in Self-Similar Traffic Modeling", CCR 1997).
//!
//! The source is a clock of constant rate that stops while off: a packet is due whenever the clock has run for another
//! 1 / rate. The mean rate is therefore `rate * on / (on + off)` for any periods. ns-2's `Application/Traffic/Pareto`
//! and `Exponential` (`tools/pareto.cc`, `tools/expoo.cc`) differ if on periods hold only a few packets: they draw a
//! burst as a whole number of packets, rounded and at least 1, so that short bursts exceed the configured rate. Here a
//! burst may be empty, and the remainder of an interval continues in the next on period. As in ns-2 the source begins
//! with an off period, and the first packet comes one interval after it. If periods have infinite variance, this
//! initial state decays slowly.

use ackclock_units::{Stream, Time};

use super::{Distribution, Emission, Source};

#[derive(Clone, Debug)]
pub(crate) struct OnOff {
    /// Packets per second while on.
    rate: f64,
    on: Distribution,
    off: Distribution,
    emitted: u64,
    /// Total time that the source has been on, up to the next poll.
    worked: Time,
    /// Remaining time of the on period at the next poll.
    left: Time,
    /// Whether a packet is due at the next poll; otherwise an on period begins.
    is_due: bool,
}

impl OnOff {
    pub(super) const fn new(rate: f64, on: Distribution, off: Distribution) -> Self {
        Self { rate, on, off, emitted: 0, worked: Time::ZERO, left: Time::ZERO, is_due: false }
    }
}

impl Source for OnOff {
    fn emit(&mut self, now: Time, stream: &mut Stream) -> Emission {
        let packets = u64::from(self.is_due);
        self.emitted += packets;
        // relative to the beginning, not to the last packet, so that rounding errors do not accumulate
        let due = Time::from_secs_f64((self.emitted + 1) as f64 / self.rate);
        let interval = due.saturating_sub(self.worked);
        self.is_due = interval <= self.left;
        let wait = if self.is_due {
            self.left = self.left - interval;
            self.worked = due;
            interval
        } else {
            let rest = self.left;
            self.worked = self.worked.saturating_add(rest);
            let off = Time::from_secs_f64(self.off.draw(stream));
            self.left = Time::from_secs_f64(self.on.draw(stream));
            rest.saturating_add(off)
        };
        Emission { packets, next: Some(now.saturating_add(wait)) }
    }
}

#[cfg(test)]
mod tests {
    use std::iter::from_fn;

    use ackclock_units::Role;
    use proptest::prelude::*;

    use super::*;
    use crate::source::distribution::tests::{distributions, kolmogorov, pareto_cdf};

    /// The packet times of a source.
    fn times(mut source: OnOff, seed: u64, until: Time) -> impl Iterator<Item = Time> {
        let (mut stream, mut next) = (Stream::new(seed, Role::Source, 0), Some(Time::ZERO));
        from_fn(move || {
            while let Some(now) = next.filter(|now| *now < until) {
                let emission = source.emit(now, &mut stream);
                next = emission.next;
                if emission.packets == 1 {
                    return Some(now);
                }
            }
            None
        })
    }

    /// Validates: the on and the off periods of an on/off source have the given distributions; within an on period
    ///   packets come at equal intervals.
    /// Source: the definition; the Pareto distribution.
    /// Tolerance: the 99.9 % level of the Kolmogorov-Smirnov test over 4,000 s at a fixed seed; for on periods plus the
    ///   error of their observed length, at most one packet interval, which is a thousandth of the shortest period.
    #[test]
    fn periods_have_their_distributions() {
        let on = Distribution::Pareto { mean: 0.5, shape: 1.4 };
        let off = Distribution::Pareto { mean: 0.3, shape: 1.2 };
        let interval = 0.5 * 0.4 / 1.4 / 1e3;
        let mut times = times(OnOff::new(1.0 / interval, on, off), 11, Time::SECOND.saturating_mul(4_000));
        let mut first = times.next().expect("packets");
        let (mut last, mut silences, mut bursts) = (first, Vec::new(), Vec::new());
        for time in times {
            let gap = (time - last).as_secs_f64() - interval;
            if gap > 1e-9 {
                silences.push(gap);
                bursts.push((last - first).as_secs_f64() + interval);
                first = time;
            } else {
                assert!(gap.abs() < 2e-12, "{gap}");
            }
            last = time;
        }
        let periods = silences.len() as f64;
        let distances = [kolmogorov(silences, pareto_cdf(0.3, 1.2)), kolmogorov(bursts, pareto_cdf(0.5, 1.4))];
        println!("measured: {distances:.2?} of {periods} periods");
        assert!(periods > 4_000.0);
        assert!(distances[0] < 1.95, "off: {}", distances[0]);
        // an on period is known to one interval, 1e-3 * least; the density is at most shape / least
        assert!(distances[1] < 1.95 + 1.4e-3 * periods.sqrt(), "on: {}", distances[1]);
    }

    /// Validates: an on/off source sends at `rate * on / (on + off)` on average, even if bursts are shorter than a
    ///   packet interval.
    /// Source: the renewal-reward theorem; for exponential periods the time spent on in a long time t has the variance
    ///   `2 (on off)^2 / (on + off)^3 t`.
    /// Tolerance: four standard errors of 20,000 s at a fixed seed, plus one packet.
    #[test]
    fn the_mean_rate_is_the_share_of_the_time_that_it_is_on() {
        let mean = |mean| Distribution::Exponential { mean };
        for (on, off, rate) in [(0.3, 0.7, 100.0), (0.001, 0.009, 200.0), (2.0, 0.5, 3.0)] {
            let seconds = 20_000;
            let sent =
                times(OnOff::new(rate, mean(on), mean(off)), 3, Time::SECOND.saturating_mul(seconds)).count() as f64;
            let expected = seconds as f64 * rate * on / (on + off);
            let sd = rate * (2.0 * (on * off).powi(2) / (on + off).powi(3) * seconds as f64).sqrt();
            println!("measured: {sent} packets for {expected:.0}");
            assert!((sent - expected).abs() < 4.0 * sd + 1.0, "{sent} for {expected}");
        }
    }

    proptest! {
        #[test]
        fn time_never_runs_back(
            rate in (-6.0_f64..9.0).prop_map(|exponent| 10_f64.powf(exponent)),
            on in distributions(),
            off in distributions(),
            seed in any::<u64>(),
        ) {
            let (mut source, mut stream) = (OnOff::new(rate, on, off), Stream::new(seed, Role::Source, 0));
            let mut now = Time::ZERO;
            for _ in 0..1_000 {
                let Emission { packets, next } = source.emit(now, &mut stream);
                prop_assert!(packets <= 1);
                prop_assert!(next.is_some_and(|next| next >= now));
                now = next.unwrap_or(now);
            }
            prop_assert!(now > Time::ZERO);
        }
    }
}
