//! Finds the flows whose senders may act ahead of the clock (`engine/transit/ahead.rs`).

use ackclock_tcp::HEADER;
use ackclock_tcp::congestion::LawSpec;
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_units::Time;

use super::Routed;
use crate::engine::hop::Hop;
use crate::engine::transit::Local;
use crate::link::links::Links;
use crate::packet::LinkId;
use crate::plan::{GroupSpec, TransportSpec};

/// Maximum window of a local flow in segments: an event in which the sender acts ahead may send as many.
const MOST_WINDOW: u32 = 1 << 16;

/// The number of routes that cross each link.
pub(super) fn users(path: &[LinkId], routed: &[Routed], links: usize) -> Vec<u32> {
    let mut users = vec![0; links];
    for Routed { data, acks, .. } in routed {
        for LinkId(link) in path[data.range()].iter().chain(&path[acks.range()]) {
            users[*link as usize] += 1;
        }
    }
    users
}

/// Makes a flow of `group` local if its sender may act ahead. `data` and `acks` are the first hops of its routes, and `users`
/// the numbers of routes that cross each link.
pub(super) fn localize(
    group: &GroupSpec,
    (data, acks): (u32, u32),
    hops: &mut [Hop],
    links: &Links,
    users: &[u32],
) -> Option<Local> {
    let TransportSpec::Tcp { sender, receiver } = &group.transport else { return None };
    // what else may happen at a sender, or must happen in the order of all senders; a sender with RACK usually has an ACK
    // with an event in flight, after which all others need one
    let has_more = group.has_transfers()
        || group.schedule.is_some()
        || !group.changes.is_empty()
        || sender.max_window > MOST_WINDOW
        || sender.limit_output_bytes > 0
        || sender.recovery == RecoverySpec::Rack
        || receiver.has_timer()
        || matches!(sender.congestion, LawSpec::Foreign(_));
    if has_more || !hops[data as usize].has_event() || hops[data as usize].is_last() {
        return None;
    }
    let (arrives, end) = (indices(hops, data).last()?, indices(hops, acks).last()?);
    let is_in_step = |index: u32| !hops[index as usize].has_event();
    if !is_in_step(arrives) || !indices(hops, acks).all(|index| index == end || is_in_step(index)) {
        return None;
    }
    let (first, last) = (Hop::links_of(hops, data).first()?.link, hops[end as usize]);
    if users[first.0 as usize] > 1 || links.plain_rate(first).is_none() {
        return None;
    }
    let gap = links.plain_rate(last.link)?.transmission_time(HEADER, Time::ZERO);
    hops[end as usize] = last.without_event();
    Some(Local { stop: last.stop(end), gap, last: Time::ZERO })
}

/// The hops of a route, by their indices.
fn indices(hops: &[Hop], first: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(first), |index| {
        let hop = hops[*index as usize];
        (!hop.is_last()).then(|| hop.stop(*index).0)
    })
}
