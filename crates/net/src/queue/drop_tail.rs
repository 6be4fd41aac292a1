//! Drop-tail: an arrival is dropped when there is no room.
//!
//! ns-2's limit counts the packet in transmission (`count_in_service = true`): a limit of 50 lets 49 wait.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::{Arrival, Context, DropReason, Invalid, Limit, Parameter, QueueDiscipline, Verdict};

pub(super) const DOC: &str = "First in, first out; an arrival that finds no room is dropped";
pub(super) const PARAMETERS: &[Parameter] = &[];

/// The parameters of drop-tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DropTailSpec {
    /// Capacity.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
}

#[derive(Debug)]
pub(crate) struct DropTail(DropTailSpec);

#[expect(clippy::unnecessary_wraps, reason = "every discipline is checked the same way")]
pub(super) const fn check(_: &DropTailSpec) -> Result<(), Invalid> {
    Ok(())
}

pub(super) const fn build(spec: &DropTailSpec, _: &Context) -> DropTail {
    DropTail(*spec)
}

impl QueueDiscipline for DropTail {
    fn on_arrival(&mut self, arrival: &Arrival<'_>) -> Verdict {
        if self.0.limit.has_room(arrival, self.0.count_in_service) {
            Verdict::Accept
        } else {
            Verdict::Drop(DropReason::Full)
        }
    }

    fn room(&self, size: u32, each: Time) -> Option<Time> {
        self.0.limit.room(size, each, self.0.count_in_service)
    }
}
