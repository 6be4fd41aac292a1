//! Scripts in the language of packetdrill, run against a sender of a plan.

use std::collections::BTreeMap;

use ackclock_conform::{Ends, Script, draw, run};
use ackclock_net::Plan;
use ackclock_net::plan::TransportSpec;
use pyo3::prelude::*;
use serde_json::json;

use crate::law::{Law, failed, set_makers};
use crate::refuse;

/// A script that was read.
#[pyclass(name = "Script", module = "ackclock._core", frozen)]
#[derive(Debug)]
pub(crate) struct PyScript(Script);

#[pymethods]
impl PyScript {
    /// Reads a script; an error has the line, the column and what is allowed.
    #[new]
    fn new(text: &[u8]) -> PyResult<Self> {
        Script::parse(text).map(Self).map_err(refuse)
    }

    /// The files of shell commands that the script executes, with their lines.
    fn files(&self) -> Vec<(u32, String)> {
        self.0.files()
    }

    /// What the script demands of the sender, as JSON; `files` has the texts of the files that could be read.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over owned arguments")]
    fn setup(&self, files: BTreeMap<String, String>) -> String {
        json!(self.0.setup(&files)).to_string()
    }

    /// Runs the script against the sender of the first group of a plan: the outcome as JSON.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over owned arguments")]
    fn run(&self, files: BTreeMap<String, String>, plan: &str, seed: u64, laws: Vec<Law<'_>>) -> PyResult<String> {
        let outcome = run(&self.0, &self.0.setup(&files), &ends(plan, &laws)?, seed).map_err(|error| failed(&error))?;
        Ok(json!(outcome).to_string())
    }

    /// Runs the script as `run` does: the outcome and the picture as JSON.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over owned arguments")]
    fn draw(&self, files: BTreeMap<String, String>, plan: &str, seed: u64, laws: Vec<Law<'_>>) -> PyResult<String> {
        let drawn = draw(&self.0, &self.0.setup(&files), &ends(plan, &laws)?, seed).map_err(|error| failed(&error))?;
        let (outcome, picture) = drawn;
        Ok(json!({"outcome": outcome, "picture": picture}).to_string())
    }
}

/// The sender and the receiver of the first group of a plan.
fn ends(plan: &str, laws: &[Law<'_>]) -> PyResult<Ends> {
    let mut plan: Plan = serde_json::from_str(plan).map_err(refuse)?;
    set_makers(&mut plan, laws);
    match plan.groups.into_iter().next().map(|group| group.transport) {
        Some(TransportSpec::Tcp { sender, receiver }) => Ok(Ends { sender: (*sender).clone(), receiver }),
        _ => Err(refuse("groups.0.transport: must be TCP")),
    }
}
