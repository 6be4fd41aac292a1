//! The links for packets of any program: connections are numbered in the order in which they are seen.
//!
//! A connection is what has the same protocol, addresses and ports (RFC 6146, section 2, calls this a 5-tuple), in both
//! directions. It has a flow for each direction. ICMP, protocols without ports, and fragments have no ports here: they are
//! one connection of two hosts and a protocol. The number of connections is bounded. Packets of all later ones between two
//! hosts belong to the last one of these hosts.
//!
//! What enters the links is also noted, so that a relay with records, and with the number of flows and the duration that
//! are known at the end, makes the measurement afterwards. It computes the same fates: a relay depends only on what enters.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use ackclock_net::relay::{Fate, MeasuredRelay, Real};
use ackclock_tcp::Ecn;
use ackclock_units::Time;

use crate::carrier::Network;
use crate::headers::{header_length, word};

/// Most packets that are noted. Later ones are carried, but not measured.
const MOST_NOTED: usize = 16 << 20;
const TCP: u8 = 6;
const UDP: u8 = 17;
/// More fragments follow (1 bit), and offset of the fragment (13 bits).
const FRAGMENT: u16 = 0x3fff;

/// A packet that entered the links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// Time at which it entered.
    pub at: Time,
    /// Number of its flow.
    pub flow: u16,
    /// Its size in bytes.
    pub size: u16,
    /// Its ECN field.
    pub ecn: Ecn,
}

/// Addresses and ports of a packet, and its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tuple {
    /// Number of the protocol (IANA).
    pub protocol: u8,
    /// Address and port of the host with the smaller number.
    pub first: (Ipv4Addr, u16),
    /// Address and port of the other host.
    pub second: (Ipv4Addr, u16),
}

/// Packets that are not carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Packets that are not IPv4, such as IPv6, or cut off.
    pub not_ipv4: u64,
    /// Packets to an address that no host has, or from an address of another host.
    pub no_host: u64,
}

/// The links, and the connections so far.
#[derive(Debug)]
pub struct Connections {
    relay: MeasuredRelay,
    hosts: Vec<Ipv4Addr>,
    /// Most connections of two hosts.
    most: u16,
    known: BTreeMap<Tuple, u16>,
    /// For each pair of hosts, its connections in the order of their numbers.
    pairs: Vec<Vec<Tuple>>,
    /// Number of packets of each flow.
    packets: Vec<u64>,
    noted: Vec<Noted>,
    /// The time at which noting ended, if it did.
    pub full_at: Option<Time>,
    /// Packets that are not carried.
    pub dropped: Dropped,
    /// Packets of connections beyond the bound.
    pub shared: u64,
}

impl Connections {
    /// The links of a plan that has, for each of `most` connections, two flows for each pair of `hosts`. Pairs are (0, 1),
    /// (0, 2), ..., (1, 2), and so on; the flow to the second host of a pair comes before the flow back.
    pub fn new(relay: MeasuredRelay, hosts: Vec<Ipv4Addr>, most: u16) -> Self {
        let pairs = hosts.len() * hosts.len().saturating_sub(1) / 2;
        Self {
            relay,
            hosts,
            most,
            known: BTreeMap::new(),
            pairs: vec![Vec::new(); pairs],
            packets: vec![0; 2 * pairs * usize::from(most)],
            noted: Vec::new(),
            full_at: None,
            dropped: Dropped::default(),
            shared: 0,
        }
    }

    /// The flow of a connection's packets.
    const fn flow(&self, connection: u16, pair: usize, back: bool) -> u16 {
        (connection as usize * self.pairs.len() + pair) as u16 * 2 + back as u16
    }

    /// The place of a pair of hosts.
    const fn pair(&self, low: usize, high: usize) -> usize {
        low * (2 * self.hosts.len() - low - 1) / 2 + high - low - 1
    }

    fn host(&self, packet: &[u8], at: usize) -> Option<usize> {
        let address: [u8; 4] = *packet.get(at..)?.first_chunk()?;
        self.hosts.iter().position(|host| host.octets() == address)
    }

    /// The flow and the destination of a packet.
    fn classify(&mut self, packet: &[u8], from: usize) -> Option<(u16, usize)> {
        let Some(begin) = header_length(packet) else {
            self.dropped.not_ipv4 += 1;
            return None;
        };
        let ends = (self.host(packet, 12), self.host(packet, 16));
        let (Some(source), Some(to)) = ends else {
            self.dropped.no_host += 1;
            return None;
        };
        if source != from || to == from {
            self.dropped.no_host += 1;
            return None;
        }
        let protocol = packet[9];
        let is_whole = word(packet, 6).is_some_and(|field| field & FRAGMENT == 0);
        let has_ports = is_whole && matches!(protocol, TCP | UDP);
        let port = |at| if has_ports { word(packet, begin + at) } else { Some(0) };
        let (Some(here), Some(there)) = (port(0), port(2)) else {
            self.dropped.not_ipv4 += 1;
            return None;
        };
        let (here, there) = ((self.hosts[from], here), (self.hosts[to], there));
        let back = from > to;
        let (first, second) = if back { (there, here) } else { (here, there) };
        let pair = self.pair(from.min(to), from.max(to));
        let connection = self.number(Tuple { protocol, first, second }, pair);
        Some((self.flow(connection, pair, back), to))
    }

    /// The number of a connection among those of its hosts.
    fn number(&mut self, tuple: Tuple, pair: usize) -> u16 {
        if let Some(number) = self.known.get(&tuple) {
            return *number;
        }
        let connections = &mut self.pairs[pair];
        let number = connections.len() as u16;
        if number < self.most {
            connections.push(tuple);
            self.known.insert(tuple, number);
            return number;
        }
        self.shared += 1;
        self.most - 1
    }

    /// The packets that entered, in order.
    pub fn noted(&self) -> &[Noted] {
        &self.noted
    }

    /// The flows that had packets, in order, each with its connection and the number of its packets.
    pub fn flows(&self) -> impl Iterator<Item = (usize, Tuple, u64)> {
        let seen = self.packets.iter().enumerate().filter(|(_, packets)| **packets > 0);
        seen.map(|(flow, packets)| {
            (flow, self.pairs[flow / 2 % self.pairs.len()][flow / 2 / self.pairs.len()], *packets)
        })
    }
}

impl Network for Connections {
    fn enter(&mut self, packet: &[u8], from: usize, serial: u32, now: Time) -> Option<usize> {
        let (flow, to) = self.classify(packet, from)?;
        let size = u16::try_from(packet.len()).ok()?;
        let noted = Noted { at: now, flow, size, ecn: Ecn::from_bits(packet[1]) };
        if !offer(&mut self.relay, noted, self.packets[usize::from(flow)], serial) {
            return None;
        }
        self.packets[usize::from(flow)] += 1;
        if self.noted.len() < MOST_NOTED {
            self.noted.push(noted);
        } else if self.full_at.is_none() {
            self.full_at = Some(now);
        }
        Some(to)
    }

    fn next(&self) -> Option<Time> {
        self.relay.next()
    }

    fn advance(&mut self, end: Time, take: impl FnMut(Fate)) {
        self.relay.advance(end, take);
    }
}

/// Lets a packet enter a relay. `number` is how many packets its flow had before.
fn offer(relay: &mut MeasuredRelay, noted: Noted, number: u64, serial: u32) -> bool {
    let Noted { at, flow, size, ecn } = noted;
    let real =
        Real { flow: flow.into(), ack: false, data: true, syn: false, size: size.into(), number, sack: None, ecn };
    relay.offer(real, serial, at)
}

/// Lets the packets that entered the links of a run enter the same links again, which measure and record. Packets that
/// have no flow there are left out.
pub fn replay(relay: &mut MeasuredRelay, noted: impl IntoIterator<Item = Noted>) {
    let mut numbers = vec![0; usize::from(u16::MAX) + 1];
    for each in noted {
        let number = &mut numbers[usize::from(each.flow)];
        *number += u64::from(offer(relay, each, *number, 0));
    }
}

#[cfg(test)]
mod tests;
