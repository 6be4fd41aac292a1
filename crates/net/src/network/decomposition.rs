//! Splits a plan into parts that do not affect each other.
//!
//! Flows that share no link, directly or through other flows, are independent. Each link is a node of a graph, joined
//! to the other links that its flows cross, and the parts are the connected components of that graph (Qiu, Zhang and
//! Keshav, *Understanding the performance of many TCP flows*, section 2.2). In this implementation links are directed,
//! ACKs count in the same way as data, and all links count, not only access links. Each part is a plan of its own. Its
//! links, flows and nodes keep their global ids, which determine ties and random numbers, so that every part runs exactly as
//! it does in an undivided run.

use std::collections::{BTreeMap, BTreeSet};

use super::choice::Choice;
use super::components::Places;
use super::routes::{Router, stops};
use super::{checked_edges, sharing};
use crate::packet::{Name, Names};
use crate::plan::records::{Asked, Of};
use crate::plan::{
    CaptureSpec, EdgeSpec, FlowChange, GroupSpec, MeasureSpec, Plan, PlanError, RecordSpec, Tap, Topology,
};

/// A part of a plan, independent of the other parts.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) plan: Plan,
    pub(crate) names: Names,
    /// Groups of the part, by index in the whole plan.
    pub(crate) groups: Vec<u32>,
    /// Whether the part contains the measured link; if not, an idle link takes its place.
    pub(crate) is_measured: bool,
}

/// Splits a plan into parts, in the order of their first groups. `None` if it cannot be split, as for every dumbbell.
///
/// # Errors
/// If the plan contradicts itself.
pub(crate) fn decompose(plan: &Plan) -> Result<Option<Vec<Part>>, PlanError> {
    let Topology::Graph { nodes, links } = &plan.topology else { return Ok(None) };
    let edges = checked_edges(plan)?.1;
    let mut router = Router::new(*nodes, &edges, Choice { paths: plan.paths, ..Choice::default() })?;
    let mut places = Places::new(links.len());
    for (first, other) in sharing(&edges) {
        places.join(first, other);
    }
    let mut crossed = Vec::with_capacity(plan.groups.len());
    for (place, group) in (0..).zip(&plan.groups) {
        let ends = group.path.unwrap_or_default();
        router.ways(place, group, ends, Name(0))?;
        // a seed decides which of these links a flow crosses
        let mut links = Vec::new();
        for via in group.vias() {
            let mut stops = stops(ends, via);
            links.extend(router.spread(&stops));
            if group.has_answers() {
                stops.reverse();
                links.extend(router.spread(&stops));
            }
        }
        let links: Vec<_> = links.into_iter().map(|(link, _)| link).collect();
        links.windows(2).for_each(|pair| places.join(pair[0].0, pair[1].0));
        crossed.push(links);
    }
    let mut parts: BTreeMap<u32, Members> = BTreeMap::new();
    let mut flow = 0;
    for ((place, group), links) in (0..).zip(&plan.groups).zip(crossed) {
        let members = parts.entry(places.find(links[0].0)).or_default();
        members.groups.push(place);
        members.links.extend(links.iter().map(|link| link.0));
        members.flows.extend(flow..flow + group.flows());
        flow += group.flows();
    }
    if parts.len() < 2 {
        return Ok(None);
    }
    let mut parts: Vec<Members> = parts.into_values().collect();
    parts.sort_by_key(|members| members.groups[0]);
    // links that are recorded but not used by any flow are assigned to the part of their medium, or to the first part
    let medium_of = |link: &u32| links[*link as usize].link.medium;
    let used: BTreeSet<u32> = parts.iter().flat_map(|members| members.links.iter().copied()).collect();
    for link in plan.observed_links().filter(|link| !used.contains(link)) {
        let shares = |part: &Members| {
            medium_of(&link).is_some() && part.links.iter().any(|own| medium_of(own) == medium_of(&link))
        };
        let part = parts.iter().position(shares).unwrap_or_default();
        parts[part].links.insert(link);
    }
    Ok(Some(parts.into_iter().map(|members| members.part(plan, links)).collect()))
}

/// The members of a part, by their global ids.
#[derive(Debug, Default)]
struct Members {
    groups: Vec<u32>,
    flows: Vec<u32>,
    links: BTreeSet<u32>,
}

impl Members {
    fn part(self, whole: &Plan, edges: &[EdgeSpec]) -> Part {
        let Self { groups, flows, mut links } = self;
        let own = links.clone();
        let is_measured = !links.insert(whole.measure.link);
        let edges: Vec<&EdgeSpec> = links.iter().map(|link| &edges[*link as usize]).collect();
        let nodes = Numbers::of(edges.iter().flat_map(|edge| [edge.from, edge.to]));
        let (link_numbers, flow_numbers) = (Numbers::of(links.iter().copied()), Numbers::of(flows.iter().copied()));
        let kept = |numbers: &Numbers, among: &dyn Fn(u32) -> bool, ids: &[u32]| -> Vec<u32> {
            ids.iter().filter(|id| among(**id)).filter_map(|id| numbers.get(*id)).collect()
        };
        let links_kept = |ids: &[u32]| kept(&link_numbers, &|link| own.contains(&link), ids);
        let flows_kept = |ids: &[u32]| kept(&flow_numbers, &|_| true, ids);
        let renumbered = |group: &u32| {
            let group = &whole.groups[*group as usize];
            let path = group.path.and_then(|(from, to)| Some((nodes.get(from)?, nodes.get(to)?)));
            let renumbered = |via: &[u32]| via.iter().filter_map(|node| nodes.get(*node)).collect();
            let changes = group.changes.iter().map(|change| {
                let via = change.via.as_deref().map(renumbered);
                FlowChange { via, ..change.clone() }
            });
            GroupSpec { path, via: renumbered(&group.via), changes: changes.collect(), ..group.clone() }
        };
        let measure = MeasureSpec {
            link: link_numbers.get(whole.measure.link).unwrap_or_default(),
            others: links_kept(&whole.measure.others),
            ..whole.measure.clone()
        };
        let edge = |edge: &&EdgeSpec| EdgeSpec {
            from: nodes.get(edge.from).unwrap_or_default(),
            to: nodes.get(edge.to).unwrap_or_default(),
            link: edge.link.clone(),
        };
        let plan = Plan {
            duration: whole.duration,
            paths: whole.paths,
            measure,
            topology: Topology::Graph { nodes: nodes.0.len() as u32, links: edges.iter().map(edge).collect() },
            media: whole.media.clone(),
            groups: groups.iter().map(renumbered).collect(),
            records: whole.records.iter().map(|record| record.of_part(&links_kept, &flows_kept)).collect(),
            captures: whole.captures.iter().map(|capture| capture.of_part(&links_kept)).collect(),
        };
        let names = Names { links: links.into_iter().collect(), flows, nodes: nodes.0 };
        Part { plan, names, groups, is_measured }
    }
}

/// Local ids from 0 for a subset of the global ids, in order.
#[derive(Debug)]
struct Numbers(Vec<u32>);

impl Numbers {
    fn of(all: impl Iterator<Item = u32>) -> Self {
        let all: BTreeSet<u32> = all.collect();
        Self(all.into_iter().collect())
    }

    fn get(&self, number: u32) -> Option<u32> {
        self.0.binary_search(&number).ok().map(|place| place as u32)
    }
}

impl RecordSpec {
    /// This record restricted to a part.
    fn of_part(&self, links_kept: &dyn Fn(&[u32]) -> Vec<u32>, flows_kept: &dyn Fn(&[u32]) -> Vec<u32>) -> Self {
        let Asked { of, ids, .. } = self.asked();
        let kept = if of == Of::Links { links_kept(ids) } else { flows_kept(ids) };
        let mut record = self.clone();
        *record.ids_mut() = kept;
        record
    }
}

impl CaptureSpec {
    /// This capture restricted to a part.
    fn of_part(&self, links_kept: &dyn Fn(&[u32]) -> Vec<u32>) -> Self {
        let kept = |tap: &Tap| links_kept(&[tap.link]).first().map(|link| Tap { link: *link, ..*tap });
        Self { taps: self.taps.iter().filter_map(kept).collect() }
    }
}
