//! Pacing at the rate of the law, for random paths, applications and laws.

use ackclock_tcp::congestion::{Bbr3Spec, BbrSpec, CopaSpec, LawSpec, PragueSpec};
use ackclock_tcp::{EcnMode, GsoRule, SenderConfig};
use ackclock_units::Time;
use proptest::prelude::*;
use proptest::sample::select;

use crate::path::{MS, Moment, Path, paced};

/// The laws that have a rate.
fn laws() -> Vec<LawSpec> {
    vec![
        LawSpec::Bbr(BbrSpec {}),
        LawSpec::Bbr3(Bbr3Spec { loss_threshold: 0.02, beta: 0.7, headroom: 0.15, ecn_max_rtt: MS(5) }),
        LawSpec::Copa(CopaSpec { delta: 0.5, competitive: true }),
        LawSpec::Prague(PragueSpec { g: 1.0 / 16.0, rtt_target: MS(25), transition: 4 }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { 100 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// A sender on a path without losses, whose application supplies data in random portions.
    ///
    /// Validates: in the time from any transmission to any later one, the sender sends at most what the largest rate of that
    ///     time allows, and a burst. A burst has `pacing_burst` segments, or is a super-segment of at
    ///     most as many, and the share of the next one that `pacing_credit`
    ///     lets follow early. An interval may also begin within a burst that the window or the application has held back: it
    ///     then has the rest of this burst and all of the next one.
    /// Source: the rule at the head of `sender/pacer.rs`. With bursts at `t_0, t_1, ...` and spans `s_i = b / r_i`, the next
    ///     one is due at `t_0 + s_0 - c s_0`, and each later one a span after the one before it was due. So `b (n + 1)`
    ///     segments take at least `(n - c) b / r`: at most `r T + b (1 + c)` segments in a time `T`; or, from within a burst,
    ///     `r T + 2 b - 1`.
    /// Tolerance: a picosecond per segment, the resolution of times.
    #[test]
    fn no_interval_has_more_than_the_rate_and_a_burst(
        (law, each, delay) in (select(laws()), 20_u64..5_000, 2_u64..200),
        (pacing_burst, pacing_credit) in (1_u32..6, 0_u32..=100),
        gso in select(vec![GsoRule::Off, GsoRule::Autosize, GsoRule::Fixed]),
        supplies in prop::collection::vec((0_u64..300, 1_u64..60), 1..12),
    ) {
        let ecn = if matches!(law, LawSpec::Prague(_)) { EcnMode::Accurate } else { EcnMode::Off };
        // probes do not wait
        let gso_max_segs = pacing_burst;
        let config =
            SenderConfig { pacing_burst, pacing_credit, gso, gso_max_segs, tail_loss_probe: false, ..paced(law, ecn) };
        let mut path = Path::new(config, 1);
        (path.each, path.delay) = (Time::from_micros(each), MS(delay));
        for (gap, segments) in supplies {
            path.run_until(path.now + MS(gap));
            path.supply(segments);
        }
        path.run_until(path.now + MS(1_500));
        prop_assert_eq!(path.sender.counters().timeouts, 0);
        // the initial window is not paced, and nothing is before the first sample of the round-trip time
        let sent: Vec<&Moment> = path.log.iter().filter(|moment| moment.sends).skip(10).collect();
        let (burst, credit) = (f64::from(pacing_burst), f64::from(pacing_credit) / 100.0);
        let most = (burst * (1.0 + credit)).max(2.0 * burst - 1.0);
        for (place, first) in sent.iter().enumerate() {
            let mut rate = first.get("pacing_rate");
            for (more, last) in sent[place..].iter().enumerate() {
                rate = rate.max(last.get("pacing_rate"));
                let span = (last.at - first.at).as_secs_f64();
                let segments = more as f64 + 1.0;
                let allowed = rate * (span + 1e-12 * segments) + most;
                prop_assert!(segments <= allowed + 1e-9, "{segments} in {span} s at {rate}: {allowed}");
            }
        }
    }
}
