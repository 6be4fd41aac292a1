//! Calls that adapt their bitrate: Google Congestion Control, draft-ietf-rmcat-gcc-02.
//!
//! The first law of this engine that is not TCP's. A sender (`call/sender.rs`) encodes frames and paces their packets over UDP.
//! The receiver (`receiver.rs`) filters the times of their arrival (`arrival.rs`), detects growing queues (`detector.rs`), and
//! reports. With each report the sender sets its bitrate (`rate.rs`).

mod arrival;
mod detector;
mod rate;
pub(crate) mod receiver;
pub(crate) mod sender;

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

pub use detector::Signal;
pub use rate::{Control, State};

/// Highest bitrate in bit/s.
const MAX_BITRATE: u64 = 1_000_000_000_000;

/// A call whose sender adapts its bitrate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallSpec {
    /// Frames per second.
    pub rate: f64,
    /// Lowest bitrate in bit/s on the wire.
    pub least: u64,
    /// Initial bitrate in bit/s.
    pub start: u64,
    /// Highest bitrate in bit/s.
    pub most: u64,
    /// Time between reports of the receiver.
    pub feedback: Time,
}

impl CallSpec {
    /// Validates the bitrates and the interval.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) const fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let Self { least, start, most, feedback, .. } = *self;
        if least == 0 || least > start || start > most || most > MAX_BITRATE {
            return Err(("start", "must be from least to most, above 0 and at most 1e12 bit/s"));
        }
        if feedback.as_picos() == 0 { Err(("feedback", "must be above 0 s")) } else { Ok(()) }
    }
}
