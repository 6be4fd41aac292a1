"""Parts of a study: runs are made once, stored, and returned unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ackclock as ac
from ackclock.papers.core import parts
from ackclock.papers.core.evidence import Run as Observed
from ackclock.papers.core.evidence import Runs
from ackclock.papers.core.parts import Part, Spot, gather
from ackclock.papers.core.table import write_runs

if TYPE_CHECKING:
    from pathlib import Path

    from ackclock.papers.core.parts import Taken
    from ackclock.running.run import Run

MADE: list[tuple[int, int]] = []


def take(run: Run) -> Taken:
    """Return numbers of every kind, and record that the run was made."""
    MADE.append((run.scenario.clients[0].count, run.seed))
    return {
        "cov": run.summary.cov,
        "drops": len(run.table("drops")),
        "never": None,
        "odd": 1.5 if run.seed == 1 else None,
        "times": run.table("drops")["time"].to_numpy(),
        "gaps": np.array([0.5, np.nan]),
        "empty": [],
    }


def not_finite(run: Run) -> Taken:
    return {"cov": np.inf * run.seed}


def scenario(clients: int) -> ac.Scenario:
    return ac.Scenario(
        duration="3 s",
        dumbbell=ac.Dumbbell(
            access=ac.Link(rate="10 Mbps", delay="25 ms"),
            bottleneck=ac.Link(rate="1 Mbps", delay="25 ms", queue=ac.DropTail(packets=5)),
        ),
        clients=[ac.Clients(count=clients, transport=ac.Tcp("reno"), source=ac.Poisson(rate=50))],
    )


def grid(name: str = "grid", **chosen: Any) -> Part:
    spots = [Spot(where={"variant": "Reno", "clients": clients}, scenario=scenario(clients)) for clients in (2, 3)]
    return Part(**{"name": name, "spots": spots, "take": take, "record": ("drops",), **chosen})


def plain(runs: Runs, part: str = "grid") -> list[Any]:
    return [
        (
            dict(row.where),
            row.seed,
            {name: np.asarray(value, dtype=float).tolist() for name, value in row.values.items()},
        )
        for row in runs.part(part)
    ]


@pytest.fixture(autouse=True)
def _none_made() -> None:
    MADE.clear()


class TestGather:
    def test_gives_rows_in_the_order_of_points_and_seeds(self) -> None:
        runs = gather([grid()], seeds=[2, 1])
        assert [(row.where["clients"], row.seed) for row in runs.part("grid")] == [(2, 2), (2, 1), (3, 2), (3, 1)]
        first = runs.part("grid")[1].values
        assert first["odd"] == 1.5
        assert runs.part("grid")[0].values["odd"] is None
        assert "never" not in first  # no run has it

    def test_a_part_may_have_seeds_of_its_own(self) -> None:
        runs = gather([grid(), grid("more", seeds=[7])], seeds=[1])
        assert {row.seed for row in runs.part("more")} == {7}

    def test_a_scenario_may_be_made_of_the_seed(self, tmp_path: Path) -> None:
        spots = [Spot(where={"clients": "as many as the seed"}, scenario=scenario(1), drawn=scenario)]
        for made in ([(2, 2), (3, 3)], []):
            MADE.clear()
            runs = gather([grid(spots=spots)], seeds=[2, 3], store=tmp_path / "runs")
            assert sorted(MADE) == made
            assert [(row.where["clients"], row.seed) for row in runs.part("grid")] == [
                ("as many as the seed", 2),
                ("as many as the seed", 3),
            ]

    def test_parts_share_runs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        simulated = []
        usual = ac.Run.__init__

        def counted(self: ac.Run, *given: Any, **named: Any) -> None:
            simulated.append(1)
            usual(self, *given, **named)

        monkeypatch.setattr(ac.Run, "__init__", counted)
        gather([grid(), grid("again")], seeds=[1])
        assert len(simulated) == 2
        assert len(MADE) == 4

    def test_refuses_what_a_store_would_not_give_back(self) -> None:
        with pytest.raises(ValueError, match=r"grid: cov is inf; must be a finite number or None") as failure:
            gather([grid(take=not_finite)], seeds=[1])
        assert "grid, variant = Reno, clients = " in failure.value.__notes__[0]


class TestStore:
    def test_gives_back_what_was_taken(self, tmp_path: Path) -> None:
        alone = plain(gather([grid()], seeds=[1, 2]))
        made = plain(gather([grid()], seeds=[1, 2], store=tmp_path / "runs"))
        MADE.clear()
        kept = plain(gather([grid()], seeds=[1, 2], store=tmp_path / "runs"))
        assert not MADE
        np.testing.assert_equal(made, alone)
        np.testing.assert_equal(
            [(where, seed, dict(sorted(values.items()))) for where, seed, values in kept],
            [(where, seed, dict(sorted(values.items()))) for where, seed, values in alone],
        )

    def test_makes_only_what_is_missing(self, tmp_path: Path) -> None:
        gather([grid()], seeds=[1], store=tmp_path / "runs")
        MADE.clear()
        runs = gather([grid()], seeds=[1, 2, 3], store=tmp_path / "runs")
        assert sorted(MADE) == [(2, 2), (2, 3), (3, 2), (3, 3)]
        assert len(runs.part("grid")) == 6

    def test_keeps_what_had_ended_when_a_run_fails(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="must be a finite number"):
            gather([grid(), grid("bad", take=not_finite)], seeds=[1], store=tmp_path / "runs", jobs=1)
        assert (2, 1) in MADE  # both parts share the run, and the numbers of the first part were stored
        gather([grid()], seeds=[1], store=tmp_path / "runs", jobs=1)
        assert sorted(MADE) == [(2, 1), (3, 1)]

    def test_makes_runs_again_when_what_takes_them_has_changed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gather([grid()], seeds=[1], store=tmp_path / "runs")
        MADE.clear()
        monkeypatch.setattr(parts, "_version", lambda _: "another")
        gather([grid()], seeds=[1], store=tmp_path / "runs")
        assert len(MADE) == 2

    def test_can_be_asked_by_sql(self, tmp_path: Path) -> None:
        gather([grid()], seeds=[1], store=tmp_path / "runs")
        found = ac.open(tmp_path / "runs").sql(
            "select part, variant, clients, seed, value from measures join runs using (run_id) where measure = 'drops'"
        )
        assert sorted(found["clients"].to_pylist()) == [2, 3]
        assert set(found["part"].to_pylist()) == {"grid"}


def test_evidence_is_the_same_bytes_whether_made_or_read(tmp_path: Path) -> None:
    for name in ("made", "read"):
        write_runs(tmp_path / name, {"ackclock": gather([grid()], seeds=[2, 1], store=tmp_path / "runs")})
    assert (tmp_path / "made").read_bytes() == (tmp_path / "read").read_bytes()


def test_the_version_of_a_function_follows_its_sources() -> None:
    from ackclock.papers.burstiness.measures import warm_summary  # noqa: PLC0415

    version = parts._version(warm_summary)
    assert version.startswith("ackclock.papers.burstiness.measures.warm_summary@")
    sources: dict[str, bytes] = {}
    parts._collect("ackclock.papers.burstiness.measures", sources)
    assert "ackclock.papers.burstiness.experiment" in sources
    assert "ackclock.analysis" in sources


@pytest.mark.parametrize(
    ("axes", "why"),
    [
        ([{"source": "greedy"}], "'source' is not allowed; must be none of the table's own columns"),
        ([{"buffer": 50}, {"buffer": "1 BDP"}], "'buffer' is not allowed; must have either numbers or texts"),
    ],
)
def test_axes_that_do_not_fit_into_one_table_are_refused_before_the_first_run(
    axes: list[dict[str, Any]], why: str, tmp_path: Path
) -> None:
    one = grid()
    parts_ = [
        Part(name=f"part {at}", spots=[Spot(where=where, scenario=one.spots[0].scenario)], take=one.take)
        for at, where in enumerate(axes)
    ]
    with pytest.raises(ac.ScenarioError, match=f"axis: {why}"):
        gather(parts_, seeds=[1])
    runs = Runs({"part": [Observed(where=where, seed=1, values={"loss": 0.1}) for where in axes]})
    with pytest.raises(ac.ScenarioError, match=f"axis: {why}"):
        write_runs(tmp_path / "evidence.parquet", {"ackclock": runs})
