//! Linux 6.18 without SACK (`net/ipv4/tcp_input.c`): duplicate ACKs stand for segments that have arrived above a gap.

use ackclock_tcp::congestion::{BbrSpec, LawSpec};
use ackclock_tcp::{Ack, EcnMode, Episode, SenderConfig};
use ackclock_units::Time;

use crate::Talk;
use crate::linux::linux;

fn without_sack() -> SenderConfig {
    SenderConfig { has_sack: false, ..linux() }
}

/// A sender with segments 0 to `flight - 1` in the network.
fn sent(flight: u32) -> Talk {
    let mut talk = Talk::new(&SenderConfig { initial_window: flight, ..without_sack() });
    assert_eq!(talk.sends().len(), flight as usize);
    talk
}

impl Talk {
    /// Delivers duplicate ACKs. Returns the segments sent.
    fn duplicates(&mut self, count: usize, next: u64) -> Vec<u64> {
        (0..count).flat_map(|_| self.ack(1, next)).collect()
    }
}

/// Validates: of three segments that an ACK acknowledges after two duplicates, one is new: the window grows from 10 to 11, and
///     with 9 segments left in the network, two are sent.
/// Source: Linux, `tcp_remove_reno_sacks`, `tcp_slow_start`.
/// Tolerance: exact.
#[test]
fn an_ack_after_duplicates_delivers_what_they_have_not_counted() {
    let mut talk = sent(10);
    assert_eq!(talk.ack(100, 0), [10]);
    assert_eq!(talk.ack(10, 0), [11]);
    assert_eq!(talk.sender.episode(), Episode::Disorder);
    assert_eq!(talk.ack(10, 3), [12, 13]);
    assert_eq!((talk.cwnd(), talk.sender.episode()), (11.0, Episode::Open));
}

/// Validates: the third duplicate ACK begins a recovery whose window is reduced in proportion: of the next duplicate ACKs
///     after it, at a threshold of 5 of 10 segments, each second one releases a segment until 5 are in the network.
/// Source: Linux, `tcp_newreno_mark_lost`, `tcp_cwnd_reduction`.
/// Tolerance: exact.
#[test]
fn duplicates_release_segments_in_proportion() {
    let mut talk = sent(10);
    assert_eq!(talk.duplicates(2, 0), [10, 11]);
    assert_eq!(talk.ack(1, 0), [0]);
    assert_eq!((talk.ssthresh(), talk.sender.episode()), (5.0, Episode::Recovery));
    let outstanding = talk.sender.outstanding();
    assert_eq!((outstanding.unacked, outstanding.sacked, outstanding.lost), (12, 3, Some(1)));
    // half of the delivered ones are sent, rounded up; then 7 are delivered, 4 sent and 5 in the network
    let released: Vec<usize> = (0..8).map(|_| talk.ack(1, 0).len()).collect();
    assert_eq!(released, [0, 1, 0, 1, 0, 0, 1, 1]);
}

/// Validates: each partial ACK of a recovery shows that the next segment is lost too, and the duplicates are counted once.
/// Source: Linux, `tcp_newreno_mark_lost`, `tcp_remove_reno_sacks`; RFC 6582, section 3.2.
/// Tolerance: exact.
#[test]
fn a_partial_ack_marks_the_next_segment() {
    let mut talk = sent(10);
    talk.duplicates(9, 0);
    assert_eq!(talk.sender.outstanding().sacked, 9);
    // the retransmission of 0 arrives, and 4 is missing
    assert!(talk.ack(100, 4).contains(&4));
    let outstanding = talk.sender.outstanding();
    assert_eq!((outstanding.sacked, outstanding.lost), (6, Some(1)), "three of nine were acknowledged besides 0");
    assert_eq!(talk.sender.episode(), Episode::Recovery);
}

/// Validates: a recovery lasts until more than the data sent before it is acknowledged, so that the duplicates that
///     unnecessary retransmissions cause begin no other one.
/// Source: Linux, `tcp_is_non_sack_preventing_reopen`; RFC 6582, section 4.1.
/// Tolerance: exact.
#[test]
fn a_recovery_is_held_until_more_is_acknowledged() {
    let mut talk = sent(10);
    talk.duplicates(3, 0);
    let recover = talk.snd_max();
    talk.ack(100, recover);
    assert_eq!(talk.sender.episode(), Episode::Recovery);
    let before = talk.sender.counters();
    talk.duplicates(6, recover);
    assert_eq!((talk.sender.counters().fast_retransmits, talk.ssthresh()), (before.fast_retransmits, 5.0));
    assert_eq!(talk.sender.outstanding().sacked, 0, "duplicates count as nothing");
    talk.ack(1, recover + 1);
    assert_eq!(
        (talk.sender.episode(), talk.cwnd()),
        (Episode::Open, 5.2),
        "the threshold, and one of five acknowledged"
    );
}

/// Validates: duplicates count for at most all segments but one. More of them show reordering by as many segments as are
///     outstanding, after which a loss needs as many duplicates.
/// Source: Linux, `tcp_limit_reno_sacked`, `tcp_check_reno_reordering`.
/// Tolerance: exact.
#[test]
fn too_many_duplicates_show_reordering() {
    let mut talk = Talk::with_supply(&without_sack(), 10);
    talk.sends();
    assert_eq!(talk.duplicates(10, 0), [0]);
    assert_eq!(talk.sender.outstanding().sacked, 9);
    talk.ack(1, 10);
    assert_eq!(talk.supply(30), [10, 11, 12, 13, 14]);
    assert_eq!(talk.ack(100, 11), [15]);
    assert!(!talk.duplicates(9, 11).contains(&11), "fewer than 10 duplicates");
    assert!(talk.duplicates(1, 11).contains(&11));
}

/// Validates: without SACK there are no probes; the timeout marks all segments as lost, however recently they were sent, and
///     the duplicates before it are forgotten.
/// Source: Linux, `tcp_schedule_loss_probe` (`tcp_is_sack`), `tcp_timeout_mark_lost`.
/// Tolerance: exact.
#[test]
fn a_timeout_marks_all() {
    let mut talk = sent(10);
    talk.ack(50, 1);
    talk.duplicates(2, 1);
    let retransmissions = talk.sender.counters().retransmissions;
    assert_eq!(talk.time_out(), [1]);
    let counters = talk.sender.counters();
    assert_eq!((counters.timeouts, counters.retransmissions - retransmissions), (1, 1));
    let outstanding = talk.sender.outstanding();
    assert_eq!((outstanding.sacked, outstanding.lost), (0, Some(outstanding.unacked)));
    assert_eq!(talk.cwnd(), 1.0);
}

/// Validates: after a timeout, F-RTO sends new data; a duplicate ACK then shows that the loss was real and counts.
/// Source: Linux, `tcp_process_loss`; RFC 5682, section 2.1, step 3.a.
/// Tolerance: exact.
#[test]
fn a_duplicate_after_new_data_shows_that_a_timeout_was_necessary() {
    let mut talk = sent(10);
    talk.time_out();
    assert_eq!(talk.ack(100, 1), [10, 11], "new data");
    assert_eq!(talk.ack(1, 1)[0], 1, "the rest is sent again");
    assert_eq!(talk.sender.outstanding().sacked, 1);
    assert_eq!(talk.sender.episode(), Episode::Loss);
    talk.ack(100, 2);
    assert_eq!(talk.sender.outstanding().sacked, 0, "progress ends the count");
}

/// Validates: an ACK of a segment that was sent once, after one of a retransmission, does not show that a timeout was
///     spurious.
/// Source: Linux, `tcp_clean_rtx_queue` (`FLAG_ORIG_SACK_ACKED` is cleared without SACK).
/// Tolerance: exact.
#[test]
fn an_ack_of_a_retransmission_and_more_proves_nothing() {
    let mut talk = sent(10);
    talk.time_out();
    talk.ack(100, 5);
    assert_eq!((talk.sender.episode(), talk.ssthresh()), (Episode::Loss, 5.0));
    talk.ack(10, 6);
    assert_eq!(talk.ssthresh(), 100_000.0, "segment 5 was sent once");
}

/// Validates: a mark is answered as with SACK, and duplicates release segments during the answer.
/// Source: Linux, `tcp_fastretrans_alert` (`TCP_CA_CWR`).
/// Tolerance: exact.
#[test]
fn duplicates_count_while_a_mark_is_answered() {
    let mut talk = Talk::new(&SenderConfig { ecn: EcnMode::Classic, ..without_sack() });
    talk.sends();
    talk.now = Time::from_millis(100);
    talk.acknowledge(Ack { echo: 1, ..Ack::cumulative(1) });
    assert_eq!(talk.sends(), [10]);
    assert_eq!(talk.sender.episode(), Episode::Cwr);
    assert_eq!(talk.duplicates(2, 1), [11]);
    assert_eq!(talk.sender.outstanding().sacked, 2);
    // the third one shows a loss; 4 are delivered and 2 were sent, so that the retransmission waits for the next one
    assert_eq!(talk.ack(1, 1), []);
    assert_eq!(talk.ack(1, 1), [1]);
    assert_eq!((talk.sender.episode(), talk.ssthresh()), (Episode::Recovery, 5.0));
}

/// Validates: an ACK that opens the window is no duplicate.
/// Source: Linux, `tcp_ack` (`FLAG_WIN_UPDATE`); RFC 5681, section 2.
/// Tolerance: exact.
#[test]
fn a_window_update_is_no_duplicate() {
    let mut talk = Talk::new(&SenderConfig { initial_rwnd: Some(10), ..without_sack() });
    talk.sends();
    for window in 11..15 {
        talk.advertise(1, 0, window);
    }
    assert_eq!(talk.sender.outstanding().sacked, 0);
    talk.advertise(1, 0, 14);
    assert_eq!(talk.sender.outstanding().sacked, 1);
}

/// Validates: delivery-rate samples count a segment with each duplicate ACK, and with the ACK that fills the gap only what the
///     duplicates have not counted.
/// Source: Linux, `tcp_add_reno_sack`, `tcp_remove_reno_sacks` and `tcp_rate_gen`.
/// Tolerance: exact.
#[test]
fn delivery_rates_count_duplicates_once() {
    let congestion = LawSpec::Bbr(BbrSpec {});
    let mut talk = Talk::with_supply(&SenderConfig { congestion, ..without_sack() }, 10);
    talk.sends();
    let delivered = |talk: &Talk| {
        let mut found = f64::NAN;
        talk.sender.visit_state(talk.now, &mut |name, value| {
            if name == "delivered" {
                found = value;
            }
        });
        found
    };
    talk.ack(40, 1);
    talk.duplicates(6, 1);
    assert_eq!(delivered(&talk), 7.0);
    talk.ack(40, 3);
    assert_eq!(delivered(&talk), 8.0, "the first of two fills the gap");
    talk.ack(40, 10);
    assert_eq!(delivered(&talk), 10.0, "7 more, of which 5 were counted");
}
