"""Asks a twin what other queues at its bottleneck and other laws would have done, and answers in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ackclock.capture.twin.running import WITHIN, Measured, fits, measured, scenario_in, settled
from ackclock.capture.twin.twinning import Law, Twin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ackclock.analysis import Interval

QUEUES: Final[Mapping[str, Mapping[str, Any]]] = {"fq_codel": {"kind": "fq_codel"}, "pie": {"kind": "pie"}}
"""Queues that are tried at the bottleneck, with their defaults."""
LAWS: Final = ("cubic", "bbr", "reno")
"""Laws that are tried, each with the options of Linux."""
NAMES: Final = {"fq_codel": "FQ-CoDel", "pie": "PIE", "cubic": "CUBIC", "bbr": "BBR", "reno": "Reno"}


@dataclass(frozen=True, kw_only=True)
class Case:
    """The twin, or the twin with something changed, and what its runs gave."""

    key: str
    """``twin``, or the queue or law."""
    words: str
    """What was changed, for tables."""
    measured: Measured


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The runs of a twin."""

    twin: Twin
    cases: tuple[Case, ...]
    fits: bool

    @property
    def unloaded(self) -> float:
        """Round-trip time without queues in s."""
        return unloaded(self.twin)

    @property
    def verdict(self) -> str:
        """Whether the twin fits, as a sentence with numbers."""
        seen, own = self.twin.seen, self.cases[0].measured
        far = f"{100 * (own.goodput.mean / seen.goodput - 1):+.1f} %"
        goodput = f"goodput {with_interval(own.goodput, 1e-6)} Mb/s ({far})"
        if seen.place == "receiver":
            numbers, rule = f"{goodput} against {_rate(seen.goodput)}", "the goodput is"
        else:
            away = f"{100 * (own.trip.mean / seen.mean_trip - 1):+.1f} %"
            trip = f"mean RTT {with_interval(own.trip, 1e3)} ms ({away})"
            numbers = f"{goodput} against {_rate(seen.goodput)}, {trip} against {_ms(seen.mean_trip)}"
            rule = "both are"
        verdict = "fits" if self.fits else "does not fit"
        return f"The twin {verdict}: {numbers}. It fits if {rule} within {100 * WITHIN:.0f} % of the capture's."

    @property
    def answer(self) -> str:
        """What would have changed, as a sentence with numbers."""
        twin, *others = self.cases
        transfer = "download" if self.twin.seen.found.back else "upload"
        best = next(case for case in others if case.key == "fq_codel")
        lead = f"With FQ-CoDel at this bottleneck the same {transfer} waits {_ms(best.measured.wait.mean)} instead of "
        lead += f"{_ms(twin.measured.wait.mean)}, at {_rate(best.measured.goodput.mean)} instead of "
        lead += _rate(twin.measured.goodput.mean)
        laws = [
            f"with {NAMES[case.key]} as its congestion control {_ms(case.measured.wait.mean)}, at "
            f"{_rate(case.measured.goodput.mean)}"
            for case in others
            if case.key in LAWS
        ]
        return f"{'; '.join([lead, *laws])}."


def unloaded(twin: Twin) -> float:
    """Return the round-trip time of a full packet without queues, in s."""
    return twin.path.base + 8 * twin.seen.full / twin.path.rate.value


def answers(twin: Twin, folder: Path, *, watch: Callable[[int, str], None] | None = None) -> Answers:
    """Write the scenario to a folder, and run it as it is, with other queues, and with other laws."""
    twin.write(folder)
    twin = settled(twin, folder)
    twin.write(folder)
    tables = {"twin": ("as captured", twin.tables())}
    for key, queue in QUEUES.items():
        tables[key] = (f"{NAMES[key]} at the bottleneck", twin.tables(queue=queue))
    for key in LAWS:
        if key != twin.law.name:
            law = Law(name=key, stack="linux", why="")
            tables[key] = (f"{NAMES[key]} as the congestion control", twin.tables(law=law))
    cases = []
    for done, (key, (words, table)) in enumerate(tables.items()):
        if watch is not None:
            watch(done, words)
        scenario = scenario_in(folder, table)
        cases.append(Case(key=key, words=words, measured=measured(scenario, unloaded(twin))))
    return Answers(twin=twin, cases=tuple(cases), fits=fits(twin, cases[0].measured))


def runs(twin: Twin) -> int:
    """Return the number of cases that are run."""
    return 1 + len(QUEUES) + len([key for key in LAWS if key != twin.law.name])


def with_interval(value: Interval, scale: float) -> str:
    """Write a mean with the half width of its interval, unless that is below a thousandth."""
    mean = f"{scale * value.mean:.3g}"
    return mean if value.half_width < 1e-3 * value.mean else f"{mean} ± {scale * value.half_width:.2g}"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"


def _rate(value: float) -> str:
    return f"{value / 1e6:.3g} Mb/s"
