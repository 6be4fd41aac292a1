//! Sources: where data comes from. A source sees neither the network nor the sender, so it can be asked for its next packet
//! only when the sender has use for it; what was never asked for was never drawn.
//!
//! Each source lives in a file of its own and is registered in [`SourceSpec`].

mod constant;
mod greedy;
mod poisson;

use std::fmt::Debug;

use ackclock_units::{Stream, Time};

use crate::plan::SourceSpec;

/// Data handed over at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// Packets handed over now.
    pub packets: u64,
    /// When to ask again; `None` if there will be no more.
    pub next: Option<Time>,
}

/// A traffic source.
pub trait Source: Debug + Send {
    /// What it hands over at `now`: first asked at the flow's start, then whenever the last emission said.
    fn emit(&mut self, now: Time, stream: &mut Stream) -> Emission;
}

/// A source at work. An enum and not a trait object: every packet is drawn from one.
#[derive(Debug)]
pub(crate) enum AnySource {
    Poisson(poisson::Poisson),
    Constant(constant::Constant),
    Greedy(greedy::Greedy),
}

impl Source for AnySource {
    #[inline(always)]
    fn emit(&mut self, now: Time, stream: &mut Stream) -> Emission {
        match self {
            Self::Poisson(source) => source.emit(now, stream),
            Self::Constant(source) => source.emit(now, stream),
            Self::Greedy(source) => source.emit(now, stream),
        }
    }
}

impl SourceSpec {
    pub(crate) fn build(&self) -> AnySource {
        match *self {
            Self::Poisson { rate } => AnySource::Poisson(poisson::Poisson::new(rate)),
            Self::Constant { rate } => AnySource::Constant(constant::Constant::new(rate)),
            Self::Greedy { packets } => AnySource::Greedy(greedy::Greedy::new(packets)),
        }
    }

    /// Mean packets per second, for a source that has a rate.
    pub(crate) const fn rate(&self) -> Option<f64> {
        match self {
            Self::Poisson { rate } | Self::Constant { rate } => Some(*rate),
            Self::Greedy { .. } => None,
        }
    }
}
