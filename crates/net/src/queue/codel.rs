//! CoDel: Nichols, Jacobson, McGregor and Iyengar, "Controlled Delay Active Queue Management" (RFC 8289, 2018), section 5.
//!
//! When a packet leaves the queue, its sojourn time is compared with `target`. Once sojourn times have been at least
//! `target` for `interval`, CoDel drops a packet at the head and enters the dropping state. In this state the next drop
//! follows `interval / sqrt(count)` later, where `count` is the number of drops in this state, until a packet's sojourn
//! time is below `target` or at most `mtu` bytes are left in the queue. If CoDel returns to the dropping state soon (16
//! intervals), `count` continues near its last value.
//!
//! Differences from the RFC:
//! - `ecn` marks ECN-capable packets instead of dropping them (the RFC suggests this and gives no code). A marked packet
//!   leaves at once; count and time of the next mark change as at a drop. This is Linux's rule.
//! - `ce_threshold`, from Linux, also marks every ECN-capable packet whose sojourn time is above this value.
//! - The RFC compares the bytes left with the largest packet seen, here with the parameter `mtu`, as in Linux.
//! - A full queue drops the arriving packet; the RFC leaves the limit to the queue.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use super::stored::{Dropped, PacketQueue, Queued, Room, Store};
use super::{Context, DropReason, Limit, Parameter, ParameterKind, QueueSpec, Spec};

pub(super) const DOC: &str = "Controlled delay: drops at the head while packets wait too long (RFC 8289)";

/// The longest time that a parameter may be.
const LONGEST: u64 = Time::SECOND.as_picos() * 1_000;

pub(super) const TARGET: Parameter = Parameter {
    name: "target",
    doc: "Waiting time that packets may always have",
    kind: ParameterKind::Time { min: 0, max: LONGEST, default: Some(Time::from_millis(5).as_picos()), or: None },
};

pub(super) const INTERVAL: Parameter = Parameter {
    name: "interval",
    doc: "Time for which packets must wait longer than target before the first drop",
    kind: ParameterKind::Time {
        min: Time::from_micros(1).as_picos(),
        max: LONGEST,
        default: Some(Time::from_millis(100).as_picos()),
        or: None,
    },
};

pub(super) const MTU: Parameter = Parameter {
    name: "mtu",
    doc: "Nothing is dropped if at most this number of bytes is left in the queue",
    kind: ParameterKind::Whole { min: 0, max: 1_000_000, default: 1500 },
};

pub(super) const fn ecn(default: bool) -> Parameter {
    Parameter {
        name: "ecn",
        doc: "Mark ECN-capable packets instead of dropping them",
        kind: ParameterKind::Flag { default },
    }
}

pub(super) const CE_THRESHOLD: Parameter = Parameter {
    name: "ce_threshold",
    doc: "Mark each ECN-capable packet that has waited longer than this; off: none",
    kind: ParameterKind::Time { min: 0, max: LONGEST, default: None, or: Some("off") },
};

pub(super) const PARAMETERS: &[Parameter] = &[TARGET, INTERVAL, MTU, ecn(false), CE_THRESHOLD];

/// The parameters of CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodelSpec {
    /// Capacity.
    pub limit: Limit,
    /// Whether the packet in transmission counts towards the limit.
    pub count_in_service: bool,
    /// Waiting time that packets may always have.
    pub target: Time,
    /// Time for which packets must wait longer than `target` before the first drop.
    pub interval: Time,
    /// Nothing is dropped if at most this number of bytes is left.
    pub mtu: u64,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Mark each ECN-capable packet that has waited longer than this.
    pub ce_threshold: Option<Time>,
}

impl Spec for CodelSpec {
    fn marks(&self) -> bool {
        self.ecn || self.ce_threshold.is_some()
    }

    fn fixed(&self) -> Option<&'static [&'static str]> {
        Some(&[])
    }
}

pub(super) fn build(spec: &CodelSpec, _: &Context) -> Codel {
    let CodelSpec { limit, count_in_service, target, interval, mtu, ecn, ce_threshold } = *spec;
    let control = Control { target, interval, mtu, ecn, ce_threshold };
    Codel { room: Room { limit, count_in_service }, control, state: State::default(), store: Store::default() }
}

/// The parameters of the control law.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    pub(super) target: Time,
    pub(super) interval: Time,
    pub(super) mtu: u64,
    pub(super) ecn: bool,
    pub(super) ce_threshold: Option<Time>,
}

/// The state of the control law, in the RFC's names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// Time from which on a packet may be dropped; `None` if the last packet waited less than `target`.
    first_above_time: Option<Time>,
    drop_next: Time,
    count: u64,
    lastcount: u64,
    dropping: bool,
}

impl State {
    /// Whether the state is the dropping state.
    pub(super) const fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// Counts packets that were dropped for another reason.
    pub(super) const fn add(&mut self, drops: u64) {
        self.count += drops;
    }

    /// Removes the next packet of a queue that is not dropped.
    #[inline(always)]
    pub(super) fn dequeue(
        &mut self,
        control: &Control,
        store: &mut Store,
        now: Time,
        dropped: &mut Dropped,
    ) -> Option<Queued> {
        let is_late = self.is_late(control, store, now);
        if is_late || self.dropping {
            self.drop_late(is_late, control, store, now, dropped);
        }
        let mut packet = store.pop()?;
        if control.ce_threshold.is_some_and(|threshold| now - packet.since > threshold) {
            packet.mark();
        }
        Some(packet)
    }

    /// Drops packets at the head, until the one that leaves is there. `is_late` is whether the first one may be dropped.
    #[inline(never)]
    fn drop_late(&mut self, mut is_late: bool, control: &Control, store: &mut Store, now: Time, dropped: &mut Dropped) {
        if self.dropping {
            while is_late && now >= self.drop_next {
                self.count += 1;
                if control.marks(store) {
                    self.drop_next = control.next(self.drop_next, self.count);
                    break;
                }
                dropped.extend(store.pop().map(|packet| (packet, DropReason::Early)));
                is_late = self.is_late(control, store, now);
                if is_late {
                    self.drop_next = control.next(self.drop_next, self.count);
                }
            }
            self.dropping = is_late;
        } else {
            if !control.marks(store) {
                dropped.extend(store.pop().map(|packet| (packet, DropReason::Early)));
                self.is_late(control, store, now);
            }
            self.dropping = true;
            // soon after the last dropping state, its rate is a better start than the lowest one (RFC 8289, section 5.5)
            let delta = self.count - self.lastcount;
            let is_soon = now.saturating_sub(self.drop_next) < control.interval.saturating_mul(16);
            self.count = if delta > 1 && is_soon { delta } else { 1 };
            self.drop_next = control.next(now, self.count);
            self.lastcount = self.count;
        }
    }

    /// Whether the packet at the head, which is about to leave, may be dropped (`dodequeue` in the RFC).
    #[inline(always)]
    fn is_late(&mut self, control: &Control, store: &Store, now: Time) -> bool {
        let is_above = store.front().is_some_and(|packet| {
            let left = store.bytes() - u64::from(packet.packet.size());
            now - packet.since >= control.target && left > control.mtu
        });
        if !is_above {
            self.first_above_time = None;
            return false;
        }
        now >= *self.first_above_time.get_or_insert(now.saturating_add(control.interval))
    }
}

impl Control {
    /// Marks the packet at the head, which would be dropped, if marks are on and the packet is ECN-capable.
    fn marks(&self, store: &mut Store) -> bool {
        self.ecn && store.front_mut().is_some_and(Queued::mark)
    }

    /// Time of the drop after one at `last`, which is number `count` (`control_law` in the RFC).
    fn next(&self, last: Time, count: u64) -> Time {
        last.saturating_add(Time::from_picos((self.interval.as_picos() as f64 / (count as f64).sqrt()) as u64))
    }
}

#[derive(Debug)]
pub(super) struct Codel {
    room: Room,
    control: Control,
    state: State,
    store: Store,
}

impl PacketQueue for Codel {
    fn enqueue(&mut self, packet: Queued, in_service: u32, _: &mut Dropped) -> Result<(), DropReason> {
        if !self.room.admits(self.store.waiting(), in_service, packet.packet.size()) {
            return Err(DropReason::Full);
        }
        self.store.push(packet);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<Queued> {
        self.state.dequeue(&self.control, &mut self.store, now, dropped)
    }

    fn waiting(&self) -> (u64, u64) {
        self.store.waiting()
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.store.memory()
    }

    fn gauges(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let State { count, lastcount, dropping, .. } = self.state;
        let spacing = self.control.next(Time::ZERO, count).as_secs_f64();
        visit("count", count as f64);
        visit("lastcount", lastcount as f64);
        visit("dropping", f64::from(dropping));
        visit("drop_interval", if dropping { spacing } else { f64::NAN });
    }

    fn retune(&mut self, spec: &QueueSpec, context: &Context) {
        if let QueueSpec::Codel(spec) = spec {
            let fresh = build(spec, context);
            (self.room, self.control) = (fresh.room, fresh.control);
        }
    }
}

#[cfg(test)]
mod tests;
