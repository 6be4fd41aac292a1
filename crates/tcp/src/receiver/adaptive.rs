//! The adaptive delay of ACKs in Linux (`net/ipv4/tcp_input.c`, `tcp_event_data_recv`; `net/ipv4/tcp_output.c`,
//! `tcp_send_delayed_ack`; `net/ipv4/tcp_timer.c`, `tcp_delack_timer_handler`).
//!
//! - The delay begins at 40 ms. A packet at most 20 ms after the last one halves the distance to 40 ms; a later one, but
//!   within the delay, moves it to half of the delay plus the interval; a delayed ACK that no packet saved doubles it. It is
//!   at most the receiver's retransmission timeout.
//! - An ACK waits for at most this delay, the receiver's smoothed round-trip time if that is above 40 ms, and
//!   `delayed_ack_timeout`, 200 ms.
//! - A pause longer than the retransmission timeout is answered by quick ACKs (`delay.rs`).
//!
//! The receiver has one sample of its round-trip time, that of its SYN-ACK: from the SYN to the first data, which a sender
//! with data sends at once. Its retransmission timeout is that time plus twice of it, but at least 200 ms more.
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
    /// When the last data in order arrived, or the SYN.
    last: Time,
    /// Round-trip time of the handshake; zero before the first data, or without a handshake.
    rtt: Time,
    timeout: Time,
    ticks: Ticks,
}

impl Adaptive {
    /// For a receiver whose clock shows 0 at time 0.
    pub(super) const fn new(config: &ReceiverConfig) -> Self {
        let ticks = Ticks::new(config.delayed_ack_tick, Time::ZERO);
        Self { delay: Time::ZERO, last: Time::ZERO, rtt: Time::ZERO, timeout: FIRST_TIMEOUT, ticks }
    }

    /// Lets the clock show a random time at time 0.
    pub(super) fn shift_clock(&mut self, config: &ReceiverConfig, stream: &mut Stream) {
        self.ticks = Ticks::with_phase(config.delayed_ack_tick, None, stream);
    }

    /// The same receiver for the next connection.
    pub(super) const fn renewed(&self, config: &ReceiverConfig) -> Self {
        Self { ticks: self.ticks, ..Self::new(config) }
    }

    /// Records the SYN.
    pub(super) const fn open(&mut self, now: Time) {
        self.last = now;
    }

    /// Records data in order; `has_handshake` states whether a SYN preceded it. Returns whether it came after a pause.
    pub(super) fn on_data(&mut self, now: Time, has_handshake: bool) -> bool {
        let interval = now.saturating_sub(self.last);
        self.last = now;
        if self.delay == Time::ZERO {
            self.delay = SHORTEST;
            if has_handshake {
                self.rtt = interval;
                self.timeout = interval.saturating_add(interval.saturating_mul(2).max(LEAST_VARIATION));
            }
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

    /// Records that the timer has sent an ACK.
    pub(super) fn on_timer(&mut self) {
        self.delay = self.delay.saturating_mul(2).min(self.timeout);
    }

    /// Until when an ACK waits from `now` on, for at most the time `most`, rounded up to ticks (`ticks.rs`).
    pub(super) fn deadline(&self, now: Time, most: Time) -> Time {
        let bound = if self.rtt == Time::ZERO { most } else { self.rtt.max(SHORTEST) };
        self.ticks.fires_at(now, self.delay.max(SHORTEST).min(bound).min(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Time = Time::from_millis(200);

    /// The wait in ms.
    fn waits_for(adaptive: &Adaptive) -> u64 {
        adaptive.deadline(Time::ZERO, MOST).as_picos() / Time::from_millis(1).as_picos()
    }

    /// The wait after data at the given times in ms; the SYN comes at time 0.
    fn waits<const N: usize>(times: [u64; N]) -> [u64; N] {
        let mut adaptive = Adaptive::new(&ReceiverConfig::default());
        adaptive.open(Time::ZERO);
        times.map(|millis| {
            adaptive.on_data(Time::from_millis(millis), true);
            waits_for(&adaptive)
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
        let mut adaptive = Adaptive::new(&ReceiverConfig::default());
        adaptive.open(Time::ZERO);
        adaptive.on_data(Time::from_millis(300), true);
        let doubled = [(); 4].map(|()| {
            adaptive.on_timer();
            waits_for(&adaptive)
        });
        assert_eq!(doubled, [80, 160, 200, 200]);
        // 640 ms; half of it and 20 ms
        adaptive.on_data(Time::from_millis(310), true);
        adaptive.on_data(Time::from_millis(320), true);
        adaptive.on_data(Time::from_millis(330), true);
        assert_eq!(waits_for(&adaptive), 115);
    }

    /// Validates: a pause is longer than the retransmission timeout: 900 ms after a handshake of 300 ms, 250 ms after one
    ///     of 50 ms.
    /// Source: Linux, `tcp_event_data_recv`; `tcp_rtt_estimator` for the first sample.
    /// Tolerance: exact.
    #[test]
    fn a_pause_is_longer_than_the_timeout() {
        for (rtt, timeout) in [(300, 900), (50, 250)] {
            let pauses = [timeout, timeout + 1].map(|interval| {
                let mut adaptive = Adaptive::new(&ReceiverConfig::default());
                adaptive.open(Time::ZERO);
                adaptive.on_data(Time::from_millis(rtt), true);
                adaptive.on_data(Time::from_millis(rtt + interval), true)
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
        let deadline = |adaptive: &Adaptive| adaptive.deadline(Time::from_millis(101), MOST);
        assert_eq!(deadline(&adaptive), Time::from_millis(144));
        adaptive.ticks = Ticks::new(config.delayed_ack_tick, Time::from_millis(3));
        assert_eq!(deadline(&adaptive), Time::from_millis(145));
        assert_eq!(deadline(&adaptive.renewed(&config)), Time::from_millis(145));
    }
}
