//! The flows of each group.

use std::ops::Range;

/// The flows of each group; flows are numbered through the groups in order.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// The flows of each group, which are consecutive.
    flows: Vec<Range<u32>>,
    /// The flows whose data crosses the measured link, as runs of consecutive flows of a group, in order; and the runs of
    /// each group.
    crossing: Vec<Range<u32>>,
    runs: Vec<Range<usize>>,
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
        let (mut crossing, mut runs) = (Vec::<Range<u32>>::new(), Vec::with_capacity(flows.len()));
        for group in &flows {
            let first = crossing.len();
            for flow in group.clone().filter(|flow| crosses(*flow)) {
                match crossing[first..].last_mut() {
                    Some(run) if run.end == flow => run.end += 1,
                    _ => crossing.push(flow..flow + 1),
                }
            }
            runs.push(first..crossing.len());
        }
        let mut of_flow = Vec::new();
        if flows.len() > 1 {
            of_flow.reserve_exact(start as usize);
            (0..).zip(&flows).for_each(|(group, flows)| of_flow.resize(flows.end as usize, group));
        }
        Self { flows, crossing, runs, of_flow }
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

    /// The flows of a group whose data crosses the measured link, in order.
    pub(super) fn crossing_of(&self, group: usize) -> impl Iterator<Item = usize> {
        self.crossing[self.runs[group].clone()].iter().flat_map(|run| run.start as usize..run.end as usize)
    }

    /// Whether the data of a flow crosses the measured link.
    pub(super) fn crosses(&self, flow: usize) -> bool {
        let run = self.crossing.partition_point(|run| run.end as usize <= flow);
        self.crossing.get(run).is_some_and(|run| run.start as usize <= flow)
    }

    /// All flows whose data crosses the measured link, as ranges in order.
    pub(super) fn crossing(&self) -> Vec<Range<usize>> {
        self.crossing.iter().map(|run| run.start as usize..run.end as usize).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn groups_are_consecutive_flows(
            counts in prop::collection::vec(1_u32..6, 1..5),
            marked in prop::collection::vec(any::<bool>(), 20),
        ) {
            let crosses = |flow: u32| marked[flow as usize];
            let groups = Groups::new(counts.iter().copied(), crosses);
            let expected: Vec<u32> =
                (0..).zip(&counts).flat_map(|(group, count)| (0..*count).map(move |_| group)).collect();
            prop_assert_eq!((groups.len(), groups.flows()), (counts.len(), expected.len()));
            prop_assert_eq!((0..groups.flows()).map(|flow| groups.of(flow)).collect::<Vec<_>>(), &expected[..]);
            let crossing: Vec<usize> = (0..expected.len()).filter(|flow| crosses(*flow as u32)).collect();
            for (group, count) in counts.iter().enumerate() {
                prop_assert!(groups.flows_of(group).all(|flow| expected[flow] == group as u32));
                prop_assert_eq!(groups.flows_of(group).len(), *count as usize);
                let own: Vec<usize> = crossing.iter().copied().filter(|flow| expected[*flow] == group as u32).collect();
                prop_assert_eq!(groups.crossing_of(group).collect::<Vec<_>>(), own);
            }
            prop_assert!((0..expected.len()).all(|flow| groups.crosses(flow) == crosses(flow as u32)));
            prop_assert_eq!(groups.crossing().into_iter().flatten().collect::<Vec<_>>(), crossing);
        }
    }
}
