//! Round-trip time and retransmission timeout: RFC 6298, after Jacobson, "Congestion Avoidance and Control" (1988),
//! appendix A.
//!
//! A round-trip sample is the number of ticks of the sender's clock between sending and acknowledgment, at least one.
//! The clock's phase relative to the run is configurable, because with a coarse clock it affects the samples.
//!
//! Differences from RFC 6298:
//! - `arithmetic = integer` keeps `srtt` in eighths and `rttvar` in quarters of a tick, truncates as Jacobson's
//!   appendix does, never gives a timeout under two ticks, and resets `srtt` once the timer has backed off more than
//!   eightfold (ns-2);
//! - `arithmetic = linux` keeps whole microseconds, and lowers the variation once per round trip at most, to the largest
//!   deviation of that round trip. A sample that is shorter than the average counts only an eighth of what exceeds the present
//!   deviation (`tcp_rtt_estimator`);
//! - `backoff_after_floor = false` applies the minimum after the back-off instead of before it, and limits the back-off
//!   to a factor of 64 (ns-2 before March 2002).

use ackclock_units::{Stream, Time};

use crate::options::{options, words};

options! {
    /// Parameters of round-trip time and timeout estimation.
    pub struct RttConfig declared as TIMER {
        fields {}
        options {
            /// Granularity of the clock that measures round-trip times (RFC 6298's `G`).
            clock: Time [from MICROSECOND] = Time::from_millis(1);
            /// Time since the last tick of `clock` when the run starts: `random`, or a time.
            clock_phase: Phase ["random"] = None;
            /// Arithmetic of the smoothed round-trip time and its variation: real numbers (`real`), integers in eighths and
            /// quarters of clock ticks (`integer`), or Linux's, whose variation falls once per round trip (`linux`).
            arithmetic as "rtt_arithmetic": Arithmetic = Arithmetic::Real;
            /// Minimum retransmission timeout (RFC 6298, 2.4).
            min_rto: Time [from Time::ZERO] = Time::SECOND;
            /// Maximum retransmission timeout (RFC 6298, 2.5).
            max_rto: Time [from MICROSECOND] = Time::from_millis(60_000);
            /// Retransmission timeout before the first round-trip sample (RFC 6298, 2.1).
            initial_rto: Time [from MICROSECOND] = Time::SECOND;
            /// Apply `min_rto` before the back-off factor (RFC 6298, 5.5). If false, as in ns-2 before March 2002,
            /// `min_rto` applies after the factor, which is at most 64.
            backoff_after_floor: bool = true;
            /// The quantity that `min_rto` limits: the timeout (`total`), or its part for the variation of the round-trip
            /// time, so that the timeout is at least `min_rto` longer than the smoothed round-trip time (`variation`, as
            /// in Linux).
            rto_floor: RtoFloor = RtoFloor::Total;
            /// A new ACK restarts the timer with the timeout that applied before the ACK's own round-trip sample (ns-2
            /// before May 2001).
            timer_before_sample: bool = false;
        }
    }
}

const MICROSECOND: Time = Time::from_micros(1);

/// Minimum timeout before the first sample if a SYN was lost (RFC 6298, 5.7).
const AFTER_LOST_SYN: Time = Time::from_millis(3_000);

/// The factor of the back-off is at most 64 if `backoff_after_floor` is false.
const MOST_DOUBLINGS: u8 = 6;
/// The largest factor of the back-off that is a whole number of 64 bits.
const LAST_DOUBLING: u8 = 63;

/// A time in whole microseconds.
fn whole_micros(time: Time) -> u32 {
    u32::try_from(time.as_picos() / MICROSECOND.as_picos()).unwrap_or(u32::MAX)
}

words! {
    /// Arithmetic of `srtt` and `rttvar`.
    pub enum Arithmetic {
        /// Real numbers (RFC 6298).
        Real = "real",
        /// Whole eighths and quarters of ticks (Jacobson 1988).
        Integer = "integer",
        /// Whole microseconds, with a variation that falls once per round trip (Linux, `tcp_rtt_estimator`).
        Linux = "linux",
    }
}

words! {
    /// Quantity that the minimum timeout limits.
    pub enum RtoFloor {
        /// The timeout (RFC 6298, 2.4).
        Total = "total",
        /// Four times the variation of the round-trip time (Linux, `tcp_rtt_estimator`).
        Variation = "variation",
    }
}

/// The round-trip samples of a sender: from the transmission of a segment to the arrival of its ACK, not rounded to ticks
/// of the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundTrips {
    /// Number of samples.
    pub samples: u64,
    /// Their sum in picoseconds.
    pub sum: f64,
    /// The shortest; [`Time::MAX`] if there are none.
    pub min: Time,
}

impl Default for RoundTrips {
    fn default() -> Self {
        Self { samples: 0, sum: 0.0, min: Time::MAX }
    }
}

impl RoundTrips {
    /// Adds a sample.
    #[inline(always)]
    pub fn add(&mut self, took: Time) {
        self.samples += 1;
        self.sum += took.as_picos().cast_signed() as f64;
        self.min = self.min.min(took);
    }

    /// The samples of two senders.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        let min = if self.min.as_picos() < other.min.as_picos() { self.min } else { other.min };
        Self { samples: self.samples + other.samples, sum: self.sum + other.sum, min }
    }

    /// Their mean in seconds.
    pub fn mean(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sum / self.samples as f64 / 1e12)
    }

    /// The shortest in seconds.
    pub fn min(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.min.as_secs_f64())
    }
}

/// Smoothed round-trip time, its variation, and the resulting timeout. The configuration is passed in on each call
/// because senders share it.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct RttEstimator {
    /// The current timeout. It is the first field because each restart of the timer reads it.
    rto: Time,
    /// Smoothed round-trip time and its variation, [packed](Estimate::packed). Before the first sample: 0, and the
    /// timeout before minimum, maximum and back-off are applied.
    estimate: [u64; 2],
    phase: Time,
    /// How often the timeout is doubled.
    doublings: u8,
    has_sample: bool,
    /// The round trip of [`Estimate::Linux`] ends when an ACK passes this segment (its lower 32 bits).
    round_end: u32,
    /// The samples of the measured time.
    pub(crate) round_trips: RoundTrips,
}

/// Smoothed round-trip time and its variation.
#[derive(Clone, Copy, Debug)]
enum Estimate {
    Real {
        srtt: f64,
        rttvar: f64,
    },
    /// `srtt` in eighths of ticks (0 after a reset), `rttvar` in quarters.
    Integer {
        srtt: i64,
        rttvar: i64,
    },
    Linux(Deviations),
}

/// Linux's estimate, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Deviations {
    /// Eight times the smoothed round-trip time.
    srtt: u32,
    /// Four times the mean deviation.
    mdev: u32,
    /// The largest `mdev` of the present round trip, and at least the minimum timeout.
    mdev_max: u32,
    /// What is added to the smoothed round-trip time for the timeout.
    rttvar: u32,
}

impl Deviations {
    /// The estimate after the first sample.
    fn first(rtt: u32, min_rto: u32) -> Self {
        let mdev = rtt.saturating_mul(2);
        let rttvar = mdev.max(min_rto);
        Self { srtt: rtt.saturating_mul(8), mdev, mdev_max: rttvar, rttvar }
    }

    const fn packed(self) -> [u64; 2] {
        let Self { srtt, mdev, mdev_max, rttvar } = self;
        [srtt as u64 | (mdev as u64) << 32, mdev_max as u64 | (rttvar as u64) << 32]
    }

    /// The inverse of [`packed`](Self::packed).
    const fn unpacked([srtt, rttvar]: [u64; 2]) -> Self {
        let (mdev, mdev_max) = ((srtt >> 32) as u32, rttvar as u32);
        Self { srtt: srtt as u32, mdev, mdev_max, rttvar: (rttvar >> 32) as u32 }
    }

    /// The timeout before minimum, maximum and back-off are applied.
    fn timeout(self) -> Time {
        Time::from_micros(u64::from(self.srtt >> 3) + u64::from(self.rttvar))
    }

    /// The estimate after another sample.
    fn next(self, rtt: u32, min_rto: u32, round_ends: bool) -> Self {
        let error = i64::from(rtt) - i64::from(self.srtt >> 3);
        let srtt = (i64::from(self.srtt) + error).clamp(1, u32::MAX.into()) as u32;
        let excess = error.abs() - i64::from(self.mdev >> 2);
        let weighed = if error < 0 && excess > 0 { excess >> 3 } else { excess };
        let mdev = (i64::from(self.mdev) + weighed).clamp(0, u32::MAX.into()) as u32;
        let mdev_max = self.mdev_max.max(mdev);
        let rttvar = self.rttvar.max(mdev_max);
        if !round_ends {
            return Self { srtt, mdev, mdev_max, rttvar };
        }
        Self { srtt, mdev, mdev_max: min_rto, rttvar: rttvar - (rttvar - mdev_max) / 4 }
    }
}

/// The round trip of a sender when it takes a sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// The first segment that is not acknowledged.
    pub(crate) acknowledged: u64,
    /// The next new segment.
    pub(crate) next: u64,
}

impl Estimate {
    const fn packed(self) -> [u64; 2] {
        match self {
            Self::Real { srtt, rttvar } => [srtt.to_bits(), rttvar.to_bits()],
            Self::Integer { srtt, rttvar } => [srtt as u64, rttvar as u64],
            Self::Linux(deviations) => deviations.packed(),
        }
    }
}

impl RttEstimator {
    /// An estimator without samples. `stream` supplies the clock's phase if the configuration does not set it.
    pub(crate) fn new(config: &RttConfig, stream: &mut Stream) -> Self {
        let phase = config.clock_phase.unwrap_or_else(|| stream.time_below(config.clock));
        let rto = config.initial_rto;
        let mut estimator = Self {
            rto,
            estimate: [0, rto.as_picos()],
            phase,
            doublings: 0,
            has_sample: false,
            round_end: 0,
            round_trips: RoundTrips::default(),
        };
        estimator.set_rto(config);
        estimator
    }

    /// Adds a sample: a segment sent at `sent` was acknowledged at `now`.
    #[inline(never)]
    pub(crate) fn sample(&mut self, config: &RttConfig, sent: Time, now: Time, round: Round) {
        self.round_trips.add(now - sent);
        let tick = |at: Time| (at + self.phase).as_picos() / config.clock.as_picos();
        let ticks = (tick(now) - tick(sent)).max(1);
        if config.arithmetic == Arithmetic::Linux {
            self.sample_linux(config, ticks, round);
        } else {
            self.sample_ticks(config, ticks as i64);
        }
    }

    /// Adds a sample to an estimate of real numbers or of ticks.
    fn sample_ticks(&mut self, config: &RttConfig, ticks: i64) {
        let rtt = ticks as f64 * config.clock.as_secs_f64();
        let estimate = match self.estimate(config) {
            Some(Estimate::Real { srtt, rttvar }) => {
                Estimate::Real { rttvar: 0.75 * rttvar + 0.25 * (srtt - rtt).abs(), srtt: 0.875 * srtt + 0.125 * rtt }
            }
            Some(Estimate::Integer { srtt, rttvar }) if srtt > 0 => {
                let error = ticks - (srtt >> 3);
                let rttvar = (rttvar + error.abs() - (rttvar >> 2)).max(1);
                Estimate::Integer { srtt: (srtt + error).max(1), rttvar }
            }
            _ if config.arithmetic == Arithmetic::Real => Estimate::Real { srtt: rtt, rttvar: rtt / 2.0 },
            _ => Estimate::Integer { srtt: 8 * ticks, rttvar: 2 * ticks },
        };
        (self.has_sample, self.estimate) = (true, estimate.packed());
        self.set_rto(config);
    }

    /// Adds a sample to an estimate of Linux. It is apart from the others, since most of today's senders take a sample with
    /// each ACK.
    #[inline(always)]
    fn sample_linux(&mut self, config: &RttConfig, ticks: u64, round: Round) {
        let rtt = whole_micros(config.clock.saturating_mul(ticks));
        let min_rto = whole_micros(config.min_rto);
        let round_ends = (round.acknowledged as u32).wrapping_sub(self.round_end).cast_signed() > 0;
        if round_ends || !self.has_sample {
            self.round_end = round.next as u32;
        }
        let estimate = if self.has_sample {
            Deviations::unpacked(self.estimate).next(rtt, min_rto, round_ends)
        } else {
            Deviations::first(rtt, min_rto)
        };
        (self.has_sample, self.estimate) = (true, estimate.packed());
        self.limit_rto(config, estimate.timeout());
    }

    /// The estimate, or `None` before the first sample.
    fn estimate(&self, config: &RttConfig) -> Option<Estimate> {
        let [srtt, rttvar] = self.estimate;
        self.has_sample.then(|| match config.arithmetic {
            Arithmetic::Real => Estimate::Real { srtt: f64::from_bits(srtt), rttvar: f64::from_bits(rttvar) },
            Arithmetic::Integer => Estimate::Integer { srtt: srtt as i64, rttvar: rttvar as i64 },
            Arithmetic::Linux => Estimate::Linux(Deviations::unpacked([srtt, rttvar])),
        })
    }

    /// The timeout before minimum, maximum and back-off are applied.
    fn base(&self, config: &RttConfig) -> Time {
        let clock = config.clock;
        let is_plain = config.rto_floor == RtoFloor::Total;
        match self.estimate(config) {
            Some(Estimate::Real { srtt, rttvar }) => {
                let least = if is_plain { clock } else { clock.max(config.min_rto) };
                Time::from_secs_f64(srtt + least.as_secs_f64().max(4.0 * rttvar))
            }
            Some(Estimate::Integer { srtt, rttvar }) if is_plain => clock.saturating_mul((rttvar + (srtt >> 3)) as u64),
            Some(Estimate::Integer { srtt, rttvar }) => {
                let variation = clock.saturating_mul(rttvar as u64).max(config.min_rto);
                clock.saturating_mul((srtt >> 3) as u64).saturating_add(variation)
            }
            Some(Estimate::Linux(deviations)) => deviations.timeout(),
            None => Time::from_picos(self.estimate[1]),
        }
    }

    /// The current timeout.
    pub(crate) const fn rto(&self) -> Time {
        self.rto
    }

    /// The smoothed round-trip time in seconds, or `None` before the first sample.
    pub(crate) fn srtt(&self, config: &RttConfig) -> Option<f64> {
        match self.estimate(config)? {
            Estimate::Real { srtt, .. } => Some(srtt),
            Estimate::Integer { srtt, .. } => (srtt > 0).then(|| srtt as f64 / 8.0 * config.clock.as_secs_f64()),
            Estimate::Linux(Deviations { srtt, .. }) => Some(f64::from(srtt) / 8e6),
        }
    }

    /// The same as a time.
    pub(crate) fn srtt_time(&self, config: &RttConfig) -> Option<Time> {
        match self.estimate(config)? {
            // eighths of a microsecond, so that the rounded time is exact
            Estimate::Linux(Deviations { srtt, .. }) => Some(Time::from_picos(u64::from(srtt) * 125_000)),
            _ => self.srtt(config).map(Time::from_secs_f64),
        }
    }

    /// The smoothed round-trip time in its internal representation; 0 before the first sample.
    #[inline(always)]
    pub(crate) const fn raw_srtt(&self) -> u64 {
        self.estimate[0]
    }

    /// Doubles the timeout after the timer has fired (5.5).
    pub(crate) fn back_off(&mut self, config: &RttConfig) {
        let may_double = self.doublings < MOST_DOUBLINGS || config.backoff_after_floor && self.rto < config.max_rto;
        if may_double {
            self.doublings = (self.doublings + 1).min(LAST_DOUBLING);
            self.set_rto(config);
        }
        if let Some(Estimate::Integer { srtt, rttvar }) = self.estimate(config)
            && self.doublings > 3
        {
            // the sum that determines the timeout stays the same
            self.estimate = Estimate::Integer { srtt: 0, rttvar: rttvar + (srtt >> 3) }.packed();
        }
    }

    /// Sets the timeout to at least three seconds. Called when data transfer begins after a lost SYN (5.7).
    pub(crate) fn after_lost_syn(&mut self, config: &RttConfig) {
        if !self.has_sample && self.base(config) < AFTER_LOST_SYN {
            self.estimate = [0, AFTER_LOST_SYN.as_picos()];
            self.doublings = 0;
            self.set_rto(config);
        }
    }

    /// Ends the back-off. Called when a segment sent only once was acknowledged (Karn's algorithm).
    pub(crate) fn end_back_off(&mut self, config: &RttConfig) {
        if self.doublings > 0 {
            self.doublings = 0;
            self.set_rto(config);
        }
    }

    /// Recomputes the timeout after one of its inputs has changed.
    fn set_rto(&mut self, config: &RttConfig) {
        self.limit_rto(config, self.base(config));
    }

    /// Sets the timeout, given its value before minimum, maximum and back-off are applied.
    #[inline(always)]
    fn limit_rto(&mut self, config: &RttConfig, base: Time) {
        let RttConfig { min_rto, max_rto, clock, .. } = *config;
        let backoff = 1 << self.doublings;
        let rto = if config.backoff_after_floor {
            base.max(min_rto).saturating_mul(backoff)
        } else {
            base.saturating_mul(backoff).max(min_rto)
        };
        let rto = rto.min(max_rto);
        self.rto = match config.arithmetic {
            Arithmetic::Real | Arithmetic::Linux => rto,
            Arithmetic::Integer => rto.max(clock + clock),
        };
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;

    use super::*;

    /// The defaults, with a clock tick at time 0.
    const IN_PHASE: RttConfig = RttConfig { clock_phase: Some(Time::ZERO), ..RttConfig::DEFAULT };

    const START: Round = Round { acknowledged: 0, next: 0 };

    fn estimator(config: &RttConfig) -> RttEstimator {
        RttEstimator::new(config, &mut Stream::new(1, Role::Sender, 0))
    }

    /// Validates: SRTT, RTTVAR and RTO follow the RFC's formulas with alpha 1/8 and beta 1/4.
    /// Source: RFC 6298, section 2.
    /// Tolerance: 1e-12.
    #[test]
    fn real_arithmetic_follows_rfc_6298() {
        let config = RttConfig { min_rto: Time::ZERO, ..IN_PHASE };
        let mut rtt = estimator(&config);
        assert_eq!(rtt.rto(), Time::SECOND);
        rtt.sample(&config, Time::ZERO, Time::from_millis(100), START); // srtt 100, rttvar 50
        assert_eq!(rtt.rto(), Time::from_millis(300));
        rtt.sample(&config, Time::ZERO, Time::from_millis(180), START); // rttvar 57.5, srtt 110
        assert_eq!(rtt.rto(), Time::from_millis(340));
        assert!((rtt.srtt(&config).unwrap() - 0.11).abs() < 1e-12);
    }

    /// Validates: with the floor of the variation, the timeout is at least the minimum above the smoothed round-trip time.
    /// Source: Linux, `tcp_rtt_estimator` and `__tcp_set_rto`.
    /// Tolerance: exact.
    #[test]
    fn the_minimum_may_limit_the_variation() {
        let min_rto = Time::from_millis(200);
        let config = RttConfig { min_rto, rto_floor: RtoFloor::Variation, ..IN_PHASE };
        let mut rtt = estimator(&config);
        rtt.sample(&config, Time::ZERO, Time::from_millis(40), START); // srtt 40, rttvar 20
        assert_eq!(rtt.rto(), Time::from_millis(240));
        rtt.sample(&config, Time::ZERO, Time::from_millis(360), START); // srtt 80, rttvar 95
        assert_eq!(rtt.rto(), Time::from_millis(460));
    }

    /// Validates: the variation rises at once and falls by a quarter of the distance when a round trip ends, to the largest
    /// deviation of that round trip, which is at least the minimum timeout.
    /// Source: Linux, `tcp_rtt_estimator`, by hand. Samples of 40 ms and then 360 ms: error 320, deviation 80 + 320 - 20 =
    ///   380, average 80. Further samples of 80 ms have no error, and the deviation falls to 285, 213.75, 160.3 and so on.
    /// Tolerance: exact.
    #[test]
    fn the_variation_of_linux_falls_once_per_round_trip() {
        let config = RttConfig {
            clock: MICROSECOND,
            arithmetic: Arithmetic::Linux,
            min_rto: Time::from_millis(200),
            rto_floor: RtoFloor::Variation,
            ..IN_PHASE
        };
        let mut rtt = estimator(&config);
        let mut take = |millis, acknowledged, next| {
            rtt.sample(&config, Time::ZERO, Time::from_millis(millis), Round { acknowledged, next });
            rtt.rto().as_picos() / 1_000_000_000
        };
        assert_eq!(take(40, 1, 10), 40 + 200);
        assert_eq!(take(360, 2, 11), 80 + 380);
        assert_eq!(take(80, 10, 20), 80 + 380, "the ACK does not pass the end of the round trip");
        assert_eq!(take(80, 11, 21), 80 + 380, "the largest deviation of this round trip was 380");
        for acknowledged in 12..=21 {
            assert_eq!(take(80, acknowledged, 30), 80 + 380);
        }
        // the deviations of this round trip were below the minimum timeout
        assert_eq!(take(80, 22, 31), 80 + 380 - (380 - 200) / 4);
    }

    /// Validates: a sample below the average counts an eighth of what it exceeds the deviation by.
    /// Source: Linux, `tcp_rtt_estimator`, by hand: after samples of 400 ms, 8 ms has an error of -392; 200 - 50 is the part of
    ///   the deviation, and (392 - 200) / 8 = 24.
    /// Tolerance: exact.
    #[test]
    fn the_deviation_of_linux_heeds_shorter_round_trips_less() {
        let first = Deviations::first(400_000, 200_000);
        assert_eq!(first, Deviations { srtt: 3_200_000, mdev: 800_000, mdev_max: 800_000, rttvar: 800_000 });
        let next = first.next(8_000, 200_000, false);
        assert_eq!((next.srtt, next.mdev), (3_200_000 - 392_000, 800_000 + (392_000 - 200_000) / 8));
        let longer = first.next(792_000, 200_000, false);
        assert_eq!((longer.srtt, longer.mdev), (3_200_000 + 392_000, 800_000 + 392_000 - 200_000));
    }

    /// Validates: the estimator's scaled integers equal the ones in Jacobson's appendix.
    /// Source: Jacobson 1988, appendix A; ns-2.35.
    /// Tolerance: exact.
    #[test]
    fn integer_arithmetic_follows_jacobson() {
        let config = RttConfig {
            clock: Time::from_millis(10),
            arithmetic: Arithmetic::Integer,
            min_rto: Time::ZERO,
            ..IN_PHASE
        };
        let mut rtt = estimator(&config);
        rtt.sample(&config, Time::ZERO, Time::from_millis(109), START); // 10 ticks: srtt 80/8, rttvar 20/4
        assert_eq!(rtt.rto(), Time::from_millis(300));
        rtt.sample(&config, Time::ZERO, Time::from_millis(130), START); // 13: error 3, srtt 83/8, rttvar 20 + 3 - 5 = 18
        assert_eq!(rtt.rto(), Time::from_millis(280));
    }

    /// Validates: with a coarse clock, the position of the tick boundary changes a sample.
    /// Source: ns-2.35, tcpTick_.
    /// Tolerance: exact.
    #[test]
    fn phase_decides_a_coarse_sample() {
        let span = |phase| {
            let config = RttConfig { clock: Time::from_millis(100), clock_phase: Some(phase), ..IN_PHASE };
            let mut rtt = estimator(&config);
            rtt.sample(&config, Time::from_millis(10), Time::from_millis(115), START);
            rtt.srtt(&config)
        };
        assert_eq!(span(Time::ZERO), Some(0.1));
        assert_eq!(span(Time::from_millis(87)), Some(0.2));
    }

    /// Validates: the RTO doubles with each timeout, up to its maximum.
    /// Source: RFC 6298, section 5.5.
    /// Tolerance: exact.
    #[test]
    fn back_off_doubles_up_to_the_maximum_and_a_sample_alone_does_not_end_it() {
        let mut rtt = estimator(&IN_PHASE);
        let timeouts: Vec<u64> = (0..8)
            .map(|_| {
                rtt.back_off(&IN_PHASE);
                rtt.rto().as_picos() / Time::SECOND.as_picos()
            })
            .collect();
        assert_eq!(timeouts, [2, 4, 8, 16, 32, 60, 60, 60]);
        rtt.sample(&IN_PHASE, Time::ZERO, Time::from_millis(10), START);
        assert_eq!(rtt.rto(), Time::SECOND.saturating_mul(60));
        rtt.end_back_off(&IN_PHASE);
        assert_eq!(rtt.rto(), Time::SECOND);
    }

    /// Validates: samples keep their number, sum and minimum, whatever the tick of the clock.
    /// Source: definition.
    /// Tolerance: exact.
    #[test]
    fn samples_are_kept_in_full() {
        let config = RttConfig { clock: Time::from_millis(100), ..IN_PHASE };
        let mut rtt = estimator(&config);
        assert_eq!((rtt.round_trips.mean(), rtt.round_trips.min()), (None, None));
        for millis in [30, 10, 50] {
            rtt.sample(&config, Time::from_millis(5), Time::from_millis(5 + millis), START);
        }
        let both = rtt.round_trips.plus(RoundTrips::default());
        assert_eq!(both, rtt.round_trips);
        assert_eq!((both.samples, both.mean(), both.min()), (3, Some(0.03), Some(0.01)));
    }
}
