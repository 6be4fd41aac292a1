//! Basic quantities of the engine: time, rates and random streams.
//!
//! ```
//! use ackclock_units::{Rate, Time};
//!
//! let bottleneck = Rate::from_mbps(50);
//! assert_eq!(bottleneck.transmission_time(1500), Time::from_micros(240));
//! ```

mod rate;
mod stream;
mod time;
mod ziggurat;

pub use rate::Rate;
pub use stream::{Role, Stream};
pub use time::Time;
