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

KINDS = ("Vegas", "Reno")  # protocols of the added clients; the values of a pair begin with their names


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
    "thousand_departures",
    "throughput of added clients",
    "thousand packets",
    digits=1,
    of=_thousands("departures", "added"),
)
GOODPUT = Measure(
    "thousand_goodput",
    "goodput of added clients",
    "thousand packets",
    digits=1,
    of=_thousands("goodput_packets", "added"),
)
EACH = Measure("goodput_per_client", "goodput of an added client", "packets/s", digits=1, of=_per_client("added"))
LOSS = Measure("loss_percent", "loss of added clients", "%", of=_percent(loss("added")))
BACKGROUND_EACH = Measure(
    "background_goodput_per_client", "goodput of a client of the background", "packets/s", of=_per_client("background")
)
BACKGROUND_LOSS = Measure("background_loss_percent", "loss of the background", "%", of=_percent(loss("background")))
ALL_CARRIED = Measure(
    "all_thousand_departures",
    "throughput of all clients",
    "thousand packets",
    digits=1,
    of=_thousands("departures", *CLASSES),
)
ALL_LOSS = Measure("all_loss_percent", "loss of all clients", "%", of=_percent(loss(*CLASSES)))
HELD = Measure("queue_share", "waiting packets of an added client", of=_queue_share)
_COV = Measure("cov", "c.o.v. of all arrivals", digits=4)
_QUEUE = Measure("queue_mean", "waiting packets", "packets", digits=0)


def _one(row: Row, kind: str) -> Row:
    """Give the run of a pair whose added clients run a protocol."""
    values = {name.removeprefix(f"{kind}_"): value for name, value in row.values.items() if name.startswith(kind)}
    return Run(where={**row.where, "clients": row.where["added"]}, seed=row.seed, values=values)


def _of_each(measure: Measure) -> tuple[Measure, Measure]:
    """Make the measures of a pair's runs: with added Vegas clients, and with added Reno clients."""

    def of(kind: str) -> Measure:
        return Measure(
            f"{kind.lower()}_{measure.name}",
            f"{measure.label} where {kind} is added",
            measure.unit,
            digits=measure.digits,
            of=lambda row: measure(_one(row, kind)),
        )

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
    "goodput_ratio",
    "Vegas/Reno goodput ratio",
    of=_combined(VEGAS_GOODPUT, RENO_GOODPUT, lambda vegas, reno: vegas / reno if reno else None),
)
MORE_LOSS = Measure("more_loss", "larger loss of the two", "%", of=_combined(VEGAS_LOSS, RENO_LOSS, max))
RELATIVE = Measure(
    "relative",
    "share of Reno's loss that Vegas saves",
    "%",
    digits=0,
    of=_combined(VEGAS_LOSS, RENO_LOSS, lambda vegas, reno: 100 * (1 - vegas / reno) if reno else None),
)
DIFFERENCE = Measure(
    "difference",
    "Reno's loss less Vegas'",
    "points",
    of=_combined(VEGAS_LOSS, RENO_LOSS, lambda vegas, reno: reno - vegas),
)
ALL_GAIN = Measure(
    "all_gain",
    "gain of all clients from added Vegas clients, relative to Reno",
    "%",
    digits=1,
    of=_combined(VEGAS_ALL, RENO_ALL, lambda vegas, reno: 100 * (vegas / reno - 1) if vegas and reno else None),
)


def _timed_out(row: Row) -> float | None:
    timeouts, cuts = row.values.get("timeouts") or 0, row.values.get("fast_retransmits") or 0
    return 100 * timeouts / (timeouts + cuts) if timeouts + cuts else None


def _relative_dependence(row: Row) -> float | None:
    index = row.values.get("dependence")
    return None if index is None else 100 * index / float(row.where["clients"])


WARM_COV = Measure("cov_warm", "c.o.v. without the first 20 s", digits=4)
TIMED_OUT = Measure("timed_out", "timeouts as a share of the cuts", "%", digits=0, of=_timed_out)
DEPENDENCE = Measure(
    "dependence",
    "dependence index as a share of the clients, which it is in the model",
    "%",
    digits=0,
    of=_relative_dependence,
)
SLOPE = Measure("slope", "exponent of the c.o.v. in the length of the bins")
