"""The rules of claims on newcomers that compete with Reno."""

from __future__ import annotations

from ackclock.papers.burstiness.experiment import HEAVY
from ackclock.papers.burstiness.measures import LOSS, QUEUE, THROUGHPUT
from ackclock.papers.core.answers import Answers
from ackclock.papers.core.evidence import Named, Scalar, Side
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.quantities import Quantity, computed
from ackclock.papers.core.rules import AtPoints, Bars, Depends, Outcome, Rule
from ackclock.papers.heterogeneous import measures as m
from ackclock.papers.heterogeneous.experiment import GATEWAYS, LATE, MOST, NEWCOMERS, SATURATED, START, gateway_name
from ackclock.report.html import Verdict

EFFECT = 0.02  # the smallest difference between two goodput ratios that counts

WEIGHT = "RED's averaging weight"
WHEN = "when the newcomers start"

SMALL, LARGE = (
    Named(f"a buffer of {buffer:,}", [gateway_name(buffer, gateway) for gateway in gateways])
    for buffer, gateways in GATEWAYS.items()
)
SMALL_RED, LARGE_RED = (Named(f"RED with {gateways.name}", gateways[1:]) for gateways in (SMALL, LARGE))
EVERY_RED = Named("every RED gateway", (*SMALL_RED, *LARGE_RED))

FULL, LIGHT = (
    {
        background: Named(words, [added for added in counts if (background + added > SATURATED) is full])
        for background, counts in NEWCOMERS.items()
    }
    for words, full in (("a full link", True), ("a link that is not full", False))
)
"""Numbers of added clients with which the load of all clients exceeds the bottleneck's capacity, and other numbers."""

END = {background: MOST - background for background in NEWCOMERS}  # the largest number of added clients


def weighed(rule: Rule, again: Answers) -> Rule:
    """Make a rule that repeats the question `again` at other weights of RED."""
    return Depends(rule, on=WEIGHT, again=again, named="weights with 60 clients")


def close(background: int, margin: float) -> Rule:
    """Judge whether added Vegas and Reno clients get the same with the large buffer, also if they start late."""

    def asked(part: str, added: tuple[int, ...]) -> Answers:
        ratio = m.RATIO.at(part, background=background, gateway=LARGE, added=added)
        return ratio.near(1, by=margin).every().called(f"the goodput ratio is within {margin:g} of 1 at every point")

    usual = m.RATIO.at("pairs", background=background, gateway=LARGE).near(1, by=margin)
    part = usual.most()
    if LIGHT[background]:
        light = m.RATIO.at("pairs", background=background, gateway=LARGE, added=LIGHT[background])
        part |= light.near(1, by=margin).every()
    late = LATE[background]
    return Depends(
        Bars(whole=usual, part=part),
        on=WHEN,
        asked=asked("pairs", late),
        again=asked("late", late).called(
            f"with a start at 10 s the goodput ratio is within {margin:g} of 1 at every point",
            f"with a start at 10 s the goodput ratio is not within {margin:g} of 1 at every point",
        ),
        words=f"The test is repeated with newcomers that start at 10 s instead of {START}, since the paper says "
        "only that they start right after the background. "
        "If the answer at the same points is clearly opposite, the claim depends on the start.",
    )


FULL_POINTS = "points with a full link"
_FIFO = {SMALL_RED: SMALL[0], LARGE_RED: LARGE[0]}

_AS_WELL = 0.98  # smallest share of Reno's goodput with which Vegas performs as well

BETA = 3  # most packets that Vegas aims to keep in the gateway (Table 1)

_LEAST_LOSS = 0.005  # per cent; smaller losses are not compared


def at_full(measure: Measure, background: int, **where: Scalar | tuple[Scalar, ...]) -> Quantity:
    return measure.at("pairs", background=background, added=FULL[background], **where)


def at_end(measure: Measure, part: str, background: int, **where: Scalar | tuple[Scalar, ...]) -> Quantity:
    return measure.at(part, background=background, added=END[background], **where)


def gains(background: int, gateways: Named[str], reds: Named[str]) -> Rule:
    """Judge whether added Vegas clients get more than added Reno clients once the link is full."""
    usual = AtPoints(at_full(m.RATIO, background, gateway=gateways).above(1), points=FULL_POINTS, by="gateway")
    return weighed(usual, at_end(m.RATIO, "weighted", background, gateway=reds).above(1).every("gateway"))


def loses_less(background: int, gateways: Named[str], reds: Named[str]) -> Rule:
    """Judge whether added Vegas clients lose a smaller share than added Reno clients behind gateways with losses."""
    most = at_full(m.MORE_LOSS, background, gateway=gateways).over(
        "added", lambda line: max(line.values()), "largest loss"
    )
    reno = at_full(m.RENO_LOSS, background, gateway=gateways)
    lossy = reno.given(most, lambda loss: loss >= _LEAST_LOSS, f"one kind loses {_LEAST_LOSS} % or more")
    less = lossy.above(at_full(m.VEGAS_LOSS, background, gateway=gateways))
    asked = less.called(
        f"added Vegas clients lose a smaller share of their packets than added Reno clients (background of "
        f"{background}, {gateways.name}), behind gateways where one kind loses {_LEAST_LOSS} % or more"
    )
    reno_end, vegas_end = (at_end(one, "weighted", background, gateway=reds) for one in (m.RENO_LOSS, m.VEGAS_LOSS))
    again = reno_end.above(vegas_end).every("gateway").called("behind RED, added Vegas clients lose a smaller share")
    return weighed(AtPoints(asked, points=FULL_POINTS, by="gateway"), again)


def _minus(quantity: Quantity) -> Quantity:
    return computed(lambda value: -value, quantity, words=f"minus {quantity.words}")


def _smaller(one: Quantity, other: Quantity) -> Answers:
    """Ask whether the absolute value of one quantity is below the absolute value of another."""
    return (one.above(_minus(other)) & one.below(other)) | (one.below(_minus(other)) & one.above(other))


def more_pronounced(background: int) -> Rule:
    """Judge whether the losses of Reno and Vegas differ relatively more and absolutely less with the large buffer.

    FIFO with the large buffer is excluded, because no packet is lost there.
    """
    pairs = [(large, small) for large in LARGE_RED for small in SMALL]
    at = {
        measure: {one: at_end(measure, "pairs", background, gateway=one) for one in (*LARGE_RED, *SMALL)}
        for measure in (m.RELATIVE, m.DIFFERENCE)
    }
    more = [at[m.RELATIVE][large].above(at[m.RELATIVE][small]) for large, small in pairs]
    less = [_smaller(at[m.DIFFERENCE][large], at[m.DIFFERENCE][small]) for large, small in pairs]
    part, whole = more[0], less[0]
    for one, other in zip(more[1:], less[1:], strict=True):
        part, whole = part & one, whole & other
    relatively = part.called(
        f"with {END[background]} added clients the difference between the losses of Reno and Vegas, as a share of "
        "Reno's loss, is clearly larger behind RED1 and RED2 than behind either gateway of 50 packets"
    )
    return Bars(whole=(relatively & whole).called(f"{relatively.words}, but smaller in points"), part=relatively)


def differences(background: int) -> tuple[Quantity, ...]:
    gateways = Named("every gateway with losses", (*SMALL, *LARGE_RED))
    return tuple(at_end(one, "pairs", background, gateway=gateways) for one in (m.RELATIVE, m.DIFFERENCE))


def red_is_worse() -> Rule:
    """Judge whether added clients of either protocol get less and lose more behind RED than behind FIFO."""

    def asked(carried: Measure, lost: Measure, kind: str, reds: Named[str]) -> list[Answers]:
        more, less = (at_full(carried, 20, gateway=gateway) for gateway in (_FIFO[reds], reds))
        fewer, lossy = (at_full(lost, 20, gateway=gateway) for gateway in (_FIFO[reds], reds))
        return [
            more.above(less).called(f"behind {reds.name}, added {kind} clients get less than behind FIFO"),
            lossy.above(fewer).called(f"behind {reds.name}, added {kind} clients lose more than behind FIFO"),
        ]

    kinds = ((m.RENO_CARRIED, m.RENO_LOSS, "Reno"), (m.VEGAS_CARRIED, m.VEGAS_LOSS, "Vegas"))
    questions = [question for reds in _FIFO for one in kinds for question in asked(*one, reds)]
    reno, vegas = (
        at_end(one, "pairs", 20, gateway=SMALL[0]).above(at_end(one, "weighted", 20, gateway=SMALL[1]))
        for one in (m.RENO_CARRIED, m.VEGAS_CARRIED)
    )
    again = (reno & vegas).called("with a buffer of 50, added clients of both kinds get less with RED than with FIFO")
    return weighed(AtPoints(*questions, points=FULL_POINTS), again)


def smoother() -> Rule:
    """Judge whether adding Vegas instead of Reno makes all traffic smoother and all clients faster behind RED."""
    red = SMALL[1]
    rough, smooth, slow, fast = (
        at_full(one, 20, gateway=red) for one in (m.RENO_COV, m.VEGAS_COV, m.RENO_ALL, m.VEGAS_ALL)
    )
    usual = AtPoints(
        rough.above(smooth).called("the c.o.v. of all arrivals is lower with added Vegas than with added Reno clients"),
        fast.above(slow).called("the throughput of all clients is higher with added Vegas clients"),
        points=f"{FULL_POINTS} behind RED 10/40",
    )
    rough, smooth, slow, fast = (
        at_end(one, "weighted", 20, gateway=red) for one in (m.RENO_COV, m.VEGAS_COV, m.RENO_ALL, m.VEGAS_ALL)
    )
    both = (rough.above(smooth) & fast.above(slow)).called(
        "with added Vegas clients the c.o.v. of all arrivals is lower and the throughput of all clients higher"
    )
    return weighed(usual, both)


def all_vegas_is_best() -> Rule:
    """Judge whether throughput is highest and loss lowest if all of 60 clients run Vegas, instead of 0, 20 or 40."""
    questions = []
    for gateway, end in zip(SMALL, ("", "/RED"), strict=True):
        for alone, mixed, better in ((THROUGHPUT, m.VEGAS_ALL, "highest"), (LOSS, m.VEGAS_ALL_LOSS, "lowest")):
            best, none = (alone.at("grid", variant=f"{kind}{end}", clients=60) for kind in ("Vegas", "Reno"))
            rest = [none, *(at_end(mixed, "pairs", background, gateway=gateway) for background in END)]
            first, *others = [best.above(one) if better == "highest" else one.above(best) for one in rest]
            for other in others:
                first &= other
            what = "throughput" if better == "highest" else "loss"
            questions.append(first.called(f"{what} is {better} if all 60 clients run Vegas ({gateway})"))
    return AtPoints(*questions)


def reno_fills_the_buffer() -> Rule:
    pairs = {"with clients of one kind": [QUEUE.at("queues", variant=one, clients=HEAVY) for one in ("Reno", "Vegas")]}
    for background in END:
        pairs[f"with a background of {background}"] = [
            at_full(one, background) for one in (m.RENO_QUEUE, m.VEGAS_QUEUE)
        ]
    return AtPoints(
        *(reno.above(vegas).called(f"{words}, Reno's queue is longer") for words, (reno, vegas) in pairs.items()),
        points=FULL_POINTS,
    )


def as_well(part: str, **where: Scalar | tuple[Scalar, ...]) -> AtPoints:
    ratio, vegas, reno = (one.at(part, **where) for one in (m.RATIO, m.VEGAS_LOSS, m.RENO_LOSS))
    asked = ratio.at_least(_AS_WELL) & ~vegas.above(reno, times=1 / _AS_WELL)
    words = f"the Vegas/Reno goodput ratio is at least {_AS_WELL}, and Vegas' loss at most Reno's divided by {_AS_WELL}"
    return AtPoints(asked.called(words), by="gateway")


def headline(side: Side) -> Outcome:
    usual, least = as_well("pairs").judge(side), as_well("least").judge(side)
    early, late = (_both_starts(part).judge(side) for part in ("pairs", "late"))
    turned = {early.verdict, late.verdict} == {Verdict.NOT, Verdict.REPRODUCED}
    return Outcome(
        verdict=Verdict.DEPENDS if turned else usual.verdict,
        setting=WHEN if turned else "",
        why=f"{usual.why} At the points that were run with both starts, with newcomers that start at 1 s: {early.why} "
        f"With newcomers that start at 10 s: {late.why} At the ends of the curves, with the smallest sample as Vegas' "
        f"base RTT: {least.why}",
    )


def _both_starts(part: str) -> AtPoints:
    """Ask whether Vegas does as well as Reno, at the points that were run with both starts."""
    questions = []
    for background, added in LATE.items():
        ratio, vegas, reno = (
            one.at(part, background=background, added=added) for one in (m.RATIO, m.VEGAS_LOSS, m.RENO_LOSS)
        )
        asked = ratio.at_least(_AS_WELL) & ~vegas.above(reno, times=1 / _AS_WELL)
        questions.append(asked.called(f"Vegas does as well as Reno when competing with {background} Reno clients"))
    return AtPoints(*questions)
