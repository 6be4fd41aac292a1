//! The sender of a call that adapts: an encoder and a pacer.
//!
//! The encoder makes a frame every `1 / rate` seconds. Its pacer (draft-ietf-rmcat-gcc-02, section 4) sends packets in bursts that
//! are [`BURST`] apart, at the bitrate of the control. After each frame the queue of the pacer holds what the bitrate sends until
//! the next one: an encoder whose control of its bitrate is perfect. All packets have the size of the group, so a frame has
//! none at times, and what is missing to a packet counts for the next frame.

use ackclock_units::{Stream, Time};

use super::CallSpec;
use super::arrival::BURST;
use super::rate::{Control, RateControl};
use super::receiver::Report;
use crate::source::{Emission, Source};

#[derive(Clone, Debug)]
pub(crate) struct Call {
    spec: CallSpec,
    /// Bits of a packet on the wire.
    packet: f64,
    control: RateControl,
    /// When the first frame was made, if one was, and the number of frames.
    start: Option<Time>,
    frames: u64,
    /// Bits that the encoder has left for the next frame: less than a packet.
    rest: f64,
    /// Packets in the queue of the pacer, and when the next one may leave.
    queue: u64,
    free: Time,
    /// When the last burst left.
    burst: Option<Time>,
}

impl Call {
    pub(crate) fn new(spec: CallSpec, packet_size: u32) -> Self {
        let (packet, control) = (8.0 * f64::from(packet_size), RateControl::new(&spec));
        Self { spec, packet, control, start: None, frames: 0, rest: 0.0, queue: 0, free: Time::ZERO, burst: None }
    }

    /// Handles a report of the receiver.
    pub(crate) fn adapt(&mut self, report: &Report, now: Time) -> Control {
        self.control.update(report, now)
    }

    /// Time of the next frame.
    fn next_frame(&self, start: Time) -> Time {
        start.saturating_add(Time::from_secs_f64(self.frames as f64 / self.spec.rate))
    }

    /// Adds a frame to the queue.
    fn encode(&mut self) {
        let bits = self.rest + self.control.target() / self.spec.rate;
        let packets = (bits / self.packet).floor();
        self.rest = bits - packets * self.packet;
        self.queue = self.queue.saturating_add(packets as u64);
        self.frames += 1;
    }

    /// Takes the packets that leave at `now` from the queue.
    fn send(&mut self, now: Time) -> u64 {
        let gap = Time::from_secs_f64(self.packet / self.control.target());
        let waiting = self.queue;
        // a pacer that had nothing to send begins again
        self.free = self.free.max(now);
        while self.queue > 0 && self.free < now.saturating_add(BURST) {
            self.free = self.free.saturating_add(gap);
            self.queue -= 1;
        }
        self.burst = Some(now);
        waiting - self.queue
    }
}

impl Source for Call {
    fn emit(&mut self, now: Time, _: &mut Stream) -> Emission {
        let start = *self.start.get_or_insert(now);
        while self.next_frame(start) <= now {
            self.encode();
        }
        let may_send = self.queue > 0 && self.free <= now && self.burst.is_none_or(|burst| now >= burst + BURST);
        let packets = if may_send { self.send(now) } else { 0 };
        let frame = self.next_frame(start);
        let later = self.burst.map_or(now, |burst| burst.saturating_add(BURST)).max(self.free);
        let next = if self.queue > 0 { later.min(frame) } else { frame };
        Emission { packets, next: Some(next.max(now.saturating_add(Time::from_picos(1)))) }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;

    use super::*;

    /// Sends for a second with a constant bitrate; returns the bursts.
    fn bursts(bitrate: u64, size: u32) -> Vec<(Time, u64)> {
        let feedback = Time::from_millis(100);
        let spec = CallSpec { rate: 30.0, least: bitrate, start: bitrate, most: bitrate, feedback };
        let (mut call, mut stream, mut now) = (Call::new(spec, size), Stream::new(1, Role::Source, 0), Time::ZERO);
        let mut bursts = Vec::new();
        while now < Time::SECOND {
            let Emission { packets, next } = call.emit(now, &mut stream);
            bursts.extend((packets > 0).then_some((now, packets)));
            now = next.expect("it goes on");
        }
        bursts
    }

    /// Validates: in each second the bitrate is sent, in bursts at least 5 ms apart with what the bitrate sends in 5 ms, rounded up
    ///     to packets.
    /// Source: draft-ietf-rmcat-gcc-02, section 4, by hand: 1.2 Mb/s are 125 packets of 1,200 bytes per second, and 12 Mb/s
    ///     1,250, of which 6.25 leave in 5 ms.
    /// Tolerance: a packet of a frame.
    #[test]
    fn bursts_have_the_bitrate() {
        for (bitrate, expected, most) in [(1_200_000, 125, 1), (12_000_000, 1_250, 7), (288_000, 30, 1)] {
            let bursts = bursts(bitrate, 1_200);
            let sent: u64 = bursts.iter().map(|(_, packets)| packets).sum();
            assert!(sent.abs_diff(expected) <= 1, "{sent} of {expected}");
            assert!(bursts.windows(2).all(|pair| pair[1].0 - pair[0].0 >= BURST), "{bursts:?}");
            assert!(bursts.iter().all(|(_, packets)| *packets <= most), "{bursts:?}");
        }
    }
}
