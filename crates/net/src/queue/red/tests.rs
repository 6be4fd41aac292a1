//! RED against hand-worked cases, the paper's distribution of gaps, and ns-2's average.

use ackclock_units::{Rate, Role};

use super::*;
use crate::link::{Link, Offered};
use crate::packet::{FlowId, Packet, Payload};
use crate::plan::LinkSpec;
use crate::queue::{DropTailSpec, QueueSpec};

const SPEC: RedSpec = RedSpec {
    limit: Limit::Packets(25),
    count_in_service: false,
    min_th: 5.0,
    max_th: 15.0,
    max_p: 0.1,
    w_q: 0.002,
    wait: false,
    gentle: false,
    unit: Unit::Packets,
    mean_packet_size: 500.0,
    above_max: AboveMax::Drop,
    spare_last: false,
    count_below: CountBelow::Reset,
};
const PACKET: Packet = Packet {
    flow: FlowId(0),
    size: 1000,
    payload: Payload::Data { number: 0, retransmission: false },
    sent: Time::ZERO,
};

fn red(spec: RedSpec) -> Red {
    let rate = Rate::from_mbps(1);
    build(&spec, &Context { rate, stream: Stream::new(1, Role::Queue, 0) })
}

fn link_with(queue: QueueSpec) -> Link {
    let spec = LinkSpec { rate: Rate::from_mbps(1), delay: Time::from_millis(10), queue, loss: None };
    let context = Context { rate: spec.rate, stream: Stream::new(1, Role::Queue, 0) };
    Link::new(&spec, spec.queue.build(&context))
}

/// Validates: RED's average queue, idle ageing included, is ns-2's at every arrival of a trace.
/// Source: Floyd and Jacobson 1993, section 4; ns-2.35.
/// Tolerance: 1e-5 of the average, the digits of the trace; each drop exact.
#[test]
fn the_average_is_ns2s_at_every_arrival() {
    // Queue/RED of ns-2.35 with the constants of 2000 on a 1 Mb/s link under Poisson arrivals: its average before each
    // arrival, over idle and busy times, and what the full queue dropped
    let queue = QueueSpec::Red(RedSpec { wait: true, spare_last: true, count_below: CountBelow::Run, ..SPEC });
    let mut link = link_with(queue);
    for line in include_str!("../../../tests/ns2/red_2000.csv").lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let [time, avg, dropped] = row[..] else { panic!("three fields a row") };
        assert!((link.average() - avg).abs() <= 1e-5 * avg, "at {time}: {} and {avg}", link.average());
        let offered = link.offer(&PACKET, Time::from_secs_f64(time));
        assert_eq!(matches!(offered, Offered::Dropped(_)), dropped > 0.0, "at {time}");
    }
}

#[test]
fn the_average_is_that_of_the_last_arrival() {
    // of four packets at once the first is transmitted, so that they find 0, 0, 1 and 2 waiting
    let mut link = link_with(QueueSpec::Red(RedSpec { w_q: 0.5, ..SPEC }));
    let averages = [0.0, 0.0, 0.5, 1.25].map(|average| {
        link.offer(&PACKET, Time::ZERO);
        (link.average(), average)
    });
    assert!(averages.iter().all(|(found, by_hand)| found == by_hand), "{averages:?}");
    // a second later nothing waits, but no arrival has told the discipline
    assert_eq!(link.backlog(Time::SECOND), (0, 0));
    assert_eq!(link.average(), 1.25);
}

#[test]
fn drop_tail_keeps_no_average() {
    let spec = DropTailSpec { limit: Limit::Packets(25), count_in_service: false };
    assert!(link_with(QueueSpec::DropTail(spec)).average().is_nan());
}

/// Packets from one drop to the next, with the average held at `avg`.
fn gaps(spec: RedSpec, avg: f64, drops: usize) -> Vec<u64> {
    let mut red = Red { avg, above: true, ..red(RedSpec { w_q: 0.0, ..spec }) };
    let arrival = Arrival {
        packet: &PACKET,
        now: Time::ZERO,
        waiting_packets: 10,
        waiting_bytes: 10_000,
        last_size: 1000,
        busy_until: Time::MAX,
    };
    let mut gaps = Vec::new();
    let mut gap = 0;
    while gaps.len() < drops {
        gap += 1;
        if red.on_arrival(&arrival) == Verdict::Drop(DropReason::Early) {
            gaps.push(gap);
            gap = 0;
        }
    }
    gaps
}

/// Validates: without wait, the number of arrivals between drops is uniform on 1 to 1/p less one.
/// Source: Floyd and Jacobson 1993, section 7, method 2.
/// Tolerance: four standard errors of each share, at a fixed seed.
#[test]
fn gaps_between_drops_are_uniform() {
    // figure 2 counts the arrival itself, so that with p_b = 0.05 halfway up gaps are uniform on 1 .. 19, not 20
    let gaps = gaps(SPEC, 10.0, 20_000);
    for gap in 1..=19 {
        let share = gaps.iter().filter(|seen| **seen == gap).count() as f64 / gaps.len() as f64;
        let expected = 1.0 / 19.0;
        assert!(
            (share - expected).abs() < 4.0 * (expected / 20_000.0_f64).sqrt(),
            "four standard errors: {gap}, {share}"
        );
    }
    assert!(gaps.iter().all(|gap| (1..=19).contains(gap)));
}

/// Validates: with wait, drops keep at least 1/p arrivals apart.
/// Source: ns-2.35, wait_.
/// Tolerance: exact.
#[test]
fn waiting_keeps_drops_a_mean_gap_apart() {
    let gaps = gaps(RedSpec { wait: true, ..SPEC }, 10.0, 5_000);
    assert!(gaps.iter().all(|gap| (20..=40).contains(gap)), "{:?}", gaps.iter().max());
}

/// Validates: gentle RED's drop probability rises from max_p at max_th to 1 at twice that.
/// Source: Floyd 2000, gentle variant of RED.
/// Tolerance: exact.
#[test]
fn gentle_goes_on_to_twice_max_th() {
    let probability = |gentle, avg| Red { avg, ..red(RedSpec { gentle, ..SPEC }) }.drop_probability();
    assert_eq!(probability(false, 10.0), 0.05);
    assert_eq!(probability(false, 15.0), 1.0);
    assert_eq!(probability(true, 15.0), 0.1);
    assert!((probability(true, 22.5) - 0.55).abs() < 1e-12);
    assert_eq!(probability(true, 30.0), 1.0);
}

/// Validates: below min_th nothing is dropped, from max_th on everything.
/// Source: Floyd and Jacobson 1993, section 4.
/// Tolerance: exact.
#[test]
fn below_min_th_nothing_is_dropped_and_above_max_th_everything() {
    let verdict = |avg| {
        let arrival = Arrival {
            packet: &PACKET,
            now: Time::ZERO,
            waiting_packets: 4,
            waiting_bytes: 4_000,
            last_size: 1000,
            busy_until: Time::MAX,
        };
        Red { avg, ..red(SPEC) }.on_arrival(&arrival)
    };
    assert_eq!(verdict(4.9), Verdict::Accept);
    assert_eq!(verdict(16.0), Verdict::Drop(DropReason::Early));
}

#[test]
fn thresholds_must_be_in_order() {
    let invalid = check(&RedSpec { max_th: 5.0, ..SPEC }).unwrap_err();
    assert_eq!((invalid.field, invalid.problem.as_str()), ("max_th", "5 is not allowed; must be above min_th (5)"));
}
