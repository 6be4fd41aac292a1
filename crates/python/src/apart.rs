//! Runs work in a separate thread, so that interrupts are handled immediately.
//!
//! Python handles signals only in its main thread, and only when that thread checks for them. A computing thread cannot
//! check often enough: building a million flows or sorting a table takes seconds. So the main thread waits and checks
//! while another thread computes. Abandoned work ends on its own or with the process.

use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

/// Time between two progress reports. Thousands of reports per second would disturb the other Python threads, for which
/// a run releases the interpreter.
pub(crate) const BETWEEN_REPORTS: Duration = Duration::from_millis(20);

/// Whether this thread handles signals.
pub(crate) fn gets_signals(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    Ok(threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?))
}

/// Runs work in another thread while checking for signals and calling `ask` periodically.
///
/// # Errors
/// Returns immediately with the error raised by a signal handler or by `ask`; the work continues unattended.
///
/// # Panics
/// If the work panics.
pub(crate) fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    mut ask: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    // nothing is ever sent: the channel closes when the work ends, even if it panics
    let (ends, ended) = mpsc::channel::<()>();
    let worker = thread::spawn(move || {
        let _ends = ends;
        work()
    });
    while ended.recv_timeout(BETWEEN_REPORTS) == Err(RecvTimeoutError::Timeout) {
        Python::attach(|py| {
            py.check_signals()?;
            ask(py)
        })?;
    }
    Ok(worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
}
