//! Strict priority by the flow's class: Cobham, "Priority Assignment in Waiting Line Problems" (Operations Research 2(1),
//! 1954), without preemption.
//!
//! Each flow has a band, the `priority` of its group, from 0, which is served first, to 7. A packet is transmitted when no
//! packet of a band before its own waits. Packets of one band stay in order.
//!
//! The bands share the limit. If it is exceeded, packets of the last band lose their place, the latest first, for an
//! arrival of a band before theirs (Kröner, "Comparative performance study of space priority mechanisms for ATM networks",
//! INFOCOM 1990: push-out). Other arrivals are dropped.
//!
//! Linux's `prio` differs: each of its bands has a queue discipline with a limit of its own.

use std::sync::Arc;

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::stored::{Dropped, PacketQueue, Queued, Room, Store};
use super::{Context, DropReason, Limit, Parameter, QueueSpec, Spec};
use crate::packet::FlowId;
use crate::plan::BANDS;

pub(super) const DOC: &str = "Strict priority by the priority of the flow's group, without preemption (Cobham 1954)";

pub(super) const PARAMETERS: &[Parameter] = &[];

/// The parameters of strict priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrioritySpec {
    /// Capacity of all bands together.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
}

impl Spec for PrioritySpec {
    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&[])
    }

    fn reads(&self) -> &'static [&'static str] {
        &["priority"]
    }
}

pub(super) fn build(spec: &PrioritySpec, context: &Context) -> Priority {
    let PrioritySpec { limit, count_in_service } = *spec;
    Priority {
        room: Room { limit, count_in_service },
        of_flows: Arc::clone(&context.bands),
        bands: Default::default(),
        waiting: (0, 0),
    }
}

#[derive(Debug)]
pub(super) struct Priority {
    room: Room,
    /// Band of each flow; empty if all are 0.
    of_flows: Arc<[u8]>,
    bands: [Store; BANDS],
    /// Packets and bytes in all bands.
    waiting: (u64, u64),
}

impl Priority {
    /// The last band with packets, if it is after `band`.
    fn last_after(&self, band: usize) -> Option<usize> {
        (band + 1..BANDS).rev().find(|other| !self.bands[*other].is_empty())
    }

    fn forget(&mut self, queued: &Queued) {
        self.waiting = (self.waiting.0 - 1, self.waiting.1 - u64::from(queued.packet.size()));
    }
}

impl PacketQueue for Priority {
    fn enqueue(&mut self, queued: Queued, in_service: u32, dropped: &mut Dropped) -> Result<(), DropReason> {
        let (FlowId(flow), size) = (queued.packet.flow(), queued.packet.size());
        let band = usize::from(self.of_flows.get(flow as usize).copied().unwrap_or_default());
        let kept = self.bands[..=band].iter().map(Store::waiting);
        let kept = kept.fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
        if !self.room.admits(kept, in_service, size) {
            return Err(DropReason::Full);
        }
        while !self.room.admits(self.waiting, in_service, size) {
            let Some(latest) = self.last_after(band).and_then(|last| self.bands[last].pop_latest()) else { break };
            self.forget(&latest);
            dropped.push((latest, DropReason::Full));
        }
        self.bands[band].push(queued);
        self.waiting = (self.waiting.0 + 1, self.waiting.1 + u64::from(size));
        Ok(())
    }

    fn dequeue(&mut self, _: Time, _: &mut Dropped) -> Option<Queued> {
        let queued = self.bands.iter_mut().find_map(Store::pop)?;
        self.forget(&queued);
        Some(queued)
    }

    fn waiting(&self) -> (u64, u64) {
        self.waiting
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.bands.iter().map(Store::memory).sum::<usize>()
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("bands", self.bands.iter().filter(|band| !band.is_empty()).count() as f64);
    }

    fn retune(&mut self, spec: &QueueSpec, context: &Context) {
        if let QueueSpec::Priority(spec) = spec {
            self.room = build(spec, context).room;
        }
    }
}

#[cfg(test)]
mod tests;
