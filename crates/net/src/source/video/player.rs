//! The player of a video: a buffer of loaded video that plays in real time, begins with a sufficient buffer, and stalls when it
//! is empty.

use ackclock_units::Time;

use super::Chunk;

/// What a player did between two reports. Before play has begun, it neither plays nor stalls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// Beginning and end of the time in which it played.
    pub played: [Time; 2],
    /// Beginning and end of the stall that follows, which may be empty.
    pub stalled: [Time; 2],
    /// Whether this stall begins here, and does not continue the one of the last report.
    pub stalls: bool,
    /// Time from the first request to the beginning of play, if it began at the end of this time.
    pub startup: Option<Time>,
    /// The chunk that was loaded at the end of this time or is being loaded.
    pub chunk: Option<Chunk>,
}

#[derive(Clone, Debug)]
pub(super) struct Player {
    /// When the viewer opened the video.
    opened: Time,
    /// Buffered video at the time `at`.
    buffer: Time,
    at: Time,
    is_playing: bool,
    has_begun: bool,
}

impl Player {
    /// A player whose first chunk is requested at `now`.
    pub(super) const fn new(now: Time) -> Self {
        Self { opened: now, buffer: Time::ZERO, at: now, is_playing: false, has_begun: false }
    }

    /// Buffered video at `now`, which is not before the last report.
    pub(super) fn buffer(&self, now: Time) -> Time {
        if self.is_playing { self.buffer.saturating_sub(now.saturating_sub(self.at)) } else { self.buffer }
    }

    /// Plays until `now`.
    pub(super) fn advance(&mut self, now: Time) -> Playback {
        let (from, now) = (self.at, now.max(self.at));
        let empty = match (self.is_playing, self.has_begun) {
            (true, _) => from.saturating_add(self.buffer).min(now),
            (false, true) => from,
            (false, false) => now,
        };
        let played = if self.has_begun { [from, empty] } else { [now; 2] };
        self.buffer = self.buffer(now);
        let stalls = self.is_playing && empty < now;
        (self.at, self.is_playing) = (now, self.is_playing && !stalls);
        Playback { played, stalled: [empty, now], stalls, startup: None, chunk: None }
    }

    /// Appends a chunk at `now`, until which the player has [advanced](Self::advance). Play begins if `startup` is buffered.
    /// Returns the time from the opening of the video to the beginning of play, if this is the first one.
    pub(super) fn append(&mut self, now: Time, chunk: Time, startup: Time) -> Option<Time> {
        self.buffer = self.buffer.saturating_add(chunk);
        self.is_playing |= self.buffer >= startup;
        let begins = self.is_playing && !self.has_begun;
        self.has_begun |= self.is_playing;
        begins.then(|| now - self.opened)
    }

    /// Time until no more than `most` is buffered; zero if the player stands still.
    pub(super) fn time_to(&self, most: Time) -> Time {
        if self.is_playing { self.buffer.saturating_sub(most) } else { Time::ZERO }
    }
}
