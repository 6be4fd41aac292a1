//! Packets and ids. Components are stored in vectors and refer to each other by id, not by pointer.
//!
//! A packet is stored in 24 bytes, so that a pending event fits into half a cache line. [`Packet::payload`] returns its
//! content in readable form.

use ackclock_tcp::{Ecn, HEADER, Mark, Segment};
use ackclock_units::Time;

use crate::sizes::LONGEST;

/// A directed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub u32);

/// A flow: a source, a sender and a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowId(pub u32);

/// Maximum number of flows in a run.
pub(crate) const MAX_FLOWS: u64 = 4_000_000;

/// Global id of a link or a flow, which determines ties and random numbers. When a part of a plan runs alone, its local
/// ids differ from the global ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(pub(crate) u32);

/// Global ids of links, flows and nodes. Empty when every local id equals its global id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) links: Vec<u32>,
    pub(crate) flows: Vec<u32>,
    pub(crate) nodes: Vec<u32>,
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
        /// Number of the connection, modulo 1,024; a flow may have several in sequence.
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
    /// An acknowledgment of all segments before `next`, and of the SACK blocks identified by `sack`. A window that
    /// ACKs carry is stored with the blocks, and such an ACK has an id even without blocks.
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

/// Connection numbers wrap around at this number. A connection is complete before the next one of its flow begins; if
/// links reorder packets, late ones of earlier connections may still be in the network.
pub(crate) const CONNECTIONS: u16 = 1 << 10;

const _: () = assert!(MAX_FLOWS * CONNECTIONS as u64 <= 1 << 32, "flow and connection fit into 32 bits");

/// Segment numbers are below this number. A run with more segments would take a day; it ends with an error
/// (`guard/memory.rs`).
pub(crate) const MAX_SEGMENTS: u64 = 1 << 40;

/// A packet in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Time at which an endpoint sent the packet.
    pub sent: Time,
    header: Header,
    /// Flow, and number of the connection modulo [`CONNECTIONS`].
    address: u32,
    sack: SackId,
}

/// What the network needs of a packet: segment number (40 bits), size in bytes (16 bits), and flags (8 bits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header(u64);

impl Header {
    /// The flags. The three bits from [`ECN_AT`](Self::ECN_AT) are ECN's: in data the codepoint and [`CWR`](Self::CWR), in
    /// an ACK the echo.
    const ACK: u64 = 1 << 0;
    const SYN: u64 = 1 << 1;
    const RETRANSMISSION: u64 = 1 << 2;
    /// In an ACK: it answers an original.
    const ORIGINAL: u64 = Self::RETRANSMISSION;
    const SACK: u64 = 1 << 3;
    const CWR: u64 = 1 << 6;
    /// In data: the segment is [pushed](Segment::pushed).
    const PUSH: u64 = 1 << 7;

    const ECN_AT: u32 = 4;

    const SIZE_AT: u32 = 8;
    const NUMBER_AT: u32 = 24;

    const fn new(number: u64, size: u32, flags: u64) -> Self {
        debug_assert!(number < MAX_SEGMENTS && size <= LONGEST, "plans are checked");
        Self(number << Self::NUMBER_AT | (size as u64) << Self::SIZE_AT | flags)
    }

    const fn has(self, flag: u64) -> bool {
        self.0 & flag != 0
    }

    /// The segment number.
    #[inline(always)]
    pub(crate) const fn number(self) -> u64 {
        self.0 >> Self::NUMBER_AT
    }

    /// The same header with the id of SACK blocks in place of the number.
    #[cold]
    #[inline(never)]
    pub(crate) const fn with_sack(self, SackId(sack): SackId) -> Self {
        self.with_number(sack as u64)
    }

    /// The inverse of [`with_sack`](Self::with_sack).
    pub(crate) const fn sack(self) -> SackId {
        SackId(self.number() as u32)
    }

    /// The same header with another number.
    pub(crate) const fn with_number(self, number: u64) -> Self {
        Self(number << Self::NUMBER_AT | self.0 & ((1 << Self::NUMBER_AT) - 1))
    }

    /// Whether the packet is an ACK with SACK blocks.
    #[inline(always)]
    pub(crate) const fn has_sack(self) -> bool {
        self.has(Self::SACK)
    }
}

impl Packet {
    /// An empty packet.
    pub(crate) const NONE: Self = Self::empty(FlowId(0));

    /// An empty packet of a flow.
    pub(crate) const fn empty(flow: FlowId) -> Self {
        Self::new(flow, 0, Payload::Syn { retransmission: false, connection: 0 }, Time::ZERO)
    }

    /// A packet. Its size must be at most [`LONGEST`].
    #[inline(always)]
    pub const fn new(flow: FlowId, size: u32, payload: Payload, sent: Time) -> Self {
        let (number, flags, retransmission, connection, sack) = match payload {
            Payload::Data { number, retransmission, connection } => {
                (number, 0, retransmission, connection, SackId::NONE)
            }
            Payload::Syn { retransmission, connection } => (0, Header::SYN, retransmission, connection, SackId::NONE),
            Payload::Ack { next, sack, connection } => {
                let blocks = if sack.0 == SackId::NONE.0 { 0 } else { Header::SACK };
                (next, Header::ACK | blocks, false, connection, sack)
            }
        };
        let flags = flags | if retransmission { Header::RETRANSMISSION } else { 0 };
        let address = flow.0 * CONNECTIONS as u32 + connection as u32;
        Self { sent, header: Header::new(number, size, flags), address, sack }
    }

    #[inline(always)]
    pub(crate) const fn data(flow: FlowId, connection: u16, segment: Segment, sent: Time) -> Self {
        let Segment { number, size, syn, retransmission, ecn, cwr, pushed } = segment;
        let payload = if syn {
            Payload::Syn { retransmission, connection }
        } else {
            Payload::Data { number, retransmission, connection }
        };
        let packet = Self::new(flow, size, payload, sent);
        let push = if pushed { Header::PUSH } else { 0 };
        let flags = (ecn as u64) << Header::ECN_AT | if cwr { Header::CWR } else { 0 } | push;
        Self { header: Header(packet.header.0 | flags), ..packet }
    }

    /// The ECN field of data; an ACK is not ECN-capable (RFC 3168, section 6.1.4).
    #[inline(always)]
    pub const fn ecn(&self) -> Ecn {
        if self.is_ack() { Ecn::NotEct } else { Ecn::from_bits((self.header.0 >> Header::ECN_AT) as u8) }
    }

    /// The same data with the codepoint CE.
    #[must_use]
    pub const fn marked(self) -> Self {
        debug_assert!(self.ecn().is_capable(), "only ECN-capable packets are marked");
        Self { header: Header(self.header.0 | (Ecn::Ce as u64) << Header::ECN_AT), ..self }
    }

    /// Whether the sender of this data has reduced its window.
    pub const fn cwr(&self) -> bool {
        !self.is_ack() && self.header.has(Header::CWR)
    }

    /// The ECN flags of the TCP header, AE, CWR and ECE: of data CWR, of an ACK the [echo](Self::echo). As classic
    /// feedback, the echo is the flag ECE (RFC 3168, section 6.1); as a counter, it takes all three (RFC 9768,
    /// section 3.2.2.1).
    pub(crate) const fn ecn_flags(&self) -> u8 {
        if self.is_ack() { self.echo() } else { (self.cwr() as u8) << 1 }
    }

    /// Whether the data is [pushed](Segment::pushed).
    pub const fn pushed(&self) -> bool {
        !self.is_ack() && self.header.has(Header::PUSH)
    }

    /// What the headers of data, which is no probe, tell its receiver.
    #[inline(always)]
    pub(crate) const fn mark(&self) -> Mark {
        const CE: u64 = (Ecn::Ce as u64) << Header::ECN_AT;
        debug_assert!(!self.is_ack(), "an ACK has an echo instead");
        let again = self.header.has(Header::RETRANSMISSION);
        Mark {
            ce: self.header.0 & CE == CE,
            cwr: self.header.has(Header::CWR),
            again,
            sent: self.sent,
            pushed: self.header.has(Header::PUSH),
            probe: false,
        }
    }

    /// Whether data of TCP is a [probe](Segment::is_probe) of a closed window.
    pub(crate) const fn is_probe(&self) -> bool {
        self.size() == HEADER && !self.is_syn()
    }

    /// Whether data was sent before.
    #[inline(always)]
    pub(crate) const fn is_retransmission(&self) -> bool {
        debug_assert!(!self.is_ack(), "an ACK is sent once");
        self.header.has(Header::RETRANSMISSION)
    }

    /// The [echo](ackclock_tcp::Ack::echo) of an ACK.
    #[inline(always)]
    pub const fn echo(&self) -> u8 {
        (self.header.0 >> Header::ECN_AT) as u8 & 0b111
    }

    /// Whether an ACK answers an [original](ackclock_tcp::Ack::original).
    pub(crate) const fn answers_original(&self) -> bool {
        self.is_ack() && self.header.has(Header::ORIGINAL)
    }

    /// The same ACK for an original, if `original`.
    #[inline(always)]
    pub(crate) const fn for_original(self, original: bool) -> Self {
        Self { header: Header(self.header.0 | if original { Header::ORIGINAL } else { 0 }), ..self }
    }

    /// The same ACK with another echo.
    #[inline(always)]
    pub(crate) const fn with_echo(self, echo: u8) -> Self {
        Self { header: Header(self.header.0 | (echo as u64) << Header::ECN_AT), ..self }
    }

    /// The answer to data: an ACK without SACK blocks.
    #[inline(always)]
    pub(crate) const fn answer(&self, next: u64, sent: Time) -> Self {
        Self { sent, header: Header::new(next, HEADER, Header::ACK), address: self.address, sack: SackId::NONE }
    }

    /// Flow of the packet.
    #[inline(always)]
    pub const fn flow(&self) -> FlowId {
        FlowId(self.address / CONNECTIONS as u32)
    }

    /// Number of the connection, modulo [`CONNECTIONS`].
    #[inline(always)]
    pub(crate) const fn connection(&self) -> u16 {
        (self.address % CONNECTIONS as u32) as u16
    }

    /// Flow, and number of the connection modulo [`CONNECTIONS`].
    #[inline(always)]
    pub(crate) const fn address(&self) -> u32 {
        self.address
    }

    /// Size on the wire in bytes.
    #[inline(always)]
    pub const fn size(&self) -> u32 {
        (self.header.0 >> Header::SIZE_AT) as u16 as u32
    }

    /// Number of a data segment, or the next segment that an ACK expects; 0 for a SYN.
    #[inline(always)]
    pub(crate) const fn number(&self) -> u64 {
        self.header.number()
    }

    /// Whether the packet is an ACK.
    #[inline(always)]
    pub(crate) const fn is_ack(&self) -> bool {
        self.header.has(Header::ACK)
    }

    /// Whether the packet is a SYN.
    #[inline(always)]
    pub(crate) const fn is_syn(&self) -> bool {
        self.header.has(Header::SYN)
    }

    /// Id of the SACK blocks of an ACK.
    #[inline(always)]
    pub(crate) const fn sack(&self) -> SackId {
        self.sack
    }

    /// Content of the packet.
    #[inline(always)]
    pub const fn payload(&self) -> Payload {
        let (number, connection) = (self.number(), self.connection());
        let retransmission = self.header.has(Header::RETRANSMISSION);
        if self.is_ack() {
            Payload::Ack { next: number, sack: self.sack, connection }
        } else if self.is_syn() {
            Payload::Syn { retransmission, connection }
        } else {
            Payload::Data { number, retransmission, connection }
        }
    }

    /// The same packet with a number for its [relay](crate::relay), in the place of the id of its SACK blocks.
    pub(crate) const fn with_serial(self, serial: u32) -> Self {
        Self { sack: SackId(serial), ..self }
    }

    /// The number for its relay.
    pub(crate) const fn serial(&self) -> u32 {
        self.sack.0
    }

    /// Splits the packet into the data that an event stores.
    #[inline(always)]
    pub(crate) const fn into_parts(self) -> (Time, Header, u32, SackId) {
        (self.sent, self.header, self.address, self.sack)
    }

    /// The inverse of [`into_parts`](Self::into_parts).
    #[inline(always)]
    pub(crate) const fn from_parts(sent: Time, header: Header, address: u32, sack: SackId) -> Self {
        Self { sent, header, address, sack }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_packet_keeps_what_it_is_made_of(
            flow in 0..MAX_FLOWS as u32,
            size in 1..=LONGEST,
            number in 0..MAX_SEGMENTS,
            connection in 0..CONNECTIONS,
            retransmission in any::<bool>(),
            sack in 0_u32..3,
            sent in any::<u64>(),
        ) {
            let sack = if sack == 0 { SackId::NONE } else { SackId(sack - 1) };
            for payload in [
                Payload::Syn { retransmission, connection },
                Payload::Data { number, retransmission, connection },
                Payload::Ack { next: number, sack, connection },
            ] {
                let packet = Packet::new(FlowId(flow), size, payload, Time::from_picos(sent));
                prop_assert_eq!((packet.flow(), packet.size(), packet.payload()), (FlowId(flow), size, payload));
                prop_assert_eq!(packet.sent, Time::from_picos(sent));
                prop_assert_eq!(packet.is_syn(), matches!(payload, Payload::Syn { .. }));
                prop_assert_eq!(packet.header.has_sack(), packet.sack() != SackId::NONE);
            }
            for ecn in [Ecn::Ect1, Ecn::Ect0, Ecn::Ce] {
                let [cwr, pushed] = [sack == SackId::NONE, ecn == Ecn::Ect0];
                let segment = Segment { number, size, syn: false, retransmission, ecn, cwr, pushed };
                let packet = Packet::data(FlowId(flow), connection, segment, Time::from_picos(sent));
                let marked = Packet::data(
                    FlowId(flow),
                    connection,
                    Segment { ecn: Ecn::Ce, ..segment },
                    Time::from_picos(sent),
                );
                prop_assert_eq!((packet.ecn(), packet.marked()), (ecn, marked));
                prop_assert_eq!((packet.cwr(), packet.pushed()), (cwr, pushed));
            }
        }
    }
}
