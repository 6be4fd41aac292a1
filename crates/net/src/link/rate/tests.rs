//! Rate changes: transmissions computed by hand, the integral of the rate, and measurements at a link with a varying
//! rate.

use ackclock_units::{Role, Stream};
use proptest::prelude::*;

use super::*;
use crate::link::{Link, Offered};
use crate::packet::{FlowId, Packet, Payload};
use crate::plan::testing::dumbbell_of_reno;
use crate::plan::{Plan, SourceSpec, Topology, TransportSpec};
use crate::queue::Context;
use crate::sizes::SizeSpec;
use crate::{LinkId, Simulator, run};

/// A trace of rates in kbit/s, each starting at the given milliseconds.
fn trace(steps: &[(u64, u64)], period: Option<u64>) -> RateSpec {
    let times = steps.iter().map(|(millis, _)| Time::from_millis(*millis)).collect();
    let rates = steps.iter().map(|(_, kbps)| 1_000 * kbps).collect();
    RateSpec::Trace(Arc::new(RateTraceSpec::new(times, rates, period.map(Time::from_millis))))
}

/// Validates: a transmission ends when the integral of the rate has reached its bits.
/// Source: computed by hand: 1000 bytes take 8 ms at 1 Mbit/s, 4 ms at 2 Mbit/s.
/// Tolerance: exact.
#[test]
fn a_transmission_goes_on_at_the_new_rate() {
    let millis = |rate: &RateSpec, start| {
        assert_eq!(rate.check(), Ok(()));
        LinkRate::new(rate).transmission_time(1000, Time::from_millis(start)).as_picos() as f64 / 1e9
    };
    let faster = trace(&[(0, 1_000), (10, 2_000)], None);
    // a packet that starts at 8 ms has 6000 bits left at 10 ms, when the rate becomes 2 Mbit/s
    assert_eq!([0, 2, 8, 10, 999].map(|start| millis(&faster, start)), [8.0, 8.0, 5.0, 4.0, 4.0]);
    let outage = trace(&[(0, 1_000), (10, 0), (25, 500)], None);
    assert_eq!([2, 6, 10, 20, 25].map(|start| millis(&outage, start)), [8.0, 27.0, 31.0, 21.0, 16.0]);
    // the trace carries 20 kbit in every 30 ms
    let over_and_over = trace(&[(0, 1_000), (10, 0), (20, 1_000)], Some(30));
    assert_eq!([6, 22, 32, 59, 66].map(|start| millis(&over_and_over, start)), [18.0, 8.0, 8.0, 8.0, 18.0]);
    let blinks = trace(&[(0, 0), (99, 1_000)], Some(100));
    assert_eq!([0, 50, 99].map(|start| millis(&blinks, start)), [800.0, 750.0, 701.0]);
}

/// Packets of 1000 bytes every 5 ms on a link that needs 8 ms for each: the queue grows. The link is down from 100 to
/// 150 ms.
///
/// Validates: packets that wait when an outage begins, and those that come in it, are lost, and the first packet after it
///   finds an empty queue; a rate of 0 keeps all of them.
/// Source: by hand: of the 20 packets of the first 100 ms, 12 are sent by 96 ms; 10 more come by 150 ms.
/// Tolerance: exact.
#[test]
fn an_outage_loses_what_waits_and_a_rate_of_zero_does_not() {
    let arrivals = |rate: RateSpec| -> Vec<Option<u64>> {
        assert_eq!(rate.check(), Ok(()));
        let Topology::Dumbbell { mut bottleneck, .. } = dumbbell_of_reno(1).topology else { unreachable!() };
        (bottleneck.rate, bottleneck.delay) = (rate, Time::ZERO);
        let (context, losses) = (Context::testing(Rate::from_mbps(1)), Stream::new(1, Role::Loss, 0));
        let queue = bottleneck.queue.build(&context).at_arrival();
        let mut link = Link::new(&bottleneck, LinkRate::new(&bottleneck.rate), queue, losses);
        let payload = Payload::Data { number: 0, retransmission: false, connection: 0 };
        let packet = Packet::new(FlowId(0), 1000, payload, Time::ZERO);
        let mut arrival = |at| match link.offer(&packet, Time::from_millis(at)) {
            Offered::Accepted { arrival, lost: false, .. } => Some(arrival.as_picos() / 1_000_000_000),
            _ => None,
        };
        (0..40).map(|number| arrival(5 * number)).collect()
    };
    let kept = arrivals(trace(&[(0, 1_000), (100, 0), (150, 1_000)], None));
    assert!(kept.iter().all(Option::is_some));
    assert_eq!([kept[11], kept[12], kept[20]], [Some(96), Some(154), Some(218)]);
    let RateSpec::Trace(plain) = trace(&[(0, 1_000)], None) else { unreachable!("it is a trace") };
    let outages = vec![[100, 150].map(Time::from_millis)];
    let lost = arrivals(RateSpec::Trace(RateTraceSpec { outages, ..(*plain).clone() }.into()));
    assert_eq!(lost[..12], kept[..12]);
    assert_eq!(lost[12..30], [None; 18]);
    assert_eq!(lost[30..33], [Some(158), Some(166), Some(174)]);
}

#[test]
fn what_is_no_trace_is_refused() {
    let field =
        |steps: &[(u64, u64)], period| trace(steps, period).check().map_or_else(|(field, _)| field, |()| "none");
    assert_eq!(field(&[(0, 0), (1, 1)], None), "none");
    assert_eq!(field(&[(0, 1), (1, 0)], Some(2)), "none");
    assert_eq!(field(&[], None), "times");
    assert_eq!(field(&[(1, 1)], None), "times");
    assert_eq!(field(&[(0, 1), (2, 1), (2, 1)], None), "times");
    assert_eq!(field(&[(0, 1), (2, 1)], Some(2)), "period");
    assert_eq!(field(&[(0, 1), (1, 0)], None), "rates");
    assert_eq!(field(&[(0, 0), (1, 0)], Some(2)), "rates");
    let uneven = RateTraceSpec::new(vec![Time::ZERO], vec![1, 2], None);
    assert_eq!(RateSpec::Trace(Arc::new(uneven)).check().map_err(|(field, _)| field), Err("rates"));
}

/// Validates: a transmission that would end after the maximum time ends at the maximum time.
/// Source: the range of `Time`.
/// Tolerance: exact.
#[test]
fn transmissions_may_last_for_ever() {
    let slow = RateTraceSpec::new(vec![Time::ZERO, Time::from_picos(1)], vec![1, 0], Some(Time::MAX));
    let rate = LinkRate::new(&RateSpec::Trace(Arc::new(slow)));
    assert_eq!(rate.transmission_time(u32::MAX, Time::SECOND), Time::MAX.saturating_sub(Time::SECOND));
    assert_eq!(rate.mean(Time::ZERO, Time::SECOND), Rate::SLOWEST);
}

/// A plan with a Poisson load of 1.2 Mbit/s of UDP on a bottleneck with the given rate.
fn overloaded(rate: &RateSpec) -> Plan {
    let mut plan = dumbbell_of_reno(1);
    plan.groups[0].transport = TransportSpec::Udp { sizes: SizeSpec::Exponential };
    plan.groups[0].source = SourceSpec::Poisson { rate: 100.0 };
    let Topology::Dumbbell { bottleneck, .. } = &mut plan.topology else { unreachable!() };
    bottleneck.rate = rate.clone();
    plan
}

/// Validates: throughput and utilization of a link that is never idle correspond to its mean rate, over the whole run
///   and over a part of it.
/// Source: the integral of the rate, computed by hand: 250 and 500 kbit/s in turn, for 0.1 s each.
/// Tolerance: 1 %, for the idle time at the start.
#[test]
fn a_busy_link_carries_the_mean_rate() {
    let mut plan = overloaded(&trace(&[(0, 250), (100, 500)], Some(200)));
    for from in [0, 5_050] {
        plan.measure.from = Time::from_millis(from);
        let summary = run(&plan, 1).expect("sound").summary;
        let mean = if from == 0 { 375e3 } else { (250e3 * 2.45 + 500e3 * 2.5) / 4.95 };
        println!("measured: {:.0} of {mean:.0} bit/s", summary.throughput_bps);
        assert!((summary.throughput_bps / mean - 1.0).abs() < 0.01, "{} {mean}", summary.throughput_bps);
        assert!((0.99..=1.0).contains(&summary.utilization), "{}", summary.utilization);
    }
}

#[test]
fn links_that_follow_one_trace_share_what_is_made_of_it() {
    let mut plan = dumbbell_of_reno(3);
    let Topology::Dumbbell { access, .. } = &mut plan.topology else { unreachable!() };
    access[0].0.rate = trace(&[(0, 1_000)], None);
    let simulator = Simulator::new(&plan, 1).expect("sound");
    let [Steps::Varying(first), Steps::Varying(last)] = [2, 6].map(|link| &simulator.rate(LinkId(link)).steps) else {
        unreachable!()
    };
    assert!(Arc::ptr_eq(first, last));
}

/// Validates: a trace with one rate, or with equal steps, equals that constant rate: the same summary to the last
///   digit.
/// Source: the definition.
/// Tolerance: exact.
#[test]
fn a_trace_that_does_not_change_is_a_constant_rate() {
    let constant = run(&overloaded(&Rate::from_mbps(1).into()), 1).expect("sound").summary;
    for same in [trace(&[(0, 1_000)], None), trace(&[(0, 1_000), (3, 1_000)], Some(7))] {
        assert_eq!(run(&overloaded(&same), 1).expect("sound").summary, constant);
    }
}

proptest! {
    /// Validates: a transmission ends at the first time at which all its bits have been sent.
    /// Source: the definition, with `W` added up picosecond by picosecond.
    /// Tolerance: exact.
    #[test]
    fn the_end_is_the_first_time_that_is_late_enough(
        steps in prop::collection::vec((1_u64..8, 0_u64..4), 0..6),
        last in (1_u64..8, 1_u64..4),
        repeats in any::<bool>(),
        start in 0_u64..40,
        size in 1_u32..4,
    ) {
        // a byte takes 8 to 24 picoseconds at these rates
        let bps = |rate: u64| rate * 1_000_000_000_000 / 3;
        let (mut times, mut rates) = (vec![Time::ZERO], Vec::new());
        for (span, rate) in &steps {
            times.push(times[times.len() - 1] + Time::from_picos(*span));
            rates.push(bps(*rate));
        }
        rates.push(bps(last.1));
        let end_of_last = times[times.len() - 1] + Time::from_picos(last.0);
        let trace = RateTraceSpec::new(times, rates, repeats.then_some(end_of_last));
        let rate_at = |picos: u64| {
            let within = Time::from_picos(if repeats { picos % end_of_last.as_picos() } else { picos });
            u128::from(trace.rates[trace.times.iter().rposition(|time| *time <= within).unwrap()])
        };
        let sent = |until: u64| (start..until).map(rate_at).sum::<u128>();
        let end = (start..1_000).find(|until| sent(*until) >= u128::from(size) * BYTE).unwrap();
        let spec = RateSpec::Trace(Arc::new(trace.clone()));
        prop_assert_eq!(spec.check(), Ok(()));
        let rate = LinkRate::new(&spec);
        let (from, until) = (Time::from_picos(start), Time::from_picos(end));
        prop_assert_eq!(rate.transmission_time(size, from), until - from);
        prop_assert_eq!(u128::from(rate.mean(from, until).as_bps()), sent(end).div_ceil(u128::from(end - start)));
    }
}
