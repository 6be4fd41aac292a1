//! Pacing: spreads segments over the round trip.
//!
//! The rate is a multiple of the window per smoothed round-trip time, larger while the window is below half of
//! `ssthresh` (Linux, `tcp_update_pacing_rate`, with the sysctls `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`). Bursts
//! of `pacing_burst` segments begin at multiples of the time that a burst takes at this rate. If the window or the
//! application holds a burst back, the next one may follow earlier by the delay, but at most by `pacing_credit` percent of
//! the interval. Linux has 50 % (`tcp_update_skb_after_send`); without credit, idle time is lost.
//!
//! The initial window is sent at once (RFC 6928; Linux), and nothing is paced before the first round-trip sample. With
//! `rack = "linux"`, the first nine segments of data, also if they are retransmissions, do not delay the next one
//! (`tcp_update_skb_after_send`).
//!
//! Difference from Linux: limited transmit, probes, and the first retransmission of a recovery do not wait, except a fast
//! retransmission of RACK with PRR.

use ackclock_units::Time;

use crate::config::{RackRule, SenderConfig};
use crate::congestion::Window;

/// Number of segments at the beginning of a connection that Linux does not pace.
const FREE: u32 = 9;

/// The state of a sender's pacing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pacer {
    /// When the next burst may begin.
    next: Time,
    /// Segments left in the present burst.
    left: u32,
    /// Segments left that are not paced.
    free: u32,
}

impl Pacer {
    /// The state before any transmission.
    pub(super) fn new(config: &SenderConfig) -> Self {
        let free = if config.rack == RackRule::Linux { FREE } else { 0 };
        Self { free, ..Self::default() }
    }

    /// Until when the next segment must wait, if it must.
    #[inline(always)]
    pub(super) fn waits_until(&self, now: Time) -> Option<Time> {
        Some(self.next).filter(|next| self.left == 0 && *next > now)
    }

    /// Time until the next burst may begin.
    pub(crate) fn delay(&self, now: Time) -> Time {
        self.next.saturating_sub(now)
    }

    /// Records a transmission at `now`; `each` is the time that a segment takes at the present rate, if there is one.
    pub(super) fn on_sent(&mut self, each: Option<Time>, config: &SenderConfig, now: Time) {
        let is_free = self.takes_free(1);
        let Some(each) = each.filter(|_| !is_free) else { return };
        if self.left == 0 || self.next <= now {
            self.left = config.pacing_burst;
            self.wait_after(self.next, each.saturating_mul(config.pacing_burst.into()), config, now);
        }
        self.left -= 1;
    }

    /// Whether `count` segments that are sent at once belong to those that are not paced.
    pub(super) fn takes_free(&mut self, count: u32) -> bool {
        let is_free = count <= self.free;
        self.free = self.free.saturating_sub(count);
        is_free
    }

    /// When the next burst may begin.
    pub(super) const fn next(&self) -> Time {
        self.next
    }

    /// Lets the next burst wait for the time `span` of a burst that is sent at `now` and was due at `due`.
    pub(super) fn wait_after(&mut self, due: Time, span: Time, config: &SenderConfig, now: Time) {
        let most = Time::from_picos(span.as_picos() / 100 * u64::from(config.pacing_credit));
        let credit = now.saturating_sub(due).min(most);
        self.next = due.max(now).saturating_add(span - credit);
    }
}

/// The time that a segment takes at the pacing rate. `flight` may exceed the window during a recovery.
pub(super) fn interval(config: &SenderConfig, window: &Window, flight: u64, srtt: f64) -> Time {
    let Window { cwnd, ssthresh } = *window;
    let percent = if cwnd < ssthresh / 2.0 { config.pacing_ss_ratio } else { config.pacing_ca_ratio };
    Time::from_secs_f64(srtt * 100.0 / (f64::from(percent) * cwnd.floor().max(flight as f64).max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: SenderConfig = SenderConfig::DEFAULT;

    /// Validates: a window of 20 segments per 40 ms, in congestion avoidance and in slow start.
    /// Source: Linux, `tcp_update_pacing_rate`: 120 % and 200 % of the window per round trip.
    /// Tolerance: a picosecond.
    #[test]
    fn the_rate_follows_the_window() {
        let each = |ssthresh, flight| interval(&CONFIG, &Window { cwnd: 20.0, ssthresh }, flight, 0.04).as_picos();
        assert!(each(20.0, 0).abs_diff(1_666_666_667) <= 1);
        assert_eq!([each(41.0, 0), each(41.0, 40)], [1_000_000_000, 500_000_000]);
    }

    /// Validates: after idle time, segments leave one at a time; with a burst of two, pairs leave. With a credit of 50 %,
    ///     the second one leaves after half of the interval, and those after it regularly.
    /// Source: the rule at the head of this file; Linux 6.18.44, measured after a round trip without data at intervals of
    ///     1.44 ms: 0.78, 1.41, 1.46 and 1.33 ms (validation/linux/data, `bbr_none`).
    /// Tolerance: exact.
    #[test]
    fn idle_time_earns_half_an_interval_at_most() {
        let each = Time::from_millis(2);
        let times = |pacing_burst, pacing_credit| {
            let config = SenderConfig { pacing_burst, pacing_credit, ..CONFIG };
            let (mut pacer, mut now) = (Pacer::default(), Time::SECOND);
            std::array::from_fn::<_, 5, _>(|_| {
                now = pacer.waits_until(now).unwrap_or(now);
                pacer.on_sent(Some(each), &config, now);
                (now - Time::SECOND).as_picos() / Time::from_millis(1).as_picos()
            })
        };
        assert_eq!(times(1, 0), [0, 2, 4, 6, 8]);
        assert_eq!(times(2, 0), [0, 0, 4, 4, 8]);
        assert_eq!(times(1, 50), [0, 1, 3, 5, 7]);
        assert_eq!(times(2, 50), [0, 0, 2, 2, 6]);
    }

    /// Validates: with Linux's rule the tenth segment is the first one that delays the next one.
    /// Source: Linux, `tcp_update_skb_after_send`.
    /// Tolerance: exact.
    #[test]
    fn the_first_nine_segments_delay_nothing() {
        let config = SenderConfig { rack: RackRule::Linux, ..CONFIG };
        let mut pacer = Pacer::new(&config);
        let waits = [0; 10].map(|_| {
            pacer.on_sent(Some(Time::from_millis(2)), &config, Time::ZERO);
            pacer.waits_until(Time::ZERO)
        });
        assert!(waits[..9].iter().all(Option::is_none) && waits[9] == Some(Time::from_millis(2)));
    }

    /// Validates: a segment that is late by a tenth of the interval moves the later ones by nothing.
    /// Source: Linux, `tcp_update_skb_after_send`: the credit is the delay, up to half of the interval.
    /// Tolerance: exact.
    #[test]
    fn a_small_delay_is_made_up() {
        let (each, late) = (Time::from_millis(10), Time::from_millis(1));
        let next = |pacing_credit| {
            let (mut pacer, config) = (Pacer::default(), SenderConfig { pacing_credit, ..CONFIG });
            pacer.on_sent(Some(each), &config, Time::ZERO);
            pacer.on_sent(Some(each), &config, each + late);
            pacer.waits_until(each + late)
        };
        assert_eq!([next(0), next(50)], [Some(each + each + late), Some(each + each)]);
    }
}
