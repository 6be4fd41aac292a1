use super::*;

/// One way takes 20 ms, so a round trip takes 40 ms.
const WAY: Time = Time::from_millis(20);
const AUTO: ReceiverConfig = ReceiverConfig { rwnd: WindowRule::Auto, max_window: 500, ..AT_ONCE };

/// A receiver, and the time.
struct Path {
    receiver: Receiver,
    pool: ReceiverPool,
    now: Time,
}

impl Path {
    /// A receiver that has just received the SYN, and its window; 0 if its ACKs carry none.
    fn new(config: ReceiverConfig) -> (Self, u32) {
        let mut pool = ReceiverPool::default();
        let mut path = Self { receiver: pool.add(config), pool, now: WAY };
        let window = path.hear(0, Time::ZERO).unwrap_or(0);
        (path, window)
    }

    /// Receives a segment sent at `sent`. Returns the window in its ACK.
    fn hear(&mut self, number: u64, sent: Time) -> Option<u32> {
        let mark = Mark { sent, ..Mark::NONE };
        self.receiver.handle_segment(number, mark, self.now, &mut self.pool).ack?.sack.window()
    }

    /// After a round trip, receives all segments from `first` to `last`. Returns the first two windows and the last one.
    fn round(&mut self, first: u64, last: u64) -> [u32; 3] {
        self.now += WAY + WAY;
        let sent = self.now - WAY;
        let windows: Vec<_> = (first..=last).map(|number| self.hear(number, sent).expect("an ACK")).collect();
        [windows[0], windows[1], windows[windows.len() - 1]]
    }
}

/// Round trips of 10, 20, 40 and 80 packets. The first packet of each round trip ends the count of the one before, which
/// includes it: 11, 20 and 40 packets. For 11 after the assumed 10, the buffer has 2 * 11 + 4 * 11 * 1/10 = 26 packets,
/// less than at the start. For 20 after 11, it has 40 + 80 * 9/11 = 105; for 40 after 20, 80 + 160 * 20/20 = 240.
///
/// Validates: the window stays ahead of slow start, and opens by two packets per packet.
/// Source: Linux 6.18, `tcp_rcvbuf_grow`, `tcp_grow_window`.
/// Tolerance: exact.
#[test]
fn the_window_stays_ahead_of_slow_start() {
    let (mut path, syn) = Path::new(AUTO);
    assert_eq!(syn, 44, "65,535 bytes");
    assert_eq!(path.round(1, 10), [44, 44, 44]);
    assert_eq!(path.round(11, 30), [44, 44, 44]);
    assert_eq!(path.round(31, 70), [44, 46, 105]);
    assert_eq!(path.round(71, 150), [105, 107, 240]);
}

/// A sender that fills an initial window of 10 packets at once, and later the window at the end of each round trip. The
/// buffer has 26 packets after the first round trip, and 52 + 4 * 26 * 15/11 = 193 after 26 packets.
///
/// Validates: a window that limits the sender opens further, up to `max_window`.
/// Source: Linux 6.18, `tcp_rcvbuf_grow`.
/// Tolerance: exact.
#[test]
fn a_window_that_limits_opens_further() {
    let (mut path, syn) = Path::new(ReceiverConfig { initial_rwnd: 10, initial_buffer: 1, ..AUTO });
    assert_eq!(syn, 10);
    assert_eq!(path.round(1, 10), [10, 10, 10]);
    assert_eq!(path.round(11, 20), [10, 12, 26]);
    // 10 packets since the last count, which was 11
    assert_eq!(path.round(21, 46), [26, 26, 26]);
    assert_eq!(path.round(47, 72), [26, 28, 76]);
    assert_eq!(path.round(73, 148), [78, 80, 193]);
    assert_eq!(path.round(149, 341), [193, 195, 500]);
}

/// Validates: before the sender's rate matters, the window opens to the initial buffer, and each packet that opens it is
///   acknowledged at once; then ACKs wait.
/// Source: Linux 6.18, `tcp_grow_window`; measured with the kernel's defaults (`none_defrmem`): 45 to 55 packets.
/// Tolerance: exact.
#[test]
fn packets_that_open_the_window_are_acknowledged_at_once() {
    let config = ReceiverConfig { initial_rwnd: 45, initial_buffer: 55, delayed_ack: true, ..AUTO };
    let mut path = Path::new(config).0;
    let windows: Vec<_> = (1..10).map(|number| path.hear(number, path.now)).collect();
    assert_eq!(windows, [Some(47), Some(49), Some(51), Some(53), Some(55), None, Some(55), None, Some(55)]);
}

/// A receiver without a handshake learns nothing from ten segments. Segment 20 lies beyond the first window and was sent
/// 15 ms after the first ACK; with a delay of 25 ms, the round trip has 40 ms.
///
/// Validates: without a handshake, the first packet beyond the window measures the round trip.
/// Source: Fisk and Feng 2001, section 3.
/// Tolerance: exact.
#[test]
fn a_packet_beyond_the_window_measures_the_round_trip() {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(ReceiverConfig { handshake: false, initial_rwnd: 20, initial_buffer: 20, ..AUTO });
    let mut window = |number, sent, now| {
        let mark = Mark { sent: Time::from_millis(sent), ..Mark::NONE };
        receiver.handle_segment(number, mark, Time::from_millis(now), &mut pool).ack.and_then(|ack| ack.sack.window())
    };
    for number in 0..20 {
        assert_eq!(window(number, 80, 100), Some(20));
    }
    // counts 21 packets in 40 ms: 42 + 4 * 21 * 11/10
    assert_eq!(window(20, 115, 140), Some(20));
    assert_eq!((21..90).map(|number| window(number, 115, 140)).last(), Some(Some(134)));
}

/// Validates: segments beyond a gap open the window, and the buffer grows by the span up to them: 2 * 10 + 61
///   packets.
/// Source: Linux 6.18, `tcp_data_queue_ofo`.
/// Tolerance: exact.
#[test]
fn segments_beyond_a_gap_count() {
    let mut path = Path::new(AUTO).0;
    let windows: Vec<_> = (2..62).map(|number| path.hear(number, path.now).expect("an ACK")).collect();
    // the buffer has 44 packets until segment 25, the 24th packet
    assert_eq!((windows[23], windows[24], windows[25]), (44, 45, 46));
    assert_eq!(windows[59], 80);
    assert_eq!(path.hear(1, path.now), Some(81));
}

/// Validates: a new connection begins with the initial window; no ACK of a receiver with a fixed window carries one.
/// Source: Linux 6.18, `tcp_select_initial_window`.
/// Tolerance: exact.
#[test]
fn a_new_connection_begins_with_the_initial_window() {
    let mut path = Path::new(AUTO).0;
    path.round(1, 10);
    path.round(11, 30);
    path.round(31, 70);
    path.receiver.renew(&mut path.pool);
    assert_eq!(path.hear(0, path.now), Some(44));
    assert_eq!(Path::new(ReceiverConfig { max_window: 20, ..AUTO }).1, 20, "at most `max_window`");
    assert_eq!(Path::new(AT_ONCE).1, 0);
}
