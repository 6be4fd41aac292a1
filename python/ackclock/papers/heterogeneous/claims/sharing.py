"""The claims of sections 3.2.1 to 3.2.3 and 5 on newcomers that compete with Reno, and the headline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.experiment import HEAVY
from ackclock.papers.burstiness.measures import LOSS, QUEUE, THROUGHPUT
from ackclock.papers.core.claim import Claim
from ackclock.papers.core.quantities import computed
from ackclock.papers.core.rules import AtPoints, Bars, Custom, Outcome
from ackclock.papers.heterogeneous.claims.reading import (
    EFFECT,
    END,
    EVERY_RED,
    FULL,
    LARGE,
    LARGE_RED,
    SMALL,
    SMALL_RED,
    WHEN,
    close,
    command,
    weighed,
)
from ackclock.papers.heterogeneous.evidence import LATE
from ackclock.papers.heterogeneous.experiment import SCENES
from ackclock.papers.heterogeneous.measures import (
    BESIDE_VEGAS,
    DIFFERENCE,
    MORE_LOSS,
    RATIO,
    RELATIVE,
    RENO_ALL,
    RENO_CARRIED,
    RENO_COV,
    RENO_HELD,
    RENO_LOSS,
    RENO_QUEUE,
    VEGAS_ALL,
    VEGAS_ALL_LOSS,
    VEGAS_CARRIED,
    VEGAS_COV,
    VEGAS_EACH,
    VEGAS_HELD,
    VEGAS_LOSS,
    VEGAS_QUEUE,
)
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.evidence import Named, Scalar, Side
    from ackclock.papers.core.quantities import Measure, Quantity
    from ackclock.papers.core.rules import Rule

_HALF_SMALL, _HALF_LARGE, _FULL_SMALL, _FULL_LARGE = SCENES
_FULL_LINK = "points of a full link"
_FIFO = {SMALL_RED: SMALL[0], LARGE_RED: LARGE[0]}

_AS_WELL = 0.98
"""Share of Reno's goodput from which on Vegas performs as well."""

_BETA = 3
"""Packets that Vegas means to keep in the gateway at most (Table 1)."""

_LEAST_LOSS = 0.005
"""Per cent; where less is lost, loss is not compared."""


def _full(measure: Measure, background: int, **where: Scalar | tuple[Scalar, ...]) -> Quantity:
    return measure.at("pairs", background=background, added=FULL[background], **where)


def _end(measure: Measure, part: str, background: int, **where: Scalar | tuple[Scalar, ...]) -> Quantity:
    return measure.at(part, background=background, added=END[background], **where)


def _gains(background: int, gateways: Named[str], reds: Named[str]) -> Rule:
    """Judge whether added Vegas clients get more than added Reno clients once the link is full."""
    usual = AtPoints(_full(RATIO, background, gateway=gateways).above(1), points=_FULL_LINK, by="gateway")
    return weighed(usual, _end(RATIO, "weighted", background, gateway=reds).above(1).every("gateway"))


def _loses_less(background: int, gateways: Named[str], reds: Named[str]) -> Rule:
    """Judge whether added Vegas clients lose a smaller share, behind the gateways where anybody loses packets."""
    most = _full(MORE_LOSS, background, gateway=gateways).over("added", lambda line: max(line.values()), "largest loss")
    reno = _full(RENO_LOSS, background, gateway=gateways)
    lossy = reno.given(most, lambda loss: loss >= _LEAST_LOSS, f"anybody loses {_LEAST_LOSS} % or more")
    usual = AtPoints(lossy.above(_full(VEGAS_LOSS, background, gateway=gateways)), points=_FULL_LINK, by="gateway")
    ends = (_end(measure, "weighted", background, gateway=reds) for measure in (RENO_LOSS, VEGAS_LOSS))
    reno_end, vegas_end = ends
    return weighed(usual, reno_end.above(vegas_end).every("gateway"))


def _minus(quantity: Quantity) -> Quantity:
    return computed(lambda value: -value, quantity, words=f"minus {quantity.words}")


def _smaller(one: Quantity, other: Quantity) -> Answers:
    """Ask whether one value is nearer to 0 than another, on either side."""
    return (one.above(_minus(other)) & one.below(other)) | (one.below(_minus(other)) & one.above(other))


def _more_pronounced(background: int) -> Rule:
    """Judge whether losses differ relatively more with the large buffer, and absolutely less.

    FIFO with the large buffer is left out: no packet is lost there.
    """
    pairs = [(large, small) for large in LARGE_RED for small in SMALL]
    at = {
        measure: {one: _end(measure, "pairs", background, gateway=one) for one in (*LARGE_RED, *SMALL)}
        for measure in (RELATIVE, DIFFERENCE)
    }
    more = [at[RELATIVE][large].above(at[RELATIVE][small]) for large, small in pairs]
    less = [_smaller(at[DIFFERENCE][large], at[DIFFERENCE][small]) for large, small in pairs]
    part, whole = more[0], less[0]
    for one, other in zip(more[1:], less[1:], strict=True):
        part, whole = part & one, whole & other
    relatively = part.called(
        f"with {END[background]} added clients the difference of the losses of Reno and Vegas, as a share of Reno's "
        "loss, is clearly larger behind RED1 and RED2 than behind either gateway of 50 packets"
    )
    return Bars(whole=(relatively & whole).called(f"{relatively.words}, and in points smaller"), part=relatively)


def _red_is_worse() -> Rule:
    """Judge whether added clients get less and lose more behind RED than behind FIFO, whatever their protocol."""

    def asked(fifo: Measure, reds: Named[str], *, more: bool) -> Answers:
        plain, red = (_full(fifo, 20, gateway=gateway) for gateway in (_FIFO[reds], reds))
        return plain.above(red) if more else red.above(plain)

    slower = [asked(one, reds, more=True) for reds in _FIFO for one in (RENO_CARRIED, VEGAS_CARRIED)]
    lossier = [asked(one, reds, more=False) for reds in _FIFO for one in (RENO_LOSS, VEGAS_LOSS)]
    reno, vegas = (
        _end(one, "pairs", 20, gateway=SMALL[0]).above(_end(one, "weighted", 20, gateway=SMALL[1]))
        for one in (RENO_CARRIED, VEGAS_CARRIED)
    )
    return weighed(AtPoints(*slower, *lossier, points=_FULL_LINK), reno & vegas)


def _smoother() -> Rule:
    """Judge whether all clients together are smoother and faster behind RED where Vegas is added."""
    red = SMALL[1]
    rough, smooth, slow, fast = (_full(one, 20, gateway=red) for one in (RENO_COV, VEGAS_COV, RENO_ALL, VEGAS_ALL))
    usual = AtPoints(rough.above(smooth), fast.above(slow), points=_FULL_LINK)
    rough, smooth, slow, fast = (
        _end(one, "weighted", 20, gateway=red) for one in (RENO_COV, VEGAS_COV, RENO_ALL, VEGAS_ALL)
    )
    return weighed(usual, rough.above(smooth) & fast.above(slow))


def _all_vegas_is_best() -> Rule:
    """Judge whether throughput is highest and loss lowest where all of 60 clients run Vegas, not 0, 20 or 40."""
    questions = []
    for gateway, end in zip(SMALL, ("", "/RED"), strict=True):
        for alone, mixed, better in ((THROUGHPUT, VEGAS_ALL, "highest"), (LOSS, VEGAS_ALL_LOSS, "lowest")):
            best, none = (alone.at("grid", variant=f"{kind}{end}", clients=60) for kind in ("Vegas", "Reno"))
            rest = [none, *(_end(mixed, "pairs", background, gateway=gateway) for background in END)]
            first, *others = [best.above(one) if better == "highest" else one.above(best) for one in rest]
            for other in others:
                first &= other
            what = "throughput" if better == "highest" else "loss"
            questions.append(first.called(f"{what} is {better} where all 60 clients run Vegas ({gateway})"))
    return AtPoints(*questions)


def _reno_fills_the_buffer() -> Rule:
    alone = [QUEUE.at("queues", variant=kind, clients=HEAVY) for kind in ("Reno", "Vegas")]
    mixed = [[_full(one, background) for one in (RENO_QUEUE, VEGAS_QUEUE)] for background in END]
    return AtPoints(*(reno.above(vegas) for reno, vegas in (alone, *mixed)), points=_FULL_LINK)


def _as_well(part: str, **where: Scalar | tuple[Scalar, ...]) -> AtPoints:
    ratio, vegas, reno = (one.at(part, **where) for one in (RATIO, VEGAS_LOSS, RENO_LOSS))
    return AtPoints(ratio.at_least(_AS_WELL) & ~vegas.above(reno, times=1 / _AS_WELL), by="gateway")


def _headline(side: Side) -> Outcome:
    usual, least = _as_well("pairs").judge(side), _as_well("least").judge(side)
    early, late = (_both_starts(part).judge(side) for part in ("pairs", "late"))
    turned = {early.verdict, late.verdict} == {Verdict.NOT, Verdict.REPRODUCED}
    return Outcome(
        verdict=Verdict.DEPENDS if turned else usual.verdict,
        setting=WHEN if turned else "",
        why=f"{usual.why} At the points that were run with both starts, with a start at 1 s: {early.why} At 10 s: "
        f"{late.why} With the least sample as Vegas' base RTT, at the ends of the curves: {least.why}",
    )


def _both_starts(part: str) -> AtPoints:
    """Ask at the points that were run with both starts."""
    questions = []
    for background, added in LATE.items():
        ratio, vegas, reno = (
            one.at(part, background=background, added=added) for one in (RATIO, VEGAS_LOSS, RENO_LOSS)
        )
        asked = ratio.at_least(_AS_WELL) & ~vegas.above(reno, times=1 / _AS_WELL)
        questions.append(asked.called(f"it does as well with {background} Reno clients in the background"))
    return AtPoints(*questions)


_ratios = {background: _end(RATIO, "pairs", background, gateway=SMALL) for background in END}
_mo = "contrary to what Mo et al. found"

HEADLINE = (
    Claim(
        key="1-1",
        where="abstract, 1, 5; Figures 5 to 12",
        text="Vegas performs as well as, if not better than, Reno in the presence of existing Reno connections, "
        f"{_mo}.",
        test=Custom(
            _headline,
            f"{_as_well('pairs').words} Asked again where the newcomers start at 10 s: if it is reproduced with one "
            "start and not with the other, it depends on that.",
            RATIO.at("pairs", background=20, added=END[20]),
            RATIO.at("pairs", background=40, added=END[40]),
        ),
        command=command(_FULL_LARGE, "Vegas", 20),
    ),
)

HALF = (
    Claim(
        key="3.2.1-1",
        where="3.2.1; Figure 5",
        text="In competition with 20 Reno clients and with a buffer of 50, added Vegas clients outperform added Reno "
        "clients in throughput.",
        test=_gains(20, SMALL, SMALL_RED),
        command=command(_HALF_SMALL, "Vegas", 40),
    ),
    Claim(
        key="3.2.1-2",
        where="3.2.1; Figure 6",
        text="In competition with 20 Reno clients and with a buffer of 50, added Vegas clients lose less than added "
        "Reno clients.",
        test=_loses_less(20, SMALL, SMALL_RED),
        command=command(_HALF_SMALL, "Vegas/RED", 40),
    ),
    Claim(
        key="3.2.1-3",
        where="3.2.1",
        text="Vegas connections are favoured when the gateway's buffer is small, as Mo et al. found too.",
        test=AtPoints(
            _full(VEGAS_EACH, 20, gateway=SMALL).above(_full(BESIDE_VEGAS, 20, gateway=SMALL)), points=_FULL_LINK
        ),
        command=command(_HALF_SMALL, "Vegas", 40),
    ),
    Claim(
        key="3.2.1-4",
        where="3.2.1; Figure 7",
        text="With a buffer of 1500 the throughputs of Vegas and Reno are nearly identical.",
        test=close(20, 0.05),
        command=command(_HALF_LARGE, "Vegas", 40),
    ),
    Claim(
        key="3.2.1-5",
        where="3.2.1; Figures 6, 8",
        text="With a buffer of 1500 the relative differences in packet loss are more pronounced, though the absolute "
        "ones are smaller.",
        test=_more_pronounced(20),
        command=command(_HALF_LARGE, "Vegas/RED2", 40),
    ),
    Claim(
        key="3.2.1-6",
        where="3.2.1; Figure 7",
        text="Lower thresholds of RED favour Vegas.",
        test=weighed(
            AtPoints(
                _full(RATIO, 20, gateway=LARGE[2]).above(_full(RATIO, 20, gateway=LARGE[1]), by=EFFECT),
                points=_FULL_LINK,
            ),
            _end(RATIO, "weighted", 20, gateway=LARGE[2]).above(
                _end(RATIO, "weighted", 20, gateway=LARGE[1]), by=EFFECT
            ),
        ),
        command=command(_HALF_LARGE, "Vegas/RED2", 40),
    ),
    Claim(
        key="3.2.1-7",
        where="3.2.1; Figure 8",
        text="With a buffer of 1500 the Vegas variants produce lower packet loss than their Reno counterparts.",
        test=_loses_less(20, LARGE, LARGE_RED),
        command=command(_HALF_LARGE, "Vegas/RED1", 40),
    ),
)

RED_BESIDE = (
    Claim(
        key="3.2.1-12",
        where="3.2.1",
        text="Vegas, even in the presence of 20 Reno connections, requires a minimal amount of buffer space.",
        test=AtPoints(_end(VEGAS_HELD, "pairs", 20, gateway=EVERY_RED).at_most(_BETA), points="RED gateways"),
        shows={"reno": _end(RENO_HELD, "pairs", 20, gateway=EVERY_RED)},
        command=command(_HALF_LARGE, "Vegas/RED1", 40),
    ),
    Claim(
        key="3.2.1-13",
        where="3.2.1",
        text="There it produces smoother traffic than Reno behind a RED gateway, and so performs better.",
        test=_smoother(),
        command=command(_HALF_SMALL, "Vegas/RED", 40),
    ),
    Claim(
        key="3.2.1-14",
        where="3.2.1; Figures 5 to 8",
        text="TCP implementations with RED perform worse than their plain counterparts in throughput and packet loss.",
        test=_red_is_worse(),
        command=command(_HALF_SMALL, "Reno/RED", 40),
    ),
)

FULL_LINK = (
    Claim(
        key="3.2.2-1",
        where="3.2.2; Figure 9",
        text="In competition with 40 Reno clients and with a buffer of 50, Vegas still performs admirably: it gets "
        "more than Reno.",
        test=_gains(40, SMALL, SMALL_RED),
        command=command(_FULL_SMALL, "Vegas", 20),
    ),
    Claim(
        key="3.2.2-2",
        where="3.2.2; Figure 10",
        text="In competition with 40 Reno clients and with a buffer of 50, Vegas loses less than Reno too.",
        test=_loses_less(40, SMALL, SMALL_RED),
        command=command(_FULL_SMALL, "Vegas/RED", 20),
    ),
    Claim(
        key="3.2.2-3",
        where="3.2.2; Figures 5, 9",
        text="As the number of Reno nodes increases, the advantage of Vegas over Reno diminishes.",
        test=AtPoints(_ratios[20].above(_ratios[40]), points="gateways"),
        command=command(_FULL_SMALL, "Vegas", 20),
    ),
    Claim(
        key="3.2.2-4",
        where="3.2.2; Figures 3, 4, 5, 9",
        text="Vegas performs best where all nodes run it.",
        test=_all_vegas_is_best(),
        command=command(_HALF_SMALL, "Vegas", 40),
    ),
    Claim(
        key="3.2.2-5",
        where="3.2.2; Figure 11",
        text=f"In competition with 40 Reno clients and with a buffer of 1500, Vegas performs better than Reno, {_mo}.",
        test=_gains(40, LARGE, LARGE_RED),
        command=command(_FULL_LARGE, "Vegas", 20),
    ),
    Claim(
        key="3.2.2-6",
        where="3.2.2; Figure 11",
        text="In competition with 40 Reno clients and with a buffer of 1500, the throughputs of Vegas and Reno are "
        "relatively close.",
        test=close(40, 0.1),
        command=command(_FULL_LARGE, "Vegas", 20, "clients.1.start=10 s"),
    ),
    Claim(
        key="3.2.2-7",
        where="3.2.2; Figures 10, 12",
        text="In competition with 40 Reno clients the relative differences in packet loss are more pronounced with a "
        "buffer of 1500, though the absolute ones are smaller.",
        test=_more_pronounced(40),
        command=command(_FULL_LARGE, "Vegas/RED2", 20),
    ),
    Claim(
        key="3.2.2-8",
        where="3.2.2; Figure 12",
        text="In competition with 40 Reno clients and with a buffer of 1500, Vegas variants lose less than their Reno "
        "counterparts.",
        test=_loses_less(40, LARGE, LARGE_RED),
        command=command(_FULL_LARGE, "Vegas/RED1", 20),
    ),
)

DISCUSSION = (
    Claim(
        key="3.2.3-1",
        where="3.2.3",
        text="Vegas tries to keep a smaller queue; Reno keeps many more packets in the buffer on average.",
        test=_reno_fills_the_buffer(),
        command=command(_FULL_LARGE, "Reno", 20),
    ),
    Claim(
        key="3.2.3-2",
        where="3.2.3",
        text="Connections that always have data to send, as Mo et al. have them, benefit Reno's greedy algorithm.",
        test=AtPoints(
            RATIO.at("pairs")
            .above(RATIO.at("greedy"), by=EFFECT)
            .called(
                "with greedy sources the Vegas/Reno goodput ratio of 60 clients is clearly lower than with Poisson"
            ),
            points="gateways and backgrounds",
            by="background",
        ),
        numbers=(
            *(_end(RATIO, "pairs", background) for background in END),
            RATIO.at("greedy").called("the same with greedy sources"),
        ),
        command=command(
            _FULL_SMALL, "Vegas", 20, 'clients.0.source={kind="greedy"}', 'clients.1.source={kind="greedy"}'
        ),
    ),
)
