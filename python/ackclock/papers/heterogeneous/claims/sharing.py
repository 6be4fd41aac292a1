"""The claims of sections 3.2.1 to 3.2.3 and 5 on newcomers that compete with Reno, and the headline."""

from __future__ import annotations

from functools import partial

from ackclock.papers.core.rules import AtPoints, Custom
from ackclock.papers.heterogeneous import measures as m
from ackclock.papers.heterogeneous.claims import newcomers as n
from ackclock.papers.heterogeneous.experiment import DEFINITION

claim = partial(DEFINITION.claim, __name__)
_ratios = {background: n.at_end(m.RATIO, "pairs", background, gateway=n.SMALL) for background in n.END}

CLAIMS = (
    claim(
        "1-1",
        Custom(
            n.headline,
            f"{n.as_well('pairs').words} The test is repeated with newcomers that start at 10 s: if the claim is "
            "reproduced with one start and not reproduced with the other, it depends on the start.",
            m.RATIO.at("pairs", background=20, added=n.END[20]),
            m.RATIO.at("pairs", background=40, added=n.END[40]),
        ),
    ),
    claim("3.2.1-1", n.gains(20, n.SMALL, n.SMALL_RED)),
    claim("3.2.1-2", n.loses_less(20, n.SMALL, n.SMALL_RED)),
    claim(
        "3.2.1-3",
        AtPoints(
            n.at_full(m.VEGAS_EACH, 20, gateway=n.SMALL)
            .above(n.at_full(m.BESIDE_VEGAS, 20, gateway=n.SMALL))
            .called("with a buffer of 50, an added Vegas client gets more than a Reno client in the background"),
            points=n.FULL_POINTS,
        ),
    ),
    claim("3.2.1-4", n.close(20, 0.05)),
    claim(
        "3.2.1-5",
        n.more_pronounced(20),
        numbers=n.differences(20),
        shows=dict(zip(("saved", "points"), n.differences(20), strict=True)),
    ),
    claim(
        "3.2.1-6",
        n.weighed(
            AtPoints(
                n.at_full(m.RATIO, 20, gateway=n.LARGE[2])
                .above(n.at_full(m.RATIO, 20, gateway=n.LARGE[1]), by=n.EFFECT)
                .called(f"the Vegas/Reno goodput ratio is more than {n.EFFECT} higher with RED2 than with RED1"),
                points=n.FULL_POINTS,
            ),
            n.at_end(m.RATIO, "weighted", 20, gateway=n.LARGE[2])
            .above(n.at_end(m.RATIO, "weighted", 20, gateway=n.LARGE[1]), by=n.EFFECT)
            .called(f"the ratio is more than {n.EFFECT} higher with RED2 than with RED1"),
        ),
    ),
    claim("3.2.1-7", n.loses_less(20, n.LARGE, n.LARGE_RED)),
    claim(
        "3.2.1-12",
        AtPoints(n.at_end(m.VEGAS_HELD, "pairs", 20, gateway=n.EVERY_RED).at_most(n.BETA), points="RED gateways"),
        shows={"reno": n.at_end(m.RENO_HELD, "pairs", 20, gateway=n.EVERY_RED)},
    ),
    claim("3.2.1-13", n.smoother()),
    claim("3.2.1-14", n.red_is_worse()),
    claim("3.2.2-1", n.gains(40, n.SMALL, n.SMALL_RED)),
    claim("3.2.2-2", n.loses_less(40, n.SMALL, n.SMALL_RED)),
    claim(
        "3.2.2-3",
        AtPoints(
            _ratios[20]
            .above(_ratios[40])
            .called("the Vegas/Reno goodput ratio of 60 clients is higher with a background of 20 than of 40"),
            points="gateways with a buffer of 50",
        ),
    ),
    claim("3.2.2-4", n.all_vegas_is_best()),
    claim("3.2.2-5", n.gains(40, n.LARGE, n.LARGE_RED)),
    claim("3.2.2-6", n.close(40, 0.1)),
    claim(
        "3.2.2-7",
        n.more_pronounced(40),
        numbers=n.differences(40),
        shows=dict(zip(("saved", "points"), n.differences(40), strict=True)),
    ),
    claim("3.2.2-8", n.loses_less(40, n.LARGE, n.LARGE_RED)),
    claim("3.2.3-1", n.reno_fills_the_buffer()),
    claim(
        "3.2.3-2",
        AtPoints(
            m.RATIO.at("pairs")
            .above(m.RATIO.at("greedy"), by=n.EFFECT)
            .called(f"greedy sources lower the Vegas/Reno goodput ratio of 60 clients by more than {n.EFFECT}"),
            points="gateways and backgrounds",
        ),
        numbers=(
            *(n.at_end(m.RATIO, "pairs", background) for background in n.END),
            m.RATIO.at("greedy").called("Vegas/Reno goodput ratio with greedy sources"),
        ),
    ),
)
