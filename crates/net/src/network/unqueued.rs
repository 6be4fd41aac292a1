//! Finds links at which no packet ever waits.
//!
//! If all packets of a link come from one other link, they arrive at intervals of at least the transmission times of
//! that link. If these are longer than the transmission times of the link itself, each packet finds the link idle and
//! crosses it in constant time. The links after the bottleneck of a path, and those of its ACKs, are usually of this
//! kind.

use ackclock_tcp::{HEADER, SACK_BLOCK};
use ackclock_units::Time;

use super::steps::Feeders;
use super::{Edge, Routed};
use crate::link::backlog::INSTANT;
use crate::link::framing::Framing;
use crate::link::rate::RateSpec;
use crate::packet::LinkId;
use crate::plan::{GroupSpec, Plan, TransportSpec};
use crate::queue::QueueSpec;
use crate::sizes::SizeSpec;

/// The links whose packets an observer may see. These links are processed one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Observed {
    /// All links.
    All,
    /// The links that the plan measures, records or captures.
    Plan,
}

/// The sizes of the packets that cross a link.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    shortest: u32,
    /// The longest packet, without SACK blocks and with them.
    plain: u32,
    longest: u32,
}

impl Sizes {
    const NONE: Self = Self { shortest: u32::MAX, plain: 0, longest: 0 };

    /// The sizes of a group's data packets, and of its ACKs.
    fn of(group: &GroupSpec) -> (Self, Self) {
        let size = group.packet_size;
        match &group.transport {
            TransportSpec::Udp { .. } if group.has_answers() => {
                (Self::between(size, size), Self::between(HEADER, HEADER))
            }
            TransportSpec::Udp { sizes: SizeSpec::Fixed } => (Self::between(size, size), Self::NONE),
            TransportSpec::Udp { sizes: SizeSpec::Exponential } => (Self::between(1, u32::MAX), Self::NONE),
            TransportSpec::Tcp { sender, receiver } => {
                let blocks = SACK_BLOCK * receiver.sack_blocks;
                let acks = Self { shortest: HEADER, plain: HEADER, longest: HEADER + blocks };
                // a SYN, and a probe of a closed window
                let has_short = sender.handshake || receiver.read_rate.is_some();
                (Self::between(if has_short { HEADER } else { size }, size), acks)
            }
        }
    }

    const fn between(shortest: u32, longest: u32) -> Self {
        Self { shortest, plain: longest, longest }
    }

    fn and(self, other: Self) -> Self {
        Self {
            shortest: self.shortest.min(other.shortest),
            plain: self.plain.max(other.plain),
            longest: self.longest.max(other.longest),
        }
    }
}

/// For each link the time in which a packet without SACK blocks crosses it; [`Time::MAX`] if packets may wait.
#[derive(Debug)]
pub(super) struct Unqueued(Vec<Time>);

impl Unqueued {
    /// Finds the unqueued links of a plan. No crossing time is longer than `far`.
    pub(super) fn of(
        plan: &Plan,
        path: &[LinkId],
        routed: &[Routed],
        edges: &[Edge<'_>],
        feeders: &Feeders,
        observed: Observed,
        far: Time,
    ) -> Self {
        let mut times = vec![Time::MAX; edges.len()];
        if observed == Observed::All {
            return Self(times);
        }
        let mut sizes = vec![Sizes::NONE; edges.len()];
        for Routed { group, data, acks, .. } in routed {
            let (of_data, of_acks) = Sizes::of(&plan.groups[*group as usize]);
            for (span, of) in [(data, of_data), (acks, of_acks)] {
                for LinkId(link) in &path[span.range()] {
                    sizes[*link as usize] = sizes[*link as usize].and(of);
                }
            }
        }
        let mut is_observed = vec![false; edges.len()];
        for link in plan.observed_links() {
            is_observed[link as usize] = true;
        }
        // the timers of receivers send ACKs at any time
        let mut is_entered_by_timers = vec![false; edges.len()];
        for Routed { acks, .. } in routed.iter().filter(|routed| routed.has_timer) {
            if let Some(LinkId(first)) = path[acks.range()].first() {
                is_entered_by_timers[*first as usize] = true;
            }
        }
        // the shortest interval between arrivals at the far end of each link; ZERO before the link is visited
        let mut intervals = vec![Time::ZERO; edges.len()];
        for Routed { data, acks, .. } in routed {
            for link in path[data.range()].iter().chain(&path[acks.range()]) {
                let id = link.0 as usize;
                if intervals[id] > Time::ZERO {
                    continue;
                }
                let RateSpec::Constant(rate) = edges[id].link.rate else { continue };
                if edges[id].link.shaper.is_some() || edges[id].link.framing != Framing::default() {
                    continue;
                }
                let time_of = |size| rate.transmission_time(size).max(INSTANT);
                let Sizes { shortest, plain, longest } = sizes[id];
                // extra delays and aggregates only ensure that no two packets arrive at the same time
                let is_even = edges[id].link.has_constant_delay() && edges[id].link.medium.is_none();
                intervals[id] = if is_even { time_of(shortest) } else { INSTANT };
                let Some(before) = feeders.only(*link).map(|before| intervals[before.0 as usize]) else { continue };
                let crossing = time_of(plain).saturating_add(edges[id].link.delay);
                let longest_crossing = time_of(longest).saturating_add(edges[id].link.delay);
                let never_waits = shortest == plain && time_of(longest) <= before && longest_crossing <= far;
                if never_waits && !is_observed[id] && !is_entered_by_timers[id] && accepts_next(edges[id], longest) {
                    times[id] = crossing;
                    // a packet gains on the one before it if its own transmission takes less time
                    intervals[id] = before - (time_of(longest) - time_of(plain));
                }
            }
        }
        Self(times)
    }

    /// The time in which packets without SACK blocks cross a link, if it is unqueued.
    pub(super) fn crossing(&self, LinkId(link): LinkId) -> Option<Time> {
        Some(self.0[link as usize]).filter(|time| *time < Time::MAX)
    }
}

/// Whether a link accepts every packet of at most `longest` bytes that finds no packet but one, whose transmission is
/// about to end.
fn accepts_next(edge: Edge<'_>, longest: u32) -> bool {
    edge.link.loses_none()
        && edge.link.has_constant_delay()
        && match &edge.link.queue {
            QueueSpec::DropTail(spec) => spec.limit.admits_two(longest),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ackclock_tcp::recovery::RecoverySpec;
    use ackclock_tcp::{DelayRule, ReceiverConfig, SenderConfig};
    use ackclock_units::Rate;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use crate::engine::simulator::Simulator;
    use crate::link::extra_delay::JitterSpec;
    use crate::network::Network;
    use crate::packet::{FlowId, Names, Packet};
    use crate::plan::testing::dumbbell_of_reno;
    use crate::plan::{EdgeSpec, LinkSpec, RecordSpec, Topology};
    use crate::queue::{DropFrom, DropTailSpec, Limit, Ties};
    use crate::{Observation, Observer};

    use super::*;

    fn link(kbps: u64, limit: u64, ties: Ties) -> LinkSpec {
        let rate = Rate::from_bps(1_000 * kbps).expect("above 0");
        let queue = QueueSpec::DropTail(DropTailSpec {
            limit: Limit::Packets(limit),
            count_in_service: true,
            ties,
            mark_above: 0,
            drop: DropFrom::Tail,
        });
        LinkSpec::plain(rate.into(), Time::from_millis(3), queue)
    }

    /// A chain of nodes with links of the given rates in kb/s in one direction and back, and two flows that cross it.
    fn chain(there: &[u64], back: &[u64], limit: u64, ties: Ties, handshake: bool, sack: bool) -> Plan {
        let base = dumbbell_of_reno(1);
        let last = there.len() as u32;
        let edge = |from, to, kbps| EdgeSpec { from, to, link: link(kbps, limit, ties) };
        let there = (0..).zip(there).map(|(node, kbps)| edge(node, node + 1, *kbps));
        let back = (0..).zip(back).map(|(step, kbps)| edge(last - step, last - step - 1, *kbps));
        let sender = SenderConfig {
            handshake,
            recovery: if sack { RecoverySpec::Sack } else { RecoverySpec::Reno },
            max_window: 30,
            ..SenderConfig::default()
        };
        let receiver = ReceiverConfig {
            handshake,
            delayed_ack: false,
            sack_blocks: if sack { 3 } else { 0 },
            ..ReceiverConfig::default()
        };
        let group = GroupSpec {
            count: 2,
            path: Some((0, last)),
            transport: TransportSpec::Tcp { sender: Arc::new(sender), receiver },
            ..base.groups[0].clone()
        };
        let links = there.chain(back).collect();
        Plan { topology: Topology::Graph { nodes: last + 1, links }, groups: vec![group], ..base }
    }

    /// The indices of the unqueued links of a plan.
    fn unqueued(plan: &Plan) -> Vec<u32> {
        let hops = Network::new(plan, Names::default(), 1, Observed::Plan).expect("the plan is sound").transit.hops;
        let mut links: Vec<u32> = hops.iter().filter(|hop| hop.is_unqueued()).map(|hop| hop.link.0).collect();
        links.sort_unstable();
        links.dedup();
        links
    }

    /// The packets that reach receivers and senders, and the events of the measured link.
    #[derive(Debug, Default, PartialEq)]
    struct Seen(Vec<(Time, FlowId, u64)>, Vec<(Time, Packet)>);

    impl Observer for Seen {
        fn observe(&mut self, now: Time, seen: &Observation<'_>) {
            match seen {
                Observation::Delivered { packet, .. } => self.0.push((now, packet.flow(), packet.number())),
                Observation::Acked { flow, ack, .. } => self.0.push((now, *flow, ack.next)),
                Observation::Offered { link: LinkId(0), packet, .. } => self.1.push((now, **packet)),
                _ => {}
            }
        }
    }

    fn run(plan: &Plan, observed: Observed) -> (Seen, u64) {
        let mut seen = Seen::default();
        let mut simulator = Simulator::of(plan, Names::default(), 1, observed).expect("the plan is sound");
        simulator.run_until(plan.duration, &mut seen);
        // a packet may be followed beyond the end of the run
        seen.0.retain(|(at, ..)| *at < plan.duration);
        seen.0.sort_unstable_by_key(|(at, flow, number)| (*at, flow.0, *number));
        (seen, simulator.events())
    }

    /// Links 0 to 2 carry data, 3 to 5 ACKs. A packet of 1500 bytes takes 1.5 ms at 8 Mb/s, one of 40 bytes 0.04 ms;
    /// the measured link is link 0.
    #[test]
    fn links_after_a_slower_one_are_unqueued() {
        let of = |there: [u64; 3], back: [u64; 3], handshake, sack| {
            unqueued(&chain(&there, &back, 50, Ties::Departure, handshake, sack))
        };
        assert_eq!(of([8000, 9000, 8500], [8000; 3], false, false), [1, 2, 3, 4, 5]);
        // a slower link has a queue, and the intervals after it are longer
        assert_eq!(of([8000, 7000, 7500], [8000; 3], false, false), [2, 3, 4, 5]);
        // ACKs follow each other after 1.5 ms, as their data does: 40 bytes may take that long, at 214 kb/s
        assert_eq!(of([8000; 3], [214, 213, 214], false, false), [1, 2, 3, 5]);
        // with a handshake, a SYN may follow data after 0.04 ms
        assert_eq!(of([8000; 3], [8000, 7999, 8000], true, false), [3, 5]);
        // ACKs with blocks have 64 bytes, and may follow the ACK before them faster, here after 0.94 ms
        assert_eq!(of([8000; 3], [8000; 3], false, true), [1, 2, 3, 4, 5]);
        assert_eq!(of([8000; 3], [342, 550, 400], false, true), [1, 2, 3, 4]);
        assert_eq!(of([8000; 3], [342, 540, 9000], false, true), [1, 2, 3, 5]);
    }

    /// The plan with a jitter of up to 10 ms on a link.
    fn with_jitter(mut plan: Plan, link: usize, reorders: bool) -> Plan {
        let Topology::Graph { links, .. } = &mut plan.topology else { unreachable!("it is a chain") };
        links[link].link.jitter = Some(JitterSpec { max: Time::from_millis(10), reorders });
        plan
    }

    #[test]
    fn a_link_with_jitter_is_no_delay_and_the_next_one_has_a_queue() {
        for reorders in [false, true] {
            let of = |link| {
                let plan = chain(&[8000; 4], &[8000; 4], 50, Ties::Departure, false, false);
                unqueued(&with_jitter(plan, link, reorders))
            };
            // each link sends packets at the intervals of the next one
            assert_eq!(of(0), [2, 3, 4, 5, 6, 7]);
            assert_eq!(of(1), [3, 4, 5, 6, 7]);
            assert_eq!(of(3), [1, 2, 5, 6, 7]);
        }
    }

    #[test]
    fn a_link_with_space_for_one_packet_has_a_queue() {
        assert_eq!(unqueued(&chain(&[8000; 3], &[8000; 3], 1, Ties::Departure, false, false)), [0; 0]);
    }

    proptest! {
        /// Compares runs in which unqueued links are processed one by one with runs in which they are delays.
        ///
        /// Validates: a link at which no packet waits is a delay.
        /// Source: the same network with all links processed.
        /// Tolerance: exact.
        #[test]
        fn unqueued_links_are_delays(
            there in prop::collection::vec(prop::sample::select(vec![800_u64, 1000, 1500, 8000]), 1..5),
            back in prop::sample::select(vec![20_u64, 30, 300, 1000]),
            limit in 1..40_u64,
            arrival in any::<bool>(),
            handshake in any::<bool>(),
            sack in any::<bool>(),
            jitter in prop::option::of((any::<Index>(), any::<bool>())),
        ) {
            let ties = if arrival { Ties::Arrival } else { Ties::Departure };
            let mut plan = chain(&there, &vec![back; there.len()], limit, ties, handshake, sack);
            if let Some((link, reorders)) = jitter {
                plan = with_jitter(plan, link.index(2 * there.len()), reorders);
            }
            prop_assert_eq!(run(&plan, Observed::Plan), run(&plan, Observed::All));
        }

        /// Compares runs in which the ACKs of receivers with timers are handled with the data with runs in which the first link
        /// of the ACKs is sampled, so that data and timers have events.
        ///
        /// Validates: the ACKs of timers are in order with those of arrivals.
        /// Source: the same network with an event for each packet and each timer.
        /// Tolerance: exact.
        #[test]
        fn timers_of_receivers_need_no_events(
            there in prop::collection::vec(prop::sample::select(vec![800_u64, 1000, 1500, 8000]), 1..5),
            back in prop::sample::select(vec![20_u64, 30, 300, 1000]),
            limit in 3..40_u64,
            sack in any::<bool>(),
            (wait, ack_every) in (1_u64..60, 2_u32..5),
            compression in prop::sample::select(vec![0_u32, 44]),
            adapts in any::<bool>(),
        ) {
            let mut plan = chain(&there, &vec![back; there.len()], limit, Ties::Departure, true, sack);
            let TransportSpec::Tcp { receiver, .. } = &mut plan.groups[0].transport else { unreachable!("it is TCP") };
            *receiver = ReceiverConfig {
                delayed_ack: true,
                delayed_ack_timeout: Time::from_millis(wait),
                delayed_ack_rule: if adapts { DelayRule::Linux } else { DelayRule::Fixed },
                ack_every,
                sack_compression: compression,
                ..*receiver
            };
            let first = there.len() as u32;
            let sampled = RecordSpec::Queue { links: vec![first], every: Time::from_millis(100) };
            let by_events = Plan { records: vec![sampled], ..plan.clone() };
            let (in_step, events) = run(&plan, Observed::Plan);
            let (expected, more) = run(&by_events, Observed::Plan);
            prop_assert!(events < more, "{events} events instead of {more}");
            prop_assert_eq!(in_step, expected);
        }
    }
}
