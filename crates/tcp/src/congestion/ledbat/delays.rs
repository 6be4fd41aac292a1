//! The delay measurements of LEDBAT: RFC 6817, section 2.4.2, `update_base_delay` and `update_current_delay`.
//!
//! - the *base delay* is the minimum of the last `base_history` minutes. Each minute has its own minimum, so that a path
//!   that became longer is noticed once the minutes before are forgotten;
//! - the *current delay* is the minimum of the last `current_filter` samples, one of the filters that section 2.4.2 allows.
//!
//! The samples are round-trip times, as in LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus-01, section 4.5). RFC 6817 measures
//! the one-way delay with a timestamp that the receiver returns. ACKs do not carry one here, so a queue on the way of
//! the ACKs counts too, as in the TCP senders of macOS and Windows.

use ackclock_units::Time;

/// The largest number of minutes, and of samples, that options may select.
pub(in crate::congestion) const MOST_MINUTES: u64 = 20;
pub(in crate::congestion) const MOST_SAMPLES: u64 = 16;

/// How long the minimum of one place in the base history is measured.
const MINUTE: Time = Time::from_millis(60_000);

/// The last minima of minutes, and the last samples, in seconds.
#[derive(Clone, Debug)]
pub(in crate::congestion) struct Delays {
    bases: Recent<{ MOST_MINUTES as usize }>,
    currents: Recent<{ MOST_SAMPLES as usize }>,
    /// The minute of the newest place in the base history.
    minute: Option<u64>,
}

impl Delays {
    pub(in crate::congestion) fn new(base_history: u64, current_filter: u64) -> Self {
        Self { bases: Recent::new(base_history), currents: Recent::new(current_filter), minute: None }
    }

    /// Takes a sample.
    pub(in crate::congestion) fn update(&mut self, now: Time, delay: Time) {
        let (minute, delay) = (now.as_picos() / MINUTE.as_picos(), delay.as_secs_f64());
        if self.minute == Some(minute) {
            self.bases.lower_newest(delay);
        } else {
            self.minute = Some(minute);
            self.bases.push(delay);
        }
        self.currents.push(delay);
    }

    /// The base delay; infinite before the first sample.
    pub(in crate::congestion) fn base(&self) -> f64 {
        self.bases.minimum()
    }

    /// The queueing delay; 0 before the first sample.
    pub(in crate::congestion) fn queueing(&self) -> f64 {
        let (base, current) = (self.base(), self.currents.minimum());
        if base.is_finite() { (current - base).max(0.0) } else { 0.0 }
    }
}

/// The newest `len` values, of at most `N`.
#[derive(Clone, Debug)]
struct Recent<const N: usize> {
    values: [f64; N],
    len: usize,
    newest: usize,
}

impl<const N: usize> Recent<N> {
    fn new(len: u64) -> Self {
        Self { values: [f64::INFINITY; N], len: (len as usize).clamp(1, N), newest: 0 }
    }

    fn push(&mut self, value: f64) {
        self.newest = (self.newest + 1) % self.len;
        self.values[self.newest] = value;
    }

    fn lower_newest(&mut self, value: f64) {
        self.values[self.newest] = self.values[self.newest].min(value);
    }

    fn minimum(&self) -> f64 {
        self.values[..self.len].iter().copied().fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Time = Time::from_millis;

    /// Validates: the queueing delay is the minimum of the last three samples less the base delay.
    /// Source: RFC 6817, section 2.4.2, by hand: of 100, 130, 120 and 150 ms, the last three have a minimum of 120 ms.
    /// Tolerance: 1e-12 s, rounding.
    #[test]
    fn the_current_delay_is_the_minimum_of_the_last_samples() {
        let mut delays = Delays::new(10, 3);
        assert!(delays.queueing() == 0.0 && delays.base().is_infinite(), "no sample yet");
        for (at, delay) in [(1, 100), (2, 130), (3, 120), (4, 150)] {
            delays.update(MS(at), MS(delay));
        }
        assert_eq!(delays.base(), 0.1);
        assert!((delays.queueing() - 0.02).abs() < 1e-12, "{}", delays.queueing());
    }

    /// Validates: with a history of three minutes, a delay of 100 ms in minute 0 is the base delay in minutes 0 to 2 and
    ///     forgotten in minute 3, when those of 140 ms are left.
    /// Source: RFC 6817, section 2.4.2, `update_base_delay`.
    /// Tolerance: exact.
    #[test]
    fn a_base_delay_is_forgotten_after_the_history() {
        let mut delays = Delays::new(3, 1);
        let mut base_at = |seconds: u64, delay| {
            delays.update(MS(1_000 * seconds), MS(delay));
            delays.base()
        };
        assert_eq!([base_at(10, 100), base_at(59, 140)], [0.1; 2]);
        assert_eq!([base_at(60, 140), base_at(179, 150)], [0.1; 2]);
        assert_eq!(base_at(180, 150), 0.14);
    }
}
