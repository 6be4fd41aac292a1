//! A tin of CAKE (`cake.rs`): the queues of its flows, and the deficit round robin that serves them.

use std::sync::Arc;

use ackclock_units::{Stream, Time};

use super::ack_filter::{AckFilter, redundant};
use crate::endpoint::sack_store::SackStore;
use crate::link::framing::Framing;
use crate::packet::{FlowId, Packet};
use crate::queue::cobalt::{Control, State};
use crate::queue::flows::Hash;
use crate::queue::lists::Lists;
use crate::queue::stored::{Dropped, Queued, Store};
use crate::queue::{DropReason, Hosts};

/// Queues in a set.
pub(super) const WAYS: usize = 8;

/// Unit of deficits.
pub(super) const BYTE: i64 = 1 << 16;

/// What all tins use.
#[derive(Debug)]
pub(super) struct Common {
    /// Units of [`BYTE`] that a host may send in each round.
    pub(super) quantum: i64,
    /// Whether sources and destinations get equal shares.
    pub(super) sides: [bool; 2],
    pub(super) hash: Hash,
    pub(super) hosts: Arc<[Hosts]>,
    /// How the link frames packets, if it does.
    pub(super) framing: Option<Framing>,
    pub(super) stream: Stream,
    /// Packets and bytes in all tins.
    pub(super) waiting: (u64, u64),
}

impl Common {
    /// Bytes that the link sends for a packet.
    #[inline(always)]
    pub(super) fn bytes(&self, queued: &Queued) -> u32 {
        let size = queued.packet.size();
        self.framing.map_or(size, |framing| framing.bytes(size))
    }

    fn forget(&mut self, queued: &Queued) {
        self.waiting = (self.waiting.0 - 1, self.waiting.1 - u64::from(queued.packet.size()));
    }
}

/// A queue. Its flow is the one that was last assigned to it.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The flow's number in the hash.
    tag: Option<u64>,
    pub(super) store: Store,
    pub(super) cobalt: State,
    /// What the queue may still send in this round.
    deficit: i64,
    /// Places of the source and the destination in their tables.
    pub(super) hosts: [u32; 2],
    pub(super) set: Set,
}

/// List and kind of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Set {
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
pub(super) struct Host {
    /// The node.
    pub(super) tag: Option<u32>,
    /// Number of bulk flows.
    pub(super) load: u32,
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
pub(super) struct Tin {
    pub(super) control: Control,
    pub(super) flows: Vec<Flow>,
    /// Sources and destinations.
    pub(super) hosts: [Vec<Host>; 2],
    pub(super) lists: Lists,
    /// Packets in all queues.
    pub(super) packets: u64,
}

impl Tin {
    /// Memory of a queue without packets, in bytes.
    pub(super) const BYTES_OF_QUEUE: usize = size_of::<Flow>() + 2 * size_of::<Host>() + Lists::BYTES_OF_QUEUE;

    pub(super) fn new(control: Control, queues: u32, quantum: i64) -> Self {
        Self {
            control,
            flows: std::iter::repeat_with(Flow::default).take(queues as usize).collect(),
            hosts: std::array::from_fn(|_| vec![Host { tag: None, load: 0, share: quantum }; queues as usize]),
            lists: Lists::new(queues as usize),
            packets: 0,
        }
    }

    /// The queue of a packet, which is assigned to its flow.
    #[inline(always)]
    pub(super) fn assign(&mut self, common: &Common, packet: &Packet, now: Time) -> u32 {
        let tag = common.hash.flow(packet);
        let first = common.hash.place(tag);
        let flow = &self.flows[first as usize];
        if flow.tag == Some(tag) && flow.set != Set::Idle {
            return first;
        }
        self.find_queue(common, packet, (tag, first), now)
    }

    #[inline(never)]
    fn find_queue(&mut self, common: &Common, packet: &Packet, (tag, first): (u64, u32), now: Time) -> u32 {
        let is_served = |flow: &Flow| flow.tag == Some(tag) && flow.set != Set::Idle;
        let place = look_up(&self.flows, first, |flow| match flow.set {
            _ if flow.tag == Some(tag) => 0,
            Set::Idle if flow.cobalt.is_at_rest(&self.control, now) => 1,
            _ => 2,
        });
        if !is_served(&self.flows[place]) {
            let is_bulk = self.flows[place].set == Set::Bulk;
            if is_bulk {
                self.leave_bulk(common, place as u32, Set::Sparse);
            }
            self.flows[place].tag = Some(tag);
            self.flows[place].hosts = self.places_of_hosts(common, packet);
            if is_bulk {
                self.enter_bulk(common, place as u32);
            }
        }
        place as u32
    }

    /// The places of a packet's source and destination in their tables.
    pub(super) fn places_of_hosts(&mut self, common: &Common, packet: &Packet) -> [u32; 2] {
        let FlowId(flow) = packet.flow();
        let mut nodes = common.hosts.get(flow as usize).copied().unwrap_or([flow, flow]);
        if packet.is_ack() {
            nodes.reverse();
        }
        std::array::from_fn(|side| {
            if !common.sides[side] {
                return 0;
            }
            let (node, hosts) = (nodes[side], &mut self.hosts[side]);
            let place = look_up(hosts, common.hash.place(u64::from(node)), |host| match host.tag {
                Some(known) if known == node => 0,
                None => 1,
                Some(_) if host.load == 0 => 2,
                Some(_) => 3,
            });
            hosts[place].tag = Some(node);
            place as u32
        })
    }

    fn enter_bulk(&mut self, common: &Common, place: u32) {
        self.change_loads(common, place, 1);
        self.flows[place as usize].set = Set::Bulk;
    }

    fn leave_bulk(&mut self, common: &Common, place: u32, set: Set) {
        self.change_loads(common, place, -1);
        self.flows[place as usize].set = set;
    }

    /// Changes the loads of a queue's hosts.
    fn change_loads(&mut self, common: &Common, place: u32, change: i32) {
        let places = self.flows[place as usize].hosts;
        for ((hosts, counts), place) in self.hosts.iter_mut().zip(common.sides).zip(places) {
            if counts {
                let host = &mut hosts[place as usize];
                host.set_load(host.load.saturating_add_signed(change), common.quantum);
            }
        }
    }

    /// Ends the turn of the first queue of the list *new*: it goes to the list *old* with its share of the next round.
    #[inline(always)]
    fn end_first_turn(&mut self, common: &Common, place: u32) {
        if self.flows[place as usize].store.is_empty() {
            self.flows[place as usize].set = Set::Waiting;
        } else {
            self.enter_bulk(common, place);
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
    #[inline(always)]
    fn retire(&mut self, common: &Common, place: u32) {
        if !self.lists.retire_first() {
            self.flows[place as usize].set = Set::Waiting;
        } else if self.flows[place as usize].set == Set::Bulk {
            self.leave_bulk(common, place, Set::Idle);
        } else {
            self.flows[place as usize].set = Set::Idle;
        }
    }

    /// The queue with the most bytes; of several, the one that is served first.
    pub(super) fn longest(&mut self) -> Option<u32> {
        let Self { flows, lists, .. } = self;
        lists.longest(|place| flows[place as usize].store.bytes())
    }

    /// Drops the packet at the head of a queue, because the limit is exceeded.
    pub(super) fn drop_from(&mut self, common: &mut Common, place: u32, now: Time, dropped: &mut Dropped) {
        let flow = &mut self.flows[place as usize];
        if let Some(queued) = flow.store.pop() {
            flow.cobalt.overflow(&self.control, now);
            self.packets -= 1;
            common.forget(&queued);
            dropped.push((queued, DropReason::Full));
        }
    }

    /// Removes the ACK that the latest packet of a queue, also an ACK, makes redundant.
    pub(super) fn filter(
        &mut self,
        common: &mut Common,
        place: u32,
        filter: AckFilter,
        sacks: &SackStore,
    ) -> Option<Queued> {
        let store = &mut self.flows[place as usize].store;
        let redundant = store.remove(redundant(filter, store.iter().map(|queued| &queued.packet), sacks)?)?;
        self.packets -= 1;
        common.forget(&redundant);
        Some(redundant)
    }

    /// Stores a packet. Returns its queue.
    #[inline(always)]
    pub(super) fn enqueue(&mut self, common: &mut Common, queued: Queued) -> u32 {
        let now = queued.since;
        let place = self.assign(common, &queued.packet, now);
        let flow = &mut self.flows[place as usize];
        if flow.store.is_empty() {
            flow.cobalt.rest(&self.control, now);
        }
        flow.store.push(queued);
        self.packets += 1;
        common.waiting = (common.waiting.0 + 1, common.waiting.1 + u64::from(queued.packet.size()));
        match flow.set {
            Set::Idle => {
                flow.set = Set::Sparse;
                flow.deficit = share(&self.hosts, flow.hosts);
                self.lists.join_new(place);
            }
            Set::Waiting => self.enter_bulk(common, place),
            Set::Sparse | Set::Bulk => {}
        }
        self.lists.grow(place, self.flows[place as usize].store.bytes());
        place
    }

    /// Removes the next packet that is not dropped.
    #[inline(always)]
    pub(super) fn dequeue(&mut self, common: &mut Common, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        loop {
            let (mut place, is_new) = self.lists.first()?;
            if self.flows[place as usize].deficit <= 0 {
                if is_new {
                    self.end_first_turn(common, place);
                    continue;
                }
                place = self.end_turns()?;
            }
            let flow = &mut self.flows[place as usize];
            let before = flow.store.waiting();
            let sent = flow.cobalt.dequeue(&self.control, &mut flow.store, &mut common.stream, now, dropped);
            let after = flow.store.waiting();
            self.packets = self.packets + after.0 - before.0;
            let waiting = &mut common.waiting;
            *waiting = (waiting.0 + after.0 - before.0, waiting.1 + after.1 - before.1);
            if let Some(queued) = sent {
                flow.deficit -= i64::from(common.bytes(&queued)) * BYTE;
                return Some(queued);
            }
            self.retire(common, place);
        }
    }

    /// A copy of [`dequeue`](Self::dequeue) for links with several tins.
    #[inline(never)]
    pub(super) fn dequeue_apart(&mut self, common: &mut Common, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        self.dequeue(common, now, dropped)
    }

    /// Makes the updates of queues without packets.
    pub(super) fn advance(&mut self, now: Time) {
        for flow in self.flows.iter_mut().filter(|flow| flow.store.is_empty()) {
            flow.cobalt.rest(&self.control, now);
        }
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&self.flows[..])
            + self.flows.iter().map(|flow| flow.store.memory()).sum::<usize>()
            + self.hosts.iter().map(|hosts| size_of_val(&hosts[..])).sum::<usize>()
            + self.lists.memory()
    }
}
