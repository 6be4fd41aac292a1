//! A relay that measures: it makes the outcome of a simulated run from packets that come from outside.

use std::collections::VecDeque;
use std::sync::Arc;

use ackclock_tcp::{Ecn, Segment};
use ackclock_units::{Role, Stream, Time};

use super::{Fate, Relay};
use crate::endpoint::sink::Received;
use crate::engine::outcome::Outcome;
use crate::observe::{self, Observation, Observer, Watchers};
use crate::packet::{FlowId, MAX_SEGMENTS, Packet, Payload, SackId};
use crate::plan::{Plan, PlanError, TransportSpec};
use crate::sizes::LONGEST;
use crate::source::Source;

/// A packet from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Real {
    /// Number of its flow.
    pub flow: u32,
    /// Whether it goes from the receiver to the sender.
    pub ack: bool,
    /// Whether it is data or a SYN of the sender. Other packets of the sender carry nothing that is measured.
    pub data: bool,
    /// Whether it is the SYN of the sender.
    pub syn: bool,
    /// Size on the wire in bytes.
    pub size: u32,
    /// Number of its segment, from 0, or the number of segments that it acknowledges.
    pub number: u64,
    /// The ECN field.
    pub ecn: Ecn,
}

/// A data packet that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    number: u64,
    sent: Time,
    again: bool,
}

/// What a relay knows of a flow.
#[derive(Clone, Debug, Default)]
struct Flow {
    /// The number of the first segment after all that were sent.
    next: u64,
    /// Data that is not acknowledged, in ascending order of numbers.
    in_flight: VecDeque<InFlight>,
    is_open: bool,
}

/// A relay whose packets are measured and recorded.
#[derive(Debug)]
pub struct MeasuredRelay {
    relay: Relay,
    watchers: Watchers,
    plan: Arc<Plan>,
    seed: u64,
    flows: Vec<Flow>,
    /// Whether each flow is TCP, and whether its SYN takes a number.
    is_tcp: Vec<(bool, bool)>,
    now: Time,
}

impl MeasuredRelay {
    /// The relay of a plan. The run is measured and recorded as the plan says.
    ///
    /// # Errors
    /// As [`Relay::new`].
    pub fn new(plan: Arc<Plan>, seed: u64) -> Result<Self, PlanError> {
        let mut relay = Relay::new(&plan, seed)?;
        let flows = plan.flows().count();
        relay.simulator.leave_endpoints();
        let mut watchers = Watchers::new(&plan, &relay.simulator)?;
        watchers.recorder.sample(Time::ZERO, &mut relay.simulator);
        if plan.measure.from == Time::ZERO {
            watchers.measure.begin(&mut relay.simulator);
        }
        let kind = |(_, group): (u32, &crate::plan::GroupSpec)| match &group.transport {
            TransportSpec::Tcp { sender, .. } => (true, sender.handshake),
            TransportSpec::Udp { .. } => (false, false),
        };
        let is_tcp = plan.flows().map(kind).collect();
        Ok(Self { relay, watchers, seed, flows: vec![Flow::default(); flows], is_tcp, now: Time::ZERO, plan })
    }

    /// Whether packets of a flow may enter in this direction.
    pub fn carries(&self, flow: u32, ack: bool) -> bool {
        self.relay.carries(flow, ack)
    }

    /// Number of packets between links.
    pub fn moving(&self) -> usize {
        self.relay.moving()
    }

    /// When a flow's source supplies data until the end of the run, and how many packets; `u64::MAX` for unlimited data.
    /// At most `most` times.
    pub fn emissions(&self, flow: u32, most: usize) -> Vec<(Time, u64)> {
        let Some((_, group)) = self.plan.flows().nth(flow as usize) else { return Vec::new() };
        let mut source = group.source.build(group.packet_size);
        let mut stream = Stream::new(self.seed, Role::Source, flow);
        let mut next = Some(group.start_of(flow, self.seed));
        let mut emissions = Vec::new();
        while let Some(at) = next.filter(|at| *at < self.plan.duration && emissions.len() < most) {
            let emission = source.emit(at, &mut stream);
            if emission.packets > 0 {
                emissions.push((at, emission.packets));
            }
            next = emission.next;
        }
        emissions
    }

    /// Lets a packet enter at `now`. Returns whether the relay carries it.
    pub fn offer(&mut self, real: Real, serial: u32, now: Time) -> bool {
        let is_sound = real.size > 0 && real.size <= LONGEST && real.number < MAX_SEGMENTS - 1;
        if !is_sound || !self.carries(real.flow, real.ack) {
            return false;
        }
        self.stop_before(now);
        let packet = self.packet(real, now);
        self.relay.offer(packet, serial, real.ack, now, &mut self.watchers);
        true
    }

    /// The packet as the engine sees it.
    fn packet(&mut self, real: Real, now: Time) -> Packet {
        let (id, (is_tcp, counts_syn)) = (FlowId(real.flow), self.is_tcp[real.flow as usize]);
        if !real.data {
            let payload = Payload::Ack { next: real.number + u64::from(counts_syn), sack: SackId::NONE, connection: 0 };
            return Packet::new(id, real.size, payload, now);
        }
        let counters = self.relay.simulator.outside(id);
        let flow = &mut self.flows[real.flow as usize];
        counters.sent += 1;
        let again = if real.syn { flow.is_open } else { real.number < flow.next };
        counters.retransmissions += u64::from(again);
        if real.syn {
            flow.is_open = true;
        } else if is_tcp {
            flow.send(InFlight { number: real.number, sent: now, again });
        }
        let number = if real.syn { 0 } else { real.number + u64::from(counts_syn) };
        let segment =
            Segment { syn: real.syn, retransmission: again, ecn: real.ecn, ..Segment::new(number, real.size) };
        Packet::data(id, 0, segment, now)
    }

    /// Time of the next event, if any packet is in the network.
    pub fn next(&self) -> Option<Time> {
        self.relay.next()
    }

    /// Lets everything happen that is due before `end`, and calls `take` with each packet that is delivered or gone.
    pub fn advance(&mut self, end: Time, mut take: impl FnMut(Fate)) {
        self.stop_before(end);
        self.relay.advance(end, &mut self.watchers);
        let fates = self.relay.take_fates();
        for fate in &fates {
            if let Fate::Delivered { at, packet, .. } = fate {
                self.deliver(packet, *at);
            }
            take(*fate);
        }
        self.relay.put_back(fates);
    }

    /// Takes the samples, and begins the measurement, as due by `end`.
    fn stop_before(&mut self, end: Time) {
        let Self { relay, watchers, plan, .. } = self;
        loop {
            let begin = Some(plan.measure.from).filter(|from| *from > self.now);
            let next = [begin, watchers.recorder.next_sample(self.now)].into_iter().flatten().min();
            let Some(stop) = next.filter(|stop| *stop <= end) else { return };
            relay.advance(stop, watchers);
            self.now = stop;
            if Some(stop) == begin {
                watchers.measure.begin(&mut relay.simulator);
            }
            watchers.recorder.sample(stop, &mut relay.simulator);
        }
    }

    /// Counts a packet at the end of its route.
    fn deliver(&mut self, packet: &Packet, at: Time) {
        let FlowId(flow) = packet.flow();
        let (is_tcp, counts_syn) = self.is_tcp[flow as usize];
        if packet.is_ack() {
            if is_tcp && let Some(sent) = self.flows[flow as usize].acknowledge(packet.number() - u64::from(counts_syn))
            {
                self.relay.simulator.outside(packet.flow()).round_trips.add(at - sent);
            }
            return;
        }
        if packet.is_syn() && !counts_syn {
            return;
        }
        let Received { in_order, duplicate, .. } = self.relay.simulator.sinks().receive(packet, at);
        let seen = Observation::Delivered { packet, in_order, duplicate };
        self.watchers.observe(at, &seen);
    }

    /// Adds what only the sender of a flow knows.
    pub fn count_timeouts(&mut self, flow: u32, timeouts: u64) {
        if (flow as usize) < self.flows.len() {
            self.relay.simulator.outside(FlowId(flow)).timeouts += timeouts;
        }
    }

    /// Ends the run, and returns its outcome in the form of a simulated one.
    pub fn finish(mut self) -> Outcome {
        self.advance(self.plan.duration, |_| ());
        let Self { mut relay, mut watchers, .. } = self;
        let elsewhere = watchers.elsewhere(&relay.simulator);
        watchers.measure.finish(&mut relay.simulator);
        watchers.recorder.finish(&relay.simulator);
        let results = watchers.measure.results(&relay.simulator);
        let (summary, groups, facts) = (results.summary(), results.group_summaries(), results.facts());
        let flows = observe::flows(results);
        let rows = watchers.recorder.rows();
        let (tables, captures) = watchers.recorder.into_tables(&watchers.measure, flows);
        Outcome { summary, groups, elsewhere, facts, events: relay.order, rows, tables, captures }
    }
}

impl Flow {
    fn send(&mut self, packet: InFlight) {
        if packet.number >= self.next {
            self.next = packet.number + 1;
            self.in_flight.push_back(packet);
        } else if let Ok(place) = self.in_flight.binary_search_by_key(&packet.number, |sent| sent.number) {
            self.in_flight[place] = packet;
        }
    }

    /// Takes the data before `next` out of flight. Returns when the last of it was sent, if it was sent once.
    fn acknowledge(&mut self, next: u64) -> Option<Time> {
        let mut sample = None;
        while let Some(first) = self.in_flight.front().copied().filter(|first| first.number < next) {
            self.in_flight.pop_front();
            sample = (!first.again).then_some(first.sent);
        }
        sample
    }
}
