//! How long packets wait at the measured link, and how many wait for how long: the first as a histogram, the second exact.
//!
//! Each time that the number waiting rises from k to k + 1 the instant is taken off the k-th sum, and each time that it falls
//! back it is added: what remains at the end is the time with more than k. A link knows of what it accepts when that will leave
//! the queue, so what left since the last arrival is found at the next one, and nothing has to happen when a packet leaves.

use ackclock_units::Time;

use crate::observe::Histogram;

/// As many packets as [`Waits::count`] tells apart.
const BATCH: usize = 1 << u8::BITS;

/// Watches the packets that one FIFO link accepts. They are looked at many at once, which takes half as long.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    from: Time,
    end: Time,
    /// When each of the latest packets came, and when it leaves the queue; how many there are.
    latest: Box<[(Time, Time); BATCH]>,
    count: u8,
    /// Of what leaves in the measured time.
    sojourn: Histogram,
    /// When those that wait leave: a ring, as long as a power of two, and longer than a batch and what waits before it. The
    /// place after the last has the end of all times.
    leaving: Vec<Time>,
    /// The first of them, as if the ring had no end, and how many there are.
    first: usize,
    waiting: usize,
    /// Picoseconds with more packets waiting than the place says; in the making they wrap.
    above: Vec<u64>,
}

impl Waits {
    /// An empty queue, measured over [`from`, `end`).
    pub(super) fn new(from: Time, end: Time) -> Self {
        Self {
            from,
            end,
            latest: Box::new([(Time::ZERO, Time::ZERO); BATCH]),
            count: 0,
            sojourn: Histogram::default(),
            leaving: vec![Time::MAX; 2 * BATCH],
            first: 0,
            waiting: 0,
            above: vec![0; 2 * BATCH],
        }
    }

    /// A packet comes at `now`, not before the one that came last, and leaves the queue at `start`.
    #[inline(always)]
    pub(super) fn accepted(&mut self, now: Time, start: Time) {
        self.latest[self.count as usize] = (now, start);
        self.count = self.count.wrapping_add(1);
        if self.count == 0 {
            self.look(BATCH);
        }
    }

    /// Looks at the latest packets.
    #[inline(never)]
    fn look(&mut self, count: usize) {
        while self.waiting + count >= self.leaving.len() {
            self.grow();
        }
        let ring = self.leaving.len() - 1;
        let (from, end) = (self.from, self.end);
        let earliest = self.latest[0].0.min(self.leaving[self.first & ring]);
        if earliest >= from && self.latest[count - 1].1 < end {
            self.look_within(count, |_| true, |at| at);
        } else {
            self.look_within(count, |start| from <= start && start < end, |at| at.max(from).min(end));
        }
    }

    /// Looks at them, given which of them leave in the measured time and which of its instants is nearest to another one.
    #[inline(always)]
    fn look_within(&mut self, count: usize, departs: impl Fn(Time) -> bool, within: impl Fn(Time) -> Time) {
        let ring = self.leaving.len() - 1;
        let (leaving, above) = (&mut self.leaving[..=ring], &mut self.above[..=ring]);
        let (mut first, mut waiting) = (self.first, self.waiting);
        let mut next = leaving[first & ring];
        for &(now, start) in &self.latest[..count] {
            while next <= now {
                waiting -= 1;
                above[waiting & ring] = above[waiting & ring].wrapping_add(within(next).as_picos());
                first += 1;
                next = leaving[first & ring];
            }
            if departs(start) {
                self.sojourn.record(start - now);
            }
            if start > now {
                above[waiting & ring] = above[waiting & ring].wrapping_sub(within(now).as_picos());
                leaving[(first + waiting) & ring] = start;
                waiting += 1;
                leaving[(first + waiting) & ring] = Time::MAX;
                next = next.min(start);
            }
        }
        (self.first, self.waiting) = (first, waiting);
    }

    /// Doubles the ring.
    #[inline(never)]
    fn grow(&mut self) {
        let count = self.leaving.len();
        self.leaving.rotate_left(self.first & (count - 1));
        self.first = 0;
        self.leaving.resize(2 * count, Time::MAX);
        self.above.resize(2 * count, 0);
    }

    /// The measured time is over.
    pub(super) fn finish(&mut self) {
        if self.count > 0 {
            self.look(self.count as usize);
        }
        let after = Time::from_picos(Time::MAX.as_picos() - 1);
        self.latest[0] = (after, after);
        self.look(1);
    }

    /// How long packets wait that leave the queue in the measured time.
    pub(super) const fn sojourn(&self) -> &Histogram {
        &self.sojourn
    }

    /// The smallest number of packets waiting that was not exceeded for the fraction `q` of the time.
    pub(super) fn waiting(&self, q: f64) -> u64 {
        let most = (1.0 - q) * (self.end - self.from).as_picos() as f64;
        self.above.iter().position(|above| *above as f64 <= most).unwrap_or(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    /// Validates: the time that a queue spends at each length.
    /// Source: the definition, by hand.
    /// Tolerance: exact.
    #[test]
    fn a_queue_by_hand() {
        // Waiting: none until 15, one until 20, two until 30, one until 40, none. Measured from 10 to 45.
        let mut queue = Waits::new(at(10), at(45));
        queue.accepted(at(5), at(5));
        queue.accepted(at(15), at(30));
        queue.accepted(at(20), at(40));
        queue.accepted(at(50), at(60));
        queue.finish();
        assert_eq!(queue.above[..4], [25, 10, 0, 0].map(|millis| at(millis).as_picos()));
        let sojourn = |q| queue.sojourn().quantile(q).map(|wait| wait.as_secs_f64().mul_add(1e3, 0.5) as u64);
        assert_eq!([sojourn(0.5), sojourn(0.51)], [Some(15), Some(20)]);
        assert_eq!([0.05, 10.0 / 35.0, 0.5, 25.0 / 35.0, 0.95].map(|q| queue.waiting(q)), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn a_queue_that_nobody_joins_is_empty() {
        let mut queue = Waits::new(at(0), at(10));
        queue.finish();
        assert_eq!(queue.waiting(0.95), 0);
    }

    proptest! {
        /// Validates: the time that a queue spends at each length is what looking at every instant finds.
        /// Source: the definition.
        /// Tolerance: exact.
        #[test]
        fn times_are_those_of_a_look_at_every_instant(
            packets in prop::collection::vec((0_u64..6, 1_u64..5), 0..600),
            (from, length) in (0_u64..500, 1_u64..1000),
        ) {
            let (mut now, mut free) = (0, 0);
            let spans: Vec<(u64, u64)> = packets.iter().map(|(gap, service)| {
                now += gap;
                let start = now.max(free);
                free = start + service;
                (now, start)
            }).collect();
            let mut queue = Waits::new(at(from), at(from + length));
            for (now, start) in &spans {
                queue.accepted(at(*now), at(*start));
            }
            queue.finish();
            let mut expected = vec![0; queue.above.len()];
            for instant in from..from + length {
                let waiting = spans.iter().filter(|(now, start)| *now <= instant && instant < *start).count();
                expected[..waiting].iter_mut().for_each(|above| *above += at(1).as_picos());
            }
            prop_assert_eq!(queue.above, expected);
        }
    }
}
