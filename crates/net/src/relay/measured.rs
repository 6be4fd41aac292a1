//! A relay that measures: it makes the outcome of a simulated run from packets that come from outside.
//!
//! A relay can have the sources of the plan ([`MeasuredRelay::with_sources`]), since it sees when data is acknowledged. It
//! asks them at their times, and the caller gives what they supply to the endpoints ([`MeasuredRelay::take_supplies`]).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use ackclock_tcp::{Ecn, Segment};
use ackclock_units::Time;

use super::{Fate, Relay};
use crate::endpoint::sink::Received;
use crate::engine::outcome::Outcome;
use crate::observe::{self, Observation, Observer, Watchers};
use crate::packet::{FlowId, MAX_SEGMENTS, Packet, Payload, SackId};
use crate::plan::{Plan, PlanError, TransportSpec};
use crate::sizes::LONGEST;

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
    /// The first SACK block of an ACK: its first segment, and the first one after it.
    pub sack: Option<[u64; 2]>,
    /// The ECN field.
    pub ecn: Ecn,
}

/// Data that the source of a flow supplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// When the source supplies it.
    pub at: Time,
    /// Number of the flow.
    pub flow: u32,
    /// Number of packets; `u64::MAX` for unlimited data.
    pub packets: u64,
}

/// A data packet that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    number: u64,
    sent: Time,
    again: bool,
    /// Whether a SACK has reported it.
    reported: bool,
}

/// What a relay knows of a flow.
#[derive(Clone, Debug, Default)]
struct Flow {
    /// The number of the first segment after all that were sent.
    next: u64,
    /// Data that is not acknowledged, in ascending order of numbers.
    in_flight: VecDeque<InFlight>,
    is_open: bool,
    /// Packets that the source has supplied, and packets that are acknowledged.
    supplied: u64,
    acknowledged: u64,
}

/// A relay whose packets are measured and recorded.
#[derive(Debug)]
pub struct MeasuredRelay {
    relay: Relay,
    watchers: Watchers,
    plan: Arc<Plan>,
    flows: Vec<Flow>,
    /// Whether each flow is TCP, and whether its SYN takes a number.
    is_tcp: Vec<(bool, bool)>,
    /// When the sources are to be asked. An entry is out of date if the application has another time.
    due: BinaryHeap<Reverse<(Time, u32)>>,
    supplies: Vec<Supply>,
    /// The SACK block of each packet in the network, by its serial number; empty without SACK blocks.
    sacks: Vec<Option<[u64; 2]>>,
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
        let (flows, due) = (vec![Flow::default(); flows], BinaryHeap::new());
        let (supplies, sacks) = (Vec::new(), Vec::new());
        Ok(Self { relay, watchers, plan, flows, is_tcp, due, supplies, sacks, now: Time::ZERO })
    }

    /// Asks the sources of the plan as well. The caller takes what they supply.
    #[must_use]
    pub fn with_sources(mut self) -> Self {
        for flow in 0..self.flows.len() as u32 {
            self.due.extend(self.relay.simulator.application(FlowId(flow)).due().map(|at| Reverse((at, flow))));
        }
        self
    }

    /// Whether packets of a flow may enter in this direction.
    pub fn carries(&self, flow: u32, ack: bool) -> bool {
        self.relay.carries(flow, ack)
    }

    /// Number of packets between links.
    pub fn moving(&self) -> usize {
        self.relay.moving()
    }

    /// Asks the sources that are due until `end`.
    fn ask_sources(&mut self, end: Time) {
        let end = end.min(self.plan.duration);
        while let Some(Reverse((at, flow))) = self.due.peek().copied().filter(|Reverse((at, _))| *at <= end) {
            self.due.pop();
            let application = self.relay.simulator.application(FlowId(flow));
            if application.due() != Some(at) || at >= self.plan.duration {
                continue;
            }
            let packets = application.take(at).unwrap_or_default();
            if packets > 0 {
                let supplied = &mut self.flows[flow as usize].supplied;
                *supplied = supplied.saturating_add(packets);
                self.supplies.push(Supply { at, flow, packets });
            }
            self.follow(flow, at);
        }
    }

    /// Lets the application of a flow see what is acknowledged, and notes when it is to be asked next.
    fn follow(&mut self, flow: u32, now: Time) {
        let id = FlowId(flow);
        let (is_tcp, counters) = (self.is_tcp[flow as usize].0, *self.relay.simulator.outside(id));
        if is_tcp {
            let is_idle = self.flows[flow as usize].is_idle();
            let application = self.relay.simulator.application(id);
            application.follow_transfers(is_idle, || counters, now, id, &mut self.watchers);
            self.watchers.recorder.follow_transfer(flow, is_idle, counters.retransmissions);
        }
        self.due.extend(self.relay.simulator.application(id).due().map(|at| Reverse((at, flow))));
    }

    /// What the sources have supplied since the last call, in the order of time.
    pub fn take_supplies(&mut self) -> impl Iterator<Item = Supply> {
        self.supplies.drain(..)
    }

    /// Lets a packet enter at `now`. Returns whether the relay carries it.
    pub fn offer(&mut self, real: Real, serial: u32, now: Time) -> bool {
        let is_sound = real.size > 0 && real.size <= LONGEST && real.number < MAX_SEGMENTS - 1;
        if !is_sound || !self.carries(real.flow, real.ack) {
            return false;
        }
        self.stop_before(now);
        let packet = self.packet(real, now);
        if real.sack.is_some() && self.sacks.len() <= serial as usize {
            self.sacks.resize(serial as usize + 1, None);
        }
        if let Some(block) = self.sacks.get_mut(serial as usize) {
            *block = real.sack;
        }
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
            flow.send(InFlight { number: real.number, sent: now, again, reported: false });
        }
        if again {
            self.watchers.recorder.follow_transfer(real.flow, false, counters.retransmissions);
        }
        let number = if real.syn { 0 } else { real.number + u64::from(counts_syn) };
        let segment =
            Segment { syn: real.syn, retransmission: again, ecn: real.ecn, ..Segment::new(number, real.size) };
        Packet::data(id, 0, segment, now)
    }

    /// Time of the next event, or at which a source is to be asked, if there is one.
    pub fn next(&self) -> Option<Time> {
        let source = self.due.peek().map(|Reverse((at, _))| *at);
        [self.relay.next(), source].into_iter().flatten().min()
    }

    /// Lets everything happen that is due before `end`, and calls `take` with each packet that is delivered or gone.
    pub fn advance(&mut self, end: Time, mut take: impl FnMut(Fate)) {
        self.ask_sources(end);
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
            if !is_tcp {
                return;
            }
            let own = &mut self.flows[flow as usize];
            let was_idle = own.is_idle();
            let sack = self.sacks.get(packet.serial() as usize).copied().flatten();
            if let Some(sent) = own.acknowledge(packet.number() - u64::from(counts_syn), sack) {
                self.relay.simulator.outside(packet.flow()).round_trips.add(at - sent);
            }
            if own.is_idle() && !was_idle {
                self.follow(flow, at);
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

    /// Whether all data that the source has supplied is acknowledged.
    const fn is_idle(&self) -> bool {
        self.acknowledged >= self.supplied
    }

    /// Takes the data before `next` out of flight. Returns when the first of it was sent, if all of it was sent once, and
    /// otherwise when the first data was sent that only the SACK block reports: the sample that Linux takes
    /// (`tcp_clean_rtx_queue`). Linux also takes samples from other ACKs of retransmissions, by their timestamps.
    fn acknowledge(&mut self, next: u64, sack: Option<[u64; 2]>) -> Option<Time> {
        let reported = sack.and_then(|[begin, end]| self.report(begin.max(next), end));
        self.acknowledged = self.acknowledged.max(next);
        let (mut sample, mut again) = (None, false);
        while let Some(first) = self.in_flight.front().copied().filter(|first| first.number < next) {
            self.in_flight.pop_front();
            again |= first.again;
            if !first.reported {
                sample = sample.or(Some(first.sent));
            }
        }
        sample.filter(|_| !again).or(reported)
    }

    /// Marks the data of a SACK block, from its end to the first that was marked before. Returns when the first of it was
    /// sent that was sent once.
    fn report(&mut self, begin: u64, end: u64) -> Option<Time> {
        let behind = self.in_flight.partition_point(|sent| sent.number < end);
        let news = self.in_flight.range_mut(..behind).rev().take_while(|sent| sent.number >= begin && !sent.reported);
        let mut sample = None;
        for sent in news {
            sent.reported = true;
            if !sent.again {
                sample = Some(sent.sent);
            }
        }
        sample
    }
}

#[cfg(test)]
mod tests;
