//! Extra delays of single packets after a link: a propagation delay that changes, jitter, and packets that are held back.
//!
//! The extra delay is added to the least propagation delay of the link; it takes no transmission time. A packet has the
//! propagation delay at the end of its transmission, and keeps it. Where that delay falls, later packets overtake earlier
//! ones, as in ns-2, ns-3 and netem, or arrive just behind them, as from a radio bearer that delivers in order (3GPP TS
//! 38.323, section 5.2.2): see `reorders`.

use std::collections::BTreeSet;
use std::sync::Arc;

use ackclock_units::{Role, Stream, Time};
use serde::{Deserialize, Serialize};

use super::steps;
use crate::link::backlog::INSTANT;
use crate::plan::LinkSpec;

/// A propagation delay that changes in steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayTraceSpec {
    /// Times of changes: the first is 0, each later than the one before.
    pub times: Vec<Time>,
    /// The delays from these times on, minus the least delay, which is the link's.
    pub extra: Vec<Time>,
    /// Period after which the trace repeats; `None` keeps the last delay.
    pub period: Option<Time>,
    /// Whether packets may overtake each other. If not, a packet that would arrive before its predecessor arrives one
    /// picosecond after it.
    pub reorders: bool,
}

impl DelayTraceSpec {
    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        steps::check(&self.times, ("extra", self.extra.len()), self.period)
    }

    /// The longest extra delay.
    pub(crate) fn most(&self) -> Time {
        self.extra.iter().copied().max().unwrap_or_default()
    }
}

/// Jitter: each packet has an extra delay, independent and uniform from 0 to `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JitterSpec {
    /// Upper limit of the extra delay.
    pub max: Time,
    /// Whether packets may overtake each other. If not, a packet that would arrive before its predecessor arrives one
    /// picosecond after it.
    pub reorders: bool,
}

/// Reordering: with this probability, independently, a packet is held back, so that later packets overtake it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReorderSpec {
    /// Share of the packets that are held back.
    pub probability: f64,
    /// How long these packets are held back.
    pub delay: Time,
}

impl ReorderSpec {
    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        if (0.0..=1.0).contains(&self.probability) { Ok(()) } else { Err(("probability", "must be from 0 to 1")) }
    }
}

/// The extra delays of the packets of a link.
#[derive(Clone, Debug)]
pub(crate) struct ExtraDelay {
    /// The trace of the delay, and the least delay.
    trace: Option<(Arc<DelayTraceSpec>, Time)>,
    keeps_order: bool,
    jitter: Option<(JitterSpec, Stream)>,
    reorder: Option<(ReorderSpec, Stream)>,
    /// The latest arrival so far of a packet that was not held back.
    last: Time,
    /// Arrivals still to come, if packets may overtake each other. Each is unique: ties would have no order.
    pending: BTreeSet<Time>,
}

impl ExtraDelay {
    /// Memory of a pending arrival in bytes: a node of a set may be half full.
    pub(crate) const BYTES_OF_PACKET: usize = 2 * size_of::<Time>();

    /// The extra delays of the link with the given global id; `None` if it has none.
    pub(crate) fn new(spec: &LinkSpec, seed: u64, link: u32) -> Option<Box<Self>> {
        let stream = |role| Stream::new(seed, role, link);
        let trace = spec.delay_trace.clone().map(|trace| (trace, spec.delay));
        let jitter = spec.jitter.map(|spec| (spec, stream(Role::Jitter)));
        let reorder = spec.reorder.map(|spec| (spec, stream(Role::Reorder)));
        let has_any = trace.is_some() || jitter.is_some() || reorder.is_some();
        let keeps_order = spec.keeps_order_of_delays();
        let (last, pending) = (Time::ZERO, BTreeSet::new());
        has_any.then(|| Box::new(Self { trace, keeps_order, jitter, reorder, last, pending }))
    }

    /// The arrival of a packet that would arrive at `earliest` without extra delays. These times must increase from
    /// packet to packet.
    pub(crate) fn arrival(&mut self, earliest: Time) -> Time {
        let mut arrival = earliest;
        if let Some((trace, least)) = &self.trace {
            let (_, _, step) = steps::at(&trace.times, trace.period, earliest.saturating_sub(*least));
            arrival = arrival.saturating_add(trace.extra[step]);
        }
        if let Some((spec, stream)) = &mut self.jitter {
            arrival = arrival.saturating_add(stream.time_below(spec.max));
        }
        if self.keeps_order {
            arrival = arrival.max(self.last.saturating_add(INSTANT));
        }
        let mut is_held = false;
        if let Some((spec, stream)) = &mut self.reorder
            && stream.uniform() < spec.probability
        {
            arrival = arrival.saturating_add(spec.delay);
            is_held = true;
        }
        if self.reorder.is_some() || !self.keeps_order {
            self.pending = self.pending.split_off(&earliest);
            while arrival < Time::MAX && !self.pending.insert(arrival) {
                arrival += INSTANT;
            }
        }
        if !is_held {
            self.last = arrival;
        }
        arrival
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + self.pending.len() * Self::BYTES_OF_PACKET
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::plan::Topology;
    use crate::plan::testing::dumbbell_of_reno;

    const MILLI: Time = Time::from_millis(1);

    fn jitter(micros: u64, reorders: bool) -> JitterSpec {
        JitterSpec { max: Time::from_micros(micros), reorders }
    }

    fn link(jitter: Option<JitterSpec>, reorder: Option<ReorderSpec>) -> LinkSpec {
        let Topology::Dumbbell { bottleneck, .. } = dumbbell_of_reno(1).topology else {
            unreachable!("it is a dumbbell")
        };
        LinkSpec { jitter, reorder, ..bottleneck }
    }

    /// Arrivals of packets that would arrive `spacing` apart.
    fn arrivals(
        jitter: Option<JitterSpec>,
        reorder: Option<ReorderSpec>,
        spacing: Time,
        count: u64,
    ) -> Vec<(Time, Time)> {
        let mut extra = ExtraDelay::new(&link(jitter, reorder), 1, 0).expect("there is an extra delay");
        let times = (1..=count).map(|number| spacing.saturating_mul(number));
        times.map(|earliest| (earliest, extra.arrival(earliest))).collect()
    }

    /// Packets 1.2 ms apart with a jitter of up to 2 ms.
    ///
    /// Validates: the extra delays are uniform, and a packet is overtaken by the next one with the probability
    ///   `(1 - s/J)^2 / 2` for a spacing s and a jitter J, here 0.08.
    /// Source: two independent uniform variables U and V: P(U - V > s).
    /// Tolerance: four standard errors of 100,000 packets at a fixed seed.
    #[test]
    fn jitter_overtakes_as_two_uniform_delays_do() {
        let seen = arrivals(Some(jitter(2_000, true)), None, Time::from_micros(1_200), 100_000);
        let delays: Vec<f64> = seen.iter().map(|(earliest, at)| (*at - *earliest).as_secs_f64() * 1e3).collect();
        let n = delays.len() as f64;
        let mean = delays.iter().sum::<f64>() / n;
        let square = delays.iter().map(|delay| delay * delay).sum::<f64>() / n;
        assert!((mean - 1.0).abs() < 4.0 * (1.0_f64 / 3.0 / n).sqrt(), "{mean}");
        assert!((square - 4.0 / 3.0).abs() < 4.0 * (16.0_f64 / 5.0 - 16.0 / 9.0).sqrt() / n.sqrt(), "{square}");
        let overtaken = seen.windows(2).filter(|pair| pair[1].1 < pair[0].1).count() as f64 / n;
        println!("measured: {overtaken:.4} for 0.08");
        // one packet's delay affects two pairs
        assert!((overtaken - 0.08).abs() < 4.0 * 2.0_f64.sqrt() * (0.08_f64 * 0.92 / n).sqrt());
    }

    #[test]
    fn jitter_that_keeps_the_order_only_delays_more() {
        let free = arrivals(Some(jitter(2_000, true)), None, Time::from_micros(500), 1_000);
        let kept = arrivals(Some(jitter(2_000, false)), None, Time::from_micros(500), 1_000);
        let mut last = Time::ZERO;
        for ((_, free), (_, kept)) in free.iter().zip(&kept) {
            // the same draws, and the arrival of the predecessor if that is later
            assert_eq!(*kept, (*free).max(last + INSTANT));
            last = *kept;
        }
    }

    /// Packets 1 ms apart of which every second one is held back for 2 ms on average: held packets would arrive at
    /// exactly the time of a later one.
    #[test]
    fn held_packets_are_overtaken_and_no_two_arrive_at_once() {
        let reorder = ReorderSpec { probability: 0.5, delay: MILLI.saturating_mul(2) };
        let seen = arrivals(None, Some(reorder), MILLI, 10_000);
        let held = seen.iter().filter(|(earliest, at)| *at - *earliest >= reorder.delay).count();
        assert!((held as f64 - 5_000.0).abs() < 4.0 * 50.0, "{held}");
        assert!(seen.iter().all(|(earliest, at)| {
            let extra = *at - *earliest;
            extra <= INSTANT || reorder.delay <= extra && extra <= reorder.delay + INSTANT
        }));
        let unique: BTreeSet<Time> = seen.iter().map(|(_, at)| *at).collect();
        assert_eq!(unique.len(), seen.len());
        // with certainty, all are held and stay in order
        let all = arrivals(None, Some(ReorderSpec { probability: 1.0, ..reorder }), MILLI, 100);
        assert!(all.iter().all(|(earliest, at)| *at == *earliest + reorder.delay));
    }

    /// Packets 1 ms apart on a link whose delay is 5, 2, 20 and 1 ms from 0, 10, 12 and 20 ms on, and again after 30 ms.
    ///
    /// Validates: each packet has the delay at the end of its transmission; without reordering, none arrives before its
    ///   predecessor.
    /// Source: by hand.
    /// Tolerance: exact.
    #[test]
    fn a_packet_has_the_delay_at_the_end_of_its_transmission() {
        let delays = [5, 2, 20, 1];
        let trace = |reorders| DelayTraceSpec {
            times: [0, 10, 12, 20].map(Time::from_millis).to_vec(),
            extra: delays.map(|delay| Time::from_millis(delay - 1)).to_vec(),
            period: Some(Time::from_millis(30)),
            reorders,
        };
        let arrivals = |reorders| -> Vec<Time> {
            let spec = LinkSpec { delay: MILLI, delay_trace: Some(trace(reorders).into()), ..link(None, None) };
            assert_eq!(spec.delay_trace.as_ref().map(|trace| trace.check()), Some(Ok(())));
            let mut extra = ExtraDelay::new(&spec, 1, 0).expect("there is an extra delay");
            (0..40).map(|end| extra.arrival(Time::from_millis(end) + MILLI)).collect()
        };
        let delay = |end| match end % 30 {
            0..10 => 5,
            10..12 => 2,
            12..20 => 20,
            _ => 1,
        };
        let expected: Vec<Time> = (0..40).map(|end| Time::from_millis(end + delay(end))).collect();
        let free = arrivals(true);
        // of two packets that would arrive at one time, the second arrives a picosecond later
        assert!(free.iter().zip(&expected).all(|(found, expected)| *found - *expected <= Time::from_picos(2)));
        let mut last = Time::ZERO;
        for (kept, expected) in arrivals(false).iter().zip(expected) {
            assert_eq!(*kept, expected.max(last + INSTANT));
            last = *kept;
        }
    }

    #[test]
    fn the_two_have_streams_of_their_own() {
        let reorder = ReorderSpec { probability: 0.3, delay: Time::SECOND };
        let plain = arrivals(Some(jitter(900, true)), None, MILLI, 1_000);
        let both = arrivals(Some(jitter(900, true)), Some(reorder), MILLI, 1_000);
        assert!(plain.iter().zip(&both).all(|((_, a), (_, b))| a == b || *a + Time::SECOND == *b));
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        for (probability, is_sound) in [(0.0, true), (1.0, true), (1.1, false), (-0.1, false), (f64::NAN, false)] {
            let found = ReorderSpec { probability, delay: MILLI }.check();
            assert_eq!(found, if is_sound { Ok(()) } else { Err(("probability", "must be from 0 to 1")) });
        }
    }

    proptest! {
        /// Arrivals are unique and never before the time without extra delays; memory does not grow with the number of
        /// packets.
        #[test]
        fn arrivals_are_unique(
            gaps in prop::collection::vec(1_u64..4, 1..200),
            max in prop::option::of(0_u64..6),
            reorders in any::<bool>(),
            held in prop::option::of((0.0..1.0_f64, 0_u64..6)),
        ) {
            let jitter = max.map(|max| JitterSpec { max: Time::from_picos(max), reorders });
            let reorder = held.map(|(probability, delay)| ReorderSpec { probability, delay: Time::from_picos(delay) });
            let Some(mut extra) = ExtraDelay::new(&link(jitter, reorder), 1, 0) else { return Ok(()) };
            let (mut earliest, mut seen, mut last) = (Time::ZERO, BTreeSet::new(), Time::ZERO);
            for gap in gaps {
                earliest += Time::from_picos(gap);
                let at = extra.arrival(earliest);
                prop_assert!(at >= earliest && seen.insert(at));
                prop_assert!(reorder.is_some() || reorders || at > last);
                prop_assert!(extra.pending.len() <= 40);
                last = at;
            }
        }
    }

    #[test]
    fn the_end_of_time_is_no_loop() {
        let reorder = ReorderSpec { probability: 0.5, delay: Time::MAX };
        let mut extra =
            ExtraDelay::new(&link(Some(jitter(1, true)), Some(reorder)), 1, 0).expect("there is an extra delay");
        for _ in 0..10 {
            assert_eq!(extra.arrival(Time::MAX), Time::MAX);
        }
    }
}
