//! The record `marks`: each packet marked (ECN) by the queue of a link.

use ackclock_units::Time;

use super::record::{Declared, Record, named};
use super::signals::{COLUMNS, Signal, Signals};
use super::usual::{Rows as Estimate, Usual};
use crate::link::Offered;
use crate::observe::{Column, Measure, ROW, Rows, Table};
use crate::packet::Packet;
use crate::plan::Plan;
use crate::plan::records::Asked;

/// Log of marks.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log(Signals);

impl Log {
    #[inline(always)]
    fn add(&mut self, now: Time, link: u32, packet: &Packet, signal: Option<Signal>) {
        if let Some(signal) = signal.filter(|signal| *signal == Signal::Mark) {
            self.0.add(now, link, packet, signal);
        }
    }
}

impl Record for Log {
    const DECLARED: Declared = Declared {
        empty: "no packet was marked",
        ..Declared::new("each packet marked (ECN) by a link's queue", &COLUMNS)
    };

    fn new(asked: &Asked<'_>, _plan: &Plan) -> Self {
        Self(Signals::of(asked.ids))
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        Estimate::of_events(usual.over_links(asked, |link| link.marked), ROW as f64)
    }

    #[inline(always)]
    fn offered(&mut self, now: Time, link: u32, packet: &Packet, offered: Offered) {
        self.add(now, link, packet, Signal::of(offered, false));
    }

    #[inline(always)]
    fn left(&mut self, now: Time, link: u32, packet: &Packet, fate: Offered) {
        self.add(now, link, packet, Signal::of(fate, true));
    }

    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }

    fn table(self, name: &'static str, _measure: &Measure) -> Table {
        Table::new(name, Self(self.0.sorted()))
    }
}

impl Rows for Log {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn columns(&self) -> Vec<Column> {
        named(Self::DECLARED.columns, self.0.values())
    }
}
