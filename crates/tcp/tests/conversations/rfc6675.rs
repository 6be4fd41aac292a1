//! RFC 6675: recovery by selective acknowledgments.

use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{DecreaseFrom, SackRule, SenderConfig};

use crate::{Talk, open, ten_in_flight};

fn ten() -> Talk {
    ten_in_flight(RecoverySpec::Sack)
}

#[test]
fn three_duplicate_acks_with_news_begin_recovery() {
    // section 5, (1) to (4)
    let mut talk = ten();
    assert_eq!(talk.sack(100, 0, &[(1, 2)]), [10], "(3): new data, as pipe allows");
    assert_eq!(talk.sack(1, 0, &[(1, 3)]), [11]);
    assert_eq!(talk.sack(1, 0, &[(1, 4)]), [0], "(4.3)");
    assert_eq!((talk.cwnd(), talk.ssthresh()), (5.0, 5.0), "(4.2): half of the flight, without the two new segments");
    assert_eq!(talk.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_duplicate_ack_without_news_does_not_count() {
    // section 2, "duplicate acknowledgment": it must carry a block with something new
    let mut talk = ten();
    let sent: Vec<_> = (0..10).flat_map(|_| talk.sack(1, 0, &[(1, 2)])).collect();
    assert_eq!(sent, [10]);
    assert_eq!((0..10).flat_map(|_| talk.ack(1, 0)).collect::<Vec<_>>(), []);
    assert_eq!(talk.sender.counters().fast_retransmits, 0);
}

#[test]
fn one_ack_that_reports_three_segments_is_enough() {
    // section 5, (2): IsLost (HighACK + 1)
    let mut talk = ten();
    assert_eq!(talk.sack(100, 0, &[(1, 4)]), [0]);
}

#[test]
fn new_data_leaves_only_while_fewer_are_in_the_network_than_the_window_allows() {
    // section 5, (C), and SetPipe: of 12 segments, 3 arrived and one was lost and retransmitted, so pipe is 8 + 1
    let mut talk = ten();
    for end in [2, 3, 4] {
        talk.sack(1, 0, &[(1, end)]);
    }
    // each further reported segment reduces pipe by one: 8, 7, 6, 5; at 4 one segment may be sent
    let sent: Vec<_> = (5..=10).map(|end| talk.sack(1, 0, &[(1, end)])).collect();
    assert_eq!(sent, [vec![], vec![], vec![], vec![], vec![12], vec![13]]);
}

#[test]
fn holes_go_before_new_data_once_three_arrived_above_them() {
    // section 4, NextSeg (1) and IsLost
    let mut talk = ten();
    talk.sack(1, 0, &[(1, 3)]);
    assert_eq!(talk.sack(1, 0, &[(1, 3), (4, 5)]), [0]);
    // one segment above segment 3 has arrived, so segment 3 does not count as lost; once 4 to 6 have arrived, it does
    let sent: Vec<_> = (6..=9).flat_map(|end| talk.sack(1, 0, &[(4, end)])).collect();
    assert_eq!(sent.first(), Some(&3), "{sent:?}");
    assert_eq!(sent.iter().filter(|number| **number == 3).count(), 1, "once");
}

#[test]
fn all_holes_of_a_window_are_repaired_in_one_round_trip() {
    // section 5: NewReno needs one round trip per hole
    let mut talk = ten();
    let sent = talk.sack(100, 0, &[(9, 10), (5, 8), (1, 4)]);
    assert_eq!(sent, [0, 4, 10, 11], "one segment above 8 arrived, so new data goes first (NextSeg (2))");
    assert_eq!(talk.sack(10, 0, &[(9, 12), (5, 8), (1, 4)]), [8, 12, 13], "now segment 8 counts as lost");
}

#[test]
fn a_hole_that_may_not_be_lost_waits_for_new_data() {
    // NextSeg: rule (2) precedes rule (3)
    let mut talk = Talk::with_supply(&SenderConfig { recovery: RecoverySpec::Sack, ..open(10) }, 11);
    talk.sends();
    let sent = talk.sack(100, 0, &[(9, 10), (5, 8), (1, 4)]);
    assert_eq!(sent, [0, 4, 10, 8], "one new segment, then the hole");
}

#[test]
fn recovery_ends_when_all_that_was_outstanding_is_acknowledged() {
    // section 5, (A)
    let mut talk = ten();
    talk.sack(100, 0, &[(1, 4)]);
    talk.sack(100, 4, &[(5, 9)]);
    let fast = talk.sender.counters().fast_retransmits;
    talk.ack(100, 10);
    assert_eq!(talk.cwnd(), 5.0, "the ACK that ends recovery does not grow the window");
    let flight = talk.sender.state().flight_size;
    assert_eq!(flight, 5, "the flight size limits transmission again");
    assert_eq!(fast, 1);
    talk.ack(10, 11);
    assert_eq!(talk.cwnd(), 5.2, "the next ACK grows it");
}

#[test]
fn a_lost_tail_gets_one_rescue_retransmission() {
    // NextSeg (4): segments 0 and 9 are lost, no block reports data above 9, and there is no new data
    let mut talk = Talk::with_supply(&SenderConfig { recovery: RecoverySpec::Sack, ..open(10) }, 10);
    talk.sends();
    assert_eq!(talk.sack(100, 0, &[(3, 9)]), [0, 1, 2]);
    assert_eq!(talk.sack(100, 2, &[(3, 9)]), [9], "HighACK is beyond RescueRxt");
    assert_eq!(talk.sack(1, 3, &[(3, 9)]), [], "once");
}

#[test]
fn a_timeout_ends_recovery_and_forbids_another_until_all_is_acknowledged() {
    // section 5.1
    let mut talk = ten();
    talk.sack(100, 0, &[(1, 4)]);
    assert_eq!(talk.time_out(), [0]);
    talk.sack(100, 1, &[]);
    let sent: Vec<_> = (4..=8).flat_map(|end| talk.sack(1, 1, &[(3, end)])).collect();
    assert_eq!(talk.sender.counters().fast_retransmits, 1, "{sent:?}");
}

#[test]
fn slow_start_after_a_timeout_skips_what_the_receiver_has() {
    // section 5.1: the sender uses the blocks of ACKs that arrive after the timeout
    let mut talk = ten();
    talk.time_out();
    assert_eq!(talk.sack(100, 1, &[(2, 5)]), [1], "2 to 4 have arrived, and the window of two ends at 2");
    assert_eq!(talk.sack(100, 5, &[(6, 9)]), [5], "6 to 8 have arrived");
    assert_eq!(talk.sack(100, 9, &[]), [9, 10, 11, 12]);
}

#[test]
fn fall_and_floyd_count_what_leaves_instead_of_looking() {
    // Fall and Floyd (1996), section 5, as in ns-2
    let config = SenderConfig { recovery: RecoverySpec::Sack, sack: SackRule::FallFloyd, ..open(10) };
    let mut talk = Talk::new(&config);
    talk.sends();
    assert_eq!(talk.sack(100, 0, &[(1, 4)]), [10], "counts as one duplicate ACK, whatever its blocks");
    assert_eq!(talk.sack(1, 0, &[(1, 4), (5, 6)]), [11]);
    assert_eq!(talk.sack(1, 0, &[(5, 7), (1, 4)]), [0]);
    // pipe is 12 - 3; a duplicate ACK subtracts 1, a partial ACK 2; the window is 5
    assert_eq!((0..4).flat_map(|_| talk.sack(1, 0, &[(5, 7), (1, 4)])).collect::<Vec<_>>(), []);
    assert_eq!(talk.sack(1, 0, &[(5, 7), (1, 4)]), [4], "4 counts as lost once one segment above it has arrived");
    assert_eq!(talk.sack(1, 4, &[(5, 7)]), [12, 13]);
}

#[test]
fn fall_and_floyd_hear_no_duplicate_acks_between_a_timeout_and_the_next_new_ack() {
    // as in ns-2
    let config = SenderConfig { recovery: RecoverySpec::Sack, sack: SackRule::FallFloyd, ..open(10) };
    let mut talk = Talk::new(&config);
    talk.sends();
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.sack(1, 0, &[(5, 6)]), [], "not heard");
    assert_eq!(talk.ack(100, 1), [1, 2]);
    assert_eq!(talk.sack(1, 1, &[(5, 7)]), [3], "the ACK counts: limited transmit sends a segment again");
}

/// A sender with a window of 10 and segments 0 to 5 in flight, which are all the data supplied so far.
fn short_of_data(sack_holds_new_data: bool) -> Talk {
    let config = SenderConfig {
        recovery: RecoverySpec::Sack,
        sack: SackRule::FallFloyd,
        sack_holds_new_data,
        decrease_from: DecreaseFrom::Window,
        ..open(10)
    };
    let mut talk = Talk::with_supply(&config, 6);
    assert_eq!(talk.sends(), [0, 1, 2, 3, 4, 5]);
    talk
}

#[test]
fn new_data_waits_for_recovery_if_configured() {
    // as in ns-2: while the scoreboard has a hole, only a duplicate ACK releases new data
    let mut talk = short_of_data(true);
    assert_eq!(talk.sack(100, 0, &[(1, 2)]), [], "no data for limited transmit");
    assert!(!talk.sender.is_data_limited(), "more data would not be sent");
    assert_eq!(talk.supply(1), []);
    assert_eq!(talk.sack(1, 0, &[(1, 3)]), [6], "limited transmit");
    assert_eq!(talk.sack(1, 0, &[(1, 4)]), [0]);
    // the window is 5 and pipe 7 - 3: the one segment that this allows is sent at the next ACK or the next supply
    assert_eq!(talk.supply(1), [7]);
    assert_eq!(talk.supply(1), [], "pipe is 5");
    assert_eq!(talk.sack(1, 0, &[(1, 5)]), [8]);

    let mut talk = short_of_data(false);
    assert_eq!(talk.sack(100, 0, &[(1, 2)]), []);
    assert!(talk.sender.is_data_limited());
    assert_eq!(talk.supply(1), [6], "the window allows it");
}

#[test]
fn after_a_timeout_holes_precede_new_data_if_configured() {
    // as in ns-2 after a timeout, until the next recovery has ended
    for (holds_new_data, leaves) in [(true, vec![8, 10]), (false, vec![10])] {
        let mut talk = short_of_data(holds_new_data);
        assert_eq!(talk.time_out(), [0]);
        assert_eq!(talk.ack(100, 6), []);
        assert_eq!(talk.supply(4), [6, 7]);
        assert_eq!(talk.ack(100, 7), [8, 9]);
        assert_eq!(talk.ack(1, 8), []);
        assert_eq!(talk.sack(1, 8, &[(9, 10)]), [], "the first duplicate ACK");
        assert_eq!(talk.supply(1), leaves, "the window of 4 reaches 11");
        assert_eq!(talk.supply(1), [11]);
        assert_eq!(talk.sack(1, 8, &[(9, 11)]), []);
        assert_eq!(talk.sack(1, 8, &[(9, 12)]), [8], "recovery sends it once more");
    }
}
