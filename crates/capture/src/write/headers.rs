//! IPv4, TCP and UDP headers in front of a zero payload.

use std::net::Ipv4Addr;

/// Bytes of an IPv4 header without options (RFC 791, section 3.1).
const IP: usize = 20;
/// Bytes of a TCP header without options (RFC 9293, section 3.1).
const TCP: usize = 20;
/// Bytes of a UDP header (RFC 768).
const UDP: usize = 8;
/// Maximum size of TCP options in bytes: the data offset field is limited to 15 words.
const MOST_OPTIONS: usize = 40;

const PROTOCOL_TCP: u8 = 6;
const PROTOCOL_UDP: u8 = 17;
const DONT_FRAGMENT: u16 = 0x4000;
const TIME_TO_LIVE: u8 = 64;

pub(super) const SYN: u8 = 0x02;
pub(super) const ACK: u8 = 0x10;

const OPTION_NOTHING: u8 = 1;
const OPTION_MSS: u8 = 2;
const OPTION_WINDOW_SCALE: u8 = 3;
const OPTION_SACK_PERMITTED: u8 = 4;
const OPTION_SACK: u8 = 5;

/// Source and destination of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) from: (Ipv4Addr, u16),
    pub(super) to: (Ipv4Addr, u16),
}

impl Ends {
    /// The reverse direction.
    pub(super) const fn back(self) -> Self {
        Self { from: self.to, to: self.from }
    }
}

/// The TCP header fields that differ from packet to packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tcp<'a> {
    pub(super) sequence: u32,
    pub(super) acknowledgment: u32,
    pub(super) flags: u8,
    /// The flags AE, CWR and ECE (RFC 9768, section 3.1).
    pub(super) ecn: u8,
    pub(super) window: u16,
    pub(super) options: &'a Options,
}

/// TCP options, padded to whole words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    bytes: [u8; MOST_OPTIONS],
    length: usize,
}

impl Options {
    pub(super) const NONE: Self = Self { bytes: [0; MOST_OPTIONS], length: 0 };

    /// Maximum segment size (RFC 9293, section 3.7.1).
    pub(super) fn mss(self, bytes: u16) -> Self {
        let [high, low] = bytes.to_be_bytes();
        self.with(&[OPTION_MSS, 4, high, low])
    }

    /// SACK permitted (RFC 2018, section 2).
    pub(super) fn sack_permitted(self) -> Self {
        self.with(&[OPTION_NOTHING, OPTION_NOTHING, OPTION_SACK_PERMITTED, 2])
    }

    /// Window scale (RFC 7323, section 2.2).
    pub(super) fn window_scale(self, shift: u8) -> Self {
        self.with(&[OPTION_NOTHING, OPTION_WINDOW_SCALE, 3, shift])
    }

    /// SACK with at most four blocks (RFC 2018, section 3), each given by its first sequence number and the number
    /// after its last.
    pub(super) fn sack(self, blocks: impl ExactSizeIterator<Item = (u32, u32)>) -> Self {
        let length = 2 + 8 * blocks.len() as u8;
        let begun = self.with(&[OPTION_NOTHING, OPTION_NOTHING, OPTION_SACK, length]);
        blocks.fold(begun, |options, (start, end)| options.with(&start.to_be_bytes()).with(&end.to_be_bytes()))
    }

    /// No-operations (RFC 9293, section 3.1): whole words of at most `bytes` bytes, up to the room that is left.
    pub(super) fn padding(mut self, bytes: u32) -> Self {
        let length = (bytes as usize).min(MOST_OPTIONS - self.length) / 4 * 4;
        self.bytes[self.length..self.length + length].fill(OPTION_NOTHING);
        self.length += length;
        self
    }

    /// Length in bytes.
    pub(super) const fn length(&self) -> u32 {
        self.length as u32
    }

    fn with(mut self, more: &[u8]) -> Self {
        self.bytes[self.length..self.length + more.len()].copy_from_slice(more);
        self.length += more.len();
        self
    }
}

/// The headers and the length of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Headers {
    bytes: [u8; IP + TCP + MOST_OPTIONS],
    length: usize,
    total: u32,
}

impl Headers {
    /// A TCP packet with `payload` bytes of data, and `service` in the second byte of the IP header.
    pub(super) fn tcp(ends: Ends, service: u8, fields: Tcp<'_>, payload: u32) -> Self {
        let Tcp { sequence, acknowledgment, flags, ecn, window, options } = fields;
        let length = IP + TCP + options.length;
        let mut packet = Self::ip(ends, service, PROTOCOL_TCP, length, payload);
        let tcp = &mut packet.bytes[IP..length];
        tcp[4..8].copy_from_slice(&sequence.to_be_bytes());
        tcp[8..12].copy_from_slice(&acknowledgment.to_be_bytes());
        tcp[12] = ((TCP + options.length) / 4) as u8 * 16 + (ecn >> 2);
        tcp[13] = flags | ecn << 6;
        tcp[14..16].copy_from_slice(&window.to_be_bytes());
        tcp[TCP..].copy_from_slice(&options.bytes[..options.length]);
        packet.finish(ends, PROTOCOL_TCP, 16)
    }

    /// A UDP packet of `size` bytes, or of the size of its headers if that is larger.
    pub(super) fn udp(ends: Ends, service: u8, size: u32) -> Self {
        let length = IP + UDP;
        let mut packet = Self::ip(ends, service, PROTOCOL_UDP, length, size.saturating_sub(length as u32));
        let datagram = packet.total as u16 - IP as u16;
        packet.bytes[IP + 4..IP + 6].copy_from_slice(&datagram.to_be_bytes());
        packet.finish(ends, PROTOCOL_UDP, 6)
    }

    /// The headers' bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Size of the packet including its payload, in bytes.
    pub(super) const fn total(&self) -> u32 {
        self.total
    }

    /// The IPv4 header and the ports of a packet of at most 65,535 bytes. Packets that are never fragmented need no
    /// identification (RFC 6864, section 4.1).
    fn ip(ends: Ends, service: u8, protocol: u8, length: usize, payload: u32) -> Self {
        let total = length as u32 + payload;
        let mut bytes = [0; IP + TCP + MOST_OPTIONS];
        bytes[0] = 0x45;
        bytes[1] = service;
        bytes[2..4].copy_from_slice(&(total as u16).to_be_bytes());
        bytes[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
        bytes[8] = TIME_TO_LIVE;
        bytes[9] = protocol;
        bytes[12..16].copy_from_slice(&ends.from.0.octets());
        bytes[16..20].copy_from_slice(&ends.to.0.octets());
        let checksum = !folded(sum(&bytes[..IP]));
        bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
        bytes[IP..IP + 2].copy_from_slice(&ends.from.1.to_be_bytes());
        bytes[IP + 2..IP + 4].copy_from_slice(&ends.to.1.to_be_bytes());
        Self { bytes, length, total }
    }

    /// Sets the checksum over the pseudo header, the header and the payload (RFC 9293, section 3.1; RFC 768).
    fn finish(mut self, ends: Ends, protocol: u8, at: usize) -> Self {
        let pseudo = [ends.from.0.octets(), ends.to.0.octets(), (self.total - IP as u32).to_be_bytes()];
        let whole = sum(pseudo.as_flattened()) + u32::from(protocol) + sum(&self.bytes[IP..self.length]);
        let checksum = match !folded(whole) {
            // in UDP, zero would mean that there is no checksum
            0 if protocol == PROTOCOL_UDP => u16::MAX,
            checksum => checksum,
        };
        self.bytes[IP + at..IP + at + 2].copy_from_slice(&checksum.to_be_bytes());
        self
    }
}

/// The sum of 16-bit words; the length must be even.
fn sum(bytes: &[u8]) -> u32 {
    bytes.as_chunks().0.iter().map(|word| u32::from(u16::from_be_bytes(*word))).sum()
}

/// The ones' complement sum (RFC 1071, section 1): carries are added at the low end.
fn folded(sum: u32) -> u16 {
    let once = (sum & 0xffff) + (sum >> 16);
    ((once & 0xffff) + (once >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use ackclock_tcp::Ecn;

    use super::*;

    /// The words 0001 f203 f4f5 f6f7 add up to 2ddf0: with the carry, ddf2.
    ///
    /// Validates: checksums are the ones' complement of the ones' complement sum.
    /// Source: RFC 1071, section 3, the numerical example.
    /// Tolerance: exact.
    #[test]
    fn the_example_of_rfc_1071() {
        let words = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(sum(&words), 0x2_ddf0);
        assert_eq!(folded(sum(&words)), 0xddf2);
    }

    const ENDS: Ends = Ends { from: (Ipv4Addr::new(10, 0, 0, 1), 49_152), to: (Ipv4Addr::new(10, 128, 0, 1), 9) };

    /// IP: 4500 + 05dc + 0000 + 4000 + 4006 + 0000 + 0a00 + 0001 + 0a80 + 0001 = df64, complement 209b. TCP: the pseudo
    /// header 0a00 + 0001 + 0a80 + 0001 + 0006 + 05c8 and the header c000 + 0009 + 0000 + 0001 + 0000 + 0001 + 5010 +
    /// ffff add up to 2_2a6a; with the carry, 2a6c; complement d593. The zero payload adds nothing.
    #[test]
    fn a_segment_worked_by_hand() {
        let fields =
            Tcp { sequence: 1, acknowledgment: 1, flags: ACK, ecn: 0, window: 65_535, options: &Options::NONE };
        let packet = Headers::tcp(ENDS, 0, fields, 1460);
        assert_eq!((packet.bytes().len(), packet.total()), (40, 1500));
        assert_eq!(packet.bytes()[10..12], [0x20, 0x9b]);
        assert_eq!(packet.bytes()[36..38], [0xd5, 0x93]);
    }

    /// Validates: the codepoint is in the last two bits of the second byte of the IP header; AE is the last bit of the
    ///   13th byte of the TCP header, CWR and ECE are the first two of the 14th.
    /// Source: RFC 3168, sections 5 and 6.1; RFC 9768, section 3.1.
    /// Tolerance: exact.
    #[test]
    fn ecn_has_its_bits() {
        for (codepoint, byte) in [(Ecn::NotEct, 0), (Ecn::Ect1, 1), (Ecn::Ect0, 2), (Ecn::Ce, 3)] {
            for (ecn, bits) in
                [(0b000, [0x50, 0x10]), (0b001, [0x50, 0x50]), (0b010, [0x50, 0x90]), (0b100, [0x51, 0x10])]
            {
                let fields =
                    Tcp { sequence: 1, acknowledgment: 1, flags: ACK, ecn, window: 9, options: &Options::NONE };
                let packet = Headers::tcp(ENDS, codepoint as u8, fields, 1460);
                assert_eq!((packet.bytes()[1], &packet.bytes()[32..34]), (byte, &bits[..]));
                check(&packet, PROTOCOL_TCP);
            }
        }
    }

    #[test]
    fn a_sum_over_all_with_the_checksum_is_all_ones() {
        let options = Options::NONE.mss(1460).sack_permitted().window_scale(7);
        assert_eq!(options.length, 12);
        assert_eq!([0, 3, 12, 14, 99].map(|bytes| Options::NONE.padding(bytes).length), [0, 0, 12, 12, 40]);
        let sack = Options::NONE.sack([(1, 2), (0xffff_0000, 5), (7, 8), (9, 10)].into_iter());
        assert_eq!(sack.length, 36);
        for (options, sequence) in [(Options::NONE, 0), (options, 17), (sack, u32::MAX)] {
            let fields = Tcp { sequence, acknowledgment: 5, flags: SYN, ecn: 0, window: 3, options: &options };
            check(&Headers::tcp(ENDS.back(), 0, fields, 3), PROTOCOL_TCP);
        }
        for size in [28, 29, 1000, 65_535] {
            let packet = Headers::udp(ENDS, 46 << 2, size);
            assert_eq!(packet.total(), size);
            check(&packet, PROTOCOL_UDP);
        }
        assert_eq!(Headers::udp(ENDS, 0, 1).total(), 28);
    }

    /// Verifies a packet as a receiver does: all words including checksums sum to ffff.
    fn check(packet: &Headers, protocol: u8) {
        let bytes = packet.bytes();
        assert_eq!(folded(sum(&bytes[..IP])), 0xffff);
        let pseudo = sum(&bytes[12..20]) + u32::from(protocol) + packet.total() - IP as u32;
        assert_eq!(folded(pseudo + sum(&bytes[IP..])), 0xffff, "{packet:?}");
    }
}
