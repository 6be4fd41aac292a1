//! The record `drops`: each packet dropped by the queue, the policer or the loss model of a link.

use super::record::{Declared, Described, named};
use super::signals::{COLUMNS, Kept, Signal, Signals};
use super::usual::OfLink;
use crate::observe::Column;

/// Log of drops.
pub(in crate::observe) type Log = Signals<DropSignals>;

/// The signals of the record.
#[derive(Clone, Debug)]
pub(in crate::observe) struct DropSignals;

const fn columns() -> [Described; 6] {
    let [time, link, flow, segment, bytes] = COLUMNS;
    [time, link, flow, segment, bytes, Described::word("place")]
}

impl Kept for DropSignals {
    const DECLARED: Declared = Declared {
        empty: "no packet was dropped",
        ..Declared::new(
            "each packet dropped by a link's queue, at arrival or when it was stored, by its policer, or by its loss model",
            const { &columns() },
        )
    };

    fn keeps(signal: Signal) -> bool {
        signal != Signal::Mark
    }

    fn usual(link: &OfLink) -> f64 {
        link.dropped
    }

    fn columns(log: &Log) -> Vec<Column> {
        let [time, link, flow, segment, bytes] = log.values();
        named(Self::DECLARED.columns, [time, link, flow, segment, bytes, log.places()])
    }
}
