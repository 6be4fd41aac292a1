//! What happens to a packet after its transmission: losses, and outages that begin before its end.

use ackclock_units::{Stream, Time};

use crate::link::loss::{Loss, LossPlace};
use crate::link::rate::LinkRate;
use crate::packet::Packet;
use crate::plan::LinkSpec;

/// The conditions under which packets that were sent arrive.
#[derive(Debug)]
pub(crate) struct Exit {
    /// The rate of a link that has outages.
    down: Option<LinkRate>,
    loss: Option<Loss>,
}

impl Exit {
    /// The exit of a link; `None` if all packets arrive.
    pub(crate) fn new(spec: &LinkSpec, rate: &LinkRate, losses: Stream) -> Option<Box<Self>> {
        let down = spec.rate.has_outages().then(|| rate.clone());
        let loss = Loss::of(spec, LossPlace::After, losses);
        (down.is_some() || loss.is_some()).then(|| Box::new(Self { down, loss }))
    }

    /// Whether the packet is lost at `end`, the end of its transmission.
    pub(crate) fn loses(&mut self, packet: &Packet, end: Time) -> bool {
        self.down.as_ref().is_some_and(|rate| rate.is_down(end))
            || self.loss.as_mut().is_some_and(|loss| loss.loses(packet, false, end))
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + self.loss.as_ref().map_or(0, Loss::memory)
    }
}
