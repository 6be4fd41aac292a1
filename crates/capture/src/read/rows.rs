//! Packets as rows: columns of numbers, and the names that they number.

use std::hash::RandomState;
use std::net::IpAddr;

use indexmap::IndexSet;

use super::flows::Flow;
use crate::anonymise::Anonymiser;

/// Stands for an address or a port that is not there.
pub const NONE: i32 = -1;

/// A batch of packets: columns of one length, and what their numbers stand for.
#[derive(Debug, Default)]
pub struct Rows {
    /// Nanoseconds since 1970.
    pub time: Vec<i64>,
    /// Number of the interface in the file.
    pub interface: Vec<u32>,
    /// Bytes as sent.
    pub bytes: Vec<u32>,
    /// Bytes captured.
    pub captured: Vec<u32>,
    /// What the link carried: a place in `protocols`.
    pub network: Vec<u32>,
    /// What IP carried: a place in `protocols`, or `NONE`.
    pub transport: Vec<i32>,
    /// A place in `addresses`, or `NONE`.
    pub source: Vec<i32>,
    /// A place in `addresses`, or `NONE`.
    pub destination: Vec<i32>,
    /// Or `NONE`.
    pub source_port: Vec<i32>,
    /// Or `NONE`.
    pub destination_port: Vec<i32>,
    /// Whether it is a part of a packet.
    pub fragment: Vec<bool>,
    /// Whether TCP had sent it before.
    pub retransmission: Vec<bool>,
    pub(super) addresses: IndexSet<IpAddr, RandomState>,
    pub(super) protocols: IndexSet<Protocol, RandomState>,
    /// Which batch it is, from 1.
    pub(super) number: u64,
}

/// What a name in a column stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Protocol {
    Type(u16),
    Transport(u8),
    Llc,
    Unknown,
}

impl Rows {
    /// How many packets there are.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// The addresses that rows number, under their other names if there is an anonymiser.
    pub fn addresses(&self, anonymiser: Option<&Anonymiser>) -> Vec<String> {
        self.addresses.iter().map(|&each| anonymiser.map_or(each, |other| other.address(each)).to_string()).collect()
    }

    /// The protocols that rows number.
    pub fn protocols(&self) -> Vec<String> {
        self.protocols.iter().map(|each| each.name()).collect()
    }

    /// The numbers of a conversation's addresses in this batch, from its first end to its second.
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
