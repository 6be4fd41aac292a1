"""Serves the lab's page for a law in Python: the page asks a server on this machine to run each scenario natively.

Only this machine reaches the server, and only with the random token in its address. A page of another site learns
nothing: each request must name the server as its host, and comes from the served page. The law runs in a process of its
own, which is replaced if it does not stop. It answers as the engine for pages (``crates/wasm``) does.
"""

import json
import multiprocessing
import secrets
import signal
import socket
import socketserver
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, ClassVar, Final

import numpy as np

from ackclock.engine import core
from ackclock.engine.processors import memory_bound
from ackclock.lab.catalogue import law_for_page
from ackclock.lab.document import document
from ackclock.lab.following import leaves
from ackclock.lab.page import page_with
from ackclock.laws.adapter import LawError
from ackclock.laws.loading import with_laws
from ackclock.running.run import SEED, Prepared
from ackclock.scenario import Scenario
from ackclock.values.errors import ScenarioError, refuse

__all__ = ["Content", "LabServer"]

MOST_BYTES: Final = 4_000_000
"""Maximum length of a request."""
_WAIT: Final = 0.5
"""Seconds in which a cancelled run must stop before its process is killed."""
_PROGRESS: Final = 200
"""Progress is one byte from 1 to this; a zero comes before the answer."""
_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

Report = Callable[[float], None]


@dataclass(frozen=True)
class Content:
    """What the page begins with."""

    law: str
    """The law, as ``FILE:CLASS``. The file is read again for each run."""
    tables: Mapping[str, Any] | None = None
    """The scenario; the page selects one if there is none."""
    seed: int = 1
    name: str = ""

    def page(self, _: Report | None = None) -> bytes:
        """Return the page.

        Raises
        ------
        ScenarioError
            The law or the scenario is not valid, or the page is not built.
        """
        given = None
        if self.tables is not None:
            scenario = with_laws(Scenario.from_dict(_readable(self, self.tables)))
            given = document(scenario, seed=self.seed, name=self.name, served=True)
            _forget(given["scenario"])
            _forget(given["effective"])
        return page_with(given, law_for_page(self.law)).encode()

    def answer(self, report: Report, question: bytes) -> bytes:
        """Run a scenario as the page asks, and return the answer in the form of the engine for pages."""
        try:
            return _run(self, json.loads(question), report)
        except LawError as error:
            traceback.print_exception(error.__cause__)
            problem = str(error)
        except (ScenarioError, core.PlanError) as error:
            problem = error.headline if isinstance(error, ScenarioError) else str(error)
        except _CancelledError:
            problem = "cancelled"
        except Exception as error:  # noqa: BLE001  # a request may contain anything
            problem = f"the request cannot be answered: {type(error).__name__}: {error}"
        return _framed(json.dumps({"error": problem}))


_FILES: Final = ("law", "discipline", "path")
"""Fields of a scenario that name files."""


def _readable(content: Content, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scenario's tables for this moment's law; refuse files that the lab was not started with."""
    known = [None, content.law, *(value for at, value in leaves(content.tables) if at and at[-1] in _FILES)]
    for at, value in leaves(given):
        if at and at[-1] in _FILES and value not in known:
            raise refuse(".".join(map(str, at)), value, "must be a file with which the lab was started")
    tables: dict[str, Any] = json.loads(json.dumps(given))
    _forget(tables)
    return tables


def _forget(tables: Any) -> None:
    """Remove the digests of laws from a scenario's tables: each run has the law of its own moment."""
    for at, _ in list(leaves(tables)):
        if at and str(at[-1]).endswith("_sha256"):
            inner = tables
            for step in at[:-1]:
                inner = inner[step]
            del inner[at[-1]]


def _run(content: Content, asked: Mapping[str, Any], report: Report) -> bytes:
    prepared = Prepared.of(Scenario.from_dict(_readable(content, asked["scenario"])).effective(), ())
    # the page selects records, and the part of the run that it draws packet by packet
    chosen = {name: asked["plan"][name] for name in ("duration", "measure", "records")}
    prepared = replace(prepared, plan=json.dumps(json.loads(prepared.plan) | chosen))
    seed = SEED.require("seed", int(asked["seed"]))
    outcome, tables, captures = prepared.answer(seed, report, 1, memory_bound(None))
    notices = prepared.read(outcome, tables, captures).notices
    values, described = bytearray(), []
    for name, table in tables.items():
        columns = {column: (kind, data) for column, kind, data in table.columns()}
        rows = _rows(columns, asked.get("from"), asked.get("until"))
        described.append({"name": name, "rows": len(rows), "columns": list(_columns(columns, rows, values))})
    header = json.dumps({"notices": notices, "tables": described})
    return _framed(f'{{"outcome":{outcome},{header[1:]}') + values


_TYPES: Final = {"u32": "<u4", "u64": "<u8", "f64": "<f8"}


def _rows(columns: Mapping[str, tuple[str, bytes]], first: float | None, until: float | None) -> range:
    """Return the rows of a table within a span of time in seconds; all rows if it has no times."""
    kind, data = columns.get("time") or next(iter(columns.values()))
    values = np.frombuffer(data, _TYPES.get(kind, "u1"))
    if "time" not in columns:
        return range(len(values))
    ends = [0 if first is None else first, np.inf if until is None else until]
    return range(*map(int, np.searchsorted(values, ends)))


def _columns(columns: Mapping[str, tuple[str, bytes]], rows: range, to: bytearray) -> Iterator[dict[str, Any]]:
    """Append the values of all columns, each at a multiple of eight bytes, and describe them."""
    for name, (kind, data) in columns.items():
        to.extend(bytes(-len(to) % 8))
        kind_only, _, words = kind.partition(":")
        size = np.dtype(_TYPES.get(kind, "u1")).itemsize
        yield {"name": name, "kind": kind_only, "at": len(to), **({"words": words.split(",")} if words else {})}
        to.extend(data[size * rows.start : size * rows.stop])


def _framed(header: str) -> bytes:
    data = header.encode()
    return len(data).to_bytes(4, "little") + data + bytes(-(4 + len(data)) % 8)


class _CancelledError(Exception):
    """The page no longer waits for the run."""


def _work(connection: Connection, content: Content) -> None:
    """Answer questions, each with numbers (the fraction done) and then bytes; ``None`` cancels."""

    def report(fraction: float) -> None:
        if connection.poll():
            raise _CancelledError
        connection.send(fraction)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        try:
            question = connection.recv()
            if question is None:
                continue
            name, *arguments = question
            connection.send(getattr(content, name)(report, *arguments))
        except (EOFError, OSError):
            return
        except ScenarioError:
            connection.send(b"")


class _Process:
    """The process that runs the law, one question at a time."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._turn = threading.Lock()
        self._closed = False
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other, self._content), daemon=True)
        with _without_interrupts():
            self._process.start()
        other.close()

    def _end(self) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()

    def close(self) -> None:
        """End the process, also during a run."""
        self._closed = True
        self._process.kill()
        with self._turn:
            self._end()

    def ask(self, client: socket.socket, report: Report, *question: Any) -> bytes | None:
        """Return the answer to a question; None if the client does not wait for it, or the process has ended."""
        with self._turn:
            if self._closed or wait([client], 0):
                return None
            try:
                return self._asked(client, report, question)
            except (EOFError, OSError):
                if not self._closed:
                    self._end()
                    self._start()
                raise EOFError from None

    def _asked(self, client: socket.socket, report: Report, question: tuple[Any, ...]) -> bytes | None:
        self._connection.send(question)
        while True:
            # a client that sends more, or closes, has gone
            if client in wait([self._connection, client]):
                self._cancel()
                return None
            match self._connection.recv():
                case bytes(answer):
                    return answer
                case float(fraction):
                    try:
                        report(fraction)
                    except OSError:
                        self._cancel()
                        return None

    def _cancel(self) -> None:
        self._connection.send(None)
        while self._connection.poll(_WAIT):
            if isinstance(self._connection.recv(), bytes):
                return
        self._process.kill()
        self._process.join()
        raise EOFError


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start processes that Ctrl-C does not interrupt: it reaches all processes of a terminal."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # it unblocks the signal where it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class LabServer(socketserver.ThreadingTCPServer):
    """The server of one page, on a free port of the loopback interface.

    Parameters
    ----------
    content
        What the page begins with.

    Raises
    ------
    ScenarioError
        The law or the scenario is not valid, or the page is not built.
    """

    daemon_threads = True

    def __init__(self, content: Content) -> None:
        self.page = content.page()
        super().__init__(("127.0.0.1", 0), _Handler)
        self.host = f"127.0.0.1:{self.server_address[1]}"
        self.token = secrets.token_urlsafe(32)
        self.address = f"http://{self.host}/{self.token}/"
        self.process = _Process(content)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that have gone; report all other errors."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        """Close the server and end the process that runs the law."""
        super().server_close()
        self.process.close()


class _Handler(BaseHTTPRequestHandler):
    server: LabServer
    protocol_version = "HTTP/1.1"
    server_version = "ackclock"
    sys_version = ""
    timeout: ClassVar[int] = 20

    def do_GET(self) -> None:  # the name that http.server calls
        if self._refused("/"):
            return
        # while the file of the law is not valid, the page is the one of the beginning; its runs report the problem
        try:
            page = self.server.process.ask(self.connection, lambda _: None, "page")
        except EOFError:
            page = None
        self._reply(HTTPStatus.OK, page or self.server.page, "text/html; charset=utf-8")

    def do_POST(self) -> None:
        if self._refused("/run"):
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or self.headers.get_content_type() != "application/json":
            self._reply(HTTPStatus.BAD_REQUEST, b"A request is JSON, and tells its length.")
        elif int(length[:20]) > MOST_BYTES:
            self._reply(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A request has at most {MOST_BYTES} bytes.".encode())
        else:
            question = self.rfile.read(int(length))
            self._head(HTTPStatus.OK, "application/octet-stream", {"Transfer-Encoding": "chunked"})
            try:
                answer = self.server.process.ask(self.connection, self._report, "answer", question)
            except EOFError:
                answer = _framed('{"error":"the process that runs the law has ended; its next run begins again"}')
            if answer is not None:
                self._chunk(b"\0" + answer)
                self._chunk(b"")

    def _report(self, fraction: float) -> None:
        self._chunk(bytes([1 + int(fraction * (_PROGRESS - 1))]))

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _refused(self, path: str) -> bool:
        """Reply to a request that does not come from the page or does not know the token."""
        own, origin = f"http://{self.server.host}", self.headers.get_all("Origin", [])
        is_own = (
            self.headers.get_all("Host") == [self.server.host]
            and (origin == [own] or (origin == [] and self.command == "GET"))
            and self.headers.get("Sec-Fetch-Site", "none") in {"none", "same-origin"}
        )
        _, token, *rest = [*self.path.split("/", 2), ""]
        knows = secrets.compare_digest(token.encode(), self.server.token.encode())
        if not is_own or not knows:
            self._reply(HTTPStatus.FORBIDDEN, b"The command `ackclock lab` prints the address of its page.")
        elif f"/{rest[0]}" != path:
            self._reply(HTTPStatus.NOT_FOUND, b"There is only the page.")
        else:
            return False
        return True

    def _reply(self, status: HTTPStatus, content: bytes, kind: str = "text/plain; charset=utf-8") -> None:
        self._head(status, kind, {"Content-Length": str(len(content))})
        self.wfile.write(content)

    def _head(self, status: HTTPStatus, kind: str, more: Mapping[str, str]) -> None:
        self.close_connection = True
        self.send_response(status)
        fixed = {
            "Content-Type": kind,
            "Content-Security-Policy": _POLICY,
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Connection": "close",
        }
        for name, value in {**fixed, **more}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing: the terminal shows the law's own errors."""
