//! Links that share a medium: their packets contend for it, and leave with its transmissions.

use ackclock_units::Time;

use super::Transit;
use crate::link::Offered;
use crate::link::medium::Crossed;
use crate::link::served::{ServedLink, Shared};
use crate::observe::{Observation, Observer};
use crate::packet::LinkId;
use crate::queue::stored::Queued;

impl Transit {
    /// Lets a link with a new packet contend for its medium, or lets stations transmit if `is_event`.
    #[inline(never)]
    pub(super) fn share(
        &mut self,
        id: LinkId,
        Shared { medium, member }: Shared,
        is_event: bool,
        now: Time,
        observer: &mut impl Observer,
    ) {
        if is_event {
            return self.transmit(id, medium, now, observer);
        }
        if let Some(at) = self.links.medium(medium).contend(member, now) {
            self.add_departure(id, at);
        }
        self.report_if_dropped(id, now, observer);
    }

    /// Lets the stations of a medium transmit that wait for this time.
    fn transmit(&mut self, id: LinkId, medium: u32, now: Time, observer: &mut impl Observer) {
        let (due, exchange) = self.links.access(medium, now);
        if let Some(at) = due {
            self.add_departure(id, at);
        }
        for asked in &exchange.asked {
            self.report_if_dropped(*asked, now, observer);
        }
        for crossed in &exchange.crossed {
            self.leave_medium(crossed, now, observer);
        }
        self.links.medium(medium).put_back(exchange);
    }

    fn report_if_dropped(&mut self, id: LinkId, now: Time, observer: &mut impl Observer) {
        if self.links.served(id).is_some_and(|link| link.has_dropped()) {
            self.report_dropped(id, now, observer);
        }
    }

    /// Forwards a packet that leaves its link.
    fn leave_medium(&mut self, crossed: &Crossed, now: Time, observer: &mut impl Observer) {
        let Crossed { link: id, queued, start, end, arrival, lost, acknowledged } = *crossed;
        let Queued { packet, since, hop, marked } = queued;
        if self.links.served(id).is_some_and(|link| ServedLink::reports(link)) {
            self.report_left(id, packet.flow(), hop, acknowledged);
        }
        if observer.watches(id) {
            let fate = Offered::Accepted { start, end, arrival, marked, lost };
            observer.observe(now, &Observation::Left { link: id, packet: &packet, since, fate });
        }
        if lost {
            self.free_sack(&packet);
        } else if marked {
            self.forward_marked(packet.marked(), hop, arrival, observer);
        } else {
            self.forward_from(&packet, hop, arrival, observer);
        }
    }
}
