//! Single flows against ns-2.35, segment by segment.
//!
//! `ns2/*.csv` hold what `Agent/TCP/*` of an unmodified ns-2.35 sent, and when: n0 --10 Mb/s, 2 ms-- n1 --0.8 Mb/s, 20 ms-- n2,
//! unlimited data from t = 0, advertised window 20, 1000 bytes of data plus 40 of header (Vegas and the constants of 2000:
//! 1000 in all), drop-tail of 100 packets at n1 unless told, losses by a list at n1.

use std::fmt::Write;
use std::sync::Arc;

use ackclock_net::loss::LossSpec;
use ackclock_net::plan::{EdgeSpec, GroupSpec, LinkSpec, MeasureSpec, Plan, SourceSpec, Topology, TransportSpec};
use ackclock_net::queue::{DropTailSpec, Limit, QueueSpec};
use ackclock_net::{LinkId, Observation, Observer, Payload, Simulator};
use ackclock_tcp::congestion::{BaseRtt, LawSpec, RenoSpec, VegasSpec};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Arithmetic, DecreaseFrom, IdleRestart, ReceiverConfig, RttConfig, SenderConfig};
use ackclock_units::{Rate, Time};

/// Every segment that entered the first link.
#[derive(Default)]
struct Sent(Vec<(f64, u64)>);

impl Observer for Sent {
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        if let Observation::Offered { link: LinkId(0), packet, .. } = seen {
            match packet.payload {
                Payload::Syn => self.0.push((now.as_secs_f64(), 0)),
                Payload::Data(number) => self.0.push((now.as_secs_f64(), number)),
                Payload::Ack(_) => {}
            }
        }
    }
}

/// ns-2.35's Reno, with the clock's phase that the trace was made with (a fraction of its 10 ms tick).
fn reno() -> SenderConfig {
    SenderConfig {
        packet_size: 1040,
        initial_window: 2,
        max_window: 20,
        grow_on_exit: true,
        stale_records: true,
        decrease_from: DecreaseFrom::Window,
        grow_when_limited: true,
        idle_restart: IdleRestart::Timeout,
        rtt: RttConfig {
            clock: Time::from_millis(10),
            clock_phase: Some(Time::from_picos(5_558_807_160)),
            arithmetic: Arithmetic::Integer,
            min_rto: Time::from_millis(200),
            initial_rto: Time::from_millis(3_000),
            ..RttConfig::default()
        },
        ..SenderConfig::default()
    }
}

fn vegas() -> SenderConfig {
    let reno = reno();
    SenderConfig {
        packet_size: 1000,
        handshake: false,
        lone_segments: 2,
        recovery: RecoverySpec::Vegas,
        congestion: LawSpec::Vegas(VegasSpec { alpha: 1.0, beta: 3.0, gamma: 1.0, base_rtt: BaseRtt::Ns2 }),
        rtt: RttConfig { clock_phase: Some(Time::from_picos(142_046_607)), ..reno.rtt },
        ..reno
    }
}

/// Reno with ns-2's constants of the year 2000.
fn era_2000() -> SenderConfig {
    let reno = reno();
    SenderConfig {
        packet_size: 1000,
        handshake: false,
        initial_window: 1,
        limited_transmit: false,
        exit_recovery: false,
        decrease_from: DecreaseFrom::WholeWindow,
        rtt: RttConfig {
            clock: Time::from_millis(100),
            clock_phase: Some(Time::from_picos(55_588_071_598)),
            min_rto: Time::ZERO,
            max_rto: Time::from_millis(64_000),
            initial_rto: Time::from_millis(6_000),
            backoff_after_floor: false,
            ..reno.rtt
        },
        congestion: LawSpec::Reno(RenoSpec {}),
        ..reno
    }
}

fn plan(sender: SenderConfig, losses: &[u64], limit: u64, delayed_ack: Option<Time>) -> Plan {
    let edge = |from, to, (bps, millis), packets, loss| EdgeSpec {
        from,
        to,
        link: LinkSpec {
            rate: Rate::from_bps(bps).unwrap(),
            delay: Time::from_millis(millis),
            queue: QueueSpec::DropTail(DropTailSpec { limit: Limit::Packets(packets), count_in_service: true }),
            loss,
        },
    };
    let (fast, slow) = ((10_000_000, 2), (800_000, 20));
    let loss = Some(LossSpec::List { packets: losses.to_vec() });
    Plan {
        duration: Time::SECOND.saturating_mul(100),
        measure: MeasureSpec { from: Time::ZERO, bin: Time::SECOND, link: 1 },
        topology: Topology::Graph {
            nodes: 3,
            links: vec![
                edge(0, 1, fast, 100_000, None),
                edge(1, 2, slow, limit, loss),
                edge(2, 1, slow, 100_000, None),
                edge(1, 0, fast, 100_000, None),
            ],
        },
        groups: vec![GroupSpec {
            count: 1,
            path: Some((0, 2)),
            reverse: false,
            packet_size: sender.packet_size,
            start: Time::ZERO,
            transport: TransportSpec::Tcp {
                receiver: ReceiverConfig { delayed_ack, handshake: sender.handshake, ..ReceiverConfig::default() },
                sender: Arc::new(sender),
            },
            source: SourceSpec::Greedy { packets: None },
        }],
        records: Vec::new(),
    }
}

/// Runs the plan and compares what was sent with a trace: the same segments, each within a microsecond.
fn compare(plan: &Plan, trace: &str) {
    let expected: Vec<(f64, u64)> = trace
        .lines()
        .skip(1)
        .map(|line| {
            let (time, segment) = line.split_once(',').unwrap();
            (time.parse().unwrap(), segment.parse().unwrap())
        })
        .collect();
    let mut sent = Sent::default();
    let mut simulator = Simulator::new(plan, 1).unwrap();
    simulator.run_until(plan.duration, &mut sent);
    let agree = |(ours, theirs): (&(f64, u64), &(f64, u64))| ours.1 == theirs.1 && (ours.0 - theirs.0).abs() < 1e-6;
    if let Some(at) = sent.0.iter().zip(&expected).position(|pair| !agree(pair)) {
        let mut story = format!("segment {at} differs (ours, ns-2's):\n");
        for (ours, theirs) in sent.0.iter().zip(&expected).skip(at.saturating_sub(4)).take(12) {
            writeln!(story, "{ours:?} {theirs:?}").unwrap();
        }
        panic!("{story}");
    }
    assert!(sent.0.len() >= expected.len(), "{} segments of {}", sent.0.len(), expected.len());
}

#[test]
fn reno_repairs_one_loss() {
    compare(&plan(reno(), &[12], 100, None), include_str!("ns2/reno_1loss.csv"));
}

#[test]
fn reno_times_out_after_three_losses() {
    compare(&plan(reno(), &[12, 14, 16], 100, None), include_str!("ns2/reno_3loss.csv"));
}

#[test]
fn reno_keeps_its_back_off_until_a_new_segment_is_timed() {
    compare(&plan(reno(), &[12, 27, 33], 100, None), include_str!("ns2/reno_rtxlost.csv"));
}

#[test]
fn reno_with_delayed_acks_repairs_one_loss() {
    let delay = Some(Time::from_millis(100));
    compare(&plan(reno(), &[12], 100, delay), include_str!("ns2/reno_delack_1loss.csv"));
}

#[test]
fn reno_overflows_a_small_buffer() {
    let sender = SenderConfig { max_window: 40, ..reno() };
    compare(&plan(sender, &[], 6, None), include_str!("ns2/reno_droptail6.csv"));
}

#[test]
fn reno_of_2000_times_out_after_two_losses() {
    compare(&plan(era_2000(), &[21, 22], 100, None), include_str!("ns2/reno_era2000_2loss.csv"));
}

#[test]
fn vegas_without_losses() {
    compare(&plan(vegas(), &[], 100, None), include_str!("ns2/vegas_noloss.csv"));
}

#[test]
fn vegas_repairs_one_loss() {
    compare(&plan(vegas(), &[26], 100, None), include_str!("ns2/vegas_1loss.csv"));
}

#[test]
fn vegas_takes_the_gap_between_two_acks_for_its_base_rtt() {
    compare(&plan(vegas(), &[36, 65, 68, 69], 100, None), include_str!("ns2/vegas_basertt.csv"));
}

#[test]
fn vegas_falls_back_to_a_window_of_zero() {
    compare(&plan(vegas(), &[30, 38, 41, 42], 100, None), include_str!("ns2/vegas_cwnd0.csv"));
}
