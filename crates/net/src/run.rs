//! One run from plan to outcome.

use ackclock_units::Time;
use serde::Serialize;

use crate::observe::{Facts, GroupSummary, Summary, Table, Watchers};
use crate::plan::{Plan, PlanError};
use crate::simulator::Simulator;

/// What a run leaves.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Over all flows that cross the measured link.
    pub summary: Summary,
    /// For each group of the plan.
    pub groups: Vec<GroupSummary>,
    /// What a user might have to be told about.
    pub facts: Facts,
    /// Events: what had to be done one after the other.
    #[serde(skip)]
    pub events: u64,
    /// The flows' counters and the records asked for.
    #[serde(skip)]
    pub tables: Vec<Table>,
}

/// Runs a plan.
///
/// # Errors
/// If the plan contradicts itself.
pub fn run(plan: &Plan, seed: u64) -> Result<Outcome, PlanError> {
    run_with_progress(plan, seed, |_| Ok::<(), PlanError>(()))
}

/// In how many slices, at least, a run reports its progress, and how long one may be.
const SLICES: u64 = 200;
const LONGEST_SLICE: Time = Time::from_millis(20_000);
/// Most rows kept of what happens at no fixed interval: some gigabytes.
const MOST_ROWS: usize = 30_000_000;

/// Runs a plan and calls `progress` with the fraction done from time to time; if that fails, the run stops.
///
/// # Errors
/// If the plan contradicts itself, its records outgrow memory, or `progress` fails.
pub fn run_with_progress<E: From<PlanError>>(
    plan: &Plan,
    seed: u64,
    mut progress: impl FnMut(f64) -> Result<(), E>,
) -> Result<Outcome, E> {
    let mut simulator = Simulator::new(plan, seed)?;
    let mut watchers = Watchers::new(plan, &simulator)?;
    let slice = Time::from_picos(plan.duration.as_picos() / SLICES + 1).min(LONGEST_SLICE);
    let mut next_slice = slice;
    let mut now = Time::ZERO;
    watchers.recorder.sample(now, &mut simulator);
    if plan.measure.from == now {
        watchers.measure.begin(&simulator);
    }
    while now < plan.duration {
        let begin = Some(plan.measure.from).filter(|from| *from > now);
        let stops = [Some(plan.duration), Some(next_slice), begin, watchers.recorder.next_sample(now)];
        now = stops.into_iter().flatten().min().unwrap_or(plan.duration);
        if watchers.recorder.hears() {
            simulator.run_until(now, &mut watchers);
        } else {
            simulator.run_until(now, &mut watchers.measure);
        }
        let Watchers { measure, recorder, .. } = &mut watchers;
        if Some(now) == begin {
            measure.begin(&simulator);
        }
        recorder.sample(now, &mut simulator);
        if now >= next_slice {
            next_slice = next_slice.saturating_add(slice);
            if recorder.rows() > MOST_ROWS {
                let problem =
                    format!("more than {MOST_ROWS} rows by {now}: record fewer links or flows, or at an interval");
                return Err(PlanError::new("record", problem).into());
            }
            progress(now.as_secs_f64() / plan.duration.as_secs_f64())?;
        }
    }
    let Watchers { mut measure, recorder, .. } = watchers;
    measure.finish(&simulator);
    Ok(Outcome {
        summary: measure.summary(),
        groups: measure.group_summaries(),
        facts: measure.facts(&mut simulator),
        events: simulator.events(),
        tables: recorder.into_tables(&measure),
    })
}
