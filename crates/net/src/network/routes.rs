//! Shortest paths by number of hops; of equal ones, the one found first in the order of links.

use std::collections::{BTreeMap, VecDeque};

use crate::packet::LinkId;
use crate::plan::{EdgeSpec, PlanError};

/// Paths through a graph. One breadth-first tree serves all paths that start, or end, at its root, so roots are the nodes
/// where most flows meet.
#[derive(Debug)]
pub(super) struct Routes<'a> {
    edges: &'a [EdgeSpec],
    leaving: Vec<Vec<LinkId>>,
    entering: Vec<Vec<LinkId>>,
    /// How many flows start or end at each node.
    flows_at: Vec<u32>,
    trees: BTreeMap<(u32, Towards), Vec<Option<LinkId>>>,
}

/// Whether a tree's paths lead away from its root or towards it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Towards {
    Leaves,
    Root,
}

impl<'a> Routes<'a> {
    pub(super) fn new(nodes: u32, edges: &'a [EdgeSpec], ends: &[(u32, u32)]) -> Result<Self, PlanError> {
        let known = |node: u32| node < nodes;
        if let Some(id) = edges.iter().position(|edge| !known(edge.from) || !known(edge.to) || edge.from == edge.to) {
            return Err(PlanError::new(format!("links.{id}"), format!("must join two different nodes below {nodes}")));
        }
        if !ends.iter().all(|(from, to)| known(*from) && known(*to)) {
            return Err(PlanError::new("groups.path", format!("must name two nodes below {nodes}")));
        }
        let mut routes = Self {
            edges,
            leaving: vec![Vec::new(); nodes as usize],
            entering: vec![Vec::new(); nodes as usize],
            flows_at: vec![0; nodes as usize],
            trees: BTreeMap::new(),
        };
        for (id, edge) in edges.iter().enumerate() {
            routes.leaving[edge.from as usize].push(LinkId(id as u32));
            routes.entering[edge.to as usize].push(LinkId(id as u32));
        }
        for (from, to) in ends {
            routes.flows_at[*from as usize] += 1;
            routes.flows_at[*to as usize] += 1;
        }
        Ok(routes)
    }

    /// The links from one node to another, if there is a way.
    pub(super) fn path(&mut self, from: u32, to: u32) -> Option<Vec<LinkId>> {
        let edges = self.edges;
        let mut path = Vec::new();
        if self.flows_at[from as usize] >= self.flows_at[to as usize] {
            let tree = self.tree(from, Towards::Leaves);
            let mut node = to;
            while node != from {
                let link = tree[node as usize]?;
                path.push(link);
                node = edges[link.0 as usize].from;
            }
            path.reverse();
        } else {
            let tree = self.tree(to, Towards::Root);
            let mut node = from;
            while node != to {
                let link = tree[node as usize]?;
                path.push(link);
                node = edges[link.0 as usize].to;
            }
        }
        Some(path)
    }

    /// For each node the link that joins it to the tree.
    fn tree(&mut self, root: u32, towards: Towards) -> &[Option<LinkId>] {
        let (edges, nodes) = (self.edges, self.leaving.len());
        let links = if towards == Towards::Leaves { &self.leaving } else { &self.entering };
        self.trees.entry((root, towards)).or_insert_with(|| {
            let mut tree = vec![None; nodes];
            let mut reached = VecDeque::from([root]);
            while let Some(node) = reached.pop_front() {
                for link in &links[node as usize] {
                    let edge = &edges[link.0 as usize];
                    let next = if towards == Towards::Leaves { edge.to } else { edge.from };
                    if next != root && tree[next as usize].is_none() {
                        tree[next as usize] = Some(*link);
                        reached.push_back(next);
                    }
                }
            }
            tree
        })
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::{Rate, Time};

    use super::*;
    use crate::plan::LinkSpec;
    use crate::queue::{DropTailSpec, Limit, QueueSpec};

    fn graph(joins: &[(u32, u32)]) -> Vec<EdgeSpec> {
        let queue = QueueSpec::DropTail(DropTailSpec { limit: Limit::Packets(10), count_in_service: true });
        let link = LinkSpec { rate: Rate::from_mbps(1), delay: Time::ZERO, queue, loss: None };
        joins.iter().map(|(from, to)| EdgeSpec { from: *from, to: *to, link: link.clone() }).collect()
    }

    #[test]
    fn the_shortest_way_is_found_from_either_end() {
        let edges = graph(&[(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (3, 0)]);
        for ends in [[(0, 3), (0, 2)], [(0, 3), (1, 3)]] {
            let mut routes = Routes::new(5, &edges, &ends).unwrap();
            assert_eq!(routes.path(0, 3), Some(vec![LinkId(3), LinkId(4)]));
            assert_eq!(routes.path(3, 0), Some(vec![LinkId(5)]));
        }
    }

    #[test]
    fn what_cannot_be_reached_has_no_path_and_loops_are_refused() {
        let edges = graph(&[(0, 1)]);
        let mut routes = Routes::new(2, &edges, &[(0, 1)]).unwrap();
        assert_eq!(routes.path(1, 0), None);
        assert!(Routes::new(2, &graph(&[(1, 1)]), &[]).is_err());
        assert!(Routes::new(2, &graph(&[(0, 2)]), &[]).is_err());
    }
}
