//! A path with one bottleneck between a sender and a receiver, for conversations that last longer than a few ACKs.
//!
//! The bottleneck serves a segment in a fixed time, and drops a segment that finds `buffer` others waiting. Everything
//! that the sender does is kept, so that a test compares it with numbers worked out by hand. Unless a test says otherwise
//! the path serves 1,000 segments per second with a round-trip time of 100 ms, so that the bandwidth-delay product is 100
//! segments.

use std::collections::{BTreeSet, VecDeque};

use ackclock_tcp::congestion::LawSpec;
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{
    Ack, EcnMode, Mark, Pacing, PrrRule, Receiver, ReceiverConfig, ReceiverPool, RttConfig, Sack, Sender, SenderConfig,
};
use ackclock_units::{Role, Stream, Time};

pub(crate) const MS: fn(u64) -> Time = Time::from_millis;

/// A sender with RACK that its law paces.
pub(crate) fn paced(congestion: LawSpec, ecn: EcnMode) -> SenderConfig {
    let rtt = RttConfig { clock: Time::from_micros(1), clock_phase: Some(Time::ZERO), ..RttConfig::default() };
    SenderConfig {
        handshake: false,
        initial_window: 10,
        max_window: 100_000,
        recovery: RecoverySpec::Rack,
        congestion,
        pacing: Pacing::Law,
        prr: PrrRule::Off,
        ecn,
        rtt,
        ..SenderConfig::default()
    }
}

/// What the sender shows after an event.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub(crate) at: Time,
    pub(crate) phase: &'static str,
    values: Vec<(&'static str, f64)>,
    pub(crate) cwnd: f64,
    /// Whether the event was a transmission, and not an ACK or a timer.
    pub(crate) sends: bool,
}

impl Moment {
    /// The value of a state variable.
    pub(crate) fn get(&self, name: &str) -> f64 {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("{name} is not among {:?}", self.values)).1
    }
}

/// An ACK on its way.
type OwnAck = (Time, u64, Sack, (u8, bool));

#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) sender: Sender,
    receiver: Receiver,
    pool: ReceiverPool,
    pub(crate) now: Time,
    /// The service time, the propagation delay of both directions, and the number of segments that may wait.
    pub(crate) each: Time,
    pub(crate) delay: Time,
    pub(crate) buffer: u64,
    /// Further waiting time in the queue, behind the segments of another flow.
    pub(crate) others: Time,
    /// Segments are marked that find more than this number waiting.
    pub(crate) mark_above: u64,
    /// Each segment is marked whose number is a multiple of this.
    pub(crate) mark_each: u64,
    /// Segments whose first transmission is lost.
    pub(crate) loses: BTreeSet<u64>,
    free: Time,
    arrived: Time,
    acks: VecDeque<OwnAck>,
    pub(crate) log: Vec<Moment>,
    /// The number of segments dropped by the full queue.
    pub(crate) dropped: u64,
}

impl Path {
    pub(crate) fn new(config: SenderConfig, seed: u64) -> Self {
        let mut pool = ReceiverPool::default();
        let ReceiverConfig { dsack, .. } = ReceiverConfig::default();
        let receiver = ReceiverConfig {
            handshake: false,
            delayed_ack: false,
            ecn: config.ecn,
            dsack,
            ..ReceiverConfig::default()
        };
        Self {
            sender: Sender::new(config, Stream::new(seed, Role::Sender, 0)),
            receiver: pool.add(receiver),
            pool,
            now: Time::ZERO,
            each: MS(1),
            delay: MS(99),
            buffer: 1_000_000,
            others: Time::ZERO,
            mark_above: u64::MAX,
            mark_each: u64::MAX,
            loses: BTreeSet::new(),
            free: Time::ZERO,
            arrived: Time::ZERO,
            acks: VecDeque::new(),
            log: Vec::new(),
            dropped: 0,
        }
    }

    /// A path whose sender always has data.
    pub(crate) fn greedy(congestion: LawSpec) -> Self {
        let mut path = Self::new(paced(congestion, EcnMode::Off), 1);
        path.sender.supply(10_000_000);
        path
    }

    /// The last moment.
    pub(crate) fn last(&self) -> &Moment {
        self.log.last().expect("something has happened")
    }

    /// Runs until the given time.
    pub(crate) fn run_until(&mut self, end: Time) {
        self.run_while(end, |_| true);
        self.now = end;
    }

    /// Runs until a condition on the last moment fails, which it must do before `end`.
    pub(crate) fn run_to(&mut self, end: Time, is_there: impl Fn(&Moment) -> bool) {
        self.run_while(end, |path| path.log.last().is_none_or(|moment| !is_there(moment)));
        assert!(is_there(self.last()), "not until {end}: {:?}", self.last());
    }

    fn run_while(&mut self, end: Time, goes_on: impl Fn(&Self) -> bool) {
        self.send();
        while goes_on(self) {
            let ack = self.acks.front().map(|ack| ack.0);
            let (release, timeout) = (self.sender.poll_release(), self.sender.poll_timeout());
            let Some(next) = [ack, release, timeout].into_iter().flatten().min().filter(|next| *next <= end) else {
                return;
            };
            self.now = next;
            if ack == Some(next) {
                let (_, next, sack, (echo, original)) = self.acks.pop_front().expect("it is due");
                self.sender.handle_ack(Ack { next, sack: &sack, echo, original }, self.now);
                self.keep(false);
            } else if release != Some(next) {
                self.sender.handle_timeout(self.now);
                self.keep(false);
            }
            self.send();
        }
    }

    /// The application supplies data.
    pub(crate) fn supply(&mut self, segments: u64) {
        self.sender.supply(segments);
        self.sender.handle_supply();
        self.send();
    }

    fn send(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            let free = self.free.max(self.now);
            let waiting = (free - self.now).as_picos().div_ceil(self.each.as_picos());
            let is_lost = !segment.retransmission && self.loses.contains(&segment.number);
            if waiting > self.buffer {
                self.dropped += 1;
            } else {
                self.free = free + self.each;
            }
            if waiting <= self.buffer && !is_lost {
                let ce = waiting > self.mark_above || segment.number % self.mark_each == self.mark_each - 1;
                let mark = Mark {
                    ce,
                    cwr: segment.cwr,
                    again: segment.retransmission,
                    sent: self.now,
                    pushed: false,
                    probe: segment.is_probe(),
                };
                // segments arrive in order, so that the receiver may see them early
                self.arrived = self.arrived.max(self.free + self.others);
                let arrival = self.receiver.handle_segment(segment.number, mark, self.arrived, &mut self.pool);
                let ack = arrival.ack.expect("no ACK is delayed");
                self.acks.push_back((self.arrived + self.delay, ack.next, *ack.sack, (ack.echo, ack.original)));
            }
            self.keep(true);
        }
    }

    fn keep(&mut self, sends: bool) {
        let mut values = Vec::new();
        self.sender.visit_state(self.now, &mut |name, value| values.push((name, value)));
        let (phase, cwnd) = (self.sender.phase(self.now), self.sender.state().cwnd);
        self.log.push(Moment { at: self.now, phase, values, cwnd, sends });
    }

    /// The phases passed through so far, each with its beginning.
    pub(crate) fn phases(&self) -> Vec<(&'static str, Time)> {
        let mut phases: Vec<(&'static str, Time)> = Vec::new();
        for moment in &self.log {
            if phases.last().is_none_or(|(last, _)| *last != moment.phase) {
                phases.push((moment.phase, moment.at));
            }
        }
        phases
    }

    /// The moments in a span of time.
    pub(crate) fn between(&self, start: Time, end: Time) -> impl Iterator<Item = &Moment> {
        self.log.iter().filter(move |moment| start <= moment.at && moment.at < end)
    }
}

/// The largest value.
pub(crate) fn most(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

pub(crate) fn near(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance
}
