//! RFC 3168, section 6.1.2: a sender answers the marks and losses of one window of data once.

use ackclock_tcp::congestion::{DctcpRules, DctcpSpec, LawSpec};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Ack, DecreaseFrom, EcnMode, PrrRule, SenderConfig};
use ackclock_units::Time;

use crate::{Talk, open};

const RECOVERIES: [RecoverySpec; 5] =
    [RecoverySpec::Tahoe, RecoverySpec::Reno, RecoverySpec::NewReno, RecoverySpec::Sack, RecoverySpec::Rack];

/// A sender with a window of 20 after an ACK whose echo is a mark, and then a loss of the first segment. Returns the
/// slow-start threshold after each.
fn mark_then_loss(config: SenderConfig) -> [f64; 2] {
    let mut talk = Talk::new(&SenderConfig { decrease_from: DecreaseFrom::Window, ..config });
    talk.sends();
    talk.now = Time::from_millis(40);
    talk.acknowledge(Ack { echo: 1, ..Ack::cumulative(1) });
    talk.sends();
    let marked = talk.ssthresh();
    for end in 3..=6 {
        talk.sack(1, 1, &[(2, end)]);
    }
    assert_eq!(talk.sender.counters().fast_retransmits, 1);
    [marked, talk.ssthresh()]
}

/// Validates: a loss in the window of a mark does not reduce the window again, with any recovery, at once or in proportion.
/// Source: RFC 3168, section 6.1.2; ns-2, `TcpAgent::dupack_action` (`CWND_ACTION_ECN`).
/// Tolerance: exact.
#[test]
fn a_mark_and_a_loss_of_one_window_reduce_it_once() {
    for (recovery, prr) in
        RECOVERIES.into_iter().flat_map(|recovery| [(recovery, PrrRule::Off), (recovery, PrrRule::Rfc9937)])
    {
        let config = SenderConfig { recovery, prr, ecn: EcnMode::Classic, ..open(20) };
        assert_eq!(mark_then_loss(config), [10.0, 10.0], "{recovery:?} {prr:?}");
    }
}

/// Validates: DCTCP, which answers a mark with a share of the window only, answers the loss as well.
/// Source: RFC 8257, section 3.5.
/// Tolerance: exact.
#[test]
fn a_law_that_grades_marks_answers_the_loss_as_well() {
    for (recovery, prr) in
        RECOVERIES.into_iter().flat_map(|recovery| [(recovery, PrrRule::Off), (recovery, PrrRule::Rfc9937)])
    {
        let congestion = LawSpec::Dctcp(DctcpSpec { g: 1.0 / 16.0, initial_alpha: 0.2, rules: DctcpRules::Rfc8257 });
        let [marked, lost] =
            mark_then_loss(SenderConfig { recovery, prr, congestion, ecn: EcnMode::Dctcp, ..open(20) });
        assert!(marked > 17.0 && lost < 11.0, "{recovery:?} {prr:?}: {marked}, {lost}");
    }
}
