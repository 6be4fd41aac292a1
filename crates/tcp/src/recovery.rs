//! Loss recovery: decides when a segment counts as lost and what is retransmitted.
//!
//! The set of algorithms is fixed, so it is an enum: each method is a match that shows the variants next to each other,
//! and each variant has its own file.
//!
//! A fast retransmission restarts the retransmission timer, as in ns-2 and BSD, so that the retransmitted segment has a
//! full timeout to be acknowledged. RFC 6298 restarts the timer only on new ACKs.

mod newreno;
mod prr;
mod rack;
mod reno;
mod sack;
mod tahoe;
mod vegas;

use ackclock_units::Time;
use ackclock_units::prefetch::prefetch;

pub use crate::config::RecoverySpec;
use crate::config::{RackRule, SenderConfig};
use crate::congestion::Signal;
use crate::delivery_rate::RateSample;
use crate::limits::Limit;
use crate::packed_option::PackedOption;
use crate::scoreboard::Scoreboard;
use crate::segment::{Ack, Block};
use crate::send_log::Sent;
use crate::sender::connection::Connection;
use crate::ticks::Ticks;

/// Number of duplicate ACKs that indicate a loss (RFC 5681, section 3.2).
const DUP_THRESH: u32 = 3;

/// Effect of a new ACK on fast recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// No fast recovery is active.
    Open,
    /// Fast recovery ends.
    Ends,
    /// Fast recovery continues: this is a partial ACK (RFC 6582).
    Partial,
}

/// The state of a sender's loss recovery.
#[derive(Clone, Debug)]
pub enum Recovery {
    /// See [`RecoverySpec::Tahoe`].
    Tahoe,
    /// See [`RecoverySpec::Reno`].
    Reno(reno::Reno),
    /// See [`RecoverySpec::Vegas`].
    Vegas(Box<vegas::Vegas>),
    /// See [`RecoverySpec::NewReno`].
    NewReno(newreno::NewReno),
    /// See [`RecoverySpec::Sack`].
    Sack(Box<sack::Sack>),
    /// See [`RecoverySpec::Rack`].
    Rack(Box<rack::Rack>),
}

impl Recovery {
    /// The initial state; `ticks` is the clock of RACK's timers.
    pub(crate) fn new(config: &SenderConfig, ticks: Ticks) -> Self {
        match config.recovery {
            RecoverySpec::Tahoe => Self::Tahoe,
            RecoverySpec::Reno => Self::Reno(reno::Reno::default()),
            RecoverySpec::NewReno => Self::NewReno(newreno::NewReno::default()),
            RecoverySpec::Sack => Self::Sack(Box::new(sack::Sack::new(config.sack))),
            RecoverySpec::Rack => Self::Rack(Box::new(rack::Rack::new(ticks))),
            RecoverySpec::Vegas => Self::Vegas(Box::default()),
        }
    }

    /// Returns to the initial state. RACK keeps its memory and the clock of its timers.
    pub(crate) fn renew(&mut self, config: &SenderConfig) {
        match self {
            Self::Rack(rack) => rack.renew(),
            _ => *self = Self::new(config, Ticks::default()),
        }
    }

    /// The clock of RACK's timers.
    pub(crate) fn ticks(&self) -> Ticks {
        if let Self::Rack(rack) = self { rack.ticks() } else { Ticks::default() }
    }

    /// Prefetches the state that lies in memory of its own.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        match self {
            Self::Sack(sack) => prefetch(&**sack),
            Self::Rack(rack) => prefetch(&**rack),
            Self::Vegas(vegas) => prefetch(&**vegas),
            _ => {} // others are small, and lie in the sender
        }
    }

    /// Heap memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Sack(sack) => size_of_val(&**sack) + sack.memory(),
            Self::Rack(rack) => size_of_val(&**rack) + rack.memory(),
            Self::Vegas(vegas) => size_of_val(&**vegas),
            Self::Tahoe | Self::Reno(_) | Self::NewReno(_) => 0,
        }
    }

    /// Whether the algorithm needs the send time of each segment.
    pub(crate) const fn times_segments(&self) -> bool {
        matches!(self, Self::Vegas(_) | Self::Rack(_))
    }

    /// Whether the algorithm does nothing until the next duplicate ACK or timeout: no recovery is active, and neither
    /// new ACKs without SACK blocks nor transmissions matter to it. RACK only records them.
    pub(crate) fn is_at_rest(&self, connection: &Connection) -> bool {
        match self {
            Self::Tahoe => true,
            Self::Reno(reno) => reno.is_at_rest(),
            Self::NewReno(newreno) => newreno.is_at_rest(),
            Self::Rack(rack) => rack.is_at_rest(connection),
            Self::Sack(sack) => sack.is_at_rest(),
            Self::Vegas(_) => false,
        }
    }

    /// When the sender's timer fires; the connection has a lower bound of it.
    #[inline(always)]
    pub(crate) fn timer(&self, connection: &Connection) -> PackedOption<Time> {
        if let Self::Rack(rack) = self { rack.timer(connection) } else { connection.timer }
    }

    /// Whether losses are being repaired: after they were found or after a timeout, until all data that was outstanding
    /// then is acknowledged.
    pub(crate) fn is_repairing(&self, connection: &Connection) -> bool {
        match self {
            Self::Rack(rack) => rack.is_repairing(),
            _ => connection.recover.is_some_and(|recover| connection.snd_una < recover),
        }
    }

    /// Whether a timeout now leaves the slow-start threshold, because the window was reduced for data that is still
    /// outstanding (Linux, `tcp_enter_loss`). RFC 5681, section 3.1, holds it only while the same segment times out, which
    /// half of the flight does as well.
    pub(crate) fn holds_threshold(&self, connection: &Connection) -> bool {
        matches!(self, Self::Rack(rack) if connection.config.rack == RackRule::Linux && rack.is_reduced(connection))
    }

    /// Whether a fast recovery is active, or RACK's reduction after a mark.
    pub(crate) const fn recovers(&self) -> bool {
        match self {
            Self::Tahoe | Self::Vegas(_) => false,
            Self::Reno(reno) => !reno.is_at_rest(),
            Self::NewReno(newreno) => !newreno.is_at_rest(),
            Self::Sack(sack) => sack.recovers(),
            Self::Rack(rack) => rack.is_reducing(),
        }
    }

    /// Number of segments in the network.
    pub(crate) fn in_flight(&self, connection: &Connection) -> u64 {
        if let Self::Rack(rack) = self { rack.pipe(connection, connection.snd_una) } else { connection.flight() }
    }

    /// The minimum round-trip time, which only RACK measures.
    pub(crate) fn min_rtt(&self) -> Option<Time> {
        if let Self::Rack(rack) = self { rack.min_rtt() } else { None }
    }

    /// Called before the sender processes a new ACK.
    pub(crate) fn before_new_ack(&mut self, connection: &mut Connection, ack: Ack<'_>, now: Time) -> Progress {
        match self {
            Self::Tahoe => Progress::Open,
            Self::Reno(reno) => reno.before_new_ack(connection),
            Self::NewReno(newreno) => newreno.before_new_ack(connection, ack.next),
            Self::Sack(sack) => sack.before_new_ack(connection, ack),
            Self::Rack(rack) => rack.on_ack(connection, ack, now),
            Self::Vegas(vegas) => {
                vegas.before_new_ack(connection);
                Progress::Open
            }
        }
    }

    /// Number of segments that an ACK delivers, which has not been handled yet.
    #[inline(never)]
    pub(crate) fn delivers(&self, connection: &Connection, ack: Ack<'_>) -> u64 {
        let acked = Block { start: connection.snd_una, end: ack.next };
        let board = match self {
            Self::Sack(sack) => sack.board(),
            Self::Rack(rack) if connection.config.has_sack => rack.board(),
            Self::Rack(rack) => return acked.len().saturating_sub(rack.sacked()).max(1),
            _ => return acked.len().saturating_sub(connection.dup_acks.into()).max(1),
        };
        let snd_una = acked.end.max(acked.start);
        let is_valid = |block: &Block| Scoreboard::is_valid(*block, snd_una, connection.snd_max);
        let reported = ack.sack.blocks().iter().copied().filter(is_valid).map(|block| board.missing(block));
        board.missing(acked) + reported.sum::<u64>()
    }

    /// Number of segments that the last ACK delivered, if the algorithm knows better than the cumulative ACK.
    #[inline(always)]
    pub(crate) const fn delivered(&self) -> Option<u64> {
        if let Self::Rack(rack) = self { Some(rack.delivered()) } else { None }
    }

    /// The same for an ACK that acknowledges nothing new, if it may grow the window.
    pub(crate) fn delivered_late(&self, connection: &Connection) -> Option<u64> {
        if let Self::Rack(rack) = self { rack.delivered_late(connection) } else { None }
    }

    /// The round-trip time that the last ACK gives to laws; `last` is the record of the last segment that it acknowledged.
    pub(crate) fn rtt(&self, last: Option<Sent>, now: Time) -> Option<Time> {
        if let Self::Rack(rack) = self { rack.rtt(last, now) } else { last?.rtt(now) }
    }

    /// The delivery-rate sample of the last ACK; only RACK knows which segments an ACK delivers.
    #[inline(always)]
    pub(crate) fn rate_sample(&self, connection: &mut Connection, now: Time) -> Option<RateSample> {
        if let Self::Rack(rack) = self { rack.rate_sample(connection, now) } else { None }
    }

    /// The state of a sender whose timer has fired, if its law samples delivery rates.
    pub(crate) fn rate_at_timer(&self, connection: &Connection, now: Time) -> Option<RateSample> {
        if let Self::Rack(rack) = self { rack.rate_at_timer(connection, now) } else { None }
    }

    /// Called if the law samples delivery rates: when the application writes, and at the end of a turn.
    #[inline(never)]
    pub(crate) fn check_app_limited(&self, connection: &mut Connection, at_write: bool) {
        if let Self::Rack(rack) = self {
            rack.check_app_limited(connection, at_write);
        }
    }

    /// Called after the sender has processed a partial ACK.
    pub(crate) fn after_partial_ack(&mut self, connection: &mut Connection, now: Time) {
        match self {
            Self::NewReno(newreno) => newreno.after_partial_ack(connection, now),
            Self::Sack(sack) => sack.after_partial_ack(connection, now),
            Self::Rack(rack) => rack.set_timer(connection, now),
            Self::Tahoe | Self::Reno(_) | Self::Vegas(_) => {}
        }
    }

    /// Called after the sender has processed a new ACK. `last` is the record of the highest segment that the ACK
    /// acknowledged, if segments are timed.
    #[inline(always)]
    pub(crate) fn after_new_ack(&mut self, connection: &mut Connection, now: Time, last: Option<Sent>) {
        match self {
            Self::Vegas(vegas) => vegas.after_new_ack(connection, now, last),
            Self::Rack(rack) => rack.set_timer(connection, now),
            Self::Tahoe | Self::Reno(_) | Self::NewReno(_) | Self::Sack(_) => {}
        }
    }

    /// Whether an ACK that changes the window may be a sign of loss. RFC 5681, section 2, excludes it, but with SACK only blocks
    /// count; the other recoveries follow ns-2, whose ACKs carry no window.
    pub(crate) fn counts_window_updates(&self, connection: &Connection) -> bool {
        connection.config.has_sack || !matches!(self, Self::Rack(_))
    }

    /// Called for each duplicate ACK. The algorithm decides whether the ACK counts as a sign of loss.
    #[inline(never)]
    pub(crate) fn on_duplicate_ack(&mut self, connection: &mut Connection, ack: Ack<'_>, now: Time) {
        match self {
            Self::Tahoe => tahoe::on_duplicate_ack(connection, now),
            Self::Reno(reno) => reno.on_duplicate_ack(connection, now),
            Self::NewReno(newreno) => newreno.on_duplicate_ack(connection, now),
            Self::Sack(sack) => sack.on_duplicate_ack(connection, ack, now),
            Self::Rack(rack) => rack.on_other_ack(connection, ack, now),
            Self::Vegas(vegas) => vegas.on_duplicate_ack(connection, now),
        }
    }

    /// Called for an ACK that is neither new nor a duplicate, and may report a duplicate segment.
    #[inline(never)]
    pub(crate) fn on_old_ack(&mut self, connection: &mut Connection, ack: Ack<'_>, now: Time) {
        if let Self::Rack(rack) = self {
            rack.on_other_ack(connection, ack, now);
        }
    }

    /// Called when a mark requires a window reduction. `is_handled` states whether the rest of its ACK has been handled.
    #[inline(never)]
    pub(crate) fn on_mark(&mut self, connection: &mut Connection, is_handled: bool) {
        match self {
            Self::Rack(rack) => rack.on_mark(connection, is_handled),
            _ => connection.reduce(Signal::Mark, false, 0),
        }
    }

    /// Called when the queue of the host has refused a packet.
    pub(crate) fn on_refused(&mut self, connection: &mut Connection) {
        if let Self::Rack(rack) = self {
            rack.on_refused(connection);
        }
    }

    /// Called when the sender's timer fires. Returns whether that was a timer of the algorithm, not the retransmission
    /// timer.
    pub(crate) fn on_timer(&mut self, connection: &mut Connection, now: Time) -> bool {
        if let Self::Rack(rack) = self { rack.on_timer(connection, now) } else { false }
    }

    /// Called after the retransmission timer was restarted because it fired.
    pub(crate) fn on_timer_restarted(&mut self, connection: &mut Connection, now: Time) {
        if let Self::Rack(rack) = self {
            rack.on_timer_restarted(connection, now);
        }
    }

    /// Called when the retransmission timer fires, with or without outstanding data. Returns whether the
    /// congestion-control law must reduce the window; Vegas requires this even when nothing is outstanding, as in ns-2.
    pub(crate) fn before_timeout(&mut self, connection: &Connection, outstanding: bool) -> bool {
        match self {
            Self::Tahoe => {}
            Self::Reno(reno) => reno.before_timeout(),
            Self::NewReno(newreno) => newreno.before_timeout(),
            Self::Sack(sack) => sack.before_timeout(),
            Self::Rack(rack) => rack.before_timeout(connection),
            Self::Vegas(_) => return true,
        }
        outstanding
    }

    /// Called after the retransmission timer fired and the window was reduced.
    pub(crate) fn after_timeout(&mut self, connection: &mut Connection, now: Time) {
        match self {
            Self::Vegas(vegas) => vegas.after_timeout(connection, now),
            Self::Rack(rack) => rack.after_timeout(connection, now),
            Self::Tahoe | Self::Reno(_) | Self::NewReno(_) | Self::Sack(_) => {}
        }
    }

    /// The segment that may be sent next, except for fast retransmissions and limited transmit, which do not wait.
    #[inline(always)]
    pub(crate) fn next_segment(&self, connection: &Connection) -> Option<u64> {
        match self {
            Self::Tahoe | Self::Reno(_) | Self::Vegas(_) => connection.may_send().then_some(connection.snd_nxt),
            Self::NewReno(newreno) => newreno.next_segment(connection),
            Self::Sack(sack) => sack.next_segment(connection),
            Self::Rack(rack) => rack.next_segment(connection),
        }
    }

    /// Why nothing more may be sent. `has_more` is whether the application has further data that it has not supplied.
    #[inline(always)]
    pub(crate) fn limit(&self, connection: &Connection, has_more: bool) -> Limit {
        match self {
            Self::Sack(_) | Self::Rack(_) => self.limit_of_pipe(connection, has_more),
            Self::Tahoe | Self::Reno(_) | Self::NewReno(_) | Self::Vegas(_) => {
                let has_data = has_more || connection.snd_nxt < connection.supplied;
                connection.limit(has_data, || connection.is_limited_by_receiver(), || self.recovers())
            }
        }
    }

    /// The same for a recovery that counts the segments in the network.
    #[inline(never)]
    fn limit_of_pipe(&self, connection: &Connection, has_more: bool) -> Limit {
        let has_data = || match self {
            Self::Sack(sack) => sack.has_data(connection),
            Self::Rack(rack) => rack.has_data(connection),
            _ => false,
        };
        let is_limited_by_receiver = || match self {
            Self::Sack(sack) => sack.is_limited_by_receiver(connection),
            Self::Rack(rack) => rack.is_below_window(connection),
            _ => false,
        };
        connection.limit(has_more || has_data(), is_limited_by_receiver, || self.recovers())
    }

    /// Called when the [next segment](Self::next_segment), `number`, is sent.
    #[inline(always)]
    pub(crate) fn on_sent(&mut self, connection: &mut Connection, number: u64) {
        match self {
            Self::Tahoe | Self::Reno(_) | Self::Vegas(_) => connection.snd_nxt += 1,
            Self::NewReno(newreno) => newreno.on_sent(connection),
            Self::Sack(sack) => sack.on_sent(connection, number),
            Self::Rack(_) => connection.snd_nxt = connection.snd_nxt.max(number + 1),
        }
    }

    /// Called when the application supplies data.
    pub(crate) const fn on_supply(&mut self) {
        match self {
            Self::Tahoe | Self::Reno(_) | Self::Rack(_) | Self::Vegas(_) => {}
            Self::NewReno(newreno) => newreno.on_supply(),
            Self::Sack(sack) => sack.on_supply(),
        }
    }

    /// Whether segments that the window allows must wait for the next ACK or the next supply of data.
    #[inline(never)]
    pub(crate) fn is_paused(&self, connection: &Connection) -> bool {
        match self {
            Self::Tahoe | Self::Reno(_) | Self::Rack(_) | Self::Vegas(_) => false,
            Self::NewReno(newreno) => connection.may_send() && newreno.is_paused(connection),
            Self::Sack(sack) => sack.is_paused(connection),
        }
    }

    /// Whether new data could be sent if the application supplied it.
    #[inline(never)]
    pub(crate) fn is_open(&self, connection: &Connection) -> bool {
        match self {
            Self::Sack(sack) => sack.is_open(connection),
            Self::Rack(rack) => rack.is_open(connection),
            Self::Tahoe | Self::Reno(_) | Self::NewReno(_) | Self::Vegas(_) => connection.is_window_open(),
        }
    }
}
