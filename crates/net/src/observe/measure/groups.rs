//! The flows of each group.

use std::ops::Range;

/// The flows of each group; flows are numbered through the groups in order.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// For each group: its flows, and those whose data crosses the measured link. Both are consecutive.
    flows: Vec<Range<u32>>,
    crossing: Vec<Range<u32>>,
    /// The group of each flow; empty if there is only one group.
    of_flow: Vec<u32>,
}

impl Groups {
    /// Groups of the given numbers of flows.
    pub(super) fn new(counts: impl Iterator<Item = u32>, mut crosses: impl FnMut(u32) -> bool) -> Self {
        let mut start = 0;
        let mut next = |count| {
            let flows = start..start + count;
            start = flows.end;
            flows
        };
        let flows: Vec<_> = counts.map(&mut next).collect();
        let mut crossing = |flows: &Range<u32>| {
            let first = flows.clone().find(|flow| crosses(*flow)).unwrap_or(flows.end);
            let end = (first..flows.end).find(|flow| !crosses(*flow)).unwrap_or(flows.end);
            debug_assert!((end..flows.end).all(|flow| !crosses(flow)), "a link is shared, or belongs to one client");
            first..end
        };
        let crossing = flows.iter().map(&mut crossing).collect();
        let mut of_flow = Vec::new();
        if flows.len() > 1 {
            of_flow.reserve_exact(start as usize);
            (0..).zip(&flows).for_each(|(group, flows)| of_flow.resize(flows.end as usize, group));
        }
        Self { flows, crossing, of_flow }
    }

    /// Number of groups.
    pub(super) const fn len(&self) -> usize {
        self.flows.len()
    }

    /// Number of flows.
    pub(super) fn flows(&self) -> usize {
        self.flows.last().map_or(0, |last| last.end as usize)
    }

    /// Memory in bytes per flow in a plan of `groups` groups.
    pub(super) const fn bytes_of_flow(groups: usize) -> usize {
        if groups > 1 { size_of::<u32>() } else { 0 }
    }

    /// The group of a flow.
    #[inline(always)]
    pub(super) fn of(&self, flow: usize) -> u32 {
        self.of_flow.get(flow).copied().unwrap_or(0)
    }

    /// The flows of a group.
    pub(super) fn flows_of(&self, group: usize) -> Range<usize> {
        let Range { start, end } = self.flows[group];
        start as usize..end as usize
    }

    /// The flows of a group whose data crosses the measured link.
    pub(super) fn crossing_of(&self, group: usize) -> Range<usize> {
        let Range { start, end } = self.crossing[group];
        start as usize..end as usize
    }

    /// All flows whose data crosses the measured link, in order.
    pub(super) fn crossing(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).flat_map(|group| self.crossing_of(group))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn groups_are_consecutive_flows(counts in prop::collection::vec(1_u32..6, 1..5), from in 0_u32..20, end in 0_u32..30) {
            let crosses = |flow: u32| (from..end).contains(&flow);
            let groups = Groups::new(counts.iter().copied(), crosses);
            let expected: Vec<u32> =
                (0..).zip(&counts).flat_map(|(group, count)| (0..*count).map(move |_| group)).collect();
            prop_assert_eq!((groups.len(), groups.flows()), (counts.len(), expected.len()));
            prop_assert_eq!((0..groups.flows()).map(|flow| groups.of(flow)).collect::<Vec<_>>(), &expected[..]);
            for (group, count) in counts.iter().enumerate() {
                prop_assert!(groups.flows_of(group).all(|flow| expected[flow] == group as u32));
                prop_assert_eq!(groups.flows_of(group).len(), *count as usize);
            }
            let crossing: Vec<usize> = (0..expected.len()).filter(|flow| crosses(*flow as u32)).collect();
            prop_assert_eq!(groups.crossing().collect::<Vec<_>>(), crossing);
        }
    }
}
