//! The receiver's feedback about ECN marks: classic (RFC 3168, section 6.1.3), DCTCP's (RFC 8257, section 3.2) and
//! accurate (RFC 9768, section 3.2.2).
//!
//! With classic feedback, a receiver with Linux's quick ACKs (`quick_acks_again`) acknowledges the segment with CWR at once
//! (`tcp_ecn_accept_cwr`), and two packets from the first mark after CWR on, or from a retransmission on, which is not
//! ECN-capable (`tcp_data_ecn_check`).
//!
//! A segment below the next one expected has no effect, since it is not acceptable (RFC 9293, section 3.10.7.4; RFC
//! 3168, section 6.1.5; RFC 9768, section 1.3).
//!
//! Differences from RFC 9768:
//! - the count starts at 0, not at 5, because the handshake is not simulated;
//! - ACKs are not ECN-capable and are therefore never counted;
//! - there is no option with byte counters.

use ackclock_units::Time;

use crate::config::EcnMode;

/// What the headers of a segment tell its receiver besides its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Congestion experienced: a queue has marked the packet.
    pub ce: bool,
    /// The sender has reduced its window.
    pub cwr: bool,
    /// The segment was sent before.
    pub again: bool,
    /// When the segment was sent, by the sender's clock (RFC 7323's TSval).
    pub sent: Time,
    /// The segment is [pushed](crate::Segment::pushed).
    pub pushed: bool,
    /// The segment is a [probe](crate::Segment::is_probe) of a closed window.
    pub probe: bool,
}

impl Mark {
    /// No mark, on a segment sent at time 0.
    pub const NONE: Self = Self { ce: false, cwr: false, again: false, sent: Time::ZERO, pushed: false, probe: false };
}

/// With this number of marks since the last ACK, accurate feedback does not wait (RFC 9768, section 3.2.2.5.1, for data).
const MOST_UNREPORTED: u8 = 2;

/// State of a receiver's feedback.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Echo {
    /// The [echo](crate::Ack::echo) of the next ACK.
    value: u8,
    /// Whether the last segment was marked.
    was_ce: bool,
    /// Marks since the last ACK.
    unreported: u8,
}

impl Echo {
    /// Handles a segment's mark. Returns whether its ACK must not wait; with classic feedback, only with quick ACKs.
    pub(super) const fn update(&mut self, mode: EcnMode, Mark { ce, cwr, again, .. }: Mark) -> bool {
        let changes = ce != self.was_ce;
        self.was_ce = ce;
        match mode {
            EcnMode::Off => false,
            EcnMode::Classic => {
                // CWR is processed before CE (RFC 3168, erratum 3639)
                let kept = self.value & !cwr as u8;
                self.value = ce as u8 | kept;
                cwr || again || ce && kept == 0
            }
            EcnMode::Dctcp => {
                self.value = ce as u8;
                changes
            }
            EcnMode::Accurate => {
                self.value = (self.value + ce as u8) % 8;
                self.unreported = self.unreported.saturating_add(ce as u8);
                ce && (changes || self.unreported >= MOST_UNREPORTED)
            }
        }
    }

    /// Whether a segment with this mark leaves the state as it is, and does not make its ACK urgent.
    #[inline(always)]
    pub(super) const fn is_unmoved_by(self, mark: Mark) -> bool {
        !(mark.ce | mark.cwr | self.was_ce)
    }

    /// The echo of an ACK that is about to be sent.
    pub(super) const fn report(&mut self) -> u8 {
        self.unreported = 0;
        self.value
    }
}
