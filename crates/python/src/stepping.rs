//! A simulation that Python steps, and sets windows or rates of between the steps.

use std::sync::{Mutex, PoisonError};

use ackclock_net::Plan;
use ackclock_net::stepping::{Action, Interval, StepError, Stepper};
use ackclock_units::Time;
use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{Stopped, refuse};

/// A simulation that is stepped.
#[pyclass(name = "Stepper", module = "ackclock._core")]
#[derive(Debug)]
pub(crate) struct PyStepper {
    plan: Plan,
    groups: Vec<usize>,
    memory: u64,
    /// Never locked: methods have the only reference.
    stepper: Mutex<Stepper>,
}

impl PyStepper {
    fn stepper(&mut self) -> &mut Stepper {
        self.stepper.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyStepper {
    /// A plan at time 0. The flows of the `groups` are watched, and numbered in this order.
    #[new]
    fn new(plan: &str, seed: u64, groups: Vec<usize>, memory: u64) -> PyResult<Self> {
        let plan: Plan = serde_json::from_str(plan).map_err(refuse)?;
        let stepper = Stepper::new(plan.clone(), &groups, seed, memory).map_err(refuse)?;
        Ok(Self { plan, groups, memory, stepper: Mutex::new(stepper) })
    }

    /// Begins again at time 0, perhaps with another seed.
    fn reset(&mut self, seed: u64) -> PyResult<()> {
        let stepper = Stepper::new(self.plan.clone(), &self.groups, seed, self.memory).map_err(refuse)?;
        self.stepper = Mutex::new(stepper);
        Ok(())
    }

    /// Sets the congestion window of a watched flow, in packets.
    fn set_window(&mut self, place: usize, packets: f64) {
        self.stepper().act(place, Action::Window(packets));
    }

    /// Sets the pacing rate of a watched flow, in packets per second.
    fn set_rate(&mut self, place: usize, rate: f64) {
        self.stepper().act(place, Action::Rate(rate));
    }

    /// Multiplies the window of a watched flow, which CUBIC sets.
    fn multiply(&mut self, place: usize, factor: f64) {
        self.stepper().act(place, Action::Factor(factor));
    }

    /// Simulates the next `picos` picoseconds. Returns what the first watched flow saw.
    fn step(&mut self, py: Python<'_>, picos: u64) -> PyResult<PyInterval> {
        self.stepper()
            .step(Time::from_picos(picos), || {
                py.check_signals().map_err(Stopped::Raised)?;
                py.detach(std::thread::yield_now);
                Ok(())
            })
            .map_err(|stopped: Stopped| PyErr::from(stopped))?;
        self.interval(0)
    }

    /// What a watched flow saw in the last step.
    fn interval(&mut self, place: usize) -> PyResult<PyInterval> {
        if place >= self.stepper().watched() {
            return Err(PyIndexError::new_err("no such flow"));
        }
        Ok(PyInterval::of(&self.stepper().interval(place)))
    }

    /// The number of watched flows.
    #[getter]
    fn watched(&mut self) -> usize {
        self.stepper().watched()
    }

    /// The current time in seconds.
    #[getter]
    fn now(&mut self) -> f64 {
        self.stepper().now().as_secs_f64()
    }
}

/// Declares the class of an interval with the fields of [`Interval`].
macro_rules! interval {
    ($($field:ident: $type:ty,)+) => {
        /// A step, as seen by the sender of a flow.
        #[pyclass(name = "Interval", module = "ackclock._core", frozen, get_all)]
        #[derive(Debug)]
        pub(crate) struct PyInterval { $($field: $type,)+ }

        impl PyInterval {
            const fn of(interval: &Interval) -> Self {
                let Interval { $($field,)+ } = *interval;
                Self { $($field,)+ }
            }
        }
    };
}

interval! {
    begin: f64,
    span: f64,
    sent: u64,
    acked: u64,
    lost: u64,
    timeouts: u64,
    samples: u64,
    rtt: f64,
    rtt_gradient: f64,
    rtt_min: f64,
    srtt: f64,
    cwnd: f64,
    flight: u64,
    offered: u64,
    dropped: u64,
    wait: f64,
    queue: u64,
    cov: f64,
}

#[pymethods]
impl PyInterval {
    /// The measures of a step as a dictionary, without those that are undefined. Packets have `packet_size` bytes.
    fn info<'py>(&self, py: Python<'py>, packet_size: u32) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        info.set_item(intern!(py, "time"), self.begin + self.span)?;
        info.set_item(intern!(py, "throughput_bps"), 8.0 * f64::from(packet_size) * self.acked as f64 / self.span)?;
        let loss = if self.offered > 0 { self.dropped as f64 / self.offered as f64 } else { 0.0 };
        info.set_item(intern!(py, "loss"), loss)?;
        info.set_item(intern!(py, "queue"), self.queue)?;
        info.set_item(intern!(py, "cwnd"), self.cwnd)?;
        if !self.rtt.is_nan() {
            info.set_item(intern!(py, "rtt"), self.rtt)?;
        }
        if !self.cov.is_nan() {
            info.set_item(intern!(py, "cov"), self.cov)?;
        }
        Ok(info)
    }
}

impl From<StepError> for Stopped {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Refused(error) => Self::Refused(error),
            StepError::Failed(failure) => Self::Failed(failure),
        }
    }
}
