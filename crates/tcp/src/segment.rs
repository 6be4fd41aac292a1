//! What endpoints exchange.

/// Bytes of an IPv4 and a TCP header without options: the size of a SYN and of a pure ACK.
pub const HEADER: u32 = 40;

/// A segment on its way to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its place in sequence space, counted in segments.
    pub number: u64,
    /// Bytes on the wire.
    pub size: u32,
    /// It opens the connection and carries no data.
    pub syn: bool,
}

/// A cumulative acknowledgment on its way to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The next segment that the receiver expects: all before it have arrived.
    pub next: u64,
}
