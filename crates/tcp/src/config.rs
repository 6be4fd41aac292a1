//! Sender configuration. The defaults follow current RFCs; ns-2's behaviour is expressed by other values of the same
//! fields.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

use crate::congestion::{LawSpec, RenoSpec};
use crate::recovery::RecoverySpec;
use crate::rtt::RttConfig;

/// The parameters of a [`Sender`](crate::Sender). Windows are in segments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SenderConfig {
    /// Size of a data segment on the wire, in bytes.
    pub packet_size: u32,
    /// Segment 0 is a SYN; data waits for its ACK (RFC 9293, section 3.5).
    pub handshake: bool,
    /// Congestion window once the connection is open (RFC 5681, section 3.1; RFC 6928).
    pub initial_window: u32,
    /// Number of data segments sent one at a time before `initial_window` applies (ns-2's `delay_growth_` without a
    /// SYN).
    pub lone_segments: u32,
    /// The receiver's advertised window `rwnd`; also the initial `ssthresh`.
    pub max_window: u32,
    /// Send new data on the first and second duplicate ACK (RFC 3042).
    pub limited_transmit: bool,
    /// Loss detection and retransmission algorithm.
    pub recovery: RecoverySpec,
    /// Fast recovery ends with the first new ACK (RFC 5681, section 3.2, step 6). In ns-2 before July 2003, duplicate
    /// ACKs inflate the window whether or not there was a fast retransmit.
    pub exit_recovery: bool,
    /// The ACK that ends fast recovery also grows the window, as in ns-2. RFC 5681 only deflates the window at this
    /// point.
    pub grow_on_exit: bool,
    /// Which partial ACKs restart the retransmission timer in NewReno's fast recovery.
    pub partial_ack_timer: PartialAckTimer,
    /// A partial ACK deflates the window by the amount acknowledged minus one segment (RFC 6582, section 3.2, step 3).
    /// In ns-2 before May 2003 it removes the whole inflation.
    pub partial_ack_deflation: bool,
    /// The ACK that ends NewReno's fast recovery sets the window to `min(ssthresh, max(flight_size, 1) + 1)` (RFC 6582,
    /// section 3.2, step 3). ns-2 keeps the window that deflation left.
    pub deflate_on_exit: bool,
    /// In NewReno's fast recovery an ACK releases at most this many segments in addition to retransmissions; 0 means no
    /// limit. RFC 6582 has no such limit; ns-2's is two. As in ns-2, the limit does not apply to segments released by
    /// new data or after `overhead`.
    pub recovery_burst: u32,
    /// Which rules SACK recovery follows.
    pub sack: SackRule,
    /// With [`SackRule::FallFloyd`], data that the application supplies between the first duplicate ACK and recovery
    /// waits for recovery. If the timer has fired since the last recovery, holes are retransmitted before such data. In
    /// ns-2 every opportunity to send asks the scoreboard first, and outside recovery its answer counts only after a
    /// timeout. RFC 6675 sends new data as the window allows.
    pub sack_holds_new_data: bool,
    /// Congestion control law.
    pub congestion: LawSpec,
    /// Vegas uses stale records, as ns-2 does: transmission counts that remain in its array of `max_window` entries
    /// when an ACK passes the end of the array; the empty record of a segment not yet sent, which counts as expired
    /// long ago; after a timeout, a window of zero to fall back to (with [`IdleRestart::Timeout`]); the record of
    /// segment 0, whose send time of 0 is read as "no record", so that the first ACK starts the averages but is not
    /// included in them; the send time of a timed segment that was retransmitted early.
    pub stale_records: bool,
    /// The quantity that a window reduction is computed from.
    pub decrease_from: DecreaseFrom,
    /// The window also grows while the sender has less to send than the window allows, as in ns-2 (RFC 7661 forbids
    /// it).
    pub grow_when_limited: bool,
    /// Effect of an idle period.
    pub idle_restart: IdleRestart,
    /// Round-trip time estimation and retransmission timer.
    pub rtt: RttConfig,
    /// Maximum processing time before an opportunity to send, drawn uniformly from 0 (ns-2's `overhead_`).
    /// Retransmissions and limited transmit are not delayed.
    pub overhead: Time,
}

/// Which partial ACKs restart the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartialAckTimer {
    /// The first of each recovery, so that many losses lead to a timeout (RFC 6582, section 4: *impatient*).
    First,
    /// Every partial ACK (*slow but steady*).
    Each,
}

/// Rules of SACK recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SackRule {
    /// RFC 6675.
    #[serde(rename = "rfc6675")]
    Rfc6675,
    /// Fall and Floyd, "Simulation-based Comparisons of Tahoe, Reno and SACK TCP" (1996), as in ns-2.
    FallFloyd,
}

/// The quantity that a window reduction is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecreaseFrom {
    /// `flight_size`; the halved window is at least two segments (RFC 5681, equation 4).
    FlightSize,
    /// The minimum of `cwnd` and `rwnd`, as a real number (ns-2).
    Window,
    /// The minimum of `cwnd` and `rwnd`, truncated to whole segments before and after halving (ns-2 before January
    /// 2006).
    WholeWindow,
}

/// Effect of an idle period on the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdleRestart {
    /// After more than one RTO without sending, the window is reset to the initial window (RFC 5681, section 4.1). The
    /// retransmission timer stops when all data is acknowledged (RFC 6298, 5.2).
    Rfc5681,
    /// The timer never stops; when it fires with nothing outstanding, the window is reset to one segment (ns-2's
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
