"""The claims at the end of section 3.2.3, on timeouts and sequences of losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.experiments.burstiness.claims.reading import TCPS, command
from ackclock.experiments.burstiness.experiment import HEAVY
from ackclock.experiments.burstiness.measures import (
    cov_over_poisson,
    thousand_departures,
    timeouts_per_dup_ack,
)
from ackclock.experiments.claims import Claim, Judgement, by_share, graded
from ackclock.experiments.reading import along, at, high, low, shown, span, told

if TYPE_CHECKING:
    from ackclock.analysis import Interval
    from ackclock.experiments.burstiness.evidence import Evidence, Side

__all__ = ["CLAIMS"]


def _few_timeouts(evidence: Evidence) -> Judgement:
    grid = evidence.ours.grid
    pairs = (("Vegas", "Reno"), ("Vegas/RED", "Reno/RED"))
    holds = []
    for vegas_name, reno_name in pairs:
        vegas, reno = (along(grid, name, HEAVY, timeouts_per_dup_ack) for name in (vegas_name, reno_name))
        holds += [high(vegas[n]) < low(reno[n]) and vegas[n].mean < reno[n].mean / 2 for n in reno if n in vegas]
    return Judgement(
        verdict=by_share(holds),
        why=f"It is clearly below half of Reno's at {sum(holds)} of {len(holds)} places.",
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
        low(reno) > high(vegas)
        for gateway in ("", "/RED")
        for name in names
        for reno, vegas in [both(evidence.ours, name, gateway)]
    ]
    reno, vegas = both(evidence.ours, "losses_per_event")
    red_reno, red_vegas = both(evidence.ours, "losses_per_event", "/RED")
    return Judgement(
        verdict=graded(whole=all(holds), part=any(holds)),
        why=f"A flow that loses, loses {reno.mean:.2f} packets within a round trip with Reno and {vegas.mean:.2f} with "
        f"Vegas, with RED {red_reno.mean:.2f} and {red_vegas.mean:.2f}; {sum(holds)} of the {len(holds)} comparisons "
        "are clear.",
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
    verdict = graded(whole=any(200 <= more <= 350 for more in found), part=all(more > 0 for more in found))
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

    def ranks(side: Side) -> tuple[float, float]:
        timeouts, rough, carried = (
            [at(side.grid, variant, 60, measure).mean for variant in TCPS]
            for measure in ("timeouts", cov_over_poisson, thousand_departures)
        )
        return float(kendalltau(timeouts, rough).statistic), float(kendalltau(timeouts, carried).statistic)

    def say(side: Side) -> str:
        rough, carried = ranks(side)
        return f"rank correlation of timeouts with c.o.v. {rough:+.2f}, with throughput {carried:+.2f}"

    rough, carried = ranks(evidence.ours)
    holds = [rough >= 0.5, carried <= -0.5]
    verdict = graded(whole=all(holds), part=any(holds))
    return Judgement(
        verdict=verdict,
        why=f"Over the six TCPs with 60 clients, more timeouts {'mostly go' if holds[0] else 'do not mostly go'} with "
        f"a higher c.o.v. and {'mostly go' if holds[1] else 'do not mostly go'} with less throughput; that is no proof "
        "of a cause.",
        **told(evidence, say),
    )


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.3-9",
        where="3.2.3; Figure 13",
        text="Vegas has very few timeouts for each duplicate ACK.",
        paper="very low",
        rule="Reproduced if with either gateway, at every count from 39 to 60, the ratio is clearly below Reno's and "
        "its mean below half of it; partly if at most places; else not.",
        judge=_few_timeouts,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-10",
        where="3.2.3",
        text="Reno's bursts cause large sequences of losses, larger than Vegas' do.",
        paper="large",
        rule="With 60 clients and either gateway, three measures: longest run of drops no more than 10 ms apart, "
        "losses of a flow within a round trip, share of these with two or more. Reproduced if all are clearly larger "
        "for Reno; partly if any is; else not.",
        judge=_sequences,
        command=command("Reno", 60, record="drops"),
    ),
    Claim(
        key="3.2.3-11",
        where="3.2.3",
        text="Reno therefore has 250 to 300 % more timeouts than Vegas.",
        paper="+250 to +300 %",
        rule="With 60 clients, Reno over Vegas with either gateway: reproduced if one of the two is between +200 and "
        "+350 %; partly if Reno has more with both; else not.",
        judge=_more_timeouts,
        command=command("Vegas/RED", 60),
    ),
    Claim(
        key="3.2.3-12",
        where="3.2.3",
        text="The timeouts contribute to Reno's higher c.o.v. and lower throughput.",
        paper="contributes",
        rule="Kendall's rank correlation over the six TCPs at 60 clients. Reproduced if it is at least 0.5 between "
        "timeouts and c.o.v. and at most -0.5 between timeouts and throughput; partly if one of them; else not.",
        judge=_timeouts_and_cov,
        command=command("Reno/RED", 60),
    ),
)
