//! The record `states`: the phase and the state variables of window laws, at each change or sampled.

use ackclock_tcp::Sender;
use ackclock_tcp::congestion::{phases, variables};
use ackclock_units::Time;

use crate::observe::table::Rows;
use crate::observe::{Column, Values};

/// The rows of the record.
#[derive(Clone, Debug, Default)]
pub(super) struct StateLog {
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

impl StateLog {
    /// A log of the given flows.
    pub(super) fn of(flows: &[u32]) -> Self {
        let flows = super::membership(flows).into_iter().map(|wanted| wanted.then(Last::default)).collect();
        Self { flows, ..Self::default() }
    }

    /// Stores a row for each variable that has changed since the last call, or for all of them if the phase has.
    #[inline(never)]
    pub(super) fn turn(&mut self, now: Time, flow: u32, sender: &Sender) {
        self.keep(now, flow, sender, false);
    }

    /// Stores a row for each variable.
    pub(super) fn sample(&mut self, now: Time, flow: u32, sender: &Sender) {
        self.keep(now, flow, sender, true);
    }

    fn keep(&mut self, now: Time, flow: u32, sender: &Sender, always: bool) {
        let Self { flows, times, names, phases: phase_codes, variables: codes, values } = self;
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

    /// Number of rows.
    pub(super) const fn rows(&self) -> usize {
        self.times.len()
    }

    /// Memory of the rows in bytes.
    pub(super) const fn held(&self) -> usize {
        self.times.len() * size_of::<f64>()
            + self.names.len() * size_of::<u32>()
            + self.phases.len()
            + self.variables.len()
            + self.values.len() * size_of::<f64>()
    }
}

/// The index of a name in the list of all names.
fn code_of(name: &str, known: &[&str]) -> u8 {
    let place = known.iter().position(|known| *known == name);
    debug_assert!(place.is_some(), "the law does not declare {name}");
    place.unwrap_or_default() as u8
}

impl Rows for StateLog {
    fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    fn columns(&self) -> Vec<Column> {
        let columns = [
            ("time", Values::F64(self.times.clone())),
            ("flow", Values::U32(self.names.clone())),
            ("phase", Values::Words { codes: self.phases.clone(), words: phases() }),
            ("variable", Values::Words { codes: self.variables.clone(), words: variables() }),
            ("value", Values::F64(self.values.clone())),
        ];
        columns.map(|(name, values)| Column { name, values }).into()
    }
}
