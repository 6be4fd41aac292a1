"""Queue disciplines written in Python: the same bytes as the built-in ones, provenance, and errors."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Gt
from tests.laws.scenarios import EXAMPLES, drawn, results
from tests.support.long import often

import ackclock as ac
from ackclock.cli import main
from ackclock.engine.core import QueuedPacket, WaitingQueue
from ackclock.laws import finding


def small(queue: ac.Queue, *, duration: str = "3 s", ecn: Literal["off", "classic"] = "off") -> ac.Scenario:
    """Return three CUBIC flows through a bottleneck with a queue."""
    return ac.Scenario(
        duration=duration,
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="100 Mbps", delay="5 ms"),
            bottleneck=ac.Link(rate="5 Mbps", delay="10 ms", queue=queue),
        ),
        clients=[ac.Clients(count=3, transport=ac.Tcp("cubic", ecn=ecn), source=ac.Greedy())],
    )


def pair(number: int, kind: str) -> tuple[ac.Scenario, ac.Scenario]:
    """Draw a scenario with a built-in queue, and the same one with the queue of the examples."""
    tables = drawn(number, ("reno", "sack", "rack", "cubic"))
    draw = random.Random(-1 - number)  # noqa: S311  # repeats itself
    packets, size = draw.choice([10, 40, 200]), draw.choice([20_000, 90_000])
    limit: dict[str, Any] = draw.choice([{"packets": packets}, {"bytes": size}])
    own: dict[str, Any] = {"kind": "python", "discipline": str(EXAMPLES / f"{kind}.py:{NAMES[kind]}"), **limit}
    theirs: dict[str, Any] = {"kind": kind, "count_in_service": False, **limit}
    if kind == "droptail":
        theirs["ties"] = "arrival"  # as in all queues that store packets
    else:
        ecn, target, mtu = draw.random() < 0.5, draw.choice([1, 5, 20]), draw.choice([0, 1500, 3000])
        own |= {"ecn": ecn, "target": target / 1e3, "mtu": mtu, "interval": 0.05}
        theirs |= {"ecn": ecn, "target": f"{target} ms", "mtu": mtu, "interval": "50 ms"}
        if ecn:
            for group in tables["clients"]:
                group["transport"]["ecn"] = "classic"
    both = []
    for queue in (theirs, own):
        whole = copy.deepcopy(tables)
        whole["dumbbell"]["bottleneck"]["queue"] = queue
        both.append(ac.Scenario.from_dict(whole))
    return both[0], both[1]


NAMES = {"codel": "Codel", "droptail": "DropTail"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
def test_a_discipline_gives_the_bytes_of_the_built_in_one(kind: str) -> None:
    """Compare all results of random scenarios.

    Validates: CoDel and drop-tail of `examples` give the same summaries, windows and drops as the built-in disciplines.
    Source: RFC 8289; the engine's own disciplines.
    Tolerance: exact.
    """
    decisions = 0
    for number in range(often(8, long=100)):
        built_in, own = (results(scenario, number) for scenario in pair(number, kind))
        assert own == built_in, f"scenario {number}"
        decisions += own[0].drops + own[0].marks
    assert decisions > 100, "the scenarios drop and mark packets"


class Random(ac.Discipline):
    """Drops arriving packets at random, and marks those that leave late."""

    p: Annotated[float, Gt(0)] = 0.02
    late: float = 0.05

    def on_arrival(self, queue: WaitingQueue, packet: QueuedPacket) -> Literal["accept", "drop"]:
        return "drop" if self.rng.random() < self.p else "accept"

    def on_departure(self, queue: WaitingQueue, packet: QueuedPacket) -> Literal["deliver", "mark"]:
        return "mark" if packet.waited > self.late else "deliver"


def test_random_numbers_repeat_and_differ_between_seeds() -> None:
    scenario = small(ac.Queue(Random(p=0.05), packets=50))
    first, again, other = (results(scenario, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_mark_drops_packets_that_cannot_be_marked() -> None:
    """Run flows with and without ECN through a discipline that marks.

    Validates: a mark reaches ECN-capable packets, and drops other packets.
    Source: RFC 3168, section 5.
    Tolerance: exact.
    """
    queue = ac.Queue(Random(p=1e-9, late=0.02), packets=100)
    marked, dropped = ac.simulate(small(queue, ecn="classic")).summary, ac.simulate(small(queue)).summary
    assert marked.marks > 0
    assert marked.drops == 0
    assert (dropped.marks, dropped.drops > 0) == (0, True)


def test_a_result_says_what_made_it_and_runs_again(tmp_path: Path) -> None:
    run = ac.simulate(small(ac.Queue(Random(p=0.05), packets=50)))
    assert run.scenario.dumbbell is not None
    queue = run.scenario.dumbbell.bottleneck.queue
    assert queue is not None
    assert (queue.kind, queue.parameters) == ("python", {"p": 0.05, "late": 0.05})
    assert queue.discipline == f"{Path(__file__).resolve()}:Random"
    (printed,) = run.disciplines
    assert printed["sha256"] == queue.discipline_sha256
    assert printed["source"].startswith("# Random\nclass Random(ac.Discipline):")
    assert run.to_dict()["disciplines"] == [printed]
    run.save(tmp_path / "result")
    again = ac.simulate(ac.Scenario.from_dict(run.to_dict()["scenario"]))
    assert again.summary == run.summary


SOURCE = """
import ackclock as ac


class Tail(ac.Discipline):
    most: int = 20

    def on_arrival(self, queue, packet):
        {body}
"""


def written(folder: Path, body: str) -> str:
    """Write a discipline with this body, and a scenario that uses it; return the scenario's path."""
    (folder / "tail.py").write_text(SOURCE.format(body=body), encoding="utf-8")
    (folder / "scenario.toml").write_text(
        """
duration = "2 s"
[dumbbell]
access = { rate = "10 Mbps", delay = "5 ms" }
bottleneck = { rate = "1 Mbps", delay = "5 ms", queue = { kind = "python", discipline = "tail.py:Tail", most = 7 } }
[[clients]]
transport = { kind = "tcp" }
source = { kind = "greedy" }
""",
        encoding="utf-8",
    )
    return str(folder / "scenario.toml")


def test_a_file_names_a_discipline_relative_to_itself(tmp_path: Path) -> None:
    scenario = ac.Scenario.from_toml(written(tmp_path, 'return "drop" if queue.packets >= self.most else "accept"'))
    run = ac.simulate(scenario, record=["queue/1ms"])
    assert max(run.table("queue")["packets"].to_pylist()) == 7
    runs = ac.replicate(scenario, seeds=[1, 2])
    assert runs[0].summary == run.summary
    with pytest.warns(UserWarning, match="exactly the results of another seed"):
        store = ac.sweep(scenario, over={"dumbbell.bottleneck.queue.most": [7, 14]}, replications=3, jobs=2)
    table = store.runs.to_pandas().sort_values(["dumbbell.bottleneck.queue.most", "queue_mean"])
    assert table["queue_mean"].is_monotonic_increasing


def test_another_source_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, 'return "accept"')
    whole = ac.simulate(ac.Scenario.from_toml(path)).scenario.to_dict()
    written(tmp_path, 'return "drop"')
    monkeypatch.setattr(finding, "_known", {})  # as in another process
    with pytest.raises(ac.ScenarioError, match=r"queue.discipline: .*must have files with the digest"):
        ac.simulate(ac.Scenario.from_dict(whole))


def test_a_failure_ends_the_run_with_its_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, 'return "accept" if queue.now < 1 else 1 / 0')
    with pytest.raises(ac.DisciplineError) as caught:
        ac.simulate(ac.Scenario.from_toml(path))
    error = caught.value
    assert (error.discipline, error.link, error.call) == ("Tail", "bottleneck", "on_arrival")
    assert 1 <= error.time < 1.1
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert str(error).endswith("s: ZeroDivisionError: division by zero (tail.py, line 9)")
    with pytest.raises(SystemExit) as end:
        main(["run", str(path)])
    assert end.value.code == 2
    printed = capsys.readouterr().err
    assert 'return "accept" if queue.now < 1 else 1 / 0' in printed
    assert "discipline Tail: on_arrival failed at link bottleneck at 1" in printed


BODIES = {
    "return None": "must return 'accept', 'mark' or 'drop', not None",
    "return True": "must return 'accept', 'mark' or 'drop', not True",
    "return 'deliver'": "must return 'accept', 'mark' or 'drop', not 'deliver'",
    "self.kept = packet; return 'accept'": "the discipline keeps a reference to its argument packet",
    "queue.packets = 0; return 'accept'": "AttributeError",
    "return packet.length": "AttributeError: .*has no attribute 'length'",
    "type(self).most = 1; return 'accept'": "all links share the class",
}


@pytest.mark.parametrize("body", BODIES)
def test_bad_disciplines_give_clear_errors(body: str, tmp_path: Path) -> None:
    with pytest.raises(ac.DisciplineError, match=BODIES[body]):
        ac.simulate(ac.Scenario.from_toml(written(tmp_path, body)))


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(ac.ScenarioError, match=r"Random.p: nan"):
        Random(p=float("nan"))
    with pytest.raises(ac.ScenarioError, match=r"p: -1.* must be"):
        ac.Queue(Random, p=-1.0)  # type: ignore[call-arg]
    with pytest.raises(ac.ScenarioError, match=r"Random: unknown parameter 'q'; must be one of p, late"):
        Random(q=1)
    with pytest.raises(ac.ScenarioError, match=r"q: unknown"):
        ac.Queue(Random, q=1)  # type: ignore[call-arg]
    with pytest.raises(ac.ScenarioError, match=r"discipline: missing|discipline: .*must be given"):
        ac.Queue("python")
    with pytest.raises(ac.ScenarioError, match=r"discipline: .*must be absent unless kind is 'python'"):
        ac.Queue("codel", discipline="x.py:X")
    with pytest.raises(ac.ScenarioError, match=r"discipline: .*derived from ackclock.Discipline"):
        ac.simulate(small(ac.Queue("python", discipline=str(EXAMPLES / "reno.py:Reno"))))

    class Limited(ac.Discipline):
        packets: int = 5

        def on_arrival(self, queue: WaitingQueue, packet: QueuedPacket) -> Literal["accept"]:
            return "accept"

    with pytest.raises(ac.ScenarioError, match=r"Limited.packets: .*must be another name"):
        ac.Queue(Limited)
