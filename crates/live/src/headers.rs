//! What the links need of a real packet: its flow, what it is, its number and its ECN field; and marks in its header.
//!
//! Only what is needed is read: the IPv4 header (RFC 791), and the TCP (RFC 9293, RFC 2018) or UDP (RFC 768) header. The
//! flow is in the port of the sender's end. The bytes come from the kernel of this machine, but are not trusted: a packet
//! that is cut off or of another protocol is not carried.

use ackclock_net::relay::{Fate, MeasuredRelay, Real, Supply};
use ackclock_tcp::Ecn;
use ackclock_units::Time;

use crate::carrier::Network;

/// The port of the first flow at the end of the senders. The next flows follow.
pub const FIRST_PORT: u16 = 20_000;

const SYN: u8 = 1 << 1;
const ACK: u8 = 1 << 4;
/// Length of a TCP header without options, and the kind of the option with SACK blocks.
const PLAIN: usize = 20;
const SACK: u8 = 5;

/// The numbers of a flow: its segments are numbered from 0.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Data bytes of a full segment.
    segment: u32,
    /// The initial sequence number of the sender's data; `None` before its SYN.
    initial: Option<u32>,
    /// The last position in the sender's data, in bytes from its beginning: sequence numbers repeat after 2^32 bytes.
    last: u64,
    /// Number of datagrams so far.
    datagrams: u64,
}

impl Numbers {
    /// A flow whose full segments have this number of data bytes.
    pub const fn new(segment: u32) -> Self {
        Self { segment: if segment == 0 { 1 } else { segment }, initial: None, last: 0, datagrams: 0 }
    }

    /// The position of a sequence number in the sender's data.
    const fn position(&mut self, sequence: u32) -> u64 {
        let Some(initial) = self.initial else { return 0 };
        let offset = sequence.wrapping_sub(initial).wrapping_sub(1);
        let step = offset.wrapping_sub(self.last as u32).cast_signed();
        self.last = self.last.saturating_add_signed(step as i64);
        self.last
    }
}

/// The links between senders (end 0) and receivers (end 1), for packets of known flows.
#[derive(Debug)]
pub struct Flows<S> {
    /// The links, which measure, and the sources.
    pub relay: MeasuredRelay,
    numbers: Vec<Numbers>,
    supply: S,
}

impl<S: FnMut(Supply)> Flows<S> {
    /// Links for flows whose full segments have these numbers of data bytes. `supply` gets what the sources supply.
    pub fn new(relay: MeasuredRelay, segments: impl IntoIterator<Item = u32>, supply: S) -> Self {
        Self { relay, numbers: segments.into_iter().map(Numbers::new).collect(), supply }
    }
}

impl<S: FnMut(Supply)> Network for Flows<S> {
    fn enter(&mut self, packet: &[u8], from: usize, serial: u32, now: Time) -> Option<usize> {
        let real = read(packet, from == 0, &mut self.numbers)?;
        self.relay.offer(real, serial, now).then_some(1 - from)
    }

    fn next(&self) -> Option<Time> {
        self.relay.next()
    }

    fn advance(&mut self, end: Time, take: impl FnMut(Fate)) {
        self.relay.advance(end, take);
        self.relay.take_supplies().for_each(&mut self.supply);
    }
}

pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Length of an IPv4 header.
pub(crate) fn header_length(packet: &[u8]) -> Option<usize> {
    let first = *packet.first()?;
    let length = usize::from(first & 15) * 4;
    (first >> 4 == 4 && length >= 20 && packet.len() >= length).then_some(length)
}

/// Reads a packet that one end has sent. `flows` has the numbers of all flows. Returns `None` if the packet belongs to no
/// flow.
pub fn read(packet: &[u8], from_sender: bool, flows: &mut [Numbers]) -> Option<Real> {
    let begin = header_length(packet)?;
    let transport = &packet[begin..];
    let port = word(transport, if from_sender { 0 } else { 2 })?;
    let flow = port.checked_sub(FIRST_PORT)?;
    let numbers = flows.get_mut(usize::from(flow))?;
    let real = Real {
        flow: flow.into(),
        ack: !from_sender,
        data: false,
        syn: false,
        size: packet.len() as u32,
        number: 0,
        sack: None,
        ecn: Ecn::from_bits(packet[1]),
    };
    match packet[9] {
        17 => {
            numbers.datagrams += u64::from(from_sender);
            Some(Real { data: from_sender, number: numbers.datagrams.saturating_sub(1), ..real })
        }
        6 => {
            let flags = *transport.get(13)?;
            let length = packet.len().checked_sub(begin + usize::from(transport.get(12)? >> 4) * 4)?;
            if from_sender && flags & SYN != 0 {
                numbers.initial = Some(long(transport, 4)?);
                return Some(Real { data: true, syn: true, ..real });
            }
            let segment = u64::from(numbers.segment);
            if from_sender && length > 0 {
                return Some(Real { data: true, number: numbers.position(long(transport, 4)?) / segment, ..real });
            }
            if !from_sender && flags & ACK != 0 {
                let next = long(transport, 8)?;
                let position = numbers.position(next);
                let options = &transport[..(usize::from(transport[12] >> 4) * 4).min(transport.len())];
                let edge = |at| {
                    let offset = long(options, at)?.wrapping_sub(next).cast_signed();
                    Some(position.saturating_add_signed(offset.into()) / segment)
                };
                let sack = first_block(options).and_then(|at| Some([edge(at)?, edge(at + 4)?]));
                return Some(Real { number: position / segment, sack, ..real });
            }
            Some(real)
        }
        _ => None,
    }
}

/// The place of the first SACK block in a TCP header (RFC 2018), if it has one.
fn first_block(header: &[u8]) -> Option<usize> {
    let mut at = PLAIN;
    loop {
        match *header.get(at)? {
            0 => return None,
            1 => at += 1,
            SACK => return Some(at + 2),
            _ => at += usize::from(*header.get(at + 1)?).max(2),
        }
    }
}

/// Sets the codepoint CE (RFC 3168) in the header of a packet, and its checksum.
pub fn mark(packet: &mut [u8]) {
    let Some(length) = header_length(packet) else { return };
    packet[1] |= 0b11;
    packet[10..12].fill(0);
    let sum: u32 = packet[..length].chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    let checksum = !((folded & 0xffff) + (folded >> 16)) as u16;
    packet[10..12].copy_from_slice(&checksum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TCP packet without options.
    fn tcp(ports: [u16; 2], numbers: [u32; 2], flags: u8, data: usize) -> Vec<u8> {
        let mut packet = vec![0; 40 + data];
        packet[0] = 0x45;
        packet[9] = 6;
        packet[20..22].copy_from_slice(&ports[0].to_be_bytes());
        packet[22..24].copy_from_slice(&ports[1].to_be_bytes());
        packet[24..28].copy_from_slice(&numbers[0].to_be_bytes());
        packet[28..32].copy_from_slice(&numbers[1].to_be_bytes());
        packet[32] = 5 << 4;
        packet[33] = flags;
        packet
    }

    #[test]
    fn a_connection_is_numbered_from_its_syn_and_across_the_end_of_sequence_numbers() {
        let mut flows = vec![Numbers::new(1000), Numbers::new(1000)];
        let [there, back] = [[FIRST_PORT + 1, 5001], [5001, FIRST_PORT + 1]];
        let initial = u32::MAX - 1_500;
        let syn = read(&tcp(there, [initial, 0], SYN, 0), true, &mut flows).expect("a flow");
        assert_eq!((syn.flow, syn.syn, syn.data, syn.ack, syn.size, syn.number), (1, true, true, false, 40, 0));
        let answer = read(&tcp(back, [7, initial + 1], SYN | ACK, 0), false, &mut flows).expect("a flow");
        assert_eq!((answer.ack, answer.data, answer.number), (true, false, 0));
        let bare = read(&tcp(there, [initial + 1, 8], ACK, 0), true, &mut flows).expect("a flow");
        assert_eq!((bare.ack, bare.data), (false, false));
        for number in [0_u32, 1, 2, 3, 1] {
            let sequence = initial.wrapping_add(1 + 1000 * number);
            let data = read(&tcp(there, [sequence, 8], ACK, 1000), true, &mut flows).expect("a flow");
            assert_eq!((data.number, data.size, data.data), (number.into(), 1040, true));
        }
        let ack = read(&tcp(back, [8, initial.wrapping_add(1 + 3999)], ACK, 0), false, &mut flows).expect("a flow");
        assert_eq!((ack.number, ack.ack), (3, true));
    }

    /// Validates: the first SACK block of an ACK is read behind other options, in segments, across the end of sequence
    ///     numbers; options that are cut off have no block.
    /// Source: hand; the layout of RFC 2018, section 3, behind two no-operations and timestamps.
    /// Tolerance: exact.
    #[test]
    fn the_first_sack_block_is_read() {
        let mut flows = vec![Numbers::new(1000)];
        let initial = u32::MAX - 2_500;
        read(&tcp([FIRST_PORT, 5001], [initial, 0], SYN, 0), true, &mut flows).expect("a flow");
        let mut ack = tcp([5001, FIRST_PORT], [7, initial + 1 + 1000], ACK, 24);
        ack[32] = 11 << 4;
        ack[40..42].copy_from_slice(&[1, 1]);
        ack[42..44].copy_from_slice(&[8, 10]);
        ack[52..54].copy_from_slice(&[5, 10]);
        ack[54..58].copy_from_slice(&(initial + 1 + 2000).to_be_bytes());
        ack[58..62].copy_from_slice(&initial.wrapping_add(1 + 5000).to_be_bytes());
        let real = read(&ack, false, &mut flows).expect("a flow");
        assert_eq!((real.number, real.sack), (1, Some([2, 5])));
        for length in 40..62 {
            let real = read(&ack[..length], false, &mut flows);
            assert_eq!(real.and_then(|real| real.sack), None, "{length} bytes");
        }
        ack[42] = 0;
        assert_eq!(read(&ack, false, &mut flows).expect("a flow").sack, None, "the options have ended");
    }

    #[test]
    fn what_belongs_to_no_flow_is_not_read() {
        let mut flows = vec![Numbers::new(1000)];
        let mut sound = tcp([FIRST_PORT, 5001], [1, 0], SYN, 0);
        for length in 0..40 {
            assert!(read(&sound[..length], true, &mut flows).is_none() || length >= 34, "{length} bytes");
        }
        for ports in [[FIRST_PORT + 1, 5001], [80, 5001]] {
            assert_eq!(read(&tcp(ports, [1, 0], SYN, 0), true, &mut flows), None);
        }
        sound[9] = 1;
        assert_eq!(read(&sound, true, &mut flows), None, "ICMP");
        sound[0] = 0x65;
        assert_eq!(read(&sound, true, &mut flows), None, "IPv6");
    }

    /// Validates: a mark changes the ECN field and keeps the checksum right.
    /// Source: RFC 1071: the sum of a header with its checksum is 0xffff; RFC 3168 for the codepoint.
    /// Tolerance: exact.
    #[test]
    fn a_mark_keeps_the_checksum_right() {
        let mut packet = tcp([FIRST_PORT, 5001], [1, 0], ACK, 8);
        packet[1] = 0b10;
        packet[12..20].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
        mark(&mut packet);
        let sum: u32 = packet[..20].chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
        assert_eq!(((sum & 0xffff) + (sum >> 16), packet[1]), (0xffff, 0b11));
        mark(&mut []);
    }
}
