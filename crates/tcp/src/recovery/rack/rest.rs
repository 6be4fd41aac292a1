//! RACK at rest: nothing is lost, out of order or retransmitted, and no probe is outstanding. An ACK without SACK blocks
//! then only moves the clock, and nothing can be found lost.

use std::ops::Range;

use ackclock_units::Time;

use super::clock::Transmission;
use super::pending::rest_of_timeout;
use super::timers::probes;
use super::{Phase, Rack};
use crate::config::RackRule;
use crate::packed_option::PackedOption;
use crate::send_log::Sent;
use crate::sender::connection::Connection;

impl Rack {
    /// Whether the algorithm is at rest.
    pub(crate) fn is_at_rest(&self, connection: &Connection) -> bool {
        let is_quiet = self.phase == Phase::Open
            && self.sacked() == 0
            && self.losses.is_quiet()
            && self.probe.is_none()
            && self.recheck.is_none();
        // after an undo, segments may be outstanding that were sent before a delivered one
        let first = || connection.first_sent().map(|sent| Transmission { at: sent.at, number: connection.snd_una });
        is_quiet && self.clock.latest.is_none_or(|latest| first().is_none_or(|first| first >= latest))
    }

    /// Handles an ACK for all segments before `next` at rest, without SACK blocks.
    #[inline(always)]
    pub(crate) fn handle_timed_ack(&mut self, connection: &mut Connection, next: u64, now: Time) {
        let app_limited = connection.is_limited_elsewhere();
        let snd_una = connection.snd_una;
        let flight = connection.flight();
        let Some((log, mut rate)) = connection.records_and_rate() else { return };
        if let Some(rate) = &mut rate {
            rate.begin_ack(flight);
        }
        // segments that were sent once were sent in order: the last one decides, unless a later one was delivered before
        let may_be_late = self.clock.fack() > snd_una + 1;
        let originals = if may_be_late { None } else { log.take_originals(next, now) };
        let ends = if let Some((first, last)) = originals {
            self.clock.delivered(next - 1, last, Time::MAX, 0, now);
            if let Some(rate) = rate {
                rate.on_originals_delivered(snd_una, next - 1, now);
            }
            Some((first, last))
        } else {
            self.deliver_each(connection, next, now)
        };
        let Some((first, last)) = ends else { return };
        if connection.config.rack == RackRule::Linux {
            self.clock.measure(last.elapsed(now));
        }
        self.delivered = next - snd_una;
        connection.timed = PackedOption::NONE;
        connection.take_sample(first.at, next, now);
        connection.snd_una = next;
        connection.snd_nxt = connection.snd_nxt.max(next);
        connection.grow(next - snd_una, || Some(last), app_limited, connection.config.whole_growth, now);
        if connection.config.rack == RackRule::Linux && connection.flight() > 0 && probes(&connection.config) {
            self.pend_probe(connection, connection.rtt.rto(), now);
        } else {
            self.restart_rto(connection, now);
            self.arm_at_rest(connection, now);
        }
    }

    /// Delivers all segments before `next` at rest, one by one. Returns the first and the last one, if there are any.
    #[cold]
    #[inline(never)]
    fn deliver_each(&mut self, connection: &mut Connection, next: u64, now: Time) -> Option<(Sent, Sent)> {
        let (mut number, fack, clock) = (connection.snd_una, self.clock.fack(), &mut self.clock);
        let (log, mut rate) = connection.records_and_rate()?;
        log.drain(next, |sent| {
            clock.delivered(number, *sent, Time::MAX, fack, now);
            if let Some(rate) = &mut rate {
                rate.on_delivered(number, now);
            }
            number += 1;
        })
    }

    /// Records segments that were sent for the first time at rest.
    #[inline(always)]
    pub(crate) fn record_burst(&mut self, connection: &mut Connection, burst: Range<u64>, now: Time) {
        let in_flight = burst.start - connection.snd_una;
        if in_flight == 0 {
            self.restart_rto(connection, now);
        }
        if let Some((log, mut rate)) = connection.records_and_rate() {
            log.record_new(burst.clone(), now);
            if let Some(rate) = &mut rate {
                for (number, in_flight) in burst.zip(in_flight..) {
                    rate.on_sent(number, in_flight, now);
                }
            }
        }
        if in_flight == 0 || connection.config.rack != RackRule::Linux {
            self.arm_at_rest(connection, now);
        } else if probes(&connection.config) {
            let rest = rest_of_timeout(connection, now);
            self.pend_probe(connection, rest, now);
        }
    }

    /// The same as [`arm`](Self::arm) at rest: usually, the timer is for a probe.
    #[inline(always)]
    fn arm_at_rest(&mut self, connection: &mut Connection, now: Time) {
        if connection.flight() == 0 || !probes(&connection.config) {
            return self.arm(connection, now);
        }
        self.arm_probe(connection, now);
    }
}
