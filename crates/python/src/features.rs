//! The features of the last steps of an agent, as the bytes of an observation.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyTuple};

/// The features of the last steps, in 32-bit floating-point numbers, the latest step last.
#[pyclass(module = "ackclock._core")]
#[derive(Debug)]
pub(crate) struct Features {
    /// The range of each feature.
    ranges: Vec<(f64, f64)>,
    bytes: Vec<u8>,
}

#[pymethods]
impl Features {
    /// Features with these ranges, for this number of steps. They are 0 at first, or the end of their range nearest to it.
    #[new]
    fn new(ranges: Vec<(f64, f64)>, steps: usize) -> PyResult<Self> {
        if steps == 0 {
            return Err(PyValueError::new_err("there must be at least one step"));
        }
        if ranges.iter().any(|(low, high)| low > high || low.is_nan() || high.is_nan()) {
            return Err(PyValueError::new_err("the low end of a range must not be above the high end"));
        }
        let step = ranges.iter().flat_map(|(low, high)| (0_f64.clamp(*low, *high) as f32).to_ne_bytes());
        let bytes = step.collect::<Vec<u8>>().repeat(steps);
        Ok(Self { ranges, bytes })
    }

    /// Adds the features of a step, each limited to its range, in place of those of the earliest step.
    fn push<'py>(&mut self, values: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyByteArray>> {
        let Self { ranges, bytes } = self;
        if values.len() != ranges.len() {
            let problem = format!("{} features; must be {}", values.len(), ranges.len());
            return Err(PyValueError::new_err(problem));
        }
        let step = size_of::<f32>() * ranges.len();
        bytes.copy_within(step.., 0);
        let last = bytes.len() - step;
        for ((value, (low, high)), place) in values.iter().zip(ranges).zip(bytes[last..].as_chunks_mut().0) {
            let value: f64 = value.extract()?;
            if value.is_nan() {
                return Err(PyValueError::new_err("a feature is not a number"));
            }
            *place = (value.clamp(*low, *high) as f32).to_ne_bytes();
        }
        Ok(PyByteArray::new(values.py(), bytes))
    }
}
