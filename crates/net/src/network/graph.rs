//! The shortest paths of a graph, by number of links.
//!
//! A path is walked from its source: at each node, the links that lead closer to the destination are those of shortest
//! paths, in the order of the plan. Always taking the first of them gives the path that a breadth-first search from the
//! source finds. The Python package finds the same paths.

use std::collections::{BTreeMap, VecDeque};

use super::Edge;
use super::choice::weight;
use crate::packet::LinkId;
use crate::plan::PlanError;

/// Distance of a node from which there is no path.
const FAR: u32 = u32::MAX;

/// Maximum number of cached distances, which bounds the memory; at least [`SEARCHES`] searches are cached.
const CACHED: usize = 1 << 22;
const SEARCHES: usize = 64;

/// Paths through a graph.
#[derive(Debug)]
pub(crate) struct Graph<'a> {
    pub(super) edges: &'a [Edge<'a>],
    leaving: Vec<Vec<LinkId>>,
    arriving: Vec<Vec<LinkId>>,
    /// For some destinations, the number of links from each node.
    distances: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(nodes: u32, edges: &'a [Edge<'a>]) -> Result<Self, PlanError> {
        let (mut leaving, mut arriving) = (vec![Vec::new(); nodes as usize], vec![Vec::new(); nodes as usize]);
        for (id, edge) in (0_u32..).zip(edges) {
            if edge.from >= nodes || edge.to >= nodes || edge.from == edge.to {
                let problem = format!("must join two different nodes below {nodes}");
                return Err(PlanError::new(format!("links.{id}"), problem));
            }
            leaving[edge.from as usize].push(LinkId(id));
            arriving[edge.to as usize].push(LinkId(id));
        }
        Ok(Self { edges, leaving, arriving, distances: BTreeMap::new() })
    }

    /// The links of a shortest path, if there is one: at each node, `choose` takes one of the links that lead closer.
    pub(crate) fn path(
        &mut self,
        (from, to): (u32, u32),
        mut choose: impl FnMut(u32, &[LinkId]) -> LinkId,
    ) -> Option<Vec<LinkId>> {
        let (end, last) = self.end(from, to)?;
        let (mut path, mut node, mut closer) = (Vec::new(), from, Vec::new());
        for left in (0..self.distance(from, end)?).rev() {
            self.closer(node, end, left, &mut closer);
            let link = choose(node, &closer);
            path.push(link);
            node = self.edges[link.0 as usize].to;
        }
        path.extend(last);
        Some(path)
    }

    /// The links of all shortest paths, each with the share of the flows that cross it if each node spreads them by weights.
    /// Empty if there is no path.
    pub(crate) fn spread(&mut self, from: u32, to: u32) -> Vec<(LinkId, f64)> {
        let mut spread = Vec::new();
        let Some((end, last)) = self.end(from, to) else { return spread };
        let (mut level, mut closer) = (BTreeMap::from([(from, 1.0)]), Vec::new());
        for left in (0..self.distance(from, end).unwrap_or_default()).rev() {
            let mut next = BTreeMap::new();
            for (node, share) in level {
                self.closer(node, end, left, &mut closer);
                let total: u64 = closer.iter().map(|link| weight(*link, self.edges)).sum();
                for link in &closer {
                    let share = share * weight(*link, self.edges) as f64 / total as f64;
                    *next.entry(self.edges[link.0 as usize].to).or_default() += share;
                    spread.push((*link, share));
                }
            }
            level = next;
        }
        spread.extend(last.into_iter().map(|link| (link, 1.0)));
        spread
    }

    /// The node before which all paths to `to` come together, and the links from there. A node with a single link to it,
    /// such as a host, needs no search of its own: its paths are those to the node before it. `None` if there is no path.
    fn end(&mut self, from: u32, to: u32) -> Option<(u32, Vec<LinkId>)> {
        self.leaving.get(from as usize)?;
        let (mut end, mut last) = (to, Vec::new());
        while end != from
            && let [link] = self.arriving.get(end as usize)?[..]
        {
            if last.len() > self.arriving.len() {
                return None;
            }
            last.push(link);
            end = self.edges[link.0 as usize].from;
        }
        last.reverse();
        self.distance(from, end).map(|_| (end, last))
    }

    /// The links from `node` to nodes at distance `left` of `end`.
    fn closer(&self, node: u32, end: u32, left: u32, closer: &mut Vec<LinkId>) {
        closer.clear();
        let Some(distances) = self.distances.get(&end) else { return };
        let is_closer = |LinkId(link): &&LinkId| distances[self.edges[*link as usize].to as usize] == left;
        closer.extend(self.leaving[node as usize].iter().filter(is_closer));
    }

    /// The number of links from one node to another, if there is a path. Afterwards the distances to `to` are cached.
    fn distance(&mut self, from: u32, to: u32) -> Option<u32> {
        if from == to {
            return Some(0);
        }
        let nodes = self.arriving.len();
        if self.distances.len() >= SEARCHES.max(CACHED / nodes) && !self.distances.contains_key(&to) {
            self.distances.clear();
        }
        let (edges, arriving) = (self.edges, &self.arriving);
        let search = || {
            let mut distances = vec![FAR; nodes];
            distances[to as usize] = 0;
            let mut reached = VecDeque::from([to]);
            while let Some(node) = reached.pop_front() {
                for LinkId(link) in &arriving[node as usize] {
                    let before = edges[*link as usize].from as usize;
                    if distances[before] == FAR {
                        distances[before] = distances[node as usize] + 1;
                        reached.push_back(before as u32);
                    }
                }
            }
            distances
        };
        let distance = self.distances.entry(to).or_insert_with(search)[from as usize];
        (distance != FAR).then_some(distance)
    }
}

#[cfg(test)]
pub(super) mod testing {
    use ackclock_units::{Rate, Time};

    use super::*;
    use crate::link::rate::RateSpec;
    use crate::plan::LinkSpec;
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

    pub(in crate::network) fn graph(joins: &[(u32, u32)]) -> Vec<Edge<'static>> {
        joins.iter().map(|(from, to)| Edge { from: *from, to: *to, link: &LINK }).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::testing::graph;
    use super::*;

    /// The first shortest path, by a breadth-first search from the source that follows the order of links.
    fn searched(nodes: u32, joins: &[(u32, u32)], (from, to): (u32, u32)) -> Option<Vec<LinkId>> {
        let mut paths = BTreeMap::from([(from, Vec::new())]);
        let mut reached = VecDeque::from([from]);
        while let Some(node) = reached.pop_front().filter(|_| from < nodes) {
            for (link, _) in (0..).zip(joins).filter(|(_, (start, _))| *start == node) {
                let path = [&paths[&node][..], &[LinkId(link)]].concat();
                paths.entry(joins[link as usize].1).or_insert_with_key(|next| {
                    reached.push_back(*next);
                    path
                });
            }
        }
        paths.remove(&to)
    }

    fn first(graph: &mut Graph<'_>, from: u32, to: u32) -> Option<Vec<LinkId>> {
        graph.path((from, to), |_, links| links[0])
    }

    #[test]
    fn the_shortest_way_is_found_and_of_equal_ones_the_first() {
        let edges = graph(&[(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (3, 0), (0, 5), (5, 3)]);
        let mut graph = Graph::new(6, &edges).unwrap();
        assert_eq!(first(&mut graph, 0, 3), Some(vec![LinkId(3), LinkId(4)]));
        assert_eq!(first(&mut graph, 3, 0), Some(vec![LinkId(5)]));
        assert_eq!(first(&mut graph, 2, 5), Some(vec![LinkId(2), LinkId(5), LinkId(6)]));
        assert_eq!(
            graph.spread(2, 3).into_iter().chain(graph.spread(0, 3)).collect::<Vec<_>>(),
            [(2, 1.0), (3, 0.5), (6, 0.5), (4, 0.5), (7, 0.5)].map(|(link, share)| (LinkId(link), share))
        );
    }

    #[test]
    fn what_cannot_be_reached_has_no_path_and_loops_are_refused() {
        let edges = graph(&[(0, 1)]);
        let mut short = Graph::new(2, &edges).unwrap();
        assert_eq!(first(&mut short, 1, 0), None);
        assert_eq!(first(&mut short, 7, 0), None);
        assert_eq!(first(&mut short, 0, 7), None);
        assert!(short.spread(1, 0).is_empty());
        // a ring of nodes with a single link to each, which does not lead to the source
        let edges = graph(&[(0, 1), (1, 2), (2, 0), (0, 3)]);
        assert_eq!(first(&mut Graph::new(4, &edges).unwrap(), 3, 1), None);
        assert!(Graph::new(2, &graph(&[(1, 1)])).is_err());
        assert!(Graph::new(2, &graph(&[(0, 2)])).is_err());
    }

    proptest! {
        /// Paths of random graphs with parallel links are those of the search; shares of links add up at each distance.
        #[test]
        fn paths_are_those_of_a_search(
            joins in prop::collection::vec((0_u32..7, 0_u32..7), 1..20), from in 0_u32..7, to in 0_u32..7,
        ) {
            let joins: Vec<_> = joins.into_iter().filter(|(from, to)| from != to).collect();
            let edges = graph(&joins);
            let mut graph = Graph::new(7, &edges).unwrap();
            let path = first(&mut graph, from, to);
            prop_assert_eq!(&path, &searched(7, &joins, (from, to)));
            let length = path.as_ref().map_or(0, Vec::len) as f64;
            let spread = graph.spread(from, to);
            prop_assert!((spread.iter().map(|(_, share)| share).sum::<f64>() - length).abs() < 1e-9);
            prop_assert!(path.unwrap_or_default().iter().all(|link| spread.iter().any(|(each, _)| each == link)));
        }
    }
}
