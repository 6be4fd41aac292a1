//! Binomial congestion control: Bansal and Balakrishnan, "Binomial Congestion Control Algorithms" (INFOCOM 2001), section
//! II.
//!
//! - each new ACK: `cwnd += 1 / cwnd^(k + 1)`;
//! - on a loss or a mark: `cwnd -= cwnd^l / 2`; a timeout resets the window to one segment.

use serde::{Deserialize, Serialize};

use super::{AckSample, CongestionControl, CongestionEvent, Parameter, ParameterKind, Spec, Window};
use crate::variants::{EARLY, Listing};

pub(super) const DOC: &str = "Increase proportional to w^-k, decrease to w^l (Bansal and Balakrishnan 2001)";
pub(super) const LISTING: Option<Listing> = Some(Listing { era: EARLY, doc: DOC });

const fn power(name: &'static str, doc: &'static str) -> Parameter {
    Parameter { name, doc, kind: ParameterKind::Number { min: Some(0.0), max: Some(1.0), above: None, default: 0.5 } }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    power("k", "Power of the window by which the increase is divided"),
    power("l", "Power of the window to which the decrease is proportional"),
];

/// The parameters of binomial congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BinomialSpec {
    /// Power of the window by which the increase is divided.
    pub k: f64,
    /// Power of the window to which the decrease is proportional.
    pub l: f64,
}

#[derive(Debug)]
pub(crate) struct Binomial(BinomialSpec);

impl Spec for BinomialSpec {
    type State = Binomial;

    fn build(&self) -> Binomial {
        Binomial(*self)
    }
}

impl CongestionControl for Binomial {
    fn on_ack(&mut self, window: &mut Window, ack: &AckSample) {
        window.cwnd += ack.counted(window) / libm::pow(window.cwnd, self.0.k + 1.0);
    }

    fn on_congestion(&mut self, window: &mut Window, event: &CongestionEvent) {
        window.reduce_to(event.window - libm::pow(event.window, self.0.l) / 2.0, event);
    }
}
