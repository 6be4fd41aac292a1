"""Makes runs on a Ray cluster: Ray schedules the runs, and repeats the runs of a lost machine."""

from __future__ import annotations

import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar

from ackclock.values.errors import LostError, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Cluster"]

T = TypeVar("T")
R = TypeVar("R")

_WAITING: Final = 2
"""Tasks submitted to the cluster per CPU: while one task runs, the next is sent."""
_PATIENCE: Final = 5.0
"""Seconds to wait for a cluster to answer."""


class Cluster(Generic[T, R]):
    """Workers of a Ray cluster.

    Parameters
    ----------
    work
        Runs a task in a process of the cluster. This package must be installed on the cluster.
    address
        Address of the cluster to join (default: start one on this machine, and stop it at the end).
    jobs
        Maximum number of tasks submitted at a time (default: two per CPU of the cluster).

    Raises
    ------
    ScenarioError
        Ray is not installed, or there is no such cluster.
    LostError
        Ray does not start on this machine, or the cluster is lost.

    """

    def __init__(self, work: Callable[[T], R], *, address: str | None = None, jobs: int | None = None) -> None:
        if jobs is not None and jobs < 1:
            raise refuse("jobs", jobs, "must be an integer from 1")
        try:
            import ray  # noqa: PLC0415 - an extra, and slow to load
        except ImportError:
            allowed = "must be threads: Ray is not installed (pip install 'ackclock[ray]')"
            raise refuse("engine", "ray", allowed) from None
        self._ray: Any = ray
        self._work = work
        self._address = address
        self._jobs = jobs
        self._tasks: dict[Any, T] = {}
        self.room = 0
        """Number of tasks accepted at once; grows when machines join."""

    @property
    def under_way(self) -> list[tuple[T, float]]:
        """Always empty: Ray's workers do not report progress."""
        return []

    def submit(self, task: T) -> None:
        """Submit a task to the cluster."""
        with _lost("takes no more tasks"):
            self._tasks[self._remote.remote(task)] = task

    def ended(self, timeout: float) -> list[tuple[T, R | BaseException]]:
        """Wait at most `timeout` seconds for a task to end; return all ended tasks with their results or exceptions."""
        waiting = list(self._tasks)
        with _lost("does not answer"):
            if not self._ray.wait(waiting, timeout=timeout)[0]:
                self._measure()
                return []
            ready, _ = self._ray.wait(waiting, num_returns=len(waiting), timeout=0)
        return [(self._tasks.pop(each), self._outcome(each)) for each in ready]

    def drop(self) -> int:
        """Drop nothing: Ray does not report which tasks have not begun, so all submitted tasks are finished."""
        return 0

    def __enter__(self) -> Self:
        try:
            if self._address:
                _reach(self._address)
            self._ray.init(
                address=self._address or "local",
                num_cpus=None if self._address else self._jobs,
                include_dashboard=None if self._address else False,
                log_to_driver=False,
                logging_level="error",
            )
        except Exception as error:  # noqa: BLE001 - Ray also raises plain exceptions
            self._ray.shutdown()
            if self._address is None:
                raise LostError(f"Ray does not start: {_first_line(error)}") from None
            allowed = f"must be the address of a Ray cluster, as `ray start --head` prints it: {_first_line(error)}"
            raise refuse("address", self._address, allowed) from None
        with _lost("does not answer"):
            # Ray retries a run that is lost with its machine. An exception in the run itself is returned as a row.
            self._remote = self._ray.remote(num_cpus=1, max_retries=-1)(self._work)
            self._measure()
        return self

    def __exit__(self, *why: object) -> None:
        """Disconnect from the cluster, which ends our remaining tasks."""
        self._ray.shutdown()

    def _measure(self) -> None:
        processors = int(self._ray.cluster_resources().get("CPU", 1))
        self.room = self._jobs or max(1, _WAITING * processors)

    def _outcome(self, reference: Any) -> R | BaseException:
        try:
            outcome: R = self._ray.get(reference)
        except Exception as error:  # noqa: BLE001 - raised by the caller that waits for the task
            return LostError(f"Ray lost a run: {_first_line(error)}")
        return outcome


@contextmanager
def _lost(what: str) -> Iterator[None]:
    """Convert any exception of Ray into a one-line error."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - raised as another error
        raise LostError(f"Ray {what}: {_first_line(error)}") from None


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _reach(address: str) -> None:
    """Test the connection before Ray uses it, because Ray would retry for minutes."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if colon:
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
