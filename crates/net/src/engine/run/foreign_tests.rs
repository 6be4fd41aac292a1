//! Laws from outside the engine in a run.

use std::sync::Arc;

use ackclock_tcp::congestion::foreign::{Cause, Controls, ForeignLaw, ForeignSpec, LawMaker, Needs};
use ackclock_tcp::congestion::{AckSample, LawSpec};
use ackclock_units::Stream;

use super::*;
use crate::plan::testing::dumbbell_of_reno;
use crate::plan::{SourceSpec, TransportSpec};
use crate::source::Distribution;

/// Reno, which fails after `left` ACKs, and may need a random number for each ACK.
#[derive(Debug)]
struct Fails {
    left: u32,
    random: Option<Stream>,
}

impl ForeignLaw for Fails {
    fn on_ack(&mut self, window: &mut Controls, ack: &AckSample) -> Result<(), Cause> {
        self.left = self.left.checked_sub(1).ok_or_else(|| Arc::new(PlanError::new("law", "enough")) as Cause)?;
        let more = self.random.as_mut().map_or(1.0, |random| 2.0 * random.uniform());
        window.cwnd += more / window.cwnd;
        assert_eq!(ack.byte_counting, 0);
        Ok(())
    }
}

#[derive(Debug)]
struct Maker {
    after: fn(flow: u32) -> u32,
    random: bool,
}

impl LawMaker for Maker {
    fn make(&self, flow: u32, _: u64, seed: u64) -> Result<Box<dyn ForeignLaw>, Cause> {
        let random = self.random.then(|| Stream::new(seed, ackclock_units::Role::Law, 0));
        Ok(Box::new(Fails { left: (self.after)(flow), random }))
    }
}

/// The plan with this law in place of the built-in one.
fn with(mut plan: Plan, after: fn(u32) -> u32, random: bool) -> Plan {
    for group in &mut plan.groups {
        let TransportSpec::Tcp { sender, .. } = &mut group.transport else { continue };
        let law = ForeignSpec { name: "Fails".into(), number: 5, needs: Needs::default(), maker: None };
        Arc::make_mut(sender).congestion = LawSpec::Foreign(law);
    }
    let json = serde_json::to_string(&plan).expect("plain data");
    let mut plan: Plan = serde_json::from_str(&json).expect("as it was");
    assert!(plan.foreign_laws().all(|law| law.number == 5));
    plan.set_law_makers(|_| Some(Arc::new(Maker { after, random })));
    plan
}

/// Six flows that fill the bottleneck and lose packets.
fn busy(source: SourceSpec) -> Plan {
    let mut plan = Plan { duration: Time::SECOND.saturating_mul(20), ..dumbbell_of_reno(6) };
    plan.groups[0].source = source;
    if let TransportSpec::Tcp { sender, .. } = &mut plan.groups[0].transport {
        Arc::make_mut(sender).max_window = 100;
    }
    plan
}

fn outcome_of(plan: &Plan, seed: u64) -> String {
    serde_json::to_string(&run(plan, seed).expect("the plan is sound")).expect("plain data")
}

/// Validates: Reno as a law from outside gives the same result as the built-in one, also with short connections.
/// Source: `crates/tcp/src/congestion/reno.rs`.
/// Tolerance: exact.
#[test]
fn reno_from_outside_gives_the_same_result() {
    let size = Distribution::Exponential { mean: 60.0 };
    for source in [SourceSpec::Greedy { packets: None }, SourceSpec::Connections { rate: 30.0, size, most: 5 }] {
        let plan = busy(source);
        let outcome = outcome_of(&plan, 3);
        assert!(!outcome.contains("\"fast_retransmits\":0,"), "{outcome}");
        assert_eq!(outcome, outcome_of(&with(plan, |_| u32::MAX, false), 3));
    }
}

/// Validates: a law's random numbers depend on the seed and the flow alone.
/// Source: the same seed gives the same bytes.
/// Tolerance: exact.
#[test]
fn random_laws_repeat() {
    let plan = with(busy(SourceSpec::Greedy { packets: None }), |_| u32::MAX, true);
    assert_eq!(outcome_of(&plan, 3), outcome_of(&plan, 3));
    assert_ne!(outcome_of(&plan, 3), outcome_of(&plan, 4));
}

/// Validates: the first failure in simulated time ends the run, with the law, the flow and the time.
/// Source: `crates/tcp/src/congestion/foreign.rs`.
/// Tolerance: exact.
#[test]
fn a_failure_ends_the_run() {
    let plan = with(busy(SourceSpec::Greedy { packets: None }), |flow| 100 + 100 * flow.abs_diff(2), false);
    let failure = |seed| run(&plan, seed).map(|_| ()).expect_err("it fails");
    assert_eq!(failure(1).field, "law Fails");
    assert!(failure(1).problem.starts_with("on_ack failed for flow 2 at "), "{}", failure(1));
    assert!(failure(1).problem.ends_with(": law: enough"), "{}", failure(1));
    assert_eq!(failure(1), failure(1));
}
