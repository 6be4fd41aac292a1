//! The over-use detector: whether the queueing delay of the path grows, with an adaptive threshold.
//!
//! draft-ietf-rmcat-gcc-02, section 5.4; Carlucci, De Cicco, Holmer and Mascolo, "Analysis and Design of the Google Congestion
//! Control for WebRTC", MMSys 2016. The draft compares `m` with the threshold. As in WebRTC (`OveruseDetector`), we
//! compare `m` times the number of estimates, up to 60: `m` is the growth of the delay in a group, and with the initial threshold
//! of 12.5 ms only a sender with a third more than the rate of the path would be detected at 30 groups per second. Also as there,
//! a gap of more than 100 ms changes the threshold as 100 ms do.

use super::arrival::Estimate;

/// `del_var_th(0)`, in ms.
const FIRST_THRESHOLD: f64 = 12.5;
/// Bounds of the threshold in ms.
const THRESHOLDS: (f64, f64) = (6.0, 600.0);
/// `overuse_time_th`: how long the estimate must be above the threshold, in ms.
const OVERUSE_TIME: f64 = 10.0;
/// `K_u` and `K_d`: how fast the threshold follows a larger and a smaller estimate, per ms.
const GAIN_UP: f64 = 0.01;
const GAIN_DOWN: f64 = 0.000_18;
/// An estimate this far above the threshold does not change it, in ms.
const OUTLIER: f64 = 15.0;
/// Number of estimates that count.
const MOST_COUNTED: u64 = 60;
/// Longest time between groups that changes the threshold, in ms.
const LONGEST_GAP: f64 = 100.0;

/// What the detector signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signal {
    /// The delay is constant.
    #[default]
    Normal,
    /// The delay grows: more is sent than the path carries.
    Overuse,
    /// The delay falls: a queue empties.
    Underuse,
}

impl Signal {
    /// The names of all signals.
    pub(crate) const NAMES: &'static [&'static str] = &["normal", "overuse", "underuse"];
}

#[derive(Clone, Debug)]
pub(super) struct Detector {
    /// In ms.
    pub(super) threshold: f64,
    pub(super) signal: Signal,
    /// The last estimate, scaled, in ms.
    pub(super) estimate: f64,
    gradient: f64,
    /// How long the estimate has been above the threshold, in ms.
    above: Option<f64>,
}

impl Detector {
    pub(super) const fn new() -> Self {
        Self { threshold: FIRST_THRESHOLD, signal: Signal::Normal, estimate: 0.0, gradient: 0.0, above: None }
    }

    /// Takes note of an estimate.
    pub(super) fn update(&mut self, Estimate { gradient, count, elapsed }: Estimate) {
        let estimate = gradient * count.min(MOST_COUNTED) as f64;
        let distance = estimate.abs() - self.threshold;
        if distance <= OUTLIER {
            let gain = if distance < 0.0 { GAIN_DOWN } else { GAIN_UP };
            let moved = self.threshold + elapsed.min(LONGEST_GAP) * gain * distance;
            self.threshold = moved.clamp(THRESHOLDS.0, THRESHOLDS.1);
        }
        if estimate > self.threshold {
            let above = self.above.map_or(0.0, |above| above + elapsed);
            self.above = Some(above);
            if above >= OVERUSE_TIME && gradient >= self.gradient {
                self.signal = Signal::Overuse;
            }
        } else {
            self.above = None;
            self.signal = if estimate < -self.threshold { Signal::Underuse } else { Signal::Normal };
        }
        (self.estimate, self.gradient) = (estimate, gradient);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(detector: &mut Detector, gradient: f64, elapsed: f64) -> Signal {
        detector.update(Estimate { gradient, count: 100, elapsed });
        detector.signal
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    /// Validates: an estimate of 24 ms, 60 times 0.4, is an over-use once it has lasted for 10 ms, unless it falls; the
    ///     signal stays while it is above the threshold, and ends with the first estimate below it.
    /// Source: draft-ietf-rmcat-gcc-02, section 5.4, by hand.
    /// Tolerance: exact.
    #[test]
    fn overuse_must_last_and_not_fall() {
        let mut detector = Detector::new();
        assert_eq!(step(&mut detector, 0.4, 8.0), Signal::Normal);
        assert_eq!(step(&mut detector, 0.41, 8.0), Signal::Normal, "8 ms");
        assert_eq!(step(&mut detector, 0.405, 8.0), Signal::Normal, "16 ms, but it falls");
        assert_eq!(step(&mut detector, 0.41, 8.0), Signal::Overuse);
        assert_eq!(step(&mut detector, 0.4, 8.0), Signal::Overuse, "it stays");
        assert_eq!(step(&mut detector, 0.0, 8.0), Signal::Normal);
        assert_eq!(step(&mut detector, -0.9, 8.0), Signal::Underuse);
    }

    /// Validates: the threshold follows the estimate with its two gains, not at all if the estimate is more than 15 ms above, and
    ///     stays between 6 and 600 ms.
    /// Source: draft-ietf-rmcat-gcc-02, section 5.4, by hand: 12.5 + 10 * 0.01 * (24 - 12.5), and 10 * 0.00018 of the
    ///     distance to 0.
    /// Tolerance: rounding.
    #[test]
    fn the_threshold_follows_the_estimate() {
        let mut detector = Detector::new();
        step(&mut detector, 0.4, 10.0);
        near(detector.threshold, 12.5 + 0.1 * 11.5);
        step(&mut detector, 0.0, 10.0);
        near(detector.threshold, 13.65 - 0.0018 * 13.65);
        let before = detector.threshold;
        step(&mut detector, 0.5, 10.0);
        near(detector.threshold, before);
        for _ in 0..10_000 {
            step(&mut detector, 0.0, 1e6);
        }
        near(detector.threshold, 6.0);
    }
}
