//! TCP small queues: a limit on the packets that a sender keeps in the queue of its host (Linux 6.18, `tcp_output.c`:
//! `tcp_small_queue_check`, `tcp_wfree` and `tcp_tsq_write`).
//!
//! The first link of a flow stands for the host's device, and its queue for that of the host. A packet counts from when it is
//! sent until it has left this link, or is dropped there. New data waits while the packets that have not left take at least
//! - the data of 1/1024 s at the pacing rate, which a sender that is not paced has, too; or the memory of two super-segments
//!   like the next one, if that is more;
//! - but no more than `limit_output_bytes`, which also holds before the first round-trip sample, when there is no rate.
//!
//! Retransmissions wait at twice this limit. Each packet that leaves lets the sender look again. If at most one segment is
//! outstanding, nothing waits. A super-segment takes the memory of its data, and 832 bytes more: Linux 6.18.44 counts 2,280
//! bytes for a packet with 1,448 bytes of data (`skmem` of `ss`).
//!
//! A sender whose data waits for this reason is not limited by its congestion window, which then does not grow. Its state is
//! shown as paced.
//!
//! A queue can also [refuse](Sender::refuse_packets) packets. A refused packet counts as never sent: new data stays unsent, and a
//! lost segment lost. The window is then reduced as for a mark, unless it is being reduced, beginning with the next ACK
//! (`tcp_transmit_skb` and `tcp_enter_cwr`). The next ACK or timer tries again.
//!
//! Differences from Linux:
//! - probes of the tail, the first retransmission after a timeout and fast retransmissions without RACK do not wait, and a
//!   segment that is still in the host's queue may be sent again (`skb_still_in_host_queue`);
//! - Linux holds nothing back while at most one *super-segment* is outstanding;
//! - other packets of the host do not count: in Linux, pure ACKs of the same connection do;
//! - packets that do not wait are not refused either, and if nothing is outstanding, no timer tries again
//!   (`tcp_check_probe_timer`).

use std::collections::VecDeque;

use ackclock_units::Time;

use super::Sender;
use super::connection::Connection;
use crate::config::{RackRule, SenderConfig};
use crate::limits::Limit;
use crate::packed_option::PackedOption;

/// Memory of a super-segment besides its data, in bytes.
const OVERHEAD: u64 = 832;
/// The time whose data may always be in the queue (`sk_pacing_shift` of 10).
const SPAN: Time = Time::from_picos(Time::SECOND.as_picos() / 1024);

/// The packets of a sender in the queue of its host.
#[derive(Clone, Debug, Default)]
pub(super) struct SmallQueue {
    /// Number of packets of each super-segment that have not left, in the order of sending.
    bursts: VecDeque<u64>,
    packets: u64,
    /// Whether data waits until a packet leaves.
    is_full: bool,
    /// Whether the queue takes no packet.
    refuses: bool,
}

impl SmallQueue {
    /// The state of a sender that limits its packets in the queue, if it does.
    pub(super) fn of(config: &SenderConfig) -> Option<Box<Self>> {
        (config.limit_output_bytes > 0).then(Box::default)
    }

    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of::<Self>() + self.bursts.capacity() * size_of::<u64>()
    }

    /// Memory of the packets in the queue, each with `payload` bytes of data.
    fn used(&self, payload: u64) -> u64 {
        self.packets * payload + self.bursts.len() as u64 * OVERHEAD
    }

    /// Counts a packet that was sent, and may continue the last super-segment.
    fn add(&mut self, continues: bool) {
        self.packets += 1;
        match self.bursts.back_mut().filter(|_| continues) {
            Some(last) => *last += 1,
            None => self.bursts.push_back(1),
        }
    }

    /// No longer counts the packet that was added last.
    fn remove_last(&mut self) {
        let Some(last) = self.bursts.back_mut() else { return };
        *last -= 1;
        self.packets -= 1;
        if *last == 0 {
            self.bursts.pop_back();
        }
    }

    /// Counts a packet that has left.
    fn remove(&mut self) {
        let Some(first) = self.bursts.front_mut() else { return };
        *first -= 1;
        self.packets -= 1;
        if *first == 0 {
            self.bursts.pop_front();
        }
    }
}

/// Memory from which on a super-segment of `count` segments waits; `each` is the time that a segment takes at the pacing
/// rate, if there is one.
fn limit(config: &SenderConfig, count: u64, each: Option<Time>, resends: bool) -> u64 {
    let payload = u64::from(config.data_bytes());
    let two = 2 * (count * payload + OVERHEAD);
    let paced =
        each.map_or(u64::MAX, |each| (payload as f64 * SPAN.as_picos() as f64 / each.as_picos().max(1) as f64) as u64);
    two.max(paced).min(config.limit_output_bytes.into()) << u32::from(resends)
}

impl Connection {
    /// Whether packets are known to be in the queue of the host. The application is then not the limit
    /// (`tcp_rate_check_app_limited`).
    pub(crate) fn has_queued(&self) -> bool {
        self.extra.as_ref().and_then(|extra| extra.small_queue.as_ref()).is_some_and(|queue| queue.packets > 0)
    }

    /// Whether `count` segments from `number` on must wait until packets have left the host. Then records that they wait.
    #[inline(always)]
    pub(super) fn waits_for_queue(&mut self, number: u64, count: u64) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.small_queue.is_some()) && self.is_queue_full(number, count)
    }

    #[inline(never)]
    fn is_queue_full(&mut self, number: u64, count: u64) -> bool {
        let each = self.pacing_interval().or_else(|| self.window_interval());
        let limit = limit(&self.config, count, each, number < self.snd_max);
        let is_alone = self.flight() <= 1;
        let payload = self.config.data_bytes().into();
        let Some(queue) = self.extra.as_mut().and_then(|extra| extra.small_queue.as_mut()) else { return false };
        queue.is_full = queue.refuses || !is_alone && queue.used(payload) >= limit;
        queue.is_full
    }
}

impl Sender {
    /// Whether the sender needs reports of which of its packets are in the queue of its host.
    #[inline(always)]
    pub fn limits_queue(&self) -> bool {
        self.connection.extra.as_ref().is_some_and(|extra| extra.small_queue.is_some())
    }

    /// Lets the queue of the host refuse all packets from now on, or take them again. Has an effect only on senders with
    /// Linux' RACK.
    pub fn refuse_packets(&mut self, refuses: bool) {
        let limit = self.connection.config.limit_output_bytes;
        let Some(extra) = self.connection.extra.as_mut().filter(|_| self.connection.config.rack == RackRule::Linux)
        else {
            return;
        };
        extra.small_queue.get_or_insert_default().refuses = refuses;
        extra.small_queue.take_if(|queue| !queue.refuses && limit == 0);
        self.choose_path();
    }

    /// Ends the turn: data waits until packets have left the host, or its queue has refused a packet.
    #[inline(never)]
    pub(super) fn wait_for_queue(&mut self, now: Time) {
        self.release_at = PackedOption::NONE;
        self.limits.enter(Limit::Pacing, now);
        self.connection.note_usage(self.recovery.in_flight(&self.connection));
        let queue = self.connection.extra.as_ref().and_then(|extra| extra.small_queue.as_ref());
        if queue.is_some_and(|queue| queue.refuses) {
            self.recovery.on_refused(&mut self.connection);
        }
    }

    /// Records that the packet sent last is in the queue of the host.
    pub fn handle_queued(&mut self) {
        let Some(extra) = self.connection.extra.as_mut() else { return };
        let continues = extra.gso.as_ref().is_some_and(|gso| gso.continues());
        if let Some(queue) = &mut extra.small_queue {
            queue.add(continues);
        }
    }

    /// Records that the packet sent last was dropped before it was in the queue of the host.
    pub fn handle_dropped(&mut self) {
        if let Some(queue) = self.connection.extra.as_mut().and_then(|extra| extra.small_queue.as_mut()) {
            queue.remove_last();
        }
    }

    /// Records that the first packet in the queue of the host has left it. Returns whether data waits for this; then
    /// [`poll_transmit`](Self::poll_transmit) must be called.
    pub fn handle_left(&mut self) -> bool {
        let Some(queue) = self.connection.extra.as_mut().and_then(|extra| extra.small_queue.as_mut()) else {
            return false;
        };
        queue.remove();
        std::mem::take(&mut queue.is_full)
    }
}

#[cfg(test)]
mod tests;
