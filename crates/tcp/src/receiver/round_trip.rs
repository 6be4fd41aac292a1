//! The receiver's round-trip time: from the SYN-ACK to the first data, which a sender with data sends at once (Linux,
//! `tcp_synack_rtt_meas`).
//!
//! The data may arrive in any order, since in Linux the ACK that ends the handshake takes the sample before any data
//! arrives. If the SYN was sent again, the data answers the last SYN-ACK sent before it: Linux reads it from the timestamp
//! that the sender echoes (`tcp_ack_update_rtt`). A SYN that arrives after data has no effect (`tcp_sequence`).

use ackclock_units::Time;

use crate::packed_option::PackedOption;

/// The sample of the handshake.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundTrip {
    /// When the first SYN and the last SYN were answered; the first one is none after the first data.
    first: PackedOption<Time>,
    last: Time,
    sample: PackedOption<Time>,
}

impl RoundTrip {
    /// The state before the handshake.
    pub(super) const NONE: Self = Self { first: PackedOption::NONE, last: Time::ZERO, sample: PackedOption::NONE };

    /// Records a SYN that is answered at `now`.
    pub(super) fn on_syn(&mut self, now: Time) {
        if self.sample.is_none() {
            self.last = now;
            if self.first.is_none() {
                self.first = PackedOption::some(now);
            }
        }
    }

    /// Records data that was sent at `sent` and arrives at `now`. Returns the sample, if this is the first data after a
    /// handshake.
    #[inline(always)]
    pub(super) fn on_data(&mut self, sent: Time, now: Time) -> Option<Time> {
        let first = self.first.take()?;
        let answered = if self.last <= sent { self.last } else { first };
        let sample = now.saturating_sub(answered);
        self.sample = PackedOption::some(sample);
        Some(sample)
    }

    /// The sample, if there is one.
    pub(super) fn get(&self) -> Option<Time> {
        self.sample.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sample after SYNs at the given times, in ms, and data sent at 90 ms that arrives at 100 ms.
    fn sample(syns: &[u64]) -> Option<Time> {
        let mut round_trip = RoundTrip::NONE;
        for millis in syns {
            round_trip.on_syn(Time::from_millis(*millis));
        }
        round_trip.on_data(Time::from_millis(90), Time::from_millis(100))
    }

    /// Validates: the time from the SYN to the data; a duplicate of the SYN counts instead of it only if the data was sent
    ///     after the second answer.
    /// Source: Linux, `tcp_synack_rtt_meas` and `tcp_ack_update_rtt`, by hand.
    /// Tolerance: exact.
    #[test]
    fn data_answers_the_last_syn_ack_before_it() {
        let found = [&[][..], &[20], &[20, 60], &[20, 95]].map(sample);
        assert_eq!(found, [None, Some(80), Some(40), Some(80)].map(|time: Option<u64>| time.map(Time::from_millis)));
    }

    /// Validates: neither more data nor a late SYN changes the sample, which may be 0.
    /// Source: Linux, `tcp_sequence`.
    /// Tolerance: exact.
    #[test]
    fn there_is_one_sample() {
        let (at, later) = (Time::from_millis(5), Time::from_millis(9));
        let mut round_trip = RoundTrip::NONE;
        round_trip.on_syn(at);
        assert_eq!(round_trip.on_data(at, at), Some(Time::ZERO));
        round_trip.on_syn(later);
        assert_eq!((round_trip.on_data(later, later), round_trip.get()), (None, Some(Time::ZERO)));
    }
}
