//! RFC 9293: unacceptable ACKs, and counters.

use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{RackRule, SenderConfig};
use ackclock_units::{Rate, Time};

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

/// Validates: the right edge follows the ACKs that advertise a window, also back, for any recovery; an ACK that was overtaken
///   only moves it forward, and one for data never sent does not move it.
/// Source: RFC 9293, sections 3.8.6 and 3.10.7.4.
/// Tolerance: exact.
#[test]
fn the_right_edge_follows_the_advertised_window() {
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
        // the edge is now segment 6, and data up to 9 was sent
        assert_eq!(talk.advertise(1, 7, 2), []);
        assert_eq!(talk.advertise(1, 8, 2), [9]);
        // an overtaken ACK whose edge is the largest one
        assert_eq!(talk.advertise(1, 7, 4), [10]);
        // an ACK without a window
        assert_eq!(talk.ack(1, 9), []);
        assert_eq!(talk.sender.state().flight_size, 2);
    }
}

/// Validates: the window before the first ACK is at most `max_window`, also once an ACK without a window has been received.
/// Source: RFC 9293, section 3.8.6.
/// Tolerance: exact.
#[test]
fn the_first_window_is_at_most_the_largest_one() {
    let mut talk = Talk::new(&SenderConfig { initial_rwnd: Some(4), max_window: 3, ..open(10) });
    assert_eq!(talk.sends(), [0, 1, 2]);
    assert_eq!(talk.ack(100, 1), []);
    assert_eq!(talk.advertise(100, 2, 3), [3, 4]);
}

/// Validates: a peer that closes its window gets nothing but a probe after a timeout of 1 s, then after 2, 4 and 8 s and so on
///   up to 60 s, as a segment that it has acknowledged; an answer restarts the wait, and an ACK that opens the window ends it.
///   The window and the threshold stay, and nothing counts as a timeout.
/// Source: RFC 9293, section 3.8.6.1; RFC 1122, section 4.2.2.17.
/// Tolerance: exact.
#[test]
fn a_window_of_zero_is_probed() {
    use RecoverySpec::{NewReno, Rack, Reno, Sack, Tahoe, Vegas};
    for recovery in [Tahoe, Reno, NewReno, Sack, Rack, Vegas] {
        let config = SenderConfig { recovery, initial_rwnd: Some(4), ..open(10) };
        let mut talk = Talk::new(&config);
        assert_eq!(talk.sends(), [0, 1, 2, 3]);
        assert_eq!(talk.advertise(100, 4, 0), [], "{recovery:?}");
        let window = (talk.cwnd(), talk.ssthresh());
        let wait = |talk: &mut Talk| {
            let before = talk.now;
            assert_eq!(talk.time_out(), [3], "{recovery:?}");
            (talk.now - before).as_secs_f64()
        };
        assert_eq!([0; 8].map(|_| wait(&mut talk)), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0], "{recovery:?}");
        // an answer, and one that is late
        assert_eq!(talk.advertise(100, 4, 0), []);
        assert_eq!(talk.advertise(100, 4, 0), []);
        assert_eq!(wait(&mut talk), 60.0);
        assert_eq!((talk.cwnd(), talk.ssthresh()), window);
        let counters = talk.sender.counters();
        assert_eq!((counters.timeouts, counters.retransmissions, counters.dup_acks), (0, 0, 0), "{recovery:?}");
        assert_eq!(talk.advertise(100, 4, 2), [4, 5], "{recovery:?}");
        // closed again, the waits begin again; it opens while nothing waits
        assert_eq!(talk.advertise(100, 6, 0), []);
        assert_eq!(talk.sender.poll_timeout().map(|at| (at - talk.now).as_secs_f64()), Some(1.0));
        assert_eq!(talk.advertise(100, 6, 1), [6]);
    }
}

/// Validates: an ACK that was overtaken changes nothing about the wait for a probe.
/// Source: RFC 9293, section 3.8.6.1; Linux, `tcp_ack` (`old_ack`).
/// Tolerance: exact.
#[test]
fn an_old_ack_does_not_stop_the_persist_timer() {
    use RecoverySpec::{NewReno, Rack, Reno, Sack, Tahoe, Vegas};
    for recovery in [Tahoe, Reno, NewReno, Sack, Rack, Vegas] {
        let mut talk = Talk::new(&SenderConfig { recovery, initial_rwnd: Some(4), ..open(10) });
        talk.sends();
        talk.advertise(100, 4, 0);
        let due = talk.sender.poll_timeout();
        assert_eq!(talk.advertise(100, 2, 2), [], "{recovery:?}");
        assert_eq!(talk.sender.poll_timeout(), due, "{recovery:?}");
    }
}

/// The application of the receiver reads one packet after the other, while a flight is on its way.
///
/// Validates: ACKs that only move the window are no duplicates, and do not signal a loss.
/// Source: RFC 5681, section 2 (e); RFC 9293, section 3.8.6.2.2.
/// Tolerance: exact.
#[test]
fn window_updates_are_no_duplicates() {
    use RecoverySpec::{NewReno, Rack, Reno, Sack, Tahoe, Vegas};
    let with_sack = [Tahoe, Reno, NewReno, Sack, Rack, Vegas].map(|recovery| (recovery, true));
    for (recovery, has_sack) in with_sack.into_iter().chain([(Rack, false)]) {
        let read_rate = Rate::from_bps(1_000_000);
        let config = SenderConfig { recovery, has_sack, read_rate, max_window: 4, tail_loss_probe: false, ..open(10) };
        let mut talk = Talk::new(&config);
        assert_eq!(talk.sends(), [0, 1, 2, 3], "{recovery:?}");
        assert_eq!(talk.advertise(100, 1, 3), [], "{recovery:?}");
        let windows = [4, 5, 6, 7].map(|window| talk.advertise(1, 1, window));
        assert_eq!(windows.concat(), [4], "max_window is 4");
        let counters = talk.sender.counters();
        assert_eq!((counters.dup_acks, counters.retransmissions), (0, 0), "{recovery:?}");
        talk.advertise(1, 1, 7);
        assert_eq!(talk.sender.counters().dup_acks, 1, "the same window again");
    }
}

/// Validates: a closed window is probed once data waits, not before.
/// Source: RFC 9293, section 3.8.6.1.
/// Tolerance: exact.
#[test]
fn a_closed_window_is_not_probed_without_data() {
    for recovery in [RecoverySpec::Reno, RecoverySpec::Rack] {
        let mut talk = Talk::with_supply(&SenderConfig { recovery, initial_rwnd: Some(4), ..open(10) }, 4);
        talk.sends();
        talk.advertise(100, 4, 0);
        assert_eq!(talk.sender.poll_timeout(), None);
        assert!(talk.sender.is_data_limited(), "it asks the application for data to probe for");
        assert_eq!(talk.supply(5), []);
        assert_eq!(talk.time_out(), [3], "{recovery:?}");
        assert_eq!(talk.advertise(100, 4, 100), [4, 5, 6, 7, 8]);
    }
}

/// Validates: a window that closes while data is outstanding does not stop the retransmission timer, which sends the first
///   segment again; of the others, RACK sends those again that are within the window.
/// Source: RFC 9293, section 3.8.6 (a shrinking window); Linux, `tcp_retransmit_timer` and `__tcp_retransmit_skb`.
/// Tolerance: exact.
#[test]
fn a_window_that_shrinks_still_lets_the_first_segment_be_sent_again() {
    use RecoverySpec::{NewReno, Rack, Reno, Sack, Tahoe, Vegas};
    for recovery in [Tahoe, Reno, NewReno, Sack, Rack, Vegas] {
        let config = SenderConfig { recovery, initial_rwnd: Some(8), tail_loss_probe: false, ..open(10) };
        let mut talk = Talk::new(&config);
        assert_eq!(talk.sends().len(), 8);
        assert_eq!(talk.advertise(100, 2, 0), [], "{recovery:?}");
        assert_eq!(talk.time_out(), [2], "{recovery:?}");
        assert_eq!(talk.sender.counters().timeouts, 1);
        assert!([vec![], vec![3]].contains(&talk.advertise(100, 3, 0)), "{recovery:?}");
        assert_eq!(talk.advertise(100, 8, 1), [8], "{recovery:?}");
    }
}

/// Validates: a tail-loss probe does not send a segment beyond a window that has shrunk; the retransmission timer then fires as
///   if there had been no probe. Within the window, the last segment is sent again.
/// Source: Linux, `tcp_send_loss_probe`, `__tcp_retransmit_skb` and `tcp_rearm_rto`; RFC 1122, section 4.2.2.16.
/// Tolerance: exact.
#[test]
fn a_probe_stays_within_a_window_that_has_shrunk() {
    for rack in [RackRule::Rfc8985, RackRule::Linux] {
        for (window, probe) in [(6, vec![7]), (5, vec![])] {
            let config = SenderConfig { recovery: RecoverySpec::Rack, rack, initial_rwnd: Some(8), ..open(10) };
            let mut talk = Talk::new(&config);
            assert_eq!(talk.sends().len(), 8);
            talk.advertise(100, 2, window);
            let (acknowledged, rto) = (talk.now, Time::from_secs_f64(talk.rto()));
            assert_eq!(talk.time_out(), probe, "{rack:?}, {window}");
            assert_eq!(talk.sender.counters().timeouts, 0);
            if probe.is_empty() {
                assert_eq!(talk.time_out(), [2], "{rack:?}");
                assert_eq!(talk.sender.counters().timeouts, 1);
                assert!(talk.now - acknowledged <= rto + Time::from_millis(1), "{rack:?}");
            }
        }
    }
}
