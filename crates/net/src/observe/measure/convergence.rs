//! Convergence: how evenly flows share the measured link over time, and how long they need after a change.
//!
//! The flows that *share* the link are those with a greedy source without end whose data crosses it. Rates are those at
//! which data is delivered in order for the first time, with headers, in windows of a given length. A window begins at
//! each tenth of its length.
//!
//! The times are those of delta-fair convergence (Bansal, Balakrishnan, Floyd and Shenker, "Dynamic Behavior of
//! Slowly-Responsive Congestion Control Algorithms", SIGCOMM 2001; RFC 5166, section 2.3): how long two flows with a new
//! allocation need until each has a share of the link from `(1 - delta) / 2` to `(1 + delta) / 2`. Here:
//!
//! - `n` flows share the link, and each must have `1 / n` of its rate, within `delta` of that. What other traffic gets is
//!   not there to be shared: data that other flows deliver, and ACKs that the link carries for data in the opposite
//!   direction.
//! - The change is a flow that joins, a flow that leaves, or a new rate of the link, as RFC 5166 suggests for sudden
//!   changes. The paper begins with almost nothing for one of the flows.
//! - The time ends at the beginning of the first window with such rates. The paper's rates are those of a fluid.
//!
//! A change counts if the next one follows after at least a window. If the flows do not converge until then, the time
//! until the next change counts: a lower bound.

use std::ops::Range;

use ackclock_units::{Rate, Time};

use crate::engine::simulator::Simulator;
use crate::link::rate::LinkRate;
use crate::packet::LinkId;
use crate::plan::{ConvergenceSpec, Plan, SourceSpec};

/// Number of windows that begin within the length of one.
const STEPS: u64 = 10;
/// Maximum number of counts of bytes: one for each flow that shares the link, and each step.
const MOST_COUNTS: u64 = 1 << 24;

/// What changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Join,
    Leave,
    Rate,
}

/// What a flow is for the measured link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The flow shares the link; its place among those that do.
    Shares(u32),
    /// Its data crosses the link.
    Other,
    Elsewhere,
}

/// Bytes that flows deliver in each step, and what changes.
#[derive(Clone, Debug)]
pub(super) struct Convergence {
    step: Time,
    delta: f64,
    measured: Range<Time>,
    roles: Vec<Role>,
    /// Of each flow that shares the link, its periods of activity, in order.
    periods: Vec<Vec<Range<Time>>>,
    rate: LinkRate,
    /// Times at which the rate changes, in order.
    rate_changes: Vec<Time>,
    /// For each step, the bytes of each flow that shares the link, and last of all other traffic.
    bytes: Vec<u64>,
    found: Found,
}

/// Results of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Mean of Jain's index over all windows in which several flows share the link and none joins or leaves.
    pub(super) jain: Option<f64>,
    /// Mean convergence times in seconds.
    pub(super) join: Option<f64>,
    pub(super) leave: Option<f64>,
    pub(super) rate: Option<f64>,
    /// Share of the changes after which the flows converge before the next change.
    pub(super) converged: Option<f64>,
}

impl ConvergenceSpec {
    /// Validates the values for flows of a run.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self, duration: Time, flows: usize) -> Result<(), (&'static str, String)> {
        if self.window.as_picos() < STEPS || self.window > duration {
            return Err(("window", format!("must be from {STEPS} ps to the duration of the run")));
        }
        if !(self.delta > 0.0 && self.delta < 1.0) {
            return Err(("delta", "must be above 0 and below 1".to_owned()));
        }
        let counts = (duration.as_picos() / self.step().as_picos()).saturating_mul(flows as u64 + 1);
        if counts > MOST_COUNTS {
            return Err((
                "window",
                format!("must be longer: a tenth of it gives more than {MOST_COUNTS} counts of bytes"),
            ));
        }
        Ok(())
    }

    const fn step(&self) -> Time {
        Time::from_picos(self.window.as_picos() / STEPS)
    }
}

impl Convergence {
    /// The measurement that a plan asks for, if it does, for a simulator built from the plan.
    pub(super) fn new(plan: &Plan, simulator: &Simulator) -> Option<Box<Self>> {
        let spec = plan.measure.convergence.as_ref()?;
        let link = LinkId(plan.measure.link);
        let (mut roles, mut periods) = (Vec::new(), Vec::new());
        for (place, (_, group)) in plan.flows().enumerate() {
            let crosses = simulator.data_links(place).any(|crossed| crossed == link);
            let is_greedy = matches!(group.source, SourceSpec::Greedy { packets: None });
            roles.push(match (crosses, is_greedy) {
                (true, true) => Role::Shares(periods.len() as u32),
                (true, false) => Role::Other,
                (false, _) => Role::Elsewhere,
            });
            if crosses && is_greedy {
                periods.push(simulator.periods(place, plan.duration));
            }
        }
        let rate = simulator.rate(link);
        let rate_changes = rate.changes(plan.duration);
        Some(Box::new(Self {
            step: spec.step(),
            delta: spec.delta,
            measured: plan.measure.from..plan.duration,
            roles,
            periods,
            rate: rate.clone(),
            rate_changes,
            bytes: Vec::new(),
            found: Found::default(),
        }))
    }

    /// Counts the bytes of a delivery before the end of the run.
    pub(super) fn add(&mut self, now: Time, flow: u32, bytes: u64) {
        let place = match self.roles[flow as usize] {
            Role::Shares(place) => place as usize,
            Role::Other => self.periods.len(),
            Role::Elsewhere => return,
        };
        self.count(now, place, bytes);
    }

    /// Counts an ACK whose transmission at the measured link begins, unless the run ends before.
    pub(super) fn add_ack(&mut self, start: Time, bytes: u32) {
        if start < self.measured.end {
            self.count(start, self.periods.len(), bytes.into());
        }
    }

    fn count(&mut self, now: Time, place: usize, bytes: u64) {
        let at = self.first(now) * self.columns() + place;
        if at >= self.bytes.len() {
            self.bytes.resize((self.first(now) + 1) * self.columns(), 0);
        }
        self.bytes[at] += bytes;
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let periods: usize = self.periods.iter().map(Vec::capacity).sum();
        self.bytes.capacity() * size_of::<u64>()
            + self.roles.capacity() * size_of::<Role>()
            + self.periods.capacity() * size_of::<Vec<Range<Time>>>()
            + periods * size_of::<Range<Time>>()
    }

    /// The results, after [`finish`](Self::finish).
    pub(super) const fn found(&self) -> Found {
        self.found
    }

    /// Computes the results at the end of the run.
    pub(super) fn finish(&mut self) {
        let steps = (self.measured.end.as_picos() / self.step.as_picos()) as usize;
        self.bytes.resize(self.bytes.len().max(steps * self.columns()), 0);
        let (mut jain, mut times, mut converged) = (Mean::default(), [Mean::default(); 3], Mean::default());
        for (change, span) in self.spans() {
            let active: Vec<usize> = (0..self.periods.len()).filter(|flow| self.is_active(*flow, span.start)).collect();
            let windows = self.windows(&span);
            let is_down = self.rate.mean(span.start, span.end) == Rate::SLOWEST;
            if active.is_empty() || windows.is_empty() || is_down {
                continue;
            }
            let mut reached = None;
            for begin in windows {
                let bits = self.bits(begin, &active);
                let at = self.step.saturating_mul(begin as u64);
                if reached.is_none() && self.is_fair(&bits, at) {
                    reached = Some(at);
                }
                let squares: f64 = bits.shares.iter().map(|share| share * share).sum();
                if active.len() > 1 && squares > 0.0 && at >= self.measured.start {
                    let sum: f64 = bits.shares.iter().sum();
                    jain.add(sum * sum / (active.len() as f64 * squares));
                }
            }
            let is_sharing = change != Change::Join || active.len() > 1;
            if is_sharing && span.start >= self.measured.start {
                times[change as usize].add((reached.unwrap_or(span.end) - span.start).as_secs_f64());
                converged.add(f64::from(u8::from(reached.is_some())));
            }
        }
        let [joined, left, rate] = times.map(Mean::mean);
        self.found = Found { jain: jain.mean(), join: joined, leave: left, rate, converged: converged.mean() };
    }

    /// The times between changes, each with the change before it.
    fn spans(&self) -> Vec<(Change, Range<Time>)> {
        let end = self.measured.end;
        let periods = || self.periods.iter().flatten();
        let mut changes: Vec<(Time, Change)> = self.rate_changes.iter().map(|at| (*at, Change::Rate)).collect();
        changes.extend(periods().map(|period| (period.start, Change::Join)));
        changes.extend(periods().map(|period| (period.end, Change::Leave)));
        changes.retain(|(at, _)| *at < end);
        // of simultaneous changes the first kind counts
        changes.sort_unstable_by_key(|(at, change)| (*at, *change as u8));
        changes.dedup_by_key(|(at, _)| *at);
        let ends = changes.iter().skip(1).map(|(at, _)| *at).chain([end]);
        changes.iter().zip(ends).map(|((at, change), end)| (*change, *at..end)).collect()
    }

    fn is_active(&self, flow: usize, at: Time) -> bool {
        let periods = &self.periods[flow];
        periods.get(periods.partition_point(|period| period.end <= at)).is_some_and(|period| period.start <= at)
    }

    /// The steps at which windows within a time begin.
    fn windows(&self, span: &Range<Time>) -> Range<usize> {
        let first = span.start.as_picos().div_ceil(self.step.as_picos()) as usize;
        first..(self.first(span.end) + 1).saturating_sub(STEPS as usize).max(first)
    }

    /// Bits that are delivered in a window.
    fn bits(&self, begin: usize, active: &[usize]) -> Bits {
        let columns = self.columns();
        let of = |place: usize| {
            let bytes: u64 = (begin..begin + STEPS as usize).map(|step| self.bytes[step * columns + place]).sum();
            8.0 * bytes as f64
        };
        Bits { shares: active.iter().map(|flow| of(*flow)).collect(), others: of(columns - 1) }
    }

    /// Whether each flow has its share of the link in a window.
    fn is_fair(&self, bits: &Bits, begin: Time) -> bool {
        let window = self.step.saturating_mul(STEPS);
        let rate = self.rate.mean(begin, begin.saturating_add(window)).as_bps() as f64;
        let fair = (rate * window.as_secs_f64() - bits.others) / bits.shares.len() as f64;
        bits.shares.iter().all(|share| (share - fair).abs() <= self.delta * fair)
    }

    fn columns(&self) -> usize {
        self.periods.len() + 1
    }

    /// The step that contains a time.
    const fn first(&self, at: Time) -> usize {
        (at.as_picos() / self.step.as_picos()) as usize
    }
}

/// Bits that are delivered in a window: of each flow that shares the link and is active, and of all other flows.
struct Bits {
    shares: Vec<f64>,
    others: f64,
}

/// A mean that grows by values.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::rate::{RateSpec, RateTraceSpec};

    const fn millis(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    /// Flows with the given periods, in tenths of a second, at a link of 800 kb/s, which carries 10 kB in each step of
    /// 100 ms; the last flow is another one, which does not share.
    fn measured(periods: &[&[(u64, u64)]], rate: &RateSpec, tenths: u64) -> Convergence {
        let periods: Vec<_> = periods
            .iter()
            .map(|of| of.iter().map(|(start, end)| millis(100 * start)..millis(100 * end)).collect())
            .collect();
        let rate = LinkRate::new(rate);
        let end = millis(100 * tenths);
        Convergence {
            step: millis(100),
            delta: 0.1,
            measured: Time::ZERO..end,
            roles: (0..periods.len() as u32).map(Role::Shares).chain([Role::Other, Role::Elsewhere]).collect(),
            rate_changes: rate.changes(end),
            periods,
            rate,
            bytes: Vec::new(),
            found: Found::default(),
        }
    }

    fn constant() -> RateSpec {
        Rate::from_bps(800_000).expect("above 0").into()
    }

    /// A flow delivers so many bytes in each step of a range.
    fn deliver(to: &mut Convergence, flow: u32, tenths: Range<u64>, bytes: u64) {
        tenths.for_each(|step| to.add(millis(100 * step + 50), flow, bytes));
    }

    fn found(mut convergence: Convergence) -> Found {
        convergence.finish();
        convergence.found()
    }

    /// Validates: a flow alone, another one from 2 s on that takes 10 % of the link for 0.7 s and then its half. A window
    ///     of 1 s with shares of 45 to 55 % has at most one step of the former kind: 10 % and nine times 50 % are 46 %, but
    ///     twice 10 % are 42 %. So the first window begins 0.6 s after the join. From 4 s on the flow is alone again,
    ///     with 30 % for 0.3 s and then all: twice 30 % are 86 % of a window and once 93 %, so 0.2 s after the leave.
    /// Source: by hand.
    /// Tolerance: exact.
    #[test]
    fn the_times_of_a_join_and_a_leave() {
        let mut flows = measured(&[&[(0, 60)], &[(20, 40)]], &constant(), 60);
        for (steps, first, second) in [
            (0..20, 10_000, 0),
            (20..27, 9_000, 1_000),
            (27..40, 5_000, 5_000),
            (40..43, 3_000, 0),
            (43..60, 10_000, 0),
        ] {
            deliver(&mut flows, 0, steps.clone(), first);
            deliver(&mut flows, 1, steps, second);
        }
        // of the eleven windows within 2 to 4 s, seven begin with k = 7 to 1 steps of 90 and 10 %
        let index = |k: f64| 100.0 * 100.0 / (2.0 * ((50.0 + 4.0 * k).powi(2) + (50.0 - 4.0 * k).powi(2)));
        let jain = ((1..=7).map(|k| index(f64::from(k))).sum::<f64>() + 4.0) / 11.0;
        let Found { jain: mean, join, leave, rate, converged } = found(flows);
        assert!((mean.expect("two flows") - jain).abs() < 1e-12, "{mean:?} for {jain}");
        assert_eq!((join, leave, rate, converged), (Some(0.6), Some(0.2), None, Some(1.0)));
    }

    /// Validates: flows that share a fluid link equally converge at once, after each change, also of its rate; without an
    ///     outage, which has nothing to share.
    /// Source: by definition.
    /// Tolerance: exact.
    #[test]
    fn a_fluid_converges_at_once() {
        let spec =
            RateTraceSpec::new([0, 3000, 5000, 7000].map(millis).to_vec(), vec![800_000, 400_000, 0, 800_000], None);
        let mut flows = measured(&[&[(0, 90)], &[(15, 90)]], &RateSpec::Trace(spec.into()), 90);
        for (steps, bytes) in [(0..15, [10_000, 0]), (15..30, [5_000; 2]), (30..50, [2_500; 2]), (70..90, [5_000; 2])] {
            deliver(&mut flows, 0, steps.clone(), bytes[0]);
            deliver(&mut flows, 1, steps, bytes[1]);
        }
        let at_once = Found { jain: Some(1.0), join: Some(0.0), leave: None, rate: Some(0.0), converged: Some(1.0) };
        assert_eq!(found(flows), at_once);
    }

    /// Validates: what other flows get is not there to be shared, and what leaves the link idle is no convergence: with
    ///     20 % for another flow, 40 % are the share of each of two, and 30 % are not. Then the time until the end counts.
    /// Source: by hand.
    /// Tolerance: exact.
    #[test]
    fn other_traffic_is_not_shared_and_idle_time_is_missing() {
        for (each, expected, converged) in [(4_000, 0.0, 1.0), (3_000, 2.0, 0.0)] {
            let mut flows = measured(&[&[(0, 40)], &[(20, 40)]], &constant(), 40);
            deliver(&mut flows, 0, 0..40, each);
            deliver(&mut flows, 1, 20..40, each);
            deliver(&mut flows, 2, 0..40, 2_000);
            deliver(&mut flows, 3, 0..40, 9_000);
            let found = found(flows);
            assert_eq!((found.join, found.converged, found.jain), (Some(expected), Some(converged), Some(1.0)));
        }
    }

    /// Validates: ACKs that the link carries are not there to be shared: with 20 % for them, 40 % are the share of each of
    ///     two flows. An ACK that is sent after the end does not count.
    /// Source: by hand.
    /// Tolerance: exact.
    #[test]
    fn acks_of_opposite_flows_are_not_shared() {
        for (acks, expected, converged) in [(50, 0.0, 1.0), (0, 2.0, 0.0)] {
            let mut flows = measured(&[&[(0, 40)], &[(20, 40)]], &constant(), 40);
            deliver(&mut flows, 0, 0..40, 4_000);
            deliver(&mut flows, 1, 20..40, 4_000);
            for ack in 0..40 * acks {
                flows.add_ack(millis(100 * ack / acks), 40);
            }
            flows.add_ack(millis(4_000), 40);
            let found = found(flows);
            assert_eq!((found.join, found.converged), (Some(expected), Some(converged)));
        }
    }

    /// Validates: a change counts if the next one comes after a window or later, in the measured time, and if there is
    ///     somebody to share with.
    /// Source: by definition.
    /// Tolerance: exact.
    #[test]
    fn changes_within_a_window_do_not_count() {
        let flows = || measured(&[&[(0, 10), (15, 18), (22, 40)], &[(20, 40)]], &constant(), 40);
        // the join at 2 s is followed by another one after 0.2 s; that is followed by nothing
        assert_eq!(found(flows()), Found { join: Some(1.8), converged: Some(0.0), ..Found::default() });
        let later = Convergence { measured: millis(2300)..millis(4000), ..flows() };
        assert_eq!(found(later), Found::default());
        let alone = measured(&[&[(5, 40)]], &constant(), 40);
        assert_eq!(found(alone), Found::default());
    }

    #[test]
    fn wrong_values_are_refused() {
        let check = |window, delta, flows| {
            ConvergenceSpec { window, delta }.check(Time::SECOND, flows).map_err(|(field, _)| field)
        };
        assert_eq!(check(millis(100), 0.1, 1000), Ok(()));
        assert_eq!(check(Time::from_picos(9), 0.1, 1), Err("window"));
        assert_eq!(check(millis(1001), 0.1, 1), Err("window"));
        assert_eq!(check(Time::from_picos(10), 0.1, 1), Err("window"), "too many counts");
        assert_eq!(check(millis(1), 0.1, 100_000), Err("window"), "too many counts");
        for delta in [0.0, 1.0, f64::NAN, -1.0] {
            assert_eq!(check(millis(100), delta, 1), Err("delta"));
        }
    }
}
