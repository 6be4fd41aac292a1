//! The packets that a link has accepted but not yet sent.
//!
//! A busy link sends packets back to back, and most packets have the same size. The backlog is therefore stored as
//! *runs*: consecutive packets of one size, described only by the start and end of their transmission. Adding a packet
//! of the same size takes one addition, and counting the waiting packets takes one division. Where the rate varies and
//! where a shaper delays packets, each packet is a run of its own.

use std::collections::VecDeque;

use ackclock_units::Time;

use crate::link::rate::LinkRate;
use crate::link::token_bucket::{BucketSpec, TokenBucket};

/// The smallest unit of time. A transmission takes at least this long, since runs divide by its time.
pub(crate) const INSTANT: Time = Time::from_picos(1);

/// Packets of one size, sent back to back.
#[derive(Clone, Copy, Debug)]
struct Run {
    size: u32,
    /// Transmission time of one packet.
    each: Time,
    /// Start of the first transmission and end of the last. The current run may contain idle periods in between.
    start: Time,
    end: Time,
}

impl Run {
    /// Number of packets of the run that wait at `now`: their transmission starts later.
    fn waiting(&self, now: Time) -> u64 {
        self.end.saturating_sub(self.start.max(now.saturating_add(INSTANT))).as_picos() / self.each.as_picos()
    }

    /// Removes packets sent by `now`: the run then begins with the packet in transmission.
    fn begin_at(&mut self, now: Time) {
        let waiting = self.each.saturating_mul(self.waiting(now));
        self.start = self.start.max(self.end.saturating_sub(waiting).saturating_sub(self.each));
    }

    /// Number of packets in the run.
    const fn packets(&self) -> u64 {
        self.end.saturating_sub(self.start).as_picos() / self.each.as_picos()
    }
}

/// Runs that can no longer grow, because a packet of another size arrived before they ended or exactly when they ended.
#[derive(Debug, Default)]
pub(crate) struct Closed {
    runs: VecDeque<Run>,
    packets: u64,
    bytes: u64,
}

impl Closed {
    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + self.runs.capacity() * size_of::<Run>()
    }

    fn push(&mut self, run: Run) {
        let packets = run.packets();
        self.packets += packets;
        self.bytes += packets * u64::from(run.size);
        self.runs.push_back(run);
    }

    /// Removes runs that ended before `now`.
    fn forget(&mut self, now: Time) {
        while let Some(run) = self.runs.front().copied().filter(|run| run.end < now) {
            self.runs.pop_front();
            let packets = run.packets();
            self.packets -= packets;
            self.bytes -= packets * u64::from(run.size);
        }
    }
}

/// The pending transmissions of a link. Calls must be made in non-decreasing time order.
#[derive(Debug)]
pub(crate) struct Backlog {
    rate: LinkRate,
    /// The current run.
    last: Run,
    /// Earlier runs; most links never have any.
    closed: Option<Box<Closed>>,
    shaper: Option<Box<TokenBucket>>,
}

impl Backlog {
    /// Memory of one closed run, in bytes.
    pub(crate) const BYTES_OF_RUN: usize = size_of::<Run>();

    /// An empty backlog.
    pub(crate) const fn new(rate: LinkRate) -> Self {
        Self {
            rate,
            last: Run { size: 0, each: INSTANT, start: Time::ZERO, end: Time::ZERO },
            closed: None,
            shaper: None,
        }
    }

    /// The same backlog with a shaper.
    pub(crate) fn shaped_by(self, shaper: Option<BucketSpec>) -> Self {
        Self { shaper: shaper.map(|spec| Box::new(TokenBucket::new(spec))), ..self }
    }

    /// The backlog of a link whose pending packets all have `size` bytes and a transmission time of `each`, and which
    /// is busy until `busy_until`. `spare` is empty memory for closed runs.
    ///
    /// The run begins at time 0 instead of its first packet. This makes no difference: queries and later packets depend
    /// only on the packets still to be sent, and the run has at least one packet unless `size` is 0.
    pub(crate) fn resumed(rate: LinkRate, size: u32, each: Time, busy_until: Time, spare: Option<Box<Closed>>) -> Self {
        let last = Run { size, each: each.max(INSTANT), start: Time::ZERO, end: busy_until };
        Self { rate, last, closed: spare, shaper: None }
    }

    pub(crate) const fn rate(&self) -> &LinkRate {
        &self.rate
    }

    /// Whether packets of one size may have different transmission times.
    pub(crate) const fn varies(&self) -> bool {
        self.rate.varies() || self.shaper.is_some()
    }

    /// Heap memory in bytes, excluding the rate's trace.
    pub(crate) fn memory(&self) -> usize {
        self.closed.as_ref().map_or(0, |closed| closed.memory())
            + self.shaper.as_ref().map_or(0, |shaper| size_of_val(&**shaper))
    }

    /// End of the last transmission.
    pub(crate) const fn busy_until(&self) -> Time {
        self.last.end
    }

    /// Size of the last packets, and the transmission time of one. `None` if there has been no packet or if the transmission
    /// time varies.
    pub(crate) fn usual(&self) -> Option<(u32, Time)> {
        let is_usual = !self.varies() && self.last.size > 0;
        is_usual.then_some((self.last.size, self.last.each))
    }

    /// A number of packets of the [usual](Self::usual) size that are as many, and have as many bytes, as the packets of other
    /// sizes before them that are still to be sent; 0 only if there are none.
    pub(crate) fn unusual(&self) -> u64 {
        self.closed().map_or(0, |closed| closed.packets.max(closed.bytes.div_ceil(u64::from(self.last.size.max(1)))))
    }

    /// Adds packets of the usual size, which make the link busy until then.
    pub(crate) fn extend(&mut self, busy_until: Time) {
        self.last.end = self.last.end.max(busy_until);
    }

    /// Takes the memory for closed runs; there must be no such run.
    pub(crate) fn take_closed(&mut self) -> Option<Box<Closed>> {
        debug_assert!(self.closed().is_none(), "closed runs are pending");
        self.closed.take()
    }

    /// Adds a packet. Returns start and end of its transmission. A packet that waits for the tokens of a shaper has left
    /// the queue, as if its transmission had begun.
    pub(crate) fn take(&mut self, size: u32, now: Time) -> (Time, Time) {
        let start = self.last.end.max(now);
        let mut begins = start;
        if size != self.last.size || self.varies() {
            if self.last.size > 0 && self.last.end >= now {
                self.last.begin_at(now);
                self.closed.get_or_insert_default().push(self.last);
            }
            begins = self.shaper.as_mut().map_or(start, |shaper| shaper.take_later(self.rate.bytes(size), start));
            let time = self.rate.transmission_time(size, begins).max(INSTANT);
            self.last = Run { size, each: time.saturating_add(begins - start), start, end: start };
        }
        self.last.end = start.saturating_add(self.last.each);
        (begins, self.last.end)
    }

    /// Removes packets sent before `now`. Must be called before the queries below. Their time may be `now` or, if the
    /// link was busy then, one instant earlier.
    pub(crate) fn forget(&mut self, now: Time) {
        if let Some(closed) = &mut self.closed {
            closed.forget(now);
        }
    }

    /// The closed runs, if there are any.
    fn closed(&self) -> Option<&Closed> {
        self.closed.as_deref().filter(|closed| !closed.runs.is_empty())
    }

    /// Number of packets and bytes waiting at `now`, excluding the packet in transmission.
    pub(crate) fn waiting(&self, now: Time) -> (u64, u64) {
        let last = self.last.waiting(now);
        let last_bytes = last * u64::from(self.last.size);
        let Some(closed) = self.closed() else { return (last, last_bytes) };
        // after `forget`, only one run has begun, or two if one of them ends or begins at exactly this time
        let begun = closed.runs.iter().take_while(|run| run.start <= now);
        begun.fold((closed.packets + last, closed.bytes + last_bytes), |(packets, bytes), run| {
            let begun = run.packets() - run.waiting(now);
            (packets - begun, bytes - begun * u64::from(run.size))
        })
    }

    /// Size in bytes of the packet in transmission at `now`; 0 if the link is idle.
    pub(crate) fn in_service(&self, now: Time) -> u32 {
        if self.last.end <= now {
            return 0;
        }
        self.closed().and_then(|closed| closed.runs.iter().find(|run| run.end > now)).unwrap_or(&self.last).size
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ackclock_units::Rate;
    use proptest::prelude::*;

    use super::*;
    use crate::link::rate::{RateSpec, RateTraceSpec};

    proptest! {
        /// Validates: the waiting packets and the packet in transmission equal the ones found from a list of all
        ///   packets, at `now` and, in a busy period, one instant earlier.
        /// Source: the definition of a first-in, first-out queue.
        /// Tolerance: exact.
        #[test]
        fn runs_tell_what_a_list_of_packets_tells(
            packets in prop::collection::vec((0_u64..4, prop::sample::select(vec![40_u32, 1500])), 1..60),
            varies in any::<bool>(),
        ) {
            let times = vec![Time::ZERO, Time::from_millis(20), Time::from_millis(30)];
            let trace = RateTraceSpec::new(times, vec![1_000_000, 0, 2_000_000], Some(Time::from_millis(50)));
            let constant = RateSpec::Constant(Rate::from_mbps(1));
            let rate = LinkRate::new(&if varies { RateSpec::Trace(Arc::new(trace)) } else { constant });
            let mut backlog = Backlog::new(rate.clone());
            // start time and size of each packet
            let mut list: Vec<(Time, u32)> = Vec::new();
            let (mut now, mut end, mut busy_since) = (Time::ZERO, Time::ZERO, Time::ZERO);
            for (gap, size) in packets {
                // some arrivals coincide with the start of a transmission
                now += Time::from_micros(160 * gap * gap);
                backlog.forget(now);
                if end < now {
                    busy_since = now;
                }
                for seen in [now, now.saturating_sub(INSTANT).max(busy_since)] {
                    let waiting: Vec<u32> =
                        list.iter().filter(|(start, _)| *start > seen).map(|(_, size)| *size).collect();
                    let in_service = list.iter().filter(|(start, _)| *start <= seen).map(|(_, size)| *size).next_back();
                    let in_service = in_service.filter(|_| end > seen);
                    let count = waiting.len() as u64;
                    prop_assert_eq!(backlog.waiting(seen), (count, waiting.iter().map(|size| u64::from(*size)).sum()));
                    prop_assert_eq!(backlog.in_service(seen), in_service.unwrap_or(0));
                }
                let start = end.max(now);
                prop_assert_eq!(backlog.take(size, now).0, start);
                end = start + rate.transmission_time(size, start);
                prop_assert_eq!(backlog.busy_until(), end);
                list.push((start, size));
            }
        }
    }
}
