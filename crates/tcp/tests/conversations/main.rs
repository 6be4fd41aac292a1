//! Conversations with a sender: each test delivers ACKs, checks the segments sent in response, and cites the rule it
//! tests.
//!
//! One module per RFC. Unless stated otherwise, the sender has no handshake, an open window and plenty of data.
//! Segments are counted from 0.

mod bbr;
mod bbr3;
mod copa;
mod linux;
mod linux_bbr;
mod linux_without_sack;
mod pacing;
mod path;
mod prague;
mod rfc2018;
mod rfc3042;
mod rfc3168;
mod rfc5681;
mod rfc6298;
mod rfc6582;
mod rfc6675;
mod rfc8985;
mod rfc9293;
mod slow_reader;
mod vegas;

use ackclock_tcp::recovery::RecoverySpec;
use std::ops::{Deref, DerefMut};

use ackclock_tcp::{Ack, Block, Conversation, PrrRule, Sack, Sender, SenderConfig};
use ackclock_units::{Role, Stream, Time};

/// A conversation that tells numbers of segments.
struct Talk(Conversation);

impl Deref for Talk {
    type Target = Conversation;

    fn deref(&self) -> &Conversation {
        &self.0
    }
}

impl DerefMut for Talk {
    fn deref_mut(&mut self) -> &mut Conversation {
        &mut self.0
    }
}

impl Talk {
    fn new(config: &SenderConfig) -> Self {
        Self::with_supply(config, 1_000_000)
    }

    /// A conversation whose application has `segments` segments to send.
    fn with_supply(config: &SenderConfig, segments: u64) -> Self {
        let mut sender = Sender::new(config.clone(), Stream::new(1, Role::Sender, 0));
        sender.supply(segments);
        Self(Conversation::new(sender))
    }

    /// Returns the segments sent now.
    fn sends(&mut self) -> Vec<u64> {
        self.send();
        self.sent().drain(..).map(|(_, segment)| segment.number).collect()
    }

    /// Delivers an ACK for all segments before `next` after `millis` milliseconds. Returns the segments sent.
    fn ack(&mut self, millis: u64, next: u64) -> Vec<u64> {
        self.sack(millis, next, &[])
    }

    /// Delivers an ACK with SACK blocks, otherwise like [`ack`](Self::ack).
    fn sack(&mut self, millis: u64, next: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        self.now += Time::from_millis(millis);
        let blocks: Vec<_> = blocks.iter().map(|(start, end)| Block { start: *start, end: *end }).collect();
        self.acknowledge(Ack { next, sack: &Sack::of(&blocks), echo: 0, original: false });
        self.sends()
    }

    /// Delivers an ACK that advertises a window, otherwise like [`ack`](Self::ack).
    fn advertise(&mut self, millis: u64, next: u64, window: u32) -> Vec<u64> {
        self.now += Time::from_millis(millis);
        let sack = &Sack::NONE.with_window(window);
        self.acknowledge(Ack { sack, ..Ack::cumulative(next) });
        self.sends()
    }

    /// The application supplies more data. Returns the segments sent.
    fn supply(&mut self, segments: u64) -> Vec<u64> {
        self.sender.supply(segments);
        self.sender.handle_supply();
        self.sends()
    }

    /// Advances to the end of the processing time. Returns the segments sent.
    fn process(&mut self) -> Vec<u64> {
        self.now = self.sender.poll_release().expect("processing has begun");
        self.sends()
    }

    /// The retransmission timer fires. Returns the segments sent.
    fn time_out(&mut self) -> Vec<u64> {
        self.now = self.sender.poll_timeout().expect("the timer runs");
        let now = self.now;
        self.sender.handle_timeout(now);
        self.sends()
    }

    fn cwnd(&self) -> f64 {
        self.sender.state().cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.sender.state().ssthresh
    }

    fn rto(&self) -> f64 {
        self.sender.state().rto
    }
}

fn open(initial_window: u32) -> SenderConfig {
    let (recovery, prr) = (RecoverySpec::Reno, PrrRule::Off);
    SenderConfig { recovery, handshake: false, initial_window, max_window: 100, prr, ..SenderConfig::default() }
}

/// A sender with segments 0 to 9 in flight.
fn ten_in_flight(recovery: RecoverySpec) -> Talk {
    let mut talk = Talk::new(&SenderConfig { recovery, ..open(10) });
    assert_eq!(talk.sends(), (0..10).collect::<Vec<_>>());
    talk
}
