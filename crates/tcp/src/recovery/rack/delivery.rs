//! What an ACK delivers, and which of its segments give a round-trip time.

use ackclock_units::Time;

use super::{Phase, Rack};
use crate::config::RackRule;
use crate::segment::Ack;
use crate::send_log::{Fate, Sent, milliseconds};
use crate::sender::connection::Connection;

/// The unit of timestamps.
const MILLISECOND: Time = Time::from_millis(1);

/// What an ACK delivers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivery {
    pub(super) count: u64,
    /// Send times of the segments that were sent once, of those acknowledged and of those only reported.
    pub(super) acknowledged: Option<Span>,
    pub(super) reported: Option<Span>,
    /// Whether a segment that was sent again is acknowledged.
    pub(super) resent: bool,
    /// Whether a segment that was sent once is delivered that was sent before the last timeout.
    pub(super) original: bool,
}

/// The send times of the first and of the last segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) first: Time,
    pub(super) last: Time,
}

impl From<Time> for Span {
    fn from(at: Time) -> Self {
        Self { first: at, last: at }
    }
}

impl Rack {
    /// When the segment was sent whose timestamp an ACK echoes that advances `snd_una`, as precisely as a clock in ms tells
    /// (Linux, `tcp_rtt_tsopt_us`); `None` without timestamps.
    pub(super) fn echoed(&self, connection: &Connection, ack: Ack<'_>, now: Time) -> Option<Time> {
        if !connection.config.timestamps || ack.next <= connection.snd_una {
            return None;
        }
        let at = match connection.first_sent() {
            Some(first) if ack.original && first.transmits > 1 => first.first_at,
            _ => milliseconds(self.echoed),
        };
        let rtt = milliseconds(now).wrapping_sub(at).max(1);
        Some(now.saturating_sub(MILLISECOND.saturating_mul(rtt.into())))
    }

    /// Records the segments that an ACK delivers.
    #[inline(always)]
    pub(super) fn deliver(&mut self, connection: &mut Connection, ack: Ack<'_>, now: Time) -> Delivery {
        let Self { board, clock, losses, echoed, .. } = self;
        let after_timeout = self.phase == Phase::Loss;
        let (before, snd_max, recover) = (connection.snd_una, connection.snd_max, connection.recover);
        let snd_una = ack.next.max(before);
        let is_linux = connection.config.rack == RackRule::Linux;
        let has_timestamps = connection.config.timestamps;
        let Some((log, mut rate)) = connection.records_and_rate() else { return Delivery::default() };
        let fack = clock.fack();
        if ack.next > before {
            *echoed = echo(log.get(before), ack.original);
        }
        // the latest transmission that may be answered, of a segment acknowledged and of one only reported
        let (latest_acknowledged, latest_reported) = match is_linux {
            true if has_timestamps => (end_of_millisecond(*echoed), Time::MAX),
            true => (Time::MAX, Time::MAX),
            false => (*echoed, if after_timeout { *echoed } else { Time::MAX }),
        };
        let mut last = None;
        let mut delivery = Delivery::default();
        let mut deliver = |number| {
            let Some(sent) = log.get_mut(number) else { return };
            let is_acknowledged = number < ack.next;
            delivery.resent |= is_acknowledged && sent.transmits > 1;
            if sent.fate == Fate::Delivered {
                return;
            }
            losses.delivered(sent);
            delivery.count += 1;
            if sent.transmits == 1 {
                let times = if is_acknowledged { &mut delivery.acknowledged } else { &mut delivery.reported };
                times.get_or_insert(sent.at.into()).last = sent.at;
                delivery.original |= recover.is_some_and(|recover| number < recover);
            }
            let latest = if is_acknowledged { latest_acknowledged } else { latest_reported };
            if let Some(rtt) = clock.delivered(number, *sent, latest, fack, now) {
                last = last.max(Some((is_acknowledged, number, rtt)));
            }
            if let Some(rate) = &mut rate {
                rate.on_delivered(number, now);
            }
            if !is_acknowledged {
                sent.fate = Fate::Delivered;
            }
        };
        (before..ack.next).for_each(&mut deliver);
        board.acknowledge(snd_una);
        board.take_new(ack.sack.blocks(), snd_una, snd_max, |range| (range.start..range.end).for_each(&mut deliver));
        if let Some((_, _, rtt)) = last.filter(|_| is_linux) {
            clock.measure(rtt);
        }
        delivery
    }
}

/// The send time that a timestamp would echo in an ACK, given the first segment that it acknowledges and whether it
/// answers an original. A segment that was sent again has no record of its original: time zero.
fn echo(first: Option<Sent>, original: bool) -> Time {
    first.filter(|first| !original || first.transmits == 1).map_or(Time::ZERO, |first| first.at)
}

/// The last time with the timestamp of `time`.
fn end_of_millisecond(time: Time) -> Time {
    let unit = MILLISECOND.as_picos();
    Time::from_picos((time.as_picos() / unit + 1).saturating_mul(unit) - 1)
}
