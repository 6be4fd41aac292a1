//! The receiving ends of the flows, compared with plain sums.

use ackclock_tcp::{Block, Ecn, EcnMode, Segment};
use proptest::prelude::*;

use ackclock_units::Role;

use super::*;
use crate::plan::testing::dumbbell_of_reno;
use crate::sizes::SizeSpec;

const FROM: u64 = 3_000;
const END: u64 = 60_000;
/// The last one is a UDP flow.
const FLOWS: usize = 4;

/// Receiving ends, each with a tally near its limit.
fn sinks(delays: [bool; FLOWS - 1], (ecn, dsack): (EcnMode, bool), near: [(u8, i32); FLOWS]) -> Sinks {
    let TransportSpec::Tcp { sender, receiver } = dumbbell_of_reno(1).groups.remove(0).transport else {
        unreachable!("Reno is TCP")
    };
    let mut sinks = Sinks::new(FLOWS, Time::from_picos(FROM), Time::from_picos(END));
    for (hop, delayed_ack) in (0..).zip(delays) {
        let receiver = ReceiverConfig { delayed_ack, sack_blocks: 3, ecn, dsack, ..receiver };
        sinks.add(&TransportSpec::Tcp { sender: sender.clone(), receiver }, hop, || Stream::new(1, Role::Receiver, 0));
    }
    sinks.add(&TransportSpec::Udp { sizes: SizeSpec::Fixed }, 77, || Stream::new(1, Role::Receiver, 0));
    for ((flow, sink), (tally, near)) in (0..).zip(&mut sinks.flows).zip(near) {
        sinks.totals.insert(flow, Totals { delivered: 1 << 33, ..Totals::default() });
        match tally {
            0 => sink.delivered = i32::MAX - near,
            1 => sink.late = i32::MAX - near,
            2 => sink.late = i32::MIN + near,
            3 => sink.duplicates = u16::MAX - u16::try_from(near).expect("a small number"),
            _ => sink.delay = i64::MAX - i64::from(20 * near),
        }
    }
    sinks
}

/// A packet: its flow, whether a connection begins with it, its number relative to the next one in order, its ECN field
/// and CWR, its transit time and the time since the last packet.
type Step = (usize, bool, u64, (u8, bool), u64, u64);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ahead = prop_oneof![3 => Just(1_u64), 2 => 0_u64..6];
    let mark = (0_u8..4, any::<bool>());
    prop::collection::vec((0..FLOWS, prop::bool::weighted(0.03), ahead, mark, 1_u64..100, 0_u64..900), 1..300)
}

/// An ACK without borrowed blocks: the next segment expected, the blocks and the echo.
type Answer = (u64, Vec<Block>, u8);

/// A result without borrowed blocks.
fn plain(Received { in_order, duplicate, other, ack, hop }: Received<'_>) -> (u64, bool, bool, Option<Answer>, u32) {
    let ack = ack.map(|ack| (ack.next, ack.sack.blocks().to_vec(), ack.echo));
    (in_order, duplicate, other == OtherAck::Early, ack, hop)
}

#[test]
fn a_receiving_end_fills_a_cache_line() {
    assert_eq!((size_of::<Sink>(), align_of::<Sink>()), (64, 64));
}

proptest! {
    /// Validates: a receiver that takes the short path whenever it may answers as one that never takes it, and its
    ///   tallies are those of plain sums, even beyond their ranges: under losses, duplicates, reordering, marks, delayed
    ///   ACKs and new connections, and for packets outside the measured time.
    /// Source: the general path; RFC 3550, section 6.4.1.
    /// Tolerance: exact.
    #[test]
    fn the_short_path_and_narrow_tallies_make_no_difference(
        delays in any::<[bool; FLOWS - 1]>(),
        dsack in any::<bool>(),
        ecn in prop::sample::select(vec![EcnMode::Off, EcnMode::Off, EcnMode::Classic, EcnMode::Dctcp, EcnMode::Accurate]),
        near in prop::array::uniform4((0_u8..5, 1_i32..6)),
        steps in steps(),
    ) {
        let (mut short, mut long) = (sinks(delays, (ecn, dsack), near), sinks(delays, (ecn, dsack), near));
        let mut expected = [0, 1, 2, 3].map(|flow| long.deliveries(flow));
        let (mut now, mut connections) = (0, [0_u16; FLOWS]);
        let (mut jitters, mut transits) = ([0.0; FLOWS], [None; FLOWS]);
        for (flow, begins, ahead, (bits, cwr), transit, gap) in steps {
            now += gap;
            // a connection that begins, and the first one, send a SYN
            let next = long.flows[flow].receiver.rcv_nxt();
            let is_syn = flow + 1 < FLOWS && (begins || next == 0);
            if begins && next > 0 {
                connections[flow] = (connections[flow] + 1) % CONNECTIONS;
            }
            let connection = connections[flow];
            let number = (next + ahead).saturating_sub(1);
            let number = if is_syn { 0 } else { number };
            let segment = Segment { syn: is_syn, ecn: Ecn::from_bits(bits), cwr, ..Segment::new(number, 1_000) };
            let (at, sent) = (Time::from_picos(now + transit), Time::from_picos(now));
            let packet = Packet::data(FlowId(flow as u32), connection, segment, sent);
            let received = plain(long.receive(&packet, at));
            let (in_order, duplicate, ..) = received;
            prop_assert!(!is_syn || in_order == 0);
            let shortly = short.take_in_order(&packet, at).map(|(next, hop)| {
                (1, false, false, Some((next, Vec::new(), 0)), hop)
            });
            prop_assert!(shortly.is_none() || !is_syn && ecn == EcnMode::Off);
            let found = shortly.unwrap_or_else(|| plain(short.receive(&packet, at)));
            prop_assert_eq!(found, received);
            let Sink { state, receiver, .. } = &short.flows[flow];
            prop_assert!(is_syn || (*state == connection) == (flow + 1 < FLOWS && receiver.is_steady()));
            prop_assert_eq!(short.arm(FlowId(flow as u32)), long.arm(FlowId(flow as u32)));
            if !is_syn {
                let change = transits[flow].replace(transit).map_or(jitters[flow], |last| transit.abs_diff(last) as f64);
                jitters[flow] += (change - jitters[flow]) / 16.0;
                if (FROM..END).contains(&(now + transit)) {
                    let expected = &mut expected[flow];
                    expected.delivered += 1;
                    expected.in_order += in_order;
                    expected.duplicates += u64::from(duplicate);
                    expected.delay += u128::from(transit);
                    expected.jitter_sum += jitters[flow];
                }
            }
            for (flow, expected) in expected.iter().enumerate() {
                prop_assert_eq!(&short.deliveries(flow), expected);
                prop_assert_eq!(&long.deliveries(flow), expected);
                let Sink { delivered, delay, .. } = short.flows[flow];
                prop_assert!(delivered >= 0 && delay >= 0);
            }
        }
    }
}

/// Packet 1 of the first connection arrives after packet 0 of the second one, and after the whole second one.
#[test]
fn late_packets_of_earlier_connections_are_duplicates() {
    let mut sinks = sinks([false; FLOWS - 1], (EcnMode::Off, false), [(0, 5); FLOWS]);
    let mut arrive = |number, connection, picos| {
        let packet = Packet::data(FlowId(1), connection, Segment::new(number, 1500), Time::from_picos(picos - 1));
        let Received { in_order, duplicate, other, ack, .. } = sinks.receive(&packet, Time::from_picos(picos));
        assert_eq!(other, OtherAck::None);
        (in_order, duplicate, ack.map(|ack| ack.next))
    };
    assert_eq!(arrive(0, 0, 10), (1, false, Some(1)));
    assert_eq!(arrive(1, 0, 20), (1, false, Some(2)));
    assert_eq!(arrive(1, 1, 30), (0, false, Some(0)));
    assert_eq!(arrive(1, 0, 40), (0, true, None));
    assert_eq!(arrive(0, 1, 50), (2, false, Some(2)));
    assert_eq!(arrive(0, CONNECTIONS - 1, 60), (0, true, None));
    assert_eq!(arrive(0, 2, 70), (1, false, Some(1)));
    assert_eq!(arrive(9, 0, 80), (0, true, None));
    assert_eq!(arrive(1, 2, 90), (1, false, Some(2)));
}
