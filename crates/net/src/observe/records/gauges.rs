//! The record `gauges`: samples of the [gauges](crate::queue::GAUGES) of the disciplines of links.

use ackclock_units::Time;

use super::record::{Declared, Described, Record, named};
use super::usual::{COLUMNS, Rows as Estimate, Usual};
use crate::engine::simulator::Simulator;
use crate::observe::{Column, Measure, Rows, Table, Values};
use crate::packet::LinkId;
use crate::plan::Plan;
use crate::plan::records::Asked;
use crate::queue::gauges::NAMES;

/// Usual number of gauges of a discipline that has any.
const USUAL: f64 = 4.0;

/// Samples of gauges.
#[derive(Clone, Debug, Default)]
pub(in crate::observe) struct Log {
    watched: Vec<u32>,
    times: Vec<f64>,
    links: Vec<u32>,
    /// Index of each gauge in the list of all gauges.
    gauges: Vec<u8>,
    values: Vec<f64>,
}

impl Log {
    /// Adds a row, with NaN for a value that does not exist at this time.
    fn push(&mut self, now: Time, link: u32, name: &str, value: f64) {
        let gauge = NAMES.iter().position(|known| *known == name);
        debug_assert!(gauge.is_some(), "{name} is not listed in queue/gauges.rs");
        if let Some(gauge) = gauge {
            self.times.push(now.as_secs_f64());
            self.links.push(link);
            self.gauges.push(gauge as u8);
            self.values.push(value);
        }
    }
}

impl Record for Log {
    const DECLARED: Declared = Declared {
        most_rows: 8,
        empty: "no queue has gauges",
        ..Declared::new(
            "the state of a link's queue discipline, such as RED's average or CoDel's count, sampled every measure.bin or \
             interval; `ackclock list gauges` lists all gauges",
            &[
                Described::real("time", "s"),
                Described::id("link"),
                Described::word("gauge"),
                Described::real("value", "unit of the gauge"),
            ],
        )
    };

    fn new(asked: &Asked<'_>, _plan: &Plan) -> Self {
        Self { watched: asked.ids.to_vec(), ..Self::default() }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        let gauges = usual.over_links(asked, |link| if link.has_gauges { USUAL } else { 0.0 });
        Estimate::of(asked.times(usual.duration) * gauges, COLUMNS)
    }

    fn sample(&mut self, now: Time, simulator: &mut Simulator) {
        let watched = std::mem::take(&mut self.watched);
        for link in &watched {
            let row = &mut |name, value| self.push(now, *link, name, value);
            simulator.link(LinkId(*link)).gauges(now, row);
        }
        self.watched = watched;
    }

    fn rows(&self) -> usize {
        self.times.len()
    }

    fn memory(&self) -> usize {
        self.times.len() * size_of::<f64>()
            + self.links.len() * size_of::<u32>()
            + self.gauges.len()
            + self.values.len() * size_of::<f64>()
    }

    fn table(self, name: &'static str, _measure: &Measure) -> Table {
        Table::new(name, self)
    }
}

impl Rows for Log {
    fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    fn columns(&self) -> Vec<Column> {
        let gauges = Values::Words { codes: self.gauges.clone(), words: NAMES };
        let (times, links) = (Values::F64(self.times.clone()), Values::U32(self.links.clone()));
        named(Self::DECLARED.columns, [times, links, gauges, Values::F64(self.values.clone())])
    }
}
