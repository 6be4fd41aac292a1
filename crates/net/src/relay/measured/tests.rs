//! Round-trip samples of a relay.

use super::*;

fn flow(sent: &[(u64, u64)]) -> Flow {
    let mut flow = Flow::default();
    for (number, at) in sent {
        let again = *number < flow.next;
        flow.send(InFlight { number: *number, sent: Time::from_millis(*at), again, reported: false });
    }
    flow
}

/// Validates: the sample of an ACK is from the first segment that it acknowledges.
/// Source: hand; `tcp_clean_rtx_queue` of Linux 6.18.
/// Tolerance: exact.
#[test]
fn an_ack_times_its_first_segment() {
    let mut flow = flow(&[(0, 10), (1, 20), (2, 30), (3, 40)]);
    assert_eq!(flow.acknowledge(2, None), Some(Time::from_millis(10)));
    assert_eq!(flow.acknowledge(2, None), None, "nothing new");
    assert_eq!(flow.acknowledge(4, None), Some(Time::from_millis(30)));
}

/// Validates: an ACK that covers a retransmission gives no sample; a SACK block gives one of its first new segment that was
///     sent once; segments that a SACK reported give none when they are acknowledged.
/// Source: hand: segment 0 is lost; SACKs report 1, then 2 and 3, then both again; 0 is sent again.
/// Tolerance: exact.
#[test]
fn retransmissions_give_no_samples_and_sacks_do() {
    let mut flow = flow(&[(0, 10), (1, 20), (2, 30), (3, 40), (4, 50)]);
    assert_eq!(flow.acknowledge(0, Some([1, 2])), Some(Time::from_millis(20)));
    assert_eq!(flow.acknowledge(0, Some([1, 4])), Some(Time::from_millis(30)));
    assert_eq!(flow.acknowledge(0, Some([1, 4])), None, "nothing new");
    flow.send(InFlight { number: 0, sent: Time::from_millis(60), again: true, reported: false });
    assert_eq!(flow.acknowledge(4, None), None, "it covers a retransmission");
    assert_eq!(flow.acknowledge(4, Some([0, 2])), None, "a duplicate (RFC 2883)");
    assert_eq!(flow.acknowledge(5, None), Some(Time::from_millis(50)));
}
