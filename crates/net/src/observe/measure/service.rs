//! Finds flows that received almost none of the capacity they could have had.
//!
//! A flow could have had its fair share of the link, or its offered load if that is smaller. A flow that offers little
//! load, all of which is delivered, therefore counts as served, however fast the link is. A source is only polled for
//! data that its sender can use. The load that it would have offered beyond that is drawn from a copy of the source,
//! until the rating is decided.

/// Fractions of its possible goodput below which a flow counts as shut off and as starved.
const SHUT_OFF: f64 = 0.02;
const STARVED: f64 = 0.1;

/// Rating of a flow's goodput.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Service {
    Served,
    Starved,
    ShutOff,
}

impl Service {
    /// Rates a flow that received `bits` bits in `packets` packets, relative to a fair share of `fair` bits. `offered`
    /// counts the packets that the flow had to send, up to a given limit.
    ///
    /// The last packet may still be in flight and does not count as offered.
    pub(super) fn of(bits: f64, packets: u64, fair: f64, offered: impl FnOnce(u64) -> u64) -> Self {
        if bits >= STARVED * fair {
            return Self::Served;
        }
        let enough = packets.saturating_mul((1.0 / SHUT_OFF) as u64).saturating_add(2);
        let offered = offered(enough).saturating_sub(1) as f64;
        let is_below = |part: f64| bits < part * fair && (packets as f64) < part * offered;
        if is_below(SHUT_OFF) {
            Self::ShutOff
        } else if is_below(STARVED) {
            Self::Starved
        } else {
            Self::Served
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAIR: f64 = 1000.0;

    #[test]
    fn who_offers_without_end_is_held_to_the_fair_share() {
        let of = |bits: f64, packets| Service::of(bits, packets, FAIR, |_| u64::MAX);
        assert_eq!(of(0.0, 0), Service::ShutOff);
        assert_eq!(of(19.0, 19), Service::ShutOff);
        assert_eq!(of(20.0, 20), Service::Starved);
        assert_eq!(of(99.0, 99), Service::Starved);
        assert_eq!(of(100.0, 100), Service::Served);
    }

    #[test]
    fn who_offers_less_is_held_to_that() {
        let of = |packets: u64, offered| Service::of(packets as f64, packets, FAIR, |_| offered);
        assert_eq!(of(5, 5), Service::Served);
        assert_eq!(of(5, 50), Service::Served);
        assert_eq!(of(5, 52), Service::Starved);
        assert_eq!(of(1, 52), Service::ShutOff);
        // nothing offered, or one packet that is in flight
        assert_eq!(of(0, 0), Service::Served);
        assert_eq!(of(0, 1), Service::Served);
        assert_eq!(of(0, 2), Service::ShutOff);
    }

    #[test]
    fn what_is_enough_to_know_settles_the_matter() {
        for packets in [0, 1, 7, 1_000_000_007] {
            let enough = Service::of(0.0, packets, FAIR, |enough| enough);
            assert_eq!(enough, Service::ShutOff, "{packets}");
        }
        let unasked = Service::of(FAIR, 1, FAIR, |_| unreachable!("it received its fair share"));
        assert_eq!(unasked, Service::Served);
    }
}
