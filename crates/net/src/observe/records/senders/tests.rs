//! The log of the senders, compared with a plain list of rows.

use std::collections::BTreeMap;

use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Ack, SenderConfig, SenderState};
use ackclock_units::{Role, Stream};
use proptest::prelude::*;

use super::*;
use crate::observe::Values;

/// An event at a flow's sender.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// An ACK that acknowledges the given number of segments more than the previous one.
    Ack(i8),
    Timeout,
    Supply,
}

/// A plain log: the rows of both tables, as bits.
#[derive(Debug, Default, PartialEq)]
struct Plain {
    windows: Vec<[u64; 7]>,
    acks: Vec<[u64; 4]>,
    last: BTreeMap<u32, [u64; 5]>,
}

impl Plain {
    /// Stores a row for the windows if they have changed or there is no round-trip time yet.
    fn turn(&mut self, now: Time, flow: u32, state: &SenderState) {
        let SenderState { cwnd, ssthresh, flight_size, srtt, rto } = *state;
        let row = [cwnd, ssthresh, flight_size as f64, srtt, rto].map(f64::to_bits);
        if self.last.insert(flow, row) != Some(row) || srtt.is_nan() {
            let [cwnd, ssthresh, flight, srtt, rto] = row;
            self.windows.push([now.as_secs_f64().to_bits(), flow.into(), cwnd, ssthresh, flight, srtt, rto]);
        }
    }
}

/// The rows of a table as bits.
fn rows<const N: usize>(table: &Table) -> Vec<[u64; N]> {
    let columns = table.columns().into_iter().map(|column| match column.values {
        Values::F64(values) => values.into_iter().map(f64::to_bits).collect(),
        Values::U32(values) => values.into_iter().map(u64::from).collect(),
        Values::U64(values) => values,
        Values::Bool(values) => values.into_iter().map(u64::from).collect(),
        Values::Words { .. } => panic!("no words"),
    });
    let columns: Vec<Vec<u64>> = columns.collect();
    (0..columns[0].len()).map(|row| std::array::from_fn(|column| columns[column][row])).collect()
}

fn events() -> impl Strategy<Value = Vec<(u8, Event, u64)>> {
    let event = prop_oneof![
        20 => Just(Event::Ack(1)),
        2 => Just(Event::Ack(0)),
        2 => (-2..9_i8).prop_map(Event::Ack),
        1 => Just(Event::Timeout),
        1 => Just(Event::Supply),
    ];
    // times between events: usually those of a busy link
    let step = prop_oneof![4 => Just(240_000_000), 1 => 0..1_u64 << 41];
    prop::collection::vec((0..3_u8, event, step), 0..600)
}

proptest! {
    /// Two of three flows are in each table. Senders with processing times up to 12 or 40 us, or without, react to
    /// ACKs, timeouts and data. Turns are reported in pairs where the simulator would do so.
    #[test]
    fn the_tables_equal_a_plain_list(
        events in events(),
        numbers in prop::sample::select(vec![[0, 1, 2], [3, 255, 256], [5, 70_000, 9]]),
        overhead in prop::sample::select(vec![0, 12, 40]),
        recovery in prop::sample::select(vec![RecoverySpec::Tahoe, RecoverySpec::NewReno, RecoverySpec::Sack]),
        wanted in prop::sample::select(vec![(0..2, 1..3), (0..3, 0..3), (0..3, 0..0), (0..0, 0..2)]),
    ) {
        let config = SenderConfig { overhead: Time::from_micros(overhead), recovery, ..SenderConfig::default() };
        let mut senders: Vec<Sender> =
            numbers.iter().map(|flow| Sender::new(config.clone(), Stream::new(1, Role::Sender, *flow))).collect();
        let (windows, acks) = wanted;
        let mut log = SenderLog::of(&numbers[windows.clone()], &numbers[acks.clone()]);
        let (mut plain, mut now, mut nexts) = (Plain::default(), Time::ZERO, [0_u64; 3]);
        for (place, event, step) in events {
            let place = usize::from(place);
            let (flow, sender) = (numbers[place], &mut senders[place]);
            now = now.saturating_add(Time::from_picos(step));
            match event {
                Event::Ack(more) => {
                    let sent = sender.counters().sent - sender.counters().retransmissions;
                    nexts[place] = nexts[place].saturating_add_signed(more.into()).min(sent);
                    let ack = Ack::cumulative(nexts[place]);
                    if !acks.is_empty() {
                        log.acked(ack, sender);
                        if windows.is_empty() {
                            log.keep_ack(now, flow);
                        }
                    }
                    if acks.contains(&place) {
                        let duplicate = u64::from(sender.is_duplicate(ack));
                        plain.acks.push([now.as_secs_f64().to_bits(), flow.into(), ack.next, duplicate]);
                    }
                    sender.handle_ack(ack, now);
                }
                Event::Timeout => sender.handle_timeout(now),
                Event::Supply => sender.supply(50),
            }
            // the sender sends urgent segments, then the others after a processing time
            while sender.poll_transmit(now).is_some() {}
            let (first, state) = (now, sender.state());
            let is_wanted = windows.contains(&place);
            if is_wanted {
                plain.turn(now, flow, &state);
            }
            let Some(release) = sender.poll_release() else {
                log.turn(now, flow, sender);
                continue;
            };
            let is_pair = state.flight_size > 0;
            if !is_pair {
                log.turn(now, flow, sender);
            }
            now = release;
            while sender.poll_transmit(now).is_some() {}
            if is_wanted {
                plain.turn(now, flow, &sender.state());
            }
            if !is_pair {
                log.turn(now, flow, sender);
            } else if !log.keep_usual(first, state.flight_size, now, flow, sender) {
                log.keep_two(first, state.flight_size, now, flow, sender);
            }
        }
        prop_assert_eq!((log.windows(), log.acks()), (plain.windows.len(), plain.acks.len()));
        let [windows, acks] = log.tables();
        prop_assert_eq!(rows(&windows), plain.windows);
        prop_assert_eq!(rows(&acks), plain.acks);
    }
}
