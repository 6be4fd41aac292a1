//! Drives a sender through time, for conversations whose other side is a script.

use std::collections::VecDeque;

use ackclock_units::Time;

use crate::{Ack, Segment, Sender};

/// A sender, the current time, and what it has sent.
///
/// The caller passes ACKs and data, and lets time pass. Timers and the ends of pacing intervals take effect in the order of
/// time. Everything sent is kept until the caller takes it.
///
/// ```
/// use ackclock_tcp::{Ack, Conversation, Sender, SenderConfig};
/// use ackclock_units::{Role, Stream, Time};
///
/// let config = SenderConfig { handshake: false, ..SenderConfig::default() };
/// let mut talk = Conversation::new(Sender::new(config, Stream::new(1, Role::Sender, 0)));
/// talk.supply(12);
/// assert_eq!(talk.sent().drain(..).count(), 10, "the initial window");
/// talk.wait(Time::from_millis(100));
/// talk.acknowledge(Ack::cumulative(10));
/// assert_eq!(talk.sent().drain(..).count(), 2);
/// // nothing more arrives, and the sender sends a probe
/// assert!(talk.act(Time::SECOND, true));
/// assert_eq!(talk.sent()[0].1.number, 11);
/// ```
#[derive(Debug)]
pub struct Conversation {
    /// The sender.
    pub sender: Sender,
    /// The current time.
    pub now: Time,
    sent: VecDeque<(Time, Segment)>,
    snd_max: u64,
}

impl Conversation {
    /// A conversation that begins at time 0.
    pub const fn new(sender: Sender) -> Self {
        Self { sender, now: Time::ZERO, sent: VecDeque::new(), snd_max: 0 }
    }

    /// What was sent and not taken, each with its time, in order.
    pub const fn sent(&mut self) -> &mut VecDeque<(Time, Segment)> {
        &mut self.sent
    }

    /// The first segment that was never sent.
    pub const fn snd_max(&self) -> u64 {
        self.snd_max
    }

    /// When the sender acts next by itself.
    pub fn due(&self) -> Option<Time> {
        [self.sender.poll_release(), self.sender.poll_timeout()].into_iter().flatten().min().map(|at| at.max(self.now))
    }

    /// Lets the sender act by itself once, if it does so before `end` or, if `inclusive`, at `end`. Returns whether it has.
    pub fn act(&mut self, end: Time, inclusive: bool) -> bool {
        let Some(due) = self.due().filter(|due| *due < end || inclusive && *due == end) else { return false };
        self.now = due;
        // the end of a pacing interval comes before a timer
        if self.sender.poll_release().is_none_or(|at| at > due) {
            self.sender.handle_timeout(due);
        }
        self.send();
        true
    }

    /// Lets time pass in which the sender does not act. Time never goes back.
    pub fn wait(&mut self, until: Time) {
        self.now = self.now.max(until);
    }

    /// The application supplies data.
    pub fn supply(&mut self, segments: u64) {
        self.sender.supply(segments);
        self.sender.handle_supply();
        self.send();
    }

    /// Opens the connection before there is data.
    pub fn open(&mut self) {
        self.sender.open();
        self.send();
    }

    /// An ACK arrives.
    pub fn acknowledge(&mut self, ack: Ack<'_>) {
        self.sender.handle_ack(ack, self.now);
        self.send();
    }

    /// Sends what may be sent now.
    pub fn send(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            self.snd_max = self.snd_max.max(segment.number + 1);
            self.sent.push_back((self.now, segment));
        }
    }
}
