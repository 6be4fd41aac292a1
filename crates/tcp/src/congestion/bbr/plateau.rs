//! The test whether the pipe is full: whether the bandwidth has stopped growing.

/// The pipe is full when the bandwidth has grown by less than this factor in each of so many round trips.
const GROWTH: f64 = 1.25;
const ROUNDS: u32 = 3;

/// A bandwidth to exceed, and the number of round trips in which it was not exceeded.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::congestion) struct Plateau {
    baseline: f64,
    rounds: u32,
}

impl Plateau {
    /// Begins a test with a bandwidth to exceed.
    pub(in crate::congestion) const fn restart(&mut self, baseline: f64) {
        *self = Self { baseline, rounds: 0 };
    }

    /// Takes the bandwidth of a round trip. Returns whether the pipe is full.
    pub(in crate::congestion) fn is_full(&mut self, bandwidth: f64) -> bool {
        if bandwidth >= GROWTH * self.baseline {
            self.restart(bandwidth);
        } else {
            self.rounds += 1;
        }
        self.rounds >= ROUNDS
    }
}
