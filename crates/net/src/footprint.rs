//! Estimates the memory of a run before it begins, so that a run that does not fit into memory is rejected and not
//! killed later.
//!
//! The estimate is an upper bound where one is available, and not far above the actual memory. A packet in flight is
//! one event, so the number of events has these limits:
//!
//! - the senders' windows, and the data that the sources offer;
//! - the growth of windows: each delivered segment opens a window by at most one segment, and the narrowest link limits
//!   the number of delivered segments;
//! - the capacity of the links on the path: their queues, and rate times delay.
//!
//! Memory that cannot be predicted is left to the limit enforced during the run (`run.rs`).

use std::collections::BTreeMap;

use ackclock_tcp::{Receiver, Sender, SenderConfig};

use crate::backlog::Backlog;
use crate::event::Event;
use crate::flow::Flow;
use crate::hop::Hop;
use crate::links::Links;
use crate::memory::MOST_ROWS;
use crate::network::{Graph, checked_edges, no_route};
use crate::observe::{Measure, ROW};
use crate::packet::LinkId;
use crate::plan::{GroupSpec, LinkSpec, Plan, PlanError, RecordSpec, SourceSpec, Topology, TransportSpec};
use crate::queue::Limit;
use crate::rate::RateSpec;
use crate::sack_store::SackStore;
use crate::sink::Sinks;
use crate::sizes::SizeSpec;

/// Pending wake-ups per flow: for the source, for timers, and rescheduled ones.
const WAKEUPS: f64 = 4.0;
/// Memory of pending events, in events per packet in flight. The vector of all events may have twice the capacity that is
/// needed; the rest is for words, and for chunks that are only partly filled.
const EVENTS_PER_PACKET: f64 = 3.0;
/// Boxed state of congestion-control laws, recoveries and sources, in bytes per flow.
const BOXES: f64 = 300.0;
/// Bytes per bin of arrivals: a counter in the engine and a number in the result.
const BIN: f64 = 64.0;
/// Copies of a table: its rows, its columns, and one more copy of the columns.
const COPIES: f64 = 3.0;
/// Number of packets that may occasionally wait at a link that is not overloaded.
const FEW: f64 = 1_000.0;

/// Estimated memory of a run in bytes, by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Footprint {
    /// Flows, their links, and their measurements.
    pub flows: f64,
    /// Packets in flight.
    pub packets: f64,
    /// State of senders and receivers for each segment in flight.
    pub windows: f64,
    /// Tables, captures and bins.
    pub records: f64,
    /// Values that sources draw in advance.
    pub sources: f64,
}

impl Footprint {
    /// Estimates the memory of a plan.
    ///
    /// # Errors
    /// If the plan contradicts itself.
    pub fn of(plan: &Plan) -> Result<Self, PlanError> {
        let (nodes, edges) = checked_edges(plan)?;
        let mut graph = match plan.topology {
            Topology::Dumbbell { .. } => None,
            Topology::Graph { .. } => Some(Graph::new(nodes, &edges)?),
        };
        let (mut found, mut loads) = (Self::default(), BTreeMap::new());
        let (mut links, mut in_windows) = (edges.len() as f64, 0.0);
        for (place, group) in plan.groups.iter().enumerate() {
            let routed = match (&plan.topology, &mut graph) {
                (Topology::Graph { links, .. }, Some(graph)) => in_graph(group, links, graph)?,
                _ => in_dumbbell(plan, place),
            };
            let traffic = Traffic::of(plan, group, &routed);
            let hops = (routed.data.len() + routed.acks.len()) as f64;
            found.flows += traffic.flows * (of_flow(hops) + Measure::bytes_of_flow(plan) as f64);
            found.windows += traffic.windows(group);
            found.sources += of_source(group);
            found.packets += traffic.in_flight * if traffic.selective { SackStore::BYTES_OF_ACK as f64 } else { 0.0 };
            in_windows += traffic.in_flight;
            traffic.load(&routed, &mut loads);
        }
        // idle links take memory too
        links = links.max(loads.len() as f64);
        found.flows += Links::BYTES_OF_SHORT as f64 * links;
        found.flows += Links::BYTES_OF_LONG as f64 * loads.values().map(Load::long_links).sum::<f64>();
        let in_links: f64 = loads.values().map(Load::holds).sum();
        found.packets += bytes::<Event>((EVENTS_PER_PACKET * in_windows).min(in_links));
        found.packets += loads.values().map(Load::runs).sum::<f64>();
        found.records = of_records(plan, &loads);
        Ok(found)
    }

    /// Estimated memory for all purposes, in bytes.
    pub fn total(&self) -> f64 {
        self.parts().iter().map(|(bytes, ..)| bytes).sum()
    }

    /// Compares the estimate with the available memory.
    ///
    /// # Errors
    /// If the estimate exceeds the available memory; reports the largest contribution and how to reduce it.
    pub(crate) fn check(&self, memory: u64) -> Result<(), PlanError> {
        if self.total() <= memory as f64 {
            return Ok(());
        }
        let largest = self.parts().into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let (most, what, remedy) = largest.unwrap_or_default();
        let (total, allowed, most) = (shown(self.total()), shown(memory as f64), shown(most));
        let problem = format!("the run needs about {total} ({most} of it for {what}), but the limit is {allowed}");
        Err(PlanError::new("memory", format!("{problem}; {remedy}, or allow more memory")))
    }

    const fn parts(&self) -> [(f64, &'static str, &'static str); 5] {
        [
            (self.flows, "flows", "simulate fewer flows"),
            (self.packets, "packets in flight", "lower max_window, the queue limits, or the sources' rates"),
            (self.windows, "the windows of senders", "lower max_window"),
            (self.records, "records and bins", "record fewer links or flows, or use longer intervals"),
            (self.sources, "the noise of sources", "choose a longer bin"),
        ]
    }
}

/// Formats a number of bytes for display.
pub(crate) fn shown(bytes: f64) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6)];
    let (unit, size) = units.into_iter().find(|(_, size)| bytes >= *size).unwrap_or(("kB", 1e3));
    format!("{:.1} {unit}", bytes / size).replace(".0 ", " ")
}

const fn bytes<T>(count: f64) -> f64 {
    count * size_of::<T>() as f64
}

/// Memory of a flow whose paths have `hops` hops.
fn of_flow(hops: f64) -> f64 {
    let ends = size_of::<Flow>() + Sinks::BYTES_OF_FLOW;
    ends as f64 + bytes::<Hop>(hops) + 2.0 * bytes::<LinkId>(hops) + bytes::<Event>(WAKEUPS) + BOXES
}

fn of_source(group: &GroupSpec) -> f64 {
    match &group.source {
        SourceSpec::Fractional(spec) => {
            // sources draw their noise one after the other, each from a circulant vector of complex numbers; the
            // transform needs two more vectors of this size
            let circle = bytes::<[f64; 2]>(2.0 * f64::from(spec.bins.next_power_of_two()));
            f64::from(group.count) * bytes::<f32>(f64::from(spec.bins)) + 3.0 * circle
        }
        SourceSpec::Trace(spec) => spec.times.len() as f64 * (BIN + 16.0),
        _ => 0.0,
    }
}

/// A link that a group crosses: one shared link, or one link per client (`copies`).
struct Crossed<'a> {
    key: usize,
    link: &'a LinkSpec,
    copies: f64,
}

/// Links of a group's data and of its ACKs.
struct Routed<'a> {
    data: Vec<Crossed<'a>>,
    acks: Vec<Crossed<'a>>,
}

fn in_dumbbell(plan: &Plan, place: usize) -> Routed<'_> {
    let Topology::Dumbbell { bottleneck, reverse, access } = &plan.topology else { unreachable!("it is a dumbbell") };
    let (group, (up, down)) = (&plan.groups[place], &access[place]);
    let crossed = |key, link| Crossed { key, link, copies: if key < 2 { 1.0 } else { f64::from(group.count) } };
    let there = vec![crossed(2 + 2 * place, up), crossed(0, bottleneck)];
    let back = vec![crossed(1, reverse), crossed(3 + 2 * place, down)];
    let (data, acks) = if group.reverse { (back, there) } else { (there, back) };
    Routed { data, acks: if matches!(group.transport, TransportSpec::Udp { .. }) { Vec::new() } else { acks } }
}

fn in_graph<'a>(
    group: &GroupSpec,
    links: &'a [crate::plan::EdgeSpec],
    graph: &mut Graph<'_>,
) -> Result<Routed<'a>, PlanError> {
    let (from, to) = group.path.unwrap_or_default();
    let mut path = |from, to| -> Result<Vec<Crossed<'a>>, PlanError> {
        let path = graph.path(from, to).ok_or_else(|| no_route(from, to))?;
        let crossed = |LinkId(link)| Crossed { key: link as usize, link: &links[link as usize].link, copies: 1.0 };
        Ok(path.into_iter().map(crossed).collect())
    };
    let is_udp = matches!(group.transport, TransportSpec::Udp { .. });
    Ok(Routed { data: path(from, to)?, acks: if is_udp { Vec::new() } else { path(to, from)? } })
}

/// Maximum rate of a link in bits per second.
fn rate(link: &LinkSpec) -> f64 {
    match &link.rate {
        RateSpec::Constant(rate) => rate.as_bps() as f64,
        RateSpec::Trace(trace) => trace.rates.iter().copied().max().unwrap_or_default() as f64,
    }
}

/// The traffic of a group.
struct Traffic {
    flows: f64,
    /// Packet size in bytes.
    size: f64,
    /// Whether all packets have this size.
    is_alike: bool,
    /// Upper limits in packets per second: offered by the sources (`offered`), and reaching the receivers (`arriving`).
    offered: f64,
    arriving: f64,
    seconds: f64,
    /// Upper limit of packets in flight, regardless of the links' capacity.
    in_flight: f64,
    /// Whether the transport is UDP: a queue then fills up only if the offered load exceeds the link's rate.
    is_udp: bool,
    /// Whether ACKs carry SACK blocks.
    selective: bool,
}

impl Traffic {
    fn of(plan: &Plan, group: &GroupSpec, routed: &Routed<'_>) -> Self {
        let (flows, size) = (f64::from(group.flows()), f64::from(group.packet_size));
        let seconds = plan.duration.saturating_sub(group.start).as_secs_f64().max(1e-12);
        let (per_flow, supply) = offered(&group.source, seconds);
        let narrowest = routed.data.iter().map(|crossed| crossed.copies * rate(crossed.link) / 8.0 / size);
        let narrowest = narrowest.fold(f64::INFINITY, f64::min);
        let offered = flows * per_flow;
        let arriving = narrowest.min(offered);
        let base = Self {
            flows,
            size,
            is_alike: true,
            offered,
            arriving,
            seconds,
            in_flight: flows * supply,
            is_udp: true,
            selective: false,
        };
        match &group.transport {
            TransportSpec::Udp { sizes } => Self { is_alike: *sizes == SizeSpec::Fixed, ..base },
            TransportSpec::Tcp { sender, receiver } => {
                let window = f64::from(sender.max_window).min(supply);
                let grown = flows * f64::from(sender.initial_window.max(1)) + narrowest * seconds;
                let selective = receiver.sack_blocks > 0;
                let way = routed.data.iter().chain(&routed.acks).map(|crossed| crossed.link.delay.as_secs_f64());
                let offered = base.offered.min(flows * window / way.sum::<f64>().max(1e-12));
                let arriving = base.arriving.min(offered);
                Self { offered, arriving, in_flight: grown.min(flows * window), is_udp: false, selective, ..base }
            }
        }
    }

    /// State of senders and receivers for this traffic, in bytes.
    fn windows(&self, group: &GroupSpec) -> f64 {
        let TransportSpec::Tcp { sender, .. } = &group.transport else { return 0.0 };
        let kept = if Sender::times_segments(sender) { Sender::BYTES_OF_SEGMENT } else { 0 };
        // worst case: every second segment is lost, so that each received segment is a run of its own
        let gaps = Receiver::BYTES_OF_GAP as f64 / 2.0;
        self.in_flight * (kept as f64 + gaps) + self.flows * stale(sender)
    }

    /// Adds this traffic to the links that it crosses.
    fn load<'a>(&self, routed: &Routed<'a>, loads: &mut BTreeMap<usize, Load<'a>>) {
        let last = routed.data.last().map(|crossed| crossed.key).filter(|_| self.is_udp);
        for (crossed, size, rate) in routed
            .data
            .iter()
            .map(|crossed| (crossed, self.size, self.offered))
            .chain(routed.acks.iter().map(|crossed| (crossed, f64::from(ackclock_tcp::HEADER), self.arriving)))
        {
            let load = loads.entry(crossed.key).or_insert_with(|| Load {
                link: crossed.link,
                copies: crossed.copies,
                size,
                is_alike: true,
                in_flight: 0.0,
                held: 0.0,
                offered: 0.0,
                packets: 0.0,
                bursts: false,
            });
            load.is_alike &= self.is_alike && load.size == size;
            load.size = load.size.min(size);
            load.in_flight += self.in_flight;
            load.held += if last == Some(crossed.key) { 0.0 } else { self.in_flight };
            load.offered += rate;
            load.packets += rate * self.seconds;
            load.bursts |= !self.is_udp && size > f64::from(ackclock_tcp::HEADER);
        }
    }
}

/// Memory of ns-2's array of records, which is as long as the window.
fn stale(sender: &SenderConfig) -> f64 {
    if sender.stale_records && Sender::times_segments(sender) {
        f64::from(sender.max_window) * Sender::BYTES_OF_STALE_RECORD as f64
    } else {
        0.0
    }
}

/// Upper limits of a source: packets per second, and packets in total.
fn offered(source: &SourceSpec, seconds: f64) -> (f64, f64) {
    let at = |rate: f64| (rate, rate * seconds + 1.0);
    match source {
        SourceSpec::Poisson { rate } | SourceSpec::Constant { rate } | SourceSpec::OnOff { rate, .. } => at(*rate),
        SourceSpec::Fractional(spec) => at(spec.rate * (1.0 + 4.0 * spec.cov)),
        SourceSpec::Greedy { packets } => (f64::INFINITY, packets.map_or(f64::INFINITY, |packets| packets as f64)),
        SourceSpec::Transfers { .. } => (f64::INFINITY, f64::INFINITY),
        SourceSpec::Connections { rate, size, most } => at(rate * (size.mean() + 1.0) / f64::from(*most)),
        SourceSpec::Trace(spec) => {
            let once = match &spec.packets {
                Some(packets) => packets.iter().map(|packets| f64::from(*packets)).sum(),
                None => spec.times.len() as f64,
            };
            let rounds = spec.period.map_or(1.0, |period| (seconds / period.as_secs_f64()).ceil() + 1.0);
            (f64::INFINITY, once * rounds)
        }
    }
}

/// The load of a link.
struct Load<'a> {
    link: &'a LinkSpec,
    copies: f64,
    /// Smallest packet size in bytes, and whether all sizes are equal.
    size: f64,
    is_alike: bool,
    in_flight: f64,
    /// Packets in flight that occupy memory until they have crossed the link. Datagrams on their last link are
    /// excluded: they are delivered as soon as the link accepts them.
    held: f64,
    /// Upper limits of the packets offered to the link: per second (`offered`), and in total (`packets`).
    offered: f64,
    packets: f64,
    /// Whether a whole window of packets may arrive at once.
    bursts: bool,
}

impl Load<'_> {
    /// Maximum rate of the link in packets per second.
    fn rate(&self) -> f64 {
        self.copies * rate(self.link) / 8.0 / self.size
    }

    /// Packets that wait for the link.
    fn waits(&self) -> f64 {
        let limit = self.copies
            * match self.link.queue.limit() {
                Limit::Packets(packets) => packets as f64,
                Limit::Bytes(bytes) => bytes as f64 / self.size,
            };
        let seconds = if self.offered > 0.0 { self.packets / self.offered } else { 0.0 };
        let over = (self.offered - self.rate()).max(0.0) * if seconds.is_nan() { f64::INFINITY } else { seconds };
        let most = if self.bursts { limit } else { over + FEW * self.copies };
        limit.min(most).min(self.in_flight)
    }

    /// Packets that wait for the link or are crossing it.
    fn holds(&self) -> f64 {
        let crossing = self.rate().min(self.offered) * self.link.delay.as_secs_f64();
        (self.waits() + crossing + 2.0 * self.copies).min(self.held)
    }

    /// Bytes that the link stores for waiting packets: none if all have one size.
    fn runs(&self) -> f64 {
        let is_steady = matches!(self.link.rate, RateSpec::Constant(_));
        if self.is_alike && is_steady { 0.0 } else { self.waits() * Backlog::BYTES_OF_RUN as f64 }
    }

    /// Number of links with pending packets of several sizes, or that always have the long form. A client's own link
    /// has packets of several sizes only while a connection opens.
    fn long_links(&self) -> f64 {
        let LinkSpec { rate, queue, loss, .. } = self.link;
        let is_plain = matches!(rate, RateSpec::Constant(_)) && queue.is_memoryless() && loss.is_none();
        if is_plain && self.is_alike && self.copies > 1.0 { 0.0 } else { self.copies }
    }

    /// Upper limit of the packets that the link sends in total.
    fn sent(&self, seconds: f64) -> f64 {
        self.packets.min(self.rate() * seconds)
    }
}

/// Memory of tables, captures and bins, in bytes.
fn of_records(plan: &Plan, loads: &BTreeMap<usize, Load<'_>>) -> f64 {
    let seconds = plan.duration.as_secs_f64();
    let is_dumbbell = matches!(plan.topology, Topology::Dumbbell { .. });
    let measured = (plan.duration.saturating_sub(plan.measure.from)).as_secs_f64();
    let mut bytes = BIN * (measured / plan.measure.bin.as_secs_f64());
    let all: f64 = loads.values().map(|load| load.sent(seconds)).sum();
    // the client links of a dumbbell have no entry in `loads`, so all traffic is used as an upper limit
    let crossing = |links: &[u32]| -> f64 {
        let sent = |link: &u32| loads.get(&(*link as usize)).map_or(0.0, |load| load.sent(seconds));
        if is_dumbbell && links.iter().any(|link| *link > 1) { all } else { links.iter().map(sent).sum() }
    };
    let flows = plan.flows().count() as f64;
    let delivered = |flows_of: &[u32]| all * flows_of.len() as f64 / flows;
    let kept = |rows: f64| rows.min(MOST_ROWS as f64);
    for record in &plan.records {
        let rows = match record {
            RecordSpec::Arrivals { links, bin: every } | RecordSpec::Queue { links, every } => {
                seconds / every.as_secs_f64() * links.len() as f64
            }
            RecordSpec::Windows { flows, every: Some(every) } => seconds / every.as_secs_f64() * flows.len() as f64,
            RecordSpec::Packets { links } => kept(3.0 * crossing(links)),
            // assumption: at most 10 % of the packets are dropped
            RecordSpec::Drops { links } => kept(crossing(links) / 10.0),
            // assumption: a transfer has at least ten packets
            RecordSpec::Transfers { flows } => kept(flows.len() as f64 + delivered(flows) / 10.0),
            // most of these rows take one word
            RecordSpec::Windows { flows, every: None } | RecordSpec::Acks { flows } => kept(delivered(flows)) / 3.0,
        };
        bytes += COPIES * ROW as f64 * rows;
    }
    for capture in &plan.captures {
        let links: Vec<u32> = capture.links().copied().collect();
        bytes += 2.0 * ROW as f64 * kept(crossing(&links));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ackclock_units::{Rate, Time};

    use super::*;
    use crate::plan::testing::dumbbell_of_reno;
    use crate::queue::{DropTailSpec, QueueSpec, Ties};
    use crate::source::TraceSpec;

    fn link(mbps: u64, millis: u64, packets: u64) -> LinkSpec {
        LinkSpec {
            rate: Rate::from_mbps(mbps).into(),
            delay: Time::from_millis(millis),
            queue: QueueSpec::DropTail(DropTailSpec {
                limit: Limit::Packets(packets),
                count_in_service: true,
                ties: Ties::Departure,
            }),
            loss: None,
        }
    }

    /// A plan of greedy flows with the given window, which share a bottleneck.
    fn greedy(count: u32, window: u32, bottleneck: LinkSpec) -> Plan {
        let mut plan = dumbbell_of_reno(count);
        let group = &mut plan.groups[0];
        group.source = SourceSpec::Greedy { packets: None };
        if let TransportSpec::Tcp { sender, .. } = &mut group.transport {
            Arc::make_mut(sender).max_window = window;
        }
        let access = vec![(link(1_000, 1, 100_000), link(1_000, 1, 100_000))];
        plan.topology = Topology::Dumbbell { reverse: link(1_000, 1, 100_000), bottleneck, access };
        plan
    }

    fn of(plan: &Plan) -> Footprint {
        Footprint::of(plan).expect("the plan is sound")
    }

    #[test]
    fn windows_that_the_path_cannot_fill_cost_nothing() {
        // 10 s at 50 Mbps are 41,667 packets, regardless of the windows and of the queues before the bottleneck
        let plan = greedy(100, 1_000_000_000, link(50, 25, 50));
        let found = of(&plan);
        assert!(found.packets + found.windows < 41_667.0 * (3.0 * 48.0 + 16.0) + 1e6, "{found:?}");
        found.check(50_000_000).expect("some megabytes are enough");
    }

    #[test]
    fn windows_that_the_path_can_fill_count() {
        // 1.6e9 packets are sent in 10 s, at most 1e9 are in flight
        let mut plan = greedy(1, 1_000_000_000, link(1_000_000, 3_600_000, 1_000_000_000_000));
        let Topology::Dumbbell { access, .. } = &mut plan.topology else { unreachable!("it is a dumbbell") };
        access[0].0 = link(1_000_000, 1, 1_000_000_000_000);
        let found = of(&plan);
        assert!(found.packets > 8e8 * 48.0, "{found:?}");
        let error = found.check(8_000_000_000).expect_err("it does not fit");
        assert!(error.problem.contains("for packets in flight), but the limit is 8 GB; lower max_window"), "{error}");
    }

    #[test]
    fn the_largest_part_is_named_with_what_makes_it_smaller() {
        let problem = |found: Footprint| found.check(1_000_000).expect_err("too much").problem;
        let records = problem(Footprint { records: 2.5e9, flows: 1e6, ..Footprint::default() });
        let expected = "the run needs about 2.5 GB (2.5 GB of it for records and bins), but the limit is 1 MB; \
                        record fewer links or flows, or use longer intervals, or allow more memory";
        assert_eq!(records, expected);
        assert!(
            problem(Footprint { flows: 2e6, ..Footprint::default() })
                .contains("2 MB of it for flows), but the limit is 1 MB; simulate fewer")
        );
    }

    /// A plan like [`greedy`]'s, with datagrams from a trace of the given number of packets.
    fn traced(packets: u64, sizes: SizeSpec) -> Plan {
        let mut plan = greedy(1, 20, link(50, 25, 1_000_000));
        let times = (0..packets).map(Time::from_micros).collect();
        let trace = TraceSpec { times, packets: None, period: None, offset: Some(Time::ZERO) };
        plan.groups[0].source = SourceSpec::Trace(Arc::new(trace));
        plan.groups[0].transport = TransportSpec::Udp { sizes };
        plan
    }

    #[test]
    fn a_trace_takes_its_times_in_the_plan_and_in_the_source() {
        let held = |packets| of(&traced(packets, SizeSpec::Fixed)).sources;
        assert!(held(1_000) > 1_000.0 * BIN, "{}", held(1_000));
        assert_eq!(held(3_000), 3.0 * held(1_000));
    }

    #[test]
    fn waiting_packets_of_random_sizes_take_memory_each() {
        let [fixed, random] = [SizeSpec::Fixed, SizeSpec::Exponential].map(|sizes| of(&traced(100_000, sizes)).packets);
        assert!(random - fixed > 50_000.0 * Backlog::BYTES_OF_RUN as f64, "{fixed} and {random}");
    }

    #[test]
    fn records_take_rows_by_time_or_by_packet() {
        let rows = |record: Option<RecordSpec>| {
            let plan = Plan { records: record.into_iter().collect(), ..greedy(2, 20, link(50, 25, 50)) };
            of(&plan).records / (COPIES * ROW as f64)
        };
        let bins = rows(None);
        let rows = |record| rows(Some(record)) - bins;
        let near =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
        let (both, every) = (vec![0, 1], Time::from_millis(100));
        // 10 s contain 100 samples of each link or flow
        near(rows(RecordSpec::Arrivals { links: both.clone(), bin: every }), 200.0);
        near(rows(RecordSpec::Queue { links: both.clone(), every }), 200.0);
        near(rows(RecordSpec::Windows { flows: both.clone(), every: Some(every) }), 200.0);
        let sent = rows(RecordSpec::Packets { links: both.clone() }) / 3.0;
        near(rows(RecordSpec::Drops { links: both.clone() }), sent / 10.0);
        // for the link of a client, the traffic of all links is the upper limit
        let all = rows(RecordSpec::Packets { links: vec![2] }) / 3.0;
        assert!(all > sent, "{all} and {sent}");
        near(rows(RecordSpec::Acks { flows: both.clone() }), all / 3.0);
        near(rows(RecordSpec::Acks { flows: vec![1] }), all / 6.0);
        near(rows(RecordSpec::Windows { flows: both.clone(), every: None }), all / 3.0);
        near(rows(RecordSpec::Transfers { flows: both }), 2.0 + all / 10.0);
    }

    #[test]
    fn sums_are_numbers_whatever_starts_late_or_never_ends() {
        let mut plan = greedy(3, 1_000_000_000, link(1, 1, 10));
        plan.groups[0].start = plan.duration;
        assert!(of(&plan).total().is_finite());
        plan.duration = Time::MAX;
        plan.records = vec![RecordSpec::Packets { links: (0..8).collect() }];
        assert!(of(&plan).total().is_finite());
    }
}
