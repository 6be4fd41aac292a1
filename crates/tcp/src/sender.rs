//! The data sender: RFC 9293's variables, RFC 5681's window and RFC 6298's timer, combined with any loss recovery and
//! any congestion-control law.

pub(crate) mod connection;
mod counters;
mod dictated;
pub(crate) mod extra;
mod gso;
mod inspect;
mod marks;
mod pacer;
mod persist;
mod pushes;
mod small_queue;
mod steady;
#[cfg(test)]
mod tests;
mod usage;

use std::mem::offset_of;
use std::sync::Arc;

use ackclock_units::prefetch::prefetch;
use ackclock_units::{Stream, Time};

use connection::{Connection, Path};
pub use counters::Counters;
pub(crate) use counters::RareCounters;
pub(crate) use extra::Extra;
use gso::Admission;
pub use inspect::{Episode, Outstanding};
use marks::Marks;
pub use steady::Turn;

use crate::config::{DecreaseFrom, IdleRestart, RackRule, SenderConfig};
use crate::congestion::foreign::Place;
use crate::congestion::{AckSample, LawSpec, Signal};
use crate::limits::{Chronograph, Limit};
use crate::packed_option::PackedOption;
use crate::recovery::{Progress, Recovery, RecoverySpec};
use crate::rtt::RoundTrips;
use crate::segment::{Ack, Ecn, Segment};
use crate::send_log::{SendLog, Sent};
use crate::ticks::Ticks;

/// Number of timeouts of a SYN that do not double the next one in Linux.
const LINEAR_SYN_TIMEOUTS: u64 = 4;

/// Observable state of a sender. Windows are in segments, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderState {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
    /// Segments sent but not yet acknowledged.
    pub flight_size: u64,
    /// Smoothed round-trip time; NaN before the first sample.
    pub srtt: f64,
    /// Current retransmission timeout.
    pub rto: f64,
}

/// A TCP sender.
///
/// Drive it with [`supply`](Self::supply), [`handle_ack`](Self::handle_ack) and
/// [`handle_timeout`](Self::handle_timeout). After each call, call [`poll_transmit`](Self::poll_transmit) until it
/// returns `None`, and wake the sender at [`poll_timeout`](Self::poll_timeout) and
/// [`poll_release`](Self::poll_release).
#[derive(Debug)]
#[repr(C)] // as for `Connection`
pub struct Sender {
    connection: Connection,
    recovery: Recovery,
    stream: Stream,
    /// When the next segments may be sent: the end of the current processing time, if any. Until then only urgent
    /// segments are sent.
    release_at: PackedOption<Time>,
    limits: Chronograph,
}

impl Sender {
    /// Number of bytes that may precede a sender in the first of the two cache lines that most ACKs use.
    pub const BYTES_BEFORE: usize = 128 - offset_of!(Connection, rtt) - size_of::<Time>();
    /// Offset of the fields that processing times use, in bytes.
    pub const PROCESSING_AT: usize = offset_of!(Self, stream);
    /// Memory per segment in flight in bytes, if segments are timed.
    pub const BYTES_OF_SEGMENT: usize = size_of::<Sent>();
    /// Memory per stale record of ns-2's array in bytes.
    pub const BYTES_OF_STALE_RECORD: usize = size_of::<Option<Sent>>();

    /// Whether senders with this configuration record the send time of each segment.
    pub fn times_segments(config: &SenderConfig) -> bool {
        Recovery::new(config, Ticks::default()).times_segments() || config.congestion.build().times_segments()
    }

    /// Creates a sender with nothing to send. Senders with equal configurations can share an `Arc`.
    pub fn new(config: impl Into<Arc<SenderConfig>>, mut stream: Stream) -> Self {
        let config = config.into();
        let ticks = if config.recovery == RecoverySpec::Rack && config.timer_tick > Time::ZERO {
            Ticks::with_phase(config.timer_tick, config.tick_phase, &mut stream)
        } else {
            Ticks::default()
        };
        let recovery = Recovery::new(&config, ticks);
        let connection = Connection::new(config, recovery.times_segments(), &mut stream);
        Self { connection, recovery, stream, release_at: PackedOption::NONE, limits: Chronograph::start(Time::ZERO) }
    }

    /// Prefetches the state that the sender has in memory of its own.
    #[inline(always)]
    pub fn prefetch(&self) {
        self.connection.extra.as_deref().into_iter().for_each(prefetch);
        self.recovery.prefetch();
        self.connection.law.prefetch();
    }

    /// Prefetches the records of its first and last segments, whose place is in the cache.
    #[inline(always)]
    pub fn prefetch_records(&self) {
        self.connection.records().into_iter().for_each(SendLog::prefetch);
    }

    /// Resets the sender for a new connection, in the same memory. The random stream, the times of its
    /// [limits](Self::limits) and the phase of its clocks are continued.
    pub fn renew(&mut self, now: Time) {
        self.limits.enter(Limit::Application, now);
        self.recovery.renew(&self.connection.config);
        self.connection.renew(&mut self.stream);
        self.release_at = PackedOption::NONE;
    }

    /// Gives the law other parameters: those of this configuration, which is otherwise the sender's.
    pub fn retune(&mut self, config: Arc<SenderConfig>) {
        self.connection.law.retune(&config.congestion);
        self.connection.config = config;
    }

    /// States where a law from [outside the engine](crate::congestion::foreign) runs; has no effect on other laws.
    pub fn place_law(&mut self, place: impl FnOnce() -> Place) {
        self.connection.law.place(place);
    }

    /// Size of a data segment on the wire in bytes.
    pub fn packet_size(&self) -> u32 {
        self.connection.config.packet_size
    }

    /// The ECN field of data that is sent for the first time.
    pub fn codepoint(&self) -> Ecn {
        let marks = self.connection.extra.as_ref().and_then(|extra| extra.marks.as_ref());
        marks.map_or(Ecn::NotEct, Marks::codepoint)
    }

    /// Supplies `segments` more segments of data. The first call opens the connection.
    #[inline(always)]
    pub fn supply(&mut self, segments: u64) {
        self.check_app_limited_at_write();
        let Connection { supplied, config, .. } = &mut self.connection;
        if segments > 0 && *supplied == 0 && config.handshake {
            *supplied = 1; // the SYN
        }
        *supplied = supplied.saturating_add(segments);
    }

    /// Opens the connection before there is data: with a handshake, sends the SYN.
    pub fn open(&mut self) {
        let Connection { supplied, config, .. } = &mut self.connection;
        *supplied = (*supplied).max(config.handshake.into());
    }

    /// Supplies `segments` more segments of data on an open connection.
    #[inline(always)]
    pub fn supply_more(&mut self, segments: u64) {
        debug_assert!(self.is_open(), "the first data opens the connection");
        self.check_app_limited_at_write();
        self.connection.supplied = self.connection.supplied.saturating_add(segments);
    }

    /// Looks before the application writes whether it has limited the sender, as Linux does (`tcp_rate_check_app_limited`).
    #[inline(always)]
    fn check_app_limited_at_write(&mut self) {
        if self.connection.samples_rate() {
            self.recovery.check_app_limited(&mut self.connection, true);
        }
    }

    /// Takes back the data that has never been sent. Returns the number of segments.
    pub fn withdraw(&mut self, now: Time) -> u64 {
        let before = self.supplied();
        let Connection { supplied, snd_max, .. } = &mut self.connection;
        *supplied = (*supplied).min(*snd_max);
        self.connection.persist(false, self.recovery.ticks(), now);
        self.choose_path();
        before - self.supplied()
    }

    /// Records that the application has data from `at` on, which is supplied later because the window was full.
    #[inline(always)]
    pub fn has_data_since(&mut self, at: Time) {
        if self.limits.state() == Limit::Application {
            self.wait_with_data(at);
        }
    }

    #[inline(never)]
    fn wait_with_data(&mut self, at: Time) {
        if !self.is_data_limited() {
            let limit = self.recovery.limit(&self.connection, true);
            self.limits.enter_since(limit, at);
        }
    }

    /// The time for which each reason has limited the sender up to `now`, in the order of [`Limit::ALL`]: since it was
    /// created at time 0, or since its limits were [restarted](Self::restart_limits).
    pub fn limits(&self, now: Time) -> [Time; Limit::ALL.len()] {
        self.limits.spent(now)
    }

    /// Counts the times of the [limits](Self::limits) from `now` on.
    pub const fn restart_limits(&mut self, now: Time) {
        self.limits.restart(now);
    }

    /// Whether data was supplied, which opens the connection.
    #[inline(always)]
    pub const fn is_open(&self) -> bool {
        self.connection.supplied > 0
    }

    /// Number of data segments supplied by the application.
    pub fn supplied(&self) -> u64 {
        self.connection.supplied.saturating_sub(u64::from(self.connection.config.handshake))
    }

    /// Resumes a sender that [is paused](Self::is_paused), after data was supplied. Other senders do not need this
    /// call.
    pub const fn handle_supply(&mut self) {
        self.recovery.on_supply();
    }

    /// Upper bound on the number of further segments that the sender could use in this turn or after the next ACK. It
    /// is 0 if the supplied data already exceeds what the receiver's window allows.
    #[inline(always)]
    pub fn send_quota(&self) -> u64 {
        let Connection { snd_max, supplied, config, .. } = &self.connection;
        (snd_max + u64::from(config.max_window)).saturating_sub(*supplied)
    }

    /// Whether the [quota](Self::send_quota) is above 0.
    #[inline(always)]
    pub fn wants_data(&self) -> bool {
        self.send_quota() > 0
    }

    /// Whether the sender waits only for data, to send it or to probe a closed window for it.
    #[inline(always)]
    pub fn is_data_limited(&self) -> bool {
        let Self { connection, recovery, .. } = self;
        let uses_data = || match connection.path {
            Path::General => recovery.is_open(connection) || connection.has_closed_window(),
            _ => connection.is_window_open(),
        };
        connection.snd_nxt == connection.supplied && uses_data()
    }

    /// Whether segments allowed by the window wait for the next ACK or the [next supply](Self::handle_supply), as in
    /// ns-2.
    #[inline(always)]
    pub fn is_paused(&self) -> bool {
        self.connection.path == Path::General && self.recovery.is_paused(&self.connection)
    }

    /// Whether all supplied data is acknowledged.
    pub const fn is_idle(&self) -> bool {
        self.connection.snd_una == self.connection.supplied
    }

    /// Whether an ACK arriving now would count as a duplicate: it acknowledges nothing new while data is outstanding
    /// (RFC 5681, section 2). Before the SYN is acknowledged there are no duplicates (RFC 9293, section 3.10.7.3).
    pub fn is_duplicate(&self, ack: Ack<'_>) -> bool {
        self.repeats(ack) && !self.is_window_update(ack)
    }

    /// Whether an ACK acknowledges nothing new while data is outstanding.
    #[inline(always)]
    fn repeats(&self, ack: Ack<'_>) -> bool {
        let Connection { snd_una, snd_max, .. } = self.connection;
        ack.next == snd_una && snd_una < snd_max && (snd_una > 0 || !self.connection.config.handshake)
    }

    /// Whether an ACK that repeats the last one only updates the window.
    #[inline(always)]
    fn is_window_update(&self, ack: Ack<'_>) -> bool {
        ack.sack.window().is_some() && self.connection.is_window_update(ack)
    }

    /// Handles an ACK.
    #[inline(always)]
    pub fn handle_ack(&mut self, ack: Ack<'_>, now: Time) {
        if self.is_steady_ack(ack) || self.is_selective_ack(ack) {
            self.handle_steady_ack(ack.next, now);
        } else if self.is_timed_ack(ack) {
            self.handle_timed_ack(ack.next, now);
        } else {
            self.handle_any_ack(ack, now);
        }
    }

    #[inline(never)]
    fn handle_any_ack(&mut self, ack: Ack<'_>, now: Time) {
        self.connection.law.set_now(now);
        let Connection { snd_una, snd_max, .. } = self.connection;
        let (mut only_updates, mut updates_window) = (false, false);
        if ack.sack.window().is_some() {
            only_updates = self.connection.is_window_update(ack);
            updates_window = ack.next <= snd_max && self.connection.update_rwnd(ack);
        }
        let is_current = snd_una <= ack.next && ack.next <= snd_max;
        let (reported, marked) = if is_current { self.marks(ack) } else { (0, 0) };
        let reduces = reported > 0 && self.connection.may_reduce_for_mark(ack.next);
        let is_new = is_current && ack.next > snd_una;
        if reduces && !is_new {
            self.recovery.on_mark(&mut self.connection, false);
        }
        if is_new {
            self.handle_new_ack(ack, marked, now);
        } else if !only_updates && self.repeats(ack) {
            self.connection.counters.dup_acks += 1;
            if !updates_window || self.recovery.counts_window_updates(&self.connection) {
                self.handle_duplicate_ack(ack, now);
            }
        } else if ack.next <= snd_una && (!only_updates || self.recovery.counts_window_updates(&self.connection)) {
            self.recovery.on_old_ack(&mut self.connection, ack, now);
        }
        // any other ACK acknowledges data never sent, and is ignored (RFC 9293, section 3.10.7.4)
        // unless the same ACK has shown a loss
        if reduces && is_new && self.connection.may_reduce_for_mark(ack.next) {
            self.recovery.on_mark(&mut self.connection, true);
        }
        // an old ACK gives no sample in Linux (`tcp_ack`)
        let is_sample = ack.next >= snd_una || self.connection.config.rack != RackRule::Linux;
        if is_sample && self.connection.samples_rate() {
            self.sample_rate(now);
        }
        self.connection.persist(is_current, self.recovery.ticks(), now);
        self.choose_path();
    }

    /// The marked segments that an ACK reports, and those that the law has not seen yet; see [`Connection::marks`].
    #[inline(always)]
    fn marks(&mut self, ack: Ack<'_>) -> (u64, u64) {
        let Self { connection, recovery, .. } = self;
        let delivered = if connection.config.most_marks { recovery.delivers(connection, ack) } else { 0 };
        connection.marks(ack.echo, ack.next, delivered)
    }

    /// Chooses the path of the next ACKs and turns, after anything but a steady ACK.
    fn choose_path(&mut self) {
        self.connection.set_snd_limit();
        self.connection.path = self.connection.path(&self.recovery);
        if self.connection.path != Path::General {
            self.connection.settle();
        }
    }

    fn handle_new_ack(&mut self, ack: Ack<'_>, marked: u64, now: Time) {
        let connection = &mut self.connection;
        let app_limited = connection.is_limited_elsewhere();
        let progress = self.recovery.before_new_ack(connection, ack, now);
        let before = connection.snd_una;
        let newly_acked = self.recovery.delivered().unwrap_or(ack.next - before);
        let is_partial = progress == Progress::Partial;
        let last = if is_partial { connection.advance(ack.next) } else { connection.acknowledge(ack.next, now) };
        let alone = before < connection.alone();
        let handshake_ends = alone && connection.open(before);
        if !handshake_ends {
            let advance = ack.next - before;
            let rtt = self.recovery.rtt(last, now);
            let news = News { newly_acked, advance, last, rtt, app_limited, marked };
            connection.tell_law(news, progress == Progress::Open || !is_partial && connection.config.grow_on_exit, now);
        }
        if is_partial {
            return self.recovery.after_partial_ack(connection, now);
        }
        if alone && connection.snd_una < connection.alone() {
            connection.window.cwnd = 1.0; // under any law, the next segment is sent alone too
        }
        self.recovery.after_new_ack(connection, now, last);
    }

    fn handle_duplicate_ack(&mut self, ack: Ack<'_>, now: Time) {
        let Self { connection, recovery, .. } = self;
        let app_limited = connection.is_limited_elsewhere();
        recovery.on_duplicate_ack(connection, ack, now);
        if let Some(newly_acked) = recovery.delivered_late(connection) {
            connection.tell_law(
                News { newly_acked, advance: 0, last: None, rtt: None, app_limited, marked: 0 },
                true,
                now,
            );
        }
    }

    /// Gives the law the delivery-rate sample of an ACK.
    #[inline(always)]
    pub(crate) fn sample_rate(&mut self, now: Time) {
        let Self { connection, recovery, stream, .. } = self;
        let Some(mut sample) = recovery.rate_sample(connection, now) else { return };
        let Connection { law, window, extra, config, .. } = connection;
        let Some(Extra { rate: Some(rate), pacer, gso, .. }) = extra.as_deref_mut() else { return };
        if let Some(gso) = gso.as_ref().filter(|_| !matches!(config.congestion, LawSpec::Bbr(_))) {
            sample.burst = gso.quantum(); // the first version of BBR computes its own
        }
        sample.departure = pacer.as_ref().and_then(|pacer| pacer.waits_until(now)).unwrap_or(now);
        if rate.has_losses() {
            for lost in rate.take_losses() {
                law.on_lost(window, &lost, &sample, stream);
            }
        }
        if law.on_rate(window, &sample, stream) {
            rate.limit(sample.in_flight);
        }
    }

    /// Tells the law which segments a timer has found lost, and whether this was the retransmission timer.
    fn tell_timer(&mut self, timed_out: bool, now: Time) {
        let Self { connection, recovery, stream, .. } = self;
        let Some(sample) = recovery.rate_at_timer(connection, now) else { return };
        let Connection { law, window, extra, .. } = connection;
        let Some(rate) = extra.as_mut().and_then(|extra| extra.rate.as_mut()) else { return };
        for lost in rate.take_losses() {
            law.on_lost(window, &lost, &sample, stream);
        }
        if timed_out {
            law.on_timeout(&sample, stream);
        }
    }

    /// Ends the turn: everything that may be sent has been sent.
    #[inline(never)]
    fn end_turn(&mut self, now: Time) {
        let Self { connection, recovery, limits, .. } = self;
        limits.enter(recovery.limit(connection, false), now);
        connection.note_usage(recovery.in_flight(connection));
        connection.persist(false, recovery.ticks(), now);
        if connection.samples_rate() {
            recovery.check_app_limited(connection, false);
        }
    }

    /// Handles the timer; call it at the time given by [`poll_timeout`](Self::poll_timeout).
    pub fn handle_timeout(&mut self, now: Time) {
        let connection = &mut self.connection;
        connection.law.set_now(now);
        if connection.probe_window(self.recovery.ticks(), now) {
            return self.choose_path();
        }
        if connection.samples_rate() {
            self.recovery.check_app_limited(connection, true); // tcp_write_timer_handler
        }
        if self.recovery.on_timer(connection, now) {
            self.tell_timer(false, now);
            return self.choose_path();
        }
        let outstanding = connection.snd_una < connection.snd_max;
        if outstanding {
            self.limits.time_out();
        }
        let holds = self.recovery.holds_threshold(connection);
        let reduces = self.recovery.before_timeout(connection, outstanding);
        connection.time_out(outstanding, reduces, holds);
        self.recovery.after_timeout(connection, now);
        self.tell_timer(reduces, now);
        let connection = &mut self.connection;
        if reduces && !connection.times_out_linearly() {
            connection.rtt.back_off(&connection.config.rtt);
        }
        connection.restart_timer(now);
        self.recovery.on_timer_restarted(connection, now);
        self.choose_path();
    }

    /// The next segment to send now. Fast retransmissions and limited transmit are sent immediately; other segments are
    /// sent as the window allows, after the processing time if there is one.
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        let number = match self.connection.urgent.take() {
            Some(number) if number < self.connection.snd_una => return Some(Connection::window_probe(number)),
            Some(number) => number,
            None => self.release(now)?,
        };
        let Self { recovery, connection, .. } = self;
        Some(match recovery {
            Recovery::Rack(rack) => rack.transmit(connection, number, now),
            _ => connection.transmit(number, now),
        })
    }

    /// The next segment to send after processing.
    #[inline(always)]
    fn release(&mut self, now: Time) -> Option<u64> {
        let connection = &mut self.connection;
        if connection.config.overhead > Time::ZERO && !self.release_at.is_at_most(now) {
            self.process(now);
            return None;
        }
        let Some(number) = self.recovery.next_segment(connection) else {
            self.release_at = PackedOption::NONE;
            self.end_turn(now);
            return None;
        };
        match self.admission(number, now) {
            Admission::Granted(_) => {}
            Admission::PacedUntil(at) => {
                self.release_at = PackedOption::some(at);
                self.limits.enter(Limit::Pacing, now);
                self.connection.note_usage(self.recovery.in_flight(&self.connection));
                return None;
            }
            Admission::Deferred => {
                self.defer(now);
                return None;
            }
            Admission::Queued => {
                self.wait_for_queue(now);
                return None;
            }
        }
        self.recovery.on_sent(&mut self.connection, number);
        Some(number)
    }

    /// Ends the turn while data waits for the next ACK.
    #[inline(never)]
    fn defer(&mut self, now: Time) {
        let connection = &self.connection;
        self.release_at = PackedOption::NONE;
        self.limits.enter(connection.limit(true, || connection.is_limited_by_receiver(), || false), now);
    }

    /// Whether segment `number` may be sent at `now`, if the windows allow it.
    #[inline(always)]
    fn admission(&mut self, number: u64, now: Time) -> Admission {
        let connection = &mut self.connection;
        if connection.has_gso() {
            return self.admit(number, now);
        }
        if let Some(at) = connection.paced_until(number, now) {
            return Admission::PacedUntil(at);
        }
        if connection.config.idle_restart != IdleRestart::Timeout {
            connection.restart_after_idle(now);
        }
        if connection.waits_for_queue(number, 1) { Admission::Queued } else { Admission::Granted(1) }
    }

    /// Continues a processing time; if none is active, starts one if a segment may be sent after it, or else ends the turn.
    #[inline(never)]
    fn process(&mut self, now: Time) {
        if !self.release_at.is_none() {
            return;
        }
        if self.recovery.next_segment(&self.connection).is_some() {
            self.release_at = PackedOption::some(now + self.stream.time_below(self.connection.config.overhead));
            self.limits.enter(Limit::Processing, now);
        } else {
            self.end_turn(now);
        }
    }

    /// Time at which [`handle_timeout`](Self::handle_timeout) is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.recovery.timer(&self.connection).get()
    }

    /// Time at which the processing time ends and [`poll_transmit`](Self::poll_transmit) must be called again.
    pub fn poll_release(&self) -> Option<Time> {
        self.release_at.get()
    }

    /// Heap memory in bytes, excluding the shared configuration.
    pub fn memory(&self) -> usize {
        self.connection.memory() + self.recovery.memory()
    }

    /// Event counts so far.
    pub const fn counters(&self) -> Counters {
        let Connection { snd_max, counters, rtt, .. } = &self.connection;
        let RareCounters { retransmissions, timeouts, fast_retransmits, dup_acks } = *counters;
        let (sent, round_trips) = (*snd_max + retransmissions, rtt.round_trips);
        Counters { sent, retransmissions, timeouts, fast_retransmits, dup_acks, round_trips }
    }

    /// Forgets the round-trip samples so far, which the counters contain.
    pub fn restart_round_trips(&mut self) {
        self.connection.rtt.round_trips = RoundTrips::default();
    }

    /// The observable state.
    pub fn state(&self) -> SenderState {
        let Connection { config, window, rtt, .. } = &self.connection;
        SenderState {
            cwnd: window.cwnd,
            ssthresh: window.ssthresh,
            flight_size: self.connection.flight(),
            srtt: rtt.srtt(&config.rtt).unwrap_or(f64::NAN),
            rto: rtt.rto().as_secs_f64(),
        }
    }

    /// The values of [`state`](Self::state) that need no arithmetic: congestion window, threshold and flight size.
    #[inline(always)]
    pub const fn windows(&self) -> (f64, f64, u64) {
        let Connection { window, .. } = &self.connection;
        (window.cwnd, window.ssthresh, self.connection.flight())
    }

    /// Internal values of the smoothed round-trip time and of the timeout. While they do not change, the times of
    /// [`state`](Self::state) do not change either. The first value is 0 before the first sample.
    #[inline(always)]
    pub fn timing(&self) -> (u64, Time) {
        let rtt = &self.connection.rtt;
        (rtt.raw_srtt(), rtt.rto())
    }
}

/// What an ACK says to the law.
#[derive(Clone, Copy, Debug)]
struct News {
    newly_acked: u64,
    advance: u64,
    /// The record of the last segment that the ACK acknowledges, if segments are timed.
    last: Option<Sent>,
    /// The round-trip time that the ACK gives.
    rtt: Option<Time>,
    app_limited: bool,
    marked: u64,
}

impl Connection {
    /// Tells the law about an ACK that `may_grow` the window or not.
    fn tell_law(&mut self, news: News, may_grow: bool, now: Time) {
        let News { newly_acked, advance, last, rtt: sample_rtt, app_limited, marked } = news;
        let Self { law, extra, window, snd_una, snd_nxt, rtt, config, .. } = self;
        let sample = || AckSample {
            now,
            snd_una: *snd_una,
            snd_nxt: *snd_nxt,
            newly_acked,
            advance,
            byte_counting: config.byte_counting,
            srtt: rtt.srtt(&config.rtt).unwrap_or(f64::NAN),
            elapsed: last.map(|sent| sent.elapsed(now)),
            rtt: sample_rtt,
            app_limited,
            marked,
        };
        if may_grow {
            let growth = window.begin_growth(config.whole_growth);
            law.on_ack(extra, window, sample);
            window.end_growth(growth);
        } else {
            law.observe(sample);
        }
    }

    /// Called for each ACK of the initial segments that are sent one at a time; `before` is the previous `snd_una`.
    /// Returns whether the handshake ends.
    #[inline(never)]
    fn open(&mut self, before: u64) -> bool {
        if self.snd_una >= self.alone() {
            self.window.cwnd = f64::from(self.initial_window());
        }
        let handshake_ends = before == 0 && self.config.handshake;
        if handshake_ends && self.counters.timeouts > 0 {
            self.rtt.after_lost_syn(&self.config.rtt);
        }
        handshake_ends
    }

    /// Whether the SYN is not acknowledged yet.
    fn is_opening(&self) -> bool {
        self.config.handshake && self.snd_una == 0
    }

    /// Whether a timeout does not double the next one, because it is one of the first of a SYN (Linux,
    /// `tcp_syn_linear_timeouts`).
    fn times_out_linearly(&self) -> bool {
        self.config.rack == RackRule::Linux && self.is_opening() && self.counters.timeouts <= LINEAR_SYN_TIMEOUTS
    }

    /// Handles a timeout: reduces the window and restarts from the first unacknowledged segment. `holds` states
    /// whether the threshold stays as it is.
    fn time_out(&mut self, outstanding: bool, reduces: bool, holds: bool) {
        if outstanding {
            self.counters.timeouts += 1;
        }
        if self.config.recovery != RecoverySpec::Tahoe {
            self.dup_acks = 0;
        }
        self.limited = 0;
        self.inflation = 0;
        let (repaired, ssthresh) = (self.is_past_recover(), self.window.ssthresh);
        self.recover = PackedOption::some(self.snd_max); // RFC 6582, section 3.2, step 4
        if reduces {
            self.reduce(Signal::Timeout, false, 0);
            if holds {
                self.window.ssthresh = ssthresh;
            } else if !repaired && self.config.decrease_from == DecreaseFrom::FlightSize {
                // RFC 5681, equation 4, limits ssthresh to half of FlightSize. In a long recovery FlightSize includes
                // segments that arrived many round trips ago, so half of it can exceed the window at the time of the
                // loss.
                self.window.ssthresh = self.window.ssthresh.min(ssthresh);
            }
        } else {
            self.window.cwnd = 1.0;
        }
        if self.is_opening() {
            // Linux tolerates one timeout (`tcp_init_transfer`)
            self.lost_syn = self.config.rack != RackRule::Linux || self.counters.timeouts > 1;
            self.window.cwnd = 1.0; // under any law, the SYN is sent alone
        }
        self.snd_nxt = self.snd_una;
        self.timed = PackedOption::NONE;
        self.urgent = PackedOption::NONE;
    }
}
