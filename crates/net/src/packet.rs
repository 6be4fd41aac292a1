//! Packets and ids. Components are stored in vectors and refer to each other by id, not by pointer.

use ackclock_tcp::Segment;
use ackclock_units::Time;

/// A directed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub u32);

/// A flow: a source, a sender and a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowId(pub u32);

/// Global id of a link or a flow, which determines ties and random numbers. When a part of a plan runs alone, its local
/// ids differ from the global ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(pub(crate) u32);

/// Global ids of links and flows. Empty when every local id equals its global id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) links: Vec<u32>,
    pub(crate) flows: Vec<u32>,
}

impl Names {
    #[inline(always)]
    pub(crate) fn link(&self, LinkId(link): LinkId) -> Name {
        Name(self.links.get(link as usize).copied().unwrap_or(link))
    }

    #[inline(always)]
    pub(crate) fn flow(&self, FlowId(flow): FlowId) -> Name {
        Name(self.flows.get(flow as usize).copied().unwrap_or(flow))
    }
}

/// Content of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A SYN, segment 0 of its flow.
    Syn {
        /// Whether the SYN was sent before.
        retransmission: bool,
        /// Number of the connection; a flow may have several in sequence.
        connection: u16,
    },
    /// Data.
    Data {
        /// Number of the segment in the flow's sequence space.
        number: u64,
        /// Whether the segment was sent before.
        retransmission: bool,
        /// The connection.
        connection: u16,
    },
    /// An acknowledgment of all segments before `next`, and of the SACK blocks identified by `sack`.
    Ack {
        /// The next segment that the receiver expects.
        next: u64,
        /// Id of the ACK's SACK blocks.
        sack: SackId,
        /// The connection.
        connection: u16,
    },
}

/// Id of SACK blocks. Most packets have none, so blocks are not stored in the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackId(pub(crate) u32);

impl SackId {
    /// The id of a packet without SACK blocks.
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// A packet in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Flow of the packet.
    pub flow: FlowId,
    /// Size on the wire in bytes.
    pub size: u32,
    /// Content of the packet.
    pub payload: Payload,
    /// Time at which an endpoint sent the packet.
    pub sent: Time,
}

impl Packet {
    /// An empty packet.
    pub(crate) const NONE: Self = Self {
        flow: FlowId(0),
        size: 0,
        payload: Payload::Syn { retransmission: false, connection: 0 },
        sent: Time::ZERO,
    };

    #[inline(always)]
    pub(crate) const fn data(flow: FlowId, connection: u16, segment: Segment, sent: Time) -> Self {
        let Segment { number, size, syn, retransmission } = segment;
        let payload = if syn {
            Payload::Syn { retransmission, connection }
        } else {
            Payload::Data { number, retransmission, connection }
        };
        Self { flow, size, payload, sent }
    }
}
