"""The claims of the abstract and sections 2.2, 3.1, 3.2 and 4, on the burstiness of TCP's traffic and its cost."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ackclock.papers.burstiness import measures as m
from ackclock.papers.burstiness.claims.reading import LIGHT, MODERATE, MOST, RENOS, SURE, TCPS, WEIGHT, WEIGHTS
from ackclock.papers.burstiness.experiment import CLIENTS, DEFINITION, DURATION, HEAVY, PAPERS_CLIENTS
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.evidence import Named, Scalar
from ackclock.papers.core.folds import exponent
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity, computed, folded
from ackclock.papers.core.rules import AtMostPartly, AtPoints, Bars, Depends, Fixed, Holds

claim = partial(DEFINITION.claim, __name__)
_SIX_POINTS = "with six points even a rank correlation of 0.6 is not significant (p = 0.14, two-sided)"


def rank_correlation(one: Measure, other: Measure) -> Quantity:
    """Compute Kendall's rank correlation of two measures over the TCP variants at the highest load."""

    def of_one_seed(first: Mapping[Scalar, float], second: Mapping[Scalar, float]) -> float:
        from scipy.stats import kendalltau  # noqa: PLC0415 - slow to load

        return float(kendalltau(list(first.values()), list(second.values())).statistic)

    return folded(
        of_one_seed,
        "variant",
        *(measure.at("grid", variant=TCPS, clients=MOST) for measure in (one, other)),
        words=f"rank correlation between {one.label} and {other.label} ({MOST} clients)",
        unit="",
        digits=2,
    )


def six_points(question: Answers) -> AtMostPartly:
    """Judge by rank correlations over the six TCP variants, which can support a claim only partly."""
    return AtMostPartly(question, because=_SIX_POINTS)


def slope(variant: str, counts: tuple[int, ...]) -> Quantity:
    """Fit the exponent with which a variant's c.o.v. changes with the number of clients."""
    words = f"exponent k of {variant}'s c.o.v. ~ n^k from {counts[0]} to {counts[-1]} clients"
    return m.COV.at("grid", variant=variant, clients=counts).over("clients", exponent, words, unit="", digits=3)


_rough = m.COV_OVER_POISSON.at("grid", variant=TCPS, clients=HEAVY)
_carried, _lost = (rank_correlation(m.COV_OVER_POISSON, measure) for measure in (m.THROUGHPUT, m.LOSS))


def _tied(measure: Measure) -> Answers:
    """Ask whether a measure of Reno or Vegas changes by more than 1 % without processing time."""
    tied, free = (measure.at(part, variant=("Reno", "Vegas"), clients=(44, 60)) for part in ("ties", "grid"))
    tied = tied.called(f"{measure.label} without processing time (Reno and Vegas)")
    return ~tied.within(0.01, of=free)


_of_weights = m.COV_OVER_POISSON.at("weights", variant="Reno/RED", clients=MOST)
_spread = _of_weights.over(
    "weight", lambda line: max(line.values()) / min(line.values()), "ratio of the largest c.o.v. to the smallest"
)

_slope = slope("UDP", PAPERS_CLIENTS)
_none = m.LOSS.at("grid", variant=TCPS, clients=LIGHT).at_most(0).every()
_none = _none.called("no TCP loses a packet with fewer than 10 clients")
_little = m.LOSS.at("grid", variant=TCPS, clients=SURE).at_most(1).every()
_little = _little.called("no TCP loses more than 1 % with 10 to 36 clients")
_overload = m.LOSS.at("grid", variant="UDP", clients=HEAVY).above(0.1).every()
_overload = _overload.called("UDP, which sends all generated packets, loses more than 0.1 % with 39 clients or more")
_of_sure, _of_moderate = (m.COV_OVER_POISSON.at("grid", variant=TCPS, clients=counts) for counts in (SURE, MODERATE))
_noticed = _of_sure.above(1.1).some()
_stays = m.WARM_COV_OVER_POISSON.at("grid", variant=TCPS, clients=SURE).above(1.1).some()
_share = computed(
    lambda own, udp: 100 * own / udp,
    m.THROUGHPUT.at("grid", variant=TCPS, clients=MODERATE),
    m.THROUGHPUT.at("grid", variant="UDP", clients=MODERATE),
    words="throughput as a percentage of UDP's throughput",
    unit="%",
)
_few = Named("fewer than 30 clients", [clients for clients in PAPERS_CLIENTS if clients < 30])
_throughput_gap = m.THROUGHPUT.at("grid", variant=TCPS, clients=_few).over(
    "variant",
    lambda line: 100 * (max(line.values()) / min(line.values()) - 1),
    "difference between the largest and the smallest throughput of the TCP variants",
    unit="%",
    digits=2,
)
_loss_gap = m.LOSS.at("grid", variant=TCPS, clients=_few).over(
    "variant",
    lambda line: max(line.values()) - min(line.values()),
    "difference between the largest and the smallest loss of the TCP variants",
    unit="points",
    digits=3,
)

_BEFORE, _AFTER = 36, 44
_growth = (m.COV.at("grid", variant=TCPS, clients=_AFTER) / m.COV.at("grid", variant=TCPS, clients=_BEFORE)).called(
    f"ratio of the c.o.v. with {_AFTER} clients to the c.o.v. with {_BEFORE}", digits=2
)
_excess = {name: m.EXCESS.at("grid", variant=name, clients=HEAVY) for name in ("Reno", "Reno/RED")}
_harmed = ("Reno", "Reno/RED")
_heavy_loss = m.LOSS.at("grid", variant=_harmed, clients=HEAVY)
_vegas, _reno = (
    {measure: measure.at("grid", variant=name, clients=HEAVY) for measure in (m.THROUGHPUT, m.LOSS)}
    for name in ("Vegas", "Reno")
)
_falls, _last_fall = (measure.at("windows", variant="Reno", clients=MOST) for measure in (m.CUTS, m.LAST_FALL))
_often, _long = _falls.at_least(0.5), _last_fall.at_least(DURATION - 10)
_renos_slope = slope("Reno", tuple(clients for clients in CLIENTS if clients >= HEAVY[0]))


def _up_to_half(of: Quantity) -> Answers:
    return of.at_least(1.25).some() & of.at_most(1.75).every()


def _rises(variants: str | Named[str]) -> Answers:
    """Ask whether the c.o.v. rises by a quarter or more, while the Poisson value falls by a tenth."""
    before, after = (m.COV.at("grid", variant=variants, clients=clients) for clients in (_BEFORE, _AFTER))
    whose = variants.name if isinstance(variants, Named) else variants
    return (~after.below(before, times=1 / 1.25)).called(
        f"the c.o.v. of {whose} rises by a quarter or more from {_BEFORE} to {_AFTER} clients",
        f"the c.o.v. of {whose} rises by less than a quarter",
    )


def penalty(variant: str | tuple[str, ...], reference: str) -> Quantity:
    """Compute by how many per cent throughput is below another variant's under heavy load, seed by seed."""
    return computed(
        lambda own, best: 100 * (1 - own / best),
        m.THROUGHPUT.at("grid", variant=variant, clients=HEAVY),
        m.THROUGHPUT.at("grid", variant=reference, clients=HEAVY),
        words=f"throughput deficit relative to {reference}",
        unit="%",
    )


CLAIMS = (
    claim("0-1", AtPoints(_rough.above(1).called("with 39 to 60 clients the c.o.v. is above Poisson's"))),
    claim("2.2-1", six_points(_carried.at_most(-0.5) | _lost.at_least(0.5))),
    claim(
        "3.1-1",
        Fixed(
            {
                "the order of simultaneous events": (_tied(m.COV) | _tied(m.THROUGHPUT) | _tied(m.JAIN)).called(
                    "without processing time, c.o.v., throughput or Jain's index of Reno or Vegas with 44 or 60 "
                    "clients changes by more than 1 %"
                ),
                WEIGHT: _spread.above(1.25).called(
                    f"the c.o.v. of Reno/RED with {MOST} clients is over 25 % higher at one weight than at another"
                ),
            }
        ),
        numbers=(
            *(measure.at("grid", variant="Reno", clients=MOST) for measure in (m.COV, m.JAIN)),
            *(
                measure.at("ties", variant="Reno", clients=MOST).called(f"{measure.label} without processing time")
                for measure in (m.COV, m.JAIN)
            ),
            _of_weights,
        ),
    ),
    claim("3.2-1", Bars(whole=_slope.near(-0.5, by=0.02), part=_slope.below(0))),
    claim(
        "3.2-2",
        AtPoints(
            m.COV_OVER_POISSON.at("grid", variant="UDP", clients=PAPERS_CLIENTS)
            .near(1, by=0.05)
            .called("the c.o.v. of UDP is within 5 % of Poisson's"),
            points="client counts",
        ),
    ),
    claim("3.2-3", Bars(whole=_none & _little & _overload, part=_none | _little | _overload)),
    claim(
        "3.2-4",
        AtPoints(
            m.COV_OVER_POISSON.at("grid", variant=TCPS, clients=LIGHT)
            .near(1, by=0.1)
            .called("with fewer than 10 clients the c.o.v. is within 10 % of Poisson's")
        ),
        shows={"warm": m.WARM_COV_OVER_POISSON.at("grid", variant=TCPS, clients=LIGHT)},
    ),
    claim("3.2-5", Bars(whole=_up_to_half(_of_moderate), part=_up_to_half(_of_sure))),
    claim(
        "3.2-6",
        Depends(
            Holds(_noticed & _stays),
            on="whether the start-up is included",
            again=_noticed.called(
                "if the first 20 s are included, the c.o.v. of at least one TCP at one client count exceeds 1.1 times "
                "the Poisson value"
            ),
            words="If only whole runs have a c.o.v. above 1.1, the claim depends on whether the start-up is included.",
        ),
    ),
    claim(
        "3.2-7",
        AtPoints(
            (_share.at_least(99) & m.LOSS.at("grid", variant=TCPS, clients=MODERATE).at_most(0.5)).called(
                "a TCP with 10 to 38 clients has at least 99 % of UDP's throughput and a loss of at most 0.5 %"
            )
        ),
    ),
    claim(
        "3.2-8",
        AtPoints(
            (_throughput_gap.at_most(1) & _loss_gap.at_most(0.1)).called(
                "the throughputs of all TCPs differ by at most 1 %, and their losses by at most 0.1 percentage points"
            ),
            points="client counts below 30",
        ),
    ),
    claim(
        "3.2-9",
        Bars(whole=_rises(RENOS).every() & ~_rises("Vegas"), part=_rises(TCPS).some() & ~_rises("Vegas")),
        shows={"growth": _growth},
        numbers=(_growth,),
    ),
    claim(
        "3.2-10",
        AtPoints(
            _excess["Reno"]
            .above(140)
            .called("with 39 to 60 clients Reno's c.o.v. is over 140 % larger than Poisson's"),
            points="client counts",
        ),
    ),
    claim(
        "3.2-11",
        Depends(
            AtPoints(
                _excess["Reno/RED"]
                .above(200)
                .called("with 39 to 60 clients the c.o.v. of Reno/RED is over 200 % larger than Poisson's"),
                points="client counts",
            ),
            on=WEIGHT,
            again=m.EXCESS.at("weights", variant="Reno/RED", clients=MOST).above(200),
            named=WEIGHTS,
        ),
    ),
    claim(
        "3.2-12",
        AtPoints(
            (
                penalty(_harmed, "UDP").at_least(1)
                & _heavy_loss.above(m.LOSS.at("grid", variant=_harmed, clients=_BEFORE))
            ).called("with 39 to 60 clients throughput is 1 % or more below UDP's, and loss is above its value with 36")
        ),
    ),
)

CONCLUSIONS = (
    claim(
        "4-1",
        Bars(whole=_often & _long, part=_often | _long),
        shows={"reno": _falls, "last": _last_fall, "vegas": m.CUTS.at("windows", variant="Vegas", clients=MOST)},
    ),
    claim(
        "4-2",
        Bars(whole=_renos_slope.above(-0.25), part=_renos_slope.above(-0.5)),
        shows={"ends": m.COV.at("grid", variant="Reno", clients=(39, 60, 100))},
    ),
    claim(
        "4-3",
        AtPoints(
            (_vegas[m.THROUGHPUT].above(_reno[m.THROUGHPUT]) & _vegas[m.LOSS].below(_reno[m.LOSS])).called(
                "with 39 to 60 clients Vegas has a higher throughput and a lower loss than Reno"
            ),
            points="client counts",
        ),
    ),
)
