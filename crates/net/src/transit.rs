//! What happens to packets between their endpoints.

use ackclock_tcp::Receiver;
use ackclock_units::Time;

use crate::agenda::Agenda;
use crate::event::{Event, Wakeup};
use crate::flow::Alarm;
use crate::link::{Link, Offered, Wire};
use crate::observe::{Observation, Observer};
use crate::packet::{FlowId, LinkId, Names, Packet, Payload, SackId};
use crate::sack_store::SackStore;

/// The links, the receivers, and what each component has to do.
#[derive(Debug)]
pub(crate) struct Transit {
    pub(crate) wires: Vec<Wire>,
    pub(crate) links: Vec<Link>,
    /// The hops of all routes, one after the other.
    pub(crate) hops: Vec<Hop>,
    /// Where the data of each flow ends.
    pub(crate) destinations: Vec<Destination>,
    /// What the ACKs under way tell besides their number.
    pub(crate) sacks: SackStore,
    /// The endpoints' agenda is the first.
    pub(crate) agendas: Vec<Agenda>,
    pub(crate) names: Names,
    /// So far the component at work may go on.
    pub(crate) until: Time,
    /// The running component must stop after this number of events.
    pub(crate) last: u64,
    /// A flow that has sent all it may send in one event, and the time at which it continues before anything else happens.
    pub(crate) cut: Option<(FlowId, Time)>,
}

/// A step of a packet on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// Across a link, and how it gets from there to its next hop.
    Link {
        link: LinkId,
        next: Next,
    },
    /// Into the flow's receiver, or its sender.
    Receiver,
    Sender,
}

/// How a packet gets from a link to its next hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// In step: what enters there comes off this link only, and in that order. It needs no event.
    InStep,
    /// By an event of that component.
    Event(u16),
}

/// Where the data of a flow ends.
#[derive(Debug)]
pub(crate) enum Destination {
    Udp,
    Tcp {
        receiver: Receiver,
        /// Where in the table of hops its ACKs start.
        ack_hop: u32,
        alarm: Alarm,
        /// The connection that it is at.
        connection: u16,
    },
}

impl Destination {
    /// Where its ACKs start, if it sends any.
    pub(crate) const fn ack_hop(&self) -> Option<u32> {
        match self {
            Self::Udp => None,
            Self::Tcp { ack_hop, .. } => Some(*ack_hop),
        }
    }

    /// Bytes of memory beyond its own size.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Udp => 0,
            Self::Tcp { receiver, .. } => receiver.held(),
        }
    }

    /// Looks at what data will touch.
    pub(crate) const fn look(&self) -> u64 {
        match self {
            Self::Udp => 0,
            Self::Tcp { receiver, ack_hop, .. } => receiver.rcv_nxt() ^ *ack_hop as u64,
        }
    }
}

impl Transit {
    /// An endpoint sends a packet.
    #[inline(never)]
    pub(crate) fn send(&mut self, packet: &Packet, hop: u32, now: Time, observer: &mut impl Observer) {
        self.forward(packet, hop, now, observer);
    }

    /// A packet is at a hop, and goes on until its next event. If that leads data to its receiver, the answer goes on as well.
    #[inline(always)]
    pub(crate) fn forward(&mut self, packet: &Packet, hop: u32, now: Time, observer: &mut impl Observer) {
        if let Some(arrival) = self.cross(packet, hop, now, observer)
            && let Some((ack, hop)) = self.receive(packet, arrival, observer)
        {
            self.cross(&ack, hop, arrival, observer);
        }
    }

    /// A packet crosses the links before it, each at the time of its arrival there, until one needs an event. Returns when it
    /// reaches its receiver, if none does.
    #[inline(always)]
    fn cross(&mut self, packet: &Packet, mut hop: u32, mut now: Time, observer: &mut impl Observer) -> Option<Time> {
        while let Hop::Link { link, next } = self.hops[hop as usize] {
            let wire = &mut self.wires[link.0 as usize];
            let arrival = if let Some(arrival) = wire.take(packet.size, now) {
                if observer.watches(link) {
                    let (start, end) = wire.last();
                    observer.accepted(now, link, packet, start, end, arrival);
                }
                arrival
            } else {
                self.judge(link, packet, now, observer)?
            };
            (now, hop) = (arrival, hop + 1);
            if let Next::Event(component) = next {
                self.agendas[component as usize].add_arrival(now, self.names.link(link), hop, packet);
                return None;
            }
        }
        Some(now)
    }

    /// A packet that is not a usual one is offered to a link. Returns its arrival, unless it is dropped.
    #[inline(never)]
    fn judge(&mut self, id: LinkId, packet: &Packet, now: Time, observer: &mut impl Observer) -> Option<Time> {
        let (wire, link) = (&mut self.wires[id.0 as usize], &mut self.links[id.0 as usize]);
        link.catch_up(wire);
        let offered = link.offer(packet, now);
        *wire = link.wire();
        if observer.watches(id) {
            observer.observe(now, &Observation::Offered { link: id, packet, offered });
        }
        match (offered, packet.payload) {
            (Offered::Accepted { arrival, .. }, _) => return Some(arrival),
            (Offered::Dropped(_), Payload::Ack { sack, .. }) if sack != SackId::NONE => {
                self.sacks.take(sack);
            }
            (Offered::Dropped(_), _) => {}
        }
        None
    }

    /// A flow stops sending within an event: the event loop stops, too, and the flow continues first.
    #[cold]
    pub(crate) fn cut(&mut self, flow: FlowId, now: Time) {
        self.cut = Some((flow, now));
        self.last = 0;
    }

    /// A link, to look at.
    pub(crate) fn link(&mut self, link: LinkId) -> &mut Link {
        let at = link.0 as usize;
        self.links[at].catch_up(&self.wires[at]);
        &mut self.links[at]
    }

    /// Data reaches its receiver. Returns the ACK that leaves at once, and where to.
    #[inline(always)]
    fn receive(&mut self, packet: &Packet, now: Time, observer: &mut impl Observer) -> Option<(Packet, u32)> {
        let Destination::Tcp { receiver, ack_hop, connection, .. } = &mut self.destinations[packet.flow.0 as usize]
        else {
            observer.observe(now, &Observation::Delivered { packet, in_order: 1, duplicate: false });
            return None;
        };
        let (number, is_syn, of) = match packet.payload {
            Payload::Data { number, connection, .. } => (number, false, connection),
            Payload::Syn { connection, .. } | Payload::Ack { connection, .. } => (0, true, connection),
        };
        if of != *connection {
            // packets of a flow keep their order: nothing of an earlier connection comes after this
            debug_assert_eq!(of, connection.wrapping_add(1), "each connection is seen by its receiver");
            receiver.renew();
            *connection = of;
        }
        let syn = u64::from(is_syn && receiver.rcv_nxt() == 0);
        let before = receiver.rcv_nxt() + syn;
        let ack =
            receiver.handle_segment(number, now).map(|ack| self.sacks.packet(packet.flow, of, ack, now, observer));
        let (in_order, ack_hop) = (receiver.rcv_nxt() - before, *ack_hop);
        let duplicate = in_order == 0 && receiver.had_it();
        observer.observe(now, &Observation::Delivered { packet, in_order, duplicate });
        if ack.is_none() {
            self.arm_delayed_ack(packet.flow);
        }
        Some((ack?, ack_hop))
    }

    /// A receiver may have waited long enough with its ACK.
    pub(crate) fn delayed_ack(&mut self, flow: FlowId, now: Time, observer: &mut impl Observer) {
        let Destination::Tcp { receiver, alarm, ack_hop, connection } = &mut self.destinations[flow.0 as usize] else {
            return;
        };
        if alarm.fires(now, receiver.poll_timeout()) {
            let hop = *ack_hop;
            let ack = self.sacks.packet(flow, *connection, receiver.handle_timeout(), now, observer);
            self.send(&ack, hop, now, observer);
        } else {
            self.arm_delayed_ack(flow);
        }
    }

    fn arm_delayed_ack(&mut self, flow: FlowId) {
        let Destination::Tcp { receiver, alarm, .. } = &mut self.destinations[flow.0 as usize] else { return };
        if let Some(at) = alarm.arm(receiver.poll_timeout()) {
            self.wake(at, flow, Wakeup::DelayedAck);
        }
    }

    /// Packets of a flow's data that its receiver has in order; `None` where nobody keeps them in order.
    pub(crate) fn received(&self, flow: usize) -> Option<u64> {
        match &self.destinations[flow] {
            Destination::Udp => None,
            Destination::Tcp { receiver, .. } => Some(receiver.received()),
        }
    }

    /// The links of a route that starts here.
    pub(crate) fn links_from(&self, hop: u32) -> impl Iterator<Item = LinkId> {
        self.hops[hop as usize..].iter().map_while(|hop| match hop {
            Hop::Link { link, .. } => Some(*link),
            Hop::Receiver | Hop::Sender => None,
        })
    }

    /// Whether the component of the endpoints, which is at work, has nothing to do before and at that time.
    #[inline(always)]
    pub(crate) fn is_quiet_until(&self, at: Time) -> bool {
        at < self.until && self.agendas[0].is_quiet_until(at)
    }

    /// An endpoint is to be woken.
    #[inline(never)]
    pub(crate) fn wake(&mut self, at: Time, flow: FlowId, wakeup: Wakeup) {
        self.agendas[0].add(Event::wakeup_of(flow, self.names.flow(flow), at, wakeup));
    }
}
