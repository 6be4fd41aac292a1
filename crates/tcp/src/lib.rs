//! The TCP endpoints: pure state machines. Time is passed as an argument, segments and ACKs are plain values, and
//! nothing here depends on a network, a clock or a random generator other than the stream it is given.
//!
//! A [`Sender`] combines loss recovery and congestion control. [`Recovery`](recovery::Recovery) decides when a segment
//! counts as lost and what is retransmitted. A congestion-control law
//! ([`CongestionControl`](congestion::CongestionControl)) adjusts the [`Window`] that the sender owns. The methods of
//! `Sender` form a sans-I/O interface:
//!
//! ```
//! use ackclock_tcp::{Ack, Sender, SenderConfig};
//! use ackclock_units::{Role, Stream, Time};
//!
//! let mut sender = Sender::new(SenderConfig::default(), Stream::new(1, Role::Sender, 0));
//! sender.supply(3);
//! let syn = sender.poll_transmit(Time::ZERO).expect("the handshake opens the connection");
//! assert_eq!((syn.number, syn.size), (0, 40));
//! assert!(sender.poll_transmit(Time::ZERO).is_none(), "nothing more before the SYN is acknowledged");
//! sender.handle_ack(Ack::cumulative(1), Time::from_millis(100));
//! let data = std::iter::from_fn(|| sender.poll_transmit(Time::from_millis(100)));
//! assert_eq!(data.map(|segment| segment.number).collect::<Vec<_>>(), [1, 2, 3]);
//! ```
//!
//! Sequence numbers count segments, not bytes, as in every study that this laboratory reproduces. All data segments of
//! a flow have the same size. With a handshake, segment 0 is the SYN. Windows are real numbers of segments, but only
//! whole segments are sent.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compare within tolerances"))]

/// The name by which the integration tests import the crate: the unit tests share their generators.
#[cfg(test)]
extern crate self as ackclock_tcp;

pub mod congestion;
pub mod contract;
pub mod recovery;

mod config;
mod conversation;
mod delivery_rate;
mod follower;
mod limits;
mod options;
mod packed_option;
mod receiver;
mod ring;
mod rtt;
mod scoreboard;
mod segment;
mod send_log;
mod sender;
mod slow_start;
mod ticks;
mod variants;

pub use config::{
    DecreaseFrom, EcnMode, GsoRule, IdleRestart, Pacing, PartialAckTimer, PrrRule, RackRule, SENDER, SackRule,
    SenderConfig, SlowStartRule, UndoRule,
};
pub use congestion::Window;
pub use conversation::Conversation;
pub use delivery_rate::{LostSegment, Phase, RateSample};
pub use follower::{Allowed, Follower};
pub use limits::Limit;
pub use receiver::{
    Answer, Arrival, DelayRule, Mark, OtherAck, RECEIVER, Receiver, ReceiverConfig, ReceiverPool, WindowRule,
};
pub use rtt::{Arithmetic, RoundTrips, RtoFloor, RttConfig, TIMER};
pub use segment::{Ack, Block, Ecn, HEADER, MAX_SACK_BLOCKS, PackedSack, SACK_BLOCK, Sack, Segment};
pub use sender::{Counters, Episode, Outstanding, Sender, SenderState, Turn};
pub use variants::{VARIANTS, Variant};
