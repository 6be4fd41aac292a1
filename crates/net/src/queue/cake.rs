//! CAKE: Hoeiland-Joergensen, Taht and Morton, "Piece of CAKE: A Comprehensive Queue Management Solution for Home Gateways"
//! (IEEE LANMAN 2018); Linux, `sch_cake.c`.
//!
//! CAKE is fair among hosts first, and among the flows of a host second. Like FQ-CoDel (`fq_codel.rs`) it distributes
//! flows among queues, which a deficit round robin serves from the lists *new* and *old*; each queue has its own COBALT
//! (`cobalt.rs`). It differs from FQ-CoDel in these points:
//! - *Host isolation.* In each round a queue may send `quantum` bytes divided by the load of its host: the number of the
//!   host's *bulk* flows, which are those in the list *old* with packets. The host is the source of the flow
//!   (`dual-srchost`), its destination (`dual-dsthost`), or whichever of both has the higher load (`triple-isolate`).
//! - *Hash.* A hash selects a set of eight queues. A flow gets a queue that no other flow uses. Flows share a queue only
//!   if all eight are in use; a packet of such a flow may then leave before an earlier one.
//! - *Limit.* An arrival above the limit removes packets at the head of the longest queue, one at a time. This overflow
//!   raises the probability of the queue's BLUE.
//! - *Slow links.* `target` is at least 1.5 transmission times of a packet of `mtu` bytes, and packets may always wait for
//!   four of them; the interval grows with the target.
//! - *Tins.* There may be several sets of queues with their own lists, for classes of traffic (`cake/diffserv.rs`).
//! - *ACK filter.* An ACK may remove an earlier one that waits (`cake/ack_filter.rs`).
//!
//! Deficits and tins count the bytes that the link sends, with its framing (`link/framing.rs`).
//!
//! A host is a node of the network. In a dumbbell each client is a host, and the server is one; as all flows have the
//! server's load, `triple-isolate` then gives equal shares to flows. ACKs have the receiver of their flow as their source.
//!
//! Differences from Linux:
//! - CAKE's shaper sends a packet when the one before has been transmitted at the given rate, as any link here does. So
//!   there is no shaper, and its rate is the link's; `quantum` is a parameter, where Linux uses the rate / 4096, between 300
//!   and 1514 bytes.
//! - A queue of the list *new* that is empty goes through the list *old*, as in FQ-CoDel. Linux forgets it, so that a flow
//!   with a packet whenever its turn comes is always new.
//! - Fractions of a byte count (1/65536); Linux rounds quanta at random.
//! - A host keeps its place in the table of hosts until another one needs it; in Linux any host may take the place of one
//!   without bulk flows, and both then count as one.
//! - The default is one tin, where Linux has `diffserv3`. There are no limits of memory other than `limit`.

mod ack_filter;
mod diffserv;
mod tin;

use std::cmp::Reverse;
use std::sync::Arc;

use ackclock_units::{Rate, Time};
use serde::{Deserialize, Serialize};

use super::cobalt::Control;
use super::codel::{INTERVAL, TARGET, ecn};
use super::flows::Hash;
use super::fq_codel::QUANTUM;
use super::stored::{Dropped, PacketQueue, Queued, Room};
use super::{Context, DropReason, Invalid, Limit, Parameter, ParameterKind, QueueSpec, Spec};
use crate::endpoint::sack_store::SackStore;
use crate::link::framing::Framing;

pub use ack_filter::AckFilter;
use diffserv::Diffserv;
pub use diffserv::Tins;
use tin::{BYTE, Common, Tin, WAYS};

pub(super) const DOC: &str = "Fair queueing by host and by flow, with COBALT in each queue (Piece of CAKE, 2018)";

pub(super) const PARAMETERS: &[Parameter] = &[
    TARGET,
    INTERVAL,
    Parameter {
        name: "mtu",
        doc: "Size in bytes of the packets that the target must allow for on a slow link; 0: none",
        kind: ParameterKind::Whole { min: 0, max: 1_000_000, default: 1514 },
    },
    ecn(true),
    Parameter {
        name: "queues",
        doc: "Number of queues, a multiple of 8",
        kind: ParameterKind::Whole { min: WAYS as u64, max: 1024, default: 1024 },
    },
    QUANTUM,
    Parameter {
        name: "isolation",
        doc: "Hosts that get equal shares: none, sources, destinations, or both",
        kind: ParameterKind::Choice {
            choices: &["flows", "dual-srchost", "dual-dsthost", "triple-isolate"],
            default: "triple-isolate",
        },
    },
    Parameter {
        name: "tins",
        doc: "Classes of traffic, by the dscp of groups",
        kind: ParameterKind::Choice {
            choices: &["besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence"],
            default: "besteffort",
        },
    },
    Parameter {
        name: "ack_filter",
        doc: "Remove waiting ACKs that a later one makes redundant: none, those before two others, or before one",
        kind: ParameterKind::Choice { choices: &["off", "conservative", "aggressive"], default: "off" },
    },
];

/// The parameters of CAKE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CakeSpec {
    /// Capacity of all queues together.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Waiting time that packets may always have.
    pub target: Time,
    /// Time for which packets must wait longer than `target` before the first drop.
    pub interval: Time,
    /// Size of the packets that the target must allow for.
    pub mtu: u32,
    /// Mark ECN-capable packets where CoDel would drop them.
    pub ecn: bool,
    /// Number of queues, a multiple of 8.
    pub queues: u32,
    /// Bytes that a host may send in each round.
    pub quantum: u32,
    /// Hosts that get equal shares.
    pub isolation: Isolation,
    /// Classes of traffic.
    pub tins: Tins,
    /// Waiting ACKs that a later one removes.
    pub ack_filter: AckFilter,
}

#[cfg(test)]
impl CakeSpec {
    /// The defaults of the parameters, for tests, which change single fields.
    pub(crate) const USUAL: Self = Self {
        limit: Limit::Packets(10_240),
        count_in_service: false,
        target: Time::from_millis(5),
        interval: Time::from_millis(100),
        mtu: 1514,
        ecn: true,
        queues: 1024,
        quantum: 1514,
        isolation: Isolation::TripleIsolate,
        tins: Tins::Besteffort,
        ack_filter: AckFilter::Off,
    };
}

/// Hosts that get equal shares, in the terms of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// None: all flows are equal.
    Flows,
    /// Sources.
    DualSrchost,
    /// Destinations.
    DualDsthost,
    /// Sources and destinations.
    TripleIsolate,
}

impl Isolation {
    /// Whether sources and destinations get equal shares.
    const fn sides(self) -> [bool; 2] {
        match self {
            Self::Flows => [false, false],
            Self::DualSrchost => [true, false],
            Self::DualDsthost => [false, true],
            Self::TripleIsolate => [true, true],
        }
    }
}

impl Spec for CakeSpec {
    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&["queues", "quantum", "isolation", "tins", "ack_filter"])
    }

    fn marks(&self) -> bool {
        self.ecn
    }

    fn check(&self) -> Result<(), Invalid> {
        if (self.queues as usize).is_multiple_of(WAYS) {
            return Ok(());
        }
        let problem = format!("{} is not allowed; must be a multiple of {WAYS}", self.queues);
        Err(Invalid { field: "queues", problem })
    }

    /// Memory of the queues without packets, in bytes.
    fn bytes(&self) -> usize {
        self.tins.count() * self.queues as usize * Tin::BYTES_OF_QUEUE
    }

    fn knows_hosts(&self) -> bool {
        true
    }

    fn reads(&self) -> &'static [&'static str] {
        if self.tins == Tins::Besteffort { &[] } else { &["dscp"] }
    }
}

impl CakeSpec {
    /// The control law of a queue in a tin with this threshold.
    fn control(&self, threshold: Rate) -> Control {
        let Self { interval, mtu, ecn, .. } = *self;
        let mtu_time = threshold.transmission_time(mtu);
        let target = self.target.max(Time::from_picos(mtu_time.as_picos() / 2 * 3));
        Control {
            late: target.max(mtu_time.saturating_mul(4)),
            period: target,
            interval: interval.saturating_add(target - self.target).max(target.saturating_mul(2)),
            ecn,
        }
    }
}

pub(super) fn build(spec: &CakeSpec, context: &Context) -> Cake {
    let CakeSpec { limit, count_in_service, queues, isolation, tins, ack_filter, .. } = *spec;
    let quantum = i64::from(spec.quantum) * BYTE;
    let mut stream = context.stream.clone();
    stream.uniform(); // the key of the hash
    let thresholds = tins.thresholds(context.rate).into_iter();
    Cake {
        room: Room { limit, count_in_service },
        tins: thresholds.map(|threshold| Tin::new(spec.control(threshold), queues, quantum)).collect(),
        diffserv: Diffserv::new(tins, context.rate, &context.codepoints).map(Box::new),
        ack_filter,
        ack_drops: 0,
        common: Common {
            quantum,
            sides: isolation.sides(),
            hash: Hash::new(queues, context),
            hosts: Arc::clone(&context.hosts),
            framing: (context.framing != Framing::default()).then_some(context.framing),
            stream,
            waiting: (0, 0),
        },
    }
}

#[derive(Debug)]
pub(super) struct Cake {
    room: Room,
    tins: Box<[Tin]>,
    /// Decides between the tins, if there are several.
    diffserv: Option<Box<Diffserv>>,
    ack_filter: AckFilter,
    /// Number of ACKs that the filter has removed.
    ack_drops: u64,
    common: Common,
}

impl Cake {
    /// Stores a packet. Returns its tin and its queue.
    #[inline(always)]
    fn store(&mut self, queued: Queued) -> (usize, u32) {
        let tin = match &mut self.diffserv {
            None => 0,
            Some(diffserv) => {
                let tin = diffserv.tin(&queued.packet);
                if self.tins[tin].packets == 0 {
                    diffserv.begin(tin, queued.since);
                }
                tin
            }
        };
        (tin, self.tins[tin].enqueue(&mut self.common, queued))
    }

    /// The same for packets that few links have.
    #[inline(never)]
    fn store_apart(&mut self, queued: Queued) -> (usize, u32) {
        self.store(queued)
    }

    /// Drops packets of the longest queues until the others have space.
    #[inline(always)]
    fn shrink(&mut self, now: Time, in_service: u32, dropped: &mut Dropped) {
        while self.common.waiting.0 > 0 && !self.room.holds(self.common.waiting, in_service) {
            self.drop_from_longest(now, dropped);
        }
    }

    /// Drops the packet at the head of the longest queue.
    #[inline(never)]
    fn drop_from_longest(&mut self, now: Time, dropped: &mut Dropped) {
        let longest_of = |(tin, each): (usize, &mut Tin)| {
            let place = each.longest()?;
            Some((each.flows[place as usize].store.bytes(), Reverse(tin), place))
        };
        let longest = self.tins.iter_mut().enumerate().filter_map(longest_of).max();
        if let Some((_, Reverse(tin), place)) = longest {
            self.tins[tin].drop_from(&mut self.common, place, now, dropped);
        }
    }

    /// Removes the next packet from one of several tins.
    #[inline(never)]
    fn dequeue_from_tins(&mut self, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        let Self { tins, diffserv, common, .. } = self;
        let diffserv = diffserv.as_mut()?;
        loop {
            let tin = diffserv.choose(|tin| tins[tin].lists.first().is_some(), now)?;
            if let Some(queued) = tins[tin].dequeue_apart(common, now, dropped) {
                diffserv.charge(tin, common.bytes(&queued), now);
                return Some(queued);
            }
        }
    }
}

impl PacketQueue for Cake {
    fn enqueue(&mut self, queued: Queued, in_service: u32, dropped: &mut Dropped) -> Result<(), DropReason> {
        let now = queued.since;
        self.store(queued);
        self.shrink(now, in_service, dropped);
        Ok(())
    }

    fn filters_acks(&self) -> bool {
        self.ack_filter != AckFilter::Off
    }

    fn enqueue_ack(
        &mut self,
        queued: Queued,
        in_service: u32,
        sacks: &SackStore,
        dropped: &mut Dropped,
    ) -> Result<(), DropReason> {
        let now = queued.since;
        let (tin, place) = self.store_apart(queued);
        if let Some(redundant) = self.tins[tin].filter(&mut self.common, place, self.ack_filter, sacks) {
            self.ack_drops += 1;
            dropped.push((redundant, DropReason::Early));
        }
        self.shrink(now, in_service, dropped);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        if self.diffserv.is_some() {
            return self.dequeue_from_tins(now, dropped);
        }
        self.tins[0].dequeue(&mut self.common, now, dropped)
    }

    fn waiting(&self) -> (u64, u64) {
        self.common.waiting
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.tins.iter().map(|tin| size_of::<Tin>() + tin.memory()).sum::<usize>()
    }

    fn advance(&mut self, now: Time) {
        self.tins.iter_mut().for_each(|tin| tin.advance(now));
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let (new, old) = self.tins.iter().map(|tin| tin.lists.counts()).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let flows = || self.tins.iter().flat_map(|tin| &tin.flows);
        visit("new_queues", f64::from(new));
        visit("old_queues", f64::from(old));
        visit("active_queues", flows().filter(|flow| !flow.store.is_empty()).count() as f64);
        visit("dropping", flows().filter(|flow| flow.cobalt.is_dropping()).count() as f64);
        visit("p_drop", flows().map(|flow| flow.cobalt.p_drop()).fold(0.0, f64::max));
        if self.filters_acks() {
            visit("ack_drops", self.ack_drops as f64);
        }
    }

    fn retune(&mut self, spec: &QueueSpec, context: &Context) {
        if let QueueSpec::Cake(spec) = spec {
            self.room = Room { limit: spec.limit, count_in_service: spec.count_in_service };
            for (tin, threshold) in self.tins.iter_mut().zip(spec.tins.thresholds(context.rate)) {
                tin.control = spec.control(threshold);
            }
        }
    }
}

#[cfg(test)]
mod tests;
