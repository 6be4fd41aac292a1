"""Results of a group of flows by name, in one run and over several runs."""

from __future__ import annotations

import copy
import pickle
import statistics
from typing import TYPE_CHECKING

import pytest

import ackclock as ac
from ackclock.running import result
from ackclock.running.summary import Groups

if TYPE_CHECKING:
    from collections.abc import Container


@pytest.fixture(scope="module")
def runs() -> ac.Runs:
    """Run two groups at different distances with three seeds."""
    access = {name: ac.Link(rate="10 Mbps", delay=delay) for name, delay in (("near", "5 ms"), ("far", "80 ms"))}
    return ac.replicate(
        ac.Scenario(
            duration="5 s",
            dumbbell=ac.Dumbbell(bottleneck=ac.Link(rate="2 Mbps", delay="5 ms", queue=ac.DropTail(packets=20))),
            clients=[
                ac.Clients(name=name, count=2, access=link, transport=ac.Tcp("reno"), source=ac.Poisson(rate=90))
                for name, link in access.items()
            ],
        ),
        seeds=3,
        jobs=1,
    )


def test_a_group_is_found_by_name(runs: ac.Runs) -> None:
    groups = runs[0].summary.groups
    assert runs[0].groups is groups
    assert groups["far"] is groups[1]
    assert groups["far"].name == "far"
    assert groups.names == ("near", "far")
    assert isinstance(groups, tuple)
    assert groups[:1] == (groups["near"],)
    assert groups.items() == (("near", groups[0]), ("far", groups[1]))
    names: Container[object] = groups
    assert "far" in names
    assert groups[1] in groups
    assert "bottleneck" not in names
    assert [name for name, _ in runs.links.items()] == ["bottleneck"]
    with pytest.raises(
        ac.ScenarioError, match=r"groups: unknown group 'fra'; did you mean 'far'\? must be one of near, far"
    ):
        groups["fra"]


def test_a_group_over_several_runs_has_an_interval(runs: ac.Runs) -> None:
    values = [run.groups["near"].goodput_bps for run in runs]
    found = runs.groups["near"].goodput_bps
    assert found.values == tuple(values)
    assert found.mean == pytest.approx(statistics.mean(values))
    assert found.half_width is not None
    # Student's t for three values: 4.303
    assert found.half_width == pytest.approx(4.303 * statistics.stdev(values) / 3**0.5, rel=1e-3)
    assert (runs.groups[1].name, runs.groups["far"].clients) == ("far", 2)
    assert "goodput_bps" in dir(runs.groups["far"])
    assert repr(runs.groups["far"]).startswith("GroupRuns(far, 2 flows; goodput: ")
    assert len(runs[:0].groups) == 0


def test_a_group_is_compared_seed_by_seed(runs: ac.Runs) -> None:
    """Validates: the differences are those of the groups' numbers.

    Source: by hand.
    Tolerance: rounding.
    """
    other = ac.replicate(runs.scenario.changed({"clients.0.count": 2}), seeds=3)
    both = [[run.groups["far"].goodput_bps for run in each] for each in (other, runs)]
    found = runs.compare(other, "goodput_bps", group="far")
    assert found.difference.mean == pytest.approx(
        statistics.mean(after - before for after, before in zip(*both, strict=True))
    )
    with pytest.raises(ac.ScenarioError, match="unknown group 'fra'"):
        runs.compare(other, "goodput_bps", group="fra")
    with pytest.raises(ac.ScenarioError, match="unknown measure 'utilization'"):
        runs.compare(other, "utilization", group="far")


def test_groups_survive_copies_and_files(runs: ac.Runs, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("results") / "run"
    runs[0].save(folder)
    for again in (result.load(folder), pickle.loads(pickle.dumps(runs[0])), copy.deepcopy(runs[0])):  # noqa: S301
        assert isinstance(again.groups, Groups)
        assert again.groups["far"] == runs[0].groups["far"]
    assert runs[0].summary.to_dict()["groups"][1]["name"] == "far"


@pytest.mark.parametrize(
    ("attribute", "hint"),
    [
        ("throughput", "did you mean 'throughput_bps'?"),
        ("sumary", "did you mean 'summary'?"),
        ("tabel", "did you mean 'table'?"),
    ],
)
def test_a_run_says_where_its_numbers_are(runs: ac.Runs, attribute: str, hint: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(runs[0], attribute)
    assert str(caught.value) == f"'Run' object has no attribute '{attribute}'; {hint}"
    assert runs[0].cov == runs[0].summary.cov


def test_an_unknown_number_has_a_hint(runs: ac.Runs) -> None:
    places: tuple[object, ...] = (runs, runs[0].summary, runs.groups["near"], runs[0].groups["near"])
    for place in places:
        with pytest.raises(AttributeError, match=r"has no attribute 'throughput'; did you mean 'throughput_bps'\?"):
            getattr(place, "throughput")  # noqa: B009
        with pytest.raises(AttributeError, match="has no attribute 'xyz'$"):
            getattr(place, "xyz")  # noqa: B009
        assert not hasattr(place, "__throughput__")


def test_the_packages_list_what_they_have() -> None:
    for package in (ac, ac.analysis, ac.models):
        assert set(package.__all__) <= set(dir(package))
        assert {"Final", "TYPE_CHECKING", "import_module"}.isdisjoint(dir(ac.analysis))
        assert all(getattr(package, name) is not None for name in package.__all__)
