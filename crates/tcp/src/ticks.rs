//! Timers that follow a clock with ticks, as in Linux.
//!
//! Linux rounds the time until a timer up to ticks of its clock (`usecs_to_jiffies`), counts them from the last tick, and
//! lets the timer fire with the tick after them. Timers of 63 ticks and more are rounded up to 8 ticks, those of 504 and
//! more to 64, and so on (`calc_index`, in `kernel/time/timer.c`). Ticks are at multiples of the
//! tick's length, less what the sender's clock showed when the run started.

use ackclock_units::{Stream, Time};

/// Number of ticks from which on timers are coarser, and number of ticks to which these are rounded, as a power of two.
const COARSER_FROM: u64 = 63;
const COARSER_BITS: u32 = 3;
/// A random phase covers this number of ticks, to which timers of 16 to 129 s are rounded with ticks of 4 ms.
const COARSEST: u64 = 512;

/// The clock that drives a sender's timers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ticks {
    /// Length of a tick; 0 for a clock without ticks.
    tick: Time,
    /// What the clock showed when the run started.
    phase: Time,
}

impl Ticks {
    pub(crate) const fn new(tick: Time, phase: Time) -> Self {
        Self { tick, phase }
    }

    /// A clock with a random phase, unless one is given.
    pub(crate) fn with_phase(tick: Time, phase: Option<Time>, stream: &mut Stream) -> Self {
        Self::new(tick, phase.unwrap_or_else(|| stream.time_below(tick.saturating_mul(COARSEST))))
    }

    /// When a timer fires that was set at `now` for the time `wait`.
    #[inline(always)]
    pub(crate) fn fires_at(self, now: Time, wait: Time) -> Time {
        if self.tick == Time::ZERO { now.saturating_add(wait) } else { self.fires_with_tick(now, wait) }
    }

    /// A time in whole ticks, rounded down (`nsecs_to_jiffies`).
    pub(crate) const fn whole(self, time: Time) -> Time {
        let picos = time.as_picos();
        match picos.checked_rem(self.tick.as_picos()) {
            Some(rest) => Time::from_picos(picos - rest),
            None => time,
        }
    }

    #[inline(never)]
    fn fires_with_tick(self, now: Time, wait: Time) -> Time {
        fires_with_tick(now.saturating_add(self.phase), wait, self.tick.as_picos()).saturating_sub(self.phase)
    }
}

fn fires_with_tick(now: Time, wait: Time, tick: u64) -> Time {
    let ticks = wait.as_picos().div_ceil(tick);
    let mut bits = 0;
    while ticks >= COARSER_FROM << bits && bits < 8 * COARSER_BITS {
        bits += COARSER_BITS;
    }
    let due = (now.as_picos() / tick).saturating_add(ticks);
    Time::from_picos((((due >> bits) + 1) << bits).saturating_mul(tick))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: the times at which timers of 1 us to 2.1 s fire with ticks of 4 ms, at and between ticks: one tick, or
    ///     8 or 64, after the time rounded up; exactly in time without ticks.
    /// Source: the rules at the head of this file; a timer of 240 ms fired after 241 to 245 ms, and one of 1 s after 1007
    ///     ms (docs/agreement_linux.md).
    /// Tolerance: exact.
    #[test]
    fn timers_fire_after_their_time_with_a_tick() {
        let fires = |now: u64, wait: u64, tick: u64| {
            let ticks = Ticks::new(Time::from_millis(tick), Time::ZERO);
            ticks.fires_at(Time::from_micros(now), Time::from_micros(wait)).as_picos() / 1_000_000
        };
        assert_eq!([fires(0, 1, 4), fires(3_999, 1, 4), fires(4_000, 4_000, 4)], [8_000, 8_000, 12_000]);
        assert_eq!(fires(101_000, 240_000, 4), 344_000);
        assert_eq!([fires(0, 248_000, 4), fires(0, 252_000, 4)], [252_000, 256_000]);
        assert_eq!([fires(3_000, 280_000, 4), fires(35_000, 280_000, 4)], [288_000, 320_000]);
        assert_eq!(fires(100_000, 1_000_000, 4), 1_120_000);
        assert_eq!(fires(0, 2_100_000, 4), 2_304_000);
        assert_eq!(fires(12_345, 240_001, 0), 252_346);
    }

    /// A time of 7.9 ms has one whole tick of 4 ms; without ticks it is whole.
    #[test]
    fn times_have_whole_ticks() {
        let whole = |tick| Ticks::new(Time::from_millis(tick), Time::ZERO).whole(Time::from_micros(7_900));
        assert_eq!([whole(4), whole(0)], [4_000, 7_900].map(Time::from_micros));
    }

    /// With a phase of 1 ms, ticks are at 3, 7, 11 ms and so on.
    #[test]
    fn a_phase_moves_the_ticks() {
        let ticks = Ticks::new(Time::from_millis(4), Time::from_millis(1));
        assert_eq!(ticks.fires_at(Time::from_millis(2), Time::from_micros(1)), Time::from_millis(7));
        assert_eq!(ticks.fires_at(Time::from_millis(3), Time::from_millis(4)), Time::from_millis(11));
    }
}
