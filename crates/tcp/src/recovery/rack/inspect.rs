//! What observers see of RACK's state.

use super::{Phase, Rack};
use crate::sender::Episode;

impl Rack {
    /// Number of outstanding segments that SACK blocks report.
    pub(crate) const fn sacked(&self) -> u64 {
        self.board.sacked()
    }

    /// Number of outstanding segments that were ever found lost.
    pub(crate) const fn ever_lost(&self) -> u64 {
        self.losses.unrepaired()
    }

    /// The current episode.
    pub(crate) const fn episode(&self) -> Episode {
        match self.phase {
            Phase::Open if self.board.sacked() > 0 => Episode::Disorder,
            Phase::Open => Episode::Open,
            Phase::Reducing => Episode::Cwr,
            Phase::Recovery => Episode::Recovery,
            Phase::Loss => Episode::Loss,
        }
    }
}
