//! Applications that read at a rate, in cases worked by hand, and any of them beside a model that reads packet by packet.

use ackclock_units::Rate;

use super::*;

/// The application reads a packet in 10 ms from a buffer of 4 packets.
const SLOW: ReceiverConfig =
    ReceiverConfig { read_rate: Rate::from_bps(1_168_000), data_bytes: 1460, max_window: 4, ..AT_ONCE };
/// The same with a buffer of 40 packets, whose 16th are 3 packets.
const LARGE: ReceiverConfig = ReceiverConfig { max_window: 40, ..SLOW };
const WAITS: ReceiverConfig = ReceiverConfig { delayed_ack: true, ..LARGE };
const PROBE: Mark = Mark { probe: true, ..Mark::NONE };

/// An ACK: when it is sent, in ms, the next segment expected, and the window.
type Sent = (u64, u64, u32);

/// A receiver that has answered a SYN at time 0.
struct Host {
    receiver: Receiver,
    pool: ReceiverPool,
    found: Vec<Sent>,
}

impl Host {
    fn new(config: ReceiverConfig) -> Self {
        let mut pool = ReceiverPool::default();
        let mut host = Self { receiver: pool.add(config), pool, found: Vec::new() };
        host.hear(0, 0, Mark::NONE);
        host
    }

    fn note(&mut self, at: Time, ack: Option<(u64, u32)>) {
        let millis = at.as_picos() / Time::from_millis(1).as_picos();
        self.found.extend(ack.map(|(next, window)| (millis, next, window)));
    }

    /// Lets a segment arrive at a time in ms, after all that the timer does before.
    fn hear(&mut self, millis: u64, number: u64, mark: Mark) {
        let now = Time::from_millis(millis);
        self.wait(now);
        let ack = self.receiver.handle_segment(number, mark, now, &mut self.pool).ack;
        let ack = ack.map(|ack| (ack.next, ack.sack.window().expect("each ACK carries the window")));
        self.note(now, ack);
    }

    fn wait(&mut self, end: Time) {
        while let Some(due) = self.receiver.poll_timeout(&self.pool).filter(|due| *due <= end) {
            let ack = self.receiver.handle_timeout(&mut self.pool);
            let ack = ack.map(|ack| (ack.next, ack.sack.window().expect("each ACK carries the window")));
            self.note(due, ack);
        }
    }

    /// The ACKs since the last call.
    fn acks(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.found)
    }
}

/// The ACKs for segments that arrive at the given times in ms, and those of the timer up to 1 s.
fn acks(config: ReceiverConfig, segments: &[(u64, u64)]) -> Vec<Sent> {
    let mut host = Host::new(config);
    for (at, number) in segments {
        host.hear(*at, *number, Mark::NONE);
    }
    host.wait(Time::SECOND);
    host.acks()
}

/// The first segment is read at once; the others fill the buffer by 1 ms. Reads at 10, 20, 30 and 40 ms.
///
/// Validates: the window closes packet by packet, its edge stays, and the updates come when it can be twice as large.
/// Source: Linux, `__tcp_select_window` and `__tcp_cleanup_rbuf`, by hand.
/// Tolerance: exact.
#[test]
fn a_full_buffer_closes_the_window() {
    let arrivals = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 5)];
    let closes = [(0, 1, 4), (0, 2, 4), (0, 3, 3), (0, 4, 2), (0, 5, 1), (1, 6, 0)];
    let opens = [(10, 6, 1), (20, 6, 2), (40, 6, 4)];
    assert_eq!(acks(SLOW, &arrivals), [&closes[..], &opens].concat());
    let with_gap = [(0, 1), (0, 3), (0, 4), (0, 2)];
    let expected = [(0, 1, 4), (0, 2, 4), (0, 2, 4), (0, 2, 4), (0, 5, 1), (10, 5, 2), (30, 5, 4)];
    assert_eq!(acks(SLOW, &with_gap), expected, "packets beyond a gap take space, but the edge stays");
}

/// A host whose application has read the first of `packets` that arrived at time 0.
fn filled(config: ReceiverConfig, packets: u64) -> Host {
    let mut host = Host::new(config);
    for number in 1..=packets {
        host.hear(0, number, Mark::NONE);
    }
    host.acks();
    host
}

/// Validates: the window stays closed until a 16th of the buffer is free, here 3 packets.
/// Source: Linux, `__tcp_select_window`; RFC 9293, section 3.8.6.2.2.
/// Tolerance: exact.
#[test]
fn a_silly_window_is_not_advertised() {
    let mut host = filled(LARGE, 41);
    host.wait(Time::SECOND);
    assert_eq!(host.acks(), [(30, 42, 3), (60, 42, 6), (120, 42, 12), (240, 42, 24)]);
}

/// All ACKs of the 40 packets wait, for the window would become smaller, until the read at 10 ms. The read at 20 ms opens the
/// window. So do the reads at 30 and 50 ms with the ACK of the packets that arrive at 21 ms and the next update.
///
/// Validates: when a delayed ACK leaves although packets enough have arrived.
/// Source: Linux, `__tcp_ack_snd_check` and `__tcp_cleanup_rbuf`, by hand.
/// Tolerance: exact.
#[test]
fn an_ack_that_would_narrow_the_window_waits_for_a_read() {
    let mut host = filled(WAITS, 40);
    for number in [41, 42, 43] {
        host.hear(21, number, Mark::NONE);
    }
    host.wait(Time::from_millis(50));
    assert_eq!(host.acks(), [(10, 41, 0), (20, 41, 3), (30, 44, 0), (50, 44, 3)]);
    assert_eq!(acks(WAITS, &[(0, 1), (20, 2), (21, 3)])[1..2], [(20, 3, 40)], "an application that keeps up");
}

/// Validates: a probe is answered with the present window, but no further one for 0.5 s; a probe is no duplicate. A packet
///     beyond the window is discarded.
/// Source: Linux, `tcp_validate_incoming` and `tcp_invalid_ratelimit`; RFC 9293, section 3.10.7.4.
/// Tolerance: exact.
#[test]
fn probes_and_packets_beyond_the_window_are_answered() {
    let mut host = filled(ReceiverConfig { dsack: true, sack_blocks: 3, ..LARGE }, 41);
    for (at, number, mark) in
        [(15, 41, PROBE), (25, 41, PROBE), (26, 42, Mark::NONE), (514, 41, PROBE), (515, 41, PROBE)]
    {
        host.hear(at, number, mark);
    }
    let updates = [(30, 42, 3), (60, 42, 6), (120, 42, 12), (240, 42, 24)];
    assert_eq!(host.acks(), [&[(15, 42, 0), (26, 42, 0)], &updates[..], &[(515, 42, 40)]].concat());
    assert_eq!(host.receiver.rcv_nxt(), 42);
}

/// The read at 30 ms opens the window, and a probe that is not answered arrives at the same time, before the timer fires.
///
/// Validates: the probe does not put off the window update.
/// Source: Linux, `__tcp_cleanup_rbuf`.
/// Tolerance: exact.
#[test]
fn a_window_update_leaves_although_a_probe_arrives_at_its_time() {
    let mut host = filled(LARGE, 41);
    host.hear(15, 41, PROBE);
    let now = Time::from_millis(30);
    assert_eq!(host.receiver.poll_timeout(&host.pool), Some(now));
    let ack = host.receiver.handle_segment(41, PROBE, now, &mut host.pool).ack;
    assert_eq!(ack.map(|ack| (ack.next, ack.sack.window())), Some((42, Some(3))));
    host.wait(Time::from_millis(60));
    assert_eq!(host.acks(), [(15, 42, 0), (60, 42, 6)]);
}

/// Validates: the ACK of a pushed packet leaves when all has been read, here at 20 ms.
/// Source: Linux, `__tcp_cleanup_rbuf`.
/// Tolerance: exact.
#[test]
fn a_pushed_packet_is_acknowledged_once_it_is_read() {
    let mut host = Host::new(ReceiverConfig { acks_pushed: true, ack_every: 5, ..WAITS });
    for (number, pushed) in [(1, false), (2, false), (3, true)] {
        host.hear(0, number, Mark { pushed, ..Mark::NONE });
    }
    host.wait(Time::SECOND);
    assert_eq!(host.acks(), [(0, 1, 40), (20, 4, 40)]);
}

/// Validates: an auto-tuned window does not open beyond the free part of the buffer.
/// Source: Linux, `tcp_grow_window`.
/// Tolerance: exact.
#[test]
fn a_slow_application_keeps_the_window_from_opening() {
    let auto = ReceiverConfig { rwnd: WindowRule::Auto, initial_rwnd: 10, initial_buffer: 20, max_window: 500, ..SLOW };
    let arrivals: Vec<_> = (1..=10).map(|number| (0, number)).collect();
    let windows = |config| acks(config, &arrivals).iter().map(|ack| ack.2).take(11).collect::<Vec<_>>();
    // it opens by two packets for each one, up to the 20 or to what is free
    assert_eq!(windows(ReceiverConfig { read_rate: None, ..auto }), [10, 12, 14, 16, 18, 20, 20, 20, 20, 20, 20]);
    assert_eq!(windows(auto), [10, 12, 14, 16, 17, 16, 15, 14, 13, 12, 11]);
}

/// What an application reads, packet by packet.
#[derive(Debug)]
struct Reads {
    interval: Time,
    /// When each packet is read.
    times: Vec<Time>,
}

impl Reads {
    /// A packet arrives in order.
    fn arrive(&mut self, now: Time) {
        self.times.push(self.times.last().map_or(now, |last| (*last + self.interval).max(now)));
    }

    fn until(&self, now: Time) -> u64 {
        self.times.partition_point(|at| *at <= now) as u64
    }
}

proptest! {
    /// A sender that uses each window at once, or later, over a path that loses and reorders, to any application.
    ///
    /// Validates: the buffer is never overrun, the right edge never moves back, the window closes only while less than a
    ///     16th of the buffer is free, and opens again by itself; all data is delivered in order.
    /// Source: RFC 9293, section 3.8.6; Linux, `__tcp_select_window`.
    /// Tolerance: exact.
    #[test]
    fn no_buffer_is_overrun(
        millis in 1_u64..50,
        buffer in 1_u32..60,
        delayed_ack in any::<bool>(),
        steps in prop::collection::vec((0_u64..30, 0_usize..8), 1..300),
    ) {
        let read_rate = Rate::from_bps(8 * 1460 * 1000 / millis);
        let config = ReceiverConfig { delayed_ack, max_window: buffer, read_rate, ..DELAYED };
        let interval = read_rate.expect("it is above 0").transmission_time(1460);
        let mut reads = Reads { interval, times: Vec::new() };
        let mut host = Host::new(config);
        let (mut millis, mut edge, mut missing) = (0, u64::from(buffer) + 1, vec![1]);
        for (wait, place) in steps {
            millis += wait;
            let now = Time::from_millis(millis);
            host.wait(now);
            // one of the segments that are missing within the window
            let next = host.receiver.rcv_nxt();
            missing.clear();
            missing.extend((next..edge).take(3));
            if let Some(number) = missing.get(place % 3) {
                host.hear(millis, *number, Mark::NONE);
            }
            for _ in next..host.receiver.rcv_nxt() {
                reads.arrive(now);
            }
            for (at, next, window) in host.acks() {
                let end = next + u64::from(window);
                prop_assert!(end >= edge || at == 0, "the edge moves back from {edge} to {end}");
                edge = edge.max(end);
                // times are rounded down to ms
                let read = reads.until(Time::from_millis(at + 1));
                prop_assert!(end <= 1 + read + u64::from(buffer), "{end} overruns the buffer after {read} reads");
            }
        }
        for number in host.receiver.rcv_nxt()..edge {
            host.hear(millis, number, Mark::NONE);
        }
        host.wait(Time::from_millis(millis + 61 * 50));
        let next = host.receiver.rcv_nxt();
        let (_, _, last) = host.acks().last().copied().unwrap_or((0, 0, (edge - next) as u32));
        prop_assert!(2 * last > buffer || last == buffer, "a window of {last} after all has been read");
    }
}
