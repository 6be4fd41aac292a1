//! ACKs that wait and quick ACKs, in cases worked by hand.

use super::*;

/// Which of `count` segments after a SYN are acknowledged at once. They arrive in order, a millisecond apart.
fn at_once(config: ReceiverConfig, count: u64) -> Vec<u64> {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(config);
    let mut has_ack =
        |number| receiver.handle_segment(number, Mark::NONE, Time::from_millis(number), &mut pool).ack.is_some();
    assert!(has_ack(0), "a SYN is acknowledged at once");
    (1..=count).filter(|number| has_ack(*number)).collect()
}

/// The segments of several times that are acknowledged at once; a segment below the previous one is a duplicate.
fn answered(config: ReceiverConfig, segments: &[(u64, u64)]) -> Vec<bool> {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(config);
    receiver.handle_segment(0, Mark::NONE, Time::ZERO, &mut pool);
    let mut has_ack = |(millis, number): &(u64, u64)| {
        receiver.handle_segment(*number, Mark::NONE, Time::from_millis(*millis), &mut pool).ack.is_some()
    };
    segments.iter().map(&mut has_ack).collect()
}

#[test]
fn an_ack_covers_the_number_of_packets_asked_for() {
    // RFC 5681, section 4.2: every second one; RFC 9293, section 3.8.6.3
    for (ack_every, expected) in [(1, vec![1, 2, 3, 4, 5, 6, 7]), (2, vec![2, 4, 6]), (3, vec![3, 6]), (8, vec![])] {
        assert_eq!(at_once(ReceiverConfig { ack_every, ..DELAYED }, 7), expected, "{ack_every}");
    }
}

#[test]
fn the_timer_runs_from_the_first_packet_that_waits() {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(ReceiverConfig { ack_every: 4, ..DELAYED });
    for number in 0..3 {
        receiver.handle_segment(number, Mark::NONE, Time::from_millis(10 * number), &mut pool);
    }
    assert_eq!(receiver.poll_timeout(&pool), Some(Time::from_millis(110)));
    assert_eq!(receiver.handle_timeout(&mut pool), Some(Ack::cumulative(3)));
    let mut waits = |number| receiver.handle_segment(number, Mark::NONE, Time::SECOND, &mut pool).ack.is_none();
    assert_eq!([3, 4, 5, 6].map(&mut waits), [true, true, true, false], "the count starts again");
}

#[test]
fn a_pushed_packet_is_acknowledged_at_once() {
    // Linux, tcp_measure_rcv_mss and __tcp_cleanup_rbuf; counting starts again after it
    for (acks_pushed, expected) in
        [(true, [false, true, true, false, true]), (false, [false, true, false, true, false])]
    {
        let mut pool = ReceiverPool::default();
        let mut receiver = pool.add(ReceiverConfig { acks_pushed, ..DELAYED });
        receiver.handle_segment(0, Mark::NONE, Time::ZERO, &mut pool);
        let found = [1, 2, 3, 4, 5].map(|number| {
            let mark = Mark { pushed: number == 3, ..Mark::NONE };
            receiver.handle_segment(number, mark, Time::from_millis(number), &mut pool).ack.is_some()
        });
        assert_eq!(found, expected);
    }
}

#[test]
fn the_first_data_packets_get_quick_acks() {
    // Linux, tcp_grow_window: 378 packets with a buffer of 8 MB, measured with version 6.18; then every second one
    let config = ReceiverConfig { quick_acks: 378, ..DELAYED };
    let expected: Vec<u64> = (1..=378).chain((380..=400).step_by(2)).collect();
    assert_eq!(at_once(config, 400), expected);
}

#[test]
fn packets_beyond_a_gap_use_up_quick_acks_but_duplicates_do_not() {
    // measured: 378 new packets in any order get ACKs at once, and a duplicate among them does not count
    let config = ReceiverConfig { quick_acks: 4, ..DELAYED };
    let numbers = [1, 3, 3, 2, 4, 5, 6, 7];
    let segments = numbers.map(|number| (1, number));
    assert_eq!(answered(config, &segments), [true, true, true, true, true, false, true, false]);
}

#[test]
fn a_pause_brings_quick_acks_back() {
    // Linux, tcp_event_data_recv: 16 packets, measured after pauses of 3 s and not after pauses of 0.1 s
    let config = ReceiverConfig { quick_acks_again: 3, ..DELAYED };
    let times = [0, 1, 201, 202, 403, 404, 405, 406, 407, 408];
    let segments: Vec<_> = times.into_iter().zip(1..).collect();
    let expected = [false, true, false, true, true, true, true, false, true, false];
    assert_eq!(answered(config, &segments), expected, "200 ms are no pause");
}

/// Validates: the ACK of a duplicate is one of the quick ACKs that it brings back if the duplicate is the last packet
///     acknowledged, or an ACK waits; it is not if the packet is older. A duplicate beyond a gap brings none back.
/// Source: Linux, `tcp_sequence` and `tcp_send_dupack`, `tcp_data_queue`, `tcp_data_queue_ofo`, `tcp_dec_quickack_mode`.
/// Tolerance: exact.
#[test]
fn a_duplicate_brings_quick_acks_back() {
    let config = ReceiverConfig { quick_acks_again: 3, ..DELAYED };
    let found = |numbers: [u64; 8], config| answered(config, &numbers.map(|number| (1, number)));
    assert_eq!(found([1, 2, 2, 3, 4, 5, 6, 7], config), [false, true, true, true, true, false, true, false]);
    assert_eq!(found([1, 2, 1, 3, 4, 5, 6, 7], config), [false, true, true, true, true, true, false, true]);
    assert_eq!(found([1, 2, 3, 1, 4, 5, 6, 7], config), [false, true, false, true, true, true, false, true]);
    assert_eq!(found([1, 3, 3, 2, 4, 5, 6, 7], config), [false, true, true, true, false, true, false, true]);
    let ordinary = ReceiverConfig { quick_acks_again: 0, ..config };
    assert_eq!(found([1, 2, 1, 3, 4, 5, 6, 7], ordinary), [false, true, true, false, true, false, true, false]);
}

/// When the ACK of the last of several segments is due, in ms; the times and numbers of the segments follow a SYN at time
/// 0, the first comes after 200 ms.
fn due(config: ReceiverConfig, segments: &[(u64, u64)]) -> u64 {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(config);
    for (millis, number) in [(0, 0)].iter().chain(segments) {
        let now = Time::from_millis(*millis);
        if receiver.poll_timeout(&pool).is_some_and(|at| at <= now) {
            receiver.handle_timeout(&mut pool);
        }
        let mark = Mark { sent: now, ..Mark::NONE };
        receiver.handle_segment(*number, mark, now, &mut pool);
    }
    let (millis, _) = segments[segments.len() - 1];
    let at = receiver.poll_timeout(&pool).expect("the last ACK waits");
    (at - Time::from_millis(millis)).as_picos() / Time::from_millis(1).as_picos()
}

/// Validates: the adaptive delay. After two ACKs of the timer, at 40 and 80 ms, the delay is 160 ms; a duplicate sets it to
///     40 ms, as does the last of the quick ACKs that a pause brings. A packet beyond a gap does not, but halves nothing
///     either.
/// Source: Linux, `tcp_enter_quickack_mode`, `tcp_dec_quickack_mode`, `tcp_delack_timer_handler`, by hand.
/// Tolerance: exact.
#[test]
fn a_duplicate_and_the_last_quick_ack_deflate_the_delay() {
    let linux = ReceiverConfig {
        delayed_ack_rule: DelayRule::Linux,
        delayed_ack_timeout: Time::from_millis(200),
        quick_acks_again: 2,
        ..DELAYED
    };
    let doubled = [(200, 1), (400, 2), (600, 3)];
    let due = |more: &[(u64, u64)]| due(linux, &[&doubled[..], more].concat());
    assert_eq!(due(&[]), 160);
    // the ACK of the duplicate, with the one of segment 3 that waits, is the first of two quick ones
    assert_eq!(due(&[(601, 1), (601, 4), (601, 5)]), 40);
    // a pause of more than 600 ms, the timeout after a handshake of 200 ms
    assert_eq!(due(&[(1300, 4), (1301, 5), (1302, 6)]), 40);
    // a gap of one segment: 160 ms, halved to 100 and 70 ms by the two packets in order
    assert_eq!(due(&[(601, 5), (601, 4), (601, 6)]), 70);
}

/// Validates: the first data counts for the round-trip time even if it arrives beyond a gap: after 50 ms instead of 1.05 s,
///     so that a doubled delay is at most 50 ms.
/// Source: Linux, `tcp_synack_rtt_meas`: the ACK of the SYN-ACK precedes all data.
/// Tolerance: exact.
#[test]
fn the_first_data_in_any_order_measures_the_round_trip() {
    let linux = ReceiverConfig { delayed_ack_rule: DelayRule::Linux, ..DELAYED };
    assert_eq!(due(linux, &[(50, 2), (1050, 1), (1060, 3), (1300, 4)]), 50);
    // a duplicate of the SYN after data changes nothing
    assert_eq!(due(linux, &[(50, 1), (60, 0), (300, 2), (600, 3)]), 50);
}

#[test]
fn a_gap_that_closes_brings_no_quick_acks() {
    // measured: ACKs of every second packet follow the ACK of the packet that fills the gap
    let config = ReceiverConfig { quick_acks_again: 16, ..DELAYED };
    let segments = [2, 3, 1, 4, 5, 6, 7].map(|number| (1, number));
    assert_eq!(answered(config, &segments), [true, true, true, false, true, false, true]);
}

#[test]
fn a_new_connection_begins_with_quick_acks() {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(ReceiverConfig { quick_acks: 1, ..DELAYED });
    for _ in 0..2 {
        let mut waits = |number| receiver.handle_segment(number, Mark::NONE, Time::ZERO, &mut pool).ack.is_none();
        assert_eq!([0, 1, 2, 3].map(&mut waits), [false, false, true, false]);
        receiver.renew(&mut pool);
    }
}
