//! Laws written outside the engine, such as in Python.
//!
//! The host implements [`ForeignLaw`], and a [`LawMaker`] that makes one law for each connection. The maker is a field of
//! the plan that is not serialized: the host sets it in each [`ForeignSpec`] before a run. There is no registry.
//!
//! A foreign law can do what the other laws do, and it can fail:
//!
//! - the engine refuses windows and rates that are not finite, negative, or above [`MOST`], and raises a window below one
//!   segment to one segment;
//! - after a timeout, the window is one segment under any law (as in Linux, `tcp_enter_loss`);
//! - a law without a response to congestion has Reno's;
//! - a law that reduces the window after a loss or a mark, and does not set `ssthresh`, ends slow start: `ssthresh` is the
//!   reduced window, at least two segments, as the loss recovery of RFC 5681 ends with a window of `ssthresh`. After a
//!   timeout it is the window that the law sets, or, if the law leaves the window or sets it to one segment itself, half
//!   of the window that the event names (RFC 5681, equation 4). Laws with a slow start of their own, and laws that own
//!   the window, set `ssthresh` themselves;
//! - a law that shrinks the window with an ACK stays in congestion avoidance: `ssthresh` shrinks too, unless the law sets
//!   it or grows the window below `ssthresh` itself;
//! - a law that fails has no further effect. Its run ends with the first [`Failure`], at the latest after some
//!   thousand events.

use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::sync::Arc;

use ackclock_units::failure::NoMaker;
pub use ackclock_units::failure::{Cause, Failure, Failures, Owner};
use ackclock_units::{Role, Stream, Time};
use serde::{Deserialize, Serialize};

use super::reno::Reno;
use super::{AckSample, CongestionControl, CongestionEvent, Parameter, Signal, Spec, Window};
use crate::delivery_rate::{LostSegment, RateSample};
use crate::variants::Listing;

pub(super) const DOC: &str = "A law that the caller of the engine provides";
pub(super) const LISTING: Option<Listing> = None;
pub(super) const PARAMETERS: &[Parameter] = &[];

/// Largest window in segments, and largest pacing rate in segments per second.
pub const MOST: f64 = 1e9;

/// What a law may change. The numbers are the sender's before a call, and the engine checks them after it. The layout is
/// C's, so that compiled laws can write into it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Controls {
    /// Congestion window in segments.
    pub cwnd: f64,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
    /// Pacing rate in segments per second, which senders with `pacing = law` use; 0 if the law has none.
    pub pacing_rate: f64,
    /// Whether the law has set `ssthresh` in this call. The engine also takes any change of it for that.
    pub sets_ssthresh: bool,
}

impl Controls {
    /// Sets the windows to the response of Reno, which laws without one of their own have.
    pub fn respond_as_reno(&mut self, event: &CongestionEvent) {
        let mut window = Window { cwnd: self.cwnd, ssthresh: self.ssthresh };
        Reno.on_congestion(&mut window, event);
        (self.cwnd, self.ssthresh, self.sets_ssthresh) = (window.cwnd, window.ssthresh, true);
    }

    /// Whether a law leaves a timeout to the engine, where its window was `before`.
    pub(crate) fn leaves(&self, event: &CongestionEvent, before: f64) -> bool {
        event.signal == Signal::Timeout && (self.cwnd == before || self.cwnd <= 1.0)
    }

    /// Sets the threshold that a law has left, after a congestion event that found a window of `before` segments.
    fn end_slow_start(&mut self, event: &CongestionEvent, before: f64) {
        let kept = if self.leaves(event, before) { 0.5 * event.window } else { self.cwnd };
        self.ssthresh = kept.max(2.0);
    }

    /// Whether [`check`](Self::check) succeeds.
    #[inline(always)]
    pub(crate) fn is_fit(&self) -> bool {
        let allowed = |value: f64| (0.0..=MOST).contains(&value);
        allowed(self.cwnd) & allowed(self.ssthresh) & allowed(self.pacing_rate)
    }

    fn check(&self) -> Result<(), Unfit> {
        let Self { cwnd, ssthresh, pacing_rate, .. } = *self;
        for (field, value, unit) in
            [("cwnd", cwnd, "packets"), ("ssthresh", ssthresh, "packets"), ("pacing_rate", pacing_rate, "packets/s")]
        {
            if !(0.0..=MOST).contains(&value) {
                return Err(Unfit { field, value, unit });
            }
        }
        Ok(())
    }
}

/// A value that a law may not set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unfit {
    field: &'static str,
    value: f64,
    unit: &'static str,
}

impl Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, value, unit } = self;
        let all = format!("{value}");
        // large numbers have up to 309 digits
        let value = if all.len() > 20 { format!("{value:e}") } else { all };
        write!(f, "window.{field} is {value}; must be a number from 0 to {MOST} {unit}")
    }
}

impl Error for Unfit {}

/// A congestion-control law written outside the engine: the calls of [`CongestionControl`], each of which may fail.
pub trait ForeignLaw: Debug + Send {
    /// See [`CongestionControl::observe`]; called only if the law [observes](Needs::observes).
    ///
    /// # Errors
    /// Any error ends the run, here and below.
    fn observe(&mut self, _ack: &AckSample) -> Result<(), Cause> {
        Ok(())
    }

    /// See [`CongestionControl::on_ack`].
    ///
    /// # Errors
    /// See [`observe`](Self::observe).
    fn on_ack(&mut self, window: &mut Controls, ack: &AckSample) -> Result<(), Cause>;

    /// See [`CongestionControl::on_congestion`]. After a timeout, the engine sets the window to one segment.
    ///
    /// # Errors
    /// See [`observe`](Self::observe).
    fn on_congestion(&mut self, window: &mut Controls, event: &CongestionEvent, _now: Time) -> Result<(), Cause> {
        window.respond_as_reno(event);
        Ok(())
    }

    /// See [`CongestionControl::on_lost`].
    ///
    /// # Errors
    /// See [`observe`](Self::observe).
    fn on_lost(&mut self, _window: &mut Controls, _lost: &LostSegment, _sample: &RateSample) -> Result<(), Cause> {
        Ok(())
    }

    /// See [`CongestionControl::on_rate`].
    ///
    /// # Errors
    /// See [`observe`](Self::observe).
    fn on_rate(&mut self, _window: &mut Controls, _sample: &RateSample) -> Result<(), Cause> {
        Ok(())
    }

    /// See [`CongestionControl::on_idle`].
    ///
    /// # Errors
    /// See [`observe`](Self::observe).
    fn on_idle(&mut self, _now: Time, _idle: Time) -> Result<(), Cause> {
        Ok(())
    }

    /// See [`CongestionControl::on_undo`].
    ///
    /// # Errors
    /// See [`observe`](Self::observe).
    fn on_undo(&mut self, _window: &mut Controls, _now: Time) -> Result<(), Cause> {
        Ok(())
    }
}

/// Makes the laws of one [`ForeignSpec`].
pub trait LawMaker: Debug + Send + Sync {
    /// Makes the law of a connection, when it is first called. `flow` and `connection` number the flow and its
    /// connection; `seed` seeds the random numbers of the law, which belong to it alone.
    ///
    /// # Errors
    /// Any error ends the run.
    fn make(&self, flow: u32, connection: u64, seed: u64) -> Result<Box<dyn ForeignLaw>, Cause>;
}

/// What a law needs from its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Needs {
    /// See [`CongestionControl::OWN_SLOW_START`].
    pub own_slow_start: bool,
    /// Whether the law is to be called by [`ForeignLaw::observe`].
    pub observes: bool,
    /// See [`CongestionControl::times_segments`].
    pub times_segments: bool,
    /// See [`CongestionControl::samples_rate`].
    pub samples_rate: bool,
    /// See [`CongestionControl::is_scalable`].
    pub scalable: bool,
}

/// A law written outside the engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignSpec {
    /// Name of the law, for messages.
    pub name: Arc<str>,
    /// Number by which the host knows the law.
    pub number: u32,
    /// What the law needs.
    #[serde(default)]
    pub needs: Needs,
    /// Makes the law. A plan cannot run before the host sets it.
    #[serde(skip)]
    pub maker: Option<Arc<dyn LawMaker>>,
}

impl PartialEq for ForeignSpec {
    fn eq(&self, other: &Self) -> bool {
        let maker = |spec: &Self| spec.maker.as_ref().map(|maker| Arc::as_ptr(maker).cast::<()>());
        (&self.name, self.number, self.needs, maker(self)) == (&other.name, other.number, other.needs, maker(other))
    }
}

impl Spec for ForeignSpec {
    type State = Foreign;

    fn build(&self) -> Foreign {
        Foreign { spec: self.clone(), place: None, made: None, pacing_rate: 0.0, now: Time::ZERO }
    }
}

/// Where a law runs.
#[derive(Clone, Debug)]
pub struct Place {
    flow: u32,
    connection: u64,
    /// Gives the seed of each connection.
    seeds: Stream,
    failures: Arc<Failures>,
}

impl Place {
    /// The place of the law of a flow, in a run with this seed.
    pub fn new(seed: u64, flow: u32, failures: Arc<Failures>) -> Self {
        Self { flow, connection: 0, seeds: Stream::new(seed, Role::Law, flow), failures }
    }
}

/// A foreign law and its state. The law is made when it is first called.
#[derive(Debug)]
pub(crate) struct Foreign {
    spec: ForeignSpec,
    place: Option<Box<Place>>,
    made: Option<Made>,
    pacing_rate: f64,
    now: Time,
}

/// The law, and where its run records failures.
#[derive(Debug)]
struct Made {
    law: Box<dyn ForeignLaw>,
    failures: Arc<Failures>,
}

impl Foreign {
    pub(super) fn place(&mut self, place: Box<Place>) {
        self.place = Some(place);
    }

    /// The place of the sender's next connection.
    pub(super) fn next_place(&mut self) -> Option<Box<Place>> {
        self.place.take().map(|mut place| {
            place.connection += 1;
            place
        })
    }

    /// Records the time of the event that the sender handles.
    pub(super) const fn set_now(&mut self, now: Time) {
        self.now = now;
    }

    /// Calls the law, and applies what it has set if this is allowed.
    #[inline(always)]
    fn call(
        &mut self,
        window: &mut Window,
        name: &'static str,
        call: impl FnOnce(&mut dyn ForeignLaw, &mut Controls, Time) -> Result<(), Cause>,
    ) {
        if self.made.is_none() {
            self.make();
        }
        let Some(Made { law, failures }) = &mut self.made else { return };
        if failures.first().is_some() {
            return;
        }
        let Window { cwnd, ssthresh } = *window;
        let mut controls = Controls { cwnd, ssthresh, pacing_rate: self.pacing_rate, sets_ssthresh: false };
        let outcome = call(&mut **law, &mut controls, self.now);
        if outcome.is_err() || !controls.is_fit() {
            return self.fail(name, outcome, &controls);
        }
        *window = Window { cwnd: controls.cwnd.max(1.0), ssthresh: controls.ssthresh.max(1.0) };
        self.pacing_rate = controls.pacing_rate;
    }

    /// Makes the law, before its first call.
    #[cold]
    #[inline(never)]
    fn make(&mut self) {
        let place = self.place.get_or_insert_with(|| Box::new(Place::new(0, 0, Arc::default())));
        let failures = Arc::clone(&place.failures);
        if failures.first().is_some() {
            return;
        }
        match self.spec.make(place) {
            Ok(law) => self.made = Some(Made { law, failures }),
            Err(cause) => self.record("setup", cause),
        }
    }

    #[cold]
    #[inline(never)]
    fn fail(&self, name: &'static str, outcome: Result<(), Cause>, controls: &Controls) {
        if let Err(cause) = outcome.and_then(|()| controls.check().map_err(|unfit| Arc::new(unfit) as Cause)) {
            self.record(name, cause);
        }
    }

    /// Records a failure; only the first one of a run counts.
    fn record(&self, call: &'static str, cause: Cause) {
        let Some(Place { flow, connection, failures, .. }) = self.place.as_deref() else { return };
        let owner = Owner::Law { flow: *flow, connection: *connection };
        failures.add(Failure { name: Arc::clone(&self.spec.name), owner, at: self.now, call, cause });
    }

    /// Calls the law with a call that does not change the windows.
    fn tell(&mut self, name: &'static str, call: impl FnOnce(&mut dyn ForeignLaw, Time) -> Result<(), Cause>) {
        let mut unused = Window { cwnd: 1.0, ssthresh: 1.0 };
        self.call(&mut unused, name, |law, _, now| call(law, now));
    }
}

impl ForeignSpec {
    fn make(&self, place: &mut Place) -> Result<Box<dyn ForeignLaw>, Cause> {
        let maker = self.maker.as_ref().ok_or_else(|| Arc::new(NoMaker) as Cause)?;
        maker.make(place.flow, place.connection, place.seeds.bits())
    }
}

impl CongestionControl for Foreign {
    const COUNTS_SEGMENTS: bool = true;
    const SHRINKS: bool = true;

    fn has_own_slow_start(&self) -> bool {
        self.spec.needs.own_slow_start
    }

    #[inline(always)]
    fn observe(&mut self, ack: &AckSample) {
        self.now = ack.now;
        if self.spec.needs.observes {
            self.tell("observe", |law, _| law.observe(ack));
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        self.now = ack.now;
        let Window { ssthresh, .. } = *window;
        self.call(window, "on_ack", |law, window, _| law.on_ack(window, ack));
        if window.ssthresh == ssthresh && window.cwnd < ssthresh && !self.spec.needs.own_slow_start {
            window.ssthresh = window.cwnd;
        }
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        let (Window { cwnd, ssthresh }, needs) = (*window, self.spec.needs);
        self.call(window, "on_congestion", |law, window, now| {
            law.on_congestion(window, event, now)?;
            let is_set = window.sets_ssthresh || window.ssthresh != ssthresh;
            if !(is_set || needs.own_slow_start || needs.samples_rate) {
                window.end_slow_start(event, cwnd);
            }
            Ok(())
        });
        if event.signal == Signal::Timeout {
            window.cwnd = 1.0;
        }
    }

    fn on_undo(&mut self, window: &mut Window) {
        self.call(window, "on_undo", |law, window, now| law.on_undo(window, now));
    }

    fn on_idle(&mut self, _: &mut Window, now: Time, idle: Time) {
        self.now = now;
        self.tell("on_idle", |law, now| law.on_idle(now, idle));
    }

    fn times_segments(&self) -> bool {
        self.spec.needs.times_segments
    }

    fn samples_rate(&self) -> bool {
        self.spec.needs.samples_rate
    }

    fn is_scalable(&self) -> bool {
        self.spec.needs.scalable
    }

    fn on_lost(&mut self, window: &mut Window, lost: &LostSegment, sample: &RateSample, _: &mut Stream) {
        self.now = sample.now;
        self.call(window, "on_lost", |law, window, _| law.on_lost(window, lost, sample));
    }

    fn on_rate(&mut self, window: &mut Window, sample: &RateSample, _: &mut Stream) {
        self.now = sample.now;
        self.call(window, "on_rate", |law, window, _| law.on_rate(window, sample));
    }

    fn pacing_rate(&self, _: &Window, _: Option<f64>) -> Option<f64> {
        (self.pacing_rate > 0.0).then_some(self.pacing_rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets the windows and the rate to given values with each ACK, and leaves the rest to the defaults.
    #[derive(Clone, Debug)]
    struct Sets(Controls);

    /// Keeps a share of the window after congestion, and leaves the threshold or sets it to a number.
    #[derive(Clone, Debug)]
    struct Keeps(f64, Option<f64>);

    impl ForeignLaw for Keeps {
        fn on_ack(&mut self, _: &mut Controls, _: &AckSample) -> Result<(), Cause> {
            Ok(())
        }

        fn on_congestion(&mut self, window: &mut Controls, _: &CongestionEvent, _: Time) -> Result<(), Cause> {
            window.cwnd *= self.0;
            window.sets_ssthresh = self.1.is_some();
            window.ssthresh = self.1.unwrap_or(window.ssthresh);
            Ok(())
        }
    }

    impl LawMaker for Keeps {
        fn make(&self, _: u32, _: u64, _: u64) -> Result<Box<dyn ForeignLaw>, Cause> {
            Ok(Box::new(self.clone()))
        }
    }

    impl ForeignLaw for Sets {
        fn on_ack(&mut self, window: &mut Controls, _: &AckSample) -> Result<(), Cause> {
            *window = self.0;
            Ok(())
        }
    }

    impl LawMaker for Sets {
        fn make(&self, _: u32, _: u64, _: u64) -> Result<Box<dyn ForeignLaw>, Cause> {
            Ok(Box::new(self.clone()))
        }
    }

    fn law(cwnd: f64, ssthresh: f64, pacing_rate: f64) -> (Foreign, Arc<Failures>) {
        made("Sets", Sets(Controls { cwnd, ssthresh, pacing_rate, sets_ssthresh: true }), Needs::default())
    }

    fn made(name: &str, maker: impl LawMaker + 'static, needs: Needs) -> (Foreign, Arc<Failures>) {
        let spec = ForeignSpec { name: name.into(), number: 0, needs, maker: Some(Arc::new(maker)) };
        let (mut law, failures) = (spec.build(), Arc::new(Failures::default()));
        law.place(Box::new(Place::new(1, 17, Arc::clone(&failures))));
        (law, failures)
    }

    const BEFORE: Window = Window { cwnd: 30.0, ssthresh: 20.0 };
    const ACK: AckSample = AckSample { now: Time::from_millis(3_214), ..AckSample::ONE };
    const LOSS: CongestionEvent =
        CongestionEvent { signal: Signal::Loss, window: 30.0, least: 2.0, lost_again: false, abe: false };

    /// Validates: a law without a response to congestion has Reno's; a window below one segment counts as one.
    /// Source: RFC 5681, section 3.2; the head of this file.
    /// Tolerance: exact.
    #[test]
    fn the_engine_has_defaults() {
        let (mut law, failures) = law(0.25, 0.0, 50.0);
        let mut window = BEFORE;
        law.on_congestion(&mut window, &LOSS);
        assert_eq!(window, Window { cwnd: 15.0, ssthresh: 15.0 });
        law.on_congestion(&mut window, &CongestionEvent { signal: Signal::Timeout, window: 9.0, ..LOSS });
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: 4.0 });
        assert_eq!(law.pacing_rate(&window, None), None);
        law.on_ack(&mut window, &ACK);
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: 1.0 });
        assert_eq!(law.pacing_rate(&window, None), Some(50.0));
        assert!(failures.first().is_none());
    }

    /// Validates: a law that shrinks the window with an ACK does not return to slow start.
    /// Source: the head of this file.
    /// Tolerance: exact.
    #[test]
    fn a_window_that_shrinks_stays_in_congestion_avoidance() {
        for (cwnd, ssthresh, after) in [(15.0, 20.0, 15.0), (25.0, 20.0, 20.0), (15.0, 18.0, 18.0)] {
            let (mut law, _) = law(cwnd, ssthresh, 0.0);
            let mut window = BEFORE;
            law.on_ack(&mut window, &ACK);
            assert_eq!(window, Window { cwnd, ssthresh: after });
        }
    }

    /// Validates: a law that sets only the window ends slow start with a threshold at the reduced window, at least two
    ///   segments. After a timeout it is what the law leaves, or half of the event's window if the law leaves the window,
    ///   or sets it to one segment, as the engine does. A threshold that the law sets stays, also at its old value.
    /// Source: RFC 5681, equation 4 and section 3.2, step 6.
    /// Tolerance: exact.
    #[test]
    fn the_engine_sets_the_threshold_that_a_law_leaves() {
        let event = |signal, window| CongestionEvent { signal, window, ..LOSS };
        for (keeps, signal, flight, after) in [
            (Keeps(0.7, None), Signal::Loss, 30.0, (21.0, 21.0)),
            (Keeps(0.7, None), Signal::Mark, 30.0, (21.0, 21.0)),
            (Keeps(0.01, None), Signal::Loss, 30.0, (1.0, 2.0)),
            (Keeps(1.0, None), Signal::Loss, 30.0, (30.0, 30.0)),
            (Keeps(0.7, None), Signal::Timeout, 30.0, (1.0, 21.0)),
            (Keeps(1.0, None), Signal::Timeout, 24.0, (1.0, 12.0)),
            (Keeps(1.0 / 30.0, None), Signal::Timeout, 24.0, (1.0, 12.0)),
            (Keeps(0.0, None), Signal::Timeout, 3.0, (1.0, 2.0)),
            (Keeps(0.5, Some(400.0)), Signal::Loss, 30.0, (15.0, 400.0)),
            (Keeps(0.1, Some(20.0)), Signal::Loss, 30.0, (3.0, 20.0)),
            (Keeps(0.7, Some(9.0)), Signal::Timeout, 30.0, (1.0, 9.0)),
        ] {
            let (mut law, _) = made("Keeps", keeps.clone(), Needs::default());
            let mut window = BEFORE;
            law.on_congestion(&mut window, &event(signal, flight));
            assert_eq!((window.cwnd, window.ssthresh), after, "{keeps:?} {signal:?}");
        }
        for needs in
            [Needs { own_slow_start: true, ..Needs::default() }, Needs { samples_rate: true, ..Needs::default() }]
        {
            let (mut law, _) = made("Keeps", Keeps(0.7, None), needs);
            let mut window = BEFORE;
            law.on_congestion(&mut window, &LOSS);
            assert_eq!(window, Window { cwnd: 21.0, ssthresh: 20.0 });
        }
    }

    /// Validates: a value that is not finite, negative or huge is refused with its field, the flow and the time, and the
    ///   windows stay as they were; only the first failure counts.
    /// Source: the head of this file.
    /// Tolerance: exact.
    #[test]
    fn a_window_that_is_no_window_is_refused() {
        for (cwnd, ssthresh, rate, problem) in [
            (f64::NAN, 2.0, 0.0, "window.cwnd is NaN; must be a number from 0 to 1000000000 packets"),
            (f64::INFINITY, 2.0, 0.0, "window.cwnd is inf; must be a number from 0 to 1000000000 packets"),
            (-1.0, 2.0, 0.0, "window.cwnd is -1; must be a number from 0 to 1000000000 packets"),
            (3.0, 1e10, 0.0, "window.ssthresh is 10000000000; must be a number from 0 to 1000000000 packets"),
            (1e300, 2.0, 0.0, "window.cwnd is 1e300; must be a number from 0 to 1000000000 packets"),
            (3.0, 2.0, -5.0, "window.pacing_rate is -5; must be a number from 0 to 1000000000 packets/s"),
        ] {
            let (mut law, failures) = law(cwnd, ssthresh, rate);
            let mut window = BEFORE;
            law.on_ack(&mut window, &ACK);
            law.on_ack(&mut window, &AckSample { now: Time::SECOND, ..ACK });
            law.on_congestion(&mut window, &LOSS);
            assert_eq!((window, law.pacing_rate(&window, None)), (BEFORE, None));
            let failure = failures.first().expect("it failed").to_string();
            assert_eq!(failure, format!("law Sets: on_ack failed for flow 17 at 3.214 s: {problem}"));
        }
    }

    /// Validates: a plan whose host has not set the maker fails.
    /// Source: the head of this file.
    /// Tolerance: exact.
    #[test]
    fn a_law_needs_its_maker() {
        let spec = ForeignSpec { name: "None".into(), number: 3, needs: Needs::default(), maker: None };
        let (mut law, failures) = (spec.build(), Arc::new(Failures::default()));
        law.place(Box::new(Place::new(1, 0, Arc::clone(&failures))));
        law.on_ack(&mut BEFORE.clone(), &ACK);
        assert!(
            failures
                .first()
                .is_some_and(|failure| failure.to_string().ends_with("the plan does not have the algorithm itself"))
        );
    }
}
