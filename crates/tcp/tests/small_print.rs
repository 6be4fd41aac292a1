//! Minor rules that no conversation covers. Mutation testing found them: no other test detected a fault in the code of
//! these rules.

use ackclock_tcp::congestion::{BaseRtt, LawSpec, VegasSpec};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Ack, DecreaseFrom, Sender, SenderConfig};
use ackclock_units::{Role, Stream, Time};

const VEGAS: VegasSpec = VegasSpec { alpha: 1.0, beta: 3.0, gamma: 1.0, base_rtt: BaseRtt::Minimum };

fn open(initial_window: u32) -> SenderConfig {
    let recovery = RecoverySpec::Reno;
    SenderConfig { recovery, handshake: false, initial_window, max_window: 100, ..SenderConfig::default() }
}

fn sender(config: SenderConfig, segments: u64) -> Sender {
    let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
    sender.supply(segments);
    sender
}

/// Returns the segments sent after an ACK for all segments before `next`.
fn ack(sender: &mut Sender, millis: u64, next: u64) -> Vec<u64> {
    let now = Time::from_millis(millis);
    sender.handle_ack(Ack::cumulative(next), now);
    std::iter::from_fn(|| sender.poll_transmit(now)).map(|segment| segment.number).collect()
}

/// Validates: Vegas' thresholds must be in order.
/// Source: Brakmo and Peterson 1995, section 3.2 (alpha < beta).
/// Tolerance: exact; equal thresholds are allowed.
#[test]
fn vegas_refuses_thresholds_out_of_order() {
    assert!(LawSpec::Vegas(VEGAS).check().is_ok());
    assert!(LawSpec::Vegas(VegasSpec { beta: 1.0, ..VEGAS }).check().is_ok());
    assert_eq!(LawSpec::Vegas(VegasSpec { beta: 0.5, ..VEGAS }).check().unwrap_err().field, "beta");
}

/// Validates: a sender with data left, or with no window left, does not wait for data.
/// Source: RFC 9293, section 3.8.6 (what the usable window allows).
/// Tolerance: exact.
#[test]
fn a_sender_waits_for_data_only_when_it_could_send_some() {
    let mut four = sender(open(4), 4);
    assert!(!four.is_data_limited(), "there is data");
    ack(&mut four, 0, 0);
    assert!(!four.is_data_limited(), "no window");
    ack(&mut four, 100, 2);
    assert!(four.is_data_limited());
}

/// Validates: with `decrease_from = window` halving starts from cwnd, in whole segments with `whole_window`.
/// Source: ns-2.35, tcp.cc, slowdown(); precisionReduce_.
/// Tolerance: exact.
#[test]
fn reductions_are_taken_from_what_they_are_told() {
    for (decrease_from, cwnd) in [(DecreaseFrom::Window, 5.5), (DecreaseFrom::WholeWindow, 5.0)] {
        let mut sender = sender(SenderConfig { decrease_from, ..open(10) }, 1_000);
        ack(&mut sender, 0, 0);
        ack(&mut sender, 100, 1);
        (0..3).for_each(|_| drop(ack(&mut sender, 101, 1)));
        assert_eq!((sender.state().cwnd, sender.state().ssthresh), (cwnd, 5.0));
    }
}

/// Validates: an idle period longer than the RTO resets the window to the initial window, a shorter one does not.
/// Source: RFC 5681, section 4.1.
/// Tolerance: exact.
#[test]
fn an_idle_period_closes_the_window() {
    for (pause, cwnd) in [(900, 8.0), (1_500, 4.0)] {
        let mut sender = sender(SenderConfig { grow_when_limited: true, ..open(4) }, 4);
        ack(&mut sender, 0, 0);
        (1..=4).for_each(|next| drop(ack(&mut sender, 100, next)));
        assert_eq!(sender.state().cwnd, 8.0);
        sender.supply(1);
        assert_eq!(ack(&mut sender, pause, 4), [4]);
        assert_eq!(sender.state().cwnd, cwnd, "after {pause} ms");
    }
}

/// Validates: after a retransmission Vegas checks the next segment at two new ACKs and no more.
/// Source: Brakmo and Peterson 1995, section 3.1 (the first or second non-duplicate ACK after a retransmission).
/// Tolerance: exact.
#[test]
fn vegas_checks_two_new_acks_after_a_retransmission() {
    let config = SenderConfig { recovery: RecoverySpec::Vegas, congestion: LawSpec::Vegas(VEGAS), ..open(8) };
    let mut sender = sender(config, 1_000);
    ack(&mut sender, 0, 0);
    ack(&mut sender, 100, 1);
    assert_eq!(ack(&mut sender, 160, 1)[0], 1, "the fine timeout has passed");
    assert_eq!(ack(&mut sender, 300, 2)[0], 2, "the first new ACK");
    assert_eq!(ack(&mut sender, 310, 3)[0], 3, "the second");
    assert_ne!(ack(&mut sender, 320, 4).first(), Some(&4), "no third");
}
