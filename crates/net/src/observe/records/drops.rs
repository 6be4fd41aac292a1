//! The record `drops`: each packet dropped by the queue, the policer or the loss model of a link.

use ackclock_units::Time;

use super::record::{Declared, Described, Record, named};
use super::signals::{COLUMNS, Signal, Signals};
use super::usual::{Rows as Estimate, Usual};
use crate::link::Offered;
use crate::observe::{Column, Measure, ROW, Rows, Table};
use crate::packet::Packet;
use crate::plan::Plan;
use crate::plan::records::Asked;

const fn columns() -> [Described; 6] {
    let [time, link, flow, segment, bytes] = COLUMNS;
    [time, link, flow, segment, bytes, Described::word("place")]
}

/// Log of drops.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log(Signals);

impl Log {
    #[inline(always)]
    fn add(&mut self, now: Time, link: u32, packet: &Packet, signal: Option<Signal>) {
        if let Some(signal) = signal.filter(|signal| *signal != Signal::Mark) {
            self.0.add(now, link, packet, signal);
        }
    }
}

impl Record for Log {
    const DECLARED: Declared = Declared {
        empty: "no packet was dropped",
        ..Declared::new(
            "each packet dropped by a link's queue, at arrival or when it was stored, by its policer, or by its loss model",
            const { &columns() },
        )
    };

    fn new(asked: &Asked<'_>, _plan: &Plan) -> Self {
        Self(Signals::of(asked.ids))
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        Estimate::of_events(usual.over_links(asked, |link| link.dropped), ROW as f64)
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
        let [time, link, flow, segment, bytes] = self.0.values();
        named(Self::DECLARED.columns, [time, link, flow, segment, bytes, self.0.places()])
    }
}
