//! Delays and losses of calls: flows of UDP whose source sends frames ([`SourceSpec::Frames`](crate::SourceSpec)), or
//! adapts ([`SourceSpec::Call`](crate::SourceSpec)).
//!
//! - *Delays* are those of the packets that arrive in the measured time, from sender to receiver.
//! - *Losses* are counted by packet numbers, as a receiver does (RFC 3550, appendix A.3): of the packets from the first to the
//!   highest number that arrived in the measured time, those that did not arrive.
//! - The *mean opinion score* of speech is that of ITU-T G.107 in its simplified form (Cole and Rosenbluth, "Voice over IP
//!   Performance Monitoring", CCR 2001, section 3): `R = 93.2 - I_d - I_e`, where
//!   - `I_d = 0.024 d + 0.11 max(d - 177.3, 0)`, of the delay `d` from mouth to ear in ms;
//!   - `I_e = 95 p / (p + 25.1)`, of the percentage `p` of packets that are not heard: G.107, section 7.5, for independent losses
//!     and the codec G.711 with concealment (G.113, appendix I: `I_e = 0`, `B_pl = 25.1`);
//!   - the score is `1 + 0.035 R + 7e-6 R (R - 60) (100 - R)`, and 1 below `R = 0`.
//!
//! A receiver plays each packet a fixed time after it was sent, and does not hear packets that are later than this. The score
//! is the one with the best such time, so it needs no model of an adaptive buffer and is an upper limit of what one can
//! reach. To it adds the length of a frame, which is recorded before it is sent.

use ackclock_units::Time;

use super::ratio;
use crate::observe::Histogram;
use crate::plan::{GroupSpec, Plan, SourceSpec, TransportSpec};

/// Calls of a run; without calls, both lists are empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    /// Of each flow; unused for flows that are not calls.
    flows: Vec<Numbers>,
    /// Of each group.
    groups: Vec<Option<Call>>,
}

/// The numbers of the packets of a flow that arrived.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    first: u64,
    highest: u64,
    arrived: u64,
}

/// The calls of a group.
#[derive(Clone, Debug, Default)]
struct Call {
    /// Length of a frame of speech in ms; `None` for video.
    frame: Option<f64>,
    delays: Histogram,
}

impl Calls {
    pub(super) fn new(plan: &Plan) -> Self {
        let of_group = |group: &GroupSpec| match (&group.source, &group.transport) {
            (SourceSpec::Frames(frames), TransportSpec::Udp { .. }) => {
                let frame = frames.is_speech().then(|| 1_000.0 / frames.rate);
                Some(Call { frame, ..Call::default() })
            }
            (SourceSpec::Call(_), _) => Some(Call::default()),
            _ => None,
        };
        let groups: Vec<_> = plan.groups.iter().map(of_group).collect();
        if groups.iter().all(Option::is_none) {
            return Self::default();
        }
        Self { flows: vec![Numbers::default(); plan.flows().count()], groups }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Takes note of a packet that arrived in the measured time.
    pub(super) fn arrived(&mut self, flow: usize, group: usize, number: u64, delay: Time) {
        if let Some(Some(call)) = self.groups.get_mut(group) {
            call.delays.record(delay);
            let numbers = &mut self.flows[flow];
            if numbers.arrived == 0 {
                numbers.first = number;
            }
            numbers.highest = numbers.highest.max(number);
            numbers.arrived += 1;
        }
    }

    /// Memory in bytes per flow.
    pub(super) fn bytes_of_flow(plan: &Plan) -> usize {
        let is_call = |group: &GroupSpec| matches!(group.source, SourceSpec::Frames(_) | SourceSpec::Call(_));
        if plan.groups.iter().any(is_call) { size_of::<Numbers>() } else { 0 }
    }

    /// Memory of what grows during a run, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.groups.iter().flatten().map(|call| call.delays.memory()).sum()
    }

    /// The calls of a group, whose flows are `flows` and send `sent_bps`, if it has any.
    pub(super) fn of(
        &self,
        group: usize,
        flows: std::ops::Range<usize>,
        sent_bps: impl FnOnce() -> f64,
    ) -> Option<OfCalls<'_>> {
        let call = self.groups.get(group)?.as_ref()?;
        let (mut expected, mut arrived) = (0, 0);
        for numbers in self.flows[flows].iter().filter(|numbers| numbers.arrived > 0) {
            // a packet that was overtaken by the first one may have a lower number
            expected += (numbers.highest + 1 - numbers.first).max(numbers.arrived);
            arrived += numbers.arrived;
        }
        Some(OfCalls {
            delays: &call.delays,
            frame: call.frame,
            lost: ratio((expected - arrived) as f64, expected as f64),
            sent_bps: sent_bps(),
        })
    }
}

/// The calls of a group, for its summary.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfCalls<'a> {
    pub(super) delays: &'a Histogram,
    /// Length of a frame of speech in ms.
    frame: Option<f64>,
    /// Share of packets that were lost.
    pub(super) lost: Option<f64>,
    /// Bits sent per second, with headers.
    pub(super) sent_bps: f64,
}

impl OfCalls<'_> {
    /// The mean opinion score of speech with the best playout time.
    pub(super) fn mos(&self) -> Option<f64> {
        let (lost, frame) = (self.lost?, self.frame?);
        let rating =
            |(time, share): (Time, f64)| rating(1_000.0 * time.as_secs_f64() + frame, 1.0 - (1.0 - lost) * share);
        self.delays.cumulative().map(rating).reduce(f64::max).map(score)
    }
}

/// The rating `R` of speech with a delay in ms and a share of packets that are not heard.
fn rating(delay: f64, missing: f64) -> f64 {
    let percent = 100.0 * missing;
    93.2 - 0.024 * delay - 0.11 * (delay - 177.3).max(0.0) - 95.0 * percent / (percent + 25.1)
}

/// The mean opinion score of a rating: G.107, annex B.
fn score(rating: f64) -> f64 {
    let r = rating.clamp(0.0, 100.0);
    1.0 + 0.035 * r + 7e-6 * r * (r - 60.0) * (100.0 - r)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, wanted: f64) {
        assert!((value - wanted).abs() < 1e-3, "{value} is not {wanted}");
    }

    /// Validates: the score without delay and loss is 4.41; 200 ms take 4.8 + 2.497 of the rating; 5 % of the packets take 15.78.
    /// Source: ITU-T G.107, annex B (R = 93.2 gives 4.41); Cole and Rosenbluth 2001, section 3; G.107, section 7.5, by hand:
    ///     95 * 5 / 30.1.
    /// Tolerance: 0.001.
    #[test]
    fn the_rating_is_that_of_the_e_model() {
        near(score(rating(0.0, 0.0)), 4.409);
        near(rating(200.0, 0.0), 93.2 - 4.8 - 2.497);
        near(rating(0.0, 0.05), 93.2 - 15.781);
        near(score(-5.0), 1.0);
        near(score(60.0), 3.1);
    }

    /// Validates: nine of ten packets arrive after 20 ms and one after 400 ms. Waiting for it costs a rating of 35.8, and playing
    ///     without it one of 27.1, so the best score is the one without it.
    /// Source: the formulas by hand: 0.024 * 380 + 0.11 * 242.7 = 35.8 against 95 * 10 / 35.1 = 27.07.
    /// Tolerance: 0.003, the rounding of delays to 0.1 %.
    #[test]
    fn the_best_playout_time_leaves_late_packets_out() {
        let mut delays = Histogram::default();
        (0..9).for_each(|_| delays.record(Time::from_millis(20)));
        delays.record(Time::from_millis(400));
        let call = OfCalls { delays: &delays, frame: Some(20.0), lost: Some(0.0), sent_bps: 0.0 };
        let expected = score(93.2 - 0.024 * 40.0 - 95.0 * 10.0 / 35.1);
        let found = call.mos().expect("packets arrived");
        assert!((found - expected).abs() < 0.003, "{found} is not {expected}");
    }

    /// Validates: of the packets 10 to 19, two are missing; what comes before the first one is not missed.
    /// Source: RFC 3550, appendix A.3.
    /// Tolerance: exact.
    #[test]
    fn losses_are_gaps_in_the_numbers() {
        let mut calls = Calls { flows: vec![Numbers::default()], groups: vec![Some(Call::default())] };
        assert_eq!(calls.of(0, 0..1, || 0.0).expect("it is a call").lost, None);
        for number in [10, 11, 12, 14, 15, 13, 16, 19] {
            calls.arrived(0, 0, number, Time::from_millis(1));
        }
        assert_eq!(calls.of(0, 0..1, || 0.0).expect("it is a call").lost, Some(0.2));
    }
}
