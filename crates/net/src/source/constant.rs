//! Packets at constant intervals, the first at the start.

use ackclock_units::{Stream, Time};

use super::{Emission, Source};

#[derive(Clone, Debug)]
pub(crate) struct Constant {
    rate: f64,
    start: Option<Time>,
    emitted: u64,
}

impl Constant {
    pub(super) const fn new(rate: f64) -> Self {
        Self { rate, start: None, emitted: 0 }
    }
}

impl Source for Constant {
    fn emit(&mut self, now: Time, _: &mut Stream) -> Emission {
        let start = *self.start.get_or_insert(now);
        self.emitted += 1;
        // relative to the start, not to the last packet, so that rounding errors do not accumulate
        let next = start.saturating_add(Time::from_secs_f64(self.emitted as f64 / self.rate));
        Emission { packets: 1, next: Some(next.max(now)) }
    }
}
