//! The record `phases`: the phase of each sender's law, a row for each change.

use std::sync::LazyLock;

use ackclock_tcp::{Sender, congestion};
use ackclock_units::Time;

use super::record::{Declared, Described, Record, Turns, named};
use super::usual::{COLUMNS, Rows as Estimate, Usual};
use crate::observe::{Column, Measure, Rows, Table, Values};
use crate::plan::Plan;
use crate::plan::records::Asked;

/// Phases per lost or marked packet; a loss usually begins one and ends one.
const PHASES_PER_SIGNAL: f64 = 1.0;

/// The phase while a sender repairs the losses of a timeout.
const TIMEOUT: &str = "timeout";

/// The names of all phases.
fn words() -> &'static [&'static str] {
    static WORDS: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| congestion::phases().iter().copied().chain([TIMEOUT]).collect());
    &WORDS
}

/// Log of phases.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log {
    flows: Vec<Watched>,
    rows: Vec<Row>,
}

/// The last row of a flow, its timeouts before the data that it now repairs was lost, and whether one has occurred since.
#[derive(Clone, Copy, Debug, Default)]
struct Watched {
    wanted: bool,
    phase: &'static str,
    timeouts: u64,
    has_timed_out: bool,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    time: Time,
    flow: u32,
    phase: &'static str,
}

impl Record for Log {
    const DECLARED: Declared = Declared::new(
        "the phase of each sender, such as slow_start, at each change",
        &[Described::real("time", "s"), Described::id("flow"), Described::word("phase")],
    );
    const TURNS: Option<Turns> = Some(Turns::Single);

    fn new(asked: &Asked<'_>, _plan: &Plan) -> Self {
        let watched = super::membership(asked.ids).into_iter().map(|wanted| Watched { wanted, ..Watched::default() });
        Self { flows: watched.collect(), rows: Vec::new() }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        let changes = usual.over_flows(asked, |group| group.flows + PHASES_PER_SIGNAL * group.signals);
        Estimate::of_events(changes, COLUMNS)
    }

    fn turn(&mut self, time: Time, flow: u32, sender: &Sender) {
        let Some(watched) = self.flows.get_mut(flow as usize).filter(|watched| watched.wanted) else { return };
        let timeouts = sender.counters().timeouts;
        watched.has_timed_out = sender.repairs() && (watched.has_timed_out || timeouts > watched.timeouts);
        watched.timeouts = timeouts;
        let phase = if watched.has_timed_out { TIMEOUT } else { sender.phase(time) };
        if watched.phase != phase {
            watched.phase = phase;
            self.rows.push(Row { time, flow, phase });
        }
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn memory(&self) -> usize {
        self.flows.capacity() * size_of::<Watched>() + self.rows.len() * size_of::<Row>()
    }

    fn table(mut self, name: &'static str, _measure: &Measure) -> Table {
        // senders may be observed out of order, by a round or more
        self.rows.sort_by_key(|row| (row.time, row.flow));
        Table::new(name, self)
    }
}

impl Rows for Log {
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn columns(&self) -> Vec<Column> {
        let rows = || self.rows.iter();
        let code = |phase| words().iter().position(|word| *word == phase).unwrap_or_default() as u8;
        let times = Values::F64(rows().map(|row| row.time.as_secs_f64()).collect());
        let flows = Values::U32(rows().map(|row| row.flow).collect());
        let phases = Values::Words { codes: rows().map(|row| code(row.phase)).collect(), words: words() };
        named(Self::DECLARED.columns, [times, flows, phases])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ackclock_tcp::recovery::RecoverySpec;
    use ackclock_tcp::{SenderConfig, VARIANTS};
    use ackclock_units::Rate;

    use super::*;
    use crate::plan::testing::dumbbell_of_reno;
    use crate::plan::{Plan, RecordSpec, SourceSpec, Topology, TransportSpec};
    use crate::queue::{Limit, QueueSpec};
    use crate::run;

    /// The phases of one flow over a bottleneck of 1 Mb/s with a buffer of `packets`.
    fn phases(packets: u64, sender: SenderConfig) -> Vec<(f64, &'static str)> {
        let mut plan = Plan { duration: Time::from_secs_f64(60.0), ..dumbbell_of_reno(1) };
        plan.records = vec![RecordSpec::Phases { flows: vec![0] }];
        plan.groups[0].source = SourceSpec::Greedy { packets: None };
        let Topology::Dumbbell { bottleneck, .. } = &mut plan.topology else { unreachable!("it is a dumbbell") };
        bottleneck.rate = Rate::from_mbps(1).into();
        let QueueSpec::DropTail(queue) = &mut bottleneck.queue else { unreachable!("it is drop-tail") };
        queue.limit = Limit::Packets(packets);
        let TransportSpec::Tcp { sender: of, .. } = &mut plan.groups[0].transport else { unreachable!("it is TCP") };
        *of = Arc::new(SenderConfig { packet_size: of.packet_size, ..sender });
        let outcome = run(&plan, 1).expect("sound");
        let columns = outcome.tables[1].columns();
        let (Values::F64(times), Values::Words { codes, words }) = (&columns[0].values, &columns[2].values) else {
            unreachable!("the columns have these kinds")
        };
        times.iter().zip(codes).map(|(time, code)| (*time, words[usize::from(*code)])).collect()
    }

    fn words(phases: &[(f64, &'static str)]) -> Vec<&'static str> {
        phases.iter().map(|(_, word)| *word).collect()
    }

    #[test]
    fn newreno_saws_between_avoidance_and_recovery() {
        let found = phases(40, SenderConfig { recovery: RecoverySpec::NewReno, ..SenderConfig::default() });
        assert_eq!(found[0].1, "slow_start");
        let late = words(&found).split_off(found.len() - 4);
        assert!(late.iter().all(|word| ["congestion_avoidance", "recovery"].contains(word)), "{late:?}");
        assert!(found.is_sorted_by(|a, b| a.0 <= b.0 && a.1 != b.1), "{found:?}");
    }

    #[test]
    fn a_tiny_buffer_makes_timeouts() {
        let found = words(&phases(1, SenderConfig { recovery: RecoverySpec::Reno, ..SenderConfig::default() }));
        assert!(found.contains(&"timeout"), "{found:?}");
    }

    #[test]
    fn bbr_has_phases_of_its_own() {
        let law = VARIANTS.iter().find(|variant| variant.name == "bbr").expect("there is BBR").congestion;
        let congestion = serde_json::from_value(serde_json::json!({"kind": law})).expect("BBR has no parameters");
        let sender = SenderConfig { recovery: RecoverySpec::Rack, congestion, ..SenderConfig::default() };
        let found = words(&phases(100, sender));
        assert_eq!(found[..2], ["startup", "drain"][..]);
        assert!(["probe_bw:cruise", "probe_rtt"].iter().all(|phase| found.contains(phase)), "{found:?}");
    }
}
