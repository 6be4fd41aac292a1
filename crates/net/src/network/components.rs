//! Partitions the network into components and computes their lookahead.
//!
//! A *component* is a part of the state that only its own events touch: all endpoints together, and each link that
//! packets reach by an event. An action of one component affects another only after the delay of the links between
//! them. Time can therefore be divided into rounds no longer than the smallest such delay, and in each round each
//! component processes its events in order and independently, because no other component can add to its current round.
//! This is the lookahead of conservative parallel simulation (Chandy and Misra 1979; Bryant 1977), used here for memory
//! locality: the engine does one kind of work at a time, on adjacent data.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_units::Time;

use super::layout::{ENDPOINTS, place_of};
use crate::engine::agenda::Rounds;
use crate::engine::hop::Hop;

/// Components separated by less than this delay, `2^22` ps = 4 us, are merged.
const SHORTEST_BITS: u32 = 22;
/// Total duration of the rounds that have their own bucket: `2^38` ps = 275 ms, longer than most round trips.
const REACH_BITS: u32 = 38;
/// Number of flows per round, so that the work of a round fits into a cache; and the limits of the number of rounds
/// with their own bucket.
const FLOWS_PER_ROUND: usize = 32;
const MIN_ROUNDS: usize = 1 << 6;
const MAX_ROUNDS: usize = 1 << 15;
/// Maximum number of rounds with their own bucket, summed over all components. Above it, all components are merged.
const MAX_ROUNDS_OF_ALL: usize = 1 << 18;

/// Sets, for each hop, the component that handles the packet's next event. Returns the number of components, of which
/// the first one contains the endpoints, and the division of time into rounds.
pub(super) fn find(hops: &mut [Hop], transitions: &Transitions, flows: usize) -> (usize, Rounds) {
    let mut places = Places::new(transitions.entered.len());
    let mut least = None;
    for ((from, to), delay) in &transitions.delays {
        if *delay < Time::from_picos(1 << SHORTEST_BITS) {
            places.join(*from, *to);
        } else {
            least = Some(least.unwrap_or(*delay).min(*delay));
        }
        if transitions.entered[*to as usize] {
            // endpoints put packets onto this link directly, so it belongs to their component
            places.join(ENDPOINTS, *to);
        }
    }
    let rounds = rounds(flows, least);
    let mut components = places.components(transitions.delays.keys().map(|(_, to)| *to));
    if components.len() * rounds.ahead > MAX_ROUNDS_OF_ALL {
        places.0.fill(ENDPOINTS);
        components = places.components([].into_iter());
    }
    for index in 0..hops.len() {
        let hop = hops[index];
        if hop.has_event() {
            let stop = hop.stop(index as u32);
            let to = if stop.is_link() { place_of(hops[stop.index()].link) } else { ENDPOINTS };
            hops[index].component = components[&places.find(to)] as u16;
        }
    }
    (components.len(), rounds)
}

/// Rounds no longer than the smallest delay between components, and short enough to limit the work per round.
fn rounds(flows: usize, least: Option<Time>) -> Rounds {
    let kept = (flows / FLOWS_PER_ROUND).next_power_of_two().clamp(MIN_ROUNDS, MAX_ROUNDS);
    let longest = REACH_BITS - kept.ilog2();
    let bits = least.map_or(longest, |least| least.as_picos().ilog2().min(longest));
    Rounds { bits, ahead: 1 << (REACH_BITS - bits) }
}

/// The transitions of packets from event to event. A *place* is where an event happens: a link, or the endpoints as a
/// whole.
#[derive(Debug)]
pub(super) struct Transitions {
    /// The smallest delay of a transition between two places.
    delays: BTreeMap<(u32, u32), Time>,
    /// For each place, whether endpoints put packets onto it directly.
    pub(super) entered: Vec<bool>,
}

impl Transitions {
    /// An empty set of transitions between `links` links and the endpoints.
    pub(super) fn new(links: usize) -> Self {
        Self { delays: BTreeMap::new(), entered: vec![false; links + 1] }
    }

    /// Adds a transition to `to` of a packet whose last event was at `from`, `delay` earlier.
    pub(super) fn add(&mut self, (from, delay): (u32, Time), to: u32) {
        let least = self.delays.entry((from, to)).or_insert(delay);
        *least = delay.min(*least);
    }
}

/// Union-find forest of places: each place stores its parent.
#[derive(Debug)]
pub(super) struct Places(Vec<u32>);

impl Places {
    /// A forest in which each of `places` places is a set of its own.
    pub(super) fn new(places: usize) -> Self {
        Self((0..places as u32).collect())
    }

    /// The representative of a place's set: its smallest member.
    pub(super) fn find(&self, mut place: u32) -> u32 {
        while self.0[place as usize] != place {
            place = self.0[place as usize];
        }
        place
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let first = self.find(a).min(self.find(b));
        // path compression
        for mut place in [a, b] {
            while place != first {
                place = std::mem::replace(&mut self.0[place as usize], first);
            }
        }
    }

    /// Assigns component numbers to the endpoints and to the representatives of the given places.
    fn components(&self, places: impl Iterator<Item = u32>) -> BTreeMap<u32, u32> {
        let found: BTreeSet<u32> = places.chain([ENDPOINTS]).map(|place| self.find(place)).collect();
        found.into_iter().zip(0..).collect()
    }
}
