//! All data at once: a finite transfer, or unlimited data.

use ackclock_units::{Stream, Time};

use super::{Emission, Source};

#[derive(Clone, Debug)]
pub(crate) struct Greedy {
    /// `u64::MAX` for unlimited data.
    packets: u64,
}

impl Greedy {
    pub(super) fn new(packets: Option<u64>) -> Self {
        Self { packets: packets.unwrap_or(u64::MAX) }
    }

    pub(super) const fn is_unlimited(&self) -> bool {
        self.packets == u64::MAX
    }
}

impl Source for Greedy {
    fn emit(&mut self, _: Time, _: &mut Stream) -> Emission {
        Emission { packets: self.packets, next: None }
    }
}
