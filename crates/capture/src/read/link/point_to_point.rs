//! PPP in its framings, and Cisco HDLC.

use super::ethernet::{labelled, typed};
use super::{Carried, Frame, Tags, u16_at};

/// PPP (RFC 1661), perhaps behind the address and the control field of HDLC-like framing (RFC 1662), or behind the
/// direction that pppd writes in place of the address. Some serial links carry Cisco's framing under the same link type.
pub(super) fn ppp(bytes: &[u8], before: usize) -> Frame<'_> {
    match bytes.get(before..) {
        Some([0xff | 0 | 1, 3, ..]) => protocol(bytes, before + 2),
        Some([0x0f | 0x8f, 0, ..]) => cisco(bytes),
        _ => protocol(bytes, before),
    }
}

/// Cisco HDLC: address, control, and an EtherType.
pub(super) fn cisco(bytes: &[u8]) -> Frame<'_> {
    match u16_at(bytes, 2) {
        Some(kind) if kind > 1500 => typed(kind, bytes, 4),
        _ => Frame::unknown(bytes),
    }
}

/// A PPPoE session (RFC 2516): six bytes, then PPP's protocol.
pub(super) fn session(bytes: &[u8], before: usize) -> Frame<'_> {
    protocol(bytes, before + 6).tagged(Tags::PPPOE)
}

/// The protocol field of PPP, in one byte if it is odd and compressed (RFC 1661, section 6.5).
fn protocol(bytes: &[u8], before: usize) -> Frame<'_> {
    let Some(&first) = bytes.get(before) else { return Frame::unknown(bytes) };
    let (number, before) = match u16_at(bytes, before) {
        _ if first & 1 == 1 => (u16::from(first), before + 1),
        Some(number) => (number, before + 2),
        None => return Frame::unknown(bytes),
    };
    match number {
        0x0021 => Frame::of(Carried::Type(0x0800), bytes, before),
        0x0057 => Frame::of(Carried::Type(0x86dd), bytes, before),
        0x0281 => labelled(0x8847, bytes, before),
        0x0283 => labelled(0x8848, bytes, before),
        _ => Frame::of(Carried::Unknown, bytes, before),
    }
}

#[cfg(test)]
mod tests {
    use super::super::open;
    use super::*;

    #[test]
    fn framings_of_ppp() {
        for bytes in [
            &[0xff, 3, 0, 0x21, 0x45][..], // framed as HDLC
            &[0, 0x21, 0x45],              // not framed
            &[0xff, 3, 0x21, 0x45],        // a compressed protocol
            &[1, 3, 0, 0x21, 0x45],        // a direction
            &[0x0f, 0, 8, 0, 0x45],        // Cisco's
        ] {
            for link in [9, 50, 166] {
                let frame = open(link, bytes);
                assert_eq!((frame.carried, frame.payload), (Carried::Type(0x0800), &[0x45][..]), "{bytes:?}");
            }
        }
        assert_eq!(open(9, &[0xff, 3, 0, 0x57, 0x60]).carried, Carried::Type(0x86dd));
        assert_eq!(open(9, &[0xff, 3, 0xc0, 0x21, 1]).carried, Carried::Unknown, "the control protocol of the link");
        assert_eq!(open(104, &[0x0f, 0, 0x86, 0xdd, 0x60]).carried, Carried::Type(0x86dd));
    }
}
