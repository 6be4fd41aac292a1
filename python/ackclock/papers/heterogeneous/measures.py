"""Measures of runs with two kinds of client, and of pairs of runs in which the added clients run Vegas and Reno."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.experiment import DURATION
from ackclock.papers.core.evidence import Run
from ackclock.papers.core.quantities import Measure
from ackclock.papers.heterogeneous.experiment import CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.papers.core.evidence import Row

    Number = Callable[[Row], float | None]

KINDS = ("Vegas", "Reno")
"""Protocols of the added clients; the values of a pair begin with their names."""


def _sum(row: Row, name: str, classes: tuple[str, ...]) -> float | None:
    numbers = [row.values.get(f"{one}_{name}") for one in classes]
    return None if None in numbers else sum(number for number in numbers if number is not None)


def _thousands(name: str, *classes: str) -> Number:
    def number(row: Row) -> float | None:
        packets = _sum(row, name, classes)
        return None if packets is None else packets / 1e3

    return number


def goodput(name: str) -> Number:
    """Make the measure of the goodput of a class, in thousand packets."""
    return _thousands("goodput_packets", name)


def loss(*classes: str) -> Number:
    """Make the measure of the drops of some classes as a share of their arrivals."""

    def number(row: Row) -> float | None:
        drops, arrivals = (_sum(row, name, classes) for name in ("drops", "arrivals"))
        return drops / arrivals if drops is not None and arrivals else None

    return number


def _percent(fraction: Number) -> Number:
    def number(row: Row) -> float | None:
        share = fraction(row)
        return None if share is None else 100 * share

    return number


def _per_client(name: str) -> Number:
    """Make the goodput of one client, in packets a second of the time that it is there: the added ones come at 1 s."""
    axis, seconds = ("clients", DURATION - 1.0) if name == "added" else ("background", float(DURATION))

    def number(row: Row) -> float | None:
        packets = row.values.get(f"{name}_goodput_packets")
        return None if packets is None else packets / float(row.where[axis]) / seconds

    return number


def _queue_share(row: Row) -> float | None:
    """Give the mean number of waiting packets of one added client.

    In a first-in, first-out queue the share of a class in the queue is its share in the departures.
    """
    waiting, own = row.values.get("queue_mean"), row.values.get("added_departures")
    whole = _sum(row, "departures", CLASSES)
    return waiting * own / whole / float(row.where["clients"]) if waiting is not None and own and whole else None


CARRIED = Measure(
    name="thousand_departures", label="throughput of added clients", unit="thousand packets", digits=1,
    of=_thousands("departures", "added"),
)  # fmt: skip
GOODPUT = Measure(
    name="thousand_goodput", label="goodput of added clients", unit="thousand packets", digits=1,
    of=_thousands("goodput_packets", "added"),
)  # fmt: skip
EACH = Measure(
    name="goodput_per_client", label="goodput of an added client", unit="packets/s", digits=1, of=_per_client("added")
)
LOSS = Measure(name="loss_percent", label="loss of added clients", unit="%", of=_percent(loss("added")))
BACKGROUND_EACH = Measure(
    name="background_goodput_per_client", label="goodput of a client of the background", unit="packets/s",
    of=_per_client("background"),
)  # fmt: skip
BACKGROUND_LOSS = Measure(
    name="background_loss_percent", label="loss of the background", unit="%", of=_percent(loss("background"))
)
ALL_CARRIED = Measure(
    name="all_thousand_departures", label="throughput of all clients", unit="thousand packets", digits=1,
    of=_thousands("departures", *CLASSES),
)  # fmt: skip
ALL_LOSS = Measure(name="all_loss_percent", label="loss of all clients", unit="%", of=_percent(loss(*CLASSES)))
HELD = Measure(name="queue_share", label="waiting packets of an added client", of=_queue_share)
_COV = Measure(name="cov", label="c.o.v. of all arrivals", digits=4)
_QUEUE = Measure(name="queue_mean", label="waiting packets", unit="packets", digits=0)


def _one(row: Row, kind: str) -> Row:
    """Give the run of a pair whose added clients run a protocol."""
    values = {name.removeprefix(f"{kind}_"): value for name, value in row.values.items() if name.startswith(kind)}
    return Run(where={**row.where, "clients": row.where["added"]}, seed=row.seed, values=values)


def _of_each(measure: Measure) -> tuple[Measure, Measure]:
    """Make the measures of a pair's runs: with added Vegas clients, and with added Reno clients."""

    def of(kind: str) -> Measure:
        return Measure(
            name=f"{kind.lower()}_{measure.name}", label=f"{measure.label} where {kind} is added", unit=measure.unit,
            digits=measure.digits, of=lambda row: measure(_one(row, kind)),
        )  # fmt: skip

    vegas, reno = map(of, KINDS)
    return vegas, reno


VEGAS_CARRIED, RENO_CARRIED = _of_each(CARRIED)
VEGAS_GOODPUT, RENO_GOODPUT = _of_each(GOODPUT)
VEGAS_LOSS, RENO_LOSS = _of_each(LOSS)
VEGAS_ALL, RENO_ALL = _of_each(ALL_CARRIED)
VEGAS_ALL_LOSS, _ = _of_each(ALL_LOSS)
VEGAS_COV, RENO_COV = _of_each(_COV)
VEGAS_QUEUE, RENO_QUEUE = _of_each(_QUEUE)
VEGAS_HELD, RENO_HELD = _of_each(HELD)
VEGAS_EACH, _ = _of_each(EACH)
BESIDE_VEGAS, _ = _of_each(BACKGROUND_EACH)


def _combined(vegas: Measure, reno: Measure, combine: Callable[[float, float], float | None]) -> Number:
    def number(row: Row) -> float | None:
        one, other = vegas(row), reno(row)
        return None if one is None or other is None else combine(one, other)

    return number


RATIO = Measure(
    name="goodput_ratio", label="Vegas/Reno goodput ratio",
    of=_combined(VEGAS_GOODPUT, RENO_GOODPUT, lambda vegas, reno: vegas / reno if reno else None),
)  # fmt: skip
MORE_LOSS = Measure(
    name="more_loss", label="larger loss of the two", unit="%", of=_combined(VEGAS_LOSS, RENO_LOSS, max)
)
RELATIVE = Measure(
    name="relative", label="share of Reno's loss that Vegas saves", unit="%", digits=0,
    of=_combined(VEGAS_LOSS, RENO_LOSS, lambda vegas, reno: 100 * (1 - vegas / reno) if reno else None),
)  # fmt: skip
DIFFERENCE = Measure(
    name="difference", label="Reno's loss less Vegas'", unit="points",
    of=_combined(VEGAS_LOSS, RENO_LOSS, lambda vegas, reno: reno - vegas),
)  # fmt: skip
ALL_GAIN = Measure(
    name="all_gain", label="gain of all clients from added Vegas clients, relative to Reno", unit="%", digits=1,
    of=_combined(VEGAS_ALL, RENO_ALL, lambda vegas, reno: 100 * (vegas / reno - 1) if vegas and reno else None),
)  # fmt: skip


def _timed_out(row: Row) -> float | None:
    timeouts, cuts = row.values.get("timeouts") or 0, row.values.get("fast_retransmits") or 0
    return 100 * timeouts / (timeouts + cuts) if timeouts + cuts else None


def _relative_dependence(row: Row) -> float | None:
    index = row.values.get("dependence")
    return None if index is None else 100 * index / float(row.where["clients"])


WARM_COV = Measure(name="cov_warm", label="c.o.v. without the first 20 s", digits=4)
TIMED_OUT = Measure(name="timed_out", label="timeouts as a share of the cuts", unit="%", digits=0, of=_timed_out)
DEPENDENCE = Measure(
    name="dependence", label="dependence index as a share of the clients, which it is in the model", unit="%", digits=0,
    of=_relative_dependence,
)  # fmt: skip
SLOPE = Measure(name="slope", label="exponent of the c.o.v. in the length of the bins")
