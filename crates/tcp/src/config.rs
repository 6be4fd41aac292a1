//! Sender configuration. The defaults follow current RFCs; other values of the same fields reproduce ns-2. Each option
//! is declared once, by its entry below: the Python package reads it from [`SENDER`].

use ackclock_units::Time;

use crate::congestion::{LawSpec, RenoSpec};
use crate::options::{options, words};
use crate::recovery::RecoverySpec;
use crate::rtt::RttConfig;

options! {
    /// The parameters of a [`Sender`](crate::Sender). Windows are in segments.
    pub struct SenderConfig declared as SENDER {
        fields {
            /// Size of a data segment on the wire, in bytes.
            packet_size: u32 = 1500;
            /// Loss detection and retransmission algorithm.
            recovery: RecoverySpec = RecoverySpec::Reno;
            /// Congestion control law.
            congestion: LawSpec = LawSpec::Reno(RenoSpec {});
            /// Round-trip time estimation and retransmission timer.
            rtt: RttConfig = RttConfig::DEFAULT;
        }
        options {
            /// The advertised window in packets; also the initial slow-start threshold.
            max_window: u32 [1 to 1_000_000_000] = 1000;
            /// Maximum processing time before an opportunity to send, drawn uniformly from 0 (ns-2's `overhead_`).
            /// It breaks ties between round numbers. Retransmissions and limited transmit are not delayed.
            overhead: Time [from Time::ZERO] = Time::ZERO;
            /// The first segment is a SYN; data waits for its ACK (RFC 9293, section 3.5).
            handshake: bool = true;
            /// Congestion window once the connection is open, in packets (RFC 5681, section 3.1; RFC 6928).
            initial_window: u32 [1 to 1_000_000_000] = 10;
            /// Number of data packets sent one at a time before the initial window applies (ns-2's `delay_growth_`
            /// without a SYN).
            lone_segments: u32 [0 to 1_000_000] = 0;
            /// Send new data on the first and second duplicate ACK (RFC 3042).
            limited_transmit: bool = true;
            /// Fast recovery ends with the first new ACK (RFC 5681, section 3.2, step 6). In ns-2 before July 2003,
            /// duplicate ACKs inflate the window whether or not there was a fast retransmit.
            exit_recovery: bool = true;
            /// The ACK that ends fast recovery also grows the window, as in ns-2. RFC 5681 only deflates the window at
            /// this point.
            grow_on_exit: bool = false;
            /// Which partial ACKs restart the retransmission timer in NewReno's fast recovery: the first, or each (RFC
            /// 6582).
            partial_ack_timer: PartialAckTimer = PartialAckTimer::First;
            /// In NewReno's fast recovery a partial ACK deflates the window by the amount acknowledged minus one packet
            /// (RFC 6582, section 3.2, step 3). In ns-2 before May 2003 it removes the whole inflation.
            partial_ack_deflation: bool = true;
            /// The ACK that ends NewReno's fast recovery leaves at most the flight and one packet (RFC 6582, section
            /// 3.2, step 3). ns-2 keeps the window that deflation left.
            deflate_on_exit: bool = true;
            /// In NewReno's fast recovery an ACK releases at most this many packets in addition to retransmissions; 0
            /// means no limit. RFC 6582 has no such limit; ns-2's is two. As in ns-2, the limit does not apply to
            /// packets released by new data or after `overhead`.
            recovery_burst: u32 [0 to 1_000_000] = 0;
            /// The rules of SACK recovery: RFC 6675, or Fall and Floyd (1996), which ns-2 follows.
            sack: SackRule = SackRule::Rfc6675;
            /// With Fall and Floyd's rules, data that the source supplies between the first duplicate ACK and recovery
            /// waits for recovery. If the timer has fired since the last recovery, holes are retransmitted before such
            /// data. In ns-2 every opportunity to send asks the scoreboard first, and outside recovery its answer
            /// counts only after a timeout. RFC 6675 sends new data as the window allows.
            sack_holds_new_data: bool = false;
            /// Vegas uses stale records, as ns-2 does: transmission counts that remain in its array of `max_window`
            /// entries when an ACK passes the end of the array; the empty record of a packet not yet sent, which counts
            /// as expired long ago; after a timeout, a window of zero to fall back to (with `idle_restart` `timeout`);
            /// the record of packet 0, whose send time of 0 is read as no record, so that the first ACK starts the
            /// averages but is not included in them; the send time of a timed packet that was retransmitted early.
            stale_records: bool = false;
            /// The quantity that a window reduction is computed from: the flight, the window as a real number, or the
            /// window in whole packets.
            decrease_from: DecreaseFrom = DecreaseFrom::FlightSize;
            /// The window also grows while the sender has less to send than the window allows, as in ns-2 (RFC 7661
            /// forbids it).
            grow_when_limited: bool = false;
            /// Effect of an idle period: back to the initial window after one RTO, or a timer that never stops.
            idle_restart: IdleRestart = IdleRestart::Rfc5681;
        }
    }
}

words! {
    /// Which partial ACKs restart the retransmission timer.
    pub enum PartialAckTimer {
        /// The first of each recovery, so that many losses lead to a timeout (RFC 6582, section 4: *impatient*).
        First = "first",
        /// Every partial ACK (*slow but steady*).
        Each = "each",
    }
}

words! {
    /// Rules of SACK recovery.
    pub enum SackRule {
        /// RFC 6675.
        Rfc6675 = "rfc6675",
        /// Fall and Floyd, "Simulation-based Comparisons of Tahoe, Reno and SACK TCP" (1996), as in ns-2.
        FallFloyd = "fall-floyd",
    }
}

words! {
    /// The quantity that a window reduction is computed from.
    pub enum DecreaseFrom {
        /// `flight_size`; the halved window is at least two segments (RFC 5681, equation 4).
        FlightSize = "flight_size",
        /// The minimum of `cwnd` and `rwnd`, as a real number (ns-2).
        Window = "window",
        /// The minimum of `cwnd` and `rwnd`, truncated to whole segments before and after halving (ns-2 before January
        /// 2006).
        WholeWindow = "whole_window",
    }
}

words! {
    /// Effect of an idle period on the window.
    pub enum IdleRestart {
        /// After more than one RTO without sending, the window is reset to the initial window (RFC 5681, section 4.1). The
        /// retransmission timer stops when all data is acknowledged (RFC 6298, 5.2).
        Rfc5681 = "rfc5681",
        /// The timer never stops; when it fires with nothing outstanding, the window is reset to one segment (ns-2's
        /// `slow_start_restart_`).
        Timeout = "timeout",
    }
}
