//! The ACKs that wait: delayed ACKs (RFC 5681, section 4.2), and Linux's quick ACKs (`tcp_input.c`), which do not wait.
//!
//! Linux acknowledges each packet while its receive window grows (`tcp_grow_window`), and 16 packets
//! (`TCP_MAX_QUICKACKS`) after a duplicate of a packet in order (`tcp_send_dupack`, `tcp_data_queue`) or a pause
//! (`tcp_event_data_recv`). The ACK of the duplicate is one of the 16 only if an ACK was due anyway, or if the duplicate is
//! the last packet that was acknowledged (`tcp_dec_quickack_mode`). Marks cause two quick ACKs (`echo.rs`).
//!
//! Differences from Linux:
//! - if the window is fixed, the packets during its growth are a number;
//! - unless `delayed_ack_rule` is `linux` (`adaptive.rs`), the timer is fixed, and a pause is compared with a fixed time
//!   instead of the receiver's retransmission timeout; then any data ends it, not only data in order;
//! - unless the application reads at a rate, a pushed segment is acknowledged at once, as if it read it and never wrote
//!   (`tcp_measure_rcv_mss`, `__tcp_cleanup_rbuf`).

use ackclock_units::Time;

use super::ReceiverConfig;
use crate::packed_option::PackedOption;

/// State of a receiver that delays ACKs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    /// When the ACK that waits must be sent.
    pub(super) deadline: PackedOption<Time>,
    /// Arrival of the last data, if pauses matter.
    last: PackedOption<Time>,
    /// Number of new packets to acknowledge at once.
    pub(super) quick: u32,
    /// Number of packets whose ACK waits for further packets, and number of ACKs for packets beyond a gap that wait
    /// (`compression.rs`).
    waiting: u16,
    pub(super) held: u16,
}

/// What data requires of a receiver that may send quick ACKs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// Whether it requires a quick ACK.
    pub(super) is_quick: bool,
    /// Whether the adaptive delay begins again with its least value (`adaptive.rs`).
    pub(super) deflates: bool,
}

impl Delay {
    /// State at the start of a connection, in which `quick` packets are acknowledged at once.
    pub(super) const fn new(quick: u32) -> Self {
        Self { deadline: PackedOption::NONE, last: PackedOption::NONE, quick, waiting: 0, held: 0 }
    }

    /// Counts segment `number` of a receiver that may send quick ACKs; the next one expected is now `next`. `paused` states
    /// whether it came after a pause, if not the time since the last one decides.
    #[inline(always)]
    pub(super) fn count(
        &mut self,
        (number, next): (u64, u64),
        duplicate: bool,
        paused: Option<bool>,
        now: Time,
        config: &ReceiverConfig,
    ) -> Counted {
        if config.quick_acks_again > 0 {
            let is_late = paused.unwrap_or_else(|| self.last.is_below(now.saturating_sub(config.quick_acks_pause)));
            self.last = PackedOption::some(now);
            if duplicate && number < next {
                let is_one_of_them = self.waiting > 0 || number + 1 == next;
                self.quick = self.quick.max(config.quick_acks_again - u32::from(is_one_of_them));
                return Counted { is_quick: true, deflates: true };
            }
            if is_late {
                self.quick = self.quick.max(config.quick_acks_again);
            }
        }
        let is_quick = !duplicate && self.quick > 0;
        self.quick -= u32::from(is_quick);
        Counted { is_quick, deflates: is_quick && self.quick == 0 }
    }

    /// Requires a quick ACK for this packet, since it opens the window (Linux, `tcp_grow_window`).
    pub(super) const fn acknowledge_once(&mut self) {
        self.quick |= 1;
    }

    /// Number of packets in order whose ACK waits.
    pub(super) const fn waiting(&self) -> u16 {
        self.waiting
    }

    /// Delays an ACK of `count` packets until `deadline`.
    pub(super) fn wait(&mut self, deadline: Time, count: u16) {
        self.send_until(deadline);
        self.waiting = self.waiting.saturating_add(count);
    }

    /// Whether the ACK of packets in order waits.
    pub(super) const fn is_delayed(&self) -> bool {
        self.waiting > 0
    }

    /// Lets the ACK of a packet beyond a gap wait until `deadline`.
    pub(super) fn hold(&mut self, deadline: Time) {
        self.send_until(deadline);
        self.held += 1;
    }

    /// Moves the deadline to an earlier time. With an adaptive delay, a later packet may have an earlier deadline.
    pub(super) fn send_until(&mut self, deadline: Time) {
        if !self.deadline.is_at_most(deadline) {
            self.deadline = PackedOption::some(deadline);
        }
    }

    /// Stops waiting, because an ACK is sent.
    pub(super) const fn stop(&mut self) {
        (self.deadline, self.waiting, self.held) = (PackedOption::NONE, 0, 0);
    }
}
