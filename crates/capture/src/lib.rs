//! Files of captured packets.

pub mod write;
