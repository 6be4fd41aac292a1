//! Single packets at exponential intervals; the first after one interval.

use ackclock_units::{Stream, Time};

use super::{Emission, Source};

#[derive(Clone, Debug)]
pub(crate) struct Poisson {
    mean_gap: f64,
}

impl Poisson {
    pub(super) fn new(rate: f64) -> Self {
        Self { mean_gap: 1.0 / rate }
    }

    /// The first emission of a source that starts at `now`: nothing yet.
    pub(super) fn start(&self, now: Time, stream: &mut Stream) -> Emission {
        Emission { packets: 0, next: Some(now.saturating_add(self.gap(stream))) }
    }

    /// Draws the time from one packet to the next.
    #[inline(always)]
    pub(crate) fn gap(&self, stream: &mut Stream) -> Time {
        Time::from_secs_f64(self.mean_gap * stream.exponential())
    }
}

impl Source for Poisson {
    fn emit(&mut self, now: Time, stream: &mut Stream) -> Emission {
        Emission { packets: 1, next: Some(now.saturating_add(self.gap(stream))) }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;

    use super::*;

    /// Validates: counts of a Poisson source have mean and variance equal to the rate.
    /// Source: the Poisson distribution.
    /// Tolerance: four standard errors, at a fixed seed.
    #[test]
    fn counts_per_second_have_mean_and_variance_equal_to_the_rate() {
        let (mut source, mut stream) = (Poisson::new(100.0), Stream::new(3, Role::Source, 0));
        let mut counts = vec![0_u32; 2_000];
        let first = source.start(Time::ZERO, &mut stream);
        assert_eq!(first.packets, 0);
        let mut now = first.next.expect("a Poisson source never ends");
        loop {
            let emission = source.emit(now, &mut stream);
            if let Some(count) = counts.get_mut(now.as_secs_f64() as usize) {
                *count += emission.packets as u32;
            } else {
                break;
            }
            now = emission.next.expect("a Poisson source never ends");
        }
        let n = counts.len() as f64;
        let mean = counts.iter().map(|count| f64::from(*count)).sum::<f64>() / n;
        let variance = counts.iter().map(|count| (f64::from(*count) - mean).powi(2)).sum::<f64>() / n;
        // four standard errors: 4 * sqrt(100 / 2000) and about 4 * 100 * sqrt(2 / 2000)
        assert!((mean - 100.0).abs() < 0.9, "{mean}");
        assert!((variance - 100.0).abs() < 12.7, "{variance}");
    }
}
