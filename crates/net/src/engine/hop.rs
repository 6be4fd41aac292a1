//! Routes, as a table of hops.
//!
//! A packet may have to wait where routes merge and where it enters a slower link. At a link where neither is the case,
//! no packet ever waits (`network/unqueued.rs`). Packets cross such an *unqueued* link in constant time, and it has no
//! state. Unqueued links are therefore not processed one by one: their crossing times are part of the hop to the next
//! link.

use ackclock_units::Time;

use crate::packet::LinkId;

/// A link of a route, and the unqueued links before it. The link itself may be unqueued if an event or an end follows.
///
/// The table has an entry for each link. The entries of links that are part of a later hop come directly before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    /// Time in which packets without SACK blocks cross the unqueued links of the hop.
    pub(crate) delay: Time,
    pub(crate) link: LinkId,
    /// From the lowest bit: the distance to the next hop of the route, 1 at its end, in 8 bits; the component of the event at
    /// the end of the hop, if there is one, in 16 bits; the flags; and the end of the route in the bits of a [`Stop`].
    way: u32,
}

const _: () = assert!(size_of::<Hop>() == 16, "four hops per cache line");

/// A point on a route that a packet reaches: a link, as the index of its hop, or one of the two ends.
///
/// The upper two bits state which. At an end, the other bits are one more than the index
/// of the last hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop(pub(crate) u32);

impl Stop {
    const INDEX_BITS: u32 = 30;
    const INDEX: u32 = (1 << Self::INDEX_BITS) - 1;
    /// Upper limit of all stops.
    pub(crate) const LIMIT: u32 = 3 << Self::INDEX_BITS;

    pub(crate) const fn index(self) -> usize {
        (self.0 & Self::INDEX) as usize
    }

    #[inline(always)]
    pub(crate) const fn is_link(self) -> bool {
        self.0 >> Self::INDEX_BITS == 0
    }

    #[inline(always)]
    pub(crate) const fn is_sender(self) -> bool {
        self.0 >> Self::INDEX_BITS == End::Sender as u32
    }
}

/// An end of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Receiver = 1,
    Sender = 2,
}

impl Hop {
    const STEP: u32 = 0xff;
    const COMPONENT_AT: u32 = 8;
    const UNQUEUED: u32 = 1 << 24;
    const EVENT: u32 = 1 << 25;
    /// Part of a later hop.
    const MERGED: u32 = 1 << 26;
    const END: u32 = 3 << Stop::INDEX_BITS;

    /// A hop that consists of one link, with no event at its end.
    pub(crate) const fn new(link: LinkId) -> Self {
        Self { delay: Time::ZERO, link, way: 1 }
    }

    /// A hop that consists of one unqueued link.
    pub(crate) const fn unqueued(link: LinkId, delay: Time) -> Self {
        Self { delay, link, way: Self::UNQUEUED | 1 }
    }

    /// The same hop, at whose end packets arrive by an event.
    #[must_use]
    pub(crate) const fn with_event(self) -> Self {
        Self { way: self.way | Self::EVENT, ..self }
    }

    /// The same hop, at whose end packets arrive without an event.
    #[must_use]
    pub(crate) const fn without_event(self) -> Self {
        Self { way: self.way & !Self::EVENT, ..self }
    }

    /// The same hop as the last one of a route.
    #[must_use]
    pub(crate) const fn with_end(self, end: End) -> Self {
        Self { way: self.way | (end as u32) << Stop::INDEX_BITS, ..self }
    }

    /// Sets the component of the event at the end of the hop.
    pub(crate) const fn set_component(&mut self, component: u16) {
        self.way = self.way & !((u16::MAX as u32) << Self::COMPONENT_AT) | (component as u32) << Self::COMPONENT_AT;
    }

    /// Merges each unqueued link of a route with the hop after it, where no event comes in between. Returns the index
    /// of the first hop that remains.
    pub(crate) fn merge(route: &mut [Self]) -> usize {
        let (mut first, mut before): (Option<usize>, Option<usize>) = (None, None);
        for index in 0..route.len() {
            let Self { delay, way, .. } = route[index];
            // the distance between hops must fit into a byte
            if way == Self::UNQUEUED | 1 && index - before.unwrap_or_default() < usize::from(u8::MAX) {
                route[index].way |= Self::MERGED;
                route[index + 1].delay += delay;
                continue;
            }
            if let Some(before) = before {
                route[before].way = route[before].way & !Self::STEP | (index - before) as u32;
            }
            first = first.or(Some(index));
            before = Some(index);
        }
        first.unwrap_or_default()
    }

    /// Whether the link, too, is unqueued.
    #[inline(always)]
    pub(crate) const fn is_unqueued(self) -> bool {
        self.way & Self::UNQUEUED != 0
    }

    /// Whether packets arrive at the end of the hop by an event.
    #[inline(always)]
    pub(crate) const fn has_event(self) -> bool {
        self.way & Self::EVENT != 0
    }

    /// Component of the event at the end of the hop.
    #[inline(always)]
    pub(crate) const fn component(self) -> usize {
        (self.way >> Self::COMPONENT_AT) as u16 as usize
    }

    /// Whether the route ends with this hop.
    #[inline(always)]
    pub(crate) const fn is_last(self) -> bool {
        self.way & Self::END != 0
    }

    /// The point on the route after this hop, which has the given index.
    #[inline(always)]
    pub(crate) const fn stop(self, index: u32) -> Stop {
        Stop(index + (self.way & (Self::END | Self::STEP)))
    }

    /// The entries of the links of a hop in the table of hops.
    pub(crate) fn links_of(hops: &[Self], hop: u32) -> &[Self] {
        let hop = hop as usize;
        let before = hops[..hop].iter().rev().take_while(|hop| hop.way & Self::MERGED != 0).count();
        &hops[hop - before..=hop]
    }

    /// The links of the route that begins with hop `first`.
    pub(crate) fn links_from(hops: &[Self], first: u32) -> impl Iterator<Item = LinkId> {
        let begin = first as usize + 1 - Self::links_of(hops, first).len();
        let mut is_past = false;
        hops[begin..].iter().take_while(move |hop| !std::mem::replace(&mut is_past, hop.is_last())).map(|hop| hop.link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(hops: &[Hop], first: u32) -> Vec<u32> {
        Hop::links_from(hops, first).map(|LinkId(link)| link).collect()
    }

    #[test]
    fn unqueued_links_join_the_next_hop() {
        let time = Time::from_picos;
        let unqueued = |link| Hop::unqueued(LinkId(link), time(u64::from(link)));
        let mut hops = vec![Hop::new(LinkId(9)).with_event().with_end(End::Receiver)];
        hops.extend([unqueued(1), unqueued(2), Hop::new(LinkId(3)).with_event(), Hop::new(LinkId(4))]);
        hops.extend([unqueued(5), unqueued(6).with_event(), unqueued(7).with_end(End::Sender)]);
        hops.push(Hop::new(LinkId(8)));
        assert_eq!(Hop::merge(&mut hops[1..8]), 2);
        // from link 3 to links 4, 6 and 7
        let mut index = 3;
        let mut route = Vec::new();
        loop {
            let hop = hops[index as usize];
            route.push((hop.link.0, hop.delay, Hop::links_of(&hops, index).len(), hop.is_unqueued(), hop.has_event()));
            let stop = hop.stop(index);
            assert_eq!((stop.is_link(), stop.is_sender()), (!hop.is_last(), hop.is_last()));
            if hop.is_last() {
                assert_eq!(stop.index(), 8);
                break;
            }
            index = stop.0;
        }
        let expected = [
            (3, time(1 + 2), 3, false, true),
            (4, Time::ZERO, 1, false, false),
            (6, time(5 + 6), 2, true, true),
            (7, time(7), 1, true, false),
        ];
        assert_eq!(route, expected);
        assert_eq!((links(&hops, 3), links(&hops, 0)), ((1..8).collect(), vec![9]));
    }

    #[test]
    fn a_hop_has_a_maximum_number_of_links() {
        let mut hops = vec![Hop::unqueued(LinkId(0), Time::SECOND); 1_000];
        hops.push(Hop::new(LinkId(1)).with_end(End::Sender));
        let mut index = Hop::merge(&mut hops) as u32;
        let mut sum = hops[index as usize].delay;
        while !hops[index as usize].is_last() {
            index = hops[index as usize].stop(index).0;
            sum += hops[index as usize].delay;
        }
        assert_eq!((sum, index), (Time::SECOND.saturating_mul(1_000), 1_000));
    }
}
