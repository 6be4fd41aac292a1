//! A run as a picture of sequence numbers over time, as tcptrace draws connections.

use std::ops::Not;

use serde::Serialize;

/// Largest number of events in a picture.
pub(crate) const MOST_EVENTS: usize = 100_000;
/// Shortest pause, in seconds.
const LEAST_PAUSE: f64 = 0.05;
/// A pause is longer than this multiple of the longest gap between events that is not a pause.
const PAUSE_RATIO: f64 = 6.0;
/// Longest gap of which pauses are no multiples, since events follow each other without delay, in seconds.
const NO_GAP: f64 = 0.0005;
/// Share of all other time that pauses have in a picture at least. None is shorter than the longest other gap.
const PAUSE_SHARE: f64 = 0.08;

/// What happens in a run, and what the script expects, in bytes of the direction that carries data.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Picture {
    /// The events, in the order in which the run meets them. Their times need not be in order.
    pub events: Vec<Event>,
    /// Times without events that a picture shortens, in order.
    pub pauses: Vec<Pause>,
    /// Whether the run has more events than the picture.
    pub truncated: bool,
}

/// An event of a picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Time in seconds; the earliest one at which a missing packet is expected.
    pub time: f64,
    /// The latest time at which a missing packet is expected; `None` if it is at any time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// Line of the script that states the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Relation to the script.
    pub status: Status,
    /// The event.
    #[serde(flatten)]
    pub shape: Shape,
}

/// How an event relates to the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The script lets it happen.
    Given,
    /// The script expects it, and it happens.
    Met,
    /// It happens, and the script expects something else: the first difference.
    Wrong,
    /// The script expects it, and it does not happen, or is not compared after the first difference.
    Missing,
    /// It happens and is not compared.
    Free,
}

/// What an event looks like in a picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shape {
    /// A segment; a probe of a closed window has no bytes.
    Segment {
        /// Sequence number of the first byte.
        start: u64,
        /// Sequence number after the last byte.
        end: u64,
        /// Whether it was sent before.
        #[serde(skip_serializing_if = "Not::not")]
        retransmission: bool,
        /// Whether a path loses it.
        #[serde(skip_serializing_if = "Not::not")]
        lost: bool,
        /// Whether it was marked on its way.
        #[serde(skip_serializing_if = "Not::not")]
        ce: bool,
        /// Whether it says that the window was reduced (RFC 3168).
        #[serde(skip_serializing_if = "Not::not")]
        cwr: bool,
    },
    /// An ACK.
    Ack {
        /// The next byte that is expected.
        ack: u64,
        /// Sequence number at which the advertised window ends.
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<u64>,
        /// Edges of SACK blocks.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        sacks: Vec<(u64, u64)>,
        /// Whether it reports marks.
        #[serde(skip_serializing_if = "Not::not")]
        ece: bool,
    },
    /// An assertion about the state of the sender.
    Assertion {
        /// The assertion in the words of the script.
        text: String,
    },
}

/// A time without events, and the length with which it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pause {
    /// Begin in seconds.
    pub from: f64,
    /// End in seconds.
    pub until: f64,
    /// Length in the picture, in seconds.
    pub shown: f64,
}

impl Picture {
    /// Adds an event, unless the picture is full.
    pub(crate) fn push(&mut self, event: Event) {
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        } else {
            self.truncated = true;
        }
    }

    /// Completes a picture whose events are known.
    pub(crate) fn completed(self) -> Self {
        let ends = self.events.iter().flat_map(|event| [Some(event.time), event.until]).flatten();
        Self { pauses: pauses(ends.collect()), ..self }
    }
}

/// Finds the pauses between times: gaps that are much longer than all others and have at least half of the time. The longest
/// ones are found first; of what remains without them, there may be pauses again.
fn pauses(mut times: Vec<f64>) -> Vec<Pause> {
    times.sort_by(f64::total_cmp);
    let mut gaps: Vec<(f64, f64)> = times.windows(2).map(|pair| (pair[0], pair[1])).collect();
    gaps.sort_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let lengths: Vec<f64> = gaps.iter().map(|(from, until)| until - from).collect();
    let total = |gaps: &[f64]| gaps.iter().sum::<f64>();
    let is_first = |place: usize, end: usize| {
        let (longest, gap) = (lengths[place - 1], lengths[place]);
        let is_much_longer = gap >= LEAST_PAUSE && longest > NO_GAP && gap > PAUSE_RATIO * longest;
        is_much_longer && 2.0 * total(&lengths[place..end]) >= total(&lengths[..end])
    };
    let mut first = gaps.len();
    while let Some(place) = (1..first).rev().find(|place| is_first(*place, first)) {
        first = place;
    }
    let pauses = gaps.split_off(first);
    let Some(longest) = gaps.last().map(|(from, until)| until - from).filter(|_| !pauses.is_empty()) else {
        return Vec::new();
    };
    let share = PAUSE_SHARE * total(&lengths[..first]) / pauses.len() as f64;
    let shown = share.max(longest).min(lengths[first]);
    let mut found: Vec<Pause> = pauses.into_iter().map(|(from, until)| Pause { from, until, shown }).collect();
    found.sort_by(|a, b| a.from.total_cmp(&b.from));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_silence_is_a_pause() {
        let burst = [0.0, 0.1, 0.1, 0.2, 0.5];
        let after = burst.map(|time| time + 4.0);
        assert_eq!(
            pauses([burst, after, after.map(|time| time + 60.0)].concat()),
            [Pause { from: 0.5, until: 4.0, shown: 0.3 }, Pause { from: 4.5, until: 64.0, shown: 0.3 }]
        );
    }

    #[test]
    fn round_trips_between_bursts_are_pauses() {
        let [first, second] = [0.1, 0.2].map(|time| [time, time + 0.001, time + 0.003]);
        let found = pauses([&[0.0][..], &first, &second].concat());
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert_eq!(found.iter().map(|pause| pause.until).collect::<Vec<_>>(), [0.1, 0.2]);
        assert!(found.iter().all(|pause| near(pause.shown, 0.002)), "{found:?}");
    }

    #[test]
    fn a_steady_flow_has_no_pauses_although_it_begins_with_round_trips() {
        let flow = (0..2000_u32).map(|packet| 0.2 + f64::from(packet) / 1000.0);
        assert_eq!(pauses([0.0, 0.04, 0.08, 0.12].into_iter().chain(flow).collect()), []);
    }

    #[test]
    fn timeouts_that_double_are_no_pauses() {
        assert_eq!(pauses(vec![0.1, 0.3, 0.7, 1.5, 3.1, 6.3, 12.7]), []);
        assert_eq!(pauses(vec![0.0, 0.1, 0.1, 0.2, 0.2, 0.22]), [], "too similar");
        assert_eq!(pauses(vec![0.0, 0.0, 3.0]), [], "there is nothing to compare with");
        assert_eq!(pauses(vec![]), []);
    }
}
