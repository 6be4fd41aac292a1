//! Assigns packets to the queues of a discipline with several queues.

use std::sync::Arc;

use ackclock_units::catalogue::{Parameter, ParameterKind};

use super::Context;
use crate::packet::{CONNECTIONS, FlowId, Packet};

pub(super) const QUEUES: Parameter = Parameter {
    name: "queues",
    doc: "Number of queues, among which flows are distributed by a hash",
    kind: ParameterKind::Whole { min: 1, max: 65_536, default: 1024 },
};

/// A hash of flow, connection and direction, with a random key for each link, as a router hashes addresses and ports.
#[derive(Clone, Debug)]
pub(super) struct Hash {
    key: u64,
    queues: u32,
    /// Global ids of the flows, as in [`Names`](crate::packet::Names).
    names: Arc<[u32]>,
}

impl Hash {
    /// A hash into the given number of queues.
    pub(super) fn new(queues: u32, context: &Context) -> Self {
        // 53 random bits
        let key = (context.stream.clone().uniform() * (1_u64 << 53) as f64) as u64;
        Self { key, queues, names: Arc::clone(&context.flows) }
    }

    /// The queue of a packet.
    pub(super) fn of(&self, packet: &Packet) -> u32 {
        self.place(self.flow(packet))
    }

    /// A number for the flow, connection and direction of a packet.
    pub(super) fn flow(&self, packet: &Packet) -> u64 {
        let FlowId(flow) = packet.flow();
        let flow = u64::from(self.names.get(flow as usize).copied().unwrap_or(flow));
        let connection = flow * u64::from(CONNECTIONS) + u64::from(packet.connection());
        connection << 1 | u64::from(packet.is_ack())
    }

    /// The queue of a number.
    pub(super) fn place(&self, flow: u64) -> u32 {
        // the finalizer of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014)
        let mixed = (flow ^ self.key).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((((mixed ^ mixed >> 31) >> 32) * u64::from(self.queues)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::{Rate, Role, Stream, Time};

    use super::*;
    use crate::packet::Payload;

    fn hash(queues: u32, link: u32, flows: &[u32]) -> Hash {
        let stream = Stream::new(1, Role::Queue, link);
        Hash::new(queues, &Context { stream, flows: flows.into(), ..Context::testing(Rate::from_mbps(1)) })
    }

    /// Validates: flows are distributed evenly and independently among the queues.
    /// Source: the birthday problem: of 1024 queues, 10,000 flows leave `1024 exp(-10000/1024) = 0.06` empty on average,
    ///   and 1,024 flows leave 376.7 empty.
    /// Tolerance: four standard deviations (9.9 queues) of the second number at a fixed key.
    #[test]
    fn flows_are_distributed_evenly() {
        let hash = hash(1024, 0, &[]);
        let empty = |flows: u32| {
            let mut counts = vec![0; 1024];
            for flow in 0..flows {
                let payload = Payload::Data { number: 1, retransmission: false, connection: 0 };
                counts[hash.of(&Packet::new(FlowId(flow), 1500, payload, Time::ZERO)) as usize] += 1;
            }
            counts.iter().filter(|count| **count == 0).count()
        };
        let (many, few) = (empty(10_000), empty(1_024));
        assert!(many <= 2, "{many}");
        assert!((few as f64 - 376.7).abs() < 4.0 * 9.9, "{few}");
    }

    #[test]
    fn packets_of_a_connection_have_one_queue_and_links_differ() {
        let packet = |number, connection| {
            Packet::new(FlowId(7), 1500, Payload::Data { number, retransmission: false, connection }, Time::ZERO)
        };
        let (whole, one) = (hash(65_536, 0, &[]), hash(1, 0, &[]));
        let hash = |link| hash(65_536, link, &[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(hash(0).of(&packet(1, 0)), whole.of(&packet(1, 0)), "the global id counts");
        assert_eq!(hash(0).of(&packet(1, 0)), hash(0).of(&packet(2, 0)));
        assert_ne!(hash(0).of(&packet(1, 0)), hash(0).of(&packet(1, 1)));
        assert_ne!(hash(0).of(&packet(1, 0)), hash(1).of(&packet(1, 0)));
        assert_ne!(hash(0).of(&packet(1, 0)), hash(0).of(&packet(1, 0).answer(1, Time::ZERO)));
        assert_eq!(one.of(&packet(1, 0)), 0);
    }
}
