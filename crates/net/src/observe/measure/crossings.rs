//! The data packets of flows at the measured link.

use ackclock_units::Time;

use super::ratio;
use crate::link::Offered;
use crate::packet::{FlowId, Packet};

/// The data packets of all flows at the measured link.
#[derive(Clone, Debug)]
pub(super) struct Crossings {
    from: Time,
    length: u64,
    /// By flow.
    offers: Vec<Offers>,
    /// By group: bytes of packets whose transmission began before the measured time, without SYNs and without packets
    /// that the link lost afterwards.
    before: Vec<u64>,
}

/// Packets of a flow, including its SYNs, that the link was offered in the measured time, and packets that it dropped
/// in this time.
#[derive(Clone, Copy, Debug, Default)]
struct Offers {
    arrivals: u64,
    drops: u64,
}

impl Crossings {
    /// Memory in bytes per flow.
    pub(super) const BYTES_OF_FLOW: usize = size_of::<Offers>();

    pub(super) fn new(flows: usize, groups: usize, from: Time, end: Time) -> Self {
        let length = (end - from).as_picos();
        Self { from, length, offers: vec![Offers::default(); flows], before: vec![0; groups] }
    }

    /// Whether `now` is in the measured time.
    #[inline(always)]
    fn is_measured(&self, now: Time) -> bool {
        now.as_picos().wrapping_sub(self.from.as_picos()) < self.length
    }

    /// Counts a packet of a group that is offered to the link.
    #[inline(always)]
    pub(super) fn offered(&mut self, now: Time, packet: &Packet, group: usize, offered: Offered) {
        let FlowId(flow) = packet.flow();
        if self.is_measured(now) {
            let offers = &mut self.offers[flow as usize];
            offers.arrivals += 1;
            if matches!(offered, Offered::Dropped(_)) {
                offers.drops += 1;
            }
        } else {
            self.sent(packet, group, offered);
        }
    }

    /// Counts a stored packet of a group that leaves the link's queue.
    pub(super) fn left(&mut self, now: Time, packet: &Packet, group: usize, fate: Offered) {
        let FlowId(flow) = packet.flow();
        match fate {
            Offered::Dropped(_) => self.offers[flow as usize].drops += u64::from(self.is_measured(now)),
            _ => self.sent(packet, group, fate),
        }
    }

    /// Counts a packet that is sent before the measured time.
    #[inline(never)]
    fn sent(&mut self, packet: &Packet, group: usize, offered: Offered) {
        if let Offered::Accepted { start, lost: false, .. } = offered
            && start < self.from
            && !packet.is_syn()
        {
            self.before[group] += u64::from(packet.size());
        }
    }

    /// Share of a flow's packets that the link dropped; `None` if it was offered none.
    pub(super) fn loss(&self, flow: usize) -> Option<f64> {
        let Offers { arrivals, drops } = self.offers[flow];
        ratio(drops as f64, arrivals as f64)
    }

    /// Bytes of a group's data whose transmission began before the measured time.
    pub(super) fn before(&self, group: usize) -> u64 {
        self.before[group]
    }
}
