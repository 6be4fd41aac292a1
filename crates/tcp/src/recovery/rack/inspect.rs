//! What observers see of RACK's state.

use super::{Phase, Rack};
use crate::scoreboard::Scoreboard;
use crate::sender::Episode;

impl Rack {
    /// What SACK blocks have reported.
    pub(in crate::recovery) const fn board(&self) -> &Scoreboard {
        &self.board
    }

    /// Number of outstanding segments that were ever found lost.
    pub(crate) const fn ever_lost(&self) -> u64 {
        self.losses.unrepaired()
    }

    /// The current episode.
    pub(crate) const fn episode(&self) -> Episode {
        match self.phase {
            Phase::Open if self.sacked() > 0 => Episode::Disorder,
            Phase::Open => Episode::Open,
            Phase::Reducing => Episode::Cwr,
            Phase::Recovery => Episode::Recovery,
            Phase::Loss => Episode::Loss,
        }
    }
}
