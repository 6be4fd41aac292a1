//! Limits worked out by hand, and senders whose packets leave when the test says so.

use ackclock_units::{Role, Stream, Time};

use super::*;
use crate::config::{GsoRule, Pacing, SenderConfig};
use crate::recovery::RecoverySpec;
use crate::segment::Ack;

/// A packet has 1448 bytes of data, and takes 2280 bytes.
fn linux(limit_output_bytes: u32) -> SenderConfig {
    SenderConfig {
        payload: 1448,
        handshake: false,
        recovery: RecoverySpec::Rack,
        limit_output_bytes,
        tail_loss_probe: false,
        ..SenderConfig::default()
    }
}

/// Sends what the sender may send now, and counts it as queued.
fn sends(sender: &mut Sender, now: Time) -> Vec<u64> {
    let mut numbers = Vec::new();
    while let Some(segment) = sender.poll_transmit(now) {
        sender.handle_queued();
        numbers.push(segment.number);
    }
    numbers
}

fn sender(config: SenderConfig) -> Sender {
    let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
    sender.supply(1_000);
    sender
}

/// At 40.2 Mb/s, 1/1024 s has 4907 bytes: the kernel then had three packets in its queue, of 6840 bytes.
///
/// Validates: the limit is the memory of two super-segments, or the data of 1/1024 s if that is more, up to the largest one;
///     twice as much for retransmissions.
/// Source: Linux, `tcp_small_queue_check`; the memory is measured (6.18.44, `skmem` of `ss`).
/// Tolerance: exact.
#[test]
fn the_limit_is_two_packets_or_a_millisecond() {
    let config = linux(4_194_304);
    let each = |mbps: f64| Some(Time::from_secs_f64(1448.0 * 8.0 / (mbps * 1e6)));
    assert_eq!(limit(&config, 1, each(1.0), false), 4560);
    assert_eq!(limit(&config, 1, each(1.0), true), 9120);
    assert_eq!(limit(&config, 1, each(40.2), false), 4907);
    assert_eq!(limit(&config, 44, each(40.2), false), 2 * (44 * 1448 + 832));
    assert_eq!(limit(&config, 1, each(100_000.0), false), 4_194_304);
    assert_eq!(limit(&config, 1, None, false), 4_194_304);
    assert_eq!(limit(&linux(3000), 1, each(1.0), false), 3000);
}

/// An initial window of ten packets, of which 10,000 bytes may be in the queue: with five packets it is full.
///
/// Validates: data waits until packets leave, one for each; if only one segment is outstanding, the next one does not wait.
/// Source: Linux, `tcp_small_queue_check`, `tcp_tsq_write`, by hand.
/// Tolerance: exact.
#[test]
fn each_packet_that_leaves_releases_one() {
    let mut sender = sender(linux(10_000));
    assert_eq!(sends(&mut sender, Time::ZERO), [0, 1, 2, 3, 4]);
    assert!(!sender.is_data_limited());
    for number in 5..8 {
        assert!(sender.handle_left());
        assert_eq!(sends(&mut sender, Time::ZERO), [number]);
    }
    assert!(sender.handle_left());
    assert!(!sender.handle_left(), "nothing waits until the sender has looked again");
    assert_eq!(sends(&mut sender, Time::ZERO), [8, 9]);
    assert!(!sender.handle_left(), "the window is full");
    // four packets are in the queue; at the rate of a window per second, two may be
    sender.handle_ack(Ack::cumulative(8), Time::SECOND);
    assert_eq!(sends(&mut sender, Time::SECOND), [0; 0]);
    sender.handle_ack(Ack::cumulative(9), Time::SECOND);
    assert_eq!(sends(&mut sender, Time::SECOND), [10], "one segment is outstanding");
}

/// Validates: super-segments take their data and 832 bytes, and leave packet by packet; a new one waits while two of its size
///     are in the queue.
/// Source: Linux, `tcp_small_queue_check`, by hand.
/// Tolerance: exact.
#[test]
fn a_super_segment_waits_as_a_whole() {
    let config = SenderConfig { gso: GsoRule::Fixed, gso_max_segs: 3, initial_window: 30, ..linux(15_000) };
    let mut sender = sender(config);
    // 3 * (3 * 1448 + 832) = 15,528
    assert_eq!(sends(&mut sender, Time::ZERO), (0..9).collect::<Vec<_>>());
    assert!(sender.handle_left());
    assert_eq!(sends(&mut sender, Time::ZERO), [9, 10, 11], "14,080 bytes were left");
    assert!(sender.handle_left());
    assert_eq!(sends(&mut sender, Time::ZERO), [0; 0], "16,360 bytes");
    let queue = sender.connection.extra.as_ref().and_then(|extra| extra.small_queue.as_ref()).expect("it has a limit");
    assert_eq!((queue.packets, queue.bursts.iter().copied().collect::<Vec<_>>()), (10, vec![1, 3, 3, 3]));
}

/// Validates: a paced sender waits for the queue like others, and for its pace after that.
/// Source: Linux, `tcp_write_xmit`.
/// Tolerance: exact.
#[test]
fn a_paced_sender_waits_for_both() {
    let config = SenderConfig { pacing: Pacing::Window, initial_window: 4, ..linux(4_194_304) };
    let mut sender = sender(config);
    assert_eq!(sends(&mut sender, Time::ZERO), [0, 1, 2, 3], "the initial window is not paced");
    let mut now = Time::SECOND;
    sender.handle_ack(Ack::cumulative(2), now);
    assert_eq!(sends(&mut sender, now), [0; 0], "four packets are in the queue, and two are too many");
    assert_eq!(sender.poll_release(), None);
    for _ in 0..2 {
        sender.handle_left();
    }
    assert_eq!(sends(&mut sender, now), [0; 0]);
    assert!(sender.handle_left());
    assert_eq!(sends(&mut sender, now), [4]);
    now = sender.poll_release().expect("the next one is paced");
    assert_eq!(sends(&mut sender, now), [0; 0], "two packets are in the queue");
    assert!(sender.handle_left());
    assert_eq!(sends(&mut sender, now), [5]);
}
