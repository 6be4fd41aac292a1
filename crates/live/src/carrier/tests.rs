use std::collections::VecDeque;
use std::sync::Arc;

use ackclock_net::Plan;
use ackclock_net::plan::testing::dumbbell_of_reno;
use ackclock_net::plan::{SourceSpec, Topology, TransportSpec};
use ackclock_net::relay::{MeasuredRelay, Supply};
use ackclock_net::sizes::SizeSpec;
use ackclock_units::Rate;
use proptest::prelude::*;

use super::*;
use crate::headers::{FIRST_PORT, Flows};

/// Wires whose packets come at given times. The clock stands still except in waits, which end late.
#[derive(Debug, Default)]
struct Scripted {
    now: Time,
    coming: VecDeque<(Time, Vec<u8>)>,
    /// Packets that were written: time, end, and bytes.
    written: Vec<(Time, usize, Vec<u8>)>,
    /// How late each wait ends, in turn.
    late: Vec<u64>,
    waits: usize,
}

impl Wires for Scripted {
    fn ends(&self) -> usize {
        2
    }

    fn now(&mut self) -> Time {
        self.now
    }

    fn receive(&mut self, from: usize, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((_, packet)) = self.coming.front().filter(|(at, _)| from == 0 && *at <= self.now) else {
            return Ok(0);
        };
        let length = packet.len();
        buffer[..length].copy_from_slice(packet);
        self.coming.pop_front();
        Ok(length)
    }

    fn send(&mut self, to: usize, packet: &[u8]) -> io::Result<()> {
        self.written.push((self.now, to, packet.to_vec()));
        Ok(())
    }

    fn wait(&mut self, until: Time) -> io::Result<()> {
        let next = self.coming.front().map_or(until, |(at, _)| until.min(*at));
        let late = self.late.get(self.waits % self.late.len().max(1)).copied().unwrap_or_default();
        self.waits += 1;
        // the carrier writes what is due before its clock
        self.now = self.now.max(next) + Time::from_micros(late) + Time::from_picos(1);
        Ok(())
    }
}

/// A datagram of 1500 bytes of flow `flow`.
fn datagram(flow: u16, number: u8) -> Vec<u8> {
    let mut packet = vec![number; 1500];
    packet[..20].fill(0);
    (packet[0], packet[9]) = (0x45, 17);
    packet[20..22].copy_from_slice(&(FIRST_PORT + flow).to_be_bytes());
    packet
}

/// A dumbbell with UDP, 12 Mb/s at the bottleneck: a packet takes 1 ms there and 0.1 ms on the access link; 50 ms of delay.
fn plan() -> Plan {
    let mut plan = Plan { duration: Time::SECOND, ..dumbbell_of_reno(2) };
    plan.groups[0].transport = TransportSpec::Udp { sizes: SizeSpec::Fixed };
    plan.groups[0].source = SourceSpec::Constant { rate: 1.0 };
    let Topology::Dumbbell { bottleneck, access, .. } = &mut plan.topology else { unreachable!("it is a dumbbell") };
    bottleneck.rate = Rate::from_mbps(12).into();
    access[0].0.rate = Rate::from_mbps(120).into();
    plan
}

const fn ignore(_: Supply) {}

fn carried(times: &[u64], late: &[u64]) -> Carrier<Scripted, Flows<fn(Supply)>> {
    let coming = times.iter().zip(0..).map(|(at, number)| (Time::from_micros(*at), datagram(0, number))).collect();
    let wires = Scripted { coming, late: late.to_vec(), ..Scripted::default() };
    let relay = MeasuredRelay::new(Arc::new(plan()), 1).expect("sound");
    let mut carrier = Carrier::new(wires, Flows::new(relay, [1472, 1472], ignore as fn(Supply)));
    carrier.run(Time::SECOND).expect("nothing breaks");
    carrier
}

/// Validates: packets leave at the times of the links, one by one at the bottleneck's rate.
/// Source: hand: 0.1 ms, 25 ms, 1 ms, 25 ms; the next ones 1 ms apart.
/// Tolerance: the clock's picosecond steps.
#[test]
fn packets_leave_at_the_times_of_the_links() {
    let carrier = carried(&[0, 0, 0, 100_000], &[]);
    let written: Vec<_> = carrier.wires.written.iter().map(|(at, to, bytes)| (*at, *to, bytes[30])).collect();
    let expected = [51_100, 52_100, 53_100, 151_100].map(Time::from_micros);
    for ((number, intended), (at, to, byte)) in (0_u8..).zip(expected).zip(written) {
        assert!(to == 1 && byte == number, "packets keep their bytes and their order");
        assert!(at >= intended && at - intended < Time::from_picos(20), "{at:?} is not {intended:?}");
    }
    assert_eq!(carrier.counts, Counts { carried: 4, foreign: 0, refused: 0 });
    assert_eq!((carrier.lateness.total(), carrier.lateness.percentile(1.0)), (4, 0.0));
    assert_eq!(carrier.free.len(), carrier.packets.len(), "all buffers are free again");
}

#[test]
fn packets_of_no_flow_are_not_carried() {
    let relay = MeasuredRelay::new(Arc::new(plan()), 1).expect("sound");
    let mut wrong = datagram(9, 1);
    let coming = VecDeque::from([(Time::ZERO, wrong.clone()), (Time::ZERO, vec![0; 3]), (Time::ZERO, datagram(1, 1))]);
    wrong.truncate(21);
    let wires = Scripted { coming, ..Scripted::default() };
    let mut carrier = Carrier::new(wires, Flows::new(relay, [1472, 1472], ignore as fn(Supply)));
    carrier.run(Time::SECOND).expect("nothing breaks");
    assert_eq!(carrier.counts, Counts { carried: 1, foreign: 2, refused: 0 });
    assert_eq!(carrier.wires.written.len(), 1);
}

/// Validates: a source supplies its data at its times, to each flow, as the clock passes them.
/// Source: hand: a packet each 250 ms.
/// Tolerance: exact.
#[test]
fn sources_supply_at_their_times() {
    let mut plan = plan();
    plan.groups[0].source = SourceSpec::Constant { rate: 4.0 };
    let relay = MeasuredRelay::new(Arc::new(plan), 1).expect("sound").with_sources();
    let mut supplies = Vec::new();
    let mut carrier =
        Carrier::new(Scripted::default(), Flows::new(relay, [1472, 1472], |supply| supplies.push(supply)));
    carrier.run(Time::SECOND).expect("nothing breaks");
    drop(carrier);
    let of_first: Vec<_> = supplies.iter().filter(|supply| supply.flow == 0).collect();
    let gaps: Vec<_> = of_first.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    assert!(of_first.iter().all(|supply| supply.packets == 1));
    assert!(gaps.len() >= 2 && gaps.iter().all(|gap| *gap == Time::from_millis(250)), "{gaps:?}");
}

proptest! {
    /// Validates: a clock that is late does not add up: packets leave late by what the last wait was late, and at most by the
    ///     longest one; each packet leaves or is dropped once; the measurement is of the links' times.
    /// Source: the head of `carrier.rs`.
    /// Tolerance: exact.
    #[test]
    fn lateness_does_not_add_up(
        mut times in prop::collection::vec(0_u64..800_000, 1..200),
        late in prop::collection::vec(0_u64..3_000, 1..20),
    ) {
        times.sort_unstable();
        let carrier = carried(&times, &late);
        let most = late.iter().max().copied().unwrap_or_default();
        prop_assert!(carrier.lateness.longest() <= most as f64 * 1e-6 + 1e-9);
        prop_assert_eq!(carrier.counts.carried, times.len() as u64);
        prop_assert_eq!(carrier.lateness.total(), carrier.wires.written.len() as u64);
        prop_assert_eq!(carrier.free.len(), carrier.packets.len());
        let outcome = carrier.into_parts().1.relay.finish();
        prop_assert_eq!(outcome.summary.arrivals, times.len() as u64);
    }
}
