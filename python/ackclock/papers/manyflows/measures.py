"""The numbers that claims and figures ask of the runs over one bottleneck."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.analysis.models import large_pipe_loss
from ackclock.papers.core.quantities import Measure
from ackclock.papers.manyflows.experiment import PACKET_SIZE, T1
from ackclock.papers.manyflows.hyperbolas import printed
from ackclock.papers.manyflows.looks import PIPES
from ackclock.papers.manyflows.places import PACKETS_EACH, PROCESSING, STEADY, WINDOWS, is_tabled

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.papers.core.evidence import Row

    Number = Callable[[Row], float | None]


def _percent(name: str) -> Number:
    return lambda row: None if (value := row.values.get(name)) is None else 100 * value


def _of_buffer(name: str) -> Number:
    """Take a part of a pipe's buffer in per cent."""
    return lambda row: 100 * (row.values[name] or 0.0) / PIPES[str(row.where["pipe"])].buffer


def connections(row: Row) -> int:
    """Give the number of connections of a run."""
    return int(row.where["connections"])


def _tabled(number: Number) -> Number:
    """Leave out the points that are in no table."""
    return lambda row: number(row) if is_tabled(str(row.where["curve"]), connections(row)) else None


def _over_paper(row: Row) -> float:
    fraction = PROCESSING[str(row.where["processing"])]
    return (row.values["loss"] or 0.0) / float(printed(fraction, str(row.where["curve"]), connections(row)))


def _over_formula(law: str) -> Number:
    """Divide the loss by a formula for large pipes."""
    each = {f"B = {each} n": each for each in PACKETS_EACH}

    def number(row: Row) -> float:
        window = each[str(row.where["curve"])] + T1.pipe / connections(row)
        return (row.values["loss"] or 0.0) / float(getattr(large_pipe_loss(window=window, smooth=True), law))

    return number


def _sent(row: Row) -> float:
    """Give what leaves the bottleneck and what is lost there, in thousand packets over T1."""
    start, end = (T1.warm, T1.duration) if row.where["counting"] == STEADY.title else (0, WINDOWS["T1"][1])
    whole = (end - start) * T1.bps / 8 / PACKET_SIZE / 1e3
    return whole * (row.values["throughput"] or 0.0) / (1 - (row.values["loss"] or 0.0))


LOSS = Measure(name="loss", label="loss", unit="%", digits=2, of=_percent("loss"))
TABLED_LOSS = Measure(name="loss", label="loss", unit="%", digits=2, of=_tabled(_percent("loss")))
LOST_PART = Measure(name="loss", label="lost part of the packets", digits=4, of=_tabled(lambda row: row.values["loss"]))
OVER_PAPER = Measure(name="over_paper", label="loss over the paper's own curve", of=_tabled(_over_paper))
OVER_PRINTED = Measure(
    name="over_printed", label="loss over the printed formula", digits=3, of=_over_formula("printed")
)
OVER_CORRECTED = Measure(
    name="over_corrected", label="loss over the corrected formula", digits=3, of=_over_formula("corrected")
)
SENT = Measure(name="sent", label="packets sent", unit="thousand packets", of=_sent)
LOST = Measure(
    name="lost",
    label="packets lost",
    unit="thousand packets",
    of=lambda row: _sent(row) * (row.values["loss"] or 0.0),
)
THROUGHPUT = Measure(name="throughput", label="throughput", digits=4)
GOODPUT = Measure(name="goodput", label="goodput", digits=4)
WASTED = Measure(
    name="wasted",
    label="throughput less goodput",
    unit="%",
    of=lambda row: 100 * ((row.values["throughput"] or 0.0) - (row.values["goodput"] or 0.0)),
)
SHUT_OFF = Measure(name="shut_off", label="connections shut off", digits=1)
ACTIVE = Measure(
    name="active",
    label="active connections",
    digits=0,
    of=lambda row: connections(row) - (row.values["shut_off"] or 0),
)
JAIN = Measure(name="jain_index", label="Jain's index", digits=3)
CORRELATION = Measure(name="correlation", label="loss correlation", digits=3)
SHARE = Measure(
    name="share", label="share of connections that lose in an epoch", unit="%", digits=0, of=_percent("share")
)
LOW = Measure(name="low", label="buffer's 5th percentile", unit="%", digits=0, of=_of_buffer("low"))
MIDDLE = Measure(name="middle", label="buffer's median", unit="%", digits=0, of=_of_buffer("middle"))
HIGH = Measure(name="high", label="buffer's 95th percentile", unit="%", digits=0, of=_of_buffer("high"))
SWING = Measure(
    name="swing",
    label="distance of the buffer's 5th and 95th percentiles",
    unit="%",
    digits=0,
    of=lambda row: (_of_buffer("high")(row) or 0.0) - (_of_buffer("low")(row) or 0.0),
)
LEAST = Measure(name="least", label="packets of the connection that receives least", digits=0)
MOST = Measure(name="most", label="packets of the connection that receives most", digits=0)
STARVED = Measure(name="starved", label="connections below a tenth of their fair share", digits=0)
