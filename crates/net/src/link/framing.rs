//! Framing: the bytes that a link sends for a packet, which may be more than the packet's own.
//!
//! A packet gets `overhead` bytes, at least `mpu` bytes in all. ATM then cuts it into cells of 53 bytes for each 48 bytes or
//! part of them (ITU-T I.361, AAL5); PTM adds a byte for each 64 bytes or part of them (IEEE 802.3,
//! clause 61.3). The
//! transmission takes as long as these bytes, and a shaper counts them. The limits of queues and records count the bytes of
//! packets.
//!
//! The parameters are those of `tc-cake` with the same names; packets have the sizes of their IP headers and data, from which
//! `tc-cake` also counts. As there, PTM's bytes are rounded up for each packet.

use serde::{Deserialize, Serialize};

/// How a link frames packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Framing {
    /// Units in which the link sends a packet.
    pub kind: Cells,
    /// Bytes that each packet gets in addition; below 0 if the link omits some of its headers.
    pub overhead: i32,
    /// Least number of bytes of a packet with its overhead.
    pub mpu: u32,
}

/// Units in which a link sends packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cells {
    /// Bytes.
    #[default]
    Plain,
    /// Cells of 53 bytes, 48 of which belong to the packet.
    Atm,
    /// Bytes, and one more for each 64.
    Ptm,
}

/// Limits of the overhead, and the upper limit of `mpu`, as in `tc-cake`.
const OVERHEAD: std::ops::RangeInclusive<i32> = -64..=256;
const MOST_MPU: u32 = 256;

impl Framing {
    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        if !OVERHEAD.contains(&self.overhead) {
            return Err(("overhead", "must be from -64 to 256 bytes"));
        }
        if self.mpu > MOST_MPU { Err(("mpu", "must be at most 256 bytes")) } else { Ok(()) }
    }

    /// Bytes that the link sends for a packet of `size` bytes, at least one.
    #[inline(always)]
    pub fn bytes(self, size: u32) -> u32 {
        let framed = size.saturating_add_signed(self.overhead).max(self.mpu).max(1);
        match self.kind {
            Cells::Plain => framed,
            Cells::Atm => framed.div_ceil(48) * 53,
            Cells::Ptm => framed + framed.div_ceil(64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: the bytes on the wire of the shortest and the longest packet of three shaped links.
    /// Source: the lines `min/max network layer size` and `min/max overhead-adjusted size` that `tc -s qdisc` printed for
    ///   them in github.com/dtaht/sch_cake, issues 142 and 148, and github.com/ttgapers/cakeqos-merlin, issue 62.
    /// Tolerance: exact.
    #[test]
    fn adjusted_sizes_are_those_that_kernels_reported() {
        let bytes =
            |kind, overhead, mpu, sizes: [u32; 2]| sizes.map(|size| Framing { kind, overhead, mpu }.bytes(size));
        assert_eq!(bytes(Cells::Atm, 10, 0, [28, 1478]), [53, 1643], "831 kb/s, atm overhead 10");
        assert_eq!(bytes(Cells::Atm, 10, 0, [39, 1478]), [106, 1643], "809 kb/s, atm overhead 10");
        assert_eq!(bytes(Cells::Plain, 18, 64, [28, 1500]), [64, 1518], "5 Mb/s, overhead 18 mpu 64");
    }

    /// Validates: cells, and bytes of PTM, at their edges; an overhead below 0.
    /// Source: by hand: AAL5 with 48 bytes in a cell of 53, a byte for each 64.
    /// Tolerance: exact.
    #[test]
    fn a_packet_fills_whole_cells() {
        let atm = Framing { kind: Cells::Atm, ..Framing::default() };
        assert_eq!([1, 48, 49, 96, 97].map(|size| atm.bytes(size)), [53, 53, 106, 106, 159]);
        let ptm = Framing { kind: Cells::Ptm, ..Framing::default() };
        assert_eq!([1, 64, 65, 1500].map(|size| ptm.bytes(size)), [2, 65, 67, 1524]);
        let plain = Framing { overhead: -4, mpu: 60, ..Framing::default() };
        assert_eq!([1, 64, 65].map(|size| plain.bytes(size)), [60, 60, 61]);
        assert_eq!(Framing { overhead: -64, ..Framing::default() }.bytes(40), 1);
        assert_eq!([1, 1500].map(|size| Framing::default().bytes(size)), [1, 1500]);
    }

    #[test]
    fn limits_are_those_of_tc() {
        let of = |overhead, mpu| Framing { overhead, mpu, ..Framing::default() }.check().map_err(|(field, _)| field);
        assert_eq!([of(-64, 256), of(256, 0)], [Ok(()), Ok(())]);
        assert_eq!([of(-65, 0), of(257, 0), of(0, 257)], [Err("overhead"), Err("overhead"), Err("mpu")]);
    }
}
