//! What a sender is doing: its place in the life of a window, for the record `phases`.

use super::Sender;

/// What a sender is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderPhase {
    /// The window is below the slow-start threshold.
    SlowStart,
    /// The window is at or above the threshold.
    Avoidance,
    /// From a loss or a mark until the data sent before is acknowledged.
    Recovery,
    /// The same after a timeout.
    Timeout,
    /// BBR looks for the bandwidth.
    Startup,
    /// BBR drains the queue that it made.
    Drain,
    /// BBR uses the bandwidth and looks for more.
    ProbeBandwidth,
    /// BBR looks for the round-trip time of the empty path.
    ProbeRtt,
    /// BBRv3 drains the queue of its last probe.
    ProbeDown,
    /// BBRv3 uses the bandwidth.
    ProbeCruise,
    /// BBRv3 fills the path before a probe.
    ProbeRefill,
    /// BBRv3 probes for more bandwidth.
    ProbeUp,
}

impl SenderPhase {
    /// The names of all phases, in the order of their numbers.
    pub const WORDS: &'static [&'static str] = &[
        "slow_start",
        "avoidance",
        "recovery",
        "timeout",
        "startup",
        "drain",
        "probe_bw",
        "probe_rtt",
        "probe_down",
        "probe_cruise",
        "probe_refill",
        "probe_up",
    ];
}

impl Sender {
    /// What the sender is doing. A timeout counts as a recovery here: [`Counters::timeouts`](super::Counters) tells them
    /// apart.
    pub fn phase(&self) -> SenderPhase {
        let window = &self.connection.window;
        if let Some(phase) = self.connection.law.phase() {
            phase
        } else if self.repairs() {
            SenderPhase::Recovery
        } else if window.cwnd < window.ssthresh {
            SenderPhase::SlowStart
        } else {
            SenderPhase::Avoidance
        }
    }

    /// Whether data sent before the last loss, mark or timeout is not yet acknowledged.
    pub fn repairs(&self) -> bool {
        let connection = &self.connection;
        connection.recover.is_some_and(|recover| recover > 0 && connection.snd_una < recover)
    }
}
