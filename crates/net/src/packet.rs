//! Packets and the numbers that name things. Ids, not pointers: components live in vectors.

use ackclock_tcp::Segment;
use ackclock_units::Time;

/// A directed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub u32);

/// A flow: a source, a sender and a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowId(pub u32);

/// The number of a link or a flow in the whole plan, by which ties and random numbers go: where a part
/// of the plan is run alone, it has other numbers there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(pub(crate) u32);

/// The names of all links and flows; of those that have their number for a name, none.
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

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The opening of a connection, segment 0 of its flow.
    Syn {
        /// Whether it was sent before.
        retransmission: bool,
        /// The connection, of those that the flow has one after the other.
        connection: u16,
    },
    /// Data.
    Data {
        /// Its number in the flow's sequence space.
        number: u64,
        /// Whether it was sent before.
        retransmission: bool,
        /// The connection.
        connection: u16,
    },
    /// An acknowledgment of all segments before `next`, and of the blocks beyond that `sack` stands for.
    Ack {
        /// The next segment that the receiver expects.
        next: u64,
        /// Where its blocks are kept.
        sack: SackId,
        /// The connection.
        connection: u16,
    },
}

/// The blocks of a selective acknowledgment: most packets have none, so they do not travel in the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackId(pub(crate) u32);

impl SackId {
    /// No blocks.
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// A packet in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The flow that it belongs to.
    pub flow: FlowId,
    /// Bytes on the wire.
    pub size: u32,
    /// What it carries.
    pub payload: Payload,
    /// When an endpoint sent it.
    pub sent: Time,
}

impl Packet {
    /// No packet.
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
