//! Forwards packets between their endpoints.

mod ahead;
mod block_delays;
mod delays;
mod shared;

use ackclock_tcp::{Answer, OtherAck};
use ackclock_units::Time;

use crate::endpoint::sack_store::SackStore;
use crate::endpoint::sink::{Received, Sinks};
use crate::engine::agenda::Agenda;
use crate::engine::event::{Event, Targets, Wakeup};
use crate::engine::hop::{Hop, Stop};
use crate::link::Offered;
use crate::link::links::{Inspected, Links};
use crate::link::served::ServedLink;
use crate::link::short::Sent;
use crate::observe::{Observation, Observer};
use crate::packet::{FlowId, LinkId, Names, Packet, SackId};
use crate::queue::stored::Queued;
pub(crate) use ahead::{Ahead, Local};
pub(crate) use block_delays::BlockDelays;
pub(crate) use delays::Delays;

/// The echo of a report to a UDP sender. Filters of ACKs keep packets with this bit, which stands for marks in ACKs of TCP.
const REPORT: u8 = 0b100;

/// The component that contains all endpoints.
pub(crate) const ENDPOINTS: usize = 0;

/// The links, the receivers, and the pending events.
#[derive(Debug)]
pub(crate) struct Transit {
    pub(crate) links: Links,
    /// The hops of all routes, concatenated.
    pub(crate) hops: Vec<Hop>,
    /// The receiving ends of the flows.
    pub(crate) sinks: Sinks,
    /// SACK blocks of the ACKs in flight.
    pub(crate) sacks: SackStore,
    /// The timers of receivers that need no event of their own.
    pub(crate) delays: Delays,
    pub(crate) block_delays: BlockDelays,
    pub(crate) ahead: Ahead,
    /// The pending events; component [`ENDPOINTS`] contains the endpoints.
    pub(crate) agenda: Agenda,
    pub(crate) names: Names,
    /// The running component must not process events at or after this time.
    pub(crate) until: Time,
    /// The running component must stop after this number of events.
    pub(crate) last: u64,
    /// A flow that has sent the maximum number of packets for one event, and the current time. The flow continues
    /// before any other event is processed.
    pub(crate) cut: Option<(FlowId, Time)>,
}

impl Transit {
    /// Forwards a packet from a hop to its next event. If data reaches its receiver on the way, its ACK is forwarded
    /// too.
    #[inline(always)]
    pub(crate) fn forward(&mut self, packet: &Packet, hop: u32, now: Time, observer: &mut impl Observer) {
        if let Some(now) = self.cross(packet, hop, now, observer) {
            self.deliver_apart(*packet, now, observer);
        }
    }

    /// A copy of [`forward`](Self::forward) for callers in which it is rare.
    #[inline(never)]
    pub(crate) fn forward_apart(&mut self, packet: &Packet, hop: u32, now: Time, observer: &mut impl Observer) {
        self.forward(packet, hop, now, observer);
    }

    /// The same as [`forward`](Self::forward), for a packet that often reaches its receiver on the way: the delivery is
    /// inlined.
    #[inline(always)]
    pub(crate) fn forward_to_receiver(&mut self, packet: &Packet, hop: u32, now: Time, observer: &mut impl Observer) {
        if let Some(now) = self.cross(packet, hop, now, observer) {
            self.deliver(packet, now, observer);
        }
    }

    /// Forwards a packet whose sender limits its packets in the queue of its first link, and schedules the wake-up of the
    /// sender when it has left. Returns whether the link has dropped it.
    #[inline(never)]
    pub(crate) fn forward_limited(
        &mut self,
        packet: &Packet,
        hop: u32,
        now: Time,
        observer: &mut impl Observer,
    ) -> bool {
        let link = self.hops[hop as usize].link;
        let before = self.links.busy_until(link);
        self.forward(packet, hop, now, observer);
        // a link that stores packets wakes the sender itself
        let Some(end) = self.links.busy_until(link) else { return false };
        if Some(end) == before {
            return true;
        }
        self.wake(end, packet.flow(), Wakeup::Left);
        false
    }

    /// Delivers data to its receiver, and forwards the ACK.
    #[inline(always)]
    fn deliver(&mut self, packet: &Packet, now: Time, observer: &mut impl Observer) {
        if let Some((next, hop)) = self.sinks.take_in_order(packet, now) {
            if observer.follows() {
                observer.observe(now, &Observation::Delivered { packet, in_order: 1, duplicate: false });
            }
            self.send_ack(&packet.answer(next, now).for_original(true), hop, now, observer);
        } else if self.sinks.may_have_timer(packet.flow()) {
            self.deliver_calmly(*packet, now, observer);
        } else {
            self.deliver_any(*packet, now, observer);
        }
    }

    /// A copy of [`deliver`](Self::deliver) for callers in which it is rare.
    #[inline(never)]
    pub(crate) fn deliver_apart(&mut self, packet: Packet, now: Time, observer: &mut impl Observer) {
        self.deliver(&packet, now, observer);
    }

    /// Delivers data to a receiver with a timer, and forwards the ACK.
    #[inline(never)]
    fn deliver_calmly(&mut self, packet: Packet, now: Time, observer: &mut impl Observer) {
        self.send_due(packet.flow(), now, observer);
        let Some((answer, hop)) = self.sinks.take_calmly(&packet, now) else {
            return self.deliver_any(packet, now, observer);
        };
        if observer.follows() {
            observer.observe(now, &Observation::Delivered { packet: &packet, in_order: 1, duplicate: false });
        }
        match answer {
            Answer::Plain { next, echo, original } => {
                self.send_ack(&packet.answer(next, now).with_echo(echo).for_original(original), hop, now, observer);
            }
            Answer::Waits { until } => {
                if self.sinks.arm_until(packet.flow(), until) {
                    self.wake_receiver(until, packet.flow());
                }
            }
        }
    }

    /// Delivers data that is not simply the next one in order, and forwards the ACK.
    ///
    /// The packet is passed by value. If it were passed by reference, the compiler would have to keep the packet in
    /// memory in the callers.
    #[inline(never)]
    fn deliver_any(&mut self, packet: Packet, now: Time, observer: &mut impl Observer) {
        if let Some((ack, hop)) = self.receive(&packet, now, observer) {
            self.send_ack(&ack, hop, now, observer);
        }
    }

    /// Moves a packet across the next links, each at the time of its arrival there, until it reaches a link or an end
    /// by an event. Returns the arrival time at the end if that needs no event.
    #[inline(always)]
    fn cross(&mut self, packet: &Packet, mut index: u32, mut now: Time, observer: &mut impl Observer) -> Option<Time> {
        loop {
            let hop = self.hops[index as usize];
            // blocks make an ACK larger than the packets for which the hop's delay was computed
            let is_plain = packet.sack() == SackId::NONE;
            now += if is_plain { hop.delay } else { self.delay_of_blocks(index, packet.size()) };
            if !hop.is_unqueued() {
                now = if let Some(Sent { start, end, arrival }) = self.links.take(hop.link, packet.size(), now) {
                    if observer.watches(hop.link) {
                        observer.accepted(now, hop.link, packet, start, end, arrival);
                    }
                    arrival
                } else {
                    self.offer(index, *packet, now, observer)?
                };
            }
            let stop = hop.stop(index);
            if hop.has_event() {
                if let Some(event) = self.agenda.add(hop.component(), now) {
                    *event = Event::arrival(now, stop, packet);
                } else {
                    self.add_to_heap(hop.component(), now, stop, *packet);
                }
                return None;
            }
            if hop.is_last() {
                return Some(now);
            }
            index = stop.0;
        }
    }

    /// Schedules the next transmission of a link that stores packets.
    #[inline(always)]
    fn add_departure(&mut self, id: LinkId, at: Time) {
        // only the link's own component handles its packets
        let component = self.agenda.running();
        if let Some(event) = self.agenda.add_own(component, at) {
            *event = Event::departure(id, at);
        } else {
            self.add_departure_to_heap(component, at, id);
        }
    }

    /// Schedules a departure beside other events of the current round, or in a round that has no bucket.
    #[inline(never)]
    fn add_departure_to_heap(&mut self, component: usize, at: Time, link: LinkId) {
        self.add_event(component, Event::departure(link, at));
    }

    /// Schedules an arrival in a round that has no bucket.
    #[cold]
    #[inline(never)]
    fn add_to_heap(&mut self, component: usize, at: Time, stop: Stop, packet: Packet) {
        self.add_event(component, Event::arrival(at, stop, &packet));
    }

    /// Offers to the link of a hop a packet that the fast path does not handle. Returns its arrival time, unless it is
    /// dropped, stored, or marked and so forwarded as another packet. The packet is passed by value for the same reason as in
    /// [`deliver_any`](Self::deliver_any).
    #[inline(never)]
    fn offer(&mut self, index: u32, packet: Packet, now: Time, observer: &mut impl Observer) -> Option<Time> {
        let (packet, id) = (&packet, self.hops[index as usize].link);
        if let Some(link) = self.links.served(id) {
            let refused = link.offer(packet, index, now, &self.sacks);
            let needs_service = link.needs_service();
            let reports = link.reports();
            if observer.watches(id) {
                let offered = refused.map_or(Offered::Queued, Offered::Dropped);
                observer.observe(now, &Observation::Offered { link: id, packet, offered });
            }
            if refused.is_some() {
                self.free_sack(packet);
                if reports {
                    self.report_left(id, packet.flow(), index, now);
                }
            } else if needs_service {
                self.serve(id, false, now, observer);
            }
            return None;
        }
        let offered = self.links.offer(id, packet, now);
        if observer.watches(id) {
            observer.observe(now, &Observation::Offered { link: id, packet, offered });
        }
        match offered {
            Offered::Accepted { arrival, marked: false, lost: false, .. } => return Some(arrival),
            Offered::Accepted { arrival, marked: true, lost: false, .. } => {
                self.forward_marked(packet.marked(), index, arrival, observer);
            }
            Offered::Accepted { lost: true, .. } | Offered::Dropped(_) => self.free_sack(packet),
            Offered::Queued => unreachable!("only links that store packets queue them without a time"),
        }
        None
    }

    /// Handles the event at the end of a transmission of a link that stores packets, or that of delayed ACKs which enter
    /// another link.
    #[inline(never)]
    pub(crate) fn depart(&mut self, id: LinkId, now: Time, observer: &mut impl Observer) {
        self.serve(id, true, now, observer);
    }

    /// Starts the next transmission of a link that stores packets, if the link is free, and forwards the packet.
    /// `is_event` is whether the last transmission ends now, by its event.
    #[inline(always)]
    fn serve(&mut self, id: LinkId, is_event: bool, now: Time, observer: &mut impl Observer) {
        let Some(link) = self.links.served(id) else { return self.send_delayed(id, now, observer) };
        if let Some(shared) = link.shared() {
            return self.share(id, shared, is_event, now, observer);
        }
        if is_event {
            link.fire(now);
        }
        let queued = link.take_next(now);
        let sent = queued.as_ref().map(|queued| link.send(&queued.packet, now));
        let (due, has_dropped, reports) = (link.take_due(now), link.has_dropped(), link.reports());
        if let Some(at) = due {
            self.add_departure(id, at);
        }
        if has_dropped {
            self.report_dropped(id, now, observer);
        }
        let Some((Queued { packet, since, hop, marked }, (Sent { start, end, arrival }, lost))) =
            queued.as_ref().zip(sent)
        else {
            return;
        };
        if reports {
            self.report_left(id, packet.flow(), *hop, end);
        }
        if observer.watches(id) {
            let fate = Offered::Accepted { start, end, arrival, marked: *marked, lost };
            observer.observe(now, &Observation::Left { link: id, packet, since: *since, fate });
        }
        if lost {
            self.free_sack(packet);
        } else if *marked {
            self.forward_marked(packet.marked(), *hop, arrival, observer);
        } else {
            self.forward_from(packet, *hop, arrival, observer);
        }
    }

    /// Wakes the sender of a packet on this hop at `at`, when the packet leaves the link or is dropped, if the sender limits its
    /// packets in the link's queue.
    #[cold]
    #[inline(never)]
    fn report_left(&mut self, id: LinkId, flow: FlowId, hop: u32, at: Time) {
        if self.links.served(id).is_some_and(|link| link.is_limited(hop)) {
            self.wake(at, flow, Wakeup::Left);
        }
    }

    /// Frees the SACK blocks of a packet that is dropped or lost.
    fn free_sack(&mut self, packet: &Packet) {
        if packet.sack() != SackId::NONE {
            self.sacks.take(packet.sack());
        }
    }

    /// Reports the stored packets that a discipline has dropped.
    #[inline(never)]
    fn report_dropped(&mut self, id: LinkId, now: Time, observer: &mut impl Observer) {
        let Some(dropped) = self.links.served(id).map(ServedLink::take_dropped) else { return };
        for (Queued { packet, since, hop, .. }, reason) in &dropped {
            if observer.watches(id) {
                let fate = Offered::Dropped(*reason);
                observer.observe(now, &Observation::Left { link: id, packet, since: *since, fate });
            }
            self.free_sack(packet);
            self.report_left(id, packet.flow(), *hop, now);
        }
        if let Some(link) = self.links.served(id) {
            link.put_back(dropped);
        }
    }

    /// Forwards a packet that the link of a hop has marked, from the end of the hop to its next event. A marked packet is
    /// another packet, so that [`cross`](Self::cross) can borrow its packet and keep it in registers.
    #[inline(never)]
    fn forward_marked(&mut self, packet: Packet, index: u32, arrival: Time, observer: &mut impl Observer) {
        self.forward_from(&packet, index, arrival, observer);
    }

    /// Forwards a packet from the end of a hop, whose link it leaves by another event, to its next event.
    #[inline(always)]
    fn forward_from(&mut self, packet: &Packet, index: u32, arrival: Time, observer: &mut impl Observer) {
        let hop = self.hops[index as usize];
        let stop = hop.stop(index);
        if hop.has_event() {
            if let Some(event) = self.agenda.add(hop.component(), arrival) {
                *event = Event::arrival(arrival, stop, packet);
            } else {
                self.add_to_heap(hop.component(), arrival, stop, *packet);
            }
        } else if hop.is_last() {
            self.deliver(packet, arrival, observer);
        } else {
            self.forward_apart(packet, stop.0, arrival, observer);
        }
    }

    /// Interrupts a flow that is sending within an event: the event loop stops, and the flow continues before anything
    /// else.
    #[cold]
    pub(crate) fn cut(&mut self, flow: FlowId, now: Time) {
        self.cut = Some((flow, now));
        self.last = 0;
    }

    /// A link, for inspection of its state.
    pub(crate) fn link(&mut self, link: LinkId) -> Inspected<'_> {
        self.links.get(link)
    }

    /// Handles data at its receiver. Returns the immediate ACK, if there is one, and its first hop.
    #[inline(always)]
    fn receive(&mut self, packet: &Packet, now: Time, observer: &mut impl Observer) -> Option<(Packet, u32)> {
        let flow = packet.flow();
        let Received { in_order, duplicate, other, ack, hop } = self.sinks.receive(packet, now);
        let ack = ack.map(|ack| self.sacks.packet(flow, packet.connection(), ack, now, observer));
        if observer.follows() {
            observer.observe(now, &Observation::Delivered { packet, in_order, duplicate });
        }
        let Some(ack) = ack else {
            self.arm_delayed_ack(flow);
            let (number, hop) = self.sinks.report(packet, now)?;
            return Some((packet.answer(number, now).with_echo(REPORT), hop));
        };
        match other {
            OtherAck::None => self.arm_after(&ack),
            OtherAck::Early => {
                self.send_early(packet, in_order, &ack, (hop, now), observer);
                self.arm_after(&ack);
            }
            OtherAck::Waits => self.arm_delayed_ack(flow),
        }
        Some((ack, hop))
    }

    /// Sends the early ACK that precedes another one.
    #[cold]
    #[inline(never)]
    fn send_early(
        &mut self,
        packet: &Packet,
        in_order: u64,
        ack: &Packet,
        (hop, now): (u32, Time),
        observer: &mut impl Observer,
    ) {
        let early = packet.answer(ack.number() - in_order, now).with_echo(1 - ack.echo());
        self.send_ack(&early, hop, now, observer);
    }

    /// Handles the timer of a receiver with a delayed ACK.
    pub(crate) fn delayed_ack(&mut self, flow: FlowId, now: Time, observer: &mut impl Observer) {
        if let Some((ack, connection, hop)) = self.sinks.wake(flow, now) {
            let ack = self.sacks.packet(flow, connection, ack, now, observer);
            self.arm_after(&ack);
            self.send_ack(&ack, hop, now, observer);
        } else {
            self.arm_delayed_ack(flow);
        }
    }

    /// Schedules the next window update after an ACK, which carries the window if there are updates.
    #[inline(always)]
    fn arm_after(&mut self, ack: &Packet) {
        if ack.sack() != SackId::NONE {
            self.arm_delayed_ack(ack.flow());
        }
    }

    #[inline(never)]
    fn arm_delayed_ack(&mut self, flow: FlowId) {
        if let Some(at) = self.sinks.arm(flow) {
            self.wake_receiver(at, flow);
        }
    }

    /// Takes the next event of the running component before `end`. Returns its place in the agenda.
    #[inline(always)]
    pub(crate) fn take_before(&mut self, end: Time) -> Option<u32> {
        if self.agenda.is_next_known() { self.agenda.take_known(end) } else { self.take_any(end) }
    }

    /// Takes the next event that the running component added in the current round. Returns its place in the agenda.
    #[inline(always)]
    pub(crate) fn take_new(&mut self) -> Option<u32> {
        if let Some(place) = self.agenda.take_single() { Some(place) } else { self.take_any(Time::MAX) }
    }

    #[inline(never)]
    fn take_any(&mut self, end: Time) -> Option<u32> {
        let Self { agenda, hops, names, .. } = self;
        agenda.take_any(end, Targets { hops, names })
    }

    /// Prefetches the state of the links of `count` hops.
    pub(crate) fn prefetch_links(&self, first: usize, count: usize) {
        for hop in self.hops[first..].iter().take(count) {
            if !hop.is_unqueued() {
                self.links.prefetch(hop.link);
            }
        }
    }

    /// Whether the running component, which contains the endpoints, has no event at or before `at`; for a sender that acts
    /// ahead of the clock, whether its flow has none.
    #[inline(always)]
    pub(crate) fn is_quiet_until(&self, at: Time) -> bool {
        match self.ahead.bound() {
            None => at < self.until && self.agenda.is_quiet_until(at),
            Some(bound) => at < bound,
        }
    }

    /// Schedules a wake-up of an endpoint.
    #[inline(never)]
    pub(crate) fn wake(&mut self, at: Time, flow: FlowId, wakeup: Wakeup) {
        self.add_event(ENDPOINTS, Event::wakeup_of(flow, at, wakeup));
    }

    /// Schedules an event of a component.
    #[inline(always)]
    fn add_event(&mut self, component: usize, event: Event) {
        if let Some(slot) = self.agenda.add_own(component, event.at) {
            *slot = event;
        } else {
            let Self { agenda, hops, names, .. } = self;
            agenda.add_to_heap(component, event, Targets { hops, names });
        }
    }
}

#[cfg(test)]
mod tests;
