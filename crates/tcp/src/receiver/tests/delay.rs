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
    assert_eq!(receiver.handle_timeout(&mut pool), Ack::cumulative(3));
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

#[test]
fn a_duplicate_brings_quick_acks_back() {
    // Linux, tcp_data_queue: the ACK of the duplicate is the first of them
    let config = ReceiverConfig { quick_acks_again: 3, ..DELAYED };
    let segments = [1, 2, 1, 3, 4, 5, 6].map(|number| (1, number));
    assert_eq!(answered(config, &segments), [false, true, true, true, true, false, true]);
    let ordinary = ReceiverConfig { quick_acks_again: 0, ..config };
    assert_eq!(answered(ordinary, &segments), [false, true, true, false, true, false, true]);
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
