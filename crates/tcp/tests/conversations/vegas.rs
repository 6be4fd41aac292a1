//! Vegas' loss recovery: Brakmo and Peterson (1995), section 3.1, in addition to the coarse timer. The unit tests in
//! `congestion/vegas.rs` cover its congestion control.

use ackclock_tcp::SenderConfig;
use ackclock_tcp::congestion::{BaseRtt, LawSpec, VegasSpec};
use ackclock_tcp::recovery::RecoverySpec;

use crate::{Talk, open};

fn vegas(initial_window: u32) -> SenderConfig {
    let law = LawSpec::Vegas(VegasSpec { alpha: 1.0, beta: 3.0, gamma: 1.0, base_rtt: BaseRtt::Minimum });
    SenderConfig { recovery: RecoverySpec::Vegas, congestion: law, ..open(initial_window) }
}

/// Validates: Vegas retransmits at the first duplicate ACK once the fine-grained timeout has passed, and not before.
/// Source: Brakmo and Peterson 1995, section III.A.
/// Tolerance: exact.
#[test]
fn the_first_duplicate_ack_retransmits_once_the_fine_timeout_has_passed() {
    let mut talk = Talk::new(&vegas(4));
    assert_eq!(talk.sends(), [0, 1, 2, 3]);
    assert_eq!(talk.ack(100, 1), [4]); // the fine-grained timeout is now 146 ms
    assert_eq!(talk.ack(10, 1), [], "segment 1 was sent 110 ms ago");
    assert_eq!(talk.ack(50, 1)[0], 1, "160 ms ago");
    assert_eq!(talk.sender.counters().fast_retransmits, 1);
}

/// Validates: the third duplicate ACK retransmits regardless of the clock.
/// Source: Brakmo and Peterson 1995, section III.A.
/// Tolerance: exact.
#[test]
fn the_third_duplicate_ack_retransmits_as_with_reno() {
    let mut talk = Talk::new(&vegas(8));
    talk.sends();
    talk.ack(100, 1);
    assert_eq!((0..3).flat_map(|_| talk.ack(1, 1)).next(), Some(1));
}

/// Validates: the first new ACKs after a retransmission retransmit the next segment once its timeout has passed.
/// Source: Brakmo and Peterson 1995, section III.A.
/// Tolerance: exact.
#[test]
fn the_first_new_acks_after_a_retransmission_check_the_next_segment() {
    let mut talk = Talk::new(&vegas(8));
    talk.sends();
    talk.ack(100, 1);
    assert_eq!(talk.ack(60, 1)[0], 1, "sent 160 ms ago");
    assert_eq!(talk.ack(100, 2)[0], 2, "lost too: sent 260 ms ago, without waiting for a duplicate ACK");
}

/// Validates: a segment sent before the last reduction does not reduce the window again.
/// Source: Brakmo and Peterson 1995, section III.A.
/// Tolerance: exact.
#[test]
fn a_window_is_reduced_once_for_losses_of_one_flight() {
    let mut talk = Talk::new(&vegas(8));
    talk.sends();
    talk.ack(100, 1);
    talk.ack(60, 1);
    let after = talk.cwnd();
    talk.ack(100, 2);
    assert!(talk.cwnd() <= after, "segment 2 was sent before the reduction");
}

/// Validates: an early retransmission gives no round-trip sample.
/// Source: RFC 6298, section 3 (Karn's algorithm).
/// Tolerance: exact.
#[test]
fn a_segment_sent_again_early_is_not_timed() {
    // RFC 6298, section 3: segment 1 is lost, and so is segment 9, which is being timed
    let mut talk = Talk::new(&vegas(8));
    talk.sends();
    talk.ack(100, 1);
    assert_eq!(talk.ack(60, 1), [1]);
    assert_eq!((0..6).flat_map(|_| talk.ack(1, 1)).collect::<Vec<_>>(), [9, 10, 11, 12, 13]);
    assert_eq!(talk.ack(600, 9)[0], 9, "sent 604 ms ago");
    talk.ack(100, 10);
    assert_eq!(talk.sender.state().srtt, 0.1, "the sample of segment 0");
}
