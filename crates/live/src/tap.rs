//! A capture of the packets that one end sends and receives, as pcapng. The loop only copies them; a thread writes.

use std::fs::File;
use std::io::{self, Write};
use std::mem::take;
use std::sync::mpsc::{Sender, channel};
use std::thread::{JoinHandle, spawn};

use ackclock_capture::write::Setup;
use ackclock_capture::write::pcapng::{Direction, Pcapng};
use ackclock_units::Time;

/// Bytes that are written together.
const BLOCK: usize = 1 << 18;

/// A capture at one end.
#[derive(Debug)]
pub struct Tap {
    /// The end.
    pub end: usize,
    /// Time 0 of the run, in nanoseconds since 1970.
    epoch: u64,
    file: Pcapng<Behind>,
}

impl Tap {
    /// A capture at an end of a run whose time 0 is `epoch` nanoseconds after the beginning of 1970.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(file: File, end: usize, epoch: u64, setup: &Setup) -> io::Result<Self> {
        Ok(Self { end, epoch, file: Pcapng::begin(Behind::new(file), setup)? })
    }

    /// Adds a packet that the end has sent, or received.
    pub fn add(&mut self, now: Time, packet: &[u8], is_sent: bool) {
        let direction = if is_sent { Direction::Outbound } else { Direction::Inbound };
        // a file that cannot be written ends the thread, which `finish` reports
        let _ = self.file.packet(self.epoch + now.as_picos() / 1_000, packet, packet.len() as u32, direction, None);
    }

    /// Writes the rest.
    ///
    /// # Errors
    /// The file could not be written whole.
    pub fn finish(self) -> io::Result<()> {
        self.file.end()?.finish()
    }
}

/// Writes blocks in a thread.
#[derive(Debug)]
struct Behind {
    block: Vec<u8>,
    blocks: Sender<Vec<u8>>,
    thread: JoinHandle<io::Result<()>>,
}

impl Behind {
    fn new(mut file: File) -> Self {
        let (blocks, received) = channel::<Vec<u8>>();
        let thread = spawn(move || received.into_iter().try_for_each(|block| file.write_all(&block)));
        Self { block: Vec::with_capacity(BLOCK), blocks, thread }
    }

    fn finish(self) -> io::Result<()> {
        drop(self.blocks);
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that writes it failed")))
    }
}

impl Write for Behind {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.block.extend_from_slice(bytes);
        if self.block.len() >= BLOCK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // the thread reports why it has ended
        let _ = self.blocks.send(take(&mut self.block));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_packets_are_written_with_their_times() {
        let path = std::env::temp_dir().join(format!("ackclock-tap-{}.pcapng", std::process::id()));
        let setup = Setup {
            snap_length: 65_535,
            application: String::new(),
            comment: String::new(),
            interface: "sender".into(),
            description: String::new(),
        };
        let mut tap = Tap::new(File::create(&path).expect("a file"), 0, 1_000_000_000, &setup).expect("writable");
        let mut packet = vec![7; 700];
        (packet[0], packet[9]) = (0x45, 17);
        for at in 0..500_u64 {
            tap.add(Time::from_micros(at), &packet, at % 2 == 0);
        }
        tap.finish().expect("written");
        let bytes = std::fs::read(&path).expect("readable");
        std::fs::remove_file(&path).expect("ours");
        let blocks = bytes.windows(4).filter(|word| *word == 6_u32.to_le_bytes()).count();
        assert!(blocks >= 500 && bytes.len() > 500 * 700, "{blocks} blocks");
        let last = 1_000_000_000_u64 + 499_000;
        assert!(bytes.windows(4).any(|word| word == (last as u32).to_le_bytes()));
    }
}
