//! Validation of the values of a plan.

use ackclock_tcp::{HEADER, MAX_SACK_BLOCKS};
use ackclock_units::Time;

use super::records::Of;
use super::{BANDS, MAX_WEIGHT, Plan, PlanError, RecordSpec, SourceSpec, Topology, TransportSpec};
use crate::sizes::LONGEST;
use crate::source::Unfinished;

impl Plan {
    /// Validates the values of a plan whose topology has `links` links, and whose groups have `flows` flows.
    pub(crate) fn check(&self, links: usize, flows: usize) -> Result<(), PlanError> {
        let measure = &self.measure;
        if self.duration == Time::ZERO || measure.from >= self.duration {
            return Err(PlanError::new(
                "measure.from",
                "must be before the end of the run, and the duration must be above 0 s",
            ));
        }
        if measure.bin == Time::ZERO {
            return Err(PlanError::new("measure.bin", "must be above 0 s"));
        }
        if let Some(link) = measure.links().find(|link| *link as usize >= links) {
            return Err(PlanError::new("measure.link", format!("{link} is not one of the {links} links")));
        }
        for (index, record) in self.records.iter().enumerate() {
            record.check(links, flows).map_err(|problem| PlanError::new(format!("records.{index}"), problem))?;
        }
        for (index, capture) in self.captures.iter().enumerate() {
            if let Some(link) = capture.links().find(|link| **link as usize >= links) {
                let problem = format!("{link} is not one of the {links} links");
                return Err(PlanError::new(format!("captures.{index}"), problem));
            }
        }
        let dumbbell = matches!(self.topology, Topology::Dumbbell { .. });
        for (index, group) in self.groups.iter().enumerate() {
            let invalid = |field: &str, problem: &str| Err(PlanError::new(format!("groups.{index}.{field}"), problem));
            if dumbbell != group.path.is_none() || group.path.is_some_and(|(from, to)| from == to) {
                return invalid("path", "must be two different nodes in a graph, and absent in a dumbbell");
            }
            if usize::from(group.priority) >= BANDS {
                return invalid("priority", "must be from 0 to 7");
            }
            if !(1..=MAX_WEIGHT).contains(&group.weight) {
                return invalid("weight", "must be from 1 to 1000");
            }
            if group.packet_size > LONGEST {
                return invalid("packet_size", "must be at most 65535 bytes, the longest IP packet (RFC 791)");
            }
            if let Err((field, problem)) = group.source.check() {
                return invalid(&format!("source.{field}"), problem);
            }
            if let Err((field, problem)) = group.check_changes() {
                return invalid(&field, &problem);
            }
            if let Some(schedule) = &group.schedule {
                if let Err((field, problem)) = schedule.check() {
                    return invalid(&format!("schedule.{field}"), problem);
                }
                // what is dropped would count as the rest of a transfer
                let never_ends = matches!(group.source, SourceSpec::Greedy { packets: None });
                let has_transfers = group.source.needs_pacing() && !matches!(group.source, SourceSpec::Greedy { .. });
                match schedule.unfinished {
                    Unfinished::Drained if never_ends => {
                        return invalid("schedule.unfinished", "must be dropped: an unlimited source never ends");
                    }
                    Unfinished::Dropped if has_transfers => {
                        return invalid(
                            "schedule.unfinished",
                            "must be drained: a transfer that has begun is completed",
                        );
                    }
                    _ => {}
                }
            }
            if let TransportSpec::Tcp { sender, receiver } = &group.transport {
                if receiver.sack_blocks as usize > MAX_SACK_BLOCKS {
                    return invalid("transport.receiver.sack_blocks", "must be at most 4 (RFC 2018, section 3)");
                }
                if sender.packet_size != group.packet_size || group.packet_size <= HEADER {
                    return invalid("packet_size", "must be above 40 bytes and equal to the sender's packet size");
                }
                if let Err(unfit) = sender.congestion.check_recovery(sender.recovery) {
                    return invalid("transport.sender.recovery", &unfit.problem);
                }
                if let Err(unfit) = sender.congestion.check_feedback(sender.ecn) {
                    return invalid("transport.sender.ecn", &unfit.problem);
                }
                if let Err(unfit) = sender.congestion.check_tick(sender.timer_tick) {
                    return invalid("transport.sender.timer_tick", &unfit.problem);
                }
                if sender.max_window == 0 || sender.initial_window == 0 || sender.rtt.clock == Time::ZERO {
                    return invalid("transport", "max_window, initial_window and clock must be above 0");
                }
            } else if group.packet_size == 0 {
                return invalid("packet_size", "must be above 0 bytes");
            } else if group.source.needs_pacing() {
                return invalid("source", "greedy sources and transfers need a transport that paces them");
            }
        }
        Ok(())
    }
}

impl RecordSpec {
    fn check(&self, links: usize, flows: usize) -> Result<(), &'static str> {
        let asked = self.asked();
        let count = if asked.of == Of::Links { links } else { flows };
        if asked.interval() == Some(Time::ZERO) {
            return Err("an interval must be above 0 s");
        }
        if asked.ids.iter().all(|id| (*id as usize) < count) {
            Ok(())
        } else {
            Err("refers to a link or flow that does not exist")
        }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_tcp::SenderConfig;
    use ackclock_tcp::congestion::{CubicRules, CubicSpec, LawSpec};

    use super::*;
    use crate::engine::simulator::Simulator;
    use crate::plan::testing::dumbbell_of_reno;

    #[test]
    fn packets_are_at_most_as_long_as_ip_packets() {
        let plan = |size| {
            let mut plan = dumbbell_of_reno(1);
            let group = &mut plan.groups[0];
            group.packet_size = size;
            if let TransportSpec::Tcp { sender, .. } = &mut group.transport {
                *sender = SenderConfig { packet_size: size, ..SenderConfig::default() }.into();
            }
            plan
        };
        Simulator::new(&plan(LONGEST), 1).expect("as long as allowed");
        let error = Simulator::new(&plan(LONGEST + 1), 1).expect_err("too long");
        assert_eq!(
            (&error.field[..], error.problem.starts_with("must be at most 65535")),
            ("groups.0.packet_size", true)
        );
    }
    #[test]
    fn cubic_with_the_rules_of_linux_counts_whole_ticks_per_second() {
        let plan = |rules, timer_tick| {
            let mut plan = dumbbell_of_reno(1);
            if let TransportSpec::Tcp { sender, .. } = &mut plan.groups[0].transport {
                let congestion = LawSpec::Cubic(CubicSpec { fast_convergence: true, rules });
                *sender = SenderConfig { congestion, timer_tick, ..(**sender).clone() }.into();
            }
            plan
        };
        for millis in [0, 1, 4, 10] {
            Simulator::new(&plan(CubicRules::Linux, Time::from_millis(millis)), 1).expect("ticks that divide a second");
        }
        let seven = Time::from_millis(7);
        Simulator::new(&plan(CubicRules::Rfc9438, seven), 1).expect("no ticks are counted");
        let error = Simulator::new(&plan(CubicRules::Linux, seven), 1).expect_err("142.9 ticks");
        assert_eq!(
            (&error.field[..], error.problem.contains("must divide 1 s")),
            ("groups.0.transport.sender.timer_tick", true)
        );
    }
}
