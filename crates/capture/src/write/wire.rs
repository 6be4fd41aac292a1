//! Translates simulated flows to packets on a real network.

use std::net::Ipv4Addr;

use ackclock_net::observe::{Captured, CapturedKind};
use ackclock_net::plan::{GroupSpec, TransportSpec};
use ackclock_tcp::{EcnMode, HEADER, Sack};

use super::headers::{ACK, Ends, Headers, Options, SYN, Tcp};

/// Addresses of the first sender and the first receiver. Each flow has its own pair of addresses, since there can be
/// more flows than ports.
const SENDERS: u32 = u32::from_be_bytes([10, 0, 0, 1]);
const RECEIVERS: u32 = u32::from_be_bytes([10, 128, 0, 1]);
/// Ports of senders (RFC 6335, section 6), and the port of receivers: the discard protocol (RFC 863), whose payload
/// tools do not decode.
const FIRST_PORT: u16 = 49_152;
const PORTS: u32 = 16_384;
const DISCARD: u16 = 9;

/// Sequence number of the first byte of data in both directions.
const FIRST_BYTE: u32 = 1;
/// The maximum window field, and the maximum window scale (RFC 7323, section 2.3).
const LARGEST_WINDOW: u64 = 65_535;
const LARGEST_SHIFT: u8 = 14;

/// The packet formats of a plan's groups.
#[derive(Debug)]
pub(super) struct Wires {
    /// The format of each group, with the id of the flow after the group's last flow.
    groups: Vec<(u32, Group)>,
}

/// The packet format of a group and its differentiated services codepoint.
#[derive(Debug)]
struct Group {
    wire: Wire,
    dscp: u8,
}

/// The packet format of a transport.
#[derive(Debug)]
enum Wire {
    Udp,
    Tcp(Connection),
}

/// Properties shared by all connections of a group.
#[derive(Debug)]
struct Connection {
    /// Data bytes per segment.
    data: u32,
    /// The options of a segment with data: no-operations in place of timestamps, which the simulated ACKs have no room
    /// for.
    padding: Options,
    /// Whether the handshake is simulated, as segment 0.
    handshake: bool,
    /// The maximum of the receiver's window in bytes (`window`), and its scale in the header (`shift`).
    window: u64,
    shift: u8,
    /// The options of a SYN and of a SYN-ACK.
    opening: Options,
    ecn: EcnMode,
}

impl Wires {
    pub(super) fn of(groups: &[GroupSpec]) -> Self {
        let mut end = 0;
        let wires = groups.iter().map(|group| {
            end += group.flows();
            (end, Group { wire: Wire::of(group), dscp: group.dscp })
        });
        Self { groups: wires.collect() }
    }

    /// The headers of a packet.
    pub(super) fn headers(&self, packet: &Captured, sack: &Sack) -> Headers {
        let group = self.groups.partition_point(|(end, _)| *end <= packet.flow);
        let ends = Ends {
            from: (Ipv4Addr::from(SENDERS + packet.flow), FIRST_PORT + (packet.flow % PORTS) as u16),
            to: (Ipv4Addr::from(RECEIVERS + packet.flow), DISCARD),
        };
        let Group { wire, dscp } = &self.groups[group].1;
        // six bits of the codepoint (RFC 2474, section 3), and two of ECN (RFC 3168, section 5)
        let service = dscp << 2 | packet.ecn as u8;
        match wire {
            Wire::Udp => Headers::udp(ends, service, packet.size),
            Wire::Tcp(connection) => connection.headers(ends, service, packet, sack),
        }
    }
}

impl Wire {
    fn of(group: &GroupSpec) -> Self {
        let TransportSpec::Tcp { sender, receiver } = &group.transport else { return Self::Udp };
        let mss = group.packet_size - HEADER;
        let padding = Options::NONE.padding(mss - group.data_bytes());
        let data = mss - padding.length();
        let window = u64::from(sender.max_window) * u64::from(data);
        let scaled = (0..LARGEST_SHIFT).find(|shift| window <= LARGEST_WINDOW << shift);
        let shift = if sender.handshake { scaled.unwrap_or(LARGEST_SHIFT) } else { 0 };
        let mut opening = Options::NONE.mss(mss as u16);
        if receiver.sack_blocks > 0 {
            opening = opening.sack_permitted();
        }
        if shift > 0 {
            opening = opening.window_scale(shift);
        }
        Self::Tcp(Connection { data, padding, handshake: sender.handshake, window, shift, opening, ecn: sender.ecn })
    }
}

impl Connection {
    fn headers(&self, ends: Ends, service: u8, packet: &Captured, sack: &Sack) -> Headers {
        let before = FIRST_BYTE - 1;
        let none = Options::NONE;
        let opens = self.handshake && packet.number == 1;
        let ecn = self.flags_of(packet.ecn_flags);
        match packet.kind {
            CapturedKind::Syn => {
                let (window, options, ecn) = (self.window_of(0), &self.opening, self.opening_flags()[0]);
                let fields = Tcp { sequence: before, acknowledgment: 0, flags: SYN, ecn, window, options };
                Headers::tcp(ends, service, fields, 0)
            }
            CapturedKind::FirstAck if opens => {
                let (flags, ecn, window, options) =
                    (SYN | ACK, self.opening_flags()[1], self.window_in(sack, 0), &self.opening);
                let fields = Tcp { sequence: before, acknowledgment: FIRST_BYTE, flags, ecn, window, options };
                Headers::tcp(ends.back(), service, fields, 0)
            }
            CapturedKind::Data => {
                let window = self.window_of(self.shift);
                let (sequence, data, options) = match packet.size {
                    // a probe of a closed window
                    HEADER => (self.byte_of(packet.number + 1).wrapping_sub(1), 0, &none),
                    _ => (self.byte_of(packet.number), self.data, &self.padding),
                };
                let fields = Tcp { sequence, acknowledgment: FIRST_BYTE, flags: ACK, ecn, window, options };
                Headers::tcp(ends, service, fields, data)
            }
            CapturedKind::FirstAck | CapturedKind::Ack => {
                let (acknowledgment, window) = (self.byte_of(packet.number), self.window_in(sack, self.shift));
                let blocks = sack.blocks().iter().map(|block| (self.byte_of(block.start), self.byte_of(block.end)));
                let options = if sack.is_empty() { none } else { none.sack(blocks) };
                let fields = Tcp { sequence: FIRST_BYTE, acknowledgment, flags: ACK, ecn, window, options: &options };
                Headers::tcp(ends.back(), service, fields, 0)
            }
        }
    }

    /// The ECN flags of a SYN and of a SYN-ACK, which negotiate ECN (RFC 3168, section 6.1.1; RFC 9768, section 3.1.1).
    const fn opening_flags(&self) -> [u8; 2] {
        match self.ecn {
            EcnMode::Off => [0b000, 0b000],
            EcnMode::Classic | EcnMode::Dctcp => [0b011, 0b001],
            EcnMode::Accurate => [0b111, 0b010],
        }
    }

    /// The ECN flags of any other packet. Counters begin at 5 (RFC 9768, section 3.2.1).
    const fn flags_of(&self, flags: u8) -> u8 {
        match self.ecn {
            EcnMode::Off | EcnMode::Classic | EcnMode::Dctcp => flags,
            EcnMode::Accurate => (5 + flags) % 8,
        }
    }

    /// The sequence number of the first byte of a segment, modulo 2^32.
    fn byte_of(&self, segment: u64) -> u32 {
        let data = segment.saturating_sub(u64::from(self.handshake));
        FIRST_BYTE.wrapping_add(data.wrapping_mul(u64::from(self.data)) as u32)
    }

    /// The window field for a given window scale.
    fn window_of(&self, shift: u8) -> u16 {
        scaled(self.window, shift)
    }

    /// The window field of an ACK, which carries the window if it changes.
    fn window_in(&self, sack: &Sack, shift: u8) -> u16 {
        match sack.window() {
            None => self.window_of(shift),
            Some(window) => scaled(u64::from(window) * u64::from(self.data), shift),
        }
    }
}

/// A window field for a given window scale, rounded up so that the full window is available.
fn scaled(window: u64, shift: u8) -> u16 {
    window.div_ceil(1 << shift).min(LARGEST_WINDOW) as u16
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ackclock_net::plan::testing::dumbbell_of_reno;
    use ackclock_tcp::SenderConfig;

    use super::*;

    fn connection(max_window: u32, handshake: bool) -> Connection {
        let mut group = dumbbell_of_reno(1).groups.remove(0);
        let TransportSpec::Tcp { sender, .. } = &mut group.transport else { unreachable!("it is Reno") };
        *sender = Arc::new(SenderConfig { max_window, handshake, ..SenderConfig::clone(sender) });
        let Wire::Tcp(connection) = Wire::of(&group) else { unreachable!("it is Reno") };
        connection
    }

    #[test]
    fn a_window_is_scaled_as_little_as_it_must_be_and_told_whole() {
        let windows = |max_window, handshake| {
            let connection = connection(max_window, handshake);
            (connection.shift, connection.window_of(0), connection.window_of(connection.shift))
        };
        assert_eq!(windows(20, true), (0, 29_200, 29_200));
        assert_eq!(windows(44, true), (0, 64_240, 64_240));
        // 65,700 bytes are 2 * 32,850
        assert_eq!(windows(45, true), (1, 65_535, 32_850));
        assert_eq!(windows(1_000_000_000, true), (14, 65_535, 65_535));
        // without a window scale option
        assert_eq!(windows(1_000, false), (0, 65_535, 65_535));
    }

    /// Validates: an ACK that carries a window writes this window, with the scale of its maximum, and without it in a SYN-ACK.
    /// Source: RFC 7323, sections 2.2 and 2.3. A maximum of 1,460,000 bytes needs a shift of 5, since 16 * 65,535 is less.
    /// Tolerance: exact.
    #[test]
    fn an_ack_writes_the_window_that_it_carries() {
        let connection = connection(1_000, true);
        let written = |sack: Sack| (connection.window_in(&sack, 0), connection.window_in(&sack, connection.shift));
        assert_eq!(connection.shift, 5);
        // 44 * 1,460 = 64,240 = 2,007.5 * 32; 1,460,000 = 45,625 * 32
        let tuned = |window| written(Sack::NONE.with_window(window));
        assert_eq!([tuned(44), tuned(1_000), tuned(0)], [(64_240, 2_008), (65_535, 45_625), (0, 0)]);
        assert_eq!(written(Sack::NONE), (65_535, 45_625));
    }

    /// Validates: a segment has its payload, and no-operations in the room of timestamps.
    /// Source: RFC 7323, section 3.2: 10 bytes and two no-operations.
    /// Tolerance: exact; whole words, and at most 40 bytes.
    #[test]
    fn a_segment_has_its_payload() {
        let sizes = |payload| {
            let mut group = dumbbell_of_reno(1).groups.remove(0);
            let TransportSpec::Tcp { sender, .. } = &mut group.transport else { unreachable!("it is Reno") };
            *sender = Arc::new(SenderConfig { payload, ..SenderConfig::clone(sender) });
            let Wire::Tcp(connection) = Wire::of(&group) else { unreachable!("it is Reno") };
            (connection.data, connection.padding.length())
        };
        assert_eq!([1460, 1448, 1447, 9000, 1].map(sizes), [(1460, 0), (1448, 12), (1448, 12), (1460, 0), (1420, 40)]);
    }

    /// Validates: a SYN and a SYN-ACK negotiate ECN; a counter of marks begins at 5 and wraps around at 8.
    /// Source: RFC 3168, section 6.1.1; RFC 9768, section 3.1.1 and table 2, for a SYN without ECN, and section 3.2.1.
    /// Tolerance: exact.
    #[test]
    fn flags_follow_the_feedback() {
        let flags = |ecn| {
            let connection = Connection { ecn, ..connection(20, true) };
            (connection.opening_flags(), [0, 1, 3].map(|flags| connection.flags_of(flags)))
        };
        assert_eq!(flags(EcnMode::Off), ([0, 0], [0, 1, 3]));
        assert_eq!(flags(EcnMode::Classic), ([0b011, 0b001], [0, 1, 3]));
        assert_eq!(flags(EcnMode::Dctcp), ([0b011, 0b001], [0, 1, 3]));
        assert_eq!(flags(EcnMode::Accurate), ([0b111, 0b010], [5, 6, 0]));
    }

    #[test]
    fn data_begins_at_byte_one_with_and_without_a_syn_and_counts_modulo_2_to_the_32() {
        assert_eq!([1, 2, 3].map(|segment| connection(20, true).byte_of(segment)), [1, 1_461, 2_921]);
        assert_eq!([0, 1, 2].map(|segment| connection(20, false).byte_of(segment)), [1, 1_461, 2_921]);
        // 2,941,759 * 1460 = 4,294,968,140 is 844 beyond 2^32
        assert_eq!(connection(20, false).byte_of(2_941_759), 845);
    }
}
