//! A built-in law that a law from outside the engine uses.

use super::foreign::Controls;
use super::{AckSample, CongestionEvent, Law, LawSpec, Window};

/// The state of a built-in law, with the standard slow start if the law has none of its own. Laws that set the window
/// from delivery-rate samples do not change it.
#[derive(Debug)]
pub struct BuiltIn(Law);

impl BuiltIn {
    /// The initial state of a law.
    pub fn new(spec: &LawSpec) -> Self {
        Self(spec.build())
    }

    /// Changes the window as the law does with a new ACK outside of loss recovery.
    pub fn on_ack(&mut self, controls: &mut Controls, ack: &AckSample) {
        self.apply(controls, |law, window| law.on_ack(&mut None, window, || *ack));
    }

    /// Changes the window as the law does with a loss or a mark.
    pub fn on_congestion(&mut self, controls: &mut Controls, event: &CongestionEvent) {
        self.apply(controls, |law, window| law.on_congestion(window, event));
    }

    fn apply(&mut self, controls: &mut Controls, change: impl FnOnce(&mut Law, &mut Window)) {
        let mut window = Window { cwnd: controls.cwnd, ssthresh: controls.ssthresh };
        change(&mut self.0, &mut window);
        (controls.cwnd, controls.ssthresh, controls.sets_ssthresh) = (window.cwnd, window.ssthresh, true);
    }
}
