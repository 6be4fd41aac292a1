//! RFC 9293: unacceptable ACKs, and counters.

use ackclock_tcp::SenderConfig;
use ackclock_tcp::recovery::RecoverySpec;

use crate::{Talk, open, ten_in_flight};

#[test]
fn acks_for_what_was_never_sent_or_long_acknowledged_change_nothing() {
    // section 3.10.7.4
    use RecoverySpec::{NewReno, Reno, Sack, Tahoe, Vegas};
    for recovery in [Tahoe, Reno, NewReno, Sack, Vegas] {
        let mut talk = ten_in_flight(recovery);
        talk.ack(100, 4);
        let before = talk.sender.state();
        assert_eq!(talk.ack(0, 1_000_000), []);
        assert_eq!(talk.ack(0, 2), []);
        assert_eq!(talk.sender.state(), before);
        assert_eq!(talk.sender.counters().dup_acks, 0);
    }
}

#[test]
fn no_data_leaves_before_the_syn_is_acknowledged() {
    // section 3.10.7.3: an ACK that does not cover the SYN is dropped and does not count as a duplicate
    use RecoverySpec::{NewReno, Reno, Sack, Tahoe, Vegas};
    for recovery in [Tahoe, Reno, NewReno, Sack, Vegas] {
        let mut talk = Talk::new(&SenderConfig { recovery, handshake: true, ..open(10) });
        assert_eq!(talk.sends(), [0]);
        assert_eq!((0..4).flat_map(|_| talk.ack(1, 0)).collect::<Vec<_>>(), [], "{recovery:?}");
        assert_eq!(talk.sender.counters().dup_acks, 0);
        assert_eq!(talk.ack(100, 1), (1..=10).collect::<Vec<_>>());
    }
}

#[test]
fn what_is_sent_is_counted_and_whether_only_data_is_missing_is_told() {
    let mut talk = Talk::with_supply(&open(4), 3);
    assert!(!talk.sender.is_data_limited(), "there is data, and the window allows it");
    assert_eq!(talk.sends(), [0, 1, 2]);
    assert!(talk.sender.is_data_limited(), "the window allows a fourth segment");
    talk.sender.supply(9);
    assert_eq!(talk.sends(), [3]);
    assert!(!talk.sender.is_data_limited(), "no room");
    talk.time_out();
    let counted = talk.sender.counters();
    assert_eq!((counted.sent, counted.retransmissions, counted.timeouts), (5, 1, 1));
}

/// Validates: the right edge follows the ACKs that advertise a window and never moves back, for any recovery; an ACK for
///   data never sent does not move it.
/// Source: RFC 9293, sections 3.8.6 and 3.10.7.4.
/// Tolerance: exact.
#[test]
fn the_right_edge_of_an_advertised_window_never_moves_back() {
    use RecoverySpec::{NewReno, Rack, Reno, Sack, Tahoe, Vegas};
    for recovery in [Tahoe, Reno, NewReno, Sack, Rack, Vegas] {
        let config = SenderConfig { recovery, initial_rwnd: Some(4), limited_transmit: false, ..open(10) };
        let mut talk = Talk::new(&config);
        assert_eq!(talk.sends(), [0, 1, 2, 3], "{recovery:?}");
        assert_eq!(talk.advertise(100, 1, 4), [4]);
        assert_eq!(talk.advertise(1, 3, 6), [5, 6, 7, 8]);
        // an ACK that was overtaken, a shrinking window, and an ACK for data never sent
        assert_eq!(talk.advertise(1, 2, 5), []);
        assert_eq!(talk.advertise(1, 4, 2), []);
        assert_eq!(talk.advertise(1, 1_000, 1_000), []);
        // an overtaken ACK whose edge is the largest one
        assert_eq!(talk.advertise(1, 3, 7), [9]);
        // an ACK without a window
        assert_eq!(talk.ack(1, 5), []);
        assert_eq!(talk.sender.state().flight_size, 5);
    }
}

/// Validates: a peer that closes its window gets one segment at a time, as a probe, and the timer repeats it.
/// Source: RFC 9293, section 3.8.6.1.
/// Tolerance: exact.
#[test]
fn a_window_of_zero_is_probed() {
    use RecoverySpec::{NewReno, Rack, Reno, Sack, Tahoe, Vegas};
    for recovery in [Tahoe, Reno, NewReno, Sack, Rack, Vegas] {
        let config = SenderConfig { recovery, initial_rwnd: Some(4), tail_loss_probe: false, ..open(10) };
        let mut talk = Talk::new(&config);
        assert_eq!(talk.sends(), [0, 1, 2, 3]);
        assert_eq!(talk.advertise(100, 4, 0), [4], "{recovery:?}");
        assert_eq!(talk.time_out(), [4]);
        assert_eq!(talk.advertise(100, 5, 0), [5]);
        assert_eq!(talk.advertise(100, 6, u32::MAX)[0], 6);
    }
}
