//! CUBIC's growth as in Linux 6 (`net/ipv4/tcp_cubic.c`), in whole numbers: times in ticks of the kernel's clock
//! (`CONFIG_HZ`) or in 1/1024 s, windows in segments.
//!
//! The pace is the number of acknowledged segments per segment added. It is computed again when the window has changed or
//! after a 32nd of a second, at most once per tick (`bictcp_update`), and then adapted to the window of a Reno flow.
//!
//! Differences from Linux: the cube root is exact (the kernel's errs by up to 0.2 %).

use ackclock_units::Time;

/// The kernel's clock (`tcp_jiffies32`): length of a tick in picoseconds, and ticks per second (`CONFIG_HZ`).
#[derive(Clone, Copy, Debug)]
struct Clock {
    tick: u64,
    hz: u64,
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(Time::from_millis(4))
    }
}

impl Clock {
    fn new(tick: Time) -> Self {
        let tick = tick.as_picos();
        Self { tick, hz: (Time::SECOND.as_picos() / tick).max(1) }
    }

    const fn tick(self, at: Time) -> u64 {
        at.as_picos() / self.tick
    }
}

/// The factor of the curve, `C = 410 / 1024`, and the units of time per second, both as powers of two.
const C: u64 = 410;
const C_BITS: u32 = 10;
const SECOND_BITS: u32 = 10;
/// The factor of a reduction (`beta`, in 1/1024).
const BETA_1024: u64 = 717;
pub(super) const BETA: f64 = BETA_1024 as f64 / 1024.0;
/// Windows that are acknowledged while the window of the Reno flow grows by one segment, in eighths (`beta_scale`).
const RENO_EIGHTHS: u64 = 15;

/// The state of the window's growth. Names in brackets are Linux'.
#[derive(Clone, Debug, Default)]
pub(super) struct Linux {
    /// Acknowledged segments per segment added (`cnt`), and the window and tick for which it was computed (`last_cwnd`,
    /// `last_time`).
    pace: u64,
    paced_cwnd: u64,
    paced_at: u64,
    /// Window before the last reduction, perhaps lowered by fast convergence; 0 before the first loss (`last_max_cwnd`).
    w_max: u64,
    /// The tick in which the epoch began (`epoch_start`).
    epoch: Option<u64>,
    /// Maximum of the concave part of the curve, and the time until it is reached (`bic_origin_point`, `bic_K`).
    origin: u64,
    k: u64,
    /// The window of a Reno flow, and segments acknowledged since it last grew (`tcp_cwnd`, `ack_cnt`).
    reno: u64,
    acked: u64,
    /// Minimum round-trip time (`delay_min`).
    min_rtt: Option<Time>,
    /// Segments acknowledged since the window last grew (`snd_cwnd_cnt`).
    counted: u64,
    clock: Clock,
}

impl Linux {
    /// Counts time in ticks of this length.
    pub(super) fn set_tick(&mut self, tick: Time) {
        self.clock = Clock::new(tick);
    }

    /// Forgets all but the clock (`bictcp_reset`).
    pub(super) fn reset(&mut self) {
        *self = Self { clock: self.clock, ..Self::default() };
    }

    /// Takes a sample of the round-trip time, unless the epoch has just begun (`cubictcp_acked`).
    pub(super) fn sample(&mut self, rtt: Time, now: Time) {
        let Clock { hz, .. } = self.clock;
        if self.epoch.is_none_or(|epoch| self.clock.tick(now) - epoch >= hz) {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
    }

    /// The number of segments to add for an ACK of `acked` segments (`tcp_cong_avoid_ai`).
    pub(super) fn growth(&mut self, cwnd: u64, acked: u64, now: Time) -> u64 {
        self.update(cwnd, acked, self.clock.tick(now));
        let mut growth = 0;
        // what was counted at a slower pace is worth one segment
        if self.counted >= self.pace {
            (self.counted, growth) = (0, 1);
        }
        self.counted += acked;
        growth += self.counted / self.pace;
        self.counted %= self.pace;
        growth
    }

    /// Computes the pace for the window in a tick.
    fn update(&mut self, cwnd: u64, acked: u64, tick: u64) {
        self.acked += acked;
        if self.paced_cwnd == cwnd && tick - self.paced_at <= self.clock.hz / 32 {
            return;
        }
        if self.epoch.is_none() || tick != self.paced_at {
            (self.paced_cwnd, self.paced_at) = (cwnd, tick);
            self.pace = self.cubic_pace(cwnd, acked, tick);
        }
        let each = cwnd * RENO_EIGHTHS / 8;
        while self.acked > each {
            self.acked -= each;
            self.reno += 1;
        }
        if self.reno > cwnd {
            self.pace = self.pace.min(cwnd / (self.reno - cwnd));
        }
        self.pace = self.pace.max(2);
    }

    /// The pace of the cubic function.
    fn cubic_pace(&mut self, cwnd: u64, acked: u64, tick: u64) -> u64 {
        if self.epoch.is_none() {
            (self.acked, self.reno) = (acked, cwnd);
            self.origin = self.w_max.max(cwnd);
            // the kernel's cube_factor is cut before the multiplication
            let scaled = (1 << (C_BITS + 3 * SECOND_BITS)) / C * (self.origin - cwnd);
            self.k = libm::cbrt(scaled as f64) as u64;
        }
        let epoch = *self.epoch.get_or_insert(tick);
        let ahead = self.min_rtt.map_or(0, |rtt| rtt.as_picos().div_ceil(self.clock.tick));
        let t = ((tick - epoch + ahead) << SECOND_BITS) / self.clock.hz;
        let away = u128::from(t.abs_diff(self.k));
        let delta = ((u128::from(C) * away.pow(3)) >> (C_BITS + 3 * SECOND_BITS)) as u64;
        let target = if t < self.k { self.origin.saturating_sub(delta) } else { self.origin.saturating_add(delta) };
        let pace = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        if self.w_max == 0 { pace.min(20) } else { pace }
    }

    /// Window before the last reduction; 0 if there was none.
    pub(super) const fn w_max(&self) -> f64 {
        self.w_max as f64
    }

    /// The time in seconds from the beginning of the epoch until the curve reaches its maximum, and the Reno flow's window.
    pub(super) fn curve(&self) -> Option<(f64, f64)> {
        self.epoch.map(|_| (self.k as f64 / f64::from(1 << SECOND_BITS), self.reno as f64))
    }

    /// Ends the epoch because of a loss or a mark at the window `cwnd` (`cubictcp_recalc_ssthresh`).
    pub(super) const fn reduce(&mut self, cwnd: u64, fast_convergence: bool) {
        let lowers = fast_convergence && cwnd < self.w_max;
        self.w_max = if lowers { cwnd * (1024 + BETA_1024) / 2048 } else { cwnd };
        (self.epoch, self.counted) = (None, 0);
    }

    /// Takes an idle time that has just ended out of the epoch (`cubictcp_cwnd_event_tx_start`).
    pub(super) fn stop_clock(&mut self, now: Time, idle: Time) {
        let (now, before) = (self.clock.tick(now), self.clock.tick(now.saturating_sub(idle)));
        self.epoch = self.epoch.map(|epoch| (epoch + now - before).min(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: before the first loss, the window grows by a segment per 20 segments acknowledged.
    /// Source: Linux, `bictcp_update` (`cnt <= 20` while `last_max_cwnd` is 0).
    /// Tolerance: exact.
    #[test]
    fn the_window_grows_by_a_twentieth_before_the_first_loss() {
        let mut state = Linux::default();
        let growth: Vec<u64> = (0..40).map(|_| state.growth(100, 1, Time::SECOND)).collect();
        let grown: Vec<usize> = (1..=40).filter(|place| growth[place - 1] > 0).collect();
        assert_eq!(grown, [20, 40]);
    }

    /// Validates: the Reno flow's window grows by one segment per 1.875 windows.
    /// Source: Linux, `beta_scale = 15`, `delta = cwnd * beta_scale >> 3`.
    /// Tolerance: exact; 37 + 39 + 41 + 43 + 45 + 46 + 48 + 50 of the 375 segments give eight more.
    #[test]
    fn the_window_follows_reno_within_a_round_trip() {
        let (epoch, w_max) = (Some(0), 1_000_000);
        // the curve stays far below
        let mut state = Linux { w_max, epoch, k: 1 << 20, origin: 0, reno: 20, ..Linux::default() };
        let mut cwnd = 20;
        for number in 1..=375 {
            // the pace is computed again for each ACK
            cwnd += state.growth(cwnd, 1, Time::SECOND.saturating_mul(number));
        }
        assert_eq!((state.reno, cwnd), (28, 28));
    }

    /// Validates: after a loss at 100 segments, the maximum is reached again 4.217 s after the window was 70; a loss at 86
    ///     then lowers the maximum to 73.
    /// Source: RFC 9438, equation 2, with Linux' factors 717/1024 and 410/1024.
    /// Tolerance: 1/1024 s.
    #[test]
    fn reductions_and_the_time_to_the_maximum() {
        let mut state = Linux::default();
        state.reduce(100, true);
        state.growth(70, 1, Time::SECOND);
        let exact = (30.0_f64 * 1024.0 / 410.0).cbrt() * 1024.0;
        assert!((state.k as f64 - exact).abs() <= 1.0, "{} {exact}", state.k);
        state.reduce(86, true);
        assert_eq!((state.w_max, state.epoch), (73, None));
        state.reduce(60, false);
        assert_eq!(state.w_max, 60);
        assert_eq!([10.0, 100.0, 1000.0].map(|cwnd| (BETA * cwnd) as u64), [7, 70, 700]);
    }

    /// Validates: while the window stays the same, the pace is kept for seven ticks of 4 ms; an idle time does not count;
    ///     round-trip times count except in the first second of an epoch.
    /// Source: Linux, `bictcp_update` (`HZ / 32`), `cubictcp_cwnd_event`, `cubictcp_acked`.
    /// Tolerance: exact.
    #[test]
    fn time_passes_in_ticks() {
        let mut state = Linux::default();
        state.reduce(1000, true);
        let at = |ticks: u64| Time::from_millis(4 * ticks);
        state.growth(700, 1, at(1000));
        let first = state.pace;
        state.growth(700, 1, at(1007));
        assert_eq!((state.pace, state.paced_at), (first, 1000));
        state.growth(700, 1, at(1008));
        assert_eq!(state.paced_at, 1008);
        state.stop_clock(at(1500), at(400));
        assert_eq!(state.epoch, Some(1400));
        state.stop_clock(at(1500), at(1499));
        assert_eq!(state.epoch, Some(1500));
        state.sample(at(10), at(1749));
        assert_eq!(state.min_rtt, None);
        state.sample(at(10), at(1750));
        state.sample(at(20), at(1751));
        assert_eq!(state.min_rtt, Some(at(10)));
    }

    /// Validates: with ticks of 1 ms, the pace is kept for 31 of them; a second after a loss at 100 segments, the curve a round
    ///     trip of 10 ms ahead is at 87.
    /// Source: Linux, `bictcp_update` with `HZ` 1000.
    /// Tolerance: exact.
    #[test]
    fn the_clock_may_have_other_ticks() {
        let mut state = Linux::default();
        state.set_tick(Time::from_millis(1));
        state.reduce(100, true);
        state.growth(70, 1, Time::SECOND);
        state.growth(70, 1, Time::from_millis(1_031));
        assert_eq!(state.paced_at, 1_000);
        state.growth(70, 1, Time::from_millis(1_032));
        assert_eq!((state.paced_at, state.epoch), (1_032, Some(1_000)));
        state.sample(Time::from_millis(10), Time::from_millis(2_000));
        state.growth(83, 1, Time::from_millis(2_000));
        assert_eq!((state.k, state.pace), (4_316, 83 / 4));
        state.reset();
        assert_eq!((state.epoch, state.clock.hz), (None, 1_000));
    }
}
