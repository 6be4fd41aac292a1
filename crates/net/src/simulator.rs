//! The event loop.
//!
//! `flow.rs` implements the endpoints, `transit.rs` the network between them.

use std::hint::black_box;

use ackclock_tcp::{Ack, Counters, Sack, Sender};
use ackclock_units::Time;

use crate::agenda::{Agenda, Rounds};
use crate::clients::{Clients, Request};
use crate::event::{Event, Wakeup};
use crate::flow::Flow;
use crate::ideal::Ideal;
use crate::link::Link;
use crate::network::Network;
use crate::observe::Observer;
use crate::packet::{FlowId, LinkId, Names, Payload, SackId};
use crate::plan::{GroupSpec, Plan, PlanError, TransportSpec};
use crate::rate::LinkRate;
use crate::transit::{Destination, Hop, Transit};

/// Number of flows whose state fits into a cache. With more flows, data is prefetched for `BATCH` events at a time.
const FLOWS_IN_CACHE: usize = 20_000;
const BATCH: usize = 16;

/// A network during simulation.
#[derive(Debug)]
pub struct Simulator {
    flows: Vec<Flow>,
    /// The group of each flow.
    groups: Vec<u32>,
    clients: Clients,
    transit: Transit,
    rounds: Rounds,
    /// The current round, and the component being processed.
    round: u64,
    component: usize,
    /// Every component runs up to this time before the next step begins.
    now: Time,
    /// Number of events so far.
    events: u64,
}

impl Simulator {
    /// Builds the network of a plan at time 0. The same plan and seed give bit-identical runs.
    ///
    /// # Errors
    /// If the plan contradicts itself.
    pub fn new(plan: &Plan, seed: u64) -> Result<Self, PlanError> {
        Self::of(plan, Names::default(), seed)
    }

    /// Builds the network of a plan whose links and flows have the given global ids.
    pub(crate) fn of(plan: &Plan, names: Names, seed: u64) -> Result<Self, PlanError> {
        let Network { mut flows, groups, clients, mut transit, rounds } = Network::new(plan, names, seed)?;
        for flow in &mut flows {
            flow.arm(Time::ZERO, &mut transit);
        }
        for (at, flow) in clients.first_requests() {
            transit.wake(at, flow, Wakeup::Request);
        }
        for agenda in &mut transit.agendas {
            agenda.begin(0);
        }
        let component = transit.agendas.len();
        Ok(Self { flows, groups, clients, transit, rounds, round: 0, component, now: Time::ZERO, events: 0 })
    }

    /// Runs all events before `end`, round by round, and within a round component by component.
    pub fn run_until(&mut self, end: Time, observer: &mut impl Observer) {
        while !self.run_some(end, u64::MAX, observer) {}
    }

    /// Runs at most `most` events before `end`. Returns whether all were processed; if not, the next call continues at
    /// the same event, and its `end` must not be earlier.
    ///
    /// Results do not depend on where a run is interrupted.
    pub fn run_some(&mut self, end: Time, most: u64, observer: &mut impl Observer) -> bool {
        let last = self.events.saturating_add(most);
        loop {
            while self.component < self.transit.agendas.len() {
                if let Some((FlowId(flow), now)) = self.transit.cut.take() {
                    self.events += 1;
                    self.flows[flow as usize].go_on(now, &mut self.transit, observer);
                } else if self.run_component(last, observer) {
                    self.component += 1;
                }
                if self.events >= last {
                    return false;
                }
            }
            if self.now == self.rounds.end(self.round) {
                // skip rounds without events
                let (agendas, last) = (&self.transit.agendas, self.rounds.of(end));
                let first = agendas.iter().filter_map(Agenda::next_round).min().unwrap_or(last);
                let is_busy = |round: &u64| agendas.iter().any(|agenda| !agenda.is_idle_in(*round));
                self.round = (first..=last).find(is_busy).unwrap_or(last);
                for agenda in &mut self.transit.agendas {
                    agenda.begin(self.round);
                }
            }
            if self.now >= end {
                return true;
            }
            self.now = end.min(self.rounds.end(self.round));
            self.component = 0;
        }
    }

    /// Runs the events of the current component before [`now`](Self::now) in time order, until `last` events have run
    /// or a turn is cut. Returns whether all were processed.
    #[inline(never)]
    fn run_component(&mut self, last: u64, observer: &mut impl Observer) -> bool {
        let (component, end) = (self.component, self.now);
        (self.transit.until, self.transit.last) = (end, last);
        let many = self.flows.len() > FLOWS_IN_CACHE;
        let mut event = Event::NONE;
        while self.events < self.transit.last {
            if !self.transit.agendas[component].take_before(end, &mut event) {
                return true;
            }
            self.events += 1;
            if event.wakeup() == Wakeup::Arrival {
                if many {
                    self.fetch(component);
                }
                self.arrive(&event, observer);
            } else {
                self.wake(&event, observer);
            }
        }
        false
    }

    /// Prefetches, once per batch, the data that the next arrivals will touch. Memory requests made together take
    /// hardly longer than one.
    #[inline(always)]
    fn fetch(&mut self, component: usize) {
        let agenda = &mut self.transit.agendas[component];
        if let Some(late) = agenda.next_late(BATCH) {
            self.look(&self.transit.agendas[component].late()[late]);
        }
        let arrivals = self.transit.agendas[component].ahead();
        if arrivals.len().is_multiple_of(BATCH) && !arrivals.is_empty() {
            self.look(&arrivals[..BATCH]);
        }
    }

    fn look(&self, events: &[Event]) {
        let Self { flows, transit, .. } = self;
        let (mut seen, hop) = (0, |event: &Event| event.hop() as usize);
        for event in events {
            seen ^= if event.wakeup() != Wakeup::Arrival || transit.hops[hop(event)] == Hop::Sender {
                flows[event.packet.flow.0 as usize].look()
            } else {
                transit.destinations[event.packet.flow.0 as usize].look()
            };
        }
        for event in events.iter().filter(|event| event.wakeup() == Wakeup::Arrival) {
            let (from, count) = match transit.hops[hop(event)] {
                Hop::Sender => (flows[event.packet.flow.0 as usize].data_hop as usize, 1),
                Hop::Link { .. } | Hop::Receiver => (hop(event), 4),
            };
            for hop in transit.hops[from..].iter().take(count) {
                if let Hop::Link { link, .. } = hop {
                    seen ^= transit.links.look(*link);
                }
            }
        }
        black_box(seen);
    }

    /// Wakes an endpoint.
    #[inline(never)]
    fn wake(&mut self, event: &Event, observer: &mut impl Observer) {
        let Self { flows, transit, .. } = self;
        match event.wakeup() {
            Wakeup::DelayedAck => transit.delayed_ack(event.packet.flow, event.at, observer),
            Wakeup::Request => self.request(event.packet.flow, event.at, observer),
            Wakeup::Close => self.close(event.packet.flow, event.at, observer),
            wakeup => flows[event.packet.flow.0 as usize].wake(wakeup, event.at, transit, observer),
        }
    }

    /// Handles a client's request, which opens a connection or waits for one to close.
    fn request(&mut self, client: FlowId, now: Time, observer: &mut impl Observer) {
        let Self { flows, clients, transit, .. } = self;
        let (opens, next) = clients.request(client);
        transit.wake(next, client, Wakeup::Request);
        if let Some((FlowId(flow), Request { at, packets })) = opens {
            flows[flow as usize].open(at, packets, now, transit, observer);
        }
    }

    /// Closes a connection; a waiting request, if there is one, opens the next.
    fn close(&mut self, flow: FlowId, now: Time, observer: &mut impl Observer) {
        let Self { flows, clients, transit, .. } = self;
        let own = &mut flows[flow.0 as usize];
        if let Some(Request { at, packets }) = clients.close(flow, own.close()) {
            own.open(at, packets, now, transit, observer);
        }
    }

    /// Handles the arrival of a packet at a hop: an ACK at its sender, or a packet to be forwarded.
    #[inline(always)]
    fn arrive(&mut self, event: &Event, observer: &mut impl Observer) {
        let Self { flows, transit, .. } = self;
        let (now, hop, packet) = (event.at, event.hop(), &event.packet);
        match (transit.hops[hop as usize], packet.payload) {
            (Hop::Sender, Payload::Ack { next, sack, connection }) => {
                let sack = if sack == SackId::NONE { &Sack::NONE } else { &transit.sacks.take(sack) };
                flows[packet.flow.0 as usize].acknowledged(Ack { next, sack }, connection, now, transit, observer);
            }
            _ => transit.forward(packet, hop, now, observer),
        }
    }

    /// Number of events so far.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// The time that all components have reached or will reach in the current step.
    pub(crate) const fn now(&self) -> Time {
        self.now
    }

    /// Memory of packets and wake-ups in flight, in bytes.
    pub(crate) fn held_in_flight(&self) -> usize {
        self.transit.agendas.iter().map(Agenda::held).sum::<usize>() + self.transit.sacks.held()
    }

    /// Memory of the endpoints and links in bytes, excluding data in flight. Visits each of them.
    pub(crate) fn held_by_components(&self) -> usize {
        let Transit { links, hops, destinations, .. } = &self.transit;
        size_of_val(&self.flows[..])
            + size_of_val(&hops[..])
            + size_of_val(&destinations[..])
            + self.flows.iter().map(Flow::held).sum::<usize>()
            + destinations.iter().map(Destination::held).sum::<usize>()
            + links.held()
            + self.clients.held()
    }

    /// Number of endpoints and links, and of components.
    pub(crate) fn components(&self) -> (usize, usize) {
        (self.flows.len() + self.transit.links.len(), self.transit.agendas.len())
    }

    /// A link, for inspection of its state.
    pub fn link(&mut self, link: LinkId) -> &mut Link {
        self.transit.link(link)
    }

    /// Transmission rate of a link.
    pub(crate) fn rate(&self, link: LinkId) -> &LinkRate {
        self.transit.links.line(link).rate
    }

    /// Sender of a flow, for inspection of its state; `None` for UDP.
    pub fn sender(&self, flow: FlowId) -> Option<&Sender> {
        self.flows[flow.0 as usize].sender()
    }

    /// Number of packets of a flow that are settled: in order at its receiver, or sent by UDP.
    pub(crate) fn settled(&self, flow: usize) -> u64 {
        self.transit.received(flow).unwrap_or_else(|| self.flows[flow].supplied())
    }

    /// Number of packets that a flow's source has offered before `end`, which is not in the past; counting stops at
    /// `enough`.
    pub(crate) fn offered(&self, flow: usize, end: Time, enough: u64) -> u64 {
        self.flows[flow].offered(end, enough)
    }

    /// Counters of a flow's senders so far, including closed connections.
    pub fn counters(&self, flow: FlowId) -> Counters {
        self.clients.past(flow).plus(self.sender(flow).map(Sender::counters).unwrap_or_default())
    }

    /// The clients that open connections.
    pub(crate) const fn clients(&self) -> &Clients {
        &self.clients
    }

    /// The group of each flow.
    pub(crate) fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// Start time of a flow's source; the simulator must be at time 0.
    pub(crate) fn start(&self, flow: usize) -> Time {
        self.flows[flow].feed.due().unwrap_or(Time::ZERO)
    }

    /// The minimum times in which the path of a flow can carry a transfer.
    pub(crate) fn ideal(&self, flow: usize, group: &GroupSpec, end: Time) -> Ideal {
        let TransportSpec::Tcp { sender, .. } = &group.transport else { return Ideal::default() };
        let links = |hop| self.transit.links_from(hop).map(|link| self.transit.links.line(link));
        let data = links(self.flows[flow].data_hop);
        let acks = self.transit.destinations[flow].ack_hop().into_iter().flat_map(links);
        Ideal::of(data, acks, group.packet_size, sender.handshake, end)
    }

    /// The links that a flow's data crosses.
    pub(crate) fn data_links(&self, flow: usize) -> impl Iterator<Item = LinkId> {
        self.transit.links_from(self.flows[flow].data_hop)
    }
}
