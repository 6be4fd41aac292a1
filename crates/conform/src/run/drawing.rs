//! Records what happens in a run for a picture.

use ackclock_tcp::{Ack, Ecn, EcnMode, Segment};
use ackclock_units::Time;

use super::expecting::Span;
use super::receiving::Answer;
use super::{Progress, Run};
use crate::code::Statement;
use crate::picture::{Event, Picture, Shape, Status};
use crate::script::{self, Action, EcnWord, Packet};

impl Run<'_> {
    fn draw(&mut self, time: Time, line: impl Into<Option<u32>>, status: Status, shape: Shape) {
        if let Some(picture) = &mut self.picture {
            picture.push(Event { time: time.as_secs_f64(), until: None, line: line.into(), status, shape });
        }
    }

    /// Records a segment of the sender.
    pub(super) fn draw_segment(&mut self, at: Time, line: impl Into<Option<u32>>, status: Status, segment: Segment) {
        self.draw(at, line, status, self.shape(segment, false));
    }

    /// Records a segment that a path carries or loses.
    pub(super) fn draw_sent(&mut self, at: Time, segment: Segment, lost: bool) {
        self.draw(at, None, Status::Free, self.shape(segment, lost));
    }

    fn shape(&self, segment: Segment, lost: bool) -> Shape {
        let Segment { retransmission, ecn, cwr, .. } = segment;
        let (start, end) = self.octets.bytes_of(segment.number).unwrap_or_default();
        // a probe of a closed window is before all that waits
        let (start, end) =
            if segment.is_probe() { (end.saturating_sub(1), end.saturating_sub(1)) } else { (start, end) };
        Shape::Segment { start, end, retransmission, lost, ce: ecn == Ecn::Ce, cwr }
    }

    /// Records a packet that arrives: an ACK, or data of the peer.
    pub(super) fn draw_arrival(&mut self, line: u32, packet: &Packet, scale: u32) {
        let Packet { start, end, window, .. } = *packet;
        let shape = if packet.length > 0 {
            let ce = packet.ecn == Some(EcnWord::Ce);
            Shape::Segment {
                start: start.into(),
                end: end.into(),
                retransmission: false,
                lost: false,
                ce,
                cwr: packet.flags.cwr,
            }
        } else {
            let ack = u64::from(packet.ack.unwrap_or_default());
            let limit = window.map(|window| ack + (u64::from(window) << scale));
            let ece = self.reports(self.echo(packet.flags));
            Shape::Ack { ack, limit, sacks: blocks(&packet.options.sacks), ece }
        };
        self.draw(self.now, line, Status::Given, shape);
    }

    /// Records an ACK that a path carries.
    pub(super) fn draw_carried(&mut self, ack: Ack<'_>) {
        if self.picture.is_none() {
            return;
        }
        let byte = |segment: u64| self.octets.bytes_of(segment).map_or(self.octets.end(), |(start, _)| start);
        let sacks = ack.sack.blocks().iter().map(|block| (byte(block.start), byte(block.end))).collect();
        let next = byte(ack.next);
        let shape = Shape::Ack { ack: next, limit: None, sacks, ece: self.reports(ack.echo) };
        self.draw(self.talk.now, None, Status::Given, shape);
    }

    /// Whether an ACK with this echo reports further marks: accurate feedback counts them.
    fn reports(&mut self, echo: u8) -> bool {
        let before = std::mem::replace(&mut self.echoed, echo);
        if self.config.ecn == EcnMode::Accurate { echo != before } else { echo > 0 }
    }

    /// Records an ACK of the host.
    pub(super) fn draw_answer(&mut self, line: impl Into<Option<u32>>, status: Status, answer: &Answer) {
        let Answer { at, next, ref sacks, echo } = *answer;
        self.draw(at, line, status, Shape::Ack { ack: next.into(), limit: None, sacks: blocks(sacks), ece: echo });
    }

    /// Records an expected packet that is missing.
    pub(super) fn draw_missing(&mut self, line: u32, packet: &Packet, span: Span) {
        let (first, last) = span.unwrap_or((self.now, self.now));
        let is_answer = packet.length == 0 && self.arrivals.is_some();
        let shape = if is_answer {
            let (ack, sacks) = (packet.ack.unwrap_or_default().into(), blocks(&packet.options.sacks));
            Shape::Ack { ack, limit: None, sacks, ece: packet.flags.ece }
        } else {
            let (start, end) = (packet.start.into(), u64::from(packet.end) + u64::from(packet.flags.syn));
            Shape::Segment { start, end, retransmission: false, lost: false, ce: false, cwr: packet.flags.cwr }
        };
        if let Some(picture) = &mut self.picture {
            let until = span.map(|_| last.as_secs_f64());
            let (time, line) = (first.as_secs_f64(), Some(line));
            picture.push(Event { time, until, line, status: Status::Missing, shape });
        }
    }

    /// Records an assertion.
    pub(super) fn draw_assertion(&mut self, status: Status, statement: &Statement) {
        if self.picture.is_some() {
            self.draw(self.now, statement.line, status, Shape::Assertion { text: statement.text.clone() });
        }
    }

    /// Records data of the peer from here on, and nothing of what was before.
    pub(super) fn draw_peer(&mut self) {
        if let Some(picture) = &mut self.picture {
            *picture = Picture::default();
        }
    }

    /// Records what was sent and not compared.
    pub(super) fn draw_rest(&mut self) {
        while let Some((at, segment)) = self.talk.sent().pop_front() {
            self.draw_segment(at, None, Status::Free, segment);
        }
        while let Some(answer) = self.answers.pop_front() {
            self.draw_answer(None, Status::Free, &answer);
        }
    }

    /// Lets the rest of a script happen after its first difference at a time, without comparing anything.
    pub(super) fn draw_after(&mut self, difference: Time, events: &[script::Event]) {
        self.draw_rest();
        self.now = self.now.max(difference).max(self.talk.now);
        for script::Event { line, when, action } in events {
            let span = self.span(*when);
            let (first, _) = span.unwrap_or((self.now, self.now));
            if self.progress == Progress::Finished || self.pass(*line, first.max(self.now), false).is_err() {
                return;
            }
            self.draw_rest();
            let done = match action {
                Action::Outbound(packet) => {
                    self.draw_missing(*line, packet, span);
                    Ok(())
                }
                Action::Code(_) => Ok(()),
                action => self.take(*line, action),
            };
            self.draw_rest();
            if done.is_err() {
                return;
            }
            self.last = self.now;
        }
    }
}

fn blocks(sacks: &[(u32, u32)]) -> Vec<(u64, u64)> {
    sacks.iter().map(|(start, end)| ((*start).into(), (*end).into())).collect()
}
