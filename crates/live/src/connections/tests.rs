use std::sync::Arc;

use ackclock_net::Plan;
use ackclock_net::plan::testing::dumbbell_of_reno;
use ackclock_net::plan::{EdgeSpec, GroupSpec, SourceSpec, Topology, TransportSpec};
use ackclock_net::queue::{FqCodelSpec, Limit, QueueSpec};
use ackclock_net::sizes::SizeSpec;
use ackclock_units::Rate;
use proptest::prelude::*;

use super::*;

const MOST: u16 = 4;

fn address(host: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 9, 0, host + 1)
}

/// A star of hosts around one switch, whose links have 12 Mb/s, 5 ms and a queue; `connections` for each pair of hosts.
fn plan(hosts: u32, connections: u16, queue: Option<&QueueSpec>) -> Plan {
    let dumbbell = dumbbell_of_reno(1);
    let Topology::Dumbbell { bottleneck, .. } = &dumbbell.topology else { unreachable!("it is a dumbbell") };
    let mut link = bottleneck.clone();
    link.rate = Rate::from_mbps(12).into();
    link.delay = Time::from_millis(5);
    link.queue = queue.cloned().unwrap_or(link.queue);
    let edge = |from, to| EdgeSpec { from, to, link: link.clone() };
    let group = |from, to| GroupSpec {
        path: Some((from, to)),
        count: 1,
        transport: TransportSpec::Udp { sizes: SizeSpec::Fixed },
        source: SourceSpec::Constant { rate: 1.0 },
        ..dumbbell.groups[0].clone()
    };
    let pairs = (0..hosts).flat_map(|low| (low + 1..hosts).map(move |high| (low, high)));
    let both: Vec<_> = pairs.flat_map(|(low, high)| [group(low, high), group(high, low)]).collect();
    Plan {
        duration: Time::SECOND,
        topology: Topology::Graph {
            nodes: hosts + 1,
            links: (0..hosts).flat_map(|host| [edge(host, hosts), edge(hosts, host)]).collect(),
        },
        groups: (0..connections).flat_map(|_| both.clone()).collect(),
        ..dumbbell
    }
}

/// FQ-CoDel with so few queues that flows share them, and a limit that is reached.
fn fq_codel() -> QueueSpec {
    QueueSpec::FqCodel(FqCodelSpec {
        limit: Limit::Packets(60),
        count_in_service: false,
        target: Time::from_millis(5),
        interval: Time::from_millis(100),
        mtu: 1500,
        ecn: true,
        ce_threshold: Some(Time::from_millis(10)),
        queues: 3,
        quantum: 1500,
        memory: 1 << 25,
    })
}

fn connections(hosts: u8, queue: Option<&QueueSpec>) -> Connections {
    let relay = MeasuredRelay::new(Arc::new(plan(hosts.into(), MOST, queue)), 1).expect("sound");
    Connections::new(relay, (0..hosts).map(address).collect(), MOST)
}

/// A packet of 1000 bytes.
fn packet(protocol: u8, from: (u8, u16), to: (u8, u16)) -> Vec<u8> {
    let mut packet = vec![0; 1000];
    (packet[0], packet[1], packet[9]) = (0x45, 0b10, protocol);
    packet[12..16].copy_from_slice(&address(from.0).octets());
    packet[16..20].copy_from_slice(&address(to.0).octets());
    packet[20..22].copy_from_slice(&from.1.to_be_bytes());
    packet[22..24].copy_from_slice(&to.1.to_be_bytes());
    packet
}

/// Validates: both directions of a 5-tuple are one connection with a flow each; connections are numbered as they are seen,
///     for each pair of hosts; ICMP has no ports.
/// Source: hand: with the pairs (0, 1), (0, 2), (1, 2), flow = 2 (3 connection + pair) + direction.
/// Tolerance: exact.
#[test]
fn connections_are_numbered_as_they_are_seen() {
    let mut links = connections(3, None);
    for (protocol, from, to, flow) in [
        (TCP, (0, 5000), (1, 80), 0),
        (TCP, (1, 80), (0, 5000), 1),
        (TCP, (1, 81), (0, 5000), 6 + 1),
        (UDP, (0, 5000), (1, 80), 12),
        (TCP, (2, 80), (0, 5000), 2 + 1),
        (1, (1, 7), (2, 9), 4),
        (1, (2, 8), (1, 3), 4 + 1),
        (TCP, (0, 5000), (1, 80), 0),
    ] {
        let found = links.classify(&packet(protocol, from, to), from.0.into());
        assert_eq!(found, Some((flow, to.0.into())), "{protocol} {from:?} {to:?}");
    }
    assert_eq!((links.shared, links.dropped), (0, Dropped::default()));
}

#[test]
fn connections_beyond_the_bound_share_the_last_one() {
    let mut links = connections(2, None);
    let flows: Vec<_> = (0..7).filter_map(|port| links.classify(&packet(TCP, (0, port), (1, 80)), 0)).collect();
    assert_eq!(flows, [0, 2, 4, 6, 6, 6, 6].map(|flow| (flow, 1)));
    assert_eq!((links.shared, links.known.len()), (3, 4));
}

#[test]
fn fragments_of_two_hosts_are_one_connection() {
    let mut links = connections(2, None);
    let (mut first, mut second) = (packet(UDP, (0, 4000), (1, 53)), packet(UDP, (0, 9999), (1, 9999)));
    first[6] = 0x20;
    second[7] = 125;
    assert_eq!(links.classify(&first, 0), links.classify(&second, 0));
    let mut whole = packet(UDP, (0, 4000), (1, 53));
    whole[6] = 0x40; // do not fragment
    assert_eq!(links.classify(&whole, 0), Some((2, 1)));
}

#[test]
fn other_packets_are_counted_and_not_carried() {
    let mut links = connections(2, None);
    let sound = packet(TCP, (0, 5000), (1, 80));
    let mut version_6 = sound.clone();
    version_6[0] = 0x65;
    for bad in [&version_6[..], &sound[..10], &sound[..22], &[]] {
        assert_eq!(links.enter(bad, 0, 0, Time::ZERO), None);
    }
    let to = |last| [&sound[..16], &[10, 9, 0, last], &sound[20..]].concat();
    for bad in [to(1), to(3), to(255)] {
        assert_eq!(links.enter(&bad, 0, 0, Time::ZERO), None, "to itself, to nobody");
    }
    assert_eq!(links.enter(&sound, 1, 0, Time::ZERO), None, "from another host's address");
    assert_eq!(links.dropped, Dropped { not_ipv4: 4, no_host: 4 });
    assert_eq!(links.enter(&sound, 0, 0, Time::ZERO), Some(1));
    assert_eq!(links.flows().collect::<Vec<_>>(), [(0, links.pairs[0][0], 1)]);
}

proptest! {
    /// Validates: what is measured afterwards is what happened: the packets enter a relay with fewer flows, and have the same
    ///     fates at the same times.
    /// Source: the head of `connections.rs`.
    /// Tolerance: exact.
    #[test]
    fn a_replay_gives_the_same_fates(
        mut packets in prop::collection::vec((0_u64..400_000, 0_u8..2, 0_u16..6), 1..300),
        is_fair in any::<bool>(),
    ) {
        packets.sort_unstable();
        let queue = is_fair.then(fq_codel);
        let mut links = connections(2, queue.as_ref());
        let mut fates = Vec::new();
        for (serial, (at, from, port)) in packets.iter().enumerate() {
            let now = Time::from_micros(*at);
            links.advance(now, |fate| fates.push(fate));
            links.enter(&packet(TCP, (*from, *port), (1 - from, *port)), (*from).into(), serial as u32, now);
        }
        links.advance(Time::SECOND, |fate| fates.push(fate));
        let used = links.pairs[0].len() as u16;
        let mut relay = MeasuredRelay::new(Arc::new(plan(2, used, queue.as_ref())), 1).expect("sound");
        let (mut again, mut numbers) = (Vec::new(), [0; 2 * MOST as usize]);
        for (serial, noted) in links.noted().iter().enumerate() {
            let number = &mut numbers[usize::from(noted.flow)];
            prop_assert!(offer(&mut relay, *noted, *number, serial as u32));
            *number += 1;
        }
        relay.advance(Time::SECOND, |fate| again.push(fate));
        prop_assert_eq!(fates, again);
        let mut measured = MeasuredRelay::new(Arc::new(plan(2, used, queue.as_ref())), 1).expect("sound");
        replay(&mut measured, links.noted().iter().copied());
        let there = packets.iter().filter(|(_, from, _)| *from == 0).count();
        prop_assert_eq!(measured.finish().summary.arrivals, there as u64);
    }
}
