//! What a sender counts.

use crate::rtt::RoundTrips;
use crate::tally::Tally;

/// Event counts of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Segments sent, including the SYN and retransmissions.
    pub sent: u64,
    /// Number of turns. A turn is a sequence of transmissions that ends when the sender may send nothing more.
    pub turns: u64,
    /// Number of turns limited only by the advertised window.
    pub window_limited: u64,
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
            turns: self.turns + other.turns,
            window_limited: self.window_limited + other.window_limited,
            retransmissions: self.retransmissions + other.retransmissions,
            timeouts: self.timeouts + other.timeouts,
            fast_retransmits: self.fast_retransmits + other.fast_retransmits,
            dup_acks: self.dup_acks + other.dup_acks,
            round_trips: self.round_trips.plus(other.round_trips),
        }
    }
}

/// Counts of events that are rarer than turns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RareCounters {
    pub(crate) window_limited: Tally,
    pub(crate) retransmissions: Tally,
    pub(crate) timeouts: Tally,
    pub(crate) fast_retransmits: Tally,
    pub(crate) dup_acks: Tally,
}
