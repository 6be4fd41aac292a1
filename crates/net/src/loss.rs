//! Losses on a link that no queue makes.

use serde::{Deserialize, Serialize};

use crate::packet::{Packet, Payload};

/// What a link loses, before its queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum LossSpec {
    /// Given packets: of each flow the n-th data packet to arrive here, counted from 1, retransmissions too; a SYN is not
    /// counted (as ns-2's error model with a list, which counts from 0 with the SYN, sees a single flow).
    List {
        /// The numbers, in any order.
        packets: Vec<u64>,
        /// So many of the first SYNs of each flow are lost too.
        #[serde(default)]
        syns: u64,
    },
}

/// The state of a link's losses.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    packets: Vec<u64>,
    syns: u64,
    /// SYNs and data packets seen of each flow.
    seen: Vec<(u64, u64)>,
}

impl Loss {
    pub(crate) fn new(spec: &LossSpec) -> Self {
        let LossSpec::List { packets, syns } = spec;
        let mut packets = packets.clone();
        packets.sort_unstable();
        Self { packets, syns: *syns, seen: Vec::new() }
    }

    /// Whether the link loses this packet.
    pub(crate) fn loses(&mut self, packet: &Packet) -> bool {
        let flow = packet.flow.0 as usize;
        if flow >= self.seen.len() {
            self.seen.resize(flow + 1, (0, 0));
        }
        let (syns, data) = &mut self.seen[flow];
        match packet.payload {
            Payload::Syn { .. } => {
                *syns += 1;
                *syns <= self.syns
            }
            Payload::Data { .. } => {
                *data += 1;
                self.packets.binary_search(data).is_ok()
            }
            Payload::Ack { .. } => false,
        }
    }
}
