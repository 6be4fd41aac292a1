//! Lays out routes as hops and sets for each hop how packets reach the next hop.

use ackclock_units::Time;

use super::components::Ways;
use super::steps::Feeders;
use super::{Routed, Span};
use crate::links::Links;
use crate::packet::LinkId;
use crate::transit::{Hop, Next};

/// Place number of the endpoints. (A place is where an event happens, see [`Ways`].)
pub(super) const ENDPOINTS: u32 = 0;

/// Place number of a link.
const fn place_of(link: LinkId) -> u32 {
    link.0 + 1
}

/// Place number of a hop.
pub(super) const fn place(hop: Hop) -> u32 {
    match hop {
        Hop::Link { link, .. } => place_of(link),
        Hop::Receiver | Hop::Sender => ENDPOINTS,
    }
}

/// The table of hops during its construction.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    /// The links of all routes and their properties.
    pub(super) path: &'a [LinkId],
    pub(super) links: &'a Links,
    pub(super) feeders: &'a Feeders,
    pub(super) hops: Vec<Hop>,
    pub(super) ways: Ways,
}

impl Layout<'_> {
    /// Lays out the routes of a flow. Returns the first hop of its data and of its ACKs.
    pub(super) fn add(&mut self, Routed { data, acks, .. }: &Routed) -> (u32, u32) {
        let mut way = (ENDPOINTS, Time::ZERO);
        let answers_in_step = self.path[acks.range()].first().is_none_or(|first| self.feeders.single(*first));
        let data_hop = self.add_route(*data, Hop::Receiver, answers_in_step, &mut way);
        (data_hop, self.add_route(*acks, Hop::Sender, false, &mut way))
    }

    /// Lays out a route. `way` is the place of the last event, and the time since that event.
    fn add_route(&mut self, route: Span, end: Hop, ends_in_step: bool, way: &mut (u32, Time)) -> u32 {
        let start = self.hops.len() as u32;
        let links = &self.path[route.range()];
        if let Some(first) = links.first().filter(|_| way.0 == ENDPOINTS) {
            self.ways.entered[place_of(*first) as usize] = true;
        }
        for (at, link) in links.iter().enumerate() {
            let then = links.get(at + 1);
            let in_step = then.map_or(ends_in_step, |then| self.feeders.single(*then));
            way.1 = way.1.saturating_add(self.links.line(*link).delay);
            if !in_step {
                let to = then.map_or(ENDPOINTS, |then| place_of(*then));
                self.ways.add(*way, to);
                *way = (to, Time::ZERO);
            }
            let next = if in_step { Next::InStep } else { Next::Event(0) };
            self.hops.push(Hop::Link { link: *link, next });
        }
        self.hops.push(end);
        start
    }
}
