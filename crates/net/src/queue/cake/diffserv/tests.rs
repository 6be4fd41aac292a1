//! Tins: codepoints, thresholds, and the order of service.

use ackclock_tcp::Segment;
use proptest::prelude::*;

use super::*;
use crate::codepoint::{CODEPOINTS, CS0};
use crate::queue::cake::{self, Cake};
use crate::queue::stored::{PacketQueue, Queued};
use crate::queue::{CakeSpec, Context};

const ALL: [Tins; 5] = [Tins::Besteffort, Tins::Diffserv3, Tins::Diffserv4, Tins::Diffserv8, Tins::Precedence];
const LINK: Rate = Rate::from_mbps(16);

fn spec(tins: Tins) -> CakeSpec {
    CakeSpec { tins, ..CakeSpec::USUAL }
}

/// A queue of flows with these codepoints.
fn queue(tins: Tins, codepoints: &[u8]) -> Cake {
    // COBALT drops none
    let spec = CakeSpec { target: Time::from_millis(1_000_000), ..spec(tins) };
    cake::build(&spec, &Context { codepoints: codepoints.into(), ..Context::testing(LINK) })
}

fn add(queue: &mut Cake, flow: u32, size: u32, now: Time) {
    let packet = Packet::data(FlowId(flow), 0, Segment::new(1, size), now);
    queue.enqueue(Queued { packet, since: now, hop: 0, marked: false }, 0, &mut Vec::new()).expect("it is stored");
}

/// Codepoints of each tin, from tin 0 on, except those for which a mode has no rule.
fn named(tins: Tins) -> Vec<Vec<u8>> {
    let af = |class: u8| [1, 2, 3].map(|drop| 8 * class + 2 * drop);
    match tins {
        Tins::Diffserv3 => vec![vec![CS0], vec![LE, CS1], vec![TOS4, VA, EF, CS6, CS7]],
        Tins::Diffserv4 => {
            let video = [&[TOS4, CS2, CS3][..], &af(2), &af(3), &af(4)].concat();
            vec![vec![CS0, TOS2], vec![LE, CS1], video, vec![CS4, CS5, VA, EF, CS6, CS7]]
        }
        Tins::Diffserv8 => vec![
            vec![LE],
            [&[CS1, TOS2][..], &af(1)].concat(),
            vec![CS0],
            [&[CS3][..], &af(3), &af(4)].concat(),
            [&[TOS4][..], &af(2)].concat(),
            vec![CS2],
            vec![CS4, CS5, VA, EF],
            vec![CS6, CS7],
        ],
        Tins::Besteffort => vec![(0..64).collect()],
        Tins::Precedence => (0..8).map(|class| (8 * class..8 * class + 8).collect()).collect(),
    }
}

/// Validates: the tins of all 64 codepoints; those without a rule are best effort.
/// Source: `tc-cake(8)`, and the lists of traffic classes in Linux, `cake_config_diffserv8` and its siblings.
/// Tolerance: exact.
#[test]
fn codepoints_have_the_tins_of_the_manual() {
    for tins in ALL {
        let named = named(tins);
        assert_eq!(named.len(), tins.count(), "{tins:?}");
        let usual = if tins == Tins::Diffserv8 { 2 } else { 0 };
        for codepoint in 0..CODEPOINTS as u8 {
            let expected = named.iter().position(|of| of.contains(&codepoint)).unwrap_or(usual);
            assert_eq!(usize::from(tins.of(codepoint)), expected, "{tins:?}, {codepoint}");
        }
    }
}

/// Thresholds in bit/s, targets and intervals in ms, to 0.1 ms as `tc` prints them.
fn reported(spec: &CakeSpec, rate: Rate) -> Vec<(u64, f64, f64)> {
    let tenths = |time: Time| (time.as_picos() as f64 / 1e8).round() / 10.0;
    let of = |threshold: Rate| {
        let control = spec.control(threshold);
        (threshold.as_bps(), tenths(control.period), tenths(control.interval))
    };
    spec.tins.thresholds(rate).into_iter().map(of).collect()
}

/// Validates: thresholds, targets and intervals of all tins of links in use.
/// Source: the lines `thresh`, `target` and `interval` that `tc -s qdisc` printed in github.com/dtaht/sch_cake, issues 61
///   and 148 (`rtt 30ms` has a target of 1.5 ms; the interface's packets have 1526 bytes), and the first of
///   github.com/ttgapers/cakeqos-merlin, issue 62, whose targets follow from `cake_set_rate` by hand. `tc` lists bulk first.
/// Tolerance: exact, as printed.
#[test]
fn thresholds_targets_and_intervals_are_those_that_kernels_reported() {
    let kbps = |kbps: u64| Rate::from_bps(1000 * kbps).expect("above 0");
    let mut slow = spec(Tins::Diffserv3);
    (slow.target, slow.interval, slow.mtu) = (Time::from_micros(1500), Time::from_millis(30), 1526);
    assert_eq!(reported(&slow, kbps(809)), [(809_000, 22.6, 51.1), (50_560, 362.2, 724.4), (202_248, 90.5, 181.1)]);
    let four = |rate| reported(&spec(Tins::Diffserv4), rate);
    let usual = |thresholds: [u64; 4]| thresholds.map(|threshold| (threshold, 5.0, 100.0));
    assert_eq!(four(kbps(100_000)), usual([100_000_000, 6_250_000, 50_000_000, 25_000_000]));
    // 1514 bytes take 2.4224, 38.7589, 4.8448 and 9.6896 ms
    let slow = [(5_000_000, 5.0, 100.0), (312_496, 58.1, 153.1), (2_500_000, 7.3, 102.3), (1_250_000, 14.5, 109.5)];
    assert_eq!(four(kbps(5_000)), slow);
}

/// Validates: the thresholds of the modes with eight tins.
/// Source: (7/8)^n, by hand; github.com/dtaht/sch_cake, issue 154, which lists 100, 87.50, 76.56, 66.99, 58.61, 51.28, 44.87
///   and 39.26 % for `diffserv8`.
/// Tolerance: 0.02 %, since the list is cut off.
#[test]
fn eight_tins_have_falling_thresholds() {
    for tins in [Tins::Diffserv8, Tins::Precedence] {
        let shares = tins.thresholds(LINK).into_iter().map(|rate| rate.as_bps() as f64 / LINK.as_bps() as f64);
        for (share, expected) in shares.zip([100.0, 87.5, 76.56, 66.99, 58.61, 51.28, 44.87, 39.26]) {
            assert!((100.0 * share - expected).abs() < 0.02, "{share} for {expected} %");
        }
    }
    assert_eq!(Tins::Besteffort.thresholds(LINK), [LINK]);
    assert!(Tins::Diffserv4.thresholds(Rate::SLOWEST).iter().all(|rate| *rate == Rate::SLOWEST));
}

/// The number of packets that each tin sends of `count`, all of 1000 bytes. Tins with packets always have some.
fn shares(tins: Tins, with_packets: &[usize], count: u64) -> Vec<u64> {
    let codepoints: Vec<u8> = named(tins).into_iter().map(|of| of[0]).collect();
    let mut queue = queue(tins, &codepoints);
    let (each, mut sent) = (LINK.transmission_time(1000), vec![0; tins.count()]);
    for tin in with_packets {
        add(&mut queue, *tin as u32, 1000, Time::ZERO);
        add(&mut queue, *tin as u32, 1000, Time::ZERO);
    }
    for number in 0..count {
        let now = each.saturating_mul(number);
        let FlowId(flow) = queue.dequeue(now, &mut Vec::new()).expect("a packet waits").packet.flow();
        sent[flow as usize] += 1;
        add(&mut queue, flow, 1000, now);
    }
    sent
}

/// Tins that always have packets.
///
/// Validates: each tin above best effort gets its threshold, the last ones first, and best effort the rest; a tin uses what
///   others leave.
/// Source: Linux, `cake_dequeue` and `cake_advance_shaper`, by hand: a late tin is served first, and is late again after the
///   time that its packet takes at its threshold. With four tins 1/4, 1/2 and 1/16 leave 3/16. With eight tins the
///   thresholds of the last two, 0.3927 and 0.4488, leave 0.1585 to the tin before them, and nothing to the others.
/// Tolerance: a packet for each tin.
#[test]
fn saturated_tins_get_their_thresholds() {
    let eighth = |power| (7.0_f64 / 8.0).powi(power);
    let rest = 1.0 - eighth(6) - eighth(7);
    let cases: [(Tins, &[usize], &[f64]); 7] = [
        (Tins::Diffserv3, &[0, 1, 2], &[11.0 / 16.0, 1.0 / 16.0, 1.0 / 4.0]),
        (Tins::Diffserv4, &[0, 1, 2, 3], &[3.0 / 16.0, 1.0 / 16.0, 1.0 / 2.0, 1.0 / 4.0]),
        (Tins::Diffserv4, &[0, 3], &[3.0 / 4.0, 0.0, 0.0, 1.0 / 4.0]),
        (Tins::Diffserv4, &[1], &[0.0, 1.0, 0.0, 0.0]),
        // Both are above their thresholds, and the next one is that of the earlier time. After each packet, in units of one
        // packet's time, voice is 4 ahead, which are 3 when the next packet is sent. Bulk is 16 ahead after its packet, and
        // sends again when it is less than 3 ahead, 14 later.
        (Tins::Diffserv4, &[1, 3], &[0.0, 1.0 / 14.0, 0.0, 13.0 / 14.0]),
        (Tins::Diffserv8, &[0, 1, 2, 3, 4, 5, 6, 7], &[0.0, 0.0, 0.0, 0.0, 0.0, rest, eighth(6), eighth(7)]),
        (Tins::Precedence, &[0, 1, 2, 3, 4, 5, 6, 7], &[0.0, 0.0, 0.0, 0.0, 0.0, rest, eighth(6), eighth(7)]),
    ];
    for (tins, with_packets, expected) in cases {
        let sent = shares(tins, with_packets, 16_000);
        for (sent, share) in sent.iter().zip(expected) {
            let apart = (*sent as f64 - 16_000.0 * share).abs();
            println!("measured: {tins:?} {with_packets:?}: {sent} for {}", 16_000.0 * share);
            assert!(apart <= tins.count() as f64, "{tins:?} {with_packets:?}: {sent} for {}", 16_000.0 * share);
        }
    }
}

proptest! {
    /// Voice of at most its threshold beside best effort and bulk that always have packets.
    ///
    /// Validates: no packet of another tin is sent while a voice packet waits, except the one in transmission.
    /// Source: Hoeiland-Joergensen et al. 2018, section III-C: tins below their threshold have priority.
    /// Tolerance: exact.
    #[test]
    fn voice_below_its_threshold_waits_for_one_packet(gaps in prop::collection::vec(0_u64..2_000, 1..200)) {
        let mut queue = queue(Tins::Diffserv4, &[0, CS1, EF]);
        let least = LINK.transmission_time(4 * 200); // a packet of 200 bytes at a quarter of the rate
        let mut voice = Time::ZERO;
        let mut arrivals = Vec::new();
        for gap in gaps {
            voice += least + Time::from_micros(gap);
            arrivals.push(voice);
        }
        for flow in [0, 1, 0, 1] {
            add(&mut queue, flow, 1500, Time::ZERO);
        }
        let (mut now, mut began, mut arrivals) = (Time::ZERO, Time::ZERO, arrivals.into_iter().peekable());
        while arrivals.peek().is_some() || queue.waiting().0 > 4 {
            while let Some(at) = arrivals.next_if(|at| *at <= now) {
                add(&mut queue, 2, 200, at);
            }
            let queued = queue.dequeue(now, &mut Vec::new()).expect("a packet waits");
            let (FlowId(flow), size) = (queued.packet.flow(), queued.packet.size());
            if flow == 2 {
                prop_assert!(queued.since >= began, "it has waited for more than one packet");
            } else {
                add(&mut queue, flow, 1500, now);
                began = now;
            }
            now += LINK.transmission_time(size);
        }
    }
}
