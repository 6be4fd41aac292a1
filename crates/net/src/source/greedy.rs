//! All data at once: a finite transfer, or unlimited data.

use ackclock_units::{Stream, Time};

use super::{Emission, Source};

#[derive(Clone, Debug)]
pub(crate) struct Greedy {
    packets: Option<u64>,
}

impl Greedy {
    pub(super) const fn new(packets: Option<u64>) -> Self {
        Self { packets }
    }
}

impl Source for Greedy {
    fn emit(&mut self, _: Time, _: &mut Stream) -> Emission {
        Emission { packets: self.packets.unwrap_or(u64::MAX), next: None }
    }
}
