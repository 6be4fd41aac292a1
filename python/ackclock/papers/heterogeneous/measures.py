"""Measures of runs with two kinds of client, and of pairs of runs in which the added clients run Vegas and Reno."""

from __future__ import annotations

from functools import partial

from ackclock.papers.burstiness.experiment import DURATION
from ackclock.papers.core.evidence import Row, Run
from ackclock.papers.core.folds import Number, of_values
from ackclock.papers.core.measures import Measure
from ackclock.papers.heterogeneous.experiment import CLASSES, DEFINITION

KINDS = ("Vegas", "Reno")  # protocols of the added clients; the values of a pair begin with their names


def _total(name: str, *classes: str) -> Number:
    return of_values(lambda *each: sum(each), *(f"{one}_{name}" for one in classes))


_thousands = partial(of_values, lambda packets: packets / 1e3)
_percent = partial(of_values, lambda fraction: 100 * fraction)


def goodput(name: str) -> Number:
    """Make the measure of the goodput of a class, in thousand packets."""
    return _thousands(f"{name}_goodput_packets")


def loss(*classes: str) -> Number:
    """Make the measure of the drops of some classes as a share of their arrivals."""
    totals = (_total(name, *classes) for name in ("drops", "arrivals"))
    return of_values(lambda drops, arrivals: drops / arrivals if arrivals else None, *totals)


def _per_client(name: str) -> Number:
    """Make the measure of one client's goodput in packets/s from its start on; added clients start at 1 s."""
    axis, seconds = ("clients", DURATION - 1.0) if name == "added" else ("background", float(DURATION))
    return of_values(lambda packets, clients: packets / clients / seconds, f"{name}_goodput_packets", axis)


def _queue_share(waiting: float, own: float, whole: float, clients: int) -> float | None:
    """Compute the mean number of an added client's packets in the queue.

    In a first-in, first-out queue, a kind of client has the same share of the queue as of the departures.
    """
    return waiting * own / whole / clients if own and whole else None


CARRIED = DEFINITION.measure("thousand_departures", of=_thousands("added_departures"))
GOODPUT = DEFINITION.measure("thousand_goodput", of=goodput("added"))
EACH = DEFINITION.measure("goodput_per_client", of=_per_client("added"))
LOSS = DEFINITION.measure("loss_percent", of=_percent(loss("added")))
BACKGROUND_EACH = DEFINITION.measure("background_goodput_per_client", of=_per_client("background"))
BACKGROUND_LOSS = DEFINITION.measure("background_loss_percent", of=_percent(loss("background")))
ALL_CARRIED = DEFINITION.measure("all_thousand_departures", of=_thousands(_total("departures", *CLASSES)))
ALL_LOSS = DEFINITION.measure("all_loss_percent", of=_percent(loss(*CLASSES)))
HELD = DEFINITION.measure(
    "queue_share",
    of=of_values(_queue_share, "queue_mean", "added_departures", _total("departures", *CLASSES), "clients"),
)
_COV = DEFINITION.measure("cov")
_QUEUE = DEFINITION.measure("queue_mean")


def _one(row: Row, kind: str) -> Row:
    """Return the run of a pair in which the added clients run the given protocol."""
    values = {name.removeprefix(f"{kind}_"): value for name, value in row.values.items() if name.startswith(kind)}
    return Run(where={**row.where, "clients": row.where["added"]}, seed=row.seed, values=values)


def _of_each(measure: Measure) -> tuple[Measure, Measure]:
    """Make one measure for each run of a pair: with added Vegas clients, and with added Reno clients."""

    def of(kind: str) -> Measure:
        return Measure(
            f"{kind.lower()}_{measure.name}",
            f"{measure.label} if {kind} is added",
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


RATIO = DEFINITION.measure(
    "goodput_ratio", of=of_values(lambda vegas, reno: vegas / reno if reno else None, VEGAS_GOODPUT, RENO_GOODPUT)
)
MORE_LOSS = DEFINITION.measure("more_loss", of=of_values(max, VEGAS_LOSS, RENO_LOSS))
RELATIVE = DEFINITION.measure(
    "relative", of=of_values(lambda vegas, reno: 100 * (1 - vegas / reno) if reno else None, VEGAS_LOSS, RENO_LOSS)
)
DIFFERENCE = DEFINITION.measure("difference", of=of_values(lambda vegas, reno: reno - vegas, VEGAS_LOSS, RENO_LOSS))
ALL_GAIN = DEFINITION.measure(
    "all_gain",
    of=of_values(lambda vegas, reno: 100 * (vegas / reno - 1) if vegas and reno else None, VEGAS_ALL, RENO_ALL),
)


def _timed_out(row: Row) -> float | None:
    timeouts, cuts = row.values.get("timeouts") or 0, row.values.get("fast_retransmits") or 0
    return 100 * timeouts / (timeouts + cuts) if timeouts + cuts else None


WARM_COV = DEFINITION.measure("cov_warm")
TIMED_OUT = DEFINITION.measure("timed_out", of=_timed_out)
DEPENDENCE = DEFINITION.measure(
    "dependence", of=of_values(lambda index, clients: 100 * index / clients, "dependence", "clients")
)
SLOPE = DEFINITION.measure("slope")
