//! The sending application of a flow: a source that is polled only when the sender can use its data.

use std::ops::Range;

use ackclock_tcp::{Counters, Sender};
use ackclock_units::{Stream, Time};

use crate::call::Control;
use crate::call::receiver::Report;
use crate::observe::{Observation, Observer};
use crate::packet::FlowId;
use crate::source::schedule::Schedule;
use crate::source::{AnySource, Emission, Playback, Source, Transfer, Transfers};

/// The last time at which something can happen. [`Time::MAX`] stands for never.
const LAST: Time = Time::from_picos(u64::MAX - 1);

/// Maximum number of source emissions that one call processes.
const MOST_INSTANTS: u32 = 100_000;

/// A source that is polled only when the sender can use its data.
#[derive(Debug)]
pub(crate) struct Application {
    pub(crate) source: AnySource,
    stream: Stream,
    /// Time of the source's next emission; [`Time::MAX`] once it has ended.
    next: Time,
}

impl Application {
    /// The application of a source that is first polled at `start`, if at all.
    pub(crate) fn new(mut source: AnySource, stream: Stream, mut start: Option<Time>) -> Self {
        if let AnySource::Scheduled(scheduled) = &mut source {
            start = start.and_then(|start| scheduled.first(start));
        }
        let mut application = Self { source, stream, next: Time::MAX };
        application.wait_until(start);
        application
    }

    /// Time of the next emission; `None` once the source has ended.
    #[inline(always)]
    pub(crate) fn due(&self) -> Option<Time> {
        (self.next < Time::MAX).then_some(self.next)
    }

    /// Sets the time of the next emission. A time that is too large to be represented never comes, but the source has
    /// not ended.
    pub(crate) fn wait_until(&mut self, next: Option<Time>) {
        self.next = next.map_or(Time::MAX, |next| next.min(LAST));
    }

    /// The time of the next pause of the source in which it drops what is unfinished.
    pub(crate) fn next_pause(&self) -> Option<Time> {
        if let AnySource::Scheduled(source) = &self.source { source.next_pause() } else { None }
    }

    /// Begins this pause. `withdrawn` is the number of packets that the sender had not sent.
    pub(crate) fn pause(&mut self, withdrawn: u64) {
        if let AnySource::Scheduled(source) = &mut self.source {
            let next = source.pause(withdrawn, self.next, &mut self.stream);
            self.wait_until(next);
        }
    }

    /// The packets of the source's next emission, if its time has come.
    pub(crate) fn take(&mut self, now: Time) -> Option<u64> {
        if self.next > now {
            return None;
        }
        let Emission { packets, next } = self.source.emit(self.next, &mut self.stream);
        self.wait_until(next);
        Some(packets)
    }

    /// Supplies the sender with the data available now, as much as it can use.
    #[inline(always)]
    pub(crate) fn refill(&mut self, sender: &mut Sender, now: Time) {
        if sender.wants_data() && self.next <= now {
            self.refill_now(sender, now);
        }
    }

    #[inline(never)]
    fn refill_now(&mut self, sender: &mut Sender, now: Time) {
        sender.has_data_since(self.next);
        match &self.source {
            AnySource::Poisson(source) if sender.is_open() => {
                let quota = sender.send_quota();
                let mut left = quota;
                while left > 0 && self.next <= now {
                    self.next = self.next.saturating_add(source.gap(&mut self.stream));
                    left -= 1;
                }
                sender.supply_more(quota - left);
            }
            _ => self.refill_any(sender, now),
        }
    }

    /// Not inlined, so that the code of other sources does not slow down the most frequent source.
    #[inline(never)]
    fn refill_any(&mut self, sender: &mut Sender, now: Time) {
        while sender.wants_data()
            && let Some(packets) = self.take(now)
        {
            sender.supply(packets);
        }
    }

    /// The periods before `end` in which the source is active; it must not have begun.
    pub(crate) fn periods(&self, end: Time) -> Vec<Range<Time>> {
        match (&self.source, self.due().filter(|start| *start < end)) {
            (_, None) => Vec::new(),
            (AnySource::Scheduled(source), Some(start)) => source.schedule().periods(start, end),
            (_, Some(start)) => vec![start..end],
        }
    }

    /// Number of packets that the source would still emit before `end`, from at most `enough` emissions. Uses a copy of
    /// the source.
    pub(crate) fn still_to_come(&self, end: Time, enough: u64) -> u64 {
        let Some(mut next) = self.due().filter(|at| *at < end) else { return 0 };
        let (mut source, mut stream) = (self.source.clone(), self.stream.clone());
        let mut packets: u64 = 0;
        for _ in 0..enough {
            let emission = source.emit(next, &mut stream);
            packets = packets.saturating_add(emission.packets);
            let Some(then) = emission.next.filter(|at| *at < end && packets < enough) else { break };
            next = then;
        }
        packets
    }

    /// Requests made before `end` that wait for the transfers before them.
    pub(crate) fn waiting(&self, end: Time) -> Vec<Transfer> {
        let (source, mut schedule) = match &self.source {
            AnySource::Scheduled(scheduled) => (scheduled.source(), Some(scheduled.schedule().clone())),
            source => (source, None),
        };
        let AnySource::Transfers(source) = source else { return Vec::new() };
        let admit = |due| schedule.as_mut().map_or(Some(due), |schedule| schedule.admit(due));
        Transfers::clone(source).waiting(end, self.stream.clone(), admit)
    }

    /// Supplies a paused sender with all data available now, and returns the time of the source's next emission, which
    /// will release the sender. Returns `None` if more emissions are due than one call processes.
    #[inline(never)]
    pub(crate) fn catch_up(&mut self, sender: &mut Sender, now: Time) -> Option<Time> {
        for _ in 0..MOST_INSTANTS {
            let Some(packets) = self.take(now) else { return self.due() };
            sender.supply(packets);
        }
        None
    }

    /// Handles a report of a call's receiver.
    pub(crate) fn adapt(&mut self, report: &Report, now: Time) -> Option<Control> {
        let source = match &mut self.source {
            AnySource::Scheduled(scheduled) => scheduled.parts().0,
            source => source,
        };
        if let AnySource::Call(call) = source { Some(call.adapt(report, now)) } else { None }
    }

    /// What the client of a video did since its last report, until `end`.
    pub(crate) fn playback(&self, end: Time) -> Option<Playback> {
        match &self.source {
            AnySource::Scheduled(scheduled) => match scheduled.source() {
                AnySource::Video(video) => video.unreported(end.min(scheduled.schedule().end())),
                _ => None,
            },
            AnySource::Video(video) => video.unreported(end),
            _ => None,
        }
    }

    /// Whether [`follow_transfers`](Self::follow_transfers) may change anything: a connection has nothing but its end.
    #[inline(always)]
    pub(crate) fn may_change_transfers(&self, sender: &Sender) -> bool {
        !matches!(self.source, AnySource::Connection(_)) || sender.is_idle()
    }

    /// Reports the beginning of a transfer, and notifies the source when its transfer is complete. Returns whether
    /// completion closes the connection. `is_idle` is whether all data of the sender is acknowledged, and `counters`
    /// gives its counters.
    #[inline(never)]
    pub(crate) fn follow_transfers(
        &mut self,
        is_idle: bool,
        counters: impl FnOnce() -> Counters,
        now: Time,
        flow: FlowId,
        observer: &mut impl Observer,
    ) -> bool {
        let (source, schedule) = match &mut self.source {
            AnySource::Scheduled(scheduled) => {
                let (source, schedule) = scheduled.parts();
                (source, Some(schedule))
            }
            source => (source, None),
        };
        let source = match source {
            AnySource::Transfers(source) => source,
            AnySource::Video(_) => {
                self.follow_video(is_idle, counters, now, flow, observer);
                return false;
            }
            AnySource::Connection(source) => return self.next == Time::MAX && is_idle && source.close(),
            _ => return false,
        };
        if let Some(Transfer { at, packets }) = source.begun() {
            observer.observe(at, &Observation::TransferBegins { flow, packets, before: &counters() });
        }
        if self.next == Time::MAX && is_idle {
            // a request belongs to the period in which it is made, also if it waits
            let asked = source.acknowledged(now, &mut self.stream);
            let next = schedule.map_or(Some(asked), |schedule| schedule.admit(asked));
            if let Some(later) = next.filter(|next| *next > asked) {
                source.postpone(later);
            }
            self.wait_until(next.map(|next| next.max(now)));
        }
        false
    }

    /// The same for the client of a video.
    fn follow_video(
        &mut self,
        is_idle: bool,
        counters: impl FnOnce() -> Counters,
        now: Time,
        flow: FlowId,
        observer: &mut impl Observer,
    ) {
        let (source, schedule) = match &mut self.source {
            AnySource::Scheduled(scheduled) => {
                let (source, schedule) = scheduled.parts();
                (source, Some(schedule))
            }
            source => (source, None),
        };
        let AnySource::Video(video) = source else { return };
        if let Some(Transfer { at, packets }) = video.begun() {
            if let Some(playback) = &video.seen() {
                observer.observe(at, &Observation::Playback { flow, playback });
            }
            observer.observe(at, &Observation::TransferBegins { flow, packets, before: &counters() });
        }
        if self.next == Time::MAX && is_idle && video.is_loading() {
            let end = schedule.as_deref().map_or(Time::MAX, Schedule::end);
            let asked = video.acknowledged(now, end);
            if let Some(playback) = &video.seen() {
                observer.observe(now, &Observation::Playback { flow, playback });
            }
            let next = schedule.map_or(Some(asked), |schedule| schedule.admit(asked));
            self.wait_until(next.map(|next| next.max(now)));
        }
    }
}
