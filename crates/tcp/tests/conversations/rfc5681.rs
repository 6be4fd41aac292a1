//! RFC 5681: slow start, congestion avoidance, fast retransmit and fast recovery, restart after idle.

use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{IdleRestart, SenderConfig};
use ackclock_units::Time;

use crate::{Talk, open, ten_in_flight};

#[test]
fn slow_start_sends_two_segments_for_each_ack() {
    // section 3.1: cwnd grows by one segment for each ACK of new data
    let mut talk = Talk::new(&open(2));
    assert_eq!(talk.sends(), [0, 1]);
    assert_eq!(talk.ack(100, 1), [2, 3]);
    assert_eq!(talk.ack(1, 2), [4, 5]);
    assert_eq!(talk.cwnd(), 4.0);
}

#[test]
fn an_ack_for_two_segments_grows_the_window_by_one() {
    // section 3.1: cwnd grows by at most SMSS per ACK, however many segments the ACK covers
    let mut talk = Talk::new(&open(4));
    talk.sends();
    assert_eq!(talk.ack(100, 2), [4, 5, 6]);
    assert_eq!(talk.cwnd(), 5.0);
}

#[test]
fn congestion_avoidance_grows_by_one_segment_a_round_trip() {
    // section 3.1, equation 3: cwnd += SMSS * SMSS / cwnd, once ssthresh is reached
    let mut talk = ten_in_flight(RecoverySpec::Reno);
    talk.time_out();
    assert_eq!(talk.ssthresh(), 5.0);
    talk.ack(100, 10);
    let mut next = 10;
    while talk.cwnd() < 5.0 {
        next += 1;
        talk.ack(10, next);
    }
    let after = (0..5).fold(talk.cwnd(), |cwnd, _| cwnd + 1.0 / cwnd);
    for _ in 0..5 {
        next += 1;
        talk.ack(10, next);
    }
    assert_eq!(talk.cwnd(), after);
}

#[test]
fn the_handshake_opens_the_initial_window_and_a_lost_syn_closes_it() {
    // section 3.1: IW is one segment if the SYN was lost
    let config = SenderConfig { handshake: true, ..open(10) };
    let mut talk = Talk::new(&config);
    assert_eq!(talk.sends(), [0]);
    assert_eq!(talk.ack(100, 1), (1..=10).collect::<Vec<_>>());
    let mut talk = Talk::new(&config);
    talk.sends();
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.ack(100, 1), [1]);
}

#[test]
fn the_third_duplicate_ack_retransmits_and_further_ones_let_new_data_out() {
    // section 3.2, steps 2 to 6
    let config = SenderConfig { limited_transmit: false, ..open(10) };
    let mut talk = Talk::new(&config);
    talk.sends();
    assert_eq!(talk.ack(100, 0), []);
    assert_eq!(talk.ack(1, 0), []);
    assert_eq!(talk.ack(1, 0), [0], "step 3: the first unacknowledged segment");
    assert_eq!(talk.ssthresh(), 5.0, "step 2, equation 4: half of the flight");
    let further: Vec<_> = (0..6).map(|_| talk.ack(1, 0)).collect();
    assert_eq!(
        further,
        [vec![], vec![], vec![10], vec![11], vec![12], vec![13]],
        "step 4: 5 + 3 + n reach segment 7 + n"
    );
    assert_eq!(talk.ack(100, 10), [14], "step 6: the window is ssthresh, 10 to 14");
    assert_eq!(talk.cwnd(), 5.0);
    assert_eq!(talk.sender.counters().fast_retransmits, 1);
}

#[test]
fn the_threshold_is_never_below_two_segments() {
    // equation 4: max(FlightSize / 2, 2 * SMSS)
    let mut talk = Talk::new(&open(2));
    talk.sends();
    talk.time_out();
    assert_eq!((talk.cwnd(), talk.ssthresh()), (1.0, 2.0));
}

#[test]
fn a_timeout_begins_slow_start_from_the_first_unacknowledged_segment() {
    // section 3.1: the loss window is one segment; segments that had arrived are not retransmitted
    let mut talk = ten_in_flight(RecoverySpec::Reno);
    assert_eq!(talk.time_out(), [0]);
    assert_eq!((talk.cwnd(), talk.ssthresh()), (1.0, 5.0));
    assert_eq!(talk.ack(100, 1), [1, 2]);
    assert_eq!(talk.ack(100, 10), [10, 11, 12]);
}

#[test]
fn a_second_timeout_of_a_segment_leaves_the_threshold_low() {
    // section 3.1: the flight is halved once per loss; the second timeout finds the same flight, so ssthresh stays at 5
    let mut talk = ten_in_flight(RecoverySpec::Reno);
    talk.time_out();
    talk.time_out();
    assert_eq!((talk.cwnd(), talk.ssthresh()), (1.0, 5.0));
    assert_eq!(talk.sender.counters().timeouts, 2);
}

#[test]
fn tahoe_retransmits_fast_and_begins_again() {
    // Jacobson (1988); RFC 5681 without steps 4 to 6 of section 3.2
    let mut talk = ten_in_flight(RecoverySpec::Tahoe);
    assert_eq!(talk.ack(100, 0), [10]);
    assert_eq!(talk.ack(1, 0), [11]);
    assert_eq!(talk.ack(1, 0), [0]);
    assert_eq!((talk.cwnd(), talk.ssthresh()), (1.0, 5.0));
    assert_eq!(talk.ack(1, 0), [], "no inflation");
    assert_eq!(talk.ack(100, 1), [1, 2], "slow start, from the hole on: it cannot know what arrived");
    assert_eq!(talk.ack(1, 12), [12, 13, 14]);
}

#[test]
fn losses_of_one_window_are_retransmitted_fast_only_once() {
    // RFC 6582, section 3.2, step 2, which Reno shares: the ACK must cover more than recover
    for recovery in [RecoverySpec::Tahoe, RecoverySpec::Reno] {
        let mut talk = ten_in_flight(recovery);
        for _ in 0..4 {
            talk.ack(1, 0);
        }
        (0..8).for_each(|_| drop(talk.ack(1, 3)));
        assert_eq!(talk.sender.counters().fast_retransmits, 1);
    }
}

#[test]
fn an_idle_period_restarts_from_the_initial_window() {
    // section 4.1: RW = min(IW, cwnd) after more than one RTO; ns-2's timer runs on and resets the window to one
    for (idle_restart, cwnd) in [(IdleRestart::Rfc5681, 4.0), (IdleRestart::Timeout, 1.0)] {
        let mut talk = Talk::with_supply(&SenderConfig { idle_restart, ..open(4) }, 0);
        for next in 0..8 {
            talk.sender.supply(1);
            assert_eq!(talk.sends(), [next]);
            talk.ack(10, next + 1);
        }
        talk.now += Time::SECOND.saturating_mul(2);
        if let Some(timeout) = talk.sender.poll_timeout() {
            talk.sender.handle_timeout(timeout);
        }
        talk.sender.supply(1);
        assert_eq!(talk.sends(), [8]);
        assert_eq!(talk.cwnd(), cwnd);
        assert_eq!(talk.sender.counters().timeouts, 0);
    }
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    // RFC 7661, section 1; in ns-2 such a window grows
    for (grow_when_limited, cwnd) in [(false, 4.0), (true, 7.0)] {
        let mut talk = Talk::with_supply(&SenderConfig { grow_when_limited, ..open(4) }, 0);
        for next in 0..3 {
            talk.sender.supply(1);
            talk.sends();
            talk.ack(10, next + 1);
        }
        assert_eq!(talk.cwnd(), cwnd);
    }
}
