"""The signatures for type checkers and editors equal the engine's declarations."""

from __future__ import annotations

import inspect
import pickle
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import ackclock as ac
import signatures
from ackclock.engine.catalogue import catalogue
from ackclock.values.arrow import ArrowColumn, ArrowTable

if TYPE_CHECKING:
    from pathlib import Path

ACCEPTED = """
import ackclock as ac

ac.Tcp()
ac.Tcp("vegas", max_window=20, alpha=2, base_rtt="ns2", clock="1 ms", clock_phase="random")
ac.Tcp(variant="newreno", partial_ack_timer="each", delayed_ack=None)
ac.Udp(packet_sizes="exponential")
queues = [ac.Queue("red", packets=50, min_th=5), ac.Red(bytes=9000, gentle=True), ac.DropTail(ties="arrival")]
queues += [
    ac.Cake(isolation="flows"),
    ac.Cobalt(interval="100 ms"),
    ac.CoDel(target="10 ms", ecn=True),
    ac.DualPi2(low="ect1"),
    ac.Fq(quantum=1514),
    ac.FqCodel(packets=1000, queues=64),
    ac.Pie(alpha=0.125),
    ac.Priority(bytes=9000),
]
losses = [
    ac.RandomLoss(probability=0.1, place="after"),
    ac.ListedLoss(packets=[24, 26]),
    ac.GilbertElliottPackets(to_bad=0.01, to_good=0.1),
]
sources = [
    ac.Poisson(rate=100),
    ac.Constant(rate=8.5),
    ac.Greedy(size="1 MB"),
    ac.OnOff(rate=125, on=ac.Pareto(mean="500 ms", shape=1.2), off=ac.Exponential(mean="1500 ms")),
    ac.FractionalNoise(rate=500, hurst=0.8, cov=0.3, bin="100 ms"),
    ac.Transfers(size=ac.Fixed(mean="60 kB"), think=ac.Exponential(mean="1 s")),
    ac.Connections(load=0.6, size=ac.SizeTable("web-search")),
    ac.Trace(path="arrivals.csv", scale=2),
]
ac.Scenario(
    duration="2 s",
    measure=ac.Measure(from_="1 s"),
    nodes=[ac.Node("a"), ac.Node("b")],
    links=[
        ac.GraphLink(
            from_="a", to="b", rate="1 Mbps", delay="1 ms", queue=queues[0], loss=ac.RandomLoss(probability=0.1)
        ),
        ac.GraphLink(
            from_="b",
            to="a",
            rate="1 Mbps",
            delay="1 ms",
            jitter=ac.Jitter(max="1 ms", reorders=True),
            reorder=ac.Reorder(probability=0.1, delay="5 ms"),
            policer=ac.Policer(rate="1 Mbps", burst=9000),
            shaper=ac.Shaper(rate="1 Mbps", burst=9000),
        ),
    ],
    flows=[ac.Flow(from_="a", to="b", transport=ac.Udp(), source=ac.Poisson(rate=9))],
)


def of(run: ac.Run, runs: ac.Runs) -> list[float | None]:
    estimates: list[ac.Estimate] = [runs.cov, runs.groups["a"].goodput_bps, runs.links["l"].loss]
    estimates += [runs.summary.cov, runs.summary.groups["a"].loss, runs.summary.links["l"].loss]
    numbers: list[float | None] = [run.cov, run.summary.cov, run.groups["a"].goodput_bps, run.links["l"].loss]
    return [*numbers, *(each.mean for each in estimates)]


def rows(run: ac.Run, runs: ac.Runs) -> list[float]:
    table = run.table("flows")
    names: list[str] = table.column_names
    both = len(runs.table("flows").select(names[:2])) + runs.per_seed.num_rows
    return [both, *table.filter(table["goodput_bps"].to_numpy() > 0)["goodput_bps"].to_pylist()]


run, runs = ac.simulate("a"), ac.replicate("a", 3)  # type: ignore
"""

PLACES = ("run", "runs", "run.summary", "runs.summary", 'run.groups["a"]', 'runs.groups["a"]', "runs.groups[0]")

REFUSED = {
    'ac.Tcp("vegas", alfa=2)': "alfa",
    'ac.Tcp("vegas", alpha="2")': "alpha",
    'ac.Tcp("reno", max_window=20.5)': "max_window",
    'ac.Tcp("sack", sack="rfc6676")': "sack",
    "ac.Udp(packet_size=3)": "packet_size",
    'ac.Queue("red", minimum=5)': "minimum",
    "ac.Queue(packets=50)": "kind",
    "ac.Red(min_th=True, gentle=3)": "gentle",
    "ac.DropTail(min_th=5)": "min_th",
    "ac.CoDel(target=5)": "target",
    "ac.FqCodel(max_burst=5)": "max_burst",
    'ac.Pie(kind="red")': "kind",
    'ac.RandomLoss(probability="1 %")': "probability",
    "ac.ListedLoss()": "packets",
    "ac.GilbertElliottPackets(to_bad=0.01, to_worse=0.1)": "to_worse",
    "ac.Jitter(max=2)": "max",
    'ac.Reorder(probability=0.1, hold="5 ms")': "hold",
    "ac.Poisson(rate=[100])": "rate",
    "ac.Greedy(bytes=3)": "bytes",
    'ac.Connections(load="60 %", size=ac.Fixed(mean="1 kB"))': "load",
    **{f"{place}.{name}": name for place in PLACES for name in ("covv", "goodput", "los")},
    'run.table("flows").colum_names': "colum_names",
    'runs.table("flows")["flow"].to_list': "to_list",
    'run.links["l"].utilisation': "utilisation",
    'runs.links["l"].utilisation': "utilisation",
    'runs.links["l"].jain_index': "jain_index",
}


def test_the_signatures_are_those_of_the_catalogue() -> None:
    """If this test fails, `make signatures` updates the files."""
    for file, text in signatures.FILES.items():
        assert file.read_text(encoding="utf-8") == text(), file


def test_every_queue_has_a_function_that_makes_it() -> None:
    """`ac.CoDel(...)` is `ac.Queue("codel", ...)`, shows its parameters at a prompt, and is public."""
    known = catalogue()
    assert sorted(known.queue_classes.values()) == sorted(known.queues)
    for name, kind in known.queue_classes.items():
        make = getattr(ac, name)
        assert make(packets=7) == ac.Queue(kind, packets=7)
        assert set(inspect.signature(make).parameters) == {
            *("packets", "bytes", "count_in_service"),
            *known.queues[kind].parameters,
        }
        assert all(f"\n{field}\n" in (make.__doc__ or "") for field in known.queues[kind].parameters)
        assert pickle.loads(pickle.dumps(make)) is make  # noqa: S301  # our own bytes
        assert name in ac.__all__
    link = ac.Link(rate="1 Mbps", delay="1 ms", queue=ac.CoDel(target="10 ms"))
    assert link.model_dump(exclude_none=True)["queue"] == {"kind": "codel", "target": "10 ms"}


def test_the_types_of_tables_have_what_arrow_has() -> None:
    run = ac.simulate(ac.Scenario.from_toml("examples/codel.toml").changed(duration="12 s"))
    table = run.table("flows")
    for kind, one in ((ArrowTable, table), (ArrowColumn, table["flow"])):
        declared = {name for name, value in vars(kind).items() if callable(value) or isinstance(value, property)}
        own = {name for name in declared if not name.startswith("_") or name in {"__len__", "__getitem__", "__array__"}}
        assert len(own) > 15
        assert [name for name in own if not hasattr(one, name)] == []


def test_every_declared_field_has_a_place_in_a_signature() -> None:
    shown = signatures.FILE.read_text(encoding="utf-8")
    tcp, queue, *_ = re.split(r"^class ", shown, flags=re.MULTILINE)[1:]
    known = catalogue()
    for text, part, entries in ((tcp, ac.Tcp, known.congestion), (queue, ac.Queue, known.queues)):
        declared = {name for entry in entries.values() for name in entry.parameters}
        for name in declared | set(part.model_fields) - {"kind"}:
            assert f"        {name}: " in text, name


@pytest.mark.slow
def test_a_type_checker_tells_right_from_wrong(tmp_path: Path, root: Path) -> None:
    """Mypy runs without pydantic's plugin and therefore sees the package as most editors do."""
    lines = [*ACCEPTED.splitlines(), *REFUSED]
    (tmp_path / "user.py").write_text("\n".join(lines))
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\nfollow_imports_for_stubs = true\n")
    cache = root / ".mypy_cache" / "user"  # without it, mypy reads NumPy and all others again: 10 s
    command = [sys.executable, "-m", "mypy", "--config-file=mypy.ini", f"--cache-dir={cache}", "user.py"]
    environment = {"MYPYPATH": str(root / "python"), "PATH": ""}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    found: dict[int, str] = {}
    for number, message in re.findall(r"^user\.py:(\d+): error: (.*)$", ran.stdout, re.MULTILINE):
        found[int(number)] = found.get(int(number), "") + message
    first = len(ACCEPTED.splitlines()) + 1
    assert sorted(found) == list(range(first, first + len(REFUSED))), ran.stdout
    for number, field in enumerate(REFUSED.values(), start=first):
        assert f'"{field}"' in found[number], found[number]
