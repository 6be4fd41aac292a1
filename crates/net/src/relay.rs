//! A network without endpoints: packets enter it from outside, and leave it at the far end of their route.
//!
//! A [`Relay`] has the links of a plan: the same objects as the simulator, with their queues, rates, losses and delays. Its
//! clock is the caller's. The caller [offers](Relay::offer) each packet at the time at which it enters the network, asks when
//! [something happens next](Relay::next), and takes the [fates](Fate) of the packets after it has moved the clock on
//! ([`Relay::advance`]). All times are computed by the links. A caller that is late therefore delays a packet, but does
//! not change when later packets leave.
//!
//! The order of events is the simulator's (`engine/event.rs`): a relay that gets the packets which endpoints send in a run
//! makes the same observations as that run. `tests/laws/relaying.rs` tests this.
//!
//! A relay has a heap of its own instead of the simulator's agenda: its packets come one at a time, and no component may
//! run ahead of the caller's clock.

mod measured;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem::take;

use ackclock_units::Time;

use crate::endpoint::sack_store::SackStore;
use crate::engine::event::Key;
use crate::engine::simulator::Simulator;
use crate::link::Offered;
use crate::link::short::Sent;
use crate::network::Observed;
use crate::observe::{Observation, Observer};
use crate::packet::{LinkId, Name, Names, Packet};
use crate::plan::{LinkSpec, Plan, PlanError, Topology};
use crate::queue::stored::Queued;
use crate::queue::{AckFilter, QueueSpec};
pub use measured::{MeasuredRelay, Real, Supply};

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The packet reaches the end of its route.
    Delivered {
        /// The number that the caller gave the packet.
        serial: u32,
        /// Time of its arrival.
        at: Time,
        /// The packet, with the mark that it may have got.
        packet: Packet,
    },
    /// The packet was dropped or lost.
    Gone {
        /// The number that the caller gave the packet.
        serial: u32,
    },
}

/// A hop of a route.
#[derive(Clone, Copy, Debug)]
struct Hop {
    link: LinkId,
    is_last: bool,
}

/// An event: the arrival of a packet at the end of a hop, or the end of a transmission. Events with equal keys are in the order
/// in which they were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    key: Key,
    order: u64,
    what: What,
}

/// Kinds of events. `at` is an index into the packets on their way, so that the heap moves little.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Arrival { slot: u32 },
    Departure { link: u32 },
}

/// The links of a plan.
#[derive(Debug)]
pub struct Relay {
    simulator: Simulator,
    /// The hops of all routes, and for each flow the first hop of its data and of its ACKs.
    hops: Vec<Hop>,
    routes: Vec<[Option<u32>; 2]>,
    pending: BinaryHeap<Reverse<Pending>>,
    order: u64,
    /// The packets between links, each with its hop, and the free places among them.
    moving: Vec<(Packet, u32)>,
    free: Vec<u32>,
    /// Always empty, since no queue filters ACKs.
    sacks: SackStore,
    fates: Vec<Fate>,
    now: Time,
}

impl Relay {
    /// The idle links of a plan at time 0. The random numbers of the links are those of a run with the same seed.
    ///
    /// # Errors
    /// If the plan contradicts itself, or has links that depend on endpoints: shared media, filters of ACKs, and flows
    /// that change their path.
    pub fn new(plan: &Plan, seed: u64) -> Result<Self, PlanError> {
        check(plan)?;
        let simulator = Simulator::of(plan, Names::default(), seed, Observed::All)?;
        let (mut hops, mut routes) = (Vec::new(), Vec::new());
        for flow in 0..plan.flows().count() {
            let data = simulator.data_links(flow).collect();
            routes.push([data, simulator.ack_links(flow)].map(|links: Vec<LinkId>| {
                let first = hops.len() as u32;
                let count = links.len();
                hops.extend(links.into_iter().enumerate().map(|(at, link)| Hop { link, is_last: at + 1 == count }));
                (count > 0).then_some(first)
            }));
        }
        Ok(Self {
            simulator,
            hops,
            routes,
            pending: BinaryHeap::new(),
            order: 0,
            moving: Vec::new(),
            free: Vec::new(),
            sacks: SackStore::default(),
            fates: Vec::new(),
            now: Time::ZERO,
        })
    }

    /// Whether packets of a flow may enter that go to its receiver, or back.
    pub fn carries(&self, flow: u32, back: bool) -> bool {
        self.routes.get(flow as usize).is_some_and(|route| route[usize::from(back)].is_some())
    }

    /// Lets a packet enter the network at `now`, which must not be before the last call. Everything before `now` happens
    /// first. `serial` identifies the packet in its [fate](Fate). `back` is whether it goes from the receiver to the sender.
    ///
    /// # Panics
    /// If the relay does not [carry](Self::carries) the packet.
    pub fn offer(&mut self, packet: Packet, serial: u32, back: bool, now: Time, observer: &mut impl Observer) {
        self.run(now, observer, Key::is_before_departures_at);
        let route = self.routes[packet.flow().0 as usize][usize::from(back)];
        self.enter(packet.with_serial(serial), route.expect("the relay carries the flow"), now, observer);
    }

    /// Time of the next event, if any packet is in the network.
    pub fn next(&self) -> Option<Time> {
        self.pending.peek().map(|Reverse(next)| next.key.at)
    }

    /// Lets everything happen that is due before `end`.
    pub fn advance(&mut self, end: Time, observer: &mut impl Observer) {
        self.run(end, observer, |key, end| key.at < end);
    }

    /// The fates since the last call, in the order of time.
    pub fn take_fates(&mut self) -> Vec<Fate> {
        take(&mut self.fates)
    }

    /// Returns the memory of the fates.
    pub fn put_back(&mut self, mut fates: Vec<Fate>) {
        fates.clear();
        if self.fates.is_empty() {
            self.fates = fates;
        }
    }

    /// Number of packets between links.
    pub fn moving(&self) -> usize {
        self.moving.len() - self.free.len()
    }

    fn run(&mut self, until: Time, observer: &mut impl Observer, is_due: impl Fn(&Key, Time) -> bool) {
        debug_assert!(until >= self.now, "the clock of a relay runs forward");
        self.now = self.now.max(until);
        while let Some(Reverse(next)) = self.pending.peek().copied().filter(|Reverse(next)| is_due(&next.key, until)) {
            self.pending.pop();
            match next.what {
                What::Departure { link } => self.serve(LinkId(link), true, next.key.at, observer),
                What::Arrival { slot } => {
                    self.free.push(slot);
                    let (packet, hop) = self.moving[slot as usize];
                    self.arrive(packet, hop, next.key.at, observer);
                }
            }
        }
    }

    fn add(&mut self, key: Key, what: What) {
        self.order += 1;
        self.pending.push(Reverse(Pending { key, order: self.order, what }));
    }

    /// A packet is on the way to the end of a hop, where it arrives at `at`.
    fn send(&mut self, packet: Packet, hop: u32, at: Time) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.moving.push((packet, hop));
            self.moving.len() as u32 - 1
        });
        self.moving[slot as usize] = (packet, hop);
        let name = name_of(self.hops[hop as usize].link);
        self.add(Key::of_arrival(at, name), What::Arrival { slot });
    }

    /// A packet reaches the end of a hop.
    fn arrive(&mut self, packet: Packet, hop: u32, now: Time, observer: &mut impl Observer) {
        if !self.hops[hop as usize].is_last {
            return self.enter(packet, hop + 1, now, observer);
        }
        self.fates.push(Fate::Delivered { serial: packet.serial(), at: now, packet });
    }

    fn lose(&mut self, packet: &Packet) {
        self.fates.push(Fate::Gone { serial: packet.serial() });
    }

    /// Offers a packet to the link of a hop.
    fn enter(&mut self, packet: Packet, hop: u32, now: Time, observer: &mut impl Observer) {
        let id = self.hops[hop as usize].link;
        let links = self.simulator.links();
        if let Some(Sent { start, end, arrival }) = links.take(id, packet.size(), now) {
            if observer.watches(id) {
                observer.accepted(now, id, &packet, start, end, arrival);
            }
            return self.send(packet, hop, arrival);
        }
        if let Some(link) = links.served(id) {
            let refused = link.offer(&packet, hop, now, &self.sacks);
            let needs_service = link.needs_service();
            if observer.watches(id) {
                let offered = refused.map_or(Offered::Queued, Offered::Dropped);
                observer.observe(now, &Observation::Offered { link: id, packet: &packet, offered });
            }
            if refused.is_some() {
                self.lose(&packet);
            } else if needs_service {
                self.serve(id, false, now, observer);
            }
            return;
        }
        let offered = links.offer(id, &packet, now);
        if observer.watches(id) {
            observer.observe(now, &Observation::Offered { link: id, packet: &packet, offered });
        }
        self.settle(packet, hop, offered);
    }

    /// Starts the next transmission of a link that stores packets, if the link is free. `is_event` is whether the last
    /// transmission ends now.
    fn serve(&mut self, id: LinkId, is_event: bool, now: Time, observer: &mut impl Observer) {
        let Some(link) = self.simulator.links().served(id) else { return };
        if is_event {
            link.fire(now);
        }
        let queued = link.take_next(now);
        let sent = queued.as_ref().map(|queued| link.send(&queued.packet, now));
        let due = link.take_due(now);
        let dropped = link.take_dropped();
        if let Some(at) = due {
            self.add(Key::of_departure(at, name_of(id)), What::Departure { link: id.0 });
        }
        for (Queued { packet, since, .. }, reason) in &dropped {
            if observer.watches(id) {
                let fate = Offered::Dropped(*reason);
                observer.observe(now, &Observation::Left { link: id, packet, since: *since, fate });
            }
            self.lose(packet);
        }
        if let Some(link) = self.simulator.links().served(id) {
            link.put_back(dropped);
        }
        let Some((Queued { packet, since, hop, marked }, (Sent { start, end, arrival }, lost))) = queued.zip(sent)
        else {
            return;
        };
        let fate = Offered::Accepted { start, end, arrival, marked, lost };
        if observer.watches(id) {
            observer.observe(now, &Observation::Left { link: id, packet: &packet, since, fate });
        }
        self.settle(packet, hop, fate);
    }

    /// Sends a packet on, or loses it.
    fn settle(&mut self, packet: Packet, hop: u32, offered: Offered) {
        match offered {
            Offered::Accepted { arrival, marked, lost: false, .. } => {
                self.send(if marked { packet.marked() } else { packet }, hop, arrival);
            }
            Offered::Accepted { lost: true, .. } | Offered::Dropped(_) => self.lose(&packet),
            Offered::Queued => unreachable!("only links that store packets queue them without a time"),
        }
    }
}

/// The global id of a link: a relay has the whole plan, so ids are global.
const fn name_of(LinkId(link): LinkId) -> Name {
    Name(link)
}

/// Refuses what needs endpoints of the engine.
fn check(plan: &Plan) -> Result<(), PlanError> {
    let refuse = |field: String, problem: &str| Err(PlanError::new(field, problem));
    let check_link = |name: String, link: &LinkSpec| {
        if link.medium.is_some() {
            return refuse(format!("{name}.medium"), "is not possible where packets come from outside");
        }
        match &link.queue {
            QueueSpec::Cake(cake) if cake.ack_filter != AckFilter::Off => {
                refuse(format!("{name}.queue.ack_filter"), "must be off where packets come from outside")
            }
            QueueSpec::Foreign(_) => refuse(format!("{name}.queue"), "must be one of the engine's"),
            _ => Ok(()),
        }
    };
    match &plan.topology {
        Topology::Dumbbell { bottleneck, reverse, access } => {
            let both = [("bottleneck", bottleneck), ("reverse", reverse)];
            both.into_iter().try_for_each(|(name, link)| check_link(format!("topology.{name}"), link))?;
            for (place, (up, down)) in access.iter().enumerate() {
                [up, down].into_iter().try_for_each(|link| check_link(format!("topology.access.{place}"), link))?;
            }
        }
        Topology::Graph { links, .. } => {
            for (place, edge) in links.iter().enumerate() {
                check_link(format!("topology.links.{place}"), &edge.link)?;
            }
        }
    }
    match plan.groups.iter().position(|group| group.changes.iter().any(|change| change.via.is_some())) {
        Some(place) => refuse(format!("groups.{place}.changes.via"), "is not possible where packets come from outside"),
        None => Ok(()),
    }
}
