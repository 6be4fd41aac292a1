//! What a sender can be told. The defaults are the readings of today's RFCs; ns-2's are other values of the same fields.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use crate::congestion::{LawSpec, RenoSpec};
use crate::recovery::RecoverySpec;
use crate::rtt::RttConfig;

/// The parameters of a [`Sender`](crate::Sender). Windows are in segments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SenderConfig {
    /// Bytes of a data segment on the wire.
    pub packet_size: u32,
    /// Segment 0 is a SYN, and data waits for its ACK (RFC 9293, section 3.5).
    pub handshake: bool,
    /// The window once the connection is open (RFC 5681, section 3.1; RFC 6928).
    pub initial_window: u32,
    /// Data segments that go one at a time before `initial_window` applies (ns-2's `delay_growth_` without a SYN).
    pub lone_segments: u32,
    /// The receiver's advertised window `rwnd`; also the first `ssthresh`.
    pub max_window: u32,
    /// New data on the first and second duplicate ACK (RFC 3042).
    pub limited_transmit: bool,
    /// How losses are found and repaired.
    pub recovery: RecoverySpec,
    /// Fast recovery ends with the first new ACK (RFC 5681, section 3.2, step 6). In ns-2 before July 2003
    /// duplicate ACKs inflate the window whether or not there was a fast retransmit.
    pub exit_recovery: bool,
    /// The ACK that ends fast recovery also grows the window, as in ns-2. RFC 5681 only deflates there.
    pub grow_on_exit: bool,
    /// Which partial ACKs restart the retransmission timer in NewReno's fast recovery.
    pub partial_ack_timer: PartialAckTimer,
    /// A partial ACK takes what it acknowledges, but for one segment, off the inflated window (RFC 6582, section 3.2, step 3).
    /// In ns-2 before May 2003 it takes off all of the inflation.
    pub partial_ack_deflation: bool,
    /// The ACK that ends NewReno's fast recovery leaves `min(ssthresh, max(flight_size, 1) + 1)` (RFC 6582, section 3.2, step
    /// 3). In ns-2 it leaves what deflation left.
    pub deflate_on_exit: bool,
    /// In NewReno's fast recovery an ACK releases at most this many segments besides retransmissions; 0 sets no limit. RFC 6582
    /// knows none; ns-2's is two. As in ns-2 the limit does not apply to what new data releases, nor after `overhead`.
    pub recovery_burst: u32,
    /// By what rule SACK recovery works.
    pub sack: SackRule,
    /// With [`SackRule::FallFloyd`], data that the application hands over between the first duplicate ACK and recovery waits for
    /// recovery. If the timer fired since the last recovery, holes are sent again before it, and it follows. In ns-2 every
    /// opportunity to send asks the scoreboard first, and outside recovery its answer counts only after a timeout. RFC 6675
    /// sends new data as the window allows.
    pub sack_holds_new_data: bool,
    /// The window law.
    pub congestion: LawSpec,
    /// Vegas trusts records that no longer hold, as ns-2's does: counts of transmissions that its array, as long as
    /// `max_window`, keeps where an ACK passes the array's end; the empty record of a segment not yet sent, which counts as
    /// expired long ago; after a timeout, a window of zero to fall back to (with [`IdleRestart::Timeout`]); the record of
    /// segment 0, sent at time 0, which its own reading takes for none, so that the first ACK begins the averages and does not
    /// count in them; the time of a segment that is being timed and was sent again early.
    pub stale_records: bool,
    /// What a reduction is taken from.
    pub decrease_from: DecreaseFrom,
    /// The window grows also while the sender has less to send than the window allows, as in ns-2 (RFC 7661 says no).
    pub grow_when_limited: bool,
    /// What an idle period does.
    pub idle_restart: IdleRestart,
    /// Round-trip times and the retransmission timer.
    pub rtt: RttConfig,
    /// Longest processing time before an opportunity to send: uniform from 0 (ns-2's `overhead_`). Retransmissions and
    /// limited transmit are not delayed.
    pub overhead: Time,
}

/// Which partial ACKs restart the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartialAckTimer {
    /// The first of each recovery, so that many losses end in a timeout (RFC 6582, section 4: *impatient*).
    First,
    /// Each (*slow but steady*).
    Each,
}

/// By what rule SACK recovery works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SackRule {
    /// RFC 6675.
    #[serde(rename = "rfc6675")]
    Rfc6675,
    /// Fall and Floyd, "Simulation-based Comparisons of Tahoe, Reno and SACK TCP" (1996), as in ns-2.
    FallFloyd,
}

/// What a reduction of the window is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecreaseFrom {
    /// `flight_size`, never below two segments after halving (RFC 5681, equation 4).
    FlightSize,
    /// The smaller of `cwnd` and `rwnd`, a real number (ns-2).
    Window,
    /// The same, cut to whole segments before and after halving (ns-2 before January 2006).
    WholeWindow,
}

/// What an idle period does to the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdleRestart {
    /// After more than one RTO without sending, the window falls back to the initial window (RFC 5681, section 4.1), and the
    /// retransmission timer stops when all is acknowledged (RFC 6298, 5.2).
    Rfc5681,
    /// The timer never stops; when it fires with nothing outstanding the window becomes one segment (ns-2's
    /// `slow_start_restart_`).
    Timeout,
}

impl Default for SenderConfig {
    fn default() -> Self {
        Self {
            packet_size: 1500,
            handshake: true,
            initial_window: 10,
            lone_segments: 0,
            max_window: 1000,
            limited_transmit: true,
            recovery: RecoverySpec::Reno,
            exit_recovery: true,
            grow_on_exit: false,
            partial_ack_timer: PartialAckTimer::First,
            partial_ack_deflation: true,
            deflate_on_exit: true,
            recovery_burst: 0,
            sack: SackRule::Rfc6675,
            sack_holds_new_data: false,
            congestion: LawSpec::Reno(RenoSpec {}),
            stale_records: false,
            decrease_from: DecreaseFrom::FlightSize,
            grow_when_limited: false,
            idle_restart: IdleRestart::Rfc5681,
            rtt: RttConfig::default(),
            overhead: Time::ZERO,
        }
    }
}
