//! Sequence numbers of one direction of a connection as 64-bit numbers from its start.
//!
//! A SYN has the number 0 and the first byte of data 1, as in tshark and tcptrace. If no SYN was captured, the first segment
//! that was captured has the number 1; so has the first acknowledgment of a direction that was not captured yet. The numbers
//! go on where those of the header wrap.

/// The numbering of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbering {
    /// The highest sequence number, and its relative number.
    highest: Option<(u32, i64)>,
}

impl Numbering {
    /// Returns the relative number of a sequence number, or of the acknowledgment of one.
    #[inline]
    pub(super) fn of(&self, sequence: u32) -> i64 {
        let (reference, relative) = self.highest.unwrap_or((sequence.wrapping_sub(1), 0));
        relative.saturating_add(i64::from(sequence.wrapping_sub(reference) as i32))
    }

    /// Notes a sequence number of the stream, or the acknowledgment of one, and returns its relative number.
    #[inline]
    pub(super) fn note(&mut self, sequence: u32) -> i64 {
        let relative = self.of(sequence);
        if self.highest.is_none_or(|(_, highest)| highest < relative) {
            self.highest = Some((sequence, relative));
        }
        relative
    }

    /// Starts at a SYN, unless it was acknowledged or sent before.
    #[inline]
    pub(super) fn start(&mut self, sequence: u32) {
        self.highest.get_or_insert((sequence, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syn_is_0_and_data_begins_at_1() {
        let mut numbering = Numbering::default();
        numbering.start(u32::MAX);
        assert_eq!([u32::MAX, 0, 1459].map(|each| numbering.note(each)), [0, 1, 1460]);
        numbering.start(7);
        assert_eq!(numbering.of(0), 1, "a second start changes nothing");
    }

    #[test]
    fn without_a_syn_the_first_is_1_and_what_was_before_is_less() {
        let mut numbering = Numbering::default();
        assert_eq!([5000, 4000, 6000].map(|each| numbering.note(each)), [1, -999, 1001]);
    }

    #[test]
    fn numbers_pass_32_bits() {
        let mut numbering = Numbering::default();
        let last = (0..10_u32).map(|step| numbering.note(step.wrapping_mul(1 << 30))).last();
        assert_eq!(last, Some(9 * (1 << 30) + 1));
        assert_eq!(numbering.of(0), 8 * (1 << 30) + 1, "an earlier number is one of the last 2^31");
    }
}
