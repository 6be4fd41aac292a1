//! A flow at work: its source, its sender, and the wake-ups that they wait for.

use ackclock_tcp::{Ack, Counters, Segment, Sender};
use ackclock_units::{Stream, Time};

use crate::event::Wakeup;
use crate::observe::{Observation, Observer};
use crate::packet::{FlowId, Packet};
use crate::sizes::Sizes;
use crate::source::{AnySource, Connection, Emission, Source, Transfer};
use crate::transit::Transit;

/// A pending wake-up. Deadlines move; the event in the agenda does not: it is ignored or armed again when it fires early.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm {
    pending: Time,
}

impl Alarm {
    pub(crate) const IDLE: Self = Self { pending: Time::MAX };

    /// The time to schedule a wake-up for, if `deadline` comes before the one pending.
    #[inline(always)]
    pub(crate) fn arm(&mut self, deadline: Option<Time>) -> Option<Time> {
        let deadline = deadline.filter(|deadline| *deadline < self.pending)?;
        self.pending = deadline;
        Some(deadline)
    }

    /// A wake-up fires at `now`: whether `deadline` has come.
    pub(crate) fn fires(&mut self, now: Time, deadline: Option<Time>) -> bool {
        if now == self.pending {
            self.pending = Time::MAX;
        }
        deadline.is_some_and(|deadline| deadline <= now)
    }
}

/// Most packets that a flow sends in one event, so that each event takes bounded time and memory.
const MOST_AT_ONCE: u32 = 64;

/// How data crosses the network.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a million senders lie next to each other, and nearly all flows have one"
)]
pub(crate) enum Transport {
    Udp {
        /// Packets sent so far.
        sent: u64,
        /// Packets that the source has handed over and that are still to be sent.
        owed: u64,
        sizes: Sizes,
    },
    Tcp {
        sender: Sender,
        release: Alarm,
        timeout: Alarm,
    },
}

/// Most instants of a source that one call passes over.
const MOST_INSTANTS: u32 = 100_000;

/// A source that is asked only for what the sender has use for.
#[derive(Debug)]
pub(crate) struct Feed {
    pub(crate) source: AnySource,
    pub(crate) stream: Stream,
    /// When the source is to be asked next; `None` once it has ended.
    pub(crate) next: Option<Time>,
    pub(crate) alarm: Alarm,
}

impl Feed {
    /// What the source hands over at its next instant, if that has come.
    #[inline(always)]
    fn take(&mut self, now: Time) -> Option<u64> {
        let at = self.next.filter(|at| *at <= now)?;
        let AnySource::Poisson(source) = &mut self.source else { return Some(self.take_other(at)) };
        let emission = source.emit(at, &mut self.stream);
        self.next = emission.next;
        Some(emission.packets)
    }

    /// Apart, so that what other sources need is not in the way of the most frequent one.
    #[inline(never)]
    fn take_other(&mut self, at: Time) -> u64 {
        let Emission { packets, next } = self.source.emit(at, &mut self.stream);
        self.next = next;
        packets
    }

    /// Hands the sender what the source has by now, as far as the sender could use it.
    #[inline(always)]
    fn refill(&mut self, sender: &mut Sender, now: Time) {
        while sender.appetite() > 0
            && let Some(packets) = self.take(now)
        {
            sender.supply(packets);
        }
    }

    /// Packets that it would hand over before `end`, asked at most `enough` times: of a copy, which changes nothing.
    fn still_to_come(&self, end: Time, enough: u64) -> u64 {
        let Some(mut next) = self.next.filter(|at| *at < end) else { return 0 };
        let (mut source, mut stream) = (self.source.clone(), self.stream.clone());
        let mut packets: u64 = 0;
        for _ in 0..enough {
            let emission = source.emit(next, &mut stream);
            packets = packets.saturating_add(emission.packets);
            let Some(then) = emission.next.filter(|at| *at < end && packets < enough) else { break };
            next = then;
        }
        packets
    }

    /// Hands a paused sender all that the source has by now, and returns the source's next instant, which will release it. `None`
    /// where the source is too far ahead of the sender.
    #[inline(never)]
    fn catch_up(&mut self, sender: &mut Sender, now: Time) -> Option<Time> {
        for _ in 0..MOST_INSTANTS {
            let Some(packets) = self.take(now) else { return self.next };
            sender.supply(packets);
        }
        None
    }

    /// Tells of a transfer that begins, and lets its source hear of one that ended. Returns whether that ends the connection.
    #[inline(never)]
    fn follow_transfers(&mut self, sender: &Sender, now: Time, flow: FlowId, observer: &mut impl Observer) -> bool {
        let source = match &mut self.source {
            AnySource::Transfers(source) => source,
            AnySource::Connection(source) => return self.next.is_none() && sender.is_idle() && source.close(),
            _ => return false,
        };
        if let Some(Transfer { at, packets }) = source.begun() {
            observer.observe(at, &Observation::TransferBegins { flow, packets, sender });
        }
        if self.next.is_none() && sender.is_idle() {
            self.next = Some(source.acknowledged(now, &mut self.stream));
        }
        false
    }
}

/// Where data starts.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) id: FlowId,
    /// The connection that it is at, of those that it has one after the other.
    pub(crate) connection: u16,
    /// Where in the table of hops its data starts.
    pub(crate) data_hop: u32,
    pub(crate) transport: Transport,
    pub(crate) feed: Feed,
}

impl Flow {
    /// Takes a connection that carries one transfer, asked for at `asked`. What there was of another one was closed.
    pub(crate) fn open(
        &mut self,
        asked: Time,
        packets: u64,
        now: Time,
        transit: &mut Transit,
        observer: &mut impl Observer,
    ) {
        let Transport::Tcp { sender, .. } = &mut self.transport else { return };
        self.feed.source = AnySource::Connection(Connection::open(packets));
        self.feed.next = Some(now);
        self.feed.refill(sender, now);
        observer.observe(asked, &Observation::TransferBegins { flow: self.id, packets, sender });
        self.take_turn(now, transit, observer);
    }

    /// The connection is over: the flow is ready for another one. Returns what its sender did.
    pub(crate) fn close(&mut self) -> Counters {
        let Transport::Tcp { sender, .. } = &mut self.transport else { return Counters::default() };
        let done = sender.counters();
        sender.renew();
        self.connection = self.connection.wrapping_add(1);
        done
    }

    /// An ACK reaches the sender, or what is left of one of an earlier connection, which is nothing to it.
    pub(crate) fn acknowledged(
        &mut self,
        ack: Ack<'_>,
        connection: u16,
        now: Time,
        transit: &mut Transit,
        observer: &mut impl Observer,
    ) {
        let Transport::Tcp { sender, .. } = &mut self.transport else { return };
        self.feed.refill(sender, now);
        observer.observe(now, &Observation::Acked { flow: self.id, connection, ack, sender });
        if connection == self.connection {
            sender.handle_ack(ack, now);
        }
        self.take_turn(now, transit, observer);
    }

    /// A wake-up comes: the source has data, or the sender has finished processing, or its timer may be due.
    pub(crate) fn wake(&mut self, wakeup: Wakeup, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        let Self { feed, transport, .. } = self;
        match transport {
            Transport::Udp { .. } => {
                if feed.alarm.fires(now, feed.next) {
                    self.send_datagrams(now, transit, observer);
                } else {
                    self.arm(now, transit);
                }
            }
            Transport::Tcp { sender, release, timeout } => {
                let is_due = match wakeup {
                    Wakeup::Source => feed.alarm.fires(now, feed.next),
                    Wakeup::Release => release.fires(now, sender.poll_release()),
                    _ => timeout.fires(now, sender.poll_timeout()),
                };
                if !is_due {
                    return self.arm(now, transit);
                }
                feed.refill(sender, now);
                match wakeup {
                    Wakeup::Source => sender.handle_supply(),
                    Wakeup::Timeout => sender.handle_timeout(now),
                    _ => {}
                }
                self.take_turn(now, transit, observer);
            }
        }
    }

    /// Continues where it was [cut](Transit::cut).
    #[inline(never)]
    pub(crate) fn go_on(&mut self, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        match self.transport {
            Transport::Udp { .. } => self.send_datagrams(now, transit, observer),
            Transport::Tcp { .. } => self.take_turn(now, transit, observer),
        }
    }

    /// The sender, which has the data that its source has by now, sends all that it may. If it must process first, and nothing
    /// happens meanwhile, it goes on at the end of that.
    #[inline(always)]
    fn take_turn(&mut self, mut now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        let Transport::Tcp { sender, .. } = &mut self.transport else { return };
        loop {
            if self.feed.source.has_transfers() && self.feed.follow_transfers(sender, now, self.id, observer) {
                transit.wake(now, self.id, Wakeup::Close);
            }
            let mut left = MOST_AT_ONCE;
            while let Some(segment) = sender.poll_transmit(now) {
                transit.send(&Packet::data(self.id, self.connection, segment, now), self.data_hop, now, observer);
                left -= 1;
                if left == 0 {
                    return transit.cut(self.id, now);
                }
            }
            observer.observe(now, &Observation::Turn { flow: self.id, sender });
            // its own timer may come first, which is armed only after that; so is the source, if it waits for that as well
            let is_first = |at: &Time| {
                sender.poll_timeout().is_none_or(|due| *at < due)
                    && transit.is_quiet_until(*at)
                    && !sender.is_data_limited()
            };
            let Some(release) = sender.poll_release().filter(is_first) else { break };
            now = release;
            self.feed.refill(sender, now);
        }
        self.arm(now, transit);
    }

    /// What the source hands over is sent at once.
    fn send_datagrams(&mut self, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        let Transport::Udp { sent, owed, sizes } = &mut self.transport else { return };
        let mut left = MOST_AT_ONCE;
        loop {
            while *owed > 0 {
                if left == 0 {
                    return transit.cut(self.id, now);
                }
                let segment = Segment { number: *sent, size: sizes.draw(), syn: false, retransmission: false };
                (*sent, *owed, left) = (*sent + 1, *owed - 1, left - 1);
                transit.send(&Packet::data(self.id, self.connection, segment, now), self.data_hop, now, observer);
            }
            let Some(packets) = self.feed.take(now) else { break };
            *owed = packets;
        }
        self.arm(now, transit);
    }

    /// Schedules the wake-ups that it waits for.
    #[inline(always)]
    pub(crate) fn arm(&mut self, now: Time, transit: &mut Transit) {
        let Self { id, feed, transport, .. } = self;
        let mut source = feed.next;
        if let Transport::Tcp { sender, release, timeout } = transport {
            if let Some(at) = release.arm(sender.poll_release()) {
                transit.wake(at, *id, Wakeup::Release);
            }
            if let Some(at) = timeout.arm(sender.poll_timeout()) {
                transit.wake(at, *id, Wakeup::Timeout);
            }
            source = source.filter(|_| sender.is_data_limited());
            if sender.is_paused() {
                source = feed.catch_up(sender, now);
            }
        }
        if let Some(at) = feed.alarm.arm(source) {
            transit.wake(at, *id, Wakeup::Source);
        }
    }

    /// Bytes of memory beyond its own size.
    pub(crate) fn held(&self) -> usize {
        self.feed.source.held() + self.sender().map_or(0, Sender::held)
    }

    /// Looks at what an ACK will touch.
    pub(crate) fn look(&self) -> u64 {
        match &self.transport {
            Transport::Udp { .. } => 0,
            Transport::Tcp { sender, timeout, .. } => {
                sender.look() ^ timeout.pending.as_picos() ^ u64::from(self.data_hop)
            }
        }
    }

    /// Packets that its source has handed over.
    pub(crate) fn supplied(&self) -> u64 {
        match &self.transport {
            Transport::Tcp { sender, .. } => sender.supplied(),
            Transport::Udp { sent, .. } => *sent,
        }
    }

    /// Packets that its source has handed over or would have before `end`, if the sender had had use for them; from `enough` on
    /// they are not counted.
    pub(crate) fn offered(&self, end: Time, enough: u64) -> u64 {
        let supplied = self.supplied();
        supplied.saturating_add(self.feed.still_to_come(end, enough.saturating_sub(supplied)))
    }

    /// The sender, if it has one.
    pub(crate) const fn sender(&self) -> Option<&Sender> {
        match &self.transport {
            Transport::Tcp { sender, .. } => Some(sender),
            Transport::Udp { .. } => None,
        }
    }
}
