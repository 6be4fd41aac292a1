//! Queue disciplines written outside the engine, such as in Python.
//!
//! The engine keeps the packets in one FIFO. A foreign discipline decides about each packet when it arrives, and again
//! when its transmission is about to start. As with [foreign laws](ackclock_tcp::congestion::foreign), the host sets the
//! maker in each [`ForeignQueueSpec`] of the plan, and each link has a discipline of its own.
//!
//! - A packet that is accepted although the queue is full is dropped.
//! - A mark signals congestion: it drops packets that are not ECN-capable (RFC 3168, section 5).
//! - A discipline that fails has no further effect: the rest of the run, at most some thousand events, is drop-tail.

use std::fmt::Debug;
use std::sync::Arc;

use ackclock_tcp::Ecn;
use ackclock_units::failure::{Cause, Failure, Failures, NoMaker, Owner};
use ackclock_units::{Rate, Stream, Time};
use serde::{Deserialize, Serialize};

use super::stored::{Dropped, PacketQueue, Queued, Room, Store};
use super::{Context, DropReason, Limit, Parameter, Spec};
use crate::packet::FlowId;

pub(super) const DOC: &str = "A discipline that the caller of the engine provides";
pub(super) const PARAMETERS: &[Parameter] = &[];

/// The queue as a discipline finds it. Neither the packet in question nor the one in transmission is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Current time.
    pub now: Time,
    /// Number of waiting packets.
    pub packets: u64,
    /// Number of waiting bytes.
    pub bytes: u64,
    /// Size in bytes of the packet in transmission; 0 if the link is idle.
    pub in_service: u32,
    /// Whether the arriving packet has no space.
    pub is_full: bool,
    /// Capacity.
    pub limit: Limit,
    /// Mean rate of the link.
    pub rate: Rate,
}

/// The packet in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Size in bytes.
    pub size: u32,
    /// Global id of the flow.
    pub flow: u32,
    /// Time since its arrival at the queue.
    pub waited: Time,
    /// ECN field, which includes a mark of this queue.
    pub ecn: Ecn,
    /// Whether it is an acknowledgment without data.
    pub is_ack: bool,
}

/// The decision about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The packet is stored or sent.
    Keep,
    /// The same, and the packet leaves with the codepoint CE; packets that are not ECN-capable are dropped.
    Mark,
    /// The packet is dropped.
    Drop,
}

/// A queue discipline written outside the engine.
pub trait ForeignDiscipline: Debug + Send {
    /// Decides about an arriving packet.
    ///
    /// # Errors
    /// Any error ends the run.
    fn on_arrival(&mut self, _queue: &Waiting, _packet: &Candidate) -> Result<Decision, Cause> {
        Ok(Decision::Keep)
    }

    /// Decides about the packet at the head, whose transmission is about to start. If it is dropped, the next packet
    /// follows at the same time.
    ///
    /// # Errors
    /// Any error ends the run.
    fn on_departure(&mut self, _queue: &Waiting, _packet: &Candidate) -> Result<Decision, Cause> {
        Ok(Decision::Keep)
    }
}

/// Makes the disciplines of one [`ForeignQueueSpec`].
pub trait DisciplineMaker: Debug + Send + Sync {
    /// Makes the discipline of a link, when it is first called. `seed` seeds its random numbers.
    ///
    /// # Errors
    /// Any error ends the run.
    fn make(&self, link: u32, seed: u64) -> Result<Box<dyn ForeignDiscipline>, Cause>;
}

/// A discipline written outside the engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignQueueSpec {
    /// Capacity.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Name of the discipline, for messages.
    pub name: Arc<str>,
    /// Number by which the host knows the discipline.
    pub number: u32,
    /// Makes the discipline. A plan cannot run before the host sets it.
    #[serde(skip)]
    pub maker: Option<Arc<dyn DisciplineMaker>>,
}

impl PartialEq for ForeignQueueSpec {
    fn eq(&self, other: &Self) -> bool {
        let maker = |spec: &Self| spec.maker.as_ref().map(|maker| Arc::as_ptr(maker).cast::<()>());
        let rest = |spec: &Self| (spec.limit, spec.count_in_service, spec.number, maker(spec));
        (&self.name, rest(self)) == (&other.name, rest(other))
    }
}

impl Spec for ForeignQueueSpec {
    fn marks(&self) -> bool {
        true
    }
}

pub(super) fn build(spec: &ForeignQueueSpec, context: &Context) -> Foreign {
    Foreign {
        room: Room { limit: spec.limit, count_in_service: spec.count_in_service },
        spec: spec.clone(),
        rate: context.rate,
        stream: context.stream.clone(),
        flows: Arc::clone(&context.flows),
        link: 0,
        failures: Arc::default(),
        discipline: None,
        store: Store::default(),
    }
}

#[derive(Debug)]
pub(super) struct Foreign {
    spec: ForeignQueueSpec,
    room: Room,
    rate: Rate,
    stream: Stream,
    /// Global ids of the flows; empty when every local id equals its global id.
    flows: Arc<[u32]>,
    link: u32,
    failures: Arc<Failures>,
    discipline: Option<Box<dyn ForeignDiscipline>>,
    store: Store,
}

impl Foreign {
    fn candidate(&self, queued: &Queued, now: Time) -> Candidate {
        let FlowId(flow) = queued.packet.flow();
        Candidate {
            size: queued.packet.size(),
            flow: self.flows.get(flow as usize).copied().unwrap_or(flow),
            waited: now - queued.since,
            ecn: if queued.marked { Ecn::Ce } else { queued.packet.ecn() },
            is_ack: queued.packet.is_ack(),
        }
    }

    fn waiting_at(&self, now: Time, (packets, bytes): (u64, u64), in_service: u32, is_full: bool) -> Waiting {
        Waiting { now, packets, bytes, in_service, is_full, limit: self.room.limit, rate: self.rate }
    }

    /// Calls the discipline, unless something in the run has failed.
    fn decide(
        &mut self,
        name: &'static str,
        now: Time,
        call: impl FnOnce(&mut dyn ForeignDiscipline) -> Result<Decision, Cause>,
    ) -> Decision {
        if self.failures.first().is_some() {
            return Decision::Keep;
        }
        let discipline = if let Some(discipline) = &mut self.discipline {
            Ok(discipline)
        } else {
            let maker = self.spec.maker.as_ref().ok_or_else(|| Arc::new(NoMaker) as Cause);
            let made = maker.and_then(|maker| maker.make(self.link, self.stream.bits()));
            made.map(|made| self.discipline.insert(made))
        };
        discipline.and_then(|discipline| call(&mut **discipline)).unwrap_or_else(|cause| {
            let owner = Owner::Discipline { link: self.link };
            self.failures.add(Failure { name: Arc::clone(&self.spec.name), owner, at: now, call: name, cause });
            Decision::Keep
        })
    }
}

impl PacketQueue for Foreign {
    fn place(&mut self, link: u32, failures: &Arc<Failures>) {
        (self.link, self.failures) = (link, Arc::clone(failures));
    }

    fn enqueue(&mut self, mut packet: Queued, in_service: u32, _: &mut Dropped) -> Result<(), DropReason> {
        let (now, waiting) = (packet.since, self.store.waiting());
        let is_full = !self.room.admits(waiting, in_service, packet.packet.size());
        let candidate = self.candidate(&packet, now);
        let queue = self.waiting_at(now, waiting, in_service, is_full);
        let decision = self.decide("on_arrival", now, |discipline| discipline.on_arrival(&queue, &candidate));
        if decision == Decision::Drop || (decision == Decision::Mark && !packet.mark()) {
            return Err(DropReason::Early);
        }
        if is_full {
            return Err(DropReason::Full);
        }
        self.store.push(packet);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        loop {
            let mut packet = self.store.pop()?;
            let candidate = self.candidate(&packet, now);
            let queue = self.waiting_at(now, self.store.waiting(), 0, false);
            let decision = self.decide("on_departure", now, |discipline| discipline.on_departure(&queue, &candidate));
            if decision == Decision::Keep || (decision == Decision::Mark && packet.mark()) {
                return Some(packet);
            }
            dropped.push((packet, DropReason::Early));
        }
    }

    fn waiting(&self) -> (u64, u64) {
        self.store.waiting()
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.store.memory()
    }
}

#[cfg(test)]
mod tests;
