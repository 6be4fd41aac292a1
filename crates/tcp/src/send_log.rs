//! Records when each outstanding segment was last sent, and how many times.

use std::ops::Range;

use ackclock_units::Time;
use ackclock_units::prefetch::prefetch;

use crate::ring::Ring;

/// One outstanding segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Time of its last transmission.
    pub(crate) at: Time,
    /// The sender's clock in milliseconds at its first transmission, modulo `2^32`; set when it is sent again.
    pub(crate) first_at: u32,
    /// Number of transmissions, at most [`u16::MAX`].
    pub(crate) transmits: u16,
    /// Where the segment is believed to be; kept by RACK.
    pub(crate) fate: Fate,
    /// Whether RACK has ever counted it as lost.
    pub(crate) was_lost: bool,
}

/// Where an outstanding segment is believed to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// On its way.
    InNetwork,
    /// At the receiver, which has reported it selectively.
    Delivered,
    /// Nowhere, and not yet retransmitted.
    Lost,
}

impl Sent {
    /// The first transmission of a segment.
    #[inline(always)]
    const fn original(at: Time) -> Self {
        Self { at, first_at: 0, transmits: 1, fate: Fate::InNetwork, was_lost: false }
    }

    /// Records another transmission.
    const fn resend(&mut self, at: Time) {
        if self.transmits == 1 {
            self.first_at = milliseconds(self.at);
        }
        self.at = at;
        self.transmits = self.transmits.saturating_add(1);
    }

    /// Time since the last transmission.
    pub(crate) fn elapsed(self, now: Time) -> Time {
        now - self.at
    }

    /// Time since the last transmission if it is a valid sample: the segment was sent once (Karn), and has just been
    /// delivered.
    pub(crate) fn rtt(self, now: Time) -> Option<Time> {
        (self.transmits == 1 && self.fate != Fate::Delivered).then(|| self.elapsed(now))
    }
}

/// The sender's clock of timestamps: whole milliseconds, modulo `2^32` (RFC 7323, section 4.1).
pub(crate) const fn milliseconds(at: Time) -> u32 {
    (at.as_picos() / Time::from_millis(1).as_picos()) as u32
}

/// Outstanding segments, oldest first. The log exists only if the sender's congestion-control law or recovery times
/// every segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct SendLog {
    /// Number of the oldest outstanding segment.
    first: u64,
    sent: Ring<Sent>,
    /// Entries that ns-2's array still holds for acknowledged segments; empty unless `stale_records` is set.
    stale: Vec<Option<Sent>>,
}

impl SendLog {
    /// A log with correct records (`None`), or with the stale entries of an array of `slots` entries, as in ns-2.
    pub(crate) fn new(slots: Option<u32>) -> Self {
        Self { stale: vec![None; slots.unwrap_or(0) as usize], ..Self::default() }
    }

    /// An empty log in the same memory.
    pub(crate) fn emptied(mut self) -> Self {
        self.sent.clear();
        self.stale.fill(None);
        Self { first: 0, ..self }
    }

    /// Heap memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + self.sent.memory() + self.stale.capacity() * size_of::<Option<Sent>>()
    }

    /// Prefetches the first and the last record.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        self.sent.front().into_iter().for_each(prefetch);
        self.sent.get(self.sent.len().wrapping_sub(1)).into_iter().for_each(prefetch);
    }

    /// Records that segment `number` was sent at `at`. Segments must be sent for the first time in ascending order.
    pub(crate) fn record(&mut self, number: u64, at: Time) {
        let index = (number - self.first) as usize;
        debug_assert!(index <= self.sent.len(), "segments are first sent in ascending order");
        if index == self.sent.len() {
            let stale = if self.stale.is_empty() { None } else { self.get(number) };
            let transmits = stale.map_or(0, |stale| stale.transmits).saturating_add(1);
            self.sent.push_back(Sent { transmits, ..Sent::original(at) });
        } else if let Some(sent) = self.sent.get_mut(index) {
            sent.resend(at);
        }
    }

    /// The record of `number`: its last transmission if it is outstanding, otherwise the stale entry in its slot.
    pub(crate) fn get(&self, number: u64) -> Option<Sent> {
        let index = number.checked_sub(self.first)?;
        self.sent.get(index as usize).copied().or_else(|| self.stale[self.slot(number)?])
    }

    /// The record of the first outstanding segment.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<&Sent> {
        self.sent.front()
    }

    /// The record of an outstanding segment.
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut Sent> {
        self.sent.get_mut(number.checked_sub(self.first)? as usize)
    }

    /// Removes all segments before `next`, which are acknowledged. Returns the record of segment `next - 1`.
    pub(crate) fn acknowledge(&mut self, next: u64) -> Option<Sent> {
        if self.stale.is_empty() && self.first < next {
            return self.drain(next, |_| ()).map(|(_, last)| last);
        }
        let last = self.get(next.checked_sub(1)?);
        let wraps = self.slot(self.first) > self.slot(next - 1);
        for number in self.first..next.min(self.first + self.sent.len() as u64) {
            if let Some(slot) = self.slot(number) {
                self.stale[slot] = self.sent.get((number - self.first) as usize).copied().filter(|_| wraps);
            }
        }
        self.sent.remove_front((next - self.first) as usize);
        self.first = next;
        last
    }

    /// Records in a log with correct records that further segments were sent at `at`.
    #[inline(always)]
    pub(crate) fn record_new(&mut self, segments: Range<u64>, at: Time) {
        debug_assert!(self.stale.is_empty(), "RACK's records are correct");
        debug_assert_eq!(segments.start, self.first + self.sent.len() as u64, "each segment is recorded");
        for _ in segments {
            self.sent.push_back(Sent::original(at));
        }
    }

    /// Removes all segments before `next` from a log with correct records if each was sent once and before `now`. Returns
    /// the first and the last one; if the result is `None`, nothing has changed.
    #[inline(always)]
    pub(crate) fn take_originals(&mut self, next: u64, now: Time) -> Option<(Sent, Sent)> {
        let count = next.checked_sub(self.first)? as usize;
        let (first, last) = (*self.sent.front()?, *self.sent.get(count.checked_sub(1)?)?);
        let are_originals = (0..count).all(|index| self.sent.get(index).is_some_and(|sent| sent.transmits == 1));
        if !are_originals || last.at >= now {
            return None;
        }
        self.sent.remove_front(count);
        self.first = next;
        Some((first, last))
    }

    /// Removes all segments before `next` from a log with correct records, and visits each of them. Returns the first and
    /// the last one, if there are any.
    #[inline(always)]
    pub(crate) fn drain(&mut self, next: u64, mut visit: impl FnMut(&Sent)) -> Option<(Sent, Sent)> {
        debug_assert!(self.stale.is_empty(), "RACK's records are correct");
        let first = *self.sent.front()?;
        let mut last = first;
        let count = (next.saturating_sub(self.first) as usize).min(self.sent.len());
        for index in 0..count {
            last = *self.sent.get(index)?;
            visit(&last);
        }
        self.sent.remove_front(count);
        self.first += count as u64;
        Some((first, last))
    }

    /// Index of segment `number` in ns-2's array.
    fn slot(&self, number: u64) -> Option<usize> {
        (number as usize).checked_rem(self.stale.len())
    }
}
