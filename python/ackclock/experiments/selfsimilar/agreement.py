"""Tell how well our engine agrees with ns-2 where one connection meets self-similar traffic.

``python -m ackclock.experiments.selfsimilar.agreement``: what Table 2 counts for three readings of its source and four
variants, and the background by itself. Prints a line a measure and each miss with its size; exits with status 1 if a
bar is missed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import numpy as np

from ackclock.experiments.agreement import arguments_of, measures_table, missed_bars, places_table, tell
from ackclock.experiments.comparison import STANDARD_ERRORS, compare
from ackclock.experiments.selfsimilar import ns2
from ackclock.experiments.selfsimilar.comparison import BACKGROUND, BAR, LEAST_P, TABLE_2, by_distribution
from ackclock.experiments.selfsimilar.experiment import (
    CONSTANT,
    READINGS,
    VARIANTS,
    Setting,
    background_wanted,
    settings_wanted,
)
from ackclock.study import Batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.experiments.comparison import Comparison
    from ackclock.experiments.observation import Observation
    from ackclock.experiments.selfsimilar.comparison import Likeness

__all__ = ["agreement", "main", "measured"]

SEEDS: Final = 40
"""Seeds a point, on both sides."""

_INTRODUCTION = f"""\
# Agreement with ns-2 where one connection meets self-similar traffic

Made by `python -m ackclock.experiments.selfsimilar.agreement`. A point is a reading of the paper's fixed-rate source
and a variant, over 40 on/off sources with Pareto periods. Both sides have {SEEDS} seeds. Means agree when they differ
by no more than the most of the allowed differences; a standard error (s.e.) is that of the difference, and
{STANDARD_ERRORS} of them are put down to chance. Periods without a variance make the load of 100 s differ from seed to
seed by 5 %, and with it all else: that is most of the standard errors.
"""

_VEGAS = f"""\
## Vegas, by distribution

Vegas runs have several fates: a few halt at a third of what others deliver, for ns-2's Vegas takes, after a timeout,
the gap between two ACKs for its base round-trip time (`base_rtt = "ns2"`), and trusts it from then on. A mean of so few
runs says little. Two samples agree unless chance would set them as far apart in less than {100 * LEAST_P:g} % of all
cases (Kolmogorov and Smirnov's two-sample test, exact).
"""

_TABLE_2 = """\
## What each side counts

Mean and standard deviation over the seeds, ours before ns-2's.
"""


def measured(
    *, seeds: int = SEEDS, quick: bool = False, jobs: int | None = None
) -> tuple[list[Observation], list[Observation]]:
    """Run every point that ns-2 was run at.

    Parameters
    ----------
    seeds
        Seeds a point, at least 2.
    quick
        Take the source of constant rate only.
    jobs
        How many runs at once; one for each processor by default.

    Returns
    -------
    tuple of list of Observation
        The connections, and the background alone.

    """
    batch = Batch()
    readings = [CONSTANT] if quick else READINGS.values()
    settings = [Setting(reading=reading, variant=variant) for reading in readings for variant in VARIANTS]
    flows = batch.add(settings_wanted(settings, seeds=range(1, seeds + 1)))
    alone = batch.add(background_wanted(seeds=range(1, seeds + 1)))
    batch.run(jobs=jobs, label="agreement")
    return flows(), alone()


def agreement(
    flows: Sequence[Observation], alone: Sequence[Observation]
) -> tuple[list[Comparison], list[Comparison], list[Likeness]]:
    """Compare with ns-2: the means of Table 2 but Vegas's, the background, and Vegas by distribution.

    Parameters
    ----------
    flows, alone
        As `measured` gives them.

    """
    theirs = ns2.runs()
    return (
        compare(flows, theirs, TABLE_2),
        compare(alone, ns2.background(), BACKGROUND),
        by_distribution(flows, theirs),
    )


def _likeness_table(found: Sequence[Likeness]) -> list[str]:
    """Write a row a measure and reading, as lines of Markdown."""
    return [
        "| measure | variant | runs, here and in ns-2 | median here | in ns-2 | p | agrees |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
        *(
            f"| {each.title} | {each.variant} | {len(each.ours)}, {len(each.theirs)} | {np.median(each.ours):.6g} "
            f"| {np.median(each.theirs):.6g} | {each.p:.2f} | {'yes' if each.agrees else 'no'} |"
            for each in found
        ),
    ]


def _counts_table(ours: Sequence[Observation], theirs: Sequence[Observation]) -> list[str]:
    """Write a row a point, as lines of Markdown."""
    lines = [f"| variant | {' | '.join(rule.title for rule in TABLE_2)} |", "| --- |" + " --- |" * len(TABLE_2)]
    for name in dict.fromkeys(run.variant for run in ours):
        cells = [
            ", ".join(
                _spread([run.values[rule.title] for run in side if run.variant == name]) for side in (ours, theirs)
            )
            for rule in TABLE_2
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _spread(values: Sequence[float | None]) -> str:
    numbers = np.array([value for value in values if value is not None])
    return f"{numbers.mean():,.0f} ± {numbers.std(ddof=1):,.0f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print the tables, and give the exit status: 1 if a bar is missed."""
    parser = arguments_of("selfsimilar", __doc__, quick="the source of constant rate")
    parser.set_defaults(seeds=SEEDS)
    given = parser.parse_args(arguments)
    flows, alone = measured(seeds=given.seeds, quick=given.quick, jobs=given.jobs)
    table, background, vegas = agreement(flows, alone)
    lines, missed = [_INTRODUCTION], []
    for title, rules, found in (("Table 2", TABLE_2, table), ("The background", BACKGROUND, background)):
        lines += [f"## {title}\n", *measures_table(rules, found, bar=BAR)]
        lines += places_table([place for place in found if not place.agrees], [], counted="sources")
        lines.append("")
        missed += [f"{title}: {each}" for each in missed_bars(rules, found, bar=BAR)]
    lines += [_VEGAS, *_likeness_table(vegas), "", _TABLE_2, *_counts_table(flows, ns2.runs()), ""]
    alike = sum(each.agrees for each in vegas)
    missed += [f"Vegas: {alike} of {len(vegas)} samples agree"] if alike < BAR * len(vegas) else []
    return tell(lines, missed, markdown=given.markdown)


if __name__ == "__main__":
    sys.exit(main())
