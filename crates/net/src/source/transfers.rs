//! Transfers on one connection, one after the other.
//!
//! A transfer is supplied at once and sent as fast as TCP allows. The connection stays open and keeps its window and
//! round-trip time estimate; the transport decides whether an idle connection resets its window. There are two ways to
//! space transfers:
//!
//! - a *think time* before each, also before the first: models a person who reads a page and requests the next (the on/off
//!   model of Crovella and Bestavros, "Self-Similarity in World Wide Web Traffic", ToN 1997, with TCP in the loop). It
//!   begins when all of the transfer before is acknowledged, so a slow network also slows the demand;
//! - requests *every* so often, the first at the start, whatever the network does. A request that finds the connection busy
//!   waits until the transfers before it are acknowledged, and its completion time counts from the request: if requests
//!   waited for the network, few of them would see it while it is slow.

use ackclock_units::{Stream, Time};

use super::{Distribution, Emission, Source, whole_packets};

/// Maximum number of waiting requests that are counted.
const MOST_WAITING: usize = 100_000;

#[derive(Clone, Debug)]
pub(crate) struct Transfers {
    /// Sizes in packets.
    size: Distribution,
    spacing: Spacing,
    is_at_work: bool,
    /// Whether a transfer is not acknowledged.
    is_busy: bool,
    /// When the last request was made or will be made, if the spacing is between requests.
    asked: Time,
    /// A transfer that has not been reported yet.
    begun: Option<Transfer>,
}

/// Times between transfers, in seconds.
#[derive(Clone, Debug)]
pub(crate) enum Spacing {
    /// From the end of a transfer to the next one.
    Think(Distribution),
    /// From request to request.
    Every(Distribution),
}

/// Time and size of a transfer that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    pub(crate) at: Time,
    pub(crate) packets: u64,
}

impl Transfers {
    pub(super) const fn new(size: Distribution, spacing: Spacing) -> Self {
        Self { size, spacing, is_at_work: false, is_busy: false, asked: Time::ZERO, begun: None }
    }

    /// Called when all data is acknowledged at `now`; returns the time of the next transfer or request, which may be past.
    pub(crate) fn acknowledged(&mut self, now: Time, stream: &mut Stream) -> Time {
        self.is_busy = false;
        match &self.spacing {
            Spacing::Think(think) => now.saturating_add(Time::from_secs_f64(think.draw(stream))),
            Spacing::Every(every) => {
                self.asked = self.asked.saturating_add(Time::from_secs_f64(every.draw(stream)));
                self.asked
            }
        }
    }

    /// Makes the next request at `later`, after a pause.
    pub(crate) const fn postpone(&mut self, later: Time) {
        self.asked = later;
    }

    /// The requests made before `end` that wait for the transfers before them, at most [`MOST_WAITING`]. `stream` is a copy of the source's own.
    /// `admit` gives the time of a request that a pause delays, and `None` after the last one.
    pub(crate) fn waiting(
        mut self,
        end: Time,
        mut stream: Stream,
        mut admit: impl FnMut(Time) -> Option<Time>,
    ) -> Vec<Transfer> {
        let mut waiting = Vec::new();
        while self.is_busy && matches!(self.spacing, Spacing::Every(_)) && waiting.len() < MOST_WAITING {
            self.acknowledged(Time::ZERO, &mut stream);
            let Some(asked) = admit(self.asked).filter(|asked| *asked < end) else { break };
            self.postpone(asked);
            self.emit(self.asked, &mut stream);
            waiting.extend(self.begun());
        }
        waiting
    }

    /// Returns the last transfer that began; each transfer is returned once.
    pub(crate) const fn begun(&mut self) -> Option<Transfer> {
        self.begun.take()
    }
}

impl Source for Transfers {
    fn emit(&mut self, now: Time, stream: &mut Stream) -> Emission {
        if !self.is_at_work {
            self.is_at_work = true;
            self.asked = now;
            if let Spacing::Think(_) = self.spacing {
                return Emission { packets: 0, next: Some(self.acknowledged(now, stream)) };
            }
        }
        let packets = whole_packets(self.size.draw(stream));
        let at = if let Spacing::Every(_) = self.spacing { self.asked } else { now };
        (self.is_busy, self.begun) = (true, Some(Transfer { at, packets }));
        Emission { packets, next: None }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;
    use proptest::prelude::*;

    use super::*;
    use crate::source::distribution::tests::{distributions, kolmogorov, pareto_cdf};

    /// Sizes of `count` transfers and the think times before them; each is acknowledged one second after it was
    /// supplied.
    fn transfers(source: &mut Transfers, seed: u64, count: usize) -> Vec<(u64, Time)> {
        let mut stream = Stream::new(seed, Role::Source, 0);
        let mut now = Time::ZERO;
        let mut next = source.emit(now, &mut stream).next.expect("it thinks first");
        (0..count)
            .map(|_| {
                let thought = next.saturating_sub(now);
                let Emission { packets, next: then } = source.emit(next, &mut stream);
                assert_eq!(then, None, "it waits");
                now = next.saturating_add(Time::SECOND);
                assert_eq!(source.begun(), Some(Transfer { at: next, packets }));
                next = source.acknowledged(now, &mut stream);
                assert!(next >= now);
                (packets, thought)
            })
            .collect()
    }

    /// Validates: sizes of transfers, rounded up to packets, and the think times have the given distributions.
    /// Source: the Pareto and the exponential distribution.
    /// Tolerance: the 99.9 % level of the Kolmogorov-Smirnov test, 50,000 transfers at a fixed seed; sizes are compared
    ///   at whole packets.
    #[test]
    fn sizes_and_times_have_their_distributions() {
        let size = Distribution::Pareto { mean: 40.0, shape: 1.2 };
        let mut source = Transfers::new(size, Spacing::Think(Distribution::Exponential { mean: 3.0 }));
        let drawn = transfers(&mut source, 1, 50_000);
        let thought = drawn.iter().map(|(_, thought)| thought.as_secs_f64()).collect();
        let thinking = kolmogorov(thought, |x| 1.0 - (-x / 3.0).exp());
        // rounding up does not change whether a size is at most n for whole n, so the distances are taken at whole
        // numbers
        let (mut counts, cdf) = (vec![0_u32; 10_000], pareto_cdf(40.0, 1.2));
        for (packets, _) in &drawn {
            counts.get_mut(*packets as usize).into_iter().for_each(|count| *count += 1);
        }
        let (mut most, n) = (0, drawn.len() as f64);
        let mut apart = |(packets, count): (usize, &u32)| {
            most += count;
            (f64::from(most) / n - cdf(packets as f64)).abs()
        };
        let sizes = counts.iter().enumerate().map(&mut apart).fold(0.0, f64::max) * n.sqrt();
        println!("measured: {sizes:.2} (sizes), {thinking:.2} (times)");
        assert!(sizes < 1.95 && thinking < 1.95);
    }

    /// Validates: a request is made every 2 s from the start on, also while the connection is busy; those that wait are
    ///     supplied one after the other, with the times of their requests.
    /// Source: the definition, by hand: the first transfer takes 5 s and the others 0.5 s each, so that the requests of 2 s
    ///     and 4 s begin at 5 s and 5.5 s, and the one of 6 s in time.
    /// Tolerance: exact.
    #[test]
    fn requests_do_not_wait_for_the_network() {
        let fixed = |mean| Distribution::Fixed { mean };
        let mut source = Transfers::new(fixed(3.0), Spacing::Every(fixed(2.0)));
        let mut stream = Stream::new(1, Role::Source, 0);
        let at = |millis: u64| Time::from_millis(1_000 + millis);
        let mut now = at(0);
        let mut begun = Vec::new();
        for took in [5_000, 500, 500, 500] {
            assert_eq!(source.emit(now, &mut stream), Emission { packets: 3, next: None });
            begun.push((source.begun().expect("one began"), now));
            let waits: Vec<Time> =
                source.clone().waiting(at(7_000), stream.clone(), Some).iter().map(|request| request.at).collect();
            let last = begun.last().expect("one began").0.at;
            let left: Vec<Time> = [2_000, 4_000, 6_000].map(at).into_iter().filter(|later| *later > last).collect();
            assert_eq!(waits, left);
            let free = now.saturating_add(Time::from_millis(took));
            now = source.acknowledged(free, &mut stream).max(free);
            assert!(source.clone().waiting(at(60_000), stream.clone(), Some).is_empty(), "nothing keeps them waiting");
        }
        let expected = [(0, 0), (2_000, 5_000), (4_000, 5_500), (6_000, 6_000)];
        assert_eq!(begun, expected.map(|(asked, began)| (Transfer { at: at(asked), packets: 3 }, at(began))));
    }

    proptest! {
        #[test]
        fn transfers_are_never_empty_and_time_never_runs_back(
            size in distributions(),
            think in distributions(),
            seed in any::<u64>(),
        ) {
            let drawn = transfers(&mut Transfers::new(size, Spacing::Think(think)), seed, 200);
            prop_assert!(drawn.iter().all(|(packets, _)| (1..=1_000_000_000_000).contains(packets)));
        }
    }
}
