//! Records: optional tables in addition to the summary.

#[cfg(test)]
mod tests;

use ackclock_tcp::{Limit, Sender};
use ackclock_units::Time;

use super::capture::Captures;
use super::records::{Logs, Samples, membership};
use super::table::columns;
use super::{Capture, Column, Limited, Measure, Observation, Observer, Results, Rows, Table, Values};
use crate::engine::simulator::Simulator;
use crate::link::Offered;
use crate::packet::{FlowId, LinkId, Packet};
use crate::plan::{CaptureSpec, Plan, PlanError, RecordSpec};

columns! { Flows {
    flow: U32(u32) "", group: U32(u32) "", sent: U64(u64) "packets", retransmissions: U64(u64) "packets",
    timeouts: U64(u64) "", fast_retransmits: U64(u64) "", dup_acks: U64(u64) "", goodput_packets: U64(u64) "packets",
    goodput_bps: F64(f64) "bit/s", payload_bps: F64(f64) "bit/s", loss: F64(f64) "", rtt_mean: F64(f64) "s",
    rtt_min: F64(f64) "s", completed: U64(u64) "", completion: F64(f64) "s",
} }

/// Collects the records that a plan requests.
#[derive(Clone, Debug)]
pub struct Recorder {
    end: Time,
    /// Links whose packets at least one record needs.
    links: Vec<bool>,
    logs: Logs,
    /// Index of the record of ACKs, if the log of windows has its rows.
    joined_acks: Option<usize>,
    /// Whether a record needs turns, and whether the only one takes two turns at once.
    hears_turns: bool,
    pairs_turns: bool,
    hears_acks: bool,
    /// Sampled records, each with its index in the plan and the time between samples.
    samples: Vec<(usize, Time, Samples)>,
    captures: Captures,
    /// Memory for reading a row of each record, in bytes.
    to_read: Vec<usize>,
}

impl Recorder {
    /// The records of a plan.
    ///
    /// # Errors
    /// If the plan requests the same record twice. Sampled records may be repeated.
    pub fn new(plan: &Plan) -> Result<Self, PlanError> {
        let (mut logs, mut samples, mut heard) = (Logs::default(), Vec::new(), Vec::new());
        for (place, spec) in plan.records.iter().enumerate() {
            if let Some(every) = spec.asked().every {
                samples.push((place, every, Samples::of(spec, plan)));
            } else {
                logs.add(place, spec, plan)?;
                heard.extend(spec.links());
            }
        }
        heard.extend(plan.captures.iter().flat_map(CaptureSpec::links));
        let (hears_turns, hears_single_turns) = logs.hear_turns();
        Ok(Self {
            end: plan.duration,
            links: membership(&heard),
            hears_turns,
            pairs_turns: hears_turns && !hears_single_turns,
            hears_acks: logs.hear_acks(),
            joined_acks: logs.join_acks(),
            logs,
            samples,
            captures: Captures::of(&plan.captures),
            to_read: plan.records.iter().map(RecordSpec::bytes_to_read).collect(),
        })
    }

    /// Begins recording before the run.
    pub(super) fn begin(&mut self, plan: &Plan, simulator: &Simulator) {
        self.logs.begin(plan, simulator);
    }

    /// Follows the transfer of a sender outside the engine, which takes no turns.
    pub(crate) fn follow_transfer(&mut self, flow: u32, is_idle: bool, retransmissions: u64) {
        if let Some((_, log)) = &mut self.logs.transfers {
            log.follow(flow, is_idle, retransmissions);
        }
    }

    /// Ends recording at the end of the run.
    pub(crate) fn finish(&mut self, simulator: &Simulator) {
        self.logs.finish(simulator);
    }

    /// Links whose packets at least one record needs.
    pub(super) fn links(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.links).filter_map(|(link, heard)| heard.then_some(link))
    }

    /// Whether any record needs events; samples do not.
    pub fn hears(&self) -> bool {
        self.links().next().is_some() || self.logs.are_of_flows()
    }

    /// The first sampling time after `now`, if there is one before the end.
    pub fn next_sample(&self, now: Time) -> Option<Time> {
        let next = |every: Time| every.saturating_mul(now.as_picos() / every.as_picos() + 1);
        self.samples.iter().map(|(_, every, _)| next(*every)).min().filter(|at| *at < self.end)
    }

    /// Takes the samples due at `now`.
    pub fn sample(&mut self, now: Time, simulator: &mut Simulator) {
        let end = self.end;
        let due = |every: Time| now < end && now.as_picos().is_multiple_of(every.as_picos());
        for (_, _, samples) in self.samples.iter_mut().filter(|(_, every, _)| due(*every)) {
            samples.take(now, simulator);
        }
    }

    /// Number of rows stored so far by event-driven records.
    pub fn rows(&self) -> usize {
        let events = self.rows_of_logs().filter(|(_, _, is_certain)| !is_certain);
        events.map(|(_, rows, _)| rows).sum::<usize>() + self.captures.rows()
    }

    /// Memory for reading the largest table so far, in bytes.
    pub(crate) fn reading(&self) -> usize {
        let logs = self.rows_of_logs().map(|(place, rows, _)| (place, rows));
        let samples = self.samples.iter().map(|(place, _, samples)| (*place, samples.rows()));
        logs.chain(samples).map(|(place, rows)| rows * self.to_read[place]).max().unwrap_or_default()
    }

    /// The index of each record that is not sampled, its number of rows, and whether the plan determines this number.
    fn rows_of_logs(&self) -> impl Iterator<Item = (usize, usize, bool)> {
        let acks = || self.logs.windows.as_ref().map_or(0, |(_, windows)| windows.acks());
        self.logs.rows().chain(self.joined_acks.map(|place| (place, acks(), false)))
    }

    /// Memory of the rows in bytes.
    pub fn memory(&self) -> usize {
        let samples = self.samples.iter().map(|(_, _, samples)| samples.memory());
        self.logs.memory() + samples.sum::<usize>() + self.captures.memory()
    }

    /// The tables, starting with the table of the flows' counters, and the captures.
    pub fn into_tables(mut self, measure: &Measure, flows: Table) -> (Vec<Table>, Vec<Capture>) {
        let mut tables: Vec<(usize, Table)> = Vec::new();
        if let Some(acks_place) = self.joined_acks
            && let Some((place, log)) = self.logs.windows.take()
        {
            let [windows, acks] = log.into_tables();
            tables.extend([(place, windows), (acks_place, acks)]);
        }
        tables.extend(self.logs.into_tables(measure));
        tables.extend(self.samples.into_iter().map(|(place, _, samples)| (place, samples.into_table(measure))));
        tables.sort_by_key(|(place, _)| *place);
        let tables = std::iter::once(flows).chain(tables.into_iter().map(|(_, table)| table));
        (tables.collect(), self.captures.into_captures())
    }

    /// Whether a record needs the packets that links accept, and not only their number.
    pub(super) fn hears_packets(&self) -> bool {
        self.logs.hear_accepted() || self.captures.any()
    }

    /// Records a packet that a link accepts, if its number in the current bin is all that records need; otherwise
    /// returns false.
    #[inline(always)]
    pub(super) fn count_arrival(&mut self, now: Time, LinkId(link): LinkId) -> bool {
        self.logs.arrivals.as_mut().is_none_or(|(_, arrivals)| arrivals.count_within_bin(now, link))
    }

    #[inline(never)]
    fn delivered(&mut self, now: Time, packet: &Packet, in_order: u64) {
        if self.captures.any() {
            self.captures.delivered(now, packet);
        }
        if now < self.end {
            self.logs.delivered(now, packet, in_order);
        }
    }

    #[inline(never)]
    fn turn(&mut self, now: Time, FlowId(flow): FlowId, sender: &Sender) {
        if now < self.end {
            self.logs.turn(now, flow, sender);
        }
    }

    #[inline(always)]
    fn on_offered(&mut self, now: Time, LinkId(link): LinkId, packet: &Packet, offered: Offered) {
        if now >= self.end {
            return;
        }
        self.logs.offered(now, link, packet, offered);
        if self.captures.any() {
            self.captures.offered(now, link, packet, offered, self.end);
        }
    }

    /// Handles a packet that leaves the queue of a link that stored it.
    #[inline(never)]
    fn on_left(&mut self, now: Time, LinkId(link): LinkId, packet: &Packet, since: Time, fate: Offered) {
        if now >= self.end {
            return;
        }
        self.logs.left(now, link, packet, fate);
        if self.captures.any() {
            self.captures.left(since, link, packet, fate, self.end);
        }
    }
}

impl Observer for Recorder {
    // inlined, so that events that no record needs cost only a comparison
    #[inline(always)]
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        match seen {
            Observation::Offered { link, packet, offered } => {
                self.on_offered(now, *link, packet, *offered);
            }
            Observation::Left { link, packet, since, fate } => self.on_left(now, *link, packet, *since, *fate),
            Observation::Acked { flow, ack, sender, .. } => {
                if self.hears_acks {
                    self.logs.acked(now, flow.0, *ack, sender);
                }
            }
            Observation::Turn { flow, sender } => {
                if self.hears_turns {
                    self.turn(now, *flow, sender);
                }
            }
            Observation::Delivered { packet, in_order, .. } => {
                self.delivered(now, packet, *in_order);
            }
            Observation::TransferBegins { flow, packets, before } => {
                self.logs.transfer(now, flow.0, *packets, before);
            }
            Observation::PageEnds { client, since } => self.logs.page(client.0, *since),
            Observation::Playback { flow, playback } => self.logs.playback(flow.0, playback),
            Observation::Reported { flow, control, .. } => {
                if let Some(control) = control {
                    self.logs.adapted(now, flow.0, control);
                }
            }
            Observation::Selective { id, sack } => {
                if self.captures.any() {
                    self.captures.selective(*id, sack);
                }
            }
        }
    }

    #[inline(always)]
    fn pairs_turns(&self) -> bool {
        self.pairs_turns
    }

    #[inline(always)]
    fn turns(&mut self, first: Time, flight: u64, now: Time, flow: FlowId, sender: &Sender) {
        if let Some((_, windows)) = &mut self.logs.windows {
            windows.turns(first, flight, now, flow.0, sender);
        }
    }

    #[inline(always)]
    fn watches(&self, link: LinkId) -> bool {
        self.links.get(link.0 as usize) == Some(&true)
    }

    fn follows(&self) -> bool {
        self.captures.any() || self.logs.hear_deliveries()
    }
}

/// The table of the flows' counters.
pub(crate) fn flows(results: Results<'_>) -> Table {
    let meters = results.flow_meters();
    let mut rows = Flows::with_capacity(meters.size_hint().0);
    let mut limited = Vec::with_capacity(meters.size_hint().0);
    for (flow, meter) in (0_u32..).zip(meters) {
        if meter.is_spare() {
            continue;
        }
        let counters = meter.counters();
        rows.push(
            flow,
            meter.group(),
            counters.sent,
            counters.retransmissions,
            counters.timeouts,
            counters.fast_retransmits,
            counters.dup_acks,
            meter.in_order(),
            meter.goodput_bits() / results.seconds(),
            meter.payload_bits() / results.seconds(),
            meter.loss().unwrap_or(f64::NAN),
            counters.round_trips.mean().unwrap_or(f64::NAN),
            counters.round_trips.min().unwrap_or(f64::NAN),
            meter.completed(),
            meter.completion_mean().unwrap_or(f64::NAN),
        );
        limited.push(meter.limited());
    }
    Table::new("flows", FlowRows { rows, limited })
}

/// The rows of the table of flows.
#[derive(Clone, Debug)]
struct FlowRows {
    rows: Flows,
    limited: Vec<Limited>,
}

impl Rows for FlowRows {
    fn columns(&self) -> Vec<Column> {
        let shares = |limit| self.limited.iter().map(|limited| limited.share(limit).unwrap_or(f64::NAN)).collect();
        let shares = Limit::ALL.map(|limit| Column { name: limit.field(), values: Values::F64(shares(limit)) });
        let mut columns = self.rows.columns();
        columns.extend(shares);
        columns
    }

    fn is_empty(&self) -> bool {
        self.limited.is_empty()
    }
}
