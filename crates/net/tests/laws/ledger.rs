//! An observer that records every observable event of a run.

use ackclock_net::link::Offered;
use ackclock_net::{Observation, Observer, Packet, Payload, Plan, Simulator};
use ackclock_units::Time;

/// A packet offered to a link, with the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) link: u32,
    pub(crate) at: Time,
    pub(crate) packet: Packet,
    pub(crate) offered: Offered,
}

/// A packet that leaves the queue of a link that stored it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leave {
    pub(crate) link: u32,
    pub(crate) at: Time,
    pub(crate) packet: Packet,
    pub(crate) since: Time,
    pub(crate) fate: Offered,
}

/// The events observed before the end of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    end: Time,
    pub(crate) offers: Vec<Offer>,
    pub(crate) left: Vec<Leave>,
    /// Data packets that reached their receivers: time, packet, and number of segments newly in order.
    pub(crate) delivered: Vec<(Time, Packet, u64)>,
    /// ACKs that reached their senders: time, flow, and number as given by [`name`].
    pub(crate) acked: Vec<(Time, u32, u64)>,
    pub(crate) turns: Vec<(Time, u32)>,
}

impl Observer for Ledger {
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        if now >= self.end {
            return; // the engine follows packets beyond the end while nothing can interfere
        }
        match seen {
            Observation::Offered { link, packet, offered } => {
                self.offers.push(Offer { link: link.0, at: now, packet: **packet, offered: *offered });
            }
            Observation::Left { link, packet, since, fate } => {
                self.left.push(Leave { link: link.0, at: now, packet: **packet, since: *since, fate: *fate });
            }
            Observation::Delivered { packet, in_order, .. } => self.delivered.push((now, **packet, *in_order)),
            Observation::Acked { flow, connection, ack, .. } => {
                self.acked.push((now, flow.0, number(*connection, ack.next)));
            }
            Observation::Reported { flow, number, .. } => self.acked.push((now, flow.0, *number)),
            Observation::Turn { flow, .. } => self.turns.push((now, flow.0)),
            Observation::Selective { .. }
            | Observation::TransferBegins { .. }
            | Observation::PageEnds { .. }
            | Observation::Playback { .. } => {}
        }
    }
}

impl Ledger {
    /// An empty ledger for events before `end`.
    pub(crate) fn until(end: Time) -> Self {
        Self { end, ..Self::default() }
    }

    /// Runs a plan with interruptions at the given times. Returns the ledger and the simulator.
    pub(crate) fn of(plan: &Plan, seed: u64, stops: &[Time]) -> (Self, Simulator) {
        let mut ledger = Self::until(plan.duration);
        let mut simulator = Simulator::new(plan, seed).expect("the plan is sound");
        for stop in stops.iter().chain([&plan.duration]) {
            simulator.run_until(*stop, &mut ledger);
        }
        (ledger, simulator)
    }

    /// Runs a plan with an interruption after every `most` events. Returns the ledger.
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

    /// Sorts events by link and endpoint. Their order across links and endpoints may vary, because the engine follows
    /// some packets ahead of time.
    pub(crate) fn by_place(mut self) -> Self {
        self.offers.sort_by_key(|offer| offer.link);
        self.left.sort_by_key(|leave| leave.link);
        self.delivered.sort_by_key(|(_, packet, _)| packet.flow());
        self.acked.sort_by_key(|(_, flow, _)| *flow);
        self.turns.sort_by_key(|(_, flow)| *flow);
        for offer in &mut self.offers {
            offer.packet = nameless(offer.packet);
        }
        for leave in &mut self.left {
            leave.packet = nameless(leave.packet);
        }
        self
    }
}

/// Removes the id of an ACK's SACK blocks from a packet: the id depends on which other packets are in flight at that
/// moment.
fn nameless(packet: Packet) -> Packet {
    let Payload::Ack { next, connection, .. } = packet.payload() else { return packet };
    let payload = Payload::Data { number: next, retransmission: false, connection };
    Packet::new(packet.flow(), packet.size(), payload, packet.sent)
}

/// A segment number that is unique across all connections of its flow.
const fn number(connection: u16, segment: u64) -> u64 {
    (connection as u64) << 48 | segment
}

/// Identifies a packet: flow, whether it is an ACK, and its number, which is unique across connections.
pub(crate) const fn name(packet: &Packet) -> (u32, bool, u64) {
    match packet.payload() {
        Payload::Syn { connection, .. } => (packet.flow().0, false, number(connection, 0)),
        Payload::Data { number: segment, connection, .. } => (packet.flow().0, false, number(connection, segment)),
        Payload::Ack { next, connection, .. } => (packet.flow().0, true, number(connection, next)),
    }
}

/// The inverse of [`number`]: the connection, and the segment within it.
pub(crate) const fn segment(number: u64) -> (u64, u64) {
    (number >> 48, number & 0xffff_ffff_ffff)
}
