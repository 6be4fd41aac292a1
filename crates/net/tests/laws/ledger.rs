//! Somebody who writes down all that can be watched of a run.

use ackclock_net::link::Offered;
use ackclock_net::{Observation, Observer, Packet, Payload, Plan, Simulator};
use ackclock_units::Time;

/// A packet offered to a link, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) link: u32,
    pub(crate) at: Time,
    pub(crate) packet: Packet,
    pub(crate) offered: Offered,
}

/// What happened before the end of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    end: Time,
    pub(crate) offers: Vec<Offer>,
    /// Data that reached its receiver, and how much was newly in order.
    pub(crate) delivered: Vec<(Time, Packet, u64)>,
    /// ACKs that reached their senders: flow and number.
    pub(crate) acked: Vec<(Time, u32, u64)>,
    pub(crate) turns: Vec<(Time, u32)>,
}

impl Observer for Ledger {
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        if now >= self.end {
            return; // followed beyond the end, since nothing can interfere
        }
        match seen {
            Observation::Offered { link, packet, offered } => {
                self.offers.push(Offer { link: link.0, at: now, packet: **packet, offered: *offered });
            }
            Observation::Delivered { packet, in_order, .. } => self.delivered.push((now, **packet, *in_order)),
            Observation::Acked { flow, ack, .. } => self.acked.push((now, flow.0, ack.next)),
            Observation::Turn { flow, .. } => self.turns.push((now, flow.0)),
            Observation::Selective { .. } | Observation::TransferBegins { .. } => {}
        }
    }
}

impl Ledger {
    /// An empty one, for what happens before `end`.
    pub(crate) fn until(end: Time) -> Self {
        Self { end, ..Self::default() }
    }

    /// The ledger of a run that is interrupted at these times, and the simulator at its end.
    pub(crate) fn of(plan: &Plan, seed: u64, stops: &[Time]) -> (Self, Simulator) {
        let mut ledger = Self::until(plan.duration);
        let mut simulator = Simulator::new(plan, seed).expect("the plan is sound");
        for stop in stops.iter().chain([&plan.duration]) {
            simulator.run_until(*stop, &mut ledger);
        }
        (ledger, simulator)
    }

    /// The ledger of a run that stops after each `most` events.
    pub(crate) fn cut(plan: &Plan, seed: u64, most: u64) -> Self {
        let mut ledger = Self::until(plan.duration);
        let mut simulator = Simulator::new(plan, seed).expect("the plan is sound");
        loop {
            let before = simulator.events();
            let is_there = simulator.run_some(plan.duration, most, &mut ledger);
            assert!(simulator.events() - before <= most, "no more events than were allowed");
            if is_there {
                return ledger;
            }
        }
    }

    /// The same by link and endpoint: across them, packets that are followed ahead may be written down in another order.
    pub(crate) fn by_place(mut self) -> Self {
        self.offers.sort_by_key(|offer| offer.link);
        self.delivered.sort_by_key(|(_, packet, _)| packet.flow);
        self.acked.sort_by_key(|(_, flow, _)| *flow);
        self.turns.sort_by_key(|(_, flow)| *flow);
        for offer in &mut self.offers {
            offer.packet = nameless(offer.packet);
        }
        self
    }
}

/// A packet without the place where its blocks are kept, which depends on what else is under way as it is followed.
fn nameless(packet: Packet) -> Packet {
    let payload = match packet.payload {
        Payload::Ack { next, .. } => Payload::Data { number: next, retransmission: false },
        other => other,
    };
    Packet { payload, ..packet }
}

/// What a packet is, to tell it from others: flow, whether it is an ACK, and its number.
pub(crate) const fn name(packet: &Packet) -> (u32, bool, u64) {
    match packet.payload {
        Payload::Syn { .. } => (packet.flow.0, false, 0),
        Payload::Data { number, .. } => (packet.flow.0, false, number),
        Payload::Ack { next, .. } => (packet.flow.0, true, next),
    }
}
