//! A path between the sender and a receiver, for scripts that state what happens on a network instead of each ACK.
//!
//! The command `ackclock path KEY=VALUE ...` begins it, and changes it later. A bottleneck serves packets in order; a packet
//! that finds `buffer` others waiting is dropped. The receiver is that of the sender's profile.

mod change;

use std::collections::BTreeMap;

use ackclock_tcp::{Mark, ReceiverConfig, Segment};
use ackclock_units::{Rate, Time};

use crate::host::{Host, OwnAck};

pub(crate) use change::{Change, time};

/// A path with packets and ACKs on their way.
#[derive(Debug)]
pub(crate) struct Path {
    rate: Rate,
    rtt: Time,
    buffer: u64,
    /// Number of the next packets that are lost.
    lose: u64,
    /// Each packet with this place is lost; 0: none.
    lose_every: u64,
    /// By how much the next packet is late.
    hold: Option<Time>,
    /// ACKs arrive at multiples of this time.
    aggregate: Time,
    policer: Option<Policer>,
    /// Number of packets sent on the path.
    count: u64,
    /// When the bottleneck has served everything.
    free: Time,
    host: Host,
    /// Packets and ACKs, by the time of arrival, then in the order of sending.
    packets: BTreeMap<(Time, u64), (u64, Mark)>,
    acks: BTreeMap<(Time, u64), OwnAck>,
    serial: u64,
}

/// A token bucket that drops what does not conform.
#[derive(Clone, Copy, Debug)]
struct Policer {
    rate: Rate,
    burst: u64,
    /// When the bucket would be empty.
    empty: Time,
}

impl Policer {
    /// Whether a packet of `each` at the rate conforms.
    fn accepts(&mut self, bytes: u32, now: Time) -> bool {
        let each = self.rate.transmission_time(bytes);
        let begins = self.empty.max(now.saturating_sub(each.saturating_mul(self.burst)));
        let conforms = begins.saturating_add(each) <= now;
        if conforms {
            self.empty = begins.saturating_add(each);
        }
        conforms
    }
}

impl Path {
    /// An empty path after the handshake.
    pub(crate) fn new(receiver: ReceiverConfig) -> Self {
        Self {
            rate: Rate::from_mbps(10),
            rtt: Time::from_millis(100),
            buffer: 1_000,
            lose: 0,
            lose_every: 0,
            hold: None,
            aggregate: Time::ZERO,
            policer: None,
            count: 0,
            free: Time::ZERO,
            host: Host::new(receiver),
            packets: BTreeMap::new(),
            acks: BTreeMap::new(),
            serial: 0,
        }
    }

    /// Sends a segment on the path. Returns whether it will arrive.
    pub(crate) fn carry(&mut self, at: Time, segment: Segment) -> bool {
        self.count += 1;
        if self.lose > 0 {
            self.lose -= 1;
            return false;
        }
        if self.lose_every > 0 && self.count.is_multiple_of(self.lose_every)
            || self.policer.as_mut().is_some_and(|policer| !policer.accepts(segment.size, at))
        {
            return false;
        }
        let each = self.rate.transmission_time(segment.size);
        let begins = self.free.max(at);
        if (begins - at).as_picos() > each.as_picos().saturating_mul(self.buffer) {
            return false;
        }
        self.free = begins.saturating_add(each);
        let arrival = self.free.saturating_add(self.hold.take().unwrap_or_default());
        let Segment { number, cwr, retransmission, pushed, .. } = segment;
        let probe = segment.is_probe();
        let mark = Mark { ce: false, cwr, again: retransmission, sent: at, pushed, probe };
        self.serial += 1;
        self.packets.insert((arrival, self.serial), (number, mark));
        true
    }

    /// When something happens on the path next.
    pub(crate) fn due(&self) -> Option<Time> {
        let packet = self.packets.first_key_value().map(|((at, _), _)| *at);
        let ack = self.acks.first_key_value().map(|((at, _), _)| *at);
        [packet, ack, self.host.due()].into_iter().flatten().min()
    }

    /// Lets happen what is due at `now`: returns an ACK that arrives at the sender.
    pub(crate) fn act(&mut self, now: Time) -> Option<OwnAck> {
        let is_due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if is_due(self.acks.first_key_value().map(|((at, _), _)| *at)) {
            return self.acks.pop_first().map(|(_, ack)| ack);
        }
        if is_due(self.host.due()) {
            if let Some(ack) = self.host.act() {
                self.answer(now, ack);
            }
        } else if let Some((_, (number, mark))) = self.packets.pop_first() {
            for ack in self.host.receive(number, mark, now) {
                self.answer(now, ack);
            }
        }
        None
    }

    fn answer(&mut self, now: Time, ack: OwnAck) {
        let mut arrival = now.saturating_add(self.rtt);
        if self.aggregate > Time::ZERO {
            let bursts = arrival.as_picos().div_ceil(self.aggregate.as_picos());
            arrival = self.aggregate.saturating_mul(bursts);
        }
        self.serial += 1;
        self.acks.insert((arrival, self.serial), ack);
    }
}
