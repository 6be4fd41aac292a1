//! Steps are exact, and actions do what they say.

use std::sync::Arc;

use ackclock_tcp::congestion::foreign::{ForeignSpec, Needs};
use ackclock_tcp::congestion::{CubicRules, CubicSpec, RenoSpec};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Pacing, ReceiverConfig, SenderConfig};
use ackclock_units::Rate;
use proptest::prelude::*;

use super::*;
use crate::plan::testing::dumbbell_of_reno;
use crate::plan::{GroupSpec, LinkSpec, SourceSpec, Topology};
use crate::queue::{CodelSpec, DropFrom, DropTailSpec, Limit, QueueSpec, Ties};

const SECOND: Time = Time::SECOND;

fn law(name: &str) -> LawSpec {
    match name {
        "reno" => LawSpec::Reno(RenoSpec {}),
        "cubic" => LawSpec::Cubic(CubicSpec { fast_convergence: true, rules: CubicRules::Rfc9438 }),
        _ => {
            let needs = Needs { own_slow_start: true, observes: true, times_segments: true, ..Needs::default() };
            LawSpec::Foreign(ForeignSpec { name: AGENT.into(), number: 0, needs, maker: None })
        }
    }
}

fn drop_tail(packets: u64) -> QueueSpec {
    QueueSpec::DropTail(DropTailSpec {
        limit: Limit::Packets(packets),
        count_in_service: true,
        ties: Ties::Departure,
        mark_above: 0,
        drop: DropFrom::Tail,
    })
}

/// Greedy flows with RACK over a round-trip time of 40 ms; a group of two flows for each law.
fn plan(laws: &[&str], mbps: u64, queue: QueueSpec) -> Plan {
    let base = dumbbell_of_reno(1);
    let link = |mbps, queue| LinkSpec::plain(Rate::from_mbps(mbps).into(), Time::from_millis(10), queue);
    let group = |name: &&str| GroupSpec {
        count: 2,
        source: SourceSpec::Greedy { packets: None },
        transport: TransportSpec::Tcp {
            sender: Arc::new(SenderConfig {
                congestion: law(name),
                recovery: RecoverySpec::Rack,
                max_window: 10_000,
                pacing: Pacing::Law,
                handshake: false,
                ..SenderConfig::default()
            }),
            receiver: ReceiverConfig { delayed_ack: false, handshake: false, ..ReceiverConfig::default() },
        },
        ..base.groups[0].clone()
    };
    Plan {
        duration: SECOND.saturating_mul(3_600),
        topology: Topology::Dumbbell {
            bottleneck: link(mbps, queue),
            reverse: link(mbps, drop_tail(100_000)),
            access: laws.iter().map(|_| (link(1_000, drop_tail(100_000)), link(1_000, drop_tail(100_000)))).collect(),
        },
        groups: laws.iter().map(group).collect(),
        ..base
    }
}

fn alone(action: Action, mbps: u64, buffer: u64) -> Stepper {
    let mut plan = plan(&["agent"], mbps, drop_tail(buffer));
    plan.groups[0].count = 1;
    let mut stepper = Stepper::new(plan, &[0], 1, u64::MAX).expect("sound");
    stepper.act(0, action);
    stepper
}

fn step(stepper: &mut Stepper, span: Time) -> Interval {
    stepper.step(span, || Ok::<(), StepError>(())).expect("it goes on");
    stepper.interval(0)
}

/// The sums over steps of the given lengths, of each watched flow, and its window and the queue at the end.
fn sums(plan: &Plan, spans: &[Time]) -> Vec<([u64; 8], f64)> {
    let groups: Vec<usize> = (0..plan.groups.len()).collect();
    let mut stepper = Stepper::new(plan.clone(), &groups, 7, u64::MAX).expect("sound");
    for place in 0..stepper.watched() {
        stepper.act(place, Action::Window(30.0));
    }
    let mut sums = vec![([0; 8], 0.0); stepper.watched()];
    for span in spans {
        stepper.step(*span, || Ok::<(), StepError>(())).expect("it goes on");
        for (place, (sum, cwnd)) in sums.iter_mut().enumerate() {
            let seen = stepper.interval(place);
            let counts = [seen.sent, seen.acked, seen.lost, seen.timeouts, seen.samples, seen.offered, seen.dropped];
            for (sum, count) in sum.iter_mut().zip(counts) {
                *sum += count;
            }
            (sum[7], *cwnd) = (seen.queue, seen.cwnd);
        }
    }
    sums
}

fn codel() -> QueueSpec {
    QueueSpec::Codel(CodelSpec {
        limit: Limit::Packets(60),
        count_in_service: true,
        target: Time::from_millis(5),
        interval: Time::from_millis(100),
        mtu: 1500,
        ecn: false,
        ce_threshold: None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Validates: the lengths of the steps change neither the run nor the sum of what is seen.
    /// Source: the head of `stepping.rs`.
    /// Tolerance: exact.
    #[test]
    fn steps_partition_the_time(
        shares in prop::collection::vec(1_u64..1_000, 1..40),
        stored in any::<bool>(),
        buffer in 10_u64..60,
    ) {
        let queue = if stored { codel() } else { drop_tail(buffer) };
        let plan = plan(&["agent", "reno", "cubic"], 10, queue);
        let total = SECOND.saturating_mul(5);
        let unit = total.as_picos() / shares.iter().sum::<u64>();
        let mut spans: Vec<Time> = shares.iter().map(|share| Time::from_picos(share * unit)).collect();
        spans.push(total - spans.iter().fold(Time::ZERO, |sum, span| sum + *span));
        let (whole, parted) = (sums(&plan, &[total]), sums(&plan, &spans));
        prop_assert!(whole.iter().all(|(sum, _)| sum[1] > 10), "all flows send: {whole:?}");
        prop_assert_eq!(whole, parted);
    }
}

/// Validates: an ACK at the end of a step belongs to the next one. A packet takes 12 us on the access link and 1.2 ms at
///     the bottleneck, its ACK of 40 bytes 32 us and 0.32 us; four delays of 10 ms.
/// Source: the head of `stepping.rs`.
/// Tolerance: exact.
#[test]
fn an_ack_at_the_end_belongs_to_the_next_step() {
    let rtt = Time::from_picos(41_244_320_000);
    let mut stepper = alone(Action::Window(1.0), 10, 50);
    let first = step(&mut stepper, rtt);
    assert_eq!([first.sent, first.acked, first.samples, first.offered], [10, 0, 0, 10], "the initial window");
    assert!(first.rtt.is_nan() && first.rtt_min.is_nan() && first.cwnd == 10.0);
    let second = step(&mut stepper, Time::from_picos(1));
    assert_eq!([second.sent, second.acked, second.samples, second.flight], [0, 1, 1, 9]);
    assert_eq!((second.rtt, second.rtt_min, second.cwnd), (rtt.as_secs_f64(), rtt.as_secs_f64(), 1.0));
    assert!((second.begin - first.span).abs() < 1e-15 && second.span == 1e-12);
}

/// Validates: packets that a step sends and that arrive at the link in a later step are counted there.
/// Source: the head of `stepping.rs`; a packet takes 10.012 ms to the link, and waits for the ones before it.
/// Tolerance: exact.
#[test]
fn arrivals_count_when_they_happen() {
    let mut stepper = alone(Action::Window(1.0), 10, 50);
    let offered: Vec<u64> = [10_012, 12, 1_000].map(|us| step(&mut stepper, Time::from_micros(us)).offered).into();
    assert_eq!(offered, [0, 1, 9]);
    let mut stepper = alone(Action::Window(1.0), 10, 50);
    let all = step(&mut stepper, Time::from_millis(20));
    assert_eq!((all.offered, all.dropped, all.queue), (10, 0, 1), "8.3 packets have left in 9.988 ms");
    let waits = (0..10).map(|before| f64::from(before) * (1.2e-3 - 12e-6)).sum::<f64>() / 10.0;
    assert!((all.wait - waits).abs() < 1e-12, "{} is not {waits}", all.wait);
}

/// Validates: a window of 20 packets sends 20 packets per round trip, and a rate of 500 packets/s half of the link's.
/// Source: the definitions of the actions.
/// Tolerance: a packet per step.
#[test]
fn windows_and_rates_hold() {
    let mut stepper = alone(Action::Window(20.0), 10, 50);
    step(&mut stepper, SECOND);
    let seen = step(&mut stepper, Time::from_picos(41_244_320_000));
    assert!(seen.sent.abs_diff(20) <= 1 && seen.flight == 20 && seen.cwnd == 20.0 && seen.queue == 0, "{seen:?}");
    stepper.act(0, Action::Window(60.0));
    step(&mut stepper, SECOND);
    let seen = step(&mut stepper, SECOND);
    assert!(seen.sent.abs_diff(833) <= 1 && seen.flight == 60 && seen.lost == 0, "{seen:?}");
    assert!((seen.rtt - 0.072).abs() < 1e-3, "60 packets of 1.2 ms: {}", seen.rtt);
    stepper.act(0, Action::Rate(500.0));
    step(&mut stepper, SECOND);
    let seen = step(&mut stepper, SECOND);
    assert!(seen.sent.abs_diff(500) <= 1 && seen.queue == 0 && seen.wait == 0.0 && seen.cov < 1.0, "{seen:?}");
    stepper.act(0, Action::Rate(1_000.0));
    let rising = step(&mut stepper, Time::from_millis(250));
    assert!((0.1..0.25).contains(&rising.rtt_gradient), "a fifth of what is sent waits: {}", rising.rtt_gradient);
}

/// Validates: a factor multiplies CUBIC's window once, and CUBIC goes on from there.
/// Source: the definition of the action; an ACK adds a packet in slow start.
/// Tolerance: the ACKs of 5 ms.
#[test]
fn a_factor_is_used_once() {
    let mut stepper = alone(Action::Factor(1.0), 10, 20);
    step(&mut stepper, SECOND.saturating_mul(20));
    let before = step(&mut stepper, Time::from_millis(5)).cwnd;
    stepper.act(0, Action::Factor(0.5));
    let halved = step(&mut stepper, Time::from_millis(5)).cwnd;
    let after = step(&mut stepper, Time::from_millis(5)).cwnd;
    let within = |cwnd: f64, low: f64| (low..=low + 5.0).contains(&cwnd);
    assert!(within(halved, before / 2.0) && within(after, halved), "{before}, {halved}, {after}");
}

/// Validates: an agent that ignores losses does not stop its own flow, and the window grows again after a timeout.
/// Source: RFC 6298, section 5: a timeout follows a loss that nothing else repairs.
/// Tolerance: none: packets are acknowledged in each second.
#[test]
fn an_agent_that_ignores_losses_goes_on() {
    let mut stepper = alone(Action::Window(533.0), 100, 50);
    let seen: Vec<Interval> = (0..60).map(|_| step(&mut stepper, SECOND)).collect();
    assert!(seen.iter().all(|seen| seen.acked > 0 && seen.lost > 0), "{seen:?}");
}

/// Validates: two bins with 10 and 0 arrivals have a coefficient of variation of the square root of 2.
/// Source: the definition, with the unbiased variance.
/// Tolerance: rounding.
#[test]
fn bins_vary() {
    let mut stepper = alone(Action::Window(1.0), 10, 50);
    assert!(step(&mut stepper, Time::from_millis(150)).cov.is_nan(), "one complete bin of 100 ms");
    let mut plan = plan(&["agent"], 10, drop_tail(50));
    plan.measure.bin = Time::from_millis(20);
    plan.groups[0].count = 1;
    let mut stepper = Stepper::new(plan, &[0], 1, u64::MAX).expect("sound");
    assert!((step(&mut stepper, Time::from_millis(40)).cov - f64::sqrt(2.0)).abs() < 1e-12);
}

#[test]
fn what_cannot_be_stepped_is_refused() {
    let sound = plan(&["agent"], 10, drop_tail(50));
    let short = Plan { duration: SECOND, ..sound.clone() };
    let mut stepper = Stepper::new(short, &[0], 1, u64::MAX).expect("sound");
    step(&mut stepper, SECOND);
    let error = stepper.step(Time::from_picos(1), || Ok::<(), StepError>(())).expect_err("it is over");
    assert!(error.to_string().starts_with("duration: ends at 1 s"), "{error}");
    let mut stepper = Stepper::new(sound.clone(), &[0], 1, u64::MAX).expect("sound");
    let stop = || Err(StepError::Refused(PlanError::new("progress", "enough")));
    let error = stepper.step(SECOND.saturating_mul(3_000), stop).expect_err("progress stops it");
    assert_eq!(error.to_string(), "progress: enough");
    assert_eq!(Stepper::new(sound.clone(), &[0], 1, 1_000).expect_err("no memory").field, "memory");
    let mut udp = sound;
    udp.groups[0].transport = TransportSpec::Udp { sizes: crate::sizes::SizeSpec::Fixed };
    udp.groups[0].source = SourceSpec::Poisson { rate: 10.0 };
    assert_eq!(Stepper::new(udp.clone(), &[0], 1, u64::MAX).expect_err("UDP").field, "groups.0.transport");
    let mut unwatched = Stepper::new(udp, &[], 1, u64::MAX).expect("nothing is watched");
    unwatched.step(SECOND, || Ok::<(), StepError>(())).expect("it goes on");
    unwatched.act(0, Action::Window(1.0));
    assert_eq!(unwatched.watched(), 0);
}
