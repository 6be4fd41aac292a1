//! The summary of a run against sums over its events.

use std::array::from_fn;

use ackclock_net::link::Offered;
use ackclock_net::plan::GroupSpec;
use ackclock_net::rate::RateSpec;
use ackclock_net::{FlowId, Payload, Plan, Simulator, run};
use ackclock_units::Time;
use proptest::prelude::*;

use crate::graphs::{edges, flows, plans};
use crate::kinds::cases;
use crate::ledger::{Ledger, Offer};

/// How much of one time range lies in another, in picoseconds.
fn overlap(from: Time, until: Time, of: (Time, Time)) -> u64 {
    until.min(of.1).as_picos().saturating_sub(from.max(of.0).as_picos())
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// Counters of the senders of each group: segments sent again, timeouts, fast retransmissions, duplicate ACKs.
fn counted(plan: &Plan, simulator: &Simulator) -> Vec<[u64; 4]> {
    let mut first = 0;
    let group = |group: &GroupSpec| {
        let flows = first..first + group.flows();
        first = flows.end;
        let counters = flows.map(|flow| simulator.counters(FlowId(flow)));
        counters.fold([0; 4], |sums, one| {
            let each = [one.retransmissions, one.timeouts, one.fast_retransmits, one.dup_acks];
            from_fn(|place| sums[place] + each[place])
        })
    };
    plan.groups.iter().map(group).collect()
}

proptest! {
    #![proptest_config(cases())]

    /// The summary of a measured time that begins at any moment of the run.
    ///
    /// Validates: packets, c.o.v., load and mean queue of the measured link, goodput, mean delay and senders' counters of
    ///   each group are those of the events in the measured time.
    /// Source: their definitions (docs/measures.md).
    /// Tolerance: exact counts; quotients to 1e-12.
    #[test]
    fn a_summary_counts_the_measured_time(mut plan in plans(false), seed in any::<u64>(), begin in 0.0..1.0_f64) {
        plan.measure.from = Time::from_secs_f64(begin * plan.duration.as_secs_f64());
        let (from, end, bin) = (plan.measure.from, plan.duration, plan.measure.bin);
        let (span, seconds) = ((end - from).as_picos(), (end - from).as_secs_f64());
        let (mut ledger, mut simulator) = (Ledger::until(end), Simulator::new(&plan, seed).expect("the plan is sound"));
        simulator.run_until(from, &mut ledger);
        let before = counted(&plan, &simulator);
        simulator.run_until(end, &mut ledger);
        let after = counted(&plan, &simulator);
        let outcome = run(&plan, seed).expect("the plan is sound");

        let here = || ledger.offers.iter().filter(|offer| offer.link == plan.measure.link);
        let is_measured = |at: Time| from <= at && at < end;
        let (mut departures, mut busy, mut waiting) = (0, 0, 0);
        for Offer { at, offered, .. } in here() {
            if let Offered::Accepted { start, end: sent, .. } = *offered {
                departures += u64::from(is_measured(start));
                busy += overlap(start, sent, (from, end));
                waiting += overlap(*at, start, (from, end));
            }
        }
        let arrived: Vec<&Offer> = here().filter(|offer| is_measured(offer.at)).collect();
        let drops = arrived.iter().filter(|offer| matches!(offer.offered, Offered::Dropped(_))).count() as u64;
        let summary = &outcome.summary;
        prop_assert_eq!(
            (summary.arrivals, summary.departures, summary.drops),
            (arrived.len() as u64, departures, drops)
        );
        prop_assert!(near(summary.queue_mean, waiting as f64 / span as f64));
        if let RateSpec::Constant(_) = edges(&plan)[plan.measure.link as usize].link.rate {
            prop_assert!(near(summary.utilization, busy as f64 / span as f64));
        }
        let mut bins = vec![0.0; (span / bin.as_picos()) as usize];
        for offer in &arrived {
            if let Some(count) = bins.get_mut(((offer.at - from).as_picos() / bin.as_picos()) as usize) {
                *count += 1.0;
            }
        }
        let mean = bins.iter().sum::<f64>() / bins.len() as f64;
        let variance = bins.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / bins.len() as f64;
        match summary.cov {
            Some(cov) => prop_assert!((cov - variance.sqrt() / mean).abs() < 1e-9),
            None => prop_assert!(bins.iter().all(|count| *count == 0.0)),
        }

        // of each group: packets, bits in order, seconds of delay
        let mut got = vec![[0.0; 3]; plan.groups.len()];
        let specs = flows(&plan);
        for (at, packet, in_order) in &ledger.delivered {
            if is_measured(*at) && !matches!(packet.payload, Payload::Syn { .. }) {
                let spec = specs[packet.flow.0 as usize];
                let group = plan.groups.iter().position(|group| std::ptr::eq(group, spec)).expect("it is one of them");
                let more = [1.0, 8.0 * *in_order as f64 * f64::from(packet.size), (*at - packet.sent).as_secs_f64()];
                got[group] = from_fn(|place| got[group][place] + more[place]);
            }
        }
        for (group, found) in outcome.groups.iter().enumerate() {
            let [packets, bits, delay] = got[group];
            prop_assert!(near(found.goodput_bps, bits / seconds));
            prop_assert_eq!(found.delay_mean.is_some(), packets > 0.0);
            prop_assert!(found.delay_mean.is_none_or(|mean| (mean - delay / packets).abs() < 1e-9));
            let told = [found.retransmissions, found.timeouts, found.fast_retransmits, found.dup_acks];
            prop_assert_eq!(told, from_fn(|place| after[group][place] - before[group][place]));
        }
    }
}
