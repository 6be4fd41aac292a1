//! Completion times of transfers.

use ackclock_units::Time;

/// The finite transfers of a flow, in sequence.
#[derive(Clone, Debug, Default)]
pub(super) struct Transfers {
    /// Start time of the current transfer.
    start: Time,
    /// Packets not yet received.
    missing: u64,
    /// Minimum time in which the path could carry the current transfer.
    least: Time,
    /// Transfers completed in the measured time, the sum of their completion times in seconds, and the sum of their
    /// slowdowns.
    pub(super) completed: u64,
    pub(super) seconds: f64,
    pub(super) slowdowns: f64,
}

impl Transfers {
    pub(super) const fn begin(&mut self, now: Time, packets: u64, least: Time) {
        (self.start, self.missing, self.least) = (now, packets, least);
    }

    /// Counts an arrival. Returns the completion time of the transfer if this was its last packet.
    pub(super) fn add(&mut self, now: Time, in_order: u64, measured: bool) -> Option<Time> {
        if self.missing == 0 {
            return None;
        }
        self.missing = self.missing.saturating_sub(in_order);
        let took = Some(now - self.start).filter(|_| self.missing == 0 && measured)?;
        self.completed += 1;
        self.seconds += took.as_secs_f64();
        self.slowdowns += took.as_secs_f64() / self.least.as_secs_f64();
        Some(took)
    }

    /// Whether a transfer that began before `end` is incomplete.
    pub(super) fn is_open(&self, end: Time) -> bool {
        self.missing > 0 && self.start < end
    }
}
