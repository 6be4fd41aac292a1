//! The one transfer of a connection, handed over as it opens. When there is one, and how large it is, its client decides
//! (`clients.rs`).

use ackclock_units::{Stream, Time};

use super::{Emission, Source};

#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    packets: u64,
    is_open: bool,
}

impl Connection {
    /// One that is to carry so many packets.
    pub(crate) const fn open(packets: u64) -> Self {
        Self { packets, is_open: true }
    }

    /// All is acknowledged; whether that ends it, the first time.
    pub(crate) const fn close(&mut self) -> bool {
        std::mem::replace(&mut self.is_open, false)
    }
}

impl Source for Connection {
    fn emit(&mut self, _: Time, _: &mut Stream) -> Emission {
        Emission { packets: self.packets, next: None }
    }
}
