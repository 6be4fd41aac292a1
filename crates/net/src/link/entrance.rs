//! What happens to a packet before the queue of its link: losses, then a policer.

use ackclock_units::{Stream, Time};

use crate::link::framing::Framing;
use crate::link::loss::{Loss, LossPlace};
use crate::link::rate::LinkRate;
use crate::link::token_bucket::{BucketSpec, TokenBucket};
use crate::packet::Packet;
use crate::plan::LinkSpec;
use crate::queue::DropReason;

/// The conditions under which packets reach the queue of a link.
#[derive(Debug)]
pub(crate) struct Entrance {
    /// The rate of a link that has outages.
    down: Option<LinkRate>,
    loss: Option<Loss>,
    policer: Option<TokenBucket>,
    shaper: Option<BucketSpec>,
    framing: Framing,
}

impl Entrance {
    /// The entrance of a link; `None` if all packets reach the queue.
    pub(crate) fn new(spec: &LinkSpec, rate: &LinkRate, losses: Stream) -> Option<Box<Self>> {
        let down = spec.rate.has_outages().then(|| rate.clone());
        let loss = Loss::of(spec, LossPlace::Before, losses);
        let (policer, shaper, framing) = (spec.policer.map(TokenBucket::new), spec.shaper, spec.framing);
        let has_any = down.is_some() || loss.is_some() || policer.is_some() || shaper.is_some();
        has_any.then(|| Box::new(Self { down, loss, policer, shaper, framing }))
    }

    /// The reason for which the packet does not reach the queue of a link that is busy until `busy_until`, if there is one.
    pub(crate) fn refuses(&mut self, packet: &Packet, busy_until: Time, now: Time) -> Option<DropReason> {
        let size = packet.size();
        if self.down.as_ref().is_some_and(|rate| rate.is_down(now))
            || self.loss.as_mut().is_some_and(|loss| loss.loses(packet, busy_until <= now, now))
        {
            Some(DropReason::Lost)
        } else if self.shaper.is_some_and(|shaper| !shaper.admits(self.framing.bytes(size)))
            || self.policer.as_mut().is_some_and(|policer| !policer.take(size, now))
        {
            Some(DropReason::Policed)
        } else {
            None
        }
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + self.loss.as_ref().map_or(0, Loss::memory)
    }
}
