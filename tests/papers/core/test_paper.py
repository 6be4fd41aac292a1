"""A study as a folder: its definition in TOML, its report, and the store of its runs."""

from __future__ import annotations

import ast
import csv
import re
import signal
import sys
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import ackclock as ac
from ackclock import papers
from ackclock.cli import main
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.marks import Lines, Pen
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.paper import Both, Chapter
from ackclock.papers.core.table import read_runs, write_runs
from ackclock.values.errors import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

LOSS = Measure("loss", "Loss")

TOML = """
title = "Loss by load"
source = "Nobody, nowhere, never."
question = "Does loss grow with the number of clients?"
headline = "loss"

[setup]
Network = "one bottleneck"

[scenario]
duration = "3 s"
dumbbell.access = {rate = "10 Mbps", delay = "25 ms"}
dumbbell.bottleneck = {rate = "1 Mbps", delay = "25 ms", queue = {kind = "droptail", packets = 5}}
clients = [{count = 2, transport = {kind = "tcp", variant = "reno"}, source = {kind = "poisson", rate = 50}}]

[variants.Reno]
[variants.Vegas]
"clients.0.transport.variant" = "vegas"

[fields]
clients = "clients.0.count"
buffer = "dumbbell.bottleneck.queue.packets"

[parts.grid]
over = {clients = [2, 6]}
take = "loss"

[parts.small]
over = {variant = ["Vegas"], clients = [6]}
set = {"dumbbell.bottleneck.queue.packets" = 2}
where = {buffer = 2}
take = "loss"
seeds = 1

[parts.listed]
points = [{clients = 2, buffer = 3}, {clients = 6, buffer = 9}]
over = {variant = ["Reno"]}
take = "loss"
"""

CLAIMS = """
[claims.1-1]
where = "1; Figure 1"
text = "Loss grows."
rule = "study.py"

[[topics]]
key = "1-1"
reproduced = "Loss grows with load."
"""

MEASURES = """
from ackclock.papers.core.measures import Measure

LOSS = Measure(name="loss", label="loss", unit="%", digits=1)


def loss(run):
    return {"loss": 100 * run.summary.loss}
"""

STUDY = """
from ackclock.papers.core.definition import Definition
from ackclock.papers.core.evidence import Run, Runs
from ackclock.papers.core.paper import Both, Chapter
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.figure import Figure, Lines, Numbers, Pen, Plot
from ackclock.papers.core.paper import Chapter, Paper
from ackclock.papers.core.rules import Holds
from ackclock.papers.tiny.measures import LOSS
from ackclock.drawing.chart import Axis

loss = LOSS.at("grid", variant=("Reno", "Vegas"), clients=(2, 6))
grows = loss.pick(variant="Reno", clients=6).above(loss.pick(variant="Reno", clients=2))
pens = {"Reno": Pen(colour="blue", marker="circle"), "Vegas": Pen(colour="red", marker="square")}
DEFINITION = Definition("ackclock.papers.tiny")
PAPER = Paper(
    definition=DEFINITION,
    claims=[DEFINITION.claim(__name__, "1-1", Holds(grows))],
    chapters=[
        Chapter(
            title="Figures",
            figures=[
                Figure(
                    slug="loss",
                    title="Figure 1. Loss",
                    what="Loss at the bottleneck.",
                    plots=[
                        Plot(
                            x=Axis(label="Clients"),
                            y=Axis(label="Loss (%)"),
                            marks=[Lines(of=loss, x="clients", by="variant", pens=pens)],
                        )
                    ],
                    data={"loss_percent": loss},
                    numbers=Numbers(of=loss, rows="clients", columns="variant", head="Clients", caption="Loss, %"),
                )
            ],
        )
    ],
)
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the package of a study, and return its folder."""
    folder = tmp_path / "papers" / "tiny"
    folder.mkdir(parents=True)
    for name, text in {
        "study.toml": TOML,
        "claims.toml": CLAIMS,
        "measures.py": MEASURES,
        "study.py": STUDY,
        "__init__.py": "",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(folder.parent)])
    monkeypatch.setitem(papers.STUDIES, "tiny", "a tiny study")
    for module in [name for name in sys.modules if name.startswith("ackclock.papers.tiny")]:
        monkeypatch.delitem(sys.modules, module)
    return folder


class TestDefinition:
    def test_reads_grids_with_short_names(self, study: Path) -> None:
        del study
        grid, small, listed = Definition("ackclock.papers.tiny").parts()
        assert [dict(spot.where) for spot in grid.spots] == [
            {"variant": variant, "clients": clients} for variant in ("Reno", "Vegas") for clients in (2, 6)
        ]
        assert grid.spots[3].scenario.to_dict()["clients"][0]["transport"]["variant"] == "vegas"
        assert grid.spots[3].scenario.clients[0].count == 6
        assert grid.seeds is None
        (spot,) = small.spots
        assert dict(spot.where) == {"buffer": 2, "variant": "Vegas", "clients": 6}
        assert spot.scenario.to_dict()["dumbbell"]["bottleneck"]["queue"]["packets"] == 2
        assert list(small.seeds or ()) == [1]
        assert [dict(spot.where) for spot in listed.spots] == [
            {"variant": "Reno", "clients": 2, "buffer": 3},
            {"variant": "Reno", "clients": 6, "buffer": 9},
        ]

    def test_says_what_the_study_is(self, study: Path) -> None:
        del study
        tiny = Definition("ackclock.papers.tiny")
        assert (tiny.name, tiny.title, tiny.seeds) == ("tiny", "Loss by load", 5)
        assert tiny.setup == [("Network", "one bottleneck")]

    def test_refuses_what_is_no_study(self, study: Path) -> None:
        text = TOML.replace('clients = "clients.0.count"', 'clients = "clients.0.number"')
        (study / "study.toml").write_text(text, encoding="utf-8")
        with pytest.raises(ScenarioError, match=r"clients\.0\.number"):
            Definition("ackclock.papers.tiny").parts()


def reproduce(*arguments: object) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", "tiny", *map(str, arguments)])
    assert ended.value.code == 0


class TestReproduce:
    def test_writes_the_study_whole(self, study: Path, tmp_path: Path) -> None:
        del study
        reproduce("--seeds", 2, "--out", tmp_path / "out")
        # the lab's page is in the folder if it is built
        assert {path.name for path in (tmp_path / "out").iterdir()} - {"lab.html"} == {
            *("claims.csv", "evidence.parquet", "record.json", "report.html"),
            *(f"loss.{kind}" for kind in ("csv", "png", "svg")),
        }
        assert "Does loss grow" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
        runs = read_runs(tmp_path / "out" / "evidence.parquet", source="ackclock")
        assert {name: len(rows) for name, rows in runs.parts.items()} == {"grid": 8, "small": 1, "listed": 4}

    def test_goes_on_with_more_seeds(self, study: Path, tmp_path: Path) -> None:
        del study
        reproduce("--seeds", 1, "--out", tmp_path / "out")
        first = ac.open(tmp_path / "out-runs").runs.to_arrow()
        reproduce("--seeds", 2, "--out", tmp_path / "out")
        second = ac.open(tmp_path / "out-runs").runs.to_arrow()
        assert (len(first), len(second)) == (7, 13)
        assert set(first["run_id"].to_pylist()) <= set(second["run_id"].to_pylist())

    def test_an_interrupt_says_where_the_runs_are(
        self, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        del study
        reproduce("--seeds", 1, "--out", tmp_path / "out")

        def stopped(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("ackclock.papers.core.paper.gather", stopped)
        with pytest.raises(SystemExit) as ended:
            main(["reproduce", "tiny", "--seeds", "2", "--out", str(tmp_path / "out")])
        assert ended.value.code == 128 + signal.SIGINT
        err = capsys.readouterr().err
        kept = f"completed runs are in {tmp_path / 'out-runs'}; the same command resumes the study"
        assert err.endswith(f"interrupted; no report was written; {kept}\n")
        assert "no partial output" not in err


def test_the_table_of_evidence_gives_runs_back(study: Path, tmp_path: Path) -> None:
    del study
    reproduce("--seeds", 1, "--out", tmp_path / "out")
    runs = read_runs(tmp_path / "out" / "evidence.parquet", source="ackclock")
    write_runs(tmp_path / "again.parquet", {"ns-2.35": runs})
    again = read_runs(tmp_path / "again.parquet", source="ns-2.35")
    for part, rows in runs.parts.items():
        assert [(dict(row.where), row.seed, dict(row.values)) for row in again.part(part)] == [
            (dict(row.where), row.seed, dict(row.values)) for row in rows
        ]
    assert not read_runs(tmp_path / "again.parquet", source="ackclock").parts


def test_the_recipe_can_be_followed(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (root / "docs" / "recipes" / "add_a_study.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:toml|python)\n(.*?)```", text, flags=re.DOTALL)
    folder = tmp_path / "papers" / "small_buffers"
    folder.mkdir(parents=True)
    for name, block in zip(("study.toml", "measures.py", "claims.toml", "claims.py", "study.py"), blocks, strict=False):
        (folder / name).write_text(block, encoding="utf-8")
    (folder / "__init__.py").touch()
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(folder.parent)])
    monkeypatch.setattr(papers, "STUDIES", papers.STUDIES | ast.literal_eval(f"{{{blocks[5]}}}"))
    monkeypatch.setattr("ackclock.papers.cli.STUDIES", papers.STUDIES)
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", "small_buffers", "--seeds", "3", "--out", str(tmp_path / "out")])
    assert ended.value.code == 0
    with (tmp_path / "out" / "claims.csv").open(encoding="utf-8", newline="") as table:
        assert [row["verdict"] for row in csv.DictReader(table)] == ["reproduced", "reproduced"]


class TestMistakes:
    """Mistakes of the author of a study: each gives an error of one line that names the alternatives."""

    def test_a_share_is_below_one(self) -> None:
        with pytest.raises(ValueError, match="share: 1.1 must be between 0 and 1; a range is at_least"):
            LOSS.at("grid").within(1.1, of=1.34)

    def test_unknown_names(self) -> None:
        rows = [Run(where={"variant": "Reno", "clients": 2}, seed=1, values={"loss": 0.1})]
        side = Runs({"grid": rows})
        for quantity, message in (
            (LOSS.at("grd"), "no runs of grd; there are runs of grid"),
            (LOSS.at("grid", variant="Tahoe"), "no run of grid has Loss .*; its runs have loss"),
            (LOSS.at("grid", variant="Tahoe"), "variant: Tahoe is not allowed; must be one of Reno$"),
            (LOSS.at("grid", variant="Reno", clients=(7, 8)), "; clients: 7, 8 is not allowed; must be one of 2$"),
            (LOSS.at("grid", buffer=5), "; buffer: 5 is not allowed; the axes are variant, clients$"),
        ):
            with pytest.raises(LookupError, match=message):
                quantity.points(side)
        with pytest.raises(ScenarioError, match="axis: 'buffer' is not allowed; must be one of variant, clients"):
            LOSS.at("grid").points(side).along("buffer")
        line = Lines(of=LOSS.at("grid"), x="clients", by="variant", pens={"Vegas": Pen(colour="red", marker="circle")})
        with pytest.raises(ScenarioError, match="pens: 'Reno' is not allowed; must be the name of a line: Vegas"):
            line.series(Both(ours=side, ns2=Runs()))
        with pytest.raises(ScenarioError, match="colour: 'crimson' is not allowed; must be one of"):
            Pen(colour="crimson", marker="circle")

    def test_names_that_refer_to_nothing_are_found_before_the_first_run(self, tmp_path: Path) -> None:
        from ackclock.papers.buffers.study import PAPER  # noqa: PLC0415

        with pytest.raises(ScenarioError, match="claims: '2-1' is not allowed; must be those of claims.toml: 2-1, 2-2"):
            replace(PAPER, claims=PAPER.claims[:1]).write(tmp_path, seeds=[1])
        other = replace(PAPER, chapters=[Chapter(title="None", figures=[])])
        with pytest.raises(ScenarioError, match="headline: 'utilization' is not allowed; must be the slug of a figure"):
            other.write(tmp_path, seeds=[1])

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (
                "over = {clients = [2, 6]}",
                "over = {client = [2, 6]}",
                "tiny/study.toml: axis: 'client' is not allowed; .* must be one of variant, clients, buffer, profile",
            ),
            ("buffer = 3}", "bufer = 3}", "axis: 'bufer' is not allowed; did you mean 'buffer'"),
            (
                "over = {clients = [2, 6]}",
                "ovr = {clients = [2, 6]}",
                "parts.grid: 'ovr' is not .* did you mean 'over'",
            ),
            ('take = "loss"\nseeds', 'take = "los"\nseeds', "parts.small.take: 'los' is not .* did you mean 'loss'"),
            ('["Vegas"]', '["Vega"]', "tiny/study.toml: variant: 'Vega' is not allowed; .* must be one of Reno, Vegas"),
        ],
    )
    def test_names_in_parts(self, study: Path, old: str, new: str, message: str) -> None:
        assert old in TOML
        (study / "study.toml").write_text(TOML.replace(old, new), encoding="utf-8")
        with pytest.raises(ScenarioError, match=message):
            Definition("ackclock.papers.tiny").parts()

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ('text = "Loss', 'txt = "Loss', "tiny/claims.toml: 1-1: 'txt' is not allowed; must be one of where, text"),
            (
                'text = "Loss',
                'origin = "our"\ntext = "Loss',
                "tiny/claims.toml: 1-1: origin: 'our' is not allowed; did you mean 'ours'\\?",
            ),
            ('where = "1; Figure 1"', "", "tiny/claims.toml: 1-1: a claim needs where and text"),
            ('rule = "study.py"', "", "tiny/claims.toml: 1-1: rule: '' is not allowed; must be the file of the study"),
            (
                '"study.py"',
                '"rules.py"',
                "1-1: rule: 'rules.py' is not allowed; must be the file of the study",
            ),
            (
                '"study.py"',
                '"measures.py"',
                "rule: 'measures.py' is not allowed; must be 'study.py', which",
            ),
            ('"study.py"', '"small: 2-1"', "1-1: rule: 'small: 2-1' is not allowed; must be the file of the study"),
            ('"study.py"', '"buffers: 2-1"', "rule: 'buffers: 2-1' is not allowed; must be 'study.py', which"),
            ("[claims.1-1]", "[claims.1-2]", "tiny/claims.toml: claim: '1-1' is not allowed; must be one of 1-2"),
            ('key = "1-1"', 'key = "9"', "topic: '9' is not allowed; must be the key of a claim: 1-1"),
        ],
    )
    def test_words_of_claims(self, study: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
        assert old in CLAIMS
        (study / "claims.toml").write_text(CLAIMS.replace(old, new), encoding="utf-8")
        with pytest.raises(ScenarioError, match=message):
            import_module("ackclock.papers.tiny.study").PAPER.write(tmp_path / "out", seeds=[1])

    @pytest.mark.parametrize(("rule", "repeats"), [("buffers: 2-1", True), ("vegas: 2-1", False)])
    def test_a_claim_may_have_the_rule_of_another_study(self, study: Path, rule: str, *, repeats: bool) -> None:
        from ackclock.papers.buffers.study import PAPER  # noqa: PLC0415

        (study / "claims.toml").write_text(CLAIMS.replace("study.py", rule), encoding="utf-8")
        found = Definition("ackclock.papers.tiny").repeated("buffers", PAPER.claims)
        assert [(one.key, one.text, one.test is PAPER.claims[0].test) for one in found] == (
            [("1-1", "Loss grows.", True)] if repeats else []
        )

    def test_a_repeated_rule_exists(self, study: Path) -> None:
        from ackclock.papers.buffers.study import PAPER  # noqa: PLC0415

        (study / "claims.toml").write_text(CLAIMS.replace("study.py", "buffers: 2-9"), encoding="utf-8")
        message = "tiny/claims.toml: 1-1: rule: 'buffers: 2-9' is not allowed; .*must be one of 2-1, 2-2"
        with pytest.raises(ScenarioError, match=message):
            Definition("ackclock.papers.tiny").repeated("buffers", PAPER.claims)

    def test_each_rule_is_the_rule_of_a_claim(self, study: Path) -> None:
        """Without its claim the rule is an error when the study is loaded, and so is a claim without a rule."""
        other = '\n[claims.1-2]\nwhere = "1"\ntext = "Loss falls."\nrule = "study.py"\n'
        (study / "claims.toml").write_text(CLAIMS.replace("\n[[topics]]", f"{other}\n[[topics]]"), encoding="utf-8")
        with pytest.raises(ScenarioError, match="claims: '1-1' is not allowed; must be those of claims.toml: 1-1, 1-2"):
            import_module("ackclock.papers.tiny.study")

    def test_a_definition_has_a_title(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        package = tmp_path / "untitled"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "study.toml").write_text('source = "x"', encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(ScenarioError, match="untitled/study.toml: title: missing; a study needs title, source"):
            _ = Definition("untitled").source
