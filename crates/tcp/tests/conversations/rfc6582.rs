//! RFC 6582: NewReno.

use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{PartialAckTimer, SenderConfig};
use ackclock_units::Time;

use crate::{Talk, open};

fn newreno() -> SenderConfig {
    SenderConfig { recovery: RecoverySpec::NewReno, limited_transmit: false, ..open(10) }
}

/// A sender in recovery: ten segments in flight, three duplicate ACKs received, segment 0 retransmitted.
fn recovering(config: &SenderConfig) -> Talk {
    let mut talk = Talk::new(config);
    talk.sends();
    assert_eq!((0..3).flat_map(|_| talk.ack(10, 0)).collect::<Vec<_>>(), [0]);
    assert_eq!((talk.cwnd(), talk.ssthresh()), (5.0, 5.0));
    talk
}

#[test]
fn a_partial_ack_retransmits_the_next_hole_at_once() {
    // section 3.2, step 3, partial acknowledgments
    let mut talk = recovering(&newreno());
    assert_eq!(talk.ack(100, 4), [4]);
    assert_eq!(talk.ack(100, 7), [7], "window 5 + 3 - 4 + 1 = 5, then 5 - 3 + 1 = 3: segments 7 to 9");
    assert_eq!(talk.sender.counters().fast_retransmits, 1, "and the window was halved once");
}

#[test]
fn a_partial_ack_deflates_the_window_by_what_it_acknowledges_minus_one() {
    // section 3.2, step 3
    let mut talk = recovering(&newreno());
    for _ in 0..4 {
        talk.ack(1, 0); // the window of 5 + 7 = 12 releases segments 10 and 11
    }
    // the window deflates to 12 - 3 + 1 = 10, from segment 3 to segment 12
    assert_eq!(talk.ack(100, 3), [3, 12]);
    assert_eq!(talk.cwnd(), 5.0, "only the inflation shrank");
}

#[test]
fn duplicate_acks_go_on_to_inflate_after_a_partial_ack() {
    // section 3.2, step 3 returns to RFC 5681's step 4
    let mut talk = recovering(&newreno());
    talk.ack(100, 2); // window 5 + 3 - 2 + 1 = 7: up to segment 8
    assert_eq!((0..3).map(|_| talk.ack(1, 2)).collect::<Vec<_>>(), [vec![], vec![10], vec![11]]);
}

#[test]
fn a_full_ack_ends_recovery_without_a_burst() {
    // section 3.2, step 3, full acknowledgments, (1): min(ssthresh, max(FlightSize, SMSS) + SMSS)
    let mut talk = recovering(&newreno());
    assert_eq!(talk.ack(100, 10), [10, 11]);
    assert_eq!(talk.cwnd(), 2.0);
    // ns-2 keeps the window as it is
    let mut talk = recovering(&SenderConfig { deflate_on_exit: false, ..newreno() });
    assert_eq!(talk.ack(100, 10), [10, 11, 12, 13, 14]);
}

#[test]
fn what_was_outstanding_at_the_loss_must_be_acknowledged_not_less() {
    // section 3.2, step 2: recover is 9, the highest segment sent at the loss
    let mut talk = recovering(&newreno());
    assert_eq!(talk.ack(100, 9), [9, 10], "still a partial ACK; the least window is one segment and one added back");
    assert_eq!(talk.ack(100, 10), [11], "a full ACK: no retransmission, and the flight of one grows to two");
}

#[test]
fn the_first_partial_ack_restarts_the_timer_and_later_ones_do_not() {
    // section 3.2, step 3 and section 4: the impatient variant, or slow but steady with `PartialAckTimer::Each`
    for (partial_ack_timer, later) in [(PartialAckTimer::First, 0), (PartialAckTimer::Each, 100)] {
        let mut talk = recovering(&SenderConfig { partial_ack_timer, ..newreno() });
        talk.ack(100, 2);
        let first = talk.sender.poll_timeout().unwrap();
        assert_eq!(first, talk.now + Time::SECOND);
        talk.ack(100, 4);
        assert_eq!(talk.sender.poll_timeout().unwrap(), first + Time::from_millis(later));
    }
}

#[test]
fn a_timeout_ends_recovery_and_forbids_another_for_what_was_sent() {
    // section 3.2, step 4: recover is the highest segment sent
    let mut talk = recovering(&newreno());
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.ack(10, 1), [1, 2], "slow start, not recovery");
    for _ in 0..5 {
        talk.ack(1, 1);
    }
    assert_eq!(talk.sender.counters().fast_retransmits, 1);
}

#[test]
fn the_next_window_may_recover_again() {
    let mut talk = recovering(&SenderConfig { deflate_on_exit: false, ..newreno() });
    talk.ack(100, 10); // sends 10 to 14
    talk.ack(100, 11);
    let again: Vec<_> = (0..3).flat_map(|_| talk.ack(1, 11)).collect();
    assert_eq!(again, [11]);
    assert_eq!(talk.sender.counters().fast_retransmits, 2);
}

#[test]
fn a_burst_limit_bounds_what_an_ack_lets_go() {
    // ns-2: two segments per ACK in fast recovery
    let config = SenderConfig { recovery_burst: 2, partial_ack_deflation: false, ..newreno() };
    let mut talk = recovering(&config);
    assert_eq!(talk.ack(100, 8), [8, 10, 11], "12 waits for the next ACK");
    assert_eq!(talk.ack(1, 8), [12, 13]);
}

#[test]
fn no_burst_limit_holds_what_new_data_or_the_end_of_processing_lets_go() {
    // as in ns-2
    let config = SenderConfig { recovery_burst: 2, partial_ack_deflation: false, ..newreno() };
    let mut talk = recovering(&config);
    assert_eq!(talk.ack(100, 8), [8, 10, 11]);
    assert!(talk.sender.is_paused());
    assert_eq!(talk.supply(1), [12], "the window of 5 reaches 12");
    assert!(!talk.sender.is_paused());
    assert_eq!(talk.ack(1, 8), [13], "inflation");

    let mut talk = Talk::new(&SenderConfig { overhead: Time::from_micros(12), ..config });
    talk.sends();
    assert_eq!(talk.process(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!((0..3).flat_map(|_| talk.ack(10, 0)).collect::<Vec<_>>(), [0]);
    assert_eq!(talk.ack(100, 8), [8]);
    assert_eq!(talk.process(), [10, 11, 12]);
}

#[test]
fn a_timeout_in_a_long_recovery_does_not_raise_the_threshold() {
    // section 3.2, step 3; RFC 5681, equation 4: FlightSize includes segments that arrived long ago, beyond the hole
    let mut talk = recovering(&newreno());
    (0..60).for_each(|_| {
        talk.ack(1, 0);
    });
    assert!(talk.sender.state().flight_size >= 60, "each duplicate ACK released a segment");
    talk.time_out();
    assert_eq!((talk.cwnd(), talk.ssthresh()), (1.0, 5.0), "at most half of the flight at the time of the loss");
}
