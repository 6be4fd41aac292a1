//! Work in a thread of its own, so that an interrupt is answered at once, whatever the work is.
//!
//! Python sees signals in its main thread only, and only when that thread asks. A thread that computes cannot promise to ask soon:
//! building a million flows or sorting a table takes seconds. So the main thread waits and asks, and another one computes. Work
//! that nobody waits for any more ends by itself, or with the process.

use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

/// Time between two reports: a run leaves the interpreter to others, whom thousands of short ones a second would disturb.
pub(crate) const BETWEEN_REPORTS: Duration = Duration::from_millis(20);

/// Whether this thread is the one that sees signals.
pub(crate) fn gets_signals(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    Ok(threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?))
}

/// Does some work in another thread, and meanwhile looks for signals and calls `ask` now and then.
///
/// # Errors
/// What a signal or `ask` raises, at once: the work continues alone.
///
/// # Panics
/// If the work does.
pub(crate) fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    mut ask: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    // nothing is ever sent: the channel closes as the work ends, by a panic too
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
