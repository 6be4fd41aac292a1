//! The receiving ends of the flows.
//!
//! A delivery touches one cache line: the [`Sink`] of its flow contains the receiver and the flow's tallies in the
//! measured time. Everything that few deliveries need is elsewhere: the record of a receiver that misses segments or
//! delays ACKs in a [`ReceiverPool`], the alarms of delayed ACKs in a table of their own, and the [`Totals`] of a flow
//! whose tallies have overflowed in a map.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Add;

use ackclock_tcp::{Ack, Answer, Arrival, Mark, OtherAck, Receiver, ReceiverConfig, ReceiverPool};
use ackclock_units::prefetch::prefetch;
use ackclock_units::{Stream, Time};

use crate::call::receiver::{CallReceiver, Report};
use crate::endpoint::timer::Alarm;
use crate::packet::{CONNECTIONS, FlowId, Packet};
use crate::plan::TransportSpec;

/// The first hop of the ACKs of a flow that sends none.
const NO_ACKS: u32 = u32::MAX;
/// Added to the number of the connection in [`Sink::state`]; larger than each number.
const GENERAL_PATH: u16 = 1 << 15;
const _: () = assert!(CONNECTIONS <= GENERAL_PATH, "a number of a connection has fewer bits");

/// The receiving ends of all flows.
#[derive(Debug)]
pub(crate) struct Sinks {
    flows: Vec<Sink>,
    receivers: ReceiverPool,
    /// The alarms of delayed ACKs, by flow; shorter than `flows` if the last flows delay none.
    alarms: Vec<Alarm>,
    measured: Span,
    totals: BTreeMap<u32, Totals>,
    /// By flow: the receiving ends of calls that adapt; shorter than `flows` if the last flows are none.
    calls: Vec<Option<Box<CallReceiver>>>,
    /// By flow: packets delivered before the measured time, in order or as duplicates; empty if it begins at 0.
    before: Vec<u64>,
}

/// The receiving end of a flow.
#[derive(Debug)]
#[repr(C, align(64))]
struct Sink {
    receiver: Receiver,
    /// Index of the first hop of the flow's ACKs in the table of hops, or [`NO_ACKS`].
    ack_hop: u32,
    /// Number of the current connection, modulo [`CONNECTIONS`]. [`GENERAL_PATH`] is added unless the connection has
    /// received data and its receiver is steady. A packet whose connection has this number can therefore take the short
    /// path.
    state: u16,
    /// The tallies of the measured time. They are signed, or have an unused highest bit, so that one test finds those
    /// that must be added to the [`Totals`] before they overflow.
    duplicates: u16,
    delivered: i32,
    /// `delivered` minus the number of packets in order for the first time: packets on the short path do not change it.
    late: i32,
    /// One-way delay of the last packet in picoseconds; 0 before the first one, and never after it, since a link takes
    /// at least one picosecond.
    last_transit: u64,
    /// Sum of one-way delays in picoseconds.
    delay: i64,
    /// RFC 3550's running jitter and its sum over packets, in picoseconds.
    jitter: f64,
    jitter_sum: f64,
}

/// A range of time.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: u64,
    length: u64,
}

impl Span {
    const fn new(from: Time, end: Time) -> Self {
        Self { from: from.as_picos(), length: end.as_picos() - from.as_picos() }
    }

    #[inline(always)]
    const fn contains(self, now: Time) -> bool {
        now.as_picos().wrapping_sub(self.from) < self.length
    }

    /// Counts the `packets` of a flow that are delivered at `now`, if this is before the range.
    #[cold]
    #[inline(never)]
    fn count_before(self, before: &mut [u64], flow: u32, now: Time, packets: u64) {
        if now.as_picos() < self.from
            && let Some(count) = before.get_mut(flow as usize)
        {
            *count += packets;
        }
    }
}

/// Tallies of a flow before its sink's tallies were last set to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Totals {
    delivered: u64,
    late: i64,
    duplicates: u64,
    delay: u128,
}

/// Data delivered to a flow's receiver in the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Deliveries {
    /// Number of packets, including duplicates.
    pub(crate) delivered: u64,
    /// Number of packets in order for the first time.
    pub(crate) in_order: u64,
    /// Number of packets that the receiver already had.
    pub(crate) duplicates: u64,
    /// Sum of one-way delays in picoseconds.
    pub(crate) delay: u128,
    /// Sum over packets of RFC 3550's running jitter, in picoseconds.
    pub(crate) jitter_sum: f64,
}

/// The result of a packet's arrival at its receiver.
#[derive(Debug)]
pub(crate) struct Received<'a> {
    /// Number of data segments newly in order.
    pub(crate) in_order: u64,
    /// Whether the receiver already had the packet.
    pub(crate) duplicate: bool,
    /// Whether there is another ACK besides the immediate one; an early one has the opposite echo.
    pub(crate) other: OtherAck,
    /// The immediate ACK, if there is one.
    pub(crate) ack: Option<Ack<'a>>,
    /// First hop of the ACK.
    pub(crate) hop: u32,
}

impl Sink {
    const fn new(receiver: Receiver, ack_hop: u32) -> Self {
        Self {
            receiver,
            ack_hop,
            state: GENERAL_PATH,
            duplicates: 0,
            delivered: 0,
            late: 0,
            last_transit: 0,
            delay: 0,
            jitter: 0.0,
            jitter_sum: 0.0,
        }
    }

    const fn connection(&self) -> u16 {
        self.state % GENERAL_PATH
    }

    const fn has_acks(&self) -> bool {
        self.ack_hop != NO_ACKS
    }

    /// Updates the running jitter for a packet that is not the first one.
    #[inline(always)]
    fn follow(&mut self, transit: u64) {
        // converting an i64 to a float takes one instruction, a u64 about a dozen; the value fits, because no packet is
        // in flight for 106 days
        let change = transit.wrapping_sub(self.last_transit).cast_signed() as f64;
        self.jitter += (change.abs() - self.jitter) / 16.0;
        self.last_transit = transit;
    }

    /// The same for any packet.
    fn follow_any(&mut self, transit: u64) {
        if self.last_transit == 0 {
            self.last_transit = transit;
        } else {
            self.follow(transit);
        }
    }

    /// Takes note of a packet of `flow` that is in order and not the first one, with its one-way delay. Returns whether the
    /// tallies must be added to the totals.
    #[inline(always)]
    fn tally(&mut self, flow: u32, transit: u64, now: Time, measured: Span, before: &mut [u64]) -> bool {
        self.follow(transit);
        if measured.contains(now) {
            return self.count(transit);
        }
        measured.count_before(before, flow, now, 1);
        false
    }

    /// Counts a packet in order. Returns whether the tallies must be added to the totals: they have grown to half of
    /// their range. No packet takes the other half, since none is in flight for 106 days.
    #[inline(always)]
    fn count(&mut self, transit: u64) -> bool {
        self.delivered = self.delivered.wrapping_add(1);
        self.delay = self.delay.wrapping_add(transit.cast_signed());
        self.jitter_sum += self.jitter;
        self.delay | i64::from(self.delivered) < 0
    }

    /// Counts any packet. Returns tallies to add to the totals, if any.
    fn count_any(&mut self, transit: u64, in_order: u64, duplicate: bool) -> Option<Totals> {
        let late = i64::from(self.late) + 1 - in_order.cast_signed();
        self.duplicates += u16::from(duplicate);
        let is_full = self.count(transit) || self.duplicates == u16::MAX || i32::try_from(late).is_err();
        if is_full {
            return Some(Totals { late, ..self.take_tallies() });
        }
        self.late = late as i32;
        None
    }

    /// Opens or closes the short path, after data on the other path.
    fn update_path(&mut self) {
        let is_steady = self.has_acks() && self.receiver.is_steady();
        self.state = self.connection() | if is_steady { 0 } else { GENERAL_PATH };
    }

    /// Takes the tallies, except the jitter's sum: the order of its additions matters.
    fn take_tallies(&mut self) -> Totals {
        let tallies = self.tallies();
        (self.delivered, self.late, self.duplicates, self.delay) = (0, 0, 0, 0);
        tallies
    }

    fn tallies(&self) -> Totals {
        let Self { delivered, late, duplicates, delay, .. } = *self;
        Totals {
            // the highest bit may be set for a moment
            delivered: delivered.cast_unsigned().into(),
            late: late.into(),
            duplicates: duplicates.into(),
            delay: delay.cast_unsigned().into(),
        }
    }
}

impl Add for Totals {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            delivered: self.delivered + more.delivered,
            late: self.late + more.late,
            duplicates: self.duplicates + more.duplicates,
            delay: self.delay + more.delay,
        }
    }
}

impl Sinks {
    /// Memory that every flow takes, in bytes.
    pub(crate) const BYTES_OF_FLOW: usize = size_of::<Sink>();

    /// No receiving ends yet, for a run that is measured from `from` until `end`.
    pub(crate) fn new(flows: usize, from: Time, end: Time) -> Self {
        Self {
            flows: Vec::with_capacity(flows),
            receivers: ReceiverPool::default(),
            alarms: Vec::new(),
            measured: Span::new(from, end),
            totals: BTreeMap::new(),
            calls: Vec::new(),
            before: if from > Time::ZERO { vec![0; flows] } else { Vec::new() },
        }
    }

    /// Adds the receiving end of the next flow, whose clock is shifted by `stream`.
    pub(crate) fn add(&mut self, transport: &TransportSpec, ack_hop: u32, stream: impl FnOnce() -> Stream) {
        let (config, ack_hop) = match transport {
            TransportSpec::Tcp { sender, receiver } => {
                (ReceiverConfig { data_bytes: sender.data_bytes(), ..*receiver }, ack_hop)
            }
            // the receiver is never used
            TransportSpec::Udp { .. } => (ReceiverConfig { delayed_ack: false, ..ReceiverConfig::default() }, NO_ACKS),
        };
        let receiver = self.receivers.add(config);
        if config.delayed_ack_tick > Time::ZERO {
            receiver.shift_clock(&mut stream(), &mut self.receivers);
        }
        self.flows.push(Sink::new(receiver, ack_hop));
        if config.has_timer() {
            if self.alarms.is_empty() {
                self.alarms.reserve_exact(self.flows.capacity());
            }
            self.alarms.resize(self.flows.len(), Alarm::IDLE);
        }
    }

    /// Lets the receiver of a flow report to the sender.
    pub(crate) fn add_reports(&mut self, FlowId(flow): FlowId, hop: u32, interval: Time) {
        self.calls.resize(flow as usize, None);
        self.calls.push(Some(Box::new(CallReceiver::new(hop, interval))));
    }

    /// Handles a packet of a flow without ACKs. Returns the number of a report that leaves now, and its first hop.
    #[inline(always)]
    pub(crate) fn report(&mut self, packet: &Packet, now: Time) -> Option<(u64, u32)> {
        self.calls.get_mut(packet.flow().0 as usize)?.as_mut()?.receive(packet, now)
    }

    /// The content of a report that has reached the sender of a flow.
    pub(crate) fn take_report(&mut self, FlowId(flow): FlowId, number: u64) -> Option<Report> {
        self.calls.get_mut(flow as usize)?.as_mut()?.take_report(number)
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of_val(&self.flows[..])
            + self.calls.capacity() * size_of::<Option<Box<CallReceiver>>>()
            + self.calls.iter().flatten().map(|call| call.memory()).sum::<usize>()
            + self.alarms.capacity() * size_of::<Alarm>()
            + self.receivers.memory()
            + self.totals.len() * size_of::<(u32, Totals)>()
            + size_of_val(&self.before[..])
    }

    /// Prefetches the receiving end of a flow.
    #[inline(always)]
    pub(crate) fn prefetch(&self, FlowId(flow): FlowId) {
        prefetch(&self.flows[flow as usize]);
    }

    /// Prefetches the record of a flow's receiver, whose receiving end is in the cache.
    #[inline(always)]
    pub(crate) fn prefetch_record(&self, FlowId(flow): FlowId) {
        self.flows[flow as usize].receiver.prefetch(&self.receivers);
    }

    /// Prefetches what belongs to the record of a flow's receiver, which is in the cache.
    #[inline(always)]
    pub(crate) fn prefetch_rules(&self, FlowId(flow): FlowId) {
        self.flows[flow as usize].receiver.prefetch_rules(&self.receivers);
    }

    /// First hop of the flow's ACKs; `None` if the flow sends no ACKs.
    pub(crate) fn ack_hop(&self, flow: usize) -> Option<u32> {
        Some(self.flows[flow].ack_hop).filter(|hop| *hop != NO_ACKS)
    }

    /// Sends the ACKs or reports of a flow along the route with this first hop from now on.
    pub(crate) fn take_route(&mut self, FlowId(flow): FlowId, ack_hop: u32) {
        let sink = &mut self.flows[flow as usize];
        if sink.has_acks() {
            sink.ack_hop = ack_hop;
        } else if let Some(Some(call)) = self.calls.get_mut(flow as usize) {
            call.take_route(ack_hop);
        }
    }

    /// Number of packets of a flow that its receiver has received in order; `None` for UDP.
    pub(crate) fn received(&self, flow: usize) -> Option<u64> {
        let sink = &self.flows[flow];
        sink.has_acks().then(|| sink.receiver.received(&self.receivers))
    }

    /// Data delivered to a flow's receiver in the measured time.
    pub(crate) fn deliveries(&self, flow: usize) -> Deliveries {
        let sink = &self.flows[flow];
        let before = self.totals.get(&(flow as u32)).copied().unwrap_or_default();
        let Totals { delivered, late, duplicates, delay } = before + sink.tallies();
        let in_order = delivered.saturating_add_signed(-late);
        Deliveries { delivered, in_order, duplicates, delay, jitter_sum: sink.jitter_sum }
    }

    /// Packets of a flow that were delivered before the measured time, in order or as duplicates.
    pub(crate) fn before(&self, flow: usize) -> u64 {
        self.before.get(flow).copied().unwrap_or_default()
    }

    /// Handles a packet at its receiver if it is data and the next in order, nothing is missing, and it is acknowledged
    /// at once: the most frequent case. Returns the next expected segment and the first hop of the ACK. If there is
    /// none, nothing has changed.
    #[inline(always)]
    pub(crate) fn take_in_order(&mut self, packet: &Packet, now: Time) -> Option<(u64, u32)> {
        let FlowId(flow) = packet.flow();
        let sink = &mut self.flows[flow as usize];
        // the ACK of this path answers an original
        if sink.state != packet.connection() || packet.is_retransmission() {
            return None;
        }
        let next = sink.receiver.take_in_order(packet.number())?;
        let (hop, transit) = (sink.ack_hop, (now - packet.sent).as_picos());
        if sink.tally(flow, transit, now, self.measured, &mut self.before) {
            self.fold(flow);
        }
        Some((next, hop))
    }

    /// Whether a flow's receiver may have a timer.
    #[inline(always)]
    pub(crate) const fn may_have_timer(&self, FlowId(flow): FlowId) -> bool {
        (flow as usize) < self.alarms.len()
    }

    /// Handles a packet at its receiver if that delays ACKs and the packet arrives [calmly](Receiver::take_calmly), on a
    /// flow that has received data. Returns the answer and the first hop of the ACK. If there is none, nothing has changed.
    #[inline(always)]
    pub(crate) fn take_calmly(&mut self, packet: &Packet, now: Time) -> Option<(Answer, u32)> {
        let FlowId(flow) = packet.flow();
        let sink = &mut self.flows[flow as usize];
        let is_usual = sink.state == packet.connection() | GENERAL_PATH
            && sink.last_transit > 0
            && sink.has_acks()
            && !packet.is_syn();
        if !is_usual {
            return None;
        }
        let answer = sink.receiver.take_calmly(packet.number(), packet.mark(), now, &mut self.receivers)?;
        let (hop, transit) = (sink.ack_hop, (now - packet.sent).as_picos());
        if sink.tally(flow, transit, now, self.measured, &mut self.before) {
            self.fold(flow);
        }
        Some((answer, hop))
    }

    /// Handles any packet at its receiver.
    #[inline(always)]
    pub(crate) fn receive(&mut self, packet: &Packet, now: Time) -> Received<'_> {
        let FlowId(flow) = packet.flow();
        let Self { flows, receivers, measured, totals, before, .. } = self;
        let sink = &mut flows[flow as usize];
        let mut received =
            Received { in_order: 1, duplicate: false, other: OtherAck::None, ack: None, hop: sink.ack_hop };
        let mut has_data = !packet.is_syn();
        if sink.has_acks() {
            let of = packet.connection();
            // a connection begins only when the one before it is complete
            if of == (sink.connection() + 1) % CONNECTIONS {
                sink.receiver.renew(receivers);
                sink.state = of | GENERAL_PATH;
            }
            if of == sink.connection() {
                let is_probe = packet.number() < sink.receiver.rcv_nxt() && packet.is_probe();
                has_data &= !is_probe;
                let mark = Mark { probe: is_probe, ..packet.mark() };
                let Arrival { in_order, duplicate, other, ack } =
                    sink.receiver.handle_segment(packet.number(), mark, now, receivers);
                // a SYN takes a number but is no data
                let in_order = in_order.saturating_sub(packet.is_syn().into());
                received = Received { in_order, duplicate, other, ack, ..received };
            } else {
                // a late packet of an earlier connection, whose data had all arrived before it ended
                received = Received { in_order: 0, duplicate: true, ..received };
            }
        }
        if has_data {
            let transit = (now - packet.sent).as_picos();
            sink.follow_any(transit);
            if !measured.contains(now) {
                measured.count_before(before, flow, now, received.in_order + u64::from(received.duplicate));
            } else if let Some(more) = sink.count_any(transit, received.in_order, received.duplicate) {
                let before = totals.entry(flow).or_default();
                *before = *before + more;
            }
            sink.update_path();
        }
        received
    }

    /// Adds the tallies of a flow to its totals.
    #[cold]
    #[inline(never)]
    fn fold(&mut self, flow: u32) {
        let before = self.totals.entry(flow).or_default();
        *before = *before + self.flows[flow as usize].take_tallies();
    }

    /// Whether a wake-up must be scheduled for an ACK that waits until a time.
    #[inline(always)]
    pub(crate) fn arm_until(&mut self, FlowId(flow): FlowId, until: Time) -> bool {
        self.alarms.get_mut(flow as usize).is_some_and(|alarm| alarm.arm(Some(until)).is_some())
    }

    /// Time of a wake-up to schedule for a delayed ACK, if one is needed.
    pub(crate) fn arm(&mut self, FlowId(flow): FlowId) -> Option<Time> {
        let receiver = &self.flows[flow as usize].receiver;
        self.alarms.get_mut(flow as usize)?.arm(receiver.poll_timeout(&self.receivers))
    }

    /// Handles a wake-up. Returns the delayed ACK if it is due, the number of its connection, and its first hop.
    pub(crate) fn wake(&mut self, FlowId(flow): FlowId, now: Time) -> Option<(Ack<'_>, u16, u32)> {
        let Sink { receiver, ack_hop, state, .. } = &mut self.flows[flow as usize];
        let is_due = self.alarms.get_mut(flow as usize)?.fires(now, receiver.poll_timeout(&self.receivers));
        let ack = if is_due { receiver.handle_timeout(&mut self.receivers) } else { None };
        ack.map(|ack| (ack, *state % GENERAL_PATH, *ack_hop))
    }
}
