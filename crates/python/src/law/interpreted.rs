//! Laws that the interpreter runs.
//!
//! The thread that runs the plan holds the interpreter, so that a call does not have to acquire it. The records are
//! objects that each call fills again. A law that keeps one of them would see later values in it, so this is an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ackclock_tcp::congestion::foreign::{Cause, Controls, ForeignLaw, LawMaker};
use ackclock_tcp::congestion::{AckSample, CongestionEvent};
use ackclock_tcp::{LostSegment, RateSample};
use ackclock_units::Time;
use pyo3::PyClass;
use pyo3::exceptions::{PyReferenceError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::False;

use super::{Ack, Congestion, Idle, Lost, Rate, Window};

/// A law whose objects a Python function makes.
#[pyclass(module = "ackclock._core", frozen)]
#[derive(Debug)]
pub(crate) struct InterpretedLaw {
    make: Py<PyAny>,
    calls: Arc<AtomicU64>,
}

#[pymethods]
impl InterpretedLaw {
    /// `make` returns the methods of a new law for a seed: `on_ack`, `on_congestion`, `observe`, `on_rate`, `on_lost`,
    /// `on_idle` and `on_undo`, or None for those that it does not have.
    #[new]
    fn new(make: Py<PyAny>) -> Self {
        Self { make, calls: Arc::default() }
    }

    /// Number of calls begun and of calls ended, so far. It is odd while a call runs.
    #[getter]
    fn calls(&self) -> u64 {
        self.calls.load(Relaxed)
    }
}

impl InterpretedLaw {
    pub(super) fn maker(&self, py: Python<'_>) -> Arc<dyn LawMaker> {
        Arc::new(Maker { make: self.make.clone_ref(py), calls: Arc::clone(&self.calls) })
    }
}

#[derive(Debug)]
struct Maker {
    make: Py<PyAny>,
    calls: Arc<AtomicU64>,
}

type Methods = [Option<Py<PyAny>>; 7];

impl LawMaker for Maker {
    fn make(&self, _: u32, _: u64, seed: u64) -> Result<Box<dyn ForeignLaw>, Cause> {
        with_interpreter(|py| {
            self.calls.fetch_add(1, Relaxed);
            let made = self.make.call1(py, (seed,));
            self.calls.fetch_add(1, Relaxed);
            let [on_ack, on_congestion, observe, on_rate, on_lost, on_idle, on_undo]: Methods = made?.extract(py)?;
            Ok(Interpreted {
                on_ack,
                on_congestion,
                observe,
                on_rate,
                on_lost,
                on_idle,
                on_undo,
                window: Record::new(py)?,
                ack: Record::new(py)?,
                congestion: Record::new(py)?,
                rate: Record::new(py)?,
                lost: Record::new(py)?,
                idle: Record::new(py)?,
                calls: Arc::clone(&self.calls),
            })
        })
        .map(|law: Interpreted| Box::new(law) as Box<dyn ForeignLaw>)
    }
}

/// Calls the interpreter. The thread holds it already, so that this costs little.
pub(crate) fn with_interpreter<R>(call: impl FnOnce(Python<'_>) -> PyResult<R>) -> Result<R, Cause> {
    Python::attach(call).map_err(|error| Arc::new(error) as Cause)
}

/// An object that each call fills again.
#[derive(Debug)]
pub(crate) struct Record<T: PyClass>(Py<T>);

impl<T: PyClass<Frozen = False> + Default + Into<PyClassInitializer<T>>> Record<T> {
    pub(crate) fn new(py: Python<'_>) -> PyResult<Self> {
        Py::new(py, T::default()).map(Self)
    }

    pub(crate) fn filled<'py>(&self, py: Python<'py>, content: T) -> &Bound<'py, T> {
        let object = self.0.bind(py);
        *object.borrow_mut() = content;
        object
    }

    /// Checks that nothing else refers to the object.
    pub(crate) fn is_free(&self, _: Python<'_>, owner: &str, name: &str) -> PyResult<()> {
        #[expect(unsafe_code, reason = "PyO3 has no other way")]
        // SAFETY: the object lives, and this thread holds the interpreter
        let references = unsafe { pyo3::ffi::Py_REFCNT(self.0.as_ptr()) };
        if references == 1 {
            return Ok(());
        }
        let problem = "the next call changes it; keep its numbers instead";
        Err(PyReferenceError::new_err(format!("the {owner} keeps a reference to its argument {name}: {problem}")))
    }
}

#[derive(Debug)]
struct Interpreted {
    on_ack: Option<Py<PyAny>>,
    on_congestion: Option<Py<PyAny>>,
    observe: Option<Py<PyAny>>,
    on_rate: Option<Py<PyAny>>,
    on_lost: Option<Py<PyAny>>,
    on_idle: Option<Py<PyAny>>,
    on_undo: Option<Py<PyAny>>,
    window: Record<Window>,
    ack: Record<Ack>,
    congestion: Record<Congestion>,
    rate: Record<Rate>,
    lost: Record<Lost>,
    idle: Record<Idle>,
    calls: Arc<AtomicU64>,
}

impl Interpreted {
    /// Calls a method, and applies what it sets.
    fn call<'py>(
        &self,
        py: Python<'py>,
        controls: &mut Controls,
        call: impl FnOnce(&Bound<'py, Window>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let window = self.window.filled(py, Window::of(controls));
        self.counted(|| call(window))?;
        self.window.is_free(py, "law", "window")?;
        *controls = window.borrow().controls();
        Ok(())
    }

    /// Calls a method, which must return nothing.
    fn counted<'py>(&self, call: impl FnOnce() -> PyResult<Bound<'py, PyAny>>) -> PyResult<()> {
        self.calls.fetch_add(1, Relaxed);
        let answer = call();
        self.calls.fetch_add(1, Relaxed);
        let answer = answer?;
        if answer.is_none() {
            return Ok(());
        }
        let problem = format!("the law returns {}, but must return nothing: set window.cwnd instead", answer.repr()?);
        Err(PyTypeError::new_err(problem))
    }
}

impl ForeignLaw for Interpreted {
    fn observe(&mut self, sample: &AckSample) -> Result<(), Cause> {
        let Some(method) = &self.observe else { return Ok(()) };
        with_interpreter(|py| {
            let ack = self.ack.filled(py, Ack::of(sample, f64::INFINITY));
            self.counted(|| method.bind(py).call1((ack,)))?;
            self.ack.is_free(py, "law", "ack")
        })
    }

    fn on_ack(&mut self, controls: &mut Controls, sample: &AckSample) -> Result<(), Cause> {
        let Some(method) = &self.on_ack else { return Ok(()) };
        with_interpreter(|py| {
            let ack = self.ack.filled(py, Ack::of(sample, controls.cwnd));
            self.call(py, controls, |window| method.bind(py).call1((window, ack)))?;
            self.ack.is_free(py, "law", "ack")
        })
    }

    fn on_congestion(&mut self, controls: &mut Controls, event: &CongestionEvent, now: Time) -> Result<(), Cause> {
        let Some(method) = &self.on_congestion else {
            controls.respond_as_reno(event);
            return Ok(());
        };
        with_interpreter(|py| {
            let event = self.congestion.filled(py, Congestion::of(event, now));
            self.call(py, controls, |window| method.bind(py).call1((window, event)))?;
            self.congestion.is_free(py, "law", "event")
        })
    }

    fn on_lost(&mut self, controls: &mut Controls, lost: &LostSegment, sample: &RateSample) -> Result<(), Cause> {
        let Some(method) = &self.on_lost else { return Ok(()) };
        with_interpreter(|py| {
            let lost = self.lost.filled(py, Lost::of(lost));
            let rate = self.rate.filled(py, Rate::of(sample));
            self.call(py, controls, |window| method.bind(py).call1((window, lost, rate)))?;
            self.lost.is_free(py, "law", "lost").and_then(|()| self.rate.is_free(py, "law", "sample"))
        })
    }

    fn on_rate(&mut self, controls: &mut Controls, sample: &RateSample) -> Result<(), Cause> {
        let Some(method) = &self.on_rate else { return Ok(()) };
        with_interpreter(|py| {
            let rate = self.rate.filled(py, Rate::of(sample));
            self.call(py, controls, |window| method.bind(py).call1((window, rate)))?;
            self.rate.is_free(py, "law", "sample")
        })
    }

    fn on_idle(&mut self, now: Time, idle: Time) -> Result<(), Cause> {
        let Some(method) = &self.on_idle else { return Ok(()) };
        with_interpreter(|py| {
            let idle = self.idle.filled(py, Idle::of(now, idle));
            self.counted(|| method.bind(py).call1((idle,)))?;
            self.idle.is_free(py, "law", "idle")
        })
    }

    fn on_undo(&mut self, controls: &mut Controls, _: Time) -> Result<(), Cause> {
        let Some(method) = &self.on_undo else { return Ok(()) };
        with_interpreter(|py| self.call(py, controls, |window| method.bind(py).call1((window,))))
    }
}
