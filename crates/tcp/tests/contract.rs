//! The contract of every congestion control and every variant, whatever it is fed: the window stays finite and at least one
//! segment, and a sender never has more in flight than its peer advertises.

use ackclock_tcp::congestion::{BaseRtt, LawSpec, RenoSpec, VegasSpec};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{
    Ack, Block, DecreaseFrom, IdleRestart, PartialAckTimer, Receiver, ReceiverConfig, Sack, SackRule, Sender,
    SenderConfig,
};
use ackclock_units::{Role, Stream, Time};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// After so many milliseconds an ACK this far beyond the last one.
    Ack { millis: u16, advance: u64 },
    /// The same ACK again, with a block this far beyond it.
    Duplicate { millis: u16, block: (u64, u64) },
    /// Nothing comes until the timer fires.
    Timeout,
    /// The application hands over more.
    Supply(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_u16..500, 1_u64..6).prop_map(|(millis, advance)| Step::Ack { millis, advance }),
        4 => (0_u16..50, (1_u64..30, 1_u64..10)).prop_map(|(millis, block)| Step::Duplicate { millis, block }),
        1 => Just(Step::Timeout),
        2 => (1_u64..30).prop_map(Step::Supply),
    ];
    prop::collection::vec(step, 1..200)
}

fn variants() -> impl Strategy<Value = SenderConfig> {
    let vegas = |base_rtt| LawSpec::Vegas(VegasSpec { alpha: 1.0, beta: 3.0, gamma: 1.0, base_rtt });
    let laws = vec![LawSpec::Reno(RenoSpec {}), vegas(BaseRtt::Minimum), vegas(BaseRtt::Ns2)];
    let recoveries =
        vec![RecoverySpec::Tahoe, RecoverySpec::Reno, RecoverySpec::NewReno, RecoverySpec::Sack, RecoverySpec::Vegas];
    let sources = vec![DecreaseFrom::FlightSize, DecreaseFrom::Window, DecreaseFrom::WholeWindow];
    let rules = prop::array::uniform12(any::<bool>());
    let numbers = (1_u32..40, 1_u32..12, 0_u32..4, 0_u32..4, 0_u64..2_000);
    (prop::sample::select(laws), prop::sample::select(recoveries), prop::sample::select(sources), numbers, rules)
        .prop_map(|(congestion, recovery, decrease_from, numbers, rules)| {
            let (max_window, initial_window, lone_segments, recovery_burst, overhead) = numbers;
            SenderConfig {
                congestion,
                recovery,
                decrease_from,
                max_window,
                initial_window,
                lone_segments,
                recovery_burst,
                overhead: Time::from_micros(overhead),
                handshake: rules[0],
                limited_transmit: rules[1],
                exit_recovery: rules[2],
                grow_when_limited: rules[3],
                idle_restart: if rules[4] { IdleRestart::Rfc5681 } else { IdleRestart::Timeout },
                stale_records: rules[5],
                grow_on_exit: rules[6],
                deflate_on_exit: rules[7],
                partial_ack_deflation: rules[8],
                partial_ack_timer: if rules[9] { PartialAckTimer::First } else { PartialAckTimer::Each },
                sack: if rules[10] { SackRule::Rfc6675 } else { SackRule::FallFloyd },
                ..SenderConfig::default()
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_conversation_keeps_the_window_sane(config in variants(), steps in steps()) {
        let mut sender = Sender::new(config.clone(), Stream::new(1, Role::Sender, 0));
        let (mut now, mut acked, mut highest, mut supplied) = (Time::ZERO, 0, 0, 1);
        sender.supply(1);
        for step in steps {
            let before = sender.state();
            let cuts = sender.counters();
            match step {
                Step::Ack { millis, advance } => {
                    now += Time::from_millis(u64::from(millis));
                    acked = (acked + advance).min(highest);
                    sender.handle_ack(Ack::cumulative(acked), now);
                }
                Step::Duplicate { millis, block: (start, length) } => {
                    now += Time::from_millis(u64::from(millis));
                    let start = acked + start;
                    let sack = &Sack::of(&[Block { start, end: start + length }]);
                    sender.handle_ack(Ack { next: acked, sack }, now);
                }
                Step::Timeout => if let Some(at) = sender.poll_timeout() {
                    now = now.max(at);
                    sender.handle_timeout(now);
                    prop_assert!(sender.state().cwnd <= before.cwnd.max(2.0));
                },
                Step::Supply(segments) => {
                    supplied += segments;
                    sender.supply(segments);
                }
            }
            let mut burst = 0;
            loop {
                while let Some(segment) = sender.poll_transmit(now) {
                    highest = highest.max(segment.number + 1);
                    burst += 1;
                    prop_assert!(burst <= u64::from(config.max_window) + 1);
                    prop_assert!(segment.number < supplied + u64::from(config.handshake));
                }
                let Some(release) = sender.poll_release() else { break };
                now = now.max(release);
            }
            let state = sender.state();
            // ns-2's Vegas can fall back to a window of zero, until the timer fires
            let least = if config.stale_records && config.recovery == RecoverySpec::Vegas { 0.0 } else { 1.0 };
            prop_assert!(state.cwnd.is_finite() && state.cwnd >= least, "{state:?}");
            prop_assert!(state.ssthresh.is_finite() && state.ssthresh >= 1.0, "{state:?}");
            prop_assert!(state.flight_size <= u64::from(config.max_window), "{state:?}");
            prop_assert!(sender.counters().fast_retransmits - cuts.fast_retransmits <= 1);
        }
    }

    #[test]
    fn every_transfer_ends_when_segments_get_lost(config in variants(), seed in any::<u64>(), length in 1_u64..80) {
        // one segment in five and one ACK in five is lost on a path of 50 ms each way
        let mut sender = Sender::new(config.clone(), Stream::new(1, Role::Sender, 0));
        let sack_blocks = u32::from(config.recovery == RecoverySpec::Sack) * 3;
        let mut receiver = Receiver::new(ReceiverConfig { sack_blocks, ..ReceiverConfig::default() });
        let mut luck = Stream::new(seed, Role::Queue, 0);
        let mut path: Vec<(Time, u64, Sack)> = Vec::new();
        let (mut now, target) = (Time::ZERO, length + u64::from(config.handshake));
        sender.supply(length);
        for _ in 0..20_000 {
            while let Some(segment) = sender.poll_transmit(now) {
                if luck.uniform() < 0.8 {
                    let ack = receiver.handle_segment(segment.number, now);
                    if let (Some(ack), true) = (ack, luck.uniform() < 0.8) {
                        path.push((now + Time::from_millis(100), ack.next, *ack.sack));
                    }
                }
            }
            if receiver.rcv_nxt() == target {
                return Ok(());
            }
            if let Some(release) = sender.poll_release() {
                now = now.max(release);
                continue;
            }
            path.sort_by_key(|(at, next, _)| std::cmp::Reverse((*at, *next)));
            let timeout = sender.poll_timeout().unwrap_or(Time::MAX);
            match path.last().copied() {
                Some((at, next, sack)) if at <= timeout => {
                    path.pop();
                    now = now.max(at);
                    sender.handle_ack(Ack { next, sack: &sack }, now);
                }
                _ => {
                    now = now.max(timeout);
                    sender.handle_timeout(now);
                }
            }
        }
        prop_assert!(false, "{} of {target} segments after 20,000 turns", receiver.rcv_nxt());
    }
}
