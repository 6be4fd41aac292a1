//! The event loop: pending events, the simulator that processes them, and runs of a plan, in parts and in parallel.
//!
//! Start reading at [`simulator`].

pub(crate) mod agenda;
pub(crate) mod event;
pub(crate) mod flow;
pub(crate) mod flow_changes;
pub(crate) mod hop;
pub(crate) mod merging;
pub(crate) mod outcome;
pub(crate) mod run;
pub(crate) mod simulator;
pub(crate) mod transit;
