//! Lays out routes as hops and sets for each hop how packets reach the next hop.

use ackclock_units::Time;

use super::components::Transitions;
use super::steps::Feeders;
use super::unqueued::Unqueued;
use super::{Routed, Span};
use crate::engine::hop::{End, Hop};
use crate::engine::transit::Delays;
use crate::link::links::Links;
use crate::packet::LinkId;

/// Place number of the endpoints. (A place is where an event happens, see [`Transitions`].)
pub(super) const ENDPOINTS: u32 = 0;

/// Place number of a link.
pub(super) const fn place_of(link: LinkId) -> u32 {
    link.0 + 1
}

/// The table of hops during its construction.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    /// The links of all routes and their properties.
    pub(super) path: &'a [LinkId],
    pub(super) links: &'a Links,
    pub(super) feeders: &'a Feeders,
    pub(super) unqueued: &'a Unqueued,
    pub(super) hops: Vec<Hop>,
    pub(super) transitions: Transitions,
    pub(super) delays: Delays,
}

impl Layout<'_> {
    /// Lays out the routes of a flow. Returns the first hop of its data and of its ACKs.
    pub(super) fn add(&mut self, Routed { data, acks, answers_in_order, has_timer, .. }: &Routed) -> (u32, u32) {
        let mut last = (ENDPOINTS, Time::ZERO);
        let (path, first) = (self.path, self.path[acks.range()].first());
        let answers_in_step = *answers_in_order && first.is_none_or(|first| self.is_in_step(*first));
        let data_hop = self.add_route(*data, End::Receiver, answers_in_step, &mut last);
        if answers_in_step
            && *has_timer
            && let (Some(before), Some(first)) = (path[data.range()].last(), first)
        {
            let lead = self.links.line(*before).delay;
            last.1 = last.1.min(lead); // since the event of the timer
            self.delays.add(*first, lead);
        }
        (data_hop, self.add_route(*acks, End::Sender, false, &mut last))
    }

    /// Whether packets reach a link without an event.
    fn is_in_step(&self, link: LinkId) -> bool {
        self.feeders.only(link).is_some()
    }

    /// Lays out a route. `last` is the place of the last event, and the time since that event.
    fn add_route(&mut self, route: Span, end: End, ends_in_step: bool, last: &mut (u32, Time)) -> u32 {
        let start = self.hops.len();
        let links = &self.path[route.range()];
        if let Some(first) = links.first().filter(|_| last.0 == ENDPOINTS) {
            self.transitions.entered[place_of(*first) as usize] = true;
        }
        for (at, link) in links.iter().enumerate() {
            let then = links.get(at + 1);
            let in_step = then.map_or(ends_in_step, |then| self.is_in_step(*then));
            last.1 = last.1.saturating_add(self.links.line(*link).delay);
            let mut hop = self.unqueued.crossing(*link).map_or(Hop::new(*link), |time| Hop::unqueued(*link, time));
            if !in_step {
                let to = then.map_or(ENDPOINTS, |then| place_of(*then));
                self.transitions.add(*last, to);
                *last = (to, Time::ZERO);
                hop = hop.with_event();
            }
            self.hops.push(if then.is_none() { hop.with_end(end) } else { hop });
        }
        (start + Hop::merge(&mut self.hops[start..])) as u32
    }
}
