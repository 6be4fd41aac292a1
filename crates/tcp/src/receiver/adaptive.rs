//! The adaptive delay of ACKs in Linux 6.18 (`net/ipv4/tcp_input.c`, `tcp_event_data_recv` and `tcp_enter_quickack_mode`;
//! `net/ipv4/tcp_output.c`, `tcp_send_delayed_ack`; `net/ipv4/tcp_timer.c`, `tcp_delack_timer_handler`).
//!
//! - The delay begins at 40 ms. A packet at most 20 ms after the last one halves the distance to 40 ms; a later one, but
//!   within the delay, moves it to half of the delay plus the interval; a delayed ACK that no packet saved doubles it. It is
//!   at most the receiver's retransmission timeout. Only packets in order count.
//! - A duplicate of a packet in order, and the last of several quick ACKs, set it to 40 ms (`tcp_enter_quickack_mode`,
//!   `tcp_dec_quickack_mode`).
//! - An ACK waits for at most this delay, the receiver's smoothed round-trip time if that is above 40 ms, and
//!   `delayed_ack_timeout`, 200 ms less a tick (`tcp_delack_max`).
//! - A pause longer than the retransmission timeout is answered by quick ACKs (`delay.rs`).
//!
//! The receiver sends no data, so it has one sample of its round-trip time (`round_trip.rs`). Its retransmission timeout is
//! that time plus twice of it, but at least 200 ms more.
//!
//! The timer fires with a tick of the receiver's clock (`delayed_ack_tick`), so ACKs of the timer do not keep the rhythm of
//! the link that brought the packets.
//!
//! Differences from Linux: the delay is exact instead of whole ticks.

use ackclock_units::{Stream, Time};

use super::ReceiverConfig;
use crate::ticks::Ticks;

/// `TCP_ATO_MIN` and `TCP_DELACK_MIN`.
const SHORTEST: Time = Time::from_millis(40);
/// `TCP_RTO_MIN`, the least part of the timeout for the variation of the round-trip time.
const LEAST_VARIATION: Time = Time::from_millis(200);
/// The timeout before the first sample (`TCP_TIMEOUT_INIT`).
const FIRST_TIMEOUT: Time = Time::SECOND;

/// The delay of a receiver's ACKs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adaptive {
    /// The delay; zero before the first data.
    delay: Time,
    /// When the last data in order arrived.
    last: Time,
    timeout: Time,
    ticks: Ticks,
}

impl Adaptive {
    /// For a receiver whose clock shows 0 at time 0.
    pub(super) const fn new(config: &ReceiverConfig) -> Self {
        let ticks = Ticks::new(config.delayed_ack_tick, Time::ZERO);
        Self { delay: Time::ZERO, last: Time::ZERO, timeout: FIRST_TIMEOUT, ticks }
    }

    /// Lets the clock show a random time at time 0.
    pub(super) fn shift_clock(&mut self, config: &ReceiverConfig, stream: &mut Stream) {
        self.ticks = Ticks::with_phase(config.delayed_ack_tick, None, stream);
    }

    /// The same receiver for the next connection.
    pub(super) const fn renewed(&self, config: &ReceiverConfig) -> Self {
        Self { ticks: self.ticks, ..Self::new(config) }
    }

    /// Records the sample of the round-trip time.
    pub(super) fn on_sample(&mut self, rtt: Time) {
        self.timeout = rtt.saturating_add(rtt.saturating_mul(2).max(LEAST_VARIATION));
    }

    /// Records data in order. Returns whether it came after a pause.
    pub(super) fn on_data(&mut self, now: Time) -> bool {
        let interval = now.saturating_sub(self.last);
        self.last = now;
        if self.delay == Time::ZERO {
            self.delay = SHORTEST;
            return false;
        }
        let half = |time: Time| Time::from_picos(time.as_picos() / 2);
        if interval <= half(SHORTEST) {
            self.delay = half(self.delay).saturating_add(half(SHORTEST));
        } else if interval < self.delay {
            self.delay = half(self.delay).saturating_add(interval).min(self.timeout);
        }
        interval > self.timeout
    }

    /// Sets the delay to its least value.
    pub(super) const fn deflate(&mut self) {
        self.delay = SHORTEST;
    }

    /// Records that the timer has sent an ACK.
    pub(super) fn on_timer(&mut self) {
        self.delay = self.delay.saturating_mul(2).min(self.timeout);
    }

    /// Until when an ACK waits from `now` on, for at most the time `most`, rounded up to ticks (`ticks.rs`). `rtt` is the
    /// round-trip time, if it is known.
    pub(super) fn deadline(&self, now: Time, rtt: Option<Time>, most: Time) -> Time {
        let bound = rtt.map_or(most, |rtt| rtt.max(SHORTEST));
        self.ticks.fires_at(now, self.delay.max(SHORTEST).min(bound).min(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Time = Time::from_millis(200);

    /// After a handshake of `millis`, whose last data arrived at the same time.
    fn begun(millis: u64) -> (Adaptive, Time) {
        let (mut adaptive, rtt) = (Adaptive::new(&ReceiverConfig::default()), Time::from_millis(millis));
        adaptive.on_sample(rtt);
        adaptive.on_data(rtt);
        (adaptive, rtt)
    }

    /// The wait in ms.
    fn waits_for(adaptive: &Adaptive, rtt: Time) -> u64 {
        adaptive.deadline(Time::ZERO, Some(rtt), MOST).as_picos() / Time::from_millis(1).as_picos()
    }

    /// The wait after data at the given times in ms; the handshake takes until the first of them.
    fn waits<const N: usize>(times: [u64; N]) -> [u64; N] {
        let (mut adaptive, rtt) = begun(times[0]);
        times.map(|millis| {
            if Time::from_millis(millis) > rtt {
                adaptive.on_data(Time::from_millis(millis));
            }
            waits_for(&adaptive, rtt)
        })
    }

    /// Validates: the delay for intervals of 10, 30 and 100 ms after a handshake of 100 ms: 40 ms; it grows with longer
    ///     intervals that are within it, but not beyond the round-trip time of 100 ms.
    /// Source: Linux, `tcp_event_data_recv` and `tcp_send_delayed_ack`, by hand.
    /// Tolerance: exact.
    #[test]
    fn the_delay_follows_the_intervals() {
        assert_eq!(waits([100, 110, 120]), [40, 40, 40]);
        // 20 + 30 = 50, 25 + 45 = 70, 35 + 60 = 95, 47.5 + 90 > 100
        assert_eq!(waits([100, 130, 175, 235, 325]), [40, 50, 70, 95, 100]);
        assert_eq!(waits([100, 200, 300]), [40, 40, 40], "an interval beyond the delay says nothing");
    }

    /// Validates: each ACK that the timer sends doubles the delay, up to the round-trip time and 200 ms; a quick packet
    ///     halves the distance to 40 ms.
    /// Source: Linux, `tcp_delack_timer_handler`.
    /// Tolerance: exact.
    #[test]
    fn a_timer_that_fires_doubles_the_delay() {
        let (mut adaptive, rtt) = begun(300);
        let doubled = [(); 4].map(|()| {
            adaptive.on_timer();
            waits_for(&adaptive, rtt)
        });
        assert_eq!(doubled, [80, 160, 200, 200]);
        // 640 ms; half of it and 20 ms
        for millis in [310, 320, 330] {
            adaptive.on_data(Time::from_millis(millis));
        }
        assert_eq!(waits_for(&adaptive, rtt), 115);
    }

    /// Validates: a round-trip time of 0 is a sample like any other: the delay does not exceed 40 ms. Without a sample, it
    ///     does.
    /// Source: Linux, `tcp_send_delayed_ack` (`srtt_us`).
    /// Tolerance: exact.
    #[test]
    fn a_round_trip_of_no_time_is_known() {
        let mut adaptive = begun(0).0;
        adaptive.on_timer();
        assert_eq!(waits_for(&adaptive, Time::ZERO), 40);
        assert_eq!(adaptive.deadline(Time::ZERO, None, MOST), Time::from_millis(80));
    }

    /// Validates: a pause is longer than the retransmission timeout: 900 ms after a handshake of 300 ms, 250 ms after one
    ///     of 50 ms.
    /// Source: Linux, `tcp_event_data_recv`; `tcp_rtt_estimator` for the first sample.
    /// Tolerance: exact.
    #[test]
    fn a_pause_is_longer_than_the_timeout() {
        for (rtt, timeout) in [(300, 900), (50, 250)] {
            let pauses = [timeout, timeout + 1].map(|interval| {
                let (mut adaptive, _) = begun(rtt);
                adaptive.on_data(Time::from_millis(rtt + interval))
            });
            assert_eq!(pauses, [false, true]);
        }
    }

    /// Validates: with ticks of 4 ms, an ACK of data at 101 ms waits until 144 ms, the tick after 100 + 40 ms; a clock that
    ///     shows 3 ms at time 0 has its ticks 3 ms earlier, and keeps them for the next connection.
    /// Source: Linux, `calc_index`, by hand (`ticks.rs`).
    /// Tolerance: exact.
    #[test]
    fn the_timer_fires_with_a_tick() {
        let config = ReceiverConfig { delayed_ack_tick: Time::from_millis(4), ..ReceiverConfig::default() };
        let mut adaptive = Adaptive::new(&config);
        let deadline = |adaptive: &Adaptive| adaptive.deadline(Time::from_millis(101), None, MOST);
        assert_eq!(deadline(&adaptive), Time::from_millis(144));
        adaptive.ticks = Ticks::new(config.delayed_ack_tick, Time::from_millis(3));
        assert_eq!(deadline(&adaptive), Time::from_millis(145));
        assert_eq!(deadline(&adaptive.renewed(&config)), Time::from_millis(145));
    }
}
