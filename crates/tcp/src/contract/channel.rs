//! A sender and a receiver, connected by a channel that loses, delays and duplicates packets, and observed by a
//! witness.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::{
    Ack, Block, DelayRule, EcnMode, Mark, OtherAck, Receiver, ReceiverConfig, ReceiverPool, Sack, Sender, SenderConfig,
};
use ackclock_units::{Role, Stream, Time};

use super::witness::{Cause, Witness};
use super::{Broken, Kept, hold};
use crate::congestion::foreign::{self, Failures, Place};

/// Fate of a packet: the additional delay of each of its copies in milliseconds. A packet without copies is lost.
pub type Fate = Vec<u64>;

/// The events of a conversation. `segments` and `acks` are the fates of the first packets; all later packets arrive in
/// order.
#[derive(Clone, Debug)]
pub struct Script {
    /// Configuration of the sender.
    pub sender: SenderConfig,
    /// Configuration of the receiver.
    pub receiver: ReceiverConfig,
    /// One-way delay.
    pub delay: Time,
    /// Times at which the application supplies segments, and the numbers of segments.
    pub supplies: Vec<(Time, u64)>,
    /// Fates of the first segments.
    pub segments: Vec<Fate>,
    /// Fates of the first ACKs.
    pub acks: Vec<Fate>,
    /// Whether the channel marks the first segments; it marks no later ones.
    pub marks: Vec<bool>,
}

/// Adapts the configurations of two ends to each other.
pub fn paired(sender: SenderConfig, receiver: ReceiverConfig) -> (SenderConfig, ReceiverConfig) {
    let receiver = ReceiverConfig {
        handshake: sender.handshake,
        max_window: sender.max_window,
        data_bytes: sender.data_bytes(),
        ..receiver
    };
    let sender = SenderConfig {
        initial_rwnd: receiver.tunes().then_some(receiver.initial_rwnd),
        read_rate: receiver.read_rate,
        has_sack: receiver.sack_blocks > 0,
        ..sender
    };
    (sender, receiver)
}

/// A packet in the channel.
#[derive(Clone, Copy, Debug)]
enum Parcel {
    Segment(u64, Mark),
    Ack(u64, Sack, (u8, bool)),
}

/// A running script.
#[derive(Debug)]
pub struct Channel {
    script: Script,
    /// Simulated time.
    pub now: Time,
    /// The sender.
    pub sender: Sender,
    /// The receiver.
    pub receiver: Receiver,
    pool: ReceiverPool,
    witness: Witness,
    /// The first failure of a law from outside the engine.
    failures: Arc<Failures>,
    /// Packets in the channel, by time of arrival, then in the order of sending.
    under_way: BTreeMap<(Time, usize), Parcel>,
    /// Number of segments and ACKs sent so far, and number of copies of both.
    sent: (usize, usize),
    copies: usize,
    supplied: usize,
    received: BTreeSet<u64>,
    /// Number of segments in order, or duplicates of them, whose ACK waits, and number of segments beyond a gap.
    unacknowledged: (u32, u32),
    /// The duplicate that an ACK reports which waits.
    repeated: Option<u64>,
    /// Number of marked segments that the receiver has accepted.
    marked: u64,
    /// First segment outside the window that the receiver has advertised, if its ACKs carry it.
    edge: u64,
    /// When a probe of the window was last answered.
    probed: Option<Time>,
    /// When each segment leaves the queue of the sender's host, if the sender limits it.
    host: VecDeque<Time>,
    /// Each segment sent, with the time at which it was sent.
    pub trace: Vec<(Time, u64)>,
}

/// Number of turns after which a transfer of at most 200 segments is considered stuck. Most need a few hundred, but while
/// pacing at an old rate holds a segment back for minutes, the timer of `idle_restart = timeout` can fire every few
/// milliseconds.
const TURNS: usize = 200_000;
/// Time that a segment takes to leave the sender's host.
const IN_HOST: Time = Time::from_micros(700);

impl Channel {
    /// A conversation before its first event.
    pub fn new(script: &Script) -> Self {
        let mut pool = ReceiverPool::default();
        let failures = Arc::new(Failures::default());
        let mut sender = Sender::new(script.sender.clone(), Stream::new(1, Role::Sender, 0));
        sender.place_law(|| Place::new(1, 0, Arc::clone(&failures)));
        Self {
            now: Time::ZERO,
            sender,
            failures,
            receiver: pool.add(script.receiver),
            pool,
            witness: Witness::new(&script.sender),
            under_way: BTreeMap::new(),
            sent: (0, 0),
            copies: 0,
            supplied: 0,
            received: BTreeSet::new(),
            unacknowledged: (0, 0),
            repeated: None,
            marked: 0,
            edge: 0,
            probed: None,
            host: VecDeque::new(),
            trace: Vec::new(),
            script: script.clone(),
        }
    }

    /// Number of segments in the whole script, including the SYN.
    pub fn target(&self) -> u64 {
        let data: u64 = self.script.supplies.iter().map(|(_, segments)| segments).sum();
        data + u64::from(self.script.sender.handshake)
    }

    /// Number of segments sent, and number of retransmissions among them.
    pub const fn counts(&self) -> (u64, u64) {
        self.witness.counts()
    }

    /// Why a law from outside the engine failed, if it did.
    pub(super) fn cause(&self) -> Option<foreign::Cause> {
        self.failures.first().map(|failure| Arc::clone(&failure.cause))
    }

    /// Runs until everything is acknowledged.
    ///
    /// # Errors
    /// If a rule of the contract is broken, or nothing ends.
    pub fn play(&mut self) -> Kept {
        for _ in 0..TURNS {
            if self.advance()? {
                return Ok(());
            }
        }
        let (there, all) = (self.receiver.rcv_nxt(), self.target());
        Err(Broken(format!("the transfer does not end: {there} of {all} packets arrived in {TURNS} events")))
    }

    /// Processes the next event, unless everything is acknowledged. Returns whether it is.
    ///
    /// # Errors
    /// If a rule of the contract is broken, or the law fails.
    pub fn advance(&mut self) -> Result<bool, Broken> {
        if self.witness.acked() == self.target() {
            return Ok(true);
        }
        let kept = self.turn();
        match self.failures.first() {
            Some(failure) => Err(Broken(format!("{} fails: {}", failure.call, failure.cause))),
            None => kept.map(|()| false),
        }
    }

    /// Processes the next event and the sender's response.
    fn turn(&mut self) -> Kept {
        let arrival = self.under_way.first_key_value().map(|((at, _), _)| *at);
        let supply = self.script.supplies.get(self.supplied).map(|(at, _)| *at);
        let (release, timeout) = (self.sender.poll_release(), self.sender.poll_timeout());
        let left = self.host.front().copied();
        let due = [arrival, supply, self.receiver.poll_timeout(&self.pool), release, left, timeout];
        let Some(next) = due.into_iter().flatten().min() else {
            return Err(Broken("the transfer stops: no event is pending, but not all data is acknowledged".to_owned()));
        };
        hold!(next >= self.now, "a deadline has passed: {next} at {}", self.now);
        self.now = next;
        let due = due.map(|at| at == Some(next));
        match due {
            [true, ..] => {
                let Some((_, parcel)) = self.under_way.pop_first() else { return Ok(()) };
                match parcel {
                    Parcel::Segment(number, mark) => self.receive(number, mark),
                    Parcel::Ack(next, sack, reports) => self.acknowledge(next, sack, reports),
                }
            }
            [_, true, ..] => {
                let segments = self.script.supplies[self.supplied].1;
                self.supplied += 1;
                self.witness.supply(segments);
                self.step(Cause::Other, |sender, _| sender.supply(segments))
            }
            [_, _, true, ..] => {
                let Some(ack) = self.receiver.handle_timeout(&mut self.pool) else { return Ok(()) };
                let Ack { next, sack, echo, original } = ack;
                let sack = *sack;
                let repeated = self.repeated.take();
                self.answer(next, sack, (echo, original), repeated)
            }
            [_, _, _, true, ..] => self.step(Cause::Other, |_, _| {}),
            [.., true, _] => {
                self.host.pop_front();
                if self.sender.handle_left() { self.step(Cause::Other, |_, _| {}) } else { Ok(()) }
            }
            _ if self.witness.persists() => self.step(Cause::Other, Sender::handle_timeout),
            _ => self.step(Cause::Timeout, Sender::handle_timeout),
        }
    }

    fn acknowledge(&mut self, next: u64, sack: Sack, (echo, original): (u8, bool)) -> Kept {
        let cause = self.witness.hear(next, &sack);
        self.step(cause, |sender, now| sender.handle_ack(Ack { next, sack: &sack, echo, original }, now))
    }

    /// Passes an event to the sender, lets it send, and checks the step with the witness.
    fn step(&mut self, cause: Cause, tell: impl FnOnce(&mut Sender, Time)) -> Kept {
        let (state, counters) = (self.sender.state(), self.sender.counters());
        tell(&mut self.sender, self.now);
        self.witness.check(cause, self.now, (state, counters), &self.sender)?;
        loop {
            let state = self.sender.state();
            let Some(segment) = self.sender.poll_transmit(self.now) else { break };
            self.witness.sent(segment, self.now, state)?;
            self.trace.push((self.now, segment.number));
            if self.sender.limits_queue() {
                self.sender.handle_queued();
                self.host.push_back(self.host.back().map_or(self.now, |last| self.now.max(*last)) + IN_HOST);
            }
            let ce = self.script.marks.get(self.sent.0).copied().unwrap_or(false);
            self.send(Parcel::Segment(
                segment.number,
                Mark {
                    ce,
                    cwr: segment.cwr,
                    again: segment.retransmission,
                    sent: self.now,
                    pushed: segment.pushed,
                    probe: segment.is_probe(),
                },
            ));
        }
        self.witness.rests(self.now, &self.sender)
    }

    /// Delivers a segment to the receiver.
    fn receive(&mut self, number: u64, mark: Mark) -> Kept {
        let (waiting, before) = (self.receiver.poll_timeout(&self.pool), self.receiver.rcv_nxt());
        let arrival = self.receiver.handle_segment(number, mark, self.now, &mut self.pool);
        let other = arrival.other;
        let answer = arrival.ack.map(|ack| (ack.next, *ack.sack, (ack.echo, ack.original)));
        if mark.probe {
            hold!((arrival.in_order, arrival.duplicate) == (0, false), "a probe of the window is taken for data");
            let is_late = self.probed.is_none_or(|at| self.now >= at + Time::from_millis(500));
            // a read at the same moment may send an ACK
            let reads = waiting == Some(self.now);
            hold!(
                answer.is_some() == is_late || answer.is_some() && reads,
                "the answers to probes of the window do not come 0.5 s apart"
            );
            let Some((next, sack, reports)) = answer else { return Ok(()) };
            self.probed = if is_late { Some(self.now) } else { self.probed };
            let repeated = self.repeated.take();
            return self.answer(next, sack, reports, repeated);
        }
        if let Some(Ack { next, sack, echo, original }) = arrival.early() {
            let (next, sack, reports) = (next, *sack, (echo, original));
            hold!(waiting.is_some() && answer.is_some(), "an early ACK is for packets that wait");
            self.answer(next, sack, reports, None)?;
        }
        let config = self.script.receiver;
        if let Some((next, sack, reports)) = answer.filter(|_| other == OtherAck::Waits) {
            hold!(waiting.is_some(), "an ACK is released that does not wait");
            self.answer(next, sack, reports, None)?;
        }
        self.marked += u64::from(mark.ce && number >= before);
        let is_new = self.received.insert(number);
        let is_syn = number == 0 && config.handshake;
        let again = (!is_new && !is_syn && config.dsack && config.sack_blocks > 0).then_some(number);
        match answer {
            Some((next, sack, reports)) if other != OtherAck::Waits => {
                if let Some(first) = sack.blocks().first().filter(|_| number > next) {
                    hold!(first.start <= number && number < first.end, "the latest packet is not reported first");
                }
                self.answer(next, sack, reports, again)
            }
            _ => self.wait(number, again, waiting.filter(|_| other != OtherAck::Waits)),
        }
    }

    /// Checks that the ACK of segment `number` may wait; `waiting` is the deadline of the ACK that already waits.
    fn wait(&mut self, number: u64, again: Option<u64>, waiting: Option<Time>) -> Kept {
        let (config, now) = (self.script.receiver, self.now);
        let Some(deadline) = self.receiver.poll_timeout(&self.pool) else {
            return Err(Broken("an ACK that waits has no deadline".to_owned()));
        };
        self.repeated = again;
        if config.gro_interval > Time::ZERO {
            return self.gather(deadline);
        }
        let after = |time| waiting.map_or(now + time, |before| before.min(now + time));
        if number > self.receiver.rcv_nxt() {
            self.unacknowledged.1 += 1;
            hold!(self.unacknowledged.1 <= config.sack_compression, "an ACK waits for too many packets beyond a gap");
            let longest = config.sack_compression_delay + config.sack_compression_slack;
            // the packet takes space in the buffer, which puts off the window update of a slow application
            let latest = if config.read_rate.is_some() { now + longest } else { after(longest) };
            hold!(now <= deadline && deadline <= latest, "an ACK of a packet beyond a gap waits for too long");
            return Ok(());
        }
        self.unacknowledged.0 += 1;
        if config.read_rate.is_some() {
            // a read may send the ACK first
            hold!(now <= deadline && config.delayed_ack, "an ACK that waits for a read has a wrong deadline");
            return Ok(());
        }
        hold!(self.unacknowledged.0 < config.ack_every, "an ACK waits for too many packets");
        let is_right = match config.delayed_ack_rule {
            DelayRule::Linux => {
                // ticks are rounded to an eighth of the wait at most
                let most = config.delayed_ack_timeout.as_picos() / 8 * 9 + 2 * config.delayed_ack_tick.as_picos();
                now <= deadline && deadline <= after(Time::from_picos(most))
            }
            DelayRule::Fixed if config.acks_per_rtt > 0 => {
                now <= deadline && deadline <= after(config.delayed_ack_timeout)
            }
            DelayRule::Fixed => deadline == after(config.delayed_ack_timeout),
        };
        hold!(config.delayed_ack && is_right, "a delayed ACK has a wrong deadline");
        Ok(())
    }

    /// The same for a receiver whose host gathers segments, each of which may wait for as long as a batch.
    fn gather(&mut self, deadline: Time) -> Kept {
        let (config, now) = (self.script.receiver, self.now);
        let longest = config.delayed_ack_timeout.saturating_mul(2).max(config.sack_compression_delay)
            + config.delayed_ack_tick.saturating_mul(2)
            + config.sack_compression_slack
            + config.gro_interval;
        hold!(now <= deadline && deadline <= now + longest, "a gathered packet waits for too long");
        self.unacknowledged.0 += 1;
        let most = config.ack_every + config.gro_packets * (config.sack_compression + 2);
        let may_wait = config.read_rate.is_some() || self.unacknowledged.0 <= most;
        hold!(may_wait, "an ACK waits for too many gathered packets");
        Ok(())
    }

    /// Checks and sends an ACK of the receiver; `again` is the duplicate that it reports, if any.
    fn answer(&mut self, next: u64, sack: Sack, (echo, original): (u8, bool), again: Option<u64>) -> Kept {
        let missing = (0..=self.target()).find(|number| !self.received.contains(number));
        hold!(Some(next) == missing, "the ACK {next} does not cover all packets received in order");
        hold!(sack.blocks().len() <= self.script.receiver.sack_blocks as usize, "an ACK has too many SACK blocks");
        self.advertises(next, sack.window())?;
        (self.unacknowledged, self.repeated) = ((0, 0), None);
        let mut blocks = sack.blocks();
        if let Some(start) = again {
            let first = blocks.split_off_first();
            hold!(first == Some(&Block { start, end: start + 1 }), "a duplicate is not the first block");
            let run = blocks.first().filter(|run| run.start <= start && start < run.end);
            let follows = start < next || run.is_some() || self.script.receiver.sack_blocks == 1;
            hold!(follows, "the run of a duplicate is not the second block");
        }
        for Block { start, end } in blocks {
            hold!(next < *start && start < end, "a SACK block is empty or acknowledged");
            let all = (*start..*end).all(|number| self.received.contains(&number));
            hold!(all, "a SACK block reports a packet never received");
            let more = self.received.contains(&(start - 1)) || self.received.contains(end);
            hold!(!more, "a SACK block does not cover its whole run");
        }
        match self.script.receiver.ecn {
            EcnMode::Off => hold!(echo == 0, "a mark is echoed without ECN"),
            EcnMode::Classic | EcnMode::Dctcp => {
                hold!(u64::from(echo) <= self.marked.min(1), "a mark is echoed that never arrived");
            }
            EcnMode::Accurate => hold!(u64::from(echo) == self.marked % 8, "a mark is not counted once"),
        }
        self.send(Parcel::Ack(next, sack, (echo, original)));
        Ok(())
    }

    /// Checks the window of an ACK that is not the first of two.
    fn advertises(&mut self, next: u64, window: Option<u32>) -> Kept {
        let config = self.script.receiver;
        if let Some(window) = window.filter(|_| config.advertises()) {
            let least = u32::from(config.read_rate.is_none());
            hold!((least..=config.max_window).contains(&window), "a window of {window} packets is advertised");
            hold!(next + u64::from(window) >= self.edge, "the right edge of the advertised window moves back");
            self.edge = next + u64::from(window);
        } else {
            hold!(window.is_none(), "a fixed window is advertised");
        }
        Ok(())
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
