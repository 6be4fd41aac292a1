//! Options of TCP: maximum segment size, window scale, SACK and timestamps.

/// Maximum number of SACK blocks in a header (RFC 2018, section 3).
pub(super) const MOST_BLOCKS: usize = 4;

/// The options of a segment that were captured. A malformed option ends the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// Maximum segment size (RFC 9293, section 3.7.1).
    pub(super) mss: Option<u16>,
    /// Window scale, at most 14 (RFC 7323, section 2.3).
    pub(super) scale: Option<u8>,
    /// Whether SACK is permitted (RFC 2018, section 2).
    pub(super) is_sack_permitted: bool,
    /// `TSval` and `TSecr` (RFC 7323, section 3.2).
    pub(super) stamps: Option<(u32, u32)>,
    /// Left and right edges of SACK blocks (RFC 2018, section 3).
    blocks: [(u32, u32); MOST_BLOCKS],
    count: u8,
}

impl Options {
    /// Parses the bytes between the fixed header and the payload.
    #[inline]
    pub(super) fn parse(mut bytes: &[u8]) -> Self {
        let mut options = Self::default();
        loop {
            bytes = match bytes {
                [1, rest @ ..] => rest,
                // each pass takes at least two bytes, and there are at most 40
                [kind, length, ..] if *kind > 1 && *length > 1 => {
                    let Some((option, rest)) = bytes.split_at_checked(usize::from(*length)) else { return options };
                    options.take(*kind, &option[2..]);
                    rest
                }
                _ => return options,
            };
        }
    }

    #[inline]
    fn take(&mut self, kind: u8, value: &[u8]) {
        match (kind, value) {
            (2, &[high, low]) => self.mss = Some(u16::from_be_bytes([high, low])),
            (3, &[shift]) => self.scale = Some(shift.min(14)),
            (4, []) => self.is_sack_permitted = true,
            (5, blocks) => {
                for (place, block) in self.blocks.iter_mut().zip(blocks.chunks_exact(8)) {
                    *place = (word(&block[..4]), word(&block[4..]));
                    self.count += 1;
                }
            }
            (8, stamps) if stamps.len() == 8 => self.stamps = Some((word(&stamps[..4]), word(&stamps[4..]))),
            _ => {}
        }
    }

    /// The SACK blocks.
    #[inline]
    pub(super) fn blocks(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.count).min(MOST_BLOCKS)]
    }

    /// `TSval`.
    #[inline]
    pub(super) fn stamp(&self) -> Option<u32> {
        self.stamps.map(|(value, _)| value)
    }
}

#[inline]
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_syn() {
        let syn = Options::parse(&[2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 1, 2, 0, 0, 0, 9, 1, 3, 3, 7]);
        assert_eq!((syn.mss, syn.scale, syn.is_sack_permitted), (Some(1460), Some(7), true));
        assert_eq!((syn.stamps, syn.blocks()), (Some((258, 9)), &[][..]));
    }

    #[test]
    fn blocks_of_an_ack() {
        let ack = Options::parse(&[1, 1, 5, 18, 0, 0, 0, 1, 0, 0, 0, 3, 255, 0, 0, 0, 255, 0, 1, 0]);
        assert_eq!(ack.blocks(), [(1, 3), (0xff00_0000, 0xff00_0100)]);
    }

    #[test]
    fn malformed_options_end_the_list() {
        assert_eq!(Options::parse(&[0, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0]), Options::default(), "behind the end");
        assert_eq!(Options::parse(&[3, 0, 2, 4, 5, 180]), Options::default(), "a length of 0");
        assert_eq!(Options::parse(&[3, 99, 8, 10]), Options::default(), "a length beyond the header");
        assert_eq!(Options::parse(&[8]), Options::default());
        let many = [&[5, 2, 5, 2][..], &[5, 18, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4].repeat(3)].concat();
        assert_eq!(Options::parse(&many).blocks().len(), MOST_BLOCKS, "three options instead of one");
    }
}
