//! The notices of the runs of a plan.

use pyo3::prelude::*;

use crate::refuse;

/// The notices of the runs of a plan.
#[pyclass(module = "ackclock._core", frozen)]
#[derive(Debug)]
pub(crate) struct Notices(ackclock_notices::Notices);

#[pymethods]
impl Notices {
    /// The notices of a plan, given as JSON like its labels.
    #[new]
    fn new(plan: &str, labels: &str) -> PyResult<Self> {
        let plan = serde_json::from_str(plan).map_err(refuse)?;
        let labels = serde_json::from_str(labels).map_err(refuse)?;
        ackclock_notices::Notices::new(&plan, labels).map(Self).map_err(refuse)
    }

    /// The notices of a run with this outcome, given as JSON.
    fn of(&self, outcome: &str) -> PyResult<Vec<String>> {
        Ok(self.0.of(&serde_json::from_str(outcome).map_err(refuse)?))
    }
}
