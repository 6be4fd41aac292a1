//! The response of BBR version 3 to marks, which the draft leaves open: that of its authors' Linux kernel (google/bbr, branch
//! v3, `bbr_update_ecn_alpha` and `bbr_ecn_lower_bounds`).
//!
//! It applies only to paths with a short round-trip time, where queues mark at a shallow threshold. On other paths a mark
//! changes nothing.

use super::super::AckSample;

/// Weight of the last round trip in the estimated share of marked segments.
const GAIN: f64 = 1.0 / 16.0;
/// The share of the flight that a path with all segments marked removes per round trip.
const FACTOR: f64 = 1.0 / 3.0;
/// A flight is too large if more than this share of a round trip is marked; startup ends after this number of round trips.
const THRESHOLD: f64 = 0.5;
const STARTUP_ROUNDS: u32 = 2;

/// Counts of marks.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    /// The estimated share of marked segments.
    alpha: f64,
    /// Segments acknowledged and marked in the present round trip.
    acked: u64,
    marked: u64,
    /// Whether the path is one to which the response applies.
    is_eligible: bool,
    /// Whether the last round trip had marks, and too many of them.
    was_marked: bool,
    pub(super) is_high: bool,
    high_rounds: u32,
}

impl Default for Marks {
    fn default() -> Self {
        Self { alpha: 1.0, acked: 0, marked: 0, is_eligible: false, was_marked: false, is_high: false, high_rounds: 0 }
    }
}

impl Marks {
    /// The estimated share of marked segments.
    pub(super) const fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Takes an ACK.
    pub(super) fn observe(&mut self, ack: &AckSample) {
        self.acked += ack.newly_acked.max(ack.marked);
        self.marked += ack.marked;
    }

    /// Ends a round trip.
    pub(super) fn end_round(&mut self, min_rtt: f64, longest: f64) {
        self.is_eligible |= min_rtt <= longest;
        self.is_high = false;
        if self.is_eligible && self.acked > 0 {
            let share = self.marked as f64 / self.acked as f64;
            self.alpha += GAIN * (share - self.alpha);
            (self.was_marked, self.is_high) = (self.marked > 0, share > THRESHOLD);
            self.high_rounds = if self.is_high { self.high_rounds + 1 } else { 0 };
        }
        (self.acked, self.marked) = (0, 0);
    }

    /// Whether marks end startup.
    pub(super) const fn end_startup(&self) -> bool {
        self.high_rounds >= STARTUP_ROUNDS
    }

    /// What the marks of the last round trip leave of the flight, if there were any. They count once.
    pub(super) fn take(&mut self) -> Option<f64> {
        std::mem::take(&mut self.was_marked).then_some(1.0 - FACTOR * self.alpha)
    }
}
