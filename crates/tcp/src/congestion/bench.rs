//! A sender in the middle of its transfer, given samples by hand, for the tests of laws that sample delivery rates.

use ackclock_units::{Role, Stream, Time};

use super::{CongestionControl, Window};
use crate::delivery_rate::{LostSegment, Phase, RateSample};

/// The sender's law, window and time.
pub(super) struct Bench<L> {
    pub(super) law: L,
    pub(super) window: Window,
    pub(super) stream: Stream,
    pub(super) delivered: u64,
    pub(super) now: Time,
    /// The round-trip time of a sample.
    pub(super) rtt: Time,
}

impl<L: CongestionControl> Bench<L> {
    /// A sender with an initial window of ten segments.
    pub(super) fn with(law: L, rtt: Time) -> Self {
        let window = Window { cwnd: 10.0, ssthresh: 1e6 };
        Self { law, window, stream: Stream::new(1, Role::Sender, 0), delivered: 0, now: Time::ZERO, rtt }
    }

    /// An ACK for `delivered` segments that begins a round trip.
    pub(super) fn sample(&self, rate: f64, delivered: u64, in_flight: u64) -> RateSample {
        RateSample {
            now: self.now,
            rate: Some(rate),
            app_limited: false,
            rtt: Some(self.rtt),
            min_rtt: self.rtt,
            delivered: self.delivered + delivered,
            prior_delivered: self.delivered,
            delivered_at: self.now,
            lost: 0,
            tx_in_flight: in_flight,
            newly_delivered: delivered,
            newly_lost: 0,
            total_lost: 0,
            prior_in_flight: in_flight + delivered,
            in_flight,
            phase: Phase::Open,
            burst: 1,
            payload: 1448,
            departure: self.now,
        }
    }

    pub(super) fn give(&mut self, sample: RateSample) {
        self.delivered = sample.delivered;
        self.law.on_rate(&mut self.window, &sample, &mut self.stream);
    }

    /// A lost segment, found with the ACK of `sample`.
    pub(super) fn lose(&mut self, lost: LostSegment, sample: &RateSample) {
        self.law.on_lost(&mut self.window, &lost, sample, &mut self.stream);
    }

    /// A round trip in one ACK.
    pub(super) fn round(&mut self, rate: f64, delivered: u64, in_flight: u64) {
        self.now += self.rtt;
        self.give(self.sample(rate, delivered, in_flight));
    }
}
