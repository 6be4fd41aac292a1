//! A link: one direction of a connection between two nodes, with a rate, a delay and a queue in front of it.
//!
//! The queue is first in, first out, and its discipline accepts, marks or drops a packet on arrival. When a packet is
//! accepted, the start and the end of its transmission and its arrival at the far end are therefore known. The end of a
//! transmission needs no event. A link stores how long it is busy (`backlog.rs`), but no packets: packets in flight are
//! pending events. Links whose discipline decides later are in `served.rs`.

pub(crate) mod backlog;
pub(crate) mod entrance;
pub(crate) mod exit;
pub mod extra_delay;
pub mod framing;
pub(crate) mod links;
pub mod loss;
pub mod medium;
pub mod rate;
pub(crate) mod served;
pub(crate) mod short;
mod steps;
pub(crate) mod token_bucket;

use ackclock_units::{Stream, Time};

use crate::link::backlog::{Backlog, Closed};
use crate::link::entrance::Entrance;
use crate::link::exit::Exit;
use crate::link::extra_delay::ExtraDelay;
use crate::link::rate::LinkRate;
use crate::link::short::{FastPath, Kind, Line};
use crate::packet::Packet;
use crate::plan::LinkSpec;
use crate::queue::{Arrival, Changes, DropReason, Queue, QueueDiscipline, Verdict};

/// The result of offering a packet to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// The packet will be transmitted.
    Accepted {
        /// Start of its transmission.
        start: Time,
        /// End of its transmission.
        end: Time,
        /// Arrival at the far end.
        arrival: Time,
        /// Whether the packet leaves with the codepoint CE because the queue marks it.
        marked: bool,
        /// Whether the packet is lost after its transmission and does not arrive.
        lost: bool,
    },
    /// The packet was dropped.
    Dropped(DropReason),
    /// The discipline stores the packet. Its fate is reported when it leaves the queue
    /// ([`Left`](crate::Observation::Left)).
    Queued,
}

/// One direction of a connection between two nodes.
#[derive(Debug)]
pub struct Link {
    delay: Time,
    backlog: Backlog,
    queue: Queue,
    entrance: Option<Box<Entrance>>,
    exit: Option<Box<Exit>>,
    extra_delay: Option<Box<ExtraDelay>>,
    changes: Option<Box<Changes>>,
}

impl Link {
    /// An idle link.
    pub(crate) fn new(spec: &LinkSpec, rate: LinkRate, queue: Queue, losses: Stream) -> Self {
        Self {
            delay: spec.delay,
            queue,
            exit: Exit::new(spec, &rate, losses.clone()),
            entrance: Entrance::new(spec, &rate, losses),
            backlog: Backlog::new(rate).shaped_by(spec.shaper),
            extra_delay: None,
            changes: None,
        }
    }

    /// The same link with extra delays.
    pub(crate) fn delayed_by(self, extra_delay: Option<Box<ExtraDelay>>) -> Self {
        Self { extra_delay, ..self }
    }

    /// The same link with a discipline whose parameters change.
    pub(crate) fn changed_by(self, changes: Option<Box<Changes>>) -> Self {
        Self { changes, ..self }
    }

    /// A link whose short form is `path`.
    pub(crate) fn resumed(kind: &Kind, path: &FastPath, spare: Option<Box<Closed>>) -> Self {
        let Kind { rate, delay, queue } = kind;
        Self {
            delay: *delay,
            backlog: Backlog::resumed(rate.clone(), path.size, path.each, path.busy_until, spare),
            queue: Queue::memoryless(queue),
            entrance: None,
            exit: None,
            extra_delay: None,
            changes: None,
        }
    }

    /// The properties of the link, if it can have a short form: its pending packets are its only state.
    pub(crate) fn kind(&self) -> Option<Kind> {
        let Self { entrance, exit, extra_delay, changes, .. } = self;
        let has_more = entrance.is_some() || exit.is_some() || extra_delay.is_some() || changes.is_some();
        if has_more || self.backlog.varies() {
            return None;
        }
        let queue = self.queue.as_memoryless()?;
        Some(Kind { rate: self.backlog.rate().clone(), delay: self.delay, queue })
    }

    /// The fast path of a link that has a [`kind`](Self::kind), for packets of the size of the last one. A packet that
    /// the fast path accepts arrives at most `far` later.
    ///
    /// If packets of other sizes are pending, the fast path may have less room than the queue.
    pub(crate) fn fast_path(&self, far: Time) -> Option<FastPath> {
        let (size, each) = self.backlog.usual()?;
        let room = self.queue.room(size, each)?;
        let waits = far.as_picos().checked_sub(each.saturating_add(self.delay).as_picos())?;
        let room = (room.as_picos().min(waits) / each.as_picos()).checked_sub(self.backlog.unusual())?;
        let room = room.min(u32::MAX.into()) as u32;
        Some(FastPath { busy_until: self.backlog.busy_until(), each, delay: self.delay, room, size })
    }

    /// Whether all pending packets have one size.
    pub(crate) fn is_uniform(&self) -> bool {
        self.backlog.unusual() == 0
    }

    /// Adds packets that took the fast path, after which the link is busy until then.
    pub(crate) fn extend(&mut self, busy_until: Time) {
        self.backlog.extend(busy_until);
    }

    /// Takes the empty memory for closed runs of a link that returns to its short form.
    pub(crate) fn take_closed(&mut self) -> Option<Box<Closed>> {
        self.backlog.take_closed()
    }

    /// Rate and least propagation delay of the link.
    pub(crate) const fn line(&self) -> Line<'_> {
        Line { rate: self.backlog.rate(), delay: self.delay }
    }

    /// End of the last transmission.
    pub(crate) const fn busy_until(&self) -> Time {
        self.backlog.busy_until()
    }

    /// Number of packets and bytes waiting at `now`, excluding the packet in transmission. `now` must not be before the
    /// last offer.
    pub fn backlog(&mut self, now: Time) -> (u64, u64) {
        self.backlog.forget(now);
        self.backlog.waiting(now)
    }

    /// Heap memory in bytes, excluding data that links share.
    pub(crate) fn memory(&self) -> usize {
        self.backlog.memory()
            + self.queue.memory()
            + self.entrance.as_ref().map_or(0, |entrance| entrance.memory())
            + self.exit.as_ref().map_or(0, |exit| exit.memory())
            + self.extra_delay.as_ref().map_or(0, |extra| extra.memory())
            + self.changes.as_ref().map_or(0, |changes| changes.memory())
    }

    /// Changes the parameters of the discipline as due by `now`.
    #[inline(never)]
    fn change(&mut self, now: Time) {
        let Self { changes, queue, backlog, .. } = self;
        if let Some(changes) = changes {
            changes.due(now, |change, context| {
                queue.advance(change.at, backlog.busy_until());
                queue.retune(&change.queue, context);
            });
        }
    }

    /// Offers a packet to the queue.
    pub fn offer(&mut self, packet: &Packet, now: Time) -> Offered {
        if self.changes.is_some() {
            self.change(now);
        }
        let busy_until = self.backlog.busy_until();
        if let Some(reason) = self.entrance.as_mut().and_then(|entrance| entrance.refuses(packet, busy_until, now)) {
            return Offered::Dropped(reason);
        }
        self.backlog.forget(now);
        let marked = match self.queue.on_arrival(&Arrival { packet, now, backlog: &self.backlog }) {
            Verdict::Accept => false,
            Verdict::Mark => true,
            Verdict::Drop(reason) => return Offered::Dropped(reason),
        };
        debug_assert!(!marked || packet.ecn().is_capable(), "a discipline marks only ECN-capable packets");
        let (start, end) = self.backlog.take(packet.size(), now);
        let lost = self.exit.as_mut().is_some_and(|exit| exit.loses(packet, end));
        let mut arrival = end.saturating_add(self.delay);
        if let Some(extra) = self.extra_delay.as_mut().filter(|_| !lost) {
            arrival = extra.arrival(arrival);
        }
        Offered::Accepted { start, end, arrival, marked, lost }
    }

    /// Average queue length that the discipline computed at the last arrival, in the discipline's unit; NaN if it
    /// computes no average.
    pub fn average(&self) -> f64 {
        self.queue.average()
    }

    /// Calls `visit` with the name and value at `now` of each gauge of the discipline. `now` must not be before the last
    /// offer.
    pub fn gauges(&mut self, now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        self.change(now);
        self.queue.advance(now, self.backlog.busy_until());
        self.queue.gauges(visit);
    }
}
