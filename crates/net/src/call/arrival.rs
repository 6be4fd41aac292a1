//! The arrival-time filter: how fast the queueing delay of the path grows, from the times of groups of packets.
//!
//! draft-ietf-rmcat-gcc-02, sections 5.1 to 5.3. Packets that leave within [`BURST`] form a group, and so do those that arrive
//! within it of the packet before and earlier, relative to the group before, than they left: they waited together. Between groups
//! the *delay variation* is the growth of the one-way delay, of the last packets. A Kalman filter with one state estimates
//! its mean `m`; the variance of its noise is an exponential average, in which outliers of either sign count as three standard
//! deviations. Packets out of order are ignored.
//!
//! The draft was chosen before the trendline that WebRTC uses today, because it alone specifies its filter. Where it gives a
//! range, we take `chi` = 0.01, and the group frequency is the highest of the last 60 groups, both as in WebRTC.

use ackclock_units::Time;

/// `burst_time`: packets that leave within this time form a group.
pub(super) const BURST: Time = Time::from_millis(5);
/// `q`: variance of the state noise.
const STATE_NOISE: f64 = 1e-3;
/// `e(0)`: initial variance of the estimate.
const FIRST_ERROR: f64 = 0.1;
/// `chi`: filter coefficient of the variance of the measurement noise, for 30 groups per second.
const CHI: f64 = 0.01;
/// The least variance of the measurement noise, and its initial value.
const LEAST_NOISE: f64 = 1.0;
/// Number of groups over which the highest frequency is found (`K`).
const GROUPS: usize = 60;

/// Groups of packets and the filter of their delay variation.
#[derive(Clone, Debug)]
pub(super) struct ArrivalFilter {
    /// The group that is arriving, and the last complete one.
    current: Option<Group>,
    before: Option<Group>,
    kalman: Kalman,
}

/// A group of packets: when its first packet left, and when its last one left and arrived.
#[derive(Clone, Copy, Debug)]
struct Group {
    began: Time,
    sent: Time,
    arrived: Time,
}

/// The estimate after a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    /// `m`, in ms.
    pub(super) gradient: f64,
    /// Number of estimates so far.
    pub(super) count: u64,
    /// Time between the arrivals of the last two groups, in ms.
    pub(super) elapsed: f64,
}

impl ArrivalFilter {
    pub(super) const fn new() -> Self {
        Self { current: None, before: None, kalman: Kalman::new() }
    }

    /// Takes note of a packet. Returns the new estimate if it completes a group that follows another one. A packet that left
    /// before its predecessor counts only as data.
    pub(super) fn arrived(&mut self, sent: Time, now: Time) -> Option<Estimate> {
        let Some(group) = &mut self.current else {
            self.current = Some(Group { began: sent, sent, arrived: now });
            return None;
        };
        if sent < group.sent {
            return None;
        }
        let waited = now - group.arrived < BURST && now - group.arrived < sent - group.sent;
        if sent - group.began < BURST || waited {
            (group.sent, group.arrived) = (sent, now);
            return None;
        }
        let done = *group;
        self.current = Some(Group { began: sent, sent, arrived: now });
        let before = self.before.replace(done)?;
        let (left, elapsed) = (millis(done.sent - before.sent), millis(done.arrived - before.arrived));
        let gradient = self.kalman.update(elapsed - left, left);
        Some(Estimate { gradient, count: self.kalman.count, elapsed })
    }
}

fn millis(time: Time) -> f64 {
    1e3 * time.as_secs_f64()
}

/// The filter of section 5.3.
#[derive(Clone, Debug)]
struct Kalman {
    /// `m`, in ms.
    mean: f64,
    /// `e`, the variance of the estimate, and the variance of the measurement noise.
    error: f64,
    noise: f64,
    /// Times between the departures of the last groups in ms, and the number of estimates.
    intervals: [f64; GROUPS],
    count: u64,
}

impl Kalman {
    const fn new() -> Self {
        Self { mean: 0.0, error: FIRST_ERROR, noise: LEAST_NOISE, intervals: [f64::INFINITY; GROUPS], count: 0 }
    }

    /// Updates the estimate by a delay variation, in ms, of a group that left `interval` ms after the one before.
    fn update(&mut self, variation: f64, interval: f64) -> f64 {
        self.intervals[(self.count % GROUPS as u64) as usize] = interval;
        self.count += 1;
        let shortest = self.intervals.iter().copied().fold(f64::INFINITY, f64::min);
        let residual = variation - self.mean;
        // f_max is 1 / shortest, in kHz
        let alpha = libm::pow(1.0 - CHI, 30.0 * shortest / 1000.0);
        let bounded = residual.abs().min(3.0 * self.noise.sqrt());
        self.noise = (alpha * self.noise + (1.0 - alpha) * bounded * bounded).max(LEAST_NOISE);
        let error = self.error + STATE_NOISE;
        let gain = error / (self.noise + error);
        self.mean += gain * residual;
        self.error = (1.0 - gain) * error;
        self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    /// Validates: the first two steps of the filter for delay variations of 2 and 8 ms of groups 1000 / 30 ms apart.
    /// Source: draft-ietf-rmcat-gcc-02, section 5.3, by hand: the gain of the first step is 0.101 / (1.03 + 0.101), where
    ///     the noise is 0.99 + 0.01 * 2^2 = 1.03; in the second, the residual of 7.82 counts as 3 sqrt(1.03) in the noise.
    /// Tolerance: rounding.
    #[test]
    fn the_filter_is_that_of_the_draft() {
        let mut kalman = Kalman::new();
        let first = 0.101 / 1.131;
        near(kalman.update(2.0, 1000.0 / 30.0), 2.0 * first);
        near(kalman.noise, 1.03);
        let (error, noise) = ((1.0 - first) * 0.101 + 1e-3, 0.99 * 1.03 + 0.01 * 9.0 * 1.03);
        let second = error / (noise + error);
        near(kalman.update(8.0, 1000.0 / 30.0), 2.0 * first + second * (8.0 - 2.0 * first));
        near(kalman.noise, noise);
        near(kalman.error, (1.0 - second) * error);
    }

    /// Validates: packets that leave within 5 ms are a group; so is one that waited behind it: it arrives within 5 ms of the
    ///     packet before, and closer to it than it left.
    /// Source: draft-ietf-rmcat-gcc-02, sections 5.1 and 5.2, by hand, in ms: groups leave at 0 to 4, 10, 20 to 26 and 40,
    ///     and their last packets arrive at 54, 62, 79 and 92.
    /// Tolerance: exact in the number of estimates, rounding in their times.
    #[test]
    fn packets_that_leave_or_wait_together_are_a_group() {
        let mut filter = ArrivalFilter::new();
        let mut found = Vec::new();
        for (sent, arrived) in [(0, 50), (4, 54), (10, 62), (20, 75), (26, 79), (40, 92), (50, 100)] {
            found.extend(filter.arrived(Time::from_millis(sent), Time::from_millis(arrived)));
        }
        assert_eq!(found.iter().map(|estimate| estimate.elapsed).collect::<Vec<_>>(), [8.0, 17.0, 13.0]);
        assert_eq!(found.last().map(|estimate| estimate.count), Some(3));
        // a packet that was overtaken changes nothing
        assert_eq!(filter.arrived(Time::from_millis(45), Time::from_millis(101)), None);
    }
}
