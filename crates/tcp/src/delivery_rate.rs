//! Delivery-rate samples: with each ACK, how fast the network has delivered the flow's data over about one round trip
//! (draft-ietf-ccwg-bbr, section 4.1; before it draft-cheng-iccrg-delivery-rate-estimation; Linux, `tcp_rate.c`).
//!
//! Each transmission stores how much had been delivered before it, and when. When the segment is delivered, the rate is
//! the number of segments delivered since, divided by the longer of two times: in which they were sent, and in which their
//! ACKs arrived. The rate is thus never above the one at which the segments were sent, even if ACKs arrive in a burst.
//!
//! A sample is *application-limited* if the sender had too little data when the segment was sent. It is then only a lower
//! bound of what the network can deliver. The advertised window is not such a limit.
//!
//! Differences from the draft: segments are counted, not bytes. Unless `rack = "linux"`, the sender looks for a lack of data
//! at the end of each turn instead of before the next write; in between, neither the data in the network nor what is
//! delivered changes without a turn. A SYN gives no sample.
//!
//! With `rack = "linux"`:
//! - the SYN counts as delivered (`tcp_clean_rtx_queue`), so that the first delivery of data ends the limit by the
//!   application that the connection begins with;
//! - an interval begins when nothing is outstanding (`tcp_rate_skb_sent`). In the draft it begins when nothing is in the
//!   network: also after each timeout, when the ACK of what was delivered before shows too high a rate;
//! - the round-trip time of an ACK is Linux's (`tcp_ack_update_rtt`), see [`DeliveryRate::measure`].

use ackclock_units::Time;

use crate::config::{RackRule, SenderConfig};
use crate::ring::Ring;

/// What an ACK tells about the network. Laws that ask for samples
/// ([`samples_rate`](crate::congestion::CongestionControl::samples_rate)) receive one with each ACK that delivers data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Arrival time of the ACK.
    pub now: Time,
    /// Delivery rate in segments per second. `None` if the interval is shorter than the minimum round-trip time, as after
    /// an unnecessary retransmission.
    pub rate: Option<f64>,
    /// Whether the rate is limited by the application (the draft's `RS.is_app_limited`).
    pub app_limited: bool,
    /// Round-trip time of the delivered segment that was sent last, if it was sent once (Karn's algorithm). With
    /// `rack = "linux"`, see `tcp_ack_update_rtt`.
    pub rtt: Option<Time>,
    /// Minimum round-trip time so far, with the handshake's.
    pub min_rtt: Time,
    /// Number of segments delivered so far, and the same number when that segment was sent (`C.delivered`,
    /// `RS.prior_delivered`).
    pub delivered: u64,
    /// See `delivered`.
    pub prior_delivered: u64,
    /// When the last segment was delivered, or the first one sent while none was outstanding (`C.delivered_time`).
    pub delivered_at: Time,
    /// Number of segments found lost since that segment was sent (`RS.lost`).
    pub lost: u64,
    /// Number of segments in the network when that segment was sent, including it (`RS.tx_in_flight`).
    pub tx_in_flight: u64,
    /// Number of segments that this ACK delivers.
    pub newly_delivered: u64,
    /// Number of segments that this ACK shows to be lost.
    pub newly_lost: u64,
    /// Number of segments found lost so far (`C.lost`).
    pub total_lost: u64,
    /// Number of segments in the network before this ACK.
    pub prior_in_flight: u64,
    /// Number of segments in the network now.
    pub in_flight: u64,
    /// What the loss recovery does after this ACK.
    pub phase: Phase,
    /// Number of segments that a paced sender sends at once.
    pub burst: u32,
    /// Bytes of data in a segment.
    pub payload: u32,
    /// When pacing lets the next segment leave; `now` if it may leave at once.
    pub departure: Time,
}

/// A segment found lost, with the state of the sender when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostSegment {
    /// Position in sequence space, in segments.
    pub number: u64,
    /// Number of segments in the network when it was sent, including it (`P.tx_in_flight`).
    pub tx_in_flight: u64,
    /// Number of segments found lost since, including it (`C.lost - P.lost`).
    pub lost: u64,
    /// Whether the application limited the sender then (`P.is_app_limited`).
    pub app_limited: bool,
}

/// What the loss recovery does. A phase ends once all data that was outstanding at its beginning is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// No loss is being repaired.
    #[default]
    Open,
    /// The window is being reduced because of a mark.
    Reducing,
    /// Losses are being repaired.
    Recovery,
    /// A timeout has occurred.
    Loss,
}

/// The state of a transmission when it was made.
#[derive(Clone, Copy, Debug)]
struct Stamp {
    at: Time,
    first_sent: Time,
    delivered: u64,
    delivered_at: Time,
    lost: u64,
    in_flight: u64,
    app_limited: bool,
    sent_once: bool,
}

/// The round-trip time that the present ACK gives.
#[derive(Clone, Copy, Debug, Default)]
enum Rtt {
    /// The one of the segment sent last.
    #[default]
    Latest,
    /// The one that the recovery has measured.
    Measured(Time),
    /// The recovery has measured none.
    Ambiguous,
}

/// The sender's state of delivery-rate sampling.
#[derive(Clone, Debug)]
pub(crate) struct DeliveryRate {
    delivered: u64,
    delivered_at: Time,
    /// When the segment was sent that begins the present interval.
    first_sent: Time,
    lost: u64,
    /// Until more than this number of segments is delivered, samples are limited by the application; 0 if they are not.
    limited_until: u64,
    /// Stamps of the outstanding segments, and the number of the first one.
    stamps: Ring<Stamp>,
    first: u64,
    /// Of the segments that the present ACK delivers, the one that was sent last, and when.
    latest: Option<(Time, u64)>,
    /// Whether the present ACK is a duplicate that stands for segments, and was not sampled yet.
    counts_duplicate: bool,
    rtt: Rtt,
    /// Segments found lost since the last sample.
    losses: Vec<LostSegment>,
    /// Segments in the network, and segments lost and delivered, before the present ACK.
    before: (u64, u64, u64),
    burst: u32,
    payload: u32,
    is_linux: bool,
}

impl DeliveryRate {
    /// The state before any transmission.
    pub(crate) fn new(config: &SenderConfig) -> Self {
        Self {
            burst: config.pacing_burst,
            payload: config.data_bytes(),
            is_linux: config.rack == RackRule::Linux,
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent: Time::ZERO,
            lost: 0,
            limited_until: 1,
            stamps: Ring::default(),
            first: 0,
            latest: None,
            counts_duplicate: false,
            rtt: Rtt::Latest,
            losses: Vec::new(),
            before: (0, 0, 0),
        }
    }

    /// Number of segments delivered so far.
    pub(crate) const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Time from the last transmission of the segment delivered last to its delivery; `None` if the sender has been idle
    /// since, or if nothing was delivered.
    pub(crate) fn rtt(&self) -> Option<Time> {
        (self.delivered_at > self.first_sent).then(|| self.delivered_at - self.first_sent)
    }

    /// Heap memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + self.stamps.memory() + self.losses.capacity() * size_of::<LostSegment>()
    }

    /// Records that segment `number` is sent while `in_flight` other ones are in the network.
    pub(crate) fn on_sent(&mut self, number: u64, in_flight: u64, now: Time) {
        if self.stamps.is_empty() || in_flight == 0 && !self.is_linux {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        let stamp = Stamp {
            at: now,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            lost: self.lost,
            in_flight: in_flight + 1,
            app_limited: self.limited_until > 0,
            sent_once: true,
        };
        if self.stamps.is_empty() {
            self.first = number;
        }
        match self.stamps.get_mut(number.wrapping_sub(self.first) as usize) {
            Some(place) => *place = Stamp { sent_once: false, ..stamp },
            None => self.stamps.push_back(stamp),
        }
    }

    /// Begins to handle an ACK that arrives while `in_flight` segments are in the network.
    pub(crate) fn begin_ack(&mut self, in_flight: u64) {
        (self.latest, self.rtt) = (None, Rtt::Latest);
        self.before = (in_flight, self.lost, self.delivered);
    }

    /// Records that the present ACK delivers segment `number`, which no ACK has delivered before.
    pub(crate) fn on_delivered(&mut self, number: u64, now: Time) {
        let Some(at) = self.stamp(number).map(|stamp| stamp.at) else {
            self.delivered += u64::from(self.is_linux); // the SYN
            return;
        };
        self.delivered += 1;
        self.delivered_at = now;
        if self.latest.is_none_or(|latest| latest < (at, number)) {
            self.latest = Some((at, number));
            self.first_sent = at;
        }
    }

    /// The same for all segments from `first` to `last`, of which each was sent once, in this order.
    #[inline(always)]
    pub(crate) fn on_originals_delivered(&mut self, mut first: u64, last: u64, now: Time) {
        // segments after one with a stamp have stamps, and those of the last one count
        while self.stamp(first).is_none() && first < last {
            self.on_delivered(first, now);
            first += 1;
        }
        self.delivered += last - first;
        self.on_delivered(last, now);
    }

    /// Records that a duplicate ACK stands for `segments` that were delivered, whichever they are.
    pub(crate) const fn count_duplicate(&mut self, segments: u64, now: Time) {
        if segments > 0 {
            self.delivered += segments;
            (self.delivered_at, self.counts_duplicate) = (now, true);
        }
    }

    /// Records that `segments` that the present ACK delivers were counted before as duplicates.
    pub(crate) const fn remove_duplicates(&mut self, segments: u64) {
        self.delivered -= segments;
    }

    /// Records the round-trip time that Linux measures with the present ACK (`tcp_clean_rtx_queue`): that of the last
    /// segment newly reported above a gap, or else of the last one acknowledged, if all of these were sent once, or else
    /// of the timestamp.
    pub(crate) fn measure(&mut self, rtt: Option<Time>) {
        self.rtt = rtt.map_or(Rtt::Ambiguous, Rtt::Measured);
    }

    /// Records that segment `number` was found lost.
    pub(crate) fn on_lost(&mut self, number: u64) {
        self.lost += 1;
        let Some(&Stamp { in_flight, lost, app_limited, .. }) = self.stamp(number) else { return };
        self.losses.push(LostSegment { number, tx_in_flight: in_flight, lost: self.lost - lost, app_limited });
    }

    /// The stamp of segment `number`; a SYN has none.
    #[inline(always)]
    fn stamp(&self, number: u64) -> Option<&Stamp> {
        // a number before the first one wraps around to an index after the last one
        self.stamps.get(number.wrapping_sub(self.first) as usize)
    }

    /// Whether segments were found lost since they were last [taken](Self::take_losses).
    pub(crate) const fn has_losses(&self) -> bool {
        !self.losses.is_empty()
    }

    /// Takes the segments found lost since the last call.
    pub(crate) fn take_losses(&mut self) -> std::vec::Drain<'_, LostSegment> {
        self.losses.drain(..)
    }

    /// Forgets all segments before `snd_una`, which are acknowledged.
    #[inline(always)]
    fn advance(&mut self, snd_una: u64) {
        let count = (snd_una.saturating_sub(self.first) as usize).min(self.stamps.len());
        self.stamps.remove_front(count);
        self.first += count as u64;
    }

    /// Whether the application limits what is sent now.
    pub(crate) const fn is_limited(&self) -> bool {
        self.limited_until > 0
    }

    /// Records that the sender has less data than the window allows: all samples are limited by the application until
    /// the `in_flight` segments in the network are delivered, and one more.
    pub(crate) fn limit(&mut self, in_flight: u64) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }

    /// The sample of the present ACK, if it delivers a segment, all before `snd_una` being acknowledged then. `min_rtt` is
    /// the minimum round-trip time, and `in_flight` the number of segments in the network after the ACK.
    #[inline(always)]
    pub(crate) fn sample(
        &mut self,
        snd_una: u64,
        min_rtt: Time,
        in_flight: u64,
        phase: Phase,
        now: Time,
    ) -> Option<RateSample> {
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let sample = self.sample_of_latest(min_rtt, in_flight, phase, now);
        self.advance(snd_una);
        sample
    }

    #[inline(always)]
    fn sample_of_latest(&mut self, min_rtt: Time, in_flight: u64, phase: Phase, now: Time) -> Option<RateSample> {
        let Some((_, latest)) = self.latest.take() else {
            return self.sample_of_duplicate(min_rtt, in_flight, phase, now);
        };
        let stamp = self.stamp(latest)?;
        let (prior_in_flight, lost, delivered) = self.before;
        let interval = (stamp.at - stamp.first_sent).max(now - stamp.delivered_at);
        let is_plausible = interval >= min_rtt && interval > Time::ZERO;
        let segments = (self.delivered - stamp.delivered) as f64;
        let rtt = match self.rtt {
            Rtt::Latest => stamp.sent_once.then(|| now - stamp.at),
            Rtt::Measured(rtt) => Some(rtt),
            Rtt::Ambiguous => None,
        };
        Some(RateSample {
            rate: is_plausible.then(|| segments / interval.as_secs_f64()),
            app_limited: stamp.app_limited,
            rtt,
            prior_delivered: stamp.delivered,
            lost: self.lost - stamp.lost,
            tx_in_flight: stamp.in_flight,
            newly_delivered: self.delivered - delivered,
            newly_lost: self.lost - lost,
            prior_in_flight,
            ..self.at_timer(min_rtt, in_flight, phase, now)
        })
    }

    /// The state of the sender when a timer has fired: a sample without a delivery.
    #[inline(always)]
    pub(crate) fn at_timer(&self, min_rtt: Time, in_flight: u64, phase: Phase, now: Time) -> RateSample {
        RateSample {
            now,
            rate: None,
            app_limited: false,
            rtt: None,
            min_rtt,
            delivered: self.delivered,
            prior_delivered: self.delivered,
            delivered_at: self.delivered_at,
            lost: 0,
            tx_in_flight: in_flight,
            newly_delivered: 0,
            newly_lost: self.losses.len() as u64,
            total_lost: self.lost,
            prior_in_flight: in_flight,
            in_flight,
            phase,
            burst: self.burst,
            payload: self.payload,
            departure: now,
        }
    }

    /// The sample of a duplicate ACK that stands for a segment: it is not known when the segment was sent (Linux,
    /// `tcp_rate_gen` without `prior_mstamp`).
    #[cold]
    fn sample_of_duplicate(&mut self, min_rtt: Time, in_flight: u64, phase: Phase, now: Time) -> Option<RateSample> {
        let is_due = std::mem::take(&mut self.counts_duplicate);
        let (prior_in_flight, lost, delivered) = self.before;
        is_due.then(|| RateSample {
            prior_delivered: 0,
            tx_in_flight: 0,
            newly_delivered: self.delivered - delivered,
            newly_lost: self.lost - lost,
            prior_in_flight,
            ..self.at_timer(min_rtt, in_flight, phase, now)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Time = Time::from_millis;
    const RFC: SenderConfig = SenderConfig::DEFAULT;
    const LINUX: SenderConfig = SenderConfig { rack: RackRule::Linux, ..RFC };
    /// A bottleneck of 10 Mb/s, which takes 1.2 ms for a segment of 1,500 bytes, on a path of 40 ms.
    const SERVICE: Time = Time::from_micros(1_200);

    /// Sends segments `from..to` at the given times over the bottleneck. Returns when each is acknowledged.
    fn through(times: &[Time]) -> Vec<Time> {
        let mut free = Time::ZERO;
        let mut serve = |sent: &Time| {
            free = free.max(*sent) + SERVICE;
            free + MS(40)
        };
        times.iter().map(&mut serve).collect()
    }

    /// Handles the ACK of one segment.
    fn acknowledge(rate: &mut DeliveryRate, number: u64, in_flight: u64, now: Time) -> RateSample {
        rate.begin_ack(in_flight);
        rate.on_delivered(number, now);
        rate.sample(number + 1, MS(40), in_flight - 1, Phase::Open, now).expect("a segment was delivered")
    }

    fn near(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found - expected).abs() < 0.005)
    }

    /// Validates: an initial window of 10 segments sent at once at 10 Mb/s and 40 ms: 24.27 segments/s for the first
    ///     segment and 192.3 for the last one.
    /// Source: draft-ietf-ccwg-bbr, section 4.1; worked by hand.
    /// Tolerance: 0.005 segments/s.
    #[test]
    fn the_first_window_shows_little() {
        let mut rate = DeliveryRate::new(&RFC);
        (0..10).for_each(|number| rate.on_sent(number, number, Time::ZERO));
        let acks = through(&[Time::ZERO; 10]);
        let samples: Vec<RateSample> =
            (0..10).map(|number| acknowledge(&mut rate, number, 10 - number, acks[number as usize])).collect();
        assert!(near(samples[0].rate, 1.0 / 0.0412) && near(samples[9].rate, 10.0 / 0.052), "{samples:?}");
        assert_eq!(samples[9].rtt, Some(MS(52)));
        assert_eq!((samples[9].delivered, samples[9].prior_delivered, samples[9].tx_in_flight), (10, 0, 10));
        assert!(samples[9].app_limited, "a connection begins without data");
    }

    /// Validates: a window that fills the pipe gives the rate of the bottleneck, 833.3 segments/s, with each ACK.
    /// Source: draft-ietf-ccwg-bbr, section 4.1.
    /// Tolerance: 0.005 segments/s.
    #[test]
    fn a_full_pipe_shows_the_bottleneck() {
        const WINDOW: u64 = 40;
        let mut rate = DeliveryRate::new(&RFC);
        let mut sent = vec![Time::ZERO; WINDOW as usize];
        (0..WINDOW).for_each(|number| rate.on_sent(number, number, Time::ZERO));
        for number in 0..400 {
            let now = through(&sent)[number as usize];
            let sample = acknowledge(&mut rate, number, WINDOW, now);
            rate.on_sent(number + WINDOW, WINDOW - 1, now);
            sent.push(now);
            if number >= 2 * WINDOW {
                assert!(near(sample.rate, 1.0 / 0.0012) && !sample.app_limited, "{number}: {sample:?}");
            }
        }
    }

    /// Validates: ACKs that are held back and arrive together do not show more than the rate of sending.
    /// Source: draft-ietf-ccwg-bbr, section 4.1.1.2 (the send rate bounds the ACK rate).
    /// Tolerance: exact.
    #[test]
    fn a_burst_of_acks_shows_no_more_than_was_sent() {
        let mut rate = DeliveryRate::new(&RFC);
        // a segment each 2 ms: 500 segments/s
        (0..60_u64).for_each(|number| rate.on_sent(number, number, MS(2 * number)));
        let mut fastest = 0.0_f64;
        for number in 0..60 {
            let now = if number < 20 { MS(42 + 2 * number) } else { MS(200) };
            let sample = acknowledge(&mut rate, number, 60 - number, now);
            if number > 0 {
                fastest = fastest.max(sample.rate.unwrap_or(0.0));
            }
        }
        assert!(fastest <= 500.0 * 20.0 / 19.0, "{fastest}");
    }

    /// Validates: a segment each second, as the application supplies it: each sample is limited by the application.
    /// Source: draft-ietf-ccwg-bbr, section 4.1.1.4.
    /// Tolerance: 0.005 segments/s.
    #[test]
    fn an_application_with_little_data_limits_all_samples() {
        let mut rate = DeliveryRate::new(&RFC);
        for number in 0..20 {
            let now = Time::SECOND.saturating_mul(number);
            rate.on_sent(number, 0, now);
            rate.limit(1);
            let sample = acknowledge(&mut rate, number, 1, now + MS(40) + SERVICE);
            rate.limit(0);
            assert!(near(sample.rate, 1.0 / 0.0412) && sample.app_limited, "{number}: {sample:?}");
        }
        (20..22).for_each(|number| rate.on_sent(number, number - 20, MS(20_000)));
        assert!(acknowledge(&mut rate, 20, 2, MS(20_042)).app_limited);
        rate.on_sent(22, 1, MS(20_042));
        acknowledge(&mut rate, 21, 2, MS(20_043));
        assert!(!acknowledge(&mut rate, 22, 1, MS(20_084)).app_limited, "the bubble has been delivered");
    }

    /// Validates: a SYN that is delivered counts with Linux's rule only; there, the first delivery of data then ends the limit
    ///     by the application, and by the draft's rule the second one.
    /// Source: Linux, `tcp_clean_rtx_queue` and `tcp_rate_gen`; draft-ietf-ccwg-bbr, section 4.1.
    /// Tolerance: exact.
    #[test]
    fn a_syn_counts_in_linux() {
        for (config, counted, is_limited) in [(&LINUX, 1, false), (&RFC, 0, true)] {
            let mut rate = DeliveryRate::new(config);
            rate.begin_ack(1);
            rate.on_delivered(0, MS(40));
            assert!(rate.sample(1, MS(40), 0, Phase::Open, MS(40)).is_none());
            assert_eq!(rate.delivered(), counted);
            (1..4).for_each(|number| rate.on_sent(number, number - 1, MS(40)));
            let sample = acknowledge(&mut rate, 1, 3, MS(80));
            assert_eq!((sample.delivered, sample.prior_delivered), (counted + 1, counted));
            assert_eq!((sample.app_limited, rate.is_limited()), (true, is_limited));
        }
    }

    /// Validates: a round-trip time that the recovery measures replaces the one of the segment sent last, for one ACK.
    /// Source: Linux, `tcp_ack_update_rtt`.
    /// Tolerance: exact.
    #[test]
    fn a_measured_round_trip_time_counts() {
        let mut rate = DeliveryRate::new(&LINUX);
        (0..4).for_each(|number| rate.on_sent(number, number, MS(number)));
        for (number, measured) in [(0, None), (1, Some(MS(7)))] {
            rate.begin_ack(4);
            rate.on_delivered(number, MS(50));
            rate.measure(measured);
            let sample = rate.sample(number + 1, MS(40), 3, Phase::Open, MS(50)).expect("a segment was delivered");
            assert_eq!(sample.rtt, measured);
        }
        assert_eq!(acknowledge(&mut rate, 2, 2, MS(51)).rtt, Some(MS(49)));
    }

    /// Validates: when a timer has found a loss, the sample delivers nothing and counts it.
    /// Source: Linux, `bbr_set_state`.
    /// Tolerance: exact.
    #[test]
    fn a_timer_gives_a_sample_without_a_delivery() {
        let mut rate = DeliveryRate::new(&LINUX);
        (0..3).for_each(|number| rate.on_sent(number, number, MS(number)));
        acknowledge(&mut rate, 0, 3, MS(50));
        rate.on_lost(1);
        let sample = rate.at_timer(MS(40), 1, Phase::Loss, MS(300));
        assert_eq!((sample.newly_delivered, sample.newly_lost, sample.total_lost), (0, 1, 1));
        assert_eq!((sample.now, sample.delivered_at, sample.rate, sample.rtt), (MS(300), MS(50), None, None));
    }

    /// Validates: after a loss samples go on: losses since a transmission are counted; by the draft's rule, a retransmission
    ///     when nothing is in the network begins a new interval, which below the minimum round-trip time gives no rate; by
    ///     Linux' rule, the interval goes back to the transmission of the segment delivered last, 47 ms before.
    /// Source: draft-ietf-ccwg-bbr, section 4.1; Linux, `tcp_rate_skb_sent`.
    /// Tolerance: exact.
    #[test]
    fn samples_go_on_after_a_loss() {
        goes_on(DeliveryRate::new(&RFC), None);
        goes_on(DeliveryRate::new(&LINUX), Some(1.0 / 0.047));
    }

    /// Loses the first of four segments, and sends it again; its delivery must show the rate `renewed`.
    fn goes_on(mut rate: DeliveryRate, renewed: Option<f64>) {
        (0..4).for_each(|number| rate.on_sent(number, number, MS(number)));
        rate.begin_ack(4);
        (1..4).for_each(|number| rate.on_delivered(number, MS(50)));
        rate.on_lost(0);
        let lost = LostSegment { number: 0, tx_in_flight: 1, lost: 1, app_limited: true };
        assert_eq!(rate.take_losses().collect::<Vec<_>>(), [lost]);
        let sample = rate.sample(0, MS(40), 0, Phase::Recovery, MS(50)).expect("three were delivered");
        assert_eq!((sample.delivered, sample.newly_delivered, sample.newly_lost, sample.lost), (3, 3, 1, 1));
        assert_eq!((sample.rate, sample.rtt), (Some(60.0), Some(MS(47))), "3 segments in 50 ms");
        rate.on_sent(0, 0, MS(50));
        rate.begin_ack(1);
        rate.on_delivered(0, MS(60));
        let sample = rate.sample(4, MS(40), 0, Phase::Open, MS(60)).expect("the first one was delivered");
        assert_eq!((sample.rate, sample.rtt, sample.lost), (renewed, None, 0), "10 ms are too short for an answer");
        assert!(rate.sample(4, MS(40), 0, Phase::Open, MS(60)).is_none(), "one sample per ACK");
    }
}
