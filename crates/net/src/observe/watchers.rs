//! The observers of a run.

use ackclock_tcp::Sender;
use ackclock_units::Time;

use super::measure::AtLink;
use super::{LinkSummary, Measure, Observation, Observer, Recorder};
use crate::engine::simulator::Simulator;
use crate::link::Offered;
use crate::packet::{FlowId, LinkId, Packet};
use crate::plan::{Plan, PlanError};

/// The measurements of a plan and its records.
#[derive(Clone, Debug)]
pub struct Watchers {
    /// Range of ids that contains all links needed by the measurement or by a record. It is tested for each packet at
    /// every link.
    first_link: u32,
    span: u32,
    /// Whether the measurement or a record needs the packets delivered to receivers.
    follows: bool,
    /// Computes the summary.
    pub measure: Measure,
    /// Collects the records.
    pub recorder: Recorder,
    /// Measures additional links, without distinguishing kinds of packets.
    elsewhere: Vec<AtLink>,
    /// Whether accepted packets matter to anything but the measurement and the number of arrivals.
    hears_packets: bool,
}

impl Watchers {
    /// Creates the observers of a plan, for a simulator built from the plan.
    ///
    /// # Errors
    /// If the plan requests a record twice.
    pub fn new(plan: &Plan, simulator: &Simulator) -> Result<Self, PlanError> {
        let mut recorder = Recorder::new(plan)?;
        recorder.begin(plan, simulator);
        let heard = || recorder.links().chain(plan.measure.links());
        let first_link = heard().min().unwrap_or_default();
        let span = heard().max().map_or(0, |last| last - first_link + 1);
        let others = plan.measure.others.iter().map(|link| AtLink::new(plan, simulator, LinkId(*link), 1));
        let elsewhere: Vec<AtLink> = others.collect();
        let hears_packets = recorder.hears_packets() || !elsewhere.is_empty();
        let measure = Measure::new(plan, simulator);
        let follows = measure.follows() || recorder.follows();
        Ok(Self { first_link, span, follows, measure, recorder, elsewhere, hears_packets })
    }

    /// Whether a record, a capture or an additional link also needs events, not only the measurement.
    pub(crate) fn any(&self) -> bool {
        self.recorder.hears() || !self.elsewhere.is_empty()
    }

    /// Memory of the measurements in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.measure.memory() + self.elsewhere.iter().map(|at| at.memory(size_of::<u32>())).sum::<usize>()
    }

    /// Summaries of the additional links, after the run.
    pub(crate) fn elsewhere(&mut self, simulator: &Simulator) -> Vec<LinkSummary> {
        let summary = |at: &mut AtLink| {
            at.finish(simulator);
            at.summary()
        };
        self.elsewhere.iter_mut().map(summary).collect()
    }

    #[inline(never)]
    fn observe_accepted(&mut self, now: Time, link: LinkId, packet: &Packet, start: Time, end: Time, arrival: Time) {
        let offered = Offered::Accepted { start, end, arrival, marked: false, lost: false };
        self.observe(now, &Observation::Offered { link, packet, offered });
    }

    #[inline(never)]
    fn offered_elsewhere(&mut self, now: Time, link: LinkId, offered: Offered) {
        for at in self.elsewhere.iter_mut().filter(|at| at.link() == link) {
            at.offered(now, 0, offered);
        }
    }

    #[inline(never)]
    fn left_elsewhere(&mut self, now: Time, link: LinkId, since: Time, fate: Offered) {
        for at in self.elsewhere.iter_mut().filter(|at| at.link() == link) {
            at.left(now, 0, since, fate);
        }
    }
}

impl Observer for Watchers {
    // inlined, so that events that neither the measurement nor a record needs cost almost nothing
    #[inline(always)]
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        self.measure.observe(now, seen);
        self.recorder.observe(now, seen);
        if self.elsewhere.is_empty() {
            return;
        }
        match seen {
            Observation::Offered { link, offered, .. } => self.offered_elsewhere(now, *link, *offered),
            Observation::Left { link, since, fate, .. } => self.left_elsewhere(now, *link, *since, *fate),
            _ => {}
        }
    }

    // calls nothing before its last statement, so that registers need not be saved
    #[inline(never)]
    fn accepted(&mut self, now: Time, link: LinkId, packet: &Packet, start: Time, end: Time, arrival: Time) {
        if self.hears_packets || !self.recorder.count_arrival(now, link) {
            return self.observe_accepted(now, link, packet, start, end, arrival);
        }
        self.measure.accepted(now, link, packet, start, end, arrival);
    }

    #[inline(always)]
    fn pairs_turns(&self) -> bool {
        self.recorder.pairs_turns()
    }

    #[inline(always)]
    fn turns(&mut self, first: Time, flight: u64, now: Time, flow: FlowId, sender: &Sender) {
        self.recorder.turns(first, flight, now, flow, sender);
    }

    #[inline(always)]
    fn watches(&self, link: LinkId) -> bool {
        link.0.wrapping_sub(self.first_link) < self.span
    }

    #[inline(always)]
    fn follows(&self) -> bool {
        self.follows
    }
}
