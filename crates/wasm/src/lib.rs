//! The engine as a WebAssembly module with four functions, called by `web/src/engine.ts`.
//!
//! The page asks for [`room`] for a plan with its labels as JSON, writes them there, calls [`simulate`], and reads the
//! answer at [`answer`]. The answer begins with the length of its header in four bytes. The header is JSON: an error, or
//! the outcome, its notices, and the columns of all tables with their places. The values follow, each column at a
//! multiple of eight bytes.
//!
//! [`conform`] answers questions about a script in the same way, with a header and no tables: what the script demands of
//! its sender; and, if the question has a transport, the outcome of a run and its picture.
//!
//! A web page has one thread, and so does a run in it.

mod scripts;

use std::sync::Mutex;

use ackclock_net::observe::{Column, Values};
use ackclock_net::{Means, Outcome, Plan, PlanError, run_with_progress};
use ackclock_notices::{Labels, Notices};
use serde::{Deserialize, Serialize};

/// Maximum memory of a run. The address space of a module has 4 GB. Vectors may have twice the capacity that is counted,
/// and an answer contains all tables, while a run counts the reading of the largest one.
const MEMORY: u64 = 1 << 30;

static QUESTION: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// What the page asks for.
#[derive(Deserialize)]
struct Question {
    plan: Plan,
    /// `None` if no notices are needed.
    labels: Option<Labels>,
}

/// Makes room for a question of `length` bytes and returns its address.
#[expect(unsafe_code, reason = "exported symbols count as unsafe")]
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    let mut question = locked(&QUESTION);
    question.clear();
    question.resize(length, 0);
    question.as_mut_ptr()
}

/// Runs the plan of the question and returns the length of the answer. Of tables with times, the answer has the rows from `from` on and
/// before `until`, in seconds.
#[expect(unsafe_code, reason = "exported symbols count as unsafe")]
#[unsafe(no_mangle)]
pub extern "C" fn simulate(seed: u64, from: f64, until: f64) -> usize {
    let mut answer = locked(&ANSWER);
    *answer = answered(&locked(&QUESTION), seed, from, until)
        .unwrap_or_else(|error| framed(&Header::Error(error.to_string())));
    answer.len()
}

fn answered(question: &[u8], seed: u64, from: f64, until: f64) -> Result<Vec<u8>, PlanError> {
    let Question { plan, labels } = serde_json::from_slice(question)
        .map_err(|error| PlanError { field: "plan".into(), problem: error.to_string() })?;
    let outcome = run_with_progress(&plan, seed, Means { threads: 1, memory: MEMORY }, page::report)?;
    let notices = labels.map(|labels| Notices::new(&plan, labels)).transpose()?;
    Ok(encoded(&outcome, notices.map(|notices| notices.of(&(&outcome).into())), from, until))
}

/// Answers the question about a script, and returns the length of the answer.
#[expect(unsafe_code, reason = "exported symbols count as unsafe")]
#[unsafe(no_mangle)]
pub extern "C" fn conform(seed: u64) -> usize {
    let mut answer = locked(&ANSWER);
    *answer = match scripts::answered(&locked(&QUESTION), seed) {
        Ok(found) => framed(&found),
        Err(error) => framed(&Header::Error(error)),
    };
    answer.len()
}

/// The address of the answer.
#[expect(unsafe_code, reason = "exported symbols count as unsafe")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    locked(&ANSWER).as_ptr()
}

/// The page, which sees how far a run is. To stop a run, it ends the thread that the module runs in.
mod page {
    use ackclock_net::PlanError;

    #[cfg(target_family = "wasm")]
    #[expect(unsafe_code, reason = "imported functions count as unsafe")]
    pub(super) fn report(fraction: f64) -> Result<(), PlanError> {
        #[link(wasm_import_module = "page")]
        unsafe extern "C" {
            safe fn progress(fraction: f64);
        }
        progress(fraction);
        Ok(())
    }

    #[cfg(not(target_family = "wasm"))]
    #[expect(clippy::unnecessary_wraps, reason = "as for pages")]
    pub(super) const fn report(_: f64) -> Result<(), PlanError> {
        Ok(())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Header<'a> {
    Error(String),
    #[serde(untagged)]
    Run {
        outcome: &'a Outcome,
        events: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        notices: Option<Vec<String>>,
        tables: Vec<Described>,
    },
}

/// A table, as described in the header.
#[derive(Serialize)]
struct Described {
    name: &'static str,
    rows: usize,
    columns: Vec<DescribedColumn>,
}

#[derive(Serialize)]
struct DescribedColumn {
    name: &'static str,
    kind: &'static str,
    /// Index of the first byte of the values, counted from the end of the header.
    at: usize,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    words: &'static [&'static str],
}

fn encoded(outcome: &Outcome, notices: Option<Vec<String>>, from: f64, until: f64) -> Vec<u8> {
    let mut values = Vec::new();
    let tables = outcome.tables.iter().map(|table| {
        let columns = table.columns();
        let rows = rows_within(&columns, from, until);
        let columns = columns.iter().map(|column| described(column, &rows, &mut values)).collect();
        Described { name: table.name, rows: rows.len(), columns }
    });
    let tables = tables.collect();
    let mut answer = framed(&Header::Run { outcome, events: outcome.events, notices, tables });
    answer.append(&mut values);
    answer
}

/// The rows of a table, in order of time if it has times, that are within a span.
fn rows_within(columns: &[Column], from: f64, until: f64) -> std::ops::Range<usize> {
    match columns.iter().find(|column| column.name == "time").map(|column| &column.values) {
        Some(Values::F64(times)) => {
            times.partition_point(|time| *time < from)..times.partition_point(|time| *time < until)
        }
        _ => 0..columns.first().map_or(0, |column| length(&column.values)),
    }
}

fn length(values: &Values) -> usize {
    match values {
        Values::U32(values) => values.len(),
        Values::U64(values) => values.len(),
        Values::F64(values) => values.len(),
        Values::Bool(values) => values.len(),
        Values::Words { codes, .. } => codes.len(),
    }
}

fn described(column: &Column, rows: &std::ops::Range<usize>, values: &mut Vec<u8>) -> DescribedColumn {
    fn write<T: Copy, const N: usize>(values: &[T], encode: fn(T) -> [u8; N], to: &mut Vec<u8>) {
        to.extend(values.iter().flat_map(|value| encode(*value)));
    }
    values.resize(values.len().next_multiple_of(8), 0);
    let (at, rows) = (values.len(), rows.clone());
    let (kind, words): (_, &[&str]) = match &column.values {
        Values::U32(all) => {
            write(&all[rows], u32::to_le_bytes, values);
            ("u32", &[])
        }
        Values::U64(all) => {
            write(&all[rows], u64::to_le_bytes, values);
            ("u64", &[])
        }
        Values::F64(all) => {
            write(&all[rows], f64::to_le_bytes, values);
            ("f64", &[])
        }
        Values::Bool(all) => {
            write(&all[rows], |value| [u8::from(value)], values);
            ("bool", &[])
        }
        Values::Words { codes, words } => {
            values.extend_from_slice(&codes[rows]);
            ("words", words)
        }
    };
    DescribedColumn { name: column.name, kind, at, words }
}

/// The beginning of an answer: the length of the header, the header, and zeros up to a multiple of eight bytes.
fn framed(header: &impl Serialize) -> Vec<u8> {
    let mut answer = vec![0; 4];
    serde_json::to_writer(&mut answer, header).expect("plain data");
    let length = answer.len() as u32 - 4;
    answer[..4].copy_from_slice(&length.to_le_bytes());
    answer.resize(answer.len().next_multiple_of(8), 0);
    answer
}

/// What a mutex holds. There is one thread, so no other one can have panicked.
fn locked(bytes: &Mutex<Vec<u8>>) -> std::sync::MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
