//! The options of a receiver.

use ackclock_units::Time;

use crate::config::EcnMode;
use crate::options::{options, words};

options! {
    /// The parameters of a [`Receiver`](crate::Receiver).
    #[derive(Copy, Eq)]
    pub struct ReceiverConfig declared as RECEIVER {
        fields {
            /// Whether segment 0 is a SYN, which is acknowledged immediately.
            handshake: bool = true;
            /// How marks are echoed.
            ecn: EcnMode = EcnMode::Off;
            /// Whether ACKs state that they answer an [original](crate::Ack::original).
            reports_originals: bool = false;
            /// Size of a fixed window, and upper limit of an auto-tuned one, in segments.
            max_window: u32 = 1000;
            /// Data in a full packet, in bytes, as the sender's.
            #[serde(skip, default = "usual_data")]
            data_bytes: u32 = 1460;
            /// Whether a [pushed](crate::Segment::pushed) segment is acknowledged at once.
            acks_pushed: bool = false;
        }
        options {
            /// The receiver delays ACKs until `ack_every` packets have arrived (RFC 5681, section 4.2).
            delayed_ack: bool = true;
            /// Number of packets that a delayed ACK covers at most. RFC 5681, section 4.2, recommends 2. QUIC's Ack-Eliciting
            /// Threshold (draft-ietf-quic-ack-frequency) is one less.
            ack_every: u32 [1 to 10_000] = 2;
            /// Number of ACKs in a round-trip time: a delayed ACK waits for at most that part of the round-trip time, and of
            /// `delayed_ack_timeout`. With a large `ack_every`, this number decides, as QUIC's Requested Max Ack Delay does
            /// if the sender asks for a part of the round-trip time (draft-ietf-quic-ack-frequency). The receiver measures
            /// the time from the SYN to the first data; without a handshake, the option has no effect. With 0, there is no
            /// such limit.
            acks_per_rtt: u32 [0 to 1000] = 0;
            /// Longest time that a delayed ACK waits for further packets.
            delayed_ack_timeout: Time [from Time::ZERO] = Time::from_millis(200);
            /// How long a delayed ACK waits: `delayed_ack_timeout` (`fixed`), or a time that follows the intervals between
            /// packets, at most that one (`linux`). With `linux`, a pause is longer than the retransmission timeout of the
            /// receiver instead of `quick_acks_pause`.
            delayed_ack_rule: DelayRule = DelayRule::Fixed;
            /// With `delayed_ack_rule = "linux"`, length of a tick of the receiver's clock, which sends a delayed ACK with
            /// the tick after its time. Each receiver's clock shows a time of its own when the run starts. With 0, the
            /// time is exact.
            delayed_ack_tick: Time [from Time::ZERO] = Time::ZERO;
            /// A packet that fills a gap is acknowledged at once, even with delayed ACKs.
            ack_gap_fill: bool = true;
            /// The receiver also delays the ACK of a duplicate of the last packet in order.
            delay_duplicates: bool = false;
            /// The first packet is acknowledged at once, even with delayed ACKs. A SYN is always acknowledged at once.
            ack_first: bool = false;
            /// Number of data packets at the start of a connection that are acknowledged at once, even with delayed ACKs.
            /// Duplicates do not count. Linux begins with 16, and also acknowledges each packet that opens its window, as
            /// `rwnd = auto` does; for a fixed window, the number thus depends on the size of the receive buffer.
            quick_acks: u32 [0 to 1_000_000] = 0;
            /// Number of packets that are acknowledged at once, even with delayed ACKs, after a duplicate and after a
            /// pause of more than `quick_acks_pause`. A duplicate is one of them. Unless it is 0, classic ECN feedback also
            /// has quick ACKs, as in Linux: two from the first mark or from a retransmission on, and that of CWR.
            quick_acks_again: u32 [0 to 1_000_000] = 0;
            /// Longest time between two packets that does not count as a pause for `quick_acks_again`, if
            /// `delayed_ack_rule` is `fixed`.
            quick_acks_pause: Time [from Time::ZERO] = Time::from_millis(200);
            /// Maximum number of SACK blocks in an ACK, if the sender uses them (RFC 2018). With 0, the connection has no
            /// SACK: recovery `rack` counts duplicate ACKs instead (Linux, `tcp_sack = 0`), and `sack` is not allowed.
            sack_blocks: u32 [0 to 4] = 4;
            /// The ACK of a duplicate is sent at once and reports the duplicate in its first SACK block, if the sender
            /// uses SACK (RFC 2883).
            dsack: bool = false;
            /// Number of ACKs for packets beyond a gap that wait at most, so that one ACK replaces them, if the sender uses
            /// SACK (Linux `tcp_comp_sack_nr`). The first three ACKs for the same next packet are always sent at once, as
            /// are quick ACKs, and one more in the first gap after `quick_acks`. With 0, and without `delayed_ack`, each
            /// packet beyond a gap is acknowledged at once.
            sack_compression: u32 [0 to 255] = 0;
            /// Longest time that an ACK waits for `sack_compression` (Linux `tcp_comp_sack_delay_ns`).
            sack_compression_delay: Time [from Time::ZERO] = Time::from_millis(1);
            /// Longest time that an ACK waits for `sack_compression`, in percent of the round-trip time that the receiver
            /// measures with the SYN and with `rwnd = auto`. Linux has 5, and since version 6.19
            /// `tcp_comp_sack_rtt_percent` with a default of 33.
            sack_compression_rtt_percent: u32 [1 to 1000] = 5;
            /// Time by which the timer of `sack_compression` is late (Linux `tcp_comp_sack_slack_ns`).
            sack_compression_slack: Time [from Time::ZERO] = Time::from_micros(100);
            /// Time for which the receiver's host gathers packets of a flow and answers them as one, with at most one ACK, as
            /// Linux does with generic receive offload (GRO). It stands for the interval of the network card's interrupts
            /// (`rx-usecs`) or for `gro_flush_timeout`. A batch contains packets in sequence; it also ends with a pushed
            /// packet, a duplicate, another mark, and before a packet out of sequence. With 0, the host does not gather
            /// packets. The links of a scenario deliver packets one by one, at the rate of the last link, so batches are as
            /// large as the packets that this link delivers within the time.
            gro_interval: Time [from Time::ZERO] = Time::ZERO;
            /// Number of packets that the host gathers at most. Linux gathers up to 64 kB, 45 packets with 1,448 bytes.
            gro_packets: u32 [1 to 1000] = 45;
            /// The advertised window: `max_window` at any time, or a window that begins at `initial_rwnd` and opens by
            /// auto-tuning, up to `max_window` (Fisk and Feng 2001; Linux).
            rwnd: WindowRule = WindowRule::Fixed;
            /// Initial window of auto-tuning, in packets. A window field without scaling allows 65,535 bytes, which are 44
            /// packets with 1,460 bytes of data.
            initial_rwnd: u32 [1 to 1_000_000_000] = 44;
            /// Initial receive buffer of auto-tuning, in packets: the size to which the window opens before the rate of the
            /// sender matters. Sizes below `initial_rwnd` have no effect. In Linux it depends on `tcp_rmem` and on the
            /// overhead of packet buffers.
            initial_buffer: u32 [1 to 1_000_000_000] = 44;
            /// Rate at which the receiving application reads data, in bits of data per second; with `unlimited`, it reads
            /// all data at once. Data that it has not read waits in the receive buffer, which has `max_window` packets, or
            /// with `rwnd = "auto"` as many as auto-tuning allows, and the advertised window is the free part of the
            /// buffer. When it is full, the window is closed; the receiver reopens it with a window update when a 16th of
            /// the buffer is free (Linux, `__tcp_select_window`), and the sender probes it meanwhile (RFC 9293,
            /// section 3.8.6).
            read_rate: Rate ["unlimited"] = None;
        }
    }
}

words! {
    /// The wait of a delayed ACK.
    pub enum DelayRule {
        /// `delayed_ack_timeout`.
        Fixed = "fixed",
        /// As in Linux.
        Linux = "linux",
    }
}

words! {
    /// The advertised window.
    pub enum WindowRule {
        /// `max_window`.
        Fixed = "fixed",
        /// Opens by auto-tuning.
        Auto = "auto",
    }
}

/// The data in a packet before it is taken from the sender.
const fn usual_data() -> u32 {
    ReceiverConfig::DEFAULT.data_bytes
}

impl ReceiverConfig {
    /// Whether ACKs report duplicates of segment `number`. A SYN is no data.
    pub(super) const fn reports_duplicate(&self, number: u64) -> bool {
        self.dsack && self.sack_blocks > 0 && !(self.handshake && number == 0)
    }

    /// Whether a receiver has state between segments even if none is missing.
    pub(super) const fn keeps_record(&self) -> bool {
        self.delayed_ack || !matches!(self.ecn, EcnMode::Off) || self.advertises() || self.has_host()
    }

    /// Whether the receiver delays ACKs and has neither segments gathered by its host nor a window that changes.
    pub(super) const fn delays_only(&self) -> bool {
        self.delayed_ack && !self.gathers() && !self.advertises()
    }

    /// Whether the wait of delayed ACKs follows the intervals between packets.
    pub(super) const fn adapts(&self) -> bool {
        self.delayed_ack && matches!(self.delayed_ack_rule, DelayRule::Linux)
    }

    /// Whether the receiver has state of its host's rules.
    pub const fn has_host(&self) -> bool {
        self.adapts() || self.compresses() || self.gathers() || self.delayed_ack && self.acks_per_rtt > 0
    }

    /// Whether the host gathers segments.
    pub const fn gathers(&self) -> bool {
        self.gro_interval.as_picos() > 0
    }

    /// Whether ACKs for packets beyond a gap may wait.
    pub const fn compresses(&self) -> bool {
        self.sack_compression > 0 && self.sack_blocks > 0
    }

    /// Whether ACKs may wait or reads send them, so that the receiver has a timer.
    pub const fn has_timer(&self) -> bool {
        self.delayed_ack || self.compresses() || self.gathers() || self.read_rate.is_some()
    }

    /// Whether the advertised window opens by auto-tuning.
    pub const fn tunes(&self) -> bool {
        matches!(self.rwnd, WindowRule::Auto)
    }

    /// Whether the advertised window changes, so that each ACK carries it.
    pub const fn advertises(&self) -> bool {
        self.tunes() || self.read_rate.is_some()
    }
}
