//! The plan: a scenario with nothing left to choose.
//!
//! The Python front owns the scenario's schema, its profiles and its defaults; what reaches the engine has every number
//! written out, in picoseconds, bits per second, bytes and packets. A plan is plain data: it is what JSON carries across
//! the border, and what a Rust program builds directly.

use std::sync::Arc;

use ackclock_tcp::{ReceiverConfig, SenderConfig};
use ackclock_units::{Rate, Role, Stream, Time};
use serde::{Deserialize, Serialize};

use crate::loss::LossSpec;
use crate::queue::{Limit, QueueSpec};
use crate::rate::RateSpec;
use crate::sizes::SizeSpec;
use crate::source::{Distribution, FractionalSpec, TraceSpec};

/// Everything one run needs besides its seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Simulated time, from 0.
    pub duration: Time,
    /// What the summary is taken over.
    pub measure: MeasureSpec,
    /// Nodes and links.
    pub topology: Topology,
    /// Who sends what; flows are numbered through the groups in this order.
    pub groups: Vec<GroupSpec>,
    /// Tables asked for besides the summary.
    #[serde(default)]
    pub records: Vec<RecordSpec>,
    /// Captures asked for.
    #[serde(default)]
    pub captures: Vec<CaptureSpec>,
}

/// Where and over what time the summary is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureSpec {
    /// The summary covers [`from`, `duration`).
    pub from: Time,
    /// Width of an arrival bin.
    pub bin: Time,
    /// Index of the measured link; in a dumbbell link 0 is the bottleneck, towards the server.
    pub link: u32,
    /// Further links, of which less is measured.
    #[serde(default)]
    pub others: Vec<u32>,
}

impl MeasureSpec {
    /// All links that are measured.
    pub(crate) fn links(&self) -> impl Iterator<Item = u32> {
        [self.link].into_iter().chain(self.others.iter().copied())
    }
}

/// Nodes and links: a general graph, or the dumbbell that is a constructor over it.
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
        /// One per group: (client to gateway, gateway to client).
        access: Vec<(LinkSpec, LinkSpec)>,
    },
    /// Nodes 0..`nodes` and directed links.
    Graph {
        /// How many nodes there are.
        nodes: u32,
        /// Directed links, numbered in this order.
        links: Vec<EdgeSpec>,
    },
}

/// A directed link of a graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeSpec {
    /// Node it leaves.
    pub from: u32,
    /// Node it reaches.
    pub to: u32,
    /// Its rate, delay and queue.
    pub link: LinkSpec,
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Transmission rate, one or a trace of them.
    pub rate: RateSpec,
    /// Propagation delay.
    pub delay: Time,
    /// What happens to packets that must wait.
    pub queue: QueueSpec,
    /// What is lost besides.
    #[serde(default)]
    pub loss: Option<LossSpec>,
}

/// A group of alike clients, each with a flow or with as many flows as it has connections at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// How many clients.
    pub count: u32,
    /// Sending and receiving node; in a dumbbell `None`, since each flow has a client of its own.
    pub path: Option<(u32, u32)>,
    /// In a dumbbell: the server sends to the client.
    pub reverse: bool,
    /// Bytes of a full data packet on the wire; where UDP's sizes spread, their mean.
    pub packet_size: u32,
    /// When the first source starts.
    pub start: Time,
    /// Each flow's source starts this much later at most: uniform from 0, drawn by seed and flow.
    #[serde(default)]
    pub spread: Time,
    /// How data crosses the network.
    pub transport: TransportSpec,
    /// Where data comes from.
    pub source: SourceSpec,
}

/// A transport with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum TransportSpec {
    /// Each packet is sent at once and never again.
    Udp {
        /// How the sizes of its packets spread.
        #[serde(default)]
        sizes: SizeSpec,
    },
    /// A sender and a receiver.
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
        /// Packets per second.
        rate: f64,
    },
    /// Everything at once.
    Greedy {
        /// Packets of a finite transfer; `None` never ends.
        packets: Option<u64>,
    },
    /// Packets at equal intervals while on, none while off.
    OnOff {
        /// Packets per second while on.
        rate: f64,
        /// Seconds of an on period.
        on: Distribution,
        /// Seconds of an off period.
        off: Distribution,
    },
    /// Packets whose rate follows fractional Gaussian noise.
    Fractional(FractionalSpec),
    /// Transfers with a time to think before each, which begins when the one before is acknowledged.
    Transfers {
        /// Packets of a transfer, rounded up.
        size: Distribution,
        /// Seconds of thinking.
        think: Distribution,
    },
    /// Requests at the times of a Poisson process, each with a connection of its own that carries one transfer.
    Connections {
        /// Mean requests per second of a client.
        rate: f64,
        /// Packets of a transfer, rounded up.
        size: Distribution,
        /// Connections of a client at a time at most; further requests wait. Each is a flow of the plan.
        most: u32,
    },
    /// Packets at given times.
    Trace(Arc<TraceSpec>),
}

/// A table to keep during the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum RecordSpec {
    /// Packets offered to each of these links in every bin.
    Arrivals {
        /// Link indices.
        links: Vec<u32>,
        /// Width of a bin.
        bin: Time,
    },
    /// Packets and bytes waiting at each of these links, and the average that the discipline judged its last arrival by,
    /// sampled.
    Queue {
        /// Link indices.
        links: Vec<u32>,
        /// Time between samples.
        every: Time,
    },
    /// Each packet that a queue of these links refused, or that one was told to lose.
    Drops {
        /// Link indices.
        links: Vec<u32>,
    },
    /// Each packet at each of these links: when it enters the queue, leaves it, arrives at the far end or is gone.
    Packets {
        /// Link indices.
        links: Vec<u32>,
    },
    /// Windows and timers of these flows.
    Windows {
        /// Flow indices.
        flows: Vec<u32>,
        /// Time between samples; `None` keeps every change.
        every: Option<Time>,
    },
    /// Each ACK that reaches the sender of these flows.
    Acks {
        /// Flow indices.
        flows: Vec<u32>,
    },
    /// Each finite transfer of these flows.
    Transfers {
        /// Flow indices.
        flows: Vec<u32>,
    },
}

/// Packets to keep with all that they carry, as taps see them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureSpec {
    /// Where it looks.
    pub taps: Vec<Tap>,
}

/// A point of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tap {
    /// Link index.
    pub link: u32,
    /// Which point of it.
    pub at: TapPoint,
}

/// The points of a link at which a packet can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TapPoint {
    /// As it is offered to the queue, whether or not it is dropped there.
    Offer,
    /// As it leaves the queue: its transmission begins.
    Dequeue,
    /// As it reaches the far end.
    Receive,
}

impl CaptureSpec {
    /// The links that it looks at.
    pub(crate) fn links(&self) -> impl Iterator<Item = &u32> {
        self.taps.iter().map(|tap| &tap.link)
    }
}

/// Why a plan cannot run. The Python front checks scenarios in the user's own words first; this is the engine's own guard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct PlanError {
    /// Where in the plan.
    pub field: String,
    /// What is wrong and what is allowed.
    pub problem: String,
}

impl PlanError {
    pub(crate) fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

impl GroupSpec {
    /// Whether its sources hand over transfers that end.
    pub(crate) const fn has_transfers(&self) -> bool {
        matches!(
            self.source,
            SourceSpec::Greedy { packets: Some(_) } | SourceSpec::Transfers { .. } | SourceSpec::Connections { .. }
        )
    }

    /// Whether its clients open a connection for each transfer.
    pub(crate) const fn opens_connections(&self) -> bool {
        matches!(self.source, SourceSpec::Connections { .. })
    }

    /// Flows of each client.
    pub(crate) const fn flows_of_client(&self) -> u32 {
        match self.source {
            SourceSpec::Connections { most, .. } => most,
            _ => 1,
        }
    }

    /// Flows of all clients together.
    pub fn flows(&self) -> u32 {
        self.count.saturating_mul(self.flows_of_client())
    }

    /// When the source of a client of the group starts, who is known by its first flow.
    pub(crate) fn start_of(&self, flow: u32, seed: u64) -> Time {
        self.start.saturating_add(Stream::new(seed, Role::Start, flow).time_below(self.spread))
    }
}

impl Plan {
    /// For each flow the first one of its client, if some clients have several; otherwise nothing.
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

    /// The flows whose source hands over one transfer at its start, and its packets; others announce each.
    pub(crate) fn single_transfers(&self) -> impl Iterator<Item = (u32, u64)> {
        let packets = |(flow, (_, group)): (u32, (u32, &GroupSpec))| match group.source {
            SourceSpec::Greedy { packets: Some(packets) } => Some((flow, packets)),
            _ => None,
        };
        (0..).zip(self.flows()).filter_map(packets)
    }

    /// Every flow: the number of its group, and the group.
    pub(crate) fn flows(&self) -> impl Iterator<Item = (u32, &GroupSpec)> {
        (0..).zip(&self.groups).flat_map(|(index, group)| (0..group.flows()).map(move |_| (index, group)))
    }
}

/// The burstiness paper's dumbbell with that many Reno clients, ten simulated seconds of it: the example of these docs.
pub fn dumbbell_of_reno(count: u32) -> Plan {
    let queue = |packets| {
        QueueSpec::DropTail(crate::queue::DropTailSpec {
            limit: Limit::Packets(packets),
            count_in_service: true,
            ties: crate::queue::Ties::Departure,
        })
    };
    let link = |mbps, packets| LinkSpec {
        rate: Rate::from_mbps(mbps).into(),
        delay: Time::from_millis(25),
        queue: queue(packets),
        loss: None,
    };
    Plan {
        duration: Time::SECOND.saturating_mul(10),
        measure: MeasureSpec { from: Time::ZERO, bin: Time::from_millis(100), link: 0, others: Vec::new() },
        topology: Topology::Dumbbell {
            bottleneck: link(50, 50),
            reverse: link(50, 100_000),
            access: vec![(link(10, 100_000), link(10, 100_000))],
        },
        groups: vec![GroupSpec {
            count,
            path: None,
            reverse: false,
            packet_size: 1500,
            start: Time::ZERO,
            spread: Time::ZERO,
            transport: TransportSpec::Tcp {
                sender: Arc::new(SenderConfig { max_window: 20, ..SenderConfig::default() }),
                receiver: ReceiverConfig::default(),
            },
            source: SourceSpec::Poisson { rate: 100.0 },
        }],
        records: Vec::new(),
        captures: Vec::new(),
    }
}
