//! Ethernet II, 802.3 with LLC and SNAP, and what EtherTypes announce before IP: VLAN tags, VN-Tag, 802.1BR's E-TAG, MPLS
//! labels and PPPoE sessions.

use super::{Carried, Frame, Tags, point_to_point, raw, u16_at};

/// Tags between the header and IP are removed up to this number, more than any network has.
const MOST_TAGS: usize = 16;

/// An Ethernet frame.
#[inline]
pub(super) fn open(bytes: &[u8]) -> Frame<'_> {
    match u16_at(bytes, 12) {
        Some(kind) => typed(kind, bytes, 14),
        None => Frame::unknown(bytes),
    }
}

/// Data of an EtherType: removes tags, LLC if the type is a length, labels and sessions.
#[inline]
pub(super) fn typed(kind: u16, bytes: &[u8], before: usize) -> Frame<'_> {
    let (kind, before, tags) = untagged(kind, bytes, before);
    let frame = match kind {
        Some(..=1500) => logical_link(bytes, before),
        Some(kind @ (0x8847 | 0x8848)) => labelled(kind, bytes, before),
        Some(0x8864) => point_to_point::session(bytes, before),
        Some(kind) => Frame::of(Carried::Type(kind), bytes, before),
        None => Frame::unknown(bytes),
    };
    frame.tagged(tags)
}

/// Removes tags. Returns the type behind them, if it was captured, and where its data begins.
#[inline]
fn untagged(mut kind: u16, bytes: &[u8], mut before: usize) -> (Option<u16>, usize, Tags) {
    let mut tags = Tags::default();
    for _ in 0..MOST_TAGS {
        let (tag, length) = match kind {
            // 802.1Q, 802.1ad, and the older QinQ tag.
            0x8100 | 0x88a8 | 0x9100 => (Tags::VLAN, 4),
            0x8926 => (Tags::VN_TAG, 6),
            0x893f => (Tags::E_TAG, 8),
            _ => break,
        };
        tags = tags.and(tag);
        let Some(next) = u16_at(bytes, before + length - 2) else { return (None, before, tags) };
        (kind, before) = (next, before + length);
    }
    (Some(kind), before, tags)
}

/// LLC (IEEE 802.2), and SNAP with an EtherType if its organisation code is zero (RFC 1042).
pub(super) fn logical_link(bytes: &[u8], before: usize) -> Frame<'_> {
    let frame = match bytes.get(before..).unwrap_or_default() {
        [0xaa, 0xaa, 3, 0, 0, 0, high, low, ..] => {
            Frame::of(Carried::Type(u16::from_be_bytes([*high, *low])), bytes, before + 8)
        }
        [] => Frame::of(Carried::Unknown, bytes, before),
        _ => Frame::of(Carried::Llc, bytes, before),
    };
    frame.tagged(Tags::LLC)
}

/// MPLS labels (RFC 3032) up to the bottom of the stack. Nothing states what they carry: it is IP if it begins with its
/// version (RFC 4928), and Ethernet behind a control word of zero (RFC 4385).
pub(super) fn labelled(kind: u16, bytes: &[u8], mut before: usize) -> Frame<'_> {
    let opened = (0..MOST_TAGS).find_map(|_| {
        let is_bottom = *bytes.get(before + 2)? & 1 == 1;
        before += 4;
        is_bottom.then_some(before)
    });
    let frame = match opened {
        Some(_) if bytes.get(before).is_some_and(|byte| matches!(byte >> 4, 4 | 6)) => raw(bytes, before),
        Some(_) if bytes.get(before) == Some(&0) => wire(bytes, before + 4),
        _ => Frame::of(Carried::Type(kind), bytes, before.min(bytes.len())),
    };
    frame.tagged(Tags::MPLS)
}

/// An Ethernet frame that labels carry. What its own labels carry is not read.
fn wire(bytes: &[u8], before: usize) -> Frame<'_> {
    let Some(kind) = u16_at(bytes, before + 12) else { return Frame::unknown(bytes) };
    match untagged(kind, bytes, before + 14) {
        (Some(kind @ 1501..), before, tags) => Frame::of(Carried::Type(kind), bytes, before).tagged(tags),
        _ => Frame::unknown(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IP: Carried = Carried::Type(0x0800);

    fn ethernet_of(rest: &[u8]) -> Vec<u8> {
        [&[0; 12], rest].concat()
    }

    /// What an Ethernet frame with this content carries, its tags, and its first byte.
    fn opened(rest: &[u8]) -> (Carried, Vec<&'static str>, Option<u8>) {
        let bytes = ethernet_of(rest);
        let frame = open(&bytes);
        let tags = Tags::ALL.into_iter().filter(|(tag, _)| frame.tags.has(*tag)).map(|(_, name)| name).collect();
        (frame.carried, tags, frame.payload.first().copied())
    }

    #[test]
    fn two_tags_then_ip() {
        assert_eq!(opened(&[0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0, 0x45]), (IP, vec!["vlan"], Some(0x45)));
        assert_eq!(opened(&[0x81, 0, 0]), (Carried::Unknown, vec!["vlan"], None));
    }

    #[test]
    fn tags_of_switches() {
        assert_eq!(opened(&[0x89, 0x26, 0, 1, 0, 2, 8, 0, 0x45]), (IP, vec!["vntag"], Some(0x45)));
        assert_eq!(opened(&[0x89, 0x3f, 0, 1, 0, 2, 0, 3, 8, 0, 0x45]), (IP, vec!["ieee8021br"], Some(0x45)));
        assert_eq!(
            opened(&[0x89, 0x26, 0, 1, 0, 2, 0x81, 0, 0, 9, 8, 0, 0x45]),
            (IP, vec!["vlan", "vntag"], Some(0x45))
        );
    }

    #[test]
    fn snap_carries_a_type_and_other_llc_does_not() {
        assert_eq!(opened(&[0, 9, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45]), (IP, vec!["llc"], Some(0x45)));
        let spanning_tree = [0, 38, 0x42, 0x42, 3, 0];
        assert_eq!(opened(&spanning_tree), (Carried::Llc, vec!["llc"], Some(0x42)));
    }

    #[test]
    fn labels_carry_what_they_do_not_name() {
        // Two labels; the second is the bottom of the stack.
        let labels = [0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64];
        assert_eq!(opened(&[&labels[..], &[0x45]].concat()), (IP, vec!["mpls"], Some(0x45)));
        assert_eq!(opened(&[&labels[..], &[0x60]].concat()), (Carried::Type(0x86dd), vec!["mpls"], Some(0x60)));
        let wire = [&labels[..], &[0, 0, 0, 0], &ethernet_of(&[8, 0, 0x45])].concat();
        assert_eq!(opened(&wire), (IP, vec!["mpls"], Some(0x45)));
        // A stack without a bottom, and one that carries something else.
        assert_eq!(opened(&labels[..6]), (Carried::Type(0x8847), vec!["mpls"], None));
        assert_eq!(opened(&[&labels[..], &[0x99]].concat()).0, Carried::Type(0x8847));
    }

    #[test]
    fn a_session_carries_a_protocol_of_ppp() {
        let session = [0x88, 0x64, 0x11, 0, 0, 1, 0, 22, 0, 0x21, 0x45];
        assert_eq!(opened(&session), (IP, vec!["pppoes"], Some(0x45)));
    }
}
