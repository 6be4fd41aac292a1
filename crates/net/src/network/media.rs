//! Builds the media that links share.

use std::collections::BTreeMap;

use ackclock_units::{Role, Stream};

use super::Edge;
use crate::link::framing::Framing;
use crate::link::links::Links;
use crate::link::medium::Medium;
use crate::link::rate::RateSpec;
use crate::link::served::Shared;
use crate::packet::{LinkId, Names};
use crate::plan::{LinkSpec, Plan, PlanError};
use crate::queue::QueueSpec;

/// Distance between the names of a node's stations on two media: an odd number, so that each medium has its own.
const APART: u32 = 0x9e37_79b9;

/// Validates the media of a plan, and the links on them.
pub(super) fn check(plan: &Plan, edges: &[Edge<'_>]) -> Result<(), PlanError> {
    for (number, medium) in plan.media.iter().enumerate() {
        medium.check().map_err(|(field, problem)| PlanError::new(format!("media.{number}.{field}"), problem))?;
    }
    for (id, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.link.medium.is_some()) {
        let invalid = |(field, problem)| PlanError::new(format!("links.{id}.{field}"), problem);
        check_link(edge.link, plan.media.len()).map_err(invalid)?;
        if matches!(edge.link.queue, QueueSpec::Fq(_)) && plan.groups.iter().any(|group| group.ceiling.is_some()) {
            return Err(invalid((
                "queue",
                "must not be fq on a link that shares a medium while groups have a ceiling",
            )));
        }
    }
    Ok(())
}

/// Validates a link that shares one of `media` media.
fn check_link(link: &LinkSpec, media: usize) -> Result<(), (&'static str, &'static str)> {
    if link.medium.is_some_and(|medium| medium as usize >= media) {
        return Err(("medium", "must be the index of one of the media"));
    }
    if !matches!(link.rate, RateSpec::Constant(_)) {
        return Err(("rate", "must be constant on a link that shares a medium"));
    }
    if link.framing != Framing::default() {
        return Err(("framing", "must be absent on a link that shares a medium"));
    }
    if link.shaper.is_some() {
        return Err(("shaper", "must be absent on a link that shares a medium"));
    }
    if !link.stores_packets() {
        return Err(("queue", "must be a discipline that stores its packets on a link that shares a medium"));
    }
    Ok(())
}

/// The media of a plan while links are added to them.
#[derive(Debug)]
pub(super) struct Media<'a> {
    names: &'a Names,
    seed: u64,
    /// The stations, by medium and node, and the links on each medium, by their nodes.
    stations: BTreeMap<(u32, u32), u32>,
    members: BTreeMap<(u32, u32, u32), u32>,
}

impl<'a> Media<'a> {
    /// Adds the media of a plan to the links, without any link.
    pub(super) fn add(links: &mut Links, plan: &Plan, names: &'a Names, seed: u64) -> Self {
        for spec in &plan.media {
            links.add_medium(Medium::new(*spec, [plan.measure.from, plan.duration]));
        }
        Self { names, seed, stations: BTreeMap::new(), members: BTreeMap::new() }
    }

    /// Adds the next link that stores packets to its medium, if it has one.
    pub(super) fn place(&mut self, links: &mut Links, id: LinkId, edge: &Edge<'_>) -> Option<Shared> {
        let number = edge.link.medium?;
        let RateSpec::Constant(rate) = edge.link.rate else { return None };
        let served = links.count_served();
        let medium = links.medium(number);
        let station = *self.stations.entry((number, edge.from)).or_insert_with(|| {
            // nodes keep their global ids in a part of a plan
            let name = self.names.nodes.get(edge.from as usize).copied().unwrap_or(edge.from);
            // a node draws apart for each of its media
            let apart = name.wrapping_add(number.wrapping_mul(APART));
            medium.add_station(Stream::new(self.seed, Role::Station, apart))
        });
        let partner = self.members.get(&(number, edge.to, edge.from)).copied();
        let member = medium.add_link(id, served, station, partner, rate);
        self.members.insert((number, edge.from, edge.to), member);
        Some(Shared { medium: number, member })
    }
}
