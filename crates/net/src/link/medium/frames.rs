//! The air time of transmissions: how many packets fit into one, and how long it takes.
//!
//! A single packet has the bytes of its headers in addition. In an aggregate (A-MPDU) each packet also has a delimiter, and
//! begins at a multiple of its size (IEEE Std 802.11-2016, 10.13.1 and 9.7). A transmission takes the preamble and whole
//! symbols (19.4.3).

use ackclock_units::{Rate, Time};
use serde::{Deserialize, Serialize};

use crate::link::rate::BYTE;

/// Bits that a transmission in symbols has in addition to its bytes: the service field and the tail (19.4.3).
const SERVICE_AND_TAIL: u128 = 16 + 6;
/// Bytes of the delimiter before each packet of an aggregate, and the multiple of bytes at which it begins (10.13.1).
pub(super) const DELIMITER: u64 = 4;
/// Limits of the parameters.
const MOST_PACKETS: u32 = 1024;
const MOST_WINDOW: u32 = 65_535;
const MOST_RETRIES: u32 = 255;

/// The constants of a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MediumSpec {
    /// Length of a slot of the backoff.
    pub slot: Time,
    /// Time between a transmission and its acknowledgement.
    pub sifs: Time,
    /// Time for which the medium must be idle before slots count.
    pub aifs: Time,
    /// The contention window at first, in slots.
    pub cw_min: u32,
    /// The largest contention window.
    pub cw_max: u32,
    /// Time of a transmission before its first byte.
    pub preamble: Time,
    /// Length of a symbol; zero if a transmission may have any length.
    pub symbol: Time,
    /// Duration of the acknowledgement of a single packet.
    pub ack: Time,
    /// Duration of the acknowledgement of an aggregate.
    pub block_ack: Time,
    /// Bytes that each packet has in addition on the medium.
    pub overhead: u32,
    /// Maximum number of packets of a transmission; 1: there are no aggregates.
    pub aggregate_packets: u32,
    /// Maximum number of bytes of an aggregate.
    pub aggregate_bytes: u32,
    /// Maximum duration of an aggregate.
    pub aggregate_time: Time,
    /// How often a packet is sent again.
    pub retries: u32,
    /// Which link of a station transmits next.
    pub schedule: Schedule,
}

/// The order in which a station serves its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// One transmission each.
    Turns,
    /// Equal air time.
    Airtime,
}

/// A transmission in preparation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) packets: usize,
    pub(super) bytes: u64,
}

impl MediumSpec {
    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        if self.slot == Time::ZERO {
            return Err(("slot", "must be above 0 s"));
        }
        if self.cw_min > self.cw_max || self.cw_max > MOST_WINDOW {
            return Err(("cw_max", "must be at least cw_min and at most 65535"));
        }
        if self.aggregate_packets == 0 || self.aggregate_packets > MOST_PACKETS {
            return Err(("aggregate_packets", "must be from 1 to 1024"));
        }
        if self.overhead > u32::from(u16::MAX) {
            return Err(("overhead", "must be at most 65535"));
        }
        if self.retries > MOST_RETRIES {
            return Err(("retries", "must be at most 255"));
        }
        Ok(())
    }

    /// Duration of a transmission of some bytes, without the preamble.
    pub(super) fn time_of(&self, bytes: u64, rate: Rate) -> Time {
        let (bits, bps) = (u128::from(bytes) * BYTE, u128::from(rate.as_bps()));
        let time = match u128::from(self.symbol.as_picos()) {
            0 => bits.div_ceil(bps),
            symbol => (bits + SERVICE_AND_TAIL * (BYTE / 8)).div_ceil(bps * symbol).saturating_mul(symbol),
        };
        Time::from_picos(u64::try_from(time).unwrap_or(u64::MAX))
    }

    /// A transmission with one more packet of `size` bytes; `None` if it would exceed a limit.
    pub(super) fn extend(&self, frame: Frame, size: u32, rate: Rate) -> Option<Frame> {
        let packet = u64::from(size) + u64::from(self.overhead);
        let bytes = match frame.packets {
            0 => return Some(Frame { packets: 1, bytes: packet }),
            1 => frame.bytes + DELIMITER, // a single packet has none
            _ => frame.bytes,
        };
        let bytes = bytes.next_multiple_of(DELIMITER) + DELIMITER + packet;
        let longer = Frame { packets: frame.packets + 1, bytes };
        let fits = longer.packets <= self.aggregate_packets as usize
            && bytes <= u64::from(self.aggregate_bytes)
            && self.preamble.saturating_add(self.time_of(bytes, rate)) <= self.aggregate_time;
        fits.then_some(longer)
    }

    /// Duration of the end of an exchange: the acknowledgement and the time before it.
    pub(super) const fn answer(&self, frame: Frame) -> Time {
        self.sifs.saturating_add(if frame.packets == 1 { self.ack } else { self.block_ack })
    }
}
