//! SACK compression, in cases worked by hand.

use super::*;

const COMPRESSED: ReceiverConfig =
    ReceiverConfig { sack_blocks: 3, sack_compression: 44, dsack: true, ..ReceiverConfig::DEFAULT };

/// An ACK: when it is sent, in us, the next segment expected, and the SACK blocks.
type Sent = (u64, u64, Vec<(u64, u64)>);

fn sent(now: u64, ack: Ack<'_>) -> Sent {
    (now, ack.next, ack.sack.blocks().iter().map(|block| (block.start, block.end)).collect())
}

/// The ACKs of a receiver for segments at the given times in us, and of its timer up to a second later. A SYN arrives
/// 10,000 us before time 0, at which the first segment arrives.
fn acks(config: ReceiverConfig, segments: &[(u64, u64)]) -> Vec<Sent> {
    const SYN: u64 = 10_000;
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(config);
    let at = |micros| Time::from_micros(micros + SYN);
    receiver.handle_segment(0, Mark::NONE, Time::ZERO, &mut pool);
    let mut found = Vec::new();
    for (micros, number) in segments.iter().chain([&(1_000_000, u64::MAX)]) {
        while let Some(due) = receiver.poll_timeout(&pool).filter(|due| *due <= at(*micros)) {
            let at = due.as_picos() / 1_000_000 - SYN;
            found.extend(receiver.handle_timeout(&mut pool).map(|ack| sent(at, ack)));
        }
        if *number < u64::MAX {
            let mark = Mark { sent: at(*micros), ..Mark::NONE };
            found.extend(
                receiver.handle_segment(*number, mark, at(*micros), &mut pool).ack.map(|ack| sent(*micros, ack)),
            );
        }
    }
    found
}

/// When the ACKs are sent.
fn times(config: ReceiverConfig, segments: &[(u64, u64)]) -> Vec<u64> {
    acks(config, segments).into_iter().map(|(time, ..)| time).collect()
}

/// Validates: three ACKs for the same segment are sent at once, then one after 5 % of the round-trip time of 10 ms and the
///     slack; the next packet begins a new wait. Without the option, and without SACK, each packet has its ACK at once.
/// Source: Linux, `__tcp_ack_snd_check`, by hand.
/// Tolerance: exact.
#[test]
fn acks_beyond_a_gap_wait_after_the_third() {
    let segments = [(0, 2), (10, 3), (20, 4), (30, 5), (40, 6), (630, 7), (1300, 8)];
    assert_eq!(times(COMPRESSED, &segments), [0, 10, 20, 630, 1230, 1900]);
    let last = acks(COMPRESSED, &segments).pop();
    assert_eq!(last, Some((1900, 1, vec![(2, 9)])));
    let each = [0, 10, 20, 30, 40, 630, 1300];
    assert_eq!(times(ReceiverConfig { sack_compression: 0, ..COMPRESSED }, &segments), each);
    assert_eq!(times(ReceiverConfig { sack_blocks: 0, ..COMPRESSED }, &segments), each);
}

/// Validates: the wait is 1 ms and the slack with a round-trip time from 20 ms on, or if it is not known; the share and the
///     delay are options.
/// Source: Linux, `__tcp_ack_snd_check`.
/// Tolerance: exact.
#[test]
fn the_wait_is_a_share_of_the_round_trip() {
    let segments = [(0, 2), (1, 3), (2, 4), (3, 5)];
    let wait = |config| times(config, &segments)[3] - 3;
    assert_eq!(wait(COMPRESSED), 600);
    assert_eq!(wait(ReceiverConfig { handshake: false, ..COMPRESSED }), 1100);
    assert_eq!(wait(ReceiverConfig { sack_compression_rtt_percent: 33, ..COMPRESSED }), 1100);
    let (delay, slack) = (Time::from_millis(5), Time::ZERO);
    let slow = ReceiverConfig {
        sack_compression_delay: delay,
        sack_compression_slack: slack,
        sack_compression_rtt_percent: 33,
        ..COMPRESSED
    };
    assert_eq!(wait(slow), 3300);
}

/// Validates: with two ACKs that wait, the next packet is acknowledged at once, and the one after it waits again.
/// Source: Linux, `__tcp_ack_snd_check` (`tcp_comp_sack_nr`).
/// Tolerance: exact.
#[test]
fn an_ack_replaces_a_number_of_others() {
    let config = ReceiverConfig { sack_compression: 2, ..COMPRESSED };
    let segments: Vec<_> = (0..8).map(|place| (10 * place, place + 2)).collect();
    assert_eq!(times(config, &segments), [0, 10, 20, 50, 660], "the last two wait from 60 us on");
}

/// Validates: a packet in order that leaves a gap open is acknowledged at once, as are two packets beyond the gap; one that
///     closes it too, and no ACK waits after it.
/// Source: Linux, `__tcp_ack_snd_check` (`compressed_ack_rcv_nxt`), `tcp_data_queue` (`ICSK_ACK_NOW`); the kernel's traces
///     `cubic_d1000_2000` at segment 2000 and `reno_codel` at 808 (validation/linux/data) have two ACKs without progress at
///     once after such an ACK, then one after 1.2 and 1.1 ms.
/// Tolerance: exact.
#[test]
fn a_packet_in_order_is_acknowledged_at_once() {
    let gaps = [(0, 2), (1, 4), (2, 5), (3, 6), (4, 1), (5, 7), (6, 8), (7, 9)];
    assert_eq!(times(COMPRESSED, &gaps), [0, 1, 2, 4, 5, 6, 607]);
    assert_eq!(times(COMPRESSED, &[(0, 2), (1, 3), (2, 4), (3, 5), (4, 1)]), [0, 1, 2, 4]);
}

/// Validates: after quick ACKs at the start of a connection, the first gap has four ACKs at once, and the next one three;
///     without quick ACKs, each gap has three.
/// Source: Linux, `tcp_data_queue_ofo` and `tcp_grow_window`, by hand; the kernel's traces (validation/linux/data)
///     `cubic_d1000_2000` at segments 1000 and 2000, and both `d100_101_of_each_100` at 400, the first gap after the
///     growth of the window, and from 500 on.
/// Tolerance: exact.
#[test]
fn the_first_gap_after_the_quick_acks_has_one_more() {
    let gaps = [(0, 1), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7), (700, 2), (701, 9), (702, 10), (703, 11), (704, 12)];
    let quick = ReceiverConfig { quick_acks: 1, ..COMPRESSED };
    assert_eq!(times(quick, &gaps), [0, 1, 2, 3, 4, 605, 700, 701, 702, 703, 1304]);
    assert_eq!(times(COMPRESSED, &gaps[1..5]), [1, 2, 3, 604]);
}

/// Validates: a third run releases the ACK that waits, with the runs before it, and waits itself; so does a packet of the
///     third run in the list, but not one of the second.
/// Source: Linux, `tcp_sack_new_ofo_skb` (`TCP_SACK_BLOCKS_EXPECTED`), by hand.
/// Tolerance: exact.
#[test]
fn a_third_run_releases_the_ack_that_waits() {
    let segments = [(0, 2), (1, 3), (2, 4), (3, 6), (4, 8), (5, 6), (6, 2)];
    let expected = [
        (0, 1, vec![(2, 3)]),
        (1, 1, vec![(2, 4)]),
        (2, 1, vec![(2, 5)]),
        // the run from 6 has been reported first before the run from 8 moves it back
        (4, 1, vec![(6, 7), (2, 5)]),
        (6, 1, vec![(6, 7), (8, 9), (2, 5)]),
        (606, 1, vec![(2, 3), (2, 5), (6, 7)]),
    ];
    assert_eq!(acks(COMPRESSED, &segments), expected, "the duplicate of 6 is forgotten, the one of 2 reported");
}

/// Validates: a duplicate of a packet in order is acknowledged at once, and its ACK replaces the one that waits; quick ACKs
///     do not wait.
/// Source: Linux, `tcp_send_dupack`, `tcp_in_quickack_mode`.
/// Tolerance: exact.
#[test]
fn duplicates_and_quick_acks_do_not_wait() {
    let config = ReceiverConfig { quick_acks_again: 3, ..COMPRESSED };
    let segments = [(0, 1), (1, 2), (2, 4), (3, 5), (4, 6), (5, 7), (6, 1), (7, 8), (8, 9), (9, 10), (10, 11)];
    assert_eq!(times(config, &segments), [1, 2, 3, 4, 6, 7, 8, 9, 610]);
}

/// Validates: the timer of a compressed ACK leaves the adaptive delay as it is.
/// Source: Linux, `tcp_compressed_ack_kick`.
/// Tolerance: exact.
#[test]
fn a_compressed_ack_does_not_double_the_delay() {
    let config = ReceiverConfig { delayed_ack_rule: DelayRule::Linux, ..COMPRESSED };
    let segments = [(0, 1), (1, 2), (2, 4), (3, 5), (4, 6), (5, 7), (1000, 3), (2000, 8)];
    assert_eq!(times(config, &segments), [1, 2, 3, 4, 605, 1000, 12_000 + 30_000]);
}

proptest! {
    /// Validates: with SACK compression, no more ACKs are sent than without it, each of them is one of those that would be
    ///     sent without it, and the last one is the same.
    /// Source: Linux, `__tcp_ack_snd_check` and `tcp_sack_new_ofo_skb`.
    /// Tolerance: exact.
    #[test]
    fn compression_only_leaves_acks_out(
        arrivals in prop::collection::vec((0_u64..1500, 1_u64..40), 1..80),
        sack_compression in 1_u32..50,
        sack_blocks in 1_u32..5,
    ) {
        let mut now = 0;
        let segments: Vec<_> = arrivals
            .into_iter()
            .map(|(interval, number)| {
                now += interval;
                (now, number)
            })
            .collect();
        let each = ReceiverConfig { delayed_ack: false, dsack: false, sack_blocks, ..ReceiverConfig::DEFAULT };
        let reports = |config| acks(config, &segments).into_iter().map(|(_, next, blocks)| (next, blocks));
        let all: Vec<_> = reports(each).collect();
        let some: Vec<_> = reports(ReceiverConfig { sack_compression, ..each }).collect();
        prop_assert!(some.len() <= all.len());
        prop_assert_eq!(some.last(), all.last());
        let mut left = all.iter();
        for report in &some {
            prop_assert!(left.any(|other| other == report), "{:?} is not sent without compression", report);
        }
    }
}
