//! State of the rules of a receiver's host, which only receivers with such rules have.

use ackclock_units::{Stream, Time};

use super::ReceiverConfig;
use super::adaptive::Adaptive;
use super::compression::{self, Compression};
use super::round_trip::RoundTrip;

/// The state of one connection.
#[derive(Clone, Debug)]
pub(super) struct Host {
    round_trip: RoundTrip,
    pub(super) adaptive: Adaptive,
    pub(super) compression: Compression,
}

impl Host {
    /// For a host whose clock shows 0 at time 0.
    pub(super) const fn new(config: &ReceiverConfig) -> Self {
        Self { round_trip: RoundTrip::NONE, adaptive: Adaptive::new(config), compression: Compression::NONE }
    }

    /// Lets the clock show a random time at time 0.
    pub(super) fn shift_clock(&mut self, config: &ReceiverConfig, stream: &mut Stream) {
        self.adaptive.shift_clock(config, stream);
    }

    /// The same host for the next connection.
    pub(super) fn renewed(&self, config: &ReceiverConfig) -> Self {
        Self { adaptive: self.adaptive.renewed(config), ..Self::new(config) }
    }

    /// Records the SYN.
    pub(super) fn on_syn(&mut self, now: Time) {
        self.round_trip.on_syn(now);
    }

    /// Records data sent at `sent`. Returns whether it came after a pause, if that depends on the adaptive delay.
    #[inline(always)]
    pub(super) fn on_data(&mut self, in_order: bool, sent: Time, now: Time, config: &ReceiverConfig) -> Option<bool> {
        if let Some(rtt) = self.round_trip.on_data(sent, now) {
            self.adaptive.on_sample(rtt);
        }
        config.adapts().then(|| in_order && self.adaptive.on_data(now))
    }

    /// Until when an ACK waits from `now` on.
    pub(super) fn deadline(&self, now: Time, config: &ReceiverConfig) -> Time {
        let most = config.delayed_ack_timeout;
        if config.adapts() { self.adaptive.deadline(now, self.round_trip.get(), most) } else { now + most }
    }

    /// Until when the ACK of a packet beyond a gap waits from `now` on. `tuned` is the round-trip time of auto-tuning.
    pub(super) fn compressed_until(&self, now: Time, tuned: Option<Time>, config: &ReceiverConfig) -> Time {
        let rtt = self.round_trip.get().into_iter().chain(tuned).min();
        now.saturating_add(compression::wait(rtt, config))
    }
}
