//! Makes the packets of a flow.

use ackclock_tcp::{Ecn, Segment};
use ackclock_units::Time;

use crate::packet::{CONNECTIONS, FlowId, Packet};

/// Makes the packets of a flow from its segments: the properties that all these packets share.
#[derive(Debug)]
pub(crate) struct Packetizer {
    /// Id of the flow, and number of its current connection modulo [`CONNECTIONS`], as in a packet. A flow may have
    /// several connections in sequence.
    address: u32,
    /// Index of the first hop in the table of hops.
    pub(crate) hop: u32,
    /// Size of a TCP segment on the wire in bytes.
    size: u16,
    /// The ECN field of data that is sent for the first time.
    ecn: Ecn,
}

impl Packetizer {
    /// A packetizer for the first connection of a flow. The size of its TCP segments must be at most 65,535 bytes.
    pub(crate) const fn new(FlowId(flow): FlowId, hop: u32, size: u32, ecn: Ecn) -> Self {
        Self { address: flow * CONNECTIONS as u32, hop, size: size as u16, ecn }
    }

    /// Continues with the next connection.
    pub(crate) const fn renew(&mut self) {
        let connection = (self.connection() + 1) % CONNECTIONS;
        self.address = self.flow().0 * CONNECTIONS as u32 + connection as u32;
    }

    #[inline(always)]
    pub(crate) const fn flow(&self) -> FlowId {
        FlowId(self.address / CONNECTIONS as u32)
    }

    const fn connection(&self) -> u16 {
        (self.address % CONNECTIONS as u32) as u16
    }

    /// Whether a packet belongs to the current connection.
    #[inline(always)]
    pub(crate) const fn is_current(&self, packet: &Packet) -> bool {
        packet.address() == self.address
    }

    /// A TCP segment that is sent for the first time.
    #[inline(always)]
    pub(crate) const fn new_segment(&self, number: u64) -> Segment {
        Segment { ecn: self.ecn, ..self.new_plain(number) }
    }

    /// The same for a sender without ECN.
    #[inline(always)]
    pub(crate) const fn new_plain(&self, number: u64) -> Segment {
        Segment::new(number, self.size as u32)
    }

    /// The packet of a segment that is sent at `now`.
    #[inline(always)]
    pub(crate) const fn packet(&self, segment: Segment, now: Time) -> Packet {
        Packet::data(self.flow(), self.connection(), segment, now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::packet::MAX_FLOWS;

    proptest! {
        #[test]
        fn packets_carry_the_flow_the_connection_and_the_size(
            flow in 0..MAX_FLOWS as u32,
            size in 1_u32..65_536,
            connection in 0..CONNECTIONS,
        ) {
            let mut packetizer = Packetizer::new(FlowId(flow), 3, size, Ecn::Ect1);
            let before = packetizer.packet(packetizer.new_segment(7), Time::SECOND);
            for _ in 0..connection {
                packetizer.renew();
            }
            let packet = packetizer.packet(packetizer.new_segment(7), Time::SECOND);
            let expected = Segment { ecn: Ecn::Ect1, ..Segment::new(7, size) };
            prop_assert_eq!(packet, Packet::data(FlowId(flow), connection, expected, Time::SECOND));
            prop_assert!(packetizer.is_current(&packet));
            prop_assert_eq!(packetizer.is_current(&before), connection == 0);
            prop_assert_eq!(packetizer.flow(), FlowId(flow));
            for _ in connection..CONNECTIONS {
                packetizer.renew();
            }
            prop_assert!(packetizer.is_current(&before), "connection numbers wrap around");
        }
    }
}
