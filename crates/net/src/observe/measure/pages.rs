//! Load times of web pages: from the request of a page to the arrival of its last data.

use ackclock_units::Time;

use crate::observe::Histogram;
use crate::plan::{GroupSpec, Plan};

/// The pages of a run; without pages, both lists are empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Pages {
    /// By the first flow of a client: when data of the client last became in order.
    last: Vec<Time>,
    /// Load times of the pages of each group that ended in the measured time.
    loads: Vec<Histogram>,
}

impl Pages {
    pub(super) fn new(plan: &Plan) -> Self {
        if !plan.groups.iter().any(GroupSpec::loads_pages) {
            return Self::default();
        }
        Self { last: vec![Time::ZERO; plan.flows().count()], loads: vec![Histogram::default(); plan.groups.len()] }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// Takes note of data that became in order at `now`.
    pub(super) fn arrived(&mut self, client: u32, now: Time) {
        let last = &mut self.last[client as usize];
        *last = now.max(*last);
    }

    /// Takes note of the end of a page that began at `since`. Only pages count that are complete from `from` on.
    pub(super) fn ended(&mut self, client: u32, group: usize, since: Time, from: Time) {
        let end = self.last[client as usize];
        if end >= from {
            self.loads[group].record(end - since);
        }
    }

    /// Load times of the pages of a group.
    pub(super) fn of(&self, group: usize) -> Option<&Histogram> {
        self.loads.get(group)
    }

    /// Memory in bytes per flow.
    pub(super) fn bytes_of_flow(plan: &Plan) -> usize {
        if plan.groups.iter().any(GroupSpec::loads_pages) { size_of::<Time>() } else { 0 }
    }

    /// Memory of what grows during a run, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.loads.iter().map(Histogram::memory).sum()
    }
}
