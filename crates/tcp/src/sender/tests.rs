//! Tests of the sender that need its internals.

/// The generators of configurations that the integration tests use.
#[path = "../../tests/contract/kinds.rs"]
mod kinds;
mod steady;

use std::collections::VecDeque;

use ackclock_units::Role;

use super::*;
use crate::config::{Pacing, SackRule};
use crate::congestion::{BbrSpec, LawSpec};
use crate::delivery_rate::DeliveryRate;
use crate::receiver::{Mark, Receiver, ReceiverConfig, ReceiverPool};

/// A transfer over a link of 1,000 segments/s with a buffer of 50 segments and a delay of 20 ms. Its
/// congestion-control law ignores losses and keeps the window at `cwnd`. Returns the time at which everything was
/// acknowledged.
fn transfer_with_a_window_that_never_shrinks(config: SenderConfig, cwnd: f64) -> Time {
    const SEGMENTS: u64 = 1_000;
    let (service, delay) = (Time::from_millis(1), Time::from_millis(20));
    let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(ReceiverConfig { delayed_ack: false, sack_blocks: 3, ..ReceiverConfig::default() });
    let (mut now, mut free, mut acks) = (Time::ZERO, Time::ZERO, VecDeque::new());
    sender.supply(SEGMENTS);
    for _ in 0..100_000 {
        sender.connection.window.cwnd = cwnd;
        sender.connection.set_snd_limit();
        while let Some(segment) = sender.poll_transmit(now) {
            if free.saturating_sub(now) < Time::from_millis(50) {
                free = free.max(now) + service;
                let ack = receiver.handle_segment(segment.number, Mark::NONE, free + delay, &mut pool).ack;
                let ack = ack.expect("no ACK is delayed");
                acks.push_back((free + delay + delay, ack.next, *ack.sack));
            }
        }
        if sender.is_idle() {
            return now;
        }
        let timeout = sender.poll_timeout().expect("a timer runs");
        if let Some((at, next, sack)) = acks.pop_front_if(|(at, ..)| *at <= timeout) {
            now = at;
            sender.handle_ack(Ack { next, sack: &sack, echo: 0, original: false }, now);
        } else {
            now = timeout;
            sender.handle_timeout(now);
        }
    }
    panic!("{:?} after {now}", sender.state());
}

/// Validates: every transfer ends, even under a congestion-control law that ignores losses: after each timeout the
///   link accepts at least as many segments as its buffer holds (50), so that 1,000 segments need at most 20
///   timeouts of at most 60 s.
/// Source: RFC 9293, section 3.4 (reliable, ordered delivery); RFC 6298, section 5 (back-off).
/// Tolerance: exact.
#[test]
fn every_transfer_ends_though_the_window_never_shrinks() {
    use RecoverySpec::{NewReno, Reno, Sack, Tahoe};
    let mut ends = Vec::new();
    for recovery in [Tahoe, Reno, NewReno, Sack] {
        for sack in [SackRule::Rfc6675, SackRule::FallFloyd] {
            for cwnd in [40.0, 100.0, 1_000.0] {
                let config = SenderConfig { recovery, sack, ..SenderConfig::default() };
                ends.push(transfer_with_a_window_that_never_shrinks(config, cwnd));
            }
        }
    }
    let slowest = ends.into_iter().max().unwrap();
    println!("measured: the slowest of 24 transfers ended after {slowest}");
    assert!(slowest <= Time::from_millis(20 * 60_000));
}

#[test]
fn a_million_flows_have_endpoints_of_less_than_400_mb() {
    assert!(size_of::<Sender>() + size_of::<Receiver>() < 400);
}

/// A sender with BBR whose window of ten is acknowledged at 100 ms, with `more` segments that follow it.
fn acknowledged(rack: RackRule, more: u64) -> Sender {
    let config = SenderConfig {
        rack,
        handshake: false,
        recovery: RecoverySpec::Rack,
        congestion: LawSpec::Bbr(BbrSpec {}),
        pacing: Pacing::Law,
        idle_restart: IdleRestart::Rfc5681,
        ..SenderConfig::DEFAULT
    };
    let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
    sender.supply(10 + more);
    while sender.poll_transmit(Time::ZERO).is_some() {}
    sender.handle_ack(Ack::cumulative(10), Time::from_millis(100));
    sender
}

/// Validates: at the end of a turn without data only the draft's rule finds the application to limit the sender; before a
///     write Linux does, unless data is left.
/// Source: Linux, `tcp_rate_check_app_limited`, called by `tcp_sendmsg_locked`; draft-ietf-ccwg-bbr, section 4.1.2.4.
/// Tolerance: exact.
#[test]
fn a_write_or_a_turn_finds_the_limit_of_the_application() {
    let is_limited = |sender: &Sender| sender.connection.rate().is_some_and(DeliveryRate::is_limited);
    for rack in [RackRule::Linux, RackRule::Rfc8985] {
        let mut sender = acknowledged(rack, 0);
        assert!(!is_limited(&sender), "the first window was limited, and is delivered");
        assert!(sender.poll_transmit(Time::from_millis(100)).is_none());
        assert_eq!(is_limited(&sender), rack == RackRule::Rfc8985);
        sender.supply(1);
        assert!(is_limited(&sender));
        let mut sender = acknowledged(rack, 5);
        sender.supply(1);
        assert!(!is_limited(&sender), "five segments are left");
    }
}

/// Validates: a law that samples rates learns of an idle period only if the application was the reason, not if pacing held
///     data back while everything was acknowledged.
/// Source: Linux, `bbr_cwnd_event` (`tp->app_limited`); draft-ietf-ccwg-bbr, `BBRHandleRestartFromIdle`.
/// Tolerance: exact.
#[test]
fn only_the_application_makes_a_law_idle() {
    let is_told = |sender: &Sender| format!("{:?}", sender.connection.law).contains("restarts: true");
    let mut sender = acknowledged(RackRule::Linux, 5);
    assert!(sender.poll_transmit(Time::from_millis(100)).is_some() && !is_told(&sender));
    let mut sender = acknowledged(RackRule::Linux, 0);
    sender.supply(1);
    assert!(sender.poll_transmit(Time::from_millis(200)).is_some() && is_told(&sender));
}
