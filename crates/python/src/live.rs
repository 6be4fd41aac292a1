//! Runs of real kernels for Python, which makes the namespaces and the traffic.

use std::io::{PipeWriter, pipe};
use std::os::fd::{IntoRawFd, RawFd};
use std::sync::Arc;

use ackclock_live::carrier::{Carrier, Counts};
use ackclock_live::lateness::Lateness;
use ackclock_live::wires::{Tun, Tuns};
use ackclock_net::Plan;
use ackclock_net::relay::MeasuredRelay;
use ackclock_units::Time;
use pyo3::prelude::*;
use serde_json::json;

use crate::{RawTables, Rows, refuse};

/// A TUN device.
#[pyclass(name = "Tun", module = "ackclock._core", frozen)]
#[derive(Debug)]
pub(crate) struct PyTun(Tun);

#[pymethods]
impl PyTun {
    #[new]
    fn open() -> PyResult<Self> {
        Ok(Self(Tun::open()?))
    }

    /// The file descriptor, for its configuration.
    fn fileno(&self) -> RawFd {
        self.0.fd()
    }
}

/// The links of a plan for real packets.
#[pyclass(name = "Carrier", module = "ackclock._core", unsendable)]
#[derive(Debug)]
pub(crate) struct PyCarrier {
    relay: Option<MeasuredRelay>,
    supplies: Option<PipeWriter>,
    flows: usize,
    duration: Time,
}

#[pymethods]
impl PyCarrier {
    #[new]
    fn new(plan: &str, seed: u64) -> PyResult<Self> {
        let plan: Plan = serde_json::from_str(plan).map_err(refuse)?;
        let flows = plan.groups.iter().map(|group| group.flows() as usize).sum();
        let duration = plan.duration;
        let relay = MeasuredRelay::new(Arc::new(plan), seed).map_err(refuse)?;
        Ok(Self { relay: Some(relay), supplies: None, flows, duration })
    }

    /// Makes the pipe of what the sources supply, 16 bytes each: flow, and number of packets. Returns its reading end,
    /// which is the caller's.
    fn supplies(&mut self) -> PyResult<RawFd> {
        let (reading, writing) = pipe()?;
        self.supplies = Some(writing);
        Ok(reading.into_raw_fd())
    }

    /// Carries packets between two devices until the end of the run, which begins at `zero` ns on the monotonic clock. Returns
    /// facts about the emulator as JSON. `segments` has the data bytes of a full segment of each flow.
    fn run(
        &mut self,
        py: Python<'_>,
        senders: &PyTun,
        receivers: &PyTun,
        zero: u64,
        segments: Vec<u32>,
    ) -> PyResult<String> {
        let relay = self.relay.take().ok_or_else(|| refuse("the run has ended"))?;
        if segments.len() != self.flows {
            return Err(refuse("segments: must have one number for each flow"));
        }
        let supplies = self.supplies.take().ok_or_else(|| refuse("supplies: must be called before the run"))?;
        let (senders, receivers, end) = (&senders.0, &receivers.0, self.duration);
        let (relay, lateness, counts) = py.detach(move || {
            let mut carrier = Carrier::new(Tuns::new(senders, receivers, supplies.into(), zero), relay, segments);
            carrier.run(end)?;
            let (lateness, counts) = (carrier.lateness.clone(), carrier.counts);
            Ok::<_, std::io::Error>((carrier.into_relay(), lateness, counts))
        })?;
        self.relay = Some(relay);
        Ok(facts(&lateness, counts))
    }

    /// Ends the run: the outcome as JSON and its tables. `timeouts` has the retransmission timeouts of each flow.
    fn finish(&mut self, timeouts: Vec<u64>) -> PyResult<(String, RawTables)> {
        let mut relay = self.relay.take().ok_or_else(|| refuse("the run has ended"))?;
        for (flow, count) in (0..).zip(timeouts) {
            relay.count_timeouts(flow, count);
        }
        let outcome = relay.finish();
        let json = serde_json::to_string(&outcome).map_err(refuse)?;
        Ok((json, outcome.tables.into_iter().map(|table| (table.name, Rows(table))).collect()))
    }
}

fn facts(lateness: &Lateness, counts: Counts) -> String {
    json!({
        "packets": lateness.total(),
        "p50": lateness.percentile(0.5),
        "p90": lateness.percentile(0.9),
        "p99": lateness.percentile(0.99),
        "p999": lateness.percentile(0.999),
        "longest": lateness.longest(),
        "late": lateness.late(),
        "carried": counts.carried,
        "foreign": counts.foreign,
        "refused": counts.refused,
    })
    .to_string()
}

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyTun>()?;
    module.add_class::<PyCarrier>()
}
