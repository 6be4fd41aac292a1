//! Tail-loss probes: when to send one, and what its answer says (RFC 8985, section 7).

use ackclock_units::Time;

/// Longest time that a receiver is assumed to delay an ACK (`TLP.max_ack_delay`).
const MAX_ACK_DELAY: Time = Time::from_millis(200);

/// A probe that is not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    /// First segment that had not been sent when the probe was sent (`TLP.end_seq`).
    pub(super) end: u64,
    /// Whether the probe was a retransmission.
    pub(super) retransmission: bool,
}

/// An ACK, as the probe sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) next: u64,
    /// Whether it reports a duplicate.
    pub(super) duplicate: bool,
    /// Whether it advances nothing and reports nothing.
    pub(super) plain: bool,
}

/// The conclusion from an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProbeOutcome {
    /// The probe is still outstanding.
    Waiting,
    /// Nothing was lost, or the ordinary search finds the loss.
    Over,
    /// The probe has repaired a loss.
    Repaired,
}

impl Probe {
    /// The time from the last ACK or transmission until a probe, if `flight` segments are outstanding and `srtt` is the
    /// smoothed round-trip time. `extension` is added if the receiver has no reason to delay the ACK.
    pub(super) fn timeout(srtt: Option<Time>, flight: u64, extension: Time) -> Time {
        let Some(srtt) = srtt else { return Time::SECOND };
        let patience = if flight == 1 { MAX_ACK_DELAY } else { extension };
        srtt.saturating_mul(2).saturating_add(patience)
    }

    /// Draws the conclusion from an ACK.
    pub(super) const fn answered(self, ack: Answer) -> ProbeOutcome {
        if ack.next < self.end {
            ProbeOutcome::Waiting
        } else if !self.retransmission || ack.duplicate {
            ProbeOutcome::Over
        } else if ack.next > self.end {
            ProbeOutcome::Repaired
        } else if ack.plain {
            ProbeOutcome::Over
        } else {
            ProbeOutcome::Waiting
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: the time until a probe at smoothed round-trip times of 20 and 100 ms.
    /// Source: RFC 8985, section 7.2.
    /// Tolerance: exact.
    #[test]
    fn a_lone_segment_may_wait_for_a_delayed_ack() {
        let after = |srtt, flight| Probe::timeout(Some(Time::from_millis(srtt)), flight, Time::ZERO);
        assert_eq!([after(20, 2), after(20, 1)], [40, 240].map(Time::from_millis));
        assert_eq!([after(100, 9), after(100, 1)], [200, 400].map(Time::from_millis));
        assert_eq!(Probe::timeout(None, 3, Time::ZERO), Time::SECOND);
        let extended = |flight| Probe::timeout(Some(Time::from_millis(20)), flight, Time::from_millis(2));
        assert_eq!([extended(2), extended(1)], [42, 240].map(Time::from_millis));
    }

    /// Validates: the conclusions from the ACKs of a probe.
    /// Source: RFC 8985, section 7.4.2.
    /// Tolerance: exact.
    #[test]
    fn an_ack_beyond_the_probe_without_a_duplicate_shows_a_loss() {
        let probe = Probe { end: 10, retransmission: true };
        let ack = |next, duplicate, plain| probe.answered(Answer { next, duplicate, plain });
        assert_eq!(ack(9, false, false), ProbeOutcome::Waiting);
        assert_eq!(ack(10, false, false), ProbeOutcome::Waiting, "a duplicate may still be reported");
        assert_eq!(ack(10, true, false), ProbeOutcome::Over);
        assert_eq!(ack(10, false, true), ProbeOutcome::Over);
        assert_eq!(ack(11, false, false), ProbeOutcome::Repaired);
        let new = Probe { retransmission: false, ..probe };
        assert_eq!(new.answered(Answer { next: 11, duplicate: false, plain: false }), ProbeOutcome::Over);
    }
}
