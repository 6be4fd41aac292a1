//! Who can be run apart from whom, and for how long.
//!
//! A *component* is what only its own events touch: the endpoints together, and each link that packets reach by an event. What
//! one component does now reaches another only after the delay of the links between them. So time can be cut into rounds, no
//! longer than the least such delay, and in each round each component does what it has to do, in order, alone: nobody else can
//! add to its round any more. This is the lookahead of conservative parallel simulation (Chandy and Misra 1979; Bryant 1977),
//! used here for its locality: one kind of work at a time, on data that lie together.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_units::Time;

use super::layout::{ENDPOINTS, place};
use crate::agenda::Rounds;
use crate::transit::{Hop, Next};

/// Components that are nearer to each other than that, `2^22` ps = 4 us, are one.
const SHORTEST_BITS: u32 = 22;
/// How far the rounds kept apart are to reach: `2^38` ps = 275 ms, further than most round trips.
const REACH_BITS: u32 = 38;
/// One such round for so many flows, so that what happens in a round fits into a cache; at least and at most so many.
const FLOWS_PER_ROUND: usize = 32;
const MIN_ROUNDS: usize = 1 << 6;
const MAX_ROUNDS: usize = 1 << 15;
/// The most rounds kept apart by all components together: beyond, they are one.
const MAX_ROUNDS_OF_ALL: usize = 1 << 18;

/// Tells each hop whose event comes next. Returns how many components there are, the endpoints being the first, and how time
/// is cut.
pub(super) fn find(hops: &mut [Hop], ways: &Ways, flows: usize) -> (usize, Rounds) {
    let mut places = Places::new(ways.entered.len());
    let mut least = None;
    for ((from, to), delay) in &ways.delays {
        if *delay < Time::from_picos(1 << SHORTEST_BITS) {
            places.join(*from, *to);
        } else {
            least = Some(least.unwrap_or(*delay).min(*delay));
        }
        if ways.entered[*to as usize] {
            // endpoints put packets onto it themselves: it is theirs
            places.join(ENDPOINTS, *to);
        }
    }
    let rounds = rounds(flows, least);
    let mut components = places.components(ways.delays.keys().map(|(_, to)| *to));
    if components.len() * rounds.ahead > MAX_ROUNDS_OF_ALL {
        places.0.fill(ENDPOINTS);
        components = places.components([].into_iter());
    }
    for at in 1..hops.len() {
        let to = place(hops[at]);
        if let Hop::Link { next: Next::Event(component), .. } = &mut hops[at - 1] {
            *component = components[&places.find(to)] as u16;
        }
    }
    (components.len(), rounds)
}

/// Rounds no longer than the least delay between components, and short enough that what happens in one is not too much.
fn rounds(flows: usize, least: Option<Time>) -> Rounds {
    let kept = (flows / FLOWS_PER_ROUND).next_power_of_two().clamp(MIN_ROUNDS, MAX_ROUNDS);
    let longest = REACH_BITS - kept.ilog2();
    let bits = least.map_or(longest, |least| least.as_picos().ilog2().min(longest));
    Rounds { bits, ahead: 1 << (REACH_BITS - bits) }
}

/// How packets come from event to event.
#[derive(Debug)]
pub(super) struct Ways {
    /// The least delay from one place to the next.
    delays: BTreeMap<(u32, u32), Time>,
    /// The places that endpoints put packets onto at once.
    pub(super) entered: Vec<bool>,
}

impl Ways {
    /// None yet, between that many links and the endpoints.
    pub(super) fn new(links: usize) -> Self {
        Self { delays: BTreeMap::new(), entered: vec![false; links + 1] }
    }

    /// A packet that had its last event there, and that long ago, comes to `to`.
    pub(super) fn add(&mut self, (from, delay): (u32, Time), to: u32) {
        let least = self.delays.entry((from, to)).or_insert(delay);
        *least = delay.min(*least);
    }
}

/// Places that are found to belong together: a forest, each place knowing its parent.
#[derive(Debug)]
pub(super) struct Places(Vec<u32>);

impl Places {
    /// So many, each by itself.
    pub(super) fn new(places: usize) -> Self {
        Self((0..places as u32).collect())
    }

    /// The place that stands for all that belong to this one: the first of them.
    pub(super) fn find(&self, mut place: u32) -> u32 {
        while self.0[place as usize] != place {
            place = self.0[place as usize];
        }
        place
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let first = self.find(a).min(self.find(b));
        // the ways up are shortened
        for mut place in [a, b] {
            while place != first {
                place = std::mem::replace(&mut self.0[place as usize], first);
            }
        }
    }

    /// Numbers the endpoints and what stands for these places.
    fn components(&self, places: impl Iterator<Item = u32>) -> BTreeMap<u32, u32> {
        let found: BTreeSet<u32> = places.chain([ENDPOINTS]).map(|place| self.find(place)).collect();
        found.into_iter().zip(0..).collect()
    }
}
