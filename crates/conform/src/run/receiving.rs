//! Data that arrives, and the ACKs that the host's receiver sends.
//!
//! All segments have the size of the first one that arrives, except for the last one, which may be shorter.

use ackclock_tcp::{EcnMode, Mark, ReceiverConfig};
use ackclock_units::Time;

use super::expecting::Span;
use super::{Run, Step};
use crate::host::{Host, OwnAck};
use crate::info::seconds;
use crate::outcome::Stop;
use crate::picture::Status;
use crate::script::{EcnWord, Packet};

/// The receiving side.
#[derive(Debug)]
pub(super) struct Arrivals {
    host: Host,
    /// Bytes in a segment.
    size: u32,
    /// Number and size of the last segment, if it is shorter.
    short: Option<(u64, u32)>,
}

/// An ACK that the host sends, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) at: Time,
    pub(super) next: u32,
    pub(super) sacks: Vec<(u32, u32)>,
    pub(super) echo: bool,
}

impl Answer {
    /// An ACK without blocks.
    pub(super) const fn plain(at: Time, next: u32) -> Self {
        Self { at, next, sacks: Vec::new(), echo: false }
    }
}

impl Arrivals {
    pub(super) fn due(&self) -> Option<Time> {
        self.host.due()
    }

    /// The ACK that is due, if the timer sends one.
    pub(super) fn act(&mut self, now: Time) -> Option<Answer> {
        let ack = self.host.act()?;
        Some(self.answer(ack, now))
    }

    /// The number of a segment of the peer.
    fn number(&mut self, packet: &Packet) -> Result<u64, &'static str> {
        let offset = packet.start.checked_sub(1).ok_or("data in a SYN is not modelled")?;
        if offset % self.size != 0 || packet.length > self.size {
            return Err("segments of the peer that differ in size are not modelled, except for a shorter last one");
        }
        let number = 1 + u64::from(offset / self.size);
        let is_after = self.short.is_some_and(|(short, _)| number > short);
        if is_after || self.short.is_some_and(|(short, bytes)| number == short && bytes != packet.length) {
            return Err("data after a short segment of the peer is not modelled");
        }
        if packet.length < self.size {
            self.short = Some((number, packet.length));
        }
        Ok(number)
    }

    /// The sequence number of the first byte of a segment.
    fn start(&self, segment: u64) -> u32 {
        let missing = self.short.filter(|(short, _)| *short < segment).map_or(0, |(_, bytes)| self.size - bytes);
        let end = 1 + segment.saturating_sub(1).saturating_mul(self.size.into());
        (end - u64::from(missing).min(end)) as u32
    }

    fn answer(&self, ack: OwnAck, at: Time) -> Answer {
        let sacks = ack.sack.blocks().iter().map(|block| (self.start(block.start), self.start(block.end))).collect();
        Answer { at, next: self.start(ack.next), sacks, echo: ack.echo > 0 }
    }
}

impl Run<'_> {
    /// Data of the peer arrives.
    pub(super) fn receive(&mut self, line: u32, packet: &Packet) -> Step {
        let refused = |reason: &str| Err(Stop::inexpressible(line, reason));
        if self.octets.segments() > 1 && self.refuses_since.is_some() {
            return self.count_step(line); // the host refuses the answer, too
        }
        if self.octets.segments() > 1 {
            return refused("data in both directions is not modelled");
        }
        if self.arrivals.is_none() {
            self.draw_peer();
        }
        self.draw_arrival(line, packet, 0);
        let config = ReceiverConfig { ecn: self.config.ecn, ..self.receiver };
        let blocks = if self.handshake.has_sack { config.sack_blocks } else { 0 };
        let arrivals = self.arrivals.get_or_insert_with(|| {
            let host = Host::new(ReceiverConfig { sack_blocks: blocks, ..config });
            Arrivals { host, size: packet.length, short: None }
        });
        let number = match arrivals.number(packet) {
            Ok(number) => number,
            Err(reason) => return refused(reason),
        };
        let (ce, now) = (packet.ecn == Some(EcnWord::Ce), self.now);
        let mark = Mark { ce, cwr: packet.flags.cwr, again: false, sent: now, pushed: packet.flags.psh, probe: false };
        for ack in arrivals.host.receive(number, mark, now) {
            self.answers.push_back(arrivals.answer(ack, now));
        }
        self.count_step(line)
    }

    /// Expects an ACK without data, which only answers the peer.
    pub(super) fn expect_answer(&mut self, line: u32, packet: &Packet, span: Span) -> Step {
        if self.answers.is_empty() && self.arrivals.is_none() {
            return Err(Stop::inexpressible(line, "an ACK without data from the peer is not modelled"));
        }
        let until = self.deadline(span);
        while self.answers.is_empty() && self.act(line, until, true)? {}
        let Some(found) = self.answers.pop_front() else {
            let found = self.nothing(span);
            return Err(self.difference(line, packet, span, found));
        };
        let has_echo = matches!(self.config.ecn, EcnMode::Classic | EcnMode::Dctcp);
        let is_equal = packet.ack == Some(found.next)
            && (packet.options.unchecked || packet.options.sacks == found.sacks)
            && (!has_echo || packet.flags.ece == found.echo);
        if !is_equal || !self.is_in_time(found.at, span) {
            self.draw_answer(line, Status::Wrong, &found);
            let told = found.told();
            return Err(self.difference(line, packet, span, told));
        }
        self.draw_answer(line, Status::Met, &found);
        self.now = self.now.max(found.at);
        Ok(())
    }
}

impl Answer {
    /// The ACK in the words of a script.
    fn told(&self) -> String {
        let blocks: Vec<String> = self.sacks.iter().map(|(start, end)| format!("{start}:{end}")).collect();
        let (echo, sack) = (if self.echo { "E" } else { "" }, if blocks.is_empty() { "" } else { " sack " });
        format!("{echo}. ack {}{sack}{} at {} s", self.next, blocks.join(" "), seconds(self.at))
    }
}
