//! IP and what it carries: addresses, ports, and what a flow is followed by. Headers may be cut off by the snap length.

use std::net::IpAddr;

use etherparse::{LaxIpv4Slice, LaxIpv6Slice};

pub(super) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;
const DCCP: u8 = 33;
const SCTP: u8 = 132;
const UDP_LITE: u8 = 136;

/// A packet of IP, version 4 or 6; of packets in packets, the outer one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ip {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    /// What it carries, behind all extension headers (IANA's protocol numbers).
    pub(super) protocol: u8,
    /// A part of a packet, not the whole.
    pub(super) fragment: bool,
    /// Source and destination; `None` where the protocol has none, or they are not in this fragment or capture.
    pub(super) ports: Option<(u16, u16)>,
    pub(super) tcp: Option<Tcp>,
}

/// What is followed of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tcp {
    pub(super) sequence: u32,
    pub(super) acknowledgment: u32,
    pub(super) flags: u8,
    pub(super) window: u16,
    /// Bytes of data as sent, captured or not.
    pub(super) payload: u32,
}

pub(super) const FIN: u8 = 1;
pub(super) const SYN: u8 = 2;
pub(super) const ACK: u8 = 16;

/// Reads version 4 (RFC 791); `wire` is how many bytes there were from the header on. `None` if the header is not whole.
#[inline]
pub(super) fn version4(bytes: &[u8], wire: u32) -> Option<Ip> {
    let (ip, _) = LaxIpv4Slice::from_slice(bytes).ok()?;
    let header = ip.header();
    let before = header.slice().len() + ip.extensions().auth.map_or(0, |auth| auth.slice().len());
    // Segments that the sender's card has still to cut say zero, or too much.
    let total = match u32::from(header.total_len()) {
        0 => wire,
        total => total.min(wire),
    };
    let mut packet = Ip {
        source: IpAddr::V4(header.source_addr()),
        destination: IpAddr::V4(header.destination_addr()),
        protocol: ip.payload_ip_number().0,
        fragment: header.is_fragmenting_payload(),
        ports: None,
        tcp: None,
    };
    if header.fragments_offset().value() == 0 {
        packet.transport(ip.payload().payload, total.saturating_sub(before as u32));
    }
    Some(packet)
}

/// Reads version 6 (RFC 8200) and its extension headers, as far as they are there.
#[inline]
pub(super) fn version6(bytes: &[u8], wire: u32) -> Option<Ip> {
    let (ip, stopped) = LaxIpv6Slice::from_slice(bytes).ok()?;
    let header = ip.header();
    let extensions = ip.extensions();
    // Zero stands for a jumbogram (RFC 2675), or for segments still to be cut.
    let total = match u32::from(header.payload_length()) {
        0 => wire.saturating_sub(40),
        total => total.min(wire.saturating_sub(40)),
    };
    let mut packet = Ip {
        source: IpAddr::V6(header.source_addr()),
        destination: IpAddr::V6(header.destination_addr()),
        protocol: ip.payload().ip_number.0,
        fragment: ip.is_payload_fragmented(),
        ports: None,
        tcp: None,
    };
    let later = extensions.clone().into_iter().any(|extension| match extension {
        etherparse::Ipv6ExtensionSlice::Fragment(fragment) => fragment.fragment_offset().value() != 0,
        _ => false,
    });
    if stopped.is_none() && !later {
        packet.transport(ip.payload().payload, total.saturating_sub(extensions.slice().len() as u32));
    }
    Some(packet)
}

impl Ip {
    /// Reads the start of what is carried; `wire` is how long it was.
    #[inline]
    fn transport(&mut self, bytes: &[u8], wire: u32) {
        if !matches!(self.protocol, TCP | UDP | DCCP | SCTP | UDP_LITE) {
            return;
        }
        let Some(&[a, b, c, d]) = bytes.first_chunk() else { return };
        self.ports = Some((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])));
        // RFC 9293, section 3.1. Of a fragment nobody knows how much data the whole carries.
        if let (TCP, false, Some(head)) = (self.protocol, self.fragment, bytes.first_chunk::<16>()) {
            let word = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
            self.tcp = Some(Tcp {
                sequence: word(4),
                acknowledgment: word(8),
                flags: head[13],
                window: u16::from_be_bytes([head[14], head[15]]),
                payload: wire.saturating_sub(4 * u32::from(head[12] >> 4)),
            });
        }
    }
}
