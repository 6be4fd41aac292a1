//! Loss recoveries that cannot work as their names say.

use crate::scene::{Group, Scene, Transport};

/// Reports groups whose recovery is RACK by RFC 8985, but whose connections have no SACK.
pub(crate) fn without_sack(scene: &Scene) -> Vec<String> {
    let lacks_sack = |group: &&Group| matches!(group.transport, Transport::Tcp { lacks_sack: true, .. });
    let notice = |group: &Group| {
        format!(
            "Group {} has no SACK (sack_blocks = 0), which RFC 8985 requires (section 4): recovery rack counts duplicate \
             ACKs by the rules of Linux, and sends no probes. Recovery newreno follows RFC 6582.",
            group.name
        )
    };
    scene.groups.iter().filter(lacks_sack).map(notice).collect()
}

#[cfg(test)]
mod tests {
    use ackclock_net::plan::TransportSpec;
    use ackclock_net::plan::testing::dumbbell_of_reno;
    use ackclock_tcp::recovery::RecoverySpec;
    use ackclock_tcp::{RackRule, SenderConfig};

    use super::*;
    use crate::scene::testing::scene_of;

    /// Validates: the notice depends on the recovery, its rules and SACK.
    /// Source: RFC 8985, section 4; Linux, `tcp_add_reno_sack`.
    /// Tolerance: exact.
    #[test]
    fn rack_of_the_rfc_needs_sack() {
        let notices = |recovery, rack, has_sack| {
            let mut plan = dumbbell_of_reno(1);
            if let TransportSpec::Tcp { sender, .. } = &mut plan.groups[0].transport {
                *sender = SenderConfig { recovery, rack, has_sack, ..(**sender).clone() }.into();
            }
            without_sack(&scene_of(&plan)).len()
        };
        assert_eq!(notices(RecoverySpec::Rack, RackRule::Rfc8985, false), 1);
        assert_eq!(notices(RecoverySpec::Rack, RackRule::Rfc8985, true), 0);
        assert_eq!(notices(RecoverySpec::Rack, RackRule::Linux, false), 0);
        assert_eq!(notices(RecoverySpec::Reno, RackRule::Rfc8985, false), 0);
    }
}
