//! The bounds of BBR version 3 on what it sends: for a short time after losses and marks, and for a long time after a probe
//! for bandwidth that was too high (draft-ietf-ccwg-bbr, sections 5.5.10 and 5.3.3.6).

use crate::delivery_rate::{LostSegment, RateSample};

/// The short-term model: bounds that follow what the path delivered in the last round trip, until the next probe.
#[derive(Clone, Debug)]
pub(super) struct ShortTerm {
    /// Bounds of the bandwidth (`bw_shortterm`) and of the flight (`inflight_shortterm`); infinite if unset.
    pub(super) bandwidth: f64,
    pub(super) inflight: f64,
    /// The largest delivery rate and the largest number of segments delivered in the present round trip.
    latest_bandwidth: f64,
    pub(super) latest_inflight: f64,
    /// The round trip ends with the first delivery of a segment that was sent after so many were delivered.
    round_end: u64,
    pub(super) round_starts: bool,
    /// Whether a loss was found in this round trip, the number of ranges of lost segments, and the last of these.
    pub(super) has_loss: bool,
    pub(super) ranges: u32,
    last_lost: u64,
}

impl Default for ShortTerm {
    fn default() -> Self {
        Self {
            bandwidth: f64::INFINITY,
            inflight: f64::INFINITY,
            latest_bandwidth: 0.0,
            latest_inflight: 0.0,
            round_end: 0,
            round_starts: false,
            has_loss: false,
            ranges: 0,
            last_lost: u64::MAX - 1,
        }
    }
}

impl ShortTerm {
    /// Removes the bounds.
    pub(super) const fn unset(&mut self) {
        (self.bandwidth, self.inflight) = (f64::INFINITY, f64::INFINITY);
    }

    /// Forgets what was delivered and lost in this round trip.
    pub(super) const fn forget(&mut self) {
        (self.has_loss, self.latest_bandwidth, self.latest_inflight) = (false, 0.0, 0.0);
    }

    /// Records a segment found lost when `delivered` segments were delivered.
    pub(super) const fn on_lost(&mut self, lost: &LostSegment, delivered: u64) {
        if !self.has_loss {
            self.round_end = delivered;
        }
        if self.last_lost.wrapping_add(1) != lost.number {
            self.ranges = self.ranges.saturating_add(1);
        }
        (self.has_loss, self.last_lost) = (true, lost.number);
    }

    /// Takes a sample before the model is updated.
    pub(super) fn take(&mut self, sample: &RateSample) {
        self.latest_bandwidth = self.latest_bandwidth.max(sample.rate.unwrap_or(0.0));
        self.latest_inflight = self.latest_inflight.max(delivered(sample));
        self.round_starts = sample.prior_delivered >= self.round_end;
        if self.round_starts {
            self.round_end = sample.delivered;
        }
    }

    /// Lowers the bounds at the end of a round trip, to what was delivered in it but not below `beta` times the last bound
    /// after a loss, and to `kept` of the flight after marks. Unset bounds begin at `bandwidth` and `cwnd`.
    pub(super) fn adapt(&mut self, bandwidth: f64, cwnd: f64, beta: f64, kept: Option<f64>) {
        let inflight = if self.inflight.is_finite() { self.inflight } else { cwnd };
        if self.has_loss {
            let bandwidth = self.bandwidth.min(bandwidth);
            self.bandwidth = self.latest_bandwidth.max(beta * bandwidth);
            self.inflight = self.latest_inflight.max(beta * inflight);
        }
        if let Some(kept) = kept {
            self.inflight = self.inflight.min(kept * inflight);
        }
    }

    /// Ends the handling of a sample: the next round trip begins with it.
    pub(super) fn advance(&mut self, sample: &RateSample) {
        if self.round_starts {
            (self.latest_bandwidth, self.latest_inflight) = (sample.rate.unwrap_or(0.0), delivered(sample));
            self.ranges = 0;
        }
    }
}

/// The number of segments delivered in the round trip of a sample (`RS.delivered`).
fn delivered(sample: &RateSample) -> f64 {
    (sample.delivered - sample.prior_delivered) as f64
}

/// The long-term model: the flight above which a probe for bandwidth lost too much.
#[derive(Clone, Debug)]
pub(super) struct LongTerm {
    /// The bound (`inflight_longterm`); infinite if unset.
    pub(super) inflight: f64,
    /// While a probe raises the bound: segments acknowledged, how many of them raise it by one, and round trips so far.
    acked: f64,
    per_increment: f64,
    rounds: u32,
}

/// The growth of the bound doubles in at most this number of round trips.
const MOST_ROUNDS: u32 = 30;

impl Default for LongTerm {
    fn default() -> Self {
        Self { inflight: f64::INFINITY, acked: 0.0, per_increment: f64::INFINITY, rounds: 0 }
    }
}

impl LongTerm {
    /// The bound without the share `headroom`, which is left to other flows, but at least `least` segments.
    pub(super) fn with_headroom(&self, headroom: f64, least: f64) -> f64 {
        if self.inflight.is_infinite() {
            return self.inflight;
        }
        (self.inflight - (headroom * self.inflight).max(1.0)).max(least)
    }

    /// Ends the growth of the bound.
    pub(super) const fn stop(&mut self) {
        self.per_increment = f64::INFINITY;
    }

    /// Prepares for the next growth.
    pub(super) const fn prepare(&mut self) {
        (self.rounds, self.acked) = (0, 0.0);
    }

    /// Lets the bound grow twice as fast: in the first round trip by one segment.
    pub(super) fn steepen(&mut self, cwnd: f64) {
        self.per_increment = (cwnd / f64::from(1_u32 << self.rounds)).max(1.0);
        self.rounds = (self.rounds + 1).min(MOST_ROUNDS);
    }

    /// Raises the bound for acknowledged segments.
    pub(super) fn raise(&mut self, acked: u64) {
        self.acked += acked as f64;
        let increments = (self.acked / self.per_increment).floor();
        if increments >= 1.0 {
            self.acked -= increments * self.per_increment;
            self.inflight += increments;
        }
    }
}

/// The flight at which losses exceeded the share `threshold`, given the segment with which they did.
pub(super) fn inflight_at_loss(lost: &LostSegment, threshold: f64) -> f64 {
    let (before, lost_before) = (lost.tx_in_flight as f64 - 1.0, lost.lost as f64 - 1.0);
    before + (threshold * before - lost_before) / (1.0 - threshold)
}
