//! Events and their order.
//!
//! Events are sorted by time, and then by kind and target. Events are never cancelled: a component stores its deadlines
//! in fields and has at most one relevant wake-up of each kind; a wake-up that comes too early is ignored or
//! rescheduled.
//!
//! **Ties.** Events with equal times run by kind, in the order of [`Wakeup`]'s variants, and within a kind by a hash of
//! time and id. The order is thus a property of the model, not of the queue: it does not depend on the order of
//! scheduling, and no component wins every tie, as the component with the lowest id would if ids broke ties.

use ackclock_units::Time;

use crate::endpoint::sack_store::SackStore;
use crate::engine::hop::{Hop, Stop};
use crate::packet::{FlowId, Header, LinkId, Name, Names, Packet, SackId};

/// The kind of a wake-up. The order of the variants breaks ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wakeup {
    /// A packet reaches the end of a link.
    Arrival,
    /// A flow's receiver must send its delayed ACK.
    DelayedAck,
    /// A flow's source has data for which the sender waits.
    Source,
    /// A flow's sender has finished processing.
    Release,
    /// A flow's retransmission timer may have expired.
    Timeout,
    /// A client, identified by its first flow, has a request.
    Request,
    /// A flow's connection is complete.
    Close,
    /// A flow's source pauses, and drops what is unfinished.
    Pause,
    /// A link that stores packets may start the next transmission, or delayed ACKs may enter a link that does not.
    Departure,
    /// A packet of a flow whose sender limits its packets in the queue of its host has left the first link.
    Left,
    /// A flow gets other parameters of its law, or another path.
    Change,
}

/// An event at a point in time: 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Time of the event.
    pub(crate) at: Time,
    /// The arriving packet, or an empty packet of the flow that the event concerns; the address may also be a link. In an
    /// ACK with SACK blocks, the id of the blocks takes the place of the number, which is stored with the blocks.
    sent: Time,
    header: Header,
    address: u32,
    /// The [`Stop`] of an arriving packet, or a value above [`ARRIVAL`] for each other kind of wake-up.
    stop: u32,
}

const _: () = assert!(size_of::<Event>() == 32, "half a cache line");

/// Upper limit of stops. Larger values are wake-ups other than an arrival.
const ARRIVAL: u32 = Stop::LIMIT;
/// The value for a departure.
const DEPARTURE: u32 = ARRIVAL + 8;

impl Event {
    /// A placeholder where there is no event.
    pub(crate) const NONE: Self = Self::new(Time::ZERO, 0, Packet::NONE);

    #[inline(always)]
    const fn new(at: Time, stop: u32, packet: Packet) -> Self {
        let (sent, header, address, _) = packet.into_parts();
        Self { at, sent, header, address, stop }
    }

    /// Arrival of a packet at a stop.
    #[inline(always)]
    pub(crate) fn arrival(at: Time, Stop(stop): Stop, packet: &Packet) -> Self {
        let mut event = Self::new(at, stop, *packet);
        if event.header.has_sack() {
            event.header = event.header.with_sack(packet.sack());
        }
        event
    }

    /// Wake-up of a flow at `at`, of a kind other than an arrival.
    pub(crate) const fn wakeup_of(flow: FlowId, at: Time, wakeup: Wakeup) -> Self {
        let stop = match wakeup {
            Wakeup::Arrival => ARRIVAL,
            Wakeup::DelayedAck => ARRIVAL + 1,
            Wakeup::Source => ARRIVAL + 2,
            Wakeup::Release => ARRIVAL + 3,
            Wakeup::Timeout => ARRIVAL + 4,
            Wakeup::Request => ARRIVAL + 5,
            Wakeup::Close => ARRIVAL + 6,
            Wakeup::Pause => ARRIVAL + 7,
            Wakeup::Departure => DEPARTURE,
            Wakeup::Left => DEPARTURE + 1,
            Wakeup::Change => DEPARTURE + 2,
        };
        Self::new(at, stop, Packet::empty(flow))
    }

    /// The end of a transmission of a link that stores packets, or the time of delayed ACKs that enter another link.
    pub(crate) const fn departure(LinkId(link): LinkId, at: Time) -> Self {
        Self { address: link, ..Self::wakeup_of(FlowId(0), at, Wakeup::Departure) }
    }

    /// Whether the event is the end of a transmission.
    #[inline(always)]
    pub(crate) const fn is_departure(&self) -> bool {
        self.stop == DEPARTURE
    }

    /// The link of a departure.
    pub(crate) const fn link(&self) -> LinkId {
        debug_assert!(self.is_departure(), "only a departure has a link");
        LinkId(self.address)
    }

    /// Where the packet of an arrival is.
    #[inline(always)]
    pub(crate) const fn stop(&self) -> Stop {
        debug_assert!(self.is_arrival(), "only an arrival has a stop");
        Stop(self.stop)
    }

    /// Whether the event is the arrival of a packet.
    #[inline(always)]
    pub(crate) const fn is_arrival(&self) -> bool {
        self.stop < ARRIVAL
    }

    /// Whether the event is the arrival of an ACK at its sender, or a wake-up.
    #[inline(always)]
    pub(crate) const fn is_for_sender(&self) -> bool {
        !self.is_arrival() || self.stop().is_sender()
    }

    /// The flow that the event concerns, unless it is a departure.
    #[inline(always)]
    pub(crate) const fn flow(&self) -> FlowId {
        Packet::from_parts(self.sent, self.header, self.address, SackId::NONE).flow()
    }

    /// The arriving packet.
    #[inline(always)]
    pub(crate) fn packet(&self, sacks: &SackStore) -> Packet {
        let (mut header, mut sack) = (self.header, SackId::NONE);
        if header.has_sack() {
            sack = header.sack();
            header = header.with_number(sacks.next(sack));
        }
        Packet::from_parts(self.sent, header, self.address, sack)
    }

    /// The kind of wake-up.
    pub(crate) const fn wakeup(&self) -> Wakeup {
        match self.stop.saturating_sub(ARRIVAL) {
            0 => Wakeup::Arrival,
            1 => Wakeup::DelayedAck,
            2 => Wakeup::Source,
            3 => Wakeup::Release,
            4 => Wakeup::Timeout,
            5 => Wakeup::Request,
            6 => Wakeup::Close,
            7 => Wakeup::Pause,
            8 => Wakeup::Departure,
            9 => Wakeup::Left,
            _ => Wakeup::Change,
        }
    }

    /// The position of the event in the order of all events.
    pub(crate) fn key(&self, targets: Targets<'_>) -> Key {
        let id = targets.id(self);
        Key { at: self.at, kind: self.stop.max(ARRIVAL), coin: coin(self.at, id), id }
    }
}

/// Sort key of events: time, kind, a fair coin, and the global id of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) at: Time,
    kind: u32,
    coin: u64,
    id: u32,
}

impl Key {
    /// The key of the arrival of a packet at the end of a link.
    pub(crate) const fn of_arrival(at: Time, Name(id): Name) -> Self {
        Self { at, kind: ARRIVAL, coin: coin(at, id), id }
    }

    /// The key of the end of a transmission of a link.
    pub(crate) const fn of_departure(at: Time, Name(id): Name) -> Self {
        Self { at, kind: DEPARTURE, coin: coin(at, id), id }
    }

    /// Whether the event is before all departures at `now`.
    pub(crate) fn is_before_departures_at(&self, now: Time) -> bool {
        self.at < now || self.at == now && self.kind < DEPARTURE
    }
}

/// A pseudo-random number for each pair (time, id), which breaks ties fairly.
const fn coin(at: Time, id: u32) -> u64 {
    let id = (id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let key = (at.as_picos() ^ id).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (key ^ (key >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// The targets of events, which break ties: the flow of a wake-up, and the link at whose end a packet arrives or which
/// starts a transmission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Targets<'a> {
    pub(crate) hops: &'a [Hop],
    pub(crate) names: &'a Names,
}

impl Targets<'_> {
    /// Global id of an event's target.
    fn id(&self, event: &Event) -> u32 {
        let Name(id) = if event.is_arrival() {
            self.names.link(self.hops[event.stop().index() - 1].link)
        } else if event.is_departure() {
            self.names.link(event.link())
        } else {
            self.names.flow(event.flow())
        };
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::LinkId;

    #[test]
    fn ties_fall_by_kind_and_then_fairly() {
        use Wakeup::{Change, Close, DelayedAck, Departure, Left, Pause, Release, Request, Source, Timeout};
        let hops = [Hop::new(LinkId(9))];
        let names = Names::default();
        let key = |event: Event| event.key(Targets { hops: &hops, names: &names });
        let event = |at, id, wakeup| Event::wakeup_of(FlowId(id), at, wakeup);
        let order = [DelayedAck, Source, Release, Timeout, Request, Close, Pause, Left, Change];
        for (first, second) in order.iter().zip(&order[1..]) {
            assert!(key(event(Time::SECOND, 9, *first)) < key(event(Time::SECOND, 0, *second)));
            assert_eq!(event(Time::SECOND, 9, *first).wakeup(), *first);
        }
        let departure = Event::departure(LinkId(7), Time::SECOND);
        assert!(key(event(Time::SECOND, 9, Pause)) < key(departure));
        assert!(key(departure) < key(event(Time::SECOND, 0, Left)));
        assert_eq!((departure.wakeup(), departure.link(), key(departure).id), (Departure, LinkId(7), 7));
        let arrival = Event::arrival(Time::SECOND, Stop(1), &Packet::empty(FlowId(3)));
        assert!(key(arrival) < key(event(Time::SECOND, 0, Wakeup::DelayedAck)));
        assert_eq!((arrival.wakeup(), arrival.stop(), key(arrival).id), (Wakeup::Arrival, Stop(1), 9));
        let wins = (0..10_000_u64)
            .filter(|slot| {
                let key = |id| key(event(Time::from_picos(slot * 240_000_000), id, Wakeup::Release));
                key(0) < key(1)
            })
            .count();
        assert!((4_800..5_200).contains(&wins), "four standard deviations of a fair coin are 200: {wins}");
    }
}
