//! Play of adaptive video: bitrates, changes of the bitrate, stalls and start-up delays.

use ackclock_units::Time;

use super::ratio;
use crate::plan::{GroupSpec, Plan};
use crate::source::{Chunk, Playback};

/// The videos of a run, by group; empty without videos.
#[derive(Clone, Debug, Default)]
pub(super) struct Videos {
    groups: Vec<Option<OfVideos>>,
    from: Time,
    end: Time,
}

/// The videos of a group in the measured time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OfVideos {
    /// Chunks loaded, and the sum of their bitrates in bit/s. All sums are whole numbers, so that their order does not matter.
    pub(super) chunks: u64,
    bitrates: u128,
    pub(super) switches: u64,
    pub(super) stalls: u64,
    /// Time played and time stalled, in picoseconds.
    played: u128,
    stalled: u128,
    /// Videos that began to play in the whole run, and the sum of their start-up delays in picoseconds.
    startups: u64,
    delays: u128,
}

impl Videos {
    pub(super) fn new(plan: &Plan) -> Self {
        if !plan.groups.iter().any(GroupSpec::plays_video) {
            return Self::default();
        }
        let of_group = |group: &GroupSpec| group.plays_video().then(OfVideos::default);
        Self { groups: plan.groups.iter().map(of_group).collect(), from: plan.measure.from, end: plan.duration }
    }

    /// Counts what the client of a video did between two reports.
    pub(super) fn add(&mut self, group: usize, playback: &Playback) {
        let Some(Some(videos)) = self.groups.get_mut(group) else { return };
        let measured =
            |[from, to]: [Time; 2]| u128::from(to.min(self.end).saturating_sub(from.max(self.from)).as_picos());
        let is_measured = |at: Time| at >= self.from && at < self.end;
        videos.played += measured(playback.played);
        videos.stalled += measured(playback.stalled);
        videos.stalls += u64::from(playback.stalls && is_measured(playback.stalled[0]));
        if let Some(delay) = playback.startup.filter(|_| playback.stalled[1] < self.end) {
            videos.startups += 1;
            videos.delays += u128::from(delay.as_picos());
        }
        if let Some(Chunk { bitrate, is_switch, loaded: Some(_), .. }) =
            playback.chunk.filter(|chunk| chunk.loaded.is_some_and(is_measured))
        {
            videos.chunks += 1;
            videos.bitrates += u128::from(bitrate);
            videos.switches += u64::from(is_switch);
        }
    }

    /// The videos of a group, if its source is a video.
    pub(super) fn of(&self, group: usize) -> Option<&OfVideos> {
        self.groups.get(group)?.as_ref()
    }
}

impl OfVideos {
    /// Mean bitrate of the chunks in bit/s.
    pub(super) fn bitrate(&self) -> Option<f64> {
        ratio(self.bitrates as f64, self.chunks as f64)
    }

    /// Time stalled in seconds.
    pub(super) fn stall_time(&self) -> f64 {
        self.stalled as f64 / 1e12
    }

    /// Share of the time stalled.
    pub(super) fn stall_share(&self) -> Option<f64> {
        ratio(self.stalled as f64, (self.played + self.stalled) as f64)
    }

    /// Mean start-up delay in seconds.
    pub(super) fn startup(&self) -> Option<f64> {
        ratio(self.delays as f64 / 1e12, self.startups as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: of a video that plays from 8 s to 12 s and stalls to 15 s, the measured time from 10 s to 14 s has 2 s of play, 2 s
    ///     of a stall that begins in it, and no chunk, which is loaded after its end.
    /// Source: by hand.
    /// Tolerance: exact.
    #[test]
    fn only_the_measured_time_counts() {
        let seconds = |seconds: u64| Time::from_millis(1_000 * seconds);
        let mut videos = Videos { groups: vec![Some(OfVideos::default())], from: seconds(10), end: seconds(14) };
        let chunk = |loaded| Chunk {
            asked: seconds(8),
            buffer: seconds(4),
            level: 1,
            bitrate: 2_000_000,
            packets: 10,
            is_switch: true,
            loaded: Some(loaded),
        };
        let late = Playback {
            played: [seconds(8), seconds(12)],
            stalled: [seconds(12), seconds(15)],
            stalls: true,
            startup: None,
            chunk: Some(chunk(seconds(15))),
        };
        videos.add(0, &late);
        let found = videos.of(0).expect("a group of videos");
        assert_eq!((found.stall_time(), found.stall_share(), found.stalls), (2.0, Some(0.5), 1));
        assert_eq!((found.chunks, found.bitrate(), found.startup()), (0, None, None));
        let empty = [seconds(11); 2];
        let begins = Playback { played: empty, stalled: empty, stalls: false, startup: Some(seconds(3)), ..late };
        videos.add(0, &Playback { chunk: Some(chunk(seconds(11))), ..begins });
        let found = videos.of(0).expect("a group of videos");
        assert_eq!((found.chunks, found.bitrate(), found.switches, found.startup()), (1, Some(2e6), 1, Some(3.0)));
    }
}
