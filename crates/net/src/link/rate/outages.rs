//! Outages: times in which a link is down and loses the packets that wait.
//!
//! Let `W` be the integral of the link's rate (`rate.rs`). When an outage begins, the *progress* of the link rises at
//! [`FLUSH`], so fast that each waiting packet takes a picosecond, for at most [`LONGEST`]; for the rest of the outage it
//! stands still, and then it continues with the rate. A packet whose transmission ends in the outage is lost, so that
//! all waiting packets are lost at its beginning. The rise is not the work of the link: it is left out of what is
//! [carried](Outages::carried).

use ackclock_units::Time;

/// Progress per picosecond while the waiting packets are lost, in units of 10^-12 bit: more than the longest packet.
const FLUSH: u128 = 1 << 63;
/// Maximum duration of the rise, enough for 10^9 packets.
const LONGEST: Time = Time::from_millis(1);

/// The outages of a link, in order.
#[derive(Debug, Default)]
pub(super) struct Outages(Vec<Outage>);

#[derive(Clone, Copy, Debug)]
struct Outage {
    begin: Time,
    end: Time,
    /// `W` when the outage begins and when it ends.
    sums: [u128; 2],
    /// Progress minus `W` before the outage and after it, modulo 2^128.
    ahead: [u128; 2],
    /// `W` minus what is carried before the outage.
    missed: u128,
}

impl Outage {
    /// Total rise of the progress.
    fn rise(&self) -> u128 {
        FLUSH * u128::from((self.end - self.begin).min(LONGEST).as_picos())
    }

    /// Progress when the outage begins.
    const fn before(&self) -> u128 {
        self.sums[0].wrapping_add(self.ahead[0])
    }
}

impl Outages {
    /// The outages between these times on a link with this integral of the rate.
    pub(super) fn new(times: &[[Time; 2]], sum: impl Fn(Time) -> u128) -> Self {
        let (mut ahead, mut missed) = (0_u128, 0);
        let outage = |[begin, end]: &[Time; 2]| {
            let sums = [sum(*begin), sum(*end)];
            let mut outage = Outage { begin: *begin, end: *end, sums, ahead: [ahead; 2], missed };
            ahead = ahead.wrapping_add(outage.rise()).wrapping_sub(sums[1] - sums[0]);
            missed += sums[1] - sums[0];
            outage.ahead[1] = ahead;
            outage
        };
        Self(times.iter().map(outage).collect())
    }

    /// The last outage that has begun at a time.
    fn last_at(&self, at: Time) -> Option<&Outage> {
        self.0[..self.0.partition_point(|outage| outage.begin <= at)].last()
    }

    /// Whether there is an outage at a time.
    pub(super) fn is_down(&self, at: Time) -> bool {
        self.last_at(at).is_some_and(|outage| at < outage.end)
    }

    /// What a link that is never idle has carried by a time.
    pub(super) fn carried(&self, at: Time, sum: impl Fn(Time) -> u128) -> u128 {
        match self.last_at(at) {
            None => sum(at),
            Some(outage) if at < outage.end => outage.sums[0] - outage.missed,
            Some(outage) => sum(at) - outage.missed - (outage.sums[1] - outage.sums[0]),
        }
    }

    /// The progress at a time.
    pub(super) fn progress(&self, at: Time, sum: impl Fn(Time) -> u128) -> u128 {
        match self.last_at(at) {
            None => sum(at),
            Some(outage) if at < outage.end => {
                let since = u128::from((at - outage.begin).as_picos());
                outage.before() + outage.rise().min(FLUSH * since)
            }
            Some(outage) => sum(at).wrapping_add(outage.ahead[1]),
        }
    }

    /// The first time at which the progress reaches `wanted`; `reached` gives the first time at which `W` reaches a value.
    pub(super) fn reached(&self, wanted: u128, reached: impl Fn(u128) -> Time) -> Time {
        let Some(outage) = self.0[..self.0.partition_point(|outage| outage.before() < wanted)].last() else {
            return reached(wanted);
        };
        let rise = wanted - outage.before();
        if rise <= outage.rise() {
            return outage.begin + Time::from_picos(rise.div_ceil(FLUSH) as u64);
        }
        reached(wanted.wrapping_sub(outage.ahead[1]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 1000 units of progress a picosecond.
    fn sum(at: Time) -> u128 {
        1_000 * u128::from(at.as_picos())
    }

    fn reached(wanted: u128) -> Time {
        Time::from_picos(wanted.div_ceil(1_000) as u64)
    }

    /// Validates: a link that is down from 100 to 150 ps and from 200 to 210 ps carries 1000 units in each of the other
    ///   picoseconds; what begins at 90 ps and needs 5,000 units ends at 95 ps, and what needs more ends at 101 ps and is
    ///   lost; what begins after the outage goes on with the rate.
    /// Source: by hand.
    /// Tolerance: exact.
    #[test]
    fn what_waits_when_an_outage_begins_is_lost() {
        let time = Time::from_picos;
        let outages = Outages::new(&[[time(100), time(150)], [time(200), time(210)]], sum);
        let carried = [100, 120, 150, 160, 205, 300].map(|at| outages.carried(time(at), sum) / 1_000);
        assert_eq!(carried, [100, 100, 100, 110, 150, 240]);
        let end = |start, units| outages.reached(outages.progress(time(start), sum) + units, reached).as_picos();
        assert_eq!([end(90, 5_000), end(90, 10_000), end(90, 10_001)], [95, 100, 101]);
        assert_eq!([end(90, 1 << 60), end(101, 1 << 60)], [101, 102], "one after the other");
        assert_eq!([end(150, 7_000), end(190, 20_000), end(210, 20_000)], [157, 201, 230]);
        assert_eq!([99, 100, 149, 150].map(|at| outages.is_down(time(at))), [false, true, true, false]);
    }

    proptest! {
        /// Progress never decreases, and `reached` inverts it.
        #[test]
        fn progress_and_its_inverse_agree(
            gaps in prop::collection::vec((1_u64..1_000, 1_u64..1_000), 0..6),
            starts in prop::collection::vec(0_u64..8_000, 1..30),
            units in 1_u128..100_000,
        ) {
            let mut at = 0;
            let times: Vec<[Time; 2]> = gaps
                .iter()
                .map(|(up, down)| {
                    at += up + down;
                    [Time::from_picos(at - down), Time::from_picos(at)]
                })
                .collect();
            let outages = Outages::new(&times, sum);
            for start in starts {
                let start = Time::from_picos(start);
                let wanted = outages.progress(start, sum) + units;
                let end = outages.reached(wanted, reached);
                prop_assert!(end > start);
                prop_assert!(outages.progress(end, sum) >= wanted);
                prop_assert!(outages.progress(end - Time::from_picos(1), sum) < wanted);
                prop_assert!(outages.carried(end, sum) - outages.carried(start, sum) <= units.next_multiple_of(1_000));
            }
        }
    }
}
