//! Misbehaving peers: for any input there is no panic, no window beyond the limits of the RFCs, and no growth of
//! memory.
//!
//! Savage, Cardwell, Wetherall and Anderson, "TCP Congestion Control with a Misbehaving Receiver" (1999), describe ACK
//! division, duplicate ACK spoofing and optimistic ACKs. A fixed
//! window is above zero, since other plans are rejected; a test still checks that a window of zero causes neither a hang nor
//! a panic. A peer that tunes its window may advertise anything.

#[path = "contract/declared.rs"]
mod declared;

use std::collections::BTreeSet;

use ackclock_tcp::congestion::{LAWS, LawSpec, RenoSpec};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Ack, Block, Mark, ReceiverConfig, ReceiverPool, Sack, SackRule, Sender, SenderConfig};
use ackclock_units::{Role, Stream, Time};
use declared::{default, spec};
use proptest::prelude::*;

const RECOVERIES: [RecoverySpec; 6] = [
    RecoverySpec::Tahoe,
    RecoverySpec::Reno,
    RecoverySpec::NewReno,
    RecoverySpec::Sack,
    RecoverySpec::Rack,
    RecoverySpec::Vegas,
];

/// Senders with every loss recovery, and with both rules of SACK, each with every law that works with it, except DCTCP,
/// which without marks is Reno.
fn senders() -> Vec<SenderConfig> {
    let laws: Vec<_> = LAWS.iter().filter(|law| law.name != "dctcp").filter_map(|law| spec(law, default)).collect();
    let mut all = Vec::new();
    for recovery in RECOVERIES {
        let rules = if recovery == RecoverySpec::Sack { 2 } else { 1 };
        for sack in [SackRule::Rfc6675, SackRule::FallFloyd].into_iter().take(rules) {
            for congestion in laws.iter().filter(|law| law.check_recovery(recovery).is_ok()).cloned() {
                let base =
                    SenderConfig { handshake: false, initial_window: 4, max_window: 64, ..SenderConfig::default() };
                all.push(SenderConfig { recovery, sack, congestion, ..base });
            }
        }
    }
    all
}

/// A sender, its time, and the segments it has sent.
struct Victim {
    sender: Sender,
    now: Time,
    /// First segment never sent.
    end: u64,
}

impl Victim {
    fn new(config: &SenderConfig) -> Self {
        let mut sender = Sender::new(config.clone(), Stream::new(1, Role::Sender, 0));
        sender.supply(1_000_000_000);
        let mut victim = Self { sender, now: Time::ZERO, end: 0 };
        victim.sends();
        victim
    }

    fn sends(&mut self) -> u64 {
        let mut count = 0;
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            assert!(segment.number <= self.end, "segments are first sent in order");
            self.end = self.end.max(segment.number + 1);
            count += 1;
        }
        count
    }

    /// An ACK after `micros` microseconds. Returns the number of segments sent.
    fn ack(&mut self, micros: u64, next: u64, blocks: &[Block]) -> u64 {
        self.now += Time::from_micros(micros);
        self.sender.handle_ack(Ack { next, sack: &Sack::of(blocks), echo: 0, original: false }, self.now);
        self.sends()
    }
}

/// Validates: ACKs for data never sent change nothing.
/// Source: RFC 9293, section 3.10.7.4.
/// Tolerance: exact.
#[test]
fn acks_for_data_never_sent_are_ignored() {
    // RFC 9293, section 3.10.7.4: send an ACK, drop the segment
    for config in senders() {
        let mut victim = Victim::new(&config);
        let before = format!("{:?}", victim.sender.state());
        for next in [5, 6, 1_000, u64::MAX - 1, u64::MAX] {
            assert_eq!(victim.ack(10, next, &[]), 0);
        }
        assert_eq!(format!("{:?}", victim.sender.state()), before, "nothing changed");
    }
}

/// Validates: an ACK for each part of a segment grows the window no faster than one for the whole.
/// Source: Savage, Cardwell, Wetherall and Anderson 1999, section 2; RFC 5681, section 3.1.
/// Tolerance: exact.
#[test]
fn ack_division_gains_nothing() {
    // RFC 5681, section 3.1: cwnd grows by min(N, SMSS). Segments are indivisible here, so a peer that acknowledges a
    // part of a segment can only repeat the last number. That is a duplicate, which never grows cwnd faster than honest
    // ACKs.
    for config in senders().into_iter().filter(|config| config.congestion == LawSpec::Reno(RenoSpec {})) {
        let (mut honest, mut divided) = (Victim::new(&config), Victim::new(&config));
        for next in 1..40 {
            honest.ack(1_000, next, &[]);
            divided.ack(500, next, &[]);
            divided.ack(500, next, &[]);
        }
        assert!(divided.sender.state().cwnd <= honest.sender.state().cwnd, "{:?}", config.recovery);
    }
}

/// Validates: one ACK for many segments grows the window by one.
/// Source: RFC 5681, section 3.1.
/// Tolerance: exact.
#[test]
fn one_ack_for_many_segments_grows_the_window_by_one() {
    // RFC 3465 would allow growth by two segments; RFC 5681 allows one
    for config in senders().into_iter().filter(|config| config.congestion == LawSpec::Reno(RenoSpec {})) {
        let mut victim = Victim::new(&config);
        victim.ack(1_000, 4, &[]);
        assert_eq!(victim.sender.state().cwnd, 5.0);
    }
}

/// Validates: optimistic ACKs open no more than the advertised window.
/// Source: Savage, Cardwell, Wetherall and Anderson 1999, section 2; RFC 9293, section 3.8.
/// Tolerance: exact for the flight; the window stays below rwnd + 2, and BBR's, which is up to 2.89 times what it has seen in
///   flight with an allowance for bursts of ACKs and of segments (135 segments at this rate), below six times rwnd.
#[test]
fn optimistic_acks_never_open_more_than_the_advertised_window() {
    // the peer acknowledges each segment as soon as it is sent: the window grows as fast as possible until rwnd limits
    // the flight, since an unused window does not grow (RFC 7661, section 1)
    for config in senders() {
        let mut victim = Victim::new(&config);
        for _ in 0..20_000 {
            let end = victim.end;
            victim.ack(1, end, &[]);
            let state = victim.sender.state();
            assert!(state.flight_size <= 64, "{state:?}");
            let most = if config.needs_rack() { 384.0 } else { 66.0 };
            assert!((1.0..most).contains(&state.cwnd), "{:?} {state:?}", config.recovery);
        }
    }
}

/// Validates: 10^6 duplicate ACKs release one window, count as one loss, and have no lasting effect.
/// Source: Savage, Cardwell, Wetherall and Anderson 1999, section 2; RFC 5681, section 3.2.
/// Tolerance: two retransmissions.
#[test]
fn a_million_duplicate_acks_let_out_one_window() {
    // RFC 5681, section 3.2, step 4: each duplicate ACK inflates the window; rwnd limits the effect
    for config in senders() {
        let mut victim = Victim::new(&config);
        let block = [Block { start: 2, end: 4 }];
        let sent: u64 = (0..1_000_000).map(|_| victim.ack(0, 0, &block)).sum();
        assert!(sent <= 64 + 2, "{:?} sent {sent}", config.recovery);
        let state = victim.sender.state();
        assert!(state.flight_size <= 64 && state.cwnd.is_finite(), "{state:?}");
        assert!(victim.sender.counters().fast_retransmits <= 1);
        assert_eq!(victim.sender.counters().dup_acks, 1_000_000);
        let end = victim.end;
        victim.ack(10, end, &[]);
        assert!(
            victim.sender.state().cwnd <= 64.0,
            "the effect ends with the duplicate ACKs: {:?}",
            victim.sender.state()
        );
    }
}

/// Validates: SACK blocks out of range change nothing.
/// Source: RFC 2018, section 3.
/// Tolerance: exact.
#[test]
fn blocks_that_make_no_sense_are_no_news() {
    // RFC 2018, section 3: a valid block is above the ACK, within the data sent, and starts before it ends
    const NONSENSE: [(u64, u64); 8] = [(0, 1), (0, 4), (3, 2), (2, 2), (2, 5), (4, 9), (u64::MAX, 0), (0, u64::MAX)];
    for sack in [SackRule::Rfc6675, SackRule::FallFloyd] {
        let recovery = RecoverySpec::Sack;
        let mut victim = Victim::new(&SenderConfig {
            recovery,
            sack,
            handshake: false,
            initial_window: 4,
            ..SenderConfig::default()
        });
        let before = format!("{:?}", victim.sender.state());
        for (start, end) in NONSENSE.into_iter().cycle().take(800) {
            assert_eq!(victim.ack(1, 0, &[Block { start, end }]), 0, "{start}..{end}");
        }
        assert_eq!(format!("{:?}", victim.sender.state()), before, "nothing changed");
    }
}

/// Validates: segments that a receiver reported and then dropped are retransmitted after the timeout.
/// Source: RFC 2018, section 8.
/// Tolerance: exact.
#[test]
fn a_peer_that_reneges_still_gets_everything() {
    // RFC 2018, section 8: the peer reports all segments and delivers none; after the timeout all are retransmitted
    for sack in [SackRule::Rfc6675, SackRule::FallFloyd] {
        let config = SenderConfig { recovery: RecoverySpec::Sack, sack, handshake: false, ..SenderConfig::default() };
        let mut victim = Victim::new(&config);
        let end = victim.end;
        victim.ack(100, 0, &[Block { start: 1, end }]);
        let mut again = BTreeSet::new();
        let mut una = 0;
        while una < end {
            victim.now = victim.sender.poll_timeout().expect("the timer runs");
            victim.sender.handle_timeout(victim.now);
            again.insert(victim.sender.poll_transmit(victim.now).expect("a segment leaves").number);
            victim.sends();
            una += 1;
            victim.ack(1, una, &[]);
        }
        assert!(again.contains(&0) && again.contains(&(end - 1)), "{again:?}");
    }
}

/// Validates: a window of zero sends nothing.
/// Source: RFC 9293, section 3.8.
/// Tolerance: exact.
#[test]
fn a_window_of_zero_sends_nothing_and_does_not_hang() {
    for recovery in RECOVERIES {
        let config = SenderConfig { recovery, max_window: 0, handshake: false, ..SenderConfig::default() };
        let mut victim = Victim::new(&config);
        assert_eq!((victim.end, victim.ack(1, 0, &[])), (0, 0));
        assert_eq!(victim.sender.send_quota(), 0);
    }
}

#[test]
fn a_scoreboard_of_every_other_segment_is_taken_in_quickly() {
    // 10^5 segments in flight, every other one reported: memory depends on the runs and is bounded by the window
    let config = SenderConfig {
        recovery: RecoverySpec::Sack,
        handshake: false,
        initial_window: 100_000,
        max_window: 100_000,
        ..SenderConfig::default()
    };
    let mut victim = Victim::new(&config);
    let mut sent = 0;
    for number in (1..100_000).step_by(2) {
        sent += victim.ack(1, 0, &[Block { start: number, end: number + 1 }]);
    }
    assert!(sent <= 100_000, "each hole is sent once: {sent}");
    assert_eq!(victim.sender.counters().fast_retransmits, 1);
    assert!(victim.sender.state().flight_size <= 100_000);
}

/// Validates: a receiver's memory grows with gaps, not with segments.
/// Source: RFC 2018, section 4.
/// Tolerance: exact.
#[test]
fn a_receiver_keeps_runs_not_segments() {
    // the sender never fills the first gap
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(ReceiverConfig { delayed_ack: false, ..ReceiverConfig::default() });
    for number in 1..1_000_000 {
        let ack = receiver.handle_segment(number, Mark::NONE, Time::ZERO, &mut pool).ack;
        let ack = ack.expect("an out-of-order segment is acknowledged immediately");
        assert_eq!((ack.next, ack.sack.blocks()), (0, &[Block { start: 1, end: number + 1 }][..]));
    }
}

#[derive(Clone, Debug)]
struct Lie {
    micros: u64,
    next: u64,
    blocks: Vec<(u64, u64)>,
}

fn lies() -> impl Strategy<Value = Vec<Lie>> {
    let number = prop_oneof![8 => 0_u64..200, 1 => any::<u64>()];
    let blocks = prop::collection::vec((number.clone(), number.clone()), 0..6);
    let lie = (0_u64..2_000_000, number, blocks).prop_map(|(micros, next, blocks)| Lie { micros, next, blocks });
    prop::collection::vec(lie, 1..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Validates: whatever windows a peer advertises, the flight is within the largest edge advertised, or one segment, and
    ///   the transfer goes on: no window stops it for good, as a timer probes a closed one.
    /// Source: RFC 9293, sections 3.8.6 and 3.8.6.1.
    /// Tolerance: exact, in 1,000 random conversations.
    #[test]
    fn arbitrary_windows_neither_stop_nor_flood(
        config in prop::sample::select(senders()),
        initial_rwnd in 0_u32..70,
        lies in prop::collection::vec((0_u64..100_000, 0_u64..4, prop_oneof![4 => 0_u32..80, 1 => any::<u32>()]), 1..150),
    ) {
        let mut victim = Victim::new(&SenderConfig { initial_rwnd: Some(initial_rwnd), ..config });
        let (mut una, mut edge) = (0_u64, u64::from(initial_rwnd));
        for (micros, advance, window) in lies {
            let probes = victim.sender.poll_timeout().is_some();
            prop_assert!(una < victim.end || probes, "a segment is in flight, or a closed window is probed");
            victim.now += Time::from_micros(micros);
            if let Some(timeout) = victim.sender.poll_timeout().filter(|at| *at <= victim.now) {
                victim.sender.handle_timeout(timeout.max(victim.now));
                victim.sends();
            }
            una = (una + advance).min(victim.end);
            edge = edge.max(una + u64::from(window));
            let sack = Sack::NONE.with_window(window);
            victim.sender.handle_ack(Ack { sack: &sack, ..Ack::cumulative(una) }, victim.now);
            victim.sends();
            prop_assert!(victim.end <= edge.max(una + 1) && victim.end - una <= 64, "{} beyond {edge}", victim.end);
        }
    }

    /// Validates: for any ACKs and blocks, the window is finite and at least one segment, and the flight is within
    ///   rwnd; honest ACKs afterwards complete the transfer.
    /// Source: RFC 5681, section 3.1; RFC 9293, section 3.8.
    /// Tolerance: exact, in 1,000 random conversations.
    #[test]
    fn arbitrary_acks_leave_a_sane_sender(config in prop::sample::select(senders()), lies in lies(), relative in any::<bool>()) {
        let mut victim = Victim::new(&config);
        let mut una = 0_u64;
        for lie in lies {
            // half of the peers acknowledge numbers near the true state, where a lie is plausible
            let base = if relative { una } else { 0 };
            let blocks: Vec<_> = lie.blocks.iter().map(|(start, end)| {
                Block { start: base.saturating_add(*start % 70), end: base.saturating_add(*end % 70) }
            }).collect();
            let next = if relative { base + lie.next % 4 } else { lie.next };
            if let Some(timeout) = victim.sender.poll_timeout().filter(|at| *at <= victim.now) {
                victim.sender.handle_timeout(timeout.max(victim.now));
                victim.sends();
            }
            let end = victim.end;
            victim.ack(lie.micros, next, &blocks);
            if next <= end {
                una = una.max(next);
            }
            let state = victim.sender.state();
            prop_assert_eq!(state.flight_size, victim.end - una);
            prop_assert!(state.flight_size <= 64, "{state:?}");
            prop_assert!(state.cwnd.is_finite() && state.cwnd >= 1.0 && state.ssthresh >= 1.0, "{state:?}");
        }
        // honest ACKs then complete the transfer
        for _ in 0..200 {
            let end = victim.end;
            victim.ack(1_000, end, &[]);
        }
        prop_assert!(victim.end > una + 200);
    }
}
