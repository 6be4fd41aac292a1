//! The loop that moves packets from the wire of one end through the links to the wire of another.
//!
//! Times are those of the links. A packet that is written late therefore does not delay the ones behind it, and errors do
//! not add up. The loop is generic over its wires and clock, so that tests run it with simulated ones, and over the
//! network, which knows whose packets it carries.

use std::io;

use ackclock_net::relay::Fate;
use ackclock_units::Time;

use crate::headers;
use crate::lateness::Lateness;

/// Number of packets that are read from a wire before due packets are written.
const BATCH: usize = 32;
/// Most memory in bytes for packets in the network.
const MOST_STORED: usize = 512 << 20;
/// Longest packet on a wire.
const LONGEST: usize = 65_536;

/// The wires of the ends, which are numbered from 0, and their clock.
pub trait Wires {
    /// Number of ends.
    fn ends(&self) -> usize;

    /// The current time; never decreases.
    fn now(&mut self) -> Time;

    /// Whether the run ends now, before its time.
    fn is_over(&mut self) -> bool {
        false
    }

    /// Reads a packet that an end has sent. Returns its length; 0 if there is none.
    ///
    /// # Errors
    /// The wire is broken.
    fn receive(&mut self, from: usize, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes a packet to an end.
    ///
    /// # Errors
    /// The wire does not take the packet.
    fn send(&mut self, to: usize, packet: &[u8]) -> io::Result<()>;

    /// Waits until a packet can be read, or until shortly before or after `until`.
    ///
    /// # Errors
    /// The wires are broken.
    fn wait(&mut self, until: Time) -> io::Result<()>;
}

/// The links between the ends.
pub trait Network {
    /// Lets a packet that an end has sent enter at `now`. `serial` identifies it in its fate. Returns the end to which it
    /// goes; `None` if it belongs to no flow, or has no route.
    fn enter(&mut self, packet: &[u8], from: usize, serial: u32, now: Time) -> Option<usize>;

    /// Time of the next event, if any packet is in the network.
    fn next(&self) -> Option<Time>;

    /// Lets everything happen that is due before `end`, and calls `take` with each packet that is delivered or gone.
    fn advance(&mut self, end: Time, take: impl FnMut(Fate));
}

/// What happened to packets in addition to the measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that entered the network.
    pub carried: u64,
    /// Packets that belong to no flow, or have no route.
    pub foreign: u64,
    /// Packets that an end did not take.
    pub refused: u64,
}

/// Moves the packets of a run.
#[derive(Debug)]
pub struct Carrier<W, N> {
    wires: W,
    network: N,
    /// The packets in the network, by their serial number, each with the end to which it goes.
    packets: Vec<(usize, Vec<u8>)>,
    free: Vec<u32>,
    /// Bytes of memory of the packets.
    stored: usize,
    /// A free buffer for the next packet.
    buffer: Box<[u8]>,
    /// Packets to write now: serial number, time of arrival, whether it is marked.
    due: Vec<(u32, Time, bool)>,
    /// How late packets were.
    pub lateness: Lateness,
    /// Counts of packets.
    pub counts: Counts,
}

impl<W: Wires, N: Network> Carrier<W, N> {
    /// A carrier between idle wires.
    pub fn new(wires: W, network: N) -> Self {
        Self {
            wires,
            network,
            packets: Vec::new(),
            free: Vec::new(),
            stored: 0,
            buffer: vec![0; LONGEST].into(),
            due: Vec::new(),
            lateness: Lateness::default(),
            counts: Counts::default(),
        }
    }

    /// Moves packets until `end`, or until the wires say that the run is over. Returns the time at the end.
    ///
    /// # Errors
    /// A wire is broken.
    pub fn run(&mut self, end: Time) -> io::Result<Time> {
        loop {
            let now = self.wires.now();
            if now >= end || self.wires.is_over() {
                return Ok(now.min(end));
            }
            let mut has_read = false;
            for from in 0..self.wires.ends() {
                has_read |= self.read(from)?;
            }
            let now = self.wires.now();
            self.write(now.min(end));
            if !has_read {
                let next = self.network.next().unwrap_or(end);
                self.wires.wait(next.min(end))?;
            }
        }
    }

    /// Reads the packets of one end. Returns whether there were any.
    fn read(&mut self, from: usize) -> io::Result<bool> {
        for place in 0..BATCH {
            let length = self.wires.receive(from, &mut self.buffer)?;
            if length == 0 {
                return Ok(place > 0);
            }
            let now = self.wires.now();
            let serial = self.keep(length)?;
            if let Some(to) = self.network.enter(&self.buffer[..length], from, serial, now) {
                self.packets[serial as usize].0 = to;
                self.counts.carried += 1;
            } else {
                self.counts.foreign += 1;
                self.free.push(serial);
            }
        }
        Ok(true)
    }

    /// Stores the packet in the buffer, and returns its serial number.
    ///
    /// # Errors
    /// The network would hold more than [`MOST_STORED`] bytes.
    fn keep(&mut self, length: usize) -> io::Result<u32> {
        let serial = self.free.pop().unwrap_or_else(|| {
            self.packets.push((0, Vec::new()));
            self.packets.len() as u32 - 1
        });
        let (_, bytes) = &mut self.packets[serial as usize];
        let before = bytes.capacity();
        bytes.clear();
        bytes.extend_from_slice(&self.buffer[..length]);
        self.stored += bytes.capacity() - before;
        if self.stored > MOST_STORED {
            return Err(io::Error::other("queues and delays hold more than 512 MB of packets"));
        }
        Ok(serial)
    }

    /// Writes the packets that have arrived before `now`.
    fn write(&mut self, now: Time) {
        let Self { network, due, free, .. } = self;
        network.advance(now, |fate| match fate {
            Fate::Delivered { serial, at, packet } => due.push((serial, at, packet.ecn() == ackclock_tcp::Ecn::Ce)),
            Fate::Gone { serial } => free.push(serial),
        });
        for place in 0..self.due.len() {
            let (serial, at, is_marked) = self.due[place];
            let (to, bytes) = &mut self.packets[serial as usize];
            if is_marked {
                headers::mark(bytes);
            }
            self.counts.refused += u64::from(self.wires.send(*to, bytes).is_err());
            self.lateness.add(at, self.wires.now());
            self.free.push(serial);
        }
        self.due.clear();
    }

    /// Ends the run, and returns the wires and the network.
    pub fn into_parts(self) -> (W, N) {
        (self.wires, self.network)
    }
}

#[cfg(test)]
mod tests;
