# Made by `make signatures` of the engine's catalogue: change the declarations there, not this file.
"""Transports and queues, whose kinds declare fields of their own."""

from typing import Literal

from ackclock.scenario.declaring import QueueTable, TcpTable

class Tcp(TcpTable):
    """A TCP sender and its receiver. Absent fields take their values from the profile (``ackclock profile show``)."""

    max_window: int | None
    overhead: str | None
    handshake: bool | None
    initial_window: int | None
    lone_segments: int | None
    limited_transmit: bool | None
    exit_recovery: bool | None
    grow_on_exit: bool | None
    partial_ack_timer: Literal["first", "each"] | None
    partial_ack_deflation: bool | None
    deflate_on_exit: bool | None
    recovery_burst: int | None
    sack: Literal["rfc6675", "fall-floyd"] | None
    sack_holds_new_data: bool | None
    stale_records: bool | None
    decrease_from: Literal["flight_size", "window", "whole_window"] | None
    grow_when_limited: bool | None
    idle_restart: Literal["rfc5681", "timeout"] | None
    clock: str | None
    clock_phase: str | None
    rtt_arithmetic: Literal["real", "integer"] | None
    min_rto: str | None
    max_rto: str | None
    initial_rto: str | None
    backoff_after_floor: bool | None
    timer_before_sample: bool | None
    def __init__(
        self,
        variant: Literal["newreno", "reno", "sack", "tahoe", "vegas"] | str = ...,
        *,
        delayed_ack: bool | None = ...,
        delayed_ack_timeout: str | None = ...,
        ack_gap_fill: bool | None = ...,
        delay_duplicates: bool | None = ...,
        ack_first: bool | None = ...,
        sack_blocks: int | None = ...,
        max_window: int | None = ...,
        overhead: str | None = ...,
        handshake: bool | None = ...,
        initial_window: int | None = ...,
        lone_segments: int | None = ...,
        limited_transmit: bool | None = ...,
        exit_recovery: bool | None = ...,
        grow_on_exit: bool | None = ...,
        partial_ack_timer: Literal["first", "each"] | None = ...,
        partial_ack_deflation: bool | None = ...,
        deflate_on_exit: bool | None = ...,
        recovery_burst: int | None = ...,
        sack: Literal["rfc6675", "fall-floyd"] | None = ...,
        sack_holds_new_data: bool | None = ...,
        stale_records: bool | None = ...,
        decrease_from: Literal["flight_size", "window", "whole_window"] | None = ...,
        grow_when_limited: bool | None = ...,
        idle_restart: Literal["rfc5681", "timeout"] | None = ...,
        clock: str | None = ...,
        clock_phase: str | None = ...,
        rtt_arithmetic: Literal["real", "integer"] | None = ...,
        min_rto: str | None = ...,
        max_rto: str | None = ...,
        initial_rto: str | None = ...,
        backoff_after_floor: bool | None = ...,
        timer_before_sample: bool | None = ...,
        alpha: float = ...,
        beta: float = ...,
        gamma: float = ...,
        base_rtt: Literal["minimum", "ns2"] = ...,
    ) -> None: ...

class Queue(QueueTable):
    """Queue discipline for packets that wait for a link."""

    def __init__(
        self,
        kind: Literal["droptail", "red"] | str,
        *,
        packets: int | None = ...,
        bytes: int | None = ...,
        count_in_service: bool | None = ...,
        ties: Literal["departure", "arrival"] = ...,
        min_th: float = ...,
        max_th: float = ...,
        max_p: float = ...,
        w_q: float = ...,
        wait: bool = ...,
        gentle: bool = ...,
        unit: Literal["packets", "bytes"] = ...,
        mean_packet_size: float = ...,
        above_max: Literal["drop", "early"] = ...,
        spare_last: bool = ...,
        count_below: Literal["reset", "run"] = ...,
    ) -> None: ...

def DropTail(
    *,
    packets: int | None = ...,
    bytes: int | None = ...,
    count_in_service: bool | None = ...,
    ties: Literal["departure", "arrival"] = ...,
) -> Queue:
    """First in, first out; an arrival at a full queue is dropped."""

def Red(
    *,
    packets: int | None = ...,
    bytes: int | None = ...,
    count_in_service: bool | None = ...,
    min_th: float = ...,
    max_th: float = ...,
    max_p: float = ...,
    w_q: float = ...,
    wait: bool = ...,
    gentle: bool = ...,
    unit: Literal["packets", "bytes"] = ...,
    mean_packet_size: float = ...,
    above_max: Literal["drop", "early"] = ...,
    spare_last: bool = ...,
    count_below: Literal["reset", "run"] = ...,
) -> Queue:
    """Random early detection (Floyd and Jacobson 1993)."""
