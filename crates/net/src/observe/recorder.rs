//! Records: optional tables in addition to the summary.

mod bins;
mod links;
mod packed;
mod phases;
mod senders;
mod states;
#[cfg(test)]
mod tests;
mod throughput;
mod transfers;

use ackclock_tcp::{Limit, Sender};
use ackclock_units::Time;

use super::capture::Captures;
use super::packets::PacketLog;
use super::table::columns;
use super::{Capture, Column, Limited, Measure, Observation, Observer, Results, Rows, Table, Values};
use crate::engine::simulator::Simulator;
use crate::link::Offered;
use crate::packet::{FlowId, LinkId, Packet};
use crate::plan::{CaptureSpec, Plan, PlanError, RecordSpec};
pub(crate) use bins::BYTES_OF_BIN;
use bins::Binned;
use links::{GaugeRows, Signal, Signals};
use phases::PhaseLog;
use senders::SenderLog;
use states::StateLog;
use transfers::TransferLog;

columns! { Queue { time: F64(f64), link: U32(u32), packets: U64(u64), bytes: U64(u64), average: F64(f64) } }
columns! { Flows {
    flow: U32(u32), group: U32(u32), sent: U64(u64), retransmissions: U64(u64), timeouts: U64(u64), fast_retransmits: U64(u64),
    dup_acks: U64(u64), goodput_packets: U64(u64), goodput_bps: F64(f64), payload_bps: F64(f64), loss: F64(f64),
    rtt_mean: F64(f64), rtt_min: F64(f64), completed: U64(u64), completion: F64(f64),
} }

/// Collects the records that a plan requests, grouped by the events that they need. Each record is stored with its
/// index in the plan.
#[derive(Clone, Debug)]
pub struct Recorder {
    end: Time,
    /// Links whose packets at least one record needs.
    links: Vec<bool>,
    arrivals: (Option<usize>, Binned),
    /// The record `throughput`, of links and of flows.
    sent: Option<(usize, Binned)>,
    delivered: Option<(usize, Binned)>,
    drops: Option<(usize, Signals)>,
    marks: Option<(usize, Signals)>,
    packets: Option<(usize, PacketLog)>,
    /// Log of the records `windows` (at each change) and `acks`, and the indices of these records in the plan.
    senders: SenderLog,
    windows: Option<usize>,
    acks: Option<usize>,
    phases: Option<(usize, PhaseLog)>,
    transfers: Option<(usize, TransferLog)>,
    /// The record `states`, at each change.
    states: Option<(usize, StateLog)>,
    /// Whether a record needs turns, and whether the only ones are `windows` and `acks`, which take two turns at once.
    hears_turns: bool,
    pairs_turns: bool,
    samples: Vec<(usize, Samples)>,
    captures: Captures,
    /// Memory for reading a row of each record, in bytes.
    to_read: Vec<usize>,
}

/// State that is sampled at intervals.
#[derive(Clone, Debug)]
struct Samples {
    every: Time,
    of: Sampled,
}

#[derive(Clone, Debug)]
enum Sampled {
    Queue { links: Vec<u32>, rows: Queue },
    Gauges { links: Vec<u32>, rows: GaugeRows },
    Windows { flows: Vec<u32>, rows: SenderLog },
    States { flows: Vec<u32>, rows: StateLog },
}

impl Recorder {
    /// The records of a plan.
    ///
    /// # Errors
    /// If the plan requests the same record twice. Sampled records may be repeated.
    pub fn new(plan: &Plan) -> Result<Self, PlanError> {
        let mut recorder = Self {
            end: plan.duration,
            links: Vec::new(),
            arrivals: (None, Binned::default()),
            sent: None,
            delivered: None,
            drops: None,
            marks: None,
            packets: None,
            senders: SenderLog::of(&[], &[]),
            windows: None,
            acks: None,
            phases: None,
            transfers: None,
            states: None,
            hears_turns: false,
            pairs_turns: false,
            samples: Vec::new(),
            captures: Captures::of(&plan.captures),
            to_read: plan.records.iter().map(RecordSpec::bytes_to_read).collect(),
        };
        let mut heard = Vec::new();
        let (mut arrivals, mut windows, mut acks) = (None, None, None);
        for (place, spec) in plan.records.iter().cloned().enumerate() {
            match spec {
                RecordSpec::Arrivals { links, bin } => {
                    heard.extend_from_slice(&links);
                    keep_once(&mut arrivals, place, Binned::of(links, bin, plan.duration))?;
                }
                RecordSpec::LinkThroughput { links, bin } => {
                    heard.extend_from_slice(&links);
                    keep_once(&mut recorder.sent, place, Binned::of(links, bin, plan.duration))?;
                }
                RecordSpec::Throughput { flows, bin } => {
                    keep_once(&mut recorder.delivered, place, Binned::of(flows, bin, plan.duration))?;
                }
                RecordSpec::Drops { links } => {
                    keep_once(&mut recorder.drops, place, Signals::drops(&links))?;
                    heard.extend(links);
                }
                RecordSpec::Marks { links } => {
                    keep_once(&mut recorder.marks, place, Signals::marks(&links))?;
                    heard.extend(links);
                }
                RecordSpec::Packets { links } => {
                    keep_once(&mut recorder.packets, place, PacketLog::of(&links, plan.duration))?;
                    heard.extend(links);
                }
                RecordSpec::Acks { flows } => keep_once(&mut acks, place, flows)?,
                RecordSpec::Phases { flows } => keep_once(&mut recorder.phases, place, PhaseLog::of(&flows))?,
                RecordSpec::Transfers { flows } => {
                    keep_once(&mut recorder.transfers, place, TransferLog::of(&flows, plan))?;
                }
                RecordSpec::Windows { flows, every: None } => {
                    keep_once(&mut windows, place, flows)?;
                }
                RecordSpec::Windows { flows, every: Some(every) } => {
                    let rows = SenderLog::of(&flows, &[]);
                    recorder.samples.push((place, Samples { every, of: Sampled::Windows { flows, rows } }));
                }
                RecordSpec::States { flows, every: None } => {
                    keep_once(&mut recorder.states, place, StateLog::of(&flows))?;
                }
                RecordSpec::States { flows, every: Some(every) } => {
                    let rows = StateLog::of(&flows);
                    recorder.samples.push((place, Samples { every, of: Sampled::States { flows, rows } }));
                }
                RecordSpec::Queue { links, every } => {
                    let samples = plan.duration.as_picos().div_ceil(every.as_picos());
                    let rows = Queue::with_capacity(samples as usize * links.len());
                    recorder.samples.push((place, Samples { every, of: Sampled::Queue { links, rows } }));
                }
                RecordSpec::Gauges { links, every } => {
                    let rows = GaugeRows::default();
                    recorder.samples.push((place, Samples { every, of: Sampled::Gauges { links, rows } }));
                }
            }
        }
        if let Some((place, record)) = arrivals {
            recorder.arrivals = (Some(place), record);
        }
        heard.extend(plan.captures.iter().flat_map(CaptureSpec::links));
        recorder.links = membership(&heard);
        let flows =
            |asked: &Option<(usize, Vec<u32>)>| asked.iter().flat_map(|(_, flows)| flows.clone()).collect::<Vec<_>>();
        recorder.senders = SenderLog::of(&flows(&windows), &flows(&acks));
        recorder.windows = windows.map(|(place, _)| place);
        recorder.acks = acks.map(|(place, _)| place);
        let hears_single_turns = recorder.transfers.is_some() || recorder.states.is_some() || recorder.phases.is_some();
        recorder.hears_turns = recorder.windows.is_some() || hears_single_turns;
        recorder.pairs_turns = recorder.windows.is_some() && !hears_single_turns;
        Ok(recorder)
    }

    /// Records the transfers that sources supply at their start without announcing them.
    pub(super) fn begin(&mut self, plan: &Plan, simulator: &Simulator) {
        if let Some((_, transfers)) = &mut self.transfers {
            transfers.begin_single(plan, simulator);
        }
    }

    /// Ends recording at the end of the run.
    pub(crate) fn finish(&mut self, simulator: &Simulator) {
        if let Some((_, transfers)) = &mut self.transfers {
            transfers.add_waiting(simulator);
        }
    }

    /// Links whose packets at least one record needs.
    pub(super) fn links(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.links).filter_map(|(link, heard)| heard.then_some(link))
    }

    /// Whether any record needs events; samples do not.
    pub fn hears(&self) -> bool {
        self.links().next().is_some() || self.hears_turns || self.acks.is_some() || self.delivered.is_some()
    }

    /// The first sampling time after `now`, if there is one before the end.
    pub fn next_sample(&self, now: Time) -> Option<Time> {
        let next = |every: Time| every.saturating_mul(now.as_picos() / every.as_picos() + 1);
        self.samples.iter().map(|(_, samples)| next(samples.every)).min().filter(|at| *at < self.end)
    }

    /// Takes the samples due at `now`.
    pub fn sample(&mut self, now: Time, simulator: &mut Simulator) {
        let end = self.end;
        let due = |every: Time| now < end && now.as_picos().is_multiple_of(every.as_picos());
        for (_, samples) in self.samples.iter_mut().filter(|(_, samples)| due(samples.every)) {
            match &mut samples.of {
                Sampled::Queue { links, rows } => {
                    for link in links {
                        let mut link_now = simulator.link(LinkId(*link));
                        let (packets, bytes) = link_now.backlog(now);
                        rows.push(now.as_secs_f64(), *link, packets, bytes, link_now.average());
                    }
                }
                Sampled::Gauges { links, rows } => {
                    for link in links {
                        let row = &mut |name, value| rows.push(now, *link, name, value);
                        simulator.link(LinkId(*link)).gauges(now, row);
                    }
                }
                Sampled::Windows { flows, rows } => {
                    for flow in flows {
                        if let Some(sender) = simulator.sender(FlowId(*flow)) {
                            rows.sample(now, *flow, sender);
                        }
                    }
                }
                Sampled::States { flows, rows } => {
                    for flow in flows {
                        if let Some(sender) = simulator.sender(FlowId(*flow)) {
                            rows.sample(now, *flow, sender);
                        }
                    }
                }
            }
        }
    }

    /// Number of rows stored so far by event-driven records.
    pub fn rows(&self) -> usize {
        self.rows_of_events().map(|(_, rows)| rows).sum::<usize>() + self.captures.rows()
    }

    /// Memory for reading the largest table so far, in bytes.
    pub(crate) fn reading(&self) -> usize {
        let sampled = self.samples.iter().map(|(place, samples)| match &samples.of {
            Sampled::Queue { rows, .. } => (*place, rows.rows()),
            Sampled::Gauges { rows, .. } => (*place, rows.rows()),
            Sampled::Windows { rows, .. } => (*place, rows.rows()),
            Sampled::States { rows, .. } => (*place, rows.rows()),
        });
        let arrivals = self.arrivals.0.map(|place| (place, self.arrivals.1.count()));
        let bytes = self.sent.iter().chain(&self.delivered).map(|(place, counts)| (*place, counts.count()));
        let all = self.rows_of_events().chain(sampled).chain(arrivals).chain(bytes);
        all.map(|(place, rows)| rows * self.to_read[place]).max().unwrap_or_default()
    }

    /// The place of each event-driven record, and its number of rows.
    fn rows_of_events(&self) -> impl Iterator<Item = (usize, usize)> {
        let signals = self.drops.iter().chain(&self.marks).map(|(place, signals)| (*place, signals.rows()));
        signals
            .chain(self.packets.iter().map(|(place, log)| (*place, log.rows())))
            .chain(self.windows.map(|place| (place, self.senders.windows())))
            .chain(self.acks.map(|place| (place, self.senders.acks())))
            .chain(self.transfers.iter().map(|(place, log)| (*place, log.rows())))
            .chain(self.states.iter().map(|(place, log)| (*place, log.rows())))
            .chain(self.phases.iter().map(|(place, log)| (*place, log.rows())))
    }

    /// Memory of the rows in bytes.
    pub fn held(&self) -> usize {
        let sampled = |samples: &Samples| match &samples.of {
            Sampled::Queue { rows, .. } => rows.held(),
            Sampled::Gauges { rows, .. } => rows.held(),
            Sampled::Windows { rows, .. } => rows.held(),
            Sampled::States { rows, .. } => rows.held(),
        };
        self.drops.iter().chain(&self.marks).map(|(_, signals)| signals.held()).sum::<usize>()
            + self.packets.iter().map(|(_, log)| log.held()).sum::<usize>()
            + self.transfers.iter().map(|(_, log)| log.held()).sum::<usize>()
            + self.states.iter().map(|(_, log)| log.held()).sum::<usize>()
            + self.phases.iter().map(|(_, log)| log.held()).sum::<usize>()
            + self.senders.held()
            + self.arrivals.1.held()
            + self.sent.iter().chain(&self.delivered).map(|(_, counts)| counts.held()).sum::<usize>()
            + self.samples.iter().map(|(_, samples)| sampled(samples)).sum::<usize>()
            + self.captures.held()
    }

    /// The tables, starting with the table of the flows' counters, and the captures.
    pub fn into_tables(self, measure: &Measure, flows: Table) -> (Vec<Table>, Vec<Capture>) {
        let mut tables: Vec<(usize, Table)> = Vec::new();
        let (arrivals, counts) = self.arrivals;
        tables.extend(arrivals.map(|place| (place, links::arrivals(counts))));
        tables.extend(self.sent.into_iter().map(|(place, counts)| (place, throughput::of_links(counts))));
        tables.extend(self.delivered.into_iter().map(|(place, counts)| (place, throughput::of_flows(counts, measure))));
        tables.extend(self.drops.into_iter().chain(self.marks).map(|(place, signals)| (place, signals.table())));
        tables.extend(self.packets.into_iter().map(|(place, log)| (place, log.table())));
        let [windows, acks] = self.senders.tables();
        tables.extend(self.windows.map(|place| (place, windows)));
        tables.extend(self.acks.map(|place| (place, acks)));
        tables.extend(self.phases.into_iter().map(|(place, log)| (place, log.table())));
        tables.extend(self.transfers.into_iter().map(|(place, log)| (place, log.table(measure))));
        tables.extend(self.states.into_iter().map(|(place, log)| (place, Table::new("states", log))));
        tables.extend(self.samples.into_iter().map(|(place, samples)| (place, samples.of.table())));
        tables.sort_by_key(|(place, _)| *place);
        let tables = std::iter::once(flows).chain(tables.into_iter().map(|(_, table)| table));
        (tables.collect(), self.captures.into_captures())
    }

    /// Whether a record needs the packets that links accept, and not only their number.
    pub(super) fn hears_packets(&self) -> bool {
        self.packets.is_some() || self.sent.is_some() || self.captures.any()
    }

    /// Records a packet that a link accepts, if its number in the current bin is all that records need; otherwise
    /// returns false.
    #[inline(always)]
    pub(super) fn count_arrival(&mut self, now: Time, LinkId(link): LinkId) -> bool {
        self.arrivals.1.add_within_bin(now, link, 1)
    }

    #[inline(never)]
    fn delivered(&mut self, now: Time, packet: &Packet, in_order: u64) {
        if self.captures.any() {
            self.captures.delivered(now, packet);
        }
        if let Some((_, counts)) = self.delivered.as_mut().filter(|_| now < self.end && in_order > 0) {
            // buffered packets have the size of this one: only UDP's sizes differ, and UDP buffers nothing
            counts.add(now, packet.flow().0, in_order * u64::from(packet.size()));
        }
        if let Some((_, transfers)) = self.transfers.as_mut().filter(|_| now < self.end) {
            transfers.delivered(now, packet.flow().0, in_order);
        }
    }

    #[inline(never)]
    fn turn(&mut self, now: Time, FlowId(flow): FlowId, sender: &Sender) {
        if now >= self.end {
            return;
        }
        self.senders.turn(now, flow, sender);
        if let Some((_, phases)) = &mut self.phases {
            phases.turn(now, flow, sender);
        }
        if let Some((_, transfers)) = &mut self.transfers {
            transfers.turn(flow, sender);
        }
        if let Some((_, states)) = &mut self.states {
            states.turn(now, flow, sender);
        }
    }

    #[inline(always)]
    fn on_offered(&mut self, now: Time, LinkId(link): LinkId, packet: &Packet, offered: Offered) {
        if now >= self.end {
            return;
        }
        self.arrivals.1.add(now, link, 1);
        self.sent(link, packet, offered);
        if let Some(signal) = Signal::of(offered, false) {
            self.signal(now, link, packet, signal);
        }
        if let Some((_, log)) = &mut self.packets {
            log.offered(now, link, packet, offered);
        }
        if self.captures.any() {
            self.captures.offered(now, link, packet, offered, self.end);
        }
    }

    /// Counts the bytes of a packet whose transmission a link begins or will begin.
    #[inline(always)]
    fn sent(&mut self, link: u32, packet: &Packet, fate: Offered) {
        if let (Some((_, counts)), Offered::Accepted { start, .. }) = (&mut self.sent, fate)
            && start < self.end
        {
            counts.add(start, link, u64::from(packet.size()));
        }
    }

    /// Handles a packet that a link drops or marks.
    fn signal(&mut self, now: Time, link: u32, packet: &Packet, signal: Signal) {
        for (_, signals) in self.drops.iter_mut().chain(&mut self.marks) {
            signals.add(now, link, packet, signal);
        }
    }

    /// Handles a packet that leaves the queue of a link that stored it.
    #[inline(never)]
    fn on_left(&mut self, now: Time, LinkId(link): LinkId, packet: &Packet, since: Time, fate: Offered) {
        if now >= self.end {
            return;
        }
        self.sent(link, packet, fate);
        if let Some(signal) = Signal::of(fate, true) {
            self.signal(now, link, packet, signal);
        }
        if let Some((_, log)) = &mut self.packets {
            log.left(now, link, packet, fate);
        }
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
                if self.acks.is_some() {
                    self.senders.acked(*ack, sender);
                    if self.windows.is_none() {
                        self.senders.keep_ack(now, flow.0);
                    }
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
            Observation::TransferBegins { flow, packets, sender } => {
                if let Some((_, transfers)) = self.transfers.as_mut() {
                    transfers.begin(now, flow.0, *packets, sender.counters());
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
        if !self.senders.keep_usual(first, flight, now, flow.0, sender) {
            self.senders.keep_two(first, flight, now, flow.0, sender);
        }
    }

    #[inline(always)]
    fn watches(&self, link: LinkId) -> bool {
        self.links.get(link.0 as usize) == Some(&true)
    }

    fn follows(&self) -> bool {
        self.captures.any() || self.transfers.is_some() || self.delivered.is_some()
    }
}

impl Sampled {
    fn table(self) -> Table {
        match self {
            Self::Queue { rows, .. } => Table::new("queue", rows),
            Self::Gauges { rows, .. } => Table::new("gauges", rows),
            Self::Windows { rows, .. } => {
                let [windows, _] = rows.tables();
                windows
            }
            Self::States { rows, .. } => Table::new("states", rows),
        }
    }
}

/// Stores a record that a plan may request only once.
fn keep_once<T>(slot: &mut Option<(usize, T)>, place: usize, record: T) -> Result<(), PlanError> {
    if slot.replace((place, record)).is_some() {
        let problem = "must not be requested twice; list all links or flows in one record";
        return Err(PlanError::new(format!("records.{place}"), problem));
    }
    Ok(())
}

/// A lookup table for a set of numbers.
pub(super) fn membership(numbers: &[u32]) -> Vec<bool> {
    let mut members = Vec::new();
    for number in numbers.iter().map(|number| *number as usize) {
        members.resize(members.len().max(number + 1), false);
        members[number] = true;
    }
    members
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
