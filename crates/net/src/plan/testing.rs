//! Example plans for tests and documentation.

use std::sync::Arc;

use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{ReceiverConfig, SenderConfig};
use ackclock_units::{Rate, Time};

use super::{GroupSpec, LinkSpec, MeasureSpec, Plan, SourceSpec, Topology, TransportSpec};
use crate::network::Paths;
use crate::queue::{DropFrom, DropTailSpec, Limit, QueueSpec, Ties};

/// The burstiness paper's dumbbell with `count` Reno clients for ten simulated seconds.
pub fn dumbbell_of_reno(count: u32) -> Plan {
    let queue = |packets| {
        QueueSpec::DropTail(DropTailSpec {
            limit: Limit::Packets(packets),
            count_in_service: true,
            ties: Ties::Departure,
            mark_above: 0,
            drop: DropFrom::Tail,
        })
    };
    let link = |mbps, packets| LinkSpec::plain(Rate::from_mbps(mbps).into(), Time::from_millis(25), queue(packets));
    Plan {
        duration: Time::SECOND.saturating_mul(10),
        measure: MeasureSpec {
            from: Time::ZERO,
            bin: Time::from_millis(100),
            link: 0,
            others: Vec::new(),
            convergence: None,
        },
        topology: Topology::Dumbbell {
            bottleneck: link(50, 50),
            reverse: link(50, 100_000),
            access: vec![(link(10, 100_000), link(10, 100_000))],
        },
        paths: Paths::First,
        media: Vec::new(),
        groups: vec![GroupSpec {
            via: Vec::new(),
            changes: Vec::new(),
            count,
            path: None,
            reverse: false,
            packet_size: 1500,
            start: Time::ZERO,
            spread: Time::ZERO,
            schedule: None,
            priority: 0,
            weight: 1,
            ceiling: None,
            dscp: 0,
            transport: TransportSpec::Tcp {
                sender: Arc::new(SenderConfig {
                    recovery: RecoverySpec::Reno,
                    max_window: 20,
                    ..SenderConfig::default()
                }),
                receiver: ReceiverConfig { delayed_ack: false, sack_blocks: 0, ..ReceiverConfig::default() },
            },
            source: SourceSpec::Poisson { rate: 100.0 },
        }],
        records: Vec::new(),
        captures: Vec::new(),
    }
}
