//! Random configurations of senders and receivers: every variant, congestion-control law and option.

#[path = "declared.rs"]
mod declared;

use std::sync::Arc;

use ackclock_tcp::congestion::foreign::{Cause, Controls, ForeignLaw, ForeignSpec, LawMaker, Needs};
use ackclock_tcp::congestion::{AckSample, LAWS, LawSpec, Window};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{
    Arithmetic, DecreaseFrom, DelayRule, EcnMode, GsoRule, IdleRestart, Pacing, PartialAckTimer, PrrRule, RackRule,
    ReceiverConfig, RttConfig, SackRule, SenderConfig, SlowStartRule, UndoRule, VARIANTS, WindowRule,
};
use ackclock_units::catalogue::{Entry, Parameter, ParameterKind};
use ackclock_units::{Rate, Time};
use declared::{default, spec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

/// Configuration for `usual` random cases. If `PROPTEST_CASES` is set, it gives the number of cases.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let asked = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return asked;
    }
    ProptestConfig { cases: usual, ..asked }
}

/// Reno's law, written outside the engine.
#[derive(Debug)]
pub(crate) struct ForeignReno;

impl ForeignLaw for ForeignReno {
    fn on_ack(&mut self, window: &mut Controls, ack: &AckSample) -> Result<(), Cause> {
        let Controls { cwnd, ssthresh, .. } = *window;
        window.cwnd += ack.counted(&Window { cwnd, ssthresh }) / cwnd;
        Ok(())
    }
}

impl LawMaker for ForeignReno {
    fn make(&self, _: u32, _: u64, _: u64) -> Result<Box<dyn ForeignLaw>, Cause> {
        Ok(Box::new(Self))
    }
}

/// A law from outside the engine with this maker.
pub(crate) fn foreign(maker: Arc<dyn LawMaker>) -> ForeignSpec {
    ForeignSpec { name: "Test".into(), number: 0, needs: Needs::default(), maker: Some(maker) }
}

/// The congestion-control laws of [`LAWS`], in that order, with random parameters; a law whose parameters contradict
/// each other gets its defaults.
pub(crate) fn laws() -> impl Strategy<Value = Vec<LawSpec>> {
    let count = LAWS.iter().map(|law| law.parameters.len()).sum::<usize>();
    prop::collection::vec(0.0..1.0, count).prop_map(|draws| {
        let mut draws = draws.into_iter();
        let law = |law: &Entry| {
            let random = spec(law, |parameter| within(parameter, draws.next().expect("each parameter has a draw")))?;
            if random.check().is_ok() { Some(random) } else { spec(law, default) }
        };
        let foreign = || LawSpec::Foreign(foreign(Arc::new(ForeignReno)));
        LAWS.iter().map(law).map(|law| law.unwrap_or_else(foreign)).collect()
    })
}

/// The value at this fraction of a parameter's range, which ends at thrice the default if the parameter has no maximum
/// or a very large one.
fn within(parameter: &Parameter, fraction: f64) -> Value {
    let whole = |min: u64, max: u64, usual: u64| {
        let most = max.min(3 * usual.max(1)).max(min);
        json!(min + (fraction * (most - min) as f64).round() as u64)
    };
    match parameter.kind {
        ParameterKind::Number { min, max, above, default } => {
            let least = min.or(above).unwrap_or(0.0);
            let most = max.unwrap_or(3.0 * default.max(1.0));
            // the limit `above` itself is not allowed
            let fraction = if above.is_some() { 0.01 + 0.99 * fraction } else { fraction };
            json!(least + fraction * (most - least))
        }
        ParameterKind::Whole { min, max, default } => whole(min, max, default),
        ParameterKind::Time { min, max, default, .. } | ParameterKind::Rate { min, max, default, .. } => {
            whole(min, max, default.unwrap_or(max))
        }
        ParameterKind::Flag { .. } => json!(fraction < 0.5),
        ParameterKind::Choice { choices, .. } => json!(choices[(fraction * choices.len() as f64) as usize]),
    }
}

/// Every loss recovery.
pub(crate) const RECOVERIES: [RecoverySpec; 6] = [
    RecoverySpec::Tahoe,
    RecoverySpec::Reno,
    RecoverySpec::NewReno,
    RecoverySpec::Sack,
    RecoverySpec::Rack,
    RecoverySpec::Vegas,
];

/// Random pairs of recovery and congestion-control law: those of a named variant in two of three cases, any pair
/// otherwise.
fn pairs() -> impl Strategy<Value = (RecoverySpec, LawSpec)> {
    (select(VARIANTS), select(&RECOVERIES[..]), any::<Index>(), 0..3, laws()).prop_map(
        |(variant, recovery, any_law, choice, mut laws)| {
            let named = || LAWS.iter().position(|law| law.name == variant.congestion).expect("a variant names its law");
            let law = if choice < 2 { named() } else { any_law.index(LAWS.len()) };
            let law = laws.swap_remove(law);
            let recovery = if choice < 2 { variant.recovery.unwrap_or(recovery) } else { recovery };
            (if law.check_recovery(recovery).is_ok() { recovery } else { RecoverySpec::Rack }, law)
        },
    )
}

fn rtt() -> impl Strategy<Value = RttConfig> {
    let arithmetic = select(vec![Arithmetic::Real, Arithmetic::Integer]);
    (arithmetic, select(vec![1_u64, 10, 100]), select(vec![0_u64, 200, 1_000]), any::<bool>(), any::<bool>()).prop_map(
        |(arithmetic, clock, min_rto, backoff_after_floor, timer_before_sample)| RttConfig {
            clock: Time::from_millis(clock),
            arithmetic,
            min_rto: Time::from_millis(min_rto),
            backoff_after_floor,
            timer_before_sample,
            ..RttConfig::default()
        },
    )
}

/// Options of senders after 2001.
#[derive(Clone, Copy, Debug)]
struct Modern {
    prr: PrrRule,
    undo: UndoRule,
    ecn: EcnMode,
    pacing: Pacing,
    pacing_burst: u32,
    gso: (GsoRule, u32),
    limit_output_bytes: u32,
    /// `tail_loss_probe`, `frto`, `abe`, `whole_growth`, `push`, `most_marks` and `has_sack`.
    rules: [bool; 7],
    /// `write_size` and `send_buffer`.
    writes: (u32, u32),
    /// Whether RACK has Linux' rules, and the length of a tick in ms.
    linux: (bool, u64),
}

fn modern() -> impl Strategy<Value = Modern> {
    let prr = select(vec![PrrRule::Off, PrrRule::Rfc9937, PrrRule::Rfc6937, PrrRule::Linux]);
    let undo = select(vec![UndoRule::Off, UndoRule::Dsack, UndoRule::Eifel, UndoRule::Both]);
    let ecn = select(vec![EcnMode::Off, EcnMode::Off, EcnMode::Classic, EcnMode::Dctcp, EcnMode::Accurate]);
    let pacing = select(vec![Pacing::Off, Pacing::Off, Pacing::Window, Pacing::Law]);
    let writes = (prop_oneof![Just(0_u32), Just(14_600_u32), 1_u32..100_000], prop_oneof![Just(0_u32), 1_u32..100]);
    let linux = (any::<bool>(), prop_oneof![Just(0_u64), 1_u64..30]);
    let rule = select(vec![GsoRule::Off, GsoRule::Off, GsoRule::Autosize, GsoRule::Fixed]);
    let gso = (rule, prop_oneof![Just(65_535_u32), 1_u32..12]);
    let queue = prop_oneof![2 => Just(0_u32), 1 => 1_u32..30_000, 1 => Just(4_194_304_u32)];
    (prr, undo, ecn, pacing, 1_u32..4, (gso, queue), any::<[bool; 7]>(), writes, linux).prop_map(
        |(prr, undo, ecn, pacing, pacing_burst, (gso, limit_output_bytes), rules, writes, linux)| Modern {
            prr,
            undo,
            ecn,
            pacing,
            pacing_burst,
            gso,
            limit_output_bytes,
            rules,
            writes,
            linux,
        },
    )
}

/// Random configurations of senders.
pub(crate) fn senders() -> impl Strategy<Value = SenderConfig> {
    // some windows exceed the number of packets that the network takes from a sender at once
    let max_window = prop_oneof![9 => 1_u32..40, 1 => 80_u32..160];
    let initial_window = prop_oneof![9 => 1_u32..12, 1 => 80_u32..160];
    let sizes = (max_window, initial_window, prop_oneof![3 => Just(0_u32), 1 => 1_u32..4], 0_u32..4);
    let rules = prop::array::uniform8(any::<bool>());
    let decrease_from = select(vec![DecreaseFrom::FlightSize, DecreaseFrom::Window, DecreaseFrom::WholeWindow]);
    let overhead = prop_oneof![2 => Just(0_u64), 1 => 1_u64..20_000];
    let starts =
        vec![SlowStartRule::Standard, SlowStartRule::Limited, SlowStartRule::HystartPlusPlus, SlowStartRule::Hystart];
    let growth = (select(starts), prop_oneof![2 => Just(0_u32), 1 => 1_u32..20]);
    (pairs(), sizes, rules, any::<[bool; 5]>(), decrease_from, rtt(), overhead, growth, modern()).prop_map(
        |((recovery, congestion), sizes, rules, more_rules, decrease_from, rtt, overhead, growth, modern)| {
            let (slow_start, byte_counting) = growth;
            let (max_window, initial_window, lone_segments, recovery_burst) = sizes;
            let [handshake, limited_transmit, exit_recovery, grow_on_exit, each, partial_ack_deflation, rest @ ..] =
                rules;
            let [deflate_on_exit, fall_floyd] = rest;
            let [stale_records, grow_when_limited, never_stops, sack_holds_new_data, remember_full_window] = more_rules;
            SenderConfig {
                packet_size: 1500,
                handshake,
                initial_window,
                slow_start,
                byte_counting,
                lone_segments,
                max_window,
                initial_rwnd: None,
                read_rate: None,
                has_sack: modern.rules[6],
                most_marks: modern.rules[5],
                limited_transmit,
                recovery,
                exit_recovery,
                grow_on_exit,
                partial_ack_timer: if each { PartialAckTimer::Each } else { PartialAckTimer::First },
                partial_ack_deflation,
                deflate_on_exit,
                recovery_burst,
                sack: if fall_floyd { SackRule::FallFloyd } else { SackRule::Rfc6675 },
                sack_holds_new_data,
                congestion,
                stale_records,
                decrease_from,
                grow_when_limited,
                remember_full_window,
                prr: modern.prr,
                tail_loss_probe: modern.rules[0],
                frto: modern.rules[1],
                undo: modern.undo,
                pacing: modern.pacing,
                pacing_ss_ratio: 200,
                pacing_ca_ratio: 120,
                pacing_burst: modern.pacing_burst,
                pacing_credit: if modern.linux.0 { 50 } else { 0 },
                gso: modern.gso.0,
                gso_max_segs: modern.gso.1,
                limit_output_bytes: modern.limit_output_bytes,
                rack: if modern.linux.0 { RackRule::Linux } else { RackRule::Rfc8985 },
                timer_tick: Time::from_millis(modern.linux.1),
                tick_phase: None,
                timestamps: modern.linux.0,
                push: modern.rules[4],
                write_size: modern.writes.0,
                payload: 1460,
                send_buffer: modern.writes.1,
                abe: modern.rules[2],
                whole_growth: modern.rules[3],
                ecn: modern.ecn,
                idle_restart: match (never_stops, modern.rules[3]) {
                    (true, _) => IdleRestart::Timeout,
                    (false, true) => IdleRestart::Rfc2861,
                    (false, false) if modern.rules[2] => IdleRestart::Off,
                    (false, false) => IdleRestart::Rfc5681,
                },
                rtt,
                overhead: Time::from_micros(overhead),
            }
        },
    )
}

/// Random configurations of receivers whose senders use a handshake.
pub(crate) fn receivers() -> impl Strategy<Value = ReceiverConfig> {
    let ecn = select(vec![EcnMode::Off, EcnMode::Classic, EcnMode::Dctcp, EcnMode::Accurate]);
    let quick = (prop_oneof![Just(0_u32), 1_u32..60], prop_oneof![Just(0_u32), 1_u32..20], 1_u64..500);
    let ack_every = prop_oneof![2 => Just(2_u32), 1 => 1_u32..6];
    let tuning = prop::option::weighted(0.3, (1_u32..40, 1_u32..60));
    let compression = (prop_oneof![Just(0_u32), 1_u32..6, Just(44_u32)], 0_u64..60, 1_u32..200, 0_u64..2);
    let gro = prop::option::weighted(0.3, (1_u64..30, 1_u32..8));
    // milliseconds in which the application reads a packet
    let read = prop::option::weighted(0.3, 1_u64..200);
    let host = (prop_oneof![2 => Just(0_u32), 1 => 1_u32..20], gro, read);
    (1_u64..500, any::<[bool; 8]>(), 0_u32..5, ecn, ack_every, quick, tuning, compression, host).prop_map(
        |(wait, rules, sack_blocks, ecn, ack_every, quick, tuning, compression, host)| {
            let (acks_per_rtt, gro, read) = host;
            let (sack_compression, compression_delay, sack_compression_rtt_percent, slack) = compression;
            let [delayed_ack, ack_gap_fill, delay_duplicates, ack_first, dsack, reports_originals, rest @ ..] = rules;
            let [acks_pushed, adapts] = rest;
            let (quick_acks, quick_acks_again, pause) = quick;
            let delayed_ack_timeout = Time::from_millis(wait);
            ReceiverConfig {
                handshake: true,
                delayed_ack,
                ack_every,
                acks_per_rtt,
                gro_interval: gro.map_or(Time::ZERO, |(millis, _)| Time::from_millis(millis)),
                gro_packets: gro.map_or(45, |(_, packets)| packets),
                delayed_ack_timeout,
                delayed_ack_tick: Time::from_millis(wait % 6),
                delayed_ack_rule: if adapts { DelayRule::Linux } else { DelayRule::Fixed },
                ack_gap_fill,
                delay_duplicates,
                ack_first,
                quick_acks,
                quick_acks_again,
                quick_acks_pause: Time::from_millis(pause),
                sack_blocks,
                dsack,
                sack_compression,
                sack_compression_delay: Time::from_millis(compression_delay),
                sack_compression_rtt_percent,
                sack_compression_slack: Time::from_millis(slack),
                ecn,
                reports_originals,
                rwnd: if tuning.is_some() { WindowRule::Auto } else { WindowRule::Fixed },
                initial_rwnd: tuning.map_or(44, |(window, _)| window),
                initial_buffer: tuning.map_or(44, |(_, buffer)| buffer),
                read_rate: read.and_then(|millis| Rate::from_bps(8 * 1_460 * 1_000 / millis)),
                max_window: 1_000,
                data_bytes: 1_460,
                acks_pushed,
            }
        },
    )
}
