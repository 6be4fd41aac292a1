//! Reports of duplicates, in cases worked by hand.

use super::*;

/// The receiver's ACK for each segment: the next segment expected, and the SACK blocks.
fn reports(config: ReceiverConfig, segments: &[u64]) -> Vec<(u64, Vec<(u64, u64)>)> {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(config);
    let mut answer = |number: &u64| {
        let ack = receiver.handle_segment(*number, Mark::NONE, Time::ZERO, &mut pool).ack.expect("it is sent at once");
        (ack.next, ack.sack.blocks().iter().map(|block| (block.start, block.end)).collect())
    };
    segments.iter().map(&mut answer).collect()
}

const DSACK: ReceiverConfig = ReceiverConfig { dsack: true, sack_blocks: 3, ..AT_ONCE };

#[test]
fn a_duplicate_below_the_ack_is_the_first_block() {
    // RFC 2883, sections 4 (1), 4.1.1 and 4.1.2
    let expected = [(1, vec![]), (2, vec![]), (3, vec![]), (3, vec![(1, 2)]), (4, vec![]), (4, vec![(3, 4)])];
    assert_eq!(reports(DSACK, &[0, 1, 2, 1, 3, 3]), expected, "reported in one ACK only");
    let expected = [(1, vec![]), (2, vec![]), (2, vec![(3, 4)]), (2, vec![(1, 2), (3, 4)]), (2, vec![(5, 6), (3, 4)])];
    assert_eq!(reports(DSACK, &[0, 1, 3, 1, 5]), expected);
}

#[test]
fn a_duplicate_above_the_ack_is_followed_by_its_run() {
    // RFC 2883, sections 4 (4) and 4.2.1
    let segments = [0, 2, 3, 4, 6, 3, 7];
    let last = [(1, vec![(6, 7), (2, 5)]), (1, vec![(3, 4), (2, 5), (6, 7)]), (1, vec![(6, 8), (2, 5)])];
    assert_eq!(reports(DSACK, &segments)[4..], last);
    let expected = (1, vec![(2, 3), (2, 3)]);
    assert_eq!(reports(DSACK, &[0, 2, 2])[2], expected, "even if the run is the duplicate itself");
}

#[test]
fn a_duplicate_takes_the_space_of_a_block() {
    // RFC 2883, section 4 (5): other blocks follow while there is space
    let segments = [0, 2, 4, 6, 6, 8];
    let last = [(1, vec![(6, 7), (6, 7), (4, 5)]), (1, vec![(8, 9), (6, 7), (4, 5)])];
    assert_eq!(reports(DSACK, &segments)[4..], last, "the run from 2 no longer fits");
    let one = ReceiverConfig { sack_blocks: 1, ..DSACK };
    assert_eq!(reports(one, &[0, 2, 2, 3])[2..], [(1, vec![(2, 3)]), (1, vec![(2, 4)])]);
}

#[test]
fn nothing_is_reported_without_sack_or_for_a_syn() {
    let without = ReceiverConfig { sack_blocks: 0, ..DSACK };
    assert_eq!(reports(without, &[0, 1, 1]), [(1, vec![]), (2, vec![]), (2, vec![])]);
    assert_eq!(reports(DSACK, &[0, 0]), [(1, vec![]), (1, vec![])]);
    let no_syn = ReceiverConfig { handshake: false, ..DSACK };
    assert_eq!(reports(no_syn, &[0, 0]), [(1, vec![]), (1, vec![(0, 1)])]);
}

#[test]
fn the_ack_of_a_duplicate_does_not_wait() {
    // RFC 9293, section 3.10.7.4; RFC 2883 reports the duplicate in the ACK that it causes
    let config = ReceiverConfig { delayed_ack: true, delay_duplicates: true, ..DSACK };
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(config);
    let mut hear = |number| receiver.handle_segment(number, Mark::NONE, Time::ZERO, &mut pool).ack.map(answer);
    assert_eq!((hear(0), hear(1)), (Some((1, vec![], 0, false)), None));
    assert_eq!(hear(1), Some((2, vec![Block { start: 1, end: 2 }], 0, false)));
}

#[test]
fn a_receiver_is_steady_again_after_the_ack_that_follows_a_report() {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(DSACK);
    for (number, is_steady) in [(0, true), (1, true), (1, false), (2, true), (3, true)] {
        receiver.handle_segment(number, Mark::NONE, Time::ZERO, &mut pool);
        assert_eq!(receiver.is_steady(), is_steady);
    }
    assert_eq!(pool.counts(), (1, 1));
}
