//! The law of a sender, which calls the methods of its [`CongestionControl`].

use ackclock_units::prefetch::prefetch;
use ackclock_units::{Stream, Time};

use super::foreign::{Foreign, Place};
use super::reno::Reno;
use super::{AckSample, CongestionControl, CongestionEvent, LawSpec, Other, Window};
use crate::delivery_rate::{LostSegment, RateSample};
use crate::limits::Limit;
use crate::sender::Extra;
use crate::slow_start::SlowStart;

/// The state of a sender's congestion-control law, in eight bytes. Reno has no state, and reads so little of an ACK
/// that its code is inlined.
#[derive(Debug)]
pub(crate) enum Law {
    Reno(Reno),
    Other(Box<Other>),
}

impl From<Other> for Law {
    fn from(law: Other) -> Self {
        if let Other::Reno(law) = law { Self::Reno(law) } else { Self::Other(Box::new(law)) }
    }
}

/// Defines methods of [`CongestionControl`] for a [`Law`].
macro_rules! dispatch {
    (
        &mut self { $(fn $change:ident($($given:ident: $kind:ty),*);)+ }
        &self { $(fn $ask:ident($($known:ident: $type:ty),*) $(-> $answer:ty)?;)+ }
    ) => {
        impl Other {
            $(fn $change(&mut self, $($given: $kind),*) {
                with_other!(self, law => law.$change($($given),*))
            })+

            $(fn $ask(&self, $($known: $type),*) $(-> $answer)? {
                with_other!(self, law => law.$ask($($known),*))
            })+
        }

        impl Law {
            $(#[doc = concat!("See [`CongestionControl::", stringify!($change), "`].")]
            pub(crate) fn $change(&mut self, $($given: $kind),*) {
                match self {
                    Self::Reno(law) => law.$change($($given),*),
                    Self::Other(law) => law.$change($($given),*),
                }
            })+

            $(#[doc = concat!("See [`CongestionControl::", stringify!($ask), "`].")]
            pub(crate) fn $ask(&self, $($known: $type),*) $(-> $answer)? {
                match self {
                    Self::Reno(law) => law.$ask($($known),*),
                    Self::Other(law) => law.$ask($($known),*),
                }
            })+
        }
    };
}

dispatch! {
    &mut self {
        fn set_tick(tick: Time);
        fn on_congestion(window: &mut Window, event: &CongestionEvent);
        fn on_undo(window: &mut Window);
        fn on_idle(window: &mut Window, now: Time, idle: Time);
        fn on_lost(window: &mut Window, lost: &LostSegment, sample: &RateSample, stream: &mut Stream);
        fn on_timeout(sample: &RateSample, stream: &mut Stream);
    }
    &self {
        fn times_segments() -> bool;
        fn reduces_to_ssthresh() -> bool;
        fn samples_rate() -> bool;
        fn is_scalable() -> bool;
        fn pacing_rate(window: &Window, srtt: Option<f64>) -> Option<f64>;
        fn holds(window: &Window, reduced_by: Limit) -> Limit;
        fn phase(now: Time) -> Option<&'static str>;
        fn visit_state(now: Time, visit: &mut dyn FnMut(&'static str, f64));
    }
}

impl Law {
    /// Gives the law other parameters, which differ in none of the [fixed](LawSpec::fixed) ones.
    pub(crate) fn retune(&mut self, spec: &LawSpec) {
        if let Self::Other(law) = self {
            law.retune(spec);
        }
    }
}

impl Law {
    /// Prefetches the law's state.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        if let Self::Other(law) = self {
            prefetch(&**law);
        }
    }
}

/// The methods that are called for each ACK.
impl Law {
    /// Handles a new ACK. For Reno, the sample is built where it is read, so that fields that Reno does not read cost
    /// nothing.
    #[inline(always)]
    pub(crate) fn on_ack(
        &mut self,
        extra: &mut Option<Box<Extra>>,
        window: &mut Window,
        sample: impl Fn() -> AckSample,
    ) {
        match self {
            Self::Reno(law) => law.grow(extra, window, &sample),
            Self::Other(law) => law.on_ack(extra, window, &sample()),
        }
    }

    /// See [`CongestionControl::observe`], for an ACK that must not grow the window.
    pub(crate) fn observe(&mut self, sample: impl Fn() -> AckSample) {
        match self {
            Self::Reno(law) => law.observe(&sample()),
            Self::Other(law) => law.observe(&sample()),
        }
    }

    /// See [`CongestionControl::on_rate`]. Returns whether the law [limits itself](CongestionControl::limits_itself).
    pub(crate) fn on_rate(&mut self, window: &mut Window, sample: &RateSample, stream: &mut Stream) -> bool {
        if let Self::Other(law) = self { law.on_rate(window, sample, stream) } else { false }
    }

    /// Whether ACKs never reduce the window, and the slow-start threshold decides [what holds it](CongestionControl::holds).
    pub(crate) fn only_grows(&self) -> bool {
        match self {
            Self::Reno(_) => true,
            Self::Other(law) => matches!(**law, Other::Cubic(_)),
        }
    }

    /// Heap memory in bytes.
    pub(crate) const fn memory(&self) -> usize {
        match self {
            Self::Reno(_) => 0,
            Self::Other(law) => size_of::<Other>() + law.boxed(),
        }
    }
}

impl Other {
    #[inline(never)]
    fn on_ack(&mut self, extra: &mut Option<Box<Extra>>, window: &mut Window, sample: &AckSample) {
        with_other!(self, law => law.grow(extra, window, &|| *sample));
    }

    #[inline(never)]
    fn observe(&mut self, sample: &AckSample) {
        with_other!(self, law => law.observe(sample));
    }

    fn on_rate(&mut self, window: &mut Window, sample: &RateSample, stream: &mut Stream) -> bool {
        with_other!(self, law => {
            law.on_rate(window, sample, stream);
            law.limits_itself()
        })
    }
}

/// What only a law from outside the engine needs. Each event calls [`set_now`](Self::set_now): one comparison is faster
/// than a call of the law.
impl Law {
    #[inline(always)]
    fn foreign(&mut self) -> Option<&mut Foreign> {
        if let Self::Other(law) = self
            && let Other::Foreign(law) = &mut **law
        {
            return Some(law);
        }
        None
    }

    /// Tells a foreign law where it runs.
    pub(crate) fn place(&mut self, place: impl FnOnce() -> Place) {
        if let Some(law) = self.foreign() {
            law.place(Box::new(place()));
        }
    }

    /// Gives the place of a foreign law to the law of the sender's next connection.
    pub(crate) fn hand_over(&mut self, next: &mut Self) {
        if let (Some(law), Some(next)) = (self.foreign(), next.foreign())
            && let Some(place) = law.next_place()
        {
            next.place(place);
        }
    }

    /// Called before the sender handles an event at `now`. Foreign laws need the time of each event.
    #[inline(always)]
    pub(crate) fn set_now(&mut self, now: Time) {
        if let Some(law) = self.foreign() {
            law.set_now(now);
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
