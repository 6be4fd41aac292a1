//! Fair queueing by deficit round robin: Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round-Robin"
//! (IEEE/ACM Transactions on Networking 4(3), 1996).
//!
//! Flows are distributed among queues by a hash. The queues with packets are in a ring. When the turn of a queue comes,
//! `quantum` times its weight is added to its deficit, and it sends packets as long as the deficit covers them (section
//! III: quanta in proportion to the shares). A queue that becomes empty loses its deficit and leaves the ring. If the limit
//! is exceeded, the longest queue in bytes loses packets (McKenney, "Stochastic Fairness Queueing", 1990).
//!
//! A queue may have a *ceiling*, a rate that it does not exceed even if the link is idle. It sends a packet only when it
//! conforms: not before the time at which its packets so far would have been sent at the ceiling (the virtual scheduling
//! algorithm of ITU-T I.371, Annex A). A queue that was late, because it waited for its turn, may send earlier later: by at
//! most the time of its quantum and a packet. A queue whose packet does not conform leaves the ring until it does. The
//! others share what it leaves by their weights. With weights in proportion to guaranteed rates that the link can carry,
//! each queue thus has at least its guaranteed rate and borrows up to its ceiling, as the classes of Linux's HTB with
//! `rate` and `ceil` (Devera, "HTB Linux queuing discipline manual", 2002) on one level. There a class may have several flows.
//!
//! Weight and ceiling of a queue are those of the flow that sends the first packet into the empty queue. Deficits and
//! ceilings count the bytes that the link sends, with its framing.
//!
//! Differences from the paper:
//! - the longest queue loses packets at its head (Suter, Lakshman, Stiliadis and Choudhury 1999), which signals congestion
//!   to TCP earlier; the paper does not say which packet is lost.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use ackclock_units::{Rate, Time};
use serde::{Deserialize, Serialize};

use super::flows::{Hash, QUEUES};
use super::fq_codel::QUANTUM;
use super::longest::Longest;
use super::stored::{Dropped, PacketQueue, Queued, Room, Store};
use super::{Context, DropReason, Limit, Parameter, QueueSpec, Spec};
use crate::link::framing::Framing;
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

    fn reads(&self) -> &'static [&'static str] {
        &["weight", "ceiling"]
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
        ceilings: Arc::clone(&context.ceilings),
        framing: context.framing,
        flows: std::iter::repeat_with(Flow::default).take(queues as usize).collect(),
        ring: VecDeque::new(),
        held: BinaryHeap::new(),
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
    ceiling: Option<Rate>,
    /// Time at which the next packet conforms to the ceiling.
    next: Time,
    /// Whether the queue waits for this time outside the ring.
    is_held: bool,
}

impl Flow {
    /// Charges the queue for `bytes` that it sends.
    fn charge(&mut self, bytes: u32, now: Time) {
        if let Some(ceiling) = self.ceiling {
            let time = ceiling.transmission_time(bytes);
            // a quantum fits: it is below a million bytes times the maximum weight
            let tolerance = ceiling.transmission_time(self.quantum as u32).saturating_add(time);
            self.next = self.next.max(now.saturating_sub(tolerance)).saturating_add(time);
        }
    }
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
    /// Ceiling of each flow; empty if there is none.
    ceilings: Arc<[Option<Rate>]>,
    framing: Framing,
    /// The queues with packets, in the order of their turns, and some that have left.
    ring: VecDeque<Place>,
    /// The queues that have left the ring until their next packet conforms, with this time. Some may be empty.
    held: BinaryHeap<Reverse<(Time, u32)>>,
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
        let Self { flows, ring, held, longest, .. } = self;
        let active = ring.iter().filter(|(place, turn)| is_active(&flows[*place as usize], *turn));
        let held = held.iter().map(|Reverse((_, place))| *place);
        let bytes = |place: u32| flows[place as usize].store.bytes();
        longest.find(flows.len(), bytes, std::iter::empty(), active.map(|(place, _)| *place).chain(held))
    }

    /// Takes the first queue out of the ring until its next packet conforms.
    fn hold(&mut self, place: u32) {
        let flow = &mut self.flows[place as usize];
        (flow.deficit, flow.has_turn, flow.is_held) = (0, false, true);
        self.ring.pop_front();
        self.held.push(Reverse((flow.next, place)));
    }

    /// Returns the queues whose next packet conforms by now to the ring.
    fn release(&mut self, now: Time) {
        while let Some(Reverse((_, place))) = self.held.peek().filter(|Reverse((next, _))| *next <= now).copied() {
            self.held.pop();
            self.flows[place as usize].is_held = false;
            if !self.flows[place as usize].store.is_empty() {
                self.append(place);
            }
        }
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
            flow.ceiling = self.ceilings.get(sender as usize).copied().flatten();
            self.active += 1;
            if !flow.is_held {
                self.append(place);
            }
        }
        self.longest.grow(place, self.flows[place as usize].store.bytes());
        while !self.room.holds(self.waiting, in_service) {
            let Some(queued) = self.longest().and_then(|place| self.pop(place)) else { break };
            dropped.push((queued, DropReason::Full));
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time, _: &mut Dropped) -> Option<Queued> {
        self.release(now);
        loop {
            let (place, turn) = *self.ring.front()?;
            let flow = &mut self.flows[place as usize];
            if !is_active(flow, turn) {
                self.ring.pop_front();
                continue;
            }
            if flow.ceiling.is_some() && now < flow.next {
                self.hold(place);
                continue;
            }
            if !flow.has_turn {
                flow.has_turn = true;
                flow.deficit += flow.quantum;
            }
            let bytes = self.framing.bytes(flow.store.front()?.packet.size());
            if u64::from(bytes) <= flow.deficit {
                flow.deficit -= u64::from(bytes);
                flow.charge(bytes, now);
                return self.pop(place);
            }
            flow.has_turn = false;
            self.ring.pop_front();
            self.append(place);
        }
    }

    fn ready_at(&self) -> Time {
        self.held.peek().map_or(Time::MAX, |Reverse((next, _))| *next)
    }

    fn waiting(&self) -> (u64, u64) {
        self.waiting
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.flows[..])
            + self.flows.iter().map(|flow| flow.store.memory()).sum::<usize>()
            + self.ring.capacity() * size_of::<Place>()
            + self.held.capacity() * size_of::<Reverse<(Time, u32)>>()
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
