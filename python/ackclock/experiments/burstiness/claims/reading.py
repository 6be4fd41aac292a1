"""What the rules of this paper share: loads, variants, RED's weight, and the commands of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.experiments.burstiness.experiment import PAPERS_CLIENTS, RED_WEIGHT, VARIANTS
from ackclock.experiments.reading import listed, run_command
from ackclock.report.html import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock.experiments.burstiness.evidence import Side
    from ackclock.experiments.observation import Observation

__all__ = [
    "MODERATE",
    "RENOS",
    "SETTING",
    "SURE",
    "TCPS",
    "WEIGHED",
    "command",
    "weighed",
]

TCPS = tuple(variant.name for variant in VARIANTS if variant.protocol != "udp")
RENOS = tuple(name for name in TCPS if name.startswith("Reno"))

MODERATE = tuple(clients for clients in PAPERS_CLIENTS if 10 <= clients <= 38)
"""Its moderately congested ones."""

SURE = tuple(clients for clients in MODERATE if clients <= 36)
"""Of these, the ones where every run soon settles: at 37 and 38 chance decides when."""

WEIGHED = (
    " With 60 clients the same is asked at seven averaging weights of RED from 8e-5 to 0.02, of which the paper prints "
    "none: if an answer is clearly the opposite, it depends on the weight."
)
"""What the rules of claims about RED say at the end; `weighed` does it."""

SETTING = "RED's averaging weight"
"""What claims about RED may depend on."""


def weighed(
    verdict: Verdict, side: Side, holds: Callable[[Sequence[Observation]], bool | None]
) -> tuple[Verdict, str, str]:
    """Turn a verdict into "depends on" if another weight of RED clearly gives the opposite answer.

    Parameters
    ----------
    verdict
        What came out at the usual weight.
    side
        Our runs.
    holds
        Says of the runs with one weight, which have 60 clients, whether the claim holds; None if chance may decide.

    Returns
    -------
    tuple
        The verdict, what it depends on, and at which weights the claim holds, in words.

    """
    answers = {weight: holds(runs) for weight, runs in side.weights.items()}
    flips = any(answer is (verdict is Verdict.NOT) for answer in answers.values())
    yes = [f"{weight:g}" for weight, answer in answers.items() if answer]
    words = f"with 60 clients it clearly holds at the weights {listed(yes) or 'none'} of {len(answers)} tried"
    return (Verdict.DEPENDS, SETTING, words) if flips else (verdict, "", words)


def command(variant: str, clients: int, *fields: str, red_weight: float = RED_WEIGHT, record: str = "") -> str:
    """Give the command that makes one run.

    Parameters
    ----------
    variant, clients
        What runs.
    fields
        Further fields that differ, as ``PATH=VALUE``.
    red_weight
        RED's averaging weight, for a gateway that has one.
    record
        A table to keep, if any.

    """
    chosen = next(known for known in VARIANTS if known.name == variant)
    sets = [f"clients.0.count={clients}"] if clients != 60 else []
    if chosen.protocol == "udp":
        sets.append('clients.0.transport={kind="udp"}')
    elif chosen.protocol != "reno":
        sets.append(f"clients.0.transport.variant={chosen.protocol}")
    if chosen.delayed_ack:
        sets.append("clients.0.transport.delayed_ack=true")
    if chosen.red:
        queue = f'{{kind="red", packets=50, min_th=10, max_th=40, w_q={red_weight:g}}}'
        sets.append(f"dumbbell.bottleneck.queue={queue}")
    return run_command("examples/feng60.toml", [*sets, *fields], record=record)
