//! The advertised window that opens by auto-tuning: dynamic right-sizing (Fisk and Feng, "Dynamic Right-Sizing in TCP",
//! LACSI 2001) with the rules of Linux 6.18 (`tcp_input.c`).
//!
//! Once per round trip, the receiver compares the number of packets received in it with the most in any earlier one. If
//! it has grown from `m` to `n`, the receive buffer grows to `2n + 4n(n - m)/m` packets, at most `max_window`: twice the
//! data of a round trip, because the count is a round trip old, and room for slow start to double it again
//! (`tcp_rcv_space_adjust`, `tcp_rcvbuf_grow`). The window opens by two packets per packet received until it is as large
//! as the buffer, and each packet that opens it is acknowledged at once (`tcp_grow_window`). It never shrinks, and the
//! right edge never moves back (RFC 9293, section 3.8.6).
//!
//! If the application reads at a rate (`reader.rs`), the packets that it has read in a round trip count, less those that it
//! has not read at its end, and the window opens at most to the free part of the buffer.
//!
//! The round-trip time is the delay of the last packet plus the *way back*: the time from an ACK to the transmission of
//! the first packet that could not be sent without it, because it lies beyond the window advertised before. The shortest
//! way back counts (Fisk and Feng, section 3). A smaller round-trip time is taken at once, a larger one with weight 1/8
//! (`tcp_rcv_rtt_update`). With a handshake, the answer to the SYN gives the first measurement.
//!
//! Differences from Linux:
//! - windows count packets: the overhead of packet buffers is not modelled, and the window is not rounded to its scale;
//! - Linux reads the round-trip time from echoed timestamps. Here packets carry only the time at which they were sent, as
//!   with timestamps, so that the way back is its minimum instead of its current value;
//! - unless the application reads at a rate, packets beyond a gap take no space of the buffer. The buffer still grows for
//!   them (`tcp_data_queue_ofo`);
//! - a round trip ends with an arrival, not with a read;
//! - there is no pressure on memory.

use std::mem::replace;

use ackclock_units::Time;

use super::ReceiverConfig;
use crate::packed_option::PackedOption;

/// Number of packets in a round trip that the initial buffer suffices for (Linux, `TCP_INIT_CWND`).
const INITIAL: u64 = 10;
/// Number of packets by which a packet opens the window.
const STEP: u32 = 2;

/// Data that arrives for the first time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    /// The segment, and when it was sent.
    pub(super) number: u64,
    pub(super) sent: Time,
    /// All segments before `next` have now arrived, and none at or after `end`.
    pub(super) next: u64,
    pub(super) end: u64,
    /// First segment outside all windows advertised so far.
    pub(super) edge: u64,
    /// Number of segments in order that the application has not read, and free part of the buffer.
    pub(super) unread: u64,
    pub(super) free: u64,
}

/// State of a receiver whose window opens by auto-tuning.
#[derive(Clone, Debug)]
pub(super) struct Tuning {
    /// Size of the window (Linux, `rcv_ssthresh`), and of the buffer (`window_clamp`).
    window: u32,
    buffer: u32,
    /// The largest number of packets received in a round trip so far.
    most: u64,
    /// First segment of the current round trip, and when the round trip began.
    from: u64,
    since: PackedOption<Time>,
    /// The first segment that only an ACK sent at `acked_at` or later can have released.
    released: PackedOption<u64>,
    acked_at: Time,
    way_back: PackedOption<Time>,
    rtt: PackedOption<Time>,
}

impl Tuning {
    /// The state at the start of a connection.
    pub(super) fn new(config: &ReceiverConfig) -> Self {
        let window = config.initial_rwnd.min(config.max_window).max(1);
        Self {
            window,
            buffer: config.initial_buffer.min(config.max_window).max(window),
            most: INITIAL.min(window.into()),
            from: 0,
            since: PackedOption::NONE,
            released: PackedOption::NONE,
            acked_at: Time::ZERO,
            way_back: PackedOption::NONE,
            rtt: PackedOption::NONE,
        }
    }

    /// Handles the SYN. Its answer releases the first data.
    pub(super) fn open(&mut self, now: Time) {
        if self.released.is_none() {
            (self.released, self.acked_at) = (PackedOption::some(1), now);
        }
    }

    /// Size of the window, if nothing in the buffer narrows it.
    pub(super) const fn window(&self) -> u32 {
        self.window
    }

    /// Size of the buffer.
    pub(super) const fn buffer(&self) -> u32 {
        self.buffer
    }

    /// Handles data that arrives for the first time. Returns whether the window opens.
    pub(super) fn take(&mut self, arrived: Arrived, now: Time, most: u32) -> bool {
        let Arrived { number, sent, next, end, edge, unread, free } = arrived;
        let in_order = number < next;
        if self.since.is_none() {
            (self.since, self.from) = (PackedOption::some(now), next - u64::from(in_order));
        }
        if in_order {
            self.time(number, sent, edge, now);
        }
        let room = u64::from(self.buffer).min(free) as u32;
        let opens = self.window < room;
        if opens {
            self.window = (self.window + STEP).min(room);
        }
        if !in_order {
            self.grow(self.most, end - next, most);
        } else if let (Some(rtt), Some(since)) = (self.rtt.get(), self.since.get())
            && now.saturating_sub(since) >= rtt
        {
            let read = next - unread;
            let received = read.saturating_sub(self.from + unread);
            if received > self.most {
                self.grow(received, end - next, most);
            }
            (self.since, self.from) = (PackedOption::some(now), read);
        }
        opens
    }

    /// The estimate of the round-trip time, if there is one.
    pub(super) fn rtt(&self) -> Option<Time> {
        self.rtt.get()
    }

    /// Estimates the round-trip time from a segment in order.
    fn time(&mut self, number: u64, sent: Time, edge: u64, now: Time) {
        if self.released.is_none() || self.released.is_at_most(number) {
            if !self.released.is_none() {
                let way = sent.saturating_sub(self.acked_at);
                self.way_back = PackedOption::some(self.way_back.get().map_or(way, |before| before.min(way)));
            }
            (self.released, self.acked_at) = (PackedOption::some(edge), now);
        }
        let Some(way_back) = self.way_back.get() else { return };
        let sample = way_back + now.saturating_sub(sent);
        let eighth = |time: Time| Time::from_picos(time.as_picos() / 8);
        self.rtt = PackedOption::some(match self.rtt.get() {
            Some(rtt) if sample > rtt => rtt - eighth(rtt) + eighth(sample),
            _ => sample,
        });
    }

    /// Grows the buffer after a round trip in which `received` packets arrived. `beyond` is the number of segments from the
    /// next one expected to the last one received.
    fn grow(&mut self, received: u64, beyond: u64, most: u32) {
        let received = received.min(most.into());
        let before = replace(&mut self.most, received).min(received);
        let room = 2 * received + 4 * received * (received - before) / before + beyond;
        self.buffer = self.buffer.max(u32::try_from(room).unwrap_or(u32::MAX).min(most));
    }
}
