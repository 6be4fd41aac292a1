//! State shared by the sender, its loss recovery and its congestion-control law.

use std::sync::Arc;

use ackclock_units::{Stream, Time};

use crate::config::{DecreaseFrom, IdleRestart, Pacing, RackRule, RecoverySpec, SenderConfig};
use crate::congestion::{CongestionEvent, Law, Signal, Window};
use crate::delivery_rate::DeliveryRate;
use crate::limits::Limit;
use crate::packed_option::PackedOption;
use crate::rtt::{Round, RttEstimator};
use crate::segment::{HEADER, Segment};
use crate::send_log::{SendLog, Sent};
use crate::sender::counters::RareCounters;
use crate::sender::extra::Extra;
use crate::sender::pacer::{self, Pacer};
use crate::sender::pushes;
use crate::sender::usage::TurnEnd;

/// How ACKs and turns are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// By any sender, in any state.
    General,
    /// By a steady sender.
    Short,
    /// The same for a sender that reads SACK blocks.
    Selective,
    /// By a steady sender with RACK, which records each segment.
    Timed,
    /// The same for a paced sender: its ACKs and turns are separate.
    Paced,
}

/// The variables of RFC 9293 (section 3.3.1) and RFC 5681, counted in segments.
///
/// The memory layout follows the declaration order. The fields for each ACK and each segment come first: with the 24
/// bytes before it in a flow they fill two cache lines, up to the timeout in `rtt`. The fields for a round-trip sample
/// or a loss follow.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Connection {
    /// First unacknowledged segment.
    pub(crate) snd_una: u64,
    /// Next segment to send; reset to `snd_una` on a timeout.
    pub(crate) snd_nxt: u64,
    /// First segment never sent.
    pub(crate) snd_max: u64,
    /// First segment that the application has not supplied.
    pub(crate) supplied: u64,
    /// First segment outside the window.
    pub(super) snd_limit: u64,
    pub(crate) config: Arc<SenderConfig>,
    /// When the retransmission timer fires; with RACK, a [lower bound](crate::recovery::Recovery::timer).
    pub(crate) timer: PackedOption<Time>,
    /// The segment currently being timed.
    pub(crate) timed: PackedOption<u64>,
    pub(crate) window: Window,
    pub(crate) law: Law,
    /// What reduced the window last: [`Limit::Loss`] or [`Limit::Marks`]; [`Limit::Window`] if nothing has.
    pub(crate) reduced_by: Limit,
    /// On the short paths: what holds back data when the window is full, and whether this stays so until the window exceeds
    /// the advertised one.
    pub(super) holds: Limit,
    pub(super) is_settled: bool,
    /// How ACKs and turns are handled.
    pub(crate) path: Path,
    /// Whether the timer fired before the SYN was acknowledged.
    pub(super) lost_syn: bool,
    pub(crate) rtt: RttEstimator,
    /// Send time of the segment being timed.
    pub(super) timed_at: Time,
    /// A segment to send regardless of the window.
    pub(crate) urgent: PackedOption<u64>,
    pub(super) extra: Option<Box<Extra>>,
    /// `snd_max` when the last loss was detected (RFC 6582).
    pub(crate) recover: PackedOption<u64>,
    pub(crate) dup_acks: u32,
    /// Segments sent by limited transmit since the last new ACK; excluded from the flight size in a reduction (RFC
    /// 5681, section 3.2, step 2).
    pub(crate) limited: u32,
    /// Inflation of the window by duplicate ACKs, in segments, in addition to `cwnd`.
    pub(crate) inflation: u32,
    pub(crate) counters: RareCounters,
    /// When the last segment was sent; only if an idle period resets the window.
    pub(super) last_sent: Time,
}

impl Connection {
    pub(crate) fn new(config: Arc<SenderConfig>, times_segments: bool, stream: &mut Stream) -> Self {
        let mut law = config.congestion.build();
        if config.timer_tick > Time::ZERO {
            law.set_tick(config.timer_tick);
        }
        let waits = config.handshake || config.lone_segments > 0;
        let cwnd = if waits { 1.0 } else { f64::from(config.initial_window) };
        let mut connection = Self {
            window: Window { cwnd, ssthresh: f64::from(config.max_window) },
            rtt: RttEstimator::new(&config.rtt, stream),
            path: Path::General,
            lost_syn: false,
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            supplied: 0,
            snd_limit: 0,
            dup_acks: 0,
            limited: 0,
            recover: PackedOption::NONE,
            inflation: 0,
            timed: PackedOption::NONE,
            timed_at: Time::ZERO,
            timer: PackedOption::NONE,
            urgent: PackedOption::NONE,
            reduced_by: Limit::Window,
            holds: Limit::SlowStart,
            is_settled: false,
            counters: RareCounters::default(),
            extra: Extra::of(&config, times_segments || law.times_segments(), &law),
            last_sent: Time::ZERO,
            law,
            config,
        };
        connection.set_snd_limit();
        connection
    }

    /// Heap memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.law.memory() + self.extra.as_ref().map_or(0, |extra| extra.memory())
    }

    /// The record of each outstanding segment, if segments are timed.
    #[inline(always)]
    pub(crate) fn records_mut(&mut self) -> Option<&mut SendLog> {
        self.extra.as_mut()?.log.as_mut()
    }

    /// The state of delivery-rate sampling, if the law asks for samples.
    #[inline(always)]
    pub(crate) fn rate_mut(&mut self) -> Option<&mut DeliveryRate> {
        self.extra.as_mut()?.rate.as_mut()
    }

    /// The same, to read it.
    pub(crate) fn rate(&self) -> Option<&DeliveryRate> {
        self.extra.as_ref()?.rate.as_ref()
    }

    /// The record of each outstanding segment, and the state of delivery-rate sampling.
    #[inline(always)]
    pub(crate) fn records_and_rate(&mut self) -> Option<(&mut SendLog, Option<&mut DeliveryRate>)> {
        let Extra { log, rate, .. } = &mut **self.extra.as_mut()?;
        Some((log.as_mut()?, rate.as_mut()))
    }

    /// Whether the window is the law's alone.
    pub(crate) fn samples_rate(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.rate.is_some())
    }

    /// The window at which a reduction ends, once the law has answered it.
    pub(crate) fn reduced_window(&self) -> f64 {
        if self.law.reduces_to_ssthresh() { self.window.ssthresh } else { self.window.cwnd }
    }

    /// Whether segment `snd_nxt` lies within the window.
    #[inline(always)]
    pub(crate) fn is_window_open(&self) -> bool {
        self.snd_nxt < self.snd_limit
    }

    /// Recomputes the end of the window after the window or `snd_una` may have changed.
    #[inline(always)]
    pub(crate) fn set_snd_limit(&mut self) {
        let window = u64::from(self.window.cwnd as u32) + u64::from(self.inflation);
        self.snd_limit = self.snd_una + window.min(self.rwnd());
    }

    #[inline(always)]
    pub(crate) fn may_send(&self) -> bool {
        self.allows(self.snd_nxt)
    }

    /// Whether segment `number` has been supplied and lies within the window.
    #[inline(always)]
    pub(crate) fn allows(&self, number: u64) -> bool {
        number < self.supplied && number < self.snd_limit
    }

    /// `flight_size`: segments sent but not yet acknowledged.
    pub(crate) const fn flight(&self) -> u64 {
        self.snd_max - self.snd_una
    }

    /// Whether less is in flight than `cwnd` allows because the application or the receiver's window, `rwnd`, is the limit.
    pub(crate) fn is_app_limited(&self, rwnd: u64) -> bool {
        let flight = self.snd_nxt - self.snd_una;
        let no_more = self.snd_nxt == self.supplied || flight >= rwnd;
        no_more && flight < self.window.cwnd as u64
    }

    /// Whether the window must not grow with an ACK, because it was not the limit.
    pub(crate) fn is_limited_elsewhere(&self) -> bool {
        if self.config.grow_when_limited {
            return false;
        }
        match self.extra.as_ref().and_then(|extra| extra.usage) {
            Some(usage) => !usage.is_limit(&self.window),
            None => self.is_app_limited(self.rwnd()),
        }
    }

    /// Records at the end of a turn whether the window was full, if that is remembered.
    #[inline(always)]
    pub(super) fn note_usage(&mut self, in_flight: u64) {
        let Self { extra, snd_una, snd_nxt, snd_max, supplied, window, .. } = self;
        if let Some(usage) = extra.as_mut().and_then(|extra| extra.usage.as_mut()) {
            let has_data = *snd_nxt < *supplied;
            let (snd_una, snd_max, cwnd) = (*snd_una, *snd_max, u64::from(window.cwnd as u32));
            usage.on_turn(TurnEnd { snd_una, snd_max, in_flight, cwnd, has_data });
        }
    }

    /// Congestion window that applies once the handshake and the segments sent one at a time are acknowledged.
    pub(crate) fn initial_window(&self) -> u32 {
        // RFC 5681, section 3.1
        if self.lost_syn { 1 } else { self.config.initial_window }
    }

    /// Number of segments that are sent one at a time before the initial window opens.
    pub(crate) fn alone(&self) -> u64 {
        u64::from(self.config.lone_segments) + u64::from(self.config.handshake)
    }

    /// Sends segment `number`.
    #[inline(always)]
    pub(crate) fn transmit(&mut self, number: u64, now: Time) -> Segment {
        let idle = self.snd_una == self.snd_max;
        let retransmission = number < self.snd_max;
        if retransmission {
            self.counters.retransmissions += 1;
        } else {
            self.send_new(number, number + 1, now);
        }
        self.note_time(now);
        if let Some(log) = self.records_mut() {
            log.record(number, now);
        }
        // ns-2's Vegas does not restart a running timer
        if self.timer.is_none() || idle && self.config.recovery != RecoverySpec::Vegas {
            self.restart_timer(now);
        }
        let syn = self.config.handshake && number == 0;
        let size = if syn { HEADER } else { self.config.packet_size };
        let segment = Segment { syn, retransmission, ..Segment::new(number, size) };
        if self.extra.is_none() { segment } else { self.label(segment, now) }
    }

    /// Adds ECN and PSH to a segment that is being sent, and paces the next one.
    #[inline(never)]
    fn label(&mut self, mut segment: Segment, now: Time) -> Segment {
        if !segment.syn {
            self.pace(segment.number, now);
        }
        let Self { extra, config, snd_una, supplied, .. } = self;
        let Some(extra) = extra else { return segment };
        if let Some(marks) = &mut extra.marks {
            (segment.ecn, segment.cwr) = marks.label(segment.syn, segment.retransmission);
        }
        if let Some(pushes) = &mut extra.pushes {
            let at = pushes::Progress { snd_una: *snd_una, supplied: *supplied };
            segment.pushed = !segment.syn && pushes.is_pushed(segment.number, at, config);
        }
        segment
    }

    /// Paces the segment after segment `number`, which is being sent.
    #[inline(always)]
    pub(super) fn pace(&mut self, number: u64, now: Time) {
        if self.has_gso() {
            return self.pace_super_segment(number, 1, now);
        }
        if self.pacer().is_none() {
            return;
        }
        let each = self.pacing_interval();
        if let Some(pacer) = self.extra.as_mut().and_then(|extra| extra.pacer.as_mut()) {
            pacer.on_sent(each, &self.config, now);
        }
    }

    /// The time that a segment takes at the pacing rate, if there is one.
    #[inline(always)]
    pub(super) fn pacing_interval(&self) -> Option<Time> {
        let Self { law, config, window, rtt, .. } = self;
        if config.pacing != Pacing::Law {
            return self.window_interval();
        }
        law.pacing_rate(window, rtt.srtt(&config.rtt)).map(|rate| Time::from_secs_f64(1.0 / rate))
    }

    /// The same at the rate that follows from the window.
    #[inline(always)]
    pub(super) fn window_interval(&self) -> Option<Time> {
        let Self { config, window, rtt, .. } = self;
        rtt.srtt(&config.rtt).map(|srtt| pacer::interval(config, window, self.flight(), srtt))
    }

    /// The state of pacing, if segments are paced.
    #[inline(always)]
    pub(crate) fn pacer(&self) -> Option<&Pacer> {
        self.extra.as_ref()?.pacer.as_ref()
    }

    /// Until when pacing holds back segment `number`, if it does. The initial window is not paced; in Linux, the pacer
    /// knows its first segments.
    #[inline(always)]
    pub(super) fn paced_until(&self, number: u64, now: Time) -> Option<Time> {
        let pacer = self.pacer()?;
        let is_paced = || {
            let initial = u64::from(self.config.initial_window) + self.alone();
            number >= initial || number < self.snd_max || self.config.rack == RackRule::Linux
        };
        pacer.waits_until(now).filter(|_| is_paced())
    }

    /// The marked segments that an ACK for all segments before `next` reports, and those that the window law has not seen
    /// yet if the ACK is new. It delivers `delivered` segments, if that matters.
    #[inline(always)]
    pub(super) fn marks(&mut self, echo: u8, next: u64, delivered: u64) -> (u64, u64) {
        let newly_acked = next.saturating_sub(self.snd_una);
        let Some(marks) = self.extra.as_mut().and_then(|extra| extra.marks.as_mut()) else { return (0, 0) };
        let reported = marks.reported(echo, newly_acked, delivered);
        (reported, marks.collect(reported, newly_acked > 0))
    }

    /// Whether a mark that an ACK for all segments before `next` reports may reduce the window: none has, and no loss, in
    /// this round trip.
    pub(super) fn may_reduce_for_mark(&self, next: u64) -> bool {
        let marks = self.extra.as_ref().and_then(|extra| extra.marks.as_ref());
        marks.is_some_and(|marks| marks.may_reduce(next))
    }

    /// Whether a mark has reduced the window as much as a loss would, and nothing sent since is acknowledged.
    fn is_reduced_for_mark(&self) -> bool {
        self.reduced_by == Limit::Marks
            && !self.samples_rate()
            && !self.config.congestion.grades_marks()
            && !self.may_reduce_for_mark(self.snd_una)
    }

    /// The record of each outstanding segment, if segments are timed.
    pub(crate) fn records(&self) -> Option<&SendLog> {
        self.extra.as_ref()?.log.as_ref()
    }

    /// Records that the segments from `start` to `end` are sent for the first time, and times the first of them if no
    /// other segment is being timed.
    #[inline(always)]
    pub(super) fn send_new(&mut self, start: u64, end: u64, now: Time) {
        self.snd_max = end;
        if self.timed.is_none() {
            (self.timed, self.timed_at) = (PackedOption::some(start), now);
        }
    }

    /// Records the time of a transmission if idle periods need it.
    #[inline(always)]
    pub(super) fn note_time(&mut self, now: Time) {
        if self.config.idle_restart != IdleRestart::Timeout {
            self.last_sent = now;
        }
    }

    /// Acknowledges all segments before `next`. Returns the record of segment `next - 1` if segments are timed.
    pub(crate) fn acknowledge(&mut self, next: u64, now: Time) -> Option<Sent> {
        self.dup_acks = 0;
        let last = self.advance(next);
        self.time(next, now);
        last
    }

    /// Takes the round-trip sample of an ACK for all segments before `next`, if it gives one, and restarts the timer.
    #[inline(always)]
    pub(crate) fn time(&mut self, next: u64, now: Time) {
        let mut rto = self.rtt.rto();
        if self.timed.is_below(next) {
            self.timed = PackedOption::NONE;
            self.take_sample(self.timed_at, next, now);
            if !self.config.rtt.timer_before_sample {
                rto = self.rtt.rto();
            }
        }
        let stops = self.snd_una == self.snd_max && self.config.idle_restart != IdleRestart::Timeout; // RFC 6298, 5.2
        self.timer = if stops { PackedOption::NONE } else { PackedOption::some(now.saturating_add(rto)) };
    }

    /// Takes the round-trip sample of a segment sent at `sent`, with an ACK for all segments before `next`, and ends the
    /// back-off.
    #[inline(always)]
    pub(crate) fn take_sample(&mut self, sent: Time, next: u64, now: Time) {
        let round = Round { acknowledged: next, next: self.snd_max };
        self.rtt.sample(&self.config.rtt, sent, now, round);
        self.rtt.end_back_off(&self.config.rtt);
    }

    /// Advances `snd_una` to `next` without a round-trip sample. A partial ACK gives no sample, because a segment timed
    /// since recovery began is not before `next`. Returns the record of segment `next - 1` if segments are timed.
    #[inline(always)]
    pub(crate) fn advance(&mut self, next: u64) -> Option<Sent> {
        self.limited = 0;
        self.snd_una = next;
        self.snd_nxt = self.snd_nxt.max(next); // after a timeout, an ACK may pass it
        self.records_mut().and_then(|log| log.acknowledge(next))
    }

    pub(crate) fn restart_timer(&mut self, now: Time) {
        self.timer = PackedOption::some(now.saturating_add(self.rtt.rto()));
    }

    /// Reduces the window once for a loss that recovery found; `known` segments of the flight were SACKed before.
    ///
    /// RFC 5681 takes the flight size so that an unused window does not count. In recoveries that follow each other, the
    /// flight size also includes segments that arrived long ago, and can be a multiple of the window, but a loss must
    /// reduce the window (RFC 9438, section 4.6). Above the window, it therefore counts without them, as in RFC 9937.
    ///
    /// All signals of one window reduce it once: a loss after a mark does not, unless the law answers marks more gently (RFC
    /// 3168, section 6.1.2; RFC 8257, section 3.5).
    pub(crate) fn reduce(&mut self, signal: Signal, lost_again: bool, known: u64) {
        if signal == Signal::Loss && self.is_reduced_for_mark() {
            return;
        }
        // a window that has closed again does not count
        let rwnd = self.rwnd().max(self.flight().min(u64::from(self.config.max_window)));
        let cwnd = self.window.cwnd + f64::from(self.inflation);
        let window = cwnd.min(rwnd as f64);
        let (window, least) = match self.config.decrease_from {
            DecreaseFrom::FlightSize => {
                let flight = self.flight() - u64::from(self.limited);
                ((flight as f64).min(window.max(flight.saturating_sub(known) as f64)), 2.0)
            }
            DecreaseFrom::Window => (window, 1.0),
            // Linux ignores the peer's window (`tcp_reno_ssthresh`); its own falls to `ssthresh` (`tcp_end_cwnd_reduction`)
            DecreaseFrom::WholeWindow if self.config.rack == RackRule::Linux => (cwnd.floor(), 2.0),
            DecreaseFrom::WholeWindow => (window.floor(), 1.0),
        };
        if let Some(extra) = &mut self.extra {
            extra.slow_start.on_congestion(signal);
            if let Some(marks) = &mut extra.marks {
                marks.reduced(self.snd_max);
            }
        }
        let before = self.window;
        let event = CongestionEvent { signal, window, least, lost_again, abe: self.config.abe };
        self.law.on_congestion(&mut self.window, &event);
        if signal == Signal::Mark {
            self.window.cwnd = self.window.cwnd.min(before.cwnd); // the flight may exceed the window
        }
        if self.config.decrease_from == DecreaseFrom::WholeWindow {
            self.window.cwnd = self.window.cwnd.floor();
        }
        let is_reduced = self.window.cwnd < before.cwnd || self.window.ssthresh < before.ssthresh;
        if is_reduced || self.samples_rate() {
            self.reduced_by = if signal == Signal::Mark { Limit::Marks } else { Limit::Loss };
        }
    }

    /// Whether data beyond `recover` is acknowledged, so that a new loss may be signalled (RFC 6582, section 3.2).
    pub(crate) fn is_past_recover(&self) -> bool {
        !self.recover.is_some_and(|recover| self.snd_una <= recover)
    }

    /// Whether the timer has fired since the last fast recovery, or since the connection opened if there was none.
    pub(crate) fn has_timed_out(&self) -> bool {
        self.recover.is_some_and(|recover| recover > 1)
    }

    /// Schedules an immediate retransmission of the first unacknowledged segment and records `recover`.
    pub(crate) const fn fast_retransmit(&mut self) {
        self.note_loss();
        self.retransmit_first();
    }

    /// Records `recover` after duplicate ACKs signalled a loss, and stops timing the current segment (Karn's
    /// algorithm).
    pub(crate) const fn note_loss(&mut self) {
        self.counters.fast_retransmits += 1;
        self.recover = PackedOption::some(self.snd_max);
        self.timed = PackedOption::NONE;
    }

    /// Stops timing segment `number`: a retransmitted segment gives no sample (Karn's algorithm; RFC 6298, section 3).
    pub(crate) fn stop_timing(&mut self, number: u64) {
        if self.timed == PackedOption::some(number) {
            self.timed = PackedOption::NONE;
        }
    }

    /// Schedules an immediate retransmission of the first unacknowledged segment.
    pub(crate) const fn retransmit_first(&mut self) {
        self.urgent = PackedOption::some(self.snd_una);
    }

    /// RFC 3042: sends the next segment on each of the first two duplicate ACKs if the flight stays within `rwnd` and
    /// exceeds `cwnd` by at most one segment per duplicate ACK. As in ns-2, the next segment may be a retransmission
    /// after a timeout; the RFC sends only new data.
    pub(crate) fn limited_transmit(&mut self) {
        let flight = (self.snd_nxt - self.snd_una + 1) as f64;
        let beyond = self.window.cwnd + f64::from(self.dup_acks);
        let allowed =
            self.config.limited_transmit && self.snd_nxt < self.supplied && flight <= beyond.min(self.rwnd() as f64);
        if allowed {
            self.urgent = PackedOption::some(self.snd_nxt);
            self.snd_nxt += 1;
            self.limited += 1;
        }
    }

    /// The record of the first unacknowledged segment, if segments are timed.
    pub(crate) fn first_sent(&self) -> Option<Sent> {
        self.records()?.get(self.snd_una)
    }

    /// Called before the sender sends, if idle periods matter. Resets or halves the window after an idle period
    /// longer than the RTO (RFC 5681, section 4.1; RFC 2861).
    #[inline(always)]
    pub(crate) fn restart_after_idle(&mut self, now: Time) {
        if self.flight() == 0 && self.snd_max > 0 {
            self.end_idle(now);
        }
    }

    #[inline(never)]
    fn end_idle(&mut self, now: Time) {
        let idle = now.saturating_sub(self.last_sent);
        self.tell_idle(now, idle);
        let rto = self.rtt.rto();
        if idle > rto && self.config.idle_restart != IdleRestart::Off && !self.samples_rate() {
            let restart = self.window.cwnd.min(f64::from(self.config.initial_window));
            if self.config.idle_restart == IdleRestart::Rfc2861 {
                let timeouts = (idle.as_picos() - 1) / rto.as_picos();
                self.window.decay(timeouts, restart);
            } else {
                self.window.cwnd = restart;
            }
        }
        self.set_snd_limit(); // the law may have set another window
        self.settle();
    }

    /// Tells the law that the sender sends again while nothing is in the network. A law that samples delivery rates learns it
    /// only if the application was the reason (`bbr_cwnd_event`; BBRHandleRestartFromIdle of draft-ietf-ccwg-bbr).
    pub(crate) fn tell_idle(&mut self, now: Time, idle: Time) {
        let Self { law, window, extra, .. } = self;
        if extra.as_ref().and_then(|extra| extra.rate.as_ref()).is_none_or(DeliveryRate::is_limited) {
            law.on_idle(window, now, idle);
        }
    }

    /// Whether the advertised window is full and smaller than the congestion window.
    pub(crate) fn is_limited_by_receiver(&self) -> bool {
        let rwnd = self.rwnd();
        let window = || u64::from(self.window.cwnd as u32) + u64::from(self.inflation);
        self.snd_nxt >= self.snd_una + rwnd && window() > rwnd
    }

    /// Why nothing more may be sent, given whether data waits, whether only the advertised window holds it back, and
    /// whether a fast recovery is active.
    #[inline(always)]
    pub(crate) fn limit(
        &self,
        has_data: bool,
        is_limited_by_receiver: impl FnOnce() -> bool,
        recovers: impl FnOnce() -> bool,
    ) -> Limit {
        if !has_data {
            Limit::Application
        } else if is_limited_by_receiver() {
            Limit::ReceiverWindow
        } else if recovers() {
            self.reduced_by
        } else if self.snd_una < self.alone() {
            Limit::SlowStart
        } else {
            self.law.holds(&self.window, self.reduced_by)
        }
    }
}
