//! Proportional rate reduction: how many segments each ACK of an episode of reduction releases, so that the episode ends
//! with `ssthresh` segments in the network (RFC 9937, section 6; before it RFC 6937).
//!
//! While more than `ssthresh` segments are in the network, `ssthresh / recover_fs` segments are sent per segment
//! delivered. Below, at most as many are sent as were delivered, and one more if the ACK shows that repairs arrive. The
//! sender's window is the number of segments in the network plus those that may be sent now.
//!
//! | | `rfc9937` | `rfc6937` | `linux` (`tcp_cwnd_reduction`) |
//! | --- | --- | --- | --- |
//! | `recover_fs` | segments outstanding that may still be delivered | segments outstanding | the window |
//! | one more segment per ACK | after an ACK that advances `snd_una` and marks no loss | always | as RFC 9937 |
//!
//! Differences from the RFCs: segments are counted, not bytes, and `recover_fs` is at least `ssthresh`.

use crate::config::PrrRule;
use crate::congestion::Window;
use crate::sender::connection::Connection;

/// An episode of reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Prr {
    rule: PrrRule,
    /// The window at the end, and in whole segments.
    target: f64,
    ssthresh: u64,
    /// Segments that the episode starts with.
    recover_fs: u64,
    /// Segments delivered and sent during the episode.
    delivered: u64,
    out: u64,
}

/// The sender's state at the beginning of an episode, in segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// Window before the reduction.
    pub(super) cwnd: u64,
    /// Segments sent but not cumulatively acknowledged before this ACK.
    pub(super) flight: u64,
    /// Of these, the segments delivered before this ACK.
    pub(super) known: u64,
}

impl Prr {
    /// Begins an episode that ends with the reduced window in the network; `None` if the rule is `off`. Not all laws
    /// reduce the slow-start threshold, and a recovery from a second loss of one window begins below it. In Linux, a window
    /// of one segment grows to the least threshold (`tcp_enter_cwr`).
    pub(super) fn begin(rule: PrrRule, connection: &Connection, start: Start) -> Option<Self> {
        let least = if rule == PrrRule::Linux { 2.0 } else { 0.0 };
        let target = connection.window.cwnd.max(least).min(connection.reduced_window());
        (rule != PrrRule::Off).then(|| Self::start(rule, target, start))
    }

    /// Sets the window after an ACK; see [`on_ack`](Self::on_ack).
    pub(super) fn reduce(&mut self, window: &mut Window, delivered: u64, pipe: u64, safe: bool) {
        if let Some(allowed) = self.on_ack(delivered, pipe, safe) {
            window.cwnd = allowed.max(1) as f64;
        }
    }

    /// Begins an episode that ends with `target` segments in the network.
    fn start(rule: PrrRule, target: f64, start: Start) -> Self {
        let recover_fs = match rule {
            PrrRule::Rfc9937 => start.flight.saturating_sub(start.known),
            PrrRule::Rfc6937 => start.flight,
            PrrRule::Off | PrrRule::Linux => start.cwnd,
        };
        let ssthresh = target as u64;
        // a flight below `ssthresh`, as in an answer to a mark, must not send more than one segment per segment delivered
        let least = if rule == PrrRule::Linux { 1 } else { ssthresh.max(1) };
        Self { rule, target, ssthresh, recover_fs: recover_fs.max(least), delivered: 0, out: 0 }
    }

    /// The window at the end of the episode.
    pub(super) const fn target(&self) -> f64 {
        self.target
    }

    /// The window after an ACK that delivered segments; `None` if it delivered none, which leaves the window unchanged.
    /// `pipe` is the number of segments in the network, and `safe` whether the ACK advanced `snd_una` and marked no
    /// segment as lost.
    fn on_ack(&mut self, delivered: u64, pipe: u64, safe: bool) -> Option<u64> {
        if delivered == 0 {
            return None;
        }
        self.delivered += delivered;
        let allowed = if pipe > self.ssthresh {
            (self.delivered * self.ssthresh).div_ceil(self.recover_fs).saturating_sub(self.out)
        } else {
            let extra = u64::from(safe || self.rule == PrrRule::Rfc6937);
            let limit = self.delivered.saturating_sub(self.out).max(delivered) + extra;
            limit.min(self.ssthresh - pipe)
        };
        // the first retransmission always leaves
        Some(pipe + if self.out == 0 { allowed.max(1) } else { allowed })
    }

    /// Records that a segment was sent.
    pub(super) const fn on_sent(&mut self) {
        self.out += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The first round of a recovery from 20 segments of which the first `lost` are lost, without limited transmit: for
    /// each ACK the segments in the network before it releases any, and the segments that it releases.
    fn first_round(lost: u64, ssthresh: f64) -> (u64, Vec<(u64, u64)>) {
        let start = Start { cwnd: 20, flight: 20, known: 2 };
        let mut prr = Prr::start(PrrRule::Rfc9937, ssthresh, start);
        let mut sent = 0;
        // the third SACK begins recovery, and marks the first `lost` segments as lost
        let acks = (3..=20 - lost)
            .map(|sacked| {
                let pipe = 20 - lost - sacked + sent;
                let released = prr.on_ack(1, pipe, false).expect("a segment was delivered") - pipe;
                for _ in 0..released {
                    prr.on_sent();
                }
                sent += released;
                (pipe, released)
            })
            .collect();
        (prr.recover_fs, acks)
    }

    /// Validates: when segments are sent in the first round of a recovery from one loss, with Reno's and CUBIC's
    ///     threshold.
    /// Source: RFC 9937, section 6.
    /// Tolerance: exact.
    #[test]
    fn one_loss_releases_segments_in_proportion() {
        let (recover_fs, acks) = first_round(1, 10.0);
        assert_eq!(recover_fs, 18);
        let sent: Vec<usize> = (1..).zip(&acks).filter(|(_, ack)| ack.1 == 1).map(|(number, _)| number).collect();
        assert_eq!(sent, [1, 2, 4, 6, 8, 10, 11, 13, 16, 17]);
        assert_eq!(acks[..4], [(16, 1), (16, 1), (16, 0), (15, 1)]);
        let (_, acks) = first_round(1, 14.0);
        assert_eq!(acks.iter().map(|ack| ack.1).sum::<u64>(), 14);
        let pauses: Vec<usize> = (1..).zip(&acks).filter(|(_, ack)| ack.1 == 0).map(|(number, _)| number).collect();
        assert_eq!(pauses, [5, 9, 10]);
    }

    /// Validates: with few segments left in the network, one segment is sent per segment delivered.
    /// Source: RFC 9937, section 6 (the conservative reduction bound).
    /// Tolerance: exact.
    #[test]
    fn many_losses_keep_the_network_as_full_as_it_is() {
        assert_eq!(first_round(10, 10.0).1, [(7, 1); 8]);
        assert_eq!(first_round(15, 10.0).1, [(2, 1); 3]);
    }

    /// Validates: one more segment leaves with an ACK that advances `snd_una` and marks no loss, and with any ACK under
    ///     RFC 6937; the threshold still limits.
    /// Source: RFC 9937, section 6 (the slow-start reduction bound); RFC 6937, section 3.
    /// Tolerance: exact.
    #[test]
    fn progress_releases_one_more() {
        let start = Start { cwnd: 20, flight: 20, known: 2 };
        let window = |rule, pipe, safe| Prr::start(rule, 10.0, start).on_ack(2, pipe, safe);
        assert_eq!(window(PrrRule::Rfc9937, 2, true), Some(5));
        assert_eq!(window(PrrRule::Linux, 2, false), Some(4));
        assert_eq!(window(PrrRule::Rfc6937, 2, false), Some(5));
        assert_eq!(window(PrrRule::Rfc9937, 9, true), Some(10));
        assert_eq!(Prr::start(PrrRule::Linux, 10.0, start).on_ack(0, 2, true), None);
        let starts = [PrrRule::Rfc9937, PrrRule::Rfc6937, PrrRule::Linux]
            .map(|rule| Prr::start(rule, 10.0, Start { cwnd: 30, ..start }).recover_fs);
        assert_eq!(starts, [18, 20, 30]);
    }

    /// A mark may be answered when little is in the network, less than the reduced window. Without SACK, the segments that
    /// duplicate ACKs stood for count as outstanding again after an ACK that advances `snd_una`.
    ///
    /// Validates: with more than `ssthresh` segments in the network, no more are sent than were delivered.
    /// Source: RFC 9937, section 6 (the proportional part reduces what is in the network).
    /// Tolerance: exact.
    #[test]
    fn a_small_flight_is_not_multiplied() {
        for rule in [PrrRule::Rfc9937, PrrRule::Rfc6937] {
            let mut prr = Prr::start(rule, 6.2, Start { cwnd: 6, flight: 1, known: 0 });
            for _ in 0..7 {
                prr.on_sent();
            }
            assert_eq!(prr.on_ack(3, 7, true), Some(7));
        }
    }

    proptest! {
        /// With more than `ssthresh` segments in the network, the segments sent are exactly the rounded-up share of those
        /// delivered. Below, no ACK releases more than what was delivered and not yet answered, plus one.
        #[test]
        fn what_is_sent_follows_what_is_delivered(
            flight in 3_u64..300,
            share in 0.3_f64..0.9,
            steps in prop::collection::vec((1_u64..4, any::<bool>()), 1..200),
        ) {
            let ssthresh = (flight as f64 * share).max(2.0).floor();
            let mut prr = Prr::start(PrrRule::Rfc9937, ssthresh, Start { cwnd: flight, flight, known: 0 });
            let mut pipe = flight;
            for (delivered, safe) in steps {
                let delivered = delivered.min(pipe);
                pipe -= delivered;
                let Some(window) = prr.on_ack(delivered, pipe, safe) else { break };
                let released = window - pipe;
                if pipe > ssthresh as u64 && prr.out > 0 {
                    let due = (prr.delivered * ssthresh as u64).div_ceil(flight);
                    prop_assert_eq!(prr.out + released, due.max(prr.out));
                } else if prr.out > 0 {
                    prop_assert!(window <= ssthresh as u64);
                    prop_assert!(released <= prr.delivered.saturating_sub(prr.out).max(delivered) + u64::from(safe));
                }
                for _ in 0..released {
                    prr.on_sent();
                }
                pipe += released;
            }
        }
    }
}
