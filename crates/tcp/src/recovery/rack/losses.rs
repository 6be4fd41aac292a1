//! Finds lost segments: those sent sufficiently before a segment that was delivered (RFC 8985, section 6.2.5).
//!
//! Originals are sent in the order of their numbers, and retransmissions are listed in the order in which they were sent.
//! Both are examined from the earliest on, up to the first segment that is not lost, so that an ACK takes constant time
//! on average. Only while segments may still arrive out of order, the last of them is looked for from the end of the
//! flight.

use std::cell::Cell;
use std::collections::VecDeque;

use ackclock_units::Time;

use super::clock::{Clock, Transmission};
use crate::delivery_rate::DeliveryRate;
use crate::send_log::{Fate, SendLog, Sent};

/// The search for losses.
#[derive(Clone, Debug, Default)]
pub(super) struct Losses {
    /// All originals before this segment are delivered, lost or retransmitted.
    judged: u64,
    /// Retransmissions, in the order of sending. Entries of segments that were delivered or sent again are skipped.
    resent: VecDeque<Transmission>,
    /// No segment before this one is lost. Each search for a lost segment begins there and moves it to what it finds, so that
    /// a paced sender, which asks again and again, does not begin again.
    first: Cell<u64>,
    /// Number of lost segments that are not yet retransmitted.
    count: u64,
    /// Number of outstanding segments that were ever lost, and of those that were ever retransmitted.
    unrepaired: u64,
    retransmitted: u64,
}

/// The outstanding segments.
pub(super) struct Outstanding<'a> {
    pub(super) log: &'a mut SendLog,
    /// The state of delivery-rate sampling, if the law asks for samples.
    pub(super) rate: Option<&'a mut DeliveryRate>,
    pub(super) snd_una: u64,
    pub(super) snd_max: u64,
}

impl Outstanding<'_> {
    /// The record of `number` if that segment is in the network.
    fn in_network(&mut self, number: u64) -> Option<&mut Sent> {
        if number < self.snd_una {
            return None;
        }
        self.log.get_mut(number).filter(|sent| sent.fate == Fate::InNetwork)
    }

    /// The same if it has been sent once.
    fn original(&mut self, number: u64) -> Option<&mut Sent> {
        self.in_network(number).filter(|sent| sent.transmits == 1)
    }
}

impl Losses {
    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.resent.capacity() * size_of::<Transmission>()
    }

    /// Returns to the state before any transmission.
    pub(super) fn clear(&mut self) {
        self.resent.clear();
        *self = Self { resent: std::mem::take(&mut self.resent), ..Self::default() };
    }

    /// Number of lost segments that are not yet retransmitted.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Whether nothing is lost or retransmitted.
    pub(super) const fn is_quiet(&self) -> bool {
        self.unrepaired == 0 && self.retransmitted == 0
    }

    /// Number of outstanding segments that were ever lost.
    pub(super) const fn unrepaired(&self) -> u64 {
        self.unrepaired
    }

    /// Whether a segment was lost and is not yet delivered.
    pub(super) const fn is_any_unrepaired(&self) -> bool {
        self.unrepaired > 0
    }

    /// Marks segments as lost whose deadline has passed at `now`. Returns their number, and the last deadline of the
    /// segments that were sent before a delivered one and may still arrive.
    pub(super) fn detect(
        &mut self,
        outstanding: &mut Outstanding<'_>,
        clock: &Clock,
        window: Time,
        now: Time,
    ) -> (u64, Option<Time>) {
        let Some(latest) = clock.latest else { return (0, None) };
        let before = self.count;
        let deadline = |sent: Transmission| clock.deadline(sent.at, window);
        let mut last = None;
        // originals
        let mut number = self.judged.max(outstanding.snd_una);
        while number < outstanding.snd_max {
            if let Some(sent) = outstanding.original(number) {
                let sent = Transmission { at: sent.at, number };
                if sent >= latest {
                    break;
                }
                if deadline(sent) > now {
                    let mut rest = (number..outstanding.snd_max).rev().filter_map(|number| {
                        let at = outstanding.original(number)?.at;
                        Some(Transmission { at, number }).filter(|sent| *sent < latest)
                    });
                    last = rest.next().map(deadline);
                    break;
                }
                self.mark(outstanding, number);
            }
            number += 1;
        }
        self.judged = number;
        // retransmissions
        while let Some(sent) = self.resent.front().copied() {
            let is_current = outstanding.in_network(sent.number).is_some_and(|record| record.at == sent.at);
            if is_current && sent >= latest {
                break;
            }
            if is_current && deadline(sent) > now {
                let rest = self.resent.iter().rev().find(|sent| **sent < latest).copied().map(deadline);
                last = last.max(rest);
                break;
            }
            if is_current {
                self.mark(outstanding, sent.number);
            }
            self.resent.pop_front();
        }
        (self.count - before, last)
    }

    /// Marks a segment that is in the network as lost.
    pub(super) fn mark(&mut self, outstanding: &mut Outstanding<'_>, number: u64) {
        if let Some(sent) = outstanding.in_network(number) {
            self.unrepaired += u64::from(!sent.was_lost);
            (sent.fate, sent.was_lost) = (Fate::Lost, true);
            self.first.set(if self.count == 0 { number } else { self.first.get().min(number) });
            self.count += 1;
            if let Some(rate) = &mut outstanding.rate {
                rate.on_lost(number);
            }
        }
    }

    /// Marks all segments in the network as lost that were sent before `before`, and the first one in any case.
    pub(super) fn mark_before(&mut self, outstanding: &mut Outstanding<'_>, before: Time) {
        for number in outstanding.snd_una..outstanding.snd_max {
            let is_late = |sent: &mut Sent| sent.at < before || number == outstanding.snd_una;
            if outstanding.log.get_mut(number).is_some_and(is_late) {
                self.mark(outstanding, number);
            }
        }
    }

    /// Whether a retransmission is in the network.
    pub(super) fn is_any_out(&self, outstanding: &mut Outstanding<'_>) -> bool {
        self.resent.iter().any(|sent| outstanding.in_network(sent.number).is_some_and(|record| record.at == sent.at))
    }

    /// The first lost segment.
    pub(super) fn next(&self, log: &SendLog, snd_una: u64, snd_max: u64) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        let is_lost = |number: &u64| log.get(*number).is_some_and(|sent| sent.fate == Fate::Lost);
        let found = (self.first.get().max(snd_una)..snd_max).find(is_lost)?;
        self.first.set(found);
        Some(found)
    }

    /// Records that a segment was delivered.
    pub(super) fn delivered(&mut self, sent: &Sent) {
        self.count -= u64::from(sent.fate == Fate::Lost);
        self.unrepaired -= u64::from(sent.was_lost);
        self.retransmitted -= u64::from(sent.transmits > 1);
    }

    /// Records that segment `number` was retransmitted.
    pub(super) fn resent(&mut self, log: &mut SendLog, number: u64, now: Time) {
        self.resent.push_back(Transmission { at: now, number });
        let Some(sent) = log.get_mut(number) else { return };
        self.retransmitted += u64::from(sent.transmits == 2);
        if sent.fate == Fate::Lost {
            sent.fate = Fate::InNetwork;
            self.count -= 1;
            self.first.set(self.first.get().max(number + 1));
        }
    }

    /// Returns lost segments to the network, because they were not lost.
    pub(super) fn forgive(&mut self, outstanding: &mut Outstanding<'_>) {
        self.resent.clear();
        for number in outstanding.snd_una..outstanding.snd_max {
            if let Some(sent) = outstanding.log.get_mut(number) {
                sent.was_lost = false;
                if sent.fate == Fate::Lost {
                    sent.fate = Fate::InNetwork;
                }
                if sent.fate == Fate::InNetwork && sent.transmits > 1 {
                    self.resent.push_back(Transmission { at: sent.at, number });
                }
            }
        }
        self.resent.make_contiguous().sort_unstable();
        (self.count, self.unrepaired, self.judged) = (0, 0, outstanding.snd_una);
    }
}
