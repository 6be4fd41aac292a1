//! RFC 9293: ACKs that do not fit.

use ackclock_tcp::recovery::RecoverySpec;

use crate::ten_in_flight;

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
