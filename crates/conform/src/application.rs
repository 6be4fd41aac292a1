//! An application that writes the same number of bytes at regular times, for scripts with a path.
//!
//! The command `ackclock application bytes=14600 every=10ms` begins it or changes it, and `bytes=0` ends it.

use ackclock_units::Time;

use crate::cursor::shortened;
use crate::path::time;

/// Shortest time between writes.
const SHORTEST: Time = Time::from_micros(100);
/// Largest write in bytes.
const MOST: u64 = 1 << 30;

/// Regular writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Application {
    pub(crate) bytes: u64,
    pub(crate) every: Time,
    /// When the next write is due; the first one comes with the command.
    pub(crate) next: Time,
}

impl Application {
    /// Reads words such as `bytes=14600 every=10ms`.
    pub(crate) fn of(words: &[&str]) -> Result<Self, String> {
        let mut found = Self { bytes: 0, every: Time::from_millis(100), next: Time::ZERO };
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key {
                "bytes" => match value.parse() {
                    Ok(bytes @ 0..=MOST) => found.bytes = bytes,
                    _ => return Err(format!("bytes of an application must be a number up to {MOST}")),
                },
                "every" => found.every = time(value)?.max(SHORTEST),
                _ => {
                    return Err(format!(
                        "{} is not allowed for an application; must be bytes or every",
                        shortened(key)
                    ));
                }
            }
        }
        Ok(found)
    }

    /// When the next write is due.
    pub(crate) fn due(&self) -> Option<Time> {
        (self.bytes > 0).then_some(self.next)
    }
}
