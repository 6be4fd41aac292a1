//! The minimum time in which a path can carry a transfer. The slowdown of a transfer is its completion time divided by
//! this time.

use ackclock_tcp::HEADER;
use ackclock_units::Time;

use crate::link::short::Line;

/// A transfer of n packets takes at least `first + (n - 1) * each`, plus `opening` if it opens the connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ideal {
    /// Time that the SYN takes to the receiver, and its answer back.
    opening: Time,
    /// Time that one packet takes to cross all links.
    first: Time,
    /// Transmission time of a packet at the slowest link, which sends the other packets one after the other.
    each: Time,
}

impl Ideal {
    /// Computes the times for idle links, each at its mean rate until `end`.
    pub(crate) fn of<'a>(
        data: impl Iterator<Item = Line<'a>>,
        acks: impl Iterator<Item = Line<'a>>,
        packet_size: u32,
        handshake: bool,
        end: Time,
    ) -> Self {
        let sent = |link: Line<'_>, size: u32| link.rate.mean(Time::ZERO, end).transmission_time(link.rate.bytes(size));
        let crossed = |link: Line<'_>, size: u32| sent(link, size).saturating_add(link.delay);
        let mut ideal = Self::default();
        for link in data {
            ideal.opening = ideal.opening.saturating_add(crossed(link, HEADER));
            ideal.first = ideal.first.saturating_add(crossed(link, packet_size));
            ideal.each = ideal.each.max(sent(link, packet_size));
        }
        for link in acks {
            ideal.opening = ideal.opening.saturating_add(crossed(link, HEADER));
        }
        Self { opening: if handshake { ideal.opening } else { Time::ZERO }, ..ideal }
    }

    /// The minimum time for `packets` packets, including the handshake if the transfer opens the connection.
    pub(crate) fn time(&self, packets: u64, opens: bool) -> Time {
        let rest = self.each.saturating_mul(packets.saturating_sub(1));
        let opening = if opens { self.opening } else { Time::ZERO };
        opening.saturating_add(self.first).saturating_add(rest)
    }
}
