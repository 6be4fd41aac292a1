//! Decodes IP headers and the transport headers behind them; headers may be truncated by the snap length.

use std::net::IpAddr;

use etherparse::{Ipv4HeaderSlice, Ipv6HeaderSlice};

use super::options::Options;

pub(super) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;
const DCCP: u8 = 33;
pub(super) const SCTP: u8 = 132;
const UDP_LITE: u8 = 136;

/// An IP packet, version 4 or 6.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ip<'a> {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    /// Transport protocol after all extension headers (IANA protocol number).
    pub(super) protocol: u8,
    /// The byte of differentiated services and ECN: type of service in IPv4, traffic class in IPv6.
    pub(super) service: u8,
    /// Whether the packet is a fragment.
    pub(super) fragment: bool,
    /// Identification of IPv4, which most senders count up, or give no value but 0; 0 for IPv6.
    pub(super) id: u16,
    /// Time to live, or hop limit.
    pub(super) hops: u8,
    /// Source and destination port; `None` if the protocol has none, or they are not in this fragment or not captured.
    pub(super) ports: Option<(u16, u16)>,
    pub(super) tcp: Option<Tcp>,
    /// The captured part of what IP carries; empty behind the first fragment.
    pub(super) inside: &'a [u8],
    /// Size of that as sent, in bytes.
    pub(super) beyond: u32,
}

/// TCP fields needed to track a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tcp {
    pub(super) sequence: u32,
    pub(super) acknowledgment: u32,
    pub(super) flags: u8,
    pub(super) window: u16,
    /// Payload bytes as sent, whether captured or not.
    pub(super) payload: u32,
    pub(super) options: Options,
    /// Whether the capture has only a part of the options.
    pub(super) is_cut: bool,
}

pub(super) const FIN: u8 = 1;
pub(super) const SYN: u8 = 2;
pub(super) const RST: u8 = 4;
pub(super) const ACK: u8 = 16;
pub(super) const ECE: u8 = 64;
pub(super) const CWR: u8 = 128;

/// Parses an IPv4 header (RFC 791). `wire` is the number of bytes sent, including the header. `None` if the header is
/// incomplete.
#[inline]
pub(super) fn version4(bytes: &[u8], wire: u32) -> Option<Ip<'_>> {
    let header = Ipv4HeaderSlice::from_slice(bytes).ok()?;
    // The length field is zero or too large if the sender's network card has yet to split the segment.
    let total = match u32::from(header.total_len()) {
        0 => wire,
        total => total.min(wire),
    };
    let mut packet = Ip {
        source: IpAddr::V4(header.source_addr()),
        destination: IpAddr::V4(header.destination_addr()),
        protocol: header.protocol().0,
        service: header.slice()[1],
        fragment: header.is_fragmenting_payload(),
        id: header.identification(),
        hops: header.ttl(),
        ports: None,
        tcp: None,
        inside: &[],
        beyond: 0,
    };
    let before = header.slice().len();
    if header.fragments_offset().value() == 0 {
        packet.carried(&bytes[before..], total.saturating_sub(before as u32));
    }
    Some(packet)
}

/// Parses an IPv6 header (RFC 8200) and the captured extension headers.
#[inline]
pub(super) fn version6(bytes: &[u8], wire: u32) -> Option<Ip<'_>> {
    let header = Ipv6HeaderSlice::from_slice(bytes).ok()?;
    let room = wire.saturating_sub(40);
    // Zero means a jumbogram (RFC 2675), or a segment that the network card has yet to split.
    let total = match u32::from(header.payload_length()) {
        0 => room,
        total => total.min(room),
    };
    let mut packet = Ip {
        source: IpAddr::V6(header.source_addr()),
        destination: IpAddr::V6(header.destination_addr()),
        protocol: header.next_header().0,
        service: header.traffic_class(),
        fragment: false,
        id: 0,
        hops: header.hop_limit(),
        ports: None,
        tcp: None,
        inside: &[],
        beyond: 0,
    };
    packet.carried(&bytes[40..], total);
    Some(packet)
}

impl<'a> Ip<'a> {
    /// Skips extension headers (RFC 8200, section 4; RFC 4302, section 2).
    ///
    /// Does not use etherparse's iterator, which in version 0.21 reads beyond a truncated chain, as fuzzing found.
    #[inline]
    fn carried(&mut self, mut bytes: &'a [u8], mut wire: u32) {
        loop {
            let length = match (self.protocol, bytes) {
                (HOP_BY_HOP | ROUTING | DESTINATION, [_, length, ..]) => 8 * (usize::from(*length) + 1),
                (AUTHENTICATION, [_, length, ..]) => 4 * (usize::from(*length) + 2),
                (FRAGMENT, [_, _, high, low, ..]) => {
                    let field = u16::from_be_bytes([*high, *low]);
                    // The offset is in the upper 13 bits; the lowest bit is set if more fragments follow.
                    self.fragment = field & 0xfff9 != 0;
                    if field & 0xfff8 != 0 {
                        self.protocol = bytes[0];
                        return;
                    }
                    8
                }
                (HOP_BY_HOP | ROUTING | DESTINATION | AUTHENTICATION | FRAGMENT, _) => return,
                _ => break,
            };
            self.protocol = bytes[0];
            let Some(rest) = bytes.get(length..) else { return };
            (bytes, wire) = (rest, wire.saturating_sub(length as u32));
        }
        (self.inside, self.beyond) = (bytes, wire);
        self.transport(bytes, wire);
    }

    /// Whether this is a TCP segment whose header was not captured.
    #[inline]
    pub(super) const fn is_unread(&self) -> bool {
        self.protocol == TCP && self.tcp.is_none() && !self.fragment
    }

    /// Parses the start of the transport header. `wire` is its size as sent, including the payload.
    #[inline]
    fn transport(&mut self, bytes: &[u8], wire: u32) {
        if !matches!(self.protocol, TCP | UDP | DCCP | SCTP | UDP_LITE) {
            return;
        }
        let Some(&[a, b, c, d]) = bytes.first_chunk() else { return };
        self.ports = Some((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])));
        // RFC 9293, section 3.1. A fragment does not show the payload size of the whole packet.
        if let (TCP, false, Some(head)) = (self.protocol, self.fragment, bytes.first_chunk::<16>()) {
            let word = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
            self.tcp = Some(Tcp {
                sequence: word(4),
                acknowledgment: word(8),
                flags: head[13],
                window: u16::from_be_bytes([head[14], head[15]]),
                payload: wire.saturating_sub(4 * u32::from(head[12] >> 4)),
                options: bytes
                    .get(20..bytes.len().min(4 * usize::from(head[12] >> 4)))
                    .map_or_else(Options::default, Options::parse),
                is_cut: bytes.len() < 4 * usize::from(head[12] >> 4),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An IPv6 packet from ::1 to ::2 with the given next header and the bytes after the fixed header.
    fn six(next: u8, rest: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x60, 0, 0, 0, 0, rest.len() as u8, next, 64];
        bytes.extend([0; 15]);
        bytes.push(1);
        bytes.extend([0; 15]);
        bytes.push(2);
        [&bytes, rest].concat()
    }

    fn read(next: u8, rest: &[u8]) -> Ip<'static> {
        let bytes = six(next, rest).leak();
        version6(bytes, bytes.len() as u32).unwrap()
    }

    const SEGMENT: [u8; 20] = [3, 232, 0, 80, 0, 0, 0, 7, 0, 0, 0, 9, 0x50, 0x18, 1, 0, 0, 0, 0, 0];

    #[test]
    fn options_then_a_segment() {
        let options = [60, 0, 1, 4, 0, 0, 0, 0, 6, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let ip = read(HOP_BY_HOP, &[&options[..], &SEGMENT, b"data"].concat());
        assert_eq!((ip.protocol, ip.ports, ip.fragment), (TCP, Some((1000, 80)), false));
        let tcp = ip.tcp.unwrap();
        assert_eq!((tcp.sequence, tcp.acknowledgment, tcp.window, tcp.payload), (7, 9, 256, 4));
    }

    #[test]
    fn only_the_first_fragment_has_ports() {
        let first = read(FRAGMENT, &[&[6, 0, 0, 1, 0, 0, 0, 1][..], &SEGMENT].concat());
        assert_eq!((first.protocol, first.ports, first.fragment, first.tcp), (TCP, Some((1000, 80)), true, None));
        let later = read(FRAGMENT, &[&[6, 0, 0, 8, 0, 0, 0, 1][..], &SEGMENT].concat());
        assert_eq!((later.protocol, later.ports, later.fragment), (TCP, None, true));
        // RFC 6946: a fragment that contains the whole packet.
        assert!(!read(FRAGMENT, &[&[6, 0, 0, 0, 0, 0, 0, 1][..], &SEGMENT].concat()).fragment);
    }

    #[test]
    fn a_chain_that_is_cut_ends_where_it_is() {
        let ip = read(HOP_BY_HOP, &[6, 9, 0, 0, 0, 0, 0, 0]);
        assert_eq!((ip.protocol, ip.ports), (TCP, None));
        assert_eq!(read(DESTINATION, &[6]).protocol, DESTINATION);
        assert_eq!(version6(&six(6, &[])[..39], 60), None);
    }

    #[test]
    fn options_end_where_the_header_or_the_capture_ends() {
        let with = |words: u8, options: &[u8]| {
            let mut segment = SEGMENT;
            segment[12] = words << 4;
            read(6, &[&segment[..], options].concat()).tcp.unwrap().options.mss
        };
        assert_eq!(with(6, &[2, 4, 5, 180, 2, 4, 0, 9]), Some(1460));
        assert_eq!([with(5, &[2, 4, 5, 180]), with(0, &[2, 4, 5, 180]), with(15, &[2, 4, 5])], [None; 3]);
    }

    #[test]
    fn lengths_are_those_on_the_wire() {
        let mut bytes = vec![0x45, 0, 0, 140, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        bytes.extend(SEGMENT);
        let payload = |bytes: &[u8], wire| version4(bytes, wire).unwrap().tcp.unwrap().payload;
        assert_eq!(payload(&bytes, 140), 100);
        // Short frames are padded to the minimum length; padding is not payload.
        assert_eq!(payload(&bytes, 146), 100);
        bytes[2..4].copy_from_slice(&[0, 0]);
        assert_eq!(payload(&bytes, 5040), 5000);
    }
}
