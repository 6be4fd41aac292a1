//! Sender configuration. The defaults follow current RFCs; other values of the same fields reproduce ns-2. Each option
//! is declared only here; the Python package reads the declarations from [`SENDER`].

use ackclock_units::{Rate, Time};

use crate::congestion::{LawSpec, RenoSpec};
use crate::options::{options, words};
use crate::rtt::RttConfig;
use crate::segment::HEADER;

options! {
    /// The parameters of a [`Sender`](crate::Sender). Windows are in segments.
    pub struct SenderConfig declared as SENDER {
        fields {
            /// Size of a data segment on the wire, in bytes.
            packet_size: u32 = 1500;
            /// Congestion control law.
            congestion: LawSpec = LawSpec::Reno(RenoSpec {});
            /// Round-trip time estimation and retransmission timer.
            rtt: RttConfig = RttConfig::DEFAULT;
            /// The advertised window before the first ACK, if it is not `max_window`; ACKs then carry the window.
            initial_rwnd: Option<u32> = None;
            /// Rate at which the receiving application reads, if it does not read at once. ACKs then carry the window, and
            /// one without SACK blocks that moves it is no duplicate (RFC 5681, section 2).
            read_rate: Option<Rate> = None;
            /// Whether the connection has SACK. Without it, RACK counts duplicate ACKs.
            has_sack: bool = true;
        }
        options {
            /// Loss recovery: how losses are found and repaired. `tahoe`, `reno`, `newreno` and `vegas` count duplicate
            /// ACKs, `sack` reads SACK blocks, and `rack` also uses times of transmission and probes. The variants
            /// `tahoe`, `newreno`, `sack` and `rack` fix it. In profile `linux`, `sack` is the kernel without RACK
            /// (`tcp_recovery = 0`, until version 6.16); without SACK (`sack_blocks = 0`), it is `rack` that counts duplicate
            /// ACKs as the kernel does.
            recovery: RecoverySpec = RecoverySpec::Rack;
            /// The advertised window in packets, or its maximum (see `rwnd`); also the initial slow-start threshold.
            max_window: u32 [1 to 1_000_000_000] = 1000;
            /// Maximum processing time of the sender before it sends what the window allows (ns-2's `overhead_`). Each
            /// processing time is drawn uniformly between 0 and this maximum, so that flows with equal delays do not
            /// act at exactly the same time. Fast retransmissions and limited transmit are not delayed.
            overhead: Time [from Time::ZERO] = Time::ZERO;
            /// The first segment is a SYN, and data is sent only after the SYN is acknowledged (RFC 9293, section 3.5).
            handshake: bool = true;
            /// Congestion window once the connection is open, in packets (RFC 5681, section 3.1; RFC 6928).
            initial_window: u32 [1 to 1_000_000_000] = 10;
            /// Growth of the window below the slow-start threshold, in laws that have no slow start of their own.
            /// `limited` grows more slowly above 100 packets (RFC 3742); `hystart++` (RFC 9406) and `hystart` (Linux)
            /// end slow start when the round-trip time rises.
            slow_start: SlowStartRule = SlowStartRule::Standard;
            /// The window grows by the number of packets that an ACK acknowledges, in slow start by at most this number
            /// (RFC 3465's `L`). With 0, it grows by the number of ACKs.
            byte_counting: u32 [0 to 1_000_000] = 0;
            /// The window grows by whole packets: laws compute with the window in whole packets, and its fraction only
            /// counts ACKs (Linux' `snd_cwnd_cnt`).
            whole_growth: bool = false;
            /// Number of data packets that are sent one at a time at the start of a connection: each waits for the ACK
            /// of the previous one, and the initial window applies only afterwards (ns-2's `delay_growth_` without a
            /// SYN).
            lone_segments: u32 [0 to 1_000_000] = 0;
            /// Send new data on the first and second duplicate ACK (RFC 3042).
            limited_transmit: bool = true;
            /// Fast recovery ends with the first new ACK (RFC 5681, section 3.2, step 6). If false, as in ns-2 before
            /// July 2003, the third and later duplicate ACKs inflate the window even without a fast retransmit.
            exit_recovery: bool = true;
            /// The ACK that ends fast recovery also grows the window, as in ns-2. RFC 5681 only deflates the window at
            /// this point.
            grow_on_exit: bool = false;
            /// The partial ACKs that restart the retransmission timer in NewReno's fast recovery: only the first one of
            /// a recovery, or each one (RFC 6582).
            partial_ack_timer: PartialAckTimer = PartialAckTimer::First;
            /// In NewReno's fast recovery a partial ACK deflates the window by the amount acknowledged minus one packet
            /// (RFC 6582, section 3.2, step 3). If false, as in ns-2 before May 2003, a partial ACK removes the whole
            /// inflation by duplicate ACKs.
            partial_ack_deflation: bool = true;
            /// The ACK that ends NewReno's fast recovery sets the window to `min(ssthresh, max(flight, 1) + 1)` packets
            /// (RFC 6582, section 3.2, step 3). If false, as in ns-2, this ACK only removes the inflation by duplicate
            /// ACKs.
            deflate_on_exit: bool = true;
            /// In NewReno's fast recovery an ACK releases at most this many packets in addition to retransmissions; 0
            /// means no limit. RFC 6582 sets no such limit; ns-2's limit is two packets. As in ns-2, the limit does not
            /// apply to packets released by new data from the source, nor if `overhead` is above 0.
            recovery_burst: u32 [0 to 1_000_000] = 0;
            /// The rules of SACK recovery: RFC 6675, or Fall and Floyd (1996), which ns-2 follows.
            sack: SackRule = SackRule::Rfc6675;
            /// With Fall and Floyd's rules, hold back data that the source supplies between the first duplicate ACK and
            /// the start of recovery. If a timeout has occurred since the last recovery, the sender retransmits holes
            /// instead while it holds back new data. This reproduces ns-2, which looks for a hole in its scoreboard
            /// before it sends new data, but outside recovery retransmits the hole only after a timeout. If false, new
            /// data is sent as the window allows, as in RFC 6675.
            sack_holds_new_data: bool = false;
            /// How many packets each ACK releases while SACK or RACK recovery, or RACK's answer to a mark, reduces the
            /// window: proportional rate reduction (RFC 9937, before it RFC 6937, or as Linux computes it). With `off`,
            /// the window is reduced at once.
            prr: PrrRule = PrrRule::Rfc9937;
            /// With RACK, send a probe two round trips after the last ACK if the end of a flight may be lost (RFC 8985,
            /// section 7).
            tail_loss_probe: bool = true;
            /// The rules of RACK: RFC 8985, or Linux 6's, which measures the round-trip time with the last packet in the
            /// order of numbers that an ACK acknowledges, and waits 2 ms longer before it uses its timers.
            rack: RackRule = RackRule::Rfc8985;
            /// With RACK, length of a tick of the clock that drives the timers: a timer fires with the tick after its time,
            /// rounded up to ticks, or to 8 ticks from 63 ticks on and so on (Linux). With 0, timers are exact. CUBIC with
            /// `rules = "linux"` counts time in these ticks, or with 0 in ticks of 4 ms.
            timer_tick: Time [from Time::ZERO] = Time::ZERO;
            /// With `timer_tick`, what the sender's clock shows when the run starts: `random` (each sender has its own), or a
            /// time. It decides when ticks come.
            tick_phase: Phase ["random"] = None;
            /// Packets carry their time of transmission in ms, which ACKs echo (RFC 7323): with RACK, the ACK of a
            /// retransmission also gives a round-trip sample and ends the back-off of the timer, which Karn's algorithm
            /// forbids otherwise.
            timestamps: bool = false;
            /// With RACK, send new data after a timeout until an ACK shows whether the timeout was spurious, and undo it
            /// then (RFC 5682, section 3).
            frto: bool = false;
            /// With RACK, restore the window if retransmissions turn out to have been unnecessary: once a duplicate is
            /// reported for each of them (`dsack`, RFC 3708), once an ACK answers the original (`eifel`, RFC 3522), or
            /// whichever comes first (`both`).
            undo: UndoRule = UndoRule::Off;
            /// Spread packets over the round trip instead of sending them as soon as the window allows: `window` sends at
            /// a multiple of the window per smoothed round-trip time, `law` at the rate that the window law sets (laws
            /// without a rate send at once). The initial window is not paced.
            pacing: Pacing = Pacing::Off;
            /// Pacing rate while the window is below half of the slow-start threshold, in percent of the window per
            /// round-trip time.
            pacing_ss_ratio: u32 [1 to 10_000] = 200;
            /// Pacing rate otherwise.
            pacing_ca_ratio: u32 [1 to 10_000] = 120;
            /// Number of packets that a paced sender sends at once.
            pacing_burst: u32 [1 to 1_000] = 1;
            /// After a late burst, the next one may begin earlier by the delay, up to this percentage of the time between
            /// bursts (Linux, `tcp_update_skb_after_send`: 50).
            pacing_credit: u32 [0 to 100] = 0;
            /// Segmentation offload (Linux' GSO and TSO): how many packets the sender hands to the host's link at once, back to
            /// back. `off`: one. `autosize`: the data of about 1 ms at the pacing rate, more on paths below 3 ms, and at
            /// least two (Linux, `tcp_tso_autosize`). `fixed`: `gso_max_segs`. With either, a paced sender pauses after each
            /// such super-segment and `pacing_burst` has no effect, and a sender with RACK or Vegas waits for the next ACK while
            /// too little of its window is open (Linux, `tcp_tso_should_defer`).
            gso: GsoRule = GsoRule::Off;
            /// With `gso`, maximum number of packets in a super-segment, which also has at most 65,215 bytes of data: 45 packets
            /// of 1,448 bytes.
            gso_max_segs: u32 [1 to 65_535] = 65_535;
            /// TCP small queues: maximum memory of the sender's packets in the queue of the first link, in bytes, where a packet
            /// takes 832 bytes more than its data; 0: unlimited (Linux, `tcp_limit_output_bytes`: 4194304). With a maximum,
            /// data also waits while the data of about 1 ms at the pacing rate is in this queue, but not less than two
            /// packets, or super-segments with `gso` (`tcp_small_queue_check`). This matters if the first link is the
            /// bottleneck, which then stands for the host's device.
            limit_output_bytes: u32 [0 to 1_000_000_000] = 0;
            /// The last packet that the application has supplied is pushed, and the receiver acknowledges a pushed packet
            /// at once, even with delayed ACKs (Linux, with an application that reads at once).
            push: bool = false;
            /// With `push`, the size of the writes of an application that always has data, in bytes; 0: they leave no
            /// pushed packets. A write that ends with a full packet pushes it. Before the first ACK, a write also pushes
            /// each packet that completes 32 KB of it (Linux).
            write_size: u32 [0 to 1_000_000_000] = 0;
            /// Data in a packet in bytes: by default `packet_size` minus 40 bytes of headers, and minus 12 more with
            /// timestamps (`linux`). A larger value counts as `packet_size` minus 40.
            payload: u32 [1 to 65_535] = 1460;
            /// With `push`, the size of the application's send buffer in packets; 0: unlimited. The last packet that fits
            /// is pushed, and the application writes again when a third of the buffer is free (Linux).
            send_buffer: u32 [0 to 1_000_000_000] = 0;
            /// A mark reduces the window less than a loss does: Reno's to 80 %, CUBIC's to 85 % (RFC 8511).
            abe: bool = false;
            /// Reproduce five defects of ns-2's Vegas, which records the transmissions of each packet in an array of
            /// `max_window` entries. (1) When an ACK passes the end of the array, old transmission counts remain and
            /// are added to the counts of later packets. (2) A packet not yet sent has an empty record, and counts as
            /// sent so long ago that its timeout has expired. (3) After a timeout, deflating a window that duplicate
            /// ACKs inflated sets it to zero (only if `idle_restart` is `timeout`). (4) Packet 0 has a send time of 0,
            /// which ns-2 reads as a missing record; the first ACK therefore initializes the round-trip averages but is
            /// not included in them. (5) A packet retransmitted on a new ACK, because its fine-grained timeout has
            /// expired, still gives a round-trip sample if it was being timed.
            stale_records: bool = false;
            /// Quantity from which a window reduction is computed: the flight size, the window as a real number, or the
            /// window in whole packets.
            decrease_from: DecreaseFrom = DecreaseFrom::FlightSize;
            /// The window also grows while the sender has less to send than the window allows, as in ns-2 (RFC 7661
            /// forbids it).
            grow_when_limited: bool = false;
            /// A window that was full also grows until all that was outstanding then is acknowledged, and slow start goes
            /// on while the window is below twice the largest flight (Linux, `tcp_is_cwnd_limited`). If false, the window
            /// grows with an ACK only if it is full when the ACK arrives (RFC 7661).
            remember_full_window: bool = false;
            /// Explicit congestion notification: whether data is ECN-capable, and how the receiver echoes marks. `classic`
            /// repeats each mark until the sender has reduced its window (RFC 3168); `dctcp` reports in each ACK whether
            /// the packets that it acknowledges were marked (RFC 8257); `accurate` counts marked packets (RFC 9768).
            ecn: EcnMode = EcnMode::Off;
            /// With `ecn = "accurate"`, an ACK that delivers 8 packets or more reports as many marks as its counter of three
            /// bits allows (RFC 9768, Appendix A.2.1). If false, it reports the fewest; Linux decides by the byte counters
            /// of the AccECN option, which is not simulated.
            most_marks: bool = false;
            /// Effect of an idle period. `rfc5681` resets the window to the initial window after more than one RTO
            /// without sending; `rfc2861` halves it once per RTO (Linux); `off` leaves it. With `timeout`, the retransmission
            /// timer never stops; if it fires while nothing is outstanding, it resets the window to one packet.
            idle_restart: IdleRestart = IdleRestart::Rfc5681;
        }
    }
}

impl SenderConfig {
    /// Data in a full packet, in bytes.
    pub fn data_bytes(&self) -> u32 {
        self.payload.min(self.packet_size.saturating_sub(HEADER))
    }

    /// The advertised window before the first ACK, if ACKs carry the window.
    pub(crate) fn first_window(&self) -> Option<u32> {
        let opened = self.initial_rwnd.or_else(|| self.read_rate.map(|_| self.max_window))?;
        Some(opened.min(self.max_window))
    }

    /// Whether the law needs delivery-rate samples, which only RACK recovery gives.
    pub fn needs_rack(&self) -> bool {
        self.congestion.build().samples_rate()
    }
}

words! {
    /// Selects a loss recovery algorithm.
    pub enum RecoverySpec {
        /// Fast retransmit, then slow start (Jacobson 1988).
        Tahoe = "tahoe",
        /// Fast retransmit and fast recovery (RFC 5681, section 3.2).
        Reno = "reno",
        /// Reno's recovery with Vegas' fine-grained timeout, which allows earlier retransmission.
        Vegas = "vegas",
        /// Fast recovery that repairs all losses of a window, one per round trip (RFC 6582).
        NewReno = "newreno",
        /// Recovery based on selective acknowledgments (RFC 6675).
        Sack = "sack",
        /// Losses found by the time of transmission, with probes of the tail (RFC 8985).
        Rack = "rack",
    }
}

words! {
    /// Proportional rate reduction.
    pub enum PrrRule {
        /// The window is reduced at once.
        Off = "off",
        /// RFC 9937.
        Rfc9937 = "rfc9937",
        /// RFC 6937 with its slow-start reduction bound.
        Rfc6937 = "rfc6937",
        /// Linux 6.
        Linux = "linux",
    }
}

words! {
    /// Rules of RACK.
    pub enum RackRule {
        /// RFC 8985.
        Rfc8985 = "rfc8985",
        /// Linux 6.
        Linux = "linux",
    }
}

words! {
    /// Evidence that undoes a window reduction.
    pub enum UndoRule {
        /// None.
        Off = "off",
        /// Duplicates were reported for all retransmissions (RFC 3708).
        Dsack = "dsack",
        /// An ACK answers the original (RFC 3522, with a flag in place of a timestamp).
        Eifel = "eifel",
        /// Either.
        Both = "both",
    }
}

words! {
    /// When packets that the window allows are sent.
    pub enum Pacing {
        /// At once.
        Off = "off",
        /// At a multiple of the window per round-trip time.
        Window = "window",
        /// At the rate of the window law.
        Law = "law",
    }
}

words! {
    /// How many packets leave as one super-segment.
    pub enum GsoRule {
        /// One: there is no segmentation offload.
        Off = "off",
        /// The data of about 1 ms, and more on short paths (Linux, `tcp_tso_autosize`).
        Autosize = "autosize",
        /// As many as the host allows.
        Fixed = "fixed",
    }
}

words! {
    /// Partial ACKs that restart the retransmission timer.
    pub enum PartialAckTimer {
        /// Only the first partial ACK of a recovery, so that a recovery from many losses ends with a timeout (RFC 6582,
        /// section 4: *impatient*).
        First = "first",
        /// Every partial ACK (*slow but steady*).
        Each = "each",
    }
}

words! {
    /// Growth of the window below the slow-start threshold.
    pub enum SlowStartRule {
        /// RFC 5681, section 3.1.
        Standard = "standard",
        /// RFC 3742.
        Limited = "limited",
        /// RFC 9406.
        HystartPlusPlus = "hystart++",
        /// Linux 6.
        Hystart = "hystart",
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
    /// Quantity from which a window reduction is computed.
    pub enum DecreaseFrom {
        /// The flight size; the halved window is at least two segments (RFC 5681, equation 4). Segments that SACKs report
        /// do not raise it above the window.
        FlightSize = "flight_size",
        /// The minimum of `cwnd` and `rwnd`, as a real number (ns-2).
        Window = "window",
        /// The minimum of `cwnd` and `rwnd`, truncated to whole segments before and after halving (ns-2 before January
        /// 2006).
        WholeWindow = "whole_window",
    }
}

words! {
    /// Explicit congestion notification.
    pub enum EcnMode {
        /// Data is not ECN-capable.
        Off = "off",
        /// A mark is echoed until the sender has reduced its window (RFC 3168, section 6.1).
        Classic = "classic",
        /// An ACK tells whether the packets that it acknowledges were marked (RFC 8257, section 3.2).
        Dctcp = "dctcp",
        /// ACKs count marked packets, modulo 8 (RFC 9768).
        Accurate = "accurate",
    }
}

words! {
    /// Effect of an idle period on the window.
    pub enum IdleRestart {
        /// After more than one RTO without sending, the window is reset to the initial window (RFC 5681, section 4.1).
        /// The retransmission timer stops when all data is acknowledged (RFC 6298, 5.2).
        Rfc5681 = "rfc5681",
        /// The window is halved once per RTO without sending, but not below the initial window (RFC 2861). The timer stops
        /// as with `rfc5681`.
        Rfc2861 = "rfc2861",
        /// The window stays (Linux, `tcp_slow_start_after_idle = 0`). The timer stops as with `rfc5681`.
        Off = "off",
        /// The timer never stops; when it fires with nothing outstanding, the window is reset to one segment (ns-2's
        /// `slow_start_restart_`).
        Timeout = "timeout",
    }
}
