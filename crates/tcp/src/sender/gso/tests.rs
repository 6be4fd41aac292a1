use ackclock_units::{Role, Stream};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::Sender;
use crate::config::Pacing;
use crate::congestion::{BbrSpec, PragueSpec};
use crate::limits::Limit;
use crate::recovery::RecoverySpec;

const CONFIG: SenderConfig = SenderConfig {
    payload: 1448,
    initial_window: 100,
    gso: GsoRule::Autosize,
    pacing_credit: 50,
    ..SenderConfig::DEFAULT
};

/// The size at a pacing rate in Mb/s of data, with a minimum round-trip time in microseconds.
fn at(config: &SenderConfig, rate: f64, min_rtt: u64) -> u32 {
    let each = Time::from_secs_f64(8.0 * 1448.0 / (1e6 * rate));
    whole(config, Some(each), Some(Time::from_micros(min_rtt)))
}

/// Validates: the data of 1/1024 s: at 10 Mb/s 1,220 bytes, so the least, at 100 Mb/s 12,207 bytes, 8 segments, at
///     1 Gb/s the most. A path of 1.024 ms to 1.535 ms adds a quarter of 65,215 bytes, 11.3 segments: 19.7 in all; one
///     of 16 ms and more nothing.
/// Source: Linux, `tcp_tso_autosize`.
/// Tolerance: exact.
#[test]
fn a_super_segment_has_the_data_of_a_millisecond() {
    assert_eq!([10.0, 100.0, 500.0, 1000.0].map(|rate| at(&CONFIG, rate, 40_000)), [2, 8, 42, 45]);
    assert_eq!([1_024, 1_535, 1_536, 16_384].map(|rtt| at(&CONFIG, 100.0, rtt)), [19, 19, 14, 8]);
    assert_eq!(at(&CONFIG, 10.0, 0), 45);
    let limited = SenderConfig { gso_max_segs: 5, ..CONFIG };
    assert_eq!([10.0, 100.0].map(|rate| at(&limited, rate, 40_000)), [2, 5]);
    assert_eq!(at(&SenderConfig { gso: GsoRule::Fixed, ..limited }, 10.0, 40_000), 5);
    assert_eq!(whole(&CONFIG, None, None), 45, "without a rate there is no smaller size");
}

/// Validates: BBR sends single segments below 1.2 Mb/s; Prague the data of 1/4096 s, 3,051 bytes at 100 Mb/s.
/// Source: Linux, `bbr_min_tso_segs`, and `prague_max_tso_seg` of the L4S team.
/// Tolerance: exact.
#[test]
fn laws_have_sizes_of_their_own() {
    let bbr = SenderConfig { congestion: LawSpec::Bbr(BbrSpec {}), ..CONFIG };
    assert_eq!([1.19, 1.21, 100.0].map(|rate| at(&bbr, rate, 40_000)), [1, 2, 8]);
    let prague = PragueSpec { g: 1.0 / 16.0, rtt_target: Time::from_millis(25), transition: 4 };
    let prague = SenderConfig { congestion: LawSpec::Prague(prague), ..CONFIG };
    assert_eq!([10.0, 100.0, 400.0].map(|rate| at(&prague, rate, 500)), [1, 2, 8]);
}

/// Validates: each reason for which data does not wait, alone.
/// Source: Linux, `tcp_tso_should_defer`.
/// Tolerance: exact.
#[test]
fn data_waits_for_a_whole_super_segment_if_the_ack_is_near() {
    let offer = Offer { quota: 4, size: 10, room: 4, window: 100, is_narrow: true, buffered: 30, is_last: false };
    let ms = Time::from_millis;
    let near = Moment { since: Time::from_micros(200), until: Time::from_micros(300), srtt: ms(10) };
    assert!(offer.waits(near));
    assert!(!Offer { room: 10, ..offer }.waits(near), "a whole super-segment");
    assert!(!Offer { window: 12, ..offer }.waits(near), "a third of the window");
    assert!(!Offer { buffered: 4, ..offer }.waits(near), "the rest of a buffer");
    assert!(Offer { buffered: 4, is_last: true, ..offer }.waits(near), "the application may write more");
    assert!(!Offer { buffered: 1, is_last: true, ..offer }.waits(near), "a single segment");
    assert!(!offer.waits(Moment { since: Time::from_micros(1_001), ..near }), "nothing was sent for 1 ms");
    assert!(!offer.waits(Moment { until: Time::from_micros(1_001), ..near }), "no ACK within 1 ms");
    assert!(!offer.waits(Moment { srtt: Time::from_micros(599), ..near }), "no ACK within half a round trip");
}

/// A sender whose handshake took 10 ms.
fn open(config: SenderConfig) -> (Sender, Time) {
    let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
    sender.supply(10_000);
    assert!(sender.poll_transmit(Time::ZERO).expect("a SYN").syn);
    let now = Time::from_millis(10);
    sender.handle_ack(crate::Ack::cumulative(1), now);
    (sender, now)
}

/// Validates: a paced sender sends super-segments at intervals of all their segments. After the initial window of 100
///     segments, 20 ACKs of 5 segments come at once: at 200 % of 200 segments in 10 ms a segment takes 25 us, 39 of
///     them 1/1024 s, and 975 us pass between super-segments.
/// Source: Linux, `tcp_update_skb_after_send`, `tcp_update_pacing_rate`.
/// Tolerance: a picosecond per segment.
#[test]
fn a_paced_sender_pauses_after_each_super_segment() {
    let config = SenderConfig { pacing: Pacing::Window, byte_counting: 100, ..CONFIG };
    let (mut sender, mut now) = open(SenderConfig { pacing_credit: 0, ..config });
    assert_eq!(std::iter::from_fn(|| sender.poll_transmit(now)).count(), 100, "the initial window");
    now = Time::from_millis(20);
    (1..=20).for_each(|ack| sender.handle_ack(crate::Ack::cumulative(1 + 5 * ack), now));
    let mut sent = Vec::new();
    for _ in 0..4 {
        sent.push((now - Time::from_millis(20), std::iter::from_fn(|| sender.poll_transmit(now)).count()));
        now = sender.poll_release().expect("pacing");
    }
    for (index, (at, count)) in sent.into_iter().enumerate() {
        let due = Time::from_micros(975 * index as u64);
        assert!(count == 39 && at.as_picos().abs_diff(due.as_picos()) < 200, "{count} at {at}");
    }
}

/// Validates: with an ACK each 100 us the window of 100 segments is used in super-segments: one segment at once, since
///     nothing was sent for 10 ms; then the data of 1/1024 s at 120 % of the window per round trip, which at 10.1 ms to
///     10.7 ms are 10 segments, and at 11.3 ms are 9; then the five that are left of the third buffer of 45.
/// Source: Linux, `tcp_tso_should_defer`; measured: the same sizes (validation/linux/data, `super_segments.csv`).
/// Tolerance: exact.
#[test]
fn an_ack_clock_releases_super_segments() {
    let (mut sender, mut now) = open(SenderConfig { max_window: 100, ..CONFIG });
    assert_eq!(std::iter::from_fn(|| sender.poll_transmit(now)).count(), 100);
    now = Time::from_millis(20);
    let mut bursts = Vec::new();
    for ack in 2..37 {
        sender.handle_ack(crate::Ack::cumulative(ack), now);
        bursts.push(std::iter::from_fn(|| sender.poll_transmit(now)).count());
        now += Time::from_micros(100);
    }
    assert_eq!(bursts.into_iter().filter(|burst| *burst > 0).collect::<Vec<_>>(), [1, 10, 10, 9, 5]);
}

/// Validates: data that waits for the next ACK waits for the congestion window, not for the receiver's, which is far larger.
/// Source: docs/measures.md, `limited`; Linux, `tcp_tso_should_defer` (`is_cwnd_limited`).
/// Tolerance: exact.
#[test]
fn data_that_waits_is_limited_by_the_congestion_window() {
    let (mut sender, now) = open(CONFIG);
    assert_eq!(std::iter::from_fn(|| sender.poll_transmit(now)).count(), 100);
    let now = Time::from_millis(20);
    let sent = [2, 3, 4].map(|ack| {
        sender.handle_ack(crate::Ack::cumulative(ack), now);
        std::iter::from_fn(|| sender.poll_transmit(now)).count()
    });
    assert_eq!(sent[2], 0, "{sent:?}");
    assert!(
        !matches!(sender.limits.state(), Limit::ReceiverWindow | Limit::Application),
        "{:?}",
        sender.limits.state()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Validates: whatever the sizes of super-segments, a window of 2,000 segments leaves at 200 % of it in 10 ms, each
    ///     segment once and none before its time.
    /// Source: RFC 9293, section 3.7 (segments in order); the rule at the head of `pacer.rs`.
    /// Tolerance: a picosecond per segment.
    #[test]
    fn the_mean_rate_is_the_pacing_rate(
        (gso, gso_max_segs) in (select(vec![GsoRule::Fixed, GsoRule::Autosize]), 1_u32..70),
        (recovery, push) in (select(vec![RecoverySpec::Rack, RecoverySpec::NewReno]), any::<bool>()),
    ) {
        let config = SenderConfig { gso, gso_max_segs, recovery, push, pacing: Pacing::Window, ..CONFIG };
        let config = SenderConfig { byte_counting: 10_000, max_window: 10_000, tail_loss_probe: false, ..config };
        let (mut sender, mut now) = open(SenderConfig { initial_window: 1_000, pacing_credit: 0, ..config });
        prop_assert_eq!(std::iter::from_fn(|| sender.poll_transmit(now)).count(), 1_000);
        now += Time::from_millis(10);
        sender.handle_ack(crate::Ack::cumulative(1_001), now);
        let (start, mut sent, most) = (now, Vec::new(), u64::from(gso_max_segs.min(45)));
        loop {
            let before = sent.len() as u64;
            // as the network does, which asks a sender in another way on its short path
            if sender.is_paced(64) {
                sent.extend(sender.send_paced(now, 64));
            } else {
                sent.extend(std::iter::from_fn(|| sender.poll_transmit(now)).map(|segment| segment.number));
            }
            prop_assert!(sent.len() as u64 - before <= most);
            let expected = 2.5e-6 * before as f64;
            prop_assert!(((now - start).as_secs_f64() - expected).abs() <= 1e-12 * (before + 1) as f64);
            let Some(at) = sender.poll_release() else { break };
            now = at;
        }
        prop_assert!(sent.into_iter().eq(1_001..3_001));
    }
}

/// Validates: segments that are sent again leave in super-segments of at most the same size, and pacing pauses after
///     each: after a timeout in a flight of 100 segments, the ACK of 8 originals lets 9 segments leave, as 4, 4 and 1.
/// Source: Linux, `tcp_xmit_retransmit_queue`.
/// Tolerance: exact.
#[test]
fn retransmissions_form_super_segments() {
    let config = SenderConfig { gso: GsoRule::Fixed, gso_max_segs: 4, recovery: RecoverySpec::Rack, ..CONFIG };
    let config = SenderConfig { pacing: Pacing::Window, tail_loss_probe: false, byte_counting: 100, ..config };
    let (mut sender, mut now) = open(config);
    let burst = |sender: &mut Sender, now| std::iter::from_fn(|| sender.poll_transmit(now)).count();
    assert_eq!(burst(&mut sender, now), 100);
    now = sender.poll_timeout().expect("a timer");
    sender.handle_timeout(now);
    assert_eq!(burst(&mut sender, now), 1);
    now += Time::from_millis(10);
    sender.handle_ack(crate::Ack::cumulative(9), now);
    let mut sizes = Vec::new();
    while sizes.len() < 4 {
        sizes.push(burst(&mut sender, now));
        let Some(at) = sender.poll_release() else { break };
        now = at;
    }
    assert_eq!(sizes, [4, 4, 1]);
}
