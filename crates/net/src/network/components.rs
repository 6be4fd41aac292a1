//! Partitions the network into components and computes their lookahead.
//!
//! A *component* is a part of the state that only its own events touch: all endpoints together, and each link that
//! packets reach by an event. An action of one component affects another only after the delay of the links between
//! them. Time can therefore be divided into rounds no longer than the smallest such delay, and in each round each
//! component processes its events in order and independently, because no other component can add to its current round.
//! This is the lookahead of conservative parallel simulation (Chandy and Misra 1979; Bryant 1977), used here for memory
//! locality: the engine does one kind of work at a time, on adjacent data.
//!
//! The rounds of a component may begin earlier than those of others by a constant skew. It suffices then that a round is
//! no longer than the mean delay of any cycle of components: what the delays on the way there lack, those on the way back
//! have. A link of 1 ms before a bottleneck and 39 ms after it allow rounds of 20 ms instead of 1 ms.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_units::Time;

use super::layout::{ENDPOINTS, place_of};
use crate::engine::agenda::{MOST_SKEWED, Rounds};
use crate::engine::hop::Hop;

/// Components separated by less than this delay, `2^22` ps = 4 us, are merged.
const SHORTEST_BITS: u32 = 22;
/// Total duration of the rounds that have their own bucket, if they are short: `2^38` ps = 275 ms, longer than most round
/// trips.
const REACH_BITS: u32 = 38;
/// Number of flows and of events per round, so that the work of a round fits into a cache; and the limits of the number of
/// rounds in that time that the number of flows alone may set.
const FLOWS_PER_ROUND: usize = 32;
const EVENTS_PER_ROUND: f64 = 1e3;
const MIN_ROUNDS: usize = 1 << 4;
const MAX_ROUNDS: usize = 1 << 15;
/// Shortest rounds, `2^12` ps = 4 ns.
const LEAST_BITS: u32 = 12;
/// Limits of the number of rounds with their own bucket.
const MIN_AHEAD: usize = 1 << 5;
const MAX_AHEAD: usize = 1 << 16;
/// Share of the rounds with their own bucket by which components may be in different rounds.
const SKEWED_SHARE: u64 = 4;
/// Maximum number of rounds with their own bucket, summed over all components. Above it, all components are merged.
const MAX_ROUNDS_OF_ALL: usize = 1 << 18;

/// How much happens in a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) flows: usize,
    /// Events per second.
    pub(super) events: f64,
    /// The longest propagation delay of a link.
    pub(super) farthest: Time,
}

/// Sets, for each hop, the component that handles the packet's next event. Returns the skew of each component, of which
/// the first one contains the endpoints, and the division of time into rounds.
pub(super) fn find(hops: &mut [Hop], transitions: &Transitions, pace: Pace) -> (Vec<Time>, Rounds) {
    let mut places = Places::new(transitions.entered.len());
    let mut least = None;
    for (first, other) in &transitions.joined {
        places.join(*first, *other);
        if transitions.entered[*other as usize] {
            places.join(ENDPOINTS, *other);
        }
    }
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
    let mut components = places.components(transitions.delays.keys().map(|(_, to)| *to));
    let mut rounds = Rounds::up_to(least, pace);
    let mut skews = vec![Time::ZERO; components.len()];
    if components.len() <= MOST_SKEWED {
        let number = |place: u32| components.get(&places.find(place)).map(|number| *number as usize);
        let between = |((from, to), delay): (&(u32, u32), &Time)| Some((number(*from)?, number(*to)?, *delay));
        let delays: Vec<_> = transitions.delays.iter().filter_map(between).filter(|(from, to, _)| from != to).collect();
        if let Some(longer) = skewed(&delays, components.len(), rounds, Rounds::up_to(None, pace)) {
            (skews, rounds) = longer;
        }
    }
    if components.len() * rounds.ahead > MAX_ROUNDS_OF_ALL {
        places.0.fill(ENDPOINTS);
        components = places.components([].into_iter());
        skews = vec![Time::ZERO];
    }
    for index in 0..hops.len() {
        let hop = hops[index];
        if hop.has_event() {
            let stop = hop.stop(index as u32);
            let to = if stop.is_link() { place_of(hops[stop.index()].link) } else { ENDPOINTS };
            hops[index].set_component(components[&places.find(to)] as u16);
        }
    }
    (skews, rounds)
}

impl Rounds {
    /// Rounds of `2^bits` ps.
    const fn of_bits(bits: u32) -> Self {
        let ahead = 1 << (REACH_BITS - bits);
        let ahead = if ahead > MAX_AHEAD { MAX_AHEAD } else { ahead };
        Self { bits, ahead: if ahead < MIN_AHEAD { MIN_AHEAD } else { ahead } }
    }

    /// Rounds no longer than `delay`, if there is one, and short enough to limit the work per round, but so long that the
    /// rounds with their own bucket are more than twice as long as the longest delay.
    fn up_to(delay: Option<Time>, pace: Pace) -> Self {
        let kept = (pace.flows / FLOWS_PER_ROUND).next_power_of_two().clamp(MIN_ROUNDS, MAX_ROUNDS);
        let busy = Time::from_secs_f64(EVENTS_PER_ROUND / pace.events);
        let bits = |time: Time| time.as_picos().max(1).ilog2();
        let least = (bits(pace.farthest) + 2).saturating_sub(MAX_AHEAD.ilog2()).max(LEAST_BITS);
        let longest = (REACH_BITS - kept.ilog2()).min(bits(busy).max(least));
        Self::of_bits(delay.map_or(longest, |delay| bits(delay).min(longest)))
    }
}

/// The longest rounds between `shortest` and `longest` that skews of the components allow, if there are longer ones, and
/// the skews. `delays` are those of the transitions between different components.
fn skewed(
    delays: &[(usize, usize, Time)],
    components: usize,
    shortest: Rounds,
    longest: Rounds,
) -> Option<(Vec<Time>, Rounds)> {
    (shortest.bits + 1..=longest.bits).rev().map(Rounds::of_bits).find_map(|rounds| {
        let skews = skews(delays, components, rounds.end(0))?;
        (rounds.skewed_by(&skews) <= rounds.ahead as u64 / SKEWED_SHARE).then_some((skews, rounds))
    })
}

/// Skews with which each transition leads to a later round of `length`: the skew of its target and its delay are at least the
/// skew of its source and a round (Bellman and Ford). `None` if there are none.
fn skews(delays: &[(usize, usize, Time)], components: usize, length: Time) -> Option<Vec<Time>> {
    let mut skews = vec![Time::ZERO; components];
    for _ in 0..=components {
        let mut is_settled = true;
        for (from, to, delay) in delays {
            let least = (skews[*from] + length).saturating_sub(*delay);
            if skews[*to] < least {
                skews[*to] = least;
                is_settled = false;
            }
        }
        if is_settled {
            let least = skews.iter().copied().min()?;
            return Some(skews.into_iter().map(|skew| skew - least).collect());
        }
    }
    None
}

/// The transitions of packets from event to event. A *place* is where an event happens: a link, or the endpoints as a
/// whole.
#[derive(Debug)]
pub(super) struct Transitions {
    /// The smallest delay of a transition between two places.
    delays: BTreeMap<(u32, u32), Time>,
    /// Pairs of places that share state. Each of them is the second one of a pair.
    pub(super) joined: Vec<(u32, u32)>,
    /// For each place, whether endpoints put packets onto it directly.
    pub(super) entered: Vec<bool>,
}

impl Transitions {
    /// An empty set of transitions between `links` links and the endpoints.
    pub(super) fn new(links: usize) -> Self {
        Self { delays: BTreeMap::new(), joined: Vec::new(), entered: vec![false; links + 1] }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_has_about_a_thousand_events() {
        let farthest = Time::from_micros(1);
        let of = |flows, events, delay| Rounds::up_to(delay, Pace { flows, events, farthest });
        // 60 flows at 50 Mb/s: a sixteenth of the time with buckets
        assert_eq!(of(60, 8.3e3, None), Rounds { bits: 34, ahead: 32 });
        // 64 flows at 10 Gb/s: 600 us
        assert_eq!(of(64, 1.67e6, None), Rounds { bits: 29, ahead: 512 });
        assert_eq!(of(64, 1.67e6, Some(Time::from_micros(50))), Rounds { bits: 25, ahead: 1 << 13 });
        // 1,000 flows of 100 Gb/s with twelve events per packet: 10 ns, of which not all in 275 ms have buckets
        assert_eq!(of(1_000, 1e11, None), Rounds { bits: 13, ahead: MAX_AHEAD });
        assert_eq!(of(1_000, f64::INFINITY, None).bits, LEAST_BITS);
        assert_eq!(of(1, 0.0, None).bits, 34);
        // over 10 ms, the buckets of the same flows are for 34 ms
        let far = Pace { flows: 1_000, events: 1e11, farthest: Time::from_millis(10) };
        assert_eq!(Rounds::up_to(None, far), Rounds { bits: 19, ahead: MAX_AHEAD });
    }
}
