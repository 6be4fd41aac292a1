//! The packets of each flow at the measured link.

use ackclock_units::Time;

use super::ratio;
use crate::link::Offered;
use crate::packet::{FlowId, Packet};

/// The data packets of all flows at the measured link.
#[derive(Clone, Debug)]
pub(super) struct Crossings {
    from: Time,
    end: Time,
    /// By flow: packets of data, including SYNs, that the link was offered in the measured time, and those that it dropped in
    /// this time.
    arrivals: Vec<u64>,
    drops: Vec<u64>,
    /// By group, and last for ACKs: bytes of packets whose transmission began before the measured time, without SYNs,
    /// probes of a closed window, and packets that the link lost afterwards.
    before: Vec<u64>,
}

/// A packet at the link. It has only what is counted, so that other packets need not be in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub(super) now: Time,
    flow: u32,
    pub(super) kind: usize,
    /// Size in bytes; 0 for a SYN and for a probe of a closed window.
    pub(super) size: u32,
    /// When its transmission begins, unless it is lost.
    sent: Option<Time>,
    is_dropped: bool,
}

impl Crossing {
    #[inline(always)]
    pub(super) fn of(now: Time, packet: &Packet, kind: usize, has_data: bool, offered: Offered) -> Self {
        let FlowId(flow) = packet.flow();
        let size = if has_data { packet.size() } else { 0 };
        let (sent, is_dropped) = match offered {
            Offered::Accepted { start, lost: false, .. } => (Some(start), false),
            Offered::Accepted { .. } | Offered::Queued => (None, false),
            Offered::Dropped(_) => (None, true),
        };
        Self { now, flow, kind, size, sent, is_dropped }
    }
}

impl Crossings {
    /// Memory in bytes per flow.
    pub(super) const BYTES_OF_FLOW: usize = 2 * size_of::<u64>();

    pub(super) fn new(flows: usize, kinds: usize, from: Time, end: Time) -> Self {
        Self { from, end, arrivals: vec![0; flows], drops: vec![0; flows], before: vec![0; kinds] }
    }

    /// Counts a packet that the link accepts in the measured time.
    #[inline(always)]
    pub(super) fn accepted(&mut self, FlowId(flow): FlowId, kind: usize) {
        self.arrivals[flow as usize] += u64::from(self.is_data(kind));
    }

    /// Counts any packet that the link is offered.
    pub(super) fn offered(&mut self, packet: Crossing) {
        let counts = self.is_data(packet.kind) && self.is_measured(packet.now);
        self.arrivals[packet.flow as usize] += u64::from(counts);
        self.left(packet);
    }

    /// Counts any packet that leaves the link's queue.
    pub(super) fn left(&mut self, packet: Crossing) {
        let Crossing { now, flow, kind, size, sent, is_dropped } = packet;
        self.drops[flow as usize] += u64::from(is_dropped && self.is_data(kind) && self.is_measured(now));
        if sent.is_some_and(|start| start < self.from) {
            self.before[kind] += u64::from(size);
        }
    }

    /// Whether the kind of a packet is not that of ACKs, the last one.
    #[inline(always)]
    const fn is_data(&self, kind: usize) -> bool {
        kind + 1 < self.before.len()
    }

    fn is_measured(&self, now: Time) -> bool {
        self.from <= now && now < self.end
    }

    /// Share of the packets of a flow whose data crosses the link that were dropped; `None` if there were none.
    pub(super) fn loss(&self, flow: usize) -> Option<f64> {
        ratio(self.drops[flow] as f64, self.arrivals[flow] as f64)
    }

    /// Bytes of a group's data whose transmission began before the measured time.
    pub(super) fn before(&self, group: usize) -> u64 {
        self.before[group]
    }
}
