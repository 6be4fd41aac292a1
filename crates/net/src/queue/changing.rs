//! A discipline that stores packets and whose parameters change in the run.

use std::sync::Arc;

use ackclock_units::Time;
use ackclock_units::failure::Failures;

use super::stored::{Dropped, PacketQueue, Queued};
use super::{Changes, Context, DropReason, QueueSpec};
use crate::endpoint::sack_store::SackStore;

/// A discipline, and its changes that are still to come. Others pay nothing for them.
#[derive(Debug)]
pub(crate) struct Changing {
    queue: Box<dyn PacketQueue>,
    changes: Box<Changes>,
}

impl Changing {
    /// The discipline with these changes, if there are any.
    pub(crate) fn of(queue: Box<dyn PacketQueue>, changes: Option<Box<Changes>>) -> Box<dyn PacketQueue> {
        match changes {
            Some(changes) => Box::new(Self { queue, changes }),
            None => queue,
        }
    }

    /// Makes the changes due by `now`.
    fn change(&mut self, now: Time) {
        let Self { queue, changes } = self;
        changes.due(now, |change, context| {
            queue.advance(change.at);
            queue.retune(&change.queue, context);
        });
    }
}

impl PacketQueue for Changing {
    fn enqueue(&mut self, packet: Queued, in_service: u32, dropped: &mut Dropped) -> Result<(), DropReason> {
        self.change(packet.since);
        self.queue.enqueue(packet, in_service, dropped)
    }

    fn filters_acks(&self) -> bool {
        self.queue.filters_acks()
    }

    fn enqueue_ack(
        &mut self,
        packet: Queued,
        in_service: u32,
        sacks: &SackStore,
        dropped: &mut Dropped,
    ) -> Result<(), DropReason> {
        self.change(packet.since);
        self.queue.enqueue_ack(packet, in_service, sacks, dropped)
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        self.change(now);
        self.queue.dequeue(now, dropped)
    }

    fn ready_at(&self) -> Time {
        self.queue.ready_at()
    }

    fn waiting(&self) -> (u64, u64) {
        self.queue.waiting()
    }

    fn memory(&self) -> usize {
        self.queue.memory() + self.changes.memory()
    }

    fn advance(&mut self, now: Time) {
        self.change(now);
        self.queue.advance(now);
    }

    fn retune(&mut self, spec: &QueueSpec, context: &Context) {
        self.queue.retune(spec, context);
    }

    fn place(&mut self, link: u32, failures: &Arc<Failures>) {
        self.queue.place(link, failures);
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.queue.gauges(visit);
    }
}
