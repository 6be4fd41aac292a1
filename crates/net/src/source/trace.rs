//! Replay of a trace: packets at given times, once or repeatedly.

use std::sync::Arc;

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::{Emission, Source};

/// The packets of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceSpec {
    /// Packet times relative to the start of the trace, in order.
    pub times: Vec<Time>,
    /// Number of packets at each time; one by default.
    #[serde(default)]
    pub packets: Option<Vec<u32>>,
    /// Period after which the trace repeats; `None` plays it once.
    pub period: Option<Time>,
    /// Position in the trace at which a flow begins; `None` draws it from the period, separately for each flow.
    pub offset: Option<Time>,
}

impl TraceSpec {
    /// Mean packets per second while the trace plays; infinite if all packets have time 0.
    pub(super) fn mean_rate(&self) -> f64 {
        let packets = |packets: &Vec<u32>| packets.iter().map(|each| u64::from(*each)).sum();
        let total: u64 = self.packets.as_ref().map_or(self.times.len() as u64, packets);
        let length = self.period.or(self.times.last().copied()).unwrap_or_default();
        if length == Time::ZERO { f64::INFINITY } else { total as f64 / length.as_secs_f64() }
    }

    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let Some(last) = self.times.last().filter(|_| self.times.is_sorted()) else {
            return Err(("times", "must not be empty and must be in order"));
        };
        if self.packets.as_ref().is_some_and(|packets| packets.len() != self.times.len()) {
            return Err(("packets", "must have as many values as times"));
        }
        if self.period.is_some_and(|period| period < *last || period == Time::ZERO) {
            return Err(("period", "must be above 0 s and reach the last time"));
        }
        match (self.period, self.offset) {
            (None, None) => Err(("offset", "must be given if there is no period")),
            (Some(period), Some(offset)) if offset >= period => Err(("offset", "must be below the period")),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Trace {
    spec: Arc<TraceSpec>,
    /// Index of the next row, once the source has started.
    row: Option<usize>,
    /// Time of the trace's beginning, plus `offset`.
    beginning: Time,
    offset: Time,
}

impl Trace {
    pub(super) const fn new(spec: Arc<TraceSpec>) -> Self {
        Self { spec, row: None, beginning: Time::ZERO, offset: Time::ZERO }
    }

    /// Starts the trace. Returns the first row at or after `offset`.
    fn begin(&mut self, now: Time, stream: &mut Stream) -> usize {
        self.beginning = now;
        self.offset = self.spec.offset.unwrap_or_else(|| stream.time_below(self.spec.period.unwrap_or_default()));
        self.spec.times.partition_point(|time| *time < self.offset)
    }
}

impl Source for Trace {
    fn emit(&mut self, now: Time, stream: &mut Stream) -> Emission {
        let (packets, mut row) = match self.row {
            None => (0, self.begin(now, stream)),
            Some(row) => (self.spec.packets.as_ref().map_or(1, |packets| u64::from(packets[row])), row + 1),
        };
        if row == self.spec.times.len() {
            let Some(period) = self.spec.period else { return Emission { packets, next: None } };
            self.beginning = self.beginning.saturating_add(period);
            row = 0;
        }
        self.row = Some(row);
        let next = self.beginning.saturating_add(self.spec.times[row]).saturating_sub(self.offset);
        Emission { packets, next: Some(next.max(now)) }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;
    use proptest::prelude::*;

    use super::*;

    fn spec(millis: &[u64], period: Option<u64>, offset: Option<u64>) -> TraceSpec {
        let times = millis.iter().copied().map(Time::from_millis).collect();
        TraceSpec { times, packets: None, period: period.map(Time::from_millis), offset: offset.map(Time::from_millis) }
    }

    /// Packet times in milliseconds and counts, starting at `start`.
    fn played(spec: &TraceSpec, start: u64, seed: u64, most: usize) -> Vec<(u64, u64)> {
        let (mut source, mut stream) = (Trace::new(Arc::new(spec.clone())), Stream::new(seed, Role::Source, 0));
        let (mut now, mut emissions) = (Time::from_millis(start), Vec::new());
        let Emission { packets: 0, mut next } = source.emit(now, &mut stream) else { panic!("too early") };
        while let Some(time) = next.filter(|_| emissions.len() < most) {
            assert!(time >= now, "time goes backwards");
            now = time;
            let emission = source.emit(now, &mut stream);
            emissions.push((now.as_picos() / 1_000_000_000, emission.packets));
            next = emission.next;
        }
        emissions
    }

    #[test]
    fn the_mean_rate_of_a_trace() {
        let trace = |period, packets| TraceSpec {
            times: vec![Time::ZERO, Time::from_millis(500)],
            packets,
            period,
            offset: Some(Time::ZERO),
        };
        assert_eq!(trace(None, None).mean_rate(), 4.0);
        assert_eq!(trace(Some(Time::SECOND), Some(vec![1, 4])).mean_rate(), 5.0);
        assert_eq!(TraceSpec { times: vec![Time::ZERO], ..trace(None, None) }.mean_rate(), f64::INFINITY);
    }

    #[test]
    fn a_trace_is_played_once_or_over_and_over() {
        let ones = |millis: &[u64]| -> Vec<(u64, u64)> { millis.iter().map(|at| (*at, 1)).collect() };
        let rows = [0, 5, 5, 20];
        assert_eq!(played(&spec(&rows, None, Some(0)), 100, 1, 9), ones(&[100, 105, 105, 120]));
        assert_eq!(played(&spec(&rows, None, Some(5)), 100, 1, 9), ones(&[100, 100, 115]));
        assert_eq!(played(&spec(&rows, None, Some(21)), 100, 1, 9), []);
        assert_eq!(played(&spec(&rows, Some(30), Some(0)), 0, 1, 6), ones(&[0, 5, 5, 20, 30, 35]));
        assert_eq!(played(&spec(&rows, Some(30), Some(10)), 0, 1, 6), ones(&[10, 20, 25, 25, 40, 50]));
        assert_eq!(played(&spec(&rows, Some(30), Some(25)), 0, 1, 3), ones(&[5, 10, 10]));
        let counted = TraceSpec { packets: Some(vec![3, 0, 1, 2]), ..spec(&rows, None, Some(0)) };
        assert_eq!(played(&counted, 0, 1, 9), [(0, 3), (5, 0), (5, 1), (20, 2)]);
    }

    #[test]
    fn a_random_place_is_each_streams_own() {
        let place = |seed| played(&spec(&[0], Some(1_000_000), None), 0, seed, 1)[0].0;
        assert_ne!(place(1), place(2));
        // 200 offsets in a period of 1000 s: mean 500 s, four standard errors 4 * 1000 / sqrt(12 * 200)
        let mean = (0..200).map(place).sum::<u64>() as f64 / 2e5;
        assert!((mean - 500.0).abs() < 82.0, "{mean}");
    }

    #[test]
    fn what_cannot_be_played_is_told() {
        let field = |spec: TraceSpec| spec.check().map_or_else(|(field, _)| field, |()| "none");
        assert_eq!(field(spec(&[0, 5], Some(5), None)), "none");
        assert_eq!(field(spec(&[], None, Some(0))), "times");
        assert_eq!(field(spec(&[5, 0], None, Some(0))), "times");
        assert_eq!(field(spec(&[0, 5], Some(4), Some(0))), "period");
        assert_eq!(field(spec(&[0], Some(0), Some(0))), "period");
        assert_eq!(field(spec(&[0], None, None)), "offset");
        assert_eq!(field(spec(&[0], Some(5), Some(5))), "offset");
        assert_eq!(field(TraceSpec { packets: Some(vec![1]), ..spec(&[0, 5], None, Some(0)) }), "packets");
    }

    proptest! {
        #[test]
        fn time_never_runs_back(
            mut millis in prop::collection::vec(0_u64..1_000, 1..20),
            more in 1_u64..1_000,
            offset in prop::option::of(0_u64..1_000),
            start in 0_u64..1_000,
            seed in any::<u64>(),
        ) {
            millis.sort_unstable();
            let period = millis[millis.len() - 1] + more;
            let spec = spec(&millis, Some(period), offset.map(|offset| offset % period));
            prop_assert_eq!(spec.check(), Ok(()));
            // the same rows repeat one period later
            let played = played(&spec, start, seed, 3 * millis.len());
            for (early, late) in played.iter().zip(&played[millis.len()..]) {
                prop_assert!(late.0 - early.0 >= period - 1 && late.0 - early.0 <= period + 1);
            }
        }
    }
}
