//! Transfers on one connection, with a think time before each: models a person who reads a page and requests the next
//! (the on/off model of Crovella and Bestavros, "Self-Similarity in World Wide Web Traffic", ToN 1997, with TCP in the
//! loop).
//!
//! A transfer is supplied at once and sent as fast as TCP allows. The think time begins when all of it is acknowledged,
//! so a slow network also slows the demand. The connection stays open and keeps its window and round-trip time
//! estimate; the transport decides whether an idle connection resets its window. A think time also precedes the first
//! transfer.

use ackclock_units::{Stream, Time};

use super::{Distribution, Emission, Source, whole_packets};

#[derive(Clone, Debug)]
pub(crate) struct Transfers {
    /// Sizes in packets.
    size: Distribution,
    /// Think times in seconds.
    think: Distribution,
    is_at_work: bool,
    /// A transfer that has not been reported yet.
    begun: Option<Transfer>,
}

/// Time and size of a transfer that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    pub(crate) at: Time,
    pub(crate) packets: u64,
}

impl Transfers {
    pub(super) const fn new(size: Distribution, think: Distribution) -> Self {
        Self { size, think, is_at_work: false, begun: None }
    }

    /// Called when all data is acknowledged at `now`; returns the time of the next transfer.
    pub(crate) fn acknowledged(&mut self, now: Time, stream: &mut Stream) -> Time {
        now.saturating_add(Time::from_secs_f64(self.think.draw(stream)))
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
            return Emission { packets: 0, next: Some(self.acknowledged(now, stream)) };
        }
        let packets = whole_packets(self.size.draw(stream));
        self.begun = Some(Transfer { at: now, packets });
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
        let mut source = Transfers::new(size, Distribution::Exponential { mean: 3.0 });
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

    proptest! {
        #[test]
        fn transfers_are_never_empty_and_time_never_runs_back(
            size in distributions(),
            think in distributions(),
            seed in any::<u64>(),
        ) {
            let drawn = transfers(&mut Transfers::new(size, think), seed, 200);
            prop_assert!(drawn.iter().all(|(packets, _)| (1..=1_000_000_000_000).contains(packets)));
        }
    }
}
