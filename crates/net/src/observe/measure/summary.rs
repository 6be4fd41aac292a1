//! The results of a measurement.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::Limited;
use crate::observe::Histogram;
use crate::queue::DropReason;

/// Dropped packets by place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Drops {
    /// Packets that the queue did not take when they arrived.
    pub drops_arrival: u64,
    /// Packets that the queue had stored and dropped later: when they were about to leave, or to make room.
    pub drops_stored: u64,
    /// Packets lost by the link's loss model before the queue.
    pub drops_lost: u64,
    /// Packets dropped by the link's policer.
    pub drops_policed: u64,
}

impl Drops {
    /// All dropped packets.
    pub(super) const fn all(&self) -> u64 {
        self.drops_arrival + self.drops_stored + self.drops_lost + self.drops_policed
    }

    /// Counts a packet that was dropped when it arrived, if it `counts`.
    pub(super) fn count(&mut self, reason: DropReason, counts: bool) {
        let place = match reason {
            DropReason::Lost => &mut self.drops_lost,
            DropReason::Policed => &mut self.drops_policed,
            DropReason::Full | DropReason::Early => &mut self.drops_arrival,
        };
        *place += u64::from(counts);
    }

    /// Counts a packet that was dropped after it had been stored, if it `counts`.
    pub(super) fn count_stored(&mut self, counts: bool) {
        self.drops_stored += u64::from(counts);
    }

    /// Adds the packets of another count.
    pub(super) const fn add(&mut self, more: &Self) {
        self.drops_arrival += more.drops_arrival;
        self.drops_stored += more.drops_stored;
        self.drops_lost += more.drops_lost;
        self.drops_policed += more.drops_policed;
    }
}

/// The distribution of times in a queue, in seconds; `None` if no packet left the queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sojourn {
    /// Mean.
    pub sojourn_mean: Option<f64>,
    /// Median.
    pub sojourn_p50: Option<f64>,
    /// 95th percentile.
    pub sojourn_p95: Option<f64>,
    /// 99th percentile.
    pub sojourn_p99: Option<f64>,
    /// Maximum.
    pub sojourn_max: Option<f64>,
}

impl Sojourn {
    pub(super) fn of(times: &Histogram) -> Self {
        let quantile = |q| times.quantile(q).map(Time::as_secs_f64);
        Self {
            sojourn_mean: times.mean(),
            sojourn_p50: quantile(0.5),
            sojourn_p95: quantile(0.95),
            sojourn_p99: quantile(0.99),
            sojourn_max: quantile(1.0),
        }
    }
}

/// Summary of a run. Rates are per second, times in seconds; undefined ratios are `None`.
///
/// Only flows whose data crosses the measured link are included.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Packets offered to the queue, including dropped ones.
    pub arrivals: u64,
    /// Packets whose transmission began.
    pub departures: u64,
    /// Packets dropped.
    pub drops: u64,
    /// Packets dropped, by place.
    #[serde(flatten)]
    pub dropped: Drops,
    /// Drops divided by arrivals.
    pub loss: Option<f64>,
    /// Packets that the queue marked (ECN).
    pub marks: u64,
    /// Packets lost after their transmission.
    pub corrupted: u64,
    /// Bits transmitted per second, including headers.
    pub throughput_bps: f64,
    /// Bits of segments delivered in order for the first time, per second, including headers.
    pub goodput_bps: f64,
    /// The same without headers: bits of data that reach applications, per second.
    pub payload_bps: f64,
    /// Throughput divided by the link's rate: the fraction of time in which the link transmits.
    pub utilization: f64,
    /// Goodput divided by the link's rate.
    pub goodput_share: f64,
    /// Coefficient of variation of the arrivals per whole bin: population standard deviation divided by mean.
    pub cov: Option<f64>,
    /// Coefficient of variation of the offered Poisson load, `1 / sqrt(rate * bin)`, if all sources are Poisson.
    pub cov_poisson: Option<f64>,
    /// Time average of the number of waiting packets, excluding the packet in transmission.
    pub queue_mean: f64,
    /// Time of departing packets from arrival at the queue to the start of transmission.
    #[serde(flatten)]
    pub sojourn: Sojourn,
    /// Mean one-way delay of data packets from sender to receiver.
    pub delay_mean: Option<f64>,
    /// Interarrival jitter of RFC 3550, section 6.4.1, averaged over packets.
    pub jitter: Option<f64>,
    /// Mean round-trip sample of senders: from the transmission of a segment to the arrival of its ACK.
    pub rtt_mean: Option<f64>,
    /// Shortest round-trip sample.
    pub rtt_min: Option<f64>,
    /// Retransmission timeouts with data outstanding.
    pub timeouts: u64,
    /// Fast retransmissions.
    pub fast_retransmits: u64,
    /// Duplicate ACKs received by senders.
    pub dup_acks: u64,
    /// Segments retransmitted.
    pub retransmissions: u64,
    /// Data packets that reached a receiver that already had them.
    pub duplicates: u64,
    /// Timeouts divided by duplicate ACKs.
    pub timeouts_per_dup_ack: Option<f64>,
    /// Jain's fairness index over the flows' goodput.
    pub jain_index: Option<f64>,
    /// Jain's fairness index over the groups' goodput per flow.
    pub jain_between: Option<f64>,
    /// Flows whose goodput is below 2 % of both their offered load and their fair share, which is the link's rate
    /// divided by the number of flows.
    pub shut_off: u64,
    /// Flows whose goodput is below 10 % of both their offered load and their fair share.
    pub starved: u64,
}

/// The summary of one group; undefined ratios are `None`. Packets are counted if the group's senders send them across
/// the measured link.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "same fields as Summary, plus fields about finite transfers")]
pub struct GroupSummary {
    pub clients: u32,
    pub arrivals: u64,
    pub departures: u64,
    pub drops: u64,
    #[serde(flatten)]
    pub dropped: Drops,
    pub loss: Option<f64>,
    pub marks: u64,
    pub corrupted: u64,
    pub throughput_bps: f64,
    pub goodput_bps: f64,
    pub payload_bps: f64,
    pub cov: Option<f64>,
    pub cov_poisson: Option<f64>,
    pub queue_mean: f64,
    #[serde(flatten)]
    pub sojourn: Sojourn,
    pub delay_mean: Option<f64>,
    pub jitter: Option<f64>,
    pub rtt_mean: Option<f64>,
    pub rtt_min: Option<f64>,
    pub timeouts: u64,
    pub fast_retransmits: u64,
    pub dup_acks: u64,
    pub retransmissions: u64,
    pub duplicates: u64,
    pub timeouts_per_dup_ack: Option<f64>,
    pub jain_index: Option<f64>,
    pub shut_off: u64,
    pub starved: u64,
    /// Number of completed transfers.
    pub completed: u64,
    /// Mean completion time: from the supply of the transfer until the receiver has all of it.
    pub completion_mean: Option<f64>,
    /// Median completion time.
    pub completion_p50: Option<f64>,
    /// 95th percentile of completion times.
    pub completion_p95: Option<f64>,
    /// 99th percentile of completion times.
    pub completion_p99: Option<f64>,
    /// Mean slowdown: completion time divided by the minimum time in which the path could carry the transfer.
    pub slowdown_mean: Option<f64>,
    /// What limited the senders.
    #[serde(flatten)]
    pub limited: Limited,
}

/// Facts about a run from which notices to the user are derived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Highest average queue that RED computed at the measured link.
    pub red_avg_max: Option<f64>,
    /// For each group, the number of transfers that began but were not completed.
    pub unfinished: Vec<u64>,
    /// For each group, the number of requests that waited for a connection.
    pub waited: Vec<u64>,
    /// For each group, its arrivals at the measured link in the first, second and last third of the whole bins.
    pub thirds: Vec<[u64; 3]>,
    /// Bytes with headers of data whose transmission at the measured link began before the measured time, but which was
    /// not yet delivered when that time began.
    pub crossed_before: u64,
    /// Arrivals in each whole bin at the measured link.
    pub bins: Vec<u32>,
}
