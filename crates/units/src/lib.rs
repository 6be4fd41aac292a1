//! Basic types of the engine: time, rates, random streams, and the descriptions of algorithms.
//!
//! ```
//! use ackclock_units::{Rate, Time};
//!
//! let bottleneck = Rate::from_mbps(50);
//! assert_eq!(bottleneck.transmission_time(1500), Time::from_micros(240));
//! ```

pub mod catalogue;
pub mod failure;
pub mod log_linear;
pub mod prefetch;

mod rate;
mod stream;
mod time;
mod ziggurat;

pub use rate::Rate;
pub use stream::{Role, Stream};
pub use time::Time;
