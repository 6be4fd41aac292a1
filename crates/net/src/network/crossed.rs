//! What a plan says about the paths of its groups, for notices.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::routes::{Router, Way, stops};
use super::{checked_edges, edges};
use crate::packet::{LinkId, Name};
use crate::plan::{GroupSpec, Plan, PlanError, Topology};

/// The links that a group of flows crosses in a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crossed {
    /// Indices of the links that the data crosses, and of those that ACKs cross, in order: on the first of the group's ways
    /// that may lead over the measured link, or else at the start. A path without a route is empty.
    pub data: Vec<usize>,
    #[expect(missing_docs, reason = "see the field before")]
    pub acks: Vec<usize>,
    /// Share of the flows whose data is expected to cross the measured link, if it is on their way.
    pub share: f64,
}

/// Links on shortest paths that carry nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unused {
    /// Number of flows that have several shortest paths.
    pub flows: u64,
    /// Number of links on these paths, and those that no flow crosses, in order.
    pub links: usize,
    #[expect(missing_docs, reason = "see the field before")]
    pub idle: Vec<u32>,
}

impl Plan {
    /// In a graph, what each group crosses. In a dumbbell, each client has paths of its own, and there is nothing.
    ///
    /// # Errors
    /// The topology has links between nodes that do not exist.
    pub fn crossed(&self) -> Result<Vec<Crossed>, PlanError> {
        if matches!(self.topology, Topology::Dumbbell { .. }) {
            return Ok(Vec::new());
        }
        let (nodes, edges) = edges(self)?;
        let mut router = Router::new(nodes, &edges, Choice { paths: self.paths, ..Choice::default() })?;
        let measured = LinkId(self.measure.link);
        let both = |group: &GroupSpec| {
            let ends = group.path.unwrap_or_default();
            let mut way = |via: &[u32]| {
                let stops = stops(ends, via);
                let back: Vec<u32> = stops.iter().rev().copied().collect();
                let [data, acks] = [&stops, &back].map(|stops| router.path_over(stops, measured));
                let spread = router.spread(&stops).into_iter();
                let share = spread.filter(|(link, _)| *link == measured).map(|(_, share)| share);
                let indices = |path: Vec<LinkId>| path.into_iter().map(|LinkId(link)| link as usize).collect();
                Crossed { share: share.sum(), data: indices(data), acks: indices(acks) }
            };
            let crossing = group.vias().map(&mut way).find(|way| way.data.contains(&(measured.0 as usize)));
            crossing.unwrap_or_else(|| way(&group.via))
        };
        Ok(self.groups.iter().map(both).collect())
    }

    /// The links on shortest paths that carry nothing in the run with this seed. Flows whose nodes are chosen by hand have no
    /// other paths.
    ///
    /// # Errors
    /// If the plan contradicts itself.
    pub(crate) fn unused(&self, seed: u64) -> Result<Unused, PlanError> {
        let Topology::Graph { nodes, .. } = self.topology else { return Ok(Unused::default()) };
        let edges = checked_edges(self)?.1;
        let mut router = Router::new(nodes, &edges, Choice { paths: self.paths, seed, nodes: &[] })?;
        let (mut possible, mut used) = (BTreeSet::new(), BTreeSet::new());
        let (mut flow, mut flows) = (0, 0);
        for (place, group) in (0..).zip(&self.groups) {
            let ends = group.path.unwrap_or_default();
            let links = if group.via.is_empty() { router.every(&stops(ends, &[])) } else { Vec::new() };
            if links.iter().any(|(_, share)| *share < 1.0) {
                flows += u64::from(group.flows());
                possible.extend(links.iter().map(|(link, _)| link.0));
            }
            for name in flow..flow + group.flows() {
                for Way { data, acks } in router.ways(place, group, ends, Name(name))? {
                    used.extend(data.into_iter().chain(acks).map(|link| link.0));
                }
            }
            flow += group.flows();
        }
        Ok(Unused { flows, links: possible.len(), idle: possible.difference(&used).copied().collect() })
    }
}
