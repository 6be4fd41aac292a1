//! Linux 6.18 (`net/ipv4/tcp_input.c`, `tcp_output.c`, `tcp_cubic.c`): what packetdrill scripts and the kernel's own traces
//! show about windows and losses.

use ackclock_tcp::congestion::{CubicRules, CubicSpec, LawSpec};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{
    Ack, Block, DecreaseFrom, EcnMode, IdleRestart, Pacing, PrrRule, RackRule, RtoFloor, RttConfig, Sack, Sender,
    SenderConfig, SlowStartRule, UndoRule,
};
use ackclock_units::{Role, Stream, Time};

use crate::Talk;

/// The profile `linux` with Reno's window, without a handshake.
pub(crate) fn linux() -> SenderConfig {
    SenderConfig {
        recovery: RecoverySpec::Rack,
        rtt: RttConfig {
            clock: Time::from_micros(1),
            min_rto: Time::from_millis(200),
            max_rto: Time::from_millis(120_000),
            rto_floor: RtoFloor::Variation,
            ..RttConfig::default()
        },
        max_window: 100_000,
        handshake: false,
        byte_counting: 1_000_000,
        whole_growth: true,
        grow_on_exit: true,
        prr: PrrRule::Linux,
        rack: RackRule::Linux,
        timer_tick: Time::from_millis(4),
        tick_phase: Some(Time::ZERO),
        timestamps: true,
        frto: true,
        undo: UndoRule::Both,
        decrease_from: DecreaseFrom::WholeWindow,
        idle_restart: IdleRestart::Rfc2861,
        remember_full_window: true,
        ..SenderConfig::default()
    }
}

fn cubic() -> SenderConfig {
    SenderConfig {
        congestion: LawSpec::Cubic(CubicSpec { fast_convergence: true, rules: CubicRules::Linux }),
        slow_start: SlowStartRule::Hystart,
        ..linux()
    }
}

impl Talk {
    /// Delivers an ACK with an ECN echo, otherwise like [`ack`](Self::ack).
    fn echo(&mut self, millis: u64, next: u64) -> Vec<u64> {
        self.now += Time::from_millis(millis);
        self.acknowledge(Ack { echo: 1, ..Ack::cumulative(next) });
        self.sends()
    }
}

/// Validates: in slow start, a sender without more data grows its window to twice the number of segments that were
///     outstanding: 9 of a window of 10 give 18.
/// Source: Linux, `tcp_is_cwnd_limited` and `tcp_cwnd_validate`.
/// Tolerance: exact.
#[test]
fn slow_start_grows_to_twice_the_flight_without_more_data() {
    let mut talk = Talk::with_supply(&linux(), 9);
    talk.sends();
    let windows = [2, 4, 6, 8, 9].map(|next| {
        talk.ack(100, next);
        talk.cwnd()
    });
    assert_eq!(windows, [12.0, 14.0, 16.0, 18.0, 18.0]);
}

/// Validates: a window that was full counts as the limit until all that was sent then is acknowledged: 10 of a window of 10
///     give 20.
/// Source: Linux, `tcp_cwnd_validate` (`cwnd_usage_seq`).
/// Tolerance: exact.
#[test]
fn a_full_window_is_remembered_until_it_is_acknowledged() {
    let mut talk = Talk::with_supply(&linux(), 10);
    talk.sends();
    let windows = [2, 4, 6, 8, 10].map(|next| {
        talk.ack(100, next);
        talk.cwnd()
    });
    assert_eq!(windows, [12.0, 14.0, 16.0, 18.0, 20.0]);
}

/// Validates: the ACK with the first mark is part of the proportional reduction. With 10 segments outstanding, the ACK of one
///     leaves a window of 10 and releases one segment; the next ACK releases the second one only once two thirds of a
///     segment more are due.
/// Source: Linux, `tcp_try_to_open`, then `tcp_cong_control` and `tcp_cwnd_reduction` for the same ACK.
/// Tolerance: exact.
#[test]
fn the_ack_with_the_first_mark_is_part_of_the_reduction() {
    let mut talk = Talk::new(&SenderConfig { ecn: EcnMode::Classic, ..linux() });
    talk.sends();
    assert_eq!(talk.echo(100, 1), [10]);
    assert_eq!(talk.cwnd(), 10.0);
    // ssthresh is 5, so each second ACK releases a segment
    let sent = [2, 3, 4, 5].map(|next| talk.echo(1, next).len());
    assert_eq!(sent, [0, 1, 0, 1]);
}

/// Validates: without RACK, a segment is lost once three above it have been reported, not the ones after it, and the window is
///     reduced in proportion: at a threshold of five of ten segments, each second ACK releases a segment until five are in
///     the network.
/// Source: Linux before 6.17 with `tcp_recovery = 0`, `tcp_mark_head_lost` and `tcp_cwnd_reduction`.
/// Tolerance: exact.
#[test]
fn without_rack_three_reports_show_a_loss() {
    let mut talk = Talk::new(&SenderConfig { recovery: RecoverySpec::Sack, ..linux() });
    talk.sends();
    assert_eq!([3, 4].map(|end| talk.sack(50 / end, 0, &[(2, end)])), [[10], [11]]);
    assert_eq!(talk.sack(1, 0, &[(2, 5)]), [0]);
    assert_eq!(talk.ssthresh(), 5.0);
    // segment 1 is lost as well; 4 are delivered, and two may be sent
    assert_eq!(talk.sack(1, 0, &[(2, 6)]), []);
    assert_eq!(talk.sack(1, 0, &[(2, 7)]), [1]);
    assert_eq!(talk.sack(1, 0, &[(2, 8)]), []);
    // five are in the network, and then four
    assert_eq!(talk.sack(1, 0, &[(2, 9)]), []);
    assert_eq!(talk.sack(1, 0, &[(2, 10)]), [12]);
}

/// Validates: a mark at a window of one segment ends at two, the least threshold, and its ACK releases both.
/// Source: Linux, `tcp_enter_cwr`, `tcp_reno_ssthresh`, `tcp_cwnd_reduction` and `tcp_end_cwnd_reduction`.
/// Tolerance: exact.
#[test]
fn a_mark_at_a_window_of_one_ends_at_two() {
    let mut talk = Talk::new(&SenderConfig { initial_window: 1, ecn: EcnMode::Classic, ..linux() });
    assert_eq!(talk.sends(), [0]);
    assert_eq!(talk.echo(100, 1), [1, 2]);
    assert_eq!((talk.cwnd(), talk.ssthresh()), (2.0, 2.0));
    talk.echo(100, 3);
    assert_eq!((talk.cwnd(), talk.ssthresh()), (2.0, 2.0), "the second mark");
    talk.ack(100, 4);
    talk.ack(100, 6);
    assert_eq!(talk.cwnd().floor(), 3.0, "the reduction has ended at two");
}

/// Validates: once reordering by more than three segments was seen, an ACK that only reports segments grows the window.
/// Source: Linux, `tcp_may_raise_cwnd`.
/// Tolerance: exact.
#[test]
fn after_reordering_an_ack_without_progress_grows_the_window() {
    let mut talk = Talk::with_supply(&linux(), 10);
    talk.sends();
    talk.sack(20, 0, &[(9, 10)]);
    assert_eq!(talk.cwnd(), 10.0);
    talk.sack(0, 0, &[(3, 4), (9, 10)]);
    assert_eq!(talk.cwnd(), 11.0);
}

/// Validates: slow start of a paced CUBIC sender at 10 Mb/s (1.2 ms for a segment) and 40 ms ends at a window of more than
///     70 segments: the train of ACKs must last for a whole round-trip time and a millisecond.
/// Source: Linux, `hystart_update` (`sk_pacing_status`); 76 segments in the kernel's trace `cubic_none_paced`
///     (validation/linux/data).
/// Tolerance: 70 instead of 76 segments.
#[test]
fn a_paced_sender_needs_a_train_of_a_whole_round_trip() {
    let mut sender = Sender::new(SenderConfig { pacing: Pacing::Window, ..cubic() }, Stream::new(1, Role::Sender, 0));
    sender.supply(10_000);
    let (mut now, mut free, mut arrivals) = (Time::ZERO, Time::ZERO, std::collections::VecDeque::new());
    while sender.state().ssthresh > 50_000.0 {
        while let Some(segment) = sender.poll_transmit(now) {
            free = free.max(now) + Time::from_micros(1_200);
            arrivals.push_back((free + Time::from_millis(40), segment.number));
        }
        let release = sender.poll_release().filter(|at| *at > now).unwrap_or(Time::MAX);
        let (arrival, number) = arrivals[0];
        now = arrival.min(release);
        if arrival == now {
            arrivals.pop_front();
            sender.handle_ack(Ack::cumulative(number + 1), now);
        }
    }
    assert!(sender.state().ssthresh > 70.0, "{:?}", sender.state());
}

/// Validates: a timeout reduces the threshold once for the same data: neither a second timeout in a row nor a timeout in a
///     recovery reduces it again.
/// Source: Linux, `tcp_enter_loss`; RFC 5681, section 3.1 (held constant); in the kernel's traces `reno_one1of1x3` and
///     `reno_tail1x3of60` (validation/linux/data), the threshold after two timeouts is 5 of 10 and 34 of 68 segments.
/// Tolerance: exact.
#[test]
fn only_the_first_timeout_reduces_the_threshold() {
    let mut talk = Talk::with_supply(&SenderConfig { tail_loss_probe: false, ..linux() }, 10);
    talk.sends();
    let thresholds = [0, 1, 2].map(|_| {
        talk.time_out();
        talk.ssthresh()
    });
    assert_eq!(thresholds, [5.0, 5.0, 5.0]);
}

/// The same for a timeout in a recovery.
#[test]
fn a_timeout_in_a_recovery_leaves_the_threshold() {
    let mut talk = Talk::new(&SenderConfig { initial_window: 20, ..linux() });
    talk.sends();
    for end in 2..=20 {
        talk.sack(40 / end, 0, &[(1, end)]);
    }
    assert_eq!(talk.ssthresh(), 10.0);
    talk.time_out();
    assert_eq!((talk.cwnd(), talk.ssthresh()), (1.0, 10.0));
}

/// Validates: an ACK that answers an original does not undo a recovery while another retransmission is in the network; the
///     next one does.
/// Source: Linux, `tcp_try_undo_partial` (`retrans_out`).
/// Tolerance: exact.
#[test]
fn an_undo_waits_until_no_retransmission_is_out() {
    let mut talk = Talk::new(&linux());
    talk.sends();
    let answer = |talk: &mut Talk, next, blocks: &[(u64, u64)]| {
        talk.now += Time::from_millis(1);
        let blocks: Vec<_> = blocks.iter().map(|(start, end)| Block { start: *start, end: *end }).collect();
        talk.acknowledge(Ack { next, sack: &Sack::of(&blocks), echo: 0, original: true });
        talk.sends()
    };
    talk.now = Time::from_millis(40);
    // 0 and 1 are late; both are sent again
    let sent: Vec<u64> = (3..=10).flat_map(|end| talk.sack(1, 0, &[(2, end)])).collect();
    assert!(sent.contains(&0) && sent.contains(&1), "{sent:?}");
    answer(&mut talk, 1, &[(2, 10)]);
    assert_eq!(talk.ssthresh(), 5.0, "1 is still out");
    answer(&mut talk, 10, &[]);
    assert_eq!(talk.ssthresh(), 100_000.0);
}

/// Validates: with timestamps, the ACK of a retransmission ends the back-off of the timer and gives a sample; without them,
///     it does neither.
/// Source: Linux, `tcp_ack_update_rtt`; RFC 7323, section 4; RFC 6298, section 3 (Karn's algorithm).
/// Tolerance: exact.
#[test]
fn timestamps_end_the_back_off() {
    for (timestamps, rto) in [(true, 0.31), (false, 4.0)] {
        let rtt = RttConfig { initial_rto: Time::from_millis(500), ..linux().rtt };
        let mut talk = Talk::with_supply(&SenderConfig { timestamps, rtt, tail_loss_probe: false, ..linux() }, 10);
        talk.sends();
        for _ in 0..3 {
            talk.time_out();
        }
        talk.ack(110, 1);
        assert!((talk.rto() - rto).abs() < 0.021, "{timestamps}: {}", talk.rto());
    }
}

/// Validates: the ACK of an original that was sent again gives the time since the original was sent.
/// Source: Linux, `tcp_rtt_tsopt_us`: the receiver echoes the timestamp of the original.
/// Tolerance: 1 ms, the clock of timestamps.
#[test]
fn the_sample_of_a_late_original_is_its_delay() {
    let mut talk = Talk::with_supply(&SenderConfig { tail_loss_probe: false, frto: false, ..linux() }, 1);
    talk.sends();
    talk.time_out();
    talk.now = Time::from_millis(1_500);
    talk.acknowledge(Ack { original: true, ..Ack::cumulative(1) });
    assert!((talk.sender.state().srtt - 1.5).abs() < 0.001, "{}", talk.sender.state().srtt);
}

/// Validates: without a restart, an idle period leaves the window of 20.
/// Source: Linux, `tcp_slow_start_after_idle_check` (`tcp_slow_start_after_idle = 0`).
/// Tolerance: exact.
#[test]
fn an_idle_period_may_leave_the_window() {
    for (idle_restart, sent) in [(IdleRestart::Off, 20_u32), (IdleRestart::Rfc2861, 10)] {
        let mut talk = Talk::with_supply(&SenderConfig { idle_restart, ..linux() }, 10);
        talk.sends();
        talk.ack(100, 10);
        talk.now += Time::SECOND.saturating_mul(60);
        talk.supply(100);
        assert_eq!((talk.cwnd(), talk.snd_max() - 10), (f64::from(sent), u64::from(sent)));
    }
}

/// Validates: a probe waits no longer than the retransmission timer of the first outstanding segment: at a round-trip time of
///     0.5 s and a timeout of 1.5 s, it is due 1.5 s after the transmission of segment 1, not 1.002 s after the last one.
/// Source: Linux, `tcp_schedule_loss_probe` and `tcp_rto_delta_us`.
/// Tolerance: exact.
#[test]
fn a_probe_takes_the_place_of_the_timeout() {
    let config = SenderConfig { initial_window: 2, timer_tick: Time::ZERO, ..linux() };
    let mut talk = Talk::new(&config);
    talk.sends();
    assert_eq!(talk.ack(500, 1), [2, 3]);
    assert_eq!(talk.sender.poll_timeout(), Some(Time::from_millis(1_500)));
    assert_eq!(talk.time_out(), [4], "new data is the probe");
    assert_eq!(talk.cwnd(), 3.0);
}

/// Validates: in a recovery, a report of segments that were sent before the retransmission puts off its timeout; an ACK
///     without news does not.
/// Source: Linux, `tcp_clean_rtx_queue` (`FLAG_SET_XMIT_TIMER`).
/// Tolerance: exact.
#[test]
fn a_report_of_earlier_segments_puts_off_the_timeout() {
    let mut talk = Talk::new(&linux());
    talk.sends();
    assert!(talk.sack(50, 0, &[(1, 8)]).contains(&0));
    let timer = talk.sender.poll_timeout();
    talk.sack(50, 0, &[(1, 8)]);
    assert_eq!(talk.sender.poll_timeout(), timer);
    talk.sack(0, 0, &[(1, 10)]);
    assert!(talk.sender.poll_timeout() > timer);
}

/// Validates: a recovery at a window of three ends with `ssthresh`, two segments, to which its last ACK, of two, adds one.
/// Source: Linux, `tcp_reno_ssthresh`, `tcp_end_cwnd_reduction`, `tcp_cong_control`.
/// Tolerance: exact.
#[test]
fn a_recovery_ends_with_two_segments_at_least() {
    let mut talk = Talk::new(&SenderConfig { initial_window: 3, ..linux() });
    talk.sends();
    let sent: Vec<u64> = (2..=4).flat_map(|end| talk.sack(50, 0, &[(1, end)])).collect();
    let last = sent.iter().max().expect("segments were sent");
    talk.ack(50, last + 1);
    assert_eq!((talk.cwnd(), talk.ssthresh()), (3.0, 2.0));
}

/// Validates: an ACK of a segment that was sent again gives no round-trip time, although it also acknowledges one that was
///     sent once.
/// Source: Linux, `tcp_clean_rtx_queue` (`FLAG_RETRANS_DATA_ACKED`).
/// Tolerance: exact.
#[test]
fn an_ack_of_a_retransmission_gives_no_round_trip_time() {
    let config = SenderConfig { timestamps: false, tail_loss_probe: false, frto: false, ..linux() };
    let mut talk = Talk::with_supply(&config, 2);
    talk.sends();
    assert_eq!(talk.time_out(), [0]);
    talk.ack(10_000, 2);
    assert!(talk.sender.state().srtt.is_nan(), "{}", talk.sender.state().srtt);
}

/// Validates: an undo stops the wait for segments that may arrive out of order; the retransmission timer takes its place.
///     Segments 9 and 3 of ten show reordering, the others are found lost at 27 ms, and segment 11 leaves segment 10 to be
///     waited for until 32 ms, when at 29 ms the original of segment 0 is acknowledged.
/// Source: Linux, `tcp_set_xmit_timer` (`FLAG_SET_XMIT_TIMER` of the ACK that undoes).
/// Tolerance: exact.
#[test]
fn an_undo_stops_the_reordering_timer() {
    let mut talk = Talk::new(&SenderConfig { timer_tick: Time::ZERO, ..linux() });
    talk.sends();
    talk.sack(20, 0, &[(9, 10)]);
    assert!(talk.sack(0, 0, &[(3, 4), (9, 10)]).contains(&11));
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.now, Time::from_millis(27));
    talk.sack(1, 0, &[(11, 12), (3, 4), (9, 10)]);
    assert_eq!(talk.sender.poll_timeout(), Some(Time::from_millis(32)));
    talk.now += Time::from_millis(1);
    talk.acknowledge(Ack { original: true, ..Ack::cumulative(1) });
    assert!(talk.sender.poll_timeout() > Some(Time::from_millis(150)), "{:?}", talk.sender.poll_timeout());
}

/// Validates: an ACK that delivers nothing does not look for losses: the others of ten segments are lost 25 ms after they
///     were sent, and found when the timer fires at 27 ms, although an ACK arrives at 26 ms.
/// Source: Linux, `tcp_rack_mark_lost` (`rack.advanced`).
/// Tolerance: exact.
#[test]
fn an_ack_without_news_finds_no_loss() {
    let mut talk = Talk::with_supply(&SenderConfig { timer_tick: Time::ZERO, ..linux() }, 10);
    talk.sends();
    talk.sack(20, 0, &[(9, 10)]);
    talk.sack(0, 0, &[(3, 4), (9, 10)]);
    assert!(talk.sack(6, 0, &[(3, 4), (9, 10)]).is_empty());
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.now, Time::from_millis(27));
}

/// Validates: of several segments that an ACK newly reports, the one with the lowest number gives the round-trip time,
///     whatever the order of the blocks: segment 3 took 100 ms, segment 11 only 50.
/// Source: Linux, `tcp_sacktag_write_queue` (blocks in ascending order) and `first_sackt`; RFC 6298, section 2.
/// Tolerance: 1e-9 s.
#[test]
fn the_lowest_reported_segment_gives_the_round_trip_time() {
    let mut talk = Talk::new(&linux());
    talk.sends();
    assert_eq!(talk.ack(50, 1), [10, 11]);
    talk.sack(50, 1, &[(11, 12), (3, 4)]);
    let srtt = talk.sender.state().srtt;
    assert!((srtt - (7.0 * 0.05 + 0.1) / 8.0).abs() < 1e-9, "{srtt}");
}

/// Validates: an ACK gives no round-trip time if it acknowledges a segment that was sent again, even if that was reported
///     before: here the probe of the last of ten segments.
/// Source: Linux, `tcp_clean_rtx_queue` (`FLAG_RETRANS_DATA_ACKED`).
/// Tolerance: exact.
#[test]
fn a_reported_retransmission_makes_its_ack_ambiguous() {
    let mut talk = Talk::with_supply(&SenderConfig { timestamps: false, ..linux() }, 10);
    talk.sends();
    assert_eq!(talk.time_out(), [9], "the probe");
    talk.sack(100, 0, &[(9, 10)]);
    talk.ack(100, 10);
    assert!(talk.sender.state().srtt.is_nan(), "{}", talk.sender.state().srtt);
}

/// Validates: an ACK that arrives after a later one gives no round-trip time and moves no timer.
/// Source: Linux, `tcp_ack` (`old_ack`).
/// Tolerance: exact.
#[test]
fn an_old_ack_moves_no_timer() {
    let mut talk = Talk::with_supply(&linux(), 10);
    talk.sends();
    talk.sack(50, 5, &[(6, 7), (8, 9)]);
    talk.time_out();
    let before = (talk.sender.poll_timeout(), talk.sender.state().srtt, talk.cwnd());
    talk.sack(20, 3, &[(9, 10)]);
    assert_eq!((talk.sender.poll_timeout(), talk.sender.state().srtt, talk.cwnd()), before);
}

/// Validates: the timers of a paced sender wait until the next segment may leave. With a window of ten at a round trip of
///     400 ms, slow start has an interval of 20 ms. The probe takes the place of the timeout, 1.2 s after segment 1 was sent,
///     and waits for the interval as well.
/// Source: Linux, `tcp_pacing_delay`, `tcp_schedule_loss_probe` and `tcp_update_pacing_rate` (200 %).
/// Tolerance: 1 us.
#[test]
fn a_paced_probe_waits_for_its_turn() {
    let config = SenderConfig { pacing: Pacing::Window, initial_window: 9, timer_tick: Time::ZERO, ..linux() };
    let mut talk = Talk::new(&config);
    talk.sends();
    assert_eq!(talk.ack(400, 1), [9]);
    assert_eq!(talk.sender.poll_release(), Some(Time::from_millis(420)));
    let timer = talk.sender.poll_timeout().expect("the timer runs");
    assert!(timer.max(Time::from_millis(1_220)) - timer.min(Time::from_millis(1_220)) < Time::from_micros(1));
}

/// Validates: an ACK that answers the original of a segment sent again does not say that the retransmission has arrived, so
///     what was sent before the retransmission is not taken for late: after two timeouts, the ACK of segments 1 and 2 of ten
///     leaves the others to the retransmission timer, 200 ms at least. If it answers the retransmission, they are waited for
///     until the last one is later than its predecessors by a fourth of the round trip.
/// Source: Linux, `tcp_skb_spurious_retrans`; Linux 6.18.44, measured: after data and ACKs were lost for 10 s, BBR waits for
///     a probe, 4.3 s (validation/linux/data/more.csv, `outage_bbr_both_10`).
/// Tolerance: exact.
#[test]
fn the_echo_of_an_original_is_no_news_of_a_retransmission() {
    for (original, waits) in [(true, 200..100_000), (false, 1..100)] {
        let mut talk = Talk::with_supply(&SenderConfig { tail_loss_probe: false, ..linux() }, 11);
        talk.sends();
        talk.ack(40, 1);
        for _ in 0..2 {
            talk.time_out();
        }
        talk.now += Time::from_millis(50);
        talk.acknowledge(Ack { original, ..Ack::cumulative(3) });
        assert_eq!(talk.sends(), [0; 0]);
        let wait = talk.sender.poll_timeout().expect("a timer runs") - talk.now;
        assert!(waits.contains(&(wait.as_picos() / Time::from_millis(1).as_picos())), "{wait:?}");
    }
}

/// Validates: a timeout while the receiver's window is closed does not reduce the threshold to half of the closed window. In
///     Linux, it reduces it from the congestion window of twelve segments, and otherwise to half of the eight outstanding.
/// Source: Linux, `tcp_enter_loss`, `tcp_reno_ssthresh` and `cubictcp_recalc_ssthresh`; RFC 5681, section 3.1, equation 4.
/// Tolerance: exact.
#[test]
fn a_closed_window_does_not_reduce_the_threshold() {
    let other = SenderConfig { rack: RackRule::Rfc8985, ..linux() };
    for (config, ssthresh) in [(linux(), 6.0), (cubic(), 8.0), (other, 4.0)] {
        let mut talk = Talk::new(&SenderConfig { initial_rwnd: Some(100), tail_loss_probe: false, ..config });
        talk.sends();
        assert!(talk.advertise(50, 2, 0).is_empty());
        assert_eq!(talk.cwnd(), 12.0);
        assert_eq!(talk.time_out(), [2]);
        assert_eq!(talk.ssthresh(), ssthresh);
    }
}

/// All ACKs are lost for 5 s. The first one then acknowledges everything, and its timestamp answers the originals.
///
/// Validates: CUBIC takes the echoed round-trip time of 5 s for the shortest one after a timeout. The time of its curve then
///     begins 5 s late, and its window of 20 grows by a segment for two that are acknowledged.
/// Source: Linux, `tcp_ack_update_rtt`, `cubictcp_acked` and `bictcp_update`; Linux 6.18.44, measured: after such an ACK, a
///     window of 111 has 166 segments.
/// Tolerance: exact.
#[test]
fn the_echo_of_an_original_is_a_round_trip_time_of_cubic() {
    let mut talk = Talk::new(&SenderConfig { initial_window: 20, max_window: 20, tail_loss_probe: false, ..cubic() });
    talk.sends();
    for _ in 0..2 {
        talk.time_out();
    }
    talk.now = Time::from_millis(5_000);
    talk.acknowledge(Ack { original: true, ..Ack::cumulative(20) });
    assert_eq!(talk.cwnd(), 30.0);
}

/// Of ten segments, two are acknowledged while the queue of the host takes no packet, and then a third one.
///
/// Validates: the refused segments count as never sent; the window is reduced from 12 to 6, beginning with the next ACK: with 7
///     segments in the network, 1 x 6 / 12 of a segment is due, rounded up.
/// Source: Linux, `tcp_transmit_skb` (`tcp_enter_cwr`), `tcp_write_xmit` and `tcp_cwnd_reduction`.
/// Tolerance: exact.
#[test]
fn a_packet_that_the_host_refuses_reduces_the_window() {
    let mut talk = Talk::new(&linux());
    talk.sends();
    talk.sender.refuse_packets(true);
    assert_eq!(talk.ack(100, 2), [0; 0]);
    assert_eq!((talk.cwnd(), talk.ssthresh(), talk.sender.state().flight_size), (12.0, 6.0, 8));
    talk.sender.refuse_packets(false);
    assert_eq!(talk.ack(10, 3), [10]);
    assert_eq!((talk.cwnd(), talk.ssthresh()), (8.0, 6.0));
}

/// Of ten segments the first one is lost, and found lost while the queue of the host takes no packet.
///
/// Validates: the segment stays lost and is not counted as retransmitted; the recovery has reduced the window already, and the
///     next ACK retransmits the segment.
/// Source: Linux, `__tcp_retransmit_skb` and `tcp_enter_cwr`, which leaves a recovery alone; `tcp_cwnd_reduction`: with 6
///     segments in the network, 3 x 5 / 10 are due, so that the window is 8; then with 5, the first retransmission leaves.
/// Tolerance: exact.
#[test]
fn a_refused_retransmission_stays_lost() {
    let mut talk = Talk::new(&linux());
    talk.sends();
    talk.sender.refuse_packets(true);
    assert_eq!(talk.sack(100, 0, &[(1, 4)]), [0; 0]);
    assert_eq!((talk.cwnd(), talk.ssthresh(), talk.sender.counters().retransmissions), (8.0, 5.0, 0));
    talk.sender.refuse_packets(false);
    assert_eq!(talk.sack(1, 0, &[(1, 5)]), [0]);
    assert_eq!((talk.cwnd(), talk.ssthresh()), (6.0, 5.0));
}
