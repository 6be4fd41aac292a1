//! The minimum of the samples of a time span, in constant memory.

use ackclock_units::Time;

/// Kathleen Nichols' estimator of a windowed minimum (Linux, `lib/win_minmax.c`): the best sample, the best one since
/// then, and the best one since that. Later samples replace them so that each covers another part of the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minimum {
    best: [(Time, f64); 3],
}

impl Default for Minimum {
    fn default() -> Self {
        Self { best: [(Time::ZERO, f64::INFINITY); 3] }
    }
}

impl Minimum {
    /// The minimum; infinite before the first sample.
    pub(super) const fn get(&self) -> f64 {
        self.best[0].1
    }

    /// Takes a sample, and forgets those that are older than `span`.
    pub(super) fn update(&mut self, now: Time, value: f64, span: Time) {
        let sample = (now, value);
        let best = &mut self.best;
        if value <= best[0].1 || now - best[2].0 > span {
            *best = [sample; 3];
            return;
        }
        if value <= best[1].1 {
            (best[1], best[2]) = (sample, sample);
        } else if value <= best[2].1 {
            best[2] = sample;
        }
        let age = now - best[0].0;
        if age > span {
            *best = [best[1], best[2], sample];
            if now - best[0].0 > span {
                *best = [best[1], best[2], sample];
            }
        } else if best[1].0 == best[0].0 && age.saturating_mul(4) > span {
            (best[1], best[2]) = (sample, sample);
        } else if best[2].0 == best[1].0 && age.saturating_mul(2) > span {
            best[2] = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The estimate is a sample of the span: not below their minimum, and not above the newest one. It is usually not above
        /// the minimum of the last quarter of the span, but in Linux, too, it misses lower samples if its spare ones also
        /// become too old.
        #[test]
        fn it_is_near_the_minimum_of_the_span(samples in prop::collection::vec((1_u64..20, 1_u32..100), 1..200)) {
            let span = Time::from_millis(100);
            let (mut minimum, mut now, mut past) = (Minimum::default(), Time::ZERO, Vec::new());
            for (millis, value) in samples {
                now += Time::from_millis(millis);
                past.push((now, f64::from(value)));
                minimum.update(now, f64::from(value), span);
                let recent = past.iter().filter(|(at, _)| now - *at <= span);
                let least = recent.map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
                prop_assert!(least <= minimum.get() && minimum.get() <= f64::from(value), "{past:?}");
                prop_assert!(past.iter().any(|(at, value)| now - *at <= span && *value == minimum.get()), "{past:?}");
            }
        }
    }
}
