//! The short path of a steady sender: no loss, no recovery and no handshake, as for nearly all ACKs and segments. It
//! does exactly what the general path would do, for senders that do not time each segment and, recording each of them,
//! for RACK, with or without pacing and samples of the delivery rate.

use std::ops::Range;

use ackclock_units::Time;

use super::Sender;
use super::connection::{Connection, Path};
use super::gso::Admission;
use super::marks::Marks;
use crate::config::IdleRestart;
use crate::congestion::AckSample;
use crate::limits::Limit;
use crate::packed_option::PackedOption;
use crate::recovery::Recovery;
use crate::segment::Ack;
use crate::send_log::Sent;

/// Start of the turn of a [steady](Sender::is_steady) sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing may be sent now: the turn is over, or a processing time is not.
    Over,
    /// The sender must process until the given time. If nothing can happen before, it may [process at
    /// once](Sender::process_until) and call [`Sender::send_burst`] at that time; otherwise it must be
    /// [held](Sender::hold_until) until then.
    Processing(Time),
    /// The sender may send.
    Sending,
}

impl Sender {
    /// Whether the sender is outside of loss recovery, has nothing to send regardless of the window and is not paced, so
    /// that [`start_turn`](Self::start_turn) and [`send_burst`](Self::send_burst) may replace
    /// [`poll_transmit`](Self::poll_transmit). Only ACKs and timeouts change this.
    #[inline(always)]
    pub const fn is_steady(&self) -> bool {
        matches!(self.connection.path, Path::Short | Path::Selective | Path::Timed)
    }

    /// Whether the same holds for a sender with RACK, which records each segment and may need [labels](Self::codepoint) on
    /// them.
    #[inline(always)]
    pub const fn is_timed(&self) -> bool {
        matches!(self.connection.path, Path::Timed)
    }

    /// Whether the same holds for a sender with RACK that is paced or uses segmentation offload, and the next `most` segments
    /// need no flags, so that [`send_paced`](Self::send_paced) may replace [`poll_transmit`](Self::poll_transmit).
    #[inline(always)]
    pub fn is_paced(&self, most: u64) -> bool {
        let Self { connection, .. } = self;
        matches!(connection.path, Path::Paced) && !connection.has_labels_before(connection.snd_nxt.saturating_add(most))
    }

    /// Whether an ACK reaches a steady sender that does not time segments, and acknowledges new data.
    #[inline(always)]
    pub const fn is_steady_ack(&self, ack: Ack<'_>) -> bool {
        matches!(self.connection.path, Path::Short) && self.is_new(ack)
    }

    /// The same for a sender that reads SACK blocks, of which the ACK has none.
    #[inline(always)]
    pub(super) const fn is_selective_ack(&self, ack: Ack<'_>) -> bool {
        matches!(self.connection.path, Path::Selective) && ack.sack.is_empty() && self.is_new(ack)
    }

    /// Whether an ACK reaches a steady sender with RACK, acknowledges new data and has no blocks.
    #[inline(always)]
    pub(super) fn is_timed_ack(&self, ack: Ack<'_>) -> bool {
        matches!(self.connection.path, Path::Timed | Path::Paced)
            && ack.sack.is_empty()
            && self.is_new(ack)
            && self.connection.is_silent(ack.echo)
    }

    #[inline(always)]
    const fn is_new(&self, ack: Ack<'_>) -> bool {
        let Connection { snd_una, snd_max, .. } = self.connection;
        snd_una < ack.next && ack.next <= snd_max
    }

    /// Handles a [steady ACK](Self::is_steady_ack).
    #[inline(always)]
    pub fn handle_steady_ack(&mut self, next: u64, now: Time) {
        self.connection.handle_steady_ack(next, now);
    }

    /// The same for a sender with RACK.
    #[inline(never)]
    pub(super) fn handle_timed_ack(&mut self, next: u64, now: Time) {
        if let Recovery::Rack(rack) = &mut self.recovery {
            rack.handle_timed_ack(&mut self.connection, next, now);
        }
        if self.connection.samples_rate() {
            self.sample_rate(now);
        }
        self.connection.limit_steady();
    }

    /// Whether more data, if it was supplied now, could make a difference to a [steady ACK](Self::is_steady_ack) and to
    /// the segments that it allows.
    #[inline(always)]
    pub fn may_run_short(&self, next: u64) -> bool {
        let Connection { supplied, config, .. } = &self.connection;
        *supplied <= next + u64::from(config.max_window)
    }

    /// Whether more data, if it was supplied now, could make a difference to the turn of a steady sender.
    #[inline(always)]
    pub const fn runs_short(&self) -> bool {
        self.connection.supplied <= self.connection.snd_limit
    }

    /// Starts the turn of a steady sender at `now`.
    #[inline(always)]
    pub fn start_turn<const TIMED: bool>(&mut self, now: Time) -> Turn {
        let connection = &mut self.connection;
        if let Some(end) = self.release_at.get() {
            if end > now {
                return Turn::Over;
            }
            self.release_at = PackedOption::NONE;
            self.limits.pass(now);
            return Turn::Sending;
        }
        if connection.snd_nxt >= connection.sendable() {
            self.limits.enter(connection.steady_limit(), now);
            if TIMED {
                connection.note_usage(connection.flight());
            }
            return Turn::Over;
        }
        let overhead = connection.config.overhead;
        if overhead == Time::ZERO {
            self.limits.pass(now);
            return Turn::Sending;
        }
        Turn::Processing(now + self.stream.time_below(overhead))
    }

    /// Takes the processing time from `now` to `end`.
    #[inline(always)]
    pub fn process_until(&mut self, now: Time, end: Time) {
        self.limits.process(now, end);
    }

    /// Begins a processing time at `now` that ends at `end`. Until then only urgent segments are sent.
    pub fn hold_until(&mut self, now: Time, end: Time) {
        self.limits.enter(Limit::Processing, now);
        self.release_at = PackedOption::some(end);
    }

    /// Sends all segments that a steady sender may send at `now`, and ends its turn. Returns their numbers; all are
    /// sent for the first time. Returns `None` if the turn continues by [`poll_transmit`](Self::poll_transmit),
    /// because it sends nothing, retransmits, sends `most` segments or more, or one of them needs a flag.
    #[inline(always)]
    pub fn send_burst<const TIMED: bool>(&mut self, now: Time, most: u64) -> Option<Range<u64>> {
        let connection = &mut self.connection;
        let start = connection.snd_nxt;
        let mut end = connection.sendable();
        // also true if the burst is empty or `end` is before `start`
        let is_unusual = end.wrapping_sub(start + 1) >= most - 1 || TIMED && connection.has_labels_before(end);
        if start != connection.snd_max || is_unusual {
            if connection.config.overhead > Time::ZERO {
                self.hold_until(now, now); // otherwise `poll_transmit` would begin another processing time
            }
            return None;
        }
        if connection.snd_una == start {
            connection.leave_idle(now);
            end = end.min(connection.sendable()); // the idle period may have reduced the window
        }
        connection.snd_nxt = end;
        connection.send_new(start, end, now);
        connection.note_time(now);
        if TIMED {
            self.record_burst(start..end, now);
            self.connection.note_usage(self.connection.flight());
        }
        self.limits.set(self.connection.steady_limit(), now);
        Some(start..end)
    }

    /// Sends the segments, at most `most`, that a [paced](Self::is_paced) sender may send at `now`. Returns their numbers;
    /// all are sent for the first time. If they are fewer, the turn ends or is held until
    /// [`poll_release`](Self::poll_release).
    #[inline(always)]
    pub fn send_paced(&mut self, now: Time, most: u64) -> Range<u64> {
        let connection = &mut self.connection;
        let start = connection.snd_nxt;
        debug_assert_eq!(start, connection.snd_max, "a steady sender with RACK sends nothing again");
        let overhead = connection.config.overhead;
        let must_process = overhead > Time::ZERO && !self.release_at.is_at_most(now);
        if must_process && !self.release_at.is_none() {
            return start..start;
        }
        if start >= connection.sendable() {
            self.end_paced_turn(now);
            return start..start;
        }
        if must_process {
            self.limits.enter(Limit::Processing, now);
            self.release_at = PackedOption::some(now + self.stream.time_below(overhead));
            return start..start;
        }
        if connection.has_gso() {
            return self.send_super_segments(now, most);
        }
        let mut number = start;
        let mut ends = false;
        while number < start + most {
            if let Some(at) = connection.paced_until(number, now) {
                self.release_at = PackedOption::some(at);
                self.limits.enter(Limit::Pacing, now);
                connection.note_usage(connection.flight());
                break;
            }
            if connection.config.idle_restart != IdleRestart::Timeout {
                connection.restart_after_idle(now);
            }
            number += 1;
            connection.snd_nxt = number;
            connection.send_new(number - 1, number, now);
            connection.note_time(now);
            connection.pace(number - 1, now);
            // each one, since the first after idle time sets the timer, which waits for the pacing of that one only
            if let Recovery::Rack(rack) = &mut self.recovery {
                rack.record_burst(connection, number - 1..number, now);
            }
            ends = number >= connection.sendable();
            if ends {
                break;
            }
        }
        // a turn of `most` segments ends with the next call
        if ends && number < start + most {
            self.end_paced_turn(now);
        }
        start..number
    }

    /// The same with segmentation offload, paced or not.
    #[inline(never)]
    fn send_super_segments(&mut self, now: Time, most: u64) -> Range<u64> {
        let start = self.connection.snd_nxt;
        let mut number = start;
        let mut waits = false;
        while number < self.connection.sendable().min(start + most) {
            let count = match self.admit(number, now) {
                Admission::Granted(count) => count,
                Admission::PacedUntil(at) => {
                    self.release_at = PackedOption::some(at);
                    self.limits.enter(Limit::Pacing, now);
                    self.connection.note_usage(self.connection.flight());
                    waits = true;
                    break;
                }
                Admission::Deferred | Admission::Queued => {
                    self.defer(now);
                    waits = true;
                    break;
                }
            };
            let connection = &mut self.connection;
            // the first segment after idle time sets the timer, as above
            let count = if connection.flight() == 0 { 1 } else { count };
            let end = (number + count).min(start + most).min(connection.sendable());
            connection.snd_nxt = end;
            connection.send_new(number, end, now);
            connection.note_time(now);
            connection.pace_super_segment(number, end - number, now);
            // the next one may have to wait for the ACK of the first segment
            self.record_burst(number..end, now);
            number = end;
        }
        if !waits && number < start + most {
            self.end_paced_turn(now);
        }
        start..number
    }

    /// Ends the turn of a paced sender.
    #[inline(always)]
    fn end_paced_turn(&mut self, now: Time) {
        self.release_at = PackedOption::NONE;
        self.limits.enter(self.connection.steady_limit(), now);
        self.connection.note_usage(self.connection.flight());
        if self.connection.snd_nxt >= self.connection.supplied {
            self.recovery.check_app_limited(&mut self.connection, false);
        }
    }

    /// Records segments that a sender with RACK has sent.
    #[inline(never)]
    fn record_burst(&mut self, burst: Range<u64>, now: Time) {
        if let Recovery::Rack(rack) = &mut self.recovery {
            rack.record_burst(&mut self.connection, burst, now);
        }
    }

    /// Whether no processing time has begun, and no timer fires at or before `at`.
    #[inline(always)]
    pub fn is_free_until(&self, at: Time) -> bool {
        self.release_at.is_none() && self.times_out_after(at)
    }

    /// Whether the retransmission timer, if it runs, fires after `at`.
    #[inline(always)]
    pub fn times_out_after(&self, at: Time) -> bool {
        !self.connection.timer.is_at_most(at) || !self.recovery.timer(&self.connection).is_at_most(at)
    }
}

impl Connection {
    /// The path of a sender with this recovery.
    pub(super) fn path(&self, recovery: &Recovery) -> Path {
        let is_quiet = self.dup_acks == 0 && self.limited == 0 && self.inflation == 0 && self.urgent.is_none();
        let is_steady = is_quiet && recovery.is_at_rest(self) && self.snd_una >= self.alone();
        if !is_steady {
            return Path::General;
        }
        let is_timed = matches!(recovery, Recovery::Rack(_));
        let short = if matches!(recovery, Recovery::Sack(_)) { Path::Selective } else { Path::Short };
        match &self.extra {
            None if !self.config.whole_growth => short,
            Some(extra) if is_timed && extra.labels_seldom(&self.config) => {
                match (&extra.pacer, &extra.gso, &extra.rate) {
                    (None, None, None) => Path::Timed,
                    (None, None, Some(_)) => Path::General,
                    _ => Path::Paced,
                }
            }
            Some(extra) if !is_timed && extra.only_slow_start() && !self.config.whole_growth => short,
            _ => Path::General,
        }
    }

    /// Whether one of the next segments before `end` needs a flag of its own, or may need it.
    #[inline(always)]
    fn has_labels_before(&self, end: u64) -> bool {
        let Some(extra) = &self.extra else { return false };
        extra.pushes.is_some() && end >= self.supplied || extra.marks.as_ref().is_some_and(Marks::is_reduced)
    }

    /// Whether an ACK with this echo reports no mark.
    #[inline(always)]
    fn is_silent(&self, echo: u8) -> bool {
        let marks = self.extra.as_ref().and_then(|extra| extra.marks.as_ref());
        marks.is_none_or(|marks| marks.is_silent(echo))
    }

    /// The first segment that may not be sent: it is outside the window or not supplied.
    #[inline(always)]
    fn sendable(&self) -> u64 {
        self.supplied.min(self.snd_limit)
    }

    /// Handles an ACK for all segments before `next`, some of them new, at a steady sender.
    #[inline(always)]
    pub(super) fn handle_steady_ack(&mut self, next: u64, now: Time) {
        let app_limited = !self.config.grow_when_limited && self.is_app_limited(self.config.max_window.into());
        let newly_acked = next - self.snd_una;
        self.snd_una = next;
        self.snd_nxt = self.snd_nxt.max(next);
        self.time(next, now);
        self.grow(newly_acked, || None, app_limited, false, now);
        self.limit_steady();
    }

    /// Grows the window after an ACK for `newly_acked` segments, of which `last` gives the record of the last one if
    /// segments are timed; `by_whole` is `config.whole_growth`. `last` is a function, so that each caller has a copy of this
    /// code, and inlines it. Call [`limit_steady`](Self::limit_steady) next.
    #[inline(always)]
    pub(crate) fn grow(
        &mut self,
        newly_acked: u64,
        last: impl Fn() -> Option<Sent>,
        app_limited: bool,
        by_whole: bool,
        now: Time,
    ) {
        let next = self.snd_una;
        let Self { law, extra, window, snd_nxt, rtt, config, .. } = self;
        let (snd_nxt, rtt, config) = (*snd_nxt, &*rtt, &**config);
        let growth = window.begin_growth(by_whole);
        law.on_ack(extra, window, move || AckSample {
            now,
            snd_una: next,
            snd_nxt,
            newly_acked,
            advance: newly_acked,
            byte_counting: config.byte_counting,
            srtt: rtt.srtt(&config.rtt).unwrap_or(f64::NAN),
            elapsed: last().map(|sent| sent.elapsed(now)),
            rtt: last().and_then(|sent| sent.rtt(now)),
            app_limited,
            marked: 0,
        });
        window.end_growth(growth);
    }

    /// The same as [`set_snd_limit`](Self::set_snd_limit), without inflation and with a fixed advertised window.
    #[inline(always)]
    fn limit_steady(&mut self) {
        let whole = self.window.cwnd as u32;
        self.snd_limit = self.snd_una + u64::from(whole.min(self.config.max_window));
        if !self.is_settled {
            self.settle();
        } else if whole > self.config.max_window {
            self.holds = Limit::ReceiverWindow;
        }
    }

    /// Decides what holds back data when the window of a steady sender is full. On the short paths, a window that [only
    /// grows](crate::congestion::Law::only_grows) stays above `ssthresh`, so that nothing but the advertised window can hold
    /// it later.
    #[inline(never)]
    pub(super) fn settle(&mut self) {
        let Self { law, window, reduced_by, config, .. } = self;
        let is_above = window.cwnd as u32 > config.max_window;
        self.holds = if is_above { Limit::ReceiverWindow } else { law.holds(window, *reduced_by) };
        self.is_settled = law.only_grows() && window.cwnd >= window.ssthresh;
    }

    /// Why a steady sender may send nothing more.
    #[inline(always)]
    fn steady_limit(&self) -> Limit {
        if self.snd_nxt < self.supplied { self.holds } else { Limit::Application }
    }

    /// Called before a steady sender sends while nothing is outstanding.
    #[inline(never)]
    fn leave_idle(&mut self, now: Time) {
        if self.config.idle_restart != IdleRestart::Timeout {
            self.restart_after_idle(now);
        }
        self.restart_timer(now);
    }
}
