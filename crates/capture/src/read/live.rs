//! An input that may pause, such as a pipe: a thread reads and decompresses it, so that waiting for it has an end.

use std::io::{self, BufRead, ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use super::unpack::{Packing, unpack};

/// Size of a piece, and how many are read ahead.
const PIECE: usize = 1 << 16;
const AHEAD: usize = 16;

/// Time to wait for the next piece.
const PATIENCE: Duration = Duration::from_millis(100);

/// The bytes that the thread has read. Reading fails with `WouldBlock` if there are none for some time, and after each
/// [`AHEAD`] pieces, so that an input that never pauses does not keep its reader from other work.
pub(super) struct Live {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: io::Cursor<Vec<u8>>,
    /// Number of pieces since reading last failed.
    turn: usize,
}

impl Live {
    pub(super) fn new(input: impl BufRead + Send + 'static, packing: Arc<OnceLock<Packing>>) -> Self {
        let (sender, pieces) = sync_channel(AHEAD);
        thread::spawn(move || {
            if let Err(error) = read(input, &packing, &sender) {
                // Nobody waits for it if reading was given up.
                let _ = sender.send(Err(error));
            }
        });
        Self { pieces, piece: io::Cursor::default(), turn: 0 }
    }
}

/// Reads to the end, or until nobody wants more.
fn read(
    input: impl BufRead + Send + 'static,
    packing: &OnceLock<Packing>,
    sender: &SyncSender<io::Result<Vec<u8>>>,
) -> io::Result<()> {
    let (mut input, found) = unpack(input)?;
    packing.get_or_init(|| found);
    loop {
        let mut piece = vec![0; PIECE];
        match input.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(read) => piece.truncate(read),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if sender.send(Ok(piece)).is_err() {
            return Ok(());
        }
    }
}

impl Read for Live {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.piece.read(bytes)?;
        if read > 0 {
            return Ok(read);
        }
        if self.turn == AHEAD {
            self.turn = 0;
            return Err(ErrorKind::WouldBlock.into());
        }
        match self.pieces.recv_timeout(PATIENCE) {
            Ok(piece) => {
                self.turn += 1;
                self.piece = io::Cursor::new(piece?);
                self.piece.read(bytes)
            }
            Err(RecvTimeoutError::Timeout) => {
                self.turn = 0;
                Err(ErrorKind::WouldBlock.into())
            }
            Err(RecvTimeoutError::Disconnected) => Ok(0),
        }
    }
}
