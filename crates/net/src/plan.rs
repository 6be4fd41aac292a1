//! The plan: a scenario with all defaults resolved.
//!
//! The Python package owns the scenario's schema, its profiles and its defaults. A plan contains every value
//! explicitly, in picoseconds, bits per second, bytes and packets. It is plain data: Python passes it as JSON, and a
//! Rust program builds it directly.

pub(crate) mod changes;
mod check;
pub(crate) mod records;
pub mod testing;

use std::sync::Arc;

use ackclock_tcp::congestion::LawSpec;
use ackclock_tcp::congestion::foreign::{ForeignSpec, LawMaker};
use ackclock_tcp::{ReceiverConfig, SenderConfig};
use ackclock_units::failure::Failure;
use ackclock_units::{Rate, Role, Stream, Time};
use serde::{Deserialize, Serialize};

use crate::call::CallSpec;
use crate::link::extra_delay::{DelayTraceSpec, JitterSpec, ReorderSpec};
use crate::link::framing::{Cells, Framing};
use crate::link::loss::{LossChange, LossPlace, LossSpec};
use crate::link::medium::MediumSpec;
use crate::link::rate::RateSpec;
use crate::link::token_bucket::BucketSpec;
pub use crate::network::{Crossed, Paths, Unused};
use crate::queue::foreign::DisciplineMaker;
use crate::queue::{ForeignQueueSpec, QueueChange, QueueSpec};
use crate::sizes::{SizeSpec, udp_data_bytes};
use crate::source::schedule::Schedule;
use crate::source::{Distribution, FractionalSpec, ScheduleSpec, TraceSpec, VideoSpec};
pub use changes::FlowChange;
pub use records::RecordSpec;

/// All inputs of a run except its seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Simulated time, from 0.
    pub duration: Time,
    /// Link and time range of the summary.
    pub measure: MeasureSpec,
    /// Nodes and links.
    pub topology: Topology,
    /// How paths are chosen among the shortest ones of a graph.
    #[serde(default)]
    pub paths: Paths,
    /// The media that links share.
    #[serde(default)]
    pub media: Vec<MediumSpec>,
    /// Groups of flows; flows are numbered through the groups in this order.
    pub groups: Vec<GroupSpec>,
    /// Requested tables in addition to the summary.
    #[serde(default)]
    pub records: Vec<RecordSpec>,
    /// Requested captures.
    #[serde(default)]
    pub captures: Vec<CaptureSpec>,
}

impl Plan {
    /// The [laws from outside the engine](ackclock_tcp::congestion::foreign) that the plan contains.
    pub fn foreign_laws(&self) -> impl Iterator<Item = &ForeignSpec> {
        self.groups.iter().filter_map(|group| match &group.transport {
            TransportSpec::Tcp { sender, .. } => match &sender.congestion {
                LawSpec::Foreign(law) => Some(law),
                _ => None,
            },
            TransportSpec::Udp { .. } => None,
        })
    }

    /// Sets the makers of the [laws from outside the engine](ackclock_tcp::congestion::foreign).
    pub fn set_law_makers(&mut self, maker: impl Fn(&ForeignSpec) -> Option<Arc<dyn LawMaker>>) {
        for group in &mut self.groups {
            if let TransportSpec::Tcp { sender, .. } = &mut group.transport
                && let LawSpec::Foreign(law) = &sender.congestion
            {
                let law = ForeignSpec { maker: maker(law), ..law.clone() };
                Arc::make_mut(sender).congestion = LawSpec::Foreign(law);
            }
        }
    }

    /// Sets the makers of the [disciplines from outside the engine](crate::queue::foreign).
    pub fn set_discipline_makers(&mut self, maker: impl Fn(&ForeignQueueSpec) -> Option<Arc<dyn DisciplineMaker>>) {
        let set = |link: &mut LinkSpec| {
            if let QueueSpec::Foreign(spec) = &mut link.queue {
                spec.maker = maker(spec);
            }
        };
        match &mut self.topology {
            Topology::Dumbbell { bottleneck, reverse, access } => {
                let access = access.iter_mut().flat_map(|(up, down)| [up, down]);
                [bottleneck, reverse].into_iter().chain(access).for_each(set);
            }
            Topology::Graph { links, .. } => links.iter_mut().map(|edge| &mut edge.link).for_each(set),
        }
    }
}

/// Link and time range of the summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureSpec {
    /// The summary covers [`from`, `duration`).
    pub from: Time,
    /// Width of an arrival bin.
    pub bin: Time,
    /// Index of the measured link; in a dumbbell link 0 is the bottleneck, towards the server.
    pub link: u32,
    /// Additional links, for which fewer measures are computed.
    #[serde(default)]
    pub others: Vec<u32>,
    /// How convergence is measured, if it is.
    #[serde(default)]
    pub convergence: Option<ConvergenceSpec>,
}

/// How convergence at the measured link is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConvergenceSpec {
    /// Time over which rates are averaged.
    pub window: Time,
    /// How far the rate of a flow may be from its share, as a part of the share.
    pub delta: f64,
}

impl MeasureSpec {
    /// All measured links.
    pub(crate) fn links(&self) -> impl Iterator<Item = u32> {
        [self.link].into_iter().chain(self.others.iter().copied())
    }
}

/// Nodes and links: a general graph, or a dumbbell, which is expanded to a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "a plan has one topology")]
pub enum Topology {
    /// Node 0 is the gateway, node 1 the server, node 2 + i client i. Link 0 is the bottleneck, link 1 its reverse, and
    /// links 2 + 2i and 3 + 2i lead from client i to the gateway and back.
    Dumbbell {
        /// Gateway to server.
        bottleneck: LinkSpec,
        /// Server to gateway.
        reverse: LinkSpec,
        /// Access links, one pair per group: client to gateway, and gateway to client.
        access: Vec<(LinkSpec, LinkSpec)>,
    },
    /// Nodes 0..`nodes` and directed links.
    Graph {
        /// Number of nodes.
        nodes: u32,
        /// Directed links, numbered in this order.
        links: Vec<EdgeSpec>,
    },
}

/// A directed link of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeSpec {
    /// Source node.
    pub from: u32,
    /// Target node.
    pub to: u32,
    /// Rate, delays, queue and losses of the link.
    pub link: LinkSpec,
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Transmission rate, constant or from a trace.
    pub rate: RateSpec,
    /// Propagation delay; the least one, if it changes.
    pub delay: Time,
    /// How packets are framed.
    #[serde(default)]
    pub framing: Framing,
    /// Changes of the propagation delay.
    #[serde(default)]
    pub delay_trace: Option<Arc<DelayTraceSpec>>,
    /// Queue discipline.
    pub queue: QueueSpec,
    /// Other parameters of the discipline later, in order.
    #[serde(default)]
    pub queue_changes: Vec<QueueChange>,
    /// Losses not caused by the queue.
    #[serde(default)]
    pub loss: Option<LossSpec>,
    /// Other loss models later, in order.
    #[serde(default)]
    pub loss_changes: Vec<LossChange>,
    /// Where these losses are.
    #[serde(default)]
    pub loss_place: LossPlace,
    /// Packets that do not conform are dropped before the queue.
    #[serde(default)]
    pub policer: Option<BucketSpec>,
    /// Packets are sent when they conform.
    #[serde(default)]
    pub shaper: Option<BucketSpec>,
    /// Index of the medium that the link shares with others.
    #[serde(default)]
    pub medium: Option<u32>,
    /// Random extra delays.
    #[serde(default)]
    pub jitter: Option<JitterSpec>,
    /// Packets that are held back.
    #[serde(default)]
    pub reorder: Option<ReorderSpec>,
    /// Weight of the link among those of equally short paths, from 1 to [`MAX_WEIGHT`].
    #[serde(default = "equal_weight")]
    pub weight: u16,
}

impl LinkSpec {
    /// A link without losses, policer, shaper and extra delays.
    pub const fn plain(rate: RateSpec, delay: Time, queue: QueueSpec) -> Self {
        let (policer, shaper) = (None, None);
        Self {
            rate,
            delay,
            framing: Framing { kind: Cells::Plain, overhead: 0, mpu: 0 },
            delay_trace: None,
            queue,
            queue_changes: Vec::new(),
            loss: None,
            loss_changes: Vec::new(),
            loss_place: LossPlace::Before,
            policer,
            shaper,
            medium: None,
            jitter: None,
            reorder: None,
            weight: EQUAL_WEIGHT,
        }
    }

    /// Validates the losses and the delays.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (String, &'static str)> {
        let named = |table: &str, result: Result<(), (&'static str, &'static str)>| {
            result.map_err(|(field, problem)| (format!("{table}.{field}"), problem))
        };
        if !(1..=MAX_WEIGHT).contains(&self.weight) {
            return Err(("weight".to_owned(), "must be from 1 to 1000"));
        }
        named("rate", self.rate.check())?;
        named("framing", self.framing.check())?;
        let changes = self.loss_changes.iter().filter_map(|change| change.loss.as_ref());
        self.loss.iter().chain(changes).try_for_each(|loss| named("loss", loss.check()))?;
        if !self.loss_changes.is_sorted_by_key(|change| change.at) {
            return Err(("loss_changes.at".to_owned(), "must be in order"));
        }
        if !self.queue_changes.is_sorted_by_key(|change| change.at) {
            return Err(("queue_changes.at".to_owned(), "must be in order"));
        }
        if self.rate.has_outages() && self.shaper.is_some() {
            return Err(("shaper".to_owned(), "must be absent on a link that loses its packets in outages"));
        }
        if let (Some(trace), Some(jitter)) = (&self.delay_trace, self.jitter)
            && trace.reorders != jitter.reorders
        {
            return Err(("delay_trace.reorders".to_owned(), "must be as that of jitter: a link has one order"));
        }
        self.delay_trace.as_ref().map_or(Ok(()), |trace| named("delay_trace", trace.check()))?;
        self.reorder.as_ref().map_or(Ok(()), |reorder| named("reorder", reorder.check()))
    }

    /// Whether the link stores its packets, and decides later when they are sent.
    pub(crate) fn stores_packets(&self) -> bool {
        self.queue.is_stored() || self.medium.is_some() && self.queue.can_be_stored()
    }

    /// Whether each packet has the same transmission time as others of its size and begins it as soon as the link is free.
    pub(crate) const fn has_constant_rate(&self) -> bool {
        matches!(self.rate, RateSpec::Constant(_)) && self.shaper.is_none()
    }

    /// Whether all packets are offered to the queue, and all that it accepts arrive.
    pub(crate) fn loses_none(&self) -> bool {
        self.loss.is_none()
            && self.loss_changes.is_empty()
            && !self.rate.has_outages()
            && self.policer.is_none()
            && self.shaper.is_none()
    }

    /// Whether all packets have the same propagation delay.
    pub(crate) const fn has_constant_delay(&self) -> bool {
        self.delay_trace.is_none() && self.jitter.is_none() && self.reorder.is_none()
    }

    /// Whether packets arrive in the order in which the link accepts them.
    pub(crate) fn keeps_order(&self) -> bool {
        self.reorder.is_none() && self.keeps_order_of_delays()
    }

    /// The same, except for packets that are held back.
    pub(crate) fn keeps_order_of_delays(&self) -> bool {
        self.jitter.is_none_or(|jitter| !jitter.reorders)
            && self.delay_trace.as_ref().is_none_or(|trace| !trace.reorders)
    }

    /// The longest propagation delay, jitter and holding back included.
    pub(crate) fn longest_delay(&self) -> Time {
        let trace = self.delay_trace.as_ref().map_or(Time::ZERO, |trace| trace.most());
        let jitter = self.jitter.map_or(Time::ZERO, |jitter| jitter.max);
        let held = self.reorder.map_or(Time::ZERO, |reorder| reorder.delay);
        [trace, jitter, held].into_iter().fold(self.delay, Time::saturating_add)
    }
}

/// Number of bands of strict priority.
pub const BANDS: usize = 8;

/// Maximum weight of a flow.
pub const MAX_WEIGHT: u16 = 1000;

/// The weight of flows that share equally.
pub const EQUAL_WEIGHT: u16 = 1;

const fn equal_weight() -> u16 {
    EQUAL_WEIGHT
}

/// A group of identical clients, each with one flow, or with one flow per concurrent connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// Number of clients.
    pub count: u32,
    /// Sending and receiving node; `None` in a dumbbell, where each flow has its own client.
    pub path: Option<(u32, u32)>,
    /// In a graph: nodes that the data visits on its way, in order. From node to node, the shortest path is taken; the ACKs
    /// visit the same nodes in reverse.
    #[serde(default)]
    pub via: Vec<u32>,
    /// In a dumbbell: whether the server sends to the client.
    pub reverse: bool,
    /// Size of a full data packet on the wire in bytes; for UDP with random sizes, the mean.
    pub packet_size: u32,
    /// Start time of the first source.
    pub start: Time,
    /// Maximum additional start delay of each flow's source. The delay is drawn uniformly between 0 and this maximum,
    /// and depends only on seed and flow.
    #[serde(default)]
    pub spread: Time,
    /// When the sources are active; by default from their start until the end of the run.
    #[serde(default)]
    pub schedule: Option<Arc<ScheduleSpec>>,
    /// Changes of the flows, in order.
    #[serde(default)]
    pub changes: Vec<FlowChange>,
    /// Band of the flows' packets at links with strict priority, below [`BANDS`]; 0 is served first.
    #[serde(default)]
    pub priority: u8,
    /// Weight of each flow at links with fair queueing, from 1 to [`MAX_WEIGHT`].
    #[serde(default = "equal_weight")]
    pub weight: u16,
    /// Rate that each flow cannot exceed at links with fair queueing.
    #[serde(default)]
    pub ceiling: Option<Rate>,
    /// Differentiated services codepoint of the flows' packets, below
    /// [`CODEPOINTS`](crate::codepoint::CODEPOINTS).
    #[serde(default)]
    pub dscp: u8,
    /// Transport protocol.
    pub transport: TransportSpec,
    /// Traffic source.
    pub source: SourceSpec,
}

/// A transport with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum TransportSpec {
    /// UDP: each packet is sent immediately and never retransmitted.
    Udp {
        /// Distribution of packet sizes.
        #[serde(default)]
        sizes: SizeSpec,
    },
    /// TCP: a sender and a receiver.
    Tcp {
        /// The data sender.
        sender: Arc<SenderConfig>,
        /// The data receiver.
        receiver: ReceiverConfig,
    },
}

/// A source with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum SourceSpec {
    /// Single packets at exponential intervals.
    Poisson {
        /// Mean packets per second.
        rate: f64,
    },
    /// One packet every 1/rate seconds, the first at the start.
    Constant {
        /// Rate in packets per second.
        rate: f64,
    },
    /// All data is available at the start.
    Greedy {
        /// Size of a finite transfer in packets; `None` is unlimited.
        packets: Option<u64>,
    },
    /// Packets at equal intervals while on, none while off.
    OnOff {
        /// Packets per second while on.
        rate: f64,
        /// Duration of an on period in seconds.
        on: Distribution,
        /// Duration of an off period in seconds.
        off: Distribution,
    },
    /// Packets whose rate follows fractional Gaussian noise.
    Fractional(FractionalSpec),
    /// Transfers with a think time before each, which begins when the previous transfer is acknowledged.
    Transfers {
        /// Size of a transfer in packets, rounded up.
        size: Distribution,
        /// Think time in seconds.
        think: Distribution,
    },
    /// Transfers on one connection, each requested some time after the request before, the first at the start.
    Requests {
        /// Size of a transfer in packets, rounded up.
        size: Distribution,
        /// Time from request to request in seconds.
        every: Distribution,
    },
    /// Requests at the times of a Poisson process, each with its own connection that carries one transfer.
    Connections {
        /// Mean requests per second per client.
        rate: f64,
        /// Size of a transfer in packets, rounded up.
        size: Distribution,
        /// Maximum number of concurrent connections of a client, each on a flow of the plan. Further requests wait.
        most: u32,
    },
    /// Web pages, one after the other.
    Pages(Box<PagesSpec>),
    /// Packets at given times.
    Trace(Arc<TraceSpec>),
    /// Frames of a call.
    Frames(FramesSpec),
    /// Adaptive video.
    Video(Arc<VideoSpec>),
    /// Frames of a call whose sender adapts its bitrate.
    Call(CallSpec),
}

/// Web pages, each requested some time after the one before, the first at the start: a document and, once it is complete,
/// other objects over several connections, which the page opens and closes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PagesSpec {
    /// Size of the document in packets, rounded up.
    pub document: Distribution,
    /// Number of other objects, rounded up, at least one.
    pub objects: Distribution,
    /// Size of an object in packets, rounded up.
    pub size: Distribution,
    /// Time from the end of a page to the next one in seconds.
    pub think: Distribution,
    /// Maximum number of concurrent connections of a client, each on a flow of the plan.
    pub most: u32,
}

/// Frames of a call at equal intervals, each sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FramesSpec {
    /// Frames per second.
    pub rate: f64,
    /// Packets per frame.
    pub packets: u64,
    /// Each frame whose number, counted from 0, is a multiple of this is a key frame; 0: none is.
    pub key_every: u64,
    /// Packets per key frame.
    pub key_packets: u64,
}

/// Packets to capture with all their header fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureSpec {
    /// Points of observation.
    pub taps: Vec<Tap>,
}

/// A point of observation on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tap {
    /// Link index.
    pub link: u32,
    /// Position on the link.
    pub at: TapPoint,
}

/// Positions on a link at which packets can be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TapPoint {
    /// When the packet is offered to the queue, whether or not it is dropped there.
    Offer,
    /// When the packet leaves the queue and its transmission begins.
    Dequeue,
    /// When the packet reaches the far end.
    Receive,
}

impl CaptureSpec {
    /// The links of the capture's taps.
    pub(crate) fn links(&self) -> impl Iterator<Item = &u32> {
        self.taps.iter().map(|tap| &tap.link)
    }
}

/// Why a plan cannot run. The Python package validates scenarios first, in terms of the user's fields; this is the
/// engine's own check.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct PlanError {
    /// Field of the plan.
    pub field: String,
    /// The problem and the allowed values.
    pub problem: String,
}

impl From<Failure> for PlanError {
    fn from(failure: Failure) -> Self {
        let Failure { name, owner, at, call, cause } = failure;
        Self::new(format!("{} {name}", owner.noun()), format!("{call} failed for {owner} at {at}: {cause}"))
    }
}

impl PlanError {
    /// An error in a field.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

impl GroupSpec {
    /// Data in a full packet, in bytes; for UDP with random sizes, in a packet of the mean size.
    pub fn data_bytes(&self) -> u32 {
        match &self.transport {
            TransportSpec::Tcp { sender, .. } => sender.data_bytes(),
            TransportSpec::Udp { .. } => udp_data_bytes(self.packet_size),
        }
    }

    /// Whether the group's sources supply finite transfers.
    pub(crate) const fn has_transfers(&self) -> bool {
        matches!(
            self.source,
            SourceSpec::Greedy { packets: Some(_) }
                | SourceSpec::Transfers { .. }
                | SourceSpec::Requests { .. }
                | SourceSpec::Connections { .. }
                | SourceSpec::Pages(_)
                | SourceSpec::Video(_)
        )
    }

    /// Whether the group's clients open connections, for each transfer or for the objects of a page.
    pub(crate) const fn opens_connections(&self) -> bool {
        matches!(self.source, SourceSpec::Connections { .. } | SourceSpec::Pages(_))
    }

    /// Whether the group's clients load web pages.
    pub(crate) const fn loads_pages(&self) -> bool {
        matches!(self.source, SourceSpec::Pages(_))
    }

    /// Whether the group's receivers send ACKs or reports.
    pub(crate) const fn has_answers(&self) -> bool {
        matches!(self.transport, TransportSpec::Tcp { .. }) || self.feedback().is_some()
    }

    /// Time between reports of the group's receivers, if these send reports.
    pub(crate) const fn feedback(&self) -> Option<Time> {
        match self.source {
            SourceSpec::Call(call) => Some(call.feedback),
            _ => None,
        }
    }

    /// Whether the group's clients play videos.
    pub(crate) const fn plays_video(&self) -> bool {
        matches!(self.source, SourceSpec::Video(_))
    }

    /// Number of flows per client.
    pub(crate) const fn flows_of_client(&self) -> u32 {
        match &self.source {
            SourceSpec::Connections { most, .. } => *most,
            SourceSpec::Pages(pages) => pages.most,
            _ => 1,
        }
    }

    /// Number of flows of all clients together.
    pub fn flows(&self) -> u32 {
        self.count.saturating_mul(self.flows_of_client())
    }

    /// Start time of a client's source; the client is identified by its first flow.
    pub(crate) fn start_of(&self, flow: u32, seed: u64) -> Time {
        self.start.saturating_add(Stream::new(seed, Role::Start, flow).time_below(self.spread))
    }

    /// The schedule of a client's source, if it has one.
    pub(crate) fn schedule_of(&self, flow: u32, seed: u64) -> Option<Schedule> {
        let start = self.start_of(flow, seed);
        self.schedule.as_ref().map(|spec| Schedule::new(spec, start, start - self.start))
    }
}

impl Plan {
    /// The links that the plan measures, records or captures; some may be repeated.
    pub(crate) fn observed_links(&self) -> impl Iterator<Item = u32> {
        let recorded = self.records.iter().flat_map(RecordSpec::links).copied();
        recorded.chain(self.captures.iter().flat_map(CaptureSpec::links).copied()).chain(self.measure.links())
    }

    /// A value of each flow, which a discipline may use; empty if all have that of a flow for which the plan states none.
    pub(crate) fn of_flows<T: Copy + PartialEq>(&self, value: impl Fn(&GroupSpec) -> T, usual: T) -> Arc<[T]> {
        if self.groups.iter().all(|group| value(group) == usual) {
            return Arc::default();
        }
        self.flows().map(|(_, group)| value(group)).collect()
    }

    /// For each flow the first flow of its client, if some clients have several flows; otherwise empty.
    pub(crate) fn clients(&self) -> Vec<u32> {
        if self.groups.iter().all(|group| group.flows_of_client() == 1) {
            return Vec::new();
        }
        let mut first = 0;
        let of_group = |group: &GroupSpec| {
            let (start, each) = (first, group.flows_of_client());
            first += group.flows();
            (0..group.flows()).map(move |flow| start + flow - flow % each)
        };
        self.groups.iter().flat_map(of_group).collect()
    }

    /// Flows whose source supplies a single transfer at its start, with its size in packets; other sources announce
    /// each transfer.
    pub(crate) fn single_transfers(&self) -> impl Iterator<Item = (u32, u64)> {
        let packets = |(flow, (_, group)): (u32, (u32, &GroupSpec))| match group.source {
            SourceSpec::Greedy { packets: Some(packets) } => Some((flow, packets)),
            _ => None,
        };
        (0..).zip(self.flows()).filter_map(packets)
    }

    /// All flows, each with the index of its group and the group.
    pub(crate) fn flows(&self) -> impl Iterator<Item = (u32, &GroupSpec)> {
        (0..).zip(&self.groups).flat_map(|(index, group)| (0..group.flows()).map(move |_| (index, group)))
    }
}
