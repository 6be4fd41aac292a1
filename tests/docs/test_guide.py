"""The guides are correct: their blocks print the shown output, and their figures support the text."""

from __future__ import annotations

import re
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet
import pytest
from tests.support.long import long_only

import ackclock as ac
import recipes
from ackclock.analysis import compare_paired
from ackclock.running.figures import chart
from ackclock.running.result import load
from guides import PAGES, Reader, difference
from linux.cells import competition

if TYPE_CHECKING:
    from pathlib import Path

ADDRESSES = {"source", "source_port", "destination", "destination_port"}
"""Columns that the guide to captures calls addresses and ports."""


def read(page: str, root: Path, folder: Path) -> Reader:
    """Run a page's blocks in a folder, and compare their output with the page."""
    reader = Reader(folder)
    shown = (root / page).read_text(encoding="utf-8")
    differs = difference(shown, reader.follow(shown))
    assert not differs, f"{page} shows what its blocks do not print; `make guides PAGES={page}` rewrites it:\n{differs}"
    return reader


def test_every_page_with_python_is_followed(root: Path) -> None:
    """Other tests run the blocks of the README and of the recipe for a study."""
    pages = {path.relative_to(root).as_posix() for path in (root / "docs").rglob("*.md")}
    with_python = {page for page in pages if "```python" in (root / page).read_text(encoding="utf-8")}
    assert with_python - {"docs/recipes/add_a_study.md"} <= set(PAGES) <= pages


@pytest.mark.parametrize("name", ["pftk", "loss_law", "rounds", "stochastic_reno"])
def test_models(name: str, root: Path, tmp_path: Path) -> None:
    read(f"docs/models/{name}.md", root, tmp_path)


def test_the_source_of_the_recipe_needs_no_conversion(root: Path, tmp_path: Path) -> None:
    session = read("docs/recipes/add_a_source.md", root, tmp_path).session
    session["Periodic"].model_rebuild(_types_namespace=session)  # the class is defined in the page, which is no module
    periodic = session["Periodic"](rate=100, burst=5)
    assert periodic.for_engine(None) == {"kind": "periodic", "rate": 100.0, "burst": 5}
    with pytest.raises(ac.ScenarioError, match="burst: 0 is not allowed"):
        type(periodic)(rate=100, burst=0)


def test_the_measure_of_the_recipe(root: Path, tmp_path: Path) -> None:
    session = read("docs/recipes/add_a_measure.md", root, tmp_path).session
    assert all(1 < ratio < 3 for ratio in session["ratios"])


@pytest.mark.parametrize("page", recipes.PAGES)
def test_the_changes_of_a_recipe_apply(page: str, root: Path) -> None:
    """They name the present code: `make recipes` also compiles and tests them."""
    text = (root / page).read_text(encoding="utf-8")
    assert recipes.refusal(recipes.patch_of(text), root) == ""
    for path in recipes.files_of(text):
        assert not (root / path).exists()
        assert (root / path).parent.is_dir()


def test_applications(root: Path, tmp_path: Path) -> None:
    """The guide's statements on the download, the object and the call."""
    session = read("docs/guide/applications.md", root, tmp_path).session

    def medians(name: str) -> tuple[float, float]:
        """Return the medians of the delay of speech and of the time of an object."""
        groups = ac.simulate(session[name]).groups
        delay, completion = groups["speech"].delay_p50, groups["objects"].completion_p50
        assert delay is not None
        assert completion is not None
        return delay, completion

    alone, bloated, managed = medians("alone"), medians("bloated"), medians("managed")
    assert bloated[0] > 4 * alone[0]
    assert managed[0] < 1.1 * alone[0]
    assert bloated[1] > 2 * managed[1]


def test_video_and_calls(root: Path, tmp_path: Path) -> None:
    """The guide's statements on buffers, and on the bitrate of a call."""
    session = read("docs/guide/applications.md", root, tmp_path).session
    minutes = session["minutes"]
    long, short = (
        ac.replicate(minutes.changed({"clients.0.source.buffer": buffer}), seeds=3).groups["video"].stalls
        for buffer in ("60 s", "20 s")
    )
    assert long.mean == 0
    assert short.mean is not None
    assert short.mean > 0
    rows = session["rows"]
    for begin, end, rate in ((35, 40, 1.0), (55, 60, 1.5), (75, 80, 0.6), (95, 100, 1.0)):
        bitrate = rows["target"][(rows["time"] >= begin) & (rows["time"] < end)].mean()
        assert 0.8 * rate < bitrate / 1e6 < 1.05 * rate


def test_conformance(root: Path, tmp_path: Path) -> None:
    session = read("docs/guide/conformance.md", root, tmp_path).session
    assert session["verdicts"].count("equal") == len(session["cases"])


def test_store(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/store.md", root, tmp_path)
    assert reader.session["frame"].height == 4
    assert reader.session["means"].num_rows == 2


def test_the_first_study(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/first_study.md", root, tmp_path)
    assert (tmp_path / "buffer.png").read_bytes().startswith(b"\x89PNG")
    # The guide's conclusion from its figure, including the error bars.
    small, middle, large = (reader.session["wide"][packets].cov for packets in (10, 50, 400))
    held_back = reader.session["narrow"][400].cov
    assert middle.mean - middle.half_width > 1.3 * (small.mean + small.half_width)
    assert middle.mean - middle.half_width > large.mean + large.half_width
    assert large.mean - large.half_width > 2 * reader.session["run"].summary.cov_poisson
    assert large.mean - large.half_width > 1.5 * (held_back.mean + held_back.half_width)
    assert (tmp_path / "seed7" / "arrivals.parquet").exists()


def test_sweeps(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/sweeps.md", root, tmp_path)
    assert (tmp_path / "delay.png").read_bytes().startswith(b"\x89PNG")
    # The guide's statements on the delay and on `spread`.
    rows = ac.open(tmp_path / "delay").runs.to_arrow().to_pylist()
    size, kind = ("dumbbell.bottleneck.queue.packets", "dumbbell.bottleneck.queue.kind")
    full = [row["sojourn_mean"] for row in rows if (row[size], row[kind]) == (300, "droptail")]
    assert fmean(full) == pytest.approx(0.164, abs=0.0005)
    assert max(row["sojourn_mean"] for row in rows if row[kind] != "droptail") < 0.010
    assert min(row["utilization"] for row in rows) > 0.998
    delay = ac.Scenario.from_dict(ac.Study.from_toml(tmp_path / "delay.toml").scenario)
    together = {
        "clients.0.spread": "0 s",
        "clients.0.transport.tick_phase": "0 s",
        "clients.0.transport.delayed_ack_tick": "0 s",
    }
    same = ac.replicate(delay.changed(together), seeds=2)
    assert same[0].summary == same[1].summary
    # The guide's statements on its pairs.
    pairs = reader.session["pairs"]
    assert pairs[20].narrowing > 10
    assert all(pairs[count].narrowing < 2 for count in (38, 44, 60))
    assert pairs[60].differ
    assert reader.session["long"].warning == ""
    assert "made by <code>ackclock report results" in (tmp_path / "results.html").read_text(encoding="utf-8")


def test_wide_area(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/wide_area.md", root, tmp_path)
    assert len(reader.session["components"]) == 20


def test_transfers(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/transfers.md", root, tmp_path)
    # The guide's statements on sizes and loads.
    medians = reader.session["found"]["median"]
    assert medians["up to 20 kB"] < medians["up to 200 kB"]
    assert ac.Scenario.from_toml(root / "examples" / "web_search.toml").clients[0].has_transfers


def test_cubic_beside_reno(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/cubic_beside_reno.md", root, tmp_path)
    assert (tmp_path / "cubic_beside_reno.png").read_bytes().startswith(b"\x89PNG")
    # The guide's statements on its figure, its variations and the kernel.
    windows = reader.session["windows"]
    cubic, reno = (windows[(windows.flow == flow) & (windows.time >= 10)].cwnd for flow in (0, 1))
    assert (cubic.to_numpy() > reno.to_numpy()).mean() > 0.5
    assert cubic.min() / cubic.max() > reno.min() / reno.max()
    scenario = reader.session["scenario"]
    shares: dict[str, float] = {}
    measured: dict[str, Any] = {}
    queue, senders = "dumbbell.bottleneck.queue", ("clients.0.transport", "clients.1.transport")
    for name, changed in {
        "base": {},
        "large": {f"{queue}.packets": 267},
        "marks": {f"{queue}.mark_above": 17, **{f"{each}.ecn": "classic" for each in senders}},
        "paced": {f"{each}.pacing": "window" for each in senders},
    }.items():
        measured[name] = ac.replicate(scenario.changed(changed), seeds=20)
        rates = {group.name: group.goodput_bps.mean for group in measured[name].groups}
        shares[name] = rates["cubic"] / sum(rates.values())
    assert 0.5 < shares["base"] < shares["large"]
    # a share scatters by 0.05, its mean by 0.011
    assert shares["base"] == pytest.approx(0.59, abs=0.005)
    assert shares["paced"] == pytest.approx(0.61, abs=0.005)
    assert measured["marks"].loss.mean == 0
    assert measured["marks"].delay_mean.mean < 0.55 * measured["base"].delay_mean.mean
    assert measured["marks"].utilization.mean < 0.97 < measured["base"].utilization.mean
    guide = (root / "docs" / "guide" / "cubic_beside_reno.md").read_text(encoding="utf-8")
    for packets in (67, 267):
        kernel = [cell for cell in competition() if cell.name == f"1xcubic@40ms and 1xreno@40ms, {packets} packets"]
        (shown,) = kernel[0].kernel.values()
        assert f"{fmean(shown):.3f} ({min(shown):.3f} to {max(shown):.3f})" in " ".join(guide.split())


def test_queue_state(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/queue_state.md", root, tmp_path)
    for name in ("codel", "pie"):
        figure = (root / "docs" / "images" / f"{name}_gauges.png").read_bytes()
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == figure[:4] == b"\x89PNG"
    # The guide's statements on CoDel and PIE.
    gauges, run = reader.session["gauges"], reader.session["run"]
    assert gauges["count"].max() == 79
    assert gauges["count"].idxmax() < 3
    begins = gauges[(gauges.dropping == 1) & (gauges.dropping.shift() == 0) & (gauges.index >= 10)]
    assert begins["count"].mean() == pytest.approx(7.5, abs=0.5)
    pie = ac.simulate(
        run.scenario.changed({"dumbbell.bottleneck.queue": {"kind": "pie", "packets": 1000}}), record=["gauges/15ms"]
    )
    state = pie.table("gauges").to_pandas().pivot(index="time", columns="gauge", values="value")
    late = state.drop_prob[state.index >= 10].mean()
    assert late == pytest.approx(0.0159, abs=0.0005)
    assert pie.summary.loss == pytest.approx(late / 1.85, rel=0.1)
    assert state.qdelay_old[(state.index > 2) & (state.index < 4)].max() < 0.015


def test_bbr_phases(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/bbr_phases.md", root, tmp_path)
    for name in ("bbr_diagram", "bbr_states", "bbr_cycle", "bbr3_states"):
        figure = (root / "docs" / "images" / f"{name}.png").read_bytes()
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == figure[:4] == b"\x89PNG"
    # The guide's statements on the two versions.
    first, third = reader.session["first"], reader.session["third"]
    product = 10e6 * 0.0412 / 12_000
    assert first.flight.iloc[0] == pytest.approx(2.887 * product + 6, abs=2)
    assert third.flight.iloc[0] == pytest.approx(2 * product, abs=10)
    cycles = first[(first.begin > 2) & (first.begin < 10)]
    assert (cycles.phase == "probe_bw:up").sum() / 8 == pytest.approx(3, abs=0.25)
    assert len(third[third.phase == "probe_bw:up"]) == 6
    probes = {name: table[table.phase == "probe_rtt"].begin.to_list() for name, table in (("bbr", first), ("3", third))}
    assert probes["bbr"] == [pytest.approx(10.1, abs=0.1)]
    assert probes["3"] == [pytest.approx(5.1, abs=0.1), pytest.approx(10.3, abs=0.2)]
    table = load(tmp_path / "bbr").table("states").to_pandas()
    flight = table[(table.variable == "inflight") & table.time.between(3, 10)]
    cruises = flight[(flight.phase == "probe_bw:cruise")].value
    assert (cruises.quantile(0.01), cruises.quantile(0.99)) == (36, 40)
    assert table[(table.phase == "probe_rtt") & (table.variable == "inflight")].value.min() == 3
    third_flight = load(tmp_path / "bbr3").table("states").to_pandas()
    low = third_flight[(third_flight.phase == "probe_rtt") & (third_flight.variable == "inflight")].value
    assert low.median() == pytest.approx(product / 2, abs=1.5)


def test_bufferbloat(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/bufferbloat.md", root, tmp_path)
    assert (tmp_path / "bufferbloat.png").read_bytes().startswith(b"\x89PNG")
    # The guide's statements on the six disciplines.
    delay, goodput = ({name: fmean(values[i]) for name, values in reader.session["found"].items()} for i in (0, 1))
    product, wait = 40.0, {name: value - 20 for name, value in delay.items()}
    assert 6.5 < delay["drop-tail"] / 20 < 7.5
    assert 2.8 < wait["drop-tail"] / product < 3.3
    assert all(12 < wait[name] < 18 for name in ("PIE", "DualPI2"))
    assert all(wait[name] < 7 for name in ("CoDel", "Adaptive RED"))
    assert wait["FQ-CoDel"] < 1.2  # the transmission of a packet
    assert min(goodput[name] for name in ("drop-tail", "PIE", "DualPI2")) > 9.8
    assert max(goodput[name] for name in ("CoDel", "FQ-CoDel", "Adaptive RED")) < 9.5


def test_changing_networks(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/changing_networks.md", root, tmp_path)
    for name in ("join_and_leave", "join_and_leave_jain", "join_and_leave_both", "changing_path"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    # The guide's statements: who converges after a join, and what is left of the second part of the path.
    shared = reader.session["shared"]
    joins = {name: runs.convergence_join.mean for name, runs in shared.items()}
    assert joins["cubic, fq"] < 0.2 < joins["dctcp"] < 2 < joins["cubic"]
    assert shared["cubic, fq"].jain_windows.mean > 0.995
    second = {variant: runs.periods()[1] for variant, runs in reader.session["runs"].items()}
    assert (second["cubic"].start, second["cubic"].end) == (15, 30)
    assert second["cubic"].groups[0].goodput_bps.mean < 10e6
    assert second["bbr"].groups[0].goodput_bps.mean > 50e6


def test_fabrics(root: Path, tmp_path: Path) -> None:
    """The text: own hashes use more than one hash for all, which uses at most half; by hand, all flows have a path."""
    page = "docs/guide/fabrics.md"
    session = read(page, root, tmp_path).session
    rows = re.findall(r"^(\S+) +mean (\d\.\d+), from", (root / page).read_text(encoding="utf-8"), re.MULTILINE)
    means = {rule: float(mean) for rule, mean in rows}
    assert means["first"] <= 0.25 < means["ecmp-polarised"] <= 0.5 < means["ecmp"]
    assert session["goodput"](ac.simulate(session["by_hand"])) > 0.9


def test_wifi(root: Path, tmp_path: Path) -> None:
    """The text: what aggregation changes, and who has the air time and the rates with turns and with fair air time."""
    page = "docs/guide/wifi.md"
    read(page, root, tmp_path)
    shown = (root / page).read_text(encoding="utf-8")
    alone = [float(line.split()[1]) for line in shown.splitlines() if re.match(r" +(1|64) +\d+\.\d +\d\.", line)]
    assert alone[0] < 65 / 2 < alone[1]
    rows = re.findall(r"^ +(1|8|64)  (turns|airtime)(.*)$", shown, re.MULTILINE)
    values = {(most, schedule): [float(each) for each in rest.split()] for most, schedule, rest in rows}
    laptop, _, garden, *times = values["1", "turns"]
    assert garden == pytest.approx(laptop, rel=0.15)
    assert times[2] > 0.6
    assert values["1", "airtime"][0] > 3 * laptop
    assert values["64", "turns"][:2] == pytest.approx(values["64", "airtime"][:2], rel=0.1)


def test_below_capacity(root: Path, tmp_path: Path) -> None:
    """Numbers of the text: the bound by Mathis et al., 1.22 / (RTT sqrt(p)), and the share of payload in a packet."""
    page = "docs/guide/below_capacity.md"
    shown = (root / page).read_text(encoding="utf-8")
    assert f"{1.22 / 0.001**0.5 / 0.06 * 1500 * 8 / 1e6:.1f} Mb/s here" in shown
    assert f"{100 * 1448 / 1500:.2f}  Mbps, without headers" in shown
    bbr = read(page, root, tmp_path).session["bulk"]
    assert bbr.limited["pacing"] > 0.9


@pytest.mark.needs("gymnasium")
def test_train_a_controller(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/train_a_controller.md", root, tmp_path)
    figure = (root / "docs" / "images" / "controller.png").read_bytes()
    assert (tmp_path / "controller.png").read_bytes()[:4] == figure[:4] == b"\x89PNG"
    # The guide's statements on its table.
    rows = reader.session["rows"]
    assert compare_paired(rows["cubic"], rows["controller"]).difference.low > 0
    assert rows["controller"].mean() > 1.9 * rows["cubic"].mean()
    assert not any(compare_paired(rows[law], rows["controller"]).differ for law in ("copa", "bbr"))
    steady, lossy, changing, _ = ({law: scores[kind::4].mean() for law, scores in rows.items()} for kind in range(4))
    assert max(steady, key=steady.__getitem__) == max(changing, key=changing.__getitem__) == "controller"
    assert lossy["controller"] < min(lossy["copa"], lossy["bbr"])


def test_burstiness(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/burstiness.md", root, tmp_path)
    # The guide's statements on its three series.
    assert (tmp_path / "figures" / "variance_time.png").read_bytes().startswith(b"\x89PNG")
    claimed = {name: ac.analysis.hurst(counts).long_range for name, counts in reader.session["series"].items()}
    assert claimed == {"Poisson": False, "sawtooth": False, "long memory": True}


@long_only
@pytest.mark.slow
def test_captures(root: Path, tmp_path: Path) -> None:
    read("docs/guide/captures.md", root, tmp_path)
    folder = {path.name for path in (tmp_path / "out" / "lan").iterdir()}
    guide = (root / "docs" / "guide" / "captures.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w.]+)` \|", guide, re.MULTILINE)) <= folder
    names = pyarrow.parquet.read_schema(tmp_path / "out" / "lan" / "packets.parquet").names
    described = guide.partition("`packets.parquet`")[2].partition("\n")[0]
    assert [name for name in names if f"`{name}`" not in described and name not in ADDRESSES] == []


@long_only
@pytest.mark.slow
def test_captures_writing(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/captures_writing.md", root, tmp_path)
    assert reader.session["cov"] == reader.session["run"].summary.cov


class TestReader:
    PAGE = """Save this as `a.toml`:

```toml
x = 1
```

- in a list:

  ```python
  print("one  two\\n\\nthree")
  ```

  ```text
  {shown}
  ```
"""

    @pytest.mark.parametrize("shown", ["one  two\n\n  three", "stale", "one two\n\n  three"])
    def test_writes_what_is_printed(self, shown: str, tmp_path: Path) -> None:
        """The output is equal in every character, including spaces and empty lines, with the indent of the block."""
        right = self.PAGE.format(shown="one  two\n\n  three")
        page = self.PAGE.format(shown=shown)
        assert Reader(tmp_path).follow(page) == right
        assert (difference(page, right) == "") is (page == right)
        assert (tmp_path / "a.toml").read_text(encoding="utf-8") == "x = 1\n"

    def test_one_digit_is_a_difference(self) -> None:
        assert difference("0.12 ± 0.004", "0.12 ± 0.005").splitlines()[-2:] == ["-0.12 ± 0.004", "+0.12 ± 0.005"]

    @pytest.mark.parametrize(
        ("block", "says"), [("sh\nfalse", "false: exit code 1"), ("ruby\nputs 1", "a block of ruby")]
    )
    def test_stops_at_what_fails(self, block: str, says: str, tmp_path: Path) -> None:
        with pytest.raises(RuntimeError, match=says):
            Reader(tmp_path).follow(f"```{block}\n```\n")


@long_only
@pytest.mark.slow
def test_which_queue(root: Path, tmp_path: Path) -> None:
    read("docs/guide/which_queue.md", root, tmp_path)
    assert "<h1>Advice for a link of 20 Mbps, up 5 Mbps</h1>" in (tmp_path / "office.html").read_text(encoding="utf-8")


@long_only
@pytest.mark.slow
def test_evaluate(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/evaluate.md", root, tmp_path)
    # The guide's statements on the bad law, BBR and CoDel are in the outputs; the page is there.
    assert "<h1>" in (tmp_path / "hasty.html").read_text(encoding="utf-8")
    assert reader.session["card"].verdicts.keys() == {"round_trips"}


def test_an_idea_in_ten_lines(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read("docs/guide/idea_in_ten_lines.md", root, tmp_path)
    assert (tmp_path / "idea_in_ten_lines.png").read_bytes().startswith(b"\x89PNG")
    monkeypatch.chdir(tmp_path)  # the page names its store relative to its folder
    rows = reader.session["store"].sql(
        'select variant, "dumbbell.bottleneck.queue.packets" as buffer, sojourn_mean, goodput_bps from runs'
    )
    found = rows.to_pandas().groupby(["variant", "buffer"]).mean()
    for buffer in (100, 200, 400):
        assert found.sojourn_mean["Calm", buffer] < 0.020 < found.sojourn_mean["CUBIC", buffer]
        assert found.goodput_bps["Calm", buffer] > 19.9e6
    assert reader.session["runs"].groups[1].goodput_bps.mean < 1e6


def test_interactive(root: Path, tmp_path: Path) -> None:
    reader = read("docs/guide/interactive.md", root, tmp_path)
    for name in ("throughput", "cov"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    # The guide's statements: CUBIC gets the larger share, and there is less variation than of Poisson arrivals.
    runs = reader.session["runs"]
    assert runs.groups["cubic"].goodput_bps.mean > runs.groups["reno"].goodput_bps.mean
    arrivals, poisson = chart(runs, "cov").panels[0].series
    assert (np.asarray(arrivals.y) < np.asarray(poisson.y)).all()
