"""Every claim of the short paper with its rule; most have a rule of the two longer papers.

Keys begin with the paper's section, but the heterogeneous case of section 3 has the number 4, and section 4 has 5.
"""

from __future__ import annotations

from functools import partial

from ackclock.papers.burstiness.claims import CLAIMS as ALIKE
from ackclock.papers.burstiness.measures import THROUGHPUT
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.quantities import Quantity, computed
from ackclock.papers.core.rules import Bars
from ackclock.papers.heterogeneous.claims.newcomers import END, LARGE, SMALL, close
from ackclock.papers.heterogeneous.claims.sharing import CLAIMS as BESIDE
from ackclock.papers.heterogeneous.measures import ALL_GAIN, RATIO, SLOPE

DEFINITION = Definition("ackclock.papers.characterization")
claim = partial(DEFINITION.claim, __name__)

_slope = SLOPE.at("scales", variant="Reno", clients=(39, 44, 50, 60))


def _all(questions: list[Answers], words: str) -> Answers:
    first, *rest = questions
    for one in rest:
        first &= one
    return first.called(words)


def _gain(end: str) -> Quantity:
    """Compute the gain in throughput of 60 Vegas clients relative to 60 Reno clients, in per cent."""
    return computed(
        lambda vegas, reno: 100 * (vegas / reno - 1),
        *(THROUGHPUT.at("grid", variant=f"{kind}{end}", clients=60) for kind in ("Vegas", "Reno")),
        words=f"gain in throughput of 60 Vegas{end} clients relative to 60 Reno{end} clients",
        unit="%",
    )


_gains = [
    (_gain(end), ALL_GAIN.at("pairs", background=20, gateway=gateway, added=END[20]))
    for end, gateway in zip(("", "/RED"), SMALL, strict=True)
]
_better = _all(
    [gain.above(0) for pair in _gains for gain in pair],
    "behind FIFO and RED with a buffer of 50 packets, 60 clients together have more throughput with Vegas than with "
    "Reno, both if all run the same TCP and if 40 are added to 20 Reno clients",
)
_smaller = _all([alone.above(mixed) for alone, mixed in _gains], "the gain is smaller if 20 clients run Reno")
_ends = {gateway: RATIO.at("pairs", background=20, gateway=gateway, added=END[20]) for gateway in (*SMALL, *LARGE)}
_wins = {
    gateways: _all(
        [_ends[one].above(1) for one in gateways], f"Vegas gets more than Reno behind each gateway with {gateways.name}"
    )
    for gateways in (SMALL, LARGE)
}
_larger = _wins[SMALL] & _all(
    [_ends[small].above(_ends[large]) for small in SMALL for large in LARGE],
    "the advantage of Vegas is larger there than behind any gateway with a buffer of 1,500",
)

CLAIMS = DEFINITION.ordered(
    [
        *DEFINITION.repeated("burstiness", ALIKE),
        *DEFINITION.repeated("heterogeneous", BESIDE),
        claim(
            "0-1",
            Bars(whole=_slope.above(-0.4).every(), part=_slope.above(-0.5).most()),
            why="In bins of one round-trip time to 10 s, Reno's c.o.v. is fitted by a power of the length of the bins. "
            "The exponent is {slope}. In theory it is -0.5 for traffic without memory, and closer to 0 for "
            "self-similar traffic.",
            shows={"slope": _slope},
        ),
        claim("4-5", close(20, 0.1)),
        claim("5-5", Bars(whole=_better & _smaller, part=_better)),
        claim("5-6", Bars(whole=_larger & _wins[LARGE], part=_larger)),
    ]
)
