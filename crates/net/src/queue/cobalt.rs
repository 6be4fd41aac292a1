//! COBALT, the queue management of CAKE (`cake.rs`): CoDel and BLUE side by side. Palmei et al., "Design and Evaluation of
//! COBALT Queue Discipline" (IEEE LANMAN 2019); Morton, "Proposing COBALT" (mailing list `codel`, May 2016); Linux,
//! `sch_cake.c`.
//!
//! *CoDel* drops packets that have waited longer than `target` (`codel.rs`), with two changes. The first drop follows an
//! interval after the first late packet, and drop number `count` follows `interval / sqrt(count)` after the one before;
//! in RFC 8289 drop number `count + 1` does, so that a second interval lies between the first two drops. And `count` is
//! not reset when packets are no longer late: it decreases by one whenever a drop would have been due, at intervals that
//! grow accordingly. A queue that becomes late again continues with the count that is left. An overflow makes a drop due
//! at once.
//!
//! *BLUE* (Feng, Shin, Kandlur and Saha 2002) drops each packet with a probability that overflows increase by 1/256, and
//! times without packets decrease by 1/4096; it changes at most once per `target`. It drops ECN-capable packets too. It
//! is for senders that do not respond to CoDel.
//!
//! Neither drops the last packet of a queue.
//!
//! Differences from Linux:
//! - Linux makes the updates of an empty queue when it looks at the queue, here they are made on time.
//! - If the first packet after an interval without any is late, Linux drops the second late packet at once, because the
//!   variable that limits how long a queue is remembered is also the time of the next drop.
//! - Linux approximates square roots by Newton's method.
//! - Drops and marks have the parameter `ecn`; Linux marks whenever it can.

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::codel::{INTERVAL, TARGET, ecn};
use super::stored::{Dropped, PacketQueue, Queued, Room, Store};
use super::{Context, DropReason, Limit, Parameter, QueueSpec, Spec};

pub(super) const DOC: &str =
    "CoDel with a slow memory, and BLUE against senders that do not respond (Palmei et al. 2019)";

pub(super) const PARAMETERS: &[Parameter] = &[TARGET, INTERVAL, ecn(false)];

/// The parameters of COBALT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CobaltSpec {
    /// Capacity.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Waiting time that packets may always have.
    pub target: Time,
    /// Time for which packets must wait longer than `target` before the first drop.
    pub interval: Time,
    /// Mark ECN-capable packets where CoDel would drop them.
    pub ecn: bool,
}

impl Spec for CobaltSpec {
    fn marks(&self) -> bool {
        self.ecn
    }

    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&[])
    }
}

pub(super) fn build(spec: &CobaltSpec, context: &Context) -> Cobalt {
    let CobaltSpec { limit, count_in_service, target, interval, ecn } = *spec;
    Cobalt {
        room: Room { limit, count_in_service },
        control: Control { late: target, period: target, interval, ecn },
        state: State::default(),
        store: Store::default(),
        stream: context.stream.clone(),
    }
}

/// The parameters of the control law.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    /// Waiting time above which a packet is late.
    pub(super) late: Time,
    /// Least time between two changes of BLUE's probability.
    pub(super) period: Time,
    pub(super) interval: Time,
    pub(super) ecn: bool,
}

impl Control {
    /// Time of the drop or decay after one at `last`.
    fn next(&self, last: Time, count: u64) -> Time {
        let spacing = self.interval.as_picos() as f64 / (count.max(1) as f64).sqrt();
        last.saturating_add(Time::from_picos(spacing as u64))
    }
}

/// BLUE's probabilities in units of its decrement, 1/4096.
const CERTAIN: u32 = 4096;
const INCREMENT: u32 = CERTAIN / 256;

/// The state of a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    count: u64,
    /// Time of the next drop or, outside the dropping state, of the next decay of `count`.
    drop_next: Time,
    dropping: bool,
    /// BLUE's probability.
    p_drop: u32,
    /// Time from which on the probability may change.
    p_next: Time,
}

impl State {
    /// Whether the state is the dropping state.
    pub(super) const fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// BLUE's drop probability.
    pub(super) const fn p_drop(&self) -> f64 {
        self.p_drop as f64 / CERTAIN as f64
    }

    /// Whether the state of an empty queue has decayed by `now`, so that another flow can use the queue.
    pub(super) fn is_at_rest(mut self, control: &Control, now: Time) -> bool {
        self.rest(control, now);
        self.count == 0 && self.p_drop == 0
    }

    /// Removes the next packet of a queue that is not dropped.
    pub(super) fn dequeue(
        &mut self,
        control: &Control,
        store: &mut Store,
        stream: &mut Stream,
        now: Time,
        dropped: &mut Dropped,
    ) -> Option<Queued> {
        loop {
            let mut packet = store.pop()?;
            let drops = self.drops(control, &mut packet, stream, now);
            if store.is_empty() {
                self.p_next = self.p_next.max(now);
                self.rest(control, now);
                return Some(packet);
            }
            if !drops {
                return Some(packet);
            }
            dropped.push((packet, DropReason::Early));
        }
    }

    /// Decides about a packet that is about to leave, and marks it.
    fn drops(&mut self, control: &Control, packet: &mut Queued, stream: &mut Stream, now: Time) -> bool {
        let is_due = self.count > 0 && now >= self.drop_next;
        let is_late = now - packet.since > control.late;
        if is_late && !self.dropping {
            self.drop_next = control.next(now, self.count);
            self.count = self.count.max(1);
        }
        self.dropping = is_late;
        let mut drops = false;
        if !is_late {
            self.decay(control, now);
        } else if is_due {
            self.count += 1;
            self.drop_next = control.next(self.drop_next, self.count);
            if control.ecn && packet.mark() {
                // only one packet is marked at a time, and the marks missed meanwhile are not made up for
                self.drop_next = self.drop_next.max(now);
            } else {
                drops = true;
            }
        }
        drops || self.p_drop > 0 && stream.uniform() < self.p_drop()
    }

    /// Lets `count` decay up to `now`.
    fn decay(&mut self, control: &Control, now: Time) {
        while self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.drop_next = control.next(self.drop_next, self.count);
        }
    }

    /// Makes the updates of a queue that has been empty up to `now`.
    pub(super) fn rest(&mut self, control: &Control, now: Time) {
        self.dropping = false;
        self.decay(control, now);
        if self.p_drop > 0 && now >= self.p_next {
            // without a period the probability falls to 0 at once
            let further = (now - self.p_next).as_picos().checked_div(control.period.as_picos()).unwrap_or(u64::MAX);
            let steps = u64::from(self.p_drop).min(further.saturating_add(1));
            self.p_drop -= steps as u32;
            self.p_next = self.p_next.saturating_add(control.period.saturating_mul(steps));
        }
    }

    /// Learns that the queue lost a packet because of its limit.
    pub(super) fn overflow(&mut self, control: &Control, now: Time) {
        if now >= self.p_next {
            self.p_drop = CERTAIN.min(self.p_drop + INCREMENT);
            self.p_next = now.saturating_add(control.period);
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }
}

#[derive(Debug)]
pub(super) struct Cobalt {
    room: Room,
    control: Control,
    state: State,
    store: Store,
    stream: Stream,
}

impl PacketQueue for Cobalt {
    fn enqueue(&mut self, packet: Queued, in_service: u32, _: &mut Dropped) -> Result<(), DropReason> {
        self.advance(packet.since);
        if !self.room.admits(self.store.waiting(), in_service, packet.packet.size()) {
            self.state.overflow(&self.control, packet.since);
            return Err(DropReason::Full);
        }
        self.store.push(packet);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        self.state.dequeue(&self.control, &mut self.store, &mut self.stream, now, dropped)
    }

    fn waiting(&self) -> (u64, u64) {
        self.store.waiting()
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.store.memory()
    }

    fn advance(&mut self, now: Time) {
        if self.store.is_empty() {
            self.state.rest(&self.control, now);
        }
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let State { count, dropping, .. } = self.state;
        let spacing = self.control.next(Time::ZERO, count).as_secs_f64();
        visit("count", count as f64);
        visit("dropping", f64::from(dropping));
        visit("drop_interval", if dropping { spacing } else { f64::NAN });
        visit("p_drop", self.state.p_drop());
    }

    fn retune(&mut self, spec: &QueueSpec, context: &Context) {
        if let QueueSpec::Cobalt(spec) = spec {
            let fresh = build(spec, context);
            (self.room, self.control) = (fresh.room, fresh.control);
        }
    }
}

#[cfg(test)]
mod tests;
