//! Captures of simulated links for Python. The packets stay in the engine until they are written to a file.

use std::fs::OpenOptions;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;

use ackclock_capture::write::{Setup, write};
use ackclock_net::plan::GroupSpec;
use ackclock_net::{Outcome, Plan, observe};
use pyo3::prelude::*;

use crate::refuse;

/// The packets of a capture.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct CapturedPackets {
    seen: observe::Capture,
    groups: Arc<[GroupSpec]>,
}

/// The captures of a run, as requested by the plan.
pub(crate) fn captures_of(outcome: &mut Outcome, plan: &Plan) -> Vec<CapturedPackets> {
    let groups: Arc<[GroupSpec]> = plan.groups.clone().into();
    let captures = std::mem::take(&mut outcome.captures).into_iter();
    captures.map(|seen| CapturedPackets { seen, groups: Arc::clone(&groups) }).collect()
}

#[pymethods]
impl CapturedPackets {
    /// Writes the packets as pcapng to an existing file and returns statistics as JSON.
    fn write(&self, py: Python<'_>, path: PathBuf, setup: &str) -> PyResult<String> {
        let setup: Setup = serde_json::from_str(setup).map_err(refuse)?;
        let written = py.detach(|| {
            let file = OpenOptions::new().write(true).truncate(true).open(path)?;
            write(&self.seen, &self.groups, &setup, BufWriter::with_capacity(1 << 20, file))
        })?;
        serde_json::to_string(&written).map_err(refuse)
    }
}
