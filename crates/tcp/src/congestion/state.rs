//! What laws hold besides the window: their phase and their state variables, which the record `states` shows over time.
//!
//! Each law declares its variables next to its code, with the names of its publication. A name means the same in every
//! law that has it.

use std::sync::LazyLock;

/// A quantity of a law's state.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Name, as in the publication.
    pub name: &'static str,
    /// Unit; empty for numbers without a unit.
    pub unit: &'static str,
    /// Meaning.
    pub doc: &'static str,
}

/// A variable, for the list of a law.
pub(super) const fn variable(name: &'static str, unit: &'static str, doc: &'static str) -> Variable {
    Variable { name, unit, doc }
}

/// The variables of every law that samples delivery rates, in the order in which they are shown, before the law's own.
pub(super) const DELIVERED: Variable = variable("delivered", "segments", "Segments delivered so far");
pub(super) const RTT: Variable =
    variable("rtt", "s", "Round-trip time of the last segment delivered; null after an idle time");
pub(super) const INFLIGHT: Variable = variable("inflight", "segments", "Segments in the network");
pub(super) const PACING_RATE: Variable =
    variable("pacing_rate", "segments/s", "Rate at which the law paces the sender");

/// Variables of several laws.
pub(super) const MIN_RTT: Variable = variable("min_rtt", "s", "Minimum round-trip time of the last 10 s");
pub(super) const ALPHA: Variable = variable("alpha", "", "Estimated share of marked segments");

/// The phases of a law that does not name its own: while losses are repaired, and otherwise below or above `ssthresh`.
pub(crate) const CLASSIC: &[&str] = &["slow_start", "congestion_avoidance", "recovery"];

/// The phases and the variables that a law declares.
#[derive(Clone, Copy, Debug)]
pub struct LawState {
    /// Name of the law.
    pub law: &'static str,
    /// Names of its phases.
    pub phases: &'static [&'static str],
    /// Its variables; empty for a law that holds nothing besides the window.
    pub variables: &'static [Variable],
}

/// A value, or NaN for one that is not set.
pub(crate) const fn if_set(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::NAN }
}

/// The names of all phases.
pub fn phases() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| distinct(super::STATES.iter().flat_map(|state| state.phases).copied()));
    &NAMES
}

/// The names of all variables.
pub fn variables() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        distinct(super::STATES.iter().flat_map(|state| state.variables).map(|variable| variable.name))
    });
    &NAMES
}

fn distinct(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
