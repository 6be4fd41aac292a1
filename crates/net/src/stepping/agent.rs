//! The law of an agent's flow: it does what the agent has set, and collects what the sender learns.
//!
//! - With a window or a rate, the window is the agent's, except after a timeout: then it grows from one segment by the
//!   segments acknowledged until it reaches the agent's window. Losses do not reduce it.
//! - With a factor, CUBIC sets the window, and the agent multiplies it from time to time, as in Orca (Abbasloo, Yen and
//!   Chao, "Classic Meets Modern", SIGCOMM 2020). The state of CUBIC stays the same, as in Orca's code, so that its next
//!   ACKs lead the window back to its curve. Orca's CUBIC is Linux's; here it is the one of RFC 9438.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ackclock_tcp::congestion::foreign::{Cause, Controls, ForeignLaw, LawMaker};
use ackclock_tcp::congestion::{AckSample, BuiltIn, CongestionEvent, CubicRules, CubicSpec, LawSpec, Signal};
use ackclock_units::Time;

use super::Action;

/// Name of the law of an agent's flow in a plan.
pub const AGENT: &str = "agent";

/// Largest window in segments, and largest rate in segments per second.
const MOST: f64 = 1e7;

/// A number that the law of a flow and the stepper share. The two use it in turn, so there is no order to keep.
#[derive(Debug, Default)]
struct Shared(AtomicU64);

impl Shared {
    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Relaxed))
    }

    fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Relaxed);
    }

    fn add(&self, value: f64) {
        self.set(self.get() + value);
    }
}

/// Exchanges data between an agent and the law of its flow. Actions are 0 if not set.
#[derive(Debug, Default)]
pub(super) struct Desk {
    window: Shared,
    rate: Shared,
    factor: Shared,
    /// Start of the step in picoseconds.
    begin: AtomicU64,
    /// Round-trip samples `r` at the times `t` of the step: their number, and the sums of `r`, `t`, `t^2` and `t r`.
    count: Shared,
    r: Shared,
    t: Shared,
    tt: Shared,
    tr: Shared,
    /// Smallest sample so far; 0 before the first.
    least: Shared,
}

/// The round-trip samples of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Samples {
    pub(super) count: u64,
    pub(super) mean: f64,
    pub(super) gradient: f64,
    pub(super) least: f64,
}

impl Default for Samples {
    fn default() -> Self {
        Self { count: 0, mean: f64::NAN, gradient: 0.0, least: f64::NAN }
    }
}

impl Desk {
    pub(super) fn act(&self, action: Action) {
        let (window, rate, factor) = match action {
            Action::Window(window) => (window.clamp(1.0, MOST), 0.0, 0.0),
            Action::Rate(rate) => (0.0, rate.clamp(1e-3, MOST), 0.0),
            Action::Factor(factor) => (0.0, 0.0, factor.clamp(1.0 / MOST, MOST)),
        };
        self.window.set(window);
        self.rate.set(rate);
        self.factor.set(factor);
    }

    pub(super) fn begin(&self, now: Time) {
        self.begin.store(now.as_picos(), Relaxed);
        for sum in [&self.count, &self.r, &self.t, &self.tt, &self.tr] {
            sum.set(0.0);
        }
    }

    fn sample(&self, now: Time, rtt: Time) {
        let (r, t) = (rtt.as_secs_f64(), (now.as_picos() - self.begin.load(Relaxed)) as f64 * 1e-12);
        for (sum, value) in [(&self.count, 1.0), (&self.r, r), (&self.t, t), (&self.tt, t * t), (&self.tr, t * r)] {
            sum.add(value);
        }
        let least = self.least.get();
        if least == 0.0 || r < least {
            self.least.set(r);
        }
    }

    pub(super) fn samples(&self) -> Samples {
        let [count, r, t, tt, tr, least] =
            [&self.count, &self.r, &self.t, &self.tt, &self.tr, &self.least].map(Shared::get);
        let spread = count * tt - t * t;
        Samples {
            count: count as u64,
            mean: r / count,
            // the second condition holds unless all samples have one time, up to rounding
            gradient: if spread > 1e-9 * count * tt { (count * tr - t * r) / spread } else { 0.0 },
            least: if least > 0.0 { least } else { f64::NAN },
        }
    }
}

/// The desks of all watched flows, by the flow's number. Makes the laws of the agents' flows.
#[derive(Debug)]
pub(super) struct Agents(Vec<(u32, Arc<Desk>)>);

impl Agents {
    pub(super) fn new(flows: impl Iterator<Item = u32>) -> Self {
        Self(flows.map(|flow| (flow, Arc::default())).collect())
    }

    pub(super) fn desk(&self, flow: u32) -> Option<Arc<Desk>> {
        let place = self.0.binary_search_by_key(&flow, |(flow, _)| *flow).ok()?;
        Some(Arc::clone(&self.0[place].1))
    }
}

impl LawMaker for Agents {
    fn make(&self, flow: u32, _: u64, _: u64) -> Result<Box<dyn ForeignLaw>, Cause> {
        let desk = self.desk(flow).unwrap_or_default();
        let cubic = LawSpec::Cubic(CubicSpec { fast_convergence: true, rules: CubicRules::Rfc9438 });
        Ok(Box::new(Agent { desk, cubic: BuiltIn::new(&cubic), is_restarting: false }))
    }
}

/// The law of an agent's flow.
#[derive(Debug)]
struct Agent {
    desk: Arc<Desk>,
    cubic: BuiltIn,
    /// Whether the window has not reached the agent's since a timeout.
    is_restarting: bool,
}

impl ForeignLaw for Agent {
    fn observe(&mut self, ack: &AckSample) -> Result<(), Cause> {
        if let Some(rtt) = ack.rtt {
            self.desk.sample(ack.now, rtt);
        }
        Ok(())
    }

    fn on_ack(&mut self, window: &mut Controls, ack: &AckSample) -> Result<(), Cause> {
        let (own, rate) = (self.desk.window.get(), self.desk.rate.get());
        let target = if rate > 0.0 && ack.srtt > 0.0 { (2.0 * rate * ack.srtt).clamp(4.0, MOST) } else { own };
        window.pacing_rate = rate;
        if target > 0.0 {
            if self.is_restarting {
                window.cwnd = (window.cwnd + ack.newly_acked as f64).min(target);
                self.is_restarting = window.cwnd < target;
            } else {
                window.cwnd = target;
            }
            window.ssthresh = target;
            return Ok(());
        }
        let factor = self.desk.factor.get();
        if factor > 0.0 {
            self.desk.factor.set(0.0);
            window.cwnd = (window.cwnd * factor).clamp(1.0, MOST);
        }
        self.cubic.on_ack(window, ack);
        Ok(())
    }

    fn on_congestion(&mut self, window: &mut Controls, event: &CongestionEvent, _: Time) -> Result<(), Cause> {
        if self.desk.window.get() > 0.0 || self.desk.rate.get() > 0.0 {
            self.is_restarting = event.signal == Signal::Timeout;
        } else {
            self.cubic.on_congestion(window, event);
        }
        Ok(())
    }
}
