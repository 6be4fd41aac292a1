//! RFC 6298: the retransmission timer.

use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{RttConfig, SenderConfig};
use ackclock_units::Time;

use crate::{Talk, open, ten_in_flight};

/// A sender whose clock ticks in milliseconds from time 0, and whose timeouts have no minimum.
fn timed() -> SenderConfig {
    let rtt = RttConfig { clock_phase: Some(Time::ZERO), min_rto: Time::ZERO, ..RttConfig::default() };
    SenderConfig { rtt, ..open(4) }
}

#[test]
fn the_timeout_is_a_second_until_there_is_a_sample() {
    // 2.1
    let mut talk = Talk::new(&timed());
    talk.sends();
    assert_eq!(talk.sender.poll_timeout(), Some(Time::SECOND));
}

#[test]
fn the_first_sample_gives_three_times_itself() {
    // 2.2: SRTT = R, RTTVAR = R / 2, RTO = SRTT + 4 RTTVAR
    let mut talk = Talk::new(&timed());
    talk.sends();
    talk.ack(100, 1);
    assert_eq!((talk.sender.state().srtt, talk.rto()), (0.1, 0.3));
}

#[test]
fn later_samples_are_averaged_one_in_a_round_trip() {
    // 2.3: RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R|, SRTT = 7/8 SRTT + 1/8 R; segments 1 to 3 were not being timed
    let mut talk = Talk::new(&timed());
    talk.sends();
    talk.ack(100, 1);
    talk.ack(10, 4);
    assert_eq!(talk.rto(), 0.3);
    talk.ack(170, 5); // segment 4 was sent on the first ACK, 180 ms ago
    assert!((talk.sender.state().srtt - 0.11).abs() < 1e-9);
    assert!((talk.rto() - 0.34).abs() < 1e-9, "110 + 4 * 57.5 = 340");
}

#[test]
fn the_timeout_is_never_below_its_minimum_nor_above_its_maximum() {
    // 2.4 and 2.5
    let mut talk = ten_in_flight(RecoverySpec::Reno);
    talk.ack(10, 1);
    assert_eq!(talk.rto(), 1.0);
    let mut last = talk.now;
    let spans: Vec<_> = (0..8)
        .map(|_| {
            talk.time_out();
            let span = talk.now - last;
            last = talk.now;
            span.as_secs_f64()
        })
        .collect();
    assert_eq!(spans, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0], "5.5: back off the timer");
}

#[test]
fn the_timer_starts_with_data_and_restarts_with_each_new_ack() {
    // 5.1 and 5.3
    let mut talk = Talk::new(&timed());
    assert_eq!(talk.sender.poll_timeout(), None);
    talk.sends();
    talk.ack(100, 1);
    assert_eq!(talk.sender.poll_timeout(), Some(Time::from_millis(400)));
    talk.ack(50, 2);
    assert_eq!(talk.sender.poll_timeout(), Some(Time::from_millis(450)));
    talk.ack(50, 2);
    assert_eq!(talk.sender.poll_timeout(), Some(Time::from_millis(450)), "a duplicate does not restart it");
}

#[test]
fn the_timer_stops_when_all_is_acknowledged() {
    // 5.2
    let mut talk = Talk::with_supply(&open(4), 1);
    assert_eq!(talk.sends(), [0]);
    assert!(talk.sender.poll_timeout().is_some());
    talk.ack(50, 1);
    assert_eq!(talk.sender.poll_timeout(), None);
}

#[test]
fn the_earliest_segment_is_sent_again_and_the_timer_doubles() {
    // 5.4 to 5.6
    let mut talk = ten_in_flight(RecoverySpec::Reno);
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.now, Time::SECOND);
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.now, Time::SECOND.saturating_mul(3), "two seconds later");
}

#[test]
fn a_retransmitted_segment_is_not_timed_and_the_back_off_stays() {
    // section 3, Karn's algorithm
    let mut talk = ten_in_flight(RecoverySpec::Reno);
    talk.time_out();
    talk.ack(100, 1);
    assert!(talk.sender.state().srtt.is_nan());
    assert_eq!(talk.rto(), 2.0);
    talk.ack(100, 10);
    talk.ack(100, 11);
    assert_eq!(talk.sender.state().srtt, 0.1);
    assert_eq!(talk.rto(), 1.0);
}

#[test]
fn a_fast_retransmission_ends_timing() {
    // section 3: the segment being timed is among the segments that the loss delays
    let mut talk = ten_in_flight(RecoverySpec::Reno);
    for _ in 0..3 {
        talk.ack(10, 0);
    }
    talk.ack(500, 10);
    assert!(talk.sender.state().srtt.is_nan());
}

#[test]
fn new_data_that_sack_sends_again_in_the_same_recovery_is_not_timed() {
    // section 3: segment 0 is lost, and so is segment 10, the first new one of the recovery, which is being timed
    let mut talk = ten_in_flight(RecoverySpec::Sack);
    assert_eq!(talk.sack(100, 0, &[(1, 8)]), [0, 10, 11]);
    let sent: Vec<_> = (12..=15).flat_map(|end| talk.sack(10, 0, &[(11, end), (1, 10)])).collect();
    assert_eq!(sent, [12, 13, 14, 15, 10, 16, 17]);
    talk.ack(500, 16);
    assert!(talk.sender.state().srtt.is_nan(), "the ACK may be for either transmission of segment 10");
}

#[test]
fn after_a_lost_syn_the_timeout_is_three_seconds() {
    // 5.7
    let mut talk = Talk::new(&SenderConfig { handshake: true, ..open(10) });
    talk.sends();
    talk.time_out();
    talk.ack(100, 1);
    assert_eq!(talk.rto(), 3.0);
}
