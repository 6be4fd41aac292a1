//! State of the rules of a receiver's host, which only receivers with such rules have.

use ackclock_units::{Stream, Time};

use super::ReceiverConfig;
use super::adaptive::Adaptive;
use super::batch::Batch;
use super::compression::{self, Compression};
use super::round_trip::RoundTrip;
use crate::segment::Sack;

/// The state of one connection.
#[derive(Clone, Debug)]
pub(super) struct Host {
    round_trip: RoundTrip,
    pub(super) adaptive: Adaptive,
    pub(super) compression: Compression,
    /// The segments that the host gathers, if it does.
    pub(super) batch: Option<Box<Batch>>,
    /// The ACK that was released last, if there was one.
    pub(super) released: Option<Box<Released>>,
}

/// An ACK for all segments before the last one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Released {
    pub(super) next: u64,
    pub(super) sack: Sack,
    pub(super) echo: u8,
    pub(super) original: bool,
}

impl Host {
    /// For a host whose clock shows 0 at time 0.
    pub(super) fn new(config: &ReceiverConfig) -> Self {
        Self {
            round_trip: RoundTrip::NONE,
            adaptive: Adaptive::new(config),
            compression: Compression::new(config),
            batch: config.gathers().then(|| Box::new(Batch::NONE)),
            released: None,
        }
    }

    /// Lets the clock show a random time at time 0.
    pub(super) fn shift_clock(&mut self, config: &ReceiverConfig, stream: &mut Stream) {
        self.adaptive.shift_clock(config, stream);
    }

    /// The same host for the next connection.
    pub(super) fn renewed(&self, config: &ReceiverConfig) -> Self {
        Self { adaptive: self.adaptive.renewed(config), ..Self::new(config) }
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of::<Self>()
            + self.batch.as_ref().map_or(0, |_| size_of::<Batch>())
            + self.released.as_ref().map_or(0, |_| size_of::<Released>())
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
    #[inline(always)]
    pub(super) fn deadline(&self, now: Time, config: &ReceiverConfig) -> Time {
        let (most, rtt) = (config.delayed_ack_timeout, self.round_trip.get());
        let deadline = if config.adapts() { self.adaptive.deadline(now, rtt, most) } else { now + most };
        match rtt {
            Some(rtt) if config.acks_per_rtt > 0 => {
                let part = Time::from_picos(rtt.as_picos() / u64::from(config.acks_per_rtt));
                deadline.min(now.saturating_add(part))
            }
            _ => deadline,
        }
    }

    /// Until when the ACK of a packet beyond a gap waits from `now` on. `tuned` is the round-trip time of auto-tuning.
    pub(super) fn compressed_until(&self, now: Time, tuned: Option<Time>, config: &ReceiverConfig) -> Time {
        let rtt = self.round_trip.get().into_iter().chain(tuned).min();
        now.saturating_add(compression::wait(rtt, config))
    }
}
