//! Packets that the sender is expected to send.

use ackclock_tcp::{Ecn, EcnMode, Segment};
use ackclock_units::Time;

use super::{Progress, Run, Step};
use crate::info::seconds;
use crate::outcome::{Difference, Stop};
use crate::picture::Status;
use crate::script::{EcnWord, Options, Packet};

/// When a packet is expected: the earliest and the latest time, with and without the tolerance; `None` at any time.
pub(super) type Span = Option<(Time, Time)>;

impl Run<'_> {
    pub(super) fn expect(&mut self, line: u32, packet: &Packet, span: Span) -> Step {
        let refused = |reason: &str| Err(Stop::inexpressible(line, reason));
        if self.path.is_some() && packet.length > 0 {
            return refused("a packet on a path is not compared");
        }
        if packet.flags.fin || packet.flags.rst {
            return refused("the end of a connection is not modelled");
        }
        if packet.flags.syn {
            self.expect_syn(line, packet, span)?;
        } else if packet.length == 0 && packet.start != self.next_sequence() {
            self.expect_probe(line, packet, span)?;
        } else if packet.length == 0 {
            self.expect_answer(line, packet, span)?;
        } else {
            self.expect_data(line, packet, span)?;
        }
        self.compared.packets += 1;
        self.compared.pushed += u32::from(packet.flags.psh);
        self.compared.options +=
            u32::from(packet.window.is_some() || !packet.options.unchecked && packet.options != Options::default());
        self.last = span.map_or(self.now, |(first, _)| first);
        Ok(())
    }

    fn expect_syn(&mut self, line: u32, packet: &Packet, span: Span) -> Step {
        if packet.length > 0 {
            return Err(Stop::inexpressible(line, "data in a SYN is not modelled"));
        }
        let Some((at, segment)) = self.next_sent(line, span)? else { return self.differs(line, packet, span, None) };
        if !segment.syn || !self.is_in_time(at, span) {
            return self.differs(line, packet, span, Some((at, segment)));
        }
        self.draw_segment(at, line, Status::Met, segment);
        self.note_stamp(packet, at);
        self.now = self.now.max(at);
        Ok(())
    }

    fn expect_data(&mut self, line: u32, packet: &Packet, span: Span) -> Step {
        if self.progress != Progress::Open {
            return Err(Stop::inexpressible(line, "data before the connection is open is not modelled"));
        }
        let mut next = u64::from(packet.start);
        let mut last = self.now;
        while next < u64::from(packet.end) {
            let Some((at, segment)) = self.next_sent(line, span)? else {
                if next == u64::from(packet.start) {
                    return self.differs(line, packet, span, None);
                }
                let (begun, sent) = (packet.start, next - u64::from(packet.start));
                let found = format!("{begun}:{next}({sent}), and {}", self.nothing(span));
                return Err(self.difference(line, packet, span, found));
            };
            let (start, end) = self.octets.bytes_of(segment.number).unwrap_or_default();
            let has_size = !segment.is_probe()
                && end <= packet.end.into()
                && (!self.script.strict_segments || end == packet.end.into());
            if segment.syn || start != next || !has_size || !self.is_in_time(at, span) {
                return self.differs(line, packet, span, Some((at, segment)));
            }
            self.compare_ecn(line, packet, span, (at, segment))?;
            if segment.retransmission {
                let (first, after) = self.stamps.retransmitted.unwrap_or((at, 0));
                self.stamps.retransmitted = Some((first, after.max(segment.number + 1)));
            }
            self.draw_segment(at, line, Status::Met, segment);
            (next, last) = (end, at);
        }
        self.note_stamp(packet, last);
        self.now = self.now.max(last);
        Ok(())
    }

    /// Expects a probe of a closed window: an empty packet before all that waits (Linux, `tcp_xmit_probe_skb`).
    fn expect_probe(&mut self, line: u32, packet: &Packet, span: Span) -> Step {
        let Some((at, segment)) = self.next_sent(line, span)? else { return self.differs(line, packet, span, None) };
        let (_, end) = self.octets.bytes_of(segment.number).unwrap_or_default();
        if !segment.is_probe() || end.wrapping_sub(1) != packet.start.into() || !self.is_in_time(at, span) {
            return self.differs(line, packet, span, Some((at, segment)));
        }
        self.draw_segment(at, line, Status::Met, segment);
        self.note_stamp(packet, at);
        self.now = self.now.max(at);
        Ok(())
    }

    fn compare_ecn(&mut self, line: u32, packet: &Packet, span: Span, sent: (Time, Segment)) -> Step {
        let (_, segment) = sent;
        let is_expected = match packet.ecn {
            None => true,
            Some(EcnWord::NotEct) => segment.ecn == Ecn::NotEct,
            Some(EcnWord::Ect0) => segment.ecn == Ecn::Ect0,
            Some(EcnWord::Ect1) => segment.ecn == Ecn::Ect1,
            Some(EcnWord::Ect01) => matches!(segment.ecn, Ecn::Ect0 | Ecn::Ect1),
            Some(EcnWord::Ce) => segment.ecn == Ecn::Ce,
        };
        // with accurate feedback, the flags are the receiver's counter
        let has_flags = self.config.ecn != EcnMode::Accurate;
        if has_flags && packet.flags.ece {
            return Err(Stop::inexpressible(line, "an echo of marks is the receiver's, which is not modelled"));
        }
        if !is_expected || has_flags && packet.flags.cwr != segment.cwr {
            return self.differs(line, packet, span, Some(sent));
        }
        Ok(())
    }

    /// The next segment that the sender sends, if it does so by the end of the span.
    fn next_sent(&mut self, line: u32, span: Span) -> Result<Option<(Time, Segment)>, Stop> {
        let until = self.deadline(span);
        while self.talk.sent().is_empty() && self.act(line, until, true)? {}
        Ok(self.talk.sent().pop_front())
    }

    /// The latest time at which a packet is accepted.
    pub(super) fn deadline(&self, span: Span) -> Time {
        span.map_or(Time::MAX, |(first, last)| last.max(self.now).saturating_add(self.tolerance(first)))
    }

    pub(super) fn is_in_time(&self, at: Time, span: Span) -> bool {
        span.is_none_or(|(first, last)| {
            let tolerance = self.tolerance(first);
            first.saturating_sub(tolerance) <= at && at <= last.saturating_add(tolerance)
        })
    }

    /// Relates the clock of the script's timestamps to the time.
    fn note_stamp(&mut self, packet: &Packet, at: Time) {
        if let Some((value, _)) = packet.options.timestamp {
            self.stamps.base.get_or_insert((value, at));
        }
    }

    /// The sequence number after all that was sent.
    fn next_sequence(&self) -> u32 {
        let last = self.talk.snd_max().checked_sub(1).and_then(|last| self.octets.bytes_of(last));
        last.map_or(0, |(_, end)| end as u32)
    }

    fn differs(&mut self, line: u32, packet: &Packet, span: Span, found: Option<(Time, Segment)>) -> Step {
        let found = match found {
            Some((at, segment)) => {
                self.draw_segment(at, line, Status::Wrong, segment);
                format!("{} at {} s", self.told(segment), seconds(at))
            }
            None => self.nothing(span),
        };
        Err(self.difference(line, packet, span, found))
    }

    pub(super) fn nothing(&self, span: Span) -> String {
        match self.deadline(span) {
            Time::MAX => "nothing at any time".to_owned(),
            until => format!("nothing until {} s", seconds(until)),
        }
    }

    pub(super) fn difference(&mut self, line: u32, packet: &Packet, span: Span, found: String) -> Stop {
        self.draw_missing(line, packet, span);
        let times = span.map_or("at any time".to_owned(), |(first, last)| {
            let tolerance = self.tolerance(first);
            let (from, to) = (first.saturating_sub(tolerance), last.saturating_add(tolerance));
            format!("from {} to {} s", seconds(from), seconds(to))
        });
        let time = span.map_or(self.now, |(first, _)| first).as_secs_f64();
        Stop::Differs(Difference { line, time, expected: format!("{} {times}", packet.text), found })
    }

    /// A segment in the words of a script.
    fn told(&self, segment: Segment) -> String {
        if segment.syn {
            return "S 0:0(0)".to_owned();
        }
        let (start, end) = self.octets.bytes_of(segment.number).unwrap_or_default();
        if segment.is_probe() {
            return format!(". {0}:{0}(0), a probe", end.saturating_sub(1));
        }
        let ecn = match segment.ecn {
            Ecn::NotEct => "",
            Ecn::Ect0 => "[ect0] ",
            Ecn::Ect1 => "[ect1] ",
            Ecn::Ce => "[ce] ",
        };
        let (cwr, again) = (if segment.cwr { "W" } else { "" }, if segment.retransmission { " (again)" } else { "" });
        format!("{ecn}{cwr}. {start}:{end}({}){again}", end - start)
    }
}
