//! A link whose discipline stores the packets and is asked for the next one when a transmission is about to start.
//!
//! In contrast to a [`Link`](crate::link::Link), such a link does not know when a packet that it accepts will leave.
//! Where packets wait, each transmission ends with an event, which starts the next one. A packet that finds the link
//! idle leaves without an event.

use ackclock_units::{Stream, Time};

use crate::endpoint::sack_store::SackStore;
use crate::link::backlog::INSTANT;
use crate::link::entrance::Entrance;
use crate::link::exit::Exit;
use crate::link::extra_delay::ExtraDelay;
use crate::link::rate::LinkRate;
use crate::link::short::{Line, Sent};
use crate::link::token_bucket::TokenBucket;
use crate::packet::Packet;
use crate::plan::LinkSpec;
use crate::queue::DropReason;
use crate::queue::stored::{Dropped, PacketQueue, Queued};

/// A link with a discipline that stores the packets.
#[derive(Debug)]
pub struct ServedLink {
    rate: LinkRate,
    delay: Time,
    queue: Box<dyn PacketQueue>,
    entrance: Option<Box<Entrance>>,
    shaper: Option<Box<TokenBucket>>,
    exit: Option<Box<Exit>>,
    extra_delay: Option<Box<ExtraDelay>>,
    /// End of the last transmission, the size of its packet, and how long a packet of this size takes; zero if the rate
    /// varies.
    busy_until: Time,
    size: u32,
    each: Time,
    /// Whether the event at [`busy_until`](Self::busy_until) is pending.
    is_due: bool,
    /// Time of the last event for which packets waited at the idle link, because the queue sends them later. It is pending if
    /// it lies in the future.
    alarm: Time,
    /// Whether the queue [filters ACKs](PacketQueue::filters_acks).
    filters_acks: bool,
    /// Whether there are [`limited`](Self::limited) hops.
    reports: bool,
    /// Stored packets that were dropped and have not been reported.
    dropped: Dropped,
    /// The first hops of the flows whose senders limit their packets in this queue.
    limited: Vec<u32>,
    /// The shared medium of the link, and the number of the link there.
    shared: Option<Shared>,
    /// Packets and bytes that the medium has taken from the queue and that have not left.
    held: (u64, u64),
}

/// A link of a [medium](crate::link::medium).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shared {
    pub(crate) medium: u32,
    pub(crate) member: u32,
}

impl ServedLink {
    /// Memory of a waiting packet in bytes. The storage may have twice the capacity that is needed.
    pub(crate) const BYTES_OF_PACKET: usize = 2 * size_of::<Queued>();

    /// An idle link.
    pub(crate) fn new(spec: &LinkSpec, rate: LinkRate, queue: Box<dyn PacketQueue>, losses: Stream) -> Self {
        Self {
            delay: spec.delay,
            filters_acks: queue.filters_acks(),
            queue,
            shaper: spec.shaper.map(|spec| Box::new(TokenBucket::new(spec))),
            exit: Exit::new(spec, &rate, losses.clone()),
            entrance: Entrance::new(spec, &rate, losses),
            rate,
            extra_delay: None,
            busy_until: Time::ZERO,
            size: 0,
            each: Time::ZERO,
            is_due: false,
            alarm: Time::ZERO,
            reports: false,
            dropped: Vec::new(),
            limited: Vec::new(),
            shared: None,
            held: (0, 0),
        }
    }

    /// The same link with extra delays.
    pub(crate) fn delayed_by(self, extra_delay: Option<Box<ExtraDelay>>) -> Self {
        Self { extra_delay, ..self }
    }

    /// The same link as part of a shared medium, which then decides when it transmits.
    pub(crate) fn shared_by(self, shared: Option<Shared>) -> Self {
        Self { shared, ..self }
    }

    /// The shared medium of the link.
    #[inline(always)]
    pub(crate) const fn shared(&self) -> Option<Shared> {
        self.shared
    }

    /// Lets the sender whose data has this first hop know when its packets leave. Hops must be given in ascending order.
    pub(crate) fn limit(&mut self, hop: u32) {
        self.limited.push(hop);
        self.reports = true;
    }

    /// Whether any sender must know when its packets leave.
    #[inline(always)]
    pub(crate) const fn reports(&self) -> bool {
        self.reports
    }

    /// Whether the sender of a packet on this hop must know when it leaves.
    pub(crate) fn is_limited(&self, hop: u32) -> bool {
        self.limited.binary_search(&hop).is_ok()
    }

    /// Rate and least propagation delay of the link.
    pub(crate) const fn line(&self) -> Line<'_> {
        Line { rate: &self.rate, delay: self.delay }
    }

    /// Number of packets and bytes that wait, excluding the packet in transmission.
    pub fn backlog(&self) -> (u64, u64) {
        let ((packets, bytes), held) = (self.queue.waiting(), self.held);
        (packets + held.0, bytes + held.1)
    }

    /// Calls `visit` with the name and value at `now` of each gauge of the discipline. `now` must not be before the last
    /// event of the link.
    pub fn gauges(&mut self, now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        self.queue.advance(now);
        self.queue.gauges(visit);
    }

    /// Memory in bytes, excluding data that links share.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>()
            + self.queue.memory()
            + self.dropped.capacity() * size_of::<(Queued, DropReason)>()
            + self.limited.capacity() * size_of::<u32>()
            + self.entrance.as_ref().map_or(0, |entrance| entrance.memory())
            + self.shaper.as_ref().map_or(0, |shaper| size_of_val(&**shaper))
            + self.exit.as_ref().map_or(0, |exit| exit.memory())
            + self.extra_delay.as_ref().map_or(0, |extra| extra.memory())
    }

    /// Offers a packet to the queue. `hop` is the index of the link's hop on the packet's route. Returns the reason if
    /// the packet is dropped. `sacks` has the SACK blocks of the ACKs in the network. If the link [needs service](Self::needs_service) otherwise, [`take_next`](Self::take_next) must follow.
    #[inline(always)]
    pub(crate) fn offer(&mut self, packet: &Packet, hop: u32, now: Time, sacks: &SackStore) -> Option<DropReason> {
        let busy_until = self.busy_until;
        if let Some(reason) = self.entrance.as_mut().and_then(|entrance| entrance.refuses(packet, busy_until, now)) {
            return Some(reason);
        }
        let in_service = if now < self.busy_until { self.size } else { 0 };
        let queued = Queued { packet: *packet, since: now, hop, marked: false };
        if self.filters_acks && packet.is_ack() {
            return self.queue.enqueue_ack(queued, in_service, sacks, &mut self.dropped).err();
        }
        self.queue.enqueue(queued, in_service, &mut self.dropped).err()
    }

    /// Whether no event is pending that starts the next transmission, or stored packets were dropped.
    #[inline(always)]
    pub(crate) const fn needs_service(&self) -> bool {
        !self.is_due || self.has_dropped()
    }

    /// An event of the link. Alarms may come while the link transmits a packet that arrived before them.
    #[inline(always)]
    pub(crate) fn fire(&mut self, now: Time) {
        self.is_due &= now < self.busy_until;
    }

    /// Takes the next packet from the queue, if the link is free and a packet is left. [`send`](Self::send) must follow.
    #[inline(always)]
    pub(crate) fn take_next(&mut self, now: Time) -> Option<Queued> {
        if self.is_due || now < self.busy_until { None } else { self.queue.dequeue(now, &mut self.dropped) }
    }

    /// Takes the next packet from the queue of a link that shares a medium.
    pub(crate) fn take_stored(&mut self, now: Time) -> Option<Queued> {
        self.queue.dequeue(now, &mut self.dropped)
    }

    /// Counts a packet that the medium has taken from the queue.
    pub(crate) fn hold(&mut self, packet: &Packet) {
        self.held = (self.held.0 + 1, self.held.1 + u64::from(packet.size()));
    }

    /// Counts a packet that the medium had taken, and that leaves.
    pub(crate) fn let_go(&mut self, packet: &Packet) {
        self.held = (self.held.0 - 1, self.held.1 - u64::from(packet.size()));
    }

    /// Whether a packet is lost in a transmission that ends at `end`.
    #[inline(always)]
    pub(crate) fn loses(&mut self, packet: &Packet, end: Time) -> bool {
        self.exit.as_mut().is_some_and(|exit| exit.loses(packet, end))
    }

    /// When a packet arrives at the far end whose transmission ends at `end`.
    #[inline(always)]
    pub(crate) fn arrival_of(&mut self, end: Time, lost: bool) -> Time {
        let arrival = end.saturating_add(self.delay);
        self.extra_delay.as_mut().filter(|_| !lost).map_or(arrival, |extra| extra.arrival(arrival))
    }

    /// End of the last transmission.
    pub(crate) const fn busy_until(&self) -> Time {
        self.busy_until
    }

    /// Sets the end of the last transmission of a link that shares a medium.
    pub(crate) const fn set_busy_until(&mut self, end: Time) {
        self.busy_until = end;
    }

    /// Time at which an event must start the next transmission, if a packet waits and no such event is pending.
    #[inline(always)]
    pub(crate) fn take_due(&mut self, now: Time) -> Option<Time> {
        if self.is_due {
            return None;
        }
        if self.busy_until <= now {
            return self.take_alarm(now);
        }
        self.is_due = self.queue.waiting().0 > 0;
        self.is_due.then_some(self.busy_until)
    }

    /// The same for an idle link.
    #[cold]
    #[inline(never)]
    fn take_alarm(&mut self, now: Time) -> Option<Time> {
        let ready = if self.queue.waiting().0 > 0 { self.queue.ready_at() } else { Time::MAX };
        let is_pending = now < self.alarm && self.alarm <= ready;
        if is_pending || ready == Time::MAX {
            return None;
        }
        self.alarm = ready;
        Some(ready)
    }

    /// Sends the packet that was taken from the queue. Returns the times of its transmission, which begins when a shaper
    /// has tokens for it, and whether it is lost then.
    #[inline(always)]
    pub(crate) fn send(&mut self, packet: &Packet, now: Time) -> (Sent, bool) {
        let size = packet.size();
        let start = self.shaper.as_mut().map_or(now, |shaper| shaper.take_later(self.rate.bytes(size), now));
        let end = start.saturating_add(self.time_of(size, start));
        self.busy_until = end;
        let lost = self.loses(packet, end);
        (Sent { start, end, arrival: self.arrival_of(end, lost) }, lost)
    }

    /// Transmission time of the next packet.
    #[inline(always)]
    fn time_of(&mut self, size: u32, start: Time) -> Time {
        if size == self.size && self.each > Time::ZERO {
            return self.each;
        }
        let time = self.rate.transmission_time(size, start).max(INSTANT);
        self.size = size;
        self.each = if self.rate.varies() { Time::ZERO } else { time };
        time
    }

    /// Takes the stored packets dropped since the last call. Their memory should be [returned](Self::put_back).
    pub(crate) fn take_dropped(&mut self) -> Dropped {
        std::mem::take(&mut self.dropped)
    }

    /// Whether stored packets were dropped.
    pub(crate) const fn has_dropped(&self) -> bool {
        !self.dropped.is_empty()
    }

    /// Returns the memory of the dropped packets.
    pub(crate) fn put_back(&mut self, mut dropped: Dropped) {
        dropped.clear();
        self.dropped = dropped;
    }
}
