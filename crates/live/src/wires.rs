//! Two TUN devices, the pipe to the senders' applications, and the monotonic clock.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;

use ackclock_net::relay::Supply;
use ackclock_units::Time;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{ClockId, clock_gettime};

use crate::carrier::Wires;

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

/// The devices of the senders and of the receivers, and the pipe of supplies.
#[derive(Debug)]
pub struct Tuns<'a> {
    senders: &'a Tun,
    receivers: &'a Tun,
    supplies: File,
    /// The time on the monotonic clock, in nanoseconds, that is time 0 of the run.
    zero: u64,
}

/// Nanoseconds on the monotonic clock.
pub fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

impl<'a> Tuns<'a> {
    /// The wires of a run that begins at `zero` on the monotonic clock. `supplies` is the writing end of a pipe, which gets
    /// 16 bytes for each supply: the flow and the number of packets.
    pub fn new(senders: &'a Tun, receivers: &'a Tun, supplies: OwnedFd, zero: u64) -> Self {
        Self { senders, receivers, supplies: supplies.into(), zero }
    }

    const fn end(&self, is_sender: bool) -> &'a File {
        if is_sender { &self.senders.0 } else { &self.receivers.0 }
    }

    fn nanos(&self) -> u64 {
        monotonic().saturating_sub(self.zero)
    }
}

impl Wires for Tuns<'_> {
    fn now(&mut self) -> Time {
        Time::from_picos(self.nanos().saturating_mul(1_000))
    }

    fn receive(&mut self, from_sender: bool, buffer: &mut [u8]) -> io::Result<usize> {
        match self.end(from_sender).read(buffer) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(0),
            result => result,
        }
    }

    fn send(&mut self, to_sender: bool, packet: &[u8]) -> io::Result<()> {
        self.end(to_sender).write_all(packet)
    }

    fn supply(&mut self, supply: Supply) {
        let mut message = [0; 16];
        message[..8].copy_from_slice(&u64::from(supply.flow).to_ne_bytes());
        message[8..].copy_from_slice(&supply.packets.to_ne_bytes());
        // the applications may have ended a moment earlier
        drop(self.supplies.write_all(&message));
    }

    fn wait(&mut self, until: Time) -> io::Result<()> {
        let (now, until) = (self.nanos(), until.as_picos() / 1_000 + 1);
        let left = until.saturating_sub(now);
        let sleep = left.saturating_sub(SPIN).min(LONGEST_SLEEP);
        let mut ends = [&self.senders.0, &self.receivers.0].map(|end| PollFd::new(end, PollFlags::IN));
        let timeout = Timespec { tv_sec: 0, tv_nsec: sleep.cast_signed() };
        match poll(&mut ends, Some(&timeout)) {
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
