//! Changes of flows in a run: of the parameters of their law, and of the nodes by which their packets travel.

use ackclock_tcp::congestion::LawSpec;
use ackclock_units::Time;
use ackclock_units::catalogue::Invalid;
use serde::{Deserialize, Serialize};

use super::{GroupSpec, TransportSpec};

/// A change of all flows of a group. What is absent stays as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowChange {
    /// Time of the change.
    pub at: Time,
    /// The same law with its new parameters.
    #[serde(default)]
    pub congestion: Option<LawSpec>,
    /// The nodes that the data visits on its way from now on, in order, as in [`GroupSpec::via`].
    #[serde(default)]
    pub via: Option<Vec<u32>>,
}

impl GroupSpec {
    /// The nodes that the data visits on its way: at the start, and after each change.
    pub(crate) fn vias(&self) -> impl Iterator<Item = &[u32]> {
        let later = self.changes.iter().filter_map(|change| change.via.as_deref());
        [&self.via[..]].into_iter().chain(later)
    }

    /// Whether the flows change their path.
    pub(crate) fn moves(&self) -> bool {
        self.changes.iter().any(|change| change.via.is_some())
    }

    /// Validates the changes.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(super) fn check_changes(&self) -> Result<(), (String, String)> {
        let invalid = |field: &str, problem: &str| Err((field.to_owned(), problem.to_owned()));
        if self.path.is_none() && self.vias().any(|via| !via.is_empty()) {
            return invalid("via", "must be empty in a dumbbell");
        }
        if !self.changes.is_sorted_by_key(|change| change.at) {
            return invalid("changes", "must be in the order of time");
        }
        let mut law = match &self.transport {
            TransportSpec::Tcp { sender, .. } => Some(&sender.congestion),
            TransportSpec::Udp { .. } => None,
        };
        for (place, next) in self.changes.iter().enumerate() {
            let Some(next) = &next.congestion else { continue };
            let Some(before) = law else {
                return invalid(&format!("changes.{place}.congestion"), "must be absent: UDP has no law");
            };
            check_law_change(before, next)
                .map_err(|error| (format!("changes.{place}.congestion.{}", error.field), error.problem))?;
            law = Some(next);
        }
        Ok(())
    }
}

/// Checks that the parameters of a law can change to those of `next` in a run.
///
/// # Errors
/// If they contradict each other, if the law is another one, or if one of them cannot change.
pub fn check_law_change(before: &LawSpec, next: &LawSpec) -> Result<(), Invalid> {
    check_change(before.fixed(), [(before.name(), before), (next.name(), next)])?;
    next.check()
}

/// Checks that the parameters of an algorithm with a name can change in a run. `fixed` are those that cannot; `None` if none
/// of them can.
///
/// # Errors
/// If the algorithm is another one, or if a parameter that cannot change does.
pub(crate) fn check_change<T: Serialize>(
    fixed: Option<&[&'static str]>,
    [(name, before), (next_name, next)]: [(&str, &T); 2],
) -> Result<(), Invalid> {
    let refuse = |field, problem| Err(Invalid { field, problem });
    if next_name != name {
        return refuse("kind", format!("{next_name} is not allowed; must be {name}, as before"));
    }
    let Some(fixed) = fixed else {
        return refuse("kind", format!("{name} is not allowed; it has no parameters that can change in a run"));
    };
    let values = [before, next].map(|spec| serde_json::to_value(spec).unwrap_or_default());
    if let Some(field) = fixed.iter().find(|field| values[0].get(field) != values[1].get(field)) {
        let [before, after] = values.map(|values| values.get(field).cloned().unwrap_or_default());
        return refuse(field, format!("{after} is not allowed; must be {before}: it cannot change in a run"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ackclock_tcp::congestion::{BbrSpec, DctcpRules, DctcpSpec};

    use super::*;
    use crate::engine::simulator::Simulator;
    use crate::plan::Plan;
    use crate::plan::testing::dumbbell_of_reno;

    fn plan(first: LawSpec, changes: &[(u64, LawSpec)]) -> Plan {
        let mut plan = dumbbell_of_reno(1);
        let group = &mut plan.groups[0];
        if let TransportSpec::Tcp { sender, .. } = &mut group.transport {
            Arc::make_mut(sender).congestion = first;
        }
        let change = |(at, law): &(u64, LawSpec)| FlowChange {
            at: Time::from_millis(*at),
            congestion: Some(law.clone()),
            via: None,
        };
        group.changes = changes.iter().map(change).collect();
        plan
    }

    fn dctcp(g: f64, initial_alpha: f64) -> LawSpec {
        LawSpec::Dctcp(DctcpSpec { g, initial_alpha, rules: DctcpRules::Rfc8257 })
    }

    /// Validates: what can change is accepted, and each error names its field.
    /// Source: the definition of [`FlowChange`].
    /// Tolerance: exact.
    #[test]
    fn a_law_keeps_its_kind_its_fixed_parameters_and_the_order_of_time() {
        Simulator::new(&plan(dctcp(0.5, 1.0), &[(1, dctcp(0.25, 1.0)), (1, dctcp(0.125, 1.0))]), 1).expect("sound");
        let bbr = || LawSpec::Bbr(BbrSpec {});
        for (first, changes, field) in [
            (dctcp(0.5, 1.0), vec![(1, dctcp(0.5, 0.5))], "groups.0.changes.0.congestion.initial_alpha"),
            (dctcp(0.5, 1.0), vec![(1, dctcp(0.25, 1.0)), (2, bbr())], "groups.0.changes.1.congestion.kind"),
            (bbr(), vec![(1, bbr())], "groups.0.changes.0.congestion.kind"),
            (dctcp(0.5, 1.0), vec![(2, dctcp(0.25, 1.0)), (1, dctcp(0.5, 1.0))], "groups.0.changes"),
        ] {
            let mut plan = plan(first, &changes);
            if let TransportSpec::Tcp { sender, .. } = &mut plan.groups[0].transport {
                Arc::make_mut(sender).recovery = ackclock_tcp::recovery::RecoverySpec::Rack;
            }
            assert_eq!(Simulator::new(&plan, 1).expect_err(field).field, field);
        }
    }

    #[test]
    fn a_dumbbell_has_one_path() {
        let mut plan = plan(dctcp(0.5, 1.0), &[]);
        plan.groups[0].changes = vec![FlowChange { at: Time::ZERO, congestion: None, via: Some(vec![1]) }];
        assert_eq!(Simulator::new(&plan, 1).expect_err("a node").field, "groups.0.via");
    }
}
