//! Those who watch a run.

use ackclock_units::Time;

use super::{Measure, Observation, Observer, Recorder};
use crate::packet::LinkId;
use crate::plan::{Plan, PlanError};
use crate::simulator::Simulator;

/// The measure of a plan and its records.
#[derive(Clone, Debug)]
pub struct Watchers {
    /// The links that either hears of lie from here to there: the question that each packet at every link asks.
    first_link: u32,
    span: u32,
    /// Computes the summary.
    pub measure: Measure,
    /// Keeps the records.
    pub recorder: Recorder,
}

impl Watchers {
    /// Those of a plan, for a simulator built from it.
    ///
    /// # Errors
    /// If the plan asks for a record twice.
    pub fn new(plan: &Plan, simulator: &Simulator) -> Result<Self, PlanError> {
        let mut recorder = Recorder::new(plan)?;
        recorder.begin(plan, simulator);
        let heard = || recorder.links().chain([plan.measure.link]);
        let first_link = heard().min().unwrap_or_default();
        let span = heard().max().map_or(0, |last| last - first_link + 1);
        Ok(Self { first_link, span, measure: Measure::new(plan, simulator), recorder })
    }
}

impl Observer for Watchers {
    // inlined, so that what neither wants to hear of costs next to nothing
    #[inline(always)]
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        self.measure.observe(now, seen);
        self.recorder.observe(now, seen);
    }

    #[inline(always)]
    fn watches(&self, link: LinkId) -> bool {
        link.0.wrapping_sub(self.first_link) < self.span
    }
}
