//! The engine as the Python module `ackclock._core`: runs plans, returns outcomes and tables, and reads captures. All
//! Python-specific code is in this crate.

mod apart;
mod capture;
mod conform;
mod discipline;
mod features;
mod follower;
mod law;
#[cfg(target_os = "linux")]
mod live;
mod notices;
mod pcapng;
mod stepping;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use ackclock_net::codepoint::NAMES as CODEPOINTS;
use ackclock_net::observe::{Column, Described, MeasureEntry, RECORDS, Table, Values, measures};
use ackclock_net::queue::{GAUGES, QUEUES, QueueSpec};
use ackclock_net::{Footprint, Means, Parts, Plan, plan, run_with_progress};
use ackclock_tcp::congestion::{LAWS, LawSpec, STATES, Variable};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{EcnMode, Limit, RECEIVER, SENDER, TIMER, VARIANTS};
use ackclock_units::Time;
use ackclock_units::failure::Failure;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Map, Value, json};

use apart::{BETWEEN_REPORTS, apart, gets_signals};
use pcapng::{CapturedPackets, captures_of};

create_exception!(_core, PlanError, PyValueError, "A plan that cannot run; the message names the field.");

/// A column for Python: name, type, little-endian bytes.
type RawColumn<'py> = (&'static str, Cow<'static, str>, Bound<'py, PyBytes>);
/// Tables for Python, by name.
type RawTables = BTreeMap<&'static str, Rows>;

/// The rows of a table in the engine's form.
#[pyclass(frozen)]
#[derive(Debug)]
struct Rows(Table);

#[pymethods]
impl Rows {
    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Converts the rows to columns: name, type and little-endian bytes.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<RawColumn<'py>>> {
        let columns = if gets_signals(py)? {
            let table = self.0.clone();
            py.detach(|| apart(move || table.columns(), |_| Ok(())))?
        } else {
            py.detach(|| self.0.columns())
        };
        columns.into_iter().map(|column| raw(py, &column)).collect()
    }
}

/// Version of the engine and the algorithms it provides, with their parameters, as JSON.
#[pyfunction]
fn catalogue() -> String {
    let by_name = |entries: &[ackclock_units::catalogue::Entry]| -> Map<String, Value> {
        entries
            .iter()
            .filter(|entry| entry.name != "foreign") // a scenario names such a law by its class
            .map(|entry| (entry.name.to_owned(), json!({"doc": entry.doc, "parameters": entry.parameters})))
            .collect()
    };
    let variants: Map<String, Value> =
        VARIANTS.iter().map(|variant| (variant.name.to_owned(), json!(variant))).collect();
    let gauges: Map<String, Value> =
        GAUGES.iter().map(|gauge| (gauge.name.to_owned(), json!({"unit": gauge.unit, "doc": gauge.doc}))).collect();
    let states: Map<String, Value> = STATES
        .iter()
        .map(|state| {
            let describe = |each: &Variable| json!({"name": each.name, "unit": each.unit, "doc": each.doc});
            let variables: Vec<Value> = state.variables.iter().map(describe).collect();
            (state.law.to_owned(), json!({"phases": state.phases, "variables": variables}))
        })
        .collect();
    let records: Vec<Value> = RECORDS
        .iter()
        .map(|record| {
            let describe = |column: &Described| json!({"name": column.name, "unit": column.unit});
            json!({
                "name": record.table(),
                "kind": record.kind(),
                "of": record.of,
                "of_another": record.declared.table.is_some(),
                "interval": record.interval.map(|(name, required)| json!({"name": name, "required": required})),
                "doc": record.declared.doc,
                "columns": record.declared.columns.iter().map(describe).collect::<Vec<_>>(),
                "rows": record.declared.most_rows,
                "empty": record.declared.empty,
            })
        })
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "revision": env!("ENGINE_REVISION"),
        "variants": variants,
        "congestion": by_name(LAWS),
        "queues": by_name(QUEUES),
        "gauges": gauges,
        "codepoints": CODEPOINTS.iter().map(|(name, number)| ((*name).to_owned(), json!(number))).collect::<Map<_, _>>(),
        "states": states,
        "records": records,
        "measures": measures().collect::<Vec<MeasureEntry>>(),
        "limits": Limit::ALL.iter().map(|limit| (limit.name(), limit.doc().trim())).collect::<Vec<_>>(),
        "options": {"receiver": RECEIVER, "sender": SENDER, "rtt": TIMER},
    })
    .to_string()
}

/// Checks constraints between the parameters of a queue: `None`, or the invalid field and the problem.
#[pyfunction]
fn check_queue(spec: &str) -> PyResult<Option<(&'static str, String)>> {
    let spec: QueueSpec = serde_json::from_str(spec).map_err(refuse)?;
    Ok(spec.check().err().map(|invalid| (invalid.field, invalid.problem)))
}

/// Checks that the parameters of a queue can change to others in a run: `None`, or the invalid field and the problem.
#[pyfunction]
fn check_queue_change(before: &str, after: &str) -> PyResult<Option<(&'static str, String)>> {
    let [before, after] = [before, after].map(|spec| serde_json::from_str::<QueueSpec>(spec).map_err(refuse));
    Ok(before?.check_change(&after?).err().map(|invalid| (invalid.field, invalid.problem)))
}

/// Checks that the parameters of a congestion-control law can change to others in a run: `None`, or the invalid field and the
/// problem.
#[pyfunction]
fn check_law_change(before: &str, after: &str) -> PyResult<Option<(&'static str, String)>> {
    let [before, after] = [before, after].map(|spec| serde_json::from_str::<LawSpec>(spec).map_err(refuse));
    Ok(ackclock_net::check_law_change(&before?, &after?).err().map(|invalid| (invalid.field, invalid.problem)))
}

/// Checks constraints between the parameters of a congestion-control law, the kind of ECN feedback, the loss recovery and the
/// tick of timers, in ps: `None`, or the invalid field and the problem.
#[pyfunction]
fn check_law(spec: &str, ecn: &str, recovery: &str, tick: u64) -> PyResult<Option<(&'static str, String)>> {
    let spec: LawSpec = serde_json::from_str(spec).map_err(refuse)?;
    let ecn: EcnMode = serde_json::from_value(ecn.into()).map_err(refuse)?;
    let recovery: RecoverySpec = serde_json::from_value(recovery.into()).map_err(refuse)?;
    let checked = spec
        .check_tick(Time::from_picos(tick))
        .and_then(|()| spec.check())
        .and_then(|()| spec.check_feedback(ecn))
        .and_then(|()| spec.check_recovery(recovery));
    Ok(checked.err().map(|invalid| (invalid.field, invalid.problem)))
}

/// Partitions the groups of a plan into sets. Groups of different sets do not affect each other, even indirectly.
#[pyfunction]
fn components(plan: &str) -> PyResult<Vec<Vec<u32>>> {
    let plan: Plan = serde_json::from_str(plan).map_err(refuse)?;
    ackclock_net::components(&plan).map_err(refuse)
}

/// Estimates the memory of a run before it begins: the likely and the certain bytes by purpose, as JSON.
#[pyfunction]
fn footprint(plan: &str) -> PyResult<String> {
    let plan: Plan = serde_json::from_str(plan).map_err(refuse)?;
    let Footprint { likely, certain } = Footprint::of(&plan).map_err(refuse)?;
    let parts = |parts: Parts| {
        let total = parts.total();
        let Parts { flows, packets, windows, records, sources, reading } = parts;
        json!({
            "flows": flows, "packets": packets, "windows": windows, "records": records, "sources": sources,
            "reading": reading, "total": total,
        })
    };
    Ok(json!({"likely": parts(likely), "certain": parts(certain)}).to_string())
}

/// Runs a plan: the outcome as JSON, its tables and its captures.
///
/// At most `jobs` independent parts of the plan run in parallel, and together they use at most `memory` bytes.
/// Meanwhile other Python threads can run. `progress` is called periodically with the fraction done; an exception that
/// it raises stops the run. `laws` and `disciplines` are those that the plan names by number; if the interpreter runs
/// any of them, so does the calling thread the whole plan.
#[pyfunction]
#[pyo3(signature = (plan, seed, progress=None, jobs=1, memory=u64::MAX, laws=Vec::new(), disciplines=Vec::new()))]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over owned arguments")]
#[expect(clippy::too_many_arguments, reason = "all but two have defaults")]
fn simulate(
    py: Python<'_>,
    plan: &str,
    seed: u64,
    progress: Option<Py<PyAny>>,
    jobs: usize,
    memory: u64,
    laws: Vec<law::Law<'_>>,
    disciplines: Vec<Bound<'_, discipline::InterpretedDiscipline>>,
) -> PyResult<(String, RawTables, Vec<CapturedPackets>)> {
    let mut plan: Plan = serde_json::from_str(plan).map_err(refuse)?;
    let has_disciplines = discipline::set_makers(&mut plan, &disciplines);
    let is_interpreted = law::set_makers(&mut plan, &laws) || has_disciplines;
    let plan = Arc::new(plan);
    let means = Means { threads: jobs, memory };
    let report = |py: Python<'_>, fraction: f64| -> PyResult<()> {
        progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (fraction,)).map(drop))
    };
    let mut outcome = if is_interpreted {
        // laws are called by the thread that holds the interpreter; other threads get it from time to time
        let mut reported = now();
        run_with_progress(&plan, seed, Means { threads: 1, ..means }, |fraction| {
            if reported.elapsed() < BETWEEN_REPORTS {
                return Ok(());
            }
            reported = now();
            py.check_signals().and_then(|()| report(py, fraction)).map_err(Stopped::Raised)?;
            py.detach(std::thread::yield_now);
            Ok(())
        })
    } else if gets_signals(py)? {
        let (done, run) = (Arc::new(Done::default()), Arc::clone(&plan));
        let engine = Arc::clone(&done);
        let work = move || run_with_progress(&run, seed, means, |fraction| engine.report(fraction));
        let answer = py.detach(|| apart(work, |py| report(py, done.fraction())));
        done.stop();
        answer?
    } else {
        py.detach(|| {
            let mut reported = now();
            run_with_progress(&plan, seed, means, |fraction| {
                if reported.elapsed() < BETWEEN_REPORTS {
                    return Ok(());
                }
                reported = now();
                Python::attach(|py| report(py, fraction)).map_err(Stopped::Raised)
            })
        })
    }?;
    let json = serde_json::to_string(&outcome).map_err(refuse)?;
    let captures = captures_of(&mut outcome, &plan);
    Ok((json, outcome.tables.into_iter().map(|table| (table.name, Rows(table))).collect(), captures))
}

/// Reads the clock, which only determines how often progress is reported; outcomes do not depend on it.
#[expect(clippy::disallowed_methods, reason = "Python threads wait in real time")]
fn now() -> Instant {
    Instant::now()
}

/// Progress of a run in another thread, and whether the caller still waits for it.
#[derive(Debug, Default)]
struct Done {
    fraction: AtomicU64,
    stop: AtomicBool,
}

impl Done {
    fn report(&self, fraction: f64) -> Result<(), Stopped> {
        self.fraction.store(fraction.to_bits(), Relaxed);
        if self.stop.load(Relaxed) { Err(Stopped::Left) } else { Ok(()) }
    }

    fn fraction(&self) -> f64 {
        f64::from_bits(self.fraction.load(Relaxed))
    }

    fn stop(&self) {
        self.stop.store(true, Relaxed);
    }
}

fn bytes<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    values: &[T],
    encode: fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, N * values.len(), |bytes| {
        for (place, value) in bytes.as_chunks_mut().0.iter_mut().zip(values) {
            *place = encode(*value);
        }
        Ok(())
    })
}

fn raw<'py>(py: Python<'py>, column: &Column) -> PyResult<RawColumn<'py>> {
    let (kind, bytes): (Cow<'_, str>, _) = match &column.values {
        Values::U32(values) => ("u32".into(), bytes(py, values, u32::to_le_bytes)?),
        Values::U64(values) => ("u64".into(), bytes(py, values, u64::to_le_bytes)?),
        Values::F64(values) => ("f64".into(), bytes(py, values, f64::to_le_bytes)?),
        Values::Bool(values) => ("bool".into(), bytes(py, values, |value| [u8::from(value)])?),
        Values::Words { codes, words } => (format!("words:{}", words.join(",")).into(), PyBytes::new(py, codes)),
    };
    Ok((column.name, kind, bytes))
}

/// Why a run did not complete.
#[derive(Debug)]
enum Stopped {
    Refused(plan::PlanError),
    /// A law or a discipline from outside the engine failed.
    Failed(Failure),
    Raised(PyErr),
    /// The caller no longer waits for the run.
    Left,
}

impl From<plan::PlanError> for Stopped {
    fn from(error: plan::PlanError) -> Self {
        Self::Refused(error)
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Stopped> for PyErr {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Refused(error) => refuse(error),
            Stopped::Failed(failure) => law::failed(&failure),
            Stopped::Raised(error) => error,
            Stopped::Left => PyRuntimeError::new_err("the run was abandoned"),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
fn refuse(error: impl ToString) -> PyErr {
    PlanError::new_err(error.to_string())
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CaptureError", module.py().get_type::<capture::CaptureError>())?;
    module.add("FilterError", module.py().get_type::<capture::FilterError>())?;
    module.add("PlanError", module.py().get_type::<PlanError>())?;
    module.add_class::<capture::PyCapture>()?;
    module.add_class::<conform::PyScript>()?;
    module.add_class::<Rows>()?;
    module.add_class::<CapturedPackets>()?;
    module.add_class::<features::Features>()?;
    module.add_class::<notices::Notices>()?;
    module.add_class::<stepping::PyStepper>()?;
    module.add_class::<stepping::PyInterval>()?;
    law::add(module)?;
    #[cfg(target_os = "linux")]
    live::add(module)?;
    discipline::add(module)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(components, module)?)?;
    module.add_function(wrap_pyfunction!(check_law, module)?)?;
    module.add_function(wrap_pyfunction!(check_law_change, module)?)?;
    module.add_function(wrap_pyfunction!(check_queue, module)?)?;
    module.add_function(wrap_pyfunction!(check_queue_change, module)?)?;
    module.add_function(wrap_pyfunction!(follower::follow, module)?)?;
    module.add_function(wrap_pyfunction!(footprint, module)?)?;
    module.add_function(wrap_pyfunction!(simulate, module)?)
}
