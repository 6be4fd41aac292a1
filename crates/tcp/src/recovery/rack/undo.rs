//! Finds out that a reduction was unnecessary, and what the window was before it.
//!
//! After a fast recovery, a duplicate that the receiver reports for each retransmission shows that all originals arrived
//! (RFC 3708). An ACK that advances `snd_una` and answers an original shows it at once (Eifel detection, RFC 3522); a flag
//! stands for the timestamps of the RFC. After a timeout, F-RTO waits with further retransmissions: if an original arrives
//! first, the timeout was spurious (RFC 5682, section 3).
//!
//! Differences:
//! - the window is restored as in Linux, to the larger of the present one and the one before the reduction; RFC 4015
//!   computes it from the flight size, and also adapts the timeout, which is left to later samples here;
//! - of the window laws, only BBR version 3 restores its state, and BBR begins its searches again (RFC 9438, section 4.9,
//!   restores CUBIC's);
//! - a duplicate report of any retransmission counts, whichever segment it names (as in Linux).

use crate::congestion::Window;
use crate::limits::Limit;
use crate::segment::{Block, Sack};

/// The last reduction.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// The window before it, and what had reduced that one; `None` once the reduction is undone.
    before: Option<(Window, Limit)>,
    /// Retransmissions since, and those of them that were reported as duplicates.
    resent: u64,
    duplicates: u64,
    frto: Frto,
}

/// The state of F-RTO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Frto {
    /// No timeout, or the timeout was necessary.
    #[default]
    Off,
    /// The first segment was sent again after a timeout.
    Resent,
    /// An ACK has arrived since, and new data is sent until the next one.
    Probing,
}

/// What an ACK says about the last reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Undone {
    No,
    Yes,
    /// It was unnecessary, but the undo waits.
    Waits,
}

/// An ACK after a timeout, as F-RTO sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// Whether it delivers a segment that was sent once, before the timeout.
    pub(super) original: bool,
    /// Whether it acknowledges all data sent before the timeout.
    pub(super) complete: bool,
    /// Whether it advances `snd_una`, but not to the end of the data sent before the timeout.
    pub(super) partial: bool,
    /// Whether new data can be sent.
    pub(super) has_new: bool,
}

impl Undo {
    /// Begins a reduction.
    pub(super) fn begin(&mut self, before: Window, reduced_by: Limit) {
        let before = (before, reduced_by);
        *self = Self { before: Some(before), ..Self::default() };
    }

    /// Begins F-RTO.
    pub(super) const fn begin_frto(&mut self) {
        self.frto = Frto::Resent;
    }

    /// Ends F-RTO.
    pub(super) const fn end_frto(&mut self) {
        self.frto = Frto::Off;
    }

    /// Whether new data is sent before lost segments.
    pub(super) fn prefers_new_data(&self) -> bool {
        self.frto == Frto::Probing
    }

    /// Records a retransmission.
    pub(super) const fn resent(&mut self) {
        self.resent += 1;
    }

    /// Records a reported duplicate. Returns whether the receiver has now reported all retransmissions.
    pub(super) fn duplicate_reported(&mut self) -> bool {
        self.duplicates += 1;
        self.resent > 0 && self.duplicates >= self.resent
    }

    /// Handles an ACK after a timeout. Returns whether the timeout was spurious.
    pub(super) fn answer(&mut self, answer: Answer) -> bool {
        match self.frto {
            Frto::Off => return false,
            // section 3.1, step 2: the retransmission may have filled the only hole
            Frto::Resent if answer.complete => self.frto = Frto::Off,
            // an original arrived although nothing but the first segment was sent again
            Frto::Resent | Frto::Probing if answer.original => {
                self.frto = Frto::Off;
                return true;
            }
            Frto::Resent if answer.partial && answer.has_new => self.frto = Frto::Probing,
            Frto::Resent | Frto::Probing => self.frto = Frto::Off,
        }
        false
    }

    /// Takes the window to restore, and what had reduced it, if the last reduction was `spurious`.
    pub(super) fn take_if(&mut self, spurious: bool) -> Option<(Window, Limit)> {
        if spurious { self.before.take() } else { None }
    }
}

/// The duplicate that an ACK reports: its first block, if that lies below the cumulative ACK or within the second block
/// (RFC 2883, section 4).
pub(super) fn duplicate(sack: &Sack, next: u64) -> Option<Block> {
    let (first, rest) = sack.blocks().split_first()?;
    let within = |outer: &Block| outer.start <= first.start && first.end <= outer.end;
    Some(*first).filter(|first| first.end <= next || rest.first().is_some_and(within))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: the first block reports a duplicate if it is below the cumulative ACK or within the second block.
    /// Source: RFC 2883, sections 4.1 and 4.2.
    /// Tolerance: exact.
    #[test]
    fn duplicates_are_told_from_news() {
        let block = |start, end| Block { start, end };
        let found = |blocks: &[Block], next| duplicate(&Sack::of(blocks), next);
        assert_eq!(found(&[block(3, 4)], 4), Some(block(3, 4)));
        assert_eq!(found(&[block(6, 7), block(5, 9)], 4), Some(block(6, 7)));
        assert_eq!(found(&[block(6, 8), block(10, 12)], 4), None);
        assert_eq!(found(&[], 4), None);
    }

    /// Validates: the decisions of F-RTO.
    /// Source: RFC 5682, section 3.1, steps 2 and 3.
    /// Tolerance: exact.
    #[test]
    fn an_original_after_a_timeout_shows_that_it_was_spurious() {
        let plain = Answer { original: false, complete: false, partial: true, has_new: true };
        let undo = || {
            let mut undo = Undo::default();
            undo.begin(Window { cwnd: 20.0, ssthresh: 30.0 }, Limit::Window);
            undo.begin_frto();
            undo
        };
        let mut spurious = undo();
        assert!(!spurious.answer(plain) && spurious.prefers_new_data());
        assert!(spurious.answer(Answer { original: true, ..plain }));
        let mut needed = undo();
        assert!(!needed.answer(plain) && !needed.answer(plain) && !needed.prefers_new_data());
        let mut limited = undo();
        assert!(!limited.answer(Answer { has_new: false, ..plain }) && !limited.prefers_new_data());
        assert!(!limited.answer(Answer { original: true, ..plain }), "given up");
        let whole = Answer { original: true, complete: true, partial: false, has_new: true };
        assert!(!undo().answer(whole), "the retransmission has filled the only hole");
    }

    #[test]
    fn all_retransmissions_must_have_been_duplicates() {
        let mut undo = Undo::default();
        undo.begin(Window { cwnd: 20.0, ssthresh: 30.0 }, Limit::Marks);
        undo.resent();
        undo.resent();
        assert!(!undo.duplicate_reported() && undo.duplicate_reported());
        assert_eq!(undo.take_if(false), None);
        assert_eq!(undo.take_if(true), Some((Window { cwnd: 20.0, ssthresh: 30.0 }, Limit::Marks)));
        assert_eq!(undo.take_if(true), None);
    }
}
