//! RACK-TLP: losses found by time, and probes of the tail (RFC 8985).
//!
//! A segment is lost if another one that was sent sufficiently later has been delivered. This also finds lost
//! retransmissions, and with a probe the loss of the last segments of a flight, without a retransmission timeout.
//!
//! The sender may send while `pipe`, the number of segments in the network, is below `cwnd`: lost segments first, then
//! new data. Each ACK is handled in this order: what it delivers, the end of an episode, new losses, the beginning of an
//! episode, and the window, by proportional rate reduction during an episode (`prr.rs`).
//!
//! The functions that the sender calls are not inlined, so that other recoveries do not pay for their frames.
//!
//! Differences from RFC 8985:
//! - the minimum round-trip time is over the connection, not over the last minutes;
//! - a round-trip sample is taken from each ACK, of the earliest segment delivered that was sent once;
//! - there are no timestamps (section 6.2, step 2): a flag states that an ACK answers an original ([`Ack::original`]),
//!   and what a timestamp would echo is computed from it. Timestamps never echo a segment above a gap (RFC 7323), so that
//!   by the RFC's rule the SACK of a probe would say nothing, and a probe could not show a loss (section 7.4). The echo
//!   therefore decides about retransmissions in SACK blocks only after a timeout;
//! - after a timeout the window allows one more segment than are in the network (Linux; section 6.3 leaves the window to
//!   RFC 6298, and a window of one would wait for segments sent just before);
//!
//! With `rack = "linux"` (Linux 6.18, `tcp_recovery.c` and `tcp_output.c`):
//! - the rule of the minimum round-trip time tells the answer to an original from that to a retransmission, and with
//!   `timestamps` what an ACK echoes tells it of the segments that it acknowledges (`tcp_skb_spurious_retrans`);
//! - the round-trip time is that of the segment processed last (`tcp_rack_advance`): the last one that the ACK itself
//!   newly acknowledges, or if there is none, the last one in its SACK blocks. It may have been sent before the latest one;
//!   then a segment before it is found to be lost later than in the RFC;
//! - the reordering timer and the probe wait 2 ms longer (`TCP_TIMEOUT_MIN_US`);
//! - an ACK looks for losses only if it has delivered a segment that gives a round-trip time (`tcp_rack_mark_lost`);
//! - one timer is pending at a time (`pending.rs`);
//! - only when the application writes, the sender looks whether it is limited by the application;
//! - an ACK that acknowledges a segment that was sent again, even one that was reported before, gives a round-trip sample
//!   only by what it newly reports above a gap, or by timestamps (`tcp_clean_rtx_queue`);
//! - an ACK from below `snd_una` gives no sample, moves no timer and leaves the window (`tcp_ack`, `old_ack`).
//!
//! With `timestamps`, an ACK that advances `snd_una` gives a round-trip sample from what it echoes if no segment that was
//! sent once does. If the second of three transmissions is answered, the sample is taken from the third.
//!
//! Timers may have ticks (`ticks.rs`).

mod clock;
mod delivery;
mod duplicates;
mod episode;
mod inspect;
mod losses;
mod pending;
mod probe;
mod rest;
mod timers;
mod undo;

use ackclock_units::Time;

use super::prr::{Prr, Start};
use super::{DUP_THRESH, Progress};
use crate::config::RackRule;
use crate::delivery_rate::{Phase, RateSample};
use crate::packed_option::PackedOption;
use crate::scoreboard::Scoreboard;
use crate::segment::{Ack, Segment};
use crate::send_log::Sent;
use crate::sender::connection::Connection;
use crate::ticks::Ticks;
use clock::Clock;
use delivery::{Delivery, Span};
use losses::{Losses, Outstanding};
use probe::{Probe, ProbeOutcome};
use timers::extension;
use undo::{Undo, Undone};

/// The state of a sender's RACK-TLP.
#[derive(Clone, Debug, Default)]
pub struct Rack {
    board: Scoreboard,
    /// Number of segments that duplicate ACKs stand for; only without SACK.
    duplicates: u64,
    clock: Clock,
    losses: Losses,
    /// Send time of the transmission that last advanced `snd_una`, which a timestamp would echo.
    echoed: Time,
    /// The episode that the sender is in.
    phase: Phase,
    prr: Option<Prr>,
    probe: Option<Probe>,
    undo: Undo,
    /// Number of segments that the last ACK delivered.
    delivered: u64,
    ticks: Ticks,
    /// When the segments that may still arrive out of order are lost.
    recheck: Option<Time>,
    /// When the retransmission timer would fire; for Linux, only while nothing is outstanding.
    rto_at: Time,
    /// When the sender's timer was set, if it is not yet rounded up to ticks; only for Linux.
    rounds_from: PackedOption<Time>,
    /// Whether the last ACK restarts the timer; only for Linux.
    moves_timer: bool,
    /// Whether it acknowledged a segment that was sent again, so that its last segment gives no certain round-trip time, and
    /// the time that it gives nevertheless; only for Linux.
    is_ambiguous: bool,
    other_rtt: Option<Time>,
    due: Due,
    /// The window before the last timeout, and whether `snd_una` has advanced since.
    cwnd: f64,
    has_progressed: bool,
    /// The smoothed round-trip time, and the estimator's value that it was computed from.
    srtt: (u64, Time),
}

/// The timer that the sender's timer stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Due {
    #[default]
    Retransmission,
    Reordering,
    Probe,
}

impl Rack {
    pub(super) fn new(ticks: Ticks) -> Self {
        Self { ticks, ..Self::default() }
    }

    /// Returns to the initial state, in the same memory.
    pub(super) fn renew(&mut self) {
        let Self { mut board, mut losses, ticks, .. } = std::mem::take(self);
        board.clear();
        losses.clear();
        *self = Self { board, losses, ticks, ..Self::default() };
    }

    /// The clock of the timers.
    pub(super) const fn ticks(&self) -> Ticks {
        self.ticks
    }

    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.board.memory() + self.losses.memory()
    }

    /// Number of segments that the last ACK delivered.
    pub(super) const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// The round-trip time that the last ACK gives to laws, if `last` is the record of the last segment that it acknowledged
    /// (Linux, `rate_sample.rtt_us`).
    pub(super) fn rtt(&self, last: Option<Sent>, now: Time) -> Option<Time> {
        if self.is_ambiguous { self.other_rtt } else { last?.rtt(now) }
    }

    /// Handles an ACK before the sender advances `snd_una`.
    #[inline(never)]
    pub(super) fn on_ack(&mut self, connection: &mut Connection, ack: Ack<'_>, now: Time) -> Progress {
        let has_sack = connection.config.has_sack;
        let ack = if has_sack { ack } else { duplicates::without_blocks(ack) };
        let (before, snd_una) = (connection.snd_una, ack.next.max(connection.snd_una));
        let start = self.start(connection);
        let duplicate = undo::duplicate(ack.sack, ack.next).is_some();
        let is_resent = |connection: &Connection| connection.first_sent().is_some_and(|sent| sent.transmits > 1);
        let original = ack.original && snd_una > before && is_resent(connection);
        connection.timed = PackedOption::NONE; // samples come from the records
        let pipe = self.pipe(connection, before);
        if let Some(rate) = connection.rate_mut() {
            rate.begin_ack(pipe);
        }
        let mut delivery = self.deliver(connection, ack, now);
        if !has_sack {
            self.remove_duplicates(connection, &mut delivery, snd_una);
        }
        self.delivered = delivery.count;
        let is_linux = connection.config.rack == RackRule::Linux;
        let is_old = is_linux && ack.next < before;
        self.is_ambiguous = is_linux && delivery.resent;
        let acknowledged = delivery.acknowledged.filter(|_| !self.is_ambiguous);
        let reported = delivery.reported.filter(|_| !is_old);
        let newest = reported.or(acknowledged).or_else(|| self.echoed(connection, ack, now).map(Span::from));
        self.other_rtt = newest.map(|sent| now - sent.last);
        if let Some(sent) = acknowledged.or(newest) {
            connection.take_sample(sent.first, snd_una, now);
        }
        if let Some(rate) = connection.rate_mut().filter(|_| is_linux) {
            rate.measure(self.other_rtt);
        }
        let first = |connection: &Connection| connection.first_sent().map(|first| first.at);
        self.moves_timer = snd_una > before || reported.is_some_and(|sent| Some(sent.first) < first(connection));
        if snd_una > before {
            self.has_progressed = true;
            if !is_linux || snd_una == connection.snd_max {
                self.restart_rto(connection, now);
            }
        }
        if self.probe.is_some() {
            self.follow_probe(connection, snd_una, duplicate, start);
        }
        if duplicate {
            self.clock.duplicate_reported(snd_una, connection.snd_max);
        }
        let ends = self.phase != Phase::Open && !self.lasts(connection, snd_una);
        let undone = if duplicate || original || self.phase == Phase::Loss {
            self.look_for_undo(connection, snd_una, duplicate, original, delivery)
        } else {
            Undone::No
        };
        if ends && self.phase != Phase::Open {
            self.end(connection);
        }
        let marked = if has_sack {
            self.detect_after(connection, undone, snd_una, now)
        } else {
            self.detect_by_duplicates(connection, ack, undone, now)
        };
        if self.must_repair() {
            self.begin_recovery(connection, snd_una, start);
        }
        if !self.is_reducing() {
            return if ends { Progress::Ends } else { Progress::Open };
        }
        if !is_old {
            self.reduce_in_proportion(connection, snd_una, snd_una > before && marked == 0);
        }
        Progress::Partial
    }

    /// Handles an ACK that acknowledges nothing new, before or after all data is acknowledged.
    #[inline(never)]
    pub(super) fn on_other_ack(&mut self, connection: &mut Connection, ack: Ack<'_>, now: Time) {
        self.on_ack(connection, ack, now);
        self.set_timer(connection, now);
    }

    /// The next segment to send.
    #[inline(always)]
    pub(super) fn next_segment(&self, connection: &Connection) -> Option<u64> {
        if !self.is_below_window(connection) {
            return None;
        }
        let new = has_new(connection).then_some(connection.snd_nxt);
        let is_allowed = |number: &u64| *number < connection.snd_una + connection.rwnd();
        let lost =
            || self.losses.next(connection.records()?, connection.snd_una, connection.snd_max).filter(is_allowed);
        if self.undo.prefers_new_data() { new.or_else(lost) } else { lost().or(new) }
    }

    /// Whether new data would be sent if there were any.
    #[inline(never)]
    pub(super) fn is_open(&self, connection: &Connection) -> bool {
        self.is_below_window(connection) && connection.flight() < connection.rwnd()
    }

    /// Sends segment `number`.
    #[inline(never)]
    pub(crate) fn transmit(&mut self, connection: &mut Connection, number: u64, now: Time) -> Segment {
        let was_idle = connection.flight() == 0;
        let pipe = self.pipe(connection, connection.snd_una);
        if pipe == 0 && !was_idle && connection.config.rack == RackRule::Linux && connection.samples_rate() {
            connection.tell_idle(now, Time::ZERO); // CA_EVENT_TX_START
        }
        let segment = connection.transmit(number, now);
        if let Some(rate) = connection.rate_mut().filter(|_| !segment.syn) {
            rate.on_sent(number, pipe, now);
        }
        if let Some(prr) = &mut self.prr {
            prr.on_sent();
        }
        if segment.retransmission {
            self.undo.resent();
            if let Some(log) = connection.records_mut() {
                self.losses.resent(log, segment.number, now);
            }
        } else if self.phase == Phase::Open && self.sacked() > 0 {
            connection.limited += 1;
        }
        if connection.config.rack == RackRule::Linux {
            self.pend_after_sending(connection, &segment, was_idle, now);
            return segment;
        }
        if was_idle || segment.number == connection.snd_una {
            self.restart_rto(connection, now);
        }
        self.arm(connection, now);
        segment
    }

    /// Whether an episode goes on after all segments before `snd_una` are acknowledged. In Linux, the answer to a mark lasts
    /// one segment longer than a recovery (`tcp_fastretrans_alert`), and without SACK so does a recovery.
    fn lasts(&self, connection: &Connection, snd_una: u64) -> bool {
        let is_answer = self.phase == Phase::Reducing;
        let extra = is_answer && connection.config.rack == RackRule::Linux || !is_answer && !connection.config.has_sack;
        connection.recover.is_some_and(|recover| snd_una < recover + u64::from(extra))
    }

    /// Whether the window was reduced for data that is still outstanding: in an episode, except after a timeout from which
    /// the sender has made progress.
    pub(super) fn is_reduced(&self, connection: &Connection) -> bool {
        let is_outstanding = connection.recover.is_some_and(|recover| connection.snd_una < recover);
        self.phase != Phase::Open && is_outstanding && !(self.phase == Phase::Loss && self.has_progressed)
    }

    /// Number of segments that an ACK delivered, if it may grow the window although it acknowledges nothing new: once
    /// segments have arrived late by more than [`DUP_THRESH`], and while the window is not being reduced (Linux,
    /// `tcp_may_raise_cwnd`).
    pub(super) fn delivered_late(&self, connection: &Connection) -> Option<u64> {
        let may_grow = connection.config.rack == RackRule::Linux
            && connection.config.has_sack
            && self.clock.reordering() > DUP_THRESH.into()
            && !self.is_reducing();
        (may_grow && self.delivered > 0).then_some(self.delivered)
    }

    /// The sender's state at the beginning of an episode.
    fn start(&self, connection: &Connection) -> Start {
        Start { cwnd: connection.window.segments(), flight: connection.flight(), known: self.sacked() }
    }

    /// The minimum round-trip time, once there is a sample.
    pub(super) fn min_rtt(&self) -> Option<Time> {
        Some(self.clock.min_rtt()).filter(|rtt| *rtt < Time::MAX)
    }

    /// Number of segments in the network, given the first unacknowledged one.
    pub(super) fn pipe(&self, connection: &Connection, snd_una: u64) -> u64 {
        connection.snd_max - snd_una - self.sacked() - self.losses.count()
    }

    /// Whether there is data to send, if the window allowed it.
    pub(super) const fn has_data(&self, connection: &Connection) -> bool {
        connection.snd_nxt < connection.supplied || self.losses.is_any_unrepaired()
    }

    pub(super) fn is_below_window(&self, connection: &Connection) -> bool {
        (self.pipe(connection, connection.snd_una) + 1).cast_signed() as f64 <= connection.window.cwnd
    }

    /// Whether losses are being repaired, after they were found or after a timeout.
    pub(super) const fn is_repairing(&self) -> bool {
        matches!(self.phase, Phase::Recovery | Phase::Loss)
    }

    /// Whether a recovery must begin.
    const fn must_repair(&self) -> bool {
        !self.is_repairing() && self.losses.is_any_unrepaired()
    }

    /// Whether the window is being reduced, in a recovery or after a mark.
    pub(super) const fn is_reducing(&self) -> bool {
        matches!(self.phase, Phase::Reducing | Phase::Recovery)
    }

    fn reordering_window(&mut self, connection: &Connection) -> Time {
        let is_certain = self.is_repairing() || self.board.sacked() >= DUP_THRESH.into();
        if self.clock.expects_order(is_certain) {
            return Time::ZERO;
        }
        let srtt = self.srtt(connection).unwrap_or(Time::MAX);
        self.clock.reordering_window(is_certain, srtt)
    }

    /// The smoothed round-trip time, if there is one.
    #[inline(always)]
    fn srtt(&mut self, connection: &Connection) -> Option<Time> {
        let raw = connection.rtt.raw_srtt();
        if raw != self.srtt.0 {
            let srtt = connection.rtt.srtt_time(&connection.config.rtt).unwrap_or(Time::ZERO);
            self.srtt = (raw, srtt);
        }
        (raw > 0).then_some(self.srtt.1)
    }

    /// Looks for lost segments after an ACK, given the undo that it caused. Returns their number.
    fn detect_after(&mut self, connection: &mut Connection, undone: Undone, snd_una: u64, now: Time) -> u64 {
        let is_linux = connection.config.rack == RackRule::Linux;
        if is_linux {
            self.recheck = None;
        }
        let looks = match undone {
            Undone::Waits => false,
            Undone::Yes if !is_linux => false, // the segments may still be on their way
            Undone::Yes | Undone::No => !is_linux || self.clock.take_advanced(),
        };
        if looks { self.detect(connection, snd_una, now) } else { 0 }
    }

    /// Looks for lost segments. Returns their number.
    fn detect(&mut self, connection: &mut Connection, snd_una: u64, now: Time) -> u64 {
        let window = self.reordering_window(connection);
        let Some(mut outstanding) = outstanding(connection, snd_una) else { return 0 };
        let (found, recheck) = self.losses.detect(&mut outstanding, &self.clock, window, now);
        let (config, rto, ticks) = (&connection.config, connection.rtt.rto(), self.ticks);
        self.recheck = recheck.map(|at| {
            let wait = at.saturating_sub(now).saturating_add(extension(config));
            ticks.fires_at(now, wait.min(rto))
        });
        found
    }

    /// The delivery-rate sample of the last ACK, if it delivered data.
    #[inline(always)]
    pub(super) fn rate_sample(&self, connection: &mut Connection, now: Time) -> Option<RateSample> {
        let (snd_una, in_flight) = (connection.snd_una, self.pipe(connection, connection.snd_una));
        let rate = connection.rate_mut()?;
        rate.sample(snd_una, self.clock.min_rtt(), in_flight, self.phase, now)
    }

    /// The state of the sender when a timer has fired, if the law samples delivery rates.
    pub(super) fn rate_at_timer(&self, connection: &Connection, now: Time) -> Option<RateSample> {
        let in_flight = self.pipe(connection, connection.snd_una);
        Some(connection.rate()?.at_timer(self.clock.min_rtt(), in_flight, self.phase, now))
    }

    /// Records for the samples of delivery rates that the sender has less data than the window allows: at the end of each
    /// turn, as the draft of BBR asks for each ACK, or in Linux when the application writes.
    pub(super) fn check_app_limited(&self, connection: &mut Connection, at_write: bool) {
        if at_write != (connection.config.rack == RackRule::Linux) {
            return;
        }
        let pipe = self.pipe(connection, connection.snd_una);
        let has_no_data = connection.snd_nxt >= connection.supplied && self.losses.count() == 0;
        if has_no_data
            && !connection.has_queued()
            && (pipe as f64) < connection.window.cwnd.floor()
            && let Some(rate) = connection.rate_mut()
        {
            rate.limit(pipe);
        }
    }

    /// Draws conclusions from an ACK about the outstanding probe.
    #[inline(never)]
    fn follow_probe(&mut self, connection: &mut Connection, snd_una: u64, duplicate: bool, start: Start) {
        let Some(probe) = self.probe else { return };
        let plain = !duplicate && snd_una == connection.snd_una && self.delivered == 0;
        let outcome = probe.answered(probe::Answer { next: snd_una, duplicate, plain });
        if outcome != ProbeOutcome::Waiting {
            self.probe = None;
        }
        if outcome == ProbeOutcome::Repaired && self.phase == Phase::Open {
            self.begin_recovery(connection, snd_una, start);
            self.end(connection);
        }
    }
}

/// The outstanding segments from `snd_una` on.
fn outstanding(connection: &mut Connection, snd_una: u64) -> Option<Outstanding<'_>> {
    let snd_max = connection.snd_max;
    connection.records_and_rate().map(|(log, rate)| Outstanding { log, rate, snd_una, snd_max })
}

/// Whether new data may be sent, if the congestion window allows it.
fn has_new(connection: &Connection) -> bool {
    connection.snd_nxt < connection.supplied && connection.flight() < connection.rwnd()
}
