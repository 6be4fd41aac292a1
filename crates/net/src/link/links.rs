//! All links of a network. Each link is kept in the shorter of two forms that can represent its present state.
//!
//! Most links are drop-tail links with a constant rate, and most of the time all their pending packets have one size.
//! The end of the last transmission is then the only state of such a link. It is kept in *short form*: 32 bytes, which
//! are all that the next packet of this size needs. Other properties are shared by links that are alike ([`Kind`]).
//!
//! A packet that the short form does not handle, because it has another size or may have to be dropped, goes through a
//! [`Link`] that is made from the short form. If the link then has pending packets of several sizes, it stays in this
//! *long form* until a packet that needs it finds them sent. Meanwhile, packets of the last size take the same fast path if
//! the queue certainly has room; the next packet that needs the long form adds them to it. Links with another discipline,
//! a varying rate or delay, or losses always have the long form.
//!
//! Exactly one of the two forms owns the state of a link, except for the packets that a link in long form has yet to add.
//! Links whose discipline stores the packets have a form of their own ([`ServedLink`]).

use ackclock_units::Time;
use ackclock_units::prefetch::prefetch;

use crate::link::backlog::Closed;
use crate::link::medium::{Exchange, Medium};
use crate::link::rate::LinkRate;
use crate::link::served::{ServedLink, Shared};
use crate::link::short::{FastPath, Kind, Line, Sent};
use crate::link::{Link, Offered};
use crate::packet::{LinkId, Packet};
use crate::storage::pool::Pool;

/// The present form of a link: the index of its kind if it is short, and of its state otherwise.
#[derive(Clone, Copy, Debug)]
enum Form {
    Short(u32),
    Long(u32),
    Served(u32),
}

/// A link in long form, and the index of its kind if it can return to the short form. Packets that have taken the fast path
/// since its last offer are yet to be [added](Link::extend).
#[derive(Debug)]
struct Long {
    link: Link,
    kind: Option<u32>,
}

/// The links of a network.
#[derive(Debug)]
pub(crate) struct Links {
    paths: Vec<FastPath>,
    forms: Vec<Form>,
    kinds: Vec<Kind>,
    long: Pool<Long>,
    served: Vec<ServedLink>,
    media: Vec<Medium>,
    /// Empty memory for the closed runs of backlogs, kept so that changes of form do not allocate.
    #[expect(clippy::vec_box, reason = "a backlog takes and returns the box")]
    spare: Vec<Box<Closed>>,
    /// Maximum time from the arrival of a packet at a fast path until its arrival at the far end, so that no packet
    /// reaches the end of time on its way.
    far: Time,
}

/// A link of either kind, for inspection of its state.
#[derive(Debug)]
pub enum Inspected<'a> {
    /// A link whose discipline decides at arrival.
    Link(&'a mut Link),
    /// A link whose discipline stores the packets.
    Served(&'a mut ServedLink),
}

impl Inspected<'_> {
    /// Number of packets and bytes waiting at `now`, excluding the packet in transmission. `now` must not be before the
    /// last event of the link. A transmission that starts at `now` may not have started yet.
    pub fn backlog(&mut self, now: Time) -> (u64, u64) {
        match self {
            Self::Link(link) => link.backlog(now),
            Self::Served(link) => link.backlog(),
        }
    }

    /// Average queue length that the discipline computed at the last arrival, in the discipline's unit; NaN if it
    /// computes no average.
    pub fn average(&self) -> f64 {
        match self {
            Self::Link(link) => link.average(),
            Self::Served(_) => f64::NAN,
        }
    }

    /// Calls `visit` with the name and value at `now` of each gauge of the discipline. `now` must not be before the last
    /// event of the link.
    pub fn gauges(&mut self, now: Time, visit: &mut dyn FnMut(&'static str, f64)) {
        match self {
            Self::Link(link) => link.gauges(now, visit),
            Self::Served(link) => link.gauges(now, visit),
        }
    }
}

/// Number of kinds to which a new link is compared.
const COMPARED: usize = 16;
/// Half of the range of [`Time`].
const HALF: Time = Time::from_picos(1 << 63);

impl Links {
    /// Memory of a link in bytes: in short form, and in addition if it has the long form.
    pub(crate) const BYTES_OF_SHORT: usize = size_of::<FastPath>() + size_of::<Form>();
    pub(crate) const BYTES_OF_LONG: usize = size_of::<Long>() + size_of::<u32>();

    /// No links, with capacity for `count`. Packets cross at most `crossed` of them in sequence, the first one before
    /// `end`.
    pub(crate) fn new(count: usize, crossed: usize, end: Time) -> Self {
        // the first half of the range of times is for events, the second one for what follows without events
        let far = if end < HALF { Time::from_picos(HALF.as_picos() / (crossed as u64 + 1)) } else { Time::ZERO };
        Self {
            paths: Vec::with_capacity(count),
            forms: Vec::with_capacity(count),
            kinds: Vec::new(),
            long: Pool::default(),
            served: Vec::new(),
            media: Vec::new(),
            spare: Vec::new(),
            far,
        }
    }

    /// Adds an idle link.
    pub(crate) fn add(&mut self, link: Link) {
        let form = match link.kind() {
            Some(kind) => Form::Short(self.intern(kind)),
            None => Form::Long(self.long.add(Long { link, kind: None })),
        };
        self.paths.push(FastPath::UNUSED);
        self.forms.push(form);
    }

    /// Adds an idle link whose discipline stores the packets.
    pub(crate) fn add_served(&mut self, link: ServedLink) {
        self.forms.push(Form::Served(self.served.len() as u32));
        self.served.push(link);
        self.paths.push(FastPath::UNUSED);
    }

    /// Adds a shared medium.
    pub(crate) fn add_medium(&mut self, medium: Medium) {
        self.media.push(medium);
    }

    /// A shared medium.
    pub(crate) fn medium(&mut self, number: u32) -> &mut Medium {
        &mut self.media[number as usize]
    }

    /// Number of links whose discipline stores the packets.
    pub(crate) const fn count_served(&self) -> u32 {
        self.served.len() as u32
    }

    /// Lets the stations of a medium transmit that wait for this time. Returns when the next event is due, unless one is
    /// pending, and what happens.
    pub(crate) fn access(&mut self, number: u32, now: Time) -> (Option<Time>, Exchange) {
        let medium = &mut self.media[number as usize];
        let due = medium.access(&mut self.served, now);
        (due, medium.take_exchange())
    }

    /// Air time of a link that shares a medium, and busy time of the medium, in the measured time.
    pub(crate) fn air(&self, LinkId(id): LinkId) -> Option<[Time; 2]> {
        let Form::Served(slot) = self.forms[id as usize] else { return None };
        let Shared { medium, member } = self.served[slot as usize].shared()?;
        Some(self.media[medium as usize].times(member))
    }

    /// The index of a kind. Only the kinds added last are searched, so that many different links take linear time.
    fn intern(&mut self, kind: Kind) -> u32 {
        let from = self.kinds.len().saturating_sub(COMPARED);
        let known = self.kinds[from..].iter().position(|known| known.is_like(&kind));
        let place = known.map_or(self.kinds.len(), |place| from + place);
        if known.is_none() {
            self.kinds.push(kind);
        }
        place as u32
    }

    /// Sends a packet if the link's fast path applies to it.
    #[inline(always)]
    pub(crate) fn take(&mut self, LinkId(link): LinkId, size: u32, now: Time) -> Option<Sent> {
        self.paths[link as usize].take(size, now)
    }

    /// Offers a packet that does not take the fast path to a link whose discipline decides at arrival.
    pub(crate) fn offer(&mut self, id: LinkId, packet: &Packet, now: Time) -> Offered {
        match self.forms[id.0 as usize] {
            Form::Short(kind) => {
                let mut link = self.resume(id, kind);
                let offered = link.offer(packet, now);
                if matches!(offered, Offered::Dropped(_)) {
                    // a drop leaves the backlog as it was, so the short form is still right
                    self.spare.extend(link.take_closed());
                } else if let Some(path) = link.fast_path(self.far).filter(|_| link.is_uniform()) {
                    self.spare.extend(link.take_closed());
                    self.set_short(id, kind, path);
                } else {
                    self.set_long(id, kind, link);
                }
                offered
            }
            Form::Long(slot) => {
                let Long { link, kind } = self.long.get_mut(slot);
                let Some(kind) = *kind else { return link.offer(packet, now) };
                link.extend(self.paths[id.0 as usize].busy_until);
                let offered = link.offer(packet, now);
                let path = link.fast_path(self.far);
                if let Some(path) = path.filter(|_| link.is_uniform()) {
                    self.spare.extend(link.take_closed());
                    self.long.free(slot);
                    self.set_short(id, kind, path);
                } else {
                    self.paths[id.0 as usize] = path.unwrap_or(FastPath::UNUSED);
                }
                offered
            }
            Form::Served(_) => unreachable!("packets are offered to a served link itself"),
        }
    }

    /// A link that stores packets.
    #[inline(always)]
    pub(crate) fn served(&mut self, LinkId(id): LinkId) -> Option<&mut ServedLink> {
        match self.forms[id as usize] {
            Form::Served(slot) => self.served.get_mut(slot as usize),
            Form::Short(_) | Form::Long(_) => None,
        }
    }

    /// End of the last transmission of a link that stores no packets.
    pub(crate) fn busy_until(&self, LinkId(id): LinkId) -> Option<Time> {
        match self.forms[id as usize] {
            Form::Short(_) => Some(self.paths[id as usize].busy_until),
            Form::Long(slot) => Some(self.long.get(slot).link.busy_until().max(self.paths[id as usize].busy_until)),
            Form::Served(_) => None,
        }
    }

    /// Makes the long form of a link from its short form.
    fn resume(&mut self, LinkId(id): LinkId, kind: u32) -> Link {
        Link::resumed(&self.kinds[kind as usize], &self.paths[id as usize], self.spare.pop())
    }

    fn set_short(&mut self, LinkId(id): LinkId, kind: u32, path: FastPath) {
        self.paths[id as usize] = path;
        self.forms[id as usize] = Form::Short(kind);
    }

    fn set_long(&mut self, LinkId(id): LinkId, kind: u32, link: Link) -> u32 {
        self.paths[id as usize] = link.fast_path(self.far).unwrap_or(FastPath::UNUSED);
        let slot = self.long.add(Long { link, kind: Some(kind) });
        self.forms[id as usize] = Form::Long(slot);
        slot
    }

    /// A link, for inspection. A link in short form gets its long form.
    pub(crate) fn get(&mut self, id: LinkId) -> Inspected<'_> {
        let slot = match self.forms[id.0 as usize] {
            Form::Short(kind) => {
                let link = self.resume(id, kind);
                self.set_long(id, kind, link)
            }
            Form::Long(slot) => slot,
            Form::Served(slot) => return Inspected::Served(&mut self.served[slot as usize]),
        };
        let Long { link, kind } = self.long.get_mut(slot);
        if kind.is_some() {
            link.extend(self.paths[id.0 as usize].busy_until);
        }
        Inspected::Link(link)
    }

    /// Rate and propagation delay of a link.
    pub(crate) fn line(&self, LinkId(id): LinkId) -> Line<'_> {
        match self.forms[id as usize] {
            Form::Short(kind) => {
                let Kind { rate, delay, .. } = &self.kinds[kind as usize];
                Line { rate, delay: *delay }
            }
            Form::Long(slot) => self.long.get(slot).link.line(),
            Form::Served(slot) => self.served[slot as usize].line(),
        }
    }

    /// Rate of a link that can have the short form, and does nothing but to forward packets one after another.
    pub(crate) fn plain_rate(&self, LinkId(id): LinkId) -> Option<&LinkRate> {
        match self.forms[id as usize] {
            Form::Short(kind) => {
                let Kind { rate, queue, .. } = &self.kinds[kind as usize];
                (queue.mark_above == 0).then_some(rate)
            }
            Form::Long(_) | Form::Served(_) => None,
        }
    }

    /// Prefetches the state of a link.
    #[inline(always)]
    pub(crate) fn prefetch(&self, LinkId(id): LinkId) {
        prefetch(&self.paths[id as usize]);
    }

    /// Maximum time from the arrival of a packet at an idle link until its arrival at the far end, if the link's state
    /// is not kept in long form.
    pub(crate) const fn far(&self) -> Time {
        self.far
    }

    /// Number of links.
    pub(crate) const fn len(&self) -> usize {
        self.paths.len()
    }

    /// Memory in bytes, excluding data that links share.
    pub(crate) fn memory(&self) -> usize {
        let Self { paths, forms, kinds, long, served, media, spare, .. } = self;
        size_of_val(&paths[..])
            + size_of_val(&forms[..])
            + size_of_val(&kinds[..])
            + long.memory()
            + long.iter().map(|long| long.link.memory()).sum::<usize>()
            + served.iter().map(ServedLink::memory).sum::<usize>()
            + media.iter().map(Medium::memory).sum::<usize>()
            + spare.iter().map(|closed| closed.memory()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use ackclock_tcp::{Ecn, Segment};
    use ackclock_units::{Rate, Role, Stream};
    use proptest::prelude::*;

    use super::*;
    use crate::packet::FlowId;
    use crate::plan::LinkSpec;
    use crate::queue::{Context, DropFrom, DropTailSpec, Limit, QueueSpec, Ties};

    const LINK: LinkId = LinkId(0);

    fn link(limit: Limit, count_in_service: bool, delay: Time) -> Link {
        marking(limit, count_in_service, delay, 0)
    }

    fn marking(limit: Limit, count_in_service: bool, delay: Time, mark_above: u64) -> Link {
        let (ties, drop) = (Ties::Departure, DropFrom::Tail);
        let queue = QueueSpec::DropTail(DropTailSpec { limit, count_in_service, ties, mark_above, drop });
        let rate = Rate::from_mbps(1);
        let spec = LinkSpec::plain(rate.into(), delay, queue);
        let context = Context::testing(rate);
        Link::new(
            &spec,
            LinkRate::new(&spec.rate),
            spec.queue.build(&context).at_arrival(),
            Stream::new(1, Role::Loss, 0),
        )
    }

    /// A packet, which is ECN-capable unless it has 500 bytes.
    fn packet(size: u32) -> Packet {
        let ecn = if size == 500 { Ecn::NotEct } else { Ecn::Ect0 };
        let segment = Segment { number: 0, size, syn: false, retransmission: false, ecn, cwr: false, pushed: false };
        Packet::data(FlowId(0), 0, segment, Time::ZERO)
    }

    fn limits() -> impl Strategy<Value = Limit> {
        prop_oneof![(0_u64..6).prop_map(Limit::Packets), (0_u64..9_000).prop_map(Limit::Bytes)]
    }

    /// The result of offering a packet, by the fast path if it applies.
    fn cross(links: &mut Links, size: u32, now: Time) -> (Offered, bool) {
        match links.take(LINK, size, now) {
            Some(Sent { start, end, arrival }) => {
                (Offered::Accepted { start, end, arrival, marked: false, lost: false }, true)
            }
            None => (links.offer(LINK, &packet(size), now), false),
        }
    }

    proptest! {
        /// A link that changes between its forms accepts, marks, drops and delivers the same packets at the same times as a
        /// link that always has the long form, and has the same packets waiting.
        #[test]
        fn the_form_of_a_link_makes_no_difference(
            packets in prop::collection::vec(
                (0_u64..5, prop::sample::select(vec![40_u32, 500, 1500]), any::<bool>(), 0_u32..8),
                1..100,
            ),
            limit in limits(),
            count_in_service in any::<bool>(),
            mark_above in 0_u64..4,
        ) {
            let link = || marking(limit, count_in_service, Time::from_millis(5), mark_above);
            let mut long = link();
            let mut links = Links::new(1, 1, Time::SECOND);
            links.add(link());
            let mut now = Time::ZERO;
            let mut last = 1500;
            for (gap, size, is_other, inspected) in packets {
                // many arrivals coincide with the start of a transmission, and most packets have the size of the last
                now += Time::from_micros(320 * gap * gap * gap);
                let size = if is_other { size } else { last };
                last = size;
                prop_assert_eq!(cross(&mut links, size, now).0, long.offer(&packet(size), now));
                if inspected == 0 {
                    prop_assert_eq!(links.get(LINK).backlog(now), long.backlog(now));
                }
            }
            prop_assert_eq!(links.get(LINK).backlog(now), long.backlog(now));
        }

        /// Packets of different sizes take memory only while they wait.
        #[test]
        fn sizes_that_vary_do_not_fill_tables(sizes in prop::collection::vec(1_u32..65_536, 500)) {
            let mut links = Links::new(1, 1, Time::MAX);
            links.add(link(Limit::Packets(4), true, Time::ZERO));
            let mut most = 0;
            for (number, size) in (0_u64..).zip(sizes) {
                // bursts of eight packets, and then a pause in which all are sent
                cross(&mut links, size, Time::from_millis(10_000 * (number / 8)));
                most = most.max(if number < 100 { links.memory() } else { 0 });
            }
            prop_assert!(links.memory() <= most, "{} bytes, {most} before", links.memory());
        }

        /// The sums of the fast path do not overflow, however long the delays are and however late packets arrive. The
        /// sums of the long form saturate.
        #[test]
        fn times_far_ahead_do_not_overflow(
            delay in prop::sample::select(vec![0, 1 << 61, (1 << 63) - 1, 1 << 63, u64::MAX]),
            end in prop::sample::select(vec![0, 1 << 61, (1 << 63) - 1, 1 << 63, u64::MAX]),
            steps in prop::collection::vec(prop::sample::select(vec![0, 12_000_000_000, 1 << 40, 1 << 61]), 1..20),
            packets in prop::sample::select(vec![1, 1_000_000_000_000, u64::MAX]),
        ) {
            let delay = Time::from_picos(delay);
            let mut long = link(Limit::Packets(packets), true, delay);
            let mut links = Links::new(1, 1, Time::from_picos(end));
            links.add(link(Limit::Packets(packets), true, delay));
            let mut now = Time::ZERO;
            for step in steps {
                now = now.saturating_add(Time::from_picos(step)).min(Time::from_picos(end));
                prop_assert_eq!(cross(&mut links, 1500, now).0, long.offer(&packet(1500), now));
            }
        }
    }

    #[test]
    fn packets_of_one_size_take_the_fast_path_until_the_queue_is_full() {
        let mut links = Links::new(1, 1, Time::SECOND);
        links.add(link(Limit::Packets(3), true, Time::ZERO));
        let took: Vec<(bool, bool)> = (0..6)
            .map(|_| cross(&mut links, 1500, Time::ZERO))
            .map(|(offered, fast)| (matches!(offered, Offered::Accepted { .. }), fast))
            .collect();
        let [first, fast, dropped] = [(true, false), (true, true), (false, false)];
        assert_eq!(took, [first, fast, fast, dropped, dropped, dropped]);
        assert!(cross(&mut links, 1500, Time::from_millis(12)).1, "a drop keeps the short form");
        assert_eq!(links.long.counts(), (0, 0));
    }

    #[test]
    fn a_link_with_pending_packets_of_several_sizes_has_the_long_form_until_they_are_sent() {
        let mut links = Links::new(1, 1, Time::SECOND);
        links.add(link(Limit::Packets(10), true, Time::ZERO));
        for round in 0..3 {
            let (begin, later) = (Time::from_millis(200 * round), Time::from_millis(200 * round + 100));
            for size in [40, 1500, 1500] {
                cross(&mut links, size, begin);
            }
            assert!(matches!(links.forms[0], Form::Long(0)));
            assert!(cross(&mut links, 1500, begin).1, "packets of the last size take the fast path");
            assert!(!cross(&mut links, 40, later).1, "the form changes with the next offer");
            assert!(matches!(links.forms[0], Form::Short(0)));
            assert!(cross(&mut links, 40, later).1);
            assert_eq!((links.long.counts(), links.spare.len()), ((1, 1), 1));
        }
    }

    #[test]
    fn links_that_are_alike_share_their_kind() {
        let mut links = Links::new(100, 1, Time::SECOND);
        for number in 0..100 {
            links.add(link(Limit::Packets(10 + number % 3), true, Time::ZERO));
        }
        assert_eq!((links.kinds.len(), links.long.counts()), (3, (0, 0)));
        assert!(links.memory() <= 100 * Links::BYTES_OF_SHORT + 3 * size_of::<Kind>());
    }
}
