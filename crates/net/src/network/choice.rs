//! Which of several equally short paths a flow takes.
//!
//! Equal-cost multipath (ECMP) as in RFC 2992 and RFC 6438: each node hashes what identifies a flow, and the hash selects
//! one of the links that lead towards the destination. A flow stands for its five-tuple, so its data and its ACKs have
//! hashes of their own. The hash is uniform and depends on the seed of the run; switches use weaker ones, such as CRCs.
//! Links have weights (weighted cost multipath, WCMP: Zhou and others, EuroSys 2014). As in hardware, a choice is not
//! made again while a flow lasts; connections that follow each other in one flow of the engine share its choice.

use ackclock_units::{Role, Stream};
use serde::{Deserialize, Serialize};

use super::Edge;
use crate::packet::{LinkId, Name};

/// How a flow's path is chosen among the shortest ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paths {
    /// The first, in the order of links.
    #[default]
    First,
    /// By a hash with a seed of its own at each node.
    Ecmp,
    /// By the same hash at all nodes. Nodes behind a choice then make the same choice again, so that some paths have no
    /// flows.
    EcmpPolarised,
}

/// The hashes of all nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice<'a> {
    pub(crate) paths: Paths,
    pub(crate) seed: u64,
    /// Global ids of nodes; empty when every local id equals its global id.
    pub(crate) nodes: &'a [u32],
}

/// What identifies the packets of a flow in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuple {
    pub(crate) flow: Name,
    pub(crate) is_back: bool,
}

impl Choice<'_> {
    /// The link that `node` uses for the packets of `tuple`, of one or more.
    pub(crate) fn of(&self, node: u32, tuple: Tuple, links: &[LinkId], edges: &[Edge<'_>]) -> LinkId {
        if self.paths == Paths::First || links.len() == 1 {
            return links[0];
        }
        let mut place = scaled(self.hash(node, tuple), links.iter().map(|link| weight(*link, edges)).sum());
        for link in links {
            match place.checked_sub(weight(*link, edges)) {
                Some(rest) => place = rest,
                None => return *link,
            }
        }
        links[0]
    }

    fn hash(&self, node: u32, Tuple { flow, is_back }: Tuple) -> u64 {
        let node = match self.paths {
            Paths::First | Paths::EcmpPolarised => 0,
            Paths::Ecmp => self.nodes.get(node as usize).copied().unwrap_or(node),
        };
        let of_node = Stream::new(self.seed, Role::Switch, node).bits();
        let mut hashes = Stream::new(of_node, Role::Path, flow.0);
        let there = hashes.bits();
        if is_back { hashes.bits() } else { there }
    }
}

pub(super) fn weight(LinkId(link): LinkId, edges: &[Edge<'_>]) -> u64 {
    u64::from(edges[link as usize].link.weight)
}

/// A hash, scaled to a number below `below`.
const fn scaled(hash: u64, below: u64) -> u64 {
    ((hash as u128 * below as u128) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::graph::Graph;
    use crate::network::graph::testing::graph;

    /// A source, `width` nodes, `width` nodes behind each of them, and a destination behind all. Returns for each flow the
    /// choice at the first node and at the second.
    fn choices(paths: Paths, seed: u64, width: u32, flows: u32) -> Vec<(u32, u32)> {
        let (last, middle) = (1 + width + width * width, |first| 1 + width + width * first);
        let mut joins: Vec<(u32, u32)> = (0..width).map(|first| (0, 1 + first)).collect();
        joins.extend((0..width).flat_map(|first| (0..width).map(move |second| (1 + first, middle(first) + second))));
        joins.extend((middle(0)..last).map(|node| (node, last)));
        let edges = graph(&joins);
        let mut graph = Graph::new(last + 1, &edges).expect("sound");
        let choice = Choice { paths, seed, nodes: &[] };
        let mut chosen = |flow| {
            let tuple = Tuple { flow: Name(flow), is_back: false };
            let path = graph.path((0, last), |node, links| choice.of(node, tuple, links, &edges)).expect("a path");
            (path[0].0, (path[1].0 - width) % width)
        };
        (0..flows).map(&mut chosen).collect()
    }

    /// The mean of the maximum load of `bins` that receive `balls` at random: the number of ways to fill all bins with at
    /// most `most` balls is `balls!` times a coefficient of the power series of `exp`, cut after `most` terms.
    fn mean_of_maximum(balls: usize, bins: i32) -> f64 {
        let factorial = |n: usize| (1..=n).map(|each| each as f64).product::<f64>();
        let at_most = |most: usize| {
            let mut series = vec![0.0; balls + 1];
            series[0] = 1.0;
            for _ in 0..bins {
                let term = |n: usize| (0..=most.min(n)).map(|own| series[n - own] / factorial(own)).sum();
                series = (0..=balls).map(term).collect();
            }
            series[balls] * factorial(balls) / f64::from(bins).powi(balls as i32)
        };
        (0..balls).map(|most| 1.0 - at_most(most)).sum()
    }

    /// Validates: with ECMP, flows are balls in bins.
    /// Source: the expected number of occupied bins, `m (1 - (1 - 1/m)^n)`, and the exact mean of the maximum load.
    /// Tolerance: four standard errors over 2,000 seeds (one false alarm for 15,000 sets of seeds).
    #[test]
    fn flows_are_balls_in_bins() {
        let (width, flows, seeds) = (4, 12, 2_000);
        let (mut distinct, mut most) = (Vec::new(), Vec::new());
        for seed in 0..seeds {
            let mut loads = [0; 16];
            for (a, b) in choices(Paths::Ecmp, seed, width, flows) {
                loads[(a * width + b) as usize] += 1;
            }
            distinct.push(f64::from(loads.iter().filter(|load| **load > 0).count() as u32));
            most.push(f64::from(*loads.iter().max().unwrap()));
        }
        let occupied = 16.0 * (1.0 - (15.0_f64 / 16.0).powi(12));
        for (values, expected) in [(distinct, occupied), (most, mean_of_maximum(12, 16))] {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
            assert!((mean - expected).abs() < 4.0 * (variance / n).sqrt(), "{mean} instead of {expected}");
        }
    }

    /// Validates: the choices of consecutive nodes are independent, and uniform; with one hash they are equal.
    /// Source: Pearson's chi-square test of 16 equally likely pairs.
    /// Tolerance: the 99.9 % point of 15 degrees of freedom, 37.70, at fixed seeds.
    #[test]
    fn consecutive_nodes_choose_independently() {
        for seed in 1..=5 {
            let mut counts = [0.0_f64; 16];
            for (a, b) in choices(Paths::Ecmp, seed, 4, 16_000) {
                counts[(a * 4 + b) as usize] += 1.0;
            }
            let chi_square: f64 = counts.iter().map(|count| (count - 1_000.0).powi(2) / 1_000.0).sum();
            assert!(chi_square < 37.70, "{chi_square}");
            let polarised = choices(Paths::EcmpPolarised, seed, 4, 1_000);
            assert!(polarised.iter().all(|(a, b)| a == b), "4 of 16 paths are used");
            assert!((0..4).all(|first| polarised.iter().any(|(a, _)| *a == first)));
        }
    }

    /// Data and ACKs have hashes of their own.
    #[test]
    fn both_directions_of_a_flow_are_independent() {
        let edges = graph(&[(0, 1), (0, 2)]);
        let choice = Choice { paths: Paths::Ecmp, seed: 1, nodes: &[] };
        let links = [LinkId(0), LinkId(1)];
        let of = |flow, is_back| choice.of(0, Tuple { flow: Name(flow), is_back }, &links, &edges);
        let equal = (0..10_000).filter(|flow| of(*flow, false) == of(*flow, true)).count();
        assert!((4_800..5_200).contains(&equal), "{equal}: four standard deviations are 200");
    }

    #[test]
    fn a_hash_is_scaled_to_its_range() {
        assert_eq!([0, 1 << 62, 1 << 63, u64::MAX].map(|hash| scaled(hash, 4)), [0, 1, 2, 3]);
        assert_eq!(scaled(u64::MAX, 1), 0);
    }
}
