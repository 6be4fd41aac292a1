//! The network around the endpoints: links and their queues, sources, the events that move packets, and measurements.
//!
//! [`run()`] takes a [`Plan`] and returns an [`Outcome`]:
//!
//! ```
//! use ackclock_net::{Outcome, plan, run};
//!
//! let plan = plan::testing::dumbbell_of_reno(10);
//! let Outcome { summary, .. } = run(&plan, 1).expect("the plan is sound");
//! assert!(summary.departures > 0 && summary.loss == Some(0.0));
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compare within tolerances"))]

pub mod extra_delay;
pub mod link;
pub mod loss;
pub mod observe;
pub mod plan;
pub mod queue;
pub mod rate;
pub mod sizes;
pub mod source;
pub mod stepping;

mod agenda;
mod application;
mod backlog;
mod clients;
mod entrance;
mod event;
mod flow;
mod footprint;
mod hop;
mod ideal;
mod links;
mod memory;
mod merging;
mod network;
mod outcome;
mod outlet;
mod packet;
mod pool;
mod prefetch;
mod run;
mod sack_store;
mod served;
mod simulator;
mod sink;
mod timer;
mod token_bucket;
mod transit;

pub use footprint::{Footprint, Parts};
pub use links::Inspected;
pub use observe::{Column, Observation, Observer, Table, Values};
pub use outcome::Outcome;
pub use packet::{FlowId, LinkId, Packet, Payload, SackId};
pub use plan::{Plan, PlanError};
pub use run::{Means, components, run, run_with_progress};
pub use simulator::Simulator;
pub use token_bucket::BucketSpec;
