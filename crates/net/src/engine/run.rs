//! Runs a plan and returns its outcome.

use std::mem::replace;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

use ackclock_units::Time;
use ackclock_units::failure::Failure;

use crate::engine::merging::merge;
use crate::engine::outcome::Outcome;
use crate::engine::simulator::Simulator;
use crate::guard::footprint::Footprint;
use crate::guard::memory::{EVENTS, Memory, MemoryCheck};
use crate::guard::{MOST_ROWS, too_many_rows};
use crate::network::{Observed, Part, decompose};
use crate::observe::{self, Watchers};
use crate::packet::Names;
use crate::plan::{Plan, PlanError};

/// Resources that a run may use.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// Maximum number of independent parts of the plan that run in parallel.
    pub threads: usize,
    /// Maximum memory in bytes.
    pub memory: u64,
}

impl Means {
    /// One thread and unlimited memory.
    pub const UNBOUNDED: Self = Self { threads: 1, memory: u64::MAX };
}

/// Runs a plan.
///
/// # Errors
/// If the plan contradicts itself, or an algorithm from outside the engine fails.
pub fn run(plan: &Plan, seed: u64) -> Result<Outcome, PlanError> {
    run_with_progress(plan, seed, Means::UNBOUNDED, |_| Ok::<(), PlanError>(()))
}

/// Runs a plan and calls `progress` with the fraction done every few thousand events and at the end; the run stops if
/// `progress` fails.
///
/// Parts of the plan that do not affect each other run separately, up to `threads` at a time. The result does not
/// depend on the number of threads.
///
/// # Errors
/// If the plan contradicts itself or needs more memory than allowed, its records have too many rows, `progress` fails,
/// or an algorithm from outside the engine fails.
pub fn run_with_progress<E: From<PlanError> + From<Failure>>(
    plan: &Plan,
    seed: u64,
    means: Means,
    progress: impl FnMut(f64) -> Result<(), E>,
) -> Result<Outcome, E> {
    Footprint::of(plan)?.check(means.memory)?;
    let memory = Memory::of(means.memory);
    let mut outcome = match decompose(plan)? {
        None => run_undivided(plan, &Names::default(), seed, &memory, progress)?,
        Some(parts) => {
            let outcomes = run_parts(&parts, seed, means.threads, &memory, progress)?;
            merge(plan, parts, outcomes)
        }
    };
    outcome.facts.unused = plan.unused(seed)?;
    Ok(outcome)
}

/// Partitions the groups of a plan into sets. Groups of different sets do not affect each other, even indirectly.
///
/// # Errors
/// If the plan contradicts itself.
pub fn components(plan: &Plan) -> Result<Vec<Vec<u32>>, PlanError> {
    let all = || vec![(0..plan.groups.len() as u32).collect()];
    Ok(decompose(plan)?.map_or_else(all, |parts| parts.into_iter().map(|part| part.groups).collect()))
}

/// Why a part of a plan did not complete.
enum Halt {
    Refused(PlanError),
    Failed(Failure),
    Stopped,
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<PlanError> for Halt {
    fn from(error: PlanError) -> Self {
        Self::Refused(error)
    }
}

/// Runs parts of a plan, each on one thread, and returns their outcomes in order. With one thread, it is the caller's.
fn run_parts<E: From<PlanError> + From<Failure>>(
    parts: &[Part],
    seed: u64,
    threads: usize,
    memory: &Memory,
    mut progress: impl FnMut(f64) -> Result<(), E>,
) -> Result<Vec<Outcome>, E> {
    if threads.min(parts.len()) <= 1 {
        return run_in_turn(parts, seed, memory, progress);
    }
    let flows: usize = parts.iter().map(|part| part.names.flows.len()).sum();
    let (next, rows, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let (report, fractions) = mpsc::channel();
    let work = |report: mpsc::Sender<f64>| -> Result<Vec<(usize, Outcome)>, Halt> {
        let mut ended = Vec::new();
        loop {
            let place = next.fetch_add(1, Relaxed);
            let Some(part) = parts.get(place) else { return Ok(ended) };
            let (mut done, share) = (0.0, part.names.flows.len() as f64 / flows as f64);
            let mut outcome = run_undivided(&part.plan, &part.names, seed, memory, |fraction| {
                // sending fails if `progress` has failed, because the receiver is gone
                let _ = report.send(share * (fraction - replace(&mut done, fraction)));
                if stop.load(Relaxed) { Err(Halt::Stopped) } else { Ok(()) }
            });
            // the number of rows, and therefore the error, does not depend on the order in which parts finish
            if let Ok(Outcome { rows: more, .. }) = &outcome
                && rows.fetch_add(*more, Relaxed) + more > MOST_ROWS
            {
                outcome = Err(too_many_rows().into());
            }
            if outcome.is_err() {
                stop.store(true, Relaxed);
            }
            ended.push((place, outcome?));
        }
    };
    let ran: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(parts.len()))
            .map(|_| {
                let report = report.clone();
                scope.spawn(|| work(report))
            })
            .collect();
        drop(report);
        let reported = fractions.iter().try_fold(0.0, |done, more| {
            let done: f64 = done + more;
            progress(done.min(1.0)).map(|()| done)
        });
        if reported.is_err() {
            stop.store(true, Relaxed);
        }
        let ran = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let ran = ran.collect();
        reported.map(|_| ran)
    })?;
    let mut outcomes = Vec::with_capacity(parts.len());
    let mut is_whole = true;
    for ended in ran {
        match ended {
            Ok(ended) => outcomes.extend(ended),
            Err(Halt::Refused(error)) => return Err(error.into()),
            Err(Halt::Failed(failure)) => return Err(failure.into()),
            Err(Halt::Stopped) => is_whole = false,
        }
    }
    debug_assert!(is_whole, "a part stops only if another one or progress failed");
    outcomes.sort_unstable_by_key(|(place, _)| *place);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

/// Runs parts of a plan one after another on the calling thread: some platforms have no threads, and a law that holds a
/// lock of the caller must not wait for one.
fn run_in_turn<E: From<PlanError> + From<Failure>>(
    parts: &[Part],
    seed: u64,
    memory: &Memory,
    mut progress: impl FnMut(f64) -> Result<(), E>,
) -> Result<Vec<Outcome>, E> {
    let flows: usize = parts.iter().map(|part| part.names.flows.len()).sum();
    let (mut ended, mut rows) = (0, 0);
    let outcomes = parts.iter().map(|part| {
        let own = part.names.flows.len();
        let outcome = run_undivided(&part.plan, &part.names, seed, memory, |fraction| {
            progress(((ended as f64 + fraction * own as f64) / flows as f64).min(1.0))
        })?;
        (ended, rows) = (ended + own, rows + outcome.rows);
        if rows > MOST_ROWS { Err(too_many_rows().into()) } else { Ok(outcome) }
    });
    outcomes.collect()
}

/// Runs a plan without splitting it.
fn run_undivided<E: From<PlanError> + From<Failure>>(
    plan: &Plan,
    names: &Names,
    seed: u64,
    memory: &Memory,
    mut progress: impl FnMut(f64) -> Result<(), E>,
) -> Result<Outcome, E> {
    let mut simulator = Simulator::of(plan, names.clone(), seed, Observed::Plan)?;
    let mut watchers = Watchers::new(plan, &simulator)?;
    let mut memory_check = MemoryCheck::new(memory);
    let mut now = Time::ZERO;
    watchers.recorder.sample(now, &mut simulator);
    if plan.measure.from == now {
        watchers.measure.begin(&mut simulator);
    }
    while now < plan.duration {
        let begin = Some(plan.measure.from).filter(|from| *from > now);
        let stops = [Some(plan.duration), begin, watchers.recorder.next_sample(now)];
        now = stops.into_iter().flatten().min().unwrap_or(plan.duration);
        loop {
            let is_there = if watchers.any() {
                simulator.run_some(now, EVENTS, &mut watchers)
            } else {
                simulator.run_some(now, EVENTS, &mut watchers.measure)
            };
            if let Some(failure) = simulator.failure() {
                return Err(failure.clone().into());
            }
            if memory_check.is_due(&simulator) {
                memory_check.update(&simulator, &watchers)?;
                progress(simulator.now().as_secs_f64() / plan.duration.as_secs_f64())?;
            }
            if is_there {
                break;
            }
        }
        let Watchers { measure, recorder, .. } = &mut watchers;
        if Some(now) == begin {
            measure.begin(&mut simulator);
        }
        recorder.sample(now, &mut simulator);
    }
    memory_check.update(&simulator, &watchers)?;
    progress(1.0)?;
    // many flows: results need memory, packets in flight and the flows themselves no longer do
    simulator.drop_in_flight();
    let elsewhere = watchers.elsewhere(&simulator);
    let Watchers { mut measure, mut recorder, .. } = watchers;
    measure.finish(&mut simulator);
    recorder.finish(&simulator);
    let results = measure.results(&simulator);
    let (summary, groups, facts, flows) =
        (results.summary(), results.group_summaries(), results.facts(), observe::flows(results));
    let events = simulator.events();
    drop(simulator);
    let rows = recorder.rows();
    let kept = (recorder.memory() + recorder.reading() + measure.memory()) as u64;
    let (tables, captures) = recorder.into_tables(&measure, flows);
    let outcome = Outcome { summary, groups, elsewhere, facts, events, rows, tables, captures };
    memory_check.end(kept);
    Ok(outcome)
}

#[cfg(test)]
mod foreign_tests;
#[cfg(test)]
mod tests {
    use std::mem::discriminant;
    use std::sync::Arc;

    use ackclock_tcp::congestion::{CubicRules, CubicSpec, LawSpec};
    use ackclock_tcp::recovery::RecoverySpec;
    use ackclock_tcp::{ReceiverConfig, Sack, SenderConfig};
    use ackclock_units::Rate;
    use proptest::prelude::*;

    use super::*;
    use crate::observe::{Capture, Captured, Column, Table, Values};
    use crate::plan::testing::dumbbell_of_reno;
    use crate::plan::{CaptureSpec, EdgeSpec, GroupSpec, LinkSpec, MeasureSpec, RecordSpec, SourceSpec};
    use crate::plan::{Tap, TapPoint, Topology, TransportSpec};
    use crate::sizes::SizeSpec;
    use crate::source::Distribution;

    /// Domains around a backbone, each connected by a link in each direction, and groups that send from domain to
    /// domain.
    fn star(domains: u32, pairs: &[(u32, u32)], measured: u32) -> Plan {
        let base = dumbbell_of_reno(2);
        let Topology::Dumbbell { bottleneck, .. } = &base.topology else { unreachable!("it is a dumbbell") };
        let link = |domain: u32| LinkSpec {
            rate: Rate::from_mbps(1 + u64::from(domain % 3)).into(),
            delay: Time::from_millis(5),
            ..bottleneck.clone()
        };
        let cubic = || LawSpec::Cubic(CubicSpec { fast_convergence: true, rules: CubicRules::Rfc9438 });
        let edges = (1..=domains).flat_map(|domain| {
            let edge = |from, to| EdgeSpec { from, to, link: link(domain) };
            [edge(domain, 0), edge(0, domain)]
        });
        let group = |(place, (from, to)): (usize, &(u32, u32))| GroupSpec {
            path: Some((1 + from % domains, 1 + to % domains)),
            spread: Time::from_millis(500 * (place as u64 % 3)),
            priority: 0,
            weight: 1,
            ceiling: None,
            dscp: 0,
            // round numbers, so that some events have equal times
            source: match place % 3 {
                0 => SourceSpec::Poisson { rate: 40.0 },
                1 => SourceSpec::Greedy { packets: None },
                _ => SourceSpec::Connections { rate: 4.0, size: Distribution::Exponential { mean: 10.0 }, most: 3 },
            },
            transport: TransportSpec::Tcp {
                sender: Arc::new(SenderConfig {
                    recovery: RecoverySpec::Sack,
                    congestion: cubic(),
                    ..SenderConfig::default()
                }),
                receiver: ReceiverConfig { delayed_ack: false, sack_blocks: 3, ..ReceiverConfig::default() },
            },
            ..base.groups[0].clone()
        };
        let groups: Vec<GroupSpec> = pairs.iter().enumerate().map(group).collect();
        let flows = groups.iter().map(GroupSpec::flows).sum();
        let links: Vec<u32> = (0..2 * domains).rev().collect();
        let taps = |at| links.iter().map(move |link| Tap { link: *link, at });
        let taps = taps(TapPoint::Receive).chain(taps(TapPoint::Dequeue)).chain(taps(TapPoint::Offer));
        let captures = vec![
            CaptureSpec { taps: taps.collect() },
            CaptureSpec { taps: vec![Tap { link: 0, at: TapPoint::Offer }] },
        ];
        let mut records = vec![
            RecordSpec::Arrivals { links: links.clone(), bin: Time::from_millis(100) },
            RecordSpec::LinkThroughput { links: links.clone(), bin: Time::from_millis(90) },
            RecordSpec::Throughput { flows: (1..flows).collect(), bin: Time::from_millis(110) },
            RecordSpec::Queue { links: links.clone(), every: Time::from_millis(50) },
            RecordSpec::Gauges { links: links.clone(), every: Time::from_millis(70) },
            RecordSpec::Drops { links: links.clone() },
            RecordSpec::Marks { links: links.clone() },
            RecordSpec::Packets { links: links.clone() },
            RecordSpec::Windows { flows: (0..flows).collect(), every: None },
            RecordSpec::States { flows: (0..flows).collect(), every: None },
            RecordSpec::Acks { flows: (1..flows).collect() },
            RecordSpec::Phases { flows: (0..flows).collect() },
            RecordSpec::Transfers { flows: (0..flows).collect() },
        ];
        let all: Vec<u32> = (0..flows).collect();
        for record in RecordSpec::of_each(&links, &all, Time::from_millis(80)) {
            if !records.iter().any(|known| discriminant(known) == discriminant(&record)) {
                records.push(record);
            }
        }
        Plan {
            measure: MeasureSpec {
                link: measured % (2 * domains),
                others: (0..2 * domains).rev().step_by(3).collect(),
                ..base.measure
            },
            topology: Topology::Graph { nodes: domains + 1, links: edges.collect() },
            records,
            captures,
            groups,
            ..base
        }
    }

    /// The rows of a table as bits; rows with equal timestamps are sorted, because an undivided run interleaves them.
    fn rows(table: &Table) -> Vec<Vec<u64>> {
        let bits = |Column { values, .. }: Column| -> Vec<u64> {
            match values {
                Values::U32(values) => values.into_iter().map(u64::from).collect(),
                Values::U64(values) => values,
                Values::F64(values) => values.into_iter().map(f64::to_bits).collect(),
                Values::Bool(values) => values.into_iter().map(u64::from).collect(),
                Values::Words { codes, .. } => codes.into_iter().map(u64::from).collect(),
            }
        };
        let columns: Vec<Vec<u64>> = table.columns().into_iter().map(bits).collect();
        let mut rows: Vec<Vec<u64>> =
            (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
        if matches!(table.name, "windows" | "states" | "acks") {
            rows.sort_by_key(|row| (row[0], row[1]));
        }
        rows
    }

    /// The packets of a capture with their SACK blocks, independent of where the blocks are stored.
    fn packets(capture: &Capture) -> Vec<(Time, [u64; 4], String, &Sack)> {
        let described = |packet: &Captured| {
            let Captured { time, number, link, flow, size, .. } = *packet;
            let words = format!("{:?} {:?} {:?}", packet.at, packet.kind, packet.fate);
            (time, [number, link.into(), flow.into(), size.into()], words)
        };
        let with_blocks = |packet| {
            let (time, numbers, words) = described(packet);
            (time, numbers, words, capture.sack(packet))
        };
        capture.packets().iter().map(with_blocks).collect()
    }

    fn undivided(plan: &Plan, seed: u64) -> Outcome {
        let (progress, memory) = (|_| Ok::<(), PlanError>(()), Memory::of(u64::MAX));
        run_undivided(plan, &Names::default(), seed, &memory, progress).expect("the plan is sound")
    }

    fn on(threads: usize) -> Means {
        Means { threads, ..Means::UNBOUNDED }
    }

    fn divided(plan: &Plan, seed: u64, threads: usize) -> Outcome {
        run_with_progress(plan, seed, on(threads), |_| Ok::<(), PlanError>(())).expect("the plan is sound")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn parts_give_what_the_whole_gives(
            domains in 4_u32..12,
            pairs in prop::collection::vec((0_u32..12, 0_u32..12), 1..8),
            measured in 0_u32..24,
            seed in any::<u64>(),
        ) {
            let different: Vec<(u32, u32)> =
                pairs.into_iter().filter(|(from, to)| from % domains != to % domains).collect();
            prop_assume!(!different.is_empty());
            let plan = star(domains, &different, measured);
            let (whole, parted) = (undivided(&plan, seed), divided(&plan, seed, 2));
            let described = |outcome: &Outcome| serde_json::to_string(outcome).expect("it is plain data");
            prop_assert_eq!(described(&whole), described(&parted));
            for (whole, parted) in whole.tables.iter().zip(&parted.tables) {
                prop_assert_eq!(whole.name, parted.name);
                prop_assert!(rows(whole) == rows(parted), "table {} differs", whole.name);
            }
            for (whole, parted) in whole.captures.iter().zip(&parted.captures) {
                prop_assert!(packets(whole) == packets(parted), "captures differ");
            }
        }
    }

    #[test]
    fn the_number_of_threads_shows_nowhere_and_all_that_is_done_is_told() {
        let plan = star(8, &[(0, 1), (2, 3), (4, 5), (3, 2)], 5);
        assert_eq!(decompose(&plan).expect("sound").expect("in parts").len(), 3);
        let tables_with = |threads| {
            let mut last = 0.0;
            let outcome = run_with_progress(&plan, 1, on(threads), |done| {
                assert!((last..=1.0).contains(&done), "{done} after {last}");
                last = done;
                Ok::<(), PlanError>(())
            });
            assert!(last > 1.0 - 1e-9, "the end is reported: {last}");
            outcome.expect("sound").tables.iter().map(Table::columns).collect::<Vec<_>>()
        };
        let alone = tables_with(1);
        for threads in [2, 3, 64] {
            // compared as text, because undefined times do not equal themselves
            assert_eq!(format!("{:?}", tables_with(threads)), format!("{alone:?}"));
        }
    }

    #[test]
    fn who_stops_listening_stops_all_parts() {
        let plan = star(8, &[(0, 1), (2, 3), (4, 5)], 5);
        let stop = |done: f64| if done > 0.2 { Err(PlanError::new("progress", "enough")) } else { Ok(()) };
        assert_eq!(run_with_progress(&plan, 1, on(2), stop).expect_err("stopped").field, "progress");
    }

    #[test]
    fn what_hands_over_much_at_once_needs_a_transport_that_paces_it() {
        let mean = Distribution::Fixed { mean: 10.0 };
        for (source, refused) in [
            (SourceSpec::Greedy { packets: None }, Some("groups.0.source")),
            (SourceSpec::Transfers { size: mean.clone(), think: mean.clone() }, Some("groups.0.source")),
            (SourceSpec::Connections { rate: 1.0, size: mean, most: 2 }, Some("groups.0.source")),
            (SourceSpec::Poisson { rate: 10.0 }, None),
        ] {
            let mut plan = Plan { duration: Time::SECOND, ..dumbbell_of_reno(1) };
            plan.groups[0].source = source;
            assert!(run(&plan, 1).is_ok(), "{:?}", plan.groups[0].source);
            plan.groups[0].transport = TransportSpec::Udp { sizes: SizeSpec::Fixed };
            let field = run(&plan, 1).err().map(|error| error.field);
            assert_eq!(field.as_deref(), refused, "{:?}", plan.groups[0].source);
        }
    }

    #[test]
    fn flows_that_share_a_link_only_through_others_are_one_part() {
        // the flows 0-1 and 2-3 share no link, but 1-2 shares one with each of them
        let plan = star(6, &[(0, 1), (2, 3), (1, 2), (4, 5)], 0);
        let parts = decompose(&plan).expect("sound").expect("in parts");
        let groups: Vec<&[u32]> = parts.iter().map(|part| part.groups.as_slice()).collect();
        assert_eq!(groups, [&[0, 1, 2][..], &[3]]);
        assert_eq!(parts[1].names.flows, [10, 11], "clients that open connections have three flows each");
        assert!(decompose(&star(4, &[(0, 1), (1, 2), (2, 3)], 0)).expect("sound").is_none());
        assert!(decompose(&dumbbell_of_reno(2)).expect("sound").is_none());
    }
}
