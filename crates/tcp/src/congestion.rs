//! Congestion-control laws. A law is an algorithm that adjusts the congestion window, such as Reno or Vegas.
//! [`recovery`](crate::recovery) decides whether and when a segment counts as lost; the law receives each new ACK and
//! each such loss, and updates the [`Window`] that the sender owns.
//!
//! Each law has its own file and is registered by one line of `laws!` below. The Python package reads its name and its
//! parameters from there. How the window grows below `ssthresh` is a choice of its own
//! ([`SlowStartRule`](crate::SlowStartRule)), unless the law has its own slow start.

mod bbr;
mod bbr3;
#[cfg(test)]
mod bench;
mod built_in;
mod copa;
mod cubic;
mod dctcp;
pub mod foreign;
mod highspeed;
mod prague;
#[cfg(test)]
mod recipe;
mod reno;
mod scalable;
pub(crate) mod state;
mod vegas;

use std::fmt::Debug;

use ackclock_units::catalogue::{Entry, Invalid, Parameter, ParameterKind};
use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use crate::config::{EcnMode, RecoverySpec};
use crate::delivery_rate::{LostSegment, RateSample};
use crate::limits::Limit;
use crate::sender::Extra;
use crate::slow_start::SlowStart;
use foreign::Place;

pub use bbr::BbrSpec;
pub use bbr3::Bbr3Spec;
pub use built_in::BuiltIn;
pub use copa::CopaSpec;
pub use cubic::{CubicRules, CubicSpec};
pub use dctcp::DctcpSpec;
pub use foreign::ForeignSpec;
pub use highspeed::HighSpeedSpec;
pub use prague::PragueSpec;
pub use reno::RenoSpec;
pub use scalable::ScalableSpec;
pub use state::{LawState, Variable, phases, variables};
pub use vegas::{BaseRtt, VegasSpec};

/// More than sums of fractions of a segment are rounded by.
const ROUNDING: f64 = 1e-9;

/// The congestion window and the slow-start threshold (RFC 5681, section 2): real numbers, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
}

impl Window {
    /// Takes the fraction of a segment from the window.
    pub(crate) fn take_fraction(&mut self) -> f64 {
        let fraction = self.cwnd.fract();
        self.cwnd -= fraction;
        fraction
    }

    /// Adds the fraction of a segment, which counts ACKs in units of `before`, the window before it grew. The rest of a
    /// count stays the same number of ACKs when the window grows.
    pub(crate) fn add_fraction(&mut self, fraction: f64, before: f64) {
        let total = self.cwnd + fraction;
        let whole = (total + ROUNDING).floor();
        let rest = (total - whole).max(0.0);
        self.cwnd = whole + if whole > before { rest * before / whole } else { rest };
    }

    /// Halves the window once per timeout of idle time, but not below `restart`, and keeps a threshold of three quarters
    /// of it (RFC 2861, section 3.2).
    pub(crate) fn decay(&mut self, timeouts: u64, restart: f64) {
        self.ssthresh = self.ssthresh.max(0.75 * self.cwnd);
        let halved = self.cwnd / 2.0_f64.powi(timeouts.min(64) as i32);
        self.cwnd = halved.floor().max(restart);
    }

    /// Reduces the window to `kept` segments, or to one segment after a timeout; `ssthresh` is at least two (RFC 5681,
    /// equation 4).
    pub(crate) fn reduce_to(&mut self, kept: f64, event: &CongestionEvent) {
        let kept = kept.max(event.least);
        self.ssthresh = kept.max(2.0);
        self.cwnd = if event.signal == Signal::Timeout { 1.0 } else { kept };
    }
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
    /// Number of segments newly acknowledged by this ACK, cumulatively or, with RACK, selectively.
    pub newly_acked: u64,
    /// Number of segments by which this ACK advances `snd_una`.
    pub advance: u64,
    /// RFC 3465's `L`, or 0 if the sender counts ACKs.
    pub byte_counting: u32,
    /// Smoothed round-trip time in seconds; NaN before the first sample.
    pub srtt: f64,
    /// Time since the last transmission of the highest acknowledged segment, including retransmissions. Set only if the
    /// law [times segments](CongestionControl::times_segments).
    pub elapsed: Option<Time>,
    /// Same as `elapsed`, but set only if that segment was sent once, so that the sample is valid (Karn's algorithm).
    pub rtt: Option<Time>,
    /// Whether the sender had less in flight than the window allowed.
    pub app_limited: bool,
    /// Number of marked segments that the ACKs since the last new one report; at most one per ACK with classic feedback.
    pub marked: u64,
}

impl AckSample {
    /// Number of segments that the ACK counts for in congestion avoidance: 1 if the sender counts ACKs, and otherwise at
    /// most one window. The ACK that fills a gap after a timeout may cover many windows, and congestion avoidance adds at
    /// most one segment per round trip (RFC 5681, section 3.1).
    #[inline(always)]
    pub fn counted(&self, window: &Window) -> f64 {
        if self.byte_counting == 0 { 1.0 } else { real(self.newly_acked).min(window.cwnd) }
    }

    /// Growth of the window in standard slow start. A sender that counts segments does not grow beyond `ssthresh` with
    /// one ACK, so that the ACK that fills a gap after a timeout does not release a burst (as in Linux).
    #[inline(always)]
    pub fn slow_start_growth(&self, window: &Window) -> f64 {
        if self.byte_counting == 0 {
            return 1.0;
        }
        real(self.newly_acked.min(self.byte_counting.into())).min(window.ssthresh - window.cwnd)
    }
}

/// Not inlined, so that the conversion is made only if it is needed.
#[cold]
fn real(segments: u64) -> f64 {
    segments as f64
}

#[cfg(test)]
impl AckSample {
    /// An ACK for one segment, for tests.
    pub(crate) const ONE: Self = Self {
        now: Time::ZERO,
        snd_una: 1,
        snd_nxt: 3,
        newly_acked: 1,
        advance: 1,
        byte_counting: 0,
        srtt: f64::NAN,
        elapsed: None,
        rtt: None,
        app_limited: false,
        marked: 0,
    };
}

/// A loss or a mark that requires a window reduction. The law receives at most one per congestion event.
#[derive(Clone, Copy, Debug)]
pub struct CongestionEvent {
    /// How it was detected.
    pub signal: Signal,
    /// Window that the reduction is computed from, in segments (see [`DecreaseFrom`](crate::DecreaseFrom)).
    pub window: f64,
    /// Lower limit of the halved window: two segments (RFC 5681, equation 4), or one as in ns-2.
    pub least: f64,
    /// Whether the lost segment had already been retransmitted.
    pub lost_again: bool,
    /// Whether a mark reduces the window less than a loss (RFC 8511).
    pub abe: bool,
}

impl CongestionEvent {
    /// The factor of a reduction: `abe` for a mark if marks have a factor of their own, and otherwise `loss`.
    pub(crate) const fn factor(&self, loss: f64, abe: f64) -> f64 {
        if self.abe && matches!(self.signal, Signal::Mark) { abe } else { loss }
    }
}

/// How congestion was detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A loss: duplicate ACKs or selective ACKs, the time of transmission, or a fine-grained timer.
    Loss,
    /// A mark (RFC 3168).
    Mark,
    /// The retransmission timer.
    Timeout,
}

/// An algorithm that adjusts the congestion window.
pub trait CongestionControl: Debug + Send {
    /// Whether the law grows the window below `ssthresh` itself. If not, the sender's slow start does, and
    /// [`on_ack`](Self::on_ack) is called only in congestion avoidance and while the window is the limit.
    const OWN_SLOW_START: bool = false;

    /// The largest share of the window that the law keeps after a loss, for the [contract](crate::contract). Laws that set
    /// the window otherwise, or by parameters, keep 1.
    const KEPT: f64 = 1.0;

    /// Whether the law counts the segments that an ACK acknowledges, also if the sender counts ACKs.
    const COUNTS_SEGMENTS: bool = false;

    /// Whether the law may reduce the window with an ACK.
    const SHRINKS: bool = false;

    /// Names of the law's phases.
    const PHASES: &'static [&'static str] = state::CLASSIC;

    /// The law's state variables.
    const VARIABLES: &'static [Variable] = &[];

    /// The same for a law that decides it when it is made.
    fn has_own_slow_start(&self) -> bool {
        Self::OWN_SLOW_START
    }

    /// Called for each new ACK before the window grows, also in slow start, during a recovery, and when the window is not
    /// the limit.
    fn observe(&mut self, _ack: &AckSample) {}

    /// Called for each new ACK. Recovery may suppress the call: RFC 5681 does so for the ACK that ends a fast recovery.
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample);

    /// Called when a loss or a mark requires a window reduction.
    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent);

    /// Called when the last reduction turns out to have been unnecessary, after the window has been restored.
    fn on_undo(&mut self, _window: &mut Window) {}

    /// Called when the sender sends again while nothing is outstanding; `idle` is the time since it last sent.
    fn on_idle(&mut self, _now: Time, _idle: Time) {}

    /// Whether the law needs [`AckSample::rtt`] for each ACK. Timing every segment costs memory and time, so the sender
    /// does it only on request.
    fn times_segments(&self) -> bool {
        false
    }

    /// Whether a reduction ends at the slow-start threshold that the law sets. Otherwise the threshold has another purpose,
    /// and the reduction ends at the window that [`on_congestion`](Self::on_congestion) sets.
    fn reduces_to_ssthresh(&self) -> bool {
        true
    }

    /// Whether the law sets the window from delivery-rate samples, as BBR does, and therefore implements
    /// [`on_rate`](Self::on_rate). Then the window belongs to the law alone: proportional rate reduction and idle
    /// periods do not change it, and [`on_congestion`](Self::on_congestion) need not. Such a law needs RACK recovery.
    fn samples_rate(&self) -> bool {
        false
    }

    /// Called before [`on_rate`](Self::on_rate) for each segment found lost since the last sample, in the order in which
    /// they were found.
    fn on_lost(&mut self, _window: &mut Window, _lost: &LostSegment, _sample: &RateSample, _stream: &mut Stream) {}

    /// Whether the law answers marks as a scalable one must, so that its segments carry ECT(1) instead of ECT(0), also when
    /// they are retransmitted (RFC 9331, section 4). Such a law needs the exact number of marks (RFC 9768).
    fn is_scalable(&self) -> bool {
        false
    }

    /// Called for each ACK that delivers data, also in a recovery, after the loss recovery has handled it. `stream` is
    /// the sender's stream of random numbers.
    fn on_rate(&mut self, _window: &mut Window, _sample: &RateSample, _stream: &mut Stream) {}

    /// Whether the law itself now keeps less in flight than the network allows, so that samples are marked as limited by
    /// the application.
    fn limits_itself(&self) -> bool {
        false
    }

    /// The rate in segments per second at which the sender sends with `pacing = law`, if the law has one. `srtt` is the
    /// smoothed round-trip time in seconds, if there is one.
    fn pacing_rate(&self, _window: &Window, _srtt: Option<f64>) -> Option<f64> {
        None
    }

    /// What holds the window at its size, outside of a recovery: slow start, or what reduced the window last, which is
    /// [`Limit::Window`] if nothing has. A law that sets the window by a model of the path uses `Limit::of_model`.
    fn holds(&self, window: &Window, reduced_by: Limit) -> Limit {
        if window.cwnd < window.ssthresh { Limit::SlowStart } else { reduced_by }
    }

    /// The law's phase at `now`, one of [`PHASES`](Self::PHASES), if it has phases of its own.
    fn phase(&self, _now: Time) -> Option<&'static str> {
        None
    }

    /// Calls `visit` with the name and the value at `now` of each of the law's [variables](Self::VARIABLES), in order,
    /// except for those of delivery-rate samples, which the sender knows.
    fn visit_state(&self, _now: Time, _visit: &mut dyn FnMut(&'static str, f64)) {}
}

/// The parameters of a law.
pub(crate) trait Spec {
    type State;

    /// See [`LawSpec::check`].
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }

    /// The law's initial state.
    fn build(&self) -> Self::State;
}

macro_rules! laws {
    ($($variant:ident $name:literal => $spec:ident, $module:ident;)+) => {
        /// A congestion-control law with its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "lowercase")]
        pub enum LawSpec {
            $(#[doc = concat!("The law `", $name, "`.")] $variant($module::$spec),)+
        }

        impl LawSpec {
            /// Name of the law, as in plans.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// Checks constraints between parameters, which the range of a single parameter cannot express.
            ///
            /// # Errors
            /// If parameters contradict each other.
            pub fn check(&self) -> Result<(), Invalid> {
                match self { $(Self::$variant(spec) => spec.check(),)+ }
            }

            /// Checks that a sender with this kind of ECN feedback can use the law.
            ///
            /// # Errors
            /// If the law needs other feedback.
            pub fn check_feedback(&self, ecn: EcnMode) -> Result<(), Invalid> {
                if ecn == EcnMode::Accurate || !self.build().is_scalable() {
                    return Ok(());
                }
                let problem = format!(
                    "{} is not allowed; must be accurate, as the window law needs the number of marked packets",
                    ecn.word()
                );
                Err(Invalid { field: "ecn", problem })
            }

            /// Checks that the law works with a loss recovery.
            ///
            /// # Errors
            /// If the law needs another recovery.
            pub fn check_recovery(&self, recovery: RecoverySpec) -> Result<(), Invalid> {
                if recovery == RecoverySpec::Rack || !self.build().samples_rate() {
                    return Ok(());
                }
                let problem = format!(
                    "{} is not allowed; must be rack, as the window law needs delivery-rate samples: no other recovery \
                     knows which packets an ACK delivers",
                    recovery.word()
                );
                Err(Invalid { field: "recovery", problem })
            }

            /// See [`CongestionControl::KEPT`].
            pub(crate) const fn kept(&self) -> f64 {
                match self { $(Self::$variant(_) => <$module::$variant as CongestionControl>::KEPT,)+ }
            }

            /// See [`CongestionControl::COUNTS_SEGMENTS`].
            pub(crate) const fn counts_segments(&self) -> bool {
                match self { $(Self::$variant(_) => <$module::$variant as CongestionControl>::COUNTS_SEGMENTS,)+ }
            }

            /// See [`CongestionControl::SHRINKS`].
            pub(crate) const fn shrinks(&self) -> bool {
                match self { $(Self::$variant(_) => <$module::$variant as CongestionControl>::SHRINKS,)+ }
            }

            pub(crate) fn build(&self) -> Law {
                match self { $(Self::$variant(spec) => Other::$variant(spec.build()).into(),)+ }
            }
        }

        /// The state of a congestion-control law. It is an enum, not a trait object, because it is called for every
        /// ACK.
        #[derive(Debug)]
        pub(crate) enum Other {
            $($variant($module::$variant),)+
        }

        impl Other {
            #[inline(never)]
            fn on_ack(
                &mut self,
                extra: &mut Option<Box<Extra>>,
                window: &mut Window,
                sample: &impl Fn() -> AckSample,
            ) {
                match self { $(Self::$variant(law) => law.grow(extra, window, sample),)+ }
            }

            #[inline(never)]
            fn observe(&mut self, sample: &impl Fn() -> AckSample) {
                match self { $(Self::$variant(law) => law.observe(&sample()),)+ }
            }

            fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
                match self { $(Self::$variant(law) => law.on_congestion(window, event),)+ }
            }

            fn on_idle(&mut self, now: Time, idle: Time) {
                match self { $(Self::$variant(law) => law.on_idle(now, idle),)+ }
            }

            fn times_segments(&self) -> bool {
                match self { $(Self::$variant(law) => law.times_segments(),)+ }
            }

            fn reduces_to_ssthresh(&self) -> bool {
                match self { $(Self::$variant(law) => law.reduces_to_ssthresh(),)+ }
            }

            fn samples_rate(&self) -> bool {
                match self { $(Self::$variant(law) => law.samples_rate(),)+ }
            }

            fn is_scalable(&self) -> bool {
                match self { $(Self::$variant(law) => law.is_scalable(),)+ }
            }

            fn on_lost(&mut self, window: &mut Window, lost: &LostSegment, sample: &RateSample, stream: &mut Stream) {
                match self { $(Self::$variant(law) => law.on_lost(window, lost, sample, stream),)+ }
            }

            fn on_undo(&mut self, window: &mut Window) {
                match self { $(Self::$variant(law) => law.on_undo(window),)+ }
            }

            fn on_rate(&mut self, window: &mut Window, sample: &RateSample, stream: &mut Stream) -> bool {
                match self {
                    $(Self::$variant(law) => {
                        law.on_rate(window, sample, stream);
                        law.limits_itself()
                    })+
                }
            }

            fn pacing_rate(&self, window: &Window, srtt: Option<f64>) -> Option<f64> {
                match self { $(Self::$variant(law) => law.pacing_rate(window, srtt),)+ }
            }

            fn holds(&self, window: &Window, reduced_by: Limit) -> Limit {
                match self { $(Self::$variant(law) => law.holds(window, reduced_by),)+ }
            }

            fn phase(&self, now: Time) -> Option<&'static str> {
                match self { $(Self::$variant(law) => law.phase(now),)+ }
            }

            fn visit_state(&self, now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
                match self { $(Self::$variant(law) => law.visit_state(now, visit),)+ }
            }
        }

        /// All congestion-control laws.
        pub const LAWS: &[Entry] = &[
            $(Entry { name: $name, doc: $module::DOC, parameters: $module::PARAMETERS },)+
        ];

        /// The phases and the state variables of all laws.
        pub const STATES: &[LawState] = &[
            $(LawState {
                law: $name,
                phases: <$module::$variant as CongestionControl>::PHASES,
                variables: <$module::$variant as CongestionControl>::VARIABLES,
            },)+
        ];
    };
}

/// The state of a sender's congestion-control law, in eight bytes. Reno has no state, and reads so little of an ACK
/// that its code is inlined.
#[derive(Debug)]
pub(crate) enum Law {
    Reno(reno::Reno),
    Other(Box<Other>),
}

impl From<Other> for Law {
    fn from(law: Other) -> Self {
        if let Other::Reno(law) = law { Self::Reno(law) } else { Self::Other(Box::new(law)) }
    }
}

impl Law {
    /// Handles a new ACK. The sample is built where it is read, so that fields that Reno does not read cost nothing.
    #[inline(always)]
    pub(crate) fn on_ack(
        &mut self,
        extra: &mut Option<Box<Extra>>,
        window: &mut Window,
        sample: impl Fn() -> AckSample,
    ) {
        match self {
            Self::Reno(law) => law.grow(extra, window, &sample),
            Self::Other(law) => law.on_ack(extra, window, &sample),
        }
    }

    /// See [`CongestionControl::observe`], for an ACK that must not grow the window.
    pub(crate) fn observe(&mut self, sample: impl Fn() -> AckSample) {
        match self {
            Self::Reno(law) => law.observe(&sample()),
            Self::Other(law) => law.observe(&sample),
        }
    }

    /// See [`CongestionControl::on_congestion`].
    pub(crate) fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        match self {
            Self::Reno(law) => law.on_congestion(window, event),
            Self::Other(law) => law.on_congestion(window, event),
        }
    }

    /// See [`CongestionControl::on_idle`].
    pub(crate) fn on_idle(&mut self, now: Time, idle: Time) {
        match self {
            Self::Reno(law) => law.on_idle(now, idle),
            Self::Other(law) => law.on_idle(now, idle),
        }
    }

    /// See [`CongestionControl::times_segments`].
    pub(crate) fn times_segments(&self) -> bool {
        match self {
            Self::Reno(law) => law.times_segments(),
            Self::Other(law) => law.times_segments(),
        }
    }

    /// See [`CongestionControl::reduces_to_ssthresh`].
    pub(crate) fn reduces_to_ssthresh(&self) -> bool {
        if let Self::Other(law) = self { law.reduces_to_ssthresh() } else { true }
    }

    /// See [`CongestionControl::samples_rate`].
    pub(crate) fn samples_rate(&self) -> bool {
        if let Self::Other(law) = self { law.samples_rate() } else { false }
    }

    /// See [`CongestionControl::is_scalable`].
    pub(crate) fn is_scalable(&self) -> bool {
        if let Self::Other(law) = self { law.is_scalable() } else { false }
    }

    /// See [`CongestionControl::on_undo`].
    pub(crate) fn on_undo(&mut self, window: &mut Window) {
        if let Self::Other(law) = self {
            law.on_undo(window);
        }
    }

    /// See [`CongestionControl::on_lost`].
    pub(crate) fn on_lost(
        &mut self,
        window: &mut Window,
        lost: &LostSegment,
        sample: &RateSample,
        stream: &mut Stream,
    ) {
        if let Self::Other(law) = self {
            law.on_lost(window, lost, sample, stream);
        }
    }

    /// See [`CongestionControl::on_rate`]. Returns whether the law [limits itself](CongestionControl::limits_itself).
    pub(crate) fn on_rate(&mut self, window: &mut Window, sample: &RateSample, stream: &mut Stream) -> bool {
        if let Self::Other(law) = self { law.on_rate(window, sample, stream) } else { false }
    }

    /// See [`CongestionControl::pacing_rate`].
    pub(crate) fn pacing_rate(&self, window: &Window, srtt: Option<f64>) -> Option<f64> {
        if let Self::Other(law) = self { law.pacing_rate(window, srtt) } else { None }
    }

    /// See [`CongestionControl::holds`].
    pub(crate) fn holds(&self, window: &Window, reduced_by: Limit) -> Limit {
        match self {
            Self::Reno(law) => law.holds(window, reduced_by),
            Self::Other(law) => law.holds(window, reduced_by),
        }
    }

    /// See [`CongestionControl::phase`].
    pub(crate) fn phase(&self, now: Time) -> Option<&'static str> {
        if let Self::Other(law) = self { law.phase(now) } else { None }
    }

    /// See [`CongestionControl::visit_state`].
    pub(crate) fn visit_state(&self, now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        if let Self::Other(law) = self {
            law.visit_state(now, visit);
        }
    }

    /// Tells a foreign law where it runs.
    pub(crate) fn place(&mut self, place: impl FnOnce() -> Place) {
        if let Self::Other(law) = self
            && let Other::Foreign(law) = &mut **law
        {
            law.place(Box::new(place()));
        }
    }

    /// Gives the place of a foreign law to the law of the sender's next connection.
    pub(crate) fn hand_over(&mut self, next: &mut Self) {
        if let (Self::Other(law), Self::Other(next)) = (self, next)
            && let (Other::Foreign(law), Other::Foreign(next)) = (&mut **law, &mut **next)
            && let Some(place) = law.next_place()
        {
            next.place(place);
        }
    }

    /// Called before the sender handles an event at `now`. Foreign laws need the time of each event.
    #[inline(always)]
    pub(crate) fn set_now(&mut self, now: Time) {
        if let Self::Other(law) = self
            && let Other::Foreign(law) = &mut **law
        {
            law.set_now(now);
        }
    }

    /// Heap memory in bytes.
    pub(crate) const fn held(&self) -> usize {
        match self {
            Self::Reno(_) => 0,
            Self::Other(_) => size_of::<Other>(),
        }
    }
}

/// Growth of the window, by slow start or by the law.
trait Growth: CongestionControl {
    #[inline(always)]
    fn grow(&mut self, extra: &mut Option<Box<Extra>>, window: &mut Window, sample: &impl Fn() -> AckSample) {
        self.observe(&sample());
        if self.has_own_slow_start() {
            self.on_ack(window, &sample());
        } else if !sample().app_limited && sample().marked == 0 {
            if window.cwnd < window.ssthresh {
                let left = match extra {
                    None if sample().byte_counting == 0 => {
                        window.cwnd += 1.0;
                        return;
                    }
                    None => SlowStart::Standard.on_ack(window, &sample()),
                    Some(extra) => extra.slow_start.on_ack(window, &sample()),
                };
                if left > 0 {
                    self.on_ack(window, &AckSample { newly_acked: left, ..sample() });
                }
            } else {
                self.on_ack(window, &sample());
            }
        }
    }
}

impl<L: CongestionControl> Growth for L {}

laws! {
    Reno "reno" => RenoSpec, reno;
    Bbr "bbr" => BbrSpec, bbr;
    Bbr3 "bbr3" => Bbr3Spec, bbr3;
    Copa "copa" => CopaSpec, copa;
    Cubic "cubic" => CubicSpec, cubic;
    Dctcp "dctcp" => DctcpSpec, dctcp;
    Foreign "foreign" => ForeignSpec, foreign;
    HighSpeed "highspeed" => HighSpeedSpec, highspeed;
    Prague "prague" => PragueSpec, prague;
    Scalable "scalable" => ScalableSpec, scalable;
    Vegas "vegas" => VegasSpec, vegas;
}
