"""Evaluates congestion controls after RFC 9743 (BCP 133), and queue disciplines after RFC 7928."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ackclock.engine.catalogue import catalogue
from ackclock.laws.discipline import Discipline
from ackclock.laws.law import Law
from ackclock.scenario import Queue, Tcp
from ackclock.scorecard.card import Result, Scorecard, examine
from ackclock.scorecard.experiment import Scope, Setting
from ackclock.scorecard.experiments import EXPERIMENTS
from ackclock.scorecard.queues import EXPERIMENTS as QUEUE_EXPERIMENTS
from ackclock.values.errors import one_of, refuse
from ackclock.values.kinds import whole

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ackclock.scorecard.experiment import Experiment, Queues

__all__ = ["SEEDS", "evaluate", "evaluate_queue", "queue_named", "transport"]

SEEDS: Final = whole(3, 1000)
"""Allowed numbers of seeds. With two, Student's interval is too wide for a verdict."""

T = TypeVar("T")
S = TypeVar("S", bound=Scope)


def evaluate(
    law: str | Tcp | Law | type[Law],
    *,
    against: str | Tcp | Law | type[Law] = "cubic",
    queue: str | Queue | Discipline | type[Discipline] = "droptail",
    fast: bool = False,
    seeds: int = 5,
    only: Collection[str] | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    lines: bool = False,
) -> Scorecard:
    """Evaluate a congestion control beside another one in its place.

    The experiments follow RFC 9743 (BCP 133), RFC 5166 and RFC 7928. The documents ask questions and leave the numbers
    open: the rules state them. All senders have the profile ``linux``; an evaluated transport may set other options.

    Parameters
    ----------
    law
        A built-in law, ``FILE.py:CLASS``, a class or object of `Law`, or a transport.
    against
        The yardstick, in the same forms.
    queue
        Queue of the measured link, where an experiment does not choose it.
    fast
        Whether to run only a part of the networks of each experiment.
    seeds
        Number of seeds, at least 3.
    only
        Keys of the experiments to run (default: all).
    jobs, memory
        As for `ackclock.replicate`.
    lines
        Whether to write lines of progress if there is no terminal.

    Returns
    -------
    Scorecard
        The verdicts, with all values.

    Raises
    ------
    ScenarioError
        There is no such law, queue or experiment, or a number is not allowed.

    Examples
    --------
    >>> card = evaluate("vegas", fast=True, only=["real_time", "extremes"])
    >>> print(card.answer())
    vegas passes 1 of 2 experiments, fails 1, beside cubic in its place.
    """
    tested, yardstick = transport("law", law), transport("against", against)
    return _card(
        _chosen(EXPERIMENTS, only),
        Setting(against=yardstick, fast=fast, queue=queue_named("queue", queue)),
        (tested, yardstick),
        names=(_law_name(law, tested), _law_name(against, yardstick)),
        documents="RFC 9743 (BCP 133), RFC 5166 and RFC 7928",
        seeds=seeds,
        jobs=jobs,
        memory=memory,
        lines=lines,
    )


def evaluate_queue(
    queue: str | Queue | Discipline | type[Discipline],
    *,
    against: str | Queue | Discipline | type[Discipline] = "droptail",
    fast: bool = False,
    seeds: int = 5,
    only: Collection[str] | None = None,
    jobs: int | None = None,
    memory: str | None = None,
    lines: bool = False,
) -> Scorecard:
    """Evaluate a queue discipline beside another one in its place, in the scenarios of RFC 7928.

    Both have the same limit in packets, and otherwise the defaults of the profile ``linux``.

    Parameters
    ----------
    queue
        A built-in discipline, ``FILE.py:CLASS``, a class or object of `Discipline`, or a queue with parameters, whose
        limit the experiments replace.
    against
        The yardstick, in the same forms.
    fast, seeds, only, jobs, memory, lines
        As for `evaluate`.

    Returns
    -------
    Scorecard
        The verdicts, with all values.

    Raises
    ------
    ScenarioError
        There is no such queue or experiment, or a number is not allowed.

    Examples
    --------
    >>> card = evaluate_queue("codel", fast=True, only=["marks"])
    >>> print(card.answer())
    codel passes 1 of 1 experiments, beside droptail in its place.
    """
    return _card(
        _chosen(QUEUE_EXPERIMENTS, only),
        Scope(fast=fast),
        (queue_named("queue", queue), queue_named("against", against)),
        names=(_queue_name(queue), _queue_name(against)),
        documents="RFC 7928",
        seeds=seeds,
        jobs=jobs,
        memory=memory,
        lines=lines,
    )


def _card(
    experiments: Sequence[Experiment[T, S]],
    scope: S,
    contenders: tuple[T, T],
    *,
    names: tuple[str, str],
    documents: str,
    seeds: int,
    **options: Any,
) -> Scorecard:
    """Run a contender and the yardstick in all cells, and return what they give; `options` are those of `examine`."""
    numbers = range(1, SEEDS.require("seeds", seeds) + 1)
    cells = {each: list(each.cells(scope)) for each in experiments}
    found = iter(examine([cell for those in cells.values() for cell in those], *contenders, seeds=numbers, **options))
    results = {
        each.key: Result(experiment=each, cells=list(islice(found, len(those)))) for each, those in cells.items()
    }
    name, against = names
    return Scorecard(name=name, against=against, documents=documents, seeds=numbers, fast=scope.fast, results=results)


def _chosen(experiments: Sequence[Experiment[T, S]], only: Collection[str] | None) -> list[Experiment[T, S]]:
    keys = [experiment.key for experiment in experiments]
    chosen = keys if only is None else [only] if isinstance(only, str) else list(only)
    if not chosen:
        raise refuse("only", only, "must name an experiment, or be absent for all")
    for key in chosen:
        if key not in keys:
            raise refuse("only", key, one_of(str(key), keys))
    return [experiment for experiment in experiments if experiment.key in chosen]


def transport(field: str, law: object) -> Tcp:
    """Return the transport of a law.

    Raises
    ------
    ScenarioError
        There is no such law.
    """
    if isinstance(law, Tcp):
        return law
    if isinstance(law, str) and ":" in law:
        return Tcp(law=law)
    if not isinstance(law, str):
        if not isinstance(law, Law) and not (isinstance(law, type) and issubclass(law, Law)):
            raise refuse(field, law, "must be the name of a law, FILE.py:CLASS, a Law or a Tcp")
        return Tcp(law)
    if law not in catalogue().variants:
        raise refuse(field, law, f"{one_of(law, catalogue().variants)}, or FILE.py:CLASS")
    return Tcp(law)


def _law_name(given: object, law: Tcp) -> str:
    """Return the name of a transport: of its class or its built-in law, with the options that were given."""
    name = law.law.rpartition(":")[2] if law.law else str(law.variant)
    if not isinstance(given, Tcp):
        return name
    options = catalogue().tcp_options
    return _with_values(name, {each: value for each, value in _given(given).items() if each in options})


def queue_named(field: str, queue: object) -> Queues:
    """Return what makes a queue of a kind from its limit in packets.

    Raises
    ------
    ScenarioError
        There is no such queue.
    """
    if isinstance(queue, Queue):
        given = _given(queue) | {"bytes": None}
        return lambda packets: Queue(**given | {"packets": packets})
    if isinstance(queue, str) and ":" in queue:
        return lambda packets: Queue(kind="python", discipline=queue, packets=packets)
    kinds = [name for name in catalogue().queues if name != "priority"]
    if isinstance(queue, str):
        if queue not in kinds:
            raise refuse(field, queue, f"{one_of(queue, kinds)}, or FILE.py:CLASS")
    elif not isinstance(queue, Discipline) and not (isinstance(queue, type) and issubclass(queue, Discipline)):
        raise refuse(field, queue, "must be the name of a queue, FILE.py:CLASS, a Discipline or a Queue")
    return lambda packets: Queue(queue, packets=packets)


def _queue_name(queue: str | Queue | Discipline | type[Discipline]) -> str:
    if isinstance(queue, Queue):
        rest = {each: value for each, value in _given(queue).items() if each not in {"kind", "packets", "bytes"}}
        return _with_values(str(queue.kind), rest)
    if isinstance(queue, str):
        return queue.rpartition(":")[2]
    return (queue if isinstance(queue, type) else type(queue)).__name__


def _given(part: Tcp | Queue) -> dict[str, Any]:
    """Return the fields of a part that were given."""
    return part.model_dump(exclude_unset=True)


def _with_values(name: str, values: Mapping[str, object]) -> str:
    words = ", ".join(f"{each} = {value}" for each, value in values.items())
    return f"{name} ({words})" if words else name
