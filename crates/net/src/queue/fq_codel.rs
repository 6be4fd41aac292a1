//! FQ-CoDel: Hoeiland-Joergensen, McKenney, Taht, Gettys and Dumazet, "The Flow Queue CoDel Packet Scheduler and Active
//! Queue Management Algorithm" (RFC 8290, 2018), sections 4 and 5.
//!
//! Flows are distributed among queues by a hash, and each queue has its own CoDel (`codel.rs`). A deficit round robin
//! serves the queues: a queue may send `quantum` bytes in each round. Queues that were empty are in a list of their own,
//! *new*, which is served first; after their quantum, or when they are empty, they go to the list *old*. Flows that send
//! less than a quantum per round therefore hardly wait. If the limit or `memory` is exceeded, the queue with the most
//! bytes loses packets at its head: half of its bytes, but at most 64 packets.
//!
//! Differences from the RFC:
//! - `memory` limits the size of the waiting packets, as Linux's `memory_limit` limits the size of their buffers.
//! - The packets that a queue loses because of the limit are added to the count of its CoDel, as in Linux.
//! - The RFC's queues stay in their list while a link is idle; here and in Linux they leave it.
//! - CoDel's test of the bytes left concerns the queue of the packet. Linux uses the bytes of all queues.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::codel::{CE_THRESHOLD, Control, INTERVAL, MTU, State, TARGET, ecn};
use super::flows::{Hash, QUEUES};
use super::lists::Lists;
use super::stored::{Dropped, PacketQueue, Queued, Room, Store};
use super::{Context, DropReason, Limit, Parameter, ParameterKind, QueueSpec, Spec};

pub(super) const DOC: &str = "Fair queueing by flow, with CoDel in each queue (RFC 8290)";

pub(super) const QUANTUM: Parameter = Parameter {
    name: "quantum",
    doc: "Bytes that a queue may send in each round",
    kind: ParameterKind::Whole { min: 256, max: 1_000_000, default: 1514 },
};

pub(super) const PARAMETERS: &[Parameter] = &[
    TARGET,
    INTERVAL,
    MTU,
    ecn(true),
    CE_THRESHOLD,
    QUEUES,
    QUANTUM,
    Parameter {
        name: "memory",
        doc: "Limit of the bytes that wait, in addition to the limit of the queue",
        kind: ParameterKind::Whole { min: 0, max: 1_000_000_000_000, default: 32 << 20 },
    },
];

/// Maximum number of packets that one arrival above the limit removes.
const BATCH: u64 = 64;

/// The parameters of FQ-CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FqCodelSpec {
    /// Capacity of all queues together.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Waiting time that packets may always have.
    pub target: Time,
    /// Time for which packets must wait longer than `target` before the first drop.
    pub interval: Time,
    /// Nothing is dropped if at most this number of bytes is left in a queue.
    pub mtu: u64,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Mark each ECN-capable packet that has waited longer than this.
    pub ce_threshold: Option<Time>,
    /// Number of queues.
    pub queues: u32,
    /// Bytes that a queue may send in each round.
    pub quantum: u32,
    /// Limit of the bytes that wait.
    pub memory: u64,
}

impl Spec for FqCodelSpec {
    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&["queues"])
    }

    fn marks(&self) -> bool {
        self.ecn || self.ce_threshold.is_some()
    }

    /// Memory of the queues without packets, in bytes.
    fn bytes(&self) -> usize {
        self.queues as usize * (size_of::<Flow>() + Lists::BYTES_OF_QUEUE)
    }
}

pub(super) fn build(spec: &FqCodelSpec, context: &Context) -> FqCodel {
    let FqCodelSpec { limit, count_in_service, target, interval, mtu, ecn, ce_threshold, queues, quantum, memory } =
        *spec;
    FqCodel {
        room: Room { limit, count_in_service },
        memory,
        control: Control { target, interval, mtu, ecn, ce_threshold },
        quantum: i64::from(quantum),
        hash: Hash::new(queues, context),
        flows: std::iter::repeat_with(Flow::default).take(queues as usize).collect(),
        lists: Lists::new(queues as usize),
        waiting: (0, 0),
    }
}

/// A queue of flows with the same hash.
#[derive(Debug, Default)]
struct Flow {
    store: Store,
    codel: State,
    /// Bytes that the queue may still send in this round.
    deficit: i64,
    is_listed: bool,
}

#[derive(Debug)]
pub(super) struct FqCodel {
    room: Room,
    memory: u64,
    control: Control,
    quantum: i64,
    hash: Hash,
    flows: Vec<Flow>,
    lists: Lists,
    /// Packets and bytes in all queues.
    waiting: (u64, u64),
}

impl FqCodel {
    /// Whether the packets that wait exceed a limit.
    const fn is_over(&self, in_service: u32) -> bool {
        let (packets, bytes) = self.waiting;
        !self.room.holds((packets, bytes), in_service) || bytes > self.memory
    }

    /// The queue with the most bytes; of several, the one that is served first.
    fn longest(&mut self) -> Option<u32> {
        let Self { flows, lists, .. } = self;
        lists.longest(|place| flows[place as usize].store.bytes())
    }

    /// Drops packets at the head of the queue with the most bytes.
    fn drop_from_fattest(&mut self, dropped: &mut Dropped) {
        let Some(fattest) = self.longest() else { return };
        let flow = &mut self.flows[fattest as usize];
        let (enough, mut count, mut lost) = (flow.store.bytes().div_ceil(2), 0, 0);
        while count < BATCH
            && lost < enough
            && let Some(queued) = flow.store.pop()
        {
            count += 1;
            lost += u64::from(queued.packet.size());
            dropped.push((queued, DropReason::Full));
        }
        flow.codel.add(count);
        self.waiting = (self.waiting.0 - count, self.waiting.1 - lost);
    }

    /// Ends the turns of queues up to the first one that may send, which is returned.
    #[inline(always)]
    fn next_turn(&mut self) -> Option<u32> {
        loop {
            let (place, _) = self.lists.first()?;
            let deficit = &mut self.flows[place as usize].deficit;
            if *deficit > 0 {
                return Some(place);
            }
            *deficit += self.quantum;
            self.lists.defer_first();
        }
    }

    /// Removes the next packet of a queue.
    #[inline(always)]
    fn take(&mut self, place: u32, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        let Flow { store, codel, deficit, .. } = &mut self.flows[place as usize];
        let earlier = dropped.len();
        // an empty queue drops nothing, and the last packet of a queue is never dropped
        let sent = codel.dequeue(&self.control, store, now, dropped)?;
        let size = sent.packet.size();
        *deficit -= i64::from(size);
        self.waiting = (self.waiting.0 - 1, self.waiting.1 - u64::from(size));
        for (queued, _) in &dropped[earlier..] {
            self.waiting = (self.waiting.0 - 1, self.waiting.1 - u64::from(queued.packet.size()));
        }
        Some(sent)
    }

    /// Removes the next packet after the turn of a queue that is empty.
    #[inline(never)]
    fn dequeue_after(&mut self, mut empty: u32, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        loop {
            self.flows[empty as usize].is_listed = !self.lists.retire_first();
            empty = self.next_turn()?;
            let sent = self.take(empty, now, dropped);
            if sent.is_some() {
                return sent;
            }
        }
    }

    /// Removes all queues, which are empty, from the lists.
    fn clear_lists(&mut self) {
        for place in self.lists.iter() {
            self.flows[place as usize].is_listed = false;
        }
        self.lists.clear();
    }
}

impl PacketQueue for FqCodel {
    fn enqueue(&mut self, queued: Queued, in_service: u32, dropped: &mut Dropped) -> Result<(), DropReason> {
        if self.waiting.0 == 0 && in_service == 0 {
            self.clear_lists();
        }
        let place = self.hash.of(&queued.packet);
        let flow = &mut self.flows[place as usize];
        flow.store.push(queued);
        if !flow.is_listed {
            flow.is_listed = true;
            flow.deficit = self.quantum;
            self.lists.join_new(place);
        }
        self.lists.grow(place, flow.store.bytes());
        self.waiting = (self.waiting.0 + 1, self.waiting.1 + u64::from(queued.packet.size()));
        while self.waiting.0 > 0 && self.is_over(in_service) {
            self.drop_from_fattest(dropped);
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        let first = self.next_turn()?;
        let sent = self.take(first, now, dropped);
        if sent.is_some() { sent } else { self.dequeue_after(first, now, dropped) }
    }

    fn waiting(&self) -> (u64, u64) {
        self.waiting
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.flows[..])
            + self.flows.iter().map(|flow| flow.store.memory()).sum::<usize>()
            + self.lists.memory()
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let (new, old) = self.lists.counts();
        let active = self.lists.iter().filter(|place| !self.flows[*place as usize].store.is_empty());
        visit("new_queues", f64::from(new));
        visit("old_queues", f64::from(old));
        visit("active_queues", active.count() as f64);
        visit("dropping", self.flows.iter().filter(|flow| flow.codel.is_dropping()).count() as f64);
    }

    fn retune(&mut self, spec: &QueueSpec, context: &Context) {
        if let QueueSpec::FqCodel(spec) = spec {
            let fresh = build(spec, context);
            (self.room, self.memory) = (fresh.room, fresh.memory);
            (self.control, self.quantum) = (fresh.control, fresh.quantum);
        }
    }
}

#[cfg(test)]
mod tests;
