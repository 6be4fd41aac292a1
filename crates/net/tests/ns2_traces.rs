//! Single flows compared with ns-2.35, segment by segment.
//!
//! `ns2/*.jsonl` contain the segments and send times of `Agent/TCP/*` of an unmodified ns-2.35 under the parameters of
//! each line. The path is n0 --10 Mb/s, 2 ms-- n1 --0.8 Mb/s, 20 ms-- n2, with drop-tail and losses from a list at n1.
//! `ns2/transports.json` contains the transports that the Python package makes from the profiles.
//! `validation/ns2_traces.py` generates all of it; `make traces` compares hundreds of new traces.
//!
//! Half of the random cases have delayed ACKs. In half of the random cases, chosen independently, the source does not
//! always supply data ahead of the sender. A random case may differ from ns-2 for the following reasons (a named case
//! states its own reason):
//!
//! - a tie: Vegas' `diff` is exactly half a segment, so that rounding errors in ns-2's sums decide whether it is
//!   rounded up; or an ACK arrives exactly at the time of a timeout, which is frequent if the clock ticks every 100 ms;
//! - Vegas: when a segment whose record counts two transmissions is retransmitted before the third duplicate ACK, ns-2
//!   does not check the window before the next ACK;
//! - Vegas: ns-2 sends segments that the application has not supplied, since their empty records count as expired;
//! - ns-2 counts duplicate ACKs that arrive while nothing is outstanding, which RFC 5681 (section 2) does not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use ackclock_net::link::loss::LossSpec;
use ackclock_net::plan::{
    EdgeSpec, GroupSpec, LinkSpec, MeasureSpec, Paths, Plan, SourceSpec, Topology, TransportSpec,
};
use ackclock_net::queue::{DropFrom, DropTailSpec, Limit, QueueSpec, Ties};
use ackclock_net::source::TraceSpec;
use ackclock_net::{LinkId, Observation, Observer, Payload, Simulator};
use ackclock_units::{Rate, Time};
use serde::Deserialize;

/// A flow and its trace in ns-2: `Case` of `validation/ns2_traces.py`.
#[derive(Clone, Deserialize)]
struct Case {
    name: String,
    variant: String,
    profile: String,
    losses: Vec<u64>,
    syns: u64,
    window: u32,
    limit: u64,
    delayed_ack: bool,
    interval: f64,
    supply: Vec<(f64, u32)>,
    seed: u64,
    most: usize,
    stop: u64,
    clock_phase: u64,
    /// The reason for an intended difference from ns-2; empty if there is none.
    differs: String,
    sent: Vec<(f64, u64)>,
}

impl Case {
    fn transport(&self) -> TransportSpec {
        type Transports = BTreeMap<String, BTreeMap<String, TransportSpec>>;
        let known: Transports = serde_json::from_str(include_str!("ns2/transports.json")).unwrap();
        let TransportSpec::Tcp { mut sender, mut receiver } = known[&self.profile][&self.variant].clone() else {
            panic!("a TCP transport is needed")
        };
        let config = Arc::make_mut(&mut sender);
        config.max_window = self.window;
        config.rtt.clock_phase = Some(Time::from_picos(self.clock_phase));
        receiver.delayed_ack = self.delayed_ack;
        TransportSpec::Tcp { sender, receiver }
    }

    fn plan(&self) -> Plan {
        let transport = self.transport();
        let TransportSpec::Tcp { sender, .. } = &transport else { unreachable!() };
        let packet_size = sender.packet_size;
        let edge = |from, to, (bps, millis), packets, loss| EdgeSpec {
            from,
            to,
            link: LinkSpec {
                loss,
                ..LinkSpec::plain(
                    Rate::from_bps(bps).unwrap().into(),
                    Time::from_millis(millis),
                    QueueSpec::DropTail(DropTailSpec {
                        limit: Limit::Packets(packets),
                        count_in_service: true,
                        ties: Ties::Departure,
                        mark_above: 0,
                        drop: DropFrom::Tail,
                    }),
                )
            },
        };
        let (fast, slow) = ((10_000_000, 2), (800_000, 20));
        let loss = Some(LossSpec::List { packets: self.losses.clone(), syns: self.syns });
        Plan {
            duration: self.duration(),
            measure: MeasureSpec {
                from: Time::ZERO,
                bin: Time::SECOND,
                link: 1,
                others: Vec::new(),
                convergence: None,
            },
            topology: Topology::Graph {
                nodes: 3,
                links: vec![
                    edge(0, 1, fast, 100_000, None),
                    edge(1, 2, slow, self.limit, loss),
                    edge(2, 1, slow, 100_000, None),
                    edge(1, 0, fast, 100_000, None),
                ],
            },
            paths: Paths::First,
            media: Vec::new(),
            groups: vec![GroupSpec {
                via: Vec::new(),
                changes: Vec::new(),
                count: 1,
                path: Some((0, 2)),
                reverse: false,
                packet_size,
                start: Time::ZERO,
                spread: Time::ZERO,
                schedule: None,
                priority: 0,
                weight: 1,
                ceiling: None,
                dscp: 0,
                transport,
                source: self.source(),
            }],
            records: Vec::new(),
            captures: Vec::new(),
        }
    }

    /// Duration of our run, slightly longer than the run of ns-2.
    fn duration(&self) -> Time {
        let last = self.sent.last().map_or(0.0, |sent| sent.0);
        if self.sent.len() < self.most { Time::from_millis(1_000 * self.stop) } else { Time::from_secs_f64(last + 1.0) }
    }

    fn source(&self) -> SourceSpec {
        let supply = if self.interval > 0.0 {
            let count = (self.duration().as_secs_f64() / self.interval) as u32;
            (0..count).map(|number| (f64::from(number) * self.interval, 1)).collect()
        } else if self.supply.is_empty() {
            return SourceSpec::Greedy { packets: None };
        } else {
            self.supply.clone()
        };
        let (times, packets) = supply.iter().map(|(at, packets)| (Time::from_secs_f64(*at), *packets)).unzip();
        SourceSpec::Trace(TraceSpec { times, packets: Some(packets), period: None, offset: Some(Time::ZERO) }.into())
    }

    /// The segments that our engine sends, with their times.
    fn ours(&self) -> Vec<(f64, u64)> {
        let plan = self.plan();
        let mut sent = Sent::default();
        let mut simulator = Simulator::new(&plan, 1).unwrap();
        simulator.run_until(plan.duration, &mut sent);
        sent.0.truncate(self.most);
        sent.0
    }

    /// The first segment that differs from ns-2, or whose time differs by more than a microsecond.
    fn difference(&self) -> Option<Difference> {
        let ours = self.ours();
        let order = |at: &usize| ours.get(*at).map(|sent| sent.1) != self.sent.get(*at).map(|sent| sent.1);
        let late = |at: &usize| (ours[*at].0 - self.sent[*at].0).abs() >= 1e-6;
        let all = 0..ours.len().max(self.sent.len());
        let at = all.clone().find(|at| order(at) || late(at))?;
        let mut story = format!(
            "{} of {} ({}), losses {:?}, window {}, delayed ACKs {}, interval {}, supply {:?}, seed {}: segment {at} differs \
             (ours, ns-2's)\n",
            self.variant,
            self.name,
            self.profile,
            self.losses,
            self.window,
            self.delayed_ack,
            self.interval,
            self.supply,
            self.seed
        );
        for at in at.saturating_sub(6)..(at + 6).min(all.end) {
            writeln!(story, "  {:?} {:?}", ours.get(at), self.sent.get(at)).unwrap();
        }
        Some(Difference { order: all.clone().any(|at| order(&at)), story })
    }
}

struct Difference {
    /// Whether the order of segments differs, not only their times.
    order: bool,
    story: String,
}

/// Every segment that entered the first link.
#[derive(Default)]
struct Sent(Vec<(f64, u64)>);

impl Observer for Sent {
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        if let Observation::Offered { link: LinkId(0), packet, .. } = seen {
            match packet.payload() {
                Payload::Syn { .. } => self.0.push((now.as_secs_f64(), 0)),
                Payload::Data { number, .. } => self.0.push((now.as_secs_f64(), number)),
                Payload::Ack { .. } => {}
            }
        }
    }
}

fn cases(lines: &str) -> Vec<Case> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn compare(cases: &[Case]) {
    let (same, other): (Vec<_>, Vec<_>) = cases.iter().partition(|case| case.differs.is_empty());
    let stories: Vec<_> = same.iter().filter_map(|case| case.difference()).map(|difference| difference.story).collect();
    assert!(stories.is_empty(), "{} of {} differ\n{}", stories.len(), cases.len(), stories.join("\n"));
    for case in &other {
        assert!(case.difference().is_some(), "{} of {} is equal: {}", case.variant, case.name, case.differs);
    }
    println!(
        "measured: {} traces equal, {} differ for a reason given in their file",
        same.len(),
        cases.len() - same.len()
    );
}

/// Validates: a single flow with given losses, delayed ACKs, idle times, a lost SYN or the constants of ns-2 in 2000
///   sends the same segments as ns-2 at the same times, except in cases that state a reason.
/// Source: ns-2.35.
/// Tolerance: exact for the order; 1 us for times, or one clock tick after a timeout.
#[test]
fn named_traces_are_equal_but_for_those_that_say_why() {
    compare(&cases(include_str!("ns2/named.jsonl")));
}

/// Validates: random lists of one to eight losses give ns-2's order of segments for all five variants.
/// Source: ns-2.35.
/// Tolerance: exact for the order; 1 us for times, or one clock tick after a timeout.
#[test]
fn random_losses_give_the_same_segments() {
    compare(&cases(include_str!("ns2/random.jsonl")));
}

/// Compares the cases of the file that `ACKCLOCK_TRACES` names; `make traces` writes it.
#[test]
fn new_random_losses_give_the_same_segments() {
    let Some(path) = std::env::var_os("ACKCLOCK_TRACES") else { return };
    let cases = cases(&std::fs::read_to_string(path).unwrap());
    let differences: Vec<_> = cases.iter().map(|case| (case, case.difference())).collect();
    for variant in differences.iter().map(|(case, _)| &case.variant).collect::<BTreeSet<_>>() {
        let all = || differences.iter().filter(|(case, _)| case.variant == *variant);
        let equal = all().filter(|(_, difference)| difference.is_none()).count();
        let order = all().filter(|(_, difference)| difference.as_ref().is_none_or(|found| !found.order)).count();
        println!("{variant}: {} cases, {order} equal in the order of segments, {equal} in times too", all().count());
    }
    let stories: Vec<_> = differences.iter().filter_map(|(_, found)| Some(&*found.as_ref()?.story)).collect();
    println!("{}", stories.join("\n"));
    let wrong = differences.iter().filter(|(_, found)| found.as_ref().is_some_and(|found| found.order)).count();
    assert!(wrong * 100 <= 3 * cases.len(), "{wrong} of {} differ in the order of segments", cases.len());
}
