//! A simulation that is stepped: an agent sets the windows or rates of some flows, and sees after each step what their
//! senders know.
//!
//! A step is an interval [t, t + span) of simulated time. An action holds from `t` on: the sender uses it from its first
//! ACK at or after `t`. The [`Interval`] of a step contains the events of exactly this time: an ACK that arrives at
//! `t + span` belongs to the next step. The engine follows a packet ahead of the clock where nothing can interfere with
//! it, so the events of the link that lie after the step are kept until the step that they belong to.
//!
//! The law of an agent's flow is a [law from outside the engine](ackclock_tcp::congestion::foreign) named [`AGENT`].
//! Timeouts and loss recovery are the engine's. Flows with other laws can be [watched](Stepper::new) in the same way.

mod agent;
mod link;
#[cfg(test)]
mod tests;

use std::mem::replace;
use std::sync::Arc;

use ackclock_tcp::congestion::LawSpec;
use ackclock_units::Time;
use ackclock_units::failure::Failure;

use crate::engine::simulator::Simulator;
use crate::guard::footprint::Footprint;
use crate::guard::memory::{EVENTS, check_segments};
use crate::packet::{FlowId, LinkId};
use crate::plan::{Plan, PlanError, TransportSpec};
pub use agent::AGENT;
use agent::{Agents, Desk, Samples};
use link::AtLink;

/// What an agent sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// The congestion window in packets.
    Window(f64),
    /// The pacing rate in packets per second. The window is twice the rate times the smoothed round-trip time, so that it
    /// does not limit the flow.
    Rate(f64),
    /// A factor by which the window of CUBIC is multiplied once. CUBIC sets the window between two actions.
    Factor(f64),
}

/// A step as seen by the sender of a flow, and by the measured link. Times are in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// Start of the step.
    pub begin: f64,
    /// Length of the step.
    pub span: f64,
    /// Packets sent, retransmissions and the SYN included.
    pub sent: u64,
    /// Packets acknowledged cumulatively, the SYN included.
    pub acked: u64,
    /// Packets sent again because the sender took them for lost.
    pub lost: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Number of samples of the round-trip time. Flows without an agent have none.
    pub samples: u64,
    /// Mean of the samples; NaN without any.
    pub rtt: f64,
    /// Slope of the least-squares line through the samples, seconds per second; 0 with fewer than two.
    pub rtt_gradient: f64,
    /// Smallest sample of the episode; NaN before the first.
    pub rtt_min: f64,
    /// Smoothed round-trip time at the end; NaN before the first sample.
    pub srtt: f64,
    /// Congestion window at the end, in packets.
    pub cwnd: f64,
    /// Packets in flight at the end.
    pub flight: u64,
    /// The flow's data packets that arrived at the measured link.
    pub offered: u64,
    /// Those of them that the link dropped or lost.
    pub dropped: u64,
    /// Mean waiting time in the queue of the link: of the flow's packets that arrived in the step and were not dropped, or
    /// that left the queue in the step if the discipline stores packets; NaN without any.
    pub wait: f64,
    /// Packets of all flows that wait in the queue at the end.
    pub queue: u64,
    /// Coefficient of variation of the number of arrivals per bin at the link, over the complete bins of the episode; NaN
    /// with fewer than two.
    pub cov: f64,
}

/// The counters of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    sent: u64,
    acked: u64,
    lost: u64,
    timeouts: u64,
}

/// A flow that is observed.
#[derive(Debug)]
struct Watched {
    flow: FlowId,
    /// Exchanges data with the law of the flow, if the flow has an agent.
    desk: Option<Arc<Desk>>,
    /// The counters at the start and at the end of the step.
    before: Totals,
    after: Totals,
}

/// A simulation that is stepped.
#[derive(Debug)]
pub struct Stepper {
    simulator: Simulator,
    watched: Vec<Watched>,
    link: AtLink,
    begin: Time,
    now: Time,
    duration: Time,
    memory: u64,
}

/// Why a simulation cannot be stepped on.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The plan cannot be run, or needs too much memory.
    #[error(transparent)]
    Refused(#[from] PlanError),
    /// The law of a flow failed.
    #[error(transparent)]
    Failed(#[from] Failure),
}

impl Stepper {
    /// Builds the network of a plan at time 0. `groups` are watched: their flows are numbered in this order, and a group
    /// whose law is named [`AGENT`] has an agent for each flow. The run may use at most `memory` bytes.
    ///
    /// # Errors
    /// If the plan contradicts itself, a watched flow is not TCP, or the plan needs more memory.
    pub fn new(mut plan: Plan, groups: &[usize], seed: u64, memory: u64) -> Result<Self, PlanError> {
        Footprint::of(&plan)?.check(memory)?;
        let mut next = 0;
        let mut flows = Vec::new();
        for (place, group) in plan.groups.iter().enumerate() {
            let first = next;
            next += group.flows();
            if !groups.contains(&place) {
                continue;
            }
            let TransportSpec::Tcp { sender, .. } = &group.transport else {
                return Err(PlanError::new(format!("groups.{place}.transport"), "must be TCP to be watched"));
            };
            let is_agents = matches!(&sender.congestion, LawSpec::Foreign(law) if &*law.name == AGENT);
            flows.extend((first..next).map(|flow| (flow, is_agents)));
        }
        let agents = Arc::new(Agents::new(flows.iter().map(|(flow, _)| *flow)));
        plan.set_law_makers(|law| (&*law.name == AGENT).then(|| Arc::clone(&agents) as _));
        let simulator = Simulator::new(&plan, seed)?;
        let watched = |(flow, is_agents): &(u32, bool)| {
            let desk = is_agents.then(|| agents.desk(*flow)).flatten();
            Watched { flow: FlowId(*flow), desk, before: Totals::default(), after: Totals::default() }
        };
        Ok(Self {
            watched: flows.iter().map(watched).collect(),
            link: AtLink::new(LinkId(plan.measure.link), plan.measure.bin, flows.iter().map(|(flow, _)| *flow), next),
            simulator,
            begin: Time::ZERO,
            now: Time::ZERO,
            duration: plan.duration,
            memory,
        })
    }

    /// Sets what the agent of a watched flow does from now on; has no effect on a flow without an agent.
    pub fn act(&mut self, place: usize, action: Action) {
        if let Some(desk) = self.watched.get(place).and_then(|watched| watched.desk.as_ref()) {
            desk.act(action);
        }
    }

    /// Simulates the next `span`. `progress` is called every few thousand events, and stops the step if it fails.
    ///
    /// # Errors
    /// If the plan's duration ends before the step, a law fails, the run needs too much memory, or `progress` fails. The
    /// simulation cannot be continued then.
    pub fn step<E: From<StepError>>(
        &mut self,
        span: Time,
        mut progress: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let end = self.now.saturating_add(span);
        if end > self.duration {
            let problem = format!("ends at {}; the step would end at {end}", self.duration);
            return Err(StepError::from(PlanError::new("duration", problem)).into());
        }
        for watched in &mut self.watched {
            watched.before = watched.after;
            if let Some(desk) = &watched.desk {
                desk.begin(self.now);
            }
        }
        self.begin = replace(&mut self.now, end);
        self.link.begin(end);
        while !self.simulator.run_some(end, EVENTS, &mut self.link) {
            self.check()?;
            progress()?;
        }
        if let Some(failure) = self.simulator.failure() {
            return Err(StepError::from(failure.clone()).into());
        }
        for watched in &mut self.watched {
            watched.after = totals(&self.simulator, watched.flow);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), StepError> {
        if let Some(failure) = self.simulator.failure() {
            return Err(failure.clone().into());
        }
        check_segments(self.simulator.most_settled())?;
        let used =
            (self.simulator.memory_of_components() + self.simulator.memory_in_flight() + self.link.memory()) as u64;
        if used > self.memory {
            let problem = format!("the episode uses {used} bytes, but the limit is {} bytes", self.memory);
            return Err(PlanError::new("memory", problem).into());
        }
        Ok(())
    }

    /// The number of watched flows.
    pub const fn watched(&self) -> usize {
        self.watched.len()
    }

    /// The current time.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// The last step of a watched flow.
    ///
    /// # Panics
    /// If there is no such flow.
    pub fn interval(&mut self, place: usize) -> Interval {
        let Self { simulator, watched, link, begin, now, .. } = self;
        let Watched { flow, desk, before, after } = &watched[place];
        let state = simulator.sender(*flow).map(ackclock_tcp::Sender::state);
        let (queue, _) = simulator.link(link.id()).backlog(*now);
        let Samples { count, mean, gradient, least } = desk.as_ref().map(|desk| desk.samples()).unwrap_or_default();
        let seen = link.seen(place);
        Interval {
            begin: begin.as_secs_f64(),
            span: (*now - *begin).as_secs_f64(),
            sent: after.sent - before.sent,
            acked: after.acked - before.acked,
            lost: after.lost - before.lost,
            timeouts: after.timeouts - before.timeouts,
            samples: count,
            rtt: mean,
            rtt_gradient: gradient,
            rtt_min: least,
            srtt: state.map_or(f64::NAN, |state| state.srtt),
            cwnd: state.map_or(f64::NAN, |state| state.cwnd),
            flight: state.map_or(0, |state| state.flight_size),
            offered: seen.offered,
            dropped: seen.dropped,
            wait: seen.mean_wait(),
            queue,
            cov: link.cov(),
        }
    }
}

fn totals(simulator: &Simulator, flow: FlowId) -> Totals {
    let counters = simulator.counters(flow);
    let flight = simulator.sender(flow).map_or(0, |sender| sender.windows().2);
    Totals {
        sent: counters.sent,
        acked: (counters.sent - counters.retransmissions).saturating_sub(flight),
        lost: counters.retransmissions,
        timeouts: counters.timeouts,
    }
}
