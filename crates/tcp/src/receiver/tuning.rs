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
//! The round-trip time is the delay of the last packet plus the *way back*: the time from an ACK to the transmission of
//! the first packet that could not be sent without it, because it lies beyond the window advertised before. The shortest
//! way back counts (Fisk and Feng, section 3). A smaller round-trip time is taken at once, a larger one with weight 1/8
//! (`tcp_rcv_rtt_update`). With a handshake, the answer to the SYN gives the first measurement.
//!
//! Differences from Linux:
//! - windows count packets: the overhead of packet buffers is not modelled, and the window is not rounded to its scale;
//! - Linux reads the round-trip time from echoed timestamps. Here packets carry only the time at which they were sent, as
//!   with timestamps, so that the way back is its minimum instead of its current value;
//! - packets beyond a gap take no space of the buffer. The buffer still grows for them (`tcp_data_queue_ofo`);
//! - the application reads at once. The window is thus never zero, and only ACKs advertise it;
//! - there is no pressure on memory.

use std::mem::replace;

use ackclock_units::Time;

use super::ReceiverConfig;
use crate::packed_option::PackedOption;

/// Number of packets in a round trip that the initial buffer suffices for (Linux, `TCP_INIT_CWND`).
const INITIAL: u64 = 10;
/// Number of packets by which a packet opens the window.
const STEP: u32 = 2;

/// State of a receiver whose window opens by auto-tuning.
#[derive(Clone, Debug)]
pub(super) struct Tuning {
    /// Size of the window (Linux, `rcv_ssthresh`), and of the buffer (`window_clamp`).
    window: u32,
    buffer: u32,
    /// First segment outside all windows advertised so far.
    edge: u64,
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
            edge: window.into(),
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

    /// Handles data segment `number`, sent at `sent`, for the first time. All segments before `next` have now arrived, and
    /// none at or after `end`. Returns whether the window opens.
    pub(super) fn take(&mut self, number: u64, sent: Time, (next, end): (u64, u64), now: Time, most: u32) -> bool {
        let in_order = number < next;
        if self.since.is_none() {
            (self.since, self.from) = (PackedOption::some(now), next - u64::from(in_order));
        }
        if in_order {
            self.time(number, sent, now);
        }
        let opens = self.window < self.buffer;
        if opens {
            self.window = (self.window + STEP).min(self.buffer);
        }
        if !in_order {
            self.grow(self.most, end - next, most);
        } else if let (Some(rtt), Some(since)) = (self.rtt.get(), self.since.get())
            && now.saturating_sub(since) >= rtt
        {
            let received = next - self.from;
            if received > self.most {
                self.grow(received, end - next, most);
            }
            (self.since, self.from) = (PackedOption::some(now), next);
        }
        opens
    }

    /// The estimate of the round-trip time, if there is one.
    pub(super) fn rtt(&self) -> Option<Time> {
        self.rtt.get()
    }

    /// Estimates the round-trip time from a segment in order.
    fn time(&mut self, number: u64, sent: Time, now: Time) {
        if self.released.is_none() || self.released.is_at_most(number) {
            if !self.released.is_none() {
                let way = sent.saturating_sub(self.acked_at);
                self.way_back = PackedOption::some(self.way_back.get().map_or(way, |before| before.min(way)));
            }
            (self.released, self.acked_at) = (PackedOption::some(self.edge), now);
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

    /// The window in an ACK for all segments before `next`.
    pub(super) fn advertise(&mut self, next: u64) -> u32 {
        self.edge = self.edge.max(next + u64::from(self.window));
        (self.edge - next) as u32
    }
}
