//! Queue disciplines, which accept, mark or drop the packets of a link.
//!
//! There are two kinds. A discipline of the first kind ([`QueueDiscipline`]) decides about a packet when it arrives, and
//! stores no packets: the link sends the accepted packets in order ([`Link`](crate::link::Link)). [`Arrival`] contains
//! all that such a discipline may use: the packet with its flow, the waiting packets, the packet in transmission, and
//! how long the link has been idle. A discipline of the second kind (`PacketQueue` in `stored.rs`) stores the packets,
//! and is asked for the next one when a transmission is about to start (`link/served.rs`). Each discipline has its own file
//! and is registered by one line of `queues!` below.

mod cake;
pub(crate) mod changing;
mod cobalt;
mod codel;
mod drop_tail;
mod dualpi2;
mod flows;
pub mod foreign;
mod fq;
mod fq_codel;
pub(crate) mod gauges;
mod lists;
mod longest;
mod pie;
mod priority;
mod red;
pub(crate) mod stored;

use std::fmt::Debug;
use std::sync::Arc;

use ackclock_units::catalogue::{Entry, Invalid, Parameter, ParameterKind};
use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use crate::link::backlog::Backlog;
use crate::link::framing::Framing;
use crate::packet::Packet;
use crate::plan::changes::check_change;

pub use cake::{AckFilter, Isolation, Tins};
pub use drop_tail::{DropFrom, Ties};
pub use dualpi2::Low;
pub use gauges::{GAUGES, Gauge};
pub use pie::DelayFrom;
pub use red::{AboveMax, CountBelow, Unit};
use stored::PacketQueue;

/// An arriving packet and the queue that it finds.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The packet.
    pub packet: &'a Packet,
    /// Arrival time.
    pub now: Time,
    /// The pending transmissions of the link.
    pub(crate) backlog: &'a Backlog,
}

impl Arrival<'_> {
    /// Number of waiting packets, excluding the packet in transmission.
    pub fn waiting_packets(&self) -> u64 {
        self.backlog.waiting(self.now).0
    }

    /// Number of waiting bytes.
    pub fn waiting_bytes(&self) -> u64 {
        self.backlog.waiting(self.now).1
    }

    /// Size in bytes of the packet in transmission; 0 if the link is idle.
    pub fn in_service(&self) -> u32 {
        self.backlog.in_service(self.now)
    }

    /// How long the link has been idle; `None` while it transmits.
    pub fn idle_for(&self) -> Option<Time> {
        let busy_until = self.backlog.busy_until();
        (busy_until <= self.now).then(|| self.now - busy_until)
    }

    /// The verdict that signals congestion: marks the packet if it is ECN-capable, and drops it otherwise.
    pub const fn mark_or_drop(&self, reason: DropReason) -> Verdict {
        if self.packet.ecn().is_capable() { Verdict::Mark } else { Verdict::Drop(reason) }
    }
}

/// The decision about an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The packet is queued.
    Accept,
    /// The packet is queued, and leaves with the codepoint CE. Only for ECN-capable packets.
    Mark,
    /// The packet is dropped.
    Drop(DropReason),
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The queue is full.
    Full,
    /// Early drop by the discipline.
    Early,
    /// The link lost the packet before the queue.
    Lost,
    /// The packet does not conform to the policer of the link, or can never conform to its shaper.
    Policed,
}

/// A queue discipline.
pub trait QueueDiscipline: Debug + Send {
    /// Decides about an arriving packet.
    fn on_arrival(&mut self, arrival: &Arrival<'_>) -> Verdict;

    /// Maximum remaining transmission time of the link at which a packet is accepted regardless of everything else, if
    /// all packets have `size` bytes and a transmission time of `each`. `None` if the discipline must judge every
    /// packet.
    fn room(&self, _size: u32, _each: Time) -> Option<Time> {
        None
    }

    /// The average queue used for decisions, at the last arrival and in the discipline's unit; NaN if there is no
    /// average.
    fn average(&self) -> f64 {
        f64::NAN
    }

    /// Takes the parameters of this specification of the same discipline, and keeps its state.
    fn retune(&mut self, _spec: &QueueSpec, _context: &Context) {}

    /// Makes the updates due by `now` that do not wait for an arrival, on a link that is busy until `busy_until`. Later
    /// calls must give the same results as without this call.
    fn advance(&mut self, _now: Time, _busy_until: Time) {}

    /// Calls `visit` with the name and value of each of the discipline's [gauges](GAUGES).
    fn gauges(&self, _visit: &mut dyn FnMut(&'static str, f64)) {}

    /// Heap memory in bytes that grows with the queue.
    fn memory(&self) -> usize {
        0
    }
}

/// New parameters of a discipline from a time on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueChange {
    /// When they begin to hold.
    pub at: Time,
    /// The same discipline with its new parameters.
    pub queue: QueueSpec,
}

/// Changes of a discipline that are still to come.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The next one is the last.
    later: Vec<QueueChange>,
    context: Context,
}

impl Changes {
    /// The changes of a queue; `None` if there are none.
    pub(crate) fn of(changes: &[QueueChange], context: &Context) -> Option<Box<Self>> {
        let later: Vec<QueueChange> = changes.iter().rev().cloned().collect();
        (!later.is_empty()).then(|| Box::new(Self { later, context: context.clone() }))
    }

    /// Calls `change` for each change due by `now`, in order.
    pub(crate) fn due(&mut self, now: Time, mut change: impl FnMut(&QueueChange, &Context)) {
        while let Some(next) = self.later.pop_if(|next| next.at <= now) {
            change(&next, &self.context);
        }
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.later[..])
    }
}

/// The capacity of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// A number of packets.
    Packets(u64),
    /// A number of bytes.
    Bytes(u64),
}

impl Limit {
    /// Whether there is space for the arriving packet; `count_in_service` also counts the packet in transmission.
    fn has_room(self, arrival: &Arrival<'_>, count_in_service: bool) -> bool {
        match self {
            Self::Packets(limit) => {
                arrival.waiting_packets() + u64::from(count_in_service && arrival.in_service() > 0) < limit
            }
            Self::Bytes(limit) => {
                let held = arrival.waiting_bytes() + if count_in_service { u64::from(arrival.in_service()) } else { 0 };
                held + u64::from(arrival.packet.size()) <= limit
            }
        }
    }

    /// Whether a packet of `size` bytes has space beside `packets` packets of `bytes` bytes in total.
    const fn admits(self, packets: u64, bytes: u64, size: u32) -> bool {
        match self {
            Self::Packets(limit) => packets < limit,
            Self::Bytes(limit) => bytes + size as u64 <= limit,
        }
    }

    /// Whether there is space for two packets of at most `size` bytes.
    pub(crate) fn admits_two(self, size: u32) -> bool {
        match self {
            Self::Packets(limit) => limit >= 2,
            Self::Bytes(limit) => 2 * u64::from(size) <= limit,
        }
    }

    /// The capacity for packets of one size, as a maximum remaining transmission time of the link.
    fn room(self, size: u32, each: Time, count_in_service: bool) -> Option<Time> {
        let packets = match self {
            Self::Packets(limit) => limit,
            Self::Bytes(limit) => limit / u64::from(size),
        };
        Some(each.saturating_mul(packets.checked_sub(u64::from(count_in_service))?)).filter(|_| packets > 0)
    }
}

/// The parameters of a discipline.
pub(crate) trait Spec {
    /// See [`QueueSpec::check`].
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }

    /// Memory of the discipline without packets, in bytes, if it is not small.
    fn bytes(&self) -> usize {
        0
    }

    /// Memory of a waiting packet in bytes that the discipline needs in addition to the link's.
    fn bytes_of_packet(&self) -> usize {
        0
    }

    /// Whether the discipline uses the [hosts](Context::hosts) of flows.
    fn knows_hosts(&self) -> bool {
        false
    }

    /// Whether the discipline may mark packets.
    fn marks(&self) -> bool {
        false
    }

    /// See [`QueueSpec::reads`].
    fn reads(&self) -> &'static [&'static str] {
        &[]
    }

    /// The parameters that cannot change in a run; `None` if no parameter can.
    fn fixed(&self) -> Option<&'static [&'static str]> {
        None
    }
}

macro_rules! queues {
    (
        at_arrival { $($variant:ident $name:literal => $spec:ident, $module:ident, $state:ty;)+ }
        stored { $($stored:ident $stored_name:literal => $stored_spec:ident, $stored_module:ident;)+ }
    ) => {
        $(pub use $module::$spec;)+
        $(pub use $stored_module::$stored_spec;)+

        /// A queue discipline with its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub enum QueueSpec {
            $(#[doc = concat!("The discipline `", $name, "`.")] #[serde(rename = $name)] $variant($spec),)+
            $(#[doc = concat!("The discipline `", $stored_name, "`.")] #[serde(rename = $stored_name)] $stored($stored_spec),)+
        }

        impl QueueSpec {
            /// Checks constraints between parameters, which the range of a single parameter cannot express.
            ///
            /// # Errors
            /// If parameters contradict each other.
            pub fn check(&self) -> Result<(), Invalid> {
                self.spec().check()
            }

            /// The parameters, whatever the discipline.
            pub(crate) fn spec(&self) -> &dyn Spec {
                match self {
                    $(Self::$variant(spec) => spec,)+
                    $(Self::$stored(spec) => spec,)+
                }
            }

            /// Whether the discipline may mark packets.
            pub fn marks(&self) -> bool {
                self.spec().marks()
            }

            /// The fields of a group that the discipline uses.
            pub fn reads(&self) -> &'static [&'static str] {
                self.spec().reads()
            }

            /// The name of the discipline.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)+
                    $(Self::$stored(_) => $stored_name,)+
                }
            }

            /// Capacity of the queue.
            pub const fn limit(&self) -> Limit {
                match self {
                    $(Self::$variant(spec) => spec.limit,)+
                    $(Self::$stored(spec) => spec.limit,)+
                }
            }

            /// Whether the discipline stores the packets.
            pub const fn is_stored(&self) -> bool {
                matches!(self, Self::DropTail(spec) if spec.is_stored()) || matches!(self, $(Self::$stored(_))|+)
            }

            pub(crate) fn build(&self, context: &Context) -> Discipline {
                match self {
                    Self::DropTail(spec) if spec.is_stored() => self.build_stored(context),
                    $(Self::$variant(spec) => Discipline::AtArrival(Queue::$variant($module::build(spec, context).into())),)+
                    $(Self::$stored(spec) => Discipline::Stored(Box::new($stored_module::build(spec, context))),)+
                }
            }
        }

        /// The state of a discipline that decides at arrival. Large states are boxed so that links stay small.
        #[derive(Debug)]
        pub(crate) enum Queue {
            $($variant($state),)+
        }

        impl QueueDiscipline for Queue {
            fn on_arrival(&mut self, arrival: &Arrival<'_>) -> Verdict {
                match self { $(Self::$variant(queue) => queue.on_arrival(arrival),)+ }
            }

            fn room(&self, size: u32, each: Time) -> Option<Time> {
                match self { $(Self::$variant(queue) => queue.room(size, each),)+ }
            }

            fn average(&self) -> f64 {
                match self { $(Self::$variant(queue) => queue.average(),)+ }
            }

            fn retune(&mut self, spec: &QueueSpec, context: &Context) {
                match self { $(Self::$variant(queue) => queue.retune(spec, context),)+ }
            }

            fn advance(&mut self, now: Time, busy_until: Time) {
                match self { $(Self::$variant(queue) => queue.advance(now, busy_until),)+ }
            }

            fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
                match self { $(Self::$variant(queue) => queue.gauges(visit),)+ }
            }

            fn memory(&self) -> usize {
                match self { $(Self::$variant(queue) => queue.memory(),)+ }
            }
        }

        /// All queue disciplines.
        pub const QUEUES: &[Entry] = &[
            $(Entry { name: $name, doc: $module::DOC, parameters: $module::PARAMETERS },)+
            $(Entry { name: $stored_name, doc: $stored_module::DOC, parameters: $stored_module::PARAMETERS },)+
        ];
    };
}

impl QueueSpec {
    /// Checks that the parameters can change to those of `next` in a run.
    ///
    /// # Errors
    /// If they contradict each other, if the discipline is another one, or if one of them cannot change.
    pub fn check_change(&self, next: &Self) -> Result<(), Invalid> {
        check_change(self.spec().fixed(), [(self.name(), self), (next.name(), next)])?;
        next.check()
    }

    /// Whether the discipline has a form that stores its packets.
    pub(crate) const fn can_be_stored(&self) -> bool {
        self.is_stored() || matches!(self, Self::DropTail(_))
    }

    /// The form of the discipline that stores its packets, if it [has](Self::can_be_stored) one.
    pub(crate) fn build_stored(&self, context: &Context) -> Discipline {
        match self {
            Self::DropTail(spec) => Discipline::Stored(Box::new(drop_tail::stored(spec))),
            other => other.build(context),
        }
    }

    /// Whether decisions of the discipline depend only on the packets that are pending.
    pub(crate) fn is_memoryless(&self) -> bool {
        matches!(self, Self::DropTail(spec) if spec.is_memoryless())
    }
}

impl Queue {
    /// The discipline of a link that has a short form.
    pub(crate) const fn memoryless(spec: &DropTailSpec) -> Self {
        Self::DropTail(drop_tail::DropTail::new(spec))
    }

    /// The parameters of a [memoryless](QueueSpec::is_memoryless) discipline.
    pub(crate) fn as_memoryless(&self) -> Option<DropTailSpec> {
        if let Self::DropTail(queue) = self { queue.as_memoryless() } else { None }
    }
}

/// The state of a discipline of either kind.
#[derive(Debug)]
pub(crate) enum Discipline {
    /// Decides about packets when they arrive.
    AtArrival(Queue),
    /// Stores the packets.
    Stored(Box<dyn PacketQueue>),
}

#[cfg(test)]
impl Discipline {
    /// The discipline, which decides about packets when they arrive.
    pub(crate) fn at_arrival(self) -> Queue {
        match self {
            Self::AtArrival(queue) => queue,
            Self::Stored(queue) => unreachable!("{queue:?} stores packets"),
        }
    }
}

/// Properties of the link that a discipline may use.
#[derive(Clone, Debug)]
pub struct Context {
    /// Rate of the link.
    pub(crate) rate: ackclock_units::Rate,
    /// How the link frames packets.
    pub(crate) framing: Framing,
    /// Random stream of the discipline.
    pub(crate) stream: Stream,
    /// Global ids of the flows; empty when every local id equals its global id.
    pub(crate) flows: Arc<[u32]>,
    /// Priority of each flow; empty if all are 0.
    pub(crate) bands: Arc<[u8]>,
    /// Weight of each flow; empty if all are equal.
    pub(crate) weights: Arc<[u16]>,
    /// Rate that each flow cannot exceed; empty if there is none.
    pub(crate) ceilings: Arc<[Option<ackclock_units::Rate>]>,
    /// Differentiated services codepoint of each flow; empty if all are 0.
    pub(crate) codepoints: Arc<[u8]>,
    /// The hosts of each flow; empty if no queue of the run [uses](Spec::knows_hosts) them.
    pub(crate) hosts: Arc<[Hosts]>,
}

#[cfg(test)]
impl Context {
    /// A link of this rate without properties that few disciplines use. Tests change single fields of it.
    pub(crate) fn testing(rate: ackclock_units::Rate) -> Self {
        let stream = Stream::new(1, ackclock_units::Role::Queue, 0);
        Self {
            rate,
            framing: Framing::default(),
            stream,
            flows: Arc::default(),
            bands: Arc::default(),
            weights: Arc::default(),
            ceilings: Arc::default(),
            codepoints: Arc::default(),
            hosts: Arc::default(),
        }
    }
}

/// The nodes at which a flow begins and ends, by their global ids.
pub(crate) type Hosts = [u32; 2];

queues! {
    at_arrival {
        DropTail "droptail" => DropTailSpec, drop_tail, drop_tail::DropTail;
        Red "red" => RedSpec, red, Box<red::Red>;
        Pie "pie" => PieSpec, pie, Box<pie::Pie>;
    }
    stored {
        Codel "codel" => CodelSpec, codel;
        Cobalt "cobalt" => CobaltSpec, cobalt;
        FqCodel "fq_codel" => FqCodelSpec, fq_codel;
        Cake "cake" => CakeSpec, cake;
        Fq "fq" => FqSpec, fq;
        DualPi2 "dualpi2" => DualPi2Spec, dualpi2;
        Priority "priority" => PrioritySpec, priority;
        Foreign "foreign" => ForeignQueueSpec, foreign;
    }
}
