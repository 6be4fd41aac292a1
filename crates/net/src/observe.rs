//! Observation of a run. The model does not depend on its observers: the event loop is generic over one [`Observer`],
//! so that a run without observers has no overhead.

mod capture;
mod histogram;
mod measure;
mod recorder;
mod records;
mod table;
mod watchers;

use ackclock_tcp::{Ack, Counters, Sack, Sender};
use ackclock_units::Time;

use crate::call::Control;
use crate::link::Offered;
use crate::packet::{FlowId, LinkId, Packet, SackId};
use crate::source::Playback;

pub use capture::{Capture, Captured, CapturedKind, Fate};
pub use histogram::Histogram;
pub use measure::{Facts, GroupSummary, Limited, LinkSummary, Measure, MeasureEntry, Results, Summary, measures};
pub use recorder::Recorder;
pub(crate) use recorder::flows;
pub use records::{Declared, Described, RECORDS, RecordEntry};
pub(crate) use records::{OfGroup, OfLink, Rows as EstimatedRows, Usual};
pub(crate) use table::Rows;
pub use table::{Column, Table, Values};
pub use watchers::Watchers;

/// Memory of one row of the widest record, in bytes.
pub(crate) const ROW: usize = size_of::<Captured>();

/// An observable event.
#[derive(Debug)]
pub enum Observation<'a> {
    /// A packet was offered to a link.
    Offered {
        /// The link.
        link: LinkId,
        /// The packet.
        packet: &'a Packet,
        /// The result.
        offered: Offered,
    },
    /// A packet that a link had stored leaves the queue, for transmission or because it is dropped.
    Left {
        /// The link.
        link: LinkId,
        /// The packet, without a mark that it gets at this link.
        packet: &'a Packet,
        /// Time of its arrival at the queue.
        since: Time,
        /// The transmission that starts now, or the reason of the drop.
        fate: Offered,
    },
    /// Data reached its receiver.
    Delivered {
        /// The packet.
        packet: &'a Packet,
        /// Number of data segments newly in order.
        in_order: u64,
        /// Whether the receiver already had the packet.
        duplicate: bool,
    },
    /// An ACK with SACK blocks is about to leave its receiver.
    Selective {
        /// Id of the ACK's blocks, valid until the ACK arrives or is lost.
        id: SackId,
        /// The blocks.
        sack: &'a Sack,
    },
    /// An ACK reached its sender but has not been processed yet. The sender's turn follows before anything happens at
    /// another endpoint.
    Acked {
        /// The flow.
        flow: FlowId,
        /// The connection that the ACK belongs to. The sender may have closed it.
        connection: u16,
        /// The ACK.
        ack: Ack<'a>,
        /// The sender.
        sender: &'a Sender,
    },
    /// A source of transfers supplies a transfer. Reported with the time of the request, which may have waited for a
    /// connection.
    TransferBegins {
        /// The flow.
        flow: FlowId,
        /// Size of the transfer in packets.
        packets: u64,
        /// Counters of the sender, which has not sent any packet of the transfer yet.
        before: &'a Counters,
    },
    /// A client has loaded a web page: the sender knows that all of it is delivered.
    PageEnds {
        /// The first flow of the client.
        client: FlowId,
        /// When the page was requested.
        since: Time,
    },
    /// A client of a video has loaded a chunk, or another video begins.
    Playback {
        /// The flow.
        flow: FlowId,
        /// What the client did since the last report.
        playback: &'a Playback,
    },
    /// A report of a call's receiver reached the sender.
    Reported {
        /// The flow.
        flow: FlowId,
        /// Number of the report.
        number: u64,
        /// The bitrate that the sender has set; `None` if a later report came before.
        control: Option<&'a Control>,
    },
    /// A sender has sent everything that it may send for now.
    Turn {
        /// The flow.
        flow: FlowId,
        /// The sender.
        sender: &'a Sender,
    },
}

/// An observer of a run.
pub trait Observer {
    /// Reports an event at `now`. Times never decrease at any one link or endpoint. They may decrease between different
    /// links or endpoints, and may lie beyond the end of the run: a packet is followed until another event could
    /// interfere with it.
    fn observe(&mut self, now: Time, seen: &Observation<'_>);

    /// Reports a packet that a link accepts without marking it, the most frequent event. Not inlined, and with arguments
    /// that fit into registers, so that its callers keep their registers.
    #[inline(never)]
    fn accepted(&mut self, now: Time, link: LinkId, packet: &Packet, start: Time, end: Time, arrival: Time) {
        let offered = Offered::Accepted { start, end, arrival, marked: false, lost: false };
        self.observe(now, &Observation::Offered { link, packet, offered });
    }

    /// Whether the observer wants two turns of a sender in a [single report](Self::turns) if possible.
    #[inline(always)]
    fn pairs_turns(&self) -> bool {
        false
    }

    /// Reports two turns of a sender: the first one ended at `first` with `flight` segments in flight, and the second
    /// one ends now. In between the sender only sent segments, and nothing happened at another endpoint.
    #[inline(always)]
    fn turns(&mut self, first: Time, _flight: u64, now: Time, flow: FlowId, sender: &Sender) {
        self.observe(first, &Observation::Turn { flow, sender });
        self.observe(now, &Observation::Turn { flow, sender });
    }

    /// Whether the observer needs the packets offered to this link.
    fn watches(&self, _link: LinkId) -> bool {
        true
    }

    /// Whether the observer needs the packets delivered to receivers.
    fn follows(&self) -> bool {
        true
    }

    /// Whether the observer needs the events of all endpoints in the order of time.
    fn orders_endpoints(&self) -> bool {
        true
    }
}

/// The null observer.
impl Observer for () {
    fn observe(&mut self, _: Time, _: &Observation<'_>) {}

    fn watches(&self, _: LinkId) -> bool {
        false
    }

    fn follows(&self) -> bool {
        false
    }

    fn orders_endpoints(&self) -> bool {
        false
    }
}
