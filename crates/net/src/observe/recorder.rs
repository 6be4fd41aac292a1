//! Records: tables kept on request, beside the summary.

use ackclock_tcp::SenderState;
use ackclock_units::Time;

use super::packets::PacketLog;
use super::{Measure, Observation, Observer};
use crate::link::Offered;
use crate::packet::{FlowId, LinkId, Payload};
use crate::plan::{Plan, RecordSpec};
use crate::simulator::Simulator;

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the variants say it")]
pub enum Values {
    U32(Vec<u32>),
    U64(Vec<u64>),
    F64(Vec<f64>),
    Bool(Vec<bool>),
    /// Words, by their places in a list.
    Words {
        codes: Vec<u8>,
        words: &'static [&'static str],
    },
}

/// A named column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its values, one a row; where a real number is not defined it is not a number.
    pub values: Values,
}

/// A named table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns, all of one length.
    pub columns: Vec<Column>,
}

/// Declares a record's rows as columns, filled one row at a time.
macro_rules! columns {
    ($name:ident { $($field:ident: $variant:ident($type:ty)),+ $(,)? }) => {
        #[derive(Clone, Debug, Default)]
        struct $name { $($field: Vec<$type>),+ }

        impl $name {
            #[allow(clippy::too_many_arguments, reason = "a row has as many values as the table has columns")]
            fn push(&mut self, $($field: $type),+) { $(self.$field.push($field);)+ }

            fn table(self, name: &'static str) -> Table {
                Table { name, columns: vec![$(Column { name: stringify!($field), values: Values::$variant(self.$field) }),+] }
            }
        }
    };
}

columns! { Arrivals { time: F64(f64), link: U32(u32), packets: U64(u64) } }
columns! { Queue { time: F64(f64), link: U32(u32), packets: U64(u64), bytes: U64(u64), average: F64(f64) } }
columns! { Drops { time: F64(f64), link: U32(u32), flow: U32(u32), segment: U64(u64), bytes: U32(u32) } }
columns! { Windows { time: F64(f64), flow: U32(u32), cwnd: F64(f64), ssthresh: F64(f64), flight_size: F64(f64), srtt: F64(f64), rto: F64(f64) } }
columns! { Acks { time: F64(f64), flow: U32(u32), ack: U64(u64), duplicate: Bool(bool) } }
columns! { Flows {
    flow: U32(u32), group: U32(u32), sent: U64(u64), retransmissions: U64(u64), timeouts: U64(u64), fast_retransmits: U64(u64),
    dup_acks: U64(u64), goodput_packets: U64(u64), goodput_bps: F64(f64), completion: F64(f64),
} }

/// One requested record.
#[derive(Clone, Debug)]
enum Probe {
    Arrivals { links: Vec<u32>, bin: Time, counts: Vec<Vec<u64>> },
    Queue { links: Vec<u32>, every: Time, rows: Queue },
    Drops { links: Links, rows: Vec<(Time, u32, u32, u64, u32)> },
    Windows { flows: Vec<u32>, every: Option<Time>, last: Vec<Option<SenderState>>, rows: Windows },
    Acks { flows: Vec<u32>, rows: Acks },
    Packets { links: Links, log: PacketLog },
}

/// A set of links, by number: asked of every packet at every link.
#[derive(Clone, Debug, Default)]
struct Links(Vec<bool>);

impl Links {
    fn of(numbers: &[u32]) -> Self {
        let mut links = Self::default();
        links.add(numbers);
        links
    }

    fn add(&mut self, numbers: &[u32]) {
        for index in numbers.iter().map(|number| *number as usize) {
            self.0.resize(self.0.len().max(index + 1), false);
            self.0[index] = true;
        }
    }

    fn contains(&self, link: LinkId) -> bool {
        self.0.get(link.0 as usize) == Some(&true)
    }
}

/// Keeps the records that a plan asks for.
#[derive(Clone, Debug)]
pub struct Recorder {
    probes: Vec<Probe>,
    watched: Watched,
    end: Time,
}

/// What any probe wants to hear of: nearly nothing that happens is recorded, and the rest must cost next to nothing.
#[derive(Clone, Debug, Default)]
struct Watched {
    links: Links,
    acks: bool,
    turns: bool,
}

impl Recorder {
    /// The records of a plan.
    pub fn new(plan: &Plan) -> Self {
        let probe = |spec: &RecordSpec| match spec.clone() {
            RecordSpec::Arrivals { links, bin } => {
                let counts = vec![Vec::new(); links.len()];
                Probe::Arrivals { links, bin, counts }
            }
            RecordSpec::Queue { links, every } => Probe::Queue { links, every, rows: Queue::default() },
            RecordSpec::Drops { links } => Probe::Drops { links: Links::of(&links), rows: Vec::new() },
            RecordSpec::Windows { flows, every } => {
                let last = vec![None; flows.len()];
                Probe::Windows { flows, every, last, rows: Windows::default() }
            }
            RecordSpec::Acks { flows } => Probe::Acks { flows, rows: Acks::default() },
            RecordSpec::Packets { links } => Probe::Packets { links: Links::of(&links), log: PacketLog::default() },
        };
        Self {
            probes: plan.records.iter().map(probe).collect(),
            watched: Watched::by(&plan.records),
            end: plan.duration,
        }
    }

    /// The first sampling instant after `now`, if there is one before the end.
    pub fn next_sample(&self, now: Time) -> Option<Time> {
        let next = |every: Time| every.saturating_mul(now.as_picos() / every.as_picos() + 1);
        self.probes.iter().filter_map(Probe::every).map(next).min().filter(|at| *at < self.end)
    }

    /// Samples what is due at `now`.
    pub fn sample(&mut self, now: Time, simulator: &mut Simulator) {
        let end = self.end;
        let due = |every: Time| now < end && now.as_picos().is_multiple_of(every.as_picos());
        for probe in self.probes.iter_mut().filter(|probe| probe.every().is_some_and(due)) {
            match probe {
                Probe::Queue { links, rows, .. } => {
                    for link in links {
                        let link_now = simulator.link(LinkId(*link));
                        let (packets, bytes) = link_now.backlog(now);
                        rows.push(now.as_secs_f64(), *link, packets, bytes, link_now.average());
                    }
                }
                Probe::Windows { flows, rows, .. } => {
                    for flow in flows {
                        if let Some(sender) = simulator.sender(FlowId(*flow)) {
                            push_state(rows, now, *flow, sender.state());
                        }
                    }
                }
                Probe::Arrivals { .. } | Probe::Drops { .. } | Probe::Acks { .. } | Probe::Packets { .. } => {}
            }
        }
    }

    /// Rows kept so far, of the records that keep a row for each thing that happens.
    pub fn rows(&self) -> usize {
        let rows = |probe: &Probe| match probe {
            Probe::Drops { rows, .. } => rows.len(),
            Probe::Windows { rows, .. } => rows.time.len(),
            Probe::Acks { rows, .. } => rows.time.len(),
            Probe::Packets { log, .. } => log.len(),
            Probe::Arrivals { .. } | Probe::Queue { .. } => 0,
        };
        self.probes.iter().map(rows).sum()
    }

    /// The tables, the flows' counters first.
    pub fn into_tables(self, measure: &Measure) -> Vec<Table> {
        let end = self.end;
        std::iter::once(flows(measure)).chain(self.probes.into_iter().map(|probe| probe.table(end))).collect()
    }
}

impl Watched {
    fn by(specs: &[RecordSpec]) -> Self {
        let mut watched = Self::default();
        for spec in specs {
            match spec {
                RecordSpec::Arrivals { links, .. } | RecordSpec::Drops { links } | RecordSpec::Packets { links } => {
                    watched.links.add(links);
                }
                RecordSpec::Windows { every: None, .. } => watched.turns = true,
                RecordSpec::Acks { .. } => watched.acks = true,
                RecordSpec::Queue { .. } | RecordSpec::Windows { .. } => {}
            }
        }
        watched
    }

    fn contains(&self, seen: &Observation<'_>) -> bool {
        match seen {
            Observation::Offered { link, .. } => self.links.contains(*link),
            Observation::Acked { .. } => self.acks,
            Observation::Turn { .. } => self.turns,
            Observation::Delivered { .. } => false,
        }
    }
}

impl Observer for Recorder {
    #[inline]
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        if self.watched.contains(seen) && now < self.end {
            self.probes.iter_mut().for_each(|probe| probe.observe(now, seen, self.end));
        }
    }

    #[inline]
    fn watches(&self, link: LinkId) -> bool {
        self.watched.links.contains(link)
    }
}

impl Probe {
    /// Time between samples, for a record that samples.
    const fn every(&self) -> Option<Time> {
        match self {
            Self::Queue { every, .. } => Some(*every),
            Self::Windows { every, .. } => *every,
            Self::Arrivals { .. } | Self::Drops { .. } | Self::Acks { .. } | Self::Packets { .. } => None,
        }
    }

    fn observe(&mut self, now: Time, seen: &Observation<'_>, end: Time) {
        match (self, seen) {
            (Self::Arrivals { links, bin, counts }, Observation::Offered { link, .. }) => {
                if let Some(at) = links.iter().position(|known| *known == link.0) {
                    let index = (now.as_picos() / bin.as_picos()) as usize;
                    if index >= counts[at].len() {
                        counts[at].resize(index + 1, 0);
                    }
                    counts[at][index] += 1;
                }
            }
            (Self::Drops { links, rows }, Observation::Offered { link, packet, offered: Offered::Dropped(_) })
                if links.contains(*link) =>
            {
                let segment = match packet.payload {
                    Payload::Syn { .. } => 0,
                    Payload::Data { number, .. } => number,
                    Payload::Ack { next, .. } => next,
                };
                rows.push((now, link.0, packet.flow.0, segment, packet.size));
            }
            (Self::Windows { flows, every: None, last, rows }, Observation::Turn { flow, sender }) => {
                if let Some(at) = flows.iter().position(|known| *known == flow.0) {
                    let state = sender.state();
                    if last[at] != Some(state) {
                        last[at] = Some(state);
                        push_state(rows, now, flow.0, state);
                    }
                }
            }
            (Self::Acks { flows, rows }, Observation::Acked { flow, ack, sender }) if flows.contains(&flow.0) => {
                rows.push(now.as_secs_f64(), flow.0, ack.next, sender.is_duplicate(*ack));
            }
            (Self::Packets { links, log }, Observation::Offered { link, packet, offered }) if links.contains(*link) => {
                log.offered(now, link.0, packet, *offered, end);
            }
            _ => {}
        }
    }

    fn table(self, end: Time) -> Table {
        match self {
            Self::Arrivals { links, bin, counts } => {
                let mut rows = Arrivals::default();
                let bins = end.as_picos().div_ceil(bin.as_picos());
                for index in 0..bins {
                    let time = bin.saturating_mul(index).as_secs_f64();
                    for (link, counts) in links.iter().zip(&counts) {
                        rows.push(time, *link, counts.get(index as usize).copied().unwrap_or(0));
                    }
                }
                rows.table("arrivals")
            }
            Self::Queue { rows, .. } => rows.table("queue"),
            Self::Drops { rows, .. } => {
                // links tell of their drops in order, but not one after the other
                let mut sorted = rows;
                sorted.sort_unstable();
                let mut rows = Drops::default();
                for (time, link, flow, segment, bytes) in sorted {
                    rows.push(time.as_secs_f64(), link, flow, segment, bytes);
                }
                rows.table("drops")
            }
            Self::Windows { rows, .. } => rows.table("windows"),
            Self::Acks { rows, .. } => rows.table("acks"),
            Self::Packets { log, .. } => log.table(),
        }
    }
}

fn push_state(rows: &mut Windows, now: Time, flow: u32, state: SenderState) {
    let SenderState { cwnd, ssthresh, flight_size, srtt, rto } = state;
    rows.push(now.as_secs_f64(), flow, cwnd, ssthresh, flight_size as f64, srtt, rto);
}

fn flows(measure: &Measure) -> Table {
    let mut rows = Flows::default();
    for (flow, meter) in (0_u32..).zip(measure.flow_meters()) {
        let counters = meter.counters;
        rows.push(
            flow,
            meter.group,
            counters.sent,
            counters.retransmissions,
            counters.timeouts,
            counters.fast_retransmits,
            counters.dup_acks,
            meter.in_order(),
            meter.goodput_bits() / measure.measured_seconds(),
            meter.completion().unwrap_or(f64::NAN),
        );
    }
    rows.table("flows")
}
