//! Segmentation offload: a sender hands several segments to the host's link at once, as one *super-segment*.
//!
//! Its segments leave back to back, at the rate of the first link. The size of a super-segment follows Linux 6.18
//! (`tcp_output.c`: `tcp_tso_autosize`, `tcp_tso_segs`, `tcp_cwnd_test`):
//! - It has the data of 1/1024 s at the pacing rate; a sender that is not paced has this rate, too. To this, 65,215 bytes
//!   are added, halved for each 512 us of the minimum round-trip time.
//! - It has at least two segments (BBR below 1.2 Mb/s of data: one), and at most 65,215 bytes and `gso_max_segs` segments.
//! - With Prague it has at most the data of 1/4096 s, or one segment if that is more (`prague_max_tso_seg`).
//! - It has at most half of the congestion window, and what the windows and the application allow.
//!
//! New data *waits* for the next ACK so that a larger super-segment can leave (`tcp_tso_should_defer`). It does not wait
//! - while losses are being repaired, or if nothing is outstanding;
//! - if nothing was sent for 1 ms, or the ACK of the first outstanding segment is expected later than in 1 ms or half a
//!   round trip;
//! - if the windows have room for a whole super-segment, for a third of the congestion window, or for the rest of a buffer
//!   of the write queue that is not the last one;
//! - if it is a single segment.
//!
//! A congestion window that makes data wait counts as full.
//!
//! Pacing treats a super-segment as one packet: the next one waits for the time of all its segments (`pacer.rs`).
//! Retransmitted segments with consecutive numbers also form super-segments.
//!
//! Differences from Linux:
//! - A buffer of the write queue holds 65,215 bytes, counted from the first byte of data, as if the application always had
//!   data; the size of a buffer does not follow the advertised window.
//! - A retransmission may join segments that were sent in different super-segments.
//! - Without RACK, the smoothed round-trip time replaces the minimum, and only senders that time each segment wait for
//!   ACKs.
//! - Queues, marks and losses concern single packets, as behind a device that segments, and receivers acknowledge single
//!   packets (no GRO).
//! - TCP small queues are an option of their own (`small_queue.rs`).

use ackclock_units::Time;

use super::Sender;
use super::connection::Connection;
use super::extra::Extra;
use super::pacer::Pacer;
use crate::config::{GsoRule, IdleRestart, SenderConfig};
use crate::congestion::LawSpec;
use crate::recovery::Recovery;

/// Maximum data in a super-segment and in a buffer of the write queue, in bytes: 64 KB without room for headers.
const MOST_BYTES: u32 = 65_215;
/// The times whose data forms a super-segment.
const BURST: Time = Time::from_picos(Time::SECOND.as_picos() / 1024);
const PRAGUE_BURST: Time = Time::from_picos(Time::SECOND.as_picos() / 4096);
/// Rate in bytes per second below which BBR sends single segments.
const SLOW: f64 = 1.2e6 / 8.0;
/// The minimum round-trip time that halves the additional bytes.
const HALVES_EACH: Time = Time::from_micros(512);
/// Data waits neither longer than this after the last transmission nor for an ACK that is expected later.
const PATIENCE: Time = Time::from_millis(1);
/// A window with room for this part of itself is used at once (`tcp_tso_win_divisor`).
const WINDOW_DIVISOR: u64 = 3;

/// The state of a sender with segmentation offload: its present super-segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gso {
    /// The segment that would continue it, whether that is a retransmission, and how many more it may have.
    next: u64,
    resends: bool,
    left: u64,
    /// When it was sent, and when pacing would have let it leave.
    at: Time,
    due: Time,
    /// Number of its segments so far, and the time that each takes at the pacing rate.
    count: u64,
    each: Option<Time>,
    /// The present size by the pacing rate alone: BBR's send quantum. Set only if the law samples delivery rates.
    quantum: u32,
}

impl Gso {
    /// The state of a sender that uses segmentation offload, if it does.
    pub(super) fn of(config: &SenderConfig) -> Option<Box<Self>> {
        (config.gso != GsoRule::Off).then(Box::default)
    }

    /// The number of segments that belong to the data of about 1 ms.
    pub(super) const fn quantum(&self) -> u32 {
        self.quantum
    }

    /// Whether the segment sent last is not the first one of its super-segment.
    pub(super) const fn continues(&self) -> bool {
        self.count > 1
    }

    /// How many segments from `number` on may still join the present super-segment.
    const fn rest(&self, number: u64, resends: bool, now: Time) -> u64 {
        let continues = number == self.next && resends == self.resends && now.as_picos() == self.at.as_picos();
        if continues { self.left } else { 0 }
    }
}

/// Whether segments may be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// This number of segments may.
    Granted(u64),
    /// Pacing holds them back until then.
    PacedUntil(Time),
    /// They wait for the next ACK.
    Deferred,
    /// They wait until packets have left the host.
    Queued,
}

/// The largest super-segment, and the size of a buffer of the write queue.
fn most(config: &SenderConfig) -> u32 {
    (MOST_BYTES / config.data_bytes().max(1)).clamp(1, config.gso_max_segs)
}

/// The number of segments in the data of the time `span` at the pacing rate and `more` bytes; `each` is the time that a
/// segment takes at this rate, if there is one.
fn size(config: &SenderConfig, each: Option<Time>, span: Time, more: u32) -> u32 {
    let most = most(config);
    let Some(each) = each.filter(|_| config.gso == GsoRule::Autosize) else { return most };
    let payload = f64::from(config.data_bytes().max(1));
    let each = each.as_picos() as f64;
    let is_bbr = matches!(config.congestion, LawSpec::Bbr(_) | LawSpec::Bbr3(_));
    let least = if is_bbr && each * SLOW > payload * 1e12 { 1 } else { 2 };
    let segments = span.as_picos() as f64 / each + f64::from(more) / payload;
    (segments as u32).max(least).min(most)
}

/// The number of segments in a whole super-segment.
fn whole(config: &SenderConfig, each: Option<Time>, min_rtt: Option<Time>) -> u32 {
    let halvings = min_rtt.map_or(u64::MAX, |rtt| rtt.as_picos() / HALVES_EACH.as_picos());
    let more = if halvings < u32::BITS.into() { MOST_BYTES >> halvings } else { 0 };
    let size = size(config, each, BURST, more);
    match (&config.congestion, each) {
        (LawSpec::Prague(_), Some(each)) if config.gso == GsoRule::Autosize => {
            size.min((PRAGUE_BURST.as_picos() / each.as_picos().max(1)).max(1) as u32)
        }
        _ => size,
    }
}

/// A super-segment of new data that may be sent now, or wait.
#[derive(Clone, Copy, Debug)]
struct Offer {
    /// Number of segments that it may have now, and that a whole one has.
    quota: u64,
    size: u64,
    /// Room in the smaller window, and the congestion window limited by the advertised one.
    room: u64,
    window: u64,
    /// Whether the congestion window leaves less room than the advertised one, and not more than the present buffer.
    is_narrow: bool,
    /// Segments in the present buffer of the write queue, and whether it is the last one.
    buffered: u64,
    is_last: bool,
}

/// When an offer is made.
#[derive(Clone, Copy, Debug)]
struct Moment {
    /// The time since the last transmission, or since pacing allows one.
    since: Time,
    /// The time until the next ACK is expected; 0 if it is overdue.
    until: Time,
    srtt: Time,
}

impl Offer {
    /// Whether it waits, while segments are outstanding and no losses are being repaired.
    fn waits(&self, moment: Moment) -> bool {
        let Self { size, room, window, buffered, is_last, .. } = *self;
        let has_room = room >= size || room * WINDOW_DIVISOR >= window || !is_last && room >= buffered;
        let half = Time::from_picos(moment.srtt.as_picos() / 2);
        !has_room && buffered > 1 && moment.since <= PATIENCE && moment.until <= PATIENCE.min(half)
    }
}

impl Connection {
    /// Whether the sender uses segmentation offload.
    #[inline(always)]
    pub(super) fn has_gso(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.gso.is_some())
    }

    /// The minimum round-trip time, if it is known, or else the smoothed one.
    fn shortest(&self, recovery: &Recovery) -> Option<Time> {
        recovery.min_rtt().or_else(|| Some(Time::from_secs_f64(self.rtt.srtt(&self.config.rtt)?)))
    }

    /// The super-segment that may begin with `number`.
    fn offer(&self, number: u64, each: Option<Time>, recovery: &Recovery) -> Offer {
        let Self { config, window, supplied, .. } = self;
        let (cwnd, rwnd) = (window.segments(), self.rwnd());
        let allowed = match recovery {
            Recovery::Rack(_) => cwnd.saturating_sub(recovery.in_flight(self)),
            _ => self.snd_limit.saturating_sub(number),
        };
        let size = u64::from(whole(config, each, self.shortest(recovery)));
        let quota = allowed.min((cwnd / 2).max(1)).min(size).max(1);
        let offered = rwnd.saturating_sub(self.flight());
        let room = allowed.min(offered);
        // a buffer with less than the quota is filled from the next one
        let data = number - u64::from(config.handshake && number > 0);
        let available = supplied.saturating_sub(number);
        let buffer = u64::from(most(config));
        let buffered = (buffer - data % buffer).max(quota).min(available);
        let is_narrow = allowed < offered && allowed <= buffered;
        Offer { quota, size, room, window: cwnd.min(rwnd), is_narrow, buffered, is_last: buffered == available }
    }

    /// Whether the offer is to wait for the next ACK.
    fn defers(&self, offer: Offer, recovery: &Recovery, now: Time) -> bool {
        let Some(Extra { gso: Some(gso), pacer, .. }) = self.extra.as_deref() else { return false };
        let Some(first) = self.first_sent().filter(|_| !recovery.is_repairing(self)) else { return false };
        let srtt = self.rtt.srtt(&self.config.rtt).map_or(Time::ZERO, Time::from_secs_f64);
        let last = pacer.as_ref().map_or(gso.at, |pacer| pacer.next().max(gso.at));
        let until = first.at.saturating_add(srtt).saturating_sub(now);
        offer.waits(Moment { since: now.saturating_sub(last), until, srtt })
    }

    /// Records that `count` segments from `number` on are sent, and paces the next super-segment.
    pub(super) fn pace_super_segment(&mut self, number: u64, count: u64, now: Time) {
        let Some(gso) = self.extra.as_deref().and_then(|extra| extra.gso.as_deref()) else { return };
        // probes and urgent retransmissions are not admitted, and form super-segments of their own
        let is_admitted = gso.rest(number, gso.resends, now) >= count;
        let each = if is_admitted { gso.each } else { self.pacing_interval() };
        let Self { extra, config, .. } = self;
        let Some(extra) = extra.as_deref_mut() else { return };
        let Some(gso) = extra.gso.as_deref_mut() else { return };
        if !is_admitted {
            let due = extra.pacer.as_ref().map_or(Time::ZERO, Pacer::next);
            *gso = Gso { at: now, due, each, left: count, quantum: gso.quantum, ..Gso::default() };
        }
        gso.next = number + count;
        gso.left -= count;
        gso.count += count;
        let Some(pacer) = extra.pacer.as_mut() else { return };
        let is_free = pacer.takes_free(count as u32);
        if let Some(each) = each.filter(|_| !is_free) {
            pacer.wait_after(gso.due, each.saturating_mul(gso.count), config, now);
        }
    }
}

impl Sender {
    /// How many segments from `number` on may be sent now, if the windows allow it. Begins a super-segment if `number`
    /// does not continue the present one.
    #[inline(never)]
    pub(super) fn admit(&mut self, number: u64, now: Time) -> Admission {
        let Self { connection, recovery, .. } = self;
        let resends = number < connection.snd_max;
        let Some(gso) = connection.extra.as_deref().and_then(|extra| extra.gso.as_deref()) else {
            return Admission::Granted(1);
        };
        let rest = gso.rest(number, resends, now);
        if rest > 0 {
            return Admission::Granted(rest);
        }
        if let Some(at) = connection.paced_until(number, now) {
            return Admission::PacedUntil(at);
        }
        if connection.config.idle_restart != IdleRestart::Timeout {
            connection.restart_after_idle(now);
        }
        let each = connection.pacing_interval();
        let rate = each.or_else(|| connection.window_interval());
        let offer = connection.offer(number, rate, recovery);
        if !resends && connection.defers(offer, recovery, now) {
            let in_flight = recovery.in_flight(connection);
            let cwnd = connection.window.segments();
            connection.note_usage(if offer.is_narrow { in_flight.max(cwnd) } else { in_flight });
            return Admission::Deferred;
        }
        if connection.waits_for_queue(number, offer.quota) {
            return Admission::Queued;
        }
        let quantum = if connection.samples_rate() { size(&connection.config, rate, BURST, 0) } else { 0 };
        let Some(extra) = connection.extra.as_deref_mut() else { return Admission::Granted(1) };
        let due = extra.pacer.as_ref().map_or(Time::ZERO, Pacer::next);
        if let Some(gso) = extra.gso.as_deref_mut() {
            *gso = Gso { next: number, resends, left: offer.quota, at: now, due, count: 0, each, quantum };
        }
        Admission::Granted(offer.quota)
    }
}

#[cfg(test)]
mod tests;
