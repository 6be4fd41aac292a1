//! The record `marks`: each packet marked (ECN) by the queue of a link.

use super::record::{Declared, named};
use super::signals::{COLUMNS, Kept, Signal, Signals};
use super::usual::OfLink;
use crate::observe::Column;

/// Log of marks.
pub(in crate::observe) type Log = Signals<MarkSignals>;

/// The signals of the record.
#[derive(Clone, Debug)]
pub(in crate::observe) struct MarkSignals;

impl Kept for MarkSignals {
    const DECLARED: Declared = Declared {
        empty: "no packet was marked",
        ..Declared::new("each packet marked (ECN) by a link's queue", &COLUMNS)
    };

    fn keeps(signal: Signal) -> bool {
        signal == Signal::Mark
    }

    fn usual(link: &OfLink) -> f64 {
        link.marked
    }

    fn columns(log: &Log) -> Vec<Column> {
        named(Self::DECLARED.columns, log.values())
    }
}
