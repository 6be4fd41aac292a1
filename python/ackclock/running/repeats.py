"""Finds runs that do not depend on their seed: a confidence interval over their seeds says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.running.summary import MEASURES

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["repeats"]


def repeats(runs: pa.Table) -> tuple[str, ...]:
    """Report runs of one scenario that have exactly equal results although their seeds differ.

    Results are equal if all numbers of the summaries are equal. Random numbers that affect a packet almost certainly
    change the mean delay or the c.o.v. in some digit.

    Parameters
    ----------
    runs
        One row per run: ``scenario_id``, ``seed`` and the numbers of the summary. Of several runs with the same
        scenario and seed, only the first counts.

    Returns
    -------
    tuple of str
        One notice, or none.

    Examples
    --------
    >>> import pyarrow as pa
    >>> runs = pa.table({"scenario_id": [0, 0, 0], "seed": [1, 2, 3]} | {name: [1, 1, 1] for name in MEASURES})
    >>> repeats(runs)[0].partition(":")[0]
    '3 of 3 runs have exactly the results of another seed'
    >>> repeats(runs.drop("cov").append_column("cov", [[0.1, 0.2, 0.3]]))
    ()
    """
    import pyarrow as pa  # noqa: PLC0415  # slow to load
    import pyarrow.compute as pc  # noqa: PLC0415

    typed = [name for name in MEASURES if not pa.types.is_null(runs.schema.field(name).type)]
    first = [(name, "first") for name in typed]
    runs = runs.group_by(["scenario_id", "seed"], use_threads=False).aggregate(first)
    results = [name for name in runs.column_names if name != "seed"]
    alike = runs.group_by(results).aggregate([("seed", "count")])
    alike = alike.filter(pc.greater(alike["seed_count"], 1))
    if not len(alike):
        return ()
    points, affected = (pc.count_distinct(table["scenario_id"]).as_py() for table in (runs, alike))
    equal = pc.sum(alike["seed_count"]).as_py()
    of = pc.sum(pc.is_in(runs["scenario_id"], value_set=alike["scenario_id"])).as_py()
    where, there = (f"At {affected:,} of {points:,} points, ", "there") if points > 1 else ("", "in this scenario")
    change = "nothing" if equal == of and len(alike) == affected else "little"
    said = f"{equal:,} of {of:,} runs have exactly the results of another seed: the seed changes {change} {there}"
    more = "start flows at random times (`spread` of their group), or use a random source"
    return (f"{where}{said}, and confidence intervals over seeds say nothing. To vary the runs, {more}.",)
