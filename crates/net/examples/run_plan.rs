//! Runs a plan without Python, to measure the engine alone.
//!
//! `cargo run --release --example run_plan -- PLAN SECONDS [SEED]`: PLAN is a JSON file from the Python package;
//! SECONDS replaces its duration. Prints arrivals, departures and drops at the measured link, and the number of events.

use std::error::Error;
use std::fs::File;
use std::io::BufReader;

use ackclock_net::observe::Summary;
use ackclock_net::{Outcome, Plan, run};
use ackclock_units::Time;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (plan, seconds, seed) = match &arguments[..] {
        [plan, seconds] => (plan, seconds, 1),
        [plan, seconds, seed] => (plan, seconds, seed.parse()?),
        _ => return Err("usage: run_plan PLAN SECONDS [SEED]".into()),
    };
    let plan: Plan = serde_json::from_reader(BufReader::new(File::open(plan)?))?;
    let duration = Time::from_secs_f64(seconds.parse()?);
    let Outcome { summary, events, .. } = run(&Plan { duration, ..plan }, seed)?;
    let Summary { arrivals, departures, drops, .. } = summary;
    println!("arrivals {arrivals} departures {departures} drops {drops} events {events}");
    Ok(())
}
