//! The record `states`: the phase and the state variables of window laws, at each change or sampled.

use std::mem::take;

use ackclock_tcp::Sender;
use ackclock_tcp::congestion::{STATES, phases, variables};
use ackclock_units::Time;

use super::record::{Declared, Described, Record, Turns, named};
use super::usual::{COLUMNS, Rows as Estimate, Usual};
use crate::engine::simulator::Simulator;
use crate::observe::{Column, Measure, Rows, Table, Values};
use crate::packet::FlowId;
use crate::plan::Plan;
use crate::plan::records::Asked;

/// Fraction of the variables of a law that an ACK and a transmission change: of laws with a model of the path, and of
/// all others.
const CHANGED: (f64, f64) = (0.4, 0.1);

/// The rows of the record.
#[derive(Clone, Debug, Default)]
pub(in crate::observe) struct Log {
    /// Flows to sample.
    sampled: Vec<u32>,
    /// The last rows of each flow, if the flow is recorded.
    flows: Vec<Option<Last>>,
    times: Vec<f64>,
    names: Vec<u32>,
    /// Index of each phase and of each variable in the lists of all names.
    phases: Vec<u8>,
    variables: Vec<u8>,
    values: Vec<f64>,
}

/// The phase and the values of a flow when they were last stored.
#[derive(Clone, Debug, Default)]
struct Last {
    phase: &'static str,
    /// Index in the list of all names.
    code: u8,
    /// The index and the value of each variable, in the order of the law.
    values: Vec<(u8, f64)>,
}

impl Record for Log {
    const DECLARED: Declared = Declared {
        most_rows: 14,
        ..Declared::new(
            "phase and state variables of the window law of flows, such as BBR's bandwidth or CUBIC's w_max, at each change \
             or sampled; `ackclock list states` lists all variables",
            &[
                Described::real("time", "s"),
                Described::id("flow"),
                Described::word("phase"),
                Described::word("variable"),
                Described::real("value", "unit of the variable"),
            ],
        )
    };
    const TURNS: Option<Turns> = Some(Turns::Single);

    fn new(asked: &Asked<'_>, _plan: &Plan) -> Self {
        let flows = super::membership(asked.ids).into_iter().map(|wanted| wanted.then(Last::default)).collect();
        let sampled = asked.every.map_or(Vec::new(), |_| asked.ids.to_vec());
        Self { sampled, flows, ..Self::default() }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        if asked.every.is_some() {
            let variables = usual.over_flows(asked, |group| group.flows * variables_of(group.law));
            return Estimate::of(asked.times(usual.duration) * variables, COLUMNS);
        }
        let changes = usual.over_flows(asked, |group| {
            group.acks * if group.is_gentle { CHANGED.0 } else { CHANGED.1 } * variables_of(group.law)
        });
        Estimate::of_events(changes, COLUMNS)
    }

    /// Stores a row for each variable that has changed since the last call, or for all of them if the phase has.
    #[inline(never)]
    fn turn(&mut self, now: Time, flow: u32, sender: &Sender) {
        self.keep(now, flow, sender, false);
    }

    fn sample(&mut self, now: Time, simulator: &mut Simulator) {
        let sampled = take(&mut self.sampled);
        for flow in &sampled {
            if let Some(sender) = simulator.sender(FlowId(*flow)) {
                self.keep(now, *flow, sender, true);
            }
        }
        self.sampled = sampled;
    }

    fn rows(&self) -> usize {
        self.times.len()
    }

    fn memory(&self) -> usize {
        self.times.len() * size_of::<f64>()
            + self.names.len() * size_of::<u32>()
            + self.phases.len()
            + self.variables.len()
            + self.values.len() * size_of::<f64>()
    }

    fn table(self, name: &'static str, _measure: &Measure) -> Table {
        Table::new(name, self)
    }
}

impl Log {
    fn keep(&mut self, now: Time, flow: u32, sender: &Sender, always: bool) {
        let Self { flows, times, names, phases: phase_codes, variables: codes, values, .. } = self;
        let Some(last) = flows.get_mut(flow as usize).and_then(Option::as_mut) else { return };
        let phase = sender.phase(now);
        let all = always || phase != last.phase;
        if phase != last.phase {
            (last.phase, last.code) = (phase, code_of(phase, phases()));
        }
        let (at, mut place) = (now.as_secs_f64(), 0);
        sender.visit_state(now, &mut |name, value| {
            if place == last.values.len() {
                last.values.push((code_of(name, variables()), value));
            }
            let (code, before) = &mut last.values[place];
            place += 1;
            if all || value.to_bits() != before.to_bits() {
                *before = value;
                times.push(at);
                names.push(flow);
                phase_codes.push(last.code);
                codes.push(*code);
                values.push(value);
            }
        });
    }
}

/// Number of state variables of a law.
fn variables_of(law: &str) -> f64 {
    STATES.iter().find(|state| state.law == law).map_or(0.0, |state| state.variables.len() as f64)
}

/// The index of a name in the list of all names.
fn code_of(name: &str, known: &[&str]) -> u8 {
    let place = known.iter().position(|known| *known == name);
    debug_assert!(place.is_some(), "the law does not declare {name}");
    place.unwrap_or_default() as u8
}

impl Rows for Log {
    fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    fn columns(&self) -> Vec<Column> {
        let phases = Values::Words { codes: self.phases.clone(), words: phases() };
        let variables = Values::Words { codes: self.variables.clone(), words: variables() };
        let (times, flows) = (Values::F64(self.times.clone()), Values::U32(self.names.clone()));
        named(Self::DECLARED.columns, [times, flows, phases, variables, Values::F64(self.values.clone())])
    }
}
