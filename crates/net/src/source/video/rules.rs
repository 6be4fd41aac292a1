//! How the client of a video chooses the bitrate of the next chunk.
//!
//! - `rate`: the rule of throughput of the player dash.js, version 5 (`ThroughputRule`, `ThroughputController` and
//!   `ThroughputModel` of its source, with their default settings except for `useDeadTimeLatency`, which is false here and true
//!   there). The throughput of a chunk is its bits divided by the time from its request to its last data: the wait for the
//!   first byte counts. It enters two exponentially weighted averages, whose weights are download times: one
//!   second of download has the weight `1 - 0.5^(1/h)`, with half-lives `h` of 3 s and of 8 s. Both are divided by the weight
//!   that they have so far, so that they do not begin at 0, and the smaller one counts. The level is the highest whose
//!   bitrate is at most `safety` (0.9) times this average; the first chunk has the lowest. dash.js combines this rule with
//!   others, such as BOLA and the rule of an insufficient buffer, which are not part of this one, and discards responses from
//!   caches.
//! - `buffer`: BBA-0 of Huang, Johari, McKeown, Trunnell and Watson, "A Buffer-Based Approach to Rate Adaptation: Evidence
//!   from a Large Video Streaming Service", SIGCOMM 2014, section 4 and algorithm 1. A linear map `f` leads from the lowest
//!   bitrate at the end of the reservoir to the highest at the end of the cushion above it. The level stays until `f`
//!   reaches the next one above or below. The paper has a reservoir of 90 s and a cushion of 126 s of a buffer of 240 s.
//!   BBA-1, its successor, maps the buffer to sizes of chunks, and computes the reservoir from the sizes of the next ones. All
//!   chunks of a level have one size here, so its map would be the same and its reservoir always the least one, 8 s.

use ackclock_units::Time;

use super::{VideoRule, VideoSpec};

/// Half-lives of the averages of throughput, in seconds of download.
const HALF_LIVES: [f64; 2] = [3.0, 8.0];

/// Averages of the throughput of chunks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Throughput {
    averages: [f64; 2],
    /// Seconds of all downloads.
    weight: f64,
}

impl Throughput {
    /// Adds a chunk of some bits.
    pub(super) fn add(&mut self, bits: f64, took: Time) {
        let seconds = took.as_secs_f64();
        if seconds > 0.0 {
            for (average, half_life) in self.averages.iter_mut().zip(HALF_LIVES) {
                let kept = libm::exp2(-seconds / half_life);
                *average = kept * *average + (1.0 - kept) * bits / seconds;
            }
            self.weight += seconds;
        }
    }

    /// The smaller average in bit/s; `None` before the first chunk.
    pub(super) fn estimate(&self) -> Option<f64> {
        let unbiased = |(average, half_life): (f64, f64)| average / (1.0 - libm::exp2(-self.weight / half_life));
        let averages = self.averages.into_iter().zip(HALF_LIVES).map(unbiased);
        averages.reduce(f64::min).filter(|_| self.weight > 0.0)
    }
}

impl VideoSpec {
    /// The level of the next chunk with `buffer` to play, after one of the level `before`, with a throughput in bit/s.
    pub(super) fn choose(&self, buffer: Time, before: usize, throughput: Option<f64>) -> usize {
        match self.rule {
            VideoRule::Rate { safety } => throughput.map_or(0, |throughput| self.highest(safety * throughput)),
            VideoRule::Buffer { reservoir, cushion } => self.of_buffer(buffer, before, reservoir, cushion),
        }
    }

    /// The highest level whose bitrate is at most `most`, or else the lowest level.
    fn highest(&self, most: f64) -> usize {
        self.levels.partition_point(|level| level.bitrate as f64 <= most).saturating_sub(1)
    }

    /// Algorithm 1 of the paper.
    fn of_buffer(&self, buffer: Time, before: usize, reservoir: Time, cushion: Time) -> usize {
        let top = self.levels.len() - 1;
        if buffer <= reservoir {
            return 0;
        }
        if buffer >= reservoir.saturating_add(cushion) {
            return top;
        }
        let bitrate = |level: usize| self.levels[level].bitrate as f64;
        let share = (buffer - reservoir).as_secs_f64() / cushion.as_secs_f64();
        let map = bitrate(0) + share * (bitrate(top) - bitrate(0));
        if map >= bitrate((before + 1).min(top)) {
            self.levels.partition_point(|level| (level.bitrate as f64) < map).saturating_sub(1)
        } else if map <= bitrate(before.saturating_sub(1)) {
            self.levels.partition_point(|level| level.bitrate as f64 <= map).min(top)
        } else {
            before
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::video::Level;

    fn near(found: Option<f64>, expected: f64) {
        assert!(found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-9), "{found:?} is not {expected}");
    }

    /// Validates: a constant throughput has itself as average from the first chunk on; after 8 s with 4 Mb/s and 8 s with
    ///     1 Mb/s, the slow average is 2 and the fast one 1.4 Mb/s.
    /// Source: by hand: the slow average has the weights 1/2 and 1/4 for the new and the old chunk, of 3/4; the fast one
    ///     `1 - 2^(-8/3)` and `2^(-8/3) - 2^(-16/3)` of `1 - 2^(-16/3)`.
    /// Tolerance: rounding.
    #[test]
    fn averages_weigh_chunks_by_their_download_time() {
        let (mut throughput, seconds) = (Throughput::default(), |seconds: u64| Time::from_millis(1_000 * seconds));
        assert_eq!(throughput.estimate(), None);
        throughput.add(32e6, seconds(8));
        near(throughput.estimate(), 4e6);
        throughput.add(8e6, seconds(8));
        let kept = 2_f64.powf(-8.0 / 3.0);
        near(throughput.estimate(), ((1.0 - kept) * 1e6 + kept * (1.0 - kept) * 4e6) / (1.0 - kept * kept));
        let slow = throughput.averages[1] / 0.75;
        near(Some(slow), 2e6);
    }

    /// The ladder and the buffer of the paper: 235 kb/s to 5 Mb/s, 240 s with a reservoir of 90 s and a cushion of 126 s.
    fn paper() -> (VideoSpec, Time, Time) {
        let bitrates = [235, 375, 560, 750, 1_050, 1_750, 2_350, 3_000, 3_600, 5_000];
        let levels = bitrates.map(|kilobits| Level { bitrate: 1_000 * kilobits, packets: 1 }).to_vec();
        let [chunk, buffer, reservoir, cushion] = [4_000, 240_000, 90_000, 126_000].map(Time::from_millis);
        let rule = VideoRule::Buffer { reservoir, cushion };
        (VideoSpec { levels, chunk, buffer, startup: chunk, rule }, reservoir, cushion)
    }

    /// Validates: the lowest level up to 90 s and the highest from 216 s on; in between, the map crosses 235 + 4765 (B - 90) / 126
    ///     kb/s.
    /// Source: section 4 of the paper, by hand: at 153 s the map is 2617.5 kb/s.
    /// Tolerance: exact.
    #[test]
    fn the_buffer_selects_the_level() {
        let (spec, ..) = paper();
        let choose = |millis, before| spec.choose(Time::from_millis(millis), before, None);
        for before in [0, 4, 9] {
            assert_eq!([0, 90_000, 216_000, 240_000].map(|at| choose(at, before)), [0, 0, 9, 9], "{before}");
        }
        // from below: the highest level that is below the map
        assert_eq!(choose(153_000, 0), 6);
        // from above: the lowest level that is above the map
        assert_eq!(choose(153_000, 9), 7);
    }

    /// Validates: a level stays while the map is between the levels beside it, which is the hysteresis of algorithm 1: the
    ///     map is at 1,050 kb/s with 111.55 s, at 1,750 kb/s with 130.06 s, and at 2,350 kb/s with 145.93 s.
    /// Source: algorithm 1, by hand: 90 + 126 (1750 - 235) / 4765 = 130.06.
    /// Tolerance: exact, 0.1 s beside the crossings.
    #[test]
    fn a_level_stays_until_the_map_reaches_the_next_one() {
        let (spec, ..) = paper();
        let choose = |millis, before| spec.choose(Time::from_millis(millis), before, None);
        assert_eq!([111_650, 130_100, 145_800].map(|at| choose(at, 5)), [5; 3]);
        assert_eq!(choose(146_050, 5), 6, "the map has reached 2,350 kb/s");
        assert_eq!(choose(111_450, 5), 4, "it has reached 1,050 kb/s, which is the lowest level above it");
    }
}
