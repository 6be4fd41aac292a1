//! Measurements at one link in bounded memory.

use ackclock_units::{Rate, Time};

use super::bins::{Bins, Tally};
use super::link_meter::LinkMeter;
use super::summary::LinkSummary;
use super::views::OfLink;
use crate::engine::simulator::Simulator;
use crate::link::Offered;
use crate::link::rate::LinkRate;
use crate::packet::LinkId;
use crate::plan::Plan;
use crate::queue::DropReason;

/// A measured link. Packets are of several kinds, each with its own meter.
#[derive(Clone, Debug)]
pub(in crate::observe) struct AtLink {
    pub(super) from: Time,
    pub(super) end: Time,
    pub(super) link: LinkId,
    rate: LinkRate,
    /// Mean rate of the link over the measured time.
    pub(super) mean_rate: Rate,
    /// Transmissions that end by this time are plain: they count in full, without a correction for a varying rate or the
    /// end of the run.
    plain_until: Time,
    pub(super) meters: Vec<LinkMeter>,
    pub(super) bins: Bins,
    /// Air time of the link and busy time of its medium, after [`finish`](Self::finish), if the link shares a medium.
    air: Option<[Time; 2]>,
}

impl AtLink {
    /// Measurement of a link for `kinds` kinds of packets.
    pub(in crate::observe) fn new(plan: &Plan, simulator: &Simulator, link: LinkId, kinds: usize) -> Self {
        let (from, end) = (plan.measure.from, plan.duration);
        let rate = simulator.rate(link).clone();
        Self {
            from,
            end,
            link,
            meters: vec![LinkMeter::default(); kinds],
            bins: Bins::new(from, end, plan.measure.bin),
            mean_rate: rate.mean(from, end),
            plain_until: if rate.varies() { Time::ZERO } else { end },
            rate,
            air: None,
        }
    }

    /// The link.
    pub(in crate::observe) const fn link(&self) -> LinkId {
        self.link
    }

    /// Handles a packet of the given kind, offered to the link.
    #[inline(always)]
    pub(in crate::observe) fn offered(&mut self, now: Time, kind: usize, offered: Offered) {
        if !self.count_if_plain(now, kind, offered) {
            self.count_any(now, kind, offered);
        }
    }

    /// Handles a packet that is offered to the link in the common case: in the current bin, and sent before the end of
    /// the measured time or stored. Otherwise returns false, and nothing has changed.
    ///
    /// Until a stored packet [leaves](Self::left), it counts as one that waits to the end of the measured time.
    #[inline(always)]
    pub(super) fn count_if_plain(&mut self, now: Time, kind: usize, offered: Offered) -> bool {
        match offered {
            Offered::Accepted { start, end, marked: false, lost: false, .. } => {
                self.count_accepted_if_plain(now, kind, start, end)
            }
            Offered::Queued if now < self.bins.edge() => {
                let waits = self.waits_from(now);
                let meter = &mut self.meters[kind];
                meter.arrivals.count();
                meter.carried -= 1;
                meter.waiting += waits;
                true
            }
            _ => false,
        }
    }

    /// The same for a packet that the link accepts without marking it.
    #[inline(always)]
    pub(super) fn count_accepted_if_plain(&mut self, now: Time, kind: usize, start: Time, end: Time) -> bool {
        let is_plain = self.is_plain(now, end);
        if is_plain {
            self.count_plain(now, kind, start, end);
        }
        is_plain
    }

    /// Whether a packet counts in the common way that is accepted at `now` and sent until `end`.
    #[inline(always)]
    pub(super) fn is_plain(&self, now: Time, end: Time) -> bool {
        now < self.bins.edge() && end <= self.plain_until
    }

    /// Counts such a packet.
    #[inline(always)]
    pub(super) fn count_plain(&mut self, now: Time, kind: usize, start: Time, end: Time) {
        let meter = &mut self.meters[kind];
        meter.arrivals.count();
        meter.busy += (end - start).as_picos();
        meter.waiting += u128::from((start - now).as_picos());
        // last, since it may end with a call
        meter.sojourn.record(start - now);
    }

    /// Handles any packet that is offered to the link: it is accepted, dropped or stored.
    #[inline(never)]
    pub(super) fn count_any(&mut self, now: Time, kind: usize, offered: Offered) {
        match offered {
            Offered::Accepted { start, end, marked, lost, .. } => {
                if marked {
                    self.mark(now, kind);
                }
                if lost {
                    self.lose(start, kind);
                }
                self.transmit(now, kind, start, end);
            }
            Offered::Dropped(reason) => self.drop(now, kind, reason),
            Offered::Queued => self.store(now, kind),
        }
    }

    /// Counts the arrival of a packet if it is within the measured time. Returns whether it is.
    fn arrive(&mut self, now: Time, kind: usize) -> bool {
        let arrived = self.from <= now && now < self.end;
        if arrived {
            if now >= self.bins.edge() {
                self.bins.turn_to(now, tallies(&mut self.meters));
            }
            self.meters[kind].arrivals.count();
        }
        arrived
    }

    /// Counts a packet that is dropped when it arrives.
    fn drop(&mut self, now: Time, kind: usize, reason: DropReason) {
        let arrived = self.arrive(now, kind);
        self.meters[kind].drops.count(reason, arrived);
    }

    /// Counts a packet that the link stores.
    fn store(&mut self, now: Time, kind: usize) {
        let arrived = self.arrive(now, kind);
        self.meters[kind].carried -= i64::from(arrived);
        self.meters[kind].waiting += self.waits_from(now);
    }

    /// Handles a packet of the given kind that leaves the link's queue, which it joined at `since`.
    #[inline(always)]
    pub(in crate::observe) fn left(&mut self, now: Time, kind: usize, since: Time, fate: Offered) {
        if !self.count_left_if_plain(kind, since, fate) {
            self.count_any_left(now, kind, since, fate);
        }
    }

    /// Handles a packet that leaves the queue in the common case: it is sent within the measured time, and at a constant
    /// rate. Otherwise returns false, and nothing has changed.
    #[inline(always)]
    pub(super) fn count_left_if_plain(&mut self, kind: usize, since: Time, fate: Offered) -> bool {
        // a packet that waits for the tokens of a shaper has left the discipline, but still waits
        match fate {
            Offered::Accepted { start, end, marked: false, lost: false, .. }
                if self.from <= start && end <= self.plain_until =>
            {
                let waits = self.waits_from(start);
                let meter = &mut self.meters[kind];
                meter.carried += 1;
                meter.waiting -= waits;
                meter.busy += (end - start).as_picos();
                meter.sojourn.record(start - since);
                true
            }
            _ => false,
        }
    }

    /// Handles any packet that leaves the queue.
    #[inline(never)]
    pub(super) fn count_any_left(&mut self, now: Time, kind: usize, since: Time, fate: Offered) {
        let Offered::Accepted { start, end, marked, lost, .. } = fate else {
            return self.drop_stored(now, kind);
        };
        if marked {
            self.mark(start, kind);
        }
        if lost {
            self.lose(start, kind);
        }
        self.transmit_stored(kind, since, start, end);
    }

    /// Counts a stored packet that is dropped.
    fn drop_stored(&mut self, now: Time, kind: usize) {
        let waits = self.waits_from(now);
        let leaves = self.from <= now && now < self.end;
        let meter = &mut self.meters[kind];
        meter.carried += i64::from(leaves);
        meter.waiting -= waits;
        meter.drops.count_stored(leaves);
    }

    /// Counts a stored packet that is transmitted.
    fn transmit_stored(&mut self, kind: usize, since: Time, start: Time, end: Time) {
        let waits = self.waits_from(start);
        let leaves = self.from <= start && start < self.end;
        let meter = &mut self.meters[kind];
        meter.carried += i64::from(leaves);
        meter.waiting -= waits;
        if leaves {
            meter.sojourn.record(start - since);
        }
        let (start, until) = (start.max(self.from), end.min(self.end));
        meter.busy += self.rate.busy(start, until, self.mean_rate).as_picos();
    }

    /// Time from `now` to the end of the measured time, in picoseconds, without the time before it begins.
    fn waits_from(&self, now: Time) -> u128 {
        u128::from(self.end.saturating_sub(now.max(self.from)).as_picos())
    }

    /// Counts a packet that the queue marks.
    fn mark(&mut self, now: Time, kind: usize) {
        self.meters[kind].marks += u64::from(self.from <= now && now < self.end);
    }

    /// Counts a packet that is lost after its transmission, which begins at `start`.
    fn lose(&mut self, start: Time, kind: usize) {
        self.meters[kind].corrupted += u64::from(self.from <= start && start < self.end);
    }

    /// Counts a packet that the link accepts and transmits.
    fn transmit(&mut self, now: Time, kind: usize, start: Time, end: Time) {
        let arrived = self.arrive(now, kind);
        let meter = &mut self.meters[kind];
        let departs = self.from <= start && start < self.end;
        if departs {
            meter.sojourn.record(start - now);
        }
        meter.carried += i64::from(departs) - i64::from(arrived);
        let within = |from: Time, until: Time| (from.max(self.from), until.min(self.end));
        let (start, end) = within(start, end);
        meter.busy += self.rate.busy(start, end, self.mean_rate).as_picos();
        let (now, start) = within(now, start);
        meter.waiting += u128::from(start.saturating_sub(now).as_picos());
    }

    /// Handles each packet that is transmitted as one that is not common.
    pub(super) const fn look_at_each(&mut self) {
        self.plain_until = Time::ZERO;
    }

    /// Ends the measurement at the end of the run.
    pub(in crate::observe) fn finish(&mut self, simulator: &Simulator) {
        self.air = simulator.air(self.link);
        self.bins.finish(tallies(&mut self.meters));
    }

    pub(super) fn seconds(&self) -> f64 {
        (self.end - self.from).as_secs_f64()
    }

    /// Throughput of the packets that a meter counted, in bits per second, including headers.
    pub(super) fn throughput_bps(&self, meter: &LinkMeter) -> f64 {
        meter.busy as f64 / (self.end - self.from).as_picos() as f64 * self.mean_rate.as_bps() as f64
    }

    /// Mean number of waiting packets among the packets that a meter counted (Little's law).
    pub(super) fn queue_mean(&self, meter: &LinkMeter) -> f64 {
        meter.waiting as f64 / (self.end - self.from).as_picos() as f64
    }

    /// Share of the measured time in which the link's transmissions occupied its medium, and in which the medium was busy.
    pub(super) fn air_shares(&self) -> Option<[f64; 2]> {
        let share = |time: Time| time.as_picos() as f64 / (self.end - self.from).as_picos() as f64;
        self.air.map(|times| times.map(share))
    }

    /// A rate in bits per second, divided by the link's rate.
    pub(super) fn share(&self, bps: f64) -> f64 {
        bps / self.mean_rate.as_bps() as f64
    }

    /// The packets of all kinds, after [`finish`](Self::finish).
    pub(super) fn total(&self) -> LinkMeter {
        LinkMeter::total(&self.meters, self.bins.total(self.meters.iter().map(|meter| &meter.arrivals)))
    }

    /// Summary of all kinds together, after [`finish`](Self::finish).
    pub(in crate::observe) fn summary(&self) -> LinkSummary {
        LinkSummary::new(&OfLink { at: self, packets: &self.total() })
    }

    /// Memory of the bins, of `bin` bytes each, and of the distributions of waiting times, in bytes.
    pub(in crate::observe) fn memory(&self, bin: usize) -> usize {
        self.bins.memory(bin) + self.meters.iter().map(|meter| meter.sojourn.memory()).sum::<usize>()
    }
}

fn tallies(meters: &mut [LinkMeter]) -> impl Iterator<Item = &mut Tally> {
    meters.iter_mut().map(|meter| &mut meter.arrivals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::dumbbell_of_reno;

    /// Marks count per kind, and only at arrivals in the measured time, which is from 1 s to 10 s.
    #[test]
    fn marks_of_the_measured_time_count() {
        let mut plan = dumbbell_of_reno(1);
        plan.measure.from = Time::SECOND;
        let simulator = Simulator::new(&plan, 1).expect("the plan is sound");
        let mut at = AtLink::new(&plan, &simulator, LinkId(0), 2);
        for (millis, kind, marked) in [(999, 0, true), (1_000, 0, true), (1_001, 0, false), (5_000, 1, true)] {
            let start = Time::from_millis(millis);
            at.offered(start, kind, Offered::Accepted { start, end: start, arrival: start, marked, lost: false });
        }
        let start = plan.duration;
        at.offered(start, 0, Offered::Accepted { start, end: start, arrival: start, marked: true, lost: false });
        at.finish(&simulator);
        assert_eq!(at.meters.iter().map(|meter| meter.marks).collect::<Vec<_>>(), [1, 1]);
        assert_eq!((at.summary().arrivals, at.summary().marks), (3, 2));
    }
}
