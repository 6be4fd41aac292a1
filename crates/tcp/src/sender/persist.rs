//! The window that the peer advertises, and probes of a closed one (RFC 9293, sections 3.8.6 and 3.8.6.1; RFC 1122, section
//! 4.2.2.17; Linux, `tcp_ack_update_window`, `tcp_probe_timer` and `tcp_ack_probe`).
//!
//! A current ACK sets the right edge of the window, which may move back. While data waits, nothing is outstanding and the
//! window is closed, the timer is the persist timer: it sends a probe after a retransmission timeout, and then each time
//! after twice the time, up to the longest timeout. Each ACK that leaves the window closed restarts the wait.
//!
//! Differences from RFC 9293:
//! - a probe is an empty segment below the window, which any receiver acknowledges (as in Linux), not a byte of new data;
//! - while data is outstanding, its first segment may be sent again although the window is closed; this is the probe then;
//! - of two ACKs for the same data, the smaller window is ignored unless it is closed (Linux, `tcp_may_update_window`): a
//!   receiver's ACKs have no order here;
//! - the connection is never given up.

use std::mem::replace;

use ackclock_units::Time;

use super::connection::Connection;
use crate::config::IdleRestart;
use crate::packed_option::PackedOption;
use crate::segment::{Ack, HEADER, Segment};
use crate::ticks::Ticks;

/// Largest number of times that the wait is doubled.
const MOST_DOUBLINGS: u32 = 32;

/// The window of the peer.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerWindow {
    /// First segment outside the window.
    edge: u64,
    /// Number of probes since the window was closed, if the timer is the persist timer.
    probes: Option<u32>,
}

impl PeerWindow {
    /// A window before the first ACK.
    pub(super) const fn new(initial: u32) -> Self {
        Self { edge: initial as u64, probes: None }
    }

    /// The right edge after an ACK for all segments before `next` that advertises this window.
    const fn moved(&self, next: u64, window: u32, snd_una: u64) -> u64 {
        let edge = next + window as u64;
        if edge > self.edge || next > snd_una || next == snd_una && window == 0 { edge } else { self.edge }
    }

    /// Records the window of an ACK for all segments before `next`. Returns whether it moves the right edge.
    const fn update(&mut self, next: u64, window: u32, snd_una: u64) -> bool {
        let edge = self.moved(next, window, snd_una);
        replace(&mut self.edge, edge) != edge
    }
}

impl Connection {
    /// The advertised window. The SYN and the first outstanding segment may be sent in any case.
    pub(crate) fn rwnd(&self) -> u64 {
        let most = u64::from(self.config.max_window);
        let least = u64::from(self.flight() > 0 || self.snd_una == 0);
        let window = self.extra.as_ref().and_then(|extra| extra.window);
        window.map_or(most, |window| window.edge.saturating_sub(self.snd_una).max(least).min(most))
    }

    /// Records the window that an ACK advertises, if it does. Returns whether it moves the right edge.
    #[inline(never)]
    pub(super) fn update_rwnd(&mut self, ack: Ack<'_>) -> bool {
        let snd_una = self.snd_una;
        let window = self.extra.as_mut().and_then(|extra| extra.window.as_mut());
        window.zip(ack.sack.window()).is_some_and(|(window, advertised)| window.update(ack.next, advertised, snd_una))
    }

    /// Whether an ACK for the first outstanding segment only updates the window, and thus is no duplicate (RFC 5681,
    /// section 2).
    #[inline(never)]
    pub(super) fn is_window_update(&self, ack: Ack<'_>) -> bool {
        let window = self.extra.as_ref().and_then(|extra| extra.window);
        self.config.read_rate.is_some()
            && ack.sack.is_empty()
            && window
                .zip(ack.sack.window())
                .is_some_and(|(window, advertised)| window.moved(ack.next, advertised, self.snd_una) != window.edge)
    }

    /// Sets or ends the persist timer after a turn or an ACK, which `restarts` the wait.
    #[inline(always)]
    pub(super) fn persist(&mut self, restarts: bool, ticks: Ticks, now: Time) {
        if self.extra.as_ref().is_some_and(|extra| extra.window.is_some()) {
            self.set_persist_timer(restarts, ticks, now);
        }
    }

    #[inline(never)]
    fn set_persist_timer(&mut self, restarts: bool, ticks: Ticks, now: Time) {
        let is_closed = self.snd_nxt < self.supplied && self.has_closed_window();
        let probes = self.probes();
        if is_closed && (restarts || probes.is_none()) {
            self.wait_for_probe(probes.unwrap_or(0), ticks, now);
        } else if !is_closed && probes.is_some() {
            self.set_probes(None);
            self.timer = PackedOption::NONE;
            if self.config.idle_restart == IdleRestart::Timeout {
                self.restart_timer(now);
            }
        }
    }

    /// Sends a probe if the timer that has fired is the persist timer. Returns whether it is.
    pub(super) fn probe_window(&mut self, ticks: Ticks, now: Time) -> bool {
        let Some(probes) = self.probes() else { return false };
        self.urgent = PackedOption::some(self.snd_una - 1); // the SYN is sent without a window
        self.wait_for_probe(probes + 1, ticks, now);
        true
    }

    /// The probe `number`, the last segment that was acknowledged.
    pub(super) const fn window_probe(number: u64) -> Segment {
        Segment::new(number, HEADER)
    }

    fn wait_for_probe(&mut self, probes: u32, ticks: Ticks, now: Time) {
        self.set_probes(Some(probes));
        let wait = self.rtt.rto().saturating_mul(1 << probes.min(MOST_DOUBLINGS)).min(self.config.rtt.max_rto);
        self.timer = PackedOption::some(ticks.fires_at(now, wait));
    }

    /// Whether the window is closed and nothing is outstanding.
    #[inline(always)]
    pub(crate) fn has_closed_window(&self) -> bool {
        self.flight() == 0 && self.is_closed()
    }

    #[inline(never)]
    fn is_closed(&self) -> bool {
        self.rwnd() == 0
    }

    /// Whether the timer is the persist timer.
    pub(crate) fn probes_window(&self) -> bool {
        self.probes().is_some()
    }

    fn probes(&self) -> Option<u32> {
        self.extra.as_ref()?.window?.probes
    }

    fn set_probes(&mut self, probes: Option<u32>) {
        if let Some(window) = self.extra.as_mut().and_then(|extra| extra.window.as_mut()) {
            window.probes = probes;
        }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::{Role, Stream};

    use super::*;
    use crate::config::SenderConfig;
    use crate::recovery::RecoverySpec;
    use crate::segment::Sack;
    use crate::sender::Sender;

    /// A peer closes its window and opens it again, while the congestion window is zero, as ns-2's Vegas leaves it.
    ///
    /// Validates: with `idle_restart = timeout`, the timer goes on, and opens the congestion window.
    /// Source: ns-2, tcp.cc, `set_rtx_timer` and `timeout`.
    /// Tolerance: exact.
    #[test]
    fn a_timer_that_never_stops_outlasts_a_closed_window() {
        for (idle_restart, runs) in [(IdleRestart::Timeout, true), (IdleRestart::Rfc5681, false)] {
            let config = SenderConfig {
                recovery: RecoverySpec::Tahoe,
                handshake: false,
                initial_rwnd: Some(4),
                idle_restart,
                ..SenderConfig::default()
            };
            let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
            sender.supply(9);
            let now = Time::SECOND;
            while sender.poll_transmit(now).is_some() {}
            for window in [0, 100] {
                let sack = &Sack::NONE.with_window(window);
                sender.handle_ack(Ack { sack, ..Ack::cumulative(4) }, now);
                sender.connection.window.cwnd = 0.0;
                sender.choose_path();
                assert_eq!(sender.poll_transmit(now), None);
                assert_eq!(sender.poll_timeout().is_some(), window == 0 || runs);
            }
        }
    }

    /// Validates: a current ACK sets the right edge, forward or back; an ACK that was overtaken only moves it forward, and one
    ///     for the same data only forward or to a closed window.
    /// Source: RFC 9293, section 3.10.7.4; Linux, `tcp_may_update_window`.
    /// Tolerance: exact.
    #[test]
    fn a_current_ack_sets_the_right_edge() {
        let edge = |next, window| {
            let mut peer = PeerWindow { edge: 20, probes: None };
            let moves = peer.update(next, window, 10);
            assert_eq!(moves, peer.edge != 20);
            peer.edge
        };
        assert_eq!([edge(12, 20), edge(12, 3), edge(12, 0)], [32, 15, 12]);
        assert_eq!([edge(10, 20), edge(10, 3), edge(10, 0)], [30, 20, 10]);
        assert_eq!([edge(8, 20), edge(8, 3), edge(8, 0)], [28, 20, 20]);
    }
}
