//! The limits of a run: its memory is estimated before it begins, and counted while it goes on.

pub(crate) mod footprint;
pub(crate) mod memory;

use crate::plan::PlanError;

/// Maximum number of event-driven rows and captured packets. So many rows take some gigabytes.
pub(crate) const MOST_ROWS: usize = 30_000_000;

/// The error for records with too many rows.
pub(crate) fn too_many_rows() -> PlanError {
    let problem = "rows and captured packets: record fewer links or flows, or set an interval";
    PlanError::new("record", format!("more than {MOST_ROWS} {problem}"))
}

/// Formats a number of bytes for display.
pub(crate) fn shown(bytes: f64) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6)];
    let (unit, size) = units.into_iter().find(|(_, size)| bytes >= *size).unwrap_or(("kB", 1e3));
    format!("{:.1} {unit}", bytes / size).replace(".0 ", " ")
}
