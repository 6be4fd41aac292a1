//! The gauges of all disciplines: quantities of their state that the record `gauges` samples.
//!
//! Gauges have the names of the publications. A name means the same in every discipline that has it.

/// A quantity of a discipline's state.
#[derive(Clone, Copy, Debug)]
pub struct Gauge {
    /// Name, as in the publication.
    pub name: &'static str,
    /// Unit; empty for numbers without a unit.
    pub unit: &'static str,
    /// Meaning.
    pub doc: &'static str,
}

const fn gauge(name: &'static str, unit: &'static str, doc: &'static str) -> Gauge {
    Gauge { name, unit, doc }
}

/// All gauges.
pub const GAUGES: &[Gauge] = &[
    // RED: Floyd and Jacobson 1993; max_p is adapted as in Floyd, Gummadi and Shenker 2001
    gauge("avg", "", "RED: average queue at the last arrival, in the unit that RED counts, packets or bytes"),
    gauge("avg_max", "", "RED: highest average queue so far"),
    gauge("max_p", "", "RED: drop probability at max_th, which changes only with adaptive"),
    gauge("p_b", "", "RED: drop probability for the average, before it is spread evenly"),
    // CoDel: RFC 8289
    gauge(
        "count",
        "drops",
        "CoDel: drops or marks since the dropping state was entered; COBALT: number of the next drop, less decay",
    ),
    gauge("lastcount", "drops", "CoDel: the count when the dropping state was last entered"),
    gauge(
        "dropping",
        "",
        "CoDel, COBALT: 1 in the dropping state, otherwise 0; FQ-CoDel, CAKE: number of queues in it",
    ),
    gauge(
        "drop_interval",
        "s",
        "CoDel, COBALT: time between drops, interval / sqrt(count); null outside the dropping state",
    ),
    // COBALT: Palmei et al. 2019
    gauge("p_drop", "", "COBALT: drop probability of BLUE; CAKE: the highest one of all queues"),
    // PIE: RFC 8033
    gauge("drop_prob", "", "PIE: drop probability"),
    gauge("qdelay_old", "s", "PIE: queueing delay at the last update"),
    gauge("burst_allowance", "s", "PIE: time for which a burst is still let through"),
    gauge("accu_prob", "", "PIE: sum of the probabilities since the last drop, if derandomized"),
    // DualPI2: RFC 9332
    gauge("p_base", "", "DualPI2: base probability p' of the PI controller"),
    gauge("p_C", "", "DualPI2: probability of a drop or mark in the classic queue, the square of p_base"),
    gauge("p_CL", "", "DualPI2: coupled probability of a mark in the L4S queue, p_base times the coupling factor"),
    gauge("prevq", "s", "DualPI2: queueing delay at the last update"),
    // FQ-CoDel: RFC 8290; deficit round robin: Shreedhar and Varghese 1996
    gauge("new_queues", "queues", "FQ-CoDel, CAKE: queues in the list of new queues"),
    gauge("old_queues", "queues", "FQ-CoDel, CAKE: queues in the list of old queues"),
    gauge(
        "active_queues",
        "queues",
        "FQ-CoDel, CAKE, fair queueing: queues with packets, one for each active flow unless flows share a queue",
    ),
    gauge("ack_drops", "packets", "CAKE: ACKs that the filter has removed so far"),
    gauge("bands", "bands", "Strict priority: priorities of which packets wait"),
];

/// The names of [`GAUGES`], in order.
pub(crate) const NAMES: &[&str] = &{
    let (mut names, mut place) = ([""; GAUGES.len()], 0);
    while place < GAUGES.len() {
        names[place] = GAUGES[place].name;
        place += 1;
    }
    names
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_is_listed_once() {
        let mut names = NAMES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), GAUGES.len());
        assert_eq!(NAMES[0], GAUGES[0].name);
    }
}
