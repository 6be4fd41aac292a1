"""Limits of records, of sources and of resources, worked out by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from tests.running.notices.test_default_limits import two_way

import ackclock as ac
from ackclock.engine import processors
from ackclock.running import plan
from ackclock.running.records import understand
from ackclock.study.figures.layout import choose
from ackclock.study.figures.points import Field, Point, Points

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def feng60(root: Path) -> ac.Scenario:
    return ac.Scenario.from_toml(root / "examples" / "feng60.toml")


def test_a_record_fills_at_most_fifty_million_rows(feng60: ac.Scenario) -> None:
    """The run takes 200 s, which are 50 million times 4 us."""
    effective = feng60.effective()
    (record,) = understand(["queue/4us"], effective)
    assert (record.numbers, record.interval) == ((0,), 4_000_000)
    understand("queue@bottleneck,bottleneck.reverse/8us", effective)
    for request in ("queue/3.99us", "queue@bottleneck,bottleneck.reverse/7.99us"):
        with pytest.raises(ac.ScenarioError, match="must fill at most 50000000 rows"):
            understand(request, effective)


def test_flows_by_number(feng60: ac.Scenario) -> None:
    effective = feng60.effective()
    (record,) = understand(["acks@000000005,0,5"], effective)
    assert record.numbers == (5, 0)
    for place in ("0000000005", "60", "-1", "1.0"):
        with pytest.raises(ac.ScenarioError, match="there is no group or flow"):
            understand([f"acks@{place}"], effective)


def test_bins_of_fractional_noise_are_limited_over_all_flows(monkeypatch: pytest.MonkeyPatch) -> None:
    """In 2 s, each of two and three flows draws 4 bins of 500 ms, or 5 of 499 ms: the last one is incomplete."""
    monkeypatch.setattr(plan, "_MOST_BINS", 20)
    noise = ac.FractionalNoise(rate=500, hurst=0.8, cov=0.3, bin="500 ms")
    clients = [ac.Clients(count=count, transport=ac.Udp(), source=noise) for count in (2, 3)]
    scenario = two_way().changed({"duration": "2 s"}).model_copy(update={"clients": tuple(clients)})
    plan._refuse_too_many_bins(scenario)
    finer = clients[1].model_copy(update={"source": noise.model_copy(update={"bin": "499 ms"})})
    with pytest.raises(ac.ScenarioError, match=r"clients.1.source.bin: '499 ms' .* must give at most 20 bins"):
        plan._refuse_too_many_bins(scenario.model_copy(update={"clients": (clients[0], finer)}))


def test_packets_of_every_link(feng60: ac.Scenario) -> None:
    """The bottleneck and 60 access links, in two directions."""
    (record,) = understand(["packets@*"], feng60.effective())
    assert record.numbers == tuple(range(122))


def test_threads() -> None:
    assert [processors.threads(jobs) for jobs in (1, 1024, 1025)] == [1, 1024, 1024]
    wrong: list[object] = [0, -1, True, 1.0]
    for jobs in wrong:
        with pytest.raises(ac.ScenarioError, match="must be an integer from 1"):
            processors.threads(jobs)  # type: ignore[arg-type]


def test_memory_is_the_least_of_all_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine has 1000 pages of 4 bytes."""
    pages = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4}
    limits = {"as": -1, "data": -1}
    system = SimpleNamespace(
        RLIMIT_AS="as", RLIMIT_DATA="data", RLIM_INFINITY=-1, getrlimit=lambda which: (limits[which], 7)
    )
    monkeypatch.setattr(processors, "os", SimpleNamespace(sysconf=pages.__getitem__))
    monkeypatch.setattr(processors, "resource", system)
    monkeypatch.setattr(processors, "_GROUP", tmp_path / "memory.max")
    assert processors._present() == 4000
    (tmp_path / "memory.max").write_text("max\n")
    assert processors._present() == 4000
    (tmp_path / "memory.max").write_text("3000\n")
    assert processors._present() == 3000
    limits["as"] = 2500
    assert processors._present() == 2500
    limits["data"] = 2400
    assert processors._present() == 2400
    monkeypatch.setattr(processors, "resource", None)
    assert processors._present() == 3000
    (tmp_path / "memory.max").unlink()
    monkeypatch.setattr(processors, "os", SimpleNamespace())
    assert processors._present() == 2**36


def points(**values: list[object]) -> Points:
    """Return a grid of all values of the fields, or the listed points if there are as many values of each."""
    fields = [Field.of(name, each) for name, each in values.items()]  # type: ignore[arg-type]
    places = [dict(zip(values, each, strict=True)) for each in zip(*values.values(), strict=True)]
    made = [Point(place=place, seeds=[1], values={}) for place in places]
    return Points(fields=fields, points=made, repeated=0)


def test_four_series_share_a_panel() -> None:
    for count, by in ((4, ["w"]), (5, [])):
        words: list[object] = [f"w{number}" for number in range(count)]
        layout = choose(points(x=list(range(count)), w=words))
        assert layout is not None
        assert ([field.path for field in layout.by], [field.path for field in layout.apart]) == (
            by,
            [name for name in ["w"] if name not in by],
        )


def test_points_are_scattered_if_most_lines_would_have_one_point() -> None:
    """With two lines of two points each, as many points as twice the lines, they are not."""
    for y, scattered in (([1, 1, 2, 2], False), ([1, 1, 2, 3], True)):
        layout = choose(points(x=[1, 2, 1, 2], y=list(y)))
        assert layout is not None
        assert layout.across is not None
        assert (layout.x.path, layout.across.path, layout.scattered) == ("x", "y", scattered)


def test_the_number_of_panels() -> None:
    """Three values of a number are series of the lines, so only the heat map has panels: one for each word."""
    grid = [(x, y, w) for x in (1, 2) for y in (1, 2, 3) for w in ("a", "b", "c", "d", "e")]
    found = points(x=[x for x, _, _ in grid], y=[y for _, y, _ in grid], w=[w for _, _, w in grid])
    layout = choose(found)
    assert layout is not None
    assert ([each.path for each in layout.by], [each.path for each in layout.apart]) == (["y"], ["w"])
    assert [each.path for each in layout.beside] == ["w"]
    assert layout.panels(found.points) == 5
    chosen = choose(found, by=["w"])
    assert chosen is not None
    assert ([each.path for each in chosen.apart], chosen.panels(found.points)) == (["y"], 5)
    scattered = choose(points(x=[1, 2, 3], y=[1, 2, 3]))
    assert scattered is not None
    assert scattered.panels(found.points) == 0
