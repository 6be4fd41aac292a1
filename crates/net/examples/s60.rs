//! S60, the benchmark scenario: 60 Poisson Reno clients on the papers' dumbbell, ns-2.35's constants.
//!
//! `cargo run --release --example s60 -- SECONDS [SEED]` prints arrivals, departures and drops at the bottleneck.

use std::error::Error;
use std::sync::Arc;

use ackclock_net::plan::{Plan, TransportSpec, dumbbell_of_reno};
use ackclock_net::run;
use ackclock_tcp::{Arithmetic, DecreaseFrom, IdleRestart, RttConfig, SenderConfig};
use ackclock_units::Time;

fn s60(seconds: u64) -> Plan {
    let mut plan = dumbbell_of_reno(60);
    plan.duration = Time::SECOND.saturating_mul(seconds);
    if let TransportSpec::Tcp { sender, .. } = &mut plan.groups[0].transport {
        *sender = Arc::new(SenderConfig {
            initial_window: 2,
            max_window: 20,
            grow_on_exit: true,
            decrease_from: DecreaseFrom::Window,
            grow_when_limited: true,
            idle_restart: IdleRestart::Timeout,
            rtt: RttConfig {
                clock: Time::from_millis(10),
                arithmetic: Arithmetic::Integer,
                min_rto: Time::from_millis(200),
                initial_rto: Time::from_millis(3_000),
                ..RttConfig::default()
            },
            overhead: Time::from_micros(12),
            ..SenderConfig::default()
        });
    }
    plan
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().ok_or("usage: s60 SECONDS [SEED]")?.parse()?;
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse())?;
    let summary = run(&s60(seconds), seed)?.summary;
    println!("arrivals {} departures {} drops {}", summary.arrivals, summary.departures, summary.drops);
    eprintln!("{summary:?}");
    Ok(())
}
