//! Packets as rows: columns of numbers, and the names that the numbers refer to.

use std::hash::RandomState;
use std::net::IpAddr;

use indexmap::IndexSet;

use super::flows::{Flow, Placed};
use super::network::Tcp;
use crate::anonymise::Anonymiser;

/// Marks a missing address or port.
pub const NONE: i32 = -1;

/// Marks a missing number of 64 bits.
pub const ABSENT: i64 = i64::MIN;

/// A batch of packets: columns of equal length, and the names that their numbers refer to.
#[derive(Debug, Default)]
pub struct Rows {
    /// Nanoseconds since 1970, or [`UNTIMED`](super::UNTIMED).
    pub time: Vec<i64>,
    /// Index of the interface in the file.
    pub interface: Vec<u32>,
    /// Size as sent, in bytes.
    pub bytes: Vec<u32>,
    /// Bytes captured.
    pub captured: Vec<u32>,
    /// Protocol carried by the link: index into `protocols`.
    pub network: Vec<u32>,
    /// Protocol carried by IP: index into `protocols`, or `NONE`.
    pub transport: Vec<i32>,
    /// Source address: index into `addresses`, or `NONE`.
    pub source: Vec<i32>,
    /// Destination address: index into `addresses`, or `NONE`.
    pub destination: Vec<i32>,
    /// Source port, or `NONE`.
    pub source_port: Vec<i32>,
    /// Destination port, or `NONE`.
    pub destination_port: Vec<i32>,
    /// Differentiated services codepoint of IP (RFC 2474), or `NONE`.
    pub dscp: Vec<i32>,
    /// ECN field of IP (RFC 3168), or `NONE`.
    pub ecn: Vec<i32>,
    /// Whether the packet is a fragment.
    pub fragment: Vec<bool>,
    /// 1 if the packet is a TCP segment sent again, 0 if not, `NONE` if its header was not captured.
    pub retransmission: Vec<i32>,
    /// The same for a TCP segment that was overtaken by others.
    pub overtaken: Vec<i32>,
    /// Whether the packet was captured before.
    pub copy: Vec<bool>,
    /// Identification of IPv4, or `NONE`.
    pub id: Vec<i32>,
    /// Time to live, or hop limit, or `NONE`.
    pub ttl: Vec<i32>,
    /// Number of the TCP connection ([`Flow::connection`]), or `NONE`.
    pub connection: Vec<i32>,
    /// Direction in the flow: 0 as its first packet, 1 back, or `NONE`.
    pub back: Vec<i32>,
    /// The fields of TCP.
    pub tcp: Segments,
    pub(super) addresses: IndexSet<IpAddr, RandomState>,
    pub(super) protocols: IndexSet<Protocol, RandomState>,
    /// Number of the batch, from 1.
    pub(super) number: u64,
}

/// Columns of TCP's fields: `NONE` or [`ABSENT`] if the packet has none, or its header was not captured.
#[derive(Debug, Default)]
pub struct Segments {
    /// Sequence number relative to the start of the connection.
    pub sequence: Vec<i64>,
    /// Acknowledgment number relative to the start of the connection.
    pub acknowledgment: Vec<i64>,
    /// The byte of flags, from FIN (1) to CWR (128).
    pub flags: Vec<i32>,
    /// Window in bytes, or as in the header if its scale is unknown.
    pub window: Vec<i32>,
    /// Payload bytes as sent.
    pub payload: Vec<i32>,
    /// `TSval` of the timestamps.
    pub stamp: Vec<i64>,
    /// `TSecr` of the timestamps.
    pub echo: Vec<i64>,
    /// Number of SACK blocks.
    pub blocks: Vec<u8>,
    /// Left and right edges of all SACK blocks, relative to the start of the connection.
    pub edges: [Vec<i64>; 2],
}

impl Segments {
    /// Adds a packet.
    #[inline]
    pub(super) fn push(&mut self, segment: Option<(&Tcp, Placed)>) {
        let Some((tcp, placed)) = segment else { return self.push_none() };
        self.sequence.push(placed.sequence);
        self.acknowledgment.push(placed.acknowledgment.unwrap_or(ABSENT));
        self.flags.push(i32::from(tcp.flags));
        self.window.push(placed.window as i32);
        self.payload.push(i32::try_from(tcp.payload).unwrap_or(i32::MAX));
        let (stamp, echo) = tcp.options.stamps.map_or((ABSENT, ABSENT), |(stamp, echo)| (stamp.into(), echo.into()));
        self.stamp.push(stamp);
        self.echo.push(echo);
        let count = tcp.options.blocks().len();
        self.blocks.push(count as u8);
        for (left, right) in &placed.blocks[..count] {
            self.edges[0].push(*left);
            self.edges[1].push(*right);
        }
    }

    fn push_none(&mut self) {
        for column in [&mut self.sequence, &mut self.acknowledgment, &mut self.stamp, &mut self.echo] {
            column.push(ABSENT);
        }
        for column in [&mut self.flags, &mut self.window, &mut self.payload] {
            column.push(NONE);
        }
        self.blocks.push(0);
    }
}

/// A protocol referred to by a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Protocol {
    Type(u16),
    Transport(u8),
    Llc,
    Unknown,
}

impl Rows {
    /// Number of packets.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// Whether the batch has no packets.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// The addresses that rows refer to, anonymised if an anonymiser is given.
    pub fn addresses(&self, anonymiser: Option<&Anonymiser>) -> Vec<String> {
        self.addresses.iter().map(|&each| anonymiser.map_or(each, |other| other.address(each)).to_string()).collect()
    }

    /// The protocols that rows refer to.
    pub fn protocols(&self) -> Vec<String> {
        self.protocols.iter().map(|each| each.name()).collect()
    }

    /// The indices of a conversation's addresses in this batch, first endpoint first.
    #[inline]
    pub(super) fn number(&mut self, flow: &mut Flow) -> [u32; 2] {
        if flow.numbered.0 != self.number {
            let numbers = flow.ends.map(|(address, _)| self.addresses.insert_full(address).0 as u32);
            flow.numbered = (self.number, numbers);
        }
        flow.numbered.1
    }

    #[inline]
    pub(super) fn protocol(&mut self, protocol: Protocol) -> u32 {
        self.protocols.insert_full(protocol).0 as u32
    }
}

impl Protocol {
    fn name(self) -> String {
        match self {
            Self::Type(kind) => super::mix::type_name(kind).map_or_else(|| format!("type-0x{kind:04x}"), str::to_owned),
            Self::Transport(number) => {
                super::mix::protocol_name(number).map_or_else(|| format!("proto-{number}"), str::to_owned)
            }
            Self::Llc => "llc".to_owned(),
            Self::Unknown => "unknown".to_owned(),
        }
    }
}
