//! The sender's part in explicit congestion notification: which segments are ECN-capable, and how many marks an ACK
//! reports (RFC 3168, section 6.1; RFC 8257, section 3.3; RFC 9768).
//!
//! Marks and losses of one window reduce it once (RFC 3168, section 6.1.2); a law that answers marks in proportion answers a
//! loss as well (RFC 8257, section 3.5). An ACK that reports marks
//! does not grow the window, unless the law has a slow start of its own. An ACK below `snd_una` is ignored.
//!
//! Differences:
//! - a window of one segment is not reduced further, and with `prr = "linux"` becomes two (`prr.rs`): RFC 3168 would then
//!   send one segment per timeout;
//! - with accurate feedback, the counter of three bits is taken to have grown by less than eight unless `most_marks` is set;
//!   RFC 9768 assumes more if an ACK acknowledges many segments and none of its options says otherwise (Appendix A.2.1;
//!   Linux, `__tcp_accecn_process`).

use crate::config::EcnMode;
use crate::segment::Ecn;

/// Number of values of the counter of accurate feedback.
const COUNTS: u8 = 8;

/// The state of a sender that uses ECN.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    mode: EcnMode,
    /// Whether segments ask for the treatment of low latency.
    is_scalable: bool,
    /// No mark reduces the window until this segment is acknowledged.
    recover: u64,
    /// Whether the next new segment reports that the window was reduced.
    cwr: bool,
    /// The last count of marked segments, modulo 8.
    count: u8,
    /// Marks that ACKs without new data reported since the last ACK with new data.
    carried: u64,
}

impl Marks {
    /// The state of a sender with this option; `None` if it does not use ECN.
    pub(super) fn of(mode: EcnMode, is_scalable: bool) -> Option<Self> {
        (mode != EcnMode::Off).then_some(Self { mode, is_scalable, recover: 0, cwr: false, count: 0, carried: 0 })
    }

    /// The number of marked segments that an ACK reports, of `newly_acked` segments. Classic feedback does not count:
    /// an echo stands for one mark. If accurate feedback may have wrapped around, `delivered` segments were delivered.
    pub(super) fn reported(&mut self, echo: u8, newly_acked: u64, delivered: u64) -> u64 {
        match self.mode {
            EcnMode::Off => 0,
            EcnMode::Classic => echo.into(),
            EcnMode::Dctcp => u64::from(echo) * newly_acked,
            EcnMode::Accurate => {
                let grown = u64::from(echo.wrapping_sub(self.count) % COUNTS);
                self.count = echo;
                let wraps = delivered.saturating_sub(grown) / u64::from(COUNTS);
                grown + wraps * u64::from(COUNTS)
            }
        }
    }

    /// Adds the marks that an ACK reports to those that the window law has not seen. An ACK with new data takes them all.
    pub(super) fn collect(&mut self, reported: u64, is_new: bool) -> u64 {
        self.carried += reported;
        if is_new { std::mem::take(&mut self.carried) } else { 0 }
    }

    /// Whether an ACK with this echo reports no mark, and none is left that the window law has not seen.
    #[inline(always)]
    pub(super) const fn is_silent(&self, echo: u8) -> bool {
        let unchanged = if matches!(self.mode, EcnMode::Accurate) { self.count } else { 0 };
        echo == unchanged && self.carried == 0
    }

    /// Whether the next new segment must report that the window was reduced.
    #[inline(always)]
    pub(super) const fn is_reduced(&self) -> bool {
        self.cwr
    }

    /// The ECN field of data that is sent for the first time.
    pub(super) const fn codepoint(&self) -> Ecn {
        if self.is_scalable { Ecn::Ect1 } else { Ecn::Ect0 }
    }

    /// Whether a mark may reduce the window.
    pub(super) const fn may_reduce(&self, snd_una: u64) -> bool {
        snd_una > self.recover
    }

    /// Records that the window was reduced.
    pub(super) const fn reduced(&mut self, snd_max: u64) {
        (self.recover, self.cwr) = (snd_max, true);
    }

    /// The ECN field of a segment, and whether it carries CWR. Retransmissions are not ECN-capable (RFC 3168, section
    /// 6.1.5), except with DCTCP, whose networks drop packets that are not, and with scalable laws (RFC 9331, section 4.1).
    pub(super) const fn label(&mut self, syn: bool, retransmission: bool) -> (Ecn, bool) {
        let capable = self.codepoint();
        if syn {
            return (Ecn::NotEct, false);
        }
        if retransmission {
            let is_capable = self.is_scalable || matches!(self.mode, EcnMode::Dctcp);
            return (if is_capable { capable } else { Ecn::NotEct }, false);
        }
        let cwr = self.cwr;
        self.cwr = false;
        (capable, cwr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: the counts of the three kinds of feedback; the counter of accurate feedback wraps around.
    /// Source: RFC 3168, section 6.1.3; RFC 8257, section 3.3; RFC 9768, section 3.2.
    /// Tolerance: exact.
    #[test]
    fn feedback_counts_marks() {
        let counts = |mode| {
            let mut marks = Marks::of(mode, false).expect("ECN is on");
            [(1, 2), (1, 3), (0, 1)].map(|(echo, newly_acked)| marks.reported(echo, newly_acked, 0))
        };
        assert_eq!(counts(EcnMode::Classic), [1, 1, 0]);
        assert_eq!(counts(EcnMode::Dctcp), [2, 3, 0]);
        assert_eq!(counts(EcnMode::Accurate), [1, 0, 7]);
        assert!(Marks::of(EcnMode::Off, false).is_none());
    }

    /// Validates: as many marks as the counter allows: with 9 segments delivered, no growth may be 8 marks, and growth by 1, 9;
    ///     with fewer than 8, and for delivered segments that are not known, the growth counts.
    /// Source: RFC 9768, Appendix A.2.1: `newlyAckedPkt - ((newlyAckedPkt - d.cep) mod DIVACE)`.
    /// Tolerance: exact.
    #[test]
    fn the_counter_may_have_wrapped_around() {
        let found = |echo, delivered| {
            Marks::of(EcnMode::Accurate, false).expect("ECN is on").reported(echo, delivered, delivered)
        };
        assert_eq!(
            [(0, 9), (1, 9), (7, 9), (0, 7), (3, 7), (0, 8)].map(|(echo, all)| found(echo, all)),
            [8, 9, 7, 0, 3, 8]
        );
        for (echo, delivered) in (0..8).flat_map(|echo| (8..100).map(move |delivered| (echo, delivered))) {
            let growth = u64::from(echo);
            assert_eq!(found(echo, delivered), delivered - (delivered - growth) % 8);
        }
    }

    /// Validates: one reduction per round trip; the next new segment, and no other, carries CWR.
    /// Source: RFC 3168, section 6.1.2.
    /// Tolerance: exact.
    #[test]
    fn a_reduction_is_reported_once() {
        let mut marks = Marks::of(EcnMode::Classic, false).expect("ECN is on");
        assert!(marks.may_reduce(1));
        marks.reduced(20);
        assert!(!marks.may_reduce(20) && marks.may_reduce(21));
        assert_eq!(marks.label(false, true), (Ecn::NotEct, false));
        assert_eq!(marks.label(false, false), (Ecn::Ect0, true));
        assert_eq!(marks.label(false, false), (Ecn::Ect0, false));
        assert_eq!(marks.label(true, false), (Ecn::NotEct, false));
    }

    /// Validates: data of a scalable law carries ECT(1), also when it is sent again; a SYN is not ECN-capable.
    /// Source: RFC 9331, section 4.1; RFC 9768, section 3.1.1.
    /// Tolerance: exact.
    #[test]
    fn segments_of_a_scalable_law_ask_for_low_latency() {
        let mut marks = Marks::of(EcnMode::Accurate, true).expect("ECN is on");
        let fields = [(false, false), (false, true), (true, false)].map(|(syn, again)| marks.label(syn, again).0);
        assert_eq!(fields, [Ecn::Ect1, Ecn::Ect1, Ecn::NotEct]);
    }
}
