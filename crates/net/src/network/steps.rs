//! Which links are in step: entered only by what comes off one other link, in the order in which it comes.
//!
//! A FIFO link passes packets on in the order in which it accepted them. So whatever enters a link, or a receiver that answers
//! at once, from a single such link can be handled when that link accepts it, with the later time; only where paths merge,
//! and where an endpoint has timers of its own, does the order of events have to be found out.

use super::Routed;
use crate::packet::LinkId;
use crate::plan::{Plan, RecordSpec};

/// Who puts packets onto each link.
#[derive(Debug)]
pub(super) struct Feeders(Vec<Feeder>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feeder {
    Nobody,
    /// All that enters comes off this link, in order.
    Link(LinkId),
    /// Several links, or endpoints with timers of their own.
    Many,
}

impl Feeders {
    pub(super) fn of(path: &[LinkId], routed: &[Routed], links: usize, plan: &Plan) -> Self {
        let mut feeders = Self(vec![Feeder::Nobody; links]);
        for Routed { data, acks, answers_at_once } in routed {
            feeders.add_route(&path[data.range()], None);
            // ACKs that wait for nothing leave in the order in which data arrives
            let last = path[data.range()].last().copied().filter(|_| *answers_at_once);
            feeders.add_route(&path[acks.range()], last);
        }
        // a link that is looked at must not run ahead of the clock
        let sampled = plan.records.iter().filter_map(|record| match record {
            RecordSpec::Queue { links, .. } => Some(links),
            _ => None,
        });
        for link in sampled.flatten().chain([&plan.measure.link]) {
            feeders.0[*link as usize] = Feeder::Many;
        }
        feeders
    }

    fn add_route(&mut self, links: &[LinkId], mut before: Option<LinkId>) {
        for link in links {
            let feeder = &mut self.0[link.0 as usize];
            *feeder = match (*feeder, before) {
                (Feeder::Nobody, Some(before)) => Feeder::Link(before),
                (Feeder::Link(known), Some(before)) if known == before => Feeder::Link(known),
                _ => Feeder::Many,
            };
            before = Some(*link);
        }
    }

    /// Whether all that enters the link comes off one other link.
    pub(super) fn single(&self, link: LinkId) -> bool {
        matches!(self.0[link.0 as usize], Feeder::Link(_))
    }
}
