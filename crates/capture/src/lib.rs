//! Files of captured packets.
//!
//! [`read::Capture`] takes a pcap or pcapng file apart in one pass, in bounded memory, whatever is in it: what carries what,
//! which flows there are, when packets came. Payload is looked at nowhere and kept nowhere. [`write`](mod@write) makes files of
//! what a tap on a simulated link saw.

pub mod anonymise;
pub mod read;
pub mod write;
