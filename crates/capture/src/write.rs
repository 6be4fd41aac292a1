//! Simulated packets as a capture: pcapng with IPv4, TCP and UDP headers, so that tools for real networks read it.
//!
//! The engine counts in segments and gives packets no addresses. Bytes are made of that by rules that hang on the plan alone:
//!
//! - Flow `f` goes from 10.0.0.0 + `f` + 1 to 10.128.0.0 + `f` + 1, from port 49152 + `f` mod 16384 to port 9.
//! - Data begins at sequence number 1 in both directions; the number before is the SYN's, where the opening is simulated.
//! - A payload is all zeros.
//!
//! What is not simulated is not made up: there is no SYN without `handshake`, no third packet of an opening, and no FIN.
//!
//! All of a file's packets are of one interface, whatever they crossed: libpcap 1.10, and what is built on it, takes no file with
//! two interfaces of raw IP.

mod headers;
mod pcapng;
mod wire;

use std::io::{self, Write};

use ackclock_net::observe::{Capture, Fate};
use ackclock_net::plan::{GroupSpec, TapPoint};
use serde::{Deserialize, Serialize};

use pcapng::{Direction, Pcapng};
use wire::Wires;

/// Picoseconds in the unit of the file's times.
const PICOS_PER_NANO: u64 = 1000;

/// What a file tells besides packets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Most bytes of a packet that are kept.
    pub snap_length: u32,
    /// The program that writes it.
    pub application: String,
    /// What the packets are of.
    pub comment: String,
    /// Where they were seen.
    pub interface: String,
    /// The same in words.
    pub description: String,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Packets.
    pub packets: u64,
    /// Their bytes, by their IP headers.
    pub bytes: u64,
    /// Packets that the headers make longer than they are on the simulated link.
    pub longer: u64,
    /// Bytes by which they are.
    pub longer_by: u64,
}

/// Writes what the taps of a capture saw as pcapng.
///
/// Times are whole nanoseconds from the beginning of the run; what is beyond them is cut off, so that a packet stays in its bin
/// wherever bins begin at whole nanoseconds.
///
/// # Errors
/// If `out` cannot be written.
///
/// # Panics
/// If the capture was not made from these groups.
pub fn write(capture: &Capture, groups: &[GroupSpec], setup: &Setup, out: impl Write) -> io::Result<Written> {
    let wires = Wires::of(groups);
    let mut file = Pcapng::begin(out, setup)?;
    let mut written = Written::default();
    for packet in capture.packets() {
        let headers = wires.headers(packet, capture.sack(packet));
        let comment = match packet.fate {
            Fate::Crosses => None,
            Fate::Dropped => Some("dropped by the queue"),
            Fate::Lost => Some("lost by the link"),
        };
        let direction = if packet.at == TapPoint::Receive { Direction::Inbound } else { Direction::Outbound };
        let nanos = packet.time.as_picos() / PICOS_PER_NANO;
        file.packet(nanos, &headers, direction, comment)?;
        written.packets += 1;
        written.bytes += u64::from(headers.total());
        let longer_by = u64::from(headers.total().saturating_sub(packet.size));
        written.longer += u64::from(longer_by > 0);
        written.longer_by += longer_by;
    }
    file.end()?;
    Ok(written)
}
