//! Checks each call of a law.

use std::fmt::{self, Display};
use std::sync::Arc;

use ackclock_units::Time;

use super::Broken;
use crate::congestion::foreign::{Cause, Controls, ForeignLaw, ForeignSpec, LawMaker, Needs};
use crate::congestion::{AckSample, CongestionEvent, Signal};
use crate::delivery_rate::{LostSegment, RateSample};

/// Windows below this need not be reduced: Reno's do not fall below two segments either.
const SMALL: f64 = 4.0;
/// More than sums of windows are rounded by.
const ROUNDING: f64 = 1e-6;

impl std::error::Error for Broken {}

/// Makes guarded laws.
#[derive(Debug)]
struct Guards(ForeignSpec);

/// The same law, whose calls are checked.
pub(super) fn guarded(law: &ForeignSpec) -> ForeignSpec {
    let guards: Arc<dyn LawMaker> = Arc::new(Guards(law.clone()));
    ForeignSpec { maker: Some(guards), ..law.clone() }
}

impl LawMaker for Guards {
    fn make(&self, flow: u32, connection: u64, seed: u64) -> Result<Box<dyn ForeignLaw>, Cause> {
        let law = self.0.maker.as_ref().ok_or_else(|| broken("the law has no maker"))?.make(flow, connection, seed)?;
        let Needs { scalable, samples_rate: owner, own_slow_start: starts, .. } = self.0.needs;
        Ok(Box::new(Guard { law, scalable, owner, starts }))
    }
}

#[derive(Debug)]
struct Guard {
    law: Box<dyn ForeignLaw>,
    /// Whether the law answers marks by itself, whether the window is the law's alone, and whether slow start is.
    scalable: bool,
    owner: bool,
    starts: bool,
}

fn broken(words: impl Display) -> Cause {
    Arc::new(Broken(words.to_string()))
}

impl ForeignLaw for Guard {
    fn observe(&mut self, ack: &AckSample) -> Result<(), Cause> {
        self.law.observe(ack)
    }

    fn on_ack(&mut self, window: &mut Controls, ack: &AckSample) -> Result<(), Cause> {
        let before = window.cwnd;
        self.law.on_ack(window, ack)?;
        let (after, news) = (window.cwnd, ack.newly_acked);
        if !self.owner && after > before.max(1.0) + news as f64 + ROUNDING {
            let rule = "slow start adds at most as many as are acknowledged";
            return Err(broken(format!(
                "the window grows from {before} to {after} packets for {news} acknowledged; {rule}"
            )));
        }
        Ok(())
    }

    fn on_congestion(&mut self, window: &mut Controls, event: &CongestionEvent, now: Time) -> Result<(), Cause> {
        let Controls { cwnd, ssthresh, .. } = *window;
        let before = cwnd.max(event.window);
        self.law.on_congestion(window, event, now)?;
        let is_set = window.sets_ssthresh || window.ssthresh != ssthresh;
        let exempt = match event.signal {
            Signal::Loss => self.owner,
            Signal::Mark => self.owner || self.scalable,
            Signal::Timeout => self.owner || !is_set && window.leaves(event, cwnd),
        };
        let (after, least) = (window.cwnd.min(window.ssthresh), before.max(SMALL));
        let of = Word(event.signal);
        if !exempt && after >= least {
            return Err(broken(format!(
                "the window is {after} packets after {of}, and was {before}; it must be reduced: set window.cwnd to a \
                 part of event.window"
            )));
        }
        if !exempt && !self.starts && is_set && window.ssthresh >= least {
            return Err(broken(format!(
                "the law sets window.ssthresh to {} packets after {of}, and the window was {before}: slow start would \
                 return to it at once; set window.ssthresh to the reduced window, or leave it to the engine",
                window.ssthresh
            )));
        }
        Ok(())
    }

    fn on_lost(&mut self, window: &mut Controls, lost: &LostSegment, sample: &RateSample) -> Result<(), Cause> {
        self.law.on_lost(window, lost, sample)
    }

    fn on_rate(&mut self, window: &mut Controls, sample: &RateSample) -> Result<(), Cause> {
        self.law.on_rate(window, sample)
    }

    fn on_idle(&mut self, now: Time, idle: Time) -> Result<(), Cause> {
        self.law.on_idle(now, idle)
    }

    fn on_undo(&mut self, window: &mut Controls, now: Time) -> Result<(), Cause> {
        self.law.on_undo(window, now)
    }
}

struct Word(Signal);

impl Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Signal::Loss => "a loss",
            Signal::Mark => "a mark",
            Signal::Timeout => "a timeout",
        })
    }
}
