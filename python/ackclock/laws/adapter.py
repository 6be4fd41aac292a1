"""Laws in a run: what the engine gets, what a result keeps, and the error of a law that fails."""

import ctypes
import pickle
import platform
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from ackclock.engine import core
from ackclock.engine.stopping import stoppable
from ackclock.laws import finding
from ackclock.laws.algorithm import Algorithm, base_of, maker
from ackclock.laws.files import files_of
from ackclock.laws.finding import UnknownLawError, error_line
from ackclock.laws.law import Law
from ackclock.laws.source import Source
from ackclock.values.errors import refuse

if TYPE_CHECKING:
    from ackclock.scenario.links import Links

__all__ = ["DisciplineError", "LawError", "LawInUse", "watched"]


class LawError(RuntimeError):
    """A law failed. Its own exception, with the traceback, is the ``__cause__``.

    Attributes
    ----------
    law, flow, connection
        Name of the law, number of its flow, and number of the flow's connection, from 0.
    time
        Simulated time in seconds.
    call
        The method that failed.
    """

    def __init__(  # noqa: PLR0917  # a pickle has positions only
        self, law: str, flow: int, connection: int, time: float, call: str, reason: str
    ) -> None:
        super().__init__(law, flow, connection, time, call, reason)
        self.law, self.flow, self.connection, self.time, self.call, self.reason = (
            law,
            flow,
            connection,
            time,
            call,
            reason,
        )

    def __str__(self) -> str:
        which = f", connection {self.connection}" if self.connection else ""
        return f"law {self.law}: {self.call} failed for flow {self.flow}{which} at {self.time:.9g} s: {self.reason}"

    @classmethod
    def of(cls, failed: core.LawFailedError) -> Self:
        """Convert the engine's exception."""
        law, flow, connection, time, call, reason = failed.args
        cause = failed.__cause__
        return cls(law, flow, connection, time, call, reason if cause is None else error_line(cause))


class DisciplineError(RuntimeError):
    """A queue discipline failed. Its own exception, with the traceback, is the ``__cause__``.

    Attributes
    ----------
    discipline, link
        Name of the discipline and of its link.
    time
        Simulated time in seconds.
    call
        The method that failed.
    """

    def __init__(self, discipline: str, link: str, time: float, call: str, reason: str) -> None:
        super().__init__(discipline, link, time, call, reason)
        self.discipline, self.link, self.time, self.call, self.reason = discipline, link, time, call, reason

    def __str__(self) -> str:
        return (
            f"discipline {self.discipline}: {self.call} failed at link {self.link} at {self.time:.9g} s: {self.reason}"
        )

    @classmethod
    def of(cls, failed: core.DisciplineFailedError, links: "Links") -> Self:
        """Convert the engine's exception."""
        discipline, link, time, call, reason = failed.args
        cause = failed.__cause__
        return cls(discipline, links.name(link), time, call, reason if cause is None else error_line(cause))


@dataclass(frozen=True)
class LawInUse:
    """The law of a group of flows, or the discipline of queues.

    A pickle of it contains what another process needs to have the same class: the text of a file that was loaded here,
    or the class itself as its module or a notebook defines it.
    """

    law: type[Algorithm]
    parameters: Mapping[str, Any]
    compiled: bool = False
    source: Source = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", finding.use(self.law))

    @classmethod
    def of(
        cls,
        at: str,
        base: type[Algorithm],
        law: str,
        digests: tuple[str | None, str | None],
        parameters: Mapping[str, Any],
        *,
        compiled: bool = False,
    ) -> Self:
        """Find the class that a transport or queue names; ``at`` is the path of the field, ``digests`` as for `find`.

        Raises
        ------
        ScenarioError
            There is no such class, or it has another source now.
        """
        try:
            found = finding.find(law, base, *digests)
        except UnknownLawError as error:
            raise refuse(at, law, str(error)) from error.__cause__
        return cls(found, dict(parameters), compiled)

    def for_engine(self) -> "core.InterpretedLaw | core.CompiledLaw":
        """Return a law in the engine's form."""
        assert issubclass(self.law, Law)  # noqa: S101  # narrows the type
        if self.compiled:
            from ackclock.laws.compiling import machine_code  # noqa: PLC0415  # it needs numba

            return machine_code(self.law, self.parameters)
        return core.InterpretedLaw(maker(self.law, self.parameters))

    def to_dict(self) -> dict[str, Any]:
        """Return what a result keeps of the law, in addition to the scenario."""
        described = {
            base_of(self.law).interface.noun: self.source.law,
            "sha256": self.source.sha256,
            "python": platform.python_version(),
        }
        if self.compiled:
            described["numba"] = sys.modules["numba"].__version__
        return described | {"source": self.source.text}

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in ("parameters", "compiled", "source")}
        files = files_of(self.law.__module__)
        if files is not None:
            return state | {"files": files, "base": base_of(self.law), "name": self.law.__qualname__}
        # Ray also sends classes of the running script. It would set the attributes of a class that is there already.
        cloud = sys.modules.get("ray.cloudpickle", pickle)
        return state | {"law": cloud.dumps(self.law)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        source = state["source"]
        law = finding.known(source.law, source.sha256)
        if law is None and "files" in state:
            base = state["base"]
            law = finding.in_module(finding.executed(state["files"], base), base, state["name"])
        if law is None:
            law = pickle.loads(state["law"])  # noqa: S301  # within a pickle
        finding.restore(law, source)
        for name in ("parameters", "compiled", "source"):
            object.__setattr__(self, name, state[name])
        object.__setattr__(self, "law", law)


def simulate(
    laws: Sequence[LawInUse],
    disciplines: Sequence[LawInUse],
    links: "Links",
    plan: str,
    seed: int,
    *,
    progress: Callable[[float], None] | None,
    jobs: int,
    memory: int,
) -> tuple[str, Mapping[str, core.Rows], Sequence[core.CapturedPackets]]:
    """Run a plan with its laws and disciplines, on these links.

    Raises
    ------
    LawError, DisciplineError
        A law or a discipline has failed.
    """
    made = [law.for_engine() for law in laws]
    queues = [core.InterpretedDiscipline(maker(each.law, each.parameters)) for each in disciplines]
    try:
        with attended([*made, *queues]):
            return core.simulate(plan, seed, progress, jobs, memory, made, queues)
    except core.DisciplineFailedError as failed:
        raise DisciplineError.of(failed, links) from _reason(failed)


@contextmanager
def attended(made: Sequence[object]) -> Iterator[None]:
    """Watch the calls of laws that the engine runs, and let Ctrl-C interrupt them.

    Raises
    ------
    LawError
        A law has failed.
    """
    try:
        with watched(made), stoppable():
            yield
    except core.LawFailedError as failed:
        raise LawError.of(failed) from _reason(failed)


def _reason(failed: BaseException) -> BaseException | None:
    """Return the exception of an algorithm that has failed; raise an interrupt."""
    cause = failed.__cause__
    if cause is not None and not isinstance(cause, Exception | SystemExit | SlowLawError):
        raise cause from None
    return cause


# A law that never returns would stop its run for ever, and Ctrl-C reaches the main thread only. A thread therefore
# looks once a second whether each running law has returned from a call, and ends calls that take too long.

LONGEST_CALL: Final = 10
"""Seconds after which a single call of a law fails."""


class SlowLawError(BaseException):
    """Raised in a law that does not return. It is no `Exception`, so that no law catches it by accident."""

    def __str__(self) -> str:
        return f"the call has not returned for {LONGEST_CALL} s"


_running: dict[int, Sequence["core.InterpretedLaw | core.InterpretedDiscipline"]] = {}
"""The interpreted laws of each thread that runs a plan."""
_lock = threading.Lock()


@contextmanager
def watched(laws: Sequence[object]) -> Iterator[None]:
    """Watch the calls of the laws in a run."""
    interpreted = [law for law in laws if isinstance(law, core.InterpretedLaw | core.InterpretedDiscipline)]
    if not interpreted:
        yield
        return
    me = threading.get_ident()
    with _lock:
        _running[me] = interpreted
        if not any(thread.name == _WATCH for thread in threading.enumerate()):
            threading.Thread(target=_watch, name=_WATCH, daemon=True).start()
    try:
        yield
    finally:
        with _lock:
            del _running[me]


_WATCH: Final = "ackclock-laws"


def _watch() -> None:
    stuck: dict[int, tuple[int, int]] = {}
    wait = threading.Event()
    while True:
        wait.wait(1.0)
        with _lock:
            if not _running:
                return
            for thread, laws in _running.items():
                calls = sum(law.calls for law in laws)
                before, seconds = stuck.get(thread, (calls, 0))
                # an odd number: a call runs
                seconds = seconds + 1 if calls == before and calls % 2 and not _in_debugger(thread) else 0
                stuck[thread] = (calls, seconds)
                if seconds >= LONGEST_CALL:
                    raise_in(thread, SlowLawError)
                    stuck[thread] = (calls, 0)


def raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise an exception in another thread, the next time that it runs Python code."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _in_debugger(thread: int) -> bool:
    frame = sys._current_frames().get(thread)  # noqa: SLF001  # the only way to see another thread
    while frame is not None:
        if frame.f_globals.get("__name__") in {"bdb", "pdb"}:
            return True
        frame = frame.f_back
    return False
