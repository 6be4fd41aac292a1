//! Congestion control laws: how the window moves. Whether and when a segment counts as lost is [`recovery`](crate::recovery)'s
//! business; a law sees one sample for each signal and moves the [`Window`] that the sender owns.
//!
//! A law lives in a file of its own and is registered by one line of `laws!` below; the Python front learns its name and its
//! parameters from there.

mod reno;
mod vegas;

use std::fmt::Debug;

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use crate::recovery::RecoverySpec;

pub use reno::RenoSpec;
pub use vegas::{BaseRtt, VegasSpec};

/// The congestion window and the slow-start threshold (RFC 5681, section 2), in segments: real numbers, never rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
}

/// A new ACK, seen after the sender's own bookkeeping for it.
#[derive(Clone, Copy, Debug)]
pub struct AckSample {
    /// Its arrival.
    pub now: Time,
    /// First unacknowledged segment.
    pub snd_una: u64,
    /// Next segment to send.
    pub snd_nxt: u64,
    /// Segments that this ACK acknowledged.
    pub newly_acked: u64,
    /// Segments delivered since the connection opened.
    pub delivered: u64,
    /// Time since the last acknowledged segment was sent, however often it was sent; only where the law
    /// [times segments](CongestionControl::times_segments).
    pub elapsed: Option<Time>,
    /// The same, if that segment was sent once and so gives a valid sample (Karn).
    pub rtt: Option<Time>,
    /// The sender had less in flight than the window allowed.
    pub app_limited: bool,
}

/// A loss that calls for a reduction: at most one for each event that the sender signals.
#[derive(Clone, Copy, Debug)]
pub struct CongestionEvent {
    /// How the loss was found.
    pub signal: Signal,
    /// What the reduction is taken from, in segments (see [`DecreaseFrom`](crate::DecreaseFrom)).
    pub window: f64,
    /// The smallest window that halving may leave: two segments (RFC 5681, equation 4), one in ns-2.
    pub least: f64,
    /// The lost segment had been retransmitted before.
    pub lost_again: bool,
}

/// How a loss was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Duplicate ACKs, or a fine-grained timer checked at one.
    FastRetransmit,
    /// The retransmission timer.
    Timeout,
}

/// A window law.
pub trait CongestionControl: Debug + Send {
    /// A new ACK arrived. Recovery may keep one from the law: by RFC 5681 that which ends a fast recovery.
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample);

    /// A loss was found.
    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent);

    /// Whether the law needs [`AckSample::rtt`] for each ACK. Timing every segment costs memory and time, so the sender does
    /// it only where it is asked for.
    fn times_segments(&self) -> bool {
        false
    }
}

/// A parameter that an algorithm declares: what the front needs to check it, document it and fill it in.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Parameter {
    /// Its name in a scenario.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Type, range and default.
    #[serde(flatten)]
    pub kind: ParameterKind,
}

/// A parameter's type, range and default.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ParameterKind {
    /// A real number.
    Number {
        /// Smallest value allowed.
        min: Option<f64>,
        /// Largest value allowed.
        max: Option<f64>,
        /// The value must be above this.
        above: Option<f64>,
        /// Default.
        default: f64,
    },
    /// Yes or no.
    Flag {
        /// Default.
        default: bool,
    },
    /// One of a few words.
    Choice {
        /// The words.
        choices: &'static [&'static str],
        /// Default.
        default: &'static str,
    },
}

/// An algorithm as the front sees it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Entry {
    /// Its name in a scenario.
    pub name: &'static str,
    /// One sentence with its source.
    pub doc: &'static str,
    /// What it can be told.
    pub parameters: &'static [Parameter],
}

/// A parameter outside what its algorithm allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The parameter.
    pub field: &'static str,
    /// What was given and what is allowed.
    pub problem: String,
}

macro_rules! laws {
    ($($variant:ident $name:literal => $spec:ident, $module:ident;)+) => {
        /// A law with its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "lowercase")]
        pub enum LawSpec {
            $(#[doc = concat!("The law `", $name, "`.")] $variant($module::$spec),)+
        }

        impl LawSpec {
            /// Checks what a single parameter's range cannot tell.
            ///
            /// # Errors
            /// If parameters contradict each other.
            pub fn check(&self) -> Result<(), Invalid> {
                match self { $(Self::$variant(spec) => $module::check(spec),)+ }
            }

            pub(crate) fn build(&self) -> Law {
                match self { $(Self::$variant(spec) => Law::$variant(Box::new($module::build(spec))),)+ }
            }
        }

        /// A law at work. It is no trait object, since each ACK asks it.
        #[derive(Debug)]
        pub(crate) enum Law {
            $($variant(Box<$module::$variant>),)+
        }

        impl Law {
            /// A new ACK arrived. Its sample is made where the law is known, so that what that does not read costs nothing.
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

        /// Every law.
        pub const LAWS: &[Entry] = &[
            $(Entry { name: $name, doc: $module::DOC, parameters: $module::PARAMETERS },)+
        ];
    };
}

laws! {
    Reno "reno" => RenoSpec, reno;
    Vegas "vegas" => VegasSpec, vegas;
}

/// A TCP variant: the field's name for a pair of recovery and law.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Variant {
    /// Its name in a scenario.
    #[serde(skip)]
    pub name: &'static str,
    /// How it finds and repairs losses.
    pub recovery: RecoverySpec,
    /// The name of its law.
    pub congestion: &'static str,
    /// One sentence.
    pub doc: &'static str,
}

/// Every variant.
pub const VARIANTS: &[Variant] = &[
    Variant {
        name: "tahoe",
        recovery: RecoverySpec::Tahoe,
        congestion: "reno",
        doc: "Slow start, congestion avoidance and fast retransmit, then slow start again (Jacobson 1988)",
    },
    Variant {
        name: "reno",
        recovery: RecoverySpec::Reno,
        congestion: "reno",
        doc: "Slow start, congestion avoidance, fast retransmit and fast recovery (RFC 5681)",
    },
    Variant {
        name: "newreno",
        recovery: RecoverySpec::NewReno,
        congestion: "reno",
        doc: "Reno whose fast recovery repairs all losses of a window (RFC 6582)",
    },
    Variant {
        name: "sack",
        recovery: RecoverySpec::Sack,
        congestion: "reno",
        doc: "Reno's window, losses repaired by selective acknowledgments (RFC 2018, RFC 6675)",
    },
    Variant {
        name: "vegas",
        recovery: RecoverySpec::Vegas,
        congestion: "vegas",
        doc: "Keeps a few packets in the queue, judged by round-trip time; retransmits early (Brakmo and Peterson 1995)",
    },
];
