//! Congestion-control laws. A law is an algorithm that adjusts the congestion window, such as Reno or Vegas.
//! [`recovery`](crate::recovery) decides whether and when a segment counts as lost; the law receives each new ACK and
//! each such loss, and updates the [`Window`] that the sender owns.
//!
//! Each law has its own file and is registered by one line of `laws!` below. The Python package reads its name and its
//! parameters from there.

mod reno;
mod vegas;

use std::fmt::Debug;

use ackclock_units::Time;
use ackclock_units::catalogue::{Entry, Invalid, Parameter, ParameterKind};
use serde::{Deserialize, Serialize};

pub use reno::RenoSpec;
pub use vegas::{BaseRtt, VegasSpec};

/// The congestion window and the slow-start threshold (RFC 5681, section 2): real numbers, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
}

/// A new ACK as the law receives it, after the sender has updated its own state.
#[derive(Clone, Copy, Debug)]
pub struct AckSample {
    /// Arrival time.
    pub now: Time,
    /// First unacknowledged segment.
    pub snd_una: u64,
    /// Next segment to send.
    pub snd_nxt: u64,
    /// Number of segments newly acknowledged by this ACK.
    pub newly_acked: u64,
    /// Number of segments delivered since the connection opened.
    pub delivered: u64,
    /// Time since the last transmission of the highest acknowledged segment, including retransmissions. Set only if the
    /// law [times segments](CongestionControl::times_segments).
    pub elapsed: Option<Time>,
    /// Same as `elapsed`, but set only if that segment was sent once, so that the sample is valid (Karn's algorithm).
    pub rtt: Option<Time>,
    /// Whether the sender had less in flight than the window allowed.
    pub app_limited: bool,
}

/// A loss that requires a window reduction. The law receives at most one per congestion event.
#[derive(Clone, Copy, Debug)]
pub struct CongestionEvent {
    /// How the loss was detected.
    pub signal: Signal,
    /// Window that the reduction is computed from, in segments (see [`DecreaseFrom`](crate::DecreaseFrom)).
    pub window: f64,
    /// Lower limit of the halved window: two segments (RFC 5681, equation 4), or one as in ns-2.
    pub least: f64,
    /// Whether the lost segment had already been retransmitted.
    pub lost_again: bool,
}

/// How a loss was detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Duplicate ACKs, or a fine-grained timer checked when a duplicate ACK arrives.
    FastRetransmit,
    /// The retransmission timer.
    Timeout,
}

/// An algorithm that adjusts the congestion window.
pub trait CongestionControl: Debug + Send {
    /// Called for each new ACK. Recovery may suppress the call: RFC 5681 does so for the ACK that ends a fast recovery.
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample);

    /// Called when a loss requires a window reduction.
    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent);

    /// Whether the law needs [`AckSample::rtt`] for each ACK. Timing every segment costs memory and time, so the sender
    /// does it only on request.
    fn times_segments(&self) -> bool {
        false
    }
}

/// The type of a law's state in [`Law`].
macro_rules! state {
    ($state:ty) => { Box<$state> };
    ($state:ty, stateless) => { $state };
}

macro_rules! laws {
    ($($variant:ident $name:literal => $spec:ident, $module:ident $($stateless:ident)?;)+) => {
        /// A congestion-control law with its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "lowercase")]
        pub enum LawSpec {
            $(#[doc = concat!("The law `", $name, "`.")] $variant($module::$spec),)+
        }

        impl LawSpec {
            /// Checks constraints between parameters, which the range of a single parameter cannot express.
            ///
            /// # Errors
            /// If parameters contradict each other.
            pub fn check(&self) -> Result<(), Invalid> {
                match self { $(Self::$variant(spec) => $module::check(spec),)+ }
            }

            pub(crate) fn build(&self) -> Law {
                match self { $(Self::$variant(spec) => Law::$variant($module::build(spec).into()),)+ }
            }
        }

        /// The state of a sender's congestion-control law. It is an enum, not a trait object, because it is called for
        /// every ACK. States are boxed, so that all of them fit into eight bytes.
        #[derive(Debug)]
        pub(crate) enum Law {
            $($variant(state!($module::$variant $(, $stateless)?)),)+
        }

        impl Law {
            /// Handles a new ACK. The sample is built inside the match, so that fields a law does not read cost
            /// nothing.
            #[inline(always)]
            pub(crate) fn on_ack(&mut self, window: &mut Window, sample: impl Fn() -> AckSample) {
                match self { $(Self::$variant(law) => law.on_ack(window, &sample()),)+ }
            }

            /// See [`CongestionControl::on_congestion`].
            pub(crate) fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
                match self { $(Self::$variant(law) => law.on_congestion(window, event),)+ }
            }

            /// See [`CongestionControl::times_segments`].
            pub(crate) fn times_segments(&self) -> bool {
                match self { $(Self::$variant(law) => law.times_segments(),)+ }
            }
        }

        /// All congestion-control laws.
        pub const LAWS: &[Entry] = &[
            $(Entry { name: $name, doc: $module::DOC, parameters: $module::PARAMETERS },)+
        ];
    };
}

laws! {
    Reno "reno" => RenoSpec, reno stateless;
    Vegas "vegas" => VegasSpec, vegas;
}
