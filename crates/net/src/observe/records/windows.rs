//! The record `windows`: windows and timers of senders, at each change or sampled.

use ackclock_tcp::{Ack, Sender};
use ackclock_units::Time;

use super::record::{Declared, Record, Turns};
use super::senders::{SenderLog, WINDOW_COLUMNS};
use super::usual::{PACKED, Rows as Estimate, Usual};
use crate::engine::simulator::Simulator;
use crate::observe::{Measure, Table};
use crate::plan::Plan;
use crate::plan::records::Asked;

/// Bytes of a packed row with a new round-trip time.
const PACKED_WINDOW: f64 = 20.0;

/// Log of windows, and of ACKs if they are requested too: most ACKs change a window.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log {
    flows: Vec<u32>,
    rows: SenderLog,
    has_acks: bool,
}

impl Log {
    /// Also logs the ACKs of some flows. There are no rows yet.
    pub(super) fn add_acks(&mut self, flows: &[u32]) {
        (self.rows, self.has_acks) = (SenderLog::of(&self.flows, flows), true);
    }

    /// Handles two turns of a sender. The first one ended at `first` with `flight` segments in flight.
    #[inline(always)]
    pub(in crate::observe) fn turns(&mut self, first: Time, flight: u64, now: Time, flow: u32, sender: &Sender) {
        if !self.rows.keep_usual(first, flight, now, flow, sender) {
            self.rows.keep_two(first, flight, now, flow, sender);
        }
    }

    /// Number of rows of the table `acks`.
    pub(in crate::observe) const fn acks(&self) -> usize {
        self.rows.acks()
    }

    /// The tables `windows` and `acks`.
    pub(in crate::observe) fn into_tables(self) -> [Table; 2] {
        self.rows.tables()
    }
}

impl Record for Log {
    const DECLARED: Declared =
        Declared::new("cwnd, ssthresh, flight size, srtt and rto of flows, at each change or sampled", WINDOW_COLUMNS);
    const TURNS: Option<Turns> = Some(Turns::Pairs);

    fn new(asked: &Asked<'_>, _plan: &Plan) -> Self {
        Self { flows: asked.ids.to_vec(), rows: SenderLog::of(asked.ids, &[]), has_acks: false }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        if asked.every.is_some() {
            let senders = usual.over_flows(asked, |group| if group.is_tcp { group.flows } else { 0.0 });
            return Estimate::of(asked.times(usual.duration) * senders, PACKED);
        }
        Estimate::of_events(usual.over_flows(asked, |group| group.changes), PACKED_WINDOW)
    }

    #[inline(always)]
    fn acked(&mut self, _now: Time, _flow: u32, ack: Ack<'_>, sender: &Sender) {
        if self.has_acks {
            self.rows.acked(ack, sender);
        }
    }

    #[inline(always)]
    fn turn(&mut self, now: Time, flow: u32, sender: &Sender) {
        self.rows.turn(now, flow, sender);
    }

    fn sample(&mut self, now: Time, simulator: &mut Simulator) {
        self.rows.sample(now, &self.flows, simulator);
    }

    fn rows(&self) -> usize {
        self.rows.windows()
    }

    fn memory(&self) -> usize {
        self.rows.memory()
    }

    fn table(self, _name: &'static str, _measure: &Measure) -> Table {
        let [windows, _] = self.rows.tables();
        windows
    }
}
