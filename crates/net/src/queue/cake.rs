//! CAKE with a single tin: Hoeiland-Joergensen, Taht and Morton, "Piece of CAKE: A Comprehensive Queue Management Solution
//! for Home Gateways" (IEEE LANMAN 2018); Linux, `sch_cake.c`, with the option `besteffort`.
//!
//! CAKE is fair among hosts first, and among the flows of a host second. Like FQ-CoDel (`fq_codel.rs`) it distributes
//! flows among queues, which a deficit round robin serves from the lists *new* and *old*; each queue has its own COBALT
//! (`cobalt.rs`). It differs from FQ-CoDel in these points:
//! - *Host isolation.* In each round a queue may send `quantum` bytes divided by the load of its host: the number of the
//!   host's *bulk* flows, which are those in the list *old* with packets. The host is the source of the flow
//!   (`dual-srchost`), its destination (`dual-dsthost`), or whichever of both has the higher load (`triple-isolate`).
//! - *Hash.* A hash selects a set of eight queues. A flow gets a queue that no other flow uses. Flows share a queue only
//!   if all eight are in use; a packet of such a flow may then leave before an earlier one.
//! - *Limit.* An arrival above the limit removes packets at the head of the longest queue, one at a time. This overflow
//!   raises the probability of the queue's BLUE.
//! - *Slow links.* `target` is at least 1.5 transmission times of a packet of `mtu` bytes, and packets may always wait for
//!   four of them; the interval grows with the target.
//!
//! A host is a node of the network. In a dumbbell each client is a host, and the server is one; as all flows have the
//! server's load, `triple-isolate` then gives equal shares to flows. ACKs have the receiver of their flow as their source.
//!
//! Differences from Linux:
//! - CAKE's shaper sends a packet when the one before has been transmitted at the given rate, as any link here does. So
//!   there is no shaper, and its rate is the link's; `quantum` is a parameter, where Linux uses the rate / 4096, between 300
//!   and 1514 bytes.
//! - A queue of the list *new* that is empty goes through the list *old*, as in FQ-CoDel. Linux forgets it, so that a flow
//!   with a packet whenever its turn comes is always new.
//! - Fractions of a byte count (1/65536); Linux rounds quanta at random.
//! - A host keeps its place in the table of hosts until another one needs it; in Linux any host may take the place of one
//!   without bulk flows, and both then count as one.
//! - There are no ACK filter, priorities (tins), or limits of memory other than `limit`.

use std::sync::Arc;

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::cobalt::{Control, State};
use super::codel::{INTERVAL, TARGET, ecn};
use super::flows::Hash;
use super::fq_codel::QUANTUM;
use super::lists::Lists;
use super::stored::{Dropped, PacketQueue, Queued, Room, Store};
use super::{Context, DropReason, Hosts, Invalid, Limit, Parameter, ParameterKind, QueueSpec, Spec};
use crate::packet::{FlowId, Packet};

pub(super) const DOC: &str = "Fair queueing by host and by flow, with COBALT in each queue (Piece of CAKE, 2018)";

pub(super) const PARAMETERS: &[Parameter] = &[
    TARGET,
    INTERVAL,
    Parameter {
        name: "mtu",
        doc: "Size in bytes of the packets that the target must allow for on a slow link; 0: none",
        kind: ParameterKind::Whole { min: 0, max: 1_000_000, default: 1514 },
    },
    ecn(true),
    Parameter {
        name: "queues",
        doc: "Number of queues, a multiple of 8",
        kind: ParameterKind::Whole { min: WAYS as u64, max: 1024, default: 1024 },
    },
    QUANTUM,
    Parameter {
        name: "isolation",
        doc: "Hosts that get equal shares: none, sources, destinations, or both",
        kind: ParameterKind::Choice {
            choices: &["flows", "dual-srchost", "dual-dsthost", "triple-isolate"],
            default: "triple-isolate",
        },
    },
];

/// The parameters of CAKE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CakeSpec {
    /// Capacity of all queues together.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Waiting time that packets may always have.
    pub target: Time,
    /// Time for which packets must wait longer than `target` before the first drop.
    pub interval: Time,
    /// Size of the packets that the target must allow for.
    pub mtu: u32,
    /// Mark ECN-capable packets where CoDel would drop them.
    pub ecn: bool,
    /// Number of queues, a multiple of 8.
    pub queues: u32,
    /// Bytes that a host may send in each round.
    pub quantum: u32,
    /// Hosts that get equal shares.
    pub isolation: Isolation,
}

/// Hosts that get equal shares, in the terms of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// None: all flows are equal.
    Flows,
    /// Sources.
    DualSrchost,
    /// Destinations.
    DualDsthost,
    /// Sources and destinations.
    TripleIsolate,
}

impl Isolation {
    /// Whether sources and destinations get equal shares.
    const fn sides(self) -> [bool; 2] {
        match self {
            Self::Flows => [false, false],
            Self::DualSrchost => [true, false],
            Self::DualDsthost => [false, true],
            Self::TripleIsolate => [true, true],
        }
    }
}

impl Spec for CakeSpec {
    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&["queues", "quantum", "isolation"])
    }

    fn marks(&self) -> bool {
        self.ecn
    }

    fn check(&self) -> Result<(), Invalid> {
        if (self.queues as usize).is_multiple_of(WAYS) {
            return Ok(());
        }
        let problem = format!("{} is not allowed; must be a multiple of {WAYS}", self.queues);
        Err(Invalid { field: "queues", problem })
    }

    /// Memory of the queues without packets, in bytes.
    fn bytes(&self) -> usize {
        self.queues as usize * (size_of::<Flow>() + 2 * size_of::<Host>() + Lists::BYTES_OF_QUEUE)
    }

    fn knows_hosts(&self) -> bool {
        true
    }
}

pub(super) fn build(spec: &CakeSpec, context: &Context) -> Cake {
    let CakeSpec { limit, count_in_service, interval, mtu, ecn, queues, quantum, isolation, .. } = *spec;
    let mtu_time = context.rate.transmission_time(mtu);
    let target = spec.target.max(Time::from_picos(mtu_time.as_picos() / 2 * 3));
    let quantum = i64::from(quantum) * BYTE;
    let mut stream = context.stream.clone();
    stream.uniform(); // the key of the hash
    Cake {
        room: Room { limit, count_in_service },
        control: Control {
            late: target.max(mtu_time.saturating_mul(4)),
            period: target,
            interval: interval.saturating_add(target - spec.target).max(target.saturating_mul(2)),
            ecn,
        },
        quantum,
        sides: isolation.sides(),
        hash: Hash::new(queues, context),
        hosts_of_flows: Arc::clone(&context.hosts),
        flows: std::iter::repeat_with(Flow::default).take(queues as usize).collect(),
        hosts: std::array::from_fn(|_| vec![Host { tag: None, load: 0, share: quantum }; queues as usize]),
        lists: Lists::new(queues as usize),
        waiting: (0, 0),
        stream,
    }
}

/// Queues in a set.
const WAYS: usize = 8;

/// Unit of deficits.
const BYTE: i64 = 1 << 16;

/// A queue. Its flow is the one that was last assigned to it.
#[derive(Debug, Default)]
struct Flow {
    /// The flow's number in the hash.
    tag: Option<u64>,
    store: Store,
    cobalt: State,
    /// What the queue may still send in this round.
    deficit: i64,
    /// Places of the source and the destination in their tables.
    hosts: [u32; 2],
    set: Set,
}

/// List and kind of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Set {
    /// In no list.
    #[default]
    Idle,
    /// In the list *new*.
    Sparse,
    /// In the list *old*, and empty since it came there.
    Waiting,
    /// In the list *old*; counts for the load of its hosts.
    Bulk,
}

/// A place in a table of hosts.
#[derive(Clone, Copy, Debug)]
struct Host {
    /// The node.
    tag: Option<u32>,
    /// Number of bulk flows.
    load: u32,
    /// What each flow may send in a round.
    share: i64,
}

impl Host {
    fn set_load(&mut self, load: u32, quantum: i64) {
        (self.load, self.share) = (load, quantum / i64::from(load.max(1)));
    }
}

/// What a queue whose hosts have the given places may send in each round.
fn share(hosts: &[Vec<Host>; 2], [source, destination]: [u32; 2]) -> i64 {
    hosts[0][source as usize].share.min(hosts[1][destination as usize].share)
}

/// The place of the lowest rank in the set of `first`; of several, the next one from `first` on.
fn look_up<T>(table: &[T], first: u32, rank: impl Fn(&T) -> u8) -> usize {
    let (first, set) = (first as usize, first as usize / WAYS * WAYS);
    let ways = (0..WAYS).map(|way| set + (first + way) % WAYS);
    ways.min_by_key(|place| rank(&table[*place])).unwrap_or(first)
}

#[derive(Debug)]
pub(super) struct Cake {
    room: Room,
    control: Control,
    quantum: i64,
    /// Whether sources and destinations get equal shares.
    sides: [bool; 2],
    hash: Hash,
    hosts_of_flows: Arc<[Hosts]>,
    flows: Vec<Flow>,
    /// Sources and destinations.
    hosts: [Vec<Host>; 2],
    lists: Lists,
    /// Packets and bytes in all queues.
    waiting: (u64, u64),
    stream: Stream,
}

impl Cake {
    /// The queue of a packet, which is assigned to its flow.
    fn assign(&mut self, packet: &Packet, now: Time) -> u32 {
        let tag = self.hash.flow(packet);
        let first = self.hash.place(tag);
        let is_served = |flow: &Flow| flow.tag == Some(tag) && flow.set != Set::Idle;
        if is_served(&self.flows[first as usize]) {
            return first;
        }
        let place = look_up(&self.flows, first, |flow| match flow.set {
            _ if flow.tag == Some(tag) => 0,
            Set::Idle if flow.cobalt.is_at_rest(&self.control, now) => 1,
            _ => 2,
        });
        if !is_served(&self.flows[place]) {
            let is_bulk = self.flows[place].set == Set::Bulk;
            if is_bulk {
                self.leave_bulk(place as u32, Set::Sparse);
            }
            self.flows[place].tag = Some(tag);
            self.flows[place].hosts = self.places_of_hosts(packet);
            if is_bulk {
                self.enter_bulk(place as u32);
            }
        }
        place as u32
    }

    /// The places of a packet's source and destination in their tables.
    fn places_of_hosts(&mut self, packet: &Packet) -> [u32; 2] {
        let FlowId(flow) = packet.flow();
        let mut nodes = self.hosts_of_flows.get(flow as usize).copied().unwrap_or([flow, flow]);
        if packet.is_ack() {
            nodes.reverse();
        }
        std::array::from_fn(|side| {
            if !self.sides[side] {
                return 0;
            }
            let (node, hosts) = (nodes[side], &mut self.hosts[side]);
            let place = look_up(hosts, self.hash.place(u64::from(node)), |host| match host.tag {
                Some(known) if known == node => 0,
                None => 1,
                Some(_) if host.load == 0 => 2,
                Some(_) => 3,
            });
            hosts[place].tag = Some(node);
            place as u32
        })
    }

    fn enter_bulk(&mut self, place: u32) {
        self.change_loads(place, 1);
        self.flows[place as usize].set = Set::Bulk;
    }

    fn leave_bulk(&mut self, place: u32, set: Set) {
        self.change_loads(place, -1);
        self.flows[place as usize].set = set;
    }

    /// Changes the loads of a queue's hosts.
    fn change_loads(&mut self, place: u32, change: i32) {
        let places = self.flows[place as usize].hosts;
        for ((hosts, counts), place) in self.hosts.iter_mut().zip(self.sides).zip(places) {
            if counts {
                let host = &mut hosts[place as usize];
                host.set_load(host.load.saturating_add_signed(change), self.quantum);
            }
        }
    }

    /// Ends the turn of the first queue of the list *new*: it goes to the list *old* with its share of the next round.
    fn end_first_turn(&mut self, place: u32) {
        if self.flows[place as usize].store.is_empty() {
            self.flows[place as usize].set = Set::Waiting;
        } else {
            self.enter_bulk(place);
        }
        let flow = &mut self.flows[place as usize];
        flow.deficit += share(&self.hosts, flow.hosts);
        self.lists.defer_first();
    }

    /// Ends the turns of queues of the list *old*, up to the first one that may send, which is returned. A queue that ends
    /// its turn goes to the end of the list with its share of the next round. With many flows of a host, shares are small
    /// and a packet takes many rounds.
    #[inline(never)]
    fn end_turns(&mut self) -> Option<u32> {
        let Self { flows, hosts, lists, .. } = self;
        lists.turn_old(|place| {
            let flow = &mut flows[place as usize];
            let ends = flow.deficit <= 0;
            if ends {
                flow.deficit += share(hosts, flow.hosts);
            }
            ends
        });
        lists.first().map(|(place, _)| place)
    }

    /// Removes the first queue, which is empty, from its list. A new one goes to the list *old* first.
    fn retire(&mut self, place: u32) {
        if !self.lists.retire_first() {
            self.flows[place as usize].set = Set::Waiting;
        } else if self.flows[place as usize].set == Set::Bulk {
            self.leave_bulk(place, Set::Idle);
        } else {
            self.flows[place as usize].set = Set::Idle;
        }
    }

    /// The queue with the most bytes; of several, the one that is served first.
    fn longest(&mut self) -> Option<u32> {
        let Self { flows, lists, .. } = self;
        lists.longest(|place| flows[place as usize].store.bytes())
    }

    /// Drops the packet at the head of the longest queue.
    fn drop_from_longest(&mut self, now: Time, dropped: &mut Dropped) {
        let Some(longest) = self.longest() else { return };
        let flow = &mut self.flows[longest as usize];
        if let Some(queued) = flow.store.pop() {
            self.waiting = (self.waiting.0 - 1, self.waiting.1 - u64::from(queued.packet.size()));
            flow.cobalt.overflow(&self.control, now);
            dropped.push((queued, DropReason::Full));
        }
    }
}

impl PacketQueue for Cake {
    fn enqueue(&mut self, queued: Queued, in_service: u32, dropped: &mut Dropped) -> Result<(), DropReason> {
        let now = queued.since;
        let place = self.assign(&queued.packet, now);
        let flow = &mut self.flows[place as usize];
        if flow.store.is_empty() {
            flow.cobalt.rest(&self.control, now);
        }
        flow.store.push(queued);
        self.waiting = (self.waiting.0 + 1, self.waiting.1 + u64::from(queued.packet.size()));
        match flow.set {
            Set::Idle => {
                flow.set = Set::Sparse;
                flow.deficit = share(&self.hosts, flow.hosts);
                self.lists.join_new(place);
            }
            Set::Waiting => self.enter_bulk(place),
            Set::Sparse | Set::Bulk => {}
        }
        self.lists.grow(place, self.flows[place as usize].store.bytes());
        while self.waiting.0 > 0 && !self.room.holds(self.waiting, in_service) {
            self.drop_from_longest(now, dropped);
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        loop {
            let (mut place, is_new) = self.lists.first()?;
            if self.flows[place as usize].deficit <= 0 {
                if is_new {
                    self.end_first_turn(place);
                    continue;
                }
                place = self.end_turns()?;
            }
            let flow = &mut self.flows[place as usize];
            let before = flow.store.waiting();
            let sent = flow.cobalt.dequeue(&self.control, &mut flow.store, &mut self.stream, now, dropped);
            let after = flow.store.waiting();
            self.waiting = (self.waiting.0 + after.0 - before.0, self.waiting.1 + after.1 - before.1);
            if let Some(queued) = sent {
                flow.deficit -= i64::from(queued.packet.size()) * BYTE;
                return Some(queued);
            }
            self.retire(place);
        }
    }

    fn waiting(&self) -> (u64, u64) {
        self.waiting
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.flows[..])
            + self.flows.iter().map(|flow| flow.store.memory()).sum::<usize>()
            + self.hosts.iter().map(|hosts| size_of_val(&hosts[..])).sum::<usize>()
            + self.lists.memory()
    }

    fn advance(&mut self, now: Time) {
        for flow in self.flows.iter_mut().filter(|flow| flow.store.is_empty()) {
            flow.cobalt.rest(&self.control, now);
        }
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let (new, old) = self.lists.counts();
        visit("new_queues", f64::from(new));
        visit("old_queues", f64::from(old));
        visit("active_queues", self.flows.iter().filter(|flow| !flow.store.is_empty()).count() as f64);
        visit("dropping", self.flows.iter().filter(|flow| flow.cobalt.is_dropping()).count() as f64);
        visit("p_drop", self.flows.iter().map(|flow| flow.cobalt.p_drop()).fold(0.0, f64::max));
    }

    fn retune(&mut self, spec: &QueueSpec, context: &Context) {
        if let QueueSpec::Cake(spec) = spec {
            let fresh = build(spec, context);
            (self.room, self.control) = (fresh.room, fresh.control);
        }
    }
}

#[cfg(test)]
mod tests;
