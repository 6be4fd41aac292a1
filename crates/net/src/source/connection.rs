//! The single transfer of a connection, supplied when the connection opens. The client determines time and size of the
//! transfer (`endpoint/clients.rs`).

use ackclock_units::{Stream, Time};

use super::{Emission, Source};

#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    packets: u64,
    is_open: bool,
}

impl Connection {
    /// A connection that carries `packets` packets.
    pub(crate) const fn open(packets: u64) -> Self {
        Self { packets, is_open: true }
    }

    /// Called when everything is acknowledged. Returns whether the transfer ends now; later calls return false.
    pub(crate) const fn close(&mut self) -> bool {
        std::mem::replace(&mut self.is_open, false)
    }
}

impl Source for Connection {
    fn emit(&mut self, _: Time, _: &mut Stream) -> Emission {
        Emission { packets: self.packets, next: None }
    }
}
