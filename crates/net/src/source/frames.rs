//! Frames of a call at equal intervals, the first at the start: speech, one packet per frame, or video, whose frames are
//! several packets that are sent at once. Every `key_every`-th frame of a video, from the first one on, is a key frame and has
//! `key_packets` packets.

use ackclock_units::{Stream, Time};

use super::{Emission, Source};
use crate::plan::FramesSpec;

#[derive(Clone, Debug)]
pub(crate) struct Frames {
    spec: FramesSpec,
    start: Option<Time>,
    sent: u64,
}

impl Frames {
    pub(super) const fn new(spec: FramesSpec) -> Self {
        Self { spec, start: None, sent: 0 }
    }
}

impl FramesSpec {
    /// Mean packets per second.
    pub(crate) fn mean_rate(&self) -> f64 {
        let more = self.key_packets as f64 - self.packets as f64;
        let keys = if self.key_every == 0 { 0.0 } else { more / self.key_every as f64 };
        self.rate * (self.packets as f64 + keys)
    }

    /// Validates the numbers of packets.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(super) const fn check(&self) -> Result<(), (&'static str, &'static str)> {
        match self {
            Self { packets: 0, .. } => Err(("packets", "must be above 0")),
            Self { key_packets: 0, .. } => Err(("key_packets", "must be above 0")),
            _ => Ok(()),
        }
    }

    /// Whether each frame is one packet.
    pub(crate) const fn is_speech(&self) -> bool {
        self.packets == 1 && (self.key_every == 0 || self.key_packets == 1)
    }
}

impl Source for Frames {
    fn emit(&mut self, now: Time, _: &mut Stream) -> Emission {
        let FramesSpec { rate, packets, key_every, key_packets } = self.spec;
        let start = *self.start.get_or_insert(now);
        let is_key = key_every > 0 && self.sent.is_multiple_of(key_every);
        self.sent += 1;
        let next = start.saturating_add(Time::from_secs_f64(self.sent as f64 / rate));
        Emission { packets: if is_key { key_packets } else { packets }, next: Some(next.max(now)) }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;

    use super::*;

    /// Validates: frames are 1/rate apart without drift, and each third one from the first on is a key frame.
    /// Source: the definition, by hand: 30 frames per second of 2 packets, key frames of 5.
    /// Tolerance: a picosecond.
    #[test]
    fn frames_are_equally_far_apart() {
        let spec = FramesSpec { rate: 30.0, packets: 2, key_every: 3, key_packets: 5 };
        let (mut source, mut stream, mut at) = (Frames::new(spec), Stream::new(1, Role::Source, 0), Time::SECOND);
        for frame in 0..9_u64 {
            assert!(at.as_picos().abs_diff(1_000_000_000_000 + frame * 1_000_000_000_000 / 30) <= 1, "{frame}: {at}");
            let Emission { packets, next } = source.emit(at, &mut stream);
            assert_eq!(packets, if frame % 3 == 0 { 5 } else { 2 });
            at = next.expect("it does not end");
        }
        assert_eq!(spec.mean_rate(), 90.0, "3 packets per frame");
        assert_eq!(FramesSpec { key_every: 0, ..spec }.mean_rate(), 60.0);
    }
}
