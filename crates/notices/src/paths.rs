//! Links of other shortest paths that carry nothing.

use ackclock_net::plan::{Paths, Unused};

use crate::scene::Scene;

const MOST_NAMED: usize = 6;

/// Reports the links on shortest paths that no flow crosses.
pub(crate) fn unused(scene: &Scene, Unused { flows, links, idle }: &Unused) -> Option<String> {
    if idle.is_empty() {
        return None;
    }
    let mut names: Vec<&str> =
        idle.iter().take(MOST_NAMED).map(|link| scene.lines[*link as usize].name.as_str()).collect();
    if idle.len() > MOST_NAMED {
        names.push("…");
    }
    let (who, have) = if *flows == 1 { ("1 flow", "has") } else { (&*format!("{flows} flows"), "have") };
    let why = match scene.paths {
        Paths::First => "all flows between two nodes take the first path, in the order of links",
        Paths::Ecmp => "a hash of each flow selects its path, and other seeds select others",
        Paths::EcmpPolarised => "all nodes select with the same hash, so that some paths are never selected",
    };
    let few = format!("{} of the {links} links on these paths carry nothing", idle.len());
    Some(format!("{who} {have} several paths with as few links: {why}. {few}: {}.", names.join(", ")))
}
