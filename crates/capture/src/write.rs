//! Writes simulated packets as a capture: pcapng with IPv4, TCP and UDP headers, readable by tools for real networks.
//!
//! The engine counts in segments and gives packets no addresses. Addresses, ports and sequence numbers are derived by
//! rules that depend only on the plan:
//!
//! - Flow `f` goes from 10.0.0.0 + `f` + 1 to 10.128.0.0 + `f` + 1, from port 49152 + `f` mod 16384 to port 9.
//! - Data begins at sequence number 1 in both directions; the number before it belongs to the SYN, if the handshake is
//!   simulated.
//! - Payload bytes are zero.
//!
//! The file contains only simulated packets: there is no SYN without `handshake`, no third packet of a handshake, and
//! no FIN.
//!
//! All packets of a file belong to one interface, whichever link they crossed: libpcap 1.10 and tools based on it
//! reject a file with two interfaces of raw IP.

mod headers;
pub mod pcapng;
mod wire;

use std::io::{self, Write};

use ackclock_net::observe::{Capture, Fate};
use ackclock_net::plan::{GroupSpec, TapPoint};
use serde::{Deserialize, Serialize};

use pcapng::{Direction, Pcapng};
use wire::Wires;

/// Picoseconds per unit of the file's timestamps.
const PICOS_PER_NANO: u64 = 1000;

/// Metadata of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Maximum stored bytes per packet.
    pub snap_length: u32,
    /// Name of the writing program.
    pub application: String,
    /// Comment about the content of the file.
    pub comment: String,
    /// Name of the interface.
    pub interface: String,
    /// Description of the interface.
    pub description: String,
}

/// Statistics of a written file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Packets.
    pub packets: u64,
    /// Total size of the packets by their IP headers, in bytes.
    pub bytes: u64,
    /// Number of packets whose headers make them longer than on the simulated link.
    pub longer: u64,
    /// Total number of bytes by which packets are longer than on the simulated link.
    pub longer_by: u64,
}

/// Writes the packets of a capture as pcapng.
///
/// Times are truncated to whole nanoseconds from the beginning of the run. Truncation never moves a packet to another
/// bin, provided bins start on whole nanoseconds.
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
        file.packet(nanos, headers.bytes(), headers.total(), direction, comment)?;
        written.packets += 1;
        written.bytes += u64::from(headers.total());
        let longer_by = u64::from(headers.total().saturating_sub(packet.size));
        written.longer += u64::from(longer_by > 0);
        written.longer_by += longer_by;
    }
    file.end()?;
    Ok(written)
}
