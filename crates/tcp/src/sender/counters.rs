//! What a sender counts.

use crate::rtt::RoundTrips;

/// Event counts of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Segments sent, including the SYN and retransmissions.
    pub sent: u64,
    /// Number of segments retransmitted.
    pub retransmissions: u64,
    /// Retransmission timeouts with data outstanding.
    pub timeouts: u64,
    /// Fast retransmissions.
    pub fast_retransmits: u64,
    /// Duplicate ACKs received.
    pub dup_acks: u64,
    /// Round-trip samples since the last [start](crate::Sender::restart_round_trips).
    pub round_trips: RoundTrips,
}

impl Counters {
    /// Sum of two sets of counts.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            sent: self.sent + other.sent,
            retransmissions: self.retransmissions + other.retransmissions,
            timeouts: self.timeouts + other.timeouts,
            fast_retransmits: self.fast_retransmits + other.fast_retransmits,
            dup_acks: self.dup_acks + other.dup_acks,
            round_trips: self.round_trips.plus(other.round_trips),
        }
    }
}

/// Counts of events that are rarer than segments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RareCounters {
    pub(crate) retransmissions: u64,
    pub(crate) timeouts: u64,
    pub(crate) fast_retransmits: u64,
    pub(crate) dup_acks: u64,
}
