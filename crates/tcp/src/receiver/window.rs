//! The window of a receiver whose ACKs carry it, because it opens by auto-tuning (`tuning.rs`) or the application reads at a
//! rate (`reader.rs`).

use ackclock_units::Time;

use super::ReceiverConfig;
use super::echo::Mark;
use super::reader::{Pending, Reader};
use super::tuning::{Arrived, Tuning};

/// State of the window.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// First segment outside all windows advertised so far.
    edge: u64,
    /// Size of the last window advertised.
    last: u32,
    /// Size of a window that is not tuned.
    size: u32,
    tuning: Option<Tuning>,
    reader: Option<Reader>,
}

/// What happens to a segment that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is data to accept.
    Granted,
    /// It is discarded and acknowledged at once.
    Answered,
    /// It is discarded; the application has just read, which may send an ACK.
    Read,
    /// It is discarded.
    Ignored,
}

impl Window {
    /// The state at the start of a connection.
    pub(super) fn new(config: &ReceiverConfig) -> Self {
        let (tuning, reader) = (config.tunes().then(|| Tuning::new(config)), Reader::new(config));
        let first = tuning.as_ref().map_or(config.max_window, Tuning::window);
        Self { edge: first.into(), last: first, size: config.max_window, tuning, reader }
    }

    /// Handles the SYN.
    pub(super) fn open(&mut self, now: Time) {
        if let Some(tuning) = &mut self.tuning {
            tuning.open(now);
        }
    }

    /// Decides whether a segment that arrives is data to accept.
    pub(super) fn admit(&mut self, number: u64, mark: Mark, now: Time) -> Admission {
        let Some(reader) = &mut self.reader else { return Admission::Granted };
        let reads = reader.read(now);
        match mark.probe {
            true if reader.answers_probe(now) => Admission::Answered,
            true if reads => Admission::Read,
            true => Admission::Ignored,
            false if number < self.edge => Admission::Granted,
            false => Admission::Answered,
        }
    }

    /// Lets the application read until `now`.
    pub(super) fn read(&mut self, now: Time) {
        if let Some(reader) = &mut self.reader {
            reader.read(now);
        }
    }

    /// Handles data segment `number` for the first time, which has brought `in_order` segments in order; all segments before
    /// `next` have now arrived, and none at or after `end`. Returns whether the window opens.
    pub(super) fn take(
        &mut self,
        (number, mark): (u64, Mark),
        (in_order, next, end): (u64, u64, u64),
        now: Time,
        config: &ReceiverConfig,
    ) -> bool {
        let buffer = self.buffer();
        let (mut unread, mut free) = (0, buffer);
        if let Some(reader) = &mut self.reader {
            reader.take(in_order, mark.pushed && config.acks_pushed, now);
            (unread, free) = (reader.unread(), reader.free(buffer));
        }
        let Some(tuning) = &mut self.tuning else { return false };
        let arrived = Arrived { number, sent: mark.sent, next, end, edge: self.edge, unread, free };
        tuning.take(arrived, now, config.max_window)
    }

    /// The window in an ACK for all segments before `next`.
    pub(super) fn advertise(&mut self, next: u64) -> u32 {
        if let Some(reader) = &mut self.reader {
            reader.on_ack();
        }
        self.edge = self.edge.max(next + self.allowed());
        self.last = (self.edge - next) as u32;
        self.last
    }

    /// Whether an ACK now would not advertise a smaller window than the last one did.
    pub(super) fn lasts(&self) -> bool {
        self.reader.is_none() || self.allowed() >= u64::from(self.last)
    }

    /// Whether less than half of the buffer is free.
    pub(super) fn is_scarce(&self) -> bool {
        self.reader.as_ref().is_some_and(|reader| 2 * reader.free(self.buffer()) < self.buffer())
    }

    /// Whether the application has read and an ACK must be sent now, when all segments before `next` have arrived. An ACK
    /// waits for `waiting` segments; `ack_every` are enough for it.
    pub(super) fn answers(&mut self, next: u64, waiting: u16, ack_every: u32) -> bool {
        let pending = self.pending(next, waiting, ack_every);
        self.reader.as_mut().is_some_and(|reader| reader.answers(pending))
    }

    /// When a read sends an ACK, if no more data arrives before.
    pub(super) fn acknowledges_at(&self, next: u64, waiting: u16, ack_every: u32) -> Option<Time> {
        self.reader.as_ref()?.acknowledges_at(self.pending(next, waiting, ack_every))
    }

    /// The round-trip time of auto-tuning, if there is one.
    pub(super) fn rtt(&self) -> Option<Time> {
        self.tuning.as_ref()?.rtt()
    }

    fn pending(&self, next: u64, waiting: u16, ack_every: u32) -> Pending {
        Pending {
            window: self.edge.saturating_sub(next),
            most: self.most(),
            buffer: self.buffer(),
            waits: waiting > 0,
            is_due: waiting > 0 && u32::from(waiting) >= ack_every,
        }
    }

    /// Size of the window that the buffer allows.
    fn allowed(&self) -> u64 {
        self.reader.as_ref().map_or(self.most(), |reader| reader.window(self.most(), self.buffer()))
    }

    /// Size of the window when the buffer is empty.
    fn most(&self) -> u64 {
        self.tuning.as_ref().map_or(self.size, Tuning::window).into()
    }

    /// Size of the buffer.
    fn buffer(&self) -> u64 {
        self.tuning.as_ref().map_or(self.size, Tuning::buffer).into()
    }
}
