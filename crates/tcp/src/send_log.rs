//! When each outstanding segment was last sent, and how often.

use std::collections::VecDeque;

use ackclock_units::Time;

/// One outstanding segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Its last transmission.
    pub(crate) at: Time,
    /// How often it was sent.
    pub(crate) transmits: u32,
}

impl Sent {
    /// Time since then.
    pub(crate) fn elapsed(self, now: Time) -> Time {
        now - self.at
    }

    /// The same, if it is a valid sample: the segment was sent once (Karn).
    pub(crate) fn rtt(self, now: Time) -> Option<Time> {
        (self.transmits == 1).then(|| self.elapsed(now))
    }
}

/// The outstanding segments, oldest first. Kept only for senders whose law or recovery times every segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct SendLog {
    /// Number of the front segment.
    first: u64,
    sent: VecDeque<Sent>,
    /// What ns-2's array still holds of segments long acknowledged; empty where records are kept right.
    stale: Vec<Option<Sent>>,
}

impl SendLog {
    /// A log that keeps records right, or one that forgets to reset them as an array of `slots` would.
    pub(crate) fn new(slots: Option<u32>) -> Self {
        Self { stale: vec![None; slots.unwrap_or(0) as usize], ..Self::default() }
    }

    /// Bytes of memory that it takes.
    pub(crate) fn held(&self) -> usize {
        size_of::<Self>() + self.sent.capacity() * size_of::<Sent>() + self.stale.capacity() * size_of::<Option<Sent>>()
    }

    /// Segment `number` is sent at `at`. Segments are first sent in order.
    pub(crate) fn record(&mut self, number: u64, at: Time) {
        let index = (number - self.first) as usize;
        if let Some(sent) = self.sent.get_mut(index) {
            sent.at = at;
            sent.transmits += 1;
        } else {
            let stale = self.slot(number).and_then(|slot| self.stale[slot]);
            self.sent.push_back(Sent { at, transmits: 1 + stale.map_or(0, |stale| stale.transmits) });
        }
    }

    /// The record of `number`: of its last transmission, if it is outstanding, or what is left in its place.
    pub(crate) fn get(&self, number: u64) -> Option<Sent> {
        let index = number.checked_sub(self.first)?;
        self.sent.get(index as usize).copied().or_else(|| self.stale[self.slot(number)?])
    }

    /// All segments before `next` are acknowledged; returns the record of the last of them.
    pub(crate) fn acknowledge(&mut self, next: u64) -> Option<Sent> {
        let last = self.get(next.checked_sub(1)?);
        let count = ((next - self.first) as usize).min(self.sent.len());
        let wraps = self.slot(self.first) > self.slot(next - 1);
        for (number, sent) in (self.first..).zip(self.sent.drain(..count)) {
            if let Some(slot) = (number as usize).checked_rem(self.stale.len()) {
                self.stale[slot] = wraps.then_some(sent);
            }
        }
        self.first = next;
        last
    }

    /// Where ns-2 would keep segment `number`.
    fn slot(&self, number: u64) -> Option<usize> {
        (number as usize).checked_rem(self.stale.len())
    }
}
