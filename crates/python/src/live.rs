//! Runs of real kernels for Python, which makes the namespaces and the traffic.

use std::fs::{File, OpenOptions};
use std::io::{PipeWriter, Write, pipe};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, IntoRawFd, RawFd};
use std::sync::Arc;

use ackclock_capture::write::Setup;
use ackclock_live::carrier::{Carrier, Counts};
use ackclock_live::connections::{Connections, Noted, replay};
use ackclock_live::headers::Flows;
use ackclock_live::lateness::Lateness;
use ackclock_live::tap::Tap;
use ackclock_live::wires::{Tun, Tuns, since_1970};
use ackclock_net::Plan;
use ackclock_net::relay::{MeasuredRelay, Supply};
use ackclock_tcp::Ecn;
use ackclock_units::Time;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};

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
        let relay = MeasuredRelay::new(Arc::new(plan), seed).map_err(refuse)?.with_sources();
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
        let mut supplies = self.supplies.take().ok_or_else(|| refuse("supplies: must be called before the run"))?;
        let (senders, receivers, end) = (&senders.0, &receivers.0, self.duration);
        let (relay, lateness, counts) = py.detach(move || {
            let wires = Tuns::new(vec![senders, receivers], zero, None);
            let mut carrier = Carrier::new(wires, Flows::new(relay, segments, |supply| give(&mut supplies, supply)));
            carrier.run(end)?;
            let (lateness, counts) = (carrier.lateness.clone(), carrier.counts);
            Ok::<_, std::io::Error>((carrier.into_parts().1.relay, lateness, counts))
        })?;
        self.relay = Some(relay);
        Ok(facts(&lateness, counts).to_string())
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

/// Writes a supply for the applications.
fn give(supplies: &mut PipeWriter, supply: Supply) {
    let mut message = [0; 16];
    message[..8].copy_from_slice(&u64::from(supply.flow).to_ne_bytes());
    message[8..].copy_from_slice(&supply.packets.to_ne_bytes());
    // the applications may have ended a moment earlier
    drop(supplies.write_all(&message));
}

fn facts(lateness: &Lateness, counts: Counts) -> Value {
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
}

/// The links of a plan for packets of any program.
#[pyclass(name = "Session", module = "ackclock._core", unsendable)]
#[derive(Debug)]
pub(crate) struct PySession {
    connections: Option<Connections>,
    hosts: usize,
    longest: Time,
}

/// Bytes of a noted packet for Python.
const NOTED: usize = 13;

#[pymethods]
impl PySession {
    #[new]
    fn new(plan: &str, seed: u64, addresses: Vec<String>, most: u16) -> PyResult<Self> {
        let plan: Plan = serde_json::from_str(plan).map_err(refuse)?;
        let hosts =
            addresses.into_iter().map(|each| each.parse()).collect::<Result<Vec<Ipv4Addr>, _>>().map_err(refuse)?;
        let flows: usize = plan.groups.iter().map(|group| group.flows() as usize).sum();
        let wanted = hosts.len() * hosts.len().saturating_sub(1) * usize::from(most);
        if hosts.len() < 2 || wanted != flows || flows > usize::from(u16::MAX) {
            return Err(refuse("addresses: the plan must have two flows for each connection of two hosts"));
        }
        let (count, longest) = (hosts.len(), plan.duration);
        let relay = MeasuredRelay::new(Arc::new(plan), seed).map_err(refuse)?;
        Ok(Self { connections: Some(Connections::new(relay, hosts, most)), hosts: count, longest })
    }

    /// Carries packets between devices, one for each host, from `zero` ns on the monotonic clock until the pipe with the file
    /// descriptor `until` is closed. `tap` has a file descriptor, the number of a host whose packets are written there, and
    /// facts about the file as JSON. Returns facts as JSON, and the packets for `replay`.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over owned arguments")]
    #[pyo3(signature = (devices, zero, until, tap = None))]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        devices: Vec<Py<PyTun>>,
        zero: u64,
        until: RawFd,
        tap: Option<(RawFd, usize, String)>,
    ) -> PyResult<(String, Bound<'py, PyBytes>)> {
        let connections = self.connections.take().ok_or_else(|| refuse("the session has ended"))?;
        if devices.len() != self.hosts {
            return Err(refuse("devices: must be one for each host"));
        }
        let pipe = File::open(format!("/proc/self/fd/{until}"))?;
        let tap = tap.map(|(file, host, setup)| {
            let setup: Setup = serde_json::from_str(&setup).map_err(refuse)?;
            let file = OpenOptions::new().write(true).open(format!("/proc/self/fd/{file}"))?;
            Ok::<_, PyErr>(Tap::new(file, host, since_1970(zero), &setup)?)
        });
        let tap = tap.transpose()?;
        let (tuns, longest) = (devices.iter().map(|each| &each.get().0).collect(), self.longest);
        let (end, lateness, counts, connections, captured) = py.detach(|| {
            let mut carrier = Carrier::new(Tuns::new(tuns, zero, Some(pipe.as_fd())).with_tap(tap), connections);
            let end = carrier.run(longest)?;
            let (lateness, counts) = (carrier.lateness.clone(), carrier.counts);
            let (wires, connections) = carrier.into_parts();
            let captured = wires.into_tap().map_or(Ok(()), Tap::finish);
            Ok::<_, std::io::Error>((end, lateness, counts, connections, captured))
        })?;
        let mut found = facts(&lateness, counts);
        found["capture"] = json!(captured.err().map(|error| error.to_string()));
        let flows: Vec<Value> = connections
            .flows()
            .map(|(flow, tuple, packets)| {
                json!({
                    "flow": flow,
                    "protocol": tuple.protocol,
                    "ends": [(tuple.first.0.to_string(), tuple.first.1), (tuple.second.0.to_string(), tuple.second.1)],
                    "packets": packets,
                })
            })
            .collect();
        found["end"] = json!(end.as_picos());
        found["full_at"] = json!(connections.full_at.map(Time::as_picos));
        found["flows"] = json!(flows);
        found["not_ipv4"] = json!(connections.dropped.not_ipv4);
        found["no_host"] = json!(connections.dropped.no_host);
        found["shared"] = json!(connections.shared);
        let mut bytes = Vec::with_capacity(connections.noted().len() * NOTED);
        for Noted { at, flow, size, ecn } in connections.noted() {
            bytes.extend_from_slice(&at.as_picos().to_le_bytes());
            bytes.extend_from_slice(&flow.to_le_bytes());
            bytes.extend_from_slice(&size.to_le_bytes());
            bytes.push(*ecn as u8);
        }
        Ok((found.to_string(), PyBytes::new(py, &bytes)))
    }
}

/// A noted packet of its bytes.
fn noted(bytes: &[u8; NOTED]) -> Noted {
    let number = |from, to| bytes[from..to].iter().rev().fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte));
    Noted {
        at: Time::from_picos(number(0, 8)),
        flow: number(8, 10) as u16,
        size: number(10, 12) as u16,
        ecn: Ecn::from_bits(number(12, 13) as u8),
    }
}

/// Lets the packets of a session enter the links of a plan again. Returns the outcome as JSON, and its tables.
#[pyfunction(name = "replay")]
fn replay_session(py: Python<'_>, plan: &str, seed: u64, packets: &[u8]) -> PyResult<(String, RawTables)> {
    let plan: Plan = serde_json::from_str(plan).map_err(refuse)?;
    let mut relay = MeasuredRelay::new(Arc::new(plan), seed).map_err(refuse)?;
    let (packets, rest) = packets.as_chunks();
    if !rest.is_empty() || !packets.is_sorted_by_key(|bytes| noted(bytes).at) {
        return Err(refuse("packets: must be those of a session"));
    }
    let outcome = py.detach(|| {
        replay(&mut relay, packets.iter().map(noted));
        relay.finish()
    });
    let json = serde_json::to_string(&outcome).map_err(refuse)?;
    Ok((json, outcome.tables.into_iter().map(|table| (table.name, Rows(table))).collect()))
}

/// Adds the classes and the function to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyTun>()?;
    module.add_class::<PyCarrier>()?;
    module.add_class::<PySession>()?;
    module.add_function(wrap_pyfunction!(replay_session, module)?)
}
