//! BBR with the rules of Linux 6.18 (`net/ipv4/tcp_bbr.c`, `tcp_rate.c`, `tcp_timer.c`, `tcp_output.c`): what a sender with
//! `rack = "linux"` tells the law, and how pacing moves its timers. The unit tests in `congestion/bbr/tests.rs` cover the law.

use ackclock_tcp::congestion::{Bbr3Spec, BbrSpec, LawSpec};
use ackclock_tcp::{EcnMode, RackRule, SenderConfig};
use ackclock_units::Time;

use crate::Talk;
use crate::path::{MS, Path, near, paced};

const BBR: LawSpec = LawSpec::Bbr(BbrSpec {});
const BBR3: LawSpec =
    LawSpec::Bbr3(Bbr3Spec { loss_threshold: 0.02, beta: 0.7, headroom: 0.15, ecn_max_rtt: Time::from_millis(5) });

fn linux() -> SenderConfig {
    SenderConfig { rack: RackRule::Linux, ..paced(BBR, EcnMode::Off) }
}

impl Talk {
    /// The value of a state variable.
    fn get(&self, name: &str) -> f64 {
        let mut found = f64::NAN;
        self.sender.visit_state(self.now, &mut |known, value| {
            if known == name {
                found = value;
            }
        });
        found
    }
}

/// Validates: the SYN is the first segment delivered; by the draft's rule, it does not count.
/// Source: Linux, `tcp_clean_rtx_queue`: `tcp_count_delivered` also for a SYN.
/// Tolerance: exact.
#[test]
fn the_syn_counts_as_delivered() {
    for (rack, delivered) in [(RackRule::Linux, 1.0), (RackRule::Rfc8985, 0.0)] {
        let mut talk = Talk::new(&SenderConfig { handshake: true, rack, ..linux() });
        assert_eq!(talk.sends(), [0]);
        talk.ack(100, 1);
        assert_eq!(talk.get("delivered"), delivered);
        talk.ack(100, 2);
        assert_eq!(talk.get("delivered"), delivered + 1.0);
    }
}

/// Validates: an ACK that acknowledges a retransmission gives the law no round-trip time, even if its last segment was sent
///     once: segments 1 to 9 take 100 ms, segment 10 is sent after the retransmission of segment 0, and an ACK at 150 ms
///     covers both. If it also reports segment 12, it gives the round-trip time of that one.
/// Source: Linux, `tcp_clean_rtx_queue` (`FLAG_RETRANS_DATA_ACKED`) and `tcp_ack_update_rtt`; by the draft's rule, the segment
///     sent last counts.
/// Tolerance: a nanosecond.
#[test]
fn an_ambiguous_ack_gives_the_law_no_round_trip_time() {
    let cases = [
        (RackRule::Linux, None, None),
        (RackRule::Linux, Some((12, 13)), Some(12)),
        (RackRule::Rfc8985, None, Some(10)),
    ];
    for (rack, blocks, timed) in cases {
        let mut talk = Talk::new(&SenderConfig { rack, ..linux() });
        talk.sends();
        assert_eq!(talk.sack(100, 0, &[(1, 10)]), [0]);
        assert_eq!(talk.get("min_rtt"), 0.1);
        while talk.act(MS(120), true) {}
        let sent: Vec<_> = talk.sent().drain(..).map(|(at, segment)| (segment.number, at.as_secs_f64())).collect();
        talk.now = MS(150);
        talk.sack(0, 11, blocks.as_slice());
        let at = |number| sent.iter().find(|one| one.0 == number).expect("it was sent").1;
        let expected = timed.map_or(0.1, |number| 0.15 - at(number));
        assert!(near(talk.get("min_rtt"), expected, 1e-9), "{rack:?}: {} and {expected}", talk.get("min_rtt"));
    }
}

/// Validates: the timers wait until pacing lets the next segment leave. After the first ACK at 100 ms, the probe is due with
///     the timeout of segment 1, at 300 ms, and 3.499 ms later, when segment 11 may leave; without pacing at 300 ms.
/// Source: Linux, `tcp_reset_xmit_timer` (`tcp_pacing_delay`).
/// Tolerance: 1 us.
#[test]
fn pacing_puts_off_the_timers() {
    let due = |pacing| {
        let mut talk = Talk::new(&SenderConfig { pacing, ..linux() });
        talk.sends();
        talk.ack(100, 1);
        talk.sender.poll_timeout().expect("a timer runs").as_secs_f64()
    };
    let (paced, plain) = (due(linux().pacing), due(ackclock_tcp::Pacing::Off));
    assert!(near(paced - plain, 256.0 / 739.0 * 0.01 / 0.99, 1e-6), "{paced} and {plain}");
}

/// Validates: pacing does not put off the timeout after a timeout.
/// Source: Linux, `tcp_retransmit_timer`, which resets the timer without the delay.
/// Tolerance: exact.
#[test]
fn pacing_does_not_put_off_the_next_timeout() {
    let mut talk = Talk::new(&SenderConfig { tail_loss_probe: false, ..linux() });
    talk.sends();
    talk.ack(100, 1);
    assert_eq!(talk.time_out(), [1]);
    let wait = talk.sender.poll_timeout().map(|at| (at - talk.now).as_secs_f64());
    assert_eq!(wait, Some(talk.rto()));
}

/// Validates: the first nine segments of data do not delay the next one, also if they are retransmissions; the tenth does.
/// Source: Linux, `tcp_update_skb_after_send`: `data_segs_out >= 10`.
/// Tolerance: exact.
#[test]
fn the_first_segments_are_not_paced() {
    let mut talk = Talk::new(&SenderConfig { initial_window: 4, ..linux() });
    assert_eq!(talk.sends(), [0, 1, 2, 3]);
    assert_eq!(talk.ack(100, 1), [4, 5]);
    assert_eq!(talk.ack(0, 2), [6, 7]);
    assert_eq!(talk.ack(0, 3), [8, 9], "the tenth is not held back, but holds back the next one");
    assert_eq!(talk.ack(0, 4), [0_u64; 0]);
    assert_eq!(talk.process(), [10]);
}

/// Validates: the first four timeouts of a SYN are one second apart, and only later ones double. One lost SYN leaves the
///     initial window.
/// Source: Linux, `tcp_retransmit_timer` (`tcp_syn_linear_timeouts`) and `tcp_init_transfer`.
/// Tolerance: exact.
#[test]
fn a_syn_times_out_linearly_at_first() {
    let syn = || Talk::new(&SenderConfig { handshake: true, ..linux() });
    let mut talk = syn();
    talk.sends();
    let timeouts = [0; 6].map(|_| {
        talk.time_out();
        talk.rto()
    });
    assert_eq!(timeouts, [1.0, 1.0, 1.0, 1.0, 2.0, 4.0]);
    for (lost, cwnd) in [(1, 10.0), (2, 1.0)] {
        let mut talk = syn();
        talk.sends();
        for _ in 0..lost {
            talk.time_out();
        }
        talk.ack(100, 1);
        assert_eq!(talk.cwnd(), cwnd, "{lost} lost");
    }
}

/// Validates: the law learns of losses when the retransmission timer finds them, not with the next ACK: a probe that loses
///     everything ends at the timeout.
/// Source: draft-ietf-ccwg-bbr, section 5.5.10.2 (`BBRHandleLostPacket`, called when a packet is found lost); google/bbr,
///     branch v3, `tcp_mark_skb_lost` (`skb_marked_lost`).
/// Tolerance: exact.
#[test]
fn a_timer_tells_the_law_of_losses_at_once() {
    let mut path = Path::greedy(BBR3);
    path.run_to(MS(8_000), |moment| moment.phase == "probe_bw:up");
    let next = path.sender.counters().sent;
    path.loses.extend(next..next + 10_000);
    let timeouts = path.sender.counters().timeouts;
    let begun = path.log.len();
    path.run_until(path.now + MS(2_000));
    assert!(path.sender.counters().timeouts > timeouts);
    let ended = path.log[begun..].iter().position(|moment| moment.phase != "probe_bw:up").expect("the probe ends");
    let (before, after) = (&path.log[begun + ended - 1], &path.log[begun + ended]);
    assert_eq!(before.get("delivered"), after.get("delivered"), "no ACK has arrived");
    assert!(!after.sends && after.get("inflight_longterm").is_finite());
}
