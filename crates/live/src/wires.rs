//! TUN devices and the monotonic clock.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;

use ackclock_units::Time;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{ClockId, clock_gettime};

use crate::carrier::Wires;
use crate::tap::Tap;

/// `O_NONBLOCK` on all architectures of Linux that Rust supports, except MIPS and SPARC.
const NONBLOCK: i32 = 0o4000;
/// The last nanoseconds before a deadline are spent in a loop, because a sleep ends late.
const SPIN: u64 = 20_000;
/// Longest sleep in nanoseconds.
const LONGEST_SLEEP: u64 = 20_000_000;

/// A TUN device, which the caller configures through its file descriptor.
#[derive(Debug)]
pub struct Tun(File);

impl Tun {
    /// Opens a new device. It has no name and no namespace before the caller asks for them.
    ///
    /// # Errors
    /// There is no such file, or no permission.
    pub fn open() -> io::Result<Self> {
        OpenOptions::new().read(true).write(true).custom_flags(NONBLOCK).open("/dev/net/tun").map(Self)
    }

    /// The file descriptor.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// The devices of the ends.
#[derive(Debug)]
pub struct Tuns<'a> {
    devices: Vec<&'a Tun>,
    /// The time on the monotonic clock, in nanoseconds, that is time 0 of the run.
    zero: u64,
    /// The run is over when this can be read, as the file descriptor of a process can when it has ended.
    until: Option<BorrowedFd<'a>>,
    tap: Option<Tap>,
    /// What ends a wait: a packet at a device, or the end of the run.
    awaited: Vec<PollFd<'a>>,
}

fn nanos_on(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Nanoseconds on the monotonic clock.
pub fn monotonic() -> u64 {
    nanos_on(ClockId::Monotonic)
}

/// Nanoseconds since the beginning of 1970, of a time on the monotonic clock.
pub fn since_1970(zero: u64) -> u64 {
    nanos_on(ClockId::Realtime).wrapping_sub(monotonic()).wrapping_add(zero)
}

impl<'a> Tuns<'a> {
    /// The wires of a run that begins at `zero` on the monotonic clock, and is over when `until` can be read.
    pub fn new(devices: Vec<&'a Tun>, zero: u64, until: Option<BorrowedFd<'a>>) -> Self {
        let mut awaited: Vec<_> = devices.iter().map(|device| PollFd::new(&device.0, PollFlags::IN)).collect();
        awaited.extend(until.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        Self { devices, zero, until, tap: None, awaited }
    }

    /// Captures packets, too.
    #[must_use]
    pub fn with_tap(self, tap: Option<Tap>) -> Self {
        Self { tap, ..self }
    }

    /// Ends the capture.
    pub fn into_tap(self) -> Option<Tap> {
        self.tap
    }

    fn capture(&mut self, end: usize, packet: &[u8], is_sent: bool) {
        let now = self.now();
        if let Some(tap) = self.tap.as_mut().filter(|tap| tap.end == end) {
            tap.add(now, packet, is_sent);
        }
    }

    fn nanos(&self) -> u64 {
        monotonic().saturating_sub(self.zero)
    }
}

impl Wires for Tuns<'_> {
    fn ends(&self) -> usize {
        self.devices.len()
    }

    fn now(&mut self) -> Time {
        Time::from_picos(self.nanos().saturating_mul(1_000))
    }

    fn is_over(&mut self) -> bool {
        self.until.is_some_and(|fd| {
            poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)], Some(&Timespec::default())) == Ok(1)
        })
    }

    fn receive(&mut self, from: usize, buffer: &mut [u8]) -> io::Result<usize> {
        match (&self.devices[from].0).read(buffer) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(0),
            Ok(length) => {
                if self.tap.is_some() {
                    self.capture(from, &buffer[..length], true);
                }
                Ok(length)
            }
            error => error,
        }
    }

    fn send(&mut self, to: usize, packet: &[u8]) -> io::Result<()> {
        (&self.devices[to].0).write_all(packet)?;
        if self.tap.is_some() {
            self.capture(to, packet, false);
        }
        Ok(())
    }

    fn wait(&mut self, until: Time) -> io::Result<()> {
        let (now, until) = (self.nanos(), until.as_picos() / 1_000 + 1);
        let left = until.saturating_sub(now);
        let sleep = left.saturating_sub(SPIN).min(LONGEST_SLEEP);
        let timeout = Timespec { tv_sec: 0, tv_nsec: sleep.cast_signed() };
        match poll(&mut self.awaited, Some(&timeout)) {
            Ok(0) if left <= SPIN => {
                while self.nanos() < until {
                    std::hint::spin_loop();
                }
                Ok(())
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
