//! Adaptive video over TCP: a client that loads a video in chunks of equal length, each at one of several bitrates, and plays
//! them from a buffer.
//!
//! The client requests one chunk at a time, on one connection, as soon as its buffer has room for it, and chooses the
//! bitrate with each request ([`rules`]). Chunks are appended whole; the buffer is what is left to play ([`player`]). A viewer
//! begins a video with each period of the source's schedule and closes it with the period's end.
//!
//! The source is at the sender, so all its times are those at which a request reaches the server: a request takes as long as
//! an ACK, and the one that answers the last data of a chunk comes with its ACK. Relative to the client, the source's clock
//! is therefore one way late, and all intervals are the client's. An ACK that waits for a second segment delays the next
//! request, too. All chunks of a level have the same size, headers of HTTP and requests none, and a chunk that is late is
//! never abandoned.

mod player;
mod rules;

use std::sync::Arc;

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::transfers::Transfer;
use super::{Emission, Source};
pub use player::Playback;
use player::Player;
use rules::Throughput;

/// Maximum number of levels.
const MOST_LEVELS: usize = 100;
/// Highest bitrate in bit/s.
const MAX_BITRATE: u64 = 1_000_000_000_000;

/// A video and its client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VideoSpec {
    /// The bitrates, from the lowest to the highest.
    pub levels: Vec<Level>,
    /// Length of a chunk.
    pub chunk: Time,
    /// Length of the video that the buffer holds.
    pub buffer: Time,
    /// Length of the buffered video with which play begins, and begins again after a stall.
    pub startup: Time,
    /// How the client chooses the level of a chunk.
    pub rule: VideoRule,
}

/// A bitrate of a video.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Bitrate in bit/s.
    pub bitrate: u64,
    /// Packets of a chunk.
    pub packets: u64,
}

/// How a client chooses the level of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum VideoRule {
    /// The highest bitrate below this share of the throughput of the last chunks.
    Rate {
        /// Share of the throughput.
        safety: f64,
    },
    /// A bitrate that rises with the buffer.
    Buffer {
        /// Buffer up to which the level is the lowest.
        reservoir: Time,
        /// Buffer above the reservoir at which the level is the highest.
        cushion: Time,
    },
}

impl VideoSpec {
    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let Self { levels, chunk, buffer, startup, rule } = self;
        if levels.is_empty() || levels.len() > MOST_LEVELS {
            return Err(("levels", "must be from 1 to 100 bitrates"));
        }
        let is_sound = |level: &Level| level.bitrate > 0 && level.bitrate <= MAX_BITRATE && level.packets > 0;
        if !levels.iter().all(is_sound) || !levels.is_sorted_by(|a, b| a.bitrate < b.bitrate) {
            return Err(("levels", "must be rising bitrates, above 0 and at most 1e12 bit/s, of at least one packet"));
        }
        if *chunk == Time::ZERO {
            return Err(("chunk", "must be above 0 s"));
        }
        if *startup == Time::ZERO || *startup > buffer.saturating_sub(*chunk) {
            return Err(("startup", "must be above 0 s, and leave room for a chunk in the buffer"));
        }
        match rule {
            VideoRule::Rate { safety } if !(*safety > 0.0 && *safety <= 1.0) => {
                Err(("rule.safety", "must be above 0 and at most 1"))
            }
            VideoRule::Buffer { cushion: Time::ZERO, .. } => Err(("rule.cushion", "must be above 0 s")),
            _ => Ok(()),
        }
    }

    /// Packets per second of the highest level.
    pub(crate) fn most_packets(&self) -> f64 {
        self.mean_size() / self.chunk.as_secs_f64()
    }

    /// Packets of a chunk of the highest level.
    pub(crate) fn mean_size(&self) -> f64 {
        self.levels.last().map_or(0.0, |level| level.packets as f64)
    }
}

/// A chunk of a video.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chunk {
    /// When it was requested.
    pub asked: Time,
    /// Buffered video at that time.
    pub buffer: Time,
    /// Index of its level, from 0 for the lowest.
    pub level: usize,
    /// Bitrate in bit/s.
    pub bitrate: u64,
    /// Its packets.
    pub packets: u64,
    /// Whether its level is another one than that of the chunk before.
    pub is_switch: bool,
    /// When its last data arrived; `None` while it is being loaded.
    pub loaded: Option<Time>,
}

/// The client of a video.
#[derive(Clone, Debug)]
pub(crate) struct Video {
    spec: Arc<VideoSpec>,
    player: Player,
    throughput: Throughput,
    /// The last chunk requested.
    chunk: Option<Chunk>,
    /// When the viewer closed the video, if the next chunk begins another one.
    closed: Option<Time>,
    begun: Option<Transfer>,
    /// What has not been reported yet.
    seen: Option<Playback>,
}

impl Video {
    pub(super) fn new(spec: Arc<VideoSpec>) -> Self {
        let (player, throughput) = (Player::new(Time::ZERO), Throughput::default());
        Self { spec, player, throughput, chunk: None, closed: None, begun: None, seen: None }
    }

    /// Whether a chunk is being loaded.
    pub(crate) fn is_loading(&self) -> bool {
        self.chunk.is_some_and(|chunk| chunk.loaded.is_none())
    }

    /// Called when all data is acknowledged at `now`, in a period that ends at `end`. Returns the time of the next request,
    /// which belongs to another video if it is not before `end`.
    pub(crate) fn acknowledged(&mut self, now: Time, end: Time) -> Time {
        let Some(chunk) = &mut self.chunk else { return now };
        chunk.loaded = Some(now);
        let VideoSpec { chunk: length, buffer, startup, .. } = *self.spec;
        self.throughput.add(chunk.bitrate as f64 * length.as_secs_f64(), now.saturating_sub(chunk.asked));
        let mut playback = self.player.advance(now.min(end));
        if now < end {
            playback.startup = self.player.append(now, length, startup);
        }
        self.seen = Some(Playback { chunk: Some(*chunk), ..playback });
        let next = now.saturating_add(self.player.time_to(buffer.saturating_sub(length)));
        if next >= end {
            self.closed = Some(end);
        }
        next
    }

    /// Returns the last transfer that began; each transfer is returned once.
    pub(crate) const fn begun(&mut self) -> Option<Transfer> {
        self.begun.take()
    }

    /// Returns what was played since the last report, if there is something to report.
    pub(crate) const fn seen(&mut self) -> Option<Playback> {
        self.seen.take()
    }

    /// What was played since the last report until `end`, with the chunk that is being loaded.
    pub(crate) fn unreported(&self, end: Time) -> Option<Playback> {
        let chunk = self.chunk?;
        let playback = self.player.clone().advance(self.closed.unwrap_or(end).min(end));
        Some(Playback { chunk: Some(chunk).filter(|chunk| chunk.loaded.is_none()), ..playback })
    }
}

impl Source for Video {
    fn emit(&mut self, now: Time, _: &mut Stream) -> Emission {
        let before = self.chunk.map(|chunk| chunk.level);
        if before.is_none() || self.closed.is_some() {
            if let Some(closed) = self.closed.take() {
                self.seen = Some(self.player.advance(closed));
            }
            (self.player, self.throughput) = (Player::new(now), Throughput::default());
        }
        let buffer = self.player.buffer(now);
        let level = self.spec.choose(buffer, before.unwrap_or(0), self.throughput.estimate());
        let Level { bitrate, packets } = self.spec.levels[level];
        let is_switch = before.is_some_and(|before| before != level);
        self.chunk = Some(Chunk { asked: now, buffer, level, bitrate, packets, is_switch, loaded: None });
        self.begun = Some(Transfer { at: now, packets });
        Emission { packets, next: None }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;
    use proptest::prelude::*;

    use super::*;

    const fn millis(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    fn spec(bitrates: &[u64], buffer: u64, rule: VideoRule) -> VideoSpec {
        let levels = bitrates.iter().map(|bitrate| Level { bitrate: *bitrate, packets: 10 }).collect();
        VideoSpec { levels, chunk: millis(4_000), buffer: millis(buffer), startup: millis(4_000), rule }
    }

    /// Loads chunks, each in the given time in ms, in a period that ends at `end`; returns the reports.
    fn play(spec: VideoSpec, downloads: &[u64], end: Time) -> Vec<Playback> {
        assert_eq!(spec.check(), Ok(()));
        let (mut video, mut stream, mut now) = (Video::new(spec.into()), Stream::new(1, Role::Source, 0), Time::ZERO);
        let mut reports = Vec::new();
        for took in downloads {
            assert_eq!(video.emit(now, &mut stream).next, None, "it waits");
            reports.extend(video.seen());
            let loaded = now.saturating_add(millis(*took));
            now = video.acknowledged(loaded, end).max(loaded);
            reports.extend(video.seen());
        }
        reports
    }

    /// Validates: chunks of 4 s that load in 1, 1 and 10 s: play begins after 1 s, the buffer is 4, 7 and then 0 s at 8 + 1 s, and
    ///     the video stalls from 9 s to 12 s.
    /// Source: by hand: 2 chunks of 4 s, which play from 1 s to 9 s.
    /// Tolerance: exact.
    #[test]
    fn a_chunk_that_is_late_stalls_the_video() {
        let rate = VideoRule::Rate { safety: 0.9 };
        let found = play(spec(&[1_000_000], 60_000, rate), &[1_000, 1_000, 10_000], Time::MAX);
        let spans: Vec<_> = found.iter().map(|each| (each.played, each.stalled, each.stalls)).collect();
        let at = |from: u64, to: u64| [millis(from), millis(to)];
        let expected = [
            (at(1_000, 1_000), at(1_000, 1_000), false),
            (at(1_000, 2_000), at(2_000, 2_000), false),
            (at(2_000, 9_000), at(9_000, 12_000), true),
        ];
        assert_eq!(spans, expected);
        assert_eq!(found.iter().map(|each| each.startup).collect::<Vec<_>>(), [Some(millis(1_000)), None, None]);
        let buffers: Vec<_> = found.iter().filter_map(|each| each.chunk.map(|chunk| chunk.buffer)).collect();
        assert_eq!(buffers, [0, 4_000, 7_000].map(millis));
    }

    /// Validates: with a buffer of 12 s and chunks that load in 1 s, requests wait for room: the first three come at once, the
    ///     others when 8 s are left.
    /// Source: by hand: play begins at 1 s; at 3 s the buffer has 12 - 2 = 10 s, so the fourth request is at 5 s, and
    ///     each later one 4 s after the one before.
    /// Tolerance: exact.
    #[test]
    fn a_full_buffer_delays_the_next_request() {
        let rate = VideoRule::Rate { safety: 0.9 };
        let found = play(spec(&[1_000_000], 12_000, rate), &[1_000; 6], Time::MAX);
        let asked: Vec<_> = found.iter().filter_map(|each| each.chunk.map(|chunk| chunk.asked)).collect();
        assert_eq!(asked, [0, 1_000, 2_000, 5_000, 9_000, 13_000].map(millis));
    }

    /// Validates: the levels of 1, 2 and 5 Mb/s with a throughput of 4 Mb/s: the first chunk has the lowest, and then the
    ///     highest that is not above 3.6 Mb/s.
    /// Source: the rule, by hand: a chunk of 1 Mb/s and 4 s that loads in 1 s has 4 Mb/s, one of 2 Mb/s needs 2 s.
    /// Tolerance: exact.
    #[test]
    fn the_throughput_selects_the_level() {
        let rate = VideoRule::Rate { safety: 0.9 };
        let found = play(spec(&[1_000_000, 2_000_000, 5_000_000], 60_000, rate), &[1_000, 2_000, 2_000], Time::MAX);
        let levels: Vec<_> = found.iter().filter_map(|each| each.chunk.map(|chunk| chunk.level)).collect();
        assert_eq!(levels, [0, 1, 1]);
        assert_eq!(found.iter().filter(|each| each.chunk.is_some_and(|chunk| chunk.is_switch)).count(), 1);
    }

    /// Validates: a period that ends at 3 s closes the video: what was played and stalled ends there, and the next chunk begins
    ///     another one, with a delay of its own.
    /// Source: by hand: chunks load in 1 s and 8 s; play is from 1 s on.
    /// Tolerance: exact.
    #[test]
    fn a_viewer_closes_the_video_with_the_period() {
        let spec = spec(&[1_000_000], 60_000, VideoRule::Rate { safety: 0.9 });
        let (mut video, mut stream) = (Video::new(spec.into()), Stream::new(1, Role::Source, 0));
        video.emit(Time::ZERO, &mut stream);
        assert_eq!(video.acknowledged(millis(1_000), millis(3_000)), millis(1_000));
        assert!(video.seen().is_some());
        video.emit(millis(1_000), &mut stream);
        assert!(video.acknowledged(millis(9_000), millis(3_000)) >= millis(9_000));
        let late = video.seen().expect("a chunk was loaded");
        assert_eq!((late.played, late.stalled), ([millis(1_000), millis(3_000)], [millis(3_000); 2]));
        video.emit(millis(20_000), &mut stream);
        let last = video.seen().expect("the video was closed");
        assert_eq!((last.played, last.chunk), ([millis(3_000); 2], None));
        video.acknowledged(millis(22_000), Time::MAX);
        assert_eq!(video.seen().and_then(|each| each.startup), Some(millis(2_000)));
    }

    #[test]
    fn fields_are_checked() {
        let rate = VideoRule::Rate { safety: 0.9 };
        let good = || spec(&[1_000_000, 2_000_000], 8_000, rate);
        let time = |reservoir, cushion| VideoRule::Buffer { reservoir: millis(reservoir), cushion: millis(cushion) };
        for (spec, field) in [
            (VideoSpec { levels: Vec::new(), ..good() }, "levels"),
            (spec(&[2_000_000, 1_000_000], 8_000, rate), "levels"),
            (spec(&[0], 8_000, rate), "levels"),
            (VideoSpec { levels: vec![Level { bitrate: 1_000_000, packets: 0 }], ..good() }, "levels"),
            (VideoSpec { chunk: Time::ZERO, ..good() }, "chunk"),
            (VideoSpec { startup: Time::ZERO, ..good() }, "startup"),
            (VideoSpec { startup: millis(4_001), ..good() }, "startup"),
            (VideoSpec { rule: VideoRule::Rate { safety: 0.0 }, ..good() }, "rule.safety"),
            (VideoSpec { rule: VideoRule::Rate { safety: 1.0_f64.next_up() }, ..good() }, "rule.safety"),
            (VideoSpec { rule: time(1, 0), ..good() }, "rule.cushion"),
        ] {
            assert_eq!(spec.check().err().map(|(field, _)| field), Some(field), "{spec:?}");
        }
        assert_eq!(good().check(), Ok(()));
    }

    proptest! {
        /// Time is either played or stalled once play has begun, the played time is never more than what was loaded, and the
        /// buffer never holds more than its length.
        #[test]
        fn the_clock_of_the_player_is_complete(
            downloads in prop::collection::vec(1_u64..30_000, 1..40),
            is_rate: bool,
            buffer in 8_000_u64..60_000,
        ) {
            let rule = if is_rate {
                VideoRule::Rate { safety: 0.9 }
            } else {
                VideoRule::Buffer { reservoir: millis(buffer * 3 / 8), cushion: millis(buffer * 21 / 40) }
            };
            let found = play(spec(&[1_000_000, 2_000_000, 5_000_000, 9_000_000], buffer, rule), &downloads, Time::MAX);
            prop_assert_eq!(found.len(), downloads.len());
            let (mut at, mut played) = (None, 0);
            for (place, report) in (0_u64..).zip(&found) {
                let [from, empty] = report.played;
                let chunk = report.chunk.expect("each report has one");
                prop_assert!(at.is_none_or(|at| at == from) && empty >= from && report.stalled[0] == empty);
                prop_assert_eq!(Some(report.stalled[1]), chunk.loaded);
                prop_assert!(chunk.buffer <= millis(buffer - 4_000));
                (at, played) = (Some(report.stalled[1]), played + (empty - from).as_picos());
                prop_assert!(played <= place * millis(4_000).as_picos());
            }
        }
    }
}
