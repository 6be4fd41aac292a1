//! RFC 8985: RACK-TLP, and what undoes an unnecessary reduction.

use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Ack, DecreaseFrom, EcnMode, RackRule, RttConfig, Sack, SenderConfig, UndoRule};
use ackclock_units::Time;

use crate::{Talk, open};

/// A sender with RACK whose clock has ticks of a microsecond.
fn rack(initial_window: u32) -> SenderConfig {
    let clock = Time::from_micros(1);
    let rtt = RttConfig { clock, clock_phase: Some(Time::ZERO), ..RttConfig::default() };
    SenderConfig { recovery: RecoverySpec::Rack, rtt, ..open(initial_window) }
}

/// Segments 0 to `count - 1` in flight, and nothing else to send.
fn in_flight(config: &SenderConfig, count: u64) -> Talk {
    let mut talk = Talk::with_supply(config, count);
    assert_eq!(talk.sends(), (0..count).collect::<Vec<_>>());
    talk
}

#[test]
fn three_segments_above_a_hole_leave_no_doubt() {
    // 6.2, step 4: no reordering window while no reordering was seen and three segments are SACKed
    let mut talk = in_flight(&rack(5), 5);
    assert_eq!(talk.sack(40, 0, &[(1, 2)]), []);
    assert_eq!(talk.sack(1, 0, &[(1, 3)]), []);
    assert_eq!(talk.sack(1, 0, &[(1, 4)]), [0]);
    assert_eq!(talk.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_hole_below_one_segment_waits_a_quarter_of_the_round_trip() {
    // 6.2, steps 4 and 5
    let mut talk = in_flight(&rack(2), 2);
    assert_eq!(talk.sack(40, 0, &[(1, 2)]), []);
    assert_eq!(talk.sender.poll_timeout(), Some(Time::from_millis(50)));
    assert_eq!(talk.time_out(), [0]);
    let counters = talk.sender.counters();
    assert_eq!((counters.fast_retransmits, counters.timeouts), (1, 0));
}

#[test]
fn linux_measures_with_the_segment_acknowledged_last() {
    // tcp_rack_advance: an ACK of segment 1, sent at 0 ms, with a SACK of segment 3, sent at 40 ms, arrives at 60 ms
    let answer = |rack_rule, timer_tick| {
        let config = SenderConfig {
            rack: rack_rule,
            timer_tick: Time::from_millis(timer_tick),
            tick_phase: Some(Time::ZERO),
            ..rack(3)
        };
        let mut talk = Talk::with_supply(&config, 5);
        assert_eq!(talk.sends(), [0, 1, 2]);
        assert_eq!(talk.ack(40, 1), [3, 4]);
        (talk.sack(20, 2, &[(3, 4)]), talk)
    };
    // 6.2, step 5: segment 2 was sent more than 20 + 5 ms ago
    assert_eq!(answer(RackRule::Rfc8985, 0).0, [2]);
    for (tick, fires) in [(0, 67), (4, 72)] {
        // lost 60 + 5 ms after it was sent, and 2 ms more; with ticks of 4 ms, 8 ms and a tick after 60 ms
        let (sent, mut talk) = answer(RackRule::Linux, tick);
        assert_eq!((sent, talk.sender.poll_timeout()), (vec![], Some(Time::from_millis(fires))));
        assert_eq!(talk.time_out(), [2]);
    }
}

#[test]
fn a_late_segment_within_the_window_is_not_sent_again() {
    // 6.2, step 3: reordering is seen
    let mut talk = in_flight(&rack(6), 6);
    talk.sack(40, 0, &[(1, 2)]);
    assert_eq!(talk.ack(5, 2), []);
    // three segments above the next hole do not suffice any more
    assert_eq!(talk.sack(1, 2, &[(3, 6)]), []);
    assert_eq!(talk.ack(5, 6), []);
    assert_eq!(talk.sender.counters().fast_retransmits, 0);
}

#[test]
fn a_lost_retransmission_is_found_without_a_timeout() {
    // section 1: the retransmission is lost if a segment sent after it arrives
    let mut talk = Talk::with_supply(&rack(10), 100);
    talk.sends();
    let sent = talk.sack(40, 0, &[(1, 4)]);
    assert_eq!(sent[0], 0);
    let new = talk.sack(1, 0, &[(1, 10)]);
    assert!(new.iter().all(|number| *number >= 10) && !new.is_empty(), "{new:?}");
    assert_eq!(talk.sack(41, 0, &[(1, 11)])[0], 0, "sent before segment 10, which has arrived");
    assert_eq!(talk.sender.counters().timeouts, 0);
}

#[test]
fn after_a_timeout_originals_do_not_show_losses_of_retransmissions() {
    // 6.2, step 2: the ACKs of the first flight come 500 ms late, and the original of segment 2 is lost
    for (rule, repeated) in [(RackRule::Rfc8985, false), (RackRule::Linux, true)] {
        let config = SenderConfig { rack: rule, tail_loss_probe: false, ..rack(20) };
        let mut talk = in_flight(&config, 20);
        talk.ack(40, 1);
        assert_eq!(talk.time_out(), [1]);
        talk.now += Time::from_millis(500);
        talk.acknowledge(Ack { next: 2, sack: &Sack::NONE, echo: 0, original: true });
        assert_eq!(talk.sends(), [2, 3]);
        // 3 was sent again after 2, but this answers its original
        assert_eq!(talk.sack(60, 2, &[(3, 4)]).contains(&2), repeated, "{rule:?}");
    }
}

#[test]
fn a_probe_follows_two_round_trips_after_the_last_ack() {
    // 7.2 and 7.3: without new data, the last segment is sent again, and its SACK shows the losses
    let mut talk = in_flight(&rack(6), 6);
    talk.ack(40, 3);
    assert_eq!(talk.sender.poll_timeout(), Some(Time::from_millis(120)));
    assert_eq!(talk.time_out(), [5]);
    assert_eq!(talk.sender.poll_timeout(), Some(Time::from_millis(1_120)), "one probe at a time, and then the RTO");
    assert_eq!(talk.sack(40, 3, &[(5, 6)]), [3, 4], "both were sent before the probe");
    assert_eq!(talk.sender.counters().timeouts, 0);
}

#[test]
fn a_probe_is_new_data_if_there_is_any() {
    // 7.3
    let mut talk = Talk::with_supply(&rack(3), 4);
    assert_eq!(talk.sends(), [0, 1, 2]);
    assert_eq!(talk.time_out(), [3]);
    assert_eq!(talk.ack(40, 4), []);
    assert_eq!(talk.sender.counters().fast_retransmits, 0, "nothing was lost");
}

#[test]
fn a_loss_repaired_by_a_probe_reduces_the_window() {
    // 7.4.2: an ACK beyond the probe that reports no duplicate
    let mut talk = Talk::with_supply(&rack(6), 6);
    talk.sends();
    talk.ack(40, 5);
    let before = talk.cwnd();
    assert_eq!(talk.time_out(), [5]);
    assert_eq!(talk.ack(40, 6), []);
    assert_eq!(talk.supply(1), [6]);
    talk.ack(40, 7);
    assert!(talk.ssthresh() < before, "{} {before}", talk.ssthresh());
}

#[test]
fn an_ack_for_an_original_undoes_the_reduction() {
    // RFC 3522, section 3.2: the first ACK after the retransmission answers the original
    for (undo, restored) in [(UndoRule::Eifel, 11.0), (UndoRule::Off, 5.0)] {
        let mut talk = Talk::with_supply(&SenderConfig { undo, ..rack(10) }, 10);
        talk.sends();
        assert_eq!(talk.sack(40, 0, &[(1, 4)]), [0]);
        talk.now += Time::from_millis(1);
        talk.acknowledge(Ack { next: 4, sack: &Sack::NONE, echo: 0, original: true });
        assert_eq!(talk.cwnd(), restored);
    }
}

#[test]
fn duplicates_of_all_retransmissions_undo_the_reduction() {
    // RFC 3708, section 2, and RFC 2883, section 4
    let mut talk = Talk::with_supply(&SenderConfig { undo: UndoRule::Dsack, ..rack(10) }, 10);
    talk.sends();
    assert_eq!(talk.sack(40, 0, &[(1, 4)]), [0]);
    talk.ack(1, 10);
    assert!(talk.cwnd() < 10.0);
    talk.sack(40, 10, &[(0, 1)]);
    assert!(talk.cwnd() >= 10.0, "{}", talk.cwnd());
}

#[test]
fn originals_after_a_timeout_show_that_it_was_spurious() {
    // RFC 5682, section 3: the ACKs of the whole flight come late
    let mut talk = Talk::with_supply(&SenderConfig { frto: true, tail_loss_probe: false, ..rack(20) }, 100);
    assert_eq!(talk.sends().len(), 20);
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.cwnd(), 1.0);
    // the ACK of the original of segment 0 looks like the answer to the retransmission: two new segments
    assert_eq!(talk.ack(500, 1), [20, 21]);
    talk.ack(1, 2);
    assert!(talk.cwnd() >= 20.0, "segment 1 was sent once: all originals are on their way");
    assert_eq!(talk.sender.counters().retransmissions, 1);
}

#[test]
fn a_recovery_after_a_long_one_reduces_the_window_again() {
    // RFC 5681, equation 4, with RFC 9937's flight: not with the segments that arrived during the long recovery
    let mut talk = Talk::new(&rack(10));
    talk.sends();
    assert_eq!([2, 3].map(|end| talk.sack(20, 0, &[(1, end)])), [[10], [11]]);
    assert_eq!(talk.sack(1, 0, &[(1, 4)]), [0]);
    assert_eq!(talk.ssthresh(), 5.0);
    // four round trips in which the retransmission is lost, and the new segments arrive
    assert_eq!(talk.sack(40, 0, &[(1, 12)]), [12, 13, 14, 15]);
    let mut end = 16;
    for _ in 0..3 {
        assert_eq!(talk.sack(40, 0, &[(1, end)]), [0, end, end + 1, end + 2, end + 3]);
        end += 4;
    }
    // it arrives, but the first new segment is lost: of 28 segments, 5 were in the network
    let next = end - 4;
    assert_eq!(talk.sack(40, next, &[(next + 1, end)]), [next, end]);
    assert_eq!(talk.ssthresh(), 2.0);
    assert_eq!(talk.sender.counters().fast_retransmits, 2);
}

#[test]
fn a_recovery_ends_the_wait_for_the_answer_to_a_probe() {
    // 7.1: otherwise the next ACK would show that the probe repaired a loss, and reduce the window a second time
    let mut talk = Talk::with_supply(&SenderConfig { max_window: 2, ..rack(2) }, 6);
    assert_eq!(talk.sends(), [0, 1]);
    assert_eq!(talk.ack(40, 2), [2, 3]);
    // both are lost; the answer to the probe shows the loss of 2
    assert_eq!(talk.time_out(), [3]);
    assert_eq!(talk.sack(40, 2, &[(3, 4)]), [2]);
    talk.ack(40, 4);
    talk.ack(40, 5);
    let counters = talk.sender.counters();
    assert_eq!((counters.fast_retransmits, counters.timeouts), (1, 0));
}

#[test]
fn a_mark_and_a_repaired_loss_in_one_ack_reduce_the_window_once() {
    // RFC 3168, section 6.1.2: at most one reduction per window of data
    let config = SenderConfig { ecn: EcnMode::Classic, decrease_from: DecreaseFrom::Window, ..rack(6) };
    let mut talk = Talk::with_supply(&config, 6);
    talk.sends();
    talk.ack(40, 5);
    assert_eq!(talk.time_out(), [5]);
    talk.ack(40, 6);
    talk.supply(10);
    let before = talk.cwnd();
    talk.now += Time::from_millis(40);
    talk.acknowledge(Ack { next: 7, sack: &Sack::NONE, echo: 1, original: false });
    assert_eq!((before, talk.ssthresh()), (7.0, 3.0));
}
