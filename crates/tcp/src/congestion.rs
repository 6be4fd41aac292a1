//! Congestion-control laws. A law is an algorithm that adjusts the congestion window, such as Reno or Vegas.
//! [`recovery`](crate::recovery) decides whether and when a segment counts as lost; the law receives each new ACK and
//! each such loss, and updates the [`Window`] that the sender owns.
//!
//! Each law has its own file and is registered by one line of `laws!` below, which makes [`LawSpec`], [`LAWS`] and the
//! variant of the law. The Python package reads its name and its parameters from there. How the window grows below `ssthresh` is a choice of its own
//! ([`SlowStartRule`](crate::SlowStartRule)), unless the law has its own slow start.

mod bbr;
mod bbr3;
#[cfg(test)]
mod bench;
mod built_in;
mod copa;
mod cubic;
mod dctcp;
#[macro_use]
mod dispatch;
pub mod foreign;
mod highspeed;
mod ledbat;
mod ledbat_plus_plus;
mod prague;
#[cfg(test)]
mod recipe;
mod reno;
mod scalable;
mod signals;
pub(crate) mod state;
mod vegas;

use std::fmt::Debug;

use ackclock_units::catalogue::{Entry, Invalid, Parameter, ParameterKind};
use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use crate::config::{EcnMode, RecoverySpec};
use crate::delivery_rate::{LostSegment, RateSample};
use crate::limits::Limit;
use crate::variants::Listing;

pub use built_in::BuiltIn;
pub use cubic::CubicRules;
pub use dctcp::DctcpRules;
pub use signals::{AckSample, CongestionEvent, Signal, Window};
pub use state::{LawState, Variable, phases, variables};
pub use vegas::BaseRtt;

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

    /// Whether the answer to a mark depends on the share of marked segments, so that a loss in the same window reduces the
    /// window as well (RFC 8257, section 3.5).
    const GRADES_MARKS: bool = false;

    /// Whether the law sees a queue grow, and so leaves most of a large queue empty.
    const LIMITS_QUEUE: bool = false;

    /// Names of the law's phases.
    const PHASES: &'static [&'static str] = state::CLASSIC;

    /// The law's state variables.
    const VARIABLES: &'static [Variable] = &[];

    /// The same for a law that decides it when it is made.
    fn has_own_slow_start(&self) -> bool {
        Self::OWN_SLOW_START
    }

    /// Called once before anything else, if the sender's timers follow a clock with ticks of this length.
    fn set_tick(&mut self, _tick: Time) {}

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
    fn on_idle(&mut self, _window: &mut Window, _now: Time, _idle: Time) {}

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

    /// Called for each segment found lost, in the order in which they were found: by an ACK, before
    /// [`on_rate`](Self::on_rate) with its sample; by a timer, at once, with a sample that delivers nothing and has no rate.
    fn on_lost(&mut self, _window: &mut Window, _lost: &LostSegment, _sample: &RateSample, _stream: &mut Stream) {}

    /// Called when the retransmission timer has fired, after [`on_congestion`](Self::on_congestion), if the law
    /// [samples rates](Self::samples_rate). `sample` delivers nothing.
    fn on_timeout(&mut self, _sample: &RateSample, _stream: &mut Stream) {}

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

    /// The parameters that cannot change in a run; `None` if none of them can.
    const FIXED: Option<&'static [&'static str]> = None;

    /// See [`LawSpec::check`].
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }

    /// The law's initial state.
    fn build(&self) -> Self::State;

    /// Gives a law these parameters instead of its own, which differ in none of the [fixed](Self::FIXED) ones.
    fn retune(&self, _law: &mut Self::State) {}
}

laws! {
    Reno "reno" => RenoSpec, reno, reno::Reno;
    Bbr "bbr" => BbrSpec, bbr, Box<bbr::Bbr>;
    Bbr3 "bbr3" => Bbr3Spec, bbr3, Box<bbr3::Bbr3>;
    Copa "copa" => CopaSpec, copa, Box<copa::Copa>;
    Cubic "cubic" => CubicSpec, cubic, cubic::Cubic;
    Dctcp "dctcp" => DctcpSpec, dctcp, dctcp::Dctcp;
    Foreign "foreign" => ForeignSpec, foreign, foreign::Foreign;
    HighSpeed "highspeed" => HighSpeedSpec, highspeed, highspeed::HighSpeed;
    Ledbat "ledbat" => LedbatSpec, ledbat, Box<ledbat::Ledbat>;
    LedbatPlusPlus "ledbat++" => LedbatPlusPlusSpec, ledbat_plus_plus, Box<ledbat_plus_plus::LedbatPlusPlus>;
    Prague "prague" => PragueSpec, prague, prague::Prague;
    Scalable "scalable" => ScalableSpec, scalable, scalable::Scalable;
    Vegas "vegas" => VegasSpec, vegas, vegas::Vegas;
}

impl LawSpec {
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

    /// Checks that the law can count time in ticks of the sender's clock, `timer_tick`.
    ///
    /// # Errors
    /// If the law counts whole ticks per second, and ticks do not divide a second.
    pub fn check_tick(&self, tick: Time) -> Result<(), Invalid> {
        let counts_ticks = matches!(self, Self::Cubic(CubicSpec { rules: CubicRules::Linux, .. }));
        if !counts_ticks || tick == Time::ZERO || Time::SECOND.as_picos().is_multiple_of(tick.as_picos()) {
            return Ok(());
        }
        let problem = format!(
            "{tick} is not allowed; must divide 1 s, such as 1 ms or 4 ms: CUBIC with rules linux counts whole ticks per \
             second"
        );
        Err(Invalid { field: "timer_tick", problem })
    }

    /// See [`CongestionControl::KEPT`].
    pub(crate) const fn kept(&self) -> f64 {
        with_type!(self, Law => <Law as CongestionControl>::KEPT)
    }

    /// See [`CongestionControl::COUNTS_SEGMENTS`].
    pub(crate) const fn counts_segments(&self) -> bool {
        with_type!(self, Law => <Law as CongestionControl>::COUNTS_SEGMENTS)
    }

    /// See [`CongestionControl::SHRINKS`].
    pub(crate) const fn shrinks(&self) -> bool {
        with_type!(self, Law => <Law as CongestionControl>::SHRINKS)
    }

    /// See [`CongestionControl::GRADES_MARKS`].
    pub(crate) const fn grades_marks(&self) -> bool {
        with_type!(self, Law => <Law as CongestionControl>::GRADES_MARKS)
    }

    /// See [`CongestionControl::LIMITS_QUEUE`].
    pub const fn limits_queue(&self) -> bool {
        with_type!(self, Law => <Law as CongestionControl>::LIMITS_QUEUE)
    }
}

// Below the list, which makes its macros.
mod law;

pub(crate) use law::Law;
