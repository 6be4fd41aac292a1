"""The claims at the end of section 3.2.3, on timeouts and sequences of losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.claims.reading import TCPS, command
from ackclock.papers.burstiness.experiment import HEAVY
from ackclock.papers.burstiness.measures import (
    cov_over_poisson,
    thousand_departures,
    timeouts_per_dup_ack,
)
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim, Judgement, by_share, graded
from ackclock.papers.reading import along, at, per_seed, shown, span, told
from ackclock.papers.truth import NO, OPEN, YES, Truth, above, at_least, at_most, counted, every, some

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.analysis import Interval
    from ackclock.papers.burstiness.evidence import Evidence, Side
    from ackclock.papers.observation import Observation
    from ackclock.papers.reading import Measure

__all__ = ["CLAIMS"]


def _few_timeouts(evidence: Evidence) -> Judgement:
    grid = evidence.ours.grid
    pairs = (("Vegas", "Reno"), ("Vegas/RED", "Reno/RED"))
    holds: list[Truth] = []
    for vegas_name, reno_name in pairs:
        vegas, reno = (along(grid, name, HEAVY, timeouts_per_dup_ack) for name in (vegas_name, reno_name))
        holds += [above(reno[n], vegas[n], times=2) for n in reno if n in vegas]
    return Judgement(
        verdict=by_share(holds),
        why=f"It is clearly below half of Reno's at {counted(holds, 'points')}.",
        **told(
            evidence,
            lambda side: ", ".join(
                f"{name} {span(along(side.grid, name, HEAVY, timeouts_per_dup_ack), 2, ' %')}"
                for pair in pairs
                for name in pair
            ),
        ),
    )


def _sequences(evidence: Evidence) -> Judgement:
    names = ("longest_sequence", "losses_per_event", "multiple_losses")

    def both(side: Side, name: str, gateway: str = "") -> list[Interval]:
        return [at(side.close, variant + gateway, 60, name) for variant in ("Reno", "Vegas")]

    holds = [
        above(reno, vegas)
        for gateway in ("", "/RED")
        for name in names
        for reno, vegas in [both(evidence.ours, name, gateway)]
    ]
    reno, vegas = both(evidence.ours, "losses_per_event")
    red_reno, red_vegas = both(evidence.ours, "losses_per_event", "/RED")
    return Judgement(
        verdict=graded(whole=every(holds), part=some(holds)),
        why=f"A flow that loses, loses {reno.mean:.2f} packets within a round trip with Reno and {vegas.mean:.2f} with "
        f"Vegas, with RED {red_reno.mean:.2f} and {red_vegas.mean:.2f}; Reno's is clearly larger in "
        f"{counted(holds, 'comparisons')}.",
        **told(
            evidence,
            lambda side: "longest run of drops with 60 clients: Reno {}, Vegas {}, Reno/RED {}, Vegas/RED {}".format(
                *(shown(one, 0) for gateway in ("", "/RED") for one in both(side, "longest_sequence", gateway))
            ),
        ),
    )


def _more_timeouts(evidence: Evidence) -> Judgement:
    pairs = (("Reno", "Vegas"), ("Reno/RED", "Vegas/RED"))

    def excess(side: Side, reno: str, vegas: str) -> float:
        return 100 * (at(side.grid, reno, 60, "timeouts").mean / at(side.grid, vegas, 60, "timeouts").mean - 1)

    found = [excess(evidence.ours, *pair) for pair in pairs]
    counts = [[at(evidence.ours.grid, name, 60, "timeouts") for name in pair] for pair in pairs]
    verdict = graded(
        whole=some(above(reno, vegas, times=3) & ~above(reno, vegas, times=4.5) for reno, vegas in counts),
        part=every(above(reno, vegas) for reno, vegas in counts),
    )
    return Judgement(
        verdict=verdict,
        why=f"With 60 clients Reno has {found[0] / 100 + 1:.0f} times the timeouts of Vegas over FIFO and "
        f"{found[1] / 100 + 1:.1f} times with RED; the paper does not say which it compares, nor with how many "
        "clients.",
        **told(
            evidence,
            # Two digits: chance moves the few timeouts of Vegas by a third and more.
            lambda side: ", ".join(
                f"{float(f'{excess(side, *pair):.2g}'):+.0f} % ({pair[0]} over {pair[1]})" for pair in pairs
            ),
        ),
    )


def _timeouts_and_cov(evidence: Evidence) -> Judgement:
    from scipy.stats import kendalltau  # noqa: PLC0415 - slow to load

    def rank_correlation(side: Side, measure: Measure) -> Interval:
        def of_one_seed(runs: Sequence[Observation]) -> float:
            pair = ([at(runs, variant, 60, one).mean for variant in TCPS] for one in ("timeouts", measure))
            return float(kendalltau(*pair).statistic)

        return per_seed((run for run in side.grid if run.clients == 60), of_one_seed)

    def ranks(side: Side) -> list[Interval]:
        return [rank_correlation(side, measure) for measure in (cov_over_poisson, thousand_departures)]

    def say(side: Side) -> str:
        rough, carried = ranks(side)
        return f"rank correlation of timeouts with c.o.v. {shown(rough, 2)}, with throughput {shown(carried, 2)}"

    rough, carried = ranks(evidence.ours)
    higher, less = at_least(rough, 0.5), at_most(carried, -0.5)
    words = {YES: "mostly go", NO: "do not mostly go", OPEN: "perhaps go"}
    return Judgement(
        verdict=graded(whole=higher & less, part=higher | less),
        why=f"Over the six TCPs with 60 clients, more timeouts {words[higher]} with a higher c.o.v. and {words[less]} "
        "with less throughput; that is no proof of a cause.",
        **told(evidence, say),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.3-9",
        where="3.2.3; Figure 13",
        text="Vegas has very few timeouts for each duplicate ACK.",
        paper="very low",
        rule="The points are both gateways at every client count from 39 to 60: the ratio is below half of Reno's. "
        f"{BY_SHARE}",
        judge=_few_timeouts,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-10",
        where="3.2.3",
        text="Reno's bursts cause large sequences of losses, larger than Vegas' do.",
        paper="large",
        rule="With 60 clients and either gateway, three measures: longest run of drops no more than 10 ms apart, "
        "losses of a flow within a round trip, share of these with two or more. Reproduced if all six are larger "
        f"for Reno; partly if at least one is; otherwise not. {ELSE_UNDECIDED}",
        judge=_sequences,
        command=command("Reno", 60, record="drops"),
    ),
    Claim(
        key="3.2.3-11",
        where="3.2.3",
        text="Reno therefore has 250 to 300 % more timeouts than Vegas.",
        paper="+250 to +300 %",
        rule="With 60 clients, Reno over Vegas with either gateway: reproduced if one of the two is between +200 and "
        f"+350 %; partly if Reno has more with both; otherwise not. {ELSE_UNDECIDED}",
        judge=_more_timeouts,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-12",
        where="3.2.3",
        text="The timeouts contribute to Reno's higher c.o.v. and lower throughput.",
        paper="contributes",
        rule="Kendall's rank correlation over the six TCPs at 60 clients, of each seed. Reproduced if it is at least "
        "0.5 between timeouts and c.o.v. and at most -0.5 between timeouts and throughput; partly if one of the two; "
        f"otherwise not. {ELSE_UNDECIDED}",
        judge=_timeouts_and_cov,
        command=command("Reno/RED", 60),
    ),
)
