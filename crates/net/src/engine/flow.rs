//! An active flow: its application, its sender, and their wake-ups.

use std::sync::Arc;

use ackclock_tcp::{Ack, Counters, Ecn, Segment, Sender, SenderConfig, Turn};
use ackclock_units::Time;

use crate::endpoint::application::Application;
use crate::endpoint::packetizer::Packetizer;
use crate::endpoint::timer::Alarm;
use crate::engine::event::Wakeup;
use crate::engine::transit::Transit;
use crate::observe::{Observation, Observer};
use crate::packet::{FlowId, Packet};
use crate::sizes::Sizes;
use crate::source::{AnySource, Connection};

/// Maximum number of packets that a flow sends in one event, so that each event takes bounded time and memory.
const MOST_AT_ONCE: u64 = 64;

/// The transport of a flow.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all flows have a sender, and a million senders must be contiguous in memory"
)]
pub(crate) enum Transport {
    Udp {
        /// Packets sent so far.
        sent: u64,
        /// Packets supplied by the source that are still to be sent.
        owed: u64,
        sizes: Sizes,
    },
    Tcp(Sender),
}

/// Whether a sender's processing time ends at `release` before its timer expires and before any other event of the
/// endpoints. The timer and the source are armed only at the end of a turn.
#[inline(always)]
fn is_first(release: Time, sender: &Sender, transit: &Transit) -> bool {
    sender.times_out_after(release) && transit.is_quiet_until(release)
}

/// The sending side of a flow: its application and its transport.
///
/// Most ACKs use two cache lines: these fields up to the sender, and the first fields of the sender. The
/// processing time and the limits of the sender take two more lines, and the source the last line.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Flow {
    packetizer: Packetizer,
    /// Whether the source supplies [transfers](AnySource::has_transfers).
    has_transfers: bool,
    timeout: Alarm,
    transport: Transport,
    release: Alarm,
    emission: Alarm,
    pub(crate) application: Application,
}

impl Flow {
    pub(crate) fn new(id: FlowId, data_hop: u32, transport: Transport, application: Application) -> Self {
        let has_transfers = application.source.has_transfers();
        let (size, ecn) = match &transport {
            Transport::Udp { .. } => (0, Ecn::NotEct),
            Transport::Tcp(sender) => (sender.packet_size(), sender.codepoint()),
        };
        let packetizer = Packetizer::new(id, data_hop, size, ecn);
        let [timeout, release, emission] = [Alarm::IDLE; 3];
        Self { packetizer, has_transfers, timeout, transport, release, emission, application }
    }

    /// Opens a connection that carries one transfer, requested at `asked`. The previous connection must be closed.
    pub(crate) fn open(
        &mut self,
        asked: Time,
        packets: u64,
        now: Time,
        transit: &mut Transit,
        observer: &mut impl Observer,
    ) {
        let Transport::Tcp(sender) = &mut self.transport else { return };
        self.application.source = AnySource::Connection(Connection::open(packets));
        self.application.wait_until(Some(now));
        self.application.refill(sender, now);
        observer.observe(
            asked,
            &Observation::TransferBegins { flow: self.packetizer.flow(), packets, before: &sender.counters() },
        );
        self.take_any_turn(now, transit, observer);
    }

    /// Forgets the round-trip samples so far.
    pub(crate) fn restart_round_trips(&mut self) {
        if let Transport::Tcp(sender) = &mut self.transport {
            sender.restart_round_trips();
        }
    }

    /// Closes the connection. Returns its sender's counters.
    pub(crate) fn close(&mut self, now: Time) -> Counters {
        let Transport::Tcp(sender) = &mut self.transport else { return Counters::default() };
        let done = sender.counters();
        sender.renew(now);
        self.packetizer.renew();
        done
    }

    /// Handles an ACK, which `packet` carries, at the sender. The flags of the ACK are read only if the sender is not
    /// steady. An ACK of an earlier connection is discarded.
    #[inline(always)]
    pub(crate) fn handle_ack(
        &mut self,
        ack: Ack<'_>,
        packet: &Packet,
        now: Time,
        transit: &mut Transit,
        observer: &mut impl Observer,
    ) {
        let Transport::Tcp(sender) = &mut self.transport else {
            return self.handle_report(packet, now, transit, observer);
        };
        if !sender.is_steady_ack(ack) || !self.packetizer.is_current(packet) {
            return self.handle_any_ack(ack, packet, now, transit, observer);
        }
        if sender.may_run_short(ack.next) {
            self.application.refill(sender, now);
        }
        let (flow, connection) = (packet.flow(), packet.connection());
        observer.observe(now, &Observation::Acked { flow, connection, ack, sender });
        sender.handle_steady_ack(ack.next, now);
        self.take_steady_turn::<false>(now, transit, observer);
    }

    /// Until when nothing happens at the flow, except the arrival of ACKs, if that is later than `at`.
    #[inline(always)]
    pub(crate) fn free_until(&self, at: Time) -> Option<Time> {
        let Transport::Tcp(sender) = &self.transport else { return None };
        (self.emission.pending > at && sender.is_free_until(at)).then_some(self.emission.pending)
    }

    /// Handles a report of a call's receiver.
    #[cold]
    #[inline(never)]
    fn handle_report(&mut self, packet: &Packet, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        let (flow, number) = (packet.flow(), packet.number());
        let report = transit.sinks.take_report(flow, number);
        let control = report.and_then(|report| self.application.adapt(&report, now));
        observer.observe(now, &Observation::Reported { flow, number, control: control.as_ref() });
    }

    /// The same for a sender in any state, and for an ACK of any connection.
    #[inline(never)]
    fn handle_any_ack(
        &mut self,
        ack: Ack<'_>,
        packet: &Packet,
        now: Time,
        transit: &mut Transit,
        observer: &mut impl Observer,
    ) {
        let Transport::Tcp(sender) = &mut self.transport else { return };
        let ack = Ack { echo: packet.echo(), original: packet.answers_original(), ..ack };
        self.application.refill(sender, now);
        let (flow, connection) = (packet.flow(), packet.connection());
        observer.observe(now, &Observation::Acked { flow, connection, ack, sender });
        if self.packetizer.is_current(packet) {
            sender.handle_ack(ack, now);
        }
        self.take_turn(now, transit, observer);
    }

    /// Handles a wake-up: the source has data, the sender has finished processing, or its timer may have expired.
    pub(crate) fn wake(&mut self, wakeup: Wakeup, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        let Self { application, transport, timeout, release, emission, .. } = self;
        match transport {
            Transport::Udp { .. } => {
                if emission.fires(now, application.due()) {
                    self.send_datagrams(now, transit, observer);
                } else {
                    self.arm(now, transit);
                }
            }
            Transport::Tcp(sender) => {
                let is_due = match wakeup {
                    Wakeup::Left => sender.handle_left(),
                    Wakeup::Source => emission.fires(now, application.due()),
                    Wakeup::Release => release.fires(now, sender.poll_release()),
                    _ => timeout.fires(now, sender.poll_timeout()),
                };
                if !is_due {
                    return self.arm(now, transit);
                }
                application.refill(sender, now);
                match wakeup {
                    Wakeup::Source => sender.handle_supply(),
                    Wakeup::Timeout => sender.handle_timeout(now),
                    _ => {}
                }
                self.take_turn(now, transit, observer);
            }
        }
    }

    /// Waits for the next pause of the source in which it drops what is unfinished.
    pub(crate) fn await_pause(&self, transit: &mut Transit) {
        if let Some(at) = self.application.next_pause() {
            transit.wake(at, self.packetizer.flow(), Wakeup::Pause);
        }
    }

    /// Begins this pause.
    pub(crate) fn pause(&mut self, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        let withdrawn = match &mut self.transport {
            Transport::Udp { .. } => 0,
            Transport::Tcp(sender) => sender.withdraw(now),
        };
        self.application.pause(withdrawn);
        self.await_pause(transit);
        match self.transport {
            Transport::Udp { .. } => self.arm(now, transit),
            Transport::Tcp(_) => self.take_turn(now, transit, observer),
        }
    }

    /// Continues a turn that was [cut](Transit::cut).
    #[inline(never)]
    pub(crate) fn resume_turn(&mut self, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        match self.transport {
            Transport::Udp { .. } => self.send_datagrams(now, transit, observer),
            Transport::Tcp(_) => self.take_any_turn(now, transit, observer),
        }
    }

    /// Sends all segments that the sender may send. If the sender must process first and nothing happens in the
    /// meantime, continues at the end of the processing time.
    #[inline(never)]
    fn take_any_turn(&mut self, mut now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        loop {
            self.follow_transfers(now, transit, observer);
            let Transport::Tcp(sender) = &mut self.transport else { return };
            let mut left = MOST_AT_ONCE;
            let limits_queue = sender.limits_queue();
            while let Some(segment) = sender.poll_transmit(now) {
                let (packet, hop) = (self.packetizer.packet(segment, now), self.packetizer.hop);
                if limits_queue {
                    sender.handle_queued();
                    if transit.forward_limited(&packet, hop, now, observer) {
                        sender.handle_dropped();
                    }
                } else {
                    transit.forward_apart(&packet, hop, now, observer);
                }
                left -= 1;
                if left == 0 {
                    return transit.cut(self.packetizer.flow(), now);
                }
            }
            observer.observe(now, &Observation::Turn { flow: self.packetizer.flow(), sender });
            // a sender that waits for data waits for the source too
            match sender.poll_release() {
                Some(release) if is_first(release, sender, transit) && !sender.is_data_limited() => now = release,
                _ => break,
            }
            self.application.refill(sender, now);
        }
        self.arm(now, transit);
    }

    /// The same for a [paced](Sender::is_paced) sender.
    #[inline(never)]
    fn take_paced_turn(&mut self, mut now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        loop {
            self.follow_transfers(now, transit, observer);
            let Self { packetizer, transport, .. } = self;
            let Transport::Tcp(sender) = transport else { return };
            let burst = sender.send_paced(now, MOST_AT_ONCE);
            let is_cut = burst.end - burst.start == MOST_AT_ONCE;
            for number in burst {
                transit.forward(&packetizer.packet(packetizer.new_segment(number), now), packetizer.hop, now, observer);
            }
            if is_cut {
                return transit.cut(packetizer.flow(), now);
            }
            observer.observe(now, &Observation::Turn { flow: packetizer.flow(), sender });
            match sender.poll_release() {
                Some(release) if is_first(release, sender, transit) && !sender.is_data_limited() => now = release,
                _ => break,
            }
            self.application.refill(sender, now);
            // one of the next segments may need a flag
            if !sender.is_paced(MOST_AT_ONCE) {
                return self.take_any_turn(now, transit, observer);
            }
        }
        self.arm(now, transit);
    }

    /// The same for a [steady](Sender::is_steady) sender, which may be [timed](Sender::is_timed).
    #[inline(always)]
    fn take_steady_turn<const TIMED: bool>(
        &mut self,
        mut now: Time,
        transit: &mut Transit,
        observer: &mut impl Observer,
    ) {
        self.follow_transfers(now, transit, observer);
        let Self { packetizer, transport, application, timeout, emission, .. } = self;
        let Transport::Tcp(sender) = transport else { return };
        let turn = sender.start_turn::<TIMED>(now);
        // a turn that is reported together with the next one: its end, and the flight size
        let mut first = None;
        if turn != Turn::Sending {
            match turn {
                Turn::Processing(release) if is_first(release, sender, transit) => {
                    let flight = sender.windows().2;
                    // if nothing is in flight, the window may change before the next turn ends
                    if observer.pairs_turns() && flight > 0 && !self.has_transfers {
                        first = Some((now, flight));
                    } else {
                        observer.observe(now, &Observation::Turn { flow: packetizer.flow(), sender });
                    }
                    sender.process_until(now, release);
                    now = release;
                }
                _ => {
                    observer.observe(now, &Observation::Turn { flow: packetizer.flow(), sender });
                    if let Turn::Processing(release) = turn {
                        sender.hold_until(now, release);
                    }
                    return self.arm(now, transit);
                }
            }
            if sender.runs_short() {
                application.refill(sender, now);
                if self.has_transfers {
                    // the refill may have begun a transfer
                    sender.hold_until(now, now);
                    return self.take_any_turn(now, transit, observer);
                }
            }
        }
        let Some(burst) = sender.send_burst::<TIMED>(now, MOST_AT_ONCE) else {
            if let Some((first, _)) = first {
                observer.observe(first, &Observation::Turn { flow: packetizer.flow(), sender });
            }
            return self.take_any_turn(now, transit, observer);
        };
        for number in burst {
            let segment = if TIMED { packetizer.new_segment(number) } else { packetizer.new_plain(number) };
            transit.forward(&packetizer.packet(segment, now), packetizer.hop, now, observer);
        }
        if let Some((first, flight)) = first {
            observer.turns(first, flight, now, packetizer.flow(), sender);
        } else {
            observer.observe(now, &Observation::Turn { flow: packetizer.flow(), sender });
        }
        // usually the wake-up that is pending comes first
        if !sender.times_out_after(timeout.pending)
            && let Some(at) = timeout.arm(sender.poll_timeout())
        {
            transit.wake(at, packetizer.flow(), Wakeup::Timeout);
        }
        if sender.is_data_limited()
            && let Some(at) = emission.arm(application.due())
        {
            transit.wake(at, packetizer.flow(), Wakeup::Source);
        }
    }

    /// Takes a turn of any kind.
    #[inline(always)]
    fn take_turn(&mut self, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        match &self.transport {
            Transport::Tcp(sender) if sender.is_timed() => self.take_steady_turn_apart::<true>(now, transit, observer),
            Transport::Tcp(sender) if sender.is_steady() => {
                self.take_steady_turn_apart::<false>(now, transit, observer);
            }
            Transport::Tcp(sender) if sender.is_paced(MOST_AT_ONCE) => self.take_paced_turn(now, transit, observer),
            _ => self.take_any_turn(now, transit, observer),
        }
    }

    /// A copy of [`take_steady_turn`](Self::take_steady_turn) for callers in which it is rare.
    #[inline(never)]
    fn take_steady_turn_apart<const TIMED: bool>(
        &mut self,
        now: Time,
        transit: &mut Transit,
        observer: &mut impl Observer,
    ) {
        self.take_steady_turn::<TIMED>(now, transit, observer);
    }

    /// Reports the beginning of a transfer, and closes the connection when its transfer is complete.
    #[inline(always)]
    fn follow_transfers(&mut self, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        if self.has_transfers
            && let Transport::Tcp(sender) = &self.transport
            && self.application.may_change_transfers(sender)
        {
            self.change_transfers(now, transit, observer);
        }
    }

    #[inline(never)]
    fn change_transfers(&mut self, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        let Transport::Tcp(sender) = &self.transport else { return };
        let (is_idle, flow) = (sender.is_idle(), self.packetizer.flow());
        if self.application.follow_transfers(is_idle, || sender.counters(), now, flow, observer) {
            transit.wake(now, self.packetizer.flow(), Wakeup::Close);
        }
    }

    /// Sends the data of the source immediately (UDP).
    fn send_datagrams(&mut self, now: Time, transit: &mut Transit, observer: &mut impl Observer) {
        let Transport::Udp { sent, owed, sizes } = &mut self.transport else { return };
        let mut left = MOST_AT_ONCE;
        loop {
            while *owed > 0 {
                if left == 0 {
                    return transit.cut(self.packetizer.flow(), now);
                }
                let segment = Segment::new(*sent, sizes.draw());
                (*sent, *owed, left) = (*sent + 1, *owed - 1, left - 1);
                transit.forward_apart(&self.packetizer.packet(segment, now), self.packetizer.hop, now, observer);
            }
            let Some(packets) = self.application.take(now) else { break };
            *owed = packets;
        }
        self.arm(now, transit);
    }

    /// Schedules the wake-ups that the flow waits for.
    #[inline(always)]
    pub(crate) fn arm(&mut self, now: Time, transit: &mut Transit) {
        let id = self.packetizer.flow();
        let Self { application, transport, timeout, release, emission, .. } = self;
        let mut source = application.due();
        if let Transport::Tcp(sender) = transport {
            if let Some(at) = release.arm(sender.poll_release()) {
                transit.wake(at, id, Wakeup::Release);
            }
            if !sender.times_out_after(timeout.pending)
                && let Some(at) = timeout.arm(sender.poll_timeout())
            {
                transit.wake(at, id, Wakeup::Timeout);
            }
            // other senders ask the source for data when they can use it
            source = source.filter(|_| sender.is_data_limited());
            if sender.is_paused() {
                source = application.catch_up(sender, now);
            }
        }
        if let Some(at) = emission.arm(source) {
            transit.wake(at, id, Wakeup::Source);
        }
    }

    /// Gives the sender's law other parameters.
    pub(crate) fn retune(&mut self, config: &Arc<SenderConfig>) {
        if let Transport::Tcp(sender) = &mut self.transport {
            sender.retune(Arc::clone(config));
        }
    }

    /// Sends the data along the route with this first hop from now on.
    pub(crate) const fn take_route(&mut self, data_hop: u32) {
        self.packetizer.hop = data_hop;
    }

    /// Index of the first hop of the flow's data in the table of hops.
    pub(crate) const fn data_hop(&self) -> u32 {
        self.packetizer.hop
    }

    /// Heap memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.application.source.memory() + self.sender().map_or(0, Sender::memory)
    }

    /// Number of packets that the source has supplied.
    pub(crate) fn supplied(&self) -> u64 {
        match &self.transport {
            Transport::Tcp(sender) => sender.supplied(),
            Transport::Udp { sent, .. } => *sent,
        }
    }

    /// Number of packets that the source has supplied, or would have supplied before `end` if the sender could have
    /// used them. Counting stops at `enough`.
    pub(crate) fn offered(&self, end: Time, enough: u64) -> u64 {
        let supplied = self.supplied();
        supplied.saturating_add(self.application.still_to_come(end, enough.saturating_sub(supplied)))
    }

    /// Counts the times of the sender's limits from `now` on.
    pub(crate) const fn restart_limits(&mut self, now: Time) {
        if let Transport::Tcp(sender) = &mut self.transport {
            sender.restart_limits(now);
        }
    }

    /// Prefetches what the flow, which is in the cache, has in memory of its own.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        self.sender().into_iter().for_each(Sender::prefetch);
    }

    /// Prefetches the records of the flow's segments, whose place is in the cache.
    #[inline(always)]
    pub(crate) fn prefetch_records(&self) {
        self.sender().into_iter().for_each(Sender::prefetch_records);
    }

    /// The sender, if the flow uses TCP.
    pub(crate) const fn sender(&self) -> Option<&Sender> {
        match &self.transport {
            Transport::Tcp(sender) => Some(sender),
            Transport::Udp { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    /// A million flows take 448 MB. The processing time of the sender and its present limit share a cache line.
    #[test]
    fn a_flow_fills_seven_cache_lines() {
        assert_eq!((size_of::<Flow>(), align_of::<Flow>()), (448, 64));
        assert_eq!(offset_of!(Flow, transport), Sender::BYTES_BEFORE);
        assert_eq!(size_of::<Transport>(), size_of::<Sender>(), "the kind of transport takes no memory of its own");
        assert_eq!(offset_of!(Flow, transport) + Sender::PROCESSING_AT, 288);
    }
}
