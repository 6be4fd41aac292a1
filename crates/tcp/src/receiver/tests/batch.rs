//! Packets that the receiver's host gathers, and ACKs by round-trip time, in cases worked by hand.

use super::*;

/// A round trip of 100 ms precedes time 0, at which the first segment arrives.
const RTT: Time = Time::from_millis(100);
const GRO: ReceiverConfig =
    ReceiverConfig { gro_interval: Time::from_micros(50), gro_packets: 4, sack_blocks: 3, ..ReceiverConfig::DEFAULT };

/// An ACK: when it is sent, in us, and the next segment expected.
type Sent = (u64, u64);

/// The ACKs for segments at the given times in us, and of the timer until no ACK waits.
fn acks(config: ReceiverConfig, segments: &[(u64, u64, Mark)]) -> Vec<Sent> {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(config);
    receiver.handle_segment(0, Mark::NONE, Time::ZERO, &mut pool);
    let since = |at: Time| at.saturating_sub(RTT).as_picos() / 1_000_000;
    let mut found = Vec::new();
    let run = |receiver: &mut Receiver, pool: &mut ReceiverPool, found: &mut Vec<Sent>, end: Time| {
        while let Some(due) = receiver.poll_timeout(pool).filter(|due| *due <= end) {
            found.extend(receiver.handle_timeout(pool).map(|ack| (since(due), ack.next)));
        }
    };
    for (micros, number, mark) in segments {
        let now = RTT + Time::from_micros(*micros);
        run(&mut receiver, &mut pool, &mut found, now);
        let mark = Mark { sent: now, ..*mark };
        found.extend(receiver.handle_segment(*number, mark, now, &mut pool).ack.map(|ack| (since(now), ack.next)));
    }
    run(&mut receiver, &mut pool, &mut found, Time::MAX);
    found
}

/// Segments without marks.
fn plain(segments: &[(u64, u64)]) -> Vec<(u64, u64, Mark)> {
    segments.iter().map(|(at, number)| (*at, *number, Mark::NONE)).collect()
}

/// Validates: a batch has one ACK, 50 us after its first segment, or with its fourth. The ACK of a single segment is delayed
///     by 200 ms from then on.
/// Source: Linux, `dev_gro_receive` and `__tcp_ack_snd_check`, by hand.
/// Tolerance: exact.
#[test]
fn a_batch_has_one_ack() {
    assert_eq!(acks(GRO, &plain(&[(0, 1), (10, 2), (20, 3), (60, 4), (105, 5)])), [(50, 4), (110, 6)]);
    let five: Vec<_> = (0..5).map(|place| (place, place + 1)).collect();
    assert_eq!(acks(GRO, &plain(&five)), [(3, 5), (4 + 50 + 200_000, 6)]);
    let at_once = ReceiverConfig { delayed_ack: false, ..GRO };
    assert_eq!(acks(at_once, &plain(&five)), [(3, 5), (4 + 50, 6)]);
    let none = ReceiverConfig { gro_interval: Time::ZERO, ..GRO };
    assert_eq!(acks(none, &plain(&five)), [(1, 3), (3, 5), (200_004, 6)]);
}

/// Validates: a packet out of sequence, and one with another mark, end a batch, whose ACK does not cover them; a pushed one
///     ends it too, and is covered. A duplicate is answered at once.
/// Source: Linux, `tcp_gro_receive` (`flush`), by hand.
/// Tolerance: exact.
#[test]
fn a_batch_ends_early() {
    assert_eq!(acks(GRO, &plain(&[(0, 1), (1, 2), (2, 4), (3, 5), (60, 3)])), [(2, 3), (52, 3), (110, 6)]);
    let ce = Mark { ce: true, ..Mark::NONE };
    let marked = [(0, 1, Mark::NONE), (1, 2, Mark::NONE), (2, 3, ce), (3, 4, ce)];
    assert_eq!(acks(ReceiverConfig { ecn: EcnMode::Classic, ..GRO }, &marked), [(2, 3), (52, 5)]);
    let pushed = Mark { pushed: true, ..Mark::NONE };
    assert_eq!(acks(GRO, &[(0, 1, Mark::NONE), (1, 2, pushed), (2, 3, pushed)]), [(1, 3), (200_002, 4)]);
    assert_eq!(acks(GRO, &plain(&[(0, 1), (1, 2), (2, 1)])), [(2, 3), (2, 3)]);
}

/// Validates: a delayed ACK that waits is sent in time while a batch is open, and covers it.
/// Source: by hand; in Linux, it does not cover the batch (`batch.rs`).
/// Tolerance: exact.
#[test]
fn the_timer_of_a_delayed_ack_does_not_wait_for_a_batch() {
    assert_eq!(acks(GRO, &plain(&[(0, 1), (200_040, 2), (200_045, 3)])), [(200_050, 4)]);
}

/// Validates: batches beyond a gap have one ACK each, and SACK compression counts batches.
/// Source: Linux, `__tcp_ack_snd_check`.
/// Tolerance: exact.
#[test]
fn sack_compression_counts_batches() {
    let config = ReceiverConfig { sack_compression: 44, ..GRO };
    let segments: Vec<_> = (0..10).map(|place| (100 * (place / 2), place + 2)).collect();
    // three batches, then one ACK 1.1 ms after the fourth one
    assert_eq!(acks(config, &plain(&segments)), [(50, 1), (150, 1), (250, 1), (1450, 1)]);
}

/// Validates: with four ACKs in a round-trip time of 100 ms and packets every 10 ms, an ACK leaves 25 ms after the first
///     packet that waits; `ack_every` still limits the packets, and `delayed_ack_timeout` the time.
/// Source: draft-ietf-quic-ack-frequency (Requested Max Ack Delay, Ack-Eliciting Threshold), by hand.
/// Tolerance: exact.
#[test]
fn acks_may_follow_the_round_trip() {
    let segments: Vec<_> = (0..6).map(|place| (10_000 * place, place + 1)).collect();
    let config = ReceiverConfig { acks_per_rtt: 4, ack_every: 100, ..ReceiverConfig::DEFAULT };
    assert_eq!(acks(config, &plain(&segments)), [(25_000, 4), (55_000, 7)]);
    assert_eq!(acks(ReceiverConfig { ack_every: 3, ..config }, &plain(&segments)), [(20_000, 4), (50_000, 7)]);
    let short = ReceiverConfig { delayed_ack_timeout: Time::from_millis(5), ..config };
    assert_eq!(acks(short, &plain(&segments[..2])), [(5_000, 2), (15_000, 3)]);
    let unknown = ReceiverConfig { handshake: false, delayed_ack_timeout: Time::from_millis(70), ..config };
    assert_eq!(acks(unknown, &plain(&segments[..2])).last(), Some(&(70_000, 3)));
}
