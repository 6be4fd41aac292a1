//! The load of links: how many packets they hold.

use ackclock_units::Time;

use super::traffic::rate;
use crate::backlog::Backlog;
use crate::extra_delay::ExtraDelay;
use crate::plan::LinkSpec;
use crate::queue::Limit;
use crate::served::ServedLink;

/// Number of packets that may occasionally wait at a link that is not overloaded.
const FEW: f64 = 1_000.0;

/// The load of a link.
pub(super) struct Load<'a> {
    pub(super) link: &'a LinkSpec,
    pub(super) copies: f64,
    /// Smallest packet size in bytes, and whether all sizes are equal.
    pub(super) size: f64,
    pub(super) is_alike: bool,
    pub(super) in_flight: f64,
    /// Packets in flight that occupy memory until they have crossed the link. Datagrams on their last link are
    /// excluded if it keeps their order: they are delivered as soon as the link accepts them.
    pub(super) held: f64,
    /// Upper limits of the packets offered to the link: per second (`offered`), and in total (`packets`).
    pub(super) offered: f64,
    pub(super) packets: f64,
    /// Whether a whole window of packets may arrive at once.
    pub(super) bursts: bool,
}

impl Load<'_> {
    /// Maximum rate of the link in packets per second.
    fn rate(&self) -> f64 {
        let shaped = self.link.shaper.map_or(f64::INFINITY, |shaper| shaper.rate.as_bps() as f64);
        self.copies * rate(self.link).min(shaped) / 8.0 / self.size
    }

    /// Packets that wait for the link.
    fn waits(&self) -> f64 {
        let limit = self.copies
            * match self.link.queue.limit() {
                Limit::Packets(packets) => packets as f64,
                Limit::Bytes(bytes) => bytes as f64 / self.size,
            };
        let seconds = if self.offered > 0.0 { self.packets / self.offered } else { 0.0 };
        let over = (self.offered - self.rate()).max(0.0) * if seconds.is_nan() { f64::INFINITY } else { seconds };
        let most = if self.bursts { limit } else { over + FEW * self.copies };
        limit.min(most).min(self.in_flight)
    }

    /// Packets that wait for the link or are crossing it.
    pub(super) fn holds(&self) -> f64 {
        (self.waits() + self.crossing() + 2.0 * self.copies).min(self.held)
    }

    /// Packets between the end of their transmission and their arrival.
    fn crossing(&self) -> f64 {
        self.rate().min(self.offered) * longest_delay(self.link)
    }

    /// Bytes that the link and its discipline store for waiting packets (none if all have one size and the discipline
    /// stores and measures none), and for packets that may overtake each other.
    pub(super) fn runs(&self) -> f64 {
        let is_steady = self.link.has_constant_rate();
        let waiting = match () {
            () if self.link.queue.is_stored() => self.waits() * ServedLink::BYTES_OF_PACKET as f64,
            () if self.is_alike && is_steady => 0.0,
            () => self.waits() * Backlog::BYTES_OF_RUN as f64,
        };
        let measured = self.waits() * self.link.queue.bytes_of_packet() as f64;
        let pending = if self.link.keeps_order() { 0.0 } else { self.crossing() * ExtraDelay::BYTES_OF_PACKET as f64 };
        waiting + measured + pending
    }

    /// Number of links with pending packets of several sizes, or that always have the long form. A client's own link
    /// has packets of several sizes only while a connection opens.
    pub(super) fn long_links(&self) -> f64 {
        let is_constant = self.link.has_constant_rate() && self.link.has_constant_delay();
        let is_plain = is_constant && self.link.queue.is_memoryless() && self.link.loses_none();
        if is_plain && self.is_alike && self.copies > 1.0 { 0.0 } else { self.copies }
    }

    /// Upper limit of the packets that the link sends in total.
    pub(super) fn sent(&self, seconds: f64) -> f64 {
        self.packets.min(self.rate() * seconds)
    }
}

/// Longest propagation delay of a link, in seconds.
fn longest_delay(LinkSpec { delay, jitter, reorder, .. }: &LinkSpec) -> f64 {
    let jitter = jitter.map_or(Time::ZERO, |jitter| jitter.max);
    let held = reorder.map_or(Time::ZERO, |reorder| reorder.delay);
    delay.as_secs_f64() + jitter.as_secs_f64() + held.as_secs_f64()
}
