//! Segmentation offload: a sender hands several segments to the host's link at once, as one *super-segment*.
//!
//! Its segments leave back to back, at the speed of the first link. A super-segment has (Linux 6.18, `tcp_output.c`,
//! `tcp_tso_autosize` and `tcp_tso_segs`):
//! - the data of 1/1024 s at the pacing rate, which also a sender has that is not paced, plus 65,215 bytes halved for each
//!   512 us of the minimum round-trip time; at least two segments (BBR below 1.2 Mb/s of data: one), and at most 65,215
//!   bytes and `gso_max_segs` segments;
//! - of Prague, at most the data of 1/4096 s, but one segment (`prague_max_tso_seg`);
//! - at most half of the congestion window (`tcp_cwnd_test`), and what the windows and the application leave.
//!
//! New data *waits* for the next ACK, so that a larger super-segment can leave, unless (`tcp_tso_should_defer`): losses are
//! being repaired; nothing was sent for 1 ms; the windows have room for a whole super-segment, for a third of the
//! congestion window, or for the rest of a buffer of the write queue that is not the last; a single segment is left;
//! nothing is outstanding; or the ACK of the first outstanding segment is expected later than in 1 ms or half a round trip.
//! A window that makes data wait counts as full.
//!
//! Pacing takes a super-segment as a whole: the next one waits for the time of all its segments (`pacer.rs`). Retransmitted
//! segments with consecutive numbers also form super-segments.
//!
//! Differences from Linux:
//! - buffers of the write queue hold 65,215 bytes each from the first byte of data on, as if the application always had
//!   data; the size of a buffer does not follow the advertised window;
//! - a retransmission may join segments that were sent in different super-segments;
//! - without RACK, the smoothed round-trip time takes the place of the minimum, and only senders that time each segment
//!   wait for ACKs;
//! - super-segments are only the sender's: queues, marks and losses concern single packets, as in a device that segments
//!   before its queue, and receivers acknowledge single packets (no GRO);
//! - there are no TCP small queues (`tcp_small_queue_check`): nothing limits a flow's data in the queue of the first link
//!   but its window and its pacing. In Linux the rest would wait in the socket and leave as the host's queue drains, so
//!   that a first link that is the bottleneck would hold about 1 ms of each flow's data or two super-segments, and its
//!   queue discipline would see less of the window.

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
/// The parts of a second whose data forms a super-segment.
const BURST: f64 = 1.0 / 1024.0;
const PRAGUE_BURST: f64 = 1.0 / 4096.0;
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
    /// The present size by the pacing rate alone: BBR's send quantum.
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
}

/// The largest super-segment, and the size of a buffer of the write queue.
fn most(config: &SenderConfig) -> u32 {
    (MOST_BYTES / config.data_bytes().max(1)).clamp(1, config.gso_max_segs)
}

/// The size of a super-segment by the pacing rate alone, and in all; `each` is the time that a segment takes at the
/// pacing rate, if there is one.
fn sizes(config: &SenderConfig, each: Option<Time>, min_rtt: Option<Time>) -> (u32, u32) {
    let payload = f64::from(config.data_bytes().max(1));
    let most = most(config);
    let rate = each.map_or(f64::INFINITY, |each| payload / each.as_secs_f64());
    if config.gso == GsoRule::Fixed || !rate.is_finite() {
        return (most, most);
    }
    let spec = &config.congestion;
    let is_bbr = matches!(spec, LawSpec::Bbr(_) | LawSpec::Bbr3(_));
    let least = if is_bbr && rate < SLOW { 1 } else { 2_u32 }.min(most);
    let halvings = min_rtt.map_or(u64::MAX, |rtt| rtt.as_picos() / HALVES_EACH.as_picos());
    let more = if halvings < 32 { f64::from(MOST_BYTES >> halvings) } else { 0.0 };
    let size = |bytes: f64| (bytes.floor() / payload) as u32;
    let sized = |bytes| size(bytes).clamp(least, most);
    let whole = sized((rate * BURST).floor() + more);
    let whole = match spec {
        LawSpec::Prague(_) => whole.min(size(rate * PRAGUE_BURST).max(1)),
        _ => whole,
    };
    (sized(rate * BURST), whole)
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
    fn offer(&self, number: u64, recovery: &Recovery) -> (Offer, Option<Time>, u32) {
        let Self { config, window, supplied, .. } = self;
        let (cwnd, rwnd) = (window.cwnd as u64, self.rwnd());
        let allowed = match recovery {
            Recovery::Rack(_) => cwnd.saturating_sub(recovery.in_flight(self)),
            _ => self.snd_limit.saturating_sub(number),
        };
        let each = self.pacing_interval();
        let (quantum, size) = sizes(config, each.or_else(|| self.window_interval()), self.shortest(recovery));
        let size = u64::from(size);
        let quota = allowed.min((cwnd / 2).max(1)).min(size).max(1);
        let room = allowed.min(rwnd.saturating_sub(self.flight()));
        // a buffer with less than the quota is filled from the next one
        let data = number - u64::from(config.handshake && number > 0);
        let available = supplied.saturating_sub(number);
        let buffer = u64::from(most(config));
        let buffered = (buffer - data % buffer).max(quota).min(available);
        let offer = Offer { quota, size, room, window: cwnd.min(rwnd), buffered, is_last: buffered == available };
        (offer, each, quantum)
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
        if let (Some(pacer), Some(each)) = (extra.pacer.as_mut(), each) {
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
        let (offer, each, quantum) = connection.offer(number, recovery);
        if !resends && connection.defers(offer, recovery, now) {
            connection.note_usage(recovery.in_flight(connection).max(connection.window.cwnd as u64));
            return Admission::Deferred;
        }
        let Some(extra) = connection.extra.as_deref_mut() else { return Admission::Granted(1) };
        let due = extra.pacer.as_ref().map_or(Time::ZERO, Pacer::next);
        if let Some(gso) = extra.gso.as_deref_mut() {
            *gso = Gso { next: number, resends, left: offer.quota, at: now, due, count: 0, each, quantum };
        }
        Admission::Granted(offer.quota)
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::{Role, Stream};
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::Sender;
    use crate::config::Pacing;
    use crate::congestion::{BbrSpec, PragueSpec};
    use crate::recovery::RecoverySpec;

    const CONFIG: SenderConfig = SenderConfig {
        payload: 1448,
        initial_window: 100,
        gso: GsoRule::Autosize,
        pacing_credit: 50,
        ..SenderConfig::DEFAULT
    };

    /// The size at a pacing rate in Mb/s of data, with a minimum round-trip time in microseconds.
    fn size(config: &SenderConfig, rate: f64, min_rtt: u64) -> u32 {
        let each = Time::from_secs_f64(8.0 * 1448.0 / (1e6 * rate));
        sizes(config, Some(each), Some(Time::from_micros(min_rtt))).1
    }

    /// Validates: the data of 1/1024 s: at 10 Mb/s 1,220 bytes, so the least, at 100 Mb/s 12,207 bytes, 8 segments, at
    ///     1 Gb/s the most. A path of 1.024 ms to 1.535 ms adds a quarter of 65,215 bytes, 11.3 segments: 19.7 in all; one
    ///     of 16 ms and more nothing.
    /// Source: Linux, `tcp_tso_autosize`.
    /// Tolerance: exact.
    #[test]
    fn a_super_segment_has_the_data_of_a_millisecond() {
        assert_eq!([10.0, 100.0, 500.0, 1000.0].map(|rate| size(&CONFIG, rate, 40_000)), [2, 8, 42, 45]);
        assert_eq!([1_024, 1_535, 1_536, 16_384].map(|rtt| size(&CONFIG, 100.0, rtt)), [19, 19, 14, 8]);
        assert_eq!(size(&CONFIG, 10.0, 0), 45);
        let limited = SenderConfig { gso_max_segs: 5, ..CONFIG };
        assert_eq!([10.0, 100.0].map(|rate| size(&limited, rate, 40_000)), [2, 5]);
        assert_eq!(size(&SenderConfig { gso: GsoRule::Fixed, ..limited }, 10.0, 40_000), 5);
        assert_eq!(sizes(&CONFIG, None, None), (45, 45), "without a rate there is no smaller size");
    }

    /// Validates: BBR sends single segments below 1.2 Mb/s; Prague the data of 1/4096 s, 3,051 bytes at 100 Mb/s.
    /// Source: Linux, `bbr_min_tso_segs`, and `prague_max_tso_seg` of the L4S team.
    /// Tolerance: exact.
    #[test]
    fn laws_have_sizes_of_their_own() {
        let bbr = SenderConfig { congestion: LawSpec::Bbr(BbrSpec {}), ..CONFIG };
        assert_eq!([1.19, 1.21, 100.0].map(|rate| size(&bbr, rate, 40_000)), [1, 2, 8]);
        let prague = PragueSpec { g: 1.0 / 16.0, rtt_target: Time::from_millis(25), transition: 4 };
        let prague = SenderConfig { congestion: LawSpec::Prague(prague), ..CONFIG };
        assert_eq!([10.0, 100.0, 400.0].map(|rate| size(&prague, rate, 500)), [1, 2, 8]);
    }

    /// Validates: each reason for which data does not wait, alone.
    /// Source: Linux, `tcp_tso_should_defer`.
    /// Tolerance: exact.
    #[test]
    fn data_waits_for_a_whole_super_segment_if_the_ack_is_near() {
        let offer = Offer { quota: 4, size: 10, room: 4, window: 100, buffered: 30, is_last: false };
        let ms = Time::from_millis;
        let near = Moment { since: Time::from_micros(200), until: Time::from_micros(300), srtt: ms(10) };
        assert!(offer.waits(near));
        assert!(!Offer { room: 10, ..offer }.waits(near), "a whole super-segment");
        assert!(!Offer { window: 12, ..offer }.waits(near), "a third of the window");
        assert!(!Offer { buffered: 4, ..offer }.waits(near), "the rest of a buffer");
        assert!(Offer { buffered: 4, is_last: true, ..offer }.waits(near), "the application may write more");
        assert!(!Offer { buffered: 1, is_last: true, ..offer }.waits(near), "a single segment");
        assert!(!offer.waits(Moment { since: Time::from_micros(1_001), ..near }), "nothing was sent for 1 ms");
        assert!(!offer.waits(Moment { until: Time::from_micros(1_001), ..near }), "no ACK within 1 ms");
        assert!(!offer.waits(Moment { srtt: Time::from_micros(599), ..near }), "no ACK within half a round trip");
    }

    /// A sender whose handshake took 10 ms.
    fn open(config: SenderConfig) -> (Sender, Time) {
        let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
        sender.supply(10_000);
        assert!(sender.poll_transmit(Time::ZERO).expect("a SYN").syn);
        let now = Time::from_millis(10);
        sender.handle_ack(crate::Ack::cumulative(1), now);
        (sender, now)
    }

    /// Validates: a paced sender sends super-segments at intervals of all their segments. After the initial window of 100
    ///     segments, 20 ACKs of 5 segments come at once: at 200 % of 200 segments in 10 ms a segment takes 25 us, 39 of
    ///     them 1/1024 s, and 975 us pass between super-segments.
    /// Source: Linux, `tcp_update_skb_after_send`, `tcp_update_pacing_rate`.
    /// Tolerance: a picosecond per segment.
    #[test]
    fn a_paced_sender_pauses_after_each_super_segment() {
        let config = SenderConfig { pacing: Pacing::Window, byte_counting: 100, ..CONFIG };
        let (mut sender, mut now) = open(SenderConfig { pacing_credit: 0, ..config });
        assert_eq!(std::iter::from_fn(|| sender.poll_transmit(now)).count(), 100, "the initial window");
        now = Time::from_millis(20);
        (1..=20).for_each(|ack| sender.handle_ack(crate::Ack::cumulative(1 + 5 * ack), now));
        let mut sent = Vec::new();
        for _ in 0..4 {
            sent.push((now - Time::from_millis(20), std::iter::from_fn(|| sender.poll_transmit(now)).count()));
            now = sender.poll_release().expect("pacing");
        }
        for (index, (at, count)) in sent.into_iter().enumerate() {
            let due = Time::from_micros(975 * index as u64);
            assert!(count == 39 && at.as_picos().abs_diff(due.as_picos()) < 200, "{count} at {at}");
        }
    }

    /// Validates: with an ACK each 100 us the window of 100 segments is used in super-segments: one segment at once, since
    ///     nothing was sent for 10 ms; then the data of 1/1024 s at 120 % of the window per round trip, which at 10.1 ms to
    ///     10.7 ms are 10 segments, and at 11.3 ms are 9; then the five that are left of the third buffer of 45.
    /// Source: Linux, `tcp_tso_should_defer`; measured: the same sizes (validation/linux/data, `super_segments.csv`).
    /// Tolerance: exact.
    #[test]
    fn an_ack_clock_releases_super_segments() {
        let (mut sender, mut now) = open(SenderConfig { max_window: 100, ..CONFIG });
        assert_eq!(std::iter::from_fn(|| sender.poll_transmit(now)).count(), 100);
        now = Time::from_millis(20);
        let mut bursts = Vec::new();
        for ack in 2..37 {
            sender.handle_ack(crate::Ack::cumulative(ack), now);
            bursts.push(std::iter::from_fn(|| sender.poll_transmit(now)).count());
            now += Time::from_micros(100);
        }
        assert_eq!(bursts.into_iter().filter(|burst| *burst > 0).collect::<Vec<_>>(), [1, 10, 10, 9, 5]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Validates: whatever the sizes of super-segments, a window of 2,000 segments leaves at 200 % of it in 10 ms, each
        ///     segment once and none before its time.
        /// Source: RFC 9293, section 3.7 (segments in order); the rule at the head of `pacer.rs`.
        /// Tolerance: a picosecond per segment.
        #[test]
        fn the_mean_rate_is_the_pacing_rate(
            (gso, gso_max_segs) in (select(vec![GsoRule::Fixed, GsoRule::Autosize]), 1_u32..70),
            (recovery, push) in (select(vec![RecoverySpec::Rack, RecoverySpec::NewReno]), any::<bool>()),
        ) {
            let config = SenderConfig { gso, gso_max_segs, recovery, push, pacing: Pacing::Window, ..CONFIG };
            let config = SenderConfig { byte_counting: 10_000, max_window: 10_000, tail_loss_probe: false, ..config };
            let (mut sender, mut now) = open(SenderConfig { initial_window: 1_000, pacing_credit: 0, ..config });
            prop_assert_eq!(std::iter::from_fn(|| sender.poll_transmit(now)).count(), 1_000);
            now += Time::from_millis(10);
            sender.handle_ack(crate::Ack::cumulative(1_001), now);
            let (start, mut sent, most) = (now, Vec::new(), u64::from(gso_max_segs.min(45)));
            loop {
                let before = sent.len() as u64;
                // as the network does, which asks a sender in another way on its short path
                if sender.is_paced() {
                    sent.extend(sender.send_paced(now, 64));
                } else {
                    sent.extend(std::iter::from_fn(|| sender.poll_transmit(now)).map(|segment| segment.number));
                }
                prop_assert!(sent.len() as u64 - before <= most);
                let expected = 2.5e-6 * before as f64;
                prop_assert!(((now - start).as_secs_f64() - expected).abs() <= 1e-12 * (before + 1) as f64);
                let Some(at) = sender.poll_release() else { break };
                now = at;
            }
            prop_assert!(sent.into_iter().eq(1_001..3_001));
        }
    }

    /// Validates: segments that are sent again leave in super-segments of at most the same size, and pacing pauses after
    ///     each: after a timeout in a flight of 100 segments, the ACK of 8 originals lets 9 segments leave, as 4, 4 and 1.
    /// Source: Linux, `tcp_xmit_retransmit_queue`.
    /// Tolerance: exact.
    #[test]
    fn retransmissions_form_super_segments() {
        let config = SenderConfig { gso: GsoRule::Fixed, gso_max_segs: 4, recovery: RecoverySpec::Rack, ..CONFIG };
        let config = SenderConfig { pacing: Pacing::Window, tail_loss_probe: false, byte_counting: 100, ..config };
        let (mut sender, mut now) = open(config);
        let burst = |sender: &mut Sender, now| std::iter::from_fn(|| sender.poll_transmit(now)).count();
        assert_eq!(burst(&mut sender, now), 100);
        now = sender.poll_timeout().expect("a timer");
        sender.handle_timeout(now);
        assert_eq!(burst(&mut sender, now), 1);
        now += Time::from_millis(10);
        sender.handle_ack(crate::Ack::cumulative(9), now);
        let mut sizes = Vec::new();
        while sizes.len() < 4 {
            sizes.push(burst(&mut sender, now));
            let Some(at) = sender.poll_release() else { break };
            now = at;
        }
        assert_eq!(sizes, [4, 4, 1]);
    }
}
