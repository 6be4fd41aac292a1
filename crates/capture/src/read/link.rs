//! Removes link headers, and what lies between them and the network layer: tags, labels, PPP.
//!
//! Ethernet, 802.3 with LLC and SNAP, VLAN tags, MPLS and PPPoE are in `ethernet.rs`; PPP and Cisco HDLC in
//! `point_to_point.rs`; 802.11 and the headers of its captures in `wireless.rs`. Link types are those of tcpdump.org.

mod ethernet;
mod point_to_point;
mod wireless;

use ethernet::{logical_link, typed};

/// Type of the data after a link header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Carried {
    /// Identified by an EtherType (IEEE 802.3, clause 3.2.6).
    Type(u16),
    /// An LLC header without an EtherType.
    Llc,
    /// Unknown, encrypted, or not captured.
    Unknown,
}

/// What lies between the link header and the network layer, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tags(u8);

impl Tags {
    pub(super) const VLAN: Self = Self(1);
    pub(super) const LLC: Self = Self(2);
    pub(super) const MPLS: Self = Self(4);
    pub(super) const PPPOE: Self = Self(8);
    pub(super) const VN_TAG: Self = Self(16);
    pub(super) const E_TAG: Self = Self(32);

    /// All of them, with their names in `tshark`.
    pub(super) const ALL: [(Self, &'static str); 6] = [
        (Self::VLAN, "vlan"),
        (Self::LLC, "llc"),
        (Self::MPLS, "mpls"),
        (Self::PPPOE, "pppoes"),
        (Self::VN_TAG, "vntag"),
        (Self::E_TAG, "ieee8021br"),
    ];

    #[inline]
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[inline]
    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The content of a frame without its link header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame<'a> {
    pub(super) carried: Carried,
    pub(super) tags: Tags,
    pub(super) payload: &'a [u8],
    /// Size of the headers before the payload, in bytes.
    pub(super) before: usize,
}

impl<'a> Frame<'a> {
    /// Data of a type behind `before` bytes of headers.
    #[inline]
    fn of(carried: Carried, bytes: &'a [u8], before: usize) -> Self {
        let payload = bytes.get(before..).unwrap_or_default();
        let carried = if before > bytes.len() { Carried::Unknown } else { carried };
        Self { carried, tags: Tags::default(), payload, before }
    }

    /// Data that cannot be read further.
    #[inline]
    fn unknown(bytes: &'a [u8]) -> Self {
        Self::of(Carried::Unknown, bytes, bytes.len())
    }

    #[inline]
    fn tagged(self, tags: Tags) -> Self {
        Self { tags: self.tags.and(tags), ..self }
    }
}

/// The name of a link type, as in `tshark` if it has one.
pub(super) fn name(link: u16) -> Option<&'static str> {
    Some(match link {
        0 | 108 => "null",
        1 => "eth",
        9 | 50 | 166 => "ppp",
        10 => "fddi",
        12 | 14 | 101 | 228 | 229 => "raw",
        104 => "chdlc",
        105 => "wlan",
        113 | 276 => "sll",
        119 => "prism",
        127 => "radiotap",
        163 => "wlancap",
        192 => "ppi",
        _ => return None,
    })
}

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;

/// Removes the link header.
#[inline]
pub(super) fn open(link: u16, bytes: &[u8]) -> Frame<'_> {
    match link {
        1 => ethernet::open(bytes),
        0 | 108 => loopback(bytes),
        12 | 14 | 101 => raw(bytes, 0),
        228 => Frame::of(Carried::Type(IPV4), bytes, 0),
        229 => Frame::of(Carried::Type(IPV6), bytes, 0),
        // The protocol is in bytes 14 and 15 for LINKTYPE_LINUX_SLL, and in bytes 0 and 1 for LINKTYPE_LINUX_SLL2.
        113 => cooked(bytes, 14, 16),
        276 => cooked(bytes, 0, 20),
        // Frame control and two addresses precede the LLC header.
        10 => logical_link(bytes, 13),
        9 | 50 | 166 => point_to_point::ppp(bytes, 0),
        104 => point_to_point::cisco(bytes),
        105 => wireless::open(bytes, 0),
        119 | 127 | 163 | 192 => wireless::described(link, bytes),
        _ => Frame::of(Carried::Unknown, bytes, 0),
    }
}

/// Cooked frames: small protocol numbers are Linux-specific; 4 means LLC.
fn cooked(bytes: &[u8], at: usize, before: usize) -> Frame<'_> {
    match u16_at(bytes, at) {
        Some(4) => logical_link(bytes, before),
        Some(kind) if kind > 1500 => typed(kind, bytes, before),
        _ => Frame::of(Carried::Unknown, bytes, before.min(bytes.len())),
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
    Frame::of(carried, bytes, 4.min(bytes.len()))
}

/// IP without a header that says so: its first four bits contain the version.
fn raw(bytes: &[u8], before: usize) -> Frame<'_> {
    let carried = match bytes.get(before).map(|byte| byte >> 4) {
        Some(4) => Carried::Type(IPV4),
        Some(6) => Carried::Type(IPV6),
        _ => Carried::Unknown,
    };
    Frame::of(carried, bytes, before)
}

#[inline]
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_in_either_order() {
        for bytes in [[2, 0, 0, 0, 0x45], [0, 0, 0, 2, 0x45]] {
            assert_eq!(open(0, &bytes).carried, Carried::Type(IPV4));
        }
        assert_eq!(open(0, &[30, 0, 0, 0, 0x60]).carried, Carried::Type(IPV6));
    }

    #[test]
    fn fddi_carries_llc() {
        let bytes = [&[0x57][..], &[0; 12], &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45]].concat();
        let frame = open(10, &bytes);
        assert_eq!((frame.carried, frame.payload), (Carried::Type(IPV4), &[0x45][..]));
    }

    #[test]
    fn what_is_cut_off_is_unknown() {
        // Link types 228 and 229 are IP by definition.
        for link in (0..300).filter(|link| !matches!(link, 228 | 229)) {
            assert_eq!(open(link, &[]).carried, Carried::Unknown, "{link}");
        }
    }
}
