//! SACK compression of Linux 6.18 (`net/ipv4/tcp_input.c`, `__tcp_ack_snd_check`; `net/ipv4/tcp_timer.c`,
//! `tcp_compressed_ack_kick`): the ACKs of packets beyond a gap wait for a short time, so that one ACK replaces many.
//!
//! - The first three ACKs for the same next segment are sent at once (`dup_ack_counter`), so that fast retransmit is not
//!   delayed. The ACK of a packet that leaves a gap open is the first of them.
//! - A later ACK waits for `sack_compression_delay`, but at most for `sack_compression_rtt_percent` of the round-trip time,
//!   and for `sack_compression_slack` more: the timer of high resolution fires with its slack, since no other timer is due
//!   on an idle machine. In the kernel's traces (validation/linux/data), these ACKs come 1.1 ms after their packets.
//! - Once `sack_compression` ACKs wait, the next packet is acknowledged at once.
//! - If the connection began with `quick_acks`, the first packet beyond a gap after them is acknowledged at once, besides the
//!   three. Packets in order open the window to what their own memory leaves free (`tcp_event_data_recv`, after
//!   `tcp_queue_rcv`). A packet beyond a gap opens it before its memory counts (`tcp_data_queue_ofo`), so the first one
//!   finds room for a last step, which requires a quick ACK (`tcp_grow_window`).
//! - A packet of the third or a later run in the list of runs, or of a new run if there are two, first releases the ACK that
//!   waits (`tcp_sack_new_ofo_skb`, `TCP_SACK_BLOCKS_EXPECTED`): each run is reported as one of the first two.
//! - Quick ACKs, packets in order, duplicates of such packets and urgent feedback about marks do not wait, and their ACKs
//!   replace the one that waits. Another packet removes the report of a duplicate beyond the gap that waits
//!   (`tcp_data_queue`).
//!
//! The round-trip time is the one of the handshake, or the one of auto-tuning if that is smaller. If both are unknown, the
//! delay is the longest one.
//!
//! Differences from Linux:
//! - with auto-tuning, there is no last step of the window after each growth of the buffer;
//! - the ACK that a packet releases does not report the packet's mark, and the packet's own ACK, if it does not wait, follows
//!   through the timer at the same time;
//! - without auto-tuning, a round-trip time that falls below the one of the handshake is not noticed
//!   (`tcp_rcv_rtt_measure_ts`).

use std::mem::replace;

use ackclock_units::Time;

use super::ReceiverConfig;
use crate::packed_option::PackedOption;

/// Number of ACKs for the same segment that are sent at once (`TCP_FASTRETRANS_THRESH`).
const AT_ONCE: u32 = 3;
/// Number of runs that an ACK is expected to report (`TCP_SACK_BLOCKS_EXPECTED`).
pub(super) const EXPECTED_BLOCKS: usize = 2;

/// State of a receiver that compresses SACKs.
#[derive(Clone, Debug)]
pub(super) struct Compression {
    /// Whether the next packet beyond a gap opens the window for the last time.
    opens: bool,
    /// Number of ACKs sent at once for the segment `next`.
    at_once: u32,
    next: PackedOption<u64>,
    /// The duplicate that the ACK that waits reports.
    pub(super) again: PackedOption<u64>,
}

impl Compression {
    /// The state at the start of a connection.
    pub(super) const fn new(config: &ReceiverConfig) -> Self {
        let opens = config.quick_acks > 0 && !config.tunes();
        Self { opens, at_once: 0, next: PackedOption::NONE, again: PackedOption::NONE }
    }

    /// Whether an ACK for segment `next` may wait. Counts it otherwise.
    pub(super) fn may_wait(&mut self, next: u64) -> bool {
        if replace(&mut self.opens, false) {
            return false;
        }
        let next = PackedOption::some(next);
        if self.next != next {
            (self.next, self.at_once) = (next, 0);
        }
        let may_wait = self.at_once >= AT_ONCE;
        self.at_once += u32::from(!may_wait);
        may_wait
    }
}

/// How long an ACK waits with a round-trip time.
pub(super) fn wait(rtt: Option<Time>, config: &ReceiverConfig) -> Time {
    let share =
        |rtt: Time| Time::from_picos(rtt.as_picos().saturating_mul(config.sack_compression_rtt_percent.into()) / 100);
    let longest = config.sack_compression_delay;
    rtt.map_or(longest, |rtt| share(rtt).min(longest)).saturating_add(config.sack_compression_slack)
}
