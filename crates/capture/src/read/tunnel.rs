//! Opens tunnels: IP in IP (RFC 2003, RFC 4213), GRE (RFC 2784, RFC 2890), VXLAN (RFC 7348), Geneve (RFC 8926) and GTP-U
//! (3GPP TS 29.281).

use super::link::{self, Carried};
use super::network::{Ip, UDP, version4, version6};

const GRE: u8 = 47;
const ETHERNET: u16 = 0x6558;

/// Tunnels within tunnels are opened up to this number.
const MOST: usize = 4;

/// The innermost packet that can be read.
pub(super) fn innermost(mut ip: Ip<'_>) -> Ip<'_> {
    for _ in 0..MOST {
        let Some(inner) = inside(&ip) else { break };
        ip = inner;
    }
    ip
}

/// The packet in a tunnel.
fn inside<'a>(ip: &Ip<'a>) -> Option<Ip<'a>> {
    let (bytes, wire) = (ip.inside, ip.beyond);
    match (ip.protocol, ip.ports) {
        (4, _) => version4(bytes, wire),
        (41, _) => version6(bytes, wire),
        (GRE, _) => {
            let (kind, at) = gre(bytes)?;
            carried(kind, bytes, wire, at)
        }
        // VXLAN: eight bytes, then Ethernet.
        (UDP, Some((_, 4789))) => carried(ETHERNET, bytes, wire, 16),
        // Geneve: eight bytes, with the number of words of options in the first.
        (UDP, Some((_, 6081))) => {
            let kind = u16::from_be_bytes([*bytes.get(10)?, *bytes.get(11)?]);
            carried(kind, bytes, wire, 16 + 4 * usize::from(bytes.get(8)? & 0x3f))
        }
        (UDP, Some((2152, _) | (_, 2152))) => {
            let at = user_plane(bytes)?;
            match bytes.get(at)? >> 4 {
                4 => version4(&bytes[at..], wire.saturating_sub(at as u32)),
                6 => version6(&bytes[at..], wire.saturating_sub(at as u32)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Data of an EtherType behind `at` bytes.
fn carried(kind: u16, bytes: &[u8], wire: u32, at: usize) -> Option<Ip<'_>> {
    let (bytes, wire) = (bytes.get(at..)?, wire.saturating_sub(at as u32));
    let (carried, bytes, wire) = if kind == ETHERNET {
        let frame = link::open(1, bytes);
        (frame.carried, frame.payload, wire.saturating_sub(frame.before as u32))
    } else {
        (Carried::Type(kind), bytes, wire)
    };
    match carried {
        Carried::Type(0x0800) => version4(bytes, wire),
        Carried::Type(0x86dd) => version6(bytes, wire),
        _ => None,
    }
}

/// The type of GRE's data and its offset. The flags announce a checksum, a key and a sequence number of four bytes each.
fn gre(bytes: &[u8]) -> Option<(u16, usize)> {
    let [flags, version, high, low] = *bytes.first_chunk()?;
    let is_plain = matches!(version & 7, 0) && flags & 0x40 == 0;
    let optional = [0x80, 0x20, 0x10].into_iter().filter(|flag| flags & flag != 0).count();
    is_plain.then(|| (u16::from_be_bytes([high, low]), 4 + 4 * optional))
}

/// Offset of the packet that GTP-U carries, behind UDP and perhaps extension headers; `None` for its own messages.
fn user_plane(bytes: &[u8]) -> Option<usize> {
    let &[flags, 255, ..] = bytes.get(8..)? else { return None };
    if flags >> 4 != 3 {
        return None;
    }
    if matches!(flags & 7, 0) {
        return Some(16);
    }
    let (mut at, mut next) = (20, *bytes.get(19)?);
    while next != 0 && flags & 4 != 0 {
        let words = usize::from(*bytes.get(at)?);
        if words == 0 {
            return None;
        }
        at += 4 * words;
        next = *bytes.get(at - 1)?;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An IPv4 packet that carries these bytes.
    fn four(protocol: u8, rest: &[u8]) -> Vec<u8> {
        let [high, low] = (20 + rest.len() as u16).to_be_bytes();
        let head = [0x45, 0, high, low, 0, 7, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        [&head[..], rest].concat()
    }

    fn udp(port: u16, rest: &[u8]) -> Vec<u8> {
        let [high, low] = port.to_be_bytes();
        four(UDP, &[&[9, 9, high, low, 0, 0, 0, 0][..], rest].concat())
    }

    /// Protocol of the innermost packet.
    fn found(packet: &[u8]) -> u8 {
        innermost(version4(packet, packet.len() as u32).unwrap()).protocol
    }

    fn ethernet(packet: &[u8]) -> Vec<u8> {
        [&[0; 12][..], &[8, 0], packet].concat()
    }

    #[test]
    fn every_kind_is_opened() {
        let inner = four(1, &[8, 0, 0, 0]);
        let behind = |header: &[u8]| [header, &inner].concat();
        assert_eq!(found(&four(4, &inner)), 1);
        assert_eq!(found(&four(GRE, &behind(&[0, 0, 8, 0]))), 1);
        assert_eq!(found(&four(GRE, &behind(&[0xb0, 0, 8, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]))), 1);
        assert_eq!(found(&four(GRE, &[&[0, 0, 0x65, 0x58][..], &ethernet(&inner)].concat())), 1);
        assert_eq!(found(&udp(4789, &[&[8, 0, 0, 0, 0, 0, 1, 0][..], &ethernet(&inner)].concat())), 1);
        assert_eq!(found(&udp(6081, &behind(&[1, 0, 8, 0, 0, 0, 1, 0, 9, 9, 9, 9]))), 1);
        assert_eq!(found(&udp(2152, &behind(&[0x30, 255, 0, 0, 0, 0, 0, 1]))), 1);
        let extended = [0x34, 255, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0, 0, 0];
        assert_eq!(found(&udp(2152, &behind(&extended))), 1);
        // A tunnel within a tunnel.
        assert_eq!(found(&four(4, &four(GRE, &behind(&[0, 0, 8, 0])))), 1);
    }

    #[test]
    fn what_is_no_tunnel_stays_as_it_is() {
        let inner = four(1, &[8, 0, 0, 0]);
        assert_eq!(found(&inner), 1);
        assert_eq!(found(&udp(53, &inner)), UDP);
        assert_eq!(found(&four(4, &inner[..10])), 4, "an inner header that was cut");
        assert_eq!(found(&four(GRE, &[0, 1, 8, 0, 0, 0, 0, 0])), GRE, "version 1");
        assert_eq!(found(&udp(2152, &[0x30, 1, 0, 0, 0, 0, 0, 1])), UDP, "a message of GTP itself");
        assert_eq!(
            found(&udp(2152, &[0x34, 255, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x85, 0])),
            UDP,
            "an extension without end"
        );
        let mut deep = inner;
        for _ in 0..9 {
            deep = four(4, &deep);
        }
        assert_eq!(found(&deep), 4);
    }
}
