//! The contention, the aggregates and the turns of a medium.

use ackclock_units::Role;
use proptest::prelude::*;

use super::*;

/// IEEE 802.11n at 5 GHz: best effort, one spatial stream.
const HT: MediumSpec = MediumSpec {
    slot: Time::from_micros(9),
    sifs: Time::from_micros(16),
    aifs: Time::from_micros(43),
    cw_min: 15,
    cw_max: 1023,
    preamble: Time::from_micros(36),
    symbol: Time::from_micros(4),
    ack: Time::from_micros(28),
    block_ack: Time::from_micros(32),
    overhead: 38,
    aggregate_packets: 64,
    aggregate_bytes: 65_535,
    aggregate_time: Time::from_micros(5_484),
    retries: 7,
    schedule: Schedule::Airtime,
};

/// The longest transmission of packets of one size.
fn longest(spec: &MediumSpec, size: u32, rate: Rate) -> Frame {
    let mut frame = Frame::default();
    while let Some(longer) = spec.extend(frame, size, rate) {
        frame = longer;
    }
    frame
}

/// Validates: a packet of 1500 bytes takes 48 symbols of 260 bits at 65 Mb/s, `8 (1500 + 38) + 22 = 12326` bits; an
///   aggregate of them is limited by its time to 28, by a limit of 4 ms to 20, and at 6.5 Mb/s to 2; short packets by
///   their number, and at 600 Mb/s by the bytes.
/// Source: IEEE Std 802.11-2016, 19.4.3 and 10.13; computed by hand: 28 packets have 43 230 bytes and take 1 331
///   symbols, 29 packets 44 774 bytes and more than 1 362.
/// Tolerance: exact.
#[test]
fn transmissions_take_whole_symbols_and_keep_to_the_limits() {
    let [fast, slow, fastest] = [65_000_000, 6_500_000, 600_000_000].map(|bps| Rate::from_bps(bps).expect("above 0"));
    assert_eq!(HT.time_of(1538, fast), Time::from_micros(4 * 48));
    let frame = longest(&HT, 1500, fast);
    assert_eq!(frame, Frame { packets: 28, bytes: 28 * 1544 - 2 });
    assert_eq!(HT.time_of(frame.bytes, fast), Time::from_micros(4 * 1331));
    assert!(HT.time_of(29 * 1544 - 2, fast) > Time::from_micros(4 * 1362));
    let four = MediumSpec { aggregate_time: Time::from_micros(4_000), ..HT };
    assert_eq!(longest(&four, 1500, fast).packets, 20);
    assert_eq!(longest(&four, 1500, slow).packets, 2);
    assert_eq!(longest(&HT, 100, fast).packets, 64);
    assert_eq!(longest(&HT, 1500, fastest).packets, 42);
    let plain = MediumSpec { symbol: Time::ZERO, ..HT };
    assert_eq!(plain.time_of(1300, fast), Time::from_micros(160));
}

/// Three stations on an idle medium, of which none has a queue: only the contention.
///
/// Validates: a packet that finds the medium idle is sent in the next slot, and another one of the same slot with it; a
///   pending event stays if the next packet comes later.
/// Source: the model at the head of the file.
/// Tolerance: exact.
#[test]
fn packets_on_an_idle_medium_are_sent_in_the_next_slot() {
    let mut medium = Medium::new(HT, [Time::ZERO, Time::SECOND]);
    for number in 0..3 {
        let station = medium.add_station(Stream::new(1, Role::Station, number));
        medium.add_link(LinkId(number), number, station, None, Rate::from_mbps(65));
    }
    let micros = Time::from_micros;
    assert_eq!(medium.contend(0, micros(100)), Some(micros(108)));
    assert_eq!(medium.contend(1, micros(108)), None);
    assert_eq!(medium.contend(2, micros(109)), None);
    let slots: Vec<_> = medium.waiting.clone().into_sorted_vec().into_iter().map(|Reverse(place)| place).collect();
    assert_eq!(slots, [(13, 2), (12, 1), (12, 0)]);
}

/// A station with three links, which take turns by deficit.
fn three_links(deficits: [i64; 3]) -> Medium {
    let mut medium = Medium::new(HT, [Time::ZERO, Time::SECOND]);
    let station = medium.add_station(Stream::new(1, Role::Station, 0));
    for (number, deficit) in (0..).zip(deficits) {
        medium.add_link(LinkId(number), number, station, None, Rate::from_mbps(65));
        medium.members[number as usize].deficit = deficit;
        medium.stations[0].turns.push_back(number);
    }
    medium
}

/// Validates: rounds are skipped as long as no link gets a turn, and none if one does.
/// Source: by hand, with quanta of 300 us: the second link lacks 2.5 of them, and 0.5 after two rounds.
/// Tolerance: exact.
#[test]
fn rounds_without_a_turn_are_skipped() {
    let deficits = |medium: &Medium| [0, 1, 2].map(|member: usize| medium.members[member].deficit);
    let mut medium = three_links([-10 * QUANTUM, -5 * QUANTUM / 2, -4 * QUANTUM]);
    medium.skip_rounds(0);
    assert_eq!(deficits(&medium), [-8 * QUANTUM, -QUANTUM / 2, -2 * QUANTUM]);
    let mut medium = three_links([-10 * QUANTUM, 1, i64::MIN / 2]);
    medium.skip_rounds(0);
    assert_eq!(deficits(&medium), [-10 * QUANTUM, 1, i64::MIN / 2]);
}

proptest! {
    /// Validates: a backoff is uniform in 0..=window, and a window of 0 is no backoff.
    /// Source: IEEE Std 802.11-2016, 10.3.3.
    /// Tolerance: five standard deviations of the mean of 10,000 draws.
    #[test]
    fn backoffs_are_uniform(seed in any::<u64>(), window in prop::sample::select(vec![0_u32, 1, 15, 1023])) {
        let mut medium = Medium::new(MediumSpec { cw_min: window, ..HT }, [Time::ZERO, Time::SECOND]);
        medium.add_station(Stream::new(seed, Role::Station, 0));
        let station = &mut medium.stations[0];
        let draws: Vec<u64> = (0..10_000).map(|_| { station.draw(7); station.ready - 7 }).collect();
        prop_assert!(draws.iter().all(|slots| *slots <= u64::from(window)));
        let mean = draws.iter().sum::<u64>() as f64 / 10_000.0;
        let (expected, deviation) = (f64::from(window) / 2.0, f64::from(window + 1) / 12.0_f64.sqrt());
        prop_assert!((mean - expected).abs() <= 5.0 * deviation / 100.0);
    }
}
