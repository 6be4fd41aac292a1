//! Reads scripts in the language of packetdrill and runs them against a sender of the engine.
//!
//! A [`Script`] is the part of the language that speaks of segments, ACKs, SACK blocks, ECN, times, writes and `tcp_info`.
//! What else a script states is reported as not expressible, with its line and the reason. [`Script::setup`] says what a
//! script demands of the sender's configuration, and [`run`] compares what the sender does with what the script expects.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use ackclock_conform::{Ends, Script, Verdict, run};
//!
//! let script = Script::parse(
//!     b"0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
//!      +0 < S 0:0(0) win 32792 <mss 1000,sackOK,wscale 7>
//!      +0 > S. 0:0(0) ack 1 <...>
//!      +.1 < . 1:1(0) ack 1 win 257
//!      +0 write(4, ..., 20000) = 20000
//!      +0 > . 1:10001(10000) ack 1
//!      +0 %{ assert tcpi_unacked == 10 }%",
//! )?;
//! let setup = script.setup(&BTreeMap::new());
//! let outcome = run(&script, &setup, &Ends::default(), 1).expect("the law is built in");
//! assert_eq!(outcome.verdict, Verdict::Equal);
//! # Ok::<(), ackclock_conform::SyntaxError>(())
//! ```
//!
//! The grammar follows packetdrill's documentation (<https://github.com/google/packetdrill>). Lines are free-form, as there.

mod application;
mod code;
mod cursor;
mod host;
mod info;
mod octets;
mod outcome;
mod parse;
mod path;
mod picture;
mod run;
mod script;
mod settings;
mod setup;
mod shell;

pub use outcome::{Compared, Difference, Outcome, Verdict};
pub use picture::{Event, Pause, Picture, Shape, Status};
pub use run::{Ends, draw, run};
pub use script::{LARGEST, Script, SyntaxError};
pub use settings::Choice;
pub use setup::{Inexpressible, Setup};
