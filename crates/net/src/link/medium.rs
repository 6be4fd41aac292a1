//! A medium that several links share, one transmission at a time: the air of a wireless last hop.
//!
//! Follows IEEE Std 802.11-2016: contention (10.22.2, one access category), aggregates of packets (A-MPDU, 10.13) and
//! block acknowledgements (10.24), with the air times of OFDM (19.4.3). All constants belong to the medium
//! ([`MediumSpec`]). Each link has a rate, a queue and losses of its own.
//!
//! - **Stations.** Links that begin at one node are a *station*, with one backoff: an access point has a link to each
//!   client, and a client has one link. A station that has packets draws a number of slots from 0 to its contention
//!   window, and transmits when as many slots have passed since the medium has been idle for `aifs`. A transmission of
//!   others ends one slot of each backoff (as in Bianchi, "Performance analysis of the IEEE 802.11 distributed
//!   coordination function", 2000). After its transmission a station draws again, also if it has no more packets. A
//!   packet that finds the medium idle and the last backoff at an end is sent in the next slot.
//! - **Collisions.** Stations that begin in the same slot collide, and none of their packets arrives. The contention
//!   window doubles when no packet of a transmission arrives, up to `cw_max`; it returns to `cw_min` when one arrives
//!   or is given up.
//! - **Aggregates.** A transmission holds packets of one link, up to limits of number, bytes and time. It takes
//!   the preamble and whole symbols, and then `sifs` and an acknowledgement. Its packets arrive at its end, one
//!   picosecond apart.
//! - **Losses.** The losses of a link `after` its transmission are those of single packets of an aggregate. Such packets
//!   are sent again with the next aggregate, up to `retries` times, and then they are lost. The receiver's reorder buffer
//!   keeps the order: packets that follow a missing one wait until it arrives or is given up. No more than
//!   `aggregate_packets` packets are beyond a missing one (the block acknowledgement window).
//! - **Turns of an access point.** [`Schedule::Turns`] serves the links of a station in turn, an aggregate each.
//!   [`Schedule::Airtime`] gives the links equal air time with a deficit round robin: Høiland-Jørgensen, Kazior, Täht,
//!   Hurtig and Brunstrom, "Ending the Anomaly: Achieving Low Latency and Airtime Fairness in WiFi" (USENIX ATC 2017),
//!   algorithm 3. What a client sends is charged to the link towards it while packets wait there.
//!
//! Differences from the standard and the paper: every station hears all others; there are no RTS, no beacons, no bursts
//! of several transmissions, no capture and no lost acknowledgements; stations wait as long for an acknowledgement that
//! does not come, and after a collision, as one takes; slots continue while the medium is idle; a receiver learns at once
//! that a packet was given up; rates are given, not adapted; and the list of new stations is missing.

mod frames;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use ackclock_units::{Rate, Stream, Time};

use crate::link::backlog::INSTANT;
use crate::link::rate::BYTE;
use crate::link::served::ServedLink;
use crate::packet::LinkId;
use crate::queue::stored::Queued;
use frames::{DELIMITER, Frame};
pub use frames::{MediumSpec, Schedule};

/// Air time that a link gets per turn of the deficit round robin, in picoseconds: 300 us.
const QUANTUM: i64 = 300_000_000;

/// A packet that a link has taken from its queue.
#[derive(Clone, Copy, Debug)]
struct Held {
    queued: Queued,
    tries: u32,
    /// Its last transmission and whether it is lost, when it has arrived or is given up.
    settled: Option<(Time, Time, bool)>,
}

/// A link of the medium.
#[derive(Debug)]
struct Member {
    link: LinkId,
    /// Its place among the links that store packets.
    served: u32,
    station: u32,
    /// The opposite link.
    partner: Option<u32>,
    rate: Rate,
    /// The packets from the first missing one on.
    held: VecDeque<Held>,
    /// Whether the link is among the turns of its station, and the air time that is left of its turn.
    in_turn: bool,
    deficit: i64,
    /// When the last packet that has left began its transmission.
    last: Time,
    /// Air time of its transmissions in the measured time.
    air: Time,
}

/// The links that begin at one node.
#[derive(Debug)]
struct Station {
    draws: Stream,
    window: u32,
    /// The slot in which the backoff ends.
    ready: u64,
    is_waiting: bool,
    turns: VecDeque<u32>,
}

/// A packet that leaves its link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossed {
    pub(crate) link: LinkId,
    pub(crate) queued: Queued,
    pub(crate) start: Time,
    pub(crate) end: Time,
    pub(crate) arrival: Time,
    pub(crate) lost: bool,
    /// When its sender learns that it has left.
    pub(crate) acknowledged: Time,
}

/// What an access to the medium results in. Its memory is used again.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    /// The links whose queues were asked for packets.
    pub(crate) asked: Vec<LinkId>,
    pub(crate) crossed: Vec<Crossed>,
}

/// A medium and the stations that share it.
#[derive(Debug)]
pub(crate) struct Medium {
    spec: MediumSpec,
    stations: Vec<Station>,
    members: Vec<Member>,
    /// The stations with packets, by the slots in which they transmit.
    waiting: BinaryHeap<Reverse<(u64, u32)>>,
    /// The number of a slot, and when it begins. The medium is busy until then.
    slot: u64,
    begins: Time,
    /// When the next station transmits; [`Time::MAX`] if none waits. Events at other times are late.
    due: Time,
    /// The transmissions that begin in this slot.
    frames: Vec<(u32, Frame)>,
    exchange: Exchange,
    /// The measured time, and for how much of it the medium was busy.
    measured: [Time; 2],
    busy: Time,
}

impl Medium {
    /// A medium without links.
    pub(crate) fn new(spec: MediumSpec, measured: [Time; 2]) -> Self {
        Self {
            spec,
            stations: Vec::new(),
            members: Vec::new(),
            waiting: BinaryHeap::new(),
            slot: 0,
            begins: Time::ZERO,
            due: Time::MAX,
            frames: Vec::new(),
            exchange: Exchange::default(),
            measured,
            busy: Time::ZERO,
        }
    }

    /// Adds a station. Returns its number.
    pub(crate) fn add_station(&mut self, draws: Stream) -> u32 {
        let window = self.spec.cw_min;
        self.stations.push(Station { draws, window, ready: 0, is_waiting: false, turns: VecDeque::new() });
        self.stations.len() as u32 - 1
    }

    /// Adds a link of a station; `partner` is the number of the opposite link, if it is there already. Returns the
    /// number of the link on this medium.
    pub(crate) fn add_link(
        &mut self,
        link: LinkId,
        served: u32,
        station: u32,
        partner: Option<u32>,
        rate: Rate,
    ) -> u32 {
        let number = self.members.len() as u32;
        if let Some(partner) = partner {
            self.members[partner as usize].partner = Some(number);
        }
        self.members.push(Member {
            link,
            served,
            station,
            partner,
            rate,
            held: VecDeque::new(),
            in_turn: false,
            deficit: 0,
            last: Time::ZERO,
            air: Time::ZERO,
        });
        number
    }

    /// Air time of a link and busy time of the medium, in the measured time.
    pub(crate) fn times(&self, member: u32) -> [Time; 2] {
        [self.members[member as usize].air, self.busy]
    }

    /// Heap memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        let held: usize = self.members.iter().map(|member| member.held.capacity()).sum();
        let turns: usize = self.stations.iter().map(|station| station.turns.capacity()).sum();
        held * size_of::<Held>()
            + turns * size_of::<u32>()
            + self.members.capacity() * size_of::<Member>()
            + self.stations.capacity() * size_of::<Station>()
            + self.exchange.crossed.capacity() * size_of::<Crossed>()
    }

    /// Lets a link with a new packet contend for the medium. Returns when an event must call [`access`](Self::access),
    /// unless one is pending.
    pub(crate) fn contend(&mut self, member: u32, now: Time) -> Option<Time> {
        let own = &mut self.members[member as usize];
        let number = own.station;
        let station = &mut self.stations[number as usize];
        if !std::mem::replace(&mut own.in_turn, true) {
            station.turns.push_back(member);
        }
        if station.is_waiting {
            return None;
        }
        if now < self.begins {
            if station.ready < self.slot {
                station.draw(self.slot);
            }
        } else {
            let slots = (now - self.begins).as_picos().div_ceil(self.spec.slot.as_picos());
            station.ready = station.ready.max(self.slot + slots);
        }
        self.wait(number);
        self.next()
    }

    /// Lets a station wait for the end of its backoff.
    fn wait(&mut self, number: u32) {
        let station = &mut self.stations[number as usize];
        station.is_waiting = true;
        self.waiting.push(Reverse((station.ready, number)));
    }

    /// When the next station transmits, if no event is pending at that time or before.
    fn next(&mut self) -> Option<Time> {
        let Reverse((slot, _)) = self.waiting.peek()?;
        let at = self.begins.saturating_add(self.spec.slot.saturating_mul(slot - self.slot));
        let is_earlier = at < self.due;
        self.due = self.due.min(at);
        is_earlier.then_some(at)
    }

    /// Starts the transmissions of the slot that begins at `now`, if stations wait for it. Returns when the next event is
    /// due, unless one is pending. The [`Exchange`] has the packets that leave their links.
    pub(crate) fn access(&mut self, served: &mut [ServedLink], now: Time) -> Option<Time> {
        if now != self.due {
            return None;
        }
        self.due = Time::MAX;
        let Reverse((slot, _)) = *self.waiting.peek()?;
        (self.slot, self.begins) = (slot, now);
        while let Some(Reverse((_, number))) = self.waiting.peek().copied().filter(|Reverse((at, _))| *at == slot) {
            self.waiting.pop();
            self.stations[number as usize].is_waiting = false;
            if let Some(frame) = self.choose(number, served, now) {
                self.frames.push(frame);
            }
        }
        if !self.frames.is_empty() {
            self.transmit(served, now);
        }
        self.next()
    }

    /// The next transmission of a station.
    fn choose(&mut self, number: u32, served: &mut [ServedLink], now: Time) -> Option<(u32, Frame)> {
        let mut passed = 0;
        while let Some(member) = self.stations[number as usize].turns.front().copied() {
            let own = &mut self.members[member as usize];
            let turns = &mut self.stations[number as usize].turns;
            if self.spec.schedule == Schedule::Airtime && own.deficit <= 0 {
                own.deficit += QUANTUM;
                turns.rotate_left(1);
                passed += 1;
                if passed == turns.len() {
                    self.skip_rounds(number);
                    passed = 0;
                }
                continue;
            }
            self.exchange.asked.push(own.link);
            let frame = own.fill(&self.spec, &mut served[own.served as usize], now);
            if frame.packets > 0 {
                return Some((member, frame));
            }
            // the discipline has dropped what was left
            own.in_turn = false;
            turns.pop_front();
        }
        None
    }

    /// Makes all rounds of the deficit round robin at once in which no link of a station gets a turn: a slow transmission
    /// may cost any number of them.
    fn skip_rounds(&mut self, number: u32) {
        let Self { stations, members, .. } = self;
        let turns = &stations[number as usize].turns;
        let rounds = |member: &u32| -members[*member as usize].deficit.min(0) / QUANTUM;
        let rounds = turns.iter().map(rounds).min().unwrap_or_default();
        for member in turns {
            members[*member as usize].deficit += rounds * QUANTUM;
        }
    }

    /// Makes the transmissions of this slot.
    fn transmit(&mut self, served: &mut [ServedLink], now: Time) {
        let collides = self.frames.len() > 1;
        let mut until = now;
        self.slot += 1;
        let mut frames = std::mem::take(&mut self.frames);
        for (member, frame) in frames.drain(..) {
            let own = &mut self.members[member as usize];
            let link = &mut served[own.served as usize];
            let acknowledged = own.end_of(&self.spec, frame, now).saturating_add(self.spec.answer(frame));
            until = until.max(acknowledged);
            let succeeds = own.send(&self.spec, frame, now, |queued, end| collides || link.loses(&queued.packet, end));
            own.release(&self.spec, (frame, now, acknowledged), link, &mut self.exchange.crossed);
            let (air, number) = (acknowledged - now, own.station);
            own.air = own.air.saturating_add(within(self.measured, now, acknowledged));
            own.deficit = own.deficit.saturating_sub_unsigned(air.as_picos());
            let has_more = link.backlog().0 > 0;
            own.in_turn = has_more;
            if let Some(partner) = own.partner.map(|partner| &mut self.members[partner as usize])
                && partner.in_turn
            {
                partner.deficit = partner.deficit.saturating_sub_unsigned(air.as_picos());
            }
            let station = &mut self.stations[number as usize];
            station.turns.pop_front();
            match self.spec.schedule {
                _ if !has_more => {}
                Schedule::Turns => station.turns.push_back(member),
                Schedule::Airtime => station.turns.push_front(member),
            }
            let MediumSpec { cw_min, cw_max, .. } = self.spec;
            station.window = if succeeds { cw_min } else { (2 * station.window + 1).min(cw_max) };
            station.draw(self.slot);
            if !station.turns.is_empty() {
                self.wait(number);
            }
        }
        self.frames = frames;
        self.busy = self.busy.saturating_add(within(self.measured, now, until));
        self.begins = until.saturating_add(self.spec.aifs);
    }

    /// Takes the result of the last access.
    pub(crate) fn take_exchange(&mut self) -> Exchange {
        std::mem::take(&mut self.exchange)
    }

    /// Returns the memory of a result.
    pub(crate) fn put_back(&mut self, mut exchange: Exchange) {
        exchange.asked.clear();
        exchange.crossed.clear();
        self.exchange = exchange;
    }
}

impl Station {
    /// Draws a backoff that begins in a slot.
    fn draw(&mut self, slot: u64) {
        self.ready = slot + (self.draws.uniform() * (f64::from(self.window) + 1.0)) as u64;
    }
}

impl Member {
    /// Prepares a transmission: the missing packets, and new ones from the queue. A packet that does not fit any more is
    /// the first one next time.
    fn fill(&mut self, spec: &MediumSpec, link: &mut ServedLink, now: Time) -> Frame {
        let mut frame = Frame::default();
        for held in self.held.iter().filter(|held| held.settled.is_none()) {
            match spec.extend(frame, held.queued.packet.size(), self.rate) {
                Some(longer) => frame = longer,
                None => return frame,
            }
        }
        while self.held.len() < spec.aggregate_packets as usize
            && let Some(queued) = link.take_stored(now)
        {
            self.held.push_back(Held { queued, tries: 0, settled: None });
            link.hold(&queued.packet);
            match spec.extend(frame, queued.packet.size(), self.rate) {
                Some(longer) => frame = longer,
                None => break,
            }
        }
        frame
    }

    /// End of a transmission.
    fn end_of(&self, spec: &MediumSpec, frame: Frame, now: Time) -> Time {
        now.saturating_add(spec.preamble).saturating_add(spec.time_of(frame.bytes, self.rate).max(INSTANT))
    }

    /// Transmits the first missing packets; `fails` is whether one does not arrive. Returns whether the contention window
    /// returns to its minimum.
    fn send(
        &mut self,
        spec: &MediumSpec,
        frame: Frame,
        now: Time,
        mut fails: impl FnMut(&Queued, Time) -> bool,
    ) -> bool {
        let (begin, bps) = (now.saturating_add(spec.preamble), u128::from(self.rate.as_bps()));
        let (mut bytes, mut succeeds) = (0_u64, false);
        for held in self.held.iter_mut().filter(|held| held.settled.is_none()).take(frame.packets) {
            let size = held.queued.packet.size();
            let delimiter = if frame.packets > 1 { DELIMITER } else { 0 };
            bytes = bytes.next_multiple_of(DELIMITER) + delimiter + u64::from(spec.overhead);
            let before = u64::try_from(u128::from(bytes) * BYTE / bps).unwrap_or(u64::MAX);
            let start = begin.saturating_add(Time::from_picos(before));
            let end = start.saturating_add(self.rate.transmission_time(size).max(INSTANT));
            bytes += u64::from(size);
            held.tries += 1;
            let is_lost = fails(&held.queued, end);
            if !is_lost || held.tries > spec.retries {
                held.settled = Some((start, end, is_lost));
                succeeds = true;
            }
        }
        succeeds
    }

    /// Lets the packets before the first missing one leave, in order. One that has waited for a missing packet leaves
    /// with that packet, as if both were sent at once.
    fn release(
        &mut self,
        spec: &MediumSpec,
        (frame, now, acknowledged): (Frame, Time, Time),
        link: &mut ServedLink,
        crossed: &mut Vec<Crossed>,
    ) {
        let mut arrives = self.end_of(spec, frame, now).max(link.busy_until());
        while let Some(Held { queued, settled: Some((start, end, lost)), .. }) = self.held.front().copied() {
            self.held.pop_front();
            link.let_go(&queued.packet);
            let later = self.last.saturating_sub(start);
            let (start, end) = (start.saturating_add(later), end.saturating_add(later));
            self.last = start;
            arrives = arrives.max(end);
            let arrival = link.arrival_of(arrives, lost);
            arrives = arrives.saturating_add(INSTANT);
            crossed.push(Crossed { link: self.link, queued, start, end, arrival, lost, acknowledged });
        }
        link.set_busy_until(arrives);
    }
}

/// How much of an interval is in another one.
fn within([from, until]: [Time; 2], start: Time, end: Time) -> Time {
    end.min(until).saturating_sub(start.max(from))
}

#[cfg(test)]
mod tests;
