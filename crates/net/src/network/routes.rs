//! Shortest paths by number of hops. Among paths of equal length, the first one found is used: the search starts at the
//! source and follows the order of links. The Python package finds the same paths.

use std::collections::{BTreeMap, VecDeque};

use super::Edge;
use crate::packet::LinkId;
use crate::plan::{GroupSpec, PlanError};

/// How paths are determined.
#[derive(Debug)]
pub(super) enum Routes<'a> {
    /// Paths of a [`Topology::Dumbbell`](crate::plan::Topology::Dumbbell), where each path is unique.
    Dumbbell,
    /// Paths found by searching a graph.
    Graph(Graph<'a>),
}

impl Routes<'_> {
    /// The ways of a flow of the group at `place` between these nodes: the first one, and then that of each change of its
    /// path.
    pub(super) fn ways(&mut self, place: u32, group: &GroupSpec, ends: (u32, u32)) -> Result<Vec<Way>, PlanError> {
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
            Self::Graph(graph) => graph.ways(place, group, ends),
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

/// Paths through a graph. One breadth-first tree serves all paths that start at its root.
#[derive(Debug)]
pub(crate) struct Graph<'a> {
    edges: &'a [Edge<'a>],
    leaving: Vec<Vec<LinkId>>,
    trees: BTreeMap<u32, Vec<Option<LinkId>>>,
}

/// Maximum number of cached trees. Flows of a group share their endpoints, so a few are enough, and memory stays
/// bounded.
const TREES: usize = 64;

impl<'a> Graph<'a> {
    pub(crate) fn new(nodes: u32, edges: &'a [Edge<'a>]) -> Result<Self, PlanError> {
        let mut leaving = vec![Vec::new(); nodes as usize];
        for (id, edge) in (0_u32..).zip(edges) {
            if edge.from >= nodes || edge.to >= nodes || edge.from == edge.to {
                let problem = format!("must join two different nodes below {nodes}");
                return Err(PlanError::new(format!("links.{id}"), problem));
            }
            leaving[edge.from as usize].push(LinkId(id));
        }
        Ok(Self { edges, leaving, trees: BTreeMap::new() })
    }

    /// The ways of a flow of the group at `place` between these nodes: the first one, and then that of each change of its
    /// path.
    ///
    /// # Errors
    /// A way has no route, or crosses a link twice.
    pub(crate) fn ways(&mut self, place: u32, group: &GroupSpec, ends: (u32, u32)) -> Result<Vec<Way>, PlanError> {
        let first = (if group.via.is_empty() { "path" } else { "via" }.to_owned(), &group.via);
        let later = group.changes.iter().enumerate();
        let later = later.filter_map(|(number, change)| Some((format!("changes.{number}.via"), change.via.as_ref()?)));
        let invalid = |field, problem| PlanError::new(format!("groups.{place}.{field}"), problem);
        let way =
            |(field, via): (String, &Vec<u32>)| self.way(group, ends, via).map_err(|problem| invalid(field, problem));
        [first].into_iter().chain(later).map(way).collect()
    }

    fn way(&mut self, group: &GroupSpec, (from, to): (u32, u32), via: &[u32]) -> Result<Way, String> {
        let stops: Vec<u32> = [from].into_iter().chain(via.iter().copied()).chain([to]).collect();
        let data = self.path_through(&stops)?;
        let back: Vec<u32> = stops.into_iter().rev().collect();
        Ok(Way { data, acks: if group.has_answers() { self.path_through(&back)? } else { Vec::new() } })
    }

    /// The shortest paths between consecutive nodes.
    ///
    /// # Errors
    /// What is wrong with the nodes.
    pub(super) fn path_through(&mut self, nodes: &[u32]) -> Result<Vec<LinkId>, String> {
        let mut whole = Vec::new();
        for (from, to) in nodes.iter().zip(&nodes[1..]) {
            whole.extend(
                self.path(*from, *to).ok_or_else(|| format!("must have a route: there is none from {from} to {to}"))?,
            );
        }
        let mut crossed: Vec<LinkId> = whole.clone();
        crossed.sort_unstable();
        match crossed.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("must not cross link {} twice", pair[0].0)),
            None => Ok(whole),
        }
    }

    /// The links from one node to another, if there is a path.
    pub(crate) fn path(&mut self, from: u32, to: u32) -> Option<Vec<LinkId>> {
        let edges = self.edges;
        let tree = self.tree(from)?;
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            let link = (*tree.get(node as usize)?)?;
            path.push(link);
            node = edges[link.0 as usize].from;
        }
        path.reverse();
        Some(path)
    }

    /// For each node the last link of the shortest path from `root`; `None` if `root` does not exist.
    fn tree(&mut self, root: u32) -> Option<&[Option<LinkId>]> {
        if self.trees.len() >= TREES && !self.trees.contains_key(&root) {
            self.trees.clear();
        }
        let (edges, leaving) = (self.edges, &self.leaving);
        leaving.get(root as usize)?;
        Some(self.trees.entry(root).or_insert_with(|| {
            let mut tree = vec![None; leaving.len()];
            let mut reached = VecDeque::from([root]);
            while let Some(node) = reached.pop_front() {
                for link in &leaving[node as usize] {
                    let next = edges[link.0 as usize].to;
                    if next != root && tree[next as usize].is_none() {
                        tree[next as usize] = Some(*link);
                        reached.push_back(next);
                    }
                }
            }
            tree
        }))
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::{Rate, Time};

    use super::*;
    use crate::link::rate::RateSpec;
    use crate::plan::testing::dumbbell_of_reno;
    use crate::plan::{FlowChange, LinkSpec};
    use crate::queue::{DropFrom, DropTailSpec, Limit, QueueSpec, Ties};

    static LINK: LinkSpec = LinkSpec::plain(
        RateSpec::Constant(Rate::from_mbps(1)),
        Time::ZERO,
        QueueSpec::DropTail(DropTailSpec {
            limit: Limit::Packets(10),
            count_in_service: true,
            ties: Ties::Departure,
            mark_above: 0,
            drop: DropFrom::Tail,
        }),
    );

    fn graph(joins: &[(u32, u32)]) -> Vec<Edge<'static>> {
        joins.iter().map(|(from, to)| Edge { from: *from, to: *to, link: &LINK }).collect()
    }

    #[test]
    fn the_shortest_way_is_found_and_of_equal_ones_the_first() {
        let edges = graph(&[(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (3, 0), (0, 5), (5, 3)]);
        let mut routes = Graph::new(6, &edges).unwrap();
        assert_eq!(routes.path(0, 3), Some(vec![LinkId(3), LinkId(4)]));
        assert_eq!(routes.path(3, 0), Some(vec![LinkId(5)]));
        assert_eq!(routes.path(2, 5), Some(vec![LinkId(2), LinkId(5), LinkId(6)]));
    }

    /// An error of a way has the path of its field: the group, and the change.
    #[test]
    fn a_way_that_cannot_be_has_its_field() {
        let edges = graph(&[(0, 1), (1, 0), (1, 2), (2, 1)]);
        let mut routes = Graph::new(4, &edges).unwrap();
        let mut group = dumbbell_of_reno(1).groups.remove(0);
        let mut refused = |ends, via: &[u32], later: &[u32]| {
            group.via = via.to_vec();
            let change = |via: &[u32]| FlowChange { at: Time::SECOND, congestion: None, via: Some(via.to_vec()) };
            group.changes = vec![change(&[1]), change(later)];
            routes.ways(7, &group, ends).map_err(|error| error.to_string())
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

    #[test]
    fn what_cannot_be_reached_has_no_path_and_loops_are_refused() {
        let edges = graph(&[(0, 1)]);
        let mut routes = Graph::new(2, &edges).unwrap();
        assert_eq!(routes.path(1, 0), None);
        assert_eq!(routes.path(7, 0), None);
        assert_eq!(routes.path(0, 7), None);
        assert!(Graph::new(2, &graph(&[(1, 1)])).is_err());
        assert!(Graph::new(2, &graph(&[(0, 2)])).is_err());
    }
}
