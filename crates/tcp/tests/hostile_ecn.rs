//! Peers that lie about ECN marks: never echo one, always echo one, or echo at random. There is no panic, the window
//! stays at least one segment, and it is reduced at most once per round trip.

use std::collections::VecDeque;

use ackclock_tcp::congestion::{CubicRules, CubicSpec, DctcpRules, DctcpSpec, LawSpec, PragueSpec, RenoSpec};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Ack, Block, EcnMode, PrrRule, Sack, Sender, SenderConfig};
use ackclock_units::{Role, Stream, Time};
use proptest::prelude::*;

const ROUND_TRIP: Time = Time::from_millis(100);
const MODES: [EcnMode; 3] = [EcnMode::Classic, EcnMode::Dctcp, EcnMode::Accurate];

/// Senders with each kind of feedback, several recoveries, and three laws. Windows are reduced at once.
fn senders() -> Vec<SenderConfig> {
    let laws = [
        LawSpec::Reno(RenoSpec {}),
        LawSpec::Cubic(CubicSpec { fast_convergence: true, rules: CubicRules::Rfc9438 }),
        LawSpec::Dctcp(DctcpSpec { g: 1.0 / 16.0, initial_alpha: 1.0, rules: DctcpRules::Rfc8257 }),
        LawSpec::Dctcp(DctcpSpec { g: 1.0 / 16.0, initial_alpha: 1.0, rules: DctcpRules::Linux }),
    ];
    let mut all = Vec::new();
    for recovery in [RecoverySpec::Reno, RecoverySpec::NewReno, RecoverySpec::Sack, RecoverySpec::Rack] {
        for congestion in laws.clone() {
            for ecn in MODES {
                let congestion = congestion.clone();
                let base = SenderConfig { handshake: false, max_window: 64, ..SenderConfig::default() };
                all.push(SenderConfig { recovery, congestion, ecn, prr: PrrRule::Off, ..base });
            }
        }
    }
    all
}

/// A sender whose window falls by one segment per ACK after a mark.
fn prague() -> SenderConfig {
    let congestion = LawSpec::Prague(PragueSpec { g: 1.0 / 16.0, rtt_target: Time::from_millis(25), transition: 4 });
    let (recovery, ecn) = (RecoverySpec::Rack, EcnMode::Accurate);
    SenderConfig { recovery, congestion, ecn, handshake: false, max_window: 64, ..SenderConfig::default() }
}

/// A sender on a path that loses nothing, and the segments in flight with their send times.
struct Path {
    sender: Sender,
    now: Time,
    flight: VecDeque<(u64, Time)>,
    /// Times at which the window was reduced.
    reductions: Vec<Time>,
}

impl Path {
    fn new(config: &SenderConfig) -> Self {
        let mut sender = Sender::new(config.clone(), Stream::new(1, Role::Sender, 0));
        sender.supply(1_000_000_000);
        let mut path = Self { sender, now: Time::ZERO, flight: VecDeque::new(), reductions: Vec::new() };
        path.sends();
        path
    }

    fn sends(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            self.flight.push_back((segment.number, self.now));
        }
    }

    /// Acknowledges the earliest segment in flight, a round trip after it was sent.
    fn acknowledge(&mut self, echo: u8) {
        let (number, sent) = self.flight.pop_front().expect("the window is at least one segment");
        self.now = self.now.max(sent + ROUND_TRIP);
        assert!(self.sender.poll_timeout().is_none_or(|at| at > self.now), "no timer fires on this path");
        let before = self.sender.state();
        self.sender.handle_ack(Ack { next: number + 1, sack: &Sack::of(&[]), echo, original: false }, self.now);
        let after = self.sender.state();
        assert!(after.cwnd.is_finite() && after.cwnd >= 1.0 && after.ssthresh >= 1.0, "{after:?}");
        if after.cwnd < before.cwnd {
            self.reductions.push(self.now);
        }
        self.sends();
    }

    fn shortest_time_between_reductions(&self) -> Time {
        self.reductions.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(Time::MAX)
    }
}

/// Validates: a peer that never echoes a mark leaves the sender's windows as they are without ECN.
/// Source: RFC 3168, section 6.1.
/// Tolerance: exact.
#[test]
fn a_peer_that_never_echoes_has_a_sender_without_ecn() {
    for config in senders() {
        let mut silent = Path::new(&config);
        let mut plain = Path::new(&SenderConfig { ecn: EcnMode::Off, ..config });
        for _ in 0..2_000 {
            silent.acknowledge(0);
            plain.acknowledge(0);
            assert_eq!(silent.sender.state().cwnd, plain.sender.state().cwnd);
        }
        assert!(silent.reductions.is_empty());
    }
}

/// Validates: a peer that echoes a mark with every ACK reduces the window once per round trip, to at least one segment,
///   and the transfer goes on.
/// Source: RFC 3168, section 6.1.2; RFC 8257, section 3.3; RFC 9768, section 3.2.
/// Tolerance: exact.
#[test]
fn a_peer_that_always_echoes_slows_the_sender_to_a_small_window() {
    for config in senders() {
        let mut path = Path::new(&config);
        let mut count = 0_u8;
        for _ in 0..2_000 {
            count = (count + 1) % 8;
            path.acknowledge(if config.ecn == EcnMode::Accurate { count } else { 1 });
        }
        assert!(path.shortest_time_between_reductions() >= ROUND_TRIP, "{config:?}");
        assert!(!path.reductions.is_empty());
        assert!((1.0..=4.0).contains(&path.sender.state().cwnd), "{:?} {config:?}", path.sender.state());
        assert_eq!(path.sender.counters().retransmissions, 0);
    }
}

/// Validates: with Prague, a peer that never echoes a mark has a window that grows, and one that always echoes has one of two
///   segments; neither stops the transfer.
/// Source: draft-briscoe-iccrg-prague-congestion-control, section 2.4.3.
/// Tolerance: exact.
#[test]
fn a_lying_peer_slows_a_scalable_sender_or_not() {
    for (step, expected) in [(0_u8, 64.0..1e6), (1, 2.0..3.0)] {
        let mut path = Path::new(&prague());
        let mut count = 0_u8;
        for _ in 0..3_000 {
            count = (count + step) % 8;
            path.acknowledge(count);
        }
        assert!(expected.contains(&path.sender.state().cwnd), "{:?}", path.sender.state());
        assert_eq!(path.sender.counters().retransmissions, 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Validates: for any echoes, the window is reduced at most once per round trip and stays at least one segment.
    /// Source: RFC 3168, section 6.1.2.
    /// Tolerance: exact, in 300 random conversations.
    #[test]
    fn arbitrary_echoes_reduce_the_window_once_per_round_trip(
        config in prop::sample::select(senders()),
        echoes in prop::collection::vec(0_u8..8, 1..500),
    ) {
        let mut path = Path::new(&config);
        for echo in echoes {
            path.acknowledge(if config.ecn == EcnMode::Accurate { echo } else { echo % 2 });
        }
        prop_assert!(path.shortest_time_between_reductions() >= ROUND_TRIP);
    }

    /// Validates: for any ACKs, blocks and echoes, the window is finite and at least one segment, and honest ACKs
    ///   afterwards complete the transfer.
    /// Source: RFC 5681, section 3.1; RFC 3168, section 6.1.2.
    /// Tolerance: exact, in 300 random conversations.
    #[test]
    fn arbitrary_acks_with_echoes_leave_a_sane_sender(
        config in prop::sample::select([senders(), vec![prague()]].concat()),
        lies in prop::collection::vec((0_u64..500_000, 0_u64..4, (0_u64..70, 0_u64..70), 0_u8..8), 1..150),
    ) {
        let mut path = Path::new(&config);
        let mut next = 0;
        for (micros, ahead, (start, end), echo) in lies {
            path.now += Time::from_micros(micros);
            if let Some(timeout) = path.sender.poll_timeout().filter(|at| *at <= path.now) {
                path.sender.handle_timeout(timeout.max(path.now));
                path.sends();
            }
            let sent = path.flight.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
            next = (next + ahead).min(sent);
            let sack = Sack::of(&[Block { start: next + start, end: next + end }]);
            path.sender.handle_ack(Ack { next, sack: &sack, echo, original: false }, path.now);
            path.sends();
            let state = path.sender.state();
            prop_assert!(state.cwnd.is_finite() && state.cwnd >= 1.0 && state.ssthresh >= 1.0, "{state:?}");
            prop_assert!(state.flight_size <= 64, "{state:?}");
        }
        for _ in 0..200 {
            next = path.flight.iter().map(|(number, _)| number + 1).max().unwrap_or(0).max(next);
            path.now += ROUND_TRIP;
            path.sender.handle_ack(Ack { next, sack: &Sack::of(&[]), echo: 0, original: false }, path.now);
            path.sends();
        }
        let end = path.flight.iter().map(|(number, _)| number + 1).max();
        prop_assert!(end > Some(next), "the transfer goes on");
    }
}
