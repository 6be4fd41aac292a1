//! Values that change in steps: from each time on, until the next one.

use ackclock_units::Time;

/// Validates the times of steps with `values` values.
///
/// # Errors
/// The invalid field and the problem.
pub(super) fn check(
    times: &[Time],
    values: (&'static str, usize),
    period: Option<Time>,
) -> Result<(), (&'static str, &'static str)> {
    if times.first() != Some(&Time::ZERO) || !times.is_sorted_by(|a, b| a < b) {
        return Err(("times", "must begin at 0 s and increase"));
    }
    if values.1 != times.len() {
        return Err((values.0, "must have as many values as times"));
    }
    if period.is_some_and(|period| times.last() >= Some(&period)) {
        return Err(("period", "must be after the last time"));
    }
    Ok(())
}

/// The step at a time: the number of periods before it, the time within its period, and the index of the value.
pub(super) fn at(times: &[Time], period: Option<Time>, now: Time) -> (u64, Time, usize) {
    let (periods, within) = match period {
        Some(period) => (now.as_picos() / period.as_picos(), Time::from_picos(now.as_picos() % period.as_picos())),
        None => (0, now),
    };
    (periods, within, times.partition_point(|time| *time <= within) - 1)
}
