//! Packets and bytes per protocol.

use std::collections::BTreeMap;

use etherparse::{EtherType, IpNumber};

use super::link::{self, Carried, Tags};

/// Number of packets and their size as sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// Size as sent in bytes, whether captured or not.
    pub bytes: u64,
}

impl Count {
    #[inline]
    fn add(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }
}

/// The layer of a protocol: a packet is counted once in each layer that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Link type, and tags, labels and sessions between it and the network layer.
    Link,
    /// Protocol carried by the link.
    Network,
    /// Protocol carried by IP.
    Transport,
}

/// Counters of packets and bytes for every protocol.
pub(super) struct Mix {
    /// Link types except the most recent one, which is counted separately because it rarely changes.
    links: BTreeMap<u16, Count>,
    last_link: (u16, Count),
    /// By tag, in the order of `Tags::ALL`.
    tags: [Count; Tags::ALL.len()],
    ip: Count,
    ipv6: Count,
    types: BTreeMap<u16, Count>,
    unknown: Count,
    transport: [Count; 256],
}

impl Mix {
    pub(super) fn new() -> Self {
        Self {
            links: BTreeMap::new(),
            last_link: (0, Count::default()),
            tags: [Count::default(); Tags::ALL.len()],
            ip: Count::default(),
            ipv6: Count::default(),
            types: BTreeMap::new(),
            unknown: Count::default(),
            transport: [Count::default(); 256],
        }
    }

    /// Counts a packet by its link type, by the protocol it carries and, for IP, by the transport protocol.
    #[inline]
    pub(super) fn add(&mut self, link: u16, frame: &link::Frame<'_>, protocol: Option<u8>, bytes: u32) {
        if self.last_link.0 != link {
            let earlier = self.links.remove(&link).unwrap_or_default();
            let (other, count) = std::mem::replace(&mut self.last_link, (link, earlier));
            self.links.insert(other, count);
        }
        self.last_link.1.add(bytes);
        if !frame.tags.is_empty() {
            for (count, (tag, _)) in self.tags.iter_mut().zip(Tags::ALL) {
                if frame.tags.has(tag) {
                    count.add(bytes);
                }
            }
        }
        match frame.carried {
            Carried::Type(0x0800) => self.ip.add(bytes),
            Carried::Type(0x86dd) => self.ipv6.add(bytes),
            Carried::Type(kind) => self.types.entry(kind).or_default().add(bytes),
            Carried::Llc => {}
            Carried::Unknown => self.unknown.add(bytes),
        }
        if let Some(protocol) = protocol {
            self.transport[usize::from(protocol)].add(bytes);
        }
    }

    /// IP packets of both versions.
    pub(super) fn ip(&self) -> Count {
        Count { packets: self.ip.packets + self.ipv6.packets, bytes: self.ip.bytes + self.ipv6.bytes }
    }

    /// All protocols found, by layer and then by name.
    pub(super) fn rows(&self) -> Vec<(Layer, String, Count)> {
        let mut rows: BTreeMap<(u8, String), (Layer, Count)> = BTreeMap::new();
        let mut tell = |layer: Layer, name: String, count: Count| {
            if count.packets > 0 {
                let row = rows.entry((layer as u8, name)).or_insert((layer, Count::default()));
                row.1.packets += count.packets;
                row.1.bytes += count.bytes;
            }
        };
        for (&number, &count) in self.links.iter().chain([(&self.last_link.0, &self.last_link.1)]) {
            tell(Layer::Link, link::name(number).map_or_else(|| format!("link-{number}"), str::to_owned), count);
        }
        for (&count, (_, name)) in self.tags.iter().zip(Tags::ALL) {
            tell(Layer::Link, name.to_owned(), count);
        }
        tell(Layer::Network, "ip".to_owned(), self.ip);
        tell(Layer::Network, "ipv6".to_owned(), self.ipv6);
        for (&kind, &count) in &self.types {
            tell(Layer::Network, type_name(kind).map_or_else(|| format!("type-0x{kind:04x}"), str::to_owned), count);
        }
        tell(Layer::Network, "unknown".to_owned(), self.unknown);
        for (number, &count) in (0_u8..=255).zip(&self.transport) {
            let name = protocol_name(number).map_or_else(|| format!("proto-{number}"), str::to_owned);
            tell(Layer::Transport, name, count);
        }
        rows.into_iter().map(|((_, name), (layer, count))| (layer, name, count)).collect()
    }
}

/// The name of an EtherType, as in `tshark`.
pub(super) fn type_name(kind: u16) -> Option<&'static str> {
    Some(match EtherType(kind) {
        EtherType::IPV4 => "ip",
        EtherType::IPV6 => "ipv6",
        EtherType::ARP => "arp",
        EtherType(0x8035) => "rarp",
        EtherType(0x8137) => "ipx",
        EtherType(0x8847 | 0x8848) => "mpls",
        EtherType(0x8863) => "pppoed",
        EtherType(0x8864) => "pppoes",
        EtherType(0x888e) => "eapol",
        EtherType(0x88cc) => "lldp",
        EtherType(0x9000) => "loop",
        _ => return None,
    })
}

/// The name of an IP protocol, as in `tshark`.
pub(super) fn protocol_name(number: u8) -> Option<&'static str> {
    Some(match IpNumber(number) {
        IpNumber::ICMP => "icmp",
        IpNumber::IGMP => "igmp",
        IpNumber::IPV4 => "ip-in-ip",
        IpNumber::TCP => "tcp",
        IpNumber::UDP => "udp",
        IpNumber(33) => "dccp",
        IpNumber::IPV6 => "ipv6-in-ip",
        IpNumber::GRE => "gre",
        IpNumber(50) => "esp",
        IpNumber(51) => "ah",
        IpNumber::IPV6_ICMP => "icmpv6",
        IpNumber(88) => "eigrp",
        IpNumber(89) => "ospf",
        IpNumber(103) => "pim",
        IpNumber(112) => "vrrp",
        IpNumber(132) => "sctp",
        IpNumber(136) => "udplite",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_types_that_take_turns_are_counted_once_each() {
        let mut mix = Mix::new();
        for link in [1, 113, 1, 1, 113, 0, 1] {
            mix.add(link, &link::open(link, &[]), None, 60);
        }
        let links: Vec<(String, u64)> = mix
            .rows()
            .into_iter()
            .filter(|(layer, ..)| *layer == Layer::Link)
            .map(|(_, name, count)| (name, count.packets))
            .collect();
        assert_eq!(links, [("eth".to_owned(), 4), ("null".to_owned(), 1), ("sll".to_owned(), 2)]);
    }
}
