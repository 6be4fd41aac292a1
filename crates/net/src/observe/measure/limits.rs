//! What limited the senders of a flow or a group: shares of the measured time.
//!
//! The senders record the times themselves ([`Limit`]). A group's share is the mean over its flows that had a sender: each
//! flow counts for the whole measured time, from its first instant to its last. Flows reserved for connections that were
//! never opened do not count.

use ackclock_tcp::Limit;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::meter::FlowMeter;

const COUNT: usize = Limit::ALL.len();

/// Shares of the measured time in which each reason limited the senders, in the order of [`Limit::ALL`]; they add up to
/// 1. `None` for UDP, which nothing limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limited(pub Option<[f64; COUNT]>);

impl Limited {
    /// The share of a reason.
    pub fn share(&self, limit: Limit) -> Option<f64> {
        self.0.map(|shares| shares[limit as usize])
    }
}

impl Serialize for Limited {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(COUNT))?;
        for limit in Limit::ALL {
            map.serialize_entry(limit.field(), &self.share(limit))?;
        }
        map.end()
    }
}

/// Sums over flows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums([f64; COUNT]);

impl Sums {
    /// Adds a flow.
    pub(super) fn add(&mut self, flow: &FlowMeter<'_>) {
        if let Some(times) = flow.limits().filter(|_| !flow.is_spare()) {
            self.0.iter_mut().zip(times).for_each(|(sum, time)| *sum += time.as_picos() as f64);
        }
    }

    /// The shares of the sum.
    pub(super) fn shares(self) -> Limited {
        let whole: f64 = self.0.iter().sum();
        Limited((whole > 0.0).then(|| self.0.map(|sum| sum / whole)))
    }
}
