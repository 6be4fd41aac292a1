//! Generic receive offload (GRO): the receiver's host gathers packets of a flow for a time, and the receiver answers them as
//! one packet (Linux 6.18, `net/core/gro.c`, `dev_gro_receive` and `skb_gro_receive`; `net/ipv4/tcp_offload.c`,
//! `tcp_gro_receive`).
//!
//! A network card raises an interrupt for many packets, at most one per `rx-usecs`, and the host handles the packets of an
//! interrupt in one poll; with `gro_flush_timeout` it waits for longer. Consecutive packets become one packet of up to 64
//! kB, 45 packets with 1,448 bytes of data. TCP sends at most one ACK for it: it counts as two packets or more for delayed
//! ACKs, as one for quick ACKs, and as one beyond a gap (`__tcp_ack_snd_check`).
//!
//! Here, the first packet begins a batch. Each next one in sequence joins it, unless only one of them is marked or sent again. The receiver answers the
//! batch `gro_interval` after its first packet; at once when `gro_packets` are in it, or with a packet that is pushed, is a
//! duplicate or requires an immediate ACK; and before a packet that does not join it.
//!
//! Differences from Linux:
//! - data counts as received when it arrives, only its ACK waits; the adaptive delay and auto-tuning follow each packet;
//! - an interval begins with a batch, not with the interrupt of other flows;
//! - originals with different timestamps (TSval, in ms) are gathered too.

use ackclock_units::Time;

use super::echo::Mark;
use crate::packed_option::PackedOption;

/// Data that the receiver has recorded and not yet answered: a segment, or several of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// The last segment, and the number of segments.
    pub(super) number: u64,
    pub(super) count: u16,
    /// Whether the last segment was recorded before, and whether its ACK reports this.
    pub(super) duplicate: bool,
    pub(super) again: bool,
    /// Whether the last segment was below the next one expected.
    pub(super) is_old: bool,
    /// Whether the ACK may be delayed, and whether it must be sent at once.
    pub(super) may_wait: bool,
    pub(super) is_urgent: bool,
    /// Whether a segment came after a pause, if the time since the last answer does not decide.
    pub(super) paused: Option<bool>,
}

impl Taken {
    /// These segments and the next one.
    fn with(self, next: Self) -> Self {
        Self {
            count: self.count + next.count,
            may_wait: self.may_wait && next.may_wait,
            is_urgent: self.is_urgent || next.is_urgent,
            paused: self.paused.zip(next.paused).map(|(before, last)| before || last),
            ..next
        }
    }
}

/// The segments that the host gathers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    taken: Option<Taken>,
    /// Whether the segments are marked, and whether they were sent before.
    kind: (bool, bool),
    /// When they must be answered, and the deadline of an ACK that waited before.
    pub(super) until: Time,
    before: PackedOption<Time>,
}

impl Batch {
    /// No segments.
    pub(super) const NONE: Self =
        Self { taken: None, kind: (false, false), until: Time::ZERO, before: PackedOption::NONE };

    /// Whether there are segments.
    pub(super) const fn is_open(&self) -> bool {
        self.taken.is_some()
    }

    /// Whether segment `number` joins the segments gathered so far.
    pub(super) fn accepts(&self, number: u64, mark: Mark) -> bool {
        self.taken.is_some_and(|taken| taken.number + 1 == number && self.kind == (mark.ce, mark.again))
    }

    /// Adds a segment. The first one begins a batch that must be answered at `until`; `before` is the deadline of an ACK that
    /// already waits. Returns the number of segments.
    pub(super) fn add(&mut self, next: Taken, mark: Mark, until: Time, before: PackedOption<Time>) -> u16 {
        let taken = if let Some(taken) = self.taken {
            taken.with(next)
        } else {
            (self.kind, self.until, self.before) = ((mark.ce, mark.again), until, before);
            next
        };
        self.taken = Some(taken);
        taken.count
    }

    /// Forgets the deadline of the ACK that waited, since it was sent.
    pub(super) const fn on_ack(&mut self) {
        self.before = PackedOption::NONE;
    }

    /// Takes the segments out, with the deadline of an ACK that waited before.
    pub(super) fn close(&mut self) -> Option<(Taken, PackedOption<Time>)> {
        Some((self.taken.take()?, self.before))
    }
}
