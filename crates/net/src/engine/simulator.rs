//! The event loop.
//!
//! `flow.rs` implements the endpoints, `transit.rs` the network between them.

use std::ops::Range;
use std::sync::Arc;

use ackclock_tcp::{Ack, Counters, Limit, RoundTrips, Sack, Sender};
use ackclock_units::Time;
use ackclock_units::failure::{Failure, Failures};
use ackclock_units::prefetch::prefetch;

use crate::endpoint::application::Application;
use crate::endpoint::clients::{Clients, Request};
use crate::endpoint::pages::AfterObject;
use crate::endpoint::sink::{Deliveries, Sinks};
use crate::engine::agenda::{Agenda, Rounds};
use crate::engine::event::{Event, Targets, Wakeup};
use crate::engine::flow::Flow;
use crate::engine::flow_changes::{Due, FlowChanges};
use crate::engine::hop::Hop;
use crate::engine::transit::{ENDPOINTS, Transit};
use crate::link::links::{Inspected, Links};
use crate::link::rate::LinkRate;
use crate::network::ideal::Ideal;
use crate::network::{Network, Observed};
use crate::observe::{Observation, Observer};
use crate::packet::{FlowId, LinkId, Names, Packet, SackId};
use crate::plan::{GroupSpec, Plan, PlanError, TransportSpec};
use crate::source::{Playback, Transfer};

/// Number of flows whose state fits into a cache. With more flows, data is prefetched.
pub(crate) const FLOWS_IN_CACHE: usize = 1_000;
/// Number of events between the stages of prefetching: an event takes less time than a request to memory.
const AHEAD: usize = 4;
/// Number of hops of a route for which links are prefetched.
const MOST_IN_STEP: usize = 4;

/// A network during simulation.
#[derive(Debug)]
pub struct Simulator {
    flows: Vec<Flow>,
    clients: Clients,
    changes: FlowChanges,
    transit: Transit,
    rounds: Rounds,
    /// The current round, and the component being processed.
    round: u64,
    component: usize,
    /// By how much earlier the rounds of components begin, at most.
    skew: Time,
    /// All components have reached this time, or will reach it in the current round.
    now: Time,
    /// Number of events so far.
    events: u64,
    failures: Arc<Failures>,
    /// Counters of the flows, if their endpoints are outside the engine ([`relay`](crate::relay)).
    outside: Option<Box<[Counters]>>,
}

impl Simulator {
    /// Builds the network of a plan at time 0. The same plan and seed give bit-identical runs.
    ///
    /// # Errors
    /// If the plan contradicts itself.
    pub fn new(plan: &Plan, seed: u64) -> Result<Self, PlanError> {
        Self::of(plan, Names::default(), seed, Observed::All)
    }

    /// Builds the network of a plan whose links and flows have the given global ids.
    pub(crate) fn of(plan: &Plan, names: Names, seed: u64, observed: Observed) -> Result<Self, PlanError> {
        let network = Network::new(plan, names, seed, observed)?;
        let Network { mut flows, clients, changes, mut transit, rounds, failures } = network;
        for flow in &mut flows {
            flow.arm(Time::ZERO, &mut transit);
            flow.await_pause(&mut transit);
        }
        for (at, flow) in clients.first_requests() {
            transit.wake(at, flow, Wakeup::Request);
        }
        for (at, flow) in changes.first() {
            transit.wake(at, flow, Wakeup::Change);
        }
        let targets = Targets { hops: &transit.hops, names: &transit.names };
        transit.agenda.begin(0, targets);
        let skew = transit.agenda.most_skew();
        let (round, component, now, events) = (0, 0, Time::ZERO, 0);
        Ok(Self {
            flows,
            clients,
            changes,
            transit,
            rounds,
            round,
            component,
            skew,
            now,
            events,
            failures,
            outside: None,
        })
    }

    /// Runs all events before `end`, round by round, and within a round component by component.
    pub fn run_until(&mut self, end: Time, observer: &mut impl Observer) {
        while !self.run_some(end, u64::MAX, observer) {}
    }

    /// Runs at most `most` events before `end`. Returns whether all were processed; if not, the next call continues at
    /// the same event, and its `end` must be the same.
    ///
    /// Results do not depend on where a run is interrupted.
    pub fn run_some(&mut self, end: Time, most: u64, observer: &mut impl Observer) -> bool {
        let last = self.events.saturating_add(most);
        loop {
            let round_end = self.rounds.end(self.round);
            self.now = self.now.max(end.min(round_end.saturating_sub(self.skew)));
            while self.component < self.transit.agenda.components() {
                let skew = self.transit.agenda.skew(self.component);
                self.transit.until = end.min(round_end.saturating_sub(skew));
                self.transit.agenda.switch(self.component);
                let is_done = self.run_component(last, end, observer);
                self.transit.agenda.switch(self.component);
                self.component += usize::from(is_done);
                if self.events >= last {
                    return false;
                }
            }
            self.component = 0;
            let until = end.saturating_add(self.skew);
            let Transit { agenda, hops, names, .. } = &mut self.transit;
            if round_end < until {
                self.round = agenda.begin_next(self.rounds.of(until), Targets { hops, names });
                continue;
            }
            if self.skew > Time::ZERO {
                self.round = self.rounds.of(end);
                agenda.rewind(self.round, Targets { hops, names });
            }
            return true;
        }
    }

    /// Runs the events of the current component before [`until`](Transit::until) in time order, until `last` events have run
    /// or a turn is cut; a turn that was cut continues first. Returns whether all were processed.
    fn run_component(&mut self, last: u64, end: Time, observer: &mut impl Observer) -> bool {
        if let Some((FlowId(flow), now)) = self.transit.cut.take() {
            self.events += 1;
            self.flows[flow as usize].resume_turn(now, &mut self.transit, observer);
            return false;
        }
        self.transit.last = last;
        if self.component == ENDPOINTS {
            self.transit.ahead.done = self.transit.until;
            self.run_endpoints(observer);
        } else {
            self.transit.ahead.stop = if observer.orders_endpoints() { Time::ZERO } else { end };
            let until = self.transit.until;
            self.run_links(observer);
            while self.transit.until < until {
                self.transit.until = until;
                self.run_links(observer);
            }
            self.transit.ahead.stop = Time::ZERO;
        }
        self.events < self.transit.last
    }

    /// Runs the component of the endpoints, and of the links that are merged with it. Apart from
    /// [`run_links`](Self::run_links), since each loop inlines its own copy of the path of a packet.
    #[inline(never)]
    fn run_endpoints(&mut self, observer: &mut impl Observer) {
        let many = self.flows.len() > FLOWS_IN_CACHE;
        while self.events < self.transit.last
            && let Some(place) = self.transit.take_before(self.transit.until)
        {
            self.events += 1;
            if many {
                self.prefetch(self.transit.agenda.ahead());
            }
            let event = *self.transit.agenda.event(place);
            if event.is_arrival() {
                let packet = event.packet(&self.transit.sacks);
                let stop = event.stop();
                if stop.is_sender() {
                    self.handle_ack(&packet, event.at, observer);
                } else if stop.is_link() {
                    self.transit.forward_apart(&packet, stop.0, event.at, observer);
                } else {
                    self.transit.deliver_apart(packet, event.at, observer);
                }
            } else {
                self.wake(event, observer);
            }
        }
    }

    /// Runs a component of links, until a sender that acts ahead of the clock has taken further events: then `until` is
    /// earlier, and the number of events that are left must be computed again.
    #[inline(never)]
    fn run_links(&mut self, observer: &mut impl Observer) {
        let many = self.flows.len() > FLOWS_IN_CACHE;
        loop {
            let (words, first) = self.transit.agenda.lend();
            let mut end = words.len().min(first.saturating_add(self.events_left()));
            let mut left = &words[first..end];
            while let Some((word, later)) = left.split_first() {
                let event = *self.transit.agenda.event(*word as u32);
                if event.at >= self.transit.until {
                    break;
                }
                if self.transit.agenda.has_new(event.at) {
                    // a tie is broken below
                    if !self.transit.agenda.has_new_before(event.at) {
                        break;
                    }
                    self.handle_new(observer);
                    // this event counts too, so fewer of the known ones may be processed
                    let taken = end - left.len();
                    end = end.min(first.saturating_add(self.events_left())).max(taken);
                    left = &words[taken..end];
                    continue;
                }
                if many {
                    self.prefetch(later);
                }
                left = later;
                if event.is_departure() {
                    self.transit.depart(event.link(), event.at, observer);
                } else {
                    let packet = event.packet(&self.transit.sacks);
                    self.transit.forward_to_receiver(&packet, event.stop().0, event.at, observer);
                }
                if self.transit.ahead.has_reached() {
                    self.act_ahead(observer);
                }
            }
            let taken = end - left.len();
            self.events += (taken - first) as u64;
            self.transit.agenda.take_back(words, taken);
            if self.events >= self.transit.last || self.transit.agenda.is_next_known() {
                return;
            }
            let Some(place) = self.transit.take_before(self.transit.until) else { return };
            self.handle_at_link(place, observer);
        }
    }

    /// The number of events before the next interruption.
    #[inline(always)]
    fn events_left(&self) -> usize {
        usize::try_from(self.transit.last.saturating_sub(self.events)).unwrap_or(usize::MAX)
    }

    /// Handles the next event that a component of links added in the current round.
    #[inline(never)]
    fn handle_new(&mut self, observer: &mut impl Observer) {
        if let Some(place) = self.transit.take_new() {
            self.handle_at_link(place, observer);
        }
    }

    /// Handles an event of a component of links.
    #[inline(always)]
    fn handle_at_link(&mut self, place: u32, observer: &mut impl Observer) {
        self.events += 1;
        let event = self.transit.agenda.event(place);
        if event.is_departure() {
            self.transit.depart(event.link(), event.at, observer);
        } else {
            self.handle_arrival(place, observer);
        }
        if self.transit.ahead.has_reached() {
            self.act_ahead(observer);
        }
    }

    /// Handles an ACK that has reached its sender within this event, if nothing else happens at the sender before.
    #[inline(never)]
    fn act_ahead(&mut self, observer: &mut impl Observer) {
        let Some((ack, at, next_ack)) = self.transit.ahead.take() else { return };
        let Some(next) = self.flows[ack.flow().0 as usize].free_until(at) else {
            return self.transit.add_ack(&ack, at);
        };
        self.transit.ahead.begin(next.min(next_ack));
        let last = self.transit.last;
        self.handle_ack(&ack, at, observer);
        if self.transit.cut.is_some() {
            self.resume_ahead(last, observer);
        }
        self.transit.ahead.end();
    }

    /// Continues a turn that was cut ahead of the clock, where a run is not interrupted before its event `last`. Each
    /// continuation counts as an event, as it does elsewhere: the memory is checked after a number of events. It takes the
    /// place of known events, so the loop over them [begins again](Self::run_links).
    #[cold]
    #[inline(never)]
    fn resume_ahead(&mut self, last: u64, observer: &mut impl Observer) {
        while let Some((FlowId(flow), now)) = self.transit.cut.take() {
            self.events += 1;
            self.flows[flow as usize].resume_turn(now, &mut self.transit, observer);
        }
        (self.transit.last, self.transit.until) = (last, Time::ZERO);
    }

    /// Handles an arrival at a link. Apart from the departures, which need no memory for a packet.
    #[inline(never)]
    fn handle_arrival(&mut self, place: u32, observer: &mut impl Observer) {
        let event = *self.transit.agenda.event(place);
        let packet = event.packet(&self.transit.sacks);
        self.transit.forward_apart(&packet, event.stop().0, event.at, observer);
    }

    /// Prefetches what later events will touch. `words` are the words of the next events. The event is requested first,
    /// then the flow that it names, then the links of the flow's route and what the flow has in memory of its own, and last
    /// what this refers to.
    #[inline(never)]
    fn prefetch(&self, words: &[u64]) {
        let Self { flows, transit, .. } = self;
        let event = |ahead: usize| words.get(ahead).map(|word| transit.agenda.event(*word as u32));
        let of_flow = |ahead: usize| event(ahead).filter(|event| !event.is_departure());
        if let Some(event) = event(4 * AHEAD) {
            prefetch(event);
        }
        if let Some(event) = of_flow(3 * AHEAD) {
            let FlowId(flow) = event.flow();
            if event.is_for_sender() {
                prefetch(&flows[flow as usize]);
            } else {
                transit.sinks.prefetch(event.flow());
                transit.hops.get(event.stop().index()).into_iter().for_each(prefetch);
            }
        }
        if let Some(event) = of_flow(2 * AHEAD) {
            if event.is_for_sender() {
                let flow = &flows[event.flow().0 as usize];
                flow.prefetch();
                transit.prefetch_links(flow.data_hop() as usize, 1);
            } else {
                transit.sinks.prefetch_record(event.flow());
                transit.prefetch_links(event.stop().index(), MOST_IN_STEP);
            }
        }
        if let Some(event) = of_flow(AHEAD) {
            if event.is_for_sender() {
                flows[event.flow().0 as usize].prefetch_records();
            } else {
                transit.sinks.prefetch_rules(event.flow());
            }
        }
    }

    /// Wakes an endpoint, or a link of the endpoints' component.
    #[inline(never)]
    fn wake(&mut self, event: Event, observer: &mut impl Observer) {
        let Self { flows, transit, .. } = self;
        let (now, flow) = (event.at, event.flow());
        if event.is_departure() {
            return transit.depart(event.link(), now, observer);
        }
        match event.wakeup() {
            Wakeup::DelayedAck => transit.delayed_ack(flow, now, observer),
            Wakeup::Request => self.request(flow, now, observer),
            Wakeup::Close => self.close(flow, now, observer),
            Wakeup::Pause => flows[flow.0 as usize].pause(now, transit, observer),
            Wakeup::Change => self.change(flow, now),
            wakeup => flows[flow.0 as usize].wake(wakeup, now, transit, observer),
        }
    }

    /// Changes the law or the path of a flow.
    fn change(&mut self, flow: FlowId, now: Time) {
        let Due { sender, route, next } = self.changes.due(flow, now);
        let own = &mut self.flows[flow.0 as usize];
        if let Some(sender) = sender {
            own.retune(sender);
        }
        if let Some((data, acks)) = route {
            own.take_route(data);
            self.transit.sinks.take_route(flow, acks);
        }
        if let Some(next) = next {
            self.transit.wake(next, flow, Wakeup::Change);
        }
    }

    /// Handles a client's request, which opens a connection or waits for one to close.
    fn request(&mut self, client: FlowId, now: Time, observer: &mut impl Observer) {
        let Self { flows, clients, transit, .. } = self;
        let (opens, next) = clients.request(client);
        if let Some(next) = next {
            transit.wake(next, client, Wakeup::Request);
        }
        if let Some((FlowId(flow), Request { at, packets })) = opens {
            flows[flow as usize].open(at, packets, now, transit, observer);
        }
    }

    /// Handles the completion of a transfer that a client requested. Its connection closes, and a waiting request, if there
    /// is one, opens the next; the connections of a page close with the page.
    fn close(&mut self, flow: FlowId, now: Time, observer: &mut impl Observer) {
        let Self { flows, clients, transit, .. } = self;
        match clients.complete_object(flow, now) {
            Some(AfterObject::Requests(connections)) => {
                // each in an event of its own, as a flow may act ahead of the clock if no other event is due
                for flow in connections {
                    transit.wake(now, flow, Wakeup::Request);
                }
                return;
            }
            Some(AfterObject::Ends { client, since, connections, next }) => {
                for flow in connections {
                    clients.add_past(flow, flows[flow.0 as usize].close(now));
                }
                observer.observe(now, &Observation::PageEnds { client, since });
                transit.wake(next, client, Wakeup::Request);
                return;
            }
            None => {}
        }
        let own = &mut flows[flow.0 as usize];
        if let Some(Request { at, packets }) = clients.close(flow, own.close(now)) {
            own.open(at, packets, now, transit, observer);
        }
    }

    /// Handles an ACK that reaches its sender.
    #[inline(always)]
    fn handle_ack(&mut self, packet: &Packet, now: Time, observer: &mut impl Observer) {
        let Self { flows, transit, .. } = self;
        let sack = if packet.sack() == SackId::NONE { &Sack::NONE } else { &transit.sacks.take(packet.sack()) };
        let ack = Ack { sack, ..Ack::cumulative(packet.number()) };
        flows[packet.flow().0 as usize].handle_ack(ack, packet, now, transit, observer);
    }

    /// The first failure of a law from outside the engine. The rest of such a run has no meaning.
    pub fn failure(&self) -> Option<&Failure> {
        self.failures.first()
    }

    /// Number of events so far.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// The time that all components have reached, or will reach in the current round.
    pub(crate) const fn now(&self) -> Time {
        self.now
    }

    /// Memory of packets and wake-ups in flight, in bytes.
    pub(crate) fn memory_in_flight(&self) -> usize {
        let Transit { agenda, sacks, delays, .. } = &self.transit;
        agenda.memory() + sacks.memory() + delays.memory()
    }

    /// Frees the memory of packets and wake-ups in flight, at the end of a run.
    pub(crate) fn drop_in_flight(&mut self) {
        self.transit.agenda = Agenda::new(&[], self.rounds);
    }

    /// Memory of the endpoints and links in bytes, excluding data in flight. Visits each of them.
    pub(crate) fn memory_of_components(&self) -> usize {
        let Transit { links, hops, sinks, ahead, .. } = &self.transit;
        size_of_val(&self.flows[..])
            + size_of_val(&hops[..])
            + self.flows.iter().map(Flow::memory).sum::<usize>()
            + sinks.memory()
            + links.memory()
            + ahead.memory()
            + self.clients.memory()
            + self.changes.memory()
    }

    /// Number of endpoints and links, and of components.
    pub(crate) fn components(&self) -> (usize, usize) {
        (self.flows.len() + self.transit.links.len(), self.transit.agenda.components())
    }

    /// A link, for inspection of its state.
    pub fn link(&mut self, link: LinkId) -> Inspected<'_> {
        self.transit.link(link)
    }

    /// Transmission rate of a link.
    pub(crate) fn rate(&self, link: LinkId) -> &LinkRate {
        self.transit.links.line(link).rate
    }

    /// Air time of a link that shares a medium, and busy time of the medium, in the measured time.
    pub(crate) fn air(&self, link: LinkId) -> Option<[Time; 2]> {
        self.transit.links.air(link)
    }

    /// Sender of a flow, for inspection of its state; `None` for UDP.
    pub fn sender(&self, flow: FlowId) -> Option<&Sender> {
        self.flows[flow.0 as usize].sender()
    }

    /// Number of packets of a flow that are settled: in order at its receiver, or sent by UDP.
    pub(crate) fn settled(&self, flow: usize) -> u64 {
        self.transit.sinks.received(flow).unwrap_or_else(|| self.flows[flow].supplied())
    }

    /// Data delivered to a flow's receiver in the measured time.
    pub(crate) fn deliveries(&self, flow: usize) -> Deliveries {
        self.transit.sinks.deliveries(flow)
    }

    /// Packets of a flow that were delivered before the measured time, in order or as duplicates.
    pub(crate) fn delivered_before(&self, flow: usize) -> u64 {
        self.transit.sinks.before(flow)
    }

    /// The largest number of settled packets of a flow. Visits each flow.
    pub(crate) fn most_settled(&self) -> u64 {
        (0..self.flows.len()).map(|flow| self.settled(flow)).max().unwrap_or(0)
    }

    /// Number of packets that a flow's source has offered before `end`, which is not in the past; counting stops at
    /// `enough`.
    pub(crate) fn offered(&self, flow: usize, end: Time, enough: u64) -> u64 {
        self.flows[flow].offered(end, enough)
    }

    /// Counters of a flow's senders so far, including closed connections.
    pub fn counters(&self, flow: FlowId) -> Counters {
        if let Some(outside) = &self.outside {
            return outside[flow.0 as usize];
        }
        self.clients.past(flow).plus(self.sender(flow).map(Sender::counters).unwrap_or_default())
    }

    /// The time for which each reason limited a flow's sender up to `now`, which is not in the past: since time 0, or
    /// since the limits were [restarted](Self::restart_limits); `None` for UDP.
    pub fn limits(&self, flow: usize, now: Time) -> Option<[Time; Limit::ALL.len()]> {
        self.flows[flow].sender().filter(|_| self.outside.is_none()).map(|sender| sender.limits(now))
    }

    /// Counts the times of the [limits](Self::limits) from `now` on.
    pub fn restart_limits(&mut self, now: Time) {
        self.flows.iter_mut().for_each(|flow| flow.restart_limits(now));
    }

    /// Forgets the round-trip samples so far, which the counters contain.
    pub(crate) fn restart_round_trips(&mut self) {
        self.flows.iter_mut().for_each(Flow::restart_round_trips);
        self.outside.iter_mut().flatten().for_each(|counters| counters.round_trips = RoundTrips::default());
        self.clients.restart_round_trips();
    }

    /// Requests made before `end`, at which the simulator is, that wait for earlier transfers of their flow.
    pub(crate) fn waiting_requests(&self, end: Time) -> impl Iterator<Item = (FlowId, Transfer)> {
        let of_flow = move |(flow, each): (u32, &Flow)| {
            each.application.waiting(end).into_iter().map(move |request| (FlowId(flow), request))
        };
        (0..).zip(&self.flows[..]).flat_map(of_flow)
    }

    /// What the clients of videos did since their last reports, until `end`, at which the simulator is.
    pub(crate) fn playbacks(&self, end: Time) -> impl Iterator<Item = (FlowId, Playback)> {
        let of_flow = move |(flow, each): (u32, &Flow)| Some((FlowId(flow), each.application.playback(end)?));
        (0..).zip(&self.flows[..]).filter_map(of_flow)
    }

    /// The clients that open connections.
    pub(crate) const fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Leaves the endpoints to the caller, who counts their events.
    pub(crate) fn leave_endpoints(&mut self) {
        self.outside = Some(vec![Counters::default(); self.flows.len()].into());
    }

    /// The counters of a flow whose endpoints are outside the engine.
    pub(crate) fn outside(&mut self, FlowId(flow): FlowId) -> &mut Counters {
        &mut self.outside.as_mut().expect("the endpoints are outside")[flow as usize]
    }

    /// The application of a flow whose endpoints are outside the engine.
    pub(crate) fn application(&mut self, FlowId(flow): FlowId) -> &mut Application {
        &mut self.flows[flow as usize].application
    }

    /// The links.
    pub(crate) const fn links(&mut self) -> &mut Links {
        &mut self.transit.links
    }

    /// The receiving ends of the flows.
    pub(crate) const fn sinks(&mut self) -> &mut Sinks {
        &mut self.transit.sinks
    }

    /// Start time of a flow's source; the simulator must be at time 0.
    pub(crate) fn start(&self, flow: usize) -> Time {
        self.flows[flow].application.due().unwrap_or(Time::ZERO)
    }

    /// The periods before `end` in which a flow's source is active; the simulator must be at time 0.
    pub(crate) fn periods(&self, flow: usize, end: Time) -> Vec<Range<Time>> {
        self.flows[flow].application.periods(end)
    }

    /// The minimum times in which the first path of a flow can carry a transfer. The simulator must be at time 0.
    pub(crate) fn ideal(&self, flow: usize, group: &GroupSpec, end: Time) -> Ideal {
        let TransportSpec::Tcp { sender, .. } = &group.transport else { return Ideal::default() };
        let links = |hop| Hop::links_from(&self.transit.hops, hop).map(|link| self.transit.links.line(link));
        let data = links(self.flows[flow].data_hop());
        let acks = self.transit.sinks.ack_hop(flow).into_iter().flat_map(links);
        Ideal::of(data, acks, group.packet_size, sender.handshake, end)
    }

    /// The links that a flow's data crosses, on any of its ways. The simulator must be at time 0.
    pub(crate) fn data_links(&self, flow: usize) -> impl Iterator<Item = LinkId> {
        let later = self.changes.routes(FlowId(flow as u32)).iter().map(|(data, _)| *data);
        let hops = [self.flows[flow].data_hop()].into_iter().chain(later);
        hops.flat_map(|hop| Hop::links_from(&self.transit.hops, hop))
    }

    /// The links that a flow's ACKs cross at the start.
    pub(crate) fn ack_links(&self, flow: usize) -> Vec<LinkId> {
        let hop = self.transit.sinks.ack_hop(flow).into_iter();
        hop.flat_map(|hop| Hop::links_from(&self.transit.hops, hop)).collect()
    }
}
