//! Packets that arrive.

use ackclock_tcp::{Ack, Block, EcnMode, Sack};
use ackclock_units::Time;

use super::receiving::Answer;
use super::{Progress, Run, Stamps, Step};
use crate::outcome::Stop;
use crate::script::{Flags, Packet};

/// Value of AccECN's counter before the first mark (RFC 9768, section 3.2.1).
const FIRST_COUNT: u8 = 5;

impl Run<'_> {
    pub(super) fn arrive(&mut self, line: u32, packet: &Packet) -> Step {
        let refused = |reason: &str| Err(Stop::inexpressible(line, reason));
        let Packet { flags, .. } = packet;
        if flags.rst {
            return refused("a reset is not modelled");
        }
        if flags.fin {
            return refused("the end of a connection by the peer is not modelled");
        }
        if flags.urg {
            return refused("urgent data is not modelled");
        }
        if self.path.is_some() && self.octets.segments() > 1 {
            return refused("a packet arrives although the script has a path, which carries ACKs");
        }
        match (self.progress, flags.syn, flags.ack) {
            (Progress::Closed, true, false) => {
                self.progress = Progress::Opening { actively: false };
                self.talk.open();
                self.count_step(line)
            }
            (Progress::Opening { actively: true }, true, true) => {
                self.progress = Progress::Open;
                self.answers.push_back(Answer::plain(self.now, 1));
                // the window of a SYN is not scaled
                self.acknowledge(line, packet, 0)
            }
            (Progress::Opening { actively: false } | Progress::Open, false, true) => {
                self.progress = Progress::Open;
                self.acknowledge(line, packet, self.handshake.window_scale)?;
                if packet.length > 0 { self.receive(line, packet) } else { Ok(()) }
            }
            (_, true, _) => refused("a SYN at this time is not modelled"),
            (_, false, false) => refused("a packet without an ACK is not modelled"),
            _ => refused("an ACK before the connection is opened is not modelled"),
        }
    }

    fn acknowledge(&mut self, line: u32, packet: &Packet, scale: u32) -> Step {
        if packet.length == 0 && self.arrivals.is_none() {
            self.draw_arrival(line, packet, scale);
        }
        let acknowledged = u64::from(packet.ack.unwrap_or_default());
        let Some(next) = self.octets.segment_at(acknowledged) else {
            return Err(Stop::inexpressible(line, "an ACK of a part of a segment is not modelled"));
        };
        if acknowledged > self.octets.end() || next > self.talk.snd_max() {
            return Ok(()); // it is for data never sent, and is ignored (RFC 9293, section 3.10.7.4)
        }
        if let Some(other) = &packet.options.other {
            self.skip(line, &format!("the TCP option {other} is not modelled"));
        }
        // a block counts for the segments that it covers (Linux, `tcp_match_skb_to_sack`)
        let blocks = packet.options.sacks.iter().map(|(start, end)| {
            let ([_, start], [end, _]) = (self.octets.around((*start).into()), self.octets.around((*end).into()));
            Block { start, end }
        });
        let blocks: Vec<Block> = blocks.filter(|block| block.start < block.end).collect();
        let bytes = packet.window.map(|window| u64::from(window) << scale);
        if let Some(bytes) = bytes.filter(|bytes| (1..u64::from(self.handshake.payload)).contains(bytes)) {
            let reason = format!("a window of {bytes} bytes, less than a segment, is not modelled");
            return Err(Stop::inexpressible(line, reason));
        }
        let mut sack = Sack::of(&blocks);
        if let Some(bytes) = bytes {
            let segments = bytes / u64::from(self.handshake.payload.max(1));
            sack = sack.with_window(segments.min(u64::from(self.config.max_window)) as u32);
        }
        let ack = Ack { next, sack: &sack, echo: self.echo(packet.flags), original: self.is_original(packet) };
        self.snd_una = self.snd_una.max(next);
        self.talk.acknowledge(ack);
        if self.stamps.retransmitted.is_some_and(|(_, end)| end <= self.snd_una) {
            self.stamps.retransmitted = None;
        }
        self.count_step(line)
    }

    pub(super) fn echo(&self, flags: Flags) -> u8 {
        match self.config.ecn {
            _ if self.snd_una == 0 => 0, // the flags of the handshake negotiate
            EcnMode::Off => 0,
            EcnMode::Classic | EcnMode::Dctcp => flags.ece.into(),
            EcnMode::Accurate => {
                let bits = u8::from(flags.ae) << 2 | u8::from(flags.cwr) << 1 | u8::from(flags.ece);
                (flags.ace.unwrap_or(bits) + 8 - FIRST_COUNT) % 8
            }
        }
    }

    /// Whether the timestamp that an ACK echoes was sent before all outstanding retransmissions (RFC 3522).
    fn is_original(&self, packet: &Packet) -> bool {
        let Some((_, echoed)) = packet.options.timestamp.filter(|_| self.handshake.has_timestamps) else {
            return false;
        };
        let Stamps { base, retransmitted } = self.stamps;
        let Some((value, at)) = base.filter(|_| echoed > 0) else { return false };
        retransmitted.is_none_or(|(first, _)| {
            let millis = |time: Time| (time.as_picos() / Time::from_millis(1).as_picos()) as u32;
            // timestamps wrap around
            let sent = value.wrapping_add(millis(first).wrapping_sub(millis(at)));
            echoed.wrapping_sub(sent).cast_signed() < 0
        })
    }
}
