//! Runs many greedy flows over one bottleneck, to measure the engine at scale.
//!
//! `cargo run --release --example greedy_flows -- PLAN FLOWS SPREAD SECONDS [SEED]`: PLAN is a JSON file from the
//! Python package, with one flow in a dumbbell with a drop-tail bottleneck. The rate and the buffer of the bottleneck
//! are multiplied by FLOWS, and the flows start at random times within SPREAD seconds. The output has the same form as
//! with `run_plan`.

use std::error::Error;
use std::fs::File;
use std::io::BufReader;

use ackclock_net::link::rate::RateSpec;
use ackclock_net::observe::Summary;
use ackclock_net::plan::{GroupSpec, LinkSpec, Topology};
use ackclock_net::queue::{Limit, QueueSpec};
use ackclock_net::{Outcome, Plan, run};
use ackclock_units::{Rate, Time};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (plan, flows, spread, seconds, seed) = match &arguments[..] {
        [plan, flows, spread, seconds] => (plan, flows, spread, seconds, 1),
        [plan, flows, spread, seconds, seed] => (plan, flows, spread, seconds, seed.parse()?),
        _ => return Err("usage: greedy_flows PLAN FLOWS SPREAD SECONDS [SEED]".into()),
    };
    let one: Plan = serde_json::from_reader(BufReader::new(File::open(plan)?))?;
    let plan = many(one, flows.parse()?, spread.parse()?).ok_or("PLAN must be a dumbbell of one group")?;
    let duration = Time::from_secs_f64(seconds.parse()?);
    let Outcome { summary, events, .. } = run(&Plan { duration, ..plan }, seed)?;
    let Summary { arrivals, departures, drops, .. } = summary;
    println!("arrivals {arrivals} departures {departures} drops {drops} events {events}");
    Ok(())
}

/// Copies the plan's one group to `flows` flows that start over `spread` seconds.
fn many(mut plan: Plan, flows: u32, spread: f64) -> Option<Plan> {
    let [group] = &plan.groups[..] else { return None };
    let Topology::Dumbbell { bottleneck, reverse, .. } = &mut plan.topology else { return None };
    for link in [bottleneck, reverse] {
        scale(link, flows)?;
    }
    plan.groups = vec![GroupSpec { count: flows, spread: Time::from_secs_f64(spread), ..group.clone() }];
    Some(plan)
}

/// Multiplies the rate and the buffer of a link.
fn scale(link: &mut LinkSpec, factor: u32) -> Option<()> {
    if let RateSpec::Constant(rate) = &mut link.rate {
        *rate = Rate::from_bps(rate.as_bps() * u64::from(factor))?;
    }
    if let QueueSpec::DropTail(queue) = &mut link.queue
        && let Limit::Packets(packets) = &mut queue.limit
    {
        *packets *= u64::from(factor);
    }
    Some(())
}
