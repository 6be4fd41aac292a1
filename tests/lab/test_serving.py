"""The server of ``ackclock lab --law``: whom it answers, and that it gives the results of `simulate`."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import tomllib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ackclock import Scenario, ScenarioError, simulate
from ackclock.cli import main
from ackclock.engine.catalogue import catalogue
from ackclock.lab.serving import MOST_BYTES, Content, LabServer
from lab_page import pack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LAW = """
import ackclock as ac

class Calm(ac.Law):
    \"\"\"Grows while the round-trip time is short.\"\"\"

    budget: float = 0.06

    def on_ack(self, window, ack):
        BODY
"""
GROWS = "window.cwnd += ack.counted / window.cwnd if ack.srtt < self.budget else -0.01"
SCENARIO = """
duration = "3 s"
[dumbbell]
access = { rate = "10 Mbps", delay = "5 ms" }
bottleneck = { rate = "5 Mbps", delay = "10 ms", queue = { kind = "droptail", packets = 50 } }
[[clients]]
count = 2
transport = { kind = "tcp", variant = "sack", law = "LAW", budget = 0.05 }
source = { kind = "greedy" }
"""
BUILT = (
    f'<meta name="engine" content="{catalogue().revision}"><meta content="default-src \'none\'; img-src data:">'
    '<script type="application/json" id="given">null</script><script type="application/json" id="law">null</script>'
)


def saved(folder: Path, body: str = GROWS) -> str:
    """Save the law, and return its name in scenarios."""
    (folder / "calm.py").write_text(LAW.replace("BODY", body), encoding="utf-8")
    return f"{folder / 'calm.py'}:Calm"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("laws")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LabServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ackclock.lab.page.resources.files", lambda _: folder)
        pack(folder / "page.zip", {"page.html": BUILT.encode(), "engine.wasm": b"", "catalogue.json": b""})
        made = LabServer(Content(saved(folder)))
    with made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def tables_of(folder: Path) -> dict[str, Any]:
    return tomllib.loads(SCENARIO.replace("LAW", saved(folder)))


def question(tables: dict[str, Any], **more: Any) -> bytes:
    plan = {
        "duration": more.pop("duration", 3 * 10**12),
        "measure": {"from": 0, "bin": 30 * 10**9, "link": 0},
        "records": [{"kind": "windows", "flows": [0, 1], "every": None}, {"kind": "phases", "flows": [0]}],
    }
    return json.dumps({"scenario": tables, "plan": plan, "seed": "7", **more}).encode()


def sent(
    server: LabServer, method: str, path: str, body: bytes = b"", **headers: str | None
) -> http.client.HTTPConnection:
    """Send a request as the page does, except for some headers."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)
    usual: dict[str, str | None] = {"Host": server.host, "Content-Type": "application/json"}
    if method == "POST":
        usual |= {"Origin": f"http://{server.host}", "Content-Length": str(len(body))}
    connection.putrequest(method, path, skip_host=True)
    for name, value in (usual | {name.replace("_", "-"): value for name, value in headers.items()}).items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(body)
    return connection


def status(server: LabServer, method: str, path: str, **headers: str | None) -> int:
    connection = sent(server, method, path, b"", **headers)
    found = connection.getresponse().status
    connection.close()
    return found


def asked(server: LabServer, body: bytes) -> dict[str, Any]:
    """Ask for a run; return the header of the answer, with the columns of all tables."""
    connection = sent(server, "POST", f"/{server.token}/run", body)
    response = connection.getresponse()
    assert response.status == 200
    progress, _, answer = response.read().partition(b"\0")
    connection.close()
    assert list(progress) == sorted(progress)
    size = int.from_bytes(answer[:4], "little")
    header: dict[str, Any] = json.loads(answer[4 : 4 + size])
    start = -(-(4 + size) // 8) * 8
    for table in header.get("tables", []):
        for column in table["columns"]:
            kind = {"f64": "<f8", "u32": "<u4", "u64": "<u8"}.get(column["kind"], "u1")
            column["values"] = np.frombuffer(answer, kind, table["rows"], start + column["at"])
    return header


def error(server: LabServer, body: bytes) -> str:
    return str(asked(server, body)["error"])


def test_the_page_has_the_law_and_may_ask_its_server_alone(server: LabServer) -> None:
    connection = sent(server, "GET", f"/{server.token}/")
    response = connection.getresponse()
    page = response.read().decode()
    connection.close()
    assert response.status == 200
    law = json.loads(page.partition('id="law">')[2].partition("</script>")[0])
    assert (law["name"], law["doc"]) == ("Calm", "Grows while the round-trip time is short.")
    assert law["defaults"] == {"budget": 0.06}
    assert law["transports"]["rfc"].keys() == catalogue().variants.keys()
    policy = str(response.getheader("Content-Security-Policy"))
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'none'; connect-src 'self';" in page


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/", "/run", "/page/", "//", "/%s/", "/%s/run"])
def test_a_request_without_the_token_is_refused(server: LabServer, method: str, path: str) -> None:
    assert status(server, method, path.replace("%s", "A" * len(server.token))) == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "attacker.example"},
        {"Host": "127.0.0.1"},
        {"Host": None},
        {"Origin": "http://attacker.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
    ids=str,
)
@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", "run")])
def test_a_request_of_another_site_is_refused(
    server: LabServer, method: str, path: str, headers: dict[str, str | None]
) -> None:
    """A site whose name leads to this machine (DNS rebinding) sends its own host; other sites, their own origin."""
    assert status(server, method, f"/{server.token}/{path}", **headers) == 403


def test_a_run_needs_an_origin(server: LabServer) -> None:
    assert status(server, "POST", f"/{server.token}/run", Origin=None) == 403


@pytest.mark.parametrize(
    ("method", "path", "headers", "expected"),
    [
        ("GET", "calm.py", {}, 404),
        ("GET", "../calm.py", {}, 404),
        ("GET", "run", {}, 404),
        ("POST", "", {}, 404),
        ("POST", "run", {"Content_Length": str(MOST_BYTES + 1)}, 413),
        ("POST", "run", {"Content_Length": "9" * 4000}, 413),
        ("POST", "run", {"Content_Length": "-1"}, 400),
        ("POST", "run", {"Content_Length": None}, 400),
        ("POST", "run", {"Content_Type": "text/plain"}, 400),
        ("OPTIONS", "run", {}, 501),
    ],
)
def test_only_the_page_and_runs_are_served(
    server: LabServer, method: str, path: str, headers: dict[str, str | None], expected: int
) -> None:
    assert status(server, method, f"/{server.token}/{path}", **headers) == expected


def test_a_run_gives_the_bytes_of_simulate(server: LabServer, folder: Path) -> None:
    tables = tables_of(folder)
    answer = asked(server, question(tables))
    run = simulate(Scenario.from_dict(tables), seed=7, record=["windows", "phases"])
    summary = run.summary.to_dict()
    assert answer["outcome"]["summary"].items() <= summary.items()
    assert answer["notices"] == list(run.notices)
    (found,) = (table for table in answer["tables"] if table["name"] == "windows")
    expected = run.table("windows")
    assert found["rows"] == expected.num_rows > 100
    for column in found["columns"]:
        if column["name"] in {"time", "cwnd", "ssthresh", "srtt"}:
            assert column["values"].tobytes() == expected[column["name"]].to_numpy().tobytes(), column["name"]
    (phases,) = (column for table in answer["tables"] if table["name"] == "phases" for column in table["columns"][-1:])
    assert phases["words"], "words are places in a list"


def test_a_span_has_the_rows_within_it(server: LabServer, folder: Path) -> None:
    answer = asked(server, question(tables_of(folder), **{"from": 1.0, "until": 2.0}))
    (times,) = (
        column["values"]
        for table in answer["tables"]
        if table["name"] == "windows"
        for column in table["columns"]
        if column["name"] == "time"
    )
    assert 1.0 <= times.min() < times.max() < 2.0


def test_each_run_has_the_law_as_it_is_saved_then(server: LabServer, folder: Path) -> None:
    first = asked(server, question(tables_of(folder)))["outcome"]
    tables = tables_of(folder)
    saved(folder, "window.cwnd += 0.001")
    assert asked(server, question(tables))["outcome"] != first
    saved(folder)
    assert asked(server, question(tables))["outcome"] == first


def test_the_error_of_a_law_has_its_message_and_the_simulated_time(server: LabServer, folder: Path) -> None:
    tables = tables_of(folder)
    saved(folder, "window.cwnd = 1 / (ack.now < 0.5)")
    text = error(server, question(tables))
    where = r"law Calm: on_ack failed for flow [01] at 0\.[5-9]\d* s"
    pattern = where + r": ZeroDivisionError: division by zero \(calm.py, line 10\)"
    assert re.fullmatch(pattern, text), text
    saved(folder, "this is no Python")
    assert "clients.0.transport.law: " in error(server, question(tables))
    assert "SyntaxError" in error(server, question(tables))
    saved(folder, "raise SystemExit")
    assert re.fullmatch(where + r": SystemExit \(calm.py, line 10\)", error(server, question(tables)))
    saved(folder, "__import__('os')._exit(1)")
    assert "the process that runs the law has ended" in error(server, question(tables))
    saved(folder)
    assert "outcome" in asked(server, question(tables))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "the request cannot be answered: JSONDecodeError"),
        (b"[" * 100_000, "the request cannot be answered: RecursionError"),
        (b"[]", "the request cannot be answered: TypeError"),
        (b'{"scenario": {}}', "duration: missing"),
    ],
    ids=["no JSON", "deep", "no question", "no scenario"],
)
def test_a_request_that_makes_no_sense_has_a_message(server: LabServer, body: bytes, message: str) -> None:
    assert error(server, body).startswith(message)


def test_no_other_law_and_no_other_file_is_read(server: LabServer, folder: Path) -> None:
    other = f"{folder / 'other.py'}:Calm"
    (folder / "other.py").write_text("raise SystemExit", encoding="utf-8")
    refused = "is not allowed; must be a file with which the lab was started"
    for place, changed in (
        ("clients", [{"transport": {"kind": "tcp", "law": other}}]),
        ("clients", [{"source": {"kind": "trace", "path": "/etc/hostname"}}]),
        ("dumbbell", {"bottleneck": {"queue": {"discipline": other}}}),
        ("dumbbell", {"bottleneck": {"rate_trace": {"path": "/etc/hostname"}}}),
    ):
        assert refused in error(server, question(tables_of(folder) | {place: changed})), changed


@pytest.mark.parametrize("rest", ["pass", "while True: pass"], ids=["a long run", "a law that never returns"])
def test_a_client_that_goes_cancels_its_run(server: LabServer, folder: Path, rest: str) -> None:
    tables = tables_of(folder)
    with socket.create_server(("127.0.0.1", 0)) as begins:
        begins.settimeout(20)
        address = begins.getsockname()
        begins_once = f"self.begun = True; import socket; socket.create_connection({address}).close()"
        saved(folder, f"if not hasattr(self, 'begun'): {begins_once}\n        {rest}")
        long = question({**tables, "duration": "9000 s"}, duration=9000 * 10**12)
        connection = sent(server, "POST", f"/{server.token}/run", long)
        begins.accept()[0].close()
        connection.close()
        saved(folder)
        assert "outcome" in asked(server, question(tables))


class TestTheCommand:
    def test_serves_until_an_interrupt(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def interrupted(server: LabServer) -> None:
            content = server.process._content
            assert (content.law, content.name, content.seed) == (saved(folder), "scenario", 3)
            transport = dict(content.tables or {})["clients"][0]["transport"]
            assert transport == {"kind": "tcp", "variant": "reno", "law": saved(folder), "budget": 0.04}
            raise KeyboardInterrupt

        monkeypatch.setattr("ackclock.lab.page.resources.files", lambda _: folder)
        monkeypatch.setattr(LabServer, "serve_forever", interrupted)
        monkeypatch.chdir(folder)
        saved(folder)
        reno = SCENARIO.replace("sack", "reno").replace('law = "LAW", budget = 0.05', "byte_counting = 2")
        (folder / "scenario.toml").write_text(reno.replace(", byte_counting = 2", ""), encoding="utf-8")
        budget = "clients.0.transport.budget=0.04"
        with pytest.raises(SystemExit) as ended:
            main(["lab", "scenario.toml", "--law", "calm.py:Calm", "--seed", "3", "--set", budget, "--no-open"])
        assert ended.value.code == 0
        first, second, last = capsys.readouterr().out.splitlines()
        assert first.startswith("The lab is http://127.0.0.1:")
        assert second == f"Each run reads {folder / 'calm.py'} again. Keep the address secret. Ctrl-C ends the lab."
        assert last == "The lab has ended"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--law", "absent.py:Calm"], "--law: '"),
            (["--law", "Calm"], "--law: 'Calm' is not allowed; must be FILE.py:CLASS"),
            (["--law", "calm.py:Storm"], "the laws in this file: Calm"),
            (["--law", "calm.py:Calm", "--out", "x.html"], "--out: 'x.html' is not allowed; must be absent with --law"),
        ],
    )
    def test_refuses_what_it_cannot_serve(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        options: list[str],
        message: str,
    ) -> None:
        monkeypatch.chdir(folder)
        saved(folder)
        with pytest.raises(SystemExit) as ended:
            main(["lab", *options])
        assert ended.value.code == 2
        assert message in capsys.readouterr().err


def test_the_page_begins_with_the_scenario(server: LabServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackclock.lab.page.resources.files", lambda _: folder)
    page = Content(saved(folder), tables_of(folder), seed=7, name="mine").page().decode()
    given = json.loads(page.partition('id="given">')[2].partition("</script>")[0])
    assert (given["name"], given["seed"]) == ("mine", "7")
    assert given["scenario"]["clients"][0]["transport"]["law"] == saved(folder)
    expected = asked(server, question(tables_of(folder)))["outcome"]
    for tables in (given["scenario"], given["effective"]):
        assert asked(server, question(tables))["outcome"] == expected


def test_a_lab_needs_the_page(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ackclock.lab.page.resources.files", lambda _: tmp_path)
    with pytest.raises(ScenarioError, match="run `make lab`"):
        LabServer(Content(saved(folder)))
