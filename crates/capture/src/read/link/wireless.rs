//! Data frames of IEEE 802.11, perhaps behind the header with which their capture describes the radio: radiotap, Prism, AVS
//! or PPI. Encrypted and aggregated frames are not read.

use super::ethernet::logical_link;
use super::{Carried, Frame, u16_at};

/// A frame of link type 105.
pub(super) fn open(bytes: &[u8], before: usize) -> Frame<'_> {
    frame(bytes, before, false)
}

/// A frame behind a description of the radio.
pub(super) fn described(link: u16, bytes: &[u8]) -> Frame<'_> {
    let little = |at: usize| Some(usize::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)));
    let word = |at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let (length, is_padded) = match link {
        127 => (little(2), is_padded(bytes)),
        192 => (little(2).filter(|_| little(4) == Some(105)), false),
        // An AVS header begins with its version; a Prism header has 144 bytes.
        _ if word(0).is_some_and(|magic| magic & 0xffff_f000 == 0x8021_1000) => (word(4).map(|at| at as usize), false),
        119 => (Some(144), false),
        _ => (None, false),
    };
    match length {
        Some(length) if (8..=bytes.len()).contains(&length) => frame(bytes, length, is_padded),
        _ => Frame::unknown(bytes),
    }
}

/// Whether radiotap's flags say that the 802.11 header is padded to four bytes. The flags are the second field; the first is
/// the clock, of eight bytes in steps of eight (radiotap.org, "Fields").
fn is_padded(bytes: &[u8]) -> bool {
    let word = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|word| u32::from_le_bytes(*word));
    let Some(present) = word(4) else { return false };
    if present & 2 == 0 {
        return false;
    }
    let mut at = 8;
    let mut more = present;
    while more >> 31 == 1 {
        let Some(next) = word(at) else { return false };
        (more, at) = (next, at + 4);
    }
    if present & 1 == 1 {
        at = at.next_multiple_of(8) + 8;
    }
    bytes.get(at).is_some_and(|flags| flags & 0x20 != 0)
}

/// The 802.11 header (IEEE 802.11-2020, section 9.2.4), then LLC.
fn frame(bytes: &[u8], before: usize, is_padded: bool) -> Frame<'_> {
    let Some(control) = u16_at(bytes, before) else { return Frame::unknown(bytes) };
    let [kind, flags] = control.to_be_bytes();
    let (has_four_addresses, is_encrypted, has_more) = (flags & 3 == 3, flags & 0x40 != 0, flags & 0x80 != 0);
    let has_service = kind & 0x80 != 0;
    // of type data, and not without data
    if kind & 0x0c != 0x08 || kind & 0x40 != 0 || is_encrypted {
        return Frame::of(Carried::Unknown, bytes, before);
    }
    let mut length = 24 + 6 * usize::from(has_four_addresses);
    if has_service {
        let is_aggregate = bytes.get(before + length).is_some_and(|service| service & 0x80 != 0);
        if is_aggregate {
            return Frame::of(Carried::Unknown, bytes, before);
        }
        length += 2 + 4 * usize::from(has_more);
    }
    let length = if is_padded { length.next_multiple_of(4) } else { length };
    // Some drivers pad the header without a word; SNAP does not begin with zeros.
    let is_odd = bytes.get(before + length..).is_some_and(|rest| rest.starts_with(&[0, 0, 0xaa, 0xaa]));
    logical_link(bytes, before + length + 2 * usize::from(is_odd))
}

#[cfg(test)]
mod tests {
    use super::super::open;
    use super::*;

    const LLC: [u8; 9] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45];

    fn data(kind: u8, flags: u8, length: usize) -> Vec<u8> {
        let mut header = vec![0; length];
        (header[0], header[1]) = (kind, flags);
        [&header[..], &LLC].concat()
    }

    #[test]
    fn data_frames_carry_ip() {
        for frame in [data(0x08, 1, 24), data(0x08, 3, 30), data(0x88, 2, 26), data(0x88, 0x83, 36)] {
            let opened = open(105, &frame);
            assert_eq!((opened.carried, opened.payload), (Carried::Type(0x0800), &[0x45][..]));
        }
    }

    #[test]
    fn padding_is_known_by_what_follows() {
        let opened = open(105, &data(0x08, 1, 26)).carried;
        assert_eq!(opened, Carried::Type(0x0800));
    }

    #[test]
    fn other_frames_are_unknown() {
        let mut aggregate = data(0x88, 2, 26);
        aggregate[24] = 0x80;
        // A beacon, an ACK, one without data, an encrypted one.
        for frame in [data(0x80, 0, 24), data(0xd4, 0, 10), data(0x48, 1, 24), data(0x08, 0x41, 24), aggregate] {
            assert_eq!(open(105, &frame).carried, Carried::Unknown);
        }
    }

    #[test]
    fn descriptions_of_the_radio_are_passed_over() {
        let frame = data(0x08, 1, 24);
        let radiotap = [&[0, 0, 10, 0, 0, 0, 0, 0, 9, 9][..], &frame].concat();
        assert_eq!(open(127, &radiotap).carried, Carried::Type(0x0800));
        let prism = [&[0; 144][..], &frame].concat();
        assert_eq!(open(119, &prism).carried, Carried::Type(0x0800));
        let avs = [&[0x80, 0x21, 0x10, 1, 0, 0, 0, 64][..], &[0; 56], &frame].concat();
        assert_eq!(open(163, &avs).carried, Carried::Type(0x0800));
        let ppi = [&[0, 0, 8, 0, 105, 0, 0, 0][..], &frame].concat();
        assert_eq!(open(192, &ppi).carried, Carried::Type(0x0800));
        let ppi_of_ethernet = [&[0, 0, 8, 0, 1, 0, 0, 0][..], &frame].concat();
        assert_eq!(open(192, &ppi_of_ethernet).carried, Carried::Unknown);
    }

    #[test]
    fn a_padded_header_is_known_by_the_flags() {
        // The clock and the flags are present, after two words of presence; the flags say "padded".
        let radiotap = [0, 0, 25, 0, 3, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x20];
        let mut frame = data(0x88, 1, 26);
        frame.splice(26..26, [0, 0]);
        let padded = [&radiotap[..], &frame].concat();
        assert_eq!(open(127, &padded).carried, Carried::Type(0x0800));
    }
}
