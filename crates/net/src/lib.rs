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
//!
//! | module | contents |
//! | --- | --- |
//! | [`plan`] | an executable scenario, and its checks |
//! | [`link`], [`queue`] | links with rate, delay and losses; the disciplines of their queues |
//! | [`source`] | what applications send, and when |
//! | [`call`] | calls that adapt their bitrate: both ends and their control |
//! | `endpoint` | data of applications, connections of clients, receivers |
//! | `network` | a plan's components: links, flows, routes, independent parts |
//! | `engine` | pending events, the simulator and runs; start reading at `engine/simulator.rs` |
//! | [`observe`] | the summary, records and captures |
//! | `guard` | memory: estimated before a run, counted during it |
//! | [`stepping`] | a run that an agent steps |
//! | [`relay`] | the links of a plan for packets from outside |
//! | `packet`, [`sizes`], `storage` | packets, their sizes, and pools |

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compare within tolerances"))]

pub mod call;
pub mod codepoint;
pub mod link;
pub mod observe;
pub mod plan;
pub mod queue;
pub mod relay;
pub mod sizes;
pub mod source;
pub mod stepping;

mod endpoint;
mod engine;
mod guard;
mod network;
mod packet;
mod storage;

pub use engine::outcome::Outcome;
pub use engine::run::{Means, components, run, run_with_progress};
pub use engine::simulator::Simulator;
pub use guard::footprint::{Footprint, Parts};
pub use link::links::Inspected;
pub use link::token_bucket::BucketSpec;
pub use observe::{Column, Observation, Observer, Table, Values};
pub use packet::{FlowId, LinkId, Packet, Payload, SackId};
pub use plan::changes::check_law_change;
pub use plan::{Plan, PlanError};
