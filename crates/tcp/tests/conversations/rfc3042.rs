//! RFC 3042: limited transmit.

use ackclock_tcp::SenderConfig;
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_units::Time;

use crate::{Talk, open, ten_in_flight};

#[test]
fn the_first_two_duplicate_acks_let_out_a_new_segment_each() {
    // section 2
    for recovery in [RecoverySpec::Tahoe, RecoverySpec::Reno, RecoverySpec::NewReno] {
        let mut talk = ten_in_flight(recovery);
        assert_eq!(talk.ack(100, 0), [10]);
        assert_eq!(talk.ack(1, 0), [11]);
        assert_eq!(talk.ack(1, 0), [0]);
        assert_eq!(talk.ssthresh(), 5.0, "the flight excludes these two segments (RFC 5681, section 3.2, step 2)");
    }
}

#[test]
fn the_advertised_window_must_allow_it() {
    // section 2, first condition
    let mut talk = Talk::new(&SenderConfig { max_window: 11, ..open(10) });
    talk.sends();
    assert_eq!(talk.ack(100, 0), [10]);
    assert_eq!(talk.ack(1, 0), []);
}

#[test]
fn there_must_be_new_data() {
    let mut talk = Talk::with_supply(&open(10), 10);
    talk.sends();
    assert_eq!(talk.ack(100, 0), []);
}

#[test]
fn the_window_does_not_change() {
    // section 2: cwnd must not be changed when these segments are sent
    let mut talk = ten_in_flight(RecoverySpec::Reno);
    talk.ack(100, 0);
    talk.ack(1, 0);
    assert_eq!(talk.cwnd(), 10.0);
    assert_eq!(talk.ack(1, 1), [], "the window has grown to eleven, and eleven are in flight");
}

#[test]
fn it_can_be_turned_off() {
    let mut talk = Talk::new(&SenderConfig { limited_transmit: false, ..open(10) });
    talk.sends();
    assert_eq!(talk.ack(100, 0), []);
    assert_eq!(talk.ack(1, 0), []);
    assert_eq!(talk.ack(1, 0), [0]);
}

#[test]
fn processing_does_not_delay_it_nor_a_retransmission() {
    // ns-2's overhead_: only segments that the window allows are delayed
    let overhead = Time::from_micros(12);
    let mut talk = Talk::new(&SenderConfig { overhead, ..open(8) });
    assert_eq!(talk.sends(), []);
    assert_eq!(talk.process(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(talk.now < overhead);
    let answers: Vec<Vec<u64>> = (0..3).map(|_| talk.ack(10, 0)).collect();
    assert_eq!(answers, [vec![8], vec![9], vec![0]]);
}
