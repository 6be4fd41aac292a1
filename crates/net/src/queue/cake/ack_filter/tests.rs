//! The ACK filter, ACK by ACK.

use ackclock_tcp::{Ack, Sack};
use ackclock_units::{Rate, Time};
use proptest::prelude::*;

use super::*;
use crate::packet::{FlowId, Payload};
use crate::queue::cake;
use crate::queue::stored::{PacketQueue, Queued};
use crate::queue::{CakeSpec, Context, Limit};

/// An ACK: the next segment, the flags AE, CWR and ECE, and SACK blocks.
type Given<'a> = (u64, u8, &'a [(u64, u64)]);

fn ack(sacks: &mut SackStore, (next, echo, blocks): Given<'_>, connection: u16) -> Packet {
    let blocks: Vec<Block> = blocks.iter().map(|(start, end)| Block { start: *start, end: *end }).collect();
    let ack = Ack { next, sack: &Sack::of(&blocks), echo, original: false };
    sacks.packet(FlowId(0), connection, ack, Time::ZERO, &mut ())
}

/// The numbers of the ACKs that are left in a queue that none leaves, by their place in the list of all.
fn left(filter: AckFilter, acks: &[Given<'_>]) -> Vec<usize> {
    let mut sacks = SackStore::default();
    let mut waiting: Vec<(usize, Packet)> = Vec::new();
    for (number, given) in acks.iter().enumerate() {
        waiting.push((number, ack(&mut sacks, *given, 0)));
        if let Some(place) = redundant(filter, waiting.iter().map(|(_, ack)| ack), &sacks) {
            waiting.remove(place);
        }
    }
    waiting.into_iter().map(|(number, _)| number).collect()
}

/// A sequence, and the ACKs that the conservative and the aggressive filter leave.
type Case<'a> = (&'a str, &'a [Given<'a>], &'a [usize], &'a [usize]);

const ECE: u8 = 0b001;
const NONE: &[(u64, u64)] = &[];

/// Sequences of ACKs that arrive while none is sent.
///
/// Validates: which ACKs are left with the conservative and with the aggressive filter.
/// Source: Linux, `cake_ack_filter` and `cake_tcph_sack_compare`, by hand; the commit message of the filter: the conservative
///   one keeps two ACKs, the aggressive one, and duplicate ACKs are kept.
/// Tolerance: exact.
#[test]
fn redundant_acks_are_removed_in_sequences_worked_out_by_hand() {
    let plain = |next| (next, 0, NONE);
    let cases: [Case<'_>; 11] = [
        ("new data with each ACK", &[plain(2), plain(3), plain(4), plain(5), plain(6)], &[3, 4], &[4]),
        ("two ACKs", &[plain(2), plain(3)], &[0, 1], &[1]),
        ("duplicate ACKs", &[plain(5), plain(5), plain(5), plain(5)], &[0, 1, 2, 3], &[0, 1, 2, 3]),
        // the ACK after them removes the first one only
        ("the end of duplicate ACKs", &[plain(5), plain(5), plain(5), plain(7)], &[1, 2, 3], &[1, 2, 3]),
        ("more blocks each time", &[(5, 0, &[(7, 8)]), (5, 0, &[(7, 9)]), (5, 0, &[(7, 10)])], &[1, 2], &[2]),
        ("the same blocks", &[(5, 0, &[(7, 8)]), (5, 0, &[(7, 8)]), (5, 0, &[(7, 8)])], &[0, 1, 2], &[0, 1, 2]),
        ("another hole", &[(5, 0, &[(7, 8)]), (5, 0, &[(9, 10), (7, 8)]), (5, 0, &[(9, 11), (7, 8)])], &[1, 2], &[2]),
        // the ACK after the recovery has no blocks, and removes none that has
        ("the end of a recovery", &[(5, 0, &[(7, 8)]), (5, 0, &[(7, 9)]), plain(10)], &[0, 1, 2], &[1, 2]),
        ("a D-SACK", &[(5, 0, &[(3, 4)]), (6, 0, &[(8, 9)]), (6, 0, &[(8, 10)])], &[0, 1, 2], &[0, 2]),
        // the last ACKs before the echo begins and ends are kept
        ("ECE", &[plain(2), (3, ECE, NONE), (4, ECE, NONE), (5, ECE, NONE), plain(6)], &[0, 3, 4], &[0, 3, 4]),
        ("a counter with AE", &[(2, 0b100, NONE), (3, 0b101, NONE), (4, 0b101, NONE)], &[0, 1, 2], &[0, 1, 2]),
    ];
    for (name, acks, conservative, aggressive) in cases {
        assert_eq!(left(AckFilter::Conservative, acks), conservative, "{name}, conservative");
        assert_eq!(left(AckFilter::Aggressive, acks), aggressive, "{name}, aggressive");
    }
}

/// Validates: ACKs of other connections, and data, neither count nor are removed; the aggressive filter removes only the
///   last packet before the new ACK.
/// Source: Linux, `cake_ack_filter`, by hand.
/// Tolerance: exact.
#[test]
fn other_packets_in_the_queue_are_kept() {
    let mut sacks = SackStore::default();
    let mut of = |next, connection| ack(&mut sacks, (next, 0, NONE), connection);
    let data =
        Packet::new(FlowId(0), 1500, Payload::Data { number: 1, retransmission: false, connection: 0 }, Time::ZERO);
    let (waiting, apart) = ([of(2, 0), of(2, 1), data, of(3, 0), of(4, 0)], [of(2, 0), data, of(3, 0)]);
    let sacks = SackStore::default();
    let removed = |filter, waiting: &[Packet]| redundant(filter, waiting.iter(), &sacks);
    assert_eq!(removed(AckFilter::Conservative, &waiting), Some(0));
    assert_eq!(removed(AckFilter::Conservative, &waiting[1..]), None);
    assert_eq!(removed(AckFilter::Aggressive, &waiting[1..]), Some(2));
    assert_eq!(removed(AckFilter::Aggressive, &apart), None);
}

/// Validates: the queue counts what the filter removes as dropped, and no longer as waiting.
/// Source: Linux, `cake_enqueue`.
/// Tolerance: exact.
#[test]
fn removed_acks_are_dropped() {
    let spec = CakeSpec { limit: Limit::Packets(100), ack_filter: AckFilter::Conservative, ..CakeSpec::USUAL };
    let mut queue = cake::build(&spec, &Context::testing(Rate::from_mbps(1)));
    let (mut sacks, mut dropped) = (SackStore::default(), Vec::new());
    assert!(queue.filters_acks());
    for next in 2..=10 {
        let queued = Queued { packet: ack(&mut sacks, (next, 0, NONE), 0), since: Time::ZERO, hop: 0, marked: false };
        queue.enqueue_ack(queued, 0, &sacks, &mut dropped).expect("it is stored");
    }
    assert_eq!((queue.waiting(), dropped.len()), ((2, 80), 7));
    let mut gauges = Vec::new();
    queue.gauges(&mut |name, value| gauges.push((name, value)));
    assert!(gauges.contains(&("ack_drops", 7.0)));
}

proptest! {
    /// Random ACKs, in the order of their numbers or not.
    ///
    /// Validates: the last ACK is never removed; for each ACK that is removed, one that acknowledges and selectively
    ///   acknowledges as much is left behind it; ACKs without blocks and with the highest number are all kept.
    /// Source: the purpose of the filter: it removes no information.
    /// Tolerance: exact.
    #[test]
    fn no_information_is_lost(
        given in prop::collection::vec((0_u64..3, 0_u8..8, prop::option::of((1_u64..4, 1_u64..4))), 1..40),
        aggressive in any::<bool>(),
        overtakes in any::<bool>(),
    ) {
        let filter = if aggressive { AckFilter::Aggressive } else { AckFilter::Conservative };
        let mut next = 100;
        let acks = given.into_iter().map(|(more, echo, block)| {
            next = if overtakes && more == 2 { next - 1 } else { next + more };
            (next, echo, block.map(|(from, len)| (next + from, next + from + len)).into_iter().collect::<Vec<_>>())
        }).collect::<Vec<_>>();
        let list: Vec<Given<'_>> = acks.iter().map(|(next, echo, blocks)| (*next, *echo, &blocks[..])).collect();
        let left = left(filter, &list);
        prop_assert_eq!(left.last(), Some(&(list.len() - 1)));
        let most = list.iter().map(|(next, ..)| *next).max();
        for number in (0..list.len()).filter(|number| !left.contains(number)) {
            let (next, echo, blocks) = list[number];
            let says_more = |later: &&usize| {
                let (more, _, wider) = list[**later];
                let lies_within = |(start, end): &(u64, u64)| wider.iter().any(|(from, to)| from <= start && end <= to);
                **later > number && more >= next && blocks.iter().all(lies_within)
            };
            prop_assert!(left.iter().any(|later| says_more(&later)));
            prop_assert!(Some(next) < most || !left.iter().all(|later| list[*later].2.is_empty()));
            prop_assert_eq!(echo & AE, 0);
        }
    }
}
