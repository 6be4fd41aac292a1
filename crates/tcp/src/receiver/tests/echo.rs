//! Feedback about marks, in cases worked by hand.

use super::*;

const PLAIN: Mark = Mark::NONE;
const CE: Mark = Mark { ce: true, ..Mark::NONE };
const CWR: Mark = Mark { cwr: true, ..Mark::NONE };
const BOTH: Mark = Mark { ce: true, cwr: true, ..Mark::NONE };

/// The ACKs that answer each segment: the next segment expected, and the echo.
fn echoes(config: ReceiverConfig, segments: &[(u64, Mark)]) -> Vec<Vec<(u64, u8)>> {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(config);
    let mut answer = |(number, mark): &(u64, Mark)| {
        let arrival = receiver.handle_segment(*number, *mark, Time::ZERO, &mut pool);
        arrival.early().into_iter().chain(arrival.ack).map(|ack| (ack.next, ack.echo)).collect()
    };
    segments.iter().map(&mut answer).collect()
}

/// The answers to segments in order, after a SYN.
fn in_order(config: ReceiverConfig, marks: &[Mark]) -> Vec<Vec<(u64, u8)>> {
    let segments: Vec<_> = (0..).zip([PLAIN].iter().chain(marks).copied()).collect();
    echoes(config, &segments).split_off(1)
}

#[test]
fn classic_feedback_repeats_a_mark_until_the_window_is_reduced() {
    // RFC 3168, section 6.1.3: ECE in each ACK after a CE packet, until a packet with CWR arrives
    let config = ReceiverConfig { ecn: EcnMode::Classic, ..AT_ONCE };
    let expected = [[(2, 0)], [(3, 1)], [(4, 1)], [(5, 0)], [(6, 0)]];
    assert_eq!(in_order(config, &[PLAIN, CE, PLAIN, CWR, PLAIN]), expected);
    let expected = [[(2, 1)], [(3, 1)], [(4, 1)], [(5, 0)]];
    assert_eq!(in_order(config, &[CE, BOTH, PLAIN, CWR]), expected, "CWR is processed before CE (erratum 3639)");
}

#[test]
fn a_delayed_classic_ack_has_one_flag_for_its_segments() {
    // RFC 3168, section 6.1.3: a delayed ACK carries ECE if any of its packets had CE
    let config = ReceiverConfig { ecn: EcnMode::Classic, ..DELAYED };
    let expected = [vec![], vec![(3, 1)], vec![], vec![(5, 1)], vec![], vec![(7, 0)]];
    assert_eq!(in_order(config, &[CE, PLAIN, PLAIN, PLAIN, CWR, PLAIN]), expected);
}

/// Validates: with Linux's quick ACKs, the first mark is acknowledged at once, as is the packet after it, and later marks
///     are not; the packet with CWR is, and the next mark begins again. A retransmission counts as a mark.
/// Source: Linux, `tcp_data_ecn_check` (`tcp_enter_quickack_mode(sk, 2)`) and `tcp_ecn_accept_cwr`, by hand; the kernel's
///     trace `reno_ecnstep20` (validation/linux/data) acknowledges segment 1556, the first marked one after CWR, and 1557
///     one by one, and then pairs.
/// Tolerance: exact.
#[test]
fn the_first_mark_has_two_quick_acks() {
    let config = ReceiverConfig { ecn: EcnMode::Classic, quick_acks_again: 16, ..DELAYED };
    let marks = [PLAIN, PLAIN, CE, PLAIN, CE, CE, CWR, PLAIN, CE, PLAIN];
    let alone = |next, echo| vec![(next, echo)];
    let expected = [
        vec![],
        alone(3, 0),
        alone(4, 1),
        alone(5, 1),
        vec![],
        alone(7, 1),
        alone(8, 0),
        vec![],
        alone(10, 1),
        alone(11, 1),
    ];
    assert_eq!(in_order(config, &marks), expected);
    let again = Mark { again: true, ..PLAIN };
    assert_eq!(in_order(config, &[again, PLAIN, PLAIN]), [alone(2, 0), alone(3, 0), vec![]]);
    let without = ReceiverConfig { quick_acks_again: 0, ..config };
    assert_eq!(in_order(without, &marks[4..7]), [vec![], alone(3, 1), vec![]]);
}

#[test]
fn dctcp_acknowledges_each_change_at_once_and_earlier_segments_first() {
    // RFC 8257, section 3.2: an immediate ACK with the new state; the segments that wait get one with the old state
    let config = ReceiverConfig { ecn: EcnMode::Dctcp, ..DELAYED };
    let expected = [
        vec![],
        vec![(2, 0), (3, 1)],
        vec![],
        vec![(5, 1)],
        vec![(6, 0)],
        vec![],
        vec![(8, 0)],
        vec![],
        vec![(9, 0), (10, 1)],
        vec![(11, 0)],
    ];
    let marks = [PLAIN, CE, CE, CE, PLAIN, PLAIN, PLAIN, PLAIN, CE, CWR];
    assert_eq!(in_order(config, &marks), expected, "CWR has no effect");
}

#[test]
fn dctcp_acknowledges_every_segment_once_without_delays() {
    let config = ReceiverConfig { ecn: EcnMode::Dctcp, ..AT_ONCE };
    assert_eq!(in_order(config, &[CE, PLAIN, CE]), [[(2, 1)], [(3, 0)], [(4, 1)]]);
}

#[test]
fn accurate_feedback_counts_marks_modulo_8() {
    // RFC 9768, section 3.2.2: the ACE field
    let config = ReceiverConfig { ecn: EcnMode::Accurate, ..AT_ONCE };
    let echo: Vec<u8> = in_order(config, &[CE; 10]).into_iter().flatten().map(|(_, echo)| echo).collect();
    assert_eq!(echo, [1, 2, 3, 4, 5, 6, 7, 0, 1, 2]);
    assert_eq!(in_order(config, &[PLAIN, CE, CWR, PLAIN]), [[(2, 0)], [(3, 1)], [(4, 1)], [(5, 1)]]);
}

#[test]
fn accurate_feedback_is_urgent_after_a_change_to_ce_and_after_two_marks() {
    // RFC 9768, section 3.2.2.5.1: change-triggered and increment-triggered ACKs
    let config = ReceiverConfig { ecn: EcnMode::Accurate, ..DELAYED };
    let expected = [vec![(2, 1)], vec![], vec![(4, 3)], vec![], vec![(6, 4)]];
    assert_eq!(in_order(config, &[CE, CE, CE, CE, PLAIN]), expected);
    let expected = [vec![], vec![(3, 1)], vec![], vec![(5, 2)], vec![], vec![(7, 2)]];
    assert_eq!(in_order(config, &[PLAIN, CE, PLAIN, CE, PLAIN, PLAIN]), expected);
}

#[test]
fn a_mark_on_an_old_segment_has_no_effect() {
    // RFC 3168, section 6.1.5: ignore the ECN field of segments outside the window
    for (ecn, last) in [(EcnMode::Classic, 1), (EcnMode::Dctcp, 0), (EcnMode::Accurate, 1)] {
        let config = ReceiverConfig { ecn, ..AT_ONCE };
        let segments = [(0, PLAIN), (1, PLAIN), (1, CE), (3, CE), (0, CWR), (2, PLAIN)];
        let expected = [(1, 0), (2, 0), (2, 0), (2, 1), (2, 1), (4, last)];
        assert_eq!(echoes(config, &segments), expected.map(|answer| vec![answer]), "{ecn:?}");
    }
}

#[test]
fn the_timer_reports_marks_too_and_a_new_connection_forgets_them() {
    for (ecn, echo) in [(EcnMode::Classic, 1), (EcnMode::Dctcp, 1), (EcnMode::Accurate, 2)] {
        let mut pool = ReceiverPool::default();
        let mut receiver = pool.add(ReceiverConfig { ecn, handshake: false, ..DELAYED });
        receiver.handle_segment(0, CE, Time::ZERO, &mut pool);
        if receiver.poll_timeout(&pool).is_some() {
            receiver.handle_timeout(&mut pool);
        }
        receiver.handle_segment(1, CE, Time::ZERO, &mut pool);
        assert_eq!(receiver.handle_timeout(&mut pool).map(answer), Some((2, vec![], echo, false)), "{ecn:?}");
        receiver.renew(&mut pool);
        let ack = receiver.handle_segment(1, PLAIN, Time::ZERO, &mut pool).ack;
        assert_eq!(ack, Some(Ack::cumulative(0)), "{ecn:?}");
    }
}
