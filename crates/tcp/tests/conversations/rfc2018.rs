//! RFC 2018: SACK blocks that the receiver reports, and their use by the sender.

use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Mark, Receiver, ReceiverConfig, ReceiverPool};
use ackclock_units::Time;

use crate::ten_in_flight;

type Answer = Option<(u64, Vec<(u64, u64)>)>;

fn receiver(sack_blocks: u32, delayed_ack: bool) -> (Receiver, ReceiverPool) {
    let mut pool = ReceiverPool::default();
    let config = ReceiverConfig { sack_blocks, delayed_ack, handshake: false, ..ReceiverConfig::default() };
    (pool.add(config), pool)
}

/// The receiver's answer to a segment: the ACK and its blocks.
fn hear((receiver, pool): &mut (Receiver, ReceiverPool), number: u64) -> Answer {
    let ack = receiver.handle_segment(number, Mark::NONE, Time::ZERO, pool).ack?;
    Some((ack.next, ack.sack.blocks().iter().map(|block| (block.start, block.end)).collect()))
}

#[test]
fn the_first_block_holds_the_segment_that_made_the_ack() {
    // section 4 (1)
    let mut receiver = receiver(4, false);
    assert_eq!(hear(&mut receiver, 0), Some((1, vec![])));
    assert_eq!(hear(&mut receiver, 5), Some((1, vec![(5, 6)])));
    assert_eq!(hear(&mut receiver, 3), Some((1, vec![(3, 4), (5, 6)])));
    assert_eq!(hear(&mut receiver, 6), Some((1, vec![(5, 7), (3, 4)])));
}

#[test]
fn as_many_earlier_blocks_as_fit_are_repeated() {
    // section 4 (2) and (3); section 3: four blocks without other options
    let mut receiver = receiver(4, false);
    (0..5).for_each(|at| drop(hear(&mut receiver, 1 + 2 * at)));
    assert_eq!(hear(&mut receiver, 11), Some((0, vec![(11, 12), (9, 10), (7, 8), (5, 6)])));
}

#[test]
fn a_block_that_another_contains_is_not_repeated() {
    // section 4 (3): a block contained in an already included block is omitted
    let mut receiver = receiver(4, false);
    hear(&mut receiver, 2);
    hear(&mut receiver, 4);
    assert_eq!(hear(&mut receiver, 3), Some((0, vec![(2, 5)])));
}

#[test]
fn an_ack_that_fills_a_gap_leaves_at_once_and_tells_what_still_lies_beyond() {
    // RFC 5681, section 4.2; RFC 2018, section 4
    let mut receiver = receiver(3, true);
    assert_eq!(hear(&mut receiver, 0), None, "the ACK of a single segment may be delayed");
    assert_eq!(hear(&mut receiver, 2), Some((1, vec![(2, 3)])), "the ACK that reports a gap may not");
    assert_eq!(hear(&mut receiver, 4), Some((1, vec![(4, 5), (2, 3)])));
    assert_eq!(hear(&mut receiver, 1), Some((3, vec![(4, 5)])));
    assert_eq!(hear(&mut receiver, 3), Some((5, vec![])));
    assert_eq!(hear(&mut receiver, 5), None);
}

#[test]
fn a_receiver_without_the_option_tells_nothing() {
    // section 2: SACK is used only if it was permitted
    let mut receiver = receiver(0, false);
    assert_eq!(hear(&mut receiver, 3), Some((0, vec![])));
}

#[test]
fn an_ack_grows_with_its_blocks() {
    // section 3: eight bytes per block
    let (mut receiver, mut pool) = receiver(4, false);
    assert_eq!(receiver.handle_segment(2, Mark::NONE, Time::ZERO, &mut pool).ack.unwrap().size(), 48);
    assert_eq!(receiver.handle_segment(4, Mark::NONE, Time::ZERO, &mut pool).ack.unwrap().size(), 56);
}

#[test]
fn the_sender_does_not_retransmit_reported_segments() {
    // section 5: a segment with its SACKed bit set is skipped
    let mut talk = ten_in_flight(RecoverySpec::Sack);
    let blocks = [(1, 2), (1, 3), (1, 4), (5, 6), (5, 8), (5, 10), (5, 11)];
    let sent: Vec<_> = blocks.iter().flat_map(|block| talk.sack(1, 0, &[*block])).collect();
    assert!(sent.contains(&0) && sent.contains(&4), "{sent:?}");
    assert!(sent.iter().all(|number| [0, 4].contains(number) || *number >= 10), "{sent:?}");
}

#[test]
fn a_timeout_discards_reported_blocks() {
    // section 8: the receiver may have reneged, so everything is retransmitted
    let mut talk = ten_in_flight(RecoverySpec::Sack);
    talk.sack(1, 0, &[(1, 10)]);
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.ack(100, 1), [1, 2], "segments that the receiver had reported, and dropped");
}
