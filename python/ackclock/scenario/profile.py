"""Profiles: named sets of defaults. One table holds the source of each default, and the values of profiles that differ.

Results depend on defaults that papers do not state. A scenario names a profile, which supplies the fields that the
scenario leaves out. Where a profile does not differ, the default is the one that the engine declares. Results store the
effective scenario with all defaults filled in. No other module refers to a profile by name.

Sources are RFCs, by number, and "ns-2", which is version 2.35. Names of ns-2 parameters end in an underscore. Dates of
changed defaults are from ns-2's change log and from the comments in its list of defaults. ``ns2-2000`` is ns-2 before
these changes, as the papers of that time used it. ``ns2-1999-qiu`` is 2.35 with nine TCP parameters set back to older
values, as in the ns-2 runs to which the study of many flows is compared. Its other parameters, such as exitFastRetrans_
and delay_growth_, have the values of 2.35.
"""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Final

from ackclock.engine.catalogue import catalogue

PROFILES: Final[Mapping[str, str]] = {
    "rfc": "the current RFCs",
    "linux": "the Linux kernel, version 6.18",
    "ns2-2.35": "ns-2 version 2.35, with the RED settings of the papers",
    "ns2-2000": "ns-2 as it was around the year 2000",
    "ns2-1999-qiu": "ns-2 version 2.35 with TCP settings of 1999, for comparison with Qiu, Zhang and Keshav",
}
DEFAULT: Final = "rfc"


@dataclasses.dataclass(frozen=True)
class PacketSize:
    """A default that follows the packet size: the size on the wire minus some bytes of headers."""

    minus: int = 0

    def of(self, packet_size: int) -> int:
        """Return the value for a packet size.

        Examples
        --------
        >>> PacketSize(minus=52).of(1500), str(PacketSize(minus=52)), str(PacketSize())
        (1448, 'packet_size - 52', 'packet_size')
        """
        return packet_size - self.minus

    def __str__(self) -> str:
        return f"packet_size - {self.minus}" if self.minus else "packet_size"


Value = bool | float | str | PacketSize


Key = str | tuple[str, str]
"""Profiles, or profiles and a TCP variant. ``ns2`` stands for all profiles of ns-2, and ``any`` for all profiles."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One default and its sources; the values are those of profiles that differ from the engine's default."""

    scope: str
    """``tcp``, ``queue``, or the name of a window law or of a queue discipline."""
    field: str
    meaning: str
    source: str
    """Sources of the engine's default and of the other values."""
    differs: Mapping[Key, Value] = dataclasses.field(default_factory=dict)
    """The values that differ, by profile, or by profile and variant."""
    default: Value | None = None
    """The value where none differs, if the engine does not declare it."""

    def value(self, profile: str, variant: str | None = None) -> Value:
        """Look up the default under a profile."""
        keys: list[Key] = [*((name, variant or "") for name in _names(profile)), *_names(profile)]
        for key in keys:
            if key in self.differs:
                return self.differs[key]
        return self._declared if self.default is None else self.default

    @functools.cached_property
    def _declared(self) -> Value:
        """The default that the engine declares."""
        engine = catalogue()
        if self.scope == "tcp":
            return engine.tcp_options[self.field].default
        entries = engine.queues if self.scope in engine.queues else engine.congestion
        return entries[self.scope].parameters[self.field].default

    def variants(self, profile: str) -> dict[str, Value]:
        """Return the values of single variants under a profile."""
        own = [key[1] for key in self.differs if isinstance(key, tuple) and key[0] in _names(profile)]
        return {variant: self.value(profile, variant) for variant in own}

    @property
    def name(self) -> str:
        """The scope and the field."""
        return f"{self.scope}.{self.field}"


def _names(profile: str) -> tuple[str, str, str]:
    """Return the names of a profile in a table of differences, the most specific name first."""
    return profile, profile.partition("-")[0], "any"


_NO_OPTIONS: Final = PacketSize(minus=40)
_TIMESTAMPS: Final = PacketSize(minus=52)

# fmt: off
TABLE: Final[tuple[Row, ...]] = (
    Row("tcp", "recovery", "how losses are found and repaired",
        "RFC 8985, with RFC 6675 below it; Vegas by Brakmo and Peterson 1995; Linux tcp_sack 1 and tcp_recovery 1, "
        "for all its laws; ns-2 Agent/TCP/Reno, Vegas and Sack1, and for the laws that it lacks RFC 8985",
        {("rfc", "vegas"): "vegas", ("ns2", "reno"): "reno", ("ns2", "vegas"): "vegas", ("ns2", "highspeed"): "sack",
         ("ns2", "scalable"): "sack"}),
    Row("tcp", "max_window", "advertised window, packets",
        "RFC 7323: window scaling is in use; ns-2 window_", {"linux": 100_000, "ns2": 20}),
    Row("tcp", "delayed_ack", "delay ACKs until ack_every packets have arrived",
        "RFC 5681 4.2; ns-2 Agent/TCPSink", {"ns2": False}),
    Row("tcp", "ack_every", "packets that a delayed ACK covers at most",
        "RFC 5681 4.2; Linux __tcp_ack_snd_check: more than one full packet; ns-2 Agent/TCPSink/DelAck"),
    Row("tcp", "acks_per_rtt", "ACKs in a round-trip time that the wait of a delayed ACK allows",
        "draft-ietf-quic-ack-frequency; neither TCP's RFCs nor Linux nor ns-2 has such a rule"),
    Row("tcp", "delayed_ack_timeout", "longest wait of a delayed ACK for further packets",
        "RFC 1122 4.2.3.2: below 0.5 s; Linux tcp_delack_max: TCP_RTO_MIN less a tick of 4 ms; ns-2 interval_",
        {"linux": "196 ms", "ns2": "100 ms"}),
    Row("tcp", "delayed_ack_rule", "how long a delayed ACK waits",
        "RFC 1122 4.2.3.2 leaves it open; Linux tcp_event_data_recv and tcp_send_delayed_ack", {"linux": "linux"}),
    Row("tcp", "delayed_ack_tick", "tick of the clock that drives the timer of delayed ACKs",
        "RFC 1122 leaves it open; Linux CONFIG_HZ 250 and calc_index", {"linux": "4 ms"}),
    Row("tcp", "ack_gap_fill", "acknowledge a packet that fills a gap at once",
        "RFC 5681 4.2; ns-2 RFC2581_immediate_ack_, since 2000-04-14", {"ns2-2000": False}),
    Row("tcp", "delay_duplicates", "delay the ACK of a duplicate of the last packet in order",
        "RFC 9293 3.10.7.4: ACK every unacceptable segment; ns-2 Agent/TCPSink/DelAck delays this ACK", {"ns2": True}),
    Row("tcp", "ack_first", "acknowledge the first data packet at once",
        "RFC 5681 4.2 makes no exception for data; ns-2 SYN_immediate_ack_, since 2010",
        {"linux": True, "ns2-2.35": True, "ns2-1999-qiu": True}),
    Row("tcp", "quick_acks", "packets acknowledged at once at the start of a connection",
        "RFC 5681 4.2 has no such rule; Linux tcp_grow_window, measured with a receive buffer of 8 MB", {"linux": 378}),
    Row("tcp", "quick_acks_again", "packets acknowledged at once after a duplicate or a pause",
        "RFC 5681 4.2 has no such rule; Linux tcp_enter_quickack_mode with TCP_MAX_QUICKACKS, measured after pauses",
        {"linux": 16}),
    Row("tcp", "quick_acks_pause", "longest time between packets that is no pause",
        "Linux tcp_event_data_recv: the receiver's retransmission timeout, at least TCP_RTO_MIN"),
    Row("tcp", "sack_blocks", "maximum number of SACK blocks in an ACK, 0: no SACK",
        "RFC 2018 3: four without other options; ns-2 maxSackBlocks_", {"linux": 3, "ns2": 3}),
    Row("tcp", "dsack", "report duplicates in the first SACK block",
        "RFC 2883 is optional; Linux tcp_dsack 1; ns-2 generateDSacks_ false", {"linux": True}),
    Row("tcp", "sack_compression", "ACKs of packets beyond a gap that one ACK may replace",
        "RFC 5681 4.2: ACK each packet beyond a gap; Linux tcp_comp_sack_nr", {"linux": 44}),
    Row("tcp", "sack_compression_delay", "longest wait of such an ACK", "Linux tcp_comp_sack_delay_ns"),
    Row("tcp", "sack_compression_rtt_percent", "longest wait of such an ACK, percent of the round-trip time",
        "Linux __tcp_ack_snd_check: 5 % of the round-trip time"),
    Row("tcp", "sack_compression_slack", "lateness of the timer of such an ACK", "Linux tcp_comp_sack_slack_ns"),
    Row("tcp", "gro_interval", "time for which the receiver's host gathers packets",
        "no RFC has such a rule; Linux dev_gro_receive, but was measured without a network card; ns-2 has no hosts"),
    Row("tcp", "gro_packets", "packets that the host gathers at most",
        "Linux skb_gro_receive: 65,536 bytes, 45 packets with 1,448 bytes of data"),
    Row("tcp", "rwnd", "advertised window: max_window, or auto-tuned",
        "no RFC has auto-tuning; Linux tunes it, but was measured with a buffer that never limits; ns-2 has no rwnd"),
    Row("tcp", "initial_rwnd", "initial window of auto-tuning, packets",
        "RFC 9293 3.1: 65,535 bytes; Linux tcp_select_initial_window: the same with 1,448 bytes in a packet",
        {"linux": 45}),
    Row("tcp", "initial_buffer", "initial receive buffer of auto-tuning, packets",
        "no more than initial_rwnd; Linux tcp_rmem 131,072 bytes, measured: a window of 80,896 bytes", {"linux": 55}),
    Row("tcp", "read_rate", "rate at which the receiving application reads",
        "RFC 9293 3.8.6 leaves it to the application; measured with applications that read at once; ns-2 has no rwnd"),
    Row("tcp", "overhead", "longest random processing time before sending", "ns-2 overhead_"),
    Row("tcp", "handshake", "a SYN exchange before data",
        "RFC 9293; ns-2 syn_, since 2001-05-17; ns-2's Vegas sends no SYN",
        {"ns2-2000": False, "ns2-1999-qiu": False, ("ns2-2.35", "vegas"): False}),
    Row("tcp", "initial_window", "initial congestion window, packets",
        "RFC 6928; RFC 6817 2.5 and draft-irtf-iccrg-ledbat-plus-plus-01 4.1; ns-2 windowInit_, 2 since 2001-05-26",
        {"ns2-2.35": 2, "ns2-2000": 1, "ns2-1999-qiu": 1, ("any", "ledbat"): 2, ("any", "ledbat++"): 2}),
    Row("tcp", "slow_start", "growth below the slow-start threshold",
        "RFC 5681 3.1; for CUBIC RFC 9438 4.10 and Linux tcp_cubic.c; ns-2 max_ssthresh_ 0",
        {("rfc", "cubic"): "hystart++", ("linux", "cubic"): "hystart"}),
    Row("tcp", "byte_counting", "growth per ACK in slow start, packets; 0 counts ACKs",
        "RFC 5681 3.1: at most one SMSS per ACK; ns-2 counts ACKs", {"linux": 1_000_000}),
    Row("tcp", "whole_growth", "the window grows by whole packets",
        "RFC 5681 3.1 leaves it open; Linux tcp_cong_avoid_ai; ns-2 counts in real numbers", {"linux": True}),
    Row("tcp", "lone_segments", "packets sent one at a time before the first window",
        "ns-2 delay_growth_, since 2001-05-17; delays data if there is no SYN",
        {"ns2-1999-qiu": 2, ("ns2-2.35", "vegas"): 2}),
    Row("tcp", "limited_transmit", "send new data on the first two duplicate ACKs",
        "RFC 3042; ns-2 singledup_, since 2001-11-28", {"ns2-2000": False, "ns2-1999-qiu": False}),
    Row("tcp", "exit_recovery", "the first new ACK ends fast recovery",
        "RFC 5681 3.2 step 6; ns-2 exitFastRetrans_, since 2003-07-28", {"ns2-2000": False}),
    Row("tcp", "grow_on_exit", "the ACK that ends fast recovery also grows the window",
        "RFC 5681 3.2 step 6 only deflates; Linux tcp_cong_control; ns-2 also grows, except in Sack1",
        {"linux": True, "ns2": True, ("ns2", "sack"): False}),
    Row("tcp", "partial_ack_timer", "partial ACKs that restart NewReno's timer",
        "RFC 6582 4: the impatient variant; ns-2 newreno_changes1_, since 2003-05-05", {"ns2-2000": "each"}),
    Row("tcp", "partial_ack_deflation", "a partial ACK deflates the window by the amount acknowledged",
        "RFC 6582 3.2 step 3; ns-2 partial_window_deflation_, since 2003-05-05", {"ns2-2000": False}),
    Row("tcp", "deflate_on_exit", "NewReno's recovery ends with a window of at most flight + 1",
        "RFC 6582 3.2 step 3, first option; ns-2 exit_recovery_fix_ 0", {"ns2": False}),
    Row("tcp", "recovery_burst", "packets that an ACK may release in NewReno's recovery, 0: no limit",
        "RFC 6582 sets no limit; ns-2 sends at most two", {"ns2": 2}),
    Row("tcp", "sack", "rules of SACK recovery",
        "RFC 6675; ns-2 Sack1, after Fall and Floyd 1996", {"ns2": "fall-floyd"}),
    Row("tcp", "sack_holds_new_data", "send no new data from the first duplicate ACK on",
        "RFC 6675 5 sends as pipe allows; ns-2 Sack1 sends no new data while its scoreboard has a hole", {"ns2": True}),
    Row("tcp", "prr", "packets that an ACK releases during a reduction",
        "RFC 9937; Linux tcp_cwnd_reduction; ns-2's Sack1 reduces the window at once",
        {"linux": "linux", "ns2": "off"}),
    Row("tcp", "tail_loss_probe", "probe the end of a flight, with RACK",
        "RFC 8985 7; Linux tcp_early_retrans 3; ns-2 has no RACK"),
    Row("tcp", "rack", "rules of RACK",
        "RFC 8985; Linux tcp_rack_advance, TCP_TIMEOUT_MIN_US; ns-2 has no RACK", {"linux": "linux"}),
    Row("tcp", "timer_tick", "tick of the clock that drives timers, with RACK",
        "RFC 6298 4 leaves it open; Linux CONFIG_HZ 250, usecs_to_jiffies and calc_index", {"linux": "4 ms"}),
    Row("tcp", "tick_phase", "what the clock of timers shows at time 0", "the clocks of hosts are independent"),
    Row("tcp", "frto", "find spurious timeouts, with RACK", "RFC 5682 is optional; Linux tcp_frto 2", {"linux": True}),
    Row("tcp", "undo", "evidence that undoes a reduction, with RACK",
        "RFC 3708 and RFC 3522 are experimental; Linux tcp_may_undo", {"linux": "both"}),
    Row("tcp", "pacing", "spread packets over the round trip",
        "not in RFC 5681; Linux paces Reno and CUBIC only if a socket or queue asks for it; BBR sets a rate",
        {("any", "bbr"): "law", ("any", "bbr3"): "law", ("any", "copa"): "law", ("any", "prague"): "law"}),
    Row("tcp", "pacing_ss_ratio", "pacing rate in slow start, percent of the window per round trip",
        "Linux tcp_pacing_ss_ratio"),
    Row("tcp", "pacing_ca_ratio", "pacing rate later, percent of the window per round trip",
        "Linux tcp_pacing_ca_ratio"),
    Row("tcp", "pacing_burst", "packets that a paced sender sends at once",
        "single packets; Linux has none of its own, see gso"),
    Row("tcp", "pacing_credit", "credit for a late burst, percent of the time between bursts at most",
        "no RFC has one; Linux tcp_update_skb_after_send", {"linux": 50}),
    Row("tcp", "gso", "packets that leave back to back as one super-segment",
        "one: not in any RFC; Linux tcp_tso_autosize on devices that segment, but the kernel was measured with "
        "gso_max_segs 1, so that its packets left one by one"),
    Row("tcp", "gso_max_segs", "most packets in a super-segment", "Linux GSO_MAX_SEGS"),
    Row("tcp", "limit_output_bytes", "most memory of packets in the queue of the first link, bytes, 0: unlimited",
        "not in any RFC; Linux tcp_limit_output_bytes 4194304, but the kernel was measured on a path without a queue "
        "of its own"),
    Row("tcp", "push", "acknowledge the end of the application's data at once",
        "RFC 9293 3.9.1.2 sets PSH, no rule for ACKs; Linux tcp_measure_rcv_mss, __tcp_cleanup_rbuf", {"linux": True}),
    Row("tcp", "write_size", "bytes that the application writes at a time, for pushed packets",
        "depends on the application; Linux tcp_sendmsg_locked and forced_push"),
    Row("tcp", "payload", "data in a packet, bytes",
        "RFC 9293 3.7.1: without options; Linux tcp_timestamps 1: 12 bytes more; ns-2 has no bytes of data, sizes of "
        "transfers are converted as without options", {"linux": _TIMESTAMPS}, default=_NO_OPTIONS),
    Row("tcp", "send_buffer", "packets in the send buffer, for pushed packets, 0: unlimited",
        "depends on the application; Linux sk_stream_write_space and tcp_wmem"),
    Row("tcp", "timestamps", "ACKs of retransmissions give round-trip samples, with RACK",
        "RFC 6298 3 (Karn); RFC 7323 4; Linux tcp_timestamps 1; ns-2 timestamps_ false", {"linux": True}),
    Row("tcp", "abe", "reduce the window less after a mark", "RFC 8511 is experimental; not in Linux"),
    Row("tcp", "stale_records", "Vegas uses stale records of packets, as ns-2 does",
        "not in Brakmo and Peterson 1995; ns-2's arrays of send times and counts, and v_newcwnd_", {"ns2": True}),
    Row("tcp", "decrease_from", "quantity that a window reduction is computed from",
        "RFC 5681 eq. 4; ns-2 precisionReduce_, since 2006-01-24",
        {"linux": "whole_window", "ns2-2.35": "window", "ns2-2000": "whole_window", "ns2-1999-qiu": "whole_window"}),
    Row("tcp", "grow_when_limited", "the window also grows if the sender has too little data",
        "RFC 7661 1; ns-2 control_increase_ 0", {"ns2": True}),
    Row("tcp", "remember_full_window", "a window that was full grows until it is acknowledged",
        "RFC 7661 1; Linux tcp_is_cwnd_limited", {"linux": True}),
    Row("tcp", "ecn", "explicit congestion notification",
        "RFC 3168 leaves it to the user; Linux tcp_ecn: only if the peer asks; RFC 8257; RFC 9331 4.2 for Prague; "
        "ns-2 ecn_ 0",
        {("any", "dctcp"): "dctcp", ("any", "prague"): "accurate"}),
    Row("tcp", "most_marks", "a counter of marks may have wrapped around",
        "RFC 9768 A.2.1 without the AccECN option, which Linux sends (tcp_ecn_option 2)"),
    Row("bbr3", "loss_threshold", "share of losses above which a probe was too high",
        "draft-ietf-ccwg-bbr 2.8: BBR.LossThresh"),
    Row("bbr3", "beta", "factor that limits how far a lossy round trip lowers a bound",
        "draft-ietf-ccwg-bbr 2.8: BBR.Beta"),
    Row("bbr3", "headroom", "share of the long-term bound left to other flows",
        "draft-ietf-ccwg-bbr 2.8: BBR.Headroom"),
    Row("bbr3", "ecn_max_rtt", "longest minimum round-trip time of a path on which marks count",
        "google/bbr v3: bbr_ecn_max_rtt_us; the draft has no response to marks"),
    Row("copa", "delta", "weight of delay against rate", "Arun and Balakrishnan 2018, section 2.1"),
    Row("copa", "competitive", "lower delta while other flows fill the queue",
        "Arun and Balakrishnan 2018, section 2.2"),
    Row("dctcp", "g", "weight of the last window in the share of marks", "RFC 8257 3.3; Linux dctcp_shift_g 4"),
    Row("dctcp", "initial_alpha", "share of marked packets before the first window",
        "RFC 8257 3.3; Linux dctcp_alpha_on_init"),
    Row("dctcp", "rules", "arithmetic of the estimate and of reductions", "RFC 8257 3.3; Linux tcp_dctcp.c",
        {"linux": "linux"}),
    Row("ledbat", "target", "queueing delay at which the window stays", "RFC 6817 2.5: at most 100 ms"),
    Row("ledbat", "gain", "growth of the window on an empty path", "RFC 6817 2.5: at most 1"),
    Row("ledbat", "base_history", "minutes whose minimum is the base delay", "RFC 6817 2.5: BASE_HISTORY"),
    Row("ledbat", "current_filter", "samples whose minimum is the current delay",
        "RFC 6817 2.5: CURRENT_FILTER, left to the sender"),
    Row("ledbat", "ramp_up", "double the window until the delay nears the target",
        "libutp apply_ccontrol; RFC 6817 2.4.2 has no slow start"),
    Row("ledbat++", "target", "queueing delay at which the window stays",
        "draft-irtf-iccrg-ledbat-plus-plus-01 4.5"),
    Row("ledbat++", "decrease", "weight of the decrease beyond the target",
        "draft-irtf-iccrg-ledbat-plus-plus-01 4.3: Constant"),
    Row("ledbat++", "base_history", "minutes whose minimum is the base delay",
        "RFC 6817 2.5, on which draft-irtf-iccrg-ledbat-plus-plus-01 builds"),
    Row("ledbat++", "current_filter", "samples whose minimum is the current delay",
        "RFC 6817 2.5; Apple's tcp_ledbat.c takes the minimum too"),
    Row("ledbat++", "slowdowns", "drain the queue at times, to measure the base delay",
        "draft-irtf-iccrg-ledbat-plus-plus-01 4.4"),
    Row("prague", "g", "weight of the last round trip in the share of marks",
        "draft-briscoe-iccrg-prague-congestion-control; Linux PRAGUE_SHIFT_G 4"),
    Row("prague", "rtt_target", "round-trip time that flows with a shorter one behave as if they had",
        "draft-briscoe-iccrg-prague-congestion-control; Linux prague_rtt_target"),
    Row("prague", "transition", "round trips after slow start until then",
        "Linux tcp_prague 0.7: prague_rtt_transition"),
    Row("tcp", "idle_restart", "effect of an idle period on the window",
        "RFC 5681 4.1; Linux tcp_cwnd_restart; ns-2 slow_start_restart_, through its running timer",
        {"linux": "rfc2861", "ns2": "timeout"}),
    Row("tcp", "clock", "granularity of the round-trip clock",
        "RFC 6298 4; ns-2 tcpTick_, 10 ms since 2002-03-07",
        {"linux": "1 us", "ns2-2.35": "10 ms", "ns2-2000": "100 ms", "ns2-1999-qiu": "100 ms"}),
    Row("tcp", "clock_phase", "offset of the round-trip clock from a tick at time 0", "ns-2 boot_time_"),
    Row("tcp", "rtt_arithmetic", "arithmetic of the round-trip averages",
        "RFC 6298 2; Jacobson 1988 appendix A, T_SRTT_BITS 3; Linux tcp_rtt_estimator",
        {"linux": "linux", "ns2": "integer"}),
    Row("tcp", "min_rto", "smallest retransmission timeout",
        "RFC 6298 2.4; ns-2 minrto_, 0 before 2001-05",
        {"linux": "200 ms", "ns2-2.35": "200 ms", "ns2-2000": "0 s", "ns2-1999-qiu": "200 ms"}),
    Row("tcp", "max_rto", "largest retransmission timeout",
        "RFC 6298 2.5; ns-2 maxrto_, 60 since 2007; 4.4BSD had 64",
        {"linux": "120 s", "ns2-2000": "100000 s", "ns2-1999-qiu": "64 s"}),
    Row("tcp", "initial_rto", "timeout before the first sample",
        "RFC 6298 2.1; ns-2 rtxcur_init_, 3 since 2006-01-21",
        {"ns2-2.35": "3 s", "ns2-2000": "6 s", "ns2-1999-qiu": "6 s"}),
    Row("tcp", "backoff_after_floor", "apply the back-off factor after the minimum",
        "RFC 6298 5.5; ns-2 rfc2988_, since 2002-03-07", {"ns2-2000": False, "ns2-1999-qiu": False}),
    Row("tcp", "rto_floor", "quantity that min_rto limits",
        "RFC 6298 2.4; Linux tcp_rtt_estimator; ns-2 minrto_", {"linux": "variation"}),
    Row("tcp", "timer_before_sample", "a new ACK restarts the timer before its RTT sample counts",
        "RFC 6298 5.3; ns-2 timerfix_, since 2001-05-11", {"ns2-2000": True, "ns2-1999-qiu": True}),
    Row("cubic", "fast_convergence", "a lower maximum window after a loss below the last one", "RFC 9438 4.7"),
    Row("cubic", "rules", "rules of growth", "RFC 9438", {"linux": "linux"}),
    Row("vegas", "alpha", "grow below this many packets queued", "Brakmo and Peterson 1995; ns-2 v_alpha_"),
    Row("vegas", "beta", "shrink above this many packets queued", "Brakmo and Peterson 1995; ns-2 v_beta_"),
    Row("vegas", "gamma", "end slow start above this many packets queued", "Brakmo and Peterson 1995; ns-2 v_gamma_"),
    Row("vegas", "base_rtt", "estimate of the round-trip time without queueing",
        "Brakmo and Peterson 1995: the minimum; after a timeout ns-2 uses the gap between two ACKs", {"ns2": "ns2"}),
    Row("queue", "packets", "limit if the scenario sets none, packets",
        "never reached in practice; bounds memory", default=100_000),
    Row("queue", "count_in_service", "the limit counts the packet in transmission",
        "ns-2 DropTail holds limit_ packets, including the one in transmission", {"linux": False}, default=True),
    Row("python", "count_in_service", "the limit counts the packet in transmission",
        "as the other disciplines that decide when a packet leaves", default=False),
    Row("droptail", "ties", "order of an arrival and the end of a transmission at the same time",
        "free choice; in ns-2 the arrival mostly comes first, by rounding; scenarios avoid ties with overhead"),
    Row("droptail", "mark_above", "mark an ECN-capable arrival if more packets then wait; 0: never",
        "RFC 8257 3.1 for DCTCP; ns-2 marks only in RED"),
    Row("droptail", "drop", "what a full queue drops: its tail or its head",
        "drop-tail; Linux pfifo_head_drop; ns-2 drop_front_"),
    Row("red", "count_in_service", "the limit counts the packet in transmission",
        "limit_ of ns-2's RED counts waiting packets only", default=False),
    Row("red", "min_th", "average below which nothing is dropped, packets of mean_packet_size",
        "Floyd and Jacobson 1993; ns-2 thresh_ before 2001-12-29"),
    Row("red", "max_th", "average above which all is dropped, packets of mean_packet_size",
        "three times min_th; ns-2 maxthresh_ before 2001-12-29"),
    Row("red", "max_p", "drop probability when the average reaches max_th", "Floyd 1997; ns-2 linterm_ 10"),
    Row("red", "w_q", "weight of one packet in the average",
        "Floyd and Jacobson 1993 section 4; ns-2 q_weight_ before 2001-12-29"),
    Row("red", "wait", "keep drops at least 1/p_b packets apart",
        "Floyd and Jacobson 1993 section 4 has no such rule; ns-2 wait_", {"ns2": True}),
    Row("red", "gentle", "the probability rises to 1 between max_th and twice max_th",
        "Floyd 2000; off, as in the papers' ns-2 (gentle_ before 2001-04-23)", {"rfc": True, "linux": True}),
    Row("red", "unit", "unit of the queue and its average",
        "Floyd and Jacobson 1993; ns-2 queue_in_bytes_ before 2004-10-11"),
    Row("red", "mean_packet_size", "size of a typical packet, for idle times and thresholds, bytes",
        "Floyd and Jacobson 1993 section 11: a typical transmission time; Linux tc-red: avpkt, the user's; ns-2 "
        "mean_pktsize_ 500, whatever the packets", {"rfc": PacketSize(), "linux": PacketSize()}),
    Row("red", "above_max", "above max_th, drop every arrival, apply the early test or mark",
        "Floyd and Jacobson 1993; RFC 3168 7; Linux RED_HARD_MARK; ns-2 use_mark_p_, since 2005-11",
        {"linux": "mark", "ns2-2.35": "early", "ns2-1999-qiu": "early"}),
    Row("red", "spare_last", "nothing is dropped while at most one packet waits",
        "not in the paper; ns-2's behaviour", {"ns2": True}),
    Row("red", "count_below", "below min_th, reset the count since the last drop or keep it",
        "Floyd and Jacobson 1993 resets the count; ns-2 keeps it, and restarts at 1 when the average crosses min_th",
        {"ns2": "run"}),
    Row("red", "ecn", "mark ECN-capable packets instead of dropping them early",
        "RFC 3168 7; Linux sch_red: option ecn; ns-2 setbit_"),
    Row("red", "mark_below", "probability from which on ECN-capable packets are dropped too",
        "RFC 3168 7 and Linux red_use_ecn mark at any; ns-2 mark_p_, with use_mark_p_ since 2005-11",
        {"ns2-2.35": 0.1, "ns2-1999-qiu": 0.1}),
    Row("red", "adaptive", "change max_p so that the average stays on target",
        "Floyd, Gummadi and Shenker 2001; Linux sch_red: option adaptative; ns-2 adaptive_ 0"),
    Row("codel", "packets", "limit if the scenario sets none, packets",
        "Linux sch_codel; RFC 8289 leaves the limit to the queue", default=1000),
    Row("codel", "count_in_service", "the limit counts the packet in transmission",
        "Linux: a packet in transmission has left the queue", default=False),
    Row("codel", "target", "waiting time that packets may always have", "RFC 8289 4.4"),
    Row("codel", "interval", "time above target before the first drop", "RFC 8289 4.4"),
    Row("codel", "mtu", "nothing is dropped if at most this number of bytes is left",
        "RFC 8289 5.5; Linux: the MTU of the device"),
    Row("codel", "ecn", "mark ECN-capable packets instead of dropping them", "Linux sch_codel: option ecn, off"),
    Row("fq_codel", "packets", "limit if the scenario sets none, packets", "RFC 8290 5.2.3", default=10240),
    Row("fq_codel", "count_in_service", "the limit counts the packet in transmission",
        "Linux: a packet in transmission has left the queue", default=False),
    Row("fq_codel", "target", "waiting time that packets may always have", "RFC 8290 5.2.1"),
    Row("fq_codel", "interval", "time above target before the first drop", "RFC 8290 5.2.2"),
    Row("fq_codel", "mtu", "nothing is dropped if at most this number of bytes is left in a queue", "RFC 8289 5.5"),
    Row("fq_codel", "ecn", "mark ECN-capable packets instead of dropping them", "RFC 8290 5.2.7"),
    Row("fq_codel", "queues", "queues, among which flows are distributed by a hash", "RFC 8290 5.2.5"),
    Row("fq_codel", "quantum", "bytes that a queue may send in each round", "RFC 8290 5.2.4"),
    Row("fq_codel", "memory", "limit of the bytes that wait", "Linux sch_fq_codel: memory_limit, 32 MB"),
    Row("cobalt", "packets", "limit if the scenario sets none, packets",
        "as codel; ns-3 CobaltQueueDisc: 1000 packets of 1500 bytes", default=1000),
    Row("cobalt", "count_in_service", "the limit counts the packet in transmission",
        "Linux: a packet in transmission has left the queue", default=False),
    Row("cobalt", "target", "waiting time that packets may always have",
        "Linux sch_cake: 5 ms; ns-3 CobaltQueueDisc: Target"),
    Row("cobalt", "interval", "time above target before the first drop",
        "Linux sch_cake: 100 ms; ns-3 CobaltQueueDisc: Interval"),
    Row("cobalt", "ecn", "mark ECN-capable packets where CoDel would drop them",
        "ns-3 CobaltQueueDisc: UseEcn, off; as codel"),
    Row("cake", "packets", "limit if the scenario sets none, packets",
        "Linux sch_cake: 10240 packets of one MTU; with a shaper 4 MB or four intervals at its rate", default=10240),
    Row("cake", "count_in_service", "the limit counts the packet in transmission",
        "Linux: a packet in transmission has left the queue", default=False),
    Row("cake", "target", "waiting time that packets may always have", "Linux sch_cake: 5 ms"),
    Row("cake", "interval", "time above target before the first drop", "Linux sch_cake: 100 ms, option rtt"),
    Row("cake", "mtu", "packet size that the target allows for on a slow link, bytes",
        "Linux sch_cake: the MTU of the device with its Ethernet header"),
    Row("cake", "ecn", "mark ECN-capable packets where CoDel would drop them", "Linux sch_cake: always"),
    Row("cake", "queues", "queues, in sets of 8, among which flows are distributed by a hash",
        "Linux sch_cake: CAKE_QUEUES, CAKE_SET_WAYS"),
    Row("cake", "quantum", "bytes that a host may send in each round",
        "Linux sch_cake: 1514; with a shaper its rate / 4096, from 300 to 1514"),
    Row("cake", "isolation", "hosts that get equal shares", "tc-cake: triple-isolate is the default"),
    Row("cake", "tins", "classes of traffic, by the dscp of groups",
        "free choice: one tin; tc-cake: diffserv3 is the default"),
    Row("cake", "ack_filter", "waiting ACKs that a later one removes", "tc-cake: no-ack-filter is the default"),
    Row("fq", "packets", "limit if the scenario sets none, packets", "as fq_codel", default=10240),
    Row("fq", "count_in_service", "the limit counts the packet in transmission",
        "Linux: a packet in transmission has left the queue", default=False),
    Row("fq", "queues", "queues, among which flows are distributed by a hash", "as fq_codel"),
    Row("fq", "quantum", "bytes that a queue may send in each round",
        "as fq_codel; Shreedhar and Varghese 1996: at least the largest packet"),
    Row("priority", "packets", "limit if the scenario sets none, packets",
        "free choice; Linux prio: the limits of its bands, 1000 each with pfifo", default=1000),
    Row("priority", "count_in_service", "the limit counts the packet in transmission",
        "Linux: a packet in transmission has left the queue", default=False),
    Row("pie", "packets", "limit if the scenario sets none, packets",
        "Linux sch_pie; RFC 8033 leaves the limit to the queue", default=1000),
    Row("pie", "count_in_service", "the limit counts the packet in transmission",
        "Linux: a packet in transmission has left the queue", default=False),
    Row("pie", "target", "waiting time to which the controller steers", "RFC 8033 4.2"),
    Row("pie", "update", "interval between updates of the probability", "RFC 8033 4.2"),
    Row("pie", "alpha", "change of the probability per second of delay above target", "RFC 8033 4.2"),
    Row("pie", "beta", "change of the probability per second of change of the delay", "RFC 8033 4.2"),
    Row("pie", "max_burst", "time after idle periods in which nothing is dropped", "RFC 8033 4.3"),
    Row("pie", "mtu", "nothing is dropped if at most two packets of this size wait", "RFC 8033 4.1: MEAN_PKTSIZE"),
    Row("pie", "ecn", "mark ECN-capable packets instead of dropping them", "Linux sch_pie: option ecn, off"),
    Row("pie", "mark_below", "above this probability, ECN-capable packets are dropped too", "RFC 8033 5.1"),
    Row("pie", "derandomize", "avoid drops in quick succession and long times without any",
        "RFC 8033 5.4: optional; on in Linux since 5.5", {"linux": True}),
    Row("pie", "byte_mode", "multiply the probability by the packet size over mtu",
        "RFC 8033 4.1; Linux sch_pie: option bytemode, off"),
    Row("pie", "delay_from", "source of the delay",
        "free choice: exact, as if measured; Linux sch_pie since 5.5: dq_rate_estimator off", {"linux": "timestamps"}),
    Row("dualpi2", "packets", "limit if the scenario sets none, packets",
        "Linux sch_dualpi2; RFC 9332 A.1: 250 ms at the rate of the link", default=10000),
    Row("dualpi2", "count_in_service", "the limit counts the packet in transmission",
        "Linux: a packet in transmission has left the queue", default=False),
    Row("dualpi2", "target", "waiting time to which the controller steers", "RFC 9332 A.1"),
    Row("dualpi2", "update", "interval between updates of the probability", "RFC 9332 A.1; Linux sch_dualpi2"),
    Row("dualpi2", "alpha", "change of the probability per second of delay above target",
        "RFC 9332 A.1; Linux sch_dualpi2"),
    Row("dualpi2", "beta", "change of the probability per second of change of the delay",
        "RFC 9332 A.1; Linux sch_dualpi2"),
    Row("dualpi2", "coupling", "probability of queue L relative to the base probability", "RFC 9332 A.1"),
    Row("dualpi2", "ramp_from", "waiting time in queue L above which packets may be marked",
        "Linux sch_dualpi2: step at 1 ms; RFC 9332 A.1: ramp from 800 us"),
    Row("dualpi2", "ramp_to", "waiting time in queue L from which on every packet is marked",
        "Linux sch_dualpi2: step at 1 ms; RFC 9332 A.1: ramp to 1200 us"),
    Row("dualpi2", "low", "packets for queue L: those with ECT(1) or CE, or all that are ECN-capable",
        "RFC 9332 2.5.1.1"),
    Row("dualpi2", "classic_share", "least share of queue C while both queues wait",
        "Linux sch_dualpi2; RFC 9332 A.1: 1/16"),
    Row("dualpi2", "mtu", "size of a packet for the rules about short queues", "Linux: the MTU of the device"),
    Row("dualpi2", "min_qlen_step", "number of packets in queue L on arrival from which the ramp applies",
        "Linux sch_dualpi2: 0; its versions before 6.17: 2"),
)
# fmt: on

ROWS: Final = {(row.scope, row.field): row for row in TABLE}


def default(profile: str, scope: str, field_name: str, *, variant: str | None = None) -> Value | None:
    """Look up one default; ``None`` if the table has no such row.

    Examples
    --------
    >>> default("ns2-2.35", "tcp", "min_rto"), default("ns2-2.35", "tcp", "handshake", variant="vegas")
    ('200 ms', False)
    """
    row = ROWS.get((scope, field_name))
    return None if row is None else row.value(profile, variant)


def differences(first: str, second: str) -> list[Row]:
    """Find the rows in which two profiles differ, for any variant."""
    return [
        row for row in TABLE if row.value(first) != row.value(second) or row.variants(first) != row.variants(second)
    ]
