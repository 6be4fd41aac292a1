//! Reads and writes files of captured packets.
//!
//! [`read::Capture`] analyses a pcap or pcapng file in one pass, in bounded memory for any content: protocols, flows
//! and packet arrivals. Payload is neither examined nor stored. [`write`](mod@write) writes the packets captured on
//! simulated links.

pub mod anonymise;
pub mod read;
pub mod write;
