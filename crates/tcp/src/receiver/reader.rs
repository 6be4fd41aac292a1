//! The application of a receiver that reads at a rate, and the buffer that its data waits in.
//!
//! The application reads a packet, needs the time that the packet's data takes at `read_rate`, and then reads the next one.
//! It waits while there is none. The buffer contains the data in order that it has not read, and the packets beyond a gap.
//!
//! The window follows the free part of the buffer, by the rules of Linux 6.18 (`net/ipv4/tcp_output.c`,
//! `__tcp_select_window` and `tcp_select_window`; `net/ipv4/tcp.c`, `__tcp_cleanup_rbuf`; `net/ipv4/tcp_input.c`,
//! `__tcp_ack_snd_check` and `tcp_data_queue`):
//!
//! - the right edge never moves back (RFC 9293, section 3.8.6), and it does not move while less than a 16th of the buffer, or
//!   no packet, is free: a silly window is avoided (section 3.8.6.2.2, which asks for half of the buffer or one packet);
//! - a read sends an ACK if it lets the window grow to at least twice its present size: a window update;
//! - enough packets for a delayed ACK (`ack_every`) are acknowledged at once only if the window would not become smaller
//!   than the last one advertised; otherwise the next read sends their ACK, or the timer does;
//! - the ACK of a pushed packet waits until everything has been read;
//! - there are no quick ACKs while less than half of the buffer is free;
//! - a packet beyond the window is discarded and acknowledged at once, and so is a probe, which is empty
//!   (`tcp_validate_incoming`; RFC 9293, section 3.10.7.4), but not one less than 0.5 s after the last one answered
//!   (`tcp_invalid_ratelimit`).
//!
//! Differences from Linux:
//! - the buffer counts packets: the overhead of packet buffers is not modelled, and the window is not rounded to its scale;
//! - a packet that has been read no longer takes space. Linux joins packets that wait, and frees their space together
//!   (`tcp_try_coalesce`);
//! - the application reads one packet at a time.

use std::mem::replace;

use ackclock_units::Time;

use super::ReceiverConfig;

/// The part of the buffer that must be free before the window opens, as a divisor.
const LEAST_PART: u64 = 16;

/// Least time between the answers to two probes (`tcp_invalid_ratelimit`).
const BETWEEN_ANSWERS: Time = Time::from_millis(500);

/// State of an application that reads at a rate.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    /// Time that the application needs for a packet.
    interval: Time,
    /// When it has finished with the last packet that it read.
    ready: Time,
    /// Number of packets in order that it has not read, and number of all packets in the buffer.
    unread: u64,
    held: u64,
    /// Whether it has read since it was last [asked](Self::answers) for an ACK.
    has_read: bool,
    /// Whether a pushed packet is not acknowledged.
    pushed: bool,
    /// When a probe was last answered.
    answered: Option<Time>,
}

/// What the ACK that waits depends on, besides the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    /// Number of packets in the present window.
    pub(super) window: u64,
    /// The largest window that may be advertised, and the size of the buffer.
    pub(super) most: u64,
    pub(super) buffer: u64,
    /// Whether an ACK waits, and whether it does so for enough packets.
    pub(super) waits: bool,
    pub(super) is_due: bool,
}

impl Reader {
    /// An application that has nothing to read.
    pub(super) fn new(config: &ReceiverConfig) -> Option<Self> {
        let interval = config.read_rate?.transmission_time(config.data_bytes.max(1));
        Some(Self { interval, ready: Time::ZERO, unread: 0, held: 0, has_read: false, pushed: false, answered: None })
    }

    /// Reads what there has been time for until `now`. Returns whether that was anything.
    pub(super) fn read(&mut self, now: Time) -> bool {
        if self.unread == 0 || now < self.ready {
            return false;
        }
        let time = (now - self.ready).as_picos() / self.interval.as_picos();
        let packets = self.unread.min(time + 1);
        self.ready = self.ready.saturating_add(self.interval.saturating_mul(packets));
        self.unread -= packets;
        self.held -= packets;
        self.has_read = true;
        true
    }

    /// Takes a packet that was missing into the buffer; `in_order` packets can be read now.
    pub(super) fn take(&mut self, in_order: u64, pushed: bool, now: Time) {
        self.held += 1;
        self.pushed |= pushed && in_order > 0;
        if self.unread == 0 {
            self.ready = self.ready.max(now);
        }
        self.unread += in_order;
        self.read(now);
    }

    /// Number of packets in order that have not been read.
    pub(super) const fn unread(&self) -> u64 {
        self.unread
    }

    /// Free part of the buffer, in packets.
    pub(super) const fn free(&self, buffer: u64) -> u64 {
        buffer.saturating_sub(self.held)
    }

    /// The window that the free part of the buffer allows, at most `most` packets.
    pub(super) fn window(&self, most: u64, buffer: u64) -> u64 {
        let free = self.free(buffer);
        if free < least(buffer) { 0 } else { free.min(most) }
    }

    /// Whether a probe that arrives at `now` is answered.
    pub(super) fn answers_probe(&mut self, now: Time) -> bool {
        let is_late = self.answered.is_none_or(|last| now.saturating_sub(last) >= BETWEEN_ANSWERS);
        if is_late {
            self.answered = Some(now);
        }
        is_late
    }

    /// Records that an ACK is sent.
    pub(super) const fn on_ack(&mut self) {
        (self.pushed, self.has_read) = (false, false);
    }

    /// Whether an ACK must be sent now because the application has read.
    pub(super) fn answers(&mut self, pending: Pending) -> bool {
        replace(&mut self.has_read, false) && self.reads_before_ack(pending) == Some(0)
    }

    /// When a read sends an ACK, if no more data arrives before.
    pub(super) fn acknowledges_at(&self, pending: Pending) -> Option<Time> {
        let reads = self.reads_before_ack(pending)?.max(1);
        (reads <= self.unread).then(|| self.ready.saturating_add(self.interval.saturating_mul(reads - 1)))
    }

    /// Number of reads after which an ACK is sent, if one is.
    fn reads_before_ack(&self, pending: Pending) -> Option<u64> {
        let Pending { window, most, buffer, waits, is_due } = pending;
        if is_due {
            return Some(0);
        }
        let needed = least(buffer).max(2 * window);
        let opens = (2 * window <= most.min(buffer)).then(|| needed.saturating_sub(self.free(buffer)));
        let all = (waits && self.pushed).then_some(self.unread);
        opens.into_iter().chain(all).min()
    }
}

/// Number of packets that must be free before the window opens.
const fn least(buffer: u64) -> u64 {
    buffer.div_ceil(LEAST_PART)
}

#[cfg(test)]
mod tests {
    use ackclock_units::Rate;

    use super::*;

    /// A full buffer of 320 packets, of which 20 must be free before the window opens, and a window of at most 10 packets.
    ///
    /// Validates: the window opens with the read of the 20th packet, to 10 packets; a window of 4 is updated at once, and one of
    ///     6 never, as it cannot become twice as large.
    /// Source: Linux, `__tcp_cleanup_rbuf` and `__tcp_select_window`.
    /// Tolerance: exact.
    #[test]
    fn a_window_that_is_tuned_below_a_16th_of_the_buffer_opens() {
        let config =
            ReceiverConfig { read_rate: Rate::from_bps(11_680_000), data_bytes: 1460, ..ReceiverConfig::default() };
        let mut reader = Reader::new(&config).expect("it reads at a rate");
        (reader.unread, reader.held) = (320, 320);
        let pending = |window| Pending { window, most: 10, buffer: 320, waits: false, is_due: false };
        assert_eq!(reader.acknowledges_at(pending(0)), Some(Time::from_millis(19)));
        reader.read(Time::from_millis(18));
        assert!(!reader.answers(pending(0)));
        reader.read(Time::from_millis(19));
        assert!(reader.answers(pending(0)));
        assert_eq!(reader.window(10, 320), 10);
        assert_eq!(reader.reads_before_ack(pending(4)), Some(0));
        assert_eq!(reader.reads_before_ack(pending(6)), None);
    }
}
