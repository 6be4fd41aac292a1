//! Watching a run. The model never sees who watches: the event loop is generic over one [`Observer`] and nothing else, so
//! that not watching costs nothing.

mod capture;
mod histogram;
mod measure;
mod packets;
mod recorder;
mod table;
mod watchers;

use ackclock_tcp::{Ack, Sack, Sender};
use ackclock_units::Time;

use crate::link::Offered;
use crate::packet::{FlowId, LinkId, Packet, SackId};

pub use capture::{Capture, Captured, CapturedKind, Fate};
pub use histogram::Histogram;
pub(crate) use measure::ROWS_OF_FLOW;
pub use measure::{Facts, GroupSummary, LinkSummary, Measure, Summary};
pub use recorder::Recorder;
pub(crate) use table::Rows;
pub use table::{Column, Table, Values};
pub use watchers::Watchers;

/// Bytes of a row of a record: of the widest.
pub(crate) const ROW: usize = size_of::<Captured>();

/// Something that happened.
#[derive(Debug)]
pub enum Observation<'a> {
    /// A packet was offered to a link.
    Offered {
        /// The link.
        link: LinkId,
        /// The packet.
        packet: &'a Packet,
        /// What became of it.
        offered: Offered,
    },
    /// Data reached its receiver.
    Delivered {
        /// The packet.
        packet: &'a Packet,
        /// Segments of data that are in order now and were not before.
        in_order: u64,
        /// The receiver had it already.
        duplicate: bool,
    },
    /// An ACK with blocks beyond its number is about to leave its receiver.
    Selective {
        /// What the ACK names its blocks by, until it ends.
        id: SackId,
        /// The blocks.
        sack: &'a Sack,
    },
    /// An ACK reached its sender, which has not looked at it yet. Its turn follows before anything happens at another endpoint.
    Acked {
        /// The flow.
        flow: FlowId,
        /// The connection that it is for, which the sender may have left.
        connection: u16,
        /// The ACK.
        ack: Ack<'a>,
        /// The sender.
        sender: &'a Sender,
    },
    /// A source of transfers hands one over, observed at the time of the request: it may have waited for a connection.
    TransferBegins {
        /// The flow.
        flow: FlowId,
        /// Packets.
        packets: u64,
        /// The sender, which has sent nothing of it.
        sender: &'a Sender,
    },
    /// A sender did all that it could for now.
    Turn {
        /// The flow.
        flow: FlowId,
        /// The sender.
        sender: &'a Sender,
    },
}

/// A watcher.
pub trait Observer {
    /// Something happens at `now`. Times never decrease at any one link or endpoint, but from one to the next they may, and
    /// they may lie beyond the end of the run: a packet is followed as far as nothing can interfere with it.
    fn observe(&mut self, now: Time, seen: &Observation<'_>);

    /// Observes a packet that a link accepts, nearly every one there is: not inlined, and by numbers that fit into registers,
    /// so that those who take packets across links keep theirs.
    #[inline(never)]
    fn accepted(&mut self, now: Time, link: LinkId, packet: &Packet, start: Time, end: Time, arrival: Time) {
        let offered = Offered::Accepted { start, end, arrival };
        self.observe(now, &Observation::Offered { link, packet, offered });
    }

    /// Whether it wants to hear of packets offered to that link.
    fn watches(&self, _link: LinkId) -> bool {
        true
    }
}

/// Watches nothing.
impl Observer for () {
    fn observe(&mut self, _: Time, _: &Observation<'_>) {}

    fn watches(&self, _: LinkId) -> bool {
        false
    }
}
