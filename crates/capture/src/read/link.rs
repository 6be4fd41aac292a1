//! Decodes link-layer frames: Ethernet II, 802.3 with LLC and SNAP, VLAN tags, Linux cooked, loopback, raw IP.

use etherparse::EtherType;

/// Type of the data after a link header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Carried {
    /// Identified by an EtherType (IEEE 802.3, clause 3.2.6).
    Type(u16),
    /// An LLC header without an EtherType.
    Llc,
    /// Unknown, or not captured.
    Unknown,
}

/// The content of a frame without its link header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame<'a> {
    pub(super) carried: Carried,
    pub(super) vlan: bool,
    pub(super) llc: bool,
    pub(super) payload: &'a [u8],
    /// Size of the headers before the payload, in bytes.
    pub(super) before: usize,
}

/// The name of a link type, as in `tshark` if it has one.
pub(super) fn name(link: u16) -> Option<&'static str> {
    Some(match link {
        0 | 108 => "null",
        1 => "eth",
        12 | 14 | 101 | 228 | 229 => "raw",
        113 | 276 => "sll",
        _ => return None,
    })
}

const IPV4: u16 = EtherType::IPV4.0;
const IPV6: u16 = EtherType::IPV6.0;

/// Removes the link header.
#[inline]
pub(super) fn open(link: u16, bytes: &[u8]) -> Frame<'_> {
    match link {
        1 => ethernet(bytes),
        0 | 108 => loopback(bytes),
        12 | 14 | 101 => raw(bytes),
        228 => plain(Carried::Type(IPV4), bytes, 0),
        229 => plain(Carried::Type(IPV6), bytes, 0),
        // The protocol is in bytes 14 and 15 for LINKTYPE_LINUX_SLL, and in bytes 0 and 1 for LINKTYPE_LINUX_SLL2.
        113 => cooked(bytes, 14, 16),
        276 => cooked(bytes, 0, 20),
        _ => plain(Carried::Unknown, bytes, 0),
    }
}

#[inline]
fn plain(carried: Carried, bytes: &[u8], before: usize) -> Frame<'_> {
    let payload = bytes.get(before..).unwrap_or_default();
    let carried = if before > bytes.len() { Carried::Unknown } else { carried };
    Frame { carried, vlan: false, llc: false, payload, before }
}

#[inline]
fn ethernet(bytes: &[u8]) -> Frame<'_> {
    match u16_at(bytes, 12) {
        Some(kind) => typed(kind, bytes, 14),
        None => plain(Carried::Unknown, bytes, bytes.len()),
    }
}

/// Removes VLAN tags, and LLC if the type field contains a length.
#[inline]
fn typed(mut kind: u16, bytes: &[u8], mut before: usize) -> Frame<'_> {
    let mut vlan = false;
    // 802.1Q, 802.1ad, and the older QinQ tag.
    while matches!(kind, 0x8100 | 0x88a8 | 0x9100) {
        vlan = true;
        match u16_at(bytes, before + 2) {
            Some(next) => (kind, before) = (next, before + 4),
            None => return Frame { vlan, ..plain(Carried::Unknown, bytes, bytes.len()) },
        }
    }
    let frame = if kind <= 1500 { logical_link(bytes, before) } else { plain(Carried::Type(kind), bytes, before) };
    Frame { vlan, ..frame }
}

/// LLC (IEEE 802.2), and SNAP with an EtherType if its organisation code is zero (RFC 1042).
fn logical_link(bytes: &[u8], before: usize) -> Frame<'_> {
    let header = bytes.get(before..).unwrap_or_default();
    let frame = match header {
        [0xaa, 0xaa, 3, 0, 0, 0, high, low, ..] => {
            plain(Carried::Type(u16::from_be_bytes([*high, *low])), bytes, before + 8)
        }
        _ => plain(Carried::Llc, bytes, before),
    };
    Frame { llc: true, ..frame }
}

/// Cooked frames: small protocol numbers are Linux-specific; 4 means LLC.
fn cooked(bytes: &[u8], at: usize, before: usize) -> Frame<'_> {
    match u16_at(bytes, at) {
        Some(4) => logical_link(bytes, before),
        Some(kind) if kind > 1500 => typed(kind, bytes, before),
        _ => plain(Carried::Unknown, bytes, before.min(bytes.len())),
    }
}

/// Loopback frames begin with four bytes: an address family in the byte order of the capturing machine. Its value for
/// IPv6 differs between systems.
fn loopback(bytes: &[u8]) -> Frame<'_> {
    let carried = match bytes {
        [0, 0, 0, family, ..] | [family, 0, 0, 0, ..] => match family {
            2 => Carried::Type(IPV4),
            10 | 24 | 28 | 30 => Carried::Type(IPV6),
            _ => Carried::Unknown,
        },
        _ => Carried::Unknown,
    };
    plain(carried, bytes, 4.min(bytes.len()))
}

/// Raw IP: the first four bits contain the version.
fn raw(bytes: &[u8]) -> Frame<'_> {
    let carried = match bytes.first().map(|byte| byte >> 4) {
        Some(4) => Carried::Type(IPV4),
        Some(6) => Carried::Type(IPV6),
        _ => Carried::Unknown,
    };
    plain(carried, bytes, 0)
}

#[inline]
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ethernet_of(rest: &[u8]) -> Vec<u8> {
        [&[0; 12], rest].concat()
    }

    #[test]
    fn two_tags_then_ip() {
        let bytes = ethernet_of(&[0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0, 0x45]);
        let frame = open(1, &bytes);
        assert_eq!((frame.carried, frame.vlan, frame.payload), (Carried::Type(0x0800), true, &[0x45][..]));
    }

    #[test]
    fn snap_carries_a_type_and_other_llc_does_not() {
        let snap = ethernet_of(&[0, 9, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45]);
        assert_eq!(open(1, &snap).carried, Carried::Type(0x0800));
        assert!(open(1, &snap).llc);
        let spanning_tree = ethernet_of(&[0, 38, 0x42, 0x42, 3, 0]);
        assert_eq!(open(1, &spanning_tree).carried, Carried::Llc);
    }

    #[test]
    fn loopback_in_either_order() {
        for bytes in [[2, 0, 0, 0, 0x45], [0, 0, 0, 2, 0x45]] {
            assert_eq!(open(0, &bytes).carried, Carried::Type(0x0800));
        }
        assert_eq!(open(0, &[30, 0, 0, 0, 0x60]).carried, Carried::Type(0x86dd));
    }

    #[test]
    fn what_is_cut_off_is_unknown() {
        for link in [0, 1, 101, 113, 276] {
            assert_eq!(open(link, &[]).carried, Carried::Unknown);
        }
        assert_eq!(open(1, &ethernet_of(&[0x81, 0, 0])).carried, Carried::Unknown);
    }
}
