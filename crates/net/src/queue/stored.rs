//! Disciplines that store the packets of their link, and decide when a transmission is about to start.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;

use ackclock_units::Time;
use ackclock_units::failure::Failures;

use super::{Context, DropReason, Limit, QueueSpec};
use crate::endpoint::sack_store::SackStore;
use crate::packet::Packet;

/// A packet that waits at a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Queued {
    pub(crate) packet: Packet,
    /// Time of its arrival at the queue.
    pub(crate) since: Time,
    /// Index of the link's hop on the packet's route.
    pub(crate) hop: u32,
    /// Whether the packet leaves with the codepoint CE because the queue marks it.
    pub(crate) marked: bool,
}

impl Queued {
    /// Marks the packet if it is ECN-capable. Returns whether it is.
    pub(crate) const fn mark(&mut self) -> bool {
        let is_capable = self.packet.ecn().is_capable();
        self.marked |= is_capable;
        is_capable
    }
}

/// Stored packets that a discipline has dropped, with the reasons.
pub(crate) type Dropped = Vec<(Queued, DropReason)>;

/// A discipline that stores the packets of its link. Times never decrease from call to call.
pub(crate) trait PacketQueue: Debug + Send {
    /// Stores an arriving packet, or drops it for the reason that is returned. Stored packets that are dropped in its
    /// place are added to `dropped`. `in_service` is the size in bytes of the packet in transmission; 0 if the link is
    /// idle.
    fn enqueue(&mut self, packet: Queued, in_service: u32, dropped: &mut Dropped) -> Result<(), DropReason>;

    /// Whether arriving ACKs may remove others. They are then stored with [`enqueue_ack`](Self::enqueue_ack).
    fn filters_acks(&self) -> bool {
        false
    }

    /// The same as [`enqueue`](Self::enqueue) for an ACK; `sacks` are the SACK blocks of all ACKs in the network.
    fn enqueue_ack(
        &mut self,
        packet: Queued,
        in_service: u32,
        _sacks: &SackStore,
        dropped: &mut Dropped,
    ) -> Result<(), DropReason> {
        self.enqueue(packet, in_service, dropped)
    }

    /// Removes the packet whose transmission starts at `now`. Packets that are dropped instead are added to `dropped`.
    /// `None` if no packet is left, or if none may be sent yet.
    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<Queued>;

    /// Time from which on a packet may be sent, if packets wait and [`dequeue`](Self::dequeue) has just returned none.
    fn ready_at(&self) -> Time {
        Time::MAX
    }

    /// Number of waiting packets and bytes, excluding the packet in transmission.
    fn waiting(&self) -> (u64, u64);

    /// Memory in bytes.
    fn memory(&self) -> usize;

    /// Makes the updates due by `now` that do not wait for a packet. Later calls must give the same results as without
    /// this call.
    fn advance(&mut self, _now: Time) {}

    /// Takes the parameters of this specification of the same discipline, and keeps its state and its packets.
    fn retune(&mut self, _spec: &QueueSpec, _context: &Context) {}

    /// Tells a discipline from outside the engine the global id of its link, and where to report failures.
    fn place(&mut self, _link: u32, _failures: &Arc<Failures>) {}

    /// Calls `visit` with the name and value of each of the discipline's [gauges](super::GAUGES).
    fn gauges(&self, _visit: &mut dyn FnMut(&'static str, f64)) {}
}

/// The limit of a queue, and whether the packet in transmission counts towards it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) limit: Limit,
    pub(super) count_in_service: bool,
}

impl Room {
    /// Whether a packet of `size` bytes has space beside `waiting` packets and bytes.
    pub(super) const fn admits(self, (packets, bytes): (u64, u64), in_service: u32, size: u32) -> bool {
        let counted = if self.count_in_service { in_service } else { 0 };
        self.limit.admits(packets + (counted > 0) as u64, bytes + counted as u64, size)
    }

    /// Whether all `waiting` packets and bytes have space.
    pub(super) const fn holds(self, (packets, bytes): (u64, u64), in_service: u32) -> bool {
        let counted = if self.count_in_service { in_service } else { 0 };
        match self.limit {
            Limit::Packets(limit) => packets + (counted > 0) as u64 <= limit,
            Limit::Bytes(limit) => bytes + counted as u64 <= limit,
        }
    }
}

/// Packets in order of their arrival.
#[derive(Debug, Default)]
pub(super) struct Store {
    packets: VecDeque<Queued>,
    bytes: u64,
}

impl Store {
    /// Adds a packet at the tail.
    pub(super) fn push(&mut self, packet: Queued) {
        self.bytes += u64::from(packet.packet.size());
        self.packets.push_back(packet);
    }

    /// Removes the packet at the head.
    pub(super) fn pop(&mut self) -> Option<Queued> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.packet.size());
        Some(packet)
    }

    /// Removes the packet at the tail.
    pub(super) fn pop_latest(&mut self) -> Option<Queued> {
        let packet = self.packets.pop_back()?;
        self.bytes -= u64::from(packet.packet.size());
        Some(packet)
    }

    /// The packet at the head.
    pub(super) fn front(&self) -> Option<&Queued> {
        self.packets.front()
    }

    /// The packet at the head.
    pub(super) fn front_mut(&mut self) -> Option<&mut Queued> {
        self.packets.front_mut()
    }

    /// Whether there is no packet.
    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Removes the packet at a place, counted from the head.
    pub(super) fn remove(&mut self, place: usize) -> Option<Queued> {
        let packet = self.packets.remove(place)?;
        self.bytes -= u64::from(packet.packet.size());
        Some(packet)
    }

    /// The packets from head to tail.
    pub(super) fn iter(&self) -> std::collections::vec_deque::Iter<'_, Queued> {
        self.packets.iter()
    }

    /// Number of bytes.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of packets and bytes.
    pub(super) fn waiting(&self) -> (u64, u64) {
        (self.packets.len() as u64, self.bytes)
    }

    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.packets.capacity() * size_of::<Queued>()
    }
}
