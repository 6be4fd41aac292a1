//! Fair queueing by deficit round robin: Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round-Robin"
//! (IEEE/ACM Transactions on Networking 4(3), 1996).
//!
//! Flows are distributed among queues by a hash. The queues with packets are in a ring. When the turn of a queue comes,
//! `quantum` times its weight is added to its deficit, and it sends packets as long as the deficit covers them (section
//! III: quanta in proportion to the shares). A queue that becomes empty loses its deficit and leaves the ring. The weight of
//! a queue is the weight of the flow that sends the first packet into the empty queue. If the limit is exceeded, the longest queue in bytes loses packets
//! (McKenney, "Stochastic Fairness Queueing", 1990).
//!
//! Differences from the paper:
//! - the longest queue loses packets at its head (Suter, Lakshman, Stiliadis and Choudhury 1999), which signals congestion
//!   to TCP earlier; the paper does not say which packet is lost.

use std::collections::VecDeque;
use std::sync::Arc;

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::flows::{Hash, QUEUES};
use super::fq_codel::QUANTUM;
use super::longest::Longest;
use super::stored::{Dropped, PacketQueue, Queued, Room, Store};
use super::{Context, DropReason, Limit, Parameter, QueueSpec, Spec};
use crate::packet::FlowId;
use crate::plan::EQUAL_WEIGHT;

pub(super) const DOC: &str = "Fair queueing by flow: deficit round robin (Shreedhar and Varghese 1996)";

pub(super) const PARAMETERS: &[Parameter] = &[QUEUES, QUANTUM];

/// The parameters of fair queueing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FqSpec {
    /// Capacity of all queues together.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Number of queues.
    pub queues: u32,
    /// Bytes that a queue may send in each round.
    pub quantum: u32,
}

impl Spec for FqSpec {
    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&["queues", "quantum"])
    }

    /// Memory of the queues without packets, in bytes.
    fn bytes(&self) -> usize {
        self.queues as usize * size_of::<Flow>()
    }
}

pub(super) fn build(spec: &FqSpec, context: &Context) -> Fq {
    let FqSpec { limit, count_in_service, queues, quantum } = *spec;
    Fq {
        room: Room { limit, count_in_service },
        quantum: u64::from(quantum),
        hash: Hash::new(queues, context),
        weights: Arc::clone(&context.weights),
        flows: std::iter::repeat_with(Flow::default).take(queues as usize).collect(),
        ring: VecDeque::new(),
        turns: 0,
        active: 0,
        longest: Longest::default(),
        waiting: (0, 0),
    }
}

/// A queue of flows with the same hash.
#[derive(Debug, Default)]
struct Flow {
    store: Store,
    /// Bytes that the queue may send in each turn.
    quantum: u64,
    /// Bytes that the queue may still send in its turn.
    deficit: u64,
    /// Whether its turn has begun.
    has_turn: bool,
    /// Number of its place in the ring.
    turn: u64,
}

/// A queue in the ring, with the number of its place. The queue has left the ring if it is empty or has another number.
type Place = (u32, u64);

/// How many entries of queues that have left are kept per active queue, and in any case.
const KEPT: (usize, usize) = (3, 64);

#[derive(Debug)]
pub(super) struct Fq {
    room: Room,
    quantum: u64,
    hash: Hash,
    /// Weight of each flow; empty if all are equal.
    weights: Arc<[u16]>,
    flows: Vec<Flow>,
    /// The queues with packets, in the order of their turns, and some that have left.
    ring: VecDeque<Place>,
    /// Number of places given so far.
    turns: u64,
    /// Number of queues with packets.
    active: usize,
    longest: Longest,
    /// Packets and bytes in all queues.
    waiting: (u64, u64),
}

impl Fq {
    /// Removes the packet at the head of a queue.
    fn pop(&mut self, place: u32) -> Option<Queued> {
        let flow = &mut self.flows[place as usize];
        let queued = flow.store.pop()?;
        self.waiting = (self.waiting.0 - 1, self.waiting.1 - u64::from(queued.packet.size()));
        if flow.store.is_empty() {
            (flow.deficit, flow.has_turn) = (0, false);
            self.active -= 1;
        }
        Some(queued)
    }

    /// Puts a queue at the end of the ring.
    fn append(&mut self, place: u32) {
        self.turns += 1;
        self.flows[place as usize].turn = self.turns;
        self.longest.join_old(place);
        self.ring.push_back((place, self.turns));
        if self.ring.len() > KEPT.0 * self.active + KEPT.1 {
            let flows = &self.flows;
            self.ring.retain(|(place, turn)| is_active(&flows[*place as usize], *turn));
        }
    }

    /// The longest queue; of several, the one whose turn comes first.
    fn longest(&mut self) -> Option<u32> {
        let Self { flows, ring, longest, .. } = self;
        let active = ring.iter().filter(|(place, turn)| is_active(&flows[*place as usize], *turn));
        let bytes = |place: u32| flows[place as usize].store.bytes();
        longest.find(flows.len(), bytes, std::iter::empty(), active.map(|(place, _)| *place))
    }
}

/// Whether a queue is at its place `turn` in the ring.
fn is_active(flow: &Flow, turn: u64) -> bool {
    flow.turn == turn && !flow.store.is_empty()
}

impl PacketQueue for Fq {
    fn enqueue(&mut self, queued: Queued, in_service: u32, dropped: &mut Dropped) -> Result<(), DropReason> {
        let (FlowId(sender), place) = (queued.packet.flow(), self.hash.of(&queued.packet));
        let flow = &mut self.flows[place as usize];
        let begins = flow.store.is_empty();
        self.waiting = (self.waiting.0 + 1, self.waiting.1 + u64::from(queued.packet.size()));
        flow.store.push(queued);
        if begins {
            let weight = self.weights.get(sender as usize).copied().unwrap_or(EQUAL_WEIGHT);
            flow.quantum = self.quantum * u64::from(weight);
            self.active += 1;
            self.append(place);
        }
        self.longest.grow(place, self.flows[place as usize].store.bytes());
        while !self.room.holds(self.waiting, in_service) {
            let Some(queued) = self.longest().and_then(|place| self.pop(place)) else { break };
            dropped.push((queued, DropReason::Full));
        }
        Ok(())
    }

    fn dequeue(&mut self, _: Time, _: &mut Dropped) -> Option<Queued> {
        loop {
            let (place, turn) = *self.ring.front()?;
            let flow = &mut self.flows[place as usize];
            if !is_active(flow, turn) {
                self.ring.pop_front();
                continue;
            }
            if !flow.has_turn {
                flow.has_turn = true;
                flow.deficit += flow.quantum;
            }
            let size = u64::from(flow.store.front()?.packet.size());
            if size <= flow.deficit {
                flow.deficit -= size;
                return self.pop(place);
            }
            flow.has_turn = false;
            self.ring.pop_front();
            self.append(place);
        }
    }

    fn waiting(&self) -> (u64, u64) {
        self.waiting
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.flows[..])
            + self.flows.iter().map(|flow| flow.store.memory()).sum::<usize>()
            + self.ring.capacity() * size_of::<Place>()
            + self.longest.memory()
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("active_queues", self.active as f64);
    }

    fn retune(&mut self, spec: &QueueSpec, _: &Context) {
        if let QueueSpec::Fq(spec) = spec {
            self.room = Room { limit: spec.limit, count_in_service: spec.count_in_service };
        }
    }
}

#[cfg(test)]
mod tests;
