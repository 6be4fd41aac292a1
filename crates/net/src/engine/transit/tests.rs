//! Marked packets on the way from the queue that marked them, and the ACKs that report them.

use std::sync::Arc;

use ackclock_tcp::{Ecn, EcnMode, ReceiverConfig, Segment, SenderConfig};
use ackclock_units::Rate;

use super::*;
use crate::network::{Network, Observed};
use crate::plan::testing::dumbbell_of_reno;
use crate::plan::{EdgeSpec, GroupSpec, LinkSpec, Plan, RecordSpec, Topology, TransportSpec};
use crate::queue::{DropFrom, DropTailSpec, Limit, QueueSpec, Ties};

const SIZE: u32 = 1000;
/// A round after all events.
const LAST: u64 = 1 << 20;

/// The way of the data: links 0 and 1. The ACKs take links 2 and 3. Each link marks the second packet that waits.
fn chain() -> Plan {
    let base = dumbbell_of_reno(1);
    let queue = DropTailSpec {
        limit: Limit::Packets(3),
        count_in_service: true,
        ties: Ties::Departure,
        mark_above: 1,
        drop: DropFrom::Tail,
    };
    let link = |mbps| LinkSpec::plain(Rate::from_mbps(mbps).into(), Time::from_millis(5), QueueSpec::DropTail(queue));
    let edge = |from, to, mbps| EdgeSpec { from, to, link: link(mbps) };
    let links = vec![edge(0, 1, 1), edge(1, 2, 2), edge(2, 1, 1), edge(1, 0, 1)];
    let transport = TransportSpec::Tcp {
        sender: Arc::new(SenderConfig { handshake: false, packet_size: SIZE, ..SenderConfig::default() }),
        receiver: ReceiverConfig { handshake: false, delayed_ack: false, ..ReceiverConfig::default() },
    };
    let group = GroupSpec { path: Some((0, 2)), transport, packet_size: SIZE, ..base.groups[0].clone() };
    Plan { topology: Topology::Graph { nodes: 3, links }, groups: vec![group], ..base }
}

/// For each link and for the receiver the ECN fields of the data, in order, and the number of marks and of drops.
#[derive(Debug, Default)]
struct Seen {
    at: [Vec<Ecn>; 3],
    marks: usize,
    drops: usize,
}

impl Observer for Seen {
    fn observe(&mut self, _: Time, seen: &Observation<'_>) {
        match seen {
            Observation::Offered { link: LinkId(link @ 0..2), packet, offered } => {
                self.at[*link as usize].push(packet.ecn());
                match offered {
                    Offered::Accepted { marked, .. } => self.marks += usize::from(*marked),
                    Offered::Dropped(_) => self.drops += 1,
                    Offered::Queued => unreachable!("drop-tail stores nothing"),
                }
            }
            Observation::Delivered { packet, .. } => self.at[2].push(packet.ecn()),
            _ => {}
        }
    }
}

/// Sends four packets at once over the plan's network, and handles all their events except arrivals of ACKs.
fn send(plan: &Plan, ecn: Ecn) -> (Seen, usize) {
    let Network { flows, mut transit, .. } =
        Network::new(plan, Names::default(), 1, Observed::All).expect("the plan is sound");
    let (mut seen, mut events, hop) = (Seen::default(), 0, flows[0].data_hop());
    let begin_next =
        |Transit { agenda, hops, names, .. }: &mut Transit| agenda.begin_next(LAST, Targets { hops, names }) < LAST;
    let Transit { agenda, hops, names, .. } = &mut transit;
    agenda.begin(0, Targets { hops, names });
    for number in 0..4 {
        let packet = Packet::data(FlowId(0), 0, Segment { ecn, ..Segment::new(number, SIZE) }, Time::ZERO);
        transit.forward_apart(&packet, hop, Time::ZERO, &mut seen);
    }
    while begin_next(&mut transit) {
        for component in 0..transit.agenda.components() {
            transit.agenda.switch(component);
            while let Some(place) = transit.take_before(Time::MAX) {
                let event = *transit.agenda.event(place);
                let packet = event.packet(&transit.sacks);
                if event.stop().is_link() {
                    transit.forward_apart(&packet, event.stop().0, event.at, &mut seen);
                } else if !event.stop().is_sender() {
                    transit.deliver_apart(packet, event.at, &mut seen);
                }
                events += 1;
            }
            transit.agenda.switch(component);
        }
    }
    (seen, events)
}

/// Of four packets that arrive at once at a link with space for three, the first is transmitted, the third makes two
/// wait, and the fourth is dropped. Link 1 is faster, so that no packet waits there. The third packet is marked from
/// then on, whether it reaches link 1 and the receiver by events or not.
#[test]
fn a_mark_stays_on_the_packet() {
    use Ecn::{Ce, Ect0, Ect1, NotEct};
    let in_step = chain();
    let sampled = RecordSpec::Queue { links: vec![1, 2], every: Time::SECOND };
    let by_events = Plan { records: vec![sampled], ..chain() };
    for (plan, events) in [(in_step, 3), (by_events, 9)] {
        for (ecn, third) in [(Ect0, Ce), (Ect1, Ce), (Ce, Ce), (NotEct, NotEct)] {
            let (seen, found) = send(&plan, ecn);
            assert_eq!(seen.at, [vec![ecn; 4], vec![ecn, ecn, third], vec![ecn, ecn, third]]);
            assert_eq!((seen.marks, seen.drops), (usize::from(ecn != NotEct), 1));
            assert_eq!(found, events);
        }
    }
}

/// The ACKs offered to the first link of their route: the next segment expected, and the echo.
#[derive(Default)]
struct Acks(Vec<(u64, u8)>);

impl Observer for Acks {
    fn observe(&mut self, _: Time, seen: &Observation<'_>) {
        if let Observation::Offered { link: LinkId(1), packet, .. } = seen {
            self.0.push((packet.number(), packet.echo()));
        }
    }
}

/// Validates: where the mark changes, two ACKs leave in order: one for the packets that wait, and one for the new one.
/// Source: RFC 8257, section 3.2.
/// Tolerance: exact.
#[test]
fn a_change_of_marks_sends_two_acks() {
    let mut plan = dumbbell_of_reno(1);
    let TransportSpec::Tcp { receiver, .. } = &mut plan.groups[0].transport else { unreachable!("Reno is TCP") };
    (receiver.ecn, receiver.delayed_ack) = (EcnMode::Dctcp, true);
    let Network { mut transit, .. } = Network::new(&plan, Names::default(), 1, Observed::All).expect("sound");
    transit.agenda.begin(0, Targets { hops: &transit.hops, names: &transit.names });
    transit.agenda.switch(ENDPOINTS);
    let mut acks = Acks::default();
    let mut arrive = |segment: Segment| {
        let now = Time::from_millis(1 + segment.number);
        transit.deliver_apart(Packet::data(FlowId(0), 0, segment, Time::ZERO), now, &mut acks);
    };
    arrive(Segment { syn: true, ..Segment::new(0, 40) });
    for (number, ecn) in (1..).zip([Ecn::Ect0, Ecn::Ce, Ecn::Ce, Ecn::Ect0]) {
        arrive(Segment { ecn, ..Segment::new(number, 1500) });
    }
    assert_eq!(acks.0, [(1, 0), (2, 0), (3, 1), (4, 1), (5, 0)]);
}
