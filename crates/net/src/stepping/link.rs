//! The measured link during steps.

use std::collections::VecDeque;

use ackclock_units::Time;

use crate::link::Offered;
use crate::observe::{Observation, Observer};
use crate::packet::{FlowId, LinkId, Packet};

/// What a link does with the packets of a watched flow during a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) offered: u64,
    pub(super) dropped: u64,
    /// Packets with a known waiting time, and the sum of these times in picoseconds.
    left: u64,
    waited: u64,
}

impl Seen {
    /// Mean waiting time in seconds.
    pub(super) fn mean_wait(&self) -> f64 {
        self.waited as f64 * 1e-12 / self.left as f64
    }

    const fn wait(&mut self, time: Time) {
        self.left += 1;
        self.waited += time.as_picos();
    }
}

/// An event at the link.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The packet will be transmitted after this wait.
    Accepted(Time),
    /// The discipline stores the packet.
    Stored,
    /// The packet is dropped on arrival, or lost.
    Dropped,
    /// A stored packet leaves the queue after this wait.
    Left(Time),
    /// A stored packet is dropped.
    Removed,
}

/// Number of data packets of all flows per bin.
#[derive(Clone, Copy, Debug)]
struct Bins {
    width: Time,
    /// End of the current bin, and its arrivals so far.
    end: Time,
    arrivals: u64,
    /// Of the complete bins: number, and sums of the arrivals and of their squares.
    count: u64,
    sum: u64,
    squares: u128,
}

impl Bins {
    fn arrive(&mut self, at: Time) {
        self.close(at);
        self.arrivals += 1;
    }

    /// Completes the bins that end at or before `at`.
    fn close(&mut self, at: Time) {
        if at < self.end {
            return;
        }
        self.sum += self.arrivals;
        self.squares += u128::from(self.arrivals).pow(2);
        self.arrivals = 0;
        let more = (at - self.end).as_picos() / self.width.as_picos() + 1;
        self.count += more;
        self.end = self.end.saturating_add(self.width.saturating_mul(more));
    }

    fn cov(&self) -> f64 {
        let (count, sum) = (u128::from(self.count), u128::from(self.sum));
        if count < 2 || sum == 0 {
            return f64::NAN;
        }
        // exact up to the root
        (((count * self.squares - sum * sum) * count) as f64 / (count - 1) as f64).sqrt() / sum as f64
    }
}

/// Observes the measured link. Its events are in time order, but some are reported ahead of the clock.
#[derive(Debug)]
pub(super) struct AtLink {
    link: LinkId,
    /// End of the step.
    end: Time,
    /// The place of each flow among the watched ones.
    places: Vec<Option<u32>>,
    seen: Vec<Seen>,
    bins: Bins,
    /// Events after the step, with their flows.
    later: VecDeque<(Time, FlowId, Event)>,
}

impl AtLink {
    pub(super) fn new(link: LinkId, width: Time, watched: impl Iterator<Item = u32>, flows: u32) -> Self {
        let mut places = vec![None; flows as usize];
        let mut seen = Vec::new();
        for flow in watched {
            places[flow as usize] = Some(seen.len() as u32);
            seen.push(Seen::default());
        }
        Self {
            link,
            end: Time::ZERO,
            places,
            seen,
            bins: Bins { width, end: width, arrivals: 0, count: 0, sum: 0, squares: 0 },
            later: VecDeque::new(),
        }
    }

    pub(super) const fn id(&self) -> LinkId {
        self.link
    }

    pub(super) fn seen(&self, place: usize) -> &Seen {
        &self.seen[place]
    }

    pub(super) fn cov(&mut self) -> f64 {
        self.bins.close(self.end);
        self.bins.cov()
    }

    pub(super) fn memory(&self) -> usize {
        self.later.capacity() * size_of::<(Time, FlowId, Event)>()
    }

    /// Begins a step that ends before `end`.
    pub(super) fn begin(&mut self, end: Time) {
        self.end = end;
        self.seen.fill(Seen::default());
        while let Some((at, flow, event)) = self.later.front().copied().filter(|(at, ..)| *at < end) {
            self.later.pop_front();
            self.count(at, flow, event);
        }
    }

    #[inline(always)]
    fn count(&mut self, at: Time, FlowId(flow): FlowId, event: Event) {
        if !matches!(event, Event::Left(_) | Event::Removed) {
            self.bins.arrive(at);
        }
        let Some(place) = self.places[flow as usize] else { return };
        let seen = &mut self.seen[place as usize];
        match event {
            Event::Accepted(waits) => {
                seen.offered += 1;
                seen.wait(waits);
            }
            Event::Stored => seen.offered += 1,
            Event::Dropped => {
                seen.offered += 1;
                seen.dropped += 1;
            }
            Event::Left(waited) => seen.wait(waited),
            Event::Removed => seen.dropped += 1,
        }
    }

    #[inline(always)]
    fn see(&mut self, at: Time, packet: &Packet, event: Event) {
        if packet.is_ack() {
            return;
        }
        if at < self.end {
            self.count(at, packet.flow(), event);
        } else {
            self.later.push_back((at, packet.flow(), event));
        }
    }
}

impl Observer for AtLink {
    fn observe(&mut self, now: Time, seen: &Observation<'_>) {
        let (packet, event) = match *seen {
            Observation::Offered { packet, offered, .. } => match offered {
                Offered::Accepted { start, .. } => (packet, Event::Accepted(start - now)),
                Offered::Dropped(_) => (packet, Event::Dropped),
                Offered::Queued => (packet, Event::Stored),
            },
            Observation::Left { packet, since, fate, .. } => match fate {
                Offered::Accepted { start, .. } => (packet, Event::Left(start - since)),
                _ => (packet, Event::Removed),
            },
            _ => return,
        };
        self.see(now, packet, event);
    }

    #[inline(never)]
    fn accepted(&mut self, now: Time, link: LinkId, packet: &Packet, start: Time, _: Time, _: Time) {
        if link == self.link {
            self.see(now, packet, Event::Accepted(start - now));
        }
    }

    fn watches(&self, link: LinkId) -> bool {
        link == self.link
    }

    fn follows(&self) -> bool {
        false
    }
}
