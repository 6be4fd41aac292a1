//! Independently counts the segments that a sender sent and the ACKs it received, and checks the contract.

use std::collections::{BTreeMap, BTreeSet};

use super::{Kept, hold};
use crate::congestion::LawSpec;
use crate::recovery::RecoverySpec;
use crate::{
    Counters, EcnMode, IdleRestart, PrrRule, RackRule, Sack, SackRule, Segment, Sender, SenderConfig, SenderState,
    SlowStartRule, UndoRule,
};
use ackclock_units::Time;

/// The largest share of the window that a mark leaves with ABE (RFC 8511, section 4.1).
const ABE_KEPT: f64 = 0.85;

/// An event passed to a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// An ACK that acknowledges this number of new segments.
    NewAck(u64),
    /// An ACK with no new information while data is outstanding.
    Duplicate,
    /// The retransmission timer fired.
    Timeout,
    /// Anything else: data to send, an old ACK, the end of a processing time.
    Other,
}

/// Counts kept independently of the sender.
#[derive(Debug)]
pub(crate) struct Witness {
    config: SenderConfig,
    /// Segments supplied by the application, including the SYN.
    supplied: u64,
    /// Segments sent but not acknowledged, with the time each was last sent.
    outstanding: BTreeMap<u64, Time>,
    /// First segment never sent (`highest`), and first segment not acknowledged (`acked`).
    highest: u64,
    acked: u64,
    /// Segments reported in SACK blocks since the last timeout.
    heard: BTreeSet<u64>,
    /// Highest segment sent when the last loss was signalled. Losses below it must not be signalled again.
    recover: u64,
    /// When the window was last reduced.
    reduced: Option<Time>,
    /// Duplicate ACKs since the last new ACK, or since fast recovery began.
    duplicates: u64,
    /// Number of segments sent, and number of retransmissions among them.
    counts: (u64, u64),
    /// Segments that the last ACK was the first to report selectively.
    newly_heard: u64,
    /// First segment outside the windows advertised so far, if ACKs carry the window, and outside the one in force.
    edge: Option<u64>,
    current: u64,
    /// The largest window so far, which undoing a reduction may restore.
    peak: f64,
    /// The largest window at which the last reduction that is spread over an episode may end.
    target: f64,
}

impl Witness {
    pub(crate) fn new(config: &SenderConfig) -> Self {
        Self {
            config: config.clone(),
            supplied: 0,
            outstanding: BTreeMap::new(),
            highest: 0,
            acked: 0,
            heard: BTreeSet::new(),
            recover: 0,
            reduced: None,
            duplicates: 0,
            counts: (0, 0),
            newly_heard: 0,
            edge: config.first_window().map(u64::from),
            current: config.first_window().unwrap_or(0).into(),
            peak: 0.0,
            target: 0.0,
        }
    }

    /// Number of segments that the sender knows to be acknowledged.
    pub(crate) const fn acked(&self) -> u64 {
        self.acked
    }

    /// Number of segments sent, and number of retransmissions among them.
    pub(crate) const fn counts(&self) -> (u64, u64) {
        self.counts
    }

    pub(crate) fn supply(&mut self, segments: u64) {
        self.supplied += segments + u64::from(self.supplied == 0 && self.config.handshake);
    }

    /// Counts an ACK that is about to be passed to the sender, and returns its kind.
    pub(crate) fn hear(&mut self, next: u64, sack: &Sack) -> Cause {
        let is_update = self.updates(next, sack);
        if next < self.acked || self.outstanding.is_empty() {
            return Cause::Other;
        }
        let known = self.heard.len();
        self.heard.extend(sack.blocks().iter().flat_map(|block| block.start..block.end));
        self.newly_heard = (self.heard.len() - known) as u64;
        if next == self.acked {
            if is_update && self.config.read_rate.is_some() && sack.is_empty() {
                return Cause::Other;
            }
            self.duplicates += 1;
            return Cause::Duplicate;
        }
        let news = next - self.acked;
        self.acked = next;
        self.outstanding = self.outstanding.split_off(&next);
        self.heard = self.heard.split_off(&next);
        if next >= self.recover {
            self.duplicates = 0;
        }
        Cause::NewAck(news)
    }

    /// Whether data waits for a closed window while nothing is outstanding, so that the timer is the persist timer.
    pub(crate) fn persists(&self) -> bool {
        let is_closed = self.outstanding.is_empty() && self.edge.is_some() && self.current <= self.acked;
        is_closed && self.acked < self.supplied
    }

    /// Records the window of an ACK. Returns whether its right edge moves.
    fn updates(&mut self, next: u64, sack: &Sack) -> bool {
        let Some((edge, window)) = self.edge.zip(sack.window()) else { return false };
        let end = next + u64::from(window);
        self.edge = Some(edge.max(end));
        let before = self.current;
        if end > before || next > self.acked || next == self.acked && window == 0 {
            self.current = end;
        }
        self.current != before
    }

    /// Checks the state of the sender after it has processed an event and before it sends.
    pub(crate) fn check(&mut self, cause: Cause, now: Time, before: (SenderState, Counters), sender: &Sender) -> Kept {
        let (state, counters) = (sender.state(), sender.counters());
        let fast = counters.fast_retransmits - before.1.fast_retransmits;
        let timeouts = counters.timeouts - before.1.timeouts;
        // an episode that ends sets the window to the threshold, and the next one may begin at once
        let target = if self.recover > 0 { before.0.ssthresh.min(before.0.flight_size as f64 + 1.0) } else { 0.0 };
        self.peak = self.peak.max(before.0.cwnd).max(target);
        match cause {
            // a timer of RACK may have fired instead
            Cause::Timeout if self.has_rack() && timeouts == 0 => {
                hold!(fast <= 1, "a timer signals {fast} losses, but may signal one");
                if fast > 0 {
                    self.lost(now, &before.0, &state)?;
                }
            }
            Cause::Timeout if self.has_rack() => {
                let (from, to) = (before.0.cwnd, state.cwnd);
                hold!(to <= from.max(2.0), "a timeout grows the window from {from} to {to} packets");
                self.signalled(now, timeouts);
                self.duplicates = 0;
            }
            Cause::Timeout => {
                let waits = u64::from(!self.outstanding.is_empty());
                hold!((fast, timeouts) == (0, waits), "the timer signals {fast} losses and {timeouts} timeouts");
                hold!(state.cwnd <= 2.0, "the window is {} packets after a timeout; at most 2 are allowed", state.cwnd);
                self.signalled(now, timeouts);
                self.heard.clear();
                self.duplicates = 0;
            }
            Cause::Duplicate | Cause::NewAck(_) | Cause::Other
                if fast > 0 && (self.has_rack() || cause == Cause::Duplicate) =>
            {
                hold!((fast, timeouts) == (1, 0), "one ACK signals {fast} losses and {timeouts} timeouts");
                self.lost(now, &before.0, &state)?;
            }
            _ => {
                hold!(
                    (fast, timeouts) == (0, 0),
                    "{fast} losses and {timeouts} timeouts are signalled, but none occurred"
                );
                self.grows(cause, &before.0, &state)?;
            }
        }
        if timeouts > 0 || !self.is_reduced(self.acked) {
            self.target = 0.0;
        }
        let counted = counters.dup_acks - before.1.dup_acks;
        hold!(counted == u64::from(cause == Cause::Duplicate), "{counted} duplicate ACKs are counted for one event");
        self.counts_flight(&state)
    }

    fn counts_flight(&self, state: &SenderState) -> Kept {
        let (counted, there) = (state.flight_size, self.outstanding.len());
        hold!(counted == there as u64, "the flight size is {counted}, but {there} packets are outstanding");
        Ok(())
    }

    /// Checks a loss signalled by duplicate ACKs. Losses among the data that was in flight at the last signalled loss
    /// must not reduce the window again.
    fn lost(&mut self, now: Time, before: &SenderState, state: &SenderState) -> Kept {
        if self.config.recovery == RecoverySpec::Vegas {
            // Vegas: no reduction if the window was already reduced since the lost segment was last sent
            if self
                .reduced
                .is_some_and(|reduced| reduced >= self.outstanding.get(&self.acked).copied().unwrap_or(reduced))
            {
                hold!(
                    (before.cwnd, before.ssthresh) == (state.cwnd, state.ssthresh),
                    "the window is reduced twice for one event, from {} to {} packets",
                    before.cwnd,
                    state.cwnd
                );
                return Ok(());
            }
            if self.config.ecn != EcnMode::Off {
                return Ok(()); // the window may have been reduced for a mark since
            }
        } else if !self.may_undo() {
            hold!(self.acked >= self.recover, "a second loss is signalled for losses of one window");
        }
        let (flight, duplicates) = (before.flight_size as f64, self.duplicates as f64);
        // a mark of the same window may have reduced it already, with ABE by less
        let marked = self.config.ecn != EcnMode::Off && !self.config.congestion.grades_marks();
        let kept = self.config.congestion.kept().max(if marked && self.config.abe { ABE_KEPT } else { 0.0 });
        if self.spreads() {
            // during an episode, the window is as large as the network is full; the last one may end with this ACK
            self.target = kept * before.cwnd.max(flight).max(self.target);
            self.signalled(now, 1);
            return Ok(());
        }
        let most = kept * (before.cwnd + duplicates).max(flight);
        // Vegas inflates `cwnd` itself; a retransmission on a new ACK counts as three duplicate ACKs
        let inflation = if self.config.recovery == RecoverySpec::Vegas { duplicates + 3.0 } else { 0.0 };
        let least = (most.max(2.0) + inflation).max(if marked { before.cwnd } else { 0.0 });
        hold!(state.cwnd <= least, "the window is {} packets after a loss; at most {least} are allowed", state.cwnd);
        let least = before.ssthresh.max(most).max(2.0);
        hold!(
            state.ssthresh <= least,
            "ssthresh is {} packets after a loss; at most {least} are allowed",
            state.ssthresh
        );
        self.signalled(now, 1);
        Ok(())
    }

    fn signalled(&mut self, now: Time, count: u64) {
        if count > 0 {
            self.recover = self.highest;
        }
        self.reduced = Some(now);
    }

    /// Checks that, without a loss, the window grows within its limit and does not shrink.
    fn grows(&self, cause: Cause, before: &SenderState, state: &SenderState) -> Kept {
        let SenderConfig { recovery, congestion, initial_window, slow_start, byte_counting, .. } = &self.config;
        let (initial, alone) = (f64::from(*initial_window), self.alone());
        let opens = matches!(cause, Cause::NewAck(news) if self.acked >= alone && self.acked - news < alone);
        let counts_segments =
            *byte_counting > 0 || *slow_start == SlowStartRule::HystartPlusPlus || congestion.counts_segments();
        // RACK counts each segment when it is delivered; without SACK, a duplicate ACK reports one
        let reported =
            if self.config.has_sack { self.newly_heard } else { u64::from(matches!(cause, Cause::Duplicate)) };
        let early = if self.has_rack() { reported } else { 0 };
        let growth = |news: u64| if counts_segments { (news + early) as f64 } else { 1.0 };
        let news = if let Cause::NewAck(news) = cause { news } else { 0 };
        let has_marks = self.config.ecn != EcnMode::Off;
        if self.config.needs_rack() {
            if matches!(congestion, LawSpec::Foreign(_)) {
                return Ok(()); // the window is the law's alone
            }
            // a recovery ends with the window before it; no ACK delivers more than what is outstanding
            let most = before.cwnd.max(self.peak).max(4.0).max(initial);
            return self.grew(before, state, most + before.flight_size as f64);
        }
        if self.spreads() && (self.is_reduced(self.acked - news) || self.may_undo() || has_marks) {
            // during an episode, the window is as large as the network is full; its end may grow it, with Vegas not to
            // the threshold
            // if the ACK that opens the window carries a mark, the window is reached only when the reduction ends
            let opened = if opens || has_marks { initial } else { 0.0 };
            let restored = if self.may_undo() { self.peak } else { 0.0 };
            let ended = before.ssthresh.max(self.target);
            let most = before.cwnd.max(ended).max(before.flight_size as f64).max(opened).max(restored)
                + 1.0
                + (news + early) as f64;
            return self.grew(before, state, most);
        }
        let most = match cause {
            Cause::NewAck(news) if opens => before.cwnd.max(initial) + growth(news),
            Cause::NewAck(news) if *recovery == RecoverySpec::NewReno => {
                before.cwnd.max(before.ssthresh) + growth(news)
            }
            // Vegas' congestion control never sets a window below two segments, so a smaller window may grow to two
            Cause::NewAck(news) => before.cwnd.max(1.0) + growth(news),
            Cause::Duplicate if *recovery == RecoverySpec::Vegas => before.cwnd + 1.0,
            // after reordering, what is delivered counts, in whatever order
            Cause::Duplicate if self.has_rack() && self.config.rack == RackRule::Linux => before.cwnd + growth(0),
            _ => before.cwnd,
        };
        self.grew(before, state, most)?;
        let deflates = matches!(recovery, RecoverySpec::NewReno | RecoverySpec::Vegas);
        let stays = matches!(slow_start, SlowStartRule::Standard | SlowStartRule::Limited);
        // a mark may reduce the window at any ACK
        let reduces = congestion.shrinks() || has_marks;
        // each segment that is sent alone leaves with a window of one
        if !reduces && !deflates && !opens && self.acked >= alone {
            let (from, to) = (before.cwnd, state.cwnd);
            hold!(to >= from, "the window shrinks from {from} to {to} packets without a loss");
            // the ACK that ends slow start may also grow the window in congestion avoidance
            let ends_slow_start =
                !stays && before.cwnd < before.ssthresh && (before.cwnd..=state.cwnd).contains(&state.ssthresh);
            let (from, to) = (before.ssthresh, state.ssthresh);
            // a window that grows by whole segments takes the threshold's fraction with its own
            let loses_fraction = self.config.whole_growth && to == from.floor();
            hold!(
                to == from || loses_fraction || ends_slow_start,
                "ssthresh changes from {from} to {to} packets without a loss"
            );
        }
        Ok(())
    }

    /// Checks that the window has grown to at most `most` packets. Whole growth rounds up a window that lacks 1e-9 of one.
    fn grew(&self, before: &SenderState, state: &SenderState, most: f64) -> Kept {
        let (from, to) = (before.cwnd, state.cwnd);
        let rounded = if self.config.whole_growth { 1e-9 } else { 0.0 };
        let is_kept = to <= most + rounded;
        hold!(is_kept, "the window grows from {from} to {to} packets with one ACK; at most {most} are allowed");
        Ok(())
    }

    /// Whether a reduction may be undone, so that the next loss is a new event.
    fn may_undo(&self) -> bool {
        self.has_rack() && (self.config.undo != UndoRule::Off || self.config.frto)
    }

    /// Whether an episode lasts once all segments before `acked` are acknowledged. Without SACK, it lasts one segment longer
    /// (RFC 6582, section 3.2, step 1; Linux, `tcp_try_undo_recovery`).
    fn is_reduced(&self, acked: u64) -> bool {
        let lasts_longer = self.has_rack() && !self.config.has_sack;
        self.recover > 0 && acked < self.recover + u64::from(lasts_longer)
    }

    /// Whether a reduction is spread over an episode.
    fn spreads(&self) -> bool {
        let with_prr = self.config.recovery == RecoverySpec::Sack && self.config.sack == SackRule::Rfc6675;
        self.has_rack() || with_prr && self.config.prr != PrrRule::Off
    }

    const fn has_rack(&self) -> bool {
        matches!(self.config.recovery, RecoverySpec::Rack)
    }

    /// Number of segments sent one at a time before the initial window opens, including the SYN.
    fn alone(&self) -> u64 {
        u64::from(self.config.lone_segments) + u64::from(self.config.handshake)
    }

    /// Checks a segment that is sent; `state` is the sender's state before the transmission.
    pub(crate) fn sent(&mut self, segment: Segment, now: Time, state: SenderState) -> Kept {
        let Segment { number, size, syn, .. } = segment;
        let max_window = u64::from(self.config.max_window);
        if segment.is_probe() {
            let may_probe = self.persists() && number + 1 == self.acked;
            hold!(may_probe, "a probe is sent, but the window is not closed, or no data waits");
            return Ok(());
        }
        let exists = number >= self.acked && number < self.supplied && number <= self.highest;
        hold!(exists, "packet {number} is sent, which is acknowledged, not supplied, or not next");
        hold!(number - self.acked < max_window, "packet {number} is beyond the advertised window");
        hold!(self.edge.is_none_or(|edge| number < edge), "packet {number} is beyond the window that ACKs carry");
        hold!(syn == (number == 0 && self.config.handshake), "packet {number} has a wrong SYN flag");
        hold!(size == if syn { 40 } else { 1500 }, "packet {number} has {size} bytes");
        if self.config.handshake && self.acked == 0 {
            hold!(number == 0, "packet {number} is sent before the SYN is acknowledged");
        }
        self.counts.0 += 1;
        if number < self.highest {
            self.counts.1 += 1;
            let known =
                self.has_rack() || self.config.recovery == RecoverySpec::Sack && self.config.sack == SackRule::Rfc6675;
            // Linux leaves the timer of a probe pending if the last segment is reported (`tcp_send_loss_probe`)
            let probes = self.config.tail_loss_probe && self.config.rack == RackRule::Linux && self.has_rack();
            let may_repeat = number == self.acked || probes && number + 1 == self.highest;
            hold!(
                may_repeat || !known || !self.heard.contains(&number),
                "packet {number} is retransmitted, but was reported as received"
            );
        } else {
            self.highest += 1;
            if let Some(allowed) = self.allowance(state) {
                let under_way = self.under_way() + 1;
                hold!(under_way as f64 <= allowed, "{under_way} packets are in flight; {allowed} are allowed");
            }
        }
        self.outstanding.insert(number, now);
        Ok(())
    }

    /// Maximum number of segments in flight when new data is sent.
    fn allowance(&self, state: SenderState) -> Option<f64> {
        match (self.config.recovery, self.config.sack) {
            (RecoverySpec::Sack, SackRule::Rfc6675) => Some(state.cwnd),
            // by design, Fall and Floyd's `pipe` may underestimate the data in flight; a probe ignores the window, and what
            // RACK counts as lost depends on times
            (RecoverySpec::Sack, SackRule::FallFloyd) | (RecoverySpec::Rack, _) => None,
            // the empty record of a segment never sent counts as expired
            (RecoverySpec::Vegas, _) if self.config.stale_records => Some(state.cwnd + self.duplicates as f64 + 1.0),
            // limited transmit and inflation release at most one segment per duplicate ACK
            _ => Some(state.cwnd + self.duplicates as f64),
        }
    }

    /// Number of outstanding segments; with SACK recovery, only segments that are neither SACKed nor lost by RFC 6675's
    /// `IsLost`.
    fn under_way(&self) -> u64 {
        let outstanding = self.outstanding.keys();
        if self.config.recovery != RecoverySpec::Sack {
            return outstanding.count() as u64;
        }
        let third = self.heard.iter().rev().nth(2).copied().unwrap_or(0);
        outstanding.filter(|number| !self.heard.contains(number) && **number > third).count() as u64
    }

    /// Checks a sender that has nothing more to send for now.
    pub(crate) fn rests(&self, now: Time, sender: &Sender) -> Kept {
        let state = sender.state();
        let (sent, retransmissions) = self.counts;
        let counted = (sender.counters().sent, sender.counters().retransmissions);
        hold!(counted == (sent, retransmissions), "{sent} packets were sent, but {} are counted", counted.0);
        self.counts_flight(&state)?;
        window_is_sane(&self.config, &state)?;
        hold!(sender.poll_release().is_none_or(|at| at >= now), "the sender waits for a time that has passed");
        if let Some(at) = sender.poll_timeout() {
            // long timers are rounded up by at most an eighth, and wait for the next tick
            let (longest, tick) = (self.config.rtt.max_rto.as_picos(), self.config.timer_tick.as_picos());
            let rounded = if tick > 0 { longest / 7 + 2 * tick } else { 0 };
            let latest = now + Time::from_picos(longest + rounded);
            hold!(at >= now && at <= latest, "the timer is set for {at} at {now}");
        } else {
            hold!(self.outstanding.is_empty(), "no timer runs while data is outstanding (RFC 6298, 5.1)");
            hold!(
                self.highest == self.supplied || sender.poll_release().is_some(),
                "the sender has stopped, but waits for nothing"
            );
        }
        Ok(())
    }
}

/// Checks that the window is finite and at least one segment, or zero if Vegas, as in ns-2, restores a window that it
/// never stored.
///
/// # Errors
/// If the window is none.
pub fn window_is_sane(config: &SenderConfig, state: &SenderState) -> Kept {
    let slips =
        config.recovery == RecoverySpec::Vegas && config.stale_records && config.idle_restart == IdleRestart::Timeout;
    let least = if slips { 0.0 } else { 1.0 };
    let SenderState { cwnd, ssthresh, .. } = *state;
    hold!(cwnd.is_finite() && cwnd >= least, "the window is {cwnd} packets; at least {least} are needed");
    hold!(ssthresh.is_finite() && ssthresh >= 1.0, "ssthresh is {ssthresh} packets; at least 1 is needed");
    Ok(())
}
