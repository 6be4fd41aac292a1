"""Runs a scenario, and defines the object with its results."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import from_json

from ackclock.analysis import mser5
from ackclock.engine import core
from ackclock.engine.processors import memory_bound, threads
from ackclock.running import capturing, saving
from ackclock.running.capturing import Captured, CaptureRequest, Written
from ackclock.running.empty import without_rows
from ackclock.running.identity import scenario_id
from ackclock.running.measured import RunNumbers
from ackclock.running.notices import Notices
from ackclock.running.origin import Origin
from ackclock.running.plan import in_scenario, own_disciplines, plan
from ackclock.running.records import understand
from ackclock.running.summary import (
    Groups,
    GroupSummary,
    Links,
    LinkSummary,
    Summary,
    brief,
    links_of_run,
)
from ackclock.running.tables import to_arrow
from ackclock.scenario import Scenario, Tcp
from ackclock.scenario.law_fields import PYTHON
from ackclock.scenario.links import links_of
from ackclock.values.errors import impossible, one_of, refuse
from ackclock.values.kinds import whole
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, TIME, seconds
from ackclock.values.words import counted

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from ackclock.analysis import BatchMeans
    from ackclock.laws.adapter import LawInUse
    from ackclock.running.periods import Period
    from ackclock.values.arrow import ArrowTable

SEED: Final = whole(0, 2**64 - 1)


@dataclass(frozen=True, kw_only=True)
class Run(RunNumbers):
    """A run of a scenario: its results and all of its inputs."""

    scenario: Scenario = field(repr=False)
    """The effective scenario, with all defaults filled in."""
    seed: int
    """The random seed."""
    origin: Origin
    """The program that made the run: version of Ackclock, revision of the engine, version of the scenario's schema."""
    record: tuple[str, ...]
    """The requested records."""
    summary: Summary
    """Summary of the run."""
    notices: tuple[str, ...]
    """Facts that a user of these numbers must know."""
    laws: tuple[Mapping[str, Any], ...] = field(repr=False, default=())
    """The laws written in Python: source text, digest, and version of Python (and of numba if compiled)."""
    disciplines: tuple[Mapping[str, Any], ...] = field(repr=False, default=())
    """The queue disciplines written in Python, in the same form."""
    live: Mapping[str, Any] | None = field(repr=False, default=None)
    """Who made a live run (`ackclock.live`): release of the kernel, its congestion controls and settings, and how late
    the emulator was. ``None`` if the run is simulated."""
    warmup: float | None
    """End of the warm-up, by MSER-5 on the arrivals per bin (`ackclock.analysis.mser5`): simulated time in s, at least
    ``measure.from``. ``None`` if no end is found, or the measured time has fewer than 50 bins."""
    _tables: "Mapping[str, core.Rows | pa.Table]" = field(repr=False, compare=False)
    _captures: Mapping[str, Captured] = field(repr=False, compare=False, default_factory=dict)

    def _measure(self, name: str) -> object:
        return getattr(self.summary, name)

    def __repr__(self) -> str:
        notices = f"; {counted(len(self.notices), 'notice')}" if self.notices else ""
        return f"Run(seed {self.seed}; {brief(self.summary)}{notices})"

    def _repr_html_(self) -> str:
        """Return the notices, the summary and a small drawing, for notebooks."""
        from ackclock.running.showing import run_html  # noqa: PLC0415  # only notebooks need it

        return run_html(self)

    @property
    def version(self) -> str | None:
        """The version of Ackclock that made the run."""
        return self.origin.version

    @property
    def groups(self) -> Groups[GroupSummary]:
        """The results of each group, in order or by name: ``run.groups["near"].goodput_bps``."""
        return self.summary.groups

    @property
    def links(self) -> Links[LinkSummary]:
        """The results at each measured link, in order or by name: ``run.links["hop1"].loss``."""
        return self.summary.links

    @property
    def captures(self) -> tuple[str, ...]:
        """The requested captures. Copies of the run and stored results have none."""
        return tuple(self._captures)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables: ``flows``, and the requested records."""
        return tuple(self._tables)

    def table(self, name: str) -> "ArrowTable":
        """Return a table.

        Parameters
        ----------
        name
            ``flows``, or the kind of a requested record, such as ``arrivals``.

        Returns
        -------
        pyarrow.Table
            Times in seconds, windows in packets; links and groups by name.

        Raises
        ------
        ScenarioError
            The table does not exist.
        """
        if name not in self._tables:
            allowed = f"{one_of(name, self._tables)} (simulate(..., record=[...]) requests more)"
            raise refuse("table", name, allowed, noun="table")
        rows = self._tables[name]
        table: ArrowTable = to_arrow(rows, self.scenario) if isinstance(rows, core.Rows) else rows
        return table

    def periods(self, at: Sequence[float | str] | float | str | None = None) -> "tuple[Period, ...]":
        """Return the results of each period between the changes of the network, as `Runs.periods` of this run alone."""
        from ackclock.running.periods import periods_of  # noqa: PLC0415  # it loads NumPy

        return periods_of([self], at)

    def plot(
        self,
        *,
        figure: str | None = None,
        link: str | None = None,
        flow: int | None = None,
        start: float | str | None = None,
        end: float | str | None = None,
    ) -> "Figure":
        """Draw one of the usual figures of the run.

        Parameters
        ----------
        figure
            Name of a figure (default: the first one in this list whose record the run has kept):

            - ``"cwnd"`` from ``windows``: congestion window of each flow, in packets
            - ``"throughput"`` from ``packets``: bits on the wire of a link per second, also of each group
            - ``"jain"`` from ``throughput``: Jain's index of the active flows
            - ``"queue"`` from ``queue``: packets that wait at a link
            - ``"completion"`` from ``transfers``: distribution function of completion times
            - ``"arrivals"`` from ``arrivals``: packets that arrive at a link in each bin
            - ``"acks"`` from ``acks``: highest acknowledged segment of each flow
            - ``"states"`` from ``states``: state variables of a flow's window law
            - ``"gauges"`` from ``gauges``: state of a link's queue discipline
            - ``"phases"`` from ``phases``: phase of each sender
            - ``"drops"`` from ``drops`` and ``"marks"`` from ``marks``: each dropped or marked packet, by flow
            - ``"delay"`` from ``packets``: distribution function of the time in the queue of a link
            - ``"cov"`` from ``arrivals``: c.o.v. of the arrivals at a link over the width of bins
            - ``"ack_times"`` from ``acks``: arrival of each ACK, with a row for each flow
            - ``"diagram"`` from ``states``: round-trip time and delivery rate over what is in flight
            - ``"network"`` of a graph with ``measure.links``: its nodes in rows, with the load of each link

            The run must have kept the record: ``simulate(..., record=["queue/10ms", "windows"])``.
        link
            Name of the link, for a figure of a link (default: the measured link).
        flow
            Number of the flow, for a figure of flows (default: all recorded flows; for ``states`` and ``diagram``, the
            first one).
        start, end
            Time range, in s or as a text such as ``"10 s"`` (default: the whole run; for ``cov`` and ``delay``, the
            measured time).

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which a notebook shows. ``savefig`` writes it to a file.

        Raises
        ------
        ScenarioError
            There is no such figure, link or flow, a time is not allowed, the run has not kept the record of the figure,
            or there is nothing to draw.

        Examples
        --------
        >>> import ackclock as ac
        >>> scenario = ac.Scenario.from_toml("examples/codel.toml").changed({"duration": "12 s"})
        >>> run = ac.simulate(scenario, record=["queue/10ms"])
        >>> run.plot(start=10).axes[0].get_ylabel()
        'Queue at bottleneck, packets'
        >>> run.plot(figure="cwnd")
        Traceback (most recent call last):
        ackclock.values.errors.ScenarioError: plot: the figure cwnd needs the record windows, which was not kept: ask
        for it with simulate(..., record=["windows"]); replicate takes the same argument...
        """
        from ackclock.running import figures  # noqa: PLC0415  # slow to load

        return figures.figure([self], figure, link=link, flow=flow, start=start, end=end)

    def write_pcapng(self, capture: str, file: str | Path, *, snap_length: int = capturing.SNAP_LENGTH) -> Written:
        """Write the packets of a capture to a new pcapng file.

        The file has one interface with the packets of all requested points. Received packets are inbound; offered or
        dequeued packets are outbound. Times are whole nanoseconds since the beginning of the run. Each packet has IPv4
        and TCP or UDP headers with checksums, in front of a zero payload. A packet that the link does not carry has a
        comment with the reason.

        Parameters
        ----------
        capture
            One of `captures`.
        file
            Path of the new file, which is written atomically.
        snap_length
            Maximum stored bytes per packet, at least 80, which includes all headers. Checksums and lengths are computed
            for the whole packet.

        Returns
        -------
        Written
            Statistics of the file, and its differences from the simulated link.

        Raises
        ------
        ScenarioError
            The capture does not exist, the file exists already or cannot be created, or `snap_length` is not allowed.

        Notes
        -----
        A packet has the same length as on the simulated link if its headers fit into that length. The headers do not
        fit in three cases: a SYN and its answer, whose options are added to 40 bytes; an ACK with SACK blocks, where
        the simulated link omits the two bytes of the option header and the padding; and a datagram of fewer than 28
        bytes.
        """
        if capture not in self._captures:
            raise refuse("capture", capture, f"{one_of(capture, self._captures)} (simulate(..., capture=[...]))")
        return self._captures[capture].write(Path(file), snap_length, self._origin())

    def _origin(self) -> str:
        """Describe the origin of a capture, as stored in its file."""
        name = scenario_id(self.scenario.to_json())
        return f"scenario {name}, seed {self.seed}; times from the beginning of the run"

    def batch_means(self) -> "BatchMeans":
        """Return the mean arrivals per bin after the warm-up, with a confidence interval from this single run.

        Returns
        -------
        ackclock.analysis.BatchMeans
            In packets per bin of the record ``arrivals`` at the measured link, from `warmup` on (from ``measure.from``
            on if no end of the warm-up was found).

        Raises
        ------
        ScenarioError
            The run has no record ``arrivals`` of the measured link, or too few bins.
        """
        import pyarrow.compute as pc  # noqa: PLC0415  # slow to load, as is NumPy

        from ackclock.analysis import batch_means  # noqa: PLC0415

        arrivals, measure = self.table("arrivals"), self.scenario.measure
        begin = seconds(measure.from_ or "") if self.warmup is None else self.warmup
        there = pc.and_(
            pc.equal(arrivals["link"].cast("string"), measure.link), pc.greater_equal(arrivals["time"], begin)
        )
        try:
            return batch_means(arrivals["packets"].filter(there).to_numpy())
        except ValueError as error:
            raise refuse("batch_means", f"arrivals at {measure.link}", str(error)) from None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a copy or a pickle. Tables are converted, since the engine's rows cannot be copied."""
        return self.__dict__ | {"_tables": {name: self.table(name) for name in self.tables}, "_captures": {}}

    def to_dict(self) -> dict[str, Any]:
        """Return the run as printed by ``ackclock run --json``."""
        return {
            "scenario": self.scenario.to_dict(),
            "profile": self.scenario.profile,
            "seed": self.seed,
            **self.origin.to_dict(),
            **({"laws": [dict(law) for law in self.laws]} if self.laws else {}),
            **({"disciplines": [dict(each) for each in self.disciplines]} if self.disciplines else {}),
            **({} if self.live is None else {"live": dict(self.live)}),
            "notices": list(self.notices),
            "warmup": self.warmup,
            "summary": self.summary.to_dict(),
        }

    def save(self, directory: str | Path) -> None:
        """Write the run to a new directory: ``record.json``, and one Parquet file per table.

        Raises
        ------
        ScenarioError
            The directory exists already, or cannot be created.
        """
        record = self.to_dict() | {"record": list(self.record)}
        saving.save(Path(directory), record, ((name, self.table(name)) for name in self.tables))


def simulate(
    scenario: Scenario,
    *,
    seed: int = 1,
    record: Iterable[str] = (),
    capture: Iterable[str] = (),
    progress: Callable[[float], None] | None = None,
    jobs: int | None = None,
    memory: str | None = None,
) -> Run:
    """Simulate every packet of a scenario.

    Parameters
    ----------
    scenario
        The scenario.
    seed
        Random seed. The same scenario and seed give byte-identical results, whichever records are requested.
    record
        Tables to record in addition to ``flows``: ``KIND[@WHERE][/INTERVAL]``, such as ``"arrivals"`` or
        ``"queue@bottleneck/10ms"``. Without a name, a record of links covers the measured link, and a record of flows
        all flows; ``"packets@*"`` covers every link.
    capture
        Packets to capture for `Run.write_pcapng`: ``LINK[@POINT]``, several with commas, such as ``"bottleneck"`` or
        ``"access.0,access.0.reverse@receive"``. Packets are captured when they are offered to the link's queue; with
        the point ``dequeue``, when their transmission begins; with the point ``receive``, when they reach the far end.
    progress
        Called periodically with the fraction of simulated time done; an exception stops the run.
    jobs
        Number of `components` of the scenario to run in parallel (default: one per CPU). Does not affect results.
    memory
        Memory limit, such as ``"8 GB"`` (default: half of the machine's memory). A run that cannot fit is rejected
        before it begins. A run that exceeds the limit later is stopped.

    Returns
    -------
    Run
        The summary, the notices and the tables.

    Raises
    ------
    ScenarioError
        The argument is not a scenario, or the seed, a request, `jobs` or `memory` is not allowed; or the run
        needs more memory.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario(
    ...     duration="2 s",
    ...     dumbbell=ac.Dumbbell(
    ...         access=ac.Link(rate="10 Mbps", delay="5 ms"), bottleneck=ac.Link(rate="1 Mbps", delay="5 ms")
    ...     ),
    ...     clients=[ac.Clients(transport=ac.Udp(), source=ac.Constant(rate=10))],
    ... )
    >>> run = ac.simulate(scenario, record=["arrivals"])
    >>> run.summary.arrivals, run.summary.loss, run.table("arrivals").column_names
    (20, 0.0, ['time', 'link', 'packets'])
    """
    prepared = Prepared.of(scenario, record, capture)
    return prepared.run(seed, progress, jobs=threads(jobs), memory=memory_bound(memory))


def whole_scenario(given: object) -> Scenario:
    """Return a scenario unchanged; reject anything else."""
    if not isinstance(given, Scenario):
        raise refuse(
            "scenario",
            given,
            "must be a Scenario, made by Scenario(...), Scenario.from_toml(path) or Scenario.from_dict(tables)",
        )
    return given


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The results of a run in plain dictionaries."""

    summary: Mapping[str, Any]
    """The values of its `Summary`, by name."""
    groups: Sequence[Mapping[str, Any]]
    """The values of each `GroupSummary`, by name."""
    links: Sequence[Mapping[str, Any]]
    """The values of each `LinkSummary`, by name; the first is for the measured link."""
    notices: tuple[str, ...]
    warmup: float | None
    tables: Mapping[str, core.Rows]
    captures: Sequence[core.CapturedPackets]


def is_in_python(scenario: Scenario) -> bool:
    """Return whether a scenario has a law or a queue discipline written in Python."""
    links = [*scenario.links, *(group.access for group in scenario.clients)]
    if scenario.dumbbell is not None:
        links += [scenario.dumbbell.bottleneck, scenario.dumbbell.reverse, scenario.dumbbell.access]
    laws = (group.transport.law for group in scenario.groups if isinstance(group.transport, Tcp))
    queues = (link.queue for link in links if link is not None)
    return any(law is not None for law in laws) or any(queue and queue.kind == PYTHON for queue in queues)


def warmup_end(scenario: Scenario, length: int) -> float:
    """Return the simulated time at the end of the first `length` bins of the measured time, in s."""
    from_, bin_ = (TIME.parse(text or "") for text in (scenario.measure.from_, scenario.measure.bin))
    return (from_ + length * bin_) / PICOSECONDS_PER_SECOND


def _laws_of(scenario: Scenario) -> "tuple[LawInUse, ...]":
    """Find the laws written in Python of an effective scenario."""
    table = "clients" if scenario.clients else "flows"
    places = [
        (place, group.transport)
        for place, group in enumerate(scenario.groups)
        if isinstance(group.transport, Tcp) and group.transport.law is not None
    ]
    if not places:
        return ()
    from ackclock.laws.adapter import LawInUse  # noqa: PLC0415
    from ackclock.laws.law import Law  # noqa: PLC0415

    return tuple(
        LawInUse.of(
            f"{table}.{place}.transport.law",
            Law,
            tcp.law or "",
            (tcp.law_sha256, tcp.law_files_sha256),
            tcp.parameters,
            compiled=tcp.compiled is True,
        )
        for place, tcp in places
    )


def _disciplines_of(scenario: Scenario) -> "tuple[LawInUse, ...]":
    """Find the queue disciplines written in Python of an effective scenario."""
    places = own_disciplines(scenario)
    if not places:
        return ()
    from ackclock.laws.adapter import LawInUse  # noqa: PLC0415
    from ackclock.laws.discipline import Discipline  # noqa: PLC0415

    return tuple(
        LawInUse.of(
            at,
            Discipline,
            queue.discipline or "",
            (queue.discipline_sha256, queue.discipline_files_sha256),
            queue.parameters,
        )
        for at, queue in places
    )


@dataclass(frozen=True)
class Prepared:
    """A scenario prepared for the engine, which can be run with any number of seeds."""

    scenario: Scenario
    record: tuple[str, ...]
    captures: tuple[CaptureRequest, ...]
    plan: str
    notices: Notices
    laws: tuple["LawInUse", ...] = ()
    """The laws written in Python, in the order of their groups."""
    disciplines: tuple["LawInUse", ...] = ()
    """The queue disciplines written in Python, in the order of their numbers."""

    @classmethod
    def of(
        cls, scenario: object, record: Iterable[str], capture: Iterable[str] = (), *, executes: bool = True
    ) -> "Prepared":
        """Fill in the defaults of a scenario, parse the requests and make the plan; reject objects of other types.

        With `executes`, the files of laws and disciplines in Python are executed. Without it, a scenario that names
        such files is only looked at: it cannot be run, and what their classes alone define is missing.
        """
        given = whole_scenario(scenario)
        if executes and is_in_python(given):
            from ackclock.laws.loading import with_laws  # noqa: PLC0415  # few scenarios have such laws

            given = with_laws(given)
        effective = given.effective()
        requests = (record,) if isinstance(record, str) else tuple(record)
        records, captures = understand(requests, effective), tuple(capturing.understand(capture, effective))
        made = plan(effective, records, captures)
        own = {"laws": _laws_of(effective), "disciplines": _disciplines_of(effective)} if executes else {}
        return cls(effective, requests, captures, made, Notices(effective, made, given), **own)

    def simulate(
        self,
        seed: int,
        progress: Callable[[float], None] | None = None,
        *,
        jobs: int = 1,
        memory: int | None = None,
    ) -> Callable[[], Outcome]:
        """Simulate the scenario with one seed within a memory limit. The returned function reads the outcome."""
        SEED.require("seed", seed)
        memory = memory_bound(None) if memory is None else memory
        try:
            answer = self.answer(seed, progress, jobs, memory)
        except core.PlanError as error:
            raise impossible(in_scenario(str(error), self.scenario)) from None
        return lambda: self.read(*answer)

    def answer(
        self, seed: int, progress: Callable[[float], None] | None, jobs: int, memory: int
    ) -> tuple[str, Mapping[str, core.Rows], Sequence[core.CapturedPackets]]:
        """Return the engine's answer: the outcome as JSON, the tables and the captures."""
        if not self.laws and not self.disciplines:
            return core.simulate(self.plan, seed, progress, jobs, memory)
        from ackclock.laws.adapter import simulate as simulate_laws  # noqa: PLC0415  # few runs have such laws

        links = links_of(self.scenario)
        return simulate_laws(
            self.laws, self.disciplines, links, self.plan, seed, progress=progress, jobs=jobs, memory=memory
        )

    def read(self, outcome: str, tables: Mapping[str, core.Rows], captures: Sequence[core.CapturedPackets]) -> Outcome:
        """Read the engine's answer."""
        results = from_json(outcome)
        warmup = mser5(results["facts"]["bins"])
        names = (group.name or "" for group in self.scenario.groups)
        measure = self.scenario.measure
        further = zip(measure.links or (), results["elsewhere"], strict=True)
        return Outcome(
            summary=results["summary"],
            links=links_of_run(
                measure.link or "", results["summary"], ({"name": link, **found} for link, found in further)
            ),
            groups=[{"name": name, **group} for name, group in zip(names, results["groups"], strict=True)],
            notices=self.notices.of(outcome),
            warmup=None if warmup.length is None else warmup_end(self.scenario, warmup.length),
            tables=tables,
            captures=captures,
        )

    def run(
        self,
        seed: int,
        progress: Callable[[float], None] | None = None,
        *,
        jobs: int = 1,
        memory: int | None = None,
    ) -> Run:
        """Simulate the scenario with one seed within a memory limit, and return a complete `Run`."""
        return self.run_of(seed, self.simulate(seed, progress, jobs=jobs, memory=memory)())

    def run_of(self, seed: int, outcome: Outcome) -> Run:
        """Return the complete `Run` of an outcome with this seed."""
        return Run(
            scenario=self.scenario,
            seed=seed,
            origin=Origin.here(),
            record=self.record,
            summary=Summary(
                **outcome.summary,
                groups=Groups(GroupSummary(**group) for group in outcome.groups),
                links=Links(LinkSummary(**link) for link in outcome.links),
            ),
            notices=(*outcome.notices, *without_rows(self.record, outcome.tables, self.scenario)),
            warmup=outcome.warmup,
            laws=tuple(law.to_dict() for law in self.laws),
            disciplines=tuple(each.to_dict() for each in self.disciplines),
            _tables=outcome.tables,
            _captures={
                request.text: Captured(request, packets)
                for request, packets in zip(self.captures, outcome.captures, strict=True)
            },
        )
