//! Schedules: a source that is active only in some periods.
//!
//! Data whose time lies in a period is supplied; the source's own clock stands still between periods, so that a
//! schedule moves the data of a random source but does not change it. The think times of transfers go on, since they
//! are those of a person; a transfer that would begin in a pause begins with the next period.
//!
//! What the sender has not sent when a period ends is dropped or drained ([`Unfinished`]). Data that was sent once is
//! delivered in any case: the connection stays open, as that of an application that writes nothing. ns-2's
//! `Application/FTP stop` does the same as `Dropped`: the agent sends nothing new.

use std::ops::Range;
use std::sync::Arc;

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::greedy::Greedy;
use super::{AnySource, Emission, Source};

/// When the sources of a group are active. The first period begins with the start of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleSpec {
    /// End of the first period.
    pub stop: Stop,
    /// Beginning and end of each further period, in order. The random delay of a source's start also delays its
    /// beginnings.
    #[serde(default)]
    pub again: Vec<[Time; 2]>,
    /// What happens to data that has not been sent when a period ends.
    #[serde(default)]
    pub unfinished: Unfinished,
}

/// End of the first period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// At this time.
    At(Time),
    /// This long after the source's start.
    After(Time),
}

/// What happens to data that has not been sent when a period ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unfinished {
    /// It is never sent, except the rest of a transfer of given size, which continues with the next period.
    #[default]
    Dropped,
    /// The sender goes on until all of it is sent.
    Drained,
}

impl ScheduleSpec {
    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let end = match self.stop {
            Stop::At(end) => end,
            Stop::After(_) if !self.again.is_empty() => return Err(("again", "needs an end of the first period")),
            Stop::After(_) => return Ok(()),
        };
        let times: Vec<Time> = std::iter::once(end).chain(self.again.iter().copied().flatten()).collect();
        let is_sound = times.is_sorted() && self.again.iter().all(|[begin, end]| begin < end);
        if is_sound { Ok(()) } else { Err(("again", "must be periods in order that do not overlap")) }
    }
}

/// A position in the schedule of a source.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    spec: Arc<ScheduleSpec>,
    /// Random delay of the beginnings.
    delay: Time,
    /// Number of the further periods that have begun or were skipped, and the end of the present period.
    place: usize,
    end: Time,
}

impl Schedule {
    /// The schedule of a source that starts at `start`, after a random delay.
    pub(crate) fn new(spec: &Arc<ScheduleSpec>, start: Time, delay: Time) -> Self {
        let end = match spec.stop {
            Stop::At(end) => end,
            Stop::After(length) => start.saturating_add(length),
        };
        Self { spec: Arc::clone(spec), delay, place: 0, end }
    }

    /// The end of the present period.
    pub(crate) const fn end(&self) -> Time {
        self.end
    }

    /// Goes on to the next period. Returns its beginning, if there is one.
    fn advance(&mut self) -> Option<Time> {
        while let Some([begin, end]) = self.spec.again.get(self.place) {
            self.place += 1;
            let begin = begin.saturating_add(self.delay);
            // a random delay may be longer than the period
            if begin < *end {
                self.end = *end;
                return Some(begin);
            }
        }
        None
    }

    /// The periods that begin before `end`, until then, of a source that starts at `start` and has done nothing yet.
    pub(crate) fn periods(&self, start: Time, end: Time) -> Vec<Range<Time>> {
        let mut schedule = self.clone();
        let mut periods = Vec::new();
        let mut begin = Some(start);
        while let Some(start) = begin.filter(|begin| *begin < end) {
            periods.push(start..schedule.end.min(end));
            begin = schedule.advance();
        }
        periods
    }

    /// The time at which a source acts that would act at `due` if its clock did not stand still in the pauses; `None` if
    /// no period is left. Times that were returned never decrease.
    pub(crate) fn shift(&mut self, mut due: Time) -> Option<Time> {
        while due >= self.end {
            let rest = due - self.end;
            due = self.advance()?.saturating_add(rest);
        }
        Some(due)
    }

    /// The same for a clock that runs in the pauses.
    pub(crate) fn admit(&mut self, mut due: Time) -> Option<Time> {
        while due >= self.end {
            due = self.advance()?.max(due);
        }
        Some(due)
    }
}

/// A source that is active only in some periods.
#[derive(Clone, Debug)]
pub(crate) struct Scheduled {
    source: AnySource,
    /// The period of the next emission.
    schedule: Schedule,
    /// The period that ends next, if what is unfinished then is dropped; `None` if none is left.
    pause: Option<Schedule>,
    /// By how much the source's own clock is behind.
    behind: Time,
}

impl Scheduled {
    pub(crate) fn new(source: AnySource, schedule: Schedule) -> Self {
        let pause = (schedule.spec.unfinished == Unfinished::Dropped).then(|| schedule.clone());
        Self { source, schedule, pause, behind: Time::ZERO }
    }

    /// The time of the first emission of a source that starts at `start`.
    pub(crate) fn first(&mut self, start: Time) -> Option<Time> {
        self.schedule.admit(start)
    }

    /// The source itself.
    pub(crate) const fn source(&self) -> &AnySource {
        &self.source
    }

    /// The schedule.
    pub(crate) const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The source itself, and its schedule.
    pub(crate) const fn parts(&mut self) -> (&mut AnySource, &mut Schedule) {
        (&mut self.source, &mut self.schedule)
    }

    /// The time of the next [pause](Self::pause), if one is left.
    pub(crate) fn next_pause(&self) -> Option<Time> {
        self.pause.as_ref().map(|pause| pause.end)
    }

    /// Called when a period ends, and the sender has given back the `withdrawn` packets that it had not sent. `next` is
    /// the time of the next emission, [`Time::MAX`] for none. Returns this time after the pause.
    pub(crate) fn pause(&mut self, withdrawn: u64, next: Time, stream: &mut Stream) -> Option<Time> {
        let end = self.next_pause()?;
        if self.pause.as_mut().and_then(Schedule::advance).is_none() {
            self.pause = None;
        }
        match &mut self.source {
            AnySource::Greedy(source) if next == Time::MAX => {
                let rest = source.is_unlimited().then_some(None).or((withdrawn > 0).then_some(Some(withdrawn)))?;
                *source = Greedy::new(rest);
                self.schedule.advance()
            }
            // packets of a trace have their times; those of other sources come one after another
            AnySource::Trace(_) if next < end => {
                let mut next = next;
                while next < end {
                    next = self.emit(next, stream).next?;
                }
                Some(next)
            }
            _ if next < end => {
                let begin = self.schedule.advance()?;
                self.behind = self.behind.saturating_add(begin - next);
                Some(begin)
            }
            _ => (next < Time::MAX).then_some(next),
        }
    }

    /// Heap memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + self.source.memory()
    }
}

impl Source for Scheduled {
    fn emit(&mut self, now: Time, stream: &mut Stream) -> Emission {
        let Emission { packets, next } = self.source.emit(now.saturating_sub(self.behind), stream);
        let next = next.and_then(|next| {
            let due = next.saturating_add(self.behind);
            if self.source.has_transfers() {
                return self.schedule.admit(due);
            }
            let shifted = self.schedule.shift(due)?;
            self.behind = self.behind.saturating_add(shifted - due);
            Some(shifted)
        });
        Emission { packets, next }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;
    use proptest::prelude::*;

    use super::*;
    use crate::plan::SourceSpec;

    const fn millis(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    fn schedule(stop: Stop, again: &[[u64; 2]], unfinished: Unfinished) -> Schedule {
        let again = again.iter().map(|period| period.map(millis)).collect();
        let spec = ScheduleSpec { stop, again, unfinished };
        assert_eq!(spec.check(), Ok(()));
        Schedule::new(&Arc::new(spec), Time::ZERO, Time::ZERO)
    }

    /// The times of the packets that a source supplies if it is polled in time.
    fn times(source: &SourceSpec, schedule: Schedule, end: Time) -> Vec<Time> {
        let (mut source, mut stream) = (Scheduled::new(source.build(1_500), schedule), Stream::new(3, Role::Source, 0));
        let (mut next, mut times) = (source.first(Time::ZERO), Vec::new());
        while let Some(now) = next.filter(|now| *now < end) {
            let emission = source.emit(now, &mut stream);
            times.extend((0..emission.packets).map(|_| now));
            next = emission.next;
        }
        times
    }

    /// Validates: a source of 100 packets/s in the periods [0, 35), [100, 120) and [200, ...) ms sends at 0, 10, 20, 30, at
    ///     105, 115 and at 205 ms: its clock stands still in between.
    /// Source: by hand.
    /// Tolerance: exact.
    #[test]
    fn the_clock_stands_still_between_periods() {
        let periods = schedule(Stop::At(millis(35)), &[[100, 120], [200, 220]], Unfinished::Dropped);
        let found = times(&SourceSpec::Constant { rate: 100.0 }, periods, Time::SECOND);
        assert_eq!(found, [0, 10, 20, 30, 105, 115, 205, 215].map(millis));
    }

    #[test]
    fn a_period_may_be_shorter_than_the_delay_of_its_beginning() {
        let mut periods = schedule(Stop::After(millis(10)), &[], Unfinished::Dropped);
        assert_eq!([periods.shift(millis(9)), periods.shift(millis(10))], [Some(millis(9)), None]);
        let mut late = schedule(Stop::At(millis(35)), &[[100, 120], [200, 290]], Unfinished::Dropped);
        late.delay = millis(20);
        assert_eq!(late.shift(millis(36)), Some(millis(221)), "the second period has no time left");
        let mut late = schedule(Stop::At(millis(35)), &[[100, 120]], Unfinished::Dropped);
        assert_eq!(late.admit(millis(36)), Some(millis(100)));
        assert_eq!([late.admit(millis(119)), late.admit(millis(120))], [Some(millis(119)), None]);
    }

    /// Three packets of ten were sent when the first period ended.
    #[test]
    fn the_rest_of_a_transfer_continues_with_the_next_period() {
        let periods = || schedule(Stop::At(millis(35)), &[[100, 120]], Unfinished::Dropped);
        let mut stream = Stream::new(1, Role::Source, 0);
        for (packets, withdrawn, rest) in
            [(Some(10), 7, Some(7)), (Some(3), 0, None), (None, u64::MAX - 3, Some(u64::MAX))]
        {
            let mut source = Scheduled::new(SourceSpec::Greedy { packets }.build(1_500), periods());
            assert_eq!(source.emit(Time::ZERO, &mut stream).next, None);
            assert_eq!(source.next_pause(), Some(millis(35)));
            let next = source.pause(withdrawn, Time::MAX, &mut stream);
            assert_eq!(next, rest.map(|_| millis(100)));
            assert_eq!(next.map(|next| source.emit(next, &mut stream).packets), rest);
            assert_eq!(source.next_pause(), Some(millis(120)));
            assert_eq!(source.pause(withdrawn, Time::MAX, &mut stream), None);
            assert_eq!(source.next_pause(), None);
        }
    }

    /// A sender that could not use any packet since 10 ms.
    #[test]
    fn a_backlog_that_was_never_polled_is_dropped() {
        let periods = || schedule(Stop::At(millis(35)), &[[100, 120]], Unfinished::Dropped);
        let mut stream = Stream::new(1, Role::Source, 0);
        let mut constant = Scheduled::new(SourceSpec::Constant { rate: 100.0 }.build(1_500), periods());
        assert_eq!(constant.emit(Time::ZERO, &mut stream).next, Some(millis(10)));
        assert_eq!(constant.pause(0, millis(10), &mut stream), Some(millis(100)));
        assert_eq!(constant.emit(millis(100), &mut stream).next, Some(millis(110)));
        let trace = super::super::TraceSpec {
            times: [0, 10, 20, 34, 36, 40].map(millis).into(),
            packets: None,
            period: None,
            offset: Some(Time::ZERO),
        };
        let mut trace = Scheduled::new(SourceSpec::Trace(trace.into()).build(1_500), periods());
        assert_eq!(trace.emit(Time::ZERO, &mut stream).packets, 0);
        assert_eq!(trace.pause(0, Time::ZERO, &mut stream), Some(millis(101)), "the packet at 36 ms");
        assert_eq!(trace.emit(millis(101), &mut stream).next, Some(millis(105)));
    }

    #[test]
    fn periods_that_overlap_are_refused() {
        let spec = |stop, again: &[[u64; 2]]| {
            let again = again.iter().map(|period| period.map(millis)).collect();
            ScheduleSpec { stop, again, unfinished: Unfinished::Dropped }.check().is_err()
        };
        assert!(spec(Stop::At(millis(35)), &[[30, 40]]) && spec(Stop::At(millis(35)), &[[50, 50]]));
        assert!(spec(Stop::At(millis(35)), &[[50, 60], [55, 70]]) && spec(Stop::After(millis(35)), &[[50, 60]]));
        assert!(!spec(Stop::At(millis(35)), &[[35, 40], [40, 41]]));
    }

    proptest! {
        /// A schedule moves the packets of a random source and changes nothing else: without the pauses, they are the packets
        /// of a source that is always active.
        #[test]
        fn a_schedule_only_moves_packets(
            lengths in prop::collection::vec((1_u64..50, 0_u64..50), 1..8),
            seconds in prop::sample::select(vec![0.001, 0.01, 0.05]),
        ) {
            let mean = |mean| super::super::Distribution::Exponential { mean };
            let source = SourceSpec::OnOff { rate: 500.0, on: mean(seconds), off: mean(seconds) };
            let (mut periods, mut at) = (Vec::new(), 0);
            for (on, off) in &lengths {
                periods.push([at, at + on]);
                at += on + off;
            }
            let total: u64 = lengths.iter().map(|(on, _)| on).sum();
            let active = schedule(Stop::At(millis(periods[0][1])), &periods[1..], Unfinished::Dropped);
            let found = times(&source, active, Time::SECOND);
            let always = times(&source, schedule(Stop::At(Time::MAX), &[], Unfinished::Dropped), millis(total));
            let mut worked = Vec::new();
            for time in found {
                let mut before = Time::ZERO;
                for [begin, end] in &periods {
                    if time >= millis(*begin) {
                        before += time.min(millis(*end)) - millis(*begin);
                    }
                    prop_assert!(time < millis(*begin) || time < millis(*end) || before > Time::ZERO);
                }
                prop_assert!(periods.iter().any(|[begin, end]| (millis(*begin)..millis(*end)).contains(&time)));
                worked.push(before);
            }
            prop_assert_eq!(worked, always);
        }
    }
}
