//! Packets captured twice, or at two points of one path: by a mirror port, on the interface "any" of Linux, or on both sides of
//! a router.
//!
//! A packet is a copy if an earlier one had the same addresses, transport header and identification of IPv4, shortly before.
//! Senders give each transmission an identification of its own, unless they do not use it (RFC 6864): without one, only
//! segments with data, SYN or FIN count, within half a millisecond, since a sender hardly repeats them so early.

use std::net::IpAddr;

use super::network::{FIN, Ip, SYN, TCP, UDP};

/// The last packets are remembered in as many places, by their hash.
const PLACES: usize = 1 << 13;

/// Longest time between copies in nanoseconds.
const LONGEST: u64 = 100_000_000;
/// The same for packets without an identification.
const LONGEST_UNNAMED: u64 = 500_000;

#[derive(Clone, Copy, Debug, Default)]
struct Last {
    hash: u64,
    time: i64,
    hops: u8,
}

/// The last packets, and the number of copies.
#[derive(Debug)]
pub(super) struct Copies {
    last: Vec<Last>,
    pub(super) packets: u64,
    /// Copies on another side of a router: with another time to live.
    pub(super) routed: u64,
}

impl Copies {
    pub(super) fn new() -> Self {
        Self { last: vec![Last::default(); PLACES], packets: 0, routed: 0 }
    }

    /// Whether a packet is the copy of another one.
    #[inline]
    pub(super) fn has(&mut self, ip: &Ip<'_>, time: i64) -> bool {
        let longest = match (ip.id, ip.tcp) {
            (1.., _) if !ip.fragment => LONGEST,
            (0, Some(tcp)) if tcp.payload > 0 || tcp.flags & (SYN | FIN) != 0 => LONGEST_UNNAMED,
            _ => return false,
        };
        let hash = hash(ip);
        let now = Last { hash, time, hops: ip.hops };
        let before = std::mem::replace(&mut self.last[hash as usize % PLACES], now);
        let is_copy = before.hash == hash && time.abs_diff(before.time) <= longest;
        if is_copy {
            self.packets += 1;
            self.routed += u64::from(before.hops != ip.hops);
        }
        is_copy
    }
}

/// A hash of what copies have in common. Routers change the time to live and the codepoints, and network cards fill in
/// checksums.
#[inline]
fn hash(ip: &Ip<'_>) -> u64 {
    let mut hash = Hash(0);
    hash.address(ip.source);
    hash.address(ip.destination);
    hash.add(u64::from(ip.protocol) << 48 | u64::from(ip.id) << 32 | u64::from(ip.beyond));
    let header = match ip.protocol {
        TCP => 4 * usize::from(ip.inside.get(12).map_or(5, |words| words >> 4)),
        UDP => 6,
        _ => 8,
    };
    let header = &ip.inside[..header.min(ip.inside.len())];
    for (place, word) in header.chunks(8).enumerate() {
        let mut bytes = [0; 8];
        bytes[..word.len()].copy_from_slice(word);
        if ip.protocol == TCP && place == 2 {
            bytes[..2].fill(0); // the checksum
        }
        hash.add(u64::from_le_bytes(bytes));
    }
    // An empty place must not look like a packet.
    hash.0 | 1
}

struct Hash(u64);

impl Hash {
    #[inline]
    const fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }

    #[inline]
    fn address(&mut self, address: IpAddr) {
        match address {
            IpAddr::V4(four) => self.add(u64::from(four.to_bits())),
            IpAddr::V6(six) => {
                let bits = six.to_bits();
                self.add(bits as u64);
                self.add((bits >> 64) as u64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::version4;
    use super::*;

    /// A TCP segment with ten bytes of data.
    fn segment(id: u8, hops: u8, sequence: u8, checksum: u8) -> Vec<u8> {
        let ip = [0x45, 0, 0, 50, 0, id, 0, 0, hops, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        let tcp = [3, 232, 0, 80, 0, 0, 0, sequence, 0, 0, 0, 9, 0x50, 0x10, 1, 0, checksum, 0, 0, 0];
        [&ip[..], &tcp, &[0; 10]].concat()
    }

    fn have(copies: &mut Copies, packet: &[u8], time: i64) -> bool {
        copies.has(&version4(packet, 50).unwrap(), time)
    }

    #[test]
    fn the_same_packet_soon_is_a_copy() {
        let mut copies = Copies::new();
        let same = segment(7, 64, 1, 0);
        assert!(!have(&mut copies, &same, 0));
        assert!(have(&mut copies, &same, 10_000));
        assert!(!have(&mut copies, &same, 200_000_000), "a tenth of a second later it is another one");
        assert!(!have(&mut copies, &segment(8, 64, 1, 0), 200_000_001), "sent again, with another identification");
        assert!(!have(&mut copies, &segment(8, 64, 2, 0), 200_000_002));
        assert_eq!((copies.packets, copies.routed), (1, 0));
    }

    #[test]
    fn behind_a_router_or_a_network_card_it_is_the_same() {
        let mut copies = Copies::new();
        have(&mut copies, &segment(7, 64, 1, 0), 0);
        assert!(have(&mut copies, &segment(7, 63, 1, 0), 5_000_000));
        assert!(have(&mut copies, &segment(7, 63, 1, 99), 5_000_001));
        assert_eq!((copies.packets, copies.routed), (2, 1));
    }

    #[test]
    fn without_an_identification_only_data_at_once_counts() {
        let mut copies = Copies::new();
        let mut packet = segment(0, 64, 1, 0);
        have(&mut copies, &packet, 0);
        assert!(have(&mut copies, &packet, 400_000));
        assert!(!have(&mut copies, &packet, 1_000_000));
        packet.truncate(40);
        packet[3] = 40;
        assert!(!copies.has(&version4(&packet, 40).unwrap(), 1_000_001));
        assert!(!copies.has(&version4(&packet, 40).unwrap(), 1_000_002), "duplicate ACKs look alike");
    }
}
