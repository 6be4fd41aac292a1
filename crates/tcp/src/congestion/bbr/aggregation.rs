//! How much more than the bandwidth promises is delivered at times, because ACKs or segments travel in bursts.

use ackclock_units::Time;

use crate::congestion::signals::whole;
use crate::delivery_rate::RateSample;

/// Number of round trips of each of the two maxima.
pub(in crate::congestion) const ROUNDS: u32 = 5;
/// The excess is limited to the data of this time, in seconds.
const LONGEST: f64 = 0.1;
/// An epoch ends after this number of segments.
const MOST: f64 = (1_u64 << 20) as f64;

/// The largest excess in the last one or two periods of round trips.
#[derive(Clone, Debug, Default)]
pub(in crate::congestion) struct Aggregation {
    /// Beginning of the present epoch, and the number of segments delivered in it.
    since: Time,
    delivered: f64,
    /// The maxima of the present and of the last period of round trips, and the length of the present one.
    most: [f64; 2],
    rounds: u32,
    /// Whether the segments that the bandwidth promises are counted in whole segments.
    is_whole: bool,
}

impl Aggregation {
    /// The state before any ACK, in whole segments as in Linux.
    pub(in crate::congestion) fn in_whole_segments() -> Self {
        Self { is_whole: true, ..Self::default() }
    }

    /// Begins a new epoch.
    pub(in crate::congestion) const fn restart(&mut self, now: Time) {
        (self.since, self.delivered) = (now, 0.0);
    }

    /// The excess to allow for, in segments.
    pub(in crate::congestion) fn excess(&self, bandwidth: f64) -> f64 {
        whole(self.most[0].max(self.most[1]).min(bandwidth * LONGEST))
    }

    /// Takes an ACK. `cwnd` limits the excess. `round` states, if a round trip has passed, how many of them a period has.
    pub(in crate::congestion) fn on_ack(&mut self, sample: &RateSample, bandwidth: f64, cwnd: f64, round: Option<u32>) {
        if sample.rate.is_none() {
            return;
        }
        if let Some(period) = round {
            self.rounds += 1;
            if self.rounds >= period {
                (self.rounds, self.most) = (0, [0.0, self.most[0]]);
            }
        }
        let mut promised = bandwidth * (sample.now - self.since).as_secs_f64();
        if self.is_whole {
            promised = whole(promised);
        }
        if self.delivered <= promised || self.delivered >= MOST {
            self.restart(sample.now);
            promised = 0.0;
        }
        self.delivered += sample.newly_delivered as f64;
        let excess = (self.delivered - promised).min(cwnd);
        self.most[0] = self.most[0].max(excess);
    }
}
