//! Counts of packets at a link.

use super::bins::Tally;
use super::ratio;
use crate::observe::Histogram;
use crate::queue::DropReason;

/// Numbers of dropped packets by place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DropCounts {
    /// Packets that the queue did not take when they arrived.
    pub(super) arrival: u64,
    /// Packets that the queue had stored and dropped later: when they were about to leave, or to make room.
    pub(super) stored: u64,
    /// Packets lost by the link's loss model before the queue.
    pub(super) lost: u64,
    /// Packets dropped by the link's policer.
    pub(super) policed: u64,
}

impl DropCounts {
    /// All dropped packets.
    pub(super) const fn all(&self) -> u64 {
        self.arrival + self.stored + self.lost + self.policed
    }

    /// Counts a packet that was dropped when it arrived, if it `counts`.
    pub(super) fn count(&mut self, reason: DropReason, counts: bool) {
        let place = match reason {
            DropReason::Lost => &mut self.lost,
            DropReason::Policed => &mut self.policed,
            DropReason::Full | DropReason::Early => &mut self.arrival,
        };
        *place += u64::from(counts);
    }

    /// Counts a packet that was dropped after it had been stored, if it `counts`.
    pub(super) fn count_stored(&mut self, counts: bool) {
        self.stored += u64::from(counts);
    }

    const fn add(&mut self, more: &Self) {
        self.arrival += more.arrival;
        self.stored += more.stored;
        self.lost += more.lost;
        self.policed += more.policed;
    }
}

/// Counts of packets of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkMeter {
    pub(super) arrivals: Tally,
    pub(super) drops: DropCounts,
    pub(super) marks: u64,
    /// Packets that are lost after their transmission.
    pub(super) corrupted: u64,
    /// Packets that arrive before the measured time and depart or are dropped in it, minus packets that arrive in it and
    /// do so after it.
    pub(super) carried: i64,
    /// Transmission time in picoseconds.
    pub(super) busy: u64,
    /// Waiting time in packet-picoseconds.
    pub(super) waiting: u128,
    /// Waiting times of departing packets.
    pub(super) sojourn: Histogram,
}

impl LinkMeter {
    pub(super) fn departures(&self) -> u64 {
        self.arrivals.all().saturating_add_signed(self.carried - self.drops.all() as i64)
    }

    pub(super) fn loss(&self) -> Option<f64> {
        ratio(self.drops.all() as f64, self.arrivals.all() as f64)
    }

    /// The counts of all kinds together; `arrivals` are those of all kinds.
    pub(super) fn total(meters: &[Self], arrivals: Tally) -> Self {
        let mut total = Self { arrivals, ..Self::default() };
        for meter in meters {
            total.drops.add(&meter.drops);
            total.marks += meter.marks;
            total.corrupted += meter.corrupted;
            total.carried += meter.carried;
            total.busy += meter.busy;
            total.waiting += meter.waiting;
            total.sojourn.add(&meter.sojourn);
        }
        total
    }
}
