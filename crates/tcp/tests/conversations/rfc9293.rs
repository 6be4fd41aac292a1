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
    assert_eq!(counted.turns, 3, "each turn ended when all that was allowed had been sent");
}
