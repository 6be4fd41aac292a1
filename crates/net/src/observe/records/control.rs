//! The record `control`: how the senders of calls set their bitrates, a row for each report of a receiver.

use ackclock_units::Time;

use super::record::{Declared, Described, Record, named};
use super::usual::{Rows as Estimate, Usual};
use crate::call::{Control, Signal, State};
use crate::observe::{Column, Measure, ROW, Rows, Table, Values};
use crate::plan::Plan;
use crate::plan::records::Asked;

/// Log of bitrates.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log {
    wanted: Vec<bool>,
    rows: Vec<(Time, u32, Control)>,
    end: Time,
}

impl Record for Log {
    const DECLARED: Declared = Declared {
        empty: "no report reached the sender of a call",
        ..Declared::new(
            "the bitrate of each call that adapts, with each report of its receiver: the delay-based and the loss-based \
             estimate, the bitrate received, the estimate of the detector and its threshold, its signal, and the state",
            &[
                Described::real("time", "s"),
                Described::id("flow"),
                Described::real("target", "bit/s"),
                Described::real("by_delay", "bit/s"),
                Described::real("by_loss", "bit/s"),
                Described::real("received", "bit/s"),
                Described::real("estimate", "ms"),
                Described::real("threshold", "ms"),
                Described::word("signal"),
                Described::word("state"),
            ],
        )
    };

    fn new(asked: &Asked<'_>, plan: &Plan) -> Self {
        Self { wanted: super::membership(asked.ids), rows: Vec::new(), end: plan.duration }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        Estimate::of_events(usual.over_flows(asked, |group| group.acks), ROW as f64)
    }

    fn adapted(&mut self, now: Time, flow: u32, control: &Control) {
        if now < self.end && self.wanted.get(flow as usize) == Some(&true) {
            self.rows.push((now, flow, *control));
        }
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn memory(&self) -> usize {
        self.rows.len() * size_of::<(Time, u32, Control)>()
    }

    /// The rows, ordered by time and then by flow.
    fn table(mut self, name: &'static str, _measure: &Measure) -> Table {
        self.rows.sort_by_key(|(time, flow, _)| (*time, *flow));
        Table::new(name, self)
    }
}

impl Rows for Log {
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn columns(&self) -> Vec<Column> {
        let real =
            |value: fn(&Control) -> f64| Values::F64(self.rows.iter().map(|(_, _, control)| value(control)).collect());
        let words = |code: fn(&Control) -> u8, words: &'static [&'static str]| Values::Words {
            codes: self.rows.iter().map(|(_, _, control)| code(control)).collect(),
            words,
        };
        named(
            Self::DECLARED.columns,
            [
                Values::F64(self.rows.iter().map(|(time, ..)| time.as_secs_f64()).collect()),
                Values::U32(self.rows.iter().map(|(_, flow, _)| *flow).collect()),
                real(|control| control.target),
                real(|control| control.by_delay),
                real(|control| control.by_loss),
                real(|control| control.received),
                real(|control| control.estimate),
                real(|control| control.threshold),
                words(|control| control.signal as u8, Signal::NAMES),
                words(|control| control.state as u8, State::NAMES),
            ],
        )
    }
}
