//! The event loop: the life of every packet, on one page.

use ackclock_tcp::{Ack, Segment, Sender};
use ackclock_units::{Rate, Time};

use crate::event::{EventQueue, Wakeup};
use crate::flow::{Flow, Transport};
use crate::link::{Link, Offered};
use crate::network::{Hop, Network};
use crate::observe::{Observation, Observer};
use crate::packet::{FlowId, LinkId, Packet, Payload, SackId};
use crate::plan::{Plan, PlanError};
use crate::pool::NONE;

/// A network in motion.
#[derive(Debug)]
pub struct Simulator {
    network: Network,
    events: EventQueue,
}

impl Simulator {
    /// The network of a plan at time 0. The same plan and seed give the same run, to the last bit.
    ///
    /// # Errors
    /// If the plan contradicts itself.
    pub fn new(plan: &Plan, seed: u64) -> Result<Self, PlanError> {
        let network = Network::new(plan, seed)?;
        let events = EventQueue::new(network.flows.len());
        let mut simulator = Self { network, events };
        for id in 0..simulator.network.flows.len() {
            simulator.arm(FlowId(id as u32));
        }
        Ok(simulator)
    }

    /// Runs all events before `end`.
    pub fn run_until(&mut self, end: Time, observer: &mut impl Observer) {
        while let Some(event) = self.events.pop_before(end) {
            let now = event.at;
            match event.what {
                Wakeup::Arrival { packet, .. } => self.arrive(packet, now, observer),
                Wakeup::Source(id) => self.source_wakes(FlowId(id), now, observer),
                Wakeup::Release(id) => self.release(FlowId(id), now, observer),
                Wakeup::Timeout(id) => self.time_out(FlowId(id), now, observer),
                Wakeup::DelayedAck(id) => self.delayed_ack(FlowId(id), now, observer),
            }
        }
    }

    /// A packet reaches the end of a link, and goes on.
    fn arrive(&mut self, packet: u32, now: Time, observer: &mut impl Observer) {
        let (packet, hop) = self.network.under_way.remove(packet).value;
        self.forward(packet, hop, now, observer);
    }

    /// A packet is at a node: onto its next link, or to its endpoint.
    ///
    /// Whatever enters the next hop in the order of this link's departures enters it here and now, with the time of its
    /// arrival; only where paths merge does a packet wait for an event.
    fn forward(&mut self, mut packet: Packet, mut hop: u32, mut now: Time, observer: &mut impl Observer) {
        loop {
            match (self.network.hops[hop as usize], packet.payload) {
                (Hop::Link { link, next_in_step }, _) => {
                    let offered = self.network.links[link.0 as usize].offer(&packet, now);
                    observer.observe(now, &Observation::Offered { link, packet: &packet, offered });
                    let Offered::Accepted { arrival, .. } = offered else { return self.lost(packet.payload) };
                    hop += 1;
                    if !next_in_step {
                        return self.carry(link, packet, hop, arrival);
                    }
                    now = arrival;
                }
                (Hop::End, Payload::Ack { next, sack }) if sack.is_none() => {
                    return self.acknowledged(packet.flow, Ack::cumulative(next), now, observer);
                }
                (Hop::End, Payload::Ack { next, sack }) => {
                    return self.acknowledged_with(sack, packet.flow, next, now, observer);
                }
                (Hop::End, Payload::Syn { .. } | Payload::Data { .. }) => {
                    let Some(ack) = self.receive(&packet, now, observer) else { return };
                    hop = self.flow(packet.flow).ack_hop;
                    packet = ack;
                }
            }
        }
    }

    /// A packet is under way until its arrival, which is an event.
    #[inline(always)]
    fn carry(&mut self, link: LinkId, packet: Packet, hop: u32, arrival: Time) {
        let packet = self.network.under_way.add((packet, hop), NONE);
        self.events.schedule(arrival, Wakeup::Arrival { link: link.0, packet });
    }

    /// Data reaches its receiver. Returns the ACK that leaves at once.
    fn receive(&mut self, packet: &Packet, now: Time, observer: &mut impl Observer) -> Option<Packet> {
        let flow = &mut self.network.flows[packet.flow.0 as usize];
        let (ack, in_order) = flow.receive(packet, now, &mut self.network.sacks);
        observer.observe(now, &Observation::Delivered { packet, in_order });
        if ack.is_none() {
            self.arm_delayed_ack(packet.flow);
        }
        ack
    }

    /// A packet is gone, and what was kept for it.
    #[inline(never)]
    fn lost(&mut self, payload: Payload) {
        if let Payload::Ack { sack, .. } = payload
            && !sack.is_none()
        {
            self.network.sacks.take(sack);
        }
    }

    /// An ACK with blocks reaches its sender.
    #[inline(never)]
    fn acknowledged_with(&mut self, sack: SackId, id: FlowId, next: u64, now: Time, observer: &mut impl Observer) {
        let sack = &self.network.sacks.take(sack);
        self.acknowledged(id, Ack { next, sack }, now, observer);
    }

    /// An ACK reaches its sender.
    #[inline(never)]
    fn acknowledged(&mut self, id: FlowId, ack: Ack<'_>, now: Time, observer: &mut impl Observer) {
        let flow = self.flow(id);
        flow.refill(now);
        if let Transport::Tcp { sender, .. } = &mut flow.transport {
            observer.observe(now, &Observation::Acked { flow: id, ack, sender });
            sender.handle_ack(ack, now);
        }
        self.take_turn(id, now, observer);
    }

    /// A TCP flow, which has the data that its source has by now, sends all that it may.
    fn take_turn(&mut self, id: FlowId, now: Time, observer: &mut impl Observer) {
        let hop = self.flow(id).data_hop;
        while let Some(segment) = self.flow(id).poll_transmit(now) {
            self.forward(Packet::data(id, segment, now), hop, now, observer);
        }
        self.arm(id);
        if let Some(sender) = self.flow(id).sender() {
            observer.observe(now, &Observation::Turn { flow: id, sender });
        }
    }

    /// Schedules the wake-ups that a flow waits for.
    #[inline(always)]
    fn arm(&mut self, id: FlowId) {
        let Self { network, events } = self;
        let flow = &mut network.flows[id.0 as usize];
        let (release, timeout, source) = match &flow.transport {
            Transport::Udp { .. } => (None, None, flow.feed.next),
            Transport::Tcp { sender, .. } => {
                (sender.poll_release(), sender.poll_timeout(), flow.feed.next.filter(|_| sender.is_data_limited()))
            }
        };
        if let Some(at) = flow.release_alarm.arm(release) {
            events.schedule(at, Wakeup::Release(id.0));
        }
        if let Some(at) = flow.timeout_alarm.arm(timeout) {
            events.schedule(at, Wakeup::Timeout(id.0));
        }
        if let Some(at) = flow.source_alarm.arm(source) {
            events.schedule(at, Wakeup::Source(id.0));
        }
    }

    fn source_wakes(&mut self, id: FlowId, now: Time, observer: &mut impl Observer) {
        let flow = self.flow(id);
        if !flow.source_alarm.fires(now, flow.feed.next) {
            return self.arm(id);
        }
        match flow.transport {
            Transport::Tcp { .. } => {
                flow.refill(now);
                self.take_turn(id, now, observer);
            }
            Transport::Udp { .. } => self.send_datagrams(id, now, observer),
        }
    }

    /// A UDP flow sends what its source hands over.
    fn send_datagrams(&mut self, id: FlowId, now: Time, observer: &mut impl Observer) {
        while let Some(packets) = self.flow(id).feed.take(now) {
            for _ in 0..packets {
                let Flow { transport: Transport::Udp { sent, sizes }, data_hop, .. } = self.flow(id) else {
                    return;
                };
                let segment = Segment { number: *sent, size: sizes.draw(), syn: false, retransmission: false };
                *sent += 1;
                let hop = *data_hop;
                self.forward(Packet::data(id, segment, now), hop, now, observer);
            }
        }
        self.arm(id);
    }

    fn release(&mut self, id: FlowId, now: Time, observer: &mut impl Observer) {
        let flow = self.flow(id);
        let due = flow.sender().and_then(Sender::poll_release);
        if flow.release_alarm.fires(now, due) {
            flow.refill(now);
            self.take_turn(id, now, observer);
        } else {
            self.arm(id);
        }
    }

    fn time_out(&mut self, id: FlowId, now: Time, observer: &mut impl Observer) {
        let flow = self.flow(id);
        let due = flow.sender().and_then(Sender::poll_timeout);
        if !flow.timeout_alarm.fires(now, due) {
            return self.arm(id);
        }
        flow.refill(now);
        if let Transport::Tcp { sender, .. } = &mut flow.transport {
            sender.handle_timeout(now);
        }
        self.take_turn(id, now, observer);
    }

    fn delayed_ack(&mut self, id: FlowId, now: Time, observer: &mut impl Observer) {
        let Network { flows, sacks, .. } = &mut self.network;
        let Flow { transport: Transport::Tcp { receiver, .. }, ack_alarm, ack_hop, .. } = &mut flows[id.0 as usize]
        else {
            return;
        };
        if ack_alarm.fires(now, receiver.poll_timeout()) {
            let hop = *ack_hop;
            let ack = sacks.packet(id, receiver.handle_timeout(), now);
            self.forward(ack, hop, now, observer);
        } else {
            self.arm_delayed_ack(id);
        }
    }

    fn arm_delayed_ack(&mut self, id: FlowId) {
        let Flow { transport: Transport::Tcp { receiver, .. }, ack_alarm, .. } = self.flow(id) else { return };
        if let Some(at) = ack_alarm.arm(receiver.poll_timeout()) {
            self.events.schedule(at, Wakeup::DelayedAck(id.0));
        }
    }

    fn flow(&mut self, id: FlowId) -> &mut Flow {
        &mut self.network.flows[id.0 as usize]
    }

    /// The links, to look at.
    pub fn links(&mut self) -> &mut [Link] {
        &mut self.network.links
    }

    /// A link's rate.
    pub(crate) fn rate(&self, link: LinkId) -> Rate {
        self.network.links[link.0 as usize].rate()
    }

    /// A flow's sender, to look at.
    pub fn sender(&self, flow: FlowId) -> Option<&Sender> {
        self.network.flows[flow.0 as usize].sender()
    }

    /// The group of each flow.
    pub(crate) fn groups(&self) -> &[u32] {
        &self.network.groups
    }

    /// The links that a flow's data crosses.
    pub(crate) fn data_links(&self, flow: usize) -> impl Iterator<Item = LinkId> {
        self.network.data_links(flow)
    }
}
