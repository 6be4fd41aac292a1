//! The loop that moves packets from one wire through the links to the other, and supplies the senders with data.
//!
//! Times are those of the links. A packet that is written late therefore does not delay the ones behind it, and errors do
//! not add up. The loop is generic over its wires and clock, so that tests run it with simulated ones.

use std::io;

use ackclock_net::relay::{Fate, MeasuredRelay, Supply};
use ackclock_units::Time;

use crate::headers::{self, Numbers};
use crate::lateness::Lateness;

/// Number of packets that are read from a wire before due packets are written.
const BATCH: usize = 32;
/// Most memory in bytes for packets in the network.
const MOST_STORED: usize = 512 << 20;
/// Longest packet on a wire.
const LONGEST: usize = 65_536;

/// The two ends, and their clock.
pub trait Wires {
    /// The current time; never decreases.
    fn now(&mut self) -> Time;

    /// Reads a packet that the senders (`from_sender`) or the receivers have sent. Returns its length; 0 if there is none.
    ///
    /// # Errors
    /// The wire is broken.
    fn receive(&mut self, from_sender: bool, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes a packet to the senders or the receivers.
    ///
    /// # Errors
    /// The wire does not take the packet.
    fn send(&mut self, to_sender: bool, packet: &[u8]) -> io::Result<()>;

    /// Gives a sender the data that its source supplies.
    fn supply(&mut self, supply: Supply);

    /// Waits until a packet can be read, or until shortly before or after `until`.
    ///
    /// # Errors
    /// The wires are broken.
    fn wait(&mut self, until: Time) -> io::Result<()>;
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
pub struct Carrier<W> {
    wires: W,
    relay: MeasuredRelay,
    flows: Vec<Numbers>,
    /// The packets in the network, by their serial number, each with whether a sender sent it.
    packets: Vec<(bool, Vec<u8>)>,
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

impl<W: Wires> Carrier<W> {
    /// A carrier for flows whose full segments have these numbers of data bytes.
    pub fn new(wires: W, relay: MeasuredRelay, segments: impl IntoIterator<Item = u32>) -> Self {
        Self {
            wires,
            relay,
            flows: segments.into_iter().map(Numbers::new).collect(),
            packets: Vec::new(),
            free: Vec::new(),
            stored: 0,
            buffer: vec![0; LONGEST].into(),
            due: Vec::new(),
            lateness: Lateness::default(),
            counts: Counts::default(),
        }
    }

    /// Moves packets until `end`.
    ///
    /// # Errors
    /// A wire is broken.
    pub fn run(&mut self, end: Time) -> io::Result<()> {
        loop {
            let now = self.wires.now();
            if now >= end {
                return Ok(());
            }
            let has_read = self.read(true)? | self.read(false)?;
            let now = self.wires.now();
            self.write(now.min(end));
            if !has_read {
                let next = self.relay.next().unwrap_or(end);
                self.wires.wait(next.min(end))?;
            }
        }
    }

    /// Reads the packets of one end. Returns whether there were any.
    fn read(&mut self, from_sender: bool) -> io::Result<bool> {
        for place in 0..BATCH {
            let length = self.wires.receive(from_sender, &mut self.buffer)?;
            if length == 0 {
                return Ok(place > 0);
            }
            let now = self.wires.now();
            let real = headers::read(&self.buffer[..length], from_sender, &mut self.flows);
            let Some(real) = real.filter(|real| self.relay.carries(real.flow, real.ack)) else {
                self.counts.foreign += 1;
                continue;
            };
            let serial = self.keep(from_sender, length)?;
            if self.relay.offer(real, serial, now) {
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
    fn keep(&mut self, from_sender: bool, length: usize) -> io::Result<u32> {
        let serial = self.free.pop().unwrap_or_else(|| {
            self.packets.push((from_sender, Vec::new()));
            self.packets.len() as u32 - 1
        });
        let (sender, bytes) = &mut self.packets[serial as usize];
        *sender = from_sender;
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
        let Self { relay, due, free, .. } = self;
        relay.advance(now, |fate| match fate {
            Fate::Delivered { serial, at, packet } => due.push((serial, at, packet.ecn() == ackclock_tcp::Ecn::Ce)),
            Fate::Gone { serial } => free.push(serial),
        });
        for place in 0..self.due.len() {
            let (serial, at, is_marked) = self.due[place];
            let (from_sender, bytes) = &mut self.packets[serial as usize];
            if is_marked {
                headers::mark(bytes);
            }
            self.counts.refused += u64::from(self.wires.send(!*from_sender, bytes).is_err());
            self.lateness.add(at, self.wires.now());
            self.free.push(serial);
        }
        self.due.clear();
        self.relay.take_supplies().for_each(|supply| self.wires.supply(supply));
    }

    /// Ends the run, and returns the measurement.
    pub fn into_relay(self) -> MeasuredRelay {
        self.relay
    }
}

#[cfg(test)]
mod tests;
