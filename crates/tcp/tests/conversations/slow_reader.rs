//! A whole connection whose receiving application reads slowly, beside the same connection of Linux 6.18.44: two sockets in
//! two network namespaces, one veth link without segmentation offload, `SO_RCVBUF` of 60,000 bytes, an application that
//! reads 1,448 bytes at a time at a rate, and a capture at the receiver. The kernel's buffer then has room for 52 packets.
//!
//! The kernel joins packets that wait in its buffer, and frees their space together, so single updates of its window come a
//! few reads earlier or later than here. Each number is of one run.

use std::collections::BTreeMap;

use ackclock_tcp::{Ack, DelayRule, Mark, Receiver, ReceiverConfig, ReceiverPool, Sack, Sender, SenderConfig};
use ackclock_units::{Rate, Role, Stream, Time};

use crate::linux::linux;

const DELAY: Time = Time::from_micros(20);

/// A segment, and what its receiver learns besides the number; or an ACK and its window.
#[derive(Clone, Copy, Debug)]
enum Parcel {
    Segment(u64, Mark),
    Ack(u64, Sack, bool),
}

/// What an ACK carries.
fn content(ack: Ack<'_>) -> (u64, Sack, bool) {
    (ack.next, *ack.sack, ack.original)
}

/// A connection, and what a capture at the receiver contains.
struct Connection {
    sender: Sender,
    receiver: Receiver,
    pool: ReceiverPool,
    now: Time,
    under_way: BTreeMap<(Time, usize), Parcel>,
    parcels: usize,
    /// Each ACK with the next segment expected and the window, and each probe.
    acks: Vec<(Time, u64, u32)>,
    probes: Vec<Time>,
}

impl Connection {
    /// A sender that always has data, and an application that reads at `rate` bits per second from a buffer of 52 packets.
    fn new(rate: u64) -> Self {
        let read_rate = Rate::from_bps(rate);
        let sender = SenderConfig { read_rate, max_window: 52, payload: 1448, ..linux() };
        let receiver = ReceiverConfig {
            handshake: false,
            max_window: 52,
            data_bytes: 1448,
            reports_originals: true,
            delayed_ack_rule: DelayRule::Linux,
            delayed_ack_timeout: Time::from_millis(196),
            delayed_ack_tick: Time::from_millis(4),
            quick_acks: 16,
            quick_acks_again: 16,
            sack_blocks: 3,
            dsack: true,
            read_rate,
            ..ReceiverConfig::default()
        };
        let mut pool = ReceiverPool::default();
        let mut sender = Sender::new(sender, Stream::new(1, Role::Sender, 0));
        sender.supply(1_000_000);
        let receiver = pool.add(receiver);
        let (under_way, acks, probes) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { sender, receiver, pool, now: Time::ZERO, under_way, parcels: 0, acks, probes }
    }

    fn put(&mut self, parcel: Parcel) {
        self.under_way.insert((self.now + DELAY, self.parcels), parcel);
        self.parcels += 1;
    }

    fn answer(&mut self, ack: Option<(u64, Sack, bool)>) {
        if let Some((next, sack, original)) = ack {
            self.acks.push((self.now, next, sack.window().expect("each ACK carries the window")));
            self.put(Parcel::Ack(next, sack, original));
        }
    }

    fn run_until(mut self, end: Time) -> Self {
        loop {
            while let Some(segment) = self.sender.poll_transmit(self.now) {
                let (again, probe) = (segment.retransmission, segment.is_probe());
                self.put(Parcel::Segment(segment.number, Mark { sent: self.now, again, probe, ..Mark::NONE }));
            }
            let arrival = self.under_way.first_key_value().map(|((at, _), _)| *at);
            let (timeout, answer) = (self.sender.poll_timeout(), self.receiver.poll_timeout(&self.pool));
            let next = [arrival, answer, timeout].into_iter().flatten().min().expect("the connection goes on");
            if next > end {
                return self;
            }
            self.now = next;
            if arrival == Some(next) {
                match self.under_way.pop_first().expect("it is due").1 {
                    Parcel::Segment(number, mark) => {
                        if mark.probe {
                            self.probes.push(next);
                        }
                        let ack = self.receiver.handle_segment(number, mark, next, &mut self.pool).ack;
                        let ack = ack.map(content);
                        self.answer(ack);
                    }
                    Parcel::Ack(next, sack, original) => {
                        self.sender.handle_ack(Ack { next, sack: &sack, echo: 0, original }, self.now);
                    }
                }
            } else if answer == Some(next) {
                let ack = self.receiver.handle_timeout(&mut self.pool).map(content);
                self.answer(ack);
            } else {
                self.sender.handle_timeout(self.now);
            }
        }
    }

    /// Number of ACKs that only open the window.
    fn updates(&self) -> usize {
        self.acks.windows(2).filter(|pair| pair[0].1 == pair[1].1 && pair[1].2 > pair[0].2).count()
    }

    /// The times in ms from each ACK that closes the window to the first probe, and from there to the second one, if there
    /// is one before the window opens. Only the part of the run after `start`.
    fn probe_waits(&self, start: Time) -> Vec<[Option<u64>; 2]> {
        let millis = |from: Time, to: Time| (to - from).as_picos() / Time::from_millis(1).as_picos();
        let mut found = Vec::new();
        for (place, (at, next, window)) in self.acks.iter().enumerate() {
            let is_first = place > 0 && self.acks[place - 1].1 < *next;
            if *window > 0 || !is_first || *at < start {
                continue;
            }
            let opens = self.acks[place..].iter().find(|ack| ack.2 > 0).map_or(Time::MAX, |ack| ack.0);
            let mut probes = self.probes.iter().filter(|probe| **probe > *at && **probe < opens);
            let first = probes.next();
            let second = first.zip(probes.next()).map(|(first, second)| millis(*first, *second));
            found.push([first.map(|first| millis(*at, *first)), second]);
        }
        found
    }
}

/// At 1 Mb/s, a packet is read in 11.6 ms.
///
/// Validates: the window updates and all ACKs of the first 8 s, the data acknowledged, and the window of an update: a 16th of
///     the buffer. Each of them is answered by as many packets, and the next read sends their ACK.
/// Source: the kernel's run: 176 updates, 382 ACKs, 753 packets acknowledged, updates of 3 and 4 packets.
/// Tolerance: 8 %.
#[test]
fn a_kernels_window_updates_come_as_often() {
    let path = Connection::new(1_000_000).run_until(Time::from_millis(8_000));
    let packets = path.acks.last().expect("there are ACKs").1;
    let found = [path.updates() as u64, path.acks.len() as u64, packets];
    for (found, kernel) in found.into_iter().zip([176_u64, 382, 753]) {
        assert!(found.abs_diff(kernel) * 100 <= 8 * kernel, "{found} beside the kernel's {kernel}");
    }
    let late = |ack: &&(Time, u64, u32)| ack.0 > Time::SECOND;
    assert!(path.acks.iter().filter(late).all(|ack| ack.2 == 0 || ack.2 == 4), "{:?}", path.acks);
    assert_eq!(path.probes, [], "the window opens before the first probe");
}

/// At 30 kb/s, a packet is read in 386 ms, and the window is closed for 1.5 s at a time.
///
/// Validates: probes of a closed window: the first one a retransmission timeout after the ACK that closes it, the next one
///     twice as late; the packets acknowledged and the probes in 60 s.
/// Source: the kernel's run: 240 ms (230 to 252) and 490 ms (460 to 516); 206 packets, 72 probes.
/// Tolerance: 15 %.
#[test]
fn a_kernels_probes_come_as_late() {
    let path = Connection::new(30_000).run_until(Time::from_millis(60_000));
    let waits = path.probe_waits(Time::from_millis(10_000));
    assert!(waits.len() > 20);
    for [first, second] in &waits {
        assert!(first.is_some_and(|wait| wait.abs_diff(240) * 100 <= 15 * 240), "{waits:?}");
        assert!(second.is_some_and(|wait| wait.abs_diff(490) * 100 <= 15 * 490), "{waits:?}");
    }
    let packets = path.acks.last().expect("there are ACKs").1;
    for (found, kernel) in [(packets, 206_u64), (path.probes.len() as u64, 72)] {
        assert!(found.abs_diff(kernel) * 100 <= 15 * kernel, "{found} beside the kernel's {kernel}");
    }
}
