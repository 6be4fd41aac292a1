//! The ways of flows: the links that their data and their ACKs cross.

use super::choice::{Choice, Tuple};
use super::graph::Graph;
use super::{Edge, Paths};
use crate::packet::{LinkId, Name};
use crate::plan::{GroupSpec, PlanError};

/// How paths are determined.
#[derive(Debug)]
pub(super) enum Routes<'a> {
    /// Paths of a [`Topology::Dumbbell`](crate::plan::Topology::Dumbbell), where each path is unique.
    Dumbbell,
    /// Shortest paths of a graph.
    Graph(Router<'a>),
}

impl Routes<'_> {
    /// The ways of a flow of the group at `place` between these nodes: the first one, and then that of each change of its
    /// path.
    pub(super) fn ways(
        &mut self,
        place: u32,
        group: &GroupSpec,
        ends: (u32, u32),
        flow: Name,
    ) -> Result<Vec<Way>, PlanError> {
        let through = |from, to| match to {
            1 => vec![LinkId(2 * from - 2), LinkId(0)],
            _ => vec![LinkId(1), LinkId(2 * to - 1)],
        };
        match self {
            Self::Dumbbell => {
                let (from, to) = ends;
                let acks = if group.has_answers() { through(to, from) } else { Vec::new() };
                Ok(vec![Way { data: through(from, to), acks }])
            }
            Self::Graph(router) => router.ways(place, group, ends, flow),
        }
    }
}

/// The links that a flow's data and its ACKs cross.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) data: Vec<LinkId>,
    /// Those of reports of calls, too; empty for other flows of UDP.
    pub(crate) acks: Vec<LinkId>,
}

/// Finds the ways of flows through a graph.
#[derive(Debug)]
pub(crate) struct Router<'a> {
    graph: Graph<'a>,
    choice: Choice<'a>,
}

impl<'a> Router<'a> {
    pub(crate) fn new(nodes: u32, edges: &'a [Edge<'a>], choice: Choice<'a>) -> Result<Self, PlanError> {
        Ok(Self { graph: Graph::new(nodes, edges)?, choice })
    }

    /// The ways of a flow of the group at `place` between these nodes: the first one, and then that of each change of its
    /// path.
    ///
    /// # Errors
    /// A way has no route, or crosses a link twice.
    pub(crate) fn ways(
        &mut self,
        place: u32,
        group: &GroupSpec,
        ends: (u32, u32),
        flow: Name,
    ) -> Result<Vec<Way>, PlanError> {
        let first = (if group.via.is_empty() { "path" } else { "via" }.to_owned(), &group.via);
        let later = group.changes.iter().enumerate();
        let later = later.filter_map(|(number, change)| Some((format!("changes.{number}.via"), change.via.as_ref()?)));
        let invalid = |field, problem| PlanError::new(format!("groups.{place}.{field}"), problem);
        let way = |(field, via): (String, &Vec<u32>)| {
            self.way(group, &stops(ends, via), flow).map_err(|problem| invalid(field, problem))
        };
        [first].into_iter().chain(later).map(way).collect()
    }

    fn way(&mut self, group: &GroupSpec, stops: &[u32], flow: Name) -> Result<Way, String> {
        let data = self.path_through(stops, Tuple { flow, is_back: false })?;
        let back: Vec<u32> = stops.iter().rev().copied().collect();
        let acks =
            if group.has_answers() { self.path_through(&back, Tuple { flow, is_back: true })? } else { Vec::new() };
        Ok(Way { data, acks })
    }

    /// The shortest paths between consecutive nodes that the packets of `tuple` take. If the hashes would lead twice over a
    /// link, they are the first shortest paths.
    ///
    /// # Errors
    /// What is wrong with the nodes.
    fn path_through(&mut self, nodes: &[u32], tuple: Tuple) -> Result<Vec<LinkId>, String> {
        let chosen = self.chosen_through(nodes, &self.choice.clone(), tuple)?;
        if nodes.len() == 2 || crossed_twice(&chosen).is_none() {
            return Ok(chosen);
        }
        let first = self.chosen_through(nodes, &Choice::default(), tuple)?;
        match crossed_twice(&first) {
            Some(LinkId(link)) => Err(format!("must not cross link {link} twice")),
            None => Ok(first),
        }
    }

    fn chosen_through(&mut self, nodes: &[u32], choice: &Choice<'_>, tuple: Tuple) -> Result<Vec<LinkId>, String> {
        let mut whole = Vec::new();
        for (from, to) in nodes.iter().zip(&nodes[1..]) {
            let edges = self.graph.edges;
            let path = self.graph.path((*from, *to), |node, links| choice.of(node, tuple, links, edges));
            whole.extend(path.ok_or_else(|| format!("must have a route: there is none from {from} to {to}"))?);
        }
        Ok(whole)
    }

    /// The links that flows of a group may cross on the shortest paths through these nodes, each with the expected share of
    /// the flows.
    pub(crate) fn spread(&mut self, stops: &[u32]) -> Vec<(LinkId, f64)> {
        if self.choice.paths == Paths::First {
            let tuple = Tuple { flow: Name(0), is_back: false };
            let path = self.chosen_through(stops, &Choice::default(), tuple).unwrap_or_default();
            return path.into_iter().map(|link| (link, 1.0)).collect();
        }
        self.every(stops)
    }

    /// The links of all shortest paths through these nodes, each with the share of the flows if they are spread.
    pub(crate) fn every(&mut self, stops: &[u32]) -> Vec<(LinkId, f64)> {
        stops.windows(2).flat_map(|leg| self.graph.spread(leg[0], leg[1])).collect()
    }

    /// The first shortest paths through these nodes, but over `link` where flows may cross it; empty if a leg has no route,
    /// or if the first paths cross a link twice.
    pub(crate) fn path_over(&mut self, stops: &[u32], link: LinkId) -> Vec<LinkId> {
        let first = self.chosen_through(stops, &Choice::default(), Tuple { flow: Name(0), is_back: false });
        let Some(first) = first.ok().filter(|path| crossed_twice(path).is_none()) else { return Vec::new() };
        let Edge { from: before, to: after, .. } = self.graph.edges[link.0 as usize];
        let mut over = Vec::new();
        for leg in stops.windows(2) {
            let is_possible = self.spread(leg).iter().any(|(each, _)| *each == link);
            let mut path = |from, to| self.graph.path((from, to), |_, links| links[0]).unwrap_or_default();
            if is_possible {
                over.extend([path(leg[0], before), vec![link], path(after, leg[1])].concat());
            } else {
                over.extend(path(leg[0], leg[1]));
            }
        }
        if crossed_twice(&over).is_none() { over } else { first }
    }
}

/// The nodes that a way visits.
pub(crate) fn stops((from, to): (u32, u32), via: &[u32]) -> Vec<u32> {
    [from].into_iter().chain(via.iter().copied()).chain([to]).collect()
}

fn crossed_twice(path: &[LinkId]) -> Option<LinkId> {
    let mut crossed = path.to_vec();
    crossed.sort_unstable();
    crossed.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use ackclock_units::Time;

    use super::*;
    use crate::network::graph::testing::graph;
    use crate::plan::FlowChange;
    use crate::plan::testing::dumbbell_of_reno;

    /// An error of a way has the path of its field: the group, and the change.
    #[test]
    fn a_way_that_cannot_be_has_its_field() {
        let edges = graph(&[(0, 1), (1, 0), (1, 2), (2, 1)]);
        let mut routes = Router::new(4, &edges, Choice::default()).unwrap();
        let mut group = dumbbell_of_reno(1).groups.remove(0);
        let mut refused = |ends, via: &[u32], later: &[u32]| {
            group.via = via.to_vec();
            let change = |via: &[u32]| FlowChange { at: Time::SECOND, congestion: None, via: Some(via.to_vec()) };
            group.changes = vec![change(&[1]), change(later)];
            routes.ways(7, &group, ends, Name(0)).map_err(|error| error.to_string())
        };
        assert_eq!(refused((0, 2), &[], &[1]).expect("there are routes").len(), 3);
        for (ends, via, later, problem) in [
            ((0, 3), &[][..], &[][..], "groups.7.path: must have a route: there is none from 0 to 3"),
            ((0, 2), &[3], &[], "groups.7.via: must have a route: there is none from 0 to 3"),
            ((0, 2), &[], &[9], "groups.7.changes.1.via: must have a route: there is none from 0 to 9"),
            ((0, 2), &[], &[1, 0], "groups.7.changes.1.via: must not cross link 0 twice"),
        ] {
            assert_eq!(refused(ends, via, later).expect_err("no way"), problem);
        }
    }

    /// A square of which each way may use either side, so that hashes would lead some flows there and back over one link.
    #[test]
    fn no_hash_leads_a_way_twice_over_a_link() {
        let joins = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 3), (3, 1), (2, 3), (3, 2), (3, 4), (4, 3), (1, 4), (4, 1)];
        let edges = graph(&joins);
        let mut group = dumbbell_of_reno(1).groups.remove(0);
        group.via = vec![3, 2];
        for seed in 0..200 {
            let choice = Choice { paths: Paths::Ecmp, seed, nodes: &[] };
            let mut router = Router::new(5, &edges, choice).expect("sound");
            let ways = router.ways(0, &group, (0, 4), Name(0)).expect("a way");
            assert!(ways.iter().all(|way| crossed_twice(&way.data).is_none() && crossed_twice(&way.acks).is_none()));
        }
    }
}
