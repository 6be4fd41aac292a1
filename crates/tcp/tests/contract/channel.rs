//! A sender and a receiver, connected by a channel that loses, delays and duplicates packets, and observed by a
//! witness.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_tcp::{
    Ack, Block, EcnMode, Mark, Receiver, ReceiverConfig, ReceiverPool, Sack, Sender, SenderConfig, WindowRule,
};
use ackclock_units::{Role, Stream, Time};
use proptest::prelude::*;

use crate::kinds::{receivers, senders};
use crate::witness::{Cause, Witness};

/// Fate of a packet: the additional delay of each of its copies in milliseconds. A packet without copies is lost.
pub(crate) type Fate = Vec<u64>;

/// The events of a conversation. `segments` and `acks` are the fates of the first packets; all later packets arrive in
/// order.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) sender: SenderConfig,
    pub(crate) receiver: ReceiverConfig,
    /// One-way delay.
    pub(crate) delay: Time,
    /// Times at which the application supplies segments, and the numbers of segments.
    pub(crate) supplies: Vec<(Time, u64)>,
    pub(crate) segments: Vec<Fate>,
    pub(crate) acks: Vec<Fate>,
    /// Whether the channel marks the first segments; it marks no later ones.
    pub(crate) marks: Vec<bool>,
}

/// Half of all packets arrive as sent, a quarter are lost, some are late, and a few are duplicated. One number
/// determines a packet's fate, so that proptest generates thousands of conversations quickly and shrinks a failure to a
/// few packets.
fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = (0_u64..12 * 200 * 200).prop_map(|drawn| match drawn % 12 {
        0..6 => vec![0],
        6..9 => vec![],
        9..11 => vec![drawn / 12 % 200],
        _ => vec![drawn / 12 % 200, drawn / 12 / 200],
    });
    prop::collection::vec(fate, 0..100)
}

/// Random supplies of data, including gaps longer than a timeout.
fn supplies() -> impl Strategy<Value = Vec<(Time, u64)>> {
    let gap = prop_oneof![2 => Just(0_u64), 2 => 1_u64..300, 1 => 1_000_u64..5_000];
    prop::collection::vec((gap, 1_u64..60), 1..4).prop_map(|supplies| {
        let mut at = 0;
        supplies
            .into_iter()
            .map(|(gap, segments)| {
                at += gap;
                (Time::from_millis(at), segments)
            })
            .collect()
    })
}

/// Scripts with random endpoints, supplies and fates.
pub(crate) fn scripts() -> impl Strategy<Value = Script> {
    let marks = prop::collection::vec(prop::bool::weighted(0.3), 0..100);
    (senders(), receivers(), 1_u64..150, supplies(), fates(), fates(), marks).prop_map(
        |(sender, receiver, delay, supplies, segments, acks, marks)| {
            let (sender, receiver) = paired(sender, receiver);
            Script { sender, receiver, delay: Time::from_millis(delay), supplies, segments, acks, marks }
        },
    )
}

/// Adapts the configurations of two ends to each other.
fn paired(sender: SenderConfig, receiver: ReceiverConfig) -> (SenderConfig, ReceiverConfig) {
    let initial_rwnd = receiver.tunes().then_some(receiver.initial_rwnd);
    let receiver = ReceiverConfig { handshake: sender.handshake, max_window: sender.max_window, ..receiver };
    (SenderConfig { initial_rwnd, ..sender }, receiver)
}

/// A packet in the channel.
#[derive(Clone, Copy, Debug)]
enum Parcel {
    Segment(u64, Mark),
    Ack(u64, Sack, (u8, bool)),
}

/// A running script.
#[derive(Debug)]
pub(crate) struct Channel {
    script: Script,
    pub(crate) now: Time,
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pool: ReceiverPool,
    pub(crate) witness: Witness,
    /// Packets in the channel, by time of arrival, then in the order of sending.
    under_way: BTreeMap<(Time, usize), Parcel>,
    /// Number of segments and ACKs sent so far, and number of copies of both.
    sent: (usize, usize),
    copies: usize,
    supplied: usize,
    received: BTreeSet<u64>,
    /// Number of segments whose ACK waits.
    held: u32,
    /// Number of marked segments that the receiver has accepted.
    marked: u64,
    /// First segment outside the window that the receiver has advertised, if it tunes its window.
    edge: u64,
    /// Each segment sent, with the time at which it was sent.
    pub(crate) trace: Vec<(Time, u64)>,
}

/// Number of turns after which a transfer of at most 200 segments is considered stuck.
const TURNS: usize = 4_000;

impl Channel {
    pub(crate) fn new(script: &Script) -> Self {
        let mut pool = ReceiverPool::default();
        Self {
            now: Time::ZERO,
            sender: Sender::new(script.sender.clone(), Stream::new(1, Role::Sender, 0)),
            receiver: pool.add(script.receiver),
            pool,
            witness: Witness::new(&script.sender),
            under_way: BTreeMap::new(),
            sent: (0, 0),
            copies: 0,
            supplied: 0,
            received: BTreeSet::new(),
            held: 0,
            marked: 0,
            edge: 0,
            trace: Vec::new(),
            script: script.clone(),
        }
    }

    /// Number of segments in the whole script, including the SYN.
    pub(crate) fn target(&self) -> u64 {
        let data: u64 = self.script.supplies.iter().map(|(_, segments)| segments).sum();
        data + u64::from(self.script.sender.handshake)
    }

    /// Runs until everything is acknowledged.
    pub(crate) fn play(&mut self) {
        for _ in 0..TURNS {
            if self.witness.acked() == self.target() {
                return;
            }
            self.turn();
        }
        panic!("{} of {} segments after {TURNS} turns", self.receiver.rcv_nxt(), self.target());
    }

    /// Processes the next event and the sender's response.
    fn turn(&mut self) {
        let arrival = self.under_way.first_key_value().map(|((at, _), _)| *at);
        let supply = self.script.supplies.get(self.supplied).map(|(at, _)| *at);
        let (release, timeout) = (self.sender.poll_release(), self.sender.poll_timeout());
        let due = [arrival, supply, self.receiver.poll_timeout(&self.pool), release, timeout];
        let next = due.into_iter().flatten().min().expect("an event is pending unless everything is acknowledged");
        assert!(next >= self.now, "a deadline that has passed: {next} at {}", self.now);
        self.now = next;
        let due = due.map(|at| at == Some(next));
        match due {
            [true, ..] => {
                let (_, parcel) = self.under_way.pop_first().expect("it is due");
                match parcel {
                    Parcel::Segment(number, mark) => self.receive(number, mark),
                    Parcel::Ack(next, sack, reports) => self.acknowledge(next, sack, reports),
                }
            }
            [_, true, ..] => {
                let segments = self.script.supplies[self.supplied].1;
                self.supplied += 1;
                self.witness.supply(segments);
                self.step(Cause::Other, |sender, _| sender.supply(segments));
            }
            [_, _, true, ..] => {
                let Ack { next, sack, echo, original } = self.receiver.handle_timeout(&mut self.pool);
                let sack = *sack;
                self.answer(next, sack, (echo, original), None);
            }
            [_, _, _, true, _] => self.step(Cause::Other, |_, _| {}),
            _ => self.step(Cause::Timeout, Sender::handle_timeout),
        }
    }

    fn acknowledge(&mut self, next: u64, sack: Sack, (echo, original): (u8, bool)) {
        let cause = self.witness.hear(next, &sack);
        self.step(cause, |sender, now| sender.handle_ack(Ack { next, sack: &sack, echo, original }, now));
    }

    /// Passes an event to the sender, lets it send, and checks the step with the witness.
    fn step(&mut self, cause: Cause, tell: impl FnOnce(&mut Sender, Time)) {
        let (state, counters) = (self.sender.state(), self.sender.counters());
        tell(&mut self.sender, self.now);
        self.witness.told(cause, self.now, (state, counters), &self.sender);
        loop {
            let state = self.sender.state();
            let Some(segment) = self.sender.poll_transmit(self.now) else { break };
            self.witness.sent(segment, self.now, state);
            self.trace.push((self.now, segment.number));
            let ce = self.script.marks.get(self.sent.0).copied().unwrap_or(false);
            self.send(Parcel::Segment(
                segment.number,
                Mark { ce, cwr: segment.cwr, again: segment.retransmission, sent: self.now, pushed: segment.pushed },
            ));
        }
        self.witness.rests(self.now, &self.sender);
    }

    /// Delivers a segment to the receiver.
    fn receive(&mut self, number: u64, mark: Mark) {
        let (waiting, before) = (self.receiver.poll_timeout(&self.pool), self.receiver.rcv_nxt());
        let arrival = self.receiver.handle_segment(number, mark, self.now, &mut self.pool);
        let answer = arrival.ack.map(|ack| (ack.next, *ack.sack, (ack.echo, ack.original)));
        if let Some(Ack { next, sack, echo, original }) = arrival.early() {
            assert!(waiting.is_some() && answer.is_some(), "an early ACK is for segments that wait");
            self.answer(next, *sack, (echo, original), None);
        }
        let config = self.script.receiver;
        let is_new = self.received.insert(number);
        let is_syn = number == 0 && config.handshake;
        let again = (!is_new && !is_syn && config.dsack && config.sack_blocks > 0).then_some(number);
        self.marked += u64::from(mark.ce && number >= before);
        if let Some((next, sack, reports)) = answer {
            if let Some(first) = sack.blocks().first().filter(|_| number > next) {
                assert!(first.start <= number && number < first.end, "the latest segment is reported first");
            }
            self.answer(next, sack, reports, again);
        } else {
            self.held += 1;
            assert!(self.held < config.ack_every, "an ACK waits for too many segments");
            let longest = waiting.or_else(|| config.delayed_ack.then(|| self.now + config.delayed_ack_timeout));
            assert_eq!(self.receiver.poll_timeout(&self.pool), longest, "an ACK that waits has a deadline");
        }
    }

    /// Checks and sends an ACK of the receiver; `again` is the duplicate that it reports, if any.
    fn answer(&mut self, next: u64, sack: Sack, (echo, original): (u8, bool), again: Option<u64>) {
        let missing = (0..=self.target()).find(|number| !self.received.contains(number));
        assert_eq!(Some(next), missing, "the ACK covers all segments received in order");
        assert!(sack.blocks().len() <= self.script.receiver.sack_blocks as usize);
        self.advertises(next, sack.window());
        self.held = 0;
        let mut blocks = sack.blocks();
        if let Some(start) = again {
            assert_eq!(
                blocks.split_off_first(),
                Some(&Block { start, end: start + 1 }),
                "a duplicate is the first block"
            );
            let run = blocks.first().filter(|run| run.start <= start && start < run.end);
            assert!(start < next || run.is_some() || self.script.receiver.sack_blocks == 1, "its run follows");
        }
        for Block { start, end } in blocks {
            assert!(next < *start && start < end);
            assert!(
                (*start..*end).all(|number| self.received.contains(&number)),
                "a SACK block reports a segment never received"
            );
            assert!(
                !self.received.contains(&(start - 1)) && !self.received.contains(end),
                "a SACK block does not cover its whole run"
            );
        }
        match self.script.receiver.ecn {
            EcnMode::Off => assert_eq!(echo, 0),
            EcnMode::Classic | EcnMode::Dctcp => assert!(u64::from(echo) <= self.marked.min(1)),
            EcnMode::Accurate => assert_eq!(u64::from(echo), self.marked % 8, "each mark counts once"),
        }
        self.send(Parcel::Ack(next, sack, (echo, original)));
    }

    /// Checks the window of an ACK that is not the first of two.
    fn advertises(&mut self, next: u64, window: u32) {
        let ReceiverConfig { rwnd, max_window, .. } = self.script.receiver;
        assert!(window <= max_window, "a window of {window} segments");
        if rwnd == WindowRule::Auto && window > 0 {
            assert!(next + u64::from(window) >= self.edge, "the right edge moves back");
            self.edge = next + u64::from(window);
        } else {
            assert_eq!(window, 0, "a fixed window is not advertised");
        }
    }

    /// Sends a packet according to its fate.
    fn send(&mut self, parcel: Parcel) {
        let (fates, sent) = match parcel {
            Parcel::Segment(..) => (&self.script.segments, &mut self.sent.0),
            Parcel::Ack(..) => (&self.script.acks, &mut self.sent.1),
        };
        for late in fates.get(*sent).map_or([0].as_slice(), Vec::as_slice) {
            let arrival = self.now + self.script.delay + Time::from_millis(*late);
            self.under_way.insert((arrival, self.copies), parcel);
            self.copies += 1;
        }
        *sent += 1;
    }
}
