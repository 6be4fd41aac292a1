"""Runs of one scenario with several seeds, with confidence intervals."""

import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, overload

from ackclock.running.estimate import Estimate
from ackclock.running.likeness import merge_notices
from ackclock.running.measured import GroupEstimates, LinkEstimates, RunEstimates
from ackclock.running.repeats import repeats
from ackclock.running.run import Run
from ackclock.running.summary import BRIEF, GROUP_MEASURES, MEASURES, Groups, GroupSummary, Links, LinkSummary, Summary
from ackclock.scenario import Scenario
from ackclock.values.errors import listed, one_of, refuse

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from ackclock.analysis import Comparison
    from ackclock.running.periods import Period
    from ackclock.values.arrow import ArrowTable


class GroupRuns(GroupEstimates):
    """The results of one group of flows in several runs.

    Each number of a `ackclock.GroupSummary` is an attribute: ``runs.groups["near"].goodput_bps`` is an
    `Estimate`.

    Parameters
    ----------
    name
        Name of the group.
    summaries
        The group's summary in each run.
    """

    def __init__(self, name: str, summaries: Iterable[GroupSummary]) -> None:
        self.name = name
        """Name of the group."""
        self._summaries = tuple(summaries)

    def _each(self) -> Iterable[GroupSummary]:
        return self._summaries

    @property
    def clients(self) -> int:
        """Number of flows."""
        return self._summaries[0].clients

    @property
    def limited(self) -> dict[str, Estimate] | None:
        """The shares of the measured time in which each reason limited the group's senders; ``None`` for UDP."""
        reasons = self._summaries[0].limited
        return None if reasons is None else {name: getattr(self, f"limited_{name}") for name in reasons}

    def __repr__(self) -> str:
        flows = f"{self.clients} flow{'' if self.clients == 1 else 's'}"
        return f"GroupRuns({self.name}, {flows}; goodput: {self.goodput_bps})"


class LinkRuns(LinkEstimates):
    """The results of one measured link in several runs.

    Each number of a `ackclock.LinkSummary` is an attribute: ``runs.links["hop1"].loss`` is an
    `Estimate`.

    Parameters
    ----------
    name
        Name of the link.
    summaries
        The link's summary in each run.
    """

    def __init__(self, name: str, summaries: Iterable[LinkSummary]) -> None:
        self.name = name
        """Name of the link."""
        self._summaries = tuple(summaries)

    def _each(self) -> Iterable[LinkSummary]:
        return self._summaries

    def __repr__(self) -> str:
        return f"LinkRuns({self.name}; utilization: {self.utilization}, loss: {self.loss})"


class SummaryRuns(RunEstimates):
    """The summaries of several runs: `ackclock.Summary` with an `Estimate` in place of each number.

    Parameters
    ----------
    runs
        The runs.
    """

    def __init__(self, runs: "Runs") -> None:
        self._runs = runs

    def _each(self) -> Iterable[Summary]:
        return (run.summary for run in self._runs)

    @property
    def groups(self) -> Groups[GroupRuns]:
        """Each group, in order or by name."""
        summaries = zip(*(each.groups for each in self._each()), strict=True)
        return Groups(GroupRuns(group[0].name, group) for group in summaries)

    @property
    def links(self) -> Links[LinkRuns]:
        """Each measured link, in order or by name."""
        summaries = zip(*(each.links for each in self._each()), strict=True)
        return Links(LinkRuns(link[0].name, link) for link in summaries)

    def __repr__(self) -> str:
        return f"SummaryRuns({', '.join(f'{name}: {getattr(self, name)}' for name in BRIEF)})"

    if not TYPE_CHECKING:  # the earlier form, a table with a row for each run, works for one more minor release

        def __getattr__(self, name: str) -> object:
            import pyarrow as pa  # noqa: PLC0415

            if name in self._measures or not hasattr(pa.Table, name):
                return super().__getattr__(name)
            return getattr(self._rows(), name)

        def __getitem__(self, column: object) -> object:
            return self._rows()[column]

        def __len__(self) -> int:
            return len(self._rows())

        def _rows(self) -> "pa.Table":
            warnings.warn("Runs.summary is no table: use Runs.per_seed", DeprecationWarning, stacklevel=3)
            return self._runs.per_seed


class Runs(RunEstimates, Sequence[Run]):
    """Runs of one scenario, one per seed, in the order of seeds.

    What a `Run` has as a number, ``runs`` has as an `Estimate`: ``runs.cov``, ``runs.summary.cov``,
    ``runs.groups["near"].goodput_bps`` and ``runs.links["hop1"].loss``.
    """

    def __init__(self, runs: Iterable[Run]) -> None:
        self._runs = tuple(runs)

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> "Runs": ...
    def __getitem__(self, index: int | slice) -> "Run | Runs":
        return Runs(self._runs[index]) if isinstance(index, slice) else self._runs[index]

    def __repr__(self) -> str:
        count = f"{len(self)} run{'' if len(self) == 1 else 's'}"
        return f"Runs({count}; seeds: {listed(map(str, self.seeds))}; cov: {self.cov})"

    def _repr_html_(self) -> str:
        """Return the notices, the means with their intervals and a small drawing, for notebooks."""
        from ackclock.running.showing import runs_html  # noqa: PLC0415  # only notebooks need it

        return runs_html(self)

    def __eq__(self, other: object) -> bool:
        return self._runs == other._runs if isinstance(other, Runs) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.seeds)

    def _each(self) -> Iterable[Summary]:
        return (run.summary for run in self._runs)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds."""
        return tuple(run.seed for run in self._runs)

    @property
    def scenario(self) -> Scenario:
        """The effective scenario of the runs."""
        return self._runs[0].scenario

    @property
    def summary(self) -> SummaryRuns:
        """The summary of the runs: each number is an `Estimate`."""
        return SummaryRuns(self)

    @property
    def groups(self) -> Groups[GroupRuns]:
        """Each group, in order or by name: ``runs.groups["near"].goodput_bps`` is its mean with an interval."""
        return self.summary.groups

    @property
    def links(self) -> Links[LinkRuns]:
        """Each measured link, in order or by name: ``runs.links["hop1"].loss`` is its mean with an interval."""
        return self.summary.links

    def compare(self, other: "Runs", measure: str, *, group: str | None = None) -> "Comparison":
        """Compare one measure of these runs with the same measure of other runs, seed by seed.

        Runs with the same seed use the same random numbers, even if their scenarios differ: each source, sender and
        queue draws from its own stream. The differences within pairs therefore vary less than the values, and few seeds
        are enough.

        Parameters
        ----------
        other
            Runs of another scenario, with the same seeds.
        measure
            A number of a `ackclock.Summary`, such as ``cov``, or with ``group`` of a `ackclock.GroupSummary`. Pairs in
            which the measure is undefined are excluded.
        group
            Name of a group that both have (default: the whole run).

        Returns
        -------
        ackclock.analysis.Comparison
            Statistics of the paired differences, other runs minus these runs: mean, interval, effect size, and gain
            from pairing.

        Raises
        ------
        ScenarioError
            The measure or the group does not exist, the seeds differ, or the measure is undefined in all pairs.
        """
        from ackclock.analysis import compare_paired  # noqa: PLC0415  # it loads NumPy

        measures = MEASURES if group is None else GROUP_MEASURES
        if measure not in measures:
            raise refuse("measure", measure, one_of(measure, measures), noun="measure")
        if other.seeds != self.seeds:
            raise refuse("other", other.seeds, f"must have the same seeds: {listed(map(str, self.seeds))}")
        both = [runs if group is None else runs.groups[group] for runs in (self, other)]
        values = (getattr(each, measure).values for each in both)
        pairs = [pair for pair in zip(*values, strict=True) if None not in pair]
        if not pairs:
            raise refuse("measure", measure, "must be defined in both runs of at least one seed")
        return compare_paired(*zip(*pairs, strict=True))

    def periods(self, at: Sequence[float | str] | float | str | None = None) -> "tuple[Period, ...]":
        """Return the results of each period between the changes of the network.

        Each group has its goodput and its round-trip time, and the measured link its queue, as an `Estimate` over the
        runs. They are means of the rows of the records ``throughput``, ``windows`` and ``queue`` in the period; what
        the runs have not recorded is undefined.

        Parameters
        ----------
        at
            Times at which periods begin, in s or as a text such as ``"10 s"`` (default: each change, each time at which
            a group joins or leaves, and each step of a trace of the measured link that does not repeat).

        Raises
        ------
        ScenarioError
            The runs have none of these records, a time is not allowed, or there are more than 1000 periods.

        Examples
        --------
        >>> import ackclock as ac
        >>> scenario = ac.Scenario.from_toml("examples/codel.toml").changed(
        ...     {"duration": "20 s", "changes": [{"at": "10 s", "rate": "2 Mbps"}]}
        ... )
        >>> runs = ac.replicate(scenario, seeds=2, record=["throughput/100ms"])
        >>> [(period.start, period.end, period.change) for period in runs.periods()]
        [(0.0, 10.0, ''), (10.0, 20.0, 'rate 2 Mbps')]
        """
        from ackclock.running.periods import periods_of  # noqa: PLC0415  # it loads NumPy

        return periods_of(self, at)

    def plot(
        self,
        *,
        figure: str | None = None,
        link: str | None = None,
        flow: int | None = None,
        start: float | str | None = None,
        end: float | str | None = None,
    ) -> "Figure":
        """Draw one of the usual figures as the mean of the runs, with a 95 % interval at each point.

        Parameters
        ----------
        figure, link, flow, start, end
            As for `Run.plot`: the figures ``cwnd`` (of the first six flows), ``throughput``, ``jain``, ``queue``,
            ``completion``, ``arrivals``, ``delay`` and ``cov``. Intervals are Student's t over the runs.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which a notebook shows. ``savefig`` writes it to a file.

        Raises
        ------
        ScenarioError
            As for `Run.plot`; or there are no runs.

        Examples
        --------
        >>> import ackclock as ac
        >>> scenario = ac.Scenario.from_toml("examples/codel.toml").changed({"duration": "12 s"})
        >>> runs = ac.replicate(scenario, seeds=3, record=["arrivals/10ms"])
        >>> axes = runs.plot(figure="cov").axes[0]
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('Width of bins, s', 'C.o.v. of arrivals at bottleneck')
        """
        from ackclock.running import figures  # noqa: PLC0415  # slow to load

        return figures.figure(self, figure, link=link, flow=flow, start=start, end=end)

    @property
    def notices(self) -> tuple[str, ...]:
        """The notices of all runs, without duplicates, and a notice if runs with different seeds have equal results.

        A number that differs between runs becomes a range. A notice that only some runs have ends with the number of
        these runs.
        """
        import pyarrow as pa  # noqa: PLC0415

        merged = merge_notices((run.notices for run in self._runs), of=len(self))
        if len(self) < 2:
            return merged
        return *merged, *repeats(self.per_seed.append_column("scenario_id", pa.repeat("", len(self))))

    @property
    def per_seed(self) -> "ArrowTable":
        """One row per run: its seed and the numbers of its summary."""
        import pyarrow as pa  # noqa: PLC0415

        rows = [{"seed": run.seed} | {name: getattr(run.summary, name) for name in MEASURES} for run in self._runs]
        table: ArrowTable = pa.Table.from_pylist(rows)
        return table

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables: ``flows``, and the requested records."""
        return self._runs[0].tables if self._runs else ()

    def table(self, name: str) -> "ArrowTable":
        """Concatenate one table of all runs, with the seed as the first column."""
        import pyarrow as pa  # noqa: PLC0415

        tables = []
        for run in self._runs:
            table = run.table(name)
            seeds = pa.repeat(pa.scalar(run.seed, pa.uint64()), len(table))
            tables.append(table.add_column(0, "seed", seeds))
        joined: ArrowTable = pa.concat_tables(tables).unify_dictionaries()
        return joined
