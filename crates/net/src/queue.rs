//! Queue disciplines: what happens to packets that must wait.
//!
//! A discipline judges; it stores nothing. The link keeps the packets, in order, and asks at each arrival. What a discipline
//! may see is in [`Arrival`]: the packet with its flow, what waits, what is being transmitted, for how long the link has been
//! idle. Each discipline lives in a file of its own and is registered by one line of `queues!` below.

mod drop_tail;
mod red;

use std::fmt::Debug;

use ackclock_tcp::congestion::{Entry, Invalid, Parameter, ParameterKind};
use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use crate::backlog::Backlog;
use crate::packet::Packet;

pub use drop_tail::{DropTailSpec, Ties};
pub use red::{AboveMax, CountBelow, RedSpec, Unit};

/// An arriving packet and the queue that it finds.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The packet.
    pub packet: &'a Packet,
    /// When it arrives.
    pub now: Time,
    /// What the link has before it.
    pub(crate) backlog: &'a Backlog,
}

impl Arrival<'_> {
    /// Packets waiting, without the one in transmission.
    pub fn waiting_packets(&self) -> u64 {
        self.backlog.waiting(self.now).0
    }

    /// Their bytes.
    pub fn waiting_bytes(&self) -> u64 {
        self.backlog.waiting(self.now).1
    }

    /// Bytes of the packet in transmission; 0 if the link is idle.
    pub fn in_service(&self) -> u32 {
        self.backlog.in_service(self.now)
    }

    /// How long the link has been idle; `None` while it transmits.
    pub fn idle_for(&self) -> Option<Time> {
        let busy_until = self.backlog.busy_until();
        (busy_until <= self.now).then(|| self.now - busy_until)
    }
}

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It waits for its turn.
    Accept,
    /// It is dropped.
    Drop(DropReason),
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// No room.
    Full,
    /// The discipline chose to.
    Early,
    /// The link lost it, before the queue.
    Lost,
}

/// A queue discipline.
pub trait QueueDiscipline: Debug + Send {
    /// Judges a packet as it arrives.
    fn on_arrival(&mut self, arrival: &Arrival<'_>) -> Verdict;

    /// How long a link may have to send at most, so that a packet is accepted whatever else there is to see, where all packets
    /// are of `size` and take `each` to send; `None` if every packet must be judged.
    fn room(&self, _size: u32, _each: Time) -> Option<Time> {
        None
    }

    /// The average of the queue that it judges by, as of its last arrival and in its own unit; not a number if it keeps none.
    fn average(&self) -> f64 {
        f64::NAN
    }

    /// Values to watch, by name.
    fn gauges(&self, _visit: &mut dyn FnMut(&'static str, f64)) {}
}

/// The capacity of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// That many packets.
    Packets(u64),
    /// That many bytes.
    Bytes(u64),
}

impl Limit {
    /// Whether there is room for the arriving packet; `count_in_service` counts the packet in transmission as well.
    fn has_room(self, arrival: &Arrival<'_>, count_in_service: bool) -> bool {
        match self {
            Self::Packets(limit) => {
                arrival.waiting_packets() + u64::from(count_in_service && arrival.in_service() > 0) < limit
            }
            Self::Bytes(limit) => {
                let held = arrival.waiting_bytes() + if count_in_service { u64::from(arrival.in_service()) } else { 0 };
                held + u64::from(arrival.packet.size) <= limit
            }
        }
    }

    /// The same where all packets are of one size: how long the link may have to send.
    fn room(self, size: u32, each: Time, count_in_service: bool) -> Option<Time> {
        let packets = match self {
            Self::Packets(limit) => limit,
            Self::Bytes(limit) => limit / u64::from(size),
        };
        Some(each.saturating_mul(packets.checked_sub(u64::from(count_in_service))?)).filter(|_| packets > 0)
    }
}

macro_rules! queues {
    ($($variant:ident $name:literal => $spec:ty, $module:ident, $state:ty;)+) => {
        /// A discipline with its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "lowercase")]
        pub enum QueueSpec {
            $(#[doc = concat!("The discipline `", $name, "`.")] $variant($spec),)+
        }

        impl QueueSpec {
            /// Checks what a single parameter's range cannot tell.
            ///
            /// # Errors
            /// If parameters contradict each other.
            pub fn check(&self) -> Result<(), Invalid> {
                match self { $(Self::$variant(spec) => $module::check(spec),)+ }
            }

            /// Its capacity.
            pub(crate) const fn limit(&self) -> Limit {
                match self { $(Self::$variant(spec) => spec.limit,)+ }
            }

            pub(crate) fn build(&self, context: &Context) -> Queue {
                match self { $(Self::$variant(spec) => Queue::$variant($module::build(spec, context).into()),)+ }
            }
        }

        /// A discipline at work; a large state goes into a box, so that links stay small.
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

            fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
                match self { $(Self::$variant(queue) => queue.gauges(visit),)+ }
            }
        }

        /// Every discipline.
        pub const QUEUES: &[Entry] = &[
            $(Entry { name: $name, doc: $module::DOC, parameters: $module::PARAMETERS },)+
        ];
    };
}

/// What a discipline knows of its link.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// Rate of the link.
    pub(crate) rate: ackclock_units::Rate,
    /// Its own random numbers.
    pub(crate) stream: Stream,
}

queues! {
    DropTail "droptail" => DropTailSpec, drop_tail, drop_tail::DropTail;
    Red "red" => RedSpec, red, Box<red::Red>;
}
