//! The record `acks`: each ACK that reaches a sender. With the record `windows` at each change, the log of windows has
//! its rows.

use ackclock_tcp::{Ack, Sender};
use ackclock_units::Time;

use super::record::{Declared, Record};
use super::senders::{ACK_COLUMNS, SenderLog};
use super::usual::{PACKED, Rows as Estimate, Usual};
use crate::observe::{Measure, Table};
use crate::plan::Plan;
use crate::plan::records::Asked;

/// Log of ACKs.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log {
    pub(super) flows: Vec<u32>,
    rows: SenderLog,
}

impl Record for Log {
    const DECLARED: Declared = Declared::new("each ACK that reaches the sender of a flow", ACK_COLUMNS);
    const ACKS: bool = true;

    fn new(asked: &Asked<'_>, _plan: &Plan) -> Self {
        Self { flows: asked.ids.to_vec(), rows: SenderLog::of(&[], asked.ids) }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        Estimate::of_events(usual.over_flows(asked, |group| group.acks), PACKED)
    }

    #[inline(always)]
    fn acked(&mut self, now: Time, flow: u32, ack: Ack<'_>, sender: &Sender) {
        self.rows.acked(ack, sender);
        self.rows.keep_ack(now, flow);
    }

    fn rows(&self) -> usize {
        self.rows.acks()
    }

    fn memory(&self) -> usize {
        self.rows.memory()
    }

    fn table(self, _name: &'static str, _measure: &Measure) -> Table {
        let [_, acks] = self.rows.tables();
        acks
    }
}
